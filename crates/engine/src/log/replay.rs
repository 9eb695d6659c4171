//! Reading the log of an owner that died.

use super::bytes::Bytes;
use super::header::{read_header, write_header};
use super::logged::{logged, Logged};
use super::tail::{self, Half};
use super::{LogCall, LogError, Lost};
use cica_disk::{Disk, File, Lock, Open, ReadAt, WriteAt};
use cica_format::log::{read_group, records, GroupHeader, GroupStamp, LogFileHeader, BLOCK_LEN, GROUP_HEADER_LEN};
use cica_format::FormatError;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// So many bytes of the log are asked for before they are read, at least and at most.
const AHEAD: (u64, u64) = (256 << 10, 32 << 20);

/// A dead owner's log, locked for recovery.
pub struct LogReader {
    pub(super) file: Box<dyn File>,
    pub(super) header: LogFileHeader,
    /// Where the next group should stand.
    pub(super) at: u64,
    /// Of the groups read so far; none: no group was read.
    pub(super) epoch: Option<u32>,
    /// Of the last request read.
    pub(super) lsn: Option<u64>,
    stamp: GroupStamp,
    /// Groups that were read and that requests stand in still, and the last one, behind them.
    groups: VecDeque<Arc<Vec<u8>>>,
    /// Memory of others.
    spare: Vec<Vec<u8>>,
    /// Bytes of the last one.
    len: usize,
    /// The file knows that it is to be read up to here.
    foreseen: u64,
    tail: Option<tail::LeftTail>,
}

/// What is to be had of a log that a root names.
pub enum NamedLog {
    /// Its owner lives.
    Alive,
    /// It was given back: everybody who had requests in it is complete. Who named it and had none is, too: its owner
    /// died between naming the log and writing to it, or before it wrote again to a log that had started over.
    Released,
    /// Its owner died.
    Log(LogReader),
    /// It is not where it should be. Who named it early never had a request in it that was
    /// durable.
    Absent(Lost),
}

impl LogReader {
    /// Opens and locks the log file `path`, if it still holds log `log`.
    ///
    /// # Errors
    /// It cannot be read, or is another file.
    pub fn open(disk: &dyn Disk, path: &Path, log: u64) -> Result<NamedLog, LogError> {
        LogReader::open_as(disk, path, log, true)
    }

