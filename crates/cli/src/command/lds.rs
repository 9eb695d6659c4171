//! `cica lds`: a linear data set as a plain block file, read and written by ranges.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::{OpenedSession, Session};
use cica_disk::FileReader;
use cica_engine::{Access, Durability, LDS_BLOCK};
use cica_messages as messages;
use clap::{Args, Subcommand};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of one request: whole CIs of any size.
const PIECE: usize = 1 << 20;

/// Read and write a linear data set as a plain file of blocks
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Example:
  cica lds read PAYROLL.PAGES --offset 8192 --length 4096 | xxd
  cica lds write PAYROLL.PAGES page.bin --offset 8192")]
pub enum Options {
    /// Copy a range to standard output
    #[command(after_help = "Example:\n  cica lds read PAYROLL.PAGES >pages.img")]
    Read(Range),
    /// Write a file over what is there, and beyond its end
    #[command(after_help = "Example:\n  cica lds write PAYROLL.PAGES pages.img --offset 0\n  \
                            cica lds write PAYROLL.PAGES log.txt --pad")]
    Write(Over),
    /// Print the length in bytes
    #[command(after_help = "Example:\n  cica lds length PAYROLL.PAGES")]
    Length(Whole),
}

#[derive(Debug, Args)]
pub struct Range {
    /// Data set name
    dsn: String,
    /// First byte, a multiple of 4096
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
    /// Bytes, a multiple of 4096 [default: to the end]
    #[arg(long, value_name = "N")]
    length: Option<u64>,
}

#[derive(Debug, Args)]
pub struct Over {
    /// Data set name
    dsn: String,
    /// File, whose length is a multiple of 4096; - or nothing is standard input
    file: Option<PathBuf>,
    /// First byte, a multiple of 4096 and not behind the end [default: the end]
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
    /// Fill the last block with zeros
    #[arg(long)]
    pad: bool,
}

#[derive(Debug, Args)]
pub struct Whole {
    /// Data set name
    dsn: String,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    match options {
        Options::Read(range) => read(&range, global),
        Options::Write(over) => write(&over, global),
        Options::Length(whole) => {
            let (opened, end) = open(&whole.dsn, Access::Input, global)?;
            writeln!(crate::terminal::stdout(), "{end}")?;
            opened.close()?;
            Ok(Status::DONE)
        }
    }
}

/// The data set, and where it ends.
fn open(dsn: &str, access: Access, global: &Global) -> Result<(OpenedSession, u64), Failure> {
    let opened = Session::open(global)?.data_set(dsn, access, Durability::Close)?;
    match opened.data_set.linear_length() {
        Some(end) => Ok((opened, end)),
        None => Err(refused("it has records; this is for linear data sets").at(&opened.name)),
    }
}

fn refused(words: impl std::fmt::Display) -> Failure {
    Failure::new(Status::REFUSED, &messages::IDC3302I, words)
}

fn read(range: &Range, global: &Global) -> Result<Status, Failure> {
    let (opened, end) = open(&range.dsn, Access::Input, global)?;
    let length = range.length.unwrap_or(end.saturating_sub(range.offset));
    let (mut at, mut left) = (range.offset, length);
    let beyond = at.checked_add(length).is_none_or(|to| to > end);
    if beyond || at % LDS_BLOCK != 0 || length % LDS_BLOCK != 0 {
        let words = format!(
            "{length} bytes from {at} on are no range of it: it has {end}, and ranges begin and end at multiples of \
             {LDS_BLOCK}"
        );
        return Err(refused(words).at(&opened.name));
    }
    let mut out = crate::terminal::stdout();
    let mut piece = vec![0; PIECE.min(length as usize)];
    let mut string = opened.data_set.string();
    while left > 0 {
        let piece = &mut piece[..PIECE.min(left as usize)];
        string
            .read_range(at, piece)
            .map_err(|e| Failure::from(e).at(&opened.name))?;
        out.write_all(piece)?;
        (at, left) = (at + piece.len() as u64, left - piece.len() as u64);
    }
    out.flush()?;
    drop(string);
    opened.close()?;
    Ok(Status::DONE)
}

fn write(over: &Over, global: &Global) -> Result<Status, Failure> {
    let mut input = source(over.file.as_deref())?;
    let (opened, end) = open(&over.dsn, Access::Output, global)?;
    let first = over.offset.unwrap_or(end);
    if first > end || first % LDS_BLOCK != 0 {
        let words = format!(
            "nothing is written from {first} on: it has {end} bytes, and ranges begin at multiples of {LDS_BLOCK}"
        );
        return Err(refused(words).at(&opened.name));
    }
    let done = copy(&opened, &mut *input, first, over.pad);
    // What was written before an error stays, as in any file.
    opened.close()?;
    let written = done?;
    if !global.quiet {
        let name = over.dsn.to_ascii_uppercase();
        crate::terminal::tell(&format!("{written} bytes written to {name} from {first} on"));
    }
    Ok(Status::DONE)
}

/// Writes all of the input from `first` on; how many bytes that were.
fn copy(opened: &OpenedSession, input: &mut dyn Read, first: u64, pad: bool) -> Result<u64, Failure> {
    let (mut string, mut at) = (opened.data_set.string(), first);
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        let read = input.take(PIECE as u64).read_to_end(&mut piece);
        let read = read.map_err(|error| unread(&error))?;
        if read == 0 {
            return Ok(at - first);
        }
        let whole = read.next_multiple_of(LDS_BLOCK as usize);
        if whole != read && !pad {
            let words = format!(
                "the input ends within a block of {LDS_BLOCK} bytes, at {}; --pad fills it with zeros",
                at - first + read as u64
            );
            return Err(refused(words).at(&opened.name));
        }
        piece.resize(whole, 0);
        string
            .write_range(at, &piece)
            .map_err(|e| Failure::from(e).at(&opened.name))?;
        at += whole as u64;
    }
}

/// The file, or standard input.
fn source(file: Option<&Path>) -> Result<Box<dyn Read>, Failure> {
    match file.filter(|file| *file != Path::new("-")) {
        Some(file) => {
            let opened =
                FileReader::open(&*cica_session::outside(), file).map_err(|error| unread(&error).at(file.display()))?;
            Ok(Box::new(opened))
        }
        None => Ok(Box::new(crate::terminal::stdin())),
    }
}

fn unread(error: &io::Error) -> Failure {
    let words = format!("the input cannot be read: {error}");
    Failure::new(Status::UNUSABLE, &messages::CICA0941E, words)
}
