//! The fields of each record. The standard header, type 30, the type 64 header up to the component name and the names
//! of all fields are IBM's; where the offset behind it is not known here it is ours (COMPAT.md).

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number without a sign, at most the largest there is place for.
    Number,
    /// A number with a sign.
    Signed,
    /// Text in EBCDIC (1047), filled with blanks.
    Text,
    /// Hundredths of a second since midnight.
    Time,
    /// `0cyydddF`, packed.
    Date,
    /// Bits.
    Bits,
}

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// IBM's name.
    pub name: &'static str,
    /// Offset in the record, its length field counted, or in the section that the field is in.
    pub at: usize,
    /// Bytes.
    pub len: usize,
    /// What it holds.
    pub kind: Kind,
    /// What it says.
    pub text: &'static str,
}

/// A kind of record.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Type.
    pub number: u8,
    /// Subtype; 0: it has none.
    pub subtype: u16,
    /// When it is written.
    pub text: &'static str,
    /// Its fields, in order, behind the standard header.
    pub fields: &'static [Field],
    /// Its sections: where each lies is said by fields of the record.
    pub sections: &'static [Section],
}

/// A part of a record that lies where the record says.
#[derive(Debug, PartialEq, Eq)]
pub struct Section {
    /// Offset of what says where it lies: its own offset in 4 bytes, its length in 2, and how many there are in 2.
    pub triplet: usize,
    /// There may be several, each of the same length.
    pub repeated: bool,
    /// What it is about.
    pub text: &'static str,
    /// Its fields, in order, with their offsets in it.
    pub fields: &'static [Field],
}

macro_rules! fields {
    ($($name:literal $at:literal $len:literal $kind:ident $text:literal;)*) => {
        &[$(Field { name: $name, at: $at, len: $len, kind: Kind::$kind, text: $text }),*]
    };
}

/// The standard header of every record. Names are without the type in front.
pub const HEADER: &[Field] = fields! {
    "LEN" 0 2 Number "length of the record";
    "SEG" 2 2 Number "segment, 0";
    "FLG" 4 1 Bits "X'40' there is a subtype: types 30 and 42";
    "RTY" 5 1 Number "type";
    "TME" 6 4 Time "time of day";
    "DTE" 10 4 Date "day";
    "SID" 14 4 Text "system";
};

/// Bytes of the standard header.
pub const HEADER_LEN: usize = 18;

