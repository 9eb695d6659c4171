//! A workload that wears control areas out: many CIs of a CA changed between two commits, in every proportion.
//!
//! What a draw of single requests hardly ever reaches happens here all the time: more CIs to write than a CA has free
//! slots (an annex is taken), nearly all of them (the CA is written whole elsewhere, and the annex given back), regions
//! that go from one CA to another, splits of CAs with many CIs, CAs emptied and used again.
//!
//! Some of it takes several commits in a row. Three workloads of four therefore go round in such a row, with other CAs
//! and other numbers each time; the fourth draws each round by itself.

use crate::random::Random;
use crate::request::{Body, Intent, Order, Request, Search, CLOSE};
use crate::shape::{Durability, Keys, Organization, Shape};
use crate::workload::Workload;

/// Keys of loaded records are so far apart.
const APART: u64 = 64;

/// What the rounds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Each is drawn by itself.
    Mixed,
    /// In the third of three commits a CA gives its annex back and another one takes a region (R2).
    Annexes,
    /// A CA is emptied; then another one splits, and the empty one is used again.
    Emptied,
}

/// Commits of a row.
const ROW: usize = 3;

/// A workload of so many rounds, each of which ends with a commit, a checkpoint or a close.
pub fn workload(seed: u64, rounds: usize) -> Workload {
    let mut random = Random::new(seed);
    let manner = random.pick(&[Manner::Mixed, Manner::Annexes, Manner::Annexes, Manner::Emptied]);
    let ci_per_ca = match manner {
        Manner::Mixed => random.pick(&[6, 8, 10, 40]),
        _ => random.pick(&[6, 8, 10]),
    };
    // Two records to a CI, or six, of which three are left by a split in two sectors.
    let ci_size = match manner {
        Manner::Mixed if ci_per_ca <= 10 => random.pick(&[512, 512, 1536]),
        _ => 512,
    };
    let shape = Shape {
        organization: Organization::Ksds,
        key_length: 4,
        maximum_record: 240,
        fixed: false,
        ci_size,
        ci_per_ca,
        index_ci_size: if ci_per_ca > 20 { 1024 } else { 512 },
        durability: random.pick(&[Durability::Close, Durability::Commit]),
        tick: random.pick(&[0, 0, 60_000_000]),
        strings: 1,
        pool_bytes: 4 << 20,
        keys: Keys::Ascending,
        ..Shape::plain()
    };
    let cas = match manner {
        Manner::Mixed if ci_per_ca > 20 => 1,
        Manner::Mixed => random.between(2, 3),
        _ => 3,
    };
    let mut churn = Churn {
        per_ca: 2 * u64::from(ci_per_ca),
        records: 2 * u64::from(ci_per_ca) * cas,
        pair: (0, 1),
        random,
        requests: Vec::new(),
    };
    churn.load();
    for round in 0..rounds {
        match manner {
            Manner::Mixed => churn.round(),
            Manner::Annexes => churn.annexes(round % ROW),
            Manner::Emptied => churn.emptied(round % ROW),
        }
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
    /// The CAs that a row is about.
    pair: (u64, u64),
    requests: Vec<Request>,
}

impl Churn {
    fn load(&mut self) {
        for number in 0..self.records {
            self.insert(number * APART, Order::Sequential);
        }
        self.requests.push(CLOSE);
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
        let end = match self.random.below(8) {
            0..5 => Request::Checkpoint,
            5 | 6 => Request::Commit,
            _ => CLOSE,
        };
        self.requests.push(end);
    }

    /// One commit of the row that gives an annex back beside a CA that wants a region.
    fn annexes(&mut self, turn: usize) {
        let (gives, takes) = match turn {
            0 => self.draw_pair(),
            _ => self.pair,
        };
        match turn {
            // Two CAs are written whole: what they leave is free for the annex, and for giving it back.
            0 => (0..3).filter(|ca| *ca != gives).for_each(|ca| self.update_cis(ca, 100)),
            // More CIs than there are free slots, but less than the whole CA: an annex.
            1 => self.update_cis(gives, 60),
            _ => {
                self.update_cis(gives, 100);
                let percent = self.random.pick(&[60, 100, 100]);
                self.update_cis(takes, percent);
            }
        }
        self.commit_the_tree();
    }

    /// One commit of the row in which an emptied CA is used again.
    fn emptied(&mut self, turn: usize) {
        match turn {
            0 => {
                let (emptied, _) = self.draw_pair();
                let first = emptied * self.per_ca;
                (first..first + self.per_ca).for_each(|number| self.erase(number));
            }
            1 => {
                // Between two records there is room for so many that the CA has to split.
                let near = (self.pair.1 * self.per_ca + self.random.between(0, self.per_ca - 1)) * APART;
                let many = self.random.between(self.per_ca, APART - 1).min(APART - 1);
                for key in near + 1..near + many {
                    self.insert(key, Order::Direct);
                }
            }
            _ => {
                let first = self.pair.0 * self.per_ca;
                (first..first + self.per_ca).for_each(|number| self.insert(number * APART, Order::Direct));
            }
        }
        self.commit_the_tree();
    }

    fn draw_pair(&mut self) -> (u64, u64) {
        // Which of them a commit writes first is for the load to say.
        self.pair = self.random.pick(&[(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]);
        self.pair
    }

    /// Mostly a checkpoint; sometimes CLOSE, or the log alone, so that the next commit has the more to write.
    fn commit_the_tree(&mut self) {
        let end = match self.random.below(12) {
            0 => CLOSE,
            1 => Request::Commit,
            _ => Request::Checkpoint,
        };
        self.requests.push(end);
    }

    /// Updates a record in so many percent of the CIs of a CA, as they were loaded.
    fn update_cis(&mut self, ca: u64, percent: u64) {
        let cis = self.per_ca / 2;
        for ci in 0..(cis * percent).div_ceil(100) {
            self.update(ca * self.per_ca + 2 * ci);
        }
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
