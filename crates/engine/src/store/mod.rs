//! One component file: pages in, images out, slots, regions and the references up to its root.
//!
//! The rules R1-R3 of `docs/design/0001` are kept here:
//!
//! * S1. An image is written only to sectors that are not committed (`ca.rs`, C2); headers and table blocks only to
//!   the copy
//!   that their committed parent does not name.
//! * S2. What a request needs to go on (page, slot, region) is found before anything is changed.
//! * S3. Locks: a CA's lock (64 stripes) covers its descriptor, its slots and the I/O of its CIs. A split takes it while
//!   it has the latch of the page that it splits. So who has it only *tries* for the latch of a page that others can
//!   find, and gives the lock up before the next try ([`Component::with_ci`]). A commit, and who drops all pages, wait:
//!   they keep writers out. Frames are taken before both; giving up frames only tries for locks too.
//! * S8. Each CA with a dirty page, or with a descriptor that its written header has not, is listed as changed. It is
//!   listed behind the change, when the page is where the descriptor says; who takes it off the list looks for dirty
//!   pages behind that. So one of them sees the other.

mod ahead;
mod books;
mod ca;
mod chained;
mod codec;
mod commit;
mod dictionaries;
mod directory;
mod evict;
mod extent;
mod flush;
mod gather;
mod glance;
mod image;
mod images;
mod kept;
mod layout;
mod load;
mod loaded;
mod placing;
mod rehome;
mod space;

pub use books::Crowded;
pub use ca::{CaPage, HAS_RECORDS};
pub use codec::{free_cis, index_record, records, Codec};
pub use glance::Glanced;
pub use layout::ComponentLayout;
pub use loaded::Written;

use crate::error::RequestError;
use crate::pool::{Latched, Need, Page, PageId, PageKind, Pool, Stuck, View};
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicU8, AtomicUsize, Ordering::Relaxed};
use crate::sync::{Mutex, RwLock};
use crate::volumes::{OneVolume, Volumes};
use cica_counters::ComponentCount;
use cica_disk::{Cells, Clock, File};
use cica_format::root::{Part, Root};
use cica_format::table::Ref;
use directory::Directory;
use load::Brought;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

const STRIPES: usize = 64;
/// Times that a page is read before it is latched for it.
const TRIES: usize = 4;
/// Most cache lines of heads that are asked for at once.
const MOST_LINES: usize = 16;
/// Most of a short page.
const SHORT_LINES: usize = 26;

/// How a component is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMode {
    /// The file was opened to go around the page cache, and CIs shall.
    pub direct: bool,
    /// For input: nobody changes it.
    pub still: bool,
}

/// An open component.
pub struct Component {
    /// Component name, for messages.
    pub name: String,
    /// Data or index.
    pub part: Part,
    /// Its id.
    pub id: u64,
    /// Its file.
    pub path: PathBuf,
    /// Sizes and offsets.
    pub layout: ComponentLayout,
    /// Its records are compressed: dictionaries stand behind its root.
    compressed: bool,
    /// CIs go around the page cache.
    direct: bool,
    /// Nobody changes it: it is open for input.
    still: bool,
    /// Physical I/Os so far.
    excps: AtomicU64,
    /// The same and more, where others see it.
    counts: OnceLock<(Cells, Arc<dyn Clock>)>,
    /// CIs written since the open.
    written: AtomicU64,
    /// Those of them that a sync has made durable.
    synced: AtomicU64,
    /// A root was written since the last sync.
    root_waits: AtomicBool,
    pool: Arc<Pool>,
    file: RwLock<Option<Arc<dyn File>>>,
    /// CIs that hold records.
    used: AtomicI64,
    codec: Codec,
    /// Cache lines at the start of a page that a search reads, or of a short page all.
    first_lines: AtomicUsize,
    /// Bytes of the largest frame that a CI took.
    largest_frame: AtomicUsize,
    /// Bytes of the frame that the next CI is read into.
    usual_frame: AtomicUsize,
    number: OnceLock<u16>,
    directory: Directory,
    /// Index: the frame that each CI was last in. A request comes by a page of each level, and this is the short way.
    frames: Option<Directory>,
    locks: [Mutex<()>; STRIPES],
    space: Mutex<Space>,
    /// CAs with dirty pages, or whose descriptors differ from the header last written.
    changed: Mutex<BTreeSet<u32>>,
    /// What all this takes of the pool's bound.
    books: Mutex<Option<books::Books>>,
    /// How nearly the lists above have filled their share ([`Crowded`]).
    crowded: AtomicU8,
    /// Space beyond what the definition gives is taken; see [`Component::exceed_definition`].
    exceeds: AtomicBool,
    /// Where its extents come from.
    volumes: OnceLock<Arc<dyn Volumes>>,
}

