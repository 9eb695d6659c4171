//! A page that is the CI's image itself: CIs of an RRDS and of an LDS, whose records lie where arithmetic says.
//!
//! ```text
//!   0  descriptor, as in every frame
//!  24  count u32: slots that hold records (RRDS), 1 (LDS)
//!  64  the image, CISZ bytes
//! ```

use super::cells::Cells;
use super::page::SLOTS_AT;
use super::view::View;

/// Bytes of the page part before the image, for writers (who do not see the descriptor).
const HEADER: usize = SLOTS_AT - super::DESCRIPTOR;

/// Such a page being changed; the caller holds the frame's latch.
pub struct ImagePage<'a> {
    cells: Cells<'a>,
    ci_size: usize,
}

impl<'a> ImagePage<'a> {
    /// Bytes a frame needs.
    pub fn frame_len(ci_size: usize) -> usize {
        SLOTS_AT + ci_size
    }
    /// Makes a frame that nobody is to read yet such a page, its image with whatever bytes it has.
    pub fn format(mut cells: Cells<'a>, ci_size: usize) -> ImagePage<'a> {
        cells.fill(0, HEADER, 0);
        ImagePage { cells, ci_size }
    }
    /// Where the image begins in the page's bytes.
    pub const fn image_at() -> usize {
        HEADER
    }
    /// The image in such a frame.
    pub fn image_in(bytes: &'a [u8], ci_size: usize) -> &'a [u8] {
        &bytes[HEADER..HEADER + ci_size]
    }
    /// The page that is there.
    pub fn of(cells: Cells<'a>, ci_size: usize) -> ImagePage<'a> {
        ImagePage { cells, ci_size }
    }
    /// Slots that hold records; 1 in an LDS.
    pub fn count(&self) -> usize {
        u32::from_le_bytes([self.cells[0], self.cells[1], self.cells[2], self.cells[3]]) as usize
    }
    /// Sets it.
    pub fn set_count(&mut self, count: usize) {
        self.cells.put(0, &(count as u32).to_le_bytes());
    }
    /// The image.
    pub fn image(&self) -> &[u8] {
        ImagePage::image_in(&self.cells, self.ci_size)
    }
    /// Bytes at `at` of the image become these.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.check(at, bytes.len());
        self.cells.put(HEADER + at, bytes);
    }
    /// So many bytes at `at` of the image become `byte`.
    pub fn fill(&mut self, at: usize, len: usize, byte: u8) {
        self.check(at, len);
        self.cells.fill(HEADER + at, len, byte);
    }
    fn check(&self, at: usize, len: usize) {
        assert!(
            at + len <= self.ci_size,
            "{len} bytes at {at} of a CI of {}",
            self.ci_size
        );
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
