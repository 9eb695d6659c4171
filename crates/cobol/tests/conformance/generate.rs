//! From a case to a COBOL program of its own.
//!
//! ```text
//! == name | options            options: sequential, random, dynamic (ACCESS); optional; varying; relative;
//!                            two (files); interposer: not through EXTFH, which does not tell enough;
//!                            automatic, manual, exclusive, multiple (LOCK MODE)
//! # comment
//! load 0001AAAAAA 0002BBBBBB    OPEN OUTPUT, WRITE each, CLOSE; says nothing
//! step -> 00                    what FILE STATUS is after it
//! next -> 00 0001AAAAAA         after a READ also the record
//! step -> 46 | 00 0003CCCCCC    with libcob's own handler, where that differs; a third: with that of 3.2
//! write 2:AAAA -> 00            a relative file: record number and record
//! move AAAAAA                   into the record area
//! lock 0001 WITH LOCK -> ...    READ by key with a lock phrase
//! by A AA -> 00 0001AA11xx      READ by an alternate key;  start = A AA: START on it
//! say -> text                   what the COBOL statements in front of the arrow display
//! ```

use std::fmt::Write;

/// One behaviour.
pub struct Case {
    pub name: String,
    pub options: Vec<String>,
    /// Has alternate keys.
    pub alternate: bool,
    /// ORGANIZATION SEQUENTIAL.
    pub entries: bool,
    pub steps: Vec<Step>,
}

/// One line of a case.
pub struct Step {
    pub line: usize,
    pub text: String,
    /// What Cica must answer, libcob's own handler, and that of libcob 3.2.
    pub expected: Option<[String; 3]>,
}

/// All cases of a text.
pub fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if let Some(head) = line.strip_prefix("== ") {
            let mut parts = head.split('|').map(|part| part.trim().to_string());
            cases.push(Case {
                name: parts.next().unwrap_or_default(),
                options: parts.collect(),
                alternate: false,
                entries: false,
                steps: Vec::new(),
            });
        } else if !line.is_empty() && !line.starts_with('#') {
            let (text, expected) = match line.split_once("->") {
                Some((text, expected)) => (text, Some(expected)),
                None => (line, None),
            };
            let expected = expected.map(|both| {
                let mut all = both.split('|').map(|one| one.trim().to_string());
                let ours = all.next().unwrap_or_default();
                let theirs = all.next().unwrap_or_else(|| ours.clone());
                let newer = all.next().unwrap_or_else(|| theirs.clone());
                [ours, theirs, newer]
            });
            cases.last_mut().expect("a case before its steps").steps.push(Step {
                line: number + 1,
                text: text.trim().to_string(),
                expected,
            });
        }
    }
    cases
}

impl Case {
    /// ALTERNATE RECORD KEY.
    fn alternates(&self) -> &str {
        if self.alternate {
            "\n ALTERNATE RECORD KEY A WITH DUPLICATES ALTERNATE RECORD KEY B"
        } else {
            ""
        }
    }

