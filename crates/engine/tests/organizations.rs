//! Requests to data sets of every organization but KSDS: where records go, what is refused and with which codes.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::MemoryDisk;
use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world(organization: Organization, change: impl Fn(&mut cica_format::attributes::Attributes)) -> (World, Engine) {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        data.organization = organization;
        data.key_length = 0;
        change(data);
    });
    (world, engine)
}

/// Return code and reason of a refusal.
fn codes<T: std::fmt::Debug>(answer: Result<T, RequestError>) -> (u8, u8) {
    let feedback = answer.unwrap_err().feedback();
    (feedback.return_code, feedback.reason)
}

fn close_and_open(world: &World, engine: &Engine, open: DataSet) -> DataSet {
    open.close().unwrap();
    let open = world.open(engine, "d");
    assert_sound(&open);
    open
}

fn all(string: &mut Str) -> Vec<(u64, u32, Vec<u8>)> {
    let mut found = Vec::new();
    string.point_first().unwrap();
    while let Ok(record) = string.next(Intent::Read) {
        found.push((record.rba, record.rrn, record.bytes.to_vec()));
    }
    found
}

#[test]
fn records_of_an_esds_go_behind_each_other_and_keep_their_rbas() {
    let (world, engine) = world(Organization::Esds, |_| {});
    let open = world.open(&engine, "d");
    let mut s = open.string();
    // 512 bytes: four records of 110 take 440 bytes, two RDFs and the CIDF; a fifth does not fit.
    let rbas: Vec<u64> = (0..6)
        .map(|n| s.insert(&sealed(n, n, 110), Insert::Sequential).unwrap())
        .collect();
    assert_eq!(rbas, [0, 110, 220, 330, 512, 622]);
    assert_eq!(
        codes(s.get(Argument::Rba(110), Search::Equal, Intent::Read).map(|_| ())),
        (8, 116)
    );
    let open = {
        drop(s);
        close_and_open(&world, &engine, open)
    };
    let mut s = open.string();
    assert_eq!(s.insert(&sealed(6, 6, 40), Insert::Direct).unwrap(), 732);
    let record = s.get(Argument::Rba(622), Search::Equal, Intent::Update).unwrap();
    assert_eq!(unsealed(record.bytes), 5);
    assert_eq!(codes(s.update(&sealed(5, 50, 109))), (8, 100));
    assert_eq!(codes(s.erase()), (8, 80));
    s.update(&sealed(5, 50, 110)).unwrap();
    assert_eq!(
        codes(s.get(Argument::Rba(623), Search::Equal, Intent::Read).map(|_| ())),
        (8, 32)
    );
    assert_eq!(
        codes(s.get(Argument::Rba(1 << 50), Search::Equal, Intent::Read).map(|_| ())),
        (8, 32)
    );
    assert_eq!(codes(s.get(b"A", Search::Equal, Intent::Read).map(|_| ())), (8, 72));
    assert_eq!(codes(s.insert_at(3, &sealed(0, 0, 60), Insert::Direct)), (8, 76));
    let found: Vec<_> = all(&mut s).iter().map(|(rba, _, r)| (*rba, unsealed(r))).collect();
    assert_eq!(
        found,
        [(0, 0), (110, 1), (220, 2), (330, 3), (512, 4), (622, 50), (732, 6)]
    );
    s.point_last().unwrap();
    assert_eq!(s.prev(Intent::Read).unwrap().rba, 732);
    assert_eq!(s.prev(Intent::Read).unwrap().rba, 622);
    assert_eq!(open.statistics().0.records, 7);
}

