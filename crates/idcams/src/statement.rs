//! Cuts the token stream into statements: modal commands understood, functional ones still as tokens.
//!
//! Functional commands stay tokens until it is known that they are to run: those in a branch not taken are not
//! checked.
//!
//! The end of a record counts here, as IBM's rules have it:
//!
//! 1. THEN or ELSE at the end of a record without a mark has an empty clause, unless DO comes next: DO and END need no
//!    marks. A `;` behind THEN or ELSE makes the clause empty whatever comes.
//! 2. A record without a mark that is blank, or has a comment alone, is an empty command ([`Statement::Empty`]): no ELSE
//!    can follow it.
//! 3. A command whose last record promises one more, and the input ends, is [`Statement::Wrong`].

use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Token, TokenKind};
use crate::pos::Pos;
use crate::source::Source;
use cica_messages::{IDC4229I, IDC4230I, IDC4232I, IDC4236I};
use std::collections::VecDeque;

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// IF relation THEN; the clause is the next statement.
    If(Test),
    /// ELSE; the clause is the next statement.
    Else(Pos),
    /// A THEN or ELSE with nothing after it; when a command follows on the next line, the place of that command.
    Null(Option<Pos>),
    /// A record that is blank or a comment, with this number.
    Empty(u32),
    /// DO
    Do(Pos),
    /// END
    End(Pos),
    /// SET LASTCC = n or SET MAXCC = n.
    Set(Code, u8),
    /// CANCEL
    Cancel,
    /// A functional command, or PARM.
    Command(Vec<Token>),
    /// A modal command that cannot be understood, or input that ends in the middle of a command. It ends the run.
    Wrong(Diagnostic),
}

/// The relation of an IF.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Which code is looked at.
    pub code: Code,
    /// How it is compared.
    pub relation: Relation,
    /// What it is compared with.
    pub number: u64,
    /// Where the IF stands.
    pub at: Pos,
}

/// A condition code IF and SET can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Code of the last functional command.
    Last,
    /// Highest code so far.
    Max,
}

/// How IF compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Relation {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
}

/// Reads statements from control cards.
pub struct Statements {
    /// The control cards; PARM changes their margins.
    pub source: Source,
    queue: VecDeque<Token>,
    /// THEN or ELSE was just read: an end of command right here makes a null clause.
    after_clause_word: bool,
    /// An empty record was read that no statement stands for yet.
    empty: Option<u32>,
    echo: Vec<String>,
    beyond: Option<Pos>,
}

impl Statements {
    /// Statements of `source`.
    pub fn new(source: Source) -> Self {
        Statements {
            source,
            queue: VecDeque::new(),
            after_clause_word: false,
            empty: None,
            echo: Vec::new(),
            beyond: None,
        }
    }

    /// Records read since the last call, to be listed before anything is said about them.
    pub fn take_echo(&mut self) -> Vec<String> {
        std::mem::take(&mut self.echo)
    }

    /// Place of text right of the margins, if some was read since the last call.
    pub fn take_beyond(&mut self) -> Option<Pos> {
        self.beyond.take()
    }

    /// The next statement, or `None` at the end of the input.
    pub fn next_statement(&mut self) -> Option<Statement> {
        loop {
            if let Some(line) = self.empty.take() {
                return Some(Statement::Empty(line));
            }
            let Some(first) = self.queue.front().cloned() else {
                self.fill()?;
                continue;
            };
            if matches!(first.kind, TokenKind::Note(_)) {
                self.queue.pop_front();
                continue;
            }
            let null_clause = std::mem::take(&mut self.after_clause_word);
            if !first.kind.is_end() {
                let statement = self.statement(&first);
                let cut_short = self.queue.front().filter(|end| end.kind == TokenKind::CutShort);
                return Some(cut_short.map_or(statement, |end| broken_off(first.at, end.at)));
            }
            self.queue.pop_front();
            match first.kind {
                TokenKind::CutShort if null_clause => return Some(broken_off(first.at, first.at)),
                TokenKind::Semicolon if null_clause => return Some(Statement::Null(None)),
                _ if null_clause => match self.next_is_do() {
                    Ok(()) => {}
                    Err(next) => return Some(Statement::Null(next)),
                },
                _ => {}
            }
        }
    }

