//! What threads work on: a data set, or a base with alternate indexes; made, opened, and looked at when it is left.

use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::{Disk, SimDisk};
use cica_engine::DataSet;

use crate::oracle::Bytes;
use crate::random::{digest, Random};
use crate::request::{Body, Order, Reply, Request};
use crate::session::{Session, Trouble};
use crate::shape::{Organization, Shape};
use crate::sphere::oracle::SphereOracle;
use crate::sphere::session::{look, SphereContents, SphereSession};
use crate::sphere::shape::Sphere;
use crate::sphere::subject::{lists, recovered};
use crate::sphere::workload::SphereWorkload;
use crate::store::Store;

/// Values by the number of the record's key.
pub type State = BTreeMap<u64, u64>;

/// See the module.
pub enum StoreKind {
    /// A data set.
    One(Shape),
    /// A base.
    Sphere(SphereWorkload),
}

/// What is open.
pub enum OpenedStore {
    /// A data set.
    One(Session),
    /// A base.
    Sphere(SphereSession),
}

impl StoreKind {
    /// What a seed draws; of the organizations those whose records have keys or numbers.
    pub fn draw(seed: u64, organization: Organization, store: Store) -> StoreKind {
        // Which of two threads comes first decides where a record of an ESDS stands.
        let organization = match organization {
            Organization::Esds => Organization::Ksds,
            other => other,
        };
        let drawn = || Shape::draw_small(organization, &mut Random::new(seed));
        match store {
            Store::Sphere(_) => StoreKind::Sphere(SphereWorkload::small(seed, 1, Organization::Ksds)),
            Store::Compressed(_) => StoreKind::One(drawn().compressed()),
            _ => StoreKind::One(drawn()),
        }
    }

    /// The data set, or the base.
    pub fn shape(&self) -> &Shape {
        match self {
            StoreKind::One(shape) => shape,
            StoreKind::Sphere(workload) => &workload.shape.base,
        }
    }

    /// The keys of some records, of which some are there at the start.
    pub fn keys(&self, count: usize) -> Vec<Vec<u8>> {
        let mut keys: Vec<Vec<u8>> = match self {
            StoreKind::One(_) => Vec::new(),
            StoreKind::Sphere(workload) => workload.records.iter().map(|body| body.key.clone()).collect(),
        };
        keys.truncate(count);
        let new = (1..).map(|number| self.shape().numbered(number));
        let new: Vec<_> = new
            .filter(|key| !keys.contains(key))
            .take(count + 1 - keys.len())
            .collect();
        keys.extend(new);
        keys.sort();
        keys
    }

    /// Makes it on a disk, with every second of the records, or those that a sphere is loaded with.
    pub fn make(&self, disk: &SimDisk, keys: &[Vec<u8>], random: &mut Random) -> Result<(), String> {
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        match self {
            StoreKind::One(shape) => {
                let mut session = Session::create(shared, shape).map_err(Trouble::words)?;
                for key in keys.iter().step_by(2) {
                    let body = Body {
                        key: key.clone(),
                        length: shape.maximum_record,
                        fill: random.bits() as u32,
                    };
                    let order = Order::Sequential;
                    let insert = Request::Insert { string: 0, order, body };
                    match session.apply(&insert).map_err(Trouble::words)? {
                        Reply::Done => {}
                        other => return Err(format!("{insert}: {other}")),
                    }
                }
                session.close().map_err(Trouble::words)
            }
            StoreKind::Sphere(workload) => {
                let oracle = SphereOracle::new(&workload.shape, &workload.records);
                let loaded: Vec<Bytes> = oracle.base().records().values().cloned().collect();
                let made = SphereSession::create(&shared, &workload.shape, &loaded, oracle.alternates());
                made.map_err(Trouble::words)
            }
        }
    }

    /// Opens it for output.
    pub fn open(&self, disk: Arc<dyn Disk>) -> Result<OpenedStore, String> {
        let opened = match self {
            StoreKind::One(shape) => Session::open(disk, shape, true).map(OpenedStore::One),
            StoreKind::Sphere(workload) => SphereSession::open(disk, &workload.shape, true).map(OpenedStore::Sphere),
        };
        opened.map_err(Trouble::words)
    }

