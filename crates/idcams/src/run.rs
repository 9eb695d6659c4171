//! Runs control cards: keeps LASTCC and MAXCC, walks IF, DO and SET, and has commands carried out.

use crate::params::Command;
use crate::source::Source;
use crate::sysprint::Sysprint;

/// Carries out functional commands.
pub trait Act {
    /// Does what `cmd` says, prints its messages on `out`, and returns its condition code: 0, 4, 8, 12 or 16.
    /// IDC0001I (or IDC3003I for 12 and above) is printed by the caller.
    fn act(&mut self, cmd: &Command, out: &mut Sysprint) -> u8;
}

/// Runs all of `source` and returns MAXCC.
pub fn run(_source: Source, _act: &mut dyn Act, _out: &mut Sysprint) -> u8 {
    0
}
