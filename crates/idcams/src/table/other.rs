//! Commands about storage, sharing and devices. DCOLLECT, SHCDS and ALLOCATE are carried out, the others refused.

use super::build::*;
use super::common::*;
use super::{NameForm, Operand, Param, Support, Verb, VerbSpec};

const fn never(
    verb: Verb,
    words: &'static str,
    params: &'static [Param],
    help: &'static str,
    reason: &'static str,
) -> VerbSpec {
    VerbSpec {
        support: Support::Never(reason),
        ..VerbSpec::new(verb, words, params, help)
    }
}

/// What there is none of.
const NO_HSM: &str = "nothing is migrated or backed up by the system, so there is nothing to tell of; leave it out";
const NO_CONTROL_UNIT: &str = "disks have no control unit with a cache that programs see";

const DCOLLECT_PARAMS: &[Param] = &[
    name("OUTFILE", NameForm::Ddname, "DD name of the records")
        .abbr(&["OFILE"])
        .one_of("output")
        .required(),
    name("OUTDATASET", NameForm::Dsname, "data set of the records")
        .abbr(&["ODS"])
        .one_of("output")
        .required(),
    names("VOLUMES", NameForm::VolserMask, 255, "volumes to tell of").abbr(&["VOLUME", "VOL"]),
    names("STORAGEGROUP", NameForm::Word, 255, "storage groups to tell of")
        .abbr(&["STOGROUP", "STG"])
        .never("there are no storage groups; name VOLUMES"),
    flag("NODATAINFO", "leave data sets out").abbr(&["NOD"]),
    flag("NOVOLUMEINFO", "leave volumes out").abbr(&["NOV"]),
    flag("MIGRATEDATA", "migrated data sets").abbr(&["MIGD"]).never(NO_HSM),
    flag("BACKUPDATA", "backups").abbr(&["BACD"]).never(NO_HSM),
    flag("CAPPLANDATA", "capacity planning").abbr(&["CAPD"]).never(NO_HSM),
    name("SMSDATA", NameForm::Dsname, "SMS definitions")
        .abbr(&["SMS"])
        .never("there are no SMS constructs to tell of"),
    flag("MIGRSNAPALL", "snapshot of migration")
        .abbr(&["MSALL"])
        .one_of("snap")
        .never(NO_HSM),
    flag("MIGRSNAPERR", "the same, errors only")
        .abbr(&["MSERR"])
        .one_of("snap")
        .never(NO_HSM),
    name("EXITNAME", NameForm::Word, "program that sees each record")
        .abbr(&["EXIT"])
        .never("a z/OS exit is a program of that system; read the records from the file"),
    number("ERRORLIMIT", 1, 2_147_483_647, "end after so many errors").abbr(&["ELIMIT"]),
];
pub(super) static DCOLLECT: VerbSpec = VerbSpec {
    abbrs: &["DCOL"],
    example: "DCOLLECT OUTFILE(DCOUT) VOLUMES(V39001) NODATAINFO",
    ..VerbSpec::new(
        Verb::Dcollect,
        "DCOLLECT",
        DCOLLECT_PARAMS,
        "write records about data sets and volumes",
    )
};

