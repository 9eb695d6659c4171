//! Records longer than a CI: segments, each alone in its CI. All segments of a record carry the same update number.

use super::Common;
use crate::error::RequestError;
use crate::pool::Page;
use cica_format::ci;

/// Page's segment number of the first segment.
pub const FIRST: u8 = 1;
/// Of the last.
pub const LAST: u8 = 2;
/// Of those between.
pub const MIDDLE: u8 = 3;

impl Common {
    /// CIs that a record of `len` bytes takes.
    pub fn segments(&self, len: usize) -> usize {
        if len <= self.longest_unspanned() {
            1
        } else {
            len.div_ceil(ci::max_segment(self.data.layout.ci_size))
        }
    }

    /// Longest record of a spanned data set: what one CA takes.
    pub fn longest_spanned(&self) -> usize {
        ci::max_segment(self.data.layout.ci_size) * self.data.layout.ci_per_ca
    }

    /// Longest record that one CI takes.
    pub fn longest_unspanned(&self) -> usize {
        ci::max_record(self.data.layout.ci_size)
    }

    /// Makes CIs of a CA the segments of a record (one CI: a whole record), each a dirty page.
    pub fn write_segments(&self, ca: u32, cis: &[u32], record: &[u8]) -> Result<(), RequestError> {
        let most = ci::max_segment(self.data.layout.ci_size);
        let pieces: Vec<&[u8]> = if cis.len() == 1 {
            vec![record]
        } else {
            record.chunks(most).collect()
        };
        for (i, (&ci, piece)) in cis.iter().zip(&pieces).enumerate() {
            let segment = match (i, pieces.len()) {
                (_, 1) => 0,
                (0, _) => FIRST,
                (i, n) if i + 1 == n => LAST,
                _ => MIDDLE,
            };
            let mut frame = self.data.spare(0)?;
            let mut page = Page::format(frame.cells(), self.data.layout.ci_size);
            page.set_segment(segment, 1);
            page.refill(std::iter::once(*piece), self.shape);
            drop(self.data.adopt(self.data.layout.join(ca, ci), frame)?);
        }
        Ok(())
    }
}
