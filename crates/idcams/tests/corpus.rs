//! Cards as people write them: the same commands in every style that is found in jobs, and modal commands against a
//! model.
//!
//! Each card below is written again in many ways (continued, abbreviated, in lower case, with comments, commas,
//! sequence numbers, parentheses forgotten ...), and must be read as it was, with the notes that the style earns. Jobs
//! of IF, DO and SET are drawn as a tree, which a model walks, and written in many ways too. CICA_CARDS says how many.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::params::Value;
use cica_idcams::parser::commands;
use cica_idcams::table::{Operand, Param, VERBS};
use cica_idcams::{Command, Params};
use common::go;
use std::fmt::Write;

/// What jobs are made of.
const CARDS: &[&str] = &[
    "DELETE PAYROLL.MASTER CLUSTER PURGE ERASE",
    "DELETE (A.B C.D E.F) NONVSAM NOSCRATCH",
    "DELETE PAYROLL.** MASK EXCLUDE(PAYROLL.OLD)",
    "DEFINE CLUSTER (NAME(PAYROLL.MASTER) CYLINDERS(5 1) VOLUMES(V39001) KEYS(8 0) RECORDSIZE(200 400) FREESPACE(20 10) \
     SHAREOPTIONS(2 3) INDEXED REUSE) DATA (NAME(PAYROLL.MASTER.DATA) CONTROLINTERVALSIZE(4096)) INDEX \
     (NAME(PAYROLL.MASTER.INDEX))",
    "DEFINE CLUSTER (NAME(LOG.ESDS) TRACKS(15 15) VOLUMES(V1 V2) NONINDEXED RECORDSIZE(80 80) SPEED OWNER(ME))",
    "DEFINE ALTERNATEINDEX (NAME(PAYROLL.AIX) RELATE(PAYROLL.MASTER) KEYS(20 30) NONUNIQUEKEY UPGRADE RECORDS(100 10))",
    "DEFINE PATH (NAME(PAYROLL.PATH) PATHENTRY(PAYROLL.AIX) UPDATE)",
    "DEFINE GENERATIONDATAGROUP (NAME(PAYROLL.HIST) LIMIT(5) SCRATCH NOEMPTY)",
    "DEFINE NONVSAM (NAME(SYS1.LIB) DEVICETYPES(3390) VOLUMES(V1)) CATALOG(UCAT.A)",
    "DEFINE ALIAS (NAME(WAGES) RELATE(PAYROLL.MASTER))",
    "DEFINE USERCATALOG (NAME(UCAT.A) CYLINDERS(5 1) VOLUMES(V1) ICFCATALOG)",
    "REPRO INFILE(IN) OUTDATASET(PAYROLL.MASTER) REPLACE COUNT(100)",
    "REPRO INDATASET(PAYROLL.MASTER) OUTFILE(OUT) FROMKEY('00010000') TOKEY('00020000') ERRORLIMIT(10)",
    "PRINT INDATASET(PAYROLL.MASTER) CHARACTER SKIP(5) COUNT(10)",
    "PRINT INFILE(IN) HEX FROMADDRESS(4096)",
    "LISTCAT ENTRIES(PAYROLL.MASTER) ALL",
    "LISTCAT LEVEL(PAYROLL) CLUSTER HISTORY CATALOG(UCAT.A)",
    "VERIFY DATASET(PAYROLL.MASTER)",
    "ALTER PAYROLL.MASTER NEWNAME(PAYROLL.OLD)",
    "ALTER PAYROLL.MASTER FREESPACE(10 10) ADDVOLUMES(V2) NULLIFY(OWNER RETENTION)",
    "BLDINDEX INDATASET(PAYROLL.MASTER) OUTDATASET(PAYROLL.AIX) INTERNALSORT",
    "EXPORT PAYROLL.MASTER OUTFILE(COPY) TEMPORARY INHIBITSOURCE",
    "IMPORT INFILE(COPY) OUTDATASET(PAYROLL.COPY) OBJECTS((PAYROLL.MASTER NEWNAME(PAYROLL.COPY) VOLUMES(V2)))",
    "EXAMINE NAME(PAYROLL.MASTER) INDEXTEST DATATEST",
];

/// The numbers that choose: the same in every run.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

fn how_many(default: u64) -> u64 {
    std::env::var("CICA_CARDS").map_or(default, |text| text.parse().expect("CICA_CARDS is a number"))
}

