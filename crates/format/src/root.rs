//! The root of a component file: who it is, its attributes, and the references from which everything else is reached.
//!
//! Two copies of [`AREA_LEN`] bytes stand at the start of the file. In the data component the valid copy with the
//! higher version is the cluster's committed state; in the index component the copy that the data root names.

use crate::attributes::{self, Attributes};
use crate::bytes::{le16, le32, le64, need, put, put_text, text};
use crate::checksum::{crc32c, own_checksum};
use crate::error::FormatError;
use crate::table::{put_refs, refs, Ref, REF_LEN};

/// Bytes reserved for each copy; the fixed part is [`FIXED_LEN`], table references follow it.
pub const AREA_LEN: usize = 65_536;
/// Bytes before the table references.
pub const FIXED_LEN: usize = 8192;
/// First eight bytes.
pub const MAGIC: [u8; 8] = *b"CICAROOT";
/// Format version this code writes; it refuses newer ones.
pub const FORMAT: u16 = 4;
/// The oldest that it reads. In format 1 the checksums of CIs were of another kind.
const OLDEST: u16 = 2;
/// Free regions that the fixed part lists; further ones follow the table references.
const FIXED_REGIONS: usize = 512;
/// Bytes of a region's number.
const REGION_LEN: usize = 4;

/// Which component of the cluster the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Data component.
    Data,
    /// Index component.
    Index,
}

/// Counters as LISTCAT shows them, kept in the data root (both components).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Records in the component now.
    pub records: u64,
    /// Records erased since load.
    pub deleted: u64,
    /// Records inserted since load.
    pub inserted: u64,
    /// Records updated.
    pub updated: u64,
    /// Records retrieved.
    pub retrieved: u64,
    /// CI splits.
    pub ci_splits: u64,
    /// CA splits.
    pub ca_splits: u64,
    /// CAs reclaimed.
    pub ca_reclaims: u64,
    /// CAs reused after reclaim.
    pub ca_reuses: u64,
    /// Physical I/Os.
    pub excps: u64,
    /// Bytes of free space in used and free CIs.
    pub free_space: u64,
    /// Nanoseconds since 1970 of the last close after a change.
    pub last_change: u64,
}

/// What the records of a compressed data set take. Of a VRRDS without the record numbers in front of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordSizes {
    /// Bytes that users have: USER-DATA-SIZE.
    pub user: u64,
    /// Bytes that are stored, forms included: COMP-USER-DATA-SIZE.
    pub stored: u64,
    /// Records that are stored plain.
    pub plain: u64,
}

/// The log a data set's later requests are in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPosition {
    /// Id of the log, 0 = none: the data set is complete as it stands.
    pub log: u64,
    /// File name of the log (at most 255 bytes), empty when `log` is 0.
    pub path: String,
    /// Requests up to this LSN are in the tree.
    pub lsn: u64,
    /// The log was named before any of the later requests was durable: where it is not there, none of them was.
    pub early: bool,
    /// Which open of the data set logs, or did last: as the log says it too. Each is above those before. 0 in roots of
    /// before format 3.
    pub origin: u64,
}

/// A state of an alternate index: its last change through its base. Later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Stamp {
    /// Which open of the alternate index made the change, or built it; 0: nothing is known.
    pub origin: u64,
    /// LSN of the change.
    pub lsn: u64,
}

/// What an alternate index was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BuiltFrom {
    /// Lineage of the base; 0: nothing is known.
    pub lineage: u64,
    /// The open of the base that had changed it last.
    pub origin: u64,
}

/// What a base knows of an alternate index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// Lineage of the alternate index.
    pub lineage: u64,
    /// Its state as of the base's.
    pub stamp: Stamp,
}

/// Where in each copy's place the dictionaries of a compressed data set begin, and the room for each.
const DICTIONARIES: usize = 32_768;
/// Room for a dictionary.
pub const DICTIONARY_LEN: usize = 4096;

/// Numbers of dictionaries: from 1 to this.
pub const MAX_DICTIONARIES: usize = 15;

/// Offset of the dictionary with this number (generation), from 1 to 15: they stand behind both copies in turn.
pub const fn dictionary_at(generation: u8) -> u64 {
    let (copy, place) = (generation & 1, (generation >> 1) & 7);
    copy as u64 * AREA_LEN as u64 + (DICTIONARIES + place as usize * DICTIONARY_LEN) as u64
}

