//! Fields of a data set that is not VSAM's.

use super::word;
use crate::listcat::field::{Field, Shown};
use crate::listcat::group::Group;
use crate::listcat::FileFields;

type File = FileFields;

/// VOLSER, DEVTYPE and FSEQN.
pub type FileVolume = (String, String, String);

/// STATUS of a generation that is not VSAM's.
pub static STATUS: Group<File> = Group {
    title: "HISTORY",
    of: " of a data set that is not VSAM's",
    key: "",
    rows: &[&[Field::new(
        "STATUS",
        |f: &File| if f.generation { word("ACTIVE") } else { Shown::Absent },
        "ACTIVE: a generation that its group has",
    )]],
};

/// VOLUMES of a data set that is not VSAM's.
pub static FILE_VOLUMES: Group<FileVolume> = Group {
    title: "VOLUMES",
    of: " of a data set that is not VSAM's",
    key: "volumes",
    rows: &[&[
        Field::new(
            "VOLSER",
            |(serial, ..): &FileVolume| word(serial),
            "serial of the volume",
        ),
        Field::new("DEVTYPE", |(_, device, _): &FileVolume| word(device), "its device type"),
        Field::new(
            "FSEQN",
            |(.., number): &FileVolume| word(number),
            "number of the file on a tape",
        ),
    ]],
};

/// Where its records are.
pub static FILE: Group<File> = Group {
    title: "ATTRIBUTES",
    of: " of a data set that is not VSAM's",
    key: "",
    rows: &[
        &[Field::new(
            "FILE",
            |f: &File| f.file.as_ref().map_or(Shown::Absent, word),
            "file name or path, where it is not the data set's name",
        )],
        &[Field::new(
            "FORMAT",
            |f: &File| f.format.as_ref().map_or(Shown::Absent, word),
            "RECFM and the like; none: lines of text",
        )],
    ],
};
