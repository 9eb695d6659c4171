//! Units of recovery: several data sets, several units open at once, changes without a unit beside them.
//!
//! [`oracle`] knows what stands; [`workload`] draws actions; [`subject`] is the engine side. After a crash all data sets
//! together must be as the oracle had them at one moment, with every committed unit whole and nothing of an open one.

pub mod oracle;
pub mod subject;
pub mod trial;
pub mod workload;
