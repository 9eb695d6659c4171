//! A cluster as it is stored: its committed control intervals in the order of the volume, for whoever copies it as a
//! whole. Nothing is split again, ordered or unpacked; CIs are handed on as they are, each checked against its parent.
//!
//! * T1. The committed tree is read under a shared lock, after recovery if that is due: what is handed on is the state
//!   of one moment, which nobody can change meanwhile.
//! * T2. Of a data set that is open for output the tree is read that whoever has it open has pinned (`open/pin.rs`).
//!   Whether it was there to the last is to be asked at the end, before anything counts.

use crate::dictionaries::places;
use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::{open_file, read_index_root};
use crate::roots::read_root;
use crate::store::ComponentLayout;
use cica_disk::{File, Lock, ReadAt};
use cica_format::ca::{CaHeader, NO_SLOT};
use cica_format::checksum::{ci_checksum, crc32c, Identity};
use cica_format::ci;
use cica_format::root::Root;
use cica_format::table::{Ref, TableBlock, BLOCK_LEN, REFS};
use std::path::{Path, PathBuf};

/// A cluster being copied.
#[derive(Debug)]
pub struct Stored {
    /// Its data component.
    pub data: StoredComponent,
    /// Its index component.
    pub index: Option<StoredComponent>,
}

/// A component being copied.
#[derive(Debug)]
pub struct StoredComponent {
    file: Box<dyn File>,
    path: PathBuf,
    root: Root,
    layout: ComponentLayout,
    refs: Vec<Ref>,
}

/// The control intervals of a control area; reused from one to the next.
#[derive(Debug, Default)]
pub struct StoredArea {
    /// The CA's header.
    pub header: Option<CaHeader>,
    images: Vec<u8>,
    /// For each CI with an image: its number in the CA, its flags, and where in `images` it begins.
    places: Vec<(u16, u16, usize)>,
    ci_size: usize,
}

impl StoredArea {
    /// Number in the CA, flags and image of each CI that has one, in CI order.
    pub fn control_intervals(&self) -> impl Iterator<Item = (u16, u16, &[u8])> {
        let image = |at: usize| &self.images[at..at + self.ci_size];
        self.places.iter().map(move |&(n, flags, at)| (n, flags, image(at)))
    }
}

impl Engine {
    /// Opens a cluster to be copied as it is stored; `index` is empty where there is none. Others may read
    /// it meanwhile, nobody may change it.
    ///
    /// # Errors
    /// As opening it for input; an empty data set is no error.
    pub fn stored(&self, data: &Path, index: &Path) -> Result<Stored, OpenError> {
        let (file, root) = self.open_complete(data, index)?;
        self.stored_from(file, root, (data, index))
    }

    /// The same for one whose trees are pinned (T2). The copy counts as open `origin` of it, if that is said.
    ///
    /// # Errors
    /// What cannot be read, or is no data set.
    pub fn stored_pinned(&self, data: &Path, index: &Path, origin: Option<u64>) -> Result<Stored, OpenError> {
        let file = open_file(self.disk(), data, Lock::None, false)?;
        let mut root = read_root(&*file, data)?;
        root.log.origin = origin.unwrap_or(root.log.origin);
        self.stored_from(file, root, (data, index))
    }

    fn stored_from(&self, file: Box<dyn File>, root: Root, (data, index): (&Path, &Path)) -> Result<Stored, OpenError> {
        let index = if index.as_os_str().is_empty() {
            None
        } else {
            let file = open_file(self.disk(), index, Lock::None, false)?;
            let root = read_index_root(&*file, (data, index), &root)?;
            Some(StoredComponent::new(file, index, root)?)
        };
        Ok(Stored {
            data: StoredComponent::new(file, data, root)?,
            index,
        })
    }

