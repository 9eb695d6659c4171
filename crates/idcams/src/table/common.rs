//! Parameters several commands share, and the way lists are joined.

use super::build::*;
use super::{NameForm, Operand, Param, Support};

/// Joins lists of parameters at compile time; `N` is the sum of their lengths.
pub(super) const fn join<const N: usize>(parts: &[&[Param]]) -> [Param; N] {
    let mut all = [flag("", ""); N];
    let (mut n, mut part) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            all[n] = parts[part][i];
            n += 1;
            i += 1;
        }
        part += 1;
    }
    assert!(n == N, "the length given is not the sum");
    all
}

/// The same parameters where no entry keeps them.
pub(super) const fn accepted<const N: usize>(mut params: [Param; N]) -> [Param; N] {
    let mut i = 0;
    while i < N {
        if matches!(params[i].support, Support::Stored) {
            params[i].support = Support::Accepted;
        }
        i += 1;
    }
    params
}

pub(super) const NAME: Param = name("NAME", NameForm::Dsname, "name of the entry, up to 44 characters").required();

/// Why what is about tapes is refused.
pub(super) const NO_TAPES: &str = "there are no tape libraries, tape volumes or catalogs of them";

const QUANTITY: &[(&str, u64, u64)] = &[("primary", 1, 16_777_215), ("secondary", 0, 16_777_215)];

/// How much space; one of the six.
pub(super) const SPACE: [Param; 6] = [
    numbers(
        "BLOCKS",
        QUANTITY,
        1,
        "VSE: space in blocks of 512 bytes on FBA volumes, rounded up to its tracks of 64",
    )
    .abbr(&["BLOCK", "BLK"])
    .one_of("space"),
    numbers(
        "CYLINDERS",
        QUANTITY,
        1,
        "space in cylinders: first extent, then each further one",
    )
    .abbr(&["CYLINDER", "CYL"])
    .one_of("space"),
    numbers(
        "KILOBYTES",
        QUANTITY,
        1,
        "space in units of 1,024 bytes, rounded up to tracks",
    )
    .abbr(&["KB"])
    .one_of("space"),
    numbers(
        "MEGABYTES",
        QUANTITY,
        1,
        "space in units of 1,048,576 bytes, rounded up to tracks",
    )
    .abbr(&["MB"])
    .one_of("space"),
    numbers(
        "RECORDS",
        QUANTITY,
        1,
        "space for so many records of average length, rounded up to tracks",
    )
    .abbr(&["RECORD", "REC"])
    .one_of("space"),
    numbers("TRACKS", QUANTITY, 1, "space in tracks")
        .abbr(&["TRACK", "TRK"])
        .one_of("space"),
];

pub(super) const VOLUMES: Param = names(
    "VOLUMES",
    NameForm::AnyVolser,
    59,
    "volumes the entry may use, in order; * leaves the choice to the system",
)
.abbr(&["VOLUME", "VOL"]);
pub(super) const FILE: Param = name(
    "FILE",
    NameForm::Ddname,
    "DD statement that mounts the volume; volumes here are always mounted",
)
.stored();
pub(super) const CATALOG: Param = name(
    "CATALOG",
    NameForm::Dsname,
    "catalog to use instead of the one found by search",
)
.abbr(&["CAT"]);
pub(super) const OWNER: Param = name(
    "OWNER",
    NameForm::Word,
    "user shown as owner by LISTCAT; gives no rights",
);
pub(super) const TO: Param =
    value("TO", Operand::Date, "keep until this date: yyddd, yyyyddd or yyyy.ddd").one_of("retention");
pub(super) const FOR: Param = number("FOR", 0, 93_000, "keep for so many days").one_of("retention");
pub(super) const RECATALOG: [Param; 2] = [
    flag("RECATALOG", "make the entry anew from what is on the volume")
        .abbr(&["RCTLG"])
        .one_of("recatalog"),
    flag("NORECATALOG", "make a new data set")
        .abbr(&["NRCTLG"])
        .one_of("recatalog")
        .default("yes"),
];

