//! One file for each subcommand: its options, and what it does.

pub mod alter;
pub mod backup;
pub mod cat;
pub mod completions;
pub mod explain;
pub mod export;
pub mod get;
pub mod idcams;
pub mod import;
pub mod lds;
pub mod ls;
pub mod man;
pub mod put;
pub mod recatalog;
pub mod reorg;
pub mod restore;
pub mod rm;
pub mod run;
pub mod salvage;
pub mod show;
pub mod stat;
pub mod verify;
pub mod volume;

use crate::args::{Cli, Command};
use crate::failure::{Failure, Status};

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<Status, Failure> {
    let global = &cli.global;
    match cli.command {
        Command::Idcams(options) => idcams::run(options, global),
        Command::Ls(options) => ls::run(options, global),
        Command::Show(options) => show::run(options, global),
        Command::Cat(options) => cat::run(options, global),
        Command::Get(options) => get::run(options, global),
        Command::Put(options) => put::run(options, global),
        Command::Rm(options) => rm::run(options, global),
        Command::Run(options) => run::run(options, global),
        Command::Import(options) => import::run(options, global),
        Command::Export(options) => export::run(options, global),
        Command::Lds(options) => lds::run(options, global),
        Command::Backup(options) => backup::run(options, global),
        Command::Restore(options) => restore::run(options, global),
        Command::Reorg(options) => reorg::run(options, global),
        Command::Recatalog(options) => recatalog::run(options, global),
        Command::Alter(options) => alter::run(options, global),
        Command::Salvage(options) => salvage::run(options, global),
        Command::Verify(options) => verify::run(options, global),
        Command::Stat(options) => stat::run(options, global),
        Command::Explain(options) => explain::run(options, global),
        Command::Volume(options) => volume::run(options, global),
        Command::Completions(options) => completions::run(options),
        Command::Man(options) => man::run(options),
    }
}
