//! The roots of a component file: which of its two copies counts, and how one is written.
//!
//! What is found in the area of a copy:
//!
//! | in the area | counts |
//! |---|---|
//! | a root of that copy's versions | as it is |
//! | a root of the other copy's versions | as the next version: it was meant for the other copy and went to the wrong place |
//! | what was a root, and in the middle of it a newer one | the same: it went over the one that was there |
//! | anything else | not |
//!
//! * A1. What a root names was durable before it was written, so one that went to the wrong place may count.
//! * A2. The version it counts as is of the copy where it lies, so the next root is not written over it.
//! * A3. What would make the older copy the newest is looked at twice: one read may go wrong on its way.
//! * A4. Remains of a write that went wrong long ago are older than the root around them, and do not count.

use crate::error::OpenError;
use cica_disk::{File, ReadAt, WriteAt};
use cica_format::root::{Part, Root, AREA_LEN, FIXED_LEN};
use std::path::Path;

/// A write that goes to the wrong place begins at a multiple of this: the smallest sector there is.
const SECTOR: usize = 512;

/// The committed root of a data component: the one with the highest version.
pub(crate) fn read_root(file: &dyn File, path: &Path) -> Result<Root, OpenError> {
    read_root_and_twin(file, path).map(|(root, _)| root)
}

/// The same, and whether the other copy has it as well, under another version. Then it is durable (R7). Else its writer
/// may have died between write and sync (R11).
pub(crate) fn read_root_and_twin(file: &dyn File, path: &Path) -> Result<(Root, bool), OpenError> {
    // A copy that cannot be read might be the newer one: the older must not be taken for it.
    let copies = [read_copy_twice(file, path, 0)?, read_copy_twice(file, path, 1)?];
    let mut why = String::new();
    let (mut best, mut twin): (Option<Root>, bool) = (None, false);
    for (copy, read) in (0..).zip(copies) {
        let found = match read {
            Ok(root) => Some(root),
            Err(text) => {
                why = text;
                root_astray(file, path, copy)?
            }
        };
        let Some(mut root) = found else { continue };
        if root.version & 1 != copy {
            root.version = root.version.saturating_add(1); // A2
        }
        twin |= best.as_ref().is_some_and(|best| are_twins(best, &root));
        if best.as_ref().is_none_or(|best| root.version > best.version) {
            best = Some(root);
        }
    }
    match best {
        Some(root) if root.part == Part::Data => Ok((root, twin)),
        Some(root) => Err(OpenError::Unusable {
            path: path.to_path_buf(),
            what: format!(
                "this is the index component {}; open its cluster",
                root.attributes.component_name
            ),
        }),
        None => Err(OpenError::Unusable {
            path: path.to_path_buf(),
            what: format!("not a usable data component: {why}"),
        }),
    }
}

/// Do both name the same state? The older one is durable before the newer is written.
fn are_twins(one: &Root, other: &Root) -> bool {
    let without_version = |root: &Root| Root {
        version: 0,
        ..root.clone()
    };
    without_version(one) == without_version(other)
}

/// The root that was written into the middle of copy `copy`, which is none any more.
pub(crate) fn root_astray(file: &dyn File, path: &Path, copy: u32) -> Result<Option<Root>, OpenError> {
    let area = read_area(file, path, copy)?;
    let (Ok(len), Ok(version)) = (Root::encoded_len_hint(&area), Root::version_hint(&area)) else {
        return Ok(None);
    };
    let newer = |at: &usize| Root::decode(&area[*at..]).is_ok_and(|root| root.version > version); // A4
    let Some(at) = (SECTOR..len).step_by(SECTOR).find(newer) else {
        return Ok(None);
    };
    let again = read_area(file, path, copy)?; // A3
    Ok(Root::decode(&again[at..]).ok())
}