const MODEL_PARAMS: &[Param] = &[
    name("entry", NameForm::Dsname, "entry to copy from")
        .positional()
        .required(),
    name("catalog", NameForm::Dsname, "catalog that has it").positional(),
];
pub(super) const MODEL: Param = group(
    "MODEL",
    MODEL_PARAMS,
    "copy attributes of another entry; what is written here wins",
);

pub(super) const KEYS: Param = numbers(
    "KEYS",
    &[("length", 1, 255), ("offset", 0, 32_760)],
    2,
    "length of the key and its offset in the record",
)
.abbr(&["KEY"])
.default("64 0");
pub(super) const RECORDSIZE: Param = numbers(
    "RECORDSIZE",
    &[("average", 1, 16_777_215), ("maximum", 1, 16_777_215)],
    2,
    "average and greatest length of a record",
)
.abbr(&["RECSZ"])
.default("4089 4089");
pub(super) const CISZ: Param = number(
    "CONTROLINTERVALSIZE",
    1,
    32_768,
    "size of a control interval in bytes; chosen when left out",
)
.abbr(&["CISZ", "CNVSZ"]);
pub(super) const FREESPACE: Param = numbers(
    "FREESPACE",
    &[("ci-percent", 0, 100), ("ca-percent", 0, 100)],
    1,
    "percent of each CI, and of each CA, left free by loading",
)
.abbr(&["FSPC"])
.default("0 0");
pub(super) const SHAREOPTIONS: Param = numbers(
    "SHAREOPTIONS",
    &[("cross-region", 1, 4), ("cross-system", 3, 4)],
    1,
    "who may have it open at the same time",
)
.abbr(&["SHAREOPTION", "SHR"])
.default("1 3");
pub(super) const BUFFERSPACE: Param =
    number("BUFFERSPACE", 0, 16_776_704, "least bytes of buffers an open gets").abbr(&["BUFSPC", "BUFSP"]);
pub(super) const EXCEPTIONEXIT: Param = name("EXCEPTIONEXIT", NameForm::Word, "program called for I/O errors")
    .abbr(&["EEXT"])
    .stored();

pub(super) const REUSE: [Param; 2] = [
    flag("REUSE", "may be opened again as if empty")
        .abbr(&["RUS"])
        .one_of("reuse"),
    flag("NOREUSE", "keeps its records")
        .abbr(&["NRUS"])
        .one_of("reuse")
        .default("yes"),
];
pub(super) const SPANNED: [Param; 2] = [
    flag("SPANNED", "a record may be longer than a control interval")
        .abbr(&["SPND"])
        .one_of("spanned"),
    flag("NONSPANNED", "a record fits into a control interval")
        .abbr(&["NSPND"])
        .one_of("spanned")
        .default("yes"),
];
pub(super) const SPEED: [Param; 2] = [
    flag("SPEED", "load without formatting control areas first").one_of("speed"),
    flag("RECOVERY", "format control areas before loading them")
        .abbr(&["RCVY"])
        .one_of("speed")
        .default("yes"),
];
pub(super) const ERASE: [Param; 2] = [
    flag("ERASE", "overwrite with zeros when deleted")
        .abbr(&["ERAS"])
        .one_of("erase"),
    flag("NOERASE", "free the space only")
        .abbr(&["NERAS"])
        .one_of("erase")
        .default("yes"),
];
pub(super) const WRITECHECK: [Param; 2] = [
    flag("WRITECHECK", "read what was written back from the device, and compare")
        .abbr(&["WCK"])
        .one_of("writecheck"),
    NOWRITECHECK,
];
/// Of a catalog, which has checksums and is small.
pub(super) const CATALOG_WRITECHECK: [Param; 2] = [
    flag(
        "WRITECHECK",
        "read back what was written; a catalog's checksums do that",
    )
    .abbr(&["WCK"])
    .one_of("writecheck")
    .stored(),
    NOWRITECHECK,
];
const NOWRITECHECK: Param = flag("NOWRITECHECK", "do not read back")
    .abbr(&["NWCK"])
    .one_of("writecheck")
    .default("yes");
