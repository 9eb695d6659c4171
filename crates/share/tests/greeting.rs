//! Who listens at the socket and says nothing keeps no client for ever.
#![allow(clippy::unwrap_used)]

use cica_disk::SystemClock;
use cica_share::{Client, Dial, Wire};
use std::io::{ErrorKind, Result};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
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
