//! Alternate keys of an open file: the alternate indexes of its data set, and the paths that a program reads through.
//!
//! * A1. An alternate index is never left about other records than its base has: it is emptied before the base is, and
//!   built when the base's load is over. A build is whole or did not happen.
//!   A base with alternate indexes is never REUSE; OPEN OUTPUT empties it if all its indexes are.
//! * A2. Where a base has records and an index was never built, as after a load that was killed, OPEN builds it.
//! * A3. Nothing is left out of an index without a word: what a build would leave out ends it, and a load that an index
//!   could refuse a record of is one of a single record, so that the WRITE is refused whose record does not fit.

use crate::fd::{AlternateKey, Fd};
use crate::source::Source;
use cica_catalog::entry::Aix;
use cica_catalog::{Contents, Entry, Name};
use cica_engine::{
    Access, Build, BuildError, DataSet, Files, OpenError, OpenOptions, RequestError, Str, UnitOfRecovery,
};
use cica_session::{as_cluster, Reached, SessionError};
use std::ops::ControlFlow;
use std::path::Path;

/// Memory that the sort of a build may use.
const SORT_MEMORY: usize = 64 << 20;

/// An alternate key of an open file.
pub struct Alternate {
    /// What the FD says of it.
    pub key: AlternateKey,
    /// Reads through the path; none as long as there are no records.
    pub reader: Option<Str>,
    path: Option<DataSet>,
}

impl Alternate {
    /// One that leads nowhere yet.
    pub fn new(key: AlternateKey) -> Alternate {
        Alternate {
            key,
            reader: None,
            path: None,
        }
    }

    /// Opens the path through an alternate index, which is read by such a string.
    ///
    /// # Errors
    /// The session's reasons.
    pub fn open(
        &mut self,
        source: &Source,
        aix: &Aix,
        access: Access,
        string: impl FnOnce(&DataSet) -> Str,
    ) -> Result<(), SessionError> {
        let through = Reached {
            way: Some(Box::new(aix.clone())),
            ..source.cluster.clone()
        };
        let options = OpenOptions {
            access,
            ..OpenOptions::default()
        };
        let path = source.open(&through, options)?;
        let reader = string(&path);
        self.path = Some(path);
        self.read_through(reader);
        Ok(())
    }

    fn read_through(&mut self, mut reader: Str) {
        // As libcob's READ PREVIOUS does.
        reader.mirror_duplicates();
        self.reader = Some(reader);
    }

    /// From now on it reads within a unit of recovery.
    pub fn join(&mut self, unit: &UnitOfRecovery) {
        if let Some(reader) = self.path.as_ref().map(|path| path.string_in(unit)) {
            self.read_through(reader);
        }
    }

    /// Lets go of the path. Nothing was changed through it, and a close of it would write the log for what the file
    /// has changed, which the file's own close commits.
    pub fn let_go(&mut self) {
        (self.reader, self.path) = (None, None);
    }
}

/// Why an alternate index is not as it should be.
#[derive(Debug)]
pub enum IndexError {
    /// It cannot be opened.
    Open(SessionError),
    /// It cannot be emptied, or closed.
    Request(RequestError),
    /// It was not built.
    Build(Name, BuildError),
    /// It was not built, because it does not take a record of the base.
    LeftOut(Name, String),
}

impl std::fmt::Display for IndexError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            IndexError::Open(error) => error.fmt(f),
            IndexError::Request(error) => error.fmt(f),
            IndexError::Build(name, error) => write!(f, "alternate index {name}: {error}"),
            IndexError::LeftOut(name, what) => write!(f, "alternate index {name} was not built: {what}"),
        }
    }
}

