//! What a program's FD says of a file: organization, keys, record lengths; and whether the catalog says the same.
//!
//! VSAM's keys are of one piece. A data set made for an FD that has keys of several parts holds those keys in front of
//! each record, one after the other: the **head**. Base and alternate indexes are VSAM's own then, over the head.
//!
//! ```text
//! program's record      AA..CC..BB........      prime key AA BB, alternate key CC
//! stored record     AABBAA..CC..BB........      KEYS(4 0), alternate key at 8
//! ```

use crate::libcob::layout::{access, organization, Field, File, Key};
use crate::libcob::Libcob;
use crate::status::Set;
use cica_admin::define::{Alternate, DefineCluster, DefinePath, SphereMember};
use cica_admin::stated::{Form, Stated, Tenure};
use cica_catalog::entry::{Keys, RecordSize, ShareOptions};
use cica_catalog::space::{Space, Unit};
use cica_catalog::{Cluster, Name};
use cica_format::attributes::{self, Organization};
use cica_qsam::CodePage;

/// ALTERNATE RECORD KEY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlternateKey {
    /// Where it stands in a stored record.
    pub offset: usize,
    /// Bytes.
    pub length: usize,
    /// WITH DUPLICATES.
    pub duplicates: bool,
    /// SUPPRESS WHEN ALL this: such records are not in the alternate index.
    pub suppressed: Option<u8>,
}

impl AlternateKey {
    /// The key in a stored record, unless that is too short to have it, or the key is suppressed.
    #[inline]
    pub fn of<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let (offset, length, suppressed) = (self.offset, self.length, self.suppressed);
        let key = attributes::AlternateKey {
            offset,
            length,
            suppressed,
        };
        key.of(record)
    }
}

