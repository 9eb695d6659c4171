#!/usr/bin/env python3
"""House rules that a machine can check. Prints one line for each rule, and each violation with file and line.

Run from the top of the checkout: checks/tidy.py. Exit status 1 when a rule is broken.
"""

import os
import pathlib
import re
import subprocess
import sys

import rooms

LONGEST_FILE = 1000
WIDEST_LINE = 120
# A text that a person reads is not cut in two for the sake of the source.
WIDEST_TEXT = 140

SOURCES = {".rs", ".py", ".sh", ".toml", ".ams", ".yml"}
# Written by programs, or kept as others wrote them.
NOT_OURS = ("LICENSE-", "Cargo.lock", "bench/results/", "bench/Cargo.lock")
GENERATED = tuple(f"docs/src/reference/{name}.md" for name in ("counters", "idcams", "messages", "cli"))

# Imports run downward only: a crate may depend on crates of a lower floor. Crates of one floor do not know each other.
FLOORS = [
    {"cica-format", "cica-disk", "cica-qsam", "cica-messages", "cica-copybook"},
    {"cica-compress", "cica-counters", "cica-indexed"},
    {"cica-catalog", "cica-engine", "cica-portable"},
    {"cica-share", "cica-smf"},
    {"cica-session"},
    {"cica-admin", "cica-server"},
    {"cica-idcams", "cica"},
    {"cica-study"},
    {"cica-cli", "cica-c", "cica-cobol", "cica-isam", "cica-inputs", "cica-sim"},
]

# What lies at the top of the tree.
TOP = set(
    ".ci .github .gitignore CHANGELOG.md COMPAT.md CONTRIBUTING.md Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT Makefile"
    " README.md SECURITY.md bench checks clippy.toml crates demo deny.toml docs examples fixtures fuzz packages"
    " rust-toolchain.toml rustfmt.toml".split()
)

# A type that more crates than so many have each one of their own of says too little in its name.
MOST_TYPES_OF_A_NAME = 4
TYPE = re.compile(r"^ *(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|trait) ([A-Z]\w*)|^(?:pub(?:\([^)]*\))? )?type ([A-Z]\w*)", re.M)
# The arguments of each command, in the file of the command.
ONE_FOR_EACH_FILE = {"Options"}

# Put together here from halves, so that this file does not break its own rules.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b|\b(to" r"do|unimple" r"mented)!\(")
MACHINE = re.compile("/wo" "rk/|/ro" r"ot/|/ho" r"me/(?!me\b)\w|/tmp/tar" "get")
LOOPBACK = re.compile("127\\.0\\.0\\.1|\\blocal" "host\\b")
# Where it matters what a client calls the machine.
MAY_NAME_LOOPBACK = (
    "crates/cli/src/command/monitor/serve.rs",
    "crates/cli/src/command/monitor/request.rs",
    "crates/cli/tests/monitor.rs",
    "checks/browser.py",
)

# A call whose result nobody looks at.
THROWN = re.compile(r"\blet _ = (?!\(|\w+;|write(?:ln)?!\((?:\w+,|$))|^\s*[\w.()&?]+\.ok\(\);")
# A static that a thread may wait for.
WAITED_FOR = re.compile(r"\bstatic\s+\w+\s*:.*\b(OnceLock|LazyLock|Mutex|RwLock|Condvar|Once)\b")

# Numbered invariants: `* S2. ...` at the head of a file, or of a design page; and what refers to one, `S2` or
# `store:S2`. R15 is a register.
INVARIANT = re.compile(r"^(?://! )?(?:[*-] )?([A-Z]\d{1,2})\. ")
REFERENCE = re.compile(r"(?<![\w'\"`.&$#/:=-])(?:([\w/]+):)?(?!R15\b)([A-Z][1-9]\d?)(?![\w'\"`.(=-]|\.\d)")
# Whose invariants are cited everywhere by their numbers alone.
CITED_EVERYWHERE = ("crates/disk/src/lib.rs", "docs/design/0001-one-root-commits-everything.md")

# Names and keywords know upper and lower case of A to Z alone: other letters fold to these (U+017F to S, U+0131 to I),
# and a command would be done to another name than was written. White space is that of ASCII where a name is read.
FOLDING = re.compile(r"\bto_(upper|lower)case\b|\bis_(alphabetic|alphanumeric|numeric|lowercase|uppercase)\b")
TRIMMING = re.compile(r"\.trim\(\)|split_whitespace|char::is_whitespace")
NAMES = ("crates/catalog/src/", "crates/cobol/src/name.rs")

