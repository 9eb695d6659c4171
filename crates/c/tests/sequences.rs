//! Calls in any order, with handles that are good, closed, of another kind, null or never were, flags of any bits and
//! lengths of any size: each is answered with a code, no call panics inside, and the data set is sound in the end.
//!
//! `CICA_SEQUENCES` sequences (40 without it), from seed `CICA_SEED` on.
#![allow(clippy::unwrap_used)]

mod common;

use cica_c::*;
use common::EnvironmentOptions;
use std::ffi::{c_int, c_uint, c_void, CString};
use std::ptr::{null, null_mut};

/// `cica_val`.
#[repr(C)]
struct Value {
    data: *const c_void,
    size: usize,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What a panic inside comes out as.
fn internal() -> c_int {
    let code = CODES.iter().find(|code| code.name == "INTERNAL");
    code.expect("the header has such a code").number
}

struct Caller {
    random: Random,
    /// Every handle there ever was, and some that never were.
    handles: Vec<*mut c_void>,
    /// Those made, by kind.
    made: [Vec<*mut c_void>; 4],
    answers: [u64; 2],
    internal: c_int,
}

impl Caller {
    /// Mostly the newest handle that a call made of this kind (0 environment, 1 data set, 2 string, 3 unit).
    fn handle(&mut self, kind: usize) -> *mut c_void {
        let newest = self.made[kind].last().copied();
        match self.random.below(10) {
            0 => self.handles[self.random.below(self.handles.len() as u64) as usize],
            _ => newest.unwrap_or(null_mut()),
        }
    }

    fn flags(&mut self) -> c_uint {
        match self.random.below(8) {
            0 => self.random.below(1 << 32) as c_uint,
            n => [0, 0, 0, 0, 1, 1, 4, 16][n as usize],
        }
    }

    fn answer(&mut self, what: &str, code: c_int) {
        assert_ne!(code, self.internal, "{what} panicked inside");
        assert!(
            CODES.iter().any(|known| known.number == code),
            "{what} answers {code}, which means nothing"
        );
        self.answers[usize::from(code == 0)] += 1;
    }

    fn call(&mut self) {
        let which = self.random.below(49);
        let kind = match which {
            0..=2 | 40 => 0,
            3..=7 | 41..=42 => 1,
            43..=45 => 3,
            _ => 2,
        };
        let (handle, unit, flags) = (self.handle(kind), self.handle(3), self.flags());
        let record = format!(
            "{:04} record {}",
            self.random.below(60),
            "x".repeat(self.random.below(70) as usize)
        );
        let size = [record.len(), 4, 0, 3][(self.random.below(8) / 2) as usize].min(record.len());
        let bytes = if self.random.below(20) == 0 {
            null()
        } else {
            record.as_ptr().cast()
        };
        let mut value = Value { data: null(), size: 0 };
        let place = match self.random.below(20) {
            0 => null_mut(),
            _ => (&raw mut value).cast(),
        };
        let (mut made, mut rba) = (null_mut(), 0);
        let names = [c"A.B", c"NO.SUCH", c"", c"A.B.DATA", c"****"];
        let name = names[(self.random.below(8) as usize).saturating_sub(3)];
        // SAFETY: pointers are null or to what the header wants, of the lengths given.
        let (what, code) = unsafe {
            match which {
                0..=2 => ("open", cica_open(handle, name.as_ptr(), flags, null_mut(), &mut made)),
                3..=5 => ("string_open", cica_string_open(handle, &mut made)),
                8 => ("string_close", cica_string_close(handle)),
                6 => ("close", cica_close(handle)),
                7 => ("commit", cica_commit(handle)),
                9..=12 => ("get", cica_get(handle, bytes, size.min(4), flags, place)),
                13 => ("get_rba", cica_get_rba(handle, self.random.below(9000), flags, place)),
                14 => (
                    "get_rrn",
                    cica_get_rrn(handle, self.random.below(90) as u32, flags, place),
                ),
                15..=17 => ("next", cica_next(handle, flags, place)),
                18 => ("prev", cica_prev(handle, flags, place)),
                19 => ("point", cica_point(handle, bytes, size.min(4), flags)),
                20..=27 => ("insert", cica_insert(handle, bytes, size, flags, &mut rba)),
                28..=32 => ("update", cica_update(handle, bytes, size)),
                33 => ("erase", cica_erase(handle)),
                34 => ("end", cica_end(handle)),
                40 => ("unit_begin", cica_unit_begin(handle, &mut made)),
                41..=42 => ("string_open_in", cica_string_open_in(handle, unit, &mut made)),
                43 => ("unit_commit", cica_unit_commit(handle)),
                44 => ("unit_backout", cica_unit_backout(handle)),
                45 => ("unit_free", cica_unit_free(handle)),
                46..=47 => {
                    let number = self.random.below(90) as u32;
                    ("insert_rrn", cica_insert_rrn(handle, number, bytes, size, flags))
                }
                48 => {
                    let mut number = 0;
                    ("rrn", cica_rrn(handle, &mut number))
                }
                _ => ("rba", cica_rba(handle, &mut rba)),
            }
        };
        self.answer(what, code);
        if code == 0 && !made.is_null() {
            self.handles.push(made);
            let kind = match what {
                "open" => 1,
                "unit_begin" => 3,
                _ => 2,
            };
            self.made[kind].push(made);
        }
        if code == 0 && matches!(what, "close" | "string_close" | "unit_free") {
            self.made[kind].retain(|known| *known != handle);
        }
    }
}

#[test]
fn any_sequence_of_calls_is_answered() {
    let place = std::env::temp_dir().join(format!("cica-sequences-{}", std::process::id()));
    let catalog = CString::new(place.join("catalog").to_str().unwrap()).unwrap();
    let mut answers = [0; 2];
    let seed = number("CICA_SEED", 1);
    for seed in seed..seed + number("CICA_SEQUENCES", 40) {
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(&place).unwrap();
        let mut options = EnvironmentOptions::of(&catalog);
        let mut env = null_mut();
        // SAFETY: the structure is the header's.
        let opened = unsafe { cica_env_open((&raw mut options).cast(), &mut env) };
        assert_eq!(opened, 0);
        let cards = " DEFINE CLUSTER (NAME(A.B) KEYS(4 0) RECSZ(40 80) TRK(1 1) REUSE)\n";
        let mut maxcc = -1;
        // SAFETY: text and length go together.
        let defined = unsafe { cica_idcams(env, cards.as_ptr().cast(), cards.len(), None, null_mut(), &mut maxcc) };
        assert_eq!((defined, maxcc), (0, 0));
        let mut caller = Caller {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            handles: vec![null_mut(), usize::MAX as *mut c_void, 64 as *mut c_void, env],
            made: [vec![env], Vec::new(), Vec::new(), Vec::new()],
            answers: [0; 2],
            internal: internal(),
        };
        for _ in 0..600 {
            caller.call();
        }
        // Closed from the newest to the oldest: strings, units, data sets, the environment.
        for handle in caller.handles.iter().rev().copied().filter(|handle| *handle != env) {
            let _ = cica_string_close(handle);
            let _ = cica_unit_free(handle);
            let _ = cica_close(handle);
        }
        assert_eq!(
            cica_env_close(env),
            0,
            "seed {seed}: something is open that no handle closes"
        );
        answers = [answers[0] + caller.answers[0], answers[1] + caller.answers[1]];
    }
    std::fs::remove_dir_all(&place).unwrap();
    assert!(answers.iter().all(|n| *n > 1000), "{answers:?}: refused and done");
}
