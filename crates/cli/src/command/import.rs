//! `cica import`: copies the records of a sequential file into a data set, which it defines where there is none.

use super::export::file;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::numbers::pair;
use crate::session::Session;
use crate::sort;
use crate::work::work;
use cica_admin::define::DefineCluster;
use cica_admin::named::Named;
use cica_admin::repro::Repro;
use cica_admin::stated::{Form, Stated};
use cica_catalog::entry::{Keys, RecordSize};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use cica_catalog::{CatalogError, Entry, Name, Volser};
use cica_disk::FileReader;
use cica_messages as messages;
use cica_qsam::{CodePage, DdText, Reader, RecordFormat};
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
    organization: OrganizationArg,
    /// Length of the key, and its offset in the record
    #[arg(long, value_name = "LENGTH,OFFSET", value_parser = pair::<u64>)]
    keys: Option<(u64, u64)>,
    /// Average and longest record in bytes [default: what the file has]
    #[arg(long, value_name = "AVERAGE,LONGEST", value_parser = pair::<u32>)]
    recordsize: Option<(u32, u32)>,
    /// Control interval size [default: chosen by VSAM's rules]
    #[arg(long, value_name = "BYTES")]
    cisz: Option<u32>,
    /// Percent left free in control intervals and control areas
    #[arg(long, value_name = "CI,CA", value_parser = pair::<u8>)]
    freespace: Option<(u8, u8)>,
    /// Space: CYL, TRK, REC, KB or MB, primary and secondary quantity [default: what the file needs]
    #[arg(long, value_name = "CYL,5,1", value_parser = space)]
    space: Option<Space>,
    /// Volume serial [default: the first volume]
    #[arg(long)]
    volume: Option<String>,
    /// Code page of the data set's characters, such as 1047 [default: ASCII]. Lines of text are
    /// translated into it, from ISO 8859-1 where CODEPAGE does not say otherwise
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
enum OrganizationArg {
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
    let definition = match session.catalog.home(&name)?.get(&name) {
        Ok(there) => {
            options.definition.agrees_with(&name, &there)?;
            None
        }
        Err(CatalogError::NotFound { .. }) => Some(options.definition.request(&name, &text)?),
        Err(error) => return Err(error.into()),
    };
    if text.attributes.recfm == RecordFormat::Text && options.definition.is_ebcdic(&session, &name) {
        // What people type into a file is no EBCDIC.
        text.attributes.codepage.get_or_insert(CodePage::Iso8859_1);
    }
    // The sorted copy lives as long as this.
    let mut sorted = None;
    if options.sort {
        let copy = sort::sorted(&text, options.definition.shape(&session, &name)?)?;
        text = copy.text();
        sorted = Some(copy);
    }
    let copy = Repro {
        replace: options.replace,
        reuse: options.empty,
        error_limit: Some(options.errorlimit),
        ..Repro::all(Named::Dd(IN.to_owned()), Named::DataSet(name.to_string()))
    };
    let status = work(session, global, |services| {
        services.dd.insert(IN, text);
        let defined = definition.map(|request| services.define_cluster(&request));
        let defined = defined.unwrap_or_default();
        match defined.condition {
            0 => {
                let copied = services.repro(&copy).without_result();
                defined.and(copied)
            }
            _ => defined,
        }
    });
    drop(sorted);
    status
}

