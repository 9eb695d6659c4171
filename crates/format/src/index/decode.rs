//! Reading of an index record: its head is checked, then its entries are walked from the right, each of which says how
//! far it begins like the one before, and how it goes on.

use super::*;
use crate::bytes::{be16, be32, be_bytes};
use crate::ci::is_eof;
use crate::error::FormatError;

/// Name in messages.
const WHAT: &str = "index record";

impl IndexRecord {
    /// Reads the record of an index CI. Sections may have any length, as IBM's have after splits.
    ///
    /// # Errors
    /// [`FormatError::EndOfFile`] if the CI holds no record; else what in it contradicts itself or `base`.
    pub fn decode(image: &[u8], base: BaseRba) -> Result<IndexRecord, FormatError> {
        let record = IndexImage::of(image, base)?;
        let mut entries: Vec<IndexEntry> = Vec::new();
        let mut leftmost = None;
        for walked in record.entries() {
            let walked = walked?;
            let like = if walked.leftmost {
                leftmost
            } else {
                entries.len().checked_sub(1)
            };
            let mut separator = like
                .map_or(&[][..], |like| &entries[like].separator[..walked.front])
                .to_vec();
            separator.extend_from_slice(&walked.text[..walked.len]);
            if let Some(before) = entries.last() {
                walked.check_order(entries.len(), &before.separator, &separator)?;
            }
            if walked.leftmost {
                leftmost = Some(entries.len());
            }
            entries.push(IndexEntry {
                separator,
                pointer: walked.pointer,
            });
        }
        Ok(IndexRecord {
            level: record.level,
            ca: record.ca,
            next: record.next,
            entries,
            free: record.free().collect::<Result<_, _>>()?,
        })
    }
}

/// The record of an index CI as it lies there. Its head is sound; its entries are looked at as they are walked.
#[derive(Debug, Clone)]
pub struct IndexImage<'a> {
    /// As in [`IndexRecord`].
    pub level: u8,
    /// See there.
    pub ca: u32,
    /// See there.
    pub next: u32,
    image: &'a [u8],
    /// Its length.
    end: usize,
    /// The end of the free-CI numbers.
    low: usize,
    /// Bytes of a pointer.
    pointer: usize,
    /// Pointers are below this.
    limit: u32,
}

impl<'a> IndexImage<'a> {
    /// Checks the head of the record of an index CI.
    ///
    /// # Errors
    /// As those of [`IndexRecord::decode`].
    pub fn of(image: &'a [u8], base: BaseRba) -> Result<IndexImage<'a>, FormatError> {
        let end = record_len(image)?;
        let level = image[at::LEVEL];
        let flag = image[at::FLAG];
        if level == 0 {
            return Err(refused("level (IXHLV)", 0, "at least 1"));
        }
        if flag & !(FLAG_BASE_CI | FLAG_NEXT_CI) != 0 {
            return Err(refused("flag (IXHFLAG)", flag.into(), "made of known bits"));
        }
        let pointer = image_pointer_len(image)?;
        Ok(IndexImage {
            level,
            ca: if level == 1 { ca(image, base)? } else { 0 },
            next: next(image, base)?,
            image,
            end,
            low: low(image, end, pointer)?,
            pointer,
            limit: pointer_limit(level, base.ci_per_ca),
        })
    }

    /// Numbers of the CA's free CIs, descending.
    pub fn free(&self) -> impl Iterator<Item = Result<u16, FormatError>> + '_ {
        let numbers = self.image[HEADER_LEN..self.low].chunks_exact(self.pointer);
        numbers.map(|number| match be_bytes(number, 0, self.pointer) {
            ci if ci < self.limit => u16::try_from(ci).map_err(|_| free_refused(ci)),
            ci => Err(free_refused(ci)),
        })
    }

    /// Its entries, in key order. One that contradicts itself or the others is the last.
    pub fn entries(&self) -> Walk<'a> {
        let last = usize::from(be16(self.image, at::LEO));
        let leftmost = usize::from(be16(self.image, at::SEO));
        Walk {
            image: self.image,
            pointer: self.pointer,
            limit: self.limit,
            end: self.end,
            low: self.low,
            leftmost,
            last,
            section: 0,
            before: 0,
            done: last == 0 && leftmost == 0,
        }
    }
}

/// An entry as it lies in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked<'a> {
    /// So many bytes are those that another separator begins with: of the leftmost entry of the section before if this
    /// is the leftmost one of its own, else of the entry before.
    pub front: usize,
    /// See `front`.
    pub leftmost: bool,
    /// So many bytes come behind those.
    pub len: usize,
    /// What lies in the CI from those on.
    pub text: &'a [u8],
    /// As in [`Entry`].
    pub pointer: u32,
}

