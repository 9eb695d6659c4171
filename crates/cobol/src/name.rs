//! Which file is it? From ASSIGN to a data set, or to a path that is libcob's.
//!
//! ```text
//! ASSIGN text --- DD_text, dd_text, text in the environment ---> value, else the text itself
//! value: //NAME or DSN=NAME,...   a data set, and nothing else; NAME(-1), NAME(0), NAME(+1) a generation
//!        NAME                     a data set if the catalog has it; else a path
//!        with a slash             a path
//!        path,CODEPAGE=...        the same, and what its records are like
//! ```

use crate::code_set::WantedCodeSet;
use cica_catalog::name::NameError;
use cica_catalog::Name;
use cica_engine::{BufferSizes, Buffering, ReadIntegrity};
use cica_qsam::{Attributes, CodePage, DdText};
use std::fmt::Display;
use std::str::FromStr;

/// What an ASSIGN leads to.
#[derive(Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The value, as it was found.
    pub value: String,
    /// The data set it may mean.
    pub name: Option<Name>,
    /// Which generation of the group that `name` is.
    pub generation: Option<i32>,
    /// It can mean nothing else.
    pub explicit: bool,
    /// DUMMY, or DSN=NULLFILE: there is nothing to read, and what is written is gone.
    pub dummy: bool,
    /// Why a value without a slash is no data set name.
    pub unnamed: Option<String>,
    /// DISP.
    pub disposition: Disposition,
    /// OPEN INPUT begins at the last record: what cobc leaves out of `OPEN INPUT ... REVERSED`.
    pub reversed: bool,
    /// COPYBOOK, CODEPAGE, SIGN.
    pub code_set: Option<WantedCodeSet>,
    /// CODEPAGE=NONE: the program gets the bytes as they are, whatever the catalog says.
    pub as_is: bool,
    /// RLS: the file is shared with other programs, and reads show what is committed, or not.
    pub rls: Option<ReadIntegrity>,
    /// AMP's BUFND, BUFNI, STRNO and BUFSP: the open has buffers of its own; SHRPOOL: it shares those of a pool.
    pub buffers: Option<Buffering>,
    /// RECFM, LRECL, BLKSIZE, BDW.
    pub format: Option<Attributes>,
    /// BUFNO: a request of a sequential file moves so many blocks.
    pub bufno: Option<u8>,
    /// Parameters that have no effect yet.
    pub unused: Vec<String>,
}

/// DISP's first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disposition {
    /// Not given: what OPEN says.
    #[default]
    Open,
    /// NEW: it must not be there.
    New,
    /// OLD or SHR: it must be there.
    Old,
    /// MOD: made where it is not there.
    Mod,
}

