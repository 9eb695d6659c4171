//! What shall go wrong on a simulated disk, and when.
//!
//! A plan is a list of faults. Each counts, from 1 and from the moment the plan is set, the calls (or single reads
//! and writes) it is about, and strikes at its n-th; so a test that counted the calls of a good run can strike at
//! each of them in turn.

use std::io;
use std::path::{Path, PathBuf};

/// A kind of call to a disk or file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `open`, `begin` and `stream`.
    Open,
    /// `read`, of a batch.
    Read,
    /// `read_back`, of a batch.
    ReadBack,
    /// `write`, of a batch.
    Write,
    /// `sync`, of a file or directory.
    Sync,
    /// `size`.
    Size,
    /// `rename` and `give_name`.
    Rename,
    /// `remove`.
    Remove,
    /// `list`.
    List,
    /// Each of these.
    Any,
}

/// The error a failing call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Errno {
    /// `EIO`: the device failed.
    Io,
    /// `ENOSPC`: the file system is full.
    NoSpace,
    /// `EDQUOT`: the user's part of it is.
    Quota,
    /// `EACCES`: no permission.
    Denied,
    /// `EROFS`: mounted for reading alone, as after an error of the file system.
    ReadOnly,
    /// `EMFILE`: no descriptor left.
    TooManyFiles,
    /// Any other of the system's numbers.
    Other(i32),
}

impl Errno {
    /// The system's number.
    pub fn raw(self) -> i32 {
        match self {
            Errno::Io => 5,
            Errno::NoSpace => 28,
            Errno::Quota => 122,
            Errno::Denied => 13,
            Errno::ReadOnly => 30,
            Errno::TooManyFiles => 24,
            Errno::Other(number) => number,
        }
    }

    pub(crate) fn error(self) -> io::Error {
        io::Error::from_raw_os_error(self.raw())
    }
}

/// What later reads see of the writes that a failed sync dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// The bytes from before them, at once.
    Gone,
    /// The dropped bytes, as if all were well: they are in the page cache, marked clean, and will never be written.
    StillRead,
}

/// How a call goes wrong. Counted in calls or, from `LoseWrite` on, in single reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Fail(Errno),
    /// The first bytes of the batch are written, then it fails.
    Short(usize, Errno),
    /// Of the batch those writes are done whose bit is set, its first being bit 0; then it fails.
    Scatter(u64, Errno),
    /// The sync fails and what it covered is lost.
    Forget(Dropped, Errno),
    /// The sync says that all is well and has done nothing.
    IgnoreSync,
    /// It fails if it would change anything on the disk.
    ReadOnly,
    /// It fails if it would take space.
    Full,
    /// It goes well, but before it a bit turns on the device; which one follows from the number.
    Rot(u64),
    LoseWrite,
    MisdirectWrite(u64),
    MisdirectRead(u64),
    FlipWrite(u64),
    FlipRead(u64),
    StaleRead,
    ShortRead(usize),
}

#[derive(Debug, Clone)]
struct Fault {
    call: Call,
    path: Option<PathBuf>,
    nth: u64,
    for_ever: bool,
    effect: Effect,
    seen: u64,
}

/// A plan of faults; the default is that nothing goes wrong.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    faults: Vec<Fault>,
    pub(crate) space: Option<u64>,
}

impl Faults {
    /// Nothing goes wrong.
    pub fn none() -> Self {
        Self::default()
    }

    /// The n-th such call fails and does nothing.
    pub fn fail(self, call: Call, nth: u64, errno: Errno) -> Self {
        self.with(call, nth, false, Effect::Fail(errno))
    }

    /// The n-th such call and all after it fail and do nothing.
    pub fn fail_from(self, call: Call, nth: u64, errno: Errno) -> Self {
        self.with(call, nth, true, Effect::Fail(errno))
    }

    /// The n-th `write` call writes the first `bytes` bytes of its batch, then fails.
    pub fn short_write(self, nth: u64, bytes: usize, errno: Errno) -> Self {
        self.with(Call::Write, nth, false, Effect::Short(bytes, errno))
    }

    /// Of the n-th `write` call's batch those writes are done whose bit is set in `mask`, the first being bit 0 and the
    /// 65th bit 0 again; then it fails.
    pub fn scatter_write(self, nth: u64, mask: u64, errno: Errno) -> Self {
        self.with(Call::Write, nth, false, Effect::Scatter(mask, errno))
    }

    /// From the n-th call on nothing can be changed (`EROFS`): not written, made, renamed, removed, cut, grown, synced.
    pub fn read_only_from(self, nth: u64) -> Self {
        self.with(Call::Any, nth, true, Effect::ReadOnly)
    }

    /// From the n-th `size` call on no file grows (`ENOSPC`); what space a file has can still be written to.
    pub fn full_from(self, nth: u64) -> Self {
        self.with(Call::Size, nth, true, Effect::Full)
    }

