//! A change of a base record with what it changes in the upgrade set, all or nothing (S1-S6).

use super::change::{self, BaseChange, Changed, EnteredChange, Keyed, KeyedChange, Users};
use crate::alternate::pointer::{self, Most, Rewrite};
use crate::cluster::OpenCluster;
use crate::common::context::Context;
use crate::common::numbered::Numbered;
use crate::common::Common;
use crate::error::RequestError;
use crate::esds::{Esds, END};
use crate::ksds::{Ksds, Order};
use crate::log::Logged;
use crate::open::{Member, OpenDataSet, Sphere, BASE};
use crate::pool::{Need, Reserve};
use crate::sync::{RwLockReadGuard, RwLockWriteGuard};
use cica_format::log;
use std::collections::BTreeMap;

/// In a pool of so many bytes no page goes while a change is under way that has just looked at it.
const AMPLE: usize = 64 << 20;

/// A pointer that an alternate index gains or loses.
struct PointerStep<'u> {
    place: usize,
    member: &'u Member,
    key: &'u [u8],
    pointer: &'u [u8],
    adds: bool,
    rewrite: Rewrite,
}

impl PointerStep<'_> {
    /// Takes the pointer that was added out again, which needs no room. Nobody else has changed its list (S2).
    fn take_back(&self, context: Context<'_>) -> Result<Option<()>, RequestError> {
        let ksds = &self.member.ksds;
        match pointer::remove(ksds, &self.member.layout, self.key, self.pointer)? {
            Some(rewrite) => rewrite.apply(ksds, context),
            None => Ok(Some(())),
        }
    }
}

