//! Dictionaries of a compressed data set as its file has them, for whoever looks at the file alone: who copies it as it
//! is stored, shows what it has, or salvages it.

use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::open_file;
use cica_compress::{Dictionary, GENERATIONS};
use cica_disk::{File, Lock, ReadAt};
use cica_format::root::{dictionary_at, DICTIONARY_LEN};
use std::path::Path;

/// A dictionary as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DictionaryLine {
    /// Its number, which the records that need it name.
    pub generation: u8,
    /// When it was made, nanoseconds since 1970; none: it is damaged.
    pub made: Option<u64>,
    /// Bytes of records that it was trained from.
    pub sampled: u32,
    /// Strings that it has; none: it is damaged.
    pub strings: usize,
    /// Bytes that it takes in the file, as far as something is written there.
    pub bytes: usize,
}

impl Engine {
    /// The dictionaries in the file of a data component; none where it is not compressed.
    ///
    /// # Errors
    /// The file cannot be read, or is no data component.
    pub fn dictionaries(&self, data: &Path) -> Result<Vec<DictionaryLine>, OpenError> {
        if !self.peek(data)?.attributes.compressed {
            return Ok(Vec::new());
        }
        let file = open_file(self.disk(), data, Lock::None, false)?;
        let places = places(&*file, data)?;
        Ok(places
            .iter()
            .map(|(generation, bytes)| line(*generation, bytes))
            .collect())
    }
}

fn line(generation: u8, bytes: &[u8]) -> DictionaryLine {
    let dictionary = Dictionary::from_bytes(bytes).ok();
    DictionaryLine {
        generation,
        made: dictionary.as_ref().map(Dictionary::made),
        sampled: dictionary.as_ref().map_or(0, Dictionary::sampled),
        strings: dictionary.as_ref().map_or(0, Dictionary::strings),
        bytes: bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1),
    }
}

/// What stands in each place to which something was written, by number.
pub(crate) fn places(file: &dyn File, path: &Path) -> Result<Vec<(u8, Vec<u8>)>, OpenError> {
    let mut places = Vec::new();
    for generation in 1..=GENERATIONS as u8 {
        let mut bytes = vec![0; DICTIONARY_LEN];
        let mut batch = [ReadAt {
            at: dictionary_at(generation),
            buf: &mut bytes,
            got: 0,
        }];
        file.read(&mut batch).map_err(|error| OpenError::Io {
            path: path.to_path_buf(),
            doing: "read of a dictionary",
            error,
        })?;
        if bytes.iter().any(|byte| *byte != 0) {
            places.push((generation, bytes));
        }
    }
    Ok(places)
}
