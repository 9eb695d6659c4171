//! What units of recovery ask of an open data set.

use super::{OpenDataSet, Sphere};
use crate::error::RequestError;
use crate::sync::atomic::Ordering::Relaxed;

impl OpenDataSet {
    /// Ends a load early: from now on records are logged. Of a KSDS its string does that (`end_loading`).
    pub fn end_loading_for_units(&self) -> Result<(), RequestError> {
        if !self.common().loading.load(Relaxed) {
            return Ok(());
        }
        let _gate = self.common().gate.write();
        self.common().check_fence()?;
        self.common().note_change();
        self.commit_tree(false)?;
        self.common().loading.store(false, Relaxed);
        Ok(())
    }

    /// Does one of its opens want each request durable?
    pub fn wants_each_request(&self) -> bool {
        self.each_request.load(Relaxed)
    }

    /// Itself and the alternate indexes that are upgraded with it.
    pub fn members(&self) -> impl Iterator<Item = &OpenDataSet> {
        self.sphere().into_iter().flat_map(Sphere::members).chain([self])
    }

    /// `Err` if it, or an alternate index that is upgraded with it, is fenced.
    pub fn check_fences(&self) -> Result<(), RequestError> {
        self.members().try_for_each(|member| member.common().check_fence())
    }
}
