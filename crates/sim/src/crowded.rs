//! Data sets larger than the pool, with the CI sizes that DEFINE chooses: loaded, scanned, and then read and changed
//! anywhere, by one thread or several. No request may go round for ever, none may be refused for want of memory, and
//! what is there at the end is what was put there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use cica_disk::{ManualClock, MemoryDisk};
use cica_engine::{
    Access, Argument, Build, DataSet, Definition, Engine, Env, Files, Insert, Intent, OpenOptions, RequestError,
    Search, Str,
};
use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Organization};

use crate::campaign::Outcome;
use crate::crash::guarded;
use crate::defined::{DefineWords, Sizes};
use crate::random::Random;
use crate::session::Session;

/// The least pool there is.
const LEAST: usize = 4 << 20;

/// Record numbers that come in between two that are loaded.
const BETWEEN: u64 = 16;

/// Lengths that records have, by their versions.
const LENGTHS: u32 = 64;

/// A run: everything follows from the seed.
#[derive(Debug, Clone)]
struct CrowdedPlan {
    define: DefineWords,
    sizes: Sizes,
    /// An alternate index over bytes of the record.
    alternate: Option<Sizes>,
    pool: usize,
    /// Records that are loaded.
    records: u64,
    scans: usize,
    /// Requests behind the scans.
    requests: u64,
    threads: u64,
    /// Most records have one value, behind what tells them apart.
    alike: bool,
    /// Of a hundred requests so many are inserts.
    inserts: u64,
}

/// What is there: by record number, how often it was changed.
type CrowdedContents = BTreeMap<u64, u32>;

/// What a thread left, and what it did.
type ThreadDone = (CrowdedContents, BTreeMap<String, u64>);

/// Does the run of a seed; the data set has up to so many times the bytes of its pool.
pub fn run(seed: u64, most: u64) -> Option<Outcome> {
    let plan = CrowdedPlan::draw(&mut Random::new(seed), most);
    let done = guarded(|| plan.run(seed));
    Some(match done {
        Ok(counts) => Outcome { counts, failure: None },
        Err(what) => Outcome {
            counts: BTreeMap::new(),
            failure: Some(format!(
                "{what}\nof {plan:?}\nreplay: cica-sim crowded --seed {seed} --runs 1 --most {most}"
            )),
        },
    })
}

impl CrowdedPlan {
    fn draw(random: &mut Random, most: u64) -> CrowdedPlan {
        loop {
            if let Some(plan) = CrowdedPlan::try_draw(random, most) {
                return plan;
            }
        }
    }

    /// `None`: DEFINE refuses it.
    fn try_draw(random: &mut Random, most: u64) -> Option<CrowdedPlan> {
        let organization = random.pick(&[
            Organization::Ksds,
            Organization::Ksds,
            Organization::Ksds,
            Organization::Ksds,
            Organization::Ksds,
            Organization::Vrrds,
            Organization::Esds,
            Organization::Rrds,
        ]);
        let keyed = organization == Organization::Ksds;
        let keys = (
            random.pick(&[4, 5, 8, 8, 8, 12, 20, 44, 100]),
            random.pick(&[0, 0, 1, 8]),
        );
        let keys = if keyed { keys } else { (0, 0) };
        let least = keys.0 + keys.1 + 16;
        let spanned = matches!(organization, Organization::Ksds | Organization::Esds) && random.chance(15);
        let average = random.pick(&[40, 80, 120, 200, 200, 200, 400, 1000, 3000]).max(least);
        let maximum = match random.below(3) {
            _ if spanned => average + random.pick(&[10_000, 40_000]),
            _ if organization == Organization::Rrds => average,
            0 => average + random.pick(&[20, 100, 800]),
            _ => average,
        };
        let pool = LEAST + (random.pick(&[0, 0, 0, 1, 2, 4, 8, 12]) << 20);
        let bytes = pool as u64 * random.between(1, 4 * most) / 4;
        let inserts = random.pick(&[30, 45, 45, 100]);
        let aside = keyed && !spanned && keys.0 <= 20 && random.chance(20);
        // A spanned record has CIs of its own, and parts one of others.
        let each = average + if spanned { 3_000 } else { 0 };
        let records = (bytes / each as u64).clamp(50, if aside { 1_500 } else { 400_000 });
        let define = DefineWords {
            organization,
            keys,
            record: (average, maximum),
            spanned,
            free: random.pick(&[(0, 0), (0, 0), (10, 10), (25, 20)]),
            space: DefineWords::space(records, random),
        };
        let alternate = if aside { Some(alternate(random).sizes()?) } else { None };
        Some(CrowdedPlan {
            sizes: define.sizes()?,
            define,
            alternate,
            pool,
            records,
            scans: random.below(4),
            requests: match inserts {
                100 => (records / 10).clamp(200, 40_000),
                _ => random.between(records / 8, records / 2).clamp(200, 8_000),
            },
            inserts,
            threads: match organization {
                Organization::Esds => 1,
                _ => random.pick(&[1, 1, 1, 2, 4]),
            },
            alike: random.chance(40),
        })
    }

