//! SHCDS: the state of record-level sharing, which is not active: no server shares data sets between processes yet.
//!
//! What lists is answered as z/OS lists a data set that nobody shares; what would change the state is refused.

use super::failure::Failure;
use super::Services;
use crate::listing::file::on_file;
use crate::params::{Command, Params};
use crate::sysprint::Sysprint;
use cica_messages::{CICA0957I, CICA0958E};

/// Functions that only list.
const LISTS: [&str; 6] = [
    "LISTDS",
    "LISTSUBSYS",
    "LISTSUBSYSDS",
    "LISTRECOVERY",
    "LISTALL",
    "LISTSHUNTED",
];

/// Carries out SHCDS.
pub fn shcds(services: &mut Services, command: &Command, out: &mut Sysprint) -> u8 {
    let params = &command.params;
    let Some(ddname) = params.name("OUTFILE") else {
        return answer(services, params, out);
    };
    let printed = on_file(services, ddname, out, |services, listing| {
        Ok(answer(services, params, listing))
    });
    printed.unwrap_or_else(|failure| out.failure(failure, &command.params))
}

fn answer(services: &Services, params: &Params, out: &mut Sysprint) -> u8 {
    let function = params
        .iter()
        .map(|param| param.keyword)
        .find(|keyword| *keyword != "JOBS");
    let function = function.unwrap_or_default();
    if !LISTS.contains(&function) {
        return out.failure(Failure::new(&CICA0958E, &[("function", &function)]), params);
    }
    if let Some(name) = params.name("LISTDS") {
        if let Err(failure) = data_set(services, name, out) {
            return out.failure(failure.with_cc(8), params);
        }
    }
    out.say(&CICA0957I, &[]);
    0
}

/// A data set that nobody shares; whether it is recoverable is what LOG says.
fn data_set(services: &Services, text: &str, out: &mut Sysprint) -> Result<(), Failure> {
    let cluster = super::open::cluster(services, text)?;
    let recoverable = match cluster.attributes.log {
        Some(cica_catalog::entry::Log::Undo | cica_catalog::entry::Log::All) => "YES",
        _ => "-NO",
    };
    out.double("----- LISTING FROM SHCDS ----- IDCSH02");
    out.line(&"-".repeat(53));
    out.line(&format!("DATA SET NAME----{}", cluster.name));
    out.line("  CACHE STRUCTURE----**NONE**");
    out.line("  RETAINED LOCKS----------NO     NON-RLS UPDATE PERMITTED---------NO");
    out.line("  LOST LOCKS--------------NO     PERMIT FIRST TIME----------------NO");
    out.line("  LOCKS NOT BOUND---------NO     FORWARD RECOVERY REQUIRED--------NO");
    out.line(&format!("  RECOVERABLE------------{recoverable}"));
    out.line("SHARING SUBSYSTEM STATUS");
    out.line("  SUBSYSTEM NAME  STATUS");
    out.line("  **NONE**");
    Ok(())
}
