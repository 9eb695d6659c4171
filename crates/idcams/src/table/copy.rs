//! Commands that read and write records: REPRO and PRINT.

use super::build::*;
use super::common::*;
use super::{NameForm, Operand, Param, Verb, VerbSpec};

/// How a sequential file is laid out, as VSE and DOS/VS say it; the DD statement or the entry says it here.
const ENVIRONMENT: &[Param] = &[
    flag("DUMMY", "hand ISAM records marked as deleted on")
        .abbr(&["DUM"])
        .accepted(),
    choice(
        "RECORDFORMAT",
        &[
            ("FIXUNB", &["F"]),
            ("FIXBLK", &["FB"]),
            ("VARUNB", &["V"]),
            ("VARBLK", &["VB"]),
            ("SPNUNB", &["S"]),
            ("SPNBLK", &["SB"]),
            ("UNDEF", &["U"]),
        ],
        "format of the records",
    )
    .abbr(&["RECFM"])
    .accepted(),
    number("RECORDSIZE", 1, 16_777_215, "length of a record")
        .abbr(&["RECSZ"])
        .accepted(),
    number("BLOCKSIZE", 1, 16_777_215, "length of a block")
        .abbr(&["BLKSZ"])
        .accepted(),
    value("PRIMEDATADEVICE", Operand::Words, "device of the file")
        .abbr(&["PDEV"])
        .accepted(),
    value("HIGHINDEXDEVICE", Operand::Words, "device of an ISAM file's index")
        .abbr(&["HINDEXDEVICE", "HDEV"])
        .accepted(),
    value(
        "DISPOSITION",
        Operand::Words,
        "VSE: what is done with the file at the end",
    )
    .abbr(&["DISP"])
    .accepted(),
    flag("NOLABEL", "VSE: tape without labels").abbr(&["NLBL"]).accepted(),
    flag("STDLABEL", "VSE: tape with labels").abbr(&["SLBL"]).accepted(),
    flag("NOREWIND", "VSE: tape stays where it is")
        .abbr(&["NREW"])
        .accepted(),
    flag("REWIND", "VSE: tape is rewound").abbr(&["REW"]).accepted(),
    flag("UNLOAD", "VSE: tape is unloaded").abbr(&["UNLD"]).accepted(),
];
pub(super) const ON_FILE: &[Param] = &[
    name("ddname", NameForm::Ddname, "DD name").positional().required(),
    group("ENVIRONMENT", ENVIRONMENT, "how the file is laid out")
        .abbr(&["ENV"])
        .accepted(),
];
pub(super) const ON_DATASET: &[Param] = &[
    name("entryname", NameForm::Mask, "data set name; A.B(M) for a member")
        .positional()
        .required(),
    group("ENVIRONMENT", ENVIRONMENT, "how the file is laid out")
        .abbr(&["ENV"])
        .accepted(),
];

const INPUT: [Param; 2] = [
    group("INFILE", ON_FILE, "DD name of the input")
        .abbr(&["IFILE"])
        .one_of("input")
        .required(),
    group("INDATASET", ON_DATASET, "name of the input data set")
        .abbr(&["IDS"])
        .one_of("input")
        .required(),
];
const OUTPUT: [Param; 2] = [
    group("OUTFILE", ON_FILE, "DD name of the output")
        .abbr(&["OFILE"])
        .one_of("output")
        .required(),
    group("OUTDATASET", ON_DATASET, "name of the output data set")
        .abbr(&["ODS"])
        .one_of("output")
        .required(),
];

const COUNT_MAX: u64 = 2_147_483_647;
/// An address may be beyond 4 GB.
const ADDRESS_MAX: u64 = (1 << 63) - 1;

/// Where to begin and where to end. Begin and end must be of one kind, and COUNT ends a range by itself.
const RANGE: [Param; 8] = [
    value(
        "FROMKEY",
        Operand::Key,
        "begin with this key, or the next higher; ABC* for a generic key",
    )
    .abbr(&["FKEY"])
    .one_of("from")
    .not_with(&["TOADDRESS", "TONUMBER"]),
    number("FROMADDRESS", 0, ADDRESS_MAX, "begin at this RBA")
        .abbr(&["FADDR"])
        .one_of("from")
        .not_with(&["TOKEY", "TONUMBER"]),
    number("FROMNUMBER", 1, COUNT_MAX, "begin with this relative record number")
        .abbr(&["FNUM"])
        .one_of("from")
        .not_with(&["TOKEY", "TOADDRESS"]),
    number("SKIP", 1, COUNT_MAX, "leave out so many records at the beginning").one_of("from"),
    value("TOKEY", Operand::Key, "end after this key").one_of("to"),
    number("TOADDRESS", 0, ADDRESS_MAX, "end after the record at this RBA")
        .abbr(&["TADDR"])
        .one_of("to"),
    number("TONUMBER", 1, COUNT_MAX, "end after this relative record number")
        .abbr(&["TNUM"])
        .one_of("to"),
    number("COUNT", 1, COUNT_MAX, "end after so many records").one_of("to"),
];
pub(super) const YES_NO: &[(&str, &[&str])] = &[("NO", &["N"]), ("YES", &["Y"]), ("QUIESCE", &["Q"])];

