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
        Ok(IndexRecord {
            level,
            ca: if level == 1 { ca(image, base)? } else { 0 },
            next: next(image, base)?,
            entries: walk.entries()?,
            free,
        })
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

    fn entries(&mut self) -> Result<Vec<Entry>, FormatError> {
        let last = usize::from(be16(self.image, at::LEO));
        let mut leftmost = usize::from(be16(self.image, at::SEO));
        if last == 0 && leftmost == 0 {
            return Ok(Vec::new());
        }
        let mut entries: Vec<Entry> = Vec::new();
        // Entry that the next leftmost one is compressed against.
        let mut section: Option<usize> = None;
        loop {
            let control = self.take(FL_LEN + self.pointer)?;
            if control < leftmost {
                return Err(refused("section field or IXHSEO", leftmost, "that of an entry"));
            }
            let against = if control == leftmost {
                section
            } else {
                entries.len().checked_sub(1)
            };
            let entry = self.entry(control, against.map_or(&[], |a| &entries[a].separator))?;
            if let Some(before) = entries.last() {
                if before.separator.is_empty() || !in_order(&before.separator, &entry.separator) {
                    return Err(refused("place of an entry", entries.len(), "in key order"));
                }
            }
            entries.push(entry);
            if control == leftmost {
                let field = self.take(SECTION_FIELD_LEN)?;
                let distance = usize::from(be16(self.image, field));
                if distance == 0 {
                    break;
                }
                section = Some(entries.len() - 1);
                leftmost = control.saturating_sub(distance);
            }
        }
        match leftmost == last {
            true => Ok(entries),
            false => Err(refused(
                "last entry (IXHLEO)",
                last,
                "the leftmost entry of the last section",
            )),
        }
    }

    /// The entry with its control information at `control`, after `before` as its front.
    fn entry(&mut self, control: usize, before: &[u8]) -> Result<Entry, FormatError> {
        let (front, len) = (usize::from(self.image[control]), usize::from(self.image[control + 1]));
        if front > before.len() {
            return Err(refused(
                "front characters left out (F)",
                front,
                "at most those of the entry before",
            ));
        }
        if front + len > MAX_SEPARATOR {
            return Err(refused("key length of an entry (F + L)", front + len, "at most 255"));
        }
        let pointer = be_bytes(self.image, control + FL_LEN, self.pointer);
        if pointer >= self.limit {
            return Err(refused(
                "pointer of an entry",
                pointer as usize,
                "below the number of CIs in the CA",
            ));
        }
        let key = self.take(len)?;
        Ok(Entry {
            separator: [&before[..front], &self.image[key..key + len]].concat(),
            pointer,
        })
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

fn refused(field: &'static str, value: usize, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value: value as u64,
        must,
    }
}