    /// Reads one more record with those that continue it.
    fn fill(&mut self) -> Option<()> {
        let mut cards = lexer::read(&mut self.source)?;
        self.echo.extend(cards.echo);
        self.beyond = self.beyond.or(cards.beyond);
        if let [Token { kind, at, .. }] = cards.tokens.as_slice() {
            // Nothing begins in such a record, so a mark in the last of them promises nothing.
            self.empty = Some(at.line).filter(|_| *kind == TokenKind::End);
            cards.tokens.clear();
        }
        self.queue.extend(cards.tokens);
        Some(())
    }

    /// After a THEN or ELSE that ends its record: does DO come next? Else where the command that does begins.
    fn next_is_do(&mut self) -> Result<(), Option<Pos>> {
        while self.queue.is_empty() {
            self.fill().ok_or(None)?;
        }
        let first = self.queue.front();
        match first.and_then(word).as_deref() {
            Some("DO") => {
                self.empty = None;
                Ok(())
            }
            Some("ELSE" | "END") => Err(None),
            _ => Err(first.filter(|token| !token.kind.is_end()).map(|token| token.at)),
        }
    }

    fn statement(&mut self, first: &Token) -> Statement {
        match word(first).as_deref() {
            Some("IF") => self.test().unwrap_or_else(|wrong| self.wrong(wrong)),
            Some("SET") => self.set().unwrap_or_else(|wrong| self.wrong(wrong)),
            Some("ELSE") => {
                self.after_clause_word = true;
                self.simple(Statement::Else(first.at))
            }
            Some("DO") => self.simple(Statement::Do(first.at)),
            Some("END") => self.simple(Statement::End(first.at)),
            Some("CANCEL") => self.simple(Statement::Cancel),
            _ => Statement::Command(self.rest()),
        }
    }

    fn simple(&mut self, statement: Statement) -> Statement {
        self.queue.pop_front();
        statement
    }

    fn wrong(&mut self, wrong: Diagnostic) -> Statement {
        self.rest();
        Statement::Wrong(wrong)
    }

    /// Takes the tokens up to the end of the command. A bare ELSE ends it too: no command has a parameter of that
    /// name, and `THEN LISTCAT ELSE ...` may stand in one line.
    fn rest(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        while let Some(token) = self.queue.front() {
            match token.kind {
                ref kind if kind.is_end() => break,
                TokenKind::Left => depth += 1,
                TokenKind::Right => depth = depth.saturating_sub(1),
                TokenKind::Word(ref w) if depth == 0 && w.eq_ignore_ascii_case("ELSE") => break,
                _ => {}
            }
            tokens.extend(self.queue.pop_front());
        }
        tokens
    }

    fn test(&mut self) -> Result<Statement, Diagnostic> {
        let at = self.pop().at;
        let code = self.code().map_err(improper)?;
        let relation = self.pop();
        let relation = relation_of(&relation).ok_or_else(|| improper(relation))?;
        let token = self.pop();
        let number = number(&token).ok_or_else(|| improper(token))?;
        match self.pop() {
            then if word(&then).as_deref() == Some("THEN") => {}
            other if other.kind.is_end() => {
                let hint = "END THE LINE WITH - WHEN THEN IS ON THE NEXT ONE";
                return Err(Diagnostic::new(&IDC4232I, &[], other.at).hint(hint));
            }
            other => return Err(Diagnostic::new(&IDC4232I, &[], other.at)),
        }
        self.after_clause_word = true;
        Ok(Statement::If(Test {
            code,
            relation,
            number,
            at,
        }))
    }

    fn set(&mut self) -> Result<Statement, Diagnostic> {
        let wrong = |t: Token| Diagnostic::new(&IDC4230I, &[("item", &shown(&t))], t.at);
        self.pop();
        let code = self.code().map_err(wrong)?;
        let equal = self.pop();
        if relation_of(&equal) != Some(Relation::Equal) {
            return Err(wrong(equal));
        }
        let token = self.pop();
        let value = number(&token).ok_or_else(|| wrong(token))?;
        match self.queue.front() {
            Some(t) if !t.kind.is_end() && word(t).as_deref() != Some("ELSE") => Err(wrong(t.clone())),
            _ => Ok(Statement::Set(code, value.min(16) as u8)),
        }
    }

