//! [`SimDisk`]: a disk in memory that writes down what happens to it and fails on command.
//!
//! 1. One mutex covers a call from its fault to its event: the trace is the order in which things happened.
//! 2. What a fault keeps from the device is not in the trace, so no crash image has it either.
//!
//! A crash test runs a workload on a `SimDisk`, notes [`SimDisk::events`] after each acknowledged request, then
//! walks [`Trace::crash_point`] through the trace and reopens the engine on images of each point: a `SimDisk` is
//! made from an image, so that the recovery can be traced and cut as well.

mod crash;
mod faults;
mod trace;

pub use crash::{CrashPoint, Survival, SECTOR};
pub use faults::{Call, Dropped, Errno, Faults};
pub use trace::{Event, Trace};

use crate::error::{failed, Action};
use crate::image::{plain, FileId, Image};
use crate::memory::{locked, reading, within_limits, writing, MemoryDisk, MemoryFile};
use crate::{Disk, File, Open, ReadAt, WriteAt};
use faults::Effect;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A simulated disk. Clones are the same disk.
#[derive(Clone)]
pub struct SimDisk {
    live: MemoryDisk,
    record: Arc<Mutex<Record>>,
}

struct Record {
    start: Image,
    events: Vec<Event>,
    faults: Faults,
    calls: Calls,
}

/// How often each kind of call came, failed ones included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls([u64; Call::Any as usize]);

impl Calls {
    /// Calls of one kind; of all for [`Call::Any`].
    pub fn of(&self, call: Call) -> u64 {
        match call {
            Call::Any => self.0.iter().sum(),
            one => self.0[one as usize],
        }
    }
}

impl Default for SimDisk {
    fn default() -> Self {
        SimDisk::from(Image::default())
    }
}

impl From<Image> for SimDisk {
    /// A disk that starts as the image is, with an empty trace and no faults.
    fn from(start: Image) -> Self {
        let live = MemoryDisk::from(start.clone());
        let record = Record {
            start,
            events: Vec::new(),
            faults: Faults::none(),
            calls: Calls::default(),
        };
        SimDisk {
            live,
            record: Arc::new(Mutex::new(record)),
        }
    }
}

impl SimDisk {
    /// An empty disk without faults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what shall go wrong from now on; the counts of its faults start now.
    pub fn set_faults(&self, faults: Faults) {
        locked(&self.record).faults = faults;
    }

    /// How many events happened so far.
    pub fn events(&self) -> usize {
        locked(&self.record).events.len()
    }

    /// Everything that happened so far.
    pub fn trace(&self) -> Trace {
        let record = locked(&self.record);
        Trace {
            start: record.start.clone(),
            events: record.events.clone().into(),
        }
    }

    /// How often each kind of call came since the disk was made.
    pub fn calls(&self) -> Calls {
        locked(&self.record).calls
    }

    /// The disk as a process on it sees it now, unsynced changes included.
    pub fn image(&self) -> Image {
        self.live.image()
    }

    /// Ends the process that has files open: its locks are released and its handles fail from now on. What it
    /// wrote stays, as after `kill -9`.
    pub fn kill(&self) {
        self.live.kill();
    }

    /// Damages the device: puts `bytes` at `at` of a file behind everybody's back. With bytes read from an earlier
    /// [`SimDisk::image`] this is a stale sector. It is not in the trace.
    pub fn overwrite(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
        let failure = |cause| failed(Action::Write { at, len: bytes.len() }, path, cause);
        let node = self.live.node(path).map_err(failure)?;
        within_limits(path, at, bytes.len())?;
        node.change(|content| content.write(at, bytes));
        Ok(())
    }

    /// Damages the device: turns one bit of a file, bit 0 being the lowest of its first byte. Not in the trace.
    pub fn flip_bit(&self, path: &Path, bit: u64) -> io::Result<()> {
        let mut byte = [0];
        let got = self.image().read(path, bit / 8, &mut byte);
        if got != Some(1) {
            return Err(failed(
                Action::Read { at: bit / 8, len: 1 },
                path,
                io::ErrorKind::UnexpectedEof,
            ));
        }
        self.overwrite(path, bit / 8, &[byte[0] ^ 1 << (bit % 8)])
    }

    fn failing(&self, call: Call, path: &Path, action: Action) -> io::Result<std::sync::MutexGuard<'_, Record>> {
        let mut record = locked(&self.record);
        match record.enter(call, path) {
            Some(Effect::Fail(errno)) => Err(failed(action, path, errno.error())),
            _ => Ok(record),
        }
    }
}

impl Record {
    fn enter(&mut self, call: Call, path: &Path) -> Option<Effect> {
        self.calls.0[call as usize] += 1;
        self.faults.on_call(call, path)
    }

    /// Refuses to let a file grow from `from` to `to` past the end of the disk.
    fn take_space(&self, live: &MemoryDisk, from: u64, to: u64) -> io::Result<()> {
        match self.faults.space {
            Some(limit) if to > from && live.space() + (to - from) > limit => Err(Errno::NoSpace.error()),
            _ => Ok(()),
        }
    }
}

