#!/usr/bin/env python3
"""Ends programs by signals at any moment, and looks at what they leave.

    checks/signals.py --short            what CI does, two minutes; its last line is the sum
    checks/signals.py --signals 10000    as many signals as asked for
    checks/signals.py --minutes 40       as many as this time has room for

Programs in COBOL and C and the command itself are ended by TERM, INT, HUP, QUIT, PIPE, ABRT, SEGV and KILL, at random
moments, and, where strace is installed, at a chosen call to the system. After each:

 1. the program has ended within twenty seconds, by that signal (or had ended by itself before);
 2. its data sets open at once, and their structure is sound;
 3. what was answered is there, and each unit of recovery stands whole or not at all.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")).absolute()
# A machine with much else to do takes seconds; a program that waits for its own lock takes for ever.
AT_ONCE = 20.0
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGABRT, signal.SIGSEGV,
           signal.SIGKILL]
# Calls at which a program is about to change something, or has just begun to wait.
CALLS = ["pwrite64", "pwritev", "fdatasync", "fsync", "openat", "renameat", "unlinkat", "ftruncate", "fallocate", "fcntl",
         "flock", "write", "io_uring_enter", "mmap", "munmap", "pread64", "futex", "madvise", "close"]


class Wrong(Exception):
    """What a signal left is not as it must be."""


class Place:
    """A catalog and the programs, in a directory of their own."""

    def __init__(self, binaries, programs):
        self.programs = programs
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="cica-signals-"))
        self.cica = str(binaries / "cica")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CICA_", "DD_", "COB_"))}
        self.environment.update(CICA_CATALOG=str(self.directory / "catalog"), CICA_POOL="16M", COB_UNBUFFERED="1",
                                CICA_COBOL_LIBRARY=str(binaries / "libcica_cobol.so"), LC_ALL="C.UTF-8")
        self.cards(" DEFINE VOLUME (NAME(WORK01))\n")

    def run(self, command, text="", good=(0,)):
        """Runs a command to its end; what it says."""
        done = subprocess.run(command, input=text, text=True, errors="replace", env=self.environment, cwd=self.directory,
                              capture_output=True, timeout=120, check=False)
        if done.returncode not in good:
            raise Wrong(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
        return done.stdout

    def cards(self, text, good=(0,)):
        return self.run([self.cica, "idcams"], text, good)

    def verify(self, name):
        self.run([self.cica, "verify", name])

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)


class Units:
    """A COBOL program with a unit of recovery over two files."""

    def __init__(self, place):
        self.place = place
        self.program = [place.cica, "run", place.programs["units"]]
        place.run(self.program + ["make"])
        self.stands = 0

    def command(self, _):
        return self.program + ["batch", str(self.stands + 1)], None

    def check(self, said, _):
        answered = [int(line) for line in said.split() if line.isdigit()]
        answered = answered[-1] if answered else self.stands
        listed = self.place.run(self.program + ["list"])
        journal = [int(n) for n in re.findall(r"^J (\d+) ", listed, re.M) if int(n) > 1]
        last = (journal[-1] - 1) // 100 if journal else 0
        if journal != [u * 100 + s for u in range(1, last + 1) for s in range(1, 101)]:
            raise Wrong(f"half a unit stands in the journal: {len(journal)} records")
        master = [int(n) for n in re.findall(r"^F (\d+) ", listed, re.M) if int(n) > 1]
        if master != [u * 1000 + s for u in range(1, last + 1) for s in range(1, 101) if u == last or s % 7]:
            raise Wrong(f"half a unit stands in the master: {len(master)} records, {last} units")
        if not answered <= last <= answered + 1:
            raise Wrong(f"{answered} units were answered, {last} stand")
        self.stands = last
        return last < 60


class Sphere:
    """A COBOL program that makes a file with alternate keys from its FD, or empties it, loads it, and builds its indexes."""

    def __init__(self, place):
        self.place = place
        self.program = [place.cica, "run", place.programs["sphere"]]

    def command(self, random_):
        if random_.random() < 0.4:
            self.place.cards(" DELETE STAFF CLUSTER PURGE\n", good=(0, 8))
        self.count = random_.choice([1, 100, 3000, 20000])
        return self.program + ["load", str(self.count)], None

    def check(self, said, _):
        there = "STAFF" in self.place.run([self.place.cica, "ls", "STAFF"], good=(0, 1, 4, 8))
        if not there:
            return True
        opened = self.place.run(self.program + ["open"])
        if opened != "00\n":
            raise Wrong(f"OPEN I-O: {opened}")
        counts = self.place.run(self.program + ["counts"]).split("\n")
        if counts[0] != "00" or len(set(counts[1:4])) != 1 and any(int(c.split()[0]) for c in counts[1:4]):
            raise Wrong(f"records by each key: {counts}")
        if said.startswith("00") and int(counts[1].split()[0]) != self.count:
            raise Wrong(f"closed with 00, and of {self.count} records {counts}")
        self.place.verify("STAFF")
        return True


class Put:
    """The command inserts, and says which records will stay."""

    def __init__(self, place):
        self.place = place
        names = place.directory / "names.txt"
        names.write_text("00000000 first\n")
        place.run([place.cica, "import", str(names), "A.NAMES", "--keys", "8,0", "--recordsize", "40,200", "-q"])
        self.there = {"00000000"}
        self.next = 1

    def command(self, random_):
        first = self.next
        self.next += 3000
        every = random_.choice(["1", "7", "200"])
        lines = "".join(f"{n:08} {'x' * (n % 90)}\n" for n in range(first, self.next))
        return [self.place.cica, "put", "A.NAMES", "--replace", "--ack", "--durability", "commit", "--commit-every",
                every], lines

    def check(self, said, _):
        answered = {line for line in said.split() if len(line) == 8}
        there = {line[:8] for line in self.place.run([self.place.cica, "cat", "A.NAMES"]).splitlines()}
        if lost := (self.there | answered) - there:
            raise Wrong(f"{len(lost)} records are lost, {sorted(lost)[:3]}")
        self.there = there
        self.place.verify("A.NAMES")
        return len(there) < 9000


class Cards:
    """Control cards that define, copy, build an index, and delete."""

    TEXT = """ DEFINE CLUSTER (NAME(J.BASE) INDEXED KEYS(8 0) -
   RECORDSIZE(40 200) CYLINDERS(1 1))
 REPRO INDATASET(J.FROM) OUTDATASET(J.BASE)
 DEFINE AIX (NAME(J.AIX) RELATE(J.BASE) KEYS(3 9) NONUNIQUEKEY -
   UPGRADE CYLINDERS(1 1))
 DEFINE PATH (NAME(J.PATH) PATHENTRY(J.AIX))
 BLDINDEX INDATASET(J.BASE) OUTDATASET(J.AIX)
 REPRO INDATASET(J.FROM) OUTDATASET(J.BASE) REPLACE
 DELETE J.BASE CLUSTER PURGE
