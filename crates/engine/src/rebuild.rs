//! Makes a cluster's files from control intervals that were copied as they were stored.
//!
//! * B1. Everything is written to fresh files: each CA to the region of its number, its CIs from the first slot on. So
//!   a rebuilt component is contiguous, though no CI, freespace or split is other than it was.
//! * B2. The data component's root is written after all else is durable, names included. So files of a rebuild that did
//!   not come to its end are no data set, and no open takes them.
//! * B3. What takes the name of the original keeps its lineage: archive and log know it as the same data set. What gets
//!   another name gets a lineage of its own, as the original may live on; and so does what takes the name while the
//!   original lives on under another. They share no archive. Base and alternate indexes that were copied together keep
//!   what they know of each other.

use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::{new_file, sync_directory};
use crate::log::owned_parts;
use crate::open::OpenDataSet;
use crate::request::OpenOptions;
use crate::roots::{read_copy, read_root};
use crate::store::ComponentLayout;
use crate::volumes::mark_volume;
use crate::write_check;
use cica_compress::GENERATIONS;
use cica_disk::{File, WriteAt};
use cica_format::attributes::{Attributes, Organization};
use cica_format::ca::{CaHeader, CiEntry, NO_SLOT};
use cica_format::checksum::{ci_checksum, Identity};
use cica_format::ci;
use cica_format::root::{dictionary_at, LogPosition, Part, Root, DICTIONARY_LEN};
use cica_format::table::{Ref, TableBlock, BLOCK_LEN, REFS};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Extents that a volume holds of a component.
const MOST_EXTENTS: u32 = 123;
/// The version of everything in a rebuilt file.
const VERSION: u32 = 1;

/// Where a sphere that is rebuilt under another name leaves the line of the one that was copied (B3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch(u64);

impl Branch {
    /// The lineage that a member has on the branch: no two lineages become the same.
    fn of(self, lineage: u64) -> u64 {
        // A bijection that leaves no bit where it was (the finalizer of splitmix64).
        let mixed = (lineage ^ self.0).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31).max(1)
    }

    /// A root says of its data set, of its base and its alternate indexes what they are on the branch.
    fn take(self, root: &mut Root) {
        root.lineage = self.of(root.lineage());
        let known = root.ties.iter_mut().map(|tie| &mut tie.lineage);
        let named = known.chain(std::iter::once(&mut root.built_from.lineage));
        named
            .filter(|lineage| **lineage != 0)
            .for_each(|lineage| *lineage = self.of(*lineage));
    }
}

/// A component whose file is being made.
#[derive(Debug)]
pub struct Rebuild {
    file: Arc<dyn File>,
    path: PathBuf,
    root: Root,
    layout: ComponentLayout,
    refs: Vec<Ref>,
    /// The CA whose CIs come in.
    area: Option<CaHeader>,
    /// Its images, in the order of their slots.
    images: Vec<u8>,
}

impl Engine {
    /// A branch that no other data set is on, for one sphere that gets another name.
    pub fn new_branch(&self) -> Branch {
        Branch(self.new_id(Path::new(""), 3))
    }

    /// Begins a component's file at `path`: one with the structure of `root`, with other names; on `branch`, if the data
    /// set has another name (B3).
    ///
    /// # Errors
    /// The file is there already or cannot be made.
    pub fn rebuild(
        &self,
        path: &Path,
        root: &Root,
        attributes: Attributes,
        branch: Option<Branch>,
    ) -> Result<Rebuild, OpenError> {
        let file = new_file(self.disk(), path)?;
        let file = write_check::as_defined(file, attributes.write_check, attributes.ci_size);
        let salt = match root.part {
            Part::Data => 1,
            Part::Index => 2,
        };
        let layout = ComponentLayout::new(attributes.ci_size as usize, attributes.ci_per_ca as usize);
        let mut root = Root {
            version: VERSION,
            component: self.new_id(path, salt),
            attributes,
            lineage: root.lineage(),
            log: LogPosition {
                origin: root.log.origin,
                ..LogPosition::default()
            },
            ca_count: 0,
            region_count: 0,
            free_regions: Vec::new(),
            tables: Vec::new(),
            index_root: Ref::default(),
            ..root.clone()
        };
        if let Some(branch) = branch {
            branch.take(&mut root);
        }
        Ok(Rebuild {
            file,
            path: path.to_path_buf(),
            root,
            layout,
            refs: Vec::new(),
            area: None,
            images: Vec::new(),
        })
    }

