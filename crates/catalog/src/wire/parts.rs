//! Which field holds what in the parts that entries share: history, attributes, components. Tags are never given
//! another meaning.

use super::fields::{text, Fields, Writer};
use crate::attributes::{Attributes, History, Keys, Log, RecordSize, ShareOptions};
use crate::component::Component;
use crate::date::Date;
use crate::freespace::FreeSpace;
use crate::name::Name;
use crate::space::{Space, Unit};
use crate::volume::Volser;
use cica_disk::FileName;

const UNITS: [Unit; 5] = [
    Unit::Cylinders,
    Unit::Tracks,
    Unit::Records,
    Unit::Kilobytes,
    Unit::Megabytes,
];

pub fn date_number(date: Option<Date>) -> u32 {
    date.map_or(0, |d| u32::from(d.year()) * 1000 + u32::from(d.day()))
}

pub fn date(number: u32) -> Result<Option<Date>, String> {
    if number == 0 {
        return Ok(None);
    }
    let wrong = || format!("{number} is no date");
    let year = u16::try_from(number / 1000).map_err(|_| wrong())?;
    // A remainder of 1000 fits.
    Date::new(year, (number % 1000) as u16).map(Some).ok_or_else(wrong)
}

pub fn history(history: &History) -> Writer {
    let mut w = Writer::default();
    w.option(1, history.owner.as_deref());
    w.number(2, date_number(Some(history.created)));
    w.number(3, date_number(history.expires));
    w
}

pub fn read_history(mut f: Fields<'_>) -> Result<History, String> {
    let history = History {
        owner: f.option(1)?,
        created: date(f.number(2)?)?.ok_or("the creation date is missing")?,
        expires: date(f.number(3)?)?,
    };
    f.finish()?;
    Ok(history)
}

pub fn attributes(a: &Attributes) -> Writer {
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
    w.number(23, a.exported);
    w.number(24, cobol_head_number(a.cobol_head));
    // An earlier version would store records plain beside compressed ones; it refuses an entry with this field.
    if a.compressed {
        w.number(25, a.compressed);
    }
    // An earlier version would let records be stored without what the key is made of.
    w.option(30, a.isam_key.as_deref());
    others(&mut w, 22, &a.other);
    w
}

/// Says of every entry whether it has a head. An entry of an earlier version has no such field.
fn cobol_head_number(head: Option<u16>) -> u32 {
    head.map_or(1, |head| u32::from(head) + 2)
}

/// What the field says; what the owner says in an entry of an earlier version: `COBOL`, or `COB` and five digits.
fn cobol_head(number: u32, owner: Option<&str>) -> Result<Option<u16>, String> {
    match (number, owner) {
        (0, Some("COBOL")) => Ok(Some(0)),
        (0, Some(owner)) => {
            let digits = owner.strip_prefix("COB").filter(|digits| digits.len() == 5);
            Ok(digits.and_then(|digits| digits.parse().ok()))
        }
        (0 | 1, _) => Ok(None),
        (number, _) => match u16::try_from(number - 2) {
            Ok(head) => Ok(Some(head)),
            Err(_) => Err(format!("a head of {} bytes is longer than any", number - 2)),
        },
    }
}

/// Keywords with their values as text.
pub fn others(w: &mut Writer, tag: u8, other: &[(String, String)]) {
    for (keyword, value) in other {
        let mut pair = Writer::default();
        pair.text(1, keyword);
        pair.text(2, value);
        w.nested(tag, pair);
    }
}

pub fn read_others(f: &mut Fields<'_>, tag: u8) -> Result<Vec<(String, String)>, String> {
    let mut other = Vec::new();
    for pair in f.all(tag) {
        let mut pair = Fields::parse(pair)?;
        other.push((pair.text(1)?, pair.text(2)?));
        pair.finish()?;
    }
    Ok(other)
}

pub fn read_attributes(mut f: Fields<'_>) -> Result<Attributes, String> {
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
    let other = read_others(&mut f, 22)?;
    let history = read_history(f.nested(1)?)?;
    let attributes = Attributes {
        cobol_head: cobol_head(f.number(24)?, history.owner.as_deref())?,
        history,
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
        compressed: f.flag(25)?,
        erase: f.flag(10)?,
        speed: f.flag(11)?,
        write_check: f.flag(12)?,
        reclaim: f.flag(13)?,
        inhibit: f.flag(14)?,
        exported: f.flag(23)?,
        buffer_space: f.number(15)?,
        log,
        log_stream: f.option(17)?,
        ccsid: f.number(18)?,
        storage_class: f.option(19)?,
        data_class: f.option(20)?,
        management_class: f.option(21)?,
        isam_key: f.option(30)?,
        other,
    };
    f.finish()?;
    Ok(attributes)
}

pub fn component(c: &Component) -> Writer {
    let mut w = Writer::default();
    w.text(1, c.name.as_str());
    c.volumes.iter().for_each(|v| w.text(2, v.as_str()));
    w.text(3, c.file.as_str());
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

pub fn read_component(mut f: Fields<'_>) -> Result<Component, String> {
    let unit: usize = f.number(9)?;
    let unit = *UNITS
        .get(unit)
        .ok_or_else(|| format!("space unit {unit} is not known"))?;
    let component = Component {
        name: f.parsed(1, Name::parse)?,
        volumes: volumes(&mut f, 2)?,
        file: f.parsed(3, FileName::parse)?,
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

pub fn volumes(f: &mut Fields<'_>, tag: u8) -> Result<Vec<Volser>, String> {
    let parse = |value: &&[u8]| Volser::parse(&text(value)?).map_err(|error| error.to_string());
    f.all(tag).iter().map(parse).collect()
}
