//! Opening what REPRO, PRINT, VERIFY and EXAMINE name: clusters of the catalog, and sequential files behind a ddname.
//!
//! A ddname stands for a cluster when its text is a name of the catalog and states no attributes of a file; for a data
//! set that is not VSAM's, or a generation, when it is the name of one; otherwise for a file.

use super::dd::NoDd;
use super::failure::{self, Failure};
use super::input::Input;
use super::named::Named;
use super::output::Output;
use super::report::Report;
use super::sequential::{cluster_generation, FileRecords, Sequential};
use super::trouble::{open_code, GAVE_UP, NO_DD, NO_FILE};
use super::Services;
use cica_catalog::entry::EntryKind;
use cica_catalog::{Catalog, CatalogError, Cluster, Contents, Entry, Name};
use cica_engine::{Access, DataSet, OpenOptions};
use cica_messages::{CICA0908E, CICA0941E, CICA0949E};
use cica_qsam::{QsamError, Writer};
use cica_session::{Reached, SessionError};
use std::path::PathBuf;

/// What a parameter names.
#[derive(Debug)]
pub enum ClusterOrFile {
    /// A cluster of the catalog.
    Cluster(Box<Reached>),
    /// A sequential file.
    File(Box<Sequential>),
}

impl ClusterOrFile {
    /// What a request names.
    pub fn named(services: &Services, named: &Named) -> Result<ClusterOrFile, Failure> {
        match named {
            Named::DataSet(name) => match generation_or_file(services, name)? {
                Some(target) => Ok(target),
                None => cluster(services, name).map(ClusterOrFile::Cluster),
            },
            Named::Dd(ddname) => of_dd(services, ddname),
        }
    }

    /// Data set name, or file name.
    pub fn name(&self) -> String {
        match self {
            ClusterOrFile::Cluster(cluster) => cluster.asked_name().to_string(),
            ClusterOrFile::File(file) => file.name.clone(),
        }
    }

    /// Do both stand for the same records?
    pub fn is_same(&self, services: &Services, other: &ClusterOrFile) -> bool {
        match (self, other) {
            // Through another path they are the same records too.
            (ClusterOrFile::Cluster(a), ClusterOrFile::Cluster(b)) => a.name == b.name,
            (ClusterOrFile::File(a), ClusterOrFile::File(b)) => a.is_same(services, b),
            _ => false,
        }
    }

    /// Opens it to be read.
    pub fn open_input(&self, services: &Services) -> Result<Input, Failure> {
        match self {
            ClusterOrFile::Cluster(cluster) => {
                let data_set = records(services, cluster, OpenOptions::default())?;
                Ok(Input::cluster(self.name(), data_set))
            }
            ClusterOrFile::File(file) => {
                let files = file.open(services)?;
                let records = FileRecords::new(files, &file.attributes).map_err(of_file(&file.name))?;
                Ok(Input::file(self.name(), records, file.attributes))
            }
        }
    }

    /// Opens it to be written with records of `input`, and knows then what a file of them is like. `reuse`: a data set is emptied first.
    pub fn open_output(
        &mut self,
        services: &Services,
        input: &Input,
        reuse: bool,
        replace: bool,
    ) -> Result<Output, Failure> {
        match self {
            ClusterOrFile::Cluster(cluster) => {
                if replace {
                    takes_replacements(cluster)?;
                }
                let options = OpenOptions {
                    access: Access::Output,
                    reset: reuse,
                    ..OpenOptions::default()
                };
                let data_set = records(services, cluster, options)?;
                Ok(Output::cluster(self.name(), data_set, replace))
            }
            ClusterOrFile::File(sequential) => {
                let attributes = sequential.taking(services, input.longest())?;
                let checked = attributes.check().map_err(QsamError::from);
                checked.map_err(of_file(&sequential.name))?;
                let file = sequential.create(services)?;
                let writer = Writer::new(file, &attributes).map_err(of_file(&sequential.name))?;
                let writer = match input.text_page() {
                    Some(page) => writer.translated_from(page),
                    None => writer,
                };
                sequential.attributes = attributes;
                Ok(Output::file(sequential.name.clone(), writer, attributes.codepage))
            }
        }
    }
}

impl ClusterOrFile {
    /// Is it a data set with an entry, whose file is replaced?
    pub fn is_there(&self) -> bool {
        matches!(self, ClusterOrFile::File(file) if file.is_there())
    }

    /// What was written to it is complete and closed.
    pub fn complete(&self, services: &Services, out: &mut Report) -> Result<(), Failure> {
        match self {
            ClusterOrFile::Cluster(_) => Ok(()),
            ClusterOrFile::File(file) => file.complete(services, &file.attributes, out),
        }
    }
}

/// REPLACE: through an alternate index there are two keys a record could be replaced by, and neither alone will do.
fn takes_replacements(cluster: &Reached) -> Result<(), Failure> {
    let Some(way) = &cluster.way else {
        return Ok(());
    };
    Err(Failure::new(
        &CICA0949E,
        &[
            ("name", cluster.asked_name()),
            ("index", &way.name),
            ("base", &cluster.name),
        ],
    ))
}

