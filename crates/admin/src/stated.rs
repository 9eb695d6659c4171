//! What a request says of a data set, and how it comes into the attributes: DEFINE and ALTER mean the same by the same.
//!
//! 1. What is not said changes nothing. Of two lists the later one wins: what is said of the data component goes over
//!    what is said of the cluster.
//! 2. What has no field of its own is kept as text, so that nothing that was said is lost.

use super::failure::{refused, Failure};
use cica_catalog::entry::{Attributes, History, Keys, Log, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::Space;
use cica_catalog::Date;

/// What one list of DEFINE or ALTER says of a cluster, an alternate index or one of its components.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stated {
    /// NAME, of a cluster or a component.
    pub name: Option<String>,
    /// INDEXED, NONINDEXED, NUMBERED or LINEAR.
    pub form: Option<Form>,
    /// MODEL.
    pub model: Option<Model>,
    /// KEYS.
    pub keys: Option<Keys>,
    /// RECORDSIZE.
    pub record_size: Option<RecordSize>,
    /// CYLINDERS, TRACKS, RECORDS, KILOBYTES, MEGABYTES or BLOCKS.
    pub space: Option<Space>,
    /// The space was said in blocks of 512 bytes, as FBA devices have them.
    pub in_blocks: bool,
    /// VOLUMES: serials; `*` is any.
    pub volumes: Vec<String>,
    /// CONTROLINTERVALSIZE.
    pub ci_size: Option<u32>,
    /// FREESPACE.
    pub free_space: Option<FreeSpace>,
    /// BUFFERSPACE, bytes.
    pub buffer_space: Option<u32>,
    /// IMBED (true) or NOIMBED.
    pub imbed: Option<bool>,
    /// SHAREOPTIONS.
    pub share: Option<ShareOptions>,
    /// REUSE (true) or NOREUSE.
    pub reuse: Option<bool>,
    /// SPANNED (true) or NONSPANNED.
    pub spanned: Option<bool>,
    /// COMPRESSED (true) or NOCOMPRESSED.
    pub compressed: Option<bool>,
    /// ERASE (true) or NOERASE.
    pub erase: Option<bool>,
    /// SPEED (true) or RECOVERY.
    pub speed: Option<bool>,
    /// WRITECHECK (true) or NOWRITECHECK.
    pub write_check: Option<bool>,
    /// RECLAIMCA (true) or NORECLAIMCA.
    pub reclaim: Option<bool>,
    /// INHIBIT (true) or UNINHIBIT.
    pub inhibit: Option<bool>,
    /// CCSID.
    pub ccsid: Option<u16>,
    /// LOG.
    pub log: Option<Log>,
    /// LOGSTREAMID.
    pub log_stream: Option<String>,
    /// STORAGECLASS.
    pub storage_class: Option<String>,
    /// DATACLASS.
    pub data_class: Option<String>,
    /// MANAGEMENTCLASS.
    pub management_class: Option<String>,
    /// OWNER, TO and FOR.
    pub tenure: Tenure,
    /// Of a data set made for a COBOL program: the bytes in front of each record that hold its keys of several parts.
    pub cobol_head: Option<u16>,
    /// Of one made for an ISAM program: its key, where that is more than a place in the record.
    pub isam_key: Option<String>,
    /// Keywords without a field of their own, and what was said between their parentheses.
    pub other: Vec<(&'static str, String)>,
}

/// How the records of a cluster are reached, as DEFINE says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By key: KSDS.
    Indexed,
    /// By address: ESDS.
    NonIndexed,
    /// By number: RRDS where all records have one length, else VRRDS.
    Numbered,
    /// Bytes: LDS.
    Linear,
}

impl Form {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Form::Indexed => "INDEXED",
            Form::NonIndexed => "NONINDEXED",
            Form::Numbered => "NUMBERED",
            Form::Linear => "LINEAR",
        }
    }
}

/// An entry whose attributes are taken where nothing is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// A cluster, an alternate index, a component or a path.
    pub entry: String,
    /// The catalog it is in; none: the one that the search order finds.
    pub catalog: Option<String>,
}

/// Whose an entry is, and how long it stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tenure {
    /// OWNER.
    pub owner: Option<String>,
    /// TO or FOR.
    pub expires: Option<Retention>,
}

/// Until when an entry is not deleted without PURGE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// So many days from today; 9,999: for ever.
    Days(u32),
    /// A day of a year; day 999: for ever.
    Until {
        /// Four digits.
        year: u32,
        /// 1 to 366, or 999.
        day: u16,
    },
}

