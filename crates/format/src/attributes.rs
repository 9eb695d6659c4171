//! What a component is: the attributes given at DEFINE, carried in each file so that a catalog can be rebuilt from the files.

/// Organization of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Organization {
    /// Key-sequenced.
    Ksds,
    /// Entry-sequenced.
    Esds,
    /// Relative, fixed slots.
    Rrds,
    /// Relative, variable length.
    Vrrds,
    /// Linear.
    Lds,
}

/// Attributes of a component, as the engine obeys them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Cluster name.
    pub cluster_name: String,
    /// Component name.
    pub component_name: String,
    /// Organization.
    pub organization: Organization,
    /// Key length, 1-255 (KSDS).
    pub key_length: u16,
    /// Key offset in the record (RKP).
    pub key_offset: u32,
    /// Average record length.
    pub average_record: u32,
    /// Maximum record length.
    pub maximum_record: u32,
    /// Control interval size of this component.
    pub ci_size: u32,
    /// CIs per control area of this component.
    pub ci_per_ca: u16,
    /// FREESPACE percent in a CI.
    pub free_ci: u8,
    /// FREESPACE percent in a CA.
    pub free_ca: u8,
    /// SPANNED.
    pub spanned: bool,
    /// REUSE.
    pub reuse: bool,
    /// SPEED (else RECOVERY).
    pub speed: bool,
    /// ERASE.
    pub erase: bool,
    /// WRITECHECK.
    pub write_check: bool,
    /// SHAREOPTIONS cross-region (1-4).
    pub share_region: u8,
    /// SHAREOPTIONS cross-system (3-4).
    pub share_system: u8,
    /// BUFFERSPACE in bytes.
    pub buffer_space: u32,
    /// Code page number of character data, 0 = ASCII.
    pub ccsid: u16,
    /// Primary allocation in bytes of logical space (whole CAs).
    pub primary: u64,
    /// Secondary allocation in bytes of logical space, 0 = none.
    pub secondary: u64,
    /// CA reclaim on (the default).
    pub reclaim: bool,
    /// Volume serial.
    pub volume: String,
    /// Creation, nanoseconds since 1970.
    pub created: u64,
}
