//! `cica idcams`: runs control cards. The exit status is MAXCC.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::progress::Progress;
use crate::session::Session;
use crate::work::services;
use cica_admin::dd::DdTable;
use cica_admin::Services;
use cica_disk::Clock;
use cica_disk::{FileReader, NewFile};
use cica_idcams::run::run_with_parm;
use cica_idcams::{Act, Command, IssuedMessage, Source, Stamp, Style, Sysprint};
use cica_messages::{CICA0906S, CICA0907S};
use cica_qsam::DdText;
use cica_session::{Completion, EndOfStep};
use clap::Args;
use serde_json::{json, Value};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// What the step is called in SMF records.
const PROGRAM: &str = "IDCAMS";

/// Run IDCAMS control cards
///
/// The listing goes to standard output, and the exit status is the highest condition code (MAXCC).
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica idcams define.ams
  echo ' LISTCAT ALL' | cica idcams
  cica idcams load.ams --dd 'CARDS=cards.bin,RECFM=FB,LRECL=80,CODEPAGE=1047'

A DD text is FILE[,RECFM=..,LRECL=..,BLKSIZE=..,CODEPAGE=..,BDW=YES|NO]; without RECFM the file is text
lines. FILE may be a data set name, or a generation such as PAY.HIST(+1). What --dd does not define is taken
from the environment, DD_NAME.")]
pub struct Options {
    /// Control cards; - or nothing is standard input
    file: Option<PathBuf>,
    /// What INFILE(NAME) and OUTFILE(NAME) mean; DISP=MOD adds to a file; may be given several times
    #[arg(long, value_name = "NAME=FILE[,RECFM=..]")]
    dd: Vec<String>,
    /// Where the listing goes instead of standard output
    #[arg(long, value_name = "FILE")]
    sysprint: Option<PathBuf>,
    /// Column 1 of the listing is the carriage control character, as on SYSPRINT
    #[arg(long, conflicts_with = "json")]
    asa: bool,
    /// The PARM field, such as 'MARGINS(1 80)'
    #[arg(long, value_name = "TEXT", default_value = "")]
    parm: String,
    /// Print condition codes, messages and listing as JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let dd = dd_table(&options.dd)?;
    let source = Source::from_bytes(&cards(options.file.as_deref())?);
    let session = Session::open_or_create(global)?;
    let stamp = stamp(&*session.clock);
    for (name, text) in dd.iter() {
        session.name_dd(&text.target.to_ascii_uppercase(), name);
    }
    let step = session.end_of_step();
    let mut services = services(session, dd, Progress::new(global));
    let mut sink = sink(options.sysprint.as_deref())?;
    if options.json {
        let mut listing = Vec::new();
        let mut coded = Coded {
            services,
            commands: Vec::new(),
        };
        let mut sysprint = Sysprint::new(&mut listing, Style::Plain, stamp).with_messages();
        let maxcc = run_with_parm(&options.parm, source, &mut coded, &mut sysprint);
        drop(coded.services);
        tell_end(&step, maxcc);
        let messages: Vec<Value> = sysprint.into_messages().iter().map(message).collect();
        let listing: Vec<Value> = String::from_utf8_lossy(&listing).lines().map(Value::from).collect();
        let all = json!({"maxcc": maxcc, "commands": coded.commands, "messages": messages, "sysprint": listing});
        writeln!(sink, "{all:#}")
            .and_then(|()| sink.flush())
            .map_err(not_written)?;
        return Ok(Status(maxcc));
    }
    let style = if options.asa { Style::Asa } else { Style::Plain };
    let mut sysprint = Sysprint::new(&mut sink, style, stamp);
    let maxcc = run_with_parm(&options.parm, source, &mut services, &mut sysprint);
    drop(services);
    tell_end(&step, maxcc);
    match sysprint.error() {
        // The commands behind the break were not carried out: unlike elsewhere, this is no success.
        Some(error) => Err(not_written(io::Error::new(error.kind(), error.to_string()))),
        None => Ok(Status(maxcc)),
    }
}

/// The step ends; what SMF has lost is told where the command ends.
fn tell_end(step: &EndOfStep, maxcc: u8) {
    let _ = step.tell(Some(PROGRAM), Completion::Code(maxcc.into()));
}

