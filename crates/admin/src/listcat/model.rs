//! What LISTCAT knows of an entry. The listing and `cica show --json` are made from it.
//!
//! 1. What the catalog says comes from the catalog; what changes while a data set is used comes from its own files, as
//!    of its last commit. They are not opened: a data set may be in use by somebody else. Counts come from who has it
//!    open, and from those who had it for input, as well (`cica_counters`).
//! 2. When a file cannot be read, the entry is shown as if it had never been loaded, and `trouble` says so.

use super::super::stated::kept;
use cica_catalog::entry::{Attributes, Component, EntryKind, Log, NonVsam, Relate};
use cica_catalog::generation::Generation;
use cica_catalog::{Catalog, CatalogError, Contents, Date, Device, Entry, Name};
use cica_counters::Counted;
use cica_engine::Engine;
use cica_format::attributes::{Attributes as FileAttributes, Organization};
use cica_format::root::{RecordSizes, Root, Statistics};
use std::collections::BTreeSet;

/// An entry or component.
#[derive(Debug, Clone, PartialEq)]
pub struct ListcatEntry {
    /// What it is.
    pub kind: EntryKind,
    /// Its name.
    pub name: String,
    /// What the catalog it is in is called.
    pub catalog: String,
    /// Owner and dates; an alias has none.
    pub history: Option<HistoryFields>,
    /// Of a cluster or alternate index.
    pub cluster: Option<ClusterFields>,
    /// Attributes with values, of entries that are neither clusters nor components.
    pub values: Vec<(String, String)>,
    /// Attributes that are words, of the same.
    pub words: Vec<&'static str>,
    /// Entries and components it goes together with.
    pub associations: Vec<(EntryKind, String)>,
    /// Of an alias with symbols: what it stands for as written, and on this system if that is anything.
    pub symbolic: Option<(String, Option<String>)>,
    /// Of a data or index component.
    pub component: Option<ComponentFields>,
    /// Of a data set that is not VSAM's.
    pub file: Option<FileFields>,
    /// Why figures could not be read.
    pub trouble: Option<String>,
}

/// HISTORY.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryFields {
    /// DATASET-OWNER.
    pub owner: Option<String>,
    /// CREATION.
    pub created: Date,
    /// EXPIRATION.
    pub expires: Option<Date>,
    /// LAST ALTER of a group, instead: the day of its last ALTER, or on which a generation came or left, or its own.
    pub last_alter: Option<Date>,
}

/// VOLUMES of a data set that is not VSAM's, and where its records are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFields {
    /// Is it a generation of a group? All that are cataloged are active.
    pub generation: bool,
    /// VOLSER, DEVTYPE and FSEQN of each volume.
    pub volumes: Vec<(String, String, String)>,
    /// File name on the first volume or path, where it is not the data set's name.
    pub file: Option<String>,
    /// RECFM and the like; none: lines of text.
    pub format: Option<String>,
}

/// SMSDATA and RLSDATA.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClusterFields {
    /// STORAGECLASS.
    pub storage_class: Option<String>,
    /// MANAGEMENTCLASS.
    pub management_class: Option<String>,
    /// DATACLASS.
    pub data_class: Option<String>,
    /// CA-RECLAIM.
    pub ca_reclaim: bool,
    /// EATTR.
    pub eattr: Option<String>,
    /// BWO.
    pub bwo: Option<String>,
    /// LOG.
    pub log: Option<Log>,
    /// FRLOG.
    pub forward_log: Option<String>,
    /// VSAM QUIESCED.
    pub quiesced: bool,
    /// RLSENABLE was said.
    pub enabled: bool,
    /// RLS IN USE: a client of the server has it open.
    pub in_use: bool,
    /// LOGREPLICATE.
    pub log_replicate: bool,
    /// LOGSTREAMID.
    pub log_stream: Option<String>,
    /// Was there a password?
    pub password: bool,
    /// ACCOUNT-INFO, which is listed with the data component.
    pub account: Option<String>,
}