/// Obsolete since long, but in many decks.
pub(super) const ORDERED: [Param; 2] = [
    flag("ORDERED", "use volumes in the order named, which is always done")
        .abbr(&["ORD"])
        .one_of("ordered")
        .stored(),
    flag("UNORDERED", "use volumes in any order")
        .abbr(&["UNORD"])
        .one_of("ordered")
        .default("yes"),
];
pub(super) const UNIQUE: [Param; 2] = [
    flag("UNIQUE", "own space; always so")
        .abbr(&["UNQ"])
        .one_of("unique")
        .default("yes"),
    flag("SUBALLOCATION", "part of a data space; own space is given")
        .abbr(&["SUBAL"])
        .one_of("unique")
        .stored(),
];
pub(super) const KEYRANGES: Param = value(
    "KEYRANGES",
    Operand::KeyRanges,
    "spread key ranges over volumes; no longer done",
)
.abbr(&["KEYRANGE", "KRNG"])
.stored();

/// Where data sets were on a mass storage system: taken and kept, there is none.
pub(super) const STAGING: [Param; 5] = [
    flag("STAGE", "staged from mass storage at open")
        .one_of("stage")
        .stored(),
    flag("BIND", "staged and kept on the disk").one_of("stage").stored(),
    flag("CYLINDERFAULT", "staged as it is used")
        .abbr(&["CYLF"])
        .one_of("stage")
        .stored(),
    flag("DESTAGEWAIT", "close waits for the mass storage")
        .abbr(&["DSTGW"])
        .one_of("destage")
        .stored(),
    flag("NODESTAGEWAIT", "close does not wait")
        .abbr(&["NDSTGW"])
        .one_of("destage")
        .stored(),
];

/// Where VSE's data spaces and catalogs begin on a volume, and whether they take all of it.
pub(super) const PLACE: [Param; 2] = [
    number("ORIGIN", 0, 16_777_215, "VSE: first block or track on the volume"),
    flag("DEDICATE", "VSE: all space of the volume").abbr(&["DED"]),
];

pub(super) const COMPRESSED: [Param; 2] = [
    flag(
        "COMPRESSED",
        "what is behind the key of each record is stored compressed",
    )
    .abbr(&["CMP"])
    .one_of("compressed"),
    flag("NOCOMPRESSED", "records are stored as they are")
        .abbr(&["NCMP"])
        .one_of("compressed")
        .default("yes"),
];

/// What VSE's DEFINE CLUSTER has of its own.
pub(super) const VSE: [Param; 4] = [
    value(
        "RECORDFORMAT",
        Operand::Words,
        "VSE: format of the records of a managed sequential file",
    )
    .abbr(&["RECFM"])
    .stored(),
    value("USECLASS", Operand::Words, "VSE: class of the space of a volume")
        .abbr(&["UCLS"])
        .stored(),
    flag("NOALLOCATION", "VSE: no space of its own; it is given all the same")
        .abbr(&["NAL"])
        .stored(),
    flag(
        "DEFAULTVOLUMES",
        "VSE: volumes of the default model; the system chooses",
    )
    .abbr(&["DEFAULTVOLUME", "DFVOL"])
    .stored(),
];

/// Whether a recovery area kept a copy of the catalog's entries.
pub(super) const RECOVERABLE: [Param; 2] = [
    flag(
        "RECOVERABLE",
        "a copy of the entries is kept; the volumes keep one always",
    )
    .abbr(&["RVBL"])
    .one_of("recoverable")
    .stored(),
    flag("NOTRECOVERABLE", "no such copy")
        .abbr(&["NRVBL"])
        .one_of("recoverable")
        .stored(),
];

