//! Control areas and extents from space parameters: the examples of the manuals.

use cica_catalog::geometry::Device;
use cica_catalog::space::{allocate, Allocation, RecordCount, Space, SpaceError, Unit, MAX_EXTENTS};

fn try_space(unit: Unit, amounts: (u64, u64), ci_size: u32, imbed: bool, name: &str) -> Result<Allocation, SpaceError> {
    let records = RecordCount {
        length: 200,
        per_ci: (ci_size - 10) / 200,
    };
    let device = Device::by_name(name).expect(name);
    allocate(
        Space {
            unit,
            primary: amounts.0,
            secondary: amounts.1,
        },
        ci_size,
        records,
        imbed,
        device,
    )
}

fn space(unit: Unit, amounts: (u64, u64), ci_size: u32, name: &str) -> (u32, u64, u64) {
    let got = try_space(unit, amounts, ci_size, false, name).expect("valid space");
    (got.tracks_per_ca, got.primary_tracks, got.secondary_tracks)
}

#[test]
fn the_smaller_amount_is_the_control_area_up_to_a_cylinder() {
    assert_eq!(space(Unit::Cylinders, (5, 10), 4_096, "3390"), (15, 75, 150));
    assert_eq!(space(Unit::Kilobytes, (100, 50), 18_432, "3390"), (1, 2, 1));
    assert_eq!(space(Unit::Tracks, (100, 3), 4_096, "3390"), (3, 102, 3));
    assert_eq!(space(Unit::Tracks, (3, 100), 4_096, "3390"), (3, 3, 102));
    assert_eq!(space(Unit::Records, (2_000, 5), 4_096, "3390").0, 1);
    assert_eq!(space(Unit::Tracks, (100, 100), 4_096, "3390"), (15, 105, 105));
}

#[test]
fn without_secondary_the_primary_decides() {
    assert_eq!(space(Unit::Tracks, (7, 0), 4_096, "3390"), (7, 7, 0));
    assert_eq!(space(Unit::Cylinders, (3, 0), 4_096, "3350"), (30, 90, 0));
}

#[test]
fn control_areas_on_a_3390_divide_an_allocation_unit() {
    assert_eq!(space(Unit::Tracks, (16, 4), 4_096, "3390"), (5, 20, 5));
    for (asked, given) in [(1, 1), (2, 3), (6, 7), (8, 9), (10, 15), (14, 15)] {
        assert_eq!(space(Unit::Tracks, (asked, asked), 4_096, "3390").0, given);
    }
}

#[test]
fn older_devices_take_any_number_of_tracks() {
    assert_eq!(space(Unit::Tracks, (16, 4), 4_096, "3350"), (4, 16, 4));
    assert_eq!(space(Unit::Tracks, (11, 40), 4_096, "3330-1"), (11, 11, 44));
}

#[test]
fn records_kilobytes_and_megabytes_are_rounded_up_to_tracks() {
    // 10 records of 200 bytes in a CI of 2048, 21 CIs on a track.
    assert_eq!(space(Unit::Records, (210, 210), 2_048, "3390"), (1, 1, 1));
    assert_eq!(
        space(Unit::Records, (211, 211), 2_048, "3390"),
        (3, 3, 3),
        "two tracks are raised to three"
    );
    assert_eq!(
        space(Unit::Records, (211, 211), 2_048, "3350"),
        (3, 3, 3),
        "22 CIs at 8 on a track"
    );
    assert_eq!(
        space(Unit::Megabytes, (1, 1), 4_096, "3330-1"),
        (19, 95, 95),
        "256 CIs at 3 on a track are 86 tracks"
    );
}

#[test]
fn spanned_records_are_counted_in_segments() {
    let device = Device::by_name("3390").expect("3390");
    let records = RecordCount {
        length: 10_000,
        per_ci: 0,
    };
    let wish = Space {
        unit: Unit::Records,
        primary: 12,
        secondary: 0,
    };
    let got = allocate(wish, 4_096, records, false, device).expect("valid space");
    assert_eq!(got.primary_tracks, 3, "12 records of three CIs, 12 CIs on a track");
}

#[test]
fn imbed_takes_a_track_of_each_control_area() {
    let study = try_space(Unit::Cylinders, (117, 1), 2_048, true, "3330-1").expect("valid space");
    assert_eq!((study.tracks_per_ca, study.ci_per_ca), (19, 108), "18 tracks of 6 CIs");
    let least = try_space(Unit::Tracks, (1, 1), 2_048, true, "3330-1").expect("valid space");
    assert_eq!((least.tracks_per_ca, least.ci_per_ca), (2, 6));
}

#[test]
fn a_control_area_holds_at_least_one_ci() {
    let got = try_space(Unit::Tracks, (1, 1), 32_768, false, "3330-1").expect("valid space");
    assert_eq!((got.tracks_per_ca, got.ci_per_ca, got.primary_tracks), (3, 1, 3));
}

#[test]
fn cis_in_a_cylinder_are_those_of_real_listings() {
    for (ci_size, cis) in [(18_432, 45), (4_096, 180), (26_624, 30), (512, 735), (32_768, 22)] {
        let got = try_space(Unit::Cylinders, (1, 1), ci_size, false, "3390").expect("valid space");
        assert_eq!(got.ci_per_ca, cis, "{ci_size}");
    }
}

#[test]
fn extents_are_one_primary_and_then_secondaries() {
    let got = try_space(Unit::Cylinders, (5, 2), 4_096, false, "3390").expect("valid space");
    let extents: Vec<u64> = [0, 1, 2, MAX_EXTENTS, MAX_EXTENTS + 1]
        .map(|n| got.extent_tracks(n))
        .to_vec();
    assert_eq!(extents, [0, 75, 30, 30, 0]);
    assert_eq!((got.primary_cas(), got.secondary_cas()), (5, 2));
}

#[test]
fn impossible_space_is_refused() {
    assert_eq!(
        try_space(Unit::Tracks, (0, 5), 4_096, false, "3390"),
        Err(SpaceError::NoPrimary)
    );
    let limit = 404;
    assert!(try_space(Unit::Cylinders, (limit, 0), 4_096, false, "3330-1").is_ok());
    let more = try_space(Unit::Cylinders, (limit + 1, 0), 4_096, false, "3330-1");
    assert_eq!(
        more,
        Err(SpaceError::TooLarge {
            cylinders: 405,
            device: "3330-1",
            limit: 404
        })
    );
    for unit in [
        Unit::Cylinders,
        Unit::Tracks,
        Unit::Records,
        Unit::Kilobytes,
        Unit::Megabytes,
    ] {
        let huge = try_space(unit, (u64::MAX, u64::MAX), 4_096, false, "3390");
        assert!(matches!(huge, Err(SpaceError::TooLarge { .. })), "{unit:?}");
    }
    let odd = try_space(Unit::Tracks, (1, 0), 700, false, "3390");
    assert_eq!(
        odd,
        Err(SpaceError::CiSize {
            ci_size: 700,
            device: "3390"
        })
    );
}
