//! Modal commands: they decide which commands run and how the input is read.
//!
//! Only PARM has parameters in the sense of this table. The others have a grammar of their own, which
//! [`crate::parser`] knows; here they have the words for help and manual.

use super::build::*;
use super::{Operand, Param, Verb, VerbSpec};

pub(super) static IF: VerbSpec = VerbSpec {
    grammar: "IF {LASTCC | MAXCC} {= | EQ | ^= | NE | > | GT | < | LT | >= | GE | <= | LE} number -\n   \
              THEN [command | DO ... END] -\n   [ELSE [command | DO ... END]]",
    example: "IF LASTCC = 8 THEN SET MAXCC = 0",
    ..VerbSpec::new(
        Verb::If,
        "IF",
        &[],
        "run commands or not, by a condition code, nested up to 10 levels; THEN and ELSE hold what is in their line or \
         continued by -, or a DO; a blank line or a comment without - ends the IF",
    )
};
pub(super) static SET: VerbSpec = VerbSpec {
    grammar: "SET {LASTCC | MAXCC} = number",
    example: "SET MAXCC = 0",
    ..VerbSpec::new(
        Verb::Set,
        "SET",
        &[],
        "set a condition code; above 16 counts as 16, and 16 ends the run",
    )
};
pub(super) static DO: VerbSpec = VerbSpec {
    grammar: "THEN DO\n   commands\nEND",
    example: "IF MAXCC = 0 THEN DO\n   LISTCAT\n   END",
    ..VerbSpec::new(
        Verb::Do,
        "DO",
        &[],
        "begin a group of commands, in the line of THEN or ELSE or in the next",
    )
};
pub(super) static END: VerbSpec = VerbSpec {
    grammar: "END",
    example: "IF MAXCC = 0 THEN DO\n   LISTCAT\n   END",
    ..VerbSpec::new(Verb::End, "END", &[], "end the group begun by DO")
};
pub(super) static CANCEL: VerbSpec = VerbSpec {
    grammar: "CANCEL",
    example: "CANCEL",
    ..VerbSpec::new(Verb::Cancel, "CANCEL", &[], "end the run here with the MAXCC reached")
};

const TEST: &[Param] = &[
    flag("TRACE", "trace").one_of("test").accepted(),
    value("AREAS", Operand::Words, "trace in these parts")
        .one_of("test")
        .accepted(),
    value("FULL", Operand::Words, "full dumps at these points")
        .one_of("test")
        .accepted(),
    flag("OFF", "no trace").one_of("test"),
];
const GRAPHICS: &[Param] = &[
    choice(
        "CHAIN",
        &[
            ("AN", &[]),
            ("HN", &[]),
            ("PN", &[]),
            ("QN", &[]),
            ("RN", &[]),
            ("SN", &[]),
            ("TN", &[]),
        ],
        "print train",
    )
    .one_of("graphics")
    .accepted(),
    text("TABLE", 8, "module with the printable characters")
        .one_of("graphics")
        .accepted(),
];
const PARM_PARAMS: &[Param] = &[
    group("TEST", TEST, "diagnostic output of the program itself"),
    group("GRAPHICS", GRAPHICS, "which characters the printer has"),
    numbers(
        "MARGINS",
        &[("left", 1, 4_096), ("right", 1, 4_096)],
        2,
        "columns read from the next record on",
    )
    .abbr(&["MARG"])
    .default("2 72"),
];
pub(super) static PARM: VerbSpec = VerbSpec {
    example: "PARM MARGINS(1 80)",
    ..VerbSpec::new(
        Verb::Parm,
        "PARM",
        PARM_PARAMS,
        "change how the input is read from here on",
    )
};
