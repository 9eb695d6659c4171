//! The numbers by which a program says how it opens, reads and starts.

use crate::error::{Refused, EBADARG};

/// How a file is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// ISINPUT, ISINOUT: it is read.
    pub reads: bool,
    /// ISOUTPUT, ISINOUT: it is changed.
    pub writes: bool,
    /// ISTRANS: its changes belong to a transaction.
    pub in_transactions: bool,
    /// ISVARLEN: records have lengths of their own.
    pub varying: bool,
    /// ISAUTOLOCK: what is read is locked until the next read.
    pub locks_reads: bool,
    /// ISEXCLLOCK: nobody else may have it open.
    pub alone: bool,
    /// It is emptied first, as O_TRUNC of `ndbm.h` says.
    pub emptied: bool,
}

const TRANSACTIONS: i32 = 4;
const NO_LOG: i32 = 8;
const VARYING: i32 = 16;
const AUTOMATIC: i32 = 0x200;
const MANUAL: i32 = 0x400;
const EXCLUSIVE: i32 = 0x800;

impl Mode {
    /// Of its number.
    ///
    /// # Errors
    /// EBADARG.
    pub fn of(number: i32) -> Result<Mode, Refused> {
        let known = 3 | TRANSACTIONS | NO_LOG | VARYING | AUTOMATIC | MANUAL | EXCLUSIVE;
        let locks = [AUTOMATIC, MANUAL, EXCLUSIVE].map(|bit| number & bit != 0);
        if number & !known != 0 || number & 3 == 3 || locks.iter().filter(|lock| **lock).count() > 1 {
            return Err(Refused::because(
                EBADARG,
                format!("{number:#x} is no mode of an open file"),
            ));
        }
        let [locks_reads, _, alone] = locks;
        Ok(Mode {
            reads: number & 3 != 1,
            writes: number & 3 != 0,
            in_transactions: number & TRANSACTIONS != 0,
            varying: number & VARYING != 0,
            locks_reads,
            alone,
            emptied: false,
        })
    }
}

/// Which record is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    First,
    Last,
    Next,
    Previous,
    Current,
    Equal,
    Greater,
    GreaterOrEqual,
}

/// How a record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Which record.
    pub which: Which,
    /// ISLOCK: it is locked.
    pub lock: bool,
    /// ISWAIT: whoever has it is waited for.
    pub wait: bool,
}

const LOCK: i32 = 0x100;
const WAIT: i32 = 0x400;
const ALL: [Which; 8] = [
    Which::First,
    Which::Last,
    Which::Next,
    Which::Previous,
    Which::Current,
    Which::Equal,
    Which::Greater,
    Which::GreaterOrEqual,
];

impl Reading {
    /// Of its number.
    ///
    /// # Errors
    /// EBADARG.
    pub fn of(number: i32) -> Result<Reading, Refused> {
        let known = number & !(0xFF | LOCK | WAIT) == 0;
        let which = usize::try_from(number & 0xFF).ok().and_then(|which| ALL.get(which));
        match which.filter(|_| known) {
            Some(which) => Ok(Reading {
                which: *which,
                lock: number & LOCK != 0,
                wait: number & WAIT != 0,
            }),
            None => Err(Refused::because(EBADARG, format!("{number:#x} says no record to read"))),
        }
    }
}

/// Where isstart sets the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    First,
    Last,
    Equal,
    Greater,
    GreaterOrEqual,
}

impl Start {
    /// Of its number.
    ///
    /// # Errors
    /// EBADARG.
    pub fn of(number: i32) -> Result<Start, Refused> {
        match Reading::of(number)?.which {
            Which::First => Ok(Start::First),
            Which::Last => Ok(Start::Last),
            Which::Equal => Ok(Start::Equal),
            Which::Greater => Ok(Start::Greater),
            Which::GreaterOrEqual => Ok(Start::GreaterOrEqual),
            Which::Next | Which::Previous | Which::Current => {
                let words = "isstart takes ISFIRST, ISLAST, ISEQUAL, ISGREAT and ISGTEQ";
                Err(Refused::because(EBADARG, words))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_mean_nothing_are_refused() {
        for number in [-1, 3, 32, 0x600, 0xE00, 0x1000] {
            assert_eq!(
                Mode::of(number).map_err(|refused| refused.number),
                Err(EBADARG),
                "{number:#x}"
            );
        }
        for number in [-1, 8, 0x200, 0x800, 0x1005] {
            assert_eq!(
                Reading::of(number).map_err(|refused| refused.number),
                Err(EBADARG),
                "{number:#x}"
            );
        }
    }

    #[test]
    fn isstart_takes_no_steps() {
        for number in [2, 3, 4, 8, -1] {
            assert_eq!(
                Start::of(number).map_err(|refused| refused.number),
                Err(EBADARG),
                "{number:#x}"
            );
        }
        assert_eq!(
            [0, 1, 5].map(Start::of),
            [Ok(Start::First), Ok(Start::Last), Ok(Start::Equal)]
        );
    }

    #[test]
    fn numbers_mean_what_the_header_says() {
        let mode = Mode::of(2 | 4 | 0x200).expect("a mode");
        assert!(mode.reads && mode.writes && mode.in_transactions && mode.locks_reads && !mode.alone);
        let reading = Reading::of(5 | 0x500).expect("a reading");
        assert_eq!((reading.which, reading.lock, reading.wait), (Which::Equal, true, true));
    }
}
