//! A workload that wears control areas out: many CIs of a CA changed between two commits, in every proportion.
//!
//! What a draw of single requests hardly ever reaches happens here all the time: more CIs to write than a CA has free
//! slots (an annex is taken), nearly all of them (the CA is written whole elsewhere, and the annex given back), regions
//! that go from one CA to another, splits of CAs with many CIs, CAs emptied and used again.

use crate::random::Random;
use crate::request::{Body, Intent, Order, Request, Search};
use crate::shape::{Durability, Keys, Organization, Shape};
use crate::workload::Workload;

/// Keys of loaded records are so far apart.
const APART: u64 = 64;

/// A workload of so many rounds, each of which ends with a commit, a checkpoint or a close.
pub fn workload(seed: u64, rounds: usize) -> Workload {
    let mut random = Random::new(seed);
    let ci_per_ca = random.pick(&[6, 8, 10, 40]);
    let shape = Shape {
        organization: Organization::Ksds,
        key_length: 4,
        // Two records to a CI.
        maximum_record: 240,
        fixed: false,
        ci_size: 512,
        ci_per_ca,
        index_ci_size: if ci_per_ca > 20 { 1024 } else { 512 },
        durability: random.pick(&[Durability::Close, Durability::Commit]),
        tick: random.pick(&[0, 0, 60_000_000]),
        strings: 1,
        pool_bytes: 4 << 20,
        keys: Keys::Ascending,
        ..Shape::plain()
    };
    let cas = if ci_per_ca > 20 { 1 } else { random.between(2, 3) };
    let mut churn = Churn {
        per_ca: 2 * u64::from(ci_per_ca),
        records: 2 * u64::from(ci_per_ca) * cas,
        random,
        requests: Vec::new(),
    };
    churn.load();
    for _ in 0..rounds {
        churn.round();
    }
    Workload {
        seed,
        shape,
        requests: churn.requests,
    }
}

struct Churn {
    random: Random,
    per_ca: u64,
    records: u64,
    requests: Vec<Request>,
}

impl Churn {
    fn load(&mut self) {
        for number in 0..self.records {
            self.insert(number * APART, Order::Sequential);
        }
        self.requests.push(Request::Reopen {
            output: true,
            reset: false,
        });
    }

    fn round(&mut self) {
        let ca = self.random.between(0, self.records / self.per_ca - 1);
        let first = ca * self.per_ca;
        match self.random.below(10) {
            0..3 => self.update_some(first),
            // One CA gives back in the middle of a commit what another one takes in the same.
            3..6 => (0..self.records / self.per_ca).for_each(|ca| self.update_some(ca * self.per_ca)),
            6 | 7 => {
                // Into one CI until it splits, and into its neighbours.
                let near = (first + self.random.between(0, self.per_ca - 1)) * APART;
                for _ in 0..self.random.between(2, 12) {
                    let key = near + self.random.between(1, 3 * APART);
                    self.insert(key, Order::Direct);
                }
            }
            8 => {
                for number in first..first + self.per_ca {
                    self.erase(number);
                }
            }
            _ => {
                for number in first..first + self.per_ca / 2 {
                    self.insert(number * APART, Order::Direct);
                }
            }
        }
        self.requests.push(match self.random.below(8) {
            0..5 => Request::Checkpoint,
            5 | 6 => Request::Commit,
            _ => Request::Reopen {
                output: true,
                reset: false,
            },
        });
    }

    /// Updates a record in some CIs of the CA that begins with this one.
    fn update_some(&mut self, first: u64) {
        let percent = self.random.pick(&[10, 35, 50, 70, 95]);
        for ci in 0..self.per_ca / 2 {
            if self.random.chance(percent) {
                self.update(first + 2 * ci);
            }
        }
    }

    fn insert(&mut self, key: u64, order: Order) {
        let body = self.body(key);
        self.requests.push(Request::Insert { string: 0, order, body });
    }

    fn update(&mut self, number: u64) {
        self.hold(number);
        let body = self.body(number * APART);
        self.requests.push(Request::Update { string: 0, body });
    }

    fn erase(&mut self, number: u64) {
        self.hold(number);
        self.requests.push(Request::Erase { string: 0 });
    }

    fn hold(&mut self, number: u64) {
        self.requests.push(Request::Get {
            string: 0,
            key: key(number * APART),
            search: Search::Equal,
            intent: Intent::Update,
        });
    }

    fn body(&mut self, number: u64) -> Body {
        Body {
            key: key(number),
            length: 236,
            fill: self.random.bits() as u32,
        }
    }
}

fn key(number: u64) -> Vec<u8> {
    (number as u32).to_be_bytes().to_vec()
}
