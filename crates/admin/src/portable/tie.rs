//! IMPORT of an alternate index: it becomes one of the base that is there, if the two agree.
//!
//! 1. Their files cannot tell whether they belong together: the base was made anew by its own IMPORT, or has been
//!    changed without this index. So they are compared, record by record.
//! 2. The base stays open for input until the index is in the catalog: nobody changes it without the index.
//! 3. What was never built says nothing of records, and needs none.

use super::super::bldindex::not_built;
use super::super::define::check_alternate_key;
use super::super::examine::MEMORY;
use super::super::failure::Failure;
use super::super::Services;
use super::not_imported;
use super::standing::not_over;
use super::stored::files;
use crate::report::Report;
use cica_catalog::entry::Aix;
use cica_catalog::{Catalog, Contents, Entry};
use cica_engine::{DataSet, Files, OpenOptions};
use cica_format::aix::Pointers;
use cica_format::attributes::{Attributes, Organization};
use cica_messages::CICA1021W;
use std::path::Path;

/// Makes an alternate index whose files are these one of its base. Returns the base, which the caller keeps until the
/// index is in the catalog (2), and the condition code.
///
/// # Errors
/// The two do not belong together, or the base cannot be read.
pub fn tie(
    services: &Services,
    catalog: &Catalog,
    aix: &Aix,
    index: &Files,
    out: &mut Report,
) -> Result<(Option<DataSet>, u8), Failure> {
    let contents = catalog.contents()?;
    let base = match contents.get(&aix.relate) {
        Ok(base @ Entry::Cluster(_)) => base,
        _ => return Err(not_over(&aix.name, &aix.relate)),
    };
    check_alternate_key(&contents, &aix.relate, aix.alternate_key)?;
    let Some((data, base_index)) = files(catalog, base)? else {
        return Err(not_over(&aix.name, &aix.relate));
    };
    let not = |words: String| not_imported(&aix.name, &words);
    let (of_base, of_index) = (services.engine.peek(&data)?, services.engine.peek(&index.data)?);
    let pointers = of_index.attributes.alternate.as_ref().map(|of| of.pointers);
    if !pointers.is_some_and(|pointers| lead_into(pointers, &of_base.attributes)) {
        return Err(not(format!("its pointers do not lead into records of {}", aix.relate)));
    }
    let unwritten = |error| not_built(aix.name.as_str(), aix.relate.as_str(), error);
    if of_index.levels == 0 {
        services.engine.tie_index(index, None, true).map_err(unwritten)?;
        return Ok((None, 0));
    }
    let opened = services.engine.open(&data, &base_index, OpenOptions::default());
    let opened = opened.map_err(|error| {
        not(format!(
            "it cannot be compared with its base {}, which must have been loaded: {error}",
            aix.relate
        ))
    })?;
    let (mut first, mut cc) = (None, 0);
    let work = (index.data.parent().unwrap_or(Path::new(".")), MEMORY);
    let compared = services.engine.compare_index(&opened, index, work, &mut |found| {
        first.get_or_insert_with(|| found.to_string());
    });
    let count = compared.map_err(unwritten)?.disagreements;
    match first {
        None => {}
        Some(first) if aix.upgrade => {
            return Err(not(format!(
                "it does not agree with its base {} in {count} places, the first of them: {first}. Define it anew and \
                 BLDINDEX it",
                aix.relate
            )));
        }
        Some(reason) => {
            // Nobody keeps it up, and it may lack changes of its base.
            let inserts: [(&str, &dyn std::fmt::Display); 4] = [
                ("name", &aix.name),
                ("base", &aix.relate),
                ("count", &count),
                ("reason", &reason),
            ];
            out.say(&CICA1021W, &inserts);
            cc = CICA1021W.cc;
        }
    }
    let own = another_has(services, catalog, &contents, aix, of_index.lineage())?;
    let tied = services.engine.tie_index(index, Some(&opened), own);
    tied.map_err(unwritten)?;
    Ok((Some(opened), cc))
}

/// Are they pointers to records of a base with these attributes?
fn lead_into(pointers: Pointers, base: &Attributes) -> bool {
    match pointers {
        Pointers::Keys(length) => base.organization == Organization::Ksds && u16::from(length) == base.key_length,
        Pointers::Rba | Pointers::Xrba => base.organization == Organization::Esds,
    }
}

/// May another alternate index of the same base have this lineage? One whose files cannot be read may.
fn another_has(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    aix: &Aix,
    lineage: u64,
) -> Result<bool, Failure> {
    let others = contents
        .related(&aix.relate)
        .filter(|entry| matches!(entry, Entry::Aix(_)) && *entry.name() != aix.name);
    for other in others {
        let Some((data, _)) = files(catalog, other)? else {
            continue;
        };
        match services.engine.peek(&data) {
            Ok(root) if root.lineage() != lineage => {}
            _ => return Ok(true),
        }
    }
    Ok(false)
}
