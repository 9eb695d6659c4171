//! The portable copy: round trips, damage, and what no copy says.

mod samples;

use cica_format::checksum::crc32c;
use cica_format::portable::{
    ci_head, read_record_head, record_head, take_ci, BlockHead, BlockKind, CiRun, Head, Member, Mode, Totals,
    BLOCK_HEAD_LEN, CI_HEAD_LEN, HEAD_LEN, MAX_CONTENT, MEMBER_HEAD_LEN, RUN_HEAD_LEN, TOTALS_LEN,
};
use cica_format::FormatError;
use samples::hex;

const HEAD: Head = Head {
    id: 0x1112_1314_1516_1718,
    created: 0x2122_2324_2526_2728,
    members: 0x3132_3334,
};

const BLOCK: BlockHead = BlockHead {
    id: 0x1112_1314_1516_1718,
    number: 0x2122_2324_2526_2728,
    kind: BlockKind::Records,
    compressed: false,
    stored: 3,
    length: 3,
    content: 0x4142_4344,
};

fn short(what: &'static str, need: usize, have: usize) -> FormatError {
    FormatError::Short { what, need, have }
}

/// The field that was refused, and what it holds.
fn refused<T: std::fmt::Debug>(read: Result<T, FormatError>) -> (&'static str, u64) {
    match read {
        Err(FormatError::Field { field, value, .. }) => (field, value),
        other => panic!("not refused: {other:?}"),
    }
}

/// A head with these bytes changed and its checksum made good again.
fn resealed(at: usize, change: &[u8]) -> Result<Head, FormatError> {
    let mut bytes = HEAD.encode();
    bytes[at..at + change.len()].copy_from_slice(change);
    let checksum = crc32c(&bytes[..60]);
    bytes[60..].copy_from_slice(&checksum.to_le_bytes());
    Head::decode(&bytes)
}

#[test]
fn a_head_comes_out_as_it_went_in_and_no_damage_is_read() {
    let bytes = HEAD.encode();
    assert_eq!(Head::decode(&bytes), Ok(HEAD));
    assert_eq!(Head::decode(&[&bytes[..], &[0xEE; 9]].concat()), Ok(HEAD));
    assert_eq!(
        Head::decode(&bytes[..63]),
        Err(short("head of the portable copy", HEAD_LEN, 63))
    );
    for at in 0..HEAD_LEN {
        let mut damaged = bytes;
        damaged[at] ^= 1 << (at % 8);
        let what = "head of the portable copy";
        let expected = if at < 8 {
            FormatError::Magic { what }
        } else {
            FormatError::Checksum { what }
        };
        assert_eq!(Head::decode(&damaged), Err(expected), "byte {at} damaged");
    }
}

#[test]
fn a_head_of_another_order_or_format() {
    assert_eq!(resealed(12, &[1, 0]), Ok(HEAD));
    assert_eq!(refused(resealed(8, &[1, 2, 3, 4])), ("byte order mark", 0x0403_0201));
    assert_eq!(refused(resealed(12, &[0, 0])), ("format version", 0));
    for found in [2u16, 3, u16::MAX] {
        let newer = FormatError::NewerFormat {
            what: "head of the portable copy",
            found,
        };
        assert_eq!(resealed(12, &found.to_le_bytes()), Err(newer));
    }
}

#[test]
fn a_block_head_of_each_kind() {
    let kinds = [
        BlockKind::Member,
        BlockKind::Component,
        BlockKind::ControlIntervals,
        BlockKind::Records,
        BlockKind::MemberEnd,
        BlockKind::End,
        BlockKind::TakeBack,
    ];
    for (kind, code) in kinds.into_iter().zip(1..) {
        for compressed in [false, true] {
            let head = BlockHead {
                kind,
                compressed,
                ..BLOCK
            };
            let (bytes, checksum) = head.encode(b"ABC");
            assert_eq!(bytes[24..26], [code, u8::from(compressed)]);
            assert_eq!(BlockHead::decode(&bytes), Ok(head));
            assert_eq!(BlockHead::check(&bytes, b"ABC"), Ok(checksum));
        }
    }
}

