//! Compiles the C side of the Berkeley DB peer. Only that peer's binary links it.

fn main() {
    println!("cargo:rerun-if-changed=src/bdb_shim.c");
    cc::Build::new()
        .file("src/bdb_shim.c")
        .cargo_metadata(false)
        .compile("bdb_shim");
    // Cargo sets OUT_DIR for every build script.
    println!(
        "cargo:rustc-link-search=native={}",
        std::env::var("OUT_DIR").unwrap_or_default()
    );
}
