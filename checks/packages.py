#!/usr/bin/env python3
"""Makes the packages of what is built, installs them where nothing else is, and uses what they brought.

    checks/packages.py --bin target/debug              what CI does: 1 and 2
    checks/packages.py --bin target/release --out DIR  all, and leaves the packages in DIR

1. The tarball, unpacked anywhere: the command, the C library by its pkg-config file, a COBOL program.
2. The Debian package, installed by dpkg into a root that has nothing but the C library: the command, its manual pages.
3. The same sources and binaries give the same bytes.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
CARDS = """ DEFINE VOLUME (NAME(DISK01) DEVICETYPE(3390))
 DEFINE CLUSTER (NAME(PAYROLL.MASTER) KEYS(8 0) RECORDSIZE(40 40) -
          CYLINDERS(1 1) VOLUMES(DISK01))
"""
C = r"""
#include <cica.h>
#include <stdio.h>
int main(void) { printf("%s\n", cica_version()); return 0; }
"""
COBOL = """
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ONE.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO MASTER ORGANIZATION INDEXED
               ACCESS RANDOM RECORD KEY K FILE STATUS S.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 R.
          05 K PIC X(8).
          05 N PIC X(32).
       WORKING-STORAGE SECTION.
       01 S PIC XX.
       PROCEDURE DIVISION.
           OPEN I-O F.
           MOVE "00003000" TO K.
           MOVE "WEBER" TO N.
           WRITE R.
           DISPLAY S.
           CLOSE F.
           STOP RUN.
