//! What is wrong with a copybook.

/// What is wrong with a copybook, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopybookError {
    /// Line, from 1; 0 where it is no line's fault.
    pub line: usize,
    /// In words.
    pub reason: String,
}

impl CopybookError {
    pub(crate) fn at(line: usize, reason: impl Into<String>) -> CopybookError {
        CopybookError {
            line,
            reason: reason.into(),
        }
    }
}

impl std::fmt::Display for CopybookError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "LINE {line}: {}", self.reason),
        }
    }
}
