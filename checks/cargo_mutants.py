#!/usr/bin/env python3
"""Each mutant that cargo-mutants lists of format, disk, log, recovery, short and narrow pages: some test must fail.

    checks/cargo_mutants.py                   all of them; the page goes to docs/src/cargo-mutants.md
    checks/cargo_mutants.py --crate format    of one of: format, engine, disk, pool
    checks/cargo_mutants.py --again           those that were missed, once more
    checks/cargo_mutants.py --again --test recovery   the same, with this test and those in the sources alone
    checks/cargo_mutants.py --page            only write the page from what earlier runs found
    checks/cargo_mutants.py --only WORD       those whose name has WORD in it

checks/all-mutants puts all mutants of a crate into one copy of the sources, in TARGET/cargo-mutants, where an
environment variable chooses among them, so that the crate and its tests are compiled once. Each test program runs once
without a mutant, and notes for which it asks; a mutant is tried with those that ask for it, quickest first. The few
mutants that stand where a program cannot choose when it runs (constants), and those that do not compile beside the
others, are given to cargo-mutants itself, which compiles each. A crate is judged by its own tests, the format after
them by some of the engine's (OF_THE_FORMAT), the engine by the explorers (EXPLORERS). Of the pool short and narrow pages
are tried, and what is charged and marked (FILES_OF_THE_POOL), by OF_THE_POOL and the tests in the engine's sources; its
other files are not. What was found is kept, and a run that was stopped goes on; of what no run here has tried the page
says what it said. A mutant that is missed must stand in JUSTIFIED with the reason why it may stay.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from cargo_mutants_justified import JUSTIFIED

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
WORK = TARGET / "cargo-mutants"
PAGE = pathlib.Path("docs/src/cargo-mutants.md")
TOOL = pathlib.Path("checks/all-mutants")
LOG_AND_RECOVERY = ["--file", "crates/engine/src/log/*", "--file", "crates/engine/src/recovery/*"]
FILES_OF_THE_POOL = ["short", "narrow", "shape", "halving", "charge", "marks"]
POOL = [word for name in FILES_OF_THE_POOL for word in ("--file", f"crates/engine/src/pool/{name}.rs")]
CRATES = {"format": [], "engine": LOG_AND_RECOVERY, "disk": [], "pool": POOL}
NAMES = {"format": "cica-format", "engine": "cica-engine: log and recovery", "disk": "cica-disk",
         "pool": "cica-engine: short and narrow pages"}
# What is part of another crate.
WITHIN = {"pool": "engine"}
# Where the mutants of each lie.
PLACES = {"format": ("crates/format/",), "engine": ("crates/engine/src/log/", "crates/engine/src/recovery"),
          "disk": ("crates/disk/",), "pool": ("crates/engine/src/pool/",)}
# Commands of cica-sim that judge what the engine's own tests have missed.
EXPLORERS = [
    ["crash", "--images", "1500"],
    ["crash", "--volume", "--images", "1500"],
    ["fault", "--runs", "8"],
]
# A test hangs when it takes so many times as long as without a mutant, and so many seconds more.
HANGS_AFTER = (5, 5)
# Seconds that cargo-mutants gives all tests of a mutant.
ALONE = 150
# The engine's tests that judge what the format's own have missed, with those in its sources.
OF_THE_FORMAT = ["ksds", "definition", "build"]
# The engine's tests that judge a mutant which is compiled alone: those of the log and of recovery.
OF_THE_LOG = ["log_files", "logs", "recovery", "moments", "units", "units_failing", "epochs", "torn_roots",
              "older_roots", "killed_then_cut", "sphere", "astray_roots", "salvage_log"]
# The engine's tests that judge those of the pool, with those in its sources.
OF_THE_POOL = ["short_pages", "narrow_pages"]
SWITCH = """
/// Whether this mutant is chosen. Without any, notes that it was asked for.
#[doc(hidden)]
pub fn mutated(number: u32) -> bool {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    static ASKED: [AtomicBool; MUTANTS] = [const { AtomicBool::new(false) }; MUTANTS];
    if CHOSEN.load(Relaxed) == u32::MAX {
        let chosen = std::env::var("CICA_MUTANT").ok().and_then(|n| n.parse().ok());
        CHOSEN.store(chosen.unwrap_or(u32::MAX - 1), Relaxed);
    }
    if CHOSEN.load(Relaxed) == u32::MAX - 1 && !ASKED[number as usize].swap(true, Relaxed) {
        if let Some(noted) = std::env::var_os("CICA_MUTANTS_ASKED") {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(noted);
            let line = format!("{number}\\n");
            let _ = file.and_then(|mut file| std::io::Write::write_all(&mut file, line.as_bytes()));
        }
    }
    CHOSEN.load(Relaxed) == number
}
"""
OTHERS = {
    "format": {"cica_engine", *OF_THE_FORMAT},
    "engine": {f"cica-sim {' '.join(words)}" for words in EXPLORERS},
    "disk": set(),
    "pool": set(),
}
CAUGHT, MISSED, HANGS, UNVIABLE = "caught", "missed", "timeout", "unviable"


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)


def built(crate):
    """Where the copy of a crate's sources is built."""
    return WORK / f"{crate.name}.built"