# Files and time come through the disk and the clock of crates/disk, so that a simulated run meets them and can be had
# again. Beside its own two worlds these may go around it.
AROUND_THE_SEAM = re.compile(r"\bstd::fs\b|\bFile::open\b|\bSystemTime\b|\bInstant::now\b")
MAY_GO_AROUND = (
    "crates/disk/src/linux",  # the system
    "crates/disk/src/clock.rs",  # the system's clocks
    "crates/cli/src/progress.rs",  # what a person is shown while he waits
    "crates/cli/src/sort.rs",  # a scratch file of this process, gone with it
    "crates/cli/src/command/man.rs",  # makes the directory for the pages
    "crates/cli/src/command/study.rs",  # makes the directory for its data sets, and takes it away
    "crates/cli/src/command/run.rs",  # looks for the program and its libraries as a shell does
    "crates/engine/src/open/shared.rs",  # how much memory the machine has, which the system tells in files
    "crates/session/src/start.rs",  # the host's name, and the mode of the catalog before there is a disk
    "crates/server/src/",  # its socket, the lock beside it, and how long it has been alone
    "crates/sim/src/main.rs",  # scripts to be replayed, and how long a run takes
    "crates/sim/src/campaign.rs",  # a run that hangs
    "crates/inputs/src/",  # a tester of whole processes
)

broken = []


def tracked():
    """The files of the next commit that are there."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    paths = [pathlib.Path(name) for name in listed if not name.startswith(NOT_OURS)]
    return [path for path in paths if path.is_file()]


def text_of(path):
    """The file's text; None if it is no text."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def complain(rule, place, what):
    broken.append((rule, f"{place}: {what}"))


def is_source(path):
    return path.suffix in SOURCES or path.name == "Makefile" or path.parent.name in (".ci", "checks")


def check_lengths(path, lines):
    if is_source(path) and len(lines) > LONGEST_FILE:
        complain("lengths", path, f"{len(lines)} lines; at most {LONGEST_FILE}: would two rooms be better?")
    if is_source(path):
        for number, line in enumerate(lines, 1):
            widest = WIDEST_TEXT if any(quote in line for quote in "\"'`") else WIDEST_LINE
            if len(line) > widest:
                complain("lengths", f"{path}:{number}", f"{len(line)} columns; at most {widest}")


def check_folding(path, lines):
    if path.suffix != ".rs" or "src" not in path.parts:
        return
    for number, line in enumerate(lines, 1):
        if FOLDING.search(line):
            complain("folding", f"{path}:{number}", f"letters beyond ASCII are folded or taken: {line.strip()[:60]}")
        if str(path).startswith(NAMES) and TRIMMING.search(line):
            complain("folding", f"{path}:{number}", f"white space beyond ASCII is left out: {line.strip()[:60]}")


def check_words(path, lines):
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            complain("finished", f"{path}:{number}", f"unfinished: {line.strip()[:60]}")
        if MACHINE.search(line) or LOOPBACK.search(line) and str(path) not in MAY_NAME_LOOPBACK:
            complain("portable", f"{path}:{number}", f"a path or name of one machine: {line.strip()[:60]}")


def check_characters(path, lines):
    for number, line in enumerate(lines, 1):
        if not line.isascii() and is_source(path):
            complain("ascii", f"{path}:{number}", "a character outside ASCII; write it as an escape")
        if "\t" in line and path.suffix in {".rs", ".py", ".toml", ".ams"}:
            complain("ascii", f"{path}:{number}", "a tab")
        if line != line.rstrip():
            complain("ascii", f"{path}:{number}", "blanks at the end of the line")


def check_head(path, lines):
    """Each source file of a crate says first what it is for."""
    if path.suffix == ".rs" and "src" in path.parts and not (lines and lines[0].startswith("//!")):
        complain("heads", path, "does not begin with //! and its role")


def check_runs(path, text):
    if text.startswith("#!/") and not os.access(path, os.X_OK):
        complain("runs", path, "says what runs it, and cannot be run: chmod +x")


def check_links(path, text):
    """Relative links lead to files that are there."""
    if path.suffix != ".md":
        return
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:|#", target):
            continue
        file = (path.parent / target.split("#")[0]).resolve()
        if not file.exists():
            complain("links", path, f"leads to {target}, which is not there")


def check_book():
    """Each page below docs is in the book."""
    summary = pathlib.Path("docs/SUMMARY.md")
    if not summary.exists():
        return
    text = summary.read_text()
    for page in sorted(pathlib.Path("docs").rglob("*.md")):
        if page != summary and f"({page.relative_to('docs')})" not in text:
            complain("book", page, "is not in docs/SUMMARY.md")


