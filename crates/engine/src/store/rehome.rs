//! Pages that come into being in memory: new CIs, and CIs that move to another CA in a split.

use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::{pause, Latched, PageKind, Width, NO_FRAME};
use crate::sync::atomic::Ordering::Relaxed;

impl Component {
    /// A latched, empty frame of at least `bytes` (0: the usual size for a CI of this component).
    pub fn spare(&self, bytes: usize) -> Result<Latched<'_>, RequestError> {
        self.pool
            .take(bytes.max(self.usual_frame.load(Relaxed)))
            .map_err(|_| self.pool_full())
    }

    /// A latched, empty frame for a narrow page, where memory for one is at hand.
    pub fn narrow_frame(&self, width: Width) -> Option<Latched<'_>> {
        self.pool.take_fitted(width.frame_len(), self.usual_frame.load(Relaxed))
    }

    /// Makes a latched frame, already filled, the dirty page of CI `ci`, which has none. It stays latched.
    pub fn adopt<'p>(&'p self, ci: u32, mut latched: Latched<'p>) -> Result<Latched<'p>, RequestError> {
        let (ca, i) = self.layout.split(ci);
        let has = latched.view().count() > 0;
        let entered = self.with_ci(ci, |page, old| {
            if let Some(old) = old {
                self.detach(page, ca, i);
                old.free();
            }
            latched.set_page(Some(self.page_id(PageKind::Ci, ci)));
            self.pool.descriptor(self.directory.get(ca)).pin();
            self.set_frame(page, i, ci, latched.frame);
            self.flag(page, i, has);
            latched.set_dirty();
            self.ca_changed(ca);
        });
        if let Err(error) = entered {
            latched.free();
            return Err(error);
        }
        Ok(latched)
    }

    /// Replaces the frame of a latched page by another one, which the caller fills with what it holds. It stays
    /// latched.
    pub fn reframe<'p>(&'p self, latched: &mut Latched<'p>, mut new: Latched<'p>) {
        let Some(page) = latched.page() else {
            *latched = new;
            return;
        };
        let (ca, i) = self.layout.split(page.number);
        // The descriptor cannot go: the resident CI pins it. Its lock is not taken, because the caller holds the page's
        // latch; only the holder of the latch, or who holds both lock and latch, changes a resident CI's frame number.
        let descriptor = CaPage::of(self.pool.view(self.directory.get(ca)));
        new.set_page(Some(page));
        self.set_frame(descriptor, i, page.number, new.frame);
        // S8: only now does who looks through the CA find it dirty.
        self.changed(&mut new);
        std::mem::replace(latched, new).free();
    }

    /// Moves a CI with all it holds to another number. The new number has no page.
    pub fn rehome(&self, from: u32, to: u32) -> Result<(), RequestError> {
        let (ca, i) = self.layout.split(from);
        let latched = loop {
            self.page(from)?;
            let detached = self.with_ci(from, |page, latched| {
                let latched = latched?;
                self.detach(page, ca, i);
                self.set_empty(page, i);
                self.ca_changed(ca);
                Some(latched)
            })?;
            if let Some(latched) = detached {
                break latched;
            }
        };
        self.adopt(to, latched).map(drop)
    }

    /// Runs `f` on the descriptor of a CI's CA under its lock, with the CI's page latched if it has one. Whoever has the
    /// latch may wait for the lock, so that is given up until it is free (S3). The page may also move to another frame
    /// meanwhile ([`reframe`](Self::reframe)): then the first belongs to somebody else by now, or is free.
    pub(super) fn with_ci<'p, T>(
        &'p self,
        ci: u32,
        f: impl FnOnce(CaPage<'_>, Option<Latched<'p>>) -> T,
    ) -> Result<T, RequestError> {
        let (ca, i) = self.layout.split(ci);
        let (id, mut turns, mut f) = (self.page_id(PageKind::Ci, ci), 0, Some(f));
        loop {
            let done = self.with_ca(ca, |page| {
                let latched = match page.frame(i) {
                    NO_FRAME => None,
                    frame => Some(self.pool.latch_page(frame, id)?),
                };
                f.take().map(|f| f(page, latched))
            })?;
            match done {
                Some(done) => return Ok(done),
                None => pause(&mut turns),
            }
        }
    }

    /// CI `i` of a CA, which has a page, has none any more. The caller holds the CA's lock and the page's latch.
    pub(super) fn detach(&self, page: CaPage<'_>, ca: u32, i: usize) {
        page.set_frame(i, NO_FRAME);
        self.pool.descriptor(self.directory.get(ca)).unpin();
    }
}
