//! The one table of LISTCAT's fields, group by group, in the rows of the listing.

mod cluster;
mod component;
mod file;
mod volume;

pub use cluster::{ACCOUNT, CLASSES, ENCRYPTION, HISTORY, LOGSTREAM, MANAGED, RECOVERY, RLSDATA, SMSDATA};
pub use component::{ALLOCATION, ATTRIBUTES, CCSID, INDEX, STATISTICS};
pub use file::{FileVolume, FILE, FILE_VOLUMES, STATUS};
pub use volume::{OnTracks, OnVolume, EXTENT, SPACE, VOLUME, VOLUMES};

use super::field::Shown;

fn text(value: &Option<String>) -> Shown {
    value.clone().map_or(Shown::Null, Shown::Text)
}

fn word(word: impl ToString) -> Shown {
    Shown::Text(word.to_string())
}

fn number(n: impl Into<u64>) -> Shown {
    Shown::Number(n.into())
}
