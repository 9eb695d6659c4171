//! The record of a step that has ended (type 30, subtype 4).

use crate::field::Section;
use crate::opens::Opens;
use crate::record::{layout, Origin, Record, Value};

/// The code of a step that a signal ended: the one of a step that the operator cancelled.
const CANCELLED: u64 = 0x0222;
/// SMF30STI of a step that ended abnormally.
const ABNORMAL: u64 = 0x0200;
/// Most DDs that a record has place for.
const MOST: usize = 1000;

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// With this condition code.
    Code(u16),
    /// By this signal.
    Signal(u32),
}

/// A step that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepEnd<'a> {
    /// Its program.
    pub program: &'a str,
    /// How it ended.
    pub completion: Completion,
    /// Nanoseconds since 1970 of its start.
    pub started: u64,
    /// Nanoseconds of processor time of the process.
    pub cpu: u64,
    /// Number of the process.
    pub process: u32,
}

impl Opens {
    /// DD name, physical I/Os and largest control interval or block of each DD. Those of data sets are first, in the
    /// order of their first opens.
    fn by_dd(&self) -> Vec<(String, u64, u64)> {
        let mut all: Vec<(String, u64, u64)> = Vec::new();
        let mut nameless = 0;
        let sets = self
            .done()
            .map(|(cluster, done)| (&cluster.name, done.excps, cluster.ci_size));
        let files = self.files.iter().map(|(name, blocks, size)| (name, *blocks, *size));
        for (name, excps, size) in sets.chain(files) {
            let dd = self.names.get(name).cloned().unwrap_or_else(|| {
                nameless += 1;
                format!("SYS{nameless:05}")
            });
            match all.iter_mut().find(|(name, ..)| *name == dd) {
                Some((_, sum, largest)) => (*sum, *largest) = (*sum + excps, size.max(*largest)),
                None => all.push((dd, excps, size)),
            }
        }
        all
    }

    /// The record of the step, which ends.
    pub fn step(&self, end: &StepEnd, now: u64, origin: &Origin) -> Record {
        let layout = layout(30, 4);
        let all = self.by_dd();
        let total = all.iter().map(|(_, excps, _)| excps).sum();
        let count = |section: &Section| if section.repeated { all.len().min(MOST) } else { 1 };
        let mut record = Record::with_sections(layout, count, now, origin);
        record.text("SMF30WID", "CICA");
        record.number("SMF30TYP", 4);
        record.text("SMF30RVN", "05");
        record.text("SMF30PNM", "CICA");
        record.text("SMF30OSL", env!("CARGO_PKG_VERSION"));
        record.text("SMF30SYN", &origin.system);
        record.text("SMF30JBN", &origin.job);
        record.text("SMF30PGM", &end.program.to_ascii_uppercase());
        record.text("SMF30STM", &origin.step);
        record.text("SMF30JNM", &end.process.to_string());
        record.when("SMF30SIT", "SMF30STD", end.started);
        record.when("SMF30RST", "SMF30RSD", end.started);
        record.number("SMF30TEP", total);
        record.number("SMF30TEX", total);
        match end.completion {
            Completion::Code(code) => record.number("SMF30SCC", code.into()),
            Completion::Signal(signal) => {
                record.number("SMF30SCC", CANCELLED);
                record.number("SMF30STI", ABNORMAL);
                record.number("SMF30ARC", signal.into());
            }
        }
        record.number("SMF30CPT", end.cpu / 10_000_000);
        for section in layout.sections.iter().filter(|section| section.repeated) {
            for (n, (dd, excps, ci_size)) in all.iter().enumerate() {
                let excps = Value::Number((*excps).into());
                let values = [
                    ("SMF30DDN", Value::Text(dd.clone())),
                    ("SMF30BLK", excps.clone()),
                    ("SMF30BSZ", Value::Number((*ci_size).into())),
                    ("SMF30XBS", excps),
                ];
                record.entry(section, n, &values);
            }
        }
        record
    }
}
