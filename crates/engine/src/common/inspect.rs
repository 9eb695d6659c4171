//! What the structural checks of data without an index add up.

use super::segments::LAST;
use super::Common;
use crate::examine::{Examination, Finding, FindingKind, FindingPlace};
use crate::pool::Page;
use cica_counters::DataSetCount;
use cica_format::root::RecordSizes;

impl Common {
    /// Copies of the records of a page, where they must be expanded: not while it is latched. A segment of a spanned
    /// one is expanded with the others, by who reads it.
    pub fn to_expand(&self, page: &Page<'_>) -> Vec<Vec<u8>> {
        match (&self.compressed, page.segment()) {
            (Some(_), 0) => (0..page.count()).map(|i| page.whole_record(i).into_owned()).collect(),
            _ => Vec::new(),
        }
    }

    /// The longest of these records as its user has it, and why others cannot be expanded.
    pub fn longest_of(&self, copies: &[Vec<u8>]) -> (usize, Vec<String>) {
        let (mut longest, mut wrong, mut record) = (0, Vec::new(), Vec::new());
        for stored in copies {
            match self.expand(stored, &mut record) {
                Ok(record) => longest = longest.max(record.len()),
                Err(error) => wrong.push(error.to_string()),
            }
        }
        (longest, wrong)
    }
}

/// Adds up what the records of a compressed data set take, while their pages are looked at in order.
pub struct SizesSeen {
    /// None: they cannot all be measured, which is told elsewhere.
    sizes: Option<RecordSizes>,
    /// The segments of a spanned record so far.
    record: Vec<u8>,
}

impl SizesSeen {
    /// Nothing seen yet.
    pub fn new(common: &Common) -> SizesSeen {
        let counted = common.compressed.as_ref().and_then(|compressed| compressed.sizes.now());
        SizesSeen {
            sizes: counted.map(|_| RecordSizes::default()),
            record: Vec::new(),
        }
    }

    /// A page that is latched.
    pub fn page(&mut self, common: &Common, page: &Page<'_>) {
        if self.sizes.is_none() {
            return;
        }
        match page.segment() {
            0 => (0..page.count()).for_each(|i| self.record(common, &page.whole_record(i))),
            segment if page.count() == 1 => {
                self.record.extend_from_slice(page.record(0));
                if segment == LAST {
                    let record = std::mem::take(&mut self.record);
                    self.record(common, &record);
                }
            }
            _ => self.sizes = None,
        }
    }

    /// A page could not be read.
    pub fn lost(&mut self) {
        self.sizes = None;
    }

    fn record(&mut self, common: &Common, stored: &[u8]) {
        let measured = common
            .compressed
            .as_ref()
            .and_then(|compressed| compressed.measure(stored));
        self.sizes = self.sizes.zip(measured).map(|(sizes, more)| sizes.and(more));
    }

    /// What is wrong with what was counted.
    pub fn wrong(&self, common: &Common) -> Option<String> {
        let counted = common.compressed.as_ref().and_then(|compressed| compressed.sizes.now());
        let (found, counted) = self.sizes.zip(counted)?;
        let words = |sizes: RecordSizes| {
            let RecordSizes { user, stored, plain } = sizes;
            format!("{user} bytes of records, {stored} stored, {plain} records plain")
        };
        (found != counted).then(|| format!("{} are found; {} are counted", words(found), words(counted)))
    }
}

/// See the module.
pub struct IntervalWalk<'c> {
    common: &'c Common,
    out: Examination,
    free_bytes: u64,
    /// What the records take, if they are compressed.
    pub sizes: SizesSeen,
}

impl<'c> IntervalWalk<'c> {
    /// Nothing seen yet.
    pub fn new(common: &'c Common) -> IntervalWalk<'c> {
        IntervalWalk {
            common,
            out: Examination::default(),
            free_bytes: 0,
            sizes: SizesSeen::new(common),
        }
    }

    /// A CI is not as it must be.
    pub fn found(&mut self, ci: u32, what: String) {
        self.out.findings.push(Finding {
            kind: FindingKind::Other,
            part: FindingPlace::Data,
            ci,
            rba: self.common.rba_of_ci(ci),
            what,
        });
    }

    /// A CI that was looked at.
    pub fn interval(&mut self, records: u64, empty: bool, longest: usize, free: usize) {
        self.out.control_intervals += 1;
        self.out.records += records;
        self.out.empty_control_intervals += empty as u64;
        self.out.longest_record = self.out.longest_record.max(longest as u64);
        self.free_bytes += free as u64;
    }

    /// The result, with the count of records checked against the data set's.
    pub fn end(mut self) -> Examination {
        let total = self.out.control_intervals * self.common.data.layout.ci_size as u64;
        self.out.free_percent = (self.free_bytes * 100).checked_div(total).unwrap_or(0) as u32;
        let expected = self.common.counters.get(DataSetCount::Records);
        if self.out.records != expected {
            self.found(0, format!("{} records found, {expected} counted", self.out.records));
        }
        if let Some(wrong) = self.sizes.wrong(self.common) {
            self.found(0, wrong);
        }
        self.out
    }
}
