//! What ALTER asks for.

use super::super::define::GroupStated;
use super::super::stated::{NewLayout, Stated};

/// ALTER of an entry, a component, or all that a generic name means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alter {
    /// A name, or a mask of names.
    pub entry: String,
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
    /// NEWNAME: a name, or a mask that fits the other.
    pub new_name: Option<String>,
    /// Attributes that change.
    pub stated: Stated,
    /// NULLIFY: attributes that go.
    pub nullify: Vec<Nullified>,
    /// UPDATE (true) or NOUPDATE, of a path.
    pub update: Option<bool>,
    /// UPGRADE (true) or NOUPGRADE, of an alternate index.
    pub upgrade: Option<bool>,
    /// UNIQUEKEY (true) or NONUNIQUEKEY, of an alternate index.
    pub unique_key: Option<bool>,
    /// What is said of a generation data group.
    pub group: GroupStated,
    /// ADDVOLUMES: serials.
    pub add_volumes: Vec<String>,
    /// REMOVEVOLUMES: serials.
    pub remove_volumes: Vec<String>,
    /// EXTENDEDADDRESSABLE, of a linear data set: all are.
    pub extended_addressable: bool,
    /// REORGANIZE: the data set is copied into this layout; nothing else may be said. An empty one is its own.
    pub reorganize: Option<NewLayout>,
    /// RESUME: a user catalog takes requests that SUSPEND held.
    pub resume: bool,
    /// UNLOCK: a user catalog takes requests that LOCK refused.
    pub unlock: bool,
}

/// An attribute that NULLIFY takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nullified {
    /// OWNER.
    Owner,
    /// RETENTION: the expiration date.
    Retention,
    /// LOG.
    Log,
    /// LOGSTREAMID.
    LogStream,
    /// STORAGECLASS.
    StorageClass,
    /// DATACLASS.
    DataClass,
    /// MANAGEMENTCLASS.
    ManagementClass,
    /// What was kept for a keyword that has no field.
    Kept(&'static str),
}

impl Alter {
    /// The keywords that are said beside REORGANIZE, as ALTER has them.
    pub(in super::super) fn keywords(&self) -> Vec<&'static str> {
        let stated = &self.stated;
        let pair = |stated: Option<bool>, yes, no| stated.map(|stated| if stated { yes } else { no });
        let single = |stated: bool, word| stated.then_some(word);
        let words = [
            single(self.new_name.is_some(), "NEWNAME"),
            single(!self.add_volumes.is_empty(), "ADDVOLUMES"),
            single(!self.remove_volumes.is_empty(), "REMOVEVOLUMES"),
            single(stated.buffer_space.is_some(), "BUFFERSPACE"),
            single(stated.free_space.is_some(), "FREESPACE"),
            single(stated.keys.is_some(), "KEYS"),
            single(stated.record_size.is_some(), "RECORDSIZE"),
            single(stated.share.is_some(), "SHAREOPTIONS"),
            single(stated.ccsid.is_some(), "CCSID"),
            single(stated.tenure.owner.is_some(), "OWNER"),
            single(!self.nullify.is_empty(), "NULLIFY"),
            pair(stated.inhibit, "INHIBIT", "UNINHIBIT"),
            pair(stated.reclaim, "RECLAIMCA", "NORECLAIMCA"),
            pair(self.upgrade, "UPGRADE", "NOUPGRADE"),
            pair(self.unique_key, "UNIQUEKEY", "NONUNIQUEKEY"),
            pair(self.update, "UPDATE", "NOUPDATE"),
            pair(self.group.empty, "EMPTY", "NOEMPTY"),
            pair(self.group.scratch, "SCRATCH", "NOSCRATCH"),
            pair(self.group.purge, "PURGE", "NOPURGE"),
            pair(self.group.fifo, "FIFO", "LIFO"),
            single(self.group.limit.is_some(), "LIMIT"),
            pair(self.group.extended, "EXTENDED", "NOEXTENDED"),
            single(self.extended_addressable, "EXTENDEDADDRESSABLE"),
            single(self.resume, "RESUME"),
            single(self.unlock, "UNLOCK"),
            single(stated.tenure.expires.is_some(), "TO"),
            pair(stated.reuse, "REUSE", "NOREUSE"),
            pair(stated.erase, "ERASE", "NOERASE"),
            pair(stated.write_check, "WRITECHECK", "NOWRITECHECK"),
            single(stated.storage_class.is_some(), "STORAGECLASS"),
            single(stated.data_class.is_some(), "DATACLASS"),
            single(stated.management_class.is_some(), "MANAGEMENTCLASS"),
            single(stated.log.is_some(), "LOG"),
            single(stated.log_stream.is_some(), "LOGSTREAMID"),
        ];
        let other = stated.other.iter().map(|(keyword, _)| *keyword);
        words.into_iter().flatten().chain(other).collect()
    }
}
