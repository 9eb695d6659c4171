//! What a catalog holds, in memory: entries by name and volumes by serial.
//!
//! Invariants, kept by every function here:
//!
//! * C1. A name stands for one thing: no component has the name of an entry or of another component.
//! * C2. A volume that a component names is known.
//! * C3. No data set of the catalog lies in a file that is listed as a leftover.
//! * C4. An entry that comes out of a copy, or takes another's place, lies in no file of a third. `insert` does not
//!   look for that: who defines an entry has looked for a free file, and a catalog is read as it was written.

use crate::entry::{Alias, Component, Entry, EntryKind, FileOf, Relate};
use crate::error::CatalogError;
use crate::name::{Level, Mask, Name};
use crate::symbols::Symbols;
use crate::volume::{Volser, Volume, VolumeFile};
use cica_disk::FileName;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Entries and volumes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contents {
    entries: BTreeMap<Name, Entry>,
    volumes: BTreeMap<Volser, Volume>,
    /// Component name -> name of its entry.
    components: BTreeMap<Name, Name>,
    /// Entries on their way to or from another catalog.
    moves: BTreeMap<(PathBuf, u64), Move>,
    /// Volume and file name of what is being made, or of no use to anybody any more.
    /// true: it is overwritten before it is removed.
    leftovers: BTreeMap<VolumeFile, bool>,
    /// Of the system that looks at it; not of the catalog.
    symbols: Arc<Symbols>,
}

/// Entries on their way to or from another catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Unique in the catalog that is left: its generation then.
    pub number: u64,
    /// Directory of the other catalog.
    pub other: PathBuf,
    /// Names of the entries.
    pub names: Vec<Name>,
    /// They come in; else they leave.
    pub incoming: bool,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved<'a> {
    /// An entry.
    Entry(&'a Entry),
    /// A component of an entry.
    Component(EntryKind, &'a Component, &'a Entry),
}

impl<'a> Resolved<'a> {
    /// Its kind.
    pub fn kind(&self) -> EntryKind {
        match self {
            Resolved::Entry(entry) => entry.kind(),
            Resolved::Component(kind, ..) => *kind,
        }
    }

    /// The entry itself, or the one the component belongs to.
    pub fn entry(&self) -> &'a Entry {
        match self {
            Resolved::Entry(entry) | Resolved::Component(_, _, entry) => entry,
        }
    }
}

