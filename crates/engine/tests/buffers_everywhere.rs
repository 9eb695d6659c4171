//! Buffers of their own, and shared ones, for what is no plain KSDS: VRRDSs, linear data sets and paths.

#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;

fn nsr(data: u16, index: u16) -> Buffering {
    Buffering {
        data: Some(data),
        index: Some(index),
        ..Buffering::default()
    }
}

fn of_pool(deferred: bool) -> Buffering {
    Buffering {
        pool: Some(1),
        deferred,
        ..Buffering::default()
    }
}

/// Reads of data and index, writes of both.
fn four(set: &DataSet) -> [u64; 4] {
    let (_, counts) = set.buffers().unwrap();
    [
        counts.data.reads,
        counts.index.reads,
        counts.data.writes,
        counts.index.writes,
    ]
}

/// What a request added to them.
fn took(set: &DataSet, request: impl FnOnce()) -> [u64; 4] {
    let before = four(set);
    request();
    let after = four(set);
    std::array::from_fn(|n| after[n] - before[n])
}

/// A VRRDS of 200 records with every tenth number: four to a CI of 512 bytes, three CIs to a CA: 50 CIs in 17 CAs.
fn numbered(world: &World, engine: &Engine, buffers: Option<Buffering>) -> DataSet {
    world.create(engine, "v", |data, _| {
        data.organization = Organization::Vrrds;
        data.key_length = 0;
        data.ci_per_ca = 3;
        data.average_record = 100;
        data.maximum_record = 110;
    });
    let set = world.open_with(
        engine,
        "v",
        OpenOptions {
            buffers,
            ..OpenOptions::output()
        },
    );
    let mut string = set.string();
    for n in 1..=200 {
        string
            .insert_at(n * 10, &sealed(n.into(), 0, 100), Insert::Sequential)
            .unwrap();
    }
    drop(string);
    set
}

#[test]
fn a_vrrds_is_loaded_read_and_changed_through_its_buffers() {
    let world = World::memory();
    let engine = world.engine();
    let loads = numbered(&world, &engine, Some(nsr(2, 1)));
    // Each CI by itself, as far as its control area is full; the last one at the close.
    let written = four(&loads);
    assert!(written[2] >= 48 && written[3] >= 16, "{written:?}");
    loads.close().unwrap();
    // In the last CA are two.
    for (bufnd, reads) in [(2, 50), (3, 33), (4, 17), (1000, 17)] {
        let set = world.open_with(&engine, "v", OpenOptions::input().buffered(nsr(bufnd, 1)));
        let mut string = set.string();
        let mut records = 0;
        while string.next(Intent::Read).is_ok() {
            records += 1;
        }
        assert_eq!(records, 200);
        let counts = set.buffers().unwrap().1;
        assert_eq!((counts.data.reads, counts.data.cis_read), (reads, 50), "BUFND {bufnd}");
        assert_eq!(counts.index.reads, 17 + u64::from(set.levels()) - 1);
    }
    let set = world.open_with(&engine, "v", OpenOptions::output().buffered(nsr(2, 4)));
    let levels = u64::from(set.levels());
    let mut string = set.string();
    let got = took(&set, || {
        let record = string.get(Argument::Rrn(500), Search::Equal, Intent::Update).unwrap();
        assert_eq!(record.rrn, 500);
    });
    assert_eq!(got, [1, levels, 0, 0]);
    // It is held, and written where it is.
    let changed = took(&set, || {
        string.update(&sealed(50, 1, 100)).unwrap();
    });
    assert_eq!(changed, [0, 0, 1, 0]);
    // The CI of an insert is read into the buffer for inserts.
    let erased = took(&set, || {
        string.get(Argument::Rrn(500), Search::Equal, Intent::Update).unwrap();
        string.erase().unwrap();
    });
    assert_eq!(erased, [0, 0, 1, 0]);
    let inserted = took(&set, || {
        string.insert_at(501, &sealed(50, 2, 100), Insert::Direct).unwrap();
    });
    assert_eq!(inserted, [1, 0, 1, 0]);
    // Where there is no room the CI is split, or its control area: all that it touched is written.
    let split = took(&set, || {
        string.insert_at(1001, &sealed(7, 2, 110), Insert::Direct).unwrap();
    });
    assert!(split[0] >= 1 && split[2] >= 2 && split[3] >= 1, "{split:?}");
    // A request that is refused transfers nothing.
    let refused = took(&set, || {
        assert!(string.get(Argument::Rrn(0), Search::Equal, Intent::Read).is_err());
        assert!(string.get(Argument::Rba(0), Search::Equal, Intent::Read).is_err());
    });
    assert_eq!(refused, [0; 4]);
    // Behind the last record.
    let number = string.insert(&sealed(1, 1, 100), Insert::Direct).unwrap();
    assert_eq!(number, 2001);
    drop(string);
    set.close().unwrap();
    let plain = world.open(&engine, "v");
    let mut string = plain.string();
    for (rrn, value) in [(501, 2), (1001, 2), (2001, 1)] {
        let record = string.get(Argument::Rrn(rrn), Search::Equal, Intent::Read).unwrap();
        assert_eq!(unsealed(record.bytes), value);
    }
    assert!(string.get(Argument::Rrn(500), Search::Equal, Intent::Read).is_err());
}

