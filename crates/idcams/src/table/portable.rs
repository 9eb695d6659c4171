//! Commands that make a data set from another as a whole: EXPORT, IMPORT, BLDINDEX.

use super::build::*;
use super::common::*;
use super::copy::{ON_DATASET, ON_FILE, YES_NO};
use super::{NameForm, Operand, Param, Verb, VerbSpec};

const EXPORT_PARAMS: &[Param] = &[
    name(
        "entryname",
        NameForm::Dsname,
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
    name("INFILE", NameForm::Ddname, "DD name of the original")
        .abbr(&["IFILE"])
        .accepted(),
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
    choice("RLSSOURCE", YES_NO, "read with record-level sharing")
        .abbr(&["RLSS"])
        .accepted(),
    CATALOG,
];
pub(super) static EXPORT: VerbSpec = VerbSpec {
    abbrs: &["EXP"],
    example: "EXPORT PAYROLL.MASTER OUTFILE(COPY) TEMPORARY",
    ..VerbSpec::new(
        Verb::Export,
        "EXPORT",
        EXPORT_PARAMS,
        "make a portable copy of a data set and its definition",
    )
};

const OBJECT: &[Param] = &accepted([
    name("entryname", NameForm::Dsname, "entry the values are for")
        .positional()
        .required(),
    name("NEWNAME", NameForm::Dsname, "name it gets here").abbr(&["NEWNM"]),
    FILE,
    KEYRANGES,
    ORDERED[0],
    ORDERED[1],
    VOLUMES,
    names("DEVICETYPES", NameForm::Word, 59, "device types of the volumes")
        .abbr(&["DEVICETYPE", "DEVT"])
        .accepted(),
    CLASSES[0],
    CLASSES[1],
    CLASSES[2],
]);
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
        Operand::Groups(OBJECT),
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
    flag("LOCK", "lock the catalog that is connected")
        .one_of("lock")
        .stored(),
    flag("UNLOCK", "unlock it").one_of("lock"),
    flag("PURGE", "replace before the expiration date")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "refuse before it")
        .abbr(&["NPRG"])
        .one_of("purge")
        .default("yes"),
    flag("SAVRAC", "keep security profiles").one_of("savrac").accepted(),
    flag("NOSAVRAC", "do not").one_of("savrac").accepted(),
    CATALOG,
];
pub(super) static IMPORT: VerbSpec = VerbSpec {
    abbrs: &["IMP"],
    example: "IMPORT INFILE(COPY) OUTDATASET(PAYROLL.MASTER)",
    ..VerbSpec::new(
        Verb::Import,
        "IMPORT",
        IMPORT_PARAMS,
        "make a data set from a portable copy",
    )
};

const OLD_AND_NEW: &[Param] = &[
    name("oldname", NameForm::Mask, "name in the copy; may have a *")
        .positional()
        .required(),
    name("newname", NameForm::Mask, "name it gets here; with a * in its place")
        .positional()
        .required(),
];
const BACKUP_PARAMS: &[Param] = &[
    names(
        "entryname",
        NameForm::Mask,
        255,
        "names and masks of what is copied: clusters, alternate indexes, paths, aliases",
    )
    .positional()
    .required(),
    group("OUTFILE", ON_FILE, "DD name of the copy")
        .abbr(&["OFILE"])
        .one_of("output")
        .required(),
    group("OUTDATASET", ON_DATASET, "name of the copy, a NONVSAM data set")
        .abbr(&["ODS"])
        .one_of("output")
        .required(),
    names("EXCLUDE", NameForm::Mask, 100, "but not these"),
    number("COMPRESS", 1, 19, "how hard to compress").default("3"),
    CATALOG,
];
pub(super) static BACKUP: VerbSpec = VerbSpec {
    example: "BACKUP (PAYROLL.**) OUTFILE(COPY)",
    ..VerbSpec::new(
        Verb::Backup,
        "BACKUP",
        BACKUP_PARAMS,
        "copy data sets as they are stored into one portable copy (Cica's own)",
    )
};

