//! Control-interval access: the true image of a CI by RBA, and what may be put back in its place.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use cica_format::{ci, slots};
use common::*;

const SIZE: usize = 512;

/// A data set with twelve records of 60 bytes, closed after its load and opened again.
fn loaded(organization: Organization) -> (World, Engine, DataSet) {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        (data.average_record, data.maximum_record) = (60, 60);
    });
    let open = world.open(&engine, "d");
    let mut s = open.string();
    for n in 1..=12 {
        s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    open.close().unwrap();
    let open = world.open(&engine, "d");
    (world, engine, open)
}

fn codes<T: std::fmt::Debug>(answer: Result<T, RequestError>) -> (u8, u8) {
    let feedback = answer.unwrap_err().feedback();
    (feedback.return_code, feedback.reason)
}

fn get(s: &mut Str, rba: u64) -> Vec<u8> {
    s.get_interval(rba, Intent::Update).unwrap().bytes.to_vec()
}

/// What the records say, in order.
fn values(open: &DataSet) -> Vec<u64> {
    let mut s = open.string();
    s.point_first().unwrap();
    let mut found = Vec::new();
    while let Ok(record) = s.next(Intent::Read) {
        found.push(unsealed(record.bytes));
    }
    found
}

#[test]
fn an_image_is_vsams_own() {
    for organization in [Organization::Ksds, Organization::Esds, Organization::Vrrds] {
        let (_world, _engine, open) = loaded(organization);
        let image = get(&mut open.string(), 0);
        let mut spans = Vec::new();
        let layout = ci::parse(&image, &mut spans).unwrap();
        let number = if organization == Organization::Vrrds { 4 } else { 0 };
        assert_eq!((spans.len(), layout.rdfs), (if number == 0 { 8 } else { 7 }, 2));
        for (i, (offset, _)) in spans.iter().enumerate() {
            assert_eq!(unsealed(&image[*offset as usize + number..][..60]), i as u64 + 1);
        }
    }
    let (_world, _engine, open) = loaded(Organization::Rrds);
    let image = get(&mut open.string(), 512);
    assert_eq!(slots::check(&image, 60), Ok(4), "slots 9 to 12 of sixteen");
}

