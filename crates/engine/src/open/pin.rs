//! Pins: the committed trees of a base and its alternate indexes stay as they are on the volume, so that somebody can
//! copy them from the files while requests go on.
//!
//! * H1. A pin is taken behind a commit, with all gates of the sphere kept: the trees have all requests up to that
//!   moment. What open units have changed by then is in them too; the log's table says, at the same moment, what takes
//!   it back (Y5 in `log/units.rs`), and whoever makes a data set of the copy does that.
//! * H2. While trees are pinned nobody commits without need: changed CIs go to slots that no committed tree has, as
//!   always, and the end of the log's epoch is put off until the log is [`MOST_EPOCHS`] long.
//! * H3. What must commit does: a close, a list that is full, a log that failed. Each commit counts before it writes,
//!   so whoever copied finds at the end whether the trees were there to the last (`try_commit`).
//! * H4. An archive gets a mark where the copy stands, with the units that were open (archive:A7). The copy counts as
//!   an open of its own there.
//! * H5. There is one pin of a base at a time: another would begin with a commit.

use super::OpenDataSet;
use crate::error::RequestError;
use crate::far::PinnedTree;
use crate::sync::atomic::Ordering::*;
use cica_format::log::parts_of;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A log may be so many epochs long while trees are pinned.
pub const MOST_EPOCHS: u64 = 64;

/// The committed trees of a sphere, kept as they are. Dropped, they are let go.
pub struct Pin {
    base: Arc<OpenDataSet>,
    /// Commits of each member when it was taken.
    commits: Vec<u64>,
    trees: Vec<PinnedTree>,
}

impl Pin {
    /// Commits the trees of a base and its alternate indexes, and keeps them.
    ///
    /// # Errors
    /// While the data set is loaded, or pinned already (H5); what a commit says.
    pub fn new(base: &Arc<OpenDataSet>) -> Result<Pin, RequestError> {
        if base.pinned.swap(true, AcqRel) {
            return Err(RequestError::Options {
                what: "another copy of the data set is being made",
            });
        }
        base.shared.pins.fetch_add(1, AcqRel);
        let mut pin = Pin {
            base: base.clone(),
            commits: Vec::new(),
            trees: Vec::new(),
        };
        let _paced = base.shared.write_early(&base.members().collect::<Vec<_>>());
        let sphere = base.sphere();
        let _gates = sphere.map(|sphere| sphere.all_gates(base));
        let _gate = sphere.is_none().then(|| base.common().gate.write());
        if base.common().loading.load(Relaxed) {
            return Err(RequestError::Loading);
        }
        match sphere {
            Some(sphere) => sphere.commit_gated(base, false)?,
            None => base.commit_tree(false)?,
        }
        // The archive has then everything that the trees have (archive:A1).
        base.flush_log()?;
        let open = base.shared.log.undo_of_open_units();
        for member in base.members() {
            pin.trees.push(member.pinned(&open)?);
            pin.commits.push(member.commits.load(Acquire));
        }
        Ok(pin)
    }

    /// What is pinned: the base and its alternate indexes.
    pub fn trees(&self) -> &[PinnedTree] {
        &self.trees
    }

    /// Were all trees on the volume as they were pinned, up to now (H3)?
    pub fn holds(&self) -> bool {
        let now = self.base.members().map(|member| member.commits.load(Acquire));
        now.eq(self.commits.iter().copied())
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.base.shared.pins.fetch_sub(1, AcqRel);
        self.base.pinned.store(false, Release);
    }
}

impl OpenDataSet {
    /// The caller keeps the gate, and everything is durable.
    fn pinned(&self, open: &[(u64, Arc<[u8]>)]) -> Result<PinnedTree, RequestError> {
        let mut undo = Vec::new();
        let number = self.common().log_number();
        for (_, change) in open {
            let own = number.map(|number| parts_of(change, number));
            let own = own.unwrap_or_else(|| Ok(Vec::new()));
            let own = own.map_err(|error| RequestError::Fenced { why: error.to_string() })?;
            own.iter().for_each(|part| undo.extend_from_slice(part));
        }
        let units = open.iter().map(|(unit, _)| *unit).collect();
        Ok(PinnedTree {
            cluster: self.committed_root().cluster,
            origin: self.note_copy(&units)?,
            undo,
        })
    }

    /// H4. An open that has changed nothing has left its archive as the one before did, which the root names.
    fn note_copy(&self, units: &BTreeSet<u64>) -> Result<Option<u64>, RequestError> {
        let (now, root) = (self.shared.env.clock.now(), self.committed_root().log.origin);
        if !self.has_archive() || root != self.origin() {
            return Ok(None);
        }
        let origin = now.max(root + 1);
        self.note_copy_in_archive(origin, units)?;
        Ok(Some(origin))
    }
}
