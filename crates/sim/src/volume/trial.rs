//! A volume as a [`Trial`].

use std::fmt::Write;

use super::action::{Then, VolumeAction};
use super::subject::VolumeRun;
use super::workload::VolumeWorkload;
use crate::mortal::Kill;
use crate::random::Random;
use crate::subject::Subject;
use crate::trial::{killing, Purpose, Trial};

/// A volume and the actions drawn for it.
#[derive(Debug)]
pub struct VolumeTrial {
    workload: VolumeWorkload,
    end: Vec<VolumeAction>,
}

impl VolumeTrial {
    /// Draws the actions of a seed.
    pub fn draw(seed: u64, actions: usize, purpose: Purpose) -> VolumeTrial {
        let mut workload = VolumeWorkload::small(seed, actions);
        if let Some(mut random) = killing(seed, purpose) {
            Kill::strew(&mut workload.actions, &mut random, VolumeAction::Kill);
            kill_commands(&mut workload.actions, &mut random);
        }
        let end = match purpose {
            Purpose::Explore => Vec::new(),
            _ => (0..workload.shape.slots.len()).map(VolumeAction::Close).collect(),
        };
        VolumeTrial { workload, end }
    }

    fn actions(&self, kept: &[usize]) -> Vec<VolumeAction> {
        let kept = kept.iter().map(|&number| &self.workload.actions[number]);
        kept.chain(&self.end).cloned().collect()
    }
}

/// One to three commands are killed; of every second one the job is run again, as people do.
fn kill_commands(actions: &mut Vec<VolumeAction>, random: &mut Random) {
    for _ in 0..random.between(1, 3) {
        let commands = actions.iter().enumerate().filter(|(_, action)| action.is_command());
        let places: Vec<usize> = commands.map(|(place, _)| place).collect();
        if places.is_empty() {
            return;
        }
        let place = random.pick(&places);
        if random.chance(50) {
            actions.insert(place + 1, actions[place].clone());
        }
        let then = random.pick(&[Then::Seen, Then::Unseen]);
        actions.insert(place, VolumeAction::KillCommand(Kill::draw_in_command(random), then));
    }
}

impl Trial for VolumeTrial {
    fn len(&self) -> usize {
        self.workload.actions.len()
    }

    fn subject(&self, kept: &[usize], faulty: bool) -> Result<Box<dyn Subject + '_>, String> {
        Ok(Box::new(VolumeRun::new(&self.workload, self.actions(kept), faulty)?))
    }

    /// The data sets and the actions, one in a line.
    fn story(&self, kept: &[usize]) -> String {
        let mut text = format!("{:?}\n", self.workload.shape);
        for (slot, bodies) in &self.workload.copies {
            let _ = writeln!(text, "a copy of {slot} with {} records", bodies.len());
        }
        for action in self.actions(kept) {
            let _ = writeln!(text, "{action}");
        }
        text
    }
}