/// A CI of the largest size has room for more one-byte records than any page has slots for.
#[test]
fn an_esds_of_the_shortest_records_goes_on_in_the_next_interval_when_a_page_has_no_slot_left() {
    const IN_A_PAGE: u64 = 28_664;
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        (data.organization, data.key_length, data.ci_size) = (Organization::Esds, 0, 32_768);
        (data.average_record, data.maximum_record) = (1, 1);
    });
    let insert = |open: &DataSet, records: std::ops::Range<u64>| {
        let mut s = open.string();
        for n in records {
            let rba = s.insert(&[n as u8], Insert::Sequential).unwrap();
            assert_eq!(rba, n / IN_A_PAGE * 32_768 + n % IN_A_PAGE);
        }
    };
    // The load fills one CI and begins the next; what is logged does the same, and what is done again.
    let open = world.open(&engine, "d");
    insert(&open, 0..2 * IN_A_PAGE - 20);
    let open = close_and_open(&world, &engine, open);
    insert(&open, 2 * IN_A_PAGE - 20..2 * IN_A_PAGE + 40);
    disk.kill();
    std::mem::forget(open);
    let open = world.open(&world.engine(), "d");
    assert_sound(&open);
    assert_eq!(open.statistics().0.records, 2 * IN_A_PAGE + 40);
    let mut s = open.string();
    for (n, (rba, _, record)) in (0..).zip(all(&mut s)) {
        assert_eq!((rba, record), (n / IN_A_PAGE * 32_768 + n % IN_A_PAGE, vec![n as u8]));
    }
}

#[test]
fn spanned_records_of_an_esds_stay_in_one_control_area() {
    let (world, engine) = world(Organization::Esds, |data| {
        data.spanned = true;
        data.maximum_record = 2000;
    });
    let open = world.open(&engine, "d");
    let mut s = open.string();
    // Control areas of 6 CIs, segments of 502 bytes: 3 CIs; 4 more do not fit behind them; then a CI of its own.
    assert_eq!(s.insert(&sealed(1, 1, 1500), Insert::Sequential).unwrap(), 0);
    assert_eq!(s.insert(&sealed(2, 2, 2000), Insert::Sequential).unwrap(), 6 * 512);
    assert_eq!(s.insert(&sealed(3, 3, 50), Insert::Sequential).unwrap(), 10 * 512);
    drop(s);
    let open = close_and_open(&world, &engine, open);
    let mut s = open.string();
    s.get(Argument::Rba(6 * 512), Search::Equal, Intent::Update).unwrap();
    s.update(&sealed(2, 20, 2000)).unwrap();
    assert_eq!(
        codes(s.get(Argument::Rba(7 * 512), Search::Equal, Intent::Read).map(|_| ())),
        (8, 32)
    );
    drop(s);
    let open = close_and_open(&world, &engine, open);
    let found: Vec<_> = all(&mut open.string())
        .iter()
        .map(|(rba, _, r)| (*rba, unsealed(r)))
        .collect();
    assert_eq!(found, [(0, 1), (3072, 20), (5120, 3)]);
}

#[test]
fn slots_of_an_rrds_fill_empty_and_are_passed_over() {
    let (world, engine) = world(Organization::Rrds, |data| {
        data.average_record = 60;
        data.maximum_record = 60;
    });
    let open = world.open(&engine, "d");
    let mut s = open.string();
    let record = |n: u64| sealed(n, n, 60);
    assert_eq!(s.insert(&record(1), Insert::Sequential).unwrap(), 1);
    assert_eq!(s.insert(&record(2), Insert::Sequential).unwrap(), 2);
    s.insert_at(100, &record(100), Insert::Skip).unwrap();
    assert_eq!(s.insert(&record(101), Insert::Sequential).unwrap(), 101);
    assert_eq!(codes(s.insert_at(50, &record(50), Insert::Skip)), (8, 12));
    s.insert_at(50, &record(50), Insert::Direct).unwrap();
    drop(s);
    let open = close_and_open(&world, &engine, open);
    let mut s = open.string();
    for (rrn, reason) in [(0, 192), (3, 16), (5_000, 16)] {
        assert_eq!(
            codes(s.get(Argument::Rrn(rrn), Search::Equal, Intent::Read).map(|_| ())),
            (8, reason)
        );
    }
    assert_eq!(
        codes(s.get(Argument::Rba(0), Search::Equal, Intent::Read).map(|_| ())),
        (8, 196)
    );
    assert_eq!(codes(s.insert_at(0, &record(0), Insert::Direct)), (8, 192));
    assert_eq!(codes(s.insert_at(50, &record(0), Insert::Direct)), (8, 8));
    assert_eq!(codes(s.insert_at(51, &sealed(0, 0, 59), Insert::Direct)), (8, 108));
    assert_eq!(
        s.get(Argument::Rrn(51), Search::GreaterOrEqual, Intent::Read)
            .unwrap()
            .rrn,
        100
    );
    s.get(Argument::Rrn(100), Search::Equal, Intent::Update).unwrap();
    s.erase().unwrap();
    s.get(Argument::Rrn(2), Search::Equal, Intent::Update).unwrap();
    assert_eq!(codes(s.update(&sealed(2, 2, 61))), (8, 108));
    s.update(&sealed(2, 22, 60)).unwrap();
    // Behind the last one, when the string has added none before.
    assert_eq!(open.string().insert(&record(102), Insert::Sequential).unwrap(), 102);
    // 8 slots a CI: slot 50 is the second of the seventh CI.
    let found: Vec<_> = all(&mut s)
        .iter()
        .map(|(rba, rrn, r)| (*rba, *rrn, unsealed(r)))
        .collect();
    assert_eq!(found[..3], [(0, 1, 1), (60, 2, 22), (6 * 512 + 60, 50, 50)]);
    assert_eq!(found.iter().map(|f| f.1).collect::<Vec<_>>(), [1, 2, 50, 101, 102]);
    assert_sound(&open);
}

