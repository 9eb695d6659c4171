//! See the crate description; written out below.
