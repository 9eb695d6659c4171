//! INTOEMPTY of control intervals: they are laid out as their definition said, and fit no other.

use super::super::failure::Failure;
use super::not_imported;
use cica_catalog::entry::Organization;
use cica_catalog::{Cluster, Component, Entry};
use cica_session::as_cluster;

/// Refuses to fill the data set `there` with control intervals of `copied`, unless both were defined alike in what
/// records are laid out by.
///
/// # Errors
/// Names what they differ in.
pub fn check(copied: &Entry, there: &Entry) -> Result<(), Failure> {
    let differing = match (copied, there) {
        (Entry::Cluster(copied), Entry::Cluster(there)) => of_clusters(copied, there),
        (Entry::Aix(copied), Entry::Aix(there)) => {
            let of_index = [
                ("alternate KEYS", copied.alternate_key != there.alternate_key),
                ("UNIQUEKEY", copied.unique_key != there.unique_key),
                ("the suppressed key", copied.suppressed != there.suppressed),
            ];
            let other = of_index.iter().find(|(_, differ)| *differ).map(|(what, _)| *what);
            other.or_else(|| of_clusters(&as_cluster(copied), &as_cluster(there)))
        }
        _ => None,
    };
    match differing {
        None => Ok(()),
        Some(what) => Err(not_imported(
            there.name(),
            &format!(
                "the copy has control intervals, and was defined otherwise than the empty data set: {what}. Define that \
                 alike, or delete it and import without INTOEMPTY"
            ),
        )),
    }
}

/// The first thing in which they differ.
fn of_clusters(one: &Cluster, other: &Cluster) -> Option<&'static str> {
    let (a, b) = (&one.attributes, &other.attributes);
    let layout = |c: &Component| (c.ci_size, c.ci_per_ca);
    let index = |c: &Cluster| c.index.as_ref().map(layout);
    // The average lays nothing out. But records of a compressed RRDS have one length, though they are stored at many.
    let length = |c: &Cluster| {
        let size = c.attributes.record_size;
        (
            size.maximum,
            c.organization == Organization::Vrrds && size.is_one_length(),
        )
    };
    let all = [
        ("its organization", one.organization != other.organization),
        ("KEYS", a.keys != b.keys),
        ("RECORDSIZE", length(one) != length(other)),
        ("SPANNED", a.spanned != b.spanned),
        ("COMPRESSED", a.compressed != b.compressed),
        (
            "CISZ or the size of a control area",
            layout(&one.data) != layout(&other.data),
        ),
        ("CISZ of its index", index(one) != index(other)),
    ];
    all.iter().find(|(_, differ)| *differ).map(|(what, _)| *what)
}
