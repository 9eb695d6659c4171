//! [`Source`]: where an open file's data set is.

use cica_catalog::entry::Aix;
use cica_catalog::Catalog;
use cica_engine::{Buffering, DataSet, OpenOptions, ReadIntegrity};
use cica_session::{Reached, Session, SessionError, Sharing};
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
    /// Whether it is opened at the owner of shared data sets.
    pub sharing: Sharing,
    /// RLS of the DD text.
    pub rls: Option<ReadIntegrity>,
    /// Buffers of the DD text's AMP, for the data set itself; ways through alternate indexes have the pool's.
    pub buffers: Option<Buffering>,
}

impl Source {
    /// Opens its data set, or a way to its records: in this process, or where it is shared.
    ///
    /// # Errors
    /// The session's reasons.
    pub fn open(&self, reached: &Reached, options: OpenOptions) -> Result<DataSet, SessionError> {
        let name = reached.asked_name();
        self.session
            .open_shared(name, &self.catalog, reached, options, self.sharing)
    }
}
