//! Which file is it? From ASSIGN to a data set, or to a path that is libcob's.
//!
//! ```text
//! ASSIGN text --- DD_text, dd_text, text in the environment ---> value, else the text itself
//! value: //NAME or DSN=NAME,...   a data set, and nothing else
//!        NAME                     a data set if the catalog has it; else a path
//!        with a slash             a path
//! ```

use cica_catalog::name::NameError;
use cica_catalog::Name;

/// What an ASSIGN leads to.
#[derive(Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The value, as it was found.
    pub value: String,
    /// The data set it may mean.
    pub name: Option<Name>,
    /// It can mean nothing else.
    pub explicit: bool,
    /// DISP.
    pub disposition: Disposition,
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
    let text = text.trim_matches(['"', '\'']);
    let mapped = (!text.contains('/')).then(|| {
        let names = [format!("DD_{text}"), format!("dd_{text}"), text.to_string()];
        names
            .iter()
            .find_map(|name| environment(name).filter(|v| !v.is_empty()))
    });
    let value = mapped.flatten().unwrap_or_else(|| text.to_string());
    let bad = |reason: String| BadName {
        value: value.clone(),
        reason,
    };
    let upper = value.to_ascii_uppercase();
    let mut found = Assigned {
        value: value.clone(),
        name: None,
        explicit: true,
        disposition: Disposition::default(),
        unused: Vec::new(),
    };
    if let Some(name) = value.strip_prefix("//") {
        found.name = Some(data_set(name).map_err(|error| bad(error.to_string()))?);
    } else if upper.starts_with("DSN=") || upper.starts_with("DSNAME=") {
        dd(&value, &mut found).map_err(bad)?;
    } else {
        found.explicit = false;
        found.name = data_set(&value).ok();
    }
    Ok(found)
}

fn data_set(text: &str) -> Result<Name, NameError> {
    Name::parse(text.trim().trim_matches('\''))
}

/// `DSN=name[(generation)],DISP=(NEW,...),AMP=(...)`.
fn dd(text: &str, found: &mut Assigned) -> Result<(), String> {
    for operand in operands(text) {
        let (key, value) = operand
            .split_once('=')
            .ok_or_else(|| format!("'{operand}' has no equals sign"))?;
        match key.trim().to_ascii_uppercase().as_str() {
            "DSN" | "DSNAME" => {
                let value = value.trim();
                if value.ends_with(')') {
                    return Err("generations of VSAM data sets are not supported yet".into());
                }
                found.name = Some(data_set(value).map_err(|error| error.to_string())?);
            }
            "DISP" => found.disposition = disposition(value)?,
            "AMP" => found.unused.push(format!("AMP={}", value.trim())),
            other => return Err(format!("{other} is no operand known here; DSN, DISP and AMP are")),
        }
    }
    Ok(())
}

fn disposition(value: &str) -> Result<Disposition, String> {
    let first = value.trim().trim_matches(['(', ')']);
    let first = first.split(',').next().unwrap_or_default();
    match first.trim().to_ascii_uppercase().as_str() {
        "" | "NEW" => Ok(Disposition::New),
        "OLD" | "SHR" => Ok(Disposition::Old),
        "MOD" => Ok(Disposition::Mod),
        other => Err(format!("DISP={other} is none of NEW, OLD, SHR and MOD")),
    }
}

/// Operands between commas that are in no parentheses.
fn operands(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
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
