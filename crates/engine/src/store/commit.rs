//! The component's part of a commit: everything but the data root (R3).

use super::{CaPage, Component, Crowded};
use crate::error::RequestError;
use crate::pool::NO_FRAME;
use crate::roots::read_root_and_twin;
use crate::sync::atomic::Ordering::Relaxed;
use cica_counters::ComponentCount;
use cica_disk::WriteAt;
use cica_format::root::Root;
use cica_format::table::{Ref, TableBlock, BLOCK_LEN, REFS};
use std::collections::BTreeSet;

impl Component {
    /// Writes dirty CIs, changed headers and the table blocks above them. The caller keeps writers out and syncs
    /// afterwards.
    pub fn write_changes(&self) -> Result<(), RequestError> {
        let changed: Vec<u32> = self.changed.lock().iter().copied().collect();
        for ca in changed {
            let _guard = self.lock(ca).lock();
            let frame = self.directory.get(ca);
            // A descriptor that was given up wrote its header then, and its CIs had been given up before.
            if frame != NO_FRAME {
                let page = CaPage::of(self.pool.view(frame));
                self.write_dirty(ca, page)?;
                self.write_header(ca, page)?;
            }
            self.changed.lock().remove(&ca);
        }
        self.write_tables()
    }

    fn write_tables(&self) -> Result<(), RequestError> {
        let mut space = self.space.lock();
        let blocks: BTreeSet<usize> = space.pending.keys().map(|&ca| ca as usize / REFS).collect();
        for block in blocks {
            if space.tables.len() <= block {
                space.tables.resize(block + 1, Ref::default());
            }
            let version = space.tables[block].version.wrapping_add(1).max(1);
            let refs = space.refs.of_block(block).to_vec();
            let mut bytes = [0; BLOCK_LEN];
            let checksum = TableBlock {
                component: self.id,
                block: block as u32,
                version,
                refs,
            }
            .encode(&mut bytes);
            let at = self.layout.table(block as u32, version);
            self.count_io(1);
            self.file()
                .and_then(|f| f.write(&[WriteAt { at, buf: &bytes }]))
                .map_err(|e| self.write_error(format!("{}, table block {block}: write failed: {e}", self.name)))?;
            space.tables[block] = Ref { version, checksum };
        }
        Ok(())
    }

    /// Puts what this component knows into a root.
    pub fn describe(&self, root: &mut Root) {
        let space = self.space.lock();
        root.ca_count = space.ca_count;
        root.free_ca = space.free_ca;
        root.region_count = space.region_count;
        root.free_regions = space
            .free_regions
            .iter()
            .chain(&space.freed)
            .copied()
            .take(Root::max_free_regions(space.tables.len(), self.compressed))
            .collect();
        root.tables = space.tables.clone();
        root.high_used = space.ca_count as u64 * (self.layout.ci_per_ca * self.layout.ci_size) as u64;
        root.high_allocated = space.extents.high_allocated;
        root.extents = space.extents.count;
        root.further_extents.clone_from(&space.extents.further);
    }

    /// Writes a root to its copy; returns its checksum.
    pub fn write_root(&self, root: &Root) -> Result<u32, RequestError> {
        let bytes = root
            .encode()
            .map_err(|e| self.write_error(format!("{}: root: {e}", self.name)))?;
        self.count_io(1);
        self.file()
            .and_then(|f| {
                f.write(&[WriteAt {
                    at: self.layout.root(root.version),
                    buf: &bytes,
                }])
            })
            .map_err(|e| self.write_error(format!("{}: root write failed: {e}", self.name)))?;
        self.root_waits.store(true, Relaxed);
        Ok(Root::checksum_of(&bytes))
    }

    /// Whether both copies have this root, the newest there is: then the older one is durable (R7).
    pub fn has_root_twice(&self, root: &Root) -> Result<bool, RequestError> {
        let file = self
            .file()
            .map_err(|e| self.write_error(format!("{}: {e}", self.name)))?;
        let read = read_root_and_twin(&*file, &self.path);
        let (newest, twice) = read.map_err(|e| self.write_error(format!("{}: {e}", self.name)))?;
        Ok(twice && newest.version == root.version)
    }

    /// Makes all writes so far durable. A failure is final (D3).
    pub fn sync(&self) -> Result<(), RequestError> {
        let written = self.written.load(Relaxed);
        self.root_waits.store(false, Relaxed);
        self.file()
            .and_then(|f| f.sync())
            .map_err(|e| self.write_error(format!("{}: sync of {} failed: {e}", self.name, self.path.display())))?;
        self.synced.fetch_max(written, Relaxed);
        Ok(())
    }

    /// The same, if a root was written since the last one.
    pub fn sync_root(&self) -> Result<(), RequestError> {
        if self.root_waits.load(Relaxed) {
            self.sync()?;
        }
        Ok(())
    }

    /// The root that names everything written is durable: old slots and regions are free (R2).
    pub fn committed(&self) {
        let changed: Vec<u32> = {
            let mut space = self.space.lock();
            let freed = std::mem::take(&mut space.freed);
            space.free_regions.extend(freed);
            Component::sort_free_regions(&mut space.free_regions);
            space.pending.drain().map(|(ca, _)| ca).collect()
        };
        self.crowded.store(Crowded::No as u8, Relaxed);
        for ca in changed {
            let _guard = self.lock(ca).lock();
            let frame = self.directory.get(ca);
            if frame != NO_FRAME {
                CaPage::of(self.pool.view(frame)).commit(self.layout.ci_per_ca);
            }
        }
    }

    /// Empties the component in memory (RESET). The caller commits, then calls [`cut`](Self::cut).
    pub fn reset(&self) {
        self.drop_resident();
        let mut space = self.space.lock();
        space.ca_count = 0;
        space.free_ca = u32::MAX;
        space.region_count = 0;
        space.room = 0;
        space.free_regions.clear();
        space.hollow.clear();
        space.freed.clear();
        space.pending.clear();
        space.refs.truncate(0);
        space.tables.clear();
        space.extents.reset();
        self.used.store(0, Relaxed);
        self.show(ComponentCount::UsedCis, |cell| cell.store(0, Relaxed));
    }

    /// Gives what lies behind the last region back to the file system. Both copies of the root that says so are
    /// durable.
    pub fn cut(&self) -> Result<(), RequestError> {
        let length = self.layout.file_len(self.space.lock().region_count);
        self.file()
            .and_then(|f| f.size(Some(length)))
            .map(drop)
            .map_err(|e| self.write_error(format!("{}: {e}", self.path.display())))
    }
}
