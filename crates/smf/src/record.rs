//! A record: bytes, and its fields by their names.

use crate::field::{Field, Kind, Layout, Section, HEADER, HEADER_LEN};
use cica_counters::{Component, ComponentCount, DataSetCount, OpenDataSet};
use cica_qsam::CodePage;
use std::fmt;

/// A record, its length field and segment first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    bytes: Vec<u8>,
}

/// What a field says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i128),
    /// Text, a time, a day.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// Who writes records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The system.
    pub system: String,
    /// What the catalog is called.
    pub catalog: String,
    /// The job, or the program where there is none.
    pub job: String,
    /// The step.
    pub step: String,
    /// Nanoseconds since 1970 of the start of the process.
    pub started: u64,
}

impl Record {
    /// One of this layout, with nothing but its header.
    pub fn new(layout: &Layout, now: u64, origin: &Origin) -> Record {
        Record::with_sections(layout, |_| 1, now, origin)
    }

    /// The same with as many of each section as `count` says. Sections lie one behind the other.
    pub(crate) fn with_sections(
        layout: &Layout,
        count: impl Fn(&Section) -> usize,
        now: u64,
        origin: &Origin,
    ) -> Record {
        let mut record = Record {
            bytes: vec![0; layout.len()],
        };
        record.blank(0, layout.fields);
        for section in layout.sections {
            let (at, count) = (record.bytes.len(), count(section));
            record.bytes.resize(at + count * section.len(), 0);
            let triplet = [
                (at as u64, 4),
                (section.len() as u64, 2),
                (count.min(usize::from(u16::MAX)) as u64, 2),
            ];
            let said = triplet.map(|(n, len)| n.to_be_bytes()[8 - len..].to_vec()).concat();
            record.bytes[section.triplet..section.triplet + 8].copy_from_slice(&said);
            (0..count).for_each(|n| record.blank(at + n * section.len(), section.fields));
        }
        // What decides which fields there are comes first.
        record.bytes[5] = layout.number;
        if layout.subtype > 0 {
            record.bytes[22..24].copy_from_slice(&layout.subtype.to_be_bytes());
        }
        record.number("LEN", record.bytes.len() as u64);
        if layout.subtype > 0 {
            record.number("FLG", HAS_SUBTYPE);
        }
        record.when("TME", "DTE", now);
        record.text("SID", &origin.system);
        record
    }

    fn blank(&mut self, from: usize, fields: &[Field]) {
        for field in fields.iter().filter(|field| field.kind == Kind::Text) {
            self.put((from, field), &vec![0x40; field.len]);
        }
    }

    /// Of bytes that were read, which have a whole header.
    pub(crate) fn of(bytes: Vec<u8>) -> Record {
        Record { bytes }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its type.
    pub fn kind(&self) -> u8 {
        self.bytes.get(5).copied().unwrap_or_default()
    }

    /// Its subtype, of a type that has some.
    pub fn subtype(&self) -> u16 {
        match (self.kind(), self.bytes.get(22..24)) {
            (30 | 42, Some(&[high, low])) => u16::from_be_bytes([high, low]),
            _ => 0,
        }
    }

    /// When it was written, in nanoseconds since 1970 by its writer's clock, which is UTC in records of Cica; none where
    /// its day and time are no moment since then.
    pub fn written(&self) -> Option<u64> {
        let hundredths = u32::from_be_bytes(self.bytes.get(6..10)?.try_into().ok()?);
        let (year, day) = year_and_day(self.bytes.get(10..14)?)?;
        let since_midnight = u64::from(hundredths) * HUNDREDTH;
        if year < 1970 || !(1..=length_of(year)).contains(&day) || since_midnight >= DAY {
            return None;
        }
        let days = (1970..year).map(length_of).sum::<u64>() + day - 1;
        days.checked_mul(DAY)?.checked_add(since_midnight)
    }

    /// Its layout, if that is known here and it is as long.
    pub fn layout(&self) -> Option<&'static Layout> {
        Layout::of(self.kind(), self.subtype()).filter(|layout| layout.len() <= self.bytes.len())
    }

