//! How many blocks, index entries and overflow records go on a track and a cylinder of a 3330-1.
//!
//! 1. A record on a track takes its key, its data and a gap; what a track holds is what the device held (13,165 bytes).
//! 2. The track index is at the beginning of its cylinder. If a block fits behind it, that track is shared.
//! 3. In the file each track has the same space, and what stands on it a fixed place.

use crate::IsamError;

/// Bytes of a track, gaps included.
pub const TRACK_BYTES: usize = 13_165;
/// A gap, of a record with a key.
const GAP: usize = 191;
/// Tracks of a cylinder.
pub(crate) const TRACKS: u32 = 19;
/// Bytes of the file for each track.
const TRACK_SPACE: u64 = 13_312;
/// Cylinders of a pack.
const CYLINDERS: u32 = 404;
/// Data of an index entry, and the link of an overflow record.
pub(crate) const LINK: usize = 10;
/// The cylinder overflow control record, and what is before the other records of a track.
pub(crate) const COCR: usize = 12;
const HEAD: usize = 16;
/// The checksum before each record.
pub(crate) const SUM: usize = 4;

/// What is stated of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Organization {
    /// LRECL, bytes.
    pub lrecl: u16,
    /// Records of a block: BLKSIZE is this times LRECL.
    pub blocking: u16,
    /// RKP: where the key is in a record.
    pub key_at: u16,
    /// KEYLEN, bytes.
    pub key_len: u8,
    /// CYLOFL: tracks of each cylinder for overflow.
    pub overflow_tracks: u8,
    /// Cylinders of the prime area.
    pub prime_cylinders: u16,
    /// Cylinders of the independent overflow area.
    pub independent_cylinders: u16,
}

/// What stands on a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Area {
    /// The cylinder overflow control record.
    Control,
    /// Index entries from this one.
    Index(u32),
    /// Blocks from this one.
    Block(u32),
    /// An overflow record.
    Overflow(u32),
}

/// Where something lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// Byte of the file.
    pub at: u64,
    /// Bytes in the file, checksum included.
    pub len: usize,
    /// Byte of the track on the device.
    pub angle: usize,
    /// Bytes on the device.
    pub physical: usize,
}

/// The same, worked out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometry {
    pub of: Organization,
    /// Blocks of a track.
    pub per_track: u32,
    /// Blocks behind the track index.
    pub shared: u32,
    /// Tracks of a cylinder that have blocks.
    pub data_tracks: u32,
    /// Overflow records of a track.
    pub overflow_per_track: u32,
    /// Entries of a track of the cylinder index.
    pub entries_per_track: u32,
}

impl Organization {
    /// BLKSIZE.
    pub fn block_size(&self) -> usize {
        usize::from(self.lrecl) * usize::from(self.blocking)
    }

    /// Blocks of a full track.
    ///
    /// # Errors
    /// The device has no room for such a data set.
    pub fn blocks_per_track(&self) -> Result<u32, IsamError> {
        Ok(Geometry::new(*self)?.per_track)
    }
}

