//! Signals that end the program. libcob's handler closes its own files and calls `exit`; in the middle of a request of
//! ours, whose locks nobody would give back, that hangs, and in the middle of `malloc` it destroys the heap. So ours
//! stands before it, and waits for a better moment.
//!
//! | state | by | to |
//! |---|---|---|
//! | runs | a signal | waits: the request goes on, or the program up to its next one |
//! | runs | a fault between requests | closes |
//! | runs | a fault within a request | ended |
//! | waits | the request is over, or the next begins | closes: our answers are durable, libcob's handler runs |
//! | waits, between requests | [`UNTIL_NEXT`] | closes, where it is |
//! | waits, within a request | the rest of [`PATIENCE`] | ended |
//! | closes | its end, a fault, [`PATIENCE`] | ended |
//! | waits, closes | another signal | ended |
//!
//! * G1. The program ends within two seconds, by the first signal: a shell sees 128 and its number.
//! * G2. What ends by a signal is not committed: the unit of recovery goes back with the next OPEN, as after `kill -9`.
//!   What was answered outside of a unit is made durable where that endangers nothing: not in a handler.
//! * G3. A request of a thread that is in one already is refused: a handler of the program's interrupted it, and has
//!   called us, or has left it by `longjmp`.
//! * G4. COMMIT and ROLLBACK have no status: once a signal ends the program they do not return to it, for it would go
//!   on as if they had been done.
//! * G5. Handlers are taken over from libcob alone: what the program handles or ignores stays its own.

use std::cell::Cell;
use std::ffi::{c_int, c_void, CStr};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{compiler_fence, AtomicBool, AtomicI32, Ordering::*};
use std::sync::OnceLock;

/// How long libcob's handler, or the request before it, may take, in microseconds.
const PATIENCE: libc::suseconds_t = 900_000;
/// How long the program may take until it makes a request; one that waits for a person or sleeps makes none.
const UNTIL_NEXT: libc::suseconds_t = 100_000;

/// What libcob may handle.
const TAKEN: [c_int; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGPIPE,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGABRT,
];

/// The signal that the program ends by; 0: none came.
static ENDING: AtomicI32 = AtomicI32::new(0);

/// libcob's handlers, in the order of [`TAKEN`].
static BEFORE: OnceLock<[Option<libc::sigaction>; TAKEN.len()]> = OnceLock::new();

/// libcob's handler runs.
static CLOSES: AtomicBool = AtomicBool::new(false);

/// What makes our answers durable.
static KEEP: OnceLock<fn()> = OnceLock::new();

/// What is told that the program ends: by its exit status, or by a signal.
static AT_END: OnceLock<fn(Result<c_int, c_int>)> = OnceLock::new();

/// What a thread is doing.
struct Doing {
    request: Cell<bool>,
    /// A signal came meanwhile.
    signal: Cell<bool>,
    /// libcob's handler runs on it.
    closes: Cell<bool>,
}

thread_local! {
    static DOING: Doing = const {
        Doing {
            request: Cell::new(false),
            signal: Cell::new(false),
            closes: Cell::new(false),
        }
    };
}

/// A request that is under way; dropped, it is over.
pub struct UnderWay(*const Doing);

/// Begins a request; none if this thread is in the middle of one (G3).
#[inline]
pub fn begin() -> Option<UnderWay> {
    let doing = DOING.with(std::ptr::from_ref);
    // SAFETY: this thread's own, which has no destructor and lives as long as the thread.
    let state = unsafe { &*doing };
    if state.signal.get() && !state.request.get() {
        go_on_safely();
    }
    if state.request.replace(true) {
        return None;
    }
    // A handler looks at it from here on: on this thread, so the processor sees to the order.
    compiler_fence(SeqCst);
    Some(UnderWay(doing))
}

impl Drop for UnderWay {
    #[inline]
    fn drop(&mut self) {
        compiler_fence(SeqCst);
        // SAFETY: as in `begin`; it was made by this thread, and is not sent.
        let doing = unsafe { &*self.0 };
        doing.request.set(false);
        compiler_fence(SeqCst);
        if doing.signal.get() {
            go_on_safely();
        }
    }
}

/// Is this thread in the middle of a request?
pub fn is_under_way() -> bool {
    DOING.with(|doing| doing.request.get())
}

/// Does the program end by a signal?
pub fn is_ending() -> bool {
    ENDING.load(Relaxed) != 0
}

/// Behind a signal that ends the program: a COMMIT or ROLLBACK that is not done any more does not return to it (G4). It
/// returns to libcob's handler, which says them as well.
pub fn await_end() {
    let state = DOING.with(|doing| (doing.closes.get(), doing.signal.get()));
    match state {
        (true, _) => return,
        (false, true) => go_on_safely(),
        (false, false) => {}
    }
    // Another thread ends the program.
    loop {
        // SAFETY: a plain call; handlers may run on this thread.
        unsafe { libc::pause() };
    }
}

