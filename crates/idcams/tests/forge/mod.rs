//! Damage with checksums that are right: what a fault of the engine would leave, not one of the device.
//!
//! A control interval, or the root, of a closed data set is changed, and every checksum above it is made anew, up to
//! the root of the data component. `docs/format` tells where each of them lies.

use cica_format::ca::{self, CaHeader};
use cica_format::checksum::{ci_checksum, Identity};
use cica_format::root::{self, Root};
use cica_format::table::{self, TableBlock};
use std::fs;
use std::path::{Path, PathBuf};

/// One component file and the root that it lies closed with.
struct Component {
    path: PathBuf,
    bytes: Vec<u8>,
    root: Root,
}

/// Changes bytes of a control interval of the component in `path`, a data set's NAME.DATA or NAME.INDEX.
pub fn change_interval(path: &Path, ci: u32, at: usize, new: &[u8]) {
    let mut component = Component::read(path);
    component.change_interval(ci, at, new);
    component.seal();
}

/// Gives the root of a data component another count of records.
pub fn count_records(path: &Path, records: u64) {
    let mut component = Component::read(path);
    component.root.statistics.records = records;
    component.seal();
}

impl Component {
    fn read(path: &Path) -> Component {
        let bytes = fs::read(path).unwrap();
        let copies = [0, root::AREA_LEN].map(|at| Root::decode(&bytes[at..]).ok());
        let root = copies.into_iter().flatten().max_by_key(|root| root.version).unwrap();
        Component {
            path: path.to_owned(),
            bytes,
            root,
        }
    }

    fn ci_size(&self) -> usize {
        self.root.attributes.ci_size as usize
    }

    fn header_len(&self) -> usize {
        CaHeader::encoded_len(self.root.attributes.ci_per_ca.into())
    }

    /// Offset of a region of the first table block.
    fn region(&self, region: u32) -> usize {
        assert!((region as usize) < table::REFS);
        let per_ca = usize::from(self.root.attributes.ci_per_ca);
        let slots = per_ca + (per_ca / 16).max(2);
        let length = (2 * self.header_len() + slots * self.ci_size()).next_multiple_of(4096);
        2 * root::AREA_LEN + 2 * table::BLOCK_LEN + region as usize * length
    }

    fn change_interval(&mut self, ci: u32, at: usize, new: &[u8]) {
        let per_ca = self.root.attributes.ci_per_ca;
        let (ca, place) = (ci / u32::from(per_ca), (ci % u32::from(per_ca)) as usize);
        let table_at = 2 * root::AREA_LEN + (self.root.tables[0].version & 1) as usize * table::BLOCK_LEN;
        let mut block = TableBlock::decode(&self.bytes[table_at..]).unwrap();
        let known = &mut block.refs[ca as usize];
        let header_at = self.region(ca) + (known.version & 1) as usize * self.header_len();
        let mut header = CaHeader::decode(&self.bytes[header_at..], per_ca.into()).unwrap();
        let entry = &mut header.entries[place];
        let slot_at = usize::from(entry.slot) * ca::sector(self.ci_size());
        let image_at = self.region(header.region) + 2 * self.header_len() + slot_at;
        let image = image_at..image_at + self.ci_size();
        self.bytes[image_at + at..][..new.len()].copy_from_slice(new);
        let identity = Identity {
            component: self.root.component,
            ci,
            version: entry.version,
        };
        entry.checksum = ci_checksum(identity, &self.bytes[image]);
        let mut encoded = vec![0; self.header_len()];
        known.checksum = header.encode(&mut encoded);
        self.bytes[header_at..][..encoded.len()].copy_from_slice(&encoded);
        let mut encoded = [0; table::BLOCK_LEN];
        self.root.tables[0].checksum = block.encode(&mut encoded);
        self.bytes[table_at..][..encoded.len()].copy_from_slice(&encoded);
    }

    /// Writes the file with its root in one copy and none in the other, and what the data component knows of it.
    fn seal(mut self) {
        let encoded = self.root.encode().unwrap();
        self.bytes[..2 * root::AREA_LEN].fill(0);
        let at = (self.root.version & 1) as usize * root::AREA_LEN;
        self.bytes[at..][..encoded.len()].copy_from_slice(&encoded);
        fs::write(&self.path, &self.bytes).unwrap();
        if let Some(name) = self.path.to_str().and_then(|path| path.strip_suffix(".INDEX")) {
            let mut data = Component::read(Path::new(&format!("{name}.DATA")));
            data.root.index_root.checksum = Root::checksum_of(&encoded);
            data.seal();
        }
    }
}
