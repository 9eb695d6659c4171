//! DIAGNOSE: does a catalog say the same as the files on its volumes?
//!
//! ICFCATALOG goes from the entries to the files: each must be there, readable, and carry the names of its entry;
//! what an entry relates to must exist; and what volumes keep of the catalog must be what it says. Files that are to be
//! removed are named while a catalog that cannot be asked keeps them. VVDS goes from the
//! files of one volume, named SYS1.VVDS.Vserial, to the entries of all catalogs. Records are not read; EXAMINE does
//! that.

use super::failure::{refused, Failure};
use super::named::Named;
use super::outcome::Outcome;
use super::report::Report;
use super::Services;
use cica_catalog::staging::VolumeFile;
use cica_catalog::{Catalog, Contents, Entry, Level, Mask, Name, Volser, Volume};
use cica_disk::Open;
use cica_messages::{CICA0980I, CICA0981E, CICA0982I, IDC3012I};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// ERRORLIMIT when it is not given.
const ERROR_LIMIT: u64 = 16;
/// Condition code when a name of INCLUDE means nothing.
const MISSING: u8 = 8;

/// DIAGNOSE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnose {
    /// What is looked at.
    pub subject: Subject,
    /// What it is compared with: names of volumes as in [`Subject::Volume`] for a catalog, catalogs for a volume; all
    /// there are when none is named.
    pub compared: Vec<Named>,
    /// Which entries are looked at.
    pub choice: DiagnoseFilter,
    /// LIST: entries without error are told too.
    pub list: bool,
    /// ERRORLIMIT: how many errors are told; 16 when nothing is said.
    pub error_limit: Option<u64>,
}

/// What DIAGNOSE begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// ICFCATALOG: the entries of a catalog.
    Catalog(Named),
    /// VVDS: the files of a volume, which SYS1.VVDS.Vserial stands for.
    Volume(Named),
}

/// INCLUDE and EXCLUDE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DiagnoseFilter {
    /// All entries.
    #[default]
    All,
    /// Those that are meant.
    Only(Meant),
    /// All but those.
    Except(Meant),
}

/// Entries that are meant, by any of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meant {
    /// ENTRIES: names and masks.
    pub entries: Vec<String>,
    /// LEVEL: all below these qualifiers.
    pub levels: Vec<String>,
    /// CATALOG: all of these catalogs.
    pub catalogs: Vec<String>,
}

/// What DIAGNOSE found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Diagnosed {
    /// Volumes, entries and files that were looked at.
    pub checked: u64,
    /// Those of them that are not as they must be.
    pub errors: u64,
}

impl Services {
    /// Compares a catalog with its volumes, or a volume with catalogs.
    pub fn diagnose(&mut self, request: &Diagnose) -> Outcome<Diagnosed> {
        Outcome::with(|out| diagnose(self, request, out).map_err(|failure| failure.with_cc(12)))
    }
}

fn diagnose(services: &Services, request: &Diagnose, out: &mut Report) -> Result<(u8, Diagnosed), Failure> {
    let mut report = DiagnoseFindings {
        list: request.list,
        limit: request.error_limit.unwrap_or(ERROR_LIMIT),
        found: Diagnosed::default(),
        missing: 0,
        out,
    };
    match &request.subject {
        Subject::Volume(named) => volume(services, named, request, &mut report)?,
        Subject::Catalog(named) => catalog(services, named, request, &mut report)?,
    }
    Ok(report.end())
}

/// What was found so far.
struct DiagnoseFindings<'a> {
    list: bool,
    limit: u64,
    found: Diagnosed,
    /// Condition code of names that mean nothing.
    missing: u8,
    out: &'a mut Report,
}

impl DiagnoseFindings<'_> {
    fn put(&mut self, kind: &str, name: &dyn Display, found: Result<(), String>) {
        self.found.checked += 1;
        match found {
            Ok(()) if self.list => self.out.say(&CICA0980I, &[("kind", &kind), ("name", name)]),
            Ok(()) => {}
            Err(reason) => {
                self.found.errors += 1;
                // As many are told as were asked for; all are counted.
                if self.found.errors <= self.limit {
                    let inserts: [(&str, &dyn Display); 3] = [("kind", &kind), ("name", name), ("reason", &reason)];
                    self.out.say(&CICA0981E, &inserts);
                }
            }
        }
    }

    /// A name to be looked at means nothing that is there.
    fn miss(&mut self, name: &str) {
        self.missing = MISSING;
        self.out.say(&IDC3012I, &[("name", &name)]);
    }

    fn end(self) -> (u8, Diagnosed) {
        let found = self.found;
        let counts: [(&str, &dyn Display); 2] = [("count", &found.checked), ("errors", &found.errors)];
        self.out.say(&CICA0982I, &counts);
        let cc = match found.errors {
            0 => self.missing,
            _ => CICA0981E.cc.max(self.missing),
        };
        (cc, found)
    }
}

