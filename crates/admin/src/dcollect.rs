//! DCOLLECT: records about volumes (V), data sets on them (D) and VSAM components (A), as a file.
//!
//! What a record says comes from where LISTCAT has it. Characters are in the code page of the DD, ASCII when it states
//! none; numbers are big-endian, as everywhere on z/OS.

pub mod record;

use super::dd::Writing;
use super::failure::{refused, Failure};
use super::listcat::{Describer, ListcatEntry};
use super::named::Named;
use super::open::ClusterOrFile;
use super::outcome::Outcome;
use super::report::Report;
use super::trouble::{Trouble, GAVE_UP};
use super::Services;
use cica_catalog::entry::{EntryKind, NonVsam};
use cica_catalog::{Catalog, Entry, Volume};
use cica_disk::NewFile;
use cica_format::attributes::Organization;
use cica_messages::{CICA0938W, CICA1085W, IDC0005I};
use cica_qsam::{Attributes, QsamError, RecordFormat, Writer};
use record::{DcollectRecord, Type};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Bytes of a kilobyte, in which space is told.
const KB: u64 = 1_024;
/// Longest record of the file, with its RDW.
const LRECL: u32 = 644;

/// The bit that says that the sizes of a compressed data set are not known.
const SIZES_UNKNOWN: u64 = 0x8000;

/// DCOLLECT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dcollect {
    /// The sequential file that the records go into.
    pub onto: Named,
    /// Serials of the volumes to tell of, with `*` at the end or `%` for a character; none means all.
    pub volumes: Vec<String>,
    /// NODATAINFO: data sets are left out.
    pub without_data: bool,
    /// NOVOLUMEINFO: volumes are left out.
    pub without_volumes: bool,
}

/// Condition code when VOLUMES means no volume, and nothing is collected.
const NOTHING: u8 = 8;

impl Services {
    /// Writes records about volumes and data sets; the result is how many.
    pub fn dcollect(&mut self, request: &Dcollect) -> Outcome<u64> {
        Outcome::with(|out| {
            let (cc, count) = collect(self, request, out).map_err(|failure| failure.with_cc(GAVE_UP))?;
            out.say(&IDC0005I, &[("count", &count)]);
            Ok((cc, count))
        })
    }
}

/// The condition code, and how many records are written.
fn collect(services: &Services, request: &Dcollect, out: &mut Report) -> Result<(u8, u64), Failure> {
    let file = match ClusterOrFile::named(services, &request.onto)? {
        ClusterOrFile::File(file) => file,
        other => return Err(refused(&format!("{} is no sequential file", other.name()), 48, 0)),
    };
    let attributes = if file.attributes == Attributes::default() {
        Attributes {
            recfm: RecordFormat::VB,
            lrecl: LRECL,
            ..Attributes::default()
        }
    } else {
        file.attributes.completed_for(LRECL - 4)
    };
    let attributes = file.with_more(services, attributes, Writing::Records)?;
    let mut cc = 0;
    let unknown = |name: &dyn Display, why: &dyn Display| {
        out.say(&CICA0938W, &[("name", name), ("reason", why)]);
        cc = CICA0938W.cc;
    };
    let records = records(services, request, &attributes, unknown)?;
    for mask in unknown_volumes(services, request)? {
        out.say(&CICA1085W, &[("name", &mask)]);
        cc = cc.max(if records.is_empty() { NOTHING } else { CICA1085W.cc });
    }
    let created = file.create(services)?;
    write(created, &attributes, &records).map_err(|error| Trouble::File(error).of(&file.name))?;
    file.complete(services, &attributes, out)?;
    Ok((cc, records.len() as u64))
}

fn write(created: NewFile, attributes: &Attributes, records: &[DcollectRecord]) -> Result<(), QsamError> {
    let mut writer = Writer::new(created, attributes)?;
    for record in records {
        writer.put(record.bytes())?;
    }
    let record = writer.records();
    let file = writer.finish()?;
    file.finish()
        .map(drop)
        .map_err(|source| QsamError::Write { record, source })
}

/// Serials and masks of VOLUMES that mean no volume.
fn unknown_volumes(services: &Services, request: &Dcollect) -> Result<Vec<String>, Failure> {
    let mut unknown = request.volumes.clone();
    for catalog in services.catalog.every()? {
        let contents = catalog.contents()?;
        let volumes = contents.volumes().map(|volume| &volume.serial);
        // A tape, or a volume of another system.
        let elsewhere = contents.entries().filter_map(|entry| match entry {
            Entry::NonVsam(data_set) => data_set.volumes.first(),
            _ => None,
        });
        for serial in volumes.chain(elsewhere) {
            unknown.retain(|mask| !matches(mask, serial.as_str()));
        }
    }
    Ok(unknown)
}

