//! Moments as people write them, in UTC, as every time that Cica shows is.

use crate::failure::{Failure, Status};
use cica_messages::CICA1015E;

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400;

/// The end of the second or minute that `text` says, nanoseconds since 1970; `now` says which day is today.
pub fn end_of(text: &str, now: u64) -> Result<u64, Failure> {
    let (from, length) = moment_and_length(text, now)?;
    Ok((from + length) * SECOND - 1)
}

/// Its beginning.
pub fn beginning_of(text: &str, now: u64) -> Result<u64, Failure> {
    Ok(moment_and_length(text, now)?.0 * SECOND)
}

fn moment_and_length(text: &str, now: u64) -> Result<(u64, u64), Failure> {
    let wrong = || {
        let words = format!("'{text}' is no time; say HH:MM[:SS] of today or YYYY-MM-DDTHH:MM[:SS], UTC");
        Failure::new(Status::REFUSED, &CICA1015E, words)
    };
    let (from, length) = parse(text, now / SECOND / DAY).ok_or_else(wrong)?;
    // Nothing was done then. Behind midnight the time of yesterday evening is such a slip.
    if from > now / SECOND {
        let words = format!(
            "'{text}' is to come: it is {} now, and HH:MM is of today, UTC",
            shown(now)
        );
        return Err(Failure::new(Status::REFUSED, &CICA1015E, words));
    }
    Ok((from, length))
}

/// The beginning, in seconds since 1970, and the length in seconds.
fn parse(text: &str, today: u64) -> Option<(u64, u64)> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (day_of(date)?, time),
        None => (today, text),
    };
    let parts: Vec<&str> = time.split(':').collect();
    let number = |text: &&str, below: u64| {
        let is_number = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let number = is_number.then(|| text.parse::<u64>().ok()).flatten()?;
        (number < below).then_some(number)
    };
    let (hour, minute) = (number(parts.first()?, 24)?, number(parts.get(1)?, 60)?);
    let (second, length) = match parts.get(2) {
        Some(second) => (number(second, 60)?, 1),
        None => (0, 60),
    };
    (parts.len() <= 3).then_some((day * DAY + hour * 3600 + minute * 60 + second, length))
}

/// Days since 1970 of YYYY-MM-DD.
fn day_of(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    if year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse::<u64>().ok())
            .flatten()
    };
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    let is_leap = |year: u64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = lengths.get(..usize::try_from(month.checked_sub(1)?).ok()?)?;
    let length = lengths.get(before.len())?;
    if year < 1970 || !(1..=*length).contains(&day) {
        return None;
    }
    let years: u64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    Some(years + before.iter().sum::<u64>() + day - 1)
}

/// A moment for people: YYYY-MM-DDTHH:MM:SSZ; `-` where there is none.
pub fn shown(nanoseconds: u64) -> String {
    if nanoseconds == 0 {
        return "-".to_owned();
    }
    let date = cica_catalog::Date::of_clock(nanoseconds);
    let (month, day) = date.month_and_day();
    let second = nanoseconds / SECOND % DAY;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z",
        date.year()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_is_shown() {
        for second in [0u64, 951_782_399, 951_782_400, 1_764_072_000, 4_102_444_799] {
            let text = shown(second * SECOND + 1);
            assert_eq!(parse(&text, 0), Some((second, 1)), "{text}");
        }
    }

    #[test]
    fn a_time_is_of_today_and_a_minute_has_sixty_seconds() {
        assert_eq!(parse("11:58", 2), Some((2 * DAY + 11 * 3600 + 58 * 60, 60)));
        assert_eq!(parse("11:58:09", 2), Some((2 * DAY + 11 * 3600 + 58 * 60 + 9, 1)));
    }

    #[test]
    fn what_is_to_come_is_refused() {
        let now = (2 * DAY + 60) * SECOND + 1;
        assert!(end_of("00:01", now).is_ok(), "this minute");
        assert!(end_of("00:02", now).is_err() && beginning_of("23:58", now).is_err());
        assert!(end_of("1970-01-02T23:58", now).is_ok() && end_of("2030-01-01T00:00", now).is_err());
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "noon",
            "24:00",
            "11",
            "11:60",
            "11:58:60",
            "1:2:3:4",
            "2026-02-29T11:58",
            "2026-13-01T11:58",
            "26-01-01T11:58",
        ] {
            assert_eq!(parse(text, 0), None, "{text}");
        }
    }
}
