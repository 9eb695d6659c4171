//! Where the data sets lie that a log names. The log has the paths that they had when it was written; a catalog may
//! have been moved since, with its volumes and logs or without some, or be a copy of one that lives on elsewhere.
//!
//! * M1. A path in a log only says how a file is called and where it may be looked for. Which data set a file is, its
//!   cluster id says.
//! * M2. Where somebody knows the volumes, nothing is looked for but in their directories, and there only by the last
//!   component of the path.
//! * M3. What is found nowhere is nowhere only if all volumes are known: a catalog that cannot be asked may have it.
//! * M4. Where nobody does, what was moved together is found together: a path is taken to have moved as the log did.

use crate::volumes::Directories;
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The directories of the volumes, if somebody knows them.
    directories: Option<Vec<PathBuf>>,
    /// There may be more, of somebody who cannot be asked now.
    are_partial: bool,
    /// Where the log was, and is: what is in front of the parts that both paths end in.
    moved: Option<(PathBuf, PathBuf)>,
    /// Where the data set lies that is being opened.
    beside: Option<PathBuf>,
}

impl Places {
    /// Those for a log that was at `recorded`, and is at `log`; no `recorded`: where it was is not known.
    pub fn new(directories: Option<Directories>, recorded: Option<&Path>, log: &Path) -> Places {
        Places {
            are_partial: directories.as_ref().is_some_and(|directories| !directories.are_all),
            directories: directories.map(|directories| directories.known),
            moved: recorded.and_then(|recorded| moved(recorded, log)),
            beside: None,
        }
    }

    /// Looks beside this file too, where nobody knows the volumes.
    pub fn beside(mut self, data: &Path) -> Places {
        self.beside = data.parent().map(Path::to_path_buf);
        self
    }

    /// May what is found nowhere lie on a volume that is not known now?
    pub fn are_partial(&self) -> bool {
        self.are_partial
    }

    /// Has the log been moved, or is it a copy?
    pub fn have_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// What the place of the log was that has moved.
    pub fn recorded(&self) -> &Path {
        self.moved.as_ref().map_or(Path::new(""), |(from, _)| from)
    }

    /// Where a file would be that was moved as the log was.
    pub fn home(&self, recorded: &Path) -> PathBuf {
        let within = |(from, to): &(PathBuf, PathBuf)| Some(to.join(recorded.strip_prefix(from).ok()?));
        let moved = self.moved.as_ref().and_then(within);
        moved.unwrap_or_else(|| recorded.to_path_buf())
    }

    /// The places of which each must say that a file was deleted, before it counts as that: where it would be, or, if
    /// that is no volume that is known, all.
    pub fn of_deleted(&self, recorded: &Path) -> Vec<PathBuf> {
        let home = self.home(recorded);
        let is_known = |known: &Vec<PathBuf>| known.iter().any(|directory| Some(directory.as_path()) == home.parent());
        if self.directories.as_ref().is_none_or(is_known) {
            vec![home]
        } else {
            self.of(recorded)
        }
    }

    /// Where it may be, the likeliest first.
    pub fn of(&self, recorded: &Path) -> Vec<PathBuf> {
        let (home, Some(name)) = (self.home(recorded), recorded.file_name()) else {
            return Vec::new();
        };
        let mut all = match &self.directories {
            Some(known) => {
                let is_home = |directory: &PathBuf| Some(directory.as_path()) != home.parent();
                let mut known: Vec<&PathBuf> = known.iter().collect();
                known.sort_by_key(|directory| is_home(directory));
                known.into_iter().map(|directory| directory.join(name)).collect()
            }
            None => vec![home],
        };
        if let (None, Some(beside)) = (&self.directories, &self.beside) {
            let beside = beside.join(name);
            if !all.contains(&beside) {
                all.push(beside);
            }
        }
        all
    }
}

fn moved(recorded: &Path, log: &Path) -> Option<(PathBuf, PathBuf)> {
    // A path that was too long for the root is its last component alone.
    if recorded == log || recorded.is_relative() {
        return None;
    }
    let (mut from, mut to) = (recorded.to_path_buf(), log.to_path_buf());
    while from.file_name().is_some() && from.file_name() == to.file_name() {
        from.pop();
        to.pop();
    }
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(directories: Option<&[&str]>, recorded: &str, log: &str) -> Places {
        let directories = directories.map(|all| Directories {
            known: all.iter().map(PathBuf::from).collect(),
            are_all: true,
        });
        Places::new(directories, Some(Path::new(recorded)), Path::new(log))
    }

    fn shown(places: &Places, recorded: &str) -> Vec<String> {
        let all = places.of(Path::new(recorded)).into_iter();
        all.map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn what_was_moved_together_is_found_together() {
        let here = places(None, "/a/cat/log/log-0001", "/a/cat/log/log-0001");
        assert!(!here.have_moved());
        assert_eq!(shown(&here, "/a/cat/v/X"), ["/a/cat/v/X"]);
        let moved = places(None, "/a/cat/log/log-0001", "/snap/cat/log/log-0001");
        assert!(moved.have_moved());
        assert_eq!(shown(&moved, "/a/cat/v/X"), ["/snap/cat/v/X"]);
        assert_eq!(shown(&moved, "/elsewhere/X"), ["/elsewhere/X"]);
        let beside = moved.beside(Path::new("/w/Y"));
        assert_eq!(shown(&beside, "/a/cat/v/X"), ["/snap/cat/v/X", "/w/X"]);
    }

    #[test]
    fn where_the_volumes_are_known_nothing_else_is_looked_at() {
        let known: &[&str] = &["/snap/cat/v", "/vol/2"];
        let moved = places(Some(known), "/a/cat/log/log-0001", "/snap/cat/log/log-0001");
        assert_eq!(shown(&moved, "/a/cat/v/X"), ["/snap/cat/v/X", "/vol/2/X"]);
        assert_eq!(shown(&moved, "/vol/2/X"), ["/vol/2/X", "/snap/cat/v/X"]);
        for hostile in ["/etc/passwd", "../../etc/passwd", "passwd"] {
            assert_eq!(shown(&moved, hostile), ["/snap/cat/v/passwd", "/vol/2/passwd"]);
        }
        for nothing in ["", "/", "..", "/a/.."] {
            assert_eq!(shown(&moved, nothing), [""; 0], "{nothing:?}");
        }
    }
}
