//! Has the SMF records of intervals written while data sets are open, where the environment asks for it.

use crate::error::SessionError;
use cica_disk::{hold_signals, Clock};
use cica_smf::interval::interval_of;
use cica_smf::SmfFile;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The environment variable that says how long an interval is; without it there are no such records.
pub const INTERVAL_VARIABLE: &str = "CICA_SMF_INTERVAL";
/// How often it is looked at the pool, and whether the interval is over.
const LOOK: Duration = Duration::from_secs(1);

/// What the environment says of intervals.
///
/// # Errors
/// It says something that is none.
pub fn interval_from_environment() -> Result<Option<Duration>, SessionError> {
    match std::env::var(INTERVAL_VARIABLE) {
        Ok(text) if !text.is_empty() => interval_of(&text).map(Some).map_err(|what| SessionError::Pool {
            what: format!("{INTERVAL_VARIABLE}: {what}"),
        }),
        _ => Ok(None),
    }
}

/// Starts the thread that writes them; it ends when nobody has the file any more. A signal of the process is never its:
/// the program's handlers expect threads of the program.
///
/// # Errors
/// The system has no thread for it.
pub fn start(file: &Arc<SmfFile>, clock: &Arc<dyn Clock>, every: Duration) -> Result<(), SessionError> {
    file.say_interval(every);
    let (file, clock) = (Arc::downgrade(file), clock.clone());
    let _held = hold_signals();
    let thread = std::thread::Builder::new()
        .name("cica-smf".into())
        .stack_size(256 << 10);
    match thread.spawn(move || tell_each(&file, &*clock, every)) {
        Ok(_) => Ok(()),
        Err(error) => Err(SessionError::Pool {
            what: format!("{INTERVAL_VARIABLE}: there is no thread for it: {error}"),
        }),
    }
}

fn tell_each(file: &Weak<SmfFile>, clock: &dyn Clock, every: Duration) {
    let mut begun = clock.passed();
    loop {
        std::thread::park_timeout(LOOK.min(every));
        let Some(file) = file.upgrade() else { return };
        file.look_at_pool();
        if clock.passed().saturating_sub(begun) >= every {
            begun = clock.passed();
            file.tell_interval();
        }
    }
}
