//! Which field holds what: volumes, entries and their parts. Tags are never given another meaning.

use super::fields::{text, Fields, Writer};
use crate::contents::Contents;
use crate::date::Date;
use crate::entry::{
    Aix, Alias, Attributes, Cluster, Component, Entry, Gdg, History, Keys, Log, NonVsam, Organization, PathEntry,
    RecordSize, ShareOptions, UserCatalog,
};
use crate::freespace::FreeSpace;
use crate::geometry::Device;
use crate::name::Name;
use crate::space::{Space, Unit};
use crate::volume::{Volser, Volume};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

const VOLUME: u8 = 1;
const CLUSTER: u8 = 2;
const AIX: u8 = 3;
const PATH: u8 = 4;
const GDG: u8 = 5;
const NONVSAM: u8 = 6;
const ALIAS: u8 = 7;
const USER_CATALOG: u8 = 8;

/// Kind and fields of a volume.
pub fn encode_volume(volume: &Volume) -> (u8, Vec<u8>) {
    let mut w = Writer::default();
    w.text(1, volume.serial.as_str());
    w.bytes(2, volume.directory.as_os_str().as_bytes());
    w.text(3, volume.device.name());
    (VOLUME, w.finish())
}

/// Kind and fields of an entry. Tag 1 is the name in all of them.
pub fn encode_entry(entry: &Entry) -> (u8, Vec<u8>) {
    let mut w = Writer::default();
    w.text(1, entry.name().as_str());
    let kind = match entry {
        Entry::Cluster(e) => {
            w.number(2, organization_code(e.organization));
            w.nested(3, attributes(&e.attributes));
            w.nested(4, component(&e.data));
            if let Some(index) = &e.index {
                w.nested(5, component(index));
            }
            CLUSTER
        }
        Entry::Aix(e) => {
            w.text(2, e.relate.as_str());
            w.nested(3, attributes(&e.attributes));
            w.nested(4, component(&e.data));
            w.nested(5, component(&e.index));
            w.number(6, e.unique_key);
            w.number(7, e.upgrade);
            w.number(8, e.alternate_key.length);
            w.number(9, e.alternate_key.offset);
            AIX
        }
        Entry::Path(e) => {
            w.text(2, e.target.as_str());
            w.nested(3, history(&e.history));
            w.number(4, e.update);
            PATH
        }
        Entry::Gdg(e) => {
            w.number(2, e.limit);
            w.nested(3, history(&e.history));
            w.number(4, e.scratch);
            w.number(5, e.empty);
            w.number(6, e.fifo);
            w.number(7, e.purge);
            w.number(8, e.extended);
            GDG
        }
        Entry::NonVsam(e) => {
            e.volumes.iter().for_each(|v| w.text(2, v.as_str()));
            w.nested(3, history(&e.history));
            w.text(4, &e.device);
            w.text(5, &e.file);
            NONVSAM
        }
        Entry::Alias(e) => {
            w.text(2, e.relate.as_str());
            ALIAS
        }
        Entry::UserCatalog(e) => {
            w.text(2, &e.directory);
            w.nested(3, history(&e.history));
            USER_CATALOG
        }
    };
    (kind, w.finish())
}

/// Decodes an item and puts it into `contents`. An error is a sentence for people, without place.
pub fn decode_item(kind: u8, bytes: &[u8], contents: &mut Contents) -> Result<(), String> {
    let mut f = Fields::parse(bytes)?;
    if kind == VOLUME {
        let volume = Volume {
            serial: f.parsed(1, Volser::parse)?,
            directory: PathBuf::from(OsStr::from_bytes(f.one(2)?.unwrap_or_default())),
            device: f.parsed(3, |name| {
                Device::by_name(name).ok_or_else(|| format!("no device type '{name}'"))
            })?,
        };
        f.finish()?;
        return contents.add_volume(volume).map_err(|error| error.to_string());
    }
    let name = f.parsed(1, Name::parse)?;
    let entry = decode_entry(kind, name.clone(), &mut f)
        .and_then(|entry| f.finish().map(|()| entry))
        .map_err(|what| format!("entry {name}: {what}"))?;
    contents.insert(entry).map_err(|error| error.to_string())
}

