//! [`Confined`]: a disk of which only some directories may be touched.
//!
//! What a catalog, a root or a log says is not trusted, whoever put it there. Whatever name such a file gives, it is
//! used through this disk, and nothing is opened, made, renamed, removed or listed but in directories that were
//! admitted:
//!
//! * A1. A directory that the user named (the catalog; a volume on a control card; an argument of a command).
//! * A2. A directory that a file named, if it lies within one that is admitted, links followed.
//! * A3. A directory within one that the user trusts (`CICA_TRUST`).
//! * A4. A directory that itself says whom it belongs to; the catalog finds that out with [`Disk::look`].
//!
//! Directories above those that were admitted may be opened to be synced, and made where they are missing; nothing
//! else is done there. A path is judged by its components, `..` taken out; a link to a directory leads where it led
//! when the directory was admitted.

use crate::error::{failed, Action};
use crate::{Begun, Create, Disk, File, Holder, Open, StreamMode, Whose};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// See the module.
#[derive(Debug)]
pub struct Confined<D> {
    inner: D,
    /// Directories as they are named, and where they really are.
    admitted: RwLock<BTreeMap<PathBuf, PathBuf>>,
    trusted: Vec<PathBuf>,
}

impl<D: Disk> Confined<D> {
    /// A disk of which nothing may be touched yet; `trusted` are the directories the user trusts.
    pub fn new(inner: D, trusted: &[PathBuf]) -> Confined<D> {
        let trusted = trusted.iter().map(|path| real(&inner, &plain(path))).collect();
        Confined {
            inner,
            admitted: RwLock::default(),
            trusted,
        }
    }

    /// The disk behind it.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// Where an admitted directory really is.
    fn place_of(&self, directory: &Path) -> Option<PathBuf> {
        let admitted = self.admitted.read().unwrap_or_else(PoisonError::into_inner);
        admitted.get(directory).cloned()
    }

    /// Where a file of an admitted directory really is.
    fn file(&self, path: &Path, action: &Action) -> io::Result<PathBuf> {
        let plain = plain(path);
        let found = plain.parent().and_then(|directory| self.place_of(directory));
        match (found, plain.file_name()) {
            (Some(directory), Some(name)) => Ok(directory.join(name)),
            _ => Err(outside(path, action.clone())),
        }
    }

    /// Where a directory really is that is admitted, or lies above one that is.
    fn directory(&self, path: &Path, how: Open) -> io::Result<PathBuf> {
        let plain = plain(path);
        if let Some(place) = self.place_of(&plain) {
            return Ok(place);
        }
        let admitted = self.admitted.read().unwrap_or_else(PoisonError::into_inner);
        let mut below = admitted.range(plain.clone()..);
        if below.next().is_some_and(|(directory, _)| directory.starts_with(&plain)) {
            Ok(plain)
        } else {
            Err(outside(path, action(how)))
        }
    }
}

impl<D: Disk> Disk for Confined<D> {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let place = if how.directory {
            self.directory(path, how)?
        } else {
            self.file(path, &action(how))?
        };
        self.inner.open(&place, how)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let action = Action::Rename { to: to.to_path_buf() };
        self.inner.rename(&self.file(from, &action)?, &self.file(to, &action)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match self.place_of(&plain(path)) {
            Some(directory) => self.inner.remove(&directory),
            None => self.inner.remove(&self.file(path, &Action::Remove)?),
        }
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        match self.place_of(&plain(directory)) {
            Some(place) => self.inner.list(&place),
            None => Err(outside(directory, Action::List)),
        }
    }

    fn begin(&self, path: &Path, meanwhile: &Path) -> io::Result<Begun> {
        self.inner
            .begin(&self.file(path, &Action::Make)?, &self.file(meanwhile, &Action::Make)?)
    }

    fn stream(&self, path: &Path, way: StreamMode) -> io::Result<Box<dyn File>> {
        self.inner.stream(&self.file(path, &Action::Open)?, way)
    }