#[test]
fn a_slot_beyond_all_extents_is_refused_and_nothing_is_taken_for_it() {
    let (world, engine) = world(Organization::Rrds, |data| {
        data.average_record = 60;
        data.maximum_record = 60;
        data.primary = 6 * 512;
        data.secondary = 6 * 512;
    });
    let open = world.open(&engine, "d");
    let mut s = open.string();
    s.insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    let before = open.high_used();
    // 123 extents of a control area with 48 slots.
    for rrn in [123 * 48 + 1, u32::MAX] {
        assert_eq!(codes(s.insert_at(rrn, &sealed(2, 2, 60), Insert::Direct)), (8, 28));
    }
    assert_eq!(open.high_used(), before);
    s.insert_at(123 * 48, &sealed(2, 2, 60), Insert::Direct).unwrap();
    assert_eq!(open.high_used(), 123 * 6 * 512);
}

#[test]
fn records_of_a_vrrds_have_any_length_and_go_by_number() {
    let (world, engine) = world(Organization::Vrrds, |data| data.maximum_record = 501);
    let open = world.open(&engine, "d");
    let mut s = open.string();
    // A direct insert may begin the data set.
    s.insert_at(70, &sealed(70, 70, 300), Insert::Direct).unwrap();
    s.insert_at(7, &sealed(7, 7, 501), Insert::Direct).unwrap();
    assert_eq!(s.insert(&sealed(71, 71, 20), Insert::Sequential).unwrap(), 71);
    assert_eq!(codes(s.insert_at(7, b"x", Insert::Direct)), (8, 8));
    assert_eq!(codes(s.insert_at(0, b"x", Insert::Direct)), (8, 192));
    assert_eq!(codes(s.insert_at(8, &[0; 502], Insert::Direct)), (8, 108));
    assert_eq!(codes(s.insert_at(8, &[], Insert::Direct)), (8, 108));
    for n in 1000..1100 {
        s.insert_at(n, &sealed(n.into(), n.into(), 20 + n as usize % 90), Insert::Direct)
            .unwrap();
    }
    s.get(Argument::Rrn(70), Search::Equal, Intent::Update).unwrap();
    s.update(&sealed(70, 700, 30)).unwrap();
    s.get(Argument::Rrn(71), Search::Equal, Intent::Update).unwrap();
    s.erase().unwrap();
    drop(s);
    let open = close_and_open(&world, &engine, open);
    let mut s = open.string();
    assert_eq!(
        codes(s.get(Argument::Rrn(71), Search::Equal, Intent::Read).map(|_| ())),
        (8, 16)
    );
    assert_eq!(
        codes(s.get(Argument::Rba(0), Search::Equal, Intent::Read).map(|_| ())),
        (8, 196)
    );
    let found = all(&mut s);
    assert_eq!(found.len(), 102);
    let first: Vec<_> = found[..2]
        .iter()
        .map(|(_, rrn, r)| (*rrn, unsealed(r), r.len()))
        .collect();
    assert_eq!(first, [(7, 7, 501), (70, 700, 30)]);
}

