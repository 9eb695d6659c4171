//! A client's open of a data set, and who works with it.
//!
//! | state | by | to |
//! |---|---|---|
//! | open | work begins | open, with a handle more |
//! | open | close | closed: the handle is the closer's |
//! | closed, with work | the work ends | closed: who has worked closes its handle, perhaps the last one |
//!
//! * D1. Work has a handle of its own, and the open is not locked meanwhile. So who closes it waits for no work. Nor
//!   does anybody else who opens or closes the same data set, nor the end of a client.
//! * D2. An owner that ends waits for all work ([`Busy`]), so that no handle is left.

use crate::held::Identity;
use crate::tally::Tally;
use cica_catalog::Name;
use cica_engine::{DataSet, PinnedTrees};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// See the module.
pub struct OpenSet {
    pub name: Name,
    /// None once it is closed.
    data_set: Mutex<Option<DataSet>>,
    pub path: bool,
    /// What its records' names are.
    pub identity: Identity,
    /// Its trees, while the client copies them. Who has this locked may lock `data_set`, and not the other way round.
    pub pins: Mutex<Option<PinnedTrees>>,
    /// What is counted of requests for its records.
    pub tally: Arc<Tally>,
    pub base: Name,
    pub guest: u64,
    pub alone: bool,
    busy: Arc<Busy>,
}

/// What an open is beside its handle.
pub struct About {
    pub name: Name,
    pub path: bool,
    pub identity: Identity,
    pub tally: Arc<Tally>,
    pub base: Name,
    pub guest: u64,
    pub alone: bool,
}

impl OpenSet {
    /// One that was just opened.
    pub fn new(data_set: DataSet, about: About, busy: Arc<Busy>) -> OpenSet {
        OpenSet {
            name: about.name,
            data_set: Mutex::new(Some(data_set)),
            path: about.path,
            identity: about.identity,
            pins: Mutex::default(),
            tally: about.tally,
            base: about.base,
            guest: about.guest,
            alone: about.alone,
            busy,
        }
    }

    /// Works with it (D1). None: it is closed.
    pub fn with<T>(&self, work: impl FnOnce(&DataSet) -> T) -> Option<T> {
        let _busy = self.busy.begin();
        let handle = self.data_set.lock().clone()?;
        let done = work(&handle);
        let open = self.data_set.lock();
        if open.is_some() {
            // It is not the last handle, and nobody takes the other one meanwhile.
            drop(handle);
        } else {
            drop(open);
            // Nobody is left who could be told; what was acknowledged is in the log.
            let _ = handle.close();
        }
        Some(done)
    }

    /// Takes the open out, to be closed. None: somebody has.
    pub fn take(&self) -> Option<DataSet> {
        self.data_set.lock().take()
    }
}

/// How many are at some work now, as opens of data sets, closes, and work with them.
#[derive(Default)]
pub struct Busy {
    count: Mutex<usize>,
    none: Condvar,
}

/// One of them.
pub struct AtWork<'b>(&'b Busy);

impl Busy {
    /// One more, until what is returned is dropped.
    pub fn begin(&self) -> AtWork<'_> {
        *self.count.lock() += 1;
        AtWork(self)
    }

    /// Waits until nobody is left.
    pub fn wait(&self) {
        let mut count = self.count.lock();
        while *count > 0 {
            self.none.wait(&mut count);
        }
    }

    /// The same, and no longer than this.
    pub fn wait_for(&self, longest: Duration) {
        let mut count = self.count.lock();
        // Who is left then is left.
        let _ = self.none.wait_while_for(&mut count, |count| *count > 0, longest);
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let mut count = self.0.count.lock();
        *count -= 1;
        if *count == 0 {
            self.0.none.notify_all();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cica_engine::{Insert, Intent, OpenOptions};
    use cica_session::{Session, Sharing, Start};

    fn session(directory: &std::path::Path) -> Session {
        Session::start(Start {
            catalog: Some(directory.to_owned()),
            pool: Some(16 << 20),
            sharing: Sharing::Off,
            ..Start::default()
        })
        .unwrap()
    }

    #[test]
    fn who_works_with_a_data_set_keeps_nobody_from_closing_it_and_leaves_it_closed() {
        let directory = std::env::temp_dir().join(format!("cica-server-open-set-{}", std::process::id()));
        // What a run before has left.
        let _ = std::fs::remove_dir_all(&directory);
        let store = cica::Store::at(&directory)
            .create()
            .pool_bytes(16 << 20)
            .open()
            .unwrap();
        store.define(cica::Ksds::new("A").key(0..5).records(5, 80)).unwrap();
        drop(store);
        let own = session(&directory);
        let name = Name::parse("A").unwrap();
        let (_, data_set) = own.open(&name, OpenOptions::output()).unwrap();
        data_set.string().insert(b"00001", Insert::Sequential).unwrap();
        data_set.end_load().unwrap();
        let busy = Arc::new(Busy::default());
        let about = About {
            name: name.clone(),
            path: false,
            identity: Identity { base: 0, length: 5 },
            tally: Arc::default(),
            base: name.clone(),
            guest: 1,
            alone: false,
        };
        let set = OpenSet::new(data_set, about, busy.clone());
        let records = set.with(|data_set| {
            let report = set.take().unwrap().close().unwrap();
            assert!(!report.closed, "who works with it has it open");
            data_set.facts().data.records
        });
        assert_eq!(records, Some(1));
        assert!(set.with(|_| ()).is_none() && set.take().is_none());
        busy.wait();

        // It was closed in order: another process may have it now, while this one lives.
        assert_eq!(own.engine.left_uncommitted(), 0);
        let other = session(&directory);
        let (_, data_set) = other.open(&name, OpenOptions::output()).unwrap();
        assert_eq!(data_set.string().next(Intent::Read).unwrap().bytes, b"00001");
        data_set.close().unwrap();
        // What cannot be removed hurts nobody.
        let _ = std::fs::remove_dir_all(&directory);
    }
}
