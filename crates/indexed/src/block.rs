//! Blocks as they are stored: how many records, the highest key, and the records.

use crate::geometry::Geometry;
use crate::IsamError;

/// A block as it is stored: how many records, the highest key, and the records.
pub(crate) fn block_of(geometry: &Geometry, records: &[u8]) -> Vec<u8> {
    let lrecl = usize::from(geometry.of.lrecl);
    let count = (records.len() / lrecl) as u16;
    let mut block = count.to_be_bytes().to_vec();
    block.extend(geometry.key(&records[records.len() - lrecl..]));
    block.extend(records);
    block.resize(block.len() - records.len() + geometry.of.block_size(), 0);
    block
}

/// The records of a block.
pub(crate) fn records_of<'b>(
    geometry: &Geometry,
    block: &'b [u8],
    (cylinder, track): (u32, u32),
) -> Result<&'b [u8], IsamError> {
    let count = usize::from(u16::from_be_bytes([block[0], block[1]]));
    let at = 2 + usize::from(geometry.of.key_len);
    match count {
        0 => None,
        _ => block.get(at..at + count * usize::from(geometry.of.lrecl)),
    }
    .ok_or(IsamError::Damaged {
        cylinder,
        track,
        what: "a block with no such count of records",
    })
}
