//! What is listed, in lines: LISTCAT, PRINT and SHCDS, on SYSPRINT or on the file of OUTFILE.
//!
//! The functions give what is to be listed as values; the lines, their columns and their pages are made here.

mod file;
mod listcat;
mod print;
mod shcds;

use crate::params::Command;
use crate::sysprint::Sysprint;
use crate::table::Verb;
use cica_admin::Services;

/// Carries out a command that lists; none for one that does not.
pub fn carry_out(services: &mut Services, command: &Command, out: &mut Sysprint) -> Option<u8> {
    let list = match command.verb {
        Verb::Listcat => listcat::listcat,
        Verb::Print => print::print,
        Verb::Shcds => shcds::shcds,
        _ => return None,
    };
    Some(list(services, &command.params, out))
}
