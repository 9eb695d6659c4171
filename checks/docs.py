#!/usr/bin/env python3
"""Runs the commands that the documentation shows, and compares what they print.

    checks/docs.py --bin DIRECTORY [PAGE ...]

A fenced block marked `console` is a dialogue with a shell:

    ```console
    $ cica ls
    PAYROLL.MASTER
    ? 4                     <- exit status, where it is not 0
    ```

`$ ` begins a command and `> ` continues it. The lines after it are what it prints (stdout and stderr together). A line
`...` stands for any lines, `...` in a line for any text. The blocks of a page run one after the other in one empty
directory. Blocks marked `console,noexec` are shown only.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = 120


class Command:
    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.status = 0
        self.output = []


def commands_of(page):
    """The commands in a page's console blocks, in order."""
    found = []
    inside = None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if line.startswith("```"):
            inside = None if inside is not None else line[3:].strip()
            continue
        if inside != "console":
            continue
        if line.startswith("$ "):
            found.append(Command(number, line[2:]))
        elif not found:
            sys.exit(f"{page}:{number}: output without a command before it")
        elif line.startswith("> ") and not found[-1].output:
            found[-1].text += "\n" + line[2:]
        elif re.fullmatch(r"\? \d+", line):
            found[-1].status = int(line[2:])
        else:
            found[-1].output.append(line)
    return found


def pattern_of(expected):
    """A regular expression for the expected lines."""
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            text = ".*".join(re.escape(piece.rstrip() if last else piece) for piece, last in pieces(line))
            parts.append(text + r"[ ]*\n")
    return re.compile("".join(parts) + r"\Z")


def pieces(line):
    split = line.split("...")
    return [(piece, number == len(split) - 1) for number, piece in enumerate(split)]


def run_page(page, environment):
    """Runs one page; the number of commands run, and the complaints."""
    commands = commands_of(page)
    complaints = []
    with tempfile.TemporaryDirectory(prefix="cica-docs-") as directory:
        environment = dict(environment, HOME=directory, XDG_DATA_HOME=directory + "/share")
        for command in commands:
            try:
                done = subprocess.run(
                    ["bash", "-c", command.text],
                    cwd=directory,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=SECONDS,
                )
            except subprocess.TimeoutExpired:
                complaints.append(f"{page}:{command.line}: no end after {SECONDS} seconds")
                break
            printed = done.stdout.decode("utf-8", "replace")
            # A form feed is where a page of a listing begins; documentation shows it as nothing.
            printed = printed.replace("\f", "")
            if printed and not printed.endswith("\n"):
                printed += "\n"
            if done.returncode != command.status:
                complaints.append(
                    f"{page}:{command.line}: status {done.returncode} instead of {command.status}\n{indent(printed)}"
                )
            elif not pattern_of(command.output).match(printed):
                expected = "\n".join(command.output)
                complaints.append(
                    f"{page}:{command.line}: prints other text\n  expected\n{indent(expected)}\n  got\n{indent(printed)}"
                )
    return len(commands), complaints


def indent(text):
    return "\n".join("    " + line for line in text.rstrip("\n").split("\n"))


def main():
    arguments = argparse.ArgumentParser(description="run the commands that the documentation shows")
    arguments.add_argument("--bin", required=True, help="directory of the built programs")
    arguments.add_argument("pages", nargs="*", help="pages [default: README.md and all below docs/src]")
    options = arguments.parse_args()
    pages = [pathlib.Path(page) for page in options.pages]
    if not pages:
        pages = [pathlib.Path("README.md")] + sorted(pathlib.Path("docs/src").rglob("*.md"))

    binaries = str(pathlib.Path(options.bin).resolve())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CICA_", "DD_"))}
    environment.update(PATH=binaries + ":" + environment.get("PATH", ""), LC_ALL="C.UTF-8", NO_COLOR="1", TZ="UTC")

    passed = failed = 0
    for page in pages:
        count, complaints = run_page(page, environment)
        if count:
            verdict = "FAILED" if complaints else "ok"
            print(f"docs {page} ({count} commands) ... {verdict}", flush=True)
        for complaint in complaints:
            print(complaint, flush=True)
        failed += len(complaints)
        passed += count - len(complaints)
    print(f"docs result: {passed} passed; {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
