//! What one insert takes: none split, a CI, a control area.

use super::file::{self, digits, record, Shape, GAP, RECORDS};
use super::steps::spread;
use crate::bars::Bars;
use crate::figures::Figures;
use crate::measure::timed;
use crate::{while_doing, Cell, StudyError, Table};
use cica::Store;
use cica_catalog::freespace::FreeSpace;
use cica_engine::{Buffering, Insert, Intent, RequestError, Search};

/// A row: what the source calls it, and the free space that makes it so. The last: all space that is allocated is used.
const CASES: [(&str, FreeSpace, bool); 4] = [
    ("no splitting", FreeSpace { ci: 20, ca: 6 }, false),
    ("CI splits", FreeSpace { ci: 0, ca: 6 }, false),
    ("CA splits", FreeSpace { ci: 0, ca: 0 }, false),
    ("CA split + extent", FreeSpace { ci: 0, ca: 0 }, true),
];

/// Each of them, with inserts all of which do what the row says (T3), and bars of them.
pub fn table(store: &Store) -> Result<(Table, Vec<Bars>), StudyError> {
    let printed = Figures::of(include_str!("splits.csv"));
    let columns = [
        "inserts",
        "EXCPs each then",
        "now",
        "differs",
        "CI splits",
        "CA splits",
        "extents",
        "CPU ms",
        "ms",
    ];
    let mut table = Table::new("what one insert takes: splits", &columns);
    let mut bars = Bars {
        title: "what one insert takes: EXCPs".into(),
        names: ["then".into(), "now".into()],
        cases: Vec::new(),
    };
    let name = "STUDY.SPLITS";
    // What the file of the row before took after its load: each CA of it is a cylinder.
    let mut loaded = 0;
    for (case, free_space, is_full) in CASES {
        let row = printed.find(&[("case", case)]);
        let number = |column| row.as_ref().and_then(|row| row.number(column));
        let inserts = number("requests").unwrap_or_default() as u64;
        file::define(
            store,
            name,
            Shape {
                free_space,
                cylinders: if is_full { (loaded, 1) } else { file::BASE.cylinders },
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
        let (attributes, cylinders) = (set.attributes(), |bytes: u64| {
            bytes / (u64::from(set.attributes().ci_size) * u64::from(set.attributes().ci_per_ca))
        });
        loaded = cylinders(set.high_used());
        let primary = cylinders(attributes.primary);
        let excps = || set.buffers().map_or(0, |(_, counts)| counts.excps());
        let opened = excps();
        let ((), took) = timed(|| {
            let mut string = set.string();
            for at in spread(inserts, RECORDS) {
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
        // Where the secondary amount is a cylinder, each beyond the primary one is an extent.
        let extents = cylinders(set.high_used()).saturating_sub(primary);
        set.close().map_err(while_doing(&doing))?;
        store.delete(name).map_err(while_doing(name))?;
        let then = number("excps");
        bars.cases.push((case.into(), [then, Some(each)]));
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
                whole(extents),
                Cell::Number(took.cpu / 1e6, 1),
                Cell::Number(took.elapsed / 1e6, 1),
            ],
        );
    }
    Ok((table, vec![bars]))
}
