//! The disk before the job.

use std::cell::Cell;

use cica_disk::Image;

use super::disk_of;
use super::job::{Job, JobPlan};
use super::world::{empty, FileProcess};

/// Makes it; what the job finds there was made by other jobs.
///
/// # Errors
/// In words.
pub fn start(plan: &JobPlan) -> Result<Image, String> {
    let (memory, disk) = disk_of(&empty()?);
    let time = Cell::new(0);
    let process = || {
        time.set(time.get() + 1);
        FileProcess::new(disk.clone(), plan, time.get())
    };
    let must = |card: &str| {
        let (cc, listing) = process().card(card)?;
        if cc == 0 {
            Ok(())
        } else {
            Err(format!("before the job: {listing}"))
        }
    };
    if plan.in_catalog {
        must("DEFINE NONVSAM (NAME(SIM.FILE) DEVICETYPES(SYSDA) VOLUMES(CICA01))")?;
    }
    must(&plan.define())?;
    let load = |records: &[Vec<u8>]| process().load(records);
    let with = |job| JobPlan { job, ..plan.clone() }.card();
    match plan.job {
        Job::Import => {
            load(&plan.records)?;
            must(&with(Job::ExportAway))?;
        }
        Job::Restore => {
            load(&plan.records)?;
            must(&with(Job::Backup))?;
            must("DELETE SIM.D")?;
            must(&plan.define())?;
            load(&plan.replaced)?;
        }
        Job::Load => {
            load(&plan.records)?;
            must(&with(Job::Unload))?;
            must("DELETE SIM.D")?;
            must(&plan.define())?;
        }
        _ if plan.file_is_there => {
            // What has the name already is as whole, and other.
            load(&plan.replaced)?;
            must(&plan.card())?;
            if plan.job != Job::ExportAway {
                must("DELETE SIM.D")?;
            }
            must(&plan.define())?;
            load(&plan.records)?;
        }
        _ => load(&plan.records)?,
    }
    Ok(memory.image())
}
