//! The checksums: CRC-32C of every structure of ours; of a CI, CRC-32C of who it is and of the XXH3 of its image
//! (`docs/design/0018-the-checksum-of-a-ci.md`).

use twox_hash::XxHash3_64;

/// CRC-32C of `bytes`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

/// XXH3 of `bytes`, of 64 bits.
#[inline]
pub fn xxh3(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// CRC-32C of bytes that have this one, and of `bytes` behind them.
#[inline]
pub(crate) fn crc32c_more(before: u32, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(before, bytes)
}

/// What a CI's checksum covers besides its image: who it is. A CI read from the wrong place, of another component or
/// of an older version does not match, whatever bytes it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The component's id, from its root.
    pub component: u64,
    /// Logical CI number in the component (RBA / CISZ).
    pub ci: u32,
    /// Version the parent expects.
    pub version: u32,
}

/// Aligned, so that it is not taken byte by byte.
#[repr(align(8))]
struct Covered([u8; 24]);

/// Checksum of a CI image under its identity: CRC-32C of who it is and of the XXH3 of the image.
#[inline]
pub fn ci_checksum(id: Identity, image: &[u8]) -> u32 {
    let mut covered = Covered([0; 24]);
    covered.0[..8].copy_from_slice(&id.component.to_le_bytes());
    covered.0[8..12].copy_from_slice(&id.ci.to_le_bytes());
    covered.0[12..16].copy_from_slice(&id.version.to_le_bytes());
    covered.0[16..].copy_from_slice(&XxHash3_64::oneshot(image).to_le_bytes());
    crc32c(&covered.0)
}

/// Checksum of a structure that holds its own checksum: as if the four bytes at `at` were zero.
pub(crate) fn own_checksum(bytes: &[u8], at: usize) -> u32 {
    let before = crc32c::crc32c_append(crc32c(&bytes[..at]), &[0; 4]);
    crc32c::crc32c_append(before, &bytes[at + 4..])
}
