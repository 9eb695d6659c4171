//! Which catalog is meant: the one named, else the one of the environment, else the nearest `.cica` from the working
//! directory upwards, else the user's own.

use cica_disk::{Disk, Open};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Name of a catalog directory that is found from below, like a `.git`.
pub const DIRECTORY: &str = ".cica";
/// The environment variable that names a catalog directory.
pub const VARIABLE: &str = "CICA_CATALOG";

/// What a process knows that can point to a catalog.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `--catalog`.
    pub explicit: Option<PathBuf>,
    /// `CICA_CATALOG`; empty counts as not set.
    pub variable: Option<OsString>,
    /// Working directory.
    pub working: PathBuf,
    /// The user's data directory, as in `~/.local/share`.
    pub data: PathBuf,
}

impl Surroundings {
    /// Those of this process; `explicit` is what its command line said.
    pub fn of_process(explicit: Option<PathBuf>) -> Surroundings {
        let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let home = || absolute("HOME").map(|home| home.join(".local/share"));
        Surroundings {
            explicit,
            variable: env::var_os(VARIABLE),
            working: env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            data: absolute("XDG_DATA_HOME")
                .or_else(home)
                .unwrap_or_else(|| PathBuf::from(".")),
        }
    }
}

/// How a catalog was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was named.
    Explicit,
    /// By `CICA_CATALOG`.
    Variable,
    /// A `.cica` here or above.
    Above,
    /// The user's own.
    User,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Explicit => "as named",
            Origin::Variable => "from CICA_CATALOG",
            Origin::Above => "found from the working directory upwards",
            Origin::User => "the user's own",
        })
    }
}

/// The directory of the catalog that is meant, by its whole name; it need not exist yet. What volumes say of it, like
/// which log a data set needs, is read by processes in other directories.
pub fn locate(disk: &dyn Disk, surroundings: &Surroundings) -> (PathBuf, Origin) {
    let whole = |path: &Path| surroundings.working.join(path).components().collect();
    if let Some(path) = &surroundings.explicit {
        return (whole(path), Origin::Explicit);
    }
    if let Some(path) = surroundings.variable.as_ref().filter(|v| !v.is_empty()) {
        return (whole(Path::new(path)), Origin::Variable);
    }
    let is_directory = |path: &Path| {
        disk.open(
            path,
            Open {
                directory: true,
                ..Open::default()
            },
        )
        .is_ok()
    };
    let above = surroundings
        .working
        .ancestors()
        .map(|directory| directory.join(DIRECTORY));
    match above.into_iter().find(|path| is_directory(path)) {
        Some(path) => (path, Origin::Above),
        None => (surroundings.data.join("cica"), Origin::User),
    }
}
