//! What a component is: the attributes given at DEFINE, carried in each file so that a catalog can be rebuilt from the
//! files.

use crate::aix::Pointers;
use crate::bytes::{le16, le32, le64, put, put_text, text};
use crate::error::FormatError;

/// Organization of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Organization {
    /// Key-sequenced.
    Ksds,
    /// Entry-sequenced.
    Esds,
    /// Relative, fixed slots.
    Rrds,
    /// Relative, variable length.
    Vrrds,
    /// Linear.
    Lds,
}

/// What makes a KSDS an alternate index: its records are those of [`crate::aix`], its keys alternate keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternate {
    /// Name of the base cluster.
    pub base: String,
    /// Where the alternate key stands in a base record (AXRKP); its length is the index's own key length.
    pub key_offset: u32,
    /// UNIQUEKEY.
    pub unique: bool,
    /// UPGRADE.
    pub upgrade: bool,
    /// What its pointers are.
    pub pointers: Pointers,
    /// Records whose alternate key is this byte throughout are not in the index.
    pub suppressed: Option<u8>,
    /// The pointers of an alternate key are a chain of records, without end, and not one record.
    pub chained: bool,
}

/// Which part of a base record is an alternate key, and of which records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlternateKey {
    /// Where it stands (AXRKP).
    pub offset: usize,
    /// Its length.
    pub length: usize,
    /// Records whose key is this byte throughout have none.
    pub suppressed: Option<u8>,
}

impl AlternateKey {
    /// The alternate key in a base record, unless that is too short to have it or its key is suppressed.
    #[inline]
    pub fn of<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let key = record.get(self.offset..self.offset + self.length)?;
        match self.suppressed {
            Some(byte) if key.iter().all(|b| *b == byte) => None,
            _ => Some(key),
        }
    }
}

/// Attributes of a component, as the engine obeys them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Cluster name.
    pub cluster_name: String,
    /// Component name.
    pub component_name: String,
    /// Organization.
    pub organization: Organization,
    /// Key length, 1-255 (KSDS).
    pub key_length: u16,
    /// Key offset in the record (RKP).
    pub key_offset: u32,
    /// Average record length.
    pub average_record: u32,
    /// Maximum record length.
    pub maximum_record: u32,
    /// Control interval size of this component.
    pub ci_size: u32,
    /// CIs per control area of this component.
    pub ci_per_ca: u16,
    /// FREESPACE percent in a CI.
    pub free_ci: u8,
    /// FREESPACE percent in a CA.
    pub free_ca: u8,
    /// SPANNED.
    pub spanned: bool,
    /// REUSE.
    pub reuse: bool,
    /// SPEED (else RECOVERY).
    pub speed: bool,
    /// ERASE.
    pub erase: bool,
    /// WRITECHECK.
    pub write_check: bool,
    /// SHAREOPTIONS cross-region (1-4).
    pub share_region: u8,
    /// SHAREOPTIONS cross-system (3-4).
    pub share_system: u8,
    /// BUFFERSPACE in bytes.
    pub buffer_space: u32,
    /// Code page number of character data, 0 = ASCII.
    pub ccsid: u16,
    /// Primary allocation in bytes of logical space (whole CAs).
    pub primary: u64,
    /// Secondary allocation in bytes of logical space, 0 = none.
    pub secondary: u64,
    /// CA reclaim on (the default).
    pub reclaim: bool,
    /// COMPRESSED: records are stored compressed behind their keys, with dictionaries that stand beside the roots.
    pub compressed: bool,
    /// Volume serial.
    pub volume: String,
    /// Creation, nanoseconds since 1970.
    pub created: u64,
    /// Of an alternate index.
    pub alternate: Option<Alternate>,
}

/// Bytes the attributes take in a root; the rest after the last field is zero.
pub const ENCODED_LEN: usize = 256;
/// Longest data set name.
pub const NAME_LEN: usize = 44;
/// Longest volume serial.
pub const VOLUME_LEN: usize = 6;

/// Name in messages.
const WHAT: &str = "attributes in the root";

