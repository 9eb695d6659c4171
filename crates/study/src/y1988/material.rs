//! What is copied: records as the source's blocks have them, in a sequential file and in entry-sequenced data sets.

use crate::records::{customer, Random};
use crate::{while_doing, Setting, StudyError};
use cica::{Esds, Store};
use cica_admin::volume::DefineVolume;
use cica_catalog::space::Unit;
use cica_catalog::Device;
use std::hash::{DefaultHasher, Hasher};

/// Records that the source copied.
pub const RECORDS: u64 = 122_000;
/// Bytes of one. The source does not say; ten of them in 4K, and what it counts of blocks of 4K and 23K comes out.
pub const RECORD: usize = 400;
/// The disks.
pub const DISK: &str = "3380";
const VOLUME: &str = "DISK88";
/// A thousand, where the source prints one behind a size.
pub const K: usize = 1024;

/// A record, and what makes the next one.
pub fn records(count: u64) -> impl Iterator<Item = Vec<u8>> {
    let mut random = Random(0x1988);
    (0..count).map(move |n| {
        let mut record = customer(&mut random, n).0;
        record.truncate(RECORD);
        record
    })
}

/// How many records, and what they come to: two files with the same have the same records in the same order.
#[derive(Debug, Default)]
pub struct Seen {
    count: u64,
    hasher: DefaultHasher,
}

impl Seen {
    /// The next one.
    pub fn record(&mut self, record: &[u8]) {
        self.count += 1;
        self.hasher.write(record);
    }

    /// What they come to.
    pub fn total(&self) -> (u64, u64) {
        (self.count, self.hasher.finish())
    }
}

/// What the records come to.
pub fn expected(count: u64) -> (u64, u64) {
    let mut seen = Seen::default();
    records(count).for_each(|record| seen.record(&record));
    seen.total()
}

/// The device.
pub fn device() -> Result<&'static Device, StudyError> {
    Device::by_name(DISK).ok_or_else(|| StudyError::Wrong(format!("there is no device {DISK}")))
}

/// A store with a volume like the source's.
pub fn store(setting: &Setting) -> Result<Store, StudyError> {
    let store = store_in(setting, "catalog")?;
    volume(&store)?;
    Ok(store)
}

/// A store in a directory of the setting's.
pub fn store_in(setting: &Setting, directory: &str) -> Result<Store, StudyError> {
    let store = Store::at(setting.directory.join(directory)).create().alone();
    store.io(setting.io).open().map_err(while_doing("making a catalog"))
}

/// Makes the volume.
pub fn volume(store: &Store) -> Result<(), StudyError> {
    let volume = DefineVolume {
        serial: VOLUME.into(),
        device: Some(DISK.into()),
        ..DefineVolume::default()
    };
    match store.admin().define_volume(&volume).condition {
        0 => Ok(()),
        code => Err(StudyError::Wrong(format!("making a volume: condition code {code}"))),
    }
}

/// Defines an ESDS with data CIs of so many K.
pub fn define(store: &Store, name: &str, k: usize) -> Result<(), StudyError> {
    define_with(store, name, Some(k))
}

/// Defines an ESDS, with data CIs of so many K where they are said, rounded up to what a CI may have. Of SPEED and
/// RECOVERY the source says nothing, so the default holds.
pub fn define_with(store: &Store, name: &str, k: Option<usize>) -> Result<(), StudyError> {
    let length = RECORD as u32;
    let definition = Esds::new(name)
        .records(length, length)
        .space(Unit::Cylinders, 100, 10)
        .volume(VOLUME);
    let definition = match k {
        Some(k) => definition.ci_size((k * K) as u32),
        None => definition,
    };
    store
        .define(definition)
        .map(drop)
        .map_err(while_doing(&format!("defining {name}")))
}
