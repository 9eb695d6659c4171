//! `cica plan compress`: what COMPRESSED would give a data set, or the records of a file, and what it would cost.
//!
//! 1. Nothing is changed: the records are read, and compressed in the memory of this process.
//! 2. What is told was tried with these records on this machine; no figure stands in the program.

mod trial;

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::progress::grouped;
use crate::session::Session;
use cica_compress::{predict, Cost, Prediction};
use cica_disk::{Clock, FileReader, SystemClock};
use cica_engine::{Access, Durability, Intent, RequestError};
use cica_format::attributes::Organization;
use cica_messages as messages;
use cica_qsam::{DdText, Reader};
use clap::Args;
use serde_json::{json, Value};
use std::io::Write;
use std::path::Path;
use trial::{NoTrial, Took, TrialLayout};

/// Say what COMPRESSED would give a data set, and cost
#[derive(Debug, Args)]
#[command(after_help = "\
The records, or some of all of them, are stored plain and compressed in memory, and read and updated there. The exit
status is 0 where COMPRESSED saves a tenth of the space or more, else 4.

Example:
  cica plan compress PAYROLL.MASTER
  cica plan compress --file master.bin,RECFM=FB,LRECL=250 --key 10,0 --json")]
pub struct Options {
    /// Data set name
    #[arg(required_unless_present = "file")]
    dsn: Option<String>,
    /// Records of a sequential file instead, with RECFM= and so on behind commas as in a DD
    #[arg(long, value_name = "FILE", conflicts_with = "dsn")]
    file: Option<String>,
    /// Length and offset of the key in the records of a file; without it they are added as to an ESDS
    #[arg(long, value_name = "LEN,OFF", requires = "file", value_parser = key)]
    key: Option<(u16, u32)>,
    /// Megabytes of records that are tried; of more, some from all parts
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=4096))]
    sample: u16,
    /// Percent of the requests that read
    #[arg(long, value_name = "PERCENT", default_value_t = 80, value_parser = clap::value_parser!(u8).range(0..=100))]
    reads: u8,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn key(text: &str) -> Result<(u16, u32), String> {
    let parts = text
        .split_once(',')
        .and_then(|(length, offset)| Some((length.parse().ok()?, offset.parse().ok()?)));
    match parts {
        Some((length @ 1..=255, offset)) => Ok((length, offset)),
        _ => Err("a key is its length, 1 to 255, a comma, and its offset".into()),
    }
}

/// Microseconds of CPU from one request to the next: of a copy, a query, a batch program, an online transaction.
const BETWEEN: [f64; 4] = [0.5, 2.0, 10.0, 50.0];

/// Pools, as parts of the plain data.
const POOLS: [f64; 3] = [0.25, 0.5, 1.0];

/// The part of random reads that find no page in a pool of `part` of the plain bytes: of the plain data set, and of the
/// compressed one.
fn read_in([plain, small]: [u64; 2], part: f64) -> [f64; 2] {
    let pool = part * plain as f64;
    [plain, small].map(|bytes| (1.0 - pool / (bytes as f64).max(1.0)).max(0.0))
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let most = usize::from(options.sample) << 20;
    let (name, mut sample, layout) = match (&options.dsn, &options.file) {
        (Some(dsn), _) => of_data_set(dsn, most, global)?,
        (None, Some(file)) => of_file(file, options.key, most)?,
        (None, None) => return Err(Failure::usage("name a data set, or a file with --file")),
    };
    if let Some((length, offset)) = layout.key {
        let part = offset as usize..offset as usize + usize::from(length);
        let shorter = sample.records.iter().filter(|record| record.len() < part.end).count();
        if shorter > 0 && shorter == sample.records.len() {
            let words = format!(
                "{name} has no record that reaches the end of its key, byte {}",
                part.end
            );
            return Err(Failure::new(Status::NOTHING, &messages::CICA0951E, words));
        }
        sample.records.retain(|record| record.len() >= part.end);
        sample
            .records
            .sort_by(|one, other| one[part.clone()].cmp(&other[part.clone()]));
        sample
            .records
            .dedup_by(|one, other| one[part.clone()] == other[part.clone()]);
    }
    if sample.records.is_empty() {
        let words = format!("{name} has no records to try");
        return Err(Failure::new(Status::NOTHING, &messages::CICA0951E, words));
    }
    let clear = layout
        .key
        .map_or(0, |(length, offset)| offset as usize + usize::from(length));
    let records = sample.records.iter().map(Vec::as_slice);
    let found = predict(records, clear, &mut || SystemClock.now()).map_err(|e| unusable(&name, &e))?;
    let [plain, compressed] = trial::run(&sample.records, layout).map_err(|error| match error {
        NoTrial::Memory(error) => Failure::from(error),
        NoTrial::Open(error) => Failure::from(error),
        NoTrial::Request(error) => Failure::from(error),
    })?;
    let described = described(
        &name,
        &sample,
        &found,
        (plain, compressed),
        f64::from(options.reads) / 100.0,
    );
    let mut out = crate::terminal::stdout();
    if options.json {
        writeln!(out, "{described:#}")?
    } else {
        table(&mut out, &name, &sample, &found, (plain, compressed), options.reads)?
    }
    Ok(if found.pays() { Status::DONE } else { Status::NOTHING })
}

