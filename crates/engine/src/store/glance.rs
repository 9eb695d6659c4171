//! Looking at a CI without giving it a place in the pool.
//!
//! A batch step that reads some thousand records at random comes to most CIs once. What makes a page of a CI (a
//! frame of memory that was never touched, slots, and giving it back) costs more than reading it, and serves the
//! second visit. So the first looks at a CI of a component that nobody changes are at its image, in the string's own
//! memory.
//!
//! * O1. The image is checked like one that becomes a page. It stays true for as long as the component is open: it is
//!   open for input, and whoever would change it is kept out by the lock on the file.
//! * O2. A CI that was looked at [`LOOKS`] times becomes a page at the next visit: what is wanted again and again is
//!   served best from the pool. To make a page costs what some five looks cost more than visits of a page, so who waits
//!   for about as many pays at most twice the least there is to pay, whatever comes.
//! * O3. A CI above [`LARGEST`] becomes a page at once: what a look costs grows with the CI, and what a page costs beside
//!   that does not.

use super::ca::{CaPage, CiPlace};
use super::Component;
use crate::error::RequestError;
use cica_disk::ReadAt;
use cica_format::ca::NO_SLOT;
use cica_format::ci;

/// Looks at a CI before it becomes a page.
const LOOKS: u32 = 4;

/// Bytes of the largest CI that is looked at.
const LARGEST: usize = 8192;

/// The image that a string looked at last.
#[derive(Debug, Default)]
pub struct Glanced {
    ci: Option<u32>,
    image: Vec<u8>,
}

impl Glanced {
    /// The image.
    pub fn image(&self) -> &[u8] {
        &self.image
    }
}

impl Component {
    /// Are its CIs looked at before they become pages?
    #[inline]
    pub fn is_looked_at(&self) -> bool {
        self.still && self.layout.ci_size <= LARGEST
    }

    /// Brings the image of data CI `ci`, which has no page, into `glanced`. False: it is to be made a page.
    pub fn glance(&self, ci: u32, glanced: &mut Glanced) -> Result<bool, RequestError> {
        if !self.is_looked_at() || self.direct || !self.codec.is_data() {
            return Ok(false);
        }
        if glanced.ci == Some(ci) {
            return Ok(true);
        }
        let (ca, i) = self.layout.split(ci);
        self.ask_for(ca, i);
        let place = self.with_ca(ca, |page| {
            let place = page.place(i);
            (place.slot != NO_SLOT && page.look(i) < LOOKS).then(|| (self.slot_at(page, place.slot), place))
        })?;
        match place {
            Some((at, place)) => {
                self.count_read(1);
                self.timed(|| self.read_glanced(ci, at, place, glanced)).map(|()| true)
            }
            None => Ok(false),
        }
    }

    /// Has the file bring CI `i` of a CA nearer while it is made sure where that is.
    #[inline]
    fn ask_for(&self, ca: u32, i: usize) {
        // Without a lock the place may be any. It is only asked for, and that brings nothing that could be wrong.
        let page = CaPage::of(self.pool.view(self.directory.get(ca)));
        let (at, got) = (self.slot_at(page, page.place(i).slot), 0);
        let _ = self.with_file(|file| file.read(&mut [ReadAt { at, buf: &mut [], got }]));
    }

    fn read_glanced(&self, ci: u32, at: u64, place: CiPlace, glanced: &mut Glanced) -> Result<(), RequestError> {
        glanced.ci = None;
        glanced.image.resize(self.layout.ci_size, 0);
        let stored = self.layout.stored_len(place.left_out);
        let wrong = |what: String| self.read_error(format!("{}: {what}", self.place_text(ci)));
        self.read_then(at, &mut glanced.image[..stored], |image| {
            self.check_image(place, ci, image)
        })
        .map_err(wrong)??;
        ci::expand(&mut glanced.image, stored).map_err(|e| wrong(e.to_string()))?;
        glanced.ci = Some(ci);
        Ok(())
    }
}
