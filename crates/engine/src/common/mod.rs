//! What a data set of every organization has: its data component, the gate that keeps requests and commits apart,
//! counters, holds, the log it writes to, and the fence behind which it answers nothing any more.
//!
//! Locks in order: gate (shared by requests that change, exclusive for a commit) -> the organization's own -> page
//! latches -> log.

pub mod context;
pub mod counters;
pub mod inspect;
pub mod interval;
pub mod numbered;
pub mod put_interval;
pub mod segments;

use crate::buffers::Share;
use crate::compressed::{self, Compressed};
use crate::error::RequestError;
use crate::forked::OwningProcess;
use crate::locks::Holds;
use crate::log::Log;
use crate::pool::{Begun, Latched, Page, Pool, Records, Reserve, Rounds, Shape, Width};
use crate::store::Component;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use crate::sync::RwLock;
use cica_format::aix::CHAIN_LEN;
use cica_format::attributes::{Attributes, Organization};
use counters::Counters;
use std::sync::{Arc, OnceLock};

/// See the module.
pub struct Common {
    /// Data component.
    pub data: Arc<Component>,
    /// Its attributes.
    pub attributes: Attributes,
    /// Where the key is in a record; nowhere, where records have none.
    pub shape: Shape,
    /// Kept shared by each change, exclusively by a commit.
    pub gate: RwLock<()>,
    /// What stores its records compressed, where they are.
    pub compressed: Option<Compressed>,
    /// Counters.
    pub counters: Counters,
    /// Loading: records are only added, and are not logged.
    pub loading: AtomicBool,
    /// There is something that the committed tree has not.
    changed: AtomicBool,
    /// Frames.
    pub pool: Arc<Pool>,
    /// Records that are held.
    pub holds: Arc<Holds>,
    /// Open units of recovery that may have changed something here.
    units: AtomicUsize,
    /// LSN of the end of the last one that ended before the log was durable.
    unit_ended: AtomicU64,
    log: Arc<Log>,
    log_number: OnceLock<u32>,
    fence: OnceLock<String>,
    owner: OwningProcess,
    /// The buffers that a load is written by, if its open has some of its own.
    loads_by: OnceLock<Share>,
}

impl Common {
    /// Of an open data component.
    pub fn new(
        data: Arc<Component>,
        attributes: Attributes,
        log: Arc<Log>,
        holds: Arc<Holds>,
        counters: Counters,
    ) -> Common {
        Common {
            pool: data.pool().clone(),
            data,
            shape: shape(&attributes),
            attributes,
            gate: RwLock::new(()),
            compressed: None,
            counters,
            loading: AtomicBool::new(false),
            changed: AtomicBool::new(false),
            holds,
            units: AtomicUsize::new(0),
            unit_ended: AtomicU64::new(0),
            log,
            log_number: OnceLock::new(),
            fence: OnceLock::new(),
            owner: OwningProcess::this(),
            loads_by: OnceLock::new(),
        }
    }

    /// A load is written by these buffers.
    pub fn load_by(&self, share: Share) {
        let _ = self.loads_by.set(share);
    }
    /// The buffers that a load is written by.
    pub fn loads_by(&self) -> Option<&Share> {
        self.loads_by.get()
    }

    /// From now on changes are logged under this number.
    pub fn set_log_number(&self, number: u32) {
        let _ = self.log_number.set(number);
    }
    /// The number, if changes are logged (recovery's are not).
    pub fn log_number(&self) -> Option<u32> {
        self.log_number.get().copied()
    }
    /// Notes that there is something to commit. Whoever changes something says so before it gives up the gate: a
    /// commit, which keeps that exclusively, passes a data set in which it knows of no change.
    #[inline]
    pub fn note_change(&self) {
        if !self.has_changed() {
            self.changed.store(true, Relaxed);
        }
    }
    /// Is there anything that the committed tree has not?
    #[inline]
    pub fn has_changed(&self) -> bool {
        self.changed.load(Relaxed)
    }
    /// The committed tree has everything.
    pub fn note_committed(&self) {
        self.changed.store(false, Relaxed);
    }

    /// Logs a change (R4: the caller holds the latch of the page).
    #[inline]
    pub fn append(&self, write: impl FnOnce(u32, &mut Vec<u8>)) {
        self.note_change();
        if let Some(&number) = self.log_number.get() {
            if self.loading.load(Relaxed) {
                return;
            }
            self.log.append(&[number], |buf| write(number, buf));
        }
    }

