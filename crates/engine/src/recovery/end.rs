//! Where the log ends, and what its end must agree with: the roots (N1, N4), what stands behind it (V8), and its tail
//! (V9).

use super::members::Participation;
use super::{of_other_moments, Recovery};
use crate::error::OpenError;
use crate::log::{Gap, LogReader, Logged};
use cica_disk::Open;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the groups of a log end.
pub(super) enum End {
    /// Not here: what cannot be read held no requests.
    GoesOn,
    /// Here; behind the gap, if there is one, the trees have everything.
    Is(Option<Gap>),
}

impl Recovery<'_> {
    /// The log must have introduced the data sets that it named (N1).
    pub(super) fn check_introduced(&mut self) -> Result<(), OpenError> {
        for cluster in std::mem::take(&mut self.to_be_seen).into_keys() {
            let what = "it does not say anything of a data set whose root says so";
            let error = self.trouble(format!("{what}; {}", of_other_moments()));
            self.set_aside(cluster, error)?;
        }
        Ok(())
    }

    /// The log, whose last request is this one, must have all that the trees have (N4).
    pub(super) fn check_log_has(&mut self, last: Option<u64>) -> Result<(), OpenError> {
        for (cluster, inner) in self.members.clone() {
            let root = inner.committed_root();
            let begun = self.begun.get(&cluster).copied();
            let has = begun.into_iter().chain(last).max();
            let is_known = root.log.origin > 0 && !root.log.early;
            if is_known && has.is_some_and(|has| has < root.log.lsn) {
                let what = format!(
                    "it ends before request {}, which {} has: it is older than the data set; {}",
                    root.log.lsn,
                    root.attributes.cluster_name,
                    of_other_moments()
                );
                let error = self.trouble(what);
                self.set_aside(cluster, error)?;
            }
        }
        Ok(())
    }

    /// The log must not end in front of requests that were written later (V8).
    pub(super) fn check_end(&mut self, reader: Option<&mut LogReader>) -> Result<End, OpenError> {
        let Some(reader) = reader else { return Ok(End::Is(None)) };
        let Some(gap) = reader.pass_gap().map_err(|what| self.trouble(what))? else {
            return Ok(End::Is(None));
        };
        if gap.misses_nothing() {
            return Ok(End::GoesOn);
        }
        if gap.after.is_some() {
            return Err(self.damaged(gap));
        }
        // Whether it is known which units are open (V10).
        let (mut units_known, mut units_open) = (false, false);
        loop {
            while let Some(group) = reader.next_group().map_err(|what| self.trouble(what))? {
                let (is_carry, stamp) = (reader.is_carry(&group), reader.stamp());
                units_known |= is_carry || stamp.second > 0 && !stamp.units_open;
                units_open |= stamp.units_open;
                self.check_trees_have(gap, group)?;
            }
            if reader.pass_gap().map_err(|what| self.trouble(what))?.is_none() {
                break;
            }
        }
        if units_known || !units_open && self.unfinished.is_empty() {
            Ok(End::Is(Some(gap)))
        } else {
            Err(self.damaged(gap))
        }
    }

    /// No group stands where the log begins: what stands behind `gap` is of an epoch that has ended, or the log has a
    /// gap.
    fn check_trees_have(&mut self, gap: Gap, group: Vec<(u64, Logged)>) -> Result<(), OpenError> {
        for (lsn, logged) in group {
            if let Logged::DataSet { .. } = &logged {
                self.introduce(&logged, 0)?;
                continue;
            }
            self.note_unit(lsn, &logged);
            for number in logged.parts().iter().filter_map(Logged::number) {
                match self.numbers.get(&number) {
                    Some(Participation::Open(_, inner)) if !inner.tree_has(lsn) => return Err(self.damaged(gap)),
                    Some(Participation::Away) => self.needed = true,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Does what is in the log's tail alone, all of it or nothing (V9).
    pub(super) fn replay_tail(&mut self, reader: Option<&mut LogReader>, gap: Option<Gap>) -> Result<(), OpenError> {
        let Some(reader) = reader else { return Ok(()) };
        let halves = reader.tail().map_err(|what| self.trouble(what))?;
        let records = || halves.iter().flat_map(|half| &half.records);
        let mut left = BTreeSet::new();
        for (_, logged) in records() {
            if let Logged::Leaving(number) = logged {
                left.insert(*number);
                continue;
            }
            // It came back: its root named the log again before that.
            for number in logged.parts().iter().filter_map(Logged::number) {
                left.remove(&number);
            }
        }
        let all = halves
            .iter()
            .flat_map(|half| half.records.iter().map(move |(_, logged)| (half, logged)));
        for (half, logged) in all {
            if let Logged::DataSet { number, committed, .. } = logged {
                self.introduce(logged, *committed)?;
                let member = self.numbers.get(number);
                match member {
                    // It left, and a power cut took the root that said so.
                    Some(Participation::Before(..)) => return Ok(()),
                    Some(Participation::Unnamed) if !left.contains(number) => return Ok(()),
                    _ => {}
                }
                // Groups of the epoch before may have introduced it: the tree must have all of them (V4).
                if let (Some(Participation::Open(cluster, inner)), true) = (member, half.begins_epoch()) {
                    let (cluster, has) = (*cluster, inner.check_tree_has(*committed));
                    has.or_else(|error| self.set_aside(cluster, error))?;
                }
            }
        }
        for half in halves {
            match gap {
                // V8.
                Some(gap) if !half.begins_epoch() => self.check_trees_have(gap, half.records)?,
                _ => {
                    self.make_name_durable()?;
                    reader
                        .take_tail(&half, !self.unfinished.is_empty())
                        .map_err(|what| self.trouble(what))?;
                    let group = half.group(half.head.epoch, false);
                    self.replay_group(half.records)?;
                    self.archive(&group, None)?;
                }
            }
        }
        Ok(())
    }

    /// Its owner may have died before it made the name of a new log durable (F6 in `log/pool.rs`), and of the data sets
    /// that are committed one by one the later ones must find it after a power cut.
    fn make_name_durable(&self) -> Result<(), OpenError> {
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let directory = self.log_path.parent().unwrap_or(Path::new("."));
        let synced = self.disk().open(directory, how).and_then(|directory| directory.sync());
        synced.map_err(|error| self.trouble(format!("its name cannot be made durable: {error}")))
    }

    fn damaged(&self, gap: Gap) -> OpenError {
        self.trouble(format!(
            "{gap}, which were written before others that are there. Restore the data set from a copy, or take what is \
             left of it with cica salvage"
        ))
    }
}
