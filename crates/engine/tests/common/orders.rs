//! Orders of threads that a scheduler chooses; see `schedules.rs`.

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

/// A number that the environment gives.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    config.max_steps = shuttle::MaxSteps::FailAfter(20_000_000);
    config
}

/// Runs `act` in many orders of its threads.
pub fn explore(act: impl Fn() + Send + Sync + Clone + 'static) {
    let (count, seed) = (number("CICA_SCHEDULES", 100) as usize, number("CICA_SEED", 1));
    let half = count.div_ceil(2);
    Runner::new(RandomScheduler::new_from_seed(seed, half), config()).run(act.clone());
    Runner::new(PctScheduler::new_from_seed(seed, 3, half), config()).run(act);
}
