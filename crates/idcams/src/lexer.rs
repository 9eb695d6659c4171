//! From records to tokens: continuation, comments, quotes, constants.
//!
//! Records are joined first, then split into tokens. A record whose last character between the margins is
//! - `-` goes on in the next record, whose leading blanks stay and separate;
//! - `+` goes on in the next record, whose leading blanks are dropped, so that a value can be cut anywhere.
//!
//! The end of a record without a mark, and `;`, end a command. A blank record or a comment in the middle of a command
//! therefore needs a mark, as on z/OS.
//!
//! 1. Every token has the place of its first character, however many records were joined before it.
//! 2. What cannot be a token becomes a [`TokenKind::Error`], so that the parser reports it with the command it is in.
//! 3. What is passed over or made good becomes a [`TokenKind::Note`]: it is told, and the command is carried out.
//! 4. A mark that nothing follows makes the last token [`TokenKind::CutShort`]: that command is not carried out.

use crate::diagnostic::Diagnostic;
use crate::pos::Pos;
use crate::source::{Record, Source};
use cica_messages::{CICA0904E, CICA0917E, IDC0206I, IDC0222I};

/// The smallest piece of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it begins.
    pub at: Pos,
    /// It follows the token before it with nothing between them.
    pub glued: bool,
    /// There is text right before it that is left of the margins and was not read.
    pub cut: bool,
}

/// Kinds of token.
#[derive(Debug, Clone, PartialEq)]
pub enum TokenKind {
    /// Keyword, name or number as written.
    Word(String),
    /// Text from quotes, with doubled quotes made single.
    Quoted(String),
    /// X'...': the digits, not yet checked.
    Hex(String),
    /// B'...': the digits, not yet checked.
    Binary(String),
    /// One of `= < > <= >= ^=` and the like.
    Relation(String),
    /// `(`
    Left,
    /// `)`
    Right,
    /// End of the command, because its record ends.
    End,
    /// End of the command, because of a `;`.
    Semicolon,
    /// End of the input where a mark promised more.
    CutShort,
    /// Not a token.
    Error(Diagnostic),
    /// Nothing that counts: what was passed over or made good.
    Note(Diagnostic),
}

/// Records read together: a record and those it is continued by.
#[derive(Debug, Clone, PartialEq)]
pub struct Cards {
    /// Their text, for the listing.
    pub echo: Vec<String>,
    /// Their tokens; the last one is [`TokenKind::End`] or [`TokenKind::CutShort`].
    pub tokens: Vec<Token>,
    /// Place of text right of the margins that is no sequence number.
    pub beyond: Option<Pos>,
}

impl TokenKind {
    /// Does a command end here?
    pub fn is_end(&self) -> bool {
        matches!(self, TokenKind::End | TokenKind::Semicolon | TokenKind::CutShort)
    }
}

type Char = (char, Pos);

/// How many records after its opening an unmarked comment is looked for the end of.
const LONGEST_COMMENT: usize = 200;

/// Reads the next record and all that continue it; `None` at the end of the input.
pub fn read(source: &mut Source) -> Option<Cards> {
    let first = source.next_record()?;
    let mut cards = Cards {
        echo: Vec::new(),
        tokens: Vec::new(),
        beyond: None,
    };
    let mut text: Vec<Char> = Vec::new();
    let mut cut = Vec::new();
    let mut next = Some(first);
    let mut mark = '-';
    let mut cut_short = false;
    while let Some(record) = next {
        let mut chars = record.chars(source.margins);
        if record.has_text_left(source.margins) {
            cut.extend(chars.first().filter(|(c, _)| *c != ' ').map(|(_, at)| *at));
        }
        if record.has_text_right(source.margins) {
            cards
                .beyond
                .get_or_insert(Pos::new(record.line, source.margins.right + 1));
        }
        let continued = take_mark(&mut chars);
        match mark {
            '+' => text.extend(chars.into_iter().skip_while(|(c, _)| *c == ' ')),
            _ => text.extend(chars),
        }
        // The line end itself separates nothing, only blanks do: `A-` and then `B` in the first column read is AB.
        cards.echo.push(record.text);
        next = continued.and_then(|_| source.next_record());
        cut_short = continued.is_some() && next.is_none();
        mark = continued.unwrap_or('-');
    }
    let mut scan = Scan {
        text: &text,
        i: 0,
        cut: &cut,
        tokens: Vec::new(),
        comma_after: None,
        last_comma: Pos::default(),
        open_comment: false,
    };
    scan.tokens();
    cards.tokens = scan.tokens;
    if let Some(end) = cards.tokens.last_mut().filter(|_| cut_short) {
        end.kind = TokenKind::CutShort;
    }
    if scan.open_comment {
        skip_comment(source, &mut cards);
    }
    Some(cards)
}

