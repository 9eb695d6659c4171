//! The copies by who says nothing of blocks and buffers, beside those of figures 1 and 2.

use super::esds::{copy_all, load};
use super::material::{define_with, store_in, volume};
use super::plan::Plan;
use super::qsam::Sequential;
use crate::contest::{Contest, Contestant, Turn};
use crate::measure::timed;
use crate::{while_doing, Setting, StudyError};
use cica::{Name, Store};
use cica_engine::{Buffering, OpenOptions};
use std::path::PathBuf;

const DEFAULTS: [&str; 2] = ["the defaults", "the defaults again"];
/// The directory of its catalog.
const STORE: &str = "today";
/// Where copies go.
const OUTPUT: &str = "STUDY.COPY";

/// Who copies the sequential file: by a plan, or saying nothing.
struct SequentialCopy<'s> {
    file: &'s Sequential,
    name: String,
    plan: Option<&'s Plan>,
}

impl Contestant for SequentialCopy<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self) -> Result<Vec<PathBuf>, StudyError> {
        Ok(vec![self.file.input().to_path_buf()])
    }

    fn again(&mut self) -> Result<(), StudyError> {
        Ok(())
    }

    fn work(&mut self) -> Result<Turn, StudyError> {
        let (took, excps) = match self.plan {
            Some(plan) => {
                let copied = self.file.copy(plan)?;
                (copied.took.first().copied().unwrap_or_default(), copied.ios())
            }
            None => self.file.copy_plainly()?,
        };
        Ok(Turn {
            took,
            excps,
            fetched: None,
        })
    }

    fn end(&mut self) {}
}

/// Who copies an ESDS into one that is like it but for what the plan says.
struct EnteredCopy<'s> {
    setting: &'s Setting,
    name: String,
    plan: Option<&'s Plan>,
    count: u64,
    store: Option<Store>,
    /// Requests to the files before the copy.
    before: u64,
}

fn input(k: Option<usize>) -> String {
    k.map_or_else(|| "STUDY.IN".into(), |k| format!("STUDY.IN{k}K"))
}

impl EnteredCopy<'_> {
    fn store(&self) -> Result<&Store, StudyError> {
        let none = || StudyError::Wrong(format!("{OUTPUT}: no store is open"));
        self.store.as_ref().ok_or_else(none)
    }

    fn input(&self) -> String {
        input(self.plan.map(|plan| plan.input.k))
    }

    fn begin(&mut self) -> Result<(), StudyError> {
        let store = self.store()?;
        match store.delete(OUTPUT) {
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(while_doing(OUTPUT)(error)),
        }
        define_with(store, OUTPUT, self.plan.map(|plan| plan.output.k))?;
        self.before = self.excps()?;
        Ok(())
    }

    /// Of both, as LISTCAT has them.
    fn excps(&self) -> Result<u64, StudyError> {
        let store = self.store()?;
        let mut sum = 0;
        for name in [&self.input()[..], OUTPUT] {
            let entries = store.describe(name).map_err(while_doing(name))?;
            let parts = entries.iter().filter_map(|entry| entry.component.as_ref());
            sum += parts.map(|part| part.statistics.excps).sum::<u64>();
        }
        Ok(sum)
    }
}

impl Contestant for EnteredCopy<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self) -> Result<Vec<PathBuf>, StudyError> {
        self.store = Some(store_in(self.setting, STORE)?);
        self.begin()?;
        let (doing, store) = (while_doing(OUTPUT), self.store()?);
        let name = Name::parse(&self.input()).map_err(while_doing(OUTPUT))?;
        let (catalog, reached) = store.session().reach(&name).map_err(while_doing(OUTPUT))?;
        let file = catalog.component_path(&reached.cluster.data).map_err(doing)?;
        // An engine shows parts of files in memory, and what it shows does not leave the page cache.
        self.store = None;
        self.store = Some(store_in(self.setting, STORE)?);
        Ok(vec![file])
    }

    fn again(&mut self) -> Result<(), StudyError> {
        self.begin()
    }

    fn work(&mut self) -> Result<Turn, StudyError> {
        let buffers = self
            .plan
            .map(|plan| [plan.input, plan.output].map(|place| place.buffers));
        let asked = |at: usize, options: OpenOptions| OpenOptions {
            buffers: buffers.map(|buffers| Buffering {
                data: Some(buffers[at].min(u16::MAX.into()) as u16),
                ..Buffering::default()
            }),
            ..options
        };
        let store = self.store()?;
        let (counted, took) = timed(|| {
            let open = |name: &str, options| store.open_data_set(name, options).map_err(while_doing(name));
            let from = open(&self.input(), asked(0, OpenOptions::input()))?;
            let to = open(OUTPUT, asked(1, OpenOptions::output()))?;
            let copied = copy_all(&from, &to)?;
            if copied != self.count {
                return Err(StudyError::Wrong(format!("{OUTPUT}: {copied} records were copied")));
            }
            let counts = [&from, &to].map(|set| set.buffers().map(|(_, counts)| counts.excps()));
            to.close().map_err(while_doing(OUTPUT))?;
            from.close().map_err(while_doing(OUTPUT))?;
            Ok(counts[0].zip(counts[1]).map(|(read, written)| read + written))
        })?;
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

/// Both copies, by the plans of their figures and by who says nothing.
pub fn contests(
    setting: &Setting,
    file: &Sequential,
    (qsam, esds): (&[Plan], &[Plan]),
    count: u64,
) -> Result<Vec<Contest>, StudyError> {
    let mut copies: Vec<Box<dyn Contestant + '_>> = Vec::new();
    let all = |plans| whose(plans).into_iter();
    for (name, plan) in all(qsam) {
        copies.push(Box::new(SequentialCopy { file, name, plan }));
    }
    let sequential = Contest::held("QSAM", setting.rounds, &mut copies)?;
    let store = store_in(setting, STORE)?;
    volume(&store)?;
    let mut sizes: Vec<Option<usize>> = esds.iter().map(|plan| Some(plan.input.k)).collect();
    sizes.push(None);
    sizes.sort_unstable();
    sizes.dedup();
    for k in sizes {
        let name = input(k);
        define_with(&store, &name, k)?;
        load(&store, &name, count)?;
    }
    drop(store);
    let mut copies: Vec<Box<dyn Contestant + '_>> = Vec::new();
    for (name, plan) in all(esds) {
        copies.push(Box::new(EnteredCopy {
            setting,
            name,
            plan,
            count,
            store: None,
            before: 0,
        }));
    }
    let entered = Contest::held("ESDS", setting.rounds, &mut copies)?;
    Ok(vec![sequential, entered])
}

/// The defaults twice, and the plans.
fn whose(plans: &[Plan]) -> Vec<(String, Option<&Plan>)> {
    let defaults = DEFAULTS.into_iter().map(|name| (name.to_owned(), None));
    let planned = plans.iter().map(|plan| (format!("run {}", plan.title()), Some(plan)));
    defaults.chain(planned).collect()
}
