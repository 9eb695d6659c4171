//! The way to a record: cylinder index, track index, block or overflow chain.

use crate::block::records_of;
use crate::device::StepKind;
use crate::entry::{Address, Entry, EntryKind};
use crate::geometry::{Area, LINK, TRACKS};
use crate::indexed::Indexed;
use crate::spot::{Spot, Way};
use crate::IsamError;

impl Indexed {
    pub(crate) fn cylinder_index(&mut self, track: u32, key: Option<&[u8]>) -> Result<Vec<Entry>, IsamError> {
        let each = self.device.geometry.entries_per_track;
        let count = (self.label.cylinders - track * each).min(each);
        let key_len = usize::from(self.device.geometry.of.key_len);
        let entries = match key {
            Some(key) => self
                .device
                .search((0, track + 1), count, |entry| &entry[..key_len] >= key)?,
            None => self.device.read((0, track + 1), Area::Index(0), count)?,
        };
        entries.iter().map(|entry| Entry::decode(entry, 0, track + 1)).collect()
    }

    /// Looks for the track of a key, beginning with a program that an EXCP starts.
    pub(crate) fn way(&mut self, key: &[u8]) -> Result<Way, IsamError> {
        let (got, wanted) = (key.len(), usize::from(self.device.geometry.of.key_len));
        if got != wanted {
            return Err(IsamError::KeyLength { got, wanted });
        }
        if self.label.cylinders == 0 {
            return Err(IsamError::NotFound);
        }
        self.device.begin(true);
        let mut found = None;
        if let Some(core) = &self.core {
            found = core.iter().position(|entry| &entry.key[..] >= key);
        } else {
            let each = self.device.geometry.entries_per_track;
            for track in 0..self.label.cylinders.div_ceil(each) {
                let entries = self.cylinder_index(track, Some(key))?;
                if let Some(n) = entries.iter().position(|entry| &entry.key[..] >= key) {
                    found = Some(n + (track * each) as usize);
                    break;
                }
            }
            // The track index is on another cylinder: an appendage starts its search.
            self.device.begin(false);
        }
        let cylinder = found.map_or(self.label.cylinders, |n| n as u32 + 1);
        let pairs = self.track_index(cylinder, Some(key))?;
        let within = pairs.iter().position(|(_, overflow)| &overflow.key[..] >= key);
        let nth = within.unwrap_or(pairs.len() - 1);
        let (normal, overflow) = pairs[nth].clone();
        Ok(Way {
            cylinder,
            nth: nth as u32,
            normal,
            overflow,
            is_beyond: within.is_none(),
        })
    }

    /// The active pairs of a track index.
    pub(crate) fn track_index(&mut self, cylinder: u32, key: Option<&[u8]>) -> Result<Vec<(Entry, Entry)>, IsamError> {
        let (geometry, place) = (self.device.geometry, (cylinder, 0));
        let damaged = |what| IsamError::Damaged {
            cylinder,
            track: 0,
            what,
        };
        let key_len = usize::from(geometry.of.key_len);
        let wanted = |entry: &[u8]| key.is_none_or(|key| &entry[..key_len] >= key);
        let entries = self.device.search(place, geometry.entries(), wanted)?;
        let mut pairs = Vec::new();
        for pair in entries.chunks_exact(2) {
            let (normal, overflow) = (
                Entry::decode(&pair[0], cylinder, 0)?,
                Entry::decode(&pair[1], cylinder, 0)?,
            );
            match (normal.kind, overflow.kind) {
                (EntryKind::Normal, EntryKind::Overflow) => pairs.push((normal, overflow)),
                (EntryKind::Inactive, EntryKind::Inactive) => break,
                _ => return Err(damaged("a track index with entries in no order")),
            }
        }
        if pairs.is_empty() {
            Err(damaged("a cylinder without an index"))
        } else {
            Ok(pairs)
        }
    }

    /// How many records the overflow tracks of a cylinder have, by its control record.
    pub(crate) fn overflow_used(&mut self, cylinder: u32) -> Result<u32, IsamError> {
        let control = self.device.read((cylinder, 0), Area::Control, 1)?;
        let used = control[0]
            .iter()
            .take(4)
            .fold(0, |used, byte| used << 8 | u32::from(*byte));
        if used <= self.device.geometry.cylinder_overflow() {
            Ok(used)
        } else {
            Err(IsamError::Damaged {
                cylinder,
                track: 0,
                what: "more records in overflow than there is room for",
            })
        }
    }

