//! Layout of an index record in its CI.

use super::*;
use crate::bytes::put;

/// An index record to be written, whose separators lie anywhere.
#[derive(Debug, Clone, Copy)]
pub struct RecordRef<'r> {
    /// As in [`IndexRecord`].
    pub level: u8,
    /// See there.
    pub ca: u32,
    /// See there.
    pub next: u32,
    /// Separator and pointer of each entry.
    pub entries: &'r [(&'r [u8], u32)],
    /// As in [`IndexRecord`].
    pub free: &'r [u16],
}

impl IndexRecord {
    fn lent<T>(&self, act: impl FnOnce(RecordRef<'_>) -> T) -> T {
        let entries: Vec<(&[u8], u32)> = self.entries.iter().map(|e| (&e.separator[..], e.pointer)).collect();
        act(RecordRef {
            level: self.level,
            ca: self.ca,
            next: self.next,
            entries: &entries,
            free: &self.free,
        })
    }

    /// Fills `image`, a whole index CI, with the record, its RDF and the CIDF. Sections are as long as a CA's number of
    /// CIs asks for ([`section_size`]), or, if the record has no room so, as it takes the fewest bytes.
    ///
    /// # Errors
    /// What keeps the record from being laid out; `image` then holds nothing of use.
    pub fn encode(&self, image: &mut [u8], base: BaseRba) -> Result<(), IndexFull> {
        self.lent(|record| record.encode(image, base))
    }

    /// [`IndexRecord::encode`] with so many entries per section.
    ///
    /// # Errors
    /// As there.
    pub fn encode_in_sections(&self, image: &mut [u8], base: BaseRba, per_section: usize) -> Result<(), IndexFull> {
        self.lent(|record| record.encode_in_sections(image, base, per_section))
    }

    /// The record fits an index CI of `index_ci_size` bytes in sections of [`section_size`]. One that may grow must.
    pub fn fits(&self, index_ci_size: usize, ci_per_ca: usize) -> bool {
        self.lent(|record| record.fits(index_ci_size, ci_per_ca))
    }

    /// Bytes that the record leaves of an index CI of `index_ci_size` bytes in sections of [`section_size`]; `None`: it
    /// does not fit.
    pub fn free_bytes(&self, index_ci_size: usize, ci_per_ca: usize) -> Option<usize> {
        self.lent(|record| record.free_bytes(index_ci_size, ci_per_ca))
    }

    /// The record fits an index CI of `index_ci_size` bytes in some sections, as what is left does when entries other
    /// than the last go out of a record that fits.
    pub fn fits_tightly(&self, index_ci_size: usize, ci_per_ca: usize) -> bool {
        self.lent(|record| {
            let tightest = record.tightest();
            record.space(ci_per_ca as u32, |i| tightest[i]) <= room(index_ci_size)
        })
    }

    /// Whether any record of this level and so many entries, whose separators have `separators` bytes together, fits an
    /// index CI however little they compress: `reserve` bytes less than it has are enough.
    pub fn surely_fits(
        level: u8,
        (index_ci_size, reserve): (usize, usize),
        ci_per_ca: usize,
        (entries, separators): (usize, usize),
    ) -> bool {
        // In the sequence set each CI of the CA has a pointer, in an entry or on the list of free ones.
        let pointers = if level == 1 { ci_per_ca } else { entries };
        let sections = entries.div_ceil(section_size(ci_per_ca));
        let in_entries = separators + entries * FL_LEN + pointers * pointer_len(level, ci_per_ca as u32);
        HEADER_LEN + in_entries + sections * SECTION_FIELD_LEN + reserve <= room(index_ci_size)
    }
}

impl RecordRef<'_> {
    /// Fills `image` as [`IndexRecord::encode`] does.
    ///
    /// # Errors
    /// As there.
    pub fn encode(&self, image: &mut [u8], base: BaseRba) -> Result<(), IndexFull> {
        match self.encode_in_sections(image, base, section_size(base.ci_per_ca as usize)) {
            Err(IndexFull::Space { .. }) => {
                let tightest = self.tightest();
                self.encode_with(image, base, |i| tightest[i])
            }
            done => done,
        }
    }

