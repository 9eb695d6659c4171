//! Jobs drawn from the table: what a fuzzer, or a test, hands to IDCAMS instead of noise.
//!
//! Each byte of the input is one choice: a verb, which of its parameters, which spelling, which value. So every byte
//! string is a job, a small change of it is a small change of the job, and no parameter of the table is out of reach.
//! Most jobs are correct as text and many contradict themselves, which is what there is to be found out.

use super::{NameForm, Operand, Param, Support, VerbSpec, VERBS};

/// Names that jobs use again and again, so that commands meet each other's entries.
const NAMES: [&str; 8] = [
    "A",
    "A.B",
    "A.B.DATA",
    "A.G",
    "A.G.G0001V00",
    "UCAT.A",
    "A.X.PATH",
    "B.C.D.E",
];
const MASKS: [&str; 6] = ["A.*", "A.**", "%.B", "A.G(0)", "A.G(+1)", "**"];
const WORDS: [&str; 4] = ["3390", "FAST", "ADA", "X"];
const SERIALS: [&str; 3] = ["CICA01", "V1", "NONE01"];

/// A job of at most `commands` commands.
pub fn job(bytes: &[u8], commands: usize) -> String {
    let mut draw = Draw { bytes: bytes.iter() };
    let mut job = String::new();
    for _ in 0..commands {
        if draw.bytes.as_slice().is_empty() {
            break;
        }
        command(&mut draw, &mut job);
    }
    job
}

/// Choices, one byte each; when there are no more, the first of every choice.
struct Draw<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl Draw<'_> {
    fn one_of(&mut self, count: usize) -> usize {
        match (self.bytes.next(), count) {
            (Some(byte), 1..) => usize::from(*byte) % count,
            _ => 0,
        }
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let place = self.one_of(of.len());
        of.get(place).copied().unwrap_or_default()
    }

    /// True once in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.one_of(times) == times - 1
    }
}

/// A command, on lines that end with continuation marks but the last.
fn command(draw: &mut Draw, job: &mut String) {
    let rare = |verb: &VerbSpec| matches!(verb.support, Support::Never(_));
    let all = draw.once_in(16);
    let functional: Vec<&VerbSpec> = VERBS
        .iter()
        .copied()
        .filter(|verb| verb.grammar.is_empty() && (all || !rare(verb)))
        .collect();
    let Some(verb) = functional.get(draw.one_of(functional.len())) else {
        return;
    };
    if draw.once_in(16) {
        job.push_str(" IF LASTCC < 8 THEN -\n");
    }
    job.push(' ');
    job.push_str(verb.words);
    if verb.second().is_some() {
        job.push_str(" ( -\n");
        list(draw, verb.object, job);
        job.push_str("    )");
    }
    job.push_str(" -\n");
    list(draw, verb.params, job);
    job.push_str("   /* END */\n");
}

/// Parameters of a list, each on a line of its own: those that are required, and others now and then.
fn list(draw: &mut Draw, params: &'static [Param], job: &mut String) {
    let mut sets: Vec<&str> = Vec::new();
    // Of each set that excludes each other, the member that is written when one must be.
    let mut chosen: Vec<&str> = Vec::new();
    for param in params.iter().filter(|param| param.required) {
        let set: Vec<&str> = match param.one_of {
            "" => vec![param.word],
            label => params.iter().filter(|p| p.one_of == label).map(|p| p.word).collect(),
        };
        if set.first() == Some(&param.word) {
            chosen.push(draw.pick(&set));
        }
    }
    for param in params {
        let taken = !param.one_of.is_empty() && sets.contains(&param.one_of);
        let wanted = match (chosen.contains(&param.word), taken, param.support) {
            (true, ..) => !draw.once_in(32),
            // What excludes each other, and what is refused, is written as an accident only.
            (_, true, _) | (_, _, Support::Never(_)) => draw.once_in(128),
            _ => draw.once_in(16),
        };
        if wanted {
            sets.push(param.one_of);
            job.push_str("   ");
            parameter(draw, param, job);
            job.push_str(" -\n");
        }
    }
}

fn parameter(draw: &mut Draw, param: &'static Param, job: &mut String) {
    if !param.positional {
        let spellings: Vec<&str> = [param.word].into_iter().chain(param.abbrs.iter().copied()).collect();
        job.push_str(draw.pick(&spellings));
    }
    match param.kind {
        Operand::Flag => {}
        Operand::Group(inner) | Operand::Groups(inner) => {
            let twice = matches!(param.kind, Operand::Groups(_));
            job.push_str(if twice { "(( -\n" } else { "( -\n" });
            list(draw, inner, job);
            job.push_str(if twice { "    ))" } else { "    )" });
        }
        kind => {
            let value = value(draw, kind);
            // A positional value stands by itself.
            let bare = param.positional && !value.contains(' ');
            job.push_str(&if bare { value } else { format!("({value})") });
        }
    }
}

fn value(draw: &mut Draw, kind: Operand) -> String {
    match kind {
        Operand::Number { min, max } => number(draw, min, max),
        Operand::Numbers { slots, least } => {
            let count = least + draw.one_of(slots.len() - least + 1);
            let each = slots.iter().take(count.max(1));
            each.map(|(_, min, max)| number(draw, *min, *max))
                .collect::<Vec<_>>()
                .join(" ")
        }
        Operand::Name(form) => name(draw, form),
        Operand::Names { form, max } => {
            let count = 1 + draw.one_of(max.min(3));
            (0..count).map(|_| name(draw, form)).collect::<Vec<_>>().join(" ")
        }
        Operand::Text { .. } => draw.pick(&["TEXT", "'A TEXT'", "'IT''S'", "X"]).to_owned(),
        Operand::Date => draw.pick(&["2030001", "99365", "2022.244", "1999999", "0"]).to_owned(),
        Operand::Key => draw.pick(&["0001", "'A B'", "X'00FF'", "A*", "X'0'"]).to_owned(),
        Operand::KeyRanges => draw.pick(&["A M", "(A M) (N Z)", "A"]).to_owned(),
        Operand::Choice(of) => {
            let words: Vec<&str> = of.iter().map(|choice| choice.0).collect();
            draw.pick(&words).to_owned()
        }
        _ => draw.pick(&["ALL", "1 2", "(X) Y"]).to_owned(),
    }
}

/// The ends of the range more often than what is between, and now and then what is beyond.
fn number(draw: &mut Draw, min: u64, max: u64) -> String {
    match draw.one_of(32) {
        0 => max.saturating_add(1).to_string(),
        1..=3 => max.to_string(),
        4..=6 => min.to_string(),
        7 => format!("X'{:X}'", min.saturating_add(1).min(max)),
        n => min.saturating_add(n as u64 * 7).min(max).to_string(),
    }
}

fn name(draw: &mut Draw, form: NameForm) -> String {
    let of: &[&str] = match form {
        NameForm::Dsname => &NAMES,
        NameForm::Mask if draw.once_in(3) => &MASKS,
        NameForm::Mask => &NAMES,
        NameForm::Symbolic => &[
            "'PAY.&SYSNAME..X'",
            "'PAY.A&SYSCLONE(-1:1)'",
            "PAY.MASTER",
            "'&NONE..A'",
        ],
        NameForm::Ddname => &["IN", "OUT", "NONE"],
        NameForm::Volser | NameForm::AnyVolser | NameForm::VolserMask => &SERIALS,
        NameForm::Word | NameForm::Label => &WORDS,
    };
    draw.pick(of).to_owned()
}