/// ATTRIBUTES, STATISTICS, ALLOCATION and VOLUME of a component. Sizes and addresses are in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentFields {
    /// KEYLEN.
    pub key_length: u16,
    /// RKP.
    pub key_offset: u32,
    /// AXRKP: where an alternate key stands in the base record.
    pub alternate_key_offset: Option<u32>,
    /// AVGLRECL.
    pub average_record: u32,
    /// MAXLRECL.
    pub maximum_record: u32,
    /// BUFSPACE.
    pub buffer_space: u32,
    /// EXCPEXIT.
    pub exception_exit: Option<String>,
    /// CISIZE.
    pub ci_size: u32,
    /// CI/CA.
    pub ci_per_ca: u32,
    /// SHROPTNS: cross-region, cross-system.
    pub share: (u8, u8),
    /// Code page, 0 = none said.
    pub ccsid: u16,
    /// Attributes that are words, from RECOVERY on, in LISTCAT's order.
    pub words: Vec<&'static str>,
    /// REC-TOTAL to EXCPS, FREESPC, SYSTEM-TIMESTAMP.
    pub statistics: Statistics,
    /// COMP-FORMT: it stores its records compressed.
    pub compressed: bool,
    /// USER-DATA-SIZE and COMP-USER-DATA-SIZE; none: they are not known, or records are not compressed.
    pub sizes: Option<RecordSizes>,
    /// EXTENTS.
    pub extents: u32,
    /// FREESPACE-%CI and -%CA.
    pub free_percent: (u8, u8),
    /// Of an index component.
    pub index: Option<IndexFields>,
    /// SPACE-TYPE.
    pub space_type: &'static str,
    /// SPACE-PRI and SPACE-SEC, in units of the type.
    pub space: (u64, u64),
    /// HI-A-RBA.
    pub high_allocated: u64,
    /// HI-U-RBA.
    pub high_used: u64,
    /// Volumes in the order they may be used; the data lie on the first.
    pub volumes: Vec<VolumeFields>,
}

/// INDEX: of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexFields {
    /// LEVELS.
    pub levels: u8,
    /// ENTRIES/SECT.
    pub entries_per_section: u32,
    /// SEQ-SET-RBA: the first sequence set record, which is the first record an index gets.
    pub sequence_set: u64,
    /// HI-LEVEL-RBA: the root record.
    pub high_level: u64,
}

/// VOLUME.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeFields {
    /// VOLSER.
    pub serial: String,
    /// DEVTYPE.
    pub device: u32,
    /// Tracks of a cylinder, for CCHH.
    pub tracks_per_cylinder: u32,
    /// PHYREC-SIZE.
    pub physical_record: u32,
    /// PHYRECS/TRK.
    pub records_per_track: u32,
    /// TRACKS/CA.
    pub tracks_per_ca: u32,
    /// Extents; none: a candidate.
    pub extents: Vec<ExtentFields>,
}

/// One of EXTENTS. Tracks are those of what the component has on the volume, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtentFields {
    /// First track.
    pub first_track: u64,
    /// TRACKS.
    pub tracks: u64,
    /// LOW-RBA.
    pub low_rba: u64,
    /// HIGH-RBA: its last byte.
    pub high_rba: u64,
}

/// Where entries are described from.
pub struct Describer<'a> {
    /// What it holds.
    pub contents: &'a Contents,
    engine: &'a Engine,
    catalog: &'a Catalog,
    called: String,
    figures: bool,
    counted: Counted,
    in_use: BTreeSet<String>,
}