def build_environment(crate):
    """Debugging information is of no use here, and takes half of the time. Each copy of the sources has a directory of
    its own for what is built: two would take each other's crates for theirs, mutants and all."""
    words = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_TARGET_DIR": str(built(crate))}
    flags = os.environ.get("RUSTFLAGS", "") + " -Awarnings"
    return {**os.environ, **words, "RUSTFLAGS": flags.strip()}


def line_of(mutant):
    """The line of the source in which it begins."""
    lines = pathlib.Path(mutant["file"]).read_text().split("\n")
    return lines[mutant["span"]["start"]["line"] - 1].strip()


def keys(mutants, lines):
    """Each mutant by its text and that of its line, which stay when other lines are put before it."""
    found, tally = [], {}
    for mutant, line in zip(mutants, lines):
        key = f"{mutant['file']} | {line} | {mutant['name'].split(': ', 1)[1]}"
        tally[key] = tally.get(key, 0) + 1
        found.append(f"{key} | {tally[key]}")
    return found


class Crate:
    """A crate with its mutants and what was found of them."""

    def __init__(self, name):
        self.name = name
        self.directory = f"crates/{WITHIN.get(name, name)}"
        self.package = f"cica-{WITHIN.get(name, name)}"
        self.copy = WORK / name
        self.kept = WORK / f"{name}.json"
        command = ["cargo", "mutants", "--list", "--json", "--package", self.package, *CRATES[name]]
        self.mutants = json.loads(run(command, check=True).stdout)
        self.names = [m["name"] for m in self.mutants]
        head = run(["git", "rev-parse", "--short", "HEAD"], check=True).stdout.strip()
        self.head = head
        try:
            self.found = json.loads(self.kept.read_text())
        except FileNotFoundError:
            self.found = {}
        self.noting = threading.Lock()
        self.lines = [line_of(m) for m in self.mutants]
        self.keys = keys(self.mutants, self.lines)

    def note(self, key, outcome, by):
        with self.noting:
            first = self.found.get(key, {}).get("first", outcome)
            self.found[key] = {"outcome": outcome, "by": by, "sources": self.head, "first": first}
            self.kept.write_text(json.dumps(self.found, indent=1))


