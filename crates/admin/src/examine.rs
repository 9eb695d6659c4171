//! EXAMINE: reads the whole structure of a data set and tells what is not as it must be.
//!
//! The engine finds out both in one walk, index and data; INDEXTEST and DATATEST choose what is told. After errors in
//! the index the data test is not told of: the data was looked for by that index. VERIFY RECOVER tells the same way.

use super::failure::Failure;
use super::open::{self, cluster, files, not_reached, to_check};
use super::outcome::Outcome;
use super::report::Report;
use super::trouble::{not_opened, Trouble};
use super::Services;
use cica_catalog::entry::Aix;
use cica_catalog::Entry;
use cica_engine::examine::{Examination, Finding, FindingKind, FindingPlace};
use cica_engine::{Files, OpenError, OpenOptions};
use cica_messages::{
    CICA0950E, CICA0959E, CICA0996E, CICA0997I, CICA1027W, IDC01700I, IDC01701I, IDC01708I, IDC01709I, IDC01710I,
    IDC01711I, IDC01712I, IDC01722I, IDC01724I, IDC11703I, IDC11704I, IDC11726I, IDC11728I, IDC11733I, IDC11772I,
    IDC21701I, IDC21703I,
};
use cica_session::{as_cluster, Reached, SessionError};
use std::path::Path;

/// Bytes that a comparison sorts in at most, and no more than half of the pool.
pub(super) const MEMORY: usize = 64 << 20;
/// What an alternate index and its base do not agree about is told so often.
const MOST_TOLD: u64 = 1000;

/// ERRORLIMIT when it is not given.
const ERROR_LIMIT: u64 = 2_147_483_647;

/// EXAMINE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examine {
    /// The key-sequenced or variable-length relative data set, or the alternate index.
    pub name: String,
    /// NOINDEXTEST: what was found in the index is not told.
    pub without_index: bool,
    /// DATATEST: what was found in the data is told, and alternate indexes are compared with their base.
    pub data: bool,
    /// ERRORLIMIT: how many errors are shown; all when nothing is said.
    pub error_limit: Option<u64>,
}

/// What an examination found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examined {
    /// All that is wrong in index and data, whatever was told of it; empty: the data set is sound.
    pub findings: Vec<Finding>,
    /// What alternate indexes and their base do not agree about; 0 where they were not compared.
    pub disagreements: u64,
}

impl Services {
    /// Examines the structure of a data set.
    pub fn examine(&mut self, request: &Examine) -> Outcome<Examined> {
        Outcome::with(|out| examine(self, request, out))
    }
}

fn examine(services: &mut Services, request: &Examine, out: &mut Report) -> Result<(u8, Examined), Failure> {
    let name = request.name.as_str();
    let cluster = cluster(services, name)?;
    if !cluster.organization.has_index() {
        return Err(Failure::new(&CICA0959E, &[("name", &cluster.name)]));
    }
    let opened = to_check(services, &cluster, OpenOptions::default())?;
    let examined = opened.examine();
    let closed = opened.close().map(drop);
    let examined = examined.map_err(|error| Trouble::Request(error).of(name))?;
    closed.map_err(|error| Trouble::Close(error).of(name))?;
    let parts = ExaminedParts {
        index: !request.without_index,
        data: request.data,
        errors: request.error_limit.unwrap_or(ERROR_LIMIT),
    };
    let (cc, disagreements) = tell(services, &cluster, &examined, &parts, out)?;
    let found = Examined {
        findings: examined.findings,
        disagreements,
    };
    Ok((cc, found))
}

/// What became of the comparison of a base and its alternate indexes.
#[derive(Debug, Default)]
struct Compared {
    disagreements: u64,
    /// Not all were compared: somebody has the data set.
    left_out: bool,
}

impl Compared {
    /// Its condition code.
    fn condition(&self) -> u8 {
        match self {
            Compared { disagreements: 1.., .. } => CICA0996E.cc,
            Compared { left_out: true, .. } => CICA1027W.cc,
            _ => 0,
        }
    }
}

/// Compares a base with the alternate indexes that are kept up for it, or an alternate index with its base. What was
/// never built says nothing that could be wrong. Where somebody has the data set nothing is compared: that is told.
fn compare(services: &Services, cluster: &Reached, errors: u64, out: &mut Report) -> Result<Compared, Failure> {
    let catalog = services.home(&cluster.name)?;
    let contents = catalog.contents()?;
    let indexes: Vec<Aix> = match contents.get(&cluster.name)? {
        Entry::Aix(aix) => vec![(**aix).clone()],
        _ => contents
            .related(&cluster.name)
            .filter_map(|entry| match entry {
                Entry::Aix(aix) if aix.upgrade => Some((**aix).clone()),
                _ => None,
            })
            .collect(),
    };
    let mut all = Compared::default();
    for aix in indexes {
        let (data, index) = files(&catalog, &as_cluster(&aix))?;
        let files = Files { data, index };
        let name = aix.name.as_str();
        let root = services
            .engine
            .peek(&files.data)
            .map_err(|error| not_opened(name, &error))?;
        if root.levels == 0 {
            continue;
        }
        let mut base = open::cluster(services, aix.relate.as_str())?;
        base.update = false;
        let catalog = services.home(&base.name)?;
        let opened = match cica_session::open(&catalog, &services.engine, &base, OpenOptions::default()) {
            Ok(opened) => opened,
            Err(SessionError::Open(error @ OpenError::InUse { .. })) => {
                out.say(&CICA1027W, &[("name", &base.name), ("reason", &error)]);
                all.left_out = true;
                return Ok(all);
            }
            Err(error) => return Err(not_reached(base.name.as_str(), error)),
        };
        let work = (files.data.parent().unwrap_or(Path::new(".")), MEMORY);
        let (mut left, mut parts) = (errors, Vec::new());
        let compared = services
            .engine
            .compare_index(&opened, &files, work, &mut |disagreement| {
                if left > 0 {
                    parts.push(disagreement.to_string());
                }
                left = left.saturating_sub(1).min(MOST_TOLD - parts.len() as u64);
            });
        let closed = opened.close();
        let compared = compared.map_err(|error| super::bldindex::not_built(name, base.name.as_str(), error))?;
        closed.map_err(|error| Trouble::Close(error).of(base.name.as_str()))?;
        for reason in &parts {
            out.say(&CICA0996E, &[("name", &aix.name), ("reason", reason)]);
        }
        all.disagreements += compared.disagreements;
        let numbers: [(&str, &dyn std::fmt::Display); 4] = [
            ("name", &aix.name),
            ("records", &compared.records),
            ("pointers", &compared.pointers),
            ("count", &compared.disagreements),
        ];
        out.say(&CICA0997I, &numbers);
    }
    Ok(all)
}

