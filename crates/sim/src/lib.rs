//! Cica's judge: an in-memory model of VSAM, a workload generator, and the explorers that crash and fault the engine.
//!
//! One 64-bit seed is a whole run. [`workload`] draws a data set's [`shape`] and a list of [`request`]s from it;
//! [`oracle`] knows the exact answer to each; [`model`] runs engine and oracle side by side; [`crash`] cuts the power
//! at every write and sync of a recorded run, [`fault`] fails every call to the disk, [`damage`] turns bits. They know
//! a store as a [`subject`] alone; [`store`] has the kinds there are, each with a [`trial`], and [`draw`] what is done with
//! it. Before the power fails the process may have been killed, and another gone on: [`mortal`]. A failure is a seed, a
//! short list of requests, and the command that replays it.

#![forbid(unsafe_code)]

pub mod campaign;
pub mod churn;
pub mod copies;
pub mod coverage;
pub mod crash;
pub mod crowded;
pub mod damage;
pub mod data_set;
pub mod death;
pub mod defined;
pub mod draw;
pub mod explain;
pub mod fate;
pub mod fault;
pub mod files;
pub mod keys;
pub mod model;
pub mod mortal;
pub mod oracle;
mod place;
pub mod random;
pub mod rbas;
pub mod replay;
pub mod request;
pub mod run;
pub mod script;
pub mod session;
pub mod shape;
pub mod share;
pub mod shrink;
pub mod sphere;
pub mod store;
pub mod subject;
#[cfg(cica_schedules)]
pub mod threads;
pub mod trial;
pub mod units;
pub mod volume;
pub mod workload;
