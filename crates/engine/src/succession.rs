//! A data set of a dead owner's log whose path is another cluster's now. Either it was deleted and the other defined in
//! its place, or somebody moved files by hand. What was moved comes back, and may need its log then.
//!
//! | a file of the first | the other cluster | the first |
//! |---|---|---|
//! | lies in a directory of the volumes under another name | | was moved there |
//! | is nowhere | is of its lineage: it was made anew as a whole | is over |
//! | is nowhere | was created later than the log began with the first, or the log does not say when | was deleted |
//! | is nowhere | was created before | was moved to where nobody looks, and may come back |
//! | cannot be looked for: a directory, a file in it or a catalog cannot be read | is not of its line | may come back |

use crate::error::OpenError;
use crate::places::Places;
use crate::roots::read_root;
use cica_disk::{Disk, Open};
use cica_format::root::Root;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What the log says of the data set that is not at its path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Predecessor {
    pub cluster: u64,
    /// The cluster id of the first of its line; 0: the log does not say.
    pub lineage: u64,
    /// When the log began with it, nanoseconds since 1970, if the log says.
    pub begun: Option<u64>,
}

/// See the table.
#[derive(Debug)]
pub(crate) enum Fate {
    Over,
    MayComeBack,
    Moved(PathBuf, Box<Root>),
}

/// What became of `before`, at whose path `data` the cluster `now` lies.
pub(crate) fn fate(disk: &dyn Disk, places: &Places, data: &Path, before: Predecessor, now: &Root) -> Fate {
    let is_of_its_line = [before.cluster, before.lineage].contains(&now.lineage());
    let is_older = before.begun.is_some_and(|begun| now.attributes.created < begun);
    match elsewhere(disk, places, data, before.cluster) {
        Ok(Some((path, root))) => Fate::Moved(path, Box::new(root)),
        _ if is_of_its_line => Fate::Over,
        Ok(None) if !is_older => Fate::Over,
        _ => Fate::MayComeBack,
    }
}

/// The data component of `cluster` in the directories where it could be, under whatever name.
fn elsewhere(disk: &dyn Disk, places: &Places, data: &Path, cluster: u64) -> std::io::Result<Option<(PathBuf, Root)>> {
    for directory in places.of(data).iter().filter_map(|path| path.parent()) {
        for (name, _) in disk.list(directory)? {
            let path = directory.join(name);
            let file = match disk.open(&path, Open::default()) {
                Ok(file) => file,
                // Its name has just gone.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            match read_root(&*file, &path) {
                Ok(root) if root.cluster == cluster => return Ok(Some((path, root))),
                // What cannot be read may be it.
                Err(OpenError::Io { error, .. }) => return Err(error),
                // Another, or no data component.
                _ => {}
            }
        }
    }
    // places:M3.
    if places.are_partial() {
        return Err(std::io::Error::other("a catalog cannot be asked where its volumes are"));
    }
    Ok(None)
}
