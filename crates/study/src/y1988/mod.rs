//! Block sizes and buffers in 1988: copies of sequential files and entry-sequenced data sets on 3380s.

mod copied;
mod databases;
mod esds;
mod fit;
mod material;
mod plan;
mod pooled;
mod qsam;
mod today;

use crate::device_time::{DiskTimes, Processor};
use crate::near::{self, Near};
use crate::plot::{self, ByBuffers};
use crate::{contest, Cell, Report, Setting, StudyError, Table};
use copied::Copied;
use databases::Databases;
use esds::Entered;
use material::{expected, store, DISK, K, RECORD, RECORDS};
use plan::Plan;
use qsam::Sequential;

const QSAM: &str = "figure 1, QSAM to QSAM";
const ESDS: &str = "figure 2, ESDS to ESDS";

/// One of the two figures of copies.
struct Figure {
    title: &'static str,
    plans: Vec<Plan>,
    copies: Vec<Copied>,
    /// EXCPs were counted by blocks, not by requests.
    counts_blocks: bool,
}

/// See the module.
pub fn run(setting: &Setting) -> Result<Report, StudyError> {
    let count = setting.records.unwrap_or(RECORDS).max(1);
    let wanted = expected(count);
    let (qsam, esds) = (Plan::of("QSAM"), Plan::of("ESDS"));
    let sequential = Sequential::new(setting, count)?;
    let qsam_copies = rounds(
        setting,
        &qsam,
        wanted,
        |plan| sequential.copy(plan),
        || sequential.seen(),
    )?;
    let store = store(setting)?;
    let entered = Entered::new(&store, &esds, count)?;
    let esds_copies = rounds(setting, &esds, wanted, |plan| entered.copy(plan), || entered.seen())?;
    let in_pools = Databases::new(&store, count)?.run(setting.rounds)?;
    drop(store);
    let contests = today::contests(setting, &sequential, (&qsam, &esds), count)?;
    let figures = [
        Figure {
            title: QSAM,
            plans: qsam,
            copies: qsam_copies,
            counts_blocks: true,
        },
        Figure {
            title: ESDS,
            plans: esds,
            copies: esds_copies,
            counts_blocks: false,
        },
    ];
    let disk = DiskTimes::named(DISK).ok_or_else(|| StudyError::Wrong(format!("there is no disk {DISK}")))?;
    let (mut tables, mut plots) = (Vec::new(), Vec::new());
    let mut factors = Table::new(
        "from the worst run to the best, by a factor of",
        &["then", "modelled", "now"],
    );
    for figure in &figures {
        let model = Model::of(figure, disk, count);
        tables.push(figure.counted(count == RECORDS));
        tables.push(figure.timed(&model, count == RECORDS));
        figure.factors(&model, &mut factors);
        plots.extend(plot::plots(figure.title, &figure.by_buffers(&model)));
    }
    tables.extend(pooled::tables(&in_pools, count, &mut factors));
    tables.push(factors);
    tables.extend(contest::tables(&contests));
    let timed = |figure: &str| tables.iter().find(|table| table.title == format!("{figure}: timed"));
    let kinds = [("QSAM", QSAM), ("ESDS", ESDS), ("pools", pooled::TITLE)];
    let kinds = kinds.map(|(what, figure)| Near::of(what, timed(figure).as_slice(), "differs"));
    let notes = NOTES.iter().map(|note| (*note).into()).chain(near::words(&kinds));
    Ok(Report {
        title: format!(
            "Block size and buffers on 3380s, a 4381 and MVS/XA, 1988 (N. Plum, Xephon), and here: {count} records of \
             {RECORD} bytes, median of {} rounds",
            setting.rounds
        ),
        tables,
        notes: notes.chain(contest::words(&contests, None)).collect(),
        plots,
        bars: Vec::new(),
    })
}