#[test]
fn a_vrrds_shares_a_pool() {
    let world = World::memory();
    let engine = world.engine();
    numbered(&world, &engine, None).close().unwrap();
    let sizes = PoolBuffers::default().data(512, 3).index(512, 40);
    let pool = engine.build_pool(1, &sizes).unwrap();
    let set = world.open_with(&engine, "v", OpenOptions::output().buffered(of_pool(true)));
    let mut string = set.string();
    for rrn in [10, 20, 1000, 10, 2000] {
        string.get(Argument::Rrn(rrn), Search::Equal, Intent::Read).unwrap();
    }
    assert_eq!((pool.counts()[0].reads, pool.counts()[0].hits), (3, 2));
    string.get(Argument::Rrn(10), Search::Equal, Intent::Update).unwrap();
    string.update(&sealed(1, 9, 100)).unwrap();
    assert_eq!(pool.counts()[0].user_writes, 0);
    assert_eq!(set.write_buffers().unwrap(), 1);
    // A load is refused as that of any other.
    world.create(&engine, "empty", |data, _| {
        data.organization = Organization::Vrrds;
        data.key_length = 0;
    });
    let (data, index) = world.paths("empty");
    let options = OpenOptions::output().buffered(of_pool(false));
    assert_eq!(engine.open(&data, &index, options).err().unwrap().acberflg(), 212);
}

const CI: usize = 8192;

/// An LDS of 20 CIs, ten to a control area.
fn linear(world: &World, engine: &Engine, buffers: Buffering) -> DataSet {
    world.create(engine, "l", |data, _| {
        data.organization = Organization::Lds;
        data.key_length = 0;
        data.ci_size = CI as u32;
        data.ci_per_ca = 10;
    });
    let set = world.open_with(engine, "l", OpenOptions::output().buffered(buffers));
    let mut string = set.string();
    for n in 0..20 {
        string.insert(&[n; CI], Insert::Sequential).unwrap();
    }
    string.end();
    set
}

