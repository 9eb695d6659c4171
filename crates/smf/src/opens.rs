//! What this process has open, and what it did with each cluster since it began: what steps and intervals tell.

use cica_counters::{Component, ComponentCount, DataSetCount, OpenDataSet, WeakCounts};
use std::collections::BTreeMap;

/// What was done with a cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// Physical I/Os.
    pub excps: u64,
    /// Control intervals that requests asked for.
    pub looks: u64,
    /// Of these, found in the pool.
    pub hits: u64,
    /// Control intervals written.
    pub written: u64,
    /// Splits of control intervals and of control areas.
    pub splits: [u64; 2],
}

impl Done {
    fn between(then: &OpenDataSet, now: &OpenDataSet) -> Done {
        let part = |of: fn(&OpenDataSet) -> &Component, counter| {
            of(now).count(counter).saturating_sub(of(then).count(counter))
        };
        let both = |counter| part(|set| &set.data, counter) + part(|set| &set.index, counter);
        let set = |counter| now.count(counter).saturating_sub(then.count(counter));
        let (looks, read) = (both(ComponentCount::Looks), both(ComponentCount::CisRead));
        Done {
            excps: both(ComponentCount::Excps),
            looks,
            hits: looks.saturating_sub(read),
            written: both(ComponentCount::CisWritten),
            splits: [set(DataSetCount::CiSplits), set(DataSetCount::CaSplits)],
        }
    }

    fn with(self, sign: fn(u64, u64) -> u64, other: Done) -> Done {
        Done {
            excps: sign(self.excps, other.excps),
            looks: sign(self.looks, other.looks),
            hits: sign(self.hits, other.hits),
            written: sign(self.written, other.written),
            splits: [0, 1].map(|n| sign(self.splits[n], other.splits[n])),
        }
    }

    /// Both.
    pub fn and(self, other: Done) -> Done {
        self.with(u64::saturating_add, other)
    }

    /// What came since.
    pub fn since(self, before: Done) -> Done {
        self.with(u64::saturating_sub, before)
    }
}

/// A cluster that was opened.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub name: String,
    /// The larger of its control intervals.
    pub ci_size: u64,
    /// By opens that have ended.
    ended: Done,
}

/// A data set that is open: all handles of it show the same counts.
#[derive(Debug)]
pub(crate) struct Live {
    /// Data component and time of the open.
    of: (u64, u64),
    cluster: usize,
    handles: usize,
    counts: WeakCounts,
    /// As of its open.
    pub first: OpenDataSet,
    /// As last seen.
    pub last: OpenDataSet,
    /// As of the last interval that had a record.
    pub reported: Option<OpenDataSet>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Opens {
    /// In the order of their first opens.
    clusters: Vec<Cluster>,
    live: Vec<Live>,
    /// DD names by cluster, or by file.
    pub names: BTreeMap<String, String>,
    /// Of sequential files: the name, blocks that were moved, and bytes of the largest.
    pub files: Vec<(String, u64, u64)>,
}

fn key(set: &OpenDataSet) -> (u64, u64) {
    (set.identity.component, set.identity.opened)
}

impl Opens {
    /// A handle more.
    pub fn opened(&mut self, then: &OpenDataSet, counts: WeakCounts) {
        if let Some(live) = self.live.iter_mut().find(|live| live.of == key(then)) {
            live.handles += 1;
            return;
        }
        let identity = &then.identity;
        let known = self
            .clusters
            .iter()
            .position(|cluster| cluster.name == identity.cluster);
        let cluster = known.unwrap_or_else(|| {
            self.clusters.push(Cluster {
                name: identity.cluster.clone(),
                ci_size: identity.ci_size.0.max(identity.ci_size.1).into(),
                ended: Done::default(),
            });
            self.clusters.len() - 1
        });
        self.live.push(Live {
            of: key(then),
            cluster,
            handles: 1,
            counts,
            first: then.clone(),
            last: then.clone(),
            reported: None,
        });
    }

    /// So many blocks of a sequential file were moved.
    pub fn moved(&mut self, file: &str, blocks: u64, block_size: u64) {
        match self.files.iter_mut().find(|(name, ..)| name == file) {
            Some((_, sum, largest)) => (*sum, *largest) = (*sum + blocks, block_size.max(*largest)),
            None => self.files.push((file.to_owned(), blocks, block_size)),
        }
    }

    /// A handle less, and what is counted now. If an interval had a record, what was counted then; the next one begins
    /// here.
    pub fn closed(&mut self, now: &OpenDataSet) -> Option<OpenDataSet> {
        let at = self.live.iter().position(|live| live.of == key(now))?;
        let live = &mut self.live[at];
        (live.handles, live.last) = (live.handles - 1, now.clone());
        let reported = live.reported.replace(now.clone());
        let reported = reported.or_else(|| Some(live.first.clone()));
        if live.handles == 0 {
            self.end(at);
        }
        reported
    }

    fn end(&mut self, at: usize) {
        let live = self.live.swap_remove(at);
        let done = Done::between(&live.first, &live.last);
        let cluster = &mut self.clusters[live.cluster];
        cluster.ended = cluster.ended.and(done);
    }

    /// All that are open, as they are now.
    pub fn look(&mut self) -> &mut [Live] {
        for at in (0..self.live.len()).rev() {
            match self.live[at].counts.so_far() {
                Some(now) => self.live[at].last = now,
                // Nobody has told of its end.
                None => self.end(at),
            }
        }
        &mut self.live
    }

    /// What was done with each cluster, as far as it was looked at.
    pub fn done(&self) -> impl Iterator<Item = (&Cluster, Done)> {
        self.clusters.iter().enumerate().map(|(number, cluster)| {
            let live = self.live.iter().filter(|live| live.cluster == number);
            let done = live.map(|live| Done::between(&live.first, &live.last));
            (cluster, done.fold(cluster.ended, Done::and))
        })
    }
}
