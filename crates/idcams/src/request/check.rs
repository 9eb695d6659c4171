//! VERIFY, EXAMINE, DIAGNOSE and DCOLLECT: what looks at data sets and catalogs.

use crate::params::Params;
use cica_admin::dcollect::Dcollect;
use cica_admin::diagnose::{Diagnose, DiagnoseFilter, Meant, Subject};
use cica_admin::examine::Examine;
use cica_admin::verify::Verify;

/// VERIFY.
pub fn verify(params: &Params) -> Verify {
    Verify {
        data_set: params.named_or_none("FILE", "DATASET"),
        recover: params.flag("RECOVER"),
    }
}

/// EXAMINE.
pub fn examine(params: &Params) -> Examine {
    Examine {
        name: params.name("NAME").unwrap_or_default().to_owned(),
        without_index: params.flag("NOINDEXTEST"),
        data: params.flag("DATATEST"),
        error_limit: params.number("ERRORLIMIT"),
    }
}

/// DIAGNOSE.
pub fn diagnose(params: &Params) -> Diagnose {
    let named = params.named_or_none("INFILE", "INDATASET");
    let choice = match (params.group("INCLUDE"), params.group("EXCLUDE")) {
        (Some(list), _) => DiagnoseFilter::Only(meant(list)),
        (None, Some(list)) => DiagnoseFilter::Except(meant(list)),
        (None, None) => DiagnoseFilter::All,
    };
    Diagnose {
        subject: if params.flag("VVDS") {
            Subject::Volume(named)
        } else {
            Subject::Catalog(named)
        },
        compared: params.all_named("COMPAREDD", "COMPAREDS"),
        choice,
        list: params.flag("LIST"),
        error_limit: params.number("ERRORLIMIT"),
    }
}

fn meant(list: &Params) -> Meant {
    Meant {
        entries: list.texts("ENTRIES"),
        levels: list.texts("LEVEL"),
        catalogs: list.texts("CATALOG"),
    }
}

/// DCOLLECT.
pub fn dcollect(params: &Params) -> Dcollect {
    Dcollect {
        onto: params.named_or_none("OUTFILE", "OUTDATASET"),
        volumes: params.texts("VOLUMES"),
        without_data: params.flag("NODATAINFO"),
        without_volumes: params.flag("NOVOLUMEINFO"),
    }
}
