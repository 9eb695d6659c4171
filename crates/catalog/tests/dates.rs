//! Days: how they are read, counted and written.

use cica_catalog::Date;

fn day(text: &str) -> Date {
    Date::parse(text).expect(text)
}

#[test]
fn dates_are_written_as_listcat_writes_them() {
    assert_eq!(day("2022242").to_string(), "2022.242");
    assert_eq!(day("2022.007").to_string(), "2022.007");
    assert_eq!(day("2022/007"), day("2022007"));
    assert_eq!(day("99365").to_string(), "1999.365");
}

#[test]
fn texts_that_are_no_days_are_refused() {
    for text in [
        "",
        "2022",
        "2022366",
        "2022000",
        "1899001",
        "2156001",
        "20220101",
        "2022-01",
        "20.22001",
        "+022001",
        "\u{663}9365",
    ] {
        assert_eq!(Date::parse(text), None, "{text}");
    }
    assert!(Date::parse("2024366").is_some(), "a leap year");
    assert!(Date::parse("2100366").is_none(), "none");
    assert!(Date::parse("2000366").is_some(), "one all the same");
}

#[test]
fn days_are_counted_over_years() {
    assert_eq!(day("2023365").plus_days(1), day("2024001"));
    assert_eq!(day("2024001").plus_days(366), day("2025001"));
    assert_eq!(day("2024001").plus_days(0), day("2024001"));
    assert_eq!(day("2024001").plus_days(u32::MAX), day("2155365"), "never");
}

#[test]
fn a_clock_reading_is_a_day() {
    let nanoseconds = |days: u64| days * 86_400_000_000_000;
    assert_eq!(Date::of_clock(0), day("1970001"));
    assert_eq!(Date::of_clock(nanoseconds(1) - 1), day("1970001"));
    assert_eq!(Date::of_clock(nanoseconds(11_016)), day("2000060"));
}

#[test]
fn dates_are_in_order() {
    assert!(day("2022365") < day("2023001"));
}

#[test]
fn dates_that_mean_never_never_come() {
    let today = day("2026001");
    for text in ["99365", "99366", "1999365", "1999366", "2155365"] {
        assert!(day(text).is_never() && day(text).keeps_on(today), "{text}");
    }
    assert_eq!(Date::NEVER, day("99365"));
    for text in ["99364", "2000365", "2000366", "2025365", "2026001"] {
        assert!(!day(text).is_never() && !day(text).keeps_on(today), "{text}");
    }
    assert!(day("2026002").keeps_on(today) && !day("2026002").is_never());
    assert_eq!(
        Date::parse("98366"),
        None,
        "1998 had no such day, and nobody meant anything by it"
    );
}

#[test]
fn a_day_has_a_month() {
    let of = |text| day(text).month_and_day();
    assert_eq!(of("2022001"), (1, 1));
    assert_eq!(of("2022059"), (2, 28));
    assert_eq!(of("2022060"), (3, 1));
    assert_eq!(of("2024060"), (2, 29));
    assert_eq!(of("2022242"), (8, 30));
    assert_eq!(of("2024366"), (12, 31));
    assert_eq!(of("2022335"), (12, 1));
}