    fn run(&self, seed: u64) -> Result<BTreeMap<String, u64>, String> {
        let disk = Arc::new(MemoryDisk::from(Session::empty_disk()));
        let engine = Engine::new(Env {
            disk,
            clock: Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000)),
            log_dir: "/log".into(),
            pool_bytes: Some(self.pool),
            io: Default::default(),
            background: false,
        })
        .map_err(words)?;
        let (data, index) = self.define.attributes("SIM.BASE", self.sizes);
        let base = files("base");
        let definition = |files: &Files, data, index| Definition {
            data_path: files.data.clone(),
            index_path: files.index.clone(),
            data,
            index,
        };
        engine.create(&definition(&base, data, index)).map_err(words)?;
        let aside = files("aside");
        if let Some(sizes) = self.alternate {
            let define = alternate(&mut Random::new(seed));
            let (mut data, index) = define.attributes("SIM.ASIDE", sizes);
            data.alternate = Some(Alternate {
                base: "SIM.BASE".into(),
                suppressed: None,
                chained: seed % 2 == 1,
                key_offset: self.value_at() as u32,
                unique: false,
                upgrade: true,
                pointers: Pointers::Keys(self.define.keys.0 as u8),
            });
            engine.create(&definition(&aside, data, index)).map_err(words)?;
        }
        let open = || match self.alternate {
            None => engine.open(&base.data, &base.index, output()).map_err(words),
            Some(_) => {
                let upgrade = std::slice::from_ref(&aside);
                engine.open_sphere(&base, upgrade, output()).map_err(words)
            }
        };
        let mut counts = BTreeMap::new();
        let mut there = self.load(&engine, &base, &aside, &mut counts)?;
        let set = open()?;
        for _ in 0..self.scans {
            self.scan(set.string(), &there)?;
        }
        let parts = self.part(&there);
        let done: Vec<Result<ThreadDone, String>> = std::thread::scope(|scope| {
            let threads: Vec<_> = parts
                .into_iter()
                .enumerate()
                .map(|(thread, part)| {
                    let (set, seed) = (&set, seed ^ (thread as u64) << 32);
                    scope.spawn(move || guarded(|| self.work(set, part, thread as u64, Random::new(seed))))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())))
                .collect()
        });
        there.clear();
        for part in done {
            let (contents, done) = part?;
            there.extend(contents);
            add(&mut counts, done);
        }
        self.scan(set.string(), &there)?;
        sound(&set)?;
        set.close().map_err(words)?;
        let set = open()?;
        self.scan(set.string(), &there)?;
        set.close().map_err(words)?;
        let (bound, charged) = engine.pool_use();
        if charged > bound {
            return Err(format!("{charged} bytes are charged to a pool of {bound}"));
        }
        Ok(counts)
    }

    /// The records of each thread: those whose number it is.
    fn part(&self, there: &CrowdedContents) -> Vec<CrowdedContents> {
        let of = |thread| {
            let own = there.iter().filter(|(number, _)| *number % self.threads == thread);
            own.map(|(number, version)| (*number, *version)).collect()
        };
        (0..self.threads).map(of).collect()
    }

    fn load(
        &self,
        engine: &Engine,
        files: &Files,
        aside: &Files,
        counts: &mut BTreeMap<String, u64>,
    ) -> Result<CrowdedContents, String> {
        let mut there = CrowdedContents::new();
        let set = engine.open(&files.data, &files.index, output()).map_err(words)?;
        let mut string = set.string();
        for n in 1..=self.records {
            let (number, version) = match self.define.organization {
                Organization::Rrds => (n, 0),
                // Where its records are is known when they are there.
                Organization::Esds => (0, (n % u64::from(LENGTHS)) as u32),
                _ => (n * BETWEEN, 0),
            };
            there.insert(self.put(&mut string, number, version, Insert::Sequential)?, version);
        }
        drop(string);
        set.close().map_err(words)?;
        add(counts, BTreeMap::from([("loaded".to_string(), self.records)]));
        if self.alternate.is_some() {
            let input = OpenOptions::default();
            let base = engine.open(&files.data, &files.index, input).map_err(words)?;
            let build = Build {
                work: "/volume".as_ref(),
                memory: self.pool / 4,
                progress: &mut |_| (),
                omitted: &mut |_| std::ops::ControlFlow::Continue(()),
            };
            engine
                .build_index(&base, aside, build)
                .map_err(|error| format!("build: {error:?}"))?;
            base.close().map_err(words)?;
        }
        Ok(there)
    }

    /// Random requests on the thread's own records.
    fn work(
        &self,
        set: &DataSet,
        mut there: CrowdedContents,
        thread: u64,
        mut random: Random,
    ) -> Result<ThreadDone, String> {
        let (mut string, mut counts) = (set.string(), BTreeMap::new());
        let highest = there.keys().next_back().copied().unwrap_or(1);
        for _ in 0..self.requests / self.threads {
            let drawn = random.between(1, highest + BETWEEN) / self.threads * self.threads + thread;
            let near = there.range(drawn..).next().map(|(number, version)| (*number, *version));
            // Inserts, and of the rest the others, each by its share.
            let what = if random.chance(self.inserts) {
                0
            } else {
                random.between(45, 99)
            };
            let name = match (what, near) {
                (0..45, _) if self.is_addressed() || (drawn > 0 && !there.contains_key(&drawn)) => {
                    let version = random.below(LENGTHS as usize) as u32;
                    let number = self.put(&mut string, drawn, version, Insert::Direct)?;
                    there.insert(number, version);
                    "inserted"
                }
                (45..65, Some((number, version))) => {
                    self.get(&mut string, number, version, Intent::Update)?;
                    // Of the same length where that must stay.
                    let new = if self.is_addressed() {
                        version + LENGTHS
                    } else {
                        version + 1
                    };
                    let record = self.record(number, new);
                    string.update(&record).map_err(|error| at("update", number, error))?;
                    there.insert(number, new);
                    "updated"
                }
                (65..75, Some((number, version))) if !self.is_addressed() => {
                    self.get(&mut string, number, version, Intent::Update)?;
                    string.erase().map_err(|error| at("erase", number, error))?;
                    there.remove(&number);
                    "erased"
                }
                (75..80, Some((number, _))) => {
                    self.browse(&mut string, number, random.chance(40), random.below(200))?;
                    "browsed"
                }
                (_, Some((number, version))) => {
                    self.get(&mut string, number, version, Intent::Read)?;
                    "got"
                }
                _ => continue,
            };
            *counts.entry(name.to_string()).or_default() += 1;
        }
        Ok((there, counts))
    }

    /// Some records in a row; those of other threads may be any.
    fn browse(&self, string: &mut Str, from: u64, backward: bool, count: usize) -> Result<(), String> {
        let key = self.key(from);
        let point = if backward {
            string.point_backward(self.argument(&key, from), Search::Equal)
        } else {
            string.point(self.argument(&key, from), Search::Equal)
        };
        point.map_err(|error| at("point", from, error))?;
        for _ in 0..count {
            let next = if backward {
                string.prev(Intent::Read)
            } else {
                string.next(Intent::Read)
            };
            match next {
                Ok(_) => {}
                Err(RequestError::EndOfData) => break,
                Err(error) => return Err(at("browse", from, error)),
            }
        }
        string.end();
        Ok(())
    }

    /// Every record, in order.
    fn scan(&self, mut string: Str, there: &CrowdedContents) -> Result<(), String> {
        string.point_first().map_err(|error| at("point", 0, error))?;
        for (&number, &version) in there {
            let record = string.next(Intent::Read).map_err(|error| at("scan", number, error))?;
            if record.bytes != self.record(number, version) {
                return Err(format!("scan: record {number} is not its version {version}"));
            }
        }
        match string.next(Intent::Read) {
            Err(RequestError::EndOfData) => Ok(()),
            Err(error) => Err(at("end of scan", 0, error)),
            Ok(_) => Err(format!("there are more than {} records", there.len())),
        }
    }

    // ---- one record ----

    /// Adds a record; its number.
    fn put(&self, string: &mut Str, number: u64, version: u32, how: Insert) -> Result<u64, String> {
        let record = self.record(number, version);
        let put = match self.define.organization {
            Organization::Rrds | Organization::Vrrds => string.insert_at(number as u32, &record, how).map(|()| number),
            Organization::Esds => string.insert(&record, how),
            _ => string.insert(&record, how).map(|_| number),
        };
        put.map_err(|error| at("insert", number, error))
    }

    fn get(&self, string: &mut Str, number: u64, version: u32, intent: Intent) -> Result<(), String> {
        let key = self.key(number);
        let got = string.get(self.argument(&key, number), Search::Equal, intent);
        let record = got.map_err(|error| at("get", number, error))?;
        if record.bytes == self.record(number, version) {
            Ok(())
        } else {
            Err(format!("get: record {number} is not its version {version}"))
        }
    }

    fn argument<'k>(&self, key: &'k [u8], number: u64) -> Argument<'k> {
        match self.define.organization {
            Organization::Rrds | Organization::Vrrds => Argument::Rrn(number as u32),
            Organization::Esds => Argument::Rba(number),
            _ => Argument::Key(key),
        }
    }

    fn is_addressed(&self) -> bool {
        self.define.organization == Organization::Esds
    }

    fn key(&self, number: u64) -> Vec<u8> {
        let (bytes, length) = (number.to_be_bytes(), self.define.keys.0);
        let mut key = vec![b'0'; length.saturating_sub(8)];
        key.extend_from_slice(&bytes[8 - length.min(8)..]);
        key
    }

    /// Where the value is that the alternate index goes by.
    fn value_at(&self) -> usize {
        self.define.keys.0 + self.define.keys.1
    }

    /// The record with this number, of this version.
    fn record(&self, number: u64, version: u32) -> Vec<u8> {
        let number = if self.is_addressed() { 0 } else { number };
        let (average, maximum) = self.define.record;
        let least = average
            .min(2 * average - maximum.min(2 * average - 1))
            .max(self.value_at() + 16);
        let step = (number as usize * 7 + (version % LENGTHS) as usize) % LENGTHS as usize;
        let length = match self.define.organization {
            Organization::Rrds => maximum,
            // Most records of a data set with long ones are not.
            _ if self.define.spanned && step % 16 > 0 => average,
            _ => least + (maximum - least) * step / (LENGTHS as usize - 1),
        };
        let mut noise = Random::new(number << 20 ^ u64::from(version));
        let mut record: Vec<u8> = if self.alike {
            vec![b'x'; length]
        } else {
            (0..length.div_ceil(8))
                .flat_map(|_| noise.bits().to_be_bytes())
                .collect()
        };
        record.truncate(length);
        if self.define.organization == Organization::Ksds {
            let at = self.define.keys.1;
            record[at..at + self.define.keys.0].copy_from_slice(&self.key(number));
        }
        let value = self.value_at();
        let shared = self.alike && number / BETWEEN % 2 == 0;
        let values = if shared { 0 } else { number % 97 };
        record[value..value + 3].copy_from_slice(&values.to_be_bytes()[5..]);
        record[value + 3..value + 7].copy_from_slice(&version.to_be_bytes());
        record
    }
}

/// A non-unique alternate index over three bytes of the records.
fn alternate(random: &mut Random) -> DefineWords {
    DefineWords {
        organization: Organization::Ksds,
        keys: (3, 5),
        record: (4_086, 32_600),
        spanned: true,
        free: (0, 0),
        space: DefineWords::space(1_000, random),
    }
}

fn files(name: &str) -> Files {
    let path = |part: &str| PathBuf::from(format!("/volume/{name}.{part}"));
    Files {
        data: path("data"),
        index: path("index"),
    }
}

fn output() -> OpenOptions {
    OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    }
}

fn sound(set: &DataSet) -> Result<(), String> {
    let found = set.examine().map_err(words)?.findings;
    match found.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} findings, the first: {first:?}", found.len())),
    }
}

fn add(counts: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    for (name, count) in more {
        *counts.entry(name).or_default() += count;
    }
}

fn at(what: &str, number: u64, error: RequestError) -> String {
    format!("{what} of {number}: {error}")
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
