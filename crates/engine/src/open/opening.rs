//! Opening a data set: from the roots of its components to what answers its requests.

use super::{OpenDataSet, Roots, Shared, Ties};
use crate::cluster::OpenCluster;
use crate::common::counters::{before, Counters};
use crate::common::interval::Intervals;
use crate::common::{shape, Common};
use crate::compressed::Compressed;
use crate::definition;
use crate::error::{OpenError, RequestError};
use crate::esds::Esds;
use crate::files::{open_as, read_index_root};
use crate::ksds::Ksds;
use crate::linear::Lds;
use crate::locks::Holds;
use crate::pool::MOST_COMPONENTS;
use crate::relative::Rrds;
use crate::request::{Access, Durability, OpenOptions};
use crate::roots::write_over_torn_root;
use crate::store::{self, Codec, Component};
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use crate::sync::{Condvar, Mutex};
use crate::write_check;
use cica_counters::{DataSetCount, DataSetIdentity};
use cica_disk::{File, Open};
use cica_format::attributes::{Attributes, Organization};
use cica_format::index::BaseRba;
use cica_format::root::{RecordSizes, Root};
use cica_format::slots;
use std::path::Path;
use std::sync::{Arc, OnceLock};

impl OpenDataSet {
    /// Opens from the committed root.
    pub fn open(
        shared: &Arc<Shared>,
        file: Box<dyn File>,
        mut root: Root,
        data: &Path,
        index: &Path,
        options: OpenOptions,
    ) -> Result<Arc<OpenDataSet>, OpenError> {
        check_open(&root, options)?;
        let never_loaded = never_loaded(&root);
        let write = options.access == Access::Output;
        let checks = write && root.attributes.write_check;
        let file = write_check::as_defined(file, checks, root.attributes.ci_size);
        let (index_part, index_root) = if root.attributes.organization.has_index() {
            let window = shared.window();
            let how = Open {
                write,
                window,
                ..Open::default()
            };
            let index_file = open_as(&*shared.env.disk, index, how)?;
            let index_root = read_index_root(&*index_file, (data, index), &root)?;
            let part = index_component(shared, index_file, !write, index, &root, &index_root);
            (Some(part), Some(index_root))
        } else {
            (None, None)
        };
        let data_part = Component::new(
            shared.pool.clone(),
            file.clone(),
            store::OpenMode {
                direct: shared.is_direct(options.io, &root),
                still: !write,
            },
            data.to_path_buf(),
            &root,
            data_codec(&root.attributes),
        );
        data_part.read_tables(write)?;
        if let Some(index_part) = &index_part {
            index_part.read_tables(write)?;
        }
        if write {
            // Not before all that an open reads has been read: nothing is written to files that are refused.
            write_over_torn_root(&*file, data, &mut root)?;
        }
        let data_part = Arc::new(data_part);
        let index_part = index_part.map(Arc::new);
        let parts = [Some(&data_part), index_part.as_ref()];
        for part in parts.into_iter().flatten() {
            if !part.register() {
                parts.into_iter().flatten().for_each(|part| part.leave_pool());
                return Err(OpenError::Memory {
                    path: data.to_path_buf(),
                    what: format!(
                        "{MOST_COMPONENTS} components are open in this process, and there is no number for another; \
                         close some data sets"
                    ),
                });
            }
            part.set_volumes(shared.volumes());
        }
        let holds = Arc::new(Holds::new(shared.locks.clone()));
        let index_statistics = index_root.as_ref().map_or(Default::default(), |r| r.statistics);
        let identity = identity(shared, &root, index_root.as_ref(), write);
        let counts = shared.counted().open(&identity);
        for (part, is_index) in [(Some(&data_part), false), (index_part.as_ref(), true)] {
            if let Some(part) = part {
                part.show_counts(counts.component(is_index), shared.env.clock.clone());
            }
        }
        let counters = Counters::new(counts, identity);
        let mut common = Common::new(data_part, root.attributes.clone(), shared.log.clone(), holds, counters);
        if common.attributes.compressed {
            let number = match common.attributes.organization {
                Organization::Vrrds => common.shape.key_len,
                _ => 0,
            };
            let lengths = (common.shape.rkp + common.shape.key_len, common.longest(), number);
            let opened = Compressed::open(&common.data, shared.env.clock.clone(), lengths, &root);
            let compressed = opened.inspect_err(|_| {
                common.data.leave_pool();
                index_part.iter().for_each(|part| part.leave_pool());
            });
            common.compressed = Some(compressed?);
        }
        common.counters.set(DataSetCount::Records, root.statistics.records);
        common.loading.store(write && never_loaded, Relaxed);
        let records = open_cluster(common, index_part, &root, index_root.as_ref())?;
        let (sealed, ties) = (root.version, Ties::of(&root));
        let inner = OpenDataSet {
            records,
            shared: shared.clone(),
            options,
            data_path: data.to_path_buf(),
            index_path: index.to_path_buf(),
            index_attributes: index_root.as_ref().map(|r| r.attributes.clone()),
            base: Mutex::new((root.statistics, index_statistics)),
            roots: Mutex::new(Roots {
                data: root,
                index: index_root,
                last: false,
            }),
            handles: AtomicUsize::new(0),
            last_commit: AtomicU64::new(shared.env.clock.passed().as_nanos() as u64),
            as_of: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            pinned: AtomicBool::new(false),
            committed: AtomicU64::new(0),
            named_early: AtomicU64::new(0),
            sealed: AtomicU32::new(sealed),
            origin: AtomicU64::new(0),
            ties,
            each_request: AtomicBool::new(options.durability == Durability::Request),
            closing: AtomicBool::new(false),
            left: AtomicBool::new(false),
            is_ending_lists: AtomicBool::new(false),
            gone: (Mutex::new(false), Condvar::new()),
            archive: OnceLock::new(),
            sphere: OnceLock::new(),
            upgraded: AtomicBool::new(false),
        };
        let inner = Arc::new(inner);
        inner.show_gauges();
        if options.reset {
            // An open that is refused has emptied nothing.
            let refused = options.buffers.map(|asked| match asked.pool {
                Some(_) => Err(inner.is_not_loaded_through_a_pool()),
                None => inner.shares_of(asked).map(drop),
            });
            if let Some(Err(error)) = refused {
                inner.leave();
                return Err(error);
            }
            if let Err(error) = inner.reset() {
                inner.leave();
                return Err(OpenError::Io {
                    path: data.to_path_buf(),
                    doing: "RESET",
                    error: std::io::Error::other(error.to_string()),
                });
            }
        }
        Ok(inner)
    }