    /// After a failure in the middle of something: nothing more is answered. What was acknowledged is in the log.
    pub fn fence(&self, why: &str) {
        if self.fence.set(why.to_string()).is_ok() {
            let _ = self.log.flush(self.log.last());
        }
    }
    /// The same from inside a log flush, or when there is nothing to save.
    pub fn fence_quietly(&self, why: &str) {
        let _ = self.fence.set(why.to_string());
    }
    /// Whether nothing is answered any more.
    #[inline]
    pub fn is_fenced(&self) -> bool {
        self.fence.get().is_some()
    }
    /// `Err` once fenced, and in a child of the process that opened it.
    #[inline]
    pub fn check_fence(&self) -> Result<(), RequestError> {
        self.owner.check()?;
        match self.fence.get() {
            Some(why) => Err(RequestError::Fenced { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Notes that a unit of recovery begins (`true`) or ends in which this data set may be changed.
    pub fn note_unit(&self, begins: bool) {
        if begins {
            self.units.fetch_add(1, AcqRel)
        } else {
            self.units.fetch_sub(1, AcqRel)
        };
    }
    /// Notes that a unit has ended with this record of the log, which is not durable yet.
    pub fn note_unit_ended(&self, lsn: u64) {
        self.unit_ended.fetch_max(lsn, AcqRel);
    }
    /// Are there units that may have changed this data set, and are open or would be after a power cut?
    pub fn has_units(&self) -> bool {
        self.units.load(Acquire) > 0 || !self.log.is_durable(self.unit_ended.load(Acquire))
    }
    /// The log it writes to.
    pub fn log_of(&self) -> &Log {
        &self.log
    }

    /// A change from its first step on: what fails there leaves it half done in memory, and fences the data set.
    pub fn or_fence<T>(&self, change: impl FnOnce() -> Result<T, RequestError>) -> Result<T, RequestError> {
        change().inspect_err(|error| self.fence(&error.to_string()))
    }

    /// After an error that is not a lack of space, which was found before anything was changed.
    pub fn fence_unless_full(&self, error: &RequestError) {
        if !matches!(error, RequestError::NoSpace { .. } | RequestError::Fenced { .. }) {
            self.fence(&error.to_string());
        }
    }

    /// Damage found in a data CI.
    pub fn data_error(&self, ci: u32, what: &str) -> RequestError {
        let rba = self.data.rba(ci, 0);
        RequestError::Physical {
            reason: 4,
            what: format!("{}, CI {ci} (RBA {rba}): {what}", self.data.name),
        }
    }

    /// Gives the page in `frame`, if that still has this version, a frame of this width.
    pub fn widen(&self, frame: u32, version: u64, width: Width) -> Result<(), RequestError> {
        let ci_size = self.data.layout.ci_size;
        let narrow = if width.is_narrow(ci_size) {
            self.data.narrow_frame(width)
        } else {
            None
        };
        let is_narrow = narrow.is_some();
        let mut wider = match narrow {
            Some(narrow) => narrow,
            None => self.data.spare(width.of_whole(ci_size).frame_len())?,
        };
        let formatted = |cells| {
            if is_narrow {
                Page::format_narrow(cells, width)
            } else {
                Page::format(cells, ci_size)
            }
        };
        let Some(mut latched) = self.data.pool().latch_at(frame, version) else {
            wider.free();
            return Ok(());
        };
        if latched.view().is_short() {
            let records = Records::of(latched.view());
            formatted(wider.cells()).refill(records.iter(), self.shape);
        } else {
            let old = Page::of(latched.cells());
            let mut page = formatted(wider.cells());
            page.set_segment(old.segment(), old.update_number());
            page.refill((0..old.count()).map(|i| old.record(i)), self.shape);
        }
        self.data.reframe(&mut latched, wider);
        Ok(())
    }

    /// The width of a page of `count` whole records to which more come.
    pub fn wider(&self, count: usize) -> Width {
        Width::whole(self.data.layout.ci_size, count + count / 2 + 16)
    }

    /// A request that needs pages of the data alone at once begins anew: as many as a spanned record has, and one more.
    #[cold]
    pub fn again(&self, begun: Begun) -> Result<Begun, RequestError> {
        let pages = if self.attributes.spanned {
            self.segments(self.longest_stored()) + 1
        } else {
            2
        };
        let needs = || self.data.needs(pages).to_vec();
        Rounds::again(begun, &self.pool, needs).map_err(|stuck| self.data.stuck(stuck))
    }

    /// Reserves what a change of so many data pages at once needs, before it begins.
    ///
    /// # Errors
    /// 8/28; nothing has changed.
    pub fn reserve(&self, pages: usize) -> Result<Reserve, RequestError> {
        let needs = self.data.needs(pages);
        self.pool.reserve(&needs).map_err(|_| self.data.pool_full())
    }

    /// The page of a CI, latched, and no short one.
    fn latch_whole(&self, ci: u32) -> Result<Latched<'_>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let (frame, version) = self.data.page(ci)?;
            let view = self.data.pool().view(frame);
            let (is_short, count) = (view.is_short(), view.count());
            match is_short && self.unchanged(frame, version) {
                true => self.widen(frame, version, self.wider(count))?,
                false if is_short => {}
                false => {
                    if let Some(latched) = self.data.pool().latch_at(frame, version) {
                        return Ok(latched);
                    }
                }
            }
            begun = self.again(begun)?;
        }
    }

    /// Bytes of the longest record as it is stored.
    pub fn longest_stored(&self) -> usize {
        self.longest() + self.overhead()
    }

    /// What each record takes more as it is stored.
    fn overhead(&self) -> usize {
        if self.attributes.compressed {
            compressed::MORE
        } else {
            0
        }
    }

    /// Brings a record into the form in which it is stored, where that is another; see [`Compressed::store`].
    ///
    /// # Errors
    /// A new dictionary cannot be written; the data set is fenced.
    pub fn store<'r>(&self, record: &'r [u8], out: &'r mut Vec<u8>) -> Result<&'r [u8], RequestError> {
        match &self.compressed {
            None => Ok(record),
            Some(compressed) => {
                let stored = compressed.store(record, out);
                stored.inspect_err(|error| self.fence_unless_full(error))?;
                Ok(out)
            }
        }
    }

    /// A stored record came or took the place of another (Q6 in [`crate::compressed`]).
    #[inline]
    pub fn record_comes(&self, stored: &[u8]) {
        if let Some(compressed) = &self.compressed {
            compressed.sizes.come(compressed.measure(stored));
        }
    }

    /// A stored record went or gave its place to another.
    #[inline]
    pub fn record_goes(&self, stored: &[u8]) {
        if let Some(compressed) = &self.compressed {
            compressed.sizes.go(compressed.measure(stored));
        }
    }

    /// The same of one of a page's.
    #[inline]
    pub fn page_record_goes(&self, page: &Page<'_>, pos: usize) {
        if self.compressed.is_some() {
            self.record_goes(&page.whole_record(pos));
        }
    }

    /// The same of a record of latched pages: one of several of its page, or the segments of a spanned one.
    pub fn latched_record_goes(&self, latched: &mut [Latched<'_>], pos: usize) {
        if self.compressed.is_none() {
            return;
        }
        let mut record = Vec::new();
        let pos = if latched.len() > 1 { 0 } else { pos };
        for page in latched {
            record.extend_from_slice(&Page::of(page.cells()).whole_record(pos));
        }
        self.record_goes(&record);
    }

    /// The record that is stored so.
    ///
    /// # Errors
    /// 12/4.
    pub fn expand<'r>(&self, stored: &'r [u8], out: &'r mut Vec<u8>) -> Result<&'r [u8], RequestError> {
        match &self.compressed {
            None => Ok(stored),
            Some(compressed) => {
                compressed.expand(stored, out)?;
                Ok(out)
            }
        }
    }

    /// Bytes of the longest record this data set stores, as its user has it: what was defined, as far as a CI, or
    /// spanned a CA, holds it; in a VRRDS with its number.
    pub fn longest(&self) -> usize {
        let number = match self.attributes.organization {
            Organization::Vrrds => self.shape.key_len,
            // RECORDSIZE bounds what VSAM puts into one record; a chain has as many as it takes.
            _ if is_chained(&self.attributes) => return self.longest_unspanned(),
            _ => 0,
        };
        self.longest_possible()
            .min(self.attributes.maximum_record as usize + number)
    }

    /// Longest record that it could store, whatever RECORDSIZE says.
    pub fn longest_possible(&self) -> usize {
        let most = if self.attributes.spanned {
            self.longest_spanned()
        } else {
            self.longest_unspanned()
        };
        most - self.overhead()
    }
}

/// The pointers of an alternate key are a chain of records.
pub fn is_chained(attributes: &Attributes) -> bool {
    attributes.alternate.as_ref().is_some_and(|of| of.chained)
}

/// Where the key is in the records as they are stored: those of a VRRDS have their record number in front, those of a
/// chain have their number behind the alternate key.
pub fn shape(attributes: &Attributes) -> Shape {
    match attributes.organization {
        Organization::Ksds => Shape {
            rkp: attributes.key_offset as usize,
            key_len: attributes.key_length as usize + if is_chained(attributes) { CHAIN_LEN } else { 0 },
        },
        Organization::Vrrds => Shape { rkp: 0, key_len: 4 },
        _ => Shape { rkp: 0, key_len: 0 },
    }
}
