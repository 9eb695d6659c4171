//! What the data sets of a volume and the rest of its catalog must be.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::{Bytes, Oracle};
use crate::place;
use crate::random::digest;
use crate::request::{Order, Reply, Request};
use crate::volume::action::{Card, VolumeAction};
use crate::volume::shape::VolumeShape;

/// How far the alternate index over a data set has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Index {
    /// There is none.
    #[default]
    None,
    /// Defined.
    Defined,
    /// With a path.
    Reached,
    /// And built: from now on it is upgraded.
    Built,
}

/// What is known of a data set beside its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelEntry {
    /// Under its second name.
    pub renamed: bool,
    /// FREESPACE.
    pub free: (u8, u8),
    /// Its alternate index.
    pub index: Index,
    /// FREESPACE of the alternate index.
    pub index_free: u8,
    /// The path is NOUPDATE.
    pub no_update: bool,
}

impl ModelEntry {
    /// The same when the alternate index has come so far alone.
    fn back_to(self, index: Index) -> ModelEntry {
        ModelEntry {
            index,
            no_update: self.no_update && index > Index::Defined,
            index_free: if index == Index::None { 0 } else { self.index_free },
            ..self
        }
    }
}

/// A data set that is there.
#[derive(Debug, Clone)]
pub struct There {
    /// What the catalog says.
    pub entry: ModelEntry,
    /// Its records.
    pub oracle: Oracle,
    /// The program has it open.
    pub open: bool,
    /// The alternate index was built; without a path nothing tells.
    pub built: bool,
    /// The last action was EXPORT TEMPORARY: IMPORT may replace it.
    pub exported: bool,
}

/// What a process finds of a part of the volume.
#[derive(Debug, Clone)]
pub enum Seen {
    /// There is no such data set.
    Nothing,
    /// It is there; without records while it is to be loaded.
    DataSet(ModelEntry, Option<Vec<Bytes>>),
    /// The generation data groups.
    Groups(BTreeSet<u8>),
}

impl Seen {
    /// See [`digest_of`].
    pub fn digest(&self) -> u64 {
        match self {
            Seen::Nothing => digest_of(None),
            Seen::DataSet(entry, records) => digest_of(Some((*entry, records.as_deref().unwrap_or_default()))),
            Seen::Groups(groups) => digest_of_groups(groups),
        }
    }
}

impl There {
    /// See [`digest_of`].
    pub fn digest(&self) -> u64 {
        digest_of(Some((self.entry, &self.oracle.contents())))
    }
}

/// The model.
#[derive(Debug, Clone)]
pub struct Model {
    shape: VolumeShape,
    /// By number; none: not defined.
    pub slots: Vec<Option<There>>,
    /// The generation data groups.
    pub groups: BTreeSet<u8>,
    /// What the copies hold that RESTORE and IMPORT read.
    copies: BTreeMap<usize, Vec<Bytes>>,
}

/// A number that tells the states of a data set apart; the records as they are compared.
pub fn digest_of(there: Option<(ModelEntry, &[Bytes])>) -> u64 {
    let Some((entry, records)) = there else { return 0 };
    if place::records_alone() {
        // Who was never loaded is as good as not there: nobody may read it.
        let first = u64::from(!records.is_empty());
        return records
            .iter()
            .fold(first, |sum, record| sum.wrapping_add(digest(record)));
    }
    let known = [
        1,
        u8::from(entry.renamed),
        entry.free.0,
        entry.free.1,
        entry.index as u8,
        entry.index_free,
        u8::from(entry.no_update),
    ];
    records
        .iter()
        .fold(digest(&known), |sum, record| sum.wrapping_add(digest(record)))
}

/// The same of the groups.
pub fn digest_of_groups(groups: &BTreeSet<u8>) -> u64 {
    if place::records_alone() {
        return 0;
    }
    digest(&groups.iter().copied().collect::<Vec<u8>>())
}

impl Model {
    /// A volume with nothing on it, and the requests that load the data sets of which there are copies.
    pub fn new(shape: &VolumeShape, copies: &BTreeMap<usize, Vec<Request>>) -> Model {
        let loaded = |(slot, requests): (&usize, &Vec<Request>)| {
            let mut oracle = Oracle::new(&shape.slots[*slot]);
            requests.iter().for_each(|request| drop(oracle.apply(request)));
            (*slot, oracle.records().values().cloned().collect())
        };
        Model {
            shape: shape.clone(),
            slots: vec![None; shape.slots.len()],
            groups: BTreeSet::new(),
            copies: copies.iter().map(loaded).collect(),
        }
    }

    /// The parts of the history: the data sets, and what else the catalog holds.
    pub fn digests(&self) -> Vec<u64> {
        let mut digests: Vec<u64> = (0..self.slots.len()).map(|slot| self.digest(slot)).collect();
        digests.push(digest_of_groups(&self.groups));
        digests
    }