    /// Blocks that a track has.
    pub(crate) fn blocks(&self, cylinder: u32, nth: u32) -> u32 {
        if cylinder == self.label.cylinders && nth + 1 == self.label.last_tracks {
            self.label.last_blocks
        } else {
            self.device.geometry.blocks_of(nth)
        }
    }

    /// The overflow record at an address.
    pub(crate) fn overflow_at(&mut self, address: Address) -> Result<Spot, IsamError> {
        let geometry = self.device.geometry;
        let place = (u32::from(address.cylinder), u32::from(address.track));
        let cylinders = geometry.file_len() / geometry.slot(1, 0, Area::Control).at;
        let known = u64::from(place.0) < cylinders && place.1 < TRACKS && address.is_record();
        if !known || u32::from(address.record) > geometry.overflow_per_track {
            return Err(IsamError::Damaged {
                cylinder: place.0,
                track: place.1,
                what: "a chain that leads nowhere",
            });
        }
        let area = Area::Overflow(u32::from(address.record) - 1);
        let stored = self.device.read(place, area, 1)?.swap_remove(0);
        let at = usize::from(geometry.of.key_len) + LINK;
        Ok(Spot {
            place,
            area,
            stored,
            at,
        })
    }

    /// The record with a key.
    pub(crate) fn find(&mut self, key: &[u8]) -> Result<Spot, IsamError> {
        let geometry = self.device.geometry;
        let (lrecl, key_len) = (usize::from(geometry.of.lrecl), usize::from(geometry.of.key_len));
        let way = self.way(key)?;
        if way.is_beyond {
            return Err(IsamError::NotFound);
        }
        self.go_on();
        if key <= &way.normal.key[..] {
            let spot = self.block_for(&way, key)?;
            let records = records_of(&geometry, &spot.stored, spot.place)?;
            let found = records.chunks(lrecl).position(|record| geometry.key(record) == key);
            let n = found.ok_or(IsamError::NotFound)?;
            let at = spot.at + n * lrecl;
            return Ok(Spot { at, ..spot });
        }
        let mut address = way.overflow.address;
        for _ in 0..=self.label.records {
            if !address.is_record() {
                return Err(IsamError::NotFound);
            }
            let spot = self.overflow_at(address)?;
            match spot.stored[..key_len].cmp(key) {
                std::cmp::Ordering::Equal => return Ok(spot),
                std::cmp::Ordering::Greater => return Err(IsamError::NotFound),
                std::cmp::Ordering::Less => address = Address::decode(&spot.stored[key_len..spot.at]),
            }
        }
        Err(IsamError::Damaged {
            cylinder: way.cylinder,
            track: 0,
            what: "a chain without end",
        })
    }

    /// The block of a track in which a key is, or would be: the first whose key is not below it.
    pub(crate) fn block_for(&mut self, way: &Way, key: &[u8]) -> Result<Spot, IsamError> {
        let geometry = self.device.geometry;
        let place = (way.cylinder, geometry.track(way.nth));
        let key_len = usize::from(geometry.of.key_len);
        let count = self.blocks(way.cylinder, way.nth);
        let n = self
            .device
            .search_blocks(place, count, |block| &block[2..2 + key_len] >= key)?;
        let area = Area::Block(n.unwrap_or(count - 1));
        let stored = self.device.read(place, area, 1)?.swap_remove(0);
        let at = 2 + key_len;
        Ok(Spot {
            place,
            area,
            stored,
            at,
        })
    }

    /// Writes the entry of a cylinder in the cylinder index, in storage too.
    pub(crate) fn raise_cylinder(&mut self, cylinder: u32, key: &[u8]) -> Result<(), IsamError> {
        let entry = Entry {
            key: key.to_vec(),
            kind: EntryKind::Normal,
            address: Address {
                cylinder: cylinder as u16,
                ..Address::default()
            },
        };
        let (place, area) = self.device.geometry.cylinder_entry(cylinder);
        self.device.begin(true);
        self.put(StepKind::Update, place, area, &[entry.encode()])?;
        if let Some(core) = &mut self.core {
            core[cylinder as usize - 1] = entry;
        }
        Ok(())
    }
}
