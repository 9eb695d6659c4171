//! What can go wrong with a catalog, for people and as VSAM's return code and reason.

use crate::kind::EntryKind;
use crate::name::Name;
use crate::symbols::{SymbolError, Symbolic};
use crate::volume::Volser;
use cica_disk::Whose;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Catalog return code and reason as message IDC3009I prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Return code.
    pub return_code: u16,
    /// Reason within it; 0 where only the return code is VSAM's.
    pub reason: u16,
}

/// An error of the catalog. `Display` says what, where and what to do; the catalog on disk is unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub enum CatalogError {
    /// No entry of this name.
    NotFound {
        /// The name.
        name: Name,
    },
    /// What an alias stands for has no meaning on this system.
    Symbolic {
        /// The alias.
        name: Name,
        /// What it stands for, as written.
        text: Symbolic,
        /// Why that is no name here.
        why: Box<SymbolError>,
    },
    /// A user catalog cannot be read where it matters what it names.
    Unreachable {
        /// Its name.
        name: Name,
        /// Why not.
        why: Box<CatalogError>,
    },
    /// A move to another catalog was cut off, and that catalog is not there to say whether it has the entry.
    OnItsWay {
        /// The name.
        name: Name,
        /// The other catalog's directory.
        to: PathBuf,
    },
    /// The name is taken.
    Duplicate {
        /// The name.
        name: Name,
    },
    /// No volume of this serial, or its directory is gone.
    VolumeMissing {
        /// The serial.
        serial: Volser,
        /// The directory, if the catalog knows the serial.
        directory: Option<PathBuf>,
    },
    /// The volume lies outside of the catalog's directory and does not say that it is this catalog's.
    VolumeOutside {
        /// The serial.
        serial: Volser,
        /// The directory.
        directory: PathBuf,
    },
    /// The volume's directory cannot be written.
    VolumeReadOnly {
        /// The serial.
        serial: Volser,
        /// The directory.
        directory: PathBuf,
    },
    /// The serial is taken.
    VolumeExists {
        /// The serial.
        serial: Volser,
    },
    /// The directory is that of another volume.
    VolumeTaken {
        /// The serial that was to have it.
        serial: Volser,
        /// The directory.
        directory: PathBuf,
        /// Whose it is.
        by: Volser,
    },
    /// The volume still holds data sets.
    VolumeInUse {
        /// The serial.
        serial: Volser,
        /// One of them.
        name: Name,
    },
    /// The volume lies elsewhere for another catalog.
    VolumeDiffers {
        /// The serial.
        serial: Volser,
        /// Its directory for the catalog that has the data set.
        here: PathBuf,
        /// Its directory for the other.
        there: PathBuf,
    },
    /// The volume has not so many cylinders left as are asked for.
    VolumeFull {
        /// The serial.
        serial: Volser,
        /// Its cylinders.
        cylinders: u32,
        /// Tracks that are free.
        free: u64,
        /// Tracks that were asked for.
        needed: u64,
    },
    /// The entry is no user catalog.
    NoUserCatalog {
        /// Its name.
        name: Name,
        /// What it is.
        kind: EntryKind,
    },
    /// A generation is older than all that its group keeps.
    GenerationTooOld {
        /// Its name.
        name: Name,
    },
    /// The catalog file holds bytes that were not written by Cica.
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in it.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// The catalog was written by a newer release.
    Version {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest one this release reads.
        known: u32,
    },
    /// There is no catalog in the directory.
    NoCatalog {
        /// The directory.
        directory: PathBuf,
    },
    /// The nearest catalog above the working directory, which nobody named, is one that others can change.
    Untrusted {
        /// Its directory.
        directory: PathBuf,
        /// Who can.
        whose: Whose,
    },
    /// Another process kept the catalog locked for too long.
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long was waited for it.
        waited: Duration,
    },
    /// The change is in the catalog, but the system did not confirm that it survives a power failure.
    NotDurable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refused a file operation.
    Io {
        /// What could not be done, as in "write".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl CatalogError {
    /// Did the system say that there is no such file?
    pub(crate) fn is_not_there(&self) -> bool {
        matches!(self, CatalogError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Catalog return code and reason.
    pub fn code(&self) -> Code {
        let (return_code, reason) = match self {
            CatalogError::NotFound { .. } | CatalogError::Symbolic { .. } => (8, 42),
            CatalogError::Unreachable { why, .. } => return why.code(),
            CatalogError::Duplicate { .. } => (8, 38),
            CatalogError::VolumeMissing { .. } | CatalogError::VolumeReadOnly { .. } => (68, 20),
            CatalogError::VolumeFull { .. } => (68, 20),
            CatalogError::VolumeExists { .. }
            | CatalogError::VolumeTaken { .. }
            | CatalogError::VolumeInUse { .. }
            | CatalogError::VolumeDiffers { .. }
            | CatalogError::GenerationTooOld { .. } => (140, 0),
            CatalogError::NoUserCatalog { .. } => (48, 0),
            CatalogError::Damaged { .. } | CatalogError::NotDurable { .. } => (24, 0),
            CatalogError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => (68, 20),
            CatalogError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => (56, 0),
            CatalogError::Io { .. } => (24, 0),
            CatalogError::Untrusted { .. } | CatalogError::VolumeOutside { .. } => (56, 0),
            CatalogError::Version { .. }
            | CatalogError::NoCatalog { .. }
            | CatalogError::Busy { .. }
            | CatalogError::OnItsWay { .. } => (4, 0),
        };
        Code { return_code, reason }
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogError::NotFound { name } => {
                write!(f, "data set {name} is not in the catalog; 'cica ls' lists what is")
            }
            CatalogError::Symbolic { name, text, why } => write!(f, "the alias {name} stands for {text}: {why}"),
            CatalogError::Unreachable { name, why } => write!(
                f,
                "the user catalog {name} cannot be asked what it names: {why}; bring it back, or take it out with EXPORT \
                 {name} DISCONNECT"
            ),
            CatalogError::OnItsWay { name, to } => write!(
                f,
                "{name} was on its way to the catalog in {} when that was cut off, and may be there: bring that catalog back, \
                 or take it out with EXPORT ... DISCONNECT",
                to.display()
            ),
            CatalogError::Duplicate { name } => {
                write!(
                    f,
                    "the name {name} is already in the catalog; choose another or delete that entry first"
                )
            }
            CatalogError::VolumeMissing {
                serial,
                directory: None,
            } => {
                write!(
                    f,
                    "volume {serial} is not known to the catalog; add it, or name one of those it knows"
                )
            }
            CatalogError::VolumeMissing {
                serial,
                directory: Some(directory),
            } => write!(
                f,
                "volume {serial} is not there in {}; mount or restore it, or remove the volume",
                directory.display()
            ),
            CatalogError::VolumeOutside { serial, directory } => write!(
                f,
                "volume {serial} is to be in {}, outside of the catalog's directory, and nothing there says that it is \
                 a volume of this catalog; mount or restore it if it is not there; if it or the catalog was moved and \
                 you trust both, put its directory into CICA_TRUST",
                directory.display()
            ),
            CatalogError::VolumeReadOnly { serial, directory } => write!(
                f,
                "volume {serial} cannot be written: the directory {} is read-only for this user; change its \
                 permissions or mount options, or use another volume",
                directory.display()
            ),
            CatalogError::VolumeExists { serial } => {
                write!(
                    f,
                    "volume {serial} is already known to the catalog; choose another serial"
                )
            }
            CatalogError::VolumeTaken { serial, directory, by } => {
                write!(
                    f,
                    "{} is the directory of volume {by}; give {serial} one of its own",
                    directory.display()
                )
            }
            CatalogError::VolumeInUse { serial, name } => {
                write!(
                    f,
                    "volume {serial} still holds {name}; delete its data sets before removing it"
                )
            }
            CatalogError::VolumeDiffers { serial, here, there } => write!(
                f,
                "volume {serial} is {} for one catalog and {} for the other; only data sets on volumes both know by the \
                 same directory can move",
                here.display(),
                there.display()
            ),
            CatalogError::VolumeFull {
                serial,
                cylinders,
                free,
                needed,
            } => write!(
                f,
                "volume {serial} has {cylinders} cylinders, of which {free} tracks are free, and {needed} are asked \
                 for; ask for less, or name another volume"
            ),
            CatalogError::NoUserCatalog { name, kind } => {
                write!(f, "{name} is of type {} and no user catalog", kind.word())
            }
            CatalogError::GenerationTooOld { name } => write!(
                f,
                "{name} is older than all generations its group keeps; raise LIMIT, or give it a later number"
            ),
            CatalogError::Damaged { path, offset, what } => write!(
                f,
                "the catalog {} is damaged at byte {offset}: {what}; restore it from a backup, or move the \
                 file away and rebuild it with 'cica recatalog' (or DEFINE ... RECATALOG) from the data sets on its \
                 volumes, whose files are not affected",
                path.display()
            ),
            CatalogError::Version { path, found, known } => write!(
                f,
                "the catalog {} has format version {found}, this release reads up to {known}; use the release that \
                 wrote it, or a newer one",
                path.display()
            ),
            CatalogError::NoCatalog { directory } => write!(
                f,
                "there is no catalog in {}; check --catalog and CICA_CATALOG, or let a DEFINE create one",
                directory.display()
            ),
            CatalogError::Untrusted { directory, whose } => write!(
                f,
                "{} was found above the working directory and {whose}: it is not used unless you say so; if you trust it, \
                 name it with --catalog or CICA_CATALOG, or put it into CICA_TRUST",
                directory.display()
            ),
            CatalogError::Busy { path, waited } => write!(
                f,
                "another process has kept {} locked for {:.0} seconds; wait until it ends, or end it, and try again",
                path.display(),
                waited.as_secs_f64()
            ),
            CatalogError::Io { doing, path, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
            CatalogError::NotDurable { path, source } => write!(
                f,
                "the change is in the catalog {}, but may be lost if power fails now: {source}; check the storage, \
                 then list the entry to see whether it is there",
                path.display()
            ),
        }
    }
}

impl std::error::Error for CatalogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CatalogError::Io { source, .. } | CatalogError::NotDurable { source, .. } => Some(source),
            _ => None,
        }
    }
}
