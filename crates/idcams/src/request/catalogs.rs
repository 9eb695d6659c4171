//! BLDINDEX and REPRO MERGECAT: what fills indexes, and what moves entries between catalogs.

use crate::act::bldindex::Bldindex;
use crate::act::merge::MergeCatalogs;
use crate::params::Params;

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
