//! Whole files: a small sound data set or catalog with changed bytes, all checksums above them mended, so that nothing
//! but the meaning of the bytes can be wrong.
//!
//! An input for a data set is a list of changes of eight bytes: place (4), what to do (1), value (3).

use crate::format::mend;
use cica_catalog::Catalog;
use cica_disk::{Create, Disk, ManualClock, MemoryDisk, Open, ReadAt, WriteAt};
use cica_engine::salvage::Salvage;
use cica_engine::{Access, Definition, Engine, Env, Insert, Intent, OpenOptions};
use cica_format::ca::{self, CaHeader, NO_SLOT};
use cica_format::checksum::{ci_checksum, crc32c, Identity};
use cica_format::root::Root;
use cica_format::table::{Ref, TableBlock};
use std::path::Path;
use std::sync::{Arc, OnceLock};

const DATA: &str = "/v/d.data";
const INDEX: &str = "/v/d.index";
/// CIs of a CA of the sample, and their size: three sectors.
const CIS: usize = 6;
const SIZE: usize = 1536;
/// Of its index.
const INDEX_CIS: usize = 20;
const INDEX_SIZE: usize = 512;

fn engine(disk: &Arc<dyn Disk>) -> Option<Engine> {
    let env = Env {
        disk: disk.clone(),
        clock: Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000)),
        log_dir: "/log".into(),
        pool_bytes: Some(4 << 20),
        io: Default::default(),
        background: false,
    };
    Engine::new(env).ok()
}

fn memory(directories: &[&str]) -> Arc<dyn Disk> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    for directory in directories {
        let how = Open {
            directory: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        let _ = disk.open(Path::new(directory), how);
    }
    disk
}

fn read(disk: &dyn Disk, path: &str) -> Vec<u8> {
    let Ok(file) = disk.open(Path::new(path), Open::default()) else {
        return Vec::new();
    };
    let mut bytes = vec![0; file.size(None).unwrap_or(0) as usize];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    let _ = file.read(&mut batch);
    bytes
}

fn write(disk: &dyn Disk, path: &str, bytes: &[u8]) {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    if let Ok(file) = disk.open(Path::new(path), how) {
        let _ = file.size(Some(bytes.len() as u64));
        let _ = file.write(&[WriteAt { at: 0, buf: bytes }]);
    }
}

/// Both component files of a KSDS with some splits, closed.
fn sound() -> &'static (Vec<u8>, Vec<u8>) {
    static SOUND: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    SOUND.get_or_init(|| {
        let disk = memory(&["/v", "/log"]);
        if let Some(engine) = engine(&disk) {
            let mut data = crate::format::attributes();
            let mut index = data.clone();
            data.ci_size = SIZE as u32;
            (index.component_name, index.ci_per_ca) = ("A.B.INDEX".into(), INDEX_CIS as u16);
            index.ci_size = INDEX_SIZE as u32;
            let _ = engine.create(&Definition {
                data_path: DATA.into(),
                index_path: INDEX.into(),
                data,
                index: Some(index),
            });
            for round in 0..2 {
                if let Ok(open) = engine.open(Path::new(DATA), Path::new(INDEX), output()) {
                    let mut string = open.string();
                    for n in 0..60 {
                        let record = format!("{:08} record {:40}", n * 2 + round, ".");
                        let how = if round == 0 { Insert::Sequential } else { Insert::Direct };
                        let _ = string.insert(record.as_bytes(), how);
                    }
                    drop(string);
                    let _ = open.close();
                }
            }
        }
        (read(&*disk, DATA), read(&*disk, INDEX))
    })
}

fn output() -> OpenOptions {
    OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    }
}

/// Samples: changes near the things there are.
pub fn changes() -> Vec<Vec<u8>> {
    let places = [
        600_u32, 4200, 65_600, 66_400, 131_200, 139_300, 147_500, 148_000, 160_000, 70, 80, 110, 128,
    ];
    places
        .map(|place| {
            [
                &place.to_le_bytes()[..],
                &[0, 1, 2, 3],
                &(place + 9).to_le_bytes(),
                &[1; 4],
            ]
            .concat()
        })
        .to_vec()
}

/// Opens, reads, examines, changes and salvages a data set with such changes. What it answers does not matter.
pub fn data_set(bytes: &[u8]) {
    let (data, index) = sound();
    let (mut data, mut index) = (data.clone(), index.clone());
    for change in bytes.chunks_exact(8).take(8) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], change[3]]) as usize;
        let file = if change[4] & 1 == 0 { &mut data } else { &mut index };
        let at = place % file.len().max(1);
        for (n, value) in change[5..8].iter().enumerate().take(usize::from(change[4] >> 1 & 3)) {
            if let Some(byte) = file.get_mut(at + n) {
                *byte = *value;
            }
        }
    }
    mend_component(&mut index, INDEX_CIS, INDEX_SIZE);
    let index_root = newest(&index);
    if let (Some((at, mut root)), Some((in_index, bytes))) = (newest_root(&data), index_root) {
        root.index_root = Ref {
            version: in_index.version,
            checksum: Root::checksum_of(&bytes),
        };
        if let Ok(encoded) = root.encode() {
            if let Some(place) = data.get_mut(at..at + encoded.len()) {
                place.copy_from_slice(&encoded);
            }
        }
    }
    mend_component(&mut data, CIS, SIZE);
    let disk = memory(&["/v", "/log"]);
    write(&*disk, DATA, &data);
    write(&*disk, INDEX, &index);
    if let Ok(salvage) = Salvage::open(&*disk, Path::new(DATA), Path::new(INDEX), None, None) {
        let mut found = 0_u64;
        let _ = salvage.run::<()>(&mut |_| {
            found += 1;
            if found < 100_000 {
                Ok(())
            } else {
                Err(())
            }
        });
    }
    let Some(engine) = engine(&disk) else { return };
    for options in [OpenOptions::default(), output()] {
        let Ok(open) = engine.open(Path::new(DATA), Path::new(INDEX), options) else {
            continue;
        };
        let _ = open.examine();
        let mut string = open.string();
        for _ in 0..1000 {
            if string.next(Intent::Read).is_err() {
                break;
            }
        }
        let _ = string.insert(b"00000031 another record", Insert::Direct);
        drop(string);
        let _ = open.close();
    }
}

