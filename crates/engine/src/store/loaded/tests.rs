//! What happens to a CA while a load writes zeros to where its headers are (W2).
#![allow(clippy::unwrap_used)]

use super::*;
use crate::pool::{PageKind, PageOwner};
use crate::unit::tests::common::hooked::{hooked, Hook, Hooked};
use crate::unit::tests::common::*;
use crate::Insert;
use cica_disk::MemoryDisk;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Does something before zeros are written.
#[derive(Default)]
struct BeforeZeros(Mutex<Option<Box<dyn FnMut() + Send>>>);

impl Hook for BeforeZeros {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> std::io::Result<()> {
        let are_zeros = |write: &WriteAt<'_>| write.buf.len() >= 512 && write.buf.iter().all(|&byte| byte == 0);
        if batch.len() > 2 && batch.iter().any(are_zeros) {
            if let Some(does) = &mut *self.0.lock().unwrap() {
                does();
            }
        }
        file.file.write(batch)
    }
}

#[test]
fn no_header_is_written_where_a_load_is_about_to_write_zeros() {
    let hook = Arc::new(BeforeZeros::default());
    let world = World {
        pool_bytes: 128 << 20,
        ..World::on(hooked(MemoryDisk::default(), hook.clone()), Path::new("/"))
    };
    let engine = world.engine();
    world.create(&engine, "t", |data, index| {
        (data.ci_size, data.ci_per_ca, index.ci_size) = (4096, 48, 4096);
        data.maximum_record = 2_000;
        (data.primary, data.secondary) = (64 << 20, 64 << 20);
    });
    let ds = world.open(&engine, "t");
    let data = ds.near().unwrap().common().data.clone();
    let asked = Arc::new(Mutex::new(0));
    let times = asked.clone();
    // The pool needs frames, and has each CA written that nobody is at.
    *hook.0.lock().unwrap() = Some(Box::new(move || {
        *times.lock().unwrap() += 1;
        for ca in 0..data.ca_count() {
            let frame = data.directory.get(ca);
            if frame != NO_FRAME {
                data.give_up(frame, data.page_id(PageKind::Ca, ca), true);
            }
        }
    }));
    let mut s = ds.string();
    for n in 0..40 * 48 * 4 {
        s.insert(&sealed(n, n, 1_000), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    assert!(*asked.lock().unwrap() > 2, "no zeros were written");
    *hook.0.lock().unwrap() = None;
    let ds = world.open(&engine, "t");
    assert_sound(&ds);
    assert_eq!(ds.statistics().0.records, 40 * 48 * 4);
}
