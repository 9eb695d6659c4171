//! The kinds of entries and components, and the words and letters for them.

/// The kinds of entries and components, in LISTCAT's order of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Alternate index.
    Aix,
    /// Alias.
    Alias,
    /// Cluster.
    Cluster,
    /// Data component.
    Data,
    /// Generation data group.
    Gdg,
    /// Index component.
    Index,
    /// Non-VSAM data set.
    NonVsam,
    /// Path.
    Path,
    /// User catalog.
    UserCatalog,
}

impl Kind {
    /// LISTCAT's word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Aix => "AIX",
            Kind::Alias => "ALIAS",
            Kind::Cluster => "CLUSTER",
            Kind::Data => "DATA",
            Kind::Gdg => "GDG",
            Kind::Index => "INDEX",
            Kind::NonVsam => "NONVSAM",
            Kind::Path => "PATH",
            Kind::UserCatalog => "USERCATALOG",
        }
    }

    /// The letter messages print in parentheses: `ENTRY (C) ...`.
    pub fn letter(self) -> char {
        match self {
            Kind::Aix => 'G',
            Kind::Alias => 'X',
            Kind::Cluster => 'C',
            Kind::Data => 'D',
            Kind::Gdg => 'B',
            Kind::Index => 'I',
            Kind::NonVsam => 'A',
            Kind::Path => 'R',
            Kind::UserCatalog => 'U',
        }
    }
}
