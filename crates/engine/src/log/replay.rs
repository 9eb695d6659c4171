//! Reading the log of an owner that died.

use super::pool::{read_header, write_header};
use cica_disk::{Disk, File, Lock, Open, ReadAt};
use cica_format::log::{self, read_group, records, LogFileHeader, LogRecord, BLOCK_LEN};
use cica_format::FormatError;
use std::path::Path;

/// A dead owner's log, locked for recovery.
pub struct LogReader {
    file: Box<dyn File>,
    header: LogFileHeader,
    at: u64,
    epoch: Option<u32>,
    lsn: Option<u64>,
}

/// A logged request as recovery sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged {
    /// A number's meaning.
    DataSet {
        /// Number.
        number: u32,
        /// Cluster id.
        cluster: u64,
        /// Data component file.
        data: String,
        /// Index component file.
        index: String,
    },
    /// Insert.
    Insert(u32, Vec<u8>),
    /// Update.
    Update(u32, Vec<u8>),
    /// Erase.
    Erase(u32, Vec<u8>),
    /// A pointer added under an alternate key.
    AddPointer(u32, Vec<u8>, Vec<u8>),
    /// A pointer removed from under an alternate key.
    RemovePointer(u32, Vec<u8>, Vec<u8>),
    /// Requests of several data sets, each the part of one.
    Unit(Vec<Logged>),
}

impl Logged {
    /// The data set it belongs to; a unit belongs to several.
    pub fn number(&self) -> Option<u32> {
        match self {
            Logged::DataSet { number, .. } | Logged::Insert(number, _) | Logged::Update(number, _) => Some(*number),
            Logged::Erase(number, _) | Logged::AddPointer(number, ..) => Some(*number),
            Logged::RemovePointer(number, ..) => Some(*number),
            Logged::Unit(_) => None,
        }
    }
}

impl LogReader {
    /// Opens and locks the log file `path`, which must hold log `log`. `Ok(None)`: its owner lives.
    pub fn open(disk: &dyn Disk, path: &Path, log: u64) -> Result<Option<LogReader>, String> {
        let file = match disk.open(
            path,
            Open {
                write: true,
                lock: Lock::Exclusive,
                ..Open::default()
            },
        ) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return Ok(None),
            Err(e) => return Err(format!("the log cannot be opened: {e}")),
        };
        match read_header(&*file).map_err(|e| e.to_string())? {
            Some(header) if header.log == log => Ok(Some(LogReader {
                file,
                header,
                at: BLOCK_LEN as u64,
                epoch: None,
                lsn: None,
            })),
            Some(header) => Err(format!("the file now holds log {:X}, not log {log:X}", header.log)),
            None => Err("the file has no readable log header".into()),
        }
    }

    /// The next group's requests with their LSNs, in order; `None` at the end of the log. The log ends at the first
    /// block that is not the next group
    /// of the same epoch: what lies behind it was never acknowledged.
    pub fn next_group(&mut self) -> Result<Option<Vec<(u64, Logged)>>, String> {
        let Some(group) = self.read_next()? else {
            return Ok(None);
        };
        let (header, len) = match read_group(&group) {
            Ok(read) => read,
            Err(_) => return Ok(None),
        };
        let follows = header.log == self.header.log
            && self.epoch.is_none_or(|epoch| epoch == header.epoch)
            && self.lsn.is_none_or(|lsn| lsn + 1 == header.first_lsn);
        if !follows {
            return Ok(None);
        }
        let mut requests = Vec::with_capacity(header.records as usize);
        for (n, record) in records(&group[..len]).enumerate() {
            let lsn = header.first_lsn + n as u64;
            let record = record.and_then(owned).map_err(|e| format!("log record {lsn}: {e}"))?;
            requests.push((lsn, record));
        }
        self.epoch = Some(header.epoch);
        self.lsn = Some(header.first_lsn + header.records as u64 - 1);
        self.at += len as u64;
        Ok(Some(requests))
    }

    /// The bytes from here to the end of what may be a group.
    fn read_next(&self) -> Result<Option<Vec<u8>>, String> {
        let mut bytes = vec![0; BLOCK_LEN];
        loop {
            let want = bytes.len();
            let mut batch = [ReadAt {
                at: self.at,
                buf: &mut bytes,
                got: 0,
            }];
            self.file
                .read(&mut batch)
                .map_err(|e| format!("the log cannot be read at offset {}: {e}", self.at))?;
            if batch[0].got < want {
                return Ok(None);
            }
            match read_group(&bytes) {
                // A damaged length may ask for anything; no group is longer than what gathers before a flush, doubled.
                Err(FormatError::Short { need, .. }) if need > want && need < (1 << 30) => bytes = vec![0; need],
                _ => return Ok(Some(bytes)),
            }
        }
    }

    /// Everything in the log was done: the file is free.
    pub fn release(self) -> Result<(), String> {
        write_header(
            &*self.file,
            LogFileHeader {
                log: 0,
                claims: self.header.claims,
            },
        )
        .map_err(|e| e.to_string())
    }
}

fn owned(record: LogRecord<'_>) -> Result<Logged, FormatError> {
    Ok(match record {
        LogRecord::DataSet { number, cluster, path } => {
            let (data, index) = path.split_once('\0').unwrap_or((path, ""));
            Logged::DataSet {
                number,
                cluster,
                data: data.into(),
                index: index.into(),
            }
        }
        LogRecord::Insert { number, record } => Logged::Insert(number, record.to_vec()),
        LogRecord::Update { number, record } => Logged::Update(number, record.to_vec()),
        LogRecord::Erase { number, key } => Logged::Erase(number, key.to_vec()),
        LogRecord::AddPointer { number, key, pointer } => Logged::AddPointer(number, key.to_vec(), pointer.to_vec()),
        LogRecord::RemovePointer { number, key, pointer } => {
            Logged::RemovePointer(number, key.to_vec(), pointer.to_vec())
        }
        LogRecord::Unit { parts } => {
            let parts = log::parts(parts).map(|part| part.and_then(owned));
            Logged::Unit(parts.collect::<Result<_, _>>()?)
        }
    })
}
