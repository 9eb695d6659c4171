//! Every verb on every organization, in every access mode and open mode, alone and after other requests: Cica must give
//! the status and the record that the standard's rules give, which stand here as a [`Model`]. libcob's own handler runs
//! the same requests; where it does not follow the rules, [`libcobs_way`] says so, and each
//! such way must be met.
#![allow(clippy::unwrap_used)]

mod common;

use common::{is_3_2, stdout, Workplace};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// ORGANIZATION.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Sequential,
    Relative,
    Indexed,
}

/// ACCESS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Sequential,
    Random,
    Dynamic,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: Kind,
    access: Access,
}

/// Open modes.
const MODES: [&str; 4] = ["INPUT", "OUTPUT", "I-O", "EXTEND"];

impl Shape {
    /// Can the program read in order, by key?
    fn reads(self) -> (bool, bool) {
        (self.access != Access::Random, self.access != Access::Sequential)
    }

    /// A program that reads requests from the file `ops`, and tells what comes of each, one a line.
    fn program(self) -> String {
        let (in_order, by_key) = self.reads();
        let key = if self.kind == Kind::Indexed { "K" } else { "RK" };
        let keys = match self.kind {
            Kind::Sequential => "",
            Kind::Relative => "RELATIVE KEY RK",
            Kind::Indexed => "RECORD KEY K",
        };
        let mut verbs = String::new();
        let mut verb = |name: &str, text: &str| {
            let _ = writeln!(verbs, "WHEN \"{name}\" {text}");
        };
        for mode in MODES {
            verb(mode, &format!("OPEN {mode} F PERFORM ST"));
        }
        verb("CLOSE", "CLOSE F PERFORM ST");
        verb("WRITE", "MOVE N TO R PERFORM SET-KEY WRITE R PERFORM ST");
        verb("REWR", "MOVE N TO R PERFORM SET-KEY REWRITE R PERFORM ST");
        if in_order {
            verb("NEXT", "READ F NEXT PERFORM SH");
        }
        if self.kind != Kind::Sequential {
            verb("DEL", "PERFORM SET-KEY DELETE F PERFORM ST");
            if by_key {
                verb("READ", "PERFORM SET-KEY READ F PERFORM SH");
            }
            if in_order {
                verb("PREV", "READ F PREVIOUS PERFORM SH");
                for relation in RELATIONS {
                    let start = format!("MOVE N TO {key} START F KEY {relation} {key} PERFORM ST");
                    verb(&format!("S{relation}"), &start);
                }
            }
        }
        // In sequential access the record is the one read last.
        let set_key = match (self.kind, self.access) {
            (Kind::Indexed, Access::Random | Access::Dynamic) => "MOVE N TO K",
            (Kind::Relative, Access::Random | Access::Dynamic) => "MOVE N TO RK",
            _ => "CONTINUE",
        };
        let access = match self.access {
            Access::Sequential => "SEQUENTIAL",
            Access::Random => "RANDOM",
            Access::Dynamic => "DYNAMIC",
        };
        format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. COVERAGE.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\n\
             FILE-CONTROL.\nSELECT F ASSIGN TO \"COVERED\" ORGANIZATION {:?} ACCESS {access}\n {keys} FILE STATUS FS.\n\
             SELECT S ASSIGN TO \"./ops\" ORGANIZATION LINE SEQUENTIAL.\nDATA DIVISION.\nFILE SECTION.\nFD F.\n\
             01 R. 05 K PIC 9(4).\nFD S. 01 SR PIC X(12).\nWORKING-STORAGE SECTION.\n01 FS PIC XX. 01 RK PIC 9(4).\n\
             01 E PIC X VALUE \"N\". 01 OP. 05 V PIC X(7). 05 N PIC 9(4).\nPROCEDURE DIVISION.\nMAIN SECTION.\nP1.\n\
             OPEN INPUT S\nPERFORM UNTIL E = \"Y\"\nREAD S AT END MOVE \"Y\" TO E NOT AT END\nMOVE SR TO OP\n\
             EVALUATE V\n{verbs}END-EVALUATE\nEND-READ\nEND-PERFORM\nSTOP RUN.\nST. DISPLAY FS.\n\
             SH. IF FS = \"00\" DISPLAY FS \" \" R ELSE DISPLAY FS END-IF.\nSET-KEY. {set_key}.\n",
            self.kind
        )
    }

    /// Requests that may stand alone, or behind others: with a record that is there, one that is not, one behind all.
    fn requests(self) -> Vec<String> {
        let (in_order, by_key) = self.reads();
        let mut all: Vec<String> = ["INPUT", "OUTPUT", "CLOSE"].map(str::to_string).to_vec();
        let with = |verb: &str| [3, 4, 9, 1, 0].map(|n| format!("{verb:7}{n:04}"));
        let keyed = self.kind != Kind::Sequential;
        all.extend(with("WRITE").into_iter().chain(with("REWR")));
        if keyed {
            all.extend(with("DEL"));
            if by_key {
                all.extend(with("READ"));
            }
        }
        if in_order {
            all.push("NEXT".into());
            if keyed {
                all.push("PREV".into());
                all.extend(RELATIONS.iter().flat_map(|relation| with(&format!("S{relation}"))));
            }
        }
        all
    }

    /// What comes before a request: nothing, and what changes what it may do.
    fn before(self) -> Vec<Vec<String>> {
        let (in_order, by_key) = self.reads();
        let one = |text: &str| vec![text.to_string()];
        let mut all = vec![Vec::new(), one("WRITE  0007"), one("REWR   0003")];
        if in_order {
            all.push(one("NEXT"));
            // To the end, and beyond it.
            all.push(vec!["NEXT".to_string(); 4]);
            all.push(vec!["NEXT".to_string(); 5]);
            all.push(["NEXT", "REWR   0001"].map(str::to_string).to_vec());
        }
        if self.kind != Kind::Sequential {
            all.push(one("DEL    0003"));
            if by_key {
                all.extend([one("READ   0003"), one("READ   0004")]);
            }
            if in_order {
                all.extend([one("S=     0003"), one("S=     0004"), one("S>     0009"), one("PREV")]);
                all.push(["NEXT", "DEL    0001"].map(str::to_string).to_vec());
            }
        }
        all
    }

    /// Every request behind each of those, in every open mode, and while the file is closed.
    fn script(self) -> Vec<String> {
        let mut script: Vec<String> = ["INPUT", "I-O", "EXTEND", "CLOSE"].map(str::to_string).to_vec();
        let mut loaded = false;
        for mode in [""].iter().chain(&MODES) {
            for before in self.before() {
                // Where nothing is read, only WRITE changes what comes after it.
                let reads = matches!(*mode, "INPUT" | "I-O");
                if !reads && !before.is_empty() && (mode.is_empty() || !before[0].starts_with("WRITE")) {
                    continue;
                }
                for request in self.requests() {
                    if !loaded && *mode != "OUTPUT" {
                        script.push("OUTPUT".into());
                        script.extend([1, 2, 3, 5].map(|n| format!("WRITE  {n:04}")));
                        script.push("CLOSE".into());
                    }
                    let first = script.len();
                    if !mode.is_empty() {
                        script.push((*mode).into());
                    }
                    script.extend(before.iter().cloned());
                    script.push(request);
                    // What it left behind shows in the next two.
                    script.extend(
                        ["NEXT", "NEXT"]
                            .iter()
                            .filter(|_| self.reads().0)
                            .map(|n| n.to_string()),
                    );
                    script.push("CLOSE".into());
                    script.push("CLOSE".into());
                    // What another handler changes where it should refuse must not be met by what follows.
                    let changes = |request: &String| {
                        ["OU", "WR", "RE", "DE"].contains(&&request[..2]) && !request.starts_with("READ")
                    };
                    loaded = *mode == "INPUT" || !script[first..].iter().any(changes);
                }
            }
        }
        script
    }
}

