//! The same work by who says nothing of buffers, blocks or control intervals, beside each option of a study.
//!
//! * W1. Each does the work cold, then warm, then the next one's turn comes, until all rounds are done. Cold: in an engine
//!   that is new, the files not in the page cache. Warm: the same again right after it, in that engine.
//! * W2. A percentage is of neighbours: what an option took by what the defaults took in the same round, the median of
//!   the rounds. The defaults have two turns in a round: how the second differs from the first is the noise of the run.

use crate::measure::{cold, median, Took};
use crate::{Cell, StudyError, Table};
use std::path::PathBuf;

/// What an option may be better by.
const BOUND: f64 = 5.0;
/// Bytes of a MB.
const MB: f64 = 1e6;

/// The work once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Turn {
    /// See [`Took`].
    pub took: Took,
    /// Requests to the files.
    pub excps: u64,
    /// Bytes that came from the device, as far as the system tells.
    pub fetched: Option<u64>,
}

/// Who does the work.
pub trait Contestant {
    /// The defaults, or an option.
    fn name(&self) -> String;
    /// Makes ready for the work once, in a new engine, and says which files are to leave the page cache.
    fn prepare(&mut self) -> Result<Vec<PathBuf>, StudyError>;
    /// Makes ready for it once more, in the same engine.
    fn again(&mut self) -> Result<(), StudyError>;
    /// Does it.
    fn work(&mut self) -> Result<Turn, StudyError>;
    /// Lets go of what it has open: the next one's turn is next.
    fn end(&mut self);
}

/// A piece of work, and what it took each of them in each round, cold and warm: the defaults, the defaults once more,
/// and the options.
#[derive(Debug, Clone)]
pub struct Contest {
    work: String,
    all: Vec<(String, [Vec<Turn>; 2])>,
}

/// Their places among those who do the work.
const DEFAULTS: usize = 0;
const AGAIN: usize = 1;
const STATES: [&str; 2] = ["cold", "warm"];

