//! What a cluster is made of, and what may not be made: a data set that could be defined but would come to a request
//! that it has no room for.

use crate::common::{is_chained, shape};
use crate::compressed::MORE;
use crate::error::OpenError;
use cica_format::aix::{CHAIN_LEN, HEADER_LEN};
use cica_format::attributes::{Attributes, Organization};
use cica_format::ci;
use cica_format::index::least_ci_size;
use std::path::PathBuf;

/// What to create: the components of a cluster.
#[derive(Debug, Clone)]
pub struct Definition {
    /// File of the data component.
    pub data_path: PathBuf,
    /// File of the index component; not looked at where the organization has none.
    pub index_path: PathBuf,
    /// The data component's attributes.
    pub data: Attributes,
    /// The index component's: of a KSDS or VRRDS.
    pub index: Option<Attributes>,
}

/// Smallest CISZ there is.
const LEAST_CI: usize = 512;
/// Longest key that an index record can tell.
const LONGEST_KEY: usize = 255;
/// Bytes that a directory of a chain takes at least, when it has to be two.
const LEAST_DIRECTORY: usize = 64;

/// Refuses what requests could not live with.
pub(crate) fn check(a: &Attributes, index: Option<&Attributes>) -> Result<(), OpenError> {
    check_compressed(a)?;
    let (shape, ci_size) = (shape(a), (a.ci_size as usize).max(LEAST_CI));
    let first = if a.spanned {
        ci::max_segment(ci_size)
    } else {
        ci::max_record(ci_size)
    };
    let first = first - if a.compressed { MORE } else { 0 };
    if a.organization == Organization::Ksds && shape.rkp + shape.key_len > first {
        return Err(OpenError::Attributes {
            what: format!(
                "{}: the key, {} bytes at offset {}, must lie in the first {first} bytes of a record, which are in its \
                 first control interval; define a larger CISZ or another key",
                a.cluster_name, shape.key_len, shape.rkp
            ),
        });
    }
    let Some(index) = index else { return Ok(()) };
    let least = least_ci_size(shape.key_len, a.ci_per_ca as usize);
    if (index.ci_size as usize) < least {
        return Err(OpenError::Attributes {
            what: format!(
                "{}: an index CISZ of {} is too small for keys of {} bytes and {} CIs in a control area: two keys that \
                 do not compress need {least} bytes",
                a.cluster_name, index.ci_size, shape.key_len, a.ci_per_ca
            ),
        });
    }
    Ok(())
}

/// Refuses to compress what is not compressed: control intervals of a linear data set are its users', slots have one
/// length, and a record of an alternate index is changed as often as its base.
fn check_compressed(a: &Attributes) -> Result<(), OpenError> {
    let of = match a.organization {
        _ if !a.compressed => return Ok(()),
        Organization::Lds => "a linear data set has no records",
        Organization::Rrds => "the slots of a relative data set have one length; define it with records of two lengths",
        _ if a.alternate.is_some() => "an alternate index has no records of its user",
        _ => return Ok(()),
    };
    Err(OpenError::Attributes {
        what: format!("{}: COMPRESSED: {of}", a.cluster_name),
    })
}

/// The data component's attributes as they are kept: the alternate keys of an index have chains where its keys, eight
/// bytes longer, and a link, fit its control intervals.
pub(crate) fn settled(def: &Definition) -> Attributes {
    let mut data = def.data.clone();
    let (pointer, fits) = match (&data.alternate, &def.index) {
        (Some(of), Some(index)) if of.chained => {
            let key_len = usize::from(data.key_length) + CHAIN_LEN;
            let fits =
                key_len <= LONGEST_KEY && index.ci_size as usize >= least_ci_size(key_len, data.ci_per_ca.into());
            (of.pointers.len(), fits)
        }
        _ => return data,
    };
    let link = HEADER_LEN + usize::from(data.key_length) + CHAIN_LEN + pointer.max(LEAST_DIRECTORY);
    if let Some(of) = &mut data.alternate {
        of.chained = fits && link <= ci::max_record((data.ci_size as usize).max(LEAST_CI));
    }
    data
}

/// Refuses a change of what the records of a data set that has some are laid out by.
pub(crate) fn check_change(before: &Attributes, after: &Attributes) -> Result<(), OpenError> {
    let layout = |a: &Attributes| {
        (
            (a.organization, a.key_length, a.key_offset, is_chained(a)),
            (a.ci_size, a.ci_per_ca, a.spanned, a.compressed),
            // The slots of a relative data set have this length.
            Some(a.maximum_record).filter(|_| a.organization == Organization::Rrds),
        )
    };
    if layout(before) == layout(after) {
        return Ok(());
    }
    Err(OpenError::Attributes {
        what: format!(
            "{}: key, CISZ, control area, COMPRESSED and the length of slots cannot be changed, because the data set has \
             been loaded",
            before.cluster_name
        ),
    })
}