/// What the root says, as it will be said next.
struct Space {
    ca_count: u32,
    free_ca: u32,
    region_count: u32,
    /// Regions the file has been grown for.
    room: u32,
    free_regions: Vec<u32>,
    /// Those of them whose space this open gave back. An earlier one may have died before it gave any back.
    hollow: BTreeSet<u32>,
    /// Regions the committed tree still uses and the next one does not (R2).
    freed: Vec<u32>,
    /// Newest written header of each CA.
    refs: books::Refs,
    /// CAs whose newest header is not committed, with the committed one.
    pending: HashMap<u32, Ref>,
    tables: Vec<Ref>,
    extents: extent::Extents,
}

impl Component {
    /// An open component from its committed root. Its references come by [`read_tables`](Self::read_tables).
    pub fn new(
        pool: Arc<Pool>,
        file: Arc<dyn File>,
        how: OpenMode,
        path: PathBuf,
        root: &Root,
        codec: Codec,
    ) -> Component {
        let a = &root.attributes;
        Component {
            name: a.component_name.clone(),
            part: root.part,
            id: root.component,
            path,
            layout: ComponentLayout::new(a.ci_size as usize, a.ci_per_ca as usize),
            compressed: root.attributes.compressed,
            direct: how.direct,
            still: how.still,
            excps: AtomicU64::new(0),
            counts: OnceLock::new(),
            written: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            root_waits: AtomicBool::new(false),
            pool,
            file: RwLock::new(Some(file)),
            used: AtomicI64::new(used_at_open(root)),
            first_lines: AtomicUsize::new(codec.searched(a.ci_size as usize).div_ceil(64).min(MOST_LINES)),
            largest_frame: AtomicUsize::new(frame_at_open(root, codec)),
            usual_frame: AtomicUsize::new(frame_at_open(root, codec)),
            frames: (!codec.is_data()).then(Directory::new),
            codec,
            number: OnceLock::new(),
            directory: Directory::new(),
            locks: std::array::from_fn(|_| Mutex::new(())),
            space: Mutex::new(Space {
                ca_count: root.ca_count,
                free_ca: root.free_ca,
                region_count: root.region_count,
                room: root.region_count,
                free_regions: root.free_regions.clone(),
                hollow: BTreeSet::new(),
                freed: Vec::new(),
                refs: books::Refs::default(),
                pending: HashMap::new(),
                tables: root.tables.clone(),
                extents: extent::Extents {
                    high_allocated: root.high_allocated,
                    count: root.extents,
                    further: root.further_extents.clone(),
                    primary: a.primary,
                    secondary: a.secondary,
                },
            }),
            changed: Mutex::new(BTreeSet::new()),
            books: Mutex::new(None),
            crowded: AtomicU8::new(Crowded::No as u8),
            exceeds: AtomicBool::new(false),
            volumes: OnceLock::new(),
        }
    }

    /// Makes the component known to the pool.
    ///
    /// False: so many are open that there is no number left.
    pub fn register(self: &Arc<Self>) -> bool {
        if self.number.get().is_none() {
            let Some(number) = self.pool.register(self.clone()) else {
                return false;
            };
            // It had none a line above, and whoever opens a data set does so alone.
            let _ = self.number.set(number);
        }
        true
    }

    /// From now on its extents come from these.
    pub fn set_volumes(&self, volumes: Arc<dyn Volumes>) {
        let _ = self.volumes.set(volumes);
    }
    fn volumes(&self) -> &dyn Volumes {
        self.volumes.get().map_or(&OneVolume, |volumes| &**volumes)
    }

