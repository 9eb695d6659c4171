//! `cica plan space`: the space that records need.

use super::wanted::{too_many, Wanted};
use crate::failure::{Failure, Status};
use crate::progress::grouped;
use clap::Args;
use std::fmt::Write as _;
use std::io::Write;

/// The most that DEFINE takes as an amount of space.
const MOST_CYLINDERS: u64 = 16_777_215;

/// Say how much space the records of a KSDS need
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica plan space --records 86763 --record 200 --key 8 --ci 2048 --freespace 20,6 --imbed --device 3330-1")]
pub struct Options {
    /// How many records there are
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    records: u64,
    /// CI size [default: the one DEFINE takes]
    #[arg(long, value_name = "BYTES")]
    ci: Option<u32>,
    #[command(flatten)]
    wanted: Wanted,
}

/// See the module.
pub fn run(options: &Options) -> Result<Status, Failure> {
    crate::terminal::stdout().write_all(text(options)?.as_bytes())?;
    Ok(Status::DONE)
}

fn text(options: &Options) -> Result<String, Failure> {
    let plan = options.wanted.plan(options.ci)?;
    let loaded = plan
        .loaded
        .ok_or_else(|| Failure::usage("the records have no place in a control area"))?;
    let (data, records) = (&plan.data, options.records);
    let cis = records.div_ceil(u64::from(loaded.loaded_per_ci.max(1)));
    let areas = cis.div_ceil(u64::from(loaded.loaded_cis.max(1)));
    let per_cylinder = options.wanted.device.tracks_per_cylinder();
    let of_all = |each: u64| areas.checked_mul(each).ok_or_else(too_many);
    let tracks = of_all(data.allocation.tracks_per_ca.into())?;
    let more = of_all(loaded.free_slots())?;
    let cylinders = tracks.div_ceil(u64::from(per_cylinder));
    if cylinders > MOST_CYLINDERS {
        return Err(Failure::usage(format!(
            "that is {} cylinders of a {}, and DEFINE takes {}; ask for fewer records",
            grouped(cylinders),
            options.wanted.device,
            grouped(MOST_CYLINDERS)
        )));
    }
    let mut out = String::new();
    for note in &plan.notes {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{note}");
    }
    let _ = writeln!(
        out,
        "{} records / {} in a CI = {} CIs\n{} CIs / {} in a control area = {} control areas\n\
         {} control areas * {} tracks = {} tracks = {} cylinders of {} tracks ({})",
        grouped(records),
        loaded.loaded_per_ci,
        grouped(cis),
        grouped(cis),
        loaded.loaded_cis,
        grouped(areas),
        grouped(areas),
        data.allocation.tracks_per_ca,
        grouped(tracks),
        grouped(cylinders),
        per_cylinder,
        options.wanted.device,
    );
    let _ = writeln!(
        out,
        "{} more records find room in what FREESPACE leaves, if they fall evenly\n\nCYLINDERS({cylinders} {})",
        grouped(more),
        cylinders.div_ceil(10),
    );
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn the_file_of_1979_takes_107_control_areas() {
        let words = "x --records 86763 --record 200 --key 8 --ci 2048 --freespace 20,6 --imbed --device 3330-1";
        let line = Line::try_parse_from(words.split(' ')).expect("it is right");
        let text = text(&line.options).expect("it has a place");
        assert!(text.contains("86,763 records / 8 in a CI = 10,846 CIs"), "{text}");
        assert!(
            text.contains("10,846 CIs / 102 in a control area = 107 control areas"),
            "{text}"
        );
        assert!(text.contains("= 107 cylinders of 19 tracks (3330-1)"), "{text}");
    }

    #[test]
    fn more_records_than_there_are_numbers_for_are_refused() {
        let planned = |records: u64| {
            let words = format!("x --records {records} --record 32000 --key 8 --freespace 0,99");
            let line = Line::try_parse_from(words.split(' ')).expect("it is right");
            text(&line.options)
        };
        assert!(planned(1_000_000).is_ok());
        // More cylinders than DEFINE takes; and more than can be reckoned with.
        assert!(planned(100_000_000_000_000_000).is_err());
        assert!(planned(u64::MAX).is_err());
    }
}