    fn encode_in_sections(&self, image: &mut [u8], base: BaseRba, per_section: usize) -> Result<(), IndexFull> {
        self.encode_with(image, base, self.even(per_section))
    }

    fn encode_with(
        &self,
        image: &mut [u8],
        base: BaseRba,
        leftmost: impl Fn(usize) -> bool + Copy,
    ) -> Result<(), IndexFull> {
        self.check(image.len(), base, leftmost)?;
        image.fill(0);
        self.put_header(image, base)?;
        self.put_free(image, base);
        self.put_entries(image, base, leftmost);
        let record = image.len() - CONTROL_LEN;
        put(image, record + 1, &(record as u16).to_be_bytes());
        put(image, record + RDF_LEN, &(record as u16).to_be_bytes());
        Ok(())
    }

    /// The record fits an index CI of `index_ci_size` bytes.
    pub fn fits(&self, index_ci_size: usize, ci_per_ca: usize) -> bool {
        self.free_bytes(index_ci_size, ci_per_ca).is_some()
    }

    fn free_bytes(&self, index_ci_size: usize, ci_per_ca: usize) -> Option<usize> {
        let space = self.space(ci_per_ca as u32, self.even(section_size(ci_per_ca)));
        room(index_ci_size).checked_sub(space)
    }

    fn check(
        &self,
        index_ci_size: usize,
        base: BaseRba,
        leftmost: impl Fn(usize) -> bool + Copy,
    ) -> Result<(), IndexFull> {
        if self.level == 0 {
            return Err(IndexFull::Level);
        }
        let limit = pointer_limit(self.level, base.ci_per_ca);
        let free = self.free.iter().map(|&ci| ci.into());
        let mut pointers = self.entries.iter().map(|e| e.1).chain(free);
        if let Some(pointer) = pointers.find(|&p| p >= limit) {
            return Err(IndexFull::Pointer { pointer });
        }
        if let Some((long, _)) = self.entries.iter().find(|e| e.0.len() > MAX_SEPARATOR) {
            return Err(IndexFull::Separator { len: long.len() });
        }
        let misplaced = |two: &[(&[u8], u32)]| two[0].0.is_empty() || !in_order(two[0].0, two[1].0);
        if let Some(entry) = self.entries.windows(2).position(misplaced) {
            return Err(IndexFull::Order { entry: entry + 1 });
        }
        let (need, have) = (self.space(base.ci_per_ca, leftmost), room(index_ci_size));
        if need > have {
            Err(IndexFull::Space { need, have })
        } else {
            Ok(())
        }
    }

    /// Bytes of the record, where `leftmost` says which entries are the leftmost of their sections.
    fn space(&self, ci_per_ca: u32, leftmost: impl Fn(usize) -> bool + Copy) -> usize {
        let pointer = pointer_len(self.level, ci_per_ca);
        let entries = self.entries.iter().zip(self.fronts(leftmost));
        let keys: usize = entries
            .map(|(entry, (front, leftmost))| {
                let field = if leftmost { SECTION_FIELD_LEN } else { 0 };
                entry.0.len() - front + FL_LEN + pointer + field
            })
            .sum();
        HEADER_LEN + self.free.len() * pointer + keys
    }

    /// The leftmost (highest) entries of sections of so many entries.
    fn even(&self, per_section: usize) -> impl Fn(usize) -> bool + Copy {
        let (per_section, count) = (per_section.max(1), self.entries.len());
        move |i| (i + 1) % per_section == 0 || i + 1 == count
    }

    /// The leftmost entries of the sections in which the record takes the fewest bytes.
    fn tightest(&self) -> Vec<bool> {
        let count = self.entries.len();
        let with = |a: usize, b: usize| shared(self.entries[a].0, self.entries[b].0) as isize;
        // Of each entry as a leftmost one: what it and those before it cost over what they cost within a section, and
        // the one before it.
        let mut best: Vec<(isize, Option<usize>)> = Vec::with_capacity(count);
        for i in 0..count {
            let within = i.checked_sub(1).map_or(0, |before| with(before, i)) + SECTION_FIELD_LEN as isize;
            let behind = best
                .iter()
                .enumerate()
                .map(|(a, &(cost, _))| (cost + within - with(a, i), Some(a)));
            best.push(behind.chain([(within, None)]).min().unwrap_or_default());
        }
        let mut leftmost = vec![false; count];
        let mut next = count.checked_sub(1);
        while let Some(i) = next {
            leftmost[i] = true;
            next = best[i].1;
        }
        leftmost
    }

