//! Days as VSAM writes them: year and day of the year (`2022.242`).

use jiff::civil;
use jiff::ToSpan;
use std::fmt;

/// A day. `0000.000` is "none" in listings; here that is `Option::None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    day: u16,
}

impl Date {
    /// The day that FOR(9999) and RETPD(9999) set, which never comes.
    pub const NEVER: Date = Date { year: 1999, day: 365 };

    /// A day by year (1900-2155) and day of the year (1-366). Day 366 of 1999 is one too: it stands for never.
    pub fn new(year: u16, day: u16) -> Option<Date> {
        let valid = (1900..=2155).contains(&year) && (1..=days_in(year)).contains(&day);
        (valid || (year, day) == (1999, 366)).then_some(Date { year, day })
    }

    /// As an expiration date: does it never come? 1999.365 and 1999.366, which tape labels and data sets have had for
    /// this since long before 1999, and the last day there is.
    pub fn is_never(self) -> bool {
        matches!((self.year, self.day), (1999, 365 | 366) | (2155, 365))
    }

    /// As an expiration date: does it keep a data set on the day `today`?
    pub fn keeps_on(self, today: Date) -> bool {
        self.is_never() || self > today
    }

    /// The day (UTC) of a clock reading in nanoseconds since 1970.
    pub fn of_clock(nanoseconds: u64) -> Date {
        const DAY: u64 = 86_400 * 1_000_000_000;
        // A clock ends in 2554.
        let days = u32::try_from(nanoseconds / DAY).unwrap_or(u32::MAX);
        Date { year: 1970, day: 1 }.plus_days(days)
    }

    /// TO's forms: `yyyyddd`, `yyyy.ddd`, `yyyy/ddd`, and `yyddd` of the years 1900-1999.
    pub fn parse(text: &str) -> Option<Date> {
        let digits: String = match text.split_once(['.', '/']) {
            Some((year, day)) if year.len() == 4 && day.len() == 3 => format!("{year}{day}"),
            Some(_) => return None,
            None => text.to_owned(),
        };
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let (year, day) = match digits.len() {
            7 => (digits[..4].parse().ok()?, digits[4..].parse().ok()?),
            5 => (1900 + digits[..2].parse::<u16>().ok()?, digits[2..].parse().ok()?),
            _ => return None,
        };
        Date::new(year, day)
    }

    /// The day `days` later; stops at the last day of 2155, which TO and FOR mean as "never".
    pub fn plus_days(self, days: u32) -> Date {
        let last = civil::date(2155, 12, 31);
        let day = self
            .first_of_year()
            .saturating_add((i64::from(self.day) - 1 + i64::from(days.min(MOST_DAYS))).days());
        let day = day.min(last);
        Date {
            year: day.year() as u16,
            day: day.day_of_year() as u16,
        }
    }

    fn first_of_year(self) -> civil::Date {
        // Years are 1900 to 2155.
        civil::date(self.year as i16, 1, 1)
    }

    /// Year.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Day of the year, from 1.
    pub fn day(self) -> u16 {
        self.day
    }

    /// Month and day of the month, from 1.
    pub fn month_and_day(self) -> (u8, u8) {
        let day = self.first_of_year().with().day_of_year(self.day as i16).build();
        // No calendar has the day 366 of 1999.
        day.map_or((12, 32), |day| (day.month() as u8, day.day() as u8))
    }
}

/// More days than there are from 1900 to 2155.
const MOST_DAYS: u32 = 100_000;

fn days_in(year: u16) -> u16 {
    civil::date(year as i16, 1, 1).days_in_year() as u16
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:04}.{:03}", self.year, self.day))
    }
}
