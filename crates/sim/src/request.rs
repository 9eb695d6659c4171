//! Requests and replies as data, with a one-line text form, so that a failing run can be printed, shrunk and kept.

use std::fmt;
use std::str::FromStr;

use crate::mortal::Kill;
use crate::shape::Shape;

/// How a key is compared with the records'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// KEQ (of the bytes given).
    Equal,
    /// KGE.
    GreaterOrEqual,
}

/// What a get is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// NUP.
    Read,
    /// UPD.
    Update,
    /// NSP.
    Position,
}

/// Order in which a string inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// DIR.
    Direct,
    /// SEQ.
    Sequential,
    /// SKP.
    Skip,
}

/// A record, described: `length` bytes drawn from `fill`, in a KSDS with the key at its key offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The key; where records have none, the number of the slot for an insert, or nothing: the next one.
    pub key: Vec<u8>,
    /// Bytes in all; a record too short for its key is cut off.
    pub length: usize,
    /// Decides the other bytes.
    pub fill: u32,
}

impl Body {
    /// The record's bytes.
    pub fn bytes(&self, shape: &Shape) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..self.length)
            .map(|i| (self.fill >> (8 * (i % 4))) as u8 ^ i as u8)
            .collect();
        // Some are filled up at the end, as records of fixed length are: the log writes that in a way of its own.
        if self.fill % 3 == 0 {
            bytes[self.length * 3 / 4..].fill(self.fill as u8);
        }
        // Most of those of a compressed data set have strings that come in others too.
        if shape.compressed && self.fill % 5 != 0 {
            let words = b"MAIN STREET SPRINGFIELD 0000000000 PORTLAND AVENUE ";
            let from = self.fill as usize % words.len();
            bytes
                .iter_mut()
                .zip(words.iter().cycle().skip(from))
                .for_each(|(byte, word)| *byte = *word);
        }
        // Of records of one length most are mostly blanks: pages keep them short.
        if shape.fixed && self.fill % 8 != 0 {
            bytes[self.length / 8..].fill(b' ');
        }
        for (at, byte) in self.key.iter().enumerate().filter(|_| shape.keyed()) {
            if let Some(place) = bytes.get_mut(shape.key_offset + at) {
                *place = *byte;
            }
        }
        bytes
    }
}

/// One request; `string` is the number of the string that makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // the fields are those of the engine's requests
pub enum Request {
    /// GET DIR.
    Get {
        string: u8,
        key: Vec<u8>,
        search: Search,
        intent: Intent,
    },
    /// GET DIR in move mode, into an area of `area` bytes.
    GetInto {
        string: u8,
        key: Vec<u8>,
        search: Search,
        intent: Intent,
        area: usize,
    },
    /// GET SKP.
    Skip {
        string: u8,
        key: Vec<u8>,
        search: Search,
        intent: Intent,
    },
    /// GET DIR by RBA: `plus` bytes after the start of the record that has this key (an RBA far off when none has).
    GetRba {
        string: u8,
        key: Vec<u8>,
        plus: u64,
        intent: Intent,
    },
    /// POINT.
    Point { string: u8, key: Vec<u8>, search: Search },
    /// POINT BWD.
    PointBackward { string: u8, key: Vec<u8>, search: Search },
    /// POINT to the first record.
    PointFirst { string: u8 },
    /// POINT BWD, LRD.
    PointLast { string: u8 },
    /// GET SEQ.
    Next { string: u8, intent: Intent },
    /// GET SEQ BWD.
    Prev { string: u8, intent: Intent },
    /// PUT NUP.
    Insert { string: u8, order: Order, body: Body },
    /// PUT UPD.
    Update { string: u8, body: Body },
    /// GET DIR UPD and PUT UPD in one.
    Rewrite { string: u8, key: Vec<u8>, body: Body },
    /// ERASE.
    Erase { string: u8 },
    /// ENDREQ.
    End { string: u8 },
    /// Everything acknowledged becomes durable (log).
    Commit,
    /// Everything acknowledged becomes durable (root).
    Checkpoint,
    /// CLOSE, then OPEN; an OPEN that is refused is followed by one for output without RESET.
    Reopen { output: bool, reset: bool },
    /// The process is killed, now or later: no CLOSE; then another one opens for output.
    Kill(Kill),
}

