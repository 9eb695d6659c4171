#!/usr/bin/env python3
"""GnuCOBOL's own tests of locks between programs, with its handler of files and with Cica's.

    checks/gnucobol_locks.py DIRECTORY                 an unpacked source of GnuCOBOL; `apt-get source gnucobol3` fetches one
    checks/gnucobol_locks.py DIRECTORY --match UNLOCK  other tests, by their names
    checks/gnucobol_locks.py DIRECTORY --keep          keep the programs, and say where

The tests are GnuCOBOL's, and no part of Cica: they are read from tests/testsuite.src/run_file.at, and compiled with the
cobc that is installed. Each runs three times: with libcob alone, and by `cica run` with its files on data sets, that the
two programs share (CICA_SHARE=on), or that one has for itself (off). What a test says it prints, and its exit status,
decide. The last line is the sum. The exit status is 1 if a test fails with Cica otherwise than OTHERWISE says, or
passes though it has a line there.

Many of these tests are marked as expected to fail (`xfail`): that is what they say of libcob.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")).absolute()
SUITE = "tests/testsuite.src/run_file.at"
MATCH = r"\b(LOCK|SHARING|lock)\b"
MACRO = re.compile(r"^(AT_[A-Z_]+)\(", re.MULTILINE)

MESSAGE = re.compile(r"CICA\d{4}[IWE] ")

# Tests that are to fail with Cica, by name and whether the data set is shared: what they say then, and why.
RECORD = ("FAILED 2::r 51", "another has the record; 61, which the test wants, is a file's, and libcob itself knows 51")
FILE = ("FAILED 2::r 47", "the OPEN of the second program is refused with 61 before it reads")
DROPPED = "cobc drops SHARING READ ONLY, and programs that share a data set may both change it"
OTHERWISE = {
    ("SEQUENTIAL file with SHARING READ ONLY", "shared"): ("FAILED 1: 00", DROPPED),
    ("INDEXED file with SHARING READ ONLY", "shared"): ("FAILED: 00", DROPPED),
    ("INDEXED file with LOCK AUTOMATIC (1)", "shared"): RECORD,
    ("INDEXED file with LOCK AUTOMATIC (1)", "alone"): FILE,
    ("INDEXED file with LOCK AUTOMATIC (2)", "alone"): FILE,
    ("INDEXED file with LOCK MANUAL", "shared"): RECORD,
    ("INDEXED file with LOCK MANUAL", "alone"): FILE,
}


class Test:
    """One AT_SETUP up to its AT_CLEANUP."""

    def __init__(self, name):
        self.name, self.files, self.checks, self.xfail = name, {}, [], False


def arguments(text, at):
    """The arguments of a macro whose parenthesis is open, each without its outer brackets."""
    found, depth, words = [], 0, ""
    while True:
        char = text[at]
        if depth == 0 and char in ",)":
            found.append(words)
            words = ""
            if char == ")":
                return found
        elif char == "[":
            depth += 1
            words += char if depth > 1 else ""
        elif char == "]":
            depth -= 1
            words += char if depth else ""
        elif depth or not char.isspace():
            words += char
        at += 1


def tests_of(text):
    """The tests of a file of the suite, in order."""
    tests = []
    for macro in MACRO.finditer(text):
        words = [plain(word) for word in arguments(text, macro.end())]
        if macro[1] == "AT_SETUP":
            tests.append(Test(words[0]))
        elif macro[1] == "AT_DATA" and tests:
            tests[-1].files[words[0]] = words[1].removeprefix("\n")
        elif macro[1] == "AT_XFAIL_IF" and tests:
            tests[-1].xfail = words[0] in ("true", "test 1 = 1", ":")
        elif macro[1] == "AT_CHECK" and tests:
            tests[-1].checks.append((words + ["0", "", ""][len(words) - 1:])[:4])
    return tests


def plain(text):
    """Brackets that M4 would take for its own are written so in the suite."""
    return text.replace("@<:@", "[").replace("@:>@", "]").replace("@%:@", "#").replace("@S|@", "$").replace("@&t@", "")


def run(test, directory, environment):
    """What is otherwise than the test says: nothing if it passes."""
    for name, text in test.files.items():
        (directory / name).write_text(text)
    for command, status, out, err in test.checks:
        try:
            done = subprocess.run(["sh", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=100, check=False)
        except subprocess.TimeoutExpired:
            return "no end after 100 s"
        if status != "ignore" and done.returncode != int(status or 0):
            return f"status {done.returncode}: {shortened(done.stdout + done.stderr)}"
        if out != "ignore" and done.stdout != out.removeprefix("\n"):
            return shortened(done.stdout)
        # Why a request was refused is told there.
        told = "".join(line for line in done.stderr.splitlines(True) if not MESSAGE.match(line))
        if err not in ("ignore", "stderr") and told != err.removeprefix("\n"):
            return shortened(told)
    return ""


def shortened(text):
    return " / ".join(text.split("\n")).strip(" /")[:200] or "nothing is said"


def settings(directory):
    """The environment of a test, without what would name files of it elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COB_", "CICA_", "DD_", "dd_"))}
    cobc = os.environ.get("CICA_COBC", "cobc")
    return kept | {"LC_ALL": "C", "COBC": cobc, "COMPILE": f"{cobc} -x -debug -Wall", "COBCRUN_DIRECT": "", "COB_HAS_ISAM": "db",
                   "COMPILE_MODULE": f"{cobc} -m -debug -Wall", "COBCRUN": "cobcrun", "PWD": str(directory)}


