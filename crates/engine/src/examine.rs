//! What EXAMINE finds: problems, each with its place, and the sums of what was looked at.

/// Where a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingPlace {
    /// Index component.
    Index,
    /// Data component.
    Data,
}

/// What kind of thing is not as it must be: what IDCAMS has messages for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two index entries have one key.
    DuplicateKey,
    /// Entries of an index record do not ascend.
    IndexSequence,
    /// An index record that the level above does not point to stands in the chain of its level.
    NotPointedTo,
    /// The chain of a level leads back into itself.
    ChainLoop,
    /// Records of the data component do not ascend by key.
    DataSequence,
    /// A control interval that no index entry points to holds records.
    DataInFree,
    /// Anything else; the words say it.
    Other,
}

/// One thing that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which kind of thing it is.
    pub kind: FindingKind,
    /// Component.
    pub part: FindingPlace,
    /// CI number in it.
    pub ci: u32,
    /// RBA of the CI.
    pub rba: u64,
    /// What is wrong.
    pub what: String,
}

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examination {
    /// Problems, index first; empty = sound.
    pub findings: Vec<Finding>,
    /// Data CIs that entries point to.
    pub control_intervals: u64,
    /// Records found.
    pub records: u64,
    /// CIs without records that entries point to.
    pub empty_control_intervals: u64,
    /// Length of the longest record.
    pub longest_record: u64,
    /// Bytes free in the CIs examined, in percent of their size.
    pub free_percent: u32,
    /// Index CIs in use.
    pub index_control_intervals: u64,
}
