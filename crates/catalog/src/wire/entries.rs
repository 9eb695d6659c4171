//! Which field holds what in volumes and entries. Tags are never given another meaning.

use super::fields::{text, Fields, Writer};
use super::parts::{
    attributes, component, date, date_number, history, others, read_attributes, read_component, read_history,
    read_others, volumes,
};
use crate::contents::{Contents, Move};
use crate::entry::{
    Aix, Alias, Cluster, Entry, FileOf, Gdg, Keys, NonVsam, Organization, PathEntry, Relate, UserCatalog,
};
use crate::geometry::Device;
use crate::name::Name;
use crate::symbols::Symbolic;
use crate::volume::{Volser, Volume, VolumeFile};
use cica_disk::FileName;
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
const MOVE: u8 = 9;
const LEFTOVER: u8 = 10;

/// Kind and fields of a volume.
pub fn encode_volume(volume: &Volume) -> (u8, Vec<u8>) {
    let mut w = Writer::default();
    w.text(1, volume.serial.as_str());
    w.bytes(2, volume.directory.as_os_str().as_bytes());
    w.text(3, volume.device.name());
    w.number(4, volume.cylinders.unwrap_or(0));
    (VOLUME, w.finish())
}

/// Kind and fields of a leftover.
pub fn encode_leftover((serial, file): &VolumeFile, erase: bool) -> (u8, Vec<u8>) {
    let mut w = Writer::default();
    w.text(1, serial.as_str());
    w.text(2, file.as_str());
    w.number(3, erase);
    (LEFTOVER, w.finish())
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
            // One more than the byte: what is not there is zero.
            w.number(10, e.suppressed.map_or(0, |byte| u64::from(byte) + 1));
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
            w.number(9, date_number(e.altered));
            GDG
        }
        Entry::NonVsam(e) => {
            e.volumes.iter().for_each(|v| w.text(2, v.as_str()));
            w.nested(3, history(&e.history));
            w.text(4, &e.device);
            w.text(5, e.file.text());
            w.text(6, &e.format);
            w.text(7, &e.sequence);
            NONVSAM
        }
        Entry::Alias(e) => {
            match &e.relate {
                Relate::Entry(name) => w.text(2, name.as_str()),
                Relate::Symbolic(text) => w.text(3, text.as_str()),
            }
            ALIAS
        }
        Entry::UserCatalog(e) => {
            w.text(2, &e.directory);
            w.nested(3, history(&e.history));
            others(&mut w, 4, &e.other);
            USER_CATALOG
        }
    };
    (kind, w.finish())
}

/// Kind and fields of a move.
pub fn encode_move(on_its_way: &Move) -> (u8, Vec<u8>) {
    let mut w = Writer::default();
    w.number(1, on_its_way.number);
    w.bytes(2, on_its_way.other.as_os_str().as_bytes());
    on_its_way.names.iter().for_each(|name| w.text(3, name.as_str()));
    w.number(4, on_its_way.incoming);
    (MOVE, w.finish())
}

fn decode_move(mut f: Fields<'_>) -> Result<Move, String> {
    let parse = |value: &&[u8]| Name::parse(&text(value)?).map_err(|error| error.to_string());
    let on_its_way = Move {
        number: f.number(1)?,
        other: PathBuf::from(OsStr::from_bytes(f.one(2)?.unwrap_or_default())),
        names: f.all(3).iter().map(parse).collect::<Result<_, _>>()?,
        incoming: f.flag(4)?,
    };
    f.finish()?;
    Ok(on_its_way)
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
            cylinders: Some(f.number(4)?).filter(|cylinders| *cylinders > 0),
        };
        f.finish()?;
        return contents.add_volume(volume).map_err(|error| error.to_string());
    }
    if kind == MOVE {
        contents.begin_move(decode_move(f)?);
        return Ok(());
    }
    if kind == LEFTOVER {
        contents.add_leftover(&f.parsed(1, Volser::parse)?, &f.parsed(2, FileName::parse)?, f.flag(3)?);
        return f.finish();
    }
    contents.insert(entry_of(kind, f)?).map_err(|error| error.to_string())
}

/// Decodes the fields of an entry, out of a catalog or a portable copy. An error is a sentence for people.
pub fn decode_entry(kind: u8, bytes: &[u8]) -> Result<Entry, String> {
    entry_of(kind, Fields::parse(bytes)?)
}

fn entry_of(kind: u8, mut f: Fields<'_>) -> Result<Entry, String> {
    let name = f.parsed(1, Name::parse)?;
    read_entry(kind, name.clone(), &mut f)
        .and_then(|entry| f.finish().map(|()| entry))
        .map_err(|what| format!("entry {name}: {what}"))
}

fn read_entry(kind: u8, name: Name, f: &mut Fields<'_>) -> Result<Entry, String> {
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
            suppressed: match f.number::<u16>(10)?.checked_sub(1) {
                Some(byte) => Some(u8::try_from(byte).map_err(|_| "field 10 is no byte".to_string())?),
                None => None,
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
            altered: date(f.number(9)?)?,
        }),
        NONVSAM => Entry::NonVsam(NonVsam {
            name,
            volumes: volumes(f, 2)?,
            history: read_history(f.nested(3)?)?,
            device: f.text(4)?,
            file: f.parsed(5, FileOf::parse)?,
            format: f.text(6)?,
            sequence: f.text(7)?,
        }),
        ALIAS => Entry::Alias(Alias {
            name,
            relate: match f.text(3)? {
                text if text.is_empty() => Relate::Entry(f.parsed(2, Name::parse)?),
                text => Relate::Symbolic(Symbolic::parse(&text).map_err(|error| error.to_string())?),
            },
        }),
        USER_CATALOG => Entry::UserCatalog(UserCatalog {
            name,
            directory: f.text(2)?,
            history: read_history(f.nested(3)?)?,
            other: read_others(f, 4)?,
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
