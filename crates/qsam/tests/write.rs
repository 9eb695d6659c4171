//! Files as they are written, byte by byte, and what is refused.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{self, Write};

use cica_qsam::{CodePage, QsamError, Writer};
use common::{attributes, file, records};

#[test]
fn fixed_records_are_padded_with_binary_zeros() {
    assert_eq!(
        file("RECFM=FB,LRECL=4", &["ab", "abcd", ""]).unwrap(),
        b"ab\0\0abcd\0\0\0\0"
    );
}

#[test]
fn variable_records_are_blocked_until_a_record_does_not_fit() {
    assert_eq!(
        file("RECFM=VB,BLKSIZE=16", &["ab", "cd", "e"]).unwrap(),
        b"\x00\x10\x00\x00\x00\x06\x00\x00ab\x00\x06\x00\x00cd\x00\x09\x00\x00\x00\x05\x00\x00e"
    );
    assert_eq!(
        file("RECFM=V,BDW=YES,BLKSIZE=16", &["ab", "c"]).unwrap(),
        b"\x00\x0A\x00\x00\x00\x06\x00\x00ab\x00\x09\x00\x00\x00\x05\x00\x00c"
    );
    assert!(file::<&str>("RECFM=VB", &[]).unwrap().is_empty());
}

#[test]
fn variable_records_without_blocks_have_their_descriptor_words_only() {
    for options in ["RECFM=VB,BDW=NO", "RECFM=V"] {
        assert_eq!(
            file(options, &["ab", ""]).unwrap(),
            b"\x00\x06\x00\x00ab\x00\x04\x00\x00",
            "{options}"
        );
    }
}

#[test]
fn spanned_records_fill_their_blocks() {
    assert_eq!(
        file("RECFM=VBS,BLKSIZE=12", &["a", "bcdefg", ""]).unwrap(),
        b"\x00\x09\x00\x00\x00\x05\x00\x00a\
          \x00\x0C\x00\x00\x00\x08\x01\x00bcde\
          \x00\x0A\x00\x00\x00\x06\x02\x00fg\
          \x00\x08\x00\x00\x00\x04\x00\x00"
    );
    assert_eq!(
        file("RECFM=VS,BLKSIZE=20", &["a", "b"]).unwrap(),
        b"\x00\x09\x00\x00\x00\x05\x00\x00a\x00\x09\x00\x00\x00\x05\x00\x00b"
    );
}

#[test]
fn a_long_record_gets_a_block_of_its_own_when_no_size_is_stated() {
    let long = vec![b'x'; 32_752];
    let written = file("RECFM=VB", &[&b"a"[..], &long, b"b"]).unwrap();
    assert_eq!(written[..9], *b"\x00\x09\x00\x00\x00\x05\x00\x00a");
    assert_eq!(written[9..13], [0x7F, 0xF8, 0, 0]);
    assert_eq!(records("RECFM=VB", &written).unwrap(), [&b"a"[..], &long, b"b"]);
}

#[test]
fn blocks_are_as_full_as_their_size_allows_across_many_writes_to_the_system() {
    let many = vec![vec![b'x'; 96]; 10_000];
    let written = file("RECFM=VB,LRECL=100,BLKSIZE=1004", &many).unwrap();
    assert_eq!(written.len(), 1000 * 1004);
    assert!(written.chunks(1004).all(|block| block[..4] == [0x03, 0xEC, 0, 0]));
}

#[test]
fn blocks_beyond_32760_bytes_have_the_extended_descriptor_word() {
    let many = vec![vec![b'x'; 9_996]; 10];
    let written = file("RECFM=VB,LRECL=10000,BLKSIZE=50004", &many).unwrap();
    assert_eq!(written[..4], [0x80, 0x00, 0xC3, 0x54]);
    assert_eq!(records("RECFM=VB", &written).unwrap(), many);
}

#[test]
fn lines_keep_their_blanks_and_get_a_line_end() {
    assert_eq!(file("", &["ab  ", "", "c\rd"]).unwrap(), b"ab  \n\nc\rd\n");
    assert_eq!(file("CODEPAGE=1047", &[b"\xC1"]).unwrap(), b"\xC1\x15");
}