    /// The pool.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
    /// How its CIs are read and rendered.
    pub fn codec(&self) -> &Codec {
        &self.codec
    }
    #[inline]
    fn page_id(&self, kind: PageKind, number: u32) -> PageId {
        // Registered before the first request: `register` is part of opening.
        PageId {
            component: self.number.get().copied().unwrap_or(u16::MAX),
            kind,
            number,
        }
    }
    fn lock(&self, ca: u32) -> &Mutex<()> {
        &self.locks[ca as usize % STRIPES]
    }

    /// The page of a CI if it is in the pool: frame and the version to read it under.
    #[inline]
    pub fn resident(&self, ci: u32) -> Option<(u32, u64)> {
        self.resident_where_it_was(ci).or_else(|| {
            let (ca, i) = self.layout.split(ci);
            self.resident_in(ca, i)
        })
    }

    /// The same where it is known in which frame the CI was last. What a frame holds it says itself.
    #[inline(always)]
    fn resident_where_it_was(&self, ci: u32) -> Option<(u32, u64)> {
        let number = self.frames.as_ref()?.get(ci);
        let frame = self.pool.frame(number);
        frame.prefetch(self.first_lines.load(Relaxed));
        let version = frame.version_of(self.page_id(PageKind::Ci, ci))?;
        self.pool.touch(number);
        Some((number, version))
    }

    /// The same for CI `i` of a CA.
    #[inline]
    pub fn resident_in(&self, ca: u32, i: usize) -> Option<(u32, u64)> {
        let pool = &*self.pool;
        let descriptor = pool.frame(self.directory.get(ca));
        // What is no descriptor of this CA any more must not be read as one: its words could be any bytes.
        let known = descriptor.version_of(self.page_id(PageKind::Ca, ca))?;
        let number = CaPage::of(descriptor.view).frame(i);
        if number == crate::pool::NO_FRAME || !descriptor.unchanged(known) {
            return None;
        }
        let frame = pool.frame(number);
        frame.prefetch(self.first_lines.load(Relaxed));
        let version = frame.version_of(self.page_id(PageKind::Ci, self.layout.join(ca, i as u32)))?;
        self.pool.touch(number);
        Some((number, version))
    }

    /// Asks for what [`resident_in`](Self::resident_in), and a look at the CI, will read of the CA's descriptor. The
    /// numbers may be any.
    #[inline]
    pub fn prefetch_place(&self, ca: u32, i: usize) {
        let descriptor = self.directory.get(ca);
        if descriptor != crate::pool::NO_FRAME {
            let page = CaPage::of(self.pool.view(descriptor));
            page.prefetch_frame(i);
            if self.is_looked_at() {
                // A look at the CI comes next (`glance.rs`).
                page.prefetch_place(i);
            }
        }
    }

    /// The page of a CI, read from the volume if need be.
    #[inline]
    pub fn page(&self, ci: u32) -> Result<(u32, u64), RequestError> {
        match self.resident(ci) {
            Some(page) => Ok(page),
            None => self.load(ci),
        }
    }

    /// The same of an index CI that nearly always is where it was: the root.
    #[inline(always)]
    pub fn page_where_it_was(&self, ci: u32) -> Result<(u32, u64), RequestError> {
        match self.resident_where_it_was(ci) {
            Some(page) => Ok(page),
            None => self.page(ci),
        }
    }

