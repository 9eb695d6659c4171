//! Where REPRO and PRINT read records: a cluster of any organization, or a sequential file outside VSAM.

use super::addressed::Addressed;
use super::bytes::or_ascii;
use super::found::FoundRecord;
use super::range::Range;
use super::sequential::FileRecords;
use super::trouble::Trouble;
use cica_engine::{Argument, CopyError, DataSet, Intent, RequestError, Search, Str};
use cica_format::aix;
use cica_format::attributes::{Attributes, Organization};
use cica_qsam::{Attributes as FileAttributes, CodePage, MAX_LOGICAL_RECORD};

/// See the module.
pub struct Input {
    /// Data set name or file name, as messages and headings show it.
    pub name: String,
    /// Code page of its characters; none: ASCII, other bytes are not characters.
    pub page: Option<CodePage>,
    kind: OpenInput,
    records: u64,
    /// Of an alternate index with chains: the record as VSAM has it.
    shown: Vec<u8>,
}

/// The records of an alternate index have numbers that VSAM's have not.
fn is_chained(data_set: &DataSet) -> bool {
    let alternate = &data_set.attributes().alternate;
    alternate.as_ref().is_some_and(|of| of.chained)
}

enum OpenInput {
    Cluster {
        data_set: DataSet,
        string: Str,
    },
    /// Its control intervals as they are; where the next one begins.
    Intervals {
        data_set: DataSet,
        string: Str,
        next: u64,
    },
    /// Records of a key-sequenced data set as they lie on the volume.
    Addressed {
        data_set: DataSet,
        string: Str,
        at: Addressed,
    },
    File {
        records: Box<FileRecords>,
        attributes: FileAttributes,
    },
}

/// Where a data set's keys stand in its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyField {
    /// Offset in bytes.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
}

impl KeyField {
    /// That of a data set.
    pub fn of(attributes: &Attributes) -> KeyField {
        KeyField {
            offset: attributes.key_offset as usize,
            length: usize::from(attributes.key_length),
        }
    }

    /// The key of a record, or as much of it as the record has.
    pub fn in_record<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        let end = (self.offset + self.length).min(record.len());
        record.get(self.offset..end).unwrap_or_default()
    }
}

impl Input {
    /// The records of an open data set, from its first one.
    pub fn cluster(name: String, data_set: DataSet) -> Input {
        let page = CodePage::from_ccsid(data_set.attributes().ccsid);
        let string = data_set.string();
        Input {
            name,
            page,
            kind: OpenInput::Cluster { data_set, string },
            records: 0,
            shown: Vec::new(),
        }
    }

    /// The control intervals of a cluster instead of its records; a file has none, and stays as it is.
    pub fn by_intervals(mut self) -> Input {
        if let OpenInput::Cluster { data_set, string } = self.kind {
            let next = 0;
            self.kind = OpenInput::Intervals { data_set, string, next };
        }
        self
    }

    /// The records by address instead of by key, where a range asks a key-sequenced data set for that. Spanned records
    /// are not to be had so: their segments lie apart.
    pub fn read_as(mut self, range: &Range) -> Input {
        match self.kind {
            OpenInput::Cluster { data_set, string }
                if range.is_by_address()
                    && data_set.attributes().organization == Organization::Ksds
                    && !data_set.attributes().spanned =>
            {
                let at = Addressed::new(data_set.attributes().ci_size);
                self.kind = OpenInput::Addressed { data_set, string, at };
            }
            kind => self.kind = kind,
        }
        self
    }

    /// The records of a file.
    pub fn file(name: String, records: FileRecords, attributes: FileAttributes) -> Input {
        let records = Box::new(records);
        Input {
            name,
            page: attributes.codepage,
            kind: OpenInput::File { records, attributes },
            records: 0,
            shown: Vec::new(),
        }
    }

    /// The same, its characters converted to those of a data set in `page`, if it is a file of a stated code page.
    pub fn translated_to(mut self, page: Option<CodePage>) -> Input {
        if let OpenInput::File { records, .. } = &mut self.kind {
            records.translate_to(or_ascii(page));
        }
        self
    }

    /// The page its characters are in, when they are to be converted for a file. Those of a file in no stated page are
    /// not converted.
    pub fn text_page(&self) -> Option<CodePage> {
        match self.kind {
            OpenInput::Cluster { .. } | OpenInput::Addressed { .. } => Some(or_ascii(self.page)),
            // An image is no text.
            OpenInput::Intervals { .. } => None,
            OpenInput::File { .. } => self.page,
        }
    }

    /// The keys, where there are keys.
    pub fn key_field(&self) -> Option<KeyField> {
        match &self.kind {
            OpenInput::Cluster { data_set, .. } => {
                let keyed = data_set.attributes().organization == Organization::Ksds;
                keyed.then(|| KeyField::of(data_set.attributes()))
            }
            OpenInput::Intervals { .. } | OpenInput::Addressed { .. } | OpenInput::File { .. } => None,
        }
    }

    /// The organization of a cluster.
    pub fn organization(&self) -> Option<Organization> {
        match &self.kind {
            OpenInput::Cluster { data_set, .. } => Some(data_set.attributes().organization),
            // What goes by control intervals goes by address.
            OpenInput::Intervals { .. } => Some(Organization::Lds),
            OpenInput::Addressed { .. } => Some(Organization::Esds),
            OpenInput::File { .. } => None,
        }
    }