#[test]
fn records_that_come_in_between_others_lie_in_key_order_for_whoever_looks() {
    let (world, engine, open) = loaded(Organization::Ksds);
    let mut s = open.string();
    for n in 2..=5u64 {
        s.get(&key(n)[..], Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    }
    for (n, length) in [(4, 60), (2, 31), (5, 60), (3, 44)] {
        let rba = s.insert(&sealed(n, n, length), Insert::Direct).unwrap();
        let at = s.get(&key(n)[..], Search::Equal, Intent::Read).unwrap().rba;
        assert_eq!(rba, at);
    }
    drop(s);
    let look = |open: &DataSet| {
        let (mut forward, mut direct) = (open.string(), open.string());
        let image = get(&mut direct, 0);
        forward.point_first().unwrap();
        let mut rbas = Vec::new();
        while let Ok(record) = forward.next(Intent::Read) {
            let key = &record.bytes[..8];
            assert_eq!(direct.get(key, Search::Equal, Intent::Read).unwrap().rba, record.rba);
            let there = direct
                .get(Argument::Rba(record.rba), Search::Equal, Intent::Read)
                .unwrap();
            assert_eq!(there.bytes, record.bytes);
            if let Some(bytes) = image
                .get(record.rba as usize..)
                .and_then(|i| i.get(..record.bytes.len()))
            {
                assert_eq!(bytes, record.bytes);
            }
            rbas.push(record.rba);
        }
        let mut changer = open.string();
        assert_eq!(get(&mut changer, 0), image);
        changer.put_interval(&image).unwrap();
        rbas
    };
    let rbas = look(&open);
    assert_eq!(rbas[..6], [0, 60, 91, 135, 195, 255]);
    assert_eq!(values(&open), (1..=12).collect::<Vec<_>>());
    open.close().unwrap();
    assert_eq!(look(&world.open(&engine, "d")), rbas);
}

#[test]
fn only_control_intervals_in_use_are_got() {
    for (organization, end) in [
        (Organization::Esds, 1024),
        (Organization::Rrds, 1024),
        (Organization::Ksds, 3072),
    ] {
        let (_world, _engine, open) = loaded(organization);
        let mut s = open.string();
        for rba in [1, 511, end, 1 << 45] {
            assert_eq!(
                codes(s.get_interval(rba, Intent::Read).map(|_| ())),
                (8, 32),
                "{organization:?} {rba}"
            );
        }
        assert_eq!(codes(s.put_interval(&[0; SIZE])), (8, 92));
    }
}

#[test]
fn records_are_replaced_where_they_lie_and_survive_the_death_of_the_process() {
    for organization in [Organization::Ksds, Organization::Esds] {
        let (world, engine, open) = loaded(organization);
        let mut s = open.string();
        let mut image = get(&mut s, 0);
        image[60..120].copy_from_slice(&sealed(2, 222, 60));
        s.put_interval(&image).unwrap();
        open.commit().unwrap();
        drop((s, open, engine));
        let engine = world.engine();
        let open = world.open(&engine, "d");
        assert_sound(&open);
        assert_eq!(values(&open)[..3], [1, 222, 3], "{organization:?}");
    }
}

#[test]
fn what_would_move_a_record_is_refused_and_changes_nothing() {
    for organization in [Organization::Ksds, Organization::Esds] {
        let (_world, _engine, open) = loaded(organization);
        let mut s = open.string();
        let good = get(&mut s, 0);
        let mut shorter = good.clone();
        ci::render(&mut shorter, [60; 7].into_iter(), ci::Segment::Whole, 0);
        let mut torn = good.clone();
        torn[SIZE - 1] ^= 1;
        for image in [&shorter, &torn, &vec![0; SIZE]] {
            assert_eq!(codes(s.put_interval(image)), (8, 156), "{organization:?}");
        }
        assert_eq!(codes(s.put_interval(&good[..SIZE - 1])), (8, 108));
        let mut other = good.clone();
        other[..60].copy_from_slice(&sealed(0, 1, 60));
        if organization == Organization::Ksds {
            assert_eq!(codes(s.put_interval(&other)), (8, 96));
        }
        let mut holder = open.string();
        match organization {
            Organization::Ksds => holder.get(&key(1), Search::Equal, Intent::Update).map(drop),
            _ => holder.get(Argument::Rba(0), Search::Equal, Intent::Update).map(drop),
        }
        .unwrap();
        other[..60].copy_from_slice(&sealed(1, 100, 60));
        assert_eq!(codes(s.put_interval(&other)), (8, 20));
        assert_eq!(values(&open)[..3], [1, 2, 3]);
        holder.end();
        s.put_interval(&other).unwrap();
        assert_eq!(values(&open)[..3], [100, 2, 3]);
    }
}

/// Gets the record at an RBA, or in a slot, for update.
fn hold(s: &mut Str, organization: Organization, n: u64) {
    match organization {
        Organization::Ksds => s.get(&key(n), Search::Equal, Intent::Update),
        Organization::Rrds => s.get(Argument::Rrn(n as u32), Search::Equal, Intent::Update),
        _ => s.get(Argument::Rba((n - 1) * 60), Search::Equal, Intent::Update),
    }
    .unwrap();
}

#[test]
fn what_others_have_changed_since_the_get_is_not_put_back() {
    for organization in [Organization::Ksds, Organization::Esds, Organization::Rrds] {
        let (_world, engine, open) = loaded(organization);
        let (mut s, mut t) = (open.string(), open.string());
        let mut image = get(&mut s, 0);
        image[..60].copy_from_slice(&sealed(1, 100, 60));
        hold(&mut t, organization, 2);
        t.update(&sealed(2, 200, 60)).unwrap();
        assert_eq!(codes(s.put_interval(&image)), (8, 20), "{organization:?}");
        assert_eq!(values(&open)[..3], [1, 200, 3], "{organization:?}");
        // What a unit has committed is a change of another, too, and what was backed out is none.
        let unit = engine.unit();
        let mut u = open.string_in(&unit);
        for commits in [true, false] {
            let mut image = get(&mut s, 0);
            image[..60].copy_from_slice(&sealed(1, 100, 60));
            hold(&mut u, organization, 3);
            u.update(&sealed(3, if commits { 300 } else { 301 }, 60)).unwrap();
            if commits {
                unit.commit().unwrap();
                assert_eq!(codes(s.put_interval(&image)), (8, 20), "{organization:?}");
            } else {
                unit.backout().unwrap();
                s.put_interval(&image).unwrap();
            }
        }
        assert_eq!(values(&open)[..3], [100, 200, 300], "{organization:?}");
        // Of two that got it the first wins.
        let mut images = [&mut s, &mut t].map(|s| get(s, 0));
        images[0][..60].copy_from_slice(&sealed(1, 101, 60));
        images[1][180..240].copy_from_slice(&sealed(4, 400, 60));
        s.put_interval(&images[0]).unwrap();
        assert_eq!(codes(t.put_interval(&images[1])), (8, 20), "{organization:?}");
        assert_eq!(values(&open)[..4], [101, 200, 300, 4], "{organization:?}");
    }
}

#[test]
fn a_slot_that_was_filled_or_emptied_since_the_get_stays_so() {
    let (_world, _engine, open) = loaded(Organization::Rrds);
    let (mut s, mut t) = (open.string(), open.string());
    for round in 0..2 {
        let mut image = get(&mut s, 512);
        image[..60].copy_from_slice(&sealed(9, 900, 60));
        if round == 0 {
            t.insert_at(13, &sealed(13, 13, 60), Insert::Direct).unwrap();
        } else {
            hold(&mut t, Organization::Rrds, 10);
            t.erase().unwrap();
        }
        assert_eq!(codes(s.put_interval(&image)), (8, 20), "{round}");
    }
    assert_eq!(values(&open)[8..], [9, 11, 12, 13]);
    let mut image = get(&mut s, 512);
    image[..60].copy_from_slice(&sealed(9, 900, 60));
    s.put_interval(&image).unwrap();
    assert_eq!(values(&open)[8..], [900, 11, 12, 13]);
}

#[test]
fn a_control_interval_of_a_linear_data_set_is_put_back_over_what_was_got_alone() {
    const CISZ: usize = 4096;
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "l", |data, _| {
        (data.organization, data.ci_size, data.key_length) = (Organization::Lds, CISZ as u32, 0);
        (data.average_record, data.maximum_record) = (0, 0);
    });
    let open = world.open(&engine, "l");
    let (mut s, mut t) = (open.string(), open.string());
    s.write_range(0, &[1; 2 * CISZ]).unwrap();
    let there = || {
        let mut bytes = vec![0; 2 * CISZ];
        open.string().read_range(0, &mut bytes).unwrap();
        (bytes[0], bytes[CISZ])
    };
    get(&mut s, CISZ as u64);
    get(&mut t, CISZ as u64);
    s.put_interval(&[2; CISZ]).unwrap();
    assert_eq!(codes(t.put_interval(&[3; CISZ])), (8, 20));
    assert_eq!(there(), (1, 2));
    get(&mut t, CISZ as u64);
    s.write_range(CISZ as u64, &[4; CISZ]).unwrap();
    assert_eq!(codes(t.put_interval(&[3; CISZ])), (8, 20));
    // What another holds, though it has not changed it.
    get(&mut t, CISZ as u64);
    let rba = Argument::Rba(CISZ as u64);
    s.get(rba, Search::Equal, Intent::Update).unwrap();
    assert_eq!(codes(t.put_interval(&[3; CISZ])), (8, 20));
    assert_eq!(there(), (1, 4));
    s.end();
    t.put_interval(&[3; CISZ]).unwrap();
    assert_eq!(there(), (1, 3));
}

