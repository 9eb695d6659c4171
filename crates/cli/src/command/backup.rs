//! `cica backup`: data sets as they are stored, into one portable copy.

use crate::args::Global;
use crate::command::export::file;
use crate::failure::{Failure, Status};
use crate::job::Job;
use crate::session::Session;
use clap::Args;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Copy data sets as they are stored into one portable file
#[derive(Debug, Args)]
#[command(after_help = "\
A data set that is copied may be open for input meanwhile, not for output. The file takes its name when it is complete:
a backup that fails leaves the one before as it was.

Example:
  cica backup 'PAYROLL.**' -o payroll.cica
  cica backup PAYROLL.MASTER HR.MASTER -o - --quiet | ssh vault 'cat > masters.cica'")]
pub struct Options {
    /// Data set names and masks
    #[arg(required = true)]
    dsn: Vec<String>,
    /// File for the copy; - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: String,
    /// But not these names and masks
    #[arg(long, value_name = "MASK")]
    exclude: Vec<String>,
    /// How hard to compress, 1 to 19
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=19))]
    compress: u8,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let (mut text, global) = file(&options.output, "/dev/stdout", global)?;
    let unfinished = Unfinished::of(&mut text.target);
    let exclude = match options.exclude.is_empty() {
        true => String::new(),
        false => format!(" EXCLUDE({})", options.exclude.join(" ")),
    };
    let card = format!(
        "BACKUP ({}) OUTFILE(OUT) COMPRESS({}){exclude}",
        options.dsn.join(" "),
        options.compress
    );
    let job = Job::new().counting("control intervals").card(&card).dd("OUT", text);
    let status = job.run(session, &global)?;
    if let (Some(unfinished), Status::DONE) = (unfinished, status) {
        unfinished.finish()?;
    }
    Ok(status)
}

/// A file that has its name only when it is complete; until then it is called `NAME.unfinished`.
pub struct Unfinished {
    path: PathBuf,
    name: PathBuf,
}

impl Unfinished {
    /// For the file at `target`, which becomes the unfinished one. None for what is no regular file.
    pub fn of(target: &mut String) -> Option<Unfinished> {
        let name = PathBuf::from(&target);
        if std::fs::metadata(&name).is_ok_and(|m| !m.is_file()) {
            return None;
        }
        target.push_str(".unfinished");
        Some(Unfinished {
            path: PathBuf::from(&target),
            name,
        })
    }

    /// Its contents are complete and durable; now its name.
    pub fn finish(&self) -> io::Result<()> {
        std::fs::rename(&self.path, &self.name)?;
        let directory = self.name.parent().unwrap_or(Path::new("."));
        File::open(directory)?.sync_all()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // When it was finished there is nothing of that name.
        let _ = std::fs::remove_file(&self.path);
    }
}