/// Records of all parts of a data set, as many as were asked for.
#[derive(Default)]
struct Sample {
    records: Vec<Vec<u8>>,
    bytes: usize,
    /// Records there were.
    seen: u64,
    step: u64,
}

impl Sample {
    fn take(&mut self, record: &[u8], most: usize) {
        if self.seen % (self.step + 1) == 0 {
            self.bytes += record.len();
            self.records.push(record.to_vec());
        }
        self.seen += 1;
        if self.bytes > most && self.records.len() > 1 {
            let mut n = 0;
            self.records.retain(|_| {
                n += 1;
                n % 2 == 1
            });
            self.bytes = self.records.iter().map(Vec::len).sum();
            self.step = 2 * self.step + 1;
        }
    }
}

fn of_data_set(dsn: &str, most: usize, global: &Global) -> Result<(String, Sample, TrialLayout), Failure> {
    let session = Session::open(global)?;
    let opened = session.data_set(dsn, Access::Input, Durability::Close)?;
    let attributes = opened.data_set.attributes().clone();
    let name = opened.name.to_string();
    let keyed = match attributes.organization {
        Organization::Ksds => true,
        Organization::Esds | Organization::Rrds | Organization::Vrrds => false,
        _ => {
            let words = format!(
                "{name} is {}, which is not compressed",
                attributes.organization.keyword()
            );
            return Err(Failure::new(Status::REFUSED, &messages::CICA0951E, words));
        }
    };
    let mut sample = Sample::default();
    let mut string = opened.data_set.string();
    string.leave_no_pages();
    loop {
        match string.next(Intent::Read) {
            Ok(record) => sample.take(record.bytes, most),
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(Failure::from(error).at(&name)),
        }
    }
    drop(string);
    opened.close()?;
    let layout = TrialLayout {
        key: keyed.then_some((attributes.key_length, attributes.key_offset)),
        ci_size: attributes.ci_size,
    };
    Ok((name, sample, layout))
}

fn of_file(file: &str, key: Option<(u16, u32)>, most: usize) -> Result<(String, Sample, TrialLayout), Failure> {
    let text = DdText::parse(file).map_err(|e| Failure::from(e).at(file))?;
    let opened = FileReader::open(&*cica_session::outside(), Path::new(&text.target));
    let opened = opened.map_err(|e| unusable(&text.target, &e))?;
    let mut reader = Reader::new(opened, &text.attributes).map_err(|e| Failure::from(e).at(&text.target))?;
    let mut sample = Sample::default();
    while let Some(record) = reader.next().map_err(|e| Failure::from(e).at(&text.target))? {
        if !record.is_empty() {
            sample.take(record, most);
        }
    }
    Ok((text.target, sample, TrialLayout { key, ci_size: 4096 }))
}

fn unusable(name: &str, why: &dyn std::fmt::Display) -> Failure {
    Failure::new(Status::UNUSABLE, &messages::CICA0941E, format!("{name}: {why}"))
}

