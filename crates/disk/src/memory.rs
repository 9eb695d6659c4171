//! [`MemoryDisk`]: files that are bytes in memory, with the names, locks and errors of real ones.
//!
//! 1. A file lives while a name or a handle has it; a lock belongs to a handle and goes with it (D5).
//! 2. `kill` is what a process death is to its files: locks are gone, what was written stays, and handles from
//!    before it do nothing any more.

mod file;
mod node;
mod tree;

pub(crate) use file::{within_limits, MappedMemory, MemoryFile};
pub(crate) use node::locked;

use crate::error::{failed, Action};
use crate::image::{plain, FileId, Image, NamedNode};
use crate::{Begun, Create, Disk, File, Open};
use node::Node;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use tree::Tree;

/// A disk in memory. Clones are the same disk.
#[derive(Clone)]
pub struct MemoryDisk {
    tree: Arc<Mutex<Tree>>,
    /// Counts up with each `kill`; see `Locks::process`.
    process: Arc<AtomicU64>,
}

/// What an `open` found or made.
pub(crate) struct MemoryOpened {
    pub(crate) file: MemoryFile,
    /// Whether the name is new.
    pub(crate) made: bool,
}

impl Default for MemoryDisk {
    fn default() -> Self {
        MemoryDisk::from(Image::default())
    }
}

impl From<Image> for MemoryDisk {
    /// A disk that starts as the image is; it shares the image's bytes until it writes.
    fn from(image: Image) -> Self {
        let content = |file: FileId| image.contents.get(file.0 as usize).cloned().unwrap_or_default();
        let node = |(_, entry): (_, NamedNode)| {
            (
                entry.file,
                Arc::new(Node::new(entry.file, entry.directory, content(entry.file))),
            )
        };
        let tree = Tree {
            nodes: image.names.iter().map(node).collect(),
            unnamed: Vec::new(),
            next: image.contents.len() as u32,
            names: image.names.clone(),
        };
        MemoryDisk {
            tree: Arc::new(Mutex::new(tree)),
            process: Arc::default(),
        }
    }
}

impl MemoryDisk {
    /// An empty disk: there are `/` and the working directory, and nothing in them.
    pub fn new() -> Self {
        Self::default()
    }

    /// The names and bytes of this moment.
    pub fn image(&self) -> Image {
        let tree = locked(&self.tree);
        let mut image = Image {
            names: tree.names.clone(),
            contents: vec![Arc::default(); tree.next as usize],
        };
        for node in tree.nodes.values() {
            image.contents[node.id.0 as usize] = node.content();
        }
        image
    }

    /// Ends the process that has files open here: locks are released, and its handles fail from now on.
    pub fn kill(&self) {
        self.process.fetch_add(1, Ordering::SeqCst);
    }

    /// Bytes of all files that have a name, or are open and have none yet.
    pub(crate) fn space(&self) -> u64 {
        let tree = locked(&self.tree);
        let unnamed = tree.unnamed.iter().filter_map(Weak::upgrade);
        let unnamed: u64 = unnamed.map(|node| node.content().len()).sum();
        unnamed + tree.nodes.values().map(|node| node.content().len()).sum::<u64>()
    }

