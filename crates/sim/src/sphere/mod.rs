//! Spheres: a base cluster with alternate indexes and paths, judged like a single data set.
//!
//! Each string of a run goes one way, to the base itself or by the path of an alternate index, and makes the same
//! [`Request`](crate::request::Request)s. The [`oracle`] adds to the model of the base what every alternate index must
//! hold, in order of arrival; [`session`] is the engine side. After a crash, a fault or a refusal the files must be,
//! all of them together, as the oracle had them at one moment.

pub mod oracle;
pub mod session;
pub mod shape;
pub mod subject;
pub mod trial;
pub mod workload;
