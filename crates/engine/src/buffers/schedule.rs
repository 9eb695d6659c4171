//! When a sequential reader's buffers are filled, and a loader's are emptied: VSAM's rule, as its source of 1979 has it.
//!
//! A control area begins with a chain that fills all buffers. From then on as many as PLHRMIN are filled with one
//! chain, as soon as so many have been passed. No chain goes from one control area into the next. With one or two
//! buffers PLHRMIN is all of them; with more it is half of them, rounded up, and of the other half the more, the more
//! records a CI has, so that reading and working overlap.

use super::BufferSizes;

/// The rule for a number of buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Buffers that are filled in order (PLHBFRNO).
    pub buffers: usize,
    /// Fewest that are filled together (PLHRMIN).
    pub least: usize,
    /// Fewest that a load in SPEED empties together.
    pub written: usize,
    /// CIs on a track; 0: nobody knows.
    pub track: usize,
}

impl Schedule {
    /// For so many buffers; so many CIs are on a track, or (0) nobody knows.
    pub fn new(buffers: usize, track: usize, sizes: BufferSizes) -> Schedule {
        let buffers = buffers.max(1);
        let least = least(buffers, sizes);
        // A load in SPEED writes whole tracks, where it can.
        let written = match track {
            1.. if least > track => least / track * track,
            _ => least,
        };
        Schedule {
            buffers,
            least,
            written,
            track,
        }
    }
}

/// PLHRMIN.
fn least(buffers: usize, sizes: BufferSizes) -> usize {
    if buffers <= 2 {
        return buffers;
    }
    let half = buffers.div_ceil(2);
    let records = if sizes.spanned {
        0
    } else {
        sizes.data / sizes.record.max(1)
    };
    match (records as usize).div_ceil(9) {
        0 => half,
        nines => half + (nines - 1) * (buffers - half) / nines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: BufferSizes = BufferSizes {
        data: 2048,
        index: Some(1024),
        record: 200,
        spanned: false,
    };

    #[test]
    fn the_rule_is_that_of_the_source_of_1979() {
        // With ten records in a CI a quarter of the buffers is kept back.
        let least = |buffers| Schedule::new(buffers, 6, STUDY).least;
        assert_eq!([1, 2, 3, 9, 19, 29, 49, 107].map(least), [1, 2, 2, 7, 14, 22, 37, 80]);
        let with_twenty = BufferSizes { data: 4096, ..STUDY };
        assert_eq!(Schedule::new(20, 3, with_twenty).least, 16);
        let one_record = BufferSizes { record: 2000, ..STUDY };
        assert_eq!(Schedule::new(20, 0, one_record).least, 10);
        let spanned = BufferSizes { spanned: true, ..STUDY };
        assert_eq!(Schedule::new(21, 0, spanned).least, 11);
    }

    #[test]
    fn a_load_writes_whole_tracks_where_it_can() {
        let written = |buffers| Schedule::new(buffers, 6, STUDY).written;
        assert_eq!(
            [1, 9, 19, 29, 39, 49, 79, 107].map(written),
            [1, 6, 12, 18, 24, 36, 54, 78]
        );
    }
}
