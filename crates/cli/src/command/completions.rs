//! `cica completions`: what a shell needs to complete the command line.

use crate::failure::{Failure, Status};
use clap::Args;
use clap_complete::Shell;
use std::io::Write;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica completions bash > ~/.local/share/bash-completion/completions/cica")]
pub struct Options {
    /// The shell
    shell: Shell,
}

/// See the module.
pub fn run(options: Options, mut whole: clap::Command) -> Result<Status, Failure> {
    // Written to memory first: the generator does not expect a reader that goes away.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut whole, "cica", &mut script);
    crate::terminal::stdout().write_all(&script)?;
    Ok(Status::DONE)
}