/// What is compared: its name, and where it is in a turn.
type Measure = (&'static str, fn(&Turn) -> f64);
const ELAPSED: Measure = ("elapsed", |turn| turn.took.elapsed / 1e6);
const CPU: Measure = ("CPU", |turn| turn.took.cpu / 1e6);

impl Contest {
    /// Does all of it. The first two are the defaults.
    pub fn held(
        work: &str,
        rounds: usize,
        contestants: &mut [Box<dyn Contestant + '_>],
    ) -> Result<Contest, StudyError> {
        let mut all: Vec<(String, [Vec<Turn>; 2])> =
            contestants.iter().map(|one| (one.name(), Default::default())).collect();
        for _ in 0..rounds.max(1) {
            for (one, (_, turns)) in contestants.iter_mut().zip(&mut all) {
                let files = one.prepare()?;
                let (fetched, turn) = cold(&files, || one.work())?;
                turns[0].push(Turn { fetched, ..turn });
                one.again()?;
                turns[1].push(one.work()?);
                one.end();
            }
        }
        Ok(Contest { work: work.into(), all })
    }

    /// Percent by which one differs from another (W2).
    fn differs(&self, [at, from]: [usize; 2], state: usize, of: Measure) -> f64 {
        let [own, theirs] = [at, from].map(|at| self.all[at].1[state].iter().map(of.1));
        let ratios = own.zip(theirs).filter(|(_, theirs)| *theirs > 0.0);
        100.0 * (median(ratios.map(|(own, theirs)| own / theirs).collect()) - 1.0)
    }

    /// The one that took least by what `whose` took, of those behind it that are options.
    fn best(&self, whose: usize, state: usize, of: Measure) -> Option<usize> {
        let options = whose.max(AGAIN) + 1..self.all.len();
        let differ = options.map(|at| (at, self.differs([at, whose], state, of)));
        differ.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(at, _)| at)
    }

    /// Percent that one takes more than the option that took least: less than none where it took less.
    fn behind(&self, whose: usize, state: usize, of: Measure) -> Option<f64> {
        let best = self.best(whose, state, of)?;
        let differs = self.differs([best, whose], state, of);
        Some(100.0 * (100.0 / (100.0 + differs) - 1.0))
    }

    /// In words by how much an option wins, if it does.
    fn beaten(&self, whose: usize, state: usize, of: Measure) -> Option<String> {
        let best = self.best(whose, state, of)?;
        let behind = self.behind(whose, state, of).filter(|percent| *percent > BOUND)?;
        let [own, least] = [whose, best].map(|at| self.middle(at, state, of.1));
        let (work, called, name, measure) = (&self.work, STATES[state], &self.all[best].0, of.0);
        Some(format!(
            "  not of {work}, {called}: {measure} {own:.1} ms, {behind:.0} % more than {least:.1} with {name}"
        ))
    }

    /// How the defaults differ from themselves.
    fn noise(&self, state: usize, of: Measure) -> f64 {
        self.differs([AGAIN, DEFAULTS], state, of)
    }

    fn middle(&self, at: usize, state: usize, of: fn(&Turn) -> f64) -> f64 {
        median(self.all[at].1[state].iter().map(of).collect())
    }

    fn rows(&self, table: &mut Table) {
        for (at, (name, turns)) in self.all.iter().enumerate() {
            let mut cells = Vec::new();
            for state in 0..STATES.len() {
                cells.push(Cell::Number(self.middle(at, state, ELAPSED.1), 1));
                let differs = Cell::Percent(self.differs([at, DEFAULTS], state, ELAPSED));
                cells.push(if at == DEFAULTS { Cell::None } else { differs });
                cells.push(Cell::Number(self.middle(at, state, CPU.1), 1));
                cells.push(Cell::Number(self.middle(at, state, |turn| turn.excps as f64), 0));
            }
            let fetched: Vec<f64> = turns[0]
                .iter()
                .filter_map(|turn| Some(turn.fetched? as f64 / MB))
                .collect();
            let read = Cell::Number(median(fetched.clone()), 1);
            cells.insert(4, if fetched.is_empty() { Cell::None } else { read });
            table.row(format!("{}, {name}", self.work), cells);
        }
    }

    /// The defaults beside the best option, cold and warm.
    fn verdicts(&self, table: &mut Table) {
        for (state, called) in STATES.iter().enumerate() {
            let mut cells = Vec::new();
            for of in [ELAPSED, CPU] {
                let Some(best) = self.best(DEFAULTS, state, of) else {
                    continue;
                };
                cells.extend([
                    Cell::Number(self.middle(DEFAULTS, state, of.1), 1),
                    Cell::Number(self.middle(best, state, of.1), 1),
                    Cell::Text(self.all[best].0.clone()),
                    self.behind(DEFAULTS, state, of).map_or(Cell::None, Cell::Percent),
                    Cell::Percent(self.noise(state, of)),
                ]);
            }
            table.row(format!("{}, {called}", self.work), cells);
        }
    }
}

/// What each took, and the defaults beside the best option of each row.
pub fn tables(contests: &[Contest]) -> Vec<Table> {
    let columns = [
        "cold ms",
        "cold differs",
        "cold CPU ms",
        "cold EXCPs",
        "cold MB read",
        "warm ms",
        "warm differs",
        "warm CPU ms",
        "warm EXCPs",
    ];
    let mut took = Table::new("and today: the same by who says nothing, and by each option", &columns);
    let columns = [
        "ms",
        "best",
        "of",
        "behind",
        "noise",
        "CPU ms",
        "CPU best",
        "CPU of",
        "CPU behind",
        "CPU noise",
    ];
    let mut verdicts = Table::new("and today: the defaults beside the best option", &columns);
    for contest in contests {
        contest.rows(&mut took);
        contest.verdicts(&mut verdicts);
    }
    vec![took, verdicts]
}

/// In words whether an option wins of the defaults, and in which rows. The same of the third one, of which is said what
/// it has, where that is what all options behind it have.
pub fn words(contests: &[Contest], has: Option<&str>) -> Vec<String> {
    let mut words: Vec<String> = WORDS.iter().map(|words| (*words).into()).collect();
    for of in [ELAPSED, CPU] {
        words.extend(verdict(contests, (DEFAULTS, "the defaults"), of));
        if let Some(has) = has {
            words.extend(verdict(contests, (AGAIN + 1, &format!("the defaults with {has}")), of));
        }
        let noise = rows(contests).map(|(contest, state)| contest.noise(state, of).abs());
        let (measure, noise) = (of.0, noise.fold(0.0, f64::max));
        words.push(format!(
            "and today, {measure}: the defaults differ from themselves by {noise:.0} % at most."
        ));
    }
    words
}

fn rows(contests: &[Contest]) -> impl Iterator<Item = (&Contest, usize)> {
    let of_contest = |contest| (0..STATES.len()).map(move |state| (contest, state));
    contests.iter().flat_map(of_contest)
}

/// Whether one is within the bound in all rows, and behind it those where it is not.
fn verdict(contests: &[Contest], (whose, called): (usize, &str), of: Measure) -> Vec<String> {
    let compared = rows(contests).filter_map(|(contest, state)| contest.best(whose, state, of));
    let beaten: Vec<String> = rows(contests)
        .filter_map(|(contest, state)| contest.beaten(whose, state, of))
        .collect();
    let (measure, all) = (of.0, compared.count());
    let which = if beaten.is_empty() {
        format!("in all {all} rows")
    } else {
        format!("in {} rows of {all}", all - beaten.len())
    };
    let first = format!("and today, {measure}: {called} are within {BOUND:.0} % of the best option {which}.");
    std::iter::once(first).chain(beaten).collect()
}

const WORDS: [&str; 2] = [
    "and today: cold is in a new engine, with the files out of the page cache (MB read came from the device), warm the same",
    "again right after it; from before the open to the end of the close. differs: from the defaults, in the same round.",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(elapsed: f64, cpu: f64) -> Turn {
        let took = Took {
            elapsed: elapsed * 1e6,
            cpu: cpu * 1e6,
            ..Took::default()
        };
        Turn {
            took,
            excps: 7,
            fetched: None,
        }
    }

    fn contest(option: [f64; 3]) -> Contest {
        let of = |name: &str, elapsed: [f64; 3]| {
            let turns: Vec<Turn> = elapsed.into_iter().map(|elapsed| turn(elapsed, 1.0)).collect();
            (name.to_owned(), [turns.clone(), turns])
        };
        Contest {
            work: "read".into(),
            all: vec![
                of("defaults", [10.0, 20.0, 40.0]),
                of("defaults again", [10.0, 21.0, 40.0]),
                of("slow", [30.0, 60.0, 120.0]),
                of("option", option),
            ],
        }
    }

    #[test]
    fn a_row_that_an_option_wins_is_named_with_by_how_much() {
        // Of neighbours: half of the second and the third round, whatever the medians are.
        let lost = contest([11.0, 10.0, 20.0]);
        assert_eq!(lost.best(DEFAULTS, 0, ELAPSED), Some(3));
        let words = words(&[lost], None);
        let elapsed = &words[WORDS.len()..];
        assert!(elapsed[0].contains("elapsed: the defaults are within 5 % of the best option in 0 rows of 2."));
        assert_eq!(
            elapsed[1],
            "  not of read, cold: elapsed 20.0 ms, 100 % more than 11.0 with option"
        );
        assert!(
            elapsed[3].contains("differ from themselves by 0 % at most"),
            "{elapsed:?}"
        );
        assert!(elapsed[4].contains("CPU: the defaults are within 5 % of the best option in all 2 rows."));
        assert_eq!(elapsed.len(), 6);
    }

    #[test]
    fn what_all_options_have_is_given_to_the_defaults_too() {
        let words = words(&[contest([11.0, 10.0, 20.0])], Some("SLOWNESS"));
        let given: Vec<&String> = words.iter().filter(|words| words.contains("SLOWNESS")).collect();
        assert!(given[0].contains("elapsed: the defaults with SLOWNESS are within 5 % of the best option in 0 rows"));
        // It is compared with what stands behind it alone.
        assert!(given[1].contains("CPU: the defaults with SLOWNESS") && given[1].contains("in all 2 rows"));
        assert!(words
            .iter()
            .any(|words| words.contains("elapsed 60.0 ms, 500 % more than 11.0 with option")));
    }

    #[test]
    fn an_option_within_the_bound_wins_nothing() {
        let near = contest([9.6, 19.2, 38.4]);
        let behind = near.behind(DEFAULTS, 1, ELAPSED).unwrap_or_default();
        assert!((behind - 100.0 / 24.0).abs() < 1e-9);
        assert!(words(std::slice::from_ref(&near), None)[WORDS.len()].ends_with("in all 2 rows."));
        let tables = tables(&[near]);
        assert_eq!((tables[0].rows.len(), tables[1].rows.len()), (4, 2));
        assert_eq!(tables[1].rows[0].1[2], Cell::Text("option".into()));
        // Nobody said what came from the device.
        assert_eq!(tables[0].rows[0].1[4], Cell::None);
    }
}