/// A decoded root.
#[derive(Debug, Clone, PartialEq)]
pub struct Root {
    /// Version; copy `version & 1`.
    pub version: u32,
    /// Data or index.
    pub part: Part,
    /// Id of this component, unique.
    pub component: u64,
    /// Id of the cluster, the same in both components.
    pub cluster: u64,
    /// Cluster name, component name and all attributes (see [`Attributes`]).
    pub attributes: Attributes,
    /// Where later requests are.
    pub log: LogPosition,
    /// Cluster id of the first data set of which this one, made anew as a whole, took the place; 0: none.
    pub lineage: u64,
    /// Of an alternate index: its state, of which its base has a tie.
    pub stamp: Stamp,
    /// Of an alternate index: what it was built from.
    pub built_from: BuiltFrom,
    /// Of a base: the states of its alternate indexes (at most [`MAX_TIES`]).
    pub ties: Vec<Tie>,
    /// Counters.
    pub statistics: Statistics,
    /// Of a compressed data set: what its records take, where it is known (see [`Root::record_sizes`]).
    pub sizes: Option<RecordSizes>,
    /// Of a compressed data set: the checksum of each dictionary that its records may need, by number from 1; 0: there
    /// is none of this number, or an earlier version that did not name it has written here.
    pub dictionaries: [u32; MAX_DICTIONARIES],
    /// Of a compressed data set: dictionaries up to this number have been made, as far as the writer knew. 0: none, or
    /// an earlier version has written here.
    pub last_dictionary: u8,
    /// CAs in use or once used: CA numbers are below this.
    pub ca_count: u32,
    /// First CA on the free chain, `u32::MAX` = none.
    pub free_ca: u32,
    /// Regions the file has room for.
    pub region_count: u32,
    /// Regions no CA uses (at most [`Root::max_free_regions`]).
    pub free_regions: Vec<u32>,
    /// Index: CI number of the root node of the B-tree, `u32::MAX` = empty. Data: same value as the index component's.
    pub top: u32,
    /// Index levels, 0 = empty.
    pub levels: u8,
    /// Data component: the root of the index component (version, checksum). Index component: zero.
    pub index_root: Ref,
    /// End of the high-used area in bytes (HI-U-RBA).
    pub high_used: u64,
    /// End of the allocated area in bytes (HI-A-RBA).
    pub high_allocated: u64,
    /// Extents taken so far.
    pub extents: u32,
    /// Of these, extents on each volume after the first, in the order of the volumes listed.
    pub further_extents: Vec<u16>,
    /// One per table block.
    pub tables: Vec<Ref>,
}

/// Most volumes after the first.
pub const MAX_FURTHER_VOLUMES: usize = 58;
/// Most ties.
pub const MAX_TIES: usize = 122;
/// Bytes of one.
const TIE_LEN: usize = 24;
/// Longest log file name.
pub const LOG_PATH_LEN: usize = 255;

/// A root is a whole number of these.
const BLOCK_LEN: usize = 4096;
/// Bytes that say how to read the rest.
const HEAD_LEN: usize = 32;
/// How the byte order mark reads for who writes like us.
const BYTE_ORDER: u32 = 0x0102_0304;
/// Name in messages.
const WHAT: &str = "root";

mod at {
    //! Offsets, see `docs/format/root.md`.
    pub const BYTE_ORDER: usize = 8;
    pub const FORMAT: usize = 12;
    pub const LEN: usize = 16;
    pub const CHECKSUM: usize = 20;
    pub const VERSION: usize = 24;
    pub const PART: usize = 28;
    pub const LEVELS: usize = 29;
    pub const COMPONENT: usize = 32;
    pub const CLUSTER: usize = 40;
    pub const HIGH_USED: usize = 48;
    pub const HIGH_ALLOCATED: usize = 56;
    pub const CA_COUNT: usize = 64;
    pub const FREE_CA: usize = 68;
    pub const REGION_COUNT: usize = 72;
    pub const TOP: usize = 76;
    pub const EXTENTS: usize = 80;
    pub const FREE_REGION_COUNT: usize = 84;
    pub const TABLE_COUNT: usize = 88;
    pub const FURTHER_COUNT: usize = 92;
    pub const INDEX_ROOT: usize = 96;
    pub const STATISTICS: usize = 128;
    pub const STAMP: usize = 224;
    pub const BUILT_LINEAGE: usize = 240;
    pub const BUILT_ORIGIN: usize = 248;
    pub const LOG: usize = 256;
    pub const LOG_LSN: usize = 264;
    pub const LOG_PATH: usize = 272;
    pub const LOG_EARLY: usize = 527;
    pub const LOG_ORIGIN: usize = 528;
    pub const LINEAGE: usize = 536;
    pub const SIZES_KNOWN: usize = 544;
    pub const LAST_DICTIONARY: usize = 545;
    pub const USER_SIZE: usize = 552;
    pub const STORED_SIZE: usize = 560;
    pub const PLAIN_RECORDS: usize = 568;
    pub const DICTIONARIES: usize = 576;
    pub const ATTRIBUTES: usize = 768;
    pub const FURTHER_EXTENTS: usize = 1024;
    pub const TIE_COUNT: usize = 1144;
    pub const TIES: usize = 1152;
    pub const FREE_REGIONS: usize = 4096;
}

