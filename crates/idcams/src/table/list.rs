//! Commands that look and do not change: LISTCAT, VERIFY, EXAMINE, DIAGNOSE.

use super::build::*;
use super::common::*;
use super::{NameForm, Param, Verb, VerbSpec};

const LISTCAT_OPTIONS: &[Param] = &[
    flag("DATA", "data components").abbr(&["D"]),
    flag("INDEX", "index components").abbr(&["IX"]),
    flag("SPACE", "volumes and their space").abbr(&["SPC"]),
    flag("LIBRARYENTRIES", "tape libraries; there are none").abbr(&["LIBENTRIES", "LIBENT"]),
    flag("VOLUMEENTRIES", "tape volumes; there are none").abbr(&["VOLENTRIES", "VOLENT"]),
    names(
        "ENTRIES",
        NameForm::Mask,
        255,
        "these entries; * and ** and % stand for parts",
    )
    .abbr(&["ENTRY", "ENT"])
    .one_of("which"),
    names(
        "LEVEL",
        NameForm::Mask,
        255,
        "all entries whose names begin with these qualifiers",
    )
    .abbr(&["LVL"])
    .one_of("which"),
    number("CREATION", 0, 99_999, "only entries made so many days ago or before").abbr(&["CREAT"]),
    number("EXPIRATION", 0, 99_999, "only entries that expire within so many days").abbr(&["EXPIR"]),
    flag("CDILVL", "add what is encrypted and how")
        .one_of("cdilvl")
        .accepted(),
    flag("NOCDILVL", "leave that out").one_of("cdilvl").default("yes"),
    flag("PREFIX", "with the user's prefix").one_of("prefix").accepted(),
    flag("NOPREFIX", "without it").one_of("prefix").default("yes"),
    flag("NOTUSABLE", "only data sets that are not usable")
        .abbr(&["NUS"])
        .never("no entry is marked as not usable; cica verify finds what is damaged"),
    flag("NAME", "names only")
        .abbr(&["NAMES"])
        .one_of("fields")
        .default("yes"),
    flag("HISTORY", "names, owner, creation, expiration")
        .abbr(&["HIST"])
        .one_of("fields"),
    flag("VOLUME", "history and volumes")
        .abbr(&["VOLUMES", "VOL"])
        .one_of("fields"),
    flag("ALLOCATION", "history, volumes and space")
        .abbr(&["ALLOC"])
        .one_of("fields"),
    flag("ALL", "everything").one_of("fields"),
    name("LIBRARY", NameForm::Word, "tape volumes of a tape library").abbr(&["LIB"]),
    name("OUTFILE", NameForm::Ddname, "list there instead of on SYSPRINT").abbr(&["OFILE"]),
    FILE.accepted(),
    CATALOG,
];
const LISTCAT_PARAMS: [Param; 31] = join(&[&ENTRY_TYPES, LISTCAT_OPTIONS]);
pub(super) static LISTCAT: VerbSpec = VerbSpec {
    abbrs: &["LISTC"],
    example: "LISTCAT LEVEL(PAYROLL) ALL",
    ..VerbSpec::new(Verb::Listcat, "LISTCAT", &LISTCAT_PARAMS, "list catalog entries")
};

const VERIFY_PARAMS: &[Param] = &[
    name("FILE", NameForm::Ddname, "DD name of the data set")
        .one_of("target")
        .required(),
    name("DATASET", NameForm::Dsname, "name of the data set")
        .abbr(&["DS"])
        .one_of("target")
        .required(),
    flag(
        "RECOVER",
        "also examine index and data, and tell what recovery did not mend",
    ),
];
pub(super) static VERIFY: VerbSpec = VerbSpec {
    abbrs: &["VFY"],
    example: "VERIFY DATASET(PAYROLL.MASTER)",
    ..VerbSpec::new(
        Verb::Verify,
        "VERIFY",
        VERIFY_PARAMS,
        "make the catalog agree with the data set's end",
    )
};

