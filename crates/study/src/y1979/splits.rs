//! What one insert takes: none split, a CI, a control area.

use super::file::{self, digits, record, Shape, GAP, RECORDS};
use super::steps::spread;
use crate::figures::Figures;
use crate::measure::timed;
use crate::{while_doing, Cell, StudyError, Table};
use cica::Store;
use cica_catalog::freespace::FreeSpace;
use cica_engine::{Buffering, Insert, Intent, RequestError, Search};

/// A row: what the source calls it, and the free space that makes it so.
const CASES: [(&str, FreeSpace); 3] = [
    ("no splitting", FreeSpace { ci: 20, ca: 6 }),
    ("CI splits", FreeSpace { ci: 0, ca: 6 }),
    ("CA splits", FreeSpace { ci: 0, ca: 0 }),
];

/// Each of them, with inserts all of which do what the row says (T3).
pub fn table(store: &Store) -> Result<Table, StudyError> {
    let printed = Figures::of(include_str!("splits.csv"));
    let columns = [
        "inserts",
        "EXCPs each then",
        "now",
        "differs",
        "CI splits",
        "CA splits",
        "CPU ms",
        "ms",
    ];
    let mut table = Table::new("what one insert takes: splits", &columns);
    let name = "STUDY.SPLITS";
    for (case, free_space) in CASES {
        let row = printed.find(&[("case", case)]);
        let number = |column| row.as_ref().and_then(|row| row.number(column));
        let inserts = number("requests").unwrap_or_default() as u64;
        file::define(
            store,
            name,
            Shape {
                free_space,
                ..file::BASE
            },
        )?;
        let doing = format!("{name}, {case}");
        let load = file::open(store, name, true, None)?;
        let mut string = load.string();
        for at in 1..=RECORDS {
            string.insert(&record(at * GAP), Insert::Sequential)?;
        }
        drop(string);
        load.close().map_err(while_doing(&doing))?;
        let buffers = Buffering {
            data: Some(2),
            index: Some(1),
            ..Buffering::default()
        };
        let set = file::open(store, name, true, Some(buffers))?;
        let before = set.statistics().0;
        let excps = || set.buffers().map_or(0, |(_, counts)| counts.excps());
        let opened = excps();
        let ((), took) = timed(|| {
            let mut string = set.string();
            for at in spread(inserts) {
                let mut new = record(at * GAP + GAP / 2);
                new[0] = b'N';
                match string.get(&digits(at * GAP + GAP / 2), Search::GreaterOrEqual, Intent::Read) {
                    Ok(_) | Err(RequestError::NotFound) => {}
                    Err(error) => return Err(error),
                }
                string.insert(&new, Insert::Direct)?;
            }
            Ok::<_, RequestError>(())
        })?;
        let (after, each) = (set.statistics().0, (excps() - opened) as f64 / inserts as f64);
        set.close().map_err(while_doing(&doing))?;
        store.delete(name).map_err(while_doing(name))?;
        let then = number("excps");
        let whole = |number: u64| Cell::Number(number as f64, 0);
        table.row(
            case,
            vec![
                whole(inserts),
                then.map_or(Cell::None, |then| Cell::Number(then, 2)),
                Cell::Number(each, 2),
                then.map_or(Cell::None, |then| Cell::Percent(100.0 * (each / then - 1.0))),
                whole(after.ci_splits - before.ci_splits),
                whole(after.ca_splits - before.ca_splits),
                Cell::Number(took.cpu / 1e6, 1),
                Cell::Number(took.elapsed / 1e6, 1),
            ],
        );
    }
    Ok(table)
}
