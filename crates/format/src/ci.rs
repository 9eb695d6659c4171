//! The control interval: records from the left, RDFs from the right, CIDF in the last four bytes (docs/format/ci.md).
