//! The names of a disk in memory, and the files they stand for.

use super::node::Node;
use crate::error::{failed, Action};
use crate::image::{plain, FileId, NamedNode, Names};
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Weak};

/// See the module.
pub(crate) struct Tree {
    pub(super) names: Names,
    pub(super) nodes: HashMap<FileId, Arc<Node>>,
    /// Files that have no name yet.
    pub(super) unnamed: Vec<Weak<Node>>,
    pub(super) next: u32,
}

impl Tree {
    /// Gives a file without a name this one.
    pub(crate) fn name(&mut self, node: &Arc<Node>, path: &Path) -> io::Result<()> {
        let error = |kind: ErrorKind| Err(failed(Action::Make, path, kind));
        let plain = plain(path);
        if self.names.get(&plain).is_some() {
            return error(ErrorKind::AlreadyExists);
        }
        if let Err(kind) = self.names.check_parent(&plain) {
            return error(kind);
        }
        let (file, directory) = (node.id, false);
        self.names.link(&plain, NamedNode { file, directory });
        self.nodes.insert(file, node.clone());
        self.unnamed
            .retain(|other| other.upgrade().is_some_and(|other| other.id != file));
        Ok(())
    }

    pub(super) fn make(&mut self, path: &Arc<Path>, directory: bool) -> Arc<Node> {
        let id = FileId(self.next);
        self.next += 1;
        let node = Arc::new(Node::new(id, directory, Arc::default()));
        self.nodes.insert(id, node.clone());
        self.names.link(path, NamedNode { file: id, directory });
        node
    }

    /// Lets go of a file that lost a name. A crash in the middle of a rename may have left it another.
    pub(super) fn forget_unnamed(&mut self, file: FileId) {
        if !self.names.iter().any(|(_, entry)| entry.file == file) {
            self.nodes.remove(&file);
        }
    }
}
