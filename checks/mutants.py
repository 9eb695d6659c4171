#!/usr/bin/env python3
"""Takes away each sync, each comparison of a checksum or version, each ordering, one at a time: some test must fail.

    checks/mutants.py                 all of them; the table goes to docs/src/mutants.md
    checks/mutants.py --list          what would be taken away
    checks/mutants.py --only WORD     those whose place or text has WORD in it
    checks/mutants.py --fresh         forget what earlier runs of the same sources found

All mutants are built into one copy of the sources, in TARGET/mutants, where an environment variable chooses among
them; so each costs no more than the tests. What was found is kept there, and a run that was stopped goes on. A mutant
that survives is a sync or comparison without a test, or one that may go; JUSTIFIED says why, and nothing else may
stand there.
"""

import argparse
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
COPY = TARGET / "mutants"
BUILT = TARGET / "mutants-built"
TABLE = pathlib.Path("docs/src/mutants.md")
SOURCES = ["format", "engine", "catalog", "portable", "idcams"]
LIMIT = 900  # seconds for one test of one mutant

OPERAND = r"[\w.:&*]+(?:\((?:[^()]|\([^()]*\))*\))?(?: as \w+)?"
GUARDED = r"(?:checksum|version|crc32c|lsn|epoch)"
UNEQUAL = re.compile(rf"(!= {OPERAND})")
EQUAL = re.compile(rf"(== {OPERAND})")
SYNC = re.compile(r"([\w.()]*)\.sync\(\)")

# What orders writes and keeps what is committed from being written over: the sources' words and what stands for them,
# @ being "this mutant is chosen". No pattern would find these.
ORDERINGS = [
    ("crates/engine/src/store/flush.rs", "self.region_left(old, committed == old);",
     "self.region_left(old, committed == old && !@);",
     "a region that was left is used again before the next commit (R2)"),
    ("crates/engine/src/store/flush.rs", "self.region_left(annex, committed == annex);",
     "self.region_left(annex, committed == annex && !@);",
     "an annex that was left is used again before the next commit (R2)"),
    ("crates/engine/src/store/ca.rs", "for slot in [p.slot, p.committed] {",
     "for slot in [p.slot, if @ { p.slot } else { p.committed }] {",
     "a committed slot is used again before the next commit (R1)"),
    ("crates/engine/src/store/space.rs", "newest.version.wrapping_add(1).max(1)",
     "newest.version.wrapping_add(1 + u32::from(@)).max(1)",
     "a CA header goes over its committed copy (R1)"),
    ("crates/engine/src/store/commit.rs", "let version = space.tables[block].version.wrapping_add(1).max(1);",
     "let version = space.tables[block].version.wrapping_add(1 + u32::from(@)).max(1);",
     "a table block goes over its committed copy (R1)"),
    ("crates/engine/src/dataset/commit.rs", "            root.version += 1;\n            let checksum = index.write_root(root)?;",
     "            root.version += 1 + u32::from(@);\n            let checksum = index.write_root(root)?;",
     "the index root goes over its committed copy (R1)"),
    ("crates/engine/src/dataset.rs", "        if write {\n            // Not before all that an open reads",
     "        if write && !@ {\n            // Not before all that an open reads",
     "a torn root stays until the next commit (R8)"),
    ("crates/engine/src/sphere/commit.rs", "if self.all(base).filter(|member| member.has_changed()).count() > 1 {",
     "if !@ && self.all(base).filter(|member| member.has_changed()).count() > 1 {",
     "the log is not forced before a sphere's trees are committed (S4)"),
    ("crates/engine/src/dataset/commit.rs", "if self.common().has_units() {", "if !@ && self.common().has_units() {",
     "a tree is committed before the log has what takes an open unit back (U1)"),
    ("crates/engine/src/unit/backout.rs", "if let Err(failed) = self.flush() {",
     "if let Err(failed) = if @ { Ok(()) } else { self.flush() } {",
     "a unit that was backed out is over before the log says so (U1)"),
    ("crates/engine/src/log/mod.rs", "if std::mem::take(&mut member.in_group) && !member.named {",
     "if std::mem::take(&mut member.in_group) && !member.named && !@ {",
     "requests are logged before their data set's root names the log (R6)"),
    ("crates/engine/src/recovery.rs", "for inner in recovery.members.values() {\n            done =",
     "for inner in recovery.members.values().filter(|_| !@) {\n            done =",
     "recovery gives the log back before the trees are committed"),
    ("crates/engine/src/recovery.rs", "match reader.filter(|_| !recovery.needed) {",
     "match reader.filter(|_| @ || !recovery.needed) {",
     "recovery gives a log back that an absent data set needs"),
]

# Survivors that may be: place without line number, text -> why no test can notice. docs/design/ tells it at length.
JUSTIFIED = {}


