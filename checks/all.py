#!/usr/bin/env python3
"""All tests, one after the other, and their sum as the last line: `N passed, N failed`.

Run from the top of the checkout, by `make test`. Everything is run even when something before it failed. Nothing is waited
for without end: what prints nothing for a long time has its programs named and killed, and counts as failed.
"""

import collections
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

TARGET = os.environ.get("CARGO_TARGET_DIR", "target")

# What `make demo` shows, with what the tests have built; it stops at the first thing that is not as it should be.
DEMO = (
    f"set -e; cargo build --workspace --bins --lib --examples --locked --quiet; demo/run.sh {TARGET}/debug >demo.log 2>&1 "
    "|| { tail -n 40 demo.log; exit 1; }; rm -rf demo.log demo-out; echo 'demo result: 1 passed; 0 failed'"
)

# Tests of COBOL programs, whose files another process has open for them. The command is named so that cargo takes what
# has been built for all.
SHARED = (
    f"CICA_SHARE=on CICA_SERVER=$(realpath {TARGET}/debug/cica) "
    "cargo test -p cica-cobol -p cica-cli --locked --no-fail-fast "
    "--test access --test agreement --test coverage --test keys --test language --test spheres --test units "
    # Its unit is as large as the pool of the program, which is not the owner's.
    "-- --skip a_program_without_commit_keeps"
)

# Tests that print nothing for so long hang; a compiler may take its time.
SILENCE = 600
BUILD, LINT = "building the tests", "formatter and warnings"
COMPILERS = {BUILD, LINT}

# Newer compilers warn of more: what fails a build is what this one says.
LINTED_WITH = "clippy 0.1.95 "


def lint():
    """Formatter and compiler with all warnings; told, and no failure, where they are another version's or not there."""
    said = subprocess.run(["cargo", "clippy", "--version"], capture_output=True, text=True, check=False).stdout
    if not said.startswith(LINTED_WITH):
        return f"echo 'not this clippy, but {said.strip() or 'none'}: warnings fail nothing'; echo 'lint result: 0 passed; 0 failed'"
    return ("cargo fmt --all --check && cargo clippy --workspace --all-targets --locked --quiet -- -D warnings "
            "&& echo 'lint result: 2 passed; 0 failed'")


STEPS = [
    ("house rules", [sys.executable, "checks/tidy.py"]),
    ("COMPAT.md against the parser", [sys.executable, "checks/compat.py"]),
    ("the checks themselves", [sys.executable, "checks/check_checks.py"]),
    (LINT, ["bash", "-c", lint()]),
    # Each must still be found in the sources; trying them takes hours (`make mutants`).
    ("the list of mutants", ["bash", "-c", "checks/mutants.py --list >/dev/null && echo 'mutants result: 1 passed; 0 failed'"]),
    (BUILD, ["bash", "-c", "cargo test --workspace --locked --no-run --quiet && echo 'build result: 1 passed; 0 failed'"]),
    ("unit and integration tests", ["cargo", "test", "--workspace", "--locked", "--no-fail-fast"]),
    # The same programs see the same with their files at an owner.
    ("COBOL programs that share", ["bash", "-c", SHARED]),
    ("the demo", ["bash", "-c", DEMO]),
    ("crashes, errors, damage", [sys.executable, "checks/reliability.py", "--short"]),
    ("instructions of hot requests", [sys.executable, "checks/instructions.py"]),
    ("programs and servers that are killed", [sys.executable, "checks/share.py", "--short", "--binaries", TARGET + "/debug"]),
    ("signals at any moment", [sys.executable, "checks/signals.py", "--short"]),
    ("packages", [sys.executable, "checks/packages.py", "--bin", TARGET + "/debug"]),
    ("the reference of the command", [sys.executable, "checks/cli_reference.py", "--bin", TARGET + "/debug"]),
    ("commands in the documentation", [sys.executable, "checks/docs.py", "--bin", TARGET + "/debug"]),
]

# Lines that say what failed, for the end: the whole is long, and often only its tail is looked at.
TELLING = re.compile(r"\bFAILED\b|panicked at|^error\b|: number \d+:|\bWrong\b|^\S+: (failed|FAILED)")
TOLD, LAST = 30, 12

# What cargo prints for each test program, and our own scripts once.
RESULT = re.compile(r"result: (?:ok\. |FAILED\. )?(\d+) passed; (\d+) failed")


def lines_of(process, silence):
    """What a process prints, line by line; None after each time in which it printed nothing for `silence` seconds."""
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=silence)
        except queue.Empty:
            yield None
            continue
        if not line:
            return
        yield line


def below(pid):
    """The processes that a process started, and those that they started: (pid, what it runs)."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit():
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{entry}/cmdline", encoding="utf-8", errors="replace") as words:
                    found.append((int(entry), parent, words.read().replace("\0", " ").strip()))
        except (OSError, ValueError):
            pass  # It ended meanwhile.
    tree, all_of_it = [pid], []
    while tree:
        parent = tree.pop()
        for child in [one for one in found if one[1] == parent]:
            all_of_it.append((child[0], child[2]))
            tree.append(child[0])
    return all_of_it


def end_what_hangs(process, times):
    """Kills what a step started, so that it goes on with what comes next; after three times the step itself."""
    print(f"==> nothing was printed for {SILENCE} s; killed:", flush=True)
    for pid, words in below(process.pid) + ([(process.pid, "the step itself")] if times > 3 else []):
        print(f"      {pid} {words}", flush=True)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # It ended meanwhile.


def run(name, command):
    """Runs one step; the tests that passed and failed in it, and of one that failed what tells why."""
    print(f"==> {name}: {' '.join(command[1:] if command[0] == sys.executable else command)}", flush=True)
    started = time.monotonic()
    passed = failed = hung = 0
    telling, last = [], collections.deque(maxlen=LAST)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in lines_of(process, None if name in COMPILERS else SILENCE):
            if line is None:
                hung += 1
                end_what_hangs(process, hung)
                continue
            print(line, end="", flush=True)
            last.append(line)
            if len(telling) < TOLD and TELLING.search(line):
                telling.append(line)
            if result := RESULT.search(line):
                passed += int(result.group(1))
                failed += int(result.group(2))
    failed = max(failed, hung)
    if process.returncode != 0 and failed == 0:
        failed = 1  # It could not even be built or started.
    print(f"==> {name}: {passed} passed, {failed} failed, {time.monotonic() - started:.0f} s", flush=True)
    return passed, failed, (telling or list(last)) if failed else []


def main():
    counts = [(name, *run(name, command)) for name, command in STEPS]
    passed = sum(count[1] for count in counts)
    failed = sum(count[2] for count in counts)
    print()
    for name, good, bad, _ in counts:
        print(f"  {name:32} {good:6} passed {bad:6} failed")
    for name, _, bad, why in counts:
        if bad:
            print(f"\n{name}:\n" + "".join(f"    {line}" for line in why))
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
