//! From the tokens of one command to a [`Command`], by the table.
//!
//! Errors are collected, not thrown: one run shows all that is wrong with a command. Only an error in the parentheses
//! ends the parse, because what follows would be read in the wrong list and give misleading messages. Parentheses that
//! are missing at the end are assumed there, and one too many outside all lists is passed over: both are noted.

mod names;
mod order;
mod suggest;
mod values;

use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Token, TokenKind};
use crate::params::{Command, Params, Value, WrittenParam as Written};
use crate::pos::Pos;
use crate::statement::{shown, word, Statement, Statements};
use crate::table::{Operand, Param, Support, VerbSpec, VERBS};
use crate::Source;
use cica_messages::*;
use suggest::nearest;

/// A parse that cannot go on; why is in the list of diagnostics.
struct Stop;

type Parsed<T> = Result<T, Stop>;

/// Parses one functional command (or PARM) given as tokens without the end mark.
pub fn command(tokens: &[Token]) -> Result<Command, Vec<Diagnostic>> {
    let errors: Vec<Diagnostic> = tokens.iter().filter_map(error_of).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let (notes, tokens): (Vec<&Token>, Vec<&Token>) = tokens.iter().partition(|token| note_of(token).is_some());
    let tokens = order::object_first(&tokens);
    let mut parser = Parser {
        tokens: &tokens,
        i: 0,
        diagnostics: Vec::new(),
        notes: notes.into_iter().filter_map(note_of).collect(),
        outer: Vec::new(),
    };
    match parser.command() {
        Ok(command) if parser.diagnostics.is_empty() => Ok(command),
        _ => Err(parser.diagnostics),
    }
}

fn error_of(token: &Token) -> Option<Diagnostic> {
    match &token.kind {
        TokenKind::Error(diagnostic) => Some(diagnostic.clone()),
        _ => None,
    }
}

fn note_of(token: &Token) -> Option<Diagnostic> {
    match &token.kind {
        TokenKind::Note(diagnostic) => Some(diagnostic.clone()),
        _ => None,
    }
}

/// Parses all functional commands of a text, whatever branch they are in; for editors and tests. Modal commands are
/// left out unless they are wrong.
pub fn commands(text: &str) -> Vec<Result<Command, Vec<Diagnostic>>> {
    let mut statements = Statements::new(Source::from_text(text));
    let mut parsed = Vec::new();
    while let Some(statement) = statements.next_statement() {
        match statement {
            Statement::Command(tokens) => parsed.push(command(&tokens)),
            Statement::Wrong(diagnostic) => parsed.push(Err(vec![diagnostic])),
            _ => {}
        }
    }
    parsed
}

/// Parses a PARM field, `MARGINS(1 80)` for example, as the command PARM.
pub fn parm_field(text: &str) -> Result<Command, Vec<Diagnostic>> {
    let verb = TokenKind::Word("PARM".to_owned());
    let mut tokens = vec![Token {
        kind: verb,
        at: Pos::default(),
        glued: false,
        cut: false,
    }];
    tokens.extend(lexer::tokens_of(text).into_iter().filter(|t| !t.kind.is_end()));
    command(&tokens)
}

struct Parser<'a> {
    tokens: &'a [&'a Token],
    i: usize,
    diagnostics: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
    /// Lists around the one being parsed: their parameters, and the keyword whose parentheses were opened.
    outer: Vec<(&'static [Param], &'static str)>,
}

/// A list being parsed.
struct List {
    params: &'static [Param],
    /// Whose list: a verb or keyword, for messages.
    of: &'static str,
    /// Where it begins.
    at: Pos,
    /// Is it in parentheses?
    closed: bool,
}

impl<'a> Parser<'a> {
    fn command(&mut self) -> Parsed<Command> {
        let at = self.tokens.first().map_or(Pos::default(), |t| t.at);
        let spec = self.verb()?;
        let mut params = Params::default();
        if let Some(second) = spec.second() {
            let open = self.left(second)?;
            self.outer.push((spec.params, second));
            params.extend(self.list(List {
                params: spec.object,
                of: second,
                at: open,
                closed: true,
            })?);
            self.outer.pop();
        }
        params.extend(self.list(List {
            params: spec.params,
            of: spec.words,
            at,
            closed: false,
        })?);
        Ok(Command {
            verb: spec.verb,
            at,
            params,
            notes: std::mem::take(&mut self.notes),
        })
    }

