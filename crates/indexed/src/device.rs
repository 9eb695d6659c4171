//! Channel programs: each step is a read or write of the file, and each program is traced.
//!
//! 1. A step reads or writes records that stand one behind the other on a track, with one request to the file.
//! 2. A program that is started by an EXCP is counted. One that an appendage starts when another ends was not seen by
//!    SMF; it is traced and not counted.
//! 3. What is read has the checksum that was written at this place.

use crate::geometry::{Area, Geometry, SUM};
use crate::IsamError;
use cica_disk::{File, ReadAt, WriteAt};

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Looks for a key on a track.
    Search,
    /// Reads.
    Read,
    /// Writes over records that are there.
    Update,
    /// Writes records and what describes them, and erases the rest of the track.
    Format,
    /// Reads again what was written.
    Check,
}

/// A step of a channel program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramStep {
    /// What it does.
    pub kind: StepKind,
    /// Cylinder; the cylinder index is on 0.
    pub cylinder: u32,
    /// Track of the cylinder.
    pub track: u32,
    /// Byte of the track at which it begins; see [`TRACK_BYTES`](crate::TRACK_BYTES).
    pub angle: usize,
    /// Bytes of the track that go by.
    pub bytes: usize,
}

/// A channel program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelProgram {
    /// Whether an EXCP started it, so that SMF counted it.
    pub is_excp: bool,
    /// What it does, in this order.
    pub steps: Vec<ProgramStep>,
}

/// The file, as a device.
#[derive(Debug)]
pub(crate) struct Device {
    file: Box<dyn File>,
    pub geometry: Geometry,
    write_check: bool,
    pub programs: Vec<ChannelProgram>,
}

impl Device {
    pub fn new(file: Box<dyn File>, geometry: Geometry, write_check: bool) -> Device {
        Device {
            file,
            geometry,
            write_check,
            programs: Vec::new(),
        }
    }

    pub fn file(&self) -> &dyn File {
        &*self.file
    }

    /// The steps that follow are a program of their own.
    pub fn begin(&mut self, is_excp: bool) {
        let steps = Vec::new();
        self.programs.push(ChannelProgram { is_excp, steps });
    }

    /// Programs that an EXCP started.
    pub fn excps(&self) -> u64 {
        self.programs.iter().filter(|program| program.is_excp).count() as u64
    }

    fn step(&mut self, kind: StepKind, (cylinder, track): (u32, u32), angle: usize, bytes: usize) {
        if let Some(program) = self.programs.last_mut() {
            program.steps.push(ProgramStep {
                kind,
                cylinder,
                track,
                angle,
                bytes,
            });
        }
    }

    /// Reads `count` records.
    pub fn read(&mut self, place: (u32, u32), area: Area, count: u32) -> Result<Vec<Vec<u8>>, IsamError> {
        let slot = self.geometry.slot(place.0, place.1, area);
        self.step(StepKind::Read, place, slot.angle, slot.physical * count as usize);
        self.fetch(place, area, count)
    }

    /// Reads the index entries of a track, as a search for the first that is `wanted`.
    pub fn search(
        &mut self,
        place: (u32, u32),
        count: u32,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<Vec<u8>>, IsamError> {
        let entries = self.fetch(place, Area::Index(0), count)?;
        let found = entries.iter().position(|entry| wanted(entry));
        let found = found.unwrap_or(entries.len().saturating_sub(1)) as u32;
        let slot = self.geometry.slot(place.0, place.1, Area::Index(found));
        self.step(StepKind::Search, place, slot.angle, slot.physical);
        Ok(entries)
    }

    /// The first of the blocks of a track that is `wanted`. The search is a part of the program that reads it.
    pub fn search_blocks(
        &self,
        place: (u32, u32),
        count: u32,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<u32>, IsamError> {
        let blocks = self.fetch(place, Area::Block(0), count)?;
        Ok(blocks.iter().position(|block| wanted(block)).map(|n| n as u32))
    }

    /// The records at a place, checked.
    fn fetch(&self, (cylinder, track): (u32, u32), area: Area, count: u32) -> Result<Vec<Vec<u8>>, IsamError> {
        let slot = self.geometry.slot(cylinder, track, area);
        let mut bytes = vec![0; slot.len * count as usize];
        let mut batch = [ReadAt {
            at: slot.at,
            buf: &mut bytes,
            got: 0,
        }];
        self.file.read(&mut batch)?;
        let damaged = |what| IsamError::Damaged { cylinder, track, what };
        if batch[0].got < slot.len * count as usize {
            return Err(damaged("the file ends before it"));
        }
        let records = bytes.chunks(slot.len).enumerate().map(|(n, record)| {
            let at = slot.at + (n * slot.len) as u64;
            let (sum, payload) = record.split_at(SUM);
            if sum == checksum(at, payload) {
                Ok(payload.to_vec())
            } else {
                Err(damaged("a record with another checksum"))
            }
        });
        records.collect()
    }

    /// Writes records one behind the other.
    pub fn write(
        &mut self,
        kind: StepKind,
        place: (u32, u32),
        area: Area,
        records: &[Vec<u8>],
    ) -> Result<(), IsamError> {
        let slot = self.geometry.slot(place.0, place.1, area);
        let mut bytes = Vec::with_capacity(slot.len * records.len());
        for record in records {
            let at = slot.at + bytes.len() as u64;
            bytes.extend(checksum(at, record));
            bytes.extend(record);
        }
        self.step(kind, place, slot.angle, slot.physical * records.len());
        self.file.write(&[WriteAt {
            at: slot.at,
            buf: &bytes,
        }])?;
        Ok(())
    }

    /// Reads back what a write wrote, if writes are checked, in the same program or one of its own.
    pub fn check(&mut self, apart: bool, place: (u32, u32), area: Area, records: &[Vec<u8>]) -> Result<(), IsamError> {
        if !self.write_check {
            return Ok(());
        }
        if apart {
            self.begin(true);
        }
        let slot = self.geometry.slot(place.0, place.1, area);
        self.step(StepKind::Check, place, slot.angle, slot.physical * records.len());
        if self.fetch(place, area, records.len() as u32)? == records {
            Ok(())
        } else {
            Err(IsamError::Damaged {
                cylinder: place.0,
                track: place.1,
                what: "what was written reads otherwise",
            })
        }
    }
}

fn checksum(at: u64, payload: &[u8]) -> [u8; SUM] {
    crc32c::crc32c_append(crc32c::crc32c(&at.to_be_bytes()), payload).to_be_bytes()
}
