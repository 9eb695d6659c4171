//! QISAM scan: records in order, through blocks and overflow chains (SETL, GET, PUTX).
//!
//! 1. With twice R + 1 buffers or more, R being the blocks of a track, a track is read by one program; with fewer each
//!    block by one of its own.
//! 2. The entries of a track are read with its first blocks, to know of its chain. At the beginning of a cylinder,
//!    where blocks are chained behind the index on a shared track, a program of its own reads the index. (The counts of
//!    1979 say so: one for each cylinder, and none without sharing.)
//! 3. Each record of an overflow chain is read by a program of its own: where the next one is, only it tells.
//! 4. A block is written when it is left, if a record of it was changed.

use crate::block::records_of;
use crate::device::StepKind;
use crate::entry::{Address, Entry};
use crate::geometry::{Area, LINK};
use crate::indexed::Indexed;
use crate::spot::Spot;
use crate::IsamError;
use std::collections::VecDeque;

/// Where a scan begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start<'k> {
    /// SETL B: with the first record.
    First,
    /// SETL K: with the first record whose key is at or above this.
    AtOrAbove(&'k [u8]),
}

/// A scan under way.
#[derive(Debug)]
pub struct Scan<'d> {
    set: &'d mut Indexed,
    is_chained: bool,
    cylinder: u32,
    pairs: Vec<(Entry, Entry)>,
    /// Data track of the cylinder, and the block of it that is read next.
    nth: u32,
    block: u32,
    /// Blocks that were read, or an overflow record.
    read: VecDeque<Spot>,
    /// The record of the first of them that comes next.
    record: usize,
    /// The chain that is followed.
    chain: Option<Address>,
    /// The first of `read` has to be written.
    is_changed: bool,
    /// Records of the chain; there cannot be more than the file has.
    followed: u64,
    /// A program was begun and nothing was read by it.
    is_begun: bool,
}

impl Indexed {
    /// SETL: records in order, with so many buffers.
    ///
    /// # Errors
    /// The file.
    pub fn scan(&mut self, start: Start<'_>, buffers: u32) -> Result<Scan<'_>, IsamError> {
        Scan::begin(self, start, buffers)
    }
}

impl<'d> Scan<'d> {
    pub(crate) fn begin(set: &'d mut Indexed, start: Start<'_>, buffers: u32) -> Result<Scan<'d>, IsamError> {
        let is_chained = buffers >= 2 * (set.device.geometry.per_track + 1);
        let mut scan = Scan {
            set,
            is_chained,
            cylinder: 0,
            pairs: Vec::new(),
            nth: 0,
            block: 0,
            read: VecDeque::new(),
            record: 0,
            chain: None,
            is_changed: false,
            followed: 0,
            is_begun: false,
        };
        if let Start::AtOrAbove(key) = start {
            scan.position(key)?;
        }
        Ok(scan)
    }

    /// Goes to the track of a key, and past what is below it.
    fn position(&mut self, key: &[u8]) -> Result<(), IsamError> {
        if self.set.label.cylinders == 0 {
            return Ok(());
        }
        let geometry = self.set.device.geometry;
        let way = self.set.way(key)?;
        self.pairs = self.set.track_index(way.cylinder, Some(key))?;
        (self.cylinder, self.nth) = (way.cylinder, way.nth);
        loop {
            let at_or_above = self.peek()?.is_none_or(|record| geometry.key(record) >= key);
            if at_or_above {
                return Ok(());
            }
            self.record += 1;
        }
    }

    /// GET: the next record; `None` after the last.
    ///
    /// # Errors
    /// The file.
    pub fn get(&mut self) -> Result<Option<Vec<u8>>, IsamError> {
        let record = self.peek()?.map(<[u8]>::to_vec);
        if record.is_some() {
            self.record += 1;
        }
        Ok(record)
    }

