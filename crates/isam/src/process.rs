//! What a process has: a catalog, open files by their numbers, and at most one transaction.

use crate::building;
use crate::error::{Refused, EBADARG, ENOBEGIN, ENOTOPEN, ETOOMANY};
use crate::file::IsamFile;
use crate::key::Key;
use crate::mode::Mode;
use crate::name;
use cica::{Builder, Store, UnitOfRecovery};
use cica_catalog::Name;
use std::collections::HashSet;

/// Files that may be open at a time.
pub const MOST_FILES: usize = 4096;

/// See the module.
pub struct Process {
    /// The catalog, and the engine of this process.
    pub store: Store,
    files: Vec<Option<IsamFile>>,
    unit: Option<UnitOfRecovery>,
    /// What files that are closed have for the transaction: data set and prime key.
    kept: HashSet<(Name, Vec<u8>)>,
}

impl Process {
    /// The process's, begun by its first call that needs it. The catalog is made where a file is to be built.
    ///
    /// # Errors
    /// There is no usable catalog, or no memory.
    pub fn begun(process: &mut Option<Process>, build: bool) -> Result<&mut Process, Refused> {
        if process.is_none() {
            let builder = if build {
                Builder::default().create()
            } else {
                Builder::default()
            };
            *process = Some(Process {
                store: builder.open()?,
                files: Vec::new(),
                unit: None,
                kept: HashSet::new(),
            });
        }
        process.as_mut().ok_or_else(|| Refused::new(ENOTOPEN))
    }

