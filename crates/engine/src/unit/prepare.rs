//! The first phase of a commit that somebody else decides about: the unit is in doubt, whatever dies
//! (docs/design/0047).

use super::{close, UnitOfRecovery, UnitState};
use crate::error::RequestError;
use crate::locks::LockOwner;
use crate::open::{Handle, OpenDataSet};
use crate::prepared::{check_name, create, CreateError, PrepareError};
use crate::sync::atomic::Ordering::AcqRel;
use cica_format::prepared::{PreparedSet, PreparedUnit};
use std::sync::Arc;

impl UnitOfRecovery {
    /// Prepares the unit: from now on its changes neither stand nor go back by themselves, whatever dies, until
    /// somebody says [`Engine::commit_prepared`](crate::Engine::commit_prepared) or
    /// [`Engine::back_out_prepared`](crate::Engine::back_out_prepared) of `name`. Until then its records are retained:
    /// whoever wants one of them, this handle too, is refused at once (8/24). Its data sets may be closed. The next
    /// change through this handle begins the next unit. What its strings got for update they get anew before they
    /// change it; others meet what was not changed as held (8/20) until the string's next request.
    ///
    /// # Errors
    /// The name is none, or another unit in doubt has it; there is no room for the file: the unit is open still.
    /// 12/16: a data set is fenced, or the log failed; whoever opens the data sets next finds the unit in doubt, or
    /// takes it back; the same where they are another process's, and that is gone. 8/104: a backout has taken part of it
    /// back and must go on.
    pub fn prepare(&self, name: &str) -> Result<(), PrepareError> {
        self.state.shared.owner.check()?;
        check_name(name)?;
        if let Some(far) = self.state.far_part() {
            return far.prepare(name);
        }
        let ending = self.state.ending.write();
        let sets = self.state.prepare(name)?;
        drop(ending);
        close(sets);
        Ok(())
    }
}

impl UnitState {
    fn prepare(&self, name: &str) -> Result<Vec<Handle>, PrepareError> {
        let (id, sets) = {
            let work = self.work.lock();
            work.sets.iter().try_for_each(|set| set.inner().check_fences())?;
            if work.going_back {
                return Err(PrepareError::Request(RequestError::Options {
                    what: "part of the unit of recovery is taken back already, so it cannot be prepared; back it out again \
                           when there is room",
                }));
            }
            let sets: Vec<Arc<OpenDataSet>> = work.sets.iter().map(|set| set.inner().clone()).collect();
            (work.id, sets)
        };
        // What is in doubt is durable, and the roots of its data sets say where (prepared:Z1).
        self.flush()?;
        let shared = &self.shared;
        let owner = LockOwner::new(&shared.locks, &label(name));
        let mut members: Vec<&OpenDataSet> = sets.iter().flat_map(|set| set.members()).collect();
        members.sort_by_key(|member| member.data_path());
        let before = {
            // While they are kept the log leaves its file behind for nobody: the unit is found there by its id.
            let _gates: Vec<_> = members.iter().map(|member| member.common().gate.read()).collect();
            sets.iter().try_for_each(|set| set.check_fences())?;
            let unit = PreparedUnit {
                name: name.to_owned(),
                log: if id == 0 { 0 } else { shared.log.claimed() },
                unit: id,
                time: shared.env.clock.now(),
                ..self.what_it_did(&sets)
            };
            let mut units = shared.in_doubt.lock();
            match create(&*shared.env.disk, &shared.env.log_dir, &unit, &|log| {
                shared.has_durably(log)
            }) {
                Ok(()) => {}
                Err(CreateError::Not(error)) => return Err(error),
                Err(CreateError::Perhaps(error)) => {
                    let why = format!("whether the unit of recovery {name} is in doubt is not known: {error}");
                    members.iter().for_each(|member| member.common().fence_quietly(&why));
                    return Err(PrepareError::Request(RequestError::Fenced { why }));
                }
            }
            if id != 0 {
                shared.log.append_unit_end(id, false);
            }
            // The name was free: others had decided about those that were called so (in_doubt:D2).
            let before = units.take_out_called(name);
            units.owner_of(&unit, || owner.clone());
            // Who decides about it finds its records with their new owner.
            for member in &members {
                member.common().holds.hand_over(self.owner, owner.number());
            }
            before
        };
        before.iter().for_each(|before| shared.free_records_of(before));
        // It is in doubt whether the log has its end or not (prepared:Z1), and what is decided is kept until that is
        // known (prepared:Z6). A log that fails fences the data sets, and their next request says so.
        let _ = self.flush_log();
        self.backouts.fetch_add(1, AcqRel);
        Ok(self.end())
    }

    /// Its data sets with the records that it keeps, and what takes its changes back.
    fn what_it_did(&self, sets: &[Arc<OpenDataSet>]) -> PreparedUnit {
        let mut all = Vec::new();
        let mut bases = Vec::new();
        let describe = |inner: &OpenDataSet, base| PreparedSet {
            cluster: inner.committed_root().cluster,
            base,
            name: inner.common().attributes.cluster_name.clone(),
            lineage: inner.archived_as(),
            keys: inner.common().holds.kept_by(self.owner),
        };
        for set in sets {
            let base = all.len() as u32;
            bases.push(base);
            all.push(describe(set, None));
            let others = set.members().filter(|member| !std::ptr::eq(*member, &**set));
            all.extend(others.map(|member| describe(member, Some(base))));
        }
        let work = self.work.lock();
        let undo = work.changes.iter().rev();
        let undo = undo.map(|change| (bases[change.set], change.undo[..change.own].to_vec()));
        PreparedUnit {
            undo: undo.collect(),
            sets: all,
            name: String::new(),
            log: 0,
            unit: 0,
            time: 0,
        }
    }
}

/// What others are told when they meet one of its records.
pub fn label(name: &str) -> String {
    format!("the unit of recovery {name}, which is in doubt")
}
