//! BISAM: WRITE KN, a record that is added.
//!
//! 1. It goes to its place in its track. What is behind it moves up by one, from block to block, and the last record of
//!    the track goes to an overflow track, at the head of the track's chain. A key between the blocks of a track and its
//!    overflow entry goes into the chain itself.
//! 2. The record that leaves the track is written before what moves over it: the last block is read for it first.
//! 3. Without a track area each block is read and written by a program of its own; with one the track is read by one
//!    program and written by one.
//! 4. Room in overflow is looked for before anything is written (I3).

use crate::block::{block_of, records_of};
use crate::device::StepKind;
use crate::entry::{Address, Entry};
use crate::geometry::{Area, COCR, TRACKS};
use crate::indexed::Indexed;
use crate::spot::{Spot, Way};
use crate::IsamError;

/// A free place in overflow.
struct Room {
    address: Address,
    /// How many are in the overflow tracks of the cylinder then, if it is there.
    near: Option<u32>,
}

impl Indexed {
    /// WRITE KN: a new record.
    ///
    /// # Errors
    /// One has its key, there is no room, nothing was loaded, or the file.
    pub fn insert(&mut self, record: &[u8]) -> Result<(), IsamError> {
        self.writable()?;
        self.check_length(record)?;
        if self.label.cylinders == 0 {
            return Err(IsamError::Empty);
        }
        let key = self.device.geometry.key(record).to_vec();
        let way = self.way(&key)?;
        let (is_beyond, cylinder) = (way.is_beyond, way.cylinder);
        let used = self.overflow_used(cylinder)?;
        let below = key <= way.normal.key;
        // At the end of the file a track that has no chain may have room.
        if below || (is_beyond && !way.overflow.address.is_record() && self.ends_short(&way)?) {
            self.insert_in_track(way, used, &key, record)?;
        } else {
            self.insert_in_chain(way, used, &key, record)?;
        }
        if is_beyond {
            self.raise_cylinder(cylinder, &key)?;
        }
        self.label.records += 1;
        Ok(())
    }

    /// A program that follows the search.
    fn next_program(&mut self) {
        if self.access.track_area {
            self.go_on()
        } else {
            self.device.begin(true)
        }
    }

    fn ends_short(&mut self, way: &Way) -> Result<bool, IsamError> {
        self.next_program();
        let last = self
            .block_at(way, self.blocks(way.cylinder, way.nth) - 1, 1)?
            .swap_remove(0);
        Ok(last.len() < self.device.geometry.of.block_size())
    }

    /// The records of so many blocks of a track.
    fn block_at(&mut self, way: &Way, first: u32, count: u32) -> Result<Vec<Vec<u8>>, IsamError> {
        let geometry = self.device.geometry;
        let place = (way.cylinder, geometry.track(way.nth));
        let blocks = self.device.read(place, Area::Block(first), count)?;
        let records = |block: &Vec<u8>| Ok(records_of(&geometry, block, place)?.to_vec());
        blocks.iter().map(records).collect()
    }

    fn insert_in_track(&mut self, mut way: Way, used: u32, key: &[u8], record: &[u8]) -> Result<(), IsamError> {
        let geometry = self.device.geometry;
        let (lrecl, full) = (usize::from(geometry.of.lrecl), geometry.of.block_size());
        let place = (way.cylinder, geometry.track(way.nth));
        let count = self.blocks(way.cylinder, way.nth);
        let last = count - 1;
        self.next_program();
        let (first, mut blocks) = if self.access.track_area {
            let blocks = self.block_at(&way, 0, count)?;
            let ends_at_or_above = |block: &Vec<u8>| geometry.key(&block[block.len() - lrecl..]) >= key;
            let first = blocks.iter().position(ends_at_or_above).map_or(last, |n| n as u32);
            (first, blocks[first as usize..].to_vec())
        } else {
            let Spot { area, stored, .. } = self.block_for(&way, key)?;
            let Area::Block(first) = area else {
                return Err(IsamError::NotFound);
            };
            let mut blocks = vec![records_of(&geometry, &stored, place)?.to_vec()];
            if first < last {
                self.device.begin(true);
                blocks.extend(self.block_at(&way, last, 1)?);
            }
            (first, blocks)
        };
        let n = blocks[0].chunks(lrecl).position(|old| geometry.key(old) >= key);
        let at = n.map_or(blocks[0].len(), |n| n * lrecl);
        if blocks[0]
            .get(at..at + lrecl)
            .is_some_and(|old| geometry.key(old) == key)
        {
            return Err(IsamError::Duplicate);
        }
        let ending = &blocks[blocks.len() - 1];
        let room = if ending.len() == full {
            Some(self.room(way.cylinder, used)?)
        } else {
            None
        };
        if let Some(room) = &room {
            let leaves = ending[full - lrecl..].to_vec();
            self.device.begin(true);
            self.write_overflow(room.address, way.overflow.address, &leaves)?;
            way.overflow.address = room.address;
        }
        let mut carried = record.to_vec();
        if self.access.track_area {
            let mut at = at;
            for block in &mut blocks {
                carried = moved(block, at, &carried, full);
                at = 0;
            }
            let stored: Vec<_> = blocks.iter().map(|block| block_of(&geometry, block)).collect();
            self.device.begin(true);
            self.put(StepKind::Update, place, Area::Block(first), &stored)?;
        } else {
            let mut block = blocks.swap_remove(0);
            let mut at = at;
            for n in first..=last {
                if n > first {
                    self.device.begin(true);
                    block = self.block_at(&way, n, 1)?.swap_remove(0);
                }
                carried = moved(&mut block, at, &carried, full);
                at = 0;
                self.device.begin(true);
                self.put(StepKind::Update, place, Area::Block(n), &[block_of(&geometry, &block)])?;
            }
            blocks = vec![block];
        }
        if let Some(block) = blocks.last() {
            way.normal.key = geometry.key(&block[block.len() - lrecl..]).to_vec();
        }
        self.write_index(way, key, room)
    }