const RELATIONS: [&str; 5] = ["=", ">", ">=", "<", "<="];

/// Where READ NEXT goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Before the first record.
    Opened,
    /// At a record that START found.
    At(u32),
    /// Behind a record that was read.
    Behind(u32),
    /// No record follows, in this direction.
    AtEnd,
    AtBeginning,
    /// A READ or START found nothing.
    Lost,
}

/// What the standard says of a file.
struct Model {
    shape: Shape,
    /// None: it was never made.
    records: Option<BTreeMap<u32, u32>>,
    mode: Option<String>,
    position: Position,
    /// Sequential access: the record that the READ just before found.
    read: Option<u32>,
    /// Sequential access: the last key written.
    written: Option<u32>,
}

impl Model {
    fn new(shape: Shape) -> Model {
        Model {
            shape,
            records: None,
            mode: None,
            position: Position::Opened,
            read: None,
            written: None,
        }
    }

    /// Status of a request, and the record of a READ.
    fn answer(&mut self, request: &str) -> String {
        let (verb, number) = request.split_at(request.len().min(7));
        let number = number.parse().unwrap_or(0);
        let (verb, read) = (verb.trim(), self.read.take());
        let done = match verb {
            "INPUT" | "OUTPUT" | "I-O" | "EXTEND" => self.open(verb),
            "CLOSE" => match self.mode.take() {
                Some(_) => Ok(None),
                None => Err(42),
            },
            "NEXT" | "PREV" | "READ" => self.readable().and_then(|()| match verb {
                "NEXT" => self.next(true),
                "PREV" => self.next(false),
                _ => self.read_key(number),
            }),
            "WRITE" => self.write(number),
            "REWR" | "DEL" => self.change(verb == "DEL", number, read),
            _ => self.readable().and_then(|()| self.start(&verb[1..], number)),
        };
        match done {
            Ok(Some(record)) => format!("00 {record:04}"),
            Ok(None) => "00".into(),
            Err(status) => format!("{status:02}"),
        }
    }

