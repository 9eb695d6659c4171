//! Compiles the C sides of the Berkeley DB and WiredTiger peers. Only those peers' binaries link them.

fn main() {
    for shim in ["bdb_shim", "wt_shim"] {
        let source = format!("src/{shim}.c");
        println!("cargo:rerun-if-changed={source}");
        cc::Build::new().file(source).cargo_metadata(false).compile(shim);
    }
    // Cargo sets OUT_DIR for every build script.
    println!(
        "cargo:rustc-link-search=native={}",
        std::env::var("OUT_DIR").unwrap_or_default()
    );
}