impl<'a> Describer<'a> {
    /// Describes entries of `catalog`, which holds `contents`. `figures`: are those of files wanted? Without them no file
    /// is read.
    pub fn new(
        engine: &'a Engine,
        catalog: &'a Catalog,
        contents: &'a Contents,
        figures: bool,
    ) -> Result<Describer<'a>, CatalogError> {
        Ok(Describer {
            contents,
            engine,
            catalog,
            called: catalog.called_name()?,
            figures,
            counted: if figures {
                engine.counted_by_all()
            } else {
                Counted::default()
            },
            in_use: BTreeSet::new(),
        })
    }

    /// These clusters are open at the server that shares data sets.
    pub fn beside_a_server(mut self, in_use: BTreeSet<String>) -> Describer<'a> {
        self.in_use = in_use;
        self
    }

    /// The entry, and after it its components.
    pub fn describe(&self, entry: &Entry) -> Vec<ListcatEntry> {
        let mut all = vec![self.entry(entry)];
        let (mut roots, trouble) = self.roots(entry);
        if let [Some(data), index] = &mut roots {
            let mut none = Statistics::default();
            let index = index.as_mut().map_or(&mut none, |index| &mut index.statistics);
            self.counted.complete(data.component, &mut data.statistics, index);
        }
        for ((kind, component), root) in entry.components().zip(&roots) {
            all.push(ListcatEntry {
                kind,
                name: component.name.to_string(),
                catalog: all[0].catalog.clone(),
                history: all[0].history.clone(),
                cluster: all[0].cluster.clone(),
                values: Vec::new(),
                words: Vec::new(),
                associations: vec![(entry.kind(), entry.name().to_string())],
                symbolic: None,
                component: entry
                    .attributes()
                    .map(|stated| self.component(entry, stated, kind, component, root)),
                file: None,
                trouble: trouble.clone().filter(|_| kind == EntryKind::Data),
            });
        }
        all
    }

    fn entry(&self, entry: &Entry) -> ListcatEntry {
        let components = entry
            .components()
            .map(|(kind, component)| (kind, component.name.to_string()));
        let mut associations: Vec<(EntryKind, String)> = components.collect();
        let mut symbolic = None;
        match entry {
            Entry::Aix(aix) => associations.push((EntryKind::Cluster, aix.relate.to_string())),
            Entry::Path(path) => associations.extend(self.along(&path.target)),
            Entry::Alias(alias) => match &alias.relate {
                Relate::Entry(name) => associations.push((self.kind_of(name), name.to_string())),
                Relate::Symbolic(text) => {
                    let name = self.contents.stands_for(alias).ok().map(|name| name.to_string());
                    symbolic = Some((text.to_string(), name));
                }
            },
            Entry::Gdg(gdg) => {
                let generations = self.contents.generations(&gdg.name);
                let named = generations
                    .iter()
                    .map(|(_, entry)| (entry.kind(), entry.name().to_string()));
                associations.extend(named);
            }
            Entry::NonVsam(data_set) => {
                let group = Generation::of(&data_set.name).filter(|(base, _)| self.contents.gdg(base).is_some());
                associations.extend(group.map(|(base, _)| (EntryKind::Gdg, base.to_string())));
            }
            _ => {}
        }
        associations.extend(
            self.contents
                .related(entry.name())
                .map(|over| (over.kind(), over.name().to_string())),
        );
        ListcatEntry {
            kind: entry.kind(),
            name: entry.name().to_string(),
            catalog: self.called.clone(),
            history: entry.history().map(|history| HistoryFields {
                owner: history.owner.clone(),
                created: history.created,
                expires: history.expires,
                last_alter: self.last_alter(entry),
            }),
            cluster: (entry.attributes())
                .map(|stated| cluster_fields(stated, self.in_use.contains(entry.name().as_str()))),
            values: values_of_entry(entry),
            words: words_of_entry(entry),
            associations,
            symbolic,
            component: None,
            file: self.file_of(entry),
            trouble: None,
        }
    }

    /// What a path leads through: an alternate index with its components, then the components of its base; or the base
    /// with its own.
    fn along(&self, target: &Name) -> Vec<(EntryKind, String)> {
        let mut along = vec![(self.kind_of(target), target.to_string())];
        let entry = self.contents.get(target).ok();
        let base = match entry {
            Some(Entry::Aix(aix)) => self.contents.get(&aix.relate).ok(),
            _ => None,
        };
        for entry in [entry, base].into_iter().flatten() {
            let components = entry.components();
            along.extend(components.map(|(kind, component)| (kind, component.name.to_string())));
        }
        along
    }

    fn last_alter(&self, entry: &Entry) -> Option<Date> {
        let Entry::Gdg(gdg) = entry else { return None };
        let generations = self.contents.generations(&gdg.name);
        let came = generations
            .iter()
            .filter_map(|(_, entry)| Some(entry.history()?.created));
        came.chain([gdg.history.created]).chain(gdg.altered).max()
    }

    fn file_of(&self, entry: &Entry) -> Option<FileFields> {
        let Entry::NonVsam(data_set) = entry else {
            return None;
        };
        let group = Generation::of(&data_set.name).and_then(|(base, _)| self.contents.gdg(&base));
        Some(file_fields(data_set, group.is_some()))
    }

    fn kind_of(&self, name: &Name) -> EntryKind {
        self.contents
            .find(name)
            .map_or(EntryKind::Cluster, |found| found.kind())
    }

    /// The roots of data and index component; two of none, and why, when one of them cannot be read.
    fn roots(&self, entry: &Entry) -> ([Option<Root>; 2], Option<String>) {
        if !self.figures {
            return ([None, None], None);
        }
        let mut paths = Vec::new();
        for (_, component) in entry.components() {
            match self.path(component) {
                Ok(path) => paths.push(path),
                Err(error) => return ([None, None], Some(error.to_string())),
            }
        }
        let (data, index) = match paths.as_slice() {
            [data, index] => (data, index),
            [data] => {
                return match self.engine.peek(data) {
                    Ok(root) => ([Some(root), None], None),
                    Err(error) => ([None, None], Some(error.to_string())),
                }
            }
            _ => return ([None, None], None),
        };
        // Another process may commit between the two: then the index root named by the data root is gone, and they are
        // read again.
        let read = || Ok((self.engine.peek(data)?, self.engine.peek_index(data, index)?));
        let both: Result<_, cica_engine::OpenError> = read().or_else(|_| read());
        match both {
            Ok((data, index)) => ([Some(data), Some(index)], None),
            Err(error) => ([None, None], Some(error.to_string())),
        }
    }

    fn path(&self, component: &Component) -> Result<std::path::PathBuf, CatalogError> {
        match component.volumes.first() {
            Some(serial) => Ok(component.file.in_directory(&self.catalog.volume_path(serial)?)),
            None => self.catalog.component_path(component),
        }
    }

    fn component(
        &self,
        entry: &Entry,
        stated: &Attributes,
        kind: EntryKind,
        component: &Component,
        root: &Option<Root>,
    ) -> ComponentFields {
        let organization = match entry {
            Entry::Cluster(cluster) => cluster.organization,
            _ => Organization::Ksds,
        };
        let as_said = || component.file_attributes(entry.name(), organization, stated, 0);
        let a = root.as_ref().map_or_else(as_said, |root| root.attributes.clone());
        let data = kind == EntryKind::Data;
        let high_allocated = root.as_ref().map_or(a.primary, |root| root.high_allocated);
        let mut statistics = root.as_ref().map(|root| root.statistics).unwrap_or_default();
        if root.as_ref().is_none_or(|root| root.levels == 0) {
            statistics.free_space = high_allocated;
        }
        let (space_type, space) = self.space(component);
        ComponentFields {
            key_length: a.key_length,
            key_offset: a.key_offset,
            alternate_key_offset: match entry {
                Entry::Aix(aix) if data => Some(aix.alternate_key.offset),
                _ => None,
            },
            average_record: if data { a.average_record } else { 0 },
            // An index record fills its CI but for CIDF and RDF.
            maximum_record: if data {
                a.maximum_record
            } else {
                a.ci_size.saturating_sub(7)
            },
            buffer_space: if data { a.buffer_space } else { 0 },
            exception_exit: kept(stated, "EXCEPTIONEXIT").filter(|_| data).map(str::to_owned),
            ci_size: a.ci_size,
            ci_per_ca: u32::from(a.ci_per_ca),
            share: (a.share_region, a.share_system),
            ccsid: if data { a.ccsid } else { 0 },
            words: words(&a, stated, entry, data),
            statistics,
            compressed: a.compressed && data,
            sizes: root.as_ref().filter(|_| data).and_then(Root::record_sizes),
            extents: root.as_ref().map_or(1, |root| root.extents.max(1)),
            volumes: self.volumes(component, &a, root.as_ref()),
            free_percent: if data && organization.has_index() {
                (a.free_ci, a.free_ca)
            } else {
                (0, 0)
            },
            index: if data {
                None
            } else {
                Some(index_fields(entry, &a, root))
            },
            space_type,
            space,
            high_allocated,
            high_used: root.as_ref().map_or(0, |root| root.high_used),
        }
    }

    /// Space as LISTCAT shows it: where a control area is a cylinder, tracks and records come out in cylinders, else in
    /// tracks, as many as are allocated in whole control areas.
    fn space(&self, component: &Component) -> (&'static str, (u64, u64)) {
        use cica_catalog::space::Unit;
        let device = component
            .volumes
            .first()
            .and_then(|serial| self.contents.volume(serial).ok());
        let cylinder = device.map_or(0, |volume| volume.device.tracks_per_cylinder());
        let amounts = (component.primary_tracks, component.secondary_tracks);
        match component.space.unit {
            Unit::Records | Unit::Tracks if cylinder > 1 && component.tracks_per_ca == cylinder => {
                let cylinders = |tracks: u64| tracks.div_ceil(u64::from(cylinder));
                (Unit::Cylinders.word(), (cylinders(amounts.0), cylinders(amounts.1)))
            }
            Unit::Records | Unit::Tracks => (Unit::Tracks.word(), amounts),
            unit => (unit.word(), (component.space.primary, component.space.secondary)),
        }
    }

    fn volumes(&self, component: &Component, a: &FileAttributes, root: Option<&Root>) -> Vec<VolumeFields> {
        let (mut all, mut low_rba) = (Vec::new(), 0);
        for (place, serial) in component.volumes.iter().enumerate() {
            let device = self.contents.volume(serial).map(|volume| volume.device);
            let bytes = match root {
                Some(root) => root.on_volume(place).1,
                None if place == 0 => a.primary,
                None => 0,
            };
            all.push(VolumeFields {
                serial: serial.to_string(),
                device: device.as_ref().map_or(0, |d| d.code()),
                tracks_per_cylinder: device.as_ref().map_or(1, |d| d.tracks_per_cylinder()),
                physical_record: component.physical_record,
                records_per_track: component.records_per_track,
                tracks_per_ca: component.tracks_per_ca,
                extents: extents(component, a, low_rba, bytes),
            });
            low_rba += bytes;
        }
        all
    }
}

