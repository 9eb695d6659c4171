//! What a program's FD says of a file: organization, keys, record lengths; and whether the catalog says the same.

use crate::libcob::layout::{access, organization, File, Key};
use crate::libcob::Libcob;
use cica_catalog::{Cluster, Name};
use cica_format::attributes::Organization;

/// ALTERNATE RECORD KEY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlternateKey {
    /// Where it stands in a record.
    pub offset: usize,
    /// Bytes.
    pub length: usize,
    /// WITH DUPLICATES.
    pub duplicates: bool,
}

impl AlternateKey {
    /// The key in a record, unless that is too short to have it.
    #[inline]
    pub fn of<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        record.get(self.offset..self.offset + self.length)
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fd {
    /// ORGANIZATION.
    pub organization: u8,
    /// ACCESS MODE.
    pub access: u8,
    /// Offset and length of the prime key.
    pub key: Option<(usize, usize)>,
    /// Alternate keys, in the program's order.
    pub alternates: Vec<AlternateKey>,
    /// Least record length.
    pub least: usize,
    /// Greatest record length.
    pub most: usize,
    /// RECORD VARYING, or records of several lengths.
    pub varying: bool,
}

impl Fd {
    /// Of a file; what cannot be a VSAM data set is told in words.
    ///
    /// # Safety
    /// `file` is a file of the program.
    pub unsafe fn of(file: *const File) -> Result<Fd, String> {
        // SAFETY: the caller's promise.
        let f = unsafe { &*file };
        let mut fd = Fd {
            organization: f.organization,
            access: f.access,
            key: None,
            alternates: Vec::new(),
            least: f.least,
            most: f.most,
            varying: f.least != f.most || !f.depending.is_null(),
        };
        if f.organization == organization::SEQUENTIAL && !f.linage_or_split.is_null() {
            return Err("LINAGE".into());
        }
        if f.organization == organization::INDEXED {
            if f.keys.is_null() || f.key_count == 0 {
                return Err("a RECORD KEY is missing".into());
            }
            // SAFETY: as many keys as the count says.
            let keys = unsafe { std::slice::from_raw_parts(f.keys, f.key_count) };
            for (number, key) in keys.iter().enumerate() {
                let which = if number == 0 { "a prime key" } else { "an alternate key" };
                // SAFETY: a key of the file.
                let (offset, length) = unsafe { place(f, key, which)? };
                match number {
                    0 => fd.key = Some((offset, length)),
                    _ if key.suppress != 0 => return Err("SUPPRESS WHEN of an alternate key".into()),
                    _ => fd.alternates.push(AlternateKey {
                        offset,
                        length,
                        duplicates: key.duplicates != 0,
                    }),
                }
            }
        }
        Ok(fd)
    }

    /// Accessed in order only.
    pub fn in_order(&self) -> bool {
        self.access == access::SEQUENTIAL
    }

    /// Accessed by key or number only: no request goes on from where another was.
    pub fn at_random(&self) -> bool {
        self.access == access::RANDOM
    }

    /// What contradicts the catalog.
    pub fn conflict(&self, cluster: &Cluster) -> Option<String> {
        let a = &cluster.attributes;
        let fits = match self.organization {
            organization::INDEXED => cluster.organization == Organization::Ksds,
            organization::RELATIVE => {
                matches!(cluster.organization, Organization::Rrds | Organization::Vrrds)
            }
            _ => cluster.organization == Organization::Esds,
        };
        if !fits {
            let of = cobol_word(self.organization);
            return Some(format!(
                "the program's file is {of}, the data set is {}",
                kind(cluster.organization)
            ));
        }
        if let (Some((offset, length)), Some(keys)) = (self.key, a.keys) {
            if (keys.offset as usize, usize::from(keys.length)) != (offset, length) {
                return Some(format!(
                    "the program's key has {length} bytes at offset {offset}, the data set's {} at {}",
                    keys.length, keys.offset
                ));
            }
        }
        let most = a.record_size.maximum as usize;
        (self.most > most && !self.varying || self.least > most).then(|| {
            format!(
                "the program's records have {} bytes, the data set's at most {most}",
                self.most
            )
        })
    }

