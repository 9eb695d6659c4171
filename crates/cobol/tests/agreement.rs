//! Random requests, the same on libcob's own files and on Cica's, must have the same statuses and records, but where the
//! two are meant to differ (COMPAT.md): such a request is left out, and the rest is run again.
#![allow(clippy::unwrap_used)]

mod common;

use common::{is_3_2, stdout, Workplace};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Scripts of each kind of file.
const SCRIPTS: u64 = 4;
/// Requests that may be left out of one script.
const LEFT_OUT: usize = 40;

/// One kind of file: ORGANIZATION and ACCESS, alternate keys, records of several lengths.
#[derive(Clone, Copy)]
struct Shape {
    indexed: bool,
    access: &'static str,
    alternates: bool,
    varying: bool,
}

impl Shape {
    /// A program that reads requests from the file `ops` and tells what comes of each, one a line.
    fn program(self) -> String {
        let keys = match (self.indexed, self.alternates) {
            (true, true) => "RECORD KEY K ALTERNATE RECORD KEY A WITH DUPLICATES ALTERNATE RECORD KEY B",
            (true, false) => "RECORD KEY K",
            (false, _) => "RELATIVE KEY RK",
        };
        let (organization, key) = if self.indexed {
            ("INDEXED", "K")
        } else {
            ("RELATIVE", "RK")
        };
        let (lengths, size, shown) = if self.varying {
            ("RECORD VARYING 8 TO 40 DEPENDING ON L", 32, "L \" \" R(1:L)")
        } else {
            ("", 4, "R")
        };
        let access = self.access;
        let mut verbs = String::new();
        let mut verb = |name: &str, text: &str| {
            let _ = writeln!(verbs, "WHEN \"{name}\" {text}");
        };
        for mode in ["INPUT", "OUTPUT", "I-O"] {
            verb(mode, &format!("OPEN {mode} F PERFORM ST"));
        }
        verb("WRITE", "PERFORM REC WRITE R PERFORM ST");
        verb("REWR", "PERFORM REC REWRITE R PERFORM ST");
        // In sequential access libcob deletes the record that RELATIVE KEY names: READ has set it.
        verb(
            "DEL",
            match access {
                "SEQUENTIAL" => "DELETE F PERFORM ST",
                _ => "PERFORM KEY-OF DELETE F PERFORM ST",
            },
        );
        match access {
            "SEQUENTIAL" => {
                verb("EXTEND", "OPEN EXTEND F PERFORM ST");
                verb("NEXT", "READ F PERFORM SH");
            }
            "DYNAMIC" => {
                verb("NEXT", "READ F NEXT PERFORM SH");
                verb("PREV", "READ F PREVIOUS PERFORM SH");
            }
            _ => {}
        }
        if access != "SEQUENTIAL" {
            verb("READ", "PERFORM KEY-OF READ F PERFORM SH");
        }
        if access != "RANDOM" {
            for relation in ["=", ">", ">=", "<", "<="] {
                verb(
                    &format!("S{relation}"),
                    &format!("PERFORM KEY-OF START F KEY {relation} {key} PERFORM ST"),
                );
                if self.alternates {
                    verb(
                        &format!("A{relation}"),
                        &format!("MOVE X1 TO A START F KEY {relation} A PERFORM ST"),
                    );
                }
            }
        }
        let (key_of, number) = match self.indexed {
            true => ("MOVE X1 TO K", ""),
            false if access == "SEQUENTIAL" => ("MOVE X1(1:2) TO RK", ""),
            false => ("MOVE X1(1:2) TO RK", "MOVE X1(1:2) TO RK"),
        };
        format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. AGREE.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
             SELECT F ASSIGN TO \"AGREE\" ORGANIZATION {organization} ACCESS {access}\n {keys} FILE STATUS FS.\n\
             SELECT S ASSIGN TO \"./ops\" ORGANIZATION LINE SEQUENTIAL.\nDATA DIVISION.\nFILE SECTION.\nFD F {lengths}.\n\
             01 R. 05 K PIC X(4). 05 A PIC X(2). 05 B PIC X(2). 05 D PIC X({size}).\nFD S. 01 SR PIC X(30).\n\
             WORKING-STORAGE SECTION.\n01 FS PIC XX. 01 RK PIC 99. 01 L PIC 99. 01 E PIC X VALUE \"N\".\n\
             01 OP. 05 V PIC X(7). 05 X1 PIC X(10). 05 X2 PIC X(10).\nPROCEDURE DIVISION.\nMAIN SECTION.\nP1.\n\
             OPEN INPUT S\nPERFORM UNTIL E = \"Y\"\nREAD S AT END MOVE \"Y\" TO E NOT AT END\nMOVE SR TO OP\n\
             EVALUATE V\n{verbs}WHEN \"CLOSE\" CLOSE F PERFORM ST\nEND-EVALUATE\nEND-READ\nEND-PERFORM\nSTOP RUN.\n\
             ST. DISPLAY FS.\nSH. IF FS(1:1) = \"0\" DISPLAY FS \" \" {shown} ELSE DISPLAY FS END-IF.\n\
             KEY-OF. {key_of}.\nREC. MOVE X1(1:8) TO R MOVE X2 TO D {number}\n IF X2(1:2) NUMERIC MOVE X2(1:2) TO L END-IF.\n"
        )
    }

    /// Requests drawn at random: a load, then opens with a few requests each.
    fn script(self, random: &mut Random) -> Vec<String> {
        let keys: &[&str] = if self.indexed {
            &["0001", "0002", "0003", "0005", "0007", "0009", "0012"]
        } else {
            &["01  ", "02  ", "03  ", "05  ", "07  ", "09  ", "12  ", "00  "]
        };
        let record = |random: &mut Random, key: &str| {
            let (a, b) = (
                random.of(&["AA", "BB", "CC"]),
                random.of(&["11", "22", "33", "44", "55"]),
            );
            format!(
                "{key}{a}{b}  {}d{}",
                random.of(&["08", "12", "20", "33", "40"]),
                random.below(10)
            )
        };
        let mut script = vec!["OUTPUT".to_string()];
        for key in &keys[..7] {
            if random.below(2) == 0 {
                let record = record(random, key);
                script.push(format!("{:7}{record}", "WRITE"));
            }
        }
        script.push("CLOSE".into());
        let mut verbs = vec!["WRITE", "REWR", "DEL"];
        let starts = ["S=", "S>", "S>=", "S<", "S<="];
        match self.access {
            "SEQUENTIAL" => verbs.extend(["NEXT", "NEXT", "NEXT"].iter().chain(&starts)),
            "DYNAMIC" => verbs.extend(
                ["NEXT", "NEXT", "NEXT", "PREV", "PREV", "READ", "READ"]
                    .iter()
                    .chain(&starts),
            ),
            _ => verbs.extend(["READ", "READ"]),
        }
        if self.alternates && self.access != "RANDOM" {
            verbs.extend(["A=", "A>", "A>=", "A<", "A<="]);
        }
        for _ in 0..6 {
            script.push(random.of(&["I-O", "I-O", "I-O", "INPUT"]).into());
            for _ in 0..random.below(12) {
                let verb = random.of(&verbs);
                let key = random.of(keys);
                script.push(match verb {
                    "WRITE" | "REWR" => format!("{verb:7}{}", record(random, key)),
                    "NEXT" | "PREV" => verb.into(),
                    _ if verb.starts_with('A') => format!("{verb:7}{}", random.of(&["AA", "BB", "CC", "DD"])),
                    _ => format!("{verb:7}{key}"),
                });
            }
            script.push("CLOSE".into());
        }
        script
    }

    /// Are they meant to differ here? See COMPAT.md.
    fn differs(self, request: &str, ours: &str, theirs: &str) -> bool {
        let verb = request.split(' ').next().unwrap_or_default();
        let status = |of: &str| of[..of.len().min(2)].to_string();
        let (ours, theirs) = (status(ours), status(theirs));
        match (verb, ours.as_str(), theirs.as_str()) {
            // The position is lost.
            ("NEXT" | "PREV", "46", _) => true,
            ("REWR", "21", _) => self.access == "SEQUENTIAL",
            ("REWR", "23", "22") => self.alternates,
            // Sequential access: a unique alternate key that is there.
            ("WRITE", "22", "21") => self.alternates && self.access == "SEQUENTIAL",
            // Relative files: empty slots, and what moves libcob's position.
            ("REWR" | "DEL" | "NEXT" | "PREV", ..) => !self.indexed,
            _ => false,
        }
    }
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// What the program says of a script.
fn run(mut command: Command, directory: &Path, script: &[String]) -> Vec<String> {
    std::fs::write(directory.join("ops"), script.join("\n") + "\n").unwrap();
    let done = command.current_dir(directory).output().unwrap();
    stdout(&done).lines().map(str::to_string).collect()
}

