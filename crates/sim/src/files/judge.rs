//! What a disk may hold while a job runs, and after it.

use std::path::Path;

use cica_disk::Image;
use cica_qsam::{DdText, Reader};

use super::job::{Job, JobPlan};
use super::world::{FileProcess, FILE, ON_VOLUME, OUTSIDE};
use super::{disk_of, NEXT};

/// When a disk is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The power was cut.
    Cut,
    /// The process was killed.
    Killed,
    /// The job failed and ended.
    Failed,
    /// The same, and it could not tidy up.
    Failing,
    /// The job ended with condition code 0.
    Done,
}

/// See the module; F1 to F5 are the run's.
pub struct FileJudge<'a> {
    plan: &'a JobPlan,
    /// The file before the job, and when all went well.
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

impl<'a> FileJudge<'a> {
    /// What is right follows from the disks before the job and after a good one.
    pub fn new(plan: &'a JobPlan, start: &Image, end: &Image) -> Result<FileJudge<'a>, String> {
        let path = file(plan);
        let (old, new) = (start.bytes(path), end.bytes(path));
        if new.is_none() || plan.writes() && old == new {
            return Err("the job made no file of its own".to_string());
        }
        let judge = FileJudge { plan, old, new };
        judge.image(end, Moment::Done, true)?;
        Ok(judge)
    }

    /// The same where a list says less, for something could not be read: what it says then is right.
    pub fn of_list(&self, left: &Image) -> FileJudge<'a> {
        let found = left
            .bytes(file(self.plan))
            .filter(|found| self.old.as_ref() != Some(found));
        FileJudge {
            plan: self.plan,
            old: self.old.clone(),
            new: found.or_else(|| self.new.clone()),
        }
    }

    /// Judges one; `again`: the job is run once more on it.
    pub fn image(&self, image: &Image, moment: Moment, again: bool) -> Result<(), String> {
        let (memory, disk) = disk_of(image);
        let found = FileProcess::new(disk.clone(), self.plan, NEXT).records()?;
        let has_new = self.file(image, moment)?;
        self.beside(image, moment)?;
        self.data_set(found.as_deref(), has_new, moment)?;
        if self.plan.job == Job::ExportAway && found.is_none() || again && has_new && self.plan.back().is_some() {
            self.comes_back(image)?;
        }
        if again && !(self.plan.job == Job::ExportAway && found.is_none()) {
            self.again(disk, found.as_deref())?;
            self.beside(&memory.image(), Moment::Cut)?;
        }
        Ok(())
    }

    /// F2 and F3: whether it has what the job makes.
    fn file(&self, image: &Image, moment: Moment) -> Result<bool, String> {
        let found = image.bytes(file(self.plan));
        let failed = matches!(moment, Moment::Failed | Moment::Failing);
        let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
        match found {
            found if found == self.new => Ok(self.plan.writes()),
            found if found == self.old && moment != Moment::Done => Ok(false),
            // What REPRO copied before it failed stays.
            Some(found) if failed && self.plan.job == Job::Unload && self.has_beginning(&found) => Ok(false),
            found => Err(format!(
                "the file has {} bytes that are neither the {} from before nor the {} that the job makes ({moment:?})",
                length(&found),
                length(&self.old),
                length(&self.new)
            )),
        }
    }

    /// Some first records, and all of each.
    fn has_beginning(&self, found: &[u8]) -> bool {
        let Ok(dd) = DdText::parse("X,RECFM=VB,LRECL=644") else {
            return false;
        };
        let Ok(mut reader) = Reader::new(found, &dd.attributes) else {
            return false;
        };
        let mut expected = self.plan.records.iter();
        loop {
            match reader.next() {
                Ok(None) => return true,
                Ok(Some(record)) if expected.next().is_some_and(|one| one == record) => {}
                _ => return false,
            }
        }
    }

