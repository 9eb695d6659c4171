//! ALTER and DELETE.

use super::build::*;
use super::common::*;
use super::{NameForm, Operand, Param, Verb, VerbSpec};

/// Why an ESDS does not become an LDS.
const CONTROL_INFORMATION: &str =
    "control intervals of an entry-sequenced data set have control information, those of a linear one none: REPRO CIMODE";

/// Attributes NULLIFY can take away.
const NULLIFY: &[Param] = &[
    flag("ACCOUNT", "accounting text").abbr(&["ACCT"]),
    value(
        "AUTHORIZATION",
        Operand::Words,
        "checking program: MODULE, or STRING alone",
    )
    .abbr(&["AUTH"]),
    flag("BWO", "backup-while-open"),
    flag("CODE", "password prompt"),
    flag("CONTROLPW", "password").abbr(&["CTLPW"]),
    flag("DATACLASS", "data class").abbr(&["DATACLAS"]),
    flag("EATTR", "extended attributes"),
    flag("EXCEPTIONEXIT", "error exit").abbr(&["EEXT"]),
    flag("LOG", "LOG"),
    flag("LOGSTREAMID", "log stream").abbr(&["LSID"]),
    flag("MANAGEMENTCLASS", "management class").abbr(&["MGMTCLAS"]),
    flag("MASTERPW", "password").abbr(&["MRPW"]),
    flag("OWNER", "owner"),
    flag("READPW", "password").abbr(&["RDPW"]),
    flag("RETENTION", "expiration date").abbr(&["RETN"]),
    flag("STORAGECLASS", "storage class").abbr(&["STORCLAS"]),
    flag("UPDATEPW", "password").abbr(&["UPDPW"]),
];
/// What a reorganized data set gets anew.
const REORGANIZED: &[Param] = &[
    KEYS.help("length and offset of the key; without it that of before, which ORGANIZATION(INDEXED) may need said"),
    RECORDSIZE.help("average and greatest record length; without it those of before"),
    CISZ.help("size of a data control interval; without it that of before, or chosen anew with RECORDSIZE"),
    FREESPACE.help("percent of each CI, and of each CA, left free by loading; without it those of before"),
    flag(
        "COMPRESSED",
        "what is behind the key of each record is stored compressed",
    )
    .abbr(&["CMP"])
    .one_of("compressed"),
    flag("NOCOMPRESSED", "records are stored as they are")
        .abbr(&["NCMP"])
        .one_of("compressed"),
    choice(
        "ORGANIZATION",
        &[
            ("INDEXED", &["IXD"]),
            ("NONINDEXED", &["NIXD"]),
            ("NUMBERED", &["NUMD"]),
        ],
        "how its records are reached",
    )
    .abbr(&["ORG"]),
];
const CHANGES: &[Param] = &[
    group(
        "REORGANIZE",
        REORGANIZED,
        "copy a loaded data set into a new layout, or () for its own (Cica's own)",
    )
    .abbr(&["REORG"]),
    name(
        "NEWNAME",
        NameForm::Mask,
        "new name; with * in both names the part it stands for is kept",
    )
    .abbr(&["NEWNM"]),
    names(
        "ADDVOLUMES",
        NameForm::AnyVolser,
        59,
        "volumes added at the end of the list",
    )
    .abbr(&["ADDVOLUME", "AVOL"]),
    names(
        "REMOVEVOLUMES",
        NameForm::AnyVolser,
        59,
        "unused volumes taken from the list",
    )
    .abbr(&["REMOVEVOLUME", "RVOL"]),
    BUFFERSPACE,
    FREESPACE,
    KEYS.help("length and offset of the key; only while the data set is empty"),
    RECORDSIZE.help("average and greatest record length; only while the data set is empty"),
    SHAREOPTIONS,
    CCSID,
    OWNER,
    group("NULLIFY", NULLIFY, "take attributes away").abbr(&["NULL"]),
    flag("INHIBIT", "may be opened for input only")
        .abbr(&["INH"])
        .one_of("inhibit"),
    flag("UNINHIBIT", "may be opened for output again")
        .abbr(&["UNINH"])
        .one_of("inhibit"),
    flag("RECLAIMCA", "give emptied control areas back").one_of("reclaim"),
    flag("NORECLAIMCA", "leave emptied control areas where they are").one_of("reclaim"),
    flag("UPGRADE", "kept up to date with its base; only before it is built")
        .abbr(&["UPG"])
        .one_of("upgrade"),
    flag("NOUPGRADE", "not kept up to date")
        .abbr(&["NUPG"])
        .one_of("upgrade"),
    flag("UNIQUEKEY", "one record per alternate key; only before it is built")
        .abbr(&["UNQK"])
        .one_of("uniquekey"),
    flag("NONUNIQUEKEY", "many records per alternate key")
        .abbr(&["NUNQK"])
        .one_of("uniquekey"),
    flag("UPDATE", "opening the path opens the upgrade set")
        .abbr(&["UPD"])
        .one_of("update"),
    flag("NOUPDATE", "opening the path leaves it alone")
        .abbr(&["NUPD"])
        .one_of("update"),
    flag("EMPTY", "all generations roll off at the limit")
        .abbr(&["EMP"])
        .one_of("empty"),
    flag("NOEMPTY", "the oldest rolls off at the limit")
        .abbr(&["NEMP"])
        .one_of("empty"),
    flag("SCRATCH", "delete what rolls off")
        .abbr(&["SCR"])
        .one_of("scratch"),
    flag("NOSCRATCH", "uncatalog what rolls off")
        .abbr(&["NSCR"])
        .one_of("scratch"),
    flag("PURGE", "roll off before expiration")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "keep until expiration").abbr(&["NPRG"]).one_of("purge"),
    flag("LIFO", "group read newest first").one_of("order"),
    flag("FIFO", "group read oldest first").one_of("order"),
    number("LIMIT", 1, 999, "generations kept").abbr(&["LIM"]),
    flag("EXTENDED", "up to 999 generations")
        .abbr(&["EXT"])
        .one_of("extended"),
    flag("NOEXTENDED", "up to 255 generations")
        .abbr(&["NEXT"])
        .one_of("extended"),
    flag("ROLLIN", "make a rolled-off generation one of its group again").abbr(&["ROL"]),
    flag("EXTENDEDADDRESSABLE", "linear data set beyond 4 GB, which all are").abbr(&["EXTADDR"]),
    choice("TYPE", &[("LINEAR", &["LIN"])], "make an ESDS a linear data set").never(CONTROL_INFORMATION),
    flag("SUSPEND", "hold requests to the catalog")
        .one_of("suspend")
        .stored(),
    flag("RESUME", "let requests to the catalog through").one_of("suspend"),
    flag("LOCK", "refuse requests to the catalog").one_of("lock").stored(),
    flag("UNLOCK", "take requests to the catalog").one_of("lock"),
    number("STRNO", 2, 255, "requests to the catalog at the same time").stored(),
    number("BUFND", 3, 255, "data buffers of the catalog")
        .abbr(&["BFND"])
        .stored(),
    number("BUFNI", 3, 255, "index buffers of the catalog")
        .abbr(&["BFNI"])
        .stored(),
    TO,
    FOR,
    text("ACCOUNT", 32, "accounting text").abbr(&["ACCT"]).stored(),
    choice(
        "FILEDATA",
        &[("TEXT", &[]), ("BINARY", &[]), ("RECORD", &[])],
        "what a z/OS UNIX file holds",
    )
    .stored(),
    EATTR,
    EXCEPTIONEXIT,
    FILE,
    CATALOG,
];
const PARAMS: [Param; 31 + CHANGES.len()] = join(&[
    &[name(
        "entryname",
        NameForm::Mask,
        "entry to change; A.B.* with NEWNAME for several",
    )
    .positional()
    .required()],
    CHANGES,
    &REUSE,
    &ERASE,
    &WRITECHECK,
    &CLASSES,
    &RLS,
    &STAGING,
    &PASSWORDS,
]);
pub(super) static ALTER: VerbSpec = VerbSpec {
    example: "ALTER PAYROLL.MASTER NEWNAME(PAYROLL.OLD)",
    ..VerbSpec::new(Verb::Alter, "ALTER", &PARAMS, "change attributes of an entry")
};

