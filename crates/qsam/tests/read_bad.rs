//! Wrong files: each kind of damage has its own answer, with record, byte and remedy, and gives the same answer again.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{self, Read};

use cica_qsam::{QsamError, Reader};
use common::attributes;

/// How many good records come first, and the message of the error behind them.
fn failure(options: &str, file: &[u8]) -> (u64, String) {
    let mut reader = Reader::new(file, &attributes(options)).unwrap();
    let message = loop {
        match reader.next() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("no error"),
            Err(error) => break error.to_string(),
        }
    };
    let again = reader.next().unwrap_err().to_string();
    assert_eq!(again, message, "an error stays");
    (reader.records(), message)
}

#[track_caller]
fn assert_fails(options: &str, file: &[u8], good: u64, message: &str) {
    assert_eq!(failure(options, file), (good, message.to_owned()));
}

#[test]
fn a_fixed_file_that_ends_inside_a_record() {
    assert_fails(
        "RECFM=FB,LRECL=4",
        b"aaaabbbbcc",
        2,
        "record 3, byte 8: the file ends after 2 of the 4 bytes of the record; check LRECL=4, \
         or transfer the file again (in binary)",
    );
}

#[test]
fn a_record_length_below_four() {
    assert_fails(
        "RECFM=VB,BDW=NO",
        b"\x00\x05\x00\x00a\x00\x03\x00\x00",
        1,
        "record 2, byte 5: X'00030000' is no record descriptor word here: length 3 is below 4; \
         has the file BDWs? try BDW=YES",
    );
}

#[test]
fn a_record_length_above_lrecl() {
    assert_fails(
        "RECFM=VB,BDW=NO,LRECL=8",
        b"\x00\x09\x00\x00abcde",
        0,
        "record 1, byte 0: X'00090000' is no record descriptor word here: length 9 is above 8, the most by LRECL; \
         is LRECL right?",
    );
}

#[test]
fn a_record_length_above_any() {
    assert_fails(
        "RECFM=VB,BDW=NO",
        b"\xFF\x00\x00\x00abcde",
        0,
        "record 1, byte 0: X'FF000000' is no record descriptor word here: length 65280 is above 32760, \
         the most by RECFM; has the file BDWs? try BDW=YES",
    );
}

#[test]
fn a_record_that_runs_past_its_block() {
    assert_fails(
        "RECFM=VB,BDW=YES",
        b"\x00\x0E\x00\x00\x00\x05\x00\x00a\x00\x06\x00\x00b\x00\x0C\x00\x00",
        1,
        "record 2, byte 9: X'00060000' is no record descriptor word here: length 6 runs past the end of the block, \
         which has 5 bytes left; is the file really one with BDWs? try BDW=NO",
    );
}

#[test]
fn a_block_length_below_eight() {
    assert_fails(
        "RECFM=VB,BDW=YES",
        b"\x00\x04\x00\x00\x00\x04\x00\x00",
        0,
        "record 1, byte 0: X'00040000' is no block descriptor word: length 4 is below 8; \
         is the file really one with BDWs? try BDW=NO",
    );
}

#[test]
fn a_block_length_above_blksize() {
    assert_fails(
        "RECFM=VB,BDW=YES,BLKSIZE=16",
        b"\x00\x11\x00\x00\x00\x0D\x00\x00123456789",
        0,
        "record 1, byte 0: X'00110000' is no block descriptor word: length 17 is above 16, the most by BLKSIZE; \
         is the file really one with BDWs? try BDW=NO",
    );
}

#[test]
fn bytes_that_must_be_zero() {
    assert_fails(
        "RECFM=VB,BDW=YES",
        b"\x00\x0A\x00\x01\x00\x06\x00\x00ab",
        0,
        "record 1, byte 0: X'000A0001' is no block descriptor word: bytes that are zero in a descriptor word are not; \
         is the file really one with BDWs? try BDW=NO",
    );
    assert_fails(
        "RECFM=VB,BDW=YES",
        b"\x00\x0A\x00\x00\x00\x06\x00\x07ab",
        0,
        "record 1, byte 4: X'00060007' is no record descriptor word here: bytes that are zero in a descriptor word \
         are not; is the file really one with BDWs? try BDW=NO",
    );
}

#[test]
fn a_few_bytes_at_the_end_of_a_block() {
    assert_fails(
        "RECFM=VB,BDW=YES",
        b"\x00\x0C\x00\x00\x00\x06\x00\x00abxy\x00\x0A\x00\x00\x00\x06\x00\x00cd",
        1,
        "record 2, byte 10: the block ends with X'7879', too few bytes for a record descriptor word; \
         is the file really one with BDWs? try BDW=NO",
    );
}

#[test]
fn a_spanned_file_read_as_unspanned() {
    assert_fails(
        "RECFM=VB,BDW=NO",
        b"\x00\x06\x01\x00ab\x00\x05\x02\x00c",
        0,
        "record 1, byte 0: X'00060100' is no record descriptor word here: it is that of a segment of a spanned record; \
         try RECFM=VBS",
    );
}

#[test]
fn segments_out_of_order() {
    assert_fails(
        "RECFM=VBS,BDW=NO",
        b"\x00\x05\x00\x00a\x00\x06\x02\x00bc",
        1,
        "record 2, byte 5: X'00060200' is no record descriptor word here: it is the last segment of a record, \
         and no record has been begun; segments are missing, transfer the file again",
    );
    assert_fails(
        "RECFM=VBS,BDW=NO",
        b"\x00\x06\x01\x00ab\x00\x05\x00\x00c",
        0,
        "record 1, byte 6: X'00050000' is no record descriptor word here: it is a whole record while another record \
         waits for its last segment; segments are missing, transfer the file again",
    );
}

