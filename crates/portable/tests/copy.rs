//! What is written is read again; whatever is done to the bytes in between is found out, and where.
#![allow(clippy::unwrap_used)]
#![allow(clippy::type_complexity)] // what was read is only compared

use cica_format::portable::{BlockHead, BlockKind, Head, Member, Mode, BLOCK_HEAD_LEN};
use cica_format::FormatError;
use cica_portable::{CopyError, Intervals, Reader, Records, What, Writer};

const HEAD: Head = Head {
    id: 0x1234_5678,
    created: 1,
    members: 2,
};

fn member(mode: Mode) -> Member {
    Member {
        mode,
        entry: 2,
        fields: b"FIELDS OF THE ENTRY".to_vec(),
    }
}

/// Two members: three records, one of them longer than a block, and five control intervals in two areas.
fn copy(long: usize) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), HEAD, 3).unwrap();
    writer.member(&member(Mode::Records)).unwrap();
    writer.record(0, b"FIRST").unwrap();
    writer.record(7, &vec![0xAB; long]).unwrap();
    writer.record(9, b"").unwrap();
    assert_eq!(writer.end_member().unwrap().records, 3);
    writer.member(&member(Mode::ControlIntervals)).unwrap();
    writer.component(b"A ROOT").unwrap();
    let mut runs = writer.runs(512);
    for ca in 0..2 {
        runs.area(ca, 0, u32::MAX).unwrap();
        for ci in 0..=ca as u16 + 1 {
            runs.control_interval(ci, 1, &[ci as u8 + 1; 512]).unwrap();
        }
    }
    runs.finish().unwrap();
    writer.end_member().unwrap();
    writer.finish().unwrap().0
}

/// Reads all of it; tells records and control intervals.
fn read(bytes: &[u8]) -> Result<(Vec<(u32, Vec<u8>)>, Vec<(u32, u16, Vec<u8>)>), CopyError> {
    let mut reader = Reader::new(bytes)?;
    let (mut records, mut intervals, mut stream) = (Vec::new(), Vec::new(), Records::default());
    while let Some(block) = reader.next()? {
        match block.kind {
            BlockKind::Records => {
                stream.add(block.content);
                while let Some((number, record)) = stream.next().unwrap() {
                    records.push((number, record.to_vec()));
                }
            }
            BlockKind::ControlIntervals => {
                let mut all = Intervals::new(block.content, 512);
                while let Some(run) = all.run().unwrap() {
                    while let Some((number, _, image)) = all.control_interval().unwrap() {
                        intervals.push((run.ca, number, image.to_vec()));
                    }
                }
            }
            _ => {}
        }
    }
    assert!(stream.is_empty());
    Ok((records, intervals))
}

#[test]
fn what_was_written_is_read_in_its_order() {
    let (records, intervals) = read(&copy(3_000_000)).unwrap();
    let lengths: Vec<(u32, usize)> = records.iter().map(|(n, r)| (*n, r.len())).collect();
    assert_eq!(lengths, [(0, 5), (7, 3_000_000), (9, 0)]);
    assert!(records[1].1.iter().all(|b| *b == 0xAB));
    let places: Vec<(u32, u16)> = intervals.iter().map(|(ca, n, _)| (*ca, *n)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]);
    assert!(intervals.iter().all(|(_, n, image)| image[..] == [*n as u8 + 1; 512]));
}

#[test]
fn control_intervals_of_more_than_a_block_stay_in_their_area() {
    let mut writer = Writer::new(Vec::new(), Head { members: 1, ..HEAD }, 1).unwrap();
    writer.member(&member(Mode::ControlIntervals)).unwrap();
    let mut runs = writer.runs(512);
    runs.area(5, 0, u32::MAX).unwrap();
    for ci in 0..5_000 {
        runs.control_interval(ci, 1, &[ci as u8; 512]).unwrap();
    }
    runs.finish().unwrap();
    assert_eq!(writer.end_member().unwrap().control_intervals, 5_000);
    let (_, intervals) = read(&writer.finish().unwrap().0).unwrap();
    assert!(intervals
        .iter()
        .map(|(ca, n, _)| (*ca, *n))
        .eq((0..5_000).map(|n| (5, n))));
}

#[test]
fn every_bit_that_changes_is_found_out() {
    let bytes = copy(100);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            let error = read(&bytes).expect_err("a changed byte was taken");
            assert!(error.at <= at as u64, "byte {at} changed: {error}");
        }
    }
}

#[test]
fn a_copy_cut_short_at_any_length_is_found_out() {
    let bytes = copy(100);
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).expect_err("a part was taken for the whole");
        assert!(
            length < 64 || matches!(error.what, What::Cut),
            "cut at {length}: {error}"
        );
    }
    let longer = [&bytes[..], b"."].concat();
    assert!(matches!(read(&longer), Err(CopyError { what: What::Longer, .. })));
}

/// Where each block begins, and the end.
fn blocks(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![64];
    let mut at = 64;
    while at < bytes.len() {
        at += 40 + u32::from_le_bytes(bytes[at + 28..at + 32].try_into().unwrap()) as usize;
        starts.push(at);
    }
    starts
}

#[test]
fn a_block_that_is_missing_doubled_or_of_another_copy_is_found_out() {
    let bytes = copy(100);
    let starts = blocks(&bytes);
    for (n, block) in starts.windows(2).enumerate() {
        let (begin, end) = (block[0], block[1]);
        let missing = [&bytes[..begin], &bytes[end..]].concat();
        assert!(read(&missing).is_err(), "block {n} is missing");
        let doubled = [&bytes[..end], &bytes[begin..]].concat();
        assert!(read(&doubled).is_err(), "block {n} is there twice");
    }
    let mut other = Writer::new(Vec::new(), Head { id: 99, ..HEAD }, 3).unwrap();
    other.member(&member(Mode::Records)).unwrap();
    let other = other.finish().unwrap().0;
    let end = blocks(&other)[1];
    let mixed = [&bytes[..64], &other[64..end], &bytes[end..]].concat();
    assert!(matches!(
        read(&mixed),
        Err(CopyError {
            what: What::Misplaced { number: 0 },
            block: Some(0),
            ..
        })
    ));
}

/// What a decompressor makes of sound bytes must be what was compressed.
#[test]
fn content_that_is_not_what_was_compressed_is_found_out() {
    let mut bytes = copy(100);
    let block = blocks(&bytes)[1];
    let (head, stored) = bytes[block..].split_at_mut(BLOCK_HEAD_LEN);
    let head: &mut [u8; BLOCK_HEAD_LEN] = head.try_into().unwrap();
    let mut other = BlockHead::decode(head).unwrap();
    other.content ^= 1;
    *head = other.encode(&stored[..other.stored as usize]).0;
    let CopyError { what, block, .. } = read(&bytes).unwrap_err();
    let expected = FormatError::Checksum {
        what: "content of a block",
    };
    assert!(matches!(what, What::Format(found) if found == expected), "{block:?}");
}

#[test]
fn no_bytes_make_a_reader_panic_or_take_much_memory() {
    let bytes = copy(100);
    let mut seed = 1u64;
    for _ in 0..2_000 {
        let mut bytes = bytes.clone();
        for _ in 0..8 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] = (seed >> 25) as u8;
        }
        let _ = read(&bytes);
    }
}
