//! What stands under the name of an entry that comes out of a copy, and what that entry leads to.
//!
//! 1. What was seen of a data set is looked at again when it is locked: nobody can change it from then on.
//! 2. A data set cannot be read if something is wrong with its files. What the process has no right to, or no means
//!    for, is a failure and says nothing of them.
//! 3. Whatever leads to a data set leads to something that it can be over.

use super::super::failure::{refused, Failure};
use super::super::making::Replaced;
use super::super::trouble::not_opened;
use super::super::Services;
use super::stored::files;
use cica_catalog::{Catalog, Contents, Entry, Name};
use cica_disk::{DiskError, Open};
use cica_engine::OpenError;
use cica_format::root::Root;

/// A data set that goes for another: nobody can open it.
pub struct LockedOriginal {
    pub entry: Entry,
    pub lock: Replaced,
    /// Its root, complete; none: it cannot be read, or its files are not there.
    pub root: Option<Root>,
}

impl LockedOriginal {
    /// Reads the root of a data set and locks its files (1).
    ///
    /// # Errors
    /// It is in use or was changed meanwhile, a unit in doubt has changed it, or the process cannot read it (2).
    pub fn hold(services: &Services, catalog: &Catalog, entry: Entry) -> Result<LockedOriginal, Failure> {
        let root = root(services, catalog, &entry)?;
        let erase = entry.attributes().is_some_and(|a| a.erase);
        let lock = Replaced::lock(services, catalog, entry.clone(), erase)?;
        if let (Some(root), Some((data, _))) = (&root, files(catalog, &entry)?) {
            if services.engine.peek(&data)?.version != root.version {
                let words = format!("{} was changed meanwhile; try again", entry.name());
                return Err(refused(&words, 184, 6));
            }
        }
        Ok(LockedOriginal { entry, lock, root })
    }
}

/// The root of a data set as it is, complete: what its log has is in the archive then.
fn root(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<Option<Root>, Failure> {
    let Some((data, index)) = files(catalog, entry)? else {
        return Ok(None);
    };
    match services.engine.stored(&data, &index) {
        Ok(stored) => Ok(Some(stored.data.root().clone())),
        Err(error) if is_of_files(services, &error) => Ok(None),
        Err(error) => Err(not_opened(entry.name().as_str(), &error)),
    }
}

/// Is something wrong with the files (2)?
fn is_of_files(services: &Services, error: &OpenError) -> bool {
    match error {
        OpenError::Missing { .. } | OpenError::Unusable { .. } => true,
        OpenError::Io { error, .. } => !DiskError::is_of_process(error),
        // It has words alone of a log that cannot be read.
        OpenError::Log { path, .. } => {
            let opened = services.disk.open(path, Open::default());
            !opened.is_err_and(|error| DiskError::is_of_process(&error))
        }
        _ => false,
    }
}

/// Refuses to fill a data set that is not empty. It is locked (1).
pub fn check_empty(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<(), Failure> {
    let Some((data, _)) = files(catalog, entry)? else {
        return Ok(());
    };
    let root = services.engine.peek(&data)?;
    if root.ca_count == 0 && root.log.log == 0 {
        Ok(())
    } else {
        Err(not_empty(entry.name()))
    }
}

/// The refusal of INTOEMPTY.
pub fn not_empty(name: &Name) -> Failure {
    refused(&format!("{name} is not empty; INTOEMPTY does not replace it"), 140, 0)
}

/// The name that an alternate index, a path or an alias leads to. A symbolic alias leads to what is there when it is
/// used.
pub fn leads_to(entry: &Entry) -> Option<&Name> {
    match entry {
        Entry::Aix(aix) => Some(&aix.relate),
        Entry::Path(path) => Some(&path.target),
        Entry::Alias(alias) => alias.entry(),
        _ => None,
    }
}

/// The refusal of what leads to nothing.
pub fn not_over(name: &Name, target: &Name) -> Failure {
    let words = format!("{name} is over {target}, and no data set of that name is there; import it first");
    refused(&words, 8, 42)
}

/// The name that an entry leads to, if nothing that it can be over has it in the catalog or comes with it (3).
pub fn leads_nowhere<'e>(contents: &Contents, coming: &[Entry], entry: &'e Entry) -> Option<&'e Name> {
    let target = leads_to(entry)?;
    let fits = |there: &Entry| match entry {
        Entry::Aix(_) => matches!(there, Entry::Cluster(_)),
        Entry::Path(_) => matches!(there, Entry::Cluster(_) | Entry::Aix(_)),
        _ => true,
    };
    let comes = coming.iter().find(|e| e.name() == target);
    let there = comes.or_else(|| contents.get(target).ok());
    (!there.is_some_and(fits)).then_some(target)
}