const fn function(param: Param) -> Param {
    param.one_of("function").required()
}
const SHCDS_PARAMS: &[Param] = &[
    function(names("LISTDS", NameForm::Mask, 1, "state of a data set")),
    function(value("LISTSUBSYS", Operand::Words, "subsystems that share")),
    function(value("LISTSUBSYSDS", Operand::Words, "data sets of subsystems")),
    function(value("LISTRECOVERY", Operand::Words, "data sets that need recovery")),
    function(flag("LISTALL", "all that needs recovery")),
    function(value("LISTSHUNTED", Operand::Words, "work put aside")),
    function(names("FRSETRR", NameForm::Dsname, 1, "begin forward recovery")),
    function(names("FRRESETRR", NameForm::Dsname, 1, "end forward recovery")),
    function(names("FRUNBIND", NameForm::Dsname, 1, "unbind locks")),
    function(names("FRBIND", NameForm::Dsname, 1, "bind locks")),
    function(names(
        "FRDELETEUNBOUNDLOCKS",
        NameForm::Dsname,
        1,
        "delete unbound locks",
    )),
    function(names(
        "PERMITNONRLSUPDATE",
        NameForm::Dsname,
        1,
        "let others update in spite of locks",
    )),
    function(names("DENYNONRLSUPDATE", NameForm::Dsname, 1, "end that")),
    function(value("REMOVESUBSYS", Operand::Words, "forget a subsystem")),
    function(value(
        "CFREPAIR",
        Operand::Words,
        "catalog entries after a lost structure",
    )),
    function(value("CFRESET", Operand::Words, "take sharing marks from entries")),
    function(names(
        "CFRESETDS",
        NameForm::Dsname,
        255,
        "take sharing marks from data sets",
    )),
    function(value("PURGE", Operand::Words, "give work put aside up")),
    function(value("RETRY", Operand::Words, "try work put aside again")),
    names(
        "SPHERE",
        NameForm::Dsname,
        1,
        "with LISTSHUNTED, RETRY, PURGE: work on this data set",
    ),
    value(
        "URID",
        Operand::Words,
        "with LISTSHUNTED, RETRY, PURGE: the unit with this number, the one in doubt of this name, or ALL",
    ),
    flag("JOBS", "with LISTDS: the jobs that use it"),
    text("OUTFILE", 8, "DD name of the listing").abbr(&["OFILE"]),
];
pub(super) static SHCDS: VerbSpec = VerbSpec {
    example: "SHCDS LISTDS(PAYROLL.MASTER) JOBS",
    ..VerbSpec::new(
        Verb::Shcds,
        "SHCDS",
        SHCDS_PARAMS,
        "list and mend the state of record-level sharing",
    )
};

const AT_ONCE: &str = "nothing waits for the end of a step; DELETE the data set when it is done with";

