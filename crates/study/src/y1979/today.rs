//! The steps by who says nothing but what the records are, beside every option of the study.

use super::file::{self, Shape, BASE, RECORDS};
use super::runs::{Run, ALL, RUNS};
use super::steps::Step;
use crate::contest::{Contest, Contestant, Turn};
use crate::figures::Figures;
use crate::measure::timed;
use crate::{while_doing, Setting, StudyError};
use cica::Store;
use cica_catalog::freespace::FreeSpace;
use cica_engine::Buffering;
use std::path::PathBuf;

/// Who does the steps.
#[derive(Debug, Clone)]
struct Choice {
    name: String,
    said: Said,
    /// BUFND and BUFNI.
    buffers: Option<(u16, u16)>,
    steps: Vec<Step>,
}

/// What is said of the data set beside its records.
#[derive(Debug, Clone, Copy)]
enum Said {
    /// FREESPACE, or nothing.
    Free(Option<FreeSpace>),
    /// All that the study said.
    Shape(Shape),
}

/// What all runs of the study had.
pub const HAD: &str = "FREESPACE(20 6), which all of the study's runs had,";

/// The defaults twice, with the study's free space, and each option of the runs and of the table of buffers.
fn choices() -> Vec<Choice> {
    let says = |name: &str, free| Choice {
        name: name.into(),
        said: Said::Free(free),
        buffers: None,
        steps: ALL.to_vec(),
    };
    let mut all = vec![
        says("the defaults", None),
        says("the defaults again", None),
        says("FREESPACE(20 6)", Some(BASE.free_space)),
    ];
    let run = |run: &Run| {
        let Run {
            name,
            shape,
            bufnd,
            bufni,
            ..
        } = run;
        Choice {
            name: format!("{name}: CISZ {}, BUFND {bufnd}, BUFNI {bufni}", shape.ci_size),
            said: Said::Shape(*shape),
            buffers: Some((*bufnd, *bufni)),
            steps: run.steps.to_vec(),
        }
    };
    all.extend(RUNS.iter().map(run));
    let printed = Figures::of(include_str!("buffers.csv"));
    let of_table = printed.rows().filter_map(|row| row.text("bufnd").parse().ok());
    // What a run has is there.
    let more = of_table.filter(|bufnd| RUNS.iter().all(|run| run.bufnd != *bufnd));
    all.extend(more.map(|bufnd| Choice {
        name: format!("BUFND {bufnd}"),
        said: Said::Shape(BASE),
        buffers: Some((bufnd, 1)),
        steps: vec![Step::Load, Step::Scan],
    }));
    all
}

/// A choice and its data set, of which a step is made.
struct Doing<'s> {
    setting: &'s Setting,
    choice: &'s Choice,
    step: Step,
    records: u64,
    name: String,
    volume: String,
    store: Option<Store>,
    /// Requests to the files before the step.
    before: u64,
}

impl Doing<'_> {
    fn store(&self) -> Result<&Store, StudyError> {
        let none = || StudyError::Wrong(format!("{}: no store is open", self.name));
        self.store.as_ref().ok_or_else(none)
    }

    /// A data set that is empty.
    fn define(&self) -> Result<(), StudyError> {
        let store = self.store()?;
        match store.delete(&self.name) {
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(while_doing(&self.name)(error)),
        }
        match self.choice.said {
            Said::Shape(shape) => file::define_on(store, &self.name, shape, &self.volume),
            Said::Free(free) => file::define_plainly(store, &self.name, free),
        }
    }

    /// Load and insert find it as it was before.
    fn begin(&mut self) -> Result<(), StudyError> {
        match self.step {
            Step::Load => self.define()?,
            Step::Insert => {
                self.define()?;
                self.make(Step::Load)?;
            }
            Step::Scan | Step::Read | Step::Update => {}
        }
        self.before = self.excps()?;
        Ok(())
    }

    /// As LISTCAT has them.
    fn excps(&self) -> Result<u64, StudyError> {
        let entries = self.store()?.describe(&self.name).map_err(while_doing(&self.name))?;
        let parts = entries.iter().filter_map(|entry| entry.component.as_ref());
        Ok(parts.map(|part| part.statistics.excps).sum())
    }

    /// One step, as a program makes it: open, requests, close; what is counted by who has buffers.
    fn make(&self, step: Step) -> Result<Option<u64>, StudyError> {
        let buffers = self.choice.buffers.map(|(data, index)| Buffering {
            data: Some(data),
            index: Some(index),
            ..Buffering::default()
        });
        let doing = format!("{}, {}", self.name, step.title());
        let data_set = file::open(self.store()?, &self.name, step.writes(), buffers)?;
        let made = step.run(&data_set, self.records).map_err(while_doing(&doing))?;
        if made != step.requests_of(self.records) {
            return Err(StudyError::Wrong(format!("{doing}: {made} records were found")));
        }
        let counted = data_set.buffers().map(|(_, counts)| counts.excps());
        data_set.close().map_err(while_doing(&doing))?;
        Ok(counted)
    }
}

impl Contestant for Doing<'_> {
    fn name(&self) -> String {
        self.choice.name.clone()
    }

    fn prepare(&mut self) -> Result<Vec<PathBuf>, StudyError> {
        self.store = Some(file::store_in(self.setting, STORE)?);
        self.begin()?;
        let files = file::files(self.store()?, &self.name)?;
        // An engine shows parts of files in memory, and what it shows does not leave the page cache.
        self.store = None;
        self.store = Some(file::store_in(self.setting, STORE)?);
        Ok(files)
    }

    fn again(&mut self) -> Result<(), StudyError> {
        self.begin()
    }

    fn work(&mut self) -> Result<Turn, StudyError> {
        let (counted, took) = timed(|| self.make(self.step))?;
        let excps = match counted {
            Some(counted) => counted,
            None => self.excps()?.saturating_sub(self.before),
        };
        Ok(Turn {
            took,
            excps,
            fetched: None,
        })
    }

    fn end(&mut self) {
        self.store = None;
    }
}

/// The directory of its catalog.
const STORE: &str = "today";

/// Each step, with as many records as are asked for.
pub fn contests(setting: &Setting) -> Result<Vec<Contest>, StudyError> {
    let choices = choices();
    let volume = |n: usize| format!("TDY{n}");
    let store = file::store_in(setting, STORE)?;
    for n in 0..choices.len() {
        file::volume(&store, &volume(n))?;
    }
    drop(store);
    let contest = |step: &Step| {
        let whose = choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| choice.steps.contains(step));
        let mut contestants: Vec<Box<dyn Contestant + '_>> = whose
            .map(|(n, choice)| {
                Box::new(Doing {
                    setting,
                    choice,
                    step: *step,
                    records: setting.records.unwrap_or(RECORDS),
                    name: format!("STUDY.TODAY{n}"),
                    volume: volume(n),
                    store: None,
                    before: 0,
                }) as Box<dyn Contestant>
            })
            .collect();
        Contest::held(step.title(), setting.rounds, &mut contestants)
    };
    ALL.iter().map(contest).collect()
}
