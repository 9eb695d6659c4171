//! PRINT: shows records as characters, hexadecimal, or both.
//!
//! A heading names the data set; each record stands under a line with its key, RBA or relative record number, or with
//! its number in a sequential file.
//! The code is 4 when no record was in the range, which is how jobs find out that a data set is empty.

pub mod rows;

use super::failure::Failure;
use super::input::Input;
use super::listing::on_file;
use super::open::Target;
use super::range::{Bounds, Selection};
use super::trouble::Trouble;
use super::Services;
use crate::params::{Command, Params};
use crate::sysprint::Sysprint;
use cica_format::attributes::Organization;
use cica_messages::{CICA0946E, IDC0005I};
use rows::Form;

/// Condition code when nothing was printed.
const NOTHING: u8 = 4;

/// Carries out PRINT.
pub fn print(services: &mut Services, command: &Command, out: &mut Sysprint) -> u8 {
    run(services, command, out).unwrap_or_else(|failure| out.failure(failure, &command.params))
}

fn run(services: &mut Services, command: &Command, out: &mut Sysprint) -> Result<u8, Failure> {
    let params = &command.params;
    let range = crate::request::copy::range(params);
    let from = Target::of(services, params, "INFILE", "INDATASET")?;
    // What cannot be found is told by `on_file`.
    let onto = Target::of(services, params, "OUTFILE", "OUTDATASET");
    if params.name("OUTFILE").is_some() && onto.is_ok_and(|onto| from.is_same(&onto)) {
        return Err(Failure::new(&CICA0946E, &[("name", &from.name())]));
    }
    let mut input = from.open_input(services)?.read_as(&range);
    let range = Bounds::of(&range, &input)?;
    let printed = match params.name("OUTFILE") {
        None => records(range, &mut input, services, params, out),
        Some(ddname) => on_file(services, ddname, out, |services, listing| {
            records(range, &mut input, services, params, listing)
        }),
    };
    let name = input.name.clone();
    let closed = input.close().map_err(|trouble| trouble.of(&name));
    let count = printed.and_then(|count| closed.map(|()| count))?;
    out.say_double(&IDC0005I, &[("count", &count)]);
    Ok(if count == 0 { NOTHING } else { 0 })
}

/// Prints the records of the range; returns how many.
fn records(
    range: Bounds,
    input: &mut Input,
    services: &mut Services,
    params: &Params,
    out: &mut Sysprint,
) -> Result<u64, Failure> {
    let name = input.name.clone();
    let selection = range.begin(input);
    selection
        .and_then(|s| selected(s, form(params), services, out))
        .map_err(|trouble| trouble.of(&name))
}

fn form(params: &Params) -> Form {
    match (params.flag("CHARACTER"), params.flag("HEX")) {
        (true, _) => Form::Character,
        (_, true) => Form::Hex,
        _ => Form::Dump,
    }
}

fn selected(mut selection: Selection, form: Form, services: &mut Services, out: &mut Sysprint) -> Result<u64, Trouble> {
    let (page, field) = (selection.input.page, selection.input.key_field());
    let organization = selection.input.organization();
    out.new_page();
    out.triple(&format!("LISTING OF DATA SET -{}", selection.input.name));
    let mut count = 0;
    // A reader that has gone away ends the printing, not only the output.
    while out.error().is_none() {
        let number = selection.input.records() + 1;
        let Some(found) = selection.next()? else { break };
        let above = match (field, organization) {
            (Some(field), _) => format!("KEY OF RECORD - {}", form.key(field.in_record(found.bytes), page)),
            (None, Some(Organization::Esds | Organization::Lds)) => format!("RBA OF RECORD - {}", found.rba),
            (None, Some(_)) => format!("RELATIVE RECORD NUMBER - {}", found.rrn),
            (None, None) => format!("RECORD SEQUENCE NUMBER - {number}"),
        };
        out.double(&above);
        form.rows(found.bytes, page).iter().for_each(|row| out.line(row));
        count += 1;
        services.progress(count);
    }
    Ok(count)
}
