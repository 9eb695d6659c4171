//! Options that every subcommand takes.

use cica_session::bytes;
use clap::Args;
use std::path::PathBuf;

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