/// Gates of the members, kept until the unit is logged (S3).
enum Gate<'g> {
    Shared(#[allow(dead_code, reason = "kept, not read")] RwLockReadGuard<'g, ()>),
    Exclusive(#[allow(dead_code, reason = "kept, not read")] RwLockWriteGuard<'g, ()>),
}

/// The member (a place, or [`BASE`]) whose gate must be kept exclusively.
struct Needs(usize);

/// Takes a change of a unit of recovery back, with what it changed in the upgrade set if `base` has one.
pub fn take_back(base: &OpenDataSet, request: &Logged, context: Context<'_>) -> Result<(), RequestError> {
    match base.sphere() {
        Some(sphere) => sphere.take_back(base, request, context),
        None => base.records.redo(request, context),
    }
}

impl Sphere {
    /// Adds a record, as it is stored and as its user has it where that is another form, to an ESDS and to its upgrade
    /// set. Where it goes is known before: nobody adds another meanwhile.
    pub fn add(
        &self,
        base: &OpenDataSet,
        esds: &Esds,
        (record, user): (&[u8], Option<&[u8]>),
        context: Context<'_>,
    ) -> Result<Changed<(u64, bool)>, RequestError> {
        let _arrival = self.arrivals.lock();
        self.check_fences(base)?;
        esds.check_kept(context, END)?;
        let rba = esds.next_rba(record.len())?;
        self.change(base, &EnteredChange::add(esds, rba, record, user), context)
    }

    /// Changes the base and its upgrade set. The base record's own hold keeps others from it. Another string of the same
    /// owner may have changed it since it was looked at: then nothing is done, and the answer is 8/92.
    pub fn change<C: BaseChange>(
        &self,
        base: &OpenDataSet,
        change: &C,
        context: Context<'_>,
    ) -> Result<Changed<C::Place>, RequestError> {
        let keys = self.keys(change);
        let identity = change.identity();
        let all = keys
            .iter()
            .map(|&(place, key, _)| (place, key))
            .chain([(BASE, identity)]);
        let _locks = self.stripes.lock(all);
        self.keep(base, change, &keys, context)?;
        if !change.is_as_stored()? {
            return Err(RequestError::NoUpdate);
        }
        // What the base itself refuses comes first.
        let most = match context {
            Context::Unit(unit) if unit.takes_back.is_some() => Most::AsStored,
            _ => Most::AsDefined,
        };
        let mut steps = (self.plan(&keys, identity, most)).or_else(|error| change.check().and(Err(error)))?;
        if steps.is_empty() {
            // The lock of the base record alone orders it among the units of the same record.
            return change::alone(base, change, context);
        }
        let mut exclusive: Vec<usize> = steps
            .iter()
            .filter(|s| s.rewrite.is_spanned(&s.member.ksds))
            .map(|s| s.place)
            .collect();
        let duplicate = steps.iter().any(|s| s.adds && s.rewrite.joins);
        let _reserve = self.reserve(base, &steps)?;
        loop {
            let _gates = self.gates(base, &exclusive);
            let _held = if change.is_lockable() {
                base.common().hold_if_lockable(context, identity)?
            } else {
                None
            };
            match self.apply(base, change, &steps, &exclusive)? {
                Ok(place) => {
                    self.log(base, change, &steps, context);
                    return Ok(Changed { place, duplicate });
                }
                Err(Needs(place)) => exclusive.push(place),
            }
            // What was added and taken out again may have left the lists otherwise than they were.
            steps = self.plan(&keys, identity, most)?;
        }
    }

    /// The alternate keys that the change takes away from the record (false) or gives it (true), by member.
    fn keys<'r>(&self, change: &'r impl BaseChange) -> Vec<(usize, &'r [u8], bool)> {
        let mut keys = Vec::with_capacity(self.members.len() * 2);
        for (place, member) in self.members.iter().enumerate() {
            let of = |record: Option<&'r [u8]>| record.and_then(|r| member.key_of(r));
            let (old, new) = change.for_user();
            let (old, new) = (of(old), of(new));
            if old != new {
                keys.extend(new.map(|key| (place, key, true)));
                keys.extend(old.map(|key| (place, key, false)));
            }
        }
        keys
    }

    /// Refuses what a unit keeps, and keeps for a unit what it changes: the record, and the unique alternate keys that
    /// it gives and takes, or taking it back could make a duplicate (U5).
    fn keep(
        &self,
        base: &OpenDataSet,
        change: &impl BaseChange,
        keys: &[(usize, &[u8], bool)],
        context: Context<'_>,
    ) -> Result<(), RequestError> {
        let keep = |common: &Common, key: &[u8]| match context {
            Context::Unit(unit) => unit.keep(common, key),
            _ => common.check_kept(context, key),
        };
        if change.is_lockable() || matches!(context, Context::Unit(_)) {
            keep(base.common(), change.identity())?;
        }
        for &(place, key, _) in keys.iter().filter(|&&(place, ..)| self.members[place].layout.unique) {
            let member = &self.members[place];
            keep(&member.ksds, key).map_err(|error| member.upgrade_error(error))?;
        }
        Ok(())
    }

    /// Takes a change of a unit back, in the base and all that it changed with it. The unit keeps the record, so it
    /// stays what it is meanwhile.
    pub fn take_back(&self, base: &OpenDataSet, request: &Logged, context: Context<'_>) -> Result<(), RequestError> {
        match &base.records {
            OpenCluster::Ksds(ksds) => self.take_back_keyed(base, ksds, request, context),
            OpenCluster::Esds(esds) => self.take_back_entered(base, esds, request, context),
            OpenCluster::Rrds(_) | OpenCluster::Lds(_) => base.records.redo(request, context),
        }
    }

    fn take_back_keyed(
        &self,
        base: &OpenDataSet,
        ksds: &Ksds,
        request: &Logged,
        context: Context<'_>,
    ) -> Result<(), RequestError> {
        let mut old = Vec::new();
        let mut is = |key: &[u8]| {
            if ksds.get(key, &mut old)? {
                Ok(())
            } else {
                Err(RequestError::NotFound)
            }
        };
        let (order, at) = (Order::default(), None);
        let what = match request {
            Logged::Insert(_, record) => Keyed::Insert { record, order },
            Logged::Update(_, new) => {
                is(ksds.key_of(new))?;
                Keyed::Update { old: &old, new, at }
            }
            Logged::Erase(_, key) => {
                is(key)?;
                Keyed::Erase { old: &old, at }
            }
            _ => return Ok(()),
        };
        let (mut users_old, mut users_new) = (Vec::new(), Vec::new());
        let users = match (&ksds.compressed, what) {
            (None, _) => None,
            (Some(_), Keyed::Insert { record, .. }) => Some(Users {
                old: None,
                new: Some(ksds.expand(record, &mut users_new)?),
            }),
            (Some(_), Keyed::Update { old, new, .. }) => Some(Users {
                old: Some(ksds.expand(old, &mut users_old)?),
                new: Some(ksds.expand(new, &mut users_new)?),
            }),
            (Some(_), Keyed::Erase { old, .. }) => Some(Users {
                old: Some(ksds.expand(old, &mut users_old)?),
                new: None,
            }),
        };
        self.change(base, &KeyedChange { ksds, what, users }, context).map(drop)
    }

    fn take_back_entered(
        &self,
        base: &OpenDataSet,
        esds: &Esds,
        request: &Logged,
        context: Context<'_>,
    ) -> Result<(), RequestError> {
        let _arrival = self.arrivals.lock();
        let (Logged::Update(_, bytes) | Logged::Erase(_, bytes)) = request else {
            return Ok(());
        };
        let Some((place, new)) = bytes.split_first_chunk() else {
            return Ok(());
        };
        let (rba, mut old) = (u64::from_be_bytes(*place), Vec::new());
        if !esds.exact(rba, &mut old)? {
            return Err(RequestError::BadRba { rba });
        }
        let mut users = Vec::new();
        let user = match esds.compressed {
            Some(_) => Some(esds.expand(&old, &mut users)?),
            None => None,
        };
        let change = match request {
            Logged::Update(..) => EnteredChange::replace(esds, rba, &old, new),
            _ => EnteredChange::cut(esds, rba, &old, user),
        };
        self.change(base, &change, context).map(drop)
    }

    /// What becomes of each alternate index; refuses what is not possible, before anything is changed (S5).
    fn plan<'u>(
        &'u self,
        keys: &[(usize, &'u [u8], bool)],
        identity: &'u [u8],
        most: Most,
    ) -> Result<Vec<PointerStep<'u>>, RequestError> {
        let mut steps = Vec::with_capacity(keys.len());
        for &(place, key, adds) in keys {
            let member = &self.members[place];
            let ksds = &member.ksds;
            let pointer = pointer::to(member.layout.pointers, identity).map_err(|error| member.upgrade_error(error))?;
            let rewrite = if adds {
                pointer::add(ksds, &member.layout, key, pointer, most)
            } else {
                pointer::remove(ksds, &member.layout, key, pointer)
            };
            let rewrite = rewrite.map_err(|error| member.upgrade_error(error))?;
            steps.extend(rewrite.map(|rewrite| PointerStep {
                place,
                member,
                key,
                pointer,
                adds,
                rewrite,
            }));
        }
        steps.sort_by_key(|step| !step.adds);
        Ok(steps)
    }

    fn gates<'s>(&'s self, base: &'s OpenDataSet, exclusive: &[usize]) -> Vec<Gate<'s>> {
        let of = |&place: &usize| {
            let gate = &self.members.get(place).map_or(base, |m| &*m.inner).common().gate;
            if exclusive.contains(&place) {
                Gate::Exclusive(gate.write())
            } else {
                Gate::Shared(gate.read())
            }
        };
        self.order.iter().map(of).collect()
    }

    /// Pointers are added, the base is changed, pointers are removed (S5). The inner error: nothing is done, because
    /// a gate must be kept exclusively.
    fn apply<C: BaseChange>(
        &self,
        base: &OpenDataSet,
        change: &C,
        steps: &[PointerStep<'_>],
        exclusive: &[usize],
    ) -> Result<Result<C::Place, Needs>, RequestError> {
        let context = |place: usize| {
            if exclusive.contains(&place) {
                Context::Exclusive
            } else {
                Context::Shared
            }
        };
        self.check_fences(base)?;
        let adds = steps.iter().filter(|step| step.adds).count();
        for (done, step) in steps[..adds].iter().enumerate() {
            match step.rewrite.apply(&step.member.ksds, context(step.place)) {
                Ok(Some(())) => {}
                Ok(None) => {
                    self.remove_added(base, &steps[..done], context)?;
                    return Ok(Err(Needs(step.place)));
                }
                Err(error) => {
                    let error = step.member.upgrade_error(error);
                    return Err(self.refuse(base, error, &steps[..done], context));
                }
            }
        }
        // What the base and the members behind it need is there once more, or nothing is done.
        let _reserve = match self.reserve(base, steps) {
            Ok(reserve) => reserve,
            Err(error) => return Err(self.refuse(base, error, &steps[..adds], context)),
        };
        let place = match change.apply(context(BASE)) {
            Ok(Some(place)) => place,
            Ok(None) => {
                self.remove_added(base, &steps[..adds], context)?;
                return Ok(Err(Needs(BASE)));
            }
            Err(error) => return Err(self.refuse(base, error, &steps[..adds], context)),
        };
        for step in &steps[adds..] {
            let ksds = &step.member.ksds;
            let mut removed = step.rewrite.apply(ksds, context(step.place));
            if matches!(removed, Ok(None)) {
                // A record that fits a CI, and shrinks, is nobody's neighbour anew: this does not happen.
                removed = Err(self.broken(base, "a pointer cannot be removed under a shared gate"));
            }
            if let Err(error) = removed {
                self.fence(base, &error.to_string());
                return Err(step.member.upgrade_error(error));
            }
        }
        Ok(Ok(place))
    }

    /// In a pool that other threads can empty between two steps: frames for any of them. Half a change for want of one
    /// would fence all members (S6).
    fn reserve(&self, base: &OpenDataSet, steps: &[PointerStep<'_>]) -> Result<Option<Reserve>, RequestError> {
        let common = base.common();
        if common.pool.limit() >= AMPLE {
            return Ok(None);
        }
        let mut needs = match &base.records {
            OpenCluster::Ksds(ksds) => ksds.change_needs(),
            _ => common.data.needs(2).to_vec(),
        };
        // Of each size what that member needs which needs most of it.
        let mut of_members: BTreeMap<usize, usize> = BTreeMap::new();
        for step in steps {
            for (bytes, frames) in by_size(&step.member.ksds.change_needs()) {
                let most = of_members.entry(bytes).or_default();
                *most = frames.max(*most);
            }
        }
        needs.extend(of_members.into_iter().map(|(bytes, frames)| Need { bytes, frames }));
        let reserved = common.pool.reserve(&needs);
        reserved.map(Some).map_err(|_| common.data.pool_full())
    }

    /// Takes back the pointers that were added.
    fn remove_added(
        &self,
        base: &OpenDataSet,
        done: &[PointerStep<'_>],
        context: impl Fn(usize) -> Context<'static>,
    ) -> Result<(), RequestError> {
        for step in done.iter().rev() {
            match step.take_back(context(step.place)) {
                Ok(Some(())) => {}
                Ok(None) => return Err(self.broken(base, "an added pointer cannot be taken back")),
                Err(error) => {
                    self.fence(base, &error.to_string());
                    return Err(step.member.upgrade_error(error));
                }
            }
        }
        Ok(())
    }

    /// A change was not possible: what was done is taken back. After a failure the members no longer agree (S6).
    fn refuse(
        &self,
        base: &OpenDataSet,
        error: RequestError,
        done: &[PointerStep<'_>],
        context: impl Fn(usize) -> Context<'static>,
    ) -> RequestError {
        if error.feedback().return_code == 12 {
            self.fence(base, &error.to_string());
            return error;
        }
        match self.remove_added(base, done, context) {
            Ok(()) => error,
            Err(worse) => worse,
        }
    }

    /// One record of the log for all (S1). While it is written, every lock and gate is kept (S2, S3).
    fn log(&self, base: &OpenDataSet, change: &impl BaseChange, steps: &[PointerStep<'_>], context: Context<'_>) {
        let mut parts = Vec::new();
        let mut numbers = Vec::with_capacity(steps.len() + 1);
        base.common().note_change();
        if let Some(number) = base.common().log_number() {
            change.redo().append(number, &mut parts);
            numbers.push(number);
        }
        for step in steps {
            let inner = &step.member.inner;
            inner.common().note_change();
            if let Some(number) = step.member.ksds.log_number() {
                if step.adds {
                    log::append_add_pointer(&mut parts, number, step.key, step.pointer)
                } else {
                    log::append_remove_pointer(&mut parts, number, step.key, step.pointer)
                }
                numbers.push(number);
            }
        }
        let log = &base.shared.log;
        let lsn = match context {
            Context::Unit(unit) => {
                let (undo, own) = taken_back(base.common(), change, steps);
                unit.log_parts(log, &numbers, &parts, &undo, own)
            }
            _ => log.append(&numbers, |buf| log::append_unit(buf, &parts)),
        };
        for step in steps {
            base.ties.change(&step.member.inner, lsn);
        }
    }

    fn broken(&self, base: &OpenDataSet, what: &str) -> RequestError {
        self.fence(base, what);
        RequestError::Fenced { why: what.to_string() }
    }
}

/// What takes a change with its steps back, as the log has it, and how many bytes of that are the base's: every member
/// takes back its own part, so their order does not matter.
fn taken_back(base: &Common, change: &impl BaseChange, steps: &[PointerStep<'_>]) -> (Vec<u8>, usize) {
    let mut undo = Vec::new();
    if let Some(number) = base.log_number() {
        let old = change.going().unwrap_or_default();
        change.redo().undo(base, old).append(number, &mut undo);
    }
    let own = undo.len();
    for step in steps {
        if let Some(number) = step.member.ksds.log_number() {
            if step.adds {
                log::append_remove_pointer(&mut undo, number, step.key, step.pointer)
            } else {
                log::append_add_pointer(&mut undo, number, step.key, step.pointer)
            }
        }
    }
    (undo, own)
}

/// Frames of each size.
fn by_size(needs: &[Need]) -> BTreeMap<usize, usize> {
    let mut sizes = BTreeMap::new();
    for need in needs {
        *sizes.entry(need.bytes).or_default() += need.frames;
    }
    sizes
}