#[test]
fn slots_of_an_rrds_are_filled_and_emptied_by_their_control_interval() {
    let (world, engine, open) = loaded(Organization::Rrds);
    let mut s = open.string();
    let mut image = get(&mut s, 512);
    slots::set_full(&mut image, 0, false);
    slots::set_full(&mut image, 7, true);
    image[7 * 60..8 * 60].copy_from_slice(&sealed(16, 16, 60));
    image[60..120].copy_from_slice(&sealed(10, 1000, 60));
    s.put_interval(&image).unwrap();
    let mut wrong = image.clone();
    wrong[SIZE - 5] ^= 1;
    get(&mut s, 512);
    assert_eq!(codes(s.put_interval(&wrong)), (8, 156));
    open.commit().unwrap();
    drop((s, open, engine));
    let engine = world.engine();
    let open = world.open(&engine, "d");
    assert_sound(&open);
    assert_eq!(values(&open)[8..], [1000, 11, 12, 16]);
    assert_eq!(open.statistics().0.records, 12);
}

#[test]
fn a_spanned_record_is_not_replaced_by_segments() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        data.organization = Organization::Esds;
        (data.key_length, data.spanned, data.maximum_record) = (0, true, 1500);
    });
    let open = world.open(&engine, "d");
    open.string().insert(&sealed(1, 1, 1400), Insert::Sequential).unwrap();
    open.close().unwrap();
    let open = world.open(&engine, "d");
    let mut s = open.string();
    let image = get(&mut s, 512);
    assert_eq!(codes(s.put_interval(&image)), (8, 156));
}

