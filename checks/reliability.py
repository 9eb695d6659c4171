#!/usr/bin/env python3
"""Crash images, injected errors, damage, model runs and kills, in numbers; and the card that tells of them.

    checks/reliability.py --short         what CI does, some minutes; its last line is the sum
    checks/reliability.py                 the published run, for as long as it takes; writes the card
    checks/reliability.py --minutes 40    the same, and what is not reached by then is said on the card

The long run works on several pieces side by side, one for each processor, and goes on where it was stopped: each
finished piece, with its seed, sources and counts, stands in TARGET/reliability/. `--fresh` begins again. A failure ends
the stage that it is in; it is printed, and stands on the card, with what replays it. What takes hours by itself,
mutants and bad inputs, is taken from the pages that their own commands write.
"""

import argparse
import datetime
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
PIECES = TARGET / "reliability"
CARD = pathlib.Path("docs/src/reliability-card.md")
# Pages of runs of their own, and how the line begins that sums each up.
PAGES = [
    ("Mutants", "mutants.md", "There are "),
    ("Changes by cargo-mutants", "cargo-mutants.md", "Of "),
    ("Bad inputs", "bad-inputs.md", "So far "),
]
REGRESSIONS = pathlib.Path("crates/sim/tests/regressions")
# Of which build the simulator is: the short form takes that of the tests, which is built already, and checks what must
# hold inside. It takes 1.6 times the time of a release, whose build takes longer than that.
PROFILE = "release"

# Seeds of one piece begin this far behind those of the one before: more than any piece uses.
STRIDE = 100_000

# A stage fails after so many pieces of one run of this program that counted nothing: it would go round for ever.
EMPTY = 5


class Stage:
    """One kind of test: how a piece of it is run, and how much of what it counts is enough."""

    def __init__(self, name, title, counted, short, full, piece, command):
        self.name = name
        self.title = title
        self.counted = counted  # the count that must reach `short` or `full`
        self.short = short
        self.full = full
        self.piece = piece  # most that one piece is asked for
        self.command = command  # (seed, amount) -> command line, environment, directory


def simulator():
    return str(TARGET / PROFILE / "cica-sim")


