//! A data set as its users have it: a handle of an open one, perhaps through a path, from which they get strings.

use crate::buffers::{BufferCounts, Quota, Transfer};
use crate::cluster::OpenCluster;
use crate::error::RequestError;
use crate::examine::Examination;
use crate::far::{Facts, FarDataSet, FarString, Whole};
use crate::locks::{Patience, ReadIntegrity};
use crate::open::{Handle, OpenDataSet, Pin, Sphere};
use crate::pinned::PinnedTrees;
use crate::request::{Access, CloseReport, Intent};
use crate::string::{AccessPath, Str};
use crate::sync::atomic::Ordering::Relaxed;
use crate::unit::UnitOfRecovery;
use cica_format::attributes::Attributes;
use cica_format::root::Statistics;
use std::sync::Arc;

/// Records that are looked at before a load, at most.
const LOOKED_AT_AHEAD: usize = 1 << 16;

/// An open data set; clones are the same open.
///
/// To be closed, each of them. When the last one is dropped instead, nothing is committed: the data set is as after the
/// death of the process. The next open does again what the log has, which is all that was acknowledged, but for a load:
/// that is as of its last commit. [`Engine::left_uncommitted`](crate::Engine::left_uncommitted) counts such drops. Made
/// by [`closing_on_drop`](Self::closing_on_drop) it is closed by a drop, and a close that fails is counted there.
#[derive(Clone)]
pub struct DataSet {
    of: Whereabouts,
    /// How strings on another process's data set begin to read.
    reads: Option<(ReadIntegrity, Patience)>,
}

/// Where it is open.
#[derive(Clone)]
enum Whereabouts {
    /// In this process, perhaps through a path.
    Near(Handle, Option<Arc<AccessPath>>),
    /// In another one.
    Far(Arc<dyn FarDataSet>, Access),
}

impl From<Handle> for DataSet {
    fn from(handle: Handle) -> DataSet {
        DataSet {
            of: Whereabouts::Near(handle, None),
            reads: None,
        }
    }
}

impl DataSet {
    /// An open for `access` of a data set that another process owns. Clones are the same open; a drop of the last closes
    /// it.
    pub fn far(set: Arc<dyn FarDataSet>, access: Access) -> DataSet {
        DataSet {
            of: Whereabouts::Far(set, access),
            reads: None,
        }
    }

    /// The same open of a data set that another process owns: its strings read so until they say otherwise, and wait so
    /// long for what others have.
    pub fn reading(self, integrity: ReadIntegrity, patience: Patience) -> DataSet {
        DataSet {
            reads: Some((integrity, patience)),
            ..self
        }
    }

    /// A new string on a data set that another process owns.
    fn far_string(&self, string: Box<dyn FarString>, access: Access, unit: Option<&UnitOfRecovery>) -> Str {
        let mut string = Str::far(string, access, unit);
        if let Some((integrity, patience)) = self.reads {
            string.set_integrity(integrity);
            string.set_patience(patience);
        }
        string
    }

    /// Does another process own it?
    pub fn is_far(&self) -> bool {
        matches!(self.of, Whereabouts::Far(..))
    }

    /// The same open, through a path.
    pub(crate) fn through(mut self, new: AccessPath) -> DataSet {
        if let Whereabouts::Near(_, way) = &mut self.of {
            *way = Some(Arc::new(new));
        }
        self
    }

    /// The same open, which a drop closes. Who wants to know whether that went well calls [`close`](Self::close).
    pub fn closing_on_drop(mut self) -> DataSet {
        if let Whereabouts::Near(handle, _) = &mut self.of {
            handle.close_on_drop();
        }
        self
    }

    /// What all its handles share.
    ///
    /// # Errors
    /// 8/104: another process owns it.
    pub(crate) fn near(&self) -> Result<&Arc<OpenDataSet>, RequestError> {
        match &self.of {
            Whereabouts::Near(handle, _) => Ok(handle.inner()),
            Whereabouts::Far(..) => Err(RequestError::Options {
                what: "this works on a data set that one process has for itself, and it is open for sharing",
            }),
        }
    }

    /// A new string: a position and a hold of its own. Any number, from any threads.
    pub fn string(&self) -> Str {
        match &self.of {
            Whereabouts::Near(handle, way) => show_way(handle.inner(), way, string_on_base(handle)),
            Whereabouts::Far(set, access) => self.far_string(set.string(None, None), *access, None),
        }
    }

    /// The same, and its holds and locks are those of `other`, which must be of the same engine and in no unit of
    /// recovery: what one of them has is no obstacle to the other.
    pub fn string_with(&self, other: &mut Str) -> Str {
        match &self.of {
            Whereabouts::Near(..) => {
                let mut string = self.string();
                string.joins(other);
                string
            }
            Whereabouts::Far(set, access) => self.far_string(set.string(None, other.far_string()), *access, None),
        }
    }