const EXAMINE_PARAMS: &[Param] = &[
    name("NAME", NameForm::Dsname, "cluster to examine").required(),
    flag("INDEXTEST", "check the index component")
        .abbr(&["ITEST"])
        .one_of("itest")
        .default("yes"),
    flag("NOINDEXTEST", "do not")
        .abbr(&["NOITEST", "NITEST"])
        .one_of("itest"),
    flag("DATATEST", "check the data component against the index")
        .abbr(&["DTEST"])
        .one_of("dtest"),
    flag("NODATATEST", "do not")
        .abbr(&["NODTEST", "NDTEST"])
        .one_of("dtest")
        .default("yes"),
    number("ERRORLIMIT", 0, 2_147_483_647, "errors shown in detail")
        .abbr(&["ELIMIT"])
        .default("2147483647"),
];
pub(super) static EXAMINE: VerbSpec = VerbSpec {
    example: "EXAMINE NAME(PAYROLL.MASTER) INDEXTEST DATATEST",
    ..VerbSpec::new(
        Verb::Examine,
        "EXAMINE",
        EXAMINE_PARAMS,
        "check the structure of a key-sequenced data set",
    )
};

/// Which entries DIAGNOSE looks at.
const CHOSEN: &[Param] = &[
    names("ENTRIES", NameForm::Mask, 255, "entries")
        .abbr(&["ENT"])
        .one_of("which")
        .required(),
    names("CATALOG", NameForm::Dsname, 99, "entries of these catalogs")
        .abbr(&["CAT"])
        .one_of("which")
        .required(),
    names("LEVEL", NameForm::Mask, 255, "entries below these qualifiers")
        .abbr(&["LVL"])
        .one_of("which")
        .required(),
];
const DIAGNOSE_PARAMS: &[Param] = &[
    flag("ICFCATALOG", "check a catalog")
        .abbr(&["ICFCAT"])
        .one_of("what")
        .required(),
    flag("VVDS", "check the files of a volume, named SYS1.VVDS.Vserial")
        .one_of("what")
        .required(),
    name("INFILE", NameForm::Ddname, "DD name of it")
        .abbr(&["IFILE"])
        .one_of("input")
        .required(),
    name("INDATASET", NameForm::Dsname, "name of it")
        .abbr(&["IDS"])
        .one_of("input")
        .required(),
    names("COMPAREDD", NameForm::Ddname, 99, "compare with these DD names")
        .abbr(&["CMPRDD"])
        .one_of("compare"),
    names(
        "COMPAREDS",
        NameForm::Dsname,
        99,
        "compare with these: SYS1.VVDS.Vserial, or catalogs",
    )
    .abbr(&["CMPRDS"])
    .one_of("compare"),
    flag("DUMP", "dump entries in error")
        .one_of("dump")
        .never("a dump shows the records of a z/OS catalog; LISTCAT and cica show tell what an entry holds here"),
    flag("NODUMP", "do not").one_of("dump").default("yes"),
    group("EXCLUDE", CHOSEN, "leave these out")
        .abbr(&["EXCL"])
        .one_of("select"),
    group("INCLUDE", CHOSEN, "only these").abbr(&["INCL"]).one_of("select"),
    flag("LIST", "list entries without error too").one_of("list"),
    flag("NOLIST", "do not").one_of("list").default("yes"),
    number("ERRORLIMIT", 0, 2_147_483_647, "errors told")
        .abbr(&["ELIMIT"])
        .default("16"),
];
pub(super) static DIAGNOSE: VerbSpec = VerbSpec {
    abbrs: &["DIAG"],
    example: "DIAGNOSE ICFCATALOG INDATASET(UCAT.PAYROLL)",
    ..VerbSpec::new(
        Verb::Diagnose,
        "DIAGNOSE",
        DIAGNOSE_PARAMS,
        "check a catalog against its volumes",
    )
};
