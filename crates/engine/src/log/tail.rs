//! The tail of a log: what was answered and is not in the log yet outlives its process (law 6).
//!
//! A group gathers in memory until somebody needs it durable. As it gathers, its records are stored into memory that
//! shows a file as well, which costs no call: when the process dies the system has them. The file of `log-0001` is
//! `tail-0001`; the log's lock guards both.
//!
//! * T1. A change is answered when the tail has it, or the log has it durably ([`super::Log::wants`]).
//! * T2. A half is of one group. It is used again when the group of the other half is durable in the log (W2).
//! * T3. What a half has is what its group began with: where one record could not be stored, no later one is.
//! * T4. The tail is never synced, so a power cut may leave anything of it. Recovery takes a half
//!   only if its checksum holds, it follows what the log has without a gap, and every data set in it names the log in
//!   its root, or said that it leaves and has no request behind that: else it is what a power cut left, and counts as
//!   not there.
//! * T5. What recovery takes it writes to the log before it does anything of it: a crash in the middle of recovery
//!   finds roots that name the log no more, and would judge the tail otherwise (T4).

use super::logged::{owned, Logged};
use super::{LogCall, LogError};
use cica_disk::{Create, Disk, File, Mapped, Open, ReadAt, WriteAt};
use cica_format::log::{self, tail_records, GroupStamp, GROUP_HEADER_LEN};
use cica_format::tail::{self, TailHead, HEAD_LEN};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Room for records that each half has at first.
const FIRST_ROOM: usize = 32 << 10;

/// The tail of a log that is written to.
pub(super) struct Tail {
    file: Arc<dyn File>,
    /// Where it cannot be had, records are written with calls.
    memory: Option<Box<dyn Mapped>>,
    half: usize,
    /// Bytes of records that the half has, and their checksum.
    at: usize,
    checksum: u32,
    /// Which word of the head is the next.
    turn: bool,
    /// Bytes of records that the file has space for in each half, and most that it may ever have.
    room: usize,
    most: usize,
    /// The half has all of its group so far (T3).
    whole: bool,
}

impl Tail {
    /// The tail beside the log `log`, with room for at least `most` bytes of records in the end.
    pub fn open(disk: &dyn Disk, log: &Path, most: usize) -> io::Result<Tail> {
        let how = Open {
            write: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        let file: Arc<dyn File> = disk.open(&path_of(log), how)?.into();
        let len = file.size(None)?.max(tail::len_for(FIRST_ROOM));
        file.size(Some(len))?;
        let memory = file.map(0, tail::len_for(most.max(FIRST_ROOM)) as usize).ok();
        Ok(Tail {
            file,
            memory,
            half: 0,
            at: 0,
            checksum: 0,
            turn: false,
            room: tail::room(len),
            most,
            whole: false,
        })
    }

    /// The group that is gathered from now on gets the other half; it holds `records` already.
    pub fn begin(&mut self, head: TailHead, records: &[u8]) {
        self.half = 1 - self.half;
        (self.at, self.checksum, self.turn) = (0, head.checksum(), false);
        self.whole = self.store(0, &head.encode()) && (records.is_empty() || self.add(records));
    }

    /// Stores what came to the group. False: it is not in the tail (T3).
    #[inline]
    pub fn add(&mut self, records: &[u8]) -> bool {
        if !self.whole || self.room - self.at < records.len() {
            self.whole = false;
            return false;
        }
        self.checksum = tail::checksum_more(self.checksum, records);
        self.whole = self.store_records(records);
        self.at += records.len();
        let (at, word) = tail::word(self.turn, self.at as u32, self.checksum);
        self.turn = !self.turn;
        self.whole = self.whole && self.store(at, &word);
        self.whole
    }

    /// From now on the group is not whole here (T3).
    pub fn miss(&mut self) {
        self.whole = false;
    }

    #[inline]
    fn store_records(&self, mut records: &[u8]) -> bool {
        let mut at = HEAD_LEN + self.at;
        while !records.is_empty() {
            let here = tail::place(self.half, at).1.min(records.len());
            if !self.store(at, &records[..here]) {
                return false;
            }
            (at, records) = (at + here, &records[here..]);
        }
        true
    }

    /// Stores bytes of the half that stand together.
    #[inline]
    fn store(&self, at: usize, bytes: &[u8]) -> bool {
        let place = tail::place(self.half, at).0;
        match &self.memory {
            Some(memory) => memory.store(place, bytes),
            None => self
                .file
                .write(&[WriteAt {
                    at: place as u64,
                    buf: bytes,
                }])
                .is_ok(),
        }
    }

    /// Should the file get longer before the half is full?
    #[inline]
    pub fn is_low(&self) -> bool {
        self.at > self.room / 2 && self.room < self.most
    }

    /// The file and the length that it should get; [`has_grown`](Self::has_grown) says that it has.
    pub fn next_len(&self) -> (Arc<dyn File>, u64) {
        (self.file.clone(), tail::len_for((2 * self.room).min(self.most)))
    }

    /// The file has this length, or cannot get any longer.
    pub fn has_grown(&mut self, len: io::Result<u64>) {
        match len {
            Ok(len) => self.room = self.room.max(tail::room(len)),
            // What does not fit is written to the log before it is answered (T1), and a full disk is told there.
            Err(_) => self.most = self.room,
        }
    }
}

/// The file of a log's tail: `tail-0001` beside `log-0001`.
pub(super) fn path_of(log: &Path) -> PathBuf {
    let name = log.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let number = name.strip_prefix("log-").unwrap_or(&name).to_owned();
    log.with_file_name(format!("tail-{number}"))
}

/// A half that a dead owner left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Half {
    /// What it is of.
    pub head: TailHead,
    /// Its records with their LSNs.
    pub records: Vec<(u64, Logged)>,
    /// The same as they stand there.
    bytes: Vec<u8>,
}

