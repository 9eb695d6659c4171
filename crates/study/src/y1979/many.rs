//! From 2 buffers to 1,000: in 1979 more of them cost the processor more, from 40 on, because each was searched.

use super::file::{self, BASE, RECORDS};
use super::steps::Step;
use crate::measure::{median, timed, Took};
use crate::plot::{Plot, PlotLine};
use crate::{while_doing, Cell, Setting, StudyError, Table};
use cica::Store;
use cica_engine::Buffering;

/// BUFND, and BUFNI of the random reads.
const BUFFERS: [u16; 10] = [2, 5, 10, 20, 40, 80, 109, 200, 500, 1000];
/// The steps, and how often each is made in a round, there and back: who comes behind whom is no advantage then.
const STEPS: [(Step, usize); 3] = [(Step::Load, 1), (Step::Scan, 3), (Step::Read, 3)];
/// So many times as many rounds as were asked for are made at most, until the noise is small.
const MOST: usize = 3;
/// What is level, and a noise that is small, in percent.
const LEVEL: f64 = 3.0;

/// Of a step with a number of buffers.
#[derive(Debug, Clone, Default)]
struct Point {
    /// Of each round, each turn. A round has new files: how one differs from the one before is the noise.
    rounds: Vec<Vec<Took>>,
    excps: u64,
}

/// All of them: for each step a point for each number.
pub struct Many([Vec<Point>; STEPS.len()]);

type CostOf = (&'static str, fn(&Took) -> f64);
const MEASURES: [CostOf; 2] = [("CPU", |took| took.cpu / 1e6), ("elapsed", |took| took.elapsed / 1e6)];

impl Many {
    /// Measures it.
    pub fn measured(setting: &Setting) -> Result<Many, StudyError> {
        let store = file::store_in(setting, "many")?;
        for buffers in BUFFERS {
            file::volume(&store, &volume(buffers))?;
        }
        let records = setting.records.unwrap_or(RECORDS);
        let mut all: [Vec<Point>; STEPS.len()] = Default::default();
        all.iter_mut()
            .for_each(|points| points.resize(BUFFERS.len(), Point::default()));
        let asked = setting.rounds.max(1);
        for round in 0..(asked * MOST).next_multiple_of(2) {
            let is_small = |points: &Vec<Point>| MEASURES.iter().all(|of| noise(points, *of) <= LEVEL);
            if round >= asked && round % 2 == 0 && all.iter().all(is_small) {
                break;
            }
            for ((step, times), points) in STEPS.into_iter().zip(&mut all) {
                points.iter_mut().for_each(|point| point.rounds.push(Vec::new()));
                for turn in 0..2 * times {
                    for n in 0..BUFFERS.len() {
                        let n = if turn % 2 == 1 { BUFFERS.len() - 1 - n } else { n };
                        let (took, excps) = turn_of(&store, step, BUFFERS[n], records)?;
                        points[n].rounds[round].push(took);
                        points[n].excps = excps;
                    }
                }
            }
        }
        Ok(Many(all))
    }

    /// The figures.
    pub fn table(&self) -> Table {
        let columns = [
            "write EXCPs",
            "write CPU ms",
            "write ms",
            "read EXCPs",
            "read CPU ms",
            "read ms",
            "random EXCPs",
            "random CPU ms",
            "random ms",
        ];
        let title = "from 2 to 1,000 buffers, here: sequential write and read (BUFND), random read (BUFND and BUFNI)";
        let mut table = Table::new(title, &columns);
        for (n, buffers) in BUFFERS.into_iter().enumerate() {
            let cells = self.0.iter().flat_map(|points| {
                let [cpu, elapsed] = MEASURES.map(|of| Cell::Number(points[n].middle(of), 1));
                [Cell::Number(points[n].excps as f64, 0), cpu, elapsed]
            });
            table.row(format!("{buffers} buffers"), cells.collect());
        }
        table
    }

    /// Whether more buffers ever cost more.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![
            format!(
                "2 to 1,000 buffers: a round has new files, in which each number has its turns; how a round differs from the one \
                 before is the noise."
            ),
            format!(
                "Rounds end when that is {LEVEL:.0} % or less, or as often as is worth it. What rises by more than {LEVEL:.0} %, and by \
                 no more than the noise of two numbers makes it, cannot be told."
            ),
        ];
        for ((step, _), points) in STEPS.iter().zip(&self.0) {
            for of in MEASURES {
                words.push(format!("{}, {}: {}", step.title(), of.0, told(points, of)));
            }
        }
        words
    }

    /// EXCPs, CPU and elapsed by the number of buffers.
    pub fn plots(&self) -> Vec<Plot> {
        let lines = |of: &dyn Fn(&Point) -> f64| -> Vec<PlotLine> {
            let each = STEPS.iter().zip(&self.0).enumerate();
            each.map(|(color, ((step, _), points))| PlotLine {
                name: step.title().into(),
                color,
                dashed: false,
                points: BUFFERS
                    .iter()
                    .zip(points)
                    .map(|(n, point)| (f64::from(*n), of(point)))
                    .collect(),
            })
            .collect()
        };
        let of = |measure: CostOf| lines(&|point| point.middle(measure));
        [
            ("EXCPs", lines(&|point| point.excps as f64)),
            ("CPU, ms", of(MEASURES[0])),
            ("elapsed, ms", of(MEASURES[1])),
        ]
        .into_iter()
        .map(|(what, lines)| Plot {
            title: format!("2 to 1,000 buffers here: {what}"),
            lines,
            by_tens: true,
            ..Plot::default()
        })
        .collect()
    }
}