/// A data set whose control areas have four CIs, with buffers of its own, or shared ones.
fn buffered(world: &World, engine: &Engine, organization: Organization, buffers: Buffering) -> DataSet {
    world.create(engine, "b", |data, _| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        (data.average_record, data.maximum_record) = (60, 60);
        data.ci_per_ca = 4;
    });
    let open = world.open(engine, "b");
    let mut s = open.string();
    for n in 1..=60 {
        s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    open.close().unwrap();
    world.open_with(engine, "b", OpenOptions::output().buffered(buffers))
}

#[test]
fn many_control_intervals_are_got_with_one_request_for_each_control_area() {
    let own = Buffering::default();
    for organization in [Organization::Ksds, Organization::Esds] {
        let world = World::memory();
        let engine = world.engine();
        let open = buffered(&world, &engine, organization, own);
        let counts = || {
            let data = open.buffers().unwrap().1.data;
            (data.reads, data.cis_read, data.writes)
        };
        let mut s = open.string();
        let mut area = vec![0; 6 * SIZE];
        // Two of the first control area and four of the second.
        assert_eq!(s.get_intervals(2 * SIZE as u64, &mut area, Intent::Read).unwrap(), 6);
        assert_eq!(counts(), (2, 6, 0), "{organization:?}");
        for (n, image) in area.chunks(SIZE).enumerate() {
            let alone = s.get_interval((n as u64 + 2) * SIZE as u64, Intent::Read).unwrap();
            assert_eq!(alone.bytes, image, "{organization:?} {n}");
        }
        // By themselves they pass through the only buffer for them, and what that holds is not read again.
        assert_eq!(counts(), (8, 12, 0));
        s.get_interval(7 * SIZE as u64, Intent::Read).unwrap();
        assert_eq!(counts(), (8, 12, 0));
        // To the caller's area it is.
        assert_eq!(
            s.get_intervals(7 * SIZE as u64, &mut area[..SIZE], Intent::Update)
                .unwrap(),
            1
        );
        assert_eq!(counts(), (9, 13, 0));
        s.put_interval(&area[..SIZE]).unwrap();
        assert_eq!(counts(), (9, 13, 0), "what was not changed is not written");
        s.get_intervals(0, &mut area[..SIZE], Intent::Update).unwrap();
        let mut spans = Vec::new();
        ci::parse(&area[..SIZE], &mut spans).unwrap();
        let at = usize::from(spans[0].0);
        area[at..at + 60].copy_from_slice(&sealed(1, 77, 60));
        s.put_interval(&area[..SIZE]).unwrap();
        assert_eq!(counts(), (10, 14, 1));
        // As far as there are some.
        let mut all = vec![0; 100 * SIZE];
        let got = s.get_intervals(0, &mut all, Intent::Read).unwrap();
        assert!((8..100).contains(&got), "{got}");
        drop(s);
        open.close().unwrap();
        assert_eq!(values(&world.open(&engine, "b"))[0], 77);
    }
}

/// Gives the first record of each control interval of an area this value.
fn changed(area: &[u8], value: u64) -> Vec<u8> {
    let mut area = area.to_vec();
    for image in area.chunks_mut(SIZE) {
        let number = std::str::from_utf8(&image[..8]).unwrap().parse().unwrap();
        image[..60].copy_from_slice(&sealed(number, value, 60));
    }
    area
}

