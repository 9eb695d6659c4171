//! What parameters say of a data set, put into its attributes: the same keywords mean the same in DEFINE and in ALTER.
//!
//! 1. A keyword that was not written changes nothing; of two calls the later one wins, so that DATA(...) goes over the
//!    cluster's own list.
//! 2. A keyword of the table's kind "stored" that has no field is kept as text, so that nothing that was said is lost.
//!    Passwords are the exception: that there was one is kept, not which.

use super::failure::{refused, Failure};
use crate::params::{KeyValue, Params, Value};
use crate::table::Support;
use cica_catalog::entry::{Attributes, History, Keys, Log, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::Date;

/// Puts what `params` say into `attributes`; `today` is what FOR counts from.
pub fn put(attributes: &mut Attributes, params: &Params, today: Date) -> Result<(), Failure> {
    retention(&mut attributes.history, params, today)?;
    text(&mut attributes.history.owner, params, "OWNER");
    if let Some(keys) = keys(params) {
        attributes.keys = Some(keys);
    }
    set(&mut attributes.record_size, record_size(params));
    set(&mut attributes.share, share_options(params));
    set(&mut attributes.reuse, params.switch("REUSE", "NOREUSE"));
    set(&mut attributes.spanned, params.switch("SPANNED", "NONSPANNED"));
    set(&mut attributes.erase, params.switch("ERASE", "NOERASE"));
    set(&mut attributes.speed, params.switch("SPEED", "RECOVERY"));
    set(&mut attributes.write_check, params.switch("WRITECHECK", "NOWRITECHECK"));
    set(&mut attributes.reclaim, params.switch("RECLAIMCA", "NORECLAIMCA"));
    set(&mut attributes.inhibit, params.switch("INHIBIT", "UNINHIBIT"));
    // The table bounds it by 65,535.
    set(&mut attributes.ccsid, params.number("CCSID").map(|n| n as u16));
    if let Some(log) = params.name("LOG") {
        attributes.log = Some(match log {
            "UNDO" => Log::Undo,
            "ALL" => Log::All,
            _ => Log::None,
        });
    }
    text(&mut attributes.log_stream, params, "LOGSTREAMID");
    text(&mut attributes.storage_class, params, "STORAGECLASS");
    text(&mut attributes.data_class, params, "DATACLASS");
    text(&mut attributes.management_class, params, "MANAGEMENTCLASS");
    keep(&mut attributes.other, params);
    Ok(())
}

/// Owner and dates alone, as entries without data have them.
pub fn put_history(history: &mut History, params: &Params, today: Date) -> Result<(), Failure> {
    text(&mut history.owner, params, "OWNER");
    retention(history, params, today)
}

/// FREESPACE; the percentage that is left out is 0.
pub fn free_space(params: &Params) -> Option<FreeSpace> {
    match params.numbers("FREESPACE") {
        [] => None,
        // The table bounds both by 100.
        [ci, rest @ ..] => Some(FreeSpace {
            ci: ci.value as u8,
            ca: rest.first().map_or(0, |ca| ca.value as u8),
        }),
    }
}

/// SHAREOPTIONS; the second value is 3 when it is left out.
pub fn share_options(params: &Params) -> Option<ShareOptions> {
    match params.numbers("SHAREOPTIONS") {
        [] => None,
        // The table bounds both by 4.
        [region, rest @ ..] => Some(ShareOptions {
            region: region.value as u8,
            system: rest.first().map_or(3, |system| system.value as u8),
        }),
    }
}

/// Takes the text of a keyword away.
pub fn forget(attributes: &mut Attributes, keyword: &str) {
    attributes.other.retain(|(said, _)| said != keyword);
}

/// The text kept for a keyword.
pub fn kept<'a>(attributes: &'a Attributes, keyword: &str) -> Option<&'a str> {
    attributes
        .other
        .iter()
        .find(|(said, _)| said == keyword)
        .map(|(_, text)| text.as_str())
}

