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
    /// ENOSPC, once.
    NoSpace,
    /// ENOSPC from then on.
    NoSpaceForEver,
    /// A write does part of its work.
    ShortWrite,
    /// A sync loses what it covered, at once.
    SyncLoses,
    /// A sync loses what it covered, but reads go on showing it.
    SyncLosesLater,
    /// A write is acknowledged and never arrives.
    LostWrite,
    /// A write lands elsewhere in its file.
    MisdirectedWrite,
    /// A write arrives with a bit turned.
    FlippedWrite,
    /// A read brings what lies elsewhere in the file.
    MisdirectedRead,
    /// A read brings a bit turned.
    FlippedRead,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 12] = [
        Kind::Io,
        Kind::IoForEver,
        Kind::NoSpace,
        Kind::NoSpaceForEver,
        Kind::ShortWrite,
        Kind::SyncLoses,
        Kind::SyncLosesLater,
        Kind::LostWrite,
        Kind::MisdirectedWrite,
        Kind::FlippedWrite,
        Kind::MisdirectedRead,
        Kind::FlippedRead,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Io => "eio",
            Kind::IoForEver => "eio-for-ever",
            Kind::NoSpace => "enospc",
            Kind::NoSpaceForEver => "enospc-for-ever",
            Kind::ShortWrite => "short-write",
            Kind::SyncLoses => "sync-loses",
            Kind::SyncLosesLater => "sync-loses-later",
            Kind::LostWrite => "lost-write",
            Kind::MisdirectedWrite => "misdirected-write",
            Kind::FlippedWrite => "flipped-write",
            Kind::MisdirectedRead => "misdirected-read",
            Kind::FlippedRead => "flipped-read",
        }
    }

    /// The calls it is about.
    pub(super) fn call(self) -> Call {
        match self {
            Kind::Io | Kind::IoForEver | Kind::NoSpace | Kind::NoSpaceForEver => Call::Any,
            Kind::ShortWrite | Kind::LostWrite | Kind::MisdirectedWrite | Kind::FlippedWrite => Call::Write,
            Kind::MisdirectedRead | Kind::FlippedRead => Call::Read,
            Kind::SyncLoses | Kind::SyncLosesLater => Call::Sync,
        }
    }

    /// Whether the device's own contents are wrong afterwards, though it said that all was well.
    pub(super) fn damages(self) -> bool {
        matches!(self, Kind::LostWrite | Kind::MisdirectedWrite | Kind::FlippedWrite)
    }

    /// Whether a call said that all was well when it was not.
    pub(super) fn lies(self) -> bool {
        self.damages() || matches!(self, Kind::MisdirectedRead | Kind::FlippedRead)
    }

    /// The fault at the n-th of those calls.
    pub(super) fn faults(self, nth: u64, random: &mut Random) -> Faults {
        let none = Faults::none();
        match self {
            Kind::Io => none.fail(Call::Any, nth, Errno::Io),
            Kind::IoForEver => none.fail_from(Call::Any, nth, Errno::Io),
            Kind::NoSpace => none.fail(Call::Any, nth, Errno::NoSpace),
            Kind::NoSpaceForEver => none.fail_from(Call::Any, nth, Errno::NoSpace),
            Kind::ShortWrite => none.short_write(nth, random.between(1, 5000) as usize, Errno::Io),
            Kind::SyncLoses => none.forgetful_sync(nth, Dropped::Gone, Errno::Io),
            Kind::SyncLosesLater => none.forgetful_sync(nth, Dropped::StillRead, Errno::Io),
            Kind::LostWrite => none.lose_write(nth),
            Kind::MisdirectedWrite => none.misdirect_write(nth, random.between(0, 800) * 512),
            Kind::FlippedWrite => none.flip_write(nth, random.bits()),
            Kind::MisdirectedRead => none.misdirect_read(nth, random.between(0, 800) * 512),
            Kind::FlippedRead => none.flip_read(nth, random.bits()),
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
