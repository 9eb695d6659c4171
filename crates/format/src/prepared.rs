//! A unit of recovery that is in doubt: a file that says which records it has changed, and what takes that back.
//!
//! A head of one sector, which is not written again; a sector with the state alone, so that a change of it is stored or
//! not; and the body.

use crate::bytes::{le16, le32, le64, need, put, put_text, text};
use crate::checksum::{crc32c, own_checksum};
use crate::error::FormatError;

/// First eight bytes of the file.
pub const MAGIC: [u8; 8] = *b"CICAPREP";
/// First four bytes of the sector with the state.
pub const STATE_MAGIC: [u8; 4] = *b"CiPS";
/// Format version of files this code writes; it refuses newer ones.
pub const FORMAT: u16 = 2;
/// The format that said nothing of archives and of when something was decided.
const WITHOUT_ARCHIVE: u16 = 1;
/// Bytes of a sector.
pub const SECTOR: usize = 512;
/// Where the sector with the state stands.
pub const STATE_AT: usize = SECTOR;
/// Where the body begins.
pub const BODY_AT: usize = 2 * SECTOR;
/// Longest name of a unit.
pub const NAME_LEN: usize = 200;

/// Names in messages.
const HEAD: &str = "prepared unit";
const STATE: &str = "state of a prepared unit";
const BODY: &str = "body of a prepared unit";

mod at {
    //! Offsets, see `docs/format/prepared.md`.
    pub const FORMAT: usize = 8;
    pub const CHECKSUM: usize = 12;
    pub const LOG: usize = 16;
    pub const UNIT: usize = 24;
    pub const TIME: usize = 32;
    pub const BODY_LEN: usize = 40;
    pub const BODY_CHECKSUM: usize = 48;
    pub const ARCHIVED: usize = 52;
    pub const NAME: usize = 56;
    pub const STATE_CHECKSUM: usize = 4;
    pub const STATE: usize = 8;
    pub const DECIDED: usize = 16;
}

/// What has become of the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreparedState {
    /// In doubt.
    InDoubt,
    /// Its changes stand.
    Committed,
    /// It was decided that it goes back, which is not done yet.
    GoingBack,
    /// It was taken back.
    TakenBack,
}

impl PreparedState {
    /// The unit is over.
    pub fn is_over(self) -> bool {
        matches!(self, PreparedState::Committed | PreparedState::TakenBack)
    }
}

const STATES: [PreparedState; 4] = [
    PreparedState::InDoubt,
    PreparedState::Committed,
    PreparedState::GoingBack,
    PreparedState::TakenBack,
];

/// Which unit a file is of: others may be called so before it and behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PreparedIdentity {
    /// Its name.
    pub name: String,
    /// Id of the log that has its changes.
    pub log: u64,
    /// Its id there.
    pub unit: u64,
    /// When it was prepared, nanoseconds since 1970.
    pub time: u64,
}

/// What the first [`BODY_AT`] bytes of a file say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedHead {
    /// Of which unit it is.
    pub unit: PreparedIdentity,
    /// What has become of it.
    pub state: PreparedState,
    /// When that was decided, nanoseconds since 1970; 0: it is in doubt, or the format does not say it.
    pub decided: u64,
    /// One of its data sets has an archive.
    pub archived: bool,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedUnit {
    /// Its name.
    pub name: String,
    /// Id of the log that has its changes, and its id there; both 0 if it has changed nothing.
    pub log: u64,
    /// See `log`.
    pub unit: u64,
    /// When it was prepared, nanoseconds since 1970.
    pub time: u64,
    /// What it has changed.
    pub sets: Vec<PreparedSet>,
    /// What takes its changes back, newest first: the place of the data set in `sets`, and requests as the log has them.
    pub undo: Vec<(u32, Vec<u8>)>,
}

