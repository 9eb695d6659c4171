//! Workloads: a data set's shape and a list of requests, both drawn from one seed.
//!
//! The generator runs the oracle along, so that it can aim: at records that are there, at the one another string
//! holds, at emptying whole control areas. About one request in ten is wrong on purpose.

use crate::keys::KeySource;
use crate::mortal::Kill;
use crate::oracle::Oracle;
use crate::random::Random;
use crate::request::{Body, Intent, Order, Request, Search};
use crate::shape::{Organization, Shape};

/// Of a hundred model runs so many are on a data set with the CI sizes that DEFINE chooses.
const DEFINED: u64 = 30;

/// So many more records than there should be a data set has at most, but for one run of inserts.
const OVERFULL: u64 = 200;

/// Of a hundred runs to be crashed or faulted so many ask for rewrites.
const REWRITING: u64 = 50;

/// A run: everything follows from the seed and the number of requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The seed it was drawn from.
    pub seed: u64,
    /// The data set.
    pub shape: Shape,
    /// The requests, in order.
    pub requests: Vec<Request>,
}

impl Workload {
    /// A workload for a model run: any shape, deaths included.
    pub fn model(seed: u64, requests: usize, organization: Organization) -> Workload {
        Workload::model_of(seed, requests, |random| Shape::draw(organization, random))
    }

    /// The same of shapes that are drawn so.
    pub fn model_of(seed: u64, requests: usize, shape: impl FnOnce(&mut Random) -> Shape) -> Workload {
        let mut random = Random::new(seed);
        let shape = shape(&mut random);
        let records = random.pick(&[30, 100, 300]);
        // Drawn from numbers of its own, so that the others mean what they meant before there was this.
        let mut own = Random::new(seed ^ 0x0064_6566_696E_6564);
        let defined = if own.chance(DEFINED) {
            shape.clone().defined(&mut own)
        } else {
            None
        };
        let scans = defined.is_some();
        let mut writer = WorkloadWriter::new(defined.unwrap_or(shape), random, records);
        (writer.deaths, writer.rewrites, writer.scans) = (true, true, scans);
        writer.write(seed, requests)
    }

    /// A workload for a crash or fault run: a small image; who is killed is left to the trial.
    pub fn small(seed: u64, requests: usize, organization: Organization) -> Workload {
        let mut random = Random::new(seed);
        let shape = Shape::draw_small(organization, &mut random);
        let records = random.pick(&[10, 25, 50]);
        WorkloadWriter::exploring(seed, shape, random, records).write(seed, requests)
    }

    /// A workload on a data set of this shape, for a crash or fault run.
    pub fn shaped(seed: u64, requests: usize, shape: Shape) -> Workload {
        let mut random = Random::new(seed);
        let records = random.pick(&[10, 25, 120]);
        WorkloadWriter::exploring(seed, shape, random, records).write(seed, requests)
    }
}

/// Does a run of this seed ask for rewrites? That is drawn from numbers of its own, so that a seed that does not means
/// what it meant before any did.
pub(crate) fn asks_for_rewrites(seed: u64) -> bool {
    Random::new(seed ^ 0x7265_7772_6974_6573).chance(REWRITING)
}

/// Writes a workload.
struct WorkloadWriter {
    random: Random,
    oracle: Oracle,
    shape: Shape,
    keys: KeySource,
    /// The data set is kept around this size.
    records: u64,
    deaths: bool,
    /// Some updates are rewrites: GET for update and PUT in one request.
    rewrites: bool,
    /// Now and then it scans, and inserts anywhere behind that; and most records have one value.
    scans: bool,
    requests: Vec<Request>,
}

impl WorkloadWriter {
    fn new(shape: Shape, mut random: Random, records: u64) -> WorkloadWriter {
        let keys = KeySource::new(&shape, records, &mut random);
        let oracle = Oracle::new(&shape);
        WorkloadWriter {
            random,
            oracle,
            shape,
            keys,
            records,
            deaths: false,
            rewrites: false,
            scans: false,
            requests: Vec::new(),
        }
    }

    /// For a crash or fault run.
    fn exploring(seed: u64, shape: Shape, random: Random, records: u64) -> WorkloadWriter {
        WorkloadWriter {
            rewrites: asks_for_rewrites(seed),
            ..WorkloadWriter::new(shape, random, records)
        }
    }

    fn write(mut self, seed: u64, requests: usize) -> Workload {
        while self.requests.len() < requests {
            if self.oracle.loading() {
                self.load();
            } else if !self.oracle.output() {
                self.input_session();
            } else {
                self.change_or_read();
            }
        }
        self.requests.truncate(requests);
        Workload {
            seed,
            shape: self.shape,
            requests: self.requests,
        }
    }

