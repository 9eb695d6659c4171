//! The catalogs in which entries of a generic name are looked for.
//!
//! ```text
//! PAY.*.K     alias PAY -> UCAT.PAY, alias PAY.X -> UCAT.X, alias PAY.X.Y -> UCAT.Y
//!             UCAT.PAY and UCAT.X, in the order of their aliases, then the master
//! ```
//! An alias is related to the name when names below it can be among those that are meant: `PAY.X.Y` above has none of
//! three qualifiers below it.

use super::Catalog;
use crate::contents::Contents;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::name::{Mask, Name};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Catalog {
    /// The catalogs related to a mask, the master behind them; one that cannot be read with the reason why.
    ///
    /// # Errors
    /// This one cannot be read.
    pub fn related(self: &Arc<Catalog>, mask: &Mask) -> Result<Vec<Result<Arc<Catalog>, CatalogError>>, CatalogError> {
        let mut related = Vec::new();
        for name in related_names(&*self.contents()?, mask) {
            let found = self.called(&name).and_then(|catalog| {
                catalog.contents()?;
                Ok(catalog)
            });
            match found {
                Ok(catalog) if catalog.place() == self.place() => {}
                Ok(catalog) => related.push(Ok(catalog)),
                Err(why) => related.push(Err(CatalogError::Unreachable {
                    name,
                    why: Box::new(why),
                })),
            }
        }
        related.push(Ok(self.clone()));
        Ok(related)
    }
}

/// Names of the user catalogs that aliases related to a mask stand for, each once.
pub fn related_names(contents: &Contents, mask: &Mask) -> Vec<Name> {
    let mut known = BTreeSet::new();
    let related = contents.entries().filter_map(|entry| match entry {
        Entry::Alias(alias) if mask.means_below(&alias.name) => contents.stands_for(alias).ok(),
        _ => None,
    });
    related
        .filter(|name| matches!(contents.get(name), Ok(Entry::UserCatalog(_))))
        .filter(|name| known.insert(name.clone()))
        .collect()
}

/// Is an entry a user catalog, or an alias of one? It leads to entries of other names, and a mask that means those does
/// not mean it.
pub fn leads_to_catalog(contents: &Contents, entry: &Entry) -> bool {
    match entry {
        Entry::UserCatalog(_) => true,
        Entry::Alias(alias) => {
            let target = contents.stands_for(alias);
            target.is_ok_and(|name| matches!(contents.get(&name), Ok(Entry::UserCatalog(_))))
        }
        _ => false,
    }
}
