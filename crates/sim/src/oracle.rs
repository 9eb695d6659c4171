//! What a data set must answer: a sorted map, the strings' positions and holds, and nothing about how it is stored. The
//! keys of the map are the records' keys, or the numbers they go by: RRNs (RRDS, VRRDS) and RBAs (ESDS, LDS).
//!
//! The oracle shares no code with the engine. Where VSAM's meaning leaves a choice, the choice made here is the one
//! Cica documents, and each is a line in `positions` below:
//!
//! * O1. A direct get without NSP or UPD, a direct insert and ENDREQ leave no position: NEXT and PREV answer 8/88.
//! * O2. A request that fails with 8/16 or 8/4 loses the position; NEXT past the end goes on answering 8/4.
//! * O3. A request refused for its operands (8/108, 8/112, 8/68 ...) leaves the position alone.
//! * O4. A string's next request releases what it held; UPDATE and ERASE use the hold up and keep the position.
//! * O5. RBAs of an ESDS follow from the lengths of the records before: `next_rba` is VSAM's arithmetic of CIs. Those of
//!   a compressed one follow from lengths that the model does not know: there they are turns (`rbas`).

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

use crate::random::digest;
use crate::rbas;
use crate::request::{Body, Intent, Order, Reply, Request, Search};
use crate::shape::{Durability, Organization, Shape};

const END_OF_DATA: Reply = Reply::Refused(8, 4, 0);
const DUPLICATE: Reply = Reply::Refused(8, 8, 0);
const SEQUENCE: Reply = Reply::Refused(8, 12, 0);
const NOT_FOUND: Reply = Reply::Refused(8, 16, 0);
const EXCLUSIVE: Reply = Reply::Refused(8, 20, 0);
const BAD_RBA: Reply = Reply::Refused(8, 32, 0);
const AREA_TOO_SMALL: Reply = Reply::Refused(8, 44, 0);
const ACCESS: Reply = Reply::Refused(8, 68, 0);
const BY_KEY_ONLY: Reply = Reply::Refused(8, 196, 0);
const BAD_RRN: Reply = Reply::Refused(8, 192, 0);
const NO_ERASE: Reply = Reply::Refused(8, 80, 0);
const LENGTH_CHANGE: Reply = Reply::Refused(8, 100, 0);
const NO_POSITION: Reply = Reply::Refused(8, 88, 0);
const NO_UPDATE: Reply = Reply::Refused(8, 92, 0);
const KEY_CHANGED: Reply = Reply::Refused(8, 96, 0);
const NO_REPLACING: Reply = Reply::Refused(8, 104, 0);
const LENGTH: Reply = Reply::Refused(8, 108, 0);
const KEY_LENGTH: Reply = Reply::Refused(8, 112, 0);
const LOADING: Reply = Reply::Refused(8, 116, 0);
/// 8/28, which a data set with tight space may answer to any insert or update.
pub const NO_SPACE: Reply = Reply::Refused(8, 28, 0);

/// A key or a record.
pub type Bytes = Vec<u8>;

/// Where a string stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ModelPosition {
    /// Just opened: NEXT reads the first record.
    Start,
    /// Nowhere.
    None,
    /// Pointed at the first record whose key is not below this.
    At(Bytes),
    /// Pointed backward at the last record whose key is not above this.
    BackwardAt(Bytes),
    /// On the record with this key: NEXT reads the one after, PREV the one before.
    On(Bytes),
    /// Read past the last record.
    End,
    /// Read before the first record.
    Beginning,
}

/// One string.
#[derive(Debug, Clone)]
struct StringState {
    position: ModelPosition,
    held: Option<Bytes>,
    /// Key of the last sequential or skip-sequential insert.
    inserted: Option<Bytes>,
}

/// How to go back over one change (see [`Oracle::adopt`]).
#[derive(Debug, Clone)]
enum Undo {
    /// The record with this key was this.
    Record(Bytes, Option<Bytes>),
    /// RESET threw this away.
    Reset(BTreeMap<Bytes, Bytes>, bool),
}

/// The model of one data set.
#[derive(Debug, Clone)]
pub struct Oracle {
    shape: Shape,
    records: BTreeMap<Bytes, Bytes>,
    digest: u64,
    /// Records have been loaded, now or ever since the last RESET.
    loaded: bool,
    /// Opened for output while never loaded: until the next close only sequential inserts.
    loading: bool,
    output: bool,
    strings: Vec<StringState>,
    /// Changes that no commit, checkpoint or close has made durable, oldest first.
    undo: Vec<Undo>,
}