#[test]
fn a_linear_data_set_is_written_and_read_through_its_buffers() {
    let world = World::memory();
    let engine = world.engine();
    // Each CI is written when the next one comes into the only buffer for data.
    let set = linear(&world, &engine, nsr(2, 0));
    assert_eq!(four(&set), [0, 0, 20, 0]);
    set.close().unwrap();
    // Five buffers are filled by chains of five, three and two.
    for (bufnd, reads) in [(2, 20), (6, 6), (11, 2)] {
        let set = world.open_with(&engine, "l", OpenOptions::input().buffered(nsr(bufnd, 0)));
        let mut string = set.string();
        for n in 0..20 {
            assert_eq!(string.next(Intent::Read).unwrap().bytes, [n; CI]);
        }
        assert!(string.next(Intent::Read).is_err());
        assert_eq!(set.buffers().unwrap().1.data.cis_read, 20);
        assert_eq!(four(&set), [reads, 0, 0, 0], "BUFND {bufnd}");
    }
    let set = world.open_with(&engine, "l", OpenOptions::output().buffered(nsr(3, 0)));
    let mut string = set.string();
    let got = took(&set, || {
        let at = Argument::Rba(5 * CI as u64);
        string.get(at, Search::Equal, Intent::Update).unwrap();
        string.update(&[77; CI]).unwrap();
        string.get(at, Search::Equal, Intent::Read).unwrap();
    });
    assert_eq!(got, [1, 0, 1, 0]);
    let back = took(&set, || {
        string.point_last().unwrap();
        assert_eq!(string.prev(Intent::Read).unwrap().bytes, [19; CI]);
        assert_eq!(string.prev(Intent::Read).unwrap().bytes, [18; CI]);
    });
    assert!(back[0] <= 2, "{back:?}");
    // Ranges are read and written from the caller's area: control areas 0 and 1, each with one request.
    let mut range = vec![0; 12 * CI];
    let read = took(&set, || string.read_range(4 * CI as u64, &mut range).unwrap());
    assert_eq!(read, [2, 0, 0, 0]);
    assert_eq!((range[0], range[CI], range[2 * CI]), (4, 77, 6));
    range.fill(99);
    // What is covered in part is read first: half of CI 4, and half of CI 16.
    let at = 4 * CI as u64 + CI as u64 / 2;
    let written = took(&set, || string.write_range(at, &range).unwrap());
    assert_eq!(written, [2, 0, 2, 0]);
    // One that is refused transfers nothing.
    let refused = took(&set, || {
        assert!(string.write_range(100, &range).is_err());
        assert!(string.read_range(21 * CI as u64, &mut range).is_err());
    });
    assert_eq!(refused, [0; 4]);
    drop(string);
    set.close().unwrap();
    let plain = world.open(&engine, "l");
    let mut all = vec![0; 20 * CI];
    plain.string().read_range(0, &mut all).unwrap();
    let bytes = [0, 4 * CI, 4 * CI + CI / 2, 16 * CI, 16 * CI + CI / 2].map(|at| all[at]);
    assert_eq!(bytes, [0, 4, 99, 99, 16]);
}

#[test]
fn a_linear_data_set_shares_a_pool() {
    let world = World::memory();
    let engine = world.engine();
    linear(&world, &engine, nsr(2, 0)).close().unwrap();
    let pool = engine.build_pool(1, &PoolBuffers::default().data(8192, 4)).unwrap();
    let set = world.open_with(&engine, "l", OpenOptions::output().buffered(of_pool(true)));
    let mut string = set.string();
    for ci in [0, 1, 0, 2, 3, 4, 0] {
        let at = Argument::Rba(ci * CI as u64);
        string.get(at, Search::Equal, Intent::Read).unwrap();
    }
    let counts = pool.counts()[0];
    assert_eq!((counts.reads, counts.hits, counts.steals), (5, 2, 1));
    // A range is looked at CI by CI, and what changes is put off.
    let mut range = vec![5; 3 * CI];
    string.write_range(0, &range).unwrap();
    assert_eq!(pool.counts()[0].user_writes, 0);
    assert_eq!(set.write_buffers().unwrap(), 3);
    string.read_range(0, &mut range).unwrap();
    assert_eq!(range, vec![5; 3 * CI]);
}

/// A base of 300 records, and a path through its alternate index with a unique key, which goes the other way round.
fn crossed(world: &World) -> Engine {
    let engine = sphere::ready(world);
    let set = sphere::open(world, &engine);
    let mut string = set.string();
    for n in 1..=300 {
        let unique = format!("{:04}", (n * 5) % 301);
        let group = format!("G{:02}", n / 10);
        string
            .insert(&sphere::record(n, &unique, &group), Insert::Direct)
            .unwrap();
    }
    drop(string);
    set.close().unwrap();
    engine
}