/// Writes a root to its copy and makes it durable; returns its checksum.
pub(crate) fn write_root(file: &dyn File, path: &Path, root: &Root) -> Result<u32, OpenError> {
    let io = |doing: &'static str| {
        move |error| OpenError::Io {
            path: path.to_path_buf(),
            doing,
            error,
        }
    };
    let bytes = root
        .encode()
        .map_err(|e| OpenError::Attributes { what: e.to_string() })?;
    file.write(&[WriteAt {
        at: (root.version & 1) as u64 * AREA_LEN as u64,
        buf: &bytes,
    }])
    .map_err(io("write"))?;
    file.sync().map_err(io("sync"))?;
    Ok(Root::checksum_of(&bytes))
}

/// Writes the committed root over a copy that is none, durably (R8). Nothing else is written before it: the next root,
/// torn by a second crash, could complete what the first crash left to a root whose index root is gone by then.
pub(crate) fn write_over_torn_root(file: &dyn File, path: &Path, root: &mut Root) -> Result<(), OpenError> {
    let other = !root.version & 1;
    if read_copy(file, path, other)?.is_ok() || is_blank(file, path, other, Root::room(root.attributes.compressed))? {
        return Ok(());
    }
    root.version += 1;
    write_root(file, path, root).map(drop)
}

/// Whether a copy of a root has no byte in its room: none was written there yet, so there is nothing that could be
/// completed.
fn is_blank(file: &dyn File, path: &Path, copy: u32, room: usize) -> Result<bool, OpenError> {
    let area = read_area(file, path, copy)?;
    Ok(area[..room].iter().all(|byte| *byte == 0))
}

/// All that lies where a copy has its place; zeros behind the end of the file.
fn read_area(file: &dyn File, path: &Path, copy: u32) -> Result<Vec<u8>, OpenError> {
    let mut area = vec![0; AREA_LEN];
    file.read(&mut [ReadAt {
        at: copy as u64 * AREA_LEN as u64,
        buf: &mut area,
        got: 0,
    }])
    .map_err(|error| OpenError::Io {
        path: path.to_path_buf(),
        doing: "read of the root",
        error,
    })?;
    Ok(area)
}

/// One copy of a root. What is none at the first look is looked at again: one read gone wrong on its way must not
/// make the older copy the newest.
fn read_copy_twice(file: &dyn File, path: &Path, copy: u32) -> Result<Result<Root, String>, OpenError> {
    match read_copy(file, path, copy)? {
        Ok(root) if root.version & 1 == copy => Ok(Ok(root)),
        // Also when it is the other copy: it was read from the wrong place.
        _ => read_copy(file, path, copy),
    }
}

/// One copy of a root; the inner error says why the bytes are none.
pub(crate) fn read_copy(file: &dyn File, path: &Path, copy: u32) -> Result<Result<Root, String>, OpenError> {
    let read = read_copy_and_checksum(file, path, copy)?;
    Ok(read.map(|(root, _)| root))
}

/// The same, and the checksum of its bytes as they are: written anew, a root of an earlier format has others.
pub(crate) fn read_copy_and_checksum(
    file: &dyn File,
    path: &Path,
    copy: u32,
) -> Result<Result<(Root, u32), String>, OpenError> {
    let io = |error| OpenError::Io {
        path: path.to_path_buf(),
        doing: "read of the root",
        error,
    };
    let at = copy as u64 * AREA_LEN as u64;
    let mut bytes = vec![0; FIXED_LEN];
    let mut batch = [ReadAt {
        at,
        buf: &mut bytes,
        got: 0,
    }];
    file.read(&mut batch).map_err(io)?;
    let got = batch[0].got;
    bytes.truncate(got);
    let need = match Root::encoded_len_hint(&bytes) {
        Ok(need) => need,
        Err(error) => return Ok(Err(error.to_string())),
    };
    if need > bytes.len() {
        bytes.resize(need, 0);
        let mut batch = [ReadAt {
            at,
            buf: &mut bytes,
            got: 0,
        }];
        file.read(&mut batch).map_err(io)?;
        let got = batch[0].got;
        bytes.truncate(got);
    }
    let root = Root::decode(&bytes).map_err(|e| e.to_string());
    Ok(root.map(|root| (root, Root::checksum_of(&bytes))))
}
