//! Data sets copied as they are stored, into a portable copy.

use super::super::failure::Failure;
use super::super::trouble::not_opened;
use super::super::Services;
use super::unwritten;
use cica_catalog::{Catalog, Entry};
use cica_disk::NewFile;
use cica_engine::{OpenError, PinnedTrees, Stored, StoredArea, StoredComponent};
use cica_format::portable::{Member, Mode, Totals};
use cica_format::root::Root;
use cica_format::FormatError;
use cica_portable::Writer;
use std::io;
use std::path::PathBuf;

/// An entry to be copied; its files, if it has some, are open until that is done.
pub struct CopiedEntry {
    pub entry: Entry,
    pub stored: Option<Stored>,
    /// What takes back what open units had done, if it is copied while it is open.
    undo: Vec<u8>,
}

/// Why an entry cannot be copied.
pub enum NotCopied {
    /// Somebody has it open for output.
    InUse(Failure),
    /// Another reason.
    Failed(Failure),
}

impl From<Failure> for NotCopied {
    fn from(failure: Failure) -> NotCopied {
        NotCopied::Failed(failure)
    }
}

impl From<NotCopied> for Failure {
    fn from(not: NotCopied) -> Failure {
        match not {
            NotCopied::InUse(failure) | NotCopied::Failed(failure) => failure,
        }
    }
}

impl CopiedEntry {
    /// Opens the files of an entry.
    pub fn open(services: &Services, catalog: &Catalog, entry: Entry) -> Result<CopiedEntry, NotCopied> {
        let stored = match files(catalog, &entry)? {
            Some((data, index)) => Some(services.engine.stored(&data, &index).map_err(|error| {
                let failure = not_opened(entry.name().as_str(), &error);
                match error {
                    OpenError::InUse { .. } => NotCopied::InUse(failure),
                    _ => NotCopied::Failed(failure),
                }
            })?),
            None => None,
        };
        Ok(CopiedEntry {
            entry,
            stored,
            undo: Vec::new(),
        })
    }

    /// Opens the files of an entry whose base, or which itself, is open with its trees pinned.
    pub fn pinned(
        services: &Services,
        catalog: &Catalog,
        entry: Entry,
        pins: &PinnedTrees,
    ) -> Result<CopiedEntry, Failure> {
        let Some((data, index)) = files(catalog, &entry)? else {
            return Ok(CopiedEntry::open(services, catalog, entry)?);
        };
        let opened = |error: OpenError| not_opened(entry.name().as_str(), &error);
        let cluster = services.engine.peek(&data).map_err(opened)?.cluster;
        let Some(tree) = pins.tree(cluster) else {
            // An alternate index that is not upgraded with its base is no matter of it.
            return Ok(CopiedEntry::open(services, catalog, entry)?);
        };
        let stored = services
            .engine
            .stored_pinned(&data, &index, tree.origin)
            .map_err(opened)?;
        Ok(CopiedEntry {
            entry,
            stored: Some(stored),
            undo: tree.undo.clone(),
        })
    }

    /// Records in it, as its root counts them.
    pub fn records(&self) -> u64 {
        self.stored.as_ref().map_or(0, |s| s.data.root().statistics.records)
    }

    /// Puts it into the copy called `name`; `count` is how many control intervals have been copied so far.
    pub fn write(
        &self,
        services: &mut Services,
        writer: &mut Writer<NewFile>,
        name: &str,
        count: &mut u64,
    ) -> Result<Totals, Failure> {
        let output = |error: io::Error| unwritten(name, &error);
        let (kind, fields) = cica_catalog::wire::encode_entry(&self.entry);
        let mode = match self.stored {
            Some(_) => Mode::ControlIntervals,
            None => Mode::Definition,
        };
        let member = Member {
            mode,
            entry: kind,
            fields,
        };
        writer.member(&member).map_err(output)?;
        if let Some(stored) = &self.stored {
            for component in std::iter::once(&stored.data).chain(&stored.index) {
                let root = portable_root(component.root()).map_err(|e| unwritten(name, &e))?;
                let root = [
                    root,
                    dictionaries(component).map_err(|e| not_opened(self.entry.name().as_str(), &e))?,
                ]
                .concat();
                writer.component(&root).map_err(output)?;
                self.control_intervals(services, component, writer, name, count)?;
            }
        }
        writer.take_back(&self.undo).map_err(output)?;
        writer.end_member().map_err(output)
    }

    fn control_intervals(
        &self,
        services: &mut Services,
        component: &StoredComponent,
        writer: &mut Writer<NewFile>,
        name: &str,
        count: &mut u64,
    ) -> Result<(), Failure> {
        let output = |error: io::Error| unwritten(name, &error);
        let input = |error: OpenError| not_opened(self.entry.name().as_str(), &error);
        let mut runs = writer.runs(component.root().attributes.ci_size as usize);
        let mut area = StoredArea::default();
        for ca in 0..component.areas() {
            component.area(ca, &mut area).map_err(input)?;
            let Some(header) = &area.header else { continue };
            runs.area(ca, header.flags, header.next_free).map_err(output)?;
            for (number, flags, image) in area.control_intervals() {
                runs.control_interval(number, flags, image).map_err(output)?;
                *count += 1;
                services.progress(*count);
            }
        }
        runs.finish().map_err(output)
    }
}

/// Paths of data and index component (empty where there is none) of an entry with files.
pub fn files(catalog: &Catalog, entry: &Entry) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
    let mut paths = entry
        .components()
        .map(|(_, component)| catalog.component_path(component));
    match (paths.next().transpose()?, paths.next().transpose()?) {
        (Some(data), index) => Ok(Some((data, index.unwrap_or_default()))),
        _ => Ok(None),
    }
}

/// The dictionaries of a compressed data set, as copies have them behind the root: number, length, bytes.
fn dictionaries(component: &StoredComponent) -> Result<Vec<u8>, OpenError> {
    let mut all = Vec::new();
    for (generation, bytes) in component.dictionaries()? {
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        all.push(generation);
        all.extend_from_slice(&(end as u16).to_le_bytes());
        all.extend_from_slice(&bytes[..end]);
    }
    Ok(all)
}

/// A root as copies have it: without what says where things lie in its file.
fn portable_root(root: &Root) -> Result<Vec<u8>, FormatError> {
    Root {
        free_regions: Vec::new(),
        tables: Vec::new(),
        ..root.clone()
    }
    .encode()
}
