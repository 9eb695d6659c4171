//! The command line as a whole. Help, completions and man pages are made from it.

use crate::command::Command;
use crate::global::Global;
use clap::Parser;

/// What `--help` says after the options.
const STATUSES: &str = "\
Exit status:
  idcams ends with MAXCC: 0, 4, 8, 12 or 16. All other commands:
   0  done
   4  nothing was found: no record with this key, no entry that 'ls' was to list, no archive, no
      server; or it was done, and something is told: records that were there already and
      were skipped (import), that are lost (salvage) or cannot be read (smf), a mask that means
      nothing beside others (backup, restore), any other warning
   8  it cannot be done with this data set or input; the data set that was named is not there
      (show, cat, get, put, stat, rm, export, backup and so on); records were not stored, as they
      are out of sequence or do not fit (import; 12 where --errorlimit ends it)
  12  the catalog, a data set or a file cannot be used
  64  the command line is wrong
  A reader that closes the output early (cica cat X | head) is no error. For idcams it is
  one, 16: the commands behind that point are not carried out. For 'backup -o -' it is one
  too, 12: the copy has no end. An output that is closed from the beginning (>&-) is an error.

Environment:
  CICA_CATALOG   catalog directory, when --catalog is not given
  CICA_POOL      bound of the buffer pool, when --pool is not given
  CICA_IO        auto, buffered or direct: data through the system's page cache or around it
  CICA_DFSVSAMP  file whose lines VSRBF=size,count are the pools that opens share (SHRPOOL)
  CICA_SMF       on: a record of each open, close and step is written ('cica smf'); off unless said
  CICA_SMF_INTERVAL  such as 15m: records of what is open are written at the end of each such interval too
  CICA_SHARE     auto, on or off: data sets are shared with other processes ('cica serve')
  CICA_SERVER    the command that serves, where it is not this one
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