const NOTES: [&str; 15] = [
    "EXCP K then: as printed, in thousands. now: counted at the files of this run. ratio: now by then. off: how far now is from",
    "the nearest count that is printed so. QSAM's EXCPs are blocks, whatever a request moves: runs 1 and 2 have the same.",
    "I/Os: requests to the files. QSAM moves all its buffers with one, at most 30 or 240K, as the source says; the printed",
    "elapsed times fall with them, and the EXCPs do not. VSAM fills and empties most of its buffers with one.",
    "modelled: these requests on two 3380s, arm and rotation followed. Where requests leave buffers free, reading and writing",
    "overlap, else they take turns. access: the source's 38 ms of an access, without seek and queues, times I/Os. fitted: so",
    "much for each request, block and I/O as fits the CPU times printed best. What a 3380's path costs is in none of them.",
    "Guessed, as the source is silent: 400 bytes a record (ten in 4K give its counts; the 200 of its JCL half of them), blocks",
    "of 4,000 and 23,200, CISZ 23K rounded up to 24,576, RECOVERY, which formats each control area first, a track at a time.",
    "BUFSP of ESDS run 5 is printed as 16K; four buffers of 23K are 92K. CIs of 24K make the buffers of 23K larger here.",
    "ms: to the end of what makes the copy durable. The files are in the page cache, so buffers save system calls, no turns.",
    "Figure 3: nobody has its application with DL/I databases. One stands for it, which reads and changes roots of five databases",
    "that it asked for not long ago; how soon it forgets and how often it asks were chosen to have the EXCPs of runs 1 and 4. What",
    "comes out is how the pools divide these requests: the two runs between, and the times. CPU is fitted to EXCPs. The printed",
    "buffers of run 1 add up to 368K, and those of run 4 to 1,792K.",
];

/// Copies by each plan, in turn, as often as there are rounds.
fn rounds(
    setting: &Setting,
    plans: &[Plan],
    wanted: (u64, u64),
    copy: impl Fn(&Plan) -> Result<Copied, StudyError>,
    seen: impl Fn() -> Result<(u64, u64), StudyError>,
) -> Result<Vec<Copied>, StudyError> {
    let mut copies: Vec<Copied> = Vec::new();
    for round in 0..setting.rounds.max(1) {
        for (at, plan) in plans.iter().enumerate() {
            let made = copy(plan)?;
            let Some(before) = copies.get_mut(at) else {
                copies.push(made);
                if seen()? != wanted {
                    return Err(StudyError::Wrong(format!(
                        "{}: the copy has other records",
                        plan.title()
                    )));
                }
                continue;
            };
            if (before.ios(), before.blocks()) != (made.ios(), made.blocks()) {
                let words = format!("{}, round {}: other counts than before", plan.title(), round + 1);
                return Err(StudyError::Wrong(words));
            }
            before.took.extend(made.took);
        }
    }
    Ok(copies)
}

/// How long the copies of a figure would have taken then.
struct Model {
    disk: DiskTimes,
    processor: Option<Processor>,
}

impl Model {
    /// With the processor that fits what was printed, of so many times as many records as there are here.
    fn of(figure: &Figure, disk: DiskTimes, count: u64) -> Model {
        let times = RECORDS as f64 / count as f64;
        let runs = figure.rows().filter_map(|(plan, copy)| {
            let counts = [copy.requests, copy.blocks(), copy.ios()].map(|count| count as f64 * times);
            Some((counts, plan.printed[2]?))
        });
        let processor = fit::processor(&runs.collect::<Vec<_>>());
        Model { disk, processor }
    }

    fn elapsed(&self, copy: &Copied) -> Option<f64> {
        self.processor.map(|processor| copy.modelled(self.disk, processor))
    }

    fn cpu(&self, copy: &Copied) -> Option<f64> {
        self.processor.map(|processor| copy.fitted(processor))
    }
}

fn number(number: Option<f64>, places: usize) -> Cell {
    number.map_or(Cell::None, |number| Cell::Number(number, places))
}

fn differs(now: Option<f64>, then: Option<f64>) -> Cell {
    match (now, then) {
        (Some(now), Some(then)) if then > 0.0 => Cell::Percent(100.0 * (now / then - 1.0)),
        _ => Cell::None,
    }
}