fn newest(file: &[u8]) -> Option<(Root, Vec<u8>)> {
    let (at, root) = newest_root(file)?;
    let len = Root::encoded_len_hint(&file[at..]).ok()?;
    Some((root, file.get(at..at + len)?.to_vec()))
}

fn newest_root(file: &[u8]) -> Option<(usize, Root)> {
    let copies = [0, 65_536]
        .into_iter()
        .filter_map(|at| Some((at, Root::decode(file.get(at..)?).ok()?)));
    copies.max_by_key(|(_, root)| root.version)
}

/// Makes all checksums of a component right, from its CIs up to its roots.
fn mend_component(file: &mut [u8], cis: usize, size: usize) {
    for at in [0, 65_536] {
        if let Some(len) = file.get(at..).and_then(|root| Root::encoded_len_hint(root).ok()) {
            mend(&mut file[at..], 20, len);
        }
    }
    let Some((at, mut root)) = newest_root(file) else {
        return;
    };
    let (header_len, slots) = (CaHeader::encoded_len(cis), cis + 2);
    let (sector, ci_sectors) = (ca::sector(size), size / ca::sector(size));
    let region_len = (2 * header_len + slots * size).next_multiple_of(4096);
    let first = 2 * 65_536 + 2 * 4096;
    let Some(known) = root.tables.first().copied() else {
        return;
    };
    let table_at = first - (2 - (known.version as usize & 1)) * 4096;
    let Some(table) = file.get_mut(table_at..table_at + 4096) else {
        return;
    };
    mend(table, 4, 4096);
    let Ok(mut table) = TableBlock::decode(table) else {
        return;
    };
    for (ca, reference) in table.refs.iter_mut().enumerate() {
        let header_at = first + ca * region_len + (reference.version as usize & 1) * header_len;
        let Some(bytes) = file.get_mut(header_at..header_at + header_len) else {
            continue;
        };
        mend(bytes, 4, header_len);
        let Ok(mut header) = CaHeader::decode(bytes, cis) else {
            continue;
        };
        for n in 0..header.entries.len() {
            let entry = header.entries[n];
            let (slot, sectors) = (usize::from(entry.slot), slots * ci_sectors);
            let region = if slot < sectors {
                Some(header.region)
            } else {
                header.annex
            };
            let Some(region) = region.filter(|_| entry.slot != NO_SLOT) else {
                continue;
            };
            let image_at = first as u64
                + u64::from(region) * region_len as u64
                + (2 * header_len + slot % sectors * sector) as u64;
            let stored = size.saturating_sub(usize::from(entry.left_out) * sector);
            let Some(image) = file.get(image_at as usize..image_at as usize + stored) else {
                continue;
            };
            let identity = Identity {
                component: root.component,
                ci: (ca * cis + n) as u32,
                version: entry.version,
            };
            header.entries[n].checksum = ci_checksum(identity, image);
        }
        let mut bytes = vec![0; header_len];
        reference.checksum = header.encode(&mut bytes);
        file[header_at..header_at + header_len].copy_from_slice(&bytes);
    }
    let mut bytes = [0; 4096];
    table.encode(&mut bytes);
    file[table_at..table_at + 4096].copy_from_slice(&bytes);
    root.tables[0].checksum = crc32c(&bytes);
    if let Ok(encoded) = root.encode() {
        if let Some(place) = file.get_mut(at..at + encoded.len()) {
            place.copy_from_slice(&encoded);
        }
    }
}

/// A catalog file.
pub fn catalog(bytes: &[u8]) {
    let disk = memory(&[]);
    let Ok(made) = Catalog::open_or_create(disk.clone(), "/cat") else {
        return;
    };
    drop(made);
    let sound = read(&*disk, "/cat/catalog");
    write(&*disk, "/cat/catalog", bytes);
    if let Ok(catalog) = Catalog::open(disk.clone(), "/cat") {
        if let Ok(contents) = catalog.contents() {
            for entry in contents.entries() {
                let _ = entry.name();
            }
        }
    }
    assert!(!sound.is_empty());
}

pub fn catalogs() -> Vec<Vec<u8>> {
    let disk = memory(&[]);
    let _ = Catalog::open_or_create(disk.clone(), "/cat");
    vec![read(&*disk, "/cat/catalog")]
}
