//! `cica serve`: shares the data sets of a catalog between processes.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use cica_messages as messages;
use cica_server::Serve;
use clap::Args;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Share the data sets of a catalog between processes
///
/// Nobody has to start it: the first program that shares a data set (CICA_SHARE=on) does.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica serve
  cica serve --idle 0
  CICA_SHARE=on cica cat PAYROLL.MASTER")]
pub struct Options {
    /// End when nobody has been there for so many seconds; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    idle: u64,
    /// Return when clients can come, and serve in the background
    #[arg(long)]
    detach: bool,
}

/// What the one in the background says when clients can come.
const READY: &str = "serving at ";

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    if options.detach {
        return detach(&options, global);
    }
    let session = Session::open(global)?.into_inner();
    let idle = (options.idle > 0).then(|| Duration::from_secs(options.idle));
    cica_server::serve(session, Serve { idle }, |socket: &Path| {
        // Whoever started it may have gone.
        let _ = writeln!(std::io::stdout(), "{READY}{}", socket.display()).and_then(|()| std::io::stdout().flush());
    })?;
    Ok(Status::DONE)
}

/// Starts the same in a session of its own, and waits until it listens.
fn detach(options: &Options, global: &Global) -> Result<Status, Failure> {
    let failed = |what: &dyn std::fmt::Display| Failure::new(Status::UNUSABLE, &messages::CICA0995E, what);
    // It is there for longer than whoever started it.
    cica_disk::pass_no_files_on();
    let own = std::env::current_exe().map_err(|error| failed(&error))?;
    let mut serve = Command::new(own);
    if let Some(catalog) = &global.catalog {
        serve.arg("--catalog").arg(catalog);
    }
    if let Some(pool) = global.pool {
        serve.arg("--pool").arg(pool.to_string());
    }
    if let Some(symbols) = &global.symbols {
        serve.arg("--symbols").arg(symbols);
    }
    serve.args(["serve", "--idle", &options.idle.to_string()]);
    serve.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A signal of the terminal is for the program that is in front, not for what others use too.
    std::os::unix::process::CommandExt::process_group(&mut serve, 0);
    let mut serving = serve.spawn().map_err(|error| failed(&error))?;
    let mut first = String::new();
    let read = serving
        .stdout
        .take()
        .map(|out| BufReader::new(out).read_line(&mut first));
    if first.starts_with(READY) {
        return Ok(Status::DONE);
    }
    let mut words = String::new();
    if let Some(errors) = &mut serving.stderr {
        // What it says is its reason; without words the end of its output is one.
        let _ = errors.read_to_string(&mut words);
    }
    match (words.trim(), read) {
        ("", Some(Err(error))) => Err(failed(&error)),
        ("", _) => Err(failed(&"the server ended before it could serve")),
        (words, _) => {
            // It is the same message already.
            let first = words.lines().next().unwrap_or_default().trim_start_matches("cica: ");
            Err(failed(&first.trim_start_matches("CICA0995E ")))
        }
    }
}
