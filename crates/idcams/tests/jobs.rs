//! Jobs drawn from the command table, carried out over catalogs in memory: the short form of `fuzz/`.
#![allow(clippy::unwrap_used)]

use cica_catalog::Catalog;
use cica_disk::{Disk, ManualClock, MemoryDisk};
use cica_engine::{Engine, Env};
use cica_idcams::table::sample;
use cica_idcams::{run, DdTable, IssuedMessage, Services, Source, Stamp, Style, Sysprint};
use cica_messages as messages;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many jobs; CICA_JOBS says another number.
fn jobs() -> u64 {
    let said = std::env::var("CICA_JOBS").ok();
    said.map_or(1_500, |text| text.parse().expect("CICA_JOBS is a number"))
}

/// The numbers that choose: the same in every run.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Runs a job over an empty catalog; returns the listing, and what the catalog holds then.
fn carried_out(job: &str) -> (u8, String, Arc<cica_catalog::Contents>) {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let clock = Arc::new(ManualClock::new(1_662_046_604_000_000_000, 0));
    let catalog = Arc::new(Catalog::open_or_create(disk.clone(), "/cat").unwrap());
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(4 << 20),
        background: false,
        io: Default::default(),
    };
    let mut services = Services {
        disk: disk.clone(),
        outside: Arc::new(cica_disk::LinuxDisk::new()),
        clock,
        catalog,
        opens: cica_session::Opens::alone(),
        engine: Engine::new(env).unwrap(),
        dd: DdTable::default(),
        rolls_off: true,
        progress: Box::new(|_| ()),
    };
    let stamp = Stamp::from_unix(0);
    let mut listing = Vec::new();
    let mut out = Sysprint::new(&mut listing, Style::Plain, stamp).with_messages();
    let maxcc = run(Source::from_text(job), &mut services, &mut out);
    let said = out.into_messages();
    drop(services);
    check_messages(&String::from_utf8_lossy(&listing), &said);
    // As the next process reads it.
    let contents = Catalog::open(disk, "/cat").unwrap().contents().unwrap();
    (maxcc, String::from_utf8(listing).unwrap(), contents)
}

/// What a program is told is what the listing says: the same messages in the same order.
fn check_messages(listing: &str, said: &[IssuedMessage]) {
    const CODES: [&str; 5] = ["IDC0001I", "IDC0002I", "IDC0204I", "IDC3003I", "IDC3202I"];
    let id_of = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let is_message = |line: &&str| messages::find(&id_of(line)).is_some_and(|entry| entry.id == id_of(line));
    let printed: Vec<&str> = listing
        .lines()
        .filter(is_message)
        .filter(|line| !CODES.contains(&id_of(line).as_str()))
        .collect();
    assert_eq!(printed.len(), said.len(), "{said:#?}\n{listing}");
    for (line, said) in printed.iter().zip(said) {
        assert!(said.text.starts_with(line), "{said:?}\n{line}");
        assert_eq!(said.entry.map(|entry| entry.id.to_owned()), Some(id_of(line)));
    }
}

#[test]
fn every_job_ends_with_a_listing_a_code_and_a_catalog_that_can_be_read() {
    let (mut verbs, mut entries, mut done, mut refused) = (BTreeSet::new(), 0, 0, 0);
    for seed in 1..=jobs() {
        let job = sample::job(&bytes(seed, 600), 6);
        let (maxcc, listing, contents) = carried_out(&job);
        let last = listing.lines().rev().find(|line| !line.is_empty()).unwrap_or_default();
        let expected = format!("IDC0002I IDCAMS PROCESSING COMPLETE. MAXIMUM CONDITION CODE WAS {maxcc}");
        assert_eq!(last, expected, "seed {seed}\n{listing}");
        assert!([0, 4, 8, 12, 16].contains(&maxcc), "seed {seed}: {maxcc}");
        done += listing.matches("HIGHEST CONDITION CODE WAS 0").count();
        refused += listing.matches("IDC3003I").count();
        verbs.extend(job.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned));
        entries += contents.entries().count();
    }
    // The jobs are worth something: they succeed and are refused, use most verbs, and leave entries.
    assert!(verbs.len() >= 15, "{verbs:?}");
    let seen = (done, refused, entries);
    assert!(
        done > 500 && refused > 500 && entries > 300,
        "{seen:?} of {} jobs",
        jobs()
    );
}

#[test]
fn the_same_bytes_are_the_same_job_and_the_same_listing() {
    for seed in [7, 77, 777] {
        let job = sample::job(&bytes(seed, 400), 4);
        assert_eq!(job, sample::job(&bytes(seed, 400), 4));
        assert_eq!(carried_out(&job).1, carried_out(&job).1);
    }
}
