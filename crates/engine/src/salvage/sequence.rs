//! What is left of the index: which CIs of a CA follow each other, and which keys belong to each.

use super::remains::{Area, Image, Remains};
use cica_format::index::{BaseRba, IndexRecord};
use std::collections::{HashMap, HashSet};

/// See the module.
#[derive(Debug, Default)]
pub struct Sequence {
    areas: HashMap<u32, Vec<Range>>,
    /// Every record was reached from the top: the order is that of the last commit.
    pub is_sure: bool,
}

/// Keys of a CI: above one separator and not above the next (an empty one is above all).
#[derive(Debug, Clone)]
pub struct Range {
    /// CI in its CA.
    pub ci: u32,
    pub above: Option<Vec<u8>>,
    pub up_to: Vec<u8>,
}

impl Sequence {
    /// Of an index component, with the sizes of the data component.
    pub fn of(index: &Remains, data: &Remains) -> Sequence {
        let base = BaseRba {
            ci_per_ca: data.layout.ci_per_ca as u32,
            ci_size: data.layout.ci_size as u32,
            index_ci_size: index.layout.ci_size as u32,
        };
        let (records, complete) = records(index, base);
        let mut sequence = Sequence::default();
        let named = data.root.as_ref().zip(index.root.as_ref());
        let same = named.is_some_and(|(d, i)| d.cluster == i.cluster && d.index_root.version == i.version);
        if let Some((root, _)) = named.filter(|_| same) {
            let (reached, whole) = reached(&records, root.top, root.levels);
            let mut before = Some(Vec::new());
            for record in reached {
                sequence.add(record, &mut before);
            }
            sequence.is_sure = whole;
            if whole {
                return sequence;
            }
        }
        // What was not reached still tells of CAs that nothing else tells of.
        let mut others: Vec<&IndexRecord> = records.values().filter(|r| r.level == 1).collect();
        others.retain(|record| !sequence.areas.contains_key(&record.ca));
        let mut claimed = HashSet::new();
        let twice: HashSet<u32> = others.iter().map(|r| r.ca).filter(|ca| !claimed.insert(*ca)).collect();
        for record in others.into_iter().filter(|record| !twice.contains(&record.ca)) {
            sequence.add(record, &mut None);
        }
        sequence.is_sure &= complete;
        sequence
    }

    fn add(&mut self, record: &IndexRecord, before: &mut Option<Vec<u8>>) {
        let mut ranges: Vec<Range> = Vec::with_capacity(record.entries.len());
        for entry in &record.entries {
            // Segments of one record have equal separators.
            let same = ranges.last().filter(|last| last.up_to == entry.separator);
            let above = match same {
                Some(last) => last.above.clone(),
                None => before.clone(),
            };
            ranges.push(Range {
                ci: entry.pointer,
                above,
                up_to: entry.separator.clone(),
            });
            *before = Some(entry.separator.clone());
        }
        self.areas.insert(record.ca, ranges);
    }

    /// The CIs of a CA in the order of their keys, where the index tells it.
    pub fn of_area(&self, ca: u32) -> Option<&[Range]> {
        self.areas.get(&ca).map(Vec::as_slice)
    }
}

/// Index records by their CIs; whether all could be read.
fn records(index: &Remains, base: BaseRba) -> (HashMap<u32, IndexRecord>, bool) {
    let (mut records, mut complete) = (HashMap::new(), index.cut_off == 0);
    for ca in 0..index.areas() {
        let header = match index.area(ca) {
            Area::Known(known) => {
                complete &= known.lost.is_none();
                known.header
            }
            Area::Empty => continue,
            Area::Lost(_) => {
                complete = false;
                continue;
            }
        };
        for n in 0..header.entries.len() {
            match index.image(&header, n) {
                Some(Image::Good(bytes)) => {
                    if let Ok(record) = IndexRecord::decode(&bytes, base) {
                        records.insert(index.layout.join(ca, n as u32), record);
                    }
                }
                Some(Image::Bad(..)) => complete = false,
                None => {}
            }
        }
    }
    (records, complete)
}

/// The sequence set as it is reached from the top, and whether that is all of it.
fn reached(records: &HashMap<u32, IndexRecord>, top: u32, levels: u8) -> (Vec<&IndexRecord>, bool) {
    let (mut level, mut whole) = (vec![top], levels > 0);
    let mut seen = HashSet::new();
    for number in (1..=levels).rev() {
        let mut found = Vec::new();
        for ci in level {
            match records.get(&ci).filter(|r| r.level == number && seen.insert(ci)) {
                Some(record) => found.push(record),
                None => whole = false,
            }
        }
        if number == 1 {
            return (found, whole);
        }
        level = found.iter().flat_map(|r| r.entries.iter().map(|e| e.pointer)).collect();
    }
    (Vec::new(), whole)
}
