//! The subcommands: a file for each, with its options and what it does.

pub mod alter;
pub mod archive;
pub mod backup;
pub mod cat;
pub mod completions;
pub mod erase;
pub mod explain;
pub mod export;
pub mod get;
pub mod idcams;
pub mod import;
pub mod indoubt;
pub mod lds;
pub mod ls;
pub mod man;
pub mod monitor;
pub mod plan;
pub mod put;
pub mod recatalog;
pub mod recover;
pub mod reorg;
pub mod restore;
pub mod rm;
pub mod run;
pub mod salvage;
pub mod serve;
pub mod server;
pub mod show;
pub mod smf;
pub mod stat;
pub mod study;
pub mod verify;
pub mod volume;

use crate::failure::{Failure, Status};
use crate::global::Global;
use clap::Subcommand;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Idcams(idcams::Options),
    Ls(ls::Options),
    Show(show::Options),
    Cat(cat::Options),
    Get(get::Options),
    Put(put::Options),
    Erase(erase::Options),
    Rm(rm::Options),
    Run(run::Options),
    Import(import::Options),
    Export(export::Options),
    #[command(subcommand)]
    Lds(lds::Options),
    Backup(backup::Options),
    Restore(restore::Options),
    Recover(recover::Options),
    #[command(subcommand)]
    Archive(archive::Options),
    Reorg(reorg::Options),
    Recatalog(recatalog::Options),
    Alter(alter::Options),
    Salvage(salvage::Options),
    Verify(verify::Options),
    Stat(stat::Options),
    Monitor(monitor::Options),
    #[command(subcommand)]
    Smf(smf::Options),
    #[command(subcommand)]
    Plan(plan::Options),
    Study(study::Options),
    #[command(subcommand)]
    Indoubt(indoubt::Options),
    Serve(serve::Options),
    #[command(subcommand)]
    Server(server::Options),
    Explain(explain::Options),
    #[command(subcommand)]
    Volume(volume::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// Does what the command line says; `whole` is all of it, for pages and shells.
pub fn run(command: Command, global: &Global, whole: clap::Command) -> Result<Status, Failure> {
    match command {
        Command::Idcams(options) => idcams::run(options, global),
        Command::Ls(options) => ls::run(options, global),
        Command::Show(options) => show::run(options, global),
        Command::Cat(options) => cat::run(options, global),
        Command::Get(options) => get::run(options, global),
        Command::Put(options) => put::run(options, global),
        Command::Erase(options) => erase::run(options, global),
        Command::Rm(options) => rm::run(options, global),
        Command::Run(options) => run::run(options, global),
        Command::Import(options) => import::run(options, global),
        Command::Export(options) => export::run(options, global),
        Command::Lds(options) => lds::run(options, global),
        Command::Backup(options) => backup::run(options, global),
        Command::Restore(options) => restore::run(options, global),
        Command::Recover(options) => recover::run(options, global),
        Command::Archive(options) => archive::run(options, global),
        Command::Reorg(options) => reorg::run(options, global),
        Command::Recatalog(options) => recatalog::run(options, global),
        Command::Alter(options) => alter::run(options, global),
        Command::Salvage(options) => salvage::run(options, global),
        Command::Verify(options) => verify::run(options, global),
        Command::Stat(options) => stat::run(options, global),
        Command::Monitor(options) => monitor::run(options, global),
        Command::Smf(options) => smf::run(options, global),
        Command::Plan(options) => plan::run(options, global),
        Command::Study(options) => study::run(options),
        Command::Indoubt(options) => indoubt::run(options, global),
        Command::Serve(options) => serve::run(options, global),
        Command::Server(options) => server::run(options, global),
        Command::Explain(options) => explain::run(options, global),
        Command::Volume(options) => volume::run(options, global),
        Command::Completions(options) => completions::run(options, whole),
        Command::Man(options) => man::run(options, whole),
    }
}
