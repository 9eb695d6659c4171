//! How far the archive of a data set must go: what the data set itself says of that.
//!
//! A root has the number of the open that changed the data set last (its origin), and the archive has the head of that
//! open's segment by then. So an archive that has lost its end, or all that it had, is known by the root.
//! Roots are read before the segments are listed: what is begun meanwhile is in the list.

use crate::failure::Failure;
use crate::Services;
use cica_catalog::attributes::Log;
use cica_catalog::{Catalog, Entry};
use cica_format::archive::SegmentHead;

/// A data set with LOG(ALL) that was changed.
#[derive(Debug)]
pub struct Reach {
    /// Its name.
    pub name: String,
    /// Its lineage, by which its archive is known.
    pub lineage: u64,
    cluster: u64,
    /// The open that changed it last.
    origin: u64,
    /// It was closed, which ends the segment.
    is_closed: bool,
    last_change: u64,
}

/// What the archive of one lineage has, as far as it can be read.
#[derive(Debug, Default)]
pub struct ArchivedSegments {
    /// The heads of its segments.
    pub heads: Vec<SegmentHead>,
    /// When what it has last was written.
    pub until: u64,
    /// The last segment has its end.
    pub is_ended: bool,
}

impl Services {
    /// The data sets with LOG(ALL) that were changed and can be read, of all catalogs. Why one of the catalogs, or of
    /// the data sets, cannot be asked others say.
    pub(super) fn reaches(&self) -> Result<Vec<Reach>, Failure> {
        let mut reaches = Vec::new();
        for catalog in self.catalog.all()? {
            let contents = catalog.contents()?;
            reaches.extend(contents.entries().filter_map(|entry| self.reach(&catalog, entry)));
        }
        Ok(reaches)
    }

    fn reach(&self, catalog: &Catalog, entry: &Entry) -> Option<Reach> {
        let Entry::Cluster(cluster) = entry else { return None };
        if cluster.attributes.log != Some(Log::All) {
            return None;
        }
        let data = catalog.component_path(entry.components().next()?.1).ok()?;
        let root = self.engine.peek(&data).ok()?;
        (root.log.origin != 0 && root.statistics.last_change != 0).then(|| Reach {
            name: entry.name().to_string(),
            lineage: root.lineage(),
            cluster: root.cluster,
            origin: root.log.origin,
            is_closed: root.log.log == 0,
            last_change: root.statistics.last_change,
        })
    }
}

impl Reach {
    /// It is what was defined, or a copy of that under its own name; it was not reorganized. What made it anew as a
    /// whole otherwise left it with a state that no archive has.
    fn is_first(&self) -> bool {
        self.lineage == self.cluster
    }

    /// What the archive lacks at its end, in words; none: nothing, as far as that is known.
    pub fn lacks(&self, kept: &ArchivedSegments) -> Option<String> {
        let Some(last) = kept.heads.last() else {
            return self.is_first().then(|| {
                "it is missing: the data set has changes, and nothing is archived of them. They were made without \
                 LOG(ALL), or its segments are gone"
                    .to_owned()
            });
        };
        let knows = |head: &SegmentHead| head.origin == self.origin || head.after == self.origin;
        let is_archived = self.is_first() || kept.heads.iter().any(|head| head.cluster == self.cluster);
        let is_later = self.last_change > kept.until;
        let is_other = !kept.heads.iter().any(knows) && is_archived && (self.is_first() || is_later);
        let lacks_its_end = last.origin == self.origin && self.is_closed && !kept.is_ended && is_later;
        (is_other || lacks_its_end).then(|| {
            format!(
                "it ends with segment {}, before what the data set has: its end is missing, or the data set was changed \
                 later without LOG(ALL)",
                last.number
            )
        })
    }
}
