//! WRITECHECK: what was written to a component's file is read back from the device and compared, before a commit counts
//! on it.
//!
//! * W1. A sync answers for every write that ended before it began and that no later write went over: it makes
//!   them durable, reads them back (D9) and compares. So no root names what was not compared.
//! * W2. What differs stays an error of every later sync: no commit of this open happens any more.
//! * W3. A place that is being written, or was since the sync began, is compared by the next sync. Its mark is there
//!   from before the write begins.
//! * W4. A place whose write failed is not compared, nor one behind the end or given back, nor the rest of a piece that
//!   a later write went over in part: a slot, a header and a table block are written whole.
//! * W5. The second copy of a root is compared by the sync before the next root. The last close syncs once more for it.
//!
//! Compared are sums of 64 bits of pieces of a CI's size, so that nothing has to be kept until the sync.

use crate::sync::Mutex;
use cica_disk::{File, ReadAt, ReadInto, WriteAt};
use cica_format::checksum::xxh3;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// WrittenPieces that wait for a sync at most: some megabytes of marks. Then they are compared at once.
const MOST: usize = 1 << 16;
/// Bytes that are read back with one call.
const CHUNK: usize = 1 << 20;

/// A file whose writes are compared with what the device has of them.
#[derive(Debug)]
struct CheckedFile {
    file: Box<dyn File>,
    /// Bytes of a piece.
    grain: usize,
    /// What was written since the last sync, by its place.
    pieces: Mutex<BTreeMap<u64, WrittenPiece>>,
    /// Held while pieces are compared.
    checking: Mutex<()>,
    /// What is wrong with the file (W2).
    wrong: Mutex<Option<String>>,
}

#[derive(Debug, Clone, Copy)]
struct WrittenPiece {
    len: usize,
    /// None: it is being written, or a write failed (W4).
    sum: Option<u64>,
}

/// The file, or, if the definition says WRITECHECK, one that checks what is written to it.
pub fn as_defined(file: Box<dyn File>, write_check: bool, ci_size: u32) -> Arc<dyn File> {
    if !write_check {
        file.into()
    } else {
        Arc::new(CheckedFile {
            file,
            grain: ci_size as usize,
            pieces: Mutex::default(),
            checking: Mutex::new(()),
            wrong: Mutex::new(None),
        })
    }
}

impl CheckedFile {
    /// The pieces of a batch of writes.
    fn split<'a>(&self, batch: &[WriteAt<'a>]) -> impl Iterator<Item = (u64, &'a [u8])> {
        let grain = self.grain;
        let split = move |write: &WriteAt<'a>| {
            let (at, buf) = (write.at, write.buf);
            (at..).step_by(grain).zip(buf.chunks(grain))
        };
        batch.iter().flat_map(split).collect::<Vec<_>>().into_iter()
    }

    /// Forgets what is known of a range.
    fn drop_pieces(&self, pieces: &mut BTreeMap<u64, WrittenPiece>, range: Range<u64>) {
        let near = pieces.range(range.start.saturating_sub(self.grain as u64)..range.end);
        let over = near.filter(|(at, piece)| **at + piece.len as u64 > range.start);
        let over: Vec<u64> = over.map(|(at, _)| *at).collect();
        for at in over {
            pieces.remove(&at);
        }
    }

    /// What waits to be compared; places that are being written stay (W3).
    fn take(&self) -> Vec<(u64, usize, u64)> {
        let mut pieces = self.pieces.lock();
        let waiting = pieces
            .iter()
            .filter_map(|(at, piece)| Some((*at, piece.len, piece.sum?)));
        let waiting = waiting.collect();
        pieces.retain(|_, piece| piece.sum.is_none());
        waiting
    }

    /// Makes durable and compares.
    fn check(&self) -> io::Result<()> {
        let _alone = self.checking.lock();
        let earlier = self.wrong.lock().clone();
        if let Some(earlier) = earlier {
            return Err(io::Error::other(earlier));
        }
        let waiting = self.take();
        let checked = self.file.sync().and_then(|()| self.compare(&waiting));
        checked.inspect_err(|error| *self.wrong.lock() = Some(error.to_string()))
    }

    fn compare(&self, waiting: &[(u64, usize, u64)]) -> io::Result<()> {
        let mut buffer = Vec::new();
        let mut rest = waiting;
        while let [(start, ..), ..] = *rest {
            let mut end = start;
            let mut follows = |&(at, len, _): &(u64, usize, u64)| {
                let is_next = at == end && (at == start || end + len as u64 - start <= CHUNK as u64);
                end += if is_next { len as u64 } else { 0 };
                is_next
            };
            let count = rest.iter().take_while(|piece| follows(piece)).count();
            let (run, behind) = rest.split_at(count);
            buffer.resize((end - start) as usize, 0);
            let mut read = ReadAt {
                at: start,
                buf: &mut buffer,
                got: 0,
            };
            self.file.read_back(std::slice::from_mut(&mut read))?;
            let got = read.got;
            for &(at, len, sum) in run {
                let from = (at - start) as usize;
                let is_same = from + len <= got && xxh3(&buffer[from..from + len]) == sum;
                if !is_same && !self.is_written_again(at, len) {
                    return Err(io::Error::other(format!(
                        "WRITECHECK: the {len} bytes at offset {at} are not what was written there; the device is not to \
                         be trusted"
                    )));
                }
            }
            rest = behind;
        }
        Ok(())
    }

    /// Was a place written since its sync began (W3)?
    fn is_written_again(&self, at: u64, len: usize) -> bool {
        let pieces = self.pieces.lock();
        let mut near = pieces.range(at.saturating_sub(self.grain as u64)..at + len as u64);
        near.any(|(from, piece)| from + piece.len as u64 > at)
    }
}

