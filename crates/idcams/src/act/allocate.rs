//! ALLOCATE: gives a data set a DD name for the commands that follow, and makes it first when it is NEW.
//!
//! | status | the data set | what writes to the DD name |
//! |---|---|---|
//! | OLD, SHR, none | is in the catalog | begins a sequential file anew |
//! | MOD | is in the catalog | goes on behind what a sequential file has |
//! | NEW with RECORG, or LIKE a cluster | is defined as DEFINE CLUSTER would | loads it |
//! | NEW without | is entered as DEFINE NONVSAM would, with an empty file | begins it anew |
//!
//! What is made is made by those commands: ALLOCATE fills their parameters in. If the DD name cannot be had nothing is
//! made.

use super::failure::{not_found, refused, Failure};
use super::open;
use super::report::Report;
use super::sequential::{relative, Sequential};
use super::Services;
use crate::params::{Command, Number, Param, Params, Value, Word};
use crate::pos::Pos;
use crate::table::{Support, Verb};
use cica_catalog::{Entry, Name};
use cica_disk::NewFile;
use cica_messages::{CICA0909I, CICA0916E};
use cica_qsam::DdText;
use std::fmt::Write;

/// Condition code when nothing was allocated.
const FAILED: u8 = 12;

/// Carries out ALLOCATE.
pub fn allocate(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match carry_out(services, command, out) {
        Ok(cc) => cc,
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn carry_out(services: &mut Services, command: &Command, out: &mut Report) -> Result<u8, Failure> {
    let params = &command.params;
    let ddname = match params.name("FILE") {
        Some(ddname) => ddname.to_owned(),
        None => made_up(services),
    };
    let ddname = ddname.as_str();
    let data_set = params.name("DATASET").unwrap_or_default().to_ascii_uppercase();
    if services.dd.get(ddname).is_some() && !params.flag("REUSE") {
        return Err(Failure::new(&CICA0916E, &[("name", &ddname)]));
    }
    let text = dd_text(&data_set, params)?;
    if params.flag("NEW") {
        let definition = definition(services, &data_set, command)?;
        let cc = services.carry_out(&definition, out);
        if cc > 0 {
            return Ok(cc.max(FAILED));
        }
    }
    let sequential = there(services, ddname, &text)?;
    services.dd.insert(ddname, text);
    if let Some(file) = sequential {
        if params.flag("NEW") {
            let made = file.begin(services).and_then(NewFile::finish);
            made.map_err(open::no_file(&file.name))?;
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

/// A DD name that nobody has, for an ALLOCATE without FILE.
fn made_up(services: &Services) -> String {
    let names = (1..100_000).map(|number| format!("SYS{number:05}"));
    let mut free = names.filter(|name| services.dd.get(name).is_none());
    free.next().unwrap_or_default()
}

/// The DEFINE that makes a new data set.
fn definition(services: &Services, data_set: &str, command: &Command) -> Result<Command, Failure> {
    let params = &command.params;
    let wrong = |words: &str| refused(&words, 140, 0);
    if relative(data_set).is_some() {
        return Err(wrong(
            "the generation is made when something is written to it: leave NEW and its space out",
        ));
    }
    let partitioned = ["PO", "DA", "LIBRARY", "PDS", "HFS"];
    let kind = [params.name("DSORG"), params.name("DSNTYPE")];
    if kind.into_iter().flatten().any(|word| partitioned.contains(&word)) {
        return Err(wrong("only DSORG(PS), and RECORG for VSAM, can be made here"));
    }
    let name = Name::parse(data_set).map_err(|error| refused(&error, 140, 0))?;
    let like = match params.name("LIKE") {
        Some(text) => {
            let name = Name::parse(text).map_err(|error| refused(&error, 140, 0))?;
            Some(services.home(&name)?.get(&name)?)
        }
        None => None,
    };
    let mut volumes: Vec<&str> = params.list("VOLUME").iter().map(|word| word.text.as_str()).collect();
    if volumes.is_empty() {
        volumes.push("*");
    }
    let made = match (params.name("RECORG"), &like) {
        (None, None | Some(Entry::NonVsam(_))) => {
            Definition::new(Verb::DefineNonvsam, command.at).words("DEVICETYPES", &["SYSDA"])
        }
        _ => cluster(params, like.as_ref(), command.at)?,
    };
    let made = made.words("NAME", &[name.as_str()]).words("VOLUMES", &volumes);
    let made = match (params.number("RETPD"), params.numbers("EXPDT")) {
        (Some(days), _) => made.numbers("FOR", &[days]),
        (None, [day]) => made.numbers("TO", &[day.value]),
        _ => made,
    };
    Ok(made.command)
}

fn cluster(params: &Params, like: Option<&Entry>, at: Pos) -> Result<Definition, Failure> {
    let mut made = Definition::new(Verb::DefineCluster, at);
    if let Some(like) = like {
        made = made.model(like.name());
    }
    made = match params.name("RECORG") {
        Some("KS") => made.flag("INDEXED"),
        Some("ES") => made.flag("NONINDEXED"),
        Some("RR") => made.flag("NUMBERED"),
        Some("LS") => made.flag("LINEAR"),
        _ => made,
    };
    if let Some(length) = params.number("KEYLEN").filter(|length| *length > 0) {
        made = made.numbers("KEYS", &[length, params.number("KEYOFF").unwrap_or(0)]);
    }
    if let Some(length) = params.number("LRECL").filter(|length| *length > 0) {
        made = made.numbers("RECORDSIZE", &[length, length]);
    }
    let amounts: Vec<u64> = params.numbers("SPACE").iter().map(|n| n.value).collect();
    if amounts.is_empty() {
        return Ok(made);
    }
    let times = match params.name("AVGREC") {
        Some("U") => Some(1),
        Some("K") => Some(1_024),
        Some("M") => Some(1_048_576),
        _ => None,
    };
    if let Some(times) = times {
        let records: Vec<u64> = amounts.iter().map(|n| (n * times).min(RECORDS_MAX)).collect();
        return Ok(made.numbers("RECORDS", &records));
    }
    let Some(unit) = ["CYLINDERS", "TRACKS"].into_iter().find(|unit| params.flag(unit)) else {
        let words = "say CYLINDERS, TRACKS or AVGREC beside SPACE: blocks are of sequential data sets";
        return Err(refused(&words, 140, 0));
    };
    Ok(made.numbers(unit, &amounts))
}

/// What RECORDS takes at most.
const RECORDS_MAX: u64 = 16_777_215;

/// A DEFINE that is filled in here and not read from cards, so that no name or value is too long for a line.
struct Definition {
    command: Command,
}

impl Definition {
    fn new(verb: Verb, at: Pos) -> Definition {
        Definition {
            command: Command {
                verb,
                at,
                params: Params::default(),
                notes: Vec::new(),
            },
        }
    }

    fn flag(self, keyword: &str) -> Definition {
        self.with(keyword, Value::Flag)
    }

    fn words(self, keyword: &str, texts: &[&str]) -> Definition {
        let at = self.command.at;
        let words = texts.iter().map(|text| Word {
            text: (*text).to_owned(),
            at,
        });
        self.with(keyword, Value::Words(words.collect()))
    }

    fn numbers(self, keyword: &str, values: &[u64]) -> Definition {
        let at = self.command.at;
        let numbers = values.iter().map(|value| Number { value: *value, at });
        self.with(keyword, Value::Numbers(numbers.collect()))
    }

    fn model(self, name: &Name) -> Definition {
        let at = self.command.at;
        let word = Word {
            text: name.to_string(),
            at,
        };
        let mut group = Params::default();
        group.push(Param {
            keyword: "entry",
            at,
            value: Value::Words(vec![word]),
            support: Support::Done,
        });
        self.with("MODEL", Value::Group(group))
    }

    /// Puts a parameter in as the table has it; all those above are in it.
    fn with(mut self, keyword: &str, value: Value) -> Definition {
        let at = self.command.at;
        if let Some(param) = self
            .command
            .verb
            .spec()
            .object
            .iter()
            .find(|param| param.word == keyword)
        {
            self.command.params.push(Param {
                keyword: param.word,
                at,
                value,
                support: param.support,
            });
        }
        self
    }
}