    /// The same, to be read and not given back: others may look at the same time.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn look(disk: &dyn Disk, path: &Path, log: u64) -> Result<NamedLog, LogError> {
        LogReader::open_as(disk, path, log, false)
    }

    fn open_as(disk: &dyn Disk, path: &Path, log: u64, write: bool) -> Result<NamedLog, LogError> {
        let open = |lock| {
            disk.open(
                path,
                Open {
                    write,
                    lock,
                    ..Open::default()
                },
            )
        };
        let own = if write { Lock::Exclusive } else { Lock::Shared };
        let (file, locked) = match open(own) {
            Ok(file) => (file, true),
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {
                let file = open(Lock::None).map_err(LogError::io(LogCall::Open))?;
                (file, false)
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(NamedLog::Absent(Lost::NoFile(e))),
            Err(e) => return Err(LogError::io(LogCall::Open)(e)),
        };
        match read_header(&*file).map_err(LogError::io(LogCall::ReadHeader))? {
            Ok(header) if header.log == log && !locked => Ok(NamedLog::Alive),
            Ok(header) if header.log == log => {
                let tail = tail::LeftTail::open(disk, path)?;
                Ok(NamedLog::Log(LogReader::at_the_start(file, header, tail)))
            }
            Ok(header) if header.birth != 0 && header.birth != (log >> 32) as u32 => {
                Ok(NamedLog::Absent(Lost::MadeLater(log)))
            }
            // The file has been claimed that often, so this life of it is over (F3, F4).
            Ok(header) if header.claims >= log as u32 => Ok(NamedLog::Released),
            Ok(header) => Ok(NamedLog::Absent(Lost::Holds {
                log: header.log,
                wanted: log,
            })),
            Err(newer @ FormatError::NewerFormat { .. }) => Err(LogError::NewerFormat(newer)),
            // Its header was never durable, and a power cut took it.
            Err(what) if is_blank(&*file, 0)? => Ok(NamedLog::Absent(Lost::Blank(what))),
            Err(what) => Err(LogError::BadHeader(what)),
        }
    }

    /// Whether the tail of log `log` has anything of data set `cluster`, for where the file itself says nothing (F9).
    ///
    /// # Errors
    /// It cannot be read.
    pub fn tail_has(disk: &dyn Disk, path: &Path, log: u64, cluster: u64) -> Result<bool, LogError> {
        match tail::LeftTail::open(disk, path)? {
            Some(tail) => tail.has(log, cluster),
            None => Ok(false),
        }
    }

    /// Opens log `log` of a dead owner without a lock, to be looked through.
    ///
    /// # Errors
    /// It cannot be read, or holds another log by now.
    pub(super) fn beside(disk: &dyn Disk, path: &Path, log: u64) -> Result<LogReader, LogError> {
        let file = disk.open(path, Open::default());
        let file = file.map_err(LogError::io(LogCall::Open))?;
        match read_header(&*file).map_err(LogError::io(LogCall::ReadHeader))? {
            Ok(header) if header.log == log => {
                let tail = tail::LeftTail::open(disk, path)?;
                Ok(LogReader::at_the_start(file, header, tail))
            }
            _ => Err(LogError::AnotherLog),
        }
    }

    fn at_the_start(file: Box<dyn File>, header: LogFileHeader, tail: Option<tail::LeftTail>) -> LogReader {
        LogReader {
            file,
            header,
            at: BLOCK_LEN as u64,
            epoch: None,
            lsn: None,
            stamp: GroupStamp::default(),
            groups: VecDeque::new(),
            spare: Vec::new(),
            len: 0,
            foreseen: 0,
            tail,
        }
    }

    /// The last request read so far.
    pub fn last(&self) -> Option<u64> {
        self.lsn
    }

    /// Was this group, just read, a carry: what takes all open units back (`carry.rs`)?
    pub fn is_carry(&self, group: &[(u64, Logged)]) -> bool {
        group.iter().any(|(_, logged)| matches!(logged, Logged::Carried { .. }))
    }

    /// The group that was read last, and when it was written, nanoseconds since 1970, if it says.
    pub fn group(&self) -> (&[u8], Option<u64>) {
        let group = self.groups.back().and_then(|group| group.get(..self.len));
        let time = super::header::nanoseconds(self.stamp.second);
        (group.unwrap_or_default(), time)
    }

    /// What the group that was read last says of the moment when it was written.
    pub fn stamp(&self) -> GroupStamp {
        self.stamp
    }

    /// Makes what its owner wrote durable, which may have died before that.
    ///
    /// # Errors
    /// The system's.
    pub fn make_durable(&self) -> Result<(), LogError> {
        self.file.sync().map_err(LogError::io(LogCall::MakeDurable))
    }

    /// What was answered behind the last group that it has, and is in its tail alone: where
    /// [`next_group`](Self::next_group) found the end.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn tail(&self) -> Result<Vec<Half>, LogError> {
        let Some(tail) = &self.tail else { return Ok(Vec::new()) };
        tail.behind(self.header.log, self.epoch.zip(self.lsn))
    }

    /// Writes what a half of the tail has to the log, as its owner would have, durably (T5). Where `units` are not
    /// finished, what takes them back is in the epoch that the log has, so that goes on (Y3 in `carry.rs`).
    ///
    /// # Errors
    /// The system's.
    pub fn take_tail(&mut self, half: &Half, units: bool) -> Result<(), LogError> {
        let mut epoch = half.head.epoch;
        match self.epoch {
            Some(read) if units => epoch = read,
            // What introduces its data sets may be there already.
            read if half.begins_epoch() && read != Some(epoch) => self.at = BLOCK_LEN as u64,
            _ => {}
        }
        let group = half.group(epoch, units);
        let write = WriteAt {
            at: self.at,
            buf: &group,
        };
        let written = self.file.write(&[write]).and_then(|()| self.file.sync());
        written.map_err(LogError::io(LogCall::TakeTail))?;
        self.at += group.len() as u64;
        self.lsn = Some(half.last_lsn());
        Ok(())
    }

    /// The next group's requests with their LSNs, in order; `None` at the end of the log, which is the first block that
    /// is not the next group of the same epoch. Whether that is its true end [`pass_gap`](Self::pass_gap) tells.
    pub fn next_group(&mut self) -> Result<Option<Vec<(u64, Logged)>>, LogError> {
        let Some((group, header, len)) = self.group_here()? else {
            return Ok(None);
        };
        let group = Arc::new(group);
        // Most of a short group is padding, or its memory is that of a longer one: it is not worth that.
        let is_kept = GROUP_HEADER_LEN + header.bytes as usize > group.len() / 2;
        let keep = |bytes: &[u8]| {
            if is_kept {
                Bytes::in_group(&group, bytes)
            } else {
                Bytes::own(bytes)
            }
        };
        let mut requests = Vec::with_capacity(header.records as usize);
        for (n, record) in records(&group[..len]).enumerate() {
            let lsn = header.first_lsn + n as u64;
            let record = record.and_then(|record| logged(record, &keep));
            let record = record.map_err(|error| LogError::BadRecord { lsn, error })?;
            requests.push((lsn, record));
        }
        (self.epoch, self.stamp) = (Some(header.epoch), header.stamp);
        // One that introduces has no LSNs.
        self.lsn = Some((header.first_lsn + u64::from(header.records)).saturating_sub(1));
        self.at += len as u64;
        self.len = len;
        self.groups.push_back(group);
        Ok(Some(requests))
    }

    /// Memory of a group that no request needs any more, or new one.
    fn memory(&mut self) -> Vec<u8> {
        // No request waits in the last one, or those in the first ones were done.
        while let Some(group) = self.groups.pop_back() {
            match Arc::try_unwrap(group) {
                Ok(memory) => self.spare.push(memory),
                Err(group) => {
                    self.groups.push_back(group);
                    break;
                }
            }
        }
        while let Some(group) = self.groups.pop_front() {
            match Arc::try_unwrap(group) {
                Ok(memory) => self.spare.push(memory),
                Err(group) => {
                    self.groups.push_front(group);
                    break;
                }
            }
        }
        self.spare.pop().unwrap_or_default()
    }

    /// All is read: nothing of it is needed in memory.
    pub fn let_memory_go(&mut self) {
        (self.groups, self.spare) = Default::default();
    }

    /// The next group, if it is here. One read gone wrong on its way must not pass for the end, or what it brought for
    /// the first group, which nothing tells from a later one: the members of a sphere would part.
    fn group_here(&mut self) -> Result<Option<Group>, LogError> {
        self.foresee();
        let memory = self.memory();
        let found = self.look_in(memory)?;
        let known = |group: &Option<Group>| group.as_ref().map(|(_, header, _)| *header);
        match (self.lsn, known(&found)) {
            (Some(_), Some(header)) if header.records > 0 => Ok(found),
            (Some(_), None) => self.look_in(Vec::new()),
            // Nothing tells the first group from a later one, nor one that introduces from another such.
            (_, header) if known(&self.look_in(Vec::new())?) == header => Ok(found),
            (_, _) => self.look_in(Vec::new()),
        }
    }

    /// What is read soon may come while requests are done: as much as was read, so that little is read in vain where
    /// the log ends.
    fn foresee(&mut self) {
        let ahead = self.at.clamp(AHEAD.0, AHEAD.1);
        let (from, to) = (self.foreseen.max(self.at), self.at + ahead);
        if to >= from + ahead / 2 {
            self.file.foresee(from, to - from);
            self.foreseen = to;
        }
    }

    fn look_in(&self, memory: Vec<u8>) -> Result<Option<Group>, LogError> {
        Ok(sound_group_in(memory, &*self.file, self.at)?.filter(|(_, header, _)| self.is_next(header)))
    }

    /// Is this the next group, as far as its header tells?
    fn is_next(&self, header: &GroupHeader) -> bool {
        header.log == self.header.log
            && self.epoch.is_none_or(|epoch| epoch == header.epoch)
            && self.lsn.is_none_or(|lsn| lsn + 1 == header.first_lsn)
    }

    /// Everything in the log was done: the file is free.
    pub fn release(self) -> Result<(), LogError> {
        let free = write_header(&*self.file, LogFileHeader { log: 0, ..self.header });
        free.map_err(LogError::io(LogCall::Release))
    }
}