def with_cica(test, directory, cica, share):
    """On data sets. A sequential file becomes one only where it is defined: one byte a record, as these
    programs have."""
    environment = settings(directory) | {
        "CICA_CATALOG": str(directory / "catalog"), "CICA_POOL": "16M", "CICA_SHARE": share, "CICA_SERVER": str(cica),
        "COBCRUN_DIRECT": f"{cica} run", "COBCRUN": f"{cica} run cobcrun",
    }
    (directory / "catalog").mkdir()
    organized = [re.search(r"organization", text, re.IGNORECASE) for text in test.files.values()]
    cards = "" if any(organized) else " DEFINE CLUSTER (NAME(FILE1) NONINDEXED RECORDSIZE(1 1) TRACKS(1) REUSE)\n"
    subprocess.run([cica, "idcams"], input=cards, text=True, env=environment, cwd=directory, capture_output=True, check=True)
    try:
        return run(test, directory, environment)
    finally:
        subprocess.run([cica, "server", "stop"], env=environment, cwd=directory, capture_output=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--match", default=MATCH)
    parser.add_argument("--bin", type=pathlib.Path, default=TARGET / "debug", help="where cica and libcica_cobol.so are")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    suite = options.directory / SUITE
    if not suite.is_file():
        print(f"gnucobol_locks: {suite} is not there: name the directory of GnuCOBOL's source")
        return 2
    tests = [test for test in tests_of(suite.read_text(errors="replace")) if re.search(options.match, test.name)]
    cica = (options.bin / "cica").absolute()
    place = pathlib.Path(tempfile.mkdtemp(prefix="cica-gnucobol-"))
    passed = failed = 0
    for number, test in enumerate(tests):
        print(test.name)
        for handler in ("libcob", "shared", "alone"):
            directory = place / f"{number:02}-{handler}"
            directory.mkdir()
            if handler == "libcob":
                said = run(test, directory, settings(directory))
                print(f"    libcob {said or 'passes'}{' (xfail)' if test.xfail else ''}")
                continue
            said = with_cica(test, directory, cica, "on" if handler == "shared" else "off")
            wanted, reason = OTHERWISE.get((test.name, handler), ("", ""))
            right = said == wanted
            passed, failed = passed + right, failed + (not right)
            print(f"    {handler} {said or 'passes'}" + (f" ({reason})" if right and reason else "" if right else " WRONG"))
    if options.keep:
        print(f"gnucobol_locks: {place}")
    else:
        shutil.rmtree(place, ignore_errors=True)
    print(f"gnucobol_locks result: {passed} passed; {failed} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
