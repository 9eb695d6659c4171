//! ALLOCATE: gives a data set a DD name for the commands that follow, and makes it first when it is NEW.
//!
//! | status | the data set | what writes to the DD name |
//! |---|---|---|
//! | OLD, SHR, none | is in the catalog | begins a sequential file anew |
//! | MOD | is in the catalog | goes on behind what a sequential file has |
//! | NEW with RECORG, or LIKE a cluster | is defined as DEFINE CLUSTER would | loads it |
//! | NEW without | is entered as DEFINE NONVSAM would, with an empty file | begins it anew |
//!
//! A cluster is made by DEFINE CLUSTER: ALLOCATE fills its parameters in. A sequential data set has its file and its
//! entry at once, or neither, and no file that is there is written over. If the DD name cannot be had nothing is made.

use super::define::{default_volume, DefineCluster};
use super::failure::{not_found, refused, Failure};
use super::outcome::Outcome;
use super::report::Report;
use super::sequential::{self, Sequential};
use super::stated::{Form, Model, Retention, Stated, Tenure};
use super::Services;
use cica_catalog::entry::{History, Keys, NonVsam, RecordSize};
use cica_catalog::generation::parse_relative;
use cica_catalog::space::Space;
use cica_catalog::{Contents, Entry, Name, Volser};
use cica_messages::{CICA0909I, CICA0916E};
use cica_qsam::DdText;
use std::fmt::Write;

/// Condition code when nothing was allocated.
const FAILED: u8 = 12;

/// ALLOCATE.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Allocate {
    /// The DD name; none: one is made up.
    pub ddname: Option<String>,
    /// A data set, or a relative generation.
    pub data_set: String,
    /// REUSE: the DD name may be in use.
    pub reuse: bool,
    /// MOD: what is written goes on behind what a sequential file has.
    pub behind: bool,
    /// NEW: it is made.
    pub new: Option<NewDataSet>,
    /// RECFM of a sequential file.
    pub record_format: Option<String>,
    /// LRECL.
    pub record_length: Option<u32>,
    /// BLKSIZE.
    pub block_size: Option<u32>,
    /// RECORG: it is a cluster, whose records are reached so.
    pub form: Option<Form>,
}

/// What a data set is made as.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewDataSet {
    /// LIKE: a data set whose attributes it gets.
    pub like: Option<String>,
    /// DSORG or DSNTYPE says that it is not sequential and not VSAM's.
    pub partitioned: bool,
    /// KEYLEN and KEYOFF.
    pub keys: Option<Keys>,
    /// SPACE in a unit.
    pub space: Option<NewSpace>,
    /// VOLUME: serials; none: any.
    pub volumes: Vec<String>,
    /// RETPD or EXPDT.
    pub expires: Option<Retention>,
}

/// SPACE of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewSpace {
    /// In a unit of a device, or in records (AVGREC).
    In(Space),
    /// In blocks, which only sequential data sets have.
    Blocks,
}

/// A sequential data set has no space to be said, and a cluster's device type is its volume's.
const DEVICE_TYPE: &str = "SYSDA";

impl Services {
    /// Gives a data set a DD name for what follows, and makes it first when it is new.
    pub fn allocate(&mut self, request: &Allocate) -> Outcome {
        Outcome::of(|out| allocate(self, request, out).map_err(|failure| failure.with_cc(FAILED)))
    }
}

fn allocate(services: &mut Services, request: &Allocate, out: &mut Report) -> Result<u8, Failure> {
    let ddname = request.ddname.clone().unwrap_or_else(|| made_up(services));
    let ddname = ddname.as_str();
    let data_set = request.data_set.to_ascii_uppercase();
    if services.dd.has(ddname) && !request.reuse {
        return Err(Failure::new(&CICA0916E, &[("name", &ddname)]));
    }
    let text = dd_text(&data_set, request)?;
    if let Some(new) = &request.new {
        let condition = make(services, &data_set, request, new, out)?;
        if condition > 0 {
            return Ok(condition.max(FAILED));
        }
    }
    let sequential = there(services, ddname, &text)?;
    services.dd.insert(ddname, text);
    if let Some(file) = sequential {
        file.forget_written(services);
    }
    out.say(&CICA0909I, &[("name", &ddname), ("dataset", &data_set)]);
    Ok(0)
}

/// The DD statement that has the same effect.
fn dd_text(data_set: &str, request: &Allocate) -> Result<DdText, Failure> {
    let mut text = format!("'{}'", data_set.replace('\'', "''"));
    if let Some(format) = &request.record_format {
        let _ = write!(text, ",RECFM={}", format.replace(['(', ')', ',', ' '], ""));
    }
    if request.form.is_none() {
        let sizes = [("LRECL", request.record_length), ("BLKSIZE", request.block_size)];
        for (keyword, size) in sizes {
            if let Some(size) = size {
                let _ = write!(text, ",{keyword}={size}");
            }
        }
    }
    let text = DdText::parse(&text).map_err(|error| refused(&error, 140, 0))?;
    Ok(DdText {
        behind: request.behind,
        ..text
    })
}

