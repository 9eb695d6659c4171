//! COMMIT and ROLLBACK: one unit of recovery for all files of the run unit that are opened I-O or EXTEND.
//!
//! | the program | `CICA_UNITS` | its changes |
//! |---|---|---|
//! | imports neither `cob_commit` nor `cob_rollback` | `auto`, the default | stand as they are done, as libcob's do |
//! | imports one of them, or has called one | `auto` | stand at COMMIT and STOP RUN; a death takes back what came after COMMIT |
//! | any | `on`, `off` | the same, without looking |
//! | any | `auto(n,t)` | stand with every n-th, and with the first that comes t seconds after the last that did |
//!
//! With `auto(n,t)` a batch program lets others have its records without being changed. It commits where no record is
//! locked: what is read to be changed stays locked until it is. For records that are locked because the program says
//! nothing of locks it waits no longer than for as many changes, and as long, once more.
//!
//! Files opened OUTPUT are made anew and take no part. Modules that are loaded later count from the next OPEN on.

use crate::libcob::imports::imports;
use crate::process::session;
use crate::record_lock::{is_any_locked, is_any_locked_unsaid};
use crate::units_setting::{asked, Units};
use cica_disk::{Clock, SystemClock};
use cica_engine::UnitOfRecovery;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;
use std::time::Duration;

static UNIT: OnceLock<UnitOfRecovery> = OnceLock::new();
static WANTED: AtomicBool = AtomicBool::new(false);

/// Are its files shared? Nobody knows before the first one.
static SHARED: OnceLock<bool> = OnceLock::new();

/// A file joins the unit, that is shared or not.
///
/// # Errors
/// The unit's other files are not as this one: no two logs hold one unit.
pub fn join(shared: bool) -> Result<(), String> {
    if *SHARED.get_or_init(|| shared) == shared {
        return Ok(());
    }
    Err("its unit of recovery has files that are not shared with other programs, and this one is; CICA_SHARE=on shares \
         all of them"
        .into())
}

/// Are the unit's files shared?
pub fn is_shared() -> bool {
    SHARED.get().copied().unwrap_or(false)
}

/// Changes since the last commit that nobody asked for, and when that was.
static SINCE: Mutex<Option<(u64, Duration)>> = Mutex::new(None);

/// After a change: commits, if it is time, and no record is locked that the program may be about to change.
///
/// # Errors
/// Why the changes do not stand.
#[inline]
pub fn changed() -> Result<(), String> {
    match asked() {
        Units::Every(changes, time) => changed_one_of(changes, time),
        _ => Ok(()),
    }
}

fn changed_one_of(changes: u64, time: Duration) -> Result<(), String> {
    let mut since = SINCE.lock();
    let now = SystemClock.passed();
    let (count, begun) = since.get_or_insert((0, now));
    *count += 1;
    let is_due = |times: u32| *count >= changes * u64::from(times) || now.saturating_sub(*begun) >= time * times;
    // What is read to be changed stays locked until it is. A program that says nothing of locks may never change it.
    if !is_due(1) || is_any_locked() || is_any_locked_unsaid() && !is_due(2) {
        return Ok(());
    }
    *since = None;
    commit()
}

/// The run unit's unit of recovery, if its changes belong to one.
pub fn unit() -> Option<&'static UnitOfRecovery> {
    let wanted = match asked() {
        Units::Off => false,
        Units::On | Units::Every(..) => true,
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