#[test]
fn the_checksum_of_a_block_is_over_head_and_stored_bytes() {
    let (bytes, checksum) = BLOCK.encode(b"ABC");
    let mut covered = [&bytes[..], b"ABC"].concat();
    covered[4..8].fill(0);
    assert_eq!(checksum, crc32c(&covered));
    let damage = Err(FormatError::Checksum { what: "block" });
    assert_eq!(BlockHead::check(&bytes, b"ABD"), damage);
    for at in 0..BLOCK_HEAD_LEN {
        let mut damaged = bytes;
        damaged[at] ^= 1 << (at % 8);
        assert_eq!(BlockHead::check(&damaged, b"ABC"), damage, "byte {at} damaged");
    }
}

#[test]
fn what_no_block_head_says() {
    let (good, _) = BLOCK.encode(b"ABC");
    let with = |at: usize, change: &[u8]| {
        let mut bytes = good;
        bytes[at..at + change.len()].copy_from_slice(change);
        BlockHead::decode(&bytes)
    };
    assert_eq!(with(0, b"c"), Err(FormatError::Magic { what: "block" }));
    for kind in [0, 8, 255] {
        assert_eq!(refused(with(24, &[kind])), ("kind", kind.into()));
    }
    assert_eq!(refused(with(25, &[2])), ("compression", 2));
    let most = MAX_CONTENT.to_le_bytes();
    assert_eq!(with(28, &most).map(|head| head.stored), Ok(4_194_304));
    assert_eq!(with(32, &most).map(|head| head.length), Ok(4_194_304));
    for value in [MAX_CONTENT + 1, u32::MAX] {
        assert_eq!(refused(with(28, &value.to_le_bytes())), ("stored length", value.into()));
        assert_eq!(refused(with(32, &value.to_le_bytes())), ("length", value.into()));
    }
}

#[test]
fn totals_count_blocks_and_their_bytes() {
    let mut totals = Totals {
        records: 5,
        control_intervals: 6,
        ..Totals::default()
    };
    totals.add(0x0102_0304, 100);
    totals.add(0x1112_1314, 0xFFFF_FFFF);
    let expected = Totals {
        records: 5,
        control_intervals: 6,
        bytes: 0x1_0000_0063,
        blocks: 2,
        checksum: crc32c(&hex("04030201 14131211")),
    };
    assert_eq!(totals, expected);
    let bytes = totals.encode();
    assert_eq!(Totals::decode(&bytes), Ok(totals));
    assert_eq!(Totals::decode(&bytes[..39]), Err(short("totals", TOTALS_LEN, 39)));
}

#[test]
fn a_member_of_each_mode() {
    for (mode, code) in [Mode::Definition, Mode::Records, Mode::ControlIntervals]
        .into_iter()
        .zip(0..)
    {
        let member = Member {
            mode,
            entry: b'C',
            fields: b"fields of the item".to_vec(),
        };
        let bytes = member.encode();
        assert_eq!(bytes[..MEMBER_HEAD_LEN], [code, b'C', 0, 0, 0, 0, 0, 0]);
        assert_eq!(Member::decode(&bytes), Ok(member));
    }
    assert_eq!(refused(Member::decode(&[3; 8])), ("mode", 3));
    assert_eq!(Member::decode(&[0; 7]), Err(short("content of a block", 8, 7)));
}

#[test]
fn what_stands_before_control_intervals_and_records_is_taken_off() {
    let run = CiRun {
        ca: 0x0102_0304,
        flags: 0x1112_1314,
        next_free: 0x2122_2324,
        count: 0x3132_3334,
    };
    let bytes = [&run.encode()[..], &ci_head(0x0102, 0x0304), b"IMAGE", b"!"].concat();
    let mut rest = &bytes[..];
    assert_eq!(CiRun::take(&mut rest), Ok(run));
    assert_eq!(take_ci(&mut rest, 5), Ok((0x0102, 0x0304, &b"IMAGE"[..])));
    assert_eq!(rest, b"!");
    for cut in 0..RUN_HEAD_LEN + CI_HEAD_LEN + 5 {
        let mut rest = &bytes[..cut];
        let whole = CiRun::take(&mut rest).and_then(|_| take_ci(&mut rest, 5).map(drop));
        assert!(
            matches!(whole, Err(FormatError::Short { .. })),
            "cut at {cut}: {whole:?}"
        );
    }
    let head = record_head(0x0102_0304, 0x1112_1314);
    assert_eq!(read_record_head(&head), (0x0102_0304, 0x1112_1314));
}
