//! PRINT as a listing: a heading names the data set; each record stands in one of three forms under a line with its
//! key, RBA or relative record number, or with its number in a sequential file.
//!
//! ```text
//! CHARACTER  KEY OF RECORD - A001          HEX  KEY OF RECORD - 41303031
//!            A001 SMITH                         4130303120534D495448
//!
//! DUMP       KEY OF RECORD - 41303031
//!            0000   41303031 20534D49 5448                              *A001 SMITH                      *
//! ```
//!
//! 1. A row is at most [`WIDTH`] characters, and each byte of the record is shown in exactly one place of a form.

use super::file::on_file;
use crate::params::Params;
use crate::request::list;
use crate::sysprint::{Sysprint, WIDTH};
use cica_admin::print::{PrintRange, RangeRecord, RecordId};
use cica_admin::Failure;
use cica_admin::Services;
use cica_admin::{characters, hexadecimal};
use cica_qsam::CodePage;
use std::ops::ControlFlow;

/// Bytes in a row of DUMP.
const DUMP_BYTES: usize = 32;

/// Carries out PRINT.
pub fn print(services: &mut Services, params: &Params, out: &mut Sysprint) -> u8 {
    let form = PrintForm::of(params);
    let outcome = services.select(&list::print(params), |services, chosen| match params.name("OUTFILE") {
        None => records(services, chosen, form, out),
        Some(ddname) => on_file(services, ddname, out, |services, listing| {
            records(services, chosen, form, listing)
        }),
    });
    out.messages(outcome.messages, params);
    outcome.condition
}

/// Prints the records that were chosen; returns how many.
fn records(services: &mut Services, chosen: PrintRange, form: PrintForm, out: &mut Sysprint) -> Result<u64, Failure> {
    let records = chosen.begin()?;
    out.new_page();
    out.triple(&format!("LISTING OF DATA SET -{}", records.name()));
    let page = records.page();
    // A reader that has gone away ends the printing, not only the output.
    let ended = |out: &Sysprint| match out.error() {
        None => ControlFlow::Continue(()),
        Some(_) => ControlFlow::Break(()),
    };
    if ended(out).is_break() {
        return Ok(0);
    }
    records.each(services, |record| {
        out.double(&form.above(record, page));
        form.rows(record.bytes, page).iter().for_each(|row| out.line(row));
        ended(out)
    })
}

/// The form PRINT was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PrintForm {
    /// CHARACTER
    Character,
    /// HEX
    Hex,
    /// DUMP, which is the default.
    Dump,
}

impl PrintForm {
    fn of(params: &Params) -> PrintForm {
        match (params.flag("CHARACTER"), params.flag("HEX")) {
            (true, _) => PrintForm::Character,
            (_, true) => PrintForm::Hex,
            _ => PrintForm::Dump,
        }
    }

    /// The line above a record.
    fn above(self, record: &RangeRecord, page: Option<CodePage>) -> String {
        match record.place {
            RecordId::Key(key) => format!("KEY OF RECORD - {}", self.key(key, page)),
            RecordId::Address(rba) => format!("RBA OF RECORD - {rba}"),
            RecordId::Number(rrn) => format!("RELATIVE RECORD NUMBER - {rrn}"),
            RecordId::Sequence(number) => format!("RECORD SEQUENCE NUMBER - {number}"),
        }
    }

    /// The rows of a record. A record without bytes has one empty row.
    fn rows(self, record: &[u8], page: Option<CodePage>) -> Vec<String> {
        if record.is_empty() {
            return vec![String::new()];
        }
        match self {
            PrintForm::Character => record.chunks(WIDTH).map(|bytes| characters(bytes, page)).collect(),
            PrintForm::Hex => record.chunks(WIDTH / 2).map(hexadecimal).collect(),
            PrintForm::Dump => (0..)
                .step_by(DUMP_BYTES)
                .zip(record.chunks(DUMP_BYTES))
                .map(|(offset, bytes)| dump_row(offset, bytes, page))
                .collect(),
        }
    }

    /// A key as the line above the record shows it.
    fn key(self, key: &[u8], page: Option<CodePage>) -> String {
        match self {
            PrintForm::Character => characters(key, page),
            PrintForm::Hex | PrintForm::Dump => hexadecimal(key),
        }
    }
}

/// Offset, two groups of four words, and the characters.
fn dump_row(offset: usize, bytes: &[u8], page: Option<CodePage>) -> String {
    let words: Vec<String> = bytes.chunks(4).map(hexadecimal).collect();
    let (left, right) = words.split_at(words.len().min(4));
    let text = characters(bytes, page);
    format!(
        "{offset:04X}   {:35}  {:35}   *{text:DUMP_BYTES$}*",
        left.join(" "),
        right.join(" ")
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_row_has_its_columns() {
        let row = dump_row(0x20, b"A001 SMITH\x00\xFF", None);
        assert_eq!(row.find("41303031"), Some(7));
        assert_eq!(row.find('*'), Some(82));
        assert_eq!(row.len(), 116);
        assert!(row.ends_with("*A001 SMITH..                    *"), "{row}");
        let full: Vec<u8> = (0x30..0x50).collect();
        let row = dump_row(0, &full, None);
        assert!(
            row.starts_with("0000   30313233 34353637 38393A3B 3C3D3E3F  40414243"),
            "{row}"
        );
        assert_eq!(row.len(), 116);
    }

    #[test]
    fn rows_hold_each_byte_once() {
        for length in [1, 32, 33, 60, 61, 120, 121, 1000] {
            let record: Vec<u8> = (0..length).map(|i| b'a' + (i % 26) as u8).collect();
            let text = String::from_utf8(record.clone()).unwrap();
            assert_eq!(PrintForm::Character.rows(&record, None).concat(), text);
            assert_eq!(PrintForm::Hex.rows(&record, None).concat(), hexadecimal(&record));
            let dumped: String = PrintForm::Dump
                .rows(&record, None)
                .iter()
                .map(|row| row[7..79].replace(' ', ""))
                .collect();
            assert_eq!(dumped, hexadecimal(&record));
        }
        assert_eq!(PrintForm::Dump.rows(b"", None), [""]);
    }
}
