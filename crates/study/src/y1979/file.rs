//! The file of the study: 86,763 records of 200 bytes with a key of eight digits, in CIs and control areas as the study
//! had them on its disks.

use crate::{while_doing, Setting, StudyError};
use cica::{DataSet, Ksds, OpenOptions, Store};
use cica_admin::stated::Stated;
use cica_admin::volume::DefineVolume;
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use cica_engine::Buffering;

/// Records of the file.
pub const RECORDS: u64 = 86_763;
/// Keys are so far apart.
pub const GAP: u64 = 100;
/// Where the key is in a record.
pub const KEY: std::ops::Range<usize> = 1..9;

/// How a run defines its data set.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Data CISZ.
    pub ci_size: u32,
    /// RECOVERY, not SPEED.
    pub recovery: bool,
    /// WRITECHECK.
    pub write_check: bool,
    /// FREESPACE.
    pub free_space: FreeSpace,
    /// CYLINDERS, primary and secondary.
    pub cylinders: (u64, u64),
}

/// VSAM1.
pub const BASE: Shape = Shape {
    ci_size: 2048,
    recovery: false,
    write_check: false,
    free_space: FreeSpace { ci: 20, ca: 6 },
    cylinders: (117, 10),
};

/// A store with a volume like the study's.
pub fn store(setting: &Setting) -> Result<Store, StudyError> {
    let store = Store::at(setting.directory.join("catalog")).create().alone().open();
    let store = store.map_err(while_doing("making a catalog"))?;
    let volume = DefineVolume {
        serial: "DISK79".into(),
        device: Some("3330-1".into()),
        ..DefineVolume::default()
    };
    let outcome = store.admin().define_volume(&volume);
    match outcome.condition {
        0 => Ok(store),
        code => Err(StudyError::Wrong(format!("making a volume: condition code {code}"))),
    }
}

/// Defines the data set of a run.
pub fn define(store: &Store, name: &str, shape: Shape) -> Result<(), StudyError> {
    let definition = Ksds::new(name).key(1..9).records(200, 200).with(|request| {
        let said = &mut request.cluster;
        let (primary, secondary) = shape.cylinders;
        said.space = Some(Space {
            unit: Unit::Cylinders,
            primary,
            secondary,
        });
        said.volumes = vec!["DISK79".into()];
        said.imbed = Some(true);
        said.speed = Some(!shape.recovery);
        said.write_check = Some(shape.write_check);
        said.free_space = Some(shape.free_space);
        request.data = Some(Stated {
            ci_size: Some(shape.ci_size),
            ..Stated::default()
        });
    });
    store
        .define(definition)
        .map(drop)
        .map_err(while_doing(&format!("defining {name}")))
}

/// Defines one of which nothing is said but what the records are.
pub fn define_plainly(store: &Store, name: &str) -> Result<(), StudyError> {
    let definition = Ksds::new(name)
        .key(1..9)
        .records(200, 200)
        .space(Unit::Cylinders, 117, 10);
    store
        .define(definition)
        .map(drop)
        .map_err(while_doing(&format!("defining {name}")))
}

/// Opens it with so many buffers.
pub fn open(store: &Store, name: &str, output: bool, buffers: Option<Buffering>) -> Result<DataSet, StudyError> {
    let options = OpenOptions {
        buffers,
        ..if output {
            OpenOptions::output()
        } else {
            OpenOptions::input()
        }
    };
    store
        .open_data_set(name, options)
        .map_err(while_doing(&format!("opening {name}")))
}

/// A record.
pub fn record(key: u64) -> [u8; 200] {
    let mut record = [b' '; 200];
    record[0] = b'L';
    record[KEY].copy_from_slice(&digits(key));
    record
}

/// A key.
pub fn digits(number: u64) -> [u8; 8] {
    let mut key = [b'0'; 8];
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    key
}
