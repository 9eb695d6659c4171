//! What the common requests cost, in nanoseconds of this thread's processor time: a first look, not the benchmark
//! (bench/).
//!
//! `cargo run --release -p cica-engine --example quick -- [records] [directory]`

mod common;

use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::thread_time;
use std::sync::Arc;
use std::time::Instant;

fn measure(what: &str, n: u64, f: impl FnOnce()) {
    let (wall, cpu) = (Instant::now(), thread_time());
    f();
    let (wall, cpu) = (wall.elapsed(), thread_time() - cpu);
    println!(
        "{what:<28}{:>9.0} ns CPU {:>9.0} ns wall",
        cpu.as_nanos() as f64 / n as f64,
        wall.as_nanos() as f64 / n as f64
    );
}

fn record(key: u64) -> Vec<u8> {
    let mut r = format!("{key:016}").into_bytes();
    r.resize(216, b'x');
    r
}

fn main() {
    let mut args = std::env::args().skip(1);
    let n: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let dir = std::path::PathBuf::from(args.next().unwrap_or("/tmp/cica-quick".into()));
    let ci_size: u32 = args.next().and_then(|a| a.parse().ok()).unwrap_or(4096);
    let ci_per_ca: u16 = args.next().and_then(|a| a.parse().ok()).unwrap_or(180);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("log")).expect("directory");
    let env = Env {
        disk: Arc::new(LinuxDisk::new()),
        clock: Arc::new(SystemClock),
        log_dir: dir.join("log"),
        pool_bytes: Some(4 << 30),
        io: Default::default(),
        background: true,
    };
    let attributes = |name: &str, ci_size: u32, ci_per_ca: u16| Attributes {
        cluster_name: "Q".into(),
        key_length: 16,
        average_record: 216,
        maximum_record: 400,
        speed: true,
        primary: 1 << 40,
        secondary: 1 << 30,
        volume: "V".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    };
    let (data, index) = (dir.join("q.data"), dir.join("q.index"));
    let engine = Engine::new(env.clone()).expect("engine");
    engine
        .create(&Definition {
            data_path: data.clone(),
            index_path: index.clone(),
            data: attributes("Q.DATA", ci_size, ci_per_ca),
            index: Some(attributes("Q.INDEX", 4096, 12)),
        })
        .expect("create");
    let output = OpenOptions {
        access: Access::Output,
        ..Default::default()
    };
    let ds = engine.open(&data, &index, output).expect("open");
    let records: Vec<Vec<u8>> = (0..n.min(100_000)).map(|k| record(k * 2)).collect();
    let mut s = ds.string();
    measure("load", n, || {
        let mut r = record(0);
        for k in 0..n {
            if k < records.len() as u64 {
                s.insert(&records[k as usize], Insert::Sequential).expect("load");
            } else {
                let key = k * 2;
                let mut v = key;
                for d in (0..16).rev() {
                    r[d] = b'0' + (v % 10) as u8;
                    v /= 10;
                }
                s.insert(&r, Insert::Sequential).expect("load");
            }
        }
    });
    drop(s);
    measure("close after load (per rec)", n, || {
        ds.close().expect("close");
    });
    let ds = engine.open(&data, &index, output).expect("open");
    for round in ["scan, pages read", "scan, pages in the pool"] {
        let mut s = ds.string();
        let mut seen = 0;
        measure(round, n, || {
            while let Ok(r) = s.next(Intent::Read) {
                seen += (r.bytes.len() == 216) as u64;
            }
        });
        assert_eq!(seen, n);
    }
    let mut s = ds.string();
    let mut x = 88172645463325252u64;
    let mut random = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let ops = std::env::var("OPS")
        .ok()
        .and_then(|o| o.parse().ok())
        .unwrap_or(1_000_000);
    let mut key = record(0)[..16].to_vec();
    let set = |key: &mut [u8], v: u64| {
        let mut v = v;
        for d in (0..16).rev() {
            key[d] = b'0' + (v % 10) as u8;
            v /= 10;
        }
    };
    measure("random get", ops, || {
        for _ in 0..ops {
            set(&mut key, random() % n * 2);
            s.get(&key, Search::Equal, Intent::Read).expect("get");
        }
    });
    measure("get for update, update", ops, || {
        for _ in 0..ops {
            set(&mut key, random() % n * 2);
            let mut r = s.get(&key, Search::Equal, Intent::Update).expect("get").bytes.to_vec();
            r[100] = r[100].wrapping_add(1);
            s.update(&r).expect("update");
        }
    });
    let inserts = n / 2;
    let mut r = record(0);
    let mut done = 0u64;
    measure("random insert", inserts, || {
        for _ in 0..inserts {
            set(&mut r[..16], random() % n * 2 + 1);
            done += s.insert(&r, Insert::Direct).is_ok() as u64;
        }
    });
    let t = Instant::now();
    drop(s);
    ds.close().expect("close");
    println!("close {:?}; {done} inserted; pool {:?}", t.elapsed(), engine.pool_use());
}
