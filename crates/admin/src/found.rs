//! A record that an input has, and where it stands.

/// A record and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct FoundRecord<'r> {
    /// Its bytes.
    pub bytes: &'r [u8],
    /// Its RBA; 0 in a file.
    pub rba: u64,
    /// Its relative record number; 0 where there are none.
    pub rrn: u32,
}