    /// The file of that name.
    pub(crate) fn node(&self, path: &Path) -> io::Result<Arc<Node>> {
        let tree = locked(&self.tree);
        match tree.names.get(&plain(path)) {
            Some(entry) => Ok(tree.nodes[&entry.file].clone()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    pub(crate) fn open_file(&self, path: &Path, how: Open) -> io::Result<MemoryOpened> {
        let mut tree = locked(&self.tree);
        let plain = plain(path);
        let (node, made) = match (tree.names.get(&plain), how.create) {
            (Some(_), Create::New) => return Err(failed(Action::Make, path, ErrorKind::AlreadyExists)),
            (Some(entry), _) if entry.directory != how.directory => {
                let kind = if entry.directory {
                    ErrorKind::IsADirectory
                } else {
                    ErrorKind::NotADirectory
                };
                return Err(failed(Action::Open, path, kind));
            }
            (Some(entry), _) => (tree.nodes[&entry.file].clone(), false),
            (None, Create::No) => return Err(failed(Action::Open, path, ErrorKind::NotFound)),
            (None, _) => {
                tree.names
                    .check_parent(&plain)
                    .map_err(|kind| failed(Action::Make, path, kind))?;
                (tree.make(&plain, how.directory), true)
            }
        };
        let process = self.process.load(Ordering::SeqCst);
        if !node.take_lock(how.lock, process) {
            return Err(failed(Action::Lock, path, ErrorKind::WouldBlock));
        }
        let file = self.handle(node, path, how, process);
        Ok(MemoryOpened { file, made })
    }

    fn handle(&self, node: Arc<Node>, path: &Path, how: Open, process: u64) -> MemoryFile {
        MemoryFile {
            node,
            path: path.to_path_buf(),
            writable: how.write,
            lock: how.lock,
            process,
            current: self.process.clone(),
            tree: self.tree.clone(),
        }
    }

    /// A file without a name, which is to take the place of `path`.
    pub(crate) fn unnamed_file(&self, path: &Path) -> io::Result<MemoryFile> {
        let mut tree = locked(&self.tree);
        let plain = plain(path);
        if tree.names.get(&plain).is_some_and(|there| there.directory) {
            return Err(failed(Action::Make, path, ErrorKind::IsADirectory));
        }
        tree.names
            .check_parent(&plain)
            .map_err(|kind| failed(Action::Make, path, kind))?;
        let id = FileId(tree.next);
        tree.next += 1;
        let node = Arc::new(Node::new(id, false, Arc::default()));
        tree.unnamed.retain(|node| node.strong_count() > 0);
        tree.unnamed.push(Arc::downgrade(&node));
        let how = Open {
            write: true,
            ..Open::default()
        };
        Ok(self.handle(node, path, how, self.process.load(Ordering::SeqCst)))
    }

    /// Returns the renamed file.
    pub(crate) fn rename_file(&self, from: &Path, to: &Path) -> io::Result<FileId> {
        let error = |kind: ErrorKind| Err(failed(Action::Rename { to: to.to_path_buf() }, from, kind));
        let mut tree = locked(&self.tree);
        let (plain_from, plain_to) = (plain(from), plain(to));
        let Some(entry) = tree.names.get(&plain_from) else {
            return error(ErrorKind::NotFound);
        };
        let replaced = tree.names.get(&plain_to);
        if entry.directory || replaced.is_some_and(|replaced| replaced.directory) {
            return error(ErrorKind::IsADirectory);
        }
        if let Err(kind) = tree.names.check_parent(&plain_to) {
            return error(kind);
        }
        tree.names.unlink(&plain_from);
        tree.names.link(&plain_to, entry);
        if let Some(replaced) = replaced.filter(|replaced| *replaced != entry) {
            tree.forget_unnamed(replaced.file);
        }
        Ok(entry.file)
    }
}

impl Disk for MemoryDisk {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        Ok(Box::new(self.open_file(path, how)?.file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename_file(from, to).map(|_| ())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut tree = locked(&self.tree);
        let plain = plain(path);
        let Some(entry) = tree.names.get(&plain) else {
            return Err(failed(Action::Remove, path, ErrorKind::NotFound));
        };
        if tree.names.children(&plain).next().is_some() {
            return Err(failed(Action::Remove, path, ErrorKind::DirectoryNotEmpty));
        }
        if plain.parent().is_none() {
            return Err(failed(Action::Remove, path, ErrorKind::ResourceBusy));
        }
        tree.names.unlink(&plain);
        tree.forget_unnamed(entry.file);
        Ok(())
    }

    fn begin(&self, path: &Path, _meanwhile: &Path) -> io::Result<Begun> {
        Ok(Begun::Unnamed(Box::new(self.unnamed_file(path)?)))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        let tree = locked(&self.tree);
        let plain = plain(directory);
        match tree.names.get(&plain) {
            None => return Err(failed(Action::List, directory, ErrorKind::NotFound)),
            Some(entry) if !entry.directory => return Err(failed(Action::List, directory, ErrorKind::NotADirectory)),
            Some(_) => {}
        }
        let files = tree.names.children(&plain).filter(|(_, entry)| !entry.directory);
        Ok(files
            .filter_map(|(path, entry)| Some((path.file_name()?.into(), tree.nodes[&entry.file].content().len())))
            .collect())
    }
}

impl fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryDisk of {} names", locked(&self.tree).names.iter().count())
    }
}
