//! Units of recovery in doubt, decided about by who knows names and no open data sets (docs/design/0047).

use crate::error::SessionError;
use crate::open::open;
use crate::start::Session;
use cica_catalog::Name;
use cica_engine::{Access, DataSet, OpenOptions, PrepareError};
use std::fmt;

/// Why nothing was decided, or not all of it done.
#[derive(Debug)]
pub enum DecideError {
    /// A data set that the unit has changed cannot be opened.
    Open {
        /// Its name.
        name: String,
        /// Why.
        error: SessionError,
    },
    /// The unit itself.
    Unit(PrepareError),
}

impl fmt::Display for DecideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecideError::Open { name, error } => write!(f, "{name}: {error}"),
            DecideError::Unit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecideError {}

impl From<PrepareError> for DecideError {
    fn from(error: PrepareError) -> DecideError {
        DecideError::Unit(error)
    }
}

impl Session {
    /// Takes the unit in doubt that is called `name` back: opens its data sets with their alternate indexes, alone,
    /// and closes them again.
    ///
    /// # Errors
    /// A data set cannot be opened, and nothing has changed; or as
    /// [`Engine::back_out_prepared`](cica_engine::Engine::back_out_prepared).
    pub fn back_out_prepared(&self, name: &str) -> Result<(), DecideError> {
        let units = self.engine.in_doubt()?;
        let unit = units.iter().find(|unit| unit.name == name);
        let data_sets = unit.map_or(&[][..], |unit| &unit.data_sets);
        let open: Vec<DataSet> = data_sets
            .iter()
            .map(|name| self.to_decide(name))
            .collect::<Result<_, _>>()?;
        let done = self.engine.back_out_prepared(name);
        // It is durable by now, or was refused: what a close says is of the data set. All are closed, whatever one
        // says.
        let closed: Vec<_> = open.into_iter().map(DataSet::close).collect();
        done?;
        for close in closed {
            close.map_err(PrepareError::Request)?;
        }
        Ok(())
    }

    fn to_decide(&self, name: &str) -> Result<DataSet, DecideError> {
        let failed = |error| DecideError::Open {
            name: name.to_owned(),
            error,
        };
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        let parsed = Name::parse(name).map_err(|error| failed(error.into()))?;
        let (catalog, reached) = self.reach(&parsed).map_err(failed)?;
        open(&catalog, &self.engine, &reached, options).map_err(failed)
    }
}