/// A data set, or an alternate index that was changed with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedSet {
    /// Cluster id.
    pub cluster: u64,
    /// It was changed as part of this one of `sets`.
    pub base: Option<u32>,
    /// Name of the cluster.
    pub name: String,
    /// Lineage, by which its archive is known; 0: it has none.
    pub lineage: u64,
    /// The records that it keeps: whether it has erased it, and its name in the lock table.
    pub keys: Vec<(bool, Vec<u8>)>,
}

impl PreparedUnit {
    /// Which unit it is.
    pub fn identity(&self) -> PreparedIdentity {
        PreparedIdentity {
            name: self.name.clone(),
            log: self.log,
            unit: self.unit,
            time: self.time,
        }
    }

    /// Has one of its data sets an archive?
    pub fn is_archived(&self) -> bool {
        self.sets.iter().any(|set| set.lineage != 0)
    }

    /// The whole file, in doubt.
    ///
    /// # Errors
    /// The name is too long.
    pub fn encode(&self) -> Result<Vec<u8>, FormatError> {
        let mut out = vec![0; BODY_AT];
        push_len(&mut out, self.sets.len());
        for set in &self.sets {
            out.extend_from_slice(&set.cluster.to_le_bytes());
            out.extend_from_slice(&set.base.map_or(0, |base| base + 1).to_le_bytes());
            push_bytes(&mut out, set.name.as_bytes());
            out.extend_from_slice(&set.lineage.to_le_bytes());
            push_len(&mut out, set.keys.len());
            for (erased, key) in &set.keys {
                out.push(u8::from(*erased));
                push_bytes(&mut out, key);
            }
        }
        push_len(&mut out, self.undo.len());
        for (set, requests) in &self.undo {
            out.extend_from_slice(&set.to_le_bytes());
            push_bytes(&mut out, requests);
        }
        let (len, checksum) = (out.len() - BODY_AT, crc32c(&out[BODY_AT..]));
        let mut head = [0; SECTOR];
        put(&mut head, 0, &MAGIC);
        put(&mut head, at::FORMAT, &FORMAT.to_le_bytes());
        put(&mut head, at::LOG, &self.log.to_le_bytes());
        put(&mut head, at::UNIT, &self.unit.to_le_bytes());
        put(&mut head, at::TIME, &self.time.to_le_bytes());
        put(&mut head, at::BODY_LEN, &(len as u64).to_le_bytes());
        put(&mut head, at::BODY_CHECKSUM, &checksum.to_le_bytes());
        head[at::ARCHIVED] = u8::from(self.is_archived());
        put_text(HEAD, "name", &mut head, (at::NAME, NAME_LEN), &self.name)?;
        let own = own_checksum(&head, at::CHECKSUM);
        put(&mut head, at::CHECKSUM, &own.to_le_bytes());
        put(&mut out, 0, &head);
        put(&mut out, STATE_AT, &encode_state(PreparedState::InDoubt, 0));
        Ok(out)
    }