mod at {
    //! Offsets, see `docs/format/root.md`.
    pub const CLUSTER_NAME: usize = 0;
    pub const COMPONENT_NAME: usize = 44;
    pub const VOLUME: usize = 88;
    pub const ORGANIZATION: usize = 94;
    pub const FLAGS: usize = 95;
    pub const KEY_OFFSET: usize = 96;
    pub const AVERAGE_RECORD: usize = 100;
    pub const MAXIMUM_RECORD: usize = 104;
    pub const CI_SIZE: usize = 108;
    pub const BUFFER_SPACE: usize = 112;
    pub const KEY_LENGTH: usize = 116;
    pub const CI_PER_CA: usize = 118;
    pub const CCSID: usize = 120;
    pub const FREE_CI: usize = 122;
    pub const FREE_CA: usize = 123;
    pub const SHARE_REGION: usize = 124;
    pub const SHARE_SYSTEM: usize = 125;
    pub const PRIMARY: usize = 128;
    pub const SECONDARY: usize = 136;
    pub const CREATED: usize = 144;
    pub const BASE_NAME: usize = 152;
    pub const ALTERNATE_OFFSET: usize = 196;
    pub const ALTERNATE_FLAGS: usize = 200;
    pub const POINTER_LEN: usize = 201;
    pub const SUPPRESSED: usize = 202;
}

mod flag {
    //! Bits of the flag byte.
    pub const SPANNED: u8 = 0x01;
    pub const REUSE: u8 = 0x02;
    pub const SPEED: u8 = 0x04;
    pub const ERASE: u8 = 0x08;
    pub const WRITE_CHECK: u8 = 0x10;
    pub const RECLAIM: u8 = 0x20;
    pub const COMPRESSED: u8 = 0x40;
    pub const ALL: u8 = 0x7F;
}

mod alternate {
    //! Bits of the alternate index's flag byte.
    pub const IS: u8 = 0x01;
    pub const UNIQUE: u8 = 0x02;
    pub const UPGRADE: u8 = 0x04;
    pub const PRIME_KEYS: u8 = 0x08;
    pub const SPARSE: u8 = 0x10;
    pub const CHAINED: u8 = 0x20;
    pub const ALL: u8 = 0x3F;
}

impl Organization {
    /// That of a data set whose records have numbers: slots of one length, unless records have several, or are
    /// stored at several because they are compressed.
    pub fn numbered(one_length: bool, compressed: bool) -> Organization {
        if one_length && !compressed {
            Organization::Rrds
        } else {
            Organization::Vrrds
        }
    }

    /// Whether a cluster of this organization has an index component.
    pub fn has_index(self) -> bool {
        matches!(self, Organization::Ksds | Organization::Vrrds)
    }

    /// What people call a data set of it: KSDS.
    pub fn word(self) -> &'static str {
        match self {
            Organization::Ksds => "KSDS",
            Organization::Esds => "ESDS",
            Organization::Rrds => "RRDS",
            Organization::Vrrds => "VRRDS",
            Organization::Lds => "LDS",
        }
    }

    /// The word of DEFINE CLUSTER for it.
    pub fn keyword(self) -> &'static str {
        match self {
            Organization::Ksds => "INDEXED",
            Organization::Esds => "NONINDEXED",
            Organization::Rrds | Organization::Vrrds => "NUMBERED",
            Organization::Lds => "LINEAR",
        }
    }

    fn code(self) -> u8 {
        match self {
            Organization::Ksds => 1,
            Organization::Esds => 2,
            Organization::Rrds => 3,
            Organization::Vrrds => 4,
            Organization::Lds => 5,
        }
    }

    fn of(code: u8) -> Result<Organization, FormatError> {
        match code {
            1 => Ok(Organization::Ksds),
            2 => Ok(Organization::Esds),
            3 => Ok(Organization::Rrds),
            4 => Ok(Organization::Vrrds),
            5 => Ok(Organization::Lds),
            _ => Err(refused("organization", code.into(), "from 1 to 5")),
        }
    }
}

impl Attributes {
    /// What DEFINE gives where nothing is said: SHAREOPTIONS(1 3), RECOVERY, NOREUSE, no freespace, no key, one CA on
    /// any volume and another one whenever it is full.
    pub fn new(organization: Organization, component_name: &str, ci_size: u32, ci_per_ca: u16) -> Attributes {
        let ca = u64::from(ci_size) * u64::from(ci_per_ca);
        Attributes {
            cluster_name: component_name
                .trim_end_matches(".DATA")
                .trim_end_matches(".INDEX")
                .into(),
            component_name: component_name.into(),
            organization,
            key_length: 0,
            key_offset: 0,
            average_record: 0,
            maximum_record: 0,
            ci_size,
            ci_per_ca,
            free_ci: 0,
            free_ca: 0,
            spanned: false,
            reuse: false,
            speed: false,
            erase: false,
            write_check: false,
            share_region: 1,
            share_system: 3,
            buffer_space: 0,
            ccsid: 0,
            primary: ca,
            secondary: ca,
            reclaim: true,
            compressed: false,
            volume: String::new(),
            created: 0,
            alternate: None,
        }
    }

