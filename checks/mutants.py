#!/usr/bin/env python3
"""Takes away each sync, and each comparison of a checksum, version or log position, one at a time: some test must fail.

    checks/mutants.py                 all of them (hours); the table goes to docs/src/mutants.md
    checks/mutants.py --list          what would be taken away
    checks/mutants.py --only WORD     those whose place or text has WORD in it

Works on a copy of the sources in TARGET/mutants, which it keeps up to date with git. A mutant that survives is a sync
or comparison without a test, or one that may go; JUSTIFIED says why, and nothing else may stand there.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
COPY = TARGET / "mutants"
TABLE = pathlib.Path("docs/src/mutants.md")
SOURCES = ["crates/format/src", "crates/engine/src", "crates/catalog/src", "crates/portable/src"]
LIMIT = 1200  # seconds for one test of one mutant

# Survivors that may be: place without line number, text -> why no test can notice.
JUSTIFIED = {}

OPERAND = r"[\w.:&*]+(?:\((?:[^()]|\([^()]*\))*\))?"
GUARDED = r"(?:checksum|version|crc32c|lsn|epoch)"
UNEQUAL = re.compile(rf"(!= {OPERAND})")
EQUAL = re.compile(rf"(== {OPERAND})")

SIM = [
    ["cargo", "run", "--release", "-q", "-p", "cica-sim", "--", "crash", "--images", "40000", "--jobs", "1"],
    ["cargo", "run", "--release", "-q", "-p", "cica-sim", "--", "fault", "--runs", "4", "--jobs", "1"],
    ["cargo", "run", "--release", "-q", "-p", "cica-sim", "--", "damage", "--runs", "6", "--jobs", "1"],
]


def tests_of(path):
    """The tests that should notice, quickest first."""
    crate = path.split("/")[1]
    own = [["cargo", "test", "-q", "-p", f"cica-{crate}"]]
    command = [["cargo", "test", "-q", "-p", "cica-cli"]]
    return {"engine": SIM + own + command, "format": own + SIM}.get(crate, own + command)


class Mutant:
    def __init__(self, path, line, before, after, takes_away):
        self.path, self.line, self.before, self.after, self.takes_away = path, line, before, after, takes_away

    def place(self):
        return f"{self.path}:{self.line}"


def mutants_of(path):
    """The mutants of a file, in order."""
    for number, text in enumerate(pathlib.Path(path).read_text().split("\n"), 1):
        code = text.split("//")[0]
        if ".sync()" in code:
            # Of a file: a call of the same type that makes nothing durable. Of a component: nothing.
            yield Mutant(path, number, text, [
                text.replace(".sync()", ".size(None).map(drop)"),
                re.sub(r"[\w.]+\.sync\(\)", "Ok::<(), RequestError>(())", text),
                re.sub(r"\.sync\(\)", ".map(|_| ())", text),
            ], "sync")
        elif re.search(GUARDED, code):
            for compare, never in ((UNEQUAL, "&& std::hint::black_box(false)"), (EQUAL, "|| std::hint::black_box(true)")):
                for found in compare.finditer(code):
                    around = code[max(0, found.start() - 60) : found.end()]
                    if re.search(rf"{GUARDED}[\w()&\[\]., :]*[!=]= |[!=]= [\w.]*{GUARDED}", around):
                        after = code[: found.end()] + " " + never + code[found.end() :]
                        yield Mutant(path, number, text, [after], "comparison")


def all_mutants():
    for directory in SOURCES:
        for path in sorted(pathlib.Path(directory).rglob("*.rs")):
            yield from mutants_of(str(path))


def prepare():
    if not COPY.exists():
        subprocess.run(["git", "clone", "-q", ".", str(COPY)], check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    subprocess.run(["git", "fetch", "-q"], cwd=COPY, check=True)
    subprocess.run(["git", "checkout", "-q", "--force", head], cwd=COPY, check=True)


def runs(command):
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET / "mutants-built")}
    try:
        done = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return False  # It hangs: noticed.
    return done.returncode == 0


def fate(mutant):
    """What became of a mutant: the words for the table, and whether all is well."""
    path = COPY / mutant.path
    good = path.read_text()
    lines = good.split("\n")
    try:
        for after in mutant.after:
            lines[mutant.line - 1] = after
            path.write_text("\n".join(lines))
            crate = "cica-" + mutant.path.split("/")[1]
            if after == mutant.before or not runs(["cargo", "check", "-q", "-p", crate]):
                continue
            for command in tests_of(mutant.path):
                if not runs(command):
                    return "noticed by `" + " ".join(word for word in command if word not in ("-q", "--")) + "`", True
            why = JUSTIFIED.get((mutant.path, mutant.before.strip()))
            return (f"may go: {why}", True) if why else ("**survived**", False)
        return "does not compile", False
    finally:
        path.write_text(good)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only say what would be taken away")
    parser.add_argument("--only", default="", help="mutants with this word in place or text")
    options = parser.parse_args()
    chosen = [m for m in all_mutants() if options.only in m.place() or options.only in m.before]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.place()}: {mutant.takes_away}: {mutant.before.strip()}")
        return
    prepare()
    rows, well = [], True
    for mutant in chosen:
        words, good = fate(mutant)
        well = well and good
        rows.append(f"| `{mutant.path}` | `{mutant.before.strip()}` | {words} |")
        print(f"{mutant.place()}: {words}", flush=True)
    if not options.only:
        head = "# What happens when a sync or a comparison is taken away\n\nWritten by `checks/mutants.py`.\n\n"
        TABLE.write_text(head + "| file | without | |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