#[test]
fn many_control_intervals_are_put_back_with_one_request_for_each_control_area() {
    for organization in [Organization::Ksds, Organization::Esds] {
        let world = World::memory();
        let engine = world.engine();
        let open = buffered(&world, &engine, organization, Buffering::default());
        let counts = || {
            let data = open.buffers().unwrap().1.data;
            (data.reads, data.writes, data.cis_written)
        };
        let mut s = open.string();
        let mut area = vec![0; 6 * SIZE];
        assert_eq!(s.get_intervals(2 * SIZE as u64, &mut area, Intent::Update).unwrap(), 6);
        s.put_interval(&changed(&area, 77)).unwrap();
        assert_eq!(counts(), (2, 2, 6), "{organization:?}");
        assert_eq!(codes(s.put_interval(&area)), (8, 92), "they are put once");
        let mut again = vec![0; 6 * SIZE];
        s.get_intervals(2 * SIZE as u64, &mut again, Intent::Read).unwrap();
        assert_eq!(again, changed(&area, 77));
        drop(s);
        open.close().unwrap();
        let there = values(&world.open(&engine, "b"));
        assert_eq!(there.iter().filter(|value| **value == 77).count(), 6);
        assert_eq!(there.len(), 60);
    }
}

#[test]
fn of_many_control_intervals_none_is_put_where_one_is_refused() {
    for organization in [Organization::Ksds, Organization::Esds, Organization::Rrds] {
        let (_world, _engine, open) = loaded(organization);
        let before = values(&open);
        let (mut s, mut t) = (open.string(), open.string());
        let mut area = vec![0; 9 * SIZE];
        let count = s.get_intervals(0, &mut area, Intent::Update).unwrap();
        assert!((2..9).contains(&count), "only what is in use: {count}");
        area.truncate(2 * SIZE);
        // One control information is broken, or one key is another.
        let good = changed(&area, 105);
        let mut wrong = good.clone();
        wrong[2 * SIZE - 3] ^= 0x40;
        assert_eq!(codes(s.put_interval(&wrong)), (8, 156), "{organization:?}");
        if organization == Organization::Ksds {
            let mut wrong = good.clone();
            wrong[SIZE] ^= 0x40;
            assert_eq!(codes(s.put_interval(&wrong)), (8, 96));
        }
        for length in [0, 1, SIZE + 1] {
            assert_eq!(
                codes(s.put_interval(&good[..length])),
                (8, 108),
                "{organization:?} {length}"
            );
        }
        assert_eq!(codes(s.put_interval(&vec![0; (count + 1) * SIZE])), (8, 92));
        assert_eq!(values(&open), before);
        // Another has changed the second since.
        t.get_interval(SIZE as u64, Intent::Update).unwrap();
        t.put_interval(&changed(&area[SIZE..], 104)).unwrap();
        let since = values(&open);
        assert_eq!(codes(s.put_interval(&good)), (8, 20), "{organization:?}");
        assert_eq!(values(&open), since);
        // The first alone may be put of several that were got, and all that are as they were got.
        s.put_interval(&good[..SIZE]).unwrap();
        s.get_intervals(0, &mut area, Intent::Update).unwrap();
        s.put_interval(&changed(&area, 106)).unwrap();
        assert_eq!(values(&open).iter().filter(|value| **value == 106).count(), 2);
        // A record that another holds.
        s.get_intervals(0, &mut area, Intent::Update).unwrap();
        hold(&mut t, organization, 1);
        assert_eq!(codes(s.put_interval(&changed(&area, 107))), (8, 20), "{organization:?}");
        assert_eq!(values(&open).iter().filter(|value| **value == 107).count(), 0);
    }
}

#[test]
fn what_cannot_be_got_to_an_area_is_refused_and_transfers_nothing() {
    for buffers in [None, Some(Buffering::default())] {
        let world = World::memory();
        let engine = world.engine();
        let open = match buffers {
            Some(buffers) => buffered(&world, &engine, Organization::Esds, buffers),
            None => {
                let open = buffered(&world, &engine, Organization::Esds, Buffering::default());
                open.close().unwrap();
                world.open(&engine, "b")
            }
        };
        let mut s = open.string();
        let mut area = vec![0; 2 * SIZE];
        for len in [0, 1, SIZE - 1, SIZE + 1] {
            assert_eq!(
                codes(s.get_intervals(0, &mut area[..len], Intent::Read)),
                (8, 108),
                "{len}"
            );
        }
        for rba in [1, 1 << 45, u64::MAX] {
            assert_eq!(codes(s.get_intervals(rba, &mut area, Intent::Read)), (8, 32), "{rba}");
        }
        assert_eq!(codes(s.put_interval(&area[..SIZE])), (8, 92));
        if let Some((_, counts)) = open.buffers() {
            assert_eq!(counts.excps(), 0);
        }
    }
}