"""

    def __init__(self, place):
        self.place = place
        names = place.directory / "from.txt"
        names.write_text("".join(f"{n:08} {n % 97:03} {'y' * (n % 100)}\n" for n in range(8000)))
        place.run([place.cica, "import", str(names), "J.FROM", "--keys", "8,0", "--recordsize", "40,200", "-q"])

    def command(self, _):
        return [self.place.cica, "idcams"], self.TEXT

    def check(self, _, __):
        listed = self.place.run([self.place.cica, "ls", "J.**"])
        if len(self.place.run([self.place.cica, "cat", "J.FROM"]).splitlines()) != 8000:
            raise Wrong("what was only read has changed")
        if "J.BASE" in listed:
            self.place.cards(" VERIFY DATASET(J.BASE)\n DELETE J.BASE CLUSTER PURGE\n")
        self.place.cards(self.TEXT)
        left = [path.name for path in self.place.directory.rglob("J.*") if not path.name.startswith("J.FROM")]
        if left:
            raise Wrong(f"files that nobody names stay: {left}")
        return True


class Backup:
    """A portable copy: what is copied stays as it was, and a copy that was there is whole, the old one or the new."""

    def __init__(self, place):
        self.place = place
        names = place.directory / "kept.txt"
        names.write_text("".join(f"{n:08} {'z' * 150}\n" for n in range(15000)))
        place.run([place.cica, "import", str(names), "K.DATA", "--keys", "8,0", "--recordsize", "160,200", "-q"])
        self.copy = str(place.directory / "kept.cica")
        place.run([place.cica, "backup", "K.DATA", "-o", self.copy])

    def command(self, _):
        return [self.place.cica, "backup", "K.DATA", "-o", self.copy], None

    def check(self, _, __):
        self.place.verify("K.DATA")
        self.place.run([self.place.cica, "restore", self.copy, "--rename", "K.DATA=K.AGAIN"])
        if len(self.place.run([self.place.cica, "cat", "K.AGAIN"]).splitlines()) != 15000:
            raise Wrong("the copy is not whole")
        self.place.cards(" DELETE K.AGAIN CLUSTER PURGE\n")
        return True


class Steps:
    """A C program with units of recovery over two data sets."""

    def __init__(self, place):
        self.place = place
        self.program = [place.programs["steps"], str(place.directory / "catalog")]
        place.run(self.program + ["define"])
        self.stands = 0

    def command(self, _):
        return self.program + ["go"], None

    def check(self, said, _):
        answered = max([int(line) for line in said.split() if line.isdigit()] + [self.stands])
        master, last, journal, line = map(int, self.place.run(self.program + ["list"]).split())
        if not master == last == journal == line or last % 10:
            raise Wrong(f"half a unit stands: master {master} to {last}, journal {journal} to {line}")
        if not answered <= last <= answered + 10:
            raise Wrong(f"{answered} records were answered, {last} stand")
        self.stands = last
        return last < 40000


WORLDS = [Units, Sphere, Put, Cards, Backup, Steps]


def compile_programs(binaries):
    """The programs that are ended: by their names."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="cica-signals-programs-"))
    cobol, c = TOP / "crates/cobol/tests/programs", TOP / "crates/c"
    for name in ["units", "sphere"]:
        subprocess.run(["cobc", "-x", "-free", "-o", directory / name, cobol / f"{name}.cob"], check=True)
    subprocess.run(["cc", "-O1", "-I", c / "include", "-o", directory / "steps", c / "tests/steps.c", binaries / "libcica_c.so",
                    f"-Wl,-rpath,{binaries}"], check=True)
    return directory, {name: str(directory / name) for name in ["units", "sphere", "steps"]}


