//! `cica salvage`: what can be had of a damaged data set, into a new one or a sequential file.
//!
//! 1. The damaged files are read only, and without opening them as a data set.
//! 2. Only what is proven goes into the output, unless the user wants the rest too; the report tells of both.

mod report;
mod target;

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::progress::{grouped, Progress};
use crate::session::Session;
use cica_disk::{Disk, LinuxDisk};
use cica_engine::salvage::{Report, Salvage};
use cica_format::attributes::{Attributes, Organization};
use cica_messages as messages;
use cica_session::own_files;
use clap::Args;
use std::path::{Path, PathBuf};
use target::SalvageTarget;

/// Take out of a damaged data set what can be had
#[derive(Debug, Args)]
#[command(after_help = "\
The damaged data set is read and never changed. Without --into and --output only the report is printed: what is sure,
what is doubtful and why, what is lost and where. The exit status is 0 if every record is there and sure, else 4.

Example:
  cica salvage PAYROLL.MASTER
  cica salvage PAYROLL.MASTER --into PAYROLL.SAVED
  cica salvage /mnt/old/payroll.master.data --index /mnt/old/payroll.master.index -o saved.vbs --json")]
pub struct Options {
    /// Data set name; or the file of a data component, a path with a /
    source: String,
    /// File of the index component, where the source is a file
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
    /// Data set for the records: one that is empty, or a new one defined like the damaged one
    #[arg(long, value_name = "DSN", conflicts_with = "output")]
    into: Option<String>,
    /// Sequential file for the records; of a linear data set its bytes. - is standard output, without the report
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
    /// Format of that file, as behind the file name of a DD
    #[arg(long, value_name = "RECFM=..", default_value = "RECFM=VBS", requires = "output")]
    format: String,
    /// Doubtful records too; of those with one key the one with less against it
    #[arg(long)]
    with_doubtful: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    // The records are there, and the report would stand among them.
    let is_streamed = options.output.as_deref() == Some("-");
    if is_streamed && options.json {
        return Err(Failure::usage(
            "--json: standard output is for the records; name a file with -o",
        ));
    }
    let mut session = None;
    if options.into.is_some() || !options.source.contains('/') {
        session = Some(Session::open(global)?);
    }
    let salvage = match &session {
        Some(session) if !options.source.contains('/') => of_catalog(session, &options.source)?,
        _ => {
            let index = options.index.clone().unwrap_or_default();
            open(&LinuxDisk::default(), Path::new(&options.source), &index, (None, None))?
        }
    };
    let mut target = SalvageTarget::open(&options, session, global, salvage.attributes())?;
    let mut progress = Progress::new(global);
    let mut done = 0;
    let report = salvage.run(&mut |found| {
        done += 1;
        progress.at(done);
        if found.doubt.is_none() || options.with_doubtful {
            target.take(found)
        } else {
            Ok(())
        }
    })?;
    drop(progress);
    let refused = target.finish()?;
    let name = options.source.as_str();
    let written = match options.json {
        true => report::json(name, &salvage, &report, &refused),
        false if !global.quiet && !is_streamed => report::text(&salvage, &report, &refused),
        false => Ok(()),
    };
    let is_linear = salvage.attributes().organization == Organization::Lds;
    let is_whole = report.is_whole() || is_linear && report.losses.is_empty() && report.doubtful == 0;
    let status = if is_whole && refused.is_empty() {
        Status::DONE
    } else {
        incomplete(name, &report)
    };
    Ok(status.with_output(written))
}

fn incomplete(name: &str, report: &Report) -> Status {
    let words = format!(
        "{name}: {} records are sure, {} doubtful; {} places are lost",
        grouped(report.sure),
        grouped(report.doubtful),
        grouped(report.losses.len() as u64)
    );
    Failure::new(Status::INCOMPLETE, &messages::CICA0947W, words).tell()
}

fn of_catalog(session: &Session, name: &str) -> Result<Salvage, Failure> {
    let cluster = session.cluster(name)?;
    let catalog = session.catalog.home(&cluster.name)?;
    let data = catalog.component_path(&cluster.data)?;
    let index = match &cluster.index {
        Some(index) => catalog.component_path(index)?,
        None => PathBuf::new(),
    };
    let known = cluster
        .data
        .file_attributes(&cluster.name, cluster.organization, &cluster.attributes, 0);
    let logs = session.engine.log_directory();
    let salvage = open(&*session.disk, &data, &index, (Some(&known), Some(logs)))?;
    // Records of another data set are none of this one's, however sound they are.
    own_files(&*catalog.contents()?, &cluster, salvage.attributes()).map_err(|error| {
        let words = format!("{error}, or salvage the file by its path, which has a slash");
        Failure::new(Status::UNUSABLE, &messages::IDC3300I, words).at(data.display())
    })?;
    Ok(salvage)
}

/// What is known of a data set from elsewhere: its attributes, and where its logs are.
type Known<'k> = (Option<&'k Attributes>, Option<&'k Path>);

fn open(disk: &dyn Disk, data: &Path, index: &Path, known: Known<'_>) -> Result<Salvage, Failure> {
    Salvage::open(disk, data, index, known.0, known.1).map_err(|error| Failure::from(error).at(data.display()))
}
