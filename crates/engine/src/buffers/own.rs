//! The buffers of a string.
//!
//! * B1. A CI is in `behind` from its change until it is written: a write that fails leaves it there.
//! * B2. In `behind` are no more CIs than there are buffers, the one for inserts among them. What is more is written,
//!   as long as the file takes it.

use super::recent::Recent;
use super::{Counts, Share};
use crate::error::RequestError;
use crate::forked::OwningProcess;
use crate::pool::Aligned;
use crate::store::Component;
use std::sync::Arc;

/// See the module.
pub struct OwnBuffers {
    data: Arc<Component>,
    index: Option<Arc<Component>>,
    share: Share,
    /// What the file is read to.
    area: Aligned,
    index_area: Aligned,
    /// Data CIs that the buffers hold.
    held: Recent,
    /// The CI in the buffer for inserts.
    inserting: Option<u32>,
    /// The index record in the buffer of the sequence set, and those in the others.
    sequence_set: Option<u32>,
    index_set: Recent,
    run: Option<Run>,
    /// CIs that were changed and are still to be written, in the order in which they were.
    behind: Vec<u32>,
    /// The CI that a load in order of entry is filling, and the control area that was formatted for it.
    filling: Option<u32>,
    formatted: Option<u32>,
    /// Who may write.
    owner: OwningProcess,
}

/// A control area that is read in order: which, and how far the buffers were filled and passed.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Its sequence-set record, or its number where there is none.
    of: u32,
    at: usize,
    filled: usize,
}

impl std::fmt::Debug for OwnBuffers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnBuffers")
            .field("share", &self.share)
            .finish_non_exhaustive()
    }
}

impl OwnBuffers {
    /// Buffers for a string on these components.
    pub fn new(data: Arc<Component>, index: Option<Arc<Component>>, share: Share) -> OwnBuffers {
        OwnBuffers {
            area: Aligned::new(share.schedule.buffers * data.layout.ci_size),
            index_area: Aligned::new(index.as_ref().map_or(0, |index| index.layout.ci_size)),
            data,
            index,
            share,
            held: Recent::default(),
            inserting: None,
            sequence_set: None,
            index_set: Recent::default(),
            run: None,
            behind: Vec::new(),
            filling: None,
            formatted: None,
            owner: OwningProcess::this(),
        }
    }

    fn counts(&self) -> &Counts {
        &self.share.counts
    }

    // ---- index ----

    /// An index record is about to be looked at.
    pub fn index_record(&mut self, ci: u32, is_sequence_set: bool) {
        let most = self.share.index_set;
        let there = if is_sequence_set || most == 0 {
            self.sequence_set == Some(ci)
        } else {
            self.index_set.touch(ci)
        };
        if there {
            return self.counts().hit(false);
        }
        let Some(index) = &self.index else { return };
        let read = index.read_chained(&[ci], self.index_area.bytes());
        self.counts().read(false, ci, read);
        if is_sequence_set || most == 0 {
            self.sequence_set = Some(ci)
        } else {
            self.index_set.keep(ci);
            self.index_set.shrink(most);
        }
    }

    // ---- data, one by one ----

    /// A direct request is about to look at a CI.
    pub fn direct(&mut self, ci: u32) -> Result<(), RequestError> {
        self.run = None;
        if self.held.touch(ci) {
            self.counts().hit(true);
            return Ok(());
        }
        self.make_room(ci)?;
        let read = self.data.read_chained(&[ci], self.area.bytes());
        self.counts().read(true, ci, read);
        self.held.keep(ci);
        self.held.shrink(self.share.schedule.buffers);
        Ok(())
    }

    /// A CI is about to take a record: that is done in the buffer for inserts.
    pub fn for_insert(&mut self, ci: u32) -> Result<(), RequestError> {
        if self.inserting == Some(ci) {
            self.counts().hit(true);
            return Ok(());
        }
        if let Some(before) = self.inserting.filter(|before| self.behind.contains(before)) {
            self.write(&[before])?;
        }
        let size = self.data.layout.ci_size;
        let read = self.data.read_chained(&[ci], &mut self.area.bytes()[..size]);
        self.counts().read(true, ci, read);
        self.inserting = Some(ci);
        // What the others have of it is old by the time the request ends.
        self.held.remove(ci);
        Ok(())
    }

