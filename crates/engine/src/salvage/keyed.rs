//! Salvage where records have keys: key-sequenced and variable-length relative data sets.
//!
//! First each CI is looked at and its keys noted; then the CIs are read again in the order of their first keys. Those
//! that overlap others, and those with damaged images, are taken apart into records first, which stay in memory. A sure
//! CI holds all keys between its first and last, so what is doubtful and lies there is of another moment.

use super::emit::Emit;
use super::remains::{Area, Image};
use super::report::Doubt;
use super::{Content, Salvage, SalvagedRecord};
use crate::store::HAS_RECORDS;
use cica_format::attributes::Organization;
use cica_format::ca::CaHeader;
use cica_format::ci::Segment;
use cica_format::ci::{self, CIDF_LEN};
use std::collections::{BTreeMap, HashSet};

/// A CI with whole records, or all CIs of a spanned one.
struct Piece {
    ca: u32,
    /// CIs in the CA, of a spanned record its segments.
    ns: Vec<usize>,
    first: Vec<u8>,
    last: Vec<u8>,
}

/// A segment of a spanned record.
struct Segmented {
    segment: Segment,
    update_number: u16,
    doubt: Option<Doubt>,
    /// Of the first segment.
    key: Vec<u8>,
}

/// A record and its RBA.
type Placed = (Vec<u8>, Option<u64>);

/// A doubtful record.
struct Doubted {
    bytes: Vec<u8>,
    why: Doubt,
    rba: Option<u64>,
    ca: u32,
    ci: Option<u32>,
}

struct KeyedWalk<'s, 'e, 't, E> {
    salvage: &'s Salvage,
    emit: &'e mut Emit<'t, E>,
    /// Pieces that do not overlap, in order once all are there, and what speaks against each.
    stream: Vec<(Piece, Option<Doubt>)>,
    /// Pieces that are taken apart.
    apart: Vec<(Piece, Doubt)>,
    /// CAs without a header.
    lost: bool,
}

/// Hands on everything in the order of the keys.
pub fn run<E>(salvage: &Salvage, emit: &mut Emit<'_, E>) -> Result<(), E> {
    let mut walk = KeyedWalk {
        salvage,
        emit,
        stream: Vec::new(),
        apart: Vec::new(),
        lost: false,
    };
    let mut regions = HashSet::new();
    for ca in 0..salvage.data.areas() {
        match salvage.data.area(ca) {
            Area::Empty => {}
            Area::Lost(why) => {
                walk.lost = true;
                walk.area_lost(ca, why);
            }
            Area::Known(known) => {
                regions.insert(known.header.region);
                regions.extend(known.header.annex);
                if let Some(why) = known.lost {
                    walk.area_lost(ca, format!("{why}; what changed since the other copy is lost"));
                }
                walk.area(&known.header, known.doubt);
            }
        }
    }
    if let Some(why) = salvage.data.cut_off_words() {
        walk.lost = true;
        walk.area_lost(salvage.data.areas(), why);
    }
    walk.order();
    let doubted = walk.doubted(&regions);
    walk.hand_on(doubted)
}

