//! Attributes of a component: what DEFINE gives, alternate keys, and the bytes of an alternate index's attributes.

mod samples;

use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, AlternateKey, Attributes, Organization};
use cica_format::root::Root;
use cica_format::FormatError;

fn written(alternate: Option<Alternate>) -> Vec<u8> {
    let attributes = Attributes {
        alternate,
        ..samples::attributes()
    };
    let root = Root {
        attributes,
        ..samples::root()
    };
    root.encode().expect("it can be written")
}

/// Where an alternate index's attributes stand in a root, see `docs/format/root.md`.
const FLAGS: usize = 768 + 200;

#[test]
fn each_attribute_of_an_alternate_index_alone() {
    let none = Alternate {
        base: "BASE".into(),
        key_offset: 0x0102_0304,
        unique: false,
        upgrade: false,
        pointers: Pointers::Rba,
        suppressed: None,
        chained: false,
    };
    let with = |change: fn(&mut Alternate)| {
        let mut alternate = none.clone();
        change(&mut alternate);
        alternate
    };
    // Flags, length of a pointer, suppressed byte.
    for (alternate, bytes) in [
        (with(|_| ()), [0x01, 4, 0]),
        (with(|a| a.unique = true), [0x03, 4, 0]),
        (with(|a| a.upgrade = true), [0x05, 4, 0]),
        (with(|a| a.pointers = Pointers::Keys(4)), [0x09, 4, 0]),
        (with(|a| a.pointers = Pointers::Keys(255)), [0x09, 255, 0]),
        (with(|a| a.pointers = Pointers::Xrba), [0x01, 8, 0]),
        (with(|a| a.suppressed = Some(0)), [0x11, 4, 0]),
        (with(|a| a.suppressed = Some(0x40)), [0x11, 4, 0x40]),
    ] {
        let root = written(Some(alternate.clone()));
        assert_eq!(root[FLAGS..FLAGS + 3], bytes, "{alternate:?}");
        let read = Root::decode(&root).map(|root| root.attributes.alternate);
        assert_eq!(read, Ok(Some(alternate)));
    }
    let none = written(None);
    assert_eq!(none[FLAGS..FLAGS + 3], [0; 3]);
    assert_eq!(Root::decode(&none).map(|root| root.attributes.alternate), Ok(None));
}

#[test]
fn an_alternate_key_is_where_it_is_and_may_be_suppressed() {
    let key = Alternate {
        key_offset: 2,
        suppressed: Some(b' '),
        chained: true,
        ..samples::attributes().alternate.expect("the sample has one")
    }
    .key(3);
    let expected = AlternateKey {
        offset: 2,
        length: 3,
        suppressed: Some(b' '),
    };
    assert_eq!(key, expected);
    assert_eq!(key.of(b"01KEY"), Some(&b"KEY"[..]));
    assert_eq!(key.of(b"01KEYrest"), Some(&b"KEY"[..]));
    assert_eq!(key.of(b"01KE"), None, "it is too short");
    assert_eq!(key.of(b"01   "), None, "it is suppressed");
    assert_eq!(key.of(b"01 E "), Some(&b" E "[..]), "not all of it is that byte");
    let all = AlternateKey {
        suppressed: None,
        ..key
    };
    assert_eq!(all.of(b"01   "), Some(&b"   "[..]));
}

#[test]
fn what_define_gives_where_nothing_is_said() {
    let new = |name| Attributes::new(Organization::Esds, name, 4096, 45);
    for name in ["PAYROLL.MASTER.DATA", "PAYROLL.MASTER.INDEX"] {
        let attributes = new(name);
        assert_eq!(attributes.component_name, name);
        assert_eq!(attributes.cluster_name, "PAYROLL.MASTER");
    }
    let attributes = new("A.DATA");
    assert_eq!((attributes.primary, attributes.secondary), (184_320, 184_320));
    assert_eq!((attributes.share_region, attributes.share_system), (1, 3));
    assert!(attributes.reclaim && !attributes.speed && !attributes.reuse);
}

#[test]
fn the_words_of_define_for_an_organization() {
    use Organization::{Esds, Ksds, Lds, Rrds, Vrrds};
    let all = [Ksds, Esds, Rrds, Vrrds, Lds];
    let words = ["INDEXED", "NONINDEXED", "NUMBERED", "NUMBERED", "LINEAR"];
    assert_eq!(all.map(Organization::keyword), words);
    assert_eq!(all.map(Organization::has_index), [true, false, false, true, false]);
}

#[test]
fn limits_are_themselves_allowed() {
    let with = |change: fn(&mut Attributes)| {
        let mut root = samples::root();
        change(&mut root.attributes);
        root.encode().map(|bytes| Root::decode(&bytes) == Ok(root))
    };
    assert_eq!(with(|a| a.key_length = 255), Ok(true));
    assert_eq!(with(|a| a.key_length = 1), Ok(true));
    assert_eq!(with(|a| a.ci_per_ca = 1), Ok(true));
    assert_eq!(with(|a| (a.free_ci, a.free_ca) = (100, 100)), Ok(true));
    assert_eq!(with(|a| (a.share_region, a.share_system) = (1, 3)), Ok(true));
    assert_eq!(with(|a| (a.share_region, a.share_system) = (4, 4)), Ok(true));
    for (change, field, value) in [
        ((|a| a.free_ca = 101) as fn(&mut Attributes), "free space", 101),
        (|a| a.free_ci = 102, "free space", 102),
        (|a| a.share_region = 5, "cross-region share option", 5),
        (|a| a.share_system = 5, "cross-system share option", 5),
    ] {
        let refused = with(change);
        assert!(
            matches!(refused, Err(FormatError::Field { field: f, value: v, .. }) if f == field && v == value),
            "{refused:?}"
        );
    }
}