/// `unknown` is told whose figures are not known, and why.
fn records(
    services: &Services,
    request: &Dcollect,
    attributes: &Attributes,
    mut unknown: impl FnMut(&dyn Display, &dyn Display),
) -> Result<Vec<DcollectRecord>, Failure> {
    let page = super::bytes::or_ascii(attributes.codepage);
    let begin = |kind| DcollectRecord::new(kind, page, services.clock.now());
    let wanted = |serial: &str| {
        let masks = &request.volumes;
        masks.is_empty() || masks.iter().any(|mask| matches(mask, serial))
    };
    let mut all = Vec::new();
    for catalog in services.catalog.every()? {
        let contents = catalog.contents()?;
        let describer = Describer::new(&services.engine, &catalog, &contents, true)?;
        if !request.without_volumes && catalog.directory() == services.catalog.directory() {
            let volumes = contents.volumes().filter(|volume| wanted(volume.serial.as_str()));
            for v in volumes {
                let place = v.path(catalog.directory());
                let taken = cica_session::tracks_taken(&*services.disk, &services.catalog, &place)?;
                all.push(volume(begin(Type::Volume), v, taken));
            }
        }
        if request.without_data {
            continue;
        }
        for entry in contents.entries() {
            match entry {
                Entry::NonVsam(data_set) if data_set.volumes.first().is_some_and(|v| wanted(v.as_str())) => {
                    all.push(file(begin(Type::DataSet), data_set, &catalog, services)?);
                }
                _ => {
                    for component in describer.describe(entry).iter().skip(1) {
                        let on = component.component.as_ref().and_then(|c| c.volumes.first());
                        if on.is_some_and(|volume| wanted(&volume.serial)) {
                            if let Some(why) = &component.trouble {
                                unknown(&component.name, why);
                            }
                            all.push(data_set(begin(Type::DataSet), component));
                            all.push(association(begin(Type::Association), component, entry));
                        }
                    }
                }
            }
        }
    }
    Ok(all)
}

/// A volume serial against one with `*` at its end or `%` for a character.
fn matches(mask: &str, serial: &str) -> bool {
    let (mask, open) = match mask.strip_suffix('*') {
        Some(stem) => (stem, true),
        None => (mask, false),
    };
    let alike = mask.bytes().zip(serial.bytes()).all(|(m, s)| m == b'%' || m == s);
    alike && (mask.len() == serial.len() || open && mask.len() <= serial.len())
}

fn volume(mut record: DcollectRecord, volume: &Volume, taken: u64) -> DcollectRecord {
    let device = volume.device;
    // What a track holds depends on the records; these are the usual ones.
    let track = device.physical_record(4_096).map_or(0, |p| u64::from(p.track_bytes()));
    let cylinders = volume.cylinders.unwrap_or(device.cylinders());
    let tracks = u64::from(cylinders) * u64::from(device.tracks_per_cylinder());
    let free = tracks.saturating_sub(taken);
    record.text("DCVVOLSR", volume.serial.as_str());
    record.number("DCVPERCT", (free * 100).checked_div(tracks).unwrap_or(0));
    record.number("DCVFRESP", free * track / KB);
    record.number("DCVALLOC", taken * track / KB);
    record.number("DCVVLCAP", tracks * track / KB);
    record.text("DCVDVTYP", device.name());
    record
}

fn data_set(mut record: DcollectRecord, listed: &ListcatEntry) -> DcollectRecord {
    record.text("DCDDSNAM", &listed.name);
    record.number("DCDDSORG", 0x0008);
    if let Some(c) = &listed.component {
        record.number("DCDNMEXT", u64::from(c.extents));
        record.text(
            "DCDVOLSR",
            c.volumes.first().map_or("", |volume| volume.serial.as_str()),
        );
        record.number("DCDBKLNG", u64::from(c.ci_size));
        record.number("DCDRCLNG", u64::from(c.maximum_record));
        record.number("DCDALLSP", c.high_allocated / KB);
        record.number("DCDUSESP", c.high_used / KB);
        record.number("DCDSCALL", c.space.1);
        match c.sizes {
            Some(sizes) => {
                record.number("DCDUDSIZ", sizes.user);
                record.number("DCDCUDSZ", sizes.stored);
            }
            None if c.compressed => record.number("DCDEXFLG", SIZES_UNKNOWN),
            None => {}
        }
    }
    dates(&mut record, listed);
    if let Some(cluster) = &listed.cluster {
        let classes = [
            ("DCDDATCL", &cluster.data_class),
            ("DCDSTGCL", &cluster.storage_class),
            ("DCDMGTCL", &cluster.management_class),
        ];
        for (field, class) in classes {
            record.class(field, class.as_deref().unwrap_or_default());
        }
    }
    record
}

