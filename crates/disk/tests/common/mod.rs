//! Reading and writing of files of the simulated disk.

use cica_disk::{File, ReadAt, WriteAt};

pub fn write(file: &dyn File, at: u64, bytes: &[u8]) {
    file.write(&[WriteAt { at, buf: bytes }]).expect("a write");
}

/// What there is of `len` bytes.
pub fn read(file: &dyn File, at: u64, len: usize) -> Vec<u8> {
    let mut buf = vec![0xEE; len];
    let mut batch = [ReadAt {
        at,
        buf: &mut buf,
        got: 0,
    }];
    file.read(&mut batch).expect("a read");
    let got = batch[0].got;
    buf.truncate(got);
    buf
}