#[test]
fn records_are_converted_to_the_code_page_of_the_file() {
    let mut writer = Writer::new(Vec::new(), &attributes("RECFM=FB,LRECL=5,CODEPAGE=037"))
        .unwrap()
        .translated_from(CodePage::Iso8859_1);
    writer.put(b"VSAM").unwrap();
    assert_eq!(writer.finish().unwrap(), b"\xE5\xE2\xC1\xD4\x00");
}

#[test]
fn a_record_that_is_too_long_is_refused_and_writing_goes_on() {
    for (options, most) in [
        ("RECFM=FB,LRECL=4", 4),
        ("RECFM=VB,LRECL=8", 4),
        ("RECFM=VB,BLKSIZE=12", 4),
        ("RECFM=V,LRECL=8", 4),
        ("RECFM=VBS,LRECL=8,BLKSIZE=9", 4),
        ("RECFM=U,BLKSIZE=4", 4),
        ("LRECL=4", 4),
    ] {
        let mut writer = Writer::new(Vec::new(), &attributes(options)).unwrap();
        writer.put(b"1234").unwrap();
        let error = writer.put(b"12345").unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with(&format!("record 2: 5 bytes are more than the {most} ")),
            "{options}: {message}"
        );
        writer.put(b"abcd").unwrap();
        assert_eq!(writer.records(), 2);
        let written = writer.finish().unwrap();
        assert_eq!(records(options, &written).unwrap(), [b"1234", b"abcd"], "{options}");
    }
}

#[test]
fn a_record_that_would_end_a_line_is_refused_and_writing_goes_on() {
    for (options, record, position, byte) in [
        ("", &b"ab\ncd"[..], 2, 0x0A),
        ("", b"ab\r", 2, 0x0D),
        ("CODEPAGE=1047", b"\xC1\x15", 1, 0x15),
        ("CODEPAGE=1047", b"\x25", 0, 0x25),
    ] {
        let mut writer = Writer::new(Vec::new(), &attributes(options)).unwrap();
        match writer.put(record).unwrap_err() {
            QsamError::LineEndInRecord {
                record: 1,
                position: p,
                byte: b,
                ..
            } => assert_eq!((p, b), (position, byte)),
            other => panic!("{other}"),
        }
        writer.put(b"x").unwrap();
        assert_eq!(writer.finish().unwrap().len(), 2);
    }
    let error = file("CODEPAGE=1047", &[b"\xC1\x15"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 1: byte 1 is X'15', which ends a line of text in IBM-1047; \
         write records that are not text with RECFM=VB or FB"
    );
}

#[test]
fn line_ends_within_records_are_kept_when_that_is_wanted() {
    let mut writer = Writer::new(Vec::new(), &attributes("")).unwrap().keep_line_ends();
    writer.put(b"a\nb").unwrap();
    assert_eq!(writer.finish().unwrap(), b"a\nb\n");
}

#[test]
fn an_empty_undefined_record_is_refused() {
    let error = file("RECFM=U,BLKSIZE=4", &[""]).unwrap_err();
    assert!(matches!(error, QsamError::EmptyUndefined { record: 1 }), "{error}");
}

/// Takes `room` bytes, then says the disk is full.
struct Full {
    room: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn after_a_failed_write_nothing_more_is_written() {
    let mut writer = Writer::new(Full { room: 1000 }, &attributes("RECFM=FB,LRECL=30000")).unwrap();
    let failed = (1..100).find_map(|_| writer.put(b"x").err()).unwrap();
    assert!(matches!(failed, QsamError::Write { .. }), "{failed}");
    let records = writer.records();
    let again = writer.put(b"x").unwrap_err();
    assert!(
        matches!(again, QsamError::WriteFailedBefore { record } if record == records + 1),
        "{again}"
    );
    assert!(matches!(writer.finish(), Err(QsamError::WriteFailedBefore { .. })));
}

#[test]
fn a_write_that_fails_at_the_end_is_told_by_finish() {
    let mut writer = Writer::new(Full { room: 3 }, &attributes("RECFM=VB")).unwrap();
    writer.put(b"record").unwrap();
    let Err(error) = writer.finish() else {
        panic!("no error")
    };
    assert!(
        error.to_string().starts_with("record 1: the file cannot be written ("),
        "{error}"
    );
}