fn dates(record: &mut DcollectRecord, listed: &ListcatEntry) {
    if let Some(history) = &listed.history {
        record.date("DCDCREDT", Some(history.created));
        record.date("DCDEXPDT", history.expires);
    }
}

/// A data set that is not VSAM's.
fn file(
    mut record: DcollectRecord,
    data_set: &NonVsam,
    catalog: &Catalog,
    services: &Services,
) -> Result<DcollectRecord, Failure> {
    let format = cica_qsam::DdText::parse(&format!("X,{}", data_set.format)).map(|text| text.attributes);
    let format = format.unwrap_or_default();
    let path = catalog.file_path(data_set)?;
    let open = |path: PathBuf| services.disk.open(&path, Default::default());
    let size = match path.map(|path| open(path).and_then(|file| file.size(None))) {
        None => 0,
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => 0,
        Some(size) => size.map_err(|error| refused(&format!("{}: {error}", data_set.name), 24, 0))?,
    };
    record.text("DCDDSNAM", data_set.name.as_str());
    record.number("DCDDSORG", 0x4000);
    record.number("DCDRECRD", recfm(format.recfm));
    record.number("DCDNMEXT", 1);
    record.text(
        "DCDVOLSR",
        data_set.volumes.first().map_or("", |serial| serial.as_str()),
    );
    record.number("DCDBKLNG", u64::from(format.blksize));
    record.number("DCDRCLNG", u64::from(format.lrecl));
    record.number("DCDALLSP", size.div_ceil(KB));
    record.number("DCDUSESP", size.div_ceil(KB));
    record.date("DCDCREDT", Some(data_set.history.created));
    record.date("DCDEXPDT", data_set.history.expires);
    Ok(record)
}

/// The bits of a DCB.
fn recfm(format: RecordFormat) -> u64 {
    match format {
        RecordFormat::F => 0x80,
        RecordFormat::FB => 0x90,
        RecordFormat::V => 0x40,
        RecordFormat::VB => 0x50,
        RecordFormat::VS => 0x48,
        RecordFormat::VBS => 0x58,
        _ => 0xC0,
    }
}

fn association(mut record: DcollectRecord, listed: &ListcatEntry, entry: &Entry) -> DcollectRecord {
    let organization = match entry {
        Entry::Cluster(cluster) => cluster.organization,
        _ => Organization::Ksds,
    };
    let of = match organization {
        Organization::Ksds | Organization::Vrrds => 0x80,
        Organization::Esds => 0x40,
        Organization::Rrds => 0x20,
        _ => 0x10,
    };
    let aix = if entry.kind() == EntryKind::Aix { 0x04 } else { 0 };
    let part = if listed.kind == EntryKind::Index { 0x01 } else { 0x02 };
    record.text("DCADSNAM", &listed.name);
    record.text("DCAASSOC", entry.name().as_str());
    record.number("DCAFLAG1", of | aix | part);
    if let Some(c) = &listed.component {
        let s = &c.statistics;
        let figures = [
            ("DCAHURBA", c.high_used),
            ("DCAHARBA", c.high_allocated),
            ("DCANLR", s.records),
            ("DCADLR", s.deleted),
            ("DCAINR", s.inserted),
            ("DCAUPR", s.updated),
            ("DCARTR", s.retrieved),
            ("DCAASP", s.free_space),
            ("DCACIS", s.ci_splits),
            ("DCACAS", s.ca_splits),
            ("DCAEXC", s.excps),
            ("DCARKP", u64::from(c.key_offset)),
            ("DCAKLN", u64::from(c.key_length)),
            ("DCAHURBC", c.high_used),
            ("DCAHARBC", c.high_allocated),
        ];
        for (field, value) in figures {
            record.number(field, value);
        }
    }
    record
}
