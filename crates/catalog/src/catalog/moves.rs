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
//!   has noted it, else it never was; one that comes in is forgotten (step 4) when the source no longer notes it. A
//!   catalog that is away, though its master names it, may have noted anything: the move waits until it is back or
//!   disconnected, and what leaves stays as it is. Only the master can say that: a user catalog that was opened without
//!   it waits too.
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
use crate::place;
use cica_disk::{Disk, File};
use std::path::Path;
use std::sync::Arc;

/// What the other catalog of a move says of it.
enum OtherSide {
    Noted,
    NotNoted,
    /// It cannot be asked now.
    Away,
}

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
            other: target.place().to_owned(),
            names: names.to_vec(),
            incoming: false,
        };
        source.begin_move(leaving.clone());
        self.write_locked(&source, &*lock)?;
        let taken_in = target.transact(|contents| {
            for entry in entries {
                check_volumes(
                    &*self.disk,
                    (&source, self.directory()),
                    (contents, target.directory()),
                    &entry,
                )?;
                if contents.has_one_of(&entry.files()) {
                    let name = entry.name().clone();
                    return Err(CatalogError::Duplicate { name });
                }
                contents.insert(entry)?;
            }
            contents.begin_move(Move {
                other: self.place().to_owned(),
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
            match (self.other_side(&on_its_way)?, on_its_way.incoming) {
                (OtherSide::Away, _) | (OtherSide::Noted, true) => continue,
                (OtherSide::Noted, false) => {
                    for name in &on_its_way.names {
                        contents.remove(name)?;
                    }
                }
                (OtherSide::NotNoted, _) => {}
            }
            contents.end_move(&on_its_way);
        }
        Ok(contents)
    }

    /// Refuses to change what leaves for a catalog that is away (M1).
    pub(crate) fn check_leaving(&self, now: &Contents, next: &Contents) -> Result<(), CatalogError> {
        for leaving in next.moves().filter(|on_its_way| !on_its_way.incoming) {
            let changed = |name: &&Name| now.get(name).ok() != next.get(name).ok();
            if let Some(name) = leaving.names.iter().find(changed) {
                return Err(CatalogError::OnItsWay {
                    name: name.clone(),
                    to: leaving.other.clone(),
                });
            }
        }
        Ok(())
    }

    /// Has the other catalog noted the move as well?
    fn other_side(&self, on_its_way: &Move) -> Result<OtherSide, CatalogError> {
        files::admit(&*self.disk, &on_its_way.other, false)?;
        let other = store::read(&*self.disk, &on_its_way.other);
        let (_, contents) = match other {
            Err(CatalogError::NoCatalog { .. }) => {
                return Ok(match self.is_known(&on_its_way.other)? {
                    // A catalog that is gone notes nothing, and must not keep this one from being changed for ever.
                    Some(false) => OtherSide::NotNoted,
                    // Only the master knows that it is gone.
                    Some(true) | None => OtherSide::Away,
                });
            }
            other => other?,
        };
        let found = contents.moves().any(|there| {
            there.number == on_its_way.number
                && there.incoming != on_its_way.incoming
                && place::is_same(&*self.disk, &there.other, self.directory())
        });
        Ok(if found { OtherSide::Noted } else { OtherSide::NotNoted })
    }

    fn write_locked(&self, contents: &Contents, lock: &dyn File) -> Result<(), CatalogError> {
        let now = self.contents()?;
        if *contents == *now {
            return Ok(());
        }
        let generation = self.generation()? + 1;
        self.write_vvds((&*now, contents), (generation - 1, generation));
        let header = store::write(&*self.disk, self.directory(), contents, generation, lock)?;
        self.remember(header, Arc::new(contents.clone()));
        Ok(())
    }
}

/// The volumes of an entry lie in the same directories for both catalogs.
fn check_volumes(
    disk: &dyn Disk,
    (source, from): (&Contents, &Path),
    (target, to): (&Contents, &Path),
    entry: &Entry,
) -> Result<(), CatalogError> {
    for (_, component) in entry.components() {
        for serial in &component.volumes {
            let (there, here) = (target.volume(serial)?, source.volume(serial)?);
            if !place::is_same(disk, &there.path(to), &here.path(from)) {
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
