//! The one table of commands and parameters.
//!
//! The parser, `help` and the reference manual all read it, so a parameter cannot be accepted and not documented, or
//! documented and not accepted. Each command has a list of [`Param`]s; a parameter has an [`Operand`], which may
//! be a list of parameters again (DATA(...), MODEL(entry catalog), INFILE(dd ENVIRONMENT(DUMMY))).
//!
//! 1. Words and abbreviations are unique within one list.
//! 2. Positional parameters stand before the others in a list.
//! 3. Parameters with the same `one_of` label exclude each other; when one of them is required, any one will do.

mod alter;
mod common;
mod copy;
mod define;
mod define_other;
mod help;
mod list;
mod modal;
mod other;
mod portable;
pub mod sample;

pub use help::{help, overview, reference_markdown};

/// What a command is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each is the command of that name, described in the table
#[non_exhaustive]
pub enum Verb {
    DefineCluster,
    DefineAlternateIndex,
    DefinePath,
    DefineGenerationDataGroup,
    DefineNonvsam,
    DefineAlias,
    DefineUserCatalog,
    DefineMasterCatalog,
    DefinePagespace,
    DefineSpace,
    DefineVolume,
    Alter,
    Delete,
    Listcat,
    Repro,
    Print,
    Verify,
    Examine,
    Export,
    Import,
    Backup,
    Restore,
    Bldindex,
    Diagnose,
    Dcollect,
    Shcds,
    Allocate,
    CreateLibraryEntry,
    CreateVolumeEntry,
    Binddata,
    Listdata,
    Setcache,
    If,
    Set,
    Do,
    End,
    Cancel,
    Parm,
}

/// How far a command or parameter is obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Obeyed.
    Done,
    /// Checked and kept in the entry, but there is nothing here it could act on (CICA0902I).
    Stored,
    /// Checked, and neither is there anything here it could act on nor an entry to keep it in (CICA0905I).
    Accepted,
    /// Checked; a command with it is refused, because of what it would need (CICA0908E).
    Never(&'static str),
}

/// What form a name has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    /// Data set name: qualifiers of 1-8 characters joined by periods, 44 in all. A password after `/` is dropped.
    Dsname,
    /// Data set name with system symbols, 1-44 characters.
    Symbolic,
    /// Data set name, or name of a member `A.B(M)`, that may have `*`, `**` and `%` in it.
    Mask,
    /// DD name, 1-8 characters.
    Ddname,
    /// Volume serial, 1-6 characters.
    Volser,
    /// Volume serial or `*`, which leaves the choice to the system.
    AnyVolser,
    /// Volume serial that may have `*` and `%` in it.
    VolserMask,
    /// Class, device, program or subsystem name: any word of 1-8 characters.
    Word,
    /// Label of 1-64 characters, upper case.
    Label,
}

/// What stands in the parentheses after a keyword.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    /// Nothing: the keyword stands alone.
    Flag,
    /// One number.
    Number {
        /// Least value.
        min: u64,
        /// Greatest value.
        max: u64,
    },
    /// Several numbers, of which the last may be left out down to `least`.
    Numbers {
        /// Name, least and greatest value of each.
        slots: &'static [(&'static str, u64, u64)],
        /// How many must be written.
        least: usize,
    },
    /// One name.
    Name(NameForm),
    /// One to `max` names.
    Names {
        /// Form of each.
        form: NameForm,
        /// How many at most.
        max: usize,
    },
    /// Text of at most `max` characters; in quotes it keeps case, blanks and everything else.
    Text {
        /// Length in characters.
        max: usize,
    },
    /// A date yyddd, yyyyddd or yyyy.ddd.
    Date,
    /// Characters or X'...', at most 255 bytes.
    Key,
    /// Pairs of keys: (low high) or ((low high) (low high)).
    KeyRanges,
    /// One word of a few; also taken in the abbreviations given.
    Choice(&'static [(&'static str, &'static [&'static str])]),
    /// A list of parameters.
    Group(&'static [Param]),
    /// Several such lists, each in its own parentheses.
    Groups(&'static [Param]),
    /// Anything in balanced parentheses, kept as words.
    Words,
}

/// One parameter of a command or group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// Full keyword; for a positional parameter the name it is asked for by and shown as, in lower case.
    pub word: &'static str,
    /// Other spellings.
    pub abbrs: &'static [&'static str],
    /// What value it has.
    pub kind: Operand,
    /// Known by its place, not by a keyword.
    pub positional: bool,
    /// Label of the set of parameters that exclude each other; empty for none.
    pub one_of: &'static str,
    /// Other keywords it cannot stand together with.
    pub not_with: &'static [&'static str],
    /// Must be written.
    pub required: bool,
    /// How far it is obeyed.
    pub support: Support,
    /// What is assumed when it is not written; empty when nothing is.
    pub default: &'static str,
    /// One line of help.
    pub help: &'static str,
}

