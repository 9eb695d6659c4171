//! The structural check of a KSDS: every CI read from where its parent says, the index against the data, and the
//! arithmetic of both. Nothing is changed.

use super::Ksds;
use crate::common::inspect::SizesSeen;
use crate::error::{show_key, RequestError};
use crate::examine::{Examination, Finding, FindingKind, FindingPlace};
use crate::pool::Page;
use crate::store::free_cis;
use cica_counters::DataSetCount;
use cica_format::ci;
use cica_format::index::IndexRecord;
use std::collections::HashSet;

impl Ksds {
    /// Checks an open data set. Writers are kept out meanwhile.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        let _gate = self.gate.write();
        let mut walk = Inspection {
            ksds: self,
            out: Examination::default(),
            seen_nodes: HashSet::new(),
            seen_cas: HashSet::new(),
            free_bytes: 0,
            last_key: Vec::new(),
            in_record: false,
            record_so_far: 0,
            last_separator: None,
            sizes: SizesSeen::new(self),
        };
        let (top, levels) = self.top();
        if levels > 0 {
            walk.levels(top, levels);
            let total = walk.out.control_intervals * self.data.layout.ci_size as u64;
            walk.out.free_percent = (walk.free_bytes * 100).checked_div(total).unwrap_or(0) as u32;
            let expected = self.counters.get(DataSetCount::Records);
            if walk.out.records != expected {
                walk.data(0, format!("{} records found, {expected} counted", walk.out.records));
            }
            if let Some(wrong) = walk.sizes.wrong(self) {
                walk.data(0, wrong);
            }
        }
        Ok(walk.out)
    }

    /// A data page: what is in the pool, which came from an image whose checksum and arithmetic were checked, or
    /// will be written.
    fn page_report(&self, number: u32, sizes: &mut SizesSeen) -> Result<PageReport, RequestError> {
        let mut latched = self.data.latch(number)?;
        let page = Page::of(latched.cells());
        let keyed = page.segment() <= 1;
        let bytes: usize = (0..page.count()).map(|i| page.len_of(i)).sum();
        let rdfs = ci::rdf_count(page.lens());
        let copies = self.to_expand(&page);
        sizes.page(self, &page);
        let mut report = PageReport {
            keys: (0..page.count())
                .filter(|_| keyed)
                .map(|i| page.key(i, self.shape).to_vec())
                .collect(),
            segment: page.segment(),
            free: ci::free_bytes(self.data.layout.ci_size, bytes, rdfs).unwrap_or(0),
            longest: (0..page.count()).map(|i| page.len_of(i)).max().unwrap_or(0),
            not_expanded: Vec::new(),
            arithmetic_wrong: bytes != page.data_len() || rdfs != page.rdfs(),
        };
        drop(latched);
        if !copies.is_empty() {
            (report.longest, report.not_expanded) = self.longest_of(&copies);
        }
        Ok(report)
    }
}

/// What the check needs of a data page.
struct PageReport {
    /// Keys in order (none of a middle or last segment).
    keys: Vec<Vec<u8>>,
    /// Segment number.
    segment: u8,
    /// Free bytes.
    free: usize,
    /// Longest record.
    longest: usize,
    /// Why records cannot be expanded.
    not_expanded: Vec<String>,
    /// RDF count or data length is not what the records make it.
    arithmetic_wrong: bool,
}

struct Inspection<'k> {
    ksds: &'k Ksds,
    out: Examination,
    seen_nodes: HashSet<u32>,
    seen_cas: HashSet<u32>,
    free_bytes: u64,
    last_key: Vec<u8>,
    /// Segments of a spanned record are missing so far.
    in_record: bool,
    /// Bytes of the record up to its last segment that was met.
    record_so_far: u64,
    last_separator: Option<Vec<u8>>,
    sizes: SizesSeen,
}

