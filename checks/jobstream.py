#!/usr/bin/env python3
"""A shop's job stream over a base cluster with a unique and a non-unique alternate index, timed step by step.

    checks/jobstream.py                       1,000,000 base records; some minutes, 1 GB in --dir
    checks/jobstream.py --records 20000       the same, small
    checks/jobstream.py --organization esds   over an ESDS, whose records cannot be replaced by key

Each step is a process of its own. Steps: DEFINE, load, BLDINDEX, updates through base and path, EXAMINE, a copy read
through each path, EXPORT, DELETE, IMPORT, BLDINDEX again. The stream fails unless every condition code is as expected,
EXAMINE finds nothing, and after the import each path reads the same bytes and LISTCAT tells the same of attributes and
records. The table at the end is for the docs: CPU and wall seconds, records per CPU second, largest memory.
"""

import argparse
import hashlib
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

CICA = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release" / "cica"
GROUPS = 5000


class Stream:
    """The steps, run in a directory with a catalog of their own."""

    def __init__(self, command, directory):
        self.command = command
        self.directory = pathlib.Path(directory)
        self.rows = []

    def step(self, name, cards, files=(), records=0, expected=0):
        """Runs cards; their listing. `files`: DD names and file names."""
        command = [str(self.command), "--catalog", "cat", "idcams"]
        for dd, file in files:
            command += ["--dd", f"{dd}={file}"]
        started = time.monotonic()
        with (self.directory / "cards").open("w") as out:
            out.write(cards)
        with (self.directory / "cards").open() as source, (self.directory / "listing").open("w+b") as listing:
            child = subprocess.Popen(command, cwd=self.directory, stdin=source, stdout=listing)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            listing.seek(0)
            text = listing.read().decode()
        wall, cpu = time.monotonic() - started, usage.ru_utime + usage.ru_stime
        if child.returncode != expected:
            sys.exit(f"{text}\njobstream: {name}: condition code {child.returncode}, expected {expected}")
        rate = f"{records / cpu:,.0f}" if records else ""
        count = f"{records:,}" if records else ""
        self.rows.append((name, count, f"{wall:.1f}", f"{cpu:.1f}", rate, f"{usage.ru_maxrss / 1024:,.0f}"))
        print(f"jobstream {name} ... ok, {wall:.1f} s, {usage.ru_maxrss // 1024} MB", flush=True)
        return text

    def digest(self, file):
        return hashlib.sha256((self.directory / file).read_bytes()).hexdigest()

    def table(self):
        print("\n| step | records | seconds | CPU seconds | records per CPU second | largest memory, MB |")
        print("|---|--:|--:|--:|--:|--:|")
        for row in self.rows:
            print("| " + " | ".join(row) + " |")


def record(number, unique, group):
    """100 bytes: prime key 8, unique alternate key 10, group 4, filling."""
    return f"{number:08}{unique:010}{group:04}" + f"-{number % 9973:04}-".ljust(78, "abcdefghij"[number % 10]) + "\n"


def inputs(directory, records, seed):
    """The load file, every twentieth record changed, for the base, and as many new ones, for the path."""
    rng = random.Random(seed)
    unique = list(range(records))
    rng.shuffle(unique)
    with (directory / "load").open("w") as load, (directory / "base").open("w") as base:
        with (directory / "path").open("w") as path:
            for number in range(records):
                load.write(record(number, unique[number], number * 7919 % GROUPS))
                if number % 20 == 3:
                    # The group changes, and with it the non-unique index.
                    base.write(record(number, unique[number], rng.randrange(GROUPS)))
                    new = records + number
                    path.write(record(new, new, rng.randrange(GROUPS)))