impl<E> KeyedWalk<'_, '_, '_, E> {
    fn area_lost(&mut self, ca: u32, why: String) {
        let mut loss = self.salvage.loss(ca, None, why);
        let ranges = self.salvage.sequence.as_ref().and_then(|s| s.of_area(ca));
        if let Some((first, last)) = ranges.and_then(|r| r.first().zip(r.last())) {
            loss.above = first.above.clone();
            loss.up_to = Some(last.up_to.clone());
        }
        self.emit.lost(loss);
    }

    fn interval_lost(&mut self, ca: u32, n: usize, why: String) {
        let mut loss = self.salvage.loss(ca, Some(n), why);
        let ranges = self.salvage.sequence.as_ref().and_then(|s| s.of_area(ca));
        if let Some(range) = ranges.and_then(|r| r.iter().find(|r| r.ci as usize == n)) {
            loss.above = range.above.clone();
            loss.up_to = Some(range.up_to.clone());
        }
        self.emit.lost(loss);
    }

    fn area(&mut self, header: &CaHeader, doubt: Option<Doubt>) {
        let mut segments: BTreeMap<usize, Segmented> = BTreeMap::new();
        for (n, entry) in header.entries.iter().enumerate() {
            if entry.flags & HAS_RECORDS == 0 {
                continue;
            }
            let (bytes, doubt, why) = match self.salvage.data.image(header, n) {
                None => (None, doubt, "its header names no image of it".to_string()),
                Some(Image::Good(bytes)) => (Some(bytes), doubt, String::new()),
                Some(Image::Bad(bytes, why)) => (bytes, Some(Doubt::Image), why),
            };
            let looked = bytes.ok_or_else(|| why.clone()).and_then(|bytes| self.look(&bytes));
            match looked {
                Err(what) => self.interval_lost(header.ca, n, if why.is_empty() { what } else { why }),
                Ok((content, first, last)) if content.segment == Segment::Whole => {
                    let piece = Piece {
                        ca: header.ca,
                        ns: vec![n],
                        first,
                        last,
                    };
                    self.add(piece, doubt);
                }
                Ok((content, key, _)) => {
                    let segment = Segmented {
                        segment: content.segment,
                        update_number: content.update_number,
                        doubt,
                        key,
                    };
                    segments.insert(n, segment);
                }
            }
        }
        self.join(header.ca, segments);
    }

    /// The records of an image with its first and last key (of a segment that is not the first: none).
    fn look(&self, bytes: &[u8]) -> Result<(Content, Vec<u8>, Vec<u8>), String> {
        let content = Content::of(bytes)?;
        if matches!(content.segment, Segment::Middle | Segment::Last) {
            return Ok((content, Vec::new(), Vec::new()));
        }
        let (mut first, mut last) = (None, Vec::new());
        for record in content.records(bytes) {
            let key = self.key(record).ok_or("a record in it is too short to hold its key")?;
            if first.is_some() && key <= last.as_slice() {
                return Err("keys in it do not ascend".into());
            }
            last = key.to_vec();
            first.get_or_insert_with(|| last.clone());
        }
        let first = first.ok_or("it holds no record, and its header says that it does")?;
        Ok((content, first, last))
    }

    fn key<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let (offset, length) = self.salvage.key();
        record.get(offset..offset + length)
    }

    /// Puts the segments of a CA together: in the order of the index, or as their numbers come.
    fn join(&mut self, ca: u32, mut segments: BTreeMap<usize, Segmented>) {
        if segments.is_empty() {
            return;
        }
        let sequence = self.salvage.sequence.as_ref();
        let ranges = sequence.and_then(|s| s.of_area(ca));
        let order: Vec<usize> = match ranges {
            Some(ranges) => ranges.iter().map(|r| r.ci as usize).collect(),
            None => segments.keys().copied().collect(),
        };
        let is_sure = ranges.is_some() && sequence.is_some_and(|s| s.is_sure);
        let firsts = |n: &usize| segments.get(n).is_some_and(|s| s.segment == Segment::First);
        let mut found: Vec<Vec<usize>> = Vec::new();
        for at in (0..order.len()).filter(|&at| firsts(&order[at])) {
            let first = &segments[&order[at]];
            let mut ns = vec![order[at]];
            for n in &order[at + 1..] {
                let follows = segments.get(n).filter(|s| s.segment != Segment::First);
                let Some(next) = follows.filter(|s| s.update_number == first.update_number) else {
                    // Without an index, segments of others may lie between.
                    if is_sure {
                        break;
                    }
                    continue;
                };
                ns.push(*n);
                if next.segment == Segment::Last {
                    found.push(ns);
                    break;
                }
            }
        }
        let mut claimed = HashSet::new();
        for ns in found {
            // One segment in two records: neither is believed.
            if !ns.iter().all(|n| claimed.insert(*n)) {
                continue;
            }
            let parts: Vec<Segmented> = ns.iter().filter_map(|n| segments.remove(n)).collect();
            let doubt = parts.iter().filter_map(|s| s.doubt).max();
            let doubt = doubt.or((!is_sure).then_some(Doubt::Segments));
            let key = parts.into_iter().next().map(|s| s.key).unwrap_or_default();
            let piece = Piece {
                ca,
                ns,
                first: key.clone(),
                last: key,
            };
            self.add(piece, doubt);
        }
        for n in segments.into_keys() {
            self.interval_lost(ca, n, "other segments of its spanned record are lost".into());
        }
    }

    fn add(&mut self, piece: Piece, doubt: Option<Doubt>) {
        match doubt {
            Some(why) if why >= Doubt::NoHeader => self.apart.push((piece, why)),
            _ => self.stream.push((piece, doubt)),
        }
    }

    /// Sorts the pieces; of two that overlap the one with more against it is taken apart, of two equal ones both are.
    fn order(&mut self) {
        let mut pieces = std::mem::take(&mut self.stream);
        pieces.sort_by(|a, b| a.0.first.cmp(&b.0.first).then(a.1.cmp(&b.1)));
        for (piece, doubt) in pieces {
            let mut overlapped = false;
            while self.stream.last().is_some_and(|(before, _)| before.last >= piece.first) {
                let Some((before, other)) = self.stream.pop() else {
                    break;
                };
                overlapped |= other <= doubt;
                if other < doubt {
                    self.stream.push((before, other));
                    break;
                }
                self.apart.push((before, other.unwrap_or(Doubt::Order)));
            }
            if overlapped {
                self.apart.push((piece, doubt.unwrap_or(Doubt::Order)))
            } else {
                self.stream.push((piece, doubt))
            }
        }
    }

    /// Is the key in the range of a sure piece?
    fn is_covered(&self, key: &[u8]) -> bool {
        let at = self.stream.partition_point(|(piece, _)| piece.first.as_slice() <= key);
        at > 0 && self.stream[at - 1].1.is_none() && key <= self.stream[at - 1].0.last.as_slice()
    }

    /// Doubtful records by their keys.
    fn doubted(&mut self, regions: &HashSet<u32>) -> BTreeMap<Vec<u8>, Doubted> {
        let mut doubted = BTreeMap::new();
        // What speaks least against a record comes first.
        self.apart.sort_by_key(|(_, why)| *why);
        for (piece, why) in std::mem::take(&mut self.apart) {
            let ci = self.salvage.data.layout.join(piece.ca, piece.ns[0] as u32);
            let records = match self.salvage.data.area(piece.ca) {
                Area::Known(known) => self.read(&known.header, &piece, false),
                _ => Err(AGAIN.into()),
            };
            match records {
                Ok(records) => {
                    for (bytes, rba) in records {
                        let record = Doubted {
                            bytes,
                            why,
                            rba,
                            ca: piece.ca,
                            ci: Some(ci),
                        };
                        self.doubt(&mut doubted, record);
                    }
                }
                Err(why) => self.interval_lost(piece.ca, piece.ns[0], why),
            }
        }
        if self.lost {
            self.scan(regions, &mut doubted);
        }
        doubted
    }

    /// Keeps a doubtful record, unless one that is better proven has its key or its range of keys.
    fn doubt(&mut self, doubted: &mut BTreeMap<Vec<u8>, Doubted>, record: Doubted) {
        let Some(key) = self.key(&record.bytes).map(<[u8]>::to_vec) else {
            return;
        };
        if self.is_covered(&key) || doubted.contains_key(&key) {
            self.emit.doubted(Some(record.ca), record.ci, record.why, true)
        } else {
            drop(doubted.insert(key, record))
        }
    }

    /// Images in the slots of regions that no header refers to.
    fn scan(&mut self, regions: &HashSet<u32>, doubted: &mut BTreeMap<Vec<u8>, Doubted>) {
        let layout = self.salvage.data.layout;
        for region in (0..self.salvage.data.regions()).filter(|region| !regions.contains(region)) {
            for end in 1..=layout.sectors {
                let Some((content, bytes)) = self.ending_at(region, end) else {
                    continue;
                };
                if content.segment != Segment::Whole {
                    continue;
                }
                for record in content.records(&bytes) {
                    let record = Doubted {
                        bytes: record.to_vec(),
                        why: Doubt::NoHeader,
                        rba: None,
                        ca: region,
                        ci: None,
                    };
                    self.doubt(doubted, record);
                }
            }
        }
    }

    /// The image in a region whose last sector ends here, if there is one. Where it begins its CIDF tells: it lacks all
    /// sectors of its free space, or none of them, which are zeros then.
    fn ending_at(&self, region: u32, end: usize) -> Option<(Content, Vec<u8>)> {
        let data = &self.salvage.data;
        let layout = &data.layout;
        let cidf = data
            .file
            .read(layout.slot(region, end as u16) - CIDF_LEN as u64, CIDF_LEN);
        let free = ci::free_len(&[&vec![0; layout.ci_size - CIDF_LEN], &*cidf.ok()?].concat());
        [0, layout.left_out(free)].into_iter().find_map(|left_out| {
            let first = end.checked_sub(layout.stored_sectors(left_out))?;
            let stored = layout.stored_len(left_out);
            let mut bytes = data.file.read(layout.slot(region, first as u16), stored).ok()?;
            bytes.resize(layout.ci_size, 0);
            ci::expand(&mut bytes, stored).ok()?;
            let (content, ..) = self.look(&bytes).ok()?;
            let data_len = content.spans.iter().map(|&(_, len)| usize::from(len)).sum::<usize>();
            let is_free = bytes[data_len..][..free].iter().all(|&byte| byte == 0);
            is_free.then_some((content, bytes))
        })
    }

    /// The records of a piece, each with its RBA; with `good` only if its images are as they were written.
    fn read(&self, header: &CaHeader, piece: &Piece, good: bool) -> Result<Vec<Placed>, String> {
        let size = self.salvage.data.layout.ci_size as u64;
        let begin = u64::from(self.salvage.data.layout.join(piece.ca, piece.ns[0] as u32)) * size;
        let mut whole = Vec::new();
        for &n in &piece.ns {
            let bytes = match self.salvage.data.image(header, n) {
                Some(Image::Good(bytes)) => bytes,
                Some(Image::Bad(Some(bytes), _)) if !good => bytes,
                _ => return Err(AGAIN.into()),
            };
            let content = Content::of(&bytes)?;
            if content.segment == Segment::Whole {
                let with_rba =
                    |(record, &(at, _)): (&[u8], &(u16, u16))| (record.to_vec(), Some(begin + u64::from(at)));
                return Ok(content.records(&bytes).zip(&content.spans).map(with_rba).collect());
            }
            whole.extend(content.records(&bytes).flatten());
        }
        Ok(vec![(whole, Some(begin))])
    }

    /// The pieces and the records of those taken apart, in one order.
    fn hand_on(&mut self, doubted: BTreeMap<Vec<u8>, Doubted>) -> Result<(), E> {
        let mut doubted = doubted.into_iter().peekable();
        let mut header: Option<CaHeader> = None;
        for (piece, doubt) in std::mem::take(&mut self.stream) {
            // CAs follow each other in the order of keys, mostly.
            if header.as_ref().is_none_or(|header| header.ca != piece.ca) {
                header = match self.salvage.data.area(piece.ca) {
                    Area::Known(known) if known.doubt <= doubt => Some(known.header),
                    _ => None,
                };
            }
            let again = header.as_ref().ok_or_else(|| AGAIN.to_string());
            match again.and_then(|header| self.read(header, &piece, true)) {
                Ok(records) => {
                    let ci = self.salvage.data.layout.join(piece.ca, piece.ns[0] as u32);
                    for (record, rba) in records {
                        let key = self.key(&record).unwrap_or_default().to_vec();
                        while let Some((_, before)) = doubted.next_if(|(other, _)| *other < key) {
                            self.found_doubted(&before)?;
                        }
                        if let Some((_, same)) = doubted.next_if(|(other, _)| *other == key) {
                            self.emit.doubted(Some(same.ca), same.ci, same.why, true);
                        }
                        if let Some(why) = doubt {
                            self.emit.doubted(Some(piece.ca), Some(ci), why, false);
                        }
                        self.found(&record, rba, doubt)?;
                    }
                }
                Err(why) => self.interval_lost(piece.ca, piece.ns[0], why),
            }
        }
        doubted.try_for_each(|(_, record)| self.found_doubted(&record))
    }

    fn found_doubted(&mut self, record: &Doubted) -> Result<(), E> {
        self.emit.doubted(Some(record.ca), record.ci, record.why, false);
        self.found(&record.bytes, record.rba, Some(record.why))
    }

    fn found(&mut self, record: &[u8], rba: Option<u64>, doubt: Option<Doubt>) -> Result<(), E> {
        let (bytes, rrn) = match (self.salvage.attributes.organization, record.split_first_chunk::<4>()) {
            (Organization::Vrrds, Some((number, rest))) => (rest, Some(u32::from_be_bytes(*number))),
            _ => (record, None),
        };
        self.emit.found(SalvagedRecord { bytes, rba, rrn, doubt })
    }
}

const AGAIN: &str = "it could be read once, and not a second time";
