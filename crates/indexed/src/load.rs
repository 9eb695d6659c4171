//! QISAM load: PUT of records in the order of their keys.
//!
//! 1. With R + 1 buffers or more, R being the blocks of a track, a track is written by one program; with fewer each
//!    block by one of its own.
//! 2. A cylinder begins with its overflow control record; a shared track has its index preformatted, as blocks are
//!    written behind it before it is known. It ends with the end of its track index and its entry in the cylinder
//!    index.
//! 3. The entries of a track are written with its last block, or with OPTCD=U those of a cylinder together.
//! 4. A close writes inactive entries for the tracks that have no records.

use crate::block::block_of;
use crate::device::{Device, StepKind};
use crate::entry::{Address, Entry, EntryKind};
use crate::geometry::{Area, Geometry, COCR};
use crate::label::Label;
use crate::{ChannelProgram, IsamError, Organization};
use cica_disk::{Create, Disk, Lock, Open};
use std::path::Path;

/// Index entries that a program preformats: the loads of 1979 made three programs of 35.
const PREFORMAT_CHAIN: usize = 12;

/// How a load is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// BUFNO.
    pub buffers: u32,
    /// OPTCD=U: the entries of a cylinder's track index are written together.
    pub full_track_index: bool,
    /// OPTCD=W: what was written is read again and compared.
    pub write_check: bool,
}

impl Default for LoadOptions {
    /// What MVS took where nothing was said.
    fn default() -> LoadOptions {
        LoadOptions {
            buffers: 5,
            full_track_index: false,
            write_check: false,
        }
    }
}

/// A load under way.
#[derive(Debug)]
pub struct Load {
    device: Device,
    label: Label,
    options: LoadOptions,
    /// Records of the block that is being filled.
    block: Vec<u8>,
    /// Blocks of the track that are not written.
    waiting: Vec<Vec<u8>>,
    /// Blocks of the track so far, written or not.
    blocks: u32,
    /// Data tracks of the cylinder that are full.
    tracks: u32,
    /// Entries that wait for the end of the cylinder (OPTCD=U).
    entries: Vec<Vec<u8>>,
    last_key: Vec<u8>,
}