    /// The control cards that make such a data set: the cluster, and for each alternate key an alternate index and the
    /// path through it.
    pub fn define(&self, name: &Name) -> Vec<String> {
        let (most, average) = (self.most.max(1), ((self.least + self.most) / 2).max(1));
        // VSAM's rule: no alternate indexes over what is defined REUSE; then they are, and stand for it.
        let reuse = if self.alternates.is_empty() { "REUSE" } else { "NOREUSE" };
        let mut card = format!("DEFINE CLUSTER (NAME({name}) {reuse} RECORDSIZE({average} {most}) -\n {SHAPE} -\n");
        match (self.organization, self.key) {
            (organization::INDEXED, Some((offset, length))) => {
                card.push_str(&format!(" INDEXED KEYS({length} {offset}))\n"));
            }
            (organization::RELATIVE, _) => card.push_str(" NUMBERED)\n"),
            _ => card.push_str(" NONINDEXED)\n"),
        }
        let mut cards = vec![card];
        let pointer = self.key.map_or(0, |(_, length)| length);
        for (number, key) in (1..).zip(&self.alternates) {
            let aix = format!("{name}.AIX{number}");
            let one = 5 + key.length + pointer;
            let (unique, size) = match key.duplicates {
                true => ("NONUNIQUEKEY", format!("{} {MOST_OF_POINTERS}", one + 9 * pointer)),
                false => ("UNIQUEKEY", format!("{one} {one}")),
            };
            cards.push(format!(
                "DEFINE AIX (NAME({aix}) RELATE({name}) KEYS({} {}) {unique} UPGRADE REUSE -\n \
                 RECORDSIZE({size}) {SHAPE})\n",
                key.length, key.offset
            ));
            cards.push(format!("DEFINE PATH (NAME({name}.PATH{number}) PATHENTRY({aix}))\n"));
        }
        cards
    }
}

/// What every data set made here has: several programs may read it, and it grows to tens of gigabytes in the 123
/// extents that VSAM gives; space is taken when it is written.
const SHAPE: &str = "SHAREOPTIONS(2 3) SPEED CYLINDERS(10 500)";

/// The longest record of an alternate index made here: what IDCAMS gives to one that says nothing.
const MOST_OF_POINTERS: usize = 32_600;

/// COBOL's word for an organization.
fn cobol_word(of: u8) -> &'static str {
    match of {
        organization::INDEXED => "INDEXED",
        organization::RELATIVE => "RELATIVE",
        _ => "SEQUENTIAL",
    }
}

/// VSAM's word for an organization.
fn kind(of: Organization) -> &'static str {
    match of {
        Organization::Ksds => "a KSDS",
        Organization::Esds => "an ESDS",
        Organization::Rrds => "an RRDS",
        Organization::Vrrds => "a VRRDS",
        _ => "an LDS",
    }
}

/// Offset and length of a key. The parts of a split key must lie side by side: VSAM's keys are of one piece.
///
/// # Safety
/// A key of the file, with its field.
unsafe fn place(f: &File, key: &Key, which: &str) -> Result<(usize, usize), String> {
    // SAFETY: the caller's promise; the record area is there before the first OPEN.
    let base = unsafe { (*f.record).data as usize };
    if key.parts < 2 {
        // SAFETY: a key has a field.
        let field = unsafe { &*key.field };
        return Ok((field.data as usize - base, field.size));
    }
    let count = (key.parts as usize).min(key.part.len());
    // SAFETY: as many parts as the count says.
    let parts: Vec<_> = key.part[..count].iter().map(|part| unsafe { &**part }).collect();
    let side_by_side = parts
        .windows(2)
        .all(|p| p[0].data as usize + p[0].size == p[1].data as usize);
    if !side_by_side {
        return Err(format!("{which} whose parts do not lie side by side"));
    }
    let length = parts.iter().map(|part| part.size).sum();
    Ok((parts[0].data as usize - base, length))
}

/// The record the program gives: what DEPENDING ON says of its length, else the length of the record named.
///
/// # Safety
/// `file` is a file of the program, `record` null or one of its records.
#[inline]
pub unsafe fn given_length(libcob: &Libcob, file: *const File, record: *const crate::libcob::layout::Field) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        let f = &*file;
        match (f.depending.is_null(), record.is_null()) {
            (false, _) => usize::try_from(libcob.number(f.depending)).unwrap_or(usize::MAX),
            (true, false) => (*record).size,
            (true, true) => (*f.record).size,
        }
    }
}

impl std::fmt::Display for Fd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, RECORDS OF {}", cobol_word(self.organization), self.least)?;
        if self.most != self.least {
            write!(f, " TO {}", self.most)?;
        }
        match self.key {
            Some((offset, length)) => write!(f, " BYTES, KEY OF {length} AT {offset}")?,
            None => write!(f, " BYTES")?,
        }
        for key in &self.alternates {
            write!(f, ", ALTERNATE KEY OF {} AT {}", key.length, key.offset)?;
        }
        Ok(())
    }
}
