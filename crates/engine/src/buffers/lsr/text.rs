//! Definitions of pools as IMS has them in the data set DFSVSAMP: a line for each size.
//!
//! `VSRBF=2048,48` or `2048,48`: 48 buffers of 2048 bytes; behind that `,D` (data) or `,I` (index alone). `POOLID=VSM1`
//! begins a pool. Pools are numbered from 0 in the order in which they stand. A line that begins with `*` says nothing.

use super::definition::{check_buffers, check_size, PoolBuffers, SubpoolSize};
use std::fmt;
use std::str::FromStr;

/// The columns of a line; behind them is what a card was numbered with.
const COLUMNS: usize = 72;
/// How many pools there may be.
const POOLS: usize = 255;

/// A definition text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PoolText {
    /// Its pools; the place of each is its number.
    pub pools: Vec<TextPool>,
    /// Lines that have no effect, and why.
    pub notes: Vec<PoolNote>,
}

/// A pool of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPool {
    /// POOLID, where that was said.
    pub id: Option<String>,
    /// Its buffers.
    pub buffers: PoolBuffers,
    /// Where it began.
    line: usize,
}

/// A line, or a part of it, that has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolNote {
    /// Which, from 1 on.
    pub line: usize,
    /// Why.
    pub what: String,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolTextError {
    /// In which line, from 1 on.
    pub line: usize,
    /// What, and what to do.
    pub what: String,
}

impl fmt::Display for PoolTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for PoolTextError {}

impl FromStr for PoolText {
    type Err = PoolTextError;

    fn from_str(text: &str) -> Result<PoolText, PoolTextError> {
        let mut found = PoolText::default();
        let mut lines = 0;
        for (n, line) in text.lines().enumerate() {
            lines = n + 1;
            found
                .take(lines, line)
                .map_err(|what| PoolTextError { line: lines, what })?;
        }
        found.pools.iter().try_for_each(TextPool::has_data)?;
        if found.pools.is_empty() {
            Err(PoolTextError {
                line: lines.max(1),
                what: "it ends, and no line has buffers; write VSRBF=size,count".into(),
            })
        } else {
            Ok(found)
        }
    }
}

impl TextPool {
    fn has_data(&self) -> Result<(), PoolTextError> {
        let name = self.id.as_deref().unwrap_or("that begins here");
        if self.buffers.data.is_empty() {
            Err(PoolTextError {
                line: self.line,
                what: format!("the pool {name} has no buffers for data; write VSRBF=size,count behind this line"),
            })
        } else {
            Ok(())
        }
    }
}

impl PoolText {
    fn take(&mut self, n: usize, line: &str) -> Result<(), String> {
        let line = line.trim_ascii_end();
        if line.is_empty() || line.starts_with('*') {
            return Ok(());
        }
        let columns = line.chars().count();
        if columns > COLUMNS {
            return Err(format!(
                "it has {columns} columns, and what it says has to stand in the first {COLUMNS}; make it shorter"
            ));
        }
        if line.starts_with(' ') {
            return Err("it begins with a blank; what it says begins in column 1".into());
        }
        // What is behind a blank is a comment.
        let line = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let (key, value) = line.split_once('=').unwrap_or(("", &line));
        match key {
            "VSRBF" => self.buffers(n, value),
            "POOLID" => self.pool(n, value),
            "" if value.starts_with(|c: char| c.is_ascii_digit()) => self.buffers(n, value),
            "IOBF" => self.note(n, "IOBF is for OSAM, which is not here"),
            "DBD" => self.note(
                n,
                "DBD says which pool a data base has; here SHRPOOL of an open says it",
            ),
            _ if line.split([',', '=']).next() == Some("OPTIONS") => {
                self.note(n, "OPTIONS is for IMS's own buffer handler")
            }
            _ => Err(format!(
                "{line} is no line known here; these are: VSRBF=size,count, size,count, POOLID=name, * comment, and \
                 without effect IOBF=, DBD= and OPTIONS"
            )),
        }
    }

    fn note(&mut self, line: usize, what: &str) -> Result<(), String> {
        self.notes.push(PoolNote {
            line,
            what: format!("{what}; the line has no effect"),
        });
        Ok(())
    }

