#!/usr/bin/env python3
"""The reference of the cica command, made from what the command itself says with --help.

    checks/cli_reference.py --bin DIRECTORY            compares; exit status 1 when the page says something else
    checks/cli_reference.py --bin DIRECTORY --write    writes the page anew
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path("docs/src/reference/cli.md")

HEAD = """# The cica command

<!-- Made by checks/cli_reference.py from the command's own help; run it with --write to make it anew. -->

`cica help COMMAND` says the same, and `cica man` prints manual pages. Options, exit statuses and environment variables that all
commands share stand at the top.
"""


def help_of(program, words):
    environment = dict(os.environ, COLUMNS="100", NO_COLOR="1")
    done = subprocess.run(
        [program, *words, "--help"], check=True, capture_output=True, text=True, env=environment
    )
    lines = [line.rstrip() for line in done.stdout.rstrip().split("\n")]
    return "\n".join(lines) + "\n"


def subcommands(text):
    """The names below `Commands:` in a help text."""
    block = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M)
    names = re.findall(r"^  (\S+)", block.group(1), re.M) if block else []
    return [name for name in names if name != "help"]


def sections(program, words, depth):
    text = help_of(program, words)
    below = subcommands(text)
    if words:
        # What all commands share is said once.
        text = re.sub(r"^Options of all commands:\n(?:(?:  .*)?\n)+?(?=^\S|\Z)", "", text, flags=re.M)
    yield f"{'#' * depth} cica {' '.join(words)}".rstrip() + f"\n\n```text\n{text.rstrip()}\n```\n"
    for name in below:
        yield from sections(program, [*words, name], depth + 1 if words else depth)


def main():
    arguments = argparse.ArgumentParser(description="the reference page of the cica command")
    arguments.add_argument("--bin", required=True, help="directory of the built programs")
    arguments.add_argument("--write", action="store_true", help="write the page")
    options = arguments.parse_args()
    program = str(pathlib.Path(options.bin) / "cica")
    page = HEAD + "\n" + "\n".join(sections(program, [], 2))
    if options.write:
        PAGE.write_text(page)
    same = PAGE.exists() and PAGE.read_text() == page
    print(f"cli {PAGE} says what the command says ... {'ok' if same else 'FAILED: run checks/cli_reference.py --write'}")
    print(f"cli result: {int(same)} passed; {int(not same)} failed")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