"""


class Failed(Exception):
    """A package does not do what it should."""


def run(*command, good=0, **options):
    """Runs a command; what it prints."""
    options = {"capture_output": True, "text": True, "timeout": 300, "check": False} | options
    done = subprocess.run([str(word) for word in command], **options)
    if done.returncode != good:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(binaries, out):
    """Makes both packages: tarball, and Debian package or none."""
    made = [pathlib.Path(line) for line in run(TOP / "packages/build.sh", binaries, out).split()]
    return made[0], made[1] if len(made) > 1 else None


def uses_a_catalog(cica, cards, **options):
    """Defines, puts, gets and verifies a record."""
    run(*cica, "idcams", cards, **options)
    run(*cica, "put", "PAYROLL.MASTER", input="00001000 SMITH\n", **options)
    record = run(*cica, "get", "PAYROLL.MASTER", "00001000", **options)
    if record.strip() != "00001000 SMITH":
        raise Failed(f"the record is {record!r}")
    run(*cica, "verify", "PAYROLL.MASTER", **options)


def tarball(package, work):
    """Unpacks it below a directory with a blank in its name, and uses it from there."""
    place = work / "a place"
    place.mkdir()
    run("tar", "-xzf", package, "-C", place)
    (prefix,) = place.iterdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "CICA_CATALOG": str(work / "catalog"), "LC_ALL": "C.UTF-8"}
    options = {"env": environment, "cwd": work}
    (work / "cards").write_text(CARDS)
    cica = prefix / "bin/cica"
    uses_a_catalog([cica], "cards", **options)

    (work / "one.cob").write_text(COBOL)
    run("cobc", "-x", "-o", "one", "one.cob", **options)
    told = run(cica, "run", "./one", **(options | {"env": environment | {"DD_MASTER": "PAYROLL.MASTER"}}))
    if told.strip() != "00":
        raise Failed(f"the COBOL program says {told!r}")
    if "WEBER" not in run(cica, "get", "PAYROLL.MASTER", "00003000", **options):
        raise Failed("what the COBOL program wrote is not in the data set")

    (work / "one.c").write_text(C)
    library = prefix / "lib"
    pc = (library / "pkgconfig/cica.pc").read_text()
    if "prefix=${pcfiledir}/../.." not in pc:
        raise Failed(f"the pkg-config file names a place of its own:\n{pc}")
    run("cc", "-o", "one-c", "one.c", f"-I{prefix}/include", f"-L{library}", "-lcica", **options)
    run("cc", "-o", "customers", TOP / "crates/isam/examples/customers.c", f"-I{prefix}/include", f"-L{library}", "-lcica_isam", **options)
    told = run("./customers", **(options | {"env": environment | {"LD_LIBRARY_PATH": str(library)}}))
    if told != "99 JONES\n100 SMITH\n98 WEBER\n":
        raise Failed(f"the ISAM program says {told!r}")
    run("cc", "-o", "phone", TOP / "crates/isam/examples/phone.c", f"-I{prefix}/include/cica", f"-L{library}", "-lcica_isam", **options)
    told = [run("./phone", *words, **(options | {"env": environment | {"LD_LIBRARY_PATH": str(library)}}))
            for words in (("smith", "100"), ())]
    if told != ["", "smith 100\n"]:
        raise Failed(f"the program with ndbm.h says {told!r}")
    version = run("./one-c", **(options | {"env": environment | {"LD_LIBRARY_PATH": str(library)}}))
    if re.search(r"\d+\.\d+\.\d+", run(cica, "--version", **options)).group() not in version:
        raise Failed(f"the library says it is {version!r}")


def service(root):
    """The unit by which systemd shares a catalog: it starts what the package has, and systemd finds nothing wrong."""
    unit = root / "usr/lib/systemd/system/cica@.service"
    if not unit.exists():
        raise Failed("the package has no cica@.service")
    words = unit.read_text()
    for key in ["ExecStart", "ExecStop"]:
        (command,) = re.findall(rf"^{key}=(\S+)", words, re.M)
        if not (root / command.lstrip("/")).exists():
            raise Failed(f"{key} of cica@.service names {command}, which the package does not have")
    if shutil.which("systemd-analyze"):
        instance = root / "tmp/cica@srv-vsam.service"
        # The command is not installed on the machine that looks at it.
        instance.write_text(words.replace("/usr/bin/cica", str(root / "usr/bin/cica")))
        told = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", instance)
        if told.strip():
            raise Failed(told)


def libraries_of(program):
    """The shared libraries that a program is loaded with, and the loader."""
    return re.findall(r"(/\S+)(?= \(0x)", run("ldd", program))


def debian_package(package, work):
    """Installs it by dpkg where nothing is but what it depends on, and uses it there."""
    root = work / "root"
    for directory in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp", "data"]:
        (root / directory).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    # Its dependencies are there as files, and not as packages.
    run("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--install", package)
    for library in libraries_of(root / "usr/bin/cica"):
        to = root / library.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, to)
    service(root)
    pages = list((root / "usr/share/man/man1").glob("cica*.1.gz"))
    if len(pages) < 10:
        raise Failed(f"{len(pages)} manual pages")
    (root / "cards").write_text(CARDS)
    environment = {"HOME": "/data", "CICA_CATALOG": "/data/catalog", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    uses_a_catalog(["chroot", root, "/usr/bin/cica"], "/cards", env=environment)
    run("dpkg", f"--root={root}", "--force-script-chrootless", "--purge", "cica")
    if (root / "usr/bin/cica").exists() or (root / "usr/lib/libcica_cobol.so").exists():
        raise Failed("removing the package leaves files")
    if not (root / "data/catalog").is_dir():
        raise Failed("removing the package removed data")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", type=pathlib.Path, required=True, help="where the binaries were built")
    arguments.add_argument("--out", type=pathlib.Path, help="where the packages are left, once all is well")
    options = arguments.parse_args()
    binaries = options.bin.resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="cica-packages-") as name:
        work = pathlib.Path(name)
        try:
            first = build(binaries, work / "1")
        except Failed as failure:
            print(f"packages made of {binaries} ... FAILED\n{failure}\npackages result: 0 passed; 1 failed")
            sys.exit(1)

        def same():
            for one, other in zip(first, build(binaries, work / "2")):
                if one and one.read_bytes() != other.read_bytes():
                    raise Failed(f"{one.name} is not the same twice")

        checks = [("the tarball", lambda: tarball(first[0], work))]
        if options.out:
            checks.append(("the same bytes twice", same))
        if first[1] and os.geteuid() == 0:
            checks.append(("the Debian package in a clean root", lambda: debian_package(first[1], work)))
        else:
            print("packages: not root, or no dpkg: the Debian package is not installed anywhere")
        for what, check in checks:
            try:
                check()
                passed += 1
                print(f"packages {what} ... ok")
            except Failed as failure:
                failed += 1
                print(f"packages {what} ... FAILED\n{failure}")
        if options.out and not failed:
            options.out.mkdir(parents=True, exist_ok=True)
            for package in filter(None, first):
                shutil.copy(package, options.out)
        sizes = ", ".join(f"{p.name} {p.stat().st_size / 1e6:.1f} MB" for p in first if p)
    print(f"packages made: {sizes}")
    print(f"packages result: {passed} passed; {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
