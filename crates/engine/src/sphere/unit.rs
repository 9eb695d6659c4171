//! A change of a base record with what it changes in the upgrade set, all or nothing (S1-S6).

use super::member::Member;
use super::pointer::{self, Rewrite};
use super::{Sphere, BASE};
use crate::dataset::Inner;
use crate::error::RequestError;
use crate::ksds::{Inserted, Ksds, Leaf, Order, Part};
use cica_format::log;
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};

/// A change of the base.
#[derive(Clone, Copy)]
pub(crate) enum Change<'r> {
    Insert {
        record: &'r [u8],
        order: Order,
    },
    Update {
        old: &'r [u8],
        new: &'r [u8],
        at: Option<Leaf>,
    },
    Erase {
        old: &'r [u8],
        at: Option<Leaf>,
    },
}

/// What a change came to.
pub(crate) struct Changed {
    /// Where the record went; of an erase nothing, and of an update the RBA alone.
    pub place: Inserted,
    /// 0/8: another record has one of the alternate keys too.
    pub duplicate: bool,
}

/// A pointer that an alternate index gains or loses.
struct Step<'u> {
    place: usize,
    member: &'u Member,
    key: &'u [u8],
    adds: bool,
    rewrite: Rewrite,
}

/// Gates of the members, kept until the unit is logged (S3).
enum Gate<'g> {
    Shared(#[allow(dead_code, reason = "kept, not read")] RwLockReadGuard<'g, ()>),
    Exclusive(#[allow(dead_code, reason = "kept, not read")] RwLockWriteGuard<'g, ()>),
}

/// The member (a place, or [`BASE`]) whose gate must be kept exclusively.
struct Needs(usize);

impl<'r> Change<'r> {
    fn going(self) -> Option<&'r [u8]> {
        match self {
            Change::Insert { .. } => None,
            Change::Update { old, .. } | Change::Erase { old, .. } => Some(old),
        }
    }
    fn coming(self) -> Option<&'r [u8]> {
        match self {
            Change::Insert { record, .. } => Some(record),
            Change::Update { new, .. } => Some(new),
            Change::Erase { .. } => None,
        }
    }

    fn apply(self, ksds: &Ksds, part: Part) -> Result<Option<Changed>, RequestError> {
        let place = match self {
            Change::Insert { record, order } => ksds.insert_part(record, order, part)?,
            Change::Update { new, at, .. } => ksds.update_part(new, at, part)?.map(|rba| Inserted { rba, at: (0, 0) }),
            Change::Erase { old, at } => {
                let erased = ksds.erase_part(ksds.key_of(old), at, part)?;
                erased.map(|()| Inserted { rba: 0, at: (0, 0) })
            }
        };
        Ok(place.map(|place| Changed {
            place,
            duplicate: false,
        }))
    }

    fn log(self, ksds: &Ksds, number: u32, parts: &mut Vec<u8>) {
        match self {
            Change::Insert { record, .. } => log::append_insert(parts, number, record),
            Change::Update { new, .. } => log::append_update(parts, number, new),
            Change::Erase { old, .. } => log::append_erase(parts, number, ksds.key_of(old)),
        }
    }
}

impl Sphere {
    /// Changes the base and its upgrade set. The base record's own hold keeps `old` as it is.
    pub(crate) fn change(&self, base: &Inner, ksds: &Ksds, change: Change<'_>) -> Result<Changed, RequestError> {
        let keys = self.keys(change);
        let prime = change
            .going()
            .or(change.coming())
            .map_or(&[] as &[u8], |r| ksds.key_of(r));
        let all = keys.iter().map(|&(place, key, _)| (place, key)).chain([(BASE, prime)]);
        let _locks = self.stripes.lock(all);
        let steps = self.plan(&keys, prime).or_else(|error| match change {
            // What the base itself refuses comes first.
            Change::Insert { .. } if ksds.find(prime, true)?.is_some() => {
                Err(RequestError::Duplicate { key: prime.to_vec() })
            }
            _ => Err(error),
        })?;
        if steps.is_empty() {
            // The lock of the base key alone orders it among the units of the same record.
            return match change.apply(ksds, Part::Whole)? {
                Some(changed) => Ok(changed),
                None => Err(self.broken(base, "a request of its own has the gate as it needs it")),
            };
        }
        let mut exclusive: Vec<usize> = steps
            .iter()
            .filter(|s| s.rewrite.is_spanned(&s.member.ksds))
            .map(|s| s.place)
            .collect();
        let duplicate = steps.iter().any(|s| s.adds && !s.rewrite.old.is_empty());
        loop {
            let _gates = self.gates(base, &exclusive);
            match self.apply(base, ksds, change, &steps, &exclusive)? {
                Ok(changed) => {
                    self.log(base, ksds, change, &steps, prime);
                    return Ok(Changed { duplicate, ..changed });
                }
                Err(Needs(place)) => exclusive.push(place),
            }
        }
    }

