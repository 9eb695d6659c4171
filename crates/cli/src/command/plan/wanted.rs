//! What a plan is for: records, a device, and what is known of the layout.

use crate::failure::Failure;
use cica_catalog::attributes::{Keys, RecordSize};
use cica_catalog::entry::Organization;
use cica_catalog::freespace::FreeSpace;
use cica_catalog::geometry::DEVICES;
use cica_catalog::plan::{plan, Plan, Wish};
use cica_catalog::space::{Space, Unit};
use cica_catalog::Device;
use clap::Args;

/// Options of the plans for a KSDS.
#[derive(Debug, Clone, Args)]
pub struct Wanted {
    /// Bytes of a record: of all of them, or on the average
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=32_761))]
    pub record: u32,
    /// Bytes of the key
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(1..=255))]
    pub key: u16,
    /// Device type
    #[arg(long, value_name = "TYPE", default_value = "3390", value_parser = device)]
    pub device: &'static Device,
    /// FREESPACE: percent of each control interval, and of the control intervals of each control area
    #[arg(long, value_name = "CI,CA", default_value = "0,0", value_parser = percents)]
    pub freespace: (u8, u8),
    /// The sequence set stands with its data (IMBED)
    #[arg(long)]
    pub imbed: bool,
}

/// A device type by name.
pub fn device(text: &str) -> Result<&'static Device, String> {
    Device::by_name(text).ok_or_else(|| {
        let known: Vec<&str> = DEVICES.iter().map(Device::name).collect();
        format!("it is none of {}", known.join(", "))
    })
}

fn percents(text: &str) -> Result<(u8, u8), String> {
    let parts = text.split_once(',').unwrap_or((text, "0"));
    match (parts.0.parse(), parts.1.parse()) {
        (Ok(ci @ 0..=100), Ok(ca @ 0..=100)) => Ok((ci, ca)),
        _ => Err("FREESPACE is two percentages with a comma between, as in 20,6".into()),
    }
}

/// There are more records than can be planned for.
pub fn too_many() -> Failure {
    Failure::usage("--records: so many records cannot be planned for")
}

impl Wanted {
    /// The layout with this CI size, or the one that DEFINE would choose, in cylinders.
    pub fn plan(&self, ci_size: Option<u32>) -> Result<Plan, Failure> {
        let (ci, ca) = self.freespace;
        let wish = Wish {
            organization: Organization::Ksds,
            keys: Some(Keys {
                length: self.key,
                offset: 0,
            }),
            record_size: RecordSize {
                average: self.record,
                maximum: self.record,
            },
            spanned: false,
            compressed: false,
            ci_size,
            index_ci_size: None,
            space: Space {
                unit: Unit::Cylinders,
                primary: 1,
                secondary: 1,
            },
            index_space: None,
            free_space: FreeSpace { ci, ca },
            buffer_space: None,
            imbed: self.imbed,
            device: self.device,
        };
        plan(&wish).map_err(Failure::usage)
    }
}
