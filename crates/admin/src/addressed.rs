//! Records of a key-sequenced data set by address: control interval after control interval as they lie on the volume,
//! which is the order of keys only as far as nothing was split.

use super::found::FoundRecord;
use super::trouble::Trouble;
use cica_engine::{Intent, RequestError, Str};
use cica_format::ci;

/// Where the reading stands.
#[derive(Debug, Default)]
pub struct Addressed {
    ci_size: u64,
    /// The RBA of the control interval to be read next.
    next: u64,
    /// The one that is being read, and where its records are in it.
    image: Vec<u8>,
    spans: Vec<(u16, u16)>,
    /// The record to be returned next.
    place: usize,
}

impl Addressed {
    /// From the first control interval on.
    pub fn new(ci_size: u32) -> Addressed {
        Addressed {
            ci_size: u64::from(ci_size),
            ..Addressed::default()
        }
    }

    /// Goes to the record that begins at `rba`.
    pub fn point(&mut self, string: &mut Str, rba: u64) -> Result<(), Trouble> {
        let start = rba - rba % self.ci_size;
        self.next = start;
        self.read(string).map_err(|error| match error {
            // The control interval's, which nobody asked for.
            RequestError::BadRba { .. } => RequestError::BadRba { rba },
            error => error,
        })?;
        let place = self
            .spans
            .iter()
            .position(|(offset, _)| start + u64::from(*offset) == rba);
        self.place = place.ok_or(RequestError::BadRba { rba })?;
        Ok(())
    }

    /// The next record, or none at the end.
    pub fn next(&mut self, string: &mut Str) -> Result<Option<FoundRecord<'_>>, Trouble> {
        while self.place == self.spans.len() {
            match self.read(string) {
                Ok(()) => {}
                // Behind the last one that is in use.
                Err(RequestError::BadRba { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        let (offset, length) = self.spans[self.place];
        self.place += 1;
        let from = usize::from(offset);
        Ok(Some(FoundRecord {
            bytes: &self.image[from..from + usize::from(length)],
            rba: self.next - self.ci_size + u64::from(offset),
            rrn: 0,
        }))
    }

    fn read(&mut self, string: &mut Str) -> Result<(), RequestError> {
        let rba = self.next;
        self.image.clear();
        self.image
            .extend_from_slice(string.get_interval(rba, Intent::Read)?.bytes);
        // What contradicts itself was found before this by its checksum; what is left is an end-of-file mark.
        if ci::parse(&self.image, &mut self.spans).is_err() {
            self.spans.clear();
        }
        (self.next, self.place) = (rba + self.ci_size, 0);
        Ok(())
    }
}
