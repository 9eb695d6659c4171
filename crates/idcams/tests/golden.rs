//! Control cards and their listings, one directory a case: `golden/NNN-what-it-shows/`.
//!
//! ```text
//! cards          the control cards
//! dd             DD statements, NAME=FILE[,attributes], one a line; inputs are files of the case or of golden/input
//! sysprint       the listing
//! out.FILE       what the commands wrote to FILE
//! cards-later    cards run afterwards
//! days           days between the two
//! symbols        system symbols, as --symbols has them; the host is called TESTSYS
//! damage         done between the two: `remove FILE`, `directory FILE` (a directory in its place), or
//!                `flip FILE HEX` (the first byte of these becomes another); with the checksums made right again
//!                `change FILE CI OFFSET HEX` (bytes of a control interval), `count FILE N` (records that the root counts)
//! ```
//!
//! CICA_BLESS=1 writes `sysprint` and `out.*` anew. The clock stands still, and each case has a catalog `cat` of its own
//! in a directory it is run in; so the listings are the same everywhere. EXCPS is shown as `n`: how many reads and writes
//! a data set takes is the engine's to change.

#![allow(clippy::unwrap_used)]

mod forge;

use cica_catalog::{Catalog, Symbols};
use cica_disk::{Disk, LinuxDisk, ManualClock};
use cica_engine::{Engine, Env};
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_messages as messages;
use cica_qsam::DdText;
use cica_session::CatalogVolumes;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STAMP: Stamp = Stamp {
    year: 2022,
    month: 9,
    day: 1,
    hour: 15,
    minute: 36,
    second: 44,
};
/// 2022-09-01 15:36:44, in nanoseconds since 1970.
const NOW: u64 = 1_662_046_604_000_000_000;
const DAY: u64 = 86_400_000_000_000;

/// Messages, or beginnings of their ids, that no case can show, each with the reason.
const NOT_SHOWN: &[(&str, &str)] = &[
    ("CICA0901E", "every command is carried out or refused for good"),
    (
        "CICA1016I",
        "the data set must be open in another program: tests/portable/while_open.rs",
    ),
    ("CICA1017E", "the same, and changed while it is copied"),
    (
        "CICA1027W",
        "the data set must be open in another program: cli/tests/sharing.rs",
    ),
    ("CICA1026I", "the data set must be shared: cli/tests/sharing.rs"),
    ("CICA0906S", "the listing itself cannot be written"),
    ("CICA0907S", "the command tells it before there is a listing"),
    (
        "CICA0991E",
        "the disk of these cases is not confined; tests of the command show it",
    ),
    (
        "CICA0992I",
        "nothing of Cica's writes such an entry; tests of RESTORE forge one",
    ),
    (
        "IDC01713I",
        "EXAMINE names control intervals in error and does not show their bytes",
    ),
    (
        "IDC01714I",
        "EXAMINE names control intervals in error and does not show their bytes",
    ),
    (
        "IDC01720I",
        "EXAMINE names control intervals in error and does not show their bytes",
    ),
    (
        "IDC11704I",
        "an index record whose keys fall is refused when it is read, under CICA0950E",
    ),
    (
        "IDC11718I",
        "the high-used address is part of the root, which is right or not there",
    ),
    ("IDC11758I", "there is no end-of-file mark within data"),
    ("IDC11778I", "control areas are given back within one commit"),
    ("IDC21700I", "every finding is a major one"),
    ("IDC21702I", "every finding is a major one"),
    ("IDC0549I", "partitioned data sets are not built"),
    ("IDC0553I", "partitioned data sets are not built"),
    ("IDC3018I", "a test may run as root, who may write everywhere"),
    ("CICA0930E", "of the command line, not of control cards"),
    (
        "CICA0942I",
        "a process must die with the data set open: crates/cli/tests/kill.rs",
    ),
    (
        "CICA101",
        "of cica recover and cica archive: crates/cli/tests/recover.rs",
    ),
    ("CICA1080E", "of cica smf, not of control cards"),
    ("CICA1081E", "of cica monitor, not of control cards"),
    ("CICA1083E", "of cica indoubt, not of control cards"),
    ("CICA1082W", "of SMF records that are lost: crates/cli/tests/smf.rs"),
    ("CICA12", "of COBOL programs, not of control cards"),
    ("CICA0947W", "of cica salvage, not of control cards"),
    ("CICA0948E", "of cica salvage, not of control cards"),
    ("CICA0951E", "of the command line, not of control cards"),
    ("CICA1024W", "a unit must be in doubt: crates/cli/tests/indoubt.rs"),
    ("CICA1025I", "the same"),
    ("CICA1022I", "of cica export: crates/cli/tests/standard_streams.rs"),
    ("CICA0952E", "of the command line, not of control cards"),
    ("CICA0995E", "of the command line, not of control cards"),
];

