//! A string on a path: a position in the order of the alternate keys, and the base records it leads to.
//!
//! The positions are those of [`crate::request`], with alternate keys for K. Of records with the same alternate key
//! NEXT and PREV return the one that came first before the others: duplicates stand in the order of their arrival,
//! and VSAM reads them so in both directions. A string that mirrors them has PREV return them last first, as COBOL's
//! READ PREVIOUS does elsewhere.
//!
//! * P1. Between requests the string keeps the alternate index record that it read last, and the place in it. Pointers
//!   go from anywhere and come behind all others, so the two records tell where it stands when the record is another:
//!   behind those it has passed that are still there. So what stays is read once, whatever comes, goes, or goes and
//!   comes again.
//! * P2. What the alternate index said is believed only if the base record agrees. If it does not, somebody may be
//!   changing both, so they are looked at again under the lock of the alternate key (sphere:S2): then a pointer without
//!   its record is 8/144, and a record with another key is one that an index without UPGRADE missed.
//! * P3. Where an alternate index record leads nowhere, it is looked for again only if it has changed since it was
//!   read. Else it would be found again for ever: it is damaged (12/4).

use super::buffered::{forward, to_key};
use super::AccessPath;
use super::Str;
use crate::alternate::{chain, pointer};
use crate::buffers::StringBuffers;
use crate::error::RequestError;
use crate::ksds::{Ksds, Spot};
use crate::open::OpenDataSet;
use crate::request::{Access, Argument, Insert, Intent, Record, Search};
use cica_counters::{StringCount, StringCounts};
use cica_format::aix::{self, AixRecord, Link, Pointers};
use std::sync::Arc;

/// See the module.
pub(crate) struct PathString {
    inner: Arc<OpenDataSet>,
    way: Arc<AccessPath>,
    base: Box<Str>,
    /// What it counts of the alternate index, where others see it.
    counts: StringCounts,
    /// What it looks at the alternate index through, where its open asked for buffers.
    own: Option<Box<StringBuffers>>,
    position: PathPosition,
    /// Alternate key of the position.
    key: Vec<u8>,
    /// Its alternate index record, and the place in it (P1).
    standing: List,
    place: usize,
    /// The record that is to be the position's, unless that is the same `again`.
    found: List,
    again: bool,
    /// The position's record was not there any more.
    gone: bool,
    /// PREV returns the duplicates last first.
    mirrored: bool,
    /// 0/8 of the last request.
    duplicate: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PathPosition {
    Start,
    None,
    /// These use `key`.
    At,
    BackAt,
    /// And these `pointer` and `place`.
    On,
    /// On, and the record is returned once more.
    Here,
    End,
    Beginning,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// A copy of an alternate index record, and where it was.
#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    spot: Option<Spot>,
}

/// Which alternate index record is looked for.
#[derive(Clone, Copy)]
enum Wanted<'k> {
    /// As [`Ksds::find`].
    Find(&'k [u8], bool),
    /// As [`Ksds::first_at`], and from where the string stands, if it goes on from there.
    First(&'k [u8], bool, Option<Spot>),
    /// As [`Ksds::last_at`].
    Last(&'k [u8], bool),
}

impl Wanted<'_> {
    fn look(self, ksds: &Ksds) -> Result<Option<Spot>, RequestError> {
        match self {
            Wanted::Find(key, equal) => ksds.find(key, equal),
            Wanted::First(key, after, _) => ksds.first_at(key, after),
            Wanted::Last(key, or_at) => ksds.last_at(key, or_at),
        }
    }

    /// Brings it into buffers.
    fn bring(self, ksds: &Ksds, own: &mut StringBuffers) -> Result<(), RequestError> {
        match self {
            Wanted::Find(key, true) | Wanted::Last(key, _) => to_key(ksds, own, key, Search::Equal),
            Wanted::Find(key, false) => to_key(ksds, own, key, Search::GreaterOrEqual),
            Wanted::First(key, after, from) => {
                let stands = from.filter(|spot| ksds.fresh(&spot.leaf));
                let at = stands.map(|spot| (spot.leaf.node.0, spot.leaf.entry, spot.leaf.ci));
                forward(ksds, own, at, key, after)
            }
        }
        .map(drop)
    }
}

/// What came of following a pointer.
enum Followed {
    Record,
    /// The pointer is not there any more.
    Gone,
}

/// What a pointer led to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// A record with the alternate key.
    Agrees,
    /// A record with another one.
    Differs,
    Missing,
}

impl PathString {
    /// A string over `base`, which nobody else uses.
    pub fn new(inner: Arc<OpenDataSet>, way: Arc<AccessPath>, base: Str) -> PathString {
        let own = way.string_buffers().map(Box::new);
        let counts = way.ksds.counters.string();
        PathString {
            inner,
            way,
            base: Box::new(base),
            counts,
            own,
            position: PathPosition::Start,
            key: Vec::new(),
            standing: List::default(),
            place: 0,
            found: List::default(),
            again: false,
            gone: false,
            mirrored: false,
            duplicate: false,
        }
    }

