//! Committing an open data set's tree, and naming the log in its root.

use super::{OpenDataSet, Roots};
use crate::cluster::OpenCluster;
use crate::error::RequestError;
use crate::ksds::Ksds;
use crate::request::Durability;
use crate::store::{Component, Crowded};
use crate::sync::atomic::Ordering::*;
use crate::sync::MutexGuard;
use cica_counters::{DataSetCount, ReaderCounts};
use cica_format::root::{Root, Statistics};
use cica_format::table::Ref;

impl OpenDataSet {
    /// Has the tree so many changed CIs that it should be committed?
    pub fn wants_commit(&self) -> bool {
        self.is_crowded(Crowded::Due)
    }

    /// Has it so many, or another tree of its sphere, that this cannot wait?
    pub fn must_commit(&self) -> bool {
        self.members().any(|member| member.is_crowded(Crowded::Full))
    }

    fn is_crowded(&self, least: Crowded) -> bool {
        let data = self.common().data.crowded();
        data >= least || self.records.index().is_some_and(|index| index.crowded() >= least)
    }

    /// While loading: a CA was written.
    pub fn after_loaded_ca(&self) -> Result<(), RequestError> {
        // By what has passed: a clock that is set back puts no commit off.
        let now = self.shared.env.clock.passed().as_nanos() as u64;
        let due = self.last_commit.load(Relaxed).saturating_add(1_000_000_000) < now;
        match (self.options.durability, due && !self.common().attributes.speed) {
            (Durability::Close, true) => {
                let _gate = self.common().gate.write();
                self.commit_tree(false)
            }
            _ => Ok(()),
        }
    }

    /// Writes and makes durable what a commit would write, with requests going on; returns how many CIs that were, with
    /// those that requests gave up. What fails is left to the commit, but for a sync (D3).
    pub fn write_early(&self, with_headers: bool) -> usize {
        if self.common().check_fence().is_err() {
            return 0;
        }
        let parts = [Some(&self.common().data), self.records.index()];
        let written = |part: &Component| {
            let written = part.write_early(with_headers);
            self.shared.log.checkpoint_wrote((written * part.layout.ci_size) as u64);
            match written {
                0 => Ok(0),
                _ => part.sync().map(|()| written),
            }
        };
        let written: Result<usize, RequestError> = parts.into_iter().flatten().map(|part| written(part)).sum();
        written
            .inspect_err(|error| self.common().fence(&error.to_string()))
            .unwrap_or(0)
    }

    /// Commits the tree, of a base with those of its alternate indexes.
    pub fn checkpoint(&self) -> Result<(), RequestError> {
        self.checkpoint_if_quiet(None)
    }

    /// The same in a thread of its own.
    pub fn checkpoint_apart(&self) -> Result<(), RequestError> {
        let quiet = self.shared.starting_over.lock();
        // Somebody may have done it meanwhile.
        if self.members().any(|member| member.wants_commit()) {
            self.checkpoint_if_quiet(Some(quiet))
        } else {
            Ok(())
        }
    }

    fn checkpoint_if_quiet(&self, quiet: Option<MutexGuard<'_, ()>>) -> Result<(), RequestError> {
        let _paced = self.shared.write_early(&self.members().collect::<Vec<_>>());
        if let Some(sphere) = self.sphere() {
            return sphere.commit(self, false);
        }
        let _gate = self.common().gate.write();
        if !self.has_changed() {
            return self.common().check_fence();
        }
        // One that leaves incomplete needs the log until it is let go. Who keeps this lock may wait for our gate, so it
        // is only tried.
        let quiet = quiet.or_else(|| self.shared.starting_over.try_lock());
        // The gate is kept, so no unit changes it just now (U2).
        let no_unit = !self.shared.log.has_open_units();
        let number = self.common().log_number().filter(|_| no_unit && quiet.is_some());
        match number.filter(|&number| self.shared.log.is_worth_starting_over(number)) {
            None => self.commit_tree(false),
            Some(number) => self.start_log_over(number),
        }
    }

    /// Commits the tree, with the gate kept, so that a log that no other data set needs starts over.
    fn start_log_over(&self, number: u32) -> Result<(), RequestError> {
        // A flush that goes on would name the log in the root of this tree before the log has its requests (R12). One
        // that fails names it no more, and the tree is whole without.
        let _ = self.shared.log.flush(self.shared.log.last());
        self.commit_without_log()?;
        if self.roots_are_durable() {
            // While this is kept no flush names the log again.
            let roots = self.roots.lock();
            if roots.data.log.log == 0 {
                self.shared.log.start_over_alone(number);
            }
        }
        Ok(())
    }