    /// One of them.
    pub fn digest(&self, slot: usize) -> u64 {
        match self.slots.get(slot) {
            None => digest_of_groups(&self.groups),
            Some(there) => there.as_ref().map_or_else(|| digest_of(None), There::digest),
        }
    }

    /// The part that an action changes.
    pub fn part(&self, action: &VolumeAction) -> usize {
        action.slot().unwrap_or(self.slots.len())
    }

    /// The name of a data set now.
    pub fn name(&self, slot: usize) -> String {
        let renamed = self.slots[slot].as_ref().is_some_and(|there| there.entry.renamed);
        self.shape.name(slot, renamed)
    }

    /// Whether an action makes sense now, so that what is left of a list when others were dropped still does.
    pub fn allows(&self, action: &VolumeAction) -> bool {
        let Some(slot) = action.slot() else { return true };
        let there = self.slots[slot].as_ref();
        let records = there.map_or(0, |there| there.oracle.records().len());
        match (action, there) {
            // What RESET makes of an alternate index is not modelled.
            (VolumeAction::Request(_, Request::Reopen { reset: true, .. }), Some(there)) => {
                there.open && there.entry.index == Index::None
            }
            (VolumeAction::Request(_, Request::Kill(_)), _) => false,
            (VolumeAction::Request(..) | VolumeAction::Close(_), Some(there)) => there.open,
            (_, Some(there)) if there.open => false,
            (VolumeAction::Card(_, Card::Define), there) => there.is_none(),
            (VolumeAction::Card(_, Card::Import), None) => self.copies.contains_key(&slot),
            (_, None) => false,
            (VolumeAction::Card(_, card), Some(there)) => match card {
                Card::Export | Card::ExportAway => records > 0 && there.entry == self.defined(slot),
                Card::Import => self.copies.contains_key(&slot) && there.exported,
                Card::Restore => {
                    self.copies.contains_key(&slot) && there.entry.index == Index::None && !there.entry.renamed
                }
                Card::Reorganize => records > 0 && there.entry.index == Index::None && self.keyed(slot),
                Card::FreeSpace(..) => self.keyed(slot),
                Card::Rename => there.entry.index == Index::None,
                Card::Repro(from) => records == 0 && self.copies_from(*from, slot) && there.oracle.loading(),
                Card::DefineIndex => {
                    // What is emptied at will has none.
                    self.keyed(slot) && !self.shape.slots[slot].reuse && there.entry.index == Index::None && records > 0
                }
                Card::DefinePath => there.entry.index == Index::Defined,
                Card::BuildIndex => there.entry.index == Index::Reached && records > 0,
                Card::DeleteIndex | Card::AlterIndex(_) => there.entry.index != Index::None,
                Card::AlterPath | Card::DeletePath => there.entry.index > Index::Defined,
                Card::Verify => !there.oracle.loading(),
                Card::Examine => !there.oracle.loading() && self.shape.slots[slot].organization.has_index(),
                Card::Define | Card::Delete => true,
            },
            _ => true,
        }
    }

    /// What the catalog says after DEFINE.
    fn defined(&self, slot: usize) -> ModelEntry {
        let shape = &self.shape.slots[slot];
        let free = if shape.keyed() {
            (shape.free_ci, shape.free_ca)
        } else {
            (0, 0)
        };
        ModelEntry {
            free,
            ..ModelEntry::default()
        }
    }

    fn keyed(&self, slot: usize) -> bool {
        self.shape.slots[slot].keyed()
    }

    fn copies_from(&self, from: usize, to: usize) -> bool {
        let source = self.slots.get(from).and_then(Option::as_ref);
        let filled = source.is_some_and(|there| !there.open && !there.oracle.records().is_empty());
        filled && from != to && self.shape.slots[from] == self.shape.slots[to]
    }

    /// Does an action that [`Model::allows`]; tells what a request answers.
    pub fn apply(&mut self, action: &VolumeAction) -> Option<Reply> {
        if let Some(there) = action.slot().and_then(|slot| self.slots[slot].as_mut()) {
            there.exported = matches!(action, VolumeAction::Card(_, Card::Export));
        }
        match action {
            VolumeAction::Group(number) => {
                if !self.groups.remove(number) {
                    self.groups.insert(*number);
                }
            }
            VolumeAction::Card(slot, card) => self.card(*slot, *card),
            VolumeAction::Kill(_) | VolumeAction::KillCommand(..) => {}
            VolumeAction::Open(slot) => {
                if let Some(there) = &mut self.slots[*slot] {
                    there.open = true;
                    return Some(there.oracle.apply(&Request::Reopen {
                        output: true,
                        reset: false,
                    }));
                }
            }
            VolumeAction::Close(slot) => {
                if let Some(there) = &mut self.slots[*slot] {
                    there.open = false;
                    // What CLOSE makes of a load is known at the next OPEN.
                    there.oracle.apply(&Request::Reopen {
                        output: true,
                        reset: false,
                    });
                }
            }
            VolumeAction::Request(slot, request) => {
                return self.slots[*slot].as_mut().map(|there| there.oracle.apply(request));
            }
        }
        None
    }