fn decode_entry(kind: u8, name: Name, f: &mut Fields<'_>) -> Result<Entry, String> {
    Ok(match kind {
        CLUSTER => {
            let code = f.number(2)?;
            let index = f
                .one(5)?
                .map(Fields::parse)
                .transpose()?
                .map(read_component)
                .transpose()?;
            Entry::Cluster(Box::new(Cluster {
                name,
                organization: organization(code).ok_or_else(|| format!("organization {code} is not known"))?,
                attributes: read_attributes(f.nested(3)?)?,
                data: read_component(f.nested(4)?)?,
                index,
            }))
        }
        AIX => Entry::Aix(Box::new(Aix {
            name,
            relate: f.parsed(2, Name::parse)?,
            attributes: read_attributes(f.nested(3)?)?,
            data: read_component(f.nested(4)?)?,
            index: read_component(f.nested(5)?)?,
            unique_key: f.flag(6)?,
            upgrade: f.flag(7)?,
            alternate_key: Keys {
                length: f.number(8)?,
                offset: f.number(9)?,
            },
        })),
        PATH => Entry::Path(PathEntry {
            name,
            target: f.parsed(2, Name::parse)?,
            history: read_history(f.nested(3)?)?,
            update: f.flag(4)?,
        }),
        GDG => Entry::Gdg(Gdg {
            name,
            limit: f.number(2)?,
            history: read_history(f.nested(3)?)?,
            scratch: f.flag(4)?,
            empty: f.flag(5)?,
            fifo: f.flag(6)?,
            purge: f.flag(7)?,
            extended: f.flag(8)?,
        }),
        NONVSAM => Entry::NonVsam(NonVsam {
            name,
            volumes: volumes(f, 2)?,
            history: read_history(f.nested(3)?)?,
            device: f.text(4)?,
            file: f.text(5)?,
        }),
        ALIAS => Entry::Alias(Alias {
            name,
            relate: f.parsed(2, Name::parse)?,
        }),
        USER_CATALOG => Entry::UserCatalog(UserCatalog {
            name,
            directory: f.text(2)?,
            history: read_history(f.nested(3)?)?,
        }),
        _ => return Err(format!("kind {kind} is not known in this format version")),
    })
}

const ORGANIZATIONS: [Organization; 5] = [
    Organization::Ksds,
    Organization::Esds,
    Organization::Rrds,
    Organization::Vrrds,
    Organization::Lds,
];

/// 1 and up in the order of [`ORGANIZATIONS`]; 0 is one this code does not know, which reading refuses.
fn organization_code(organization: Organization) -> u8 {
    ORGANIZATIONS
        .iter()
        .position(|o| *o == organization)
        .map_or(0, |i| i as u8 + 1)
}

fn organization(code: usize) -> Option<Organization> {
    ORGANIZATIONS.get(code.checked_sub(1)?).copied()
}

const UNITS: [Unit; 5] = [
    Unit::Cylinders,
    Unit::Tracks,
    Unit::Records,
    Unit::Kilobytes,
    Unit::Megabytes,
];

fn date_number(date: Option<Date>) -> u32 {
    date.map_or(0, |d| u32::from(d.year()) * 1000 + u32::from(d.day()))
}

fn date(number: u32) -> Result<Option<Date>, String> {
    if number == 0 {
        return Ok(None);
    }
    let wrong = || format!("{number} is no date");
    let year = u16::try_from(number / 1000).map_err(|_| wrong())?;
    // A remainder of 1000 fits.
    Date::new(year, (number % 1000) as u16).map(Some).ok_or_else(wrong)
}

fn history(history: &History) -> Writer {
    let mut w = Writer::default();
    w.option(1, history.owner.as_deref());
    w.number(2, date_number(Some(history.created)));
    w.number(3, date_number(history.expires));
    w
}

fn read_history(mut f: Fields<'_>) -> Result<History, String> {
    let history = History {
        owner: f.option(1)?,
        created: date(f.number(2)?)?.ok_or("the creation date is missing")?,
        expires: date(f.number(3)?)?,
    };
    f.finish()?;
    Ok(history)
}

