//! What a subcommand works with: the catalog that is meant, an engine, and data sets by name.

use crate::args::{bytes, Global};
use crate::failure::{Failure, Status};
use cica_catalog::entry::Kind;
use cica_catalog::{Catalog, Cluster, Entry, Name, Surroundings};
use cica_disk::{Clock, Disk, LinuxDisk, SystemClock};
use cica_engine::{Access, DataSet, Durability, Engine, Env, OpenOptions};
use cica_format::root::Root;
use cica_idcams::act::admission::{before_open, own_files};
use cica_idcams::messages;
use cica_qsam::CodePage;
use std::path::PathBuf;
use std::sync::Arc;

/// See the module.
pub struct Session {
    pub disk: Arc<dyn Disk>,
    pub clock: Arc<dyn Clock>,
    pub catalog: Arc<Catalog>,
    pub engine: Engine,
}

/// A data set that is open.
pub struct Opened {
    pub name: Name,
    pub data_set: DataSet,
    /// The code page of its characters; none: ASCII, other bytes are not characters.
    pub page: Option<CodePage>,
}

impl Session {
    /// With a catalog that must be there.
    pub fn open(global: &Global) -> Result<Session, Failure> {
        Session::with(global, Catalog::open)
    }

    /// With a catalog that is made where there is none.
    pub fn open_or_create(global: &Global) -> Result<Session, Failure> {
        Session::with(global, Catalog::open_or_create)
    }

    fn with<E: Into<Failure>>(
        global: &Global,
        catalog: impl FnOnce(Arc<dyn Disk>, PathBuf) -> Result<Catalog, E>,
    ) -> Result<Session, Failure> {
        let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::default());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let surroundings = Surroundings::of_process(global.catalog.clone());
        let (directory, _) = cica_catalog::locate(&*disk, &surroundings);
        let catalog = catalog(disk.clone(), directory).map_err(Into::into)?;
        let engine = Engine::new(Env {
            disk: disk.clone(),
            clock: clock.clone(),
            log_dir: catalog.log_directory(),
            pool_bytes: pool(global)?,
            background: true,
        })
        .map_err(|e| {
            let text = format!("there is no memory for the buffer pool: {e}; give less with --pool");
            Failure::new(Status::UNUSABLE, &messages::IDC3300I, text)
        })?;
        Ok(Session {
            disk,
            clock,
            catalog: Arc::new(catalog),
            engine,
        })
    }

    /// The cluster of this name, or the one an alias or path of this name leads to.
    pub fn cluster(&self, text: &str) -> Result<Box<Cluster>, Failure> {
        let mut name = Name::parse(text)?;
        // Each step leads to another entry; a chain longer than the catalog is a circle.
        for _ in 0..=self.catalog.contents()?.entries().count() {
            name = match self.catalog.get(&name)? {
                Entry::Cluster(cluster) => return Ok(cluster),
                Entry::Alias(alias) => alias.relate,
                Entry::Path(path) => path.target,
                other => return Err(not_a_cluster(&name, other.kind())),
            };
        }
        Err(Failure::new(
            Status::REFUSED,
            &messages::IDC3014I,
            format!("the alias {name} leads back to itself"),
        ))
    }

    /// Files of the data and index components.
    pub fn files(&self, cluster: &Cluster) -> Result<(PathBuf, PathBuf), Failure> {
        let Some(index) = &cluster.index else {
            return Err(not_a_cluster(&cluster.name, Kind::Cluster));
        };
        Ok((
            self.catalog.component_path(&cluster.data)?,
            self.catalog.component_path(index)?,
        ))
    }

    /// Opens a data set.
    pub fn data_set(&self, text: &str, access: Access, durability: Durability) -> Result<Opened, Failure> {
        let cluster = self.cluster(text)?;
        let refused = |words: String| Failure::new(Status::UNUSABLE, &messages::IDC3300I, words).at(&cluster.name);
        before_open(&cluster, access).map_err(refused)?;
        let (data, index) = self.files(&cluster)?;
        let options = OpenOptions {
            access,
            reset: false,
            durability,
        };
        let opened = self.engine.open(&data, &index, options);
        let data_set = opened.map_err(|e| Failure::from(e).at(&cluster.name))?;
        own_files(&*self.catalog.contents()?, &cluster, data_set.attributes()).map_err(refused)?;
        let page = CodePage::from_ccsid(data_set.attributes().ccsid);
        Ok(Opened {
            name: cluster.name,
            data_set,
            page,
        })
    }

    /// Attributes and statistics of a data set without opening it, as of its last commit.
    pub fn root(&self, cluster: &Cluster) -> Result<Root, Failure> {
        let path = self.catalog.component_path(&cluster.data)?;
        self.engine.peek(&path).map_err(|e| Failure::from(e).at(&cluster.name))
    }
}

impl Opened {
    /// Closes it; what was changed is durable then.
    pub fn close(self) -> Result<(), Failure> {
        let name = self.name;
        self.data_set.close().map(drop).map_err(|e| Failure::from(e).at(name))
    }
}

fn not_a_cluster(name: &Name, kind: Kind) -> Failure {
    let text = format!(
        "{name} is a {} entry, and records can be had from key-sequenced clusters only; 'cica ls --long' lists them",
        kind.word()
    );
    Failure::new(Status::REFUSED, &messages::IDC3302I, text)
}

fn pool(global: &Global) -> Result<Option<usize>, Failure> {
    match (global.pool, std::env::var("CICA_POOL")) {
        (Some(given), _) => Ok(Some(given)),
        (None, Ok(text)) if !text.is_empty() => bytes(&text)
            .map(Some)
            .map_err(|e| Failure::usage(format!("CICA_POOL: {e}"))),
        _ => Ok(None),
    }
}
