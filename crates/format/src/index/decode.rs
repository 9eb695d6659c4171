//! Reading of an index record: walks the entries from the right and gives each its whole separator back.

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
        let flat = FlatRecord::decode(image, base)?;
        let entries = flat.entries().map(|(separator, pointer)| Entry {
            separator: separator.to_vec(),
            pointer,
        });
        Ok(IndexRecord {
            level: flat.level,
            ca: flat.ca,
            next: flat.next,
            entries: entries.collect(),
            free: flat.free,
        })
    }
}

/// An index record read without memory of its own for each separator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatRecord {
    /// As in [`IndexRecord`].
    pub level: u8,
    /// See there.
    pub ca: u32,
    /// See there.
    pub next: u32,
    /// See there.
    pub free: Vec<u16>,
    entries: Vec<FlatEntry>,
    /// The separators, one behind the other.
    separators: Vec<u8>,
}

/// An entry, and where its separator lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FlatEntry {
    span: Span,
    pointer: u32,
}

/// A stretch of the separators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Span {
    start: usize,
    len: usize,
}

impl Span {
    fn end(self) -> usize {
        self.start + self.len
    }

    fn of(self, separators: &[u8]) -> &[u8] {
        separators.get(self.start..self.end()).unwrap_or_default()
    }
}

impl FlatRecord {
    /// Reads the record of an index CI, as [`IndexRecord::decode`] does.
    ///
    /// # Errors
    /// The same.
    pub fn decode(image: &[u8], base: BaseRba) -> Result<FlatRecord, FormatError> {
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
        let limit = pointer_limit(level, base.ci_per_ca);
        let mut walk = Walk {
            image,
            pointer,
            limit,
            end,
            low: 0,
        };
        let free = walk.free()?;
        let (entries, separators) = walk.entries()?;
        Ok(FlatRecord {
            level,
            ca: if level == 1 { ca(image, base)? } else { 0 },
            next: next(image, base)?,
            entries,
            separators,
            free,
        })
    }

    /// Separator and pointer of each entry, in key order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&[u8], u32)> + DoubleEndedIterator + Clone + '_ {
        let whole = |entry: &FlatEntry| (entry.span.of(&self.separators), entry.pointer);
        self.entries.iter().map(whole)
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

/// A walk over the entries, from right to left.
struct Walk<'a> {
    image: &'a [u8],
    /// Bytes of a pointer.
    pointer: usize,
    /// Pointers are below this.
    limit: u32,
    /// What lies from here on has been walked.
    end: usize,
    /// Entries lie from here on: behind the free-CI numbers.
    low: usize,
}

