//! An open file of Linux: single calls brought to their end, batches through `batch.rs`.

use super::lock::{Held, Written};
use super::mapped::{self, Stores};
use super::reading::{pread, Reading};
use super::window::{Showing, Shown, Window};
use super::{batch, device, fork, uninterrupted};
use crate::error::{changed, failed, is_a_directory, opened_by_parent, opened_for_reading, Action};
use crate::{Cells, File, Mapped, Open, ReadAt, ReadInto, WriteAt};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, FallocateFlags};
use rustix::io::Errno;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Address, offset and length divide by this where direct I/O is to be had: no device asks for more.
const ALIGNMENT: u64 = 4096;
/// Gives the space of a range back.
const HOLE: FallocateFlags = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);

/// Reads after which a file that may have a window gets one: opening it and giving it back costs as much as some reads.
const READS_BEFORE_WINDOW: u32 = 8;
/// A longer read is copied as fast by a call.
const LONGEST_FROM_WINDOW: usize = 16 * 1024;

static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

/// A file or directory; both descriptors are of the same file.
#[derive(Debug)]
pub(super) struct LinuxFile {
    main: OwnedFd,
    /// Goes around the page cache.
    pub(super) direct: Option<OwnedFd>,
    /// What address, offset and length of a direct request divide by.
    alignment: u64,
    /// The file system took the open but not a request: it is not asked again.
    direct_refused: AtomicBool,
    /// Bytes of the file that a window may show, and reads made so far while it may.
    pub(super) shown: usize,
    reads: AtomicU32,
    window: OnceLock<Option<Window>>,
    /// Held while the length changes, so that a growth that fails can be taken back.
    resizing: Mutex<()>,
    path: PathBuf,
    writable: bool,
    directory: bool,
    rings: bool,
    pub(super) held: Option<Held>,
    /// Who opened it (`fork.rs`).
    generation: u32,
    /// Nobody is kept from writing to it: when it was last written before its first read.
    pub(super) unguarded: Option<Written>,
}

impl LinuxFile {
    pub(super) fn new(main: OwnedFd, path: &Path, how: Open, rings: bool) -> Self {
        fork::enter(&main);
        LinuxFile {
            main,
            direct: None,
            alignment: ALIGNMENT,
            direct_refused: AtomicBool::new(false),
            shown: 0,
            reads: AtomicU32::new(0),
            window: OnceLock::new(),
            resizing: Mutex::new(()),
            path: path.to_path_buf(),
            writable: how.write,
            directory: how.directory,
            rings,
            held: None,
            generation: fork::generation(),
            unguarded: None,
        }
    }

    pub(super) fn main(&self) -> &OwnedFd {
        &self.main
    }

    pub(super) fn set_direct(&mut self, direct: Option<OwnedFd>) {
        direct.iter().for_each(fork::enter);
        self.direct = direct;
    }

    /// Is this a child of the process that opened it?
    #[inline]
    fn is_of_parent(&self) -> bool {
        self.generation != fork::generation()
    }

    /// Tells the system what is to be expected of a range.
    fn advise(&self, at: u64, len: u64, advice: fs::Advice) {
        // A length of 0 is all the rest to it.
        let reachable = is_reachable(at, len as usize) && !self.is_of_parent();
        if let (true, Some(len)) = (reachable, NonZeroU64::new(len)) {
            let _ = fs::fadvise(&self.main, at, Some(len), advice);
        }
    }

    /// Says whether what was just read is of the state in which it was opened.
    fn check_unchanged(&self, action: Action) -> io::Result<()> {
        match self.unguarded {
            Some(before)
                if Written::of(&self.main).map_err(|errno| failed(action.clone(), &self.path, errno))? != before =>
            {
                Err(failed(action, &self.path, changed()))
            }
            _ => Ok(()),
        }
    }

    /// How a batch of reads or writes goes through the descriptor chosen for it.
    fn route(&self, fd: BorrowedFd<'_>) -> batch::Route {
        match (self.rings, self.goes_direct(fd)) {
            (false, _) => batch::Route::Calls,
            (true, true) => batch::Route::Device,
            (true, false) => batch::Route::Cache,
        }
    }

