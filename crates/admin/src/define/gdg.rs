//! DEFINE GENERATIONDATAGROUP: the entry that generations go by.

use super::super::failure::{refused, Failure};
use super::super::stated::Tenure;
use super::super::Services;
use super::FAILED;
use crate::outcome::Outcome;
use cica_catalog::entry::{Gdg, History};
use cica_catalog::generation::MAX_BASE;
use cica_catalog::{Entry, Name};

/// Generations of a group that is not EXTENDED.
pub const PLAIN_LIMIT: u16 = 255;

/// DEFINE GENERATIONDATAGROUP.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefineGroup {
    /// The name that its generations begin with.
    pub name: String,
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
    /// How many generations it keeps, and what becomes of the others. LIMIT is needed.
    pub group: GroupStated,
    /// OWNER, TO and FOR.
    pub tenure: Tenure,
}

/// What DEFINE or ALTER says of a generation data group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupStated {
    /// LIMIT: so many generations are kept.
    pub limit: Option<u16>,
    /// SCRATCH (true) or NOSCRATCH: what rolls off is deleted.
    pub scratch: Option<bool>,
    /// EMPTY (true) or NOEMPTY: all roll off at the limit.
    pub empty: Option<bool>,
    /// FIFO (true) or LIFO: in which order the group is read.
    pub fifo: Option<bool>,
    /// PURGE (true) or NOPURGE: what rolls off goes before its expiration date.
    pub purge: Option<bool>,
    /// EXTENDED (true) or NOEXTENDED: up to 999 generations.
    pub extended: Option<bool>,
}

impl Services {
    /// Makes the entry that generations go by.
    pub fn define_group(&mut self, request: &DefineGroup) -> Outcome {
        Outcome::of(|_| match define(self, request) {
            Ok(()) => Ok(0),
            Err(failure) => Err(failure.with_cc(FAILED)),
        })
    }
}

fn define(services: &Services, request: &DefineGroup) -> Result<(), Failure> {
    let name = Name::parse(&request.name).map_err(|error| refused(&error, 140, 0))?;
    if name.as_str().len() > MAX_BASE {
        let words = format!("{name} has more than {MAX_BASE} characters; the names of its generations add nine");
        return Err(refused(&words, 140, 0));
    }
    let mut group = Gdg {
        limit: 0,
        scratch: false,
        empty: false,
        fifo: false,
        purge: false,
        extended: false,
        altered: None,
        history: History::new(services.today()),
        name,
    };
    request.group.put(&mut group)?;
    request.tenure.put(&mut group.history, services.today())?;
    let catalog = services.catalog_of(request.catalog.as_deref(), group.name.as_str())?;
    Ok(catalog.transact(|contents| contents.insert(Entry::Gdg(group)))?)
}

impl GroupStated {
    /// Puts what is said into a group.
    ///
    /// # Errors
    /// More generations than the group may have.
    pub(crate) fn put(&self, group: &mut Gdg) -> Result<(), Failure> {
        let switches = [
            (&mut group.scratch, self.scratch),
            (&mut group.empty, self.empty),
            (&mut group.fifo, self.fifo),
            (&mut group.purge, self.purge),
            (&mut group.extended, self.extended),
        ];
        for (field, stated) in switches {
            *field = stated.unwrap_or(*field);
        }
        group.limit = self.limit.unwrap_or(group.limit);
        if group.limit > PLAIN_LIMIT && !group.extended {
            let words = format!(
                "LIMIT({}) needs EXTENDED; without it a group keeps {PLAIN_LIMIT} generations at most",
                group.limit
            );
            return Err(refused(&words, 140, 0));
        }
        Ok(())
    }
}
