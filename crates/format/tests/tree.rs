//! The nodes of the checksum tree - CA header, table block, root: round trips, and damage of any byte.

mod samples;

use cica_format::attributes::{Attributes, Organization};
use cica_format::ca::{CaHeader, HeaderView};
use cica_format::checksum::{ci_checksum, crc32c, Identity};
use cica_format::root::{dictionary_at, LogPosition, Part, Root, AREA_LEN, DICTIONARY_LEN, FIXED_LEN, LOG_PATH_LEN};
use cica_format::table::{Ref, TableBlock, BLOCK_LEN, REFS};
use cica_format::FormatError;
use proptest::collection::vec;
use proptest::prelude::*;

fn ca_header_bytes() -> Vec<u8> {
    let header = samples::ca_header();
    let mut bytes = vec![0xEE; CaHeader::encoded_len(header.entries.len())];
    let checksum = header.encode(&mut bytes);
    assert_eq!(
        checksum,
        crc32c(&bytes),
        "the reference is the checksum of the whole copy"
    );
    bytes
}

fn table_block_bytes() -> Vec<u8> {
    let mut bytes = [0xEE; BLOCK_LEN];
    let checksum = samples::table_block().encode(&mut bytes);
    assert_eq!(
        checksum,
        crc32c(&bytes),
        "the reference is the checksum of the whole copy"
    );
    bytes.to_vec()
}

fn root_bytes() -> Vec<u8> {
    samples::root().encode().expect("the sample can be written")
}

/// Every byte of `bytes`, changed in one bit, makes `decode` fail.
fn assert_no_flip_survives(bytes: &[u8], decode: impl Fn(&[u8]) -> bool) {
    let mut bytes = bytes.to_vec();
    assert!(decode(&bytes), "undamaged");
    for at in 0..bytes.len() {
        let bit = 1 << (at % 8);
        bytes[at] ^= bit;
        assert!(!decode(&bytes), "byte {at} damaged");
        bytes[at] ^= bit;
    }
}

#[test]
fn what_goes_in_comes_out() {
    assert_eq!(CaHeader::decode(&ca_header_bytes(), 3), Ok(samples::ca_header()));
    assert_eq!(TableBlock::decode(&table_block_bytes()), Ok(samples::table_block()));
    assert_eq!(Root::decode(&root_bytes()), Ok(samples::root()));
}

#[test]
fn damage_of_any_byte_is_found() {
    assert_no_flip_survives(&ca_header_bytes(), |bytes| CaHeader::decode(bytes, 3).is_ok());
    assert_no_flip_survives(&table_block_bytes(), |bytes| TableBlock::decode(bytes).is_ok());
    assert_no_flip_survives(&root_bytes(), |bytes| Root::decode(bytes).is_ok());
}

#[test]
fn bytes_after_it_do_not_matter_and_missing_ones_do() {
    let longer = |bytes: Vec<u8>| [bytes, vec![0xEE; 100]].concat();
    assert_eq!(
        CaHeader::decode(&longer(ca_header_bytes()), 3),
        Ok(samples::ca_header())
    );
    assert_eq!(
        TableBlock::decode(&longer(table_block_bytes())),
        Ok(samples::table_block())
    );
    assert_eq!(Root::decode(&longer(root_bytes())), Ok(samples::root()));
    let short = |what, need| FormatError::Short {
        what,
        need,
        have: need - 1,
    };
    assert_eq!(
        CaHeader::decode(&ca_header_bytes()[..4095], 3),
        Err(short("CA header", 4096))
    );
    assert_eq!(
        TableBlock::decode(&table_block_bytes()[..4095]),
        Err(short("table block", 4096))
    );
    assert_eq!(Root::decode(&root_bytes()[..12_287]), Err(short("root", 12_288)));
    assert_eq!(Root::decode(&root_bytes()[..31]), Err(short("root", 32)));
}

#[test]
fn another_structure_is_not_mistaken_for_it() {
    assert_eq!(
        CaHeader::decode(&table_block_bytes(), 3),
        Err(FormatError::Magic { what: "CA header" })
    );
    assert_eq!(
        TableBlock::decode(&ca_header_bytes()),
        Err(FormatError::Magic { what: "table block" })
    );
    assert_eq!(
        Root::decode(&vec![0; AREA_LEN]),
        Err(FormatError::Magic { what: "root" })
    );
}

