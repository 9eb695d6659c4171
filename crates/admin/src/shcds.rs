//! SHCDS: who shares data sets, what is locked, and units of recovery that could not be taken back. All of it is asked
//! of the server that shares the data sets of the master catalog; without one nothing is shared. Units in doubt wait in
//! files, whether there is a server or not.
//!
//! | on z/OS | here |
//! |---|---|
//! | a sharing subsystem | a client of the server |
//! | shunted work of a unit of recovery (URID) | a unit that its server could not take back, by its number there |
//! | the same, in doubt | a unit that was prepared, by its name; `cica indoubt` decides about it, no function of SHCDS |
//! | cache and lock structures, forward recovery of locks, NON-RLS UPDATE | none: these functions are refused |

use super::failure::Failure;
use super::open::cluster;
use super::outcome::Outcome;
use super::report::Report;
use super::Services;
use cica_catalog::entry::Log;
use cica_engine::{InDoubt, PrepareError};
use cica_messages::{CICA0934E, CICA0957I, CICA0958E, CICA1018E, CICA1019I};
use cica_share::words::{Answer, Ask, ClientInfo, Shunted, Status};
use cica_share::Client;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::ErrorKind;

/// Condition code when the data set cannot be told of.
const NOT_LISTED: u8 = 8;

/// Shunted units that are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// All of them.
    All,
    /// SPHERE: those that have changed this data set.
    Sphere(String),
    /// URID: the one with this number.
    Unit(u64),
    /// URID: the one in doubt that is called so, in capitals or not.
    Named(String),
}

/// The functions of SHCDS that are carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shcds {
    /// LISTDS: a data set.
    DataSet(String),
    /// LISTSUBSYS and LISTSUBSYSDS: who shares.
    Subsystems,
    /// LISTRECOVERY and LISTALL: what is to be recovered.
    Recovery,
    /// LISTSHUNTED.
    Shunted(Chosen),
    /// RETRY.
    Retry(Chosen),
    /// PURGE.
    Purge(Chosen),
}

/// A data set, as LISTDS tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedState {
    /// Its name.
    pub name: String,
    /// Can it be recovered, by what LOG says?
    pub recoverable: bool,
    /// Records of it are retained for a unit that could not be taken back, or that is in doubt.
    pub retained: bool,
    /// Who has it open: process and program.
    pub users: Vec<String>,
}

/// A client of the server, as LISTSUBSYS tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subsystem {
    /// Process and program.
    pub name: String,
    /// Data sets that it has open.
    pub data_sets: Vec<String>,
    /// Records that it has locked, and that it waits for.
    pub locks: (usize, usize),
}

/// A unit of recovery that could not be taken back, or that is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShuntedUnit {
    /// Its number at the server, or the name under which it was prepared.
    pub unit: String,
    /// Whose it was; one that was prepared is nobody's.
    pub of: Option<String>,
    /// Data sets that it has changed.
    pub data_sets: Vec<String>,
    /// Changes that are still to be taken back.
    pub changes: u64,
    /// Why it could not be, or what ends it.
    pub cause: String,
    /// When it was prepared, nanoseconds since 1970.
    pub prepared: Option<u64>,
    /// Nobody has decided yet whether it goes back.
    pub in_doubt: bool,
}

/// What was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ShcdsResult {
    /// Of a data set.
    DataSet(SharedState),
    /// Who shares.
    Subsystems(Vec<Subsystem>),
    /// Units that could not be taken back.
    Shunted(Vec<ShuntedUnit>),
    /// Nothing is to be listed.
    #[default]
    Nothing,
}

impl Services {
    /// Tells the state of sharing, or has shunted units resolved.
    pub fn shcds(&self, request: &Shcds) -> Outcome<ShcdsResult> {
        Outcome::with(|out| shcds(self, request, out).map_err(|failure| failure.with_cc(NOT_LISTED)))
    }
}