/// One command.
#[derive(Debug, PartialEq)]
pub struct VerbSpec {
    /// The verb.
    pub verb: Verb,
    /// Its words: "REPRO", or "DEFINE CLUSTER" for a verb with a second word.
    pub words: &'static str,
    /// Abbreviations of the first word.
    pub abbrs: &'static [&'static str],
    /// Abbreviations of the second word.
    pub object_abbrs: &'static [&'static str],
    /// Parameters in the parentheses after the second word; empty for a verb of one word.
    pub object: &'static [Param],
    /// Parameters that follow.
    pub params: &'static [Param],
    /// How far it is obeyed.
    pub support: Support,
    /// One line of help.
    pub help: &'static str,
    /// Grammar of a modal command, which the parameter lists cannot express; else empty.
    pub grammar: &'static str,
    /// An example that parses.
    pub example: &'static str,
}

/// All commands, functional ones first.
pub static VERBS: &[&VerbSpec] = &[
    &define::CLUSTER,
    &define::ALTERNATEINDEX,
    &define::PATH,
    &define_other::GDG,
    &define_other::NONVSAM,
    &define_other::ALIAS,
    &define_other::USERCATALOG,
    &define_other::MASTERCATALOG,
    &define_other::PAGESPACE,
    &define_other::DATA_SPACE,
    &define_other::VOLUME,
    &alter::ALTER,
    &alter::DELETE,
    &list::LISTCAT,
    &copy::REPRO,
    &copy::PRINT,
    &list::VERIFY,
    &list::EXAMINE,
    &portable::EXPORT,
    &portable::IMPORT,
    &portable::BACKUP,
    &portable::RESTORE,
    &portable::BLDINDEX,
    &list::DIAGNOSE,
    &other::DCOLLECT,
    &other::SHCDS,
    &other::ALLOCATE,
    &other::CREATE_LIBRARYENTRY,
    &other::CREATE_VOLUMEENTRY,
    &other::BINDDATA,
    &other::LISTDATA,
    &other::SETCACHE,
    &modal::IF,
    &modal::SET,
    &modal::DO,
    &modal::END,
    &modal::CANCEL,
    &modal::PARM,
];

impl Verb {
    /// Its entry in the table.
    pub fn spec(self) -> &'static VerbSpec {
        // Every variant has an entry; a test walks all of them. The first stands in so that no path can panic.
        VERBS
            .iter()
            .find(|v| v.verb == self)
            .copied()
            .unwrap_or(&define::CLUSTER)
    }
}

impl VerbSpec {
    const fn new(verb: Verb, words: &'static str, params: &'static [Param], help: &'static str) -> VerbSpec {
        VerbSpec {
            verb,
            words,
            abbrs: &[],
            object_abbrs: &[],
            object: &[],
            params,
            support: Support::Done,
            help,
            grammar: "",
            example: "",
        }
    }