/// The layout a reorganized data set gets; what is not said stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewLayout {
    /// ORGANIZATION.
    pub form: Option<Form>,
    /// KEYS.
    pub keys: Option<Keys>,
    /// RECORDSIZE.
    pub record_size: Option<RecordSize>,
    /// CONTROLINTERVALSIZE.
    pub ci_size: Option<u32>,
    /// FREESPACE.
    pub free_space: Option<FreeSpace>,
    /// COMPRESSED (true) or NOCOMPRESSED.
    pub compressed: Option<bool>,
}

impl Stated {
    /// Puts what is said into `attributes`; `today` is what FOR counts from.
    pub(crate) fn put(&self, attributes: &mut Attributes, today: Date) -> Result<(), Failure> {
        self.tenure.put(&mut attributes.history, today)?;
        attributes.keys = self.keys.or(attributes.keys);
        set(&mut attributes.record_size, self.record_size);
        set(&mut attributes.share, self.share);
        set(&mut attributes.reuse, self.reuse);
        set(&mut attributes.spanned, self.spanned);
        set(&mut attributes.compressed, self.compressed);
        set(&mut attributes.erase, self.erase);
        set(&mut attributes.speed, self.speed);
        set(&mut attributes.write_check, self.write_check);
        set(&mut attributes.reclaim, self.reclaim);
        set(&mut attributes.inhibit, self.inhibit);
        set(&mut attributes.ccsid, self.ccsid);
        attributes.log = self.log.or(attributes.log);
        set_text(&mut attributes.log_stream, &self.log_stream);
        set_text(&mut attributes.storage_class, &self.storage_class);
        set_text(&mut attributes.data_class, &self.data_class);
        set_text(&mut attributes.management_class, &self.management_class);
        attributes.cobol_head = self.cobol_head.or(attributes.cobol_head);
        set_text(&mut attributes.isam_key, &self.isam_key);
        keep(&mut attributes.other, &self.other);
        Ok(())
    }
}

impl Tenure {
    /// Puts what is said into an entry's history.
    pub(crate) fn put(&self, history: &mut History, today: Date) -> Result<(), Failure> {
        set_text(&mut history.owner, &self.owner);
        match self.expires {
            None => {}
            Some(Retention::Days(9_999)) => history.expires = Some(Date::NEVER),
            Some(Retention::Days(days)) => history.expires = Some(today.plus_days(days)),
            Some(Retention::Until { year, day }) => history.expires = Some(date(year, day)?),
        }
        Ok(())
    }
}

/// A day of a year; day 999 means never, which is the last day there is.
fn date(year: u32, day: u16) -> Result<Date, Failure> {
    let found = u16::try_from(year).ok().and_then(|year| match day {
        999 => Date::new(year, 1).map(|first| first.plus_days(u32::MAX)),
        day => Date::new(year, day),
    });
    found.ok_or_else(|| {
        let words = format!("{year:04}.{day:03} is no day of the years 1900 to 2155; correct TO");
        refused(&words, 140, 0)
    })
}

/// Keywords, and what each of them ends.
const OPPOSITES: [(&str, &str); 2] = [("RLSQUIESCE", "RLSENABLE"), ("RLSENABLE", "RLSQUIESCE")];

/// Keeps as text what has no field of its own.
pub(crate) fn keep(kept: &mut Vec<(String, String)>, stated: &[(&'static str, String)]) {
    for (keyword, text) in stated {
        if let Some((_, other)) = OPPOSITES.iter().find(|(stated, _)| stated == keyword) {
            kept.retain(|(old, _)| old != other);
        }
        match kept.iter_mut().find(|(old, _)| old == keyword) {
            Some((_, old)) => old.clone_from(text),
            None => kept.push(((*keyword).to_owned(), text.clone())),
        }
    }
}

/// Takes the text of a keyword away.
pub(crate) fn forget(attributes: &mut Attributes, keyword: &str) {
    attributes.other.retain(|(stated, _)| stated != keyword);
}

/// The text kept for a keyword.
pub(crate) fn kept<'a>(attributes: &'a Attributes, keyword: &str) -> Option<&'a str> {
    let found = attributes.other.iter().find(|(stated, _)| stated == keyword);
    found.map(|(_, text)| text.as_str())
}

fn set_text(field: &mut Option<String>, stated: &Option<String>) {
    if stated.is_some() {
        field.clone_from(stated);
    }
}

fn set<T>(field: &mut T, stated: Option<T>) {
    if let Some(value) = stated {
        *field = value;
    }
}
