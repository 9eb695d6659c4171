//! What an open has done, for who closes it: what SMF says of it, also where no records are written.
//!
//! The engine tells one watcher of opens and closes. Where records are written, or somebody wants to hear, that is this
//! one, and it passes on to SMF.

use cica_counters::{Component, ComponentCount, DataSetCount, OpenDataSet, Watcher, WeakCounts};
use cica_smf::SmfFile;
use std::cell::RefCell;
use std::sync::Arc;

/// What was done with a data set between an open and its close, by all opens of this process; data and index together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Records retrieved.
    pub retrieved: u64,
    /// Direct gets, whether a record was found or not.
    pub direct: u64,
    /// Control intervals that requests asked for.
    pub looks: u64,
    /// Of these, found in memory.
    pub hits: u64,
    /// Control intervals that came from the files.
    pub read: u64,
    /// Physical I/Os, reads and writes.
    pub excps: u64,
}

impl Done {
    fn between(then: &OpenDataSet, now: &OpenDataSet) -> Done {
        let set = |counter| now.count(counter).saturating_sub(then.count(counter));
        let part = |of: fn(&OpenDataSet) -> &Component, counter| {
            of(now).count(counter).saturating_sub(of(then).count(counter))
        };
        let both = |counter| part(|set| &set.data, counter) + part(|set| &set.index, counter);
        let hits = |of| part(of, ComponentCount::Looks).saturating_sub(part(of, ComponentCount::CisRead));
        Done {
            retrieved: set(DataSetCount::Retrieved),
            direct: set(DataSetCount::Direct),
            looks: both(ComponentCount::Looks),
            hits: hits(|set| &set.data) + hits(|set| &set.index),
            read: both(ComponentCount::CisRead),
            excps: both(ComponentCount::Excps),
        }
    }
}

thread_local! {
    /// What this thread closes while it wants to hear of that: clusters, and what was done with them.
    static HEARD: RefCell<Option<Vec<(String, Done)>>> = const { RefCell::new(None) };
}

/// See the module.
pub(crate) struct Closes {
    pub smf: Option<Arc<SmfFile>>,
}

impl Watcher for Closes {
    fn opened(&self, then: &OpenDataSet, counts: WeakCounts) {
        if let Some(smf) = &self.smf {
            smf.opened(then, counts);
        }
    }

    fn closed(&self, then: &OpenDataSet, now: &OpenDataSet) {
        if let Some(smf) = &self.smf {
            smf.closed(then, now);
        }
        HEARD.with_borrow_mut(|heard| {
            if let Some(heard) = heard {
                heard.push((now.identity.cluster.clone(), Done::between(then, now)));
            }
        });
    }
}

/// Closes an open of `cluster`, and says what was done meanwhile: nothing, where it was opened before
/// `Session::count_opens`, or in another process.
pub fn closing<R>(cluster: &str, close: impl FnOnce() -> R) -> (R, Option<Done>) {
    HEARD.set(Some(Vec::new()));
    let closed = close();
    let heard = HEARD.take().unwrap_or_default();
    let done = heard.into_iter().find(|(name, _)| name == cluster);
    (closed, done.map(|(_, done)| done))
}