#[test]
fn control_intervals_pass_through_shared_buffers_too() {
    let world = World::memory();
    let engine = world.engine();
    let pool = engine.build_pool(1, &PoolBuffers::default().data(512, 3)).unwrap();
    let shared = Buffering {
        pool: Some(1),
        deferred: true,
        ..Buffering::default()
    };
    let open = buffered(&world, &engine, Organization::Esds, shared);
    let mut s = open.string();
    let mut area = vec![0; 2 * SIZE];
    s.get_intervals(0, &mut area, Intent::Read).unwrap();
    s.get_interval(0, Intent::Update).unwrap();
    assert_eq!((pool.counts()[0].reads, pool.counts()[0].hits), (2, 1));
    let mut spans = Vec::new();
    ci::parse(&area[..SIZE], &mut spans).unwrap();
    let at = usize::from(spans[0].0);
    area[at..at + 60].copy_from_slice(&sealed(1, 77, 60));
    s.put_interval(&area[..SIZE]).unwrap();
    assert_eq!(pool.counts()[0].user_writes, 0);
    assert_eq!(open.write_buffers().unwrap(), 1);
}

#[test]
fn a_control_interval_is_put_back_by_who_has_locked_its_records_and_by_nobody_else() {
    for organization in [Organization::Ksds, Organization::Esds, Organization::Rrds] {
        let (_world, _engine, open) = loaded(organization);
        let identity = match organization {
            Organization::Ksds => key(1),
            Organization::Rrds => 1u64.to_be_bytes().to_vec(),
            _ => 0u64.to_be_bytes().to_vec(),
        };
        let (mut s, mut t) = (open.string(), open.string());
        s.lock(&identity, LockMode::Exclusive, Patience::None).unwrap();
        let mut image = get(&mut t, 0);
        image[..60].copy_from_slice(&sealed(1, 2, 60));
        assert_eq!(codes(t.put_interval(&image)), (8, 20), "{organization:?}");
        get(&mut s, 0);
        s.put_interval(&image).unwrap();
        assert_eq!(values(&open)[0], 2, "{organization:?}");
        // What it has got for update is written over by nobody, itself neither.
        hold(&mut s, organization, 1);
        let image = get(&mut s, 0);
        let mut other = image.clone();
        other[..60].copy_from_slice(&sealed(1, 3, 60));
        assert_eq!(codes(s.put_interval(&other)), (8, 20), "{organization:?}");
    }
}

#[test]
fn bytes_that_are_no_control_intervals_are_told_how_many_one_has() {
    let (_world, _engine, open) = loaded(Organization::Ksds);
    let mut s = open.string();
    let words = |error: RequestError| (error.feedback().reason, error.to_string());
    let (reason, told) = words(s.get_intervals(0, &mut [0; SIZE + 1], Intent::Read).unwrap_err());
    assert_eq!(reason, 108);
    assert!(
        told.starts_with("513 bytes were given, a control interval of this data set has 512: one or more times that"),
        "{told}"
    );
    assert_eq!(words(s.get_intervals(0, &mut [], Intent::Read).unwrap_err()).0, 108);
    // What was got before is given up, whatever came of it.
    let image = get(&mut s, 0);
    s.get_intervals(0, &mut [0; SIZE + 1], Intent::Update).unwrap_err();
    assert_eq!(codes(s.put_interval(&image)), (8, 92));
    get(&mut s, 0);
    let (reason, told) = words(s.put_interval(&[0; SIZE - 1]).unwrap_err());
    assert_eq!(reason, 108);
    assert!(
        told.starts_with("511 bytes were given, a control interval of this data set has 512: just that"),
        "{told}"
    );
}