    fn push(&mut self, request: Request) {
        self.oracle.apply(&request);
        if matches!(request, Request::Kill(_)) {
            let survivors = self.oracle.contents();
            self.oracle.adopt(&survivors);
        }
        self.requests.push(request);
    }

    // --- phases ---

    fn load(&mut self) {
        let count = match self.random.below(5) {
            0 => 0,
            1 => self.random.between(1, 4),
            _ => self.random.between(1, self.records),
        };
        for _ in 0..count {
            let string = self.string();
            let last = self.oracle.records().keys().next_back().cloned();
            let key = if self.random.chance(4) {
                self.keys.draw(&mut self.random)
            } else {
                self.keys.above(last.as_deref(), self.records, &mut self.random)
            };
            let order = if self.random.chance(95) {
                Order::Sequential
            } else {
                self.order()
            };
            let body = self.body(key);
            self.push(Request::Insert { string, order, body });
            if self.random.chance(4) {
                self.wrong();
            }
            if self.random.chance(2) {
                self.make_durable();
            }
        }
        self.reopen();
    }

    fn input_session(&mut self) {
        for _ in 0..self.random.between(0, 6) {
            self.read();
        }
        if self.random.chance(30) {
            self.wrong();
        }
        self.push(Request::Reopen {
            output: true,
            reset: false,
        });
    }

    fn change_or_read(&mut self) {
        let full = self.oracle.records().len() as u64 > self.records * 2;
        if self.scans && !full && self.random.chance(2) {
            return self.scan_and_insert();
        }
        match self.random.below(100) {
            0..28 if !full => self.insert(),
            28..34 if !full => self.insert_run(),
            0..34 => self.erase_run(),
            34..46 => self.update(),
            46..52 => self.erase(),
            52..55 => self.erase_run(),
            55..82 => self.read(),
            82..91 => self.wrong(),
            91..97 => self.make_durable(),
            97..99 => self.reopen(),
            _ if self.deaths => self.push(Request::Kill(Kill::AT_ONCE)),
            _ => self.reopen(),
        }
    }

    fn make_durable(&mut self) {
        let request = if self.random.chance(60) {
            Request::Commit
        } else {
            Request::Checkpoint
        };
        self.push(request);
    }

    fn reopen(&mut self) {
        let output = self.random.chance(85);
        let reset = self.random.chance(if self.shape.reuse { 15 } else { 6 });
        self.push(Request::Reopen { output, reset });
    }

    // --- changes ---

    fn insert(&mut self) {
        let (string, order) = (
            self.string(),
            if self.random.chance(90) {
                Order::Direct
            } else {
                self.order()
            },
        );
        let key = self.keys.draw(&mut self.random);
        let body = self.body(key);
        self.push(Request::Insert { string, order, body });
    }

    fn insert_run(&mut self) {
        let (string, order) = (self.string(), self.order());
        let mut key = self.keys.draw(&mut self.random);
        for _ in 0..self.random.between(2, 30) {
            let body = self.body(key.clone());
            self.push(Request::Insert { string, order, body });
            key = self.keys.above(Some(&key), u64::MAX, &mut self.random);
        }
    }

    /// What many a program does: all there is, and then new records between.
    fn scan_and_insert(&mut self) {
        let (string, intent) = (self.string(), Intent::Read);
        self.push(Request::PointFirst { string });
        for _ in 0..=self.oracle.records().len() {
            self.push(Request::Next { string, intent });
        }
        for _ in 0..self.random.between(5, 60) {
            self.insert();
        }
    }

    fn update(&mut self) {
        let string = self.string();
        self.read_for_update(string);
        if let Some(key) = self.oracle.held(string).map(<[u8]>::to_vec) {
            let has = self.oracle.records().get(&key).map(Vec::len);
            let mut body = self.body(key.clone());
            if let Some(has) = has.filter(|_| self.shape.addressed() && self.random.chance(80)) {
                body.length = has;
            }
            match body.fill % 4 {
                0 if self.rewrites => self.push(Request::Rewrite { string, key, body }),
                1 if self.rewrites => {
                    self.push(Request::Get {
                        string,
                        key: key.clone(),
                        search: Search::Equal,
                        intent: Intent::Position,
                    });
                    self.push(Request::Rewrite { string, key, body });
                }
                _ => self.push(Request::Update { string, body }),
            }
        }
    }

    fn erase(&mut self) {
        let string = self.string();
        self.read_for_update(string);
        if self.oracle.held(string).is_some() {
            self.push(Request::Erase { string });
        }
    }

