//! `/metrics`, `/json` and a page for a browser, for whoever may come to the address.
//!
//! A few clients are served at the same time, each with a bound on its time and on the length of its request: who sends
//! nothing keeps nobody waiting. Only one at a time is looked for, so that many cost no more than one.

use super::overview::Overview;
use super::{metrics, view, Watched};
use crate::failure::{Failure, Status};
use cica_disk::{Clock, SystemClock};
use cica_messages as messages;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The page, which asks for `/json`.
const PAGE: &str = include_str!("page.html");
/// Most bytes of a request.
const MOST: usize = 8192;
/// How long a client may take for its request, and for the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Threads that answer: one fewer may be kept by clients that are slow.
const THREADS: usize = 16;
/// Why a client is sent away that calls this machine by a name.
const MISDIRECTED: &str = "This is served to this machine alone, and not by the name that Host has: a page of \
    another site could have that name.\nAsk for localhost or an IP address, or give --listen another address.\n";
/// Before the next client is looked for, where one could not be taken.
const PAUSE: Duration = Duration::from_millis(100);

/// Listens until the process is ended.
pub fn run(watched: &Watched, listen: &str) -> Result<Status, Failure> {
    let refused = |reason: String| {
        let words = format!("--listen {listen}: {reason}");
        Failure::new(Status::REFUSED, &messages::CICA1081E, words)
    };
    let bound = match listen.parse::<u16>() {
        Ok(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)),
        Err(_) => TcpListener::bind(listen),
    };
    let listener = bound.map_err(|error| refused(error.to_string()))?;
    let address = listener.local_addr().map_err(|error| refused(error.to_string()))?;
    let mut out = crate::terminal::stdout();
    writeln!(out, "http://{address}/ and http://{address}/metrics")?;
    out.flush()?;
    let server = Server {
        watched: Mutex::new(watched),
        is_private: address.ip().to_canonical().is_loopback(),
    };
    std::thread::scope(|scope| -> Result<Status, Failure> {
        for _ in 1..THREADS {
            let thread = std::thread::Builder::new();
            // Where no more threads are to be had, those that there are serve.
            let _ = thread.spawn_scoped(scope, || server.serve(&listener));
        }
        server.serve(&listener)
    })
}

/// What all threads share.
struct Server<'w> {
    watched: Mutex<&'w Watched>,
    /// It listens on the machine's own address, where nobody else can ask.
    is_private: bool,
}

/// Status, media type and body.
type Answer = (&'static str, &'static str, String);

impl Server<'_> {
    /// Answers clients, one after the other, until the process is ended.
    fn serve(&self, listener: &TcpListener) -> ! {
        loop {
            match listener.accept() {
                // A client that has gone is no reason to end.
                Ok((stream, _)) => drop(self.attend(stream)),
                // Where descriptors are out, the next would fail at once as well.
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn attend(&self, stream: TcpStream) -> io::Result<()> {
        let mut client = Visitor {
            stream,
            until: SystemClock.passed() + PATIENCE,
        };
        let request = read(&mut client)?;
        let (status, kind, body) = self.answer(&request);
        // What was looked at may have taken its time.
        client.until = SystemClock.passed() + PATIENCE;
        write!(
            client,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\r\n",
            body.len()
        )?;
        if is_head(&request) {
            return Ok(());
        }
        client.write_all(body.as_bytes())
    }

    fn answer(&self, request: &[u8]) -> Answer {
        let Some(path) = wanted(request) else {
            return told("400 Bad Request", "This is no request of HTTP for GET or HEAD.\n");
        };
        if self.is_private && !hosts(request).all(is_private) {
            return told("421 Misdirected Request", MISDIRECTED);
        }
        match path {
            "/" => ("200 OK", "text/html; charset=utf-8", PAGE.to_owned()),
            "/metrics" => ("200 OK", metrics::TYPE, metrics::page(&self.look(false))),
            "/json" => ("200 OK", "application/json", view::json(&self.look(true)).to_string()),
            _ => told("404 Not Found", "There are /, /metrics and /json.\n"),
        }
    }

    fn look(&self, steps: bool) -> Overview {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.look(steps)
    }
}

fn told(status: &'static str, words: &str) -> Answer {
    (status, "text/plain", words.to_owned())
}

/// A client, and until when it is served, whatever it sends and however slowly.
struct Visitor {
    stream: TcpStream,
    until: Duration,
}

impl Visitor {
    /// What is left of its time; never none of it.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_sub(SystemClock.passed());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }
}

impl Read for Visitor {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buf)
    }
}

impl Write for Visitor {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// What a client sends, up to the empty line.
fn read(client: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut request, mut piece) = (Vec::new(), [0; 1024]);
    while request.len() < MOST && !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match client.read(&mut piece)? {
            0 => break,
            got => request.extend_from_slice(&piece[..got]),
        }
    }
    Ok(request)
}

/// The request without its empty line.
fn head(request: &[u8]) -> Option<&str> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n")?;
    std::str::from_utf8(&request[..end]).ok()
}

/// The path that a request is for.
fn wanted(request: &[u8]) -> Option<&str> {
    let mut words = head(request)?.lines().next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    let sound = matches!(method, "GET" | "HEAD") && version.starts_with("HTTP/1.") && words.next().is_none();
    sound.then(|| path.split('?').next().unwrap_or(path))
}

/// Is the answer wanted without its body?
fn is_head(request: &[u8]) -> bool {
    request.starts_with(b"HEAD ")
}

/// What the client calls this machine. HTTP/1.0 need not say it.
fn hosts(request: &[u8]) -> impl Iterator<Item = &str> {
    let headers = head(request).unwrap_or_default().lines().skip(1);
    let named = headers.filter_map(|header| header.split_once(':'));
    named
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("host"))
        .map(|(_, host)| host.trim())
}

/// Whether it is an address, or `localhost`. Whoever owns another name can lead it here, and then his page could read
/// what is answered.
fn is_private(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_address = host.parse::<SocketAddr>().is_ok()
        || host.parse::<IpAddr>().is_ok()
        || bare.is_some_and(|bare| bare.parse::<Ipv6Addr>().is_ok());
    let name = match host.split_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    is_address || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::{hosts, is_private, wanted};

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(
            wanted(b"GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\n\r\n"),
            Some("/metrics")
        );
        for garbage in [
            &b""[..],
            b"\r\n\r\n",
            b"GET /\r\n\r\n",
            b"POST / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1 more\r\n\r\n",
            b"GET / HTTP/1.1",
            b"\xFF\xFE\0\0 / HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(wanted(garbage), None);
        }
    }

    #[test]
    fn only_addresses_and_localhost_are_names_of_this_machine_alone() {
        for host in [
            "localhost",
            "LocalHost:9100",
            "127.0.0.1",
            "127.0.0.1:9100",
            "10.0.0.5:80",
            "::1",
            "[::1]",
            "[::1]:9100",
        ] {
            assert!(is_private(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:9100",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:x",
            "localhost:1:2",
            "[localhost]",
        ] {
            assert!(!is_private(host), "{host}");
        }
        let request = b"GET / HTTP/1.1\r\nA: b\r\nHOST : one\r\nhost:two\r\n\r\nHost: three\r\n\r\n";
        assert_eq!(hosts(request).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(hosts(b"GET / HTTP/1.0\r\n\r\n").count(), 0);
    }
}
