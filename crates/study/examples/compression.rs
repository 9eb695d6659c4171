//! What compressed data sets cost beside plain ones: the tables of `docs/design/0032`. The records are those of the study
//! of 2001 (166,667 of 250 bytes, data CISZ 8K), or of another kind.
//!
//! `cargo run --release -p cica-study --example compression -- [kind] [records] [rounds] [directory]`
//!
//! Each figure is the median of the rounds, in each of which plain and compressed take turns.

use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use cica_study::records::{Random, KINDS};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn cpu() -> Duration {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

struct Bench {
    dir: PathBuf,
    records: Vec<Vec<u8>>,
    key: usize,
    /// Nanoseconds of a record, elapsed and CPU, by what was done.
    taken: BTreeMap<String, Vec<(f64, f64)>>,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let kind = args.next().unwrap_or("study".into());
    let count: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(166_667);
    let rounds: usize = args.next().and_then(|a| a.parse().ok()).unwrap_or(5);
    let dir = args
        .next()
        .map_or_else(|| std::env::temp_dir().join("cica-compression"), PathBuf::from);
    let make = KINDS
        .iter()
        .find(|(name, _)| *name == kind)
        .expect("a kind of records")
        .1;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let made: Vec<_> = (0..count).map(|n| make(&mut random, 2 * n)).collect();
    let key = made[0].1;
    let mut bench = Bench {
        dir,
        records: made.into_iter().map(|(record, _)| record).collect(),
        key,
        taken: BTreeMap::new(),
    };
    for _ in 0..rounds {
        bench.round();
    }
    let _ = std::fs::remove_dir_all(&bench.dir);
    bench.print();
}

impl Bench {
    fn engine(&self, pool: usize) -> Engine {
        Engine::new(Env {
            disk: Arc::new(LinuxDisk::new()),
            clock: Arc::new(SystemClock),
            log_dir: self.dir.join("log"),
            pool_bytes: Some(pool),
            io: Default::default(),
            background: true,
        })
        .expect("engine")
    }

    fn create(&self, engine: &Engine, name: &str, compressed: bool) {
        let longest = self.records.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let attributes = |component: &str, ci_size: u32, ci_per_ca: u16| Attributes {
            cluster_name: "Q".into(),
            key_length: self.key as u16,
            average_record: longest,
            maximum_record: longest,
            compressed,
            primary: 1 << 40,
            secondary: 1 << 30,
            volume: "V".into(),
            ..Attributes::new(Organization::Ksds, component, ci_size, ci_per_ca)
        };
        let (data_path, index_path) = self.paths(name);
        let created = engine.create(&Definition {
            data_path,
            index_path,
            data: attributes("Q.DATA", 8192, 90),
            index: Some(attributes("Q.INDEX", 4096, 12)),
        });
        created.expect("create");
    }

    fn paths(&self, name: &str) -> (PathBuf, PathBuf) {
        (
            self.dir.join(format!("{name}.data")),
            self.dir.join(format!("{name}.index")),
        )
    }

    fn open(&self, engine: &Engine, name: &str, access: Access) -> DataSet {
        let (data, index) = self.paths(name);
        let options = OpenOptions {
            access,
            ..Default::default()
        };
        engine.open(&data, &index, options).expect("open")
    }

    fn measure(&mut self, what: &str, n: usize, act: impl FnOnce(&Bench)) {
        let (wall, busy) = (Instant::now(), cpu());
        act(self);
        let each = |time: Duration| time.as_nanos() as f64 / n.max(1) as f64;
        let took = (each(wall.elapsed()), each(cpu() - busy));
        self.taken.entry(what.into()).or_default().push(took);
    }

    fn round(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
        std::fs::create_dir_all(self.dir.join("log")).expect("directory");
        let engine = self.engine(1 << 30);
        let n = self.records.len();
        for (name, compressed) in [("plain", false), ("compressed", true)] {
            self.create(&engine, name, compressed);
            self.measure(&format!("load {name}"), n, |bench| {
                let set = bench.open(&engine, name, Access::Output);
                let mut string = set.string();
                for record in &bench.records {
                    string.insert(record, Insert::Sequential).expect("loaded");
                }
                drop(string);
                set.close().expect("closed");
            });
            let used = engine.peek(&self.paths(name).0).expect("a root").high_used as f64;
            self.taken
                .entry(format!("bytes {name}"))
                .or_default()
                .push((used, used));
        }
        for (from, to) in [(false, false), (false, true), (true, false), (true, true)] {
            let name = |compressed| if compressed { "compressed" } else { "plain" };
            let target = format!("{}-{}", name(from), name(to));
            self.create(&engine, &target, to);
            self.measure(&format!("repro {} to {}", name(from), name(to)), n, |bench| {
                let (source, target) = (
                    bench.open(&engine, name(from), Access::Input),
                    bench.open(&engine, &target, Access::Output),
                );
                let (mut reader, mut writer) = (source.string(), target.string());
                reader.leave_no_pages();
                // As REPRO does it.
                if writer.takes_as_stored(&reader).expect("asked") {
                    while writer.copy_next(&mut reader).expect("copied") {}
                } else {
                    while let Ok(record) = reader.next(Intent::Read) {
                        writer.insert(record.bytes, Insert::Sequential).expect("copied");
                    }
                }
                drop((reader, writer));
                target.close().expect("closed");
                source.close().expect("closed");
            });
        }
        for name in ["plain", "compressed"] {
            self.requests(&engine, name);
        }
        drop(engine);
        let half = self.records.iter().map(Vec::len).sum::<usize>() / 2;
        for name in ["plain", "compressed"] {
            let engine = self.engine(half);
            let set = self.open(&engine, name, Access::Input);
            self.gets(&set, "half a pool: get", name);
            set.close().expect("closed");
        }
    }

    fn gets(&mut self, set: &DataSet, what: &str, name: &str) {
        let n = self.records.len();
        let one = |bench: &Bench, random: &mut Random, string: &mut Str| {
            let record = &bench.records[random.below(n as u64) as usize];
            let got = string
                .get(&record[..bench.key], Search::Equal, Intent::Read)
                .expect("found");
            assert_eq!(got.bytes[..bench.key], record[..bench.key]);
        };
        let (mut random, mut string) = (Random(77), set.string());
        (0..n).for_each(|_| one(self, &mut random, &mut string));
        self.measure(&format!("{what} {name}"), n, |bench| {
            (0..n).for_each(|_| one(bench, &mut random, &mut string));
        });
    }

    fn requests(&mut self, engine: &Engine, name: &str) {
        let n = self.records.len();
        let set = self.open(engine, name, Access::Output);
        self.gets(&set, "get", name);
        self.measure(&format!("browse {name}"), n, |_| {
            let mut string = set.string();
            let mut bytes = 0;
            while let Ok(record) = string.next(Intent::Read) {
                bytes += record.bytes.len();
            }
            assert!(bytes > 0);
        });
        self.measure(&format!("update {name}"), n, |bench| {
            let (mut random, mut string) = (Random(78), set.string());
            for _ in 0..n {
                let at = random.below(n as u64) as usize;
                let key = &bench.records[at][..bench.key];
                string.get(key, Search::Equal, Intent::Update).expect("found");
                // What another record has behind its key.
                let other = &bench.records[(at + 1) % n];
                let new = [key, &other[bench.key..]].concat();
                string.update(&new).expect("updated");
            }
        });
        self.measure(&format!("insert {name}"), n, |bench| {
            let (mut at, mut string) = (1u64, set.string());
            for _ in 0..n {
                at = (at * 5 + 12_345) % (n as u64).next_power_of_two();
                if let Some(record) = bench.records.get(at as usize) {
                    let mut new = record.clone();
                    // Keys are even numbers; hexadecimal digits are odd like decimal ones.
                    new[bench.key - 1] += 1;
                    string.insert(&new, Insert::Direct).expect("inserted");
                }
            }
        });
        set.close().expect("closed");
    }

    fn print(&self) {
        println!("{:<36} {:>10} {:>10}", "ns of a record", "elapsed", "CPU");
        let median = |of: &[(f64, f64)], part: fn(&(f64, f64)) -> f64| {
            let mut all: Vec<f64> = of.iter().map(part).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        for (what, taken) in &self.taken {
            println!(
                "{what:<36} {:>10.0} {:>10.0}",
                median(taken, |t| t.0),
                median(taken, |t| t.1)
            );
        }
    }
}
