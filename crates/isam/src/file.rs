//! An open file: the data set, the key by which it is read, the current record, and what is locked.
//!
//! | current record | by | ISNEXT reads | ISCURR reads | isrewcurr, isdelcurr |
//! |---|---|---|---|---|
//! | none, at the start | isopen, isbuild | the first | ENOCURR | ENOCURR |
//! | started at K | isstart | the first at K or above | the same | ENOCURR |
//! | R | isread | the one behind R | R again | R |
//! | behind the last | isread, EENDFILE | EENDFILE | ENOCURR | ENOCURR |
//!
//! ISPREV behind isstart reads the one before K, as ISPREV behind a read of R reads the one before R.
//!
//! * I1. A string that reads has no locks. What is locked is so by `work` alone, whose locks are those of the file or
//!   of its transaction. What is changed is so by `work`, or in a unit for which `work` gives up locks (`give_up`).

use crate::error::{Refused, EBADFILE, ENOTEXCL, EROWSIZE};
use crate::key::Key;
use crate::layout::Layout;
use crate::mode::Mode;
use cica::{DataSet, Error, OpenOptions, Str, UnitOfRecovery};
use cica_catalog::entry::{Aix, Organization};
use cica_catalog::{Catalog, Cluster, Entry, Name};
use cica_engine::{LockMode, Patience, RequestError};
use cica_session::{Reached, Session, SessionError};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// The owner of what isbuild makes, as the catalog says.
pub const OWNER: &str = "ISAM";

/// The owner of what dbm_open makes. What IDCAMS defines for `ndbm.h` has it too.
pub const OWNER_OF_PAIRS: &str = "NDBM";

/// The next file's.
static SERIALS: AtomicU64 = AtomicU64::new(0);

/// See the module.
pub struct IsamFile {
    /// The base cluster.
    pub name: Name,
    /// How it is open.
    pub mode: Mode,
    /// How its records lie in it.
    pub layout: Layout,
    /// All records have the longest length.
    pub fixed: bool,
    /// The shortest record that may be written. The keys alone may need less.
    pub shortest: usize,
    /// Its records are those of `ndbm.h`: the catalog says so.
    pub of_pairs: bool,
    /// The alternate indexes of the keys behind the prime one.
    pub indexes: Vec<Name>,
    /// Reads by the key.
    pub reader: Reader,
    base: DataSet,
    catalog: Arc<Catalog>,
    work: Str,
    in_unit: bool,
    /// No other open of this process has it: numbers are given again.
    pub serial: u64,
    /// Prime keys of records that are locked.
    locked: Vec<Vec<u8>>,
    /// Prime keys of what it has changed in the unit, which are the unit's until its end.
    changed: HashSet<Vec<u8>>,
}

/// Where a file is read.
pub struct Reader {
    /// The number of the key.
    pub key: usize,
    /// Its string.
    pub string: Str,
    /// See the table.
    pub current: Current,
    /// The record that the string stands on is read once more by the next step this way: see [`Still`].
    pub still: Option<Still>,
    /// The base through an alternate index; none for the prime key. It is open as long as its string.
    _through: Option<DataSet>,
}

/// A string by an alternate key stays on a record: a step of it either way returns that record. A step of the file
/// returns it this way alone, and passes it the other way, as a string by the prime key does.
pub struct Still {
    /// The way of the step that reads it.
    pub way: Way,
    /// Its prime key.
    pub prime: Vec<u8>,
}

/// Which way a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// ISNEXT.
    Forward,
    /// ISPREV.
    Backward,
}

/// The current record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Current {
    /// None.
    None,
    /// The next one is.
    Started,
    /// This one, as it is stored.
    Record(Vec<u8>),
}

impl IsamFile {
    /// Opens the file of a data set.
    ///
    /// # Errors
    /// It is not there, no KSDS, open elsewhere, or its keys are none that ISAM knows.
    pub fn open(session: &Session, name: &Name, mode: Mode) -> Result<IsamFile, Refused> {
        let failed = |error| open_error(name, error);
        let (catalog, reached) = session.reach(name).map_err(failed)?;
        let contents = catalog.contents().map_err(Error::from)?;
        if let Ok(Entry::Aix(_)) = contents.get(&reached.cluster.name) {
            let words =
                format!("{name} is an alternate index: its records are those of the file's keys, for isaddindex alone");
            return Err(Refused::because(EBADFILE, words));
        }
        let related: Vec<&Aix> = contents.related(&reached.cluster.name).filter_map(upgraded).collect();
        let layout = layout(&reached.cluster, &related)?;
        let size = reached.cluster.attributes.record_size;
        let fixed = size.average == size.maximum;
        if !fixed && !mode.varying {
            let words = format!("{name}: its records have lengths of their own, so it is opened with ISVARLEN");
            return Err(Refused::because(EROWSIZE, words));
        }
        let options = OpenOptions {
            alone: mode.alone,
            reset: mode.emptied,
            ..if mode.writes {
                OpenOptions::output()
            } else {
                OpenOptions::input()
            }
        };
        let base = session
            .open_reached(name, &catalog, &reached, options)
            .map_err(failed)?
            .closing_on_drop();
        // Records are stored by their keys, never in ascending order by promise: a load would refuse that.
        if base.loading() {
            base.end_load()?;
        }
        Ok(IsamFile {
            name: reached.cluster.name.clone(),
            fixed,
            shortest: if fixed {
                layout.most
            } else {
                layout.least.max(built_for(&reached.cluster, &layout))
            },
            mode,
            layout,
            of_pairs: reached.cluster.attributes.history.owner.as_deref() == Some(OWNER_OF_PAIRS),
            indexes: related.iter().map(|aix| aix.name.clone()).collect(),
            reader: Reader {
                key: 0,
                string: base.string(),
                current: Current::None,
                still: None,
                _through: None,
            },
            work: base.string(),
            base,
            catalog,
            in_unit: false,
            serial: SERIALS.fetch_add(1, Relaxed),
            locked: Vec::new(),
            changed: HashSet::new(),
        })
    }

