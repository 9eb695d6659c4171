//! Sizes as people write them.

use cica_session::bytes;

#[test]
fn sizes_are_read_with_their_units() {
    assert_eq!(bytes("65536"), Ok(65_536));
    assert_eq!(bytes("64M"), Ok(64 << 20));
    assert_eq!(bytes("2g"), Ok(2 << 30));
    for wrong in ["", "M", "64T", "-1", "1.5G", "99999999999G"] {
        assert!(bytes(wrong).is_err(), "{wrong}");
    }
}
