//! What the program's process has: a session with the catalog that is meant, made at the first OPEN that may need it;
//! and the guard against requests of a forked child, whose engine is its parent's.

use crate::tell::{tell, CICA1209E, CICA1212E};
use cica_idcams::run::run_with_parm;
use cica_idcams::{Act, Services, Source, Stamp, Style, Sysprint};
use cica_session::{pool_from_environment, Session, SessionError, Start};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

static FORKED: AtomicBool = AtomicBool::new(false);
static SESSION: OnceLock<Result<Session, String>> = OnceLock::new();

/// The session; `needed` says that there is no way without it, and then the reason is told.
pub fn session(needed: bool) -> Option<&'static Session> {
    let started = SESSION.get_or_init(|| {
        // SAFETY: the function does nothing but store into a static.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        start().map_err(|error| error.to_string())
    });
    match started {
        Ok(session) => Some(session),
        Err(reason) => {
            static TOLD: AtomicBool = AtomicBool::new(false);
            // A user's own catalog that was never made is no reason for a word.
            let named = std::env::var_os("CICA_CATALOG").is_some_and(|v| !v.is_empty());
            if (needed || named) && !TOLD.swap(true, Relaxed) {
                tell(&CICA1209E, &[("reason", reason)]);
            }
            None
        }
    }
}

fn start() -> Result<Session, SessionError> {
    Session::start(Start {
        pool: pool_from_environment()?,
        ..Start::default()
    })
}

extern "C" fn forked() {
    FORKED.store(true, Relaxed);
}

/// Is this process a child that was forked with data sets open?
#[inline]
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}

/// Tells it, once.
pub fn tell_forked() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Relaxed) {
        tell(&CICA1212E, &[]);
    }
}

/// Runs control cards; what they said, when they failed.
pub fn idcams(session: &Session, cards: &str) -> Result<(), String> {
    let mut services = Services {
        // A generation that the program makes pushes others out when the program ends, as at the end of a step.
        rolls_off: false,
        ..Services::of(session)
    };
    let seconds = i64::try_from(session.clock.now() / 1_000_000_000).unwrap_or(i64::MAX);
    let mut listing = Vec::new();
    let mut sysprint = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(seconds));
    let source = Source::from_text(cards);
    let cc = run_with_parm("MARGINS(1 4096)", source, &mut services as &mut dyn Act, &mut sysprint);
    drop(sysprint);
    if cc < 8 {
        return Ok(());
    }
    let listing = String::from_utf8_lossy(&listing);
    let said = listing
        .lines()
        .filter(|line| line.starts_with("IDC3") || line.starts_with("CICA"));
    let said: Vec<&str> = said.filter(|line| !line.starts_with("IDC3003I")).collect();
    Err(said.join("; "))
}