    /// The data file of a cluster under a shared lock, with a root that names no log.
    fn open_complete(&self, data: &Path, index: &Path) -> Result<(Box<dyn File>, Root), OpenError> {
        for _ in 0..8 {
            let file = open_file(self.disk(), data, Lock::Shared, false)?;
            let root = read_root(&*file, data)?;
            if root.log.log == 0 {
                return Ok((file, root));
            }
            drop(file);
            self.complete(data, index)?;
        }
        Err(OpenError::Unusable {
            path: data.to_path_buf(),
            what: "recovery does not come to an end".into(),
        })
    }
}

impl StoredComponent {
    pub(crate) fn new(file: Box<dyn File>, path: &Path, root: Root) -> Result<StoredComponent, OpenError> {
        let layout = ComponentLayout::new(root.attributes.ci_size as usize, root.attributes.ci_per_ca as usize);
        let mut component = StoredComponent {
            file,
            path: path.to_path_buf(),
            root,
            layout,
            refs: Vec::new(),
        };
        component.read_tables()?;
        Ok(component)
    }

    /// Its root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The dictionaries of a compressed data set, by number; what is behind the end of one is zeros.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn dictionaries(&self) -> Result<Vec<(u8, Vec<u8>)>, OpenError> {
        if self.root.attributes.compressed {
            places(&*self.file, &self.path)
        } else {
            Ok(Vec::new())
        }
    }

    /// Control areas it has; some may be free.
    pub fn areas(&self) -> u32 {
        self.root.ca_count
    }

    fn read_tables(&mut self) -> Result<(), OpenError> {
        for (block, known) in self.root.tables.clone().iter().enumerate() {
            let at = self.layout.table(block as u32, known.version);
            let bytes = self.read(at, BLOCK_LEN, "read of a table block")?;
            let bad = |what: String| self.unusable(format!("table block {block} at offset {at}: {what}"));
            if crc32c(&bytes) != known.checksum {
                return Err(bad(format!("it is not version {} that the root names", known.version)));
            }
            let table = TableBlock::decode(&bytes).map_err(|e| bad(e.to_string()))?;
            if table.component != self.root.component || table.block != block as u32 {
                return Err(bad("it belongs elsewhere".into()));
            }
            self.refs.extend(table.refs);
        }
        if self.refs.len() < self.root.ca_count as usize || self.refs.len() > self.root.tables.len() * REFS {
            let what = format!(
                "the root counts {} CAs, the tables name {}",
                self.root.ca_count,
                self.refs.len()
            );
            return Err(self.unusable(what));
        }
        Ok(())
    }

    /// Reads control area `ca` into `area`: its header, and its CIs with as few reads as their slots allow.
    ///
    /// # Errors
    /// What is on the volume is not what was written there; the words name the place.
    pub fn area(&self, ca: u32, area: &mut StoredArea) -> Result<(), OpenError> {
        let header = self.header(ca)?;
        let size = self.layout.ci_size;
        (area.ci_size, area.places) = (size, Vec::with_capacity(header.entries.len()));
        area.images.clear();
        let layout = &self.layout;
        let entries = header.entries.iter().enumerate();
        let kept: Vec<_> = entries
            .filter(|(_, entry)| entry.slot != NO_SLOT)
            .map(|(n, entry)| (n, entry, layout.place(header.in_sectors, entry)))
            .collect();
        // Where sector 0 of the region, and of the annex, is or would be in `images`.
        let mut begins = [0; 2];
        for (part, begin) in begins.iter_mut().enumerate() {
            let here = || {
                kept.iter()
                    .map(|(.., place)| place)
                    .filter(|(slot, _)| usize::from(*slot) / layout.sectors == part)
            };
            let first = here().map(|(slot, _)| usize::from(*slot) % layout.sectors).min();
            let end =
                here().map(|&(slot, left_out)| usize::from(slot) % layout.sectors + layout.stored_sectors(left_out));
            if let (Some(first), Some(end)) = (first, end.max()) {
                let region = [Some(header.region), header.annex][part]
                    .ok_or_else(|| self.unusable(format!("CA {ca}: it has slots in an annex that it has not")))?;
                let held = area.images.len();
                area.images.resize(held + (end - first) * layout.sector, 0);
                let at = layout.slot(region, first as u16);
                self.read_into(at, &mut area.images[held..], "read of control intervals")?;
                *begin = held as isize - (first * layout.sector) as isize;
            }
        }
        for (n, entry, (slot, left_out)) in kept {
            let Some(begin) = begins.get(usize::from(slot) / layout.sectors) else {
                return Err(self.unusable(format!("CA {ca}: slot {slot} is beyond its regions")));
            };
            let begin = (begin + (usize::from(slot) % layout.sectors * layout.sector) as isize) as usize;
            let (ci, stored) = (layout.join(ca, n as u32), layout.stored_len(left_out));
            let id = Identity {
                component: self.root.component,
                ci,
                version: entry.version,
            };
            let wrong = |what: String| self.unusable(format!("CI {ci} (RBA {}): {what}", u64::from(ci) * size as u64));
            if ci_checksum(id, &area.images[begin..begin + stored]) != entry.checksum {
                return Err(wrong(format!(
                    "the image on the volume is not version {} that was written there",
                    entry.version
                )));
            }
            let at = match left_out {
                0 => begin,
                _ => {
                    let whole = area.images.len();
                    area.images.extend_from_within(begin..begin + stored);
                    area.images.resize(whole + size, 0);
                    ci::expand(&mut area.images[whole..], stored).map_err(|e| wrong(e.to_string()))?;
                    whole
                }
            };
            area.places.push((n as u16, entry.flags, at));
        }
        area.header = Some(header);
        Ok(())
    }

    /// Bytes of all images, as they are stored.
    ///
    /// # Errors
    /// A header is not the one that its table names.
    pub(crate) fn used(&self) -> Result<u64, OpenError> {
        let of = |ca: u32| {
            let header = self.header(ca)?;
            let kept = header.entries.iter().filter(|entry| entry.slot != NO_SLOT);
            let stored = kept.map(|entry| self.layout.stored_len(entry.left_out) as u64);
            Ok(stored.sum::<u64>())
        };
        (0..self.areas()).map(of).sum()
    }

    fn header(&self, ca: u32) -> Result<CaHeader, OpenError> {
        let known = self.refs.get(ca as usize).copied().unwrap_or_default();
        let at = self.layout.header(ca, known.version);
        let wrong = |what: String| self.unusable(format!("CA {ca}: header at offset {at}: {what}"));
        if known.version == 0 {
            return Err(wrong("was never written".into()));
        }
        let bytes = self.read(at, self.layout.header_len, "read of a CA header")?;
        if crc32c(&bytes) != known.checksum {
            return Err(wrong(format!("is not version {} that its table names", known.version)));
        }
        let header = CaHeader::decode(&bytes, self.layout.ci_per_ca).map_err(|e| wrong(e.to_string()))?;
        if header.component == self.root.component && header.ca == ca {
            Ok(header)
        } else {
            Err(wrong("belongs elsewhere".into()))
        }
    }

    fn read(&self, at: u64, len: usize, doing: &'static str) -> Result<Vec<u8>, OpenError> {
        let mut bytes = vec![0; len];
        self.read_into(at, &mut bytes, doing)?;
        Ok(bytes)
    }

    fn read_into(&self, at: u64, bytes: &mut [u8], doing: &'static str) -> Result<(), OpenError> {
        let want = bytes.len();
        let mut batch = [ReadAt { at, buf: bytes, got: 0 }];
        self.file.read(&mut batch).map_err(|error| OpenError::Io {
            path: self.path.clone(),
            doing,
            error,
        })?;
        match batch[0].got {
            got if got == want => Ok(()),
            got => Err(self.unusable(format!("the file ends {} bytes too early at byte {at}", want - got))),
        }
    }

    fn unusable(&self, what: String) -> OpenError {
        OpenError::Unusable {
            path: self.path.clone(),
            what,
        }
    }
}