def check_thrown(path, lines):
    """A result that is thrown away has its reason beside it, or in the four lines before. Writing to a text cannot fail."""
    # What the tester of inputs calls it calls to see whether it is answered at all.
    if path.parts[:2] == ("crates", "inputs") or "src" not in path.parts or path.name == "tests.rs":
        return
    for number, line in enumerate(lines, 1):
        if line.strip().startswith("#[cfg(test)]") and lines[number].rstrip().endswith("{"):
            return
        code, comment = (line.split("//", 1) + [""])[:2]
        if not THROWN.search(code) or comment:
            continue
        if not any(before.strip().startswith("//") for before in lines[max(0, number - 5) : number - 1]):
            complain("thrown", f"{path}:{number}", "a result is thrown away, and no comment says why it may be")


def check_waited_for(path, lines):
    """What a whole process shares and may wait for stays half done in a child of `fork`, and the child waits for ever. What
    COBOL programs and the table of handles share is theirs: the first have one thread, the second asks who it is first."""
    if path.parts[0] != "crates" or "src" not in path.parts or path.parts[1] in {"cobol", "c", "sim", "inputs"}:
        return
    for number, line in enumerate(lines, 1):
        if line.strip().startswith("#[cfg(test)]"):
            return
        if WAITED_FOR.search(line):
            complain("waiting", f"{path}:{number}", f"a child of fork may wait for it for ever: {line.strip()[:60]}")


def check_seam(path, lines):
    """Whoever goes around the seam is not met by the simulator."""
    name = str(path)
    if path.parts[0] != "crates" or "src" not in path.parts or path.name == "tests.rs" or name.startswith(MAY_GO_AROUND):
        return
    for number, line in enumerate(lines, 1):
        if line.strip().startswith("#[cfg(test)]"):
            return
        if AROUND_THE_SEAM.search(line.split("//", 1)[0]):
            complain("seam", f"{path}:{number}", f"around the disk or the clock: {line.strip()[:60]}")


def check_crates():
    floor_of = {name: floor for floor, names in enumerate(FLOORS) for name in names}
    for manifest in sorted(pathlib.Path("crates").glob("*/Cargo.toml")):
        text = manifest.read_text()
        name = re.search(r'^name = "(.*)"', text, re.M).group(1)
        if name not in floor_of:
            complain("floors", manifest, f"{name} has no floor; give it one in checks/tidy.py")
            continue
        # Tests may look anywhere; what is built may not.
        section = re.search(r"^\[dependencies\]\n(.*?)(?=^\[|\Z)", text, re.M | re.S)
        for used in re.findall(r"^(cica-\w+)", section.group(1) if section else "", re.M):
            if floor_of.get(used, 99) >= floor_of[name]:
                complain("floors", manifest, f"{name} uses {used}, which is not below it")


def check_features():
    """One set of features for all crates: with others in each, cargo builds the engine anew for each choice of crates."""
    for manifest in sorted(pathlib.Path("crates").glob("*/Cargo.toml")):
        for number, line in enumerate(manifest.read_text().split("\n"), 1):
            if "workspace = true" in line and "features" in line:
                complain("features", f"{manifest}:{number}", f"they stand in Cargo.toml at the top: {line.strip()[:60]}")


def check_top(paths):
    """Nothing lies at the top of the tree but what belongs there: a test that runs there leaves files behind."""
    for name in sorted({path.parts[0] for path in paths} - TOP):
        complain("top", name, "lies at the top of the tree, and tidy.py does not name it")


def check_tour():
    """The README's tour has each crate."""
    readme = pathlib.Path("README.md").read_text() if pathlib.Path("README.md").exists() else ""
    for crate in sorted(pathlib.Path("crates").iterdir()) if "## A tour of the sources" in readme else ():
        if f"`{crate}`" not in readme:
            complain("tour", "README.md", f"the tour of the sources leaves out {crate}")


def check_rooms():
    """Imports run downward inside a crate too: no module takes anything from one that takes, by whatever way, from it."""
    for crate in sorted(pathlib.Path("crates").iterdir()):
        for floor, ring, edges in rooms.Crate(crate / "src").circles():
            place = "/".join((str(crate), "src") + floor)
            complain("rooms", place, f"modules need one another: {rooms.in_words(ring, edges)}")


