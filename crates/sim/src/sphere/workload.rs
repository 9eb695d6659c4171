//! Workloads on spheres, drawn from one seed. The generator runs the oracle along, so that it can aim at records and
//! alternate keys that are there.

use std::collections::{BTreeMap, HashMap};

use crate::keys::KeySource;
use crate::mortal::Kill;
use crate::random::{digest, Random};
use crate::request::{Body, Intent, Order, Request, Search};
use crate::shape::Organization;
use crate::sphere::oracle::SphereOracle;
use crate::sphere::shape::{filling, Alternate, Sphere};
use crate::workload::asks_for_rewrites;

/// A run: everything follows from the seed and the number of requests.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereWorkload {
    /// The sphere.
    pub shape: Sphere,
    /// The records it is loaded with, in key order.
    pub records: Vec<Body>,
    /// The requests, in order.
    pub requests: Vec<Request>,
}

impl SphereWorkload {
    /// A workload for a model run over such a base, deaths included.
    pub fn model(seed: u64, requests: usize, organization: Organization) -> SphereWorkload {
        let mut random = Random::new(seed);
        let shape = Sphere::draw(organization, &mut random);
        let records = random.pick(&[20, 60, 150]);
        let mut writer = SphereWriter::new(shape, random, records, true);
        writer.rewrites = asks_for_rewrites(seed);
        writer.write(requests)
    }

    /// A workload for a crash or fault run: a small image; who is killed is left to the trial.
    pub fn small(seed: u64, requests: usize, organization: Organization) -> SphereWorkload {
        let mut random = Random::new(seed);
        let shape = Sphere::draw_small(organization, &mut random);
        let records = random.pick(&[8, 20]);
        let mut writer = SphereWriter::new(shape, random, records, false);
        writer.rewrites = asks_for_rewrites(seed);
        writer.write(requests)
    }
}

struct SphereWriter {
    random: Random,
    oracle: SphereOracle,
    shape: Sphere,
    keys: KeySource,
    loaded: Vec<Body>,
    records: u64,
    deaths: bool,
    /// Some updates are rewrites: GET for update and PUT in one request.
    rewrites: bool,
    requests: Vec<Request>,
    /// The filling of each record that was asked for so far, by its digest.
    fillings: HashMap<u64, u32>,
}

impl SphereWriter {
    fn new(mut shape: Sphere, mut random: Random, records: u64, deaths: bool) -> SphereWriter {
        let mut keys = KeySource::new(&shape.base, records, &mut random);
        let loaded = loaded(&mut shape, &mut keys, records, &mut random);
        // Of two that are alike the first counts, and of requests the last.
        let filling = |body: &Body| (digest(&body.bytes(&shape.base)), body.fill);
        let fillings = loaded.iter().rev().map(filling).collect();
        SphereWriter {
            oracle: SphereOracle::new(&shape, &loaded),
            random,
            shape,
            keys,
            loaded,
            records,
            deaths,
            rewrites: false,
            requests: Vec::new(),
            fillings,
        }
    }

    fn write(mut self, requests: usize) -> SphereWorkload {
        while self.requests.len() < requests {
            self.request();
        }
        self.requests.truncate(requests);
        SphereWorkload {
            shape: self.shape,
            records: self.loaded,
            requests: self.requests,
        }
    }

    fn push(&mut self, request: Request) {
        self.oracle.apply(&request);
        if let Request::Insert { body, .. } | Request::Update { body, .. } | Request::Rewrite { body, .. } = &request {
            self.fillings.insert(digest(&body.bytes(&self.shape.base)), body.fill);
        }
        if matches!(request, Request::Kill(_)) {
            let records = self.oracle.base().contents();
            let alternates = self.oracle.alternates().to_vec();
            self.oracle.adopt(&records, &alternates);
        }
        self.requests.push(request);
    }

