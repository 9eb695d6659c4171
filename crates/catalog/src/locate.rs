//! Which catalog is meant: the one named, else the one of the environment, else the nearest `.cica` from the working
//! directory upwards, if nobody else can change it, else the user's own.

use crate::error::CatalogError;
use cica_disk::{Disk, Whose};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Name of a catalog directory that is found from below, like a `.git`.
pub const DIRECTORY: &str = ".cica";
/// The environment variable that names a catalog directory.
pub const VARIABLE: &str = "CICA_CATALOG";
/// The environment variable that names directories the user trusts, with colons between them.
pub const TRUST: &str = "CICA_TRUST";

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
    /// Directories of `CICA_TRUST`: what lies in them may be used whoever made it.
    pub trusted: Vec<PathBuf>,
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
            trusted: env::var_os(TRUST).map_or_else(Vec::new, |all| {
                env::split_paths(&all).filter(|path| path.is_absolute()).collect()
            }),
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
///
/// # Errors
/// The nearest `.cica` is one that others can change: nobody named it, so it is not taken unless it is trusted.
pub fn locate(disk: &dyn Disk, surroundings: &Surroundings) -> Result<(PathBuf, Origin), CatalogError> {
    let whole = |path: &Path| surroundings.working.join(path).components().collect();
    if let Some(path) = &surroundings.explicit {
        return Ok((whole(path), Origin::Explicit));
    }
    if let Some(path) = surroundings.variable.as_ref().filter(|v| !v.is_empty()) {
        return Ok((whole(Path::new(path)), Origin::Variable));
    }
    for directory in surroundings.working.ancestors().map(|above| above.join(DIRECTORY)) {
        match disk.whose(&directory) {
            Ok(Whose::Own) => return Ok((directory, Origin::Above)),
            Ok(_)
                if surroundings
                    .trusted
                    .iter()
                    .any(|trusted| directory.starts_with(trusted)) =>
            {
                return Ok((directory, Origin::Above));
            }
            Ok(whose) => return Err(CatalogError::Untrusted { directory, whose }),
            Err(error) if is_none_there(&error) => {}
            Err(source) => {
                return Err(CatalogError::Io {
                    doing: "look for a catalog at",
                    path: directory,
                    source,
                })
            }
        }
    }
    Ok((surroundings.data.join("cica"), Origin::User))
}

/// Nothing of the name is there for this user. Another error leaves open whether there is, and the next catalog above
/// would be the wrong one.
fn is_none_there(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
    )
}