class Mutant:
    """One thing taken away. `number` chooses it in the built copy."""

    def __init__(self, path, line, text, takes_away):
        self.path, self.line, self.text, self.takes_away = path, line, " ".join(text.split()), takes_away
        self.number = 0

    def place(self):
        return f"{self.path}:{self.line}"

    def key(self):
        return f"{self.path}|{self.takes_away}|{self.text}"


def mutate_line(path, number, text):
    """The line with a switch at each place; the mutants."""
    code, comment = (text.split("//", 1) + [""])[:2]
    found = []

    def switch(takes_away):
        found.append(Mutant(path, number, text, takes_away))
        return f"@{len(found) - 1}@"

    def sync(match):
        receiver = match.group(1)
        if not receiver or receiver.endswith(")"):
            return f"{receiver}.sync_unless({switch('sync')})"
        return f"(if {switch('sync')} {{ Ok(()) }} else {{ {receiver}.sync() }})"

    if ".sync()" in code:
        code = SYNC.sub(sync, code)
    elif re.search(GUARDED, code) and not code.lstrip().startswith(("assert", "debug_assert")):
        for pattern, never in ((UNEQUAL, " && !{}"), (EQUAL, " || {}")):
            def compared(match, never=never):
                around = code[max(0, match.start() - 60) : match.end()]
                if not re.search(rf"{GUARDED}[\w()&\[\]., :]*[!=]= |[!=]= [\w.]*{GUARDED}", around):
                    return match.group(0)
                return match.group(0) + never.format(switch("comparison"))

            code = pattern.sub(compared, code)
    return (code + ("//" + comment if comment else "")) if found else text, found


def mutate_file(path, source):
    """The source with all switches in it, numbered from 0 in `@n@`; the mutants."""
    mutants = []
    for where, before, after, what in ORDERINGS:
        if where == path:
            if source.count(before) != 1:
                sys.exit(f"{path}: '{before}' stands there {source.count(before)} times; ORDERINGS is out of date")
            line = source[: source.index(before)].count("\n") + 1
            mutants.append(Mutant(path, line, before, f"order: {what}"))
            source = source.replace(before, after.replace("@", f"@o{len(mutants) - 1}@"))
    lines = source.split("\n")
    for at, text in enumerate(lines):
        if text.strip().startswith("#[cfg(test)]"):
            break
        changed, found = mutate_line(path, at + 1, text)
        for n in range(len(found)):
            changed = changed.replace(f"@{n}@", f"@o{len(mutants) + n}@")
        lines[at] = changed
        mutants += found
    return "\n".join(lines), mutants


def all_mutants():
    """Sources with switches by path, and all mutants, numbered from 1."""
    sources, mutants = {}, []
    for crate in SOURCES:
        for path in sorted(pathlib.Path("crates", crate, "src").rglob("*.rs")):
            source, found = mutate_file(str(path), path.read_text())
            for n, mutant in enumerate(found):
                mutant.number = len(mutants) + n + 1
                called = f"{'crate' if crate == 'format' else '::cica_format'}::mutated({mutant.number})"
                source = source.replace(f".sync_unless(@o{n}@)", f".sync_unless({mutant.number})")
                source = source.replace(f"@o{n}@", called)
            if found:
                sources[str(path)] = source
            mutants += found
    return sources, mutants


CHOOSER = """
/// Whether the mutant of this number is the one that the environment chooses.
pub fn mutated(number: u32) -> bool {
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let chosen = || std::env::var("CICA_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *CHOSEN.get_or_init(chosen) == number
}
"""
UNLESS = """    /// Syncs, unless that mutant is chosen.
    fn sync_unless(&self, number: u32) -> io::Result<()> {
        if mutated(number) { Ok(()) } else { self.sync() }
    }
"""


