//! What comes out of a copy takes the place of what it may replace, as that was when it was locked, and of nothing else
//! that has the name or the file.
#![allow(clippy::unwrap_used)]

mod common;

use cica_admin::dd::DdTable;
use cica_admin::named::Named;
use cica_admin::portable::{Import, Recover};
use cica_admin::Services;
use cica_catalog::entry::{FileOf, History, NonVsam};
use cica_catalog::{Catalog, CatalogError, Date, Entry, Name, Volser};
use cica_disk::{Disk, File, FileName, LinuxDisk, Lock, MemoryDisk, Open, SystemClock};
use cica_engine::{Engine, Env};
use cica_qsam::DdText;
use common::{finish, Place, Run};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Called before a file is opened.
type Act = Box<dyn FnMut(&Path, Open) -> io::Result<()> + Send>;

/// A disk that a test has its hand in.
#[derive(Default)]
struct Hooked {
    disk: LinuxDisk,
    act: Mutex<Option<Act>>,
}

impl Hooked {
    fn act(&self, act: impl FnMut(&Path, Open) -> io::Result<()> + Send + 'static) {
        *self.act.lock().unwrap() = Some(Box::new(act));
    }

    /// `act` is done once, before a data component that is called so is locked to be replaced.
    fn before_lock(&self, file: &'static str, act: impl FnOnce() + Send + 'static) {
        let mut act = Some(act);
        self.act(move |path, how| {
            if path.ends_with(file) && how.write && how.lock == Lock::Exclusive {
                act.take().into_iter().for_each(|act| act());
            }
            Ok(())
        });
    }
}

impl fmt::Debug for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.disk.fmt(f)
    }
}

impl Disk for Hooked {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        self.act.lock().unwrap().as_mut().map_or(Ok(()), |act| act(path, how))?;
        self.disk.open(path, how)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.disk.list(directory)
    }
}

/// Services over the place's catalog, with the DD COPY.
fn services(place: &Place, disk: &Arc<Hooked>, copy: &str) -> Services {
    let (disk, clock): (Arc<dyn Disk>, _) = (disk.clone(), Arc::new(SystemClock));
    let catalog = Arc::new(Catalog::open_or_create(disk.clone(), place.path("catalog")).unwrap());
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(8 << 20),
        io: cica_engine::Io::Auto,
        background: false,
    };
    let mut dd = DdTable::default();
    let text = place.path(copy).display().to_string();
    dd.insert("COPY", DdText::parse(&text).unwrap());
    Services {
        disk,
        outside: Arc::new(LinuxDisk::new()),
        clock,
        catalog,
        engine: Engine::new(env).unwrap(),
        opens: cica_session::Opens::alone(),
        dd,
        rolls_off: true,
        progress: Box::new(|_| ()),
    }
}

fn recover(name: &str) -> Recover {
    Recover {
        name: name.to_owned(),
        from: Named::Dd("COPY".to_owned()),
        until: None,
    }
}

fn cluster(name: &str, more: &str) -> String {
    format!("DEFINE CLUSTER (NAME({name}) INDEXED KEYS(5 0) -\n  RECORDSIZE(20 80) RECORDS(1000 1000) {more})")
}

/// Its changes are archived.
fn logged(place: &Place, name: &str) {
    cards(place, &cluster(name, "-\n  LOG(ALL) LOGSTREAMID(PAY.LOG)")).done();
}

fn put(place: &Place, name: &str, lines: &str) {
    place
        .run_with(&["put", name, "--replace", "--quiet"], lines.as_bytes())
        .done();
}

fn records(place: &Place, name: &str) -> String {
    place.run(&["cat", name]).done()
}

fn cards(place: &Place, cards: &str) -> Run {
    let cards: String = cards.lines().map(|line| format!(" {line}\n")).collect();
    let mut command = place.command(&["idcams"]);
    for (dd, file) in [("COPY", "copy"), ("SECOND", "second"), ("LINES", "lines")] {
        command.env(format!("DD_{dd}"), file);
    }
    finish(command, cards.as_bytes())
}

/// It was refused with these words.
#[track_caller]
fn refused(run: &Run, words: &[&str]) {
    let listing = run.text();
    // A listing has lines of its own length.
    let text = listing.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(run.status >= 8, "{listing}");
    assert!(words.iter().all(|word| text.contains(word)), "{words:?}: {listing}");
}

