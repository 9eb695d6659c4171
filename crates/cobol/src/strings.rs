//! The strings of an open file, and whose its changes are: its own, or the run unit's unit of recovery's.
//!
//! | after | strings | in the unit |
//! |---|---|---|
//! | OPEN | new | I-O and EXTEND, and RLS=CRE, if there is a unit; INPUT, if the unit's files are shared as this one is |
//! | an OPEN of another file that makes it a unit of shared files | new; if it was read, with READ by key | INPUT |
//! | a load that ends with the file open | new | the same |
//! | the first COMMIT or ROLLBACK, of a module that came later | new, but of a shared file that was read | the same |
//! | ROLLBACK | new, of a file that is written only | as before |
//!
//! A load that alternate indexes are built behind is in no unit. Without such indexes the data set stays open when its
//! load ends, so that nobody comes in between.

use crate::alternate::IndexError;
use crate::loaded_keys::LoadedKeys;
use crate::open_file::{OpenError, OpenFile, Phase, Position};
use crate::status::Outcome;
use cica_engine::{Access, DataSet, OpenOptions, ReadIntegrity};

impl OpenFile {
    /// The data set is open: gets strings on it.
    ///
    /// # Errors
    /// A path cannot be opened, or the file cannot be in the unit.
    pub(crate) fn take_strings(&mut self, data_set: DataSet) -> Result<(), OpenError> {
        let access = self.options.access;
        self.in_unit = false;
        self.phase = if data_set.loading() {
            Phase::Loading
        } else {
            Phase::Ready
        };
        // Index buffers are those of the first string: at random it is the one that changes records which reads, too.
        let reads_to_change = access == Access::Output && self.fd.at_random() && !data_set.is_far();
        let first = reads_to_change.then(|| data_set.string());
        let mut reader = data_set.string();
        if let (Phase::Ready, Some(source)) = (self.phase, &self.source) {
            for (alternate, aix) in self.alternates.iter_mut().zip(&source.indexes) {
                // Where locks are shared, what one string of the file has is no obstacle to the others.
                alternate.open(source, aix, access, |path| {
                    if path.is_far() {
                        path.string_with(&mut reader)
                    } else {
                        path.string()
                    }
                })?;
            }
        }
        if access == Access::Input && self.fd.in_order() {
            reader.leave_no_pages();
        }
        if access == Access::Output {
            self.changer = Some(match first {
                Some(first) => first,
                None if data_set.is_far() => data_set.string_with(&mut reader),
                None => data_set.string(),
            });
        }
        self.reader = Some(reader);
        self.data_set = Some(data_set);
        // A load that indexes are built behind is one's own; behind it the data set may be another process's.
        self.share_locks();
        self.join_unit().map_err(OpenError::Unit)
    }

    /// From now on its changes belong to the run unit's unit of recovery, if the program has one.
    ///
    /// # Errors
    /// The unit has files of this process alone, and this one is shared, or the other way round.
    pub(crate) fn join_unit(&mut self) -> Result<(), String> {
        // Alternate indexes are built behind a load, and nobody else may have the base open then.
        let builds = self.phase == Phase::Loading && self.has_indexes();
        let repeatable = self.source.as_ref().and_then(|source| source.rls) == Some(ReadIntegrity::Repeatable);
        let joins = (self.recoverable || repeatable || self.reads_own_changes()) && !builds;
        let Some(data_set) = self.data_set.as_ref().filter(|_| joins) else {
            return Ok(());
        };
        let shared = data_set.is_far();
        let Some(unit) = crate::unit::unit() else {
            return if repeatable {
                Err("RLS=CRE needs a unit of recovery: COMMIT in the program, or CICA_UNITS=on".into())
            } else {
                Ok(())
            };
        };
        crate::unit::join(shared)?;
        self.changer = self.changer.take().map(|_| data_set.string_in(unit));
        if shared {
            // Its locks are the unit's, so its reads must be too.
            self.reader = Some(data_set.string_in(unit));
            self.alternates.iter_mut().for_each(|alternate| alternate.join(unit));
        }
        self.in_unit = true;
        Ok(())
    }

    /// A shared file that is open for input reads what the unit has changed through other files, and has not committed:
    /// with strings of its own it would wait for the program itself.
    fn reads_own_changes(&self) -> bool {
        self.options.access == Access::Input && self.is_shared() && crate::unit::is_shared()
    }

    /// Another file of the program has made the unit one of shared files, so that this one reads within it. If it has
    /// its position already it does so from the next request that sets it anew.
    pub(crate) fn read_own_changes(&mut self) {
        if self.position == Position::Opened {
            self.read_own_changes_anew();
        }
    }

    /// Before a request that sets the position anew.
    #[inline]
    pub(crate) fn read_own_changes_anew(&mut self) {
        if !self.in_unit && self.reads_own_changes() {
            if let Err(reason) = self.join_unit() {
                // It goes on reading what others see.
                (self.report)(&reason);
            }
        }
    }

    /// The same when the program has a unit only now. Of a file that is shared and was read already the changes stay
    /// its own: its strings have the position and the locks.
    ///
    /// # Errors
    /// As of [`join_unit`](Self::join_unit).
    pub(crate) fn join_unit_late(&mut self) -> Result<(), String> {
        if self.is_shared() && self.position != Position::Opened {
            return Ok(());
        }
        self.join_unit()
    }

    /// From loading to ready: what was loaded is complete, and can be read.
    pub(crate) fn end_load(&mut self) -> Result<(), Outcome> {
        let done = if self.has_indexes() {
            self.close()?;
            self.end_empty_load().and_then(|()| {
                self.attach(OpenOptions {
                    reset: false,
                    ..self.options
                })
            })
        } else {
            self.end_load_while_open()
        };
        done.map_err(|error| {
            (self.report)(&error);
            error.outcome()
        })
    }

    /// Nothing was loaded, and another file of the program is there: to both of them the data set is one with records,
    /// whose indexes keep up with it. Were it loaded through either, its indexes could not be built beside the other.
    fn end_empty_load(&self) -> Result<(), OpenError> {
        match &self.source {
            Some(source) if self.is_empty() => Ok(source.load_nothing()?),
            _ => Ok(()),
        }
    }

    fn end_load_while_open(&mut self) -> Result<(), OpenError> {
        if let Some(data_set) = &self.data_set {
            data_set.end_load().map_err(IndexError::Request)?;
        }
        self.loaded = LoadedKeys::default();
        match self.data_set.take() {
            Some(data_set) => self.take_strings(data_set),
            None => Ok(()),
        }
    }

    /// After ROLLBACK: what a file that is written only has written may be gone. Keys and numbers go on above the last
    /// one that is left, and a string that has inserted nothing yet goes on from there.
    ///
    /// # Errors
    /// The last record cannot be read. Nothing is written then: nobody knows where.
    pub(crate) fn after_rollback(&mut self) -> Result<(), Outcome> {
        if self.reads || !self.in_unit {
            return Ok(());
        }
        if self.data_set.as_ref().is_some_and(|data_set| !data_set.loading()) {
            // The first change within the unit has ended the load.
            self.phase = Phase::Ready;
        }
        (self.written, self.wrote, self.number) = (None, false, 0);
        let joined = self.join_unit().map_err(|reason| {
            (self.report)(&reason);
            Outcome::Failed
        });
        joined
            .and_then(|()| self.go_to_the_end())
            .inspect_err(|_| self.changer = None)
    }

    fn has_indexes(&self) -> bool {
        self.source.as_ref().is_some_and(|source| !source.indexes.is_empty())
    }
}
