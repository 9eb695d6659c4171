//! Handing on what was found, and counting it.

use super::report::{Doubt, Doubtful, Loss, Report};
use super::Found;

/// See the module.
pub struct Emit<'t, E> {
    pub report: Report,
    pub take: &'t mut dyn FnMut(Found<'_>) -> Result<(), E>,
}

impl<E> Emit<'_, E> {
    /// Hands on a record.
    pub fn found(&mut self, found: Found<'_>) -> Result<(), E> {
        match found.doubt {
            None => self.report.sure += 1,
            Some(_) => self.report.doubtful += 1,
        }
        (self.take)(found)
    }

    pub fn lost(&mut self, loss: Loss) {
        self.report.losses.push(loss);
    }

    /// Counts a doubtful record of a place.
    pub fn doubted(&mut self, ca: u32, ci: Option<u32>, why: Doubt, superseded: bool) {
        let same = |d: &&mut Doubtful| (d.ca, d.ci, d.why) == (ca, ci, why);
        let doubts = &mut self.report.doubts;
        // Records of one place come together, or nearly so.
        let begin = doubts.len().saturating_sub(NEAR);
        let (records, more) = (u64::from(!superseded), u64::from(superseded));
        match doubts[begin..].iter_mut().rev().find(same) {
            Some(d) => {
                d.records += records;
                d.superseded += more;
            }
            None => doubts.push(Doubtful {
                ca,
                ci,
                why,
                records,
                superseded: more,
            }),
        }
    }
}

/// How far back a place is looked for in the list.
const NEAR: usize = 64;
