//! Handles of an open data set: the last one that is closed closes it, and one that is dropped lets go of it.

use super::OpenDataSet;
use crate::buffers::{BufferSizes, Buffering, Counts as Transfers, Shares};
use crate::error::{OpenError, PoolRefusal, RequestError};
use crate::request::{Access, CloseReport, OpenOptions};
use crate::sync::atomic::Ordering::*;
use cica_counters::{DataSetCount, DataSetCounts, OpenDataSet as Counts};
use cica_format::attributes::Organization;
use std::sync::Arc;

/// See the module.
pub struct Handle {
    inner: Arc<OpenDataSet>,
    /// What this open is for; another of the process may be for more.
    access: Access,
    /// It is one of the handles of which the last closes.
    counted: bool,
    /// Dropped, it is closed.
    closes: bool,
    /// Buffers of its own, for its strings.
    shares: Option<Arc<Shares>>,
    /// It has opened the files, and what that took is its own.
    first: bool,
    /// What was counted of [each](Handle::told_of) when it was opened, where somebody is told of its close.
    then: Box<[Option<Counts>]>,
}

impl Handle {
    /// A handle of a data set that was just opened.
    pub fn new(inner: Arc<OpenDataSet>, access: Access) -> Handle {
        inner.handles.fetch_add(1, AcqRel);
        inner.show_opens();
        let mut handle = Handle::counted(inner, access);
        handle.first = true;
        handle
    }

    /// One more; `None`: the last one is just being closed.
    pub fn another(inner: &Arc<OpenDataSet>, access: Access) -> Option<Handle> {
        // A count that came to zero stays there: that handle closes.
        let one_more = |count: usize| (count > 0).then_some(count + 1);
        let counted = inner.handles.fetch_update(AcqRel, Acquire, one_more);
        inner.show_opens();
        counted.is_ok().then(|| Handle::counted(inner.clone(), access))
    }

    fn counted(inner: Arc<OpenDataSet>, access: Access) -> Handle {
        Handle {
            inner,
            access,
            counted: true,
            closes: false,
            shares: None,
            first: false,
            then: Box::default(),
        }
    }

    /// Data sets that it opens: for output the base's alternate indexes too, which nobody else opens.
    fn told_of(&self) -> impl Iterator<Item = &OpenDataSet> {
        let sphere = self.inner.sphere().filter(|_| self.access == Access::Output);
        std::iter::once(&*self.inner).chain(sphere.into_iter().flat_map(|sphere| sphere.members()))
    }

    /// Tells who wants to know that it was opened: nothing that belongs to the open can fail any more.
    pub fn watched(mut self, options: OpenOptions) -> Handle {
        if let Some(watcher) = self.inner.shared.watcher.get().filter(|_| !options.keeps) {
            let opened = self.told_of().map(|set| {
                let counts = set.common().counters.shown();
                let then = counts.so_far().map(|then| self.with_what_ended(then, counts));
                then.iter().for_each(|then| watcher.opened(then, counts.weak()));
                then
            });
            self.then = opened.collect();
        }
        self
    }

    /// With what opens that have ended counted, and no root has.
    fn with_what_ended(&self, mut then: Counts, counts: &DataSetCounts) -> Counts {
        let ended = counts.file().reader(then.identity.component);
        let identity = &mut then.identity;
        identity.before[DataSetCount::Retrieved as usize] += ended.retrieved;
        identity.excps_before[0] += ended.data_excps;
        identity.excps_before[1] += ended.index_excps;
        if self.first {
            then.begin();
        }
        then
    }

    /// And that it was closed.
    fn tell_closed(&mut self) {
        let then = std::mem::take(&mut self.then);
        let Some(watcher) = self.inner.shared.watcher.get() else {
            return;
        };
        if self.inner.shared.owner.is_parent() {
            return;
        }
        for (set, then) in self.told_of().zip(&then) {
            let now = set.common().counters.shown().so_far();
            if let (Some(then), Some(now)) = (then, now) {
                watcher.closed(then, &now);
            }
        }
    }

    /// From now on a drop closes it; so it is with its clones.
    pub fn close_on_drop(&mut self) {
        self.closes = true;
    }

    /// Gives it buffers of its own, if this open asks for them.
    ///
    /// # Errors
    /// They cannot be had.
    pub fn with_buffers(mut self, asked: Option<Buffering>) -> Result<Handle, OpenError> {
        let Some(asked) = asked else { return Ok(self) };
        let shares = self.inner.shares_of(asked)?;
        let loads = self.access == Access::Output && self.inner.common().loading.load(Relaxed);
        if loads && asked.pool.is_some() {
            return Err(self.inner.is_not_loaded_through_a_pool());
        }
        if loads {
            self.inner.common().load_by(shares.loads_by());
        }
        self.shares = Some(Arc::new(shares));
        Ok(self)
    }

    /// Buffers of its own.
    pub fn shares(&self) -> Option<&Arc<Shares>> {
        self.shares.as_ref()
    }

