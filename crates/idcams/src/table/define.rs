//! DEFINE of VSAM data sets: cluster, alternate index, path.

use super::build::*;
use super::common::*;
use super::{NameForm, Param, Verb, VerbSpec};

pub(super) const fn define(
    verb: Verb,
    words: &'static str,
    object_abbrs: &'static [&'static str],
    object: &'static [Param],
    params: &'static [Param],
    help: &'static str,
) -> VerbSpec {
    let spec = VerbSpec::new(verb, words, params, help);
    VerbSpec {
        abbrs: &["DEF"],
        object_abbrs,
        object,
        ..spec
    }
}

/// Why what asks for it is refused.
const DOCUMENTS: &str = "document stores are not VSAM record data sets, and their format is not published";
const UNENCRYPTED: &str =
    "data sets are not encrypted here, and none may pass for one that is; put the volume on an encrypted file system";

/// What may be written at every level and means the component there.
const COMPONENT: [Param; 20] = join(&[
    &SPACE,
    &[VOLUMES, FILE, OWNER, MODEL, SHAREOPTIONS, EXCEPTIONEXIT, CISZ],
    &UNIQUE,
    &STAGING,
]);
const DATA_ONLY: [Param; 14] = join(&[
    &[KEYS, RECORDSIZE, FREESPACE, BUFFERSPACE, KEYRANGES, CCSID],
    &SPANNED,
    &COMPRESSED,
    &SPEED,
    &ERASE,
]);
const PAIRS: [Param; 6] = join(&[&REUSE, &WRITECHECK, &ORDERED]);
const COMPONENT_NAME: Param = name(
    "NAME",
    NameForm::Dsname,
    "name of the component; made from the cluster's when left out",
);

/// Where index records are placed on a disk; nothing a solid-state disk or a cache knows about. But IMBED makes control
/// areas smaller, and old capacity plans count on it.
const INDEX_PLACEMENT: [Param; 4] = [
    flag(
        "IMBED",
        "leave a track of each control area to its sequence set record, which yet lies in the index",
    )
    .abbr(&["IMBD"])
    .one_of("imbed"),
    flag("NOIMBED", "sequence set in the index")
        .abbr(&["NIMBD"])
        .one_of("imbed")
        .default("yes"),
    flag("REPLICATE", "each index record as often as fits on a track")
        .abbr(&["REPL"])
        .one_of("replicate")
        .stored(),
    flag("NOREPLICATE", "each index record once")
        .abbr(&["NREPL"])
        .one_of("replicate")
        .default("yes"),
];

/// The organizations.
const ORGANIZATION: [Param; 5] = [
    flag("INDEXED", "key-sequenced data set (KSDS)")
        .abbr(&["IXD"])
        .one_of("organization")
        .default("yes"),
    flag("NONINDEXED", "entry-sequenced data set (ESDS)")
        .abbr(&["NIXD"])
        .one_of("organization"),
    flag(
        "NUMBERED",
        "relative record data set (RRDS), of variable length (VRRDS) if the average is below the maximum",
    )
    .abbr(&["NUMD"])
    .one_of("organization"),
    flag("LINEAR", "linear data set (LDS)")
        .abbr(&["LIN"])
        .one_of("organization"),
    flag("ZFS", "linear data set for a z/OS file system")
        .one_of("organization")
        .never("a z/OS file system is mounted by z/OS alone"),
];
const CLUSTER_ONLY: [Param; 13] = join(&[
    &ORGANIZATION,
    &[
        TO,
        FOR,
        text("ACCOUNT", 32, "accounting text").abbr(&["ACCT"]).stored(),
        EATTR,
        name("KEYLABEL", NameForm::Label, "key the data set is encrypted with").never(UNENCRYPTED),
        choice("DATABASE", &[("BSON", &[]), ("JSON", &[])], "document store").never(DOCUMENTS),
        text("KEYNAME", 255, "key field of a document")
            .one_of("keyname")
            .never(DOCUMENTS),
        text("KEYNAMEU", 255, "unique key field of a document")
            .one_of("keyname")
            .never(DOCUMENTS),
    ],
]);
const CLUSTER_OBJECT: [Param; 83] = join(&[
    &[NAME],
    &COMPONENT,
    &DATA_ONLY,
    &PAIRS,
    &INDEX_PLACEMENT,
    &CLUSTER_ONLY,
    &VSE,
    &CLASSES,
    &RLS,
    &RECATALOG,
    &PASSWORDS,
]);
pub(super) const DATA: [Param; 49] = join(&[&[COMPONENT_NAME], &COMPONENT, &DATA_ONLY, &PAIRS, &PASSWORDS]);
pub(super) const INDEX: [Param; 39] = join(&[&[COMPONENT_NAME], &COMPONENT, &PAIRS, &INDEX_PLACEMENT, &PASSWORDS]);
const COMPONENTS: [Param; 3] = [
    group(
        "DATA",
        &DATA,
        "attributes of the data component, over those of the cluster",
    ),
    group(
        "INDEX",
        &INDEX,
        "attributes of the index component, over those of the cluster",
    )
    .abbr(&["IX"]),
    CATALOG,
];

