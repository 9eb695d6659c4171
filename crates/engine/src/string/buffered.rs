//! Requests of a string that has buffers of its own: what they come to is held before they are made
//! ([`crate::buffers`]).

use super::argument::rrn;
use super::integrity::ReadStep;
use super::keyed::KeyedString;
use super::variable::VariableString;
use super::{AnyString, Str};
use crate::buffers::{Shares, StringBuffers};
use crate::common::numbered::Numbered;
use crate::error::RequestError;
use crate::ksds::Ksds;
use crate::request::{Argument, Insert, Search};
use crate::sync::atomic::Ordering::Relaxed;
use cica_counters::DataSetCount;

/// Where a string's last request was, for who has to know how its change is written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastPlace {
    /// The CI of the record got last, and whether it was got in order.
    ci: Option<u32>,
    in_order: bool,
}

/// Buffers, and what was done with them last.
pub(super) struct Buffered {
    own: StringBuffers,
    last: LastPlace,
}

impl Str {
    /// From now on it looks at nothing that its own buffers do not hold.
    pub(crate) fn buffered(mut self, shares: &Shares) -> Str {
        if let Some(inner) = &self.inner {
            let (data, index) = (inner.common().data.clone(), inner.records.index().cloned());
            self.own = Some(Box::new(Buffered {
                own: StringBuffers::new(data, index, shares),
                last: LastPlace::default(),
            }));
            self.is_watched = true;
        }
        self
    }

    /// Brings what a read comes to into the buffers.
    pub(super) fn bring(&mut self, step: ReadStep<'_>) -> Result<(), RequestError> {
        self.check_buffers()?;
        let Some(buffered) = &mut self.own else { return Ok(()) };
        let own = &mut buffered.own;
        buffered.last.in_order = matches!(step, ReadStep::Next | ReadStep::Prev);
        buffered.last.ci = match &mut self.of {
            AnyString::Ksds(string) => keyed(string, own, step, buffered.last.ci)?,
            AnyString::Vrrds(string) => {
                let number;
                let step = match step {
                    ReadStep::Get(argument, search) | ReadStep::Skip(argument, search) => match rrn(argument) {
                        Ok(rrn @ 1..) => {
                            number = rrn.to_be_bytes();
                            ReadStep::Get(Argument::Key(&number), search)
                        }
                        // The request says what is wrong with it.
                        _ => return Ok(()),
                    },
                    step => step,
                };
                keyed(string.keyed(), own, step, buffered.last.ci)?
            }
            AnyString::Esds(string) => string.bring(step, own)?,
            AnyString::Rrds(string) => string.bring(step, own)?,
            AnyString::Lds(string) => string.bring(step, own)?,
            AnyString::Path(_) | AnyString::Far(_) => None,
        };
        Ok(())
    }

    /// What its buffers hold is read and written only where the request itself would be answered: not in a child of the
    /// process that opened the data set (forked:F1).
    fn check_buffers(&self) -> Result<(), RequestError> {
        match (&self.own, &self.inner) {
            (Some(_), Some(inner)) => inner.common().check_fence(),
            _ => Ok(()),
        }
    }

    /// PUT insert.
    pub(super) fn insert_buffered(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        self.check_buffers()?;
        let splits = self.splits();
        let loading = self.is_loading();
        let mut ci = None;
        if let (Some(buffered), false) = (&mut self.own, loading) {
            ci = match &mut self.of {
                AnyString::Ksds(string) => {
                    let ksds = string.ksds();
                    let key = record.get(ksds.shape.rkp..ksds.shape.rkp + ksds.shape.key_len);
                    key.map_or(Ok(None), |key| insert_place(ksds, &mut buffered.own, key))?
                }
                AnyString::Vrrds(string) => variable_place(string, &mut buffered.own, None)?,
                _ => None,
            };
        }
        let entered = match (&mut self.own, &self.of, loading) {
            (Some(buffered), AnyString::Esds(string), true) => string.fills(record, &mut buffered.own)?,
            _ => false,
        };
        let rba = self.insert_plainly(record, how)?;
        if !loading {
            ci = ci.or_else(|| self.ci_of(rba));
        }
        if let (Some(came), Some(buffered), true) = (self.ci_of(rba), &mut self.own, entered) {
            buffered.own.formats(came)?;
        }
        self.changed(ci, how == Insert::Direct, splits)?;
        Ok(rba)
    }

    fn is_loading(&self) -> bool {
        let inner = self.inner.as_ref();
        inner.is_some_and(|inner| inner.common().loading.load(Relaxed))
    }

