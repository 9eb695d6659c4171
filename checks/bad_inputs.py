#!/usr/bin/env python3
"""Bad inputs for a longer time: every target of crates/inputs, and the page that tells what came of it.

    checks/bad_inputs.py                each target for ten minutes
    checks/bad_inputs.py --seconds 60   for another time
    checks/bad_inputs.py --fresh        forget earlier runs of the page

Built with the checks of overflow and of what must hold (the profile of tests). What is tried adds up from run to run in
TARGET/bad-inputs.json, each run with a seed of its own; docs/src/bad-inputs.md is written from it. A finding is kept
as a file, and the exit status is 1.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

# What is wrong where programs share data sets, what is said or done, and the test that shows it.
SHARING = [
    ("There is no command `cica` to start a server with", "The open is refused; install it, or name it in CICA_SERVER",
     "cli/tests/sharing.rs"),
    ("A file or directory lies where `share`, its lock or its socket belongs",
     "The open is refused with the path; move it away", "cli/tests/sharing_refused.rs"),
    ("The socket of a killed server", "It is removed, and the next server listens", "cli/tests/sharing_refused.rs"),
    ("Another program listens at the socket", "The open is refused: it is no server of this version",
     "cli/tests/sharing_refused.rs"),
    ("The path of the socket is longer than an address may be (107 bytes)", "It is reached by its directory",
     "cli/tests/sharing_refused.rs"),
    ("Client and server are of different versions",
     "The client is told both versions, and to end the server or use the same version", "server/tests/sharing.rs"),
    ("The catalog is another user's",
     "What the kernel refuses is refused: whom to ask for which right. Who may read alone opens without sharing",
     "cli/tests/sharing_refused.rs"),
    ("The disk under the log is full",
     "The data set is fenced, with the log and the remedy. The server goes on; with room, close and open",
     "cli/tests/sharing_refused.rs"),
    ("The disk under the archive is full", "The same with the archive; nothing that was answered is lost",
     "engine/tests/archive.rs"),
    ("The clock is set back",
     "Waits, retries, the end of an idle server and commits of a load go by the time that has passed",
     "engine/tests/load.rs"),
    ("The file system has no locks (ENOLCK, EOPNOTSUPP)", "Every open and every server is refused, with the remedy",
     "cli/tests/sharing_refused.rs"),
]

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
STORE = TARGET / "bad-inputs.json"
FINDINGS = TARGET / "bad-inputs"
PAGE = pathlib.Path("docs/src/bad-inputs.md")
PROGRAM = TARGET / "debug" / "cica-inputs"


def page(runs):
    """The page of all runs, summed by target."""
    totals = {}
    for run in runs:
        total = totals.setdefault(run["target"], {"inputs": 0, "seconds": 0, "findings": 0, "seeds": []})
        for count in ("inputs", "seconds", "findings"):
            total[count] += run[count]
        total["seeds"].append(run["seed"])
    inputs = sum(total["inputs"] for total in totals.values())
    findings = sum(total["findings"] for total in totals.values())
    sources = ", ".join(f"`{name}`" for name in dict.fromkeys(run["sources"] for run in runs))
    lines = [
        "# Bad inputs",
        "",
        "The tester takes good inputs, changes them at random and corrects their checksums. Each must get an answer: no panic, no",
        "overflow, no hang. An input that is accepted is written and read again, and must be the same. `make inputs` writes this page.",
        "",
        f"So far: {inputs:,} inputs and {findings} findings, on the sources of {sources}.",
        "",
        "| target | inputs | seconds | findings | seeds |",
        "|---|---:|---:|---:|---|",
    ]
    for name, total in totals.items():
        seeds = ", ".join(str(seed) for seed in sorted(set(total["seeds"])))
        lines.append(f"| {name} | {total['inputs']:,} | {total['seconds']:,.0f} | {total['findings']} | {seeds} |")
    lines += [
        "",
        "[Bugs that the tests found](bugs-found.md) describes each finding; all are corrected. `cica-inputs TARGET --seed SEED`",
        "repeats a run. With a nightly compiler the same targets run under a coverage-guided fuzzer: `fuzz/README.md`.",
        "",
        "## Where data sets are shared",
        "",
        "Each of these is answered by a message that says what to do, or does no harm.",
        "",
        "| what is wrong | what follows | test |",
        "|---|---|---|",
    ]
    lines += [f"| {wrong} | {follows} | `{test}` |" for wrong, follows, test in SHARING]
    lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--fresh", action="store_true", help="forget earlier runs")
    options = parser.parse_args()
    git = ["git", "rev-parse", "--short", "HEAD"]
    sources = subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if subprocess.run(["cargo", "build", "--locked", "--quiet", "-p", "cica-inputs"]).returncode != 0:
        sys.exit("cica-inputs does not compile")
    FINDINGS.mkdir(parents=True, exist_ok=True)
    runs = json.loads(STORE.read_text()) if STORE.exists() and not options.fresh else []
    seed = 1 + max((run["seed"] for run in runs), default=0)
    command = [str(PROGRAM), "--seconds", str(options.seconds), "--seed", str(seed)]
    with subprocess.Popen(command, cwd=FINDINGS, stdout=subprocess.PIPE, text=True) as started:
        for line in started.stdout:
            print(line, end="", flush=True)
            runs.append(json.loads(line) | {"sources": sources})
            STORE.write_text(json.dumps(runs))
    PAGE.write_text(page(runs))
    print(f"written: {PAGE}")
    sys.exit(started.returncode)


if __name__ == "__main__":
    main()