#[test]
fn a_ca_header_is_of_the_number_of_cis_it_is_read_with() {
    assert_eq!(
        [1, 336, 337, 8192].map(CaHeader::encoded_len),
        [4096, 4096, 8192, 98_304 + 4096]
    );
    let other = CaHeader::decode(&ca_header_bytes(), 4);
    assert!(
        matches!(
            other,
            Err(FormatError::Field {
                field: "number of CIs",
                value: 3,
                ..
            })
        ),
        "{other:?}"
    );
}

#[test]
fn a_header_read_where_it_lies_says_the_same() {
    let (bytes, header) = (ca_header_bytes(), samples::ca_header());
    let view = HeaderView::of(&bytes, 3).expect("it is one");
    assert_eq!(
        (
            view.component,
            view.ca,
            view.region,
            view.annex,
            view.flags,
            view.next_free
        ),
        (
            header.component,
            header.ca,
            header.region,
            header.annex,
            header.flags,
            header.next_free
        )
    );
    assert_eq!(view.entries().collect::<Vec<_>>(), header.entries);
    let one_by_one: Vec<_> = (0..4).map(|i| view.entry(i)).collect();
    assert_eq!(
        one_by_one,
        [&header.entries.into_iter().map(Some).collect::<Vec<_>>()[..], &[None]].concat()
    );
    let short = HeaderView::of(&bytes[..4095], 3).map(|view| view.ca);
    assert!(matches!(short, Err(FormatError::Short { need: 4096, .. })), "{short:?}");
    let other = HeaderView::of(&table_block_bytes(), 3).map(|view| view.ca);
    assert_eq!(other, Err(FormatError::Magic { what: "CA header" }));
}

#[test]
fn the_checksum_of_a_ci_is_over_who_it_is_and_the_hash_of_its_image() {
    let id = Identity {
        component: 0x1112_1314_1516_1718,
        ci: 0x2122_2324,
        version: 0x3132_3334,
    };
    // XXH3 as others give it, by the length of what is read: up to 16 bytes, up to 240, more.
    let image: Vec<u8> = (0..2048u32).map(|i| (i * 151 % 251) as u8).collect();
    for (len, hash) in [
        (3, "8EFD01C46103329F"),
        (200, "9D722380C28ACA59"),
        (512, "FBCC2478F791828A"),
        (2048, "4458F451F66095EF"),
    ] {
        let covered = samples::hex(&format!("1817161514131211 24232221 34333231 {hash}"));
        assert_eq!(ci_checksum(id, &image[..len]), crc32c(&covered), "{len}");
    }
    // The checksum is the one of RFC 3720.
    assert_eq!(crc32c(b"123456789"), 0xE306_9283);
}

#[test]
fn a_table_block_may_be_full() {
    let refs = (0..REFS as u32)
        .map(|n| Ref {
            version: n,
            checksum: !n,
        })
        .collect();
    let block = TableBlock {
        refs,
        ..samples::table_block()
    };
    let mut bytes = [0; BLOCK_LEN];
    block.encode(&mut bytes);
    assert_eq!(TableBlock::decode(&bytes), Ok(block));
}

#[test]
fn a_root_may_be_full() {
    let tables = (0..Root::max_tables(false) as u32)
        .map(|n| Ref {
            version: n,
            checksum: !n,
        })
        .collect();
    let log = LogPosition {
        log: 1,
        path: "p".repeat(LOG_PATH_LEN),
        lsn: 2,
        early: false,
        origin: 3,
    };
    let attributes = Attributes {
        cluster_name: "N".repeat(44),
        compressed: false,
        ..samples::attributes()
    };
    let mut root = Root {
        tables,
        log,
        attributes,
        free_regions: (0..512).collect(),
        ..samples::root()
    };
    let bytes = root.encode().expect("all of it is at its limit");
    assert_eq!(bytes.len(), AREA_LEN);
    assert_eq!(Root::decode(&bytes), Ok(root.clone()));
    root.tables.push(Ref::default());
    assert_eq!(refused_field(&root), "number of table blocks");
}

