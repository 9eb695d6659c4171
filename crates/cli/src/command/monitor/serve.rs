//! `/metrics`, `/json` and a page for a browser, for whoever may come to the address.
//!
//! One request after the other, each with a bound on its time and its length: what is asked is answered from memory.

use super::{metrics, view, Watched};
use crate::failure::{Failure, Status};
use cica_disk::{Clock, SystemClock};
use cica_messages as messages;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

/// The page, which asks for `/json`.
const PAGE: &str = include_str!("page.html");
/// Most bytes of a request.
const MOST: usize = 8192;
/// How long a client may take for its request, and for the answer.
const PATIENCE: Duration = Duration::from_secs(2);
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
    loop {
        match listener.accept() {
            // A client that has gone is no reason to end.
            Ok((stream, _)) => drop(answer(watched, stream)),
            // Where descriptors are out, the next would fail at once as well.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
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

fn answer(watched: &Watched, stream: TcpStream) -> io::Result<()> {
    let mut client = Visitor {
        stream,
        until: SystemClock.passed() + PATIENCE,
    };
    let request = read(&mut client)?;
    let (status, kind, body) = match wanted(&request) {
        Some("/") => ("200 OK", "text/html; charset=utf-8", PAGE.to_owned()),
        Some("/metrics") => ("200 OK", metrics::TYPE, metrics::page(&watched.look(false))),
        Some("/json") => (
            "200 OK",
            "application/json",
            view::json(&watched.look(true)).to_string(),
        ),
        Some(_) => (
            "404 Not Found",
            "text/plain",
            "There are /, /metrics and /json.\n".to_owned(),
        ),
        None => (
            "400 Bad Request",
            "text/plain",
            "This is no request of HTTP for GET.\n".to_owned(),
        ),
    };
    // What was looked at may have taken its time.
    client.until = SystemClock.passed() + PATIENCE;
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nX-Content-Type-Options: \
         nosniff\r\nCache-Control: no-store\r\n\r\n",
        body.len()
    )?;
    client.write_all(body.as_bytes())
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

/// The path that a request is for.
fn wanted(request: &[u8]) -> Option<&str> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&request[..end]).ok()?;
    let mut words = head.lines().next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    let sound = method == "GET" && version.starts_with("HTTP/1.") && words.next().is_none();
    sound.then(|| path.split('?').next().unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::wanted;

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
}
