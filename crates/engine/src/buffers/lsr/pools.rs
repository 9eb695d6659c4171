//! Pools by their numbers.

use super::definition::PoolBuffers;
use super::member::{write_chosen, LsrOpen, LsrPart, PoolMembers, Subpool};
use super::subpool::{Chosen, SubpoolCounts};
use crate::buffers::{Buffering, Counts};
use crate::error::{OpenError, PoolRefusal, RequestError};
use crate::forked::OwningProcess;
use crate::store::Component;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::Mutex;
use cica_counters::{layout, LsrCount};
use cica_disk::{Cells, LINE};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A pool of buffers that opens share.
pub struct ResourcePool {
    number: u8,
    data: Vec<Arc<Subpool>>,
    index: Vec<Arc<Subpool>>,
    members: Arc<PoolMembers>,
    owner: OwningProcess,
}

/// Those of an engine.
pub struct ResourcePools {
    by_number: Mutex<BTreeMap<u8, Arc<ResourcePool>>>,
    owner: OwningProcess,
}

/// Why a pool is not built or not deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolError {
    /// BLDVRP 4: there is one with this number.
    Exists {
        /// The number.
        number: u8,
    },
    /// BLDVRP 24: a size or a number of buffers is wrong, or the number of the pool; or a parent process has the pools.
    Buffers {
        /// Of which pool, what is wrong, and what to do.
        what: String,
    },
    /// DLVRP 4: there is none with this number.
    Missing {
        /// The number.
        number: u8,
    },
    /// DLVRP 12: data sets are open that share its buffers.
    InUse {
        /// The number.
        number: u8,
        /// How many components they have.
        components: usize,
    },
}

/// Which of the changes that were put off are written: WRTBFR's TYPE. DS is
/// [`DataSet::write_buffers`](crate::DataSet::write_buffers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteBuffers {
    /// ALL: all.
    All,
    /// LRU: those in so many percent of the buffers of each size, from the one used least recently on.
    Oldest(u8),
}

impl ResourcePool {
    fn new(number: u8, buffers: &PoolBuffers, shown: &Cells) -> ResourcePool {
        let of = |sizes: &[super::SubpoolSize], is_index| {
            let mut subpools: Vec<Arc<Subpool>> = sizes
                .iter()
                .map(|line| {
                    let buffers = (line.size, line.buffers);
                    Arc::new(Subpool::new(number, buffers, is_index, free_cells(shown)))
                })
                .collect();
            subpools.sort_by_key(|subpool| subpool.size);
            subpools
        };
        ResourcePool {
            number,
            data: of(&buffers.data, false),
            index: of(&buffers.index, true),
            members: Arc::default(),
            owner: OwningProcess::this(),
        }
    }

    /// SHRPOOL.
    pub fn number(&self) -> u8 {
        self.number
    }

    /// What was counted since it was built, of each size: data from the smallest on, then index.
    pub fn counts(&self) -> Vec<SubpoolCounts> {
        self.data
            .iter()
            .chain(&self.index)
            .map(|subpool| subpool.counts())
            .collect()
    }

    /// WRTBFR: writes changes that were put off, and returns how many CIs were written.
    ///
    /// # Errors
    /// One cannot be written. It is put off still, and so is what comes behind it. 12/16: it is a parent process's.
    pub fn write_buffers(&self, which: WriteBuffers) -> Result<u64, RequestError> {
        self.owner.check()?;
        let chosen = match which {
            WriteBuffers::All => Chosen::All,
            WriteBuffers::Oldest(percent) => Chosen::Oldest(percent.min(100)),
        };
        let mut subpools = self.data.iter().chain(&self.index);
        subpools.try_fold(0, |sum, subpool| Ok(sum + write_chosen(subpool, chosen)?))
    }

    /// The smallest buffers that are large enough. `name` is said in errors.
    fn fitting(&self, ci_size: usize, is_data: bool, name: &str) -> Result<&Arc<Subpool>, OpenError> {
        let (apart, subpools) = if is_data || self.index.is_empty() {
            ("", &self.data)
        } else {
            ("index ", &self.index)
        };
        let fits = subpools.iter().find(|subpool| subpool.size as usize >= ci_size);
        fits.ok_or_else(|| {
            let largest = subpools.last().map_or(0, |subpool| subpool.size);
            let least = super::SIZES.into_iter().find(|&size| size as usize >= ci_size);
            OpenError::Pool {
                why: PoolRefusal::TooSmall,
                what: format!(
                    "{name}: the largest {apart}buffers of pool {} have {largest} bytes, and its {} CIs {ci_size}; build \
                     the pool with {apart}buffers of {} bytes too, or open the data set without SHRPOOL",
                    self.number,
                    if is_data { "data" } else { "index" },
                    least.unwrap_or(ci_size as u32),
                ),
            }
        })
    }
}

