//! What an open component keeps in memory besides its pages: a reference for each CA's header, the directory's entry,
//! and the lists of what changed since the last commit. All of it is charged to the pool.
//!
//! * T1. The references and the directory grow with the CAs (12 to 16 bytes each; an index has 4 more for each CI) and
//!   are charged before a CA is added.
//! * T2. The lists get a fixed share when the component is opened; a commit is due before they have filled it.

use super::directory::Directory;
use super::Component;
use crate::error::{OpenError, RequestError};
use crate::pool::Held;
use cica_format::table::{Ref, REFS};

/// Part of the pool that the lists of one component may take: 1/64, within these bounds.
const LISTS: (usize, usize) = (32 << 10, 32 << 20);
/// Bytes that an entry of the set of changed CAs takes at most, with its copy while a commit writes.
const CHANGED: usize = 16;
/// The same for an entry of the map of CAs whose newest header is not committed.
const PENDING: usize = 48;
/// What a table block costs besides its references: its own, in the roots that are kept and in those being written.
const BLOCK: usize = 64;

/// How nearly the lists have filled their share (T2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Crowded {
    No,
    /// A commit is due.
    Due,
    /// It cannot wait.
    Full,
}

impl Crowded {
    pub(super) fn of(number: u8) -> Crowded {
        match number {
            0 => Crowded::No,
            1 => Crowded::Due,
            _ => Crowded::Full,
        }
    }
}

/// The newest written header of each CA, in blocks that do not move.
#[derive(Debug, Default)]
#[allow(clippy::vec_box)] // growing must not copy what is there
pub(super) struct Refs {
    blocks: Vec<Box<[Ref; REFS]>>,
    count: u32,
}

impl Refs {
    pub fn len(&self) -> u32 {
        self.count
    }
    pub fn get(&self, ca: u32) -> Option<Ref> {
        let block = self.blocks.get(ca as usize / REFS)?;
        (ca < self.count).then(|| block[ca as usize % REFS])
    }
    pub fn set(&mut self, ca: u32, to: Ref) {
        if let Some(block) = self.blocks.get_mut(ca as usize / REFS) {
            block[ca as usize % REFS] = to;
        }
    }
    pub fn push(&mut self, new: Ref) {
        if self.count as usize == self.blocks.len() * REFS {
            self.blocks.push(Box::new([Ref::default(); REFS]));
        }
        self.count += 1;
        self.set(self.count - 1, new);
    }
    /// Those of a table block.
    pub fn of_block(&self, block: usize) -> &[Ref] {
        let end = (self.count as usize - block * REFS).min(REFS);
        &self.blocks[block][..end]
    }
    pub fn truncate(&mut self, count: u32) {
        self.count = count.min(self.count);
        self.blocks.truncate((self.count as usize).div_ceil(REFS));
    }
}

/// The charge of a component.
#[derive(Debug)]
pub(super) struct Books {
    held: Held,
    /// CAs that are charged for.
    cas: u32,
}

impl Component {
    /// Bytes of references and directories for so many CAs.
    fn bytes_for(&self, cas: u32) -> usize {
        let blocks = (cas as usize).div_ceil(REFS);
        let frames = self
            .frames
            .as_ref()
            .map_or(0, |_| cas.saturating_mul(self.layout.ci_per_ca as u32));
        blocks * (REFS * size_of::<Ref>() + BLOCK) + Directory::bytes_for(cas) + Directory::bytes_for(frames)
    }

    /// Charges what an open takes for the CAs there are, and for the lists if it may change them (T1, T2).
    pub(super) fn open_books(&self, cas: u32, changes: bool) -> Result<(), OpenError> {
        let lists = if changes { self.lists_share() } else { 0 };
        let bytes = self.bytes_for(cas) + lists;
        let held = self.pool.hold(bytes).map_err(|_| OpenError::Memory {
            path: self.path.clone(),
            what: format!(
                "its tables of {cas} control areas take {bytes} bytes, which the buffer pool of {} bytes has not left: \
                 raise CICA_POOL",
                self.pool.limit()
            ),
        })?;
        *self.books.lock() = Some(Books { held, cas });
        Ok(())
    }

    /// Charges for one more CA than there are (T1).
    pub(super) fn book_ca(&self) -> Result<(), RequestError> {
        let cas = self.ca_count() + 1;
        let mut books = self.books.lock();
        let Some(books) = &mut *books else { return Ok(()) };
        if cas > books.cas {
            let more = self.bytes_for(cas) - self.bytes_for(books.cas);
            if more > 0 {
                books.held.grow(more).map_err(|_| self.pool_full())?;
            }
            books.cas = cas;
        }
        Ok(())
    }

    fn lists_share(&self) -> usize {
        (self.pool.limit() / 64).clamp(LISTS.0, LISTS.1)
    }

    /// Notes that so many CAs are listed as changed, and so many as pending: each list may take half of the share. A
    /// commit is due when three quarters of that are filled, and cannot wait when all of it is (T2).
    pub(super) fn listed(&self, changed: usize, pending: usize) {
        let (listed, share) = ((changed * CHANGED).max(pending * PENDING), self.lists_share());
        if listed * 8 > share * 3 {
            self.set_crowded(if listed * 2 > share {
                Crowded::Full
            } else {
                Crowded::Due
            });
        }
    }
}
