//! Units of recovery as a [`Trial`].

use super::oracle::{UnitAction, SETS};
use super::subject::UnitsRun;
use super::workload::UnitsWorkload;
use crate::mortal::Kill;
use crate::subject::Subject;
use crate::trial::{killing, Purpose, Trial};

/// Data sets and the actions drawn for them.
#[derive(Debug)]
pub struct UnitsTrial {
    workload: UnitsWorkload,
    end: Vec<UnitAction>,
}

impl UnitsTrial {
    /// Draws the actions of a seed.
    pub fn draw(seed: u64, actions: usize, purpose: Purpose) -> UnitsTrial {
        let mut workload = UnitsWorkload::new(seed, actions);
        if let Some(mut random) = killing(seed, purpose) {
            Kill::strew(&mut workload.actions, &mut random, UnitAction::Kill);
        }
        UnitsTrial {
            workload,
            end: match purpose {
                Purpose::Explore => Vec::new(),
                _ => (0..SETS).map(UnitAction::Reopen).collect(),
            },
        }
    }

    fn actions(&self, kept: &[usize]) -> Vec<UnitAction> {
        let kept = kept.iter().map(|&number| &self.workload.actions[number]);
        kept.chain(&self.end).copied().collect()
    }
}

impl Trial for UnitsTrial {
    fn len(&self) -> usize {
        self.workload.actions.len()
    }

    fn subject(&self, kept: &[usize], faulty: bool) -> Result<Box<dyn Subject + '_>, String> {
        Ok(Box::new(UnitsRun::new(&self.workload, self.actions(kept), faulty)?))
    }

    fn story(&self, kept: &[usize]) -> String {
        let lines = self.actions(kept).into_iter().map(|action| format!("{action}\n"));
        lines.collect()
    }
}