/// Everything in one test: the cases are run in directories of their own, and a process has only one current directory.
#[test]
fn every_case_prints_its_listing() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut cases: Vec<PathBuf> = fs::read_dir(&golden)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("cards").is_file())
        .collect();
    cases.sort();
    assert!(cases.len() >= LEAST, "{} cases", cases.len());
    let bless = std::env::var_os("CICA_BLESS").is_some_and(|v| v == "1");
    let only = std::env::var("CICA_CASE").unwrap_or_default();
    let (mut shown, mut wrong) = (BTreeSet::new(), Vec::new());
    for case in &cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains(&only) {
            continue;
        }
        for (file, text) in outputs(case) {
            let path = case.join(&file);
            if file == "sysprint" {
                shown.extend(ids(&text));
            }
            if bless {
                fs::write(&path, &text).unwrap();
            } else if fs::read(&path).unwrap_or_default() != text.as_bytes() {
                wrong.push(format!("{name}/{file} differs; it would be\n{text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
    if only.is_empty() {
        check_shown(&shown);
    }
}

/// How many cases there are at least.
const LEAST: usize = 150;

/// Every message of the table is in some listing, or stands above with the reason why not.
fn check_shown(shown: &BTreeSet<String>) {
    let excused = |id: &str| NOT_SHOWN.iter().any(|(excused, _)| id.starts_with(excused));
    let missing: Vec<&str> = messages::all()
        .map(|message| message.id)
        .filter(|id| !shown.contains(*id) && !excused(id))
        .collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
    let needless: Vec<&str> = NOT_SHOWN
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| shown.contains(*id))
        .collect();
    assert!(needless.is_empty(), "a case shows {needless:?}, so they need no excuse");
}

fn ids(listing: &str) -> impl Iterator<Item = String> + '_ {
    listing
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|id| messages::find(id).is_some_and(|message| message.id == *id))
        .map(str::to_owned)
}

