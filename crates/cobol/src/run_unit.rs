//! The run unit: COMMIT and ROLLBACK over all its files, and what happens when it ends.

use crate::generation::roll_off_all;
use crate::kept::{behind, each_open};
use crate::libcob::{libcob, next, Libcob};
use crate::open_file::OpenFile;
use crate::process::{is_forked, session};
use crate::signal;
use crate::status::Outcome;
use crate::tell::{tell, CICA1207S};
use crate::unit;
use std::sync::Once;

/// COMMIT: everything written to Cica's files stands and is durable; then libcob's part. For calls from here: where libcob
/// comes first, the exported name is libcob's.
pub fn commit_all() {
    if signal::is_ending() {
        return;
    }
    end_unit("COMMIT", unit::commit);
    each_open(|open| {
        open.unlock_all();
        open.commit()
    });
    if let Some(commit) = next().commit {
        // SAFETY: libcob's own function, in the place of which the program called.
        unsafe { commit() }
    }
}

/// ROLLBACK: what was written to Cica's files since the last COMMIT is taken back; then libcob's part. For calls from
/// here, as [`commit_all`].
pub fn roll_back_all() {
    // libcob's own handler of signals says it as well; the next OPEN takes back what is to be taken back.
    if signal::is_ending() {
        return;
    }
    let mut unkept = false;
    if !unit::is_known() {
        each_open(|open| {
            unkept |= open.recoverable && open.may_change();
            Ok(())
        });
    }
    end_unit("ROLLBACK", || {
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
    each_open(|open| {
        open.unlock_all();
        open.after_rollback()
    });
    if let Some(rollback) = next().rollback {
        // SAFETY: libcob's own function, in the place of which the program called.
        unsafe { rollback() }
    }
}

/// Ends the run unit's unit of recovery. To go on after a failure would leave wrong data, so the program ends then.
fn end_unit(what: &str, end: impl FnOnce() -> Result<(), String>) {
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
    if let (Err(reason), Some(libcob)) = (&done, libcob()) {
        tell(&CICA1207S, &[("what", &what), ("reason", reason)]);
        drop(done);
        libcob.stop();
    }
    // A module that came later says it for the first time: from now on the open files have a unit.
    if !unit::is_known() {
        each_open(|open| {
            open.join_unit_late().map_err(|reason| {
                (open.report)(&reason);
                Outcome::Failed
            })
        });
    }
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
    each_open(OpenFile::close);
    behind(|| {
        if let Some(session) = session(false) {
            roll_off_all(session);
        }
        Outcome::Done
    });
}
