//! The ways in which a call to the disk goes wrong.

use cica_disk::sim::{Call, Dropped, Errno, Faults};

use crate::random::Random;

/// A way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// EIO, once.
    Io,
    /// EIO from then on.
    IoForEver,
    /// Reads fail from then on; writes go on.
    ReadsForEver,
    /// Nothing can be changed from then on (EROFS); reads go on.
    ReadOnly,
    /// No file can be opened from then on (EMFILE).
    NoFiles,
    /// ENOSPC, once.
    NoSpace,
    /// ENOSPC from then on.
    NoSpaceForEver,
    /// No file grows from then on (ENOSPC); what space there is can be written to.
    Full,
    /// A write does the first part of its work.
    ShortWrite,
    /// Of a batch of writes any do their work.
    ScatteredWrite,
    /// A sync loses what it covered, at once.
    SyncLoses,
    /// A sync loses what it covered, but reads go on showing it.
    SyncLosesLater,
    /// A sync is acknowledged and does nothing.
    IgnoredSync,
    /// From then on no sync does anything, and each is acknowledged.
    IgnoredSyncs,
    /// A write is acknowledged and never arrives.
    LostWrite,
    /// A write lands elsewhere in its file.
    MisdirectedWrite,
    /// A write arrives with a bit turned.
    FlippedWrite,
    /// A bit turns on the device while the store is open.
    Rot,
    /// A read brings what lies elsewhere in the file.
    MisdirectedRead,
    /// A read brings a bit turned.
    FlippedRead,
    /// A read brings what was there before the newest write.
    StaleRead,
    /// A read brings fewer bytes than there are.
    ShortRead,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [FaultKind; 22] = [
        FaultKind::Io,
        FaultKind::IoForEver,
        FaultKind::ReadsForEver,
        FaultKind::ReadOnly,
        FaultKind::NoFiles,
        FaultKind::NoSpace,
        FaultKind::NoSpaceForEver,
        FaultKind::Full,
        FaultKind::ShortWrite,
        FaultKind::ScatteredWrite,
        FaultKind::SyncLoses,
        FaultKind::SyncLosesLater,
        FaultKind::IgnoredSync,
        FaultKind::IgnoredSyncs,
        FaultKind::LostWrite,
        FaultKind::MisdirectedWrite,
        FaultKind::FlippedWrite,
        FaultKind::Rot,
        FaultKind::MisdirectedRead,
        FaultKind::FlippedRead,
        FaultKind::StaleRead,
        FaultKind::ShortRead,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Io => "eio",
            FaultKind::IoForEver => "eio-for-ever",
            FaultKind::ReadsForEver => "reads-for-ever",
            FaultKind::ReadOnly => "read-only",
            FaultKind::NoFiles => "no-files",
            FaultKind::NoSpace => "enospc",
            FaultKind::NoSpaceForEver => "enospc-for-ever",
            FaultKind::Full => "full",
            FaultKind::ShortWrite => "short-write",
            FaultKind::ScatteredWrite => "scattered-write",
            FaultKind::SyncLoses => "sync-loses",
            FaultKind::SyncLosesLater => "sync-loses-later",
            FaultKind::IgnoredSync => "ignored-sync",
            FaultKind::IgnoredSyncs => "ignored-syncs",
            FaultKind::LostWrite => "lost-write",
            FaultKind::MisdirectedWrite => "misdirected-write",
            FaultKind::FlippedWrite => "flipped-write",
            FaultKind::Rot => "rot",
            FaultKind::MisdirectedRead => "misdirected-read",
            FaultKind::FlippedRead => "flipped-read",
            FaultKind::StaleRead => "stale-read",
            FaultKind::ShortRead => "short-read",
        }
    }

    /// The calls it is about.
    pub(crate) fn call(self) -> Call {
        match self {
            FaultKind::Io
            | FaultKind::IoForEver
            | FaultKind::ReadOnly
            | FaultKind::NoSpace
            | FaultKind::NoSpaceForEver
            | FaultKind::Rot => Call::Any,
            FaultKind::ShortWrite | FaultKind::ScatteredWrite => Call::Write,
            FaultKind::LostWrite | FaultKind::MisdirectedWrite | FaultKind::FlippedWrite => Call::Write,
            FaultKind::ReadsForEver | FaultKind::MisdirectedRead | FaultKind::FlippedRead => Call::Read,
            FaultKind::StaleRead | FaultKind::ShortRead => Call::Read,
            FaultKind::SyncLoses | FaultKind::SyncLosesLater | FaultKind::IgnoredSync | FaultKind::IgnoredSyncs => {
                Call::Sync
            }
            FaultKind::NoFiles => Call::Open,
            FaultKind::Full => Call::Size,
        }
    }

    /// Whether the device's own contents are wrong afterwards, though it said that all was well.
    pub(super) fn damages(self) -> bool {
        use FaultKind::*;
        matches!(self, LostWrite | MisdirectedWrite | FlippedWrite | Rot) || self.forgets()
    }

    /// Whether they are wrong after a power cut alone.
    pub(super) fn forgets(self) -> bool {
        matches!(self, FaultKind::IgnoredSync | FaultKind::IgnoredSyncs)
    }

    /// Whether a call said that all was well when it was not.
    pub(super) fn lies(self) -> bool {
        use FaultKind::*;
        matches!(self, MisdirectedRead | FlippedRead | StaleRead | ShortRead) || self.damages()
    }

    /// The fault at the n-th of those calls.
    pub(crate) fn faults(self, nth: u64, random: &mut Random) -> Faults {
        let none = Faults::none();
        match self {
            FaultKind::Io => none.fail(Call::Any, nth, Errno::Io),
            FaultKind::IoForEver => none.fail_from(Call::Any, nth, Errno::Io),
            FaultKind::ReadsForEver => none.fail_from(Call::Read, nth, Errno::Io),
            FaultKind::ReadOnly => none.read_only_from(nth),
            FaultKind::NoFiles => none.fail_from(Call::Open, nth, Errno::TooManyFiles),
            FaultKind::NoSpace => none.fail(Call::Any, nth, Errno::NoSpace),
            FaultKind::NoSpaceForEver => none.fail_from(Call::Any, nth, Errno::NoSpace),
            FaultKind::Full => none.full_from(nth),
            FaultKind::ShortWrite => none.short_write(nth, random.between(1, 5000) as usize, Errno::Io),
            FaultKind::ScatteredWrite => none.scatter_write(nth, random.bits(), Errno::Io),
            FaultKind::SyncLoses => none.forgetful_sync(nth, Dropped::Gone, Errno::Io),
            FaultKind::SyncLosesLater => none.forgetful_sync(nth, Dropped::StillRead, Errno::Io),
            FaultKind::IgnoredSync => none.ignore_sync(nth),
            FaultKind::IgnoredSyncs => none.ignore_sync_from(nth),
            FaultKind::LostWrite => none.lose_write(nth),
            FaultKind::MisdirectedWrite => none.misdirect_write(nth, random.between(0, 800) * 512),
            FaultKind::FlippedWrite => none.flip_write(nth, random.bits()),
            FaultKind::Rot => none.rot(nth, random.bits()),
            FaultKind::MisdirectedRead => none.misdirect_read(nth, random.between(0, 800) * 512),
            FaultKind::FlippedRead => none.flip_read(nth, random.bits()),
            FaultKind::StaleRead => none.stale_read(nth),
            FaultKind::ShortRead => none.short_read(nth, random.between(0, 4000) as usize),
        }
    }
}

impl std::str::FromStr for FaultKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        FaultKind::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| {
                let names: Vec<_> = FaultKind::ALL.iter().map(|kind| kind.name()).collect();
                format!("'{text}' is none of {}", names.join(", "))
            })
    }
}