#[test]
fn dictionaries_stand_where_no_root_of_a_compressed_data_set_reaches() {
    let mut root = Root {
        tables: vec![Ref::default(); Root::max_tables(true)],
        attributes: Attributes {
            compressed: true,
            ..samples::attributes()
        },
        ..samples::root()
    };
    let length = root.encode().expect("all of it is at its limit").len();
    let mut taken: Vec<u64> = (1..=15).map(dictionary_at).collect();
    taken.sort_unstable();
    for (at, next) in taken.iter().zip(taken.iter().skip(1).chain([&(2 * AREA_LEN as u64)])) {
        assert!(at % AREA_LEN as u64 >= length as u64, "{at}");
        assert!(at + DICTIONARY_LEN as u64 <= *next, "{at}");
    }
    root.tables.push(Ref::default());
    assert_eq!(refused_field(&root), "number of table blocks");
}

#[test]
fn free_regions_beyond_512_stand_behind_the_tables() {
    for (tables, regions, len) in [(0, 512, 8192), (0, 513, 12_288), (3, 1530, 12_288), (3, 1531, 16_384)] {
        let root = Root {
            tables: vec![Ref::default(); tables],
            free_regions: (7..7 + regions).collect(),
            ..samples::root()
        };
        let bytes = root.encode().expect("there is room");
        assert_eq!(bytes.len(), len, "{tables} tables, {regions} regions");
        assert_eq!(Root::decode(&bytes), Ok(root));
    }
}

#[test]
fn a_root_is_as_long_as_its_tables_ask_for() {
    for (tables, len) in [
        (0, FIXED_LEN),
        (1, FIXED_LEN + 4096),
        (512, FIXED_LEN + 4096),
        (513, FIXED_LEN + 8192),
    ] {
        let root = Root {
            tables: vec![
                Ref {
                    version: 1,
                    checksum: 2
                };
                tables
            ],
            ..samples::root()
        };
        let bytes = root.encode().expect("it can be written");
        assert_eq!(bytes.len(), len);
        assert_eq!(Root::encoded_len_hint(&bytes[..4096]), Ok(len));
        assert_eq!(Root::decode(&bytes), Ok(root));
    }
}

#[test]
fn the_checksum_of_a_root_is_that_of_its_bytes() {
    let bytes = root_bytes();
    assert_eq!(Root::checksum_of(&bytes), crc32c(&bytes));
    let area = [bytes.clone(), vec![0xEE; AREA_LEN - bytes.len()]].concat();
    assert_eq!(Root::checksum_of(&area), crc32c(&bytes));
    let newer = Root {
        version: samples::root().version + 2,
        ..samples::root()
    };
    assert_ne!(
        Root::checksum_of(&newer.encode().expect("it can be written")),
        crc32c(&bytes)
    );
}

#[test]
fn a_root_of_the_other_byte_order() {
    let mut bytes = root_bytes();
    bytes[8..12].reverse();
    assert_eq!(
        Root::decode(&bytes),
        Err(FormatError::ForeignByteOrder { what: "root" })
    );
}

#[test]
fn a_root_of_a_newer_format() {
    let mut bytes = root_bytes();
    bytes[12..14].copy_from_slice(&5u16.to_le_bytes());
    assert_eq!(
        Root::decode(&bytes),
        Err(FormatError::NewerFormat { what: "root", found: 5 })
    );
}

#[test]
fn a_root_of_a_format_that_is_not_read_any_more() {
    let mut bytes = root_bytes();
    bytes[12..14].copy_from_slice(&1u16.to_le_bytes());
    let older = FormatError::OlderFormat { what: "root", found: 1 };
    assert_eq!(Root::decode(&bytes), Err(older));
    assert!(
        older.to_string().contains("EXPORT it with the Cica that wrote it"),
        "{older}"
    );
}

#[test]
fn lengths_no_root_has() {
    for len in [0u32, 4096, 8193, 65_536 + 4096, u32::MAX] {
        let mut bytes = root_bytes();
        bytes[16..20].copy_from_slice(&len.to_le_bytes());
        let refused = Root::encoded_len_hint(&bytes);
        assert!(
            matches!(refused, Err(FormatError::Field { field: "length", .. })),
            "{len}: {refused:?}"
        );
    }
}

