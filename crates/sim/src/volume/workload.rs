//! Actions drawn from one seed: data sets are defined, loaded and changed side by side, and each is a matter for
//! commands whenever the program has closed it.

use std::collections::{BTreeMap, VecDeque};

use crate::keys::KeySource;
use crate::random::Random;
use crate::request::{Body, Request};
use crate::volume::action::{Card, VolumeAction};
use crate::volume::model::{load_requests, Model};
use crate::volume::shape::VolumeShape;
use crate::workload::Workload;

/// A run: everything follows from the seed and the number of actions.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeWorkload {
    /// The data sets.
    pub shape: VolumeShape,
    /// What the copies hold that RESTORE and IMPORT read.
    pub copies: BTreeMap<usize, Vec<Body>>,
    /// The actions, in order.
    pub actions: Vec<VolumeAction>,
}

impl VolumeWorkload {
    /// A workload for a crash or fault run.
    pub fn small(seed: u64, actions: usize) -> VolumeWorkload {
        let mut random = Random::new(seed);
        let shape = VolumeShape::draw(&mut random);
        let copy = bodies(&shape, 0, random.pick(&[3, 12, 130]), &mut random);
        let copies = BTreeMap::from([(0, copy)]);
        let loads = copies
            .iter()
            .map(|(slot, bodies)| (*slot, load_requests(bodies.clone())));
        let model = Model::new(&shape, &loads.collect());
        let requests = |(slot, shape): (usize, &crate::shape::Shape)| {
            let seed = seed.wrapping_mul(31).wrapping_add(slot as u64);
            Workload::shaped(seed, 4 * actions, shape.clone()).requests.into()
        };
        let requests = shape.slots.iter().enumerate().map(requests).collect();
        let mut writer = VolumeWriter {
            model,
            random,
            requests,
            actions: Vec::new(),
        };
        while writer.actions.len() < actions {
            writer.some();
        }
        writer.actions.truncate(actions);
        VolumeWorkload {
            actions: writer.actions,
            shape,
            copies,
        }
    }
}

/// Records in key order, for a load.
fn bodies(shape: &VolumeShape, slot: usize, count: u64, random: &mut Random) -> Vec<Body> {
    let shape = &shape.slots[slot];
    let mut keys = KeySource::new(shape, count, random);
    let drawn = (0..count).map(|_| (keys.draw(random), random.bits()));
    let drawn: BTreeMap<Vec<u8>, u64> = drawn.collect();
    let body = |(key, bits): (Vec<u8>, u64)| Body {
        key,
        length: if shape.fixed {
            shape.maximum_record
        } else {
            shape.least_record() + (bits as usize) % (shape.maximum_record - shape.least_record() + 1).min(120)
        },
        fill: (bits >> 32) as u32,
    };
    drawn.into_iter().map(body).collect()
}

struct VolumeWriter {
    model: Model,
    random: Random,
    /// What the program is still going to ask of each data set.
    requests: Vec<VecDeque<Request>>,
    actions: Vec<VolumeAction>,
}

impl VolumeWriter {
    fn some(&mut self) {
        let slot = self.random.below(self.requests.len());
        match self.model.slots[slot].as_ref().map(|there| there.open) {
            None => self.missing(slot),
            Some(true) => self.program(slot),
            Some(false) => self.closed(slot),
        }
        if self.random.chance(4) {
            let number = self.random.below(4) as u8;
            self.push(VolumeAction::Group(number));
        }
    }

    fn push(&mut self, action: VolumeAction) {
        if self.model.allows(&action) {
            self.model.apply(&action);
            self.actions.push(action);
        }
    }

    fn missing(&mut self, slot: usize) {
        if self.random.chance(35) {
            self.push(VolumeAction::Card(slot, Card::Import))
        } else {
            self.push(VolumeAction::Card(slot, Card::Define))
        }
    }

    fn program(&mut self, slot: usize) {
        for _ in 0..self.random.between(1, 9) {
            match self.requests[slot].pop_front() {
                Some(request) => self.push(VolumeAction::Request(slot, request)),
                None => return self.push(VolumeAction::Close(slot)),
            }
        }
        if self.random.chance(25) {
            self.push(VolumeAction::Close(slot));
        }
    }

    fn closed(&mut self, slot: usize) {
        let percent = |random: &mut Random| random.between(0, 40) as u8;
        let card = match self.random.below(30) {
            0..8 => return self.push(VolumeAction::Open(slot)),
            8 => Card::Delete,
            9 | 10 => Card::Rename,
            11 => Card::FreeSpace(percent(&mut self.random), percent(&mut self.random)),
            12 | 13 => Card::Reorganize,
            14 => Card::Restore,
            15 => {
                self.push(VolumeAction::Card(slot, Card::Export));
                Card::Import
            }
            16 | 17 => Card::Repro(if slot == 0 { 2 } else { 0 }),
            18..22 => return self.index(slot),
            22 => Card::DeleteIndex,
            23 => Card::Verify,
            24 => Card::Examine,
            25 => Card::AlterIndex(percent(&mut self.random)),
            26 => Card::AlterPath,
            27 => Card::DeletePath,
            28 => Card::ExportAway,
            _ => Card::BuildIndex,
        };
        self.push(VolumeAction::Card(slot, card));
    }

    fn index(&mut self, slot: usize) {
        for card in [Card::DefineIndex, Card::DefinePath, Card::BuildIndex] {
            self.push(VolumeAction::Card(slot, card));
        }
        // The base and the index change together for a while, with or without a path.
        let change = match self.random.below(4) {
            0 => Card::DeletePath,
            1 => Card::AlterPath,
            2 => Card::AlterIndex(self.random.between(0, 40) as u8),
            _ => return,
        };
        self.push(VolumeAction::Card(slot, change));
        self.push(VolumeAction::Open(slot));
        self.program(slot);
    }
}
