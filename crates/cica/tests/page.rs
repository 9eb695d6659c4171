//! The programs of `docs/src/howto/from-rust.md` are run, and print what the page shows.

#[path = "../examples/payroll.rs"]
mod payroll;
#[path = "../examples/transfer.rs"]
mod transfer;

mod common;

use cica::Error;
use common::Place;
use std::path::Path;

/// What the page shows behind the command that runs an example.
fn shown(example: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/howto/from-rust.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let command = format!("$ cargo run -p cica --example {example}");
    let lines = page.lines().skip_while(|line| !line.starts_with(&command)).skip(1);
    lines
        .take_while(|line| !line.starts_with("```"))
        .map(str::to_owned)
        .collect()
}

fn printed(name: &str, run: fn(&Path) -> Result<Vec<String>, Error>) -> Vec<String> {
    let place = Place::new(name);
    run(place.path()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn payroll_prints_what_the_page_shows() {
    assert_eq!(printed("payroll", payroll::run), shown("payroll"));
}

#[test]
fn transfer_prints_what_the_page_shows() {
    assert_eq!(printed("transfer", transfer::run), shown("transfer"));
}