    /// Makes the second copy of the root durable, behind a commit (R9). A data set where that fails is fenced.
    pub fn roots_are_durable(&self) -> bool {
        match self.common().log_number().map(|_| self.common().data.sync()) {
            None | Some(Ok(())) => true,
            Some(Err(error)) => {
                self.common().fence_quietly(&error.to_string());
                false
            }
        }
    }

    /// Ends the load of a KSDS early, so that records come in any order and are logged.
    pub fn end_loading(&self, ksds: &Ksds) -> Result<(), RequestError> {
        let _gate = self.common().gate.write();
        if !ksds.loading.load(Relaxed) {
            return Ok(());
        }
        ksds.check_fence()?;
        ksds.end_load()?;
        ksds.plant()?;
        self.common().note_change();
        self.commit_tree(false)?;
        ksds.loading.store(false, Relaxed);
        Ok(())
    }

    /// Makes the log durable as far as it goes.
    pub fn flush_log(&self) -> Result<(), RequestError> {
        let flushed = self.shared.log.flush(self.shared.log.last());
        flushed.inspect_err(|error| self.common().fence(&error.to_string()))?;
        // The log goes on without a data set whose root cannot name it.
        self.common().check_fence()
    }

    /// Makes everything acknowledged durable.
    pub fn commit(&self) -> Result<(), RequestError> {
        self.common().check_fence()?;
        if self.common().loading.load(Relaxed) {
            // A load is not logged: its complete CAs become durable.
            let _gate = self.common().gate.write();
            return self.commit_tree(false);
        }
        self.flush_log()
    }

    /// The same for a handle that is closed while others go on: of a load, the records too that fill no control area.
    pub fn commit_all(&self) -> Result<(), RequestError> {
        self.check_fences()?;
        match &self.records {
            OpenCluster::Ksds(ksds) if self.records.is_building() => self.end_loading(ksds),
            _ => self.commit(),
        }
    }

    /// Commits the tree: data and index as they are in memory. The caller keeps the gate exclusively. `last`: the
    /// data set is complete without any log afterwards.
    pub fn commit_tree(&self, last: bool) -> Result<(), RequestError> {
        self.common().check_fence()?;
        if !self.has_changed() {
            return if last { self.take_back_early_name() } else { Ok(()) };
        }
        if self.common().has_units() || !last && self.may_come_to_be_named() {
            // U1, U7, R12: also where a flush is only about to name the log, before it has the requests.
            self.flush_log()?;
        }
        self.try_commit(last)
            .inspect_err(|error| self.common().fence(&error.to_string()))
    }

    /// Commits the tree with no log named, though more changes may follow.
    pub fn commit_without_log(&self) -> Result<(), RequestError> {
        self.common().check_fence()?;
        if !self.has_changed() {
            return self.take_back_early_name();
        }
        if self.common().has_units() {
            // U7.
            self.flush_log()?;
        }
        self.try_commit(true)
            .inspect_err(|error| self.common().fence_quietly(&error.to_string()))?;
        self.common().note_change();
        Ok(())
    }

    fn try_commit(&self, last: bool) -> Result<(), RequestError> {
        // Who copies the tree that is committed now must learn that it is not any more (pin:H3).
        self.commits.fetch_add(1, AcqRel);
        self.records.write_full()?;
        // A flush names the log in the root, so it comes before that is locked. No request runs meanwhile.
        let archived = if last {
            self.archive_before_root(self.closing.load(Relaxed) || self.common().log_number().is_none())?
        } else {
            None
        };
        let data = &self.common().data;
        data.write_changes()?;
        let index_changed = match self.records.index() {
            Some(index) => {
                // RESET leaves nothing that was changed, only another number of CAs.
                let root = self.roots.lock().index.as_ref().map(|r| (r.high_used, r.ca_count));
                let changed = root != Some((self.index_used(), index.ca_count())) || index.is_changed();
                index.write_changes()?;
                changed
            }
            None => false,
        };
        let mut roots = self.roots.lock();
        let (mut data_root, mut index_root) = (roots.data.clone(), roots.index.clone());
        data.describe(&mut data_root);
        let (top, levels) = self.records.top();
        (data_root.top, data_root.levels) = (top, levels);
        let (data_statistics, index_statistics) = self.statistics();
        data_root.statistics = data_statistics;
        if let Some(compressed) = &self.common().compressed {
            data_root.sizes = compressed.sizes.now();
            data_root.dictionaries = compressed.named();
            data_root.last_dictionary = compressed.last();
        }
        if let (Some(index), Some(root), true) = (self.records.index(), &mut index_root, index_changed) {
            index.describe(root);
            (root.top, root.levels) = (top, levels);
            root.high_used = self.index_used();
            root.statistics = index_statistics;
            root.version += 1;
            let checksum = index.write_root(root)?;
            data_root.index_root = Ref {
                version: root.version,
                checksum,
            };
            index.sync()?;
        }
        data.sync()?;
        if let Some(number) = self.common().log_number().filter(|_| last) {
            self.shared.log.leaving(number);
        }
        data_root.log = self.log_position(&roots.data.log, last);
        data_root.log.lsn = archived.unwrap_or(data_root.log.lsn);
        self.ties.describe(&mut data_root);
        debug_assert!(
            !last || data_root.log.log == 0,
            "a tree that is whole without a log names none"
        );
        self.write_data_root(&mut data_root)?;
        debug_assert!(
            data_root.version > roots.data.version,
            "a root is written under a later version than the committed one"
        );
        self.committed.store(data_root.log.lsn, Relaxed);
        if last {
            self.sealed.store(data_root.version, Relaxed);
            self.note_unnamed();
        }
        *roots = Roots {
            data: data_root,
            index: index_root,
            last: self.closing.load(Relaxed),
        };
        data.committed();
        if let Some(index) = self.records.index() {
            index.committed();
        }
        let now = self.shared.env.clock.passed().as_nanos() as u64;
        self.last_commit.store(now, Relaxed);
        if last {
            self.common().note_committed();
        }
        self.show_gauges();
        Ok(())
    }

