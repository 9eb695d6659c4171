//! Files as they come from mainframes and from Linux, byte by byte.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Read;

use cica_qsam::{Attributes, CodePage, DdText, QsamError, Reader};
use common::{attributes, records};

#[test]
fn fixed_records_follow_each_other() {
    assert_eq!(
        records("RECFM=FB,LRECL=3", b"abcdefghi").unwrap(),
        [b"abc", b"def", b"ghi"]
    );
    assert_eq!(records("RECFM=F,BLKSIZE=3", b"abcdef").unwrap(), [b"abc", b"def"]);
    assert!(records("RECFM=FB,LRECL=3", b"").unwrap().is_empty());
}

#[test]
fn fixed_records_longer_than_a_read_or_across_reads_are_whole() {
    let file: Vec<u8> = (0..400_000u32).map(|i| (i / 1000) as u8).collect();
    for lrecl in [1000, 8000, 25_000] {
        let found = records(&format!("RECFM=FB,LRECL={lrecl}"), &file).unwrap();
        assert_eq!(found.len(), file.len() / lrecl);
        assert_eq!(found.concat(), file);
    }
}

#[test]
fn a_file_that_gives_one_byte_at_a_time_gives_the_same_records() {
    /// Interrupted before each byte, as by a signal.
    struct Drip<'a>(&'a [u8], bool);
    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }
    let vb = b"\x00\x0F\x00\x00\x00\x06\x00\x00ab\x00\x05\x00\x00c";
    for (options, file) in [
        ("RECFM=VB", &vb[..]),
        ("LRECL=3", b"abc\r\nd\n"),
        ("RECFM=FB,LRECL=5", b"12345abcde"),
    ] {
        let mut reader = Reader::new(Drip(file, false), &attributes(options)).unwrap();
        let mut found = Vec::new();
        while let Some(record) = reader.next().unwrap() {
            found.push(record.to_vec());
        }
        assert_eq!(found, records(options, file).unwrap(), "{options}");
    }
}

#[test]
fn variable_records_with_block_descriptor_words() {
    let file = b"\x00\x0F\x00\x00\x00\x06\x00\x00ab\x00\x05\x00\x00c\x00\x08\x00\x00\x00\x04\x00\x00";
    for options in ["RECFM=VB,BDW=YES", "RECFM=VB", "RECFM=V"] {
        assert_eq!(records(options, file).unwrap(), [&b"ab"[..], b"c", b""], "{options}");
    }
}

#[test]
fn variable_records_without_block_descriptor_words() {
    let file = b"\x00\x06\x00\x00ab\x00\x05\x00\x00c\x00\x04\x00\x00";
    for options in ["RECFM=VB,BDW=NO", "RECFM=VB", "RECFM=V"] {
        assert_eq!(records(options, file).unwrap(), [&b"ab"[..], b"c", b""], "{options}");
    }
    assert!(records("RECFM=VB", b"").unwrap().is_empty());
}

#[test]
fn a_block_beyond_the_stated_blksize_is_no_record() {
    let vbs = [
        &b"\x00\x14\x00\x00\x00\x05\x00\x00a\x00\x05\x00\x00b\x00\x06\x01\x00cd"[..],
        b"\x00\x09\x00\x00\x00\x05\x02\x00e",
    ];
    let vb = b"\x00\x0E\x00\x00\x00\x05\x00\x00a\x00\x05\x00\x00b";
    for (options, file) in [
        ("RECFM=VBS,BLKSIZE=12", vbs.concat()),
        ("RECFM=VB,BLKSIZE=12", vb.to_vec()),
    ] {
        let error = records(options, &file).unwrap_err();
        assert!(
            matches!(
                error,
                QsamError::BadBlockDescriptor {
                    record: 1,
                    offset: 0,
                    ..
                }
            ),
            "{options}: {error}"
        );
        let stated = records(&options.replace("12", "20"), &file).unwrap();
        assert_eq!(stated[..2], [b"a", b"b"], "{options}");
    }
    // No chain is in it: that is one record, without a BDW before it.
    let file = b"\x00\x10\x00\x00\x00\x06\x00\x00abxxxxxx";
    assert_eq!(records("RECFM=VBS,BLKSIZE=12", file).unwrap(), [&file[4..]]);
}

