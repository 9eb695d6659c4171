//! What can be had of a damaged cluster, read from its files alone. What is proven is told apart from what is not.
//!
//! * V1. Nothing is changed: the files are opened for reading, under a shared lock, and no log is replayed. What the
//!   log says came after the last commit is laid over what was found (`later.rs`).
//! * V2. A record is *sure* only if every reference from a root down to its CI holds: it is the one of the last commit.
//!   All else that looks like a record is *doubtful*, and says why.
//! * V3. Every CI that held records, or may have, and gives none is told as a loss with its place.
//!
//! | lost | where the CIs are found | their records |
//! |---|---|---|
//! | index component | CA headers | sure; spanned ones doubtful |
//! | one copy of the root | the other | sure |
//! | both copies of the root | CA headers, sizes learned from them | doubtful |
//! | table block | newest copy of each CA header | doubtful |
//! | committed copy of a CA header | the other copy | doubtful |
//! | both copies | slots that no other CA refers to, where a record carries its key | doubtful |
//! | image of a CI | itself, if its control information still adds up | doubtful |
//! | the log that the root names | what is on the volume, as of the last commit | doubtful |

mod dictionaries;
mod emit;
mod geometry;
mod keyed;
mod later;
mod remains;
mod report;
mod sequence;
mod source;
mod unkeyed;

pub use report::{Doubt, Doubtful, Loss, Report};

use crate::error::OpenError;
use cica_disk::Disk;
use cica_format::attributes::{Attributes, Organization};
use cica_format::ci::{self, Segment};
use cica_format::root::Part;
use dictionaries::Dictionaries;
use emit::Emit;
use later::Later;
use remains::Remains;
use sequence::Sequence;
use source::Source;
use std::path::Path;

/// A damaged cluster, opened.
#[derive(Debug)]
pub struct Salvage {
    data: Remains,
    attributes: Attributes,
    sequence: Option<Sequence>,
    /// What the log has that came after the last commit.
    later: Option<Later>,
    /// The dictionaries of a compressed data set.
    dictionaries: Option<Dictionaries>,
    notes: Vec<String>,
}

/// A record that was found.
#[derive(Debug, Clone, Copy)]
pub struct SalvagedRecord<'r> {
    /// The record as its user knows it; of a linear data set a control interval.
    pub bytes: &'r [u8],
    /// Where it was, if the CI's number is known.
    pub rba: Option<u64>,
    /// Relative record number, of relative data sets.
    pub rrn: Option<u32>,
    /// What speaks against it; none: it is sure.
    pub doubt: Option<Doubt>,
}

impl Salvage {
    /// Opens what is left of a cluster. `index` is empty where there is none or it is lost; `known` are the data
    /// component's attributes from elsewhere (a catalog), for when its root is lost; `logs` is the log directory of its
    /// catalog, none: where the root says.
    ///
    /// # Errors
    /// The data component is not there or open for output; or so little is left of it that nothing tells what it was.
    pub fn open(
        disk: &dyn Disk,
        data: &Path,
        index: &Path,
        known: Option<&Attributes>,
        logs: Option<&Path>,
    ) -> Result<Salvage, OpenError> {
        let mut notes = Vec::new();
        let index_source = if index.as_os_str().is_empty() {
            None
        } else {
            Source::open(disk, index)
                .inspect_err(|error| notes.push(format!("index component: {error}")))
                .ok()
        };
        let mut data = Remains::of(Source::open(disk, data)?, Part::Data, known)?;
        let later = match data.root.as_ref().filter(|root| root.log.log != 0) {
            Some(root) => Later::of(disk, root, logs)
                .inspect_err(|why| notes.push(why.clone()))
                .ok(),
            None => None,
        };
        data.of_log = match &later {
            None => Some(Doubt::Log),
            Some(later) if !later.gaps.is_empty() => Some(Doubt::Gap),
            Some(_) => None,
        };
        if let (Some(root), Some(later)) = (&data.root, &later) {
            let log = later.log(root);
            notes.extend(later.gaps.iter().map(|gap| format!("the log {log}: {gap}")));
        }
        let index = index_source.and_then(|source| {
            Remains::of(source, Part::Index, None)
                .inspect_err(|error| notes.push(format!("index component: {error}")))
                .ok()
        });
        let from_index = index
            .as_ref()
            .and_then(|i| i.root.as_ref())
            .map(|root| &root.attributes);
        let attributes_known = data.root.as_ref().map(|root| &root.attributes).or(known).or(from_index);
        let mut attributes = attributes_known.cloned().ok_or_else(|| OpenError::Unusable {
            path: data.file.path.clone(),
            what: "both copies of its root are lost, and neither a catalog nor an index component tells where its \
                   records have their keys"
                .into(),
        })?;
        attributes.ci_size = data.layout.ci_size as u32;
        attributes.ci_per_ca = data.layout.ci_per_ca as u16;
        notes.extend(data.notes.iter().map(|note| format!("data component: {note}")));
        let sequence = index.as_ref().map(|index| {
            notes.extend(index.notes.iter().map(|note| format!("index component: {note}")));
            Sequence::of(index, &data)
        });
        let dictionaries = attributes
            .compressed
            .then(|| Dictionaries::of(&data.file, &attributes, data.root.as_ref(), &mut notes));
        if attributes.organization.has_index() && sequence.as_ref().is_none_or(|s| !s.is_sure) {
            notes.push("the index does not lead to all control areas; records were found without it".into());
        }
        Ok(Salvage {
            data,
            attributes,
            sequence,
            later,
            dictionaries,
            notes,
        })
    }

