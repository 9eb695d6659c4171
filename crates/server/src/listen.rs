//! One owner for a catalog: its socket, who comes, and when it ends.
//!
//! | state | by | to |
//! |---|---|---|
//! | starting | the lock is another's | ended: [`ServeError::AnotherServes`] |
//! | starting | the lock is taken, the socket listens | serving |
//! | serving | no client for as long as is waited | ended, the socket is removed |
//! | serving | DRAIN | draining: who is there goes on, who comes may ask and opens nothing |
//! | draining | no client from before | ended |
//! | serving, draining | STOP | ended: clients' units are backed out, data sets closed |

use crate::answer::Connection;
use crate::guest::{Guest, Peer};
use crate::owner::{Owner, LAST_ANSWERS};
use cica_session::Session;
use cica_share::{address, Dial};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it looks whether it is still needed.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};

/// How long a connection may say nothing at all.
const GREETING: Duration = Duration::from_secs(10);

/// How to serve.
#[derive(Debug, Clone, Copy, Default)]
pub struct Serve {
    /// It ends when nobody has been there for so long; none: never.
    pub idle: Option<Duration>,
}

/// Why there is no owner.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// Another process is the owner.
    AnotherServes {
        /// The file that it has locked.
        lock: PathBuf,
    },
    /// The system refuses something.
    Io {
        /// What was being done, with its file.
        doing: String,
        /// The system's words.
        error: std::io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::AnotherServes { lock } => {
                write!(f, "another process serves this catalog: it has {}", lock.display())
            }
            ServeError::Io { doing, error } => write!(f, "{doing}: {error}{}", remedy(error)),
        }
    }
}

impl std::error::Error for ServeError {}

/// What to do about what the system refuses.
fn remedy(error: &std::io::Error) -> &'static str {
    let number = error.raw_os_error().map(Errno::from_raw_os_error);
    match (number, error.kind()) {
        (Some(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS), _) => {
            "; its file system has no locks: put the catalog on one of this machine that has, as ext4 or XFS"
        }
        (Some(_), ErrorKind::PermissionDenied) => {
            "; who serves must be allowed to write to the catalog's directory: let its owner start the server, or ask \
             him for that right"
        }
        (Some(_), ErrorKind::ReadOnlyFilesystem) => "; its file system is mounted for reading alone: share elsewhere",
        (Some(_), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            "; free space on its file system or raise the quota"
        }
        (Some(_), ErrorKind::NotADirectory | ErrorKind::IsADirectory | ErrorKind::AlreadyExists) => {
            "; something else is in its place: move it away"
        }
        _ => "",
    }
}

/// Serves the catalog of a session until nobody needs it. `ready` is called when clients can come.
///
/// # Errors
/// Another serves, or there can be no socket.
pub fn serve(session: Session, how: Serve, ready: impl FnOnce(&Path)) -> Result<(), ServeError> {
    let directory = session.catalog.directory().join("share");
    let mode = std::fs::metadata(session.catalog.directory()).map_or(0o700, |found| found.permissions().mode() & 0o770);
    let _lock = take(&directory, mode)?;
    let socket = directory.join("socket");
    let listener = listen(&socket, mode)?;
    raise_limits();
    let owner = Arc::new(Owner::new(session, None));
    ready(&socket);
    accept(&owner, &listener, how);
    // Who dials from now on finds nobody, and starts the next owner, which waits for the lock.
    let removed = std::fs::remove_file(&socket);
    drop(listener);
    owner.dismiss();
    removed.map_err(|error| failed("removing", &socket, error))
}

/// Limits of the program that happened to start it would be everybody's: of files, memory and time it takes what it may
/// have. Each client takes three descriptors, and systems begin with 1,024.
fn raise_limits() {
    for resource in [
        Resource::Nofile,
        Resource::Fsize,
        Resource::As,
        Resource::Data,
        Resource::Cpu,
    ] {
        let limit = getrlimit(resource);
        let most = Rlimit {
            current: limit.maximum,
            ..limit
        };
        // Where that is not allowed there is room for less.
        let _ = setrlimit(resource, most);
    }
}

/// The lock that one owner has for its life.
fn take(directory: &Path, mode: u32) -> Result<File, ServeError> {
    match DirBuilder::new().mode(mode).create(directory) {
        Ok(()) => set_mode(directory, mode)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed("making", directory, error)),
    }
    let path = directory.join("lock");
    let lock = lock_file(&path, mode & 0o660)?;
    // One that ends has its socket removed already, and its lock until its last commits are answered.
    let until = Instant::now() + LAST_ANSWERS + Duration::from_secs(3);
    while Instant::now() < until {
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(lock),
            Err(Errno::WOULDBLOCK) if !is_listened_at(&directory.join("socket")) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(Errno::WOULDBLOCK) => break,
            Err(error) => return Err(failed("locking", &path, error.into())),
        }
    }
    Err(ServeError::AnotherServes { lock: path })
}