impl Point {
    /// Of each round.
    fn each(&self, of: CostOf) -> impl Iterator<Item = f64> + '_ {
        let middle = move |turns: &Vec<Took>| median(turns.iter().map(of.1).collect());
        self.rounds.iter().map(middle)
    }

    fn middle(&self, of: CostOf) -> f64 {
        median(self.each(of).collect())
    }

    /// Percent that another takes more than this, in the same rounds.
    fn to(&self, other: &Point, of: CostOf) -> f64 {
        percent(self.each(of).zip(other.each(of)))
    }

    /// Percent that rounds differ from those before them.
    fn noise(&self, of: CostOf) -> f64 {
        let (first, second) = (self.each(of).step_by(2), self.each(of).skip(1).step_by(2));
        percent(first.zip(second)).abs()
    }
}

/// Percent that the second of pairs takes more than the first, in the middle.
fn percent(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let ratios = pairs.filter(|(first, _)| *first > 0.0);
    let ratios = ratios.map(|(first, second)| second / first);
    100.0 * (median(ratios.collect()) - 1.0)
}

/// From which number to which larger one it rises most.
fn rise(points: &[Point], of: CostOf) -> Option<(usize, usize, f64)> {
    let pairs = (1..points.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
    pairs
        .map(|(from, to)| (from, to, points[from].to(&points[to], of)))
        .max_by(|one, other| one.2.total_cmp(&other.2))
}

fn noise(points: &[Point], of: CostOf) -> f64 {
    points.iter().map(|point| point.noise(of)).fold(0.0, f64::max)
}

fn told(points: &[Point], of: CostOf) -> String {
    let noise = noise(points, of);
    let (Some((from, to, rises)), Some(last)) = (rise(points, of), points.last()) else {
        return "one number alone".into();
    };
    let all = points[0].to(last, of);
    let verdict = verdict(rises, noise);
    let rounds = last.rounds.len();
    format!(
        "{verdict}. From 2 to 1,000 {all:+.0} %; the most that it rises is {rises:+.1} %, from {} to {}; noise {noise:.1} % in \
         {rounds} rounds.",
        BUFFERS[from], BUFFERS[to]
    )
}

/// Of the most that it rises, in percent.
fn verdict(rises: f64, noise: f64) -> String {
    // Both numbers have that noise.
    let bound = noise * std::f64::consts::SQRT_2;
    if rises <= LEVEL {
        "falls or stays level".into()
    } else if rises > bound {
        "rises".into()
    } else {
        format!("cannot be told (noise {noise:.0} %)")
    }
}

/// Each has a volume of its own: all together are more than a 3330-1.
fn volume(buffers: u16) -> String {
    format!("MY{buffers}")
}

/// A step with so many buffers; what it took, and its requests to the files.
fn turn_of(store: &Store, step: Step, buffers: u16, records: u64) -> Result<(Took, u64), StudyError> {
    let name = format!("STUDY.MANY{buffers}");
    if step == Step::Load {
        match store.delete(&name) {
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(while_doing(&name)(error)),
        }
        file::define_on(store, &name, BASE, &volume(buffers))?;
    }
    let asked = Buffering {
        data: Some(buffers),
        // Of sequential requests it is not asked.
        index: (step == Step::Read).then_some(buffers),
        ..Buffering::default()
    };
    let doing = format!("{buffers} buffers, {}", step.title());
    let (excps, took) = timed(|| {
        let set = file::open(store, &name, step.writes(), Some(asked))?;
        let made = step.run(&set, records).map_err(while_doing(&doing))?;
        if step == Step::Load {
            set.end_load().map_err(while_doing(&doing))?;
        }
        let excps = set.buffers().map_or(0, |(_, counts)| counts.excps());
        set.close().map_err(while_doing(&doing))?;
        if made == step.requests_of(records) {
            Ok(excps)
        } else {
            Err(StudyError::Wrong(format!("{doing}: {made} records")))
        }
    })?;
    Ok((took, excps))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(cpu: [f64; BUFFERS.len()]) -> Vec<Point> {
        let took = |cpu: f64| Took {
            cpu: cpu * 1e6,
            elapsed: 1e6,
            ..Took::default()
        };
        let point = |cpu| Point {
            rounds: vec![vec![took(cpu)], vec![took(cpu * 1.04)]],
            excps: 1,
        };
        cpu.map(point).to_vec()
    }

    #[test]
    fn what_rises_by_more_than_the_noise_is_said_with_where() {
        let falls = points([10.0, 9.0, 8.0, 8.1, 7.0, 7.0, 7.0, 7.0, 7.0, 7.2]);
        let words = told(&falls, MEASURES[0]);
        assert!(
            words.starts_with("falls or stays level. From 2 to 1,000 -28 %"),
            "{words}"
        );
        assert!(words.contains("noise 4.0 %"), "{words}");
        let rises = points([10.0, 9.0, 8.0, 8.1, 7.0, 7.0, 7.0, 7.0, 7.0, 8.4]);
        let words = told(&rises, MEASURES[0]);
        assert!(
            words.starts_with("rises.") && words.contains("+20.0 %, from"),
            "{words}"
        );
        // Less than the noise of both, and more than what is level.
        let nobody_knows = points([10.0, 9.0, 8.0, 8.1, 7.0, 7.0, 7.0, 7.0, 7.0, 7.35]);
        let words = told(&nobody_knows, MEASURES[0]);
        assert!(
            words.starts_with("cannot be told (noise 4 %). From 2 to 1,000")
                && words.ends_with("noise 4.0 % in 2 rounds."),
            "{words}"
        );
        assert!(told(&rises, MEASURES[1]).starts_with("falls or stays level. From 2 to 1,000 +0 %"));
    }
}