fn shcds(services: &Services, request: &Shcds, out: &mut Report) -> Result<(u8, ShcdsResult), Failure> {
    let server = Server::of(services)?;
    let status = server.as_ref().map(|server| &server.status);
    let shunted = |chosen: &Chosen| -> Result<ShcdsResult, Failure> {
        let shunted = status.map_or(&[][..], |status| &status.shunted);
        let doubtful = in_doubt(services, chosen)?;
        let all = chosen_of(shunted, chosen).map(unit).chain(doubtful.iter().map(waiting));
        Ok(ShcdsResult::Shunted(all.collect()))
    };
    let listed = match request {
        Shcds::DataSet(name) => ShcdsResult::DataSet(data_set(services, name, status)?),
        Shcds::Subsystems => ShcdsResult::Subsystems(status.map_or_else(Vec::new, subsystems)),
        Shcds::Recovery => shunted(&Chosen::All)?,
        Shcds::Shunted(chosen) => shunted(chosen)?,
        Shcds::Retry(chosen) => return resolve(services, server.as_ref(), ("RETRY", chosen), out),
        Shcds::Purge(chosen) => return resolve(services, server.as_ref(), ("PURGE", chosen), out),
    };
    if server.is_none() {
        out.say(&CICA0957I, &[]);
    }
    Ok((0, listed))
}

/// The server of the master catalog, and what it said.
struct Server {
    client: Client,
    status: Status,
}

impl Server {
    /// None: nobody serves. One that lets nobody in shares nothing with us.
    ///
    /// # Errors
    /// Somebody does, and does not answer: what he has is not known.
    fn of(services: &Services) -> Result<Option<Server>, Failure> {
        let unknown = |why: &dyn Display| Failure::new(&CICA0934E, &[("reason", why)]);
        let socket = cica_session::socket(services.catalog.directory());
        let client = match Client::connect_to_ask(&socket, "SHCDS") {
            Ok(client) => client,
            Err(error) if is_none(error.kind()) => return Ok(None),
            Err(error) => return Err(unknown(&cica_session::unreached(&socket, &error))),
        };
        let status = client.ask(&Ask::Status, |answer| match answer {
            Answer::Status(status) => Ok(*status),
            _ => Err(cica_share::unfit()),
        });
        match status {
            Ok(status) => Ok(Some(Server { client, status })),
            // It ended while it was asked.
            Err(_) if client.is_gone() => Ok(None),
            Err(error) => Err(unknown(&error)),
        }
    }
}

/// Does an attempt to reach a server that fails so say that there is none, or none that shares with us?
fn is_none(error: ErrorKind) -> bool {
    matches!(
        error,
        ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::PermissionDenied
    )
}

/// Clusters of this master catalog that clients of its server have open.
pub fn in_use(services: &Services) -> BTreeSet<String> {
    // A listing tells it of those that it can ask.
    let server = Server::of(services).ok().flatten();
    let clients = server.iter().flat_map(|server| &server.status.clients);
    clients.flat_map(|client| client.data_sets.iter().cloned()).collect()
}

fn data_set(services: &Services, name: &str, status: Option<&Status>) -> Result<SharedState, Failure> {
    let found = cluster(services, name)?;
    let name = found.name.to_string();
    let locks = status.into_iter().flat_map(|status| &status.locks);
    let mut retained = locks.filter(|lock| lock.retained && lock.data_set == name);
    let shunted = status.map_or(&[][..], |status| &status.shunted);
    let of_it = Chosen::Sphere(name.clone());
    let waits = chosen_of(shunted, &of_it).next().is_some() || !in_doubt(services, &of_it)?.is_empty();
    let has_open = |client: &&ClientInfo| client.data_sets.contains(&name);
    let clients = status.into_iter().flat_map(|status| &status.clients);
    Ok(SharedState {
        recoverable: matches!(found.attributes.log, Some(Log::Undo | Log::All)),
        retained: retained.next().is_some() || waits,
        users: clients.filter(has_open).map(label).collect(),
        name,
    })
}

fn label(client: &ClientInfo) -> String {
    format!("process {} ({})", client.process, client.program)
}

/// All clients but the one that asks.
fn subsystems(status: &Status) -> Vec<Subsystem> {
    let own = std::process::id() as i32;
    let others = status.clients.iter().filter(|client| client.process != own);
    let subsystem = |client: &ClientInfo| {
        let name = label(client);
        let has = |lock: &&cica_share::words::Locked| lock.holders.contains(&name);
        let waits = |lock: &&cica_share::words::Locked| lock.waiters.iter().any(|(who, _)| *who == name);
        Subsystem {
            data_sets: client.data_sets.clone(),
            locks: (
                status.locks.iter().filter(has).count(),
                status.locks.iter().filter(waits).count(),
            ),
            name,
        }
    };
    others.map(subsystem).collect()
}

