//! Defines a data set, loads it, reads, changes and browses it: `payroll DIRECTORY`.

use cica::{Error, Insert, Intent, Ksds, OpenOptions, RequestError, Search, Store};
use std::path::Path;

/// What the program does with the catalog in `directory`; the lines it prints.
pub fn run(directory: &Path) -> Result<Vec<String>, Error> {
    let store = Store::at(directory).create().open()?;
    store.define(Ksds::new("PAYROLL.MASTER").key(0..4).records(20, 40))?;

    // An empty data set is filled in ascending order.
    let payroll = store.open_data_set("PAYROLL.MASTER", OpenOptions::output())?;
    let mut string = payroll.string();
    for person in ["0001ADAMS", "0002BAKER", "0003CLARK", "0004DAVIS"] {
        string.insert(person.as_bytes(), Insert::Sequential)?;
    }
    payroll.end_load()?;

    // From here on records are read and changed in any order.
    string.rewrite(b"0002", b"0002BAKER-JONES")?;
    string.get(b"0003", Search::Equal, Intent::Update)?;
    string.erase()?;

    let mut lines = Vec::new();
    if let Err(error) = string.insert(b"0001AGAIN", Insert::Direct) {
        lines.push(format!("refused: {error}"));
    }
    string.point_first()?;
    loop {
        match string.next(Intent::Read) {
            Ok(record) => lines.push(String::from_utf8_lossy(record.bytes).into_owned()),
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(error.into()),
        }
    }
    payroll.close()?;
    Ok(lines)
}

// A test runs the program without this.
#[allow(dead_code)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("which directory is the catalog's?")?;
    for line in run(Path::new(&directory))? {
        println!("{line}");
    }
    Ok(())
}
