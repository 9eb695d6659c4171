//! Compression of single records by a trained dictionary (docs/design/0032).
//!
//! | module | holds |
//! |---|---|
//! | `symbols` | the strings of a dictionary, and how the longest one is found at a place of a record |
//! | `train` | a dictionary made from sample records |
//! | `dictionary` | compressing, expanding, and a dictionary as bytes with a checksum |
//! | `stored` | a record as a data set keeps it: key in clear, one byte form, the rest |
//! | `sampler` | records put aside until there are enough of them to train from |
//! | `predict` | what compression would give |
//! | `survey` | what it gives, and what a new dictionary would |
//!
//! * Z1. What is expanded is the record that was compressed, or an error: never more bytes than the caller allows,
//!   whatever the compressed bytes are.
//! * Z2. A record that would not become shorter stays plain, and so do records with 40 bytes or less behind their key.
//! * Z3. The same samples give the same dictionary.

#![forbid(unsafe_code)]

mod dictionary;
mod predict;
mod sampler;
mod stored;
mod survey;
mod symbols;
mod train;

pub use dictionary::{Damaged, Dictionary, LONGEST_DICTIONARY};
pub use predict::{predict, Cost, Prediction};
pub use sampler::{Sampler, SAMPLE_BYTES};
pub use stored::{expand, expanded_len, form, store, Form, GENERATIONS, LEAST, OVERHEAD, PLAIN};
pub use survey::{LengthClass, NewDictionary, Survey, SurveyTotals, Surveyed};
