//! PRINT, LISTCAT and SHCDS: what is listed.

use super::copy::range;
use crate::act::print::Print;
use crate::params::Params;

/// PRINT.
pub fn print(params: &Params) -> Print {
    Print {
        from: params.named_or_none("INFILE", "INDATASET"),
        range: range(params),
        onto: params.name("OUTFILE").map(str::to_owned),
    }
}