/// Tokens of a piece of text that is not in SYSIN, such as the PARM field: line 0.
pub fn tokens_of(text: &str) -> Vec<Token> {
    let record = Record {
        line: 0,
        text: text.to_owned(),
    };
    let chars = record.chars(crate::source::Margins {
        left: 1,
        right: u32::MAX,
    });
    let mut scan = Scan {
        text: &chars,
        i: 0,
        cut: &[],
        tokens: Vec::new(),
        comma_after: None,
        last_comma: Pos::default(),
        open_comment: false,
    };
    scan.tokens();
    scan.tokens
}

/// Takes the continuation mark off the end of a record, with the blanks after it.
fn take_mark(chars: &mut Vec<Char>) -> Option<char> {
    let last = chars.iter().rposition(|(c, _)| *c != ' ')?;
    match chars[last].0 {
        mark @ ('-' | '+') => {
            chars.truncate(last);
            Some(mark)
        }
        _ => None,
    }
}

/// Skips the rest of a comment that was not closed, so that its text is not taken for commands. When no record soon
/// after closes it nothing is skipped: the mistake was then in the opening.
fn skip_comment(source: &mut Source, cards: &mut Cards) {
    cards
        .echo
        .extend(source.take_through("*/", LONGEST_COMMENT).into_iter().map(|r| r.text));
}

struct Scan<'a> {
    text: &'a [Char],
    i: usize,
    cut: &'a [Pos],
    tokens: Vec<Token>,
    /// How many tokens there were when the last comma that separates was read.
    comma_after: Option<usize>,
    last_comma: Pos,
    open_comment: bool,
}