    /// Reads or writes a range of an LDS. The bytes are in the caller's own area, as with VSAM's user buffering: buffers of
    /// its own take no part in it, and the CIs of a control area pass with one request. Shared ones do, a CI at a time.
    pub(super) fn range_buffered(
        &mut self,
        (rba, len, writes): (u64, usize, bool),
        request: impl FnOnce(&mut Str) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        self.check_buffers()?;
        let covers = match &self.of {
            AnyString::Lds(string) => string.covers(rba, len),
            _ => None,
        };
        if let (Some(buffered), Some((cis, in_part))) = (&mut self.own, &covers) {
            // What is written in part is read first.
            let reads: Vec<u32> = if writes { in_part.clone() } else { cis.clone().collect() };
            buffered.own.range(&reads)?;
        }
        request(self)?;
        match (&mut self.own, covers) {
            (Some(buffered), Some((cis, _))) if writes => buffered.own.range_changed(&cis.collect::<Vec<u32>>()),
            _ => Ok(()),
        }
    }

    /// PUT insert at a record number.
    pub(super) fn insert_at_buffered(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        self.check_buffers()?;
        let splits = self.splits();
        let loading = self.is_loading();
        let mut ci = None;
        if let (Some(buffered), AnyString::Vrrds(string), false) = (&mut self.own, &mut self.of, loading) {
            ci = variable_place(string, &mut buffered.own, Some(rrn))?;
        }
        self.insert_at_plainly(rrn, record, how)?;
        if !loading {
            ci = ci.or_else(|| self.ci_of(rrn.into()));
        }
        self.changed(ci, how == Insert::Direct, splits)
    }

    /// PUT update of what was got last. Another string may have moved it to another CI since.
    pub(super) fn update_buffered(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        let splits = self.splits();
        let last = self.last_place();
        let number = self.update_plainly(record)?;
        let ci = self.ci_of(number).or(last.ci);
        self.changed(ci, !last.in_order, splits)?;
        Ok(number)
    }

    /// ERASE of what was got last.
    pub(super) fn erase_buffered(&mut self) -> Result<(), RequestError> {
        let splits = self.splits();
        let last = self.last_place();
        self.erase_plainly()?;
        self.changed(last.ci, !last.in_order, splits)
    }

    fn last_place(&self) -> LastPlace {
        self.own.as_ref().map(|buffered| buffered.last).unwrap_or_default()
    }

    /// Writes what a request changed, or notes that it is to be written.
    fn changed(&mut self, ci: Option<u32>, direct: bool, splits: u64) -> Result<(), RequestError> {
        let split = self.splits() != splits;
        let Some(buffered) = &mut self.own else { return Ok(()) };
        match (split, ci) {
            (true, _) => buffered.own.restructured(ci),
            (false, Some(ci)) => buffered.own.changed(ci, direct),
            (false, None) => Ok(()),
        }
    }

    /// How often CIs and CAs were split.
    fn splits(&self) -> u64 {
        let counters = self.inner.as_ref().map(|inner| &inner.common().counters);
        let of = [DataSetCount::CiSplits, DataSetCount::CaSplits, DataSetCount::CaReclaims];
        counters.map_or(0, |counters| of.into_iter().map(|of| counters.get(of)).sum())
    }

    fn ci_of(&self, number: u64) -> Option<u32> {
        let size = self.inner.as_ref()?.common().data.layout.ci_size as u64;
        match &self.of {
            AnyString::Ksds(_) => Some((number / size) as u32),
            AnyString::Esds(string) => Some(string.ci(number)),
            AnyString::Rrds(string) => Some(string.ci(number)),
            AnyString::Lds(string) => Some(string.ci(number)),
            AnyString::Vrrds(string) => Some((string.put_at() / size) as u32),
            _ => None,
        }
    }

    /// ENDREQ for its buffers.
    pub(super) fn end_buffered(&mut self) {
        if self.inner.as_ref().is_some_and(|inner| inner.shared.owner.is_parent()) {
            return;
        }
        if let Some(buffered) = &mut self.own {
            // What cannot be written stays changed in the pool, and the next commit tells of it.
            let _ = buffered.own.end();
        }
    }
}

/// A control interval is about to be got.
pub(super) fn bring_interval(own: &mut Option<Box<Buffered>>, ci: u32) -> Result<(), RequestError> {
    own.as_mut().map_or(Ok(()), |buffered| buffered.own.direct(ci))
}

/// Control intervals are about to be got to the caller's area.
pub(super) fn bring_intervals(own: &mut Option<Box<Buffered>>, cis: &[u32]) -> Result<(), RequestError> {
    own.as_mut().map_or(Ok(()), |buffered| buffered.own.range(cis))
}

/// Such were put.
pub(super) fn intervals_changed(own: &mut Option<Box<Buffered>>, cis: &[u32]) -> Result<(), RequestError> {
    match (own, cis) {
        (Some(buffered), [ci]) => buffered.own.changed(*ci, true),
        (Some(buffered), _) => buffered.own.range_changed(cis),
        (None, _) => Ok(()),
    }
}

