//! Help and the reference manual, written from the table.

use super::{NameForm, Operand, Param, Support, Verb, VerbSpec, VERBS};
use std::fmt::Write;

/// Groups of more parameters than this are told by their words only.
const LARGE: usize = 20;

/// One line per command.
pub fn overview() -> String {
    let mut text = String::new();
    for v in VERBS {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "  {:24} {}{}", v.words, v.help, mark(v.support));
    }
    text
}

/// Help on the command `words`, for example "REPRO", "define cluster", "DEF CL" or "DEFINE" for all its kinds;
/// `None` when there is no such command.
pub fn help(words: &str) -> Option<String> {
    let words = words.to_ascii_uppercase();
    let mut words = words.split_whitespace();
    let (first, second) = (words.next()?, words.next());
    let found: Vec<_> = VERBS
        .iter()
        .filter(|v| v.is_first(first) && second.is_none_or(|s| v.is_second(s)))
        .collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(page(one)),
        many => Some(
            many.iter()
                .map(|v| format!("  {:24} {}{}\n", v.words, v.help, mark(v.support)))
                .collect(),
        ),
    }
}

fn page(v: &VerbSpec) -> String {
    let mut text = format!("{} - {}{}\n", v.words, v.help, mark(v.support));
    let abbrs = v
        .abbrs
        .iter()
        .chain(v.object_abbrs)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if !abbrs.is_empty() {
        let _ = writeln!(text, "Abbreviations: {abbrs}");
    }
    if !v.grammar.is_empty() {
        let _ = writeln!(text, "\n{}", v.grammar);
    }
    if let Some(second) = v.second().filter(|_| !v.object.is_empty()) {
        let _ = writeln!(text, "\n{second} (");
        rows(&mut text, v, v.object, 1);
        text.push_str(")\n");
    }
    if !v.params.is_empty() {
        text.push('\n');
        rows(&mut text, v, v.params, 0);
    }
    let _ = writeln!(text, "\nExample:\n  {}", v.example);
    text
}

fn rows(text: &mut String, v: &VerbSpec, params: &[Param], depth: usize) {
    for p in params {
        let left = format!("{:1$}{2}{3}", "", depth * 2, p.word, shape(p));
        let abbrs = if p.abbrs.is_empty() {
            String::new()
        } else {
            format!(" [{}]", p.abbrs.join(", "))
        };
        let _ = writeln!(text, "  {left:42} {}{abbrs}{}", p.help, notes(v, p));
        match p.kind {
            Operand::Group(inner) | Operand::Groups(inner) if inner.len() <= LARGE => rows(text, v, inner, depth + 1),
            _ => {}
        }
    }
}

fn notes(v: &VerbSpec, p: &Param) -> String {
    let mut notes = String::new();
    if p.required {
        notes.push_str(if p.one_of.is_empty() {
            "; required"
        } else {
            "; one of these is required"
        });
    }
    match p.default {
        "" => {}
        // What is not said stays as it is.
        _ if v.verb == Verb::Alter => {}
        "yes" => notes.push_str("; the default"),
        value => {
            let _ = write!(notes, "; default {value}");
        }
    }
    notes + mark(p.support)
}

fn mark(support: Support) -> &'static str {
    match support {
        Support::Done => "",
        Support::Stored => " (stored, no effect)",
        Support::Accepted => " (accepted, no effect)",
        Support::Never(_) => " (refused)",
    }
}

/// The value as it is written, for example `(length offset)`.
fn shape(p: &Param) -> String {
    let inner = match p.kind {
        Operand::Flag => return String::new(),
        _ if p.positional => return String::new(),
        Operand::Number { .. } => "number".to_owned(),
        Operand::Numbers { slots, least } => {
            let name = |(i, s): (usize, &(&str, u64, u64))| if i < least { s.0.into() } else { format!("[{}]", s.0) };
            slots.iter().enumerate().map(name).collect::<Vec<_>>().join(" ")
        }
        Operand::Name(form) => form_word(form).to_owned(),
        Operand::Names { form, .. } => format!("{} ...", form_word(form)),
        Operand::Text { .. } => "text".to_owned(),
        Operand::Date => "date".to_owned(),
        Operand::Key => "key".to_owned(),
        Operand::KeyRanges => "(low high) ...".to_owned(),
        Operand::Choice(of) => of.iter().map(|c| c.0).collect::<Vec<_>>().join(" | "),
        Operand::Group(inner) => {
            let positional: Vec<_> = inner.iter().filter(|p| p.positional).map(|p| p.word).collect();
            if positional.is_empty() {
                "...".to_owned()
            } else {
                positional.join(" ")
            }
        }
        Operand::Groups(_) => "(...) ...".to_owned(),
        Operand::Words => "...".to_owned(),
    };
    format!("({inner})")
}

fn form_word(form: NameForm) -> &'static str {
    match form {
        NameForm::Dsname | NameForm::Symbolic | NameForm::Mask => "entryname",
        NameForm::Ddname => "ddname",
        NameForm::Volser | NameForm::AnyVolser | NameForm::VolserMask => "volser",
        NameForm::Word => "word",
        NameForm::Label => "label",
    }
}

