//! What a salvage says besides the records: what is doubtful and why, what is lost and where.

use std::fmt;

/// Why something that looks like a record is not proven to be one of the data set now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// A log that cannot be read holds requests that came after the last commit; what is on the volume may be older.
    Log,
    /// Requests that the log had are lost in the middle of it; this may be older than the data set was.
    Gap,
    /// Both copies of the root are lost.
    Root,
    /// The table block is lost that names the CA's header.
    Table,
    /// The committed copy of the CA's header is lost; the other copy, of another moment, leads here.
    Header,
    /// Both copies of the header are lost; the image lies in a slot that nothing refers to.
    NoHeader,
    /// The image is not the one that was written: bytes may be wrong.
    Image,
    /// Segments put together without an index that says their order.
    Segments,
    /// The CI's keys overlap those of another.
    Order,
}

impl Doubt {
    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Doubt::Log => "log",
            Doubt::Gap => "gap",
            Doubt::Root => "root",
            Doubt::Table => "table",
            Doubt::Header => "header",
            Doubt::NoHeader => "no-header",
            Doubt::Image => "image",
            Doubt::Segments => "segments",
            Doubt::Order => "order",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::Log => "a log that cannot be read holds later requests; this is the state of the last commit",
            Doubt::Gap => "later requests in the log are damaged; this may be the state before them",
            Doubt::Root => "both copies of the root are lost; nothing says that this is the newest state",
            Doubt::Table => "its table block is lost; nothing says that this is the newest state",
            Doubt::Header => "the committed copy of its CA header is lost; this is what the other copy names",
            Doubt::NoHeader => "both copies of its CA header are lost; this may be an image of an earlier moment",
            Doubt::Image => "the control interval is damaged; bytes may be wrong",
            Doubt::Segments => "segments were put together without an index that says their order",
            Doubt::Order => "its keys overlap those of another control interval",
        })
    }
}

/// A place that held records, or may have, and gives none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loss {
    /// Control area.
    pub ca: u32,
    /// Control interval in the component; none: the whole control area.
    pub ci: Option<u32>,
    /// RBA of the control interval or control area.
    pub rba: u64,
    /// What is wrong with it.
    pub why: String,
    /// Its keys were above this one (the beginning of a key), if that is known.
    pub above: Option<Vec<u8>>,
    /// Its keys were not above this one, continued with X'FF'; empty: up to the highest.
    pub up_to: Option<Vec<u8>>,
}

/// Doubtful records of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubtful {
    /// Control area; none: they are in the log alone.
    pub ca: Option<u32>,
    /// Control interval; none: not known.
    pub ci: Option<u32>,
    /// Why.
    pub why: Doubt,
    /// How many records were handed on.
    pub records: u64,
    /// Records not handed on, because a proven control interval holds their range of keys, or another record had the
    /// same key.
    pub superseded: u64,
}

/// What a salvage came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that are proven to be those of the last commit, or of the log behind it.
    pub sure: u64,
    /// Records that are not.
    pub doubtful: u64,
    /// Records the data set should have, by its root and its log; none: one of them does not say it wholly.
    pub counted: Option<u64>,
    /// Requests of the log that came after the last commit; none: no log is named, or it cannot be read.
    pub later_requests: Option<u64>,
    /// Sure records that came from the log.
    pub from_log: u64,
    /// Where the doubtful ones came from.
    pub doubts: Vec<Doubtful>,
    /// What is lost.
    pub losses: Vec<Loss>,
    /// What else was found wrong and cost no record.
    pub notes: Vec<String>,
}

impl Report {
    /// Is every record there, and every one of them proven?
    pub fn is_whole(&self) -> bool {
        self.losses.is_empty() && self.doubtful == 0 && self.counted == Some(self.sure)
    }

    /// Records that are certainly missing, as far as the root tells how many there were.
    pub fn missing(&self) -> Option<u64> {
        self.counted.map(|n| n.saturating_sub(self.sure + self.doubtful))
    }
}