    /// Makes the components durable, and then a cluster: from here on its files can be opened.
    ///
    /// # Errors
    /// What could not be written. The files are no cluster then.
    pub fn complete_rebuild(&self, mut data: Rebuild, index: Option<Rebuild>) -> Result<(), OpenError> {
        let cluster = self.new_id(&data.path, 0);
        let mut directories = vec![data.directory()];
        data.end_areas()?;
        if let Some(mut index) = index {
            directories.push(index.directory());
            index.end_areas()?;
            data.root.index_root = index.write_roots(cluster)?;
        }
        mark_volume(self.disk(), &data.path)?;
        directories.dedup();
        directories
            .iter()
            .flatten()
            .try_for_each(|d| sync_directory(self.disk(), d))?;
        data.write_roots(cluster).map(drop)
    }
}

impl Engine {
    /// Takes back what units had done that were open when the trees were pinned of which this data set was made, and
    /// which nobody has open; `undo` is
    /// [`PinnedTree::undo`](crate::far::PinnedTree::undo). Tells how many records it has then. Nothing of it is logged:
    /// if this does not come to its end, the data set is of no use.
    ///
    /// # Errors
    /// `undo` is not of this data set and moment; it cannot be written.
    pub fn take_back(&self, data: &Path, index: &Path, undo: &[u8]) -> Result<u64, OpenError> {
        let file = self.open_for_itself(data)?;
        let root = read_root(&*file, data)?;
        let requests = owned_parts(undo).map_err(|error| OpenError::Unusable {
            path: data.to_path_buf(),
            what: format!("what takes open units back in it: {error}"),
        })?;
        let inner = OpenDataSet::open(self.shared(), file, root, data, index, OpenOptions::recovery())?;
        inner.exceed_definition();
        inner.stay_of_its_moment();
        let done = requests.iter().try_for_each(|request| inner.undo_copied(request));
        let ended = done.and_then(|()| inner.end_recovery());
        let records = inner.committed_root().statistics.records;
        inner.leave();
        ended.map(|()| records)
    }
}

impl Rebuild {
    /// Bytes of a control interval.
    pub fn ci_size(&self) -> usize {
        self.layout.ci_size
    }

    /// The component has so many volumes here. If it had extents on one more, they all count on the first: it is
    /// contiguous, and goes on from there to the next. More than a volume holds are one.
    pub fn on_volumes(&mut self, count: usize) {
        if !self.root.further_extents.is_empty() && self.root.further_extents.len() >= count {
            self.root.further_extents.clear();
            if self.root.extents >= MOST_EXTENTS {
                self.root.extents = 1;
            }
        }
    }

    /// Is it the data component?
    pub fn is_data(&self) -> bool {
        self.root.part == Part::Data
    }

    /// Puts a dictionary in that the copy has.
    ///
    /// # Errors
    /// There is no such place; it could not be written.
    pub fn dictionary(&mut self, generation: u8, bytes: &[u8]) -> Result<(), OpenError> {
        let known = (1..=GENERATIONS).contains(&usize::from(generation)) && bytes.len() <= DICTIONARY_LEN;
        if !known || !self.root.attributes.compressed {
            return Err(self.unusable(format!("dictionary {generation} has no place there")));
        }
        self.write(dictionary_at(generation), bytes)
    }

    /// Control areas so far.
    pub fn areas(&self) -> u32 {
        self.refs.len() as u32 + u32::from(self.area.is_some())
    }

    /// Begins control area `ca`, or goes on with it if it is the one begun last.
    ///
    /// # Errors
    /// It is not the next one; the one before could not be written.
    pub fn area(&mut self, ca: u32, flags: u32, next_free: u32) -> Result<(), OpenError> {
        if self.area.as_ref().is_some_and(|area| area.ca == ca) {
            return Ok(());
        }
        self.end_area()?;
        if ca as usize != self.refs.len() || self.refs.len() >= Root::max_tables(self.root.attributes.compressed) * REFS
        {
            let what = format!(
                "CA {ca} does not follow CA {} before it",
                self.refs.len().wrapping_sub(1)
            );
            return Err(self.unusable(what));
        }
        let length = self.layout.file_len(ca + 1);
        // The space is taken by what is written.
        self.file.lengthen(length).map_err(|e| self.io("growing", e))?;
        let none = CiEntry {
            slot: NO_SLOT,
            left_out: 0,
            flags: 0,
            version: 0,
            checksum: 0,
        };
        self.area = Some(CaHeader {
            component: self.root.component,
            ca,
            version: VERSION,
            region: ca,
            annex: None,
            flags,
            in_sectors: true,
            next_free,
            entries: vec![none; self.layout.ci_per_ca],
        });
        Ok(())
    }