#[test]
fn what_lies_on_each_volume() {
    let mut root = samples::root();
    (root.attributes.primary, root.attributes.secondary) = (1000, 100);
    // Two extents on the first volume, none on the second, one on the third and four on the fourth.
    root.extents = 7;
    root.further_extents = vec![0, 1, 4];
    root.high_allocated = 1100 + 1000 + 1300;
    let volumes: Vec<_> = (0..5).map(|volume| root.on_volume(volume)).collect();
    assert_eq!(volumes, [(2, 1100), (0, 0), (1, 1000), (4, 1300), (0, 0)]);
}

#[test]
fn the_version_is_read_without_the_rest() {
    let mut bytes = root_bytes();
    assert_eq!(Root::version_hint(&bytes[..4096]), Ok(0x1112_1314));
    bytes[0] = b'X';
    assert_eq!(Root::version_hint(&bytes), Err(FormatError::Magic { what: "root" }));
}

#[test]
fn the_head_of_a_root_of_no_order_or_format() {
    let with = |at: usize, change: &[u8]| {
        let mut bytes = root_bytes();
        bytes[at..at + change.len()].copy_from_slice(change);
        match Root::encoded_len_hint(&bytes) {
            Err(FormatError::Field { field, value, .. }) => (field, value),
            other => panic!("{change:02X?} at {at} was read as {other:?}"),
        }
    };
    assert_eq!(with(8, &[9, 9, 9, 9]), ("byte order mark", 0x0909_0909));
    assert_eq!(with(12, &[0, 0]), ("format version", 0));
}

#[test]
fn a_root_lists_58_further_volumes() {
    let root = |volumes: usize| Root {
        further_extents: (1..=volumes as u16).collect(),
        ..samples::root()
    };
    let bytes = root(58).encode().expect("it has room");
    assert_eq!(Root::decode(&bytes), Ok(root(58)));
    assert_eq!(refused_field(&root(59)), "number of further volumes");
    let refused = resealed(92, &[59]);
    assert!(
        matches!(
            refused,
            Err(FormatError::Field {
                field: "number of further volumes",
                value: 59,
                ..
            })
        ),
        "{refused:?}"
    );
}

/// Two table blocks leave of the 4,096 bytes behind the fixed part room for 512 + 1,020 free regions.
#[test]
fn free_regions_that_are_said_to_be_are_within_the_root() {
    let regions = |count: u32| resealed(84, &count.to_le_bytes()).map(|root| root.free_regions.len());
    assert_eq!(regions(512 + 1020), Ok(1532));
    let refused = regions(512 + 1021);
    assert!(
        matches!(
            refused,
            Err(FormatError::Field {
                field: "number of free regions",
                value: 1533,
                ..
            })
        ),
        "{refused:?}"
    );
}