/// A message of the listing.
fn message(issued: &IssuedMessage) -> Value {
    let (id, severity) = issued.entry.map_or(("", ""), |entry| (entry.id, entry.severity()));
    json!({"id": id, "severity": severity, "text": issued.text})
}

/// The time for headings, in UTC.
fn stamp(clock: &dyn Clock) -> Stamp {
    Stamp::from_unix(i64::try_from(clock.now() / 1_000_000_000).unwrap_or(i64::MAX))
}

/// Carries commands out and notes their codes.
struct Coded {
    services: Services,
    commands: Vec<Value>,
}

impl Act for Coded {
    fn act(&mut self, command: &Command, out: &mut Sysprint) -> u8 {
        let cc = self.services.act(command, out);
        let words = command.verb.spec().words;
        self.commands
            .push(json!({"line": command.at.line, "verb": words, "condition_code": cc}));
        cc
    }
}

/// The DD statements of the command line, and those of the environment that it does not have. Other products have
/// variables with such names too: what is no ddname is passed over, and a wrong text is told to who names it.
fn dd_table(given: &[String]) -> Result<DdTable, Failure> {
    let mut table = DdTable::default();
    for (variable, text) in std::env::vars_os() {
        let (Some(variable), Some(text)) = (variable.to_str(), text.to_str()) else {
            continue;
        };
        let ddname = variable.strip_prefix("DD_").filter(|name| is_ddname(name));
        if let (Some(name), false) = (ddname, text.is_empty()) {
            match DdText::parse_statement(text) {
                Ok(text) => table.insert(name, text),
                Err(error) => table.insert_wrong(name, format!("{variable}: {error}")),
            }
        }
    }
    let mut said: Vec<String> = Vec::new();
    for text in given {
        let Some((name, rest)) = text.split_once('=') else {
            return Err(Failure::usage(format!(
                "--dd {text}: write NAME=FILE, such as --dd CARDS=cards.txt"
            )));
        };
        if !is_ddname(name) {
            return Err(Failure::usage(format!(
                "--dd {text}: '{name}' is no ddname of 1 to 8 letters and digits"
            )));
        }
        // One of the two would be left out in silence.
        if said.contains(&name.to_ascii_uppercase()) {
            return Err(Failure::usage(format!(
                "--dd {text}: there is a --dd for {name} already; say one of the two"
            )));
        }
        said.push(name.to_ascii_uppercase());
        table.insert(
            name,
            DdText::parse_statement(rest).map_err(|e| Failure::from(e).at(format!("--dd {name}={rest}")))?,
        );
    }
    Ok(table)
}

fn is_ddname(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || "@#$".contains(c);
    (1..=8).contains(&name.len()) && name.chars().all(valid)
}

fn cards(file: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let (read, name) = match file.filter(|f| *f != Path::new("-")) {
        Some(file) => (
            FileReader::open(&*cica_session::outside(), file).and_then(|mut f| f.read_to_end(&mut bytes)),
            file.display().to_string(),
        ),
        None => (
            crate::terminal::stdin().read_to_end(&mut bytes),
            "standard input".to_owned(),
        ),
    };
    let text = |e| format!("the control cards cannot be read from {name}: {e}; name a file that is there");
    read.map_err(|e| Failure::new(Status(16), &CICA0907S, text(e)))?;
    Ok(bytes)
}

fn sink(file: Option<&Path>) -> Result<Box<dyn Write>, Failure> {
    match file {
        None => Ok(Box::new(BufWriter::new(crate::terminal::stdout()))),
        Some(path) => match NewFile::begin_in_sight(&cica_session::outside(), path) {
            Ok(file) => Ok(Box::new(BufWriter::new(file))),
            Err(e) => Err(not_written(io::Error::new(
                e.kind(),
                format!("{}: {e}", path.display()),
            ))),
        },
    }
}

fn not_written(error: io::Error) -> Failure {
    let text = format!("the listing cannot be written: {error}; commands after that point were not carried out");
    Failure::new(Status(16), &CICA0906S, text)
}
