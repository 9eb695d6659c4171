//! What is written comes back, for any records, in every format; and any bytes at all are answered by records or an
//! error.

#![allow(clippy::unwrap_used)]

mod common;

use cica_qsam::{CodePage, Reader, Writer};
use common::{attributes, file, records};
use proptest::collection::vec;
use proptest::prelude::*;

fn any_records(longest: usize) -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(vec(any::<u8>(), 0..=longest), 0..60)
}

/// Lengths around the bounds of descriptor words, in blocks of a few sizes.
fn long_records() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let length = prop_oneof![0..10usize, 27_980..28_000usize, 32_740..=32_752usize, 0..=32_752usize];
    vec(
        (length, any::<u8>()).prop_map(|(length, byte)| vec![byte; length]),
        0..12,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixed(records_in in vec(vec(any::<u8>(), 7), 0..60)) {
        let options = "RECFM=FB,LRECL=7";
        prop_assert_eq!(records(options, &file(options, &records_in).unwrap()).unwrap(), records_in);
    }

    #[test]
    fn variable_and_spanned(
        records_in in any_records(60),
        recfm in prop::sample::select(vec!["V", "VB", "VS", "VBS"]),
        bdw in prop::sample::select(vec!["YES", "NO"]),
        blksize in 68u32..200,
    ) {
        let options = format!("RECFM={recfm},BDW={bdw},BLKSIZE={blksize},LRECL=64");
        prop_assert_eq!(records(&options, &file(&options, &records_in).unwrap()).unwrap(), records_in);
    }

    #[test]
    fn spanned_in_small_blocks(
        records_in in any_records(60),
        blksize in 9u32..30,
        bdw in prop::sample::select(vec!["YES", "NO"]),
    ) {
        let options = format!("RECFM=VBS,BDW={bdw},BLKSIZE={blksize}");
        prop_assert_eq!(records(&options, &file(&options, &records_in).unwrap()).unwrap(), records_in);
    }

    #[test]
    fn long_variable_and_spanned(
        records_in in long_records(),
        recfm in prop::sample::select(vec!["V", "VB", "VS", "VBS"]),
    ) {
        // Written by default, read with BDWs to be found out: V has none, the others have.
        let options = format!("RECFM={recfm}");
        let written = file(&options, &records_in).unwrap();
        let stated = format!("RECFM={recfm},BDW={}", if recfm == "V" { "NO" } else { "YES" });
        prop_assert_eq!(&records(&stated, &written).unwrap(), &records_in);
        if recfm != "V" {
            prop_assert_eq!(records(&options, &written).unwrap(), records_in);
        }
    }

    #[test]
    fn undefined(records_in in vec(vec(any::<u8>(), 9), 0..60), last in vec(any::<u8>(), 1..9)) {
        let mut records_in = records_in;
        records_in.push(last);
        let options = "RECFM=U,BLKSIZE=9";
        prop_assert_eq!(records(options, &file(options, &records_in).unwrap()).unwrap(), records_in);
    }

    #[test]
    fn text(records_in in any_records(60), codepage in prop::sample::select(vec!["ASCII", "1047"])) {
        let options = format!("LRECL=60,CODEPAGE={codepage}");
        let mut writer = Writer::new(Vec::new(), &attributes(&options)).unwrap();
        let taken: Vec<Vec<u8>> = records_in.into_iter().filter(|record| writer.put(record).is_ok()).collect();
        prop_assert_eq!(records(&options, &writer.finish().unwrap()).unwrap(), taken);
    }

    #[test]
    fn converted(records_in in any_records(60), page in prop::sample::select(CodePage::ALL.to_vec())) {
        let attributes = attributes(&format!("RECFM=VBS,BLKSIZE=40,CODEPAGE={}", page.ccsid()));
        let mut writer = Writer::new(Vec::new(), &attributes).unwrap().translated_from(CodePage::Ibm500);
        for record in &records_in {
            writer.put(record).unwrap();
        }
        let file = writer.finish().unwrap();
        let mut reader = Reader::new(&file[..], &attributes).unwrap().translated_to(CodePage::Ibm500);
        for record in &records_in {
            prop_assert_eq!(reader.next().unwrap(), Some(&record[..]));
        }
        prop_assert!(reader.next().unwrap().is_none());
    }

    #[test]
    fn any_bytes_are_answered(
        file in vec(prop_oneof![4 => 0u8..12, 1 => any::<u8>()], 0..200),
        options in prop::sample::select(vec![
            "RECFM=VB", "RECFM=V,BDW=NO", "RECFM=VB,BDW=YES", "RECFM=VBS", "RECFM=VBS,BDW=NO,LRECL=20",
            "RECFM=VS,BDW=YES,BLKSIZE=20", "RECFM=FB,LRECL=7", "RECFM=U,BLKSIZE=7", "LRECL=9", "CODEPAGE=037",
        ]),
    ) {
        match records(options, &file) {
            Ok(found) => prop_assert!(found.iter().map(Vec::len).sum::<usize>() <= file.len()),
            Err(error) => prop_assert!(error.to_string().contains("byte "), "{}", error),
        }
    }

    #[test]
    fn any_dd_text_is_answered(
        text in "[fF',= ]{0,6}(,?(RECFM|lrecl|BLKSIZE|BDW|CODEPAGE|X)?=?(FB|vbs|80|NO|1047|'| |\u{e4})?){0,4}",
    ) {
        if let Err(error) = cica_qsam::DdText::parse(&text) {
            prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 1, "{}: {}", text, error);
        }
    }
}