    fn reset(&self) -> Result<(), RequestError> {
        self.records.reset();
        self.common().counters.set(DataSetCount::Records, 0);
        *self.base.lock() = Default::default();
        self.common().counters.begin_anew();
        if let Some(compressed) = &self.common().compressed {
            compressed.sizes.begin(Some(RecordSizes::default()));
        }
        let loads = self.common().attributes.organization != Organization::Lds;
        self.common().loading.store(loads, Relaxed);
        self.common().note_change();
        self.commit_tree(true)?;
        // Both copies of the root are to name no region that is cut off.
        self.common().data.sync()?;
        self.common().data.cut()?;
        self.records.index().map_or(Ok(()), |index| index.cut())
    }
}

/// What others are told that the data set is.
fn identity(shared: &Shared, root: &Root, index: Option<&Root>, output: bool) -> DataSetIdentity {
    let a = &root.attributes;
    DataSetIdentity {
        component: root.component,
        opened: shared.env.clock.now(),
        cluster: a.cluster_name.clone(),
        data: a.component_name.clone(),
        index: index.map_or(String::new(), |index| index.attributes.component_name.clone()),
        volume: a.volume.clone(),
        organization: a.organization.word().into(),
        ci_size: (a.ci_size, index.map_or(0, |index| index.attributes.ci_size)),
        ci_per_ca: a.ci_per_ca.into(),
        record: a.maximum_record,
        key: a.key_length.into(),
        output,
        before: before(&root.statistics),
        excps_before: [root.statistics.excps, index.map_or(0, |index| index.statistics.excps)],
    }
}

