//! Open data sets: what all handles of one share, from opening to the last close, and the spheres that they are members
//! of. Who works with them, by a string or in a unit of recovery, stands above.
//!
//! | state | by | to |
//! |---|---|---|
//! | closed | `Engine::open` (recovers first if the root names a log) | open |
//! | open, never loaded, for output | first sequential insert | loading |
//! | loading | `close` | closed |
//! | open | `commit_tree` (checkpoint, log too long, close) | open, tree on the volume is the one in memory |
//! | open | a failed write or sync, a broken invariant | fenced: nothing is answered any more |
//! | any | last handle dropped without `close` | closed, as after the death of the process |

mod archive;
mod close;
mod commit;
mod epoch;
mod gather;
mod handle;
mod naming;
mod opening;
mod pace;
mod pin;
mod redo;
mod shared;
mod shunted;
mod sphere;
mod ties;
mod units;

pub use handle::Handle;
pub use pin::Pin;
pub use shared::{Env, Shared};
pub use shunted::Shunted;
pub use sphere::{Member, Sphere, BASE};
pub use ties::{check, check_roots, Ties};

use crate::archive::Writer;
use crate::cluster::OpenCluster;
use crate::common::Common;
use crate::error::{OpenError, RequestError};
use crate::request::{Access, Durability, Intent, OpenOptions};
use crate::sync::atomic::Ordering::*;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use crate::sync::{Condvar, Mutex};
use cica_format::attributes::Attributes;
use cica_format::root::{Root, Statistics};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// See the module.
pub struct OpenDataSet {
    pub records: OpenCluster,
    pub shared: Arc<Shared>,
    pub options: OpenOptions,
    data_path: PathBuf,
    index_path: PathBuf,
    /// Attributes of the index component, where there is one.
    pub index_attributes: Option<Attributes>,
    roots: Mutex<Roots>,
    /// Statistics at open; the counters add to them.
    base: Mutex<(Statistics, Statistics)>,
    handles: AtomicUsize,
    last_commit: AtomicU64,
    /// When its last change was, nanoseconds since 1970, whatever is done now; 0: that is now.
    as_of: AtomicU64,
    /// Commits begun (pin:H3).
    commits: AtomicU64,
    /// Of a base: its trees are pinned.
    pinned: AtomicBool,
    /// LSN up to which the committed tree has the requests.
    committed: AtomicU64,
    /// Id of the log that was to be named early the last time.
    named_early: AtomicU64,
    /// Version of the last root that names no log.
    sealed: AtomicU32,
    /// Which open of the data set this is, if it logs.
    origin: AtomicU64,
    /// The state of an alternate index, and what a base knows of its alternate indexes.
    pub ties: Ties,
    /// One of its opens wants each request durable, so all have it.
    each_request: AtomicBool,
    /// The next commit is the last.
    closing: AtomicBool,
    left: AtomicBool,
    /// A thread commits it because lists are full, or is about to.
    is_ending_lists: AtomicBool,
    /// Its files are closed.
    gone: (Mutex<bool>, Condvar),
    /// Its archive, while it is open for output with LOG(ALL), or is recovered; none in it when it was let go of.
    archive: OnceLock<Mutex<Option<Writer>>>,
    /// Of a base that is open for output with its alternate indexes.
    sphere: OnceLock<Sphere>,
    /// An alternate index that is upgraded with its base: nobody else opens it.
    upgraded: AtomicBool,
}

/// The committed roots.
struct Roots {
    data: Root,
    index: Option<Root>,
    /// The last commit has been made, or none will be: no log is named any more.
    last: bool,
}

impl OpenDataSet {
    /// What all organizations have.
    #[inline]
    pub fn common(&self) -> &Common {
        self.records.common()
    }

    /// May this open read now, with this intent?
    pub fn allow_read(&self, access: Access, intent: Intent) -> Result<(), RequestError> {
        if intent == Intent::Update && access != Access::Output {
            return Err(RequestError::Access {
                what: "getting records for update (open for output)",
            });
        }
        if self.common().loading.load(Relaxed) {
            return Err(RequestError::Loading);
        }
        self.common().check_fence()
    }

