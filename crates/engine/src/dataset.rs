//! A data set as its users have it: a handle of an open one, perhaps through a path, from which they get strings.

use crate::error::RequestError;
use crate::examine::Examination;
use crate::open::{Handle, OpenDataSet, Sphere};
use crate::organized::Organized;
use crate::request::{Access, CloseReport};
use crate::string::{Str, Way};
use crate::sync::atomic::Ordering::Relaxed;
use crate::unit::UnitOfRecovery;
use cica_format::attributes::Attributes;
use cica_format::root::Statistics;
use std::sync::Arc;

/// An open data set; clones are the same open.
///
/// To be closed, each of them. When the last one is dropped instead, nothing is committed: the data set is as after the
/// death of the process. The next open does again what the log has, which is all that was acknowledged, but for a load:
/// that is as of its last commit. [`Engine::left_uncommitted`](crate::Engine::left_uncommitted) counts such drops. Made
/// by [`closing_on_drop`](Self::closing_on_drop) it is closed by a drop, and a close that fails is counted there.
#[derive(Clone)]
pub struct DataSet {
    handle: Handle,
    /// Of a path.
    way: Option<Arc<Way>>,
}

impl From<Handle> for DataSet {
    fn from(handle: Handle) -> DataSet {
        DataSet { handle, way: None }
    }
}

impl DataSet {
    pub(crate) fn new(inner: Arc<OpenDataSet>, access: Access) -> DataSet {
        Handle::new(inner, access).into()
    }

    /// The same open, through a path.
    pub(crate) fn through(mut self, way: Way) -> DataSet {
        self.way = Some(Arc::new(way));
        self
    }

    /// The same open, which a drop closes. Who wants to know whether that went well calls [`close`](Self::close).
    pub fn closing_on_drop(mut self) -> DataSet {
        self.handle.close_on_drop();
        self
    }

    /// What all its handles share.
    pub(crate) fn inner(&self) -> &Arc<OpenDataSet> {
        self.handle.inner()
    }

    /// A new string: a position and a hold of its own. Any number, from any threads.
    pub fn string(&self) -> Str {
        self.show_way(self.string_on_base())
    }

    /// The same, and what it changes belongs to `unit`, which must be of the same engine. The first change of a data set
    /// that was never loaded ends the load.
    pub fn string_in(&self, unit: &UnitOfRecovery) -> Str {
        self.show_way(self.string_on_base().within(unit))
    }

    fn string_on_base(&self) -> Str {
        let id = self.inner().next_string();
        Str::new(self.inner().clone(), self.handle.access(), id)
    }

    fn show_way(&self, string: Str) -> Str {
        match &self.way {
            Some(way) => Str::through(self.inner().clone(), way.clone(), string),
            None => string,
        }
    }
    /// Attributes of the data component; through a path those of the base, as of a KSDS with the
    /// alternate key for the key.
    pub fn attributes(&self) -> &Attributes {
        match &self.way {
            Some(way) => way.attributes(),
            None => &self.inner().common().attributes,
        }
    }
    /// Attributes of the index component, where there is one.
    pub fn index_attributes(&self) -> Option<&Attributes> {
        self.inner().index_attributes.as_ref()
    }
    /// Statistics of data and index, up to now.
    pub fn statistics(&self) -> (Statistics, Statistics) {
        self.inner().statistics()
    }
    /// Index levels.
    pub fn levels(&self) -> u8 {
        self.inner().records.top().1
    }
    /// End of the used area in bytes (HI-U-RBA).
    pub fn high_used(&self) -> u64 {
        self.inner().common().data.high_used()
    }
    /// Bytes of a linear data set, to the end of the last CI ever written; of one with records nothing.
    pub fn linear_length(&self) -> Option<u64> {
        match &self.inner().records {
            Organized::Lds(lds) => Some(lds.length()),
            _ => None,
        }
    }
    /// True from the open of a data set that was never loaded to the close.
    pub fn loading(&self) -> bool {
        self.inner().common().loading.load(Relaxed)
    }
    /// Ends the load in this open: what is loaded is durable, can be read, and from now on records come in any order
    /// and are logged. Without a record the data set is loaded too, and empty. Where nothing is being loaded it does
    /// nothing.
    ///
    /// # Errors
    /// 8/68: opened for input. 8/28 and 12/x: the records cannot be written, and the data set is fenced.
    pub fn end_load(&self) -> Result<(), RequestError> {
        let inner = self.inner();
        inner.shared.owner.check()?;
        if !self.loading() {
            return Ok(());
        }
        inner.allow_change(self.handle.access(), "ending a load (open for output)")?;
        match &inner.records {
            Organized::Ksds(ksds) => inner.end_loading(ksds),
            _ => inner.end_loading_for_units(),
        }
    }
    /// Makes everything acknowledged so far durable. Of a load, which is not logged: the control areas that are full;
    /// the records behind them become durable at close, whatever [`Durability`] says.
    ///
    /// # Errors
    /// 12/16: the write or sync failed; the data set is fenced.
    pub fn commit(&self) -> Result<(), RequestError> {
        self.inner().shared.owner.check()?;
        self.inner().commit()
    }
    /// Commits the tree, so that nothing of the log is needed.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn checkpoint(&self) -> Result<(), RequestError> {
        self.inner().shared.owner.check()?;
        self.inner().checkpoint()
    }
    /// Alternate indexes of the upgrade set that were never built, so that changes do not reach them (ACBERFLG 100).
    pub fn unbuilt(&self) -> &[String] {
        self.inner().sphere().map_or(&[], Sphere::unbuilt)
    }
    /// Checks the whole structure: every CI against its checksum, data against index, and the arithmetic of both.
    ///
    /// # Errors
    /// The data set is fenced.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        self.inner().common().check_fence()?;
        self.inner().records.examine()
    }
    /// Closes this handle; the last one commits everything and lets go of the files. Behind the close of another one
    /// for output everything acknowledged is durable too: a load ends by it, and from then on is logged.
    ///
    /// # Errors
    /// What could not be written; the data set is as of its last commit, and the log has what was acknowledged
    /// after it.
    pub fn close(self) -> Result<CloseReport, RequestError> {
        self.handle.close()
    }
}
