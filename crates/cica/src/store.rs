//! A catalog and the engine of this process over it: where a program begins.

use crate::define::Define;
use crate::error::{done, Error};
use cica_admin::bldindex::Bldindex;
use cica_admin::delete::Delete;
use cica_admin::listcat::{Listcat, ListcatEntry, Listed, Which};
use cica_admin::named::Named;
use cica_admin::repro::{CopyCounts, Repro};
use cica_admin::verify::Verify;
use cica_admin::Services;
use cica_catalog::{Entry, Mask, Name};
use cica_engine::{DataSet, InDoubt, Io, OpenOptions, PoolBuffers, PoolError, ResourcePool, UnitOfRecovery};
use cica_messages::Message;
use cica_session::{
    io_from_environment, pool_from_environment, sharing_from_environment, DecideError, Session, Sharing, Start,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A catalog and an engine. One for a process; threads share it.
///
/// It is open as long as it is there. What is open of it goes on when it is dropped.
pub struct Store {
    session: Session,
}

/// How a store is opened.
#[derive(Debug, Clone, Default)]
#[must_use = "nothing is opened before `open`"]
pub struct Builder {
    catalog: Option<PathBuf>,
    create: bool,
    pool: Option<usize>,
    io: Option<Io>,
    symbols: String,
    alone: bool,
}

impl Builder {
    /// Makes the catalog, with one volume, where there is none.
    pub fn create(self) -> Builder {
        Builder { create: true, ..self }
    }

    /// Bounds the buffer pool. Unless this or the variable `CICA_POOL` says so it is a quarter of the machine's memory.
    pub fn pool_bytes(self, bytes: usize) -> Builder {
        Builder {
            pool: Some(bytes),
            ..self
        }
    }

    /// Whether data goes through the system's page cache. Unless this or the variable `CICA_IO` says so, what is best for
    /// the data set.
    pub fn io(self, io: Io) -> Builder {
        Builder { io: Some(io), ..self }
    }

    /// Symbols for names in the catalog, beside those of the host and of the environment: `NAME=TEXT,NAME=TEXT`.
    pub fn symbols(self, symbols: impl Into<String>) -> Builder {
        Builder {
            symbols: symbols.into(),
            ..self
        }
    }

    /// Its data sets are shared with no other process, whatever the variable `CICA_SHARE` says.
    pub fn alone(self) -> Builder {
        Builder { alone: true, ..self }
    }

    /// Opens it. No data set is opened yet, and no thread is started.
    ///
    /// # Errors
    /// There is no usable catalog, no memory for the pool, or the environment says something that is not known.
    pub fn open(self) -> Result<Store, Error> {
        let of_environment = |builder: Builder| {
            Ok(Start {
                catalog: builder.catalog,
                create: builder.create,
                pool: match builder.pool {
                    None => pool_from_environment()?,
                    stated => stated,
                },
                io: builder.io.map_or_else(io_from_environment, Ok)?,
                sharing: if builder.alone {
                    Sharing::Off
                } else {
                    sharing_from_environment()?
                },
                symbols: builder.symbols,
            })
        };
        let session = of_environment(self).and_then(Session::start).map_err(Error::Start)?;
        Ok(Store { session })
    }
}

impl Store {
    /// The store whose catalog is in `directory`; say what else is wanted, and open it.
    pub fn at(directory: impl Into<PathBuf>) -> Builder {
        Builder {
            catalog: Some(directory.into()),
            ..Builder::default()
        }
    }

    /// Opens the catalog in `directory`, which is there.
    ///
    /// # Errors
    /// As [`Builder::open`].
    pub fn open(directory: impl Into<PathBuf>) -> Result<Store, Error> {
        Store::at(directory).open()
    }

    /// Opens the catalog that the command `cica` would use: the one that the variable `CICA_CATALOG` names, or the user's.
    ///
    /// # Errors
    /// As [`Builder::open`].
    pub fn open_default() -> Result<Store, Error> {
        Builder::default().open()
    }

    /// Defines a cluster, an alternate index or a path. What was told is returned.
    ///
    /// # Errors
    /// [`Error::Admin`]: the name is taken, the volume is full, or what is said cannot be. Nothing is defined then.
    pub fn define(&self, what: impl Define) -> Result<Vec<Message>, Error> {
        let doing = format!("DEFINE {}", what.name());
        done(doing, what.define(&mut self.admin())).map(|((), messages)| messages)
    }

    /// Fills an alternate index from its base.
    ///
    /// # Errors
    /// [`Error::Admin`]: it cannot be built, or not all of it.
    pub fn build_index(&self, base: &str, index: &str) -> Result<Vec<Message>, Error> {
        let request = Bldindex {
            base: data_set(base),
            indexes: vec![data_set(index)],
        };
        done(format!("BLDINDEX {index}"), self.admin().bldindex(&request)).map(|(_, messages)| messages)
    }

    /// Opens a data set, for output with the alternate indexes that are kept up with it, or goes through a path.
    ///
    /// To be closed by [`DataSet::close`], which says whether everything is durable. A drop closes it too;
    /// [`failed_drops`](Self::failed_drops) counts the drops that could not.
    ///
    /// # Errors
    /// [`Error::Open`]: there is no such data set, another process has it open, its volume is gone, it is damaged.
    pub fn open_data_set(&self, name: &str, options: OpenOptions) -> Result<DataSet, Error> {
        let opened = Name::parse(name)
            .map_err(Into::into)
            .and_then(|name| self.session.open(&name, options));
        let failed = |error| Error::Open {
            name: name.to_owned(),
            error,
        };
        opened.map(|(_, open)| open.closing_on_drop()).map_err(failed)
    }

    /// How many data sets were dropped, and could not be closed by that: each is as of its last commit, and the log has
    /// what was acknowledged after it.
    pub fn failed_drops(&self) -> u64 {
        self.session.engine.left_uncommitted()
    }

    /// Builds a pool of buffers that opens share, as BLDVRP does; an open asks for it with
    /// [`Buffering::pool`](crate::Buffering::pool). The text that the variable `CICA_DFSVSAMP` names has built its own
    /// by now.
    ///
    /// # Errors
    /// There is one with this number, or a size or a count is wrong.
    pub fn build_pool(&self, number: u8, buffers: &PoolBuffers) -> Result<Arc<ResourcePool>, PoolError> {
        self.session.engine.build_pool(number, buffers)
    }

    /// Deletes one, as DLVRP does.
    ///
    /// # Errors
    /// There is none, or data sets are open that share it.
    pub fn delete_pool(&self, number: u8) -> Result<(), PoolError> {
        self.session.engine.delete_pool(number)
    }

    /// A pool of buffers, whose counts are asked, and what was put off written (WRTBFR).
    pub fn resource_pool(&self, number: u8) -> Option<Arc<ResourcePool>> {
        self.session.engine.resource_pool(number)
    }

    /// A unit of recovery: changes of records of several data sets, all or none. It begins with its first change, and
    /// takes back what was not committed when it is dropped.
    pub fn unit(&self) -> UnitOfRecovery {
        self.session.engine.unit()
    }

    /// Units of recovery that were prepared ([`UnitOfRecovery::prepare`]) and wait for a decision, by name, whoever
    /// prepared them.
    ///
    /// # Errors
    /// [`Error::InDoubt`]: their files cannot be read.
    pub fn in_doubt(&self) -> Result<Vec<InDoubt>, Error> {
        Ok(self.session.engine.in_doubt().map_err(DecideError::from)?)
    }

    /// Commits one of them: its changes stand, durably, and its records are free.
    ///
    /// # Errors
    /// [`Error::InDoubt`]: there is none that is called so, or it is being taken back.
    pub fn commit_prepared(&self, name: &str) -> Result<(), Error> {
        Ok(self.session.commit_prepared(name)?)
    }

    /// Takes one of them back, durably, and frees its records. Its data sets are opened for that, so no other process
    /// may have them open but the owner of shared ones, which is asked to do it.
    ///
    /// # Errors
    /// [`Error::InDoubt`]: there is none that is called so, one of its data sets cannot be opened, or there is no room
    /// for an erased record (8/28): then it is asked again.
    pub fn back_out_prepared(&self, name: &str) -> Result<(), Error> {
        Ok(self.session.back_out_prepared(name)?)
    }

    /// Entries that a mask means, of the catalog and of all user catalogs, in order of names: `*` is
    /// part of a qualifier or all of it, `**` any qualifiers.
    ///
    /// # Errors
    /// The mask is none, or a catalog cannot be read.
    pub fn list(&self, mask: &str) -> Result<Vec<Entry>, Error> {
        let mask = Mask::parse(mask)?;
        let mut entries = Vec::new();
        for catalog in self.session.catalog.every()? {
            entries.extend(catalog.list(&mask)?);
        }
        entries.sort_by(|a, b| a.name().cmp(b.name()));
        Ok(entries)
    }

    /// What is known of an entry: itself first, and its components behind it, with their figures as of the last commit.
    ///
    /// # Errors
    /// [`Error::Admin`]: there is no such entry.
    pub fn describe(&self, name: &str) -> Result<Vec<ListcatEntry>, Error> {
        let request = Listcat {
            which: Which::Entries(vec![name.to_owned()]),
            figures: true,
            ..Listcat::default()
        };
        let (mut entries, mut missed) = (Vec::new(), Vec::new());
        let outcome = self.admin().listcat(&request, &mut |listed| match listed {
            Listed::Entry { entry, .. } => entries.push(*entry),
            Listed::NotFound(messages) => missed.extend(messages),
            Listed::Catalog(_) | Listed::Volume(_) => {}
        });
        let doing = format!("LISTCAT {name}");
        if missed.is_empty() {
            done(doing, outcome).map(|_| entries)
        } else {
            Err(Error::Admin {
                doing,
                condition: outcome.condition,
                messages: missed,
            })
        }
    }

    /// Deletes an entry with all that belong to it and their files; tells what went.
    ///
    /// # Errors
    /// [`Error::Admin`]: there is no such entry, it has not expired, or somebody has it open.
    pub fn delete(&self, name: &str) -> Result<Vec<String>, Error> {
        let request = Delete {
            names: vec![name.to_owned()],
            ..Delete::default()
        };
        done(format!("DELETE {name}"), self.admin().delete(&request)).map(|(gone, _)| gone)
    }

    /// Copies the records of a data set into another: into an empty one by a load.
    ///
    /// # Errors
    /// [`Error::Admin`]: one of them cannot be opened, or records were refused; those before stay copied.
    pub fn copy(&self, from: &str, to: &str) -> Result<CopyCounts, Error> {
        let request = Repro::all(data_set(from), data_set(to));
        done(format!("REPRO {from} to {to}"), self.admin().repro(&request)).map(|(copied, _)| copied)
    }

    /// Opens a data set, so that what its last owner left is recovered, and examines it.
    ///
    /// # Errors
    /// [`Error::Admin`]: it cannot be opened, or is damaged; the messages say where.
    pub fn verify(&self, name: &str) -> Result<Vec<Message>, Error> {
        let request = Verify {
            data_set: data_set(name),
            recover: true,
        };
        done(format!("VERIFY {name}"), self.admin().verify(&request)).map(|((), messages)| messages)
    }

    /// Every function of IDCAMS, as typed requests: what the other functions of a store have no parameters for.
    ///
    /// ```
    /// use cica::admin::delete::Delete;
    ///
    /// # fn main() -> Result<(), cica::Error> {
    /// # let directory = std::env::temp_dir().join(format!("cica-admin-{}", std::process::id()));
    /// # let store = cica::Store::at(&directory).create().open()?;
    /// # store.define(cica::Lds::new("PAYROLL.PAGES"))?;
    /// let request = Delete { names: vec!["PAYROLL.**".into()], mask: true, ..Delete::default() };
    /// let outcome = store.admin().delete(&request);
    /// println!("{} went, condition code {}", outcome.result.len(), outcome.condition);
    /// # assert_eq!((outcome.result.len(), outcome.condition), (1, 0));
    /// # drop(store);
    /// # std::fs::remove_dir_all(&directory).ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn admin(&self) -> Services {
        Services::of(&self.session)
    }

    /// Catalog, engine and disk.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The same, for who goes on without the store.
    pub fn into_session(self) -> Session {
        self.session
    }
}

fn data_set(name: &str) -> Named {
    Named::DataSet(name.to_owned())
}
