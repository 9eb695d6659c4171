#!/usr/bin/env bash
# Puts the C library below PREFIX: header, static and shared library (soname, versioned symbols), pkg-config file.
# What cargo makes of this crate is libcica_c, since the Rust crate is cica; installed it is libcica, for -lcica.
#   crates/c/install.sh PREFIX [DIRECTORY-OF-libcica_c.a]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:?the directory to install below, such as /usr/local}
built=${2:-${CARGO_TARGET_DIR:-$here/../../target}/release}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml")
# Before 1.0 each minor release may change the interface, so it is part of the soname.
case $version in
    0.*) soname=libcica.so.${version%.*} ;;
    *) soname=libcica.so.${version%%.*} ;;
esac

mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
install -m 644 "$here/include/cica.h" "$prefix/include/"
install -m 644 "$built/libcica_c.a" "$prefix/lib/libcica.a"
# rustc's own shared library has neither soname nor versions: this one is made from the static one.
cc -shared -o "$prefix/lib/libcica.so.$version" \
    -Wl,-soname,"$soname" -Wl,--version-script="$here/cica.map" -Wl,--gc-sections -Wl,--no-undefined \
    -Wl,--whole-archive "$prefix/lib/libcica.a" -Wl,--no-whole-archive -lpthread -ldl -lm -lgcc_s -lc
ln -sf "libcica.so.$version" "$prefix/lib/$soname"
ln -sf "$soname" "$prefix/lib/libcica.so"
sed -e "s|@PREFIX@|$(cd "$prefix" && pwd)|" -e "s|@VERSION@|$version|" "$here/cica.pc.in" > "$prefix/lib/pkgconfig/cica.pc"
