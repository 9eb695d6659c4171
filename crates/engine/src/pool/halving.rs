//! Halving, the one way in which a place in a sorted page is found.

/// The first of `start..end` for which `below` does not hold; it holds for the ones before that. Takes the same steps
/// whatever it finds, because a branch that cannot be foretold costs more than a step.
#[inline]
pub fn first_not_below(start: usize, end: usize, below: impl Fn(usize) -> bool) -> usize {
    let (mut base, mut len) = (start, end.saturating_sub(start));
    while len > 1 {
        let half = len / 2;
        base += half & opaque(usize::from(below(base + half - 1)).wrapping_neg());
        len -= half;
    }
    base + (len == 1 && below(base)) as usize
}

/// The same number, of which the compiler does not know what it can be: else it makes a branch of it.
#[inline(always)]
#[allow(unsafe_code)]
fn opaque(number: usize) -> usize {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    let number = {
        let mut number = number;
        // SAFETY: no instruction at all.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags)) };
        number
    };
    number
}
