//! DEFINE GENERATIONDATAGROUP: the entry that generations go by.

use super::super::failure::{refused, Failure};
use super::super::{said, Services};
use super::FAILED;
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::{Gdg, History};
use cica_catalog::generation::MAX_BASE;
use cica_catalog::{Entry, Name};

/// Generations of a group that is not EXTENDED.
pub const PLAIN_LIMIT: u16 = 255;

/// Carries out DEFINE GENERATIONDATAGROUP.
pub fn gdg(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match define(services, &command.params) {
        Ok(()) => 0,
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn define(services: &Services, params: &Params) -> Result<(), Failure> {
    let name = Name::parse(params.name("NAME").unwrap_or_default()).map_err(|error| refused(&error, 140, 0))?;
    if name.as_str().len() > MAX_BASE {
        let words = format!("{name} has more than {MAX_BASE} characters; the names of its generations add nine");
        return Err(refused(&words, 140, 0));
    }
    let mut group = Gdg {
        limit: 0,
        scratch: false,
        empty: false,
        fifo: false,
        purge: false,
        extended: false,
        altered: None,
        history: History::new(services.today()),
        name,
    };
    put(&mut group, params)?;
    said::put_history(&mut group.history, params, services.today())?;
    let catalog = services.catalog(params, group.name.as_str())?;
    Ok(catalog.transact(|contents| contents.insert(Entry::Gdg(group)))?)
}

/// Puts what the parameters say into a group; DEFINE and ALTER have the same.
///
/// # Errors
/// More generations than the group may have.
pub fn put(group: &mut Gdg, params: &Params) -> Result<(), Failure> {
    let switches = [
        (&mut group.scratch, "SCRATCH", "NOSCRATCH"),
        (&mut group.empty, "EMPTY", "NOEMPTY"),
        (&mut group.fifo, "FIFO", "LIFO"),
        (&mut group.purge, "PURGE", "NOPURGE"),
        (&mut group.extended, "EXTENDED", "NOEXTENDED"),
    ];
    for (field, on, off) in switches {
        *field = params.switch(on, off).unwrap_or(*field);
    }
    if let Some(limit) = params.number("LIMIT") {
        // The table bounds it by 999.
        group.limit = limit as u16;
    }
    if group.limit > PLAIN_LIMIT && !group.extended {
        let words = format!(
            "LIMIT({}) needs EXTENDED; without it a group keeps {PLAIN_LIMIT} generations at most",
            group.limit
        );
        return Err(refused(&words, 140, 0));
    }
    Ok(())
}