fn cluster_fields(stated: &Attributes, in_use: bool) -> ClusterFields {
    let kept = |keyword| kept(stated, keyword).map(str::to_owned);
    ClusterFields {
        storage_class: stated.storage_class.clone(),
        management_class: stated.management_class.clone(),
        data_class: stated.data_class.clone(),
        ca_reclaim: stated.reclaim,
        eattr: kept("EATTR"),
        bwo: kept("BWO"),
        log: stated.log,
        forward_log: kept("FRLOG"),
        quiesced: kept("RLSQUIESCE").is_some(),
        enabled: kept("RLSENABLE").is_some(),
        in_use,
        log_replicate: kept("LOGREPLICATE").is_some(),
        log_stream: stated.log_stream.clone(),
        password: ["MASTERPW", "CONTROLPW", "UPDATEPW", "READPW"]
            .iter()
            .any(|p| kept(p).is_some()),
        account: kept("ACCOUNT"),
    }
}

/// Values that are one line each.
fn values_of_entry(entry: &Entry) -> Vec<(String, String)> {
    match entry {
        Entry::Gdg(gdg) => vec![("LIMIT".to_owned(), gdg.limit.to_string())],
        Entry::UserCatalog(catalog) => {
            let mut values = vec![("DIRECTORY".to_owned(), catalog.directory.clone())];
            values.extend(catalog.other.iter().cloned());
            values
        }
        _ => Vec::new(),
    }
}

