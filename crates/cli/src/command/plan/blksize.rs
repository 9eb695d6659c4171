//! `cica plan blksize`: the block size with which a device takes most records of a sequential file.

use crate::failure::{Failure, Status};
use cica_catalog::Device;
use clap::Args;
use std::fmt::Write as _;
use std::io::Write;

/// The longest block there is.
const LONGEST: u32 = 32_760;

/// Say which block size wastes least of a device's tracks
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica plan blksize 200 --device 3380")]
pub struct Options {
    /// Record length (LRECL); 0 for RECFM=U
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(LONGEST)))]
    lrecl: u32,
    /// Device type
    #[arg(long, value_name = "TYPE", default_value = "3390", value_parser = super::wanted::device)]
    device: &'static Device,
}

/// See the module.
pub fn run(options: &Options) -> Result<Status, Failure> {
    crate::terminal::stdout().write_all(text(options.device, options.lrecl).as_bytes())?;
    Ok(Status::DONE)
}

/// The block that puts most bytes on a track, and how many of it a track takes; of equals the one of which it takes
/// fewest.
fn best(device: &Device) -> (u32, u32) {
    let longest_of = |blocks: u32| {
        let (mut fits, mut not) = (0, LONGEST + 1);
        while not - fits > 1 {
            let middle = (fits + not) / 2;
            if device.records_per_track(middle) >= blocks {
                fits = middle
            } else {
                not = middle
            }
        }
        (fits, blocks)
    };
    let all = (1..=8).map(longest_of);
    let (length, blocks) = all.fold(
        (0, 1),
        |best, next| if next.0 * next.1 > best.0 * best.1 { next } else { best },
    );
    (length, blocks)
}

/// What is recommended, with the arithmetic.
fn text(device: &Device, lrecl: u32) -> String {
    let (block, blocks) = best(device);
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{device}: a track takes {blocks} block{} of at most {block} bytes, {} bytes in all",
        if blocks == 1 { "" } else { "s" },
        blocks * block
    );
    if lrecl == 0 {
        // Each block is a record.
        for (where_to, most) in [("disk", block), ("tape", LONGEST)] {
            // As above.
            let _ = writeln!(out, "{where_to:5} RECFM=U: BLKSIZE={most}");
        }
        return out;
    }
    let mut fixed = |where_to: &str, most: u32| {
        let records = most / lrecl;
        let _ = writeln!(
            out,
            "{where_to:5} RECFM=FB,LRECL={lrecl}: BLKSIZE={}   ({most} / {lrecl} = {records}; {records} * {lrecl})",
            records * lrecl
        );
    };
    fixed("disk", if lrecl > block { LONGEST } else { block });
    fixed("tape", LONGEST);
    let disk = if lrecl + 4 > block { LONGEST } else { block };
    for (where_to, most) in [("disk", disk), ("tape", LONGEST)] {
        // As above.
        let _ = if most < lrecl + 4 {
            writeln!(
                out,
                "{where_to:5} RECFM=VB,LRECL={lrecl}: no block takes it (a block has 4 bytes in front of its records)"
            )
        } else {
            writeln!(out, "{where_to:5} RECFM=VB,LRECL={lrecl}: BLKSIZE={most}")
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(device: &str, lrecl: u32) -> Vec<String> {
        let device = Device::by_name(device).expect("it is known");
        let size = |line: &str| {
            let rest = line.split("BLKSIZE=").nth(1).unwrap_or("none");
            rest.split_whitespace().next().unwrap_or("none").to_owned()
        };
        text(device, lrecl).lines().skip(1).map(size).collect()
    }

    #[test]
    fn the_answers_are_those_of_1988_for_a_3380() {
        assert_eq!(sizes("3380", 200), ["23400", "32600", "23476", "32760"]);
        assert_eq!(sizes("3380", 80), ["23440", "32720", "23476", "32760"]);
        assert_eq!(sizes("3380", 0), ["23476", "32760"]);
        let undefined = text(Device::by_name("3380").expect("it is known"), 0);
        assert!(
            undefined.lines().skip(1).all(|line| line.contains("RECFM=U: ")),
            "{undefined}"
        );
        assert_eq!(sizes("3380", 1), ["23476", "32760", "23476", "32760"]);
        assert_eq!(sizes("3380", 23_476), ["23476", "23476", "32760", "32760"]);
        assert_eq!(sizes("3380", 23_477), ["23477", "23477", "32760", "32760"]);
        assert_eq!(sizes("3380", 32_757), ["32757", "32757", "none", "none"]);
    }

    #[test]
    fn other_devices_have_their_own_tracks() {
        let best_of = |name| best(Device::by_name(name).expect("it is known"));
        assert_eq!(best_of("3390"), (27_998, 2));
        assert_eq!(best_of("3380"), (23_476, 2));
        assert_eq!(best_of("3330-1"), (13_030, 1));
        assert_eq!(best_of("3350"), (19_069, 1));
    }
}