impl Scan<'_> {
    fn tokens(&mut self) {
        let mut glued = false;
        while let Some((c, at)) = self.peek(0) {
            if c == ' ' || c == ',' {
                self.i += 1;
                glued = false;
                if c == ',' {
                    self.comma(at);
                }
                continue;
            }
            if c == '/' && self.is(1, '*') {
                self.comment(at);
                glued = false;
                continue;
            }
            let kind = match c {
                '(' => self.single(TokenKind::Left),
                ')' => self.single(TokenKind::Right),
                ';' => self.single(TokenKind::Semicolon),
                '\'' => TokenKind::Quoted(self.quoted(at)),
                '=' | '<' | '>' | '^' | '\u{ac}' => self.relation(),
                _ => self.word(at),
            };
            let kind = self.check_delimiter(kind, at, glued);
            self.push(kind, at, glued);
            glued = true;
        }
        let end = self
            .text
            .last()
            .map_or(Pos::default(), |(_, p)| Pos::new(p.line, p.column + 1));
        self.push(TokenKind::End, end, false);
    }

    /// A comma separates two items. One that does not stand between two is told and passed over.
    fn comma(&mut self, at: Pos) {
        let behind_item = self.tokens.last().is_some_and(|before| {
            let item = !matches!(before.kind, TokenKind::Left | TokenKind::Note(_)) && !before.kind.is_end();
            item && self.comma_after != Some(self.tokens.len())
        });
        if behind_item {
            self.comma_after = Some(self.tokens.len())
        } else {
            self.note(Diagnostic::new(&IDC0206I, &[], at))
        }
        self.last_comma = at;
    }

    fn note(&mut self, note: Diagnostic) {
        let at = note.at;
        self.tokens.push(Token {
            kind: TokenKind::Note(note),
            at,
            glued: false,
            cut: false,
        });
    }

    fn push(&mut self, kind: TokenKind, at: Pos, glued: bool) {
        let dangling = self.comma_after.take() == Some(self.tokens.len());
        if dangling && (kind == TokenKind::Right || kind.is_end()) {
            self.note(Diagnostic::new(&IDC0206I, &[], self.last_comma));
        }
        self.tokens.push(Token {
            kind,
            at,
            glued,
            cut: self.cut.binary_search(&at).is_ok(),
        });
    }

    fn peek(&self, ahead: usize) -> Option<Char> {
        self.text.get(self.i + ahead).copied()
    }

    fn is(&self, ahead: usize, c: char) -> bool {
        self.peek(ahead).is_some_and(|(x, _)| x == c)
    }

    fn single(&mut self, kind: TokenKind) -> TokenKind {
        self.i += 1;
        kind
    }

    fn comment(&mut self, at: Pos) {
        self.i += 2;
        while self.i < self.text.len() {
            if self.is(0, '*') && self.is(1, '/') {
                self.i += 2;
                return;
            }
            self.i += 1;
        }
        self.open_comment = true;
        let hint = "CLOSE IT WITH */ OR END EACH OF ITS LINES BUT THE LAST WITH -";
        self.push(
            TokenKind::Error(Diagnostic::new(&CICA0904E, &[], at).hint(hint)),
            at,
            false,
        );
    }

    /// Text from the quote at the current place to the closing one, or to the end of the command.
    fn quoted(&mut self, at: Pos) -> String {
        let mut text = String::new();
        self.i += 1;
        while let Some((c, _)) = self.peek(0) {
            self.i += 1;
            match c {
                '\'' if self.is(0, '\'') => {
                    self.i += 1;
                    text.push('\'');
                }
                '\'' => return text,
                c => text.push(c),
            }
        }
        let hint = "THE QUOTE IS NOT CLOSED; A QUOTE INSIDE A VALUE IS WRITTEN TWICE";
        self.note(Diagnostic::new(&IDC0222I, &[], at).hint(hint));
        text.truncate(text.trim_end().len());
        text
    }

    fn relation(&mut self) -> TokenKind {
        let mut text = String::new();
        while let Some((c @ ('=' | '<' | '>' | '^' | '\u{ac}'), _)) = self.peek(0) {
            text.push(if c == '\u{ac}' { '^' } else { c });
            self.i += 1;
        }
        TokenKind::Relation(text)
    }

    fn word(&mut self, at: Pos) -> TokenKind {
        let mut text = String::new();
        while let Some((c, _)) = self.peek(0) {
            let comment = c == '/' && self.is(1, '*');
            if comment || matches!(c, ' ' | ',' | '(' | ')' | ';' | '\'' | '=' | '<' | '>' | '^' | '\u{ac}') {
                break;
            }
            text.push(c);
            self.i += 1;
        }
        if text.len() == 1 && self.is(0, '\'') {
            let constant: Option<fn(String) -> TokenKind> = match text.as_str() {
                "X" | "x" => Some(TokenKind::Hex),
                "B" | "b" => Some(TokenKind::Binary),
                "C" | "c" => Some(TokenKind::Quoted),
                _ => None,
            };
            if let Some(constant) = constant {
                return constant(self.quoted(at));
            }
        }
        match text.as_str() {
            "-" | "+" => {
                let hint = "A CONTINUATION MARK MUST BE THE LAST CHARACTER OF ITS LINE; ONLY BLANKS MAY FOLLOW";
                TokenKind::Error(Diagnostic::new(&CICA0917E, &[("item", &text)], at).hint(hint))
            }
            _ => TokenKind::Word(text),
        }
    }

    /// A quote must not touch a word on either side.
    fn check_delimiter(&self, kind: TokenKind, at: Pos, glued: bool) -> TokenKind {
        use TokenKind::{Binary, Hex, Quoted, Word};
        let is_note = |token: &&Token| matches!(token.kind, TokenKind::Note(_));
        let before = self.tokens.iter().rev().find(|token| !is_note(token));
        let Some(before) = before.filter(|_| glued) else {
            return kind;
        };
        let item = match (&before.kind, &kind) {
            (Word(a), Quoted(b) | Hex(b) | Binary(b)) => format!("{a}'{b}"),
            (Quoted(a) | Hex(a) | Binary(a), Word(b) | Quoted(b)) => format!("{a}'{b}"),
            _ => return kind,
        };
        let hint = "PUT A BLANK BETWEEN THEM, OR THE WHOLE VALUE IN QUOTES";
        TokenKind::Error(Diagnostic::new(&CICA0917E, &[("item", &item)], at).hint(hint))
    }
}
