//! `CICA_UNITS`: whether the run unit has a unit of recovery, and when that ends on its own.

use std::sync::OnceLock;
use std::time::Duration;

/// What `CICA_UNITS` says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// It has one if it commits.
    Auto,
    /// It has one.
    On,
    /// It has none.
    Off,
    /// After so many changes, or so long.
    Every(u64, Duration),
}

/// What it says.
pub fn asked() -> Units {
    static ASKED: OnceLock<Units> = OnceLock::new();
    *ASKED.get_or_init(|| match std::env::var("CICA_UNITS") {
        Ok(word) if word.eq_ignore_ascii_case("on") => Units::On,
        Ok(word) if word.eq_ignore_ascii_case("off") => Units::Off,
        Ok(word) => every(&word).unwrap_or(Units::Auto),
        Err(_) => Units::Auto,
    })
}

/// `auto(n)`, `auto(n,t)`.
fn every(word: &str) -> Option<Units> {
    let word = word.to_ascii_lowercase();
    let inner = word.strip_prefix("auto(")?.strip_suffix(')')?;
    let (changes, seconds) = inner.split_once(',').unwrap_or((inner, "60"));
    let (changes, seconds) = (changes.trim_ascii().parse().ok()?, seconds.trim_ascii().parse().ok()?);
    let sensible = changes > 0 && (1..=86_400).contains(&seconds);
    sensible.then(|| Units::Every(changes, Duration::from_secs(seconds)))
}

/// Is this a setting that asks for commits from time to time?
pub fn is_every(word: &str) -> bool {
    every(word).is_some()
}
