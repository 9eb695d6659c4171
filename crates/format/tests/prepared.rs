//! Files of units in doubt: what is written is read, and what is damaged is refused.
#![allow(clippy::unwrap_used)]

use cica_format::prepared::*;

fn unit() -> PreparedUnit {
    let set = |cluster, base, name: &str, keys: &[(bool, &[u8])]| PreparedSet {
        cluster,
        base,
        name: name.into(),
        lineage: 40 + cluster,
        keys: keys.iter().map(|(erased, key)| (*erased, key.to_vec())).collect(),
    };
    PreparedUnit {
        name: "GLOBAL-1:2".into(),
        log: 7 << 32 | 3,
        unit: 12,
        time: 1_700_000_000_000_000_000,
        sets: vec![
            set(1, None, "T.A", &[(true, b"00000010"), (false, b"")]),
            set(2, Some(0), "T.U", &[(false, b"ALTERNATE")]),
        ],
        undo: vec![(0, vec![1; 300]), (0, Vec::new())],
    }
}

fn head(state: PreparedState, decided: u64) -> PreparedHead {
    PreparedHead {
        unit: unit().identity(),
        state,
        decided,
        archived: true,
    }
}

#[test]
fn what_is_written_is_read_with_each_state() {
    let mut bytes = unit().encode().unwrap();
    let read = PreparedUnit::decode(&bytes).unwrap();
    assert_eq!(read, (unit(), head(PreparedState::InDoubt, 0)));
    for state in [
        PreparedState::Committed,
        PreparedState::GoingBack,
        PreparedState::TakenBack,
    ] {
        bytes[STATE_AT..BODY_AT].copy_from_slice(&encode_state(state, 77));
        assert_eq!(PreparedUnit::decode(&bytes).unwrap(), (unit(), head(state, 77)));
    }
    let long = PreparedUnit {
        name: "x".repeat(NAME_LEN + 1),
        ..unit()
    };
    assert!(long.encode().is_err());
}

#[test]
fn what_is_cut_or_damaged_is_refused() {
    let bytes = unit().encode().unwrap();
    for len in 0..bytes.len() {
        assert!(PreparedUnit::decode(&bytes[..len]).is_err(), "{len} bytes");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        assert!(PreparedUnit::decode(&damaged).is_err(), "byte {at}");
    }
}

/// What was written before archives were told of is read still.
#[test]
fn a_file_of_the_first_format_is_read() {
    let mut plain = unit();
    plain.sets.iter_mut().for_each(|set| set.lineage = 0);
    assert!(!plain.is_archived());
    let mut bytes = plain.encode().unwrap();
    bytes[8..10].copy_from_slice(&1u16.to_le_bytes());
    // Eight bytes less for each data set, behind its name.
    for name in ["T.A", "T.U"] {
        let at = bytes.windows(3).rposition(|three| three == name.as_bytes()).unwrap() + 3;
        bytes.drain(at..at + 8);
    }
    let body = (bytes.len() - BODY_AT) as u64;
    let checksum = cica_format::checksum::crc32c(&bytes[BODY_AT..]);
    bytes[40..48].copy_from_slice(&body.to_le_bytes());
    bytes[48..52].copy_from_slice(&checksum.to_le_bytes());
    bytes[12..16].fill(0);
    let own = cica_format::checksum::crc32c(&bytes[..SECTOR]);
    bytes[12..16].copy_from_slice(&own.to_le_bytes());
    let (read, head) = PreparedUnit::decode(&bytes).unwrap();
    assert_eq!((read, head.archived), (plain, false));
}
