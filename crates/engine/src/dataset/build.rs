//! From the roots of a data set's components to what answers its requests.

use crate::common::interval::Intervals;
use crate::common::{shape, Common};
use crate::definition;
use crate::engine::Shared;
use crate::error::OpenError;
use crate::esds::Esds;
use crate::ksds::Ksds;
use crate::linear::Lds;
use crate::organized::Organized;
use crate::relative::Rrds;
use crate::request::{Access, OpenOptions};
use crate::store::{self, Codec, Component};
use cica_disk::File;
use cica_format::attributes::{Attributes, Organization};
use cica_format::index::BaseRba;
use cica_format::root::Root;
use cica_format::slots;
use std::path::Path;
use std::sync::Arc;

/// May the data set be opened so?
pub(super) fn check_open(root: &Root, options: OpenOptions) -> Result<(), OpenError> {
    let (a, never_loaded) = (&root.attributes, never_loaded(root));
    // No definition makes such a root, but any bytes may be in a file.
    definition::check(a, None)?;
    let refused = |what: &str| {
        Err(OpenError::Attributes {
            what: format!("{} {what}", a.cluster_name),
        })
    };
    if options.access == Access::Input && never_loaded {
        return refused("is empty: it was never loaded, so it cannot be opened for input");
    }
    if options.reset && (options.access != Access::Output || !(a.reuse || never_loaded || options.reset_anyway)) {
        return refused("cannot be reset: it was defined NOREUSE, or this open is for input");
    }
    Ok(())
}

/// How the data CIs are read and rendered.
pub(super) fn data_codec(a: &Attributes) -> Codec {
    match a.organization {
        Organization::Rrds => {
            let slot = Some(a.maximum_record as usize);
            return Codec::Image { slot };
        }
        Organization::Lds => return Codec::Image { slot: None },
        _ => {}
    }
    let shape = shape(a);
    let least = shape.rkp + shape.key_len;
    let average = (a.average_record as usize).max(least).min(a.ci_size as usize);
    let expected = a.ci_size as usize / average.max(8) + 8;
    Codec::Data { shape, expected }
}

pub(super) fn index_component(
    shared: &Shared,
    file: Box<dyn File>,
    still: bool,
    path: &Path,
    data: &Root,
    root: &Root,
) -> Component {
    let base = BaseRba {
        ci_per_ca: data.attributes.ci_per_ca as u32,
        ci_size: data.attributes.ci_size,
        index_ci_size: root.attributes.ci_size,
    };
    let entry = 13 + shape(&data.attributes).key_len.min(32).next_multiple_of(4);
    let codec = Codec::Index { base, entry };
    let way = store::Way { direct: false, still };
    Component::new(shared.pool.clone(), file.into(), way, path.to_path_buf(), root, codec)
}

/// The data set by its organization.
pub(super) fn organized(
    common: Common,
    index: Option<Arc<Component>>,
    root: &Root,
    index_root: Option<&Root>,
) -> Result<Organized, OpenError> {
    match (root.attributes.organization, index, index_root) {
        (Organization::Ksds | Organization::Vrrds, Some(index), Some(index_root)) => {
            let index_cis = (index_root.high_used / index_root.attributes.ci_size as u64) as u32;
            let ksds = Ksds::new(common, index, root.top, root.levels, index_cis);
            Ok(Organized::Ksds(Arc::new(ksds)))
        }
        (organization, _, _) => {
            let intervals = Intervals::new(root.top, root.levels);
            unindexed(organization, common, intervals).ok_or_else(|| OpenError::Attributes {
                what: format!(
                    "{}: no record of its size fits a control interval, or its organization is not known here",
                    root.attributes.cluster_name
                ),
            })
        }
    }
}

/// The data set without an index; `None` for attributes with which it cannot be worked.
fn unindexed(organization: Organization, common: Common, intervals: Intervals) -> Option<Organized> {
    let slot = common.attributes.maximum_record as usize;
    match organization {
        Organization::Esds => Some(Organized::Esds(Arc::new(Esds::new(common, intervals)))),
        Organization::Rrds if slot > 0 && slots::per_ci(common.data.layout.ci_size, slot) > 0 => {
            Some(Organized::Rrds(Arc::new(Rrds::new(common, intervals))))
        }
        Organization::Lds => Some(Organized::Lds(Arc::new(Lds::new(common, intervals)))),
        _ => None,
    }
}

/// Whether nothing was ever stored. An LDS has no load, so it may be read from the first moment.
pub(super) fn never_loaded(root: &Root) -> bool {
    root.levels == 0 && root.attributes.organization != Organization::Lds
}
