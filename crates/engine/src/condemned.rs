//! Clusters whose files are removed.
//!
//! * X1. From when a cluster is condemned until its files are gone nobody can open it: its data component is locked.
//! * X2. The data component goes first, so that no crash leaves one without its index.
//! * X3. With ERASE a file's zeros are durable before its name goes.
//! * X4. A data set of which a unit of recovery in doubt has changed records is neither removed, nor emptied (`reset`),
//!   nor replaced, nor known by another name, nor given another alternate index, until somebody decides: taking the
//!   unit back would not find it as it was. `Engine::check_decided` says so to who does it in other ways than this one.

use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::{files, open_file, sync_directory};
use crate::recovery::recover_others;
use crate::roots::read_root;
use cica_disk::{File, Lock};
use std::path::{Path, PathBuf};

/// A cluster that nobody has open, and nobody can open.
pub struct Condemned {
    engine: Engine,
    data: PathBuf,
    index: PathBuf,
    /// None: the data component is not there.
    lock: Option<Box<dyn File>>,
}

impl Engine {
    /// Takes the right to remove a cluster's files (`index` is empty where there is none). Until it is used or dropped
    /// nobody opens the cluster (X1). A data component that is damaged, or not there, may be condemned; one that is
    /// open not.
    ///
    /// # Errors
    /// `InUse` when somebody has the cluster open, or a unit in doubt has changed it (X4); or what the system says.
    pub fn condemn(&self, data: &Path, index: &Path) -> Result<Condemned, OpenError> {
        let lock = match self.open_for_itself(data) {
            Ok(file) => Some(file),
            Err(OpenError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        if let Some(root) = lock.as_ref().and_then(|file| read_root(&**file, data).ok()) {
            self.shared().check_not_in_doubt(data, root.cluster)?;
        }
        Ok(Condemned {
            engine: self.clone(),
            data: data.to_owned(),
            index: index.to_owned(),
            lock,
        })
    }

    /// Removes a cluster's files; `erase` overwrites them first.
    ///
    /// # Errors
    /// As [`Engine::condemn`] and [`Condemned::destroy`].
    pub fn destroy(&self, data: &Path, index: &Path, erase: bool) -> Result<(), OpenError> {
        self.condemn(data, index)?.destroy(erase)
    }

    /// Overwrites a file with zeros, durably. Whoever has a right to it keeps others away.
    ///
    /// # Errors
    /// What the system says.
    pub fn overwrite(&self, path: &Path) -> Result<(), OpenError> {
        let file = open_file(self.disk(), path, Lock::None, true)?;
        cica_disk::overwrite(&*file).map_err(|error| OpenError::Io {
            path: path.to_path_buf(),
            doing: "overwrite",
            error,
        })
    }
}

impl Condemned {
    /// Removes the files; `erase` overwrites them first (X2, X3).
    ///
    /// # Errors
    /// What the system says. Some of the files may be gone.
    pub fn destroy(self, erase: bool) -> Result<(), OpenError> {
        let root = self.lock.as_ref().and_then(|file| read_root(&**file, &self.data).ok());
        for path in files(&self.data, &self.index) {
            if erase {
                match self.engine.overwrite(path) {
                    Err(OpenError::Missing { .. }) => {}
                    done => done?,
                }
            }
            match self.engine.disk().remove(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(OpenError::Io {
                        path: path.to_path_buf(),
                        doing: "remove",
                        error,
                    })
                }
                _ => {}
            }
            if let Some(directory) = path.parent() {
                sync_directory(self.engine.disk(), directory)?;
            }
        }
        drop(self.lock);
        if let Some(log) = root.map(|root| root.log).filter(|log| log.log != 0) {
            // The data set is gone, whatever others say of their log when they are opened.
            let _ = recover_others(self.engine.shared(), &log);
        }
        Ok(())
    }
}