    fn card(&mut self, slot: usize, card: Card) {
        let shape = &self.shape.slots[slot];
        let new = There {
            entry: self.defined(slot),
            oracle: Oracle::new(shape),
            open: false,
            built: false,
            exported: false,
        };
        match card {
            Card::Define => self.slots[slot] = Some(new),
            Card::Delete | Card::ExportAway => self.slots[slot] = None,
            Card::Restore | Card::Import => {
                let copy = self.copies.get(&slot).cloned().unwrap_or_default();
                self.slots[slot] = Some(There {
                    oracle: loaded(shape, &copy),
                    ..new
                });
            }
            Card::Repro(from) => {
                let records = self.records(from);
                if let Some(there) = &mut self.slots[slot] {
                    there.oracle = loaded(shape, &records);
                }
            }
            card => {
                let Some(there) = &mut self.slots[slot] else { return };
                match card {
                    Card::Rename => there.entry.renamed ^= true,
                    Card::Reorganize => there.entry.free = (10, 10),
                    Card::FreeSpace(ci, ca) => there.entry.free = (ci, ca),
                    Card::DefineIndex => there.entry.index = Index::Defined,
                    Card::DefinePath if there.built => there.entry.index = Index::Built,
                    Card::DefinePath => there.entry.index = Index::Reached,
                    Card::BuildIndex => (there.built, there.entry.index) = (true, Index::Built),
                    Card::AlterIndex(free) => there.entry.index_free = free,
                    Card::AlterPath => there.entry.no_update ^= true,
                    Card::DeletePath => there.entry = there.entry.back_to(Index::Defined),
                    Card::DeleteIndex => (there.built, there.entry) = (false, there.entry.back_to(Index::None)),
                    _ => {}
                }
            }
        }
    }

    /// A data set in the middle of an action that is done in several steps: while REPRO loads it, each beginning of
    /// what the other holds (V3); while DELETE takes an index away, without its path and without it (V4).
    pub fn between(&self, action: &VolumeAction) -> Vec<There> {
        let VolumeAction::Card(slot, card) = action else {
            return Vec::new();
        };
        let Some(there) = &self.slots[*slot] else {
            return Vec::new();
        };
        match card {
            Card::Repro(from) => {
                let records = self.records(*from);
                let beginning = |count: usize| There {
                    oracle: loaded(&self.shape.slots[*slot], &records[..count]),
                    ..there.clone()
                };
                (0..=records.len()).map(beginning).collect()
            }
            Card::Delete | Card::DeleteIndex => {
                let without = |index| There {
                    entry: there.entry.back_to(index),
                    built: there.built && index > Index::None,
                    ..there.clone()
                };
                let indexes = [Index::Defined, Index::None].into_iter();
                indexes
                    .filter(|index| *index < there.entry.index)
                    .map(without)
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The volume as a command left it that was killed in the middle of `action`: as it was, as it is in `done`, or in
    /// between. `seen` is what the next process found of the data set. None: it is none of these.
    pub fn left_by(&self, action: &VolumeAction, done: &Model, seen: &Seen) -> Option<Model> {
        let seen_is = |there: &Option<There>| match (there, seen) {
            (None, Seen::Nothing) => true,
            (Some(there), Seen::DataSet(entry, records)) => {
                let known = there.oracle.contents();
                there.entry == *entry
                    && there.oracle.loading() == records.is_none()
                    && known == records.as_deref().unwrap_or_default()
            }
            _ => false,
        };
        let mut left = self.clone();
        match (action.slot(), seen) {
            (None, Seen::Groups(groups)) => {
                left.groups.clone_from(groups);
                (*groups == self.groups || *groups == done.groups).then_some(left)
            }
            (None, _) => None,
            (Some(slot), _) => {
                let ends = [&done.slots[slot], &self.slots[slot]].into_iter().cloned();
                let between = self.between(action).into_iter().map(Some);
                left.slots[slot] = ends.chain(between).find(seen_is)?;
                if let Some(there) = &mut left.slots[slot] {
                    there.exported = false;
                }
                Some(left)
            }
        }
    }

    fn records(&self, slot: usize) -> Vec<Bytes> {
        let there = self.slots[slot].as_ref();
        there.map_or(Vec::new(), |there| there.oracle.records().values().cloned().collect())
    }
}

/// A data set with these records, which have keys, loaded and closed.
fn loaded(shape: &crate::shape::Shape, records: &[Bytes]) -> Oracle {
    let mut oracle = Oracle::new(shape);
    oracle.load(records);
    oracle.apply(&Request::Reopen {
        output: true,
        reset: false,
    });
    oracle
}

/// The requests that load a copy's records, one after the other.
pub fn load_requests(bodies: Vec<crate::request::Body>) -> Vec<Request> {
    let insert = |body| Request::Insert {
        string: 0,
        order: Order::Sequential,
        body,
    };
    bodies.into_iter().map(insert).collect()
}
