//! The engine side of a run on a sphere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cica_disk::Disk;
use cica_engine::{
    Access, Build, DataSet, Definition, Engine, Files, Insert, Intent, OpenOptions, Record, RequestError, Str,
};
use cica_format::aix::{self, AixRecord, Directory};

use crate::mortal::Mortal;
use crate::oracle::Bytes;
use crate::place;
use crate::request::{Reply, Request};
use crate::session::{done, engine, of_one_string, Trouble};
use crate::shape;
use crate::sphere::oracle::{of_entry, Entries, SphereAnswer};
use crate::sphere::shape::Sphere;

/// A sphere, open in an engine of its own: one process's life.
pub struct SphereSession {
    process: Mortal,
    shape: Sphere,
    open: Option<OpenSphere>,
}

struct OpenSphere {
    strings: Vec<Str>,
    base: DataSet,
    paths: Vec<DataSet>,
    engine: Engine,
}

/// What the files of a closed sphere hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SphereContents {
    /// Records of the base, as contents are compared.
    pub records: Vec<Bytes>,
    /// Records of each alternate index, as bytes.
    pub alternates: Vec<Vec<Bytes>>,
}

impl SphereContents {
    /// A number that tells contents apart.
    pub fn digest(&self) -> u64 {
        let base = self.records.iter().map(|record| crate::random::digest(record));
        let alternates = self.alternates.iter().enumerate();
        let alternates = alternates.flat_map(|(at, records)| records.iter().map(move |record| of_entry(at, record)));
        base.chain(alternates).fold(0, u64::wrapping_add)
    }
}

fn files(name: &str) -> Files {
    let volume = place::at("/volume");
    let file = |part: &str| -> PathBuf { volume.join(format!("{name}.{part}")) };
    Files {
        data: file("DATA"),
        index: file("INDEX"),
    }
}

fn alternate(at: usize) -> Files {
    files(&format!("SIM.AIX{at}"))
}

fn base() -> Files {
    files("SIM.KSDS")
}

impl SphereSession {
    /// Makes the files on a disk, loads the records, which are in key order, builds the alternate indexes, and closes
    /// them all.
    pub fn create(
        disk: &Arc<dyn Disk>,
        shape: &Sphere,
        records: &[Bytes],
        alternates: &[Entries],
    ) -> Result<(), Trouble> {
        let engine = engine(disk, &shape.base)?;
        let entries = |at: usize| -> Vec<Bytes> {
            let all = alternates[at].iter();
            all.map(|(key, pointers)| shape.entry(at, key, pointers)).collect()
        };
        let mut all: Vec<(Files, _, Vec<Bytes>)> = vec![(base(), shape.base.attributes(), records.to_vec())];
        all.extend((0..alternates.len()).map(|at| (alternate(at), shape.attributes(at), entries(at))));
        for (number, (files, (data, index), records)) in all.into_iter().enumerate() {
            let chained = data.alternate.as_ref().is_some_and(|of| of.chained);
            engine.create(&Definition {
                data_path: files.data.clone(),
                index_path: files.index.clone(),
                data,
                index,
            })?;
            if chained {
                build(&engine, &files, number)?;
                continue;
            }
            let options = OpenOptions {
                access: Access::Output,
                ..OpenOptions::default()
            };
            let set = engine.open(&files.data, &files.index, options)?;
            let mut string = set.string();
            for record in &records {
                string.insert(record, Insert::Sequential)?;
            }
            drop(string);
            set.close()?;
        }
        Ok(())
    }

    /// Opens the sphere that is on a disk.
    pub fn open(disk: Arc<dyn Disk>, shape: &Sphere, output: bool) -> Result<SphereSession, Trouble> {
        SphereSession::of(Mortal::new(disk), shape, output)
    }

    /// The same as this process.
    pub fn of(process: Mortal, shape: &Sphere, output: bool) -> Result<SphereSession, Trouble> {
        let mut session = SphereSession {
            process,
            shape: shape.clone(),
            open: None,
        };
        session.open_set(output)?;
        Ok(session)
    }