impl Walked<'_> {
    /// Bytes of its separator.
    #[inline]
    pub fn separator_len(&self) -> usize {
        self.front + self.len
    }

    /// Checks that entry `number`, which this is, with separator `this`, belongs behind the one with separator `before`.
    ///
    /// # Errors
    /// It does not.
    #[inline]
    pub fn check_order(&self, number: usize, before: &[u8], this: &[u8]) -> Result<(), FormatError> {
        // What is taken over from the entry before is alike, and as a rule they differ in the next byte.
        let alike = if self.leftmost { 0 } else { self.front };
        match (before.get(alike), this.get(alike)) {
            (Some(old), Some(new)) if old < new => Ok(()),
            _ if !before.is_empty() && in_order(before, this) => Ok(()),
            _ => Err(refused("place of an entry", number, "in key order")),
        }
    }
}

/// Checks that the CI holds one record that takes all of it, and gives the record's length.
fn record_len(image: &[u8]) -> Result<usize, FormatError> {
    let need = HEADER_LEN + CONTROL_LEN;
    if image.len() < need {
        return Err(FormatError::Short {
            what: WHAT,
            need,
            have: image.len(),
        });
    }
    if image.len() > MAX_CI {
        return Err(refused("CI size", image.len(), "at most 32,768"));
    }
    if is_eof(image) {
        return Err(FormatError::EndOfFile { what: WHAT });
    }
    let len = image.len() - CONTROL_LEN;
    let rdf = be_bytes(image, len, RDF_LEN) as usize;
    let cidf = (usize::from(be16(image, len + RDF_LEN)), be16(image, len + RDF_LEN + 2));
    let ll = usize::from(be16(image, at::LL));
    if rdf != len {
        return Err(refused("RDF", rdf, "CI size - 7"));
    }
    if cidf.0 != len || cidf.1 != 0 {
        return Err(refused(
            "data length in the CIDF",
            cidf.0,
            "CI size - 7, without free space",
        ));
    }
    if ll != len {
        return Err(refused("length (IXHLL)", ll, "CI size - 7"));
    }
    Ok(len)
}

fn image_pointer_len(image: &[u8]) -> Result<usize, FormatError> {
    let pointer = match image[at::PTLS] {
        0x01 => 1,
        0x03 => 2,
        0x07 => 3,
        other => {
            return Err(refused(
                "pointer length (IXHPTLS)",
                other.into(),
                "X'01', X'03' or X'07'",
            ))
        }
    };
    match usize::from(image[at::FLPLN]) {
        n if n == FL_LEN + pointer => Ok(pointer),
        n => Err(refused(
            "control information length (IXHFLPLN)",
            n,
            "the pointer length + 2",
        )),
    }
}

/// The CA that the base names.
fn ca(image: &[u8], base: BaseRba) -> Result<u32, FormatError> {
    let value = be32(image, at::BASE);
    let unit = match image[at::FLAG] & FLAG_BASE_CI {
        0 => u64::from(base.ci_per_ca) * u64::from(base.ci_size),
        _ => base.ci_per_ca.into(),
    };
    match (u64::from(value).checked_div(unit), u64::from(value).checked_rem(unit)) {
        (Some(ca), Some(0)) => Ok(ca as u32),
        _ => Err(refused("base RBA (IXHBRBA)", value as usize, "that of a CA's first CI")),
    }
}

/// The record that the horizontal pointer names.
fn next(image: &[u8], base: BaseRba) -> Result<u32, FormatError> {
    let value = be32(image, at::NEXT);
    if image[at::FLAG] & FLAG_NEXT_CI != 0 {
        return Ok(value);
    }
    match (
        value,
        value.checked_div(base.index_ci_size),
        value.checked_rem(base.index_ci_size),
    ) {
        (0, _, _) => Ok(u32::MAX),
        (_, Some(ci), Some(0)) => Ok(ci),
        _ => Err(refused(
            "horizontal pointer (IXHHP)",
            value as usize,
            "the RBA of an index CI",
        )),
    }
}

/// Where the free-CI numbers end.
fn low(image: &[u8], end: usize, pointer: usize) -> Result<usize, FormatError> {
    let low = usize::from(be16(image, at::FSO));
    match low.checked_sub(HEADER_LEN) {
        Some(numbers) if numbers % pointer == 0 && low <= end => Ok(low),
        _ => Err(refused(
            "start of unused space (IXHFSO)",
            low,
            "24 + the free-CI numbers",
        )),
    }
}

#[cold]
fn free_refused(ci: u32) -> FormatError {
    refused("free CI number", ci as usize, "below the number of CIs in the CA")
}

