#!/usr/bin/env python3
"""Counts the processor instructions of the hot requests under valgrind, and fails where one takes more than it did.

    checks/instructions.py          as part of `make test`
    checks/instructions.py --set    prints the table anew, after a change that is worth its instructions

Each request is counted as the difference of two runs of `cargo run --release -p cica-engine --example hot`, with and
without it. Such counts are nearly the same on every run, whatever else the machine does; another compiler gives others,
so with another one they are told and fail nothing. The C library copies and compares with what the processor has, and
each way takes another number of instructions: it is told to pass over what only some processors have, so that the
counts are the same on all.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

TARGET = os.environ.get("CARGO_TARGET_DIR", "target")
COUNTED_WITH = "rustc 1.95.0 "

# Instructions of one request, and how many are counted.
KNOWN = {
    "load": (2736, 20000),
    "next": (400, 10000),
    "get": (1568, 10000),
    "update": (5843, 10000),
    "insert": (9374, 10000),
    "unit": (9112, 10000),
}

# What memcpy and its like leave out.
PLAIN = "glibc.cpu.hwcaps=-AVX2,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load,-AVX512F"

# Percent that a request may take more.
MARGIN = 3

COLLECTED = re.compile(r"Collected : (\d+)")


def counted(kind, requests):
    """Instructions of one run."""
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"{TARGET}/release/examples/hot", kind]
    plain = {**os.environ, "GLIBC_TUNABLES": PLAIN}
    done = subprocess.run([*words, str(requests)], capture_output=True, text=True, check=False, env=plain)
    found = COLLECTED.search(done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(words)} {requests} failed:\n{done.stderr}")
    return int(found.group(1))


def passed_over(why):
    """Says why nothing was counted."""
    print(f"{why}: no instructions are counted")
    print("instructions result: 0 passed; 0 failed")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--set", action="store_true", help="print the table anew")
    options = options.parse_args()
    if not shutil.which("valgrind"):
        return passed_over("valgrind is missing")
    build = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "cica-engine", "--example", "hot"]
    subprocess.run(build, check=True)
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
    another = not version.startswith(COUNTED_WITH)
    failed = 0
    for kind, (known, requests) in KNOWN.items():
        each = (counted(kind, requests) - counted(kind, 0)) // requests
        if options.set:
            print(f'    "{kind}": ({each}, {requests}),')
            continue
        more = 100 * (each - known) / known
        is_too_many = more > MARGIN and not another
        failed += is_too_many
        verdict = "TOO MANY" if is_too_many else "few enough to lower the bound" if more < -MARGIN else "ok"
        print(f"{kind:8} {each:7} instructions, {known:7} known, {more:+5.1f} %: {verdict}", flush=True)
    if another and not options.set:
        return passed_over(f"not {COUNTED_WITH.strip()}, but {version.strip()}")
    print(f"instructions result: {len(KNOWN) - failed} passed; {failed} failed")
    return sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