/// The alternate indexes of a base that a file must keep up: for each alternate key of the FD, in its order, the one
/// that has it; then the others of the upgrade set. In words: which alternate key has none.
///
/// # Errors
/// See above.
pub fn indexes(fd: &Fd, contents: &Contents, base: &Name) -> Result<Vec<Aix>, String> {
    let mut rest: Vec<&Aix> = contents
        .related(base)
        .filter_map(|entry| match entry {
            Entry::Aix(aix) => Some(&**aix),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for key in &fd.alternates {
        let is = |aix: &&Aix| {
            let has = aix.alternate_key;
            (has.offset as usize, usize::from(has.length)) == (key.offset, key.length)
        };
        let (length, offset) = (key.length, key.offset);
        let at = rest.iter().position(is).ok_or_else(|| {
            format!("no alternate index has the program's alternate key of {length} bytes at offset {offset}")
        })?;
        let aix = rest.remove(at);
        // The other way round the data set has the last word: what it takes the program is told of by status 02.
        if aix.unique_key && key.duplicates {
            return Err(format!(
                "the alternate key at offset {offset} is WITH DUPLICATES in the program, and {} is UNIQUEKEY",
                aix.name
            ));
        }
        if aix.suppressed != key.suppressed {
            let words = |byte: Option<u8>| byte.map_or("none".into(), |byte| format!("X'{byte:02X}'"));
            return Err(format!(
                "the alternate key at offset {offset} has SUPPRESS {} in the program, and {} {}",
                words(key.suppressed),
                aix.name,
                words(aix.suppressed)
            ));
        }
        found.push(aix.clone());
    }
    found.extend(rest.into_iter().filter(|aix| aix.upgrade).cloned());
    Ok(found)
}

impl Source {
    fn index_files(&self, aix: &Aix) -> Result<Files, SessionError> {
        let (data, index) = cica_session::files(&self.catalog, &as_cluster(aix))?;
        Ok(Files { data, index })
    }

    /// Says, before the base is loaded, whether all its indexes can be emptied (A1); `anew`: it has records now.
    ///
    /// # Errors
    /// One of them would have to be, and was defined NOREUSE.
    pub fn indexes_can_be_emptied(&self, anew: bool) -> Result<(), SessionError> {
        for aix in &self.indexes {
            let root = self.session.engine.peek(&self.index_files(aix)?.data)?;
            if (anew || root.levels > 0) && !root.attributes.reuse {
                return Err(SessionError::Open(OpenError::Attributes {
                    what: format!("its alternate index {} was defined NOREUSE", aix.name),
                }));
            }
        }
        Ok(())
    }

    /// Whether a record that is loaded could be one that an index does not take, other than by a key that the program
    /// has as a unique one (A3).
    ///
    /// # Errors
    /// The session's reasons.
    pub fn index_may_refuse(&self, known: usize) -> Result<bool, SessionError> {
        for (place, aix) in self.indexes.iter().enumerate() {
            let root = self.session.engine.peek(&self.index_files(aix)?.data)?;
            let ends = root.attributes.alternate.is_some_and(|of| !of.unique && !of.chained);
            if ends || (aix.unique_key && place >= known) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Empties the indexes of a base that is to be loaded (A1).
    ///
    /// # Errors
    /// It cannot be opened, or not written.
    pub fn empty_indexes(&self) -> Result<(), IndexError> {
        for aix in &self.indexes {
            let files = self.index_files(aix).map_err(IndexError::Open)?;
            let engine = &self.session.engine;
            let opened = |error: OpenError| IndexError::Open(error.into());
            if engine.peek(&files.data).map_err(opened)?.levels == 0 {
                continue;
            }
            let options = OpenOptions {
                access: Access::Output,
                reset: true,
                ..OpenOptions::default()
            };
            let emptied = engine.open(&files.data, &files.index, options).map_err(opened)?;
            emptied.close().map_err(IndexError::Request)?;
        }
        Ok(())
    }

    /// Builds the indexes, all of them or those that were never built (A2), from the base, which nobody has open for
    /// output.
    ///
    /// # Errors
    /// The base cannot be read, or an index not written.
    pub fn build_indexes(&self, all: bool) -> Result<(), IndexError> {
        for aix in &self.indexes {
            let files = self.index_files(aix).map_err(IndexError::Open)?;
            let engine = &self.session.engine;
            let built = engine.peek(&files.data).map_err(|e| IndexError::Open(e.into()))?.levels > 0;
            if built && !all {
                continue;
            }
            let plain = self.base_alone();
            let base = cica_session::open(&self.catalog, engine, &plain, OpenOptions::default());
            let base = base.map_err(IndexError::Open)?;
            let mut left_out = None;
            let build = Build {
                work: files.data.parent().unwrap_or(Path::new(".")),
                memory: SORT_MEMORY,
                progress: &mut |_| (),
                omitted: &mut |omitted| {
                    left_out = Some(omitted.to_string());
                    ControlFlow::Break(())
                },
            };
            let done = engine.build_index(&base, &files, build);
            base.close().map_err(IndexError::Request)?;
            match (done, left_out) {
                (_, Some(what)) => return Err(IndexError::LeftOut(aix.name.clone(), what)),
                (done, None) => done.map_err(|error| IndexError::Build(aix.name.clone(), error))?,
            };
        }
        Ok(())
    }

    /// A data set that was never loaded, and its indexes, become ones that have no records.
    ///
    /// # Errors
    /// It cannot be opened, or an index not written.
    pub fn load_nothing(&self) -> Result<(), IndexError> {
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        let base = cica_session::open(&self.catalog, &self.session.engine, &self.base_alone(), options);
        let base = base.map_err(IndexError::Open)?;
        base.end_load().map_err(IndexError::Request)?;
        base.close().map_err(IndexError::Request)?;
        self.build_indexes(true)
    }

    /// The base without its upgrade set.
    pub fn base_alone(&self) -> Reached {
        Reached {
            update: false,
            ..self.cluster.clone()
        }
    }
}
