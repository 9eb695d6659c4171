//! What the header declares, for tests that call the library from Rust.

use std::ffi::{c_char, c_int, CStr};

/// `cica_env_options`.
#[repr(C)]
pub struct EnvironmentOptions {
    size: usize,
    catalog: *const c_char,
    pool_bytes: u64,
    create: c_int,
}

impl EnvironmentOptions {
    /// Of a catalog, which outlives them, made where there is none; and a small pool.
    pub fn of(catalog: &CStr) -> EnvironmentOptions {
        EnvironmentOptions {
            size: size_of::<EnvironmentOptions>(),
            catalog: catalog.as_ptr(),
            pool_bytes: 8 << 20,
            create: 1,
        }
    }
}
