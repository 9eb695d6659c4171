//! `cica export`: copies the records of a data set to a sequential file.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::work;
use cica_admin::named::Named;
use cica_admin::range::{Range, To};
use cica_admin::repro::Repro;
use cica_qsam::DdText;
use clap::Args;

/// Copy the records of a data set to a file
///
/// Lines of text are written in UTF-8, as by cat: those of a data set in EBCDIC are translated, of any other the
/// bytes go out as they are. CODEPAGE= behind the name of the file says another page. A record with a line end in
/// it is refused. A file that is there is replaced when all records are in the new one, and keeps its owner and mode;
/// one that Cica keeps data sets in, or that belongs to a catalog or volume, is never replaced.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica export PAYROLL.MASTER master.txt
  cica export PAYROLL.MASTER 'master.bin,RECFM=VB,LRECL=504,CODEPAGE=1047'
  cica export PAYROLL.MASTER - --quiet | wc -l")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// File, with RECFM= and so on behind commas as in a DD; without them lines of text; - is standard output
    file: String,
    /// End after so many records
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2_147_483_647))]
    count: Option<u64>,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let cluster = session.cluster(&options.dsn)?;
    let (mut text, global) = file(&options.file, "/dev/stdout", global)?;
    // As cat shows them, and import takes them.
    text.attributes.utf8 = true;
    const OUT: &str = "OUT";
    let from = Named::DataSet(cluster.name.to_string());
    let request = Repro {
        range: Range {
            to: options.count.map(To::Count).unwrap_or_default(),
            ..Range::default()
        },
        whole: true,
        ..Repro::all(from, Named::Dd(OUT.to_owned()))
    };
    work(session, &global, |services| {
        services.dd.insert(OUT, text);
        services.repro(&request).without_result()
    })
}

/// The DD text of a file argument. It always means a file, and `-` means `standard`, where messages would be in the
/// way of records.
pub fn file(argument: &str, standard: &str, global: &Global) -> Result<(DdText, Global), Failure> {
    let mut text = DdText::parse(argument).map_err(|e| Failure::from(e).at(argument))?;
    let mut global = global.clone();
    if text.target == "-" {
        text.target = standard.to_owned();
        global.quiet |= standard == "/dev/stdout";
    }
    // A name alone might be that of a data set; an absolute path never is.
    text.target = std::path::absolute(&text.target)?.to_string_lossy().into_owned();
    Ok((text, global))
}