    fn open_set(&mut self, output: bool) -> Result<(), Trouble> {
        let engine = engine(&self.process.shared(), &self.shape.base)?;
        let options = OpenOptions {
            access: if output { Access::Output } else { Access::Input },
            reset: false,
            durability: match self.shape.base.durability {
                shape::Durability::Close => cica_engine::Durability::Close,
                shape::Durability::Commit => cica_engine::Durability::Commit,
                shape::Durability::Request => cica_engine::Durability::Request,
            },
            ..OpenOptions::default()
        };
        let upgraded = |at: &usize| self.shape.alternates[*at].upgrade;
        let upgrade: Vec<Files> = (0..self.shape.alternates.len())
            .filter(upgraded)
            .map(alternate)
            .collect();
        let set = engine.open_sphere(&base(), &upgrade, options)?;
        let paths = (0..self.shape.alternates.len())
            .map(|at| engine.open_path(&base(), &upgrade, &alternate(at), options))
            .collect::<Result<Vec<_>, _>>()?;
        let string = |string: u8| match self.shape.way(string) {
            None => set.string(),
            Some(at) => paths[at].string(),
        };
        self.open = Some(OpenSphere {
            strings: (0..self.shape.base.strings).map(string).collect(),
            base: set,
            paths,
            engine,
        });
        Ok(())
    }

    /// Performs a request.
    pub fn apply(&mut self, request: &Request) -> Result<SphereAnswer, Trouble> {
        let plain = |reply| {
            Ok(SphereAnswer {
                reply,
                duplicate: false,
            })
        };
        match request {
            Request::Reopen { output, .. } => {
                self.close()?;
                self.open_set(*output)?;
                plain(Reply::Done)
            }
            Request::Kill(kill) => {
                self.process.kill(*kill);
                plain(Reply::Done)
            }
            Request::Commit => plain(done(self.set()?.base.commit())),
            Request::Checkpoint => plain(done(self.set()?.base.checkpoint())),
            of_string => {
                let OpenSphere { strings, base, .. } = self.open.as_mut().ok_or_else(closed)?;
                let number = of_string.string().unwrap_or_default();
                let string = strings.get_mut(usize::from(number)).ok_or_else(closed)?;
                let path = self.shape.way(number).is_some();
                let reply = of_one_string(&self.shape.base, base, string, path, of_string);
                Ok(answer(reply, string, of_string, path))
            }
        }
    }

    /// The process: whether it is killed, or going to be.
    pub fn process(&self) -> &Mortal {
        &self.process
    }

    /// Closes everything; nothing else can be done then.
    pub fn close(&mut self) -> Result<(), Trouble> {
        let OpenSphere {
            strings,
            base,
            paths,
            engine: _engine,
        } = self.open.take().ok_or_else(closed)?;
        drop(strings);
        for path in paths {
            path.close()?;
        }
        base.close()?;
        Ok(())
    }

    /// The base's records, forward, and by each path, in the order of its alternate key.
    pub fn read_all(&self) -> Result<(Vec<Bytes>, Vec<Vec<Bytes>>), Trouble> {
        let open = self.set()?;
        let by_path = |set: &DataSet| read_forward(&mut set.string(), |record| record.bytes.to_vec());
        let paths = open.paths.iter().map(by_path).collect::<Result<_, _>>()?;
        let base = read_forward(&mut open.base.string(), |record| shown(&self.shape, record))?;
        Ok((base, paths))
    }

    /// EXAMINE of the base.
    pub fn examine(&self) -> Result<(), Trouble> {
        examine(&self.set()?.base)
    }

    /// The base, as it was opened.
    pub fn base(&self) -> Result<&DataSet, Trouble> {
        Ok(&self.set()?.base)
    }

    fn set(&self) -> Result<&OpenSphere, Trouble> {
        self.open.as_ref().ok_or_else(closed)
    }
}

/// What the files of a sphere hold that nobody has open, each examined.
pub fn look(disk: &Arc<dyn Disk>, shape: &Sphere) -> Result<SphereContents, Trouble> {
    let engine = engine(disk, &shape.base)?;
    let read = |files: Files, of: &dyn Fn(Record<'_>) -> Bytes| -> Result<Vec<Bytes>, Trouble> {
        // One that lost its last record stays open for output alone.
        let set = engine.open(&files.data, &files.index, OpenOptions::default())?;
        examine(&set)?;
        let records = read_forward(&mut set.string(), of)?;
        let counted = set.statistics().0.records;
        if counted != records.len() as u64 {
            let words = format!(
                "{}: REC-TOTAL {counted}, {} records",
                files.data.display(),
                records.len()
            );
            return Err(Trouble::Wrong(words));
        }
        set.close()?;
        Ok(records)
    };
    Ok(SphereContents {
        records: read(base(), &|record| shown(shape, record))?,
        alternates: (0..shape.alternates.len())
            .map(|at| {
                let records = read(alternate(at), &|record| record.bytes.to_vec())?;
                if shape.alternates[at].chained {
                    merged(&records, shape.alternates[at].length).map_err(Trouble::Wrong)
                } else {
                    Ok(records)
                }
            })
            .collect::<Result<_, _>>()?,
    })
}

