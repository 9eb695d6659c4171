//! What a salvage says, for people and as JSON.

use super::target::Refused;
use crate::failure::Failure;
use crate::progress::grouped;
use cica_admin::hexadecimal;
use cica_engine::salvage::{Loss, Report, Salvage};
use serde_json::{json, Value};
use std::io::Write;

/// For people: what is wrong, place by place, and the sum.
pub fn text(salvage: &Salvage, report: &Report, refused: &[Refused]) -> Result<(), Failure> {
    let mut out = crate::terminal::stdout();
    for note in &report.notes {
        writeln!(out, "{note}")?;
    }
    match (salvage.later_requests(), report.later_requests) {
        (Some(log), None) => writeln!(out, "the log {log} holds requests that came after the last commit")?,
        (Some(log), Some(n @ 1..)) => writeln!(
            out,
            "the log {log} holds {} requests that came after the last commit; {} records are as they left them",
            grouped(n),
            grouped(report.from_log)
        )?,
        _ => {}
    }
    for doubtful in &report.doubts {
        let place = match (doubtful.ci, doubtful.ca) {
            (Some(ci), _) => format!("CI {ci}"),
            (None, Some(ca)) => format!("region {ca}"),
            (None, None) => "log".into(),
        };
        let superseded = match doubtful.superseded {
            0 => String::new(),
            n => format!(", {n} left out for better ones"),
        };
        writeln!(
            out,
            "{place}: {} doubtful{superseded}: {}",
            doubtful.records, doubtful.why
        )?;
    }
    for loss in &report.losses {
        let place = match loss.ci {
            Some(ci) => format!("CI {ci} (RBA {})", loss.rba),
            None => format!("CA {} (from RBA {})", loss.ca, loss.rba),
        };
        writeln!(out, "{place}: lost{}: {}", range(loss), loss.why)?;
    }
    for refused in refused {
        writeln!(out, "doubtful record at {}: not taken: {}", refused.place, refused.why)?;
    }
    let missing = match report.missing() {
        Some(missing) => format!(
            "{} of {} missing",
            grouped(missing),
            grouped(report.counted.unwrap_or(0))
        ),
        None => "how many there were is not known".into(),
    };
    let (sure, doubtful) = (grouped(report.sure), grouped(report.doubtful));
    writeln!(out, "{sure} records sure, {doubtful} doubtful, {missing}")?;
    Ok(())
}

/// The keys that were there, as far as the index tells.
fn range(loss: &Loss) -> String {
    let bound = |key: &Option<Vec<u8>>| key.as_deref().filter(|key| !key.is_empty()).map(hexadecimal);
    match (bound(&loss.above), bound(&loss.up_to)) {
        (Some(above), Some(up_to)) => format!(", keys above X'{above}' up to X'{up_to}..'"),
        (None, Some(up_to)) => format!(", keys up to X'{up_to}..'"),
        (Some(above), None) => format!(", keys above X'{above}'"),
        (None, None) => String::new(),
    }
}

/// As JSON: everything that people are told.
pub fn json(name: &str, salvage: &Salvage, report: &Report, refused: &[Refused]) -> Result<(), Failure> {
    let key = |key: &Option<Vec<u8>>| key.as_deref().map(hexadecimal);
    let losses: Vec<Value> = report
        .losses
        .iter()
        .map(|loss| {
            json!({
                "ca": loss.ca, "ci": loss.ci, "rba": loss.rba, "why": loss.why,
                "keys_above": key(&loss.above), "keys_up_to": key(&loss.up_to),
            })
        })
        .collect();
    let doubts: Vec<Value> = report
        .doubts
        .iter()
        .map(|d| {
            json!({
                "ca": d.ca, "ci": d.ci, "reason": d.why.word(), "why": d.why.to_string(),
                "records": d.records, "superseded": d.superseded,
            })
        })
        .collect();
    let refused: Vec<Value> = refused
        .iter()
        .map(|r| json!({"place": r.place, "why": r.why}))
        .collect();
    let all = json!({
        "name": name,
        "cluster": salvage.attributes().cluster_name,
        "sure": report.sure,
        "doubtful": report.doubtful,
        "counted": report.counted,
        "missing": report.missing(),
        "whole": report.is_whole(),
        "log": salvage.later_requests(),
        "later_requests": report.later_requests,
        "from_log": report.from_log,
        "lost": losses,
        "doubts": doubts,
        "not_taken": refused,
        "notes": report.notes,
    });
    writeln!(crate::terminal::stdout(), "{all:#}")?;
    Ok(())
}
