//! Runs control cards: keeps LASTCC and MAXCC, walks IF, DO and SET, and has commands carried out.
//!
//! What is open at a point of the input is a stack of frames:
//!
//! ```text
//!            IF ... THEN            clause done              ELSE             clause done
//!   (none) --------------> Then --------------> Between --------------> Else -----------> (popped)
//!                                                  | any other statement
//!                                                  +--------------------------------------> (popped)
//!   DO pushes Do; END pops it, and the DO group as a whole is then a clause that is done. A DO may also stand alone.
//!   An empty record is a statement too: no ELSE comes behind it.
//! ```
//!
//! 1. A statement is carried out when every IF around it points to its branch; else it is only read.
//! 2. At most [`NESTING`] IF commands are open at once.
//! 3. MAXCC is the highest code so far except after SET MAXCC; nothing is carried out once it is 16.
//! 4. A command whose text has an error, or that asks for something not supported, is not carried out: code 12.
//! 5. An IF, THEN, ELSE or END out of place, a wrong SET and input that breaks off end the run with 16, because it is
//!    not known what depends on it.
//! 6. A functional command in a branch not taken is told of (IDC0204I) and changes neither code.

use crate::diagnostic::Diagnostic;
use crate::lexer::Token;
use crate::params::{Command, Params, Value};
use crate::parser;
use crate::pos::Pos;
use crate::source::{Margins, Source};
use crate::statement::{Code, Statement, Statements, Test};
use crate::sysprint::Sysprint;
use crate::table::{Support, Verb};
use cica_messages::*;

/// How deep IF commands may be nested.
pub const NESTING: usize = 10;

/// Carries out functional commands.
pub trait Act {
    /// Does what `cmd` says, prints its messages on `out`, and returns its condition code: 0, 4, 8, 12 or 16.
    /// IDC0001I (or IDC3003I for 12 and above) is printed by the caller.
    fn act(&mut self, cmd: &Command, out: &mut Sysprint) -> u8;
}

/// Runs all of `source` and returns MAXCC, the exit status: 0, 4, 8, 12 or 16.
pub fn run(source: Source, act: &mut dyn Act, out: &mut Sysprint) -> u8 {
    run_with_parm("", source, act, out)
}

/// The same with a PARM field as on EXEC, `MARGINS(1 80)` for example.
pub fn run_with_parm(parm: &str, source: Source, act: &mut dyn Act, out: &mut Sysprint) -> u8 {
    let mut run = Run {
        statements: Statements::new(source),
        act,
        out,
        last: 0,
        max: 0,
        frames: Vec::new(),
        noted: Vec::new(),
        beyond_told: false,
        cut_off: None,
    };
    if !parm.trim().is_empty() {
        run.parsed(parser::parm_field(parm));
    }
    run.all();
    let max = run.max;
    out.ended(max);
    if out.error().is_some() {
        16
    } else {
        max
    }
}

struct Run<'a, 'o> {
    statements: Statements,
    act: &'a mut dyn Act,
    out: &'a mut Sysprint<'o>,
    last: u8,
    max: u8,
    frames: Vec<Frame>,
    /// Keywords without effect already told of.
    noted: Vec<(&'static str, Support)>,
    beyond_told: bool,
    /// The last statement was this empty record, and an IF could have no ELSE any more because of it.
    cut_off: Option<u32>,
}

/// Something open around the next statement.
enum Frame {
    If { live: bool, holds: bool, part: IfPart },
    Do { live: bool, at: Pos },
}

#[derive(PartialEq)]
enum IfPart {
    Then,
    Between,
    Else,
}

/// The run is over.
struct Over;

impl Run<'_, '_> {
    fn all(&mut self) {
        while self.max < 16 && self.out.error().is_none() {
            let statement = self.statements.next_statement();
            let echo = self.statements.take_echo();
            self.out.echo(&echo);
            self.tell_beyond();
            let Some(statement) = statement else { break };
            if self.statement(statement).is_err() {
                return;
            }
        }
        if self.max < 16 {
            self.check_closed();
        }
    }