    /// The n-th `sync` call is answered and does nothing.
    pub fn ignore_sync(self, nth: u64) -> Self {
        self.with(Call::Sync, nth, false, Effect::IgnoreSync)
    }

    /// The n-th `sync` call and all after it are answered and do nothing.
    pub fn ignore_sync_from(self, nth: u64) -> Self {
        self.with(Call::Sync, nth, true, Effect::IgnoreSync)
    }

    /// Before the n-th call a bit turns of what some file holds on the device, among the sectors that are not zero.
    /// Which one follows from `choice`.
    pub fn rot(self, nth: u64, choice: u64) -> Self {
        self.with(Call::Any, nth, false, Effect::Rot(choice))
    }

    /// The n-th `sync` call fails, and the writes it covered are lost (D3).
    pub fn forgetful_sync(self, nth: u64, dropped: Dropped, errno: Errno) -> Self {
        self.with(Call::Sync, nth, false, Effect::Forget(dropped, errno))
    }

    /// The n-th single write is acknowledged and never arrives.
    pub fn lose_write(self, nth: u64) -> Self {
        self.with(Call::Write, nth, false, Effect::LoseWrite)
    }

    /// The n-th single write lands at byte `to` of its file.
    pub fn misdirect_write(self, nth: u64, to: u64) -> Self {
        self.with(Call::Write, nth, false, Effect::MisdirectWrite(to))
    }

    /// The n-th single read brings what lies at byte `from` of its file.
    pub fn misdirect_read(self, nth: u64, from: u64) -> Self {
        self.with(Call::Read, nth, false, Effect::MisdirectRead(from))
    }

    /// The n-th single write arrives with one bit turned: `bit / 8` is the byte, modulo the write's length.
    pub fn flip_write(self, nth: u64, bit: u64) -> Self {
        self.with(Call::Write, nth, false, Effect::FlipWrite(bit))
    }

    /// The n-th single read brings one bit turned, though the file is good: `bit / 8` is the byte, modulo the
    /// read's length.
    pub fn flip_read(self, nth: u64, bit: u64) -> Self {
        self.with(Call::Read, nth, false, Effect::FlipRead(bit))
    }

    /// The n-th single read of a `read_back` brings one bit turned, as [`flip_read`](Self::flip_read) says.
    pub fn flip_read_back(self, nth: u64, bit: u64) -> Self {
        self.with(Call::ReadBack, nth, false, Effect::FlipRead(bit))
    }

    /// The n-th single read brings what was there before the newest write to that place.
    pub fn stale_read(self, nth: u64) -> Self {
        self.with(Call::Read, nth, false, Effect::StaleRead)
    }

    /// The n-th single read brings at most so many bytes, as if the file ended there.
    pub fn short_read(self, nth: u64, bytes: usize) -> Self {
        self.with(Call::Read, nth, false, Effect::ShortRead(bytes))
    }

    /// The last fault added is only about this file (of `rename`: its old name) and counts only its calls.
    pub fn only(mut self, path: impl AsRef<Path>) -> Self {
        if let Some(last) = self.faults.last_mut() {
            last.path = Some(path.as_ref().to_path_buf());
        }
        self
    }

    /// The disk is full when the lengths of all its files add up to this.
    pub fn space(mut self, bytes: u64) -> Self {
        self.space = Some(bytes);
        self
    }

    fn with(mut self, call: Call, nth: u64, for_ever: bool, effect: Effect) -> Self {
        self.faults.push(Fault {
            call,
            path: None,
            nth,
            for_ever,
            effect,
            seen: 0,
        });
        self
    }

    /// Counts a call; tells what goes wrong with it.
    pub(crate) fn on_call(&mut self, call: Call, path: &Path) -> Option<Effect> {
        self.strike(call, path, |effect| !effect.is_of_single_requests())
    }

    /// Counts a single read or write; tells what goes wrong with it.
    pub(crate) fn on_request(&mut self, call: Call, path: &Path) -> Option<Effect> {
        self.strike(call, path, Effect::is_of_single_requests)
    }

    fn strike(&mut self, call: Call, path: &Path, concerns: impl Fn(&Effect) -> bool) -> Option<Effect> {
        let mut struck = None;
        for fault in &mut self.faults {
            let is_about = (fault.call == call || fault.call == Call::Any)
                && fault.path.as_ref().is_none_or(|only| only == path)
                && concerns(&fault.effect);
            if is_about {
                fault.seen += 1;
                if fault.seen == fault.nth || fault.for_ever && fault.seen > fault.nth {
                    struck = struck.or(Some(fault.effect));
                }
            }
        }
        struck
    }
}

impl Effect {
    fn is_of_single_requests(&self) -> bool {
        use Effect::*;
        matches!(
            self,
            LoseWrite | MisdirectWrite(_) | MisdirectRead(_) | FlipWrite(_) | FlipRead(_) | StaleRead | ShortRead(_)
        )
    }
}
