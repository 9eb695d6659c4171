//! Appending records: to a group, to the parts of a unit, or to what takes a change back.

use super::layout::{at, kind};

/// Appends an insert of `record` into data set `number`.
pub fn append_insert(buf: &mut Vec<u8>, number: u32, record: &[u8]) {
    append_insert_at(buf, number, &[], record);
}

/// Appends an update by `record` in data set `number`.
pub fn append_update(buf: &mut Vec<u8>, number: u32, record: &[u8]) {
    append_update_at(buf, number, &[], record);
}

/// Appends an erase of the record with `key` in data set `number`.
pub fn append_erase(buf: &mut Vec<u8>, number: u32, key: &[u8]) {
    append_record(buf, kind::ERASE, number, &[key]);
}

/// Appends that alternate index `number` gained `pointer` under `key`, which has at most 255 bytes.
pub fn append_add_pointer(buf: &mut Vec<u8>, number: u32, key: &[u8], pointer: &[u8]) {
    append_record(buf, kind::ADD_POINTER, number, &[&[key.len() as u8], key, pointer]);
}

/// Appends that alternate index `number` lost `pointer` under `key`, which has at most 255 bytes.
pub fn append_remove_pointer(buf: &mut Vec<u8>, number: u32, key: &[u8], pointer: &[u8]) {
    append_record(buf, kind::REMOVE_POINTER, number, &[&[key.len() as u8], key, pointer]);
}

/// Appends a unit; `parts` is what the functions above appended to an empty buffer.
pub fn append_unit(buf: &mut Vec<u8>, parts: &[u8]) {
    append_record(buf, kind::UNIT, 0, &[parts]);
}

/// Appends that change `sequence` of a unit of recovery was taken back by doing `redo`.
pub fn append_taken_back(buf: &mut Vec<u8>, unit: u64, sequence: u32, redo: &[u8]) {
    let (id, number) = (unit.to_le_bytes(), sequence.to_le_bytes());
    append_record(buf, kind::TAKEN_BACK, 0, &[&id, &number, redo]);
}

/// Appends the end of a unit of recovery.
pub fn append_unit_end(buf: &mut Vec<u8>, unit: u64, backed_out: bool) {
    append_record(buf, kind::UNIT_END, 0, &[&unit.to_le_bytes(), &[u8::from(backed_out)]]);
}

/// Appends what takes change `sequence` of a unit of recovery back, which an epoch that has ended has as `lsn`.
pub fn append_carried(buf: &mut Vec<u8>, unit: u64, sequence: u32, lsn: u64, undo: &[u8]) {
    let (id, number, lsn) = (unit.to_le_bytes(), sequence.to_le_bytes(), lsn.to_le_bytes());
    append_record(buf, kind::CARRIED, 0, &[&id, &number, &lsn, undo]);
}

/// Bytes of such a record whose undo has `undo` bytes.
pub const fn carried_len(undo: usize) -> usize {
    4 + at::CARRIED_UNDO + undo
}

/// Appends an insert of `record` at `place`: its RBA (8 bytes) or relative record number (4 bytes), big-endian.
pub fn append_insert_at(buf: &mut Vec<u8>, number: u32, place: &[u8], record: &[u8]) {
    append_change(buf, [kind::INSERT, kind::INSERT_RUN], number, place, record);
}

/// Appends an update of what stands at `place`, as in [`append_insert_at`], by `record`.
pub fn append_update_at(buf: &mut Vec<u8>, number: u32, place: &[u8], record: &[u8]) {
    append_change(buf, [kind::UPDATE, kind::UPDATE_RUN], number, place, record);
}

/// Appends a change of the first kind, or of the second where the record ends in a run of one byte: the blanks or zeros
/// behind the last field of a record of fixed length are often most of it.
fn append_change(buf: &mut Vec<u8>, [plain, with_run]: [u8; 2], number: u32, place: &[u8], record: &[u8]) {
    let run = run_at_end(record);
    match record.split_at_checked(record.len() - usize::from(run)) {
        Some((before, [byte, ..])) => {
            append_record(buf, with_run, number, &[&[*byte], &run.to_le_bytes(), place, before]);
        }
        _ => append_record(buf, plain, number, &[place, record]),
    }
}

/// How many bytes like the last a record ends in, as far as they fill whole chunks; 0 where it would gain nothing.
fn run_at_end(record: &[u8]) -> u16 {
    const CHUNK: usize = 16;
    const MOST: usize = u16::MAX as usize / CHUNK;
    let Some(&last) = record.last() else { return 0 };
    let chunks = record.rchunks_exact(CHUNK).take(MOST);
    (chunks.take_while(|chunk| **chunk == [last; CHUNK]).count() * CHUNK) as u16
}

pub(super) fn append_record(buf: &mut Vec<u8>, kind: u8, number: u32, body: &[&[u8]]) {
    let len = at::RECORD_BODY + body.iter().map(|part| part.len()).sum::<usize>();
    buf.reserve(4 + len);
    buf.extend_from_slice(&(len as u32).to_le_bytes());
    buf.push(kind);
    buf.extend_from_slice(&number.to_le_bytes());
    body.iter().for_each(|part| buf.extend_from_slice(part));
}