    fn statement(&mut self, statement: Statement) -> Result<(), Over> {
        if let Statement::Else(at) = statement {
            return self.take_else(at);
        }
        let waited = self.close_between();
        if let Statement::Empty(line) = statement {
            self.cut_off = Some(line).filter(|_| waited).or(self.cut_off);
            return Ok(());
        }
        self.cut_off = None;
        let live = self.live();
        match statement {
            Statement::If(test) => return self.open_if(&test, live),
            Statement::Do(at) => {
                self.frames.push(Frame::Do { live, at });
                return Ok(());
            }
            Statement::End(at) => match self.frames.pop() {
                Some(Frame::Do { .. }) => {}
                _ => return self.flush(Diagnostic::new(&IDC4228I, &[], at)),
            },
            Statement::Wrong(wrong) => return self.flush(wrong),
            Statement::Cancel if live => return Err(Over),
            Statement::Command(tokens) if live => self.command(&tokens),
            Statement::Command(_) => self.passed(),
            Statement::Null(Some(next)) => self.out.apart(&CICA0928I, &[("where", &next)]),
            Statement::Set(code, value) if live => self.set(code, value),
            _ => {}
        }
        self.clause_done();
        Ok(())
    }

    /// Is the next statement carried out?
    fn live(&self) -> bool {
        match self.frames.last() {
            None => true,
            Some(Frame::Do { live, .. }) => *live,
            Some(Frame::If { live, holds, part }) => *live && (*holds == (*part == IfPart::Then)),
        }
    }

    fn open_if(&mut self, test: &Test, live: bool) -> Result<(), Over> {
        let depth = self.frames.iter().filter(|f| matches!(f, Frame::If { .. })).count();
        if depth >= NESTING {
            return self.flush(Diagnostic::new(&IDC4237I, &[("max", &NESTING)], test.at));
        }
        let code = match test.code {
            Code::Last => self.last,
            Code::Max => self.max,
        };
        let holds = test.relation.holds(u64::from(code), test.number);
        self.frames.push(Frame::If {
            live,
            holds,
            part: IfPart::Then,
        });
        Ok(())
    }

    fn take_else(&mut self, at: Pos) -> Result<(), Over> {
        match self.frames.last_mut() {
            Some(Frame::If { part, .. }) if *part == IfPart::Between => {
                *part = IfPart::Else;
                Ok(())
            }
            _ => {
                let hint = self.cut_off.map(|line| {
                    format!("LINE {line} IS BLANK OR A COMMENT: END IT WITH -, OR THE IF IS OVER BEFORE THE ELSE")
                });
                self.flush(Diagnostic::new(&IDC4227I, &[], at).hint(hint.unwrap_or_default()))
            }
        }
    }

    /// The statement that was the clause of the innermost IF is done.
    fn clause_done(&mut self) {
        while let Some(Frame::If { part, .. }) = self.frames.last_mut() {
            if *part == IfPart::Then {
                *part = IfPart::Between;
                return;
            }
            self.frames.pop();
        }
    }

    /// No ELSE came: the IF commands that could have had one are done. Were there any?
    fn close_between(&mut self) -> bool {
        let mut closed = false;
        while let Some(Frame::If {
            part: IfPart::Between, ..
        }) = self.frames.last()
        {
            self.frames.pop();
            self.clause_done();
            closed = true;
        }
        closed
    }

    fn check_closed(&mut self) {
        let open = self.frames.iter().rev().find_map(|f| match f {
            Frame::Do { at, .. } => Some(*at),
            Frame::If { .. } => None,
        });
        if let Some(at) = open {
            let wrong = Diagnostic::new(&IDC4236I, &[], at).hint("THE DO HAS NO END");
            // The run is over either way.
            let _ = self.flush(wrong);
        }
    }

    /// A command in a branch not taken.
    fn passed(&mut self) {
        self.out.apart(&IDC0204I, &[]);
    }

    fn set(&mut self, code: Code, value: u8) {
        match code {
            Code::Max => self.max = value,
            Code::Last => {
                self.last = value;
                self.max = self.max.max(value);
            }
        }
    }