impl Oracle {
    /// A data set just created and opened for output.
    pub fn new(shape: &Shape) -> Oracle {
        let mut oracle = Oracle {
            shape: shape.clone(),
            records: BTreeMap::new(),
            digest: 0,
            loaded: shape.organization == Organization::Lds,
            loading: true,
            output: true,
            strings: Vec::new(),
            undo: Vec::new(),
        };
        oracle.open(true);
        oracle
    }

    /// The records as they are compared, in order.
    pub fn contents(&self) -> Vec<Bytes> {
        self.records
            .iter()
            .map(|(key, record)| self.shape.shown(key, record))
            .collect()
    }

    /// The records in key order.
    pub fn records(&self) -> &BTreeMap<Bytes, Bytes> {
        &self.records
    }

    /// A number that tells contents apart: the sum of the records' digests.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Puts these records, which have keys, into a data set that has none of them.
    pub fn load(&mut self, records: &[Bytes]) {
        for record in records {
            let key = self.shape.key_of(record).to_vec();
            self.change(key, Some(record.clone()));
        }
    }

    /// Whether the open is in load mode.
    pub fn loading(&self) -> bool {
        self.loading
    }

    /// Whether the data set is open for output.
    pub fn output(&self) -> bool {
        self.output
    }

    /// The key of the record a string holds for update.
    pub fn held(&self, string: u8) -> Option<&[u8]> {
        self.strings[usize::from(string)].held.as_deref()
    }

    /// A string's request was refused for another reason than the base's: it holds nothing any more.
    pub fn let_go(&mut self, string: u8) {
        self.state(string).held = None;
    }

    /// Answers a request and does it.
    pub fn apply(&mut self, request: &Request) -> Reply {
        use Request::*;
        match request {
            Get {
                string,
                key,
                search,
                intent,
            } => self.get(*string, key, *search, *intent),
            GetInto {
                string,
                key,
                search,
                intent,
                area,
            } => self.get_into(*string, key, *search, *intent, *area),
            Skip {
                string,
                key,
                search,
                intent,
            } => self.skip(*string, key, *search, *intent),
            GetRba {
                string,
                key,
                plus,
                intent,
            } => self.get_rba(*string, key, *plus, *intent),
            Point { string, key, search } => self.point(*string, key, *search, ModelPosition::At),
            PointBackward { string, key, search } => self.point(*string, key, *search, ModelPosition::BackwardAt),
            PointFirst { string } => self.point_end(*string, ModelPosition::At(Vec::new())),
            PointLast { string } => {
                self.point_end(*string, ModelPosition::BackwardAt(vec![0xFF; self.shape.key_length]))
            }
            Next { string, intent } => self.next(*string, *intent),
            Prev { string, intent } => self.prev(*string, *intent),
            Insert { string, order, body } => self.insert(*string, *order, body),
            Update { string, body } => self.update(*string, body),
            Rewrite { string, key, body } => match self.get(*string, key, Search::Equal, Intent::Update) {
                Reply::Record(_) => self.update(*string, body),
                refusal => refusal,
            },
            Erase { string } => self.erase(*string),
            End { string } => self.end(*string),
            Commit | Checkpoint => self.durable(),
            Reopen { output, reset } => self.reopen(*output, *reset),
            Kill(_) => Reply::Done,
        }
    }

    // --- open and close ---

    fn open(&mut self, output: bool) {
        self.output = output;
        self.loading = output && !self.loaded;
        let fresh = StringState {
            position: ModelPosition::Start,
            held: None,
            inserted: None,
        };
        self.strings = vec![fresh; usize::from(self.shape.strings)];
    }

    /// A load is durable with its CLOSE, not before: a commit then covers complete control areas only.
    fn durable(&mut self) -> Reply {
        if !self.loading {
            self.undo.clear();
        }
        Reply::Done
    }

    fn close(&mut self) {
        self.loaded |= !self.records.is_empty();
        self.undo.clear();
    }

    fn reopen(&mut self, output: bool, reset: bool) -> Reply {
        self.close();
        let refused = (reset && (!output || !self.shape.reuse && self.loaded)) || (!output && !self.loaded);
        if refused {
            self.open(true);
            return Reply::NotOpened(160);
        }
        if reset {
            let records = std::mem::take(&mut self.records);
            self.undo.push(Undo::Reset(records, self.loaded));
            self.digest = 0;
            self.loaded = self.shape.organization == Organization::Lds;
        }
        self.open(output);
        Reply::Done
    }

