//! A handle to a file of a simulated disk: each call as its fault would have it, then as the trace tells it.

use super::faults::Effect;
use super::{Call, Dropped, Errno, Event, Record, SimDisk, Survival, Trace};
use crate::error::{failed, Action};
use crate::image::{plain, FileId};
use crate::memory::{locked, within_limits, MappedMemory, MemoryFile};
use crate::{File, Mapped, ReadAt, WriteAt};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A handle to a file or directory of a simulated disk.
pub(super) struct SimFile {
    pub(super) file: MemoryFile,
    pub(super) disk: SimDisk,
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

    /// Reads a batch as the faults of that kind of call would have it.
    fn read_as(&self, call: Call, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = self.disk.failing(call, path, Action::reading(batch), false)?;
        self.file.read(batch)?;
        for read in batch {
            match record.faults.on_request(call, path) {
                Some(Effect::MisdirectRead(from)) => {
                    // The length is the request's: a device that brings another sector brings a whole one.
                    self.file.node.content().read(from, &mut read.buf[..read.got]);
                }
                Some(Effect::FlipRead(bit)) if read.got > 0 => {
                    let bit = bit % (8 * read.got as u64);
                    read.buf[(bit / 8) as usize] ^= 1 << (bit % 8);
                }
                Some(Effect::StaleRead) => record.before_the_newest(self.id(), read.at, &mut read.buf[..read.got]),
                Some(Effect::ShortRead(bytes)) => read.got = read.got.min(bytes),
                _ => {}
            }
        }
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
        // Nothing is asked of the device.
        if batch.iter().all(ReadAt::only_asks) {
            return self.file.read(batch);
        }
        self.read_as(Call::Read, batch)
    }

    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.read_as(Call::ReadBack, batch)
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = locked(&self.disk.record);
        let (mut room, mask, failure) = match record.enter(&self.disk.live, Call::Write, path) {
            Some(Effect::Fail(errno)) => (0, 0, Some(errno)),
            Some(Effect::ReadOnly) => (0, 0, Some(Errno::ReadOnly)),
            Some(Effect::Short(bytes, errno)) => (bytes, u64::MAX, Some(errno)),
            Some(Effect::Scatter(mask, errno)) => (usize::MAX, mask, Some(errno)),
            _ => (usize::MAX, u64::MAX, None),
        };
        self.file.allow(Action::writing(batch))?;
        for (number, write) in batch.iter().enumerate() {
            let buf = &write.buf[..write.buf.len().min(room)];
            if mask >> (number % 64) & 1 == 1 && (failure.is_none() || !buf.is_empty()) {
                self.write_one(&mut record, &WriteAt { at: write.at, buf })?;
            }
            room -= buf.len();
        }
        failure.map_or(Ok(()), |errno| Err(failed(Action::writing(batch), path, errno.error())))
    }

    fn sync(&self) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = locked(&self.disk.record);
        let effect = record.enter(&self.disk.live, Call::Sync, path);
        self.file.sync()?;
        match effect {
            Some(Effect::Fail(errno)) => return Err(failed(Action::Sync, path, errno.error())),
            Some(Effect::ReadOnly) => return Err(failed(Action::Sync, path, Errno::ReadOnly.error())),
            Some(Effect::IgnoreSync) => return Ok(()),
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
        let mut record = locked(&self.disk.record);
        let effect = record.enter(&self.disk.live, Call::Size, path);
        let fail = |errno: Errno| Err(failed(action.clone(), path, errno.error()));
        if let Some(Effect::Fail(errno)) = effect {
            return fail(errno);
        }
        let len = self.file.size(None)?;
        let Some(to) = set.filter(|to| *to != len) else {
            return self.file.size(set);
        };
        match effect {
            Some(Effect::ReadOnly) => return fail(Errno::ReadOnly),
            Some(Effect::Full) if to > len => return fail(Errno::NoSpace),
            _ => {}
        }
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

    /// What is given back is written over with zeros either way.
    fn has_holes(&self) -> bool {
        locked(&self.disk.record).holes
    }

    /// Fails like what makes a file longer; all bytes of this file have their space.
    fn reserve(&self, at: u64, len: u64) -> io::Result<()> {
        let path = &self.file.path;
        let mut record = locked(&self.disk.record);
        let errno = match record.enter(&self.disk.live, Call::Size, path) {
            Some(Effect::Fail(errno)) => errno,
            Some(Effect::ReadOnly) => Errno::ReadOnly,
            Some(Effect::Full) => Errno::NoSpace,
            _ => return Ok(()),
        };
        Err(failed(Action::Write { at, len: len as usize }, path, errno.error()))
    }

    fn give_name(&self, path: &Path) -> io::Result<()> {
        let mut record = self.disk.failing(Call::Rename, path, Action::Make, true)?;
        self.file.give_name(path)?;
        record.events.push(Event::Create {
            file: self.id(),
            path: plain(path),
            directory: false,
        });
        Ok(())
    }

    /// No fault meets a store: what a device does with it shows when it is read again, or after a power cut.
    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        Ok(Box::new(SimMapped {
            memory: self.file.mapped(at, len)?,
            disk: self.disk.clone(),
        }))
    }
}

/// Memory that shows a file of a simulated disk.
#[derive(Debug)]
struct SimMapped {
    memory: MappedMemory,
    disk: SimDisk,
}

impl Mapped for SimMapped {
    fn store(&self, at: usize, bytes: &[u8]) -> bool {
        let mut record = locked(&self.disk.record);
        let Some(at) = self.memory.place(at, bytes.len()) else {
            return false;
        };
        self.memory.node.change(|content| content.write(at, bytes));
        record.events.push(Event::Store {
            file: self.memory.node.id,
            at,
            bytes: bytes.into(),
        });
        true
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
