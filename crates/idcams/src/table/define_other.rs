//! DEFINE of everything that is not a VSAM data set: groups, aliases, catalogs, space, volumes.

use super::build::*;
use super::common::*;
use super::define::{define, DATA, INDEX};
use super::{NameForm, Operand, Param, Support, Verb, VerbSpec};

const GDG_OBJECT: &[Param] = &[
    NAME,
    number(
        "LIMIT",
        1,
        999,
        "how many generations are kept; above 255 with EXTENDED",
    )
    .abbr(&["LIM"])
    .required(),
    flag("SCRATCH", "delete a generation's data when it rolls off")
        .abbr(&["SCR"])
        .one_of("scratch"),
    flag("NOSCRATCH", "uncatalog it only")
        .abbr(&["NSCR"])
        .one_of("scratch")
        .default("yes"),
    flag("EMPTY", "at the limit all generations roll off")
        .abbr(&["EMP"])
        .one_of("empty"),
    flag("NOEMPTY", "at the limit the oldest rolls off")
        .abbr(&["NEMP"])
        .one_of("empty")
        .default("yes"),
    flag("PURGE", "roll off before the expiration date")
        .abbr(&["PRG"])
        .one_of("purge"),
    flag("NOPURGE", "keep until the expiration date")
        .abbr(&["NPRG"])
        .one_of("purge")
        .default("yes"),
    flag("LIFO", "the group is read newest first")
        .one_of("order")
        .default("yes"),
    flag("FIFO", "the group is read oldest first").one_of("order"),
    flag("EXTENDED", "up to 999 generations")
        .abbr(&["EXT"])
        .one_of("extended"),
    flag("NOEXTENDED", "up to 255 generations")
        .abbr(&["NEXT"])
        .one_of("extended")
        .default("yes"),
    OWNER,
    TO,
    FOR,
];
pub(super) static GDG: VerbSpec = VerbSpec {
    example: "DEFINE GDG (NAME(PAYROLL.HISTORY) LIMIT(5) SCRATCH NOEMPTY)",
    ..define(
        Verb::DefineGenerationDataGroup,
        "DEFINE GENERATIONDATAGROUP",
        &["GDG"],
        GDG_OBJECT,
        &[CATALOG],
        "make a generation data group",
    )
};

const NONVSAM_OBJECT: &[Param] = &[
    NAME,
    names("DEVICETYPES", NameForm::Word, 255, "device types of the volumes")
        .abbr(&["DEVICETYPE", "DEVT"])
        .required(),
    VOLUMES.required(),
    value(
        "FILESEQUENCENUMBERS",
        Operand::Words,
        "position of the data set on each tape",
    )
    .abbr(&["FILESEQUENCENUMBER", "FSEQN"]),
    flag("COLLECTION", "names an object collection").never("there is no object storage"),
    flag("RECATALOG", "make the entry anew")
        .abbr(&["RCTLG"])
        .one_of("recatalog"),
    flag("NORECATALOG", "make a new entry")
        .abbr(&["NRCTLG"])
        .one_of("recatalog")
        .default("yes"),
    OWNER,
    TO,
    FOR,
];
pub(super) static NONVSAM: VerbSpec = VerbSpec {
    example: "DEFINE NONVSAM (NAME(PAYROLL.INPUT) DEVICETYPES(3390) VOLUMES(V39001))",
    ..define(
        Verb::DefineNonvsam,
        "DEFINE NONVSAM",
        &["NVSAM"],
        NONVSAM_OBJECT,
        &[CATALOG],
        "enter a data set not VSAM's",
    )
};

const ALIAS_OBJECT: &[Param] = &[
    NAME,
    name("RELATE", NameForm::Dsname, "entry it is another name of")
        .abbr(&["REL"])
        .required()
        .one_of("relate"),
    name(
        "SYMBOLICRELATE",
        NameForm::Symbolic,
        "name with system symbols that it stands for when it is used",
    )
    .abbr(&["SYM"])
    .required()
    .one_of("relate"),
];
pub(super) static ALIAS: VerbSpec = VerbSpec {
    example: "DEFINE ALIAS (NAME(WAGES.MASTER) RELATE(PAYROLL.MASTER))",
    ..define(
        Verb::DefineAlias,
        "DEFINE ALIAS",
        &[],
        ALIAS_OBJECT,
        &[CATALOG],
        "give an entry another name",
    )
};

/// Parameters that are kept and shown and nothing else: a catalog is one file that is replaced as a whole.
const fn stored<const N: usize>(mut params: [Param; N]) -> [Param; N] {
    let mut i = 0;
    while i < N {
        params[i].support = Support::Stored;
        i += 1;
    }
    params
}

