//! `cica man`: the manual pages.

use crate::failure::{Failure, Status};
use cica_disk::NewFile;
use cica_messages as messages;
use clap::Args;
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print the manual page, or write all of them to a directory
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica man | man -l -
  cica man ~/.local/share/man/man1")]
pub struct Options {
    /// Directory for cica.1 and a page of each subcommand; it is made when it is not there
    dir: Option<PathBuf>,
}

/// See the module.
pub fn run(options: Options, mut whole: clap::Command) -> Result<Status, Failure> {
    whole.build();
    let Some(dir) = options.dir else {
        crate::terminal::stdout().write_all(&page(whole)?)?;
        return Ok(Status::DONE);
    };
    let failed = |e: io::Error| {
        let text = format!("{}: the pages cannot be written: {e}", dir.display());
        Failure::new(Status::UNUSABLE, &messages::CICA0941E, text)
    };
    fs::create_dir_all(&dir).map_err(failed)?;
    let outside = cica_session::outside();
    let mut waiting = vec![("cica".to_owned(), whole)];
    while let Some((name, command)) = waiting.pop() {
        let below = command.get_subcommands().filter(|c| c.get_name() != "help");
        waiting.extend(below.map(|c| (format!("{name}-{}", c.get_name()), c.clone())));
        let mut file = NewFile::begin(&outside, &dir.join(format!("{name}.1"))).map_err(failed)?;
        file.write_all(&page(command.name(name))?)
            .and_then(|()| file.finish())
            .map_err(failed)?;
    }
    Ok(Status::DONE)
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}
