//! `cica plan buffers`: what numbers of buffers make of a scan, and how many hold the index.

use super::wanted::{too_many, Wanted};
use crate::failure::{Failure, Status};
use crate::progress::grouped;
use cica_catalog::cisize;
use cica_engine::{BufferSizes, Schedule};
use clap::Args;
use std::fmt::Write as _;
use std::io::Write;

/// Say what BUFND and BUFNI make of the transfers of a KSDS
#[derive(Debug, Args)]
#[command(after_help = "\
Buffers by count are for opens that ask for them; who asks for none is served by the pool, and needs none.

Example:
  cica plan buffers --records 86763 --record 200 --key 8 --ci 2048 --freespace 20,6 --imbed --device 3330-1 --excps 500")]
pub struct Options {
    /// How many records there are
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    records: u64,
    /// CI size [default: the one DEFINE takes]
    #[arg(long, value_name = "BYTES")]
    ci: Option<u32>,
    /// Most transfers (EXCPs) that a scan shall take
    #[arg(long, value_name = "COUNT")]
    excps: Option<u64>,
    #[command(flatten)]
    wanted: Wanted,
}

/// See the module.
pub fn run(options: &Options) -> Result<Status, Failure> {
    let (text, met) = text(options)?;
    crate::terminal::stdout().write_all(text.as_bytes())?;
    Ok(if met { Status::DONE } else { Status::INCOMPLETE })
}

/// What is told, and whether the goal can be met.
fn text(options: &Options) -> Result<(String, bool), Failure> {
    let plan = options.wanted.plan(options.ci)?;
    let loaded = plan
        .loaded
        .ok_or_else(|| Failure::usage("the records have no place in a control area"))?;
    let cis = options.records.div_ceil(u64::from(loaded.loaded_per_ci.max(1)));
    let each = u64::from(loaded.loaded_cis.max(1));
    let (areas, last) = (cis.div_ceil(each), cis - (cis.div_ceil(each) - 1) * each);
    // No scan takes more than a request for each CI, one for each control area, and a few for the index.
    areas.checked_mul(each + 3).ok_or_else(too_many)?;
    let sizes = BufferSizes {
        data: plan.data.ci_size,
        index: plan.index.as_ref().map(|index| index.ci_size),
        record: options.wanted.record,
        spanned: false,
    };
    let above = above_the_sequence_set(&plan, options.wanted.key, areas);
    // The first chain fills all buffers but the one for inserts, the others PLHRMIN.
    let scan = |bufnd: u64| {
        let schedule = Schedule::new(bufnd as usize - 1, 0, sizes);
        let chains = |cis: u64| {
            1 + cis
                .saturating_sub(schedule.buffers as u64)
                .div_ceil(schedule.least as u64)
        };
        let levels = if above > 0 { above_levels(above) } else { 0 };
        (
            (areas - 1) * chains(each) + chains(last) + areas + levels,
            schedule.least,
        )
    };
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{} CIs in {} control areas of {each}, {last} in the last\n\nBUFND  PLHRMIN  EXCPs of a scan",
        grouped(cis),
        grouped(areas)
    );
    let most = each + 1;
    let rows = [2, 3, 5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200]
        .into_iter()
        .filter(|rows| *rows < most);
    for bufnd in rows.chain([most]) {
        let (excps, least) = scan(bufnd);
        let _ = writeln!(out, "{bufnd:>5}  {least:>7}  {:>15}", grouped(excps));
    }
    let _ = writeln!(
        out,
        "\nBUFNI {}: {above} index records above the sequence set, and one of the sequence set",
        above + 1
    );
    let Some(goal) = options.excps else {
        return Ok((out, true));
    };
    let enough = (2..=most).find(|bufnd| scan(*bufnd).0 <= goal);
    // As above.
    let _ = match enough {
        Some(bufnd) => writeln!(
            out,
            "BUFND {bufnd}: {} EXCPs, at most {}",
            grouped(scan(bufnd).0),
            grouped(goal)
        ),
        None => writeln!(
            out,
            "No BUFND: a control area is read with one request at best, and its sequence-set record with another"
        ),
    };
    Ok((out, enough.is_some()))
}

/// Index records above the sequence set, by the size that DEFINE expects of an entry.
fn above_the_sequence_set(plan: &cica_catalog::plan::Plan, key: u16, areas: u64) -> u64 {
    let Some(index) = &plan.index else { return 0 };
    let fits = |entries: u32| cisize::index_bytes(entries, key.into()) <= index.ci_size;
    let entries = (1..=65_535u32)
        .take_while(|entries| fits(*entries))
        .last()
        .unwrap_or(1)
        .max(2);
    let (mut below, mut all) = (areas, 0);
    while below > 1 {
        below = below.div_ceil(entries.into());
        all += below;
    }
    all
}

/// A scan reads one record of each level above the sequence set.
fn above_levels(above: u64) -> u64 {
    if above == 1 {
        1
    } else {
        2
    }
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
    fn the_table_of_1979_is_planned_as_it_was_counted() {
        let words =
            "x --records 86763 --record 200 --key 8 --ci 2048 --freespace 20,6 --imbed --device 3330-1 --excps 500";
        let line = Line::try_parse_from(words.split(' ')).expect("it is right");
        let (text, met) = text(&line.options).expect("it has a place");
        for (bufnd, excps) in [(2, "10,954"), (10, "1,703"), (20, "853"), (50, "427"), (80, "321")] {
            let row = text
                .lines()
                .find(|line| line.starts_with(&format!("{bufnd:>5} ")))
                .expect("a row");
            assert!(row.ends_with(&format!(" {excps}")), "{row}");
        }
        assert!(met && text.contains("EXCPs, at most 500"), "{text}");
    }

    #[test]
    fn more_records_than_there_are_numbers_for_are_refused() {
        let words = format!("x --records {} --record 32000 --key 8", u64::MAX);
        let line = Line::try_parse_from(words.split(' ')).expect("it is right");
        assert!(text(&line.options).is_err());
    }
}
