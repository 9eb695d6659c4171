//! The record read last, as it is stored: what REWRITE and DELETE of it find it by, and what REWRITE keeps of it.
//!
//! It is kept only where translation loses something: a zoned number's plus sign X'F' looks to the program like X'C'.

use crate::code_set::CodeSet;

/// See the module.
#[derive(Debug, Default)]
pub struct AsRead {
    record: Vec<u8>,
    /// Its key, number or address.
    key: Vec<u8>,
    /// The request under way is for it.
    meant: bool,
}

impl AsRead {
    /// A READ has found this record.
    pub fn note(&mut self, record: &[u8], key: &[u8]) {
        self.meant = false;
        self.record.clear();
        self.record.extend_from_slice(record);
        self.key.clear();
        self.key.extend_from_slice(key);
    }

    /// A request is for the record with this number or address.
    pub fn mean(&mut self, key: &[u8]) {
        self.meant = !self.key.is_empty() && self.key == key;
    }

    /// A request is for the record with this key, whose parts lie at these places of the record: if it is this record's,
    /// the key becomes what it was when it was read.
    pub fn mean_key(&mut self, code_set: &CodeSet, parts: &[(usize, usize)], key: &mut [u8]) {
        let mut from = 0;
        let mut kept = key.to_vec();
        for &(offset, length) in parts {
            let to = (from + length).min(kept.len());
            code_set.keep_signs(&mut kept[from..to], offset, &self.record);
            from = to;
        }
        self.mean(&kept);
        if self.meant {
            key.copy_from_slice(&kept);
        }
    }

    /// The record to be stored: if the request is for this one, with its signs as they were read.
    pub fn keep(&self, code_set: &CodeSet, record: &mut [u8]) {
        if self.meant {
            code_set.keep_signs(record, 0, &self.record);
        }
    }

    /// The next request may be for another record.
    pub fn let_go(&mut self) {
        self.meant = false;
    }
}
