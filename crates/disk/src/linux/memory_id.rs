//! Which memory of the system has what was written to a file and is not durable ([`File::memory_id`]).
//!
//! The system forgets that memory when it ends, which its boot id tells, and when the file system is mounted anew,
//! which a number tells that no other mount gets (Linux 6.8). A copy is another inode, or one of another time of birth.
//!
//! It does not tell where contents were copied back into the file itself, nor where the device refused what the system
//! wrote back by itself.
//!
//! [`File::memory_id`]: crate::File::memory_id

use once_cell::race::OnceBox;
use rustix::fd::BorrowedFd;
use rustix::fs::{self, AtFlags, StatxFlags};

/// `STATX_MNT_ID_UNIQUE`.
const UNIQUE_MOUNT: StatxFlags = StatxFlags::from_bits_retain(0x4000);

/// Of an open file; 0: the system does not say enough.
pub(super) fn memory_id(file: BorrowedFd<'_>) -> u64 {
    let wanted = StatxFlags::INO | StatxFlags::BTIME | UNIQUE_MOUNT;
    let Some(boot) = boot() else { return 0 };
    let Ok(stat) = fs::statx(file, c"", AtFlags::EMPTY_PATH, wanted) else {
        return 0;
    };
    if !StatxFlags::from_bits_retain(stat.stx_mask).contains(wanted) {
        return 0;
    }
    let device = u64::from(stat.stx_dev_major) << 32 | u64::from(stat.stx_dev_minor);
    let birth = (stat.stx_btime.tv_sec as u64) << 32 ^ u64::from(stat.stx_btime.tv_nsec);
    let numbers = [device, stat.stx_ino, birth, stat.stx_mnt_id].map(u64::to_le_bytes);
    mixed(boot.bytes().chain(numbers.into_iter().flatten()))
}

/// The number of this run of the system, in words.
fn boot() -> Option<&'static str> {
    static BOOT: OnceBox<Option<String>> = OnceBox::new();
    let read = || Box::new(std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok());
    BOOT.get_or_init(read).as_deref()
}

/// FNV-1a, and never 0.
fn mixed(bytes: impl Iterator<Item = u8>) -> u64 {
    let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.fold(0xCBF2_9CE4_8422_2325, mix).max(1)
}