    /// LOCK MODE.
    fn lock_mode(&self) -> String {
        let modes = ["automatic", "manual", "exclusive"];
        let multiple = if self.has("multiple") {
            "WITH LOCK ON MULTIPLE RECORDS"
        } else {
            ""
        };
        match modes.into_iter().find(|mode| self.has(mode)) {
            Some(mode) => format!("LOCK MODE {mode} {multiple}\n"),
            None => String::new(),
        }
    }

    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| o == option)
    }

    /// The program's name, which is that of its data set as well.
    pub fn id(&self, number: usize) -> String {
        format!("T{number:03}")
    }

    /// The source, in free format.
    pub fn program(&self, id: &str) -> String {
        let mut out = String::new();
        let access = ["sequential", "random", "dynamic"]
            .into_iter()
            .find(|a| self.has(a))
            .unwrap_or("dynamic");
        let optional = if self.has("optional") { "OPTIONAL " } else { "" };
        let varying = if self.has("varying") {
            "RECORD VARYING 4 TO 40 DEPENDING ON L"
        } else {
            ""
        };
        let size = if self.has("varying") { 36 } else { 6 };
        let select = |file: &str, prefix: &str| {
            if self.entries {
                return format!("SELECT {optional}{file} ASSIGN TO \"{id}\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\n");
            }
            format!(
                "SELECT {optional}{file} ASSIGN TO \"{id}\" ORGANIZATION {} ACCESS {access}\n {} FILE STATUS FS.\n",
                if self.has("relative") {
                    "RELATIVE RELATIVE KEY RK".to_string()
                } else {
                    format!("INDEXED RECORD KEY {prefix}K{}", self.alternates())
                },
                self.lock_mode(),
            )
        };
        let record = |file: &str, prefix: &str| {
            if self.alternate {
                return format!(
                    "FD {file}.\n01 R.\n 05 K PIC X(4).\n 05 A PIC X(2).\n 05 B PIC X(2).\n 05 D PIC X(2).\n"
                );
            }
            if self.entries {
                let text = if self.has("varying") { 40 } else { 6 };
                return format!("FD {file} {varying}.\n01 {prefix}R PIC X({text}).\n");
            }
            format!(
                "FD {file} {varying}.\n01 {prefix}R.\n 05 {prefix}K.\n 10 {prefix}KG PIC X(2).\n 10 PIC X(2).\n \
                 05 {prefix}D PIC X({size}).\n"
            )
        };
        let two = self.has("two");
        let _ = write!(
            out,
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. {id}.\nENVIRONMENT DIVISION.\n"
        );
        let _ = write!(out, "INPUT-OUTPUT SECTION.\nFILE-CONTROL.\n{}", select("F", ""));
        if two {
            out.push_str(&select("G", "G-"));
        }
        let _ = write!(out, "DATA DIVISION.\nFILE SECTION.\n{}", record("F", ""));
        if two {
            out.push_str(&record("G", "G-"));
        }
        out.push_str("WORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 L PIC 9(4).\n01 RK PIC 9(2).\n01 W PIC X(12).\n");
        out.push_str("PROCEDURE DIVISION.\nMAIN SECTION.\nP1.\n");
        for step in &self.steps {
            self.step(&step.text, &mut out);
        }
        // What is left open is closed, so that the next case begins afresh.
        out.push_str("GOBACK.\nSHOW-STATUS. DISPLAY FS.\nSHOW-RECORD.\n");
        let shown = match (self.has("varying"), self.has("relative")) {
            (true, _) => "R(1:L)",
            (_, true) => "RK \" \" R",
            _ => "R",
        };
        let _ = writeln!(
            out,
            "IF FS(1:1) = \"0\" DISPLAY FS \" \" {shown} ELSE DISPLAY FS END-IF."
        );
        if two {
            out.push_str("SHOW-G. IF FS(1:1) = \"0\" DISPLAY FS \" \" G-R ELSE DISPLAY FS END-IF.\n");
        }
        let _ = writeln!(out, "END PROGRAM {id}.");
        out
    }

    fn step(&self, text: &str, out: &mut String) {
        let (file, prefix, show, text) = match text.strip_prefix("g ") {
            Some(rest) => ("G", "G-", "SHOW-G", rest),
            None => ("F", "", "SHOW-RECORD", text),
        };
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        let record = |text: &str| match self.has("varying") {
            _ if text.contains(':') => {
                let (number, text) = text.split_once(':').expect("a colon");
                format!("MOVE {number} TO RK MOVE \"{text}\" TO {prefix}R")
            }
            true => format!("MOVE {} TO L MOVE \"{text}\" TO {prefix}R", text.len()),
            false => format!("MOVE \"{text}\" TO {prefix}R"),
        };
        let key = |text: &str| {
            if self.has("relative") {
                format!("MOVE {text} TO RK")
            } else {
                format!("MOVE \"{text}\" TO {prefix}K")
            }
        };
        let status = "PERFORM SHOW-STATUS\n";
        let _ = match verb {
            "load" => {
                let _ = writeln!(out, "OPEN OUTPUT {file}");
                for text in rest.split_whitespace() {
                    let _ = writeln!(out, "{} WRITE {prefix}R", record(text));
                }
                writeln!(out, "CLOSE {file}")
            }
            "open" => write!(out, "OPEN {rest} {file} {status}"),
            "close" => write!(out, "CLOSE {file} {rest} {status}"),
            "write" => write!(out, "{} WRITE {prefix}R {status}", record(rest)),
            "rewrite" => write!(out, "{} REWRITE {prefix}R {status}", record(rest)),
            "read" => writeln!(out, "{} READ {file} PERFORM {show}", key(rest)),
            "lock" => {
                let (value, phrase) = rest.split_once(' ').expect("a key and a phrase");
                writeln!(out, "{} READ {file} {phrase} PERFORM {show}", key(value))
            }
            "by" => {
                let (by, value) = rest.split_once(' ').expect("a key and its value");
                writeln!(out, "MOVE \"{value}\" TO {by} READ {file} KEY {by} PERFORM {show}")
            }
            "again" => writeln!(out, "READ {file} {rest} PERFORM {show}"),
            "next" => writeln!(out, "READ {file} NEXT {rest} PERFORM {show}"),
            "prev" => writeln!(out, "READ {file} PREVIOUS {rest} PERFORM {show}"),
            "delete" if rest.is_empty() => write!(out, "DELETE {file} {status}"),
            "delete" => write!(out, "{} DELETE {file} {status}", key(rest)),
            "move" => writeln!(out, "{}", record(rest)),
            "start" | "generic" => {
                let (relation, rest) = rest.split_once(' ').expect("a relation and a key");
                let (value, length) = rest.split_once(' ').unwrap_or((rest, ""));
                if self.alternate {
                    let (value, length) = length.split_once(' ').unwrap_or((length, ""));
                    let by = rest.split_once(' ').map_or(rest, |(by, _)| by);
                    let _ = write!(
                        out,
                        "MOVE \"{value}\" TO {by} START {file} KEY {relation} {by} {length} {status}"
                    );
                    return;
                }
                let by = match (self.has("relative"), verb) {
                    (true, _) => "RK".to_string(),
                    (_, "generic") => format!("{prefix}KG"),
                    _ => format!("{prefix}K"),
                };
                write!(out, "{} START {file} KEY {relation} {by} {length} {status}", key(value))
            }
            "unlock" => write!(out, "UNLOCK {file} {status}"),
            "erase-file" => write!(out, "DELETE FILE {file} {status}"),
            // Anything else is COBOL.
            _ => writeln!(out, "{text}"),
        };
    }
}
