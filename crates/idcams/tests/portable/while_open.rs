//! BACKUP of data sets that are open for output: the copy has what was committed at its moment, and no more.

use crate::files::{leftovers, live, on_volume, records, Files, SMALL};
use crate::world::World;
use cica_admin::named::Named;
use cica_admin::portable::Recover;
use cica_disk::MemoryDisk;
use cica_engine::{Access, DataSet, Insert, Intent, OpenOptions, Search};
use std::sync::Arc;

fn open(world: &World, name: &str) -> DataSet {
    let cluster = world.cluster(name).into();
    let services = &world.services;
    cica_session::open(&services.catalog, &services.engine, &cluster, OpenOptions::output()).unwrap()
}

fn key(n: usize) -> Vec<u8> {
    format!("{n:011}").into_bytes()
}

fn text(n: usize, what: &str) -> Vec<u8> {
    format!("{n:011}{what:49}").into_bytes()
}

#[test]
fn what_open_units_have_done_is_not_in_the_copy_and_what_was_committed_is() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 400);
    let before = records(&world, "PAY.SMALL");
    let data_set = open(&world, "PAY.SMALL");
    data_set.string().insert(&text(2, "ALONE"), Insert::Direct).unwrap();
    let unit = world.services.engine.unit();
    let mut string = data_set.string_in(&unit);
    for n in (100..300).step_by(4) {
        string.insert(&text(n + 3, "IN A UNIT"), Insert::Direct).unwrap();
        string.get(&key(n + 1)[..], Search::Equal, Intent::Update).unwrap();
        string.erase().unwrap();
        string.get(&key(n + 201)[..], Search::Equal, Intent::Update).unwrap();
        string.update(&text(n + 201, "CHANGED")).unwrap();
    }
    files.dd(&mut world, "COPY");
    let (cc, listing) = world.run("BACKUP (PAY.SMALL) OUTFILE(COPY)");
    assert_eq!(cc, 0, "{listing}");
    assert!(
        listing.contains("CICA1016I PAY.SMALL IS OPEN FOR OUTPUT AND COPIED AS OF "),
        "{listing}"
    );
    drop(string);
    unit.commit().unwrap();
    world.ok("RESTORE INFILE(COPY) RENAME((PAY.* OLD.*))\nEXAMINE NAME(OLD.SMALL) ITEST DTEST");
    let mut expected = before;
    expected.push(text(2, "ALONE"));
    expected.sort();
    assert!(records(&world, "OLD.SMALL") == expected);
    drop(unit);
    data_set.close().unwrap();
    let now = records(&world, "PAY.SMALL");
    assert_eq!((now.len(), leftovers(&world)), (expected.len(), 0));
    assert!(now != expected, "the unit has committed");
}

#[test]
fn a_base_is_copied_with_its_alternate_index_and_they_agree() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 200);
    world.ok(
        "DEF AIX (NAME(PAY.BYNAME) RELATE(PAY.SMALL) TRK(1 1) KEYS(9 11) RECSZ(40 900) CISZ(1024) NUNQK UPGRADE)\n\
         BLDINDEX INDATASET(PAY.SMALL) OUTDATASET(PAY.BYNAME)",
    );
    let data_set = open(&world, "PAY.SMALL");
    let unit = world.services.engine.unit();
    let mut string = data_set.string_in(&unit);
    for n in 0..50 {
        string
            .insert(&text(4 * n + 3, &format!("NAME{n:05}")), Insert::Direct)
            .unwrap();
    }
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.**) OUTFILE(COPY)\nRESTORE INFILE(COPY) RENAME((PAY.* OLD.*))");
    world.ok("EXAMINE NAME(OLD.SMALL) ITEST DTEST\nEXAMINE NAME(OLD.BYNAME) ITEST DTEST");
    let listed = world.run("PRINT INDATASET(OLD.BYNAME)").1;
    assert!(!listed.contains("NAME000"), "{listed}");
    assert_eq!(records(&world, "OLD.SMALL").len(), 260);
    // They open together.
    open(&world, "OLD.SMALL").close().unwrap();
    drop(string);
    unit.backout().unwrap();
    drop(unit);
    data_set.close().unwrap();
}

#[test]
fn every_organization_is_copied_while_it_is_open() {
    for define in ["NONINDEXED", "NUMBERED", "LINEAR"] {
        let (mut world, files) = (World::new(), Files::new());
        let size = if define == "LINEAR" { "" } else { "RECSZ(20 80)" };
        world.ok(&format!("DEF CL (NAME(PAY.ANY) {define} TRK(1 1) {size})"));
        let change = |data_set: &DataSet, n: u8| match define {
            "LINEAR" => data_set.string().write_range(u64::from(n) * 4096, &[n; 4096]).unwrap(),
            _ => drop(data_set.string().insert(&[n; 40], Insert::Sequential)),
        };
        let data_set = open(&world, "PAY.ANY");
        change(&data_set, 0);
        data_set.close().unwrap();
        let data_set = open(&world, "PAY.ANY");
        (1..60).for_each(|n| change(&data_set, n));
        files.dd(&mut world, "COPY");
        world.ok("BACKUP (PAY.ANY) OUTFILE(COPY)");
        (60..80).for_each(|n| change(&data_set, n));
        world.ok("RESTORE INFILE(COPY) RENAME((PAY.* OLD.*))");
        match define {
            "LINEAR" => assert_eq!(open(&world, "OLD.ANY").linear_length(), Some(60 * 4096)),
            _ => {
                let (old, mut count) = (open(&world, "OLD.ANY"), 0);
                let mut string = old.string();
                while string.next(Intent::Read).is_ok() {
                    count += 1;
                }
                assert_eq!(count, 60, "{define}");
            }
        }
        data_set.close().unwrap();
    }
}

