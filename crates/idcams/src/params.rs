//! A command as the parser hands it to the actions: verb, place, and typed parameters.
//!
//! Parameters are asked for by their full keyword, whatever abbreviation the user wrote:
//! ```text
//! DEF CL (NAME(A.B) SHR(2,3) CYL(5 1) REUSE FROMKEY(X'00FF')) DATA (NAME(A.B.DATA))
//!   params.name("NAME")          Some("A.B")
//!   params.numbers("CYLINDERS")  [5, 1]
//!   params.flag("REUSE")         true
//!   params.group("DATA")         Some(Params { NAME(A.B.DATA) })
//! ```
//! Invariants the parser keeps, so that actions need not check them again:
//! 1. A keyword occurs at most once in one list, and at most one of a mutually exclusive set occurs.
//! 2. Required keywords are present; numbers are within the range, names within the form, the table gives.
//! 3. Names and words are folded to upper case and have lost their quotes and passwords. Text (PATH, ACCOUNT) and key
//!    values are as written.

use crate::diagnostic::Diagnostic;
use crate::pos::Pos;
use crate::table::{Support, Verb};
pub use cica_admin::named::KeyValue;
use cica_admin::named::Named;

/// One functional command, ready to be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// What to do. DEFINE has one verb per kind of entry.
    pub verb: Verb,
    /// Where the verb stands.
    pub at: Pos,
    /// Its parameters. For DEFINE CLUSTER (and AIX, PATH ...) these are the ones in the parentheses after CLUSTER,
    /// together with the groups DATA and INDEX and the keyword CATALOG that follow them.
    pub params: Params,
    /// What was passed over or made good when it was read; told before it is carried out.
    pub notes: Vec<Diagnostic>,
}

/// Parameters of a command or of a group such as DATA(...), in the order they were written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    items: Vec<WrittenParam>,
}

/// One parameter as written.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenParam {
    /// Full keyword from the table; for a positional parameter the name the table gives it.
    pub keyword: &'static str,
    /// Where the keyword stands (for a positional parameter, its value).
    pub at: Pos,
    /// Its value.
    pub value: Value,
    /// How far it is obeyed, from the table.
    pub support: Support,
}

/// The value of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The keyword alone.
    Flag,
    /// One or more numbers.
    Numbers(Vec<Number>),
    /// One or more names, choices or pieces of text.
    Words(Vec<Word>),
    /// Key values: one for FROMKEY and TOKEY, pairs for KEYRANGES.
    Keys(Vec<(KeyValue, Pos)>),
    /// A list with parameters of its own.
    Group(Params),
    /// Several such lists (IMPORT OBJECTS).
    Groups(Vec<Params>),
}

/// A number and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The value.
    pub value: u64,
    /// Where it stands.
    pub at: Pos,
}

/// A name or piece of text and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text, without quotes.
    pub text: String,
    /// Where it stands.
    pub at: Pos,
}

impl Params {
    pub(crate) fn push(&mut self, param: WrittenParam) {
        self.items.push(param);
    }

    pub(crate) fn extend(&mut self, other: Params) {
        self.items.extend(other.items);
    }