impl Load {
    /// Makes the file, or takes the place of what it had.
    ///
    /// # Errors
    /// The device has no room for such a data set, or the file cannot be made.
    pub fn create(disk: &dyn Disk, path: &Path, of: Organization, options: LoadOptions) -> Result<Load, IsamError> {
        let geometry = Geometry::new(of)?;
        let how = Open {
            write: true,
            create: Create::IfMissing,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        let file = disk.open(path, how)?;
        let label = Label::new(of);
        file.size(Some(0))?;
        file.size(Some(geometry.file_len()))?;
        label.write(&*file)?;
        Ok(Load {
            device: Device::new(file, geometry, options.write_check),
            label,
            options,
            block: Vec::new(),
            waiting: Vec::new(),
            blocks: 0,
            tracks: 0,
            entries: Vec::new(),
            last_key: Vec::new(),
        })
    }

    /// PUT: the next record.
    ///
    /// # Errors
    /// Its length, its key, no room, or the file.
    pub fn put(&mut self, record: &[u8]) -> Result<(), IsamError> {
        let geometry = self.device.geometry;
        let wanted = usize::from(geometry.of.lrecl);
        if record.len() != wanted {
            let got = record.len();
            return Err(IsamError::Length { got, wanted });
        }
        let key = geometry.key(record);
        if self.label.records > 0 && key <= &self.last_key[..] {
            return Err(IsamError::OutOfOrder);
        }
        let begins = self.label.cylinders == 0 || self.tracks == geometry.data_tracks;
        if begins && self.block.is_empty() {
            if self.label.cylinders == u32::from(geometry.of.prime_cylinders) {
                return Err(IsamError::PrimeFull);
            }
            self.begin_cylinder()?;
        }
        self.last_key = key.to_vec();
        self.block.extend(record);
        self.label.records += 1;
        if self.block.len() == geometry.of.block_size() {
            self.end_block()?;
        }
        Ok(())
    }

    /// Closes; the programs that were made, in order.
    ///
    /// # Errors
    /// The file.
    pub fn close(mut self) -> Result<Vec<ChannelProgram>, IsamError> {
        let geometry = self.device.geometry;
        if !self.block.is_empty() {
            self.end_block()?;
        }
        if self.blocks > 0 {
            self.end_track()?;
        }
        if self.label.cylinders > 0 && self.tracks < geometry.data_tracks {
            self.write_entries()?;
            self.label.last_tracks = self.tracks;
            let inactive = Entry::inactive(&geometry).encode();
            for n in 2 * self.tracks..2 * geometry.data_tracks {
                self.index(n, std::slice::from_ref(&inactive))?;
            }
            self.end_cylinder()?;
        }
        self.device.file().sync()?;
        self.label.is_loaded = true;
        self.label.write(self.device.file())?;
        self.device.file().sync()?;
        Ok(self.device.programs)
    }

    fn cylinder(&self) -> u32 {
        self.label.cylinders
    }

    fn begin_cylinder(&mut self) -> Result<(), IsamError> {
        self.label.cylinders += 1;
        self.tracks = 0;
        let place = (self.cylinder(), 0);
        self.device.begin(true);
        let control = [vec![0; COCR]];
        self.device.write(StepKind::Update, place, Area::Control, &control)?;
        self.device.check(false, place, Area::Control, &control)?;
        if self.device.geometry.shared > 0 {
            let entries =
                vec![Entry::inactive(&self.device.geometry).encode(); self.device.geometry.entries() as usize];
            for (n, chain) in entries.chunks(PREFORMAT_CHAIN).enumerate() {
                self.index((n * PREFORMAT_CHAIN) as u32, chain)?;
            }
        }
        Ok(())
    }

    /// Writes entries of the track index by a program of their own.
    fn index(&mut self, first: u32, entries: &[Vec<u8>]) -> Result<(), IsamError> {
        let (place, area) = ((self.cylinder(), 0), Area::Index(first));
        self.device.begin(true);
        self.device.write(StepKind::Format, place, area, entries)?;
        self.device.check(true, place, area, entries)
    }

    fn end_block(&mut self) -> Result<(), IsamError> {
        let geometry = self.device.geometry;
        let block = block_of(&geometry, &self.block);
        self.block.clear();
        self.waiting.push(block);
        self.blocks += 1;
        if self.blocks == geometry.blocks_of(self.tracks) {
            self.end_track()
        } else if self.options.buffers > geometry.per_track {
            Ok(())
        } else {
            self.write_blocks()
        }
    }

    fn write_blocks(&mut self) -> Result<(), IsamError> {
        let blocks = std::mem::take(&mut self.waiting);
        let place = (self.cylinder(), self.device.geometry.track(self.tracks));
        let area = Area::Block(self.blocks - blocks.len() as u32);
        self.device.begin(true);
        self.device.write(StepKind::Format, place, area, &blocks)?;
        self.device.check(false, place, area, &blocks)
    }

    /// Writes what waits of a track, and its entries; and after the last track those of the cylinder.
    fn end_track(&mut self) -> Result<(), IsamError> {
        let geometry = self.device.geometry;
        // A program is only made for blocks: a short track whose blocks are written has none.
        if !self.waiting.is_empty() {
            self.write_blocks()?;
        }
        let address = Address {
            cylinder: self.cylinder() as u16,
            track: geometry.track(self.tracks) as u16,
            record: 0,
        };
        let pair = [EntryKind::Normal, EntryKind::Overflow].map(|kind| Entry {
            key: self.last_key.clone(),
            kind,
            address,
        });
        let pair = pair.map(|entry| entry.encode());
        if self.options.full_track_index {
            self.entries.extend(pair);
        } else {
            let (place, area) = ((self.cylinder(), 0), Area::Index(2 * self.tracks));
            self.device.write(StepKind::Update, place, area, &pair)?;
            self.device.check(false, place, area, &pair)?;
        }
        self.tracks += 1;
        self.label.last_tracks = self.tracks;
        self.label.last_blocks = std::mem::take(&mut self.blocks);
        if self.tracks == geometry.data_tracks {
            self.write_entries()?;
            self.end_cylinder()?;
        }
        Ok(())
    }

    /// Those that wait (OPTCD=U).
    fn write_entries(&mut self) -> Result<(), IsamError> {
        let entries = std::mem::take(&mut self.entries);
        if entries.is_empty() {
            return Ok(());
        }
        let place = (self.cylinder(), 0);
        self.device.begin(true);
        self.device.write(StepKind::Update, place, Area::Index(0), &entries)?;
        self.device.check(false, place, Area::Index(0), &entries)
    }

    /// The end of the track index goes with the program before; the entry of the cylinder has its own.
    fn end_cylinder(&mut self) -> Result<(), IsamError> {
        let geometry = self.device.geometry;
        let cylinder = self.cylinder();
        let end = [Entry::inactive(&geometry).encode()];
        let area = Area::Index(geometry.entries() - 1);
        self.device.write(StepKind::Update, (cylinder, 0), area, &end)?;
        let entry = Entry {
            key: self.last_key.clone(),
            kind: EntryKind::Normal,
            address: Address {
                cylinder: cylinder as u16,
                ..Address::default()
            },
        };
        let (place, area) = geometry.cylinder_entry(cylinder);
        let entry = [entry.encode()];
        self.device.begin(true);
        self.device.write(StepKind::Format, place, area, &entry)?;
        self.device.check(true, place, area, &entry)
    }
}