/// Somebody makes a checkpoint in the middle: what was read may be of two moments.
#[test]
fn a_copy_whose_trees_were_committed_meanwhile_gets_no_end() {
    let disk = crate::meanwhile::Meanwhile::on(MemoryDisk::new());
    let (mut world, files) = (World::on(Arc::new(disk.clone())), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 100);
    let data_set = open(&world, "PAY.SMALL");
    data_set.string().insert(&text(2, "ALONE"), Insert::Direct).unwrap();
    let (index, same) = (world.paths("PAY.SMALL").1, data_set.clone());
    let mut due = true;
    disk.act(move |path, how| {
        // Its trees are pinned when the index is opened to be copied.
        if path == index && !how.write && std::mem::take(&mut due) {
            same.string().insert(&text(6, "ALONE"), Insert::Direct).unwrap();
            same.checkpoint().unwrap();
        }
        None
    });
    files.dd(&mut world, "COPY");
    world.refused(
        "BACKUP (PAY.SMALL) OUTFILE(COPY)",
        12,
        &["CICA1016I", "CICA0960I", "CICA1017E"],
        "WAS NOT COPIED",
    );
    assert!(!files.path("COPY").exists());
    files.dd(&mut world, "AGAIN");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(AGAIN)");
    assert_eq!(on_volume(&world).len(), 2);
    data_set.close().unwrap();
}

/// What another process has open, which shares it with nobody, is told as before.
#[test]
fn what_another_process_has_for_itself_is_not_copied() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 20);
    let other = world.other();
    let data_set = other.open("PAY.SMALL", Access::Output);
    data_set.string().insert(&text(2, "ALONE"), Insert::Direct).unwrap();
    files.dd(&mut world, "COPY");
    world.refused("BACKUP (PAY.SMALL) OUTFILE(COPY)", 12, &["IDC3300I", "IDC3351I"], "168");
    data_set.close().unwrap();
}

/// EXPORT TEMPORARY copies what is in use as BACKUP does. What would go is not copied, nor record by record.
#[test]
fn export_copies_what_is_open_as_of_a_moment_when_it_stays() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 200);
    let before = records(&world, "PAY.SMALL");
    let data_set = open(&world, "PAY.SMALL");
    let unit = world.services.engine.unit();
    let mut string = data_set.string_in(&unit);
    for n in 0..50 {
        string.insert(&text(4 * n + 3, "IN A UNIT"), Insert::Direct).unwrap();
    }
    for refused in ["", " TEMPORARY RECORDMODE"] {
        files.dd(&mut world, "NONE");
        let cards = format!("EXPORT PAY.SMALL OUTFILE(NONE){refused}");
        world.refused(&cards, 12, &["IDC3300I", "IDC3351I"], "168");
        assert!(!files.path("NONE").exists());
    }
    files.dd(&mut world, "COPY");
    let (cc, listing) = world.run("EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY");
    assert_eq!(cc, 0, "{listing}");
    assert!(listing.contains("CICA1016I PAY.SMALL IS OPEN FOR OUTPUT"), "{listing}");
    drop(string);
    unit.commit().unwrap();
    drop(unit);
    data_set.close().unwrap();
    assert_eq!(records(&world, "PAY.SMALL").len(), before.len() + 50);
    world.ok("IMPORT INFILE(COPY) OUTDATASET(PAY.SMALL)\nEXAMINE NAME(PAY.SMALL) ITEST DTEST");
    assert!(records(&world, "PAY.SMALL") == before);
    assert_eq!(leftovers(&world), 0);
}

/// Without an archive nothing is done again behind a copy. That nothing was changed is known from the data set alone.
#[test]
fn what_was_changed_behind_a_copy_and_not_archived_is_not_given_up() {
    for (changes, unit_commits) in [(false, false), (true, false), (false, true)] {
        let (mut world, files) = (World::new(), Files::new());
        world.ok(SMALL);
        live(&world, "PAY.SMALL", 100);
        let data_set = open(&world, "PAY.SMALL");
        data_set.string().insert(&text(2, "BEFORE"), Insert::Direct).unwrap();
        let unit = world.services.engine.unit();
        if unit_commits {
            data_set
                .string_in(&unit)
                .insert(&text(3, "IN A UNIT"), Insert::Direct)
                .unwrap();
        }
        files.dd(&mut world, "COPY");
        world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY)");
        unit.commit().unwrap();
        drop(unit);
        if changes {
            data_set.string().insert(&text(6, "BEHIND"), Insert::Direct).unwrap();
        }
        data_set.close().unwrap();
        let before = records(&world, "PAY.SMALL");
        let request = Recover {
            name: "PAY.SMALL".into(),
            from: Named::Dd("COPY".into()),
            until: None,
        };
        let outcome = world.services.recover(&request);
        let refused = changes || unit_commits;
        assert_eq!(
            outcome.condition,
            if refused { 12 } else { 0 },
            "{:?}",
            outcome.messages
        );
        assert!(records(&world, "PAY.SMALL") == before, "{changes} {unit_commits}");
    }
}
