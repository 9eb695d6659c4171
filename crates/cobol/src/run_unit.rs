//! The run unit: COMMIT and ROLLBACK over all its files, and what happens when it ends.

use crate::generation::roll_off_all;
use crate::kept::{behind, each_open, Failure};
use crate::libcob::{libcob, next, Libcob};
use crate::open_file::OpenFile;
use crate::process::{is_forked, session};
use crate::record_lock::note_thread;
use crate::signal;
use crate::status::Outcome;
use crate::tell::{tell, CICA1207S};
use crate::unit;
use std::sync::Once;

/// COMMIT, as the verb has it, which has no FILE STATUS.
pub fn commit() {
    end_unless_done("COMMIT", commit_all());
}

/// ROLLBACK, as the verb has it.
pub fn roll_back() {
    end_unless_done("ROLLBACK", roll_back_all());
}

/// A program whose COMMIT or ROLLBACK failed ends, as after any failure that it cannot look at.
fn end_unless_done(what: &str, done: Result<(), Failure>) {
    let Err(Failure { reason, .. }) = done else { return };
    // A signal ends the program already. A child has changed nothing, and was told that it cannot.
    if signal::is_ending() || is_forked() {
        return;
    }
    if let Some(libcob) = libcob() {
        end_program(libcob, what, reason);
    }
}

fn end_program(libcob: &Libcob, what: &str, reason: String) -> ! {
    tell(&CICA1207S, &[("what", &what), ("reason", &reason)]);
    drop(reason);
    libcob.stop()
}

/// COMMIT: everything written to Cica's files stands and is durable; then libcob's part. For calls from here: where libcob
/// comes first, the exported name is libcob's.
///
/// # Errors
/// What failed first; all other files are committed all the same.
pub fn commit_all() -> Result<(), Failure> {
    note_thread();
    if signal::is_ending() {
        signal::await_end();
        return Err(Failure::of(Outcome::Failed));
    }
    let unit = end_unit("COMMIT", unit::commit);
    let files = each_open(|open| {
        open.unlock_all();
        open.commit()
    });
    if let Some(commit) = next().commit {
        // SAFETY: libcob's own function, in the place of which the program called.
        unsafe { commit() }
    }
    unit.and(files)
}

/// ROLLBACK: what was written to Cica's files since the last COMMIT is taken back; then libcob's part. For calls from
/// here, as [`commit_all`].
///
/// # Errors
/// What failed first.
pub fn roll_back_all() -> Result<(), Failure> {
    note_thread();
    // The next OPEN takes back what is to be taken back.
    if signal::is_ending() {
        signal::await_end();
        return Err(Failure::of(Outcome::Failed));
    }
    let unkept = has_unkept();
    let unit = end_unit("ROLLBACK", || {
        if unkept {
            Err(
                "files were opened for change before the module with ROLLBACK was loaded; CICA_UNITS=on \
                 begins with the first OPEN"
                    .into(),
            )
        } else {
            unit::roll_back()
        }
    });
    let files = each_open(|open| {
        open.unlock_all();
        open.after_rollback()
    });
    if let Some(rollback) = next().rollback {
        // SAFETY: libcob's own function, in the place of which the program called.
        unsafe { rollback() }
    }
    unit.and(files)
}

/// Are there files open for change of which nobody knew that they have a unit?
fn has_unkept() -> bool {
    if unit::is_known() {
        return false;
    }
    let mut unkept = false;
    // Looking at a file cannot fail, and what stands in the way of all requests is told by the next one.
    let _ = each_open(|open| {
        unkept |= open.recoverable && open.may_change();
        Ok(())
    });
    unkept
}

/// Ends the run unit's unit of recovery. To go on after a failure would leave wrong data, so the program ends then.
///
/// # Errors
/// The failure, where there is no libcob that could end the program.
fn end_unit(what: &str, end: impl FnOnce() -> Result<(), String>) -> Result<(), Failure> {
    let mut done = Ok(());
    // A child has no files of its own here.
    if !is_forked() {
        let outcome = behind(|| {
            done = end();
            Outcome::Done
        });
        if outcome != Outcome::Done {
            done = Err("an error inside Cica".into());
        }
    }
    if let Err(reason) = done {
        match libcob() {
            Some(libcob) => end_program(libcob, what, reason),
            None => {
                return Err(Failure {
                    outcome: Outcome::Failed,
                    reason,
                })
            }
        }
    }
    // A module that came later says it for the first time: from now on the open files have a unit.
    if !unit::is_known() {
        // A file that cannot join tells why. Its changes go on standing as they are done, those so far among them.
        let _ = each_open(|open| {
            open.join_unit_late().map_err(|reason| {
                (open.report)(&reason);
                Outcome::Failed
            })
        });
    }
    Ok(())
}

/// What happens when the program ends: at STOP RUN and `exit` its unit is committed and its files are closed, at a
/// signal what was answered is made durable.
pub fn at_the_end(libcob: &'static Libcob) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: functions that stay.
        unsafe { libc::atexit(close_all) };
        libcob.on_signal(signal::note_end);
    });
}

extern "C" fn close_all() {
    if is_forked() {
        return;
    }
    // A handler of the program's that calls `exit` may have come in the middle of a request, whose locks nobody will
    // ever give back, or of malloc; and it is in no one's plan that half a unit stands. All is left to the log.
    if signal::is_ending() || signal::is_under_way() || signal::is_in_handler() {
        return;
    }
    let mut done = Ok(());
    behind(|| {
        done = unit::commit();
        Outcome::Done
    });
    if let Err(reason) = &done {
        tell(&CICA1207S, &[("what", &"COMMIT AT STOP RUN"), ("reason", reason)]);
    }
    // A file that cannot be closed tells why, and nobody is left who could look at a status.
    let _ = each_open(OpenFile::close);
    behind(|| {
        if let Some(session) = session(false) {
            roll_off_all(session);
        }
        Outcome::Done
    });
}