    fn pool(&mut self, line: usize, value: &str) -> Result<(), String> {
        let (id, others) = value.split_once(',').unwrap_or((value, ""));
        if id.is_empty() || id.len() > 4 || !id.bytes().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!(
                "POOLID={id} is no name of a pool; it has 1 to 4 letters and digits"
            ));
        }
        if self.pools.iter().any(|pool| pool.id.as_deref() == Some(id)) {
            return Err(format!(
                "POOLID={id} is there twice; put all of its sizes behind the first"
            ));
        }
        for other in others.split(',').filter(|other| !other.is_empty()) {
            match other.split('=').next() {
                Some("FIXDATA" | "FIXINDEX" | "FIXBLOCK" | "STRINGNM") => {
                    self.note(line, &format!("{other} is about storage that is not here"))?
                }
                _ => return Err(format!("{other} is no operand of POOLID; leave it out")),
            }
        }
        self.begin(line, Some(id.into()))
    }

    fn begin(&mut self, line: usize, id: Option<String>) -> Result<(), String> {
        if self.pools.len() == POOLS {
            return Err(format!("it begins a pool, and there are {POOLS} already; leave it out"));
        }
        self.pools.push(TextPool {
            id,
            buffers: PoolBuffers::default(),
            line,
        });
        Ok(())
    }

    fn buffers(&mut self, line: usize, value: &str) -> Result<(), String> {
        let words: Vec<&str> = value.split(',').collect();
        let (size, buffers, others) = match &words[..] {
            [size, buffers, others @ ..] => (*size, *buffers, others),
            _ => return Err(format!("{value} has no count of buffers; write size,count")),
        };
        let size = number("a size", size)?;
        check_size(u32::try_from(size).unwrap_or(u32::MAX))?;
        let buffers = number("a count of buffers", buffers)?;
        check_buffers(buffers)?;
        let is_index = match others.first() {
            None | Some(&"" | &"D") => false,
            Some(&"I") => true,
            Some(other) => return Err(format!("{other} is neither D (data) nor I (index); write one, or none")),
        };
        match others.get(1..).unwrap_or_default() {
            [] => {}
            ["HSO" | "HSR", _] => self.note(line, "there is no hiperspace here")?,
            more => {
                let more = more.join(",");
                return Err(format!("{more} stands behind what buffers are for; leave it out"));
            }
        }
        if self.pools.is_empty() {
            self.begin(line, None)?;
        }
        let Some(pool) = self.pools.last_mut() else {
            return Ok(());
        };
        let sizes = if is_index {
            &mut pool.buffers.index
        } else {
            &mut pool.buffers.data
        };
        if sizes.iter().any(|other| u64::from(other.size) == size) {
            return Err(format!(
                "the pool has buffers of {size} bytes already; write their sum once"
            ));
        }
        // Both were checked.
        sizes.push(SubpoolSize {
            size: size as u32,
            buffers: buffers as u32,
        });
        Ok(())
    }
}

/// A number of at most five digits.
fn number(what: &str, word: &str) -> Result<u64, String> {
    match word.len() {
        _ if word.is_empty() || !word.bytes().all(|c| c.is_ascii_digit()) => Err(format!(
            "{word:?} is no number, where {what} has to be; write digits alone"
        )),
        6.. => Err(format!("{word} is too long for {what}; write at most five digits")),
        _ => word.parse().map_err(|_| format!("{word} is no number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        text.parse::<PoolText>().expect_err(text).to_string()
    }

    #[test]
    fn pools_are_numbered_in_their_order() {
        let text = "* all of them\n2048,48\nVSRBF=4096,20,I\nIOBF=(2K,4)\nPOOLID=VSM1,FIXDATA=YES\n\
                    VSRBF=512,3,D,HSO,9   for the small ones\nOPTIONS,DUMP=NO\nDBD=X(1,VSM1)\n\n";
        let found: PoolText = text.parse().expect("it is right");
        let ids: Vec<_> = found.pools.iter().map(|pool| pool.id.as_deref()).collect();
        assert_eq!(ids, [None, Some("VSM1")]);
        assert_eq!(
            found.pools[0].buffers,
            PoolBuffers::default().data(2048, 48).index(4096, 20)
        );
        assert_eq!(found.pools[1].buffers, PoolBuffers::default().data(512, 3));
        let lines: Vec<usize> = found.notes.iter().map(|note| note.line).collect();
        assert_eq!(lines, [4, 5, 6, 7, 8]);
        assert!(found.notes[0].what.contains("OSAM"), "{:?}", found.notes);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_what_to_do() {
        for (text, told) in [
            (
                "*\n3000,10",
                "line 2: 3000 is no size of a buffer; these are: 512, 1024,",
            ),
            ("2048,0", "line 1: 0 buffers are none; give 3 or more"),
            ("VSRBF=2048,2", "line 1: 2 buffers are too few; give 3 or more"),
            ("2048,65536", "line 1: 65536 buffers are too many; give 65535 or fewer"),
            ("2048,3\n2048,4", "line 2: the pool has buffers of 2048 bytes already"),
            ("2048", "line 1: 2048 has no count of buffers; write size,count"),
            (
                "2048,many",
                "line 1: \"MANY\" is no number, where a count of buffers has to be",
            ),
            ("2048,", "line 1: \"\" is no number, where a count of buffers"),
            ("VSRBF=2K,4", "line 1: \"2K\" is no number, where a size has to be"),
            ("2048,100000", "line 1: 100000 is too long for a count of buffers"),
            ("2048,4,X", "line 1: X is neither D (data) nor I (index)"),
            ("2048,4,D,9", "line 1: 9 stands behind what buffers are for"),
            (" 2048,4", "line 1: it begins with a blank"),
            ("WHAT=4", "line 1: WHAT=4 is no line known here"),
            ("POOLID=VSAM1", "line 1: POOLID=VSAM1 is no name of a pool"),
            ("POOLID=A\n512,3\nPOOLID=A", "line 3: POOLID=A is there twice"),
            ("POOLID=A,COLOR=RED", "line 1: COLOR=RED is no operand of POOLID"),
            ("512,3\nPOOLID=B\n512,3,I", "line 2: the pool B has no buffers for data"),
            ("", "line 1: it ends, and no line has buffers"),
        ] {
            let error = wrong(text);
            assert!(error.starts_with(told), "{text:?}: {error}");
        }
        let long = format!("2048,48{}x", " ".repeat(65));
        assert!(
            wrong(&long).starts_with("line 1: it has 73 columns"),
            "{}",
            wrong(&long)
        );
        let many: String = (0..256).map(|n| format!("POOLID=P{n}\n512,3\n")).collect();
        assert!(wrong(&many).starts_with("line 511: it begins a pool, and there are 255"));
    }
}