impl Half {
    /// Is it the first group of its epoch? The trees have all that was before.
    pub fn begins_epoch(&self) -> bool {
        self.head.first_lsn == self.head.epoch_lsn
    }

    /// The group that its owner would have written in this epoch; when is not known. `units` may be open behind it.
    pub fn group(&self, epoch: u32, units: bool) -> Vec<u8> {
        let mut group = Vec::with_capacity(GROUP_HEADER_LEN + self.bytes.len());
        log::begin_group(&mut group);
        group.extend_from_slice(&self.bytes);
        let TailHead { log, first_lsn, .. } = self.head;
        let stamp = GroupStamp {
            second: 0,
            units_open: units,
        };
        log::finish_group(&mut group, log, epoch, first_lsn, self.records.len() as u32, stamp);
        group
    }

    pub fn last_lsn(&self) -> u64 {
        self.head.first_lsn + self.records.len() as u64 - 1
    }
}

/// A dead owner's tail.
pub(super) struct LeftTail {
    file: Box<dyn File>,
    path: PathBuf,
}

impl LeftTail {
    /// The tail beside a log, if there is one.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(disk: &dyn Disk, log: &Path) -> Result<Option<LeftTail>, LogError> {
        let path = path_of(log);
        match disk.open(&path, Open::default()) {
            Ok(file) => Ok(Some(LeftTail { file, path })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LogError::io(LogCall::OpenTail(path))(error)),
        }
    }

    /// The sound halves of log `log` that follow what it has: its last epoch with the last LSN there, if it has any
    /// group (T4). A half that was read wrong once is read again.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn behind(&self, log: u64, last: Option<(u32, u64)>) -> Result<Vec<Half>, LogError> {
        let first = self.halves(log)?;
        let again = self.halves(log)?;
        let mut halves: Vec<Half> = (0..2)
            .filter_map(|n| again[n].clone().or_else(|| first[n].clone()))
            .collect();
        halves.sort_by_key(|half| half.head.first_lsn);
        let (mut epoch, mut lsn) = last.unzip();
        let mut follow = Vec::new();
        for half in halves {
            let begins = half.head.first_lsn;
            let is_next = match lsn {
                // The log had it all.
                Some(lsn) if half.last_lsn() <= lsn => continue,
                Some(lsn) if epoch == Some(half.head.epoch) => begins == lsn + 1,
                Some(lsn) => half.begins_epoch() && begins > lsn,
                None => half.begins_epoch(),
            };
            if !is_next {
                break;
            }
            (epoch, lsn) = (Some(half.head.epoch), Some(half.last_lsn()));
            follow.push(half);
        }
        Ok(follow)
    }

    /// Whether a half of log `log` has data set `cluster`. What one reading misses another finds.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn has(&self, log: u64, cluster: u64) -> Result<bool, LogError> {
        let halves = [self.halves(log)?, self.halves(log)?];
        let mut records = halves.iter().flatten().flatten().flat_map(|half| &half.records);
        Ok(records.any(|(_, logged)| matches!(logged, Logged::DataSet { cluster: of, .. } if *of == cluster)))
    }

    fn halves(&self, log: u64) -> Result<[Option<Half>; 2], LogError> {
        let failed = |error| LogError::io_of(LogCall::ReadTail, &self.path)(error);
        let len = self.file.size(None).map_err(failed)?;
        let mut bytes = vec![0; usize::try_from(len.min(1 << 30)).unwrap_or(0)];
        let mut batch = [ReadAt {
            at: 0,
            buf: &mut bytes,
            got: 0,
        }];
        self.file.read(&mut batch).map_err(failed)?;
        let got = batch[0].got;
        bytes.truncate(got);
        let half = |half| {
            let (head, records) = tail::read_half(&bytes, half).filter(|(head, _)| head.log == log)?;
            // What a checksum covers was written so; a record that is none is of no program that wrote this format.
            let read: Result<Vec<_>, _> = tail_records(&records).map(|record| record.and_then(owned)).collect();
            Some(Half {
                head,
                records: (head.first_lsn..).zip(read.ok()?).collect(),
                bytes: records,
            })
        };
        Ok([half(0), half(1)])
    }
}
