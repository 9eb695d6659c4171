//! A process was killed: another one opens what it left, and the run goes on from there.

use crate::oracle::{Bytes, Oracle};
use crate::session::{Session, Trouble};

/// Lets others open what a dead process left until one of them lives; the model from which it goes on, and how many
/// processes died for it. `before` and `after` are the model before the request that was under way and with it done.
///
/// # Errors
/// What was left did not open, or is of no moment since the last durable one.
pub fn take_over(session: &mut Session, before: &Oracle, after: &Oracle) -> Result<(Oracle, u32), Trouble> {
    let mut deaths = 0;
    let found = loop {
        deaths += 1;
        let found = session.succeed().and_then(|()| session.contents());
        if !session.process().is_dead() {
            break found?;
        }
    };
    Ok((left(before, after, found)?, deaths))
}

/// The model of a data set of which a killed process left these records, none while it is to be loaded.
///
/// # Errors
/// They are of no moment since the last durable one.
pub fn left(before: &Oracle, after: &Oracle, found: Option<Vec<Bytes>>) -> Result<Oracle, Trouble> {
    let (loading, records) = (found.is_none(), found.unwrap_or_default());
    for oracle in [after, before] {
        // What was answered is there (law 6), but of a load, which is not logged.
        if !before.loading() && oracle.contents() != records {
            continue;
        }
        let mut oracle = oracle.clone();
        if oracle.adopt(&records) && oracle.loading() == loading {
            return Ok(oracle);
        }
    }
    // A record that is put anywhere by its number ends the load first, and that stands by itself.
    let mut ended = before.clone();
    if before.loading() && !after.loading() && !loading && records.is_empty() && ended.adopt(&records) {
        ended.end_load();
        return Ok(ended);
    }
    Err(Trouble::Wrong(format!(
        "the {} records that a killed process left are neither those that it had answered for nor those and the request \
         that it died in",
        records.len()
    )))
}