    fn is(&self, modes: &[&str]) -> bool {
        self.mode.as_deref().is_some_and(|mode| modes.contains(&mode))
    }

    fn in_order(&self) -> bool {
        self.shape.access == Access::Sequential
    }

    fn open(&mut self, mode: &str) -> Done {
        match (&self.mode, &self.records, mode) {
            (Some(_), ..) => return Err(41),
            (None, _, "OUTPUT") => self.records = Some(BTreeMap::new()),
            (None, None, _) => return Err(35),
            _ => {}
        }
        self.mode = Some(mode.into());
        self.position = Position::Opened;
        let last = self.there().last_key_value().map(|(key, _)| *key);
        self.written = last.filter(|_| mode == "EXTEND");
        Ok(None)
    }

    fn there(&mut self) -> &mut BTreeMap<u32, u32> {
        self.records.get_or_insert_default()
    }

    fn readable(&self) -> Result<(), u8> {
        if self.is(&["INPUT", "I-O"]) {
            Ok(())
        } else {
            Err(47)
        }
    }

    fn next(&mut self, forward: bool) -> Done {
        let from = match (self.position, forward) {
            (Position::Lost, _) | (Position::AtEnd, true) | (Position::AtBeginning, false) => return Err(46),
            // It turns at the end that it met.
            (Position::AtEnd, false) => Position::Behind(u32::MAX),
            (Position::AtBeginning, true) => Position::Opened,
            (position, _) => position,
        };
        let records = self.there();
        let found = match (from, forward) {
            (Position::Opened, true) => records.iter().next(),
            (Position::At(key), true) => records.range(key..).next(),
            (Position::Behind(key), true) => records.range(key + 1..).next(),
            (Position::At(key), false) => records.range(..=key).next_back(),
            (Position::Behind(key), false) => records.range(..key).next_back(),
            _ => None,
        };
        match found.map(|(key, record)| (*key, *record)) {
            Some((key, record)) => {
                (self.position, self.read) = (Position::Behind(key), Some(key));
                Ok(Some(record))
            }
            None => {
                self.position = if forward {
                    Position::AtEnd
                } else {
                    Position::AtBeginning
                };
                Err(10)
            }
        }
    }