    /// The alternate keys that the change takes away from the record (false) or gives it (true), by member.
    fn keys<'r>(&self, change: Change<'r>) -> Vec<(usize, &'r [u8], bool)> {
        let mut keys = Vec::with_capacity(self.members.len() * 2);
        for (place, member) in self.members.iter().enumerate() {
            let of = |record: Option<&'r [u8]>| record.and_then(|r| member.key_of(r));
            let (old, new) = (of(change.going()), of(change.coming()));
            if old != new {
                keys.extend(new.map(|key| (place, key, true)));
                keys.extend(old.map(|key| (place, key, false)));
            }
        }
        keys
    }

    /// What becomes of each alternate index; refuses what is not possible, before anything is changed (S5).
    fn plan<'u>(&'u self, keys: &[(usize, &'u [u8], bool)], pointer: &[u8]) -> Result<Vec<Step<'u>>, RequestError> {
        let mut steps = Vec::with_capacity(keys.len());
        for &(place, key, adds) in keys {
            let member = &self.members[place];
            let ksds = &member.ksds;
            let rewrite = match adds {
                true => pointer::add(ksds, member.pointers, member.unique, key, pointer),
                false => pointer::remove(ksds, key, pointer),
            };
            let rewrite = rewrite.map_err(|error| member.upgrade_error(error))?;
            steps.extend(rewrite.map(|rewrite| Step {
                place,
                member,
                key,
                adds,
                rewrite,
            }));
        }
        steps.sort_by_key(|step| !step.adds);
        Ok(steps)
    }

    fn gates<'s>(&'s self, base: &'s Inner, exclusive: &[usize]) -> Vec<Gate<'s>> {
        let of = |&place: &usize| {
            let gate = &self.members.get(place).map_or(base, |m| &*m.inner).common().gate;
            match exclusive.contains(&place) {
                true => Gate::Exclusive(gate.write()),
                false => Gate::Shared(gate.read()),
            }
        };
        self.order.iter().map(of).collect()
    }

    /// Pointers are added, the base is changed, pointers are removed (S5). The inner error: nothing is done, because
    /// a gate must be kept exclusively.
    fn apply(
        &self,
        base: &Inner,
        ksds: &Ksds,
        change: Change<'_>,
        steps: &[Step<'_>],
        exclusive: &[usize],
    ) -> Result<Result<Changed, Needs>, RequestError> {
        let part = |place: usize| match exclusive.contains(&place) {
            true => Part::Exclusive,
            false => Part::Shared,
        };
        self.check_fences(base)?;
        let adds = steps.iter().filter(|step| step.adds).count();
        for (done, step) in steps[..adds].iter().enumerate() {
            match step.rewrite.apply(&step.member.ksds, part(step.place)) {
                Ok(Some(())) => {}
                Ok(None) => {
                    self.take_back(base, &steps[..done], part)?;
                    return Ok(Err(Needs(step.place)));
                }
                Err(error) => {
                    let error = step.member.upgrade_error(error);
                    return Err(self.refuse(base, error, &steps[..done], part));
                }
            }
        }
        let changed = match change.apply(ksds, part(BASE)) {
            Ok(Some(changed)) => changed,
            Ok(None) => {
                self.take_back(base, &steps[..adds], part)?;
                return Ok(Err(Needs(BASE)));
            }
            Err(error) => return Err(self.refuse(base, error, &steps[..adds], part)),
        };
        for step in &steps[adds..] {
            let ksds = &step.member.ksds;
            let mut removed = step.rewrite.apply(ksds, part(step.place));
            if matches!(removed, Ok(None)) {
                // A record that fits a CI, and shrinks, is nobody's neighbour anew: this does not happen.
                removed = Err(self.broken(base, "a pointer cannot be removed under a shared gate"));
            }
            if let Err(error) = removed {
                self.fence(base, &error.to_string());
                return Err(step.member.upgrade_error(error));
            }
        }
        Ok(Ok(changed))
    }

    /// Takes back the pointers that were added.
    fn take_back(&self, base: &Inner, done: &[Step<'_>], part: impl Fn(usize) -> Part) -> Result<(), RequestError> {
        for step in done.iter().rev() {
            match step.rewrite.take_back(&step.member.ksds, part(step.place)) {
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
        base: &Inner,
        error: RequestError,
        done: &[Step<'_>],
        part: impl Fn(usize) -> Part,
    ) -> RequestError {
        if error.feedback().return_code == 12 {
            self.fence(base, &error.to_string());
            return error;
        }
        match self.take_back(base, done, part) {
            Ok(()) => error,
            Err(worse) => worse,
        }
    }

    /// One record of the log for all (S1). While it is written, every lock and gate is kept (S2, S3).
    fn log(&self, base: &Inner, ksds: &Ksds, change: Change<'_>, steps: &[Step<'_>], pointer: &[u8]) {
        let mut parts = Vec::new();
        let mut numbers = Vec::with_capacity(steps.len() + 1);
        base.note_change();
        if let Some(number) = ksds.log_number() {
            change.log(ksds, number, &mut parts);
            numbers.push(number);
        }
        for step in steps {
            let inner = &step.member.inner;
            inner.note_change();
            if let Some(number) = step.member.ksds.log_number() {
                match step.adds {
                    true => log::append_add_pointer(&mut parts, number, step.key, pointer),
                    false => log::append_remove_pointer(&mut parts, number, step.key, pointer),
                }
                numbers.push(number);
            }
        }
        base.shared
            .log
            .append_unit(&numbers, |buf| log::append_unit(buf, &parts));
    }

    fn broken(&self, base: &Inner, what: &str) -> RequestError {
        self.fence(base, what);
        RequestError::Fenced { why: what.to_string() }
    }
}
