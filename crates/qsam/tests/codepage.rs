//! Code pages against facts that come from elsewhere than the tables: Python's codecs and iconv.

#![allow(clippy::unwrap_used)]

use cica_qsam::{CodePage, CodePageError, Translation, Unmappable};

const EBCDIC: [CodePage; 7] = [
    CodePage::Ibm037,
    CodePage::Ibm1047,
    CodePage::Ibm500,
    CodePage::Ibm273,
    CodePage::Ibm1140,
    CodePage::Ibm1141,
    CodePage::Ibm1148,
];

fn every_byte() -> Vec<u8> {
    (0..=255).collect()
}

/// FNV-1a, as tables/make_tables.py --prints has it.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |value, byte| {
        (value ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[test]
fn every_page_is_what_iconv_has() {
    let prints = [
        0xAA41_9B89,
        0xBA12_B2A1,
        0xD7A3_8B05,
        0xE549_5D31,
        0xF9F0_6B79,
        0x5802_F6D9,
        0x97EC_690D,
    ];
    for (page, print) in EBCDIC.into_iter().zip(prints) {
        assert_eq!(fnv1a(&page.decode(&every_byte())), print, "{page}");
    }
}

#[test]
fn characters_that_differ_between_pages_have_the_bytes_that_python_and_iconv_give() {
    let text = "Az09 {}[]\\~|^@#$!\u{A2}\u{AC}\u{E4}\u{F6}\u{FC}\u{DF}";
    let expected = [
        "c1a9f0f940c0d0babbe0a14fb07c7b5b5a4a5f43ccdc59",
        "c1a9f0f940c0d0adbde0a14f5f7c7b5b5a4ab043ccdc59",
        "c1a9f0f940c0d04a5ae0a1bb5f7c7b5b4fb0ba43ccdc59",
        "c1a9f0f94043dc63fcec59bb5fb57b5b4fb0bac06ad0a1",
        "c1a9f0f940c0d0babbe0a14fb07c7b5b5a4a5f43ccdc59",
        "c1a9f0f94043dc63fcec59bb5fb57b5b4fb0bac06ad0a1",
        "c1a9f0f940c0d04a5ae0a1bb5f7c7b5b4fb0ba43ccdc59",
    ];
    for (page, expected) in EBCDIC.into_iter().zip(expected) {
        let bytes = page.encode(text).unwrap();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected, "{page}");
        assert_eq!(page.decode(&bytes), text, "{page}");
    }
}

#[test]
fn every_byte_of_every_page_comes_back() {
    for page in CodePage::ALL {
        let bytes = every_byte();
        assert_eq!(page.encode(&page.decode(&bytes)), Ok(bytes), "{page}");
    }
}

#[test]
fn every_translation_is_a_permutation_and_its_reverse_undoes_it() {
    for from in CodePage::ALL {
        for to in CodePage::ALL {
            let there = Translation::between(from, to);
            let back = Translation::between(to, from);
            let mut bytes = every_byte();
            there.apply(&mut bytes);
            let mut sorted = bytes.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, every_byte(), "{from} to {to}");
            back.apply(&mut bytes);
            assert_eq!(bytes, every_byte(), "{from} to {to} and back");
        }
    }
}

#[test]
fn a_translation_keeps_the_characters() {
    let mut record = CodePage::Ibm1047.encode("[KSDS] 100%").unwrap();
    Translation::between(CodePage::Ibm1047, CodePage::Iso8859_1).apply(&mut record);
    assert_eq!(record, b"[KSDS] 100%");
}

#[test]
fn new_line_and_line_feed_are_different_controls() {
    assert_eq!(CodePage::Ibm1047.decode(&[0x15, 0x25, 0x0D]), "\u{85}\n\r");
}

#[test]
fn the_euro_is_where_the_currency_sign_was() {
    for (plain, euro) in [
        (CodePage::Ibm037, CodePage::Ibm1140),
        (CodePage::Ibm273, CodePage::Ibm1141),
        (CodePage::Ibm500, CodePage::Ibm1148),
    ] {
        assert_eq!(euro.encode("\u{20AC}"), Ok(vec![0x9F]));
        assert_eq!(plain.encode("\u{A4}"), Ok(vec![0x9F]));
        assert!(euro.encode("\u{A4}").is_err(), "{euro} has no currency sign");
        assert!(plain.encode("\u{20AC}").is_err(), "{plain} has no euro");
    }
}

#[test]
fn a_character_that_is_not_in_the_page_is_named_with_its_place() {
    let error = CodePage::Ibm037.encode("A\u{E4}\u{3B1}B").unwrap_err();
    assert_eq!(
        error,
        Unmappable {
            position: 2,
            character: '\u{3B1}',
            page: CodePage::Ibm037
        }
    );
    let text = error.to_string();
    assert!(
        text.starts_with("character 3, '\u{3B1}' (U+03B1), is not in code page IBM-037"),
        "{text}"
    );
}

#[test]
fn pages_are_found_by_the_names_people_use() {
    for (name, page) in [
        ("1047", CodePage::Ibm1047),
        ("IBM-1047", CodePage::Ibm1047),
        ("ibm1047", CodePage::Ibm1047),
        ("CP037", CodePage::Ibm037),
        ("037", CodePage::Ibm037),
        ("37", CodePage::Ibm037),
        ("cp_1141", CodePage::Ibm1141),
        (" 500 ", CodePage::Ibm500),
        ("ascii", CodePage::Iso8859_1),
        ("ISO8859-1", CodePage::Iso8859_1),
        ("819", CodePage::Iso8859_1),
        ("367", CodePage::Iso8859_1),
    ] {
        assert_eq!(CodePage::parse(name), Ok(page), "{name}");
    }
    for page in CodePage::ALL {
        assert_eq!(CodePage::parse(&page.to_string()), Ok(page));
        assert_eq!(CodePage::from_ccsid(page.ccsid()), Some(page));
    }
}

#[test]
fn a_name_of_no_page_is_refused() {
    for name in ["", "1048", "IBM", "CP-", "+37", "99999999999", "EBCDIC", "1047 X"] {
        assert_eq!(
            CodePage::parse(name),
            Err(CodePageError::Unknown { name: name.to_owned() })
        );
    }
    assert_eq!(CodePage::parse("utf-8"), Err(CodePageError::Utf8));
}