#[test]
fn what_another_program_commits_until_the_original_is_locked_is_not_recovered_away() {
    let place = Arc::new(Place::new());
    logged(&place, "PAY.MASTER");
    put(&place, "PAY.MASTER", "00001ADAMS\n");
    place.run(&["backup", "PAY.MASTER", "-o", "copy", "--quiet"]).done();
    put(&place, "PAY.MASTER", "00002BAKER\n");
    let disk = Arc::new(Hooked::default());
    let mut services = services(&place, &disk, "copy");
    let other = place.clone();
    disk.before_lock("PAY.MASTER.DATA", move || put(&other, "PAY.MASTER", "00003CLARK\n"));
    let all = "00001ADAMS\n00002BAKER\n00003CLARK\n";
    let outcome = services.recover(&recover("PAY.MASTER"));
    assert_eq!(records(&place, "PAY.MASTER"), all, "{:?}", outcome.messages);
    let told = format!("{:?}", outcome.messages);
    assert!(outcome.condition >= 8 && told.contains("changed meanwhile"), "{told}");
    let outcome = services.recover(&recover("PAY.MASTER"));
    assert_eq!(outcome.condition, 0, "{:?}", outcome.messages);
    assert_eq!(records(&place, "PAY.MASTER"), all);
}

/// The archive has lost its last segment, so it has less than the data set, which RECOVER finds out by reading that.
#[test]
fn a_data_set_that_this_process_cannot_read_is_not_taken_for_damaged() {
    let place = Place::new();
    logged(&place, "PAY.MASTER");
    put(&place, "PAY.MASTER", "00001ADAMS\n");
    place.run(&["backup", "PAY.MASTER", "-o", "copy", "--quiet"]).done();
    put(&place, "PAY.MASTER", "00002BAKER\n");
    put(&place, "PAY.MASTER", "00003CLARK\n");
    let segments = std::fs::read_dir(place.path("catalog/archive")).unwrap();
    let last = segments.map(|entry| entry.unwrap().path()).max().unwrap();
    std::fs::remove_file(last).unwrap();
    let disk = Arc::new(Hooked::default());
    let mut services = services(&place, &disk, "copy");
    // Of EMFILE, ENFILE, EACCES and EIO the last alone says something of the file.
    for (number, is_damage) in [(24, false), (23, false), (13, false), (5, true)] {
        disk.act(move |path, how| {
            if path.ends_with("PAY.MASTER.DATA") && how.lock == Lock::Shared {
                return Err(io::Error::from_raw_os_error(number));
            }
            Ok(())
        });
        let outcome = services.recover(&recover("PAY.MASTER"));
        assert_eq!(outcome.condition == 0, is_damage, "{number}: {:?}", outcome.messages);
        let has_last = records(&place, "PAY.MASTER").contains("00003CLARK");
        assert_eq!(has_last, !is_damage, "{number}: {:?}", outcome.messages);
    }
}

#[test]
fn a_data_set_that_is_loaded_until_it_is_locked_is_not_empty() {
    let place = Arc::new(Place::new());
    cards(&place, &cluster("PAY.SMALL", "")).done();
    put(&place, "PAY.SMALL", "00001ADAMS\n");
    cards(&place, "EXPORT PAY.SMALL OUTFILE(COPY)").done();
    cards(&place, &cluster("PAY.SMALL", "")).done();
    let disk = Arc::new(Hooked::default());
    let mut services = services(&place, &disk, "copy");
    let other = place.clone();
    disk.before_lock("PAY.SMALL.DATA", move || put(&other, "PAY.SMALL", "00009LATER\n"));
    let outcome = services.import(&Import {
        from: Named::Dd("COPY".to_owned()),
        to: None,
        objects: Vec::new(),
        aliases: false,
        into_empty: true,
        purge: false,
        erase: None,
        catalog: None,
    });
    assert!(outcome.condition >= 8, "{:?}", outcome.messages);
    assert_eq!(records(&place, "PAY.SMALL"), "00009LATER\n");
}