/// The first difference that is not meant, after those that are were left out.
fn difference(shape: Shape, place: &Workplace, program: &Path, mut script: Vec<String>) -> Option<String> {
    for _ in 0..LEFT_OUT {
        let ours = run(place.command(program), &place.0, &script);
        let mut native = Command::new(program);
        native.env_remove("LD_PRELOAD").env_remove("COB_FILE_PATH");
        let theirs = run(native, &place.0.join("native"), &script);
        assert_eq!(ours.len(), script.len(), "{ours:?}");
        let at = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs)?;
        if !shape.differs(&script[at], &ours[at], &theirs[at]) {
            let from = at.saturating_sub(8);
            let lines = (from..=at).map(|n| format!("{:30} {:40} {}", script[n], ours[n], theirs[n]));
            return Some(lines.collect::<Vec<_>>().join("\n"));
        }
        script.remove(at);
    }
    None
}

#[test]
fn cica_and_libcob_answer_alike() {
    // What is left out is known of 3.1.
    if is_3_2() {
        return;
    }
    let mut wrong = Vec::new();
    for (number, access) in ["DYNAMIC", "SEQUENTIAL", "RANDOM"].into_iter().enumerate() {
        for (kind, (indexed, alternates, varying)) in [(true, false, false), (true, true, true), (false, false, false)]
            .into_iter()
            .enumerate()
        {
            let shape = Shape {
                indexed,
                access,
                alternates,
                varying,
            };
            let place = Workplace::with_catalog(&format!("agreement-{number}{kind}"));
            let program = place.compile("agree", &shape.program());
            for seed in 0..SCRIPTS {
                let script = shape.script(&mut Random(seed * 1_000 + (number * 10 + kind) as u64));
                wrong.extend(difference(shape, &place, &program, script));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "request, Cica's and libcob's answer:\n{}",
        wrong.join("\n\n")
    );
}
