//! BLDINDEX: fills alternate indexes from their base.
//!
//! The sort stays within the pool whatever INTERNALSORT or EXTERNALSORT say, and takes its work file beside
//! the alternate index when that does not suffice. An index whose build fails is empty; the others of the list are
//! built.

use super::failure::Failure;
use super::named::Named;
use super::open::{data_set, no_dd, of_name, ClusterOrFile};
use super::outcome::Outcome;
use super::report::Report;
use super::trouble::{not_opened, open_code, Trouble, GAVE_UP};
use super::Services;
use cica_catalog::entry::{Aix, Organization};
use cica_catalog::{Contents, Entry, Name};
use cica_engine::{Build, BuildError, Files, Omitted, OpenOptions};
use cica_messages::{CICA0941E, CICA0985I, CICA0986I, IDC0652I, IDC1645I, IDC1646I};
use cica_session::Reached;
use std::path::Path;

/// Bytes that the sort uses at most; and no more than half of the pool, of which they are a part.
const MEMORY: usize = 64 << 20;
/// Messages about one index, after which its duplicates are only counted.
const MOST_TOLD: u64 = 1000;
/// OPEN code: what was named is not what this is for.
const WRONG: u8 = 160;

/// BLDINDEX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bldindex {
    /// The base cluster.
    pub base: Named,
    /// Alternate indexes, or paths over them.
    pub indexes: Vec<Named>,
}

impl Services {
    /// Fills alternate indexes from their base; the result names those that are built.
    pub fn bldindex(&mut self, request: &Bldindex) -> Outcome<Vec<Name>> {
        Outcome::with(|out| bldindex(self, request, out))
    }
}

fn bldindex(services: &mut Services, request: &Bldindex, out: &mut Report) -> Result<(u8, Vec<Name>), Failure> {
    let target = ClusterOrFile::named(services, &request.base)?;
    let name = target.name();
    let base = match target {
        ClusterOrFile::Cluster(reached) if reached.way.is_none() => *reached,
        _ => return Err(open_code(&name, WRONG, &"IT IS NO BASE CLUSTER")),
    };
    let names = request.indexes.iter().map(|index| text(services, index));
    let (mut cc, mut built) = (0, Vec::new());
    for name in names.collect::<Result<Vec<String>, _>>()? {
        let done = one(services, &base, &name, out).map(|(cc, name)| {
            built.push(name);
            cc
        });
        cc = cc.max(done.unwrap_or_else(|failure| failure.tell(out)));
    }
    Ok((cc, built))
}

/// The name of an alternate index, or of a path over it.
fn text(services: &Services, index: &Named) -> Result<String, Failure> {
    match index {
        Named::DataSet(name) => Ok(name.clone()),
        Named::Dd(dd) => {
            let text = services.dd.get(dd).map_err(|missing| no_dd(dd, missing))?;
            Ok(text.target.clone())
        }
    }
}

/// Builds one; returns the condition code and the name of the alternate index.
fn one(services: &mut Services, base: &Reached, name: &str, out: &mut Report) -> Result<(u8, Name), Failure> {
    let parsed = Name::parse(name).map_err(|_| super::failure::not_found(&name))?;
    let catalog = services.home(&parsed)?;
    let aix = alternate(&*catalog.contents()?, &parsed)?;
    if aix.relate != base.name {
        let words = format!("IT IS RELATED TO {}, NOT TO {}", aix.relate, base.name);
        return Err(open_code(name, WRONG, &words));
    }
    let (data, index) = super::open::files(&catalog, &cica_session::as_cluster(&aix))?;
    let opened = data_set(services, base, OpenOptions::default())?;
    let mut omissions = NotIndexed {
        out,
        // What the pointers are.
        kind: match base.organization {
            Organization::Esds => "RBA",
            _ => "KEY",
        },
        cc: 0,
        count: 0,
    };
    let work = data.parent().unwrap_or(Path::new(".")).to_path_buf();
    let files = Files { data, index };
    let progress = &mut services.progress;
    let built = services.engine.build_index(
        &opened,
        &files,
        Build {
            work: &work,
            memory: MEMORY,
            progress: &mut |count| progress(count),
            omitted: &mut |omitted| {
                omissions.omitted(omitted);
                std::ops::ControlFlow::Continue(())
            },
        },
    );
    let (cc, not_told) = (omissions.cc, omissions.count.saturating_sub(MOST_TOLD));
    let closed = opened.close();
    let built = match built {
        Ok(built) => built,
        Err(error) => {
            let failure = not_built(aix.name.as_str(), base.name.as_str(), error);
            return Err(match left(services, &files) {
                Some(left) => failure.and(&CICA0986I, &[("name", &aix.name), ("left", &left)]),
                None => failure,
            });
        }
    };
    closed.map_err(|error| Trouble::Close(error).of(base.name.as_str()))?;
    if built.short > 0 || not_told > 0 {
        out.say(
            &CICA0985I,
            &[("name", &aix.name), ("short", &built.short), ("more", &not_told)],
        );
    }
    out.say(&IDC0652I, &[("name", &aix.name)]);
    Ok((cc, aix.name))
}

/// The alternate index of this name, or the one that a path or alias of this name goes through.
fn alternate(contents: &Contents, name: &Name) -> Result<Aix, Failure> {
    match of_name(contents, name)? {
        Entry::Aix(aix) => Ok((**aix).clone()),
        other => {
            let words = format!("IT IS A {} AND NO ALTERNATE INDEX", other.kind().word());
            Err(open_code(name.as_str(), WRONG, &words))
        }
    }
}

/// What the index does not take, as it is told.
struct NotIndexed<'a> {
    out: &'a mut Report,
    kind: &'static str,
    cc: u8,
    count: u64,
}

impl NotIndexed<'_> {
    fn omitted(&mut self, omitted: Omitted<'_>) {
        self.count += 1;
        self.cc = self.cc.max(IDC1645I.cc);
        if self.count > MOST_TOLD {
            return;
        }
        match omitted {
            Omitted::Duplicate { key, pointer } => self.out.say(
                &IDC1645I,
                &[("key", &first(key)), ("kind", &self.kind), ("pointer", &first(pointer))],
            ),
            Omitted::Excess { key, count } => self.out.say(
                &IDC1646I,
                &[("count", &count), ("kind", &self.kind), ("key", &first(key))],
            ),
        };
    }
}

/// The first ten bytes in hexadecimal, as z/OS shows keys in these messages.
fn first(key: &[u8]) -> String {
    super::hexadecimal(&key[..key.len().min(10)])
}

/// What stands in an index whose build was given up; none if its root cannot be read, which was said then.
fn left(services: &Services, index: &Files) -> Option<&'static str> {
    let root = services.engine.peek(&index.data).ok()?;
    Some(match root.levels {
        0 => "IT IS EMPTY",
        _ => "IT IS AS IT WAS",
    })
}

pub(super) fn not_built(name: &str, base: &str, error: BuildError) -> Failure {
    match error {
        BuildError::Open(error) => not_opened(name, &error),
        BuildError::Base(error) => Trouble::Request(error).of(base),
        BuildError::Alternate(error) => Trouble::Request(error).of(name),
        other => Failure::new(&CICA0941E, &[("name", &name), ("reason", &other)]).with_cc(GAVE_UP),
    }
}