/// Is there something of this name? The file, if it is no cluster.
fn there(services: &Services, ddname: &str, text: &DdText) -> Result<Option<Sequential>, Failure> {
    let of_name = Sequential::of_name(services, &text.target, Some(text.attributes))?;
    if of_name.is_some() {
        return Ok(of_name);
    }
    let name = Name::parse(&text.target).map_err(|error| refused(&error, 140, 0))?;
    let contents = services.home(&name)?.contents()?;
    match cica_session::reach(&contents, &name) {
        Ok(_) => Ok(None),
        Err(error) if error.is_not_found() => Err(not_found(&format!("{} (FILE {ddname})", text.target))),
        Err(error) => Err(refused(&error, 140, 0)),
    }
}

/// A DD name that nobody has, for an ALLOCATE without FILE.
fn made_up(services: &Services) -> String {
    let names = (1..100_000).map(|number| format!("SYS{number:05}"));
    let mut free = names.filter(|name| !services.dd.has(name));
    free.next().unwrap_or_default()
}

/// Makes a new data set, as DEFINE would; the condition code.
fn make(
    services: &mut Services,
    data_set: &str,
    request: &Allocate,
    new: &NewDataSet,
    out: &mut Report,
) -> Result<u8, Failure> {
    let wrong = |words: &str| refused(&words, 140, 0);
    if parse_relative(data_set).is_some() {
        return Err(wrong(
            "the generation is made when something is written to it: leave NEW and its space out",
        ));
    }
    if new.partitioned {
        return Err(wrong("only DSORG(PS), and RECORG for VSAM, can be made here"));
    }
    let name = Name::parse(data_set).map_err(|error| refused(&error, 140, 0))?;
    let like = match &new.like {
        Some(text) => {
            let name = Name::parse(text).map_err(|error| refused(&error, 140, 0))?;
            Some(services.home(&name)?.get(&name)?)
        }
        None => None,
    };
    let mut volumes = new.volumes.clone();
    if volumes.is_empty() {
        volumes.push("*".to_owned());
    }
    let tenure = Tenure {
        owner: None,
        expires: new.expires,
    };
    match (request.form, &like) {
        (None, None | Some(Entry::NonVsam(_))) => make_file(services, name, &volumes, &tenure, out).map(|()| 0),
        _ => {
            let cluster = Stated {
                name: Some(name.to_string()),
                volumes,
                tenure,
                ..cluster(request, new, like.as_ref())?
            };
            let defined = services.define_cluster(&DefineCluster {
                cluster,
                ..DefineCluster::default()
            });
            out.extend(defined.messages);
            Ok(defined.condition)
        }
    }
}

/// A sequential data set with an empty file.
fn make_file(
    services: &Services,
    name: Name,
    volumes: &[String],
    tenure: &Tenure,
    out: &mut Report,
) -> Result<(), Failure> {
    let mut history = History::new(services.today());
    tenure.put(&mut history, services.today())?;
    let catalog = services.home(&name)?;
    let contents = catalog.contents()?;
    let volumes = serials(&contents, volumes)?;
    let data_set = NonVsam {
        file: contents.file_of_new(&volumes, &name),
        volumes,
        device: DEVICE_TYPE.to_owned(),
        format: String::new(),
        sequence: String::new(),
        history,
        name,
    };
    sequential::make(services, &catalog, &data_set, out)
}

/// Serials as written; `*` is any.
fn serials(contents: &Contents, volumes: &[String]) -> Result<Vec<Volser>, Failure> {
    let serial = |text: &String| match text.as_str() {
        "*" => default_volume(contents),
        text => Volser::parse(text).map_err(|error| refused(&error, 140, 0)),
    };
    volumes.iter().map(serial).collect()
}

fn cluster(request: &Allocate, new: &NewDataSet, like: Option<&Entry>) -> Result<Stated, Failure> {
    let space = match new.space {
        None => None,
        Some(NewSpace::In(space)) => Some(Space {
            // What RECORDS takes at most.
            primary: space.primary.min(RECORDS_MAX),
            secondary: space.secondary.min(RECORDS_MAX),
            ..space
        }),
        Some(NewSpace::Blocks) => {
            let words = "say CYLINDERS, TRACKS or AVGREC beside SPACE: blocks are of sequential data sets";
            return Err(refused(&words, 140, 0));
        }
    };
    Ok(Stated {
        model: like.map(|like| Model {
            entry: like.name().to_string(),
            catalog: None,
        }),
        form: request.form,
        keys: new.keys,
        record_size: request.record_length.map(|length| RecordSize {
            average: length,
            maximum: length,
        }),
        space,
        ..Stated::default()
    })
}

/// What RECORDS takes at most; more tracks or cylinders no volume has.
const RECORDS_MAX: u64 = 16_777_215;