    /// All parameters in the order written.
    pub fn iter(&self) -> impl Iterator<Item = &WrittenParam> {
        self.items.iter()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The parameter `keyword` as written.
    pub fn get(&self, keyword: &str) -> Option<&WrittenParam> {
        self.items.iter().find(|p| p.keyword == keyword)
    }

    /// Was `keyword` written, with or without a value?
    pub fn has(&self, keyword: &str) -> bool {
        self.get(keyword).is_some()
    }

    /// Was the keyword written? The same as [`Params::has`]; reads better for REUSE, PURGE and the like.
    pub fn flag(&self, keyword: &str) -> bool {
        self.has(keyword)
    }

    /// YES / NO pairs such as ERASE | NOERASE: `Some(true)`, `Some(false)`, or `None` when neither was written.
    pub fn switch(&self, on: &str, off: &str) -> Option<bool> {
        match (self.has(on), self.has(off)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Where the keyword stands; for messages about it.
    pub fn at(&self, keyword: &str) -> Option<Pos> {
        self.get(keyword).map(|p| p.at)
    }

    /// Where the key value of a parameter stands, or the keyword of one that has none.
    pub fn place(&self, keyword: &str) -> Option<Pos> {
        self.keys(keyword)
            .first()
            .map(|(_, at)| *at)
            .or_else(|| self.at(keyword))
    }

    /// What `FILE(dd)` or `DATASET(name)` names, whichever keyword was written.
    pub fn named(&self, file: &str, data_set: &str) -> Option<Named> {
        let by_name = self.name(data_set).map(|name| Named::DataSet(name.to_owned()));
        by_name.or_else(|| self.name(file).map(|dd| Named::Dd(dd.to_owned())))
    }

    /// The same where one of both must be written: where neither is, a DD without a name, which nothing stands behind.
    pub fn named_or_none(&self, file: &str, data_set: &str) -> Named {
        self.named(file, data_set).unwrap_or(Named::Dd(String::new()))
    }

    /// The single name, choice or text of `keyword`. For a group with a positional value, such as
    /// INFILE(dd ENVIRONMENT(...)) or MODEL(entry catalog), the first positional value.
    pub fn name(&self, keyword: &str) -> Option<&str> {
        self.list(keyword).first().map(|w| w.text.as_str())
    }

    /// All names of `keyword`, each with its place; empty when it was not written.
    pub fn list(&self, keyword: &str) -> &[Word] {
        match self.get(keyword).map(|p| &p.value) {
            Some(Value::Words(words)) => words,
            Some(Value::Group(group)) => group.positional(),
            _ => &[],
        }
    }

    fn positional(&self) -> &[Word] {
        // The table names positional parameters in lower case.
        match self.items.first() {
            Some(WrittenParam {
                keyword,
                value: Value::Words(words),
                ..
            }) if keyword.starts_with(|c: char| c.is_ascii_lowercase()) => words,
            _ => &[],
        }
    }

    /// The texts of all names of `keyword`.
    pub fn texts(&self, keyword: &str) -> Vec<String> {
        self.list(keyword).iter().map(|word| word.text.clone()).collect()
    }

    /// What `FILES(dd ...)` or `DATASETS(name ...)` name, where each may be a list.
    pub fn all_named(&self, files: &str, data_sets: &str) -> Vec<Named> {
        let names = self.texts(data_sets).into_iter().map(Named::DataSet);
        names.chain(self.texts(files).into_iter().map(Named::Dd)).collect()
    }

    /// The first (or only) number of `keyword`.
    pub fn number(&self, keyword: &str) -> Option<u64> {
        self.numbers(keyword).first().map(|n| n.value)
    }

    /// All numbers of `keyword`, such as length and offset of KEYS; empty when it was not written.
    pub fn numbers(&self, keyword: &str) -> &[Number] {
        match self.get(keyword).map(|p| &p.value) {
            Some(Value::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// The key value of FROMKEY or TOKEY.
    pub fn key(&self, keyword: &str) -> Option<&KeyValue> {
        self.keys(keyword).first().map(|(key, _)| key)
    }

    /// All key values of `keyword` (KEYRANGES has two per range: low, high).
    pub fn keys(&self, keyword: &str) -> &[(KeyValue, Pos)] {
        match self.get(keyword).map(|p| &p.value) {
            Some(Value::Keys(keys)) => keys,
            _ => &[],
        }
    }

    /// The parameters inside `keyword(...)`.
    pub fn group(&self, keyword: &str) -> Option<&Params> {
        match self.get(keyword).map(|p| &p.value) {
            Some(Value::Group(group)) => Some(group),
            _ => None,
        }
    }

    /// Each list inside `keyword((...) (...))`.
    pub fn groups(&self, keyword: &str) -> &[Params] {
        match self.get(keyword).map(|p| &p.value) {
            Some(Value::Groups(groups)) => groups,
            _ => &[],
        }
    }
}
