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
//! 2. A new generation comes into the catalog when it is complete on its volume, together with what rolls off: a run
//!    that fails, or dies, leaves the group as it was, and a file that the next run writes anew.

use super::define::default_volume;
use super::failure::{not_found, refused, Failure};
use super::generations::rolled_off;
use super::member::{check_entry, is_member};
use super::report::Report;
use super::trouble::{no_file, GAVE_UP};
use super::Services;
use cica_catalog::entry::{Gdg, History, NonVsam};
use cica_catalog::generation::{parse_relative, Generation};
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name};
use cica_disk::{FileReader, NewFile, Open};
use cica_qsam::{Attributes, DdText};
use std::collections::VecDeque;
use std::io::{self, Read};
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
}

#[derive(Debug)]
enum SequentialPlace {
    /// The file of a DD statement.
    Dd(String),
    /// Files of data sets, one after the other; the catalog and entry of the only one, to be written.
    DataSets(Vec<PathBuf>, Option<(Arc<Catalog>, Box<NonVsam>)>),
}

/// Files read one after the other.
pub struct Files(VecDeque<FileReader>);

impl Read for Files {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(file) = self.0.front_mut() {
            match file.read(buf)? {
                0 if !buf.is_empty() => drop(self.0.pop_front()),
                got => return Ok(got),
            }
        }
        Ok(0)
    }
}

impl Sequential {
    /// The file of a DD statement.
    pub fn of_dd(ddname: &str, text: &DdText) -> Sequential {
        Sequential {
            name: text.target.clone(),
            attributes: text.attributes,
            place: SequentialPlace::Dd(ddname.to_owned()),
        }
    }

    /// What the text of a DD statement names, if it is no cluster.
    pub fn of_text(services: &Services, ddname: &str, text: &DdText) -> Result<Sequential, Failure> {
        let stated = Some(text.attributes).filter(|_| text.attributes_stated);
        let data_set = Sequential::of_name(services, &text.target, stated)?;
        Ok(data_set.unwrap_or_else(|| Sequential::of_dd(ddname, text)))
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
        let data_sets = match (contents.get(&name), relative) {
            (Ok(Entry::Gdg(gdg)), Some(relative)) => {
                vec![generation(services, &contents, gdg, relative)?]
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
        of_data_sets(text, catalog, data_sets, stated).map(Some)
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
            SequentialPlace::DataSets(paths, _) => paths.iter().map(PathBuf::as_path).collect(),
        }
    }

    /// Opens what there is to be read.
    pub fn open(&self, services: &Services) -> Result<Files, Failure> {
        let files = match &self.place {
            SequentialPlace::Dd(ddname) => vec![services
                .dd
                .open(&*services.outside, ddname)
                .map_err(no_file(&self.name))?],
            SequentialPlace::DataSets(paths, _) => {
                let opened = |path| FileReader::plain(&*services.outside, path).map_err(no_file(&self.name));
                paths.iter().map(|path| opened(path)).collect::<Result<_, _>>()?
            }
        };
        Ok(Files(files.into()))
    }

    /// Opens the one file to be written.
    pub fn create(&self, services: &Services) -> Result<NewFile, Failure> {
        if self.is_many() {
            Err(refused(&self.many(), 140, 0).with_cc(GAVE_UP))
        } else {
            self.begin(services).map_err(no_file(&self.name))
        }
    }

    /// The same, in the system's words when it cannot be.
    pub fn begin(&self, services: &Services) -> io::Result<NewFile> {
        self.reclaim()?;
        match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.create(&services.outside, ddname),
            SequentialPlace::DataSets(paths, Some(_)) if !self.is_many() => {
                services.dd.create_data_set(&services.outside, &paths[0])
            }
            SequentialPlace::DataSets(..) => Err(io::Error::other(self.many())),
        }
    }