/// Of these the first that nobody has; where there is none it is counted unseen. Whoever takes them keeps the table of
/// pools meanwhile (X4).
fn free_cells(shown: &Cells) -> Cells {
    let mut sizes = (0..shown.count() / LINE / layout::LSR_LINES).filter_map(|n| {
        let cells = shown.lines(n * layout::LSR_LINES, layout::LSR_LINES)?;
        (cells.at(LsrCount::Buffers as usize).load(Relaxed) == 0).then_some(cells)
    });
    let free = sizes.next();
    free.unwrap_or_else(|| Cells::own(layout::LSR_LINES * LINE))
}

impl Default for ResourcePools {
    fn default() -> ResourcePools {
        ResourcePools {
            by_number: Mutex::default(),
            owner: OwningProcess::this(),
        }
    }
}

impl ResourcePools {
    /// Refuses a request of a child, before it waits for a lock (forked:F1).
    fn check_owner(&self, number: u8) -> Result<(), PoolError> {
        self.owner.check().map_err(|error| PoolError::Buffers {
            what: format!("pool {number}: {error}"),
        })
    }

    /// BLDVRP. What is counted is seen in these cells.
    ///
    /// # Errors
    /// It exists, or its buffers cannot be; or a parent process has the pools.
    pub fn build(&self, number: u8, buffers: &PoolBuffers, shown: &Cells) -> Result<Arc<ResourcePool>, PoolError> {
        self.check_owner(number)?;
        let numbered = match number {
            u8::MAX => Err("pools have numbers from 0 to 254".into()),
            _ => buffers.check(),
        };
        numbered.map_err(|what| PoolError::Buffers {
            what: format!("pool {number}: {what}"),
        })?;
        let mut pools = self.by_number.lock();
        if pools.contains_key(&number) {
            return Err(PoolError::Exists { number });
        }
        let pool = Arc::new(ResourcePool::new(number, buffers, shown));
        pools.insert(number, pool.clone());
        Ok(pool)
    }

    /// DLVRP.
    ///
    /// # Errors
    /// There is none, or data sets are open that share it; or a parent process has the pools.
    pub fn delete(&self, number: u8) -> Result<(), PoolError> {
        self.check_owner(number)?;
        let mut pools = self.by_number.lock();
        let pool = pools.get(&number).ok_or(PoolError::Missing { number })?;
        let components = pool.members.components();
        if components > 0 {
            return Err(PoolError::InUse { number, components });
        }
        pool.data.iter().chain(&pool.index).for_each(|subpool| subpool.hide());
        pools.remove(&number);
        Ok(())
    }

    /// The one with this number.
    pub fn get(&self, number: u8) -> Option<Arc<ResourcePool>> {
        self.by_number.lock().get(&number).cloned()
    }

    /// An open becomes a member of a pool. `name` is said in errors.
    ///
    /// # Errors
    /// There is no such pool, or its buffers are too small.
    pub fn join(
        &self,
        number: u8,
        name: &str,
        (data, index): (&Arc<Component>, Option<&Arc<Component>>),
        (asked, counts): (Buffering, &Arc<Counts>),
    ) -> Result<LsrOpen, OpenError> {
        let pools = self.by_number.lock();
        let pool = pools.get(&number).ok_or_else(|| OpenError::Pool {
            why: PoolRefusal::Missing,
            what: format!(
                "{name}: pool {number} was not built; build it first (BLDVRP), or open the data set without SHRPOOL"
            ),
        })?;
        let part = |component: &Arc<Component>, is_data| {
            let subpool = pool.fitting(component.layout.ci_size, is_data, name)?;
            let part = LsrPart::new(component.clone(), subpool.clone(), counts.clone(), is_data);
            Ok::<_, OpenError>(part)
        };
        let data = part(data, true)?;
        let index = index.map(|index| part(index, false)).transpose()?;
        Ok(LsrOpen::new(pool.members.clone(), data, index, asked.deferred))
    }
}

impl PoolError {
    /// What BLDVRP and DLVRP have in register 15.
    pub fn return_code(&self) -> u8 {
        match self {
            PoolError::Exists { .. } | PoolError::Missing { .. } => 4,
            PoolError::InUse { .. } => 12,
            PoolError::Buffers { .. } => 24,
        }
    }
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PoolError::Exists { number } => write!(f, "pool {number} is built already; delete it first (DLVRP)"),
            PoolError::Buffers { what } => write!(f, "{what}"),
            PoolError::Missing { number } => write!(f, "there is no pool {number}"),
            PoolError::InUse { number, components } => write!(
                f,
                "{components} components of open data sets share the buffers of pool {number}; close them first"
            ),
        }
    }
}

impl std::error::Error for PoolError {}
