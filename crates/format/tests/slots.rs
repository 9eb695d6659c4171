//! The control interval of an RRDS: bytes, what its slots hold, contradictions.

mod samples;

use cica_format::slots::{check, format, per_ci, rdf, set_full};
use cica_format::FormatError;
use samples::hex;

/// An empty CI of 512 bytes for slots of 80: six of them.
fn empty() -> Vec<u8> {
    let mut image = vec![0xEE; 512];
    format(&mut image, 80);
    image
}

#[test]
fn as_many_slots_as_fit_with_an_rdf_each() {
    for (ci_size, length, slots) in [
        (512, 80, 6),
        (512, 505, 1),
        (512, 506, 0),
        (512, 1, 127),
        (4096, 100, 39),
    ] {
        assert_eq!(per_ci(ci_size, length), slots, "slots of {length} in {ci_size}");
        let mut image = vec![0xEE; ci_size];
        format(&mut image, length);
        assert_eq!(check(&image, length), Ok(0));
    }
}

#[test]
fn the_bytes_of_an_empty_ci() {
    let image = empty();
    assert!(image[..490].iter().all(|&b| b == 0), "slots and free space are zero");
    let control = "040050 040050 040050 040050 040050 040050 01E0 000A";
    assert_eq!(image[490..], hex(control));
}

#[test]
fn a_slot_is_full_or_empty_by_its_own_rdf() {
    let mut image = empty();
    assert_eq!([0, 1, 5].map(|slot| rdf(512, slot)), [505, 502, 490]);
    for (slot, full, count) in [
        (0, true, 1),
        (5, true, 2),
        (5, true, 2),
        (0, false, 1),
        (3, false, 1),
        (3, true, 2),
    ] {
        set_full(&mut image, slot, full);
        assert_eq!(image[rdf(512, slot)], if full { 0 } else { 4 });
        assert_eq!(check(&image, 80), Ok(count));
    }
    let flags: Vec<u8> = (0..6).map(|slot| image[rdf(512, slot)]).collect();
    assert_eq!(flags, [4, 4, 4, 0, 4, 0]);
    // Nothing else has changed.
    (0..6).for_each(|slot| set_full(&mut image, slot, false));
    assert_eq!(image, empty());
}

#[test]
fn contradictions_are_found() {
    let refused = |at: usize, change: &[u8]| {
        let mut image = empty();
        image[at..at + change.len()].copy_from_slice(change);
        match check(&image, 80) {
            Err(FormatError::Field { field, value, .. }) => (field, value),
            other => panic!("{change:02X?} at {at} was read as {other:?}"),
        }
    };
    assert_eq!(refused(508, &[1, 0xE1]), ("CIDF (data length)", 481));
    assert_eq!(refused(510, &[0, 11]), ("CIDF (free length)", 11));
    for slot in 0..6 {
        for control in [1, 2, 8, 0x40, 0x84, 0xFF] {
            let expected = ("RDF control byte of a slot", u64::from(control));
            assert_eq!(refused(rdf(512, slot), &[control]), expected);
        }
        let expected = ("length in the RDF of a slot", 0x0150);
        assert_eq!(refused(rdf(512, slot) + 1, &[1]), expected);
    }
    let other = check(&empty(), 81);
    assert!(
        matches!(
            other,
            Err(FormatError::Field {
                field: "CIDF (data length)",
                ..
            })
        ),
        "{other:?}"
    );
}
