//! REPRO and PRINT as a program calls them, without control cards.

use crate::world::{World, NAMES};
use cica_admin::named::{KeyValue, Named};
use cica_admin::print::{Print, RecordId};
use cica_admin::range::{From, Range, To};
use cica_admin::repro::{CopyCounts, Repro};
use std::ops::ControlFlow;

const RECORDS: &[&str] = &["AA01 first", "AA02 second", "AB01 third", "AC01 fourth"];

fn data_set(name: &str) -> Named {
    Named::DataSet(name.to_owned())
}

#[test]
fn a_copy_tells_how_many_records_were_written_and_refused() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, RECORDS);
    w.loaded("A.OTHER", NAMES, &["AB01 there"]);
    let outcome = w.services.repro(&Repro {
        from: data_set("A.NAMES"),
        to: data_set("A.OTHER"),
        range: Range {
            from: From::Key(KeyValue::Char("AA02".to_owned())),
            to: To::End,
        },
        reuse: false,
        replace: false,
        by_intervals: false,
        error_limit: None,
        whole: false,
    });
    let copied = CopyCounts {
        records: 2,
        refused: 1,
        duplicates: 1,
    };
    assert_eq!((outcome.condition, outcome.result), (4, copied));
    assert_eq!(w.records("A.OTHER"), ["AA02 second", "AB01 there", "AC01 fourth"]);
}

#[test]
fn who_is_handed_records_may_end_it() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, RECORDS);
    let request = Print {
        from: data_set("A.NAMES"),
        range: Range {
            from: From::Skip(1),
            to: To::End,
        },
        onto: None,
    };
    let mut keys = Vec::new();
    let outcome = w.services.print(&request, |record| {
        let RecordId::Key(key) = record.place else {
            return ControlFlow::Break(());
        };
        keys.push(String::from_utf8_lossy(key).into_owned());
        match key {
            b"AB01" => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert_eq!((outcome.condition, outcome.result), (0, 2));
    assert_eq!(keys, ["AA02", "AB01"]);
}
