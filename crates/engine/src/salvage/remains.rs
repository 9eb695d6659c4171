//! What is left of a component's file: root, tables and CA headers, each with what speaks against it.

use super::geometry;
use super::report::Doubt;
use super::source::Source;
use crate::error::OpenError;
use crate::store::ComponentLayout;
use cica_format::attributes::Attributes;
use cica_format::ca::{CaHeader, CiEntry, NO_SLOT};
use cica_format::checksum::{ci_checksum, crc32c, Identity};
use cica_format::ci;
use cica_format::root::{Part, Root};
use cica_format::table::{Ref, TableBlock, BLOCK_LEN, REFS};

/// See the module.
#[derive(Debug)]
pub struct Remains {
    pub file: Source,
    pub root: Option<Root>,
    pub layout: ComponentLayout,
    /// The id that headers and images carry.
    component: u64,
    /// Of each CA: what its table says, or that the table is lost.
    refs: Vec<Option<Ref>>,
    /// Control areas that the root counts behind the end of the file.
    pub cut_off: u32,
    /// What its log makes doubtful, if its root names one.
    pub of_log: Option<Doubt>,
    pub notes: Vec<String>,
}

/// A control area.
#[derive(Debug)]
pub enum Area {
    /// Reclaimed, or never used.
    Empty,
    /// It has a header.
    Known(KnownCa),
    /// No copy of its header is one.
    Lost(String),
}

/// A control area with a header.
#[derive(Debug)]
pub struct KnownCa {
    pub header: CaHeader,
    /// What speaks against it.
    pub doubt: Option<Doubt>,
    /// A copy of the header cannot be read that may have been the newer one: what it named is lost.
    pub lost: Option<String>,
}

/// The image of a control interval.
pub enum Image {
    /// As it was written.
    Good(Vec<u8>),
    /// Not so; the bytes that are there, if they can be read.
    Bad(Option<Vec<u8>>, String),
}

impl Remains {
    /// Of a file. `known`: attributes from elsewhere, for when the root is lost.
    ///
    /// # Errors
    /// The file cannot be opened; or its root is lost and nothing tells the sizes of what is in it.
    pub fn of(source: Source, part: Part, known: Option<&Attributes>) -> Result<Remains, OpenError> {
        let mut notes = Vec::new();
        let root = source.root(part, &mut notes);
        let (layout, component) = match &root {
            Some(root) => {
                let a = &root.attributes;
                (
                    ComponentLayout::new(a.ci_size as usize, a.ci_per_ca as usize),
                    root.component,
                )
            }
            None => geometry::learn(&source, known).ok_or_else(|| OpenError::Unusable {
                path: source.path.clone(),
                what: "both copies of its root are lost, and no CA header with a control interval tells its sizes"
                    .into(),
            })?,
        };
        let mut remains = Remains {
            file: source,
            root,
            layout,
            component,
            refs: Vec::new(),
            cut_off: 0,
            of_log: Some(Doubt::Log),
            notes,
        };
        remains.refs = remains.tables();
        let counted = remains.root.as_ref().map_or(0, |root| root.ca_count);
        remains.cut_off = counted.saturating_sub(remains.areas());
        Ok(remains)
    }

    /// Control areas there may be.
    pub fn areas(&self) -> u32 {
        self.refs.len() as u32
    }

    /// What to say of the control areas behind the end of the file.
    pub fn cut_off_words(&self) -> Option<String> {
        let words = || {
            format!(
                "the file ends before it; {} control areas lie behind its end",
                self.cut_off
            )
        };
        (self.cut_off > 0).then(words)
    }

    /// Regions that lie in the file.
    pub fn regions(&self) -> u32 {
        let most = self.file.len / self.layout.region_len.max(1) as u64 + 1;
        (0..most.min(u64::from(u32::MAX)) as u32)
            .take_while(|&n| self.layout.region(n) < self.file.len)
            .count() as u32
    }

    fn tables(&mut self) -> Vec<Option<Ref>> {
        let Some(root) = &self.root else {
            return vec![None; self.regions() as usize];
        };
        let mut refs = Vec::new();
        for (block, known) in root.tables.iter().enumerate() {
            let at = self.layout.table(block as u32, known.version);
            let table = self.file.read(at, BLOCK_LEN).and_then(|bytes| {
                let table = TableBlock::decode(&bytes).map_err(|e| e.to_string())?;
                let is = crc32c(&bytes) == known.checksum
                    && table.component == self.component
                    && table.block == block as u32;
                is.then_some(table)
                    .ok_or_else(|| format!("is not version {} that the root names", known.version))
            });
            match table {
                Ok(table) => refs.extend(table.refs.into_iter().map(Some)),
                Err(why) => {
                    self.notes.push(format!("table block {block} at byte {at}: {why}"));
                    refs.resize((block + 1) * REFS, None);
                }
            }
        }
        // A CA's header lies in the region of its number.
        refs.resize(root.ca_count.min(self.regions()) as usize, None);
        refs
    }

