//! Which data sets take part, by the table in [`super`]: each is looked for, opened if it needs the log, and set aside if
//! it fails.

use super::{of_other_moments, Recovery};
use crate::error::OpenError;
use crate::files::{open_file, read_index_root};
use crate::log::Logged;
use crate::open::OpenDataSet;
use crate::request::OpenOptions;
use crate::roots::read_root;
use crate::succession::{self, Fate, Predecessor};
use crate::volumes::{is_marked, Absent};
use cica_disk::{File, Lock};
use cica_format::root::Root;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone)]
pub(super) enum Participation {
    /// It takes part; its cluster id.
    Open(u64, Arc<OpenDataSet>),
    /// It does not need this log: it was deleted.
    Complete,
    /// The same, because its root does not name the log, which it did or may have done.
    Unnamed,
    /// Its volume is not there, or cannot be asked for, or it failed: the log stays (V1).
    Away,
    /// Its root is from before the log, which must not have requests of it then (N2); its file, and its name.
    Before(PathBuf, String),
}

/// What a log says of the root that a data set had when it began with it; nothing: of before format 6.
#[derive(Debug, Clone, Copy, Default)]
struct Since {
    sealed: u32,
    origin: u64,
}

impl Recovery<'_> {
    /// From here on its number is this cluster, whose tree must have the requests up to `begins` (V4). Later groups say it
    /// again; what the tree must have is what this log began behind.
    pub(super) fn introduce(&mut self, logged: &Logged, begins: u64) -> Result<(), OpenError> {
        let Logged::DataSet {
            number,
            cluster,
            sealed,
            origin,
            lineage,
            data,
            index,
            ..
        } = logged
        else {
            return Ok(());
        };
        match self.numbers.get_mut(number) {
            // Its root could not be written, so it is from before the log, and nothing of it was acknowledged.
            Some(member @ Participation::Before(..)) if *cluster == 0 => *member = Participation::Unnamed,
            Some(_) => {}
            None if *cluster == 0 => {}
            None => {
                let from = Since {
                    sealed: *sealed,
                    origin: *origin,
                };
                let opened = self.take_in((*cluster, *lineage), Path::new(data), Path::new(index), from);
                let opened = opened.and_then(|member| {
                    if let Participation::Open(_, inner) = &member {
                        inner.check_tree_has(begins)?;
                        self.check_open(inner, from, Path::new(data))?;
                    }
                    Ok(member)
                });
                let member = match opened {
                    Err(error @ OpenError::InUse { .. }) => return Err(error),
                    Err(error) => {
                        self.set_aside(*cluster, error)?;
                        Participation::Away
                    }
                    Ok(member) => member,
                };
                // Its root may name the log durably though that has no request of it yet (W7): it is to find it.
                self.needed |= matches!(member, Participation::Away);
                self.numbers.insert(*number, member);
                self.opens.insert(*number, (*lineage, *origin));
            }
        }
        let begun = self.begun.entry(*cluster).or_default();
        *begun = begins.max(*begun);
        if self.to_be_seen.get(cluster).is_some_and(|open| open == origin) {
            self.to_be_seen.remove(cluster);
        }
        Ok(())
    }

    /// Its root names this log: it must be of the open that the log introduces (N1), and not the original's of which
    /// this log is a copy (N3).
    fn check_open(&self, inner: &OpenDataSet, since: Since, recorded: &Path) -> Result<(), OpenError> {
        let unusable = |what: String| {
            Err(OpenError::Unusable {
                path: inner.data_path().to_path_buf(),
                what,
            })
        };
        let root = inner.committed_root();
        // It may have been closed and opened again while the log went on.
        if since.origin > 0 && (root.log.origin < since.origin || root.version <= since.sealed) {
            return unusable(format!(
                "recovery: the log {} is of another open of it; {}",
                self.log_path.display(),
                of_other_moments()
            ));
        }
        if self.places.have_moved() && inner.data_path() == recorded {
            return unusable(format!(
                "recovery: it lies where it always was, and its log was at {}, not at {}: this catalog is a copy, or was \
                 moved, and the volume belongs to the original. Open it through the original, or copy the volume too",
                self.places.recorded().display(),
                self.log_path.display()
            ));
        }
        Ok(())
    }

    /// A data set failed (V5).
    pub(super) fn set_aside(&mut self, cluster: u64, error: OpenError) -> Result<(), OpenError> {
        if self.wanted == Some(cluster) {
            return Err(error);
        }
        self.needed = true;
        self.aside.insert(cluster);
        self.waiting.forget(cluster);
        self.to_be_seen.remove(&cluster);
        if let Some(inner) = self.members.remove(&cluster) {
            inner.leave();
        }
        for member in self.numbers.values_mut() {
            if matches!(member, Participation::Open(of, _) if *of == cluster) {
                *member = Participation::Away;
            }
        }
        Ok(())
    }

    /// Finds a data set and opens it for recovery, if it needs this log (see the table).
    fn take_in(
        &mut self,
        (cluster, lineage): (u64, u64),
        data: &Path,
        index: &Path,
        since: Since,
    ) -> Result<Participation, OpenError> {
        if self.aside.contains(&cluster) {
            return Ok(Participation::Away);
        }
        if let Some(known) = self.members.get(&cluster) {
            self.check_copies(cluster, known, data)?;
            return Ok(Participation::Open(cluster, known.clone()));
        }
        let (mut other, mut failed) = (None, None);
        // A place that cannot be looked at, or is not known now (places:M3), may have it: it counts as away, not as
        // deleted.
        let mut unseen = self.places.are_partial();
        for (place, path) in self.places.of(data).into_iter().enumerate() {
            let file = match open_file(self.disk(), &path, Lock::None, true) {
                Ok(file) => file,
                Err(OpenError::Missing { .. }) => continue,
                Err(error) => {
                    // Where it was and should be; what lies elsewhere under its name may be anything.
                    unseen = true;
                    failed = failed.or((place == 0).then_some(error));
                    continue;
                }
            };
            match read_root(&*file, &path) {
                Ok(root) if root.cluster != cluster => other = other.or((place == 0).then_some(root)),
                Ok(root) if root.log.log == self.log => {
                    let index = self.index_of(&root, index);
                    return self.take_in_at(cluster, &path, &index);
                }
                Ok(root) => return self.complete_member(&*file, &path, &root, since),
                // It may be this one.
                Err(OpenError::Io { .. }) if place > 0 => unseen = true,
                Err(error) => failed = failed.or((place == 0).then_some(error)),
            }
        }
        match (failed, other) {
            (Some(error), _) => Err(error),
            (None, Some(other)) => self.succeeded((cluster, lineage), data, &other, since),
            (None, None) if !unseen && self.was_deleted(data) => Ok(Participation::Complete),
            (None, None) => Ok(Participation::Away),
        }
    }

    /// Another cluster lies at its path.
    fn succeeded(
        &self,
        (cluster, lineage): (u64, u64),
        data: &Path,
        by: &Root,
        since: Since,
    ) -> Result<Participation, OpenError> {
        let begun = self.time;
        let before = Predecessor {
            cluster,
            lineage,
            begun,
        };
        match succession::fate(self.disk(), &self.places, data, before, by) {
            Fate::Over => Ok(Participation::Complete),
            Fate::MayComeBack => Ok(Participation::Away),
            // Its own open knows where its index is.
            Fate::Moved(_, root) if root.log.log == self.log => Ok(Participation::Away),
            Fate::Moved(path, root) => {
                let file = open_file(self.disk(), &path, Lock::None, true)?;
                self.complete_member(&*file, &path, &root, since)
            }
        }
    }

    /// Opens this data set for recovery, if it needs this log still.
    pub(super) fn take_in_at(&mut self, cluster: u64, data: &Path, index: &Path) -> Result<Participation, OpenError> {
        let file = match open_file(self.disk(), data, Lock::Exclusive, true) {
            Ok(file) => file,
            Err(error @ OpenError::InUse { .. }) => {
                let file = open_file(self.disk(), data, Lock::None, true)?;
                let root = read_root(&*file, data)?;
                if root.log.log == self.log {
                    return Err(error);
                }
                return self.complete_member(&*file, data, &root, Since::default());
            }
            Err(error) => return Err(error),
        };
        let root = read_root(&*file, data)?;
        if root.log.log != self.log || root.cluster != cluster {
            return self.complete_member(&*file, data, &root, Since::default());
        }
        if root.log.early {
            // V9.
            self.make_durable(&*file, data)?;
        }
        // One that was named early had no request in the log then that was durable.
        let origin = if root.log.early { 0 } else { root.log.origin };
        let inner = OpenDataSet::open(self.shared, file, root, data, index, OpenOptions::recovery())?;
        if origin > 0 {
            self.to_be_seen.insert(cluster, origin);
        }
        inner.exceed_definition();
        inner.resume_archive()?;
        self.members.insert(cluster, inner.clone());
        Ok(Participation::Open(cluster, inner))
    }

    /// Where the index component of a data set is now.
    fn index_of(&self, root: &Root, recorded: &Path) -> PathBuf {
        if recorded.as_os_str().is_empty() {
            return PathBuf::new();
        }
        let places = self.places.of(recorded);
        let is_its = |path: &&PathBuf| {
            let file = open_file(self.disk(), path, Lock::None, false);
            file.is_ok_and(|file| read_index_root(&*file, (recorded, path), root).is_ok())
        };
        let its = places.iter().find(is_its).or(places.first());
        its.cloned().unwrap_or_default()
    }

    /// Its file is not there. One that was moved away by hand keeps its entry in the catalog; where there is no catalog
    /// that could tell, it counts as deleted.
    fn was_deleted(&self, data: &Path) -> bool {
        let (places, volumes) = (self.places.of_deleted(data), self.shared.volumes());
        let says_so = |path: &PathBuf| is_marked(self.disk(), path) && volumes.absent(path) != Absent::Named;
        !places.is_empty() && places.iter().all(says_so)
    }

    /// A data set whose root does not name the log; from now on durably (V6).
    fn complete_member(
        &self,
        file: &dyn File,
        data: &Path,
        root: &Root,
        since: Since,
    ) -> Result<Participation, OpenError> {
        self.make_durable(file, data)?;
        if since.origin > 0 && root.version <= since.sealed {
            Ok(Participation::Before(
                data.to_path_buf(),
                root.attributes.cluster_name.clone(),
            ))
        } else {
            Ok(Participation::Unnamed)
        }
    }

    fn make_durable(&self, file: &dyn File, data: &Path) -> Result<(), OpenError> {
        file.sync().map_err(|error| OpenError::Io {
            path: data.to_path_buf(),
            doing: "sync",
            error,
        })
    }

    /// A second file of the same cluster that needs this log as well is a copy: nobody knows which of them is meant.
    fn check_copies(&self, cluster: u64, known: &OpenDataSet, data: &Path) -> Result<(), OpenError> {
        for path in self.places.of(data) {
            if known.data_path() == path {
                continue;
            }
            // The same file under another name is locked by this recovery.
            let Ok(file) = open_file(self.disk(), &path, Lock::Exclusive, true) else {
                continue;
            };
            match read_root(&*file, &path) {
                Ok(root) if root.cluster == cluster && root.log.log == self.log => {
                    return Err(OpenError::Unusable {
                        path,
                        what: format!(
                            "this is a second copy of {}, and both need the requests in log {}: take one of them away",
                            known.data_path().display(),
                            self.log_path.display()
                        ),
                    })
                }
                _ => {}
            }
        }
        Ok(())
    }
}