impl Figure {
    fn rows(&self) -> impl Iterator<Item = (&Plan, &Copied)> {
        self.plans.iter().zip(&self.copies)
    }

    /// EXCPs and buffers. `whole`: of as many records as the source had.
    fn counted(&self, whole: bool) -> Table {
        let columns = [
            "buffers K then",
            "now",
            "EXCP K then",
            "EXCP now",
            "ratio",
            "off",
            "I/Os",
        ];
        let mut table = Table::new(format!("{}: counted", self.title), &columns);
        for (plan, copy) in self.rows() {
            let [space, _, _, then] = plan.printed;
            let now = self.excps(copy);
            let compared = then.filter(|_| whole);
            // 25K are 24,500 to 25,499.
            let nearest = compared.map(|then| now.clamp(1000.0 * then - 500.0, 1000.0 * then + 499.0));
            table.row(
                plan.title(),
                vec![
                    number(space, 0),
                    number(Some(copy.space() as f64 / K as f64), 0),
                    number(then, 0),
                    number(Some(now), 0),
                    number(compared.map(|then| now / (1000.0 * then)), 2),
                    differs(Some(now), nearest),
                    number(Some(copy.ios() as f64), 0),
                ],
            );
        }
        table
    }

    /// Elapsed times and the processor's.
    fn timed(&self, model: &Model, whole: bool) -> Table {
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
        let mut table = Table::new(format!("{}: timed", self.title), &columns);
        for (plan, copy) in self.rows() {
            let [_, elapsed, cpu, _] = plan.printed;
            let modelled = model.elapsed(copy);
            let (here, here_cpu) = copy.here();
            table.row(
                plan.title(),
                vec![
                    number(elapsed, 0),
                    number(modelled, 0),
                    differs(modelled, elapsed.filter(|_| whole)),
                    number(Some(copy.by_access(plan::access)), 0),
                    number(cpu, 0),
                    number(model.cpu(copy), 1),
                    number(Some(here_cpu), 1),
                    number(Some(here), 1),
                ],
            );
        }
        table
    }

    /// The runs that have the same blocks and buffers on both sides.
    fn by_buffers(&self, model: &Model) -> Vec<ByBuffers> {
        let even = self.rows().filter(|(plan, _)| plan.input == plan.output);
        even.map(|(plan, copy)| {
            let [_, elapsed, cpu, excps] = plan.printed;
            let (here, here_cpu) = copy.here();
            ByBuffers {
                of: format!("{}K", plan.input.k),
                buffers: plan.input.buffers as f64,
                excps: [excps.map(|thousands| 1000.0 * thousands), Some(self.excps(copy))],
                elapsed: [elapsed, model.elapsed(copy)],
                cpu: [cpu, model.cpu(copy)],
                here: [here, here_cpu],
            }
        })
        .collect()
    }

    fn excps(&self, copy: &Copied) -> f64 {
        let count = if self.counts_blocks { copy.blocks() } else { copy.ios() };
        count as f64
    }

    /// From worst to best, which the source tells of.
    fn factors(&self, model: &Model, table: &mut Table) {
        let factor = |of: &dyn Fn(&Plan, &Copied) -> Option<f64>| {
            factor(self.rows().filter_map(|(plan, copy)| of(plan, copy)).collect())
        };
        let elapsed = vec![
            factor(&|plan, _| plan.printed[1]),
            factor(&|_, copy| model.elapsed(copy)),
            factor(&|_, copy| Some(copy.here().0)),
        ];
        let cpu = vec![
            factor(&|plan, _| plan.printed[2]),
            factor(&|_, copy| model.cpu(copy)),
            factor(&|_, copy| Some(copy.here().1)),
        ];
        table.row(format!("{}: elapsed", self.title), elapsed);
        table.row(format!("{}: CPU", self.title), cpu);
    }
}

/// From the most to the least.
fn factor(all: Vec<f64>) -> Cell {
    let (least, most) = (
        all.iter().copied().reduce(f64::min),
        all.iter().copied().reduce(f64::max),
    );
    number(most.zip(least).map(|(most, least)| most / least), 1)
}
