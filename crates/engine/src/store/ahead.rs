//! Reading ahead: the CIs that a sequential reader comes to next, many with one read. An error is left to the request
//! that needs the CI.

use super::{CaPage, Component};
use crate::pool::{Latched, NO_FRAME};
use crate::store::codec::Decoded;
use crate::sync::atomic::Ordering::Relaxed;
use cica_disk::{ReadAt, ReadInto};
use cica_format::ca::NO_SLOT;

/// Most CIs one sequential read brings in.
const AHEAD: usize = 64;

impl Component {
    /// Sequential reading: brings in those of `cis` (of one CA) that are not resident, with as few reads as their
    /// slots allow.
    /// Errors are left for the request that needs the CI.
    pub fn read_ahead(&self, cis: &[u32]) {
        let missing: Vec<u32> = cis
            .iter()
            .copied()
            .filter(|&ci| self.resident(ci).is_none())
            .take(AHEAD)
            .collect();
        let Some(&first) = missing.first() else { return };
        // What comes ahead would not be kept (P8).
        if self.pool.is_its_turn() {
            return;
        }
        let (ca, _) = self.layout.split(first);
        if self.with_ca(ca, |_| ()).is_err() {
            return;
        }
        let bytes = self.usual_frame.load(Relaxed);
        let ahead = self.pool.ahead(bytes, missing.len());
        let mut frames = Vec::new();
        for _ in missing.iter().take(ahead.frames()) {
            match self.pool.take(bytes) {
                Ok(frame) => frames.push(frame),
                Err(_) => break,
            }
        }
        let _guard = self.lock(ca).lock();
        let descriptor = self.directory.get(ca);
        if descriptor != NO_FRAME {
            frames = self.read_run(ca, descriptor, &missing[..frames.len()], frames);
        }
        frames.into_iter().for_each(Latched::free);
    }

    /// Reads those of `cis` that are missing straight into `frames`, in their order; returns the frames not used.
    fn read_run<'p>(&self, ca: u32, descriptor: u32, cis: &[u32], mut frames: Vec<Latched<'p>>) -> Vec<Latched<'p>> {
        let page = CaPage::of(self.pool.view(descriptor));
        let layout = &self.layout;
        let mut wanted: Vec<(u32, usize)> = cis
            .iter()
            .map(|&ci| (ci, layout.split(ci)))
            .filter(|(_, (c, i))| *c == ca && page.frame(*i) == NO_FRAME && page.place(*i).slot != NO_SLOT)
            .map(|(ci, (_, i))| (ci, i))
            .collect();
        // In the order of the file: after splits CIs that follow each other by key lie apart, and most of them have
        // neighbours all the same.
        wanted.sort_unstable_by_key(|(_, i)| page.place(*i).slot);
        let slots: Vec<(u64, usize)> = wanted
            .iter()
            .map(|(_, i)| page.place(*i))
            .map(|place| (self.slot_at(page, place.slot), layout.stored_len(place.left_out)))
            .collect();
        let whole = if self.direct {
            self.read_by_buffer(&slots, &mut frames)
        } else {
            self.read_in_place(&slots, &mut frames)
        };
        let unused = frames.split_off(whole);
        for ((ci, i), mut latched) in wanted.into_iter().zip(frames) {
            let decoded = self.accept_here(page.place(i), ci, latched.cells());
            // A damaged index record may name a CI twice.
            let accepted = match decoded {
                Ok(_) if page.frame(i) != NO_FRAME => Err(latched),
                Ok(Decoded::Done) => Ok(latched),
                Ok(Decoded::NeedsFrame(need)) => match self.in_larger(latched, need) {
                    Some(larger) => Ok(larger),
                    None => continue,
                },
                Err(_) => Err(latched),
            };
            match accepted {
                Ok(latched) => {
                    self.count_read(1);
                    drop(self.attach(page, descriptor, i, ci, self.narrowed(latched, self.pool.is_short())));
                }
                Err(latched) => latched.free(),
            }
        }
        unused
    }

    /// Reads images, each at an offset and so long, to where their records stay; returns how many of the first came
    /// whole.
    fn read_in_place(&self, slots: &[(u64, usize)], frames: &mut [Latched<'_>]) -> usize {
        let size = self.layout.ci_size;
        let mut batch: Vec<ReadInto<'_>> = slots
            .iter()
            .zip(frames)
            .filter_map(|(&(at, stored), frame)| {
                let start = self.codec.expect_image(frame.cells(), size)?.start;
                let room = frame.cells().room(start..start + stored);
                Some(ReadInto { at, room, got: 0 })
            })
            .collect();
        if batch.is_empty() || self.file().and_then(|f| f.read_into(&mut batch)).is_err() {
            return 0;
        }
        self.came_whole(batch.iter().map(|read| (read.at, read.room.len(), read.got)))
    }

    /// The same by way of an aligned buffer, as direct I/O wants it.
    fn read_by_buffer(&self, slots: &[(u64, usize)], frames: &mut [Latched<'_>]) -> usize {
        let size = self.layout.ci_size;
        let mut buffer = self.pool.buffer();
        let each = buffer.bytes().len() / size;
        let mut whole = 0;
        for (slots, frames) in slots.chunks(each).zip(frames.chunks_mut(each)) {
            let images = buffer.bytes().chunks_exact_mut(size);
            let mut batch: Vec<ReadAt<'_>> = slots
                .iter()
                .zip(images)
                .map(|(&(at, stored), image)| ReadAt {
                    at,
                    buf: &mut image[..stored],
                    got: 0,
                })
                .collect();
            let read = match self.file().and_then(|f| f.read(&mut batch)) {
                Ok(()) if !batch.is_empty() => {
                    self.came_whole(batch.iter().map(|read| (read.at, read.buf.len(), read.got)))
                }
                _ => 0,
            };
            let images = buffer.bytes().chunks_exact(size);
            for ((frame, image), &(_, stored)) in frames.iter_mut().zip(images).zip(slots).take(read) {
                if !self.codec.put_image(frame.cells(), size, &image[..stored]) {
                    return whole;
                }
                whole += 1;
            }
            if read < slots.len() {
                break;
            }
        }
        whole
    }

    /// Counts a batch that was read, of which place, length and what came are told; how many of the first came whole.
    fn came_whole(&self, batch: impl Iterator<Item = (u64, usize, usize)> + Clone) -> usize {
        let neighbours = batch.clone().zip(batch.clone().skip(1));
        let apart = neighbours.filter(|((at, len, _), (next, ..))| at + *len as u64 != *next);
        self.count_io(1 + apart.count());
        batch.take_while(|(_, len, got)| got == len).count()
    }
}
