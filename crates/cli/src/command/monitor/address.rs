//! Where the monitor listens: a port of the machine's own address, or an address and a port. What is wrong with one is
//! told with what to write instead.

use crate::failure::{Failure, Status};
use cica_messages as messages;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, TcpListener};

/// Listens there.
pub fn listener(listen: &str) -> Result<TcpListener, Failure> {
    let bound = match listen.parse::<u16>() {
        Ok(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)),
        Err(_) => match malformed(listen) {
            Some(why) => return Err(refused(listen, &why)),
            None => TcpListener::bind(listen),
        },
    };
    bound.map_err(|error| refused(listen, &why(&error)))
}

/// The error, with what was asked for.
pub fn refused(listen: &str, why: &str) -> Failure {
    let words = format!("--listen {listen}: {why}");
    Failure::new(Status::REFUSED, &messages::CICA1081E, words)
}

/// Why it is no address and port; whether there is such an address the system knows.
fn malformed(listen: &str) -> Option<String> {
    if let Ok(address) = listen.parse::<IpAddr>() {
        let whole = match address {
            IpAddr::V4(address) => format!("{address}:9100"),
            IpAddr::V6(address) => format!("[{address}]:9100"),
        };
        return Some(format!("the port is missing; say {whole}"));
    }
    let (host, port) = listen.rsplit_once(':').unwrap_or(("", listen));
    let is_number = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    if is_number && port.parse::<u16>().is_err() {
        return Some(format!(
            "there is no port {port}; they end with 65535, and 0 takes one that is free"
        ));
    }
    let is_sound = !host.is_empty() && is_number && (!host.contains(':') || host.starts_with('['));
    (!is_sound).then(|| {
        "this is no port and no ADDRESS:PORT; say 9100 for this machine alone, or an address of it too, as in \
         10.0.0.5:9100, [fd00::5]:9100 or, for all it has, 0.0.0.0:9100"
            .to_owned()
    })
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => "another program listens there; give another port (0 takes one that is free), or end \
                                 that program: 'ss -ltnp' shows which it is"
            .to_owned(),
        ErrorKind::AddrNotAvailable => "this machine has no such address; give one that 'ip address' shows, or the \
                                        port alone"
            .to_owned(),
        ErrorKind::PermissionDenied => "you may not listen there; give a port from 1024 on".to_owned(),
        _ => format!("{error}; give an IP address of this machine and a port, or the port alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::{malformed, why};
    use std::io::ErrorKind;

    #[test]
    fn what_is_no_address_and_port_is_told_with_what_to_write() {
        for (listen, words) in [
            ("abc", "10.0.0.5:9100"),
            ("", "say 9100"),
            (":", "say 9100"),
            (":9100", "0.0.0.0:9100"),
            ("10.0.0.5:", "say 9100"),
            ("10.0.0.5:http", "say 9100"),
            ("1:2:3", "[fd00::5]:9100"),
            ("-1", "say 9100"),
            ("10.0.0.5", "say 10.0.0.5:9100"),
            ("fd00::5", "say [fd00::5]:9100"),
            ("65536", "no port 65536"),
            ("10.0.0.5:99999999999", "no port 99999999999"),
        ] {
            let why = malformed(listen);
            assert!(
                why.as_deref().is_some_and(|why| why.contains(words)),
                "{listen}: {why:?}"
            );
        }
        for listen in ["10.0.0.5:9100", "[fd00::5]:9100", "name.example:0"] {
            assert_eq!(malformed(listen), None, "{listen}");
        }
    }

    #[test]
    fn each_refusal_of_the_system_has_its_remedy() {
        for (kind, remedy) in [
            (ErrorKind::AddrInUse, "ss -ltnp"),
            (ErrorKind::AddrNotAvailable, "ip address"),
            (ErrorKind::PermissionDenied, "1024"),
            (ErrorKind::Other, "IP address"),
        ] {
            assert!(why(&kind.into()).contains(remedy), "{kind}");
        }
    }
}
