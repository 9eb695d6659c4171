//! The ways in which a call to the disk goes wrong.

use cica_disk::sim::{Call, Dropped, Errno, Faults};

use crate::random::Random;

/// A way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 22] = [
        Kind::Io,
        Kind::IoForEver,
        Kind::ReadsForEver,
        Kind::ReadOnly,
        Kind::NoFiles,
        Kind::NoSpace,
        Kind::NoSpaceForEver,
        Kind::Full,
        Kind::ShortWrite,
        Kind::ScatteredWrite,
        Kind::SyncLoses,
        Kind::SyncLosesLater,
        Kind::IgnoredSync,
        Kind::IgnoredSyncs,
        Kind::LostWrite,
        Kind::MisdirectedWrite,
        Kind::FlippedWrite,
        Kind::Rot,
        Kind::MisdirectedRead,
        Kind::FlippedRead,
        Kind::StaleRead,
        Kind::ShortRead,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Io => "eio",
            Kind::IoForEver => "eio-for-ever",
            Kind::ReadsForEver => "reads-for-ever",
            Kind::ReadOnly => "read-only",
            Kind::NoFiles => "no-files",
            Kind::NoSpace => "enospc",
            Kind::NoSpaceForEver => "enospc-for-ever",
            Kind::Full => "full",
            Kind::ShortWrite => "short-write",
            Kind::ScatteredWrite => "scattered-write",
            Kind::SyncLoses => "sync-loses",
            Kind::SyncLosesLater => "sync-loses-later",
            Kind::IgnoredSync => "ignored-sync",
            Kind::IgnoredSyncs => "ignored-syncs",
            Kind::LostWrite => "lost-write",
            Kind::MisdirectedWrite => "misdirected-write",
            Kind::FlippedWrite => "flipped-write",
            Kind::Rot => "rot",
            Kind::MisdirectedRead => "misdirected-read",
            Kind::FlippedRead => "flipped-read",
            Kind::StaleRead => "stale-read",
            Kind::ShortRead => "short-read",
        }
    }

    /// The calls it is about.
    pub(crate) fn call(self) -> Call {
        match self {
            Kind::Io | Kind::IoForEver | Kind::ReadOnly | Kind::NoSpace | Kind::NoSpaceForEver | Kind::Rot => Call::Any,
            Kind::ShortWrite | Kind::ScatteredWrite => Call::Write,
            Kind::LostWrite | Kind::MisdirectedWrite | Kind::FlippedWrite => Call::Write,
            Kind::ReadsForEver | Kind::MisdirectedRead | Kind::FlippedRead => Call::Read,
            Kind::StaleRead | Kind::ShortRead => Call::Read,
            Kind::SyncLoses | Kind::SyncLosesLater | Kind::IgnoredSync | Kind::IgnoredSyncs => Call::Sync,
            Kind::NoFiles => Call::Open,
            Kind::Full => Call::Size,
        }
    }

    /// Whether the device's own contents are wrong afterwards, though it said that all was well.
    pub(super) fn damages(self) -> bool {
        use Kind::*;
        matches!(self, LostWrite | MisdirectedWrite | FlippedWrite | Rot) || self.forgets()
    }

    /// Whether they are wrong after a power cut alone.
    pub(super) fn forgets(self) -> bool {
        matches!(self, Kind::IgnoredSync | Kind::IgnoredSyncs)
    }

    /// Whether a call said that all was well when it was not.
    pub(super) fn lies(self) -> bool {
        use Kind::*;
        matches!(self, MisdirectedRead | FlippedRead | StaleRead | ShortRead) || self.damages()
    }

    /// The fault at the n-th of those calls.
    pub(crate) fn faults(self, nth: u64, random: &mut Random) -> Faults {
        let none = Faults::none();
        match self {
            Kind::Io => none.fail(Call::Any, nth, Errno::Io),
            Kind::IoForEver => none.fail_from(Call::Any, nth, Errno::Io),
            Kind::ReadsForEver => none.fail_from(Call::Read, nth, Errno::Io),
            Kind::ReadOnly => none.read_only_from(nth),
            Kind::NoFiles => none.fail_from(Call::Open, nth, Errno::TooManyFiles),
            Kind::NoSpace => none.fail(Call::Any, nth, Errno::NoSpace),
            Kind::NoSpaceForEver => none.fail_from(Call::Any, nth, Errno::NoSpace),
            Kind::Full => none.full_from(nth),
            Kind::ShortWrite => none.short_write(nth, random.between(1, 5000) as usize, Errno::Io),
            Kind::ScatteredWrite => none.scatter_write(nth, random.bits(), Errno::Io),
            Kind::SyncLoses => none.forgetful_sync(nth, Dropped::Gone, Errno::Io),
            Kind::SyncLosesLater => none.forgetful_sync(nth, Dropped::StillRead, Errno::Io),
            Kind::IgnoredSync => none.ignore_sync(nth),
            Kind::IgnoredSyncs => none.ignore_sync_from(nth),
            Kind::LostWrite => none.lose_write(nth),
            Kind::MisdirectedWrite => none.misdirect_write(nth, random.between(0, 800) * 512),
            Kind::FlippedWrite => none.flip_write(nth, random.bits()),
            Kind::Rot => none.rot(nth, random.bits()),
            Kind::MisdirectedRead => none.misdirect_read(nth, random.between(0, 800) * 512),
            Kind::FlippedRead => none.flip_read(nth, random.bits()),
            Kind::StaleRead => none.stale_read(nth),
            Kind::ShortRead => none.short_read(nth, random.between(0, 4000) as usize),
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            format!("'{text}' is none of {}", names.join(", "))
        })
    }
}