    /// Whether it is shorter than its layout, or one of its sections does not end within it: something was cut off.
    pub fn is_short(&self) -> bool {
        let Some(layout) = Layout::of(self.kind(), self.subtype()) else {
            return false;
        };
        let lies_outside = |section: &Section| match self.triplet(section) {
            None | Some((.., 0)) => false,
            Some((first, length, count)) => first.saturating_add(length.saturating_mul(count)) > self.bytes.len(),
        };
        layout.len() > self.bytes.len() || layout.sections.iter().any(lies_outside)
    }

    /// Its fields, the header's first and those of sections that there may be several of left out.
    pub fn fields(&self) -> impl Iterator<Item = (&'static Field, Value)> + '_ {
        let known = self.known(self.layout());
        known.filter_map(|(from, field)| Some((field, self.value(from, field)?)))
    }

    /// Sections that there may be several of: the fields of each that has some which are known.
    pub fn entries(&self) -> impl Iterator<Item = Vec<(&'static Field, Value)>> + '_ {
        let sections = self.layout().map_or(&[][..], |layout| layout.sections);
        let repeated = sections.iter().filter(|section| section.repeated);
        let entries = repeated.flat_map(|section| {
            self.places(section).map(|from| {
                let known = self.fields_at(from, section);
                let fields = known.filter_map(|(from, field)| Some((field, self.value(from, field)?)));
                fields.collect::<Vec<_>>()
            })
        });
        entries.filter(|fields| !fields.is_empty())
    }

    /// A field by its name.
    pub fn get(&self, name: &str) -> Option<Value> {
        let found = self.fields().find(|(field, _)| field.name == name);
        found.map(|(_, value)| value)
    }

    /// Header, own fields and those of sections that there is one of, each with the offset that its own is from.
    fn known(&self, layout: Option<&'static Layout>) -> impl Iterator<Item = (usize, &'static Field)> + '_ {
        let own = layout.map_or(&[][..], |layout| layout.fields);
        let sections = layout.map_or(&[][..], |layout| layout.sections);
        let single = sections.iter().filter(|section| !section.repeated);
        let in_sections = single.flat_map(|section| {
            let places = self.places(section).take(1);
            places.flat_map(|from| self.fields_at(from, section))
        });
        HEADER.iter().chain(own).map(|field| (0, field)).chain(in_sections)
    }

    /// Offsets of all of a section that lie in the record.
    fn places<'r>(&'r self, section: &Section) -> impl Iterator<Item = usize> + 'r {
        let (first, length, count) = self.triplet(section).unwrap_or_default();
        let places = (0..count).map(move |n| first.saturating_add(n.saturating_mul(length)));
        places.take_while(move |from| {
            *from >= HEADER_LEN && length > 0 && from.saturating_add(length) <= self.bytes.len()
        })
    }

    fn triplet(&self, section: &Section) -> Option<(usize, usize, usize)> {
        let said = self.bytes.get(section.triplet..section.triplet + 8)?;
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n: usize, byte| n << 8 | usize::from(*byte));
        Some((number(&said[..4]), number(&said[4..6]), number(&said[6..])))
    }

    /// The fields of a section that the record has: an older one may be shorter.
    fn fields_at(
        &self,
        from: usize,
        section: &'static Section,
    ) -> impl Iterator<Item = (usize, &'static Field)> + 'static {
        let length = self.triplet(section).map_or(0, |(_, length, _)| length);
        let there = section
            .fields
            .iter()
            .filter(move |field| field.at + field.len <= length);
        there.map(move |field| (from, field))
    }

    fn value(&self, from: usize, field: &Field) -> Option<Value> {
        let bytes = self.bytes.get(from + field.at..from + field.at + field.len)?;
        let unsigned = bytes
            .iter()
            .fold(0_i128, |number, byte| number << 8 | i128::from(*byte));
        Some(match field.kind {
            Kind::Number => Value::Number(unsigned),
            Kind::Signed => {
                let bound = 1_i128 << (8 * field.len);
                Value::Number(if unsigned >= bound / 2 {
                    unsigned - bound
                } else {
                    unsigned
                })
            }
            Kind::Bits => Value::Text(format!("X'{}'", hexadecimal(bytes))),
            Kind::Text => {
                let text = CodePage::Ibm1047.decode(bytes);
                Value::Text(text.trim_end_matches(' ').to_owned())
            }
            Kind::Time => {
                let (seconds, hundredths) = (unsigned / 100, unsigned % 100);
                let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                Value::Text(format!("{hours:02}:{minutes:02}:{:02}.{hundredths:02}", seconds % 60))
            }
            Kind::Date => Value::Text(day(bytes)),
        })
    }

    fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        let layout = Layout::of(self.kind(), self.subtype());
        let found = self.known(layout).find(|(_, field)| field.name == name);
        found
    }

    fn put(&mut self, (from, field): (usize, &Field), bytes: &[u8]) {
        if let Some(to) = self.bytes.get_mut(from + field.at..from + field.at + field.len) {
            to.copy_from_slice(bytes);
        }
    }

    /// Sets a number; one that is too large is the largest.
    pub fn number(&mut self, name: &str, number: u64) {
        if let Some(place) = self.field(name) {
            self.put_number(place, number);
        }
    }

    fn put_number(&mut self, place: (usize, &Field), number: u64) {
        let len = place.1.len;
        let most = if len < 8 { (1 << (8 * len)) - 1 } else { u64::MAX };
        self.put(place, &number.min(most).to_be_bytes()[8 - len..]);
    }

    fn signed(&mut self, name: &str, number: i64) {
        if let Some((from, field)) = self.field(name) {
            let most = i64::MAX >> (64 - 8 * field.len);
            let bytes = number.clamp(-most, most).to_be_bytes();
            self.put((from, field), &bytes[8 - field.len..]);
        }
    }

    /// Sets a text, in EBCDIC; what this lacks is a question mark, what is too long is cut off.
    pub fn text(&mut self, name: &str, text: &str) {
        if let Some(place) = self.field(name) {
            self.put_text(place, text);
        }
    }

    fn put_text(&mut self, place: (usize, &Field), text: &str) {
        let one = |letter: char| {
            CodePage::Ibm1047
                .encode(letter.encode_utf8(&mut [0; 4]))
                .unwrap_or_else(|_| vec![0x6F])
        };
        let mut bytes: Vec<u8> = text.chars().flat_map(one).collect();
        bytes.resize(place.1.len, 0x40);
        self.put(place, &bytes);
    }

    /// Sets fields of the `n`-th of a section that there may be several of: a text, or a number.
    pub(crate) fn entry(&mut self, section: &'static Section, n: usize, values: &[(&str, Value)]) {
        let Some(from) = self.places(section).nth(n) else {
            return;
        };
        for (name, value) in values {
            let Some(field) = section.fields.iter().find(|field| field.name == *name) else {
                continue;
            };
            match value {
                Value::Text(text) => self.put_text((from, field), text),
                Value::Number(number) => self.put_number((from, field), u64::try_from(*number).unwrap_or(0)),
            }
        }
    }

    pub(crate) fn when(&mut self, time: &str, date: &str, nanoseconds: u64) {
        let (days, hundredths) = (nanoseconds / DAY, nanoseconds % DAY / HUNDREDTH);
        self.number(time, hundredths);
        if let Some(place) = self.field(date) {
            self.put(place, &packed(days));
        }
    }
}

