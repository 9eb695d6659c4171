//! System-determined block sizes, against those z/OS is known to choose.

#![allow(clippy::unwrap_used)]

use cica_qsam::{system_determined, BlockSizeError, RecordFormat};

#[test]
fn fixed_blocks_are_the_most_records_in_half_a_track() {
    for (device, lrecl, blksize) in [
        ("3390", 80, 27_920),
        ("3390", 133, 27_930),
        ("3390", 200, 27_800),
        ("3380", 80, 23_440),
        ("3350", 80, 9_440),
        ("3330-1", 200, 6_400),
        ("9345", 80, 22_880),
        ("3390", 27_998, 27_998),
        ("3390", 27_999, 27_999),
        ("3390", 32_760, 32_760),
    ] {
        assert_eq!(
            system_determined(device, RecordFormat::FB, lrecl),
            Ok(blksize),
            "{device} {lrecl}"
        );
    }
}

#[test]
fn unblocked_records_fill_their_block() {
    assert_eq!(system_determined("3390", RecordFormat::F, 80), Ok(80));
    assert_eq!(system_determined("3390", RecordFormat::V, 204), Ok(208));
    assert_eq!(system_determined("3390", RecordFormat::V, 32_760), Ok(32_760));
    assert_eq!(system_determined("3390", RecordFormat::VS, 204), Ok(208));
    assert_eq!(system_determined("3390", RecordFormat::VS, 100_000), Ok(27_998));
}

#[test]
fn variable_blocks_are_half_a_track() {
    assert_eq!(system_determined("3390", RecordFormat::VB, 255), Ok(27_998));
    assert_eq!(system_determined("3380", RecordFormat::VB, 255), Ok(23_476));
    assert_eq!(system_determined("3390", RecordFormat::VB, 32_756), Ok(32_760));
    assert_eq!(system_determined("3390", RecordFormat::VBS, 32_756), Ok(27_998));
}

#[test]
fn there_is_none_for_unknown_devices_and_formats_without_blocks() {
    let error = system_determined("3391", RecordFormat::FB, 80).unwrap_err();
    assert_eq!(
        error,
        BlockSizeError::UnknownDevice {
            device: "3391".to_owned()
        }
    );
    assert!(
        error
            .to_string()
            .contains("known are 3330-1, 3350, 3375, 3380, 3390, 9345, FBA"),
        "{error}"
    );
    for recfm in [RecordFormat::U, RecordFormat::Text] {
        assert_eq!(
            system_determined("3390", recfm, 80),
            Err(BlockSizeError::NoBlocks { recfm })
        );
    }
}
