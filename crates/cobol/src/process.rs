//! What the program's process has: a session with the catalog that is meant, made at the first OPEN that may need it;
//! and the guard against requests of a forked child, whose engine is its parent's.

use crate::signal;
use crate::status::Outcome;
use crate::tell::{tell, CICA1082W, CICA1209E, CICA1212E, CICA1221E, CICA1222E, CICA1236E};
use crate::units_setting;
use cica_admin::define::SphereMember;
use cica_admin::delete::{Delete, What};
use cica_admin::{Outcome as Told, Services};
use cica_catalog::entry::EntryKind;
use cica_catalog::{CatalogError, Name};
use cica_messages::{Message, IDC3009I};
use cica_session::{
    io_from_environment, pool_from_environment, sharing_from_environment, Completion, Session, SessionError, Start,
};
use std::ffi::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

static FORKED: AtomicBool = AtomicBool::new(false);
static SESSION: OnceLock<Result<Session, SessionError>> = OnceLock::new();

/// What the environment may say, the word that is taken first when it says something else.
const SETTINGS: [(&str, &[&str]); 4] = [
    ("CICA_STATUS", &["gnucobol", "enterprise", "microfocus"]),
    ("CICA_UNITS", &["auto", "on", "off", "auto(n,t)"]),
    ("CICA_MESSAGES", &["W", "I", "E", "S"]),
    ("CICA_STRICT", &["off", "on"]),
];

/// The session; `needed` says that there is no way without it, and then the reason is told.
pub fn session(needed: bool) -> Option<&'static Session> {
    let started = SESSION.get_or_init(|| {
        // SAFETY: the function does nothing but store into a static.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        signal::watch();
        // What it says must need no memory when it is said.
        INTERRUPTED.get_or_init(|| format!("{}\n", CICA1222E.line(&[])));
        check_settings();
        signal::at_end(end_step);
        start()
    });
    match started {
        Ok(session) => Some(session),
        Err(reason) => {
            static TOLD: AtomicBool = AtomicBool::new(false);
            // A user's own catalog that was never made is no reason for a word.
            let none = is_no_catalog(reason);
            if (needed || is_named() || !none) && !TOLD.swap(true, Relaxed) {
                match reason {
                    SessionError::Pool { .. } => tell(&CICA1236E, &[("reason", reason)]),
                    _ => tell(&CICA1209E, &[("reason", reason)]),
                }
            }
            None
        }
    }
}

/// What an OPEN is told that needs the session, where there is none.
pub fn without_session() -> Outcome {
    match SESSION.get() {
        Some(Err(reason)) => Outcome::of_open(reason),
        _ => Outcome::Missing,
    }
}

/// Are indexed and relative files refused that are no data sets?
pub fn is_strict() -> bool {
    static STRICT: OnceLock<bool> = OnceLock::new();
    *STRICT.get_or_init(|| std::env::var("CICA_STRICT").is_ok_and(|word| word.eq_ignore_ascii_case("on")))
}

/// The session, if a file has needed it.
pub fn found_before() -> Option<&'static Session> {
    SESSION.get().and_then(|session| session.as_ref().ok())
}

/// Is there a catalog, or something where it should be, that cannot be used? One that is named should be there.
pub fn is_unusable() -> bool {
    matches!(SESSION.get(), Some(Err(reason)) if is_named() || !is_no_catalog(reason))
}

/// Does the environment say which catalog is meant?
fn is_named() -> bool {
    std::env::var_os("CICA_CATALOG").is_some_and(|v| !v.is_empty())
}

fn is_no_catalog(reason: &SessionError) -> bool {
    matches!(reason, SessionError::Catalog(CatalogError::NoCatalog { .. }))
}

/// Tells of settings that are nothing known.
fn check_settings() {
    for (name, words) in SETTINGS {
        let setting = std::env::var_os(name).unwrap_or_default();
        let setting = setting.to_string_lossy();
        let known = words.iter().any(|word| setting.eq_ignore_ascii_case(word))
            || name == "CICA_UNITS" && units_setting::is_every(&setting);
        if !setting.is_empty() && !known {
            let words_of = words.join(", ");
            tell(
                &CICA1221E,
                &[
                    ("name", &name),
                    ("value", &setting),
                    ("words", &words_of),
                    ("taken", &words[0]),
                ],
            );
        }
    }
}

fn start() -> Result<Session, SessionError> {
    Session::start(Start {
        pool: pool_from_environment()?,
        sharing: sharing_from_environment()?,
        io: io_from_environment()?,
        ..Start::default()
    })
}

/// Has the SMF record of the step written, if records are written: the program ends.
fn end_step(how: Result<c_int, c_int>) {
    let Some(session) = found_before().filter(|_| !is_forked()) else {
        return;
    };
    let completion = match how {
        // What a parent sees of a status.
        Ok(status) => Completion::Code((status & 0xFF) as u16),
        Err(signal) => Completion::Signal(signal.unsigned_abs()),
    };
    // A record that is missing is no reason to end otherwise.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Some(lost) = session.end_of_step().tell(None, completion) {
            tell(&CICA1082W, &[("count", &lost.count), ("reason", &lost.reason)]);
        }
    }));
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

static INTERRUPTED: OnceLock<String> = OnceLock::new();

/// Tells, once, that a request came in the middle of another one, perhaps in a handler of a signal.
pub fn tell_interrupted() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if let (false, Some(line)) = (TOLD.swap(true, Relaxed), INTERRUPTED.get()) {
        // SAFETY: bytes of ours, by a call that handlers may make.
        unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
    }
}

/// Defines a cluster with its alternate indexes and paths, all of them or none; why not, when that failed.
pub fn define(session: &Session, sphere: &[SphereMember]) -> Result<(), String> {
    done(services(session).define_sphere(sphere))
}

/// What was told of something that was not done.
fn done(outcome: Told) -> Result<(), String> {
    if outcome.is_done() {
        return Ok(());
    }
    // What else is told is what was done before, and that the rest was not.
    let is_reason = |message: &&Message| ["IDC3", "CICA"].iter().any(|first| message.entry.id.starts_with(first));
    let reasons = outcome.messages.iter().filter(is_reason);
    Err(reasons.map(Message::to_string).collect::<Vec<_>>().join("; "))
}

/// Why a cluster was not deleted.
pub struct NotDeleted {
    /// In words.
    pub reason: String,
    /// Somebody has it open, or a unit of recovery has changed it that has not ended.
    pub in_use: bool,
}

/// Deletes a cluster with all that leads to it, before its expiration date too.
///
/// # Errors
/// Why not.
pub fn delete(session: &Session, name: &Name) -> Result<(), NotDeleted> {
    let request = Delete {
        names: vec![name.to_string()],
        what: What::Kind(EntryKind::Cluster),
        purge: true,
        ..Delete::default()
    };
    let outcome = services(session).delete(&request).without_result();
    let in_use = outcome.messages.iter().any(is_in_use);
    done(outcome).map_err(|reason| NotDeleted { reason, in_use })
}

/// The catalog's return code of what is in use.
const IN_USE: &str = "184";

fn is_in_use(message: &Message) -> bool {
    message.entry.id == IDC3009I.id && message.insert("rc") == Some(IN_USE)
}

fn services(session: &Session) -> Services {
    Services {
        // A generation that the program makes pushes others out when the program ends, as at the end of a step.
        rolls_off: false,
        ..Services::of(session)
    }
}