impl Definition {
    /// What was said of keys and code page is what the data set has that is there. It would change nothing, and who
    /// said it believes otherwise.
    fn agrees_with(&self, name: &Name, there: &Entry) -> Result<(), Failure> {
        let Entry::Cluster(cluster) = there else {
            return Ok(());
        };
        let attributes = &cluster.attributes;
        let differs = |option: &str, said: String, has: String| {
            Failure::usage(format!(
                "{option} {said}: {name} is there and has {has}; leave {option} out, or delete {name} first"
            ))
        };
        let has_keys = (attributes.keys).map(|keys| (u64::from(keys.length), u64::from(keys.offset)));
        if let (Some((length, offset)), true) = (self.keys, self.keys != has_keys) {
            let has = has_keys.map_or("no key".to_owned(), |(length, offset)| format!("{length},{offset}"));
            return Err(differs("--keys", format!("{length},{offset}"), has));
        }
        match self.ccsid {
            Some(said) if said != attributes.ccsid => {
                Err(differs("--ccsid", said.to_string(), attributes.ccsid.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// DEFINE CLUSTER for records like those of the file.
    fn request(&self, name: &Name, text: &DdText) -> Result<DefineCluster, Failure> {
        let found = match (self.recordsize, &self.space) {
            (Some(_), Some(_)) => Measured::default(),
            _ => measure(text, self.recordsize.is_none())?,
        };
        let (average, longest) = self.recordsize.unwrap_or((found.average(), bounded(found.longest)));
        let form = match self.organization {
            OrganizationArg::Ksds => Form::Indexed,
            OrganizationArg::Esds => Form::NonIndexed,
            OrganizationArg::Rrds | OrganizationArg::Vrrds => Form::Numbered,
            OrganizationArg::Lds => Form::Linear,
        };
        let average = match self.organization {
            OrganizationArg::Rrds => longest,
            // An average below the longest is what makes it one.
            OrganizationArg::Vrrds => average.min(longest.saturating_sub(1)).max(1),
            _ => average,
        };
        let keys = match self.organization {
            OrganizationArg::Ksds => Some(self.keys.ok_or_else(|| no_keys(name))?),
            _ => None,
        };
        let has_records = self.organization != OrganizationArg::Lds;
        let volume = self.volume.as_deref().map(Volser::parse).transpose();
        Ok(DefineCluster {
            cluster: Stated {
                name: Some(name.to_string()),
                form: Some(form),
                keys: keys.map(|(length, offset)| Keys {
                    length: u16::try_from(length).unwrap_or(u16::MAX),
                    offset: bounded(offset),
                }),
                record_size: has_records.then_some(RecordSize {
                    average,
                    maximum: longest,
                }),
                space: Some(self.space.unwrap_or_else(|| found.space(self.organization))),
                free_space: self.freespace.map(|(ci, ca)| FreeSpace { ci, ca }),
                ci_size: self.cisz,
                volumes: volume
                    .map_err(Failure::usage)?
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
                ccsid: self.ccsid,
                spanned: self.spanned.then_some(true),
                reuse: self.reuse.then_some(true),
                ..Stated::default()
            },
            ..DefineCluster::default()
        })
    }

    /// Is the data set that is there or will be in EBCDIC?
    fn is_ebcdic(&self, session: &Session, name: &Name) -> bool {
        let there = session.cluster(name.as_str()).map(|cluster| cluster.attributes.ccsid);
        let page = CodePage::from_ccsid(there.ok().or(self.ccsid).unwrap_or_default());
        page.is_some_and(CodePage::is_ebcdic)
    }

    /// Where keys are and what code page characters are in, of the data set that is there or will be.
    fn shape(&self, session: &Session, name: &Name) -> Result<sort::SortKey, Failure> {
        match (session.cluster(name.as_str()), self.keys) {
            (Ok(cluster), _) => {
                let keys = cluster.attributes.keys;
                let keys = keys.map_or((0, 0), |k| (k.offset as usize, usize::from(k.length)));
                Ok(sort::SortKey {
                    offset: keys.0,
                    length: keys.1,
                    ccsid: cluster.attributes.ccsid,
                })
            }
            (Err(_), Some((length, offset))) => {
                let ccsid = self.ccsid.unwrap_or_default();
                Ok(sort::SortKey {
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
    fn average(&self) -> u32 {
        bounded(self.bytes.div_ceil(self.records.max(1)).max(1))
    }

    /// Space for the records, and a tenth of it when that is used up.
    fn space(&self, organization: OrganizationArg) -> Space {
        if organization == OrganizationArg::Lds {
            let primary = self.bytes.div_ceil(1024).max(48);
            return Space {
                unit: Unit::Kilobytes,
                primary,
                secondary: primary.div_ceil(10).max(48),
            };
        }
        if self.records == 0 {
            // What a pipe will bring nobody knows.
            return Space {
                unit: Unit::Megabytes,
                primary: 5,
                secondary: 50,
            };
        }
        let primary = self.records.clamp(1000, 16_777_215);
        Space {
            unit: Unit::Records,
            primary,
            secondary: primary.div_ceil(10),
        }
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

/// A length that no record has is refused by DEFINE, in words.
fn bounded(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Space: a unit and one or two quantities.
fn space(text: &str) -> Result<Space, String> {
    const UNITS: [(&[&str], Unit); 5] = [
        (&["CYL", "CYLINDERS"], Unit::Cylinders),
        (&["TRK", "TRACKS"], Unit::Tracks),
        (&["REC", "RECORDS"], Unit::Records),
        (&["KB"], Unit::Kilobytes),
        (&["MB"], Unit::Megabytes),
    ];
    let wrong = || format!("'{text}' is no space; write a unit and one or two quantities, such as CYL,5,1");
    let upper = text.to_ascii_uppercase();
    let (word, quantities) = upper.split_once(',').ok_or_else(wrong)?;
    let unit = UNITS.iter().find(|(words, _)| words.contains(&word));
    let numbers: Result<Vec<u64>, _> = quantities.split(',').map(|q| q.trim().parse()).collect();
    match (unit, numbers.as_deref()) {
        (Some((_, unit)), Ok([primary, rest @ ..])) if rest.len() <= 1 => Ok(Space {
            unit: *unit,
            primary: *primary,
            secondary: rest.first().copied().unwrap_or(0),
        }),
        _ => Err(wrong()),
    }
}

/// The DD name of the file.
const IN: &str = "IN";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_spaces_are_read_or_refused() {
        let of = |unit, primary, secondary| {
            Ok(Space {
                unit,
                primary,
                secondary,
            })
        };
        assert_eq!(pair::<u64>("8,0"), Ok((8, 0)));
        assert_eq!(pair::<u32>("60, 500"), Ok((60, 500)));
        assert_eq!(space("cyl,5,1"), of(Unit::Cylinders, 5, 1));
        assert_eq!(space("REC,1000"), of(Unit::Records, 1000, 0));
        for wrong in ["8", "8,", "a,b", "8,0,1", "-1,0"] {
            assert!(pair::<u64>(wrong).is_err(), "{wrong}");
        }
        for wrong in ["5,1", "CYL", "CYL,x", "CYL,1,2,3", "ACRES,1"] {
            assert!(space(wrong).is_err(), "{wrong}");
        }
    }
}
