//! DELETE.

use crate::params::Params;
use cica_admin::delete::{Delete, Uncataloged, What};
use cica_catalog::entry::EntryKind;

/// DELETE's types; the table lets one be said.
const TYPES: [(&str, What); 12] = [
    ("ALIAS", What::Kind(EntryKind::Alias)),
    ("ALTERNATEINDEX", What::Kind(EntryKind::Aix)),
    ("CLUSTER", What::Kind(EntryKind::Cluster)),
    ("GENERATIONDATAGROUP", What::Kind(EntryKind::Gdg)),
    ("NONVSAM", What::Kind(EntryKind::NonVsam)),
    ("PATH", What::Kind(EntryKind::Path)),
    ("USERCATALOG", What::Kind(EntryKind::UserCatalog)),
    // Page spaces are not made here, so none is found.
    ("PAGESPACE", What::Kind(EntryKind::Data)),
    ("VOLUME", What::Volume),
    ("VVR", What::Uncataloged(Uncataloged::Component)),
    ("NVR", What::Uncataloged(Uncataloged::File)),
    ("TRUENAME", What::Uncataloged(Uncataloged::DeadEnd)),
];

/// DELETE.
pub fn delete(params: &Params) -> Delete {
    let given = TYPES.iter().find(|(keyword, _)| params.flag(keyword));
    Delete {
        names: params.texts("entryname"),
        what: given.map_or(What::Entry, |(_, what)| *what),
        catalog: params.name("CATALOG").map(str::to_owned),
        mask: params.flag("MASK"),
        exclude: params.texts("EXCLUDE"),
        purge: params.flag("PURGE"),
        erase: params.switch("ERASE", "NOERASE"),
        keep_files: params.flag("NOSCRATCH"),
        force: params.flag("FORCE"),
        recovery: params.flag("RECOVERY"),
        test: params.flag("TEST"),
    }
}
