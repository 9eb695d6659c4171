//! Loads and stores that may race with others, in assembly for x86-64: the language has none for them, and what the
//! compiler does not look into it draws no conclusions from. Elsewhere `bytes.rs` does the same by whole words.

/// Loads eight bytes, at any address, that a writer may be changing: the language has no unaligned load that may race.
///
/// # Safety
/// `from` must be valid for eight bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
pub(super) unsafe fn load_racing(from: *const u8) -> u64 {
    let value: u64;
    // SAFETY: reads from[0..8).
    unsafe {
        std::arch::asm!("mov {value}, [{from}]", value = out(reg) value, from = in(reg) from,
            options(nostack, preserves_flags, readonly, pure));
    }
    value
}

/// Loads the upper half of a word that a writer may be storing as a whole.
///
/// # Safety
/// `word` must be valid for eight bytes.
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
#[inline]
pub(super) unsafe fn upper_racing(word: *const u8) -> u32 {
    let value: u32;
    // SAFETY: reads word[4..8).
    unsafe {
        std::arch::asm!("mov {value:e}, dword ptr [{word} + 4]", value = out(reg) value, word = in(reg) word,
            options(nostack, preserves_flags, readonly, pure));
    }
    value
}

/// Loads half a word beside stores of it, or of its word. What is loaded later is not loaded before.
///
/// # Safety
/// `half` must be valid for four bytes.
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
#[inline]
pub(super) unsafe fn half_racing(half: *const u8) -> u32 {
    let value: u32;
    // SAFETY: reads half[0..4).
    unsafe {
        std::arch::asm!("mov {value:e}, dword ptr [{half}]", value = out(reg) value, half = in(reg) half,
            options(nostack, preserves_flags));
    }
    value
}

/// Stores half a word, beside loads of it or of its word. What was stored before is not stored later.
///
/// # Safety
/// `half` must be valid for four bytes, and aligned.
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
#[inline]
pub(super) unsafe fn store_half_racing(half: *mut u8, value: u32) {
    // SAFETY: writes half[0..4).
    unsafe {
        std::arch::asm!("mov dword ptr [{half}], {value:e}", value = in(reg) value, half = in(reg) half,
            options(nostack, preserves_flags));
    }
}

/// How many of eight words have an upper half below `head`, while a writer may be storing them: each comparison
/// with memory leaves in the carry flag what is added.
///
/// # Safety
/// `words` must be valid for eight words.
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
#[inline]
pub(super) unsafe fn count_below_racing(words: *const u8, head: u32) -> usize {
    let mut below = 0usize;
    // SAFETY: reads words[0..64).
    unsafe {
        std::arch::asm!(
            "cmp dword ptr [{words} + 4], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 12], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 20], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 28], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 36], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 44], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 52], {head:e}",
            "adc {below}, 0",
            "cmp dword ptr [{words} + 60], {head:e}",
            "adc {below}, 0",
            words = in(reg) words,
            head = in(reg) head,
            below = inout(reg) below,
            options(nostack, readonly, pure),
        );
    }
    below
}

/// From this length on the processor's own block copy is the faster way: it asks for memory far ahead of what it stores.
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
const BLOCK: usize = 512;

/// Copies bytes that a writer may be changing: long ones by the block instruction, others 16 at a time, the last 16
/// overlapping. In assembly, because the language has no bulk load that may race; what the processor reads may be torn,
/// and the caller finds that out by the version.
///
/// # Safety
/// `from` must be valid for `out.len()` bytes, and `out` at least 16 long.
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
#[inline]
pub(super) unsafe fn copy_racing(from: *const u8, out: &mut [u8]) {
    if out.len() >= BLOCK {
        // SAFETY: reads from[0..len) and writes out[0..len), upwards, because the ABI keeps the direction flag clear.
        unsafe {
            std::arch::asm!(
                "rep movsb",
                inout("rsi") from => _,
                inout("rdi") out.as_mut_ptr() => _,
                inout("rcx") out.len() => _,
                options(nostack, preserves_flags),
            );
        }
        return;
    }
    let last = out.len() - 16;
    // SAFETY: reads from[0..len) and writes out[0..len); clobbers what it says.
    unsafe {
        std::arch::asm!(
            "2:",
            "movdqu {x}, [{from} + {i}]",
            "movdqu [{to} + {i}], {x}",
            "add {i}, 16",
            "cmp {i}, {last}",
            "jb 2b",
            "movdqu {x}, [{from} + {last}]",
            "movdqu [{to} + {last}], {x}",
            from = in(reg) from,
            to = in(reg) out.as_mut_ptr(),
            last = in(reg) last,
            i = inout(reg) 0usize => _,
            x = out(xmm_reg) _,
            options(nostack),
        );
    }
}
