//! Getting a record from a CI that is only looked at ([`Component::glance`](crate::store::Component::glance)).

use super::{Ksds, Leaf};
use crate::error::RequestError;
use crate::pool::first_not_below;
use crate::store::{records, Glanced};
use cica_format::ci::{self, Segment};
use std::cmp::Ordering;
use std::ops::Range;

/// What a look at a CI came to.
pub enum Look {
    /// Where in the image the record is: offset and length.
    Found(u32, Range<usize>),
    /// There is no such record.
    NotFound,
    /// The request is for a page, perhaps for this one.
    Page(Option<Leaf>),
}

/// Memory for reads without a buffer frame: an image, and where its records are.
#[derive(Debug, Default)]
pub struct Unbuffered {
    pub glanced: Glanced,
    spans: Vec<(u16, u16)>,
}

impl Ksds {
    /// Looks for the record with this whole key, where its CI need not become a page.
    #[inline]
    pub fn look(&self, key: &[u8], unbuffered: &mut Unbuffered) -> Result<Look, RequestError> {
        if key.len() != self.shape.key_len || !self.data.is_looked_at() {
            return Ok(Look::Page(None));
        }
        let number = match self.page_or_ci(key)? {
            Some(Err(ci)) => ci,
            Some(Ok(leaf)) => return Ok(Look::Page(Some(leaf))),
            None => return Ok(Look::Page(None)),
        };
        if !self.data.glance(number, &mut unbuffered.glanced)? {
            return Ok(Look::Page(None));
        }
        let (image, spans) = (unbuffered.glanced.image(), &mut unbuffered.spans);
        let place = match ci::run(image) {
            Some((len, count)) if len >= self.shape.rkp + key.len() => {
                self.place_of(key, image, count, |i| i * len..i * len + len)
            }
            // What it contradicts itself in is told by the request that makes it a page.
            _ => match records(image, self.shape, spans) {
                Ok(layout) if layout.segment == Segment::Whole => self.place_of(key, image, spans.len(), |i| {
                    let (offset, len) = spans[i];
                    usize::from(offset)..usize::from(offset) + usize::from(len)
                }),
                _ => return Ok(Look::Page(None)),
            },
        };
        // K1: a key that is not in the CI to which it belongs is nowhere.
        Ok(place.map_or(Look::NotFound, |place| Look::Found(number, place)))
    }

    /// Where in an image, whose `count` records are at `place`, in key order, the one with this whole key is.
    #[inline]
    fn place_of(
        &self,
        key: &[u8],
        image: &[u8],
        count: usize,
        place: impl Fn(usize) -> Range<usize>,
    ) -> Option<Range<usize>> {
        let from = |i: usize| image.get(place(i).start + self.shape.rkp..).unwrap_or_default();
        let key_at = |i: usize| from(i).get(..key.len()).unwrap_or_default();
        let pos = match key.try_into() {
            // Many keys are as long as a register.
            Ok(eight) => {
                let key = u64::from_be_bytes(eight);
                first_not_below(0, count, |i| {
                    from(i).first_chunk().map_or(0, |k| u64::from_be_bytes(*k)) < key
                })
            }
            Err(_) => first_not_below(0, count, |i| compare(key_at(i), key).is_lt()),
        };
        (pos < count && key_at(pos) == key).then(|| place(pos))
    }
}

/// Compares two keys; most differ in their first eight bytes.
#[inline]
fn compare(one: &[u8], other: &[u8]) -> Ordering {
    match (one.split_first_chunk(), other.split_first_chunk()) {
        (Some((one, rest)), Some((other, others_rest))) => {
            let first = u64::from_be_bytes(*one).cmp(&u64::from_be_bytes(*other));
            first.then_with(|| rest.cmp(others_rest))
        }
        _ => one.cmp(other),
    }
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn keys_compare_as_their_bytes_do() {
        let keys: [&[u8]; 8] = [
            b"",
            b"A",
            b"AB",
            b"ABCDEFG",
            b"ABCDEFGH",
            b"ABCDEFGHA",
            b"ABCDEFGI",
            b"\xFFBCDEFGHI",
        ];
        for one in keys {
            for other in keys {
                assert_eq!(compare(one, other), one.cmp(other), "{one:?} {other:?}");
            }
        }
    }
}