fn file_fields(data_set: &NonVsam, generation: bool) -> FileFields {
    let mut devices: Vec<&str> = data_set.device.split(' ').collect();
    // One device type may be said for all volumes.
    let last = devices.last().copied().unwrap_or_default();
    devices.resize(data_set.volumes.len().max(devices.len()), last);
    let code = |name: &str| Device::by_name(name).map_or_else(|| name.to_owned(), |d| format!("X'{:08X}'", d.code()));
    let stated = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let mut sequence = data_set.sequence.split(' ').filter(|number| !number.is_empty());
    let volumes = data_set.volumes.iter().zip(devices).map(|(serial, device)| {
        let number = sequence.next().unwrap_or("0").to_owned();
        (serial.to_string(), code(device), number)
    });
    FileFields {
        generation,
        volumes: volumes.collect(),
        file: Some(data_set.file.text().to_owned()).filter(|file| !file.is_empty()),
        format: stated(&data_set.format),
    }
}

fn words_of_entry(entry: &Entry) -> Vec<&'static str> {
    let pick = |yes: bool, pair: [&'static str; 2]| pair[usize::from(!yes)];
    match entry {
        Entry::Aix(aix) => vec![pick(aix.upgrade, ["UPGRADE", "NOUPGRADE"])],
        Entry::Path(path) => vec![pick(path.update, ["UPDATE", "NOUPDATE"])],
        Entry::Gdg(gdg) => vec![
            pick(gdg.scratch, ["SCRATCH", "NOSCRATCH"]),
            pick(gdg.empty, ["EMPTY", "NOEMPTY"]),
            pick(gdg.fifo, ["FIFO", "LIFO"]),
            pick(gdg.purge, ["PURGE", "NOPURGE"]),
            pick(gdg.extended, ["EXTENDED", "NOEXTENDED"]),
        ],
        _ => Vec::new(),
    }
}