    /// Erases neighbours, sometimes all there are, so that whole control areas come free.
    fn erase_run(&mut self) {
        let string = self.string();
        let all = self.oracle.records().len() as u64;
        let count = match self.random.below(4) {
            0 => all,
            1 => all / 2,
            _ => self.random.between(1, 12).min(all),
        };
        if count == all {
            self.push(Request::PointFirst { string });
        } else {
            let key = self.existing_key();
            self.push(Request::Point {
                string,
                key,
                search: Search::GreaterOrEqual,
            });
        }
        for _ in 0..count {
            self.push(Request::Next {
                string,
                intent: Intent::Update,
            });
            if self.oracle.held(string).is_none() {
                return;
            }
            self.push(Request::Erase { string });
            if self.shape.addressed() {
                return;
            }
        }
    }

    fn read_for_update(&mut self, string: u8) {
        let intent = Intent::Update;
        let key = self.existing_key();
        let request = match self.random.below(10) {
            0 => Request::Next { string, intent },
            1 => Request::Prev { string, intent },
            2 => Request::Skip {
                string,
                key,
                search: self.search(),
                intent,
            },
            3 => Request::GetRba {
                string,
                key,
                plus: 0,
                intent,
            },
            4 => Request::Get {
                string,
                key,
                search: Search::GreaterOrEqual,
                intent,
            },
            _ => Request::Get {
                string,
                key,
                search: Search::Equal,
                intent,
            },
        };
        self.push(request);
    }

    // --- reads ---

    fn read(&mut self) {
        let (string, intent, search) = (self.string(), self.intent(), self.search());
        let key = self.some_key();
        match self.random.below(12) {
            0..3 => self.push(Request::Get {
                string,
                key,
                search,
                intent,
            }),
            3 => {
                let area = self.shape.maximum_record;
                self.push(Request::GetInto {
                    string,
                    key,
                    search,
                    intent,
                    area,
                });
            }
            4 => self.push(Request::Skip {
                string,
                key,
                search,
                intent,
            }),
            5 => self.push(Request::GetRba {
                string,
                key,
                plus: 0,
                intent,
            }),
            6 => self.push(Request::Next { string, intent }),
            7 => self.push(Request::Prev { string, intent }),
            8 | 9 => self.browse(string, key, search),
            10 => self.browse_backward(string, key, search),
            _ => self.push(Request::End { string }),
        }
    }

    fn browse(&mut self, string: u8, key: Vec<u8>, search: Search) {
        let request = match self.random.below(6) {
            0 => Request::PointFirst { string },
            1 => Request::Get {
                string,
                key,
                search,
                intent: Intent::Position,
            },
            _ => Request::Point { string, key, search },
        };
        self.push(request);
        for _ in 0..self.random.between(0, 12) {
            let intent = self.intent();
            let request = if self.random.chance(92) {
                Request::Next { string, intent }
            } else {
                Request::Prev { string, intent }
            };
            self.push(request);
        }
    }

    fn browse_backward(&mut self, string: u8, key: Vec<u8>, search: Search) {
        let request = match self.random.below(6) {
            0..2 => Request::PointLast { string },
            2 => Request::Get {
                string,
                key,
                search,
                intent: Intent::Position,
            },
            _ => Request::PointBackward { string, key, search },
        };
        self.push(request);
        for _ in 0..self.random.between(0, 12) {
            let intent = self.intent();
            let request = if self.random.chance(92) {
                Request::Prev { string, intent }
            } else {
                Request::Next { string, intent }
            };
            self.push(request);
        }
    }

    // --- wrong requests ---

    fn wrong(&mut self) {
        let (string, intent, search) = (self.string(), self.intent(), self.search());
        let key = self.existing_key();
        match self.random.below(12) {
            0..2 if !self.shape.keyed() => self.wrong_number(string),
            0 => self.push(Request::Get {
                string,
                key: Vec::new(),
                search,
                intent,
            }),
            1 => self.push(Request::Point {
                string,
                key: vec![7; self.shape.key_length + 1],
                search,
            }),
            2 => {
                let body = self.body(key);
                let order = Order::Direct;
                if !self.is_overfull() {
                    self.push(Request::Insert { string, order, body })
                } else {
                    self.push(Request::Erase { string })
                }
            }
            3 => self.push(Request::Erase { string }),
            4 => {
                let body = self.body(key);
                self.push(Request::Update { string, body });
            }
            5 => self.wrong_length(string, key),
            6 => self.change_key(string),
            7 => self.meet_at_one_record(key),
            8 => {
                // Near misses only where no record is so short that the next one could start there.
                let near = u64::from(self.shape.least_record() > 2 || self.shape.addressed());
                let plus = self.random.pick(&[near, 2 * near, 1 << 40, u64::MAX / 2]);
                let plus = if plus == 0 { 1 << 40 } else { plus };
                self.push(Request::GetRba {
                    string,
                    key,
                    plus,
                    intent,
                });
            }
            9 => self.push(Request::GetInto {
                string,
                key,
                search,
                intent,
                area: 0,
            }),
            10 if !self.shape.reuse => {
                let output = self.random.chance(70);
                self.push(Request::Reopen { output, reset: true });
            }
            _ => {
                self.push(Request::Get {
                    string,
                    key,
                    search,
                    intent: Intent::Position,
                });
                let lower = self.existing_key();
                self.push(Request::Skip {
                    string,
                    key: lower,
                    search,
                    intent,
                });
            }
        }
    }