    /// Opens after a [`Request::Kill`] that left `contents`: goes back to the latest state since the last
    /// durable one that is just that. False when none is.
    pub fn adopt(&mut self, contents: &[Bytes]) -> bool {
        let found = contents
            .iter()
            .fold(0_u64, |sum, record| sum.wrapping_add(digest(record)));
        loop {
            if self.digest == found && self.contents() == contents {
                self.loaded |= !self.records.is_empty();
                self.undo.clear();
                self.open(true);
                return true;
            }
            match self.undo.pop() {
                Some(Undo::Record(key, before)) => drop(self.set(key, before)),
                Some(Undo::Reset(records, loaded)) => {
                    self.records = records;
                    self.digest = (self.contents().iter()).fold(0, |sum, record| sum.wrapping_add(digest(record)));
                    self.loaded = loaded;
                }
                None => return false,
            }
        }
    }

    /// Its load has ended without a record.
    pub fn end_load(&mut self) {
        self.loaded = true;
        self.open(true);
    }

    // --- reading ---

    fn get(&mut self, string: u8, key: &[u8], search: Search, intent: Intent) -> Reply {
        if let Some(refusal) = self.refuse_read(string, intent).or(self.refuse_key(key)) {
            return refusal;
        }
        match self.find(key, search) {
            None => self.lose(string, self.missing()),
            Some(found) => self.deliver(string, found, intent, true),
        }
    }

    fn get_into(&mut self, string: u8, key: &[u8], search: Search, intent: Intent, area: usize) -> Reply {
        match self.get(string, key, search, intent) {
            Reply::Record(record) if record.len() > area => AREA_TOO_SMALL,
            reply => reply,
        }
    }

    fn skip(&mut self, string: u8, key: &[u8], search: Search, intent: Intent) -> Reply {
        if let Some(refusal) = self.refuse_read(string, intent).or(self.refuse_key(key)) {
            return refusal;
        }
        if let ModelPosition::On(at) | ModelPosition::At(at) | ModelPosition::BackwardAt(at) =
            &self.state(string).position
        {
            if key < &at[..key.len().min(at.len())] {
                return SEQUENCE;
            }
        }
        match self.find(key, search) {
            None => self.lose(string, self.missing()),
            Some(found) => self.deliver(string, found, intent, false),
        }
    }

    fn get_rba(&mut self, string: u8, key: &[u8], plus: u64, intent: Intent) -> Reply {
        match self.shape.organization {
            Organization::Rrds | Organization::Vrrds => return BY_KEY_ONLY,
            Organization::Esds | Organization::Lds => {
                let rba = self.shape.number(key).saturating_add(plus);
                return self.get(string, &self.shape.numbered(rba), Search::Equal, intent);
            }
            _ => {}
        }
        if let Some(refusal) = self.refuse_read(string, intent) {
            return refusal;
        }
        if self.records.contains_key(key) && plus == 0 {
            self.deliver(string, key.to_vec(), intent, true)
        } else {
            self.lose(string, BAD_RBA)
        }
    }

    fn point(&mut self, string: u8, key: &[u8], search: Search, there: fn(Bytes) -> ModelPosition) -> Reply {
        if let Some(refusal) = self.refuse_read(string, Intent::Read).or(self.refuse_key(key)) {
            return refusal;
        }
        match self.find(key, search) {
            None => self.lose(string, self.missing()),
            Some(found) => {
                self.state(string).position = there(found);
                Reply::Done
            }
        }
    }

    fn point_end(&mut self, string: u8, position: ModelPosition) -> Reply {
        if let Some(refusal) = self.refuse_read(string, Intent::Read) {
            return refusal;
        }
        self.state(string).position = position;
        Reply::Done
    }

    fn next(&mut self, string: u8, intent: Intent) -> Reply {
        if let Some(refusal) = self.refuse_read(string, intent) {
            return refusal;
        }
        let from = match &self.state(string).position {
            ModelPosition::None => return NO_POSITION,
            ModelPosition::End => return END_OF_DATA,
            ModelPosition::Start | ModelPosition::Beginning => Unbounded,
            ModelPosition::At(key) => Included(key.clone()),
            ModelPosition::BackwardAt(key) | ModelPosition::On(key) => Excluded(key.clone()),
        };
        match self.records.range((from, Unbounded)).next().map(|(key, _)| key.clone()) {
            Some(found) => self.deliver(string, found, intent, false),
            None => {
                self.state(string).position = ModelPosition::End;
                END_OF_DATA
            }
        }
    }

