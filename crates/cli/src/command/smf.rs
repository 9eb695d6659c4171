//! `cica smf`: SMF records of opens, closes and steps, printed, added up and exported.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::terminal::in_a_line;
use cica_disk::FileReader;
use cica_messages as messages;
use cica_smf::field::HEADER;
use cica_smf::{Field, Layout, Record, Records, Value};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{json, Map};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Print, add up or export SMF records
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Records are written while CICA_SMF=on is in the environment of the programs.

Examples:
  cica smf print --type 64 --dsn PAYROLL.MASTER
  cica smf totals
  cica smf export --format csv --type 64 > closes.csv")]
pub enum Options {
    /// Print records, a line for each field that is not 0
    #[command(after_help = "Example:\n  cica smf print --type 64")]
    Print(Which),
    /// Add up what was done with each component, and by each step
    #[command(after_help = "\
Opens of one data set in one program at the same time share their counts, and each close tells
what all of them did since its own open. Records of type 42, subtype 6, add up there too.
Of an open without a close (the program runs, or was killed) the newest record of an interval
counts (CICA_SMF_INTERVAL), with no close beside it.

Example:
  cica smf totals")]
    Totals(Which),
    /// Write records as JSON lines or CSV
    #[command(after_help = "Example:\n  cica smf export --format csv --type 64")]
    Export {
        #[command(flatten)]
        which: Which,
        /// Format
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
    },
}

/// Which records
#[derive(Debug, Args)]
pub struct Which {
    /// SMF files; without one those of the catalog
    files: Vec<PathBuf>,
    /// Records of this type
    #[arg(long = "type", value_name = "NUMBER")]
    kind: Option<u8>,
    /// Records of this subtype
    #[arg(long, value_name = "NUMBER")]
    subtype: Option<u16>,
    /// Records of this cluster or component
    #[arg(long)]
    dsn: Option<String>,
    /// Records of this job; a record has the first 8 characters of its name
    #[arg(long)]
    job: Option<String>,
}

/// How records are exported
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// An object for each record, a line each
    Json,
    /// A line for each record, and one with the names of the fields; records of one type and subtype at a time
    Csv,
    /// Not supported yet
    Parquet,
}

/// Characters of a job's name that a record has.
const JOB: usize = 8;

/// A way to show records.
type ShowRecords = fn(&[Record], &mut dyn Write) -> Result<Status, Failure>;

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let (which, show): (_, ShowRecords) = match options {
        Options::Print(which) => (which, print),
        Options::Totals(which) => (which, totals),
        Options::Export { which, format } => match format {
            Format::Json => (which, json_lines),
            Format::Csv => (which, csv),
            Format::Parquet => return Err(refused("Parquet is not supported yet; export CSV or JSON")),
        },
    };
    let (records, mut status) = which.records(global)?;
    let shown = show(&records, &mut crate::terminal::stdout());
    let shown = shown.map(|done| status = status.max(done));
    Ok(status.with_output(shown))
}

fn refused(words: &str) -> Failure {
    Failure::new(Status::REFUSED, &messages::CICA1080E, words)
}

/// A name of a job as a record has it.
fn in_record(job: &str) -> String {
    let text: String = job.chars().take(JOB).collect();
    text.trim_end_matches(' ').to_owned()
}

/// What files had.
#[derive(Debug, Default)]
struct Found {
    records: Vec<Record>,
    /// Something could not be read, which was told.
    missed: bool,
}

impl Found {
    /// Reads a file up to its end, or to what is no record.
    fn take(&mut self, path: &Path, mut records: Records<impl Read>) {
        loop {
            let at = records.offset();
            let Some(record) = records.next() else { return };
            match record {
                // Zeros and blanks in the place of what it lacks would be wrong.
                Ok(record) if record.is_short() => self.miss(&format!(
                    "{}: offset {at}: the record of type {} has {} bytes, and that is too short for it",
                    path.display(),
                    record.kind(),
                    record.bytes().len()
                )),
                Ok(record) => self.records.push(record),
                Err(error) => self.miss(&format!("{}: {error}", path.display())),
            }
        }
    }

