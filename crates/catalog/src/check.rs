//! What may not be defined: attributes that contradict each other, each with what to do about it.

use crate::cisize::{holds, round_up, MAX_CI, ONE_RECORD, ONE_SEGMENT};
use crate::entry::{Keys, Log, Organization, RecordSize, ShareOptions};
use crate::error::Code;
use crate::freespace::FreeSpace;
use crate::space::SpaceError;
use std::fmt;

/// Largest BUFFERSPACE.
pub const MAX_BUFFER_SPACE: u32 = 16_776_704;

/// Why a data set cannot be defined so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefineError {
    /// A value outside its limits.
    Range {
        /// The keyword.
        keyword: &'static str,
        /// What was given.
        given: u64,
        /// Least value allowed.
        least: u64,
        /// Largest value allowed.
        most: u64,
    },
    /// An average record longer than the longest.
    AverageRecord(RecordSize),
    /// An RRDS whose records are not all of one length.
    SlotLength(RecordSize),
    /// A record that does not fit in a CI, and may not span.
    RecordTooLong {
        /// Maximum record length as it was said.
        record: u32,
        /// Bytes that it takes more where it is stored.
        more: u32,
        /// May a data set of its organization span?
        may_span: bool,
        /// CI size; the largest there is when none was given.
        ci_size: u32,
        /// The least CI size that would do.
        least: Option<u32>,
    },
    /// A record larger than a control area.
    RecordBeyondArea {
        /// Maximum record length.
        record: u32,
        /// What a control area holds.
        area: u64,
    },
    /// No key for an organization that has one.
    NoKey,
    /// A key that ends beyond the longest record.
    KeyBeyondRecord {
        /// The key.
        keys: Keys,
        /// Maximum record length.
        record: u32,
    },
    /// A key that is not all in the first segment of a spanned record.
    KeyBeyondSegment {
        /// The key.
        keys: Keys,
        /// Bytes of a segment.
        segment: u32,
    },
    /// A parameter that means nothing to this organization.
    NotFor {
        /// The keyword.
        keyword: &'static str,
        /// The organization.
        organization: Organization,
    },
    /// Less buffer space than two data CIs and an index CI take.
    BufferSpace {
        /// What was given.
        given: u32,
        /// What is needed.
        needed: u32,
    },
    /// LOG(ALL) without a log stream.
    NoLogStream,
    /// Space that cannot be had.
    Space(SpaceError),
}

impl DefineError {
    /// Catalog return code: inconsistent parameters.
    pub fn code(&self) -> Code {
        Code {
            return_code: 140,
            reason: 0,
        }
    }
}

impl From<SpaceError> for DefineError {
    fn from(error: SpaceError) -> DefineError {
        DefineError::Space(error)
    }
}

impl std::error::Error for DefineError {}