const CATALOG_OBJECT: [Param; 45] = join(&[
    &[NAME],
    &stored(SPACE),
    &stored(PLACE),
    &[
        VOLUMES.required(),
        flag("ICFCATALOG", "catalog of today's form")
            .abbr(&["ICFCAT"])
            .one_of("catalog")
            .default("yes"),
        flag("VOLCATALOG", "catalog of tape volumes")
            .abbr(&["VOLCAT"])
            .one_of("catalog")
            .never(NO_TAPES),
        flag("SUSPEND", "hold requests").one_of("suspend").stored(),
        flag("RESUME", "let requests through").one_of("suspend").default("yes"),
        flag("LOCK", "refuse requests").one_of("lock").stored(),
        flag("UNLOCK", "take requests").one_of("lock").default("yes"),
        OWNER,
        TO,
        FOR,
    ],
    &stored([
        number("STRNO", 2, 255, "requests at the same time"),
        BUFFERSPACE,
        number("BUFND", 3, 255, "data buffers").abbr(&["BFND"]),
        number("BUFNI", 3, 255, "index buffers").abbr(&["BFNI"]),
        FREESPACE,
        RECORDSIZE,
        SHAREOPTIONS,
        CISZ,
        EATTR,
        MODEL,
        FILE,
    ]),
    &CATALOG_WRITECHECK,
    &CLASSES,
    &RECOVERABLE,
    &PASSWORDS,
]);
const CATALOG_COMPONENTS: [Param; 3] = [
    group("DATA", &DATA, "attributes of the data component").stored(),
    group("INDEX", &INDEX, "attributes of the index component")
        .abbr(&["IX"])
        .stored(),
    CATALOG,
];
pub(super) static USERCATALOG: VerbSpec = VerbSpec {
    example: "DEFINE USERCATALOG (NAME(UCAT.PAYROLL) CYLINDERS(5 1) VOLUMES(V39001))",
    ..define(
        Verb::DefineUserCatalog,
        "DEFINE USERCATALOG",
        &["UCAT"],
        &CATALOG_OBJECT,
        &CATALOG_COMPONENTS,
        "make a user catalog",
    )
};
pub(super) static MASTERCATALOG: VerbSpec = VerbSpec {
    example: "DEFINE MASTERCATALOG (NAME(MCAT) CYLINDERS(5 1) VOLUMES(V39001))",
    ..define(
        Verb::DefineMasterCatalog,
        "DEFINE MASTERCATALOG",
        &["MRCAT", "MCAT"],
        &CATALOG_OBJECT,
        &CATALOG_COMPONENTS,
        "give the catalog of the run the name that CATALOG can say",
    )
};

const PAGESPACE_OBJECT: [Param; 17] = join(&[
    &[NAME],
    &SPACE,
    &[
        VOLUMES.required(),
        FILE,
        OWNER,
        MODEL,
        flag("SWAP", "for swapping").one_of("swap"),
        flag("NOSWAP", "for paging").one_of("swap").default("yes"),
        TO,
        FOR,
    ],
    &RECATALOG,
]);
pub(super) static PAGESPACE: VerbSpec = VerbSpec {
    support: Support::Never("no program here pages to a data set; the system has swap space of its own"),
    example: "DEFINE PAGESPACE (NAME(SYS1.PAGE) CYLINDERS(10) VOLUMES(V39001))",
    ..define(
        Verb::DefinePagespace,
        "DEFINE PAGESPACE",
        &["PGSPC"],
        &PAGESPACE_OBJECT,
        &[CATALOG],
        "make a page space",
    )
};

const SPACE_OBJECT: [Param; 12] = join(&[
    &SPACE,
    &PLACE,
    &[
        VOLUMES.required(),
        FILE,
        flag("CANDIDATE", "no space yet").abbr(&["CAN"]),
        RECORDSIZE,
    ],
]);
pub(super) static DATA_SPACE: VerbSpec = VerbSpec {
    support: Support::Never("data spaces are of the catalogs before ICF; each data set has its own extents"),
    example: "DEFINE SPACE (CYLINDERS(10 5) VOLUMES(V39001))",
    ..define(
        Verb::DefineSpace,
        "DEFINE SPACE",
        &["SPC"],
        &SPACE_OBJECT,
        &[CATALOG],
        "set a VSAM data space aside",
    )
};

const VOLUME_OBJECT: &[Param] = &[
    name("NAME", NameForm::Volser, "volume serial, 1 to 6 characters").required(),
    name(
        "DEVICETYPE",
        NameForm::Word,
        "device whose geometry it has: 3330-1 3350 3375 3380 3390 3390-3 9345 FBA",
    )
    .abbr(&["DEVT"])
    .default("3390"),
    number(
        "CYLINDERS",
        1,
        16_777_215,
        "cylinders that the extents of all data sets may take together; no bound when left out",
    )
    .abbr(&["CYLINDER", "CYL"]),
    text(
        "PATH",
        4_096,
        "directory that holds its data sets; made if it does not exist",
    ),
];
pub(super) static VOLUME: VerbSpec = VerbSpec {
    example: "DEFINE VOLUME (NAME(V33301) DEVICETYPE(3330-1) -\n   PATH('/srv/vsam/v33301'))",
    ..define(
        Verb::DefineVolume,
        "DEFINE VOLUME",
        &["VOL"],
        VOLUME_OBJECT,
        &[CATALOG],
        "make a directory known as a volume (Cica's own; z/OS initializes volumes by other means)",
    )
};
