//! Puts all mutants that cargo-mutants lists into the sources at once: each stands beside the code it replaces, and
//! the program asks `crate::mutated(number)` which of the two to run. So a crate is compiled once and not once for
//! each mutant.
//!
//!     cica-all-mutants LIST ROOT LEFT_OUT
//!
//! LIST is what `cargo mutants --list --json` says, ROOT the checkout whose files are changed, LEFT_OUT has the numbers
//! (places in the list, from 0) that are not to be put in. Prints one line for each that was: number, file, first and
//! last line of the mutated code in the changed file. Those that stand where a program cannot choose when it runs
//! (constants, patterns, the length of an array) are left out, too: they are compiled one by one.
//!
//! * M1. A mutant is the text that cargo-mutants compiles: an operator is replaced in the text of the whole chain of
//!   operators around it, so that the others bind as they do there.
//! * M2. The mutated code has its lines to itself, so that what the compiler says of a line is of one mutant.

mod places;
mod weave;

use places::Places;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use weave::Weave;

/// Line from 1 and column from 1, in characters.
type Place = (usize, usize);

/// A mutant of the list.
struct Mutant {
    number: usize,
    genre: String,
    replacement: String,
    from: Place,
    to: Place,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [list, root, left_out] = &args[..] else {
        eprintln!("usage: cica-all-mutants LIST ROOT LEFT_OUT");
        return ExitCode::FAILURE;
    };
    match run(list, Path::new(root), left_out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn run(list: &str, root: &Path, left_out: &str) -> Result<(), String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let left_out: BTreeSet<usize> = read(Path::new(left_out))?.lines().flat_map(str::parse).collect();
    let list: serde_json::Value = serde_json::from_str(&read(Path::new(list))?).map_err(|e| e.to_string())?;
    let mut files: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for (number, m) in list.as_array().into_iter().flatten().enumerate() {
        let text = |name: &str| m[name].as_str().unwrap_or_default().to_owned();
        let place = |name: &str| {
            let of = |what: &str| m["span"][name][what].as_u64().unwrap_or(0) as usize;
            (of("line"), of("column"))
        };
        if !left_out.contains(&number) {
            files.entry(text("file")).or_default().push(Mutant {
                number,
                genre: text("genre"),
                replacement: text("replacement"),
                from: place("start"),
                to: place("end"),
            });
        }
    }
    for (name, mutants) in files {
        let path = root.join(&name);
        let source = read(&path)?;
        let syntax = syn::parse_file(&source).map_err(|e| format!("{name}: {e}"))?;
        let mut weave = Weave::of(&source);
        let places = Places::of(&syntax);
        for mutant in &mutants {
            places.put_in(mutant, &mut weave);
        }
        let (text, lines) = weave.finish();
        std::fs::write(&path, text).map_err(|e| format!("{name}: {e}"))?;
        for (number, first, last) in lines {
            println!("{number} {name} {first} {last}");
        }
    }
    Ok(())
}