impl Disk for SimDisk {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let mut record = self.failing(Call::Open, path, Action::Open)?;
        let opened = self.live.open_file(path, how)?;
        if opened.made {
            let file = opened.file.node.id;
            record.events.push(Event::Create {
                file,
                path: plain(path),
                directory: how.directory,
            });
        }
        Ok(Box::new(SimFile {
            file: opened.file,
            disk: self.clone(),
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut record = self.failing(Call::Rename, from, Action::Rename { to: to.to_path_buf() })?;
        let file = self.live.rename_file(from, to)?;
        record.events.push(Event::Rename {
            file,
            from: plain(from),
            to: plain(to),
        });
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut record = self.failing(Call::Remove, path, Action::Remove)?;
        self.live.remove(path)?;
        record.events.push(Event::Remove { path: plain(path) });
        Ok(())
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        let _record = self.failing(Call::List, directory, Action::List)?;
        self.live.list(directory)
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimDisk after {} events", self.events())
    }
}

/// A handle to a file or directory of a simulated disk.
struct SimFile {
    file: MemoryFile,
    disk: SimDisk,
}

impl SimFile {
    fn id(&self) -> FileId {
        self.file.node.id
    }

    /// Writes one request as its fault would have it.
    fn write_one(&self, record: &mut Record, write: &WriteAt<'_>) -> io::Result<()> {
        let mut at = write.at;
        let mut bytes: Arc<[u8]> = write.buf.into();
        match record.faults.on_request(Call::Write, &self.file.path) {
            Some(Effect::LoseWrite) => return Ok(()),
            Some(Effect::MisdirectWrite(to)) => at = to,
            Some(Effect::FlipWrite(bit)) => bytes = flipped(write.buf, bit).into(),
            _ => {}
        }
        within_limits(&self.file.path, at, bytes.len())?;
        let len = self.file.node.content().len();
        let end = if bytes.is_empty() { 0 } else { at + bytes.len() as u64 };
        record
            .take_space(&self.disk.live, len, end)
            .map_err(|cause| failed(Action::Write { at, len: bytes.len() }, &self.file.path, cause))?;
        self.file.node.change(|content| content.write(at, &bytes));
        record.events.push(Event::Write {
            file: self.id(),
            at,
            bytes,
        });
        Ok(())
    }

    /// Lets a failed sync lose what it covered.
    fn forget(&self, record: &mut Record, dropped: Dropped) {
        record.events.push(Event::Forget { file: self.id() });
        if dropped == Dropped::Gone {
            let trace = Trace {
                start: record.start.clone(),
                events: record.events.clone().into(),
            };
            let durable = trace.crash_after(trace.events.len()).image(|_, _| Survival::Lost);
            self.file
                .node
                .replace(durable.contents.get(self.id().0 as usize).cloned().unwrap_or_default());
        }
    }
}

impl File for SimFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = self.disk.failing(Call::Read, path, reading(batch))?;
        self.file.read(batch)?;
        for read in batch {
            match record.faults.on_request(Call::Read, path) {
                Some(Effect::MisdirectRead(from)) => {
                    // The length is the request's: a device that brings another sector brings a whole one.
                    self.file.node.content().read(from, &mut read.buf[..read.got]);
                }
                Some(Effect::FlipRead(bit)) if read.got > 0 => {
                    let bit = bit % (8 * read.got as u64);
                    read.buf[(bit / 8) as usize] ^= 1 << (bit % 8);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = locked(&self.disk.record);
        let (mut room, failure) = match record.enter(Call::Write, path) {
            Some(Effect::Fail(errno)) => (0, Some(errno)),
            Some(Effect::Short(bytes, errno)) => (bytes, Some(errno)),
            _ => (usize::MAX, None),
        };
        self.file.allow(writing(batch))?;
        for write in batch {
            let buf = &write.buf[..write.buf.len().min(room)];
            if failure.is_none() || !buf.is_empty() {
                self.write_one(&mut record, &WriteAt { at: write.at, buf })?;
            }
            room -= buf.len();
        }
        failure.map_or(Ok(()), |errno| Err(failed(writing(batch), path, errno.error())))
    }

    fn sync(&self) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = locked(&self.disk.record);
        let effect = record.enter(Call::Sync, path);
        self.file.sync()?;
        match effect {
            Some(Effect::Fail(errno)) => return Err(failed(Action::Sync, path, errno.error())),
            Some(Effect::Forget(dropped, errno)) => {
                self.forget(&mut record, dropped);
                return Err(failed(Action::Sync, path, errno.error()));
            }
            _ if self.file.is_directory() => record.events.push(Event::SyncDirectory { path: plain(path) }),
            _ => record.events.push(Event::Sync { file: self.id() }),
        }
        Ok(())
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        let path = &self.file.path;
        let action = set.map_or(Action::Measure, |to| Action::Resize { to });
        let mut record = self.disk.failing(Call::Size, path, action.clone())?;
        let len = self.file.size(None)?;
        let Some(to) = set.filter(|to| *to != len) else {
            return self.file.size(set);
        };
        record
            .take_space(&self.disk.live, len, to)
            .map_err(|cause| failed(action, path, cause))?;
        self.file.size(Some(to))?;
        record.events.push(Event::Resize {
            file: self.id(),
            len: to,
        });
        Ok(to)
    }
}

impl fmt::Debug for SimFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimFile {}", self.file.path.display())
    }
}

/// The bytes with one bit turned.
fn flipped(bytes: &[u8], bit: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if !bytes.is_empty() {
        let bit = bit % (8 * bytes.len() as u64);
        bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
    }
    bytes
}