    // ---- reading ----

    /// GET direct; a short key is generic. The first of the duplicates.
    pub fn get(&mut self, key: &[u8], search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.begin(intent)?;
        self.check_key(key)?;
        self.find(key, search, intent)?;
        if intent == Intent::Read {
            self.position = PathPosition::None;
        }
        Ok(self.base.last())
    }

    /// GET skip-sequential.
    pub fn skip(&mut self, key: &[u8], search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.begin(intent)?;
        self.check_key(key)?;
        let from = self.goes_on_from();
        if *key < from[..key.len().min(from.len())] {
            return Err(RequestError::Sequence { key: key.to_vec() });
        }
        self.find(key, search, intent)?;
        Ok(self.base.last())
    }

    /// POINT, forward or backward.
    pub fn point(&mut self, key: &[u8], search: Search, backward: bool) -> Result<(), RequestError> {
        self.begin(Intent::Read)?;
        self.check_key(key)?;
        if !self.list_at(Wanted::Find(key, search == Search::Equal))? {
            return Err(self.lose(RequestError::NotFound));
        }
        self.key = self.listed()?.key.to_vec();
        self.position = if backward {
            PathPosition::BackAt
        } else {
            PathPosition::At
        };
        Ok(())
    }

    /// POINT to the first record, or, for PREV, to the last.
    pub fn point_end(&mut self, backward: bool) -> Result<(), RequestError> {
        self.begin(Intent::Read)?;
        self.key.clear();
        if backward {
            self.key.resize(self.way.layout.key_len, 0xFF);
        }
        self.position = if backward {
            PathPosition::BackAt
        } else {
            PathPosition::At
        };
        Ok(())
    }

    /// The record that the last get returned is not its user's.
    pub fn keep_to_itself(&mut self, direct: bool) {
        self.base.keep_to_itself(direct);
    }

    /// From now on PREV returns duplicates last first.
    pub fn mirror_duplicates(&mut self) {
        self.mirrored = true;
    }

    /// The next NEXT or PREV returns the record returned last once more; if it is gone, its neighbour.
    pub fn stay(&mut self) {
        if self.position == PathPosition::On {
            self.position = PathPosition::Here;
        }
    }

    /// GET sequential.
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.step(Direction::Forward, intent)?;
        Ok(self.base.last())
    }

