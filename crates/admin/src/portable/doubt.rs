//! Units of recovery in doubt, beside copies. A copy has what they have done, as its data set has: it is decided
//! elsewhere whether that stands. Who takes the copy is told.

use super::super::failure::Failure;
use super::super::Services;
use crate::report::Report;
use cica_catalog::Name;
use cica_engine::PrepareError;
use cica_messages::{CICA0934E, CICA1024W};

/// The condition code that it is told with.
const IN_DOUBT: u8 = 4;

/// Tells of each unit in doubt that has changed the sphere of `base`; the condition code.
pub(super) fn tell_doubt(services: &Services, base: &Name, out: &mut Report) -> Result<u8, Failure> {
    let units = services.engine.in_doubt().map_err(|error| match error {
        PrepareError::File(error) => Failure::from(error),
        other => Failure::new(&CICA0934E, &[("reason", &other)]),
    })?;
    let changed = |names: &[String]| names.iter().any(|name| name == base.as_str());
    let mut condition = 0;
    for unit in units.iter().filter(|unit| changed(&unit.data_sets)) {
        out.say(&CICA1024W, &[("name", base), ("unit", &unit.name)]);
        condition = IN_DOUBT;
    }
    Ok(condition)
}