def sim(words, option, per=1, least=1):
    """A command of the simulator. `per`: what is counted comes in about so many per unit of the option.

    `least`: units that a piece has at least, where one alone may count nothing.
    """

    def command(seed, amount):
        return [simulator(), *words.split(), "--seed", str(seed), option, str(max(least, -(-amount // per)))], {}, None

    return command


def bits(words, runs):
    """Every bit of `runs` small stores."""

    def command(seed, _):
        first = 1 + seed // STRIDE * runs
        return [simulator(), "bits", *words.split(), "--seed", str(first), "--runs", str(runs)], {}, None

    return command


SCHEDULED = {"RUSTFLAGS": "--cfg cica_schedules", "CARGO_TARGET_DIR": str(TARGET / "schedules")}


@functools.cache
def scheduled_sim():
    """The simulator built over a scheduler that decides who runs."""
    build = ["cargo", "build", "--quiet", "--locked", "-p", "cica-sim"]
    if subprocess.run(build, env=os.environ | SCHEDULED).returncode != 0:
        sys.exit("reliability: the simulator with a scheduler does not compile")
    return str(TARGET / "schedules" / "debug" / "cica-sim")


def threads(words):
    """Orders of threads in the simulator."""

    def command(seed, amount):
        return [scheduled_sim(), "threads", *words.split(), "--seed", str(seed), "--runs", str(amount)], {}, None

    command.prepare = scheduled_sim
    return command


@functools.cache
def program(crate, test, release=False, schedules=False):
    """The built program of a test."""
    build = ["cargo", "test", "--no-run", "--message-format=json", "--quiet", "--locked", "-p", f"cica-{crate}"]
    build += ["--test", test] + (["--release"] if release else [])
    environment = os.environ | (SCHEDULED if schedules else {})
    done = subprocess.run(build, env=environment, stdout=subprocess.PIPE, text=True)
    built = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    found = [b["executable"] for b in built if b.get("executable") and b["profile"]["test"]]
    if done.returncode != 0 or not found:
        sys.exit(f"reliability: the test {test} of {crate} does not compile")
    return found[0]


def of_crate(crate, test, words, environment, **how):
    """A test of cargo's; `environment` gives it seed and amount."""

    def command(seed, amount):
        run = [program(crate, test, **how), "--quiet", *words]
        return run, environment(seed, amount), pathlib.Path("crates", crate)

    command.prepare = lambda: program(crate, test, **how)
    return command


def many(variable, per=1):
    """How a test is told how many: it does `per` for each."""
    return lambda seed, asked: {variable: str(-(-asked // per)), "CICA_SEED": str(seed)}


@functools.cache
def built(words, name, release):
    """A program of ours, built; or the directory of the programs, where several are."""
    how = ["--release"] if release else []
    if subprocess.run(["cargo", "build", "--quiet", "--locked", *how, *words.split()]).returncode != 0:
        sys.exit(f"reliability: {name} does not compile")
    return TARGET / ("release" if release else "debug") / name


def hostile(target):
    """Files or messages that lie, each a world of its own."""

    def command(seed, amount):
        program_ = str(built("-p cica-inputs", "cica-inputs", True))
        return [program_, target, "--seed", str(seed), "--inputs", str(amount)], {}, None

    command.prepare = lambda: built("-p cica-inputs", "cica-inputs", True)
    return command


def signals():
    """Programs that are ended by signals."""
    build = functools.partial(built, "-p cica-cli -p cica-cobol -p cica-c", "", False)

    def command(seed, amount):
        return [sys.executable, "checks/signals.py", "--seed", str(seed), "--signals", str(amount)], {}, None

    command.prepare = build
    return command


# Stages that are tests of cargo's: what was asked for is what was done, if they pass.
TESTS = {"kill", "point", "schedule", "history", "browse", "input"}

# Crash images are one line of work, all else is another; each in this order.
IMAGES = [
    Stage("crash", "Crash images of a data set", "images", 140_000, 3_000_000, 150_000, sim("crash", "--images")),
    Stage("crash-volume", "Crash images of a volume with catalog and commands", "images", 50_000, 1_300_000, 100_000,
          sim("crash --volume", "--images")),
    Stage("crash-sphere", "Crash images of a base with alternate indexes", "images", 20_000, 500_000, 60_000,
          sim("crash --sphere", "--images")),
    Stage("crash-compressed", "Crash images of compressed data sets", "images", 10_000, 300_000, 60_000,
          sim("crash --compressed", "--images")),
    Stage("crash-units", "Crash images with units of recovery over several data sets", "images", 20_000, 300_000, 60_000,
          sim("crash --units", "--images")),
]
OTHERS = [
    Stage("kill", "Kills of the real command", "kills", 0, 1_000, 100,
          of_crate("cli", "kill", ["acknowledged"], many("CICA_KILLS"))),
    Stage("bits", "Bits turned and sectors damaged, one data set of each kind", "damages", 0, 800_000, 1,
          bits("", 8)),
    Stage("bits-sphere", "The same of a base with alternate indexes", "damages", 0, 100_000, 1, bits("--sphere", 1)),
    Stage("bits-volume", "The same of a volume, catalog and log", "damages", 0, 100_000, 1, bits("--volume", 1)),
    Stage("fault", "Injected errors, a data set", "faults", 16_000, 300_000, 30_000,
          sim("fault --each 1000000", "--runs", 1000)),
    Stage("fault-compressed", "Injected errors, compressed data sets", "faults", 2_000, 60_000, 10_000,
          sim("fault --compressed --each 1000000", "--runs", 1000)),
    Stage("fault-volume", "Injected errors, a volume", "faults", 3_000, 60_000, 10_000,
          sim("fault --volume --each 1000000", "--runs", 5000)),
    Stage("fault-sphere", "Injected errors, a base with alternate indexes", "faults", 2_000, 60_000, 10_000,
          sim("fault --sphere --each 1000000", "--runs", 2000)),
    Stage("fault-units", "Injected errors, units of recovery", "faults", 2_000, 60_000, 10_000,
          sim("fault --units --each 1000000", "--runs", 2000)),
    Stage("share", "Clients and an owner of shared data sets, with deaths at every step", "looks", 20_000, 1_000_000,
          100_000, sim("share", "--runs", 1000)),
    Stage("files", "Data sets carried to files and back: power cuts, kills, errors", "images", 15_000, 500_000, 50_000,
          sim("files --each 60", "--runs", 1000)),
    Stage("schedule", "Orders of threads", "schedules", 500, 20_000, 2_000,
          of_crate("engine", "schedules", [], many("CICA_SCHEDULES", 5), schedules=True)),
    Stage("threads", "Orders of threads on a data set, by seed, then power cuts", "schedules", 0, 20_000, 2_000,
          threads("")),
    Stage("threads-sphere", "The same on a base with alternate indexes", "schedules", 0, 10_000, 2_000,
          threads("--sphere")),
    Stage("history", "Histories of threads explained", "histories", 0, 1_000, 200,
          of_crate("engine", "linearizable", [], many("CICA_HISTORIES", 5), release=True)),
    Stage("browse", "Sweeps through data sets that threads change", "sweeps", 0, 100_000, 20_000,
          of_crate("engine", "browse", [], many("CICA_SWEEPS", 6), release=True)),
    Stage("point", "Kills at chosen system calls", "points", 0, 500, 250,
          of_crate("cli", "hardship", ["chosen"], many("CICA_POINTS"))),
    Stage("snapshot", "Copies of one moment opened elsewhere, a data set, and as many of several", "snapshots", 500,
          10_000, 2_500, sim("snapshot --copies 100", "--runs", 100)),
    Stage("snapshot-sphere", "The same of a base with alternate indexes", "snapshots", 500, 10_000, 2_500,
          sim("snapshot --sphere --copies 100", "--runs", 100)),
    Stage("snapshot-volume", "The same of a volume with catalog and commands", "snapshots", 500, 10_000, 2_500,
          sim("snapshot --volume --copies 100", "--runs", 100)),
    Stage("snapshot-units", "The same with units of recovery, of one moment alone", "snapshots", 500, 10_000, 2_500,
          sim("snapshot --units --copies 100", "--runs", 100)),
    Stage("old-files", "Old files among newer ones, a data set, all pairs of moments", "mixtures", 1_000, 20_000, 5_000,
          sim("old-files", "--runs", 80, least=8)),
    Stage("old-files-sphere", "The same of a base with alternate indexes", "mixtures", 1_000, 20_000, 5_000,
          sim("old-files --sphere", "--runs", 130, least=8)),
    Stage("old-files-volume", "The same of a volume, catalog and log", "mixtures", 1_000, 20_000, 5_000,
          sim("old-files --volume", "--runs", 300, least=4)),
    Stage("hostile", "Files that lie: what is touched outside", "inputs", 0, 1_000_000, 50_000,
          hostile("hostile-files")),
    Stage("messages", "Messages that lie, to an owner of shared data sets and to its clients", "inputs", 0, 1_000_000,
          100_000, hostile("hostile-messages")),
    Stage("damage", "Damaged places", "places", 40_000, 1_000_000, 100_000, sim("damage", "--runs", 2000)),
    Stage("damage-compressed", "Damaged places of compressed data sets", "places", 0, 200_000, 50_000,
          sim("damage --compressed", "--runs", 2000)),
    Stage("model-compressed", "Requests of compressed data sets compared with the model", "requests", 20_000, 1_000_000,
          250_000, sim("model --compressed", "--runs", 1000)),
    Stage("model", "Requests compared with the model", "requests", 200_000, 5_000_000, 1_000_000,
          sim("model", "--runs", 1000)),
    Stage("input", "Bad inputs answered", "inputs", 0, 5_000_000, 1_000_000,
          of_crate("inputs", "inputs", ["any"], many("CICA_INPUTS", 13), release=True)),
    # They take longest.
    Stage("signal", "Signals to programs in COBOL and C and to the command", "signals", 0, 10_000, 250, signals()),
]
STAGES = IMAGES + OTHERS


def run_piece(stage, seed, amount, words=()):
    """Runs one piece: its counts and None, or None and what failed."""
    command, environment, directory = stage.command(seed, amount)
    if pathlib.Path(command[0]).name == "cica-sim":
        command += words
    started = time.monotonic()
    environ = os.environ | environment
    done = subprocess.run(
        command, cwd=directory, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        again = " ".join([f"{name}={value}" for name, value in environment.items()] + command)
        again = again.replace(str(TARGET), "TARGET")
        print(f"{done.stdout}{done.stderr}\n{stage.name}: FAILED; again with: {again}", flush=True)
        return None, again
    if stage.name in TESTS:
        return {"seed": seed, "seconds": time.monotonic() - started, stage.counted: amount}, None
    found = [line for line in done.stdout.strip().split("\n") if line.startswith("{")]
    return json.loads(found[-1]), None


class Work:
    """What is done of each stage, what is being done, and who takes what next."""

    def __init__(self, seed, minutes, sources):
        self.seed, self.sources = seed, sources
        self.end = time.monotonic() + 60 * minutes if minutes else None
        self.lock = threading.Lock()
        self.under_way = {stage.name: {} for stage in STAGES}  # index of a piece -> what it was asked for
        self.empty = dict.fromkeys(self.under_way, 0)  # stage -> pieces that counted nothing
        self.failed = {}  # stage -> what replays it

    def next_piece(self, lines):
        """Stage, index and amount of a piece to do, of the first line that has one; None: all is done, or time is up."""
        with self.lock:
            if self.end and time.monotonic() > self.end:
                return None
            for stage in (stage for line in lines for stage in line if stage.name not in self.failed):
                left = stage.full - done_of(stage) - sum(self.under_way[stage.name].values())
                if left > 0:
                    index = free_index(stage, self.under_way[stage.name])
                    amount = min(stage.piece, left)
                    # What such a piece comes to is known when one is done; until then one is under way at a time.
                    self.under_way[stage.name][index] = amount if stage.piece > 1 else stage.full
                    return stage, index, amount
        return None

    def act(self, lines):
        while piece := self.next_piece(lines):
            stage, index, amount = piece
            counts, again = run_piece(stage, self.seed + index * STRIDE, amount, ["--jobs", "1"])
            with self.lock:
                del self.under_way[stage.name][index]
                if counts is None:
                    self.failed[stage.name] = again
                    continue
                path = PIECES / f"{stage.name}-{index:05}.json"
                path.write_text(json.dumps(counts | {"sources": self.sources}))
                have = done_of(stage)
                self.empty[stage.name] += count_of(stage, counts) == 0
                if self.empty[stage.name] == EMPTY:
                    self.failed[stage.name] = f"{EMPTY} pieces counted no {stage.counted}"
                    print(f"{stage.name}: FAILED; {self.failed[stage.name]}", flush=True)
            print(f"{stage.name}: {have:,} of {stage.full:,} {stage.counted}", file=sys.stderr, flush=True)


def pieces_of(stage):
    """Finished pieces, in order."""
    found = PIECES.glob(f"{stage.name}-[0-9]*.json")
    return [json.loads(path.read_text()) for path in sorted(found)]


def count_of(stage, counts):
    """What a piece counted of what its stage counts. The simulator does not write a count of which there was none."""
    return counts.get(stage.counted, 0)


def done_of(stage):
    return sum(count_of(stage, piece) for piece in pieces_of(stage))


def free_index(stage, under_way):
    index = 0
    while index in under_way or (PIECES / f"{stage.name}-{index:05}.json").exists():
        index += 1
    return index


def sums(pieces):
    total = {}
    for piece in pieces:
        for name, value in piece.items():
            if isinstance(value, (int, float)) and name not in ("seed", "failures"):
                total[name] = total.get(name, 0) + value
    total["first seed"] = pieces[0]["seed"] if pieces else 0
    total["sources"] = list(dict.fromkeys(piece["sources"] for piece in pieces if "sources" in piece))
    return total


def short(seed):
    """The form of CI: each stage is one test."""
    passed = failed = 0
    for stage in STAGES:
        if stage.short == 0:
            continue
        have, good, index, empty = 0, True, 0, 0
        while good and have < stage.short:
            amount = min(stage.piece, stage.short - have)
            counts, _ = run_piece(stage, seed + index * STRIDE, amount)
            good, index = counts is not None, index + 1
            done = count_of(stage, counts) if good else 0
            have, empty = have + done, empty + (done == 0)
            if good and empty == EMPTY:
                print(f"{stage.name}: FAILED; {EMPTY} pieces counted no {stage.counted}", flush=True)
                good = False
        passed, failed = passed + good, failed + (not good)
        words = f"{have:,}" if good else "a failure"
        print(f"reliability {stage.name} ({stage.title.lower()}: {words}) ... {'ok' if good else 'FAILED'}", flush=True)
    print(f"reliability result: {passed} passed; {failed} failed")
    return failed == 0


def full(seed, fresh, minutes, jobs):
    PIECES.mkdir(parents=True, exist_ok=True)
    if fresh:
        for path in PIECES.glob("*.json"):
            path.unlink()
    git = ["git", "rev-parse", "--short", "HEAD"]
    sources = subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    for stage in STAGES:
        getattr(stage.command, "prepare", lambda: None)()
    # What is built first is not charged to the minutes.
    work = Work(seed, minutes, sources)
    lines = [(IMAGES, OTHERS), (OTHERS, IMAGES)]
    workers = [threading.Thread(target=work.act, args=[lines[n % 2]]) for n in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    CARD.write_text(card(work.failed))
    print(f"written: {CARD}")
    short_of = [stage.name for stage in STAGES if done_of(stage) < stage.full]
    if short_of:
        print(f"short of their goals: {', '.join(short_of)}")
    return not work.failed


def card(failed):
    totals = {stage.name: sums(pieces_of(stage)) for stage in STAGES}
    images = sum(totals[stage.name].get("images", 0) for stage in IMAGES)
    lines = [
        "# The reliability card",
        "",
        f"`make reliability` wrote this page on {datetime.date.today()}. It has looked at {images:,} crash images, and at all that",
        "stands below. [Reliability](explanation/reliability.md) explains each test, and what no test can see.",
        "",
        "| test | tried | goal | wrong | seconds | sources | first seed |",
        "|---|---:|---:|---:|---:|---|---:|",
    ]
    for stage in STAGES:
        total = totals[stage.name]
        wrong = "see below" if stage.name in failed else "0"
        sources = ", ".join(f"`{name}`" for name in total["sources"])
        lines.append(
            f"| {stage.title} | {total.get(stage.counted, 0):,} | {stage.full:,} | {wrong} "
            f"| {total.get('seconds', 0):,.0f} | {sources} | {total['first seed']} |"
        )
    lines += ["", f"A test runs in pieces, each on one processor. The seeds of neighbouring pieces are {STRIDE:,} apart."]
    for title, page, begins in PAGES:
        path = CARD.parent / page
        found = [line for line in path.read_text().split("\n") if line.startswith(begins)] if path.exists() else []
        lines += ["", f"**[{title}]({page})**: {found[0]}"] if found else []
    if failed:
        lines += ["", "## Open", ""]
        lines += [f"* {name}: `{again}`" for name, again in failed.items()]
    lines += ["", "## What the numbers are made of", ""]
    for stage in STAGES:
        lines += parts(stage, totals[stage.name])
    lines += ["## Bugs that the simulator found, with the case that shows each", ""]
    lines += ["| case | what was wrong |", "|---|---|"]
    for path in sorted(REGRESSIONS.glob("*.txt")):
        what = path.read_text().split("\n", 1)[0].lstrip("# ")
        lines.append(f"| `{path.name}` | {what} |")
    lines += [
        "",
        "`cica-sim replay crates/sim/tests/regressions/CASE --explore` runs a case again. Without the correction it fails. Other",
        "tests found [these bugs](bugs-found.md).",
        "",
    ]
    return "\n".join(lines)


def parts(stage, total):
    """The counts of a stage that are kinds of what it counts."""
    kind = re.compile(rf"{stage.counted} |reply |noticed|harmless|runs |covered ")
    kinds = {name: n for name, n in total.items() if kind.match(name)}
    if not kinds:
        return []
    rows = [f"| {name} | {n:,} |" for name, n in sorted(kinds.items())]
    return [f"### {stage.title}", "", "| kind | |", "|---|---:|", *rows, ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="what CI does")
    parser.add_argument("--fresh", action="store_true", help="forget the pieces of an earlier long run")
    parser.add_argument("--seed", type=int, default=1, help="first seed")
    parser.add_argument("--minutes", type=float, help="begin no further piece of a long run after so many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="pieces side by side of a long run")
    parser.add_argument("--card", action="store_true", help="only write the card, from what earlier runs came to")
    options = parser.parse_args()
    if options.card:
        CARD.write_text(card({}))
        return
    global PROFILE
    PROFILE = "debug" if options.short else "release"
    # As part of all tests: what names one package alone would be built anew with other features of others.
    which = ["--workspace", "--bins", "--lib", "--examples"] if options.short else ["--release", "-p", "cica-sim"]
    if subprocess.run(["cargo", "build", "--locked", "--quiet", *which]).returncode != 0:
        sys.exit("reliability result: 0 passed; 1 failed")
    good = short(options.seed) if options.short else full(options.seed, options.fresh, options.minutes, options.jobs)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
