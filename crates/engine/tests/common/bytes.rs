//! Files below the engine: read, and changed behind its back.

use cica_disk::{Create, Disk, Open, ReadAt, WriteAt};
use std::path::Path;

/// All bytes of a file.
pub fn bytes_of(disk: &dyn Disk, path: &Path) -> Vec<u8> {
    let file = disk.open(path, Open::default()).unwrap();
    let mut bytes = vec![0; file.size(None).unwrap() as usize];
    let buf = &mut bytes[..];
    file.read(&mut [ReadAt { at: 0, buf, got: 0 }]).unwrap();
    bytes
}

/// Writes bytes into a file that is there.
pub fn put(disk: &dyn Disk, path: &Path, at: u64, buf: &[u8]) {
    let how = Open {
        write: true,
        ..Open::default()
    };
    disk.open(path, how).unwrap().write(&[WriteAt { at, buf }]).unwrap();
}

/// Makes a file of these bytes.
pub fn put_file(disk: &dyn Disk, path: &str, bytes: &[u8]) {
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    let file = disk.open(Path::new(path), how).unwrap();
    file.write(&[WriteAt { at: 0, buf: bytes }]).unwrap();
}