    /// Reads the first [`BODY_AT`] bytes of a file.
    ///
    /// # Errors
    /// It is none, damaged there, or of a newer format.
    pub fn decode_head(bytes: &[u8]) -> Result<PreparedHead, FormatError> {
        need(HEAD, bytes, BODY_AT)?;
        if bytes[..8] != MAGIC {
            return Err(FormatError::Magic { what: HEAD });
        }
        let found = le16(bytes, at::FORMAT);
        if found > FORMAT {
            return Err(FormatError::NewerFormat { what: HEAD, found });
        }
        if own_checksum(&bytes[..SECTOR], at::CHECKSUM) != le32(bytes, at::CHECKSUM) {
            return Err(FormatError::Checksum { what: HEAD });
        }
        let unit = PreparedIdentity {
            name: text(HEAD, "name", bytes, (at::NAME, NAME_LEN))?,
            log: le64(bytes, at::LOG),
            unit: le64(bytes, at::UNIT),
            time: le64(bytes, at::TIME),
        };
        let (state, decided) = decode_state(&bytes[STATE_AT..BODY_AT])?;
        let archived = bytes[at::ARCHIVED] != 0;
        Ok(PreparedHead {
            unit,
            state,
            decided,
            archived,
        })
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// It is none, damaged, or of a newer format.
    pub fn decode(bytes: &[u8]) -> Result<(PreparedUnit, PreparedHead), FormatError> {
        let head = PreparedUnit::decode_head(bytes)?;
        let has_lineages = le16(bytes, at::FORMAT) > WITHOUT_ARCHIVE;
        let len = usize::try_from(le64(bytes, at::BODY_LEN)).unwrap_or(usize::MAX);
        need(BODY, bytes, len.saturating_add(BODY_AT))?;
        let body = &bytes[BODY_AT..BODY_AT + len];
        if crc32c(body) != le32(bytes, at::BODY_CHECKSUM) {
            return Err(FormatError::Checksum { what: BODY });
        }
        let mut rest = Rest(body);
        let mut sets = Vec::new();
        for _ in 0..rest.number()? {
            let (cluster, base) = (le64(rest.take(8)?, 0), rest.number()?.checked_sub(1));
            let name = String::from_utf8_lossy(rest.bytes()?).into_owned();
            let lineage = if has_lineages { le64(rest.take(8)?, 0) } else { 0 };
            let mut keys = Vec::new();
            for _ in 0..rest.number()? {
                let erased = rest.take(1)?[0] != 0;
                keys.push((erased, rest.bytes()?.to_vec()));
            }
            sets.push(PreparedSet {
                cluster,
                base,
                name,
                lineage,
                keys,
            });
        }
        let mut undo = Vec::new();
        for _ in 0..rest.number()? {
            let set = rest.number()?;
            if set as usize >= sets.len() {
                return Err(FormatError::Field {
                    what: BODY,
                    field: "data set of a change",
                    value: set.into(),
                    must: "one of those that the unit has changed",
                });
            }
            undo.push((set, rest.bytes()?.to_vec()));
        }
        let unit = PreparedUnit {
            name: head.unit.name.clone(),
            log: head.unit.log,
            unit: head.unit.unit,
            time: head.unit.time,
            sets,
            undo,
        };
        Ok((unit, head))
    }
}

/// The sector that says so, decided at `decided`, nanoseconds since 1970.
pub fn encode_state(state: PreparedState, decided: u64) -> [u8; SECTOR] {
    let mut out = [0; SECTOR];
    put(&mut out, 0, &STATE_MAGIC);
    let place = STATES.iter().position(|one| *one == state).unwrap_or_default();
    out[at::STATE] = place as u8;
    put(&mut out, at::DECIDED, &decided.to_le_bytes());
    let own = own_checksum(&out, at::STATE_CHECKSUM);
    put(&mut out, at::STATE_CHECKSUM, &own.to_le_bytes());
    out
}

fn decode_state(sector: &[u8]) -> Result<(PreparedState, u64), FormatError> {
    if sector[..4] != STATE_MAGIC {
        return Err(FormatError::Magic { what: STATE });
    }
    if own_checksum(sector, at::STATE_CHECKSUM) != le32(sector, at::STATE_CHECKSUM) {
        return Err(FormatError::Checksum { what: STATE });
    }
    let value = sector[at::STATE];
    let state = STATES.get(usize::from(value)).copied().ok_or(FormatError::Field {
        what: STATE,
        field: "state",
        value: value.into(),
        must: "0 to 3",
    })?;
    Ok((state, le64(sector, at::DECIDED)))
}

fn push_len(out: &mut Vec<u8>, len: usize) {
    out.extend_from_slice(&(len as u32).to_le_bytes());
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// What is left of a body.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, len: usize) -> Result<&'b [u8], FormatError> {
        need(BODY, self.0, len)?;
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, FormatError> {
        self.take(4).map(|bytes| le32(bytes, 0))
    }

    fn bytes(&mut self) -> Result<&'b [u8], FormatError> {
        let len = self.number()?;
        self.take(len as usize)
    }
}
