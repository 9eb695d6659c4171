//! Files of units in doubt: what is written is read, and what is damaged is refused.
#![allow(clippy::unwrap_used)]

use cica_format::prepared::*;

fn unit() -> PreparedUnit {
    let set = |cluster, base, name: &str, keys: &[(bool, &[u8])]| PreparedSet {
        cluster,
        base,
        name: name.into(),
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

#[test]
fn what_is_written_is_read_with_each_state() {
    let mut bytes = unit().encode().unwrap();
    assert_eq!(PreparedUnit::decode(&bytes).unwrap(), (unit(), PreparedState::InDoubt));
    for state in [
        PreparedState::Committed,
        PreparedState::GoingBack,
        PreparedState::TakenBack,
    ] {
        bytes[STATE_AT..BODY_AT].copy_from_slice(&encode_state(state));
        assert_eq!(PreparedUnit::decode(&bytes).unwrap(), (unit(), state));
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