    /// What the data component is.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The log that holds requests which came after the last commit.
    pub fn later_requests(&self) -> Option<String> {
        let root = self.data.root.as_ref().filter(|root| root.log.log != 0)?;
        let named = || root.log.path.clone();
        Some(self.later.as_ref().map_or_else(named, |later| later.log(root)))
    }

    /// Hands on what is found, in the order of keys, RBAs or relative record numbers, and reports. What has no known
    /// place comes last.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn run<E>(&self, take: &mut dyn FnMut(SalvagedRecord<'_>) -> Result<(), E>) -> Result<Report, E> {
        let added = self.later.as_ref().map_or(0, |later| later.added);
        let whole = self.later.as_ref().is_none_or(|later| later.gaps.is_empty());
        let counted = self
            .data
            .root
            .as_ref()
            .map(|root| root.statistics.records)
            .filter(|_| whole);
        let report = Report {
            counted: counted.map(|counted| counted.saturating_add_signed(added)),
            later_requests: self.later.as_ref().map(|later| later.requests),
            notes: self.notes.clone(),
            ..Report::default()
        };
        let mut emit = Emit::new(self, report, take);
        match self.attributes.organization {
            Organization::Ksds | Organization::Vrrds => keyed::run(self, &mut emit)?,
            _ => unkeyed::run(self, &mut emit)?,
        }
        let mut report = emit.end()?;
        if self.attributes.organization == Organization::Lds {
            report.counted = None;
        }
        Ok(report)
    }

    /// Where keys stand in stored records.
    fn key(&self) -> (usize, usize) {
        match self.attributes.organization {
            Organization::Vrrds => (0, 4),
            _ => (
                self.attributes.key_offset as usize,
                usize::from(self.attributes.key_length),
            ),
        }
    }

    fn loss(&self, ca: u32, n: Option<usize>, why: String) -> Loss {
        let first = self.data.layout.join(ca, n.unwrap_or(0) as u32);
        Loss {
            ca,
            ci: n.map(|_| first),
            rba: u64::from(first) * self.data.layout.ci_size as u64,
            why,
            ..Loss::default()
        }
    }
}

/// Records of an image, or the segment that it is.
struct Content {
    segment: Segment,
    update_number: u16,
    /// Offset and length of each.
    spans: Vec<(u16, u16)>,
}

impl Content {
    /// # Errors
    /// Its control information contradicts itself.
    fn of(image: &[u8]) -> Result<Content, String> {
        let mut spans = Vec::new();
        let layout = ci::parse(image, &mut spans).map_err(|e| e.to_string())?;
        Ok(Content {
            segment: layout.segment,
            update_number: layout.update_number,
            spans,
        })
    }

    fn records<'i>(&'i self, image: &'i [u8]) -> impl Iterator<Item = &'i [u8]> + 'i {
        let part = |&(at, len): &(u16, u16)| &image[usize::from(at)..usize::from(at) + usize::from(len)];
        self.spans.iter().map(part)
    }
}
