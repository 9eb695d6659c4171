//! The pool's bound is the bound of everything: what a process takes of memory for its data sets beyond it is counted
//! by the system, not by the engine.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::LinuxDisk;
use cica_engine::*;
use common::*;
use std::sync::Arc;

/// Most memory the process had at any time, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() << 10
}

/// Loads, updates all over, scans and closes data ten times as large as the pool.
#[test]
fn a_process_takes_no_more_memory_than_its_pool() {
    const POOL: usize = 12 << 20;
    // Huge pages are taken whole, and what a thread has on its stack is its own.
    const SLACK: usize = 3 << 20;
    let root = std::env::temp_dir().join(format!("cica-bound-{}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    let mut world = World::on(Arc::new(LinuxDisk::new()), &root);
    world.pool_bytes = POOL;
    let before = peak();
    let engine = world.engine();
    world.create(&engine, "a", |data, index| {
        (data.ci_size, data.ci_per_ca, index.ci_size) = (4096, 180, 4096);
        (data.primary, data.secondary, index.primary, index.secondary) = (1 << 30, 1 << 20, 8 << 20, 8 << 20);
    });
    let (records, len) = (300_000, 400);
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..records {
        s.insert(&sealed(n, 0, len), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let (mut s, mut random) = (ds.string(), Random(7));
    for _ in 0..60_000 {
        let n = random.below(records);
        let value = unsealed(s.get(&key(n), Search::Equal, Intent::Update).unwrap().bytes);
        s.update(&sealed(n, value + 1, len)).unwrap();
    }
    s.point_first().unwrap();
    let mut seen = 0;
    while let Ok(record) = s.next(Intent::Read) {
        seen += unsealed(record.bytes);
    }
    assert_eq!(seen, 60_000);
    drop(s);
    ds.close().unwrap();
    let (limit, charged) = engine.pool_use();
    drop(engine);
    std::fs::remove_dir_all(&root).unwrap();
    assert!(charged <= limit);
    let taken = peak() - before;
    assert!(
        taken <= POOL + SLACK,
        "{taken} bytes of memory taken, the pool's bound is {POOL}"
    );
}