/// Passwords of catalogs before RACF: taken and kept, never asked for.
pub(super) const PASSWORDS: [Param; 8] = [
    name("MASTERPW", NameForm::Word, "password; not asked for")
        .abbr(&["MRPW"])
        .stored(),
    name("CONTROLPW", NameForm::Word, "password; not asked for")
        .abbr(&["CTLPW"])
        .stored(),
    name("UPDATEPW", NameForm::Word, "password; not asked for")
        .abbr(&["UPDPW"])
        .stored(),
    name("READPW", NameForm::Word, "password; not asked for")
        .abbr(&["RDPW"])
        .stored(),
    name("CODE", NameForm::Word, "name shown when a password is asked for").stored(),
    number("ATTEMPTS", 0, 7, "how often a password may be mistyped")
        .abbr(&["ATTEMPT", "ATT"])
        .stored(),
    group("AUTHORIZATION", AUTHORIZATION, "program that checks the user")
        .abbr(&["AUTH"])
        .stored(),
    flag("NOAUTHORIZATION", "no such program").abbr(&["NAUTH"]),
];
const AUTHORIZATION: &[Param] = &[
    name("entrypoint", NameForm::Word, "its name").positional().required(),
    text("string", 255, "what it is given").positional(),
];

pub(super) const CLASSES: [Param; 3] = [
    name("DATACLASS", NameForm::Word, "SMS data class")
        .abbr(&["DATACLAS"])
        .stored(),
    name("MANAGEMENTCLASS", NameForm::Word, "SMS management class")
        .abbr(&["MGMTCLAS"])
        .stored(),
    name("STORAGECLASS", NameForm::Word, "SMS storage class")
        .abbr(&["STORCLAS"])
        .stored(),
];

/// The attributes that sharing and logging will act on.
pub(super) const RLS: [Param; 8] = [
    choice(
        "LOG",
        &[("NONE", &[]), ("UNDO", &[]), ("ALL", &[])],
        "whether updates can be backed out and redone",
    ),
    name("LOGSTREAMID", NameForm::Dsname, "log stream for forward recovery")
        .abbr(&["LSID"])
        .stored(),
    flag("LOGREPLICATE", "log for replication")
        .abbr(&["LOGREP"])
        .one_of("logreplicate")
        .stored(),
    flag("NOLOGREPLICATE", "no log for replication")
        .abbr(&["NOLOGREP"])
        .one_of("logreplicate")
        .default("yes"),
    choice(
        "FRLOG",
        &[("ALL", &[]), ("NONE", &[]), ("REDO", &[]), ("UNDO", &[])],
        "log of batch updates",
    )
    .stored(),
    choice(
        "BWO",
        &[("TYPECICS", &["TYPEC"]), ("TYPEIMS", &["TYPEI"]), ("NO", &[])],
        "may be backed up while open",
    )
    .stored(),
    flag("RLSQUIESCE", "may not be opened for record-level sharing")
        .abbr(&["RLSQ"])
        .one_of("rlsquiesce"),
    flag("RLSENABLE", "may be opened for record-level sharing")
        .abbr(&["RLSE"])
        .one_of("rlsquiesce"),
];
pub(super) const EATTR: Param = choice(
    "EATTR",
    &[("NO", &[]), ("OPT", &[])],
    "may use space beyond cylinder 65,520 of a volume",
)
.stored();

/// The entry types LISTCAT and DELETE pick by. DELETE takes one of them, LISTCAT any number.
pub(super) const ENTRY_TYPES: [Param; 8] = [
    flag("ALIAS", "aliases"),
    flag("ALTERNATEINDEX", "alternate indexes").abbr(&["AIX"]),
    flag("CLUSTER", "clusters").abbr(&["CL"]),
    flag("GENERATIONDATAGROUP", "generation data groups").abbr(&["GDG"]),
    flag("NONVSAM", "data sets that are not VSAM's").abbr(&["NVSAM"]),
    flag("PAGESPACE", "page spaces").abbr(&["PGSPC"]),
    flag("PATH", "paths"),
    flag("USERCATALOG", "user catalogs").abbr(&["UCAT"]),
];

/// Cica's own: z/OS has a CCSID in ALTER only.
pub(super) const CCSID: Param = number(
    "CCSID",
    0,
    65_535,
    "code page of the characters in records, for PRINT and character keys",
)
.default("819");
