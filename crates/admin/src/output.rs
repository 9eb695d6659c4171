//! Where REPRO writes records: a cluster of any organization, or a sequential file outside VSAM.
//!
//! 1. A record is written or refused as a whole; after a refusal the next one may be written.
//! 2. An empty data set is loaded, which needs ascending keys; a record that replaces another ends that. One with
//!    records is inserted into, in any order; records of an ESDS or LDS go behind the last one.
//! 3. Records of a relative data set keep their numbers in another one; those from elsewhere get the next number.

use super::found::FoundRecord;
use super::input::{Input, KeyField};
use super::trouble::Trouble;
use cica_disk::NewFile;
use cica_engine::{Argument, CopyError, DataSet, Insert, Intent, RequestError, Search, Str};
use cica_format::attributes::Organization;
use cica_qsam::{CodePage, QsamError, Writer};

/// See the module.
pub struct Output {
    /// Data set name or file name, as messages show it.
    pub name: String,
    /// Code page of its characters.
    pub page: Option<CodePage>,
    kind: OpenOutput,
}

enum OpenOutput {
    Cluster {
        data_set: DataSet,
        string: Box<Str>,
        loading: bool,
        replace: bool,
        /// RRDS or VRRDS.
        numbered: bool,
    },
    File(Box<Writer<NewFile>>),
}

/// Why a record was not written.
#[derive(Debug)]
pub enum Refusal {
    /// The target has a record with this key, which through a path is not the one the path goes by; or (`None`) one with
    /// another key of the record that must be unique.
    Duplicate(Option<Vec<u8>>),
    /// Its key is below that of the record before it, in a load.
    OutOfSequence,
    /// It is too long, or too short to hold its key, or cannot stand in such a file; in words.
    Improper(String),
    /// A length the data set does not take.
    Length(RequestError),
    /// Nothing more can be written.
    Fatal(Trouble),
}

impl Output {
    /// An open data set; `replace`: records whose keys are there already replace those.
    pub fn cluster(name: String, data_set: DataSet, replace: bool) -> Output {
        let page = CodePage::from_ccsid(data_set.attributes().ccsid);
        let (string, loading) = (Box::new(data_set.string()), data_set.loading());
        let organization = data_set.attributes().organization;
        let numbered = matches!(organization, Organization::Rrds | Organization::Vrrds);
        Output {
            name,
            page,
            kind: OpenOutput::Cluster {
                data_set,
                string,
                loading,
                replace,
                numbered,
            },
        }
    }

    /// A file with characters in `page`.
    pub fn file(name: String, writer: Writer<NewFile>, page: Option<CodePage>) -> Output {
        Output {
            name,
            page,
            kind: OpenOutput::File(Box::new(writer)),
        }
    }

    /// The keys, where there are keys.
    pub fn key_field(&self) -> Option<KeyField> {
        match &self.kind {
            OpenOutput::Cluster { data_set, .. } => {
                let keyed = data_set.attributes().organization == Organization::Ksds;
                keyed.then(|| KeyField::of(data_set.attributes()))
            }
            OpenOutput::File(_) => None,
        }
    }

    /// Writes a record.
    #[inline]
    pub fn put(&mut self, found: FoundRecord<'_>) -> Result<(), Refusal> {
        let record = found.bytes;
        match &mut self.kind {
            OpenOutput::File(writer) => writer.put(record).map_err(Refusal::from),
            OpenOutput::Cluster {
                string,
                replace,
                numbered: true,
                ..
            } if found.rrn > 0 => put_at(string, found.rrn, record, *replace),
            OpenOutput::Cluster {
                data_set,
                string,
                loading,
                replace,
                ..
            } => match string.insert(record, Insert::Sequential) {
                Ok(_) => Ok(()),
                Err(RequestError::Sequence { .. }) if !*loading => insert_below(string, record, *replace),
                Err(RequestError::Duplicate { key }) if *replace => {
                    if std::mem::take(loading) {
                        data_set.end_load()?;
                    }
                    replace_record(string, &key, record)
                }
                Err(error) => Err(error.into()),
            },
        }
    }

    /// Does this empty data set take the records of `input` as they are stored there?
    pub fn takes_as_stored(&mut self, input: &mut Input) -> Result<bool, Refusal> {
        match &mut self.kind {
            OpenOutput::Cluster {
                string,
                loading: true,
                replace: false,
                ..
            } => Ok(input.is_taken_as_stored(string)?),
            _ => Ok(false),
        }
    }

    /// Copies the next record of `input`; false at its end.
    pub fn copy_next(&mut self, input: &mut Input) -> Result<bool, CopyError> {
        match &mut self.kind {
            OpenOutput::Cluster { string, .. } => input.copy_next(string),
            OpenOutput::File(_) => Ok(false),
        }
    }

    /// Is it a file, and no data set of VSAM's?
    pub fn is_file(&self) -> bool {
        matches!(self.kind, OpenOutput::File(_))
    }

    /// Is it a file that has its name when it is complete, and no device or pipe, which has what was written?
    pub fn is_whole_or_not(&self) -> bool {
        matches!(&self.kind, OpenOutput::File(writer) if !writer.output().is_stream())
    }

    /// Completes it: the records written are durable then.
    pub fn close(self) -> Result<(), Trouble> {
        match self.kind {
            OpenOutput::File(writer) => {
                let record = writer.records();
                let finished = writer.finish()?.finish();
                finished
                    .map(drop)
                    .map_err(|source| QsamError::Write { record, source }.into())
            }
            OpenOutput::Cluster { data_set, string, .. } => {
                drop(string);
                data_set.close().map(drop).map_err(Trouble::Close)
            }
        }
    }
}

/// Puts a record into the slot with its number.
fn put_at(string: &mut Str, rrn: u32, record: &[u8], replace: bool) -> Result<(), Refusal> {
    match string.insert_at(rrn, record, Insert::Skip) {
        Err(RequestError::Duplicate { .. }) if replace => {
            string.get(Argument::Rrn(rrn), Search::Equal, Intent::Update)?;
            string.update(record)?;
            Ok(())
        }
        put => Ok(put?),
    }
}

/// Inserts a record whose key is not above the one before it.
fn insert_below(string: &mut Str, record: &[u8], replace: bool) -> Result<(), Refusal> {
    match string.insert(record, Insert::Direct) {
        Ok(_) => Ok(()),
        Err(RequestError::Duplicate { key }) if replace => replace_record(string, &key, record),
        Err(error) => Err(error.into()),
    }
}

fn replace_record(string: &mut Str, key: &[u8], record: &[u8]) -> Result<(), Refusal> {
    string.get(key, Search::Equal, Intent::Update)?;
    string.update(record)?;
    Ok(())
}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Refusal {
        match error {
            RequestError::Duplicate { key } => Refusal::Duplicate(Some(key)),
            // Of a unique alternate index.
            RequestError::Alternate { error, .. } if matches!(*error, RequestError::Duplicate { .. }) => {
                Refusal::Duplicate(None)
            }
            RequestError::Sequence { .. } => Refusal::OutOfSequence,
            error @ RequestError::Length { .. } => Refusal::Length(error),
            error => Refusal::Fatal(error.into()),
        }
    }
}

impl From<QsamError> for Refusal {
    fn from(error: QsamError) -> Refusal {
        match &error {
            QsamError::RecordTooLong { .. } | QsamError::LineEndInRecord { .. } | QsamError::EmptyUndefined { .. } => {
                Refusal::Improper(error.without_number())
            }
            _ => Refusal::Fatal(error.into()),
        }
    }
}