    fn miss(&mut self, words: &str) {
        refused(words).tell();
        self.missed = true;
    }
}

impl Which {
    /// The records that are wanted, and whether all could be read: a file is read as far as that can be done.
    fn records(&self, global: &Global) -> Result<(Vec<Record>, Status), Failure> {
        let mut found = Found::default();
        if self.files.is_empty() {
            let session = Session::open(global)?;
            let files = cica_smf::files(&*session.disk, session.catalog.directory());
            for file in files.map_err(|error| refused(&error.to_string()))? {
                match file.records() {
                    Ok(records) => found.take(&file.path, records),
                    Err(error) => found.miss(&error.to_string()),
                }
            }
        }
        for path in &self.files {
            match FileReader::open(&*cica_session::outside(), path) {
                Ok(file) => found.take(path, Records::new(file)),
                Err(error) => found.miss(&format!("{}: {error}", path.display())),
            }
        }
        let status = match (found.missed, found.records.is_empty()) {
            (false, _) => Status::DONE,
            (true, false) => Status::INCOMPLETE,
            (true, true) => Status::REFUSED,
        };
        found.records.retain(|record| self.wants(record));
        Ok((found.records, status))
    }

    fn wants(&self, record: &Record) -> bool {
        let is = |wanted: &Option<String>, fields: &[&str]| match wanted {
            None => true,
            Some(text) => record.fields().any(|(field, value)| {
                let wanted = text.to_ascii_uppercase();
                fields.iter().any(|end| field.name.ends_with(end)) && value.to_string() == wanted
            }),
        };
        self.kind.is_none_or(|kind| record.kind() == kind)
            && self.subtype.is_none_or(|subtype| record.subtype() == subtype)
            && is(&self.dsn, &["CLU", "DNM", "INM", "S42DSN", "SMF42GBB"])
            && is(&self.job.as_deref().map(in_record), &["JBN"])
    }
}

fn print(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    for record in records {
        let (day, time) = (show(record, "DTE"), show(record, "TME"));
        let text = record
            .layout()
            .map_or("fields are not known here", |layout| layout.text);
        writeln!(out, "{day} {time}  type {}  {text}", record.kind())?;
        for (field, value) in record.fields().skip(HEADER.len()) {
            line(field, &value, out)?;
        }
        for (field, value) in record.entries().flatten() {
            line(field, &value, out)?;
        }
    }
    Ok(if records.is_empty() {
        Status::NOTHING
    } else {
        Status::DONE
    })
}

fn line(field: &Field, value: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    let text = in_a_line(&value.to_string());
    if text.is_empty() || *value == Value::Number(0) {
        return Ok(());
    }
    writeln!(out, "  {:<10} {text:<24} {}", field.name, field.text)
}

/// What a record says of a field, for people.
fn show(record: &Record, name: &str) -> String {
    record
        .get(name)
        .map_or(String::new(), |value| in_a_line(&value.to_string()))
}

/// Fields of type 64 that say of which open a record is: who has it open, which component, and what there was before.
const OF_OPEN: [&str; 13] = [
    "SID", "SMF64JBN", "SMF64RST", "SMF64RSD", "SMF64UIF", "SMF64DNM", "SMF64NLR", "SMF64NDE", "SMF64NIN", "SMF64NUP",
    "SMF64NRE", "SMF64NCI", "SMF64NEP",
];

/// Fields of type 64 that are added up.
const ADDED: [(&str, &str); 8] = [
    ("SMF64DRE", "RETRIEVED"),
    ("SMF64DIN", "INSERTED"),
    ("SMF64DUP", "UPDATED"),
    ("SMF64DDE", "DELETED"),
    ("SMF64DEP", "REQUESTS"),
    ("SMF64BMH", "HITS"),
    ("SMF64RIO", "READS"),
    ("SMF64DXP", "EXCPS"),
];

