//! The dictionaries of a compressed data set, which stand behind the copies of its root: each in a place of its own,
//! written once.

use super::Component;
use crate::error::RequestError;
use cica_disk::{ReadAt, WriteAt};
use cica_format::root::{dictionary_at, DICTIONARY_LEN};

impl Component {
    /// What stands in the place of a dictionary; zeros where nothing was ever written.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_dictionary(&self, generation: u8) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; DICTIONARY_LEN];
        let mut batch = [ReadAt {
            at: dictionary_at(generation),
            buf: &mut bytes,
            got: 0,
        }];
        self.file().and_then(|file| file.read(&mut batch))?;
        Ok(bytes)
    }

    /// Writes a dictionary to its place and makes it durable: no record that needs it is anywhere before.
    ///
    /// # Errors
    /// The write failed, or the sync, which is final (D3).
    pub fn write_dictionary(&self, generation: u8, dictionary: &[u8]) -> Result<(), RequestError> {
        let mut bytes = dictionary.to_vec();
        bytes.resize(DICTIONARY_LEN, 0);
        self.count_io(1);
        let write = WriteAt {
            at: dictionary_at(generation),
            buf: &bytes,
        };
        let written = self.file().and_then(|file| file.write(&[write]));
        written
            .map_err(|e| self.write_error(format!("{}: write of dictionary {generation} failed: {e}", self.name)))?;
        self.sync()
    }
}