/// Which entries are looked at.
struct DiagnosedEntries {
    masks: Vec<Mask>,
    levels: Vec<Level>,
    /// Directories of catalogs.
    catalogs: Vec<PathBuf>,
    /// Those that are named, or those that are not.
    named: bool,
}

impl DiagnosedEntries {
    fn of(services: &Services, choice: &DiagnoseFilter) -> Result<DiagnosedEntries, Failure> {
        // All are those that nothing leaves out.
        let nothing = Meant::default();
        let (meant, named) = match choice {
            DiagnoseFilter::Only(meant) => (meant, true),
            DiagnoseFilter::Except(meant) => (meant, false),
            DiagnoseFilter::All => (&nothing, false),
        };
        let improper = |error: &dyn Display| refused(error, 140, 0);
        let masks = meant.entries.iter().map(|text| Mask::parse(text));
        let levels = meant.levels.iter().map(|text| Level::parse(text));
        let catalogs = meant.catalogs.iter().map(|text| {
            let name = Name::parse(text).map_err(|e| improper(&e))?;
            Ok::<_, Failure>(services.catalog.called(&name)?.directory().to_owned())
        });
        Ok(DiagnosedEntries {
            masks: masks.collect::<Result<_, _>>().map_err(|e| improper(&e))?,
            levels: levels.collect::<Result<_, _>>().map_err(|e| improper(&e))?,
            catalogs: catalogs.collect::<Result<_, _>>()?,
            named,
        })
    }

    fn takes(&self, catalog: &Catalog, name: &Name) -> bool {
        let means = self.masks.iter().any(|mask| mask.matches(name))
            || self.levels.iter().any(|level| level.matches(name))
            || self.catalogs.iter().any(|directory| directory == catalog.directory());
        means == self.named
    }

    /// Tells which of the names to be looked at mean none of these.
    fn tell_missing(&self, there: &[Name], report: &mut DiagnoseFindings<'_>) {
        if !self.named {
            return;
        }
        let masks = self
            .masks
            .iter()
            .filter(|mask| !there.iter().any(|name| mask.matches(name)));
        masks.for_each(|mask| report.miss(mask.as_str()));
        let levels = (self.levels.iter()).filter(|level| !there.iter().any(|name| level.matches(name)));
        levels.for_each(|level| report.miss(level.as_str()));
    }
}

/// Names of what it is compared with; none means all there is.
fn compared(services: &Services, request: &Diagnose) -> Result<Vec<Name>, Failure> {
    request.compared.iter().map(|named| services.name_of(named)).collect()
}

/// The volume that SYS1.VVDS.Vserial stands for.
fn volume_of(name: &Name) -> Result<Volser, Failure> {
    let serial = name.as_str().strip_prefix("SYS1.VVDS.V").map(Volser::parse);
    match serial {
        Some(Ok(serial)) => Ok(serial),
        _ => {
            let words = format!("{name} is not SYS1.VVDS.Vserial, the name of what stands for a volume");
            Err(refused(&words, 140, 0))
        }
    }
}

fn catalog(
    services: &Services,
    named: &Named,
    request: &Diagnose,
    report: &mut DiagnoseFindings<'_>,
) -> Result<(), Failure> {
    let catalog = services.catalog.called(&services.name_of(named)?)?;
    let chosen = DiagnosedEntries::of(services, &request.choice)?;
    let compared = compared(services, request)?;
    let volumes = compared.iter().map(volume_of).collect::<Result<Vec<_>, _>>()?;
    let contents = catalog.contents()?;
    for serial in &volumes {
        contents.volume(serial)?;
    }
    let meant = |volume: &&Volume| volumes.is_empty() || volumes.contains(&volume.serial);
    for volume in contents.volumes().filter(meant) {
        let found = catalog
            .check_volume(volume)
            .map(drop)
            .map_err(|error| error.to_string());
        let whole = found.is_ok();
        report.put("VOLUME", &volume.serial, found);
        if whole {
            let kept = catalog.check_vvds(volume).map_err(|error| error.to_string());
            report.put("VVDS", &format_args!("SYS1.VVDS.V{}", volume.serial), kept);
        }
    }
    // A catalog that cannot be asked keeps all that others were to remove.
    if let Err(why) = services.catalog.every() {
        let of_meant = |(serial, _): &&VolumeFile| volumes.is_empty() || volumes.contains(serial);
        for (_, file) in contents.leftovers().filter(of_meant) {
            report.put("FILE", file, Err(format!("it is to be removed and stays: {why}")));
        }
    }
    for entry in contents.entries().filter(|entry| chosen.takes(&catalog, entry.name())) {
        let found = self::entry(services, &catalog, &contents, entry);
        report.put(entry.kind().word(), entry.name(), found);
    }
    let there: Vec<Name> = contents.entries().map(|entry| entry.name().clone()).collect();
    chosen.tell_missing(&there, report);
    Ok(())
}