/// Where the component is in [`OF_OPEN`].
const COMPONENT: usize = 5;

/// What was counted since an open, as its close says it, and the newest record of an interval: the numbers only grow.
#[derive(Debug, Clone, Copy, Default)]
struct OpenSums {
    at_close: [i128; ADDED.len()],
    at_interval: [i128; ADDED.len()],
}

impl OpenSums {
    /// What no close has told yet. Nothing, unless the data set stays open, or whoever had it open has died.
    fn more(&self) -> [i128; ADDED.len()] {
        let mut more = self.at_interval;
        for (n, told) in more.iter_mut().zip(self.at_close) {
            *n = (*n - told).max(0);
        }
        more
    }
}

fn largest(mut one: [i128; ADDED.len()], other: [i128; ADDED.len()]) -> [i128; ADDED.len()] {
    one.iter_mut().zip(other).for_each(|(n, other)| *n = other.max(*n));
    one
}

fn totals(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    let mut sums: BTreeMap<String, (u64, [i128; ADDED.len()])> = BTreeMap::new();
    let mut opens: BTreeMap<[String; OF_OPEN.len()], OpenSums> = BTreeMap::new();
    let mut lost = 0;
    for record in records {
        if let Some(Value::Number(n)) = record.get("SMF7CNT") {
            lost += n;
        }
        if record.kind() != 64 {
            continue;
        }
        let said = ADDED.map(|(name, _)| match record.get(name) {
            Some(Value::Number(n)) => n,
            _ => 0,
        });
        let open = opens.entry(OF_OPEN.map(|name| show(record, name))).or_default();
        if bits(record, "SMF64RIN") & 0x80 == 0 {
            open.at_interval = largest(open.at_interval, said);
            continue;
        }
        open.at_close = largest(open.at_close, said);
        let (closes, sum) = sums.entry(show(record, "SMF64DNM")).or_default();
        *closes += 1;
        sum.iter_mut().zip(said).for_each(|(total, n)| *total += n);
    }
    for (of, open) in &opens {
        let more = open.more();
        if more.iter().any(|n| *n > 0) {
            let (_, sum) = sums.entry(of[COMPONENT].clone()).or_default();
            sum.iter_mut().zip(more).for_each(|(total, n)| *total += n);
        }
    }
    write!(out, "{:<44} {:>6}", "COMPONENT", "CLOSES")?;
    ADDED.iter().try_for_each(|(_, title)| write!(out, " {title:>10}"))?;
    writeln!(out)?;
    for (name, (closes, sum)) in &sums {
        write!(out, "{name:<44} {closes:>6}")?;
        sum.iter().try_for_each(|n| write!(out, " {n:>10}"))?;
        writeln!(out)?;
    }
    let steps: Vec<&Record> = records.iter().filter(|record| record.kind() == 30).collect();
    if !steps.is_empty() {
        steps_of(&steps, out)?;
    }
    if lost > 0 {
        writeln!(out, "{lost} records were lost")?;
    }
    Ok(if records.is_empty() {
        Status::NOTHING
    } else {
        Status::DONE
    })
}