#[test]
fn a_record_that_looks_like_a_block_at_first_is_asked_about() {
    // As blocks: an RDW of 6, then 'xx' which is none. As records: one of 8 bytes.
    let file = b"\x00\x0C\x00\x00\x00\x06\x00\x00abxx";
    let error = records("RECFM=VB", file).unwrap_err();
    assert!(matches!(error, QsamError::UncertainBdw { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "byte 0: X'000C0000' X'00060000' may begin a block or a record; say which by BDW=YES or BDW=NO"
    );
    assert_eq!(records("RECFM=VB,BDW=NO", file).unwrap(), [b"\x00\x06\x00\x00abxx"]);
    // With LRECL=8 it cannot be a record of 12, so it is a block, and a damaged one.
    let error = records("RECFM=VB,LRECL=8", file).unwrap_err();
    assert!(
        matches!(
            error,
            QsamError::BlockRemainder {
                record: 2,
                offset: 10,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_block_of_the_large_block_interface_is_read() {
    let mut file = vec![0x80, 0, 0xC3, 0x58]; // 50,008 bytes
    for _ in 0..2 {
        file.extend([0x61, 0xAA, 0, 0]); // 25,002 bytes
        file.extend([b'x'; 24_998]);
    }
    assert_eq!(records("RECFM=VB", &file).unwrap(), vec![vec![b'x'; 24_998]; 2]);
    assert!(records("RECFM=VB,BDW=YES,BLKSIZE=32760", &file).is_err());
}

#[test]
fn spanned_records_are_joined() {
    let file = b"\x00\x0A\x00\x00\x00\x06\x01\x00ab\
                 \x00\x0A\x00\x00\x00\x06\x03\x00cd\
                 \x00\x0F\x00\x00\x00\x05\x02\x00e\x00\x06\x00\x00fg";
    assert_eq!(records("RECFM=VBS", file).unwrap(), [&b"abcde"[..], b"fg"]);
    assert_eq!(
        records("RECFM=VS,BDW=YES,LRECL=9", file).unwrap(),
        [&b"abcde"[..], b"fg"]
    );
    let without = b"\x00\x06\x01\x00ab\x00\x06\x03\x00cd\x00\x05\x02\x00e\x00\x06\x00\x00fg";
    assert_eq!(records("RECFM=VBS", without).unwrap(), [&b"abcde"[..], b"fg"]);
}

#[test]
fn undefined_records_are_blocks() {
    assert_eq!(
        records("RECFM=U,BLKSIZE=4", b"abcdefghij").unwrap(),
        [&b"abcd"[..], b"efgh", b"ij"]
    );
}

#[test]
fn lines_end_with_lf_or_cr_lf_or_the_file() {
    assert_eq!(
        records("LRECL=80", b"ab\r\n\ncd  \ne").unwrap(),
        [&b"ab"[..], b"", b"cd  ", b"e"]
    );
    assert_eq!(records("LRECL=80", b"a\rb\nc\r").unwrap(), [&b"a\rb"[..], b"c\r"]);
    assert!(records("LRECL=80", b"").unwrap().is_empty());
    assert_eq!(records("LRECL=80", b"\n").unwrap(), [b""]);
}

#[test]
fn ebcdic_lines_end_with_either_of_their_line_ends() {
    let file = b"\xC1\x15\xC2\x0D\x25\x0A\xC3";
    assert_eq!(
        records("CODEPAGE=1047", file).unwrap(),
        [&b"\xC1"[..], b"\xC2", b"\x0A\xC3"]
    );
}

#[test]
fn a_line_of_a_megabyte_is_read() {
    let mut file = vec![b'x'; 1 << 20];
    file.extend(b"\nshort\n");
    let found = records("", &file).unwrap();
    assert_eq!((found[0].len(), &found[1][..]), (1 << 20, &b"short"[..]));
}

#[test]
fn records_are_converted_on_request_only() {
    let dd = DdText::parse("f,RECFM=FB,LRECL=4,CODEPAGE=037").unwrap();
    let file: &[u8] = b"\xE5\xE2\xC1\xD4\xF1\xF9\xF7\xF3";
    let mut reader = Reader::new(file, &dd.attributes)
        .unwrap()
        .translated_to(CodePage::Iso8859_1);
    assert_eq!(reader.next().unwrap(), Some(&b"VSAM"[..]));
    assert_eq!(reader.next().unwrap(), Some(&b"1973"[..]));
    assert_eq!(records("RECFM=FB,LRECL=4,CODEPAGE=037", file).unwrap().concat(), file);

    let unstated = Attributes {
        codepage: None,
        ..dd.attributes
    };
    let mut reader = Reader::new(file, &unstated).unwrap().translated_to(CodePage::Iso8859_1);
    assert_eq!(
        reader.next().unwrap(),
        Some(&file[..4]),
        "a file of no code page stays as it is"
    );
}

#[test]
fn joined_records_are_converted() {
    let file: &[u8] = b"\x00\x06\x01\x00\xE5\xE2\x00\x06\x02\x00\xC1\xD4";
    let mut reader = Reader::new(file, &attributes("RECFM=VBS,CODEPAGE=037"))
        .unwrap()
        .translated_to(CodePage::Iso8859_1);
    assert_eq!(reader.next().unwrap(), Some(&b"VSAM"[..]));
}

#[test]
fn position_and_count_follow_the_records() {
    let file: &[u8] = b"\x00\x0F\x00\x00\x00\x06\x00\x00ab\x00\x05\x00\x00c";
    let mut reader = Reader::new(file, &attributes("RECFM=VB")).unwrap();
    let mut seen = vec![(reader.records(), reader.offset())];
    while reader.next().unwrap().is_some() {
        seen.push((reader.records(), reader.offset()));
    }
    assert_eq!(seen, [(0, 0), (1, 10), (2, 15)]);
}