def write_if_new(path, data):
    """What has not changed is not compiled again."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copy_sources(crate, but=()):
    """The sources as they are now, without mutants, `but` some files."""
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True).stdout.split("\n")
    wanted = set()
    for name in filter(None, listed):
        source, to = pathlib.Path(name), crate.copy / name
        if not source.is_file() or source.parts[0] in ("bench", "fuzz"):
            continue
        wanted.add(to)
        if name not in but:
            write_if_new(to, source.read_bytes())
    for path in list((crate.copy / "crates").rglob("*.rs")):
        if path not in wanted:
            path.unlink()


def errors(crate):
    """File and lines of each place that the compiler complains of; none: it compiles."""
    command = ["cargo", "check", "--lib", "--package", crate.package, "--message-format=json"]
    said = run(command, cwd=crate.copy, env=build_environment(crate), stderr=subprocess.DEVNULL)
    places = []
    for line in said.stdout.split("\n"):
        message = json.loads(line).get("message") if line.startswith("{") else None
        if message and message["level"] == "error":
            places.append([(s["file_name"], s["line_start"], s["line_end"]) for s in message["spans"]])
    return places, said.returncode == 0


def weave(crate):
    """Puts the mutants into the copy; returns the numbers of those that are in it."""
    tool_target = WORK / "tool"
    subprocess.run(["cargo", "build", "--quiet", "--release", "--target-dir", tool_target],
                   cwd=TOOL, check=True)
    listed, left_out = WORK / f"{crate.name}.list", WORK / f"{crate.name}.left-out"
    listed.write_text(json.dumps([{k: v for k, v in m.items() if k != "diff"} for m in crate.mutants]))
    library, staging, out = f"{crate.directory}/src/lib.rs", WORK / f"{crate.name}.woven", set()
    changed = {m["file"] for m in crate.mutants} | {library}
    copy_sources(crate, changed)
    while True:
        for name in changed:
            write_if_new(staging / name, pathlib.Path(name).read_bytes())
        left_out.write_text("\n".join(map(str, sorted(out))))
        said = run([tool_target / "release/cica-all-mutants", listed, staging, left_out], check=True).stdout
        for name in changed:
            switch = SWITCH.replace("; MUTANTS]", f"; {len(crate.mutants)}]") if name == library else ""
            write_if_new(crate.copy / name, (staging / name).read_bytes() + switch.encode())
        woven = [line.split() for line in said.split("\n") if line]
        places, good = errors(crate)
        if good:
            return [int(number) for number, *_ in woven]
        bad = set()
        for spans in places:
            within = {int(number) for number, name, first, last in woven for file, start, end in spans
                      if name == file and start <= int(last) and end >= int(first)}
            if not within:
                within = beside(crate, woven, spans)
            bad |= within
        if not bad:
            sys.exit(f"{crate.package} does not compile, and no mutant is the cause")
        print(f"{crate.name}: {len(bad)} mutants do not compile beside the others", flush=True)
        out |= bad


def beside(crate, woven, spans):
    """Mutants that make the compiler complain of the code around them: those of the nearest one's function."""
    file, start, _ = spans[0]
    there = [(abs(int(first) - start), int(number)) for number, name, first, _ in woven if name == file]
    if not there:
        return set()
    function = crate.mutants[min(there)[1]]["function"]
    return {number for _, number in there if crate.mutants[number]["function"] == function
            and crate.mutants[number]["genre"] in ("FnValue", "MatchArm")} or {min(there)[1]}


def programs(crate, tests, package=None):
    """The test programs of a crate, or of another: the tests in its sources, and all others or these."""
    chosen = ["--lib", *(f"--test={name}" for name in tests)] if tests else ["--lib", "--tests"]
    command = ["cargo", "test", "--no-run", "--package", package or crate.package, "--message-format=json", *chosen]
    said = run(command, cwd=crate.copy, env=build_environment(crate), check=True).stdout
    messages = [json.loads(line) for line in said.split("\n") if line.startswith("{")]
    built = [m for m in messages if m.get("executable") and m["profile"]["test"]]
    return {m["target"]["name"]: [m["executable"]] for m in built}


def explorers(crate):
    """The explorers' commands."""
    command = ["cargo", "build", "--package", "cica-sim", "--bin", "cica-sim"]
    subprocess.run(command, cwd=crate.copy, env=build_environment(crate), check=True)
    program = str(built(crate) / "debug/cica-sim")
    return {f"cica-sim {' '.join(words)}": [program, *words] for words in EXPLORERS}


def limit(seconds):
    """For a process that is about to begin: processor time and memory."""
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))

    return set_limits


