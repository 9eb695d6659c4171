//! Headers that are written ahead of a commit, beside requests (store:S8).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, WriteAt};
use cica_engine::*;
use common::hooked::{hooked, Hook, Hooked};
use common::keyed::update;
use common::*;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

const CI: usize = 4096;
const CIS_OF_A_CA: u16 = 8;

type Act = Box<dyn FnMut() + Send>;

/// Does something before images of the first CA are written.
#[derive(Default)]
struct Meanwhile(Mutex<Option<Act>>);

impl Hook for Meanwhile {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        // An image begins with its first record, and so with a key from 0 to 7.
        let of_first_ca = |write: &WriteAt<'_>| {
            let key = write
                .buf
                .first_chunk()
                .is_some_and(|key: &[u8; 8]| key.starts_with(b"0000000") && key[7] < b'8');
            key && write.buf.len() >= CI
        };
        if file.path.ends_with("d.data") && batch.iter().any(of_first_ca) {
            if let Some(act) = self.0.lock().unwrap().as_mut() {
                act();
            }
        }
        file.file.write(batch)
    }
}

/// A CI becomes dirty while another of its CA is written, in the round that writes headers too: the commit has it.
#[test]
fn what_changes_while_its_ca_is_written_early_is_committed() {
    let meanwhile = Arc::new(Meanwhile::default());
    let world = World::on(hooked(MemoryDisk::new(), meanwhile.clone()), Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        (data.ci_size, data.ci_per_ca) = (CI as u32, CIS_OF_A_CA);
        (data.average_record, data.maximum_record) = (3000, 3000);
    });
    let cas = 6;
    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    for n in 0..cas * u64::from(CIS_OF_A_CA) {
        s.insert(&sealed(n, 0, 3000), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();

    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    // All of its pages are there, and a CI of each CA is dirty, so that it is worth it.
    for n in 0..cas * u64::from(CIS_OF_A_CA) {
        s.get(&key(n), Search::Equal, Intent::Read).unwrap();
    }
    for ca in 0..cas {
        update(&mut s, ca * u64::from(CIS_OF_A_CA), 1, 3000).unwrap();
    }
    // In the first round and in the second, which writes headers; the commit's own write comes third.
    let (mut other, mut next) = (ds.string(), 1);
    *meanwhile.0.lock().unwrap() = Some(Box::new(move || {
        if next <= 2 {
            update(&mut other, next, 1, 3000).unwrap();
            next += 1;
        }
    }));
    ds.checkpoint().unwrap();
    let act = meanwhile.0.lock().unwrap().take();
    drop(act);
    drop(s);
    ds.close().unwrap();

    let ds = world.open(&engine, "d");
    assert_sound(&ds);
    let mut s = ds.string();
    let values: Vec<u64> = (0..4)
        .map(|n| unsealed(s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes))
        .collect();
    assert_eq!(values, [1, 1, 1, 0]);
}