/// What is told of an examination.
pub(super) struct ExaminedParts {
    /// What was found in the index component.
    pub index: bool,
    /// What was found in the data component.
    pub data: bool,
    /// How many errors are shown.
    pub errors: u64,
}

impl ExaminedParts {
    /// All there is to tell of a data set, with an index or without one.
    pub(super) fn all(index: bool) -> ExaminedParts {
        ExaminedParts {
            index,
            data: true,
            errors: ERROR_LIMIT,
        }
    }
}

/// Tells what was found, and compares with alternate indexes what is sound; returns the condition code, and how often
/// these do not agree. The verdict on the data comes behind the comparison: it says that there are no errors.
pub(super) fn tell(
    services: &Services,
    cluster: &Reached,
    examined: &Examination,
    parts: &ExaminedParts,
    out: &mut Report,
) -> Result<(u8, u64), Failure> {
    let left = parts.errors;
    let mut report = ExamineFindings { out, left };
    let index = if parts.index { report.index(examined) } else { 0 };
    if !parts.data || index >= IDC21701I.cc {
        return Ok((index, 0));
    }
    let cc = index.max(report.data(examined));
    let compared = match cc {
        0 => compare(services, cluster, parts.errors, out)?,
        _ => Compared::default(),
    };
    let sound = cc == 0 && compared.disagreements == 0;
    out.say(if sound { &IDC01709I } else { &IDC21703I }, &[]);
    Ok((cc.max(compared.condition()), compared.disagreements))
}

struct ExamineFindings<'a> {
    out: &'a mut Report,
    /// How many more errors are shown.
    left: u64,
}

impl ExamineFindings<'_> {
    fn index(&mut self, examined: &Examination) -> u8 {
        self.out.say(&IDC01700I, &[]);
        let cc = self.findings(examined, FindingPlace::Index);
        self.out.say(if cc == 0 { &IDC01724I } else { &IDC21701I }, &[]);
        cc
    }

    fn data(&mut self, examined: &Examination) -> u8 {
        self.out.say(&IDC01701I, &[]);
        let cc = self.findings(examined, FindingPlace::Data);
        let numbers = [
            (&IDC01708I, examined.control_intervals),
            (&IDC01710I, examined.records),
            (&IDC01711I, examined.empty_control_intervals),
            (&IDC01712I, examined.longest_record),
        ];
        for (message, count) in numbers {
            self.out.say(message, &[("count", &count)]);
        }
        self.out.say(&IDC01722I, &[("percent", &examined.free_percent)]);
        cc
    }

    fn findings(&mut self, examined: &Examination, part: FindingPlace) -> u8 {
        let found = || examined.findings.iter().filter(|f| f.part == part);
        for finding in found().take(usize::try_from(self.left).unwrap_or(usize::MAX)) {
            self.left -= 1;
            self.finding(finding);
        }
        if found().next().is_some() {
            CICA0950E.cc
        } else {
            0
        }
    }

    fn finding(&mut self, finding: &Finding) {
        let part = match finding.part {
            FindingPlace::Index => "INDEX",
            FindingPlace::Data => "DATA",
        };
        let found = message(finding.kind);
        if let Some(message) = found {
            // Messages of whole components have no place.
            let rba = message.inserts().any(|insert| insert == "rba");
            let place: [(&str, &dyn std::fmt::Display); 1] = [("rba", &finding.rba)];
            self.out.say(message, if rba { &place } else { &[] });
        }
        let words: [(&str, &dyn std::fmt::Display); 3] =
            [("part", &part), ("rba", &finding.rba), ("reason", &finding.what)];
        self.out.say(&CICA0950E, &words);
    }
}

/// IBM's message for a kind of finding, where there is one; our own words follow it in any case.
fn message(kind: FindingKind) -> Option<&'static cica_messages::MessageEntry> {
    match kind {
        FindingKind::DuplicateKey => Some(&IDC11703I),
        FindingKind::IndexSequence => Some(&IDC11704I),
        FindingKind::NotPointedTo => Some(&IDC11726I),
        FindingKind::ChainLoop => Some(&IDC11772I),
        FindingKind::DataSequence => Some(&IDC11733I),
        FindingKind::DataInFree => Some(&IDC11728I),
        _ => None,
    }
}
