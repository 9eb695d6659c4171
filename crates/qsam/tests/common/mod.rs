//! What the tests of reading and writing share.
#![allow(dead_code, clippy::unwrap_used)] // each test program uses a part

use cica_qsam::{Attributes, DdText, QsamError, Reader, Writer};

/// The attributes stated by DD options.
pub fn attributes(options: &str) -> Attributes {
    let text = if options.is_empty() {
        "f".to_owned()
    } else {
        format!("f,{options}")
    };
    DdText::parse(&text).unwrap().attributes
}

/// The records of a file, or the first error.
pub fn records(options: &str, file: &[u8]) -> Result<Vec<Vec<u8>>, QsamError> {
    let mut reader = Reader::new(file, &attributes(options))?;
    let mut found = Vec::new();
    while let Some(record) = reader.next()? {
        found.push(record.to_vec());
    }
    Ok(found)
}

/// The file that holds these records.
pub fn file<T: AsRef<[u8]>>(options: &str, records: &[T]) -> Result<Vec<u8>, QsamError> {
    let mut writer = Writer::new(Vec::new(), &attributes(options))?;
    for record in records {
        writer.put(record.as_ref())?;
    }
    writer.finish()
}
