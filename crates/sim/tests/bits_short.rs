//! Bits and sectors of small stores: the part of that test that runs with every build.

use std::sync::Arc;

use cica_disk::{Disk, Image};
use cica_sim::campaign::Campaign;
use cica_sim::damage::every::every_bit;
use cica_sim::draw::{bits, Draw};
use cica_sim::store::Store;
use cica_sim::subject::{Recovered, Step, Stop, Subject};

#[test]
fn damage_is_answered_rightly_or_with_the_place() {
    let total = Campaign::new(1, 8).run(|seed| bits(Draw::new(Store::DataSet(None), seed, 12), 101), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    for answer in [
        "damages bit: refused with the place",
        "damages bit: right",
        "damages zeroed: refused with the place",
        "damages exchanged: refused with the place",
        "damages cut: refused with the place",
    ] {
        assert!(total.counts.contains_key(answer), "{answer}: {:?}", total.counts);
    }
}

#[test]
fn so_is_damage_to_alternate_indexes_to_the_catalog_and_to_what_units_changed() {
    for store in [Store::Sphere(None), Store::Volume, Store::Units] {
        let total = Campaign::new(1, 1).run(|seed| bits(Draw::new(store, seed, 12), 499), |_| ());
        assert!(total.failures.is_empty(), "{}", total.failures[0]);
        assert!(total.counts["damages"] > 500, "{:?}", total.counts);
    }
}

/// Keeps one byte in a file, believes what it reads, and does not say which file is short.
struct Trusting;

impl Subject for Trusting {
    fn start(&self) -> Image {
        Image::with_directories(["/volume"])
    }

    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop> {
        use cica_disk::{Create, Open, WriteAt};
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let written = disk.open("/volume/SIM.BYTE".as_ref(), how).and_then(|file| {
            file.write(&[WriteAt { at: 0, buf: &[65] }])?;
            file.sync()
        });
        written.map_err(|error| Stop::Failed(error.to_string()))?;
        note(Step::new(65, true));
        Ok(())
    }

    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String> {
        let mut byte = [0];
        let mut batch = [cica_disk::ReadAt {
            at: 0,
            buf: &mut byte,
            got: 0,
        }];
        let read = disk.open("/volume/SIM.BYTE".as_ref(), cica_disk::Open::default());
        let read = read.and_then(|file| file.read(&mut batch));
        read.map_err(|error| error.to_string())?;
        Ok(Recovered::new(byte[0].into()))
    }

    fn exercise(&self, _: Arc<dyn Disk>) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn a_store_that_believes_what_it_reads_is_found() {
    let (_, failure) = every_bit(&Trusting, 1);
    let failure = failure.expect("a bit that nobody noticed");
    assert!(
        failure.what.contains("other contents were read, without a word"),
        "{failure}"
    );
}