    fn prev(&mut self, string: u8, intent: Intent) -> Reply {
        if let Some(refusal) = self.refuse_read(string, intent) {
            return refusal;
        }
        let to = match &self.state(string).position {
            ModelPosition::None | ModelPosition::Start => return NO_POSITION,
            ModelPosition::Beginning => return END_OF_DATA,
            ModelPosition::End => Unbounded,
            ModelPosition::BackwardAt(key) => Included(key.clone()),
            ModelPosition::At(key) | ModelPosition::On(key) => Excluded(key.clone()),
        };
        match self
            .records
            .range((Unbounded, to))
            .next_back()
            .map(|(key, _)| key.clone())
        {
            Some(found) => self.deliver(string, found, intent, false),
            None => {
                self.state(string).position = ModelPosition::Beginning;
                END_OF_DATA
            }
        }
    }

    /// Hands out the record with this key, which is there.
    fn deliver(&mut self, string: u8, key: Bytes, intent: Intent, direct: bool) -> Reply {
        let record = self.records[&key].clone();
        if intent == Intent::Update && self.strings.iter().any(|other| other.held.as_ref() == Some(&key)) {
            return EXCLUSIVE;
        }
        let state = self.state(string);
        if intent == Intent::Update {
            state.held = Some(key.clone());
        }
        state.position = if direct && intent == Intent::Read {
            ModelPosition::None
        } else {
            ModelPosition::On(key)
        };
        Reply::Record(record)
    }

    // --- changing ---

    fn insert(&mut self, string: u8, order: Order, body: &Body) -> Reply {
        self.state(string).held = None;
        if !self.output {
            return ACCESS;
        }
        let record = body.bytes(&self.shape);
        if let Some(refusal) = self.refuse_length(&record) {
            return refusal;
        }
        let key = match self.place(string, &record, body) {
            Ok(key) => key,
            Err(refusal) => return refusal,
        };
        let in_order = matches!(self.shape.organization, Organization::Ksds | Organization::Vrrds);
        if self.loading && self.shape.organization == Organization::Vrrds && order == Order::Direct {
            // The first direct insert ends the load.
            self.loading = false;
            self.loaded = true;
        }
        if self.loading && in_order {
            if order == Order::Direct {
                return LOADING;
            }
            match self.records.last_key_value() {
                Some((last, _)) if key == *last => return DUPLICATE,
                Some((last, _)) if key < *last => return SEQUENCE,
                _ => (),
            }
        }
        if order != Order::Direct {
            if let Some(previous) = &self.state(string).inserted {
                if key < *previous {
                    return SEQUENCE;
                }
            }
        }
        if self.records.contains_key(&key) {
            return DUPLICATE;
        }
        self.change(key.clone(), Some(record));
        let state = self.state(string);
        if order == Order::Direct {
            state.position = ModelPosition::None;
        } else {
            state.position = ModelPosition::On(key.clone());
            state.inserted = Some(key);
        }
        Reply::Done
    }

    /// Where an insert puts its record: by its key, at the number given, at the next number, or behind the last record.
    fn place(&mut self, string: u8, record: &[u8], body: &Body) -> Result<Bytes, Reply> {
        let last = self.records.last_key_value().map(|(key, _)| self.shape.number(key));
        let number = match self.shape.organization {
            Organization::Ksds => return Ok(self.shape.key_of(record).to_vec()),
            Organization::Esds if self.shape.renumbered() => rbas::of_turn(self.records.len()),
            Organization::Esds => self.next_rba(record.len()),
            Organization::Lds => last.map_or(0, |last| last + self.shape.ci_size as u64),
            _ if body.key.is_empty() => {
                let inserted = self.state(string).inserted.clone();
                inserted.map(|key| self.shape.number(&key)).or(last).unwrap_or(0) + 1
            }
            _ => self.shape.number(&body.key),
        };
        match number {
            0 if !self.shape.addressed() => Err(BAD_RRN),
            number => Ok(self.shape.numbered(number)),
        }
    }

