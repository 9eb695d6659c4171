//! Getting a record from a CI that is only looked at ([`Component::glance`](crate::store::Component::glance)).

use super::{Ksds, Leaf};
use crate::error::RequestError;
use crate::store::{records, Glanced};
use cica_format::ci::Segment;

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
        let bytes = |&(offset, len): &(u16, u16)| offset as usize..offset as usize + len as usize;
        let found = spans.binary_search_by(|span| self.key_of(&image[bytes(span)]).cmp(key));
        // K1: a key that is not in the CI to which it belongs is nowhere.
        Ok(found.map_or(Look::NotFound, |pos| Look::Found(ci, bytes(&spans[pos]))))
    }
}
