//! Opening a base cluster with its upgrade set.

use super::Engine;
use crate::dataset::DataSet;
use crate::error::OpenError;
use crate::files::Files;
use crate::open::{check, check_roots, Handle, Member, OpenDataSet, Sphere};
use crate::request::{Access, Logging, OpenOptions};
use crate::sync::atomic::Ordering::Relaxed;
use std::path::Path;
use std::sync::Arc;

impl Engine {
    /// Opens a base cluster, and for output the alternate indexes `upgrade` with it: from then on each change of the
    /// base changes them too. One that was never built is left out, and [`DataSet::unbuilt`] names it.
    ///
    /// # Errors
    /// As [`open`](Self::open), of any of them: nothing is open then. `InUse` if this process has one of them open
    /// otherwise; `Attributes` if the base is empty and an alternate index is not.
    pub fn open_sphere(&self, base: &Files, upgrade: &[Files], options: OpenOptions) -> Result<DataSet, OpenError> {
        let handle = self.open_sphere_alone(base, upgrade, options)?;
        let handle = handle.with_buffers(options.buffers)?;
        Ok(DataSet::from(handle.watched(options)))
    }

    /// The same, for what works without strings. Nobody is told of it yet.
    pub(super) fn open_sphere_alone(
        &self,
        base: &Files,
        upgrade: &[Files],
        options: OpenOptions,
    ) -> Result<Handle, OpenError> {
        self.shared().owner.check_open(&base.data)?;
        self.shared().retry_shunted();
        self.shared().forget_decided()?;
        let output = options.access == Access::Output && !upgrade.is_empty();
        let files: Vec<&Path> = std::iter::once(base).chain(upgrade).map(|f| f.data.as_path()).collect();
        let mut open = loop {
            let open = self.shared().opened(&files);
            let Some(inner) = open.get(&base.data) else { break open };
            if output && inner.sphere().is_none() {
                return Err(OpenError::InUse {
                    path: base.data.clone(),
                    why: "this process has it open without its alternate indexes",
                    by: None,
                });
            }
            if let Some(joined) = inner.join(options)? {
                return Ok(joined);
            }
        };
        let inner = self.open_first(&base.data, &base.index, options)?;
        if output {
            let mut members = Vec::new();
            let mut unbuilt = Vec::new();
            for files in upgrade {
                if open.get(&files.data).is_some() {
                    return Err(OpenError::InUse {
                        path: files.data.clone(),
                        why: "this process has the alternate index open by itself",
                        by: None,
                    });
                }
                let alternate = self.open_first(&files.data, &files.index, options_of_member(options))?;
                if !inner.common().loading.load(Relaxed) {
                    check(&inner, &alternate)?;
                }
                if alternate.common().loading.load(Relaxed) {
                    unbuilt.push(alternate.common().attributes.cluster_name.clone())
                } else {
                    members.push(Member::new(alternate, &inner.common().attributes)?)
                }
            }
            check_emptiness(&inner, &members)?;
            // Who has joined the log and is refused leaves it, and waits for the end of an epoch, which waits for the
            // table: that is let go of first.
            for member in &members {
                if let Err(error) = member.inner.join_log() {
                    drop(open);
                    return Err(error);
                }
                open.insert(&member.inner);
            }
            inner.attach(Sphere::new(&inner, members, unbuilt));
        }
        if let Err(error) = inner.join_log() {
            drop(open);
            return Err(error);
        }
        open.insert(&inner);
        Ok(Handle::new(inner, options.access))
    }
}

impl Engine {
    /// Are these components of a base and of an alternate index of one moment, as far as their roots tell? One that is
    /// open, or to be recovered, tells nothing.
    ///
    /// # Errors
    /// Which of them is older, and what to do; one of them cannot be read.
    pub fn check_moment(&self, base: &Path, alternate: &Path) -> Result<(), OpenError> {
        let (base, root) = (self.peek(base)?, self.peek(alternate)?);
        match base.log.log {
            0 => check_roots(&base, &root, alternate),
            _ => Ok(()),
        }
    }
}

fn options_of_member(options: OpenOptions) -> OpenOptions {
    OpenOptions {
        reset: false,
        // Its records follow from those of the base.
        log: Logging::Undo,
        ..options
    }
}

/// A load does not upgrade, so what an index has would be about other records.
fn check_emptiness(base: &Arc<OpenDataSet>, members: &[Member]) -> Result<(), OpenError> {
    match members.first().filter(|_| base.common().loading.load(Relaxed)) {
        None => Ok(()),
        Some(member) => Err(OpenError::Attributes {
            what: format!(
                "{} has no records, but its alternate index {} has: delete the alternate index, or bring the base back",
                base.common().attributes.cluster_name,
                member.ksds.attributes.cluster_name
            ),
        }),
    }
}