/// The page docs/src/reference/idcams.md.
pub fn reference_markdown() -> String {
    let mut page = String::from(
        "# IDCAMS commands\n\n\
         <!-- Made from crates/idcams/src/table; run its tests with CICA_BLESS=1 to write it anew. -->\n\n\
         Commands are read from columns 2 to 72; a line that ends with `-` or `+` continues. Words are taken in full\n\
         or as one of the abbreviations shown. *Support*: **yes** is obeyed; **stored** is checked, kept and shown,\n\
         and has nothing to act on here (message CICA0902I); **accepted** is checked, and has nothing to act on nor\n\
         an entry to be kept in (message CICA0905I); **refused** is checked and refused for what it would need (message CICA0908E).\n",
    );
    for v in VERBS {
        section(&mut page, v);
    }
    page
}

fn section(page: &mut String, v: &VerbSpec) {
    let _ = write!(page, "\n## {}\n\n{}.", v.words, sentence(v.help));
    let abbrs: Vec<_> = v.abbrs.iter().chain(v.object_abbrs).map(|a| format!("`{a}`")).collect();
    if !abbrs.is_empty() {
        let _ = write!(page, " Abbreviations: {}.", abbrs.join(", "));
    }
    let _ = write!(page, " Support: **{}**.\n\n", support(v.support));
    if !v.grammar.is_empty() {
        let _ = write!(page, "```text\n{}\n```\n\nFor example:\n\n", v.grammar);
    }
    let _ = write!(page, "```text\n {}\n```\n", v.example);
    let mut table = String::new();
    table_rows(&mut table, v, v.object, v.second().unwrap_or_default());
    table_rows(&mut table, v, v.params, "");
    if !table.is_empty() {
        page.push_str("\n| Parameter | Abbreviations | Meaning | Values | Support |\n|---|---|---|---|---|\n");
        page.push_str(&table);
    }
}

fn table_rows(table: &mut String, v: &VerbSpec, params: &[Param], within: &str) {
    for p in params {
        let place = if within.is_empty() {
            String::new()
        } else {
            format!("{within}: ")
        };
        let word = if p.positional {
            format!("*{}*", p.word)
        } else {
            format!("`{}{}`", p.word, shape(p))
        };
        let (inner, values) = match p.kind {
            Operand::Group(inner) | Operand::Groups(inner) if inner.len() <= LARGE => (inner, String::new()),
            Operand::Group(inner) => (&[] as &[Param], words_of(inner)),
            _ => (&[] as &[Param], limits(p)),
        };
        let meaning = sentence(p.help) + notes(v, p).trim_end_matches(mark(p.support));
        let cells = [
            place + &word,
            p.abbrs.join(", "),
            meaning,
            values,
            support(p.support).to_owned(),
        ];
        let _ = writeln!(table, "| {} |", cells.map(|c| c.replace('|', "\\|")).join(" | "));
        table_rows(table, v, inner, p.word);
    }
}

/// Large groups (DATA, INDEX) take what the cluster takes, so their words are enough.
fn words_of(params: &[Param]) -> String {
    params
        .iter()
        .map(|p| format!("`{}`", p.word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// What values are taken, in words.
fn limits(p: &Param) -> String {
    match p.kind {
        Operand::Flag | Operand::Group(_) | Operand::Groups(_) => String::new(),
        Operand::Number { min, max } => format!("{min} to {max}"),
        Operand::Numbers { slots, .. } => slots
            .iter()
            .map(|(n, min, max)| format!("{n} {min} to {max}"))
            .collect::<Vec<_>>()
            .join(", "),
        Operand::Name(form) => form_limits(form).to_owned(),
        Operand::Names { form, max } => format!("up to {max}: {}", form_limits(form)),
        Operand::Text { max } => format!("up to {max} characters"),
        Operand::Date => "yyddd, yyyyddd or yyyy.ddd".to_owned(),
        Operand::Key => "characters or X'..', up to 255 bytes".to_owned(),
        Operand::KeyRanges => "pairs of keys".to_owned(),
        Operand::Choice(of) => of
            .iter()
            .map(|(w, a)| {
                if a.is_empty() {
                    (*w).to_owned()
                } else {
                    format!("{w} ({})", a.join(", "))
                }
            })
            .collect::<Vec<_>>()
            .join(", "),
        Operand::Words => "kept as written".to_owned(),
    }
}

fn form_limits(form: NameForm) -> &'static str {
    match form {
        NameForm::Dsname => "data set name, 1 to 44 characters",
        NameForm::Symbolic => "data set name, 1 to 44 characters, with symbols `&NAME.` and `&NAME(1:2).`",
        NameForm::Mask => "data set name; `*`, `**`, `%` stand for parts",
        NameForm::Ddname => "1 to 8 characters",
        NameForm::Volser => "1 to 6 characters",
        NameForm::AnyVolser => "1 to 6 characters or `*`",
        NameForm::VolserMask => "1 to 6 characters; `*`, `%` stand for parts",
        NameForm::Word => "1 to 8 characters",
        NameForm::Label => "1 to 64 characters",
    }
}

fn support(support: Support) -> &'static str {
    match support {
        Support::Done => "yes",
        Support::Stored => "stored",
        Support::Accepted => "accepted",
        Support::Never(_) => "refused",
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|c| std::iter::once(c.to_ascii_uppercase()).chain(chars).collect())
        .unwrap_or_default()
}
