//! The kinds of store that campaigns try, and how a seed draws one.

use crate::churn;
use crate::data_set::DataSetTrial;
use crate::mortal::Kill;
use crate::random::Random;
use crate::request::{Request, CLOSE};
use crate::shape::{organization_of, word, Organization, Shape};
use crate::sphere::trial::SphereTrial;
use crate::trial::{killing, Purpose, Trial};
use crate::units::trial::UnitsTrial;
use crate::volume::trial::VolumeTrial;
use crate::workload::Workload;

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// A data set; without an organization the seed decides.
    DataSet(Option<Organization>),
    /// The same, compressed: a KSDS, VRRDS or ESDS.
    Compressed(Option<Organization>),
    /// A base with alternate indexes and paths; without an organization the seed decides.
    Sphere(Option<Organization>),
    /// Several data sets under a catalog, and commands.
    Volume,
    /// Several data sets that units of recovery change.
    Units,
}

impl Store {
    /// The organization of a seed's data set, or of its base: every fourth base is an ESDS.
    pub fn organization(self, seed: u64) -> Organization {
        match self {
            Store::DataSet(asked) => asked.unwrap_or_else(|| organization_of(seed)),
            Store::Compressed(Some(Organization::Vrrds)) => Organization::Vrrds,
            Store::Compressed(Some(Organization::Esds)) => Organization::Esds,
            Store::Compressed(None) if seed % 4 == 3 => Organization::Vrrds,
            Store::Compressed(None) if seed % 4 == 1 => Organization::Esds,
            Store::Sphere(Some(Organization::Esds)) => Organization::Esds,
            Store::Sphere(None) if seed % 4 == 3 => Organization::Esds,
            _ => Organization::Ksds,
        }
    }

    /// The options of the command line that choose what a seed draws.
    pub fn words(self, seed: u64) -> String {
        let organization = word(self.organization(seed));
        match self {
            Store::DataSet(_) => format!(" --organization {organization}"),
            Store::Compressed(_) => format!(" --compressed --organization {organization}"),
            Store::Sphere(_) => format!(" --sphere --organization {organization}"),
            Store::Volume => " --volume".to_string(),
            Store::Units => " --units".to_string(),
        }
    }

    /// Draws a data set and requests to compare with the model.
    pub fn model(self, seed: u64, requests: usize) -> Workload {
        let organization = self.organization(seed);
        Workload::model_of(seed, requests, |random| {
            let drawn = Shape::draw(organization, random);
            match self {
                Store::Compressed(_) => drawn.compressed(),
                _ => drawn,
            }
        })
    }

    /// Draws a store and so many actions.
    pub fn draw(self, seed: u64, actions: usize, purpose: Purpose) -> Box<dyn Trial> {
        match self {
            Store::DataSet(_) | Store::Compressed(_) => Box::new(data_set(self, seed, actions, purpose)),
            Store::Sphere(_) => Box::new(SphereTrial::draw(seed, actions, self.organization(seed), purpose)),
            Store::Volume => Box::new(VolumeTrial::draw(seed, actions, purpose)),
            Store::Units => Box::new(UnitsTrial::draw(seed, actions, purpose)),
        }
    }
}

/// What is drawn for a data set: for every second KSDS a workload that wears its CAs out. In every second run to be
/// explored processes are killed. Of those whose bits are turned every second one is not closed; its process dies after
/// a commit.
fn data_set(store: Store, seed: u64, actions: usize, purpose: Purpose) -> DataSetTrial {
    let organization = store.organization(seed);
    let compressed = matches!(store, Store::Compressed(_));
    let worn = organization == Organization::Ksds && seed % 2 == 1 && purpose != Purpose::Bits;
    let mut workload = match worn {
        _ if compressed => {
            let shape = Shape::draw_small(organization, &mut Random::new(seed));
            Workload::shaped(seed, actions, shape.compressed())
        }
        true => churn::workload(seed, actions.div_ceil(4)),
        false if seed % 16 == 10 && purpose == Purpose::Explore => defined(seed, actions, organization),
        false => Workload::small(seed, actions, organization),
    };
    if let Some(mut random) = killing(seed, purpose) {
        Kill::strew(&mut workload.requests, &mut random, Request::Kill);
    }
    let end = match purpose {
        Purpose::Explore => None,
        Purpose::Bits if seed % 2 == 0 => Some(Request::Commit),
        _ => Some(CLOSE),
    };
    DataSetTrial { workload, end }
}

/// A data set of the CI sizes that DEFINE chooses, if it takes what is drawn.
fn defined(seed: u64, actions: usize, organization: Organization) -> Workload {
    let mut random = Random::new(seed ^ 0x0064_6566_696E_6564);
    let drawn = Shape::draw_small(organization, &mut random).defined(&mut random);
    match drawn {
        Some(shape) => Workload::shaped(seed, actions, shape),
        None => Workload::small(seed, actions, organization),
    }
}