/// Runs a case; the listing and the files it wrote.
fn outputs(case: &Path) -> Vec<(String, String)> {
    let directory = scratch();
    std::env::set_current_dir(&directory).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::default());
    let clock = Arc::new(ManualClock::new(NOW, 0));
    let symbols = fs::read_to_string(case.join("symbols")).unwrap_or_default();
    let symbols = Symbols::of_host("testsys.example").with(&symbols).unwrap();
    let catalog = Catalog::open_or_create(disk.clone(), "cat").unwrap();
    let catalog = Arc::new(catalog.symbols(Arc::new(symbols)));
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(8 << 20),
        background: false,
        io: Default::default(),
    };
    let engine = Engine::new(env).unwrap();
    engine.set_volumes(Arc::new(CatalogVolumes::new(disk.clone(), catalog.clone())));
    let mut services = Services {
        disk,
        outside: Arc::new(LinuxDisk::new()),
        clock: clock.clone(),
        catalog,
        opens: cica_session::Opens::alone(),
        engine,
        dd: DdTable::default(),
        rolls_off: true,
        progress: Box::new(|_| ()),
    };
    let written = dd(case, &mut services.dd);
    let mut listing = String::new();
    for (place, cards) in ["cards", "cards-later"].iter().enumerate() {
        let Ok(cards) = fs::read(case.join(cards)) else {
            continue;
        };
        if place > 0 {
            let days = fs::read_to_string(case.join("days")).unwrap_or_default();
            clock.set(NOW + days.trim().parse().unwrap_or(0) * DAY);
            damage(case);
        }
        let mut printed = Vec::new();
        let mut out = Sysprint::new(&mut printed, Style::Plain, STAMP);
        run(Source::from_bytes(&cards), &mut services, &mut out);
        listing += &String::from_utf8(printed).unwrap();
    }
    drop(services);
    let mut outputs = vec![("sysprint".to_owned(), stable(&listing))];
    for file in written {
        if let Ok(bytes) = fs::read(directory.join(&file)) {
            outputs.push((format!("out.{file}"), stable(&String::from_utf8_lossy(&bytes))));
        }
    }
    std::env::set_current_dir("/").unwrap();
    fs::remove_dir_all(&directory).unwrap();
    outputs
}

/// Does to files what a case says happened to them.
fn damage(case: &Path) {
    let lines = fs::read_to_string(case.join("damage")).unwrap_or_default();
    for line in lines.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["remove", file] => fs::remove_file(file).unwrap(),
            ["directory", file] => {
                fs::remove_file(file).unwrap();
                fs::create_dir(file).unwrap();
                fs::write(Path::new(file).join("in-use"), "").unwrap();
            }
            ["flip", file, hex] => {
                let mut bytes = fs::read(file).unwrap();
                let wanted = bytes_of(hex);
                let at = bytes.windows(wanted.len()).position(|found| found == wanted).unwrap();
                bytes[at] ^= 0x80;
                fs::write(file, bytes).unwrap();
            }
            // The checksums are right afterwards.
            ["change", file, ci, at, hex] => {
                forge::change_interval(
                    Path::new(file),
                    ci.parse().unwrap(),
                    at.parse().unwrap(),
                    &bytes_of(hex),
                );
            }
            ["count", file, records] => forge::count_records(Path::new(file), records.parse().unwrap()),
            _ => panic!("{}: {line}", case.display()),
        }
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(digit).collect()
}

/// The DD statements of a case; returns the files that are not inputs.
fn dd(case: &Path, table: &mut DdTable) -> Vec<String> {
    let mut written = Vec::new();
    for line in fs::read_to_string(case.join("dd")).unwrap_or_default().lines() {
        let (name, text) = line.split_once('=').unwrap();
        let parsed = DdText::parse_statement(text).unwrap();
        let inputs = [case.join(&parsed.target), case.join("../input").join(&parsed.target)];
        if let Some(input) = inputs.iter().find(|path| path.is_file()) {
            // Under its own name, which listings show.
            fs::copy(input, &parsed.target).unwrap();
        } else if !parsed.target.contains(['(', '.', '/']) {
            written.push(parsed.target.clone());
        }
        table.insert(name, parsed);
    }
    written
}

/// Without what changes from release to release.
fn stable(listing: &str) -> String {
    let mut lines = String::new();
    for line in listing.lines() {
        lines += &excps(line);
        lines.push('\n');
    }
    lines
}

/// `EXCPS------------------315` is `EXCPS--------------------n`.
fn excps(line: &str) -> String {
    let Some(at) = line.find("EXCPS--") else {
        return line.to_owned();
    };
    let (before, rest) = line.split_at(at);
    let (field, after) = rest.split_at(24.min(rest.len()));
    format!("{before}{:-<width$}n{after}", "EXCPS", width = field.len() - 1)
}

/// A directory in memory where there is one, for speed.
fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let directory = parent.join(format!("cica-golden-{}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}