    fn request(&mut self) {
        if !self.oracle.base().output() {
            (0..self.random.between(1, 8)).for_each(|_| self.read());
            return self.push(reopen(true));
        }
        let full = self.oracle.base().records().len() as u64 > 2 * self.records;
        match self.random.below(100) {
            0..30 if !full => self.insert(),
            0..50 => self.update(),
            50..62 => self.erase(),
            62..88 => self.read(),
            88..92 => self.wrong(),
            92..95 => self.push(Request::Commit),
            95..97 => self.push(Request::Checkpoint),
            97..99 => {
                // An empty base cannot be opened for input, nor an empty index.
                let output = self.random.chance(80) || self.oracle.has_an_empty_index();
                self.push(reopen(output));
            }
            _ if self.deaths => self.push(Request::Kill(Kill::AT_ONCE)),
            _ => self.push(reopen(true)),
        }
    }

    fn string(&mut self) -> u8 {
        self.random.below(usize::from(self.shape.base.strings)) as u8
    }

    fn insert(&mut self) {
        let string = self.string();
        let order = match self.random.below(10) {
            0 => Order::Sequential,
            1 => Order::Skip,
            _ => Order::Direct,
        };
        let key = self.keys.draw(&mut self.random);
        let body = self.body(key);
        self.push(Request::Insert { string, order, body });
    }

    fn update(&mut self) {
        let string = self.hold();
        let Some(held) = self.oracle.base().held(string).map(<[u8]>::to_vec) else {
            return;
        };
        let has = self.oracle.base().records().get(&held).cloned().unwrap_or_default();
        let mut body = self.body(held.clone());
        if self.shape.base.addressed() && self.random.chance(90) {
            body.length = has.len();
        }
        if self.shape.way(string).is_some() && self.random.chance(80) {
            // Through a path the alternate key must stay: the same filling keeps it, if the record is long enough.
            body.fill = self.fillings.get(&digest(&has)).copied().unwrap_or(body.fill);
        }
        let key = match self.shape.way(string) {
            None => Some(held),
            Some(at) => self.shape.alternates[at].key_of(&has).map(<[u8]>::to_vec),
        };
        match key.filter(|_| self.rewrites && body.fill % 2 == 0) {
            Some(key) => self.push(Request::Rewrite { string, key, body }),
            None => self.push(Request::Update { string, body }),
        }
    }

    fn erase(&mut self) {
        let string = self.hold();
        if self.oracle.base().held(string).is_some() {
            self.push(Request::Erase { string });
        }
    }

    /// Gets a record for update, by some string.
    fn hold(&mut self) -> u8 {
        let (string, intent) = (self.string(), Intent::Update);
        let key = self.existing_key(string);
        let request = match self.random.below(5) {
            0 => Request::Next { string, intent },
            1 => Request::Prev { string, intent },
            _ => Request::Get {
                string,
                key,
                search: self.random.pick(&[Search::Equal, Search::GreaterOrEqual]),
                intent,
            },
        };
        self.push(request);
        string
    }

    fn read(&mut self) {
        let string = self.string();
        let intent = self
            .random
            .pick(&[Intent::Read, Intent::Read, Intent::Position, Intent::Update]);
        let search = self.random.pick(&[Search::Equal, Search::GreaterOrEqual]);
        let mut key = self.existing_key(string);
        if self.by_key(string) && self.random.chance(20) {
            key.truncate(self.random.between(1, key.len() as u64) as usize);
        }
        let browse = match self.random.below(8) {
            0 | 1 => Request::Get {
                string,
                key,
                search,
                intent,
            },
            2 => Request::Skip {
                string,
                key,
                search,
                intent,
            },
            3 => Request::PointFirst { string },
            4 => Request::PointLast { string },
            5 => Request::Point { string, key, search },
            6 => Request::PointBackward { string, key, search },
            _ => Request::Next { string, intent },
        };
        self.push(browse);
        let forward = self.random.chance(50);
        for _ in 0..self.random.between(0, 8) {
            let intent = self.random.pick(&[Intent::Read, Intent::Position]);
            let next = forward != self.random.chance(10);
            self.push(if next {
                Request::Next { string, intent }
            } else {
                Request::Prev { string, intent }
            });
        }
    }

    fn wrong(&mut self) {
        let string = self.string();
        let key = self.existing_key(string);
        let (search, intent) = (Search::Equal, Intent::Read);
        let request = match self.random.below(6) {
            0 => Request::Erase { string },
            1 if self.by_key(string) => Request::Get {
                string,
                key: vec![7; self.shape.key_length(string) + 1],
                search,
                intent,
            },
            2 => Request::GetRba {
                string,
                key,
                plus: 1 << 40,
                intent,
            },
            3 => Request::GetInto {
                string,
                key,
                search,
                intent,
                area: 0,
            },
            4 => Request::End { string },
            _ => {
                let key = self.keys.draw(&mut self.random);
                let body = self.body(key);
                Request::Update { string, body }
            }
        };
        self.push(request);
    }