    /// RRN 0, or an RBA where no record can be.
    fn wrong_number(&mut self, string: u8) {
        let key = match self.random.below(3) {
            0 if !self.shape.addressed() => vec![0; self.shape.key_length],
            0 => self.shape.numbered(self.random.bits()),
            _ => vec![0xFF; self.shape.key_length],
        };
        let (search, intent) = (self.search(), self.intent());
        let request = match self.random.below(4) {
            0 => Request::Point { string, key, search },
            1 => Request::PointBackward { string, key, search },
            2 if !self.shape.addressed() && key[0] == 0 => {
                let body = Body {
                    key,
                    length: self.shape.maximum_record,
                    fill: 0,
                };
                Request::Insert {
                    string,
                    order: Order::Direct,
                    body,
                }
            }
            _ => Request::Get {
                string,
                key,
                search,
                intent,
            },
        };
        self.push(request);
    }

    fn wrong_length(&mut self, string: u8, key: Vec<u8>) {
        let mut body = self.body(key.clone());
        body.length = match self.random.below(3) {
            0 => 0,
            1 => self.shape.least_record() - 1,
            _ => self.shape.maximum_record + 1,
        };
        if self.random.chance(50) {
            self.push(Request::Insert {
                string,
                order: Order::Direct,
                body,
            });
        } else {
            self.push(Request::Get {
                string,
                key,
                search: Search::Equal,
                intent: Intent::Update,
            });
            self.push(Request::Update { string, body });
        }
    }

    /// By address no insert is wrong and no record is erased: a long run would get slower with each.
    fn is_overfull(&self) -> bool {
        self.shape.addressed() && self.oracle.records().len() as u64 > 2 * self.records + OVERFULL
    }

    fn change_key(&mut self, string: u8) {
        self.read_for_update(string);
        let held = self.oracle.held(string).map(<[u8]>::to_vec);
        let key = self.keys.draw(&mut self.random);
        let body = self.body(key);
        match held.filter(|_| self.rewrites && body.fill % 4 == 0) {
            Some(key) => self.push(Request::Rewrite { string, key, body }),
            None => self.push(Request::Update { string, body }),
        }
    }

    fn meet_at_one_record(&mut self, key: Vec<u8>) {
        for _ in 0..2 {
            let string = self.string();
            self.push(Request::Get {
                string,
                key: key.clone(),
                search: Search::Equal,
                intent: Intent::Update,
            });
        }
    }

    // --- parts ---

    fn string(&mut self) -> u8 {
        self.random.below(usize::from(self.shape.strings)) as u8
    }

    fn search(&mut self) -> Search {
        self.random.pick(&[Search::Equal, Search::GreaterOrEqual])
    }

    fn intent(&mut self) -> Intent {
        self.random
            .pick(&[Intent::Read, Intent::Read, Intent::Position, Intent::Update])
    }

    fn order(&mut self) -> Order {
        self.random
            .pick(&[Order::Direct, Order::Sequential, Order::Sequential, Order::Skip])
    }

    fn body(&mut self, key: Vec<u8>) -> Body {
        let (least, most) = (self.shape.least_record(), self.shape.maximum_record);
        let length = match self.random.below(10) {
            _ if self.shape.fixed => most,
            0 => most,
            1 => least,
            // Spanned records are the exception, as in life: most fit a CI.
            2..8 if self.shape.spanned => self.random.between(least as u64, most.min(150).max(least) as u64) as usize,
            _ => self.random.between(least as u64, most as u64) as usize,
        };
        let numberless = self.shape.addressed() || (!self.shape.keyed() && self.random.chance(30));
        Body {
            key: if numberless { Vec::new() } else { key },
            length,
            fill: if self.scans && self.random.chance(70) {
                0x2020_2020
            } else {
                self.random.bits() as u32
            },
        }
    }

    /// A key that is there, if any is.
    fn existing_key(&mut self) -> Vec<u8> {
        let probe = self.keys.draw(&mut self.random);
        let records = self.oracle.records();
        let there = records
            .range(probe.clone()..)
            .next()
            .or_else(|| records.iter().next_back());
        there.map_or(probe, |(key, _)| key.clone())
    }

    /// A key to look for: there or not, whole or its beginning.
    fn some_key(&mut self) -> Vec<u8> {
        let mut key = if self.random.chance(70) {
            self.existing_key()
        } else {
            self.keys.draw(&mut self.random)
        };
        if self.shape.keyed() && self.random.chance(20) {
            key.truncate(self.random.between(1, key.len() as u64) as usize);
        }
        key
    }
}
