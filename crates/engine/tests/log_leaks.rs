//! A log whose data sets were deleted is used again, whatever became of its owner: the catalog tells that they were.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::{Image, SimDisk};
use cica_engine::*;
use common::keyed::*;
use common::names::Names;
use common::*;
use std::path::Path;
use std::sync::Arc;

/// A disk with data sets "a", "b" and "c", and a catalog that names them.
struct House {
    disk: SimDisk,
    world: World,
    names: Names,
}

impl House {
    fn on(image: Image) -> House {
        let disk = SimDisk::from(image);
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let names = ["a", "b", "c"].map(|name| world.paths(name).0);
        let names = Names::of(names);
        House { disk, world, names }
    }

    fn new() -> House {
        let house = House::on(SimDisk::new().image());
        for name in ["a", "b", "c"] {
            loaded(&house.world, &house.engine(), name, 10);
        }
        house
    }

    fn engine(&self) -> Engine {
        let engine = self.world.engine();
        engine.set_volumes(Arc::new(self.names.clone()));
        engine
    }

    fn changed(&self, engine: &Engine, name: &str) -> DataSet {
        let ds = self.world.open(engine, name);
        insert(&mut ds.string(), 5, 1).unwrap();
        ds.commit().unwrap();
        ds
    }

    /// As DELETE does: the entry goes first.
    fn delete(&self, name: &str) {
        let (data, index) = self.world.paths(name);
        self.names.forget(&data);
        self.engine().destroy(&data, &index, false).unwrap();
    }

    /// Does `act` in a process that dies at its `nth` call, and whether it died.
    fn dies(&self, nth: u64, act: impl FnOnce() -> bool) -> bool {
        let faults = Faults::none().fail_from(Call::Any, nth, Errno::Io);
        self.disk.set_faults(faults);
        let died = !act();
        self.disk.kill();
        self.disk.set_faults(Faults::none());
        died
    }

    /// Logs that there are once another process has changed "c", after "b" was opened and closed where it is needed.
    fn logs_used(&self) -> usize {
        drop(self.world.open(&self.engine(), "b").close());
        let engine = self.engine();
        let _c = self.changed(&engine, "c");
        let there = self.world.disk.list(Path::new("/log")).unwrap();
        there
            .iter()
            .filter(|(path, _)| path.to_string_lossy().contains("log-"))
            .count()
    }
}

/// Has `story` happen with a death at each of its calls in turn; it says whether somebody died.
fn at_each_death(story: impl Fn(&House, u64) -> bool) {
    let start = House::new().disk.image();
    let mut deaths = 0;
    for nth in 1..60 {
        let house = House::on(start.clone());
        if story(&house, nth) {
            deaths += 1;
            assert_eq!(house.logs_used(), 1, "death at call {nth}");
        }
    }
    assert!(deaths > 5, "{deaths}");
}

#[test]
fn its_owner_died_in_the_close_of_what_was_deleted_then() {
    at_each_death(|house, nth| {
        let engine = house.engine();
        let a = house.changed(&engine, "a");
        let died = house.dies(nth, || a.close().is_ok());
        drop(engine);
        house.delete("a");
        died
    });
}

#[test]
fn its_owner_lived_when_the_data_set_went_and_died_in_the_close_of_another() {
    at_each_death(|house, nth| {
        let engine = house.engine();
        let [a, b] = ["a", "b"].map(|name| house.changed(&engine, name));
        a.close().unwrap();
        house.delete("a");
        let died = house.dies(nth, || b.close().is_ok());
        drop(engine);
        died
    });
}

#[test]
fn its_recovery_died_after_the_data_set_went() {
    at_each_death(|house, nth| {
        let engine = house.engine();
        let [a, b] = ["a", "b"].map(|name| house.changed(&engine, name));
        a.close().unwrap();
        house.disk.kill();
        drop((b, engine));
        house.delete("a");
        let (data, index) = house.world.paths("b");
        let engine = house.engine();
        house.dies(nth, || engine.open(&data, &index, OpenOptions::default()).is_ok())
    });
}

#[test]
fn giving_it_back_was_lost_with_the_power() {
    let house = House::new();
    let engine = house.engine();
    house.changed(&engine, "a").close().unwrap();
    drop(engine);
    house.delete("a");
    let trace = house.disk.trace();
    let crash = trace.crash_after(trace.events().len());
    let lost = crash.image(|_, event| match event {
        Event::Write { .. } => Survival::Lost,
        _ => Survival::Whole,
    });
    let after = House::on(lost);
    after.names.forget(&after.world.paths("a").0);
    assert_eq!(after.logs_used(), 1);
}
