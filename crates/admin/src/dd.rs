//! DD statements: what INFILE(dd) and OUTFILE(dd) mean in this run.
//!
//! 1. Each command that writes records to a DD begins its file anew, as each open for output of a data set does that is
//!    not MOD; DISP=MOD, of the text or of ALLOCATE, goes on behind what the file has. Listings are files that z/OS
//!    keeps open: one goes on behind those that the run has written to the DD, and not behind records. A portable copy
//!    is the only one of what it has once EXPORT has deleted that: nothing is written to its file in the same run.
//!    A file has its name when the command that begins it ends; until then, when the process dies, and when the command
//!    gives up, what was there stays, and the next command begins it anew.
//! 2. Relative generation numbers mean the same data sets throughout a run.
//! 3. A DD whose text is wrong is there, and refused with what is wrong by each command that names it. Others have
//!    nothing to do with it.

use cica_catalog::generation::Generation;
use cica_catalog::Name;
use cica_disk::{Disk, FileReader, NewFile};
use cica_qsam::DdText;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

/// DD names and what they stand for.
#[derive(Debug, Default)]
pub struct DdTable {
    /// Or what is wrong with the text (3).
    texts: BTreeMap<String, Result<DdText, String>>,
    /// Files that this run has begun (1).
    written: RefCell<BTreeMap<String, BegunFile>>,
    /// Data sets that the run has made.
    made: RefCell<BTreeSet<Name>>,
    /// The newest generation of a group when the run first named it.
    newest: RefCell<BTreeMap<Name, Option<Generation>>>,
}

/// What is written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Records: they begin it anew.
    Records,
    /// A listing: it goes on behind listings.
    Listing,
    /// A portable copy: nothing was there before of this run, and nothing follows.
    Copy,
}

/// A file that this run has begun.
#[derive(Debug)]
struct BegunFile {
    /// Did it come to its end?
    whole: Arc<AtomicBool>,
    has: Writing,
    path: PathBuf,
}

impl DdTable {
    /// Adds a DD statement, in place of an earlier one of that name.
    pub fn insert(&mut self, ddname: &str, text: DdText) {
        self.texts.insert(ddname.to_ascii_uppercase(), Ok(text));
    }

    /// Adds one that cannot be used, and why: where its text stands, and what is wrong there (see 3).
    pub fn insert_wrong(&mut self, ddname: &str, why: String) {
        self.texts.insert(ddname.to_ascii_uppercase(), Err(why));
    }

    /// Is there a statement of this name (upper case), be it right or wrong?
    pub fn has(&self, ddname: &str) -> bool {
        self.texts.contains_key(ddname)
    }