    fn insert_in_chain(&mut self, mut way: Way, used: u32, key: &[u8], record: &[u8]) -> Result<(), IsamError> {
        let key_len = key.len();
        let mut before: Option<Spot> = None;
        let mut next = way.overflow.address;
        let mut steps = 0;
        while next.is_record() {
            self.next_program();
            let spot = self.overflow_at(next)?;
            match spot.stored[..key_len].cmp(key) {
                std::cmp::Ordering::Equal => return Err(IsamError::Duplicate),
                std::cmp::Ordering::Greater => break,
                std::cmp::Ordering::Less => next = Address::decode(&spot.stored[key_len..spot.at]),
            }
            before = Some(spot);
            steps += 1;
            if steps > self.label.records {
                return Err(IsamError::Damaged {
                    cylinder: way.cylinder,
                    track: 0,
                    what: "a chain without end",
                });
            }
        }
        let room = self.room(way.cylinder, used)?;
        self.device.begin(true);
        self.write_overflow(room.address, next, record)?;
        match before {
            None => way.overflow.address = room.address,
            Some(mut spot) => {
                spot.stored[key_len..spot.at].copy_from_slice(&room.address.encode());
                self.device.begin(true);
                self.put(StepKind::Update, spot.place, spot.area, &[spot.stored])?;
            }
        }
        self.write_index(way, key, Some(room))
    }

    /// Where the next overflow record of a cylinder goes.
    fn room(&self, cylinder: u32, used: u32) -> Result<Room, IsamError> {
        let geometry = &self.device.geometry;
        let (near, far) = (used, self.label.independent);
        let each = geometry.overflow_per_track;
        let is_near = near < geometry.cylinder_overflow();
        if !is_near && far >= geometry.independent_overflow() {
            return Err(IsamError::OverflowFull { cylinder });
        }
        let (to, track, n) = if is_near {
            let first = TRACKS - u32::from(geometry.of.overflow_tracks);
            (cylinder, first + near / each, near)
        } else {
            let first = 1 + u32::from(geometry.of.prime_cylinders);
            (first + far / each / TRACKS, far / each % TRACKS, far)
        };
        let address = Address {
            cylinder: to as u16,
            track: track as u16,
            record: (n % each + 1) as u8,
        };
        Ok(Room {
            address,
            near: is_near.then_some(near + 1),
        })
    }

    fn write_overflow(&mut self, to: Address, link: Address, record: &[u8]) -> Result<(), IsamError> {
        let mut stored = self.device.geometry.key(record).to_vec();
        stored.extend(link.encode());
        stored.extend(record);
        let place = (u32::from(to.cylinder), u32::from(to.track));
        let area = Area::Overflow(u32::from(to.record) - 1);
        self.put(StepKind::Format, place, area, &[stored])
    }

    /// Writes the entries of a track, and that a place in overflow is taken.
    fn write_index(&mut self, mut way: Way, key: &[u8], taken: Option<Room>) -> Result<(), IsamError> {
        if way.is_beyond {
            way.overflow.key = key.to_vec();
        }
        let place = (way.cylinder, 0);
        self.next_program();
        match taken {
            Some(Room { near: Some(near), .. }) => {
                let mut control = vec![0; COCR];
                control[..4].copy_from_slice(&near.to_be_bytes());
                self.put(StepKind::Update, place, Area::Control, &[control])?;
            }
            Some(Room { near: None, .. }) => self.label.independent += 1,
            None => {}
        }
        let pair = [&way.normal, &way.overflow].map(Entry::encode);
        self.put(StepKind::Update, place, Area::Index(2 * way.nth), &pair)
    }
}

/// Puts a record into a block at a byte of it; what has no room any more comes back, or nothing.
fn moved(block: &mut Vec<u8>, at: usize, record: &[u8], full: usize) -> Vec<u8> {
    block.splice(at..at, record.iter().copied());
    block.split_off(block.len().min(full))
}
