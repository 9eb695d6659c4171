//! An open file of a program: the data set, its strings, and the file position.
//!
//! | phase | reads | writes | by | to |
//! |---|---|---|---|---|
//! | absent: empty, or an optional file that is not there | end, not found | - | CLOSE | closed |
//! | loading: open for output, empty | end, not found | load | a key out of order; if read too, a record | ready |
//! | ready | strings | strings | CLOSE | closed |

use crate::fd::Fd;
use crate::libcob::layout::organization;
use crate::status::{note, Outcome};
use cica_catalog::Catalog;
use cica_engine::{Access, DataSet, OpenOptions, RequestError, Str};
use cica_session::{Reached, Session, SessionError};
use std::sync::Arc;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// There are no records to read.
    Absent,
    /// There are none yet.
    Loading,
    /// There are records.
    Ready,
}

/// See [`crate::indexed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// As OPEN set it.
    Opened,
    /// As START set it.
    At,
    /// The reading string's.
    Strings,
    /// None.
    Lost,
}

/// See the module.
pub struct OpenFile {
    /// What the FD says.
    pub fd: Fd,
    /// Offset and length of the prime key.
    pub key: (usize, usize),
    /// Records have numbers: a relative file.
    pub numbered: bool,
    /// Number of the record of the last request.
    pub number: u32,
    /// The data set is read as well: I-O.
    pub reads: bool,
    pub(crate) phase: Phase,
    pub(crate) position: Position,
    /// Key that START found.
    pub(crate) start: Vec<u8>,
    /// In sequential access the key that the next one must be above.
    pub(crate) written: Option<Vec<u8>>,
    /// By a WRITE of this open, not by EXTEND.
    pub(crate) wrote: bool,
    /// Key of the last record read, in sequential access of an I-O file.
    pub last_read: Vec<u8>,
    pub(crate) reader: Option<Str>,
    pub(crate) changer: Option<Str>,
    pub(crate) told: Box<dyn Fn(&RequestError) + Send>,
    data_set: Option<DataSet>,
    source: Option<Source>,
}

/// Where the data set is.
pub struct Source {
    /// The session.
    pub session: &'static Session,
    /// Its catalog.
    pub catalog: Arc<Catalog>,
    /// Its entry.
    pub cluster: Reached,
}

impl OpenFile {
    /// Opens a data set. One without records may be opened for input: there is nothing to read then.
    ///
    /// # Errors
    /// The session's reasons.
    pub fn open(
        source: Source,
        fd: Fd,
        options: OpenOptions,
        told: Box<dyn Fn(&RequestError) + Send>,
    ) -> Result<OpenFile, SessionError> {
        let mut file = OpenFile::absent(fd);
        (file.source, file.told) = (Some(source), told);
        match file.attach(options) {
            Err(error) if options.access == Access::Input && file.is_empty() => {
                // For the engine that is no data set to read; for a program it is one without records.
                note(8, 0, error.acberflg());
                Ok(file)
            }
            done => done.map(|()| file),
        }
    }

    /// An optional file that is not there.
    pub fn absent(fd: Fd) -> OpenFile {
        OpenFile {
            key: fd.key.unwrap_or((0, size_of::<u32>())),
            numbered: fd.organization == organization::RELATIVE,
            number: 0,
            fd,
            reads: false,
            phase: Phase::Absent,
            position: Position::Opened,
            start: Vec::new(),
            written: None,
            wrote: false,
            last_read: Vec::new(),
            reader: None,
            changer: None,
            told: Box::new(|_| ()),
            data_set: None,
            source: None,
        }
    }

    /// Was it never loaded?
    fn is_empty(&self) -> bool {
        let Some(source) = &self.source else { return true };
        let files = cica_session::files(&source.catalog, &source.cluster);
        files.is_ok_and(|(data, _)| {
            let root = source.session.engine.peek(&data);
            root.is_ok_and(|root| root.levels == 0 && root.log.log == 0)
        })
    }

    /// Are there records to read?
    pub fn has_records(&self) -> bool {
        self.phase == Phase::Ready
    }

    fn attach(&mut self, options: OpenOptions) -> Result<(), SessionError> {
        let Some(source) = &self.source else { return Ok(()) };
        let data_set = cica_session::open(&source.catalog, &source.session.engine, &source.cluster, options)?;
        self.phase = match data_set.loading() {
            true => Phase::Loading,
            false => Phase::Ready,
        };
        self.reader = Some(data_set.string());
        if options.access == Access::Output {
            self.changer = Some(data_set.string());
        }
        self.data_set = Some(data_set);
        Ok(())
    }

    /// From loading to ready: what was loaded is complete, and the data set is opened anew.
    pub(crate) fn end_load(&mut self) -> Result<(), Outcome> {
        self.close()?;
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        self.attach(options).map_err(|error| Outcome::of_open(&error))
    }

    /// EXTEND: keys go on above the last one.
    pub(crate) fn go_to_the_end(&mut self) -> Result<(), Outcome> {
        if self.phase != Phase::Ready || self.numbered {
            return Ok(());
        }
        let (offset, length) = self.key;
        let last = self
            .read_way(crate::indexed::Way::Last)
            .map(|r| r[offset..offset + length].to_vec());
        match last {
            Ok(key) => self.written = Some(key),
            Err(Outcome::End) => {}
            Err(outcome) => return Err(outcome),
        }
        Ok(())
    }

    /// The prime key in a record.
    #[inline]
    pub fn key_of<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let (offset, length) = self.key;
        record.get(offset..offset + length).unwrap_or_default()
    }

    /// Is it open for output?
    pub fn may_change(&self) -> bool {
        self.changer.is_some()
    }

    /// Everything acknowledged becomes durable.
    pub fn commit(&self) -> Result<(), Outcome> {
        match &self.data_set {
            Some(data_set) => data_set.commit().map_err(|error| {
                (self.told)(&error);
                Outcome::Failed
            }),
            None => Ok(()),
        }
    }

    /// Closes; everything is durable then.
    pub fn close(&mut self) -> Result<(), Outcome> {
        (self.reader, self.changer) = (None, None);
        let Some(data_set) = self.data_set.take() else {
            return Ok(());
        };
        data_set.close().map(drop).map_err(|error| {
            (self.told)(&error);
            Outcome::of_request(&error)
        })
    }
}
