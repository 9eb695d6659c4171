//! When an owner is gone, and when it only has no further connection.
#![allow(clippy::unwrap_used)]

use cica_disk::SystemClock;
use cica_share::words::{Answer, Ask};
use cica_share::{Client, Dial, HangUp, Received, Wire};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An owner that answers each request with a number, and gives connections as it is told.
#[derive(Clone, Default)]
struct Obliging {
    /// What comes of the next connections; behind the last one all are given.
    next: Arc<Mutex<Vec<Come>>>,
    dialed: Arc<AtomicU32>,
    ended: Arc<AtomicU32>,
}

#[derive(Clone, Copy)]
enum Come {
    /// It cannot be made.
    Fails(ErrorKind),
    /// The system has no descriptor.
    NoDescriptor,
    /// It is greeted, and then ended.
    Breaks,
}

struct Connection {
    owner: Obliging,
    here: u32,
    breaks: bool,
}

impl Dial for Obliging {
    fn dial(&self) -> Result<Box<dyn Wire>> {
        self.dialed.fetch_add(1, Relaxed);
        let breaks = match self.next.lock().unwrap().pop() {
            Some(Come::Fails(kind)) => return Err(kind.into()),
            Some(Come::NoDescriptor) => return Err(Error::from_raw_os_error(24)),
            Some(Come::Breaks) => true,
            None => false,
        };
        Ok(Box::new(Connection {
            owner: self.clone(),
            here: 0,
            breaks,
        }))
    }
}

impl Wire for Connection {
    fn send(&mut self, _: &[u8], _: Option<BorrowedFd<'_>>) -> Result<()> {
        self.here += 1;
        Ok(())
    }

    fn receive(&mut self, into: &mut [u8]) -> Result<Received> {
        if self.breaks && self.here > 1 {
            return Ok((0, None));
        }
        let body = postcard::to_extend(&Answer::Number(7), Vec::new()).unwrap();
        let length = (body.len() as u32).to_le_bytes();
        let message = [&length[..], &self.here.to_le_bytes()[..], &body[..]].concat();
        into[..message.len()].copy_from_slice(&message);
        Ok((message.len(), None))
    }

    fn hang_up(&self) -> Option<HangUp> {
        let ended = self.owner.ended.clone();
        Some(Box::new(move || {
            ended.fetch_add(1, Relaxed);
        }))
    }
}

fn client(owner: &Obliging) -> Client {
    Client::over(Box::new(owner.clone()), "test", Arc::new(SystemClock)).unwrap()
}

/// Asks while another request has the only connection; its words, if it is refused.
fn asks_beside(client: &Client) -> Option<String> {
    let mut refused = None;
    let beside = client.ask(&Ask::Unit, |_| {
        refused = client.number(&Ask::Unit).err().map(|error| error.to_string());
        Ok(())
    });
    beside.unwrap();
    refused
}

#[test]
fn an_owner_without_a_further_connection_is_not_gone() {
    let reset = Come::Fails(ErrorKind::ConnectionReset);
    for come in [vec![Come::NoDescriptor], vec![reset, reset]] {
        let owner = Obliging::default();
        let client = client(&owner);
        *owner.next.lock().unwrap() = come;
        let words = asks_beside(&client).expect("there is no connection");
        assert!(words.contains("may be asked again"), "{words}");
        assert!(!client.is_gone() && owner.ended.load(Relaxed) == 0);
        assert_eq!(asks_beside(&client), None);
    }
    // One that was busy for a moment has one for the second try.
    let owner = Obliging::default();
    let client = client(&owner);
    *owner.next.lock().unwrap() = vec![reset];
    assert_eq!(asks_beside(&client), None);
}

#[test]
fn an_owner_that_is_gone_has_no_connection_left() {
    let refuses = Come::Fails(ErrorKind::ConnectionRefused);
    for come in [refuses, Come::Breaks] {
        let owner = Obliging::default();
        let client = client(&owner);
        *owner.next.lock().unwrap() = vec![come];
        let words = asks_beside(&client).expect("the owner is gone");
        assert!(words.contains("is gone"), "{words}");
        assert!(client.is_gone());
        // The one in use is ended too, and is not used again.
        assert!(owner.ended.load(Relaxed) >= 1);
        let dialed = owner.dialed.load(Relaxed);
        assert!(client.number(&Ask::Unit).unwrap_err().to_string().contains("is gone"));
        assert_eq!(owner.dialed.load(Relaxed), dialed);
    }
}

#[test]
fn a_request_that_is_too_long_ends_nothing() {
    let owner = Obliging::default();
    let client = client(&owner);
    let long = vec![0; 21 << 20];
    let (string, record) = (1, &long[..]);
    let refused = client.number(&Ask::Unlock { string, record }).unwrap_err();
    assert!(refused.to_string().contains("too long"), "{refused}");
    assert!(!client.is_gone());
    assert_eq!(client.number(&Ask::Unit).unwrap(), 7);
    assert_eq!(owner.dialed.load(Relaxed), 1);
}

#[test]
fn a_socket_is_hung_up_while_somebody_waits_for_it() {
    let path = std::env::temp_dir().join(format!("cica-lost-{}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let mut wire = path.dial().unwrap();
    wire.set_patience(Some(Duration::from_secs(20))).unwrap();
    let (other, _) = listener.accept().unwrap();
    let hang_up = wire.hang_up().unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || wire.receive(&mut [0; 8]).map(|(count, _)| count));
        std::thread::sleep(Duration::from_millis(50));
        hang_up();
        assert_eq!(waits.join().unwrap().unwrap(), 0);
    });
    // It keeps nothing open.
    hang_up();
    drop((other, listener));
    std::fs::remove_file(&path).unwrap();
}
