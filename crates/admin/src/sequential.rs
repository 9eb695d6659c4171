//! Sequential files, and how a name leads to one: a DD statement, a data set that is not VSAM's, or a generation.
//!
//! ```text
//! INFILE(IN)  --dd IN=cards.txt,RECFM=FB,LRECL=80     a file
//! INFILE(IN)  --dd IN=PAY.INPUT                       the file of a NONVSAM entry, in the format the entry says
//! INDATASET(PAY.HIST(0))                              the newest generation of a group; (-1) the one before
//! OUTDATASET(PAY.HIST(+1))                            a new generation
//! INDATASET(PAY.HIST)                                 all generations, one after the other
//! ```
//!
//! 1. Relative numbers count from the newest generation there was when the run first named the group: (+1) is the same
//!    data set throughout a run, and so is (0).
//! 2. A new generation comes into the catalog when it is complete on its volume, together with what rolls off, and its
//!    file has its name from then on (`newcomer`): a run that fails, or dies, leaves the group as it was. A file that it
//!    leaves is listed as a leftover, and the next run writes it anew.
//! 3. What is in the way of a new generation stays: a file that is not listed, and a generation of that number that
//!    another run has made since this one first named the group, be it a file or a cluster.
//! 4. A command that gives up leaves nothing of a new generation: what follows in its run begins it anew.
//! 5. The entry of a data set that was there before is changed in its format alone, and only while its file is the one
//!    that was written.

mod data_set;
mod generation;
mod newcomer;
mod reading;

pub use data_set::make;
pub use generation::cluster_generation;
pub use reading::{FileRecords, Files};

use super::dd::Writing;
use super::failure::{not_found, refused, Failure};
use super::member::{check_entry, is_member};
use super::report::Report;
use super::trouble::{no_file, GAVE_UP};
use super::Services;
use cica_catalog::entry::NonVsam;
use cica_catalog::generation::parse_relative;
use cica_catalog::{Catalog, Entry, Name};
use cica_disk::{FileReader, NewFile, Open};
use cica_qsam::{Attributes, DdText};
use data_set::{file_path, DataSet, Standing};
use generation::{all_generations, generation};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// See the module.
#[derive(Debug)]
pub struct Sequential {
    /// What messages call it.
    pub name: String,
    /// What its records are like.
    pub attributes: Attributes,
    place: SequentialPlace,
    /// DISP=MOD: what is written goes behind what it has.
    behind: bool,
}

#[derive(Debug)]
enum SequentialPlace {
    /// The file of a DD statement.
    Dd(String),
    /// The file of a data set.
    One(PathBuf, Box<DataSet>),
    /// Files of several data sets, one after the other, which can only be read.
    Many(Vec<PathBuf>),
}

impl Sequential {
    /// The file of a DD statement.
    pub fn of_dd(ddname: &str, text: &DdText) -> Sequential {
        Sequential {
            name: text.target.clone(),
            attributes: text.attributes,
            place: SequentialPlace::Dd(ddname.to_owned()),
            behind: text.behind,
        }
    }

    /// What the text of a DD statement names, if it is no cluster.
    pub fn of_text(services: &Services, ddname: &str, text: &DdText) -> Result<Sequential, Failure> {
        let data_set = Sequential::of_name_in(services, text)?;
        Ok(data_set.unwrap_or_else(|| Sequential::of_dd(ddname, text)))
    }

    /// What the text of a DD statement names, if that is a data set that is not VSAM's.
    pub fn of_name_in(services: &Services, text: &DdText) -> Result<Option<Sequential>, Failure> {
        let stated = Some(text.attributes).filter(|_| text.attributes_stated);
        let data_set = Sequential::of_name(services, &text.target, stated)?;
        Ok(data_set.map(|data_set| Sequential {
            behind: text.behind,
            ..data_set
        }))
    }

