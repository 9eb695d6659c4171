//! ALLOCATE.

use super::stated::texts;
use crate::params::Params;
use cica_admin::allocate::{Allocate, NewDataSet, NewSpace};
use cica_admin::stated::{Form, Retention};
use cica_catalog::entry::Keys;
use cica_catalog::space::{Space, Unit};

/// ALLOCATE. The table of commands bounds each number by what its field holds.
pub fn allocate(params: &Params) -> Allocate {
    let text = |keyword| params.name(keyword).map(str::to_owned);
    let size = |keyword| params.number(keyword).filter(|size| *size > 0).map(|size| size as u32);
    let format: String = texts(params, "RECFM").concat();
    Allocate {
        ddname: text("FILE"),
        data_set: text("DATASET").unwrap_or_default(),
        reuse: params.flag("REUSE"),
        behind: params.flag("MOD"),
        new: params.flag("NEW").then(|| new(params)),
        record_format: Some(format).filter(|format| !format.is_empty()),
        record_length: size("LRECL"),
        block_size: size("BLKSIZE"),
        form: params.name("RECORG").map(|word| match word {
            "KS" => Form::Indexed,
            "ES" => Form::NonIndexed,
            "RR" => Form::Numbered,
            _ => Form::Linear,
        }),
    }
}

fn new(params: &Params) -> NewDataSet {
    const PARTITIONED: [&str; 5] = ["PO", "DA", "LIBRARY", "PDS", "HFS"];
    let kind = [params.name("DSORG"), params.name("DSNTYPE")];
    let length = params.number("KEYLEN").filter(|length| *length > 0);
    let days = params.number("RETPD").map(|days| Retention::Days(days as u32));
    let until = || {
        params.number("EXPDT").map(|number| Retention::Until {
            year: u32::try_from(number / 1000).unwrap_or(u32::MAX),
            day: (number % 1000) as u16,
        })
    };
    NewDataSet {
        like: params.name("LIKE").map(str::to_owned),
        partitioned: kind.into_iter().flatten().any(|word| PARTITIONED.contains(&word)),
        keys: length.map(|length| Keys {
            length: length as u16,
            offset: params.number("KEYOFF").unwrap_or(0) as u32,
        }),
        space: space(params),
        volumes: texts(params, "VOLUME"),
        expires: days.or_else(until),
    }
}

fn space(params: &Params) -> Option<NewSpace> {
    let amounts: Vec<u64> = params.numbers("SPACE").iter().map(|n| n.value).collect();
    let (primary, rest) = amounts.split_first()?;
    let times = match params.name("AVGREC") {
        Some("U") => Some(1),
        Some("K") => Some(1_024),
        Some("M") => Some(1_048_576),
        _ => None,
    };
    let unit = match times {
        Some(_) => Unit::Records,
        None if params.flag("CYLINDERS") => Unit::Cylinders,
        None if params.flag("TRACKS") => Unit::Tracks,
        None => return Some(NewSpace::Blocks),
    };
    let times = times.unwrap_or(1);
    Some(NewSpace::In(Space {
        unit,
        primary: primary * times,
        secondary: rest.first().map_or(0, |amount| amount * times),
    }))
}
