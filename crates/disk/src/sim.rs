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
mod file;
mod trace;

pub use crash::{CrashPoint, Survival};
pub use faults::{Call, Dropped, Errno, Faults};
pub use trace::{Event, Trace};

pub use crate::content::SECTOR;

use crate::error::{failed, Action};
use crate::image::{plain, Image};
use crate::memory::{locked, within_limits, MemoryDisk};
use crate::{Begun, Create, Disk, File, Open};
use faults::Effect;
use file::SimFile;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// A simulated disk. Clones are the same disk.
#[derive(Clone)]
pub struct SimDisk {
    live: MemoryDisk,
    record: Arc<Mutex<Record>>,
}

struct Record {
    start: Image,
    /// See [`SimDisk::set_holes`].
    holes: bool,
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
            holes: false,
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

    /// Sets whether its file system says that it [has holes](File::has_holes); at first it has none.
    pub fn set_holes(&self, has: bool) {
        locked(&self.record).holes = has;
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

    /// Counts a call and lets it fail if it is to; otherwise nothing else happens until the answer is dropped.
    /// `changes`: it would change something on the disk.
    fn failing(&self, call: Call, path: &Path, action: Action, changes: bool) -> io::Result<MutexGuard<'_, Record>> {
        let mut record = locked(&self.record);
        let errno = match record.enter(&self.live, call, path) {
            Some(Effect::Fail(errno)) => errno,
            Some(Effect::ReadOnly) if changes => Errno::ReadOnly,
            _ => return Ok(record),
        };
        Err(failed(action, path, errno.error()))
    }
}

impl Record {
    /// Counts a call; tells what goes wrong with it.
    fn enter(&mut self, live: &MemoryDisk, call: Call, path: &Path) -> Option<Effect> {
        self.calls.0[call as usize] += 1;
        let effect = self.faults.on_call(call, path);
        if let Some(Effect::Rot(choice)) = effect {
            self.rot(live, choice);
        }
        effect
    }

    /// Turns one bit on the device. The trace has it as a write, so a crash image may have it.
    fn rot(&mut self, live: &MemoryDisk, choice: u64) {
        let image = live.image();
        let sectors: Vec<(&Path, u64)> = image
            .files()
            .flat_map(|path| image.used_sectors(path).map(move |at| (path, at)))
            .collect();
        let Some(&(path, at)) = sectors.get((choice / 4096) as usize % sectors.len().max(1)) else {
            return;
        };
        let Ok(node) = live.node(path) else { return };
        let len = (image.len(path).unwrap_or_default() - at).min(SECTOR) as usize;
        let mut bytes = vec![0; len];
        node.content().read(at, &mut bytes);
        let bit = choice as usize % (8 * len);
        bytes[bit / 8] ^= 1 << (bit % 8);
        node.change(|content| content.write(at, &bytes));
        self.events.push(Event::Write {
            file: node.id,
            at,
            bytes: bytes.into(),
        });
    }

    /// What a file held before the newest write to a place in it, if the trace knows of one.
    fn before_the_newest(&self, file: crate::FileId, at: u64, buf: &mut [u8]) {
        let touches = |event: &Event| match event {
            Event::Write {
                file: to,
                at: from,
                bytes,
            } => *to == file && *from < at + buf.len() as u64 && at < from + bytes.len() as u64,
            _ => false,
        };
        let Some(newest) = self.events.iter().rposition(touches) else {
            return;
        };
        let trace = Trace {
            start: self.start.clone(),
            events: self.events[..newest].into(),
        };
        let image = trace.crash_after(newest).image(|_, _| Survival::Whole);
        let content = image.contents.get(file.0 as usize).cloned().unwrap_or_default();
        buf.fill(0);
        content.read(at, buf);
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
        let mut record = self.failing(Call::Open, path, Action::Open, how.write || how.create != Create::No)?;
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
        let mut record = self.failing(Call::Rename, from, Action::Rename { to: to.to_path_buf() }, true)?;
        let file = self.live.rename_file(from, to)?;
        record.events.push(Event::Rename {
            file,
            from: plain(from),
            to: plain(to),
        });
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut record = self.failing(Call::Remove, path, Action::Remove, true)?;
        self.live.remove(path)?;
        record.events.push(Event::Remove { path: plain(path) });
        Ok(())
    }

    fn begin(&self, path: &Path, _meanwhile: &Path) -> io::Result<Begun> {
        let _record = self.failing(Call::Open, path, Action::Make, true)?;
        let file = self.live.unnamed_file(path)?;
        let disk = self.clone();
        Ok(Begun::Unnamed(Box::new(SimFile { file, disk })))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        let _record = self.failing(Call::List, directory, Action::List, false)?;
        self.live.list(directory)
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimDisk after {} events", self.events())
    }
}