    /// First word.
    pub fn first(&self) -> &'static str {
        self.words.split(' ').next().unwrap_or(self.words)
    }

    /// Second word, such as CLUSTER.
    pub fn second(&self) -> Option<&'static str> {
        self.words.split(' ').nth(1)
    }

    /// Is `word` (upper case) its first word?
    pub fn is_first(&self, word: &str) -> bool {
        self.first() == word || self.abbrs.contains(&word)
    }

    /// Is `word` (upper case) its second word?
    pub fn is_second(&self, word: &str) -> bool {
        self.second() == Some(word) || self.object_abbrs.contains(&word)
    }
}

impl Param {
    const fn new(word: &'static str, kind: Operand, help: &'static str) -> Param {
        Param {
            word,
            abbrs: &[],
            kind,
            positional: false,
            one_of: "",
            not_with: &[],
            required: false,
            support: Support::Done,
            default: "",
            help,
        }
    }

    /// Is `word` (upper case) this keyword or an abbreviation of it?
    pub fn is(&self, word: &str) -> bool {
        !self.positional && (self.word == word || self.abbrs.contains(&word))
    }
}

/// Words the lists below are written in: `names("VOLUMES", ...).abbr(&["VOL"]).required()`.
mod build {
    use super::{NameForm, Operand, Param, Support};

    pub const fn flag(word: &'static str, help: &'static str) -> Param {
        Param::new(word, Operand::Flag, help)
    }

    pub const fn number(word: &'static str, min: u64, max: u64, help: &'static str) -> Param {
        Param::new(word, Operand::Number { min, max }, help)
    }

    pub const fn numbers(
        word: &'static str,
        slots: &'static [(&'static str, u64, u64)],
        least: usize,
        help: &'static str,
    ) -> Param {
        Param::new(word, Operand::Numbers { slots, least }, help)
    }

    pub const fn name(word: &'static str, form: NameForm, help: &'static str) -> Param {
        Param::new(word, Operand::Name(form), help)
    }

    pub const fn names(word: &'static str, form: NameForm, max: usize, help: &'static str) -> Param {
        Param::new(word, Operand::Names { form, max }, help)
    }

    pub const fn text(word: &'static str, max: usize, help: &'static str) -> Param {
        Param::new(word, Operand::Text { max }, help)
    }

    pub const fn choice(
        word: &'static str,
        of: &'static [(&'static str, &'static [&'static str])],
        help: &'static str,
    ) -> Param {
        Param::new(word, Operand::Choice(of), help)
    }

    pub const fn group(word: &'static str, params: &'static [Param], help: &'static str) -> Param {
        Param::new(word, Operand::Group(params), help)
    }

    /// A value of any other kind.
    pub const fn value(word: &'static str, kind: Operand, help: &'static str) -> Param {
        Param::new(word, kind, help)
    }

    impl Param {
        pub(super) const fn abbr(mut self, abbrs: &'static [&'static str]) -> Self {
            self.abbrs = abbrs;
            self
        }

        pub(super) const fn positional(mut self) -> Self {
            self.positional = true;
            self
        }

        pub(super) const fn one_of(mut self, label: &'static str) -> Self {
            self.one_of = label;
            self
        }

        pub(super) const fn not_with(mut self, keywords: &'static [&'static str]) -> Self {
            self.not_with = keywords;
            self
        }

        pub(super) const fn required(mut self) -> Self {
            self.required = true;
            self
        }

        pub(super) const fn stored(mut self) -> Self {
            self.support = Support::Stored;
            self
        }

        pub(super) const fn accepted(mut self) -> Self {
            self.support = Support::Accepted;
            self
        }

        pub(super) const fn never(mut self, reason: &'static str) -> Self {
            self.support = Support::Never(reason);
            self
        }

        pub(super) const fn default(mut self, default: &'static str) -> Self {
            self.default = default;
            self
        }

        pub(super) const fn help(mut self, help: &'static str) -> Self {
            self.help = help;
            self
        }
    }
}
