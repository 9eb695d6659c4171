#!/usr/bin/env python3
"""All tests, one after the other, and their sum as the last line: `N passed, N failed`.

Run from the top of the checkout, by `make test`. Everything is run even when something before it failed.
"""

import os
import re
import subprocess
import sys
import time

TARGET = os.environ.get("CARGO_TARGET_DIR", "target")

# What `make demo` shows, with what the tests have built; it stops at the first thing that is not as it should be.
DEMO = (
    f"set -e; cargo build --workspace --bins --lib --examples --locked --quiet; demo/run.sh {TARGET}/debug >demo.log 2>&1 "
    "|| { tail -n 40 demo.log; exit 1; }; rm -rf demo.log demo-out; echo 'demo result: 1 passed; 0 failed'"
)

STEPS = [
    ("house rules", [sys.executable, "checks/tidy.py"]),
    ("COMPAT.md against the parser", [sys.executable, "checks/compat.py"]),
    ("the checks themselves", [sys.executable, "checks/check_checks.py"]),
    # Each must still be found in the sources; trying them takes hours (`make mutants`).
    ("the list of mutants", ["bash", "-c", "checks/mutants.py --list >/dev/null && echo 'mutants result: 1 passed; 0 failed'"]),
    ("unit and integration tests", ["cargo", "test", "--workspace", "--locked", "--no-fail-fast"]),
    ("the demo", ["bash", "-c", DEMO]),
    ("crashes, errors, damage", [sys.executable, "checks/reliability.py", "--short"]),
    ("signals at any moment", [sys.executable, "checks/signals.py", "--short"]),
    ("the reference of the command", [sys.executable, "checks/cli_reference.py", "--bin", TARGET + "/debug"]),
    ("commands in the documentation", [sys.executable, "checks/docs.py", "--bin", TARGET + "/debug"]),
]

# What cargo prints for each test program, and our own scripts once.
RESULT = re.compile(r"result: (?:ok\. |FAILED\. )?(\d+) passed; (\d+) failed")


def run(name, command):
    """Runs one step; the tests that passed and failed in it."""
    print(f"==> {name}: {' '.join(command[1:] if command[0] == sys.executable else command)}", flush=True)
    started = time.monotonic()
    passed = failed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            if result := RESULT.search(line):
                passed += int(result.group(1))
                failed += int(result.group(2))
    if process.returncode != 0 and failed == 0:
        failed = 1  # It could not even be built or started.
    print(f"==> {name}: {passed} passed, {failed} failed, {time.monotonic() - started:.0f} s", flush=True)
    return passed, failed


def main():
    counts = [(name, *run(name, command)) for name, command in STEPS]
    passed = sum(count[1] for count in counts)
    failed = sum(count[2] for count in counts)
    print()
    for name, good, bad in counts:
        print(f"  {name:32} {good:6} passed {bad:6} failed")
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
