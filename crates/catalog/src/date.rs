//! Days as VSAM writes them: year and day of the year (`2022.242`).

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
        Date { year: 1970, day: 1 }.plus_days(u32::try_from(nanoseconds / DAY).unwrap_or(u32::MAX))
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
        let (mut year, mut day) = (self.year, u32::from(self.day).saturating_add(days));
        while day > u32::from(days_in(year)) {
            if year == 2155 {
                return Date {
                    year,
                    day: days_in(year),
                };
            }
            day -= u32::from(days_in(year));
            year += 1;
        }
        // The loop left `day` within one year, so it fits.
        Date { year, day: day as u16 }
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
        let february = if days_in(self.year) == 366 { 29 } else { 28 };
        let (mut month, mut day) = (1, self.day);
        // December takes the rest.
        for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
            if day <= days {
                break;
            }
            day -= days;
            month += 1;
        }
        // At most 32: the day 366 of 1999 is beyond the last.
        (month, day as u8)
    }
}

fn days_in(year: u16) -> u16 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    365 + u16::from(leap)
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:04}.{:03}", self.year, self.day))
    }
}
