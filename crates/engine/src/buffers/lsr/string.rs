//! What a string does with buffers that are shared.

use super::member::LsrOpen;
use crate::error::RequestError;
use crate::pool::Aligned;
use std::sync::Arc;

/// See the module.
pub struct LsrBuffers {
    open: Arc<LsrOpen>,
    /// What the file is read to.
    area: Aligned,
    /// The CI that sequential requests have changed last: it is written when the string goes on to another.
    behind: Option<u32>,
}

impl LsrBuffers {
    /// For a string of this open.
    pub fn new(open: Arc<LsrOpen>) -> LsrBuffers {
        let largest = open.parts().map(|part| part.component.layout.ci_size).max();
        LsrBuffers {
            area: Aligned::new(largest.unwrap_or(0)),
            open,
            behind: None,
        }
    }

    /// An index record is about to be looked at.
    pub fn index_record(&mut self, ci: u32) {
        if let Some(index) = &self.open.index {
            let size = index.component.layout.ci_size;
            index.look_at(ci, &mut self.area.bytes()[..size]);
        }
    }

    /// A CI is about to be looked at, or to take a record.
    pub fn look_at(&mut self, ci: u32) -> Result<(), RequestError> {
        self.leave_for(ci)?;
        let size = self.open.data.component.layout.ci_size;
        self.open.data.look_at(ci, &mut self.area.bytes()[..size]);
        Ok(())
    }

    /// A request has changed this CI.
    pub fn changed(&mut self, ci: u32, direct: bool) -> Result<(), RequestError> {
        self.leave_for(ci)?;
        let data = &self.open.data;
        let size = data.component.layout.ci_size;
        data.hold(ci, &mut self.area.bytes()[..size]);
        if direct && !self.open.deferred {
            return data.write(ci).map(drop);
        }
        if !self.open.deferred {
            self.behind = Some(ci);
        }
        data.put_off(ci)
    }

    /// A request has split CIs, or filled an empty one. Whatever it has changed is written, a CI at a time; what others
    /// have put off stays put off. `ci` is where it began.
    pub fn restructured(&mut self, ci: Option<u32>) -> Result<(), RequestError> {
        for part in self.open.parts() {
            let began = ci.filter(|_| Arc::ptr_eq(part, &self.open.data));
            for dirty in part.component.dirty_cis() {
                if began != Some(dirty) && part.is_put_off(dirty) {
                    continue;
                }
                part.take(dirty);
                part.write(dirty)?;
            }
        }
        Ok(())
    }

    /// It goes on to this CI: what it has changed in order in another one is written.
    fn leave_for(&mut self, ci: u32) -> Result<(), RequestError> {
        match self.behind {
            Some(behind) if behind != ci => self.end(),
            _ => Ok(()),
        }
    }

    /// It has no position any more.
    pub fn end(&mut self) -> Result<(), RequestError> {
        let Some(behind) = self.behind.take() else {
            return Ok(());
        };
        if self.open.data.is_put_off(behind) {
            self.open.data.write(behind).map(drop)
        } else {
            Ok(())
        }
    }
}

impl Drop for LsrBuffers {
    fn drop(&mut self) {
        if self.open.owner.is_parent() {
            // What is still to be written is the parent's (forked:F1).
            return;
        }
        // What fails stays changed in the pool, and the next commit says so.
        let _ = self.end();
    }
}