    /// The page of a CI, latched.
    pub fn latch(&self, ci: u32) -> Result<Latched<'_>, RequestError> {
        loop {
            match self.bring(ci)? {
                Brought::Now(latched) => return Ok(latched),
                Brought::Before(frame, version) => {
                    if let Some(latched) = self.pool.latch_at(frame, version) {
                        return Ok(latched);
                    }
                }
            }
        }
    }

    /// What is read of one page, true at one moment. A page that others change or put out again and again is latched
    /// for it.
    pub fn read<T>(&self, ci: u32, read: impl Fn(View<'_>) -> T) -> Result<T, RequestError> {
        for _ in 0..TRIES {
            let (frame, version) = self.page(ci)?;
            let found = read(self.pool.view(frame));
            if self.pool.descriptor(frame).latch.unchanged(version) {
                return Ok(found);
            }
        }
        Ok(read(self.latch(ci)?.view()))
    }

    /// The frames that so many of its pages need at once, with the descriptors they are found by.
    pub fn needs(&self, pages: usize) -> [Need; 2] {
        let cas = pages.min(self.ca_count().max(1) as usize);
        let frames = |bytes, frames| Need { bytes, frames };
        [
            frames(self.largest_frame.load(Relaxed), pages),
            frames(CaPage::frame_len(self.layout.ci_per_ca), cas),
        ]
    }

    /// Notes that a latched page was changed.
    #[inline]
    pub fn changed(&self, latched: &mut Latched<'_>) {
        if latched.set_dirty() {
            if let Some(page) = latched.page() {
                self.ca_changed(self.layout.split(page.number).0);
            }
        }
    }

    fn ca_changed(&self, ca: u32) {
        let mut changed = self.changed.lock();
        changed.insert(ca);
        self.listed(changed.len(), 0);
    }

    /// Notes whether a CI holds records, which just got its first one or lost its last. The caller gave up the latch
    /// of its page before (S3), so what he knows may be old: the page says it. A CI without a page needs no note, as
    /// it was written since then, and that noted it.
    pub fn note_records(&self, ci: u32) {
        let (ca, i) = self.layout.split(ci);
        if self.directory.get(ca) == crate::pool::NO_FRAME {
            return;
        }
        // Who cannot read the CA's descriptor has no page of it.
        let _ = self.with_ci(ci, |page, latched| {
            let has = latched.map(|latched| latched.view().count() > 0);
            if has.is_some_and(|has| self.flag(page, i, has)) {
                self.ca_changed(ca);
            }
        });
    }

    /// Has nobody the lock of this CA just now?
    #[cfg(test)]
    pub(crate) fn has_lock_free(&self, ca: u32) -> bool {
        self.lock(ca).try_lock().is_some()
    }

    /// Sets whether CI `i` holds records; true if that is news. The caller holds the CA's lock.
    fn flag(&self, page: CaPage<'_>, i: usize, has: bool) -> bool {
        let had = page.flags(i) & HAS_RECORDS != 0;
        if had != has {
            page.set_flags(i, if has { HAS_RECORDS } else { 0 });
            self.used.fetch_add(if has { 1 } else { -1 }, Relaxed);
            self.show(ComponentCount::UsedCis, |cell| {
                cell.fetch_add(if has { 1 } else { u64::MAX }, Relaxed);
            });
        }
        had != has
    }

    /// Bytes of CIs without records in the allocated space (FREESPC).
    pub fn free_space(&self) -> u64 {
        let used = self.used.load(Relaxed).max(0) as u64 * self.layout.ci_size as u64;
        self.allocated().0.saturating_sub(used)
    }

    /// Does something with the file, while the component is open.
    fn with_file<T>(&self, act: impl FnOnce(&dyn File) -> std::io::Result<T>) -> std::io::Result<T> {
        match &*self.file.read() {
            Some(file) => act(&**file),
            None => Err(was_closed()),
        }
    }

    /// The file, while the component is open.
    fn file(&self) -> std::io::Result<Arc<dyn File>> {
        self.file.read().clone().ok_or_else(was_closed)
    }

    /// CIs of a CA that hold records.
    pub fn used_cis(&self, ca: u32) -> Result<usize, RequestError> {
        self.with_ca(ca, |page| page.used(self.layout.ci_per_ca))
    }

    /// Anything to commit?
    pub fn is_changed(&self) -> bool {
        !self.changed.lock().is_empty() || !self.space.lock().pending.is_empty()
    }

    fn read_error(&self, what: String) -> RequestError {
        let reason = if self.part == Part::Data { 4 } else { 8 };
        RequestError::Physical { reason, what }
    }
    fn write_error(&self, what: String) -> RequestError {
        let reason = if self.part == Part::Data { 16 } else { 20 };
        RequestError::Physical { reason, what }
    }
    /// RBA of what stands at this offset in a CI.
    #[inline]
    pub fn rba(&self, ci: u32, offset: usize) -> u64 {
        ci as u64 * self.layout.ci_size as u64 + offset as u64
    }
    /// Where a CI is, for messages.
    fn place_text(&self, ci: u32) -> String {
        format!("{}, CI {ci} (RBA {})", self.name, self.rba(ci, 0))
    }
    /// Physical I/Os so far.
    pub fn excps(&self) -> u64 {
        self.excps.load(Relaxed)
    }
    /// From now on others see in these cells what it counts, and what it read before.
    pub fn show_counts(&self, cells: Cells, clock: Arc<dyn Clock>) {
        let _ = self.counts.set((cells, clock));
        self.show_gauges(self.high_used());
        self.show(ComponentCount::UsedCis, |cell| {
            cell.store(self.used.load(Relaxed).max(0) as u64, Relaxed)
        });
        self.show(ComponentCount::Excps, |cell| cell.store(self.excps(), Relaxed));
    }
    /// Says anew what is so now, and not counted step by step. `high_used`: that of an index ends with its last record,
    /// not with its last CA.
    pub fn show_gauges(&self, high_used: u64) {
        let (allocated, extents) = self.allocated();
        for (counter, n) in [
            (ComponentCount::HighUsed, high_used),
            (ComponentCount::HighAllocated, allocated),
            (ComponentCount::Extents, extents.into()),
        ] {
            self.show(counter, |cell| cell.store(n, Relaxed));
        }
    }
    fn show(&self, counter: ComponentCount, count: impl FnOnce(&std::sync::atomic::AtomicU64)) {
        if let Some((cells, _)) = self.counts.get() {
            count(cells.at(counter as usize));
        }
    }
    fn count_io(&self, n: usize) {
        self.excps.fetch_add(n as u64, Relaxed);
        self.show(ComponentCount::Excps, |cell| {
            cell.fetch_add(n as u64, Relaxed);
        });
    }
    /// CIs came from the file.
    fn count_read(&self, cis: usize) {
        self.show(ComponentCount::CisRead, |cell| {
            cell.fetch_add(cis as u64, Relaxed);
        });
    }
    /// CIs went to the file.
    fn count_written(&self, cis: u64) {
        self.show(ComponentCount::CisWritten, |cell| {
            cell.fetch_add(cis, Relaxed);
        });
    }
    /// A read of a CI. Of every sixteenth the time is taken: to ask for it costs a tenth of a read.
    fn timed<T>(&self, read: impl FnOnce() -> T) -> T {
        let Some((cells, clock)) = self.counts.get().filter(|_| self.excps() % 16 == 0) else {
            return read();
        };
        let begun = clock.passed();
        let came = read();
        let took = clock.passed().saturating_sub(begun).as_nanos();
        cells.at(ComponentCount::TimedIos as usize).fetch_add(1, Relaxed);
        cells
            .at(ComponentCount::IoNanoseconds as usize)
            .fetch_add(took as u64, Relaxed);
        came
    }
    pub(crate) fn pool_full(&self) -> RequestError {
        RequestError::NoSpace {
            why: format!(
                "the buffer pool of {} bytes has no frame left for {}: raise CICA_POOL",
                self.pool.limit(),
                self.name
            ),
        }
    }
    /// Why a request that began anew again and again is refused.
    pub(crate) fn stuck(&self, stuck: Stuck) -> RequestError {
        match stuck {
            Stuck::Full => self.pool_full(),
            Stuck::Rounds(rounds) => RequestError::NoSpace {
                why: format!(
                    "a request for {} began anew {rounds} times, because pages that it needs at once left the buffer pool \
                     of {} bytes: raise CICA_POOL, and tell us, because this should not be",
                    self.name,
                    self.pool.limit()
                ),
            },
        }
    }
}

fn was_closed() -> std::io::Error {
    std::io::Error::other("the data set was closed")
}

/// Bytes of a frame for a CI with as many records as those that there are have. What the definition says of their
/// lengths may be far from it, as it is where they are compressed.
fn frame_at_open(root: &Root, codec: Codec) -> usize {
    let (ci_size, used) = (root.attributes.ci_size as usize, used_at_open(root).max(1) as u64);
    let each = root.statistics.records.div_ceil(used) as usize;
    let found = Page::frame_len(ci_size, each.min(ci_size / 8) * 9 / 8 + 8);
    match codec {
        Codec::Data { .. } if root.statistics.records > 0 => found.max(codec.frame_len(ci_size)),
        _ => codec.frame_len(ci_size),
    }
}

fn used_at_open(root: &Root) -> i64 {
    let used = root.high_allocated.saturating_sub(root.statistics.free_space);
    if root.ca_count == 0 {
        0
    } else {
        (used / root.attributes.ci_size as u64) as i64
    }
}
