//! Commands that read and write records: REPRO, PRINT, EXPORT, IMPORT, BLDINDEX.

use super::build::*;
use super::common::*;
use super::{Form, Kind, Param, Support, Verb, VerbSpec};

const ENVIRONMENT: &[Param] = &[flag("DUMMY", "hand ISAM records marked as deleted on").abbr(&["DUM"])];
const ON_FILE: &[Param] = &[
    name("ddname", Form::Ddname, "DD name").positional().required(),
    group("ENVIRONMENT", ENVIRONMENT, "how ISAM records are taken")
        .abbr(&["ENV"])
        .stored(),
];
const ON_DATASET: &[Param] = &[
    name("entryname", Form::Mask, "data set name; A.B(M) for a member")
        .positional()
        .required(),
    group("ENVIRONMENT", ENVIRONMENT, "how ISAM records are taken")
        .abbr(&["ENV"])
        .stored(),
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
        Kind::Key,
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
    value("TOKEY", Kind::Key, "end after this key").one_of("to"),
    number("TOADDRESS", 0, ADDRESS_MAX, "end after the record at this RBA")
        .abbr(&["TADDR"])
        .one_of("to"),
    number("TONUMBER", 1, COUNT_MAX, "end after this relative record number")
        .abbr(&["TNUM"])
        .one_of("to"),
    number("COUNT", 1, COUNT_MAX, "end after so many records").one_of("to"),
];
const YES_NO: &[(&str, &[&str])] = &[("NO", &["N"]), ("YES", &["Y"]), ("QUIESCE", &["Q"])];

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
    name("EXTERNALKEYNAME", Form::Word, "name of the key at the receiver")
        .abbr(&["EKN"])
        .one_of("key"),
    name("INTERNALKEYNAME", Form::Word, "name of the key here")
        .abbr(&["IKN"])
        .one_of("key"),
    flag("PRIVATEKEY", "key given by the user")
        .abbr(&["PRIKEY"])
        .one_of("key"),
    number("CIPHERUNIT", 1, 255, "records enciphered together").abbr(&["CPHRUN"]),
    name("DATAKEYFILE", Form::Ddname, "DD name of the data key")
        .abbr(&["DKFILE"])
        .one_of("datakey"),
    value("DATAKEYVALUE", Kind::Key, "the data key")
        .abbr(&["DKV"])
        .one_of("datakey"),
    name("SHIPKEYNAMES", Form::Word, "keys shipped with the data").abbr(&["SHIPKN"]),
    flag("STOREDATAKEY", "keep the data key with the data")
        .abbr(&["STRDK"])
        .one_of("store"),
    flag("NOSTOREDATAKEY", "do not").abbr(&["NSTRDK"]).one_of("store"),
    value("STOREKEYNAME", Kind::Key, "name of the stored key").abbr(&["STRKN"]),
    value("USERDATA", Kind::Key, "text kept in the header").abbr(&["UDATA"]),
];
const DECIPHER: &[Param] = &[
    value("DATAKEYVALUE", Kind::Key, "the data key")
        .abbr(&["DKV"])
        .one_of("datakey"),
    name("DATAKEYFILE", Form::Ddname, "DD name of the data key")
        .abbr(&["DKFILE"])
        .one_of("datakey"),
    name("SYSTEMKEY", Form::Word, "key of the system")
        .abbr(&["SYSKEY"])
        .one_of("datakey"),
    name("SYSTEMKEYNAME", Form::Word, "name of the key").abbr(&["SYSKN"]),
    name("SYSTEMDATAKEY", Form::Word, "enciphered data key").abbr(&["SYSDK"]),
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
    flag("CIMODE", "copy control intervals")
        .one_of("cimode")
        .not_with(NO_CIMODE)
        .not_yet(),
    flag("NOCIMODE", "copy records").one_of("cimode").default("yes"),
    flag("DBCS", "check double-byte characters").not_yet(),
    flag("SKIPDBCSCHECK", "do not check them")
        .abbr(&["SKDC"])
        .one_of("dbcscheck")
        .stored(),
    flag("NODBCSCHECK", "do not check them")
        .abbr(&["NDBC"])
        .one_of("dbcscheck")
        .stored(),
    value("INSERTSHIFT", Kind::Words, "insert shift characters at these columns")
        .abbr(&["ISHFT"])
        .one_of("shift")
        .not_yet(),
    flag("INSERTALL", "insert shift characters around each record")
        .abbr(&["IALL"])
        .one_of("shift")
        .not_yet(),
    flag("MERGECAT", "move catalog entries")
        .abbr(&["MRGC"])
        .one_of("mergecat")
        .not_yet(),
    flag("NOMERGECAT", "copy records")
        .abbr(&["NMRGC"])
        .one_of("mergecat")
        .default("yes"),
    names("ENTRIES", Form::Mask, 255, "entries MERGECAT moves")
        .abbr(&["ENT"])
        .one_of("which")
        .not_yet(),
    names("LEVEL", Form::Mask, 255, "qualifiers MERGECAT moves")
        .abbr(&["LVL"])
        .one_of("which")
        .not_yet(),
    value("VOLUMEENTRIES", Kind::Words, "tape volumes MERGECAT moves")
        .abbr(&["VOLENT"])
        .not_yet(),
    choice(
        "MESSAGELEVEL",
        &[("ALL", &[]), ("SHORT", &[])],
        "how much MERGECAT tells",
    )
    .abbr(&["MLVL"])
    .stored(),
    FILE,
    choice("RLSSOURCE", YES_NO, "read the input with record-level sharing")
        .abbr(&["RLSS"])
        .stored(),
    choice("RLSTARGET", YES_NO, "write the output with record-level sharing")
        .abbr(&["RLST"])
        .stored(),
    group("ENCIPHER", ENCIPHER, "encipher the records")
        .abbr(&["ENCPHR"])
        .one_of("cipher")
        .not_yet(),
    group("DECIPHER", DECIPHER, "decipher the records")
        .abbr(&["DECPHR"])
        .one_of("cipher")
        .not_yet(),
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
    name("OUTFILE", Form::Ddname, "print there instead of on SYSPRINT").abbr(&["OFILE"]),
    flag("DBCS", "characters may be double-byte").not_yet(),
    flag("SKIPDBCSCHECK", "do not check them")
        .abbr(&["SKDC"])
        .one_of("dbcscheck")
        .stored(),
    flag("NODBCSCHECK", "do not check them")
        .abbr(&["NDBC"])
        .one_of("dbcscheck")
        .stored(),
    value("INSERTSHIFT", Kind::Words, "insert shift characters at these columns")
        .abbr(&["ISHFT"])
        .one_of("shift")
        .not_yet(),
    flag("INSERTALL", "insert shift characters around each record")
        .abbr(&["IALL"])
        .one_of("shift")
        .not_yet(),
    choice("RLSSOURCE", YES_NO, "read with record-level sharing")
        .abbr(&["RLSS"])
        .stored(),
];
const PRINT_PARAMS: [Param; 20] = join(&[&INPUT, &RANGE, PRINT_OPTIONS]);
pub(super) static PRINT: VerbSpec = VerbSpec {
    example: "PRINT INDATASET(PAYROLL.MASTER) FROMKEY('00001000') COUNT(5) CHARACTER",
    ..VerbSpec::new(Verb::Print, "PRINT", &PRINT_PARAMS, "print records")
};