/// CLOSE, and OPEN again.
pub(crate) const CLOSE: Request = Request::Reopen {
    output: true,
    reset: false,
};

/// What a request answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// R15 = 0 and nothing to show.
    Done,
    /// R15 = 0 and a record.
    Record(Vec<u8>),
    /// R15, reason and component.
    Refused(u8, u8, u8),
    /// OPEN failed: ACBERFLG.
    NotOpened(u8),
}

impl Request {
    /// The string that makes the request.
    pub fn string(&self) -> Option<u8> {
        use Request::*;
        match self {
            Get { string, .. } | GetInto { string, .. } | Skip { string, .. } | GetRba { string, .. } => Some(*string),
            Point { string, .. } | PointBackward { string, .. } | PointFirst { string } => Some(*string),
            PointLast { string } | Next { string, .. } | Prev { string, .. } | Insert { string, .. } => Some(*string),
            Update { string, .. } | Rewrite { string, .. } | Erase { string } | End { string } => Some(*string),
            Commit | Checkpoint | Reopen { .. } | Kill(_) => None,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Done => write!(f, "0/0"),
            Reply::Record(bytes) => write!(f, "0/0, {} bytes: {}", bytes.len(), hex(&bytes[..bytes.len().min(48)])),
            Reply::Refused(code, reason, 0) => write!(f, "{code}/{reason}"),
            Reply::Refused(code, reason, component) => write!(f, "{code}/{reason} component {component}"),
            Reply::NotOpened(flag) => write!(f, "OPEN failed, {flag}"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Request::*;
        match self {
            Get {
                string,
                key,
                search,
                intent,
            } => {
                write!(f, "get {string} {} {} {}", hex(key), word(search), word(intent))
            }
            GetInto {
                string,
                key,
                search,
                intent,
                area,
            } => {
                write!(
                    f,
                    "get-into {string} {} {} {} {area}",
                    hex(key),
                    word(search),
                    word(intent)
                )
            }
            Skip {
                string,
                key,
                search,
                intent,
            } => {
                write!(f, "skip {string} {} {} {}", hex(key), word(search), word(intent))
            }
            GetRba {
                string,
                key,
                plus,
                intent,
            } => write!(f, "get-rba {string} {} {plus} {}", hex(key), word(intent)),
            Point { string, key, search } => write!(f, "point {string} {} {}", hex(key), word(search)),
            PointBackward { string, key, search } => write!(f, "point-back {string} {} {}", hex(key), word(search)),
            PointFirst { string } => write!(f, "point-first {string}"),
            PointLast { string } => write!(f, "point-last {string}"),
            Next { string, intent } => write!(f, "next {string} {}", word(intent)),
            Prev { string, intent } => write!(f, "prev {string} {}", word(intent)),
            Insert { string, order, body } => write!(f, "insert {string} {} {body}", word(order)),
            Update { string, body } => write!(f, "update {string} {body}"),
            Rewrite { string, key, body } => write!(f, "rewrite {string} {} {body}", hex(key)),
            Erase { string } => write!(f, "erase {string}"),
            End { string } => write!(f, "end {string}"),
            Commit => write!(f, "commit"),
            Checkpoint => write!(f, "checkpoint"),
            Reopen { output, reset } => {
                write!(
                    f,
                    "reopen {} {}",
                    if *output { "output" } else { "input" },
                    if *reset { "reset" } else { "keep" }
                )
            }
            Kill(kill) => write!(f, "kill {kill}"),
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:08X}", hex(&self.key), self.length, self.fill)
    }
}

impl FromStr for Request {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = Words {
            line,
            rest: line.split_ascii_whitespace(),
        };
        let request = words.request()?;
        match words.rest.next() {
            None => Ok(request),
            Some(extra) => Err(format!("'{extra}' is too much in '{line}'")),
        }
    }
}

/// The words of a line, taken one after the other.
struct Words<'a> {
    line: &'a str,
    rest: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn request(&mut self) -> Result<Request, String> {
        use Request::*;
        Ok(match self.take()? {
            "get" => Get {
                string: self.number()?,
                key: self.bytes()?,
                search: self.choice()?,
                intent: self.choice()?,
            },
            "get-into" => GetInto {
                string: self.number()?,
                key: self.bytes()?,
                search: self.choice()?,
                intent: self.choice()?,
                area: self.number()?,
            },
            "skip" => Skip {
                string: self.number()?,
                key: self.bytes()?,
                search: self.choice()?,
                intent: self.choice()?,
            },
            "get-rba" => GetRba {
                string: self.number()?,
                key: self.bytes()?,
                plus: self.number()?,
                intent: self.choice()?,
            },
            "point" => Point {
                string: self.number()?,
                key: self.bytes()?,
                search: self.choice()?,
            },
            "point-back" => PointBackward {
                string: self.number()?,
                key: self.bytes()?,
                search: self.choice()?,
            },
            "point-first" => PointFirst { string: self.number()? },
            "point-last" => PointLast { string: self.number()? },
            "next" => Next {
                string: self.number()?,
                intent: self.choice()?,
            },
            "prev" => Prev {
                string: self.number()?,
                intent: self.choice()?,
            },
            "insert" => Insert {
                string: self.number()?,
                order: self.choice()?,
                body: self.body()?,
            },
            "update" => Update {
                string: self.number()?,
                body: self.body()?,
            },
            "rewrite" => Rewrite {
                string: self.number()?,
                key: self.bytes()?,
                body: self.body()?,
            },
            "erase" => Erase { string: self.number()? },
            "end" => End { string: self.number()? },
            "commit" => Commit,
            "checkpoint" => Checkpoint,
            "reopen" => Reopen {
                output: self.either("output", "input")?,
                reset: self.either("reset", "keep")?,
            },
            "kill" => Kill(self.take()?.parse()?),
            other => return Err(format!("'{other}' is no request, in '{}'", self.line)),
        })
    }