    /// GET sequential, backward.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.step(Direction::Backward, intent)?;
        Ok(self.base.last())
    }

    /// The record that the last get returned.
    pub fn last(&self) -> Record<'_> {
        self.base.last()
    }

    /// The alternate key that a skip goes on from; empty: there is none.
    pub fn goes_on_from(&self) -> &[u8] {
        match self.position {
            PathPosition::At | PathPosition::BackAt | PathPosition::On | PathPosition::Here => &self.key,
            _ => &[],
        }
    }

    /// Is a record held for update?
    pub fn holds(&self) -> bool {
        self.base.holds()
    }

    /// 0/8: another record with the same alternate key follows; after a change: it made a duplicate.
    pub fn duplicate(&self) -> bool {
        self.duplicate
    }

    // ---- changing ----

    /// PUT insert: into the base, and by its upgrade set into the alternate indexes. It leaves no position.
    pub fn insert(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        self.duplicate = false;
        let rba = self.base.insert(record, Insert::Direct)?;
        self.position = PathPosition::None;
        self.duplicate = self.base.duplicate();
        Ok(rba)
    }

    /// PUT update. Neither prime key nor the path's alternate key can change (8/96).
    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        self.duplicate = false;
        if self.base.holds() && self.way.key_of(record) != self.way.key_of(self.base.last().bytes) {
            return Err(RequestError::KeyChanged);
        }
        let rba = self.base.update(record)?;
        self.duplicate = self.base.duplicate();
        Ok(rba)
    }

    /// ERASE.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        self.duplicate = false;
        self.base.erase()
    }

    /// ENDREQ.
    pub fn end(&mut self) {
        self.base.end();
        if let Some(own) = &mut self.own {
            // It changes nothing of the alternate index by itself, so there is nothing to write.
            let _ = own.end();
        }
        self.position = PathPosition::None;
    }

    // ---- parts ----

    /// Its string on the base, which has what is held.
    pub fn base(&mut self) -> &mut Str {
        &mut self.base
    }

    /// The same, to be looked at.
    pub fn base_ref(&self) -> &Str {
        &self.base
    }

    /// What the string's open is for.
    pub fn access(&self) -> Access {
        self.base.access()
    }

    /// A string's next request releases what it held.
    fn begin(&mut self, intent: Intent) -> Result<(), RequestError> {
        self.duplicate = false;
        self.base.give_up();
        if intent == Intent::Update && self.access() != Access::Output {
            return Err(RequestError::Access {
                what: "getting records for update (open for output)",
            });
        }
        let fence = self.way.ksds.check_fence();
        fence.map_err(|error| self.of_alternate(error))
    }

    fn check_key(&self, key: &[u8]) -> Result<(), RequestError> {
        let key_length = self.way.layout.key_len;
        if (1..=key_length).contains(&key.len()) {
            Ok(())
        } else {
            Err(RequestError::KeyLength {
                given: key.len(),
                key_length,
            })
        }
    }

    fn find(&mut self, key: &[u8], search: Search, intent: Intent) -> Result<(), RequestError> {
        loop {
            if !self.list_at(Wanted::Find(key, search == Search::Equal))? {
                return Err(self.lose(RequestError::NotFound));
            }
            if let Followed::Record = self.follow(0, intent)? {
                return Ok(());
            }
        }
    }

    fn step(&mut self, direction: Direction, intent: Intent) -> Result<(), RequestError> {
        self.begin(intent)?;
        let forward = direction == Direction::Forward;
        loop {
            let place = match self.position {
                PathPosition::None => return Err(RequestError::NoPosition),
                PathPosition::Start if !forward => return Err(RequestError::NoPosition),
                PathPosition::End if forward => None,
                PathPosition::Beginning if !forward => None,
                PathPosition::On | PathPosition::Here => match self.place_beside(direction)? {
                    Some(place) => Some(place),
                    None => match self.link_beside(direction)? {
                        Some(place) => Some(place),
                        None => self.other_list(direction)?,
                    },
                },
                _ => self.other_list(direction)?,
            };
            let Some(place) = place else {
                self.position = if forward {
                    PathPosition::End
                } else {
                    PathPosition::Beginning
                };
                return Err(RequestError::EndOfData);
            };
            if let Followed::Record = self.follow(place, intent)? {
                return Ok(());
            }
        }
    }

    /// Whether it goes through duplicates last first.
    fn goes_back(&self, direction: Direction) -> bool {
        self.mirrored && direction == Direction::Backward
    }

    /// The place that is next in this direction, in the record that has the position, as it is now.
    fn place_beside(&mut self, direction: Direction) -> Result<Option<usize>, RequestError> {
        let way = self.way.clone();
        let fresh = self.standing.spot.is_some_and(|spot| way.ksds.fresh(&spot.leaf));
        if !fresh {
            let link = way.ksds.key_of(&self.standing.bytes).to_vec();
            self.gone = !self.list_at(Wanted::Find(&link, true))?;
            if self.gone {
                return Ok(None);
            }
        }
        (self.again, self.gone) = (fresh, false);
        let record = self.listed()?;
        let (passed, here) = if fresh {
            (self.place, true)
        } else {
            carried(&self.read(&self.standing.bytes)?, &record, self.place)
        };
        let place = match (here, self.position, self.goes_back(direction)) {
            (true, PathPosition::Here, _) => Some(passed),
            (true, _, false) => Some(passed + 1),
            // It is gone: the one behind it has its place.
            (false, _, false) => Some(passed),
            (_, _, true) => passed.checked_sub(1),
        };
        Ok(place.filter(|&place| place < record.count()))
    }

    /// The first place, in this direction, in the next record of the same alternate key, where it has several.
    fn link_beside(&mut self, direction: Direction) -> Result<Option<usize>, RequestError> {
        let (way, back) = (self.way.clone(), self.goes_back(direction));
        if !way.layout.chained {
            return Ok(None);
        }
        let link = way.ksds.key_of(&self.standing.bytes).to_vec();
        let found = if back {
            self.list_at(Wanted::Last(&link, false))?
        } else {
            self.list_at(Wanted::First(&link, true, self.standing.spot))?
        };
        let is_another = |found: &List| !aix::is_directory(&found.bytes) && way.layout.key_of(&found.bytes) == self.key;
        if !found || !is_another(&self.found) {
            // The last link of a chain goes with the chain (C1): what is there now came when all had gone.
            let key = self.key.clone();
            let new = self.gone && !back && self.list_at(Wanted::Find(&key, true))?;
            return Ok(new.then_some(0));
        }
        let count = self.listed()?.count();
        Ok(count.checked_sub(1).map(|last| if back { last } else { 0 }))
    }

    /// The first place in this direction of the next alternate key.
    fn other_list(&mut self, direction: Direction) -> Result<Option<usize>, RequestError> {
        match direction {
            Direction::Forward => Ok(self.list_behind()?.then_some(0)),
            Direction::Backward => self.list_before(),
        }
    }

    /// Behind the position; false: there is none. Of each alternate key the first record is its first list.
    fn list_behind(&mut self) -> Result<bool, RequestError> {
        let (key, behind) = (self.key.clone(), self.bound(&self.key, 0xFF));
        match self.position {
            PathPosition::Start | PathPosition::Beginning => self.list_at(Wanted::First(&[], false, None)),
            PathPosition::At => self.list_at(Wanted::First(&key, false, None)),
            PathPosition::On | PathPosition::Here => self.list_at(Wanted::First(&behind, true, self.standing.spot)),
            _ => self.list_at(Wanted::First(&behind, true, None)),
        }
    }

    /// Before the position, and the place in it.
    fn list_before(&mut self) -> Result<Option<usize>, RequestError> {
        let (mut bound, mut or_at) = match self.position {
            PathPosition::End => (self.bound(&vec![0xFF; self.way.layout.key_len], 0xFF), true),
            PathPosition::BackAt => (self.bound(&self.key, 0xFF), true),
            // Nothing lies before the start of all keys.
            _ if self.key.is_empty() => return Ok(None),
            _ => (self.bound(&self.key, 0), false),
        };
        loop {
            if !self.list_at(Wanted::Last(&bound, or_at))? {
                return Ok(None);
            }
            let key = self.way.layout.key_of(&self.found.bytes).to_vec();
            // Behind the lists of a key stands what finds a pointer in them; the first of the lists before them all.
            let found = match (self.mirrored, self.found_directory()) {
                (true, false) => true,
                (true, true) => {
                    let last = chain::link_key(&key, Link::LAST);
                    self.list_at(Wanted::Last(&last, true))?
                }
                (false, _) => self.list_at(Wanted::Find(&key, true))?,
            };
            if found && self.way.layout.key_of(&self.found.bytes) == key {
                if let Some(last) = self.listed()?.count().checked_sub(1) {
                    return Ok(Some(if self.mirrored { last } else { 0 }));
                }
                // The last link is empty: the one before it.
                (bound, or_at) = (self.way.ksds.key_of(&self.found.bytes).to_vec(), false);
                continue;
            }
            // All its lists went meanwhile.
            (bound, or_at) = (self.bound(&key, 0), false);
        }
    }

    /// An alternate key, or the start of one, made as long as the keys of the index's own records.
    fn bound(&self, key: &[u8], byte: u8) -> Vec<u8> {
        let mut bound = key.to_vec();
        bound.resize(self.way.ksds.shape.key_len.max(key.len()), byte);
        bound
    }

    fn found_directory(&self) -> bool {
        self.way.layout.chained && aix::is_directory(&self.found.bytes)
    }

    /// Reads an alternate index record; false: there is none.
    fn list_at(&mut self, wanted: Wanted<'_>) -> Result<bool, RequestError> {
        let ksds = &self.way.ksds;
        self.again = false;
        let brought = self.own.as_mut().map_or(Ok(()), |own| {
            ksds.check_fence()?;
            wanted.bring(ksds, own)
        });
        brought.map_err(|error| self.of_alternate(error))?;
        let ksds = &self.way.ksds;
        let read = ksds.read(|| wanted.look(ksds), &mut self.found.bytes);
        self.found.spot = read.map_err(|error| self.of_alternate(error))?;
        self.count_look(wanted);
        Ok(self.found.spot.is_some())
    }

    /// It has looked for an alternate index record: from the root on, or from where it stands.
    fn count_look(&self, wanted: Wanted<'_>) {
        let from = match wanted {
            Wanted::First(_, _, from) => from.zip(self.found.spot),
            _ => None,
        };
        let (data, index) = match from {
            Some((from, to)) => (
                from.leaf.ci != to.leaf.ci,
                u64::from(from.leaf.node.0 != to.leaf.node.0),
            ),
            None => (true, self.way.ksds.top().1.into()),
        };
        self.counts.add(StringCount::DataLooks, data.into());
        self.counts.add(StringCount::IndexLooks, index);
    }

    fn listed(&self) -> Result<AixRecord<'_>, RequestError> {
        let list = if self.again { &self.standing } else { &self.found };
        self.read(&list.bytes)
    }

    fn read<'l>(&self, list: &'l [u8]) -> Result<AixRecord<'l>, RequestError> {
        let record = self.way.layout.read(&self.way.ksds, list);
        record.map_err(|error| self.of_alternate(error))
    }

    /// Gets the base record of a pointer of the record found, which is the string's position then.
    fn follow(&mut self, place: usize, intent: Intent) -> Result<Followed, RequestError> {
        let record = self.listed()?;
        let (key, count) = (record.key.to_vec(), record.count());
        let Some(pointer) = record.pointer(place).map(<[u8]>::to_vec) else {
            return self.leads_nowhere();
        };
        if self.get_base(&key, &pointer, intent)? != Base::Agrees {
            self.base.give_up();
            let inner = self.inner.clone();
            let place = self
                .way
                .place
                .and_then(|place| inner.sphere().map(|sphere| (sphere, place)));
            let _lock = place.map(|(sphere, place)| sphere.lock_key(place, &key));
            if !self.is_listed(&key, &pointer)? {
                return self.leads_nowhere();
            }
            // Nobody is changing it now (P2).
            if self.get_base(&key, &pointer, intent)? == Base::Missing {
                self.position = PathPosition::None;
                return Err(self.of_alternate(RequestError::NoBaseRecord { pointer }));
            }
        }
        self.duplicate = place + 1 < count || self.has_more_links()?;
        if !self.again {
            std::mem::swap(&mut self.standing, &mut self.found);
        }
        (self.key, self.place, self.position) = (key, place, PathPosition::On);
        Ok(Followed::Record)
    }

    /// P3.
    fn leads_nowhere(&self) -> Result<Followed, RequestError> {
        let list = if self.again { &self.standing } else { &self.found };
        let (ksds, mut now) = (&self.way.ksds, Vec::new());
        let there = ksds.get(ksds.key_of(&list.bytes), &mut now);
        if !there.map_err(|error| self.of_alternate(error))? || now != list.bytes {
            return Ok(Followed::Gone);
        }
        let key = self.way.layout.key_of(&list.bytes);
        let what = "its first record has no pointer, or one that its directory does not name";
        Err(self.of_alternate(chain::broken(ksds, key, what)))
    }

    /// Whether the alternate index has the pointer now.
    fn is_listed(&self, key: &[u8], pointer: &[u8]) -> Result<bool, RequestError> {
        pointer::has(&self.way.ksds, &self.way.layout, key, pointer).map_err(|error| self.of_alternate(error))
    }

    /// Whether another record of the same alternate key follows the one found.
    fn has_more_links(&self) -> Result<bool, RequestError> {
        let record = self.listed()?;
        let Some(link) = record.link.filter(|link| link.listed) else {
            return Ok(false);
        };
        let way = &self.way;
        let behind = chain::link_behind(&way.ksds, &way.layout, record.key, link.number);
        match behind.map_err(|error| self.of_alternate(error))? {
            Some(next) => Ok(self.read(&next)?.count() > 0),
            None => Ok(false),
        }
    }

    /// Gets the base record of a pointer.
    fn get_base(&mut self, key: &[u8], pointer: &[u8], intent: Intent) -> Result<Base, RequestError> {
        let argument = match self.way.layout.pointers {
            Pointers::Keys(_) => Argument::Key(pointer),
            Pointers::Rba | Pointers::Xrba => {
                Argument::Rba(pointer.iter().fold(0, |rba, &byte| rba << 8 | u64::from(byte)))
            }
        };
        match self.base.get(argument, Search::Equal, intent) {
            Ok(record) if self.way.key_of(record.bytes) == Some(key) => Ok(Base::Agrees),
            Ok(_) => Ok(Base::Differs),
            Err(RequestError::NotFound | RequestError::BadRba { .. }) => Ok(Base::Missing),
            Err(error) => Err(error),
        }
    }

    fn lose(&mut self, error: RequestError) -> RequestError {
        self.position = PathPosition::None;
        error
    }

    fn of_alternate(&self, error: RequestError) -> RequestError {
        error.in_component(2, self.way.name())
    }
}

