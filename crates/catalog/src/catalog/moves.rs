//! Entries that change catalogs, whole at any crash (REPRO MERGECAT).
//!
//! Two files cannot be replaced by one rename, so each step is one write of one catalog (K1), and one of them decides:
//!
//! ```text
//!     source catalog                         target catalog
//!  1  + move, leaving
//!  2                                         + entries, + move, coming in        <- decides
//!  3  - entries, - move
//!  4                                         - move
//! ```
//!
//! Invariants:
//!
//! * M1. Whoever changes a catalog first ends the moves noted in it: one that leaves is done (step 3) when the target
//!   has noted it, else it never was; one that comes in is forgotten (step 4) when the source no longer notes it.
//! * M2. The source stays locked from step 1 to step 3, so nobody judges a move that is still under way. The target is
//!   locked only within step 2; a move is refused as busy where two go in opposite directions at once.
//! * M3. Between 2 and 3 both catalogs name the same files. Readers see the same entry in either; nobody can change it
//!   in the source, by M1.

use super::files;
use super::store;
use super::Catalog;
use crate::contents::Contents;
pub use crate::contents::Move;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::name::Name;
use cica_disk::File;
use std::path::Path;
use std::sync::Arc;

impl Catalog {
    /// Moves entries to another catalog; all of them, or none.
    ///
    /// # Errors
    /// An entry is not here or its name is taken there, a volume is not known there, or a catalog cannot be read or
    /// written. The entries stay where they were, except for [`CatalogError::NotDurable`].
    pub fn move_entries(&self, target: &Catalog, names: &[Name]) -> Result<(), CatalogError> {
        let lock = files::lock(&*self.disk, self.directory(), self.patience_now())?;
        let mut source = self.ended_moves()?;
        let entries: Vec<Entry> = names
            .iter()
            .map(|name| source.get(name).cloned())
            .collect::<Result<_, _>>()?;
        let leaving = Move {
            number: self.generation()?,
            other: target.directory().to_owned(),
            names: names.to_vec(),
            incoming: false,
        };
        source.begin_move(leaving.clone());
        self.write_locked(&source, &*lock)?;
        let taken_in = target.transact(|contents| {
            for entry in entries {
                check_volumes(&source, self.directory(), contents, target.directory(), &entry)?;
                contents.insert(entry)?;
            }
            contents.begin_move(Move {
                other: self.directory().to_owned(),
                incoming: true,
                ..leaving.clone()
            });
            Ok::<(), CatalogError>(())
        });
        // What the target has decided is known from the target alone: its write may have failed and yet be there.
        let ended = self.ended_moves()?;
        self.write_locked(&ended, &*lock)?;
        taken_in?;
        // Step 4 is also done by the next change of the target.
        target.transact(|_| Ok::<(), CatalogError>(()))
    }

    /// What the catalog holds, its moves ended (M1). The lock is held.
    pub(crate) fn ended_moves(&self) -> Result<Contents, CatalogError> {
        let mut contents = Contents::clone(&*self.contents()?);
        let noted: Vec<Move> = contents.moves().cloned().collect();
        for on_its_way in noted {
            let other = self.other_side(&on_its_way)?;
            if on_its_way.incoming {
                if other {
                    continue;
                }
            } else if other {
                for name in &on_its_way.names {
                    contents.remove(name)?;
                }
            }
            contents.end_move(&on_its_way);
        }
        Ok(contents)
    }

    /// Has the other catalog noted the move as well?
    fn other_side(&self, on_its_way: &Move) -> Result<bool, CatalogError> {
        files::admit(&*self.disk, &on_its_way.other, false)?;
        let other = store::read(&*self.disk, &on_its_way.other);
        let (_, contents) = match other {
            // A catalog that is gone notes nothing, and must not keep this one from being changed for ever.
            Err(CatalogError::NoCatalog { .. }) => return Ok(false),
            other => other?,
        };
        let found = contents.moves().any(|there| {
            there.number == on_its_way.number
                && there.incoming != on_its_way.incoming
                && there.other == self.directory()
        });
        Ok(found)
    }

    fn write_locked(&self, contents: &Contents, lock: &dyn File) -> Result<(), CatalogError> {
        let now = self.contents()?;
        if *contents == *now {
            return Ok(());
        }
        let generation = self.generation()? + 1;
        self.write_vvds(contents, generation - 1, generation);
        let header = store::write(&*self.disk, self.directory(), contents, generation, lock)?;
        self.remember(header, Arc::new(contents.clone()));
        Ok(())
    }
}

/// The volumes of an entry lie in the same directories for both catalogs.
fn check_volumes(
    source: &Contents,
    from: &Path,
    target: &Contents,
    to: &Path,
    entry: &Entry,
) -> Result<(), CatalogError> {
    for (_, component) in entry.components() {
        for serial in &component.volumes {
            let (there, here) = (target.volume(serial)?, source.volume(serial)?);
            if there.path(to) != here.path(from) {
                return Err(CatalogError::VolumeDiffers {
                    serial: serial.clone(),
                    here: here.path(from),
                    there: there.path(to),
                });
            }
        }
    }
    Ok(())
}
