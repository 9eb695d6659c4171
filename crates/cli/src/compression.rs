//! What compression gives a data set, as `cica show` tells it: what is known without reading its records, and what
//! reading all of them tells.
//!
//! 1. Nothing is estimated. What the data set has counted is told as of its last commit, or that it is not known; the
//!    rest is counted record by record, and is asked for (`--compression`), as it takes the time of a scan.

use crate::failure::{Failure, Status};
use crate::moment;
use crate::session::Session;
use cica_catalog::{Catalog, Cluster};
use cica_compress::{Survey, SurveyTotals, Surveyed};
use cica_disk::{Clock, SystemClock};
use cica_engine::{Access, DictionaryLine, Durability, Intent, RequestError};
use cica_format::attributes::Organization;
use cica_format::root::Root;
use cica_messages::CICA0951E;
use serde_json::{json, Value};

/// What is known of a compressed data set without reading its records.
pub fn known(session: &Session, catalog: &Catalog, cluster: &Cluster, root: &Root) -> Result<Value, Failure> {
    let path = catalog.component_path(&cluster.data)?;
    let lines = session.engine.dictionaries(&path);
    let lines = lines.map_err(|error| Failure::from(error).at(&cluster.name))?;
    let now = SystemClock.now();
    let mut all = match root.record_sizes() {
        None => json!({"sizes_valid": false}),
        Some(sizes) => json!({
            "sizes_valid": true,
            "user_data_bytes": sizes.user, "stored_bytes": sizes.stored,
            "ratio": ratio(sizes.user, sizes.stored), "saved_percent": saved(sizes.user, sizes.stored),
            "records_plain": sizes.plain,
        }),
    };
    all["dictionaries"] = lines.iter().map(|line| dictionary(line, now)).collect();
    Ok(all)
}

fn dictionary(line: &DictionaryLine, now: u64) -> Value {
    let (number, bytes) = (line.generation, line.bytes);
    match line.made {
        None => json!({"number": number, "bytes": bytes, "damaged": true}),
        Some(made) => json!({
            "number": number, "bytes": bytes, "strings": line.strings, "trained_from_bytes": line.sampled,
            "trained": moment::shown(made), "age": age(now.saturating_sub(made)),
        }),
    }
}

/// Nanoseconds, in the largest unit of which there is one.
fn age(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)];
    let (unit, length) = units
        .into_iter()
        .find(|(_, length)| seconds >= *length)
        .unwrap_or(("second", 1));
    match seconds / length {
        1 => format!("1 {unit}"),
        n => format!("{n} {unit}s"),
    }
}

/// Bytes of users for each that is stored, to hundredths; none of none.
fn ratio(user: u64, stored: u64) -> Value {
    match stored {
        0 => Value::Null,
        _ => json!((user as f64 / stored as f64 * 100.0).round() / 100.0),
    }
}

/// Of a hundred bytes so many are saved, to tenths; below 0: it takes more.
fn saved(user: u64, stored: u64) -> Value {
    match user {
        0 => Value::Null,
        _ => json!(((1.0 - stored as f64 / user as f64) * 1000.0).round() / 10.0),
    }
}

/// What all its records tell, and what a dictionary that is made anew would give.
pub fn counted(session: &Session, cluster: &Cluster) -> Result<Value, Failure> {
    if !cluster.attributes.compressed {
        let words = format!(
            "{} is not COMPRESSED; 'cica plan compress {0}' says what that would give",
            cluster.name
        );
        return Err(Failure::new(Status::REFUSED, &CICA0951E, words));
    }
    let opened = session.data_set(cluster.name.as_str(), Access::Input, Durability::Close)?;
    let a = opened.data_set.attributes();
    let clear = match a.organization {
        Organization::Ksds => a.key_offset as usize + usize::from(a.key_length),
        _ => 0,
    };
    let (mut survey, mut string) = (Survey::new(clear), opened.data_set.string());
    string.leave_no_pages();
    let mut record = Vec::new();
    loop {
        match string.next(Intent::Read) {
            Ok(next) => {
                record.clear();
                record.extend_from_slice(next.bytes);
            }
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(Failure::from(error).at(&cluster.name)),
        }
        let Some(stored) = string.last_as_stored() else {
            let words = format!(
                "{} is shared: the server has its records, and does not tell how they are stored",
                cluster.name
            );
            return Err(Failure::new(Status::REFUSED, &CICA0951E, words));
        };
        survey.take(&record, stored);
    }
    drop(string);
    opened.close()?;
    Ok(described(&survey.end()))
}

fn described(found: &Surveyed) -> Value {
    let mut all = totals(&found.totals);
    all["saved_percent"] = saved(found.totals.user, found.totals.stored);
    all["by_length"] = found
        .classes
        .iter()
        .map(|class| with(json!({"from": class.from, "to": class.to}), &class.totals))
        .collect();
    all["by_dictionary"] = found
        .generations
        .iter()
        .filter(|(generation, _)| *generation > 0)
        .map(|(generation, totals)| with(json!({"number": generation}), totals))
        .collect();
    all["new_dictionary"] = found.anew.map_or(Value::Null, |anew| {
        json!({
            "trained_from_bytes": anew.sampled, "strings": anew.strings, "bytes": anew.bytes,
            "stored_bytes": anew.totals.stored, "ratio": ratio(anew.totals.user, anew.totals.stored),
            "saved_percent": saved(anew.totals.user, anew.totals.stored), "records_plain": anew.totals.plain,
        })
    });
    all
}

fn totals(of: &SurveyTotals) -> Value {
    json!({
        "records": of.records, "user_data_bytes": of.user, "stored_bytes": of.stored,
        "ratio": ratio(of.user, of.stored), "records_plain": of.plain,
    })
}

fn with(mut of: Value, totals: &SurveyTotals) -> Value {
    if let (Value::Object(into), Value::Object(more)) = (&mut of, self::totals(totals)) {
        into.extend(more);
    }
    of
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ages_ratios_and_savings_are_told_in_round_numbers() {
        let second = 1_000_000_000;
        assert_eq!(age(0), "0 seconds");
        assert_eq!(age(59 * second), "59 seconds");
        assert_eq!(age(60 * second), "1 minute");
        assert_eq!(age(7_199 * second), "1 hour");
        assert_eq!(age(20 * 86_400 * second), "20 days");
        assert_eq!((ratio(300, 110), ratio(0, 0)), (json!(2.73), Value::Null));
        assert_eq!((saved(300, 110), saved(10, 11)), (json!(63.3), json!(-10.0)));
    }
}