    /// What is known of a control area.
    pub fn area(&self, ca: u32) -> Area {
        let known = self.refs.get(ca as usize).copied().flatten();
        if known.is_some_and(|known| known.version == 0) {
            return Area::Empty;
        }
        if let Some(known) = known {
            if let Ok((header, checksum)) = self.header(ca, known.version & 1) {
                if checksum == known.checksum {
                    return of_header(header, self.doubt_of_root(), None);
                }
            }
        }
        let copies = [self.header(ca, 0), self.header(ca, 1)];
        let doubt = match (&self.root, known) {
            (None, _) => Doubt::Root,
            (_, None) => Doubt::Table,
            _ => Doubt::Header,
        };
        let newest = copies.iter().flatten().reduce(|a, b| {
            if b.0.version.wrapping_sub(a.0.version) as i32 > 0 {
                b
            } else {
                a
            }
        });
        let why = copies.iter().enumerate().find_map(|(copy, read)| {
            let why = read.as_ref().err().filter(|_| !self.is_unwritten(ca, copy as u32))?;
            Some(format!("copy {copy} of its header: {why}"))
        });
        match (newest, why) {
            (Some((header, _)), None) if doubt == Doubt::Header => {
                let why = "neither copy of its header is the one that its table names".into();
                of_header(header.clone(), Some(doubt), Some(why))
            }
            (Some((header, _)), why) => of_header(header.clone(), Some(doubt), why),
            (None, None) if self.root.is_none() => Area::Empty,
            (None, why) => Area::Lost(why.unwrap_or_else(|| "its header was never written".into())),
        }
    }

    /// What speaks against everything that the root names.
    fn doubt_of_root(&self) -> Option<Doubt> {
        match &self.root {
            None => Some(Doubt::Root),
            Some(root) if root.log.log != 0 => self.of_log,
            Some(_) => None,
        }
    }

    fn header(&self, ca: u32, copy: u32) -> Result<(CaHeader, u32), String> {
        let bytes = self.file.read(self.layout.header(ca, copy), self.layout.header_len)?;
        let header = CaHeader::decode(&bytes, self.layout.ci_per_ca).map_err(|e| e.to_string())?;
        if header.component == self.component && header.ca == ca && header.version & 1 == copy {
            Ok((header, crc32c(&bytes)))
        } else {
            Err("it belongs elsewhere".into())
        }
    }

    /// Nothing was ever written where a copy of the CA's header would be.
    fn is_unwritten(&self, ca: u32, copy: u32) -> bool {
        let header = self.file.read(self.layout.header(ca, copy), self.layout.header_len);
        header.is_ok_and(|bytes| bytes.iter().all(|&byte| byte == 0))
    }

    /// Where what is stored of a CI's image lies, and how long it is.
    pub fn place(&self, header: &CaHeader, entry: &CiEntry) -> Option<(u64, usize)> {
        let (slot, left_out) = self.layout.place(header.in_sectors, entry);
        let region = match usize::from(slot) / self.layout.sectors {
            0 => header.region,
            1 => header.annex?,
            _ => return None,
        };
        let slot = (usize::from(slot) % self.layout.sectors) as u16;
        Some((self.layout.slot(region, slot), self.layout.stored_len(left_out)))
    }

    /// The image of the CA's `n`-th CI; none: it has none.
    pub fn image(&self, header: &CaHeader, n: usize) -> Option<Image> {
        let entry = header.entries.get(n).filter(|entry| entry.slot != NO_SLOT)?;
        let Some((at, stored)) = self.place(header, entry) else {
            return Some(Image::Bad(None, format!("slot {} is beyond its regions", entry.slot)));
        };
        let identity = Identity {
            component: self.component,
            ci: self.layout.join(header.ca, n as u32),
            version: entry.version,
        };
        // What is damaged may not be one that can be made whole again; then it is looked at as it is.
        let whole = |mut bytes: Vec<u8>| {
            bytes.resize(self.layout.ci_size, 0);
            let _ = ci::expand(&mut bytes, stored);
            bytes
        };
        Some(match self.file.read(at, stored) {
            Ok(bytes) if ci_checksum(identity, &bytes) == entry.checksum => Image::Good(whole(bytes)),
            Ok(bytes) => Image::Bad(
                Some(whole(bytes)),
                format!(
                    "its image at byte {at} is not version {} that was written",
                    entry.version
                ),
            ),
            Err(why) => Image::Bad(None, format!("its image at byte {at}: {why}")),
        })
    }
}

fn of_header(header: CaHeader, doubt: Option<Doubt>, lost: Option<String>) -> Area {
    match (header.flags & 1, &lost) {
        (1, None) => Area::Empty,
        _ => Area::Known(KnownCa { header, doubt, lost }),
    }
}
