//! [`NewFile`]: a file that is made for the user (a copy, a listing, a sequential data set), whole or not at all.
//!
//! ```text
//! begin    a file of its own without a name, or with one that nobody has (O_EXCL)     what has the name stays
//! write
//! finish   sync -- the name, in place of what had it -- sync of the directory          it is there, also after a crash
//! drop     without finish: it is gone
//! ```
//! * N1. What has the name is never written to, whoever began to write it first: of two that are made at once each is
//!   whole, and the one that is finished last has the name.
//! * N2. A link in place of the name is replaced, not followed. Devices, pipes and terminals are written as they are.
//! * N3. It gets the mode of the file it replaces; else 0640, without what the process masks.
//! * N4. A process that is killed leaves nothing where the file system has files without names.

use super::place::Place;
use super::MODE;
use crate::error::{failed, Action};
use crate::Visible;
use rustix::fd::AsRawFd;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, CWD};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// None: it is written as it is.
    coming: Option<Coming>,
    /// It is a terminal, which data must not steer.
    terminal: Option<Visible<File>>,
}

/// What is to have a name.
#[derive(Debug)]
struct Coming {
    path: PathBuf,
    /// The name it has meanwhile; none: it has none.
    meanwhile: Option<PathBuf>,
}

impl NewFile {
    /// Begins the file that is to be called `path`.
    ///
    /// # Errors
    /// The directory is not there or cannot be written, or something else has the name that cannot be replaced.
    pub fn begin(path: &Path) -> io::Result<NewFile> {
        NewFile::begun(path).map_err(bare)
    }

    fn begun(path: &Path) -> io::Result<NewFile> {
        let there = fs::stat(path);
        if let Ok(there) = &there {
            match FileType::from_raw_mode(there.st_mode) {
                FileType::RegularFile => {}
                FileType::Directory => return Err(failed(Action::Make, path, io::ErrorKind::IsADirectory)),
                _ => return NewFile::as_it_is(path),
            }
        }
        // Standard output may be a file: it is the caller's, and has no name here.
        if is_a_descriptor(path) {
            return NewFile::as_it_is(path);
        }
        let place = Place::of(path, Action::Make)?;
        let plain = place
            .stat(false)
            .ok()
            .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        let mode = plain.map_or(MODE, |stat| stat.st_mode & 0o777);
        let error = |errno: Errno| failed(Action::Make, path, errno);
        let (fd, meanwhile) = match unnamed(&place, mode) {
            Some(fd) => (fd, None),
            None => named(path, |place, name| place.open_beside(name, NEW, mode)).map(|(fd, name)| (fd, Some(name)))?,
        };
        if plain.is_some() {
            fs::fchmod(&fd, Mode::from_raw_mode(mode)).map_err(error)?;
        }
        Ok(NewFile {
            file: fd.into(),
            coming: Some(Coming {
                path: path.to_path_buf(),
                meanwhile,
            }),
            terminal: None,
        })
    }

    /// The same, and it has its name at once: for what is read while it grows, as the listing of a job. N1 and N2 hold.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_in_sight(path: &Path) -> io::Result<File> {
        let mut new = NewFile::begin(path)?;
        new.take_name()?;
        new.file.try_clone()
    }

    /// Goes on with a file that is there, behind what it has; a link is not followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn behind(path: &Path) -> io::Result<NewFile> {
        NewFile::behind_it(path).map_err(bare)
    }

    fn behind_it(path: &Path) -> io::Result<NewFile> {
        if is_a_descriptor(path) {
            return NewFile::as_it_is(path);
        }
        let place = Place::of(path, Action::Open)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NOCTTY;
        match place.open(flags, 0) {
            Ok(fd) => Ok(NewFile {
                file: fd.into(),
                coming: None,
                terminal: None,
            }),
            Err(Errno::NOENT) => NewFile::begin(path),
            Err(errno) => Err(failed(Action::Open, path, place.cause(errno))),
        }
    }

    fn as_it_is(path: &Path) -> io::Result<NewFile> {
        let file = File::options().append(true).open(path);
        let file = file.map_err(|error| failed(Action::Open, path, error))?;
        let terminal = match file.is_terminal() {
            true => Some(Visible::of(file.try_clone()?, true)),
            false => None,
        };
        Ok(NewFile {
            file,
            coming: None,
            terminal,
        })
    }

    /// Whether it is a plain file, which has a length.
    pub fn is_plain(&self) -> bool {
        self.file.metadata().is_ok_and(|found| found.is_file())
    }

    /// It is whole: makes it durable, and gives it its name. Returns its length; none for what is no plain file.
    ///
    /// # Errors
    /// What the system says; what had the name before has it still, unless only the sync of the directory failed.
    pub fn finish(mut self) -> io::Result<Option<u64>> {
        if !self.is_plain() {
            return Ok(None);
        }
        self.file.sync_all()?;
        let length = self.file.metadata()?.len();
        self.take_name().map_err(bare)?;
        Ok(Some(length))
    }

    fn take_name(&mut self) -> io::Result<()> {
        let Some(mut coming) = self.coming.take() else {
            return Ok(());
        };
        let action = |to: &Path| Action::Rename { to: to.to_path_buf() };
        let done = (|| {
            let from = match coming.meanwhile.take() {
                Some(name) => name,
                None => {
                    let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                    let link =
                        |place: &Place<'_>, name: &str| place.link_here(CWD, &own, name, AtFlags::SYMLINK_FOLLOW);
                    named(&coming.path, link)?.1
                }
            };
            coming.meanwhile = Some(from.clone());
            let (old, new) = (
                Place::of(&from, action(&coming.path))?,
                Place::of(&coming.path, action(&coming.path))?,
            );
            old.rename(&new)
                .map_err(|errno| failed(action(&coming.path), &from, errno))?;
            coming.meanwhile = None;
            new.sync_directory()
                .map_err(|errno| failed(Action::Sync, &coming.path, errno))
        })();
        if done.is_err() {
            self.coming = Some(coming);
        }
        done
    }
}

