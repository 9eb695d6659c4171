//! `cica plan ci`: what each CI size makes of records and tracks.

use super::wanted::Wanted;
use crate::failure::{Failure, Status};
use cica_catalog::cisize;
use cica_catalog::entry::Organization;
use clap::Args;
use std::fmt::Write as _;
use std::io::Write;

/// Say what each CI size makes of a KSDS's records and of the device's tracks
#[derive(Debug, Args)]
#[command(after_help = "\
Each line is a CI size: blocks of the device in a CI and on a track, CIs in a control area of one cylinder, records that
a load puts into a CI and a cylinder, and how much of the cylinder's bytes for data they are.

Example:
  cica plan ci --record 200 --key 8")]
pub struct Options {
    #[command(flatten)]
    wanted: Wanted,
}

/// See the module.
pub fn run(options: &Options) -> Result<Status, Failure> {
    let chosen = options.wanted.plan(None)?;
    let mut out = String::from("  CISZ  block  on a track  CIs of a CA  records of a CI  of a CA   used  index CISZ\n");
    for size in cisize::sizes(Organization::Ksds) {
        // One that holds no record is no choice.
        let Ok(plan) = options.wanted.plan(Some(size)) else {
            continue;
        };
        let Some(loaded) = plan.loaded else { continue };
        let data = &plan.data;
        let tracks = data.allocation.tracks_per_ca;
        let bytes = u64::from(data.physical.track_bytes()) * u64::from(tracks);
        let used = 100.0 * loaded.loaded() as f64 * f64::from(options.wanted.record) / bytes.max(1) as f64;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{:>6} {:>6} {:>11} {:>12} {:>16} {:>8} {:>5.1}% {:>11}{}",
            data.ci_size,
            data.physical.size,
            data.physical.per_track,
            data.allocation.ci_per_ca,
            loaded.loaded_per_ci,
            loaded.loaded(),
            used,
            plan.index.as_ref().map_or(0, |index| index.ci_size),
            if data.ci_size == chosen.data.ci_size {
                "   <- DEFINE's"
            } else {
                ""
            },
        );
    }
    out.push_str("\nWhy DEFINE takes what it takes:\n");
    for note in &chosen.notes {
        let _ = writeln!(out, "  {note}");
    }
    out.push_str("Records that are read one by one want small CIs, those that are read in order large ones.\n");
    crate::terminal::stdout().write_all(out.as_bytes())?;
    Ok(Status::DONE)
}