    /// The verb, and the word after it for DEFINE and CREATE.
    fn verb(&mut self) -> Parsed<&'static VerbSpec> {
        let Some(token) = self.next() else { return Err(Stop) };
        let first = word(token).unwrap_or_default();
        let specs: Vec<_> = VERBS.iter().filter(|v| v.is_first(&first)).collect();
        let Some(one) = specs.first() else {
            return self.unknown_verb(token);
        };
        if one.second().is_none() {
            return Ok(one);
        }
        let second = self.next();
        let name = second.and_then(word).unwrap_or_default();
        if let Some(spec) = specs.iter().find(|v| v.is_second(&name)) {
            return Ok(spec);
        }
        let kinds: Vec<_> = specs.iter().filter_map(|v| v.second()).collect();
        let hint = match nearest(&name, kinds.iter().copied()) {
            Some(near) => format!("DID YOU MEAN {near}?"),
            None => format!("AFTER {} COMES ONE OF {}", one.first(), kinds.join(" ")),
        };
        let (item, at) = second.map_or((first.clone(), token.at), |t| (shown(t), t.at));
        self.say(Diagnostic::new(&IDC3211I, &[("item", &item)], at).hint(hint));
        Err(Stop)
    }

    fn unknown_verb<T>(&mut self, token: &Token) -> Parsed<T> {
        let item = shown(token);
        let names = VERBS
            .iter()
            .flat_map(|v| std::iter::once(v.first()).chain(v.abbrs.iter().copied()));
        let hint = match nearest(&item, names) {
            _ if token.cut && item.starts_with('/') => {
                "A LINE THAT BEGINS WITH // IS JCL AND NO CARD; GIVE WHAT STANDS BEHIND //SYSIN DD *".to_owned()
            }
            _ if token.cut => "COLUMN 1 IS LEFT OF THE MARGINS AND NOT READ; BEGIN IN COLUMN 2".to_owned(),
            _ if item == "THEN" => "END THE LINE BEFORE IT WITH -".to_owned(),
            Some(near) => format!("DID YOU MEAN {near}?"),
            None => "IF IT BELONGS TO THE COMMAND BEFORE, END THE LINE BEFORE IT WITH -".to_owned(),
        };
        self.say(Diagnostic::new(&IDC3219I, &[("item", &item)], token.at).hint(hint));
        Err(Stop)
    }

    /// Parameters up to the closing parenthesis, or to the end of the command.
    fn list(&mut self, list: List) -> Parsed<Params> {
        let mut params = Params::default();
        let mut positionals = list.params.iter().filter(|p| p.positional).peekable();
        let mut last = list.of.to_owned();
        loop {
            let Some(token) = self.peek() else {
                if list.closed {
                    self.not_closed(list.at, list.of);
                }
                break;
            };
            let keyword = word(token).and_then(|w| list.params.iter().find(|p| p.is(&w)));
            match (keyword, positionals.peek().copied()) {
                _ if token.kind == TokenKind::Right => {
                    self.i += 1;
                    if list.closed {
                        break;
                    }
                    self.notes.push(Diagnostic::new(&IDC0233I, &[], token.at));
                    continue;
                }
                // A name may look like a keyword; what stands where a name is required is one, unless it has a value.
                (found, Some(positional))
                    if found.is_none_or(|_| positional.required && !self.has_value()) && self.fits(positional) =>
                {
                    positionals.next();
                    let value = self.positional(positional)?;
                    self.add(&mut params, positional, token.at, value);
                }
                (Some(param), _) => {
                    self.i += 1;
                    self.check_company(&params, param, token, list.params);
                    let value = self.value(param, token)?;
                    self.add(&mut params, param, token.at, value);
                }
                (None, _) => self.improper(token, &list, &last)?,
            }
            last = shown(token);
        }
        self.check_required(&params, &list);
        Ok(params)
    }

    fn add(&mut self, params: &mut Params, param: &Param, at: Pos, value: Option<Value>) {
        // A value in error is left out; the command is refused anyway.
        if let Some(value) = value {
            params.push(Written {
                keyword: param.word,
                at,
                value,
                support: param.support,
            });
        } else {
            params.push(Written {
                keyword: param.word,
                at,
                value: Value::Flag,
                support: Support::Done,
            });
        }
    }

    /// Can a positional value begin here? In parentheses only where several values may stand.
    fn fits(&self, positional: &Param) -> bool {
        match self.peek().map(|t| &t.kind) {
            Some(TokenKind::Left) => matches!(positional.kind, Operand::Names { .. }),
            Some(TokenKind::Word(_) | TokenKind::Quoted(_) | TokenKind::Hex(_) | TokenKind::Binary(_)) => true,
            _ => false,
        }
    }

    fn has_value(&self) -> bool {
        self.tokens.get(self.i + 1).is_some_and(|t| t.kind == TokenKind::Left)
    }

    /// Repeated and mutually exclusive parameters.
    fn check_company(&mut self, params: &Params, param: &Param, token: &Token, all: &[Param]) {
        if params.has(param.word) {
            let first = params.at(param.word).unwrap_or_default();
            let hint = format!("FIRST WRITTEN AT {first}");
            self.say(Diagnostic::new(&IDC3213I, &[("item", &param.word)], token.at).hint(hint));
            return;
        }
        let clash = params.iter().find(|written| {
            let other = all.iter().find(|p| p.word == written.keyword);
            other.is_some_and(|o| {
                (!param.one_of.is_empty() && o.one_of == param.one_of)
                    || param.not_with.contains(&o.word)
                    || o.not_with.contains(&param.word)
            })
        });
        if let Some(other) = clash {
            let hint = format!(
                "{} AT {} EXCLUDES IT; LEAVE ONE OF THE TWO OUT",
                other.keyword, other.at
            );
            self.say(Diagnostic::new(&IDC3226I, &[("item", &param.word)], token.at).hint(hint));
        }
    }

    fn check_required(&mut self, params: &Params, list: &List) {
        let mut asked: Vec<&str> = Vec::new();
        for param in list.params.iter().filter(|p| p.required) {
            let set: Vec<_> = match param.one_of {
                "" => vec![param.word],
                label => list
                    .params
                    .iter()
                    .filter(|p| p.one_of == label)
                    .map(|p| p.word)
                    .collect(),
            };
            if asked.contains(&set[0]) || set.iter().any(|w| params.has(w)) {
                continue;
            }
            asked.push(set[0]);
            let item = set
                .iter()
                .map(|w| w.to_ascii_uppercase())
                .collect::<Vec<_>>()
                .join(" OR ");
            let hint = format!("{} NEEDS IT", list.of);
            self.say(Diagnostic::new(&IDC3225I, &[("item", &item)], list.at).hint(hint));
        }
    }

    /// Something that is no parameter of the list: says so, and goes on behind it.
    fn improper(&mut self, token: &Token, list: &List, last: &str) -> Parsed<()> {
        let item = shown(token);
        let is_word = word(token).is_some();
        self.i += 1;
        if !is_word {
            let message = if token.kind == TokenKind::Left {
                &IDC3205I
            } else {
                &IDC3200I
            };
            let item = if token.kind == TokenKind::Left {
                format!("{last} (")
            } else {
                last.to_owned()
            };
            self.say(Diagnostic::new(message, &[("item", &item)], token.at));
            return if token.kind == TokenKind::Left {
                self.skip_group(token.at, list.of)
            } else {
                Ok(())
            };
        }
        let elsewhere = self
            .outer
            .iter()
            .rev()
            .find(|(params, _)| params.iter().any(|p| p.is(&item)));
        let names = list
            .params
            .iter()
            .filter(|p| !p.positional)
            .flat_map(|p| [p.word].into_iter().chain(p.abbrs.iter().copied()));
        let hint = match (elsewhere, nearest(&item, names)) {
            (Some((_, keyword)), _) => format!("IT BELONGS BEHIND THE RIGHT PARENTHESIS OF {keyword}"),
            (None, Some(near)) => format!("DID YOU MEAN {near}?"),
            (None, None) => format!("{} HAS NO SUCH PARAMETER", list.of),
        };
        self.say(Diagnostic::new(&IDC3211I, &[("item", &item)], token.at).hint(hint));
        match self.peek() {
            Some(open) if open.kind == TokenKind::Left => {
                self.i += 1;
                self.skip_group(open.at, &item)
            }
            _ => Ok(()),
        }
    }

    /// Skips to behind the parenthesis that closes the one just taken.
    fn skip_group(&mut self, open: Pos, of: &str) -> Parsed<()> {
        let mut depth = 1;
        while let Some(token) = self.next() {
            match token.kind {
                TokenKind::Left => depth += 1,
                TokenKind::Right => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        self.not_closed(open, of);
        Ok(())
    }

    /// The command ends inside a list: told once, and taken as if the list were closed here.
    fn not_closed(&mut self, open: Pos, of: &str) {
        let noted = self.notes.iter().any(|note| note.message == &IDC0234I);
        if !noted {
            let last = self.tokens.last().map_or(open.line, |t| t.at.line);
            let hint = format!("THE LIST OF {of} IS NOT CLOSED, OR LINE {last} LACKS ITS CONTINUATION MARK");
            self.notes.push(Diagnostic::new(&IDC0234I, &[], open).hint(hint));
        }
    }

    /// Takes the left parenthesis after `keyword` and tells where it is.
    fn left(&mut self, keyword: &str) -> Parsed<Pos> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Left => {
                self.i += 1;
                Ok(token.at)
            }
            other => {
                let before = self.i.checked_sub(1).and_then(|i| self.tokens.get(i)).copied();
                let at = other.or(before).map_or(Pos::default(), |t| t.at);
                let hint = match other {
                    Some(_) => String::new(),
                    None => format!("WHEN THE LIST IS ON THE NEXT LINE, END LINE {} WITH -", at.line),
                };
                self.say(Diagnostic::new(&IDC3208I, &[("item", &keyword)], at).hint(hint));
                Err(Stop)
            }
        }
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.i).copied()
    }

    fn next(&mut self) -> Option<&'a Token> {
        let token = *self.tokens.get(self.i)?;
        self.i += 1;
        Some(token)
    }
}