/// The flag of a record that has a subtype.
const HAS_SUBTYPE: u64 = 0x40;
const DAY: u64 = 86_400_000_000_000;
const HUNDREDTH: u64 = 10_000_000;

fn length_of(year: u64) -> u64 {
    if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) {
        366
    } else {
        365
    }
}

/// `0cyydddF` of a day since 1970.
fn packed(mut days: u64) -> [u8; 4] {
    let mut year = 1970;
    while days >= length_of(year) {
        days -= length_of(year);
        year += 1;
    }
    let digits = (year - 1900) / 100 * 100_000 + year % 100 * 1000 + days + 1;
    let decimal = |n: u64| (((n / 10 % 10) << 4) | (n % 10)) as u8;
    [
        decimal(digits / 100_000),
        decimal(digits / 1000),
        decimal(digits / 10),
        ((digits % 10) << 4) as u8 | 0xF,
    ]
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Year and day of the year of a packed day.
fn year_and_day(bytes: &[u8]) -> Option<(u64, u64)> {
    let digits = hexadecimal(bytes);
    let number: u64 = digits.strip_suffix('F')?.parse().ok()?;
    Some((1900 + number / 100_000 * 100 + number / 1000 % 100, number % 1000))
}

/// `yyyy.ddd` of a packed day; what is none is shown in hexadecimal.
fn day(bytes: &[u8]) -> String {
    match year_and_day(bytes) {
        Some((year, day)) => format!("{year}.{day:03}"),
        None => format!("X'{}'", hexadecimal(bytes)),
    }
}

pub(crate) fn layout(number: u8, subtype: u16) -> &'static Layout {
    Layout::of(number, subtype).unwrap_or(&crate::LAYOUTS[0])
}