/// May the data set be opened so?
fn check_open(root: &Root, options: OpenOptions) -> Result<(), OpenError> {
    let (a, never_loaded) = (&root.attributes, never_loaded(root));
    // No definition makes such a root, but any bytes may be in a file.
    definition::check(a, None)?;
    let refused = |what: &str| {
        Err(OpenError::Attributes {
            what: format!("{} {what}", a.cluster_name),
        })
    };
    if options.access == Access::Input && never_loaded {
        return refused("is empty: it was never loaded, so it cannot be opened for input");
    }
    if options.reset && (options.access != Access::Output || !(a.reuse || never_loaded || options.reset_anyway)) {
        return refused("cannot be reset: it was defined NOREUSE, or this open is for input");
    }
    Ok(())
}

/// How the data CIs are read and rendered.
fn data_codec(a: &Attributes) -> Codec {
    match a.organization {
        Organization::Rrds => {
            let slot = Some(a.maximum_record as usize);
            return Codec::Image { slot };
        }
        Organization::Lds => return Codec::Image { slot: None },
        _ => {}
    }
    let shape = shape(a);
    let least = shape.rkp + shape.key_len;
    let average = (a.average_record as usize).max(least).min(a.ci_size as usize);
    let expected = a.ci_size as usize / average.max(8) + 8;
    Codec::Data { shape, expected }
}

fn index_component(
    shared: &Shared,
    file: Box<dyn File>,
    still: bool,
    path: &Path,
    data: &Root,
    root: &Root,
) -> Component {
    let base = BaseRba {
        ci_per_ca: data.attributes.ci_per_ca as u32,
        ci_size: data.attributes.ci_size,
        index_ci_size: root.attributes.ci_size,
    };
    let entry = 13 + shape(&data.attributes).key_len.min(32).next_multiple_of(4);
    let codec = Codec::Index { base, entry };
    let way = store::OpenMode { direct: false, still };
    let file = write_check::as_defined(file, !still && root.attributes.write_check, root.attributes.ci_size);
    Component::new(shared.pool.clone(), file, way, path.to_path_buf(), root, codec)
}

/// The data set by its organization.
fn open_cluster(
    common: Common,
    index: Option<Arc<Component>>,
    root: &Root,
    index_root: Option<&Root>,
) -> Result<OpenCluster, OpenError> {
    match (root.attributes.organization, index, index_root) {
        (Organization::Ksds | Organization::Vrrds, Some(index), Some(index_root)) => {
            let index_cis = (index_root.high_used / index_root.attributes.ci_size as u64) as u32;
            let ksds = Ksds::new(common, index, root.top, root.levels, index_cis);
            Ok(OpenCluster::Ksds(Arc::new(ksds)))
        }
        (organization, _, _) => {
            let intervals = Intervals::new(root.top, root.levels);
            unindexed(organization, common, intervals).ok_or_else(|| OpenError::Attributes {
                what: format!(
                    "{}: no record of its size fits a control interval, or its organization is not known here",
                    root.attributes.cluster_name
                ),
            })
        }
    }
}

/// The data set without an index; `None` for attributes with which it cannot be worked.
fn unindexed(organization: Organization, common: Common, intervals: Intervals) -> Option<OpenCluster> {
    let slot = common.attributes.maximum_record as usize;
    match organization {
        Organization::Esds => Some(OpenCluster::Esds(Arc::new(Esds::new(common, intervals)))),
        Organization::Rrds if slot > 0 && slots::per_ci(common.data.layout.ci_size, slot) > 0 => {
            Some(OpenCluster::Rrds(Arc::new(Rrds::new(common, intervals))))
        }
        Organization::Lds => Some(OpenCluster::Lds(Arc::new(Lds::new(common, intervals)))),
        _ => None,
    }
}

/// Whether nothing was ever stored. An LDS has no load, so it may be read from the first moment.
fn never_loaded(root: &Root) -> bool {
    root.levels == 0 && root.attributes.organization != Organization::Lds
}