    fn holder(&self, path: &Path) -> Option<Holder> {
        self.inner.holder(path)
    }

    fn is_same(&self, one: &Path, other: &Path) -> bool {
        self.inner.is_same(one, other)
    }

    fn keep_group(&self, of: &Path, file: &Path) {
        if let (Ok(of), Ok(file)) = (self.file(of, &Action::Open), self.file(file, &Action::Make)) {
            self.inner.keep_group(&of, &file);
        }
    }

    fn admit(&self, directory: &Path, explicit: bool) -> io::Result<()> {
        let plain = plain(directory);
        if self.place_of(&plain).is_some() {
            return Ok(());
        }
        let place = real(&self.inner, &plain);
        let mut admitted = self.admitted.write().unwrap_or_else(PoisonError::into_inner);
        let within = admitted
            .values()
            .chain(&self.trusted)
            .any(|root| place.starts_with(root));
        if !explicit && !within {
            return Err(outside(directory, Action::Open));
        }
        admitted.insert(plain, place);
        Ok(())
    }

    fn look(&self, path: &Path, most: usize) -> io::Result<Vec<u8>> {
        self.inner.look(path, most)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.real(path)
    }

    fn whose(&self, path: &Path) -> io::Result<Whose> {
        self.inner.whose(path)
    }
}

fn action(how: Open) -> Action {
    match how.create {
        Create::No => Action::Open,
        _ => Action::Make,
    }
}

/// The error of what leads out; [`is_outside`] knows it.
fn outside(path: &Path, action: Action) -> io::Error {
    failed(action, path, io::Error::new(ErrorKind::PermissionDenied, OutsideError))
}

/// Whether something was refused because it lies outside of what may be touched.
pub fn is_outside(error: &io::Error) -> bool {
    let inner = error.get_ref();
    let cause = inner
        .and_then(|inner| inner.downcast_ref::<crate::DiskError>())
        .map(|error| &error.cause);
    cause
        .and_then(|cause| cause.get_ref())
        .is_some_and(|cause| cause.is::<OutsideError>())
}

#[derive(Debug)]
struct OutsideError;

impl std::fmt::Display for OutsideError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "a file of the catalog leads there, out of the catalog's directory and of its volumes that are there, and \
             that is not done; if it is on a volume, mount that or move it back; if it is right, put the directory \
             into CICA_TRUST",
        )
    }
}

impl std::error::Error for OutsideError {}