    /// May this open change something? `what` says which request asks.
    pub fn allow_change(&self, access: Access, what: &'static str) -> Result<(), RequestError> {
        match access {
            Access::Output => {
                self.name_log_before_change();
                self.common().check_fence()
            }
            Access::Input => Err(RequestError::Access { what }),
        }
    }

    /// Which open of the data set this is, if it logs.
    pub fn origin(&self) -> u64 {
        self.origin.load(Relaxed)
    }

    /// Which open of it changed it last.
    pub fn changed_by(&self) -> u64 {
        self.roots.lock().data.log.origin.max(self.origin())
    }

    /// A number for another string.
    pub fn next_string(&self) -> u64 {
        self.shared.locks.number()
    }

    /// The alternate indexes that are upgraded with this base.
    #[inline]
    pub fn sphere(&self) -> Option<&Sphere> {
        self.sphere.get()
    }

    /// Makes it a base whose alternate indexes are upgraded, before anybody else knows it.
    pub fn attach(&self, sphere: Sphere) {
        sphere.members().for_each(|member| member.upgraded.store(true, Relaxed));
        let _ = self.sphere.set(sphere);
    }

    /// Is it a member of a sphere: a base with alternate indexes, or one of these?
    pub fn is_of_sphere(&self) -> bool {
        self.upgraded.load(Relaxed) || self.sphere.get().is_some()
    }

    /// Another open in the same process.
    ///
    /// `None`: the last handle is just being closed; [`wait_until_gone`](Self::wait_until_gone).
    pub fn join(self: &Arc<Self>, options: OpenOptions) -> Result<Option<Handle>, OpenError> {
        if self.has_left() {
            return Ok(None);
        }
        if self.upgraded.load(Relaxed) {
            return Err(OpenError::InUse {
                path: self.data_path.clone(),
                why: "this process has it open as an alternate index that is upgraded with its base",
                by: None,
            });
        }
        if options.access == Access::Output && self.options.access == Access::Input {
            return Err(OpenError::InUse {
                path: self.data_path.clone(),
                why: "this process has it open for input, and this open is for output",
                by: None,
            });
        }
        if options.reset {
            return Err(OpenError::InUse {
                path: self.data_path.clone(),
                why: "this process has it open, so it cannot be reset",
                by: None,
            });
        }
        let joined = Handle::another(self, options.access);
        if joined.is_some() && options.durability == Durability::Request {
            self.each_request.store(true, Relaxed);
        }
        Ok(joined)
    }

    pub fn data_path(&self) -> &Path {
        &self.data_path
    }

    /// After the first change: what makes it durable though nobody asks is started.
    #[inline]
    fn start_flusher(&self) {
        if self.options.durability == Durability::Close && !self.shared.has_flusher() {
            self.shared.start_flusher();
        }
    }

    /// What comes after a change has been done and its latch and gate are gone.
    #[inline]
    pub fn after_change(&self) -> Result<(), RequestError> {
        self.start_flusher();
        if self.each_request.load(Relaxed) {
            self.flush_log()?;
        }
        let log = &self.shared.log;
        let wants = log.wants();
        if wants.tail {
            log.lengthen_tail();
        }
        // It may let a log go that failed, which a flush would only tell of.
        let ends_epoch = wants.long && !self.shared.puts_epoch_off();
        if ends_epoch {
            self.shared.end_epoch(wants);
        }
        if wants.flush && log.wants().flush {
            self.flush_log()?;
        }
        if !ends_epoch && (self.wants_commit() || self.sphere().is_some_and(Sphere::wants_commit)) {
            self.shared.commit_crowded(self)?;
        }
        self.shared.pace.after_change();
        Ok(())
    }

    /// Is there anything that the committed tree has not?
    pub fn has_changed(&self) -> bool {
        self.common().has_changed()
    }
}
