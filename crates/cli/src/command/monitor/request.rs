//! Requests of HTTP, as far as the monitor takes them: GET and HEAD of a path, and what the client calls this machine.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// What ends a request.
pub const END: &[u8] = b"\r\n\r\n";

/// The request without its empty line.
fn head(request: &[u8]) -> Option<&str> {
    let end = request.windows(END.len()).position(|end| end == END)?;
    std::str::from_utf8(&request[..end]).ok()
}

/// The path that a request is for.
pub fn wanted(request: &[u8]) -> Option<&str> {
    let mut words = head(request)?.lines().next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    let sound = matches!(method, "GET" | "HEAD") && version.starts_with("HTTP/1.") && words.next().is_none();
    sound.then(|| path.split('?').next().unwrap_or(path))
}

/// Is the answer wanted without its body?
pub fn is_head(request: &[u8]) -> bool {
    request.starts_with(b"HEAD ")
}

/// What the client calls this machine. HTTP/1.0 need not say it.
pub fn hosts(request: &[u8]) -> impl Iterator<Item = &str> {
    let headers = head(request).unwrap_or_default().lines().skip(1);
    let named = headers.filter_map(|header| header.split_once(':'));
    named
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("host"))
        .map(|(_, host)| host.trim())
}

/// Whether it is an address, or `localhost`. Whoever owns another name can lead it here, and then his page could read
/// what is answered.
pub fn is_private(host: &str) -> bool {
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