fn keys(params: &Params) -> Option<Keys> {
    match params.numbers("KEYS") {
        // The table bounds the length by 255 and the offset by 32,760.
        [length, offset] => Some(Keys {
            length: length.value as u16,
            offset: offset.value as u32,
        }),
        _ => None,
    }
}

fn record_size(params: &Params) -> Option<RecordSize> {
    match params.numbers("RECORDSIZE") {
        // The table bounds both by 16,777,215.
        [average, maximum] => Some(RecordSize {
            average: average.value as u32,
            maximum: maximum.value as u32,
        }),
        _ => None,
    }
}

fn retention(history: &mut History, params: &Params, today: Date) -> Result<(), Failure> {
    if let Some(days) = params.number("FOR") {
        // Never, whatever today is.
        let never = days == 9_999;
        history.expires = Some(if never {
            Date::NEVER
        } else {
            today.plus_days(days as u32)
        });
    }
    if let Some(day) = params.number("TO") {
        history.expires = Some(date(day)?);
    }
    Ok(())
}

/// A day as the number yyyyddd; day 999 of a year means never, which is the last day there is.
fn date(number: u64) -> Result<Date, Failure> {
    let (year, day) = (number / 1000, number % 1000);
    let wrong = || {
        refused(
            &format!("{year:04}.{day:03} is no day of the years 1900 to 2155; correct TO"),
            140,
            0,
        )
    };
    let year = u16::try_from(year).map_err(|_| wrong())?;
    match day {
        999 => Date::new(year, 1).map(|first| first.plus_days(u32::MAX)),
        // Three digits.
        day => Date::new(year, day as u16),
    }
    .ok_or_else(wrong)
}

/// Keeps as text what was said and has no field of its own.
pub fn keep(other: &mut Vec<(String, String)>, params: &Params) {
    for param in params
        .iter()
        .filter(|p| p.support == Support::Stored && !HAS_FIELD.contains(&p.keyword))
    {
        let text = if PASSWORDS.contains(&param.keyword) {
            String::new()
        } else {
            shown(&param.value)
        };
        match other.iter_mut().find(|(keyword, _)| keyword == param.keyword) {
            Some((_, old)) => *old = text,
            None => other.push((param.keyword.to_owned(), text)),
        }
    }
}

/// Stored parameters that have fields of their own.
const HAS_FIELD: [&str; 6] = [
    "WRITECHECK",
    "LOG",
    "LOGSTREAMID",
    "STORAGECLASS",
    "DATACLASS",
    "MANAGEMENTCLASS",
];
/// Those whose values nobody should read in a catalog.
const PASSWORDS: [&str; 6] = ["MASTERPW", "CONTROLPW", "UPDATEPW", "READPW", "CODE", "AUTHORIZATION"];

/// A value as it would be written between the parentheses.
fn shown(value: &Value) -> String {
    match value {
        Value::Flag | Value::Groups(_) => String::new(),
        Value::Numbers(numbers) => join(numbers.iter().map(|n| n.value.to_string())),
        Value::Words(words) => join(words.iter().map(|w| w.text.clone())),
        Value::Keys(keys) => join(keys.iter().map(|(key, _)| match key {
            KeyValue::Char(text) => format!("'{text}'"),
            KeyValue::CharGeneric(text) => format!("{text}*"),
            KeyValue::Hex(bytes) => format!("X'{}'", super::hexadecimal(bytes)),
        })),
        Value::Group(params) => join(params.iter().map(|p| shown(&p.value))),
    }
}

fn join(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(" ")
}

fn text(field: &mut Option<String>, params: &Params, keyword: &str) {
    if let Some(said) = params.name(keyword) {
        *field = Some(said.to_owned());
    }
}

fn set<T>(field: &mut T, said: Option<T>) {
    if let Some(value) = said {
        *field = value;
    }
}