const ALLOCATE_PARAMS: &[Param] = &[
    text("DATASET", 56, "data set, or a relative generation")
        .abbr(&["DSNAME", "DA", "DSN"])
        .required(),
    name("FILE", NameForm::Ddname, "DD name it gets; made up when left out").abbr(&["DDNAME", "DD", "F", "FI"]),
    flag("OLD", "use alone").one_of("status"),
    flag("SHR", "use with others").one_of("status"),
    flag("MOD", "add at the end").one_of("status"),
    flag("NEW", "make it").one_of("status"),
    value("SYSOUT", Operand::Words, "print class")
        .one_of("status")
        .never("there is no spool; name a data set, or send the listing to a file"),
    flag("KEEP", "keep at the end").one_of("disposition"),
    flag("DELETE", "delete at the end").one_of("disposition").never(AT_ONCE),
    flag("CATALOG", "catalog at the end").one_of("disposition"),
    flag("UNCATALOG", "uncatalog at the end")
        .one_of("disposition")
        .never(AT_ONCE),
    numbers(
        "SPACE",
        &[("primary", 1, 16_777_215), ("secondary", 0, 16_777_215)],
        1,
        "quantities",
    )
    .abbr(&["SP"]),
    flag("CYLINDERS", "quantities are cylinders")
        .abbr(&["CYLINDER", "CYL"])
        .one_of("unit"),
    flag("TRACKS", "quantities are tracks")
        .abbr(&["TRACK", "TRK"])
        .one_of("unit"),
    number("AVBLOCK", 1, 65_535, "quantities are blocks of this length").one_of("unit"),
    number("BLOCK", 1, 65_535, "quantities are blocks of this length").one_of("unit"),
    number("BLKSIZE", 0, 32_760, "block size"),
    number("LRECL", 0, 32_760, "record length"),
    value("RECFM", Operand::Words, "record format, for example F B"),
    choice(
        "RECORG",
        &[("KS", &[]), ("ES", &[]), ("RR", &[]), ("LS", &[])],
        "VSAM organization",
    ),
    number("KEYLEN", 0, 255, "key length"),
    number("KEYOFF", 0, 32_760, "key offset"),
    choice("DSORG", &[("PS", &[]), ("PO", &[]), ("DA", &[])], "organization"),
    number("DIR", 1, 16_777_215, "directory blocks").never("partitioned data sets are directories of the system here"),
    name("UNIT", NameForm::Word, "device").accepted(),
    names("VOLUME", NameForm::Volser, 255, "volumes").abbr(&["VOLUMES", "VOL"]),
    choice(
        "DSNTYPE",
        &[
            ("BASIC", &[]),
            ("LARGE", &[]),
            ("EXTREQ", &[]),
            ("EXTPREF", &[]),
            ("LIBRARY", &[]),
            ("PDS", &[]),
            ("HFS", &[]),
        ],
        "kind of data set; partitioned ones are refused",
    ),
    choice(
        "AVGREC",
        &[("U", &[]), ("K", &[]), ("M", &[])],
        "quantities are so many records, thousands or millions",
    )
    .one_of("unit"),
    name("LIKE", NameForm::Dsname, "data set to take attributes from"),
    name("REFDD", NameForm::Ddname, "DD name to take attributes from").never("name the data set behind it with LIKE"),
    flag("REUSE", "give up what the DD name was").abbr(&["RU"]),
    flag("RELEASE", "give unused space back").abbr(&["RLSE"]).accepted(),
    name("DATACLASS", NameForm::Word, "SMS class")
        .abbr(&["DATACLAS"])
        .accepted(),
    name("MANAGEMENTCLASS", NameForm::Word, "SMS class")
        .abbr(&["MGMTCLAS"])
        .accepted(),
    name("STORAGECLASS", NameForm::Word, "SMS class")
        .abbr(&["STORCLAS"])
        .accepted(),
    number("RETPD", 0, 9999, "days to keep a new data set; 9999 for ever").one_of("retention"),
    value("EXPDT", Operand::Date, "keep a new data set until this date").one_of("retention"),
    flag("INPUT", "to be read").one_of("direction").accepted(),
    flag("OUTPUT", "to be written").one_of("direction").accepted(),
    flag("PRIVATE", "a volume of its own").accepted(),
    flag("PARALLEL", "all volumes mounted at once").accepted(),
    flag("PROTECT", "protected by RACF").accepted(),
    flag("ROUND", "space in whole cylinders").accepted(),
    number("UCOUNT", 1, 255, "how many devices").accepted(),
    number("MAXVOL", 1, 255, "how many volumes at most").accepted(),
    number("VSEQ", 1, 255, "volume to begin with").accepted(),
    number("POSITION", 1, 65_535, "place on a tape").accepted(),
    value("LABEL", Operand::Words, "labels of a tape").accepted(),
    number("BUFNO", 1, 255, "buffers").accepted(),
    number("NCP", 1, 99, "requests at the same time").accepted(),
    value("OPTCD", Operand::Words, "options of the access method").accepted(),
    value("EROPT", Operand::Words, "what a damaged block does").accepted(),
];
pub(super) static ALLOCATE: VerbSpec = VerbSpec {
    abbrs: &["ALLOC"],
    example: "ALLOCATE DATASET(PAYROLL.COPY) FILE(COPY) NEW SPACE(5 1) CYLINDERS",
    ..VerbSpec::new(
        Verb::Allocate,
        "ALLOCATE",
        ALLOCATE_PARAMS,
        "make a data set or give one a DD name",
    )
};

const LIBRARY_OBJECT: &[Param] = &[
    name("NAME", NameForm::Dsname, "name of the entry").required(),
    text("LIBRARYID", 5, "library number").abbr(&["LIBID"]),
    text("LIBDEVTYPE", 8, "device").abbr(&["LIBDTYP"]),
    text("DESCRIPTION", 120, "text").abbr(&["DESC"]),
    value("NUMBERSCRATCHVOLUMES", Operand::Words, "scratch volumes per kind").abbr(&["NUMSCRV"]),
];
pub(super) static CREATE_LIBRARYENTRY: VerbSpec = VerbSpec {
    abbrs: &["CRE"],
    object_abbrs: &["LIBENTRY", "LIBENT"],
    object: LIBRARY_OBJECT,
    example: "CREATE LIBRARYENTRY (NAME(ATLLIB1) LIBRARYID(12345))",
    ..never(
        Verb::CreateLibraryEntry,
        "CREATE LIBRARYENTRY",
        &[CATALOG],
        "enter a tape library",
        NO_TAPES,
    )
};
const VOLUME_OBJECT: &[Param] = &[
    name("NAME", NameForm::Dsname, "name of the entry").required(),
    name("LIBRARYNAME", NameForm::Word, "library it is in").abbr(&["LIBNAME", "LIBNM"]),
    text("MEDIATYPE", 8, "kind of tape").abbr(&["MTYPE"]),
    text("USEATTRIBUTE", 8, "scratch or private").abbr(&["UATTR"]),
    text("OWNERINFORMATION", 64, "text").abbr(&["OWNINFO"]),
];
pub(super) static CREATE_VOLUMEENTRY: VerbSpec = VerbSpec {
    abbrs: &["CRE"],
    object_abbrs: &["VOLENTRY", "VOLENT"],
    object: VOLUME_OBJECT,
    example: "CREATE VOLUMEENTRY (NAME(VT00001) LIBRARYNAME(ATLLIB1))",
    ..never(
        Verb::CreateVolumeEntry,
        "CREATE VOLUMEENTRY",
        &[CATALOG],
        "enter a tape volume",
        NO_TAPES,
    )
};

