//! What a unit of recovery in doubt has changed stays where it is, whatever command is said of it, until somebody
//! decides (docs/design/0049).
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Access, Argument, DataSet, Insert, Intent, OpenOptions, Search, UnitOfRecovery};
use cica_session::{Session, Sharing, Start};
use common::{finish, Place, Run};

const UNIT: &str = "TRANSFER-7";

/// The data sets that the unit changes: one with an alternate index, one that may be emptied, a generation, and one of
/// a user catalog.
const SETS: [&str; 4] = ["PAY.MASTER", "PAY.REUSED", "PAY.GDG.G0001V00", "UC.X"];

const DEFINE: &str = "\
DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000))
DEFINE AIX (NAME(PAY.BYNAME) RELATE(PAY.MASTER) -
  KEYS(5 5) RECORDSIZE(40 80) RECORDS(100 100))
DEFINE PATH (NAME(PAY.PATH) PATHENTRY(PAY.BYNAME))
DEFINE CLUSTER (NAME(PAY.REUSED) INDEXED KEYS(5 0) REUSE -
  RECORDSIZE(20 80) RECORDS(1000 1000))
DEFINE GDG (NAME(PAY.GDG) LIMIT(1) SCRATCH)
DEFINE CLUSTER (NAME(PAY.GDG.G0001V00) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000))
DEFINE USERCATALOG (NAME(UCAT.PAY) CYLINDERS(5 1) VOLUMES(CICA01))
DEFINE ALIAS (NAME(UC) RELATE(UCAT.PAY))
DEFINE CLUSTER (NAME(UC.X) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000))
DEFINE CLUSTER (NAME(PAY.SMALL) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000))
";

const RECORDS: &[u8] = b"00001ADAMS\n00002BAKER\n";

fn session(place: &Place) -> Session {
    let start = Start {
        catalog: Some(place.dir.join("catalog")),
        pool: Some(16 << 20),
        sharing: Sharing::Off,
        ..Start::default()
    };
    Session::start(start).unwrap()
}

/// Changes a data set in a unit.
fn work(session: &Session, unit: &UnitOfRecovery, name: &str) -> DataSet {
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let (_, set) = session.open(&Name::parse(name).unwrap(), options).unwrap();
    let mut string = set.string_in(unit);
    string.insert(b"00003CLARK", Insert::Direct).unwrap();
    let key = Argument::Key(b"00001");
    string.get(key, Search::Equal, Intent::Update).unwrap();
    string.erase().unwrap();
    drop(string);
    set
}

/// A catalog with all of them, copies of before, and the unit in doubt.
fn place() -> Place {
    let place = Place::new();
    cards(&place, DEFINE).done();
    for name in SETS.iter().chain(&["PAY.SMALL"]) {
        place.run_with(&["put", name, "--quiet"], RECORDS).done();
    }
    cards(&place, "BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)").done();
    place.run(&["backup", "PAY.**", "-o", "before", "--quiet"]).done();
    cards(&place, "EXPORT PAY.REUSED OUTFILE(COPY) TEMPORARY").done();
    let session = session(&place);
    let unit = session.engine.unit();
    let sets: Vec<DataSet> = SETS.iter().map(|name| work(&session, &unit, name)).collect();
    unit.prepare(UNIT).unwrap();
    for set in sets {
        set.close().unwrap();
    }
    place
}

fn cards(place: &Place, cards: &str) -> Run {
    let cards: String = cards.lines().map(|line| format!(" {line}\n")).collect();
    let mut command = place.command(&["idcams"]);
    for (dd, file) in [("COPY", "exported"), ("SECOND", "second"), ("BEFORE", "before")] {
        command.env(format!("DD_{dd}"), file);
    }
    finish(command, cards.as_bytes())
}

fn records(place: &Place, name: &str) -> String {
    place.run(&["cat", name]).done()
}

/// All records of them, and by the path.
fn all(place: &Place) -> Vec<String> {
    let names = SETS.iter().chain(&["PAY.PATH"]);
    names.map(|name| records(place, name)).collect()
}