    fn read_key(&mut self, key: u32) -> Done {
        match self.there().get(&key).copied() {
            Some(record) => {
                (self.position, self.read) = (Position::Behind(key), Some(key));
                Ok(Some(record))
            }
            None => {
                self.position = Position::Lost;
                Err(23)
            }
        }
    }

    fn start(&mut self, relation: &str, key: u32) -> Done {
        let records = self.there();
        let found = match relation {
            "=" => records.get_key_value(&key),
            ">" => records.range(key + 1..).next(),
            ">=" => records.range(key..).next(),
            "<" => records.range(..key).next_back(),
            _ => records.range(..=key).next_back(),
        };
        let found = found.map(|(key, _)| *key);
        self.position = found.map_or(Position::Lost, Position::At);
        found.map(|_| None).ok_or(23)
    }

    fn write(&mut self, number: u32) -> Done {
        let allowed = if self.in_order() {
            self.is(&["OUTPUT", "EXTEND"])
        } else {
            self.is(&["OUTPUT", "I-O"])
        };
        let (kind, in_order, written) = (self.shape.kind, self.in_order(), self.written);
        let behind = self.there().last_key_value().map_or(0, |(key, _)| *key) + 1;
        let key = match kind {
            _ if !allowed => return Err(48),
            Kind::Indexed if in_order && written.is_some_and(|written| number <= written) => return Err(21),
            Kind::Relative if !in_order && number == 0 => return Err(24),
            Kind::Indexed => number,
            Kind::Relative if !in_order => number,
            _ => behind,
        };
        if self.there().contains_key(&key) {
            return Err(22);
        }
        self.there().insert(key, number);
        self.written = Some(key);
        Ok(None)
    }

    /// REWRITE, or DELETE.
    fn change(&mut self, delete: bool, number: u32, read: Option<u32>) -> Done {
        if !self.is(&["I-O"]) {
            return Err(49);
        }
        let key = match (self.in_order(), read) {
            (true, None) => return Err(43),
            (true, Some(read)) if !delete && self.shape.kind == Kind::Indexed && read != number => return Err(21),
            (true, Some(read)) => read,
            (false, _) if self.shape.kind == Kind::Relative && number == 0 => return Err(24),
            (false, _) => number,
        };
        if !self.there().contains_key(&key) {
            return Err(23);
        }
        if delete {
            self.there().remove(&key)
        } else {
            self.there().insert(key, number)
        };
        Ok(None)
    }
}

/// A record, or a status that is not 00.
type Done = Result<Option<u32>, u8>;

fn run(mut command: Command, directory: &Path, script: &[String]) -> Vec<String> {
    std::fs::write(directory.join("ops"), script.join("\n") + "\n").unwrap();
    let done = command.current_dir(directory).output().unwrap();
    stdout(&done).lines().map(str::to_string).collect()
}

/// What libcob does otherwise; COMPAT.md names each.
const LOSES: &str = "goes on after a READ or START that found nothing";
const BELOW: &str = "EXTEND takes a key below the last";
const OTHER: &str = "rewrites another record than the one read";
const BEFORE: &str = "READ NEXT after OPEN passes a record that came in before the first";
const EMPTY: &str = "changes an empty slot";
const STOPS: &str = "READ PREVIOUS stops at an empty slot, and returns a record after OPEN";
const MOVES: &str = "WRITE, REWRITE and DELETE move the position";

