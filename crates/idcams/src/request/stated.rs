//! What a list of parameters says of a data set.
//!
//! Passwords are not kept: that there was one is, not which.

use crate::params::{KeyValue, Params, Value};
use crate::table::Support;
use cica_admin::hexadecimal;
use cica_admin::stated::{Form, Model, Retention, Stated, Tenure};
use cica_catalog::entry::{Keys, Log, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};

/// Stored parameters that have fields of their own.
const HAS_FIELD: [&str; 6] = [
    "WRITECHECK",
    "LOG",
    "LOGSTREAMID",
    "STORAGECLASS",
    "DATACLASS",
    "MANAGEMENTCLASS",
];
/// What is obeyed, and kept as text all the same.
const KEPT: [&str; 2] = ["RLSQUIESCE", "RLSENABLE"];
/// Those whose values nobody should read in a catalog.
const PASSWORDS: [&str; 6] = ["MASTERPW", "CONTROLPW", "UPDATEPW", "READPW", "CODE", "AUTHORIZATION"];

/// All of it. The table of commands bounds each number by what its field holds.
pub fn stated(params: &Params) -> Stated {
    let text = |keyword| params.name(keyword).map(str::to_owned);
    Stated {
        name: text("NAME"),
        form: form(params),
        model: model(params),
        keys: match params.numbers("KEYS") {
            [length, offset] => Some(Keys {
                length: length.value as u16,
                offset: offset.value as u32,
            }),
            _ => None,
        },
        record_size: match params.numbers("RECORDSIZE") {
            [average, maximum] => Some(RecordSize {
                average: average.value as u32,
                maximum: maximum.value as u32,
            }),
            _ => None,
        },
        space: space(params),
        in_blocks: params.has("BLOCKS"),
        volumes: texts(params, "VOLUMES"),
        ci_size: params.number("CONTROLINTERVALSIZE").map(|size| size as u32),
        free_space: match params.numbers("FREESPACE") {
            [] => None,
            // The percentage that is left out is 0.
            [ci, rest @ ..] => Some(FreeSpace {
                ci: ci.value as u8,
                ca: rest.first().map_or(0, |ca| ca.value as u8),
            }),
        },
        buffer_space: params.number("BUFFERSPACE").map(|bytes| bytes as u32),
        imbed: params.switch("IMBED", "NOIMBED"),
        share: match params.numbers("SHAREOPTIONS") {
            [] => None,
            // The second value is 3 when it is left out.
            [region, rest @ ..] => Some(ShareOptions {
                region: region.value as u8,
                system: rest.first().map_or(3, |system| system.value as u8),
            }),
        },
        reuse: params.switch("REUSE", "NOREUSE"),
        spanned: params.switch("SPANNED", "NONSPANNED"),
        compressed: params.switch("COMPRESSED", "NOCOMPRESSED"),
        erase: params.switch("ERASE", "NOERASE"),
        speed: params.switch("SPEED", "RECOVERY"),
        write_check: params.switch("WRITECHECK", "NOWRITECHECK"),
        reclaim: params.switch("RECLAIMCA", "NORECLAIMCA"),
        inhibit: params.switch("INHIBIT", "UNINHIBIT"),
        ccsid: params.number("CCSID").map(|ccsid| ccsid as u16),
        log: params.name("LOG").map(|word| match word {
            "UNDO" => Log::Undo,
            "ALL" => Log::All,
            _ => Log::None,
        }),
        log_stream: text("LOGSTREAMID"),
        storage_class: text("STORAGECLASS"),
        data_class: text("DATACLASS"),
        management_class: text("MANAGEMENTCLASS"),
        tenure: tenure(params),
        cobol_head: None,
        isam_key: None,
        other: other(params),
    }
}

/// OWNER, TO and FOR.
pub fn tenure(params: &Params) -> Tenure {
    let until = params.number("TO").map(|number| Retention::Until {
        year: u32::try_from(number / 1000).unwrap_or(u32::MAX),
        day: (number % 1000) as u16,
    });
    let days = params.number("FOR").map(|days| Retention::Days(days as u32));
    Tenure {
        owner: params.name("OWNER").map(str::to_owned),
        expires: until.or(days),
    }
}

/// MODEL(entry catalog).
pub fn model(params: &Params) -> Option<Model> {
    let words = params.group("MODEL")?;
    Some(Model {
        entry: words.name("entry").unwrap_or_default().to_owned(),
        catalog: words.name("catalog").map(str::to_owned),
    })
}

/// The names of a list.
pub fn texts(params: &Params, keyword: &str) -> Vec<String> {
    params.list(keyword).iter().map(|word| word.text.clone()).collect()
}

/// What has no field of its own.
pub fn other(params: &Params) -> Vec<(&'static str, String)> {
    let stored = params
        .iter()
        .filter(|param| param.support == Support::Stored || KEPT.contains(&param.keyword))
        .filter(|param| !HAS_FIELD.contains(&param.keyword));
    let text = |keyword, value| {
        if PASSWORDS.contains(keyword) {
            String::new()
        } else {
            shown(value)
        }
    };
    stored
        .map(|param| (param.keyword, text(&param.keyword, &param.value)))
        .collect()
}

fn form(params: &Params) -> Option<Form> {
    const FORMS: [Form; 4] = [Form::NonIndexed, Form::Numbered, Form::Linear, Form::Indexed];
    FORMS.into_iter().find(|form| params.flag(form.word()))
}

fn space(params: &Params) -> Option<Space> {
    if let [primary, rest @ ..] = params.numbers("BLOCKS") {
        // Two blocks of 512 bytes.
        let kilobytes = |blocks: u64| blocks.div_ceil(2);
        return Some(Space {
            unit: Unit::Kilobytes,
            primary: kilobytes(primary.value),
            secondary: kilobytes(rest.first().map_or(0, |s| s.value)),
        });
    }
    const UNITS: [(&str, Unit); 5] = [
        ("CYLINDERS", Unit::Cylinders),
        ("TRACKS", Unit::Tracks),
        ("RECORDS", Unit::Records),
        ("KILOBYTES", Unit::Kilobytes),
        ("MEGABYTES", Unit::Megabytes),
    ];
    UNITS
        .into_iter()
        .find_map(|(keyword, unit)| match params.numbers(keyword) {
            [] => None,
            [primary, rest @ ..] => Some(Space {
                unit,
                primary: primary.value,
                secondary: rest.first().map_or(0, |s| s.value),
            }),
        })
}

/// A value as it would be written between the parentheses.
fn shown(value: &Value) -> String {
    match value {
        Value::Flag | Value::Groups(_) => String::new(),
        Value::Numbers(numbers) => join(numbers.iter().map(|n| n.value.to_string())),
        Value::Words(words) => join(words.iter().map(|w| w.text.clone())),
        Value::Keys(keys) => join(keys.iter().map(|(key, _)| match key {
            KeyValue::Char(text) => format!("'{text}'"),
            KeyValue::CharGeneric(text) => format!("{text}*"),
            KeyValue::Hex(bytes) => format!("X'{}'", hexadecimal(bytes)),
        })),
        Value::Group(params) => join(params.iter().map(|p| shown(&p.value))),
    }
}

fn join(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(" ")
}
