//! An open file of a program: the data set, its strings, and the file position.
//!
//! | phase | reads | writes | by | to |
//! |---|---|---|---|---|
//! | absent: empty, or an optional file that is not there | end, not found | - | CLOSE | closed |
//! | loading: open for output, empty | end, not found | load | a key out of order; if read too, a record | ready |
//! | ready | strings | strings | CLOSE | closed |

use crate::alternate::{Alternate, IndexError};
use crate::as_read::AsRead;
use crate::bias::{Bias, Served};
use crate::code_set::CodeSet;
use crate::fd::Fd;
use crate::loaded_keys::LoadedKeys;
use crate::plain::Plain;
use crate::process::found_before;
use crate::record::By;
use crate::record_lock::{Locks, SharedLocks};
use crate::source::Source;
use crate::status::{note, Outcome};
use crate::tell::{tell, CICA1226W, CICA1227I};
use cica_engine::{Access, DataSet, OpenOptions, Str};
use cica_qsam::BlockCounts;
use cica_session::{SessionError, Sharing};
use std::ffi::c_int;
use std::fmt::Display;

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
    /// At a record that another has locked.
    Locked,
    /// None.
    Lost,
    /// None, and there were no records when START asked for one.
    NothingThere,
}

/// See the module.
pub struct OpenFile {
    /// What the FD says.
    pub fd: Fd,
    /// Offset and length of the prime key.
    pub key: (usize, usize),
    /// What records go by.
    pub by: By,
    /// Number or address of the record of the last request.
    pub number: u64,
    /// Opened I-O or EXTEND: what it changes belongs to the run unit's unit of recovery.
    pub recoverable: bool,
    /// The data set is read as well: I-O.
    pub reads: bool,
    /// Its alternate indexes may refuse a record: after the first one they are built and kept up (A3).
    pub refuses: bool,
    /// READ goes from the last record to the first.
    pub reversed: bool,
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
    /// Alternate keys, in the FD's order.
    pub(crate) alternates: Vec<Alternate>,
    /// The key of reference: 0 is the prime key, n the n-th alternate key.
    pub(crate) reference: usize,
    pub(crate) loaded: LoadedKeys,
    /// The record to be stored, where it is not the program's as it is.
    pub(crate) stored: Vec<u8>,
    /// The data set is in another code than the program's records.
    pub code_set: Option<CodeSet>,
    /// The record read last, where a copybook has signs in it.
    pub as_read: Option<AsRead>,
    /// A record is stored as the program gives it.
    pub as_given: bool,
    /// Record locks.
    pub locks: Locks,
    pub(crate) report: ReasonSink,
    /// DUMMY: what is written is gone.
    pub dummy: bool,
    /// It is no data set of VSAM's.
    pub plain: Option<Box<Plain>>,
    /// What messages call that.
    pub name: String,
    /// The program's name of it, until it is told that records have bytes that are no characters.
    untold: Option<String>,
    /// Keeps writers off a data set without records that is open for input: it is not open in the engine.
    guard: Guard,
    /// What such a data set has at its owner, where it is shared: an open through which nothing is asked.
    seat: Option<DataSet>,
    pub(crate) data_set: Option<DataSet>,
    pub(crate) source: Option<Source>,
    /// How the data set was opened.
    pub(crate) options: OpenOptions,
    /// Its strings are the unit of recovery's.
    pub(crate) in_unit: bool,
    /// What AMP says of system-managed buffering.
    pub(crate) bias: Option<Box<Bias>>,
}

/// A lock of a data component that is not open in the engine.
type Guard = Option<Box<dyn cica_disk::File>>;

/// Who is told why a request failed.
pub type ReasonSink = Box<dyn Fn(&dyn Display) + Send>;

impl OpenFile {
    /// Opens a data set. One without records may be opened for input: there is nothing to read then.
    ///
    /// # Errors
    /// The session's reasons.
    pub fn open(source: Source, fd: Fd, options: OpenOptions, report: ReasonSink) -> Result<OpenFile, OpenError> {
        let mut file = OpenFile::absent(fd);
        (file.source, file.report) = (Some(source), report);
        match file.attach(options) {
            Err(error) if options.access == Access::Input && error.outcome() != Outcome::InUse && file.is_empty() => {
                (file.guard, file.seat) = file.hold_empty(options)?;
                if file.is_empty() {
                    // For the engine that is no data set to read; for a program it is one without records.
                    note(8, 0, EMPTY)
                } else {
                    // It was loaded meanwhile.
                    file.guard = None;
                    file.give_seat_back();
                    file.attach(options)?;
                }
                Ok(file)
            }
            done => done.map(|()| file),
        }
    }