/// `lost` records could not be written since `since`.
pub fn lost(lost: u64, since: u64, now: u64, origin: &Origin) -> Record {
    let mut record = Record::new(layout(7, 0), now, origin);
    record.number("SMF7CNT", lost);
    record.when("SMF7STM", "SMF7STD", since);
    record
}

/// A data set was opened.
pub fn opened(set: &OpenDataSet, now: u64, origin: &Origin) -> Record {
    let mut record = Record::new(layout(62, 0), now, origin);
    record.text("SMF62JBN", &origin.job);
    record.when("SMF62RST", "SMF62RSD", origin.started);
    record.text("SMF62UIF", &origin.step);
    record.number("SMF62IND", 0x80);
    record.number("SMF62MC1", macrf(set));
    record.text("SMF62CNM", &origin.catalog);
    record.text("SMF62CLU", &set.identity.cluster);
    record.text("SMF62DNM", &set.identity.data);
    record.text("SMF62INM", &set.identity.index);
    record.text("SMF62VOL", &set.identity.volume);
    record
}

fn macrf(set: &OpenDataSet) -> u64 {
    let by_key = if set.identity.index.is_empty() { 0 } else { 0x80 };
    by_key | if set.identity.output { 0x02 } else { 0x04 }
}

/// Data and index of a data set, as far as it has them.
fn parts<'a>(then: &'a OpenDataSet, now: &'a OpenDataSet) -> Vec<(bool, &'a Component, &'a Component)> {
    let parts = [(false, &then.data, &now.data), (true, &then.index, &now.index)];
    let has_index = !now.identity.index.is_empty();
    parts.into_iter().filter(|(index, ..)| !index || has_index).collect()
}

/// A data set was closed: a record for each component.
pub fn closed(then: &OpenDataSet, now_set: &OpenDataSet, now: u64, origin: &Origin) -> Vec<Record> {
    components(0x80, then, now_set, now, origin)
}