const EXPORT_PARAMS: &[Param] = &[
    name(
        "entryname",
        Form::Dsname,
        "cluster or alternate index to export, or catalog to disconnect",
    )
    .positional()
    .required(),
    group("OUTFILE", ON_FILE, "DD name of the copy")
        .abbr(&["OFILE"])
        .one_of("output")
        .required(),
    group("OUTDATASET", ON_DATASET, "name of the copy")
        .abbr(&["ODS"])
        .one_of("output")
        .required(),
    flag("DISCONNECT", "take a user catalog's connection away")
        .abbr(&["DCON"])
        .one_of("output")
        .required(),
    flag("CIMODE", "copy control intervals").abbr(&["CIM"]).one_of("mode"),
    flag("RECORDMODE", "copy records").abbr(&["RECM"]).one_of("mode"),
    flag("ERASE", "overwrite the original when it is deleted")
        .abbr(&["ERAS"])
        .one_of("erase"),
    flag("NOERASE", "do not").abbr(&["NERAS"]).one_of("erase"),
    name("INFILE", Form::Ddname, "DD name of the original").abbr(&["IFILE"]),
    flag("INHIBITSOURCE", "the original may only be read afterwards")
        .abbr(&["INHS"])
        .one_of("inhs"),
    flag("NOINHIBITSOURCE", "it may be changed")
        .abbr(&["NINHS"])
        .one_of("inhs")
        .default("yes"),
    flag("INHIBITTARGET", "the imported copy may only be read")
        .abbr(&["INHT"])
        .one_of("inht"),
    flag("NOINHIBITTARGET", "it may be changed")
        .abbr(&["NINHT"])
        .one_of("inht")
        .default("yes"),
    flag("PURGE", "delete before the expiration date")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "refuse before it")
        .abbr(&["NPRG"])
        .one_of("purge")
        .default("yes"),
    flag("TEMPORARY", "keep the original").abbr(&["TEMP"]).one_of("keep"),
    flag("PERMANENT", "delete the original")
        .abbr(&["PERM"])
        .one_of("keep")
        .default("yes"),
    choice("RLSSOURCE", YES_NO, "read with record-level sharing").abbr(&["RLSS"]),
    CATALOG,
];
pub(super) static EXPORT: VerbSpec = VerbSpec {
    abbrs: &["EXP"],
    support: Support::NotYet,
    example: "EXPORT PAYROLL.MASTER OUTFILE(COPY) TEMPORARY",
    ..VerbSpec::new(
        Verb::Export,
        "EXPORT",
        EXPORT_PARAMS,
        "make a portable copy of a data set and its definition",
    )
};

