//! `cica import`: copies the records of a sequential file into a data set, which it defines where there is none.

use super::export::file;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::job::Job;
use crate::session::Session;
use crate::sort;
use cica_catalog::{CatalogError, Name, Volser};
use cica_disk::FileReader;
use cica_messages as messages;
use cica_qsam::{DdText, Reader};
use clap::Args;
use std::path::Path;

/// Copy a file into a data set, defining it where there is none
///
/// An empty data set is loaded, which needs records in key order (or --sort); into one with records they are inserted.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica import 'cards.bin,RECFM=FB,LRECL=80,CODEPAGE=1047' PAYROLL.MASTER --keys 8,0
  cica import lines.txt PAYROLL.NAMES --keys 4,0 --recordsize 60,500 --sort
  cica import lines.txt PAYROLL.LOG --organization esds
  cica import 'disk.img,RECFM=F,LRECL=4096' PAYROLL.PAGES --organization lds")]
pub struct Options {
    /// File, with RECFM= and so on behind commas as in a DD; without them lines of text; - is standard input
    file: String,
    /// Data set name
    dsn: String,
    #[command(flatten)]
    definition: Definition,
    /// Sort the records by key first, in memory
    #[arg(long)]
    sort: bool,
    /// A record whose key is there already replaces the one there
    #[arg(long)]
    replace: bool,
    /// Empty the data set first; it must have been defined with --reuse
    #[arg(long)]
    empty: bool,
    /// Give up after so many records in error
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u64).range(..=2_147_483_647))]
    errorlimit: u64,
}

/// What a data set is defined with, when there is none.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for a data set that is not there yet")]
struct Definition {
    /// Organization of the data set
    #[arg(long, value_enum, default_value = "ksds")]
    organization: Kind,
    /// Length of the key, and its offset in the record
    #[arg(long, value_name = "LENGTH,OFFSET", value_parser = pair)]
    keys: Option<(u64, u64)>,
    /// Average and longest record in bytes [default: what the file has]
    #[arg(long, value_name = "AVERAGE,LONGEST", value_parser = pair)]
    recordsize: Option<(u64, u64)>,
    /// Control interval size [default: chosen by VSAM's rules]
    #[arg(long, value_name = "BYTES")]
    cisz: Option<u64>,
    /// Percent left free in control intervals and control areas
    #[arg(long, value_name = "CI,CA", value_parser = pair)]
    freespace: Option<(u64, u64)>,
    /// Space: CYL, TRK, REC, KB or MB, primary and secondary quantity [default: what the file needs]
    #[arg(long, value_name = "CYL,5,1", value_parser = space)]
    space: Option<String>,
    /// Volume serial [default: the first volume]
    #[arg(long)]
    volume: Option<String>,
    /// Code page of the characters, such as 1047 [default: ASCII]
    #[arg(long)]
    ccsid: Option<u16>,
    /// Records may be longer than a control interval
    #[arg(long)]
    spanned: bool,
    /// The data set can be emptied by a later import
    #[arg(long)]
    reuse: bool,
}

/// Organization of a data set that is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Key-sequenced: --keys says where the key is
    Ksds,
    /// Entry-sequenced
    Esds,
    /// Relative: slots of the longest record's length
    Rrds,
    /// Relative, records of any length
    Vrrds,
    /// Linear: the file's records have 4,096 bytes
    Lds,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open_or_create(global)?;
    let name = Name::parse(&options.dsn)?;
    let (mut text, _) = file(&options.file, "/dev/stdin", global)?;
    let mut job = Job::new();
    match session.catalog.home(&name)?.get(&name) {
        Ok(_) => {}
        Err(CatalogError::NotFound { .. }) => job = job.card(&options.definition.card(&name, &text)?),
        Err(error) => return Err(error.into()),
    }
    // The sorted copy lives as long as this.
    let mut sorted = None;
    if options.sort {
        let copy = sort::sorted(&text, options.definition.shape(&session, &name)?)?;
        text = copy.text();
        sorted = Some(copy);
    }
    let flag = |on: bool, word: &'static str| if on { word } else { "" };
    let copy = format!(
        "IF LASTCC = 0 THEN REPRO INFILE(IN) OUTDATASET({name}) ERRORLIMIT({}){}{}",
        options.errorlimit,
        flag(options.replace, " REPLACE"),
        flag(options.empty, " REUSE"),
    );
    let status = job.card(&copy).dd("IN", text).run(session, global);
    drop(sorted);
    status
}

impl Definition {
    /// DEFINE CLUSTER for records like those of the file.
    fn card(&self, name: &Name, text: &DdText) -> Result<String, Failure> {
        let found = match (self.recordsize, &self.space) {
            (Some(_), Some(_)) => Measured::default(),
            _ => measure(text, self.recordsize.is_none())?,
        };
        let (average, longest) = self.recordsize.unwrap_or((found.average(), found.longest));
        let space = self.space.clone().unwrap_or_else(|| found.space(self.organization));
        let organization = match self.organization {
            Kind::Ksds => {
                let (length, offset) = self.keys.ok_or_else(|| no_keys(name))?;
                format!("INDEXED KEYS({length} {offset}) RECORDSIZE({average} {longest})")
            }
            Kind::Esds => format!("NONINDEXED RECORDSIZE({average} {longest})"),
            Kind::Rrds => format!("NUMBERED RECORDSIZE({longest} {longest})"),
            // An average below the longest is what makes it one.
            Kind::Vrrds => format!(
                "NUMBERED RECORDSIZE({} {longest})",
                average.min(longest.saturating_sub(1)).max(1)
            ),
            Kind::Lds => "LINEAR".to_owned(),
        };
        let mut card = format!("DEFINE CLUSTER (NAME({name}) {organization} {space}");
        if let Some((ci, ca)) = self.freespace {
            card += &format!(" FREESPACE({ci} {ca})");
        }
        if let Some(size) = self.cisz {
            card += &format!(" CONTROLINTERVALSIZE({size})");
        }
        if let Some(volume) = &self.volume {
            card += &format!(" VOLUMES({})", Volser::parse(volume).map_err(Failure::usage)?);
        }
        if let Some(ccsid) = self.ccsid {
            card += &format!(" CCSID({ccsid})");
        }
        card += if self.spanned { " SPANNED" } else { "" };
        card += if self.reuse { " REUSE" } else { "" };
        Ok(card + ")")
    }