/// What the system's unwinder knows of a frame.
enum Frame {}

extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut Frame, *mut c_void) -> c_int, context: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(frame: *mut Frame, interrupted: *mut c_int) -> usize;
}

/// Is this called, through however many functions, by a handler of a signal? `exit` may be.
pub fn is_in_handler() -> bool {
    extern "C" fn look(frame: *mut Frame, found: *mut c_void) -> c_int {
        let mut interrupted = 0;
        // SAFETY: the unwinder's frame, and the word that `is_in_handler` gave.
        unsafe {
            _Unwind_GetIPInfo(frame, &mut interrupted);
            *found.cast::<c_int>() |= interrupted;
        }
        0
    }
    let mut found: c_int = 0;
    // SAFETY: it reads the tables of the program, and goes no further than they do.
    unsafe { _Unwind_Backtrace(look, std::ptr::from_mut(&mut found).cast()) };
    found != 0
}

/// libcob says that a signal ends the program, which did not come to us first.
pub extern "C" fn note_end(signal: c_int) {
    DOING.with(|doing| doing.closes.set(true));
    ENDING.store(signal, Relaxed);
}

/// Between two requests of this thread, and in no handler: what was answered is kept, and libcob's handler runs.
#[cold]
fn go_on_safely() {
    if CLOSES.swap(true, Relaxed) {
        // libcob's handler makes requests as well.
        return;
    }
    wake_after(PATIENCE);
    if let Some(keep) = KEEP.get() {
        keep();
    }
    if let Some(tell) = AT_END.get() {
        tell(Err(ENDING.load(Relaxed)));
    }
    go_on_with(ENDING.load(Relaxed))
}

/// From now on there are answers to make durable when a signal ends the program: `keep` does it.
pub fn keep_with(keep: fn()) {
    KEEP.get_or_init(|| keep);
}

/// From now on `tell` is told of the program's end where that endangers nothing: not in a handler.
pub fn at_end(tell: fn(Result<c_int, c_int>)) {
    AT_END.get_or_init(|| tell);
}

/// Puts our handler before libcob's. Called before the first file is opened.
pub fn watch() {
    BEFORE.get_or_init(|| TAKEN.map(|signal| action(signal).filter(is_libcobs)));
    let Some(before) = BEFORE.get() else { return };
    for (signal, _) in TAKEN.iter().zip(before).filter(|(_, action)| action.is_some()) {
        handle(
            *signal,
            on_signal,
            libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART,
        );
    }
}

fn action(signal: c_int) -> Option<libc::sigaction> {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: it fills what is ours; zeros are an action too.
    unsafe { (libc::sigaction(signal, null(), now.as_mut_ptr()) == 0).then(|| now.assume_init()) }
}

/// Is the handler a function of libcob's?
fn is_libcobs(action: &libc::sigaction) -> bool {
    if matches!(action.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) {
        return false;
    }
    let mut of = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the call fills `of`, and the path stays as long as the library.
    unsafe {
        if libc::dladdr(action.sa_sigaction as *const c_void, of.as_mut_ptr()) == 0 {
            return false;
        }
        let path = of.assume_init().dli_fname;
        let path = if path.is_null() { c"" } else { CStr::from_ptr(path) };
        let name = path.to_bytes().rsplit(|&byte| byte == b'/').next();
        name.is_some_and(|name| name.starts_with(b"libcob.") || name.starts_with(b"libcob-"))
    }
}

type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

fn handle(signal: c_int, handler: Handler, flags: c_int) {
    // SAFETY: zeros are an action, and the handler does what a handler may.
    unsafe {
        let mut ours: libc::sigaction = MaybeUninit::zeroed().assume_init();
        (ours.sa_sigaction, ours.sa_flags) = (handler as *const () as usize, flags);
        libc::sigemptyset(&mut ours.sa_mask);
        libc::sigaction(signal, &ours, null_mut());
    }
}

/// Does the signal say that the program's own memory or doing is at fault? One that somebody sent does not.
///
/// # Safety
/// `info` is what the system hands to a handler.
unsafe fn is_fault(signal: c_int, info: *const libc::siginfo_t) -> bool {
    match signal {
        libc::SIGABRT => true,
        // SAFETY: the caller's promise.
        libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE => unsafe { info.as_ref() }.is_none_or(|info| info.si_code > 0),
        _ => false,
    }
}