    /// Opens the one file to be written with something that nothing may follow in it.
    pub fn create_anew(&self, services: &Services) -> io::Result<NewFile> {
        self.reclaim()?;
        match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.create_anew(&services.outside, ddname),
            SequentialPlace::DataSets(paths, Some(_)) if !self.is_many() => {
                services.dd.create_data_set_anew(&services.outside, &paths[0])
            }
            SequentialPlace::DataSets(..) => Err(io::Error::other(self.many())),
        }
    }

    /// A file of its name that was to go with a generation that left is what is written now.
    fn reclaim(&self) -> io::Result<()> {
        let SequentialPlace::DataSets(_, Some((catalog, data_set))) = &self.place else {
            return Ok(());
        };
        let files = Entry::NonVsam((**data_set).clone()).files();
        let listed = |contents: &Contents| contents.leftovers().any(|leftover| files.contains(leftover));
        if !listed(&*catalog.contents().map_err(io::Error::other)?) {
            return Ok(());
        }
        let taken = catalog.transact(|contents| -> Result<(), CatalogError> {
            for (serial, file) in &files {
                contents.remove_leftover(serial, file);
            }
            Ok(())
        });
        taken.map_err(io::Error::other)
    }

    /// Whether what this run writes to it next goes behind what it has, or begins it anew.
    pub fn goes_on(&self, services: &Services, behind: bool) {
        match &self.place {
            SequentialPlace::Dd(ddname) => services.dd.goes_on(ddname, behind),
            SequentialPlace::DataSets(paths, _) => {
                let keys = paths.iter().map(|path| path.to_string_lossy());
                keys.for_each(|key| services.dd.goes_on(&key, behind));
            }
        }
    }

    /// Several data sets, one after the other, which can only be read.
    fn is_many(&self) -> bool {
        !matches!(
            &self.place,
            SequentialPlace::Dd(_) | SequentialPlace::DataSets(_, Some(_))
        )
    }

    fn many(&self) -> String {
        let name = &self.name;
        format!("{name} means all generations, and only one can be written: name it, as in {name}(+1)")
    }

    /// Would records of this format follow others that this run wrote to the data set in another format?
    pub fn follows_another_format(&self, services: &Services, attributes: &Attributes) -> bool {
        match &self.place {
            SequentialPlace::DataSets(paths, Some((_, data_set))) => {
                data_set.format != attributes.to_string() && paths.iter().any(|path| services.dd.wrote(path))
            }
            _ => false,
        }
    }

    /// What was written is complete: the catalog knows it and its format (2).
    pub fn complete(&self, services: &Services, attributes: &Attributes, out: &mut Report) -> Result<(), Failure> {
        let SequentialPlace::DataSets(paths, Some((catalog, data_set))) = &self.place else {
            return Ok(());
        };
        // The name of the file on its volume must be as durable as the entry that leads to it.
        for directory in paths.iter().filter_map(|path| path.parent()) {
            let how = Open {
                directory: true,
                ..Open::default()
            };
            let synced = services
                .disk
                .open(directory, how)
                .and_then(|directory| directory.sync());
            synced.map_err(|error| refused(&format!("{}: {error}", directory.display()), 24, 0))?;
        }
        let written = NonVsam {
            format: attributes.to_string(),
            ..(**data_set).clone()
        };
        let rolled = catalog.transact(|contents| match contents.get(&written.name) {
            Ok(there) if *there == Entry::NonVsam(written.clone()) => Ok(Vec::new()),
            Ok(_) => contents
                .replace(&written.name, Entry::NonVsam(written.clone()))
                .map(|()| Vec::new()),
            Err(_) => contents.add_generation(Entry::NonVsam(written.clone()), services.today()),
        })?;
        rolled_off(services, catalog, rolled, out);
        Ok(())
    }
}