/// BLDINDEX of the alternate index that was created as the data set of this number.
fn build(engine: &Engine, files: &Files, number: usize) -> Result<(), Trouble> {
    let base = base();
    let set = engine.open(&base.data, &base.index, OpenOptions::default())?;
    let mut omitted = 0;
    let build = Build {
        work: files.data.parent().unwrap_or(Path::new("/")),
        memory: 1 << 20,
        progress: &mut |_| {},
        omitted: &mut |_| {
            omitted += 1;
            std::ops::ControlFlow::Continue(())
        },
    };
    let built = engine.build_index(&set, files, build);
    set.close()?;
    match built {
        Ok(_) if omitted == 0 => Ok(()),
        Ok(_) => Err(Trouble::Wrong(format!(
            "BLDINDEX of data set {number} omitted {omitted} pointers"
        ))),
        Err(error) => Err(Trouble::Failed(format!("BLDINDEX of data set {number}: {error}"))),
    }
}

/// The records of an index of chains as an index without them has them; their directories must say of each pointer in
/// which link it is.
fn merged(records: &[Bytes], key_len: usize) -> Result<Vec<Bytes>, String> {
    let (mut lists, mut links, mut directory) = (Vec::<Bytes>::new(), BTreeSet::new(), BTreeSet::new());
    for record in records {
        if aix::is_directory(record) {
            let read = Directory::read(record, key_len).map_err(|error| error.to_string())?;
            directory.extend(
                read.entries
                    .iter()
                    .map(|entry| (record[5..5 + key_len].to_vec(), *entry)),
            );
            continue;
        }
        let read = AixRecord::read(record).map_err(|error| error.to_string())?;
        let link = read.link.ok_or("a record of a chain has no number")?;
        if link.listed {
            let entries = read.pointers().map(|pointer| (aix::hash(pointer), link.number));
            links.extend(entries.map(|entry| (read.key.to_vec(), entry)));
        }
        let same = lists.last().is_some_and(|list| list[5..5 + key_len] == *read.key);
        if !same {
            let mut list = Vec::new();
            aix::begin(&mut list, read.kind, read.key);
            lists.push(list);
        }
        let Some(list) = lists.last_mut() else { continue };
        read.pointers().for_each(|pointer| aix::push(list, pointer));
    }
    if links == directory {
        Ok(lists)
    } else {
        Err(format!("the links have {links:?}, their directories {directory:?}"))
    }
}

fn examine(set: &DataSet) -> Result<(), Trouble> {
    let found = set.examine()?.findings;
    match found.first() {
        None => Ok(()),
        // What it could not read is a finding too.
        Some(first) if first.what.contains("[12/") => Err(Trouble::Failed(format!("EXAMINE: {}", first.what))),
        Some(first) => Err(Trouble::Wrong(format!(
            "EXAMINE: {} findings, first {first:?}",
            found.len()
        ))),
    }
}

/// A record of the base as contents are compared.
fn shown(shape: &Sphere, record: Record<'_>) -> Bytes {
    shape.base.shown(&shape.base.numbered(record.rba), record.bytes)
}

fn read_forward(string: &mut Str, of: impl Fn(Record<'_>) -> Bytes) -> Result<Vec<Bytes>, Trouble> {
    let mut records = Vec::new();
    loop {
        match string.next(Intent::Read) {
            Ok(record) => records.push(of(record)),
            Err(RequestError::EndOfData) => return Ok(records),
            // By a path that is not upgraded: the rest is compared by requests.
            Err(RequestError::Alternate { component: 2, .. }) => return Ok(records),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The reply with what a path's string adds to it.
fn answer(reply: Reply, string: &Str, request: &Request, path: bool) -> SphereAnswer {
    let tells = match request {
        Request::Insert { .. } | Request::Update { .. } | Request::Rewrite { .. } => true,
        Request::Get { .. } | Request::GetInto { .. } | Request::Skip { .. } => path,
        Request::Next { .. } | Request::Prev { .. } => path,
        _ => false,
    };
    let component = |error| string.feedback(&error).component;
    let reply = match reply {
        Reply::Refused(8, 4, _) => Reply::Refused(8, 4, component(RequestError::EndOfData)),
        Reply::Refused(8, 16, _) => Reply::Refused(8, 16, component(RequestError::NotFound)),
        other => other,
    };
    SphereAnswer {
        duplicate: tells && matches!(reply, Reply::Done | Reply::Record(_)) && string.duplicate(),
        reply,
    }
}

fn closed() -> Trouble {
    Trouble::Failed("the sphere is not open: an earlier OPEN failed".into())
}
