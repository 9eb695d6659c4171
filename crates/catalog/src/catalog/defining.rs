//! Files of a DEFINE that did not come to its end.
//!
//! DEFINE makes files within the change of the catalog that names them. Before it makes them it notes their names:
//!
//! ```text
//! <catalog>/defining     the generation that is changed; a line for each file: when it was made, serial and name
//! ```
//! * W1. The note is written under the catalog's lock, before the files. It counts as long as the catalog has the
//!   generation it names: the change was not written then, and whoever gets the lock knows that nobody is about to.
//! * W2. A noted file goes if no entry names it, it never held a record, nobody has it open, and it is not another's: it
//!   carries the time that was noted, or nothing at all. What the note says is not trusted any further.
//! * W3. The note is not synced: it is for processes that are killed. After a power cut a file may stay, which the next
//!   DEFINE of that name takes out of the way.

use super::files;
use super::Catalog;
use crate::contents::Contents;
use crate::error::CatalogError;
use crate::volume::Volser;
use crate::volume::VolumeFile;
use cica_disk::{Create, File, FileName, Lock, Open, ReadAt, WriteAt};
use cica_format::root::{Root, AREA_LEN, MAGIC};
use std::fmt::Write;
use std::io;

/// No note is longer: a sphere with a hundred alternate indexes.
const LONGEST: usize = 64 << 10;

/// What was noted.
struct Note {
    generation: u64,
    /// When they were made, and where.
    files: Vec<(u64, VolumeFile)>,
}

impl Catalog {
    /// Notes the files that are about to be made within a change of this catalog, and the time that they will carry
    /// (W1).
    ///
    /// # Errors
    /// The catalog's directory cannot be written.
    pub fn note_defining(&self, files: &[VolumeFile], created: u64) -> Result<(), CatalogError> {
        let generation = self.generation()?;
        // One of this generation is of this change: another's was cleared when it got the lock.
        let noted = self.note().filter(|note| note.generation == generation);
        let mut all = noted.map_or_else(Vec::new, |note| note.files);
        all.extend(files.iter().map(|place| (created, place.clone())));
        let mut note = format!("{generation}\n");
        for (created, (serial, file)) in all {
            // Writing to a String does not fail.
            let _ = writeln!(note, "{created} {serial} {file}");
        }
        self.write_note(note.as_bytes())
    }

    fn write_note(&self, note: &[u8]) -> Result<(), CatalogError> {
        let path = self.directory.join("defining");
        let how = Open {
            write: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        let written = self.disk.open(&path, how).and_then(|file| {
            // Never a mixture of two.
            file.size(Some(0))?;
            file.write(&[WriteAt { at: 0, buf: note }])
        });
        written.map_err(|source| CatalogError::Io {
            doing: "write",
            path,
            source,
        })
    }

    fn note(&self) -> Option<Note> {
        let path = self.directory.join("defining");
        let file = self.disk.open(&path, Open::default()).ok()?;
        let length = usize::try_from(file.size(None).ok()?).ok()?;
        if length == 0 || length > LONGEST {
            return None;
        }
        let text = String::from_utf8(files::read_start(&*self.disk, &path, length).ok()?).ok()?;
        let mut lines = text.lines();
        let generation = lines.next()?;
        let place = |line: &str| {
            let (created, place) = line.split_once(' ')?;
            let (serial, file) = place.split_once(' ')?;
            let place = (Volser::parse(serial).ok()?, FileName::parse(file).ok()?);
            Some((created.parse().ok()?, place))
        };
        Some(Note {
            generation: generation.parse().ok()?,
            files: lines.map(place).collect::<Option<_>>()?,
        })
    }

    /// Whether there is a note of a change that was not written.
    pub(crate) fn was_defining(&self, generation: u64) -> bool {
        self.note().is_some_and(|note| note.generation == generation)
    }

    /// Removes what a DEFINE left that did not come to its end; the lock is held. What cannot be removed stays, and the
    /// next DEFINE of that name says why.
    pub(crate) fn clear_defined(&self, contents: &Contents, generation: u64) {
        let Some(note) = self.note().filter(|note| note.generation == generation) else {
            return;
        };
        for (created, (serial, file)) in &note.files {
            if contents.is_taken(serial, file) {
                continue;
            }
            let Some(volume) = contents.volume(serial).ok() else {
                continue;
            };
            let directory = volume.path(&self.directory);
            let path = file.in_directory(&directory);
            let how = Open {
                write: true,
                lock: Lock::Exclusive,
                ..Open::default()
            };
            let Ok(held) = self.disk.open(&path, how) else { continue };
            if made_then(&*held, *created).unwrap_or(false) && self.disk.remove(&path).is_ok() {
                // One that comes back after a power cut is in nobody's way but a DEFINE's, which knows it.
                let _ = files::sync_directory(&*self.disk, &directory);
            }
        }
        // It may stay: the files are looked at once more then.
        let _ = self.write_note(b"");
    }
}

/// W2.
fn made_then(file: &dyn File, created: u64) -> io::Result<bool> {
    if !is_blank(file)? {
        return Ok(false);
    }
    let others = |root: Root| root.attributes.created != created;
    Ok(!roots(file)?
        .iter()
        .filter_map(|area| Root::decode(area).ok())
        .any(others))
}

fn roots(file: &dyn File) -> io::Result<Vec<Vec<u8>>> {
    (0..2)
        .map(|copy| {
            let mut buf = vec![0; AREA_LEN];
            let mut batch = [ReadAt {
                at: copy * AREA_LEN as u64,
                buf: &mut buf,
                got: 0,
            }];
            file.read(&mut batch).map(|()| buf)
        })
        .collect()
}

/// Whether a file has nothing but roots, of which none knows of records, in its tree or in a log; as far as they were
/// written. What begins with anything else is a file of somebody else's.
///
/// # Errors
/// It cannot be read.
pub fn is_blank(file: &dyn File) -> io::Result<bool> {
    if file.size(None)? > 2 * AREA_LEN as u64 {
        return Ok(false);
    }
    Ok(roots(file)?.iter().all(|area| {
        let start = &area[..MAGIC.len()];
        let is_a_root = start == MAGIC || start.iter().all(|byte| *byte == 0);
        is_a_root && !Root::decode(area).is_ok_and(|root| root.levels > 0 || root.log.log != 0)
    }))
}