    /// From now on it is read by this key, from the start.
    ///
    /// # Errors
    /// Its index cannot be opened.
    pub fn read_by(&mut self, session: &Session, key: usize) -> Result<(), Refused> {
        if key == self.reader.key {
            return Ok(());
        }
        let (mut string, through) = match key.checked_sub(1) {
            None => (self.base.string(), None),
            Some(_) => {
                let through = self.through(session, key)?;
                (through.string(), Some(through))
            }
        };
        // ISPREV is ISNEXT the other way round, among records of one key too.
        string.mirror_duplicates();
        self.reader = Reader {
            key,
            string,
            current: Current::None,
            still: None,
            _through: through,
        };
        Ok(())
    }

    /// The base through the alternate index of a key behind the prime one.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn through(&self, session: &Session, key: usize) -> Result<DataSet, Refused> {
        let index = &self.indexes[key - 1];
        let failed = |error| open_error(index, error);
        let contents = self.catalog.contents().map_err(Error::from)?;
        let reached = session.reach(&self.name).map_err(failed)?.1;
        let reached: Reached = reached.through(&contents, index).map_err(failed)?;
        let options = OpenOptions::input();
        let through = session.open_reached(&self.name, &self.catalog, &reached, options);
        Ok(through.map_err(failed)?.closing_on_drop())
    }

    /// The string that changes and locks: within `unit`, if its changes belong to one that has begun.
    pub fn work(&mut self) -> &mut Str {
        &mut self.work
    }

    /// From now on changes belong to the unit, and with it what is locked.
    ///
    /// # Errors
    /// Somebody else took one of the records between.
    pub fn enter(&mut self, unit: &UnitOfRecovery) -> Result<(), Refused> {
        if !self.mode.in_transactions || self.in_unit {
            return Ok(());
        }
        let locked = std::mem::take(&mut self.locked);
        locked.iter().for_each(|key| {
            self.work.unlock(key);
        });
        self.work = self.base.string_in(unit);
        self.in_unit = true;
        for key in locked {
            self.lock(key, Patience::None)?;
        }
        Ok(())
    }

    /// The transaction has ended, and with it all locks.
    pub fn leave(&mut self) {
        if std::mem::take(&mut self.in_unit) {
            self.work = self.base.string();
            self.locked.clear();
            self.changed.clear();
        }
    }

    /// A string of a unit beside the file's own: for a change that is made of several.
    pub fn string_in(&self, unit: &UnitOfRecovery) -> Str {
        self.base.string_in(unit)
    }

    /// Are its changes in a transaction now?
    pub fn is_in_unit(&self) -> bool {
        self.in_unit
    }

    /// Locks a record by its prime key. True: it was not locked before.
    ///
    /// # Errors
    /// ELOCKED.
    pub fn lock(&mut self, key: Vec<u8>, patience: Patience) -> Result<bool, RequestError> {
        if self.locked.contains(&key) {
            return Ok(false);
        }
        self.work.lock(&key, LockMode::Exclusive, patience)?;
        self.locked.push(key);
        Ok(true)
    }

    /// A record of this prime key was added, changed or erased by `work`.
    pub fn note_changed(&mut self, prime: &[u8]) {
        if self.in_unit {
            self.changed.insert(prime.to_vec());
        }
    }

    /// Has it the record of this prime key, so that no other file gets it?
    pub fn has(&self, prime: &[u8]) -> bool {
        self.changed.contains(prime) || self.locked.iter().any(|key| key == prime)
    }

    /// Unlocks those of these records that are locked; gives their keys.
    pub fn give_up(&mut self, keys: [&[u8]; 2]) -> Vec<Vec<u8>> {
        let locked = std::mem::take(&mut self.locked).into_iter();
        let (given, kept): (Vec<_>, Vec<_>) = locked.partition(|key| keys.contains(&key.as_slice()));
        self.locked = kept;
        for key in &given {
            self.work.unlock(key);
        }
        given
    }

    /// Unlocks all records.
    pub fn unlock_all(&mut self) {
        for key in std::mem::take(&mut self.locked) {
            self.work.unlock(&key);
        }
    }

    /// Makes all changes durable.
    ///
    /// # Errors
    /// The device failed.
    pub fn flush(&self) -> Result<(), Refused> {
        if self.mode.writes {
            Ok(self.base.commit()?)
        } else {
            Ok(())
        }
    }

    /// Records in it.
    pub fn records(&self) -> u64 {
        self.base.statistics().0.records
    }

    /// Bytes of a control interval of its index, which is what ISAM calls the size of an index node.
    pub fn node(&self) -> u32 {
        self.base.index_attributes().map_or(0, |attributes| attributes.ci_size)
    }

    /// Prime keys of the records that it has for the transaction, which keeps them when it is closed.
    pub fn kept(&mut self) -> impl Iterator<Item = Vec<u8>> + use<> {
        let locked = if self.in_unit {
            std::mem::take(&mut self.locked)
        } else {
            Vec::new()
        };
        locked.into_iter().chain(std::mem::take(&mut self.changed))
    }

    /// Closes it.
    ///
    /// # Errors
    /// Something could not be made durable.
    pub fn close(self) -> Result<(), Refused> {
        let IsamFile { reader, base, work, .. } = self;
        drop((reader, work));
        base.close().map(drop).map_err(Refused::from)
    }

    /// Is it open for this program alone? What changes its keys needs that.
    ///
    /// # Errors
    /// ENOTEXCL.
    pub fn check_alone(&self) -> Result<(), Refused> {
        if self.mode.alone && self.mode.writes {
            Ok(())
        } else {
            Err(Refused::new(ENOTEXCL))
        }
    }

    /// The number of a key of the same pieces. A catalog may know one of several parts by its place alone.
    pub fn number_of(&self, key: &Key) -> Option<usize> {
        let pieces = key.pieces();
        self.layout.keys.iter().position(|(of, _)| of.pieces() == pieces)
    }
}