    /// Where keys are and what code page characters are in, of the data set that is there or will be.
    fn shape(&self, session: &Session, name: &Name) -> Result<sort::Shape, Failure> {
        match (session.cluster(name.as_str()), self.keys) {
            (Ok(cluster), _) => {
                let keys = cluster.attributes.keys;
                let keys = keys.map_or((0, 0), |k| (k.offset as usize, usize::from(k.length)));
                Ok(sort::Shape {
                    offset: keys.0,
                    length: keys.1,
                    ccsid: cluster.attributes.ccsid,
                })
            }
            (Err(_), Some((length, offset))) => {
                let ccsid = self.ccsid.unwrap_or_default();
                Ok(sort::Shape {
                    offset: offset as usize,
                    length: length as usize,
                    ccsid,
                })
            }
            (Err(error), None) => Err(error),
        }
    }
}

fn no_keys(name: &Name) -> Failure {
    let text = format!(
        "{name} is not in the catalog; say where its keys are with --keys LENGTH,OFFSET to define it, or that it has \
         none with --organization"
    );
    Failure::new(Status::REFUSED, &messages::IDC3012I, text)
}

/// Counts of a file's records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Measured {
    records: u64,
    bytes: u64,
    longest: u64,
}

impl Measured {
    fn average(&self) -> u64 {
        self.bytes.div_ceil(self.records.max(1)).max(1)
    }

    /// Space for the records, and a tenth of it when that is used up.
    fn space(&self, organization: Kind) -> String {
        if organization == Kind::Lds {
            let primary = self.bytes.div_ceil(1024).max(48);
            return format!("KILOBYTES({primary} {})", primary.div_ceil(10).max(48));
        }
        let primary = self.records.clamp(1000, 16_777_215);
        format!("RECORDS({primary} {})", primary.div_ceil(10))
    }
}

/// Reads through a file to find out what its records are like.
fn measure(text: &DdText, must: bool) -> Result<Measured, Failure> {
    let cannot = |why: String| {
        Failure::new(
            Status::UNUSABLE,
            &messages::CICA0941E,
            format!("{}: {why}", text.target),
        )
    };
    let open = FileReader::open(&*cica_session::outside(), Path::new(&text.target));
    let open = open.map_err(|e| cannot(format!("{e}; name a file that is there")))?;
    if open.is_stream() {
        return if must {
            Err(Failure::usage(
                "the input can be read only once; say how long records are with --recordsize",
            ))
        } else {
            Ok(Measured::default())
        };
    }
    let mut found = Measured::default();
    let mut reader = Reader::new(open, &text.attributes).map_err(|e| Failure::from(e).at(&text.target))?;
    while let Some(record) = reader.next().map_err(|e| Failure::from(e).at(&text.target))? {
        found.records += 1;
        found.bytes += record.len() as u64;
        found.longest = found.longest.max(record.len() as u64);
    }
    if must && found.longest == 0 {
        return Err(Failure::usage(format!(
            "{} has no records; say how long they will be with --recordsize",
            text.target
        )));
    }
    Ok(found)
}

/// Two numbers with a comma between them.
fn pair(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("'{text}' is not two numbers with a comma between them, such as 8,0");
    let (first, second) = text.split_once(',').ok_or_else(wrong)?;
    let number = |t: &str| t.trim().parse::<u64>().map_err(|_| wrong());
    Ok((number(first)?, number(second)?))
}

/// A space parameter of DEFINE.
fn space(text: &str) -> Result<String, String> {
    let wrong = || format!("'{text}' is no space; write a unit and one or two quantities, such as CYL,5,1");
    let upper = text.to_ascii_uppercase();
    let (unit, quantities) = upper.split_once(',').ok_or_else(wrong)?;
    let units = ["CYL", "CYLINDERS", "TRK", "TRACKS", "REC", "RECORDS", "KB", "MB"];
    let numbers: Result<Vec<u64>, _> = quantities.split(',').map(|q| q.trim().parse()).collect();
    match numbers {
        Ok(numbers) if units.contains(&unit) && numbers.len() <= 2 => {
            let quantities: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            Ok(format!("{unit}({})", quantities.join(" ")))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_spaces_are_read_or_refused() {
        assert_eq!(pair("8,0"), Ok((8, 0)));
        assert_eq!(pair("60, 500"), Ok((60, 500)));
        assert_eq!(space("cyl,5,1"), Ok("CYL(5 1)".into()));
        assert_eq!(space("REC,1000"), Ok("REC(1000)".into()));
        for wrong in ["8", "8,", "a,b", "8,0,1", "-1,0"] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
        for wrong in ["5,1", "CYL", "CYL,x", "CYL,1,2,3", "ACRES,1"] {
            assert!(space(wrong).is_err(), "{wrong}");
        }
    }
}
