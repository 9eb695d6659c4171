//! `/metrics`, `/json` and a page for a browser, for whoever may come to the address.

use super::overview::Overview;
use super::request::{hosts, is_head, is_private, wanted};
use super::{address, clients, metrics, view, Watched};
use crate::failure::{Failure, Status};
use std::io::Write;

/// The page, which asks for `/json`.
const PAGE: &str = include_str!("page.html");
/// Why a client is sent away that calls this machine by a name.
const MISDIRECTED: &str = "This is served to this machine alone, and not by the name that Host has: a page of \
    another site could have that name.\nAsk for localhost or an IP address, or give --listen another address.\n";

/// Listens until the process is ended.
pub fn run(watched: &Watched, listen: &str) -> Result<Status, Failure> {
    let listener = address::listener(listen)?;
    let unusable = |error: std::io::Error| address::refused(listen, &error.to_string());
    let address = listener.local_addr().map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    let mut out = crate::terminal::stdout();
    writeln!(out, "http://{address}/ and http://{address}/metrics")?;
    out.flush()?;
    let server = Server {
        watched,
        is_private: address.ip().to_canonical().is_loopback(),
    };
    clients::serve(&listener, &|request| server.answer(request))
}

/// What is looked at, and for whom.
struct Server<'w> {
    watched: &'w Watched,
    /// It listens on the machine's own address, where nobody else can ask.
    is_private: bool,
}

/// Status, media type and body.
type Page = (&'static str, &'static str, String);

impl Server<'_> {
    /// All bytes of the answer to a request.
    fn answer(&self, request: &[u8]) -> Vec<u8> {
        let (status, kind, body) = self.page(request);
        let mut answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\r\n",
            body.len()
        );
        if !is_head(request) {
            answer.push_str(&body);
        }
        answer.into_bytes()
    }

    fn page(&self, request: &[u8]) -> Page {
        let Some(path) = wanted(request) else {
            return text("400 Bad Request", "This is no request of HTTP for GET or HEAD.\n");
        };
        if self.is_private && !hosts(request).all(is_private) {
            return text("421 Misdirected Request", MISDIRECTED);
        }
        match path {
            "/" => ("200 OK", "text/html; charset=utf-8", PAGE.to_owned()),
            "/metrics" => ("200 OK", metrics::TYPE, metrics::page(&self.look(false))),
            "/json" => ("200 OK", "application/json", view::json(&self.look(true)).to_string()),
            _ => text("404 Not Found", "There are /, /metrics and /json.\n"),
        }
    }

    fn look(&self, steps: bool) -> Overview {
        self.watched.look(steps)
    }
}

fn text(status: &'static str, words: &str) -> Page {
    (status, "text/plain", words.to_owned())
}