fn open_error(name: &Name, error: SessionError) -> Refused {
    Refused::from(Error::Open {
        name: name.to_string(),
        error,
    })
}

fn upgraded(entry: &Entry) -> Option<&Aix> {
    match entry {
        Entry::Aix(aix) if aix.upgrade => Some(aix),
        _ => None,
    }
}

/// Bytes of the shortest record that isbuild was told; 0 of what isbuild has not made.
fn built_for(cluster: &Cluster, layout: &Layout) -> usize {
    let attributes = &cluster.attributes;
    if attributes.history.owner.as_deref() == Some(OWNER) {
        (attributes.record_size.average as usize).saturating_sub(layout.head)
    } else {
        0
    }
}

/// How records lie in a data set, as the catalog says.
fn layout(cluster: &Cluster, indexes: &[&Aix]) -> Result<Layout, Refused> {
    let bad = |why: &str| Refused::because(EBADFILE, format!("{}: {why}", cluster.name));
    let attributes = &cluster.attributes;
    let keys = attributes.keys.filter(|_| cluster.organization == Organization::Ksds);
    let keys = keys.ok_or_else(|| bad("it is no key-sequenced data set"))?;
    let head = usize::from(attributes.cobol_head.unwrap_or(0));
    let most = (attributes.record_size.maximum as usize).saturating_sub(head);
    let key = |text: &Option<String>, place: Range<usize>, duplicates: bool| -> Result<_, Refused> {
        let key = match text {
            Some(text) => Key::parse(text).ok_or_else(|| bad(&format!("its catalog entry says of a key '{text}'")))?,
            None if place.start >= head => Key::of_characters(place.start - head..place.end - head, duplicates),
            None => {
                return Err(bad(
                    "its keys of several parts were described by a COBOL program, not by isbuild",
                ))
            }
        };
        match key.fault(most) {
            None if key.length() == place.len() => Ok((Key { duplicates, ..key }, place)),
            None => Err(bad("a key has another length than its description")),
            Some(why) => Err(bad(&format!("of a key: {why}"))),
        }
    };
    let place = |keys: cica_catalog::entry::Keys| {
        let offset = keys.offset as usize;
        offset..offset + usize::from(keys.length)
    };
    let mut all = vec![key(&attributes.isam_key, place(keys), false)?];
    for aix in indexes {
        all.push(key(
            &aix.attributes.isam_key,
            place(aix.alternate_key),
            !aix.unique_key,
        )?);
    }
    Ok(Layout {
        least: all.iter().map(|(key, _)| key.end()).max().unwrap_or(0),
        keys: all,
        head,
        most,
    })
}