fn path(world: &World, engine: &Engine, upgraded: bool, options: OpenOptions) -> DataSet {
    let upgrade = ["u", "n"].map(|name| sphere::files(world, name));
    let upgrade = if upgraded { &upgrade[..] } else { &[] };
    let (base, alternate) = (sphere::files(world, "b"), sphere::files(world, "u"));
    engine.open_path(&base, upgrade, &alternate, options).unwrap()
}

/// Data reads, CIs they brought, and index reads.
fn reads(of: Option<(Quota, BufferCounts)>) -> (u64, u64, u64) {
    let counts = of.unwrap().1;
    (counts.data.reads, counts.data.cis_read, counts.index.reads)
}

#[test]
fn a_path_reads_its_alternate_index_through_its_buffers_and_the_base_through_the_fewest() {
    let world = World::memory();
    let engine = crossed(&world);
    for bufnd in [2, 3, 6, 50] {
        // The same as the alternate index read by itself, and the base by the keys that it gives.
        let alone = world.open_with(&engine, "u", OpenOptions::input().buffered(nsr(bufnd, 2)));
        let base = world.open_with(&engine, "b", OpenOptions::input().buffered(nsr(2, 1)));
        let (mut index, mut by_key) = (alone.string(), base.string());
        while let Ok(entry) = index.next(Intent::Read) {
            let entry = cica_format::aix::AixRecord::read(entry.bytes).unwrap();
            let pointer = entry.pointer(0).unwrap();
            by_key.get(pointer, Search::Equal, Intent::Read).unwrap();
        }
        drop((index, by_key));
        let expected = (reads(alone.buffers()), reads(base.buffers()));
        assert!(expected.0 .1 > 10 && expected.1 .0 > 200, "{expected:?}");
        alone.close().unwrap();
        base.close().unwrap();
        for upgraded in [false, true] {
            let options = if upgraded {
                OpenOptions::output()
            } else {
                OpenOptions::input()
            };
            let set = path(&world, &engine, upgraded, options.buffered(nsr(bufnd, 2)));
            let mut string = set.string();
            let mut records = 0;
            while string.next(Intent::Read).is_ok() {
                records += 1;
            }
            assert_eq!(records, 301);
            assert_eq!(
                (reads(set.path_buffers()), reads(set.buffers())),
                expected,
                "BUFND {bufnd}"
            );
            let (alternate, base) = (set.path_buffers().unwrap().0, set.buffers().unwrap().0);
            assert_eq!((alternate.data, alternate.index), (bufnd.into(), 2));
            assert_eq!((base.data, base.index), (2, 1));
            drop(string);
            set.close().unwrap();
        }
    }
}

#[test]
fn requests_through_a_path_transfer_what_they_look_at() {
    let world = World::memory();
    let engine = crossed(&world);
    let deferred = Buffering {
        deferred: true,
        ..nsr(2, 1)
    };
    let set = path(&world, &engine, true, OpenOptions::output().buffered(deferred));
    let mut string = set.string();
    let before = reads(set.path_buffers());
    let levels = u64::from(set.levels());
    let got = took(&set, || {
        string.get(b"0010", Search::Equal, Intent::Update).unwrap();
    });
    assert_eq!(got, [1, levels, 0, 0]);
    let after = reads(set.path_buffers());
    assert_eq!(after.0 - before.0, 1);
    assert!(after.2 - before.2 >= 1);
    // What is put off stays so while the path goes elsewhere for what the buffers hold, and is written by ENDREQ.
    let put_off = took(&set, || {
        string.update(&sphere::record(2, "0010", "BBB")).unwrap();
        assert!(string.get(b"9999", Search::Equal, Intent::Read).is_err());
    });
    assert_eq!(put_off[2], 0);
    assert_eq!(took(&set, || string.end())[2], 1);
    // Nothing is transferred for a key that cannot be.
    let refused = took(&set, || {
        assert!(string.get(b"00105", Search::Equal, Intent::Read).is_err());
    });
    assert_eq!(refused, [0; 4]);
    // Backward, and records that came and went.
    string.point_last().unwrap();
    let mut last = [0; 4];
    for _ in 0..301 {
        let record = string.prev(Intent::Read).unwrap();
        assert!(last == [0; 4] || record.bytes[8..12] < last[..]);
        last.copy_from_slice(&record.bytes[8..12]);
    }
    assert_eq!(last, *b"0000");
    string
        .insert(&sphere::record(900, "0900", "CCC"), Insert::Direct)
        .unwrap();
    string.get(b"0900", Search::Equal, Intent::Update).unwrap();
    string.erase().unwrap();
    drop(string);
    set.close().unwrap();
    assert_eq!(sphere::assert_agree(&world, &engine).len(), 301);
}