/// A walk over the entries, from right to left.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    image: &'a [u8],
    /// Bytes of a pointer.
    pointer: usize,
    /// Pointers are below this.
    limit: u32,
    /// What lies from here on has been walked.
    end: usize,
    /// Entries lie from here on: behind the free-CI numbers.
    low: usize,
    /// The leftmost entry of this section, and that of the last one.
    leftmost: usize,
    last: usize,
    /// Bytes of the separators that the next entry may begin like: if it is the leftmost of its section, and if not.
    section: usize,
    before: usize,
    done: bool,
}

/// Where an entry lies, before anything of it is believed.
struct EntryPlace {
    /// Its control information, and what that says of its key.
    control: usize,
    front: usize,
    len: usize,
    key: usize,
    /// The leftmost entry of its section.
    leftmost: usize,
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Walked<'a>, FormatError>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let walked = self.entry();
        self.done |= walked.is_err();
        Some(walked)
    }
}

impl<'a> Walk<'a> {
    /// How many entries there are to come, and the sum of what `weight` makes of the length of each one's separator. What
    /// contradicts itself counts as the end.
    #[inline]
    pub fn weigh(mut self, weight: impl Fn(usize) -> usize) -> (usize, usize) {
        let (mut count, mut sum) = (0, 0);
        while !self.done {
            let Some(place) = self.step() else { break };
            count += 1;
            sum += weight(place.front + place.len);
        }
        (count, sum)
    }

    /// Goes to the next entry; `None` if there are no bytes for it.
    #[inline(always)]
    fn step(&mut self) -> Option<EntryPlace> {
        let control = self.end.checked_sub(FL_LEN + self.pointer)?;
        let &[front, len] = self.image.get(control..)?.first_chunk()?;
        let (front, len, leftmost) = (usize::from(front), usize::from(len), self.leftmost);
        let key = control.checked_sub(len)?;
        self.end = key;
        if control == leftmost {
            self.end = key.checked_sub(SECTION_FIELD_LEN)?;
            match usize::from(be16(self.image, self.end)) {
                0 => self.done = true,
                distance => self.leftmost = control.saturating_sub(distance),
            }
        }
        (self.end >= self.low).then_some(EntryPlace {
            control,
            front,
            len,
            key,
            leftmost,
        })
    }

    #[inline(always)]
    fn entry(&mut self) -> Result<Walked<'a>, FormatError> {
        let end = self.end;
        let Some(place) = self.step() else {
            return Err(self.short(end));
        };
        let leftmost = place.control == place.leftmost;
        let like = if leftmost { self.section } else { self.before };
        self.before = place.front + place.len;
        if place.control < place.leftmost || place.front > like || self.before > MAX_SEPARATOR {
            return Err(self.unsound(&place, like));
        }
        if leftmost {
            self.section = self.before;
            if self.done && place.control != self.last {
                let must = "the leftmost entry of the last section";
                return Err(refused("last entry (IXHLEO)", self.last, must));
            }
        }
        let pointer = match self.pointer {
            1 => u32::from(self.image[place.control + FL_LEN]),
            len => be_bytes(self.image, place.control + FL_LEN, len),
        };
        if pointer >= self.limit {
            let must = "below the number of CIs in the CA";
            return Err(refused("pointer of an entry", pointer as usize, must));
        }
        Ok(Walked {
            front: place.front,
            leftmost,
            len: place.len,
            text: &self.image[place.key..],
            pointer,
        })
    }

    /// What is wrong with an entry, which ends at `end`, whose bytes are not all there.
    #[cold]
    fn short(&self, end: usize) -> FormatError {
        let control = end.checked_sub(FL_LEN + self.pointer);
        let len = control.map_or(0, |at| usize::from(self.image[at]) + usize::from(self.image[at + 1]));
        if len > MAX_SEPARATOR {
            refused("key length of an entry (F + L)", len, "at most 255")
        } else {
            refused(
                "bytes left for entries",
                end.saturating_sub(self.low),
                "enough for the next entry",
            )
        }
    }

    /// What is wrong with an entry that begins like one of `like` bytes.
    #[cold]
    fn unsound(&self, place: &EntryPlace, like: usize) -> FormatError {
        match place {
            _ if place.control < place.leftmost => {
                refused("section field or IXHSEO", place.leftmost, "that of an entry")
            }
            _ if place.front > like => refused(
                "front characters left out (F)",
                place.front,
                "at most those of the entry before",
            ),
            _ => refused("key length of an entry (F + L)", place.front + place.len, "at most 255"),
        }
    }
}

#[cold]
fn refused(field: &'static str, value: usize, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value: value as u64,
        must,
    }
}
