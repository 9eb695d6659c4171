#!/usr/bin/env bash
# Makes the packages: packages/build.sh DIRECTORY-OF-THE-BINARIES OUTPUT
#
#   cica-VERSION-MACHINE.tar.gz     bin, lib, include, share: unpacked anywhere, it works from there
#   cica_VERSION_ARCHITECTURE.deb   the same below /usr, where dpkg-deb is there
#
# The same sources and binaries give the same bytes: times are those of the last commit, owners are root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/..
built=$(cd "${1:?the directory of the binaries}" && pwd)
out=${2:?the directory of the packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$top/Cargo.toml")
time=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct)}
name=cica-$version-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# The tree that both packages have.
tree=$work/$name
mkdir -p "$tree"/{bin,lib,share/man/man1,share/doc/cica}
mkdir -p "$tree"/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
install -m 755 "$built/cica" "$tree/bin/cica"
install -m 644 "$built/libcica_cobol.so" "$tree/lib/libcica_cobol.so"
"$top/crates/c/install.sh" "$tree" "$built"
install -m 644 "$top/crates/isam/include/isam.h" "$tree/include/isam.h"
# Not beside it: GDBM has an ndbm.h there.
install -D -m 644 "$top/crates/isam/include/cica/ndbm.h" "$tree/include/cica/ndbm.h"
install -m 644 "$built/libcica_isam.so" "$tree/lib/libcica_isam.so"
# Wherever it is unpacked, pkg-config finds what lies beside.
sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$tree/lib/pkgconfig/cica.pc"
strip --strip-unneeded "$tree/bin/cica" "$tree"/lib/*.so.*.* "$tree/lib/libcica_cobol.so" "$tree/lib/libcica_isam.so"
strip --strip-debug "$tree/lib/libcica.a"
"$tree/bin/cica" man "$tree/share/man/man1" >/dev/null
gzip -9n "$tree"/share/man/man1/*.1
"$tree/bin/cica" completions bash > "$tree/share/bash-completion/completions/cica"
"$tree/bin/cica" completions zsh > "$tree/share/zsh/site-functions/_cica"
"$tree/bin/cica" completions fish > "$tree/share/fish/vendor_completions.d/cica.fish"
install -D -m 644 "$here/systemd/cica@.service" "$tree/lib/systemd/system/cica@.service"
cp "$top/README.md" "$top/COMPAT.md" "$top/CHANGELOG.md" "$top/SECURITY.md" "$tree/share/doc/cica/"
cat "$top/LICENSE-MIT" - "$top/LICENSE-APACHE" > "$tree/share/doc/cica/copyright" <<< $'\nor, as you choose:\n'
chmod -R u=rwX,go=rX "$tree"

archive() { # archive FILE DIRECTORY NAMES: the same bytes for the same files
    tar --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --format=gnu -C "$2" -cf - "${@:3}" | gzip -9n > "$1"
}
archive "$out/$name.tar.gz" "$work" "$name"
echo "$out/$name.tar.gz"

command -v dpkg-deb >/dev/null || exit 0
architecture=$(dpkg --print-architecture)
root=$work/deb
mkdir -p "$root/DEBIAN"
cp -a "$tree" "$root/usr"
gzip -9n "$root"/usr/share/doc/cica/CHANGELOG.md
# The newest version of the C library that anything asks for.
glibc=$(objdump -T "$root/usr/bin/cica" "$root"/usr/lib/*.so | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
cat > "$root/DEBIAN/control" <<END
Package: cica
Version: $version
Architecture: $architecture
Maintainer: Cica maintainers <maintainers@cica.example>
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: libc6 (>= ${glibc#GLIBC_}), libgcc-s1
Suggests: gnucobol3 | gnucobol4
Section: database
Priority: optional
Description: VSAM data sets, their catalog, and IDCAMS
 Keyed, entry-sequenced, relative and linear data sets with control intervals
 and control areas, crash-safe. Control cards are taken as they are; compiled
 GnuCOBOL programs use data sets unchanged; a library serves programs in C.
END
# The linker's cache is the only thing that an installation touches outside of the package.
printf 'activate-noawait ldconfig\n' > "$root/DEBIAN/triggers"
find "$root" -exec touch -h -d "@$time" {} +
SOURCE_DATE_EPOCH=$time dpkg-deb --root-owner-group -Zxz --build "$root" "$out/cica_${version}_$architecture.deb" >/dev/null
echo "$out/cica_${version}_$architecture.deb"