    /// Fills `out` of [`ENCODED_LEN`] bytes.
    pub fn encode(&self, out: &mut [u8]) -> Result<(), FormatError> {
        self.check()?;
        out.fill(0);
        put_text(
            WHAT,
            "cluster name",
            out,
            (at::CLUSTER_NAME, NAME_LEN),
            &self.cluster_name,
        )?;
        put_text(
            WHAT,
            "component name",
            out,
            (at::COMPONENT_NAME, NAME_LEN),
            &self.component_name,
        )?;
        put_text(WHAT, "volume", out, (at::VOLUME, VOLUME_LEN), &self.volume)?;
        out[at::ORGANIZATION] = self.organization.code();
        out[at::FLAGS] = self.flags();
        put(out, at::KEY_OFFSET, &self.key_offset.to_le_bytes());
        put(out, at::AVERAGE_RECORD, &self.average_record.to_le_bytes());
        put(out, at::MAXIMUM_RECORD, &self.maximum_record.to_le_bytes());
        put(out, at::CI_SIZE, &self.ci_size.to_le_bytes());
        put(out, at::BUFFER_SPACE, &self.buffer_space.to_le_bytes());
        put(out, at::KEY_LENGTH, &self.key_length.to_le_bytes());
        put(out, at::CI_PER_CA, &self.ci_per_ca.to_le_bytes());
        put(out, at::CCSID, &self.ccsid.to_le_bytes());
        out[at::FREE_CI] = self.free_ci;
        out[at::FREE_CA] = self.free_ca;
        out[at::SHARE_REGION] = self.share_region;
        out[at::SHARE_SYSTEM] = self.share_system;
        put(out, at::PRIMARY, &self.primary.to_le_bytes());
        put(out, at::SECONDARY, &self.secondary.to_le_bytes());
        put(out, at::CREATED, &self.created.to_le_bytes());
        self.alternate.as_ref().map_or(Ok(()), |a| a.encode(out))
    }

    /// Reads what [`Attributes::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Attributes, FormatError> {
        let flags = bytes[at::FLAGS];
        if flags & !flag::ALL != 0 {
            return Err(refused("flags", flags.into(), "made of known bits"));
        }
        let attributes = Attributes {
            cluster_name: text(WHAT, "cluster name", bytes, (at::CLUSTER_NAME, NAME_LEN))?,
            component_name: text(WHAT, "component name", bytes, (at::COMPONENT_NAME, NAME_LEN))?,
            organization: Organization::of(bytes[at::ORGANIZATION])?,
            key_length: le16(bytes, at::KEY_LENGTH),
            key_offset: le32(bytes, at::KEY_OFFSET),
            average_record: le32(bytes, at::AVERAGE_RECORD),
            maximum_record: le32(bytes, at::MAXIMUM_RECORD),
            ci_size: le32(bytes, at::CI_SIZE),
            ci_per_ca: le16(bytes, at::CI_PER_CA),
            free_ci: bytes[at::FREE_CI],
            free_ca: bytes[at::FREE_CA],
            spanned: flags & flag::SPANNED != 0,
            reuse: flags & flag::REUSE != 0,
            speed: flags & flag::SPEED != 0,
            erase: flags & flag::ERASE != 0,
            write_check: flags & flag::WRITE_CHECK != 0,
            share_region: bytes[at::SHARE_REGION],
            share_system: bytes[at::SHARE_SYSTEM],
            buffer_space: le32(bytes, at::BUFFER_SPACE),
            ccsid: le16(bytes, at::CCSID),
            primary: le64(bytes, at::PRIMARY),
            secondary: le64(bytes, at::SECONDARY),
            reclaim: flags & flag::RECLAIM != 0,
            compressed: flags & flag::COMPRESSED != 0,
            volume: text(WHAT, "volume", bytes, (at::VOLUME, VOLUME_LEN))?,
            created: le64(bytes, at::CREATED),
            alternate: Alternate::decode(bytes)?,
        };
        attributes.check()?;
        Ok(attributes)
    }

    fn flags(&self) -> u8 {
        set_bits(&[
            (self.spanned, flag::SPANNED),
            (self.reuse, flag::REUSE),
            (self.speed, flag::SPEED),
            (self.erase, flag::ERASE),
            (self.write_check, flag::WRITE_CHECK),
            (self.reclaim, flag::RECLAIM),
            (self.compressed, flag::COMPRESSED),
        ])
    }

    /// Refuses values with which no data set can be worked: whoever has decoded a root may divide and multiply by them.
    fn check(&self) -> Result<(), FormatError> {
        let keyed = self.organization == Organization::Ksds;
        let rules: [(&'static str, u64, bool, &'static str); 7] = [
            (
                "key length",
                self.key_length.into(),
                self.key_length <= 255,
                "at most 255",
            ),
            (
                "key length",
                self.key_length.into(),
                !keyed || self.key_length > 0,
                "at least 1 in a KSDS",
            ),
            (
                "CI size",
                self.ci_size.into(),
                is_ci_size(self.ci_size),
                "a multiple of 512 up to 8,192 or of 2,048 up to 32,768",
            ),
            ("CIs per CA", self.ci_per_ca.into(), self.ci_per_ca > 0, "at least 1"),
            (
                "free space",
                self.free_ci.max(self.free_ca).into(),
                self.free_ci <= 100 && self.free_ca <= 100,
                "at most 100 percent",
            ),
            (
                "cross-region share option",
                self.share_region.into(),
                (1..=4).contains(&self.share_region),
                "from 1 to 4",
            ),
            (
                "cross-system share option",
                self.share_system.into(),
                (3..=4).contains(&self.share_system),
                "3 or 4",
            ),
        ];
        match rules.iter().find(|rule| !rule.2) {
            Some(&(field, value, _, must)) => Err(refused(field, value, must)),
            None => Ok(()),
        }
    }
}

