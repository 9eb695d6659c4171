//! The `cica` command: wiring only.
fn main() {}