    /// What is there, recovered and its structure checked, of the records with these keys; any other is an error.
    pub fn left(&self, disk: Arc<dyn Disk>, keys: &[Vec<u8>]) -> Result<State, String> {
        match self {
            StoreKind::One(shape) => {
                let mut session = Session::open(disk, shape, true).map_err(Trouble::words)?;
                let records = session.contents().map_err(Trouble::words)?.unwrap_or_default();
                session.check_structure(records.len()).map_err(Trouble::words)?;
                session.close().map_err(Trouble::words)?;
                let parted = |record: &Bytes| {
                    if shape.keyed() {
                        (shape.key_of(record).to_vec(), digest(record))
                    } else {
                        (record[..shape.key_length].to_vec(), digest(&record[shape.key_length..]))
                    }
                };
                state(records.iter().map(parted), keys)
            }
            StoreKind::Sphere(workload) => {
                let found = recovered(&disk, &workload.shape).map_err(Trouble::words)?;
                self.agreed(&workload.shape, found, keys)
            }
        }
    }

    /// The same of what was closed.
    pub fn closed(&self, disk: Arc<dyn Disk>, keys: &[Vec<u8>]) -> Result<State, String> {
        match self {
            StoreKind::One(_) => self.left(disk, keys),
            StoreKind::Sphere(workload) => {
                let found = look(&disk, &workload.shape).map_err(Trouble::words)?;
                self.agreed(&workload.shape, found, keys)
            }
        }
    }

    /// The base's records; each alternate index that is upgraded must say of them what they say.
    fn agreed(&self, sphere: &Sphere, found: SphereContents, keys: &[Vec<u8>]) -> Result<State, String> {
        for (at, (alternate, entries)) in sphere.alternates.iter().zip(&found.alternates).enumerate() {
            if !alternate.upgrade {
                continue;
            }
            let mut expected: BTreeMap<Bytes, Vec<Bytes>> = BTreeMap::new();
            for record in &found.records {
                if let Some(key) = alternate.key_of(record) {
                    let pointers = expected.entry(key.to_vec()).or_default();
                    pointers.push(sphere.base.key_of(record).to_vec());
                }
            }
            let mut indexed = lists(entries, alternate, sphere);
            indexed.values_mut().for_each(|pointers| pointers.sort());
            expected.values_mut().for_each(|pointers| pointers.sort());
            if indexed != expected {
                return Err(format!(
                    "alternate index {at} says {indexed:?}, the base's records {expected:?}"
                ));
            }
        }
        let of = |record: &Bytes| (sphere.base.key_of(record).to_vec(), digest(record));
        let parted: Vec<_> = found.records.iter().map(of).collect();
        // Those of the load that no thread asks for are as they were.
        state(parted.into_iter().filter(|(key, _)| keys.contains(key)), keys)
    }
}

fn state(records: impl Iterator<Item = (Vec<u8>, u64)>, keys: &[Vec<u8>]) -> Result<State, String> {
    let numbered = |(key, value): (Vec<u8>, u64)| match keys.binary_search(&key) {
        Ok(number) => Ok((number as u64, value)),
        Err(_) => Err(format!("a record is there that nobody wrote: {key:02X?}")),
    };
    records.map(numbered).collect()
}

impl OpenedStore {
    /// The data set.
    pub fn set(&self) -> Result<DataSet, String> {
        let set = match self {
            OpenedStore::One(session) => session.set(),
            OpenedStore::Sphere(session) => session.base(),
        };
        set.cloned().map_err(Trouble::words)
    }

    /// Closes it.
    pub fn close(&mut self) -> Result<(), String> {
        let closed = match self {
            OpenedStore::One(session) => session.close(),
            OpenedStore::Sphere(session) => session.close(),
        };
        closed.map_err(Trouble::words)
    }
}