#[test]
fn a_spanned_record_longer_than_lrecl() {
    assert_fails(
        "RECFM=VBS,BDW=NO,LRECL=7",
        b"\x00\x06\x01\x00ab\x00\x06\x02\x00cd",
        0,
        "record 1, byte 0: the segments make a record of more than 3 bytes; raise LRECL (at most 16777216), \
         or transfer the file again",
    );
}

#[test]
fn files_that_end_too_early() {
    let descriptor = "record 2, byte 5: the file ends inside a descriptor word (X'0006'); \
                      transfer the file again (in binary)";
    assert_fails("RECFM=VB,BDW=NO", b"\x00\x05\x00\x00a\x00\x06", 1, descriptor);
    let block = "record 2, byte 9: the file ends inside a descriptor word (X'000A00'); \
                 transfer the file again (in binary)";
    assert_fails(
        "RECFM=VB,BDW=YES",
        b"\x00\x09\x00\x00\x00\x05\x00\x00a\x00\x0A\x00",
        1,
        block,
    );
    let record = "record 1, byte 0: the file ends after 1 of the 2 bytes told by the descriptor word X'00060000'; \
                  transfer the file again (in binary)";
    assert_fails("RECFM=VB,BDW=NO", b"\x00\x06\x00\x00a", 0, record);
    let rest = "record 2, byte 9: the file ends, and 6 bytes of the block are missing by its block descriptor word; \
                transfer the file again (in binary)";
    assert_fails("RECFM=VB,BDW=YES", b"\x00\x0F\x00\x00\x00\x05\x00\x00a", 1, rest);
    assert_fails("RECFM=VB", b"\x00\x0F\x00\x00\x00\x05\x00\x00a", 1, rest);
    let spanned = "record 1, byte 0: the file ends before the last segment of the record; \
                   transfer the file again (in binary)";
    assert_fails("RECFM=VBS,BDW=NO", b"\x00\x06\x01\x00ab", 0, spanned);
}

#[test]
fn every_cut_of_a_blocked_file_is_noticed_unless_it_is_between_blocks() {
    let records = ["alpha", "be", "", "gamma"];
    for options in [
        "RECFM=VB,BLKSIZE=20,BDW=YES",
        "RECFM=VBS,BLKSIZE=10,BDW=YES",
        "RECFM=FB,LRECL=5",
    ] {
        let file = common::file(options, &records).unwrap();
        let whole = common::records(options, &file).unwrap();
        for cut in 0..file.len() {
            match common::records(options, &file[..cut]) {
                Ok(found) => {
                    assert!(
                        whole.starts_with(&found) && found.len() < whole.len(),
                        "{options} cut at {cut}"
                    );
                    let lost = common::records(options, &file[cut..]).unwrap();
                    assert_eq!(
                        found.len() + lost.len(),
                        whole.len(),
                        "{options} cut at {cut} is between blocks"
                    );
                }
                Err(error) => assert!(
                    error.to_string().contains("the file ends"),
                    "{options} cut at {cut}: {error}"
                ),
            }
        }
    }
}

#[test]
fn text_taken_for_records_is_recognized() {
    let (_, message) = failure("RECFM=VB", b"NAME,STREET,TOWN\n");
    assert!(
        message.ends_with("(the bytes are ASCII text, 'NAME'; try RECFM=FB or RECFM=TEXT)"),
        "{message}"
    );
    let (_, message) = failure("RECFM=VB,BDW=YES", b"\xD5\xC1\xD4\xC5\x6B\xE2");
    assert!(
        message.ends_with("(the bytes are EBCDIC text, 'NAME'; try RECFM=FB or RECFM=TEXT)"),
        "{message}"
    );
}

#[test]
fn a_line_longer_than_lrecl() {
    let message = "record 2, byte 4: the line is longer than 3 bytes; raise LRECL (at most 16777216), \
                   or if the file is not text state its RECFM, such as RECFM=FB,LRECL=80";
    assert_fails("LRECL=3", b"abc\nabcd\n", 1, message);
    assert_fails("LRECL=3", b"abc\nabcdefghijkl", 1, message);
    assert_fails("LRECL=3", b"abc\nabcd\r\n", 1, message);
    assert_fails("LRECL=3", b"abc\nabcd", 1, message);
    assert_eq!(common::records("LRECL=3", b"abc\r\nabc\nabc").unwrap(), [b"abc"; 3]);
}

#[test]
fn a_line_without_end_does_not_take_all_memory() {
    let mut reader = Reader::new(io::repeat(b'x'), &attributes("")).unwrap();
    assert!(matches!(
        reader.next(),
        Err(QsamError::LineTooLong {
            record: 1,
            offset: 0,
            most: 16_777_216
        })
    ));
}

#[test]
fn a_file_that_cannot_be_read() {
    struct Broken(bool);
    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0 {
                return Err(io::Error::other("cable pulled"));
            }
            self.0 = true;
            buffer[..6].copy_from_slice(b"aaaabb");
            Ok(6)
        }
    }
    let mut reader = Reader::new(Broken(false), &attributes("RECFM=F,LRECL=4")).unwrap();
    assert_eq!(reader.next().unwrap(), Some(&b"aaaa"[..]));
    let error = reader.next().unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 2, byte 4: the file cannot be read (cable pulled); mend that and run again"
    );
    assert!(std::error::Error::source(&error).is_some());
}
