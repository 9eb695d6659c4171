//! BISAM: records by key, READ K, and READ KU with WRITE K.
//!
//! 1. The search of an index ends in a program; what it leads to is another program, as its address is known only then.
//!    An appendage starts it, which SMF does not see. With the cylinder index in storage and the program in virtual
//!    storage it is an EXCP anew: the channel program has to be translated. (The counts of 1979 say so: a read is one
//!    EXCP, with the index in storage two, and with that in real storage one again.)

use crate::device::{Device, StepKind};
use crate::entry::Entry;
use crate::geometry::{Area, Geometry};
use crate::label::Label;
use crate::spot::Spot;
use crate::{ChannelProgram, IsamError};
use cica_disk::{Disk, Lock, Open};
use std::path::Path;

/// How a data set is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    /// Records may be changed and added.
    pub output: bool,
    /// APPLY CORE-INDEX: the cylinder index is read once, by the open.
    pub core_index: bool,
    /// TRACK-AREA: an insert has room for a whole track.
    pub track_area: bool,
    /// ADDRSPC=REAL.
    pub real: bool,
    /// OPTCD=W.
    pub write_check: bool,
}

/// An open data set.
#[derive(Debug)]
pub struct Indexed {
    pub(crate) device: Device,
    pub(crate) label: Label,
    pub(crate) access: Access,
    pub(crate) core: Option<Vec<Entry>>,
    /// The record that was read for update.
    held: Option<(Spot, Vec<u8>)>,
}

impl Indexed {
    /// Opens a file that was loaded.
    ///
    /// # Errors
    /// It is none, its load has no end, or it cannot be read.
    pub fn open(disk: &dyn Disk, path: &Path, access: Access) -> Result<Indexed, IsamError> {
        let lock = if access.output { Lock::Exclusive } else { Lock::Shared };
        let how = Open {
            write: access.output,
            lock,
            ..Open::default()
        };
        let file = disk.open(path, how)?;
        let label = Label::read(&*file)?;
        if !label.is_loaded {
            return Err(IsamError::Unfinished);
        }
        let geometry = Geometry::new(label.organization)?;
        let cylinders = u32::from(geometry.of.prime_cylinders);
        if label.cylinders > cylinders || label.last_tracks > geometry.data_tracks {
            return Err(IsamError::NotIndexed("its label says what cannot be"));
        }
        let mut open = Indexed {
            device: Device::new(file, geometry, access.write_check),
            label,
            access,
            core: None,
            held: None,
        };
        if access.core_index {
            let mut all = Vec::new();
            for track in 0..label.cylinders.div_ceil(geometry.entries_per_track) {
                open.device.begin(true);
                all.extend(open.cylinder_index(track, None)?);
            }
            open.core = Some(all);
        }
        Ok(open)
    }

    /// Records that it has.
    pub fn records(&self) -> u64 {
        self.label.records
    }

    /// EXCPs since the open.
    pub fn excps(&self) -> u64 {
        self.device.excps()
    }

    /// READ K: a record.
    ///
    /// # Errors
    /// There is none, or the file.
    pub fn read(&mut self, key: &[u8]) -> Result<Vec<u8>, IsamError> {
        let lrecl = usize::from(self.device.geometry.of.lrecl);
        self.find(key)
            .map(|spot| spot.stored[spot.at..spot.at + lrecl].to_vec())
    }

    /// READ KU: a record that is going to be written.
    ///
    /// # Errors
    /// As of a read; or opened for reading.
    pub fn read_for_update(&mut self, key: &[u8]) -> Result<Vec<u8>, IsamError> {
        self.writable()?;
        self.held = None;
        let lrecl = usize::from(self.device.geometry.of.lrecl);
        let spot = self.find(key)?;
        let record = spot.stored[spot.at..spot.at + lrecl].to_vec();
        self.held = Some((spot, record.clone()));
        Ok(record)
    }

    /// WRITE K: the record that was read for update.
    ///
    /// # Errors
    /// None was, it has another length or key, or the file.
    pub fn rewrite(&mut self, record: &[u8]) -> Result<(), IsamError> {
        self.check_length(record)?;
        let geometry = self.device.geometry;
        let Some((spot, old)) = &mut self.held else {
            return Err(IsamError::NoUpdate);
        };
        if geometry.key(record) != geometry.key(old) {
            return Err(IsamError::KeyChanged);
        }
        spot.stored[spot.at..spot.at + record.len()].copy_from_slice(record);
        let (place, area, stored) = (spot.place, spot.area, [std::mem::take(&mut spot.stored)]);
        self.held = None;
        self.device.begin(true);
        self.put(StepKind::Update, place, area, &stored)
    }

    /// Closes; the programs that were made, in order.
    ///
    /// # Errors
    /// The file.
    pub fn close(self) -> Result<Vec<ChannelProgram>, IsamError> {
        if self.access.output {
            self.label.write(self.device.file())?;
            self.device.file().sync()?;
        }
        Ok(self.device.programs)
    }

    pub(crate) fn writable(&self) -> Result<(), IsamError> {
        if self.access.output {
            Ok(())
        } else {
            Err(IsamError::ReadOnly)
        }
    }

    pub(crate) fn check_length(&self, record: &[u8]) -> Result<(), IsamError> {
        let (got, wanted) = (record.len(), usize::from(self.device.geometry.of.lrecl));
        if got == wanted {
            Ok(())
        } else {
            Err(IsamError::Length { got, wanted })
        }
    }

    /// Writes, and checks in the same program.
    pub(crate) fn put(
        &mut self,
        kind: StepKind,
        place: (u32, u32),
        area: Area,
        stored: &[Vec<u8>],
    ) -> Result<(), IsamError> {
        self.device.write(kind, place, area, stored)?;
        self.device.check(false, place, area, stored)
    }

    /// Goes on with a program that an appendage starts, or an EXCP.
    pub(crate) fn go_on(&mut self) {
        let is_excp = self.access.core_index && !self.access.real;
        self.device.begin(is_excp);
    }
}