/// Offset and length of each part of a key in the program's record.
pub type Parts = Vec<(usize, usize)>;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fd {
    /// ORGANIZATION.
    pub organization: u8,
    /// ACCESS MODE.
    pub access: u8,
    /// Offset and length of the prime key in a stored record.
    pub key: Option<(usize, usize)>,
    /// Alternate keys, in the program's order.
    pub alternates: Vec<AlternateKey>,
    /// Where the keys stand in the program's record, the prime key first.
    pub parts: Vec<Parts>,
    /// Bytes of the head.
    pub head: usize,
    /// Least length of the program's record.
    pub least: usize,
    /// Greatest length of the program's record.
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
            parts: Vec::new(),
            head: 0,
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
            // SAFETY: keys of the file.
            fd.parts = keys.iter().map(|key| unsafe { parts(f, key) }).collect();
            let outside = |&(offset, length): &(usize, usize)| offset.saturating_add(length) > f.most;
            if fd.parts.iter().flatten().any(outside) {
                return Err("a key that is not wholly in the record".into());
            }
            fd.place(keys);
        }
        Ok(fd)
    }

    /// Gives each key its place in the stored record.
    fn place(&mut self, keys: &[Key]) {
        let length = |parts: &Parts| parts.iter().map(|(_, length)| length).sum::<usize>();
        self.head = self.parts.iter().filter(|parts| parts.len() > 1).map(length).sum();
        let mut behind = 0;
        for (number, (key, parts)) in keys.iter().zip(&self.parts).enumerate() {
            let length = length(parts);
            let offset = match parts[..] {
                [(offset, _)] => self.head + offset,
                _ => {
                    behind += length;
                    behind - length
                }
            };
            match number {
                0 => self.key = Some((offset, length)),
                _ => self.alternates.push(AlternateKey {
                    offset,
                    length,
                    duplicates: key.duplicates != 0,
                    suppressed: (key.suppress != 0).then_some(key.suppressed as u8),
                }),
            }
        }
    }

    /// Writes the head of a record; `area` is the whole of the record area.
    pub fn gather(&self, area: &[u8], head: &mut [u8]) {
        let mut filled = 0;
        for &(offset, length) in self.parts.iter().filter(|parts| parts.len() > 1).flatten() {
            head[filled..filled + length].copy_from_slice(&area[offset..offset + length]);
            filled += length;
        }
    }

    /// Accessed in order only.
    pub fn in_order(&self) -> bool {
        self.access == access::SEQUENTIAL
    }

    /// Accessed by key or number only: no request goes on from where another was.
    pub fn at_random(&self) -> bool {
        self.access == access::RANDOM
    }

    /// What contradicts the catalog, where statuses are those of this set.
    pub fn conflict(&self, cluster: &Cluster, set: Set) -> Option<String> {
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
        let head = head_of(cluster).unwrap_or(0);
        if head != self.head {
            let own = self.head;
            return Some(format!(
                "the program's keys of several parts have {own} bytes, those the data set was made for {head}"
            ));
        }
        if a.isam_key
            .as_ref()
            .is_some_and(|key| key.contains(['i', 'l', 'd', 'f', '-']))
        {
            return Some(
                "its key has numbers or descends, as an ISAM program said: COBOL would write it as characters".into(),
            );
        }
        if let (Some((offset, length)), Some(keys)) = (self.key, a.keys) {
            if (keys.offset as usize, usize::from(keys.length)) != (offset, length) {
                return Some(format!(
                    "the program's key has {length} bytes at offset {offset}, the data set's {} at {}",
                    keys.length, keys.offset
                ));
            }
        }
        let most = (a.record_size.maximum as usize).saturating_sub(self.head);
        if self.most > most && !self.varying || self.least > most {
            let own = self.most;
            return Some(format!(
                "the program's records have {own} bytes, the data set's at most {most}"
            ));
        }
        // What was defined otherwise may be read by who knows less of it; libcob and z/OS are as strict as this.
        let strict = head_of(cluster).is_some() && self.most < most || set == Set::Enterprise && self.most != most;
        strict.then(|| {
            let own = self.most;
            format!("the program's longest record has {own} bytes, the data set's {most}")
        })
    }

    /// Would [`define`](Self::define) make another data set than this one, which has so many alternate indexes?
    pub fn differs(&self, cluster: &Cluster, alternates: usize) -> bool {
        let (is, one_length) = (&cluster.organization, cluster.attributes.record_size.is_one_length());
        let fixed = self.organization == organization::RELATIVE && self.least == self.most;
        self.conflict(cluster, Set::GnuCobol).is_some()
            || cluster.attributes.record_size.maximum as usize != (self.most + self.head).max(1)
            || alternates != self.alternates.len()
            || fixed != (matches!(is, Organization::Rrds | Organization::Vrrds) && one_length)
    }

    /// What makes such a data set, in this code page if one is given: the cluster, and for each alternate key an
    /// alternate index and the path through it.
    pub fn define(&self, name: &Name, page: Option<CodePage>) -> Vec<SphereMember> {
        let (most, average) = (
            self.head + self.most.max(1),
            self.head + ((self.least + self.most) / 2).max(1),
        );
        // VSAM's rule: no alternate indexes over what is defined REUSE; then they are, and stand for it.
        let mut cluster = Stated {
            reuse: Some(self.alternates.is_empty()),
            ccsid: page.map(CodePage::ccsid),
            ..self.made(name.to_string(), average, most)
        };
        let mut index = None;
        (cluster.form, cluster.keys) = match (self.organization, self.key) {
            (organization::INDEXED, Some((offset, length))) => {
                index = Some(self.index());
                (Some(Form::Indexed), Some(keys(offset, length)))
            }
            (organization::RELATIVE, _) => (Some(Form::Numbered), None),
            _ => (Some(Form::NonIndexed), None),
        };
        let base = DefineCluster {
            cluster,
            index,
            ..DefineCluster::default()
        };
        let mut sphere = vec![SphereMember::Cluster(Box::new(base))];
        for (number, key) in (1..).zip(&self.alternates) {
            let aix = format!("{name}.AIX{number}");
            sphere.push(SphereMember::Cluster(Box::new(self.alternate(name, aix.clone(), key))));
            sphere.push(SphereMember::Path(DefinePath {
                name: format!("{name}.PATH{number}"),
                target: aix,
                ..DefinePath::default()
            }));
        }
        sphere
    }

    /// The alternate index for a key.
    fn alternate(&self, base: &Name, name: String, key: &AlternateKey) -> DefineCluster {
        let pointer = self.key.map_or(0, |(_, length)| length);
        let one = 5 + key.length + pointer;
        let (average, most) = if key.duplicates {
            (one + 9 * pointer, MOST_OF_POINTERS)
        } else {
            (one, one)
        };
        DefineCluster {
            cluster: Stated {
                keys: Some(keys(key.offset, key.length)),
                reuse: Some(true),
                ..self.made(name, average, most)
            },
            index: Some(self.index()),
            alternate: Some(Alternate {
                relate: Some(base.to_string()),
                unique_key: Some(!key.duplicates),
                upgrade: Some(true),
                suppress: key.suppressed,
            }),
            ..DefineCluster::default()
        }
    }

    /// What every data set made here has: several programs may read it, and it grows to tens of gigabytes in the 123
    /// extents that VSAM gives; space is taken when it is written.
    fn made(&self, name: String, average: usize, most: usize) -> Stated {
        Stated {
            name: Some(name),
            record_size: Some(RecordSize {
                average: bounded(average),
                maximum: bounded(most),
            }),
            share: Some(ShareOptions { region: 2, system: 3 }),
            speed: Some(true),
            space: Some(Space {
                unit: Unit::Cylinders,
                primary: 10,
                secondary: 500,
            }),
            tenure: Tenure {
                owner: Some("COBOL".to_owned()),
                expires: None,
            },
            cobol_head: u16::try_from(self.head).ok(),
            ..Stated::default()
        }
    }

    /// CIs of the index hold more than a sequence set record needs, which is what VSAM gives: a record of the index
    /// set then points to hundreds of control areas, and a request goes through a level less.
    fn index(&self) -> Stated {
        Stated {
            ci_size: Some(2048),
            ..Stated::default()
        }
    }
}

