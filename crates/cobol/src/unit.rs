//! COMMIT and ROLLBACK: one unit of recovery for all files of the run unit that are opened I-O or EXTEND.
//!
//! | the program | `CICA_UNITS` | its changes |
//! |---|---|---|
//! | imports neither `cob_commit` nor `cob_rollback` | `auto`, the default | stand as they are done, as libcob's do |
//! | imports one of them, or has called one | `auto` | stand at COMMIT and STOP RUN; a death takes back what came after COMMIT |
//! | any | `on`, `off` | the same, without looking |
//!
//! Files opened OUTPUT are made anew and take no part. Modules that are loaded later count from the next OPEN on.

use crate::libcob::imports::imports;
use crate::process::session;
use cica_engine::UnitOfRecovery;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

static UNIT: OnceLock<UnitOfRecovery> = OnceLock::new();
static WANTED: AtomicBool = AtomicBool::new(false);

/// What `CICA_UNITS` says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Units {
    Auto,
    On,
    Off,
}

fn asked() -> Units {
    static ASKED: OnceLock<Units> = OnceLock::new();
    *ASKED.get_or_init(|| match std::env::var("CICA_UNITS") {
        Ok(word) if word.eq_ignore_ascii_case("on") => Units::On,
        Ok(word) if word.eq_ignore_ascii_case("off") => Units::Off,
        _ => Units::Auto,
    })
}

/// The run unit's unit of recovery, if its changes belong to one.
pub fn unit() -> Option<&'static UnitOfRecovery> {
    let wanted = match asked() {
        Units::Off => false,
        Units::On => true,
        Units::Auto if WANTED.load(Relaxed) => true,
        Units::Auto => {
            let found = imports(&[c"cob_commit", c"cob_rollback"]);
            WANTED.store(found, Relaxed);
            found
        }
    };
    match (wanted, UNIT.get()) {
        (false, _) => None,
        (true, Some(unit)) => Some(unit),
        (true, None) => session(false).map(|session| UNIT.get_or_init(|| session.engine.unit())),
    }
}

/// The program says COMMIT or ROLLBACK, so it is one of those that have a unit. False: that was not known before.
pub fn is_known() -> bool {
    WANTED.store(true, Relaxed);
    asked() == Units::Off || UNIT.get().is_some()
}

/// COMMIT.
///
/// # Errors
/// Why the changes do not stand.
pub fn commit() -> Result<(), String> {
    let done = UNIT.get().map_or(Ok(()), UnitOfRecovery::commit);
    done.map_err(|error| error.to_string())
}

/// ROLLBACK.
///
/// # Errors
/// Why the changes are not taken back, or not all.
pub fn roll_back() -> Result<(), String> {
    match (asked(), UNIT.get()) {
        (Units::Off, _) => Err("CICA_UNITS=off: nothing was kept that would take changes back".into()),
        (_, Some(unit)) => unit.backout().map_err(|error| error.to_string()),
        // No file was opened for change yet.
        (_, None) => Ok(()),
    }
}