/// A request of a string on a KSDS, or on what is one.
fn keyed(
    string: &mut KeyedString,
    own: &mut StringBuffers,
    step: ReadStep<'_>,
    last: Option<u32>,
) -> Result<Option<u32>, RequestError> {
    let ksds = string.ksds().clone();
    match step {
        ReadStep::Get(Argument::Key(key), search) | ReadStep::Skip(Argument::Key(key), search) => {
            to_key(&ksds, own, key, search)
        }
        ReadStep::Get(Argument::Rba(rba), _) => {
            let ci = u32::try_from(rba / ksds.data.layout.ci_size as u64);
            match ci.ok().filter(|_| rba < ksds.data.high_used()) {
                Some(ci) => by_number(own, ci),
                // The request says what is wrong with it.
                None => Ok(None),
            }
        }
        ReadStep::Get(..) | ReadStep::Skip(..) => Ok(None),
        ReadStep::Next => match string.goes_forward_from() {
            Some((at, key, after)) => forward(&ksds, own, at, key, after),
            None => Ok(last),
        },
        ReadStep::Prev => match string.goes_back_from() {
            Some(key) => to_key(&ksds, own, key, Search::Equal),
            None => Ok(last),
        },
    }
}

/// A direct request for a key: the index, and the CI.
pub(super) fn to_key(
    ksds: &Ksds,
    own: &mut StringBuffers,
    key: &[u8],
    search: Search,
) -> Result<Option<u32>, RequestError> {
    let Some(route) = ksds.route(key, |ci, is_set| own.index_record(ci, is_set))? else {
        return Ok(None);
    };
    let ci = route.cis[route.entry];
    own.direct(ci)?;
    // A whole key is in this one or nowhere; the first at or above it may be in the next.
    let whole = search == Search::Equal && key.len() == ksds.shape.key_len;
    if whole || ksds.has_from(ci, key, false)? {
        return Ok(Some(ci));
    }
    match ksds.route_at(route.node, route.entry + 1)? {
        Some(next) if next.entry < next.cis.len() => {
            own.direct(next.cis[next.entry])?;
            Ok(Some(next.cis[next.entry]))
        }
        _ => Ok(Some(ci)),
    }
}

/// Where a record goes: the index, and the CI in the buffer for inserts.
fn insert_place(ksds: &Ksds, own: &mut StringBuffers, key: &[u8]) -> Result<Option<u32>, RequestError> {
    let route = ksds.route(key, |ci, is_set| own.index_record(ci, is_set))?;
    let ci = route.map(|route| route.cis[route.entry]);
    ci.map_or(Ok(()), |ci| own.for_insert(ci))?;
    Ok(ci)
}

/// Where a record with a number goes.
fn variable_place(
    string: &mut VariableString,
    own: &mut StringBuffers,
    at: Option<u32>,
) -> Result<Option<u32>, RequestError> {
    match string.goes_to(at) {
        Ok(number) => insert_place(string.keyed().ksds(), own, &number.to_be_bytes()),
        // The request says what is wrong with it.
        Err(_) => Ok(None),
    }
}

fn by_number(own: &mut StringBuffers, ci: u32) -> Result<Option<u32>, RequestError> {
    own.direct(ci)?;
    Ok(Some(ci))
}

/// The next record of a sequential request: it is on the page `at`, which is a sequence-set record, an entry of it and
/// the CI, or on one behind it.
pub(super) fn forward(
    ksds: &Ksds,
    own: &mut StringBuffers,
    at: Option<(u32, usize, u32)>,
    key: &[u8],
    after: bool,
) -> Result<Option<u32>, RequestError> {
    let stands = match at {
        Some((node, entry, ci)) => ksds
            .route_at(node, entry)?
            .filter(|route| route.cis.get(entry) == Some(&ci)),
        None => None,
    };
    let mut route = match stands {
        Some(stands) => stands,
        None => {
            let Some(route) = ksds.route(key, |ci, is_set| own.index_record(ci, is_set))? else {
                return Ok(None);
            };
            own.sequential(route.node, &route.cis, route.entry)?;
            route
        }
    };
    loop {
        if let Some(&ci) = route.cis.get(route.entry) {
            if ksds.has_from(ci, key, after)? {
                return Ok(Some(ci));
            }
            route.entry += 1;
        }
        if route.entry >= route.cis.len() {
            let Some(next) = ksds.node_behind(route.node)? else {
                return Ok(None);
            };
            own.index_record(next, true);
            let Some(behind) = ksds.route_at(next, 0)? else {
                return Ok(None);
            };
            route = behind;
        }
        own.sequential(route.node, &route.cis, route.entry)?;
    }
}

/// A CI of a data set without an index: in order, or by itself. One that is not in use is none.
pub(super) fn numbered<T: Numbered>(
    of: &T,
    own: &mut StringBuffers,
    ci: u32,
    in_order: bool,
) -> Result<Option<u32>, RequestError> {
    let data = &of.common().data;
    if ci >= of.end() {
        return Ok(None);
    }
    if !in_order {
        return by_number(own, ci);
    }
    let (ca, at) = data.layout.split(ci);
    let used = (data.high_used() / data.layout.ci_size as u64) as u32;
    let first = data.layout.join(ca, 0);
    let cis: Vec<u32> = (first..used.min(first.saturating_add(data.layout.ci_per_ca as u32))).collect();
    if at < cis.len() {
        own.sequential(ca, &cis, at).map(|()| Some(ci))
    } else {
        Ok(None)
    }
}
