//! BLDINDEX and REPRO MERGECAT: what fills indexes, and what moves entries between catalogs.

use crate::params::Params;
use cica_admin::bldindex::Bldindex;
use cica_admin::merge::MergeCatalogs;

/// BLDINDEX. What the cards say of the sort (INTERNALSORT, WORKFILES) changes nothing.
pub fn bldindex(params: &Params) -> Bldindex {
    Bldindex {
        base: params.named_or_none("INFILE", "INDATASET"),
        indexes: params.all_named("OUTFILE", "OUTDATASET"),
    }
}

/// REPRO MERGECAT.
pub fn merge(params: &Params) -> MergeCatalogs {
    MergeCatalogs {
        from: params.named_or_none("INFILE", "INDATASET"),
        to: params.named_or_none("OUTFILE", "OUTDATASET"),
        entries: params.texts("ENTRIES"),
        levels: params.texts("LEVEL"),
        short: params.name("MESSAGELEVEL") == Some("SHORT"),
    }
}