impl File for CheckedFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.file.read(batch)
    }

    fn read_into(&self, batch: &mut [ReadInto<'_>]) -> io::Result<()> {
        self.file.read_into(batch)
    }

    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.file.read_back(batch)
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let mut pieces = self.pieces.lock();
        for (at, bytes) in self.split(batch) {
            let len = bytes.len();
            self.drop_pieces(&mut pieces, at..at + len as u64);
            pieces.insert(at, WrittenPiece { len, sum: None });
        }
        drop(pieces);
        self.file.write(batch)?;
        let sums: Vec<_> = self
            .split(batch)
            .map(|(at, bytes)| (at, bytes.len(), xxh3(bytes)))
            .collect();
        let mut pieces = self.pieces.lock();
        for (at, len, sum) in sums {
            pieces.insert(at, WrittenPiece { len, sum: Some(sum) });
        }
        let many = pieces.len() > MOST;
        drop(pieces);
        if many {
            // What it finds the next sync says (W2): what was written is there for all that a write promises.
            let _ = self.check();
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.check()
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        let Some(to) = set else {
            return self.file.size(None);
        };
        let _alone = self.checking.lock();
        self.drop_pieces(&mut self.pieces.lock(), to..u64::MAX);
        self.file.size(set)
    }

    fn lengthen(&self, to: u64) -> io::Result<()> {
        self.file.lengthen(to)
    }

    fn forget(&self, at: u64, len: u64) {
        self.file.forget(at, len);
    }

    fn hollow(&self, at: u64, len: u64) -> io::Result<()> {
        let _alone = self.checking.lock();
        self.drop_pieces(&mut self.pieces.lock(), at..at + len);
        self.file.hollow(at, len)
    }

    fn has_holes(&self) -> bool {
        self.file.has_holes()
    }

    fn reserve(&self, at: u64, len: u64) -> io::Result<()> {
        self.file.reserve(at, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cica_disk::sim::{Call, Errno, Faults};
    use cica_disk::{Create, Disk, Image, Open, SimDisk};
    use std::path::Path;

    fn made() -> (SimDisk, Arc<dyn File>) {
        let disk = SimDisk::from(Image::with_directories(["/v"]));
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let file = disk.open(Path::new("/v/f"), how).unwrap();
        (disk, as_defined(file, true, 1024))
    }

    fn write(file: &dyn File, at: u64, len: usize, byte: u8) {
        let buf = vec![byte; len];
        file.write(&[WriteAt { at, buf: &buf }]).unwrap();
    }

    #[test]
    fn each_place_is_compared_once_and_with_what_was_written_last() {
        let (disk, file) = made();
        write(&*file, 0, 5000, 1);
        write(&*file, 1024, 1024, 2);
        write(&*file, 2000, 600, 3);
        write(&*file, 100_000, 10, 4);
        file.sync().unwrap();
        assert_eq!(
            disk.calls().of(Call::ReadBack),
            4,
            "what is left of the first in two runs"
        );
        file.sync().unwrap();
        assert_eq!(disk.calls().of(Call::ReadBack), 4);
        write(&*file, 0, 3 << 20, 5);
        file.sync().unwrap();
        assert_eq!(disk.calls().of(Call::ReadBack), 7, "a chunk at a time");
    }

    #[test]
    fn what_differs_fails_this_sync_and_all_after_it() {
        for nth in 1..=2 {
            let (disk, file) = made();
            disk.set_faults(Faults::none().flip_write(nth, 8 * 3000));
            write(&*file, 0, 5000, 1);
            write(&*file, 9000, 5000, 1);
            let error = file.sync().unwrap_err().to_string();
            assert!(
                error.contains(["at offset 2048 ", "at offset 11048 "][nth as usize - 1]),
                "{error}"
            );
            disk.set_faults(Faults::none());
            write(&*file, 0, 20_000, 1);
            assert_eq!(file.sync().unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn what_cannot_be_read_back_or_is_not_there_fails_the_sync() {
        let (disk, file) = made();
        write(&*file, 0, 5000, 1);
        disk.set_faults(Faults::none().fail(Call::ReadBack, 1, Errno::Io));
        assert!(file.sync().is_err());
        let (disk, file) = made();
        write(&*file, 0, 100, 1);
        disk.set_faults(Faults::none().lose_write(1));
        write(&*file, 5000, 100, 1);
        assert!(file.sync().unwrap_err().to_string().contains("at offset 5000 "));
    }

    #[test]
    fn what_is_cut_off_given_back_or_was_not_written_is_not_compared() {
        let (disk, file) = made();
        write(&*file, 0, 50_000, 1);
        file.hollow(0, 10_000).unwrap();
        assert_eq!(file.size(Some(20_000)).unwrap(), 20_000);
        disk.set_faults(Faults::none().short_write(1, 100, Errno::Io));
        let again = WriteAt {
            at: 10_500,
            buf: &[7; 600],
        };
        assert!(file.write(&[again]).is_err());
        file.sync().unwrap();
        assert!(disk.calls().of(Call::ReadBack) > 0);
    }

    /// A file that is written to while it is read back.
    #[derive(Debug)]
    struct Busy(Box<dyn File>, Mutex<Option<std::sync::Weak<dyn File>>>);

    impl File for Busy {
        fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
            self.0.read(batch)
        }
        fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
            if let Some(above) = self.1.lock().take().and_then(|above| above.upgrade()) {
                write(&*above, 1024, 1024, 9);
            }
            self.0.read_back(batch)
        }
        fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
            self.0.write(batch)
        }
        fn sync(&self) -> io::Result<()> {
            self.0.sync()
        }
        fn size(&self, set: Option<u64>) -> io::Result<u64> {
            self.0.size(set)
        }
    }

    #[test]
    fn a_place_that_is_written_while_it_is_read_back_is_compared_by_the_next_sync() {
        let disk = SimDisk::from(Image::with_directories(["/v"]));
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let inner = disk.open(Path::new("/v/f"), how).unwrap();
        let file = Arc::new_cyclic(|above: &std::sync::Weak<CheckedFile>| {
            let above: std::sync::Weak<dyn File> = above.clone();
            CheckedFile {
                file: Box::new(Busy(inner, Mutex::new(Some(above)))),
                grain: 1024,
                pieces: Mutex::default(),
                checking: Mutex::new(()),
                wrong: Mutex::new(None),
            }
        });
        write(&*file, 0, 4096, 1);
        disk.set_faults(Faults::none().flip_write(1, 5));
        file.sync().unwrap();
        assert!(file.sync().unwrap_err().to_string().contains("at offset 1024 "));
    }
}