def prepare(sources):
    """A copy of the committed sources with all mutants in it, built; the programs that test it."""
    if not COPY.exists():
        subprocess.run(["git", "clone", "-q", ".", str(COPY)], check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    subprocess.run(["git", "fetch", "-q", os.getcwd(), head], cwd=COPY, check=True)
    subprocess.run(["git", "checkout", "-q", "--force", head], cwd=COPY, check=True)
    for path, source in sources.items():
        (COPY / path).write_text(source)
    disk = COPY / "crates/disk/src/lib.rs"
    text = disk.read_text().replace("    fn sync(&self) -> io::Result<()>;\n", "    fn sync(&self) -> io::Result<()>;\n" + UNLESS)
    disk.write_text(text + CHOOSER)
    format = COPY / "crates/format/src/lib.rs"
    format.write_text(format.read_text() + CHOOSER)
    settings = {
        "CARGO_TARGET_DIR": str(BUILT),
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "2",
        "CARGO_PROFILE_RELEASE_DEBUG": "false",
    }
    environment = os.environ | settings | {"RUSTFLAGS": "-A warnings"}
    run = subprocess.run(["cargo", "build", "--release", "-q", "-p", "cica-sim"], cwd=COPY, env=environment)
    if run.returncode != 0:
        sys.exit("the mutated sources do not compile")
    return functools.cache(lambda crate: test_programs(crate, environment))


def test_programs(crate, environment):
    build = ["cargo", "test", "--no-run", "--message-format=json", "-q", "-p", f"cica-{crate}"]
    done = subprocess.run(build, cwd=COPY, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"the tests of {crate} do not compile with the mutants in it")
    built = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    found = [(b["target"]["name"], b["executable"]) for b in built if b.get("executable") and b["profile"]["test"]]
    return [(f"tests of {crate}: {name}", [program, "-q"], COPY / "crates" / crate) for name, program in found]


def sim(*words):
    return [(f"cica-sim {' '.join(words)}", [str(BUILT / "release/cica-sim"), *words, "--jobs", "1"], COPY)]


def tests_of(mutant, programs):
    """The tests that should notice, quickest first; those of crates are built when none of the simulator's did."""
    crate = mutant.path.split("/")[1]
    short = (
        sim("crash", "--images", "8000")
        + sim("crash", "--volume", "--images", "6000")
        + sim("damage", "--runs", "4", "--places", "1000")
        + sim("damage", "--volume", "--runs", "2", "--places", "1000")
        + sim("fault", "--runs", "3", "--each", "60")
        + sim("crash", "--sphere", "--images", "6000")
    )
    long = (
        sim("crash", "--seed", "1000", "--images", "150000")
        + sim("crash", "--volume", "--seed", "1000", "--images", "100000")
        + sim("fault", "--seed", "1000", "--runs", "12", "--each", "200")
        + sim("fault", "--volume", "--seed", "1000", "--runs", "3", "--each", "150")
        + sim("damage", "--seed", "1000", "--runs", "30")
        + sim("crash", "--sphere", "--seed", "1000", "--images", "40000")
    )
    if crate not in ("engine", "idcams"):
        yield from programs(crate)
    yield from short
    for crate in dict.fromkeys([crate, "engine", "idcams"] if crate in ("format", "engine") else [crate, "idcams"]):
        yield from programs(crate)
    yield from long


def notices(test, number):
    _, command, directory = test
    environment = os.environ | {"CICA_MUTANT": str(number), "RUST_BACKTRACE": "0"}
    try:
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return True  # It hangs.
    return done.returncode != 0


def fate(mutant, programs):
    """What became of a mutant, in the words of the table."""
    for test in tests_of(mutant, programs):
        if notices(test, mutant.number):
            return f"noticed by `{test[0]}`"
    why = JUSTIFIED.get((mutant.path, mutant.text))
    return f"may go: {why}" if why else "**survived**"


def known_fates(fresh):
    """What earlier runs found. Whoever noticed a mutant once is taken to notice it again; survivors are tried anew."""
    path = TARGET / "mutants-found.json"
    found = json.loads(path.read_text()) if path.exists() and not fresh else {}
    return path, {key: fate for key, fate in found.items() if fate.startswith("noticed")}


def table(mutants, fates):
    noticed = sum(fates[m.key()].startswith("noticed") for m in mutants)
    lines = [
        "# Mutants: what happens when a sync, a comparison or an ordering is taken away",
        "",
        f"Written by `make mutants`. Of {len(mutants)} mutants {noticed} are noticed by a test.",
        "",
        "| file | without | what is taken away | |",
        "|---|---|---|---|",
    ]
    for mutant in mutants:
        text = mutant.text.replace("|", "\\|")
        lines.append(f"| `{mutant.path}` | `{text}` | {mutant.takes_away} | {fates[mutant.key()]} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only say what would be taken away")
    parser.add_argument("--only", default="", help="mutants with this word in place or text")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    options = parser.parse_args()
    sources, mutants = all_mutants()
    chosen = [m for m in mutants if options.only in m.place() or options.only in m.text]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.number}: {mutant.place()}: {mutant.takes_away}: {mutant.text}")
        return
    path, fates = known_fates(options.fresh)
    programs = prepare(sources)
    # Those first that the simulator alone can judge.
    for mutant in sorted(chosen, key=lambda mutant: not mutant.path.startswith("crates/engine")):
        if mutant.key() not in fates:
            fates[mutant.key()] = fate(mutant, programs)
            path.write_text(json.dumps(fates, indent=1))
        print(f"{mutant.place()}: {mutant.takes_away}: {fates[mutant.key()]}", flush=True)
    if not options.only:
        TABLE.write_text(table(mutants, fates))
    sys.exit(1 if any(fates[m.key()] == "**survived**" for m in chosen) else 0)


if __name__ == "__main__":
    main()