/// It is refused, and says which unit is in the way and what is to be done with it.
#[track_caller]
fn refused(run: &Run, what: &str) {
    let said = run.text() + &run.err;
    assert!(run.status >= 8, "{what}: {run:?}");
    assert!(said.contains(UNIT), "{what}: {said}");
    assert!(
        said.contains("in doubt") && said.contains("take it back first"),
        "{what}: {said}"
    );
}

#[test]
fn nothing_takes_it_away_empties_it_or_puts_another_into_its_place() {
    let place = place();
    let doubtful = all(&place);
    for said in [
        "DELETE PAY.MASTER CLUSTER",
        "DELETE PAY.MASTER CLUSTER ERASE PURGE",
        "DELETE PAY.MASTER CLUSTER NOSCRATCH",
        "DELETE PAY.BYNAME ALTERNATEINDEX NOSCRATCH",
        "DELETE PAY.M* MASK NOSCRATCH",
        "DELETE PAY.GDG GENERATIONDATAGROUP FORCE",
        "DELETE PAY.GDG GENERATIONDATAGROUP RECOVERY",
        "DELETE UCAT.PAY USERCATALOG FORCE",
        "DELETE UCAT.PAY USERCATALOG RECOVERY",
        "EXPORT PAY.MASTER OUTFILE(SECOND)",
        "EXPORT PAY.BYNAME OUTFILE(SECOND)",
        "IMPORT INFILE(COPY)",
        "RESTORE (PAY.MASTER PAY.BYNAME PAY.PATH) -\n  INFILE(BEFORE) REPLACE",
        "RESTORE (PAY.REUSED) INFILE(BEFORE) REPLACE",
        "REPRO INDATASET(PAY.SMALL) OUTDATASET(PAY.REUSED) REUSE",
        "BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)",
        "ALTER PAY.MASTER NEWNAME(PAY.OTHER)",
        "ALTER PAY.BYNAME NEWNAME(PAY.OTHER)",
        "ALTER PAY.BYNAME NOUPGRADE",
        "ALTER PAY.MASTER REORGANIZE(FREESPACE(10 10))",
    ] {
        let cards = cards(&place, said);
        if said != "BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)" {
            refused(&cards, said);
        } else {
            // One that is not empty is not built in any case.
            assert!(cards.status >= 8, "{cards:?}");
        }
        assert_eq!(all(&place), doubtful, "{said}");
        assert!(!place.path("second").exists(), "{said}: its copy is made first");
    }
    // Nor with a catalog that cannot be locked.
    let lock = place.path("catalog/volumes/CICA01/UCAT.PAY/lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    let said = "DELETE UCAT.PAY USERCATALOG FORCE";
    refused(&cards(&place, said), said);
    std::fs::remove_dir(&lock).unwrap();
    let recovered = place.run(&["recover", "PAY.MASTER", "--from", "before", "--quiet"]);
    refused(&recovered, "recover");
    let imported = place.run_with(&["import", "-", "PAY.REUSED", "--empty", "--quiet"], RECORDS);
    refused(&imported, "import --empty");
    assert_eq!(all(&place), doubtful);
    place.run(&["indoubt", "backout", UNIT]).done();
    for (name, found) in SETS.iter().zip(all(&place)) {
        assert_eq!(found.as_bytes(), RECORDS, "{name}");
    }
    // Whoever has decided may do all of it.
    for said in [
        "REPRO INDATASET(PAY.SMALL) OUTDATASET(PAY.REUSED) REUSE",
        "IMPORT INFILE(COPY)",
        "RESTORE (PAY.MASTER PAY.BYNAME PAY.PATH) -\n  INFILE(BEFORE) REPLACE",
        "ALTER PAY.BYNAME NOUPGRADE",
        "DELETE PAY.MASTER CLUSTER NOSCRATCH",
        "DELETE UCAT.PAY USERCATALOG FORCE",
    ] {
        let run = cards(&place, said);
        assert!(run.status <= 4, "{said}: {run:?}");
    }
}

/// A unit in doubt has erased all records: the data set is not empty for that.
#[test]
fn what_a_unit_in_doubt_has_emptied_is_not_filled() {
    let place = Place::new();
    cards(&place, DEFINE).done();
    place.run_with(&["put", "PAY.REUSED", "--quiet"], RECORDS).done();
    cards(&place, "EXPORT PAY.REUSED OUTFILE(COPY) TEMPORARY").done();
    let session = session(&place);
    let unit = session.engine.unit();
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let (_, set) = session.open(&Name::parse("PAY.REUSED").unwrap(), options).unwrap();
    let mut string = set.string_in(&unit);
    for key in [b"00001", b"00002"] {
        string.get(Argument::Key(key), Search::Equal, Intent::Update).unwrap();
        string.erase().unwrap();
    }
    drop(string);
    unit.prepare(UNIT).unwrap();
    set.close().unwrap();
    let imported = cards(&place, "IMPORT INFILE(COPY) INTOEMPTY");
    assert!(
        imported.status >= 8 && imported.text().contains("is not empty"),
        "{imported:?}"
    );
    let loaded = place.run_with(&["put", "PAY.REUSED", "--quiet"], b"00001WRONG\n");
    assert!(
        loaded.status >= 8 && loaded.err.contains(UNIT),
        "put of a record that is retained: {loaded:?}"
    );
    assert!(place.run(&["cat", "PAY.REUSED"]).out.is_empty());
    place.run(&["indoubt", "backout", UNIT]).done();
    assert_eq!(records(&place, "PAY.REUSED").as_bytes(), RECORDS);
}

/// A generation that would roll off stays in its group, and goes with the next one that comes.
#[test]
fn a_generation_stays_until_its_unit_is_decided_about() {
    let place = place();
    let next = |number: u32| {
        let define = format!(
            "DEFINE CLUSTER (NAME(PAY.GDG.G000{number}V00) INDEXED -\n  KEYS(5 0) RECORDSIZE(20 80) RECORDS(1000 1000))"
        );
        cards(&place, &define)
    };
    let first = "PAY.GDG.G0001V00";
    let before = records(&place, first);
    let second = next(2);
    let said = second.text();
    assert!(said.contains("CICA0984W"), "{said}");
    assert!(said.contains(UNIT), "{said}");
    assert_eq!(records(&place, first), before);
    place.run(&["indoubt", "backout", UNIT]).done();
    assert_eq!(records(&place, first).as_bytes(), RECORDS);
    next(3);
    assert_ne!(place.run(&["cat", first]).status, 0, "it has rolled off");
}

/// What says nothing of its records, or reads them, may be said; and the unit goes back afterwards as if nothing were.
#[test]
fn what_leaves_it_where_it_is_may_be_said_of_it() {
    for said in [
        "VERIFY DATASET(PAY.MASTER)",
        "VERIFY DATASET(PAY.MASTER) RECOVER",
        "EXAMINE NAME(PAY.MASTER) INDEXTEST DATATEST",
        "ALTER PAY.MASTER LOG(NONE)",
        "ALTER PAY.MASTER SHAREOPTIONS(3 3) FREESPACE(20 20)",
        "ALTER PAY.MASTER BUFFERSPACE(40000) ERASE",
        "ALTER PAY.PATH NEWNAME(PAY.OTHER)\nALTER PAY.OTHER NEWNAME(PAY.PATH)",
        "ALTER PAY.MASTER INHIBIT\nALTER PAY.MASTER UNINHIBIT",
        "EXPORT PAY.MASTER OUTFILE(SECOND) TEMPORARY",
        "RESTORE (PAY.SMALL) INFILE(BEFORE) REPLACE",
        "RESTORE (PAY.REUSED) INFILE(BEFORE) -\n  RENAME((PAY.REUSED PAY.BESIDE))",
        "REPRO INDATASET(PAY.MASTER) OUTDATASET(PAY.SMALL) REPLACE",
        "EXPORT UCAT.PAY DISCONNECT\n\
         IMPORT CONNECT OBJECTS((UCAT.PAY DEVICETYPE(3390) -\n  VOLUMES(CICA01)))\n\
         DEFINE ALIAS (NAME(UC) RELATE(UCAT.PAY))",
        "DEFINE MASTERCATALOG (NAME(MCAT) CYLINDERS(1) VOLUMES(CICA01))\n\
         REPRO MERGECAT INDATASET(MCAT) OUTDATASET(UCAT.PAY) -\n  LEVEL(PAY)\n\
         DEFINE ALIAS (NAME(PAY) RELATE(UCAT.PAY))",
        "DEFINE AIX (NAME(PAY.BYREST) RELATE(PAY.MASTER) -\n  KEYS(3 7) RECORDSIZE(40 80) RECORDS(100 100))",
        "DELETE PAY.SMALL CLUSTER",
    ] {
        let place = place();
        let doubtful = all(&place);
        let run = cards(&place, said);
        // The copy has what the unit did, and that is told.
        let expected = if said.starts_with("EXPORT PAY.") { 4 } else { 0 };
        assert_eq!(run.status, expected, "{said}: {run:?}");
        assert_eq!(all(&place), doubtful, "{said}");
        let refused = place.run_with(&["put", "PAY.MASTER", "--replace"], b"00003WRONG\n");
        assert!(
            refused.status != 0 && refused.err.contains(UNIT),
            "{said}: {}",
            refused.err
        );
        place.run(&["indoubt", "backout", UNIT]).done();
        for (name, found) in SETS.iter().zip(all(&place)) {
            assert_eq!(found.as_bytes(), RECORDS, "{said}: {name}");
        }
        assert_eq!(records(&place, "PAY.PATH").as_bytes(), RECORDS, "{said}");
        place.run(&["verify", "PAY.MASTER", "--quiet"]).done();
    }
}

/// Data whose entry goes while the unit is open are not deleted where no catalog names them, and are found again.
#[test]
fn data_that_no_catalog_names_stay_and_are_taken_in_again() {
    let place = Place::new();
    cards(&place, DEFINE).done();
    place.run_with(&["put", "PAY.MASTER", "--quiet"], RECORDS).done();
    let session = session(&place);
    let unit = session.engine.unit();
    let master = work(&session, &unit, "PAY.MASTER");
    cards(&place, "DELETE PAY.MASTER CLUSTER NOSCRATCH").done();
    unit.prepare(UNIT).unwrap();
    master.close().unwrap();
    for component in ["PAY.MASTER.DATA", "PAY.MASTER.INDEX"] {
        refused(&cards(&place, &format!("DELETE {component} VVR")), component);
    }
    // Nobody decides about another of that name.
    let again = "DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -\n  RECORDSIZE(20 80) RECORDS(1000 1000)";
    assert_ne!(cards(&place, &format!("{again})")).status, 0);
    assert_ne!(place.run(&["indoubt", "backout", UNIT]).status, 0);
    cards(&place, &format!("{again} RECATALOG)")).done();
    place.run(&["indoubt", "backout", UNIT]).done();
    assert_eq!(records(&place, "PAY.MASTER").as_bytes(), RECORDS);
}

/// The root says which data set it is. Where it cannot be read, or the file is not there, the name does.
#[test]
fn one_that_is_damaged_is_known_by_its_name() {
    let place = place();
    let file = place.data_file("PAY.SMALL");
    let whole = place.data_file("PAY.REUSED");
    let kept = std::fs::read(&whole).unwrap();
    let damaged = vec![0xFF; kept.len()];
    std::fs::write(&whole, &damaged).unwrap();
    std::fs::write(&file, &damaged).unwrap();
    for said in [
        "DELETE PAY.REUSED CLUSTER",
        "DELETE PAY.REUSED CLUSTER NOSCRATCH",
        "RESTORE (PAY.REUSED) INFILE(BEFORE) REPLACE",
    ] {
        refused(&cards(&place, said), said);
    }
    let recovered = place.run(&["recover", "PAY.REUSED", "--from", "before", "--quiet"]);
    refused(&recovered, "recover");
    std::fs::remove_file(&whole).unwrap();
    refused(&cards(&place, "DELETE PAY.REUSED CLUSTER"), "of which nothing is there");
    // Another that is damaged goes.
    cards(&place, "DELETE PAY.SMALL CLUSTER").done();
    std::fs::write(&whole, &kept).unwrap();
    place.run(&["indoubt", "backout", UNIT]).done();
    assert_eq!(records(&place, "PAY.REUSED").as_bytes(), RECORDS);
}