/// Each entry type, of which one may be given.
const fn one_type<const N: usize>(mut types: [Param; N]) -> [Param; N] {
    let mut i = 0;
    while i < N {
        types[i].one_of = "type";
        i += 1;
    }
    types
}
const DELETE_OPTIONS: &[Param] = &[
    flag("LIBRARYENTRY", "tape library")
        .abbr(&["LIBENTRY", "LIBENT"])
        .one_of("type")
        .never(NO_TAPES),
    flag("VOLUMEENTRY", "tape volume")
        .abbr(&["VOLENTRY", "VOLENT"])
        .one_of("type")
        .never(NO_TAPES),
    flag("MASTERCATALOG", "catalog of the run")
        .abbr(&["MRCAT", "MCAT"])
        .one_of("type")
        .never("the catalog of a run is not deleted from within; remove its directory when nothing is in it"),
    flag("NVR", "file of a non-VSAM data set that no catalog names").one_of("type"),
    flag("VVR", "component that no catalog names").one_of("type"),
    flag(
        "TRUENAME",
        "alternate index, path or alias that leads to what is not there",
    )
    .abbr(&["TNAME"])
    .one_of("type"),
    flag("SPACE", "data space")
        .abbr(&["SPC"])
        .one_of("type")
        .never("data spaces are of the catalogs before ICF; DELETE the data sets"),
    flag("VOLUME", "volume; its data sets must be deleted first (Cica's own)")
        .abbr(&["VOL"])
        .one_of("type"),
    flag("ERASE", "overwrite with zeros, whatever the entry says")
        .abbr(&["ERAS"])
        .one_of("erase"),
    flag("NOERASE", "do not overwrite, whatever the entry says")
        .abbr(&["NERAS"])
        .one_of("erase"),
    flag("PURGE", "delete before the expiration date")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "refuse before the expiration date")
        .abbr(&["NPRG"])
        .one_of("purge")
        .default("yes"),
    flag("SCRATCH", "delete the data too")
        .abbr(&["SCR"])
        .one_of("scratch")
        .default("yes"),
    flag("NOSCRATCH", "take the entry out of the catalog only")
        .abbr(&["NSCR"])
        .one_of("scratch"),
    flag(
        "FORCE",
        "delete a catalog that is not empty, or a group with its generations",
    )
    .abbr(&["FRC"])
    .one_of("force"),
    flag("NOFORCE", "refuse if not empty")
        .abbr(&["NFRC"])
        .one_of("force")
        .default("yes"),
    flag("MASK", "the name may match many entries").one_of("mask"),
    flag(
        "NOMASK",
        "at most one * for a whole qualifier; any other name that matches several is refused",
    )
    .one_of("mask")
    .default("yes"),
    names("EXCLUDE", NameForm::Mask, 100, "entries MASK leaves alone"),
    flag("TEST", "show what would be deleted and delete nothing"),
    flag("IGNOREERROR", "VSE: delete what cannot be read too")
        .abbr(&["IGNERR"])
        .never("DELETE removes what cannot be read anyway; leave it out"),
    flag("RECOVERY", "catalog or group goes, and its data stay on the volumes")
        .abbr(&["RCVRY", "RVR"])
        .one_of("recovery"),
    flag("NORECOVERY", "it is not")
        .abbr(&["NRCVRY", "NRVR"])
        .one_of("recovery")
        .default("yes"),
    flag("NODISCONNECT", "leave the catalog connected")
        .abbr(&["NODISCON"])
        .never("a catalog without its data set cannot stay connected"),
    FILE.accepted(),
    CATALOG,
];
const DELETE_PARAMS: [Param; 35] = join(&[
    &[names(
        "entryname",
        NameForm::Mask,
        100,
        "entries to delete: one, or a list in parentheses",
    )
    .positional()
    .required()],
    &one_type(ENTRY_TYPES),
    DELETE_OPTIONS,
]);
pub(super) static DELETE: VerbSpec = VerbSpec {
    abbrs: &["DEL"],
    example: "DELETE (PAYROLL.MASTER PAYROLL.OLD) CLUSTER PURGE",
    ..VerbSpec::new(Verb::Delete, "DELETE", &DELETE_PARAMS, "delete entries and their data")
};