    /// F4.
    fn beside(&self, image: &Image, moment: Moment) -> Result<(), String> {
        let places = [Path::new(OUTSIDE), file(self.plan).parent().unwrap_or(Path::new("/"))];
        let is_beside = |path: &&Path| path.parent().is_some_and(|parent| places.contains(&parent));
        for path in image.files().filter(is_beside) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let unfinished = name.starts_with(".cica-") && name.ends_with(".unfinished");
            // Without a name until it is whole, it has one between two calls at the end.
            let whole = image.bytes(path) == self.new;
            let may_be_left = match moment {
                Moment::Cut | Moment::Failing => true,
                Moment::Killed => whole || self.plan.all_named,
                Moment::Failed | Moment::Done => false,
            };
            let strange = path.parent() == Some(Path::new(OUTSIDE)) && path != Path::new(FILE);
            if if unfinished { !may_be_left } else { strange } {
                return Err(format!("{} is left ({moment:?})", path.display()));
            }
        }
        Ok(())
    }

    /// F1 and F3.
    fn data_set(&self, found: Option<&[Vec<u8>]>, has_new: bool, moment: Moment) -> Result<(), String> {
        let JobPlan {
            job, records, replaced, ..
        } = self.plan;
        let done = moment == Moment::Done;
        let right = match (job, found) {
            (Job::ExportAway, None) => has_new,
            (Job::ExportAway, Some(found)) => !done && found == records,
            (Job::Import, None) => !done,
            (Job::Restore, Some(found)) => found == records || !done && found == replaced,
            (Job::Load, Some(found)) => found == records || !done && records.starts_with(found),
            (_, Some(found)) => found == records,
            (_, None) => false,
        };
        if right {
            Ok(())
        } else {
            Err(format!(
                "the data set has {:?} of {} records, and the copy is {} ({moment:?})",
                found.map(<[_]>::len),
                records.len(),
                if has_new { "whole" } else { "not there" }
            ))
        }
    }

    /// The copy brings the records back, on a volume where nothing of the data set is left.
    fn comes_back(&self, image: &Image) -> Result<(), String> {
        let Some(card) = self.plan.back() else { return Ok(()) };
        let (_, disk) = disk_of(image);
        let process = FileProcess::new(disk, self.plan, NEXT);
        if process.records()?.is_some() {
            must(&process, "DELETE SIM.D")?;
        }
        if self.plan.job == Job::Unload {
            must(&process, &self.plan.define())?;
        }
        must(&process, &card)?;
        match process.records()? {
            Some(found) if found == self.plan.records => Ok(()),
            found => Err(format!(
                "the copy brought {:?} of {} records back",
                found.map(|found| found.len()),
                self.plan.records.len()
            )),
        }
    }

    /// F5.
    fn again(&self, disk: std::sync::Arc<dyn cica_disk::Disk>, found: Option<&[Vec<u8>]>) -> Result<(), String> {
        let process = FileProcess::new(disk, self.plan, NEXT);
        // What is there keeps a job from beginning: somebody takes it away first.
        match (self.plan.job, found) {
            (Job::Import, Some(_)) => must(&process, "DELETE SIM.D")?,
            (Job::Load, Some(found)) if !found.is_empty() => {
                must(&process, "DELETE SIM.D")?;
                must(&process, &self.plan.define())?;
            }
            _ => {}
        }
        must(&process, &self.plan.card()).map_err(|listing| format!("run again: {listing}"))?;
        let found = process.records()?;
        self.data_set(found.as_deref(), true, Moment::Done)
            .map_err(|what| format!("run again: {what}"))
    }
}

/// The file of the job.
fn file(plan: &JobPlan) -> &'static Path {
    Path::new(if plan.in_catalog { ON_VOLUME } else { FILE })
}

fn must(process: &FileProcess<'_>, card: &str) -> Result<(), String> {
    match process.card(card)? {
        (0, _) => Ok(()),
        (cc, listing) => Err(format!("{card} ends with {cc}: {listing}")),
    }
}