/// What the system said: the caller's message names the file.
fn bare(error: io::Error) -> io::Error {
    match error.downcast::<crate::DiskError>() {
        Ok(error) => error.cause,
        Err(error) => error,
    }
}

/// Whether a path stands for something that is open.
fn is_a_descriptor(path: &Path) -> bool {
    let all = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    all.iter().any(|one| path.starts_with(one))
}

const NEW: OFlags = OFlags::RDWR
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW);

/// A file without a name; none where there is no such thing.
fn unnamed(place: &Place<'_>, mode: u32) -> Option<rustix::fd::OwnedFd> {
    // Without /proc it could not get one.
    if !Path::new("/proc/self/fd").exists() {
        return None;
    }
    place.open_beside(".", OFlags::RDWR | OFlags::TMPFILE, mode).ok()
}

/// Makes something beside `path` under a name that nobody has.
fn named<T>(path: &Path, make: impl Fn(&Place<'_>, &str) -> Result<T, Errno>) -> io::Result<(T, PathBuf)> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let place = Place::of(path, Action::Make)?;
    loop {
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!(".cica-{}-{number}.unfinished", std::process::id());
        match make(&place, &name) {
            Ok(made) => return Ok((made, path.with_file_name(name))),
            // Of one that died, with our number.
            Err(Errno::EXIST) if number < u64::from(u32::MAX) => {}
            Err(errno) => return Err(failed(Action::Make, path, errno)),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(terminal) = &mut self.terminal {
            return terminal.write(bytes);
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        let meanwhile = self.coming.take().and_then(|coming| coming.meanwhile);
        let place = meanwhile
            .as_deref()
            .and_then(|path| Place::of(path, Action::Remove).ok());
        // What cannot be removed has a name that says what it is.
        let _ = place.map(|place| place.unlink(AtFlags::empty()));
    }
}

/// Opens a plain file to be read, as something that a catalog names: a link in its place is not followed.
///
/// # Errors
/// What the system says; it is a link, or no plain file.
pub fn open_plain(path: &Path) -> io::Result<File> {
    opened_plain(path).map_err(bare)
}

fn opened_plain(path: &Path) -> io::Result<File> {
    let place = Place::of(path, Action::Open)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = place.open(flags, 0);
    let file: File = opened
        .map_err(|errno| failed(Action::Open, path, place.cause(errno)))?
        .into();
    match file.metadata() {
        Ok(found) if found.is_file() => Ok(file),
        Ok(_) => {
            let cause = io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file");
            Err(failed(Action::Open, path, cause))
        }
        Err(error) => Err(failed(Action::Open, path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{symlink, PermissionsExt};

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("cica-new-{}-{test}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a temporary directory");
            Scratch(path)
        }

        fn names(&self) -> Vec<String> {
            let listed = std::fs::read_dir(&self.0).expect("the directory");
            let mut names: Vec<String> = listed
                .flatten()
                .map(|e| e.file_name().to_string_lossy().into())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn it_is_there_when_it_is_whole() {
        let scratch = Scratch::new("whole");
        let path = scratch.0.join("COPY");
        for (round, old) in [None, Some("one"), Some("two")].into_iter().enumerate() {
            let text = ["one", "two", "three"][round];
            let mut gone = NewFile::begin(&path).expect("begun");
            gone.write_all(b"half").expect("a write");
            let mut new = NewFile::begin(&path).expect("begun");
            new.write_all(text.as_bytes()).expect("a write");
            let now = || std::fs::read_to_string(&path).ok();
            assert_eq!(now().as_deref(), old);
            drop(gone);
            assert_eq!(now().as_deref(), old);
            assert_eq!(new.finish().expect("whole"), Some(text.len() as u64));
            assert_eq!(now().as_deref(), Some(text));
            assert_eq!(scratch.names(), ["COPY"]);
        }
        let mut more = NewFile::behind(&path).expect("it is there");
        more.write_all(b"+").expect("a write");
        more.finish().expect("whole");
        assert_eq!(std::fs::read(&path).expect("it"), b"three+");
        NewFile::begin(&scratch.0).map(drop).expect_err("a directory");
        NewFile::begin(&scratch.0.join("NO/COPY"))
            .map(drop)
            .expect_err("no directory");
    }

    #[test]
    fn of_two_at_once_each_is_whole() {
        let scratch = Scratch::new("two");
        let path = scratch.0.join("COPY");
        std::thread::scope(|scope| {
            for writer in 0..8u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        let mut new = NewFile::begin(path).expect("begun");
                        for _ in 0..50 {
                            new.write_all(&[writer; 100]).expect("a write");
                        }
                        new.finish().expect("whole");
                        let found = std::fs::read(path).expect("it");
                        assert_eq!(found.len(), 5000);
                        assert!(found.iter().all(|b| *b == found[0]));
                    }
                });
            }
        });
        assert_eq!(scratch.names(), ["COPY"]);
    }

    #[test]
    fn links_are_replaced_and_modes_kept() {
        let scratch = Scratch::new("links");
        let (path, victim) = (scratch.0.join("COPY"), scratch.0.join("VICTIM"));
        let mode = |path: &Path| std::fs::metadata(path).expect("it").permissions().mode() & 0o777;
        std::fs::write(&victim, b"kept").expect("a file");
        std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o604)).expect("its mode");
        let write = |new: io::Result<NewFile>| {
            let mut new = new?;
            new.write_all(b"new")?;
            new.finish()
        };
        for to in ["VICTIM", "NOTHING", "COPY"] {
            symlink(to, &path).expect("a link");
            open_plain(&path).expect_err("a link");
            NewFile::behind(&path).map(drop).expect_err("a link");
            match write(NewFile::begin(&path)) {
                Ok(_) => assert!(!path.is_symlink()),
                Err(error) => assert_eq!(to, "COPY", "{error}"),
            }
            if to != "COPY" {
                assert_eq!(mode(&path) & !0o040, 0o600);
            }
            std::fs::remove_file(&path).expect("its name");
        }
        assert_eq!(
            (std::fs::read(&victim).expect("it").as_slice(), mode(&victim)),
            (&b"kept"[..], 0o604)
        );
        write(NewFile::begin(&victim)).expect("whole");
        assert_eq!(
            (std::fs::read(&victim).expect("it").as_slice(), mode(&victim)),
            (&b"new"[..], 0o604)
        );
        assert!(open_plain(&victim).is_ok());
        open_plain(&scratch.0).expect_err("a directory");
        assert_eq!(write(NewFile::begin(Path::new("/dev/null"))).expect("a device"), None);
        let mut seen = NewFile::begin_in_sight(&path).expect("begun");
        seen.write_all(b"line").expect("a write");
        assert_eq!(std::fs::read(&path).expect("it"), b"line");
    }

    #[test]
    fn without_unnamed_files_it_has_a_name_of_its_own() {
        let scratch = Scratch::new("named");
        let path = scratch.0.join("COPY");
        let place = || Place::of(&path, Action::Make).expect("a place");
        let begin = || {
            let (fd, name) = named(&path, |place, name| place.open_beside(name, NEW, 0o600)).expect("a file");
            NewFile {
                file: fd.into(),
                coming: Some(Coming {
                    path: path.clone(),
                    meanwhile: Some(name),
                }),
                terminal: None,
            }
        };
        let (one, two) = (begin(), begin());
        assert_eq!(scratch.names().len(), 2);
        drop(one);
        assert_eq!(scratch.names().len(), 1);
        two.finish().expect("whole");
        assert_eq!(scratch.names(), ["COPY"]);
        assert!(unnamed(&place(), 0o600).is_some() || !Path::new("/proc").exists() || cfg!(not(target_os = "linux")));
    }
}