/// REPRO CIMODE copies control intervals; what chooses records does not go with it.
const NO_CIMODE: &[&str] = &[
    "FROMKEY",
    "TOKEY",
    "FROMNUMBER",
    "TONUMBER",
    "REPLACE",
    "REUSE",
    "MERGECAT",
    "ENTRIES",
    "LEVEL",
];

const ENCIPHER: &[Param] = &[
    name("EXTERNALKEYNAME", NameForm::Word, "name of the key at the receiver")
        .abbr(&["EKN"])
        .one_of("key"),
    name("INTERNALKEYNAME", NameForm::Word, "name of the key here")
        .abbr(&["IKN"])
        .one_of("key"),
    flag("PRIVATEKEY", "key given by the user")
        .abbr(&["PRIKEY"])
        .one_of("key"),
    number("CIPHERUNIT", 1, 255, "records enciphered together").abbr(&["CPHRUN"]),
    name("DATAKEYFILE", NameForm::Ddname, "DD name of the data key")
        .abbr(&["DKFILE"])
        .one_of("datakey"),
    value("DATAKEYVALUE", Operand::Key, "the data key")
        .abbr(&["DKV"])
        .one_of("datakey"),
    name("SHIPKEYNAMES", NameForm::Word, "keys shipped with the data").abbr(&["SHIPKN"]),
    flag("STOREDATAKEY", "keep the data key with the data")
        .abbr(&["STRDK"])
        .one_of("store"),
    flag("NOSTOREDATAKEY", "do not").abbr(&["NSTRDK"]).one_of("store"),
    value("STOREKEYNAME", Operand::Key, "name of the stored key").abbr(&["STRKN"]),
    value("USERDATA", Operand::Key, "text kept in the header").abbr(&["UDATA"]),
];
const DECIPHER: &[Param] = &[
    value("DATAKEYVALUE", Operand::Key, "the data key")
        .abbr(&["DKV"])
        .one_of("datakey"),
    name("DATAKEYFILE", NameForm::Ddname, "DD name of the data key")
        .abbr(&["DKFILE"])
        .one_of("datakey"),
    name("SYSTEMKEY", NameForm::Word, "key of the system")
        .abbr(&["SYSKEY"])
        .one_of("datakey"),
    name("SYSTEMKEYNAME", NameForm::Word, "name of the key").abbr(&["SYSKN"]),
    name("SYSTEMDATAKEY", NameForm::Word, "enciphered data key").abbr(&["SYSDK"]),
];
const REPRO_OPTIONS: &[Param] = &[
    number("ERRORLIMIT", 0, COUNT_MAX, "end after so many records in error")
        .abbr(&["ELIMIT"])
        .default("4"),
    flag("REPLACE", "a record whose key exists replaces it")
        .abbr(&["REP"])
        .one_of("replace"),
    flag("NOREPLACE", "a record whose key exists is an error")
        .abbr(&["NREP"])
        .one_of("replace")
        .default("yes"),
    flag("REUSE", "empty the output first, if it is REUSE")
        .abbr(&["RUS"])
        .one_of("reuse"),
    flag("NOREUSE", "add to what is there")
        .abbr(&["NRUS"])
        .one_of("reuse")
        .default("yes"),
    flag(
        "CIMODE",
        "copy control intervals as they are, into a file or a linear data set",
    )
    .one_of("cimode")
    .not_with(NO_CIMODE),
    flag("NOCIMODE", "copy records").one_of("cimode").default("yes"),
    flag("DBCS", "check double-byte characters").never("none of the code pages here has double-byte characters"),
    flag("SKIPDBCSCHECK", "do not check them")
        .abbr(&["SKDC"])
        .one_of("dbcscheck")
        .accepted(),
    flag("NODBCSCHECK", "do not check them")
        .abbr(&["NDBC"])
        .one_of("dbcscheck")
        .accepted(),
    value("INSERTSHIFT", Operand::Words, "insert shift characters at these columns")
        .abbr(&["ISHFT"])
        .one_of("shift")
        .never("none of the code pages here has double-byte characters"),
    flag("INSERTALL", "insert shift characters around each record")
        .abbr(&["IALL"])
        .one_of("shift")
        .never("none of the code pages here has double-byte characters"),
    flag("MERGECAT", "move catalog entries")
        .abbr(&["MRGC"])
        .one_of("mergecat"),
    flag("NOMERGECAT", "copy records")
        .abbr(&["NMRGC"])
        .one_of("mergecat")
        .default("yes"),
    names("ENTRIES", NameForm::Mask, 255, "entries MERGECAT moves")
        .abbr(&["ENT"])
        .one_of("which"),
    names("LEVEL", NameForm::Mask, 255, "qualifiers MERGECAT moves")
        .abbr(&["LVL"])
        .one_of("which"),
    value("VOLUMEENTRIES", Operand::Words, "tape volumes MERGECAT moves")
        .abbr(&["VOLENT"])
        .never(NO_TAPES),
    choice(
        "MESSAGELEVEL",
        &[("ALL", &[]), ("SHORT", &[])],
        "how much MERGECAT tells",
    )
    .abbr(&["MLVL"]),
    FILE.accepted(),
    choice("RLSSOURCE", YES_NO, "read the input with record-level sharing")
        .abbr(&["RLSS"])
        .accepted(),
    choice("RLSTARGET", YES_NO, "write the output with record-level sharing")
        .abbr(&["RLST"])
        .accepted(),
    group("ENCIPHER", ENCIPHER, "encipher the records")
        .abbr(&["ENCPHR"])
        .one_of("cipher")
        .never("the keys are held by a cryptographic facility that is not here; encipher the file that REPRO or EXPORT makes"),
    group("DECIPHER", DECIPHER, "decipher the records")
        .abbr(&["DECPHR"])
        .one_of("cipher")
        .never("the keys are held by a cryptographic facility that is not here; decipher the file before"),
];
const REPRO_PARAMS: [Param; 35] = join(&[&INPUT, &OUTPUT, &RANGE, REPRO_OPTIONS]);
pub(super) static REPRO: VerbSpec = VerbSpec {
    example: "REPRO INFILE(CARDS) OUTDATASET(PAYROLL.MASTER)",
    ..VerbSpec::new(Verb::Repro, "REPRO", &REPRO_PARAMS, "copy records")
};