    /// What an open for input has of a data set without records: a lock, or where it is shared a seat at its owner. The
    /// program goes on with what it saw when it opened the file, whatever others put into it.
    fn hold_empty(&self, options: OpenOptions) -> Result<(Guard, Option<DataSet>), OpenError> {
        match &self.source {
            None => Ok((None, None)),
            Some(source) if source.sharing != Sharing::On => Ok((self.keep_writers_off(options.alone)?, None)),
            Some(_) => match self.take_seat(options) {
                Ok(seat) => Ok((None, seat)),
                // Those who do not share may read it, and then no owner can have it.
                Err(error) if error.outcome() == Outcome::InUse && !options.alone => {
                    Ok((self.keep_writers_off(false).map_err(|_| error)?, None))
                }
                Err(error) => Err(error),
            },
        }
    }

    /// The lock that an open for input has.
    fn keep_writers_off(&self, alone: bool) -> Result<Guard, OpenError> {
        let Some(source) = &self.source else { return Ok(None) };
        let (data, _) = cica_session::files(&source.catalog, &source.cluster)?;
        let how = cica_disk::Open {
            lock: if alone {
                cica_disk::Lock::Exclusive
            } else {
                cica_disk::Lock::Shared
            },
            ..cica_disk::Open::default()
        };
        source.session.disk.open(&data, how).map(Some).map_err(|error| {
            let error = match error.kind() {
                std::io::ErrorKind::WouldBlock => cica_engine::OpenError::in_use(&*source.session.disk, &data, how),
                _ => cica_engine::OpenError::Io {
                    path: data,
                    doing: "lock",
                    error,
                },
            };
            OpenError::Session(error.into())
        })
    }

    /// Its owner is to know who has a shared data set open, and who wants it for himself, though there is nothing to
    /// read. As the owner can open it: for output, which changes nothing.
    fn take_seat(&self, options: OpenOptions) -> Result<Option<DataSet>, OpenError> {
        let Some(source) = &self.source else { return Ok(None) };
        let options = OpenOptions {
            access: Access::Output,
            ..options
        };
        match source.open(&source.base_alone(), options).map_err(OpenError::from) {
            Ok(seat) => Ok(Some(seat)),
            Err(error) if error.outcome() == Outcome::InUse => Err(error),
            // Who may only read it has no seat.
            Err(_) => Ok(None),
        }
    }

    fn give_seat_back(&mut self) {
        if let Some(seat) = self.seat.take() {
            // Nothing was changed through it.
            let _ = seat.close();
        }
    }

    /// An optional file that is not there.
    pub fn absent(fd: Fd) -> OpenFile {
        let alternates = fd.alternates.iter().copied().map(Alternate::new).collect();
        let as_given = fd.head == 0;
        OpenFile {
            key: fd.key.unwrap_or((0, size_of::<u32>())),
            by: By::of(&fd),
            number: 0,
            fd,
            recoverable: false,
            reads: false,
            refuses: false,
            reversed: false,
            phase: Phase::Absent,
            position: Position::Opened,
            start: Vec::new(),
            written: None,
            wrote: false,
            last_read: Vec::new(),
            reader: None,
            changer: None,
            alternates,
            reference: 0,
            loaded: LoadedKeys::default(),
            stored: Vec::new(),
            code_set: None,
            as_read: None,
            as_given,
            locks: Locks::default(),
            report: Box::new(|_| ()),
            dummy: false,
            plain: None,
            name: String::new(),
            untold: None,
            guard: None,
            seat: None,
            data_set: None,
            source: None,
            options: OpenOptions::default(),
            in_unit: false,
            bias: None,
        }
    }

    /// DUMMY.
    pub fn dummy(fd: Fd) -> OpenFile {
        OpenFile {
            dummy: true,
            ..OpenFile::absent(fd)
        }
    }

    /// Was it never loaded?
    pub(crate) fn is_empty(&self) -> bool {
        let Some(source) = &self.source else { return true };
        let files = cica_session::files(&source.catalog, &source.cluster);
        files.is_ok_and(|(data, _)| {
            let root = source.session.engine.peek(&data);
            root.is_ok_and(|root| root.levels == 0 && root.log.log == 0)
        })
    }

    /// Is it open for input, without records, and keeps writers off?
    pub(crate) fn has_guard(&self) -> bool {
        self.guard.is_some()
    }

    /// Are there records to read?
    pub fn has_records(&self) -> bool {
        self.phase == Phase::Ready
    }

