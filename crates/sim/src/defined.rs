//! Definitions as users write them: DEFINE is told of keys and records, and chooses the CI sizes.

use cica_catalog::entry::{Keys, RecordSize};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::geometry::Device;
use cica_catalog::plan::{plan, Plan, Wish};
use cica_catalog::space::{Space, Unit};
use cica_format::attributes::{Attributes, Organization};

use crate::random::Random;

/// What DEFINE is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefineWords {
    /// Organization.
    pub organization: Organization,
    /// KEYS: length and offset; of a KSDS alone.
    pub keys: (usize, usize),
    /// RECORDSIZE: average and maximum.
    pub record: (usize, usize),
    /// SPANNED.
    pub spanned: bool,
    /// FREESPACE.
    pub free: (u8, u8),
    /// CYLINDERS, TRACKS, or RECORDS.
    pub space: Space,
}

/// What DEFINE makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Data CISZ and CIs of a CA.
    pub data: (u32, u16),
    /// Index CISZ and CIs of a CA, where there is an index.
    pub index: Option<(u32, u16)>,
}

impl DefineWords {
    /// Space for about so many records, said in one way or another.
    pub fn space(records: u64, random: &mut Random) -> Space {
        let (unit, primary, secondary) = match random.below(6) {
            0 => (Unit::Tracks, random.between(1, 40), random.between(1, 5)),
            1 => (Unit::Tracks, 10, 10),
            2 => (Unit::Records, records, records.div_ceil(10)),
            3 => (Unit::Megabytes, random.between(1, 9), 1),
            _ => (Unit::Cylinders, random.between(1, 9), random.between(1, 3)),
        };
        Space {
            unit,
            primary,
            secondary,
        }
    }

    /// The sizes that DEFINE chooses; `None`: it refuses.
    pub fn sizes(&self) -> Option<Sizes> {
        let plan = plan(&self.wish()).ok()?;
        Some(sizes(&plan))
    }

    fn wish(&self) -> Wish {
        let (length, offset) = self.keys;
        Wish {
            organization: match self.organization {
                Organization::Ksds => cica_catalog::entry::Organization::Ksds,
                Organization::Esds => cica_catalog::entry::Organization::Esds,
                Organization::Rrds => cica_catalog::entry::Organization::Rrds,
                Organization::Vrrds => cica_catalog::entry::Organization::Vrrds,
                _ => cica_catalog::entry::Organization::Lds,
            },
            keys: (self.organization == Organization::Ksds).then_some(Keys {
                length: length as u16,
                offset: offset as u32,
            }),
            record_size: RecordSize {
                average: self.record.0 as u32,
                maximum: self.record.1 as u32,
            },
            spanned: self.spanned,
            compressed: false,
            ci_size: None,
            index_ci_size: None,
            space: self.space,
            index_space: None,
            free_space: FreeSpace {
                ci: self.free.0,
                ca: self.free.1,
            },
            buffer_space: None,
            imbed: false,
            device: Device::default_type(),
        }
    }

    /// The attributes of data and index component of a cluster with this name.
    pub fn attributes(&self, name: &str, sizes: Sizes) -> (Attributes, Option<Attributes>) {
        let (ci_size, ci_per_ca) = sizes.data;
        let area = u64::from(ci_size) * u64::from(ci_per_ca);
        let data = Attributes {
            cluster_name: name.into(),
            key_length: match self.organization {
                Organization::Ksds => self.keys.0 as u16,
                _ => 0,
            },
            key_offset: match self.organization {
                Organization::Ksds => self.keys.1 as u32,
                _ => 0,
            },
            average_record: self.record.0 as u32,
            maximum_record: self.record.1 as u32,
            free_ci: self.free.0,
            free_ca: self.free.1,
            spanned: self.spanned,
            reclaim: true,
            primary: area * 40,
            secondary: area * 20,
            volume: "SIM001".into(),
            ..Attributes::new(self.organization, &format!("{name}.DATA"), ci_size, ci_per_ca)
        };
        let index = sizes.index.map(|(ci_size, ci_per_ca)| {
            let area = u64::from(ci_size) * u64::from(ci_per_ca);
            Attributes {
                component_name: format!("{name}.INDEX"),
                average_record: 0,
                maximum_record: ci_size - 7,
                ci_size,
                ci_per_ca,
                free_ci: 0,
                free_ca: 0,
                spanned: false,
                primary: area * 40,
                secondary: area * 20,
                ..data.clone()
            }
        });
        (data, index)
    }
}

fn sizes(plan: &Plan) -> Sizes {
    let of = |layout: &cica_catalog::plan::ComponentPlan| (layout.ci_size, layout.allocation.ci_per_ca as u16);
    Sizes {
        data: of(&plan.data),
        index: plan.index.as_ref().map(of),
    }
}
