//! What a large data set takes of memory in a small pool: the pool's charge beside what the system counts.
//!
//! `cargo run --release -p cica-engine --example bound -- [GB of data] [MB of pool] [directory] [CISZ] [CIs per CA]`

mod common;

use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::process_time;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RECORD: usize = 1000;

struct Phases {
    engine: Engine,
    started: (Instant, Duration),
}

impl Phases {
    /// One line: time, the memory this process has of its own (now, and the most so far), and the pool's word.
    fn end(&mut self, what: &str, n: u64) {
        let (wall, cpu) = (self.started.0.elapsed(), process_time() - self.started.1);
        let (limit, charged) = self.engine.pool_use();
        println!(
            "{what:<22}{n:>10} in {:>7.1} s, {:>7.1} s CPU; own memory {:>7.1} MB; charged {:>6.1} of {:.0} MB",
            wall.as_secs_f64(),
            cpu.as_secs_f64(),
            status("RssAnon:") / 1024.0,
            charged as f64 / f64::from(1 << 20),
            limit as f64 / f64::from(1 << 20),
        );
        self.started = (Instant::now(), process_time());
    }
}

/// A line of `/proc/self/status`, in KiB.
fn status(line: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = text.lines().find_map(|l| l.strip_prefix(line));
    found
        .and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0)
}

fn attributes(name: &str, ci_size: u32, ci_per_ca: u16) -> Attributes {
    Attributes {
        cluster_name: "BOUND".into(),
        key_length: 12,
        average_record: RECORD as u32,
        maximum_record: RECORD as u32,
        speed: true,
        primary: 1 << 42,
        secondary: 1 << 30,
        volume: "V".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    }
}

fn set_key(record: &mut [u8], mut n: u64) {
    for digit in record[..12].iter_mut().rev() {
        *digit = b'0' + (n % 10) as u8;
        n /= 10;
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |or: u64| args.next().and_then(|a| a.parse().ok()).unwrap_or(or);
    let (gb, mb) = (number(1), number(64));
    let dir = args.next().unwrap_or("/tmp/cica-bound".into());
    let mut number = |or: u64| args.next().and_then(|a| a.parse().ok()).unwrap_or(or);
    let (ci_size, ci_per_ca) = (number(4096) as u32, number(180) as u16);
    let dir = Path::new(&dir);
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir.join("log")).expect("directory");
    let engine = Engine::new(Env {
        disk: Arc::new(LinuxDisk::new()),
        clock: Arc::new(SystemClock),
        log_dir: dir.join("log"),
        pool_bytes: Some((mb << 20) as usize),
        io: std::env::var("CICA_IO").map_or(Io::Auto, |io| io.parse().expect("CICA_IO")),
        background: true,
    })
    .expect("engine");
    let (data, index) = (dir.join("data"), dir.join("index"));
    let definition = Definition {
        data_path: data.clone(),
        index_path: index.clone(),
        data: attributes("BOUND.DATA", ci_size, ci_per_ca),
        index: Some(attributes("BOUND.INDEX", 4096, 12)),
    };
    engine.create(&definition).expect("create");
    let output = OpenOptions {
        access: Access::Output,
        ..Default::default()
    };
    let open = || engine.open(&data, &index, output).expect("open");
    let n = gb * 1_000_000_000 / RECORD as u64;
    let before = status("RssAnon:") / 1024.0;
    println!("{n} records of {RECORD} bytes; own memory before anything {before:.1} MB");
    let mut phase = Phases {
        engine: engine.clone(),
        started: (Instant::now(), process_time()),
    };

    let ds = open();
    let mut s = ds.string();
    let mut record = vec![b'x'; RECORD];
    for k in 0..n {
        set_key(&mut record, k * 2);
        s.insert(&record, Insert::Sequential).expect("load");
    }
    phase.end("load", n);
    drop(s);
    ds.close().expect("close");
    phase.end("close", 1);

    let ds = open();
    phase.end("open", 1);
    let mut s = ds.string();
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n * 2
    };
    let requests = 300_000;
    let mut key = [0; 12];
    for _ in 0..requests {
        set_key(&mut key, random());
        s.get(&key, Search::Equal, Intent::Read).expect("get");
    }
    phase.end("random gets", requests);
    let mut waits = Vec::with_capacity(requests as usize);
    for _ in 0..requests {
        let start = Instant::now();
        set_key(&mut key, random());
        record.copy_from_slice(s.get(&key, Search::Equal, Intent::Update).expect("get").bytes);
        record[500] = record[500].wrapping_add(1);
        s.update(&record).expect("update");
        waits.push(start.elapsed());
    }
    phase.end("random updates", requests);
    waits.sort_unstable();
    let at = |part: f64| waits[((waits.len() - 1) as f64 * part) as usize].as_secs_f64();
    println!(
        "{:22}with a commit of all trees: p50 {:.1} us, p99.9 {:.0} us, {} above 20 ms, the longest {:.1} ms",
        "",
        at(0.5) * 1e6,
        at(0.999) * 1e6,
        waits.iter().filter(|wait| wait.as_millis() > 20).count(),
        at(1.0) * 1e3
    );
    for _ in 0..requests / 10 {
        set_key(&mut record, random() + 1);
        match s.insert(&record, Insert::Direct) {
            Ok(_) | Err(RequestError::Duplicate { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    phase.end("random inserts", requests / 10);
    s.point_first().expect("point");
    let mut seen = 0;
    while let Ok(found) = s.next(Intent::Read) {
        seen += (found.bytes.len() == RECORD) as u64;
    }
    assert!(seen >= n, "{seen} records of {n}");
    phase.end("scan", seen);
    drop(s);
    ds.close().expect("close");
    phase.end("close", 1);
    println!("most memory at any time: {:.1} MB", status("VmHWM:") / 1024.0);
    let _ = std::fs::remove_dir_all(dir);
}