def outcome(crate, command, words, seconds):
    """What a test program comes to in this environment, if it takes no longer."""
    with tempfile.TemporaryDirectory(prefix="cargo-mutants.") as scratch:
        words = {**words, "TMPDIR": scratch, "PROPTEST_MAX_SHRINK_ITERS": "0",
                 "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1"}
        child = subprocess.Popen(command, cwd=crate.copy / crate.directory, env={**os.environ, **words},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit(int(seconds)),
                                 start_new_session=True)
        try:
            status = child.wait(timeout=3 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.wait()
            return HANGS
    if status in (-24, -9):
        return HANGS
    return MISSED if status == 0 else CAUGHT


class Judge:
    """Tries mutants with the test programs that ask for them, that which noticed most of a file first."""

    def __init__(self, crate, tests):
        self.crate, self.tests = crate, tests
        self.seconds, self.asked = {}, {}
        for name, command in tests.items():
            noted = WORK / f"{crate.name}.asked"
            noted.unlink(missing_ok=True)
            began = time.monotonic()
            if outcome(crate, command, {"CICA_MUTANTS_ASKED": str(noted)}, 600) != MISSED:
                sys.exit(f"{name} fails without a mutant")
            self.seconds[name] = time.monotonic() - began
            self.asked[name] = set(map(int, noted.read_text().split())) if noted.exists() else set()
        self.noticed = {}

    def judge(self, number):
        tally = self.noticed.setdefault(self.crate.mutants[number]["file"], {})
        asking = [name for name in self.tests if number in self.asked[name]]
        asking.sort(key=lambda name: (self.seconds[name] + 0.05) / (1 + 2 * tally.get(name, 0)))
        for cases in ("40", "256"):
            for name in asking:
                words = {"CICA_MUTANT": str(number), "PROPTEST_CASES": cases}
                most = HANGS_AFTER[0] * self.seconds[name] + HANGS_AFTER[1]
                came_to = outcome(self.crate, self.tests[name], words, most)
                if came_to != MISSED:
                    tally[name] = tally.get(name, 0) + 1
                    return came_to, name
            if self.crate.name != "format":
                break  # No properties are tested there with drawn values.
        return MISSED, ""


def try_all(crate, numbers, jobs, tests):
    """Tries mutants, noting what becomes of each."""
    tests = tests or (OF_THE_POOL if crate.name == "pool" else [])
    woven = set(weave(crate))
    among = [n for n in numbers if n in woven]
    missed = tried(crate, Judge(crate, programs(crate, tests)), among, jobs)
    if missed and crate.name == "engine" and not tests:
        missed = tried(crate, Judge(crate, explorers(crate)), missed, jobs)
    if missed and crate.name == "format":
        missed = tried(crate, Judge(crate, programs(crate, OF_THE_FORMAT, "cica-engine")), missed, jobs)
    for number in missed:
        print(f"missed: {crate.names[number]}", flush=True)
    alone(crate, [n for n in numbers if n not in woven], tests)


def tried(crate, judge, numbers, jobs):
    """Those that are missed."""
    def one(number):
        came_to, by = judge.judge(number)
        crate.note(crate.keys[number], came_to, by)
        return came_to == MISSED

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [number for number, is_missed in zip(numbers, pool.map(one, numbers)) if is_missed]


def alone(crate, numbers, tests):
    """Those that cannot stand beside others, by cargo-mutants."""
    if not numbers:
        return
    print(f"{crate.name}: {len(numbers)} mutants are compiled one by one", flush=True)
    copy_sources(crate)
    out = WORK / f"{crate.name}.alone"
    shutil.rmtree(out, ignore_errors=True)
    names = "|".join(re.escape(crate.names[n]).replace("/", "\\/") for n in numbers)
    tests = tests or (OF_THE_LOG if crate.name == "engine" else [])
    tests = [f"--cargo-test-arg=--test={name}" for name in tests] or ["--cargo-test-arg=--tests"]
    command = ["cargo", "mutants", "--in-place", "--timeout", str(ALONE), "--output", out, "--package", crate.package,
               *CRATES[crate.name], "--re", f"^({names})$", "--no-shuffle", "--baseline", "skip",
               "--cargo-test-arg=--lib", *tests]
    subprocess.run(command, cwd=crate.copy, env=build_environment(crate), stdout=subprocess.DEVNULL)
    for came_to in (CAUGHT, MISSED, HANGS, UNVIABLE):
        for name in (out / f"mutants.out/{came_to}.txt").read_text().split("\n"):
            if name:
                crate.note(crate.keys[crate.names.index(name)], came_to, "cargo-mutants")
                if came_to == MISSED:
                    print(f"missed: {name}", flush=True)


def reason(crate, number):
    """Why a mutant may stay."""
    name = crate.names[number]
    file, what = name.split(":")[0], name.split(": ", 1)[1]
    for where, text, mutation, why in JUSTIFIED:
        if file == where and text in crate.lines[number] and re.fullmatch(mutation, what):
            return why
    return None


def told(name):
    """What the page tells of a crate: its row, and the rows of what is left."""
    lines = PAGE.read_text().split("\n") if PAGE.exists() else []
    row = [line for line in lines if line.startswith(f"| {NAMES[name]} |")]
    return row, [line for line in lines if line.startswith(tuple(f"| `{place}" for place in PLACES[name]))]


def page(crates):
    """The page, and whether nothing on it is without a reason."""
    rows, left, earlier, good = [], [], [], True
    for crate in crates:
        row, its_left = told(crate.name)
        if row and not crate.found:
            rows += row
            left += its_left
            earlier.append(f"{NAMES[crate.name]} {len(crate.names):,}")
            continue
        found = [crate.found.get(key) for key in crate.keys]
        tried = [f for f in found if f]
        count = {o: sum(f["outcome"] == o for f in tried) for o in (CAUGHT, HANGS, UNVIABLE, MISSED)}
        # What others notice after the crate's own tests was not mended.
        firsts = [f for f in tried if f["first"] == MISSED and f["by"] not in OTHERS[crate.name]]
        first, mended = len(firsts), sum(f["outcome"] != MISSED for f in firsts)
        rows.append(f"| {NAMES[crate.name]} | {len(found)} | {count[CAUGHT]} | {count[HANGS]} | {count[UNVIABLE]} "
                    f"| {first} | {mended} | {count[MISSED]} | {len(found) - len(tried)} "
                    f"| {', '.join(f'`{s}`' for s in sorted({f['sources'] for f in tried}))} |")
        for number, entry in enumerate(found):
            if entry and entry["outcome"] == MISSED:
                why = reason(crate, number)
                good = good and why is not None
                place, what = crate.names[number].split(": ", 1)
                code = what.replace("|", "\\|")
                file, line, _ = place.split(":")
                left.append(f"| `{file}:{line}` | {code} | {why or '**a test is missing**'} |")
    head = __doc__.split("\n\n", 2)[2].strip().replace("checks/all-mutants", "`checks/all-mutants`")
    cells = [row.strip("| ").split(" | ") for row in rows]
    total, untried = (sum(int(row[at]) for row in cells) for at in (1, 8))
    wanting = sum(row.endswith("**a test is missing** |") for row in left)
    what = "the format, the log, recovery, the disk, short and narrow pages"
    text = "\n".join([
        "# What cargo-mutants changes, and which test notices", "",
        "[cargo-mutants](https://mutants.rs) lists changes of a source: a comparison the other way round, an operator "
        "replaced, a function that", "returns a constant, an arm of a match taken away. Each must make a test fail. "
        "Written by `make cargo-mutants`.", "",
        f"Of {total:,} mutants of {what} {len(left)} are missed: "
        f"{len(left) - wanting} may stay, for {wanting} a test is missing. {untried} have not been tried.",
        "", "| crate | mutants | caught | hang | do not compile | missed at first | mended by tests | left | not tried "
        "| sources |", "|---|---|---|---|---|---|---|---|---|---|", *rows, "",
        "\"Mended by tests\" are those that a test written for them notices since. A test that hangs or takes all "
        "memory has noticed as well.",
        *(["", f"These rows are of earlier sources; of today's as many mutants are listed: {', '.join(earlier)}. "
           "What is more than the row has, has not been tried."] if earlier else []),
        "", "## How", "", head, "", "## What is left", "",
        "| place | change | why it may stay |", "|---|---|---|", *left, ""])
    PAGE.write_text(text)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crate", choices=CRATES, action="append", help="only this one")
    parser.add_argument("--only", default="", help="mutants with this word in their name")
    parser.add_argument("--again", action="store_true", help="those that were missed")
    parser.add_argument("--test", action="append", default=[], help="this test of the crate, not all")
    parser.add_argument("--page", action="store_true", help="only write the page from what earlier runs found")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried side by side")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    crates = [Crate(name) for name in CRATES]
    for crate in crates:
        if options.page or crate.name not in (options.crate or CRATES):
            continue
        known = {key: f["outcome"] for key, f in crate.found.items()}
        wanted = (None, MISSED) if options.again else (None,)
        numbers = [n for n in range(len(crate.names))
                   if options.only in crate.names[n] and known.get(crate.keys[n]) in wanted]
        if numbers:
            try_all(crate, numbers, options.jobs, options.test)
    good = page(crates)
    print(f"{PAGE} is written")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
