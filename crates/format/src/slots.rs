//! The control interval of an RRDS: slots of one length from the left, each with an RDF of its own from the right that
//! says whether the slot holds a record, then the CIDF (docs/format/ci.md).
//!
//! Every CI of such a data set has all its slots, also the empty ones; the length is not in question, so no RDFs pair.

use crate::bytes::{be16, put};
use crate::ci::{CIDF_LEN, RDF_EMPTY_SLOT, RDF_LEN};
use crate::error::FormatError;

/// Name in messages.
const WHAT: &str = "control interval of slots";

/// Slots of `length` bytes in a CI.
pub fn per_ci(ci_size: usize, length: usize) -> usize {
    (ci_size - CIDF_LEN) / (length + RDF_LEN)
}

/// Makes `image` a CI whose slots are all empty.
pub fn format(image: &mut [u8], length: usize) {
    let slots = per_ci(image.len(), length);
    let cidf = image.len() - CIDF_LEN;
    image.fill(0);
    put(image, cidf, &((slots * length) as u16).to_be_bytes());
    put(image, cidf + 2, &(free(image.len(), length) as u16).to_be_bytes());
    for slot in 0..slots {
        let rdf = rdf(image.len(), slot);
        image[rdf] = RDF_EMPTY_SLOT;
        put(image, rdf + 1, &(length as u16).to_be_bytes());
    }
}

/// Checks all control information of a CI; returns how many slots hold records.
///
/// # Errors
/// What is not as [`format`] and [`set_full`] make it.
pub fn check(image: &[u8], length: usize) -> Result<usize, FormatError> {
    let slots = per_ci(image.len(), length);
    let cidf = image.len() - CIDF_LEN;
    if usize::from(be16(image, cidf)) != slots * length {
        return Err(refused(
            "CIDF (data length)",
            be16(image, cidf),
            "slots times their length",
        ));
    }
    if usize::from(be16(image, cidf + 2)) != free(image.len(), length) {
        return Err(refused(
            "CIDF (free length)",
            be16(image, cidf + 2),
            "what the slots and their RDFs leave",
        ));
    }
    let mut full = 0;
    for slot in 0..slots {
        let rdf = rdf(image.len(), slot);
        if image[rdf] & !RDF_EMPTY_SLOT != 0 {
            return Err(refused(
                "RDF control byte of a slot",
                image[rdf].into(),
                "X'00' or X'04'",
            ));
        }
        if usize::from(be16(image, rdf + 1)) != length {
            return Err(refused(
                "length in the RDF of a slot",
                be16(image, rdf + 1),
                "the slots' length",
            ));
        }
        full += usize::from(image[rdf] == 0);
    }
    Ok(full)
}

/// Offset of a slot's RDF; the first of its bytes is X'04' while the slot is empty.
pub fn rdf(ci_size: usize, slot: usize) -> usize {
    ci_size - CIDF_LEN - (slot + 1) * RDF_LEN
}

/// Says in a slot's RDF whether it holds a record.
pub fn set_full(image: &mut [u8], slot: usize, full: bool) {
    let rdf = rdf(image.len(), slot);
    image[rdf] = rdf_byte(full);
}

/// The first byte of the RDF of a slot that holds a record or not.
pub fn rdf_byte(full: bool) -> u8 {
    if full {
        0
    } else {
        RDF_EMPTY_SLOT
    }
}

/// Bytes between the slots and their RDFs.
fn free(ci_size: usize, length: usize) -> usize {
    ci_size - CIDF_LEN - per_ci(ci_size, length) * (length + RDF_LEN)
}

fn refused(field: &'static str, value: u16, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value: value.into(),
        must,
    }
}