const PRINT_OPTIONS: &[Param] = &[
    flag("CHARACTER", "show characters").abbr(&["CHAR"]).one_of("form"),
    flag("DUMP", "show hexadecimal and characters")
        .one_of("form")
        .default("yes"),
    flag("HEX", "show hexadecimal").one_of("form"),
    name("OUTFILE", NameForm::Ddname, "print there instead of on SYSPRINT").abbr(&["OFILE"]),
    flag("DBCS", "characters may be double-byte").never("none of the code pages here has double-byte characters"),
    flag("SKIPDBCSCHECK", "do not check them")
        .abbr(&["SKDC"])
        .one_of("dbcscheck")
        .accepted(),
    flag("NODBCSCHECK", "do not check them")
        .abbr(&["NDBC"])
        .one_of("dbcscheck")
        .accepted(),
    value(
        "INSERTSHIFT",
        Operand::Words,
        "insert shift characters at these columns",
    )
    .abbr(&["ISHFT"])
    .one_of("shift")
    .never("none of the code pages here has double-byte characters"),
    flag("INSERTALL", "insert shift characters around each record")
        .abbr(&["IALL"])
        .one_of("shift")
        .never("none of the code pages here has double-byte characters"),
    choice("RLSSOURCE", YES_NO, "read with record-level sharing")
        .abbr(&["RLSS"])
        .accepted(),
];
const PRINT_PARAMS: [Param; 20] = join(&[&INPUT, &RANGE, PRINT_OPTIONS]);
pub(super) static PRINT: VerbSpec = VerbSpec {
    example: "PRINT INDATASET(PAYROLL.MASTER) FROMKEY('00001000') COUNT(5) CHARACTER",
    ..VerbSpec::new(Verb::Print, "PRINT", &PRINT_PARAMS, "print records")
};