    fn body(&mut self, key: Vec<u8>) -> Body {
        body(&self.shape, key, &mut self.random)
    }

    /// Whether a string's requests name records by key, of which they may give a part.
    fn by_key(&self, string: u8) -> bool {
        self.shape.base.keyed() || self.shape.way(string).is_some()
    }

    /// A prime or alternate key that is there, if any is.
    fn existing_key(&mut self, string: u8) -> Vec<u8> {
        let probe: Vec<u8> = match self.shape.way(string) {
            None => self.keys.draw(&mut self.random),
            Some(_) => (0..self.shape.key_length(string))
                .map(|_| self.random.bits() as u8)
                .collect(),
        };
        fn near<V>(entries: &BTreeMap<Vec<u8>, V>, probe: &[u8]) -> Option<Vec<u8>> {
            let above = entries.range(probe.to_vec()..).next();
            above.or_else(|| entries.iter().next()).map(|(key, _)| key.clone())
        }
        let there = match self.shape.way(string) {
            None => near(self.oracle.base().records(), &probe),
            Some(at) => near(&self.oracle.alternates()[at], &probe),
        };
        there.unwrap_or(probe)
    }
}

fn reopen(output: bool) -> Request {
    Request::Reopen { output, reset: false }
}

/// A record, sometimes too short for an alternate key.
fn body(shape: &Sphere, key: Vec<u8>, random: &mut Random) -> Body {
    let (least, most) = (shape.base.least_record() as u64, shape.base.maximum_record as u64);
    let length = match random.below(12) {
        _ if shape.base.fixed => most,
        0 => random.between(least, (least + 8).min(most)),
        1 if shape.base.spanned => most,
        _ => random.between(least, most.min(least + 120)),
    };
    Body {
        key: if shape.base.addressed() { Vec::new() } else { key },
        length: length as usize,
        fill: filling(random),
    }
}

/// Records to begin with. An index that has none of them suppresses nothing: it would count as never built.
fn loaded(shape: &mut Sphere, keys: &mut KeySource, records: u64, random: &mut Random) -> Vec<Body> {
    loop {
        let bodies = load(shape, keys, records, random);
        let all: Vec<_> = bodies.iter().map(|body| body.bytes(&shape.base)).collect();
        let is_empty = |of: &&mut Alternate| all.iter().all(|record| of.key_of(record).is_none());
        match shape.alternates.iter_mut().find(is_empty) {
            Some(of) => of.suppressed = None,
            None => return bodies,
        }
    }
}

/// Records of which no alternate index refuses one, in the order in which the base takes them.
fn load(shape: &Sphere, keys: &mut KeySource, records: u64, random: &mut Random) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    let mut taken: Vec<BTreeMap<Vec<u8>, usize>> = vec![BTreeMap::new(); shape.alternates.len()];
    // The first has every alternate key that is not suppressed.
    for n in 0..records {
        let mut body = body(shape, keys.draw(random), random);
        if n == 0 {
            body.length = shape.base.maximum_record;
        }
        let record = body.bytes(&shape.base);
        let fits = taken.iter().zip(&shape.alternates).all(|(taken, of)| {
            let most = if of.chained {
                usize::MAX
            } else {
                (of.maximum_record - 5 - of.length) / of.pointer
            };
            of.key_of(&record)
                .is_none_or(|key| taken.get(key).copied().unwrap_or(0) < if of.unique { 1 } else { most })
        });
        let is_there = shape.base.keyed() && bodies.iter().any(|other| other.key == body.key);
        if fits && !is_there {
            for (taken, of) in taken.iter_mut().zip(&shape.alternates) {
                if let Some(key) = of.key_of(&record) {
                    *taken.entry(key.to_vec()).or_default() += 1;
                }
            }
            bodies.push(body);
        }
    }
    // Those without a key keep their order.
    bodies.sort_by(|a, b| a.key.cmp(&b.key));
    bodies
}