    /// Changed CIs that give up their buffer for `coming` are written first (N4).
    fn make_room(&mut self, coming: u32) -> Result<(), RequestError> {
        let goes = if self.held.len() < self.share.schedule.buffers {
            None
        } else {
            self.held.oldest()
        };
        match goes.filter(|goes| *goes != coming && self.behind.contains(goes)) {
            Some(goes) => self.write(&[goes]),
            None => Ok(()),
        }
    }

    // ---- data, in order ----

    /// A sequential request comes to CI `at` of `cis`, which are those of a control area in the order in which they are
    /// read.
    pub fn sequential(&mut self, of: u32, cis: &[u32], at: usize) -> Result<(), RequestError> {
        let schedule = self.share.schedule;
        let goes_on = self
            .run
            .filter(|run| run.of == of && (run.at..=run.filled).contains(&at));
        let Some(run) = goes_on else {
            let filled = cis.len().min(at + schedule.buffers);
            self.held.clear();
            self.fill(cis, at..filled)?;
            self.run = Some(Run { of, at, filled });
            return Ok(());
        };
        let free = schedule.buffers - (run.filled - at);
        let filled = if free >= schedule.least {
            cis.len().min(run.filled + schedule.least)
        } else {
            run.filled
        };
        if at < run.filled {
            self.counts().hit(true);
        }
        if filled > run.filled {
            self.held.shrink(run.filled - at);
            self.fill(cis, run.filled..filled)?;
        }
        self.run = Some(Run { of, at, filled });
        Ok(())
    }

    /// A chain into free buffers. What was changed in those that are passed is written first, as a chain too.
    fn fill(&mut self, cis: &[u32], range: std::ops::Range<usize>) -> Result<(), RequestError> {
        self.write_behind()?;
        let chain = cis.get(range).unwrap_or_default();
        let read = self.data.read_chained(chain, self.area.bytes());
        self.counts().read(true, chain.first().copied().unwrap_or(0), read);
        chain.iter().for_each(|ci| self.held.keep(*ci));
        Ok(())
    }

    // ---- data, in the caller's area ----

    /// CIs are read past the buffers, those of a control area that lie side by side with one request.
    pub fn range(&mut self, cis: &[u32]) -> Result<(), RequestError> {
        let layout = self.data.layout;
        for chain in side_by_side(cis, |ci| layout.split(ci).0) {
            let mut area = Aligned::new(chain.len() * layout.ci_size);
            let read = self.data.read_chained(chain, area.bytes());
            self.counts().read(true, chain.first().copied().unwrap_or(0), read);
        }
        Ok(())
    }

    /// CIs that were changed past the buffers are written so.
    pub fn range_changed(&mut self, cis: &[u32]) -> Result<(), RequestError> {
        let layout = self.data.layout;
        for chain in side_by_side(cis, |ci| layout.split(ci).0) {
            self.write(chain)?;
        }
        Ok(())
    }

    // ---- changes ----

    /// A request has changed this CI.
    pub fn changed(&mut self, ci: u32, direct: bool) -> Result<(), RequestError> {
        if !self.behind.contains(&ci) {
            self.behind.push(ci);
        }
        if direct && !self.share.deferred {
            return self.write(&[ci]);
        }
        // What is added behind the last record, or at a number, fills one buffer after the other. Of direct requests
        // one CI more may be in the buffer for inserts.
        let most = self.share.schedule.buffers + usize::from(direct);
        if self.behind.len() <= most {
            return Ok(());
        }
        let filling = self.behind.pop();
        let written = self.write_full();
        self.behind.extend(filling);
        written
    }

    /// A request has split CIs, or filled an empty one: whatever of data and index is changed is written, a CI at a
    /// time, as VSAM did to keep each moment safe.
    pub fn restructured(&mut self) -> Result<(), RequestError> {
        self.run = None;
        self.held.clear();
        for (component, is_data) in [(Some(&self.data), true), (self.index.as_ref(), false)] {
            let Some(component) = component else { continue };
            for ci in component.dirty_cis() {
                self.share.counts.wrote(is_data, ci, component.write_chained(&[ci])?);
            }
        }
        self.behind.clear();
        Ok(())
    }

    // ---- loading ----