    /// Of each entry the characters that it leaves out, and whether it is the leftmost of its section. They are those
    /// it shares with its neighbour of the next lower key or, if it is the leftmost of its section, with the leftmost
    /// of the section before. So a search can go from section to section.
    fn fronts<'s>(&'s self, leftmost: impl Fn(usize) -> bool + 's) -> impl Iterator<Item = (usize, bool)> + 's {
        let mut section_before = None;
        (0..self.entries.len()).map(move |i| {
            let leftmost = leftmost(i);
            let against = if leftmost {
                section_before.replace(i)
            } else {
                i.checked_sub(1)
            };
            let front = against.map_or(0, |a: usize| shared(self.entries[a].0, self.entries[i].0));
            (front, leftmost)
        })
    }

    fn put_header(&self, image: &mut [u8], base: BaseRba) -> Result<(), IndexFull> {
        let pointer = pointer_len(self.level, base.ci_per_ca);
        put(image, at::LL, &((image.len() - CONTROL_LEN) as u16).to_be_bytes());
        image[at::FLPLN] = (FL_LEN + pointer) as u8;
        image[at::PTLS] = (1u8 << pointer) - 1;
        image[at::LEVEL] = self.level;
        if self.level == 1 {
            let ci = self
                .ca
                .checked_mul(base.ci_per_ca)
                .ok_or(IndexFull::Base { ca: self.ca })?;
            match ci.checked_mul(base.ci_size) {
                Some(rba) => put(image, at::BASE, &rba.to_be_bytes()),
                None => {
                    put(image, at::BASE, &ci.to_be_bytes());
                    image[at::FLAG] |= FLAG_BASE_CI;
                }
            }
        }
        match self.next.checked_mul(base.index_ci_size) {
            _ if self.next == u32::MAX => {}
            Some(rba) if rba > 0 => put(image, at::NEXT, &rba.to_be_bytes()),
            _ => {
                put(image, at::NEXT, &self.next.to_be_bytes());
                image[at::FLAG] |= FLAG_NEXT_CI;
            }
        }
        Ok(())
    }

    fn put_free(&self, image: &mut [u8], base: BaseRba) {
        let pointer = pointer_len(self.level, base.ci_per_ca);
        let unused = HEADER_LEN + self.free.len() * pointer;
        for (&ci, to) in self
            .free
            .iter()
            .zip(image[HEADER_LEN..unused].chunks_exact_mut(pointer))
        {
            to.copy_from_slice(&u32::from(ci).to_be_bytes()[4 - pointer..]);
        }
        put(image, at::FSO, &(unused as u16).to_be_bytes());
    }

    fn put_entries(&self, image: &mut [u8], base: BaseRba, leftmost: impl Fn(usize) -> bool + Copy) {
        let pointer = pointer_len(self.level, base.ci_per_ca);
        let mut end = image.len() - CONTROL_LEN;
        // Control information of the section before, and the section field it waits for.
        let mut section: Option<(usize, usize)> = None;
        for ((separator, pointed), (front, leftmost)) in self.entries.iter().zip(self.fronts(leftmost)) {
            let key = &separator[front..];
            let control = end - FL_LEN - pointer;
            image[control] = front as u8;
            image[control + 1] = key.len() as u8;
            put(image, control + FL_LEN, &pointed.to_be_bytes()[4 - pointer..]);
            end = control - key.len();
            put(image, end, key);
            if !leftmost {
                continue;
            }
            match section {
                None => put(image, at::SEO, &(control as u16).to_be_bytes()),
                Some((before, field)) => put(image, field, &((before - control) as u16).to_be_bytes()),
            }
            put(image, at::LEO, &(control as u16).to_be_bytes());
            end -= SECTION_FIELD_LEN;
            section = Some((control, end));
        }
    }
}

/// Bytes an index CI of this size has for its record; none if no CI has this size.
fn room(index_ci_size: usize) -> usize {
    match index_ci_size {
        ..=MAX_CI => index_ci_size.saturating_sub(CONTROL_LEN),
        _ => 0,
    }
}
