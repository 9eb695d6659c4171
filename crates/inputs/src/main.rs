//! Runs targets for a time: `cica-inputs [TARGET ..] [--seconds N | --inputs N] [--seed S]`. Each target has that many
//! seconds, or inputs. The last line of a target is JSON: what was tried, and what was found. A finding's bytes go to
//! `TARGET-SEED.bin` and end with an exit status of 1; `cica-inputs TARGET --file PATH` runs one again. `--samples
//! DIRECTORY` writes the samples there, for a fuzzer to begin with.
#![forbid(unsafe_code)]

use cica_inputs::mutate::{mutated, Random};
use cica_inputs::{target, FuzzTarget, TARGETS};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Longest that one input may take.
const LIMIT: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let (mut names, mut seconds, mut most, mut seed, mut file) = (Vec::new(), 10, u64::MAX, 1, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            "--seconds" => seconds = number().unwrap_or(seconds),
            "--inputs" => (most, seconds) = (number().unwrap_or(most), u64::MAX),
            "--seed" => seed = number().unwrap_or(seed),
            "--file" => file = arguments.next(),
            "--samples" => return samples(&arguments.next().unwrap_or_default()),
            _ => names.push(argument),
        }
    }
    let chosen: Vec<&FuzzTarget> = if names.is_empty() {
        TARGETS.iter().collect()
    } else {
        names.iter().filter_map(|name| target(name)).collect()
    };
    if chosen.is_empty() {
        let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("targets: {}", all.join(" "));
        return ExitCode::from(64);
    }
    if let Some(bytes) = file.and_then(|path| std::fs::read(path).ok()) {
        chosen.iter().for_each(|target| (target.act)(&bytes));
        return ExitCode::SUCCESS;
    }
    let findings: u64 = chosen.iter().map(|target| explore(target, seconds, most, seed)).sum();
    ExitCode::from(u8::from(findings > 0))
}

/// Writes the samples of all targets, each target's into a directory of its name.
fn samples(directory: &str) -> ExitCode {
    let written = TARGETS.iter().try_for_each(|target| {
        let directory = std::path::Path::new(directory).join(target.name);
        std::fs::create_dir_all(&directory)?;
        let mut samples = (target.samples)().into_iter().enumerate();
        samples.try_for_each(|(n, bytes)| std::fs::write(directory.join(format!("sample-{n}")), bytes))
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{directory}: {error}");
            ExitCode::from(12)
        }
    }
}

/// Runs one target; how many findings.
fn explore(target: &FuzzTarget, seconds: u64, most: u64, seed: u64) -> u64 {
    let samples = (target.samples)();
    let (mut random, mut tried, mut findings) = (Random(seed), 0_u64, 0);
    let started = Instant::now();
    while started.elapsed().as_secs() < seconds && tried < most && findings < 5 {
        let before = random.0;
        let bytes = mutated(&samples, &mut random);
        let began = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| (target.act)(&bytes)));
        tried += 1;
        if done.is_err() || began.elapsed() > LIMIT {
            findings += 1;
            let path = format!("{}-{before}.bin", target.name);
            let kept = std::fs::write(&path, &bytes);
            eprintln!(
                "{}: {path} ({} bytes, {:?}): {kept:?}",
                target.name,
                bytes.len(),
                began.elapsed()
            );
        }
    }
    println!(
        "{{\"target\": \"{}\", \"seed\": {seed}, \"inputs\": {tried}, \"seconds\": {:.1}, \"findings\": {findings}}}",
        target.name,
        started.elapsed().as_secs_f64()
    );
    findings
}