/// Why a value names no data set.
#[derive(Debug)]
pub struct BadName {
    /// The value.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// Looks an ASSIGN text up.
///
/// # Errors
/// It is meant to be a data set name and is none.
pub fn assigned(text: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Assigned, BadName> {
    let text = unquoted(text);
    let mapped = (!text.contains('/')).then(|| {
        let names = [format!("DD_{text}"), format!("dd_{text}"), text.to_string()];
        names
            .iter()
            .find_map(|name| environment(name).filter(|v| !v.is_empty()))
    });
    let mapped = mapped.flatten();
    let said_dummy = |value: &String| {
        value
            .split(',')
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("DUMMY"))
    };
    // A program may have a file of that name; a DD text has none.
    let dummy = mapped.as_ref().is_some_and(said_dummy);
    let value = mapped.unwrap_or_else(|| text.to_string());
    let bad = |reason: String| BadName {
        value: value.clone(),
        reason,
    };
    let upper = value.to_ascii_uppercase();
    let mut found = Assigned {
        value: value.clone(),
        name: None,
        generation: None,
        explicit: true,
        dummy,
        unnamed: None,
        disposition: Disposition::default(),
        reversed: false,
        code_set: None,
        as_is: false,
        rls: None,
        buffers: None,
        format: None,
        bufno: None,
        unused: Vec::new(),
    };
    if dummy {
        return Ok(found);
    }
    if let Some(name) = value.strip_prefix("//") {
        with_generation(name, &mut found).map_err(bad)?;
    } else if is_dd(&upper) {
        dd(&value, &mut found).map_err(bad)?;
    } else {
        found.explicit = false;
        if let Some((path, operands)) = path_and_operands(&value) {
            found.value = path.to_string();
            dd(operands, &mut found).map_err(bad)?;
        }
        match data_set(&found.value) {
            Ok(name) => found.name = Some(name),
            Err(error) => found.unnamed = (!found.value.contains('/')).then(|| error.to_string()),
        }
    }
    Ok(found)
}

/// Does it begin as a DD text does? No path is called so.
fn is_dd(upper: &str) -> bool {
    let key = upper.split_once('=').map(|(key, _)| key.trim_ascii());
    key.is_some_and(|key| ["DSN", "DSNAME", "DISP"].contains(&key))
}

/// What can be said of a file that is named by its path.
const OF_PATHS: [&str; 10] = [
    "COPYBOOK", "CODEPAGE", "CCSID", "SIGN", "RECFM", "LRECL", "BLKSIZE", "BDW", "BUFNO", "DISP",
];

/// A path, and operands behind it; none where all of it is a path, which may have commas.
fn path_and_operands(value: &str) -> Option<(&str, &str)> {
    let (path, rest) = value.split_once(',')?;
    let key = |operand: &str| {
        operand
            .split_once('=')
            .map(|(key, _)| key.trim_ascii().to_ascii_uppercase())
    };
    let known = |operand: &&str| key(operand).is_some_and(|key| OF_PATHS.contains(&key.as_str()));
    let path = path.trim_ascii();
    (!path.is_empty() && operands(rest).iter().any(known)).then(|| (unquoted(path), rest))
}

fn data_set(text: &str) -> Result<Name, NameError> {
    Name::parse(unquoted(text.trim_ascii()))
}

/// What stands between quotation marks or apostrophes; a text without both of them as it is.
fn unquoted(text: &str) -> &str {
    let within = |mark| text.strip_prefix(mark).and_then(|rest: &str| rest.strip_suffix(mark));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

/// `DSN=name[(generation)],DISP=(NEW,...),AMP=(...),RLS=CR,COPYBOOK=path,CODEPAGE=page,SIGN=EBCDIC,RECFM=FB,LRECL=80,REVERSED`.
fn dd(text: &str, found: &mut Assigned) -> Result<(), String> {
    let (mut copybook, mut page, mut plain_signs) = (None, None, None);
    let mut format = Vec::new();
    let mut stated = Vec::new();
    for operand in operands(text) {
        if operand.trim_ascii().eq_ignore_ascii_case("REVERSED") {
            once("REVERSED", &mut stated)?;
            found.reversed = true;
            continue;
        }
        let (key, value) = operand
            .split_once('=')
            .ok_or_else(|| format!("'{operand}' has no equals sign"))?;
        let key = key.trim_ascii().to_ascii_uppercase();
        once(&key, &mut stated)?;
        match key.as_str() {
            "DSN" | "DSNAME" => with_generation(value, found)?,
            "DISP" => found.disposition = disposition(value, &mut found.unused)?,
            "AMP" => amp(value, found)?,
            "COPYBOOK" => copybook = Some(copybook_path(value)?),
            "CODEPAGE" | "CCSID" if value.trim_ascii().eq_ignore_ascii_case("NONE") => found.as_is = true,
            "CODEPAGE" | "CCSID" => page = Some(code_page(value)?),
            "RLS" => found.rls = Some(read_integrity(value)?),
            "SIGN" => plain_signs = Some(sign(value)?),
            "RECFM" | "LRECL" | "BLKSIZE" | "BDW" => format.push(operand.trim_ascii()),
            "BUFNO" => {
                let number = value.trim_ascii().parse().ok().filter(|&number: &u8| number > 0);
                let wrong = || format!("BUFNO={} is no number from 1 to {}", value.trim_ascii(), u8::MAX);
                found.bufno = Some(number.ok_or_else(wrong)?);
                // A data set of VSAM's has AMP for that.
                found.unused.push(operand.trim_ascii().to_string());
            }
            other => {
                return Err(format!(
                    "{other} is no operand known here; DSN, DISP, AMP, RLS, COPYBOOK, CODEPAGE, SIGN, RECFM, LRECL, \
                     BLKSIZE, BDW, BUFNO and REVERSED are"
                ))
            }
        }
    }
    if !format.is_empty() {
        let text = DdText::parse(&format!("X,{}", format.join(",")));
        let problem = |error: cica_qsam::DdError| error.problem.to_string();
        found.format = Some(text.map_err(problem)?.attributes);
        // A data set of VSAM's has a format of its own.
        found.unused.extend(format.iter().map(|operand| operand.to_string()));
    }
    found.code_set = match (&copybook, page, plain_signs) {
        (Some(_), ..) | (None, Some(_), _) if found.as_is => {
            return Err("CODEPAGE=NONE says that nothing is translated; leave COPYBOOK and other code pages out".into())
        }
        (None, _, Some(_)) => return Err(WITHOUT_COPYBOOK.into()),
        (None, None, None) => None,
        _ => Some(WantedCodeSet {
            copybook,
            page,
            plain_signs: plain_signs.unwrap_or(false),
        }),
    };
    Ok(())
}

/// Notes what is stated, under one name where it has two; which of two values is meant nobody can say.
fn once(key: &str, stated: &mut Vec<String>) -> Result<(), String> {
    let name = match key {
        "DSNAME" => "DSN",
        "CCSID" => "CODEPAGE",
        other => other,
    };
    if stated.iter().any(|before| before == name) {
        return Err(format!("{key} is stated twice; remove one"));
    }
    stated.push(name.to_owned());
    Ok(())
}

/// Why CODEPAGE of a keyed file, or SIGN, is refused.
pub const WITHOUT_COPYBOOK: &str = "CODEPAGE and SIGN need COPYBOOK, which tells what of a record is text";

fn copybook_path(value: &str) -> Result<String, String> {
    match value.trim_ascii().trim_matches('\'') {
        "" => Err("COPYBOOK= is followed by no path".into()),
        path => Ok(path.into()),
    }
}

fn code_page(value: &str) -> Result<CodePage, String> {
    let page = CodePage::parse(value).map_err(|error| format!("CODEPAGE: {error}"))?;
    if page.is_ebcdic() {
        Ok(page)
    } else {
        Err(format!(
            "CODEPAGE={} is the program's own code; leave COPYBOOK and CODEPAGE out",
            value.trim_ascii()
        ))
    }
}

/// RLS, with the words of JCL.
fn read_integrity(value: &str) -> Result<ReadIntegrity, String> {
    match value.trim_ascii().to_ascii_uppercase().as_str() {
        "NRI" => Ok(ReadIntegrity::None),
        "CR" => Ok(ReadIntegrity::Consistent),
        "CRE" => Ok(ReadIntegrity::Repeatable),
        other => Err(format!("RLS={other} is none of NRI, CR and CRE")),
    }
}

/// How the program keeps signs: as cobc's `-fsign` says.
fn sign(value: &str) -> Result<bool, String> {
    match value.trim_ascii().to_ascii_uppercase().as_str() {
        "ASCII" => Ok(false),
        "EBCDIC" => Ok(true),
        other => Err(format!("SIGN={other} is neither ASCII nor EBCDIC")),
    }
}

/// `NAME` or `NAME(generation)`.
fn with_generation(text: &str, found: &mut Assigned) -> Result<(), String> {
    let text = unquoted(text.trim_ascii());
    if text.eq_ignore_ascii_case("NULLFILE") {
        found.dummy = true;
        return Ok(());
    }
    let name = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        None => text,
        Some((name, relative)) => {
            let number = relative.trim_ascii().parse::<i32>();
            let number = number.ok().filter(|n| (-999..=255).contains(n));
            found.generation = Some(number.ok_or_else(|| {
                format!("'{relative}' is no relative generation; 0, -1 to -999 and +1 to +255 are, members are not supported")
            })?);
            name
        }
    };
    found.name = Some(data_set(name).map_err(|error| error.to_string())?);
    Ok(())
}

/// The three words of DISP: status, what becomes of the data set in the end, and what if the step ends abnormally. That
/// it stays is all that is done here: at the end the program has asked for it, and after a failure it is whole.
fn disposition(value: &str, unused: &mut Vec<String>) -> Result<Disposition, String> {
    let value = value.trim_ascii();
    let inner = value.strip_prefix('(').map(|rest| rest.strip_suffix(')'));
    let inner = inner.unwrap_or(Some(value));
    let inner = inner.ok_or_else(|| format!("DISP={value} has no closing parenthesis"))?;
    let words: Vec<String> = inner
        .split(',')
        .map(|word| word.trim_ascii().to_ascii_uppercase())
        .collect();
    for (place, word) in words.iter().enumerate().skip(1) {
        match (place, word.as_str()) {
            (_, "" | "KEEP" | "CATLG") => {}
            (1, "PASS") | (2, "DELETE" | "UNCATLG") => unused.push(format!("DISP={word} AT THE END")),
            (1, "DELETE" | "UNCATLG") => {
                return Err(format!(
                    "DISP: {word} is not supported: a data set stays, and in the catalog"
                ))
            }
            _ => return Err(format!("DISP: {word} is none of KEEP, CATLG, DELETE, UNCATLG and PASS")),
        }
    }
    match words.first().map_or("", String::as_str) {
        _ if words.len() > 3 => Err(format!("DISP={value} has more than three words")),
        "" | "NEW" => Ok(Disposition::New),
        "OLD" | "SHR" => Ok(Disposition::Old),
        "MOD" => Ok(Disposition::Mod),
        other => Err(format!("DISP={other} is none of NEW, OLD, SHR and MOD")),
    }
}

/// AMP's subparameters, each with the values it takes. Buffers are the open's own; what else is right is noted, and what
/// is wrong is an error.
fn amp(value: &str, found: &mut Assigned) -> Result<(), String> {
    let value = value.trim_ascii();
    if value.matches('\'').count() % 2 != 0 {
        return Err(format!("AMP={value}: an apostrophe has no partner"));
    }
    let mut stated = Vec::new();
    let inner = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    for part in operands(inner.unwrap_or(value)) {
        for item in operands(part.trim_ascii().trim_matches('\'')) {
            let item = item.trim_ascii().trim_matches('\'').to_ascii_uppercase();
            let (key, value) = item.split_once('=').unwrap_or((&item, ""));
            once(key, &mut stated).map_err(|twice| format!("AMP: {twice}"))?;
            if let "BUFND" | "BUFNI" | "STRNO" | "BUFSP" = key {
                let buffers = found.buffers.get_or_insert_default();
                match key {
                    "BUFND" => buffers.data = Some(amp_number(key, value, 2, u16::MAX)?),
                    "BUFNI" => buffers.index = Some(amp_number(key, value, 1, u8::MAX.into())?),
                    "STRNO" => buffers.strings = Some(amp_number(key, value, 1, u8::MAX)?),
                    _ => buffers.space = Some(amp_number(key, value, 1, MOST_SPACE)?),
                }
                continue;
            }
            if let "SHRPOOL" | "DEFERW" = key {
                let buffers = found.buffers.get_or_insert_default();
                match (key, value) {
                    ("SHRPOOL", number) => {
                        let number = number.parse().ok().filter(|&number: &u8| number < u8::MAX);
                        buffers.pool =
                            Some(number.ok_or_else(|| format!("AMP: {key}={value} is no number from 0 to 254"))?);
                    }
                    (_, "YES" | "NO") => buffers.deferred = value == "YES",
                    _ => return Err(format!("AMP: {key}={value} is none of YES, NO")),
                }
                continue;
            }
            let one_of = |words: &[&str]| {
                if words.contains(&value) {
                    Ok(())
                } else {
                    Err(format!("AMP: {key}={value} is none of {}", words.join(", ")))
                }
            };
            match key {
                "AMORG" if value.is_empty() => {}
                "ACCBIAS" => one_of(&["USER", "SYSTEM", "DO", "DW", "SO", "SW"])?,
                "OPTCD" => one_of(&["I", "L", "IL"])?,
                "RECFM" => one_of(&["F", "FB", "V", "VB"])?,
                "TRACE" | "FRLOG" | "RMODE31" | "SMBDFR" | "SMBHWT" | "SMBVSP" | "SMBVSPI" | "CROPS" | "SYNAD"
                | "MSG" => {}
                _ => return Err(format!("AMP: {item} is no subparameter")),
            }
            found.unused.push(format!("AMP={item}"));
        }
    }
    // What no data set can give is told before one is made, or made anew.
    let Some(buffers) = found.buffers else { return Ok(()) };
    match (buffers.pool, buffers.deferred) {
        // A pool's buffers are what it has.
        (Some(_), _) => return Ok(()),
        (None, true) => return Err("AMP: DEFERW is for buffers that are shared; say SHRPOOL too".into()),
        (None, false) => {}
    }
    buffers
        .quota("AMP", NO_SIZES)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Of a data set that nobody knows yet.
const NO_SIZES: BufferSizes = BufferSizes {
    data: 0,
    index: None,
    record: 0,
    spanned: false,
};

/// The most that BUFSP may be.
const MOST_SPACE: u32 = 16_776_704;

/// A number of AMP's, of which `least` is told; why 1 is too few where it is, the caller tells.
fn amp_number<T>(key: &str, value: &str, least: u8, most: T) -> Result<T, String>
where
    T: FromStr + PartialOrd + From<u8> + Display,
{
    match value.parse::<T>() {
        Ok(number) if number >= T::from(1) && number <= most => Ok(number),
        _ => Err(format!("AMP: {key}={value} is no number from {least} to {most}")),
    }
}

/// Operands between commas that are in no parentheses and no apostrophes.
fn operands(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut from, mut found) = (0usize, false, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if depth == 0 && !quoted => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found
}

/// Where libcob would look for a file: the value, below COB_FILE_PATH if that is set.
pub fn path(value: &str, environment: impl Fn(&str) -> Option<String>) -> std::path::PathBuf {
    match environment("COB_FILE_PATH").filter(|p| !p.is_empty()) {
        Some(directory) if !value.contains('/') => std::path::Path::new(&directory).join(value),
        _ => value.into(),
    }
}
