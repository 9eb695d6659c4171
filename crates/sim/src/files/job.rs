//! What a seed draws: the data set, the file, and the job.

use crate::random::Random;

/// The control card that is met by cuts, kills and failing calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// EXPORT PERMANENT, which deletes.
    ExportAway,
    /// EXPORT TEMPORARY.
    Export,
    /// IMPORT of a data set that was exported away.
    Import,
    /// BACKUP.
    Backup,
    /// RESTORE REPLACE over a data set that has changed since.
    Restore,
    /// REPRO to the file.
    Unload,
    /// REPRO from the file.
    Load,
    /// DCOLLECT.
    Dcollect,
    /// LISTCAT OUTFILE.
    Listcat,
}

const JOBS: [Job; 9] = [
    Job::ExportAway,
    Job::Export,
    Job::Import,
    Job::Backup,
    Job::Restore,
    Job::Unload,
    Job::Load,
    Job::Dcollect,
    Job::Listcat,
];

/// A run: everything follows from the seed.
#[derive(Clone)]
pub struct JobPlan {
    /// What is done.
    pub job: Job,
    /// What DEFINE says beside the name.
    pub organization: &'static str,
    /// Words of EXPORT.
    pub mode: &'static str,
    /// Records that are in the data set, or in its copy.
    pub records: Vec<Vec<u8>>,
    /// The records that a RESTORE replaces.
    pub replaced: Vec<Vec<u8>>,
    /// There is a file of that name already.
    pub file_is_there: bool,
    /// The file is a data set of the catalog, on its volume.
    pub in_catalog: bool,
    /// Each file has a name from its beginning, as on some file systems.
    pub all_named: bool,
}

impl std::fmt::Debug for JobPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let there = if self.file_is_there {
            "a file that is there"
        } else {
            "a new file"
        };
        let named = if self.all_named { ", all files with names" } else { "" };
        let count = self.records.len();
        write!(
            f,
            "{} with {count} records, {}, {there}{named}",
            self.card(),
            self.organization
        )
    }
}

impl JobPlan {
    /// The run of a seed: the jobs in turn.
    pub fn draw(seed: u64) -> JobPlan {
        let mut random = Random::new(seed);
        let job = JOBS[(seed % JOBS.len() as u64) as usize];
        let organization = random.pick(&["INDEXED KEYS(6 0)", "INDEXED KEYS(6 0)", "NONINDEXED", "NUMBERED"]);
        let count = random.pick(&[1, 12, 60, 400]);
        let length = if organization == "NUMBERED" {
            80
        } else {
            random.pick(&[20, 80, 200])
        };
        let record = |number: u64, version: &str| {
            let mut record = format!("{number:06} {version} {}", random_text(number)).into_bytes();
            record.resize(length, b'.');
            record
        };
        JobPlan {
            job,
            organization,
            mode: if organization.starts_with("INDEXED") && random.chance(50) {
                "CIMODE"
            } else {
                ""
            },
            records: (1..=count).map(|number| record(number, "kept")).collect(),
            replaced: (1..=count / 2 + 2).map(|number| record(number, "gone")).collect(),
            file_is_there: random.chance(50),
            in_catalog: random.chance(30) && !matches!(job, Job::Unload | Job::Load | Job::Listcat),
            all_named: random.chance(40),
        }
    }

    /// The control card.
    pub fn card(&self) -> String {
        let (out, into) = if self.in_catalog {
            ("OUTDATASET(SIM.FILE)", "INDATASET(SIM.FILE)")
        } else {
            ("OUTFILE(FILE)", "INFILE(FILE)")
        };
        match self.job {
            Job::ExportAway => format!("EXPORT SIM.D {out} PERMANENT {}", self.mode),
            Job::Export => format!("EXPORT SIM.D {out} TEMPORARY {}", self.mode),
            Job::Import => format!("IMPORT {into}"),
            Job::Backup => format!("BACKUP (SIM.D) {out}"),
            Job::Restore => format!("RESTORE {into} REPLACE"),
            Job::Unload => format!("REPRO INDATASET(SIM.D) {out}"),
            Job::Load => format!("REPRO {into} OUTDATASET(SIM.D)"),
            Job::Dcollect => format!("DCOLLECT {out} VOLUMES(*)"),
            Job::Listcat => "LISTCAT ALL OUTFILE(FILE)".to_string(),
        }
    }

    /// The job that brings the records back from the copy that this one makes, where it makes one.
    pub fn back(&self) -> Option<String> {
        let into = if self.in_catalog {
            "INDATASET(SIM.FILE)"
        } else {
            "INFILE(FILE)"
        };
        match self.job {
            Job::ExportAway | Job::Export => Some(format!("IMPORT {into}")),
            Job::Backup => Some(format!("RESTORE {into} REPLACE")),
            Job::Unload => Some(format!("REPRO {into} OUTDATASET(SIM.D)")),
            _ => None,
        }
    }

    /// Whether the job makes the file, and does not read it.
    pub fn writes(&self) -> bool {
        !matches!(self.job, Job::Import | Job::Restore | Job::Load)
    }

    /// Whether the file may be seen with the attributes of records.
    pub fn has_records(&self) -> bool {
        matches!(self.job, Job::Unload | Job::Load | Job::Dcollect)
    }

    /// DEFINE CLUSTER of the data set.
    pub fn define(&self) -> String {
        let (least, most) = match self.organization {
            "NUMBERED" => (80, 80),
            _ => (20, 200),
        };
        let organization = self.organization;
        format!("DEFINE CLUSTER (NAME(SIM.D) {organization} RECORDSIZE({least} {most}) TRACKS(1 1))")
    }
}

/// Text that does not repeat itself, so that a copy has some length.
fn random_text(number: u64) -> String {
    let mut random = Random::new(number);
    (0..8).map(|_| format!("{:016X}", random.bits())).collect()
}