    /// The descriptor for requests like these.
    fn way(&self, mut requests: impl Iterator<Item = (u64, *const u8, usize)>) -> BorrowedFd<'_> {
        let aligned = |(at, buf, len): (u64, *const u8, usize)| (at | buf as u64 | len as u64) % self.alignment == 0;
        match &self.direct {
            Some(direct) if !self.direct_refused.load(Ordering::Relaxed) && requests.all(aligned) => direct.as_fd(),
            _ => self.main.as_fd(),
        }
    }

    fn goes_direct(&self, fd: BorrowedFd<'_>) -> bool {
        use rustix::fd::AsRawFd;
        fd.as_raw_fd() != self.main.as_raw_fd()
    }

    /// Reads through the window, if there is one or now shall be one. False: the read is still to be made.
    fn read_window(&self, read: &mut impl Reading) -> bool {
        if self.shown == 0 || read.len() > LONGEST_FROM_WINDOW || self.is_of_parent() {
            return false;
        }
        if read.len() == 0 {
            let window = self.window.get().and_then(Option::as_ref);
            return window.is_some_and(|window| window.ask(read.at()));
        }
        // A count that is lost between threads only puts the window off.
        let reads = self.reads.load(Ordering::Relaxed);
        if reads < READS_BEFORE_WINDOW {
            self.reads.store(reads + 1, Ordering::Relaxed);
            return false;
        }
        let window = self.window.get_or_init(|| Window::open(self.main.as_fd(), self.shown));
        let copied = window.as_ref().is_some_and(|window| window.copy(read));
        if copied {
            read.set_got(read.len());
        }
        copied
    }

    /// Reads what a reachable request still lacks, up to the end of the file.
    fn read_rest(&self, read: &mut impl Reading) -> io::Result<()> {
        while read.got() < read.len() {
            let got = read.got();
            let (at, rest) = (read.at() + got as u64, read.rest(got));
            let len = rest.len;
            let fd = self.way(std::iter::once((at, rest.start.as_ptr().cast_const(), len)));
            match pread(fd, rest, at) {
                Ok(0) => return Ok(()),
                Ok(count) => read.set_got(got + count),
                Err(Errno::INTR) => {}
                Err(Errno::INVAL) if self.goes_direct(fd) => self.direct_refused.store(true, Ordering::Relaxed),
                Err(errno) => return Err(failed(Action::Read { at, len }, &self.path, errno)),
            }
        }
        Ok(())
    }

    fn read_batch(&self, batch: &mut [impl Reading]) -> io::Result<()> {
        // A window is had only where reading is allowed.
        if let [one] = batch {
            if self.read_window(one) {
                return Ok(());
            }
        }
        let action = Action::reading_first(batch.first().map(|first| (first.at(), first.len())));
        self.allow(action.clone())?;
        batch.iter_mut().for_each(|read| read.set_got(0));
        if batch.len() > 1 && batch.iter().all(|read| is_reachable(read.at(), read.len())) {
            let places = batch.iter_mut().map(|read| {
                let (at, len) = (read.at(), read.len());
                (at, read.rest(0).start.as_ptr().cast_const(), len)
            });
            let fd = self.way(places);
            batch::read(fd, batch, self.route(fd));
        }
        let mut reads = batch.iter_mut().filter(|read| is_reachable(read.at(), read.len()));
        reads.try_for_each(|read| self.read_rest(read))?;
        self.check_unchanged(action)
    }

    /// Writes `buf` at `at`, which is reachable, all of it.
    fn write_rest(&self, mut at: u64, mut buf: &[u8]) -> io::Result<()> {
        while !buf.is_empty() {
            let fd = self.way(std::iter::once((at, buf.as_ptr(), buf.len())));
            let cause = match rustix::io::pwrite(fd, buf, at) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(count) => {
                    at += count as u64;
                    buf = &buf[count..];
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(Errno::INVAL) if self.goes_direct(fd) => {
                    self.direct_refused.store(true, Ordering::Relaxed);
                    continue;
                }
                Err(errno) => io::Error::from(errno),
            };
            return Err(failed(Action::Write { at, len: buf.len() }, &self.path, cause));
        }
        Ok(())
    }

    /// Refuses what a directory or a handle for reading cannot do, in the same words everywhere.
    fn allow(&self, action: Action) -> io::Result<()> {
        let writes = matches!(action, Action::Write { .. } | Action::Resize { .. });
        if self.is_of_parent() {
            Err(failed(action, &self.path, opened_by_parent()))
        } else if self.directory {
            Err(failed(action, &self.path, is_a_directory()))
        } else if writes && !self.writable {
            Err(failed(action, &self.path, opened_for_reading()))
        } else {
            Ok(())
        }
    }

    /// Grows the file and takes the space; when there is not enough, the length is again what it was.
    fn grow(&self, from: u64, to: u64) -> io::Result<()> {
        let error = |errno: Errno| failed(Action::Resize { to }, &self.path, errno);
        let grown = match uninterrupted(|| fs::fallocate(&self.main, FallocateFlags::empty(), from, to - from)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => self.grow_by_writing(from, to),
            other => other.map_err(error),
        };
        if grown.is_err() {
            // Some file systems keep what they found before they ran out. The first error is the one to tell.
            let _ = uninterrupted(|| fs::ftruncate(&self.main, from));
        }
        grown
    }

    /// A range gets its space, or loses it. A file system that cannot give space back has not done so before either.
    fn allocate(&self, flags: FallocateFlags, at: u64, len: u64) -> io::Result<()> {
        let action = Action::Write { at, len: len as usize };
        self.allow(action.clone())?;
        match uninterrupted(|| fs::fallocate(&self.main, flags, at, len)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            other => other.map_err(|errno| failed(action, &self.path, errno)),
        }
    }

    /// For file systems that cannot reserve: what is written has its space.
    fn grow_by_writing(&self, from: u64, to: u64) -> io::Result<()> {
        let mut at = from;
        while at < to {
            let len = ZEROS.len().min((to - at) as usize);
            match rustix::io::pwrite(&self.main, &ZEROS[..len], at) {
                Ok(count) => at += count as u64,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(Action::Resize { to }, &self.path, errno)),
            }
        }
        Ok(())
    }

    fn length(&self, action: Action) -> io::Result<u64> {
        let stat = fs::fstat(&self.main).map_err(|errno| failed(action, &self.path, errno))?;
        Ok(stat.st_size as u64)
    }
}