impl Inspection<'_> {
    fn index(&mut self, ci: u32, what: String) {
        self.found(FindingPlace::Index, FindingKind::Other, ci, what);
    }
    fn data(&mut self, ci: u32, what: String) {
        self.found(FindingPlace::Data, FindingKind::Other, ci, what);
    }
    fn found(&mut self, part: FindingPlace, kind: FindingKind, ci: u32, what: String) {
        let component = match part {
            FindingPlace::Index => &self.ksds.index,
            FindingPlace::Data => &self.ksds.data,
        };
        let rba = ci as u64 * component.layout.ci_size as u64;
        self.out.findings.push(Finding {
            kind,
            part,
            ci,
            rba,
            what,
        });
    }

    /// Level by level: the records that the level above names must be the chain of the level, in its order.
    fn levels(&mut self, top: u32, levels: u8) {
        let mut wanted: Vec<(u32, Vec<u8>)> = vec![(top, Vec::new())];
        for level in (1..=levels).rev() {
            let mut below = Vec::new();
            let mut expected_next = None;
            for (i, (ci, separator)) in wanted.iter().enumerate() {
                if let Some(next) = expected_next.filter(|next| next != ci) {
                    self.chained(next, *ci, &wanted[..i]);
                }
                let Some(record) = self.node(*ci, level) else { continue };
                self.node_keys(*ci, &record, separator);
                expected_next = Some(record.next);
                if i + 1 == wanted.len() && record.next != u32::MAX {
                    self.chained(record.next, u32::MAX, &wanted);
                }
                match level {
                    1 => self.sequence_set(*ci, &record),
                    _ => below.extend(record.entries.into_iter().map(|e| (e.pointer, e.separator))),
                }
            }
            wanted = below;
        }
    }

    /// The chain of a level goes on to `next`, and the level above says `wanted`; `before` are the records passed.
    fn chained(&mut self, next: u32, wanted: u32, before: &[(u32, Vec<u8>)]) {
        if next == u32::MAX {
            self.index(wanted, "the record before it is the last of its chain".into());
        } else if before.iter().any(|(ci, _)| *ci == next) {
            let what = "the chain of its level comes back to it".into();
            self.found(FindingPlace::Index, FindingKind::ChainLoop, next, what);
        } else {
            let what = "the chain of its level goes on with it and no entry above points to it there".into();
            self.found(FindingPlace::Index, FindingKind::NotPointedTo, next, what);
        }
    }

    fn node(&mut self, ci: u32, level: u8) -> Option<IndexRecord> {
        if !self.seen_nodes.insert(ci) {
            self.index(ci, "two entries point to it".into());
            return None;
        }
        self.out.index_control_intervals += 1;
        match self.ksds.node(ci) {
            Ok(record) if record.level == level => Some(record),
            Ok(record) => {
                self.index(
                    ci,
                    format!("is of level {}, its parent is of level {}", record.level, level + 1),
                );
                None
            }
            Err(error) => {
                self.index(ci, error.to_string());
                None
            }
        }
    }

    fn node_keys(&mut self, ci: u32, record: &IndexRecord, separator: &[u8]) {
        match record.entries.last() {
            None => self.index(ci, "has no entries".into()),
            Some(last) if last.separator != separator => {
                self.index(
                    ci,
                    format!(
                        "its highest key is {}, its parent says {}",
                        show_key(&last.separator),
                        show_key(separator)
                    ),
                );
            }
            Some(_) => {}
        }
        let padded = |s: &[u8]| {
            let mut key = s.to_vec();
            key.resize(self.ksds.shape.key_len.max(s.len()), 0xFF);
            key
        };
        let falling = record
            .entries
            .windows(2)
            .find(|w| padded(&w[0].separator) > padded(&w[1].separator));
        if let Some(w) = falling {
            let text = format!(
                "key {} is followed by the lower {}",
                show_key(&w[0].separator),
                show_key(&w[1].separator)
            );
            self.found(FindingPlace::Index, FindingKind::IndexSequence, ci, text);
        }
        if !self.ksds.node_still_fits(record) {
            self.index(ci, "does not fit its CI".into());
        }
    }

    fn sequence_set(&mut self, node: u32, record: &IndexRecord) {
        if !self.seen_cas.insert(record.ca) {
            self.index(node, format!("CA {} has another sequence-set record", record.ca));
        }
        let free = free_cis(
            record.entries.iter().map(|e| e.pointer),
            self.ksds.data.layout.ci_per_ca,
        );
        if free.len() + record.entries.len() != self.ksds.data.layout.ci_per_ca {
            self.index(node, "two entries point to the same CI".into());
        }
        for pointer in free.into_iter().rev() {
            self.free_interval(self.ksds.data.layout.join(record.ca, u32::from(pointer)));
        }
        for entry in &record.entries {
            let ci = self.ksds.data.layout.join(record.ca, entry.pointer);
            self.out.control_intervals += 1;
            match self.ksds.page_report(ci, &mut self.sizes) {
                Ok(page) => self.page(ci, &page, &entry.separator),
                Err(error) => {
                    self.sizes.lost();
                    self.data(ci, error.to_string());
                }
            }
        }
    }

    /// What no entry points to must hold nothing: a record there is lost to every reader.
    fn free_interval(&mut self, ci: u32) {
        match self.ksds.data.first_kept(ci, ci + 1) {
            Ok(None) => {}
            Ok(Some(_)) => self.found(
                FindingPlace::Data,
                FindingKind::DataInFree,
                ci,
                "no index entry points to it, and it holds records".into(),
            ),
            // The entries of the CA tell it.
            Err(_) => {}
        }
    }

    fn page(&mut self, ci: u32, page: &PageReport, separator: &[u8]) {
        self.free_bytes += page.free as u64;
        if page.keys.is_empty() && page.segment <= 1 {
            self.out.empty_control_intervals += 1;
        }
        let continues = page.segment > 1;
        if continues != self.in_record {
            self.data(
                ci,
                if continues {
                    "a segment without its first one"
                } else {
                    "the segments before it lack their last one"
                }
                .into(),
            );
        }
        self.in_record = matches!(page.segment, 1 | 3);
        if !continues && self.last_separator.as_deref() == Some(separator) {
            self.found(
                FindingPlace::Data,
                FindingKind::DuplicateKey,
                ci,
                format!(
                    "no key belongs to it: the entry before it has {} too",
                    show_key(separator)
                ),
            );
        }
        let before = self.last_separator.replace(separator.to_vec()).filter(|_| !continues);
        if let (Some(before), Some(key)) = (before, page.keys.first()) {
            // A search for it ends at the entry before.
            if before.is_empty() || key[..before.len()] <= *before {
                let text = format!(
                    "key {} belongs to the index entry before it, {}",
                    show_key(key),
                    show_key(&before)
                );
                self.found(FindingPlace::Data, FindingKind::DataSequence, ci, text);
            }
        }
        if page.arithmetic_wrong {
            self.data(ci, "record lengths and RDFs do not agree".into());
        }
        page.not_expanded.iter().for_each(|why| self.data(ci, why.clone()));
        if !continues {
            self.record_so_far = 0;
        }
        self.record_so_far += page.longest as u64;
        self.out.longest_record = self.out.longest_record.max(self.record_so_far);
        for key in &page.keys {
            if !self.last_key.is_empty() && *key <= self.last_key {
                let text = format!("key {} follows {}", show_key(key), show_key(&self.last_key));
                self.found(FindingPlace::Data, FindingKind::DataSequence, ci, text);
            }
            let above = !separator.is_empty() && key[..separator.len()] > *separator;
            if above {
                self.data(
                    ci,
                    format!("key {} is above the index entry {}", show_key(key), show_key(separator)),
                );
            }
            self.last_key.clone_from(key);
            self.out.records += 1;
        }
    }
}