impl Root {
    /// Bytes that a root may take: of a compressed data set the dictionaries stand behind it.
    pub const fn room(compressed: bool) -> usize {
        if compressed {
            DICTIONARIES
        } else {
            AREA_LEN
        }
    }

    /// Most table blocks a root can name.
    pub const fn max_tables(compressed: bool) -> usize {
        (Self::room(compressed) - FIXED_LEN) / REF_LEN
    }

    /// Most free regions a root with so many table blocks can list.
    pub const fn max_free_regions(tables: usize, compressed: bool) -> usize {
        FIXED_REGIONS + (Self::room(compressed) - FIXED_LEN).saturating_sub(tables * REF_LEN) / REGION_LEN
    }

    /// What stays when the data set is made anew as a whole: what ties of it are found by.
    pub fn lineage(&self) -> u64 {
        match self.lineage {
            0 => self.cluster,
            lineage => lineage,
        }
    }

    /// What the records of a compressed data set take; `None`: it is not compressed, or an earlier version that did not
    /// count it has written here.
    pub fn record_sizes(&self) -> Option<RecordSizes> {
        let known = match (self.sizes, self.statistics.records) {
            // Whoever wrote it: no records take nothing.
            (None, 0) => Some(RecordSizes::default()),
            (sizes, _) => sizes,
        };
        known.filter(|_| self.attributes.compressed)
    }

    /// Extents and bytes on the volume with this number in the list of volumes, from 0. On each volume the first extent
    /// is the primary amount.
    pub fn on_volume(&self, volume: usize) -> (u32, u64) {
        let further = |extents: &u16| match u64::from(*extents) {
            0 => 0,
            extents => {
                let more = (extents - 1).saturating_mul(self.attributes.secondary);
                self.attributes.primary.saturating_add(more)
            }
        };
        match volume.checked_sub(1) {
            Some(n) => {
                let extents = self.further_extents.get(n).copied().unwrap_or(0);
                (extents.into(), further(&extents))
            }
            None => {
                let others = self.further_extents.iter().map(|n| u32::from(*n)).sum();
                let bytes = self.further_extents.iter().map(further).fold(0, u64::saturating_add);
                (
                    self.extents.saturating_sub(others),
                    self.high_allocated.saturating_sub(bytes),
                )
            }
        }
    }

    /// The root as bytes: a multiple of 4,096, at most [`AREA_LEN`].
    ///
    /// # Errors
    /// Names the field that cannot be written.
    pub fn encode(&self) -> Result<Vec<u8>, FormatError> {
        fits(
            "number of free regions",
            self.free_regions.len(),
            Self::max_free_regions(self.tables.len(), self.attributes.compressed),
            "no more than there is room for behind the tables",
        )?;
        fits(
            "number of table blocks",
            self.tables.len(),
            Self::max_tables(self.attributes.compressed),
            "at most 7,168, and 3,072 of a compressed data set",
        )?;
        fits_volumes(self.further_extents.len())?;
        fits_ties(self.ties.len())?;
        let mut out = vec![0; encoded_len(self.tables.len(), self.free_regions.len())];
        put(&mut out, 0, &MAGIC);
        put(&mut out, at::BYTE_ORDER, &BYTE_ORDER.to_le_bytes());
        put(&mut out, at::FORMAT, &FORMAT.to_le_bytes());
        let len = out.len() as u32;
        put(&mut out, at::LEN, &len.to_le_bytes());
        self.encode_fixed(&mut out)?;
        put_refs(&mut out[FIXED_LEN..], &self.tables);
        let checksum = own_checksum(&out, at::CHECKSUM);
        put(&mut out, at::CHECKSUM, &checksum.to_le_bytes());
        Ok(out)
    }