    /// From now on it does not count: what is returned does, in its place (shunted:Q1).
    pub fn give_count(&mut self) -> Option<Handle> {
        let counts = std::mem::take(&mut self.counted);
        counts.then(|| {
            let mut counted = Handle::counted(self.inner.clone(), self.access);
            counted.then = std::mem::take(&mut self.then);
            counted
        })
    }

    /// What all handles share.
    pub fn inner(&self) -> &Arc<OpenDataSet> {
        &self.inner
    }

    /// What this open is for.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Closes it; the last one commits everything and lets go of the files. Behind the close of another one for output
    /// everything acknowledged is durable too: a load ends by it, and from then on is logged.
    ///
    /// # Errors
    /// What could not be written; the data set is as of its last commit, and the log has what was acknowledged
    /// after it.
    pub fn close(mut self) -> Result<CloseReport, RequestError> {
        self.close_now(self.access == Access::Output)
    }

    /// The same for a unit of recovery that has ended: when it is durable was its own choice.
    pub fn close_behind_unit(mut self) -> Result<CloseReport, RequestError> {
        self.close_now(false)
    }

    /// `commits`: what was acknowledged is made durable, though others go on.
    fn close_now(&mut self, commits: bool) -> Result<CloseReport, RequestError> {
        let lsr = self.shares.as_ref().and_then(|shares| shares.lsr());
        let is_ours = self.inner.shared.owner.check().is_ok();
        let written = lsr.filter(|_| is_ours).map_or(Ok(0), |open| open.write_put_off());
        let closed = self.close_untold(commits);
        self.tell_closed();
        match closed {
            // A commit has written all of it since, so what could not be written then is no news any more.
            Ok(report) if report.closed || commits => Ok(report),
            closed => closed.and_then(|report| written.map(|_| report)),
        }
    }

    fn close_untold(&mut self, commits: bool) -> Result<CloseReport, RequestError> {
        self.inner.shared.owner.check()?;
        if !self.counted {
            return Ok(CloseReport { closed: false });
        }
        let mut durable = (!commits).then_some(Ok(()));
        let handles = &self.inner.handles;
        // Durable while its own handle counts: meanwhile nobody is the last. Of closes at the same time exactly one is.
        loop {
            let count = handles.load(Acquire);
            if count > 1 && durable.is_none() {
                durable = Some(self.inner.commit_all());
            } else if handles.compare_exchange(count, count - 1, AcqRel, Acquire).is_ok() {
                self.counted = false;
                self.inner.show_opens();
                return match count {
                    1 => {
                        self.inner.settle_shunted();
                        self.inner.close().map(|()| CloseReport { closed: true })
                    }
                    _ => durable.unwrap_or(Ok(())).map(|()| CloseReport { closed: false }),
                };
            }
        }
    }
}

impl OpenDataSet {
    /// What an open that asks for such buffers divides among its strings.
    ///
    /// # Errors
    /// They cannot be had.
    pub(crate) fn shares_of(&self, asked: Buffering) -> Result<Shares, OpenError> {
        let attributes = &self.common().attributes;
        let name = &attributes.cluster_name;
        let sizes = BufferSizes {
            data: attributes.ci_size,
            index: self.index_attributes.as_ref().map(|index| index.ci_size),
            record: match attributes.organization {
                Organization::Lds => attributes.ci_size,
                _ => attributes.maximum_record,
            },
            spanned: attributes.spanned,
        };
        let Some(pool) = asked.pool else {
            return Ok(Shares::new(asked.quota(name, sizes)?, sizes));
        };
        let counts = Arc::new(Transfers::new(asked.traced));
        let components = (&self.common().data, self.records.index());
        let pools = &self.shared.resource_pools;
        let open = pools.join(pool, name, components, (asked, &counts))?;
        Ok(Shares::of_pool(open, sizes, counts, asked.traced))
    }

    /// Why an open that would load it, or load it anew, is refused.
    pub(super) fn is_not_loaded_through_a_pool(&self) -> OpenError {
        OpenError::Pool {
            why: PoolRefusal::Loads,
            what: format!(
                "{}: a data set is not loaded through shared buffers; load it without SHRPOOL, close it, and open it with \
                 SHRPOOL",
                self.common().attributes.cluster_name
            ),
        }
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        self.inner.handles.fetch_add(1, AcqRel);
        self.inner.show_opens();
        let mut another = Handle::counted(self.inner.clone(), self.access);
        another.closes = self.closes;
        another.shares.clone_from(&self.shares);
        another
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.counted && self.closes && self.close_now(self.access == Access::Output).is_err() {
            self.inner.note_close_failed();
        }
        if self.counted && self.inner.handles.fetch_sub(1, AcqRel) == 1 {
            self.inner.note_left_uncommitted();
            self.inner.leave();
            self.inner.forget_shunted();
            self.tell_closed();
        } else if self.counted {
            self.inner.show_opens();
            self.tell_closed();
        }
    }
}

impl OpenDataSet {
    /// Shows others how many handles there are.
    fn show_opens(&self) {
        let handles = self.handles.load(Relaxed);
        self.common().counters.set(DataSetCount::Opens, handles as u64);
    }
}
