//! The loops that are measured, the same code for every engine.
//!
//! Every loop checks the answers it gets; a wrong or missing record fails the run. `peer-none` runs them against no
//! engine at all, which shows what the loops themselves cost.

use std::time::{Duration, Instant};

use crate::clock::{thread_cpu_ns, Measurement};
use crate::peer::{Peer, Result};
use crate::workload::{inserted, loaded, number_of, Layout, LoadStream, Random, Record, Shuffled};

/// A data set and how it is worked on.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Form of the records.
    pub layout: Layout,
    /// Records loaded, before any insert.
    pub loaded: u64,
    /// Operations between two commits.
    pub batch: u64,
}

/// How many records are stored and what their numbers add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    count: u64,
    sum: u64,
}

impl Work {
    /// Loads all records in key order.
    pub fn load<P: Peer>(&self, peer: &mut P) -> Result<u64> {
        peer.load(&mut LoadStream::new(self.layout, self.loaded))?;
        Ok(self.loaded)
    }

    /// What a scan has to show after the first `inserts` of the shuffled order have been inserted.
    pub fn contents(&self, inserts: u64) -> Contents {
        let order = Shuffled::new(self.loaded);
        let sum = (0..self.loaded).map(loaded).sum::<u64>()
            + (0..inserts).map(|place| inserted(order.at(place))).sum::<u64>();
        Contents {
            count: self.loaded + inserts,
            sum,
        }
    }

    /// Reads all records in key order.
    pub fn scan<P: Peer>(&self, peer: &mut P, stored: Contents) -> Result<u64> {
        let mut sum = 0u64;
        let count = peer.scan(|value| sum = sum.wrapping_add(number_of(value).unwrap_or(0)))?;
        peer.commit()?;
        if P::HOLDS_RECORDS && (Contents { count, sum }) != stored {
            let Contents {
                count: want,
                sum: total,
            } = stored;
            return Err(format!(
                "the scan showed {count} records with numbers adding up to {sum}, not {want} adding up to {total}"
            ));
        }
        Ok(stored.count)
    }

    /// Reads loaded records at random.
    pub fn get<P: Peer>(&self, peer: &mut P, ops: u64, seed: u64) -> Result<u64> {
        let mut reader = Reader::new(self.layout);
        let mut random = Random::new(seed);
        for op in 1..=ops {
            reader.read(peer, loaded(random.below(self.loaded)))?;
            self.commit_batch(peer, op)?;
        }
        peer.commit()?;
        Ok(ops)
    }

    /// Reads the loaded records of these indexes.
    pub fn get_these<P: Peer>(&self, peer: &mut P, indexes: &[u64]) -> Result<u64> {
        let mut reader = Reader::new(self.layout);
        for (op, &index) in (1..).zip(indexes) {
            reader.read(peer, loaded(index))?;
            self.commit_batch(peer, op)?;
        }
        peer.commit()?;
        Ok(indexes.len() as u64)
    }

    /// Replaces loaded records at random, without reading them first.
    pub fn update<P: Peer>(&self, peer: &mut P, ops: u64, seed: u64) -> Result<u64> {
        let mut record = Record::new(self.layout);
        let mut random = Random::new(seed);
        for op in 1..=ops {
            peer.update(record.fill(loaded(random.below(self.loaded)), op))?;
            self.commit_batch(peer, op)?;
        }
        peer.commit()?;
        Ok(ops)
    }

    /// Reads loaded records at random and writes each back, as READ and REWRITE do.
    pub fn rewrite<P: Peer>(&self, peer: &mut P, ops: u64, seed: u64) -> Result<u64> {
        let mut reader = Reader::new(self.layout);
        let mut record = Record::new(self.layout);
        let mut random = Random::new(seed);
        for op in 1..=ops {
            let number = loaded(random.below(self.loaded));
            reader.read(peer, number)?;
            peer.update(record.fill(number, op))?;
            self.commit_batch(peer, op)?;
        }
        peer.commit()?;
        Ok(ops)
    }

    /// Inserts new records at random; the shuffled order is taken up where `from` earlier inserts left it.
    pub fn insert<P: Peer>(&self, peer: &mut P, from: u64, ops: u64) -> Result<u64> {
        self.insert_each(peer, from, ops, |peer, record| peer.insert(record))
    }