fn unit(shunted: &Shunted) -> ShuntedUnit {
    ShuntedUnit {
        unit: shunted.unit.to_string(),
        of: Some(shunted.of.clone()),
        data_sets: shunted.data_sets.clone(),
        changes: shunted.changes,
        cause: shunted.why.clone(),
        prepared: None,
        in_doubt: false,
    }
}

fn waiting(unit: &InDoubt) -> ShuntedUnit {
    ShuntedUnit {
        unit: unit.name.clone(),
        of: None,
        data_sets: unit.data_sets.clone(),
        changes: unit.changes as u64,
        cause: remedy(unit),
        prepared: Some(unit.prepared),
        in_doubt: !unit.going_back,
    }
}

/// What ends a unit that was prepared.
fn remedy(unit: &InDoubt) -> String {
    let name = &unit.name;
    if unit.going_back {
        format!("it was decided that it goes back; 'cica indoubt backout {name}' goes on with that")
    } else {
        format!("it is in doubt; 'cica indoubt commit {name}' or 'cica indoubt backout {name}' decides")
    }
}

/// Units that were prepared, and wait.
fn in_doubt(services: &Services, chosen: &Chosen) -> Result<Vec<InDoubt>, Failure> {
    let mut units = services.engine.in_doubt().map_err(|error| match error {
        PrepareError::File(error) => Failure::from(error),
        other => Failure::new(&CICA0934E, &[("reason", &other)]),
    })?;
    units.retain(|unit| match chosen {
        Chosen::All => true,
        Chosen::Sphere(name) => unit.data_sets.contains(name),
        Chosen::Unit(number) => unit.name == number.to_string(),
        Chosen::Named(name) => unit.name.eq_ignore_ascii_case(name),
    });
    Ok(units)
}

fn chosen_of<'s>(shunted: &'s [Shunted], chosen: &'s Chosen) -> impl Iterator<Item = &'s Shunted> {
    shunted.iter().filter(move |unit| match chosen {
        Chosen::All => true,
        Chosen::Sphere(name) => unit.data_sets.contains(name),
        Chosen::Unit(number) => unit.unit == *number,
        Chosen::Named(_) => false,
    })
}

/// Takes shunted units back, or gives them up; each says what became of it, and those in doubt who decides.
fn resolve(
    services: &Services,
    server: Option<&Server>,
    (function, chosen): (&'static str, &Chosen),
    out: &mut Report,
) -> Result<(u8, ShcdsResult), Failure> {
    let doubtful = in_doubt(services, chosen)?;
    let is_named = matches!(chosen, Chosen::Named(_));
    if server.is_none() && doubtful.is_empty() && !is_named {
        return Err(Failure::new(&CICA0958E, &[("function", &function)]));
    }
    let shunted = server.map_or(&[][..], |server| &server.status.shunted);
    let units: Vec<&Shunted> = chosen_of(shunted, chosen).collect();
    if units.is_empty() && doubtful.is_empty() {
        let reason = if is_named {
            "no unit in doubt is called so, and a shunted one has a number; LISTSHUNTED URID(ALL) lists both"
        } else {
            "there is no such shunted unit; LISTSHUNTED URID(ALL) lists them"
        };
        let what = match chosen {
            Chosen::All => "ALL".to_owned(),
            Chosen::Sphere(name) => name.clone(),
            Chosen::Unit(unit) => unit.to_string(),
            Chosen::Named(name) => name.clone(),
        };
        return Err(Failure::new(
            &CICA1018E,
            &[("function", &function), ("unit", &what), ("reason", &reason)],
        ));
    }
    let mut cc = 0;
    for (shunted, server) in units.into_iter().zip(server.into_iter().cycle()) {
        let ask = Ask::Shunted {
            unit: shunted.unit,
            give_up: function == "PURGE",
        };
        match server.client.tell(&ask) {
            Ok(()) => out.say(&CICA1019I, &[("function", &function), ("unit", &shunted.unit)]),
            Err(reason) => {
                let values: &[(&str, &dyn std::fmt::Display)] =
                    &[("function", &function), ("unit", &shunted.unit), ("reason", &reason)];
                out.say(&CICA1018E, values);
                cc = NOT_LISTED;
            }
        }
    }
    for unit in &doubtful {
        let values: &[(&str, &dyn std::fmt::Display)] =
            &[("function", &function), ("unit", &unit.name), ("reason", &remedy(unit))];
        out.say(&CICA1018E, values);
        cc = NOT_LISTED;
    }
    Ok((cc, ShcdsResult::Nothing))
}