#[test]
fn nothing_but_a_cluster_of_the_name_is_recovered_or_restored_over() {
    let place = Place::new();
    logged(&place, "PAY.FILE");
    put(&place, "PAY.FILE", "00001ADAMS\n");
    place.run(&["backup", "PAY.FILE", "-o", "copy", "--quiet"]).done();
    put(&place, "PAY.FILE", "00002BAKER\n");
    cards(&place, "DELETE PAY.FILE CLUSTER").done();
    cards(&place, &cluster("PAY.OTHER", "")).done();
    put(&place, "PAY.OTHER", "00009OTHER\n");
    let date = std::process::Command::new("date").args(["-u", "+%FT%T"]).output();
    let now = String::from_utf8(date.unwrap().stdout).unwrap();
    let recover = ["recover", "PAY.FILE", "--from", "copy", "--to", now.trim()];
    cards(&place, "DEFINE ALIAS (NAME(PAY.FILE) RELATE(PAY.OTHER))").done();
    place.run(&recover[..4]).failed(12, &["CICA1011E", "ALIAS"]);
    place.run(&recover).failed(12, &["CICA1011E", "ALIAS"]);
    assert_eq!(records(&place, "PAY.FILE"), "00009OTHER\n");
    cards(&place, "DELETE PAY.FILE ALIAS").done();
    let new = format!(
        "{} -\n  DATA (NAME(PAY.FILE)) INDEX (NAME(PAY.NEW.X))",
        cluster("PAY.NEW", "")
    );
    cards(&place, &new).done();
    put(&place, "PAY.NEW", "00008NEW\n");
    place
        .run(&recover)
        .failed(12, &["CICA1011E", "the DATA component of PAY.NEW; recover that"]);
    assert_eq!(records(&place, "PAY.NEW"), "00008NEW\n");
    cards(&place, "DELETE PAY.NEW CLUSTER").done();
    for (define, kind) in [
        ("DEFINE GDG (NAME(PAY.FILE) LIMIT(3))", "GDG"),
        ("DEFINE NONVSAM (NAME(PAY.FILE) DEVT(3390) VOL(CICA01))", "NONVSAM"),
        ("DEFINE PATH (NAME(PAY.FILE) PATHENTRY(PAY.OTHER))", "PATH"),
    ] {
        cards(&place, define).done();
        let restored = cards(&place, "RESTORE (PAY.FILE) INFILE(COPY) REPLACE");
        refused(&restored, &["CICA0965E", &format!("has that name as {kind}")]);
        cards(&place, &format!("DELETE PAY.FILE {kind}")).done();
    }
    place.run(&recover).done();
    assert_eq!(records(&place, "PAY.FILE"), "00001ADAMS\n00002BAKER\n");
}

/// A file with a line in it, entered as A.SEQ and then called B.SEQ, and a copy of that entry.
fn renamed() -> Place {
    let place = Place::new();
    place.write("lines", b"LINE OF B\n");
    let made = "DEFINE NONVSAM (NAME(A.SEQ) DEVT(3390) VOL(CICA01))\n\
                REPRO INFILE(LINES) OUTDATASET(A.SEQ)\n\
                ALTER A.SEQ NEWNAME(B.SEQ)\n\
                BACKUP (B.SEQ) OUTFILE(COPY)";
    cards(&place, made).done();
    place
}

#[test]
fn a_restored_data_set_gets_no_file_that_another_has() {
    let place = renamed();
    cards(&place, "RESTORE INFILE(COPY) RENAME((B.SEQ C.SEQ))").done();
    cards(&place, "DELETE C.SEQ NONVSAM").done();
    let print = cards(&place, "PRINT INDATASET(B.SEQ) CHARACTER").done();
    assert!(print.contains("LINE OF B"), "{print}");
    // The file that the entry in the copy names is another's by now.
    let place = renamed();
    place.write("lines", b"LINE OF A\n");
    let taken = "DELETE B.SEQ NONVSAM\n\
                 DEFINE NONVSAM (NAME(A.SEQ) DEVT(3390) VOL(CICA01))\n\
                 REPRO INFILE(LINES) OUTDATASET(A.SEQ)\n\
                 RESTORE INFILE(COPY)\n\
                 DELETE B.SEQ NONVSAM";
    cards(&place, taken).done();
    let print = cards(&place, "PRINT INDATASET(A.SEQ) CHARACTER").done();
    assert!(print.contains("LINE OF A"), "{print}");
}