/// One entry: what it relates to, and its files.
fn entry(services: &Services, catalog: &Catalog, contents: &Contents, entry: &Entry) -> Result<(), String> {
    let related = |name: &Name| match contents.get(name) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("it relates to {name}, which is not in the catalog")),
    };
    match entry {
        Entry::Cluster(_) => files(services, catalog, entry),
        Entry::Aix(aix) => related(&aix.relate).and_then(|()| files(services, catalog, entry)),
        Entry::Path(path) => related(&path.target),
        Entry::Alias(alias) => {
            let name = contents.stands_for(alias).map_err(|error| error.to_string())?;
            related(&name)
        }
        Entry::NonVsam(data_set) => match catalog.file_path(data_set).map_err(|error| error.to_string())? {
            Some(path) => there(services, &path),
            None => Ok(()),
        },
        Entry::UserCatalog(below) => {
            let place = catalog.directory().join(&below.directory);
            let opened = Catalog::open_named(services.disk.clone(), place);
            opened.map(drop).map_err(|error| error.to_string())
        }
        _ => Ok(()),
    }
}

fn there(services: &Services, path: &Path) -> Result<(), String> {
    let opened = services.disk.open(path, Open::default());
    opened.map(drop).map_err(|error| error.to_string())
}

/// The files of the components carry the names of entry and component.
fn files(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<(), String> {
    let mut data: Option<PathBuf> = None;
    for (_, component) in entry.components() {
        let path = catalog.component_path(component).map_err(|error| error.to_string())?;
        let root = match &data {
            None => services.engine.peek(&path),
            Some(data) => services.engine.peek_index(data, &path),
        };
        let carried = root.map_err(|error| error.to_string())?.attributes;
        if carried.cluster_name != entry.name().as_str() {
            return Err(format!("{} is of {}", path.display(), carried.cluster_name));
        }
        if carried.component_name != component.name.as_str() {
            return Err(format!("{} is {}", path.display(), carried.component_name));
        }
        data.get_or_insert(path);
    }
    Ok(())
}

/// Data components on a volume that no catalog names.
fn volume(
    services: &Services,
    named: &Named,
    request: &Diagnose,
    report: &mut DiagnoseFindings<'_>,
) -> Result<(), Failure> {
    let name = services.name_of(named)?;
    let serial = volume_of(&name)?;
    let directory = services.catalog.volume_path(&serial)?;
    let compared = compared(services, request)?;
    let catalogs = match compared.as_slice() {
        [] => services.catalog.all()?,
        some => {
            let called = some.iter().map(|name| services.catalog.called(name));
            called.collect::<Result<_, _>>()?
        }
    };
    let unasked = services.catalog.every().err().filter(|_| compared.is_empty());
    let chosen = DiagnosedEntries::of(services, &request.choice)?;
    if !chosen.catalogs.is_empty() {
        return Err(refused(
            &"COMPAREDS names the catalogs that a volume is compared with",
            140,
            0,
        ));
    }
    let mut known = Vec::new();
    for catalog in catalogs {
        let contents = catalog.contents()?;
        for (_, component) in contents.entries().flat_map(|entry| entry.components()) {
            known.push(catalog.component_path(component)?);
        }
    }
    let listed = services.disk.list(&directory);
    let mut listed = listed.map_err(|error| cica_catalog::catalog::volume_error(&serial, &directory, error))?;
    listed.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut there = Vec::new();
    for (file, _) in listed {
        let path = directory.join(&file);
        // What is no data component is looked for by its data component, or is none of ours.
        let Ok(root) = services.engine.peek(&path) else {
            continue;
        };
        let carried = root.attributes;
        let of = Name::parse(&carried.cluster_name).ok();
        there.extend(of.clone());
        if of.is_some_and(|name| !chosen.takes(&services.catalog, &name)) {
            continue;
        }
        let found = if known.contains(&path) {
            Ok(())
        } else {
            Err(match &unasked {
                None => format!(
                    "no catalog names it; DEFINE ... RECATALOG takes {} in",
                    carried.cluster_name
                ),
                Some(why) => format!("no catalog that can be asked names it, and {why}"),
            })
        };
        report.put("FILE", &file.to_string_lossy(), found);
    }
    chosen.tell_missing(&there, report);
    Ok(())
}