    fn encode_fixed(&self, out: &mut [u8]) -> Result<(), FormatError> {
        put(out, at::VERSION, &self.version.to_le_bytes());
        out[at::PART] = self.part.code();
        out[at::LEVELS] = self.levels;
        put(out, at::COMPONENT, &self.component.to_le_bytes());
        put(out, at::CLUSTER, &self.cluster.to_le_bytes());
        put(out, at::HIGH_USED, &self.high_used.to_le_bytes());
        put(out, at::HIGH_ALLOCATED, &self.high_allocated.to_le_bytes());
        put(out, at::CA_COUNT, &self.ca_count.to_le_bytes());
        put(out, at::FREE_CA, &self.free_ca.to_le_bytes());
        put(out, at::REGION_COUNT, &self.region_count.to_le_bytes());
        put(out, at::TOP, &self.top.to_le_bytes());
        put(out, at::EXTENTS, &self.extents.to_le_bytes());
        put(
            out,
            at::FREE_REGION_COUNT,
            &(self.free_regions.len() as u32).to_le_bytes(),
        );
        put(out, at::TABLE_COUNT, &(self.tables.len() as u32).to_le_bytes());
        put(
            out,
            at::FURTHER_COUNT,
            &(self.further_extents.len() as u32).to_le_bytes(),
        );
        for (n, extents) in self.further_extents.iter().enumerate() {
            put(out, at::FURTHER_EXTENTS + 2 * n, &extents.to_le_bytes());
        }
        put_refs(&mut out[at::INDEX_ROOT..at::INDEX_ROOT + REF_LEN], &[self.index_root]);
        for (n, counter) in self.statistics.to_array().iter().enumerate() {
            put(out, at::STATISTICS + 8 * n, &counter.to_le_bytes());
        }
        put(out, at::LOG, &self.log.log.to_le_bytes());
        put(out, at::LOG_LSN, &self.log.lsn.to_le_bytes());
        out[at::LOG_EARLY] = self.log.early.into();
        put(out, at::LOG_ORIGIN, &self.log.origin.to_le_bytes());
        self.stamp.put(out, at::STAMP);
        put(out, at::BUILT_LINEAGE, &self.built_from.lineage.to_le_bytes());
        put(out, at::BUILT_ORIGIN, &self.built_from.origin.to_le_bytes());
        put(out, at::LINEAGE, &self.lineage.to_le_bytes());
        if let Some(sizes) = self.sizes {
            out[at::SIZES_KNOWN] = 1;
            put(out, at::USER_SIZE, &sizes.user.to_le_bytes());
            put(out, at::STORED_SIZE, &sizes.stored.to_le_bytes());
            put(out, at::PLAIN_RECORDS, &sizes.plain.to_le_bytes());
        }
        out[at::LAST_DICTIONARY] = self.last_dictionary;
        for (n, checksum) in self.dictionaries.iter().enumerate() {
            put(out, at::DICTIONARIES + 4 * n, &checksum.to_le_bytes());
        }
        put(out, at::TIE_COUNT, &(self.ties.len() as u32).to_le_bytes());
        for (n, tie) in self.ties.iter().enumerate() {
            let at = at::TIES + TIE_LEN * n;
            put(out, at, &tie.lineage.to_le_bytes());
            tie.stamp.put(out, at + 8);
        }
        put_text(WHAT, "log file name", out, (at::LOG_PATH, LOG_PATH_LEN), &self.log.path)?;
        self.attributes
            .encode(&mut out[at::ATTRIBUTES..at::ATTRIBUTES + attributes::ENCODED_LEN])?;
        for (n, region) in self.free_regions.iter().enumerate() {
            put(out, region_at(n, self.tables.len()), &region.to_le_bytes());
        }
        Ok(())
    }