impl Alternate {
    /// The alternate key, of so many bytes.
    pub fn key(&self, length: u16) -> AlternateKey {
        AlternateKey {
            offset: self.key_offset as usize,
            length: length.into(),
            suppressed: self.suppressed,
        }
    }

    fn encode(&self, out: &mut [u8]) -> Result<(), FormatError> {
        put_text(WHAT, "base name", out, (at::BASE_NAME, NAME_LEN), &self.base)?;
        put(out, at::ALTERNATE_OFFSET, &self.key_offset.to_le_bytes());
        out[at::ALTERNATE_FLAGS] = set_bits(&[
            (true, alternate::IS),
            (self.unique, alternate::UNIQUE),
            (self.upgrade, alternate::UPGRADE),
            (matches!(self.pointers, Pointers::Keys(_)), alternate::PRIME_KEYS),
            (self.suppressed.is_some(), alternate::SPARSE),
            (self.chained, alternate::CHAINED),
        ]);
        out[at::POINTER_LEN] = self.pointers.len() as u8;
        out[at::SUPPRESSED] = self.suppressed.unwrap_or(0);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Option<Alternate>, FormatError> {
        let flags = bytes[at::ALTERNATE_FLAGS];
        if flags & !alternate::ALL != 0 {
            return Err(refused("alternate index flags", flags.into(), "made of known bits"));
        }
        if flags & alternate::IS == 0 {
            return Ok(None);
        }
        let keys = u8::from(flags & alternate::PRIME_KEYS != 0);
        Ok(Some(Alternate {
            base: text(WHAT, "base name", bytes, (at::BASE_NAME, NAME_LEN))?,
            key_offset: le32(bytes, at::ALTERNATE_OFFSET),
            unique: flags & alternate::UNIQUE != 0,
            upgrade: flags & alternate::UPGRADE != 0,
            pointers: Pointers::of(keys, bytes[at::POINTER_LEN])?,
            suppressed: (flags & alternate::SPARSE != 0).then_some(bytes[at::SUPPRESSED]),
            chained: flags & alternate::CHAINED != 0,
        }))
    }
}

/// The bits of a flag byte that are on.
fn set_bits(bits: &[(bool, u8)]) -> u8 {
    bits.iter().filter(|(on, _)| *on).map(|(_, bit)| bit).sum()
}

/// The sizes VSAM has for a CI.
fn is_ci_size(size: u32) -> bool {
    (512..=8192).contains(&size) && size % 512 == 0 || (8192..=32_768).contains(&size) && size % 2048 == 0
}

fn refused(field: &'static str, value: u64, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value,
        must,
    }
}