    /// The RBA of the next record of an ESDS: in the last CI if there is room for it and its RDF, else in the next;
    /// spanned records in CIs of their own, all of one CA.
    fn next_rba(&self, length: usize) -> u64 {
        let (size, per_ca) = (u64::from(self.shape.ci_size), u64::from(self.shape.ci_per_ca));
        let (whole, segment) = (self.shape.ci_size as usize - 7, self.shape.ci_size as usize - 10);
        let end = match self.records.last_key_value() {
            None => 0,
            Some((key, last)) if last.len() > whole => {
                self.shape.number(key) / size + last.len().div_ceil(segment) as u64
            }
            Some((key, last)) => {
                let rba = self.shape.number(key);
                let first = self.shape.numbered(rba / size * size);
                let lengths: Vec<usize> = self.records.range(first..).map(|(_, record)| record.len()).collect();
                let (mut used, mut run) = (0, 0);
                for (i, len) in lengths.iter().chain([&length]).enumerate() {
                    run = if i > 0 && lengths[i - 1] == *len { run + 1 } else { 1 };
                    used += len + if run <= 2 { 3 } else { 0 };
                }
                if length <= whole && used + 4 <= size as usize {
                    return rba + last.len() as u64;
                }
                rba / size + 1
            }
        };
        let need = if length > whole {
            length.div_ceil(segment) as u64
        } else {
            1
        };
        let left = (per_ca - end % per_ca) % per_ca;
        let first = if length > whole && need > left { end + left } else { end };
        first * size
    }

    fn update(&mut self, string: u8, body: &Body) -> Reply {
        if !self.output {
            return ACCESS;
        }
        let Some(held) = self.state(string).held.clone() else {
            return NO_UPDATE;
        };
        let record = body.bytes(&self.shape);
        if let Some(refusal) = self.refuse_length(&record) {
            return refusal;
        }
        if self.shape.keyed() && self.shape.key_of(&record) != held {
            return KEY_CHANGED;
        }
        if self.shape.renumbered() {
            return NO_REPLACING;
        }
        if self.shape.addressed() && self.records.get(&held).map(Vec::len) != Some(record.len()) {
            return LENGTH_CHANGE;
        }
        self.state(string).held = None;
        self.change(held, Some(record));
        Reply::Done
    }

    fn erase(&mut self, string: u8) -> Reply {
        if !self.output {
            return ACCESS;
        }
        let Some(held) = self.state(string).held.clone() else {
            return NO_UPDATE;
        };
        if self.shape.addressed() {
            return NO_ERASE;
        }
        self.state(string).held = None;
        self.change(held, None);
        Reply::Done
    }

    fn end(&mut self, string: u8) -> Reply {
        let state = self.state(string);
        state.held = None;
        state.position = ModelPosition::None;
        Reply::Done
    }

    // --- parts ---

    fn state(&mut self, string: u8) -> &mut StringState {
        &mut self.strings[usize::from(string)]
    }

    /// Releases the string's hold, then refuses what the open does not allow.
    fn refuse_read(&mut self, string: u8, intent: Intent) -> Option<Reply> {
        self.state(string).held = None;
        match () {
            () if intent == Intent::Update && !self.output => Some(ACCESS),
            () if self.loading => Some(LOADING),
            () => None,
        }
    }

    /// What an argument says that finds no record.
    fn missing(&self) -> Reply {
        if self.shape.addressed() {
            BAD_RBA
        } else {
            NOT_FOUND
        }
    }

    fn refuse_key(&self, key: &[u8]) -> Option<Reply> {
        if !self.shape.keyed() {
            let zero = !self.shape.addressed() && self.shape.number(key) == 0;
            return zero.then_some(BAD_RRN);
        }
        (key.is_empty() || key.len() > self.shape.key_length).then_some(KEY_LENGTH)
    }

    fn refuse_length(&self, record: &[u8]) -> Option<Reply> {
        let allowed = self.shape.least_record()..=self.shape.maximum_record;
        (!allowed.contains(&record.len())).then_some(LENGTH)
    }

    fn lose(&mut self, string: u8, reply: Reply) -> Reply {
        self.state(string).position = ModelPosition::None;
        reply
    }

    /// The key of the first record that `key`, or what is given of it, finds.
    fn find(&self, key: &[u8], search: Search) -> Option<Bytes> {
        let (found, _) = self.records.range(key.to_vec()..).next()?;
        (search == Search::GreaterOrEqual || found.starts_with(key)).then(|| found.clone())
    }

    fn change(&mut self, key: Bytes, record: Option<Bytes>) {
        let before = self.set(key.clone(), record);
        if self.loading || self.shape.durability != Durability::Request {
            self.undo.push(Undo::Record(key, before));
        }
    }

    fn set(&mut self, key: Bytes, record: Option<Bytes>) -> Option<Bytes> {
        let digest = |shape: &Shape, record: Option<&Bytes>| record.map_or(0, |r| digest(&shape.shown(&key, r)));
        let added = digest(&self.shape, record.as_ref());
        let before = match record {
            Some(record) => self.records.insert(key.clone(), record),
            None => self.records.remove(&key),
        };
        let removed = digest(&self.shape, before.as_ref());
        self.digest = self.digest.wrapping_add(added).wrapping_sub(removed);
        before
    }
}
