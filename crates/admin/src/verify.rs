//! VERIFY: opens a data set for output and closes it, and tells what that found.
//!
//! On z/OS VERIFY mends the end of a data set that was not closed. Here the open of whoever comes next does that, from
//! the log of the owner that died, so VERIFY is such an open with nothing after it. What RECOVER completes or backs out
//! on z/OS, splits and control areas half given back, cannot be found half done after that open; RECOVER examines
//! whether it is so, and tells what recovery does not mend. One that is shared is open, and so recovered: the
//! process that shares it says what is in it.

use super::examine::{self, ExaminedParts};
use super::failure::Failure;
use super::named::Named;
use super::open::{files, to_check, ClusterOrFile};
use super::outcome::Outcome;
use super::report::Report;
use super::trouble::{not_opened, Trouble};
use super::Services;
use cica_engine::{Access, OpenOptions};
use cica_messages::{CICA0908E, CICA0942I, CICA0943I, CICA0945E, CICA1026I, CICA1027W};

/// VERIFY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verify {
    /// The data set.
    pub data_set: Named,
    /// RECOVER: it is examined as well.
    pub recover: bool,
}

impl Services {
    /// Opens a data set for output, so that it is recovered, and closes it.
    pub fn verify(&mut self, request: &Verify) -> Outcome {
        Outcome::of(|out| verify(self, request, out))
    }
}

fn verify(services: &mut Services, request: &Verify, out: &mut Report) -> Result<u8, Failure> {
    let target = ClusterOrFile::named(services, &request.data_set)?;
    let name = target.name();
    let ClusterOrFile::Cluster(cluster) = target else {
        let item = format!("VERIFY OF {name}");
        let reason = "it is a sequential file, whose end is where its bytes end";
        return Err(Failure::new(&CICA0908E, &[("item", &item), ("reason", &reason)]));
    };
    let (data, _) = files(&*services.home(&cluster.name)?, &cluster)?;
    let before = services.engine.peek(&data).map_err(|error| not_opened(&name, &error))?;
    // Opening is what recovers.
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let opened = to_check(services, &cluster, options)?;
    let (count, is_shared) = (opened.statistics().0.records, opened.is_far());
    let examined = request.recover.then(|| opened.examine());
    opened.close().map_err(|error| Trouble::Close(error).of(&name))?;
    let message = match before.log.log {
        0 => &CICA0943I,
        // Its owner lives.
        _ if is_shared => &CICA1026I,
        _ => &CICA0942I,
    };
    out.say(message, &[("name", &name), ("count", &count)]);
    let Some(examined) = examined
        .transpose()
        .map_err(|error| Trouble::Request(error).of(&name))?
    else {
        return Ok(0);
    };
    let parts = ExaminedParts::all(cluster.organization.has_index());
    let (cc, _) = examine::tell(services, &cluster, &examined, &parts, out)?;
    if cc > CICA1027W.cc {
        out.say(&CICA0945E, &[("name", &name)]);
    }
    Ok(cc)
}
