//! VERIFY, EXAMINE, DIAGNOSE and DCOLLECT: what looks at data sets and catalogs.

use crate::act::verify::Verify;
use crate::params::Params;

/// VERIFY.
pub fn verify(params: &Params) -> Verify {
    Verify {
        data_set: params.named_or_none("FILE", "DATASET"),
        recover: params.flag("RECOVER"),
    }
}
