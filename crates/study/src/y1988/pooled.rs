//! What was counted and timed of the databases in shared pools, beside what was printed.

use super::databases::PoolRun;
use super::material::{K, RECORDS};
use super::{differs, factor, fit, number, plan};
use crate::Table;

/// The figure.
pub const TITLE: &str = "figure 3, databases in shared pools";

/// Both.
pub fn tables(runs: &[PoolRun], count: u64, factors: &mut Table) -> [Table; 2] {
    let (whole, times) = (count == RECORDS, RECORDS as f64 / count as f64);
    let printed = runs
        .iter()
        .filter_map(|run| Some((run.excps as f64 * times, run.printed[2]?)));
    let processor = fit::by_transfers(&printed.collect::<Vec<_>>());
    let fitted = |run: &PoolRun| processor.map(|(rest, each)| rest / times + each * run.excps as f64);
    let access = |run: &PoolRun| run.excps as f64 * plan::access(run.moved as f64 / run.excps.max(1) as f64) / 1000.0;
    let modelled = |run: &PoolRun| fitted(run).map(|cpu| cpu + access(run));
    let columns = ["buffers K then", "now", "EXCP K then", "EXCP now", "ratio", "off"];
    let mut counted = Table::new(format!("{TITLE}: counted"), &columns);
    let columns = [
        "s then",
        "modelled",
        "differs",
        "access",
        "CPU s then",
        "fitted",
        "CPU ms",
        "ms",
    ];
    let mut timed = Table::new(format!("{TITLE}: timed"), &columns);
    for run in runs {
        let [space, elapsed, cpu, then] = run.printed;
        let compared = then.filter(|_| whole);
        let now = run.excps as f64;
        let nearest = compared.map(|then| now.clamp(1000.0 * then - 500.0, 1000.0 * then + 499.0));
        let cells = vec![
            number(space, 0),
            number(Some(run.space as f64 / K as f64), 0),
            number(then, 0),
            number(Some(now), 0),
            number(compared.map(|then| now / (1000.0 * then)), 2),
            differs(Some(now), nearest),
        ];
        counted.row(run.title.clone(), cells);
        let (here, here_cpu) = run.here();
        let cells = vec![
            number(elapsed, 0),
            number(modelled(run), 0),
            differs(modelled(run), elapsed.filter(|_| whole)),
            number(Some(access(run)), 0),
            number(cpu, 0),
            number(fitted(run), 1),
            number(Some(here_cpu), 1),
            number(Some(here), 1),
        ];
        timed.row(run.title.clone(), cells);
    }
    let row =
        |then: fn(&PoolRun) -> Option<f64>, modelled: &dyn Fn(&PoolRun) -> Option<f64>, now: fn(&PoolRun) -> f64| {
            let all = [
                runs.iter().filter_map(then).collect(),
                runs.iter().filter_map(modelled).collect(),
                runs.iter().map(now).collect(),
            ];
            all.map(factor).to_vec()
        };
    let elapsed = row(|run| run.printed[1], &modelled, |run| run.here().0);
    let cpu = row(|run| run.printed[2], &fitted, |run| run.here().1);
    factors.row(format!("{TITLE}: elapsed"), elapsed);
    factors.row(format!("{TITLE}: CPU"), cpu);
    [counted, timed]
}