/// A record for each component, for this reason (SMF64RIN).
pub(crate) fn components(
    reason: u64,
    then: &OpenDataSet,
    now_set: &OpenDataSet,
    now: u64,
    origin: &Origin,
) -> Vec<Record> {
    let of_part = |(index, before, after): (bool, &Component, &Component)| {
        let identity = &now_set.identity;
        let mut record = Record::new(layout(64, 0), now, origin);
        record.text("SMF64JBN", &origin.job);
        record.when("SMF64RST", "SMF64RSD", origin.started);
        record.text("SMF64UIF", &origin.step);
        record.number("SMF64RIN", reason);
        record.number("SMF64DTY", if index { 0x40 } else { 0x80 });
        record.text("SMF64CNM", &origin.catalog);
        record.text("SMF64CLU", &identity.cluster);
        record.text("SMF64DNM", if index { &identity.index } else { &identity.data });
        record.number(
            "SMF64CIS",
            if index { identity.ci_size.1 } else { identity.ci_size.0 }.into(),
        );
        record.number("SMF64LRL", if index { 0 } else { identity.record.into() });
        record.number("SMF64KYL", identity.key.into());
        record.number("SMF64MC1", macrf(now_set));
        if index {
            // Its records are its control intervals, and none of them is deleted or inserted by a request.
            let cis = |part: &Component| part.count(ComponentCount::UsedCis);
            record.number("SMF64NLR", cis(before));
            record.signed("SMF64DLR", cis(after) as i64 - cis(before) as i64);
        } else {
            put_data_set(&mut record, then, now_set);
        }
        let at_open = |counter| before.count(counter);
        let since = |counter| after.count(counter).saturating_sub(before.count(counter));
        let excps = then.identity.excps_before[usize::from(index)] + at_open(ComponentCount::Excps);
        record.number("SMF64NEP", excps);
        record.number("SMF64NEX", at_open(ComponentCount::Extents));
        let extents = |part: &Component| part.count(ComponentCount::Extents) as i64;
        record.signed("SMF64DEX", extents(after) - extents(before));
        let (asked, read) = (since(ComponentCount::Looks), since(ComponentCount::CisRead));
        record.number("SMF64DEP", asked);
        record.number("SMF64BMH", asked.saturating_sub(read));
        record.number("SMF64RIO", read);
        record.number("SMF64DXP", since(ComponentCount::Excps));
        record.number("SMF64HBA", after.count(ComponentCount::HighUsed));
        record.number("SMF64HAR", after.count(ComponentCount::HighAllocated));
        record
    };
    parts(then, now_set).into_iter().map(of_part).collect()
}

fn put_data_set(record: &mut Record, then: &OpenDataSet, now: &OpenDataSet) {
    let records = |set: &OpenDataSet| set.count(DataSetCount::Records);
    record.number("SMF64NLR", records(then));
    record.signed("SMF64DLR", records(now) as i64 - records(then) as i64);
    for (before, since, counter) in [
        ("SMF64NDE", "SMF64DDE", DataSetCount::Deleted),
        ("SMF64NIN", "SMF64DIN", DataSetCount::Inserted),
        ("SMF64NUP", "SMF64DUP", DataSetCount::Updated),
        ("SMF64NRE", "SMF64DRE", DataSetCount::Retrieved),
        ("SMF64NCI", "SMF64DCS", DataSetCount::CiSplits),
        ("SMF64NCA", "SMF64DAS", DataSetCount::CaSplits),
        ("", "SMF64DAU", DataSetCount::CaReuses),
    ] {
        record.number(before, then.identity.before[counter as usize] + then.count(counter));
        record.number(since, now.count(counter).saturating_sub(then.count(counter)));
    }
}

/// The I/O of each component between open and close.
pub fn io_of(then: &OpenDataSet, now_set: &OpenDataSet, now: u64, origin: &Origin) -> Vec<Record> {
    let of_part = |(index, before, after): (bool, &Component, &Component)| {
        let identity = &now_set.identity;
        let mut record = Record::new(layout(42, 6), now, origin);
        record.text("SMF42SSI", "CICA");
        record.number("SMF42NT", 1);
        record.text("SMF42JBN", &origin.job);
        record.text("S42DSN", if index { &identity.index } else { &identity.data });
        record.text("S42DSVOL", &identity.volume);
        record.number("S42DSTYP", if index { 2 } else { 1 });
        let since = |counter| after.count(counter).saturating_sub(before.count(counter));
        let (timed, took) = (since(ComponentCount::TimedIos), since(ComponentCount::IoNanoseconds));
        record.number("S42DSION", since(ComponentCount::Excps));
        record.number("S42DSIOR", took.checked_div(timed).unwrap_or_default() / 1000);
        record.number("S42DSRDT", timed);
        record
    };
    parts(then, now_set).into_iter().map(of_part).collect()
}

/// Bytes of the least record.
pub(crate) const LEAST: usize = HEADER_LEN;
