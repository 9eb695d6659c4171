//! `cica plan cache`: the cache and lock structures of record-level sharing on z/OS, by the formulas of its manuals.

use crate::failure::{Failure, Status};
use crate::progress::grouped;
use clap::Args;
use std::fmt::Write as _;
use std::io::Write;

/// Say how large the cache and lock structures of record-level sharing should be on z/OS
#[derive(Debug, Args)]
#[command(after_help = "\
The cache structures want as much as all buffer pools together; the lock structure 10M for each system and byte of a
lock entry. Cica itself has no coupling facility, and needs neither.

Example:
  cica plan cache --below 850 --systems 2 --above 2048,4096 --maxsystem 24")]
pub struct Options {
    /// RLS_MAX_POOL_SIZE in megabytes, the same on each system
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(10..=1728))]
    below: u64,
    /// Systems that share
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=32))]
    systems: u64,
    /// RLSAboveTheBarMaxPoolSize in megabytes of each system that has one, with commas between
    #[arg(long, value_name = "MB", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(500..=2_097_152))]
    above: Vec<u64>,
    /// MAXSYSTEM of the CFRM policy [default: as many as share]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=32))]
    maxsystem: Option<u64>,
}

/// See the module.
pub fn run(options: &Options) -> Result<Status, Failure> {
    if options.above.len() as u64 > options.systems {
        return Err(Failure::usage(format!(
            "{} pools above the bar are more than {} systems have",
            options.above.len(),
            options.systems
        )));
    }
    if options.maxsystem.is_some_and(|most| most < options.systems) {
        return Err(Failure::usage("MAXSYSTEM is fewer than the systems that share"));
    }
    crate::terminal::stdout().write_all(text(options).as_bytes())?;
    Ok(Status::DONE)
}

fn text(options: &Options) -> String {
    let Options {
        below, systems, above, ..
    } = options;
    let cache = below * systems + above.iter().sum::<u64>();
    let parts: Vec<String> = above.iter().map(|pool| format!(" + {pool}")).collect();
    let most = options.maxsystem.unwrap_or(*systems);
    let entry = match most {
        0..=7 => 2,
        8..=23 => 4,
        _ => 8,
    };
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "cache structures: ({below} * {systems}){} = {}M\nlock structure:   10M * {systems} systems * {entry} bytes of a \
         lock entry (MAXSYSTEM {most}) = {}M",
        parts.concat(),
        grouped(cache),
        grouped(10 * systems * entry)
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_2007_come_out() {
        let options = Options {
            below: 850,
            systems: 2,
            above: vec![2048, 4096],
            maxsystem: None,
        };
        assert!(text(&options).contains("(850 * 2) + 2048 + 4096 = 7,844M"));
        let options = Options {
            below: 850,
            systems: 4,
            above: Vec::new(),
            maxsystem: Some(24),
        };
        assert!(text(&options).contains("10M * 4 systems * 8 bytes of a lock entry (MAXSYSTEM 24) = 320M"));
    }
}