pub(super) static CLUSTER: VerbSpec = VerbSpec {
    example: "DEFINE CLUSTER (NAME(PAYROLL.MASTER) CYLINDERS(5 1) VOLUMES(V39001) -\n   KEYS(8 0) RECORDSIZE(200 200) \
              FREESPACE(20 10)) -\n   DATA (NAME(PAYROLL.MASTER.DATA))",
    ..define(
        Verb::DefineCluster,
        "DEFINE CLUSTER",
        &["CL"],
        &CLUSTER_OBJECT,
        &COMPONENTS,
        "make a VSAM data set",
    )
};

const AIX_DATA: [Param; 9] = join(&[
    &[
        KEYS,
        RECORDSIZE.default("4086 32600"),
        FREESPACE,
        BUFFERSPACE,
        KEYRANGES,
    ],
    &SPEED,
    &ERASE,
]);
const AIX_ONLY: [Param; 8] = [
    name("RELATE", NameForm::Dsname, "base cluster it is an index to")
        .abbr(&["REL"])
        .required(),
    flag("UNIQUEKEY", "one record per alternate key")
        .abbr(&["UNQK"])
        .one_of("uniquekey"),
    flag("NONUNIQUEKEY", "many records may share an alternate key")
        .abbr(&["NUNQK"])
        .one_of("uniquekey")
        .default("yes"),
    number(
        "SUPPRESS",
        0,
        255,
        "records whose alternate key is this byte throughout are not in it (Cica's own)",
    ),
    flag("UPGRADE", "kept up to date with its base")
        .abbr(&["UPG"])
        .one_of("upgrade")
        .default("yes"),
    flag("NOUPGRADE", "not kept up to date")
        .abbr(&["NUPG"])
        .one_of("upgrade"),
    TO,
    FOR,
];
const AIX_OBJECT: [Param; 61] = join(&[
    &[NAME],
    &AIX_ONLY,
    &COMPONENT,
    &AIX_DATA,
    &PAIRS,
    &INDEX_PLACEMENT,
    &CLASSES,
    &RECATALOG,
    &PASSWORDS,
]);
pub(super) static ALTERNATEINDEX: VerbSpec = VerbSpec {
    example:
        "DEFINE AIX (NAME(PAYROLL.BYNAME) RELATE(PAYROLL.MASTER) -\n   KEYS(20 30) TRACKS(5 5) NONUNIQUEKEY UPGRADE)",
    ..define(
        Verb::DefineAlternateIndex,
        "DEFINE ALTERNATEINDEX",
        &["AIX"],
        &AIX_OBJECT,
        &COMPONENTS,
        "make an alternate index",
    )
};

const PATH_OBJECT: [Param; 19] = join(&[
    &[
        NAME,
        name("PATHENTRY", NameForm::Dsname, "alternate index or cluster it leads to")
            .abbr(&["PENT"])
            .required(),
        flag("UPDATE", "opening it opens the upgrade set")
            .abbr(&["UPD"])
            .one_of("update")
            .default("yes"),
        flag("NOUPDATE", "opening it leaves the upgrade set alone")
            .abbr(&["NUPD"])
            .one_of("update"),
        MODEL,
        OWNER,
        TO,
        FOR,
        FILE.accepted(),
    ],
    &RECATALOG,
    &accepted(PASSWORDS),
]);
pub(super) static PATH: VerbSpec = VerbSpec {
    example: "DEFINE PATH (NAME(PAYROLL.NAMES) PATHENTRY(PAYROLL.BYNAME))",
    ..define(
        Verb::DefinePath,
        "DEFINE PATH",
        &[],
        &PATH_OBJECT,
        &[CATALOG],
        "name the way through an alternate index to its base",
    )
};
