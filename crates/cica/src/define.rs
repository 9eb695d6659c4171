//! What can be defined: clusters of each organization, alternate indexes, paths.
//!
//! What is not said is as IDCAMS has it, but for the space: a data set begins with 5 megabytes and grows by 50. What
//! has no function here is said by [`Definition::with`], in the words of DEFINE.

use cica_admin::define::{Alternate, DefineCluster, DefinePath};
use cica_admin::stated::{Form, Stated};
use cica_admin::{Outcome, Services};
use cica_catalog::attributes::{Keys, RecordSize};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use std::marker::PhantomData;
use std::ops::Range;

/// Something that can be defined.
pub trait Define {
    /// Its name.
    fn name(&self) -> &str;

    /// Defines it.
    fn define(self, services: &mut Services) -> Outcome;
}

/// A cluster or an alternate index, to be defined; `O` says which.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "nothing is defined before `Store::define`"]
pub struct Definition<O> {
    request: DefineCluster,
    of: PhantomData<O>,
}

/// Organizations, which say what may be said of a data set.
pub mod organization {
    /// Records by key.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Keyed {}
    /// Records in the order they came.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Entered {}
    /// Records of one length, by number.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Slots {}
    /// Records of any length, by number.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Numbered {}
    /// Bytes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Linear {}
    /// An index over another cluster.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Over {}
}

use organization::{Entered, Keyed, Linear, Numbered, Over, Slots};

/// A key-sequenced data set.
pub type Ksds = Definition<Keyed>;
/// An entry-sequenced data set.
pub type Esds = Definition<Entered>;
/// A relative record data set.
pub type Rrds = Definition<Slots>;
/// A relative record data set with records of any length.
pub type Vrrds = Definition<Numbered>;
/// A linear data set.
pub type Lds = Definition<Linear>;
/// An alternate index.
pub type AlternateIndex = Definition<Over>;

impl Definition<Keyed> {
    /// A key-sequenced data set. Say where its key is, and how long its records are.
    pub fn new(name: impl Into<String>) -> Ksds {
        begin(name, Some(Form::Indexed))
    }

    /// Where the key is in a record, in bytes from 0: 1 to 255 bytes.
    pub fn key(self, bytes: Range<u32>) -> Ksds {
        self.keys(bytes)
    }
}

impl Definition<Entered> {
    /// An entry-sequenced data set. Say how long its records are.
    pub fn new(name: impl Into<String>) -> Esds {
        begin(name, Some(Form::NonIndexed))
    }
}

impl Definition<Slots> {
    /// A relative record data set. Say how long each of its records is.
    pub fn new(name: impl Into<String>) -> Rrds {
        begin(name, Some(Form::Numbered))
    }

    /// The length of each record.
    pub fn record_length(self, bytes: u32) -> Rrds {
        self.records(bytes, bytes)
    }
}

impl Definition<Numbered> {
    /// A relative record data set with records of any length. Say how long they are: the longest is longer than the
    /// average.
    pub fn new(name: impl Into<String>) -> Vrrds {
        begin(name, Some(Form::Numbered))
    }
}

impl Definition<Linear> {
    /// A linear data set.
    pub fn new(name: impl Into<String>) -> Lds {
        begin(name, Some(Form::Linear))
    }
}

impl Definition<Over> {
    /// An alternate index over a cluster. Say where the alternate key is. It is kept up with its base, and many records
    /// may have one key.
    pub fn new(name: impl Into<String>, base: impl Into<String>) -> AlternateIndex {
        let mut index: AlternateIndex = begin(name, None);
        index.request.alternate = Some(Alternate {
            relate: Some(base.into()),
            ..Alternate::default()
        });
        index
    }

    /// Where the alternate key is in a record of the base, in bytes from 0.
    pub fn key(self, bytes: Range<u32>) -> AlternateIndex {
        self.keys(bytes)
    }

    /// No two records have the same alternate key.
    pub fn unique(self) -> AlternateIndex {
        self.alternate(|of| of.unique_key = Some(true))
    }

