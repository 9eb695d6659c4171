//! Values in parentheses, each kind checked as the table says.

use super::names::{self, well_formed};
use super::{Parsed, Parser, Stop};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Token, TokenKind};
use crate::params::{KeyValue, Number, Value, Word};
use crate::pos::Pos;
use crate::statement::{shown, word};
use crate::table::{NameForm, Operand, Param};
use cica_messages::*;

/// Longest key and longest text of a key value, in bytes.
const KEY_MAX: usize = 255;

/// How many lists one keyword takes.
const LISTS_MAX: usize = 255;

impl Parser<'_> {
    /// The value of the keyword just taken; `None` when it is wrong, which has been said.
    pub(super) fn value(&mut self, param: &'static Param, keyword: &Token) -> Parsed<Option<Value>> {
        let has_list = self.peek().is_some_and(|t| t.kind == TokenKind::Left);
        match param.kind {
            Operand::Flag if has_list => {
                self.say(Diagnostic::new(&IDC3212I, &[("item", &param.word)], keyword.at));
                self.i += 1;
                self.skip_group(keyword.at, param.word).map(|()| None)
            }
            Operand::Flag => Ok(Some(Value::Flag)),
            Operand::Words if !has_list => Ok(Some(Value::Words(Vec::new()))),
            _ => {
                let open = self.left(param.word)?;
                self.in_parentheses(param, open)
            }
        }
    }

    /// A positional value: one word, or several in parentheses.
    pub(super) fn positional(&mut self, param: &'static Param) -> Parsed<Option<Value>> {
        let Some(first) = self.peek() else { return Ok(None) };
        if first.kind == TokenKind::Left {
            self.i += 1;
            return self.in_parentheses(param, first.at);
        }
        let atoms = [self.atom(param)];
        Ok(self.checked(param, &atoms, first.at))
    }

    fn in_parentheses(&mut self, param: &'static Param, open: Pos) -> Parsed<Option<Value>> {
        match param.kind {
            Operand::Group(params) => self.group(param, params, open).map(Some),
            Operand::Groups(params) => self.groups(param, params, open).map(Some),
            Operand::KeyRanges => self.key_ranges(param, open),
            Operand::Words => self.words(param, open).map(Some),
            _ => {
                let atoms = self.atoms(param, open)?;
                Ok(self.checked(param, &atoms, open))
            }
        }
    }

    fn group(&mut self, param: &'static Param, params: &'static [Param], open: Pos) -> Parsed<Value> {
        // Which lists are around matters for hints only, so a parse that stops inside need not restore it.
        self.outer.push((params, param.word));
        let list = super::List {
            params,
            of: param.word,
            at: open,
            closed: true,
        };
        let group = self.list(list)?;
        self.outer.pop();
        Ok(Value::Group(group))
    }

    fn groups(&mut self, param: &'static Param, params: &'static [Param], open: Pos) -> Parsed<Value> {
        let mut groups = Vec::new();
        if self
            .peek()
            .is_some_and(|t| t.kind != TokenKind::Left && t.kind != TokenKind::Right)
        {
            // One list needs no parentheses of its own.
            groups.push(self.list(super::List {
                params,
                of: param.word,
                at: open,
                closed: true,
            })?);
            return Ok(Value::Groups(groups));
        }
        loop {
            match self.next() {
                Some(t) if t.kind == TokenKind::Right => return Ok(Value::Groups(groups)),
                Some(t) if t.kind == TokenKind::Left => {
                    if groups.len() == LISTS_MAX {
                        self.say(Diagnostic::new(&IDC3218I, &[("item", &param.word)], t.at));
                        return Err(Stop);
                    }
                    groups.push(self.list(super::List {
                        params,
                        of: param.word,
                        at: t.at,
                        closed: true,
                    })?);
                }
                Some(t) => {
                    self.say(Diagnostic::new(&IDC3210I, &[("item", &param.word)], t.at));
                    return Err(Stop);
                }
                None => {
                    self.not_closed(open, param.word);
                    return Ok(Value::Groups(groups));
                }
            }
        }
    }

    /// Everything up to the closing parenthesis, inner parentheses as words of their own.
    fn words(&mut self, param: &Param, open: Pos) -> Parsed<Value> {
        let mut words = Vec::new();
        let mut depth = 0usize;
        while let Some(token) = self.next() {
            match token.kind {
                TokenKind::Right if depth == 0 => return Ok(Value::Words(words)),
                TokenKind::Right => depth -= 1,
                TokenKind::Left => depth += 1,
                _ => {}
            }
            words.push(Word {
                text: shown(token),
                at: token.at,
            });
        }
        self.not_closed(open, param.word);
        Ok(Value::Words(words))
    }

    /// The single values up to the closing parenthesis.
    fn atoms(&mut self, param: &'static Param, open: Pos) -> Parsed<Vec<Token>> {
        let mut atoms = Vec::new();
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Right => {
                    self.i += 1;
                    return Ok(atoms);
                }
                TokenKind::Left => {
                    let hint = match atoms.last().map(shown) {
                        Some(before) => format!("IS THE RIGHT PARENTHESIS OF {} MISSING BEFORE {before}?", param.word),
                        None => format!("{} TAKES ONE PAIR OF PARENTHESES", param.word),
                    };
                    self.say(Diagnostic::new(&IDC3209I, &[("item", &param.word)], open).hint(hint));
                    return Err(Stop);
                }
                _ => atoms.push(self.atom(param)),
            }
        }
        self.not_closed(open, param.word);
        Ok(atoms)
    }

    /// One value; where a member may be named, `A.B(M)` is one.
    fn atom(&mut self, param: &Param) -> Token {
        let mut token = self.next().cloned().unwrap_or(Token {
            kind: TokenKind::Word(String::new()),
            at: Pos::default(),
            glued: false,
            cut: false,
        });
        let members = matches!(
            param.kind,
            Operand::Name(NameForm::Mask)
                | Operand::Names {
                    form: NameForm::Mask,
                    ..
                }
        );
        if let (true, TokenKind::Word(name), [open, member, rest @ ..]) =
            (members, &mut token.kind, &self.tokens[self.i.min(self.tokens.len())..])
        {
            let closed = rest.first().is_none_or(|close| close.kind == TokenKind::Right);
            let shape = open.kind == TokenKind::Left && open.glued && closed;
            if let (true, TokenKind::Word(member)) = (shape, &member.kind) {
                *name = format!("{name}({member})");
                self.i += 2;
                if rest.is_empty() {
                    self.not_closed(open.at, name)
                } else {
                    self.i += 1
                }
            }
        }
        token
    }

    fn checked(&mut self, param: &'static Param, atoms: &[Token], open: Pos) -> Option<Value> {
        let (least, most) = match param.kind {
            Operand::Numbers { slots, least } => (least, slots.len()),
            Operand::Names { max, .. } => (1, max),
            _ => (1, 1),
        };
        if atoms.len() < least {
            let value_of = format!("VALUE OF {}", param.word.to_ascii_uppercase());
            let hint = match param.kind {
                Operand::Numbers { slots, .. } => {
                    let names: Vec<_> = slots.iter().map(|s| s.0.to_ascii_uppercase()).collect();
                    format!("WRITE {}({})", param.word, names.join(" "))
                }
                _ => String::new(),
            };
            self.say(Diagnostic::new(&IDC3225I, &[("item", &value_of)], open).hint(hint));
            return None;
        }
        if let Some(extra) = atoms.get(most) {
            let first = shown(&atoms[0]);
            let hint = format!("{} TAKES {most}", param.word);
            self.say(Diagnostic::new(&IDC3223I, &[("item", &first)], extra.at).hint(hint));
            return None;
        }
        match param.kind {
            Operand::Number { min, max } => self.numbers(&[(param.word, min, max)], atoms),
            Operand::Numbers { slots, .. } => self.numbers(slots, atoms),
            Operand::Name(form) | Operand::Names { form, .. } => self.names(form, atoms),
            Operand::Text { max } => self.text(param, max, &atoms[0]),
            Operand::Date => self.date(&atoms[0]),
            Operand::Key => self.key(param, &atoms[0]).map(|k| Value::Keys(vec![(k, atoms[0].at)])),
            Operand::Choice(of) => self.choice(of, &atoms[0]),
            // The kinds with lists of their own do not come here.
            _ => None,
        }
    }

    fn numbers(&mut self, slots: &[(&str, u64, u64)], atoms: &[Token]) -> Option<Value> {
        let mut numbers = Vec::new();
        for ((name, min, max), token) in slots.iter().zip(atoms) {
            match number(token) {
                None => {
                    let hint = format!("{} IS A NUMBER FROM {min} TO {max}", name.to_ascii_uppercase());
                    self.say(Diagnostic::new(&IDC3220I, &[("item", &shown(token))], token.at).hint(hint));
                }
                Some(value) if value < *min || value > *max => {
                    let inserts: [(&str, &dyn std::fmt::Display); 3] =
                        [("item", &shown(token)), ("min", min), ("max", max)];
                    let hint = format!("IT IS THE {}", name.to_ascii_uppercase());
                    self.say(Diagnostic::new(&IDC3221I, &inserts, token.at).hint(hint));
                }
                Some(value) => numbers.push(Number { value, at: token.at }),
            }
        }
        (numbers.len() == atoms.len()).then_some(Value::Numbers(numbers))
    }

    fn names(&mut self, form: NameForm, atoms: &[Token]) -> Option<Value> {
        let mut words = Vec::new();
        for token in atoms {
            let text = match &token.kind {
                TokenKind::Word(w) | TokenKind::Quoted(w) => w.to_ascii_uppercase(),
                _ => String::new(),
            };
            match well_formed(form, &text) {
                Ok(text) => words.push(Word { text, at: token.at }),
                Err(rule) => {
                    let message = match rule {
                        names::PASSWORD => &IDC3217I,
                        _ => &IDC3203I,
                    };
                    let strange = text.chars().find(|c| !c.is_ascii());
                    let hint = match strange {
                        Some(c) => format!("{c} (U+{:04X}) IS NO CHARACTER OF A NAME; {rule}", u32::from(c)),
                        None => rule.to_owned(),
                    };
                    self.say(Diagnostic::new(message, &[("item", &shown(token))], token.at).hint(hint));
                }
            }
        }
        (words.len() == atoms.len()).then_some(Value::Words(words))
    }

    fn text(&mut self, param: &Param, max: usize, token: &Token) -> Option<Value> {
        let text = match &token.kind {
            TokenKind::Word(w) | TokenKind::Quoted(w) => w.clone(),
            _ => shown(token),
        };
        if text.chars().count() > max {
            self.say(Diagnostic::new(
                &IDC3201I,
                &[("item", &param.word), ("max", &max)],
                token.at,
            ));
            return None;
        }
        Some(Value::Words(vec![Word { text, at: token.at }]))
    }

    /// A date as the number yyyyddd. Two digits of the year mean 19yy, as on z/OS.
    fn date(&mut self, token: &Token) -> Option<Value> {
        let text = shown(token);
        let digits: String = text.chars().filter(|c| !matches!(c, '.' | '/')).collect();
        let value = digits
            .parse::<u64>()
            .ok()
            .filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
        let value = value.and_then(|v| match digits.len() {
            5 => Some(1_900_000 + v),
            7 => Some(v),
            _ => None,
        });
        match value.filter(|v| (1..=366).contains(&(v % 1000)) || v % 1000 == 999) {
            Some(value) => Some(Value::Numbers(vec![Number { value, at: token.at }])),
            None => {
                let hint = "A DATE IS YYDDD, YYYYDDD OR YYYY.DDD, WITH DDD FROM 001 TO 366";
                self.say(Diagnostic::new(&IDC3220I, &[("item", &text)], token.at).hint(hint));
                None
            }
        }
    }

    fn key(&mut self, param: &Param, token: &Token) -> Option<KeyValue> {
        let key = match &token.kind {
            TokenKind::Quoted(text) => KeyValue::Char(text.clone()),
            TokenKind::Word(text) => match text.strip_suffix('*') {
                Some(stem) => KeyValue::CharGeneric(stem.to_owned()),
                None => KeyValue::Char(text.clone()),
            },
            TokenKind::Hex(_) | TokenKind::Binary(_) => match bytes(token) {
                Some(bytes) => KeyValue::Hex(bytes),
                None => {
                    let hint = "X'..' HAS TWO DIGITS 0-9 A-F PER BYTE, B'..' EIGHT DIGITS 0 OR 1";
                    self.say(Diagnostic::new(&IDC3214I, &[("item", &shown(token))], token.at).hint(hint));
                    return None;
                }
            },
            _ => KeyValue::Char(shown(token)),
        };
        let length = match &key {
            KeyValue::Char(t) | KeyValue::CharGeneric(t) => t.chars().count(),
            KeyValue::Hex(b) => b.len(),
        };
        if length == 0 {
            let hint = format!("A KEY HAS 1 TO {KEY_MAX} BYTES");
            self.say(Diagnostic::new(&IDC3225I, &[("item", &format!("VALUE OF {}", param.word))], token.at).hint(hint));
            return None;
        }
        if length > KEY_MAX {
            self.say(Diagnostic::new(
                &IDC3201I,
                &[("item", &param.word), ("max", &KEY_MAX)],
                token.at,
            ));
            return None;
        }
        Some(key)
    }

    /// ((low high) (low high)), or (low high) for one range.
    fn key_ranges(&mut self, param: &'static Param, open: Pos) -> Parsed<Option<Value>> {
        let nested = self.peek().is_some_and(|t| t.kind == TokenKind::Left);
        let mut ends = Vec::new();
        if nested {
            while let Some(inner) = self.peek().filter(|t| t.kind == TokenKind::Left) {
                self.i += 1;
                let pair = self.atoms(param, inner.at)?;
                if pair.len() != 2 {
                    let hint = "A RANGE IS (LOW HIGH)";
                    self.say(Diagnostic::new(&IDC3225I, &[("item", &"END OF A KEY RANGE")], inner.at).hint(hint));
                }
                ends.extend(pair);
            }
        }
        ends.extend(self.atoms(param, open)?);
        if ends.is_empty() || ends.len() % 2 != 0 {
            let hint = "A RANGE IS (LOW HIGH)";
            self.say(Diagnostic::new(&IDC3225I, &[("item", &"END OF A KEY RANGE")], open).hint(hint));
            return Ok(None);
        }
        let keys: Vec<_> = ends
            .iter()
            .filter_map(|t| self.key(param, t).map(|k| (k, t.at)))
            .collect();
        Ok((keys.len() == ends.len()).then_some(Value::Keys(keys)))
    }

    fn choice(&mut self, of: &[(&str, &[&str])], token: &Token) -> Option<Value> {
        let text = word(token).unwrap_or_default();
        match of
            .iter()
            .find(|(w, abbrs)| *w == text || abbrs.contains(&text.as_str()))
        {
            Some((full, _)) => Some(Value::Words(vec![Word {
                text: (*full).to_owned(),
                at: token.at,
            }])),
            None => {
                let choices = of.iter().map(|c| c.0).collect::<Vec<_>>().join(" ");
                self.say(Diagnostic::new(
                    &CICA0914E,
                    &[("item", &shown(token)), ("choices", &choices)],
                    token.at,
                ));
                None
            }
        }
    }
}

/// Decimal digits, X'n' or B'n'. A number too large for 64 bits is the largest there is: out of every range.
fn number(token: &Token) -> Option<u64> {
    let (digits, radix) = match &token.kind {
        TokenKind::Word(w) => (w, 10),
        TokenKind::Hex(d) => (d, 16),
        TokenKind::Binary(d) => (d, 2),
        _ => return None,
    };
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    all.then(|| u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}

/// The bytes of X'..' or B'..'.
fn bytes(token: &Token) -> Option<Vec<u8>> {
    let (digits, radix, per_byte) = match &token.kind {
        TokenKind::Hex(d) => (d, 16, 2),
        TokenKind::Binary(d) => (d, 2, 8),
        _ => return None,
    };
    let digits: Vec<u32> = digits.chars().map(|c| c.to_digit(radix)).collect::<Option<_>>()?;
    (digits.len() % per_byte == 0).then(|| {
        digits
            .chunks(per_byte)
            .map(|d| d.iter().fold(0, |byte, d| byte * radix + d) as u8)
            .collect()
    })
}