    /// A CA that is full is written, by as many buffers as the schedule says, and its free CIs are formatted. In
    /// RECOVERY all of it is formatted before that, a track at a time, and whole tracks are not waited for.
    pub fn load_ca(&mut self, ca: u32, images: &[u8], recovery: bool) -> Result<(), RequestError> {
        let (counts, schedule) = (&self.share.counts, self.share.schedule);
        let wrote = |first, cis| counts.wrote(true, first, cis);
        let chain = if recovery {
            self.data.preformat(ca, schedule.track, wrote)?;
            schedule.least
        } else {
            schedule.written
        };
        self.data.write_loaded_chained(ca, images, chain, wrote)
    }

    /// The next record of a load in order of entry comes into this CI: those before it are full. They are written as
    /// soon as so many are full as the schedule says, or their control area is.
    pub fn fills(&mut self, ci: u32, recovery: bool) -> Result<(), RequestError> {
        let Some(before) = self.filling.replace(ci).filter(|before| *before < ci) else {
            return Ok(());
        };
        let schedule = self.share.schedule;
        let chain = if recovery { schedule.least } else { schedule.written };
        let ca = |ci| self.data.layout.split(ci).0;
        let goes_on = ca(before) == ca(ci);
        self.behind.extend(before..ci);
        if goes_on && self.behind.len() < chain {
            Ok(())
        } else {
            self.write_full()
        }
    }

    /// It has come there. In RECOVERY its control area is formatted before anything of it is written.
    pub fn formats(&mut self, ci: u32) -> Result<(), RequestError> {
        let (ca, _) = self.data.layout.split(ci);
        if self.formatted.replace(ca) == Some(ca) {
            return Ok(());
        }
        let counts = &self.share.counts;
        self.data.preformat(ca, self.share.schedule.track, |first, cis| {
            counts.wrote(true, first, cis)
        })
    }

    /// A sequence-set record was made in its buffer, and is written.
    pub fn index_written(&mut self, ci: u32) -> Result<(), RequestError> {
        let Some(index) = &self.index else { return Ok(()) };
        self.sequence_set = Some(ci);
        self.share.counts.wrote(false, ci, index.write_chained(&[ci])?);
        Ok(())
    }

    /// Index records that were changed are written.
    pub fn index_changed(&mut self) -> Result<(), RequestError> {
        let Some(index) = &self.index else { return Ok(()) };
        for ci in index.dirty_cis() {
            self.share.counts.wrote(false, ci, index.write_chained(&[ci])?);
        }
        Ok(())
    }

    /// What was changed and not written yet is written, with one request for each control area.
    pub fn write_behind(&mut self) -> Result<(), RequestError> {
        self.behind.extend(self.filling.take());
        self.write_full()
    }

    /// What cannot be written is still to be written, and so is what comes behind it (B1).
    fn write_full(&mut self) -> Result<(), RequestError> {
        let mut behind = std::mem::take(&mut self.behind);
        let layout = self.data.layout;
        let (mut done, mut written) = (Ok(()), 0);
        for chain in behind.chunk_by(|one, next| layout.split(*one).0 == layout.split(*next).0) {
            done = self.transfer(chain);
            if done.is_err() {
                break;
            }
            written += chain.len();
        }
        behind.drain(..written);
        self.behind = behind;
        done
    }

    fn write(&mut self, cis: &[u32]) -> Result<(), RequestError> {
        self.transfer(cis)?;
        self.behind.retain(|behind| !cis.contains(behind));
        Ok(())
    }

    fn transfer(&self, cis: &[u32]) -> Result<(), RequestError> {
        let written = self.data.write_chained(cis)?;
        self.counts().wrote(true, cis.first().copied().unwrap_or(0), written);
        Ok(())
    }

    /// It has no position any more.
    pub fn end(&mut self) -> Result<(), RequestError> {
        self.run = None;
        self.write_behind()
    }
}

impl Drop for OwnBuffers {
    fn drop(&mut self) {
        if self.owner.is_parent() {
            // The file is the parent's, and so is what is still to be written (forked:F1).
            return;
        }
        // What fails stays changed in the pool, and the next commit says so.
        let _ = self.write_behind();
    }
}

/// Parts of it that one request can transfer.
fn side_by_side(cis: &[u32], ca: impl Fn(u32) -> u32) -> impl Iterator<Item = &[u32]> {
    cis.chunk_by(move |one, next| one + 1 == *next && ca(*one) == ca(*next))
}
