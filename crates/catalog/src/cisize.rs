//! CI sizes: which there are, and which is taken when none is said.
//!
//! * Data: the size that puts most records of maximum length (average, if they may span) on a track in whole CIs; of
//!   equals the smallest, as direct requests read least with it. Only sizes that hold such a record: one that spans
//!   takes a CI for each segment, and a change of its length all of them. If no size does, and records may span, the
//!   largest.
//! * Index: the smallest that holds a sequence set record for all CIs of a control area, if keys compress to a third of
//!   their length. That is the rule of z/OS; keys that compress worse leave CIs of the area unused. Never one that has
//!   no room for two keys that do not compress at all.

use crate::entry::{Organization, RecordSize};
use crate::freespace::{records_per_ci, slots_per_ci};
use crate::geometry::Device;
use cica_format::index::least_ci_size;

/// Largest CI.
pub const MAX_CI: u32 = 32_768;
/// Control information of a CI with one record: RDF and CIDF.
pub const ONE_RECORD: u32 = 7;
/// Control information of a segment of a spanned record: two RDFs and CIDF.
pub const ONE_SEGMENT: u32 = 10;
/// Control information of an index record's CI, and its header.
const INDEX_FIXED: u32 = ONE_RECORD + 24;

/// A CI size and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiSizeChoice {
    /// Bytes.
    pub size: u32,
    /// Why.
    pub why: String,
}

/// Every valid CI size, ascending: multiples of 512 to 8,192 and of 2,048 to 32,768; of linear data sets multiples of
/// 4,096.
pub fn sizes(organization: Organization) -> impl Iterator<Item = u32> {
    let linear = organization == Organization::Lds;
    let all = (512..=8_192).step_by(512).chain((10_240..=MAX_CI).step_by(2_048));
    all.filter(move |size| !linear || size % 4_096 == 0)
}

/// The valid size nearest above `given`; `None` for 0 and beyond [`MAX_CI`].
pub fn round_up(given: u32, organization: Organization) -> Option<u32> {
    sizes(organization).find(|size| given > 0 && *size >= given)
}

/// Whether a record of `length` bytes lies in one CI of `size` bytes.
pub fn holds(size: u32, length: u32) -> bool {
    length <= size.saturating_sub(ONE_RECORD)
}

/// Records of `length` bytes in a CI of this organization; 0 if they span CIs.
pub fn records_in(size: u32, organization: Organization, length: u32) -> u32 {
    match organization {
        Organization::Rrds => slots_per_ci(size, length),
        _ => records_per_ci(size, length),
    }
}

/// The data CI size for records of these sizes, not larger than `limit`; `None` if no size up to there holds one.
pub fn data(
    organization: Organization,
    record: RecordSize,
    spanned: bool,
    limit: u32,
    device: &'static Device,
) -> Option<CiSizeChoice> {
    if organization == Organization::Lds {
        let why = "a linear data set has CIs of 4096 bytes unless another size is said".to_owned();
        return Some(CiSizeChoice { size: 4_096, why }).filter(|c| c.size <= limit);
    }
    let length = if spanned { record.average } else { record.maximum };
    let possible = || sizes(organization).filter(|size| *size <= limit);
    let on_track =
        |size: u32| device.physical_record(size).map_or(0, |l| l.cis_in(1)) * records_in(size, organization, length);
    let most = |best, size| if on_track(size) > on_track(best) { size } else { best };
    let Some(best) = possible().filter(|size| holds(*size, length)).reduce(most) else {
        let size = possible().last().filter(|_| spanned)?;
        let why = format!("data CI size {size}: the largest, as records of {length} bytes span all");
        return Some(CiSizeChoice { size, why });
    };
    let why = format!(
        "data CI size {best}: of the sizes for records of {length} bytes the smallest that puts most of them, {}, on a \
         track of a {device}",
        on_track(best)
    );
    Some(CiSizeChoice { size: best, why })
}

/// Bytes a sequence set record takes for `cis` data CIs with keys of `key_length` bytes: for each CI a third of the key
/// and the fields F, L and P; for each section, of which there are about the square root of the entries, its length.
pub fn index_bytes(cis: u32, key_length: u32) -> u32 {
    let pointer = if cis <= 256 { 1 } else { 2 };
    let entries = cis.saturating_mul(key_length.div_ceil(3) + 2 + pointer);
    INDEX_FIXED.saturating_add(entries).saturating_add(2 * sections(cis))
}

/// The index CI size for control areas of `cis` CIs, and how many of these CIs it has room for: fewer only when even
/// the largest size is too small. `given` is what was said, if anything; it is raised if too small.
pub fn index(cis: u32, key_length: u32, given: Option<u32>) -> (CiSizeChoice, u32) {
    let compressed = index_bytes(cis, key_length);
    let needed = compressed.max(least_ci_size(key_length as usize, cis as usize) as u32);
    let least = sizes(Organization::Ksds).find(|size| *size >= needed).unwrap_or(MAX_CI);
    let size = given.map_or(least, |given| given.max(least));
    let reason = if needed > compressed {
        format!(
            "two keys of {key_length} bytes that do not compress, and {cis} CIs in a control area, need {needed} bytes"
        )
    } else {
        format!("{cis} CIs in a control area need {needed} bytes if keys of {key_length} bytes compress 3:1")
    };
    let why = match given {
        Some(given) if size > given => format!("index CI size {size}, raised from {given}: {reason}"),
        Some(_) => format!("index CI size {size} as said: {reason}"),
        None => format!("index CI size {size}: {reason}"),
    };
    let room = (1..=cis)
        .rev()
        .find(|cis| index_bytes(*cis, key_length) <= size)
        .unwrap_or(1);
    (CiSizeChoice { size, why }, room)
}

/// Sections of an index record: the square root of its entries, rounded up.
fn sections(entries: u32) -> u32 {
    let root = entries.isqrt();
    root + u32::from(root * root < entries)
}
