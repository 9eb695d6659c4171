//! The `cica` command: wiring only. `ls command/` is the list of its subcommands.
//!
//! Called as `idcams` it is `cica idcams`, so that a link of that name takes jobs written for z/OS.
#![forbid(unsafe_code)]
// These macros panic where their reader has gone. terminal.rs has what does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod command;
mod compression;
mod describe;
mod failure;
mod global;
mod keys;
mod moment;
mod numbers;
mod progress;
mod records;
mod session;
mod sort;
mod terminal;
mod work;

use args::Cli;
use clap::{CommandFactory, Parser};
use failure::Status;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    cica_disk::is_program();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come as errors too; a reader that has gone is no reason to fail.
            let _ = error.print();
            let status = if error.use_stderr() {
                Status::USAGE
            } else {
                Status::DONE
            };
            return status.into();
        }
    };
    // A limit of the shell's is a full disk, told as one; a server that is started here has it too.
    cica_disk::survive_file_size_limit();
    let done = command::run(cli.command, &cli.global, Cli::command());
    let status = done.unwrap_or_else(failure::Failure::tell);
    // Behind everything that may write a record, and whatever came of it.
    session::tell_what_smf_lost();
    status.into()
}

/// The command line, with `cica idcams` in the place of `idcams`.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let called = arguments.first().and_then(|path| Path::new(path).file_name());
    if called.is_some_and(|name| name.eq_ignore_ascii_case("idcams")) {
        arguments.splice(0..1, ["cica".into(), "idcams".into()]);
    }
    arguments
}
