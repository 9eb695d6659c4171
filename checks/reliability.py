#!/usr/bin/env python3
"""Crash images, injected errors, damage, model runs and kills, in numbers; and the card that tells of them.

    checks/reliability.py --short     what CI does, some minutes; its last line is the sum
    checks/reliability.py             the published run, for as long as it takes; writes docs/src/reliability-card.md

The long run goes on where it was stopped: each finished piece, with its seed and counts, stands in
TARGET/reliability/. `--fresh` begins again. A failure stops the run and prints what replays it.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
PIECES = TARGET / "reliability"
CARD = pathlib.Path("docs/src/reliability-card.md")
REGRESSIONS = pathlib.Path("crates/sim/tests/regressions")
SIM = str(TARGET / "release" / "cica-sim")

# Seeds of one piece begin this far behind those of the one before: more than any piece uses.
STRIDE = 100_000


class Stage:
    """One kind of test: how a piece of it is run, and how much of what it counts is enough."""

    def __init__(self, name, title, counted, short, full, piece, command):
        self.name = name
        self.title = title
        self.counted = counted  # the count that must reach `short` or `full`
        self.short = short
        self.full = full
        self.piece = piece  # most that one piece is asked for
        self.command = command  # (seed, amount) -> command line and environment


def sim(test, option, per=1, store=None):
    """A command of the simulator. `per`: what is counted comes in about so many per unit of the option."""
    words = [test] + ([store] if store else [])

    def command(seed, amount):
        return [SIM, *words, "--seed", str(seed), option, str(max(1, -(-amount // per)))], {}

    return command


def kills(seed, amount):
    test = ["cargo", "test", "--quiet", "--locked", "-p", "cica-cli", "--test", "kill", "acknowledged"]
    return test, {"CICA_KILLS": str(amount), "CICA_SEED": str(seed)}


def points(seed, amount):
    test = ["cargo", "test", "--quiet", "--locked", "-p", "cica-cli", "--test", "hardship", "chosen"]
    return test, {"CICA_POINTS": str(amount)}


def schedules(seed, amount):
    """Orders of threads: five tests, the scheduler in the place of the system's (crates/engine/src/sync)."""
    test = ["cargo", "test", "--quiet", "--locked", "-p", "cica-engine", "--test", "schedules"]
    compiled = {"RUSTFLAGS": "--cfg cica_schedules", "CARGO_TARGET_DIR": str(TARGET / "schedules")}
    return test, compiled | {"CICA_SCHEDULES": str(-(-amount // 5)), "CICA_SEED": str(seed)}


def histories(seed, amount):
    test = ["cargo", "test", "--quiet", "--locked", "--release", "-p", "cica-engine", "--test", "linearizable"]
    return test, {"CICA_HISTORIES": str(-(-amount // 5)), "CICA_SEED": str(seed)}


def inputs(seed, amount):
    test = ["cargo", "test", "--quiet", "--locked", "--release", "-p", "cica-inputs", "--test", "inputs", "any"]
    return test, {"CICA_INPUTS": str(-(-amount // 13)), "CICA_SEED": str(seed)}


# Stages that are tests of cargo's: what was asked for is what was done, if they pass.
TESTS = {"kill", "point", "schedule", "history", "input"}
VOLUME, SPHERE = "--volume", "--sphere"

STAGES = [
    Stage("model", "Requests compared with the model", "requests", 200_000, 10_000_000, 1_000_000,
          sim("model", "--runs", 1000)),
    Stage("crash", "Crash images of a data set", "images", 140_000, 3_000_000, 150_000, sim("crash", "--images")),
    Stage("crash-volume", "Crash images of a volume with catalog and commands", "images", 50_000, 1_500_000, 100_000,
          sim("crash", "--images", 1, VOLUME)),
    Stage("crash-sphere", "Crash images of a base with alternate indexes", "images", 20_000, 500_000, 60_000,
          sim("crash", "--images", 1, SPHERE)),
    Stage("fault", "Injected errors, a data set", "faults", 16_000, 500_000, 50_000, sim("fault", "--runs", 1000)),
    Stage("fault-volume", "Injected errors, a volume", "faults", 3_000, 100_000, 10_000,
          sim("fault", "--runs", 3000, VOLUME)),
    Stage("fault-sphere", "Injected errors, a base with alternate indexes", "faults", 2_000, 100_000, 10_000,
          sim("fault", "--runs", 1000, SPHERE)),
    Stage("damage", "Damaged places", "places", 40_000, 1_000_000, 100_000, sim("damage", "--runs", 2000)),
    Stage("bits", "Bits turned and sectors damaged, one data set of each kind", "damages", 0, 1_500_000, 1,
          lambda seed, _: ([SIM, "bits", "--seed", str(1 + seed // STRIDE * 8), "--runs", "8"], {})),
    Stage("bits-sphere", "The same of a base with alternate indexes", "damages", 0, 100_000, 1,
          lambda seed, _: ([SIM, "bits", SPHERE, "--seed", str(seed), "--runs", "1"], {})),
    Stage("bits-volume", "The same of a volume, catalog and log", "damages", 0, 100_000, 1,
          lambda seed, _: ([SIM, "bits", VOLUME, "--seed", str(seed), "--runs", "1"], {})),
    Stage("kill", "Kills of the real command", "kills", 0, 1_000, 100, kills),
    Stage("point", "Kills at chosen system calls", "points", 0, 500, 250, points),
    Stage("schedule", "Orders of threads", "schedules", 500, 100_000, 10_000, schedules),
    Stage("history", "Histories of threads explained", "histories", 0, 2_000, 200, histories),
    Stage("input", "Bad inputs answered", "inputs", 0, 20_000_000, 2_000_000, inputs),
]


def run_piece(stage, seed, amount):
    """Runs one piece; its counts. Ends the program when it fails."""
    command, environment = stage.command(seed, amount)
    started = time.monotonic()
    environ = os.environ | environment
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        again = [f"{name}={value}" for name, value in environment.items()] + command
        print(f"{stage.name}: FAILED; again with: {' '.join(again)}")
        return None
    if stage.name in TESTS:
        return {"seed": seed, "seconds": time.monotonic() - started, stage.counted: amount}
    return json.loads(done.stdout.strip().split("\n")[-1])


def pieces_of(stage, directory):
    """Finished pieces, in order."""
    found = directory.glob(f"{stage.name}-*.json")
    return [json.loads(path.read_text()) for path in sorted(found)]


def run_stage(stage, goal, seed, directory):
    """Runs pieces until the goal is reached; the sums of their counts, or None after a failure."""
    pieces = pieces_of(stage, directory) if directory else []
    while True:
        have = sum(piece[stage.counted] for piece in pieces)
        if have >= goal:
            return sums(pieces)
        print(f"{stage.name}: {have:,} of {goal:,} {stage.counted}", file=sys.stderr, flush=True)
        counts = run_piece(stage, seed + len(pieces) * STRIDE, min(stage.piece, goal - have))
        if counts is None:
            return None
        if directory:
            (directory / f"{stage.name}-{len(pieces):05}.json").write_text(json.dumps(counts))
        pieces.append(counts)


def sums(pieces):
    total = {}
    for piece in pieces:
        for name, value in piece.items():
            if isinstance(value, (int, float)) and name not in ("seed", "failures"):
                total[name] = total.get(name, 0) + value
    total["pieces"] = len(pieces)
    total["first seed"] = pieces[0]["seed"] if pieces else 0
    return total


def short(seed):
    """The form of CI: each stage is one test."""
    passed = failed = 0
    for stage in STAGES:
        if stage.short == 0:
            continue
        total = run_stage(stage, stage.short, seed, None)
        good = total is not None
        passed, failed = passed + good, failed + (not good)
        words = f"{total[stage.counted]:,}" if good else "a failure"
        print(f"reliability {stage.name} ({stage.title.lower()}: {words}) ... {'ok' if good else 'FAILED'}", flush=True)
    print(f"reliability result: {passed} passed; {failed} failed")
    return failed == 0


def full(seed, fresh):
    PIECES.mkdir(parents=True, exist_ok=True)
    if fresh:
        for path in PIECES.glob("*.json"):
            path.unlink()
    totals = {}
    for stage in STAGES:
        totals[stage.name] = run_stage(stage, stage.full, seed, PIECES)
        if totals[stage.name] is None:
            return False
    CARD.write_text(card(totals))
    print(f"written: {CARD}")
    return True


def card(totals):
    version = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    lines = [
        "# The reliability card",
        "",
        f"Written by `make reliability` on {datetime.date.today()} from the sources of `{version}`. What each test does, and what none of",
        "them can see, is told in [Reliability](explanation/reliability.md).",
        "",
        "| test | tried | wrong | seconds | first seed, seeds between pieces |",
        "|---|---:|---:|---:|---|",
    ]
    for stage in STAGES:
        total = totals[stage.name]
        seeds = f"{total['first seed']}, {STRIDE:,}"
        lines.append(f"| {stage.title} | {total[stage.counted]:,} | 0 | {total['seconds']:,.0f} | {seeds} |")
    lines += ["", "## What the numbers are made of", ""]
    for stage in STAGES:
        lines += parts(stage, totals[stage.name])
    lines += ["## Bugs that these tests found, each with the case that showed it", ""]
    lines += ["| case | what was wrong |", "|---|---|"]
    for path in sorted(REGRESSIONS.glob("*.txt")):
        what = path.read_text().split("\n", 1)[0].lstrip("# ")
        lines.append(f"| `{path.name}` | {what} |")
    lines += ["", "`cica-sim replay crates/sim/tests/regressions/CASE --explore` shows each again where it is not mended.", ""]
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
    options = parser.parse_args()
    build = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "cica-sim"]
    if subprocess.run(build).returncode != 0:
        sys.exit("reliability result: 0 passed; 1 failed")
    good = short(options.seed) if options.short else full(options.seed, options.fresh)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
