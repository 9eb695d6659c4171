//! Images one behind the other in a buffer, each as long as it is stored.

use std::ops::Range;

/// Images on their way to the volume.
pub(super) struct Images<'b> {
    buffer: &'b mut [u8],
    ci_size: usize,
    /// Where in the buffer each of them is.
    places: Vec<Range<usize>>,
}

impl<'b> Images<'b> {
    /// None yet. The buffer has room for one of `ci_size` bytes at least.
    pub fn new(buffer: &'b mut [u8], ci_size: usize) -> Images<'b> {
        Images {
            buffer,
            ci_size,
            places: Vec::new(),
        }
    }

    fn end(&self) -> usize {
        self.places.last().map_or(0, |place| place.end)
    }

    /// No room for a whole CI is left.
    pub fn is_full(&self) -> bool {
        self.end() + self.ci_size > self.buffer.len()
    }

    /// Room for a whole CI behind those that there are; not to be asked for where it [`is_full`](Self::is_full).
    pub fn next(&mut self) -> &mut [u8] {
        let end = self.end();
        &mut self.buffer[end..end + self.ci_size]
    }

    /// The first so many bytes of that room are an image.
    pub fn keep(&mut self, stored: usize) {
        let end = self.end();
        self.places.push(end..end + stored);
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.places.clear();
    }

    /// In the order in which they came.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| &self.buffer[place.clone()])
    }

    /// The same, to be filled.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let mut rest = &mut *self.buffer;
        self.places.iter().map(move |place| {
            let (own, behind) = std::mem::take(&mut rest).split_at_mut(place.len());
            rest = behind;
            own
        })
    }
}