const BINDDATA_PARAMS: &[Param] = &[
    flag("BIND", "keep in cache").one_of("what").required(),
    flag("UNBIND", "do not").one_of("what").required(),
    name("FILE", NameForm::Ddname, "DD name of the volume").one_of("where"),
    name("VOLUME", NameForm::Volser, "volume")
        .abbr(&["VOL"])
        .one_of("where"),
    name("UNIT", NameForm::Word, "device"),
    value("LOWCCHH", Operand::Key, "first track"),
    value("HIGHCCHH", Operand::Key, "last track"),
];
pub(super) static BINDDATA: VerbSpec = VerbSpec {
    example: "BINDDATA BIND VOLUME(V39001) UNIT(3390)",
    ..never(
        Verb::Binddata,
        "BINDDATA",
        BINDDATA_PARAMS,
        "bind tracks to the cache of a control unit",
        NO_CONTROL_UNIT,
    )
};
const LISTDATA_PARAMS: &[Param] = &[
    flag("COUNTS", "counters").abbr(&["CNT"]).one_of("what"),
    flag("STATUS", "state of the cache").abbr(&["STAT"]).one_of("what"),
    flag("PINNED", "tracks that cannot be written").one_of("what"),
    flag("DSTATUS", "state of devices").one_of("what"),
    flag("SPACE", "space").one_of("what"),
    name("FILE", NameForm::Ddname, "DD name of the volume").one_of("where"),
    name("VOLUME", NameForm::Volser, "volume")
        .abbr(&["VOL"])
        .one_of("where"),
    name("UNIT", NameForm::Word, "device"),
    flag("ALL", "all devices").one_of("scope"),
    flag("DEVICE", "this device").one_of("scope"),
    flag("SUBSYSTEM", "the control unit").abbr(&["SSYS"]).one_of("scope"),
    flag("LEGEND", "with explanations").one_of("legend"),
    flag("NOLEGEND", "without").one_of("legend"),
    name("OUTFILE", NameForm::Ddname, "list there").abbr(&["OFILE"]),
];
pub(super) static LISTDATA: VerbSpec = VerbSpec {
    abbrs: &["LDATA"],
    example: "LISTDATA STATUS VOLUME(V39001) UNIT(3390)",
    ..never(
        Verb::Listdata,
        "LISTDATA",
        LISTDATA_PARAMS,
        "list the counters of a control unit's cache",
        NO_CONTROL_UNIT,
    )
};
const SETCACHE_PARAMS: &[Param] = &[
    name("FILE", NameForm::Ddname, "DD name of the volume").one_of("where"),
    name("VOLUME", NameForm::Volser, "volume")
        .abbr(&["VOL"])
        .one_of("where"),
    name("UNIT", NameForm::Word, "device"),
    flag("DEVICE", "of the device").one_of("scope"),
    flag("SUBSYSTEM", "of the control unit").abbr(&["SSYS"]).one_of("scope"),
    flag("ON", "use the cache").one_of("state"),
    flag("OFF", "do not").one_of("state"),
    flag("PENDINGOFF", "not when it is empty")
        .abbr(&["PEND"])
        .one_of("state"),
    flag("DESTAGE", "write it out").one_of("state"),
    flag("DASDFASTWRITE", "write is complete when cached").abbr(&["DFW"]),
    flag("NVS", "non-volatile cache"),
];
pub(super) static SETCACHE: VerbSpec = VerbSpec {
    abbrs: &["SETC"],
    example: "SETCACHE VOLUME(V39001) UNIT(3390) DEVICE ON",
    ..never(
        Verb::Setcache,
        "SETCACHE",
        SETCACHE_PARAMS,
        "switch the cache of a control unit",
        NO_CONTROL_UNIT,
    )
};
