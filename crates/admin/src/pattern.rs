//! New names of many entries, by a pattern: ALTER NEWNAME and RESTORE RENAME.

use crate::failure::{refused, Failure};
use cica_catalog::{Mask, Name};

/// The new name of `name`, which `mask` means: where the mask has a `*` (or `**`) the new name has one too, and what it
/// stands for is kept.
pub fn renamed(mask: &Mask, new: &str, name: &Name) -> Result<Name, Failure> {
    let parsed = |text: &str| Name::parse(text).map_err(|error| refused(&error, 140, 0));
    if !mask.is_generic() {
        return parsed(new);
    }
    let kept = kept(mask.as_str(), name.as_str());
    match (kept, new.split_once('*')) {
        (Some(kept), Some((before, after))) => parsed(&format!("{before}{kept}{}", after.trim_start_matches('*'))),
        _ => Err(refused(
            &format!("{mask} and NEWNAME({new}) need one * each, in the places that stand for each other"),
            140,
            0,
        )),
    }
}

/// What the only star of the mask stands for.
fn kept<'n>(mask: &str, name: &'n str) -> Option<&'n str> {
    let (before, after) = mask.split_once("**").or_else(|| mask.split_once('*'))?;
    if before.contains(['*', '%']) || after.contains(['*', '%']) {
        return None;
    }
    name.strip_prefix(before)?.strip_suffix(after)
}
