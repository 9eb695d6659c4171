//! Getting a record from a CI that is only looked at ([`Component::glance`](crate::store::Component::glance)).

use super::{Ksds, Leaf};
use crate::error::RequestError;
use crate::pool::first_not_below;
use crate::store::{records, Glanced};
use cica_format::ci::Segment;
use std::cmp::Ordering;

/// What a look at a CI came to.
pub(super) enum Look {
    /// Where in the image the record is: offset and length.
    Found(u32, std::ops::Range<usize>),
    /// There is no such record.
    NotFound,
    /// The request is for a page, perhaps for this one.
    Page(Option<Leaf>),
}

/// What a string looks with.
#[derive(Debug, Default)]
pub(super) struct Glass {
    pub glanced: Glanced,
    spans: Vec<(u16, u16)>,
}

impl Ksds {
    /// Looks for the record with this whole key, where its CI need not become a page.
    #[inline]
    pub(super) fn look(&self, key: &[u8], glass: &mut Glass) -> Result<Look, RequestError> {
        if key.len() != self.shape.key_len || !self.data.is_still() {
            return Ok(Look::Page(None));
        }
        let ci = match self.page_or_ci(key)? {
            Some(Err(ci)) => ci,
            Some(Ok(leaf)) => return Ok(Look::Page(Some(leaf))),
            None => return Ok(Look::Page(None)),
        };
        if !self.data.glance(ci, &mut glass.glanced)? {
            return Ok(Look::Page(None));
        }
        let (image, spans) = (glass.glanced.image(), &mut glass.spans);
        // What it contradicts itself in is told by the request that makes it a page.
        match records(image, self.shape, spans) {
            Ok(layout) if layout.segment == Segment::Whole => {}
            _ => return Ok(Look::Page(None)),
        }
        let key_at = |(offset, _): (u16, u16)| {
            let at = usize::from(offset) + self.shape.rkp;
            image.get(at..at + key.len()).unwrap_or_default()
        };
        let bytes = |(offset, len): (u16, u16)| usize::from(offset)..usize::from(offset) + usize::from(len);
        let pos = first_not_below(0, spans.len(), |i| compare(key_at(spans[i]), key).is_lt());
        // K1: a key that is not in the CI to which it belongs is nowhere.
        Ok(match spans.get(pos) {
            Some(&span) if key_at(span) == key => Look::Found(ci, bytes(span)),
            _ => Look::NotFound,
        })
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