/// Whether a file can reach that far. Past it the kernel has other meanings for an offset: the highest is "where the
/// descriptor stands".
fn is_reachable(at: u64, len: usize) -> bool {
    at.checked_add(len as u64).is_some_and(|end| end <= i64::MAX as u64)
}

impl File for LinuxFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.read_batch(batch)
    }

    fn read_into(&self, batch: &mut [ReadInto<'_>]) -> io::Result<()> {
        self.read_batch(batch)
    }

    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        let action = Action::reading(batch);
        self.allow(action.clone())?;
        if batch.iter().any(|read| !is_reachable(read.at, read.buf.len())) {
            return Err(failed(action, &self.path, io::ErrorKind::InvalidInput));
        }
        device::read(self.main.as_fd(), batch).map_err(|errno| failed(action, &self.path, errno))
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        self.allow(Action::writing(batch))?;
        if let Some(write) = batch.iter().find(|write| !is_reachable(write.at, write.buf.len())) {
            let action = Action::Write {
                at: write.at,
                len: write.buf.len(),
            };
            return Err(failed(action, &self.path, io::ErrorKind::FileTooLarge));
        }
        if let [one] = batch {
            return self.write_rest(one.at, one.buf);
        }
        let fd = self.way(
            batch
                .iter()
                .map(|write| (write.at, write.buf.as_ptr(), write.buf.len())),
        );
        let done = batch::write(fd, batch, self.route(fd));
        let mut requests = batch.iter().zip(done);
        requests.try_for_each(|(write, done)| self.write_rest(write.at + done as u64, &write.buf[done..]))
    }

    fn sync(&self) -> io::Result<()> {
        if self.is_of_parent() {
            return Err(failed(Action::Sync, &self.path, opened_by_parent()));
        }
        let synced = if !self.directory {
            fs::fdatasync(&self.main)
        } else {
            match fs::fsync(&self.main) {
                // Some network file systems have names that are durable by themselves and no call for it.
                Err(Errno::INVAL) => Ok(()),
                other => other,
            }
        };
        // Not even an interrupted sync is tried again (D3).
        synced.map_err(|errno| failed(Action::Sync, &self.path, errno))
    }

    fn forget(&self, at: u64, len: u64) {
        // The system keeps what is not durable yet, and pages that begin before or end behind.
        self.advise(at, len, fs::Advice::DontNeed);
    }

    fn foresee(&self, at: u64, len: u64) {
        self.advise(at, len, fs::Advice::WillNeed);
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        let Some(to) = set else {
            self.allow(Action::Measure)?;
            return self.length(Action::Measure);
        };
        let action = Action::Resize { to };
        self.allow(action.clone())?;
        if to > i64::MAX as u64 {
            return Err(failed(action, &self.path, io::ErrorKind::FileTooLarge));
        }
        let _alone = self.resizing.lock().unwrap_or_else(PoisonError::into_inner);
        let from = self.length(action.clone())?;
        if to > from {
            self.grow(from, to)?;
        } else if to < from {
            uninterrupted(|| fs::ftruncate(&self.main, to)).map_err(|errno| failed(action, &self.path, errno))?;
        }
        Ok(to)
    }

    fn hollow(&self, at: u64, len: u64) -> io::Result<()> {
        self.allocate(HOLE, at, len)
    }

    /// Asked behind the end of the file, where there is nothing to give back.
    fn has_holes(&self) -> bool {
        let action = Action::Measure;
        let end = self.allow(action.clone()).and_then(|()| self.length(action));
        let behind = |end: u64| end.next_multiple_of(ALIGNMENT) + ALIGNMENT;
        end.map(behind)
            .is_ok_and(|at| uninterrupted(|| fs::fallocate(&self.main, HOLE, at, ALIGNMENT)).is_ok())
    }

    fn lengthen(&self, to: u64) -> io::Result<()> {
        let action = Action::Resize { to };
        self.allow(action.clone())?;
        if self.length(action.clone())? >= to {
            return Ok(());
        }
        uninterrupted(|| fs::ftruncate(&self.main, to)).map_err(|errno| failed(action, &self.path, errno))
    }

    fn reserve(&self, at: u64, len: u64) -> io::Result<()> {
        self.allocate(FallocateFlags::KEEP_SIZE, at, len)
    }

    fn stored(&self) -> io::Result<u64> {
        self.allow(Action::Measure)?;
        let stat = fs::fstat(&self.main).map_err(|errno| failed(Action::Measure, &self.path, errno))?;
        // The system counts in 512 bytes, whatever a block of the file system is.
        Ok(stat.st_blocks as u64 * 512)
    }

    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        self.allow(Action::Write { at, len })?;
        let showing = if is_reachable(at, len) {
            Showing::new(self.main.as_fd(), at, len, Shown::ToStore)
        } else {
            None
        };
        match showing {
            Some(showing) => Ok(Box::new(Stores::into(showing))),
            None => Err(failed(
                Action::Write { at, len },
                &self.path,
                io::ErrorKind::Unsupported,
            )),
        }
    }

    fn cells(&self, len: usize) -> io::Result<Cells> {
        self.allow(Action::Write { at: 0, len })?;
        let shown = if is_reachable(0, len) {
            mapped::cells(self.main.as_fd(), len)
        } else {
            None
        };
        shown.ok_or_else(|| failed(Action::Write { at: 0, len }, &self.path, io::ErrorKind::Unsupported))
    }
}