    /// The same, and how many nanoseconds each took, with the commit before it if there was one.
    pub fn timed_insert<P: Peer>(&self, peer: &mut P, from: u64, ops: u64) -> Result<(u64, Vec<u64>)> {
        let mut took = Vec::with_capacity(ops as usize);
        let mut before = Instant::now();
        self.insert_each(peer, from, ops, |peer, record| {
            // A commit lies between two inserts: it belongs to the next one.
            peer.insert(record)?;
            let now = Instant::now();
            took.push((now - before).as_nanos() as u64);
            before = now;
            Ok(())
        })?;
        Ok((ops, took))
    }

    fn insert_each<P: Peer>(
        &self,
        peer: &mut P,
        from: u64,
        ops: u64,
        mut each: impl FnMut(&mut P, &[u8]) -> Result<()>,
    ) -> Result<u64> {
        if from + ops > self.loaded {
            return Err(format!(
                "{} inserts need at least as many loaded records, not {}",
                from + ops,
                self.loaded
            ));
        }
        let mut record = Record::new(self.layout);
        let order = Shuffled::new(self.loaded);
        for op in 1..=ops {
            each(peer, record.fill(inserted(order.at(from + op - 1)), 0))?;
            self.commit_batch(peer, op)?;
        }
        peer.commit()?;
        Ok(ops)
    }

    /// Several threads, each committing one updated record at a time and waiting until it is durable. The returned
    /// thread time is the sum over the threads; process time is left to the caller.
    pub fn commit<P: Peer>(&self, peer: &mut P, threads: u64, length: Duration, seed: u64) -> Result<Measurement> {
        let handles = (0..threads).map(|_| peer.another()).collect::<Result<Vec<P>>>()?;
        let start = Instant::now();
        let deadline = start + length;
        let done = std::thread::scope(|scope| {
            let running: Vec<_> = handles
                .into_iter()
                .enumerate()
                .map(|(thread, handle)| scope.spawn(move || self.commit_until(handle, deadline, seed + thread as u64)))
                .collect();
            running
                .into_iter()
                .map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|_| Err("a committing thread panicked".into()))
                })
                .collect::<Result<Vec<(u64, u64)>>>()
        })?;
        Ok(Measurement {
            ops: done.iter().map(|(commits, _)| commits).sum(),
            thread_ns: done.iter().map(|(_, cpu)| cpu).sum(),
            process_ns: 0,
            wall_ns: start.elapsed().as_nanos() as u64,
        })
    }

    fn commit_until<P: Peer>(&self, mut peer: P, deadline: Instant, seed: u64) -> Result<(u64, u64)> {
        let cpu = thread_cpu_ns();
        let mut record = Record::new(self.layout);
        let mut random = Random::new(seed);
        let mut commits = 0;
        while Instant::now() < deadline {
            peer.update(record.fill(loaded(random.below(self.loaded)), commits))?;
            peer.commit()?;
            commits += 1;
        }
        peer.close()?;
        Ok((commits, thread_cpu_ns() - cpu))
    }

    #[inline]
    fn commit_batch<P: Peer>(&self, peer: &mut P, op: u64) -> Result<()> {
        if op % self.batch == 0 {
            peer.commit()?;
        }
        Ok(())
    }
}

/// Reads records into an area and checks that they are the ones asked for.
struct Reader {
    area: Vec<u8>,
    key: Record,
}

impl Reader {
    fn new(layout: Layout) -> Reader {
        Reader {
            area: vec![0; layout.record],
            key: Record::new(layout),
        }
    }

    #[inline]
    fn read<P: Peer>(&mut self, peer: &mut P, number: u64) -> Result<()> {
        let length = peer.get(self.key.key(number), &mut self.area)?;
        let found = length.and_then(|length| number_of(&self.area[..length]));
        if P::HOLDS_RECORDS && found != Some(number) {
            return Err(match found {
                None => format!("record {number} was not found"),
                Some(other) => format!("record {other} was returned for the key of record {number}"),
            });
        }
        Ok(())
    }
}
