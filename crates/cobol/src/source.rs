//! [`Source`]: where an open file's data set is.

use cica_catalog::entry::Aix;
use cica_catalog::Catalog;
use cica_session::{Reached, Session};
use std::sync::Arc;

/// Data set and session of an open file.
pub struct Source {
    /// The session.
    pub session: &'static Session,
    /// Its catalog.
    pub catalog: Arc<Catalog>,
    /// Its entry.
    pub cluster: Reached,
    /// Its alternate indexes that must be kept up, those of the FD's alternate keys first and in their order.
    pub indexes: Vec<Aix>,
}
