//! The file of the study: 86,763 records of 200 bytes with a key of eight digits, in CIs and control areas as the study
//! had them on its disks.

use crate::{while_doing, Setting, StudyError};
use cica::{DataSet, Ksds, OpenOptions, Store};
use cica_admin::stated::Stated;
use cica_admin::volume::DefineVolume;
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use cica_catalog::Name;
use cica_engine::Buffering;
use std::path::PathBuf;

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

/// The study's volume.
pub const VOLUME: &str = "DISK79";

/// A store with a volume like the study's.
pub fn store(setting: &Setting) -> Result<Store, StudyError> {
    let store = store_in(setting, "catalog")?;
    volume(&store, VOLUME)?;
    Ok(store)
}

/// A store in a directory of the setting's.
pub fn store_in(setting: &Setting, directory: &str) -> Result<Store, StudyError> {
    let store = Store::at(setting.directory.join(directory)).create().alone();
    store.io(setting.io).open().map_err(while_doing("making a catalog"))
}

/// Makes a volume like the study's.
pub fn volume(store: &Store, serial: &str) -> Result<(), StudyError> {
    let volume = DefineVolume {
        serial: serial.into(),
        device: Some("3330-1".into()),
        ..DefineVolume::default()
    };
    let outcome = store.admin().define_volume(&volume);
    match outcome.condition {
        0 => Ok(()),
        code => Err(StudyError::Wrong(format!("making a volume: condition code {code}"))),
    }
}

/// Defines the data set of a run.
pub fn define(store: &Store, name: &str, shape: Shape) -> Result<(), StudyError> {
    define_on(store, name, shape, VOLUME)
}

/// Defines one on a volume of a 3330-1.
pub fn define_on(store: &Store, name: &str, shape: Shape, volume: &str) -> Result<(), StudyError> {
    let definition = Ksds::new(name).key(1..9).records(200, 200).with(|request| {
        let said = &mut request.cluster;
        let (primary, secondary) = shape.cylinders;
        said.space = Some(Space {
            unit: Unit::Cylinders,
            primary,
            secondary,
        });
        said.volumes = vec![volume.into()];
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

/// Defines one of which nothing is said but what the records are, and, if anything, what stays free.
pub fn define_plainly(store: &Store, name: &str, free: Option<FreeSpace>) -> Result<(), StudyError> {
    let (primary, secondary) = BASE.cylinders;
    let definition = Ksds::new(name).key(1..9).records(200, 200);
    let definition = definition.space(Unit::Cylinders, primary, secondary);
    store
        .define(definition.with(|request| request.cluster.free_space = free))
        .map(drop)
        .map_err(while_doing(&format!("defining {name}")))
}

/// Its files.
pub fn files(store: &Store, name: &str) -> Result<Vec<PathBuf>, StudyError> {
    let doing = format!("the files of {name}");
    let parsed = Name::parse(name).map_err(while_doing(&doing))?;
    let (catalog, reached) = store.session().reach(&parsed).map_err(while_doing(&doing))?;
    let components = [Some(&reached.cluster.data), reached.cluster.index.as_ref()];
    let paths = components
        .into_iter()
        .flatten()
        .map(|part| catalog.component_path(part));
    paths.collect::<Result<_, _>>().map_err(while_doing(&doing))
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