    /// The longest record there can be, in bytes.
    pub fn longest(&self) -> u32 {
        match &self.kind {
            OpenInput::Cluster { data_set, .. } => match data_set.attributes().organization {
                // Its records are its control intervals.
                Organization::Lds => data_set.attributes().ci_size,
                _ => data_set.attributes().maximum_record,
            },
            OpenInput::Intervals { data_set, .. } => data_set.attributes().ci_size,
            OpenInput::Addressed { data_set, .. } => data_set.attributes().maximum_record,
            OpenInput::File { attributes, .. } => attributes.longest_record().unwrap_or(MAX_LOGICAL_RECORD),
        }
    }

    /// Goes to the first record at or above a key, which may be the beginning of one, or a record number; or to the
    /// record at an RBA. False: there is none.
    pub fn point(&mut self, at: Argument<'_>) -> Result<bool, Trouble> {
        let search = match at {
            Argument::Rba(_) => Search::Equal,
            _ => Search::GreaterOrEqual,
        };
        match &mut self.kind {
            OpenInput::File { .. } => Ok(false),
            OpenInput::Addressed { string, at: place, .. } => match at {
                Argument::Rba(rba) => place.point(string, rba).map(|()| true),
                _ => Ok(false),
            },
            OpenInput::Intervals { string, next, .. } => match at {
                Argument::Rba(rba) => {
                    string.get_interval(rba, Intent::Read)?;
                    *next = rba;
                    Ok(true)
                }
                _ => Ok(false),
            },
            OpenInput::Cluster { string, .. } => match string.point(at, search) {
                Ok(()) => Ok(true),
                Err(RequestError::NotFound) => Ok(false),
                Err(error) => Err(error.into()),
            },
        }
    }

    /// The next record, or none at the end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<FoundRecord<'_>>, Trouble> {
        let record = match &mut self.kind {
            OpenInput::File { records, .. } => records.next()?.map(|bytes| FoundRecord { bytes, rba: 0, rrn: 0 }),
            OpenInput::Addressed { string, at, .. } => at.next(string)?,
            OpenInput::Intervals { data_set, string, next } => {
                let (rba, size) = (*next, u64::from(data_set.attributes().ci_size));
                match string.get_interval(rba, Intent::Read) {
                    Ok(image) => {
                        *next = rba + size;
                        Some(FoundRecord {
                            bytes: image.bytes,
                            rba,
                            rrn: 0,
                        })
                    }
                    // Behind the last one that is in use.
                    Err(RequestError::BadRba { .. }) => None,
                    Err(error) => return Err(error.into()),
                }
            }
            OpenInput::Cluster { data_set, string } if is_chained(data_set) => loop {
                match string.next(Intent::Read) {
                    Ok(record) if !aix::as_vsam_has_it(record.bytes, &mut self.shown) => {}
                    Ok(record) => {
                        let (rba, rrn) = (record.rba, record.rrn);
                        let bytes = &self.shown;
                        break Some(FoundRecord { bytes, rba, rrn });
                    }
                    Err(RequestError::EndOfData) => break None,
                    Err(error) => return Err(error.into()),
                }
            },
            OpenInput::Cluster { string, .. } => match string.next(Intent::Read) {
                Ok(record) => Some(FoundRecord {
                    bytes: record.bytes,
                    rba: record.rba,
                    rrn: record.rrn,
                }),
                Err(RequestError::EndOfData) => None,
                Err(error) => return Err(error.into()),
            },
        };
        self.records += u64::from(record.is_some());
        Ok(record)
    }

    /// The string on a cluster whose records are copied as they are.
    fn plain_string(&mut self) -> Option<&mut Str> {
        match &mut self.kind {
            OpenInput::Cluster { data_set, string } if !is_chained(data_set) => Some(string),
            _ => None,
        }
    }

    /// Can the next record be copied into `to` as it is stored?
    pub fn is_taken_as_stored(&mut self, to: &mut Str) -> Result<bool, RequestError> {
        match self.plain_string() {
            Some(string) => to.takes_as_stored(string),
            None => Ok(false),
        }
    }

    /// Copies the next record into `to`; false at the end.
    pub fn copy_next(&mut self, to: &mut Str) -> Result<bool, CopyError> {
        let copied = match self.plain_string() {
            Some(string) => to.copy_next(string),
            None => Ok(false),
        };
        self.records += u64::from(!matches!(copied, Ok(false) | Err(CopyError::Read(_))));
        copied
    }

    /// The record that was copied last.
    pub fn last(&mut self) -> FoundRecord<'_> {
        match self.plain_string() {
            Some(string) => {
                let record = string.last();
                FoundRecord {
                    bytes: record.bytes,
                    rba: record.rba,
                    rrn: record.rrn,
                }
            }
            None => FoundRecord {
                bytes: &[],
                rba: 0,
                rrn: 0,
            },
        }
    }

    /// How many records were read: the number of the last one.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Lets go of it.
    pub fn close(self) -> Result<(), Trouble> {
        match self.kind {
            OpenInput::File { .. } => Ok(()),
            OpenInput::Cluster { data_set, string }
            | OpenInput::Intervals { data_set, string, .. }
            | OpenInput::Addressed { data_set, string, .. } => {
                drop(string);
                data_set.close().map(drop).map_err(Trouble::Close)
            }
        }
    }
}
