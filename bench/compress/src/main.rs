//! `cargo run --release`: what each way to compress single records behind their keys saves, and what it costs, in one
//! table. Each learns from the same first records; the times are CPU time of the fastest of some rounds.

mod ways;

#[path = "../../../crates/study/src/records.rs"]
mod records;

use records::{Random, KINDS};
use std::hint::black_box;
use ways::Way;

const RECORDS: u64 = 20_000;
const ROUNDS: usize = 5;

fn main() {
    let learn: usize = std::env::args().nth(1).map_or(32 << 10, |n| n.parse().expect("bytes to learn from"));
    println!("learnt from the first {learn} bytes; saved percent, ns to compress a record, ns to expand it\n");
    print!("| records | bytes |");
    ways::NAMES.iter().for_each(|name| print!(" {name} |"));
    println!("\n|---|---|{}", "---|".repeat(ways::NAMES.len()));
    for (kind, make) in KINDS {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let made: Vec<(Vec<u8>, usize)> = (0..RECORDS).map(|n| make(&mut random, 3 * n + 1)).collect();
        let bytes: usize = made.iter().map(|(record, _)| record.len()).sum();
        let keys: usize = made.iter().map(|(_, key)| key).sum();
        let rests: Vec<&[u8]> = made.iter().map(|(record, key)| &record[*key..]).collect();
        let mut left = learn;
        let samples: Vec<&[u8]> = rests
            .iter()
            .take_while(|rest| {
                let more = left > 0;
                left = left.saturating_sub(rest.len());
                more
            })
            .copied()
            .collect();
        print!("| {kind} | {} |", bytes / made.len());
        for mut way in ways::all(&samples) {
            let (stored, compress, expand) = measure(&mut *way, &rests);
            // Each record has a form of one byte.
            let stored = stored + keys + made.len();
            let saved = 100.0 * (1.0 - stored as f64 / bytes as f64);
            print!(" {saved:.0} / {compress:.0} / {expand:.0} |");
        }
        println!();
    }
}

/// Bytes of all records, and nanoseconds for one, both ways.
fn measure(way: &mut dyn Way, rests: &[&[u8]]) -> (usize, f64, f64) {
    let mut packed = Vec::new();
    for rest in rests {
        let mut out = Vec::new();
        way.compress(rest, &mut out);
        packed.push(out);
    }
    let (mut out, mut best) = (Vec::with_capacity(8192), (f64::MAX, f64::MAX));
    for (rest, packed) in rests.iter().zip(&packed) {
        out.clear();
        way.expand(packed, &mut out);
        assert_eq!(out, *rest, "it comes back");
    }
    for _ in 0..ROUNDS {
        let begin = cpu();
        for rest in rests {
            out.clear();
            way.compress(black_box(rest), &mut out);
            black_box(&out);
        }
        let middle = cpu();
        for packed in &packed {
            out.clear();
            way.expand(black_box(packed), &mut out);
            black_box(&out);
        }
        best = (best.0.min(middle - begin), best.1.min(cpu() - middle));
    }
    let stored = packed.iter().zip(rests).map(|(packed, rest)| packed.len().min(rest.len())).sum();
    let each = |seconds: f64| seconds * 1e9 / rests.len() as f64;
    (stored, each(best.0), each(best.1))
}

/// CPU time of this thread in seconds.
fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
