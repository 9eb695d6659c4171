//! ALLOCATE: gives a data set a DD name for the commands that follow, and makes it first when it is NEW.
//!
//! | status | the data set | what writes to the DD name |
//! |---|---|---|
//! | OLD, SHR, none | is in the catalog | begins a sequential file anew |
//! | MOD | is in the catalog | goes on behind what a sequential file has |
//! | NEW with RECORG, or LIKE a cluster | is defined as DEFINE CLUSTER would | loads it |
//! | NEW without | is entered as DEFINE NONVSAM would, with an empty file | begins it anew |
//!
//! What is made is made by those commands: ALLOCATE writes their cards. If the DD name cannot be had nothing is made.

use super::failure::{not_found, refused, Failure};
use super::open;
use super::sequential::{relative, Sequential};
use super::Services;
use crate::messages::{CICA0909I, CICA0916E};
use crate::params::{Command, Params};
use crate::parser;
use crate::run::Act;
use crate::sysprint::Sysprint;
use cica_catalog::{Entry, Name};
use cica_qsam::DdText;
use std::fmt::Write;

/// Condition code when nothing was allocated.
const FAILED: u8 = 12;

/// Carries out ALLOCATE.
pub fn allocate(services: &mut Services, command: &Command, out: &mut Sysprint) -> u8 {
    match carry_out(services, &command.params, out) {
        Ok(cc) => cc,
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn carry_out(services: &mut Services, params: &Params, out: &mut Sysprint) -> Result<u8, Failure> {
    let ddname = params.name("FILE").unwrap_or_default();
    let data_set = params.name("DATASET").unwrap_or_default().to_ascii_uppercase();
    if services.dd.get(ddname).is_some() && !params.flag("REUSE") {
        return Err(Failure::new(&CICA0916E, &[("name", &ddname)]));
    }
    let text = dd_text(&data_set, params)?;
    if params.flag("NEW") {
        let cards = cards(services, &data_set, params)?;
        let made = make(services, &cards, out)?;
        if made > 0 {
            return Ok(made.max(FAILED));
        }
    }
    let sequential = there(services, ddname, &text)?;
    services.dd.insert(ddname, text);
    if let Some(file) = sequential {
        if params.flag("NEW") {
            drop(file.begin(services).map_err(open::no_file(&file.name))?);
        }
        file.goes_on(services, params.flag("MOD"));
    }
    out.say(&CICA0909I, &[("name", &ddname), ("dataset", &data_set)]);
    Ok(0)
}

/// The DD statement that has the same effect.
fn dd_text(data_set: &str, params: &Params) -> Result<DdText, Failure> {
    let mut text = format!("'{}'", data_set.replace('\'', "''"));
    let recfm: String = params.list("RECFM").iter().map(|word| word.text.as_str()).collect();
    if !recfm.is_empty() {
        let _ = write!(text, ",RECFM={}", recfm.replace(['(', ')', ',', ' '], ""));
    }
    if !params.has("RECORG") {
        for keyword in ["LRECL", "BLKSIZE"] {
            if let Some(number) = params.number(keyword).filter(|number| *number > 0) {
                let _ = write!(text, ",{keyword}={number}");
            }
        }
    }
    DdText::parse(&text).map_err(|error| refused(&error, 140, 0))
}

/// Is there something of this name? The file, if it is no cluster.
fn there(services: &Services, ddname: &str, text: &DdText) -> Result<Option<Sequential>, Failure> {
    let of_name = Sequential::of_name(services, &text.target, Some(text.attributes))?;
    if of_name.is_some() {
        return Ok(of_name);
    }
    let name = Name::parse(&text.target).map_err(|error| refused(&error, 140, 0))?;
    let contents = services.home(&name)?.contents()?;
    match cica_session::reach(&contents, &name) {
        Ok(_) => Ok(None),
        Err(error) if error.is_not_found() => Err(not_found(&format!("{} (FILE {ddname})", text.target))),
        Err(error) => Err(refused(&error, 140, 0)),
    }
}

/// The cards of the DEFINE that makes a new data set.
fn cards(services: &Services, data_set: &str, params: &Params) -> Result<String, Failure> {
    if relative(data_set).is_some() {
        let words = "the generation is made when something is written to it: leave NEW and its space out";
        return Err(refused(&words, 140, 0));
    }
    if matches!(params.name("DSORG"), Some("PO" | "DA")) {
        return Err(refused(
            &"only DSORG(PS), and RECORG for VSAM, can be made here",
            140,
            0,
        ));
    }
    let like = match params.name("LIKE") {
        Some(text) => {
            let name = Name::parse(text).map_err(|error| refused(&error, 140, 0))?;
            Some(services.home(&name)?.get(&name)?)
        }
        None => None,
    };
    let volumes: Vec<&str> = params.list("VOLUME").iter().map(|word| word.text.as_str()).collect();
    let volumes = match volumes.is_empty() {
        true => "*".to_owned(),
        false => volumes.join(" "),
    };
    match (params.name("RECORG"), &like) {
        (None, None | Some(Entry::NonVsam(_))) => Ok(format!(
            " DEFINE NONVSAM (NAME({data_set}) DEVICETYPES(SYSDA) VOLUMES({volumes}){})\n",
            retention(params)
        )),
        (None | Some(_), _) => cluster(data_set, params, like.as_ref(), &volumes),
    }
}

fn cluster(data_set: &str, params: &Params, like: Option<&Entry>, volumes: &str) -> Result<String, Failure> {
    let mut card = format!(
        " DEFINE CLUSTER (NAME({data_set}) -\n  VOLUMES({volumes}){}",
        retention(params)
    );
    if let Some(like) = like {
        let _ = write!(card, " -\n  MODEL({})", like.name());
    }
    let organization = match params.name("RECORG") {
        Some("KS") => " INDEXED",
        Some("ES") => " NONINDEXED",
        Some("RR") => " NUMBERED",
        Some("LS") => " LINEAR",
        _ => "",
    };
    card += organization;
    if let Some(length) = params.number("KEYLEN").filter(|length| *length > 0) {
        let _ = write!(card, " KEYS({length} {})", params.number("KEYOFF").unwrap_or(0));
    }
    if let Some(length) = params.number("LRECL").filter(|length| *length > 0) {
        let _ = write!(card, " RECORDSIZE({length} {length})");
    }
    let amounts: Vec<String> = params.numbers("SPACE").iter().map(|n| n.value.to_string()).collect();
    if !amounts.is_empty() {
        let Some(unit) = ["CYLINDERS", "TRACKS"].into_iter().find(|unit| params.flag(unit)) else {
            let words = "say CYLINDERS or TRACKS beside SPACE: blocks are of sequential data sets";
            return Err(refused(&words, 140, 0));
        };
        let _ = write!(card, " -\n  {unit}({})", amounts.join(" "));
    }
    Ok(card + ")\n")
}

fn retention(params: &Params) -> String {
    match params.number("RETPD") {
        Some(days) => format!(" FOR({days})"),
        None => String::new(),
    }
}

/// Carries out the cards; the condition code.
fn make(services: &mut Services, cards: &str, out: &mut Sysprint) -> Result<u8, Failure> {
    let mut cc = 0;
    for parsed in parser::commands(cards) {
        match parsed {
            Ok(command) => cc = cc.max(services.act(&command, out)),
            Err(diagnostics) => {
                diagnostics.iter().for_each(|diagnostic| out.diagnose(diagnostic));
                cc = FAILED;
            }
        }
    }
    Ok(cc)
}
