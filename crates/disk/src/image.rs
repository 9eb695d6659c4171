//! A whole disk as a value: names and bytes at one moment. Copying one shares the bytes (see `content.rs`).

use crate::content::{Content, SECTOR};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Which file, whatever its name is now: what an inode number is on a real file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedNode {
    pub(crate) file: FileId,
    pub(crate) directory: bool,
}

/// The names of a disk; the two roots, `/` and the working directory, are always there.
#[derive(Debug, Clone)]
pub(crate) struct Names(Arc<BTreeMap<Arc<Path>, NamedNode>>);

/// Files that every disk has: the two root directories.
pub(crate) const ROOTS: [&str; 2] = ["", "/"];

impl Default for Names {
    fn default() -> Self {
        let root = |(number, path): (usize, &&str)| {
            (
                Arc::from(Path::new(path)),
                NamedNode {
                    file: FileId(number as u32),
                    directory: true,
                },
            )
        };
        Names(Arc::new(ROOTS.iter().enumerate().map(root).collect()))
    }
}

impl Names {
    pub(crate) fn get(&self, path: &Path) -> Option<NamedNode> {
        self.0.get(path).copied()
    }

    pub(crate) fn link(&mut self, path: &Arc<Path>, entry: NamedNode) {
        Arc::make_mut(&mut self.0).insert(path.clone(), entry);
    }

    pub(crate) fn unlink(&mut self, path: &Path) -> Option<NamedNode> {
        Arc::make_mut(&mut self.0).remove(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<Path>, NamedNode)> {
        self.0.iter().map(|(path, entry)| (path, *entry))
    }

    /// What lies directly in a directory.
    pub(crate) fn children<'a>(&'a self, directory: &'a Path) -> impl Iterator<Item = (&'a Path, NamedNode)> {
        self.0
            .range::<Path, _>((Bound::Excluded(directory), Bound::Unbounded))
            .take_while(move |(path, _)| path.starts_with(directory))
            .filter(move |(path, _)| path.parent() == Some(directory))
            .map(|(path, entry)| (&**path, *entry))
    }

    /// Whether a name can lie where `path` has it: an error unless its parent is a directory.
    pub(crate) fn check_parent(&self, path: &Path) -> Result<(), ErrorKind> {
        match path.parent().and_then(|parent| self.get(parent)) {
            Some(parent) if parent.directory => Ok(()),
            Some(_) => Err(ErrorKind::NotADirectory),
            None => Err(ErrorKind::NotFound),
        }
    }

    /// Takes away what no directory leads to any more.
    pub(crate) fn drop_orphans(&mut self) {
        let lost = |names: &Names| -> Vec<Arc<Path>> {
            let is_root = |path: &Path| ROOTS.iter().any(|root| path == Path::new(root));
            let orphan = |path: &Path| !is_root(path) && names.check_parent(path).is_err();
            names
                .iter()
                .filter(|(path, _)| orphan(path))
                .map(|(path, _)| path.clone())
                .collect()
        };
        // A directory that goes takes its children with it in the next round.
        loop {
            let lost = lost(self);
            if lost.is_empty() {
                return;
            }
            for path in lost {
                self.unlink(&path);
            }
        }
    }
}

/// The one spelling of a path that names are kept under: no `.`, no doubled or trailing separators.
pub(crate) fn plain(path: &Path) -> Arc<Path> {
    let kept: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    Arc::from(kept)
}

/// The names and bytes of a disk at one moment.
#[derive(Debug, Clone)]
pub struct Image {
    pub(crate) names: Names,
    /// By [`FileId`]; files without a name may be among them.
    pub(crate) contents: Vec<Arc<Content>>,
}

impl Default for Image {
    fn default() -> Self {
        Image {
            names: Names::default(),
            contents: vec![Arc::default(); ROOTS.len()],
        }
    }
}

