//! Access method services: control cards in, actions called, SYSPRINT out.
//!
//! ```text
//! SYSIN -> source -> lexer -> parser -> Command -> run -> Act (define, repro, listcat ...) -> Sysprint
//!                               ^                   |
//!                             table
//! ```
//!
//! - [`source`] reads records and knows the margins; [`lexer`] joins continued records and makes tokens;
//! - [`table`] is the one list of verbs and parameters; parser, help and reference manual all read it;
//! - [`parser`] turns tokens into a [`Command`] with typed [`Params`], or into [`Diagnostic`]s;
//! - [`mod@run`] keeps LASTCC and MAXCC and walks IF, DO and SET; the work itself is behind the trait [`Act`];
//! - `request` makes of a command the request of the function that carries it out;
//! - [`act`] carries out the functional commands on catalog and engine;
//! - `listing` lays out what LISTCAT, PRINT and SHCDS show;
//! - [`sysprint`] writes the listing, in the messages of `cica_messages`.
#![forbid(unsafe_code)]

mod carry_out;
pub mod diagnostic;
pub mod lexer;
mod listing;
pub mod params;
pub mod parser;
pub mod pos;
mod request;
pub mod run;
pub mod source;
pub mod statement;
pub mod sysprint;
pub mod table;

pub use cica_admin::dd::DdTable;
pub use cica_admin::Services;
pub use diagnostic::Diagnostic;
pub use params::{Command, KeyValue, Number, Params, Word};
pub use pos::Pos;
pub use run::{run, Act};
pub use source::Source;
pub use sysprint::{IssuedMessage, Stamp, Style, Sysprint};
pub use table::Verb;