impl Drop for LinuxFile {
    fn drop(&mut self) {
        if let Some(held) = &self.held {
            held.release(&self.main);
        }
        if !self.is_of_parent() {
            [Some(&self.main), self.direct.as_ref()]
                .into_iter()
                .flatten()
                .for_each(fork::leave);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Create, Disk, LinuxDisk, Lock};

    /// A file of so many bytes in a directory of its own, which are gone when it is dropped.
    struct Named {
        path: PathBuf,
        disk: LinuxDisk,
    }

    impl Named {
        fn new(test: &str, length: usize) -> Named {
            let path = std::env::temp_dir().join(format!("cica-file-{}-{test}", std::process::id()));
            std::fs::write(&path, vec![7; length]).expect("a file");
            let disk = LinuxDisk::new();
            Named { path, disk }
        }

        fn open(&self, how: Open) -> LinuxFile {
            self.disk.try_open(&self.path, how).expect("a file").expect("its name")
        }
    }

    impl Drop for Named {
        fn drop(&mut self) {
            let _ = self.disk.remove(&self.path);
        }
    }

    #[test]
    fn only_what_is_aligned_goes_around_the_page_cache() {
        let named = Named::new("way", 4096);
        let file = named.open(Open::default());
        let direct = rustix::io::dup(&file.main).expect("a descriptor");
        let mut file = named.open(Open::default());
        file.direct = Some(direct);
        let goes_direct = |requests: &[(u64, usize, usize)]| {
            let fd = file.way(requests.iter().map(|&(at, buf, len)| (at, buf as *const u8, len)));
            (file.goes_direct(fd), file.route(fd) == batch::Route::Device)
        };
        assert_eq!(goes_direct(&[(4096, 8192, 12_288)]), (true, true));
        assert_eq!(goes_direct(&[(0, 4096, 4096), (8192, 0, 4096)]), (true, true));
        for odd in [
            (4097, 8192, 4096),
            (4096, 8193, 4096),
            (4096, 8192, 4095),
            (512, 512, 4096),
            (512, 4096, 512),
            (4096, 512, 512),
        ] {
            assert_eq!(goes_direct(&[odd]), (false, false), "{odd:?}");
            assert_eq!(goes_direct(&[(0, 4096, 4096), odd]), (false, false), "{odd:?}");
        }
        file.direct_refused.store(true, Ordering::Relaxed);
        assert_eq!(goes_direct(&[(0, 4096, 4096)]), (false, false), "it was refused once");
    }

    #[test]
    fn descriptors_are_not_for_children_and_wait_like_any() {
        let named = Named::new("flags", 4096);
        let directory = named.path.parent().expect("it has one").to_path_buf();
        for (path, directory, write) in [
            (&named.path, false, false),
            (&named.path, false, true),
            (&directory, true, false),
        ] {
            let how = Open {
                directory,
                write,
                direct: true,
                ..Open::default()
            };
            let file = named.disk.try_open(path, how).expect("a file").expect("its name");
            for fd in std::iter::once(&file.main).chain(&file.direct) {
                assert!(rustix::io::fcntl_getfd(fd)
                    .expect("flags")
                    .contains(rustix::io::FdFlags::CLOEXEC));
                let flags = fs::fcntl_getfl(fd).expect("flags");
                assert!(!flags.contains(fs::OFlags::NONBLOCK));
                assert_eq!(flags.contains(fs::OFlags::RDWR), write);
            }
            let asked = fs::OFlags::RDONLY | fs::OFlags::DIRECT;
            let takes_direct = fs::open(path, asked, fs::Mode::empty()).is_ok();
            assert_eq!(file.direct.is_some(), takes_direct && !directory);
            if let Some(direct) = &file.direct {
                assert!(fs::fcntl_getfl(direct).expect("flags").contains(fs::OFlags::DIRECT));
            }
        }
    }

    /// A socket cannot be synced, so its answer tells that the system was asked.
    #[test]
    fn a_sync_is_made_by_the_system() {
        let path = Path::new("SOCKET");
        let of_socket = |directory| {
            let (end, _) = std::os::unix::net::UnixStream::pair().expect("a socket");
            let how = Open {
                directory,
                ..Open::default()
            };
            LinuxFile::new(end.into(), path, how, false).sync()
        };
        let error = of_socket(false).expect_err("it has no device");
        assert!(
            error
                .to_string()
                .starts_with("cannot make durable what was written to SOCKET: "),
            "{error}"
        );
        assert!(
            of_socket(true).is_ok(),
            "as of a directory whose names are durable by themselves"
        );
    }

    #[test]
    fn what_is_forgotten_is_still_there() {
        let named = Named::new("forgotten", 3 << 20);
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = named.open(how);
        let write = |at| file.write(&[WriteAt { at, buf: &[9; 5000] }]).expect("a write");
        write(700_001);
        file.sync().expect("a sync");
        write(1_400_001);
        for (at, len) in [
            (0, 3 << 20),
            (5, 4096),
            (0, 0),
            (2 << 20, u64::MAX),
            (u64::MAX, 9),
            (9 << 20, 1),
        ] {
            file.forget(at, len);
        }
        let bytes = std::fs::read(&named.path).expect("it");
        let is_written = |at| (700_001..705_001).contains(&at) || (1_400_001..1_405_001).contains(&at);
        let expected: Vec<u8> = (0..3 << 20).map(|at| if is_written(at) { 9 } else { 7 }).collect();
        assert!(bytes == expected);
    }

    #[test]
    fn space_is_given_back_and_taken_again() {
        use std::os::unix::fs::MetadataExt;
        let named = Named::new("hollow", 1 << 20);
        let file = named.open(Open {
            write: true,
            ..Open::default()
        });
        file.sync().expect("a sync");
        let blocks = || std::fs::metadata(&named.path).expect("it").blocks();
        let before = blocks();
        file.hollow(256 << 10, 512 << 10).expect("a hole");
        let hollow = blocks();
        let bytes = std::fs::read(&named.path).expect("it");
        let kept = |range: std::ops::Range<usize>| bytes[range].iter().all(|&byte| byte == 7);
        assert!(bytes.len() == 1 << 20 && kept(0..256 << 10) && kept(768 << 10..1 << 20));
        // Some file systems cannot give any back.
        assert!(hollow <= before - 900 || hollow == before, "{before} {hollow}");
        assert_eq!(file.has_holes(), hollow < before);
        assert_eq!(
            (std::fs::read(&named.path).expect("it") == bytes, blocks()),
            (true, hollow)
        );
        file.reserve(256 << 10, 512 << 10).expect("space");
        assert!(blocks() >= before, "{before} {}", blocks());
        assert_eq!(file.size(None).expect("a length"), 1 << 20);
    }

    #[test]
    fn what_cannot_be_reserved_is_written() {
        let named = Named::new("grown", 10);
        let how = Open {
            write: true,
            ..Open::default()
        };
        for (from, to) in [(10, 11), (11, 11), (11, 200_000), (200_000, 200_000 + 64 * 1024)] {
            named.open(how).grow_by_writing(from, to).expect("there is room");
            let bytes = std::fs::read(&named.path).expect("it");
            assert_eq!(bytes.len() as u64, to);
            assert!(bytes[..10] == [7; 10] && bytes[10..].iter().all(|&b| b == 0));
        }
        let empty = Named::new("grown-from-nothing", 0);
        empty.open(how).grow_by_writing(0, 5).expect("there is room");
        assert_eq!(std::fs::read(&empty.path).expect("it"), [0; 5]);
    }

    #[test]
    fn a_short_file_is_shown_after_eight_reads() {
        let named = Named::new("shown", 20_000);
        let directory = named.path.parent().expect("it has one").to_path_buf();
        let shown = |path: &Path, window, direct, directory| {
            let how = Open {
                window,
                direct,
                directory,
                ..Open::default()
            };
            named.disk.try_open(path, how).expect("a file").expect("its name")
        };
        assert_eq!(shown(&named.path, 20_000, false, false).shown, 20_000);
        assert_eq!(shown(&named.path, 30_000, false, false).shown, 20_000);
        assert_eq!(shown(&named.path, 19_999, false, false).shown, 0);
        assert_eq!(shown(&directory, 1 << 30, false, true).shown, 0);
        let direct = shown(&named.path, 20_000, true, false);
        assert_eq!(direct.shown > 0, direct.direct.is_none());

        let file = shown(&named.path, 20_000, false, false);
        let read = |file: &LinuxFile, len: usize| {
            let mut buf = vec![0; len];
            let mut read = ReadAt {
                at: 5,
                buf: &mut buf,
                got: 0,
            };
            let copied = file.read_window(&mut read);
            assert_eq!(read.got, if copied { len } else { 0 });
            assert!(!copied || buf.iter().all(|&b| b == 7));
            copied
        };
        for n in 0..8 {
            assert!(!read(&file, 100), "read {n}");
        }
        assert!(read(&file, 100));
        assert!(read(&file, LONGEST_FROM_WINDOW));
        assert!(!read(&file, LONGEST_FROM_WINDOW + 1));
        let none = shown(&named.path, 0, false, false);
        assert!((0..20).all(|_| !read(&none, 100)));
    }

    /// A device that wants more than it said, played by a file that offers everything to direct I/O.
    #[test]
    fn a_request_that_direct_io_refuses_goes_through_the_cache() {
        let path = std::env::temp_dir().join(format!("cica-refused-{}", std::process::id()));
        let how = Open {
            write: true,
            create: Create::New,
            direct: true,
            ..Open::default()
        };
        let disk = LinuxDisk::new();
        let open = || {
            disk.try_open(
                &path,
                Open {
                    create: Create::IfMissing,
                    ..how
                },
            )
            .expect("a file")
            .expect("its name")
        };
        for batch in [1, 3, 20] {
            let (mut writer, mut reader) = (open(), open());
            (writer.alignment, reader.alignment) = (1, 1);
            let data: Vec<Vec<u8>> = (0..batch).map(|index| vec![index as u8; 701]).collect();
            let writes: Vec<_> = data
                .iter()
                .enumerate()
                .map(|(index, buf)| WriteAt {
                    at: 1_001 * index as u64 + 3,
                    buf,
                })
                .collect();
            writer.write(&writes).expect("writes");
            let mut buffers = vec![vec![0xEE; 701]; batch];
            let mut reads: Vec<_> = buffers
                .iter_mut()
                .enumerate()
                .map(|(index, buf)| ReadAt {
                    at: 1_001 * index as u64 + 3,
                    buf,
                    got: 0,
                })
                .collect();
            reader.read(&mut reads).expect("reads");
            assert!(reads.iter().all(|read| read.got == 701));
            assert!(buffers == data);
        }
        disk.remove(&path).expect("its name");
    }

    /// As a child has them after `fork`.
    #[test]
    fn a_lock_ends_with_its_file_though_others_have_the_descriptors() {
        let named = Named::new("inherited", 10);
        for lock in [Lock::Shared, Lock::Exclusive] {
            let how = Open {
                write: true,
                lock,
                ..Open::default()
            };
            let file = named.open(how);
            let held = file.held.as_ref().expect("a lock");
            let inherited = (rustix::io::dup(&file.main), held.inherited());
            let alone = Open {
                lock: Lock::Exclusive,
                ..how
            };
            assert!(named.disk.open(&named.path, alone).is_err());
            drop(file);
            drop(named.open(alone));
            drop(inherited);
        }
        // A child that drops its copy of the file leaves its parent the lock.
        let how = Open {
            write: true,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        let mut copy = named.open(how);
        let held = copy.held.as_mut().expect("a lock");
        let parents = (held.inherited(), rustix::io::dup(&copy.main));
        copy.held.as_mut().expect("a lock").of_another_process();
        drop(copy);
        assert!(named.disk.open(&named.path, how).is_err());
        drop(parents);
        drop(named.open(how));
    }
}