/// A command without places: what it says, whatever it looks like.
fn said(command: &Command) -> String {
    format!("{} {}", command.verb.spec().words, list(&command.params))
}

fn list(params: &Params) -> String {
    let mut all: Vec<String> = params
        .iter()
        .map(|p| format!("{}({})", p.keyword, value(&p.value)))
        .collect();
    all.sort();
    all.join(" ")
}

fn value(value: &Value) -> String {
    match value {
        Value::Flag => String::new(),
        Value::Numbers(numbers) => numbers.iter().map(|n| format!("{} ", n.value)).collect(),
        Value::Words(words) => words.iter().map(|w| format!("{} ", w.text)).collect(),
        Value::Keys(keys) => keys.iter().map(|(key, _)| format!("{key:?} ")).collect(),
        Value::Group(params) => list(params),
        Value::Groups(lists) => lists.iter().map(|params| format!("({})", list(params))).collect(),
    }
}

/// Words, parentheses and quoted values of a card.
fn pieces(card: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut quoted = false;
    let mut fresh = true;
    for c in card.chars() {
        let alone = !quoted && matches!(c, '(' | ')');
        if c == ' ' && !quoted {
            fresh = true;
            continue;
        }
        quoted ^= c == '\'';
        match all.last_mut().filter(|_| !fresh && !alone) {
            Some(last) => last.push(c),
            None => all.push(c.to_string()),
        }
        fresh = alone;
    }
    all
}