    fn command(&mut self, tokens: &[Token]) {
        self.parsed(parser::command(tokens));
    }

    fn parsed(&mut self, parsed: Result<Command, Vec<Diagnostic>>) {
        match parsed {
            Err(diagnostics) => self.bypass(&diagnostics),
            Ok(command) => {
                command.notes.iter().for_each(|note| self.out.diagnose(note));
                match refusals(&command).as_slice() {
                    [] => self.carry_out(&command),
                    refused => self.bypass(refused),
                }
            }
        }
    }

    fn carry_out(&mut self, command: &Command) {
        self.note_without_effect(&command.params);
        if command.verb == Verb::Parm {
            return self.parm(&command.params);
        }
        self.out.flush();
        // What the listing cannot tell is not done.
        if self.out.error().is_some() {
            return;
        }
        let cc = self.act.act(command, self.out).min(16);
        self.out.completed(cc);
        self.code(cc);
    }

    fn parm(&mut self, params: &Params) {
        if let [left, right] = params.numbers("MARGINS") {
            // The table bounds both, so they fit.
            let margins = Margins {
                left: left.value as u32,
                right: right.value as u32,
            };
            if margins.left > margins.right {
                let inserts: [(&str, &dyn std::fmt::Display); 3] =
                    [("item", &right.value), ("min", &left.value), ("max", &4096)];
                return self.bypass(&[Diagnostic::new(&IDC3221I, &inserts, right.at)]);
            }
            self.statements.source.margins = margins;
        }
    }

    /// A command with errors: told, not carried out, code 12.
    fn bypass(&mut self, diagnostics: &[Diagnostic]) {
        diagnostics.iter().for_each(|d| self.out.diagnose(d));
        self.out.bypassed(12);
        self.code(12);
    }

    /// The rest of the input cannot be understood: code 16, nothing more is done.
    fn flush(&mut self, diagnostic: Diagnostic) -> Result<(), Over> {
        self.out.diagnose(&diagnostic);
        self.out.ignored(16);
        self.code(16);
        Err(Over)
    }

    fn code(&mut self, cc: u8) {
        self.last = cc;
        self.max = self.max.max(cc);
    }

    fn note_without_effect(&mut self, params: &Params) {
        for param in params.iter() {
            let message = match param.support {
                Support::Stored => Some(&CICA0902I),
                Support::Accepted => Some(&CICA0905I),
                Support::Done | Support::Never(_) => None,
            };
            let noted = (param.keyword, param.support);
            if let Some(message) = message.filter(|_| !self.noted.contains(&noted)) {
                self.noted.push(noted);
                self.out.say(message, &[("item", &param.keyword)]);
            }
            match &param.value {
                Value::Group(inner) => self.note_without_effect(inner),
                Value::Groups(lists) => lists.iter().for_each(|list| self.note_without_effect(list)),
                _ => {}
            }
        }
    }

    fn tell_beyond(&mut self) {
        if let Some(at) = self.statements.take_beyond().filter(|_| !self.beyond_told) {
            self.beyond_told = true;
            self.out
                .say(&CICA0903W, &[("column", &(at.column - 1)), ("line", &at.line)]);
        }
    }
}

/// What a command asks for that cannot be done here.
fn refusals(command: &Command) -> Vec<Diagnostic> {
    let spec = command.verb.spec();
    if let Support::Never(reason) = spec.support {
        return vec![never(spec.words, reason, command.at)];
    }
    let mut refused = Vec::new();
    refused_in(&command.params, &mut refused);
    refused
}

fn never(item: &str, reason: &'static str, at: Pos) -> Diagnostic {
    Diagnostic::new(&CICA0908E, &[("item", &item), ("reason", &reason)], at)
}

fn refused_in(params: &Params, refused: &mut Vec<Diagnostic>) {
    for param in params.iter() {
        if let Support::Never(reason) = param.support {
            refused.push(never(param.keyword, reason, param.at));
        }
        if let Value::Group(inner) = &param.value {
            refused_in(inner, refused);
        }
    }
}