    pub(crate) fn attach(&mut self, options: OpenOptions) -> Result<(), OpenError> {
        let Some(source) = &self.source else { return Ok(()) };
        let options = OpenOptions {
            buffers: source.buffers,
            ..options
        };
        let loads = options.access == Access::Output && (options.reset || self.is_empty());
        let (catalog, engine) = (&source.catalog, &source.session.engine);
        let data_set = if loads && !source.indexes.is_empty() {
            let anew = options.reset && !self.is_empty();
            source.indexes_can_be_emptied(anew)?;
            if anew {
                // A1: the indexes go first, while nobody else has the base.
                let plain = OpenOptions {
                    reset: false,
                    ..options
                };
                let base = cica_session::open(catalog, engine, &source.base_alone(), plain)?;
                source.empty_indexes()?;
                base.close().map_err(IndexError::Request)?;
            }
            let options = OpenOptions {
                reset_anyway: options.reset,
                ..options
            };
            self.refuses = source.index_may_refuse(self.fd.alternates.len())?;
            let alone = cica_session::open(catalog, engine, &source.base_alone(), options)?;
            source.empty_indexes()?;
            alone
        } else {
            if !self.is_empty() {
                source.build_indexes(false)?;
            }
            source.open(&source.cluster, options)?
        };
        self.options = options;
        self.take_strings(data_set)
    }

    /// Locks of a file that is shared are known to all who share it.
    pub(crate) fn share_locks(&mut self) {
        let rls = self.source.as_ref().and_then(|source| source.rls);
        let shared = self.data_set.as_ref().filter(|data_set| data_set.is_far());
        let unsaid = self.locks.unsaid;
        self.locks.shared = shared.map(|data_set| SharedLocks::new(rls, data_set.attributes().organization, unsaid));
    }

    /// Is the data set another process's, which others ask too?
    pub fn is_shared(&self) -> bool {
        self.data_set.as_ref().is_some_and(DataSet::is_far)
    }

    /// UNLOCK, COMMIT or ROLLBACK.
    pub fn unlock_all(&mut self) {
        self.locks.unlock_all();
        self.give_locks_back();
    }

    /// Before a READ.
    #[inline]
    pub fn before_read(&mut self, options: c_int) {
        self.locks.before_read(options);
        self.give_locks_back();
    }

    /// A READ has found a record that the program does not get.
    pub fn give_back_read(&mut self) {
        self.locks.give_back_read();
        self.give_locks_back();
    }

    /// After a REWRITE or DELETE of the record with this key, or before a WRITE.
    #[inline]
    pub fn after_change(&mut self, options: c_int, key: &[u8]) {
        self.locks.after_change(options, key);
        self.give_locks_back();
    }

    /// A WRITE, REWRITE or DELETE is over: the unit of recovery may be large or old enough to end.
    #[inline]
    pub fn changed(&mut self, done: Result<(), Outcome>) -> Result<(), Outcome> {
        if self.recoverable && matches!(done, Ok(()) | Err(Outcome::DuplicateFollows)) {
            crate::unit::changed().map_err(|reason| {
                (self.report)(&reason);
                Outcome::Failed
            })?;
        }
        done
    }

    /// All who share the file hear what is locked no more.
    #[inline]
    fn give_locks_back(&mut self) {
        if let (Some(shared), Some(reader)) = (&mut self.locks.shared, &mut self.reader) {
            shared.give_back(reader);
        }
    }

    /// From now on records are in this code; `file` is the program's name of it.
    pub(crate) fn translate(&mut self, code_set: CodeSet, file: &str) {
        self.untold = code_set.throughout.then(|| file.to_string());
        self.as_read = code_set.has_signs().then(AsRead::default);
        (self.code_set, self.as_given) = (Some(code_set), false);
    }

    /// The first `length` bytes of the record area as they are stored: in the data set's code, behind the head.
    pub(crate) fn store(&self, area: &[u8], length: usize, to: &mut Vec<u8>) {
        to.clear();
        to.resize(self.fd.head, 0);
        to.extend_from_slice(area);
        let (head, record) = to.split_at_mut(self.fd.head);
        if let Some(code_set) = &self.code_set {
            code_set.to_stored(record, 0);
            if let Some(as_read) = &self.as_read {
                as_read.keep(code_set, record);
            }
        }
        self.fd.gather(record, head);
        to.truncate(self.fd.head + length);
    }

    /// Tells, once, of a record that has bytes that are no characters where all are taken for such. It is as stored.
    pub(crate) fn look_for_numbers(&mut self, record: &[u8]) {
        let Some(code_set) = self.code_set.as_ref().filter(|_| self.untold.is_some()) else {
            return;
        };
        let Some(at) = code_set.no_character(record) else {
            return;
        };
        if let Some(file) = self.untold.take() {
            let (byte, at) = (format!("X'{:02X}'", record[at]), at + 1);
            tell(&CICA1226W, &[("file", &file), ("byte", &byte), ("at", &at)]);
        }
    }