    /// Adds a CI of that area.
    ///
    /// # Errors
    /// There is no such CI, or it came before; it could not be written.
    pub fn control_interval(&mut self, number: u16, flags: u16, image: &[u8]) -> Result<(), OpenError> {
        let Some(area) = &mut self.area else {
            return Err(self.unusable("a control interval without its control area".into()));
        };
        let ci = self.layout.join(area.ca, u32::from(number));
        let id = Identity {
            component: self.root.component,
            ci,
            version: VERSION,
        };
        let left_out = if self.root.part == Part::Data && has_free_space(self.root.attributes.organization) {
            self.layout.left_out(ci::free_len(image))
        } else {
            0
        };
        // A CI comes once, so all of them have room in their region.
        let (begin, slot) = (self.images.len(), (self.images.len() / self.layout.sector) as u16);
        self.images.extend_from_slice(image);
        if left_out > 0 {
            ci::close_up(&mut self.images[begin..], usize::from(left_out) * self.layout.sector);
            self.images.truncate(begin + self.layout.stored_len(left_out));
        }
        let new = CiEntry {
            slot,
            left_out,
            flags,
            version: VERSION,
            checksum: ci_checksum(id, &self.images[begin..]),
        };
        match area.entries.get_mut(usize::from(number)) {
            Some(entry) if entry.slot == NO_SLOT && image.len() == self.layout.ci_size => *entry = new,
            _ => {
                let what = format!("control interval {number} of CA {} does not fit there", area.ca);
                return Err(self.unusable(what));
            }
        }
        Ok(())
    }

    /// Writes the CA and remembers its header.
    fn end_area(&mut self) -> Result<(), OpenError> {
        let Some(area) = self.area.take() else { return Ok(()) };
        self.write(self.layout.slot(area.region, 0), &self.images)?;
        let mut header = vec![0; self.layout.header_len];
        let checksum = area.encode(&mut header);
        self.write(self.layout.header(area.ca, VERSION), &header)?;
        self.refs.push(Ref {
            version: VERSION,
            checksum,
        });
        self.images.clear();
        Ok(())
    }

    fn end_areas(&mut self) -> Result<(), OpenError> {
        self.end_area()?;
        let blocks: Vec<Vec<Ref>> = self.refs.chunks(REFS).map(<[Ref]>::to_vec).collect();
        for (block, refs) in blocks.into_iter().enumerate() {
            let mut bytes = [0; BLOCK_LEN];
            let checksum = TableBlock {
                component: self.root.component,
                block: block as u32,
                version: VERSION,
                refs,
            }
            .encode(&mut bytes);
            self.write(self.layout.table(block as u32, VERSION), &bytes)?;
            self.root.tables.push(Ref {
                version: VERSION,
                checksum,
            });
        }
        self.root.ca_count = self.refs.len() as u32;
        self.root.region_count = self.root.ca_count;
        self.file
            .size(Some(self.layout.file_len(self.root.region_count)))
            .map_err(|e| self.io("growing", e))?;
        self.file.sync().map_err(|e| self.io("sync", e))
    }

    /// Writes the root to both copies (B2), so that damage to either is harmless; the reference is to the newer.
    fn write_roots(&mut self, cluster: u64) -> Result<Ref, OpenError> {
        self.root.cluster = cluster;
        let mut newest = Ref::default();
        for version in [VERSION, VERSION + 1] {
            self.root.version = version;
            let bytes = self.root.encode().map_err(|e| self.unusable(e.to_string()))?;
            self.write(self.layout.root(version), &bytes)?;
            self.file.sync().map_err(|e| self.io("sync", e))?;
            newest = Ref {
                version,
                checksum: Root::checksum_of(&bytes),
            };
        }
        // What is read back decides: a root that is not what was written would be found out only at the next open.
        match read_copy(&*self.file, &self.path, newest.version & 1)? {
            Ok(root) if root == self.root => Ok(newest),
            _ => Err(self.unusable("its root does not read back as it was written".into())),
        }
    }

    fn directory(&self) -> Option<PathBuf> {
        self.path.parent().map(Path::to_path_buf)
    }

    fn write(&self, at: u64, buf: &[u8]) -> Result<(), OpenError> {
        if buf.is_empty() {
            return Ok(());
        }
        self.file.write(&[WriteAt { at, buf }]).map_err(|e| self.io("write", e))
    }

    fn io(&self, doing: &'static str, error: std::io::Error) -> OpenError {
        OpenError::Io {
            path: self.path.clone(),
            doing,
            error,
        }
    }

    fn unusable(&self, what: String) -> OpenError {
        OpenError::Unusable {
            path: self.path.clone(),
            what,
        }
    }
}

/// Do its CIs have free space between records and RDFs?
fn has_free_space(organization: Organization) -> bool {
    matches!(
        organization,
        Organization::Ksds | Organization::Esds | Organization::Vrrds
    )
}
