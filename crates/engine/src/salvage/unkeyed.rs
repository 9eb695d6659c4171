//! Salvage where the place says which record it is: entry-sequenced, relative and linear data sets.

use super::emit::Emit;
use super::remains::{Area, Image};
use super::report::Doubt;
use super::{Content, Salvage, SalvagedRecord};
use crate::store::HAS_RECORDS;
use cica_format::attributes::Organization;
use cica_format::ca::CaHeader;
use cica_format::ci::{Segment, RDF_EMPTY_SLOT};
use cica_format::slots;

/// Hands on everything in the order of the RBAs.
pub fn run<E>(salvage: &Salvage, emit: &mut Emit<'_, E>) -> Result<(), E> {
    for ca in 0..salvage.data.areas() {
        match salvage.data.area(ca) {
            Area::Empty => {}
            Area::Lost(why) => emit.lost(salvage.loss(ca, None, why)),
            Area::Known(known) => {
                if let Some(why) = known.lost {
                    emit.lost(salvage.loss(ca, None, format!("{why}; what changed since the other copy is lost")));
                }
                area(salvage, emit, &known.header, known.doubt)?;
            }
        }
    }
    if let Some(why) = salvage.data.cut_off_words() {
        emit.lost(salvage.loss(salvage.data.areas(), None, why));
    }
    Ok(())
}

/// A spanned record whose last segment did not come yet.
struct Open {
    n: usize,
    update_number: u16,
    doubt: Option<Doubt>,
    bytes: Vec<u8>,
}

fn area<E>(salvage: &Salvage, emit: &mut Emit<'_, E>, header: &CaHeader, doubt: Option<Doubt>) -> Result<(), E> {
    let is_linear = salvage.attributes.organization == Organization::Lds;
    let end = salvage.data.root.as_ref().map_or(u64::MAX, |root| root.high_used);
    let mut open: Option<Open> = None;
    for (n, entry) in header.entries.iter().enumerate() {
        let ci = salvage.data.layout.join(header.ca, n as u32);
        let is_used = if is_linear {
            u64::from(ci) * (salvage.data.layout.ci_size as u64) < end
        } else {
            entry.flags & HAS_RECORDS != 0
        };
        let image = salvage.data.image(header, n).filter(|_| is_used);
        let (bytes, doubt, why) = match image {
            None if is_used && !is_linear => (None, doubt, "its header names no image of it".to_string()),
            None => continue,
            Some(Image::Good(bytes)) => (Some(bytes), doubt, String::new()),
            Some(Image::Bad(bytes, why)) => (bytes, Some(Doubt::Image), why),
        };
        let given = match &bytes {
            None => Err(why.clone()),
            Some(bytes) => interval(salvage, emit, (header.ca, n, bytes), doubt, &mut open)?,
        };
        if let Err(what) = given {
            // A segment that is missing in the middle must not be closed up.
            if let Some(cut) = open.take() {
                emit.lost(salvage.loss(header.ca, Some(cut.n), CUT.into()));
            }
            let why = if why.is_empty() { what } else { why };
            emit.lost(salvage.loss(header.ca, Some(n), why));
        }
    }
    if let Some(open) = open {
        emit.lost(salvage.loss(header.ca, Some(open.n), CUT.into()));
    }
    Ok(())
}

const CUT: &str = "a later segment of its spanned record is lost";

/// Hands on what is in a CI; the inner error: nothing, and why.
fn interval<E>(
    salvage: &Salvage,
    emit: &mut Emit<'_, E>,
    (ca, n, bytes): (u32, usize, &[u8]),
    doubt: Option<Doubt>,
    open: &mut Option<Open>,
) -> Result<Result<(), String>, E> {
    let ci = salvage.data.layout.join(ca, n as u32);
    let begin = u64::from(ci) * salvage.data.layout.ci_size as u64;
    let mut hand_on = |bytes: &[u8], rba: u64, rrn: Option<u32>, doubt: Option<Doubt>| {
        if let Some(why) = doubt {
            emit.doubted(Some(ca), Some(ci), why, false);
        }
        emit.found(SalvagedRecord {
            bytes,
            rba: Some(rba),
            rrn,
            doubt,
        })
    };
    match salvage.attributes.organization {
        Organization::Lds => hand_on(bytes, begin, None, doubt)?,
        Organization::Rrds => {
            let length = salvage.attributes.maximum_record as usize;
            if let Err(error) = slots::check(bytes, length) {
                return Ok(Err(error.to_string()));
            }
            let per_ci = slots::per_ci(bytes.len(), length);
            let is_full = |slot: &usize| bytes[slots::rdf(bytes.len(), *slot)] & RDF_EMPTY_SLOT == 0;
            for slot in (0..per_ci).filter(is_full) {
                let at = slot * length;
                let rrn = u64::from(ci) * per_ci as u64 + slot as u64 + 1;
                hand_on(
                    &bytes[at..at + length],
                    begin + at as u64,
                    u32::try_from(rrn).ok(),
                    doubt,
                )?;
            }
        }
        _ => {
            let content = match Content::of(bytes) {
                Ok(content) => content,
                Err(why) => return Ok(Err(why)),
            };
            if let (Segment::Middle | Segment::Last, Some(so_far)) = (content.segment, open.as_mut()) {
                if so_far.update_number == content.update_number {
                    so_far.bytes.extend(content.records(bytes).flatten());
                    so_far.doubt = so_far.doubt.max(doubt);
                    if content.segment == Segment::Last {
                        if let Some(whole) = open.take() {
                            let first = salvage.data.layout.join(ca, whole.n as u32);
                            let rba = u64::from(first) * salvage.data.layout.ci_size as u64;
                            hand_on(&whole.bytes, rba, None, whole.doubt)?;
                        }
                    }
                    return Ok(Ok(()));
                }
            }
            let cut = open.take();
            match content.segment {
                Segment::Whole => {
                    for (&(at, _), record) in content.spans.iter().zip(content.records(bytes)) {
                        hand_on(record, begin + u64::from(at), None, doubt)?;
                    }
                }
                Segment::First => {
                    *open = Some(Open {
                        n,
                        update_number: content.update_number,
                        doubt,
                        bytes: content.records(bytes).flatten().copied().collect(),
                    });
                }
                Segment::Middle | Segment::Last => return Ok(Err("the segments before it are lost".into())),
            }
            if let Some(cut) = cut {
                emit.lost(salvage.loss(ca, Some(cut.n), CUT.into()));
            }
        }
    }
    Ok(Ok(()))
}
