//! Giving up frames when the pool needs them.
//!
//! | page | condition | what is done first |
//! |---|---|---|
//! | CI, clean | nobody latches it | its CA forgets the frame |
//! | CI, dirty | the same | its image is written to a slot that is not committed |
//! | CA | no CI of it resident | if changed: its header is written to the copy that is not committed |
//!
//! Nothing here waits for a lock (S3): what cannot be had at once is not given up.

use super::flush::Dirty;
use super::{CaPage, Component};
use crate::pool::{Kind, Owner, PageId, NO_FRAME};

impl Owner for Component {
    fn give_up(&self, frame: u32, page: PageId) -> bool {
        match page.kind {
            Kind::Ci => self.give_up_ci(frame, page),
            Kind::Ca => self.give_up_ca(frame, page),
        }
    }
}

impl Component {
    /// Takes the page of a CI that was read through out of the pool, if it is clean and nobody is at it.
    pub fn pass(&self, ci: u32) {
        let page = self.resident(ci).map(|(frame, _)| frame);
        if let Some(frame) = page.filter(|&frame| !self.pool.descriptor(frame).dirty()) {
            self.give_up_ci(frame, self.page_id(Kind::Ci, ci));
        }
    }

    fn give_up_ci(&self, frame: u32, page: PageId) -> bool {
        let (ca, i) = self.layout.split(page.number);
        let Some(_guard) = self.lock(ca).try_lock() else {
            return false;
        };
        let descriptor = self.directory.get(ca);
        if descriptor == NO_FRAME {
            return false;
        }
        let ca_page = CaPage::of(self.pool.view(descriptor));
        if ca_page.frame(i) != frame {
            return false;
        }
        let Some(latched) = self.pool.try_latch(frame) else {
            return false;
        };
        if latched.page() != Some(page) {
            return false;
        }
        let mut victim = [Dirty {
            ci: page.number,
            i,
            latched,
        }];
        if self.pool.descriptor(frame).dirty() && self.write_latched(ca, ca_page, &mut victim).is_err() {
            return false;
        }
        victim[0].latched.set_page(None);
        ca_page.set_frame(i, NO_FRAME);
        self.pool.descriptor(descriptor).unpin();
        true
    }

    fn give_up_ca(&self, frame: u32, page: PageId) -> bool {
        let ca = page.number;
        let Some(_guard) = self.lock(ca).try_lock() else {
            return false;
        };
        if self.directory.get(ca) != frame || self.pool.descriptor(frame).pins() > 0 {
            return false;
        }
        let changed = self.changed.lock().contains(&ca);
        if changed && self.write_header(ca, CaPage::of(self.pool.view(frame))).is_err() {
            return false;
        }
        let Some(mut latched) = self.pool.try_latch(frame) else {
            return false;
        };
        if changed {
            self.changed.lock().remove(&ca);
        }
        self.directory.set(ca, NO_FRAME);
        latched.set_page(None);
        true
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
