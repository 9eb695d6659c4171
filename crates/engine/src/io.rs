//! Whether the CIs of a data component travel through the system's page cache or around it
//! (`docs/design/0005`: what was measured).
//!
//! | asked | data set | pool | way |
//! |---|---|---|---|
//! | buffered | any | any | page cache |
//! | direct | CISZ a multiple of 4,096 | any | around it, where the file system takes it |
//! | direct | another CISZ | any | page cache |
//! | auto | longer than memory, CISZ a multiple of 4,096 | half of memory or more | as direct |
//! | auto | else | | page cache |
//!
//! Roots, table blocks, CA headers, the index component and the log go through the page cache always.

use crate::pool::ALIGNMENT;
use crate::store::ComponentLayout;
use cica_format::root::Root;

/// What an open, or else the engine, asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Io {
    /// An open: as the engine says. The engine: by the table above.
    #[default]
    Auto,
    /// Through the page cache.
    Buffered,
    /// Around it.
    Direct,
}

impl std::str::FromStr for Io {
    type Err = String;

    fn from_str(text: &str) -> Result<Io, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "auto" => Ok(Io::Auto),
            "buffered" => Ok(Io::Buffered),
            "direct" => Ok(Io::Direct),
            _ => Err(format!("'{text}' is none of auto, buffered, direct")),
        }
    }
}

impl Io {
    /// This, or what another says when it says nothing.
    pub(crate) fn or(self, other: Io) -> Io {
        if self == Io::Auto {
            other
        } else {
            self
        }
    }

    /// Whether a data component goes direct, with a pool of `pool` bytes in a machine of `memory` bytes.
    pub(crate) fn is_direct(self, data: &Root, pool: usize, memory: usize) -> bool {
        let a = &data.attributes;
        let length = ComponentLayout::new(a.ci_size as usize, a.ci_per_ca as usize).file_len(data.region_count);
        let asked = match self {
            Io::Buffered => false,
            Io::Direct => true,
            Io::Auto => length > memory as u64 && pool >= memory / 2,
        };
        asked && a.ci_size as usize % ALIGNMENT == 0
    }
}