fn is_listened_at(socket: &Path) -> bool {
    match socket.to_path_buf().dial() {
        Ok(_) => true,
        // More wait there than have room.
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

/// The file that is locked, found or made.
fn lock_file(path: &Path, mode: u32) -> Result<File, ServeError> {
    match OpenOptions::new().write(true).create_new(true).mode(mode).open(path) {
        Ok(lock) => set_mode(path, mode).map(|()| lock),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let found = OpenOptions::new().write(true).open(path);
            found.map_err(|error| failed("opening", path, error))
        }
        Err(error) => Err(failed("opening", path, error)),
    }
}

/// Lets those use what was just made who may use the catalog, whatever this process's umask: each of them may start the
/// next owner. What it has of its directory besides, as the group's bit, stays.
fn set_mode(made: &Path, mode: u32) -> Result<(), ServeError> {
    let set = std::fs::metadata(made).and_then(|now| {
        let besides = now.permissions().mode() & 0o7000;
        std::fs::set_permissions(made, Permissions::from_mode(besides | mode))
    });
    set.map_err(|error| failed("setting the mode of", made, error))
}

fn listen(socket: &Path, mode: u32) -> Result<UnixListener, ServeError> {
    // It is a dead owner's: the lock is ours.
    match std::fs::symlink_metadata(socket) {
        Ok(found) if std::os::unix::fs::FileTypeExt::is_socket(&found.file_type()) => {
            std::fs::remove_file(socket).map_err(|error| failed("removing", socket, error))?;
        }
        Ok(_) => {
            let error = std::io::Error::new(ErrorKind::AlreadyExists, "it is no socket; move it away");
            return Err(failed("listening at", socket, error));
        }
        Err(_) => {}
    }
    let (address, _directory) = address(socket).map_err(|error| failed("listening at", socket, error))?;
    let listener = UnixListener::bind(address).map_err(|error| failed("listening at", socket, error))?;
    let own = Permissions::from_mode(mode & 0o660);
    std::fs::set_permissions(socket, own).map_err(|error| failed("setting the mode of", socket, error))?;
    let calm = listener.set_nonblocking(true);
    calm.map_err(|error| failed("listening at", socket, error))?;
    Ok(listener)
}

fn failed(doing: &str, path: &Path, error: std::io::Error) -> ServeError {
    ServeError::Io {
        doing: format!("{doing} {}", path.display()),
        error,
    }
}

fn accept(owner: &Arc<Owner>, listener: &UnixListener, how: Serve) {
    let mut alone_since = Instant::now();
    loop {
        wait(owner, listener);
        owner.shared.session.engine.tick();
        loop {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => {
                    // No descriptor is left, most likely: whoever comes waits until one is.
                    std::thread::sleep(Duration::from_millis(20));
                    break;
                }
            };
            let owner = owner.clone();
            let begun = std::thread::Builder::new()
                .stack_size(1 << 20)
                .spawn(move || answer(&owner, stream));
            // Without a thread the stream is closed, and its client hears of it.
            drop(begun);
            alone_since = Instant::now();
        }
        owner.guests().iter().for_each(|guest| guest.drop_unused_areas());
        owner.shunted.try_again();
        owner.forget_decided();
        owner.tell_smf(false);
        // With it the locks that are retained would end.
        if !owner.guests().is_empty() || !owner.shunted.is_empty() {
            alone_since = Instant::now();
        }
        let waited = how.idle.is_some_and(|idle| alone_since.elapsed() >= idle);
        if waited || owner.ends() {
            return;
        }
    }
}

/// Answers on a connection until it ends.
fn answer(owner: &Owner, stream: UnixStream) {
    // Who has no name gets no answer, nor who says nothing for long: he has a thread.
    let (Ok(peer), Ok(same)) = (Peer::of(&stream), stream.try_clone()) else {
        return;
    };
    if same.set_read_timeout(Some(GREETING)).is_err() {
        return;
    }
    let mut connection = Connection::new(Box::new(stream), peer);
    let greeted = connection.turn(owner) && same.set_read_timeout(None).is_ok();
    drop(same);
    while greeted && connection.turn(owner) {}
    connection.end(owner);
}

/// Until somebody comes, a client dies, or it is time to look.
fn wait(owner: &Arc<Owner>, listener: &UnixListener) {
    let guests = owner.guests();
    let mut watched = vec![PollFd::new(listener, PollFlags::IN)];
    let lives = |guest: &&Arc<Guest>| guest.life.is_some() && !guest.has_ended();
    let living: Vec<&Arc<Guest>> = guests.iter().filter(lives).collect();
    watched.extend(living.iter().filter_map(|guest| {
        let life = guest.life.as_ref()?;
        Some(PollFd::from_borrowed_fd(life.as_fd(), PollFlags::IN))
    }));
    if poll(&mut watched, Some(&LOOK)).is_err() {
        // A signal came: it is looked again.
        return;
    }
    for (guest, life) in living.iter().zip(&watched[1..]) {
        if !life.revents().is_empty() {
            // A forked child may have its connections still.
            guest.hang_up(Shutdown::Both);
            end(owner, guest);
        }
    }
}

/// Takes back what a client had open, which may take long: nobody who comes waits for it.
fn end(owner: &Arc<Owner>, guest: &Arc<Guest>) {
    let (of, gone) = (owner.clone(), guest.clone());
    let begun = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || of.end(&gone));
    if begun.is_err() {
        owner.end(guest);
    }
}
