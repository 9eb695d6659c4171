//! Giving up frames when the pool needs them.
//!
//! | page | condition | what is done first |
//! |---|---|---|
//! | CI, clean | nobody latches it | its CA forgets the frame |
//! | CI, dirty | the same | its image is written to a slot that is not committed |
//! | CA | no CI of it is resident, or all go | if changed: its header is written to the copy that is not committed |
//!
//! Nothing here waits for a lock (S3): what cannot be had at once is not given up.

use super::placing::Dirty;
use super::{CaPage, Component};
use crate::pool::{Gave, PageId, PageKind, PageOwner, NO_FRAME};

impl PageOwner for Component {
    fn give_up(&self, frame: u32, page: PageId, below: bool) -> Gave {
        match page.kind {
            PageKind::Ci => self.give_up_ci(frame, page),
            PageKind::Ca => self.give_up_ca(frame, page, below),
        }
    }
}

impl Component {
    /// Takes the page of a CI that was read through out of the pool, if it is clean and nobody is at it.
    pub fn pass(&self, ci: u32) {
        let page = self.resident(ci).map(|(frame, _)| frame);
        if let Some(frame) = page.filter(|&frame| !self.pool.descriptor(frame).dirty()) {
            self.give_up_ci(frame, self.page_id(PageKind::Ci, ci));
        }
    }

    fn give_up_ci(&self, frame: u32, page: PageId) -> Gave {
        let (ca, i) = self.layout.split(page.number);
        let Some(_guard) = self.lock(ca).try_lock() else {
            return Gave::Busy;
        };
        let descriptor = self.directory.get(ca);
        if descriptor == NO_FRAME || CaPage::of(self.pool.view(descriptor)).frame(i) != frame {
            return Gave::Busy;
        }
        self.give_up_of(ca, descriptor, i)
    }

    /// The page of CI `i` of a CA, which has one. The caller holds the CA's lock.
    fn give_up_of(&self, ca: u32, descriptor: u32, i: usize) -> Gave {
        let (ca_page, ci) = (CaPage::of(self.pool.view(descriptor)), self.layout.join(ca, i as u32));
        let frame = ca_page.frame(i);
        let Some(latched) = self.pool.latch_page(frame, self.page_id(PageKind::Ci, ci)) else {
            return Gave::Busy;
        };
        // Looked at again: it may have come since it was chosen.
        if self.pool.descriptor(frame).is_kept() {
            return Gave::Not;
        }
        let mut victim = [Dirty { ci, i, latched }];
        if self.pool.descriptor(frame).dirty() && self.write_latched(ca, ca_page, &mut victim).is_err() {
            return Gave::Not;
        }
        victim[0].latched.set_page(None);
        ca_page.set_frame(i, NO_FRAME);
        self.pool.descriptor(descriptor).unpin();
        Gave::Up
    }

    fn give_up_ca(&self, frame: u32, page: PageId, below: bool) -> Gave {
        let ca = page.number;
        let Some(_guard) = self.lock(ca).try_lock() else {
            return Gave::Busy;
        };
        if self.directory.get(ca) != frame {
            return Gave::Busy;
        }
        if self.pool.descriptor(frame).pins() > 0 {
            let of = CaPage::of(self.pool.view(frame));
            for i in (0..self.layout.ci_per_ca).filter(|&i| below && of.frame(i) != NO_FRAME) {
                match self.give_up_of(ca, frame, i) {
                    Gave::Up => {}
                    other => return other,
                }
            }
            if self.pool.descriptor(frame).pins() > 0 {
                return Gave::Not;
            }
        }
        let changed = self.changed.lock().contains(&ca);
        if changed && self.write_header(ca, CaPage::of(self.pool.view(frame))).is_err() {
            return Gave::Not;
        }
        let Some(mut latched) = self.pool.try_latch(frame) else {
            return Gave::Busy;
        };
        if changed {
            self.changed.lock().remove(&ca);
        }
        self.directory.set(ca, NO_FRAME);
        latched.set_page(None);
        Gave::Up
    }

    /// Takes all of the component's pages out of the pool, written or not, and the component off its books.
    pub fn leave_pool(&self) {
        // Without the file nothing comes in behind what is dropped.
        *self.file.write() = None;
        self.drop_resident();
        *self.books.lock() = None;
        if let Some(&number) = self.number.get() {
            self.pool.unregister(number);
        }
    }

    /// Takes all of the component's pages out of the pool, written or not.
    pub fn drop_resident(&self) {
        let count = self.space.lock().ca_count;
        for ca in 0..count {
            let _guard = self.lock(ca).lock();
            let descriptor = self.directory.get(ca);
            if descriptor == NO_FRAME {
                continue;
            }
            // Each page of the CA has pinned it; a step that looked here and there has made few.
            if self.pool.descriptor(descriptor).pins() > 0 {
                self.drop_pages(descriptor);
            }
            self.directory.set(ca, NO_FRAME);
            self.pool.latch(descriptor).free();
        }
        self.changed.lock().clear();
    }

    /// Those of one CA. The caller holds its lock.
    fn drop_pages(&self, descriptor: u32) {
        let page = CaPage::of(self.pool.view(descriptor));
        // Their first lines are in no cache; asked for together they come together.
        (0..self.layout.ci_per_ca).for_each(|i| self.pool.prefetch(page.frame(i), 1));
        for i in 0..self.layout.ci_per_ca {
            let frame = page.frame(i);
            if frame != NO_FRAME {
                page.set_frame(i, NO_FRAME);
                self.pool.descriptor(descriptor).unpin();
                self.pool.latch(frame).free();
            }
        }
    }
}