/// # Safety
/// The system calls it, with what it hands to a handler.
unsafe extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the caller's promise, here and below; plain calls, the thread's own words, and atomics.
    let fault = unsafe { is_fault(signal, info) };
    if ENDING.compare_exchange(0, signal, Relaxed, Relaxed).is_err() || fault && is_under_way() {
        end_by(ENDING.load(Relaxed));
    }
    // A program that libcob's handler brings down ends by the signal that was the reason.
    for fault in [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE] {
        handle(fault, on_signal, libc::SA_SIGINFO | libc::SA_ONSTACK);
    }
    // Where the program has blocked the clock's signal it comes all the same, also behind this.
    handle(
        libc::SIGALRM,
        on_alarm,
        libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART,
    );
    mask(libc::SIG_UNBLOCK, libc::SIGALRM);
    unsafe {
        if let Some(context) = context.cast::<libc::ucontext_t>().as_mut() {
            libc::sigdelset(&mut context.uc_sigmask, libc::SIGALRM);
        }
    }
    if fault {
        CLOSES.store(true, Relaxed);
        wake_after(PATIENCE);
        go_on_with(signal);
    }
    DOING.with(|doing| doing.signal.set(true));
    wake_after(UNTIL_NEXT);
}

/// # Safety
/// As [`on_signal`].
unsafe extern "C" fn on_alarm(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    /// The request had its time once.
    static LATE: AtomicBool = AtomicBool::new(false);
    let signal = ENDING.load(Relaxed);
    if CLOSES.load(Relaxed) || is_under_way() && LATE.swap(true, Relaxed) {
        end_by(signal);
    }
    wake_after(PATIENCE);
    if !is_under_way() {
        CLOSES.store(true, Relaxed);
        go_on_with(signal);
    }
}

fn wake_after(microseconds: libc::suseconds_t) {
    let none = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let clock = libc::itimerval {
        it_interval: none,
        it_value: libc::timeval {
            tv_usec: microseconds,
            ..none
        },
    };
    // SAFETY: a call that handlers may make, with a time of ours.
    unsafe {
        libc::syscall(
            libc::SYS_setitimer,
            libc::ITIMER_REAL,
            &raw const clock,
            null_mut::<c_void>(),
        )
    };
}

/// libcob's handler, and then the end.
#[cold]
fn go_on_with(signal: c_int) -> ! {
    DOING.with(|doing| doing.closes.set(true));
    let place = TAKEN.iter().position(|taken| *taken == signal);
    let before = place.and_then(|place| BEFORE.get()?[place]);
    if let Some(before) = before {
        // It raises the signal once more, and expects that to wait.
        mask(libc::SIG_BLOCK, signal);
        // SAFETY: a handler of this kind, as it was installed.
        unsafe {
            if before.sa_flags & libc::SA_SIGINFO != 0 {
                let handler: Handler = std::mem::transmute(before.sa_sigaction);
                handler(signal, MaybeUninit::zeroed().as_mut_ptr(), null_mut());
            } else {
                let handler: unsafe extern "C" fn(c_int) = std::mem::transmute(before.sa_sigaction);
                handler(signal);
            }
        }
    }
    end_by(signal)
}

fn mask(how: c_int, signal: c_int) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the set is ours, and filled before it is used.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::pthread_sigmask(how, set.as_ptr(), null_mut());
    }
}

/// Ends the program by this signal (G1).
fn end_by(signal: c_int) -> ! {
    // SAFETY: plain calls.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        mask(libc::SIG_UNBLOCK, signal);
        libc::kill(libc::getpid(), signal);
        // It was for another thread to take.
        libc::raise(signal);
        libc::_exit(128 + signal)
    }
}

extern "C" {
    /// The C library's: `atexit` for who wants to know the exit status.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Behind all that `exit` does but for what libraries do when they are unloaded. In a program that ends by a signal
/// libcob's handler has called `exit` with its number. A handler of the program's may have called it in the middle of a
/// request: if that was in the middle of `malloc` too, a library that frees its memory now would wait for ever.
extern "C" fn at_the_very_end(status: c_int, _: *mut c_void) {
    let signal = ENDING.load(Relaxed);
    if signal == 0 && !is_under_way() {
        if let Some(tell) = AT_END.get().filter(|_| !is_in_handler()) {
            tell(Ok(status));
        }
        return;
    }
    // SAFETY: it writes what the program has said; if a signal came, the clock is running.
    unsafe { libc::fflush(null_mut()) };
    match signal {
        // SAFETY: it ends the process.
        0 => unsafe { libc::_exit(status) },
        signal => end_by(signal),
    }
}

/// Runs when the library is loaded, so that what is registered here is the last to be called.
#[used]
#[link_section = ".init_array"]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        // SAFETY: a function that stays, and does nothing unless a signal came.
        unsafe { on_exit(at_the_very_end, null_mut()) };
    }
    loaded
};