/// A key longer than any is refused by DEFINE, in words.
fn keys(offset: usize, length: usize) -> Keys {
    Keys {
        length: u16::try_from(length).unwrap_or(u16::MAX),
        offset: bounded(offset),
    }
}

fn bounded(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The longest record of an alternate index made here: what IDCAMS gives to one that says nothing.
const MOST_OF_POINTERS: usize = 32_600;

/// Bytes of the head of a data set that was made here; none for all others. OPEN OUTPUT with another FD may make it
/// anew, as libcob does with its files.
pub fn head_of(cluster: &Cluster) -> Option<usize> {
    cluster.attributes.cobol_head.map(usize::from)
}

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

/// The parts of a key; those that lie side by side are one.
///
/// # Safety
/// A key of the file, with its field.
unsafe fn parts(f: &File, key: &Key) -> Parts {
    // SAFETY: the caller's promise; the record area is there before the first OPEN.
    let base = unsafe { (*f.record).data as usize };
    let count = (key.parts.max(0) as usize).min(key.part.len());
    let named = key.part[..count].iter().filter(|part| !part.is_null());
    let mut fields: Vec<*mut Field> = named.copied().collect();
    if fields.is_empty() {
        fields.push(key.field);
    }
    let mut parts = Parts::new();
    for field in fields {
        // SAFETY: the caller's promise: fields in the record area.
        let (at, size) = unsafe { ((*field).data as usize - base, (*field).size) };
        match parts.last_mut() {
            Some((offset, length)) if *offset + *length == at => *length += size,
            _ => parts.push((at, size)),
        }
    }
    parts
}

/// The record the program gives: what DEPENDING ON says of its length, else the length of the record named.
///
/// # Safety
/// `file` is a file of the program, `record` null or one of its records.
#[inline]
pub unsafe fn given_length(libcob: &Libcob, file: *const File, record: *const Field) -> usize {
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
