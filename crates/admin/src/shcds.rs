//! SHCDS: the state of record-level sharing, which is not active: no server shares data sets between processes yet.
//!
//! What lists is answered as z/OS lists a data set that nobody shares. There is no state to be changed.

use super::failure::Failure;
use super::open::cluster;
use super::outcome::Outcome;
use super::report::Report;
use super::Services;
use cica_catalog::entry::Log;
use cica_messages::CICA0957I;

/// Condition code when the data set cannot be told of.
const NOT_LISTED: u8 = 8;

/// The functions of SHCDS that list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shcds {
    /// LISTDS: of this data set; none: of subsystems and of what is to be recovered, of which there is nothing.
    pub data_set: Option<String>,
}

/// The state of a data set that nobody shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unshared {
    /// Its name.
    pub name: String,
    /// Can it be recovered, by what LOG says?
    pub recoverable: bool,
}

impl Services {
    /// Tells the state of sharing; the result is that of the data set, when one was named.
    pub fn shcds(&self, request: &Shcds) -> Outcome<Option<Unshared>> {
        Outcome::with(|out| shcds(self, request, out).map_err(|failure| failure.with_cc(NOT_LISTED)))
    }
}

fn shcds(services: &Services, request: &Shcds, out: &mut Report) -> Result<(u8, Option<Unshared>), Failure> {
    let named = request.data_set.as_deref();
    let found = named.map(|name| cluster(services, name)).transpose()?;
    let unshared = found.map(|cluster| Unshared {
        name: cluster.name.to_string(),
        recoverable: matches!(cluster.attributes.log, Some(Log::Undo | Log::All)),
    });
    out.say(&CICA0957I, &[]);
    Ok((0, unshared))
}