const OBJECT: &[Param] = &[
    name("entryname", Form::Dsname, "entry the values are for")
        .positional()
        .required(),
    name("NEWNAME", Form::Dsname, "name it gets here").abbr(&["NEWNM"]),
    FILE,
    KEYRANGES,
    ORDERED[0],
    ORDERED[1],
    VOLUMES,
    names("DEVICETYPE", Form::Word, 59, "device type of the catalog's volume").abbr(&["DEVT"]),
    CLASSES[0],
    CLASSES[1],
    CLASSES[2],
];
const IMPORT_PARAMS: &[Param] = &[
    group("INFILE", ON_FILE, "DD name of the copy")
        .abbr(&["IFILE"])
        .one_of("input")
        .required(),
    group("INDATASET", ON_DATASET, "name of the copy")
        .abbr(&["IDS"])
        .one_of("input")
        .required(),
    flag("CONNECT", "connect a user catalog")
        .abbr(&["CON"])
        .one_of("input")
        .required(),
    group("OUTFILE", ON_FILE, "DD name of the data set made")
        .abbr(&["OFILE"])
        .one_of("output"),
    group("OUTDATASET", ON_DATASET, "name of the data set made")
        .abbr(&["ODS"])
        .one_of("output"),
    value(
        "OBJECTS",
        Kind::Groups(OBJECT),
        "other names, volumes and classes than in the copy",
    )
    .abbr(&["OBJ"]),
    flag("ALIAS", "import aliases too").one_of("alias"),
    flag("NOALIAS", "do not").one_of("alias").default("yes"),
    flag("ERASE", "overwrite the old entry when it is deleted")
        .abbr(&["ERAS"])
        .one_of("erase"),
    flag("NOERASE", "do not").abbr(&["NERAS"]).one_of("erase"),
    flag("INTOEMPTY", "into an entry that exists and is empty").abbr(&["IEMPTY"]),
    flag("LOCK", "lock the catalog").one_of("lock"),
    flag("UNLOCK", "unlock it").one_of("lock"),
    flag("PURGE", "replace before the expiration date")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "refuse before it")
        .abbr(&["NPRG"])
        .one_of("purge")
        .default("yes"),
    flag("SAVRAC", "keep security profiles").one_of("savrac").stored(),
    flag("NOSAVRAC", "do not").one_of("savrac").stored(),
    CATALOG,
];
pub(super) static IMPORT: VerbSpec = VerbSpec {
    abbrs: &["IMP"],
    support: Support::NotYet,
    example: "IMPORT INFILE(COPY) OUTDATASET(PAYROLL.MASTER)",
    ..VerbSpec::new(
        Verb::Import,
        "IMPORT",
        IMPORT_PARAMS,
        "make a data set from a portable copy",
    )
};

const DDNAMES: &str = "DD names of the work files";
const BLDINDEX_PARAMS: &[Param] = &[
    name("INFILE", Form::Ddname, "DD name of the base")
        .abbr(&["IFILE"])
        .one_of("input")
        .required(),
    name("INDATASET", Form::Dsname, "base cluster")
        .abbr(&["IDS"])
        .one_of("input")
        .required(),
    names("OUTFILE", Form::Ddname, 255, "DD names of the alternate indexes")
        .abbr(&["OFILE"])
        .one_of("output")
        .required(),
    names("OUTDATASET", Form::Dsname, 255, "alternate indexes or paths")
        .abbr(&["ODS"])
        .one_of("output")
        .required(),
    flag("EXTERNALSORT", "sort in work files")
        .abbr(&["ESORT"])
        .one_of("sort"),
    flag("INTERNALSORT", "sort in memory")
        .abbr(&["ISORT"])
        .one_of("sort")
        .default("yes"),
    flag("SORTCALL", "use the sort program").one_of("sortcall").stored(),
    flag("NOSORTCALL", "use our own sort").one_of("sortcall").default("yes"),
    name("SORTDEVICETYPE", Form::Word, "device of the sort's work files")
        .abbr(&["SORTDVT", "SORTDEV"])
        .stored(),
    number("SORTFILENUMBER", 1, 999, "how many of them")
        .abbr(&["SORTFN"])
        .stored(),
    name("SORTMESSAGEDD", Form::Ddname, "DD name of the sort's messages")
        .abbr(&["SORTMDD"])
        .stored(),
    choice(
        "SORTMESSAGELEVEL",
        &[("ALL", &[]), ("CRITICAL", &["CRI"]), ("NONE", &[])],
        "how much the sort tells",
    )
    .abbr(&["SORTML"])
    .stored(),
    names("WORKFILES", Form::Ddname, 2, DDNAMES)
        .abbr(&["WFILE"])
        .default("IDCUT1 IDCUT2"),
    CATALOG,
];
pub(super) static BLDINDEX: VerbSpec = VerbSpec {
    abbrs: &["BIX"],
    support: Support::NotYet,
    example: "BLDINDEX INDATASET(PAYROLL.MASTER) OUTDATASET(PAYROLL.BYNAME)",
    ..VerbSpec::new(
        Verb::Bldindex,
        "BLDINDEX",
        BLDINDEX_PARAMS,
        "fill alternate indexes from their base",
    )
};
