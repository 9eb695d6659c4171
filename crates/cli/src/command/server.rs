//! `cica server`: what the process that shares data sets has and does, and its end.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use cica_engine::show_key;
use cica_messages as messages;
use cica_share::words::{Answer, Ask, ClientInfo as Guest, Locked, Status as Server};
use cica_share::Client;
use clap::{Args, Subcommand};
use serde_json::{json, Value};
use std::io::{ErrorKind, Write};

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
    /// Show units of recovery that are open
    #[command(after_help = "Example:\n  cica server units")]
    Units(Show),
    /// Show records that are locked, who has them, and who waits for whom
    #[command(after_help = "Example:\n  cica server locks")]
    Locks(Show),
    /// Let nobody in any more; it ends when all have gone
    #[command(after_help = "Example:\n  cica server drain")]
    Drain,
    /// End it at once: open units are backed out, data sets closed
    #[command(after_help = "Example:\n  cica server stop")]
    Stop,
}

/// How it is shown.
#[derive(Debug, Args)]
pub struct Show {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let socket = cica_session::socket(session.catalog.directory());
    let client = match Client::connect(&socket, "cica server") {
        Ok(client) => client,
        Err(error) if is_nobody(&error) => return nobody(&options, &session),
        Err(error) => {
            let words = format!("{}: {error}", socket.display());
            return Err(Failure::new(Status::UNUSABLE, &messages::CICA0995E, words));
        }
    };
    let done = match &options {
        Options::Status(how) => show(&client, how, status, status_lines),
        Options::Clients(how) => show(&client, how, guests, client_lines),
        Options::Units(how) => show(&client, how, units, unit_lines),
        Options::Locks(how) => show(&client, how, locks, lock_lines),
        Options::Drain => stop(&client, true),
        Options::Stop => stop(&client, false),
    };
    match done {
        // It ended while it was asked.
        Err(_) if client.is_gone() => nobody(&options, &session),
        done => done,
    }
}

fn stop(client: &Client, drain: bool) -> Result<Status, Failure> {
    client.tell(&Ask::Stop { drain })?;
    Ok(Status::DONE)
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
        Options::Status(show) if show.json => writeln!(out, "{:#}", json!({ "serving": false }))?,
        Options::Clients(show) | Options::Units(show) | Options::Locks(show) if show.json => writeln!(out, "[]")?,
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
    let server = client.ask(&Ask::Status, |answer| match answer {
        Answer::Status(status) => Ok(status),
        _ => Err(cica_share::unfit()),
    })?;
    let mut out = crate::terminal::stdout();
    if how.json {
        writeln!(out, "{:#}", value(&server))?;
    } else {
        lines(&server).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(Status::DONE)
}

/// Clients, but for the one that asks.
fn others(server: &Server) -> impl Iterator<Item = &Guest> {
    let own = std::process::id() as i32;
    server.clients.iter().filter(move |client| client.process != own)
}

fn status(server: &Server) -> Value {
    json!({
        "serving": true,
        "process": server.process,
        "messages": server.version,
        "seconds": server.seconds,
        "draining": server.draining,
        "pool": { "bytes": server.pool.0, "used": server.pool.1 },
        "clients": others(server).count(),
        "requests": others(server).map(|client| client.requests).sum::<u64>(),
    })
}

fn status_lines(server: &Server) -> Vec<String> {
    let requests: u64 = others(server).map(|client| client.requests).sum();
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
        format!("clients   {}", others(server).count()),
        format!("requests  {requests}"),
    ]
}

fn guests(server: &Server) -> Value {
    let guest = |client: &Guest| {
        json!({
            "process": client.process,
            "user": client.user,
            "program": client.program,
            "seconds": client.seconds,
            "requests": client.requests,
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
            client.requests,
            client.program,
            client.data_sets.join(" ")
        )
    }));
    lines
}

fn units(server: &Server) -> Value {
    let of = |client: &Guest| -> Vec<Value> {
        let unit = |(unit, changes): &(u32, u64)| {
            let (process, program) = (client.process, &client.program);
            json!({ "unit": unit, "process": process, "program": program, "changes": changes })
        };
        client.units.iter().map(unit).collect()
    };
    others(server).flat_map(of).collect()
}

fn unit_lines(server: &Server) -> Vec<String> {
    let mut lines = vec![format!("{:>8} {:>8} {:>8}  PROGRAM", "UNIT", "CHANGES", "PROCESS")];
    for client in others(server) {
        let line =
            |(unit, changes): &(u32, u64)| format!("{unit:>8} {changes:>8} {:>8}  {}", client.process, client.program);
        lines.extend(client.units.iter().map(line));
    }
    lines
}

fn locks(server: &Server) -> Value {
    let line = |lock: &Locked| {
        json!({
            "data_set": lock.set,
            "key": show_key(&lock.key),
            "exclusive": lock.alone,
            "retained": lock.retained,
            "holders": lock.holders,
            "waiters": lock.waiters,
        })
    };
    server.locks.iter().map(line).collect()
}

fn lock_lines(server: &Server) -> Vec<String> {
    let mut lines = vec!["MODE      RECORD, HELD BY, WAITED FOR BY".to_owned()];
    lines.extend(server.locks.iter().map(|lock| {
        let mode = match (lock.retained, lock.alone) {
            (true, _) => "retained",
            (false, true) => "X",
            (false, false) => "S",
        };
        let waiters = match lock.waiters.is_empty() {
            true => String::new(),
            false => format!(" <- {}", lock.waiters.join(", ")),
        };
        format!("{mode:<9} {} {}{waiters}", show_key(&lock.key), lock.holders.join(", "))
    }));
    lines
}

/// Seconds as people say them.
fn since(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