impl Walk<'_> {
    /// The free-CI numbers.
    fn free(&mut self) -> Result<Vec<u16>, FormatError> {
        self.low = usize::from(be16(self.image, at::FSO));
        let whole = self.low.checked_sub(HEADER_LEN).is_some_and(|n| n % self.pointer == 0);
        if !whole || self.low > self.end {
            return Err(refused(
                "start of unused space (IXHFSO)",
                self.low,
                "24 + the free-CI numbers",
            ));
        }
        let numbers = self.image[HEADER_LEN..self.low].chunks_exact(self.pointer);
        numbers
            .map(|n| be_bytes(n, 0, self.pointer))
            .map(|ci| self.free_ci(ci))
            .collect()
    }

    fn free_ci(&self, ci: u32) -> Result<u16, FormatError> {
        match u16::try_from(ci) {
            Ok(free) if ci < self.limit => Ok(free),
            _ => Err(refused(
                "free CI number",
                ci as usize,
                "below the number of CIs in the CA",
            )),
        }
    }

    fn entries(&mut self) -> Result<(Vec<FlatEntry>, Vec<u8>), FormatError> {
        let last = usize::from(be16(self.image, at::LEO));
        let mut leftmost = usize::from(be16(self.image, at::SEO));
        if last == 0 && leftmost == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut entries: Vec<FlatEntry> = Vec::with_capacity((self.end - self.low) / (FL_LEN + self.pointer));
        // Most of the record are separators, which its compression made shorter.
        let mut text = Text::with_room(self.image.len());
        // The separator that the next leftmost one is compressed against, and that of the entry before.
        let (mut section, mut before) = (Span::default(), Span::default());
        loop {
            let control = self.take(FL_LEN + self.pointer)?;
            if control < leftmost {
                return Err(refused("section field or IXHSEO", leftmost, "that of an entry"));
            }
            let is_leftmost = control == leftmost;
            let against = if is_leftmost { section } else { before };
            let (pointer, front) = self.entry(control, against, &mut text)?;
            let span = Span {
                start: before.end(),
                len: text.used - before.end(),
            };
            // What is taken over from the entry before is alike, and as a rule they differ in the next byte.
            let alike = if is_leftmost { 0 } else { front };
            let next = |span: Span| text.bytes.get(span.start + alike).filter(|_| alike < span.len);
            let sure = matches!((next(before), next(span)), (Some(old), Some(this)) if old < this);
            if !sure && !entries.is_empty() {
                let (old, this) = (before.of(&text.bytes), span.of(&text.bytes));
                if old.is_empty() || !in_order(old, this) {
                    return Err(refused("place of an entry", entries.len(), "in key order"));
                }
            }
            entries.push(FlatEntry { span, pointer });
            before = span;
            if is_leftmost {
                let field = self.take(SECTION_FIELD_LEN)?;
                let distance = usize::from(be16(self.image, field));
                if distance == 0 {
                    break;
                }
                section = before;
                leftmost = control.saturating_sub(distance);
            }
        }
        text.bytes.truncate(text.used);
        match leftmost == last {
            true => Ok((entries, text.bytes)),
            false => Err(refused(
                "last entry (IXHLEO)",
                last,
                "the leftmost entry of the last section",
            )),
        }
    }

    /// Puts the separator of the entry with its control information at `control` behind the others; its front is that
    /// of the one which lies `against`. Returns the entry's pointer, and the length of the front.
    fn entry(&mut self, control: usize, against: Span, text: &mut Text) -> Result<(u32, usize), FormatError> {
        let info = self.image.get(control..).and_then(|info| info.first_chunk());
        let [front, len, pointer] = info.copied().unwrap_or([0; FL_LEN + 1]);
        let (front, len) = (usize::from(front), usize::from(len));
        if front > against.len {
            return Err(refused(
                "front characters left out (F)",
                front,
                "at most those of the entry before",
            ));
        }
        if front + len > MAX_SEPARATOR {
            return Err(refused("key length of an entry (F + L)", front + len, "at most 255"));
        }
        let pointer = match self.pointer {
            1 => u32::from(pointer),
            len => be_bytes(self.image, control + FL_LEN, len),
        };
        if pointer >= self.limit {
            return Err(refused(
                "pointer of an entry",
                pointer as usize,
                "below the number of CIs in the CA",
            ));
        }
        let key = self.take(len)?;
        text.add(against.start, front, &self.image[key..], len);
        Ok((pointer, front))
    }

    /// Takes `len` bytes from the right end of what is left; gives their offset.
    fn take(&mut self, len: usize) -> Result<usize, FormatError> {
        match self.end.checked_sub(len) {
            Some(at) if at >= self.low => {
                self.end = at;
                Ok(at)
            }
            _ => Err(refused(
                "bytes left for entries",
                self.end - self.low,
                "enough for the next entry",
            )),
        }
    }
}

/// The separators that were read, one behind the other, and room for the longest behind them.
struct Text {
    bytes: Vec<u8>,
    used: usize,
}

impl Text {
    /// What is no longer is copied as so many bytes: their number is known to the compiler.
    const SHORT: usize = 16;
    const ROOM: usize = MAX_SEPARATOR + Self::SHORT;

    fn with_room(bytes: usize) -> Text {
        Text {
            bytes: vec![0; bytes + Self::ROOM],
            used: 0,
        }
    }

    /// Adds a separator: `front` bytes of the one at `against`, and the first `len` bytes of `key`.
    fn add(&mut self, against: usize, front: usize, key: &[u8], len: usize) {
        if self.bytes.len() < self.used + Self::ROOM {
            self.bytes.resize(2 * self.bytes.len() + Self::ROOM, 0);
        }
        let at = self.used;
        if front > Self::SHORT || len > Self::SHORT || !self.add_short(against, front, key) {
            self.bytes.copy_within(against..against + front, at);
            self.bytes[at + front..at + front + len].copy_from_slice(&key[..len]);
        }
        self.used += front + len;
    }

    /// Copies [`SHORT`](Self::SHORT) bytes of both parts; what is too many is written over by what comes next. False:
    /// so many are not there.
    #[inline(always)]
    fn add_short(&mut self, against: usize, front: usize, key: &[u8]) -> bool {
        let chunk = |bytes: &[u8], at: usize| bytes.get(at..).and_then(|bytes| bytes.first_chunk().copied());
        let (Some(first), Some(second)): (Option<[u8; Self::SHORT]>, _) = (chunk(&self.bytes, against), chunk(key, 0))
        else {
            return false;
        };
        let behind = self.bytes.get_mut(self.used..).unwrap_or_default();
        if let Some(to) = behind.first_chunk_mut() {
            *to = first;
        }
        let to = behind.get_mut(front..).and_then(|bytes| bytes.first_chunk_mut());
        to.map(|to: &mut [u8; Self::SHORT]| *to = second).is_some()
    }
}

fn refused(field: &'static str, value: usize, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value: value as u64,
        must,
    }
}