/// Where a reader stands in `new` who stood at `place` of `old`, the same record earlier: how many pointers before that
/// place are left, and whether the one at it is (P1).
fn carried(old: &AixRecord<'_>, new: &AixRecord<'_>, place: usize) -> (usize, bool) {
    let (mut left, mut here, mut stays) = (0, false, new.pointers().peekable());
    for (at, pointer) in old.pointers().take(place + 1).enumerate() {
        let stayed = stays.next_if_eq(&pointer).is_some();
        left += usize::from(stayed && at < place);
        here = stayed && at == place;
    }
    (left, here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pointers: &[u8; 4]) -> Vec<u8> {
        let mut list = Vec::new();
        aix::begin(&mut list, Pointers::Keys(1), b"KEY");
        for pointer in pointers.iter().filter(|&&pointer| pointer != b' ') {
            aix::add(&mut list, &[*pointer]).unwrap_or_default();
        }
        list
    }

    #[test]
    fn a_reader_stands_behind_what_it_has_passed_and_is_left() {
        let after = |old, place, new| {
            let (old, new) = (list(old), list(new));
            let read = |list| AixRecord::read(list).expect("a record");
            carried(&read(&old), &read(&new), place)
        };
        assert_eq!(after(b"ABCD", 1, b"ABCD"), (1, true));
        assert_eq!(after(b"ABCD", 1, b"BCD "), (0, true));
        assert_eq!(after(b"ABCD", 1, b"ACD "), (1, false));
        assert_eq!(after(b"ABCD", 1, b"CD  "), (0, false));
        assert_eq!(after(b"ABCD", 2, b"D   "), (0, false));
        // It went and came again: behind all others, where it will be read once more.
        assert_eq!(after(b"ABCD", 1, b"ACDB"), (1, false));
        assert_eq!(after(b"ABC ", 2, b"ACBD"), (1, true));
        assert_eq!(after(b"ABC ", 2, b"BXYZ"), (1, false));
    }
}