    /// The prime key in a record.
    #[inline]
    pub fn key_of<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let (offset, length) = self.key;
        record.get(offset..offset + length).unwrap_or_default()
    }

    /// Has the data set never had a record before, and has got them here since?
    pub(crate) fn is_loading(&self) -> bool {
        self.phase == Phase::Loading
    }

    /// The data set's name, for messages.
    pub fn data_set_name(&self) -> String {
        match &self.source {
            Some(source) => source.cluster.name.to_string(),
            None => self.name.clone(),
        }
    }

    /// Tells what serves the open, if AMP asks for that.
    pub(crate) fn tell_bias(&self) {
        if let Some(bias) = &self.bias {
            let served = Served {
                open: self.source.as_ref().zip(self.data_set.as_ref()),
                reads: self.reads,
                in_order: self.options.access == Access::Input && self.fd.in_order(),
            };
            bias.tell_open(&self.data_set_name(), &served);
        }
    }

    /// Is it open for output?
    pub fn may_change(&self) -> bool {
        self.changer.is_some()
    }

    /// Everything acknowledged becomes durable.
    pub fn commit(&self) -> Result<(), Outcome> {
        match &self.data_set {
            Some(data_set) => data_set.commit().map_err(|error| {
                (self.report)(&error);
                Outcome::of_request(&error)
            }),
            None => Ok(()),
        }
    }

    /// Closes; everything is durable then, and alternate indexes of what was loaded are built.
    pub fn close(&mut self) -> Result<(), Outcome> {
        self.unlock_all();
        self.give_seat_back();
        (self.reader, self.changer, self.guard) = (None, None, None);
        let loaded = std::mem::replace(&mut self.phase, Phase::Absent) == Phase::Loading;
        (self.reference, self.loaded) = (0, LoadedKeys::default());
        if let Some(mut plain) = self.plain.take() {
            let counts = plain.close().map_err(|error| {
                (self.report)(&error);
                Outcome::Failed
            })?;
            if let Some(BlockCounts {
                requests,
                blocks,
                block_size,
            }) = counts
            {
                if let Some(session) = found_before() {
                    session.count_blocks(&self.name, blocks, block_size);
                }
                let (name, blocks, requests) = (&self.name, &blocks, &requests);
                tell(
                    &CICA1227I,
                    &[("name", name), ("blocks", blocks), ("requests", requests)],
                );
            }
            return Ok(());
        }
        let Some(data_set) = self.data_set.take() else {
            return Ok(());
        };
        self.alternates.iter_mut().for_each(Alternate::let_go);
        let closed = match &self.bias {
            Some(bias) => bias.close(&self.data_set_name(), data_set),
            None => data_set.close(),
        };
        closed.map_err(|error| {
            (self.report)(&error);
            Outcome::of_request(&error)
        })?;
        match &self.source {
            Some(source) if loaded && !source.indexes.is_empty() && !self.is_empty() => {
                source.build_indexes(true).map_err(|error| {
                    (self.report)(&error);
                    Outcome::Failed
                })
            }
            _ => Ok(()),
        }
    }
}

/// ACBERFLG of an OPEN of a data set that was never loaded, and that is to be read.
pub(crate) const EMPTY: u8 = 160;

/// Why a file cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The session's reasons.
    Session(SessionError),
    /// An alternate index is not as it must be.
    Index(IndexError),
    /// It cannot belong to the run unit's unit of recovery.
    Unit(String),
}

impl OpenError {
    /// What the program is told.
    pub fn outcome(&self) -> Outcome {
        match self {
            OpenError::Session(error) | OpenError::Index(IndexError::Open(error)) => Outcome::of_open(error),
            OpenError::Index(IndexError::Request(error)) => Outcome::of_request(error),
            OpenError::Index(IndexError::Build(..) | IndexError::LeftOut(..)) => Outcome::Failed,
            OpenError::Unit(_) => Outcome::InUse,
        }
    }
}

impl From<SessionError> for OpenError {
    fn from(error: SessionError) -> OpenError {
        OpenError::Session(error)
    }
}

impl From<IndexError> for OpenError {
    fn from(error: IndexError) -> OpenError {
        OpenError::Index(error)
    }
}

impl Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Session(error) => error.fmt(f),
            OpenError::Index(error) => error.fmt(f),
            OpenError::Unit(reason) => f.write_str(reason),
        }
    }
}