    fn take(&mut self) -> Result<&'a str, String> {
        self.rest
            .next()
            .ok_or_else(|| format!("'{}' ends too early", self.line))
    }

    fn number<T: FromStr>(&mut self) -> Result<T, String> {
        let line = self.line;
        let text = self.take()?;
        text.parse().map_err(|_| format!("'{text}' is no number, in '{line}'"))
    }

    fn bytes(&mut self) -> Result<Vec<u8>, String> {
        let line = self.line;
        let text = self.take()?;
        unhex(text).ok_or_else(|| format!("'{text}' is no X'..', in '{line}'"))
    }

    fn body(&mut self) -> Result<Body, String> {
        let (key, length, line) = (self.bytes()?, self.number()?, self.line);
        let text = self.take()?;
        let fill = u32::from_str_radix(text, 16).map_err(|_| format!("'{text}' is no fill, in '{line}'"))?;
        Ok(Body { key, length, fill })
    }

    fn either(&mut self, yes: &str, no: &str) -> Result<bool, String> {
        let line = self.line;
        match self.take()? {
            text if text == yes => Ok(true),
            text if text == no => Ok(false),
            text => Err(format!("'{text}' is neither {yes} nor {no}, in '{line}'")),
        }
    }

    fn choice<T: Worded>(&mut self) -> Result<T, String> {
        let line = self.line;
        let text = self.take()?;
        T::WORDS
            .iter()
            .find(|(_, word)| *word == text)
            .map(|(value, _)| *value)
            .ok_or_else(|| {
                let words: Vec<_> = T::WORDS.iter().map(|(_, word)| *word).collect();
                format!("'{text}' is none of {}, in '{line}'", words.join(", "))
            })
    }
}

/// A choice of few values, each with its word.
trait Worded: Copy + PartialEq + 'static {
    const WORDS: &'static [(Self, &'static str)];
}

impl Worded for Search {
    const WORDS: &'static [(Self, &'static str)] = &[(Search::Equal, "keq"), (Search::GreaterOrEqual, "kge")];
}

impl Worded for Intent {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Intent::Read, "nup"),
        (Intent::Update, "upd"),
        (Intent::Position, "nsp"),
    ];
}

impl Worded for Order {
    const WORDS: &'static [(Self, &'static str)] =
        &[(Order::Direct, "dir"), (Order::Sequential, "seq"), (Order::Skip, "skp")];
}

fn word<T: Worded>(value: &T) -> &'static str {
    T::WORDS.iter().find(|(v, _)| v == value).map_or("?", |(_, word)| word)
}

/// X'..' around the bytes' hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|b| format!("{b:02X}")).collect();
    format!("X'{digits}'")
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("X'")?.strip_suffix('\'')?;
    if digits.len() % 2 != 0 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok())
        .collect()
}