/// A path without `.` and `..`, by its components alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            Component::ParentDir if plain.has_root() => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Where a directory really is; one that is to be made will be where those above it are.
fn real(disk: &impl Disk, path: &Path) -> PathBuf {
    for there in path.ancestors() {
        if let Ok(found) = disk.real(there) {
            return match path.strip_prefix(there) {
                Ok(rest) if rest.as_os_str().is_empty() => found,
                Ok(rest) => found.join(rest),
                Err(_) => found,
            };
        }
    }
    path.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryDisk;

    const NEW: Open = Open {
        write: true,
        create: Create::New,
        lock: crate::Lock::None,
        direct: false,
        window: 0,
        directory: false,
    };
    const DIRECTORY: Open = Open {
        write: false,
        create: Create::IfMissing,
        directory: true,
        ..NEW
    };
    const LOOK: Open = Open {
        write: false,
        create: Create::No,
        ..NEW
    };

    fn disk(trusted: &[&str]) -> Confined<MemoryDisk> {
        let memory = MemoryDisk::new();
        for path in ["/c", "/c/log", "/out", "/out/v", "/away"] {
            memory.open(Path::new(path), DIRECTORY).expect("a directory");
        }
        for path in ["/c/A", "/out/key", "/out/v/key"] {
            memory.open(Path::new(path), NEW).expect("a file");
        }
        let trusted: Vec<PathBuf> = trusted.iter().map(PathBuf::from).collect();
        Confined::new(memory, &trusted)
    }

    fn refused<T>(done: io::Result<T>) {
        let error = done.map(drop).expect_err("it lies outside");
        assert!(
            is_outside(&error) && error.kind() == ErrorKind::PermissionDenied,
            "{error}"
        );
    }

    #[test]
    fn nothing_is_touched_but_in_what_was_admitted() {
        let disk = disk(&[]);
        let at = Path::new;
        refused(disk.open(at("/c/A"), LOOK));
        disk.admit(at("/c"), true).expect("said");
        disk.open(at("/c/A"), LOOK).expect("it is there");
        disk.open(at("/c/../c/./B"), NEW).expect("a file of /c");
        for path in [
            "/out/key",
            "/c/../out/key",
            "/c/log/1",
            "/c/x/../../out/key",
            "/",
            "/c/..",
        ] {
            for how in [LOOK, NEW] {
                refused(disk.open(at(path), how));
            }
            refused(disk.remove(at(path)));
            refused(disk.rename(at("/c/A"), at(path)));
            refused(disk.rename(at(path), at("/c/A")));
        }
        for path in ["/out", "/c/..", "/", "/c/log", "/c/new", "/cc"] {
            refused(disk.list(at(path)));
            // What lies above may be synced, and is made where it is missing.
            if path != "/" && path != "/c/.." {
                refused(disk.open(at(path), DIRECTORY));
            }
        }
        disk.open(
            at("/"),
            Open {
                directory: true,
                ..LOOK
            },
        )
        .expect("it is above");
        assert_eq!(
            disk.inner()
                .image()
                .names
                .iter()
                .filter(|(name, _)| name.starts_with("/out"))
                .count(),
            4
        );
    }

    #[test]
    fn what_a_file_names_is_admitted_within_what_is_or_is_trusted() {
        let at = Path::new;
        for (trusted, path, expected) in [
            (&[][..], "/c/log", true),
            (&[], "/c/volumes/V/not/yet", true),
            (&[], "/c/../out", false),
            (&[], "/cc", false),
            (&[], "/", false),
            (&[], "/out/v", false),
            (&["/out"], "/out/v", true),
            (&["/out"], "/away", false),
            (&["/out/v"], "/out", false),
        ] {
            let disk = disk(trusted);
            disk.admit(at("/c"), true).expect("said");
            assert_eq!(disk.admit(at(path), false).is_ok(), expected, "{path} {trusted:?}");
            assert_eq!(
                disk.open(&at(path).join("N"), LOOK)
                    .is_err_and(|error| is_outside(&error)),
                !expected
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_to_a_directory_leads_where_it_led() {
        let root = std::env::temp_dir().join(format!("cica-confined-{}", std::process::id()));
        for directory in ["c", "out"] {
            std::fs::create_dir_all(root.join(directory)).expect("a directory");
        }
        std::fs::write(root.join("out/key"), b"kept").expect("a file");
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.join(name)).expect("a link");
        link("../out", "c/log");
        link("../out/key", "c/file");
        link("c", "way");
        let disk = Confined::new(crate::LinuxDisk::new(), &[]);
        let admit = |name: &str, explicit| disk.admit(&root.join(name), explicit);
        admit("way", true).expect("said");
        refused(admit("way/log", false));
        refused(disk.open(&root.join("way/log/key"), LOOK));
        let error = disk.open(&root.join("way/file"), LOOK).map(drop).expect_err("a link");
        assert!(error.to_string().contains("symbolic link"), "{error}");
        disk.open(&root.join("way/new"), NEW).expect("a file");
        // What the way leads to now is another matter.
        std::fs::remove_file(root.join("way")).expect("its name");
        link("out", "way");
        disk.open(&root.join("way/new"), LOOK).expect("where it was");
        disk.open(&root.join("way/key"), LOOK)
            .map(drop)
            .expect_err("it is not there");
        assert_eq!(std::fs::read(root.join("out/key")).expect("it"), b"kept");
        std::fs::remove_dir_all(&root).expect("the end");
    }
}