/// Whether there is, or may be, a group of log `log` in its file or its tail: true unless the place of the first group was never
/// written, or holds a sound group of an earlier life of the file.
///
/// # Errors
/// It cannot be read.
pub(super) fn was_written_to(disk: &dyn Disk, path: &Path, file: &dyn File, log: u64) -> Result<bool, LogError> {
    if let Some(tail) = tail::LeftTail::open(disk, path)? {
        if !tail.behind(log, None)?.is_empty() {
            return Ok(true);
        }
    }
    let begin = BLOCK_LEN as u64;
    let written = || {
        Ok::<_, LogError>(match sound_group(file, begin)? {
            Some((_, header, _)) => header.log == log,
            None => !is_blank(file, begin)?,
        })
    };
    // A read that went to the wrong place must not make a log free.
    Ok(written()? || written()?)
}

/// Whether there is no byte in the block at `at`, or no block.
fn is_blank(file: &dyn File, at: u64) -> Result<bool, LogError> {
    let mut bytes = vec![0; BLOCK_LEN];
    read_at(file, at, &mut bytes)?;
    Ok(bytes.iter().all(|byte| *byte == 0))
}

/// The bytes from some place on, the header and the length of the group that they are.
pub(super) type Group = (Vec<u8>, GroupHeader, usize);

/// The group at `at`, if there is one.
pub(super) fn sound_group(file: &dyn File, at: u64) -> Result<Option<Group>, LogError> {
    sound_group_in(Vec::new(), file, at)
}

/// The same, read into this memory, which has others of its bytes behind.
fn sound_group_in(mut bytes: Vec<u8>, file: &dyn File, at: u64) -> Result<Option<Group>, LogError> {
    let mut want = BLOCK_LEN;
    loop {
        if bytes.len() < want {
            // What is there is not needed, and is not copied.
            bytes = vec![0; want];
        }
        if read_at(file, at, &mut bytes[..want])? < want {
            return Ok(None);
        }
        match read_group(&bytes[..want]) {
            Ok((header, len)) => return Ok(Some((bytes, header, len))),
            // A damaged length may ask for anything; no group is longer than what gathers before a flush, doubled.
            Err(FormatError::Short { need, .. }) if need > want && need < (1 << 30) => want = need,
            Err(_) => return Ok(None),
        }
    }
}

/// Reads from `at`; how many bytes there were.
pub(super) fn read_at(file: &dyn File, at: u64, buf: &mut [u8]) -> Result<usize, LogError> {
    let mut batch = [ReadAt { at, buf, got: 0 }];
    file.read(&mut batch).map_err(LogError::io(LogCall::Read(at)))?;
    Ok(batch[0].got)
}