impl Image {
    /// A disk with nothing on it but these directories, as after they were made durable.
    pub fn with_directories<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut image = Image::default();
        for path in paths {
            let path = plain(path.as_ref());
            let mut missing: Vec<_> = path
                .ancestors()
                .take_while(|each| image.names.get(each).is_none())
                .collect();
            while let Some(directory) = missing.pop() {
                let file = FileId(image.contents.len() as u32);
                image.link(&Arc::from(directory), NamedNode { file, directory: true });
            }
        }
        image
    }

    /// The names of all files, directories left out, in order.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.names
            .iter()
            .filter(|(_, entry)| !entry.directory)
            .map(|(path, _)| &**path)
    }

    /// The length of a file in bytes; `None` if there is none of that name.
    pub fn len(&self, path: &Path) -> Option<u64> {
        Some(self.content(path)?.len())
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files().next().is_none()
    }

    /// All bytes of a file; `None` if there is none of that name.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        let content = self.content(path)?;
        let mut bytes = vec![0; content.len() as usize];
        content.read(0, &mut bytes);
        Some(bytes)
    }

    /// Reads part of a file; returns the bytes read, fewer at its end, or `None` if there is none of that name.
    pub fn read(&self, path: &Path, at: u64, buf: &mut [u8]) -> Option<usize> {
        Some(self.content(path)?.read(at, buf))
    }

    /// Offsets of the sectors of a file that hold anything but zeros.
    pub fn used_sectors(&self, path: &Path) -> impl Iterator<Item = u64> {
        let bytes = self.bytes(path).unwrap_or_default();
        let used = |(_, sector): &(usize, &[u8])| sector.iter().any(|byte| *byte != 0);
        let sectors = bytes.chunks(SECTOR as usize).enumerate().filter(used);
        let offsets: Vec<u64> = sectors.map(|(number, _)| number as u64 * SECTOR).collect();
        offsets.into_iter()
    }

    /// Puts a copy of all that `of` has below a directory.
    pub fn take_in(&mut self, of: &Image, below: &Path) {
        let mut all = vec![(plain(below), true, None)];
        all.extend(below.ancestors().skip(1).map(|path| (plain(path), true, None)));
        all.extend(of.names.iter().map(|(path, entry)| {
            let path = below.join(path.strip_prefix("/").unwrap_or(path));
            (plain(&path), entry.directory, of.contents.get(entry.file.0 as usize))
        }));
        for (path, directory, content) in all {
            if directory && self.names.get(&path).is_some() {
                continue;
            }
            self.give(&path, directory, content.cloned());
        }
    }

    /// Makes a file what it is in `of`; takes it away if it is not there.
    pub fn copy_file(&mut self, path: &Path, of: &Image) {
        let path = plain(path);
        match of.names.get(&path).filter(|entry| !entry.directory) {
            Some(entry) => self.give(&path, false, of.contents.get(entry.file.0 as usize).cloned()),
            None => drop(self.names.unlink(&path)),
        }
    }

    /// A name for a new file.
    fn give(&mut self, path: &Arc<Path>, directory: bool, content: Option<Arc<Content>>) {
        let file = FileId(self.contents.len() as u32);
        self.contents.push(content.unwrap_or_default());
        self.names.link(path, NamedNode { file, directory });
    }

    fn content(&self, path: &Path) -> Option<&Content> {
        let entry = self.names.get(&plain(path)).filter(|entry| !entry.directory)?;
        self.contents.get(entry.file.0 as usize).map(|content| &**content)
    }

    /// Gives a file a name; a file nothing else is known of is empty.
    pub(crate) fn link(&mut self, path: &Arc<Path>, entry: NamedNode) {
        self.names.link(path, entry);
        self.content_mut(entry.file);
    }

    pub(crate) fn content_mut(&mut self, file: FileId) -> &mut Content {
        let index = file.0 as usize;
        if self.contents.len() <= index {
            self.contents.resize(index + 1, Arc::default());
        }
        Arc::make_mut(&mut self.contents[index])
    }
}
