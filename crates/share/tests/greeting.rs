//! Who listens at the socket and says nothing keeps no client for ever.
#![allow(clippy::unwrap_used)]

use cica_disk::SystemClock;
use cica_share::{address, Client, Dial, Wire, PAUSE};
use rustix::net::{bind, listen, socket, AddressFamily, SocketAddrUnix, SocketType};
use std::io::{ErrorKind, Result};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A connection whose other side takes everything and says nothing, or ends it.
#[derive(Clone, Default)]
struct Silent {
    ends: bool,
    patience: Arc<Mutex<Option<Duration>>>,
}

impl Dial for Silent {
    fn dial(&self) -> Result<Box<dyn Wire>> {
        Ok(Box::new(self.clone()))
    }
}

impl Wire for Silent {
    fn send(&mut self, _: &[u8], _: Option<BorrowedFd<'_>>) -> Result<()> {
        Ok(())
    }

    fn receive(&mut self, _: &mut [u8]) -> Result<(usize, Option<OwnedFd>)> {
        let patience = self.patience.lock().unwrap();
        assert!(patience.is_some(), "it would wait for ever");
        if self.ends {
            Ok((0, None))
        } else {
            Err(ErrorKind::WouldBlock.into())
        }
    }

    fn set_patience(&mut self, patience: Option<Duration>) -> Result<()> {
        *self.patience.lock().unwrap() = patience;
        Ok(())
    }
}

fn come(ends: bool) -> std::io::Error {
    let silent = Silent {
        ends,
        ..Silent::default()
    };
    let client = Client::over(Box::new(silent), "test", Arc::new(SystemClock));
    client.err().expect("nobody answered")
}

#[test]
fn who_says_nothing_is_given_up() {
    let error = come(false);
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("said nothing for"), "{error}");
    assert_eq!(come(true).kind(), ErrorKind::ConnectionReset);
}

/// The patience of a socket is the system's: a read that nobody answers ends.
#[test]
fn a_socket_has_patience() {
    let path = std::env::temp_dir().join(format!("cica-greeting-{}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let mut wire = path.dial().unwrap();
    wire.set_patience(Some(Duration::from_millis(20))).unwrap();
    let read = wire.receive(&mut [0; 8]);
    assert_eq!(read.err().map(|error| error.kind()), Some(ErrorKind::WouldBlock));
    drop(listener);
    std::fs::remove_file(&path).unwrap();
}

/// An owner that has no place until it was asked so often.
#[derive(Clone)]
struct Full {
    until: u32,
    pauses: Arc<AtomicU32>,
}

impl Dial for Full {
    fn dial(&self) -> Result<Box<dyn Wire>> {
        if self.pauses.load(Relaxed) < self.until {
            return Err(ErrorKind::WouldBlock.into());
        }
        Silent {
            ends: true,
            ..Silent::default()
        }
        .dial()
    }

    fn pause(&self) {
        self.pauses.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_place_is_waited_for_and_not_for_ever() {
    let come = |until| {
        let full = Full {
            until,
            pauses: Arc::default(),
        };
        let client = Client::over(Box::new(full.clone()), "test", Arc::new(SystemClock));
        (client.err().expect("nobody answered"), full.pauses.load(Relaxed))
    };
    let (error, pauses) = come(7);
    assert_eq!((error.kind(), pauses), (ErrorKind::ConnectionReset, 7));
    let (error, pauses) = come(u32::MAX);
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert_eq!(PAUSE * pauses, Duration::from_secs(60));
    assert!(
        error
            .to_string()
            .contains("listens there has said nothing for 60 seconds"),
        "{error}"
    );
}

/// A server that is stopped has a queue of those who came, and the system lets nobody more in.
#[test]
fn a_socket_with_a_full_queue_is_not_waited_for() {
    let path = std::env::temp_dir().join(format!("cica-full-{}", std::process::id()));
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(address(&path).unwrap().0).unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let (told, tells) = std::sync::mpsc::channel();
    let full = path.clone();
    std::thread::spawn(move || {
        // Those that have gone are in it still.
        let dialed: Vec<Option<ErrorKind>> = (0..3).map(|_| full.dial().err().map(|error| error.kind())).collect();
        told.send(dialed).unwrap();
    });
    let dialed = tells.recv_timeout(Duration::from_secs(20));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        dialed.expect("it waits for ever"),
        [None, Some(ErrorKind::WouldBlock), Some(ErrorKind::WouldBlock)]
    );
}
