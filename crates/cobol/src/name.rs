//! Which file is it? From ASSIGN to a data set, or to a path that is libcob's.
//!
//! ```text
//! ASSIGN text --- DD_text, dd_text, text in the environment ---> value, else the text itself
//! value: //NAME or DSN=NAME,...   a data set, and nothing else; NAME(-1), NAME(0), NAME(+1) a generation
//!        NAME                     a data set if the catalog has it; else a path
//!        with a slash             a path
//!        path,CODEPAGE=...        the same, and what its records are like
//! ```

use crate::amp::{amp, Amp, BufferBias};
use crate::code_set::WantedCodeSet;
use crate::operands::{once, operands};
use cica_catalog::name::NameError;
use cica_catalog::Name;
use cica_engine::{Buffering, ReadIntegrity};
use cica_qsam::{Attributes, CodePage, DdText};

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
    /// AMP's words of system-managed buffering.
    pub bias: Option<BufferBias>,
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

/// Why a value says nothing.
#[derive(Debug)]
pub struct BadName {
    /// The value.
    pub value: String,
    /// Why.
    pub reason: String,
    /// What of it is wrong.
    pub wrong: Wrong,
}

/// What of a value is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// The name.
    Name,
    /// What AMP says.
    Amp,
    /// Another operand.
    Operand,
}

/// Why a text cannot be understood, and what of it is wrong.
struct Fault {
    reason: String,
    wrong: Wrong,
}

impl Fault {
    fn of_name(reason: String) -> Fault {
        let wrong = Wrong::Name;
        Fault { reason, wrong }
    }

    fn of_amp(reason: String) -> Fault {
        let wrong = Wrong::Amp;
        Fault { reason, wrong }
    }
}

impl<T: Into<String>> From<T> for Fault {
    fn from(reason: T) -> Fault {
        Fault {
            reason: reason.into(),
            wrong: Wrong::Operand,
        }
    }
}

/// Looks an ASSIGN text up.
///
/// # Errors
/// It is meant to be a data set name and is none, or its operands are wrong.
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
    let bad = |Fault { reason, wrong }| BadName {
        value: value.clone(),
        reason,
        wrong,
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
        bias: None,
        format: None,
        bufno: None,
        unused: Vec::new(),
    };
    if dummy {
        return Ok(found);
    }
    if let Some(name) = value.strip_prefix("//") {
        with_generation(name, &mut found).map_err(Fault::of_name).map_err(bad)?;
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
fn dd(text: &str, found: &mut Assigned) -> Result<(), Fault> {
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
            "DSN" | "DSNAME" => with_generation(value, found).map_err(Fault::of_name)?,
            "DISP" => found.disposition = disposition(value, &mut found.unused)?,
            "AMP" => {
                let Amp { buffers, bias, unused } = amp(value).map_err(Fault::of_amp)?;
                (found.buffers, found.bias) = (buffers, bias);
                found.unused.extend(unused);
            }
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
                )
                .into())
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

/// Where libcob would look for a file: the value, below COB_FILE_PATH if that is set.
pub fn path(value: &str, environment: impl Fn(&str) -> Option<String>) -> std::path::PathBuf {
    match environment("COB_FILE_PATH").filter(|p| !p.is_empty()) {
        Some(directory) if !value.contains('/') => std::path::Path::new(&directory).join(value),
        _ => value.into(),
    }
}
