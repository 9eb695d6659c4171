//! Volumes: directories with a serial and a device type.

use crate::geometry::Device;
use cica_disk::FileName;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// A volume serial: 1-6 characters, letters, digits, `@`, `#`, `$` or hyphen, upper case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Volser(String);

/// A volume and the name of a file on it.
pub type VolumeFile = (Volser, FileName);

/// The serial of the volume made with a new catalog.
pub const DEFAULT_SERIAL: &str = "CICA01";

/// Why a text is no volume serial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolserError {
    /// The text.
    pub text: String,
}

impl fmt::Display for VolserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no volume serial; give 1 to 6 characters out of A-Z, 0-9, @, #, $ and hyphen",
            crate::name::shown(&self.text)
        )
    }
}

impl std::error::Error for VolserError {}

impl Volser {
    /// Takes a text for a serial, upper-casing it.
    pub fn parse(text: &str) -> Result<Volser, VolserError> {
        let serial = text.to_ascii_uppercase();
        let allowed = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b"@#$-".contains(&b);
        if (1..=6).contains(&serial.len()) && serial.bytes().all(allowed) {
            Ok(Volser(serial))
        } else {
            Err(VolserError { text: text.to_owned() })
        }
    }

    /// The serial of the volume made with a new catalog, `CICA01`.
    pub fn default_serial() -> Volser {
        Volser(DEFAULT_SERIAL.to_owned())
    }

    /// The serial as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Volser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A volume the catalog knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// Serial.
    pub serial: Volser,
    /// Directory of its files; relative means below the catalog's directory, so that both can be moved together.
    pub directory: PathBuf,
    /// Device type, which gives tracks and cylinders their size.
    pub device: &'static Device,
    /// Cylinders that allocations may take together; none: as many as the file system has room for.
    pub cylinders: Option<u32>,
}

impl Volume {
    /// The directory as it is opened, for a catalog in `catalog`. A user catalog names the volumes of the catalog above
    /// it by `..`, which is taken out here: not every system below has such names.
    pub fn path(&self, catalog: &Path) -> PathBuf {
        let mut path = PathBuf::new();
        for part in catalog.join(&self.directory).components() {
            match part {
                Component::ParentDir if path.file_name().is_some() => drop(path.pop()),
                part => path.push(part),
            }
        }
        path
    }
}
