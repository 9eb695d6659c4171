//! Whole definitions: real listings, the 1979 study, and what must be refused.

use cica_catalog::check::{self, DefineError};
use cica_catalog::cisize;
use cica_catalog::entry::{Keys, Log, Organization, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::geometry::Device;
use cica_catalog::plan::{plan, Wish};
use cica_catalog::space::{Space, Unit};

/// A KSDS of 80-byte records, key of 8 bytes at the start, one cylinder.
fn wish() -> Wish {
    Wish {
        organization: Organization::Ksds,
        keys: Some(Keys { length: 8, offset: 0 }),
        record_size: RecordSize {
            average: 80,
            maximum: 80,
        },
        spanned: false,
        compressed: false,
        ci_size: None,
        index_ci_size: None,
        space: Space {
            unit: Unit::Cylinders,
            primary: 1,
            secondary: 1,
        },
        index_space: None,
        free_space: FreeSpace::default(),
        buffer_space: None,
        imbed: false,
        device: Device::default_type(),
    }
}

fn refused(wish: Wish) -> DefineError {
    plan(&wish).expect_err("must be refused")
}

#[test]
fn a_definition_of_a_real_system_comes_out_as_its_listcat_says() {
    let got = plan(&Wish {
        keys: Some(Keys { length: 11, offset: 0 }),
        record_size: RecordSize {
            average: 300,
            maximum: 300,
        },
        space: Space {
            unit: Unit::Cylinders,
            primary: 1,
            secondary: 5,
        },
        ..wish()
    })
    .expect("valid");
    assert_eq!(
        (
            got.data.ci_size,
            got.data.allocation.ci_per_ca,
            got.data.allocation.tracks_per_ca
        ),
        (18_432, 45, 15)
    );
    assert_eq!((got.data.physical.size, got.data.physical.per_track), (18_432, 3));
    assert_eq!(got.buffer_space, 37_376);
    let index = got.index.expect("a KSDS has an index");
    assert_eq!(
        (
            index.ci_size,
            index.allocation.ci_per_ca,
            index.allocation.tracks_per_ca
        ),
        (512, 49, 1)
    );
    assert_eq!((index.physical.size, index.physical.per_track), (512, 49));
    assert_eq!(
        index.space,
        Space {
            unit: Unit::Tracks,
            primary: 1,
            secondary: 1
        }
    );
}

#[test]
fn the_study_of_1979_comes_out_as_it_was() {
    let got = plan(&Wish {
        keys: Some(Keys { length: 8, offset: 1 }),
        record_size: RecordSize {
            average: 200,
            maximum: 200,
        },
        ci_size: Some(2_048),
        space: Space {
            unit: Unit::Cylinders,
            primary: 117,
            secondary: 1,
        },
        free_space: FreeSpace { ci: 20, ca: 6 },
        imbed: true,
        device: Device::by_name("3330-1").expect("3330-1"),
        ..wish()
    })
    .expect("valid");
    assert_eq!(got.data.allocation.ci_per_ca, 108);
    let loaded = got.loaded.expect("records");
    assert_eq!((loaded.loaded_per_ci, loaded.records_per_ci), (8, 10));
    assert_eq!((loaded.loaded_cis, loaded.free_cis), (102, 6));
    assert_eq!(loaded.free_slots(), 264, "free records in a cylinder");
    assert!(
        loaded.areas_for(86_763) <= 117,
        "86763 records fit in the 117 cylinders"
    );
    let index = got.index.expect("an index");
    let cis = u64::from(index.physical.per_track) * index.allocation.primary_tracks;
    assert!(
        cis > 117,
        "the sequence set of 117 control areas lies in the index's first extent"
    );
}

#[test]
fn free_space_is_rounded_down_but_something_is_always_loaded() {
    let full = FreeSpace { ci: 100, ca: 100 }.load(4_096, 180, 80);
    assert_eq!((full.loaded_per_ci, full.loaded_cis, full.free_cis), (1, 1, 179));
    assert_eq!(FreeSpace { ci: 20, ca: 0 }.load(4_096, 180, 80).free_bytes, 819);
    let none = FreeSpace { ci: 0, ca: 0 }.load(4_096, 180, 80);
    assert_eq!((none.loaded_per_ci, none.free_slots()), (51, 0));
    assert_eq!(FreeSpace { ci: 0, ca: 1 }.load(4_096, 45, 80).free_cis, 0);
}

#[test]
fn one_record_of_the_largest_size_fits_exactly() {
    assert!(cisize::holds(4_096, 4_089));
    assert!(!cisize::holds(4_096, 4_090));
    assert_eq!(cisize::records_in(4_096, Organization::Ksds, 4_089), 1);
    assert_eq!(cisize::records_in(4_096, Organization::Ksds, 4_090), 0);
    assert_eq!(
        cisize::records_in(4_096, Organization::Rrds, 93),
        42,
        "each slot has an RDF of three bytes"
    );
}

#[test]
fn ci_sizes_are_rounded_up_to_valid_ones() {
    let ksds = |given| cisize::round_up(given, Organization::Ksds);
    for (given, size) in [
        (1, 512),
        (2_050, 2_560),
        (8_192, 8_192),
        (8_193, 10_240),
        (32_767, 32_768),
    ] {
        assert_eq!(ksds(given), Some(size));
    }
    assert_eq!((ksds(0), ksds(32_769)), (None, None));
    for (given, size) in [(512, 4_096), (4_097, 8_192), (10_240, 12_288)] {
        assert_eq!(cisize::round_up(given, Organization::Lds), Some(size));
    }
    let got = plan(&Wish {
        ci_size: Some(2_050),
        ..wish()
    })
    .expect("valid");
    assert_eq!(got.data.ci_size, 2_560);
    assert!(
        got.notes.iter().any(|n| n.contains("2050 is rounded up")),
        "{:?}",
        got.notes
    );
}

#[test]
fn the_default_data_ci_size_holds_the_longest_record() {
    let size = |maximum| {
        plan(&Wish {
            record_size: RecordSize { average: 80, maximum },
            ..wish()
        })
        .map(|p| p.data.ci_size)
    };
    assert_eq!(size(4_089), Ok(4_096));
    assert_eq!(size(20_000), Ok(20_480));
    assert_eq!(size(32_761), Ok(32_768));
    assert!(matches!(
        size(32_762),
        Err(DefineError::RecordTooLong { least: None, .. })
    ));
}

#[test]
fn buffer_space_bounds_the_default_ci_size() {
    let got = plan(&Wish {
        buffer_space: Some(9_000),
        ..wish()
    })
    .expect("valid");
    assert!(2 * got.data.ci_size + got.index.expect("index").ci_size <= 9_000);
    assert_eq!(got.buffer_space, 9_000);
    let DefineError::BufferSpace { given: 600, needed } = refused(Wish {
        buffer_space: Some(600),
        ..wish()
    }) else {
        panic!("600 bytes are too few");
    };
    assert!(
        plan(&Wish {
            buffer_space: Some(needed),
            ..wish()
        })
        .is_ok(),
        "what the message asks for is enough"
    );
    assert!(
        plan(&Wish {
            buffer_space: Some(needed - 1),
            ..wish()
        })
        .is_err(),
        "and nothing less is"
    );
    let given = refused(Wish {
        ci_size: Some(4_096),
        buffer_space: Some(8_192),
        ..wish()
    });
    assert!(matches!(given, DefineError::BufferSpace { given: 8_192, .. }));
    let most = refused(Wish {
        buffer_space: Some(16_776_705),
        ..wish()
    });
    assert!(matches!(
        most,
        DefineError::Range {
            keyword: "BUFFERSPACE",
            ..
        }
    ));
}

#[test]
fn the_index_ci_holds_an_entry_for_each_data_ci() {
    let (choice, room) = cisize::index(45, 11, None);
    assert_eq!((choice.size, room), (512, 45));
    let (small, _) = cisize::index(180, 20, Some(512));
    assert!(
        small.size > 512 && small.why.contains("raised from 512"),
        "{}",
        small.why
    );
    assert_eq!(
        cisize::index(45, 11, Some(4_096)).0.size,
        4_096,
        "what was said is kept when it is large enough"
    );
}

#[test]
fn an_index_record_that_cannot_hold_all_makes_the_control_area_smaller() {
    let (choice, room) = cisize::index(960, 255, None);
    assert_eq!(choice.size, cisize::MAX_CI);
    assert!(cisize::index_bytes(room, 255) <= choice.size && cisize::index_bytes(room + 1, 255) > choice.size);
    let got = plan(&Wish {
        keys: Some(Keys { length: 255, offset: 0 }),
        record_size: RecordSize {
            average: 300,
            maximum: 300,
        },
        ci_size: Some(512),
        device: Device::by_name("FBA").expect("FBA"),
        ..wish()
    })
    .expect("valid");
    assert_eq!(got.data.allocation.ci_per_ca, room);
}

#[test]
fn the_index_has_room_for_the_sequence_sets_of_all_extents() {
    let got = plan(&Wish {
        space: Space {
            unit: Unit::Cylinders,
            primary: 1_000,
            secondary: 100,
        },
        ..wish()
    });
    let index = got.expect("valid").index.expect("index");
    let cis = index.allocation.primary_cas() * u64::from(index.allocation.ci_per_ca);
    assert!(
        cis > 1_000,
        "1000 sequence set records and the levels above them: {cis}"
    );
}

#[test]
fn records_and_keys_that_contradict_each_other_are_refused() {
    let sizes = |average, maximum| Wish {
        record_size: RecordSize { average, maximum },
        ..wish()
    };
    assert!(matches!(refused(sizes(100, 80)), DefineError::AverageRecord(_)));
    assert!(matches!(refused(sizes(0, 80)), DefineError::Range { .. }));
    assert!(matches!(refused(sizes(0, 0)), DefineError::Range { .. }));
    assert_eq!(refused(Wish { keys: None, ..wish() }), DefineError::NoKey);
    let key = |length, offset| Wish {
        keys: Some(Keys { length, offset }),
        ..wish()
    };
    assert!(plan(&key(8, 72)).is_ok());
    assert!(matches!(
        refused(key(8, 73)),
        DefineError::KeyBeyondRecord { record: 80, .. }
    ));
    assert!(matches!(refused(key(8, u32::MAX)), DefineError::KeyBeyondRecord { .. }));
    assert!(matches!(refused(key(0, 0)), DefineError::Range { given: 0, .. }));
    assert!(matches!(refused(key(256, 0)), DefineError::Range { given: 256, .. }));
}

#[test]
fn a_key_beyond_the_average_record_is_noted() {
    let got = plan(&Wish {
        keys: Some(Keys { length: 8, offset: 60 }),
        record_size: RecordSize {
            average: 40,
            maximum: 80,
        },
        ..wish()
    });
    assert!(got
        .expect("valid")
        .notes
        .iter()
        .any(|n| n.contains("beyond the average record")));
}

#[test]
fn a_record_larger_than_its_ci_needs_spanned() {
    let large = Wish {
        record_size: RecordSize {
            average: 5_000,
            maximum: 5_000,
        },
        ci_size: Some(4_096),
        ..wish()
    };
    let error = refused(large);
    assert_eq!(
        error,
        DefineError::RecordTooLong {
            record: 5_000,
            more: 0,
            may_span: true,
            ci_size: 4_096,
            least: Some(5_120)
        }
    );
    assert!(error.to_string().contains("CONTROLINTERVALSIZE(5120)"), "{error}");
    assert!(plan(&Wish { spanned: true, ..large }).is_ok());
}

/// The words have the length that was given, and no way out that is none: records of a VRRDS do not span.
#[test]
fn a_record_that_does_not_fit_is_told_by_the_length_that_was_given() {
    let words = |organization, compressed, maximum, ci_size| {
        let (average, keys) = (
            10,
            (organization == Organization::Ksds).then_some(wish().keys).flatten(),
        );
        refused(Wish {
            organization,
            keys,
            compressed,
            record_size: RecordSize { average, maximum },
            ci_size,
            ..wish()
        })
        .to_string()
    };
    let vrrds = words(Organization::Vrrds, false, 1018, Some(1024));
    assert_eq!(
        vrrds,
        "a record of 1018 bytes, which takes 4 more where it is stored, does not fit in a control interval of 1024 \
         bytes, which holds at most 1013; give CONTROLINTERVALSIZE(1536) or more, or leave it out"
    );
    let ksds = words(Organization::Ksds, true, 1017, Some(1024));
    assert!(
        ksds.starts_with("a record of 1017 bytes, which takes 1 more "),
        "{ksds}"
    );
    assert!(ksds.ends_with("leave it out, or specify SPANNED"), "{ksds}");
    for (organization, out) in [
        (Organization::Vrrds, "; give a smaller maximum in RECORDSIZE"),
        (
            Organization::Esds,
            "; specify SPANNED, or a smaller maximum in RECORDSIZE",
        ),
    ] {
        let words = words(organization, false, 40_000, None);
        assert!(
            words.starts_with("a record of 40000 bytes") && words.ends_with(out),
            "{words}"
        );
    }
}

#[test]
fn a_ci_holds_a_record_of_average_length_though_records_may_span() {
    let spanned = |average, maximum, buffer_space| {
        let got = plan(&Wish {
            record_size: RecordSize { average, maximum },
            spanned: true,
            buffer_space,
            ..wish()
        });
        got.expect("valid").data.ci_size
    };
    assert_eq!(spanned(4_086, 32_600, None), 4_096);
    for average in [100, 505, 506, 1_609, 4_089, 4_090, 12_000, 32_761] {
        let size = spanned(average, 100_000, None);
        assert!(average + 7 <= size, "{average} bytes in CIs of {size}");
    }
    // No size holds them all, or the buffers are too small for one that does: then the largest there may be.
    assert_eq!(spanned(32_762, 100_000, None), 32_768);
    assert_eq!(spanned(4_086, 32_600, Some(6_144)), 1_536);
}

#[test]
fn a_spanned_record_lies_in_one_area_and_its_key_in_one_segment() {
    let large = Wish {
        record_size: RecordSize {
            average: 5_000,
            maximum: 12 * 4_086,
        },
        ci_size: Some(4_096),
        spanned: true,
        space: Space {
            unit: Unit::Tracks,
            primary: 1,
            secondary: 1,
        },
        ..wish()
    };
    assert!(plan(&large).is_ok());
    let larger = RecordSize {
        average: 5_000,
        maximum: 12 * 4_086 + 1,
    };
    let beyond = refused(Wish {
        record_size: larger,
        ..large
    });
    assert_eq!(
        beyond,
        DefineError::RecordBeyondArea {
            record: 49_033,
            area: 49_032
        }
    );
    let key = |offset| Wish {
        keys: Some(Keys { length: 8, offset }),
        ..large
    };
    assert!(plan(&key(4_078)).is_ok());
    assert!(matches!(
        refused(key(4_079)),
        DefineError::KeyBeyondSegment { segment: 4_086, .. }
    ));
}

#[test]
fn other_organizations_have_their_own_rules() {
    let of = |organization| Wish {
        organization,
        keys: None,
        ..wish()
    };
    for organization in [
        Organization::Esds,
        Organization::Rrds,
        Organization::Vrrds,
        Organization::Lds,
    ] {
        let got = plan(&of(organization)).expect("valid");
        assert_eq!(got.index.is_some(), organization == Organization::Vrrds);
        let keyed = refused(Wish { organization, ..wish() });
        assert!(matches!(keyed, DefineError::NotFor { keyword: "KEYS", .. }), "{keyed}");
    }
    let varying = RecordSize {
        average: 80,
        maximum: 100,
    };
    assert!(matches!(
        refused(Wish {
            record_size: varying,
            ..of(Organization::Rrds)
        }),
        DefineError::SlotLength(_)
    ));
    assert!(plan(&Wish {
        record_size: varying,
        ..of(Organization::Vrrds)
    })
    .is_ok());
    for organization in [Organization::Rrds, Organization::Vrrds, Organization::Lds] {
        let spanned = refused(Wish {
            spanned: true,
            ..of(organization)
        });
        assert!(
            matches!(spanned, DefineError::NotFor { keyword: "SPANNED", .. }),
            "{spanned}"
        );
    }
    assert_eq!(plan(&of(Organization::Lds)).expect("valid").data.ci_size, 4_096);
}

#[test]
fn options_outside_their_limits_are_refused() {
    assert!(matches!(
        refused(Wish {
            free_space: FreeSpace { ci: 101, ca: 0 },
            ..wish()
        }),
        DefineError::Range { .. }
    ));
    assert!(matches!(
        refused(Wish {
            ci_size: Some(32_769),
            ..wish()
        }),
        DefineError::Range { .. }
    ));
    assert!(matches!(
        refused(Wish {
            ci_size: Some(0),
            ..wish()
        }),
        DefineError::Range { .. }
    ));
    assert!(matches!(
        refused(Wish {
            index_ci_size: Some(40_000),
            ..wish()
        }),
        DefineError::Range { .. }
    ));
    let nothing = Space {
        unit: Unit::Tracks,
        primary: 0,
        secondary: 0,
    };
    assert!(matches!(
        refused(Wish {
            space: nothing,
            ..wish()
        }),
        DefineError::Space(_)
    ));
    for (region, system, valid) in [(1, 3, true), (4, 4, true), (0, 3, false), (5, 3, false), (2, 2, false)] {
        assert_eq!(check::share_options(ShareOptions { region, system }).is_ok(), valid);
    }
    assert!(check::log(Organization::Ksds, Some(Log::All), Some("PAY.STREAM")).is_ok());
    assert_eq!(
        check::log(Organization::Ksds, Some(Log::All), None),
        Err(DefineError::NoLogStream)
    );
    assert!(check::log(Organization::Lds, Some(Log::Undo), None).is_err());
}

#[test]
fn any_valid_wish_gives_a_plan_whose_numbers_agree() {
    for device in &cica_catalog::geometry::DEVICES {
        for ci_size in cisize::sizes(Organization::Ksds) {
            for tracks in [1, 4, 40] {
                let space = Space {
                    unit: Unit::Tracks,
                    primary: tracks,
                    secondary: tracks,
                };
                let got = plan(&Wish {
                    ci_size: Some(ci_size),
                    space,
                    device,
                    ..wish()
                })
                .expect("valid");
                let data = &got.data.allocation;
                assert!(data.ci_per_ca > 0 && data.primary_tracks >= tracks);
                assert_eq!(data.primary_tracks % u64::from(data.tracks_per_ca), 0);
                let index = got.index.expect("index");
                assert!(cisize::index_bytes(data.ci_per_ca, 8) <= index.ci_size);
            }
        }
    }
}