#[test]
fn a_path_and_its_base_share_a_pool() {
    let world = World::memory();
    let engine = crossed(&world);
    let pool = engine.build_pool(1, &PoolBuffers::default().data(512, 100)).unwrap();
    let set = path(&world, &engine, true, OpenOptions::output().buffered(of_pool(true)));
    let mut string = set.string();
    string.get(b"0010", Search::Equal, Intent::Update).unwrap();
    let of_pool_now = pool.counts()[0].reads;
    let both =
        reads(set.buffers()).0 + reads(set.buffers()).2 + reads(set.path_buffers()).0 + reads(set.path_buffers()).2;
    assert!(reads(set.path_buffers()).0 == 1 && reads(set.buffers()).0 == 1);
    assert_eq!(of_pool_now, both);
    string.update(&sphere::record(2, "0010", "BBB")).unwrap();
    string.get(b"0010", Search::Equal, Intent::Read).unwrap();
    assert_eq!(pool.counts()[0].reads, of_pool_now, "all of it is there");
    assert_eq!((pool.counts()[0].user_writes, set.write_buffers().unwrap()), (0, 1));
    // Data and index of both.
    assert_eq!(
        engine.delete_pool(1).unwrap_err(),
        PoolError::InUse {
            number: 1,
            components: 4
        }
    );
    drop(string);
    set.close().unwrap();
    engine.delete_pool(1).unwrap();
}

#[test]
fn a_path_that_cannot_have_its_buffers_opens_nothing() {
    let world = World::memory();
    let engine = crossed(&world);
    engine
        .build_pool(1, &PoolBuffers::default().data(512, 3).index(512, 3))
        .unwrap();
    let (base, alternate) = (sphere::files(&world, "b"), sphere::files(&world, "u"));
    for (asked, reason) in [
        (nsr(1, 1), 132),
        (nsr(2, 0), 132),
        (
            Buffering {
                pool: Some(2),
                ..nsr(2, 1)
            },
            228,
        ),
    ] {
        for options in [OpenOptions::input(), OpenOptions::output()] {
            let upgrade = ["u", "n"].map(|name| sphere::files(&world, name));
            let upgrade = if options.access == Access::Output {
                &upgrade[..]
            } else {
                &[]
            };
            let error = engine
                .open_path(&base, upgrade, &alternate, options.buffered(asked))
                .err()
                .unwrap();
            assert_eq!(error.acberflg(), reason, "{error}");
        }
    }
    let again = world.open(&engine, "u");
    assert!(again.close().unwrap().closed);
    let again = world.open(&engine, "b");
    assert!(again.close().unwrap().closed);
}

/// 100 records in order of entry or by number, or 20 CIs of a linear data set. Returns how long a CI is.
fn in_a_row(world: &World, engine: &Engine, organization: Organization) -> u64 {
    if organization == Organization::Lds {
        linear(world, engine, nsr(2, 0)).close().unwrap();
        return CI as u64;
    }
    world.create(engine, "l", |data, _| {
        data.organization = organization;
        data.key_length = 0;
        data.ci_per_ca = 10;
        data.average_record = 100;
        data.maximum_record = 100;
    });
    let set = world.open(engine, "l");
    let mut string = set.string();
    for n in 1..=100 {
        string.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
    }
    drop(string);
    set.close().unwrap();
    512
}