/// Every spelling of a word of the language that stands in the command's lists.
fn spellings(word: &str, verb: &str) -> Vec<&'static str> {
    fn search(params: &'static [Param], word: &str, found: &mut Vec<&'static str>) {
        for param in params {
            if param.word == word {
                found.extend(param.abbrs);
            }
            if let Operand::Group(inner) | Operand::Groups(inner) = param.kind {
                search(inner, word, found);
            }
        }
    }
    let mut found = Vec::new();
    for spec in VERBS.iter().filter(|spec| spec.first() == verb) {
        if spec.first() == word {
            found.extend(spec.abbrs);
        }
        if spec.second() == Some(word) {
            found.extend(spec.object_abbrs);
        }
        search(spec.object, word, &mut found);
        search(spec.params, word, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A card in a style of the dice; the notes it earns.
fn styled(card: &str, dice: &mut Dice) -> (String, Vec<&'static str>) {
    let mut notes = Vec::new();
    let mut all = pieces(card);
    let verb = all[0].clone();
    let abbreviated = dice.one_in(2);
    for i in 0..all.len() {
        let is_keyword = i == 0 || all.get(i + 1).is_some_and(|next| next == "(") || i == 1;
        let others = spellings(&all[i], &verb);
        if abbreviated && is_keyword && !others.is_empty() && !dice.one_in(3) {
            all[i] = others[dice.below(others.len())].to_owned();
        }
        if dice.one_in(4) && !all[i].contains('\'') {
            all[i] = all[i].to_lowercase();
        }
    }
    if all.last().is_some_and(|last| last == ")") && dice.one_in(4) {
        all.pop();
        notes.push("IDC0234I");
    } else if dice.one_in(5) {
        all.push(")".to_owned());
        notes.push("IDC0233I");
    }
    let (commas, comments, numbered) = (dice.one_in(3), dice.one_in(4), dice.one_in(3));
    let mut lines = vec![" ".repeat(1 + dice.below(6))];
    for (i, piece) in all.iter().enumerate() {
        let before = i.checked_sub(1).map_or("", |i| all[i].as_str());
        let tight = before.is_empty() || before == "(" || piece == "(" || piece == ")";
        if !tight {
            // Commas separate what stands in parentheses.
            let inside = all[..i].iter().filter(|p| *p == "(").count() > all[..i].iter().filter(|p| *p == ")").count();
            let blank = if commas && inside && before != ")" { "," } else { " " };
            lines.last_mut().unwrap().push_str(blank);
        } else if !before.is_empty() && before != "(" && piece == "(" && dice.one_in(3) {
            lines.last_mut().unwrap().push(' ');
        }
        let long = lines.last().unwrap().len() + piece.len() > 48;
        if !before.is_empty() && (long || dice.one_in(5)) {
            let comment = if comments && dice.one_in(2) {
                "/* AND SO ON */ "
            } else {
                ""
            };
            write!(lines.last_mut().unwrap(), " {comment}-").unwrap();
            if dice.one_in(6) {
                lines.push("   -".to_owned());
            }
            lines.push(" ".repeat(2 + dice.below(9)));
        }
        // A plus joins the halves of a word over lines.
        let cut = piece.len() / 2;
        if piece.len() > 6 && dice.one_in(8) && piece.is_char_boundary(cut) {
            write!(lines.last_mut().unwrap(), "{}+", &piece[..cut]).unwrap();
            lines.push(format!("{}{}", " ".repeat(3 + dice.below(9)), &piece[cut..]));
        } else {
            lines.last_mut().unwrap().push_str(piece);
        }
    }
    if dice.one_in(8) {
        lines.last_mut().unwrap().push(',');
        notes.push("IDC0206I");
    }
    if dice.one_in(5) {
        lines.last_mut().unwrap().push_str(" /* THE END */");
    } else if dice.one_in(6) {
        lines.last_mut().unwrap().push(';');
    }
    let ending = if dice.one_in(6) { "\r\n" } else { "\n" };
    let text = lines.iter().zip(1..).map(|(line, number)| {
        if numbered {
            format!("{line:72}{:08}{ending}", number * 100)
        } else {
            format!("{line}{ending}")
        }
    });
    (text.collect(), notes)
}

#[test]
fn a_command_is_read_the_same_in_every_style() {
    for seed in 0..how_many(6_000) {
        let mut dice = Dice::new(seed + 1);
        let card = CARDS[dice.below(CARDS.len())];
        let plain = pieces(card).join(" -\n ");
        let expected = commands(&format!(" {plain}\n"))
            .remove(0)
            .unwrap_or_else(|e| panic!("{card}: {e:?}"));
        assert!(expected.notes.is_empty(), "{card}");
        let (text, notes) = styled(card, &mut dice);
        let read = commands(&text);
        assert_eq!(read.len(), 1, "seed {seed}:\n{text}{read:?}");
        let command = read[0].as_ref().unwrap_or_else(|e| panic!("seed {seed}:\n{text}{e:?}"));
        assert_eq!(said(command), said(&expected), "seed {seed}:\n{text}");
        let mut told: Vec<&str> = command.notes.iter().map(|note| note.message.id).collect();
        told.sort_unstable();
        let mut notes = notes;
        notes.sort_unstable();
        assert_eq!(told, notes, "seed {seed}:\n{text}");
    }
}

/// A statement of a job.
enum Step {
    /// A command that ends with this code.
    Run(u8),
    Set(bool, u8),
    If(bool, &'static str, u8, Vec<Step>, Option<Vec<Step>>),
}

/// What IBM's rules make of a job.
#[derive(Default)]
struct Model {
    done: Vec<String>,
    last: u8,
    max: u8,
    number: usize,
}

impl Model {
    /// Walks statements; `live`: they are carried out. Commands are numbered as they are written.
    fn walk(&mut self, steps: &[Step], live: bool) {
        for step in steps {
            let live = live && self.max < 16;
            match step {
                Step::Run(cc) => {
                    self.number += 1;
                    if live {
                        self.done.push(name(self.number, *cc));
                        self.last = *cc;
                        self.max = self.max.max(*cc);
                    }
                }
                Step::Set(maxcc, value) if live => {
                    if *maxcc {
                        self.max = *value
                    } else {
                        self.last = *value;
                        self.max = self.max.max(*value);
                    }
                }
                Step::Set(..) => {}
                Step::If(maxcc, relation, number, then, otherwise) => {
                    let code = if *maxcc { self.max } else { self.last };
                    let holds = match *relation {
                        "=" => code == *number,
                        "NE" => code != *number,
                        ">" => code > *number,
                        "LT" => code < *number,
                        ">=" => code >= *number,
                        _ => code <= *number,
                    };
                    self.walk(then, live && holds);
                    self.walk(otherwise.as_deref().unwrap_or_default(), live && !holds);
                }
            }
        }
    }
}

/// Names of commands: the recorder takes the code out of RCnn, so each code has names of its own length.
fn name(number: usize, cc: u8) -> String {
    match cc {
        0 => format!("DELETE N{number}"),
        cc => format!("DELETE RC{cc}"),
    }
}

fn drawn(dice: &mut Dice, depth: usize) -> Vec<Step> {
    let relations = ["=", "NE", ">", "LT", ">=", "LE"];
    let step = |dice: &mut Dice| match dice.below(if depth < 4 { 6 } else { 3 }) {
        0 | 1 => Step::Run([0, 0, 4, 8, 12][dice.below(5)]),
        2 => Step::Set(dice.one_in(2), [0, 4, 8, 12][dice.below(4)]),
        _ => {
            let then = if dice.one_in(6) {
                Vec::new()
            } else {
                drawn(dice, depth + 1)
            };
            let otherwise = match dice.below(3) {
                0 => None,
                1 if dice.one_in(4) => Some(Vec::new()),
                _ => Some(drawn(dice, depth + 1)),
            };
            let relation = relations[dice.below(relations.len())];
            Step::If(dice.one_in(2), relation, [0, 4, 8][dice.below(3)], then, otherwise)
        }
    };
    (0..1 + dice.below(3)).map(|_| step(dice)).collect()
}

/// Writes jobs down.
struct Writer<'a> {
    dice: &'a mut Dice,
    text: String,
    number: usize,
}

impl Writer<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            // Lines that mean nothing between statements, for no IF waits for its ELSE here.
            match self.dice.below(9) {
                0 => self.text.push('\n'),
                1 => self.text.push_str(" /* A COMMENT */\n"),
                _ => {}
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Run(cc) => {
                self.number += 1;
                let line = name(self.number, *cc);
                let line = self.case(&line);
                writeln!(self.text, "   {line}").unwrap();
            }
            Step::Set(maxcc, value) => {
                let code = if *maxcc { "MAXCC" } else { "LASTCC" };
                let line = format!("SET {code}{0}={0}{value}", if self.dice.one_in(2) { " " } else { "" });
                let line = self.case(&line);
                writeln!(self.text, "   {line}").unwrap();
            }
            Step::If(maxcc, relation, number, then, otherwise) => {
                let code = if *maxcc { "MAXCC" } else { "LASTCC" };
                let cut = if self.dice.one_in(3) { " -\n     " } else { " " };
                let line = format!("IF {code} {relation} {number}{cut}THEN");
                let line = self.case(&line);
                write!(self.text, " {line}").unwrap();
                self.clause(then, otherwise.is_none());
                if let Some(otherwise) = otherwise {
                    let line = self.case("ELSE");
                    write!(self.text, " {line}").unwrap();
                    self.clause(otherwise, true);
                }
            }
        }
    }

    /// The clause of a THEN or ELSE. `last`: no ELSE follows, so one of an IF in it would be taken for this one's.
    fn clause(&mut self, steps: &[Step], last: bool) {
        let alone = match steps {
            [Step::If(.., otherwise)] => last && otherwise.is_some() && self.dice.one_in(3),
            [_] => self.dice.one_in(2),
            _ => false,
        };
        match (steps, alone) {
            ([], _) if self.dice.one_in(2) => self.text.push('\n'),
            ([step], true) => {
                let gap = if self.dice.one_in(2) { " -\n" } else { " " };
                self.text.push_str(gap);
                self.step(step);
            }
            _ => {
                let gaps = [" ", " -\n ", "\n  ", "\n\n ", "\n /* DO NEEDS NO MARK */\n "];
                let gap = gaps[self.dice.below(gaps.len())];
                let line = self.case("DO");
                writeln!(self.text, "{gap}{line}").unwrap();
                self.steps(steps);
                let line = self.case("END");
                writeln!(self.text, " {line}").unwrap();
            }
        }
    }

    fn case(&mut self, line: &str) -> String {
        if self.dice.one_in(4) {
            line.to_lowercase()
        } else {
            line.to_owned()
        }
    }
}