    /// PUTX: the record that the last GET gave, changed.
    ///
    /// # Errors
    /// None was got, it has another length or key, the data set is open for reading, or the file.
    pub fn put(&mut self, record: &[u8]) -> Result<(), IsamError> {
        self.set.writable()?;
        self.set.check_length(record)?;
        let geometry = self.set.device.geometry;
        let (Some(n), Some(spot)) = (self.record.checked_sub(1), self.read.front_mut()) else {
            return Err(IsamError::NoUpdate);
        };
        let at = spot.at + n * record.len();
        let old = &mut spot.stored[at..at + record.len()];
        if geometry.key(old) != geometry.key(record) {
            return Err(IsamError::KeyChanged);
        }
        old.copy_from_slice(record);
        self.is_changed = true;
        Ok(())
    }

    /// Ends the scan: what was changed is written.
    ///
    /// # Errors
    /// The file.
    pub fn end(mut self) -> Result<(), IsamError> {
        self.leave()
    }

    fn leave(&mut self) -> Result<(), IsamError> {
        if let Some(spot) = self.read.pop_front() {
            if std::mem::take(&mut self.is_changed) {
                self.set.device.begin(true);
                self.set.put(StepKind::Update, spot.place, spot.area, &[spot.stored])?;
            }
        }
        self.record = 0;
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<&[u8]>, IsamError> {
        let geometry = self.set.device.geometry;
        let lrecl = usize::from(geometry.of.lrecl);
        loop {
            let Some(spot) = self.read.front() else {
                if self.fill()? {
                    continue;
                } else {
                    return Ok(None);
                }
            };
            let count = match spot.area {
                Area::Block(_) => records_of(&geometry, &spot.stored, spot.place)?.len() / lrecl,
                _ => 1,
            };
            if self.record < count {
                break;
            }
            self.leave()?;
        }
        let spot = self.read.front();
        Ok(spot.map(|spot| &spot.stored[spot.at + self.record * lrecl..][..lrecl]))
    }

    /// Reads what comes next; false: there is nothing.
    fn fill(&mut self) -> Result<bool, IsamError> {
        let key_len = usize::from(self.set.device.geometry.of.key_len);
        if let Some(address) = self.chain.take() {
            self.followed += 1;
            if self.followed > self.set.label.records {
                return Err(IsamError::Damaged {
                    cylinder: self.cylinder,
                    track: 0,
                    what: "a chain without end",
                });
            }
            self.set.device.begin(true);
            let spot = self.set.overflow_at(address)?;
            self.follow(Address::decode(&spot.stored[key_len..key_len + LINK]));
            self.read.push_back(spot);
            return Ok(true);
        }
        if self.nth as usize == self.pairs.len() {
            if self.cylinder == self.set.label.cylinders {
                return Ok(false);
            }
            self.cylinder += 1;
            (self.nth, self.block) = (0, 0);
            self.set.device.begin(true);
            self.pairs = self.set.track_index(self.cylinder, None)?;
            self.is_begun = !(self.is_chained && self.set.device.geometry.shared > 0);
        }
        self.fill_blocks()?;
        Ok(true)
    }

    fn fill_blocks(&mut self) -> Result<(), IsamError> {
        let geometry = self.set.device.geometry;
        let all = self.set.blocks(self.cylinder, self.nth);
        let count = if self.is_chained { all - self.block } else { 1 };
        if !std::mem::take(&mut self.is_begun) {
            self.set.device.begin(true);
        }
        if self.nth > 0 && self.block == 0 {
            let index = (self.cylinder, 0);
            let pair = self.set.device.read(index, Area::Index(2 * self.nth), 2)?;
            let [normal, overflow] = [0, 1].map(|n| Entry::decode(&pair[n], self.cylinder, 0));
            self.pairs[self.nth as usize] = (normal?, overflow?);
        }
        let place = (self.cylinder, geometry.track(self.nth));
        let blocks = self.set.device.read(place, Area::Block(self.block), count)?;
        let at = 2 + usize::from(geometry.of.key_len);
        for (n, stored) in (self.block..).zip(blocks) {
            let area = Area::Block(n);
            self.read.push_back(Spot {
                place,
                area,
                stored,
                at,
            });
        }
        self.block += count;
        if self.block == all {
            let chain = self.pairs[self.nth as usize].1.address;
            self.follow(chain);
            self.nth += 1;
            self.block = 0;
        }
        Ok(())
    }

    fn follow(&mut self, link: Address) {
        self.chain = link.is_record().then_some(link);
    }
}
