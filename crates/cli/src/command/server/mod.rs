//! `cica server`: what the process that shares data sets has and does, and its end.

mod doubt;
mod stats;

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::terminal::in_a_line;
use cica_engine::{show_key, RequestError};
use cica_messages as messages;
use cica_share::words::{Answer, Ask, ClientInfo as Guest, Locked, Shunted, Status as Server};
use cica_share::Client;
use clap::{Args, Subcommand};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::process::{pidfd_open, Pid, PidfdFlags};
use serde_json::{json, Value};
use std::io::{ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// Show and end the process that shares data sets
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Example:
  cica server status
  cica server clients --json
  cica server drain")]
pub enum Options {
    /// Show what it has
    #[command(after_help = "Example:\n  cica server status --json")]
    Status(Show),
    /// Show who uses it, with what
    #[command(after_help = "Example:\n  cica server clients")]
    Clients(Show),
    /// Show units of recovery that are open, and those of the catalog that are in doubt, whoever prepared them
    #[command(after_help = "Example:\n  cica server units")]
    Units(Show),
    /// Show records that are locked, who has them since when, and who waits for whom
    #[command(after_help = "Example:\n  cica server locks")]
    Locks(Show),
    /// Show what it has counted: requests, waits, contention, deadlocks, and response times
    #[command(after_help = "Example:\n  cica server stats --json")]
    Stats(Show),
    /// Show units of recovery that could not be taken back: their records are retained, all others go on
    #[command(after_help = "Example:\n  cica server shunted")]
    Shunted(Show),
    /// Try again to take a shunted unit back
    #[command(after_help = "Example:\n  cica server retry 1")]
    Retry {
        /// The number that 'cica server shunted' shows
        unit: u64,
    },
    /// Give a shunted unit up: what could not be taken back stands as it is
    #[command(after_help = "Example:\n  cica server purge 1")]
    Purge {
        /// The number that 'cica server shunted' shows
        unit: u64,
    },
    /// Let nobody in any more, and return; it ends when all have gone
    #[command(after_help = "Example:\n  cica server drain")]
    Drain(Show),
    /// End it at once: open units are backed out, data sets closed; returns when it has ended
    #[command(after_help = "Example:\n  cica server stop")]
    Stop(Show),
}

/// How it is shown.
#[derive(Debug, Args)]
pub struct Show {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    /// Says what was done, to who wants to hear it.
    fn tell(&self, done: &Value) -> Result<Status, Failure> {
        if self.json {
            writeln!(crate::terminal::stdout(), "{done:#}")?;
        }
        Ok(Status::DONE)
    }
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let socket = cica_session::socket(session.catalog.directory());
    let client = match Client::connect_to_ask(&socket, "cica server") {
        Ok(client) => client,
        Err(error) if is_nobody(&error) => return nobody(&options, &session),
        Err(error) => {
            let words = cica_session::unreached(&socket, &error);
            return Err(Failure::new(Status::UNUSABLE, &messages::CICA0995E, words));
        }
    };
    let done = match &options {
        Options::Status(how) => show(&client, how, status, status_lines),
        Options::Clients(how) => show(&client, how, guests, client_lines),
        Options::Units(how) => asked(&client).and_then(|server| doubt::show_with(&session, how, &server)),
        Options::Locks(how) => show(&client, how, locks, lock_lines),
        Options::Stats(how) => show(&client, how, stats::value, stats::lines),
        Options::Shunted(how) => show(&client, how, shunted, shunted_lines),
        Options::Retry { unit } => resolve(&client, *unit, false),
        Options::Purge { unit } => resolve(&client, *unit, true),
        Options::Drain(how) => drain(&client, how),
        Options::Stop(how) => stop(&client, how),
    };
    match done {
        // It ended while it was asked.
        Err(_) if client.is_gone() => nobody(&options, &session),
        done => done,
    }
}

/// How long its end is waited for: it backs units out and closes data sets.
const LONGEST_END: Duration = Duration::from_secs(60);

/// Ends it, and returns when its process is gone: then its data sets can be had by others.
fn stop(client: &Client, how: &Show) -> Result<Status, Failure> {
    let process = process(client);
    let found = process.and_then(Pid::from_raw);
    // One that is not seen, and any in an old kernel, cannot be waited for.
    let end = found.and_then(|found| pidfd_open(found, PidfdFlags::empty()).ok());
    told(client, &Ask::Stop { drain: false })?;
    if let (Some(process), Some(end)) = (process, &end) {
        wait(process, end)?;
    }
    how.tell(&json!({ "serving": false, "process": process, "ended": end.is_some() }))
}

fn drain(client: &Client, how: &Show) -> Result<Status, Failure> {
    let process = process(client);
    told(client, &Ask::Stop { drain: true })?;
    how.tell(&json!({ "serving": true, "process": process, "draining": true }))
}

/// The number of its process here. Its own means another one where it has a name space of its own; the kernel tells.
fn process(client: &Client) -> Option<i32> {
    client.peer().map(|peer| peer.process)
}

fn wait(process: i32, end: &OwnedFd) -> Result<(), Failure> {
    let most = Timespec {
        tv_sec: LONGEST_END.as_secs() as i64,
        tv_nsec: 0,
    };
    match poll(&mut [PollFd::new(end, PollFlags::IN)], Some(&most)) {
        Ok(0) => {
            let words = format!(
                "process {process} is still ending after {} seconds",
                LONGEST_END.as_secs()
            );
            Err(Failure::new(Status::REFUSED, &messages::CICA0934E, words))
        }
        _ => Ok(()),
    }
}

fn resolve(client: &Client, unit: u64, give_up: bool) -> Result<Status, Failure> {
    told(client, &Ask::Shunted { unit, give_up })
}

/// The server's words where it refuses: no data set has anything to do with it.
fn told(client: &Client, ask: &Ask<'_>) -> Result<Status, Failure> {
    match client.tell(ask) {
        Err(RequestError::Fenced { why }) if !client.is_gone() => {
            Err(Failure::new(Status::REFUSED, &messages::CICA0934E, why))
        }
        done => Ok(done.map(|()| Status::DONE)?),
    }
}

/// Is there no server, or one that is just ending?
fn is_nobody(error: &std::io::Error) -> bool {
    use ErrorKind::*;
    matches!(
        error.kind(),
        NotFound | ConnectionRefused | ConnectionReset | BrokenPipe | UnexpectedEof
    )
}

fn nobody(options: &Options, session: &Session) -> Result<Status, Failure> {
    let mut out = crate::terminal::stdout();
    match options {
        Options::Units(show) => {
            doubt::show_alone(session, show)?;
        }
        Options::Status(show) | Options::Stats(show) | Options::Drain(show) | Options::Stop(show) if show.json => {
            writeln!(out, "{:#}", json!({ "serving": false }))?
        }
        Options::Clients(show) | Options::Shunted(show) | Options::Locks(show) if show.json => writeln!(out, "[]")?,
        _ => writeln!(out, "nobody serves {}", session.catalog.directory().display())?,
    }
    Ok(Status::NOTHING)
}

fn show(
    client: &Client,
    how: &Show,
    value: impl Fn(&Server) -> Value,
    lines: impl Fn(&Server) -> Vec<String>,
) -> Result<Status, Failure> {
    let server = asked(client)?;
    let mut out = crate::terminal::stdout();
    if how.json {
        writeln!(out, "{:#}", value(&server))?;
    } else {
        lines(&server)
            .iter()
            .try_for_each(|line| writeln!(out, "{}", in_a_line(line)))?;
    }
    Ok(Status::DONE)
}

/// What the server has.
fn asked(client: &Client) -> Result<Box<Server>, Failure> {
    Ok(client.ask(&Ask::Status, |answer| match answer {
        Answer::Status(status) => Ok(status),
        _ => Err(cica_share::unfit()),
    })?)
}

/// Clients, but for the one that asks.
fn others(server: &Server) -> impl Iterator<Item = &Guest> {
    let own = std::process::id() as i32;
    server.clients.iter().filter(move |client| client.process != own)
}

/// How many these are, listed or not.
fn clients(server: &Server) -> u64 {
    others(server).count() as u64 + server.unlisted_clients
}

/// The last line of a list that has no room for all.
fn more(unlisted: u64) -> Option<String> {
    (unlisted > 0).then(|| format!("and {unlisted} more"))
}

fn status(server: &Server) -> Value {
    json!({
        "serving": true,
        "process": server.process,
        "messages": server.version,
        "seconds": server.seconds,
        "draining": server.draining,
        "pool": { "bytes": server.pool.0, "used": server.pool.1 },
        "clients": clients(server),
        "requests": server.sums.counters[0],
    })
}

fn status_lines(server: &Server) -> Vec<String> {
    vec![
        format!("process   {}", server.process),
        format!("since     {}", since(server.seconds)),
        format!(
            "state     {}",
            if server.draining {
                "draining: takes no new client"
            } else {
                "serving"
            }
        ),
        format!("pool      {} of {} bytes", server.pool.1, server.pool.0),
        format!("clients   {}", clients(server)),
        format!("requests  {}", server.sums.counters[0]),
    ]
}

fn guests(server: &Server) -> Value {
    let guest = |client: &Guest| {
        json!({
            "process": client.process,
            "user": client.user,
            "program": client.program,
            "seconds": client.seconds,
            "requests": client.sums.counters[0],
            "data_sets": client.data_sets,
            "units": client.units.len(),
        })
    };
    others(server).map(guest).collect()
}

fn client_lines(server: &Server) -> Vec<String> {
    let mut lines = vec![format!(
        "{:>8} {:>6} {:>8} {:>10}  {:<20} DATA SETS",
        "PROCESS", "USER", "SINCE", "REQUESTS", "PROGRAM"
    )];
    lines.extend(others(server).map(|client| {
        format!(
            "{:>8} {:>6} {:>8} {:>10}  {:<20} {}",
            client.process,
            client.user,
            since(client.seconds),
            client.sums.counters[0],
            client.program,
            client.data_sets.join(" ")
        )
    }));
    lines.extend(more(server.unlisted_clients));
    lines
}

fn shunted(server: &Server) -> Value {
    let unit = |shunted: &Shunted| {
        json!({
            "unit": shunted.unit,
            "of": shunted.of,
            "data_sets": shunted.data_sets,
            "changes": shunted.changes,
            "seconds": shunted.seconds,
            "why": shunted.why,
        })
    };
    server.shunted.iter().map(unit).collect()
}

fn shunted_lines(server: &Server) -> Vec<String> {
    let mut lines = vec![format!(
        "{:>8} {:>8} {:>8}  OF, DATA SETS, AND WHY",
        "UNIT", "CHANGES", "SINCE"
    )];
    for shunted in &server.shunted {
        let (unit, changes, since) = (shunted.unit, shunted.changes, since(shunted.seconds));
        lines.push(format!(
            "{unit:>8} {changes:>8} {since:>8}  {}: {}",
            shunted.of,
            shunted.data_sets.join(" ")
        ));
        lines.push(format!("{:26}  {}", "", shunted.why));
    }
    lines
}

fn locks(server: &Server) -> Value {
    let waiter = |(who, waits): &(String, u64)| json!({ "who": who, "milliseconds": waits });
    let line = |lock: &Locked| {
        json!({
            "data_set": lock.data_set,
            "key": show_key(&lock.key),
            "exclusive": lock.alone,
            "retained": lock.retained,
            "holders": lock.holders,
            "seconds": lock.seconds,
            "waiters": lock.waiters.iter().map(waiter).collect::<Vec<Value>>(),
        })
    };
    server.locks.iter().map(line).collect()
}

/// Each lock with who has it, and below it who waits for it: those who are waited for longest come first.
fn lock_lines(server: &Server) -> Vec<String> {
    let mut locks: Vec<&Locked> = server.locks.iter().collect();
    let longest = |lock: &Locked| lock.waiters.iter().map(|(_, waits)| *waits).max();
    locks.sort_by_key(|lock| {
        (
            std::cmp::Reverse(longest(lock)),
            lock.data_set.clone(),
            lock.key.clone(),
        )
    });
    let mut lines = vec![format!(
        "{:<9} {:<24} {:<20} {:>8}  HELD BY",
        "MODE", "DATA SET", "RECORD", "SINCE"
    )];
    for lock in locks {
        let mode = match (lock.retained, lock.alone) {
            (true, _) => "retained",
            (false, true) => "X",
            (false, false) => "S",
        };
        let record = show_record(&lock.key);
        let held = lock.seconds.map_or("-".into(), since);
        lines.push(format!(
            "{mode:<9} {:<24} {record:<20} {held:>8}  {}",
            lock.data_set,
            lock.holders.join(", ")
        ));
        let waiter = |(who, waits): &(String, u64)| format!("  waited for by {who}, since {}", since(waits / 1000));
        lines.extend(lock.waiters.iter().map(waiter));
    }
    lines.extend(more(server.unlisted));
    lines
}

/// A record by its key, or what no key stands for: where records are added to an ESDS.
fn show_record(key: &[u8]) -> String {
    if key.is_empty() {
        "(end)".into()
    } else {
        show_key(key)
    }
}

/// Seconds as people say them.
fn since(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