/// The field because of which the root cannot be written.
fn refused_field(root: &Root) -> &'static str {
    match root.encode() {
        Err(FormatError::Field { field, .. }) => field,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn values_no_root_can_have() {
    let with = |change: fn(&mut Root)| {
        let mut root = samples::root();
        change(&mut root);
        refused_field(&root)
    };
    assert_eq!(with(|r| r.free_regions = vec![0; 15_000]), "number of free regions");
    assert_eq!(with(|r| r.log.path = "p".repeat(256)), "log file name");
    assert_eq!(with(|r| r.attributes.cluster_name = "N".repeat(45)), "cluster name");
    assert_eq!(with(|r| r.attributes.component_name = "A\0B".into()), "component name");
    assert_eq!(with(|r| r.attributes.volume = "VOLUME1".into()), "volume");
    assert_eq!(with(|r| r.attributes.key_length = 256), "key length");
    assert_eq!(with(|r| r.attributes.key_length = 0), "key length");
    assert_eq!(with(|r| r.attributes.ci_per_ca = 0), "CIs per CA");
    assert_eq!(with(|r| r.attributes.free_ci = 101), "free space");
    assert_eq!(with(|r| r.attributes.free_ca = 101), "free space");
    assert_eq!(with(|r| r.attributes.share_region = 0), "cross-region share option");
    assert_eq!(with(|r| r.attributes.share_system = 2), "cross-system share option");
}

#[test]
fn the_sizes_of_a_ci() {
    let sizes: Vec<u32> = (0..40_000)
        .filter(|&ci_size| {
            let attributes = Attributes {
                ci_size,
                ..samples::attributes()
            };
            Root {
                attributes,
                ..samples::root()
            }
            .encode()
            .is_ok()
        })
        .collect();
    let expected: Vec<u32> = (512..=8192)
        .step_by(512)
        .chain((10_240..=32_768).step_by(2048))
        .collect();
    assert_eq!(sizes, expected);
}

#[test]
fn every_kind_of_component() {
    for organization in [
        Organization::Ksds,
        Organization::Esds,
        Organization::Rrds,
        Organization::Vrrds,
        Organization::Lds,
    ] {
        for part in [Part::Data, Part::Index] {
            let key_length = u16::from(organization == Organization::Ksds);
            let attributes = Attributes {
                organization,
                key_length,
                ..samples::attributes()
            };
            let root = Root {
                part,
                attributes,
                ..samples::root()
            };
            let bytes = root.encode().expect("it can be written");
            assert_eq!(Root::decode(&bytes), Ok(root));
        }
    }
}

#[test]
fn every_attribute_that_is_on_or_off() {
    let flags: [fn(&mut Attributes) -> &mut bool; 6] = [
        |a| &mut a.spanned,
        |a| &mut a.reuse,
        |a| &mut a.speed,
        |a| &mut a.erase,
        |a| &mut a.write_check,
        |a| &mut a.reclaim,
    ];
    for flag in flags {
        let mut root = samples::root();
        for other in flags {
            *other(&mut root.attributes) = false;
        }
        *flag(&mut root.attributes) = true;
        let bytes = root.encode().expect("it can be written");
        assert_eq!(Root::decode(&bytes), Ok(root));
    }
}

/// The root with these bytes changed and its checksum made good again.
fn resealed(at: usize, change: &[u8]) -> Result<Root, FormatError> {
    let mut bytes = root_bytes();
    bytes[at..at + change.len()].copy_from_slice(change);
    bytes[20..24].fill(0);
    let checksum = crc32c(&bytes);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    Root::decode(&bytes)
}

#[test]
fn values_that_no_encode_wrote_are_refused_whatever_the_checksum_says() {
    assert_eq!(resealed(0, b"C"), Ok(samples::root()));
    for (at, change) in [
        (28, &[0u8][..]), // component kind
        (28, &[3]),
        (84, &[0, 0, 1, 0]), // 65,536 free regions
        (88, &[1, 2, 0, 0]), // 513 tables in a block for 512
        (272, b"\xFF"),      // log file name
        (272 + 254, b"x"),   // after its zeros
        (768, b"\xC3\x28"),  // cluster name
        (768 + 94, &[0]),    // organization
        (768 + 94, &[6]),
        (768 + 95, &[0x80]),        // flags
        (768 + 108, &[1, 0, 0, 0]), // CI size
        (768 + 118, &[0, 0]),       // CIs per CA
    ] {
        let refused = resealed(at, change);
        assert!(
            matches!(refused, Err(FormatError::Field { .. })),
            "{change:02X?} at {at} was read as {refused:?}"
        );
    }
}

#[test]
fn messages_say_what_where_and_what_to_do() {
    let message = Root::decode(&root_bytes()[..5000]).expect_err("cut short").to_string();
    assert_eq!(
        message,
        "root: 12288 bytes are needed but only 5000 are there; the file may have been cut short"
    );
    let message = resealed(768 + 118, &[0, 0]).expect_err("no CIs").to_string();
    assert_eq!(
        message,
        "attributes in the root: CIs per CA is 0 (X'0') but must be at least 1"
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(
        bytes in vec(any::<u8>(), 0..300),
        start in 0usize..4,
        ci_per_ca in 0usize..2000,
    ) {
        let magic: &[u8] = [&b""[..], b"CiCA", b"CiTB", b"CICAROOT\x04\x03\x02\x01\x01\0\0\0\0\x20\0\0"][start];
        let block = [magic, &bytes, &[0; 8192]].concat();
        for bytes in [&bytes, &block] {
            let _ = (CaHeader::decode(bytes, ci_per_ca), TableBlock::decode(bytes), Root::decode(bytes));
            let _ = (Root::encoded_len_hint(bytes), Root::checksum_of(bytes));
        }
    }

    #[test]
    fn a_good_checksum_over_any_bytes_is_read_without_panic(
        at in 24usize..8000,
        change in vec(any::<u8>(), 1..64),
    ) {
        let _ = resealed(at, &change);
    }
}
