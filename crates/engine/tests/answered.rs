//! Law 6: what was answered survives `kill -9` of its process at every level of durability, without a sync.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::LinuxDisk;
use cica_engine::*;
use common::bytes::bytes_of;
use common::keyed::loaded;
use common::*;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Where the child works, and at which level.
const PLACE: &str = "CICA_ANSWERED_IN";
const LEVEL: &str = "CICA_ANSWERED_AT";

/// A directory that is gone when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        let path = std::env::temp_dir().join(format!("cica-answered-{}", std::process::id()));
        for directory in ["v", "log"] {
            std::fs::create_dir_all(path.join(directory)).unwrap();
        }
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left lies in the system's directory for such files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn world_at(place: &Path) -> World {
    World::on(Arc::new(LinuxDisk::new()), place)
}

/// The process that is killed: inserts, and tells each key once it was answered. It ends when nobody listens.
#[test]
fn a_process_that_answers() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let durability = match std::env::var(LEVEL).as_deref() {
        Ok("commit") => Durability::Commit,
        _ => Durability::Close,
    };
    let world = world_at(Path::new(&place));
    let (data, index) = world.paths("a");
    let options = OpenOptions {
        access: Access::Output,
        durability,
        ..OpenOptions::default()
    };
    let ds = world.engine().open(&data, &index, options).unwrap();
    let (mut string, first) = (ds.string(), ds.statistics().0.records);
    let mut told = std::io::stdout();
    for n in first..first + 1_000_000 {
        // Scattered, and the next ones of a round between those of the rounds before.
        let n = n.wrapping_mul(7_919) % 1_000_003 * 8 + 1;
        match string.insert(&sealed(n, n, 60), Insert::Direct) {
            Ok(_) => {}
            Err(RequestError::Duplicate { .. }) => continue,
            Err(error) => panic!("{error}"),
        }
        if told.write_all(format!("told {n}\n").as_bytes()).is_err() {
            return;
        }
    }
}

/// The log is named before the first change; where that is refused and no other comes, the data set needs no log.
#[test]
fn a_close_behind_nothing_but_refusals_leaves_a_root_that_names_no_log() {
    let world = World::memory();
    loaded(&world, &world.engine(), "a", 100);
    let (data, _) = world.paths("a");
    let before = bytes_of(&*world.disk, &data);
    let engine = world.engine();
    let ds = world.open(&engine, "a");
    let taken = ds.string().insert(&sealed(0, 0, 60), Insert::Direct);
    assert!(matches!(taken, Err(RequestError::Duplicate { .. })), "{taken:?}");
    assert_ne!(engine.peek(&data).unwrap().log.log, 0, "nothing was named");
    ds.close().unwrap();
    assert_eq!(engine.peek(&data).unwrap().log.log, 0);
    assert_eq!(bytes_of(&*world.disk, &data).len(), before.len());
    assert_eq!(
        world
            .open_with(&world.engine(), "a", OpenOptions::default())
            .statistics()
            .0
            .records,
        100
    );
}

#[test]
fn what_was_answered_survives_a_kill() {
    let scratch = Scratch::new();
    let world = world_at(&scratch.0);
    loaded(&world, &world.engine(), "a", 100);
    let mut answered = BTreeSet::new();
    for round in 0..24_u64 {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_process_that_answers", "--nocapture"])
            .env(PLACE, &scratch.0)
            .env(LEVEL, ["close", "commit"][round as usize % 2])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // From the first insert to some thousand, so that the kill meets CI splits and full stripes.
        let enough = 1 + (round * round * 37 % 4_000) as usize;
        let number = |line: String| line.strip_prefix("told ").map(|n| n.parse::<u64>().unwrap());
        let before = answered.len();
        answered.extend(lines.by_ref().map_while(Result::ok).filter_map(number).take(enough));
        assert_eq!(answered.len(), before + enough, "round {round}: it ended by itself");
        child.kill().unwrap();
        answered.extend(lines.map_while(Result::ok).filter_map(number));
        child.wait().unwrap();
        let engine = world.engine();
        let ds = world.open_with(&engine, "a", OpenOptions::default());
        assert_sound(&ds);
        let mut string = ds.string();
        for n in &answered {
            let found = string.get(&key(*n), Search::Equal, Intent::Read);
            assert!(found.is_ok(), "round {round}: {n} was answered and is gone");
        }
    }
}
