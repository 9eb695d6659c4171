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
use cica_format::attributes::Organization;
use cica_messages as messages;
use cica_qsam::{CodePage, DdText, Reader, RecordFormat};
use clap::{Args, ValueEnum};
use std::path::Path;

/// Copy a file into a data set, defining it where there is none
///
/// Lines of text are taken in UTF-8, as by put: into a data set in EBCDIC they are translated, into any other their
/// bytes go as they are. CODEPAGE= behind the name of the file says that it is in another page.
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
    /// Organization of the data set [default: ksds]
    #[arg(long, value_enum)]
    organization: Option<OrganizationArg>,
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
    /// translated into an EBCDIC one, from UTF-8 where CODEPAGE does not say otherwise
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

impl OrganizationArg {
    fn of(organization: Organization) -> Option<OrganizationArg> {
        Some(match organization {
            Organization::Ksds => OrganizationArg::Ksds,
            Organization::Esds => OrganizationArg::Esds,
            Organization::Rrds => OrganizationArg::Rrds,
            Organization::Vrrds => OrganizationArg::Vrrds,
            Organization::Lds => OrganizationArg::Lds,
            _ => return None,
        })
    }

    fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open_or_create(global)?;
    let name = Name::parse(&options.dsn)?;
    let (mut text, _) = file(&options.file, "/dev/stdin", global)?;
    let page = options.definition.page(&session, &name, &text)?;
    // What people type into a file is no EBCDIC. Where a code page is stated, bytes are converted from it.
    text.attributes.utf8 = true;
    let definition = match session.catalog.home(&name)?.get(&name) {
        Ok(there) => {
            options.definition.agrees_with(&name, &there)?;
            None
        }
        Err(CatalogError::NotFound { .. }) => Some(options.definition.request(&name, &text, page)?),
        Err(error) => return Err(error.into()),
    };
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
                let mut copied = services.repro(&copy);
                // Who keeps nothing but the file that was imported has lost them, whatever REPRO ends with.
                if copied.result.refused > copied.result.duplicates {
                    copied.condition = copied.condition.max(Status::REFUSED.0);
                }
                defined.and(copied.without_result())
            }
            _ => defined,
        }
    });
    drop(sorted);
    status
}

impl Definition {
    /// What was said is what the data set has that is there. It would change nothing, and who said it believes
    /// otherwise. Its space and its record size may have grown since.
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
        if let Some(said) = self.ccsid.filter(|said| *said != attributes.ccsid) {
            return Err(differs("--ccsid", said.to_string(), attributes.ccsid.to_string()));
        }
        let organization = OrganizationArg::of(cluster.organization);
        if let Some(said) = self.organization.filter(|said| Some(*said) != organization) {
            let has = organization.map_or_else(|| "another".to_owned(), OrganizationArg::word);
            return Err(differs("--organization", said.word(), has));
        }
        let volumes: Vec<String> = cluster.data.volumes.iter().map(ToString::to_string).collect();
        let has = |said: &&String| volumes.contains(&said.to_ascii_uppercase());
        if let Some(said) = self.volume.as_ref().filter(|said| !has(said)) {
            return Err(differs(
                "--volume",
                said.clone(),
                format!("the volume {}", volumes.join(" ")),
            ));
        }
        // DEFINE rounds it up.
        let has = cluster.data.ci_size;
        let rounded = |said: u32| said.checked_next_multiple_of(if said > 8192 { 2048 } else { 512 });
        if let Some(said) = self.cisz.filter(|said| *said != has && rounded(*said) != Some(has)) {
            return Err(differs("--cisz", said.to_string(), has.to_string()));
        }
        let has = (cluster.data.free_space.ci, cluster.data.free_space.ca);
        // Without an index it has no effect, as DEFINE says.
        let counts = cluster.index.is_some();
        if let Some((ci, ca)) = self.freespace.filter(|said| counts && *said != has) {
            return Err(differs(
                "--freespace",
                format!("{ci},{ca}"),
                format!("{},{}", has.0, has.1),
            ));
        }
        for (option, said, has) in [
            ("--spanned", self.spanned, attributes.spanned),
            ("--reuse", self.reuse, attributes.reuse),
        ] {
            if said && !has {
                return Err(Failure::usage(format!(
                    "{option}: {name} is there and was defined without it; leave {option} out, or delete {name} first"
                )));
            }
        }
        Ok(())
    }

    fn organization(&self) -> OrganizationArg {
        self.organization.unwrap_or(OrganizationArg::Ksds)
    }

    /// DEFINE CLUSTER for records like those of the file.
    fn request(&self, name: &Name, text: &DdText, page: Option<CodePage>) -> Result<DefineCluster, Failure> {
        let found = match (self.recordsize, &self.space) {
            (Some(_), Some(_)) => Measured::default(),
            _ => measure(text, page, self.recordsize.is_none())?,
        };
        let (average, longest) = self.recordsize.unwrap_or((found.average(), bounded(found.longest)));
        let form = match self.organization() {
            OrganizationArg::Ksds => Form::Indexed,
            OrganizationArg::Esds => Form::NonIndexed,
            OrganizationArg::Rrds | OrganizationArg::Vrrds => Form::Numbered,
            OrganizationArg::Lds => Form::Linear,
        };
        let average = match self.organization() {
            OrganizationArg::Rrds => longest,
            // An average below the longest is what makes it one.
            OrganizationArg::Vrrds => average.min(longest.saturating_sub(1)).max(1),
            _ => average,
        };
        let keys = match self.organization() {
            OrganizationArg::Ksds => Some(self.keys.ok_or_else(|| no_keys(name))?),
            _ => None,
        };
        let has_records = self.organization() != OrganizationArg::Lds;
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
                space: Some(self.space.unwrap_or_else(|| found.space(self.organization()))),
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

    /// The page of the data set that is there or will be; none: one whose characters nobody knows.
    fn page(&self, session: &Session, name: &Name, text: &DdText) -> Result<Option<CodePage>, Failure> {
        let there = session.cluster(name.as_str()).map(|cluster| cluster.attributes.ccsid);
        if let (Err(_), Some(ccsid)) = (&there, self.ccsid.filter(|ccsid| *ccsid != 0)) {
            let is_translated = text.attributes.recfm == RecordFormat::Text || text.attributes.codepage.is_some();
            if is_translated && CodePage::from_ccsid(ccsid).is_none() {
                let known = CodePage::ALL.map(|page| page.ccsid().to_string()).join(", ");
                return Err(Failure::usage(format!(
                    "--ccsid {ccsid}: nothing is translated into this page; say one of {known}, or leave --ccsid out to \
                     store the bytes as they are"
                )));
            }
        }
        let ccsid = there.ok().or(self.ccsid).unwrap_or_default();
        Ok(CodePage::from_ccsid(ccsid))
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

/// Reads through a file to find out what its records are like in a data set with characters in `page`.
fn measure(text: &DdText, page: Option<CodePage>, must: bool) -> Result<Measured, Failure> {
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
    let reader = Reader::new(open, &text.attributes).map_err(|e| Failure::from(e).at(&text.target))?;
    let mut reader = reader.translated_to(page.unwrap_or(CodePage::Iso8859_1));
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