    /// What `text` names, if that is a generation, a group, or an entry that is not VSAM's. `stated`: attributes that a
    /// DD states; they go over what the entry says.
    pub fn of_name(services: &Services, text: &str, stated: Option<Attributes>) -> Result<Option<Sequential>, Failure> {
        let (base, relative) = match parse_relative(text) {
            Some((base, relative)) => (base, Some(relative)),
            None => (text, None),
        };
        if let (true, Ok(library)) = (is_member(text), Name::parse(text.split('(').next().unwrap_or_default())) {
            check_entry(&*services.home(&library)?.contents()?, text).map_err(|failure| failure.with_cc(GAVE_UP))?;
        }
        let Ok(name) = Name::parse(base) else {
            return Ok(None);
        };
        let catalog = services.home(&name)?;
        let contents = catalog.contents()?;
        let mut standing = Standing::There;
        let data_sets = match (contents.get(&name), relative) {
            (Ok(Entry::Gdg(gdg)), Some(relative)) => {
                let (data_set, stands) = generation(services, &contents, gdg, relative)?;
                standing = stands;
                vec![data_set]
            }
            (Ok(Entry::Gdg(gdg)), None) => all_generations(&contents, gdg)?,
            (Ok(Entry::NonVsam(data_set)), None) => vec![data_set.clone()],
            (Ok(Entry::Alias(alias)), None) => match contents.get(&contents.stands_for(alias)?) {
                Ok(Entry::NonVsam(data_set)) => vec![data_set.clone()],
                _ => return Ok(None),
            },
            (_, Some(_)) => return Err(not_found(&text).with_cc(GAVE_UP)),
            _ => return Ok(None),
        };
        of_data_sets(text, catalog, data_sets, standing, stated).map(Some)
    }

    /// Do both stand for the same file, under whatever names and links?
    pub fn is_same(&self, services: &Services, other: &Sequential) -> bool {
        let others = other.paths();
        let is_there = |path: &&Path| others.iter().any(|other| services.outside.is_same(path, other));
        self.paths().iter().any(is_there)
    }

    fn paths(&self) -> Vec<&Path> {
        match &self.place {
            SequentialPlace::Dd(_) => vec![Path::new(&self.name)],
            SequentialPlace::One(path, _) => vec![path.as_path()],
            SequentialPlace::Many(paths) => paths.iter().map(PathBuf::as_path).collect(),
        }
    }

    /// Opens what there is to be read.
    pub fn open(&self, services: &Services) -> Result<Files, Failure> {
        let opened = match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.open(&*services.outside, ddname).map(|file| vec![file]),
            _ => {
                let paths = self.paths().into_iter();
                paths.map(|path| FileReader::plain(&*services.outside, path)).collect()
            }
        };
        opened.map(Files::new).map_err(no_file(&self.name))
    }

    /// Opens the one file that records are to be written to.
    pub fn create(&self, services: &Services) -> Result<NewFile, Failure> {
        match &self.place {
            SequentialPlace::Many(_) => Err(refused(&self.many(), 140, 0).with_cc(GAVE_UP)),
            _ => self.begin(services, Writing::Records).map_err(unmade(&self.name)),
        }
    }

    /// The same, in the system's words when it cannot be.
    pub fn begin(&self, services: &Services, writing: Writing) -> io::Result<NewFile> {
        match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.create(&services.outside, ddname, writing),
            SequentialPlace::One(path, data_set) => match data_set.begin_new(services, path, writing)? {
                Some(new) => Ok(new),
                None => (services.dd).create_data_set(&services.outside, path, writing, self.behind),
            },
            SequentialPlace::Many(_) => Err(io::Error::other(self.many())),
        }
    }

    /// Opens the one file to be written with something that nothing may follow in it.
    pub fn create_anew(&self, services: &Services) -> io::Result<NewFile> {
        match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.create_anew(&services.outside, ddname),
            SequentialPlace::One(path, data_set) => match data_set.begin_new(services, path, Writing::Copy)? {
                Some(new) => Ok(new),
                None => (services.dd).create_data_set_anew(&services.outside, path, self.behind),
            },
            SequentialPlace::Many(_) => Err(io::Error::other(self.many())),
        }
    }

    /// What this run has written to it no longer counts as written by this run.
    pub fn forget_written(&self, services: &Services) {
        match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.forget_written(ddname),
            _ => {
                let keys = self.paths().into_iter().map(Path::to_string_lossy);
                keys.for_each(|key| services.dd.forget_written(&key));
            }
        }
    }

    fn many(&self) -> String {
        let name = &self.name;
        format!("{name} means all generations, and only one can be written: name it, as in {name}(+1)")
    }

    /// What the file is when records of up to `longest` bytes are written to it.
    pub fn taking(&self, services: &Services, longest: u32) -> Result<Attributes, Failure> {
        if self.attributes.recfm.is_fixed() {
            // A length that is not said is that of the records that are there.
            let attributes = self.with_more(services, self.attributes, Writing::Records)?;
            return Ok(attributes.completed_for(longest));
        }
        self.with_more(services, self.attributes.completed_for(longest), Writing::Records)
    }

    /// What the file is when records of these attributes are written to it, which may go behind others (6).
    pub fn with_more(
        &self,
        services: &Services,
        attributes: Attributes,
        writing: Writing,
    ) -> Result<Attributes, Failure> {
        let Some(there) = self.format_before(services, writing) else {
            return Ok(attributes);
        };
        there.followed_by(&attributes).ok_or_else(|| {
            let words = format!(
                "{} has records of another format, which these would follow; write them to a data set of their own",
                self.name
            );
            refused(&words, 140, 0).with_cc(GAVE_UP)
        })
    }

    /// The attributes of records behind which the next are written.
    fn format_before(&self, services: &Services, writing: Writing) -> Option<Attributes> {
        let SequentialPlace::One(path, data_set) = &self.place else {
            return None;
        };
        let is_new = matches!(data_set.standing, Standing::New(_));
        let is_behind = self.behind || services.dd.has_listing_before(path, writing);
        if is_new || !is_behind || is_empty(services, path) {
            return None;
        }
        recorded(&self.name, &data_set.entry.format).ok()
    }

    /// Is it a data set that has an entry already?
    pub fn is_there(&self) -> bool {
        matches!(&self.place, SequentialPlace::One(_, data_set) if matches!(data_set.standing, Standing::There))
    }

    /// What was written is complete: the catalog knows it and its format (2, 5).
    pub fn complete(&self, services: &Services, attributes: &Attributes, out: &mut Report) -> Result<(), Failure> {
        let SequentialPlace::One(path, data_set) = &self.place else {
            return Ok(());
        };
        data_set.complete(services, path, attributes, out)
    }
}