/// All kinds of records that are written.
pub const LAYOUTS: &[Layout] = &[
    Layout {
        number: 7,
        subtype: 0,
        text: "Records were lost before this one",
        fields: fields! {
            "SMF7CNT" 18 2 Number "records lost, at most 65,535";
            "SMF7STM" 20 4 Time "time of the first loss";
            "SMF7STD" 24 4 Date "day of the first loss";
        },
        sections: &[],
    },
    Layout {
        number: 30,
        subtype: 4,
        text: "A step has ended",
        fields: fields! {
            "SMF30WID" 18 4 Text "subsystem";
            "SMF30STP" 22 2 Number "subtype, 4";
            "SMF30SOF" 24 4 Number "offset of the subsystem section";
            "SMF30SLN" 28 2 Number "its length";
            "SMF30SON" 30 2 Number "how many there are";
            "SMF30IOF" 32 4 Number "offset of the identification section";
            "SMF30ILN" 36 2 Number "its length";
            "SMF30ION" 38 2 Number "how many there are";
            "SMF30UOF" 40 4 Number "offset of the I/O activity section";
            "SMF30ULN" 44 2 Number "its length";
            "SMF30UON" 46 2 Number "how many there are";
            "SMF30TOF" 48 4 Number "offset of the completion section";
            "SMF30TLN" 52 2 Number "its length";
            "SMF30TON" 54 2 Number "how many there are";
            "SMF30COF" 56 4 Number "offset of the processor section";
            "SMF30CLN" 60 2 Number "its length";
            "SMF30CON" 62 2 Number "how many there are";
            "SMF30EOF" 96 4 Number "offset of the first EXCP section";
            "SMF30ELN" 100 2 Number "length of each";
            "SMF30EON" 102 2 Number "how many there are";
            "SMF30EOS" 108 4 Number "how many more there are in other records, 0";
        },
        sections: &[
            Section {
                triplet: 24,
                repeated: false,
                text: "Subsystem",
                fields: fields! {
                    "SMF30TYP" 0 2 Number "subtype, 4";
                    "SMF30RVN" 4 2 Text "version of the record, 05";
                    "SMF30PNM" 6 8 Text "product";
                    "SMF30OSL" 14 8 Text "its version";
                    "SMF30SYN" 22 8 Text "system";
                },
            },
            Section {
                triplet: 32,
                repeated: false,
                text: "Identification",
                fields: fields! {
                    "SMF30JBN" 0 8 Text "job";
                    "SMF30PGM" 8 8 Text "program";
                    "SMF30STM" 16 8 Text "step";
                    "SMF30JNM" 32 8 Text "number of the process";
                    "SMF30SIT" 56 4 Time "start of the step";
                    "SMF30STD" 60 4 Date "day of that";
                    "SMF30RST" 64 4 Time "start of the process";
                    "SMF30RSD" 68 4 Date "day of that";
                },
            },
            Section {
                triplet: 40,
                repeated: false,
                text: "I/O activity",
                fields: fields! {
                    "SMF30TEP" 4 4 Number "physical I/Os of all data sets";
                    "SMF30TEX" 64 8 Number "the same";
                },
            },
            Section {
                triplet: 48,
                repeated: false,
                text: "Completion",
                fields: fields! {
                    "SMF30SCC" 0 2 Bits "condition code, or that of a system abend: X'0222' by a signal";
                    "SMF30STI" 2 2 Bits "X'0200' it ended abnormally";
                    "SMF30ARC" 4 4 Number "the signal that ended it";
                },
            },
            Section {
                triplet: 56,
                repeated: false,
                text: "Processor",
                fields: fields! {
                    "SMF30CPT" 4 4 Number "processor time of the process, in hundredths of a second";
                },
            },
            Section {
                triplet: 96,
                repeated: true,
                text: "EXCP, one for each DD",
                fields: fields! {
                    "SMF30DDN" 4 8 Text "DD name; SYS00001 and so on where a data set has none";
                    "SMF30BLK" 12 4 Number "physical I/Os";
                    "SMF30BSZ" 16 2 Number "largest control interval, or block of a sequential file, at most 65,535 bytes";
                    "SMF30XBS" 22 8 Number "physical I/Os";
                },
            },
        ],
    },
    Layout {
        number: 42,
        subtype: 6,
        text: "I/O of a component, at the close of a data set or at the end of an interval",
        fields: fields! {
            "SMF42SSI" 18 4 Text "subsystem";
            "SMF42STY" 22 2 Number "subtype, 6";
            "SMF42NT" 24 2 Number "triplets, 1";
            "SMF42JBN" 28 8 Text "job";
            "S42DSN" 36 44 Text "component";
            "S42DSVOL" 80 6 Text "volume";
            "S42DSTYP" 86 2 Bits "X'0001' data, X'0002' index";
            "S42DSION" 88 4 Number "physical I/Os";
            "S42DSIOR" 92 4 Number "microseconds of a read, on average of those that were timed";
            "S42DSRDT" 96 4 Number "reads that were timed";
        },
        sections: &[],
    },
    Layout {
        number: 42,
        subtype: 15,
        text: "Requests for the shared data sets of a storage class, of an interval or until the server ended",
        fields: fields! {
            "SMF42SSI" 18 4 Text "subsystem";
            "SMF42STY" 22 2 Number "subtype, 15";
            "SMF42NT" 24 2 Number "triplets, 1";
            "SMF42OPS" 28 4 Number "offset of the section";
            "SMF42LPS" 32 2 Number "its length";
            "SMF42NPS" 34 2 Number "how many there are";
        },
        sections: &[Section {
            triplet: 28,
            repeated: false,
            text: "Storage class",
            fields: fields! {
                "SMF42FBC" 18 30 Text "storage class; blank: data sets without one";
                "SMF42FBE" 80 8 Text "system";
                "SMF42FBH" 128 4 Number "requests that met the lock table: those that waited or met another";
                "SMF42FBI" 132 4 Number "true contention: requests that met a record that another has";
                "SMF42FBJ" 136 4 Number "false contention: requests that met another in the same part of the lock table";
                "SMF42FTA" 152 4 Number "splits of control intervals";
                "SMF42FTB" 156 4 Number "splits of control areas";
                "SMF42FIB" 164 4 Number "requests";
                "SMF42FIE" 176 4 Number "control intervals written";
                "SMF42FIF" 180 4 Number "control intervals that requests asked for";
                "SMF42FIG" 184 4 Number "of these, found in the buffer pool";
            },
        }],
    },
    Layout {
        number: 42,
        subtype: 16,
        text: "Requests for a shared data set, of an interval or until the server ended",
        fields: fields! {
            "SMF42SSI" 18 4 Text "subsystem";
            "SMF42STY" 22 2 Number "subtype, 16";
            "SMF42NT" 24 2 Number "triplets, 1";
            "SMF42OPS" 28 4 Number "offset of the section";
            "SMF42LPS" 32 2 Number "its length";
            "SMF42NPS" 34 2 Number "how many there are";
        },
        sections: &[Section {
            triplet: 28,
            repeated: false,
            text: "Data set",
            fields: fields! {
                "SMF42GBB" 16 44 Text "cluster";
                "SMF42GBE" 114 30 Text "storage class";
                "SMF42GBH" 208 8 Text "system";
                "SMF42GBK" 240 4 Number "requests that met the lock table: those that waited or met another";
                "SMF42GBL" 244 4 Number "true contention: requests that met a record that another has";
                "SMF42GBM" 248 4 Number "false contention: requests that met another in the same part of the lock table";
                "SMF42GIB" 288 4 Number "requests";
            },
        }],
    },
    Layout {
        number: 42,
        subtype: 17,
        text: "The lock table of a server, of an interval or until it ended",
        fields: fields! {
            "SMF42SSI" 18 4 Text "subsystem";
            "SMF42STY" 22 2 Number "subtype, 17";
            "SMF42NT" 24 2 Number "triplets, 1";
            "SMF42OPS" 28 4 Number "offset of the section";
            "SMF42LPS" 32 2 Number "its length";
            "SMF42NPS" 34 2 Number "how many there are";
        },
        sections: &[Section {
            triplet: 28,
            repeated: false,
            text: "Lock table",
            fields: fields! {
                "SMF42HBB" 16 16 Text "lock table";
                "SMF42HBC" 32 8 Text "system";
                "SMF42HBD" 48 4 Number "requests";
                "SMF42HBE" 52 4 Number "true contention";
                "SMF42HBF" 56 4 Number "false contention";
            },
        }],
    },
    Layout {
        number: 42,
        subtype: 19,
        text: "The buffer pool of a process, of an interval",
        fields: fields! {
            "SMF42SSI" 18 4 Text "subsystem";
            "SMF42STY" 22 2 Number "subtype, 19";
            "SMF42NT" 24 2 Number "triplets, 1";
            "SMF42OPS" 28 4 Number "offset of the section";
            "SMF42LPS" 32 2 Number "its length";
            "SMF42NPS" 34 2 Number "how many there are";
        },
        sections: &[Section {
            triplet: 28,
            repeated: false,
            text: "Buffer pool",
            fields: fields! {
                "SMF42JPB" 16 8 Text "system";
                "SMF42JP6" 68 4 Number "control intervals written";
                "SMF42JPG" 72 4 Number "looks at how full the pool is";
                "SMF42JPH" 76 4 Number "of these, that found it full";
                "SMF42JPI" 80 4 Number "control intervals that requests asked for";
                "SMF42JP2" 84 4 Number "looks that found 90 percent of it in use, and not all";
                "SMF42JPJ" 88 4 Number "control intervals found in the pool";
                "SMF42JPK" 92 4 Number "percent of the pool in use now";
                "SMF42JPL" 96 4 Number "the least that a look found";
                "SMF42JPM" 100 4 Number "the most that a look found";
            },
        }],
    },
    Layout {
        number: 62,
        subtype: 0,
        text: "A data set is open",
        fields: fields! {
            "SMF62JBN" 18 8 Text "job";
            "SMF62RST" 26 4 Time "start of the process";
            "SMF62RSD" 30 4 Date "day of that";
            "SMF62UIF" 34 8 Text "step";
            "SMF62IND" 42 1 Bits "X'80' the open succeeded";
            "SMF62MC1" 43 1 Bits "X'80' by key, X'04' for input, X'02' for output";
            "SMF62CNM" 44 44 Text "catalog";
            "SMF62DNM" 88 44 Text "data component";
            "SMF62INM" 132 44 Text "index component";
            "SMF62VOL" 176 6 Text "volume of the data component";
            "SMF62CLU" 182 44 Text "cluster";
        },
        sections: &[],
    },
    Layout {
        number: 64,
        subtype: 0,
        text: "A component of a data set, at its close or at the end of an interval",
        fields: fields! {
            "SMF64JBN" 18 8 Text "job";
            "SMF64RST" 26 4 Time "start of the process";
            "SMF64RSD" 30 4 Date "day of that";
            "SMF64UIF" 34 8 Text "step";
            "SMF64RIN" 42 1 Bits "X'80' closed, X'04' an interval has ended and it is open";
            "SMF64DTY" 43 1 Bits "X'80' data, X'40' index";
            "SMF64CNM" 44 44 Text "catalog";
            "SMF64DNM" 88 44 Text "component";
            "SMF64CIS" 132 4 Number "bytes of a control interval";
            "SMF64LRL" 136 4 Number "longest record";
            "SMF64KYL" 140 2 Number "length of the key";
            "SMF64MC1" 142 1 Bits "X'80' by key, X'04' for input, X'02' for output";
            "SMF64NLR" 144 4 Number "logical records at the open";
            "SMF64NDE" 148 4 Number "deletes before the open";
            "SMF64NIN" 152 4 Number "inserts before the open";
            "SMF64NUP" 156 4 Number "updates before the open";
            "SMF64NRE" 160 4 Number "retrieves before the open";
            "SMF64NCI" 164 4 Number "CI splits before the open";
            "SMF64NCA" 168 4 Number "CA splits before the open";
            "SMF64NEX" 172 4 Number "extents at the open";
            "SMF64NEP" 176 4 Number "physical I/Os before the open";
            "SMF64DLR" 180 4 Signed "change of logical records";
            "SMF64DDE" 184 4 Number "deletes";
            "SMF64DIN" 188 4 Number "inserts";
            "SMF64DUP" 192 4 Number "updates";
            "SMF64DRE" 196 4 Number "retrieves";
            "SMF64DCS" 200 4 Number "CI splits";
            "SMF64DAS" 204 4 Number "CA splits";
            "SMF64DEX" 208 4 Signed "change of extents";
            "SMF64DEP" 212 4 Number "control intervals that gets and positionings asked for";
            "SMF64BMH" 216 4 Number "of these, found in the buffer pool: at least so many";
            "SMF64CFH" 220 4 Number "of these, found in a cache structure: 0";
            "SMF64RIO" 224 4 Number "read from the file, for gets, for inserts and ahead of them";
            "SMF64DXP" 228 4 Number "physical I/Os";
            "SMF64DAU" 232 4 Number "control areas reused after reclaim";
            "SMF64HBA" 236 8 Number "end of the used area";
            "SMF64HAR" 244 8 Number "end of the allocated area";
            "SMF64CLU" 252 44 Text "cluster";
        },
        sections: &[],
    },
];

impl Section {
    /// Bytes of one.
    pub fn len(&self) -> usize {
        self.fields.last().map_or(0, |last| last.at + last.len)
    }

    /// Has it no fields?
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl Layout {
    /// The one of a record.
    pub fn of(number: u8, subtype: u16) -> Option<&'static Layout> {
        LAYOUTS
            .iter()
            .find(|layout| layout.number == number && (layout.subtype == 0 || layout.subtype == subtype))
    }

    /// Bytes of a record before its sections.
    pub fn len(&self) -> usize {
        self.fields.last().map_or(HEADER_LEN, |last| last.at + last.len)
    }

    /// Has it no fields of its own?
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}
