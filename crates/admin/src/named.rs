//! What a request says of things outside it: data sets by name or behind a DD name, and values of keys.

/// A data set, a catalog or a file that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By its name; a generation or a member may follow in parentheses.
    DataSet(String),
    /// By the DD name it stands behind.
    Dd(String),
}

/// A key, or the beginning of one, that is compared with bytes of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyValue {
    /// Characters, to be taken in the code page of the data set; case as written.
    Char(String),
    /// Characters that were followed by an unquoted `*`, which is left out here: the key begins with them.
    CharGeneric(String),
    /// Bytes, from X'...' (or B'...').
    Hex(Vec<u8>),
}
