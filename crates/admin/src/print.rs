//! PRINT: the records of a range, one after the other, for whoever shows them.
//!
//! The code is 4 when no record was in the range, which is how jobs find out that a data set is empty.

use super::bounds::{Bounds, Selection};
use super::failure::Failure;
use super::found::FoundRecord;
use super::input::{Input, KeyField};
use super::named::Named;
use super::open::ClusterOrFile;
use super::outcome::Outcome;
use super::range::Range;
use super::report::Report;
use super::Services;
use cica_format::attributes::Organization;
use cica_messages::{CICA0946E, IDC0005I};
use cica_qsam::CodePage;
use std::ops::ControlFlow;

/// PRINT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Print {
    /// Where records are read.
    pub from: Named,
    /// Which of them.
    pub range: Range,
    /// The DD name of the file they will be listed in, which must not be the one they are read from.
    pub onto: Option<String>,
}

/// A record of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeRecord<'r> {
    /// Its bytes.
    pub bytes: &'r [u8],
    /// What it goes by.
    pub place: RecordId<'r>,
}

/// What a record goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordId<'r> {
    /// Its key, of a key-sequenced data set.
    Key(&'r [u8]),
    /// Its RBA, where records go by address.
    Address(u64),
    /// Its relative record number.
    Number(u32),
    /// In a sequential file, the how manyth it is, from 1.
    Sequence(u64),
}

impl Services {
    /// Hands each record of the range to `each`, which may end it; the result is how many were.
    pub fn print(&mut self, request: &Print, each: impl FnMut(&RangeRecord) -> ControlFlow<()>) -> Outcome<u64> {
        self.select(request, |services, chosen| chosen.begin()?.each(services, each))
    }

    /// The same for who has something to do between the open and the first record: `show` begins it and says how many
    /// records it took.
    pub fn select(
        &mut self,
        request: &Print,
        show: impl FnOnce(&mut Services, PrintRange) -> Result<u64, Failure>,
    ) -> Outcome<u64> {
        Outcome::with(|out| select(self, request, show, out))
    }
}

fn select(
    services: &mut Services,
    request: &Print,
    show: impl FnOnce(&mut Services, PrintRange) -> Result<u64, Failure>,
    out: &mut Report,
) -> Result<(u8, u64), Failure> {
    let from = ClusterOrFile::named(services, &request.from)?;
    if let Some(ddname) = &request.onto {
        // What cannot be found is told by who opens it.
        let onto = ClusterOrFile::named(services, &Named::Dd(ddname.clone()));
        if onto.is_ok_and(|onto| from.is_same(services, &onto)) {
            return Err(Failure::new(&CICA0946E, &[("name", &from.name())]));
        }
    }
    let mut input = from.open_input(services)?.read_as(&request.range);
    let bounds = Bounds::of(&request.range, &input)?;
    let shown = show(
        services,
        PrintRange {
            input: &mut input,
            bounds,
        },
    );
    let (name, read) = (input.name.clone(), input.records());
    let closed = input.close().map_err(|trouble| trouble.of(&name));
    let count = shown.and_then(|count| closed.map(|()| count))?;
    if count == 0 {
        let cc = request.range.say_nothing(&name, read, out);
        out.say(&IDC0005I, &[("count", &count)]);
        return Ok((cc, count));
    }
    out.say_apart(&IDC0005I, &[("count", &count)]);
    Ok((0, count))
}

/// What was chosen of an open data set or file.
pub struct PrintRange<'i> {
    input: &'i mut Input,
    bounds: Bounds,
}

impl<'i> PrintRange<'i> {
    /// Goes to the first record.
    pub fn begin(self) -> Result<PrintedRecords<'i>, Failure> {
        let name = self.input.name.clone();
        let page = self.input.page;
        let field = self.input.key_field();
        let organization = self.input.organization();
        let selection = self.bounds.begin(self.input).map_err(|trouble| trouble.of(&name))?;
        Ok(PrintedRecords {
            selection,
            name,
            page,
            field,
            organization,
        })
    }
}

/// The records that were chosen.
pub struct PrintedRecords<'i> {
    selection: Selection<'i>,
    name: String,
    page: Option<CodePage>,
    field: Option<KeyField>,
    organization: Option<Organization>,
}

impl PrintedRecords<'_> {
    /// The data set or file they are of.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The code page of their characters; none: ASCII, other bytes are not characters.
    pub fn page(&self) -> Option<CodePage> {
        self.page
    }

    /// Hands each record to `each`, which may end it; returns how many were.
    pub fn each(
        mut self,
        services: &mut Services,
        mut each: impl FnMut(&RangeRecord) -> ControlFlow<()>,
    ) -> Result<u64, Failure> {
        let mut count = 0;
        loop {
            let number = self.selection.input.records() + 1;
            let next = self.selection.next().map_err(|trouble| trouble.of(&self.name))?;
            let Some(FoundRecord { bytes, rba, rrn }) = next else {
                return Ok(count);
            };
            let place = match (self.field, self.organization) {
                (Some(field), _) => RecordId::Key(field.in_record(bytes)),
                (None, Some(Organization::Esds | Organization::Lds)) => RecordId::Address(rba),
                (None, Some(_)) => RecordId::Number(rrn),
                (None, None) => RecordId::Sequence(number),
            };
            let step = each(&RangeRecord { bytes, place });
            count += 1;
            services.progress(count);
            if step.is_break() {
                return Ok(count);
            }
        }
    }
}