impl fmt::Display for DefineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DefineError::Range {
                keyword,
                given,
                least,
                most,
            } => {
                write!(f, "{keyword} is {given}; give a value from {least} to {most}")
            }
            DefineError::AverageRecord(record) => write!(
                f,
                "the average record length {} is greater than the maximum {}; give RECORDSIZE(average maximum) in \
                 this order",
                record.average, record.maximum
            ),
            DefineError::SlotLength(record) => write!(
                f,
                "a NUMBERED data set with RECORDSIZE({0} {1}) has records of variable length; give one length twice, \
                 as in RECORDSIZE({1} {1})",
                record.average, record.maximum
            ),
            DefineError::RecordTooLong {
                record,
                more,
                may_span,
                ci_size,
                least,
            } => {
                write!(f, "a record of {record} bytes")?;
                if *more > 0 {
                    write!(f, ", which takes {more} more where it is stored,")?;
                }
                let holds = ci_size.saturating_sub(ONE_RECORD + more);
                match least {
                    Some(least) => write!(
                        f,
                        " does not fit in a control interval of {ci_size} bytes, which holds at most {holds}; give \
                         CONTROLINTERVALSIZE({least}) or more, {}leave it out{}",
                        if *may_span { "" } else { "or " },
                        if *may_span { ", or specify SPANNED" } else { "" },
                    ),
                    None => write!(
                        f,
                        " does not fit in the largest usable control interval of {ci_size} bytes, which holds at most \
                         {holds}; {}a smaller maximum in RECORDSIZE",
                        if *may_span { "specify SPANNED, or " } else { "give " },
                    ),
                }
            }
            DefineError::RecordBeyondArea { record, area } => write!(
                f,
                "a spanned record of {record} bytes does not fit in a control area, which holds {area}; give a larger \
                 primary and secondary amount (a control area is the smaller of them, at most a cylinder)"
            ),
            DefineError::NoKey => write!(f, "an INDEXED data set needs a key; give KEYS(length offset)"),
            DefineError::KeyBeyondRecord { keys, record } => write!(
                f,
                "the key, {} bytes at offset {}, ends beyond the longest record of {record} bytes; correct KEYS or \
                 RECORDSIZE",
                keys.length, keys.offset
            ),
            DefineError::KeyBeyondSegment { keys, segment } => write!(
                f,
                "the key, {} bytes at offset {}, must lie in the first segment of a spanned record, {segment} bytes; \
                 give a larger CONTROLINTERVALSIZE or another key",
                keys.length, keys.offset
            ),
            DefineError::NotFor { keyword, organization } => {
                write!(
                    f,
                    "{keyword} means nothing for {} data set; leave it out",
                    article(*organization)
                )
            }
            DefineError::BufferSpace { given, needed } => write!(
                f,
                "BUFFERSPACE({given}) is less than two data control intervals and an index control interval take; give \
                 {needed} or more, or leave it out"
            ),
            DefineError::NoLogStream => write!(f, "LOG(ALL) needs a log stream; add LOGSTREAMID(name)"),
            DefineError::Space(error) => error.fmt(f),
        }
    }
}

fn article(organization: Organization) -> &'static str {
    match organization {
        Organization::Ksds => "an INDEXED",
        Organization::Esds => "a NONINDEXED",
        Organization::Lds => "a LINEAR",
        _ => "a NUMBERED",
    }
}

fn range(keyword: &'static str, given: impl Into<u64>, least: u64, most: u64) -> Result<(), DefineError> {
    let given = given.into();
    if (least..=most).contains(&given) {
        Ok(())
    } else {
        Err(DefineError::Range {
            keyword,
            given,
            least,
            most,
        })
    }
}

/// RECORDSIZE in itself and for its organization.
pub fn record_size(organization: Organization, record: RecordSize, spanned: bool) -> Result<(), DefineError> {
    if organization == Organization::Lds {
        return if spanned {
            Err(DefineError::NotFor {
                keyword: "SPANNED",
                organization,
            })
        } else {
            Ok(())
        };
    }
    range("the maximum record length", record.maximum, 1, u64::from(u32::MAX))?;
    range("the average record length", record.average, 1, u64::from(u32::MAX))?;
    if record.average > record.maximum {
        return Err(DefineError::AverageRecord(record));
    }
    if spanned && matches!(organization, Organization::Rrds | Organization::Vrrds) {
        return Err(DefineError::NotFor {
            keyword: "SPANNED",
            organization,
        });
    }
    if organization == Organization::Rrds && record.average != record.maximum {
        return Err(DefineError::SlotLength(record));
    }
    Ok(())
}

/// COMPRESSED, which needs records that may have another length on the volume.
pub fn compressed(organization: Organization, compressed: bool) -> Result<(), DefineError> {
    match organization {
        Organization::Rrds | Organization::Lds if compressed => Err(DefineError::NotFor {
            keyword: "COMPRESSED",
            organization,
        }),
        _ => Ok(()),
    }
}

