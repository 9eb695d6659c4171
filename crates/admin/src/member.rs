//! Names with parentheses, `A.LIB(MEMBER)` and `A.GROUP(-1)`, where an entry of the catalog is wanted.
//!
//! Neither names one: a partitioned data set's members are no entries, and there are none here; a relative generation is
//! known to REPRO and the like, while DELETE, ALTER and LISTCAT take the name of the generation itself, as on z/OS.

use super::failure::{not_found, refused, Failure};
use cica_catalog::generation::parse_relative;
use cica_catalog::{Contents, Name};

/// Is `text` the name of a member?
pub fn is_member(text: &str) -> bool {
    text.contains('(') && parse_relative(text).is_none()
}

/// Refuses a name with parentheses, in the words that fit what stands before them.
pub fn check_entry(contents: &Contents, text: &str) -> Result<(), Failure> {
    let Some((base, _)) = text.split_once('(') else {
        return Ok(());
    };
    let name = Name::parse(base).map_err(|error| refused(&error, 8, 42))?;
    let found = contents.find(&name).ok_or_else(|| not_found(&name))?;
    let words = match parse_relative(text) {
        Some(_) => format!("{text} is a relative generation; name the generation itself, {name}.GnnnnVnn"),
        None => format!(
            "{name} has no members, it is of type {} and no partitioned data set; name it without parentheses to mean the whole",
            found.kind().word()
        ),
    };
    Err(refused(&words, 8, 42))
}
