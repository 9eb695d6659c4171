//! The record of a step that has ended (type 30, subtype 4), and what is known for it meanwhile: which data sets the
//! step had open, by which DD names, and how many physical I/Os each took.

use crate::field::Section;
use crate::record::{layout, Origin, Record, Value};
use cica_counters::{ComponentCount, OpenDataSet};
use std::collections::BTreeMap;

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

/// What a step has done so far.
#[derive(Debug, Default)]
pub(crate) struct StepSoFar {
    /// DD names by cluster.
    names: BTreeMap<String, String>,
    /// Opens, in order. An open of several handles in one process is one: all of them show the same counts.
    opens: Vec<Opened>,
}

#[derive(Debug)]
struct Opened {
    /// Data component and time of the open.
    of: (u64, u64),
    cluster: String,
    ci_size: u64,
    first: u64,
    last: u64,
}

impl StepSoFar {
    /// A DD leads to this cluster.
    pub fn name(&mut self, cluster: &str, dd: &str) {
        self.names.insert(cluster.to_owned(), dd.to_ascii_uppercase());
    }

    /// So much is counted now of a data set that is open.
    pub fn note(&mut self, set: &OpenDataSet) {
        let identity = &set.identity;
        let (of, now) = ((identity.component, identity.opened), excps(set));
        match self.opens.iter_mut().find(|open| open.of == of) {
            Some(open) => open.last = open.last.max(now),
            None => self.opens.push(Opened {
                of,
                cluster: identity.cluster.clone(),
                ci_size: identity.ci_size.0.max(identity.ci_size.1).into(),
                first: now,
                last: now,
            }),
        }
    }

    /// DD name, physical I/Os and largest control interval of each DD, in the order of their first opens.
    fn by_dd(&self) -> Vec<(String, u64, u64)> {
        let mut all: Vec<(String, u64, u64)> = Vec::new();
        let mut nameless: Vec<&str> = Vec::new();
        for open in &self.opens {
            let dd = self.names.get(&open.cluster).cloned().unwrap_or_else(|| {
                let known = nameless.iter().position(|cluster| *cluster == open.cluster);
                let number = known.unwrap_or_else(|| {
                    nameless.push(&open.cluster);
                    nameless.len() - 1
                });
                format!("SYS{:05}", number + 1)
            });
            let excps = open.last - open.first;
            match all.iter_mut().find(|(name, ..)| *name == dd) {
                Some((_, sum, largest)) => (*sum, *largest) = (*sum + excps, open.ci_size.max(*largest)),
                None => all.push((dd, excps, open.ci_size)),
            }
        }
        all
    }

    /// The record.
    pub fn record(&self, end: &StepEnd, now: u64, origin: &Origin) -> Record {
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

/// Physical I/Os of data and index.
fn excps(set: &OpenDataSet) -> u64 {
    let of = |part: &cica_counters::Component| part.count(ComponentCount::Excps);
    of(&set.data) + of(&set.index)
}
