//! Ten direct GETs in 2007, with RLS on z/OS: where they found their control intervals the first time and the second,
//! as SMF records of type 64 tell it.

mod pools;

use crate::closes::{last_close, number, watch};
use crate::figures::Figures;
use crate::{while_doing, Cell, Report, Setting, StudyError, Table};
use cica::{Ksds, Store};
use cica_admin::stated::Stated;
use cica_engine::{Insert, Intent, OpenOptions, Search};
use cica_smf::Record;

/// Records of the data set, each of which fills a CI, and GETs of each job.
const RECORDS: u32 = 10;
const RECORD: usize = 4000;
const KEY: usize = 8;
const NAME: &str = "STUDY.RLS";
/// The directory of the catalog of the example.
const CATALOG: &str = "catalog";

/// See the module.
pub fn run(setting: &Setting) -> Result<Report, StudyError> {
    load(&store(setting, CATALOG, None)?)?;
    // In an engine of its own, so that the first job finds nothing in the pool.
    let store = store(setting, CATALOG, None)?;
    let doing = while_doing(NAME);
    // As the source has it, somebody keeps the data set open, and with it what is in the pool. He might change it, as
    // RLS allows: of what nobody can change, a CI that was looked at once would not stay in the pool.
    let kept = store.open_data_set(NAME, OpenOptions::output()).map_err(doing)?;
    let [first, second] = [job(&store)?, job(&store)?];
    kept.close().map_err(while_doing(NAME))?;
    drop(store);
    let (pools, plots) = pools::measured(setting)?;
    let mut tables = vec![fields(&first, &second), percents(&first, &second)];
    tables.extend(pools);
    Ok(Report {
        title: "Ten direct GETs of ten records, RLS on z/OS, 2007 (IBM), and here".into(),
        tables,
        notes: NOTES.iter().map(|note| (*note).into()).collect(),
        plots,
        bars: Vec::new(),
    })
}

const NOTES: [&str; 10] = [
    "then: as printed. now: fields of the SMF records of type 64 that the closes of this run wrote, read back from their file.",
    "The source's percents of the first GETs are rounded by its words: 9 of 20 requests were found, which is 45.",
    "CISZ 4096 and 512, as in the source; its key is not told, and has 8 bytes here. The GETs are in the order of the keys.",
    "Here one process has the data set, and opens it for output all the while. There is no cache structure (SMF64CFH). Open",
    "for input alone, a CI is taken into the pool at its fifth visit, and the second GETs read from the file too.",
    "--records are of each of the ten data sets, 1,000 where it is not said and 10,000 in the source; its pools of 500 and 4,096",
    "MB are as large a part of the data here as there. The sets are loaded in one engine and read twice in another, in which they",
    "are open all the while. Found: SMF64BMH of SMF64DEP of the data. The pool needs more than the bytes of the data to hold all,",
    "and where it does not hold all, reading them in turn finds few or none.",
    "What the pool has not comes from the system's page cache here and came from disks there: times differ by less.",
];

/// A store in a directory of the setting's, with a pool of so many bytes if that is said, whose closes write SMF records.
fn store(setting: &Setting, directory: &str, pool: Option<usize>) -> Result<Store, StudyError> {
    let builder = Store::at(setting.directory.join(directory)).create().alone();
    let builder = builder.io(setting.io);
    let builder = match pool {
        Some(bytes) => builder.pool_bytes(bytes),
        None => builder,
    };
    let store = builder.open().map_err(while_doing("making a catalog"))?;
    watch(&store);
    Ok(store)
}

fn key(n: u32) -> String {
    format!("{n:0KEY$}")
}

fn load(store: &Store) -> Result<(), StudyError> {
    let length = RECORD as u32;
    let definition = Ksds::new(NAME)
        .key(0..KEY as u32)
        .records(length, length)
        .ci_size(4096)
        .with(|request| {
            request.index = Some(Stated {
                ci_size: Some(512),
                ..Stated::default()
            });
        });
    store.define(definition).map_err(while_doing(NAME))?;
    let set = store.open_data_set(NAME, OpenOptions::output());
    let set = set.map_err(while_doing(NAME))?;
    let mut string = set.string();
    for n in 1..=RECORDS {
        let mut record = key(n).into_bytes();
        record.resize(RECORD, b'.');
        string.insert(&record, Insert::Sequential)?;
    }
    drop(string);
    set.close().map(drop).map_err(while_doing(NAME))
}

/// Opens, GETs each record, closes; the records of data and index that the close wrote.
fn job(store: &Store) -> Result<[Record; 2], StudyError> {
    let set = store.open_data_set(NAME, OpenOptions::input());
    let set = set.map_err(while_doing(NAME))?;
    let mut string = set.string();
    for n in 1..=RECORDS {
        let record = string.get(key(n).as_bytes(), Search::Equal, Intent::Read)?;
        if record.bytes.len() != RECORD || !record.bytes.starts_with(key(n).as_bytes()) {
            return Err(StudyError::Wrong(format!("{NAME}: record {n} is another")));
        }
    }
    drop(string);
    set.close().map_err(while_doing(NAME))?;
    last_close(&*store.session().disk, store.session().catalog.directory())
}

fn whole(number: Option<f64>) -> Cell {
    number.map_or(Cell::None, |number| Cell::Number(number, 0))
}

/// Each field that was printed.
fn fields(first: &[Record; 2], second: &[Record; 2]) -> Table {
    let printed = Figures::of(include_str!("smf64.csv"));
    let columns = [
        "data 1 then",
        "data 1 now",
        "index 1 then",
        "index 1 now",
        "data 2 then",
        "data 2 now",
        "index 2 then",
        "index 2 now",
    ];
    let mut table = Table::new("SMF 64 of ten GETs, the first time and the second", &columns);
    for row in printed.rows() {
        let field = row.text("field");
        let of = [
            ("first_data", &first[0]),
            ("first_index", &first[1]),
            ("second_data", &second[0]),
            ("second_index", &second[1]),
        ];
        let cells = of.map(|(column, record)| [whole(row.number(column)), whole(number(record, field))]);
        table.row(
            format!("{field} {}", row.text("meaning")),
            cells.into_iter().flatten().collect(),
        );
    }
    table
}

/// Where the requests of a job found what they asked for.
fn percents(first: &[Record; 2], second: &[Record; 2]) -> Table {
    let printed = Figures::of(include_str!("rmf.csv"));
    let columns = [
        "BMF% then",
        "BMF% now",
        "CF% then",
        "CF% now",
        "DASD% then",
        "DASD% now",
    ];
    let mut table = Table::new("the same in percent, as RMF Monitor III shows it", &columns);
    for (row, records) in printed.rows().zip([first, second]) {
        let sum = |field| records.iter().filter_map(|record| number(record, field)).sum::<f64>();
        let percent = |field| Some(100.0 * sum(field) / sum("SMF64DEP").max(1.0));
        let cells = [("bmf", "SMF64BMH"), ("cf", "SMF64CFH"), ("dasd", "SMF64RIO")]
            .map(|(column, field)| [whole(row.number(column)), whole(percent(field))]);
        let title = format!("{} ten GETs", row.text("job"));
        table.row(title, cells.into_iter().flatten().collect());
    }
    table
}