    /// What a DD name (upper case) stands for: a file, or a data set of the catalog.
    ///
    /// # Errors
    /// There is none, or its text is wrong.
    pub fn get<'t>(&'t self, ddname: &'t str) -> Result<&'t DdText, NoDd<'t>> {
        match self.texts.get(ddname) {
            Some(Ok(text)) => Ok(text),
            Some(Err(why)) => Err(NoDd::Wrong { why }),
            None => Err(NoDd::Missing { ddname }),
        }
    }

    /// All that can be used, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &DdText)> {
        let texts = self.texts.iter();
        texts.filter_map(|(name, text)| Some((name.as_str(), text.as_ref().ok()?)))
    }

    /// Opens the file of a DD to be read from its start.
    ///
    /// # Errors
    /// What the system says; `NotFound` also when there is no such DD statement.
    pub fn open(&self, disk: &dyn Disk, ddname: &str) -> io::Result<FileReader> {
        FileReader::open(disk, Path::new(&self.text(ddname)?.target))
    }

    /// Opens the file of a DD to be written, making it where it is not there (see 1).
    ///
    /// # Errors
    /// What the system says; `NotFound` also when there is no such DD statement.
    pub fn create(&self, disk: &Arc<dyn Disk>, ddname: &str, writing: Writing) -> io::Result<NewFile> {
        let text = self.text(ddname)?;
        self.create_at(disk, ddname, Path::new(&text.target), writing, text.behind)
    }

    /// Creates the file of a DD for a portable copy, which nothing may follow.
    ///
    /// # Errors
    /// What the system says; `NotFound` also when there is no such DD statement, `AlreadyExists` when this run wrote to
    /// it before.
    pub fn create_anew(&self, disk: &Arc<dyn Disk>, ddname: &str) -> io::Result<NewFile> {
        self.check_unwritten(ddname, self.text(ddname)?.behind)?;
        self.create(disk, ddname, Writing::Copy)
    }

    /// The same of the file of a data set.
    pub(crate) fn create_data_set_anew(&self, disk: &Arc<dyn Disk>, path: &Path, behind: bool) -> io::Result<NewFile> {
        self.check_unwritten(&path.to_string_lossy(), behind)?;
        self.create_data_set(disk, path, Writing::Copy, behind)
    }

    /// Does what is written to the file of a data set go behind listings of this run?
    pub(crate) fn has_listing_before(&self, path: &Path, writing: Writing) -> bool {
        self.follows(&path.to_string_lossy(), writing)
    }

    /// What this run has written to a file no longer counts: ALLOCATE names it anew.
    pub(crate) fn forget_written(&self, key: &str) {
        self.written.borrow_mut().remove(key);
    }

    /// One that was begun and not finished left what there was.
    fn has_written(&self, key: &str) -> bool {
        let written = self.written.borrow();
        written.get(key).is_some_and(|begun| begun.whole.load(Relaxed))
    }

    fn follows(&self, key: &str, writing: Writing) -> bool {
        let written = self.written.borrow();
        written.get(key).is_some_and(|begun| {
            let listings = begun.has == Writing::Listing && writing == Writing::Listing;
            listings && begun.whole.load(Relaxed)
        })
    }

    /// Notes that this run has begun the file of a data set anew.
    pub(crate) fn note_begun(&self, path: &Path, file: &NewFile, has: Writing) {
        self.begun(&path.to_string_lossy(), path, file, has);
    }

    fn begun(&self, key: &str, path: &Path, file: &NewFile, has: Writing) {
        let begun = BegunFile {
            whole: file.whole(),
            has,
            path: path.to_owned(),
        };
        self.written.borrow_mut().insert(key.to_owned(), begun);
    }

    /// Notes that this run has made a data set.
    pub(crate) fn note_made(&self, name: &Name) {
        self.made.borrow_mut().insert(name.clone());
    }

    /// Has it?
    pub(crate) fn made(&self, name: &Name) -> bool {
        self.made.borrow().contains(name)
    }

    fn check_unwritten(&self, key: &str, behind: bool) -> io::Result<()> {
        if behind {
            let words = format!("DISP=MOD: nothing can read a copy that stands behind something else in {key}");
            Err(io::Error::new(io::ErrorKind::AlreadyExists, words))
        } else if self.has_written(key) {
            let words = format!("an earlier command of this run wrote to {key}; give each copy a file of its own");
            Err(io::Error::new(io::ErrorKind::AlreadyExists, words))
        } else {
            Ok(())
        }
    }

    /// Refuses what would go over a copy of this run, or behind it, whatever the file is called.
    fn check_no_copy(&self, key: &str, path: &Path) -> io::Result<()> {
        let written = self.written.borrow();
        let is_copy = |begun: &BegunFile| begun.has == Writing::Copy && begun.path == path && begun.whole.load(Relaxed);
        if !written.values().any(is_copy) {
            return Ok(());
        }
        let words = format!(
            "an earlier command of this run wrote a copy to {key}, which would be lost; give each a file of its own"
        );
        Err(io::Error::new(io::ErrorKind::AlreadyExists, words))
    }

    /// Opens the file of a data set to be written, in the same way.
    pub(crate) fn create_data_set(
        &self,
        disk: &Arc<dyn Disk>,
        path: &Path,
        writing: Writing,
        behind: bool,
    ) -> io::Result<NewFile> {
        self.create_at(disk, &path.to_string_lossy(), path, writing, behind)
    }

    fn create_at(
        &self,
        disk: &Arc<dyn Disk>,
        key: &str,
        path: &Path,
        writing: Writing,
        behind: bool,
    ) -> io::Result<NewFile> {
        self.check_no_copy(key, path)?;
        if behind || self.follows(key, writing) {
            return NewFile::behind(disk, path).map(NewFile::all_or_nothing);
        }
        let file = NewFile::begin(disk, path)?;
        self.begun(key, path, &file, writing);
        Ok(file)
    }

    /// The newest generation of a group as of the first call for it in this run; `now` is the newest at this moment.
    pub(crate) fn newest(&self, base: &Name, now: Option<Generation>) -> Option<Generation> {
        *self.newest.borrow_mut().entry(base.clone()).or_insert(now)
    }

    /// What a DD name stands for.
    ///
    /// # Errors
    /// `NotFound`: there is no such DD statement. `InvalidInput`: its text is wrong.
    pub(crate) fn text<'t>(&'t self, ddname: &'t str) -> io::Result<&'t DdText> {
        self.get(ddname).map_err(|missing| {
            let kind = match missing {
                NoDd::Missing { .. } => io::ErrorKind::NotFound,
                NoDd::Wrong { .. } => io::ErrorKind::InvalidInput,
            };
            io::Error::new(kind, missing.to_string())
        })
    }
}

/// Why a DD name stands for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDd<'t> {
    /// There is no such DD statement.
    Missing {
        /// Its name.
        ddname: &'t str,
    },
    /// There is one, and its text is wrong.
    Wrong {
        /// Where it stands, and what is wrong with it.
        why: &'t str,
    },
}

impl fmt::Display for NoDd<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoDd::Missing { ddname } => {
                write!(f, "there is no DD statement {ddname}; give --dd {ddname}=FILE")
            }
            NoDd::Wrong { why } => f.write_str(why),
        }
    }
}