    /// It is not kept up with its base: it is as it was built.
    pub fn no_upgrade(self) -> AlternateIndex {
        self.alternate(|of| of.upgrade = Some(false))
    }

    fn alternate(mut self, change: impl FnOnce(&mut Alternate)) -> AlternateIndex {
        change(self.request.alternate.get_or_insert_default());
        self
    }
}

impl<O> Definition<O> {
    /// How long records are in bytes, on the average and at most.
    pub fn records(self, average: u32, maximum: u32) -> Self {
        self.stated(|stated| stated.record_size = Some(RecordSize { average, maximum }))
    }

    /// The space it begins with and grows by, up to 122 times; 0: it does not grow.
    pub fn space(self, unit: Unit, primary: u64, secondary: u64) -> Self {
        let space = Space {
            unit,
            primary,
            secondary,
        };
        self.stated(|stated| stated.space = Some(space))
    }

    /// The volume it is on, by its serial; said again, another volume to go on with.
    pub fn volume(self, serial: impl Into<String>) -> Self {
        self.stated(|stated| stated.volumes.push(serial.into()))
    }

    /// The size of a control interval of the data component.
    pub fn ci_size(mut self, bytes: u32) -> Self {
        self.request.data.get_or_insert_default().ci_size = Some(bytes);
        self
    }

    /// Percent of each control interval, and of the intervals of each control area, that a load leaves free.
    pub fn free_space(self, ci: u8, ca: u8) -> Self {
        self.stated(|stated| stated.free_space = Some(FreeSpace { ci, ca }))
    }

    /// It may be emptied by an open.
    pub fn reuse(self) -> Self {
        self.stated(|stated| stated.reuse = Some(true))
    }

    /// A record may be longer than a control interval.
    pub fn spanned(self) -> Self {
        self.stated(|stated| stated.spanned = Some(true))
    }

    /// What is behind the key of each record is stored compressed.
    pub fn compressed(self) -> Self {
        self.stated(|stated| stated.compressed = Some(true))
    }

    /// Whatever else DEFINE knows.
    pub fn with(mut self, say: impl FnOnce(&mut DefineCluster)) -> Self {
        say(&mut self.request);
        self
    }

    fn keys(self, bytes: Range<u32>) -> Self {
        // A length that no key has is told by DEFINE.
        let length = bytes.end.saturating_sub(bytes.start).try_into().unwrap_or(u16::MAX);
        let offset = bytes.start;
        self.stated(|stated| stated.keys = Some(Keys { length, offset }))
    }

    fn stated(mut self, say: impl FnOnce(&mut Stated)) -> Self {
        say(&mut self.request.cluster);
        self
    }
}

fn begin<O>(name: impl Into<String>, form: Option<Form>) -> Definition<O> {
    let space = Space {
        unit: Unit::Megabytes,
        primary: 5,
        secondary: 50,
    };
    let cluster = Stated {
        name: Some(name.into()),
        form,
        space: Some(space),
        ..Stated::default()
    };
    Definition {
        request: DefineCluster {
            cluster,
            ..DefineCluster::default()
        },
        of: PhantomData,
    }
}

impl<O> Define for Definition<O> {
    fn name(&self) -> &str {
        self.request.cluster.name.as_deref().unwrap_or_default()
    }

    fn define(self, services: &mut Services) -> Outcome {
        services.define_cluster(&self.request)
    }
}

/// A path: the records of a base by an alternate key, or another name for a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "nothing is defined before `Store::define`"]
pub struct Path {
    request: DefinePath,
}

impl Path {
    /// A path through an alternate index to its base, or to a cluster.
    pub fn new(name: impl Into<String>, target: impl Into<String>) -> Path {
        let request = DefinePath {
            name: name.into(),
            target: target.into(),
            ..DefinePath::default()
        };
        Path { request }
    }

    /// Changes through it leave alternate indexes as they are.
    pub fn no_update(mut self) -> Path {
        self.request.update = Some(false);
        self
    }
}

impl Define for Path {
    fn name(&self) -> &str {
        &self.request.name
    }

    fn define(self, services: &mut Services) -> Outcome {
        services.define_path(&self.request)
    }
}
