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
const STEPS: [Step; 3] = [Step::Load, Step::Scan, Step::Read];
/// Turns of each number in a round: how the second differs from the first is the noise.
const TURNS: usize = 2;
/// What may be level beside the noise, in percent.
const LEVEL: f64 = 3.0;

/// Of a step with a number of buffers.
#[derive(Debug, Clone, Default)]
struct Point {
    /// Of each round, each turn.
    turns: [Vec<Took>; TURNS],
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
        file::volume(&store, file::VOLUME)?;
        let records = setting.records.unwrap_or(RECORDS);
        let mut all: [Vec<Point>; STEPS.len()] = Default::default();
        all.iter_mut()
            .for_each(|points| points.resize(BUFFERS.len(), Point::default()));
        for _ in 0..setting.rounds.max(1) {
            for turn in 0..TURNS {
                for (n, buffers) in BUFFERS.into_iter().enumerate() {
                    let found = turn_of(&store, buffers, records)?;
                    for (points, (took, excps)) in all.iter_mut().zip(found) {
                        points[n].turns[turn].push(took);
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
        let mut words = vec![format!(
            "2 to 1,000 buffers: each number has two turns in a round; how they differ is the noise. Level is what rises by no \
             more than the noise of two numbers makes it, or {LEVEL:.0} %."
        )];
        for (step, points) in STEPS.iter().zip(&self.0) {
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
            each.map(|(color, (step, points))| PlotLine {
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
    fn middle(&self, of: CostOf) -> f64 {
        median(self.turns.iter().flatten().map(of.1).collect())
    }

    /// Percent that another takes more than this, in turns of the same round.
    fn to(&self, other: &Point, of: CostOf) -> f64 {
        let pairs = self.turns.iter().flatten().zip(other.turns.iter().flatten());
        percent(pairs, of)
    }

    /// Percent that the second turns differ from the first.
    fn noise(&self, of: CostOf) -> f64 {
        percent(self.turns[0].iter().zip(&self.turns[1]), of).abs()
    }
}

/// Percent that the second of pairs takes more than the first, in the middle.
fn percent<'t>(pairs: impl Iterator<Item = (&'t Took, &'t Took)>, of: CostOf) -> f64 {
    let ratios = pairs.filter(|(first, _)| of.1(first) > 0.0);
    let ratios = ratios.map(|(first, second)| of.1(second) / of.1(first));
    100.0 * (median(ratios.collect()) - 1.0)
}

/// From which number to which larger one it rises most.
fn rise(points: &[Point], of: CostOf) -> Option<(usize, usize, f64)> {
    let pairs = (1..points.len()).flat_map(|to| (0..to).map(move |from| (from, to)));
    pairs
        .map(|(from, to)| (from, to, points[from].to(&points[to], of)))
        .max_by(|one, other| one.2.total_cmp(&other.2))
}

fn told(points: &[Point], of: CostOf) -> String {
    let noise = points.iter().map(|point| point.noise(of)).fold(0.0, f64::max);
    let (Some((from, to, rises)), Some(last)) = (rise(points, of), points.last()) else {
        return "one number alone".into();
    };
    let all = points[0].to(last, of);
    // Both numbers have that noise.
    let bound = (noise * std::f64::consts::SQRT_2).max(LEVEL);
    let verdict = if rises <= bound {
        "falls or stays level"
    } else {
        "rises"
    };
    format!(
        "{verdict}. From 2 to 1,000 {all:+.0} %; the most that it rises is {rises:+.1} %, from {} to {}; noise {noise:.1} %.",
        BUFFERS[from], BUFFERS[to]
    )
}

/// Load, scan and random reads with so many buffers; what each took, and its requests to the files.
fn turn_of(store: &Store, buffers: u16, records: u64) -> Result<[(Took, u64); STEPS.len()], StudyError> {
    let name = "STUDY.MANY";
    file::define(store, name, BASE)?;
    let mut found = [(Took::default(), 0); STEPS.len()];
    for (step, found) in STEPS.into_iter().zip(&mut found) {
        let asked = Buffering {
            data: Some(buffers),
            // Of sequential requests it is not asked.
            index: (step == Step::Read).then_some(buffers),
            ..Buffering::default()
        };
        let doing = format!("{buffers} buffers, {}", step.title());
        let (excps, took) = timed(|| {
            let set = file::open(store, name, step.writes(), Some(asked))?;
            let made = step.run(&set, records).map_err(while_doing(&doing))?;
            if step == Step::Load {
                set.end_load().map_err(while_doing(&doing))?;
            }
            let excps = set.buffers().map_or(0, |(_, counts)| counts.excps());
            set.close().map_err(while_doing(&doing))?;
            if made == step.requests_of(records) {
                Ok(excps)
            } else {
                Err(StudyError::Wrong(format!("{doing}: {made} records were found")))
            }
        })?;
        *found = (took, excps);
    }
    store.delete(name).map_err(while_doing(name))?;
    Ok(found)
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
            turns: [vec![took(cpu)], vec![took(cpu * 1.04)]],
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
        assert!(told(&rises, MEASURES[1]).starts_with("falls or stays level. From 2 to 1,000 +0 %"));
    }
}
