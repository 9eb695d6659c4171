//! The header of a log file, its first block; and the seconds that it and groups count in.

use cica_disk::{Clock, File, ReadAt, WriteAt};
use cica_format::log::{LogFileHeader, BLOCK_LEN};
use cica_format::FormatError;

/// The first second that counts in ids: 2020-01-01.
const FIRST_SECOND: u64 = 1_577_836_800;

/// Seconds that count in ids and groups.
pub(super) fn second(clock: &dyn Clock) -> u32 {
    let seconds = (clock.now() / 1_000_000_000).saturating_sub(FIRST_SECOND);
    u32::try_from(seconds).unwrap_or(0)
}

/// When such a second begins, nanoseconds since 1970; of none, none.
pub(super) fn nanoseconds(second: u32) -> Option<u64> {
    (second > 0).then(|| (FIRST_SECOND + u64::from(second)) * 1_000_000_000)
}

/// When the log with this id was claimed, nanoseconds since 1970, or later: by its second half (pool:F2).
pub fn claimed(log: u64) -> Option<u64> {
    nanoseconds(log as u32)
}

/// The header of a log file, or what is wrong with it. What is none at the first look is looked at again: it may have
/// been read from the wrong place.
pub(super) fn read_header(file: &dyn File) -> std::io::Result<Result<LogFileHeader, FormatError>> {
    match LogFileHeader::decode(&first_block(file)?) {
        Ok(header) => Ok(Ok(header)),
        Err(_) => Ok(LogFileHeader::decode(&first_block(file)?)),
    }
}

/// Was a header never written?
pub(super) fn is_blank(file: &dyn File) -> std::io::Result<bool> {
    Ok(first_block(file)?.iter().all(|&byte| byte == 0))
}

fn first_block(file: &dyn File) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; BLOCK_LEN];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    file.read(&mut batch)?;
    Ok(bytes)
}

pub(super) fn write_header(file: &dyn File, header: LogFileHeader) -> std::io::Result<()> {
    let mut bytes = [0; BLOCK_LEN];
    header.encode(&mut bytes);
    file.write(&[WriteAt { at: 0, buf: &bytes }])
}