#[test]
fn a_position_behind_the_end_brings_the_last_ci_and_none_that_does_not_exist() {
    for organization in [Organization::Esds, Organization::Rrds, Organization::Lds] {
        let world = World::memory();
        let engine = world.engine();
        let size = in_a_row(&world, &engine, organization);
        engine
            .build_pool(1, &PoolBuffers::default().data(512, 3).data(8192, 3))
            .unwrap();
        for buffers in [nsr(3, 0), of_pool(false)] {
            let set = world.open_with(&engine, "l", OpenOptions::input().buffered(buffers));
            let last = {
                let mut string = set.string();
                let mut last = Vec::new();
                while let Ok(record) = string.next(Intent::Read) {
                    last = record.bytes.to_vec();
                }
                // Behind the end PREV returns the last one.
                assert_eq!(string.prev(Intent::Read).unwrap().bytes, last);
                last
            };
            let mut string = set.string();
            if buffers.pool.is_some() {
                // Another CI takes each buffer.
                (0..3).for_each(|_| drop(string.get(first(organization, size, 3), Search::Equal, Intent::Read)));
                for ci in 0..3 {
                    string
                        .get(first(organization, size, ci), Search::Equal, Intent::Read)
                        .unwrap();
                }
            }
            let back = took(&set, || {
                string.point_last().unwrap();
                assert_eq!(string.prev(Intent::Read).unwrap().bytes, last);
            });
            assert_eq!(back, [1, 0, 0, 0], "{organization:?}");
            let nothing = took(&set, || {
                string.point_last().unwrap();
                assert!(matches!(string.next(Intent::Read), Err(RequestError::EndOfData)));
                if organization == Organization::Rrds {
                    assert!(string
                        .get(Argument::Rrn(u32::MAX), Search::Equal, Intent::Read)
                        .is_err());
                    return;
                }
                for rba in [u64::MAX, size << 32, (size << 32) - size, size * 200] {
                    let rba = Argument::Rba(rba);
                    assert!(string.get(rba, Search::Equal, Intent::Read).is_err());
                    string.stand_on(rba).unwrap();
                    assert!(matches!(string.next(Intent::Read), Err(RequestError::EndOfData)));
                }
            });
            assert_eq!(nothing, [0; 4], "{organization:?}");
            // The first record of a CI is brought by the CI that it is in.
            let pointed = took(&set, || {
                string
                    .point_backward(first(organization, size, 5), Search::Equal)
                    .unwrap();
                string.prev(Intent::Read).unwrap();
            });
            assert_eq!(pointed, [1, 0, 0, 0], "{organization:?}");
        }
    }
}

/// What the first record of a CI is called: an RRDS has four slots in each.
fn first(organization: Organization, size: u64, ci: u64) -> Argument<'static> {
    match organization {
        Organization::Rrds => Argument::Rrn(4 * ci as u32 + 1),
        _ => Argument::Rba(ci * size),
    }
}

#[test]
fn an_address_that_no_ci_has_is_not_read() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "k", |_, _| ());
    let set = world.open(&engine, "k");
    for n in 1..=100 {
        set.string().insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
    }
    set.close().unwrap();
    let set = world.open_with(&engine, "k", OpenOptions::input().buffered(nsr(3, 2)));
    let mut string = set.string();
    let missed = took(&set, || {
        for rba in [512 << 32, u64::MAX] {
            let missed = string.get(Argument::Rba(rba), Search::Equal, Intent::Read).map(drop);
            assert!(matches!(missed, Err(RequestError::BadRba { .. })), "{missed:?}");
        }
    });
    assert_eq!(missed[0], 0);
}
