//! System-determined block size: what z/OS chooses for a data set on disk when BLKSIZE is not stated, which is the
//! largest block that fits twice on a track of the device.
//!
//! A file here has no tracks, but a VB file is blocked, and one written on Linux should look like one from a mainframe.

use std::fmt;

use crate::limits::{DESCRIPTOR, MAX_LRECL};
use crate::recfm::RecordFormat;

/// Device types and the largest block of which two fit on a track, in bytes.
const HALF_TRACK: [(&str, u32); 7] = [
    ("3330-1", 6_447),
    ("3350", 9_442),
    ("3375", 17_600),
    ("3380", 23_476),
    ("3390", 27_998),
    ("9345", 22_928),
    // FBA has no tracks: only the length of a block that a BDW can tell bounds it.
    ("FBA", MAX_LRECL),
];

/// The half-track block of the 3390, the default device.
const DEFAULT_HALF_TRACK: u32 = 27_998;

/// The block size z/OS would determine on `device` (`3390`, `3380`, `3330-1`, ...) for a record format and LRECL.
///
/// F: LRECL. FB: the largest multiple of LRECL within half a track, or one LRECL if that is longer. V and VS: LRECL+4.
/// VB and VBS: half a track, or LRECL+4 if that is longer (VB). An LRECL of 0 (not stated) is taken as the longest.
/// U and Text have none.
pub fn system_determined(device: &str, recfm: RecordFormat, lrecl: u32) -> Result<u32, BlockSizeError> {
    let known = HALF_TRACK.iter().find(|(name, _)| name.eq_ignore_ascii_case(device));
    let (_, half_track) = known.ok_or_else(|| BlockSizeError::UnknownDevice {
        device: device.to_owned(),
    })?;
    within(*half_track, recfm, lrecl).ok_or(BlockSizeError::NoBlocks { recfm })
}

/// The system-determined block size on the default device, 0 where the format has none.
pub(crate) fn on_default_device(recfm: RecordFormat, lrecl: u32) -> u32 {
    within(DEFAULT_HALF_TRACK, recfm, lrecl).unwrap_or(0)
}

fn within(half_track: u32, recfm: RecordFormat, lrecl: u32) -> Option<u32> {
    let one_record = match lrecl {
        0 => MAX_LRECL,
        _ => lrecl.saturating_add(DESCRIPTOR).min(MAX_LRECL),
    };
    match recfm {
        RecordFormat::F => Some(lrecl),
        RecordFormat::FB if lrecl == 0 => Some(0),
        RecordFormat::FB => Some((half_track / lrecl).max(1) * lrecl),
        RecordFormat::V => Some(one_record),
        RecordFormat::VB if lrecl == 0 => Some(half_track),
        RecordFormat::VB => Some(half_track.max(one_record)),
        // A spanned record goes on in the next block, so a block never needs to be longer than half a track.
        RecordFormat::VS => Some(half_track.min(one_record)),
        RecordFormat::VBS => Some(half_track),
        RecordFormat::U | RecordFormat::Text => None,
    }
}

/// Why no block size can be determined.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockSizeError {
    /// The device type is not one of the table.
    UnknownDevice {
        /// The name as given.
        device: String,
    },
    /// The record format leaves the block size to the user (U) or has no blocks (Text).
    NoBlocks {
        /// The record format.
        recfm: RecordFormat,
    },
}

impl fmt::Display for BlockSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockSizeError::UnknownDevice { device } => {
                let names: Vec<&str> = HALF_TRACK.iter().map(|(name, _)| *name).collect();
                write!(f, "no device type is called '{device}'; known are {}", names.join(", "))
            }
            BlockSizeError::NoBlocks { recfm } => {
                write!(
                    f,
                    "there is no system-determined block size for RECFM={recfm}; state BLKSIZE if it is U"
                )
            }
        }
    }
}

impl std::error::Error for BlockSizeError {}