/// A file that cannot be begun; something may be in the way of it.
fn unmade(name: &str) -> impl Fn(io::Error) -> Failure + '_ {
    move |error| match error.kind() {
        io::ErrorKind::AlreadyExists => refused(&error, 8, 38).with_cc(GAVE_UP),
        _ => no_file(name)(error),
    }
}

/// Is nothing in a file? What cannot be read is told by who writes behind it.
fn is_empty(services: &Services, path: &Path) -> bool {
    let opened = services.outside.open(path, Open::default());
    opened.and_then(|file| file.size(None)).is_ok_and(|size| size == 0)
}

/// The attributes that an entry says.
fn recorded(name: &str, format: &str) -> Result<Attributes, Failure> {
    if format.is_empty() {
        return Ok(Attributes::default());
    }
    let parsed = DdText::parse(&format!("X,{format}")).map(|text| text.attributes);
    parsed.map_err(|error| refused(&format!("the format of {name} is unusable: {error}"), 140, 0))
}

fn of_data_sets(
    text: &str,
    catalog: Arc<Catalog>,
    mut data_sets: Vec<NonVsam>,
    standing: Standing,
    stated: Option<Attributes>,
) -> Result<Sequential, Failure> {
    let paths = data_sets.iter().map(|data_set| file_path(&catalog, data_set));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    let mut formats = data_sets.iter().map(|data_set| data_set.format.as_str());
    let format = formats.next().unwrap_or_default();
    if formats.any(|other| other != format) && stated.is_none() {
        let words = format!("generations of {text} differ in format; name them one by one");
        return Err(refused(&words, 140, 0));
    }
    let attributes = match stated {
        Some(stated) => stated,
        None => recorded(text, format)?,
    };
    let only = match data_sets.len() {
        1 => data_sets.pop().zip(paths.pop()),
        _ => None,
    };
    let (name, place) = match only {
        Some((entry, path)) => {
            let name = entry.name.to_string();
            let data_set = DataSet {
                catalog,
                entry,
                standing,
            };
            (name, SequentialPlace::One(path, Box::new(data_set)))
        }
        None => (text.to_owned(), SequentialPlace::Many(paths)),
    };
    Ok(Sequential {
        name,
        attributes,
        place,
        behind: false,
    })
}