def definition(records, organization):
    cylinders = max(1, records * 100 // 700_000 + 1)
    per_group = max(4, records // GROUPS)
    pointer = 8 if organization == "ksds" else 4
    longest = 9 + pointer * per_group * 3
    kind = "INDEXED KEYS(8 0)" if organization == "ksds" else "NONINDEXED"
    return f"""
 DEFINE CLUSTER (NAME(JOB.BASE) {kind} RECORDSIZE(100 100) -
     CYLINDERS({cylinders} {cylinders // 5 + 1}) CONTROLINTERVALSIZE(4096) SHAREOPTIONS(2 3))
 DEFINE AIX (NAME(JOB.UNIQUE) RELATE(JOB.BASE) KEYS(10 8) -
     RECORDSIZE({15 + pointer} {15 + pointer}) UNIQUEKEY UPGRADE -
     CYLINDERS({cylinders // 4 + 1} {cylinders // 10 + 1}) CONTROLINTERVALSIZE(4096))
 DEFINE AIX (NAME(JOB.GROUP) RELATE(JOB.BASE) KEYS(4 18) -
     RECORDSIZE({9 + pointer * per_group} {longest}) NONUNIQUEKEY UPGRADE -
     CYLINDERS({cylinders // 8 + 1} {cylinders // 10 + 1}) CONTROLINTERVALSIZE(4096))
 DEFINE PATH (NAME(JOB.BYUNIQUE) PATHENTRY(JOB.UNIQUE))
 DEFINE PATH (NAME(JOB.BYGROUP) PATHENTRY(JOB.GROUP))
"""


def told(listing):
    """What LISTCAT must tell the same of before and after: attributes, and how many records each component has."""
    kept = re.compile(r"(KEYLEN|RKP|AXRKP|AVGLRECL|MAXLRECL|CISIZE|CI/CA|REC-TOTAL|BUFSPACE|SHROPTNS|SPANNED|"
                      r"UNIQUEKEY|NONUNIQKEY|UPGRADE|UPDATE|ASSOCIATIONS|CLUSTER|AIX|PATH|DATA|INDEX)[-( ].*")
    # Index records follow from how the keys came, and the rest of these lines from what was done to the records.
    rows, of_index = [], False
    for line in listing.splitlines():
        if re.match(r" *(CLUSTER|AIX|DATA|INDEX|PATH) -+ ", line):
            of_index = line.strip().startswith("INDEX")
        match = kept.match(line.strip())
        if match and not (of_index and "REC-TOTAL" in line):
            row = match.group(0)
            rows.append(row.split()[0] if row.startswith("REC-TOTAL") else row)
    return rows


def run(stream, records, organization):
    build = " BLDINDEX INDATASET(JOB.BASE) OUTDATASET(JOB.UNIQUE JOB.GROUP)\n"
    paths = ("UNIQUE", "GROUP")
    some = records // 20
    define = definition(records, organization)
    stream.step("DEFINE", define)
    stream.step("REPRO, load", " REPRO INFILE(IN) OUTDATASET(JOB.BASE)\n", [("IN", "load")], records)
    stream.step("BLDINDEX, both", build, records=2 * records)
    if organization == "ksds":
        replace = " REPRO INFILE(IN) OUTDATASET(JOB.BASE) REPLACE\n"
        stream.step("replace through the base", replace, [("IN", "base")], some)
    else:
        # Records with the same unique keys are refused, each by itself, and nothing is left of them.
        add = " REPRO INFILE(IN) OUTDATASET({}) ERRORLIMIT(1000000000)\n"
        stream.step("refused duplicates", add.format("JOB.BASE"), [("IN", "base")], some, expected=4)
    stream.step("add through the path", " REPRO INFILE(IN) OUTDATASET(JOB.BYUNIQUE)\n", [("IN", "path")], some)
    records += some
    examined = ["JOB.UNIQUE", "JOB.GROUP"] + (["JOB.BASE"] if organization == "ksds" else [])
    examine = "".join(f" EXAMINE NAME({name}) INDEXTEST DATATEST\n" for name in examined)
    stream.step("EXAMINE, all", examine, records=records)
    unload = " REPRO INDATASET(JOB.BY{}) OUTFILE(OUT)\n"
    for path in paths:
        stream.step(f"REPRO by {path.lower()} key", unload.format(path), [("OUT", f"{path}.1")], records)
    listcat = " LISTCAT LEVEL(JOB) ALL\n"
    before = told(stream.step("LISTCAT", listcat))
    stream.step("EXPORT TEMPORARY", " EXPORT JOB.BASE OUTFILE(COPY) TEMPORARY\n", [("COPY", "copy")], records)
    stream.step("DELETE", " DELETE JOB.BASE\n")
    stream.step("IMPORT", " IMPORT INFILE(COPY)\n", [("COPY", "copy")], records)
    over = define.split(" DEFINE AIX", 1)[1]
    stream.step("DEFINE, alternate indexes and paths", " DEFINE AIX" + over)
    stream.step("BLDINDEX, both again", build, records=2 * records)
    stream.step("EXAMINE, all again", examine, records=records)
    for path in paths:
        stream.step(f"REPRO by {path.lower()} key again", unload.format(path), [("OUT", f"{path}.2")], records)
    after = told(stream.step("LISTCAT again", listcat))
    if before != after:
        differ = [pair for pair in zip(before, after) if pair[0] != pair[1]]
        sys.exit(f"jobstream: LISTCAT tells other things after the import: {differ[:5]}")
    if stream.digest("UNIQUE.1") != stream.digest("UNIQUE.2"):
        sys.exit("jobstream: by the unique key other bytes are read after the import")
    # Pointers stood in order of arrival before, and stand in the base's order after they were built again.
    groups = [sorted((stream.directory / f"GROUP.{n}").read_bytes().splitlines()) for n in (1, 2)]
    if groups[0] != groups[1]:
        sys.exit("jobstream: by the non-unique key other records are read after the import")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--organization", choices=["ksds", "esds"], default="ksds")
    parser.add_argument("--dir", help="where the data sets go while it runs; not a directory in memory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=CICA, help="the command; a release build")
    options = parser.parse_args()
    command = options.bin.resolve()
    if not command.exists():
        sys.exit(f"jobstream: {command} is not there: cargo build --release -p cica-cli")
    with tempfile.TemporaryDirectory(prefix="jobstream-", dir=options.dir) as directory:
        stream = Stream(command, directory)
        inputs(stream.directory, options.records, options.seed)
        run(stream, options.records, options.organization)
        stream.table()


if __name__ == "__main__":
    main()