def check_invariants():
    """What a comment cites is there: in its own file, at the head of a folder around it, or in one file alone of its
    crate; else the comment names the file or the folder, as in `store:S2`."""

    def stated(path):
        found = (INVARIANT.match(line) for line in path.read_text().splitlines())
        return {match.group(1) for match in found if match}

    everywhere = set().union(*(stated(path) for path in map(pathlib.Path, CITED_EVERYWHERE) if path.is_file()))
    for crate in sorted(pathlib.Path("crates").iterdir()):
        source = crate / "src"
        stating = {path: stated(path) for path in source.rglob("*.rs")}
        for path in sorted(stating):
            around = [path, source / "lib.rs"]
            for folder in list(path.relative_to(source).parents)[:-1]:
                around += [source / folder / "mod.rs", source / f"{folder}.rs"]
            for number, line in enumerate(path.read_text().splitlines(), 1):
                comment = INVARIANT.sub("", line) if line.startswith("//!") else line.partition("//")[2]
                for room, name in REFERENCE.findall(comment):
                    there = [other for other, names in stating.items() if name in names]
                    if room:
                        there = [o for o in there if room in "/".join(o.relative_to(source).with_suffix("").parts).split("/")]
                    elif name in everywhere or any(name in stating.get(near, ()) for near in around):
                        continue
                    if len(there) != 1:
                        what = "is stated nowhere" if not there else "is stated by several: " + ", ".join(map(str, there))
                        complain("invariants", f"{path}:{number}", f"{name} {what}")


def check_types():
    """The name of a type means one thing: within a crate there is one of it, and no name is everybody's."""
    crates_of = {}
    for crate in sorted(pathlib.Path("crates").iterdir()):
        files_of = {}
        for path in sorted((crate / "src").rglob("*.rs")):
            if path.name == "tests.rs":
                continue
            code = rooms.without_tests(path.read_text())
            for name in {one or other for one, other in TYPE.findall(code)} - ONE_FOR_EACH_FILE:
                files_of.setdefault(name, []).append(str(path))
        for name, files in files_of.items():
            crates_of.setdefault(name, []).append(crate.name)
            if len(files) > 1:
                complain("types", files[0], f"{name} is another type in {', '.join(files[1:])}")
    for name, crates in crates_of.items():
        if len(crates) > MOST_TYPES_OF_A_NAME:
            complain("types", name, f"is a type of its own in {', '.join(crates)}: names that say more, please")


def check_unsafe():
    allowed = {"disk", "engine", "c", "cobol", "isam"}  # the system, frames, and calls from other languages
    for crate in sorted(pathlib.Path("crates").iterdir()):
        heads = [p for p in (crate / "src/lib.rs", crate / "src/main.rs") if p.is_file()]
        if crate.name not in allowed and heads and not any("forbid(unsafe_code)" in p.read_text() for p in heads):
            complain("unsafe", crate, "does not forbid unsafe code")


def main():
    rules = {
        "lengths": f"files of at most {LONGEST_FILE} lines, lines of at most {WIDEST_LINE} columns",
        "finished": "nothing marked as unfinished",
        "folding": "letters are folded in ASCII alone",
        "portable": "no paths or names of one machine",
        "ascii": "sources in ASCII, no tabs, no blanks at line ends",
        "heads": "each file says its role first",
        "runs": "each program may be run",
        "links": "links in the documentation lead somewhere",
        "book": "each page of documentation is in the book",
        "floors": "crates use only crates below them",
        "features": "all crates use the same features of a library",
        "invariants": "comments cite invariants that are there",
        "rooms": "modules of a crate use only modules below them",
        "top": "nothing but what belongs there lies at the top of the tree",
        "tour": "the tour of the sources has each crate",
        "types": "the name of a type means one thing",
        "thrown": "no result is thrown away without a reason",
        "waiting": "no child of fork waits for what its parent was about to do",
        "seam": "files and time come through the disk and the clock",
        "unsafe": "unsafe code only where the system, frames or other languages need it",
    }
    for path in tracked():
        text = text_of(path)
        if text is None or path.suffix in {".bin", ".listing"} or "golden" in path.parts:
            continue
        lines = text.split("\n")
        check_words(path, lines)
        check_folding(path, lines)
        check_links(path, text)
        check_runs(path, text)
        if str(path) in GENERATED:
            continue
        check_lengths(path, lines)
        check_head(path, lines)
        if path.suffix != ".md":
            check_characters(path, lines)
        if path.suffix == ".rs":
            check_thrown(path, lines)
            check_waited_for(path, lines)
            check_seam(path, lines)
    check_book()
    check_crates()
    check_features()
    check_rooms()
    check_top(tracked())
    check_tour()
    check_invariants()
    check_types()
    check_unsafe()

    failed = {rule for rule, _ in broken}
    for rule, meaning in rules.items():
        print(f"tidy {rule} ({meaning}) ... {'FAILED' if rule in failed else 'ok'}")
    for rule, place in broken:
        print(f"  {rule}: {place}")
    print(f"tidy result: {len(rules) - len(failed)} passed; {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