    /// Reads a root from the start of `bytes`, which may be longer.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    pub fn decode(bytes: &[u8]) -> Result<Root, FormatError> {
        let len = Self::encoded_len_hint(bytes)?;
        need(WHAT, bytes, len)?;
        let bytes = &bytes[..len];
        if le32(bytes, at::CHECKSUM) != own_checksum(bytes, at::CHECKSUM) {
            return Err(FormatError::Checksum { what: WHAT });
        }
        let tables = le32(bytes, at::TABLE_COUNT) as usize;
        fits(
            "number of table blocks",
            tables,
            (len - FIXED_LEN) / REF_LEN,
            "no more than its length has room for",
        )?;
        let free_regions = le32(bytes, at::FREE_REGION_COUNT) as usize;
        fits(
            "number of free regions",
            free_regions,
            FIXED_REGIONS + (len - FIXED_LEN - tables * REF_LEN) / REGION_LEN,
            "no more than its length has room for",
        )?;
        let further = le32(bytes, at::FURTHER_COUNT) as usize;
        fits_volumes(further)?;
        let ties = le32(bytes, at::TIE_COUNT) as usize;
        fits_ties(ties)?;
        Ok(Root {
            version: le32(bytes, at::VERSION),
            part: Part::of(bytes[at::PART])?,
            component: le64(bytes, at::COMPONENT),
            cluster: le64(bytes, at::CLUSTER),
            attributes: Attributes::decode(&bytes[at::ATTRIBUTES..at::ATTRIBUTES + attributes::ENCODED_LEN])?,
            log: LogPosition {
                log: le64(bytes, at::LOG),
                path: text(WHAT, "log file name", bytes, (at::LOG_PATH, LOG_PATH_LEN))?,
                lsn: le64(bytes, at::LOG_LSN),
                early: bytes[at::LOG_EARLY] != 0,
                origin: le64(bytes, at::LOG_ORIGIN),
            },
            lineage: le64(bytes, at::LINEAGE),
            stamp: Stamp::of(bytes, at::STAMP),
            built_from: BuiltFrom {
                lineage: le64(bytes, at::BUILT_LINEAGE),
                origin: le64(bytes, at::BUILT_ORIGIN),
            },
            ties: (0..ties).map(|n| Tie::of(bytes, at::TIES + TIE_LEN * n)).collect(),
            statistics: Statistics::from_array(|n| le64(bytes, at::STATISTICS + 8 * n)),
            sizes: (bytes[at::SIZES_KNOWN] != 0).then(|| RecordSizes {
                user: le64(bytes, at::USER_SIZE),
                stored: le64(bytes, at::STORED_SIZE),
                plain: le64(bytes, at::PLAIN_RECORDS),
            }),
            last_dictionary: bytes[at::LAST_DICTIONARY],
            dictionaries: std::array::from_fn(|n| le32(bytes, at::DICTIONARIES + 4 * n)),
            ca_count: le32(bytes, at::CA_COUNT),
            free_ca: le32(bytes, at::FREE_CA),
            region_count: le32(bytes, at::REGION_COUNT),
            free_regions: (0..free_regions).map(|n| le32(bytes, region_at(n, tables))).collect(),
            top: le32(bytes, at::TOP),
            levels: bytes[at::LEVELS],
            index_root: Ref {
                version: le32(bytes, at::INDEX_ROOT),
                checksum: le32(bytes, at::INDEX_ROOT + 4),
            },
            high_used: le64(bytes, at::HIGH_USED),
            high_allocated: le64(bytes, at::HIGH_ALLOCATED),
            extents: le32(bytes, at::EXTENTS),
            further_extents: (0..further).map(|n| le16(bytes, at::FURTHER_EXTENTS + 2 * n)).collect(),
            tables: refs(&bytes[FIXED_LEN..], tables),
        })
    }

    /// Full length of the root that starts with these bytes (its first 4,096 are more than enough). Its checksum is not
    /// looked at.
    ///
    /// # Errors
    /// If a root of our byte order, of a known format and of a possible length does not start so.
    pub fn encoded_len_hint(bytes_first_block: &[u8]) -> Result<usize, FormatError> {
        let bytes = bytes_first_block;
        need(WHAT, bytes, HEAD_LEN)?;
        if bytes[..8] != MAGIC {
            return Err(FormatError::Magic { what: WHAT });
        }
        match le32(bytes, at::BYTE_ORDER) {
            BYTE_ORDER => {}
            order if order == BYTE_ORDER.swap_bytes() => return Err(FormatError::ForeignByteOrder { what: WHAT }),
            order => return Err(refused("byte order mark", order.into(), "X'01020304'")),
        }
        match le16(bytes, at::FORMAT) {
            0 => return Err(refused("format version", 0, "at least 1")),
            found if found < OLDEST => return Err(FormatError::OlderFormat { what: WHAT, found }),
            found if found > FORMAT => return Err(FormatError::NewerFormat { what: WHAT, found }),
            _ => {}
        }
        let len = le32(bytes, at::LEN) as usize;
        if !(FIXED_LEN..=AREA_LEN).contains(&len) || len % BLOCK_LEN != 0 {
            return Err(refused(
                "length",
                len as u64,
                "a multiple of 4,096 from 8,192 to 65,536",
            ));
        }
        Ok(len)
    }

    /// Version of the root that starts with these bytes. Its checksum is not looked at.
    ///
    /// # Errors
    /// As [`encoded_len_hint`](Self::encoded_len_hint).
    pub fn version_hint(bytes_first_block: &[u8]) -> Result<u32, FormatError> {
        Self::encoded_len_hint(bytes_first_block).map(|_| le32(bytes_first_block, at::VERSION))
    }

    /// CRC-32C of an encoded root, which the data root keeps of the index root. Bytes after the root do not count.
    pub fn checksum_of(encoded: &[u8]) -> u32 {
        let len = Self::encoded_len_hint(encoded).unwrap_or(encoded.len());
        crc32c(&encoded[..len.min(encoded.len())])
    }
}