/// As an earlier version has left it.
#[test]
fn a_file_that_another_entry_names_too_is_no_leftover() {
    let catalog = Catalog::open_or_create(Arc::new(MemoryDisk::new()), Path::new("/cat")).unwrap();
    let [one, other] = ["B.SEQ", "C.SEQ"].map(|name| NonVsam {
        name: Name::parse(name).unwrap(),
        volumes: vec![Volser::default_serial()],
        device: "3390".to_owned(),
        file: FileOf::Named(FileName::near("A.SEQ")),
        format: String::new(),
        sequence: String::new(),
        history: History::new(Date::of_clock(0)),
    });
    let changed: Result<(), CatalogError> = catalog.transact(|contents| {
        contents.insert(Entry::NonVsam(one.clone()))?;
        contents.insert(Entry::NonVsam(other.clone()))?;
        for (gone, left) in [(&other, 0), (&one, 1)] {
            let entry = contents.remove(&gone.name)?;
            contents.add_leftovers_of(&entry, false);
            assert_eq!(contents.leftovers().count(), left, "{}", gone.name);
        }
        contents.take_in(Entry::NonVsam(one.clone()))?;
        contents.take_in(Entry::NonVsam(other.clone()))?;
        let files = |name| contents.get(name).map(Entry::files);
        assert_eq!(files(&one.name)?[0].1.as_str(), "A.SEQ");
        assert_eq!(files(&other.name)?[0].1.as_str(), "C.SEQ");
        // Nor does a change of an entry give it another's file.
        let clash = contents.replace(&other.name, Entry::NonVsam(other.clone()));
        assert!(matches!(clash, Err(CatalogError::Duplicate { .. })), "{clash:?}");
        assert_eq!(contents.get(&other.name)?.files()[0].1.as_str(), "C.SEQ");
        Ok(())
    });
    changed.unwrap();
}

#[test]
fn an_import_leads_no_path_or_alias_of_another_data_set_astray() {
    for define in [
        "DEFINE PATH (NAME(PAY.P) PATHENTRY(",
        "DEFINE ALIAS (NAME(PAY.P) RELATE(",
    ] {
        let place = Place::new();
        for (name, line) in [("PAY.A", "00001OFA\n"), ("PAY.B", "00002OFB\n")] {
            cards(&place, &cluster(name, "")).done();
            put(&place, name, line);
        }
        cards(&place, &format!("{define}PAY.A))")).done();
        cards(&place, "EXPORT PAY.A OUTFILE(COPY) TEMPORARY").done();
        // What leads to it already is replaced with it.
        cards(&place, "IMPORT INFILE(COPY) ALIAS").done();
        assert_eq!(records(&place, "PAY.P"), "00001OFA\n");
        cards(&place, "DELETE PAY.A CLUSTER").done();
        cards(&place, &format!("{define}PAY.B))")).done();
        refused(&cards(&place, "IMPORT INFILE(COPY) ALIAS"), &["IDC3013I", "PAY.P"]);
        assert_eq!(records(&place, "PAY.P"), "00002OFB\n", "{define}");
        assert_ne!(cards(&place, "LISTCAT ENTRIES(PAY.A)").status, 0);
    }
}

#[test]
fn an_alternate_index_is_imported_over_a_base_that_is_there() {
    let place = Place::new();
    let base = cluster("PAY.A", "");
    let index = "DEFINE AIX (NAME(PAY.A.BYNAME) RELATE(PAY.A) -\n  KEYS(3 5) RECORDSIZE(40 80) RECORDS(100 100))";
    cards(&place, &base).done();
    put(&place, "PAY.A", "00001ADAMS\n");
    cards(&place, index).done();
    cards(&place, "BLDINDEX INDATASET(PAY.A) OUTDATASET(PAY.A.BYNAME)").done();
    cards(&place, "EXPORT PAY.A.BYNAME OUTFILE(COPY) TEMPORARY").done();
    cards(&place, "DELETE PAY.A CLUSTER").done();
    refused(&cards(&place, "IMPORT INFILE(COPY)"), &["PAY.A.BYNAME is over PAY.A"]);
    assert_ne!(cards(&place, "LISTCAT ENTRIES(PAY.A.BYNAME)").status, 0);
    cards(&place, &base).done();
    // What it says of records is not so.
    refused(
        &cards(&place, "IMPORT INFILE(COPY)"),
        &["CICA1020E", "must have been loaded"],
    );
    put(&place, "PAY.A", "00001ADAMS\n");
    cards(&place, "IMPORT INFILE(COPY)").done();
    put(&place, "PAY.A", "00002BAKER\n");
    let compared = cards(&place, "EXAMINE NAME(PAY.A) DATATEST").done();
    assert!(compared.contains("CICA0997I"), "{compared}");
    // A base that is replaced has its alternate index of it built.
    cards(&place, "EXPORT PAY.A OUTFILE(SECOND) TEMPORARY").done();
    put(&place, "PAY.A", "00003CLARK\n");
    let imported = cards(&place, "IMPORT INFILE(SECOND)").done();
    assert!(imported.contains("PAY.A.BYNAME SUCCESSFULLY BUILT"), "{imported}");
    put(&place, "PAY.A", "00004DAVIS\n");
    assert_eq!(records(&place, "PAY.A.BYNAME").lines().count(), 3);
}
