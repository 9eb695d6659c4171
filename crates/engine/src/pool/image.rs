//! A page that is the CI's image itself: CIs of an RRDS and of an LDS, whose records lie where arithmetic says.
//!
//! ```text
//!   0  descriptor, as in every frame
//!  24  count u32: slots that hold records (RRDS), 1 (LDS)
//!  64  the image, CISZ bytes
//! ```

use super::page::SLOTS_AT;
use super::view::View;

/// Bytes of the page part before the image, for writers (who do not see the descriptor).
const HEADER: usize = SLOTS_AT - super::DESCRIPTOR;

/// Such a page being changed; the caller holds the frame's latch.
pub struct ImagePage<'a> {
    bytes: &'a mut [u8],
    ci_size: usize,
}

impl<'a> ImagePage<'a> {
    /// Bytes a frame needs.
    pub fn frame_len(ci_size: usize) -> usize {
        SLOTS_AT + ci_size
    }
    /// Makes the frame such a page, with whatever bytes its image has.
    pub fn format(bytes: &'a mut [u8], ci_size: usize) -> ImagePage<'a> {
        bytes[..HEADER].fill(0);
        ImagePage { bytes, ci_size }
    }
    /// The page that is there.
    pub fn of(bytes: &'a mut [u8], ci_size: usize) -> ImagePage<'a> {
        ImagePage { bytes, ci_size }
    }
    /// Slots that hold records; 1 in an LDS.
    pub fn count(&self) -> usize {
        u32::from_le_bytes([self.bytes[0], self.bytes[1], self.bytes[2], self.bytes[3]]) as usize
    }
    /// Sets it.
    pub fn set_count(&mut self, count: usize) {
        self.bytes[..4].copy_from_slice(&(count as u32).to_le_bytes());
    }
    /// The image.
    pub fn image(&mut self) -> &mut [u8] {
        &mut self.bytes[HEADER..HEADER + self.ci_size]
    }
    /// The same, for as long as the frame is held.
    pub fn into_image(self) -> &'a mut [u8] {
        &mut self.bytes[HEADER..HEADER + self.ci_size]
    }
}

impl View<'_> {
    /// Copies `out.len()` bytes from offset `at` of the image.
    pub fn image_part(&self, at: usize, out: &mut [u8]) {
        self.words().copy(SLOTS_AT + at, out);
    }
    /// One byte of the image.
    #[inline]
    pub fn image_byte(&self, at: usize) -> u8 {
        let at = SLOTS_AT + at;
        (self.words().get(at / 8) >> (at % 8 * 8)) as u8
    }
}
