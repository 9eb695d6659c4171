//! The text of a file into which mutated code is woven.

use crate::Place;

/// What is put around a range of the text, or before a place in it.
struct Edit {
    from: usize,
    to: usize,
    prefix: String,
    suffix: String,
}

/// A file's text, and what is put into it.
pub struct Weave<'s> {
    source: &'s str,
    /// Where each line begins.
    lines: Vec<usize>,
    edits: Vec<Edit>,
}

/// In the text, before mutated code and behind it; the first is followed by the mutant's number.
const OPENS: &str = "/*<M";
const CLOSES: &str = "/*M>*/";

impl<'s> Weave<'s> {
    /// The file as it is.
    pub fn of(source: &'s str) -> Weave<'s> {
        let after_ends = source.match_indices('\n').map(|(at, _)| at + 1);
        Weave {
            source,
            lines: std::iter::once(0).chain(after_ends).collect(),
            edits: Vec::new(),
        }
    }

    fn offset(&self, (line, column): Place) -> usize {
        let start = self.lines[line - 1];
        let chars = self.source[start..].char_indices().nth(column - 1);
        chars.map_or(self.source.len(), |(at, _)| start + at)
    }

    /// What stands there in the file.
    pub fn text(&self, (from, to): (Place, Place)) -> String {
        self.source[self.offset(from)..self.offset(to)].to_owned()
    }

    fn put(&mut self, from: usize, to: usize, prefix: String, suffix: &str) {
        let suffix = suffix.to_owned();
        self.edits.push(Edit {
            from,
            to,
            prefix,
            suffix,
        });
    }

    /// `text` instead of the expression in a range.
    pub fn instead(&mut self, (from, to): (Place, Place), number: usize, text: &str) {
        let (from, to) = (self.offset(from), self.offset(to));
        let prefix = format!("(if crate::mutated({number}) {{\n{OPENS}{number}*/ {text} {CLOSES}\n}} else {{");
        self.put(from, to, prefix, "})");
    }

    /// `value` is returned before the statement at a place.
    pub fn before(&mut self, place: Place, number: usize, value: &str) {
        let place = self.offset(place);
        let text = format!("if crate::mutated({number}) {{\n{OPENS}{number}*/ return {value}; {CLOSES}\n}}\n");
        self.put(place, place, text, "");
    }

    /// An arm is not taken, whose pattern ends there.
    pub fn guard(&mut self, pattern_end: Place, number: usize) {
        let place = self.offset(pattern_end);
        let text = format!("\n{OPENS}{number}*/ if !crate::mutated({number}) {CLOSES}\n");
        self.put(place, place, text, "");
    }

    /// The name of a field stands there, and its value has the same name.
    pub fn name_field(&mut self, (from, _): (Place, Place), name: &str) {
        let from = self.offset(from);
        self.put(from, from, format!("{name}: "), "");
    }

    /// The new text; and number, first and last line in it of each mutant.
    pub fn finish(mut self) -> (String, Vec<(usize, usize, usize)>) {
        // What is put around more comes first; of what is put around the same, what came first.
        self.edits
            .sort_by_key(|edit| (edit.from, edit.from != edit.to, std::cmp::Reverse(edit.to)));
        let mut out = String::new();
        let (mut open, mut at): (Vec<&Edit>, usize) = (Vec::new(), 0);
        for edit in &self.edits {
            while let Some(inner) = open.pop_if(|inner| inner.to <= edit.from) {
                out += &self.source[at..inner.to];
                out += &inner.suffix;
                at = inner.to;
            }
            out += &self.source[at..edit.from];
            out += &edit.prefix;
            at = edit.from;
            open.push(edit);
        }
        while let Some(inner) = open.pop() {
            out += &self.source[at..inner.to];
            out += &inner.suffix;
            at = inner.to;
        }
        out += &self.source[at..];
        let lines = mutant_lines(&out);
        (out, lines)
    }
}

fn mutant_lines(text: &str) -> Vec<(usize, usize, usize)> {
    let (mut found, mut open) = (Vec::new(), None);
    for (line, content) in (1..).zip(text.lines()) {
        if let Some((_, after)) = content.split_once(OPENS) {
            let number = after.split_once('*').and_then(|(number, _)| number.parse().ok());
            open = number.map(|number: usize| (number, line));
        }
        if content.contains(CLOSES) {
            found.extend(open.take().map(|(number, first)| (number, first, line)));
        }
    }
    found
}