impl Contents {
    /// The entry or component of this name.
    pub fn find(&self, name: &Name) -> Option<Resolved<'_>> {
        if let Some(entry) = self.entries.get(name) {
            return Some(Resolved::Entry(entry));
        }
        let entry = self.entries.get(self.components.get(name)?)?;
        let (kind, component) = entry.components().find(|(_, c)| c.name == *name)?;
        Some(Resolved::Component(kind, component, entry))
    }

    /// The entry of this name; a component's name is not found.
    pub fn get(&self, name: &Name) -> Result<&Entry, CatalogError> {
        self.entries
            .get(name)
            .ok_or_else(|| CatalogError::NotFound { name: name.clone() })
    }

    /// All entries in order of names.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Entries whose names the mask means, in order.
    pub fn list<'a>(&'a self, mask: &'a Mask) -> impl Iterator<Item = &'a Entry> {
        self.entries().filter(move |e| mask.matches(e.name()))
    }

    /// Entries below a level, in order.
    pub fn level<'a>(&'a self, level: &'a Level) -> impl Iterator<Item = &'a Entry> {
        self.entries().filter(move |e| level.matches(e.name()))
    }

    /// Entries whose names begin with this one and go on, in order.
    pub fn below<'a>(&'a self, name: &Name) -> impl Iterator<Item = &'a Entry> {
        let stem = format!("{name}.");
        let from = self.entries.range(name.clone()..).skip_while({
            let stem = stem.clone();
            move |(name, _)| !name.as_str().starts_with(&stem) && name.as_str() < stem.as_str()
        });
        from.take_while(move |(name, _)| name.as_str().starts_with(&stem))
            .map(|(_, entry)| entry)
    }

    /// Entries that name this one: alternate indexes, paths and aliases over it.
    pub fn related<'a>(&'a self, name: &'a Name) -> impl Iterator<Item = &'a Entry> {
        self.entries().filter(move |entry| match entry {
            Entry::Aix(e) => e.relate == *name,
            Entry::Path(e) => e.target == *name,
            Entry::Alias(e) => e.entry() == Some(name),
            _ => false,
        })
    }

    /// The name that an alias stands for on this system.
    ///
    /// # Errors
    /// It has symbols that mean nothing here.
    pub fn stands_for(&self, alias: &Alias) -> Result<Name, CatalogError> {
        match &alias.relate {
            Relate::Entry(name) => Ok(name.clone()),
            Relate::Symbolic(text) => self.symbols.resolve(text).map_err(|why| CatalogError::Symbolic {
                name: alias.name.clone(),
                text: text.clone(),
                why: Box::new(why),
            }),
        }
    }

    /// The symbols by which names are resolved.
    pub(crate) fn set_symbols(&mut self, symbols: &Arc<Symbols>) {
        self.symbols = symbols.clone();
    }

    /// Puts in a new entry.
    pub fn insert(&mut self, entry: Entry) -> Result<(), CatalogError> {
        self.check(&entry)?;
        for (_, component) in entry.components() {
            self.components.insert(component.name.clone(), entry.name().clone());
        }
        for place in entry.files() {
            self.leftovers.remove(&place);
        }
        self.entries.insert(entry.name().clone(), entry);
        Ok(())
    }

    /// Puts in an entry that comes out of a copy (C4). A data set that is not VSAM's gets a file of its own where
    /// another entry has its file: its contents are not in the copy.
    ///
    /// # Errors
    /// As [`insert`](Self::insert), or a component lies in another's file.
    pub fn take_in(&mut self, mut entry: Entry) -> Result<(), CatalogError> {
        if self.has_one_of(&entry.files()) {
            match &mut entry {
                Entry::NonVsam(data_set) => data_set.file = self.file_of_new(&data_set.volumes, &data_set.name),
                entry => return Err(duplicate(entry.name())),
            }
        }
        self.insert(entry)
    }

    /// Takes out an entry and gives it back; its files stay.
    pub fn remove(&mut self, name: &Name) -> Result<Entry, CatalogError> {
        let entry = self
            .entries
            .remove(name)
            .ok_or_else(|| CatalogError::NotFound { name: name.clone() })?;
        for (_, component) in entry.components() {
            self.components.remove(&component.name);
        }
        Ok(entry)
    }

    /// Puts `entry` in the place of the one called `name`, under the same or another name. On an error nothing is
    /// changed.
    pub fn replace(&mut self, name: &Name, entry: Entry) -> Result<(), CatalogError> {
        let old = self.remove(name)?;
        let (kept, mut new) = (old.files(), entry.files());
        new.retain(|place| !kept.contains(place));
        let replaced = if self.has_one_of(&new) {
            Err(duplicate(entry.name()))
        } else {
            self.insert(entry)
        };
        replaced.inspect_err(|_| {
            // The old entry was here a moment ago, so it goes back without conflict.
            let _ = self.insert(old);
        })
    }

    /// The volume of this serial.
    pub fn volume(&self, serial: &Volser) -> Result<&Volume, CatalogError> {
        self.volumes.get(serial).ok_or_else(|| unknown(serial))
    }

    /// All volumes in order of serials.
    pub fn volumes(&self) -> impl Iterator<Item = &Volume> {
        self.volumes.values()
    }

    /// Puts in a new volume.
    pub fn add_volume(&mut self, volume: Volume) -> Result<(), CatalogError> {
        if self.volumes.contains_key(&volume.serial) {
            return Err(CatalogError::VolumeExists { serial: volume.serial });
        }
        self.volumes.insert(volume.serial.clone(), volume);
        Ok(())
    }

    /// An entry that names the volume, if there is one.
    pub fn holder(&self, serial: &Volser) -> Option<&Name> {
        let held = |entry: &&Entry| match entry {
            Entry::NonVsam(e) => e.volumes.contains(serial),
            _ => entry.components().any(|(_, c)| c.volumes.contains(serial)),
        };
        self.entries().find(held).map(Entry::name)
    }

    /// Takes out a volume that no entry names.
    pub fn remove_volume(&mut self, serial: &Volser) -> Result<Volume, CatalogError> {
        self.volume(serial)?;
        if let Some(name) = self.holder(serial) {
            return Err(CatalogError::VolumeInUse {
                serial: serial.clone(),
                name: name.clone(),
            });
        }
        self.leftovers.retain(|(on, _), _| on != serial);
        self.volumes.remove(serial).ok_or_else(|| unknown(serial))
    }

    /// Puts in a volume that another catalog shares with this one, or its new place when nothing lies on the old one.
    pub(crate) fn share_volume(&mut self, volume: Volume) {
        let serial = volume.serial.clone();
        match self.remove_volume(&serial) {
            // Data sets lie on the one of this catalog; it stays.
            Err(CatalogError::VolumeInUse { .. }) => {}
            _ => drop(self.volumes.insert(serial, volume)),
        }
    }

    /// Entries on their way to or from other catalogs.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.moves.values()
    }

    /// Notes that entries are on their way.
    pub fn begin_move(&mut self, on_its_way: Move) {
        self.moves
            .insert((on_its_way.other.clone(), on_its_way.number), on_its_way);
    }

    /// Forgets that they are.
    pub(crate) fn end_move(&mut self, on_its_way: &Move) {
        self.moves.remove(&(on_its_way.other.clone(), on_its_way.number));
    }

    /// Lists the file `file` of a volume as one that goes when nobody makes anything: it is being made, or it was a data
    /// set's; `erase` overwrites it before. An entry that takes it takes it off the list.
    pub fn add_leftover(&mut self, serial: &Volser, file: &FileName, erase: bool) {
        self.leftovers.insert((serial.clone(), file.clone()), erase);
    }

    /// Lists the files of an entry that was taken out as ones that go, but for those that another entry names too (C3).
    pub fn add_leftovers_of(&mut self, entry: &Entry, erase: bool) {
        for (serial, file) in entry.files() {
            if self.volumes.contains_key(&serial) && !self.has_file(&serial, &file) {
                self.leftovers.insert((serial, file), erase);
            }
        }
    }

    /// Takes a file off that list; false if it was not on it.
    pub fn remove_leftover(&mut self, serial: &Volser, file: &FileName) -> bool {
        self.leftovers.remove(&(serial.clone(), file.clone())).is_some()
    }

    /// Volume and file name of each leftover.
    pub fn leftovers(&self) -> impl Iterator<Item = &VolumeFile> {
        self.leftovers.keys()
    }

    /// Is this leftover overwritten before it is removed?
    pub fn erases(&self, leftover: &VolumeFile) -> bool {
        self.leftovers.get(leftover).is_some_and(|erase| *erase)
    }

    /// Is `file` of a volume a data set's, or a leftover?
    pub fn is_taken(&self, serial: &Volser, file: &FileName) -> bool {
        self.leftovers.contains_key(&(serial.clone(), file.clone())) || self.has_file(serial, file)
    }

    /// Is `file` of a volume a data set's?
    fn has_file(&self, serial: &Volser, file: &FileName) -> bool {
        let place = (serial.clone(), file.clone());
        self.entries().any(|entry| entry.files().contains(&place))
    }

    /// Is one of these files a data set's?
    pub(crate) fn has_one_of(&self, files: &[VolumeFile]) -> bool {
        files.iter().any(|(serial, file)| self.has_file(serial, file))
    }

    /// What a new data set that is not VSAM's states as its file: nothing, it lies under its own name; or, where one
    /// that was renamed kept the file of that name, one that no data set is called.
    pub fn file_of_new(&self, volumes: &[Volser], name: &Name) -> FileOf {
        let taken = |file: &FileName| volumes.first().is_some_and(|serial| self.has_file(serial, file));
        if !taken(&name.file()) {
            return FileOf::OwnName;
        }
        // There are more numbers than entries.
        let mut numbered = (2..).map(|n| FileName::near(&format!("{name}~{n}")));
        numbered
            .find(|file| !taken(file))
            .map_or(FileOf::OwnName, FileOf::Named)
    }

    /// C1 and C2 for an entry about to come in.
    fn check(&self, entry: &Entry) -> Result<(), CatalogError> {
        let mut names = vec![entry.name()];
        names.extend(entry.components().map(|(_, c)| &c.name));
        for (i, name) in names.iter().enumerate() {
            let taken = self.entries.contains_key(name) || self.components.contains_key(name);
            if taken || names[..i].contains(name) {
                return Err(duplicate(name));
            }
        }
        for (_, component) in entry.components() {
            for serial in &component.volumes {
                self.volume(serial)?;
            }
        }
        Ok(())
    }
}

fn duplicate(name: &Name) -> CatalogError {
    CatalogError::Duplicate { name: name.clone() }
}

fn unknown(serial: &Volser) -> CatalogError {
    CatalogError::VolumeMissing {
        serial: serial.clone(),
        directory: None,
    }
}
