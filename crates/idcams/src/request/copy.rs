//! REPRO: what copies records.

use crate::params::Params;
use cica_admin::range::{From, Range, To};
use cica_admin::repro::Repro;
use cica_messages::{Message, IDC3225I};

/// REPRO of records, or why it is none: entries are chosen where catalogs are merged.
pub fn repro(params: &Params) -> Result<Repro, Message> {
    if params.has("ENTRIES") || params.has("LEVEL") {
        return Err(Message::new(&IDC3225I, &[("item", &"MERGECAT")]));
    }
    Ok(Repro {
        from: params.named_or_none("INFILE", "INDATASET"),
        to: params.named_or_none("OUTFILE", "OUTDATASET"),
        range: range(params),
        reuse: params.flag("REUSE"),
        replace: params.flag("REPLACE"),
        by_intervals: params.flag("CIMODE"),
        whole: false,
        error_limit: params.number("ERRORLIMIT"),
    })
}

/// FROMKEY, FROMADDRESS, FROMNUMBER or SKIP, and TOKEY, TOADDRESS, TONUMBER or COUNT; of each the table lets one be.
pub fn range(params: &Params) -> Range {
    let key = |keyword| params.key(keyword).cloned();
    let rrn = |keyword| params.number(keyword).map(|rrn| u32::try_from(rrn).unwrap_or(u32::MAX));
    let from = key("FROMKEY").map(From::Key);
    let from = from.or_else(|| params.number("SKIP").map(From::Skip));
    let from = from.or_else(|| params.number("FROMADDRESS").map(From::Address));
    let to = key("TOKEY").map(To::Key);
    let to = to.or_else(|| params.number("COUNT").map(To::Count));
    let to = to.or_else(|| params.number("TOADDRESS").map(To::Address));
    Range {
        from: from.or_else(|| rrn("FROMNUMBER").map(From::Number)).unwrap_or_default(),
        to: to.or_else(|| rrn("TONUMBER").map(To::Number)).unwrap_or_default(),
    }
}