/// Steps of the same job, step and program: how many there were, what they took, and the worst code.
fn steps_of(records: &[&Record], out: &mut dyn Write) -> std::io::Result<()> {
    let mut sums: BTreeMap<[String; 3], (u64, i128, i128, String)> = BTreeMap::new();
    let number = |record: &Record, name: &str| match record.get(name) {
        Some(Value::Number(n)) => n,
        _ => 0,
    };
    for record in records {
        let key = ["SMF30JBN", "SMF30STM", "SMF30PGM"].map(|name| show(record, name));
        let (count, cpu, excps, worst) = sums.entry(key).or_default();
        *count += 1;
        *cpu += number(record, "SMF30CPT");
        *excps += number(record, "SMF30TEP");
        *worst = std::mem::take(worst).max(code(record));
    }
    writeln!(
        out,
        "\n{:<8} {:<8} {:<8} {:>6} {:>12} {:>12}  CODE",
        "JOB", "STEP", "PROGRAM", "STEPS", "CPU SECONDS", "EXCPS"
    )?;
    for ([job, step, program], (count, cpu, excps, worst)) in &sums {
        let cpu = format!("{}.{:02}", cpu / 100, cpu % 100);
        writeln!(
            out,
            "{job:<8} {step:<8} {program:<8} {count:>6} {cpu:>12} {excps:>12}  {worst}"
        )?;
    }
    Ok(())
}

fn bits(record: &Record, name: &str) -> u16 {
    let text = show(record, name);
    let digits = text.trim_start_matches("X'").trim_end_matches('\'');
    u16::from_str_radix(digits, 16).unwrap_or_default()
}

/// The condition code of a step in decimal, or `S` and the code of its abnormal end, as listings of jobs have them. The
/// worse of two is the greater text.
pub fn code(record: &Record) -> String {
    let (code, how) = (bits(record, "SMF30SCC"), bits(record, "SMF30STI"));
    match how & 0x0200 {
        0 => format!("{:04}", code & 0xFFF),
        _ if code & 0x8000 != 0 => format!("U{:04}", code & 0xFFF),
        _ => format!("S{:03X}", code & 0xFFF),
    }
}

fn json_lines(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    for record in records {
        let named = |(field, value): (&Field, Value)| {
            let value = match value {
                Value::Number(n) => i64::try_from(n).map_or_else(|_| json!(n.to_string()), |n| json!(n)),
                Value::Text(text) => json!(text),
            };
            (field.name.to_owned(), value)
        };
        let mut fields: Map<_, _> = record.fields().map(named).collect();
        let entries = record
            .entries()
            .map(|entry| entry.into_iter().map(named).collect::<Map<_, _>>());
        let entries: Vec<_> = entries.collect();
        if !entries.is_empty() {
            fields.insert("sections".into(), json!(entries));
        }
        writeln!(out, "{}", serde_json::Value::Object(fields))?;
    }
    Ok(if records.is_empty() {
        Status::NOTHING
    } else {
        Status::DONE
    })
}

fn csv(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    let Some(first) = records.first() else {
        return Ok(Status::NOTHING);
    };
    let kind = (first.kind(), first.subtype());
    if records.iter().any(|record| (record.kind(), record.subtype()) != kind) {
        return Err(refused(
            "records of several types or subtypes have no columns in common; say which with --type and --subtype",
        ));
    }
    let quoted = |text: String| {
        if text.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    };
    // The columns are those of the layout, whatever a record lacks of it.
    let layout = Layout::of(kind.0, kind.1);
    let (own, sections) = layout.map_or((&[][..], &[][..]), |layout| (layout.fields, layout.sections));
    let single = sections.iter().filter(|section| !section.repeated);
    let repeated = sections.iter().filter(|section| section.repeated);
    let columns = HEADER
        .iter()
        .chain(own)
        .chain(single.flat_map(|section| section.fields));
    let columns = columns.chain(repeated.flat_map(|section| section.fields));
    let columns: Vec<&str> = columns.map(|field| field.name).collect();
    writeln!(out, "{}", columns.join(","))?;
    for record in records {
        let own: Vec<_> = record.fields().collect();
        // A record with sections that there may be several of has a line for each, as if each had its record.
        let mut entries: Vec<_> = record.entries().collect();
        if entries.is_empty() {
            entries.push(Vec::new());
        }
        for entry in entries {
            let cell = |name: &&str| {
                let found = own.iter().chain(&entry).find(|(field, _)| field.name == *name);
                found.map_or(String::new(), |(_, value)| quoted(value.to_string()))
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
    }
    Ok(Status::DONE)
}
