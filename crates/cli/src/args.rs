//! The command line: options that every subcommand takes, and the list of subcommands.
//!
//! Each subcommand's own options stand in its file; help, completions and man pages are made from all of them.

use crate::command::{
    alter, backup, cat, completions, explain, export, get, idcams, import, lds, ls, man, put, recatalog, reorg,
    restore, rm, run, salvage, show, stat, verify, volume,
};
use cica_session::bytes;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// What `--help` says after the options.
const STATUSES: &str = "\
Exit status:
  idcams ends with MAXCC: 0, 4, 8, 12 or 16. All other commands:
   0  done
   4  nothing was found: no record with this key, no entry that matches; or something is lost
      (salvage)
   8  it cannot be done with this data set or input
  12  the catalog, a data set or a file cannot be used
  64  the command line is wrong
  A reader that closes the output early (cica cat X | head) is no error. For idcams it is
  one, 16: the commands behind that point are not carried out.

Environment:
  CICA_CATALOG   catalog directory, when --catalog is not given
  CICA_POOL      bound of the buffer pool, when --pool is not given
  CICA_IO        auto, buffered or direct: data through the system's page cache or around it
  CICA_SYMBOLS   system symbols for aliases with SYMBOLICRELATE, when --symbols does not give them
  DD_name        what INFILE(name) and OUTFILE(name) mean, when --dd is not given
  NO_COLOR       no colors in help and errors

Example:
  cica import 'cards.bin,RECFM=FB,LRECL=80' PAYROLL.MASTER --keys 8,0
  cica get PAYROLL.MASTER 00001000
";

/// VSAM for Linux: data sets of records, their catalog, and IDCAMS.
#[derive(Debug, Parser)]
#[command(name = "cica", version, propagate_version = true, after_help = STATUSES, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of all subcommands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Global {
    /// Catalog directory [default: CICA_CATALOG, else the nearest .cica from here upwards, else the user's own]
    #[arg(long, global = true, value_name = "DIR")]
    pub catalog: Option<PathBuf>,
    /// Bound of the buffer pool, such as 64M or 2G [default: CICA_POOL, else a quarter of memory]
    #[arg(long, global = true, value_name = "SIZE", value_parser = bytes)]
    pub pool: Option<usize>,
    /// System symbols for aliases with SYMBOLICRELATE, as in SITE=LIVE,ENV=P1 [default: CICA_SYMBOLS; SYSNAME, SYSCLONE
    /// and SYSPLEX are there]
    #[arg(long, global = true, value_name = "LIST")]
    pub symbols: Option<String>,
    /// Print results and errors only
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Tell on stderr how far long work has come, also where stderr is not a terminal
    #[arg(long, global = true, conflicts_with = "quiet")]
    pub progress: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Idcams(idcams::Options),
    Ls(ls::Options),
    Show(show::Options),
    Cat(cat::Options),
    Get(get::Options),
    Put(put::Options),
    Rm(rm::Options),
    Run(run::Options),
    Import(import::Options),
    Export(export::Options),
    #[command(subcommand)]
    Lds(lds::Options),
    Backup(backup::Options),
    Restore(restore::Options),
    Reorg(reorg::Options),
    Recatalog(recatalog::Options),
    Alter(alter::Options),
    Salvage(salvage::Options),
    Verify(verify::Options),
    Stat(stat::Options),
    Explain(explain::Options),
    #[command(subcommand)]
    Volume(volume::Options),
    Completions(completions::Options),
    Man(man::Options),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_subcommand_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(
                help.contains("Example") && help.contains("cica "),
                "{}",
                command.get_name()
            );
        }
    }
}