    /// Commas of a modal command are passed over without a word.
    fn pass_notes(&mut self) {
        while self.queue.front().is_some_and(|t| matches!(t.kind, TokenKind::Note(_))) {
            self.queue.pop_front();
        }
    }

    fn code(&mut self) -> Result<Code, Token> {
        let token = self.pop();
        match word(&token).as_deref() {
            Some("LASTCC") => Ok(Code::Last),
            Some("MAXCC") => Ok(Code::Max),
            _ => Err(token),
        }
    }

    /// The next token; the end of the command is not taken, so that a command cut short does not eat the next one.
    fn pop(&mut self) -> Token {
        self.pass_notes();
        match self.queue.front() {
            Some(t) if !t.kind.is_end() => self.queue.pop_front(),
            end => end.cloned(),
        }
        .unwrap_or(Token {
            kind: TokenKind::End,
            at: Pos::default(),
            glued: false,
            cut: false,
        })
    }
}

/// The input ends where a mark promised more of the command that begins `from`.
fn broken_off(from: Pos, at: Pos) -> Statement {
    let hint = format!("THE COMMAND BEGINS AT {from}; ITS LAST LINE ENDS WITH A CONTINUATION MARK");
    Statement::Wrong(Diagnostic::new(&IDC4236I, &[], at).hint(hint))
}

impl Relation {
    /// Does it hold for `left` and `right`?
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::NotEqual => left != right,
            Relation::Greater => left > right,
            Relation::Less => left < right,
            Relation::GreaterOrEqual => left >= right,
            Relation::LessOrEqual => left <= right,
        }
    }
}

fn improper(token: Token) -> Diagnostic {
    let hint = "WRITE IF LASTCC = 0 THEN ..., OR MAXCC, AND = EQ ^= NE > GT < LT >= GE <= LE";
    Diagnostic::new(&IDC4229I, &[("item", &shown(&token))], token.at).hint(hint)
}

fn relation_of(token: &Token) -> Option<Relation> {
    let text = match &token.kind {
        TokenKind::Relation(r) => r.clone(),
        _ => word(token)?,
    };
    Some(match text.as_str() {
        "=" | "EQ" => Relation::Equal,
        "^=" | "<>" | "NE" => Relation::NotEqual,
        ">" | "GT" | "^<=" => Relation::Greater,
        "<" | "LT" | "^>=" => Relation::Less,
        ">=" | "GE" | "^<" => Relation::GreaterOrEqual,
        "<=" | "LE" | "^>" => Relation::LessOrEqual,
        _ => return None,
    })
}

fn number(token: &Token) -> Option<u64> {
    match &token.kind {
        TokenKind::Word(w) if w.bytes().all(|b| b.is_ascii_digit()) => Some(w.parse().unwrap_or(u64::MAX)),
        _ => None,
    }
}

/// The word in upper case, if it is one.
pub(crate) fn word(token: &Token) -> Option<String> {
    match &token.kind {
        TokenKind::Word(w) => Some(w.to_ascii_uppercase()),
        _ => None,
    }
}

/// A token as a message shows it.
pub(crate) fn shown(token: &Token) -> String {
    match &token.kind {
        TokenKind::Word(w) => w.to_ascii_uppercase(),
        TokenKind::Quoted(q) => q.clone(),
        TokenKind::Hex(d) => format!("X'{d}'"),
        TokenKind::Binary(d) => format!("B'{d}'"),
        TokenKind::Relation(r) => r.clone(),
        TokenKind::Left => "(".to_owned(),
        TokenKind::Right => ")".to_owned(),
        TokenKind::End | TokenKind::Semicolon | TokenKind::CutShort => "END OF COMMAND".to_owned(),
        TokenKind::Error(d) | TokenKind::Note(d) => d.text.clone(),
    }
}