/// Which of them this is.
fn libcobs_way(shape: Shape, request: &str, theirs: &str, should: &str) -> Option<&'static str> {
    let (verb, in_order) = (
        request.split(' ').next().unwrap_or_default(),
        shape.access == Access::Sequential,
    );
    Some(match (shape.kind, verb, should) {
        (_, "NEXT" | "PREV", "46") => LOSES,
        (Kind::Indexed, "WRITE", "21") if in_order => BELOW,
        (Kind::Indexed, "REWR", "21") if in_order => OTHER,
        (Kind::Indexed, "NEXT", "00 0000") => BEFORE,
        (Kind::Relative, "REWR" | "DEL", "23") if theirs == "00" => EMPTY,
        (Kind::Relative, "PREV", _) => STOPS,
        (Kind::Relative, "NEXT", _) => MOVES,
        _ => return None,
    })
}

/// Runs one shape's requests; a line for each answer that is wrong, and libcob's ways that were met.
fn cover(kind: Kind, access: Access) -> BTreeSet<&'static str> {
    let shape = Shape { kind, access };
    let place = Workplace::with_catalog(&format!("coverage-{kind:?}-{access:?}"));
    let program = place.compile("coverage", &shape.program());
    let script = shape.script();
    let mut ours = place.command(&program);
    ours.env("DD_COVERED", "//COVERED").env("CICA_MESSAGES", "S");
    let ours = run(ours, &place.0, &script);
    let mut native = Command::new(&program);
    native.env_remove("LD_PRELOAD").env_remove("COB_FILE_PATH");
    let theirs = run(native, &place.0.join("native"), &script);
    assert_eq!((ours.len(), theirs.len()), (script.len(), script.len()), "answers");
    let mut model = Model::new(shape);
    let (mut wrong, mut met, mut astray) = (Vec::new(), BTreeSet::new(), false);
    for (at, request) in script.iter().enumerate() {
        let should = model.answer(request);
        let mut said = |who: &str, what: &str| {
            let from = script[..at].iter().rposition(|r| r == "CLOSE").unwrap_or(0);
            wrong.push(format!("{}: {who}: {what}, not {should}", script[from..=at].join(", ")));
        };
        if ours[at] != should {
            said("Cica", &ours[at]);
        }
        // What comes after a difference differs too, until the file is closed.
        if theirs[at] != should && !astray && !is_3_2() {
            astray = true;
            match libcobs_way(shape, request, &theirs[at], &should) {
                Some(way) => drop(met.insert(way)),
                None => said("libcob", &theirs[at]),
            }
        }
        astray &= request != "CLOSE";
    }
    let (count, shown) = (wrong.len(), wrong.len().min(20));
    assert_eq!(count, 0, "{kind:?}, {access:?}\n{}", wrong[..shown].join("\n"));
    met
}

/// Runs one shape's requests, and compares libcob's ways that were met.
fn check(kind: Kind, access: Access, ways: &[&str]) {
    let met = cover(kind, access);
    if !is_3_2() {
        assert_eq!(met, BTreeSet::from_iter(ways.iter().copied()));
    }
}

#[test]
fn sequential_files() {
    check(Kind::Sequential, Access::Sequential, &[]);
}

#[test]
fn relative_files_in_sequential_access() {
    check(Kind::Relative, Access::Sequential, &[MOVES, LOSES, STOPS]);
}

#[test]
fn relative_files_in_random_access() {
    check(Kind::Relative, Access::Random, &[EMPTY]);
}

#[test]
fn relative_files_in_dynamic_access() {
    check(Kind::Relative, Access::Dynamic, &[EMPTY, MOVES, LOSES, STOPS]);
}

#[test]
fn indexed_files_in_sequential_access() {
    check(Kind::Indexed, Access::Sequential, &[BELOW, LOSES, OTHER]);
}

#[test]
fn indexed_files_in_random_access() {
    check(Kind::Indexed, Access::Random, &[]);
}

#[test]
fn indexed_files_in_dynamic_access() {
    check(Kind::Indexed, Access::Dynamic, &[BEFORE, LOSES]);
}