#[test]
fn jobs_of_modal_commands_do_what_the_model_does() {
    let mut deep = 0;
    for seed in 0..how_many(6_000) {
        let mut dice = Dice::new(seed + 77);
        let steps = drawn(&mut dice, 0);
        let mut model = Model::default();
        model.walk(&steps, true);
        let mut writer = Writer {
            dice: &mut dice,
            text: String::new(),
            number: 0,
        };
        writer.steps(&steps);
        let text = writer.text;
        let outcome = go(&text);
        deep += usize::from(text.matches("IF").count() > 3);
        assert_eq!(outcome.done, model.done, "seed {seed}:\n{text}\n{}", outcome.listing);
        assert_eq!(outcome.maxcc, model.max, "seed {seed}:\n{text}\n{}", outcome.listing);
        let written = model.number;
        let passed = outcome.listing.matches("IDC0204I").count();
        assert_eq!(
            outcome.done.len() + passed,
            written,
            "seed {seed}: each command is done or told\n{text}"
        );
    }
    assert!(deep > 500, "{deep} jobs with several IFs");
}

/// Decks as they are found, each with what z/OS makes of it: MAXCC, the commands carried out, and a message.
#[test]
fn decks_as_they_are_found() {
    for (deck, maxcc, done, told) in [
        // Without a hyphen the rest of the command is another command, which is none.
        (
            "  DELETE A.B\n         PURGE\n         CLUSTER\n",
            12,
            1,
            "IDC3219I VERB NAME 'PURGE' UNKNOWN",
        ),
        ("  DEFINE CLUSTER (NAME(A)\n  TRACKS(1 1))\n", 12, 1, "IDC0234I"),
        // A forgotten END.
        ("  IF MAXCC = 0 THEN DO\n  DELETE A\n  DELETE B\n", 16, 2, "IDC4236I"),
        // One END too many ends the run.
        (
            "  IF MAXCC = 0 THEN DO\n  DELETE A\n  END\n  END\n  DELETE B\n",
            16,
            1,
            "IDC4228I",
        ),
        // SET behind an empty THEN is always done.
        (
            "  DELETE RC8\n  IF LASTCC = 4 THEN\n  SET MAXCC = 0\n",
            0,
            1,
            "CICA0928I",
        ),
        (
            "  DELETE RC8\n  IF LASTCC LE 8 THEN SET MAXCC=0\n  DELETE B\n",
            0,
            2,
            "IDC0002I",
        ),
        // THEN on a line of its own without a mark before it.
        ("  IF MAXCC = 0\n     THEN DELETE A\n", 16, 0, "IDC4232I"),
        // An open comment hides what follows to its end.
        ("  DELETE A /* OLD\n  DELETE B */\n  DELETE C\n", 12, 1, "CICA0904E"),
        // Sequence numbers are silent, a mark in column 73 is none.
        (
            "  DELETE A                                                              00010000\n",
            0,
            1,
            "IDC0002I",
        ),
        // JCL around the cards is no card.
        (
            "//SYSIN    DD *\n  DELETE A\n/*\n",
            12,
            1,
            "IDC3219I VERB NAME '/SYSIN' UNKNOWN",
        ),
        ("  DELETE A\n/*\n//STEP2 EXEC PGM=IEFBR14\n", 0, 1, "IDC0002I"),
        ("DELETE A\n", 12, 0, "COLUMN 1 IS LEFT OF THE MARGINS"),
        ("  REPRO INFILE(A) -\n        OUTFILE(B) -\n", 16, 0, "IDC4236I"),
        ("  REPRO INFILE(A), OUTFILE(B),\n", 0, 1, "IDC0206I"),
        ("  DELETE 'A.B' , CLUSTER\n", 0, 1, "IDC0002I"),
        ("  DELETE 'A.B\n", 0, 1, "IDC0222I"),
        ("  LISTCAT ENT('A.B') ALL;LISTCAT LVL(A)\n", 0, 2, "IDC0002I"),
        (
            "  DELETE (A -\n          B -\n          C\n  LISTCAT\n",
            0,
            2,
            "IDC0234I",
        ),
        ("  DELETE A PURGE SCRATCH PURGE\n", 12, 0, "IDC3213I"),
        ("  DELETE A PURGE NOPURGE\n", 12, 0, "IDC3226I"),
        ("  DEFINE CLUSTER (TRACKS(1))\n", 12, 0, "IDC3225I"),
        ("  DEFINE CLUSTER (NAME(A) KEYS(1 2 3))\n", 12, 0, "IDC3223I"),
        ("  SET MAXCC = EIGHT\n  DELETE A\n", 16, 0, "IDC4230I"),
    ] {
        let outcome = go(deck);
        assert_eq!(
            (outcome.maxcc, outcome.done.len()),
            (maxcc, done),
            "{deck}\n{}",
            outcome.listing
        );
        assert!(outcome.listing.contains(told), "{deck}\n{}", outcome.listing);
    }
}
