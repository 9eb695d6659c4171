//! DELETE.

use crate::params::Params;
use cica_admin::delete::{Delete, Uncataloged, What};
use cica_catalog::entry::Kind;

/// DELETE's types; the table lets one be said.
const TYPES: [(&str, What); 12] = [
    ("ALIAS", What::Kind(Kind::Alias)),
    ("ALTERNATEINDEX", What::Kind(Kind::Aix)),
    ("CLUSTER", What::Kind(Kind::Cluster)),
    ("GENERATIONDATAGROUP", What::Kind(Kind::Gdg)),
    ("NONVSAM", What::Kind(Kind::NonVsam)),
    ("PATH", What::Kind(Kind::Path)),
    ("USERCATALOG", What::Kind(Kind::UserCatalog)),
    // Page spaces are not made here, so none is found.
    ("PAGESPACE", What::Kind(Kind::Data)),
    ("VOLUME", What::Volume),
    ("VVR", What::Uncataloged(Uncataloged::Component)),
    ("NVR", What::Uncataloged(Uncataloged::File)),
    ("TRUENAME", What::Uncataloged(Uncataloged::DeadEnd)),
];

/// DELETE.
pub fn delete(params: &Params) -> Delete {
    let said = TYPES.iter().find(|(keyword, _)| params.flag(keyword));
    Delete {
        names: params.texts("entryname"),
        what: said.map_or(What::Entry, |(_, what)| *what),
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