impl Part {
    fn code(self) -> u8 {
        match self {
            Part::Data => 1,
            Part::Index => 2,
        }
    }

    fn of(code: u8) -> Result<Part, FormatError> {
        match code {
            1 => Ok(Part::Data),
            2 => Ok(Part::Index),
            _ => Err(refused("component kind", code.into(), "1 (data) or 2 (index)")),
        }
    }
}

impl Statistics {
    /// The counters in the order in which they are stored.
    fn to_array(self) -> [u64; 12] {
        [
            self.records,
            self.deleted,
            self.inserted,
            self.updated,
            self.retrieved,
            self.ci_splits,
            self.ca_splits,
            self.ca_reclaims,
            self.ca_reuses,
            self.excps,
            self.free_space,
            self.last_change,
        ]
    }

    /// The counters, the `n`-th stored one being `counter(n)`.
    fn from_array(counter: impl Fn(usize) -> u64) -> Statistics {
        Statistics {
            records: counter(0),
            deleted: counter(1),
            inserted: counter(2),
            updated: counter(3),
            retrieved: counter(4),
            ci_splits: counter(5),
            ca_splits: counter(6),
            ca_reclaims: counter(7),
            ca_reuses: counter(8),
            excps: counter(9),
            free_space: counter(10),
            last_change: counter(11),
        }
    }
}

impl RecordSizes {
    /// Those of both.
    pub fn and(self, other: RecordSizes) -> RecordSizes {
        RecordSizes {
            user: self.user.wrapping_add(other.user),
            stored: self.stored.wrapping_add(other.stored),
            plain: self.plain.wrapping_add(other.plain),
        }
    }
}

/// Bytes of a root with so many table blocks and free regions.
fn encoded_len(tables: usize, free_regions: usize) -> usize {
    let further = free_regions.saturating_sub(FIXED_REGIONS);
    (FIXED_LEN + tables * REF_LEN + further * REGION_LEN).next_multiple_of(BLOCK_LEN)
}

/// Offset of the number of free region `n`.
fn region_at(n: usize, tables: usize) -> usize {
    match n.checked_sub(FIXED_REGIONS) {
        None => at::FREE_REGIONS + n * REGION_LEN,
        Some(further) => FIXED_LEN + tables * REF_LEN + further * REGION_LEN,
    }
}

fn fits(field: &'static str, value: usize, most: usize, must: &'static str) -> Result<(), FormatError> {
    match value {
        v if v > most => Err(refused(field, v as u64, must)),
        _ => Ok(()),
    }
}

fn fits_volumes(further: usize) -> Result<(), FormatError> {
    fits("number of further volumes", further, MAX_FURTHER_VOLUMES, "at most 58")
}

fn fits_ties(ties: usize) -> Result<(), FormatError> {
    fits("number of ties", ties, MAX_TIES, "at most 122")
}

impl Stamp {
    fn put(&self, out: &mut [u8], at: usize) {
        put(out, at, &self.origin.to_le_bytes());
        put(out, at + 8, &self.lsn.to_le_bytes());
    }

    fn of(bytes: &[u8], at: usize) -> Stamp {
        Stamp {
            origin: le64(bytes, at),
            lsn: le64(bytes, at + 8),
        }
    }
}

impl Tie {
    fn of(bytes: &[u8], at: usize) -> Tie {
        Tie {
            lineage: le64(bytes, at),
            stamp: Stamp::of(bytes, at + 8),
        }
    }
}

fn refused(field: &'static str, value: u64, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value,
        must,
    }
}