    /// Writes a data root under its next version, durably, and then the same into the other copy under the version
    /// after that, so that losing either takes nothing away (R7). The second need not be durable now: whatever
    /// overwrites the first copy syncs before. So its failure takes nothing away either.
    pub(super) fn write_data_root(&self, root: &mut Root) -> Result<(), RequestError> {
        let data = &self.common().data;
        root.version += 1;
        data.write_root(root)?;
        data.sync()?;
        root.version += 1;
        if data.write_root(root).is_err() {
            root.version -= 1;
        }
        Ok(())
    }

    /// Shows others what is not counted step by step.
    pub fn show_gauges(&self) {
        let data = &self.common().data;
        data.show_gauges(data.high_used());
        if let Some(index) = self.records.index() {
            index.show_gauges(self.index_used());
        }
        self.common()
            .counters
            .set(DataSetCount::Levels, self.records.top().1.into());
    }

    /// Notes what no root will have: what was counted since the last commit, or since the open where there was none;
    /// that commit's own I/Os; and those of an index that did not change, of which no root was written.
    pub fn note_reader(&self) {
        let ((data, index), clock) = (self.statistics(), &self.shared.env.clock);
        let roots = self.roots.lock();
        let committed = roots.data.statistics;
        let index_committed = roots.index.as_ref().map_or(0, |root| root.statistics.excps);
        let counted = ReaderCounts {
            component: roots.data.component,
            retrieved: data.retrieved.saturating_sub(committed.retrieved),
            data_excps: data.excps.saturating_sub(committed.excps),
            index_excps: index.excps.saturating_sub(index_committed),
            last: clock.now(),
        };
        drop(roots);
        self.shared.counted().add_reader(&counted);
    }

    fn index_used(&self) -> u64 {
        let size = self.index_attributes.as_ref().map_or(0, |a| a.ci_size);
        self.records.index_cis() as u64 * size as u64
    }

    /// Statistics of data and index now.
    pub fn statistics(&self) -> (Statistics, Statistics) {
        let (mut data, mut index) = *self.base.lock();
        let c = &self.common().counters;
        data.records = c.get(DataSetCount::Records);
        for (total, counter) in [
            (&mut data.inserted, DataSetCount::Inserted),
            (&mut data.deleted, DataSetCount::Deleted),
            (&mut data.updated, DataSetCount::Updated),
            (&mut data.retrieved, DataSetCount::Retrieved),
            (&mut data.ci_splits, DataSetCount::CiSplits),
            (&mut data.ca_splits, DataSetCount::CaSplits),
            (&mut data.ca_reclaims, DataSetCount::CaReclaims),
            (&mut data.ca_reuses, DataSetCount::CaReuses),
        ] {
            *total += c.get(counter);
        }
        data.excps += self.common().data.excps();
        data.free_space = self.common().data.free_space();
        if let Some(part) = self.records.index() {
            index.excps += part.excps();
            index.records = self.records.index_cis() as u64;
            index.free_space = part.allocated().0.saturating_sub(self.index_used());
        }
        if self.has_changed() {
            data.last_change = match self.as_of.load(Relaxed) {
                0 => self.shared.env.clock.now(),
                then => then,
            };
            index.last_change = data.last_change;
        }
        (data, index)
    }
}
