//! Moves money from one account to another and keeps a journal of it, all or none: `transfer DIRECTORY`.

use cica::{DataSet, Error, Esds, Insert, Intent, Ksds, OpenOptions, Search, Store, UnitOfRecovery};
use std::path::Path;

/// What the program does with the catalog in `directory`; the lines it prints.
pub fn run(directory: &Path) -> Result<Vec<String>, Error> {
    let store = Store::at(directory).create().open()?;
    store.define(Ksds::new("BANK.ACCOUNTS").key(0..4).records(12, 12))?;
    store.define(Esds::new("BANK.JOURNAL").records(40, 80))?;
    let accounts = store.open_data_set("BANK.ACCOUNTS", OpenOptions::output())?;
    let journal = store.open_data_set("BANK.JOURNAL", OpenOptions::output())?;
    let mut string = accounts.string();
    for account in ["000100000500", "000200000100"] {
        string.insert(account.as_bytes(), Insert::Sequential)?;
    }
    accounts.end_load()?;

    let mut lines = Vec::new();
    for amount in [300, 300] {
        let unit = store.unit();
        let done = transfer(&unit, &accounts, &journal, amount)?;
        if done {
            unit.commit()?
        } else {
            unit.backout()?
        }
        let said = ["there is too little, and nothing is changed", "done"][usize::from(done)];
        lines.push(format!("transfer of {amount}: {said}"));
    }
    for account in [b"0001", b"0002"] {
        let record = string.get(account, Search::Equal, Intent::Read)?;
        lines.push(String::from_utf8_lossy(record.bytes).into_owned());
    }
    lines.push(format!("journal: {} record", journal.statistics().0.records));
    accounts.close()?;
    journal.close()?;
    Ok(lines)
}

/// Takes `amount` from account 0001, gives it to 0002 and writes that down. False: there was too little.
fn transfer(unit: &UnitOfRecovery, accounts: &DataSet, journal: &DataSet, amount: i64) -> Result<bool, Error> {
    let line = format!("{amount} from 0001 to 0002");
    journal.string_in(unit).insert(line.as_bytes(), Insert::Sequential)?;
    let mut string = accounts.string_in(unit);
    let mut enough = true;
    for (account, change) in [("0001", -amount), ("0002", amount)] {
        let record = string.get(account.as_bytes(), Search::Equal, Intent::Update)?;
        let balance: i64 = String::from_utf8_lossy(&record.bytes[4..]).parse().unwrap_or(0);
        enough &= balance + change >= 0;
        string.update(format!("{account}{:08}", balance + change).as_bytes())?;
    }
    Ok(enough)
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