fn of_data_sets(
    text: &str,
    catalog: Arc<Catalog>,
    data_sets: Vec<NonVsam>,
    stated: Option<Attributes>,
) -> Result<Sequential, Failure> {
    let mut paths = Vec::new();
    for data_set in &data_sets {
        let path = catalog.file_path(data_set)?.ok_or_else(|| {
            let words = format!("{} lies on a volume that is not one of this system", data_set.name);
            refused(&words, 68, 20)
        })?;
        paths.push(path);
    }
    let mut formats = data_sets.iter().map(|data_set| data_set.format.as_str());
    let format = formats.next().unwrap_or_default();
    if formats.any(|other| other != format) && stated.is_none() {
        let words = format!("generations of {text} differ in format; name them one by one");
        return Err(refused(&words, 140, 0));
    }
    let recorded = || {
        let parsed = DdText::parse(&format!("X,{format}")).map(|text| text.attributes);
        parsed.map_err(|error| refused(&format!("the format of {text} is unusable: {error}"), 140, 0))
    };
    let attributes = match (stated, format) {
        (Some(stated), _) => stated,
        (None, "") => Attributes::default(),
        _ => recorded()?,
    };
    let name = match data_sets.as_slice() {
        [one] => one.name.to_string(),
        _ => text.to_owned(),
    };
    let only = if data_sets.len() == 1 {
        data_sets.into_iter().next()
    } else {
        None
    };
    Ok(Sequential {
        name,
        attributes,
        place: SequentialPlace::DataSets(paths, only.map(|data_set| (catalog, Box::new(data_set)))),
    })
}

/// All generations in the order the group is read in.
fn all_generations(contents: &Contents, gdg: &Gdg) -> Result<Vec<NonVsam>, Failure> {
    let mut all: Vec<NonVsam> = Vec::new();
    for (_, entry) in contents.generations(&gdg.name) {
        match entry {
            Entry::NonVsam(data_set) => all.push(data_set.clone()),
            entry => return Err(is_vsams(entry.name())),
        }
    }
    if !gdg.fifo {
        all.reverse();
    }
    if all.is_empty() {
        let words = format!("{} has no generation", gdg.name);
        return Err(refused(&words, 8, 42).with_cc(GAVE_UP));
    }
    Ok(all)
}

/// The cluster that `BASE(n)` means, if that generation is one.
pub fn cluster_generation(services: &Services, text: &str) -> Result<Option<Name>, Failure> {
    let Some((base, number)) = parse_relative(text) else {
        return Ok(None);
    };
    let Ok(base) = Name::parse(base) else { return Ok(None) };
    let contents = services.home(&base)?.contents()?;
    if contents.gdg(&base).is_none() {
        return Ok(None);
    }
    let newest = services.dd.newest(&base, contents.newest(&base));
    Ok(match contents.relative_to(&base, newest, number) {
        Some(Entry::Cluster(cluster)) => Some(cluster.name.clone()),
        _ => None,
    })
}

/// Files of generations are read one after the other; a cluster among them is none.
fn is_vsams(name: &Name) -> Failure {
    let words = format!("{name} is no sequential file; name it by itself where a cluster may stand");
    refused(&words, 140, 0)
}

/// The generation that a relative number means (1); one that is not there yet with the attributes it will have.
fn generation(services: &Services, contents: &Contents, gdg: &Gdg, relative: i32) -> Result<NonVsam, Failure> {
    let base = &gdg.name;
    let newest = services.dd.newest(base, contents.newest(base));
    let none = || not_found(&format!("{base}({relative})")).with_cc(GAVE_UP);
    match contents.relative_to(base, newest, relative) {
        Some(Entry::NonVsam(data_set)) => return Ok(data_set.clone()),
        Some(entry) => return Err(is_vsams(entry.name())),
        None => {}
    }
    let steps = u16::try_from(relative)
        .ok()
        .filter(|steps| *steps > 0)
        .ok_or_else(none)?;
    let number = Generation::next(newest, steps);
    let volume = default_volume(contents)?;
    let name = number.name(base).map_err(|error| refused(&error, 140, 0))?;
    let device = contents.volume(&volume)?.device.name().to_owned();
    let volumes = vec![volume];
    Ok(NonVsam {
        file: contents.file_of_new(&volumes, &name),
        name,
        device,
        volumes,
        format: String::new(),
        sequence: String::new(),
        history: History::new(services.today()),
    })
}