fn words(a: &FileAttributes, stated: &Attributes, entry: &Entry, data: bool) -> Vec<&'static str> {
    let pick = |yes: bool, pair: [&'static str; 2]| pair[usize::from(!yes)];
    let mut words = vec![
        pick(a.speed, ["SPEED", "RECOVERY"]),
        "UNIQUE",
        pick(a.erase && data, ["ERASE", "NOERASE"]),
    ];
    if data {
        words.push(a.organization.keyword());
    }
    words.push(pick(a.write_check, ["WRITECHECK", "NOWRITECHK"]));
    words.push(pick(kept(stated, "ORDERED").is_some(), ["ORDERED", "UNORDERED"]));
    words.push(pick(a.reuse, ["REUSE", "NOREUSE"]));
    if data {
        words.push(pick(a.spanned, ["SPANNED", "NONSPANNED"]));
        if a.compressed {
            words.extend(["COMP-FORMT", "EXTENDED"]);
        }
        if let Entry::Aix(aix) = entry {
            words.push(pick(aix.unique_key, ["UNIQUEKEY", "NONUNIQKEY"]));
            if aix.suppressed.is_some() {
                words.push("SPARSE");
            }
        }
        if stated.inhibit {
            words.push("INH-UPDATE");
        }
        if stated.exported {
            words.push("TEMP-EXP");
        }
    }
    words
}

fn index_fields(entry: &Entry, a: &FileAttributes, root: &Option<Root>) -> IndexFields {
    let ci_per_ca = entry.components().next().map_or(0, |(_, data)| data.ci_per_ca);
    let root = root.as_ref().filter(|root| root.levels > 0);
    IndexFields {
        levels: root.map_or(0, |root| root.levels),
        entries_per_section: ci_per_ca.isqrt(),
        sequence_set: 0,
        high_level: root.map_or(0, |root| u64::from(root.top) * u64::from(a.ci_size)),
    }
}

/// The primary extent and as many others as make up what a volume has of a component, whose RBAs there begin at `start`.
fn extents(component: &Component, a: &FileAttributes, start: u64, bytes: u64) -> Vec<ExtentFields> {
    let tracks = |bytes: u64| bytes / component.ca_bytes().max(1) * u64::from(component.tracks_per_ca);
    let mut all = Vec::new();
    let (mut low_rba, mut length, last) = (start, a.primary, start + bytes);
    while low_rba < last {
        let end = match length {
            0 => last,
            length => last.min(low_rba + length),
        };
        all.push(ExtentFields {
            first_track: tracks(low_rba - start),
            tracks: tracks(end - low_rba),
            low_rba,
            high_rba: end - 1,
        });
        (low_rba, length) = (end, a.secondary);
    }
    all
}