fn attributes(a: &Attributes) -> Writer {
    let mut w = Writer::default();
    w.nested(1, history(&a.history));
    if let Some(keys) = a.keys {
        w.number(2, keys.length);
        w.number(3, keys.offset);
    }
    w.number(4, a.record_size.average);
    w.number(5, a.record_size.maximum);
    w.number(6, a.share.region);
    w.number(7, a.share.system);
    w.number(8, a.reuse);
    w.number(9, a.spanned);
    w.number(10, a.erase);
    w.number(11, a.speed);
    w.number(12, a.write_check);
    w.number(13, a.reclaim);
    w.number(14, a.inhibit);
    w.number(15, a.buffer_space);
    w.number(
        16,
        match a.log {
            None => 0u8,
            Some(Log::None) => 1,
            Some(Log::Undo) => 2,
            Some(Log::All) => 3,
        },
    );
    w.option(17, a.log_stream.as_deref());
    w.number(18, a.ccsid);
    w.option(19, a.storage_class.as_deref());
    w.option(20, a.data_class.as_deref());
    w.option(21, a.management_class.as_deref());
    for (keyword, value) in &a.other {
        let mut pair = Writer::default();
        pair.text(1, keyword);
        pair.text(2, value);
        w.nested(22, pair);
    }
    w
}

fn read_attributes(mut f: Fields<'_>) -> Result<Attributes, String> {
    let keys = Keys {
        length: f.number(2)?,
        offset: f.number(3)?,
    };
    let log = match f.number::<u8>(16)? {
        0 => None,
        1 => Some(Log::None),
        2 => Some(Log::Undo),
        3 => Some(Log::All),
        other => return Err(format!("LOG {other} is not known")),
    };
    let mut other = Vec::new();
    for pair in f.all(22) {
        let mut pair = Fields::parse(pair)?;
        other.push((pair.text(1)?, pair.text(2)?));
        pair.finish()?;
    }
    let attributes = Attributes {
        history: read_history(f.nested(1)?)?,
        keys: Some(keys).filter(|k| k.length > 0),
        record_size: RecordSize {
            average: f.number(4)?,
            maximum: f.number(5)?,
        },
        share: ShareOptions {
            region: f.number(6)?,
            system: f.number(7)?,
        },
        reuse: f.flag(8)?,
        spanned: f.flag(9)?,
        erase: f.flag(10)?,
        speed: f.flag(11)?,
        write_check: f.flag(12)?,
        reclaim: f.flag(13)?,
        inhibit: f.flag(14)?,
        buffer_space: f.number(15)?,
        log,
        log_stream: f.option(17)?,
        ccsid: f.number(18)?,
        storage_class: f.option(19)?,
        data_class: f.option(20)?,
        management_class: f.option(21)?,
        other,
    };
    f.finish()?;
    Ok(attributes)
}

fn component(c: &Component) -> Writer {
    let mut w = Writer::default();
    w.text(1, c.name.as_str());
    c.volumes.iter().for_each(|v| w.text(2, v.as_str()));
    w.text(3, &c.file);
    w.number(4, c.ci_size);
    w.number(5, c.ci_per_ca);
    w.number(6, c.tracks_per_ca);
    w.number(7, c.physical_record);
    w.number(8, c.records_per_track);
    w.number(9, UNITS.iter().position(|u| *u == c.space.unit).map_or(0, |i| i as u64));
    w.number(10, c.space.primary);
    w.number(11, c.space.secondary);
    w.number(12, c.primary_tracks);
    w.number(13, c.secondary_tracks);
    w.number(14, c.free_space.ci);
    w.number(15, c.free_space.ca);
    w.number(16, c.imbed);
    w
}

fn read_component(mut f: Fields<'_>) -> Result<Component, String> {
    let unit: usize = f.number(9)?;
    let unit = *UNITS
        .get(unit)
        .ok_or_else(|| format!("space unit {unit} is not known"))?;
    let component = Component {
        name: f.parsed(1, Name::parse)?,
        volumes: volumes(&mut f, 2)?,
        file: f.text(3)?,
        ci_size: f.number(4)?,
        ci_per_ca: f.number(5)?,
        tracks_per_ca: f.number(6)?,
        physical_record: f.number(7)?,
        records_per_track: f.number(8)?,
        space: Space {
            unit,
            primary: f.number(10)?,
            secondary: f.number(11)?,
        },
        primary_tracks: f.number(12)?,
        secondary_tracks: f.number(13)?,
        free_space: FreeSpace {
            ci: f.number(14)?,
            ca: f.number(15)?,
        },
        imbed: f.flag(16)?,
    };
    f.finish()?;
    Ok(component)
}

fn volumes(f: &mut Fields<'_>, tag: u8) -> Result<Vec<Volser>, String> {
    let parse = |value: &&[u8]| Volser::parse(&text(value)?).map_err(|error| error.to_string());
    f.all(tag).iter().map(parse).collect()
}