#[test]
fn an_lds_is_bytes_in_ranges_of_4096() {
    let (world, engine) = world(Organization::Lds, |data| {
        data.ci_size = 8192;
        data.maximum_record = 0;
        data.average_record = 0;
    });
    // Empty, it can be read: there is nothing.
    let empty = world.open_with(&engine, "d", OpenOptions::default());
    assert_eq!(codes(empty.string().next(Intent::Read).map(|_| ())), (8, 4));
    empty.close().unwrap();
    let open = world.open(&engine, "d");
    let mut s = open.string();
    let bytes: Vec<u8> = (0..5 * 4096).map(|i| (i / 4096 + 1) as u8).collect();
    s.write_range(0, &bytes).unwrap();
    for (rba, len) in [
        (1, 4096),
        (0, 4095),
        (4096, 0),
        (7 * 4096, 4096),
        (u64::MAX - 4095, 4096),
    ] {
        assert_eq!(
            codes(s.write_range(rba, &vec![9; len])),
            (8, 32),
            "write of {len} at {rba}"
        );
    }
    // Five blocks of 4,096 are three CIs of 8,192.
    let mut out = vec![0; 6 * 4096];
    s.read_range(0, &mut out).unwrap();
    assert_eq!((&out[..5 * 4096], &out[5 * 4096..]), (&bytes[..], &[0; 4096][..]));
    assert_eq!(codes(s.read_range(4096, &mut out)), (8, 32));
    s.write_range(4096, &vec![7; 8192]).unwrap();
    assert_eq!(s.insert(&[8; 8192], Insert::Direct).unwrap(), 3 * 8192);
    assert_eq!(codes(s.insert(&[8; 4096], Insert::Direct)), (8, 108));
    assert_eq!(
        codes(s.get(Argument::Rba(4096), Search::Equal, Intent::Read).map(|_| ())),
        (8, 32)
    );
    s.get(Argument::Rba(8192), Search::Equal, Intent::Update).unwrap();
    assert_eq!(codes(s.erase()), (8, 80));
    drop(s);
    let open = close_and_open(&world, &engine, open);
    let mut s = open.string();
    let mut out = vec![0; 8 * 4096];
    s.read_range(0, &mut out).unwrap();
    let first: Vec<u8> = out.chunks(4096).map(|block| block[17]).collect();
    assert_eq!(first, [1, 7, 7, 4, 5, 0, 8, 8]);
    assert_eq!(codes(open.string().read_range(1, &mut out)), (8, 32));
}

#[test]
fn ranges_and_numbers_are_refused_where_they_mean_nothing() {
    let (world, engine) = world(Organization::Esds, |_| {});
    let open = world.open(&engine, "d");
    let mut s = open.string();
    s.insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    assert_eq!(codes(s.write_range(0, &[0; 4096])), (8, 104));
    assert_eq!(codes(s.read_range(0, &mut [0; 4096])), (8, 104));
}

#[test]
fn strings_of_many_threads_add_and_replace_while_others_read() {
    let (world, engine) = world(Organization::Esds, |data| {
        data.spanned = true;
        data.maximum_record = 1800;
    });
    let open = world.open(&engine, "d");
    open.string().insert(&sealed(0, 0, 1200), Insert::Sequential).unwrap();
    let open = close_and_open(&world, &engine, open);
    std::thread::scope(|threads| {
        for thread in 0..2_u64 {
            let open = &open;
            threads.spawn(move || {
                let mut s = open.string();
                for n in 0..150 {
                    s.insert(&sealed(n, thread, 40 + (n as usize * 97) % 1700), Insert::Direct)
                        .unwrap();
                    if s.get(Argument::Rba(0), Search::Equal, Intent::Update).is_ok() {
                        s.update(&sealed(0, n, 1200)).unwrap();
                    }
                }
            });
        }
        threads.spawn(|| {
            let mut s = open.string();
            for _ in 0..60 {
                s.point_first().unwrap();
                let mut before = None;
                while let Ok(record) = s.next(Intent::Read) {
                    unsealed(record.bytes);
                    assert!(before < Some(record.rba));
                    before = Some(record.rba);
                }
            }
        });
    });
    assert_sound(&open);
    assert_eq!(all(&mut open.string()).len(), 301);
}