impl Geometry {
    pub fn new(of: Organization) -> Result<Geometry, IsamError> {
        let wrong = |why: String| Err(IsamError::Organization(why));
        let key = usize::from(of.key_len);
        if of.lrecl == 0 || of.blocking == 0 || key == 0 {
            return wrong("record, block and key must have a length".into());
        }
        if usize::from(of.key_at) + key > usize::from(of.lrecl) {
            return wrong(format!("a key of {key} bytes at {} is not in the record", of.key_at));
        }
        let cylinders = 1 + u32::from(of.prime_cylinders) + u32::from(of.independent_cylinders);
        if of.prime_cylinders == 0 || cylinders > CYLINDERS {
            return wrong(format!("{cylinders} cylinders with the index: a pack has {CYLINDERS}"));
        }
        let fit = |data: usize, bytes: usize| (bytes / (key + data + GAP)) as u32;
        let per_track = fit(of.block_size(), TRACK_BYTES);
        let overflow_per_track = fit(usize::from(of.lrecl) + LINK, TRACK_BYTES);
        let tracks = TRACKS.saturating_sub(of.overflow_tracks.into());
        if per_track == 0 || overflow_per_track == 0 {
            return wrong(format!("a block of {} bytes does not fit on a track", of.block_size()));
        }
        if tracks < 2 {
            return wrong("overflow tracks leave a cylinder no room".into());
        }
        let index = |tracks: u32| (2 * tracks as usize + 1) * (key + LINK + GAP);
        let shared = fit(of.block_size(), TRACK_BYTES.saturating_sub(index(tracks)));
        let data_tracks = if shared > 0 { tracks } else { tracks - 1 };
        if index(data_tracks) > TRACK_BYTES {
            return wrong(format!(
                "with a key of {key} bytes the track index does not fit on a track"
            ));
        }
        let entries_per_track = fit(LINK, TRACK_BYTES);
        if u32::from(of.prime_cylinders) > entries_per_track * (TRACKS - 1) {
            return wrong("the cylinder index does not fit on a cylinder".into());
        }
        Ok(Geometry {
            of,
            per_track,
            shared,
            data_tracks,
            overflow_per_track,
            entries_per_track,
        })
    }

    /// Entries of a track index, the last of which ends it.
    pub fn entries(&self) -> u32 {
        2 * self.data_tracks + 1
    }

    /// Which track of its cylinder the data track `nth` is.
    pub fn track(&self, nth: u32) -> u32 {
        if self.shared > 0 {
            nth
        } else {
            nth + 1
        }
    }

    /// Blocks that it holds.
    pub fn blocks_of(&self, nth: u32) -> u32 {
        if self.shared > 0 && nth == 0 {
            self.shared
        } else {
            self.per_track
        }
    }

    pub fn key<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        let at = usize::from(self.of.key_at);
        &record[at..at + usize::from(self.of.key_len)]
    }

    /// Overflow records that the tracks of a cylinder hold.
    pub fn cylinder_overflow(&self) -> u32 {
        u32::from(self.of.overflow_tracks) * self.overflow_per_track
    }

    /// Those of the independent area.
    pub fn independent_overflow(&self) -> u32 {
        u32::from(self.of.independent_cylinders) * TRACKS * self.overflow_per_track
    }

    /// Where the cylinder index has the entry of a cylinder.
    pub fn cylinder_entry(&self, cylinder: u32) -> ((u32, u32), Area) {
        let n = cylinder - 1;
        let track = 1 + n / self.entries_per_track;
        ((0, track), Area::Index(n % self.entries_per_track))
    }

    pub fn slot(&self, cylinder: u32, track: u32, area: Area) -> Slot {
        let key = usize::from(self.of.key_len);
        let (entry, block) = (key + LINK, 2 + key + self.of.block_size());
        let indexed = match track {
            0 if self.shared > 0 => self.entries() as usize,
            _ => 0,
        };
        let (within, len, angle, physical) = match area {
            Area::Control => (0, COCR, 0, GAP),
            Area::Index(n) => {
                let n = n as usize;
                (HEAD + n * (SUM + entry), entry, n * (entry + GAP), entry + GAP)
            }
            Area::Block(n) => {
                let (n, long) = (n as usize, block - 2 + GAP);
                let before = HEAD + indexed * (SUM + entry);
                (
                    before + n * (SUM + block),
                    block,
                    indexed * (entry + GAP) + n * long,
                    long,
                )
            }
            Area::Overflow(n) => {
                let (n, len) = (n as usize, key + LINK + usize::from(self.of.lrecl));
                (HEAD + n * (SUM + len), len, n * (len + GAP), len + GAP)
            }
        };
        Slot {
            at: u64::from(cylinder * TRACKS + track) * TRACK_SPACE + within as u64,
            len: SUM + len,
            angle,
            physical,
        }
    }

    /// Bytes that a file with so many cylinders has.
    pub fn file_len(&self) -> u64 {
        let cylinders = 1 + u64::from(self.of.prime_cylinders) + u64::from(self.of.independent_cylinders);
        cylinders * u64::from(TRACKS) * TRACK_SPACE
    }
}