def running(process):
    """The program that a process runs."""
    try:
        return os.readlink(f"/proc/{process}/exe")
    except OSError:
        return ""


def as_from_a_terminal():
    """What a shell starts behind the scenes ignores some signals, and so would its children."""
    for number in SIGNALS[:-1]:
        signal.signal(number, signal.SIG_DFL)


def child_of(process):
    """The program that strace runs."""
    try:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        return int(children[0]) if children else None
    except OSError:
        return None


def send(target, number):
    """Sends a signal to a program that may have ended by itself meanwhile."""
    if target is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(target, number)


def hangs_in_libcob(place, target, words):
    """Did libcob's handler come in the middle of malloc, and wait for ever? Ours stands before it from the first OPEN on.

    A process that has opened something has a file of its counts in the catalog.
    """
    words.seek(0)
    return "caught signal" in words.read() and not list(place.directory.glob(f"catalog/stat/{target}-*"))


def end(world, random_, counts):
    """Starts a program, ends it, and checks what it left; whether the world can go on."""
    command, text = world.command(random_)
    # The command is told of a reader that has gone by a failing write, and ignores a fault that is none.
    ignored = [signal.SIGPIPE, signal.SIGSEGV] if isinstance(world, (Put, Cards, Backup)) else []
    number = random_.choice([s for s in SIGNALS if s not in ignored])
    traced = shutil.which("strace") is not None and random_.random() < 0.5
    what = f"{type(world).__name__}, {signal.Signals(number).name}"
    if traced:
        call, when = random_.choice(CALLS), int(random_.expovariate(1 / 12)) + 1
        what += f" at {call} {when}"
        command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=none", "-e",
                   f"inject={call}:signal={signal.Signals(number).name}:when={when}", "--", *command]
    place = world.place
    said, words = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
    given = tempfile.TemporaryFile("w+")
    given.write(text or "")
    given.seek(0)
    process = subprocess.Popen(command, stdin=given, stdout=said, stderr=words, env=place.environment,
                               cwd=place.directory, preexec_fn=as_from_a_terminal)
    try:
        try:
            process.wait(0.6 if traced else 0.005 + min(random_.expovariate(1 / 0.12), 0.8))
            counts["ended by themselves" if process.returncode == 0 else "at a chosen call"] += 1
            slow = 0
        except subprocess.TimeoutExpired:
            target = child_of(process) if traced else process.pid
            if number in (signal.SIGPIPE, signal.SIGSEGV) and running(target).endswith("/cica"):
                # `cica run` has not come to the program yet, and does not take these.
                time.sleep(0.5)
            sent = time.monotonic()
            send(target, number)
            try:
                process.wait(AT_ONCE)
            except subprocess.TimeoutExpired as late:
                if not hangs_in_libcob(place, target, words):
                    raise Wrong(f"{what}: it goes on, or hangs") from late
                counts["hung in libcob's handler, before the first OPEN"] += 1
                return True
            slow = time.monotonic() - sent
            counts["at a random moment"] += 1
        counts["took more than two seconds"] += slow > 2
        words.seek(0)
        told = words.read()
        said.seek(0)
        # What ended by itself has done its work. Before the first OPEN the signal is libcob's, which calls exit with it.
        libcobs = "caught signal" in told or f"(signal {signal.Signals(number).name})" in told
        unsaid = not said.read(1)
        fine = [-number, 128 + number, 0] + [number] * (libcobs and unsaid)
        # libcob's handler may run in the middle of malloc; ours, from the first OPEN on, ends by the signal also then.
        fine += [-signal.SIGABRT] * ("malloc" in told and unsaid)
        said.seek(0)
        if process.returncode not in fine:
            raise Wrong(f"{what}: it ended with {process.returncode}: {told[-300:]}")
        try:
            return world.check(said.read(), number)
        except (Wrong, subprocess.TimeoutExpired, ValueError, IndexError) as wrong:
            raise Wrong(f"{what}: {wrong!r}") from wrong
    finally:
        if process.poll() is None:
            target = child_of(process)
            process.kill()
            send(target, signal.SIGKILL)
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="some for each kind of program")
    parser.add_argument("--signals", type=int, help="so many")
    parser.add_argument("--minutes", type=float, help="end after this time")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", help="one kind of program: " + ", ".join(w.__name__ for w in WORLDS))
    parser.add_argument("--bin", type=pathlib.Path, default=TARGET / "debug")
    options = parser.parse_args()
    most = options.signals or (90 if options.short else 10_000)
    ends = time.monotonic() + 60 * options.minutes if options.minutes else None
    binaries = options.bin.absolute()
    directory, programs = compile_programs(binaries)
    kinds = [w for w in WORLDS if options.only in (None, w.__name__)]
    counts, by_kind, wrong = collections.Counter(), collections.Counter(), []
    worlds, began = {}, time.monotonic()
    print(f"signals: seed {options.seed}{'' if shutil.which('strace') else ', without strace: at random moments alone'}")
    for number in range(most):
        if ends and time.monotonic() > ends or len(wrong) >= 20:
            break
        random_ = random.Random(options.seed * 1_000_003 + number)
        kind = kinds[number % len(kinds)]
        if kind not in worlds:
            worlds[kind] = kind(Place(binaries, programs))
        by_kind[kind.__name__] += 1
        goes_on = False
        try:
            goes_on = end(worlds[kind], random_, counts)
        except Wrong as found:
            wrong.append(str(found))
            print(f"signals: number {number}: {found}; its catalog stays in {worlds[kind].place.directory}", flush=True)
            worlds.pop(kind)
            continue
        if not goes_on:
            worlds.pop(kind).place.remove()
        if number % 500 == 499:
            print(f"signals: {number + 1}, {len(wrong)} wrong", flush=True)
    for world in worlds.values():
        world.place.remove()
    shutil.rmtree(directory, ignore_errors=True)
    total = sum(by_kind.values())
    print("signals: " + ", ".join(f"{kind} {count}" for kind, count in by_kind.items()))
    print("signals: " + ", ".join(f"{count} {how}" for how, count in counts.items()))
    print(json.dumps({"seed": options.seed, "seconds": time.monotonic() - began, "signals": total, "wrong": len(wrong)} | counts))
    print(f"signals result: {total - len(wrong)} passed; {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
