//! What every function works with: catalog, engine, disk, clock, DD names, and who waits.

use crate::dd::DdTable;
use crate::failure::{refused, Failure};
use crate::named::Named;
use cica_catalog::{Catalog, CatalogError, Date, Mask, Name};
use cica_disk::{Clock, Disk};
use cica_engine::Engine;
use cica_messages::CICA0932E;
use cica_session::{Opens, Session};
use std::sync::Arc;

/// What the actions work with. One for a run; cheap to make.
pub struct Services {
    /// Files of volumes.
    pub disk: Arc<dyn Disk>,
    /// What the user keeps elsewhere: the files of DD statements.
    pub outside: Arc<dyn Disk>,
    /// Time of day.
    pub clock: Arc<dyn Clock>,
    /// The master catalog, which leads to all others.
    pub catalog: Arc<Catalog>,
    /// Opens, makes and removes data sets.
    pub engine: Engine,
    /// Opens data sets whose records are read and written one by one: they may be shared.
    pub opens: Opens,
    /// What INFILE(dd) and OUTFILE(dd) mean.
    pub dd: DdTable,
    /// A cluster that DEFINE puts into a generation data group pushes the oldest out at once. False: whoever has it
    /// defined calls [`roll_off`] when his work is done.
    pub rolls_off: bool,
    /// Told now and then how many records the command has processed; for people who wait.
    pub progress: Box<dyn FnMut(u64)>,
}

impl Services {
    /// Those of a session, without DD statements, and nobody waits.
    pub fn of(session: &Session) -> Services {
        Services {
            disk: session.disk.clone(),
            outside: session.outside.clone(),
            clock: session.clock.clone(),
            catalog: session.catalog.clone(),
            engine: session.engine.clone(),
            opens: session.opens(),
            dd: DdTable::default(),
            rolls_off: true,
            progress: Box::new(|_| ()),
        }
    }

    /// The catalog a request works on for `name`, which may be a mask or a level: the one it says, else the one that the
    /// search order finds.
    pub(crate) fn catalog_of(&self, catalog: Option<&str>, name: &str) -> Result<Arc<Catalog>, Failure> {
        match (catalog, leading(name)) {
            (None, Some(name)) => Ok(self.home(&name)?),
            _ => self.catalog_or_master(catalog),
        }
    }

    /// The catalogs in which a request works on the names that a mask means: the one it says, else those of aliases
    /// related to the mask, and the master; where the mask is a name, the one that the search order finds. One that
    /// cannot be read stands there with the reason why.
    pub(crate) fn catalogs_of(
        &self,
        catalog: Option<&str>,
        mask: &Mask,
    ) -> Result<Vec<Result<Arc<Catalog>, CatalogError>>, Failure> {
        if catalog.is_none() && mask.is_generic() {
            Ok(self.catalog.related(mask)?)
        } else {
            Ok(vec![Ok(self.catalog_of(catalog, mask.as_str())?)])
        }
    }

    /// Keeps those of the names that this catalog has and that are looked for in it: one that lies hidden behind an
    /// alias of another catalog is not meant by who says no catalog.
    pub(crate) fn retain_reached(&self, catalog: &Catalog, names: &mut Vec<Name>) -> Result<(), Failure> {
        let mut reached = Vec::with_capacity(names.len());
        for name in names.drain(..) {
            if self.home(&name)?.place() == catalog.place() {
                reached.push(name);
            }
        }
        *names = reached;
        Ok(())
    }

    /// The catalog that a request says, else the master.
    pub(crate) fn catalog_or_master(&self, catalog: Option<&str>) -> Result<Arc<Catalog>, Failure> {
        let Some(text) = catalog else {
            return Ok(self.catalog.clone());
        };
        let name = Name::parse(text).map_err(|error| refused(&error, 140, 0))?;
        self.catalog.called(&name).map_err(|error| match error {
            // A DELETE that was meant for another catalog must not find its entry in this one.
            CatalogError::NotFound { .. } => {
                let directory = self.catalog.directory().display();
                Failure::new(&CICA0932E, &[("name", &name), ("directory", &directory)])
            }
            error => error.into(),
        })
    }

    /// The name that a request says, or that stands behind its DD: of a catalog, or of what stands for a volume.
    pub(crate) fn name_of(&self, named: &Named) -> Result<Name, Failure> {
        let text = match named {
            Named::DataSet(name) => name.clone(),
            Named::Dd(ddname) => {
                let text = self.dd.get(ddname).map_err(|missing| refused(&missing, 140, 0))?;
                text.target.clone()
            }
        };
        Name::parse(&text).map_err(|error| refused(&error, 140, 0))
    }

    /// The catalog that the search order finds for a name.
    pub(crate) fn home(&self, name: &Name) -> Result<Arc<Catalog>, CatalogError> {
        self.catalog.home(name)
    }

    /// Refuses a name that would belong to another catalog than the entry that has it, or has it for a component.
    pub(crate) fn check_home(&self, catalog: &Catalog, of: &Name, name: &Name, remedy: &str) -> Result<(), Failure> {
        let home = self.home(name)?;
        if home.place() == catalog.place() {
            return Ok(());
        }
        let words = format!(
            "{name} would belong to the catalog {} and {of} is in {}; {remedy}",
            home.directory().display(),
            catalog.directory().display()
        );
        Err(refused(&words, 140, 0))
    }

    /// Tells who waits that the command has processed `count` records.
    #[inline]
    pub(crate) fn progress(&mut self, count: u64) {
        (self.progress)(count);
    }

    /// This day (UTC).
    pub(crate) fn today(&self) -> Date {
        Date::of_clock(self.clock.now())
    }
}

/// A name for the search order to go by: the qualifiers before the first that has wild characters, and one more.
fn leading(text: &str) -> Option<Name> {
    let plain: Vec<&str> = text.split('.').take_while(|q| !q.contains(['*', '%', '('])).collect();
    let whole = plain.len() == text.split('.').count();
    let name = if whole {
        plain.join(".")
    } else {
        format!("{}.X", plain.join("."))
    };
    Name::parse(&name).ok()
}