/// The cluster of a name, or the one an alias or path of this name leads to.
pub fn cluster(services: &Services, name: &str) -> Result<Box<Reached>, Failure> {
    let parsed = Name::parse(name).map_err(|_| failure::not_found(&name))?;
    let contents = services.home(&parsed)?.contents()?;
    let cluster = cica_session::reach(&contents, &parsed).map_err(|error| not_reached(name, error))?;
    Ok(Box::new(cluster))
}

/// The entry of a name: a path or alias of this name leads to another.
pub fn of_name<'c>(contents: &'c Contents, name: &Name) -> Result<&'c Entry, Failure> {
    let mut at = contents.get(name)?;
    // Each step leads to another entry, so there are no more than these.
    for _ in contents.entries() {
        at = match at {
            Entry::Alias(alias) => contents.get(&contents.stands_for(alias)?)?,
            Entry::Path(path) => contents.get(&path.target)?,
            _ => break,
        };
    }
    Ok(at)
}

/// The records of a cluster: here, or where they are shared.
fn records(services: &Services, cluster: &Reached, options: OpenOptions) -> Result<DataSet, Failure> {
    let catalog = services.home(&cluster.name)?;
    (services.opens)
        .open(&services.engine, cluster.asked_name(), &catalog, cluster, options)
        .map_err(|error| not_reached(cluster.name.as_str(), error))
}

/// A data set to be looked at: of this process alone, or of the one that shares it.
pub fn to_check(services: &Services, cluster: &Reached, options: OpenOptions) -> Result<DataSet, Failure> {
    let catalog = services.home(&cluster.name)?;
    (services.opens)
        .open_to_check(&services.engine, &catalog, cluster, options)
        .map_err(|error| not_reached(cluster.name.as_str(), error))
}

/// An open data set of a cluster, of this process alone.
pub fn data_set(services: &Services, cluster: &Reached, options: OpenOptions) -> Result<DataSet, Failure> {
    let catalog = services.home(&cluster.name)?;
    cica_session::open(&catalog, &services.engine, cluster, options)
        .map_err(|error| not_reached(cluster.name.as_str(), error))
}

/// Files of the data and index components of a cluster of this catalog.
pub fn files(catalog: &Catalog, cluster: &Cluster) -> Result<(PathBuf, PathBuf), Failure> {
    cica_session::files(catalog, cluster).map_err(|error| not_reached(cluster.name.as_str(), error))
}

/// Why a name does not lead to records, in IDCAMS's words.
pub fn not_reached(name: &str, error: SessionError) -> Failure {
    match error {
        SessionError::Catalog(CatalogError::NotFound { name }) => failure::not_found(&name).with_cc(GAVE_UP),
        SessionError::Catalog(error @ CatalogError::Symbolic { .. }) => Failure::from(error).with_cc(GAVE_UP),
        SessionError::Catalog(error) => error.into(),
        SessionError::Circle { .. } => {
            failure::refused(&error.to_string().to_ascii_uppercase(), 8, 42).with_cc(GAVE_UP)
        }
        SessionError::NoRecords { name, kind } => no_records(&name, kind),
        SessionError::Component { .. } => open_code(name, error.acberflg(), &error.to_string().to_ascii_uppercase()),
        _ => open_code(name, error.acberflg(), &error),
    }
}

/// A generation, or a data set that is not VSAM's.
fn generation_or_file(services: &Services, text: &str) -> Result<Option<ClusterOrFile>, Failure> {
    if let Some(name) = cluster_generation(services, text)? {
        return cluster(services, name.as_str()).map(|cluster| Some(ClusterOrFile::Cluster(cluster)));
    }
    let file = Sequential::of_name(services, text, None)?;
    Ok(file.map(|file| ClusterOrFile::File(Box::new(file))))
}

fn of_dd(services: &Services, ddname: &str) -> Result<ClusterOrFile, Failure> {
    let text = services.dd.get(ddname).map_err(|missing| no_dd(ddname, missing))?;
    if let Some(name) = cluster_generation(services, &text.target)? {
        return cluster(services, name.as_str()).map(ClusterOrFile::Cluster);
    }
    if let Some(file) = Sequential::of_name_in(services, text)? {
        return Ok(ClusterOrFile::File(Box::new(file)));
    }
    if !text.attributes_stated {
        if let Ok(name) = Name::parse(&text.target) {
            if services.home(&name)?.contents()?.find(&name).is_some() {
                return cluster(services, name.as_str()).map(ClusterOrFile::Cluster);
            }
        }
    }
    Ok(ClusterOrFile::File(Box::new(Sequential::of_dd(ddname, text))))
}

/// There is no such DD statement, or its text is wrong.
pub fn no_dd(ddname: &str, missing: NoDd<'_>) -> Failure {
    match missing {
        NoDd::Missing { ddname } => {
            let words = format!("THERE IS NO DD STATEMENT {ddname}; GIVE --dd {ddname}=FILE");
            open_code(ddname, NO_DD, &words)
        }
        NoDd::Wrong { why } => open_code(ddname, NO_FILE, &why),
    }
}

fn no_records(name: &Name, kind: EntryKind) -> Failure {
    let item = format!("ACCESS TO RECORDS OF {name}");
    let reason = format!("it is a {} and has none", kind.word());
    Failure::new(&CICA0908E, &[("item", &item), ("reason", &reason)])
}

fn of_file(name: &str) -> impl Fn(QsamError) -> Failure + '_ {
    move |error| Failure::new(&CICA0941E, &[("name", &name), ("reason", &error)])
}
