//! Record formats: how records lie in a file, by their JCL names.

use std::fmt;

/// How records lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RecordFormat {
    /// Records of LRECL bytes, one after the other.
    F,
    /// As [`RecordFormat::F`]: blocks of fixed records leave no trace in a byte stream.
    FB,
    /// Records behind an RDW; one record to a block where there are BDWs.
    V,
    /// Records behind an RDW, blocked behind a BDW.
    VB,
    /// Segments of records behind a segment descriptor word, one segment to a block.
    VS,
    /// Segments of records behind a segment descriptor word, blocked behind a BDW.
    VBS,
    /// Blocks of BLKSIZE bytes without structure, the last one may be shorter; each is a record.
    U,
    /// Lines of text, without their line ends. What a file is when nothing is said about it.
    #[default]
    Text,
}

const NAMES: [(&str, RecordFormat); 10] = [
    ("F", RecordFormat::F),
    ("FS", RecordFormat::F),
    ("FB", RecordFormat::FB),
    ("FBS", RecordFormat::FB),
    ("V", RecordFormat::V),
    ("VB", RecordFormat::VB),
    ("VS", RecordFormat::VS),
    ("VBS", RecordFormat::VBS),
    ("U", RecordFormat::U),
    ("TEXT", RecordFormat::Text),
];

impl RecordFormat {
    /// The format called `name`, in any case. FS and FBS (standard blocks) are F and FB. A final A or M (`FBA`, `VBM`)
    /// is taken and means nothing here: the carriage control character is the first byte of each record and stays
    /// there.
    pub fn parse(name: &str) -> Option<RecordFormat> {
        let upper = name.to_ascii_uppercase();
        let find = |wanted: &str| NAMES.iter().find(|(name, _)| *name == wanted).map(|(_, recfm)| *recfm);
        find(&upper).or_else(|| {
            upper
                .strip_suffix(['A', 'M'])
                .and_then(find)
                .filter(|recfm| *recfm != Self::Text)
        })
    }

    /// Records of one length: F, FB.
    pub fn is_fixed(self) -> bool {
        matches!(self, RecordFormat::F | RecordFormat::FB)
    }

    /// Records behind descriptors: V, VB, VS, VBS.
    pub fn is_variable(self) -> bool {
        matches!(
            self,
            RecordFormat::V | RecordFormat::VB | RecordFormat::VS | RecordFormat::VBS
        )
    }

    /// Several records or segments share a block: FB, VB, VBS.
    pub fn is_blocked(self) -> bool {
        matches!(self, RecordFormat::FB | RecordFormat::VB | RecordFormat::VBS)
    }

    /// A record may go on in the next block: VS, VBS.
    pub fn is_spanned(self) -> bool {
        matches!(self, RecordFormat::VS | RecordFormat::VBS)
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RecordFormat::F => "F",
            RecordFormat::FB => "FB",
            RecordFormat::V => "V",
            RecordFormat::VB => "VB",
            RecordFormat::VS => "VS",
            RecordFormat::VBS => "VBS",
            RecordFormat::U => "U",
            RecordFormat::Text => "TEXT",
        })
    }
}