/// A record against the CI size given, or against the largest; it takes so many bytes more where it is stored.
pub fn record_fits(
    organization: Organization,
    record: RecordSize,
    more: u32,
    ci_size: Option<u32>,
    spanned: bool,
) -> Result<(), DefineError> {
    let ci_size = ci_size.unwrap_or(MAX_CI);
    let stored = record.maximum.saturating_add(more);
    if spanned || holds(ci_size, stored) {
        return Ok(());
    }
    let least = round_up(stored.saturating_add(ONE_RECORD), Organization::Ksds);
    Err(too_long(organization, record, more, ci_size, least))
}

/// The error of a record that no CI holds.
pub fn too_long(
    organization: Organization,
    record: RecordSize,
    more: u32,
    ci_size: u32,
    least: Option<u32>,
) -> DefineError {
    DefineError::RecordTooLong {
        record: record.maximum,
        more,
        // As `record_size` has it.
        may_span: matches!(organization, Organization::Ksds | Organization::Esds),
        ci_size,
        least,
    }
}

/// KEYS against the records. The hard limit is the longest record: that every record holds its whole key is checked
/// when it is written.
pub fn keys(organization: Organization, keys: Option<Keys>, record: RecordSize) -> Result<(), DefineError> {
    match (organization, keys) {
        (Organization::Ksds, None) => Err(DefineError::NoKey),
        (Organization::Ksds, Some(keys)) => {
            range("the key length", keys.length, 1, 255)?;
            if keys.offset.saturating_add(u32::from(keys.length)) > record.maximum {
                return Err(DefineError::KeyBeyondRecord {
                    keys,
                    record: record.maximum,
                });
            }
            Ok(())
        }
        (_, Some(_)) => Err(DefineError::NotFor {
            keyword: "KEYS",
            organization,
        }),
        (_, None) => Ok(()),
    }
}

/// A key against the first segment of a spanned record.
pub fn key_in_segment(keys: Keys, ci_size: u32) -> Result<(), DefineError> {
    let segment = ci_size.saturating_sub(ONE_SEGMENT);
    if keys.offset.saturating_add(u32::from(keys.length)) > segment {
        return Err(DefineError::KeyBeyondSegment { keys, segment });
    }
    Ok(())
}

/// FREESPACE.
pub fn free_space(free: FreeSpace) -> Result<(), DefineError> {
    range("the control interval percent of FREESPACE", free.ci, 0, 100)?;
    range("the control area percent of FREESPACE", free.ca, 0, 100)
}

/// SHAREOPTIONS.
pub fn share_options(share: ShareOptions) -> Result<(), DefineError> {
    range("the cross-region value of SHAREOPTIONS", share.region, 1, 4)?;
    range("the cross-system value of SHAREOPTIONS", share.system, 3, 4)
}

/// LOG and LOGSTREAMID.
pub fn log(organization: Organization, log: Option<Log>, stream: Option<&str>) -> Result<(), DefineError> {
    match log {
        Some(_) if organization == Organization::Lds => Err(DefineError::NotFor {
            keyword: "LOG",
            organization,
        }),
        Some(Log::All) if stream.is_none() => Err(DefineError::NoLogStream),
        _ => Ok(()),
    }
}

/// A CI size as given, rounded up to a valid one.
pub fn ci_size(organization: Organization, given: u32) -> Result<u32, DefineError> {
    let wrong = DefineError::Range {
        keyword: "CONTROLINTERVALSIZE",
        given: given.into(),
        least: 512,
        most: MAX_CI.into(),
    };
    round_up(given, organization).ok_or(wrong)
}

/// BUFFERSPACE against the CI sizes; `index` is 0 where there is no index.
pub fn buffer_space(given: u32, data: u32, index: u32) -> Result<(), DefineError> {
    range("BUFFERSPACE", given, 1, MAX_BUFFER_SPACE.into())?;
    let needed = 2 * data + index;
    if given < needed {
        return Err(DefineError::BufferSpace { given, needed });
    }
    Ok(())
}