fn described(name: &str, sample: &Sample, found: &Prediction, (plain, small): (Took, Took), reads: f64) -> Value {
    let pair = |of: fn(&Took) -> Option<f64>| match of(&plain).zip(of(&small)) {
        Some((plain, small)) => {
            json!({"plain_ns": plain.round(), "compressed_ns": small.round(), "ratio": small / plain})
        }
        None => Value::Null,
    };
    let cost = |of: &Cost| json!({"mean": of.mean.round(), "record": of.record, "byte": of.byte});
    let random = |part: f64| {
        let [plain, small] = read_in([plain.bytes, small.bytes], part);
        json!({"pool": part, "plain": plain, "compressed": small})
    };
    let increase = |us: &f64| json!({"between_us": us, "increase": found.increase(reads, us * 1000.0)});
    json!({
        "name": name, "records": sample.seen, "tried": found.records,
        "saved": found.saved(), "factor": found.factor(), "pays": found.pays(),
        "plain_bytes": found.plain, "stored_bytes": found.stored,
        "short": found.short, "without_gain": found.without_gain,
        "control_intervals": {"plain": plain.bytes, "compressed": small.bytes},
        "compress_ns": cost(&found.compress), "expand_ns": cost(&found.expand),
        "io": {"scan_saved": 1.0 - small.bytes as f64 / (plain.bytes as f64).max(1.0), "random": POOLS.map(random)},
        "load": pair(|t| Some(t.load)), "browse": pair(|t| Some(t.browse)),
        "get": pair(|t| t.get), "update": pair(|t| t.update),
        "reads": reads, "cpu": BETWEEN.iter().map(increase).collect::<Vec<_>>(),
    })
}

fn table(
    out: &mut dyn Write,
    name: &str,
    sample: &Sample,
    found: &Prediction,
    (plain, small): (Took, Took),
    reads: u8,
) -> std::io::Result<()> {
    writeln!(
        out,
        "{name}: {} records, {} tried",
        grouped(sample.seen),
        grouped(found.records)
    )?;
    let (saved, factor) = (100.0 * found.saved(), found.factor());
    if found.pays() {
        writeln!(
            out,
            "COMPRESSED saves {saved:.0} percent of the bytes of the records (factor {factor:.2})"
        )?
    } else {
        writeln!(
            out,
            "COMPRESSED does not pay: it saves {saved:.0} percent (factor {factor:.2})"
        )?
    }
    let plain_records = (grouped(found.short), grouped(found.without_gain));
    writeln!(
        out,
        "records that stay plain: {} short, {} without gain",
        plain_records.0, plain_records.1
    )?;
    writeln!(out, "\n{:<26} {:>14} {:>14} {:>8}", "", "plain", "compressed", "ratio")?;
    let bytes = (plain.bytes as f64, small.bytes as f64);
    let rows = [
        ("bytes in control intervals", Some(bytes.0), Some(bytes.1)),
        ("load, ns of a record", Some(plain.load), Some(small.load)),
        ("browse", Some(plain.browse), Some(small.browse)),
        ("get", plain.get, small.get),
        ("update", plain.update, small.update),
    ];
    for (what, plain, small) in rows {
        if let Some((plain, small)) = plain.zip(small) {
            writeln!(
                out,
                "{what:<26} {:>14} {:>14} {:>8.2}",
                grouped(plain as u64),
                grouped(small as u64),
                small / plain
            )?;
        }
    }
    writeln!(out, "\nI/O, by the sizes alone; a pool of so much of the plain data:")?;
    let scan = 100.0 * (1.0 - bytes.1 / bytes.0.max(1.0));
    writeln!(out, "a scan, a load or a copy moves {scan:.0} percent less")?;
    for part in POOLS {
        let [plain, small] = read_in([plain.bytes, small.bytes], part);
        writeln!(
            out,
            "{:>8.0} % {:>4.0} of 100 random reads come from the volume, compressed {:.0}",
            100.0 * part,
            100.0 * plain,
            100.0 * small
        )?;
    }
    for (what, cost) in [("compress", &found.compress), ("expand", &found.expand)] {
        let (mean, record, byte) = (cost.mean, cost.record, cost.byte);
        let each = format!("{record:.0} for each record and {byte:.2} for each byte behind its key");
        writeln!(out, "to {what} a record takes {mean:.0} ns: {each}")?;
    }
    writeln!(
        out,
        "CPU of a program with {reads} percent reads, by what it takes from one request to the next:"
    )?;
    for us in BETWEEN {
        let increase = 100.0 * found.increase(f64::from(reads) / 100.0, us * 1000.0);
        writeln!(out, "{us:>8} us {increase:>+8.1} percent")?;
    }
    Ok(())
}