const RESTORE_PARAMS: &[Param] = &[
    names(
        "entryname",
        NameForm::Mask,
        255,
        "names and masks of what is restored; without them all",
    )
    .positional(),
    group("INFILE", ON_FILE, "DD name of the copy")
        .abbr(&["IFILE"])
        .one_of("input")
        .required(),
    group("INDATASET", ON_DATASET, "name of the copy, a NONVSAM data set")
        .abbr(&["IDS"])
        .one_of("input")
        .required(),
    names("EXCLUDE", NameForm::Mask, 100, "but not these"),
    value("RENAME", Operand::Groups(OLD_AND_NEW), "other names than in the copy"),
    names(
        "VOLUMES",
        NameForm::AnyVolser,
        59,
        "volumes for all of it, instead of those in the copy",
    )
    .abbr(&["VOL"]),
    flag("REPLACE", "in the place of what has the name").one_of("replace"),
    flag("NOREPLACE", "refuse then").one_of("replace").default("yes"),
    flag("PURGE", "replace before the expiration date")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "refuse before it")
        .abbr(&["NPRG"])
        .one_of("purge")
        .default("yes"),
    flag("TEST", "read and check the copy, and tell what would be restored"),
    CATALOG,
];
pub(super) static RESTORE: VerbSpec = VerbSpec {
    example: "RESTORE (PAYROLL.MASTER) INFILE(COPY) REPLACE",
    ..VerbSpec::new(
        Verb::Restore,
        "RESTORE",
        RESTORE_PARAMS,
        "make data sets from a portable copy, as they were stored (Cica's own)",
    )
};

const DDNAMES: &str = "DD names of the work files";
const BLDINDEX_PARAMS: &[Param] = &[
    name("INFILE", NameForm::Ddname, "DD name of the base")
        .abbr(&["IFILE"])
        .one_of("input")
        .required(),
    name("INDATASET", NameForm::Dsname, "base cluster")
        .abbr(&["IDS"])
        .one_of("input")
        .required(),
    names("OUTFILE", NameForm::Ddname, 255, "DD names of the alternate indexes")
        .abbr(&["OFILE"])
        .one_of("output")
        .required(),
    names("OUTDATASET", NameForm::Dsname, 255, "alternate indexes or paths")
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
    flag("SORTCALL", "use the sort program").one_of("sortcall").accepted(),
    flag("NOSORTCALL", "use our own sort").one_of("sortcall").default("yes"),
    name("SORTDEVICETYPE", NameForm::Word, "device of the sort's work files")
        .abbr(&["SORTDVT", "SORTDEV"])
        .accepted(),
    number("SORTFILENUMBER", 1, 999, "how many of them")
        .abbr(&["SORTFN"])
        .accepted(),
    name("SORTMESSAGEDD", NameForm::Ddname, "DD name of the sort's messages")
        .abbr(&["SORTMDD"])
        .accepted(),
    choice(
        "SORTMESSAGELEVEL",
        &[("ALL", &[]), ("CRITICAL", &["CRI"]), ("NONE", &[])],
        "how much the sort tells",
    )
    .abbr(&["SORTML"])
    .accepted(),
    names("WORKFILES", NameForm::Ddname, 2, DDNAMES)
        .abbr(&["WORKFILE", "WFILES", "WFILE"])
        .default("IDCUT1 IDCUT2"),
    CATALOG,
];
pub(super) static BLDINDEX: VerbSpec = VerbSpec {
    abbrs: &["BIX"],
    example: "BLDINDEX INDATASET(PAYROLL.MASTER) OUTDATASET(PAYROLL.BYNAME)",
    ..VerbSpec::new(
        Verb::Bldindex,
        "BLDINDEX",
        BLDINDEX_PARAMS,
        "fill alternate indexes from their base",
    )
};