    /// The same, and what it changes belongs to `unit`, which must be of the same engine. The first change of a data set
    /// that was never loaded ends the load.
    pub fn string_in(&self, unit: &UnitOfRecovery) -> Str {
        match &self.of {
            Whereabouts::Near(handle, way) => show_way(handle.inner(), way, string_on_base(handle).within(unit)),
            Whereabouts::Far(set, access) => {
                let far = unit.far_part(|| set.new_unit());
                self.far_string(set.string(Some(&*far), None), *access, Some(unit))
            }
        }
    }

    /// Attributes of the data component; through a path those of the base, as of a KSDS with the
    /// alternate key for the key.
    pub fn attributes(&self) -> &Attributes {
        match &self.of {
            Whereabouts::Near(_, Some(way)) => way.attributes(),
            Whereabouts::Near(handle, None) => &handle.inner().common().attributes,
            Whereabouts::Far(set, _) => set.attributes(),
        }
    }
    /// Attributes of the index component, where there is one.
    pub fn index_attributes(&self) -> Option<&Attributes> {
        match &self.of {
            Whereabouts::Near(handle, _) => handle.inner().index_attributes.as_ref(),
            Whereabouts::Far(set, _) => set.index_attributes(),
        }
    }
    /// What is known of it now.
    pub fn facts(&self) -> Facts {
        match &self.of {
            Whereabouts::Near(handle, _) => {
                let inner = handle.inner();
                let (data, index) = inner.statistics();
                Facts {
                    data,
                    index,
                    levels: inner.records.top().1,
                    high_used: inner.common().data.high_used(),
                    linear_length: match &inner.records {
                        OpenCluster::Lds(lds) => Some(lds.length()),
                        _ => None,
                    },
                    loading: inner.common().loading.load(Relaxed),
                }
            }
            Whereabouts::Far(set, _) => set.facts(),
        }
    }
    /// Statistics of data and index, up to now: without what strings that are open have counted, and other processes,
    /// which [`Engine::counted_by_all`](crate::Engine::counted_by_all) adds to those of the root.
    pub fn statistics(&self) -> (Statistics, Statistics) {
        let facts = self.facts();
        (facts.data, facts.index)
    }
    /// What was transferred for an open with buffers of its own, and what those are; through a path those of the base.
    pub fn buffers(&self) -> Option<(Quota, BufferCounts)> {
        match &self.of {
            Whereabouts::Near(handle, _) => handle.shares().map(|shares| (shares.quota(), shares.counts())),
            Whereabouts::Far(..) => None,
        }
    }
    /// The same of the alternate index of a path.
    pub fn path_buffers(&self) -> Option<(Quota, BufferCounts)> {
        match &self.of {
            Whereabouts::Near(_, Some(way)) => way.shares().map(|shares| (shares.quota(), shares.counts())),
            Whereabouts::Near(_, None) | Whereabouts::Far(..) => None,
        }
    }
    /// Writes what was put off of it in buffers that it shares (WRTBFR TYPE=DS), and returns how many CIs were written:
    /// none where it shares none.
    ///
    /// # Errors
    /// One cannot be written. It is put off still, and so is what comes behind it. 12/16: a parent process opened it.
    pub fn write_buffers(&self) -> Result<u64, RequestError> {
        let shared = match &self.of {
            Whereabouts::Near(handle, _) => {
                handle.inner().shared.owner.check()?;
                handle.shares().and_then(|shares| shares.lsr())
            }
            Whereabouts::Far(..) => None,
        };
        shared.map_or(Ok(0), |open| open.write_put_off())
    }
    /// The transfers of an open with buffers of its own since this was asked last, in order, where it keeps them.
    pub fn transfers(&self) -> Vec<Transfer> {
        match &self.of {
            Whereabouts::Near(handle, _) => handle.shares().map(|shares| shares.transfers()).unwrap_or_default(),
            Whereabouts::Far(..) => Vec::new(),
        }
    }
    /// Index levels.
    pub fn levels(&self) -> u8 {
        self.facts().levels
    }
    /// End of the used area in bytes (HI-U-RBA).
    pub fn high_used(&self) -> u64 {
        self.facts().high_used
    }
    /// Bytes of a linear data set, to the end of the last CI ever written; of one with records nothing.
    pub fn linear_length(&self) -> Option<u64> {
        self.facts().linear_length
    }
    /// True from the open of a data set that was never loaded to the close.
    pub fn loading(&self) -> bool {
        match &self.of {
            Whereabouts::Near(handle, _) => handle.inner().common().loading.load(Relaxed),
            Whereabouts::Far(set, _) => set.facts().loading,
        }
    }
    /// Ends the load in this open: what is loaded is durable, can be read, and from now on records come in any order
    /// and are logged. Without a record the data set is loaded too, and empty. Where nothing is being loaded it does
    /// nothing.
    ///
    /// # Errors
    /// 8/68: opened for input. 8/28 and 12/x: the records cannot be written, and the data set is fenced.
    pub fn end_load(&self) -> Result<(), RequestError> {
        let handle = match &self.of {
            Whereabouts::Near(handle, _) => handle,
            Whereabouts::Far(set, _) => return set.whole(Whole::EndLoad),
        };
        let inner = handle.inner();
        inner.shared.owner.check()?;
        if !self.loading() {
            return Ok(());
        }
        inner.allow_change(handle.access(), "ending a load (open for output)")?;
        match &inner.records {
            OpenCluster::Ksds(ksds) => inner.end_loading(ksds),
            _ => inner.end_loading_for_units(),
        }
    }
    /// Before records of `other` are loaded: a compressed data set makes a dictionary of the first of them, so that none
    /// stays plain. Any other does nothing.
    ///
    /// # Errors
    /// What a read of `other` ends with; the dictionary cannot be written.
    pub fn learn_from(&self, other: &DataSet) -> Result<(), RequestError> {
        let Whereabouts::Near(handle, None) = &self.of else {
            return Ok(());
        };
        let Some(compressed) = &handle.inner().common().compressed else {
            return Ok(());
        };
        let (clear, mut string) = (compressed.clear_of_user(), other.string());
        compressed.learn_ahead(|take| {
            // Where none is long enough to be learnt from, not all of them are read for nothing.
            for _ in 0..LOOKED_AT_AHEAD {
                match string.next(Intent::Read) {
                    Ok(record) if take(record.bytes.get(clear..).unwrap_or_default()) => return Ok(()),
                    Ok(_) => {}
                    Err(RequestError::EndOfData) => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
    }

    /// Makes everything acknowledged so far durable. Of a load, which is not logged: the control areas that are full;
    /// the records behind them become durable at close, whatever [`Durability`] says.
    ///
    /// # Errors
    /// 12/16: the write or sync failed; the data set is fenced.
    pub fn commit(&self) -> Result<(), RequestError> {
        let inner = match &self.of {
            Whereabouts::Near(handle, _) => handle.inner(),
            Whereabouts::Far(set, _) => return set.whole(Whole::Commit),
        };
        inner.shared.owner.check()?;
        inner.commit()
    }
    /// Commits the tree, so that nothing of the log is needed.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn checkpoint(&self) -> Result<(), RequestError> {
        let inner = match &self.of {
            Whereabouts::Near(handle, _) => handle.inner(),
            Whereabouts::Far(set, _) => return set.whole(Whole::Checkpoint),
        };
        inner.shared.owner.check()?;
        inner.checkpoint()
    }
    /// Alternate indexes of the upgrade set that were never built, so that changes do not reach them (ACBERFLG 100).
    pub fn unbuilt(&self) -> &[String] {
        match &self.of {
            Whereabouts::Near(handle, _) => handle.inner().sphere().map_or(&[], Sphere::unbuilt),
            Whereabouts::Far(..) => &[],
        }
    }
    /// Checks the whole structure: every CI against its checksum, data against index, and the arithmetic of both.
    ///
    /// # Errors
    /// The data set is fenced.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        match &self.of {
            Whereabouts::Near(handle, _) => {
                handle.inner().common().check_fence()?;
                handle.inner().records.examine()
            }
            Whereabouts::Far(set, _) => set.examine(),
        }
    }
    /// Keeps the committed trees of the data set, and of the alternate indexes that are open with it, as they are on
    /// the volume, so that they can be copied ([`Engine::stored_pinned`](crate::Engine::stored_pinned)) while requests
    /// go on: one commit, with requests kept out for as long as that takes, and then no other until it is dropped. The
    /// log grows meanwhile.
    ///
    /// # Errors
    /// It is being loaded, or somebody has pinned it. What a commit says.
    pub fn pin(&self) -> Result<PinnedTrees, RequestError> {
        match &self.of {
            Whereabouts::Near(handle, _) => {
                let inner = handle.inner();
                inner.shared.owner.check()?;
                Ok(PinnedTrees::near(Pin::new(inner)?, handle.clone()))
            }
            Whereabouts::Far(set, _) => Ok(PinnedTrees::far(set.pin()?, set.clone())),
        }
    }
    /// Closes this handle; the last one commits everything and lets go of the files. Behind the close of another one
    /// for output everything acknowledged is durable too: a load ends by it, and from then on is logged.
    ///
    /// # Errors
    /// What could not be written; the data set is as of its last commit, and the log has what was acknowledged
    /// after it.
    pub fn close(self) -> Result<CloseReport, RequestError> {
        match self.of {
            Whereabouts::Near(handle, _) => handle.close(),
            Whereabouts::Far(set, _) => set.close(),
        }
    }
}

fn string_on_base(handle: &Handle) -> Str {
    let inner = handle.inner();
    let string = Str::new(inner.clone(), handle.access(), inner.next_string());
    match handle.shares() {
        Some(shares) => string.buffered(shares),
        None => string,
    }
}

fn show_way(inner: &Arc<OpenDataSet>, way: &Option<Arc<AccessPath>>, string: Str) -> Str {
    match way {
        Some(way) => Str::through(inner.clone(), way.clone(), string),
        None => string,
    }
}
