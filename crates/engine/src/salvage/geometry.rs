//! Sizes of a component whose root is lost, from its CA headers: these count the CIs of a CA, and a CI whose checksum
//! comes out right where it would lie with some CISZ proves that CISZ.

use super::source::Source;
use crate::store::ComponentLayout;
use cica_format::attributes::Attributes;
use cica_format::ca::{CaHeader, HEADER_LEN, MAGIC, NO_SLOT};
use cica_format::checksum::{ci_checksum, Identity};

/// Headers lie at multiples of this.
const BLOCK: u64 = 4096;
/// Bytes looked through for the first headers.
const FAR: u64 = 64 << 20;
/// Headers that are tried.
const ENOUGH: usize = 8;

/// Layout and component id.
pub fn learn(source: &Source, known: Option<&Attributes>) -> Option<(ComponentLayout, u64)> {
    let headers = headers(source);
    let given = known.map(|a| ComponentLayout::new(a.ci_size as usize, a.ci_per_ca as usize));
    let of_component = |id: u64| headers.iter().filter(move |h| h.component == id);
    for header in &headers {
        let sizes = (1..=16).map(|n| n * 512).chain((5..=16).map(|n| n * 2048));
        let layouts = sizes.map(|size| ComponentLayout::new(size, header.entries.len()));
        let proven = given
            .into_iter()
            .chain(layouts)
            .find(|layout| of_component(header.component).any(|h| proves(source, h, layout)));
        if let Some(layout) = proven {
            return Some((layout, header.component));
        }
    }
    given.zip(headers.first().map(|h| h.component))
}

/// The first headers that are whole, wherever they lie.
fn headers(source: &Source) -> Vec<CaHeader> {
    let first = ComponentLayout::new(512, 1).region(0);
    let mut found: Vec<CaHeader> = Vec::new();
    let mut at = first;
    while at + BLOCK <= source.len.min(first + FAR) && found.len() < ENOUGH {
        if let Some(header) = header_at(source, at) {
            found.push(header);
        }
        at += BLOCK;
    }
    found
}

fn header_at(source: &Source, at: u64) -> Option<CaHeader> {
    let head = source.read(at, HEADER_LEN).ok()?;
    if head[..4] != MAGIC {
        return None;
    }
    let count = usize::from(u16::try_from(u32::from_le_bytes(head[36..40].try_into().ok()?)).ok()?);
    let bytes = source.read(at, CaHeader::encoded_len(count)).ok()?;
    CaHeader::decode(&bytes, count).ok()
}

/// Does a CI of the CA lie where the layout says?
fn proves(source: &Source, header: &CaHeader, layout: &ComponentLayout) -> bool {
    let with_image = header.entries.iter().enumerate().filter(|(_, e)| e.slot != NO_SLOT);
    with_image
        .map(|(n, e)| (n, e, layout.place(header.in_sectors, e)))
        .filter(|(_, _, (slot, _))| usize::from(*slot) < layout.sectors)
        .any(|(n, e, (slot, left_out))| {
            let identity = Identity {
                component: header.component,
                ci: layout.join(header.ca, n as u32),
                version: e.version,
            };
            let image = source.read(layout.slot(header.region, slot), layout.stored_len(left_out));
            layout.ci_per_ca == header.entries.len()
                && image.is_ok_and(|image| ci_checksum(identity, &image) == e.checksum)
        })
}