    /// The process's, where a call has begun it: before that no file is open.
    ///
    /// # Errors
    /// ENOTOPEN.
    pub fn there(process: &mut Option<Process>) -> Result<&mut Process, Refused> {
        process.as_mut().ok_or_else(|| Refused::new(ENOTOPEN))
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As [`IsamFile::open`]; ETOOMANY.
    pub fn open(&mut self, file: &str, mode: i32) -> Result<usize, Refused> {
        self.open_as(&of_file(file)?, Mode::of(mode)?)
    }

    /// Opens the file of a data set.
    ///
    /// # Errors
    /// As [`IsamFile::open`]; ETOOMANY.
    pub fn open_as(&mut self, name: &Name, mode: Mode) -> Result<usize, Refused> {
        let free = self.free()?;
        let opened = IsamFile::open(self.store.session(), name, mode)?;
        self.put(free, opened);
        Ok(free)
    }

    /// Makes a file, and opens it.
    ///
    /// # Errors
    /// As [`building::build`] and [`open`](Self::open).
    pub fn build(&mut self, file: &str, (least, most): (usize, usize), key: &Key, mode: i32) -> Result<usize, Refused> {
        let (name, of) = (of_file(file)?, Mode::of(mode)?);
        if !of.writes {
            return Err(Refused::because(EBADARG, "a file is built for output or for both"));
        }
        self.build_as(&name, of, |store| building::build(store, &name, key, least, most))
    }

    /// Makes a data set by `make`, and opens its file.
    ///
    /// # Errors
    /// Those of `make` and of [`open`](Self::open).
    pub fn build_as(
        &mut self,
        name: &Name,
        mode: Mode,
        make: impl FnOnce(&Store) -> Result<(), Refused>,
    ) -> Result<usize, Refused> {
        let free = self.free()?;
        make(&self.store)?;
        let opened = IsamFile::open(self.store.session(), name, mode).inspect_err(|_| {
            // The next try finds the name free. What cannot be deleted is told as what could not be opened.
            let _ = building::delete(&self.store, &name.to_string());
        })?;
        self.put(free, opened);
        Ok(free)
    }

    fn free(&self) -> Result<usize, Refused> {
        let free = self.files.iter().position(Option::is_none).unwrap_or(self.files.len());
        if free < MOST_FILES {
            Ok(free)
        } else {
            Err(Refused::new(ETOOMANY))
        }
    }

    fn put(&mut self, number: usize, file: IsamFile) {
        if number == self.files.len() {
            self.files.push(None);
        }
        self.files[number] = Some(file);
    }

    /// An open file; its changes are the transaction's, if one has begun and it takes part.
    ///
    /// # Errors
    /// ENOTOPEN; ELOCKED where a lock could not be taken along into the transaction.
    pub fn file(&mut self, number: i32) -> Result<(&mut IsamFile, &Store), Refused> {
        let slot = usize::try_from(number)
            .ok()
            .and_then(|number| self.files.get_mut(number));
        let file = slot.and_then(Option::as_mut).ok_or_else(|| Refused::new(ENOTOPEN))?;
        if let Some(unit) = &self.unit {
            file.enter(unit)?;
        }
        Ok((file, &self.store))
    }

    /// Has another file of the same data set the record of this prime key, open or closed? Whoever waited for that
    /// would wait for this process itself.
    pub fn has_beside(&self, number: i32, prime: &[u8]) -> bool {
        let number = usize::try_from(number).ok();
        let Some(file) = number.and_then(|number| self.files.get(number)?.as_ref()) else {
            return false;
        };
        let mut others = self.files.iter().flatten().filter(|other| !std::ptr::eq(*other, file));
        others.any(|other| other.name == file.name && other.has(prime)) || self.is_kept(file, prime)
    }

    /// A file of the transaction has what another one had for that.
    fn is_kept(&self, file: &IsamFile, prime: &[u8]) -> bool {
        let kept = !self.kept.is_empty() && self.kept.contains(&(file.name.clone(), prime.to_vec()));
        kept && !file.is_in_unit()
    }

    /// Takes a file to work on it closed, and opens it anew under its number, whatever the work came to.
    ///
    /// # Errors
    /// The work's; where it was done, those of [`IsamFile::open`].
    pub fn reopen(
        &mut self,
        number: i32,
        work: impl FnOnce(IsamFile, &Store) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        self.file(number)?.0.check_alone()?;
        let slot = usize::try_from(number)
            .ok()
            .and_then(|number| self.files.get_mut(number));
        let mut file = slot.and_then(Option::take).ok_or_else(|| Refused::new(ENOTOPEN))?;
        let (name, mode, place) = (file.name.clone(), file.mode, file.place());
        self.kept.extend(file.kept().map(|prime| (name.clone(), prime)));
        let done = work(file, &self.store);
        let opened = IsamFile::open(self.store.session(), &name, mode);
        match (done, opened) {
            (done, Ok(mut opened)) => {
                opened.take_place(self.store.session(), place)?;
                self.put(usize::try_from(number).unwrap_or(0), opened);
                done
            }
            (Ok(()), Err(refused)) => Err(refused),
            (refused, Err(_)) => refused,
        }
    }

    /// Closes a file.
    ///
    /// # Errors
    /// ENOTOPEN; something could not be made durable.
    pub fn close(&mut self, number: i32) -> Result<(), Refused> {
        let slot = usize::try_from(number)
            .ok()
            .and_then(|number| self.files.get_mut(number));
        let mut file = slot.and_then(Option::take).ok_or_else(|| Refused::new(ENOTOPEN))?;
        let name = file.name.clone();
        self.kept.extend(file.kept().map(|prime| (name.clone(), prime)));
        file.close()
    }

    /// Closes all files; the first that could not be is told.
    ///
    /// # Errors
    /// Something could not be made durable.
    pub fn close_all(&mut self) -> Result<(), Refused> {
        let mut done = Ok(());
        for mut file in std::mem::take(&mut self.files).into_iter().flatten() {
            let name = file.name.clone();
            self.kept.extend(file.kept().map(|prime| (name.clone(), prime)));
            done = done.and(file.close());
        }
        done
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// One has begun.
    pub fn begin(&mut self) -> Result<(), Refused> {
        if self.unit.is_some() {
            return Err(Refused::because(
                EBADARG,
                "a transaction has begun already; iscommit or isrollback ends it",
            ));
        }
        self.unit = Some(self.store.unit());
        Ok(())
    }

    /// Ends it: its changes stand and are durable, or are taken back. All locks end with it.
    ///
    /// # Errors
    /// ENOBEGIN; it could not be, and then it is taken back.
    pub fn end(&mut self, commit: bool) -> Result<(), Refused> {
        let unit = self.unit.take().ok_or_else(|| Refused::new(ENOBEGIN))?;
        let done = if commit { unit.commit() } else { unit.backout() };
        self.files.iter_mut().flatten().for_each(IsamFile::leave);
        self.kept.clear();
        Ok(done?)
    }
}

/// The data set of a file.
///
/// # Errors
/// EFNAME.
pub fn of_file(file: &str) -> Result<Name, Refused> {
    name::data_set(file, |variable| std::env::var(variable).ok())
}
