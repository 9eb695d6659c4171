//! Tracks: figures from the devices' reference manuals and from listings of real systems.

use cica_catalog::geometry::{Device, DEVICES};

fn device(name: &str) -> &'static Device {
    Device::by_name(name).expect(name)
}

#[test]
fn records_per_track_are_those_of_the_manuals() {
    let known = [
        ("3390", 512, 49),
        ("3390", 1_024, 33),
        ("3390", 2_048, 21),
        ("3390", 4_096, 12),
        ("3390", 8_192, 6),
        ("3390", 18_432, 3),
        ("3390", 26_624, 2),
        ("3390", 27_998, 2),
        ("3390", 27_999, 1),
        ("3390", 56_664, 1),
        ("3390", 56_665, 0),
        ("3380", 4_096, 10),
        ("3380", 23_476, 2),
        ("3380", 23_477, 1),
        ("3380", 47_476, 1),
        ("3380", 47_477, 0),
        ("3375", 35_616, 1),
        ("3375", 35_617, 0),
        ("9345", 22_928, 2),
        ("9345", 46_456, 1),
        ("9345", 46_457, 0),
        ("3350", 4_096, 4),
        ("3350", 19_069, 1),
        ("3350", 19_070, 0),
        ("3340", 8_368, 1),
        ("3340", 8_369, 0),
        ("3330-1", 512, 20),
        ("3330-1", 2_048, 6),
        ("3330-1", 4_096, 3),
        ("3330-1", 12_288, 1),
        ("3330-1", 13_030, 1),
        ("3330-1", 13_031, 0),
        ("FBA", 512, 64),
        ("FBA", 4_096, 8),
    ];
    for (name, length, records) in known {
        assert_eq!(
            device(name).records_per_track(length),
            records,
            "{length} bytes on a {name}"
        );
    }
}

#[test]
fn cylinders_and_codes() {
    for (name, tracks, code) in [
        ("3330-1", 19, 0x3050_2009),
        ("3330-11", 19, 0x3050_200D),
        ("3350", 30, 0x3050_200B),
        ("3380-K", 15, 0x3010_200E),
        ("3390", 15, 0x3010_200F),
    ] {
        assert_eq!(
            (device(name).tracks_per_cylinder(), device(name).code()),
            (tracks, code),
            "{name}"
        );
    }
    assert_eq!(device("3390-3").cylinders(), 3_339);
    assert_eq!(Device::default_type().name(), "3390");
}

#[test]
fn names_are_found_in_any_case_and_only_if_they_exist() {
    assert_eq!(Device::by_name("3390-a").map(Device::name), Some("3390"));
    assert_eq!(Device::by_name("3330").map(Device::name), Some("3330-1"));
    assert!(Device::by_name("3391").is_none());
    assert!(Device::by_name("").is_none());
}

#[test]
fn the_physical_record_uses_the_track_best() {
    let known = [
        // CI size, physical record, on a track, in a CI
        ("3390", 512, (512, 49, 1)),
        ("3390", 4_096, (4_096, 12, 1)),
        ("3390", 16_384, (16_384, 3, 1)),
        ("3390", 18_432, (18_432, 3, 1)),
        ("3390", 26_624, (26_624, 2, 1)),
        ("3390", 30_720, (10_240, 5, 3)),
        ("3390", 32_768, (16_384, 3, 2)),
        ("3330-1", 4_096, (4_096, 3, 1)),
        // In blocks as VSAM had them then: no record fills the track.
        ("3330-1", 12_288, (4_096, 3, 3)),
        ("3330-1", 6_144, (2_048, 6, 3)),
        ("3350", 18_432, (2_048, 8, 9)),
        ("3340", 10_240, (1_024, 7, 10)),
        ("3380", 18_432, (6_144, 7, 3)),
        ("3330-1", 16_384, (4_096, 3, 4)),
    ];
    for (name, ci_size, expected) in known {
        let record = device(name).physical_record(ci_size).expect("a multiple of 512");
        assert_eq!(
            (record.size, record.per_track, record.per_ci),
            expected,
            "{ci_size} on a {name}"
        );
    }
}

#[test]
fn only_multiples_of_512_have_physical_records() {
    for ci_size in [0, 1, 511, 513, 4_095] {
        assert_eq!(device("3390").physical_record(ci_size), None);
    }
}

#[test]
fn every_ci_size_fits_every_device_and_tracks_never_hold_more_than_they_have() {
    for device in &DEVICES {
        for ci_size in (512..=32_768).step_by(512) {
            let record = device.physical_record(ci_size).expect("a multiple of 512");
            assert!(record.per_track > 0, "{ci_size} on a {device}");
            assert_eq!(record.size * record.per_ci, ci_size);
            assert!(!device.has_few_sizes() || [512, 1024, 2048, 4096].contains(&record.size));
            let tracks = record.tracks_for(7);
            assert!(u64::from(record.cis_in(tracks as u32)) >= 7);
            assert!(u64::from(record.cis_in(tracks as u32 - 1)) < 7);
        }
        assert_eq!(device.records_per_track(u32::MAX), 0);
    }
}
