//! Sorts the records of a sequential file by key, for a load.
//!
//! All records are in memory at once, converted to the code page of the data set, because that decides their order.
//! Records of equal keys stay in the order they had. The sorted file is taken away when it is dropped.

use crate::failure::{Failure, Status};
use cica_disk::FileReader;
use cica_messages as messages;
use cica_qsam::{Attributes, Bdw, CodePage, DdText, Reader, RecordFormat, Writer};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What decides the order.
#[derive(Debug, Clone, Copy)]
pub struct SortKey {
    /// Offset of the key in the record.
    pub offset: usize,
    /// Its length.
    pub length: usize,
    /// Code page of the data set, 0 = ASCII.
    pub ccsid: u16,
}

/// A sorted copy of a file.
pub struct Sorted {
    path: PathBuf,
    attributes: Attributes,
}

impl Sorted {
    /// How it is read.
    pub fn text(&self) -> DdText {
        let target = self.path.to_string_lossy().into_owned();
        DdText {
            target,
            attributes: self.attributes,
            attributes_stated: true,
            behind: false,
        }
    }
}

impl Drop for Sorted {
    fn drop(&mut self) {
        // A copy that stays is untidy, not wrong.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A copy of the file of `text` in the order of `shape`.
pub fn sorted(text: &DdText, shape: SortKey) -> Result<Sorted, Failure> {
    let place = |e: Failure| e.at(&text.target);
    let system = |e: io::Error| place(Failure::new(Status::UNUSABLE, &messages::CICA0941E, e));
    let file = FileReader::open(&*cica_session::outside(), Path::new(&text.target)).map_err(system)?;
    let page = CodePage::from_ccsid(shape.ccsid).unwrap_or(CodePage::Iso8859_1);
    let mut reader = Reader::new(file, &text.attributes)
        .map_err(|e| place(e.into()))?
        .translated_to(page);
    let mut bytes: Vec<u8> = Vec::new();
    let mut ends = vec![0];
    while let Some(record) = reader.next().map_err(|e| place(e.into()))? {
        bytes.extend_from_slice(record);
        ends.push(bytes.len());
    }
    let mut records: Vec<&[u8]> = ends.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
    // A record too short to hold its key goes where its bytes put it; the load refuses it.
    records.sort_by_key(|record| {
        let end = (shape.offset + shape.length).min(record.len());
        record.get(shape.offset..end).unwrap_or_default()
    });
    let attributes = Attributes {
        recfm: RecordFormat::VBS,
        bdw: Bdw::Yes,
        ..Attributes::default()
    }
    .completed_for(32_760);
    let (out, path) = own_file().map_err(system)?;
    let copy = Sorted { path, attributes };
    let mut writer = Writer::new(out, &attributes)?;
    records
        .iter()
        .try_for_each(|record| writer.put(record))
        .and_then(|()| writer.finish().map(drop))?;
    Ok(copy)
}

/// A file that nobody has and nobody else reads. Process numbers come again, in containers at the same time.
fn own_file() -> std::io::Result<(std::fs::File, PathBuf)> {
    let mut number = 0_u32;
    loop {
        let name = format!("cica-sort-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        match std::fs::File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
        {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            made => return Ok((made?, path)),
        }
    }
}
