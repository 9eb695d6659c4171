#!/usr/bin/env python3
"""Kills programs that share a data set, and the process that owns it, and looks at what they leave.

    checks/share.py --short           sixty kills; its last line is the sum
    checks/share.py --kills 10000     as many kills as asked for
    checks/share.py --minutes 20      as many as this time has room for

Client processes of the C library move amounts between records in units of recovery, over one `cica serve`. Clients are
killed (SIGKILL) at random moments, or stopped for a while with what they have locked, and so the server is killed. Each
client writes down what it is about to commit, and what was answered. After some kills all clients are ended, and then

 1. no lock and no unit of a client that has gone is left;
 2. the data set is sound, and the sum of all amounts is what it was: units stand whole or not at all;
 3. what was answered is there, with or without the unit that a client died in;
 4. the versions of each record come in an order that the times of the units allow: each update saw the one before it.

Before that, while they move amounts, the data set is copied by BACKUP, and restored elsewhere:

 5. the copy is sound and its sum is right: it has each unit whole or not at all, though all were open;
 6. it has what was answered before it was made, and nothing that was begun after it.

Between its units a client also reads records alone, with integrity (CR), and in units of their own twice (CRE). It
writes down when a read began, when it was answered, and which version and amount it saw. At each look

 7. the history of each record is linearizable as that of a register. A read that began after the answer of the commit
    of a version sees that version or a later one: none is stale. It sees no version whose commit had not begun when the
    read was answered, none of a unit that was not committed, and none that is lost afterwards (a unit whose client died
    in its commit may have been committed or not, but one that was read was). Its amount is that of the unit that made
    the version. A read that began after the answer of another does not see an earlier version. What is read twice in
    one unit (CRE) is the same. `history.py` judges it.
"""

import argparse
import bisect
import ctypes
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from history import History, Wrong, parsed, word

TOP = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")).absolute()
NAME, COPY = "SHARE.ACCOUNTS", "SHARE.COPY"
ACCOUNTS, EACH, CLIENTS = 12, 1000, 4
OK, EXCLUSIVE, DEADLOCK, LOCK_TIMEOUT, FENCED = 0, 0x0814, 0x0815, 0x0816, 0x0C10
# How long a client waits for a record, in milliseconds: not at all, a moment, for ever.
PATIENCE = (0, 50, -1)
OUTPUT, READ, UPDATE, ASCENDING = 1, 0, 2, 16
CR, CRE = 1, 2

# A program begins with so few descriptors here, and so does the server that it starts.
FEW, CROWD = 100, 200

# Kills in one place, before the next one.
KILLS_OF_A_PLACE = 500


class Val(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Library:
    """The C library, and one environment of it with the data set open."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.cica_message.restype = ctypes.c_char_p
        self.none()

    def none(self):
        self.env, self.set, self.unit = (ctypes.c_void_p() for _ in range(3))
        self.string, self.committed, self.repeatable = (ctypes.c_void_p() for _ in range(3))

    def must(self, code, what):
        if code != OK:
            raise OSError(f"{what}: {code:#x} {self.c.cica_message().decode(errors='replace')}")

    def open(self, within=True, patience=0):
        c, by = self.c, ctypes.byref
        self.must(c.cica_env_open(None, by(self.env)), "cica_env_open")
        self.must(c.cica_open(self.env, NAME.encode(), OUTPUT, None, by(self.set)), "cica_open")
        if within:
            self.must(c.cica_unit_begin(self.env, by(self.unit)), "cica_unit_begin")
            self.must(c.cica_string_open_in(self.set, self.unit, by(self.string)), "cica_string_open_in")
            self.must(c.cica_string_open(self.set, by(self.committed)), "cica_string_open")
            self.must(c.cica_string_integrity(self.committed, CR), "cica_string_integrity")
            self.must(c.cica_string_open_in(self.set, self.unit, by(self.repeatable)), "cica_string_open_in")
            self.must(c.cica_string_integrity(self.repeatable, CRE), "cica_string_integrity")
            for string in (self.string, self.committed, self.repeatable):
                self.must(c.cica_string_patience(string, ctypes.c_int64(patience)), "cica_string_patience")
        else:
            self.must(c.cica_string_open(self.set, by(self.string)), "cica_string_open")

    def close(self):
        """What an owner that is gone answers does not matter: all handles go."""
        for string in (self.string, self.committed, self.repeatable):
            if string:
                self.c.cica_string_close(string)
        if self.unit:
            self.c.cica_unit_backout(self.unit)
            self.c.cica_unit_free(self.unit)
        self.c.cica_close(self.set)
        self.c.cica_env_close(self.env)
        self.none()

    def insert(self, record):
        self.must(self.c.cica_insert(self.string, record, len(record), ASCENDING, None), "cica_insert")

    def get(self, key, string=None, purpose=UPDATE):
        """Gets a record, for update unless it is said what else for: amount and version, or the code."""
        found = Val()
        code = self.c.cica_get(string or self.string, key, len(key), purpose, ctypes.byref(found))
        if code != OK:
            return code, None
        return OK, parse(ctypes.string_at(found.data, found.size))[1:]

    def update(self, record):
        return self.c.cica_update(self.string, record, len(record))


def record(key, amount, version):
    return key + f"{amount:+010d}{version:010d}".encode()


def parse(line):
    return line[:4], int(line[4:14]), int(line[14:24])


def account(number):
    return f"A{number:03d}".encode()


# ---- a client ----


def client(library, slot, journal):
    """Moves amounts until it is killed."""
    own = f"C{slot:03d}".encode()
    numbers = random.Random(os.getpid())
    out = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    tell = lambda *words: os.write(out, (" ".join(map(str, words)) + "\n").encode())
    cica = Library(library)
    while True:
        try:
            cica.open(patience=numbers.choice(PATIENCE))
        except OSError as error:
            tell("E", error)
            time.sleep(0.02)
            continue
        while move(cica, own, numbers, tell) and read(cica, numbers, tell):
            pass
        cica.close()


def move(cica, own, numbers, tell):
    """One unit. False: the owner is gone."""
    begin = time.monotonic_ns()
    one, two = numbers.sample(range(ACCOUNTS), 2)
    moved, some = [], numbers.randint(1, 50)
    for key, more in ((own, 1), (account(one), -some), (account(two), some)):
        code, was = cica.get(key)
        if code == OK:
            code = cica.update(record(key, was[0] + more, was[1] + 1))
        if code != OK:
            if not goes_on(code, cica, tell):
                return False
            backed_out = cica.c.cica_unit_backout(cica.unit)
            if backed_out == OK:
                tell("R", begin, time.monotonic_ns())
            return backed_out == OK
        moved.append(word(key.decode(), was[1] + 1, was[0] + more))
    words = " ".join(moved)
    tell("I", begin, time.monotonic_ns(), words)
    code = cica.c.cica_unit_commit(cica.unit)
    if code == OK:
        tell("A", begin, time.monotonic_ns(), words)
        return True
    tell("F", begin, f"{code:#x}")
    return False


def read(cica, numbers, tell):
    """Some reads with integrity. False: the owner is gone."""
    for _ in range(numbers.randint(0, 4)):
        key = account(numbers.randrange(ACCOUNTS))
        twice = numbers.random() < 0.2
        seen = []
        for _ in range(2 if twice else 1):
            begin = time.monotonic_ns()
            code, was = cica.get(key, cica.repeatable if twice else cica.committed, READ)
            end = time.monotonic_ns()
            if code != OK:
                if not goes_on(code, cica, tell):
                    return False
                break
            seen.append(word(key.decode(), was[1], was[0]))
            tell("S", begin, end, seen[-1])
            if twice and numbers.random() < 0.2:
                time.sleep(0.001)
        if len(seen) == 2:
            tell("T", *seen)
        if twice and cica.c.cica_unit_backout(cica.unit) != OK:
            return False
    return True


def goes_on(code, cica, tell):
    """Whether a request that was refused may be made again; it is written down if it was refused for a strange reason."""
    if code not in (FENCED, EXCLUSIVE, DEADLOCK, LOCK_TIMEOUT):
        tell("E", f"{code:#x}", cica.c.cica_message().decode(errors="replace"))
    return code != FENCED


# ---- who kills ----


class Place:
    def __init__(self, binaries):
        self.binaries = binaries
        self.errors = set()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="cica-share-"))
        self.library = next(path for path in (binaries / "libcica_c.so", binaries / "libcica.so") if path.exists())
        for name in [name for name in os.environ if name.startswith(("CICA_", "DD_"))]:
            del os.environ[name]
        os.environ.update(CICA_CATALOG=str(self.directory / "catalog"), CICA_POOL="16M", CICA_SHARE="off",
                          CICA_SERVER=str(binaries / "cica"), LC_ALL="C.UTF-8")
        self.cica("idcams", text=f" DEFINE CLUSTER (NAME({NAME}) INDEXED KEYS(4 0) -\n"
                                 "  RECORDSIZE(24 24) TRACKS(1 1) SHAREOPTIONS(3 3))\n")
        loads = Library(self.library)
        loads.open(within=False)
        for number in range(ACCOUNTS):
            loads.insert(record(account(number), EACH, 0))
        for slot in range(CLIENTS):
            loads.insert(record(f"C{slot:03d}".encode(), 0, 0))
        loads.close()
        os.environ["CICA_SHARE"] = "on"
        self.journals, self.clients, self.killed_at, self.server_killed_at = [], {}, [], []
        self.stopped_until = []

    def cica(self, *words, text="", good=(0,)):
        try:
            done = subprocess.run([self.binaries / "cica", *words], input=text, text=True, errors="replace",
                                  cwd=self.directory, capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired as late:
            raise Wrong(f"cica {' '.join(words)} has no answer after a minute") from late
        if done.returncode not in good:
            raise Wrong(f"cica {' '.join(words)} ended with {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
        return done.stdout

    def server(self, what):
        return json.loads(self.cica("server", what, "--json", good=(0, 4)) or "{}")

    def begin(self, slot):
        journal = self.directory / f"journal-{len(self.journals)}"
        self.journals.append(journal)
        words = [sys.executable, __file__, "--client", str(slot), "--journal", journal, "--library", self.library]
        self.clients[slot] = subprocess.Popen(words, stdin=subprocess.DEVNULL, preexec_fn=few_descriptors)

    def crowd(self):
        """Many come, say nothing, and stay; others go on."""
        come = []
        try:
            for _ in range(CROWD):
                come.append(socket.socket(socket.AF_UNIX))
                come[-1].settimeout(20)
                come[-1].connect(str(self.directory / "catalog" / "share" / "socket"))
            if not self.server("status").get("process"):
                raise Wrong("nobody serves beside a crowd")
        finally:
            for one in come:
                one.close()

    def kill(self, slot):
        self.clients.pop(slot).kill()
        self.killed_at.append(time.monotonic_ns())

    def all_end(self):
        """Ends all clients; what they had must go at once."""
        left = [self.clients[slot] for slot in self.clients]
        for slot in list(self.clients):
            self.kill(slot)
        for process in left:
            process.wait()
        until = time.monotonic() + 20
        while True:
            status = json.dumps([self.server(what) for what in ("locks", "units", "clients")])
            mine = [str(process.pid) for process in left]
            if not any(f'"process": {pid}' in status or f'"process":{pid}' in status or f"process {pid} " in status
                       for pid in mine):
                return
            if time.monotonic() > until:
                raise Wrong(f"clients have gone, and the server has of them: {status}")
            time.sleep(0.01)

    def copy(self):
        """Copies the data set while all clients change it, and looks at the copy."""
        before = self.written("A", 2)
        self.cica("backup", NAME, "-o", "copy")
        after = self.written("I", 2)
        self.cica("restore", "copy", "--rename", f"{NAME}={COPY}", "--replace")
        self.cica("idcams", text=f" EXAMINE NAME({COPY}) INDEXTEST DATATEST\n")
        found = {}
        for line in self.cica("cat", COPY).splitlines():
            key, amount, version = parse(line.encode())
            found[key.decode()] = (amount, version)
        if (total := sum(amount for key, (amount, _) in found.items() if key.startswith("A"))) != ACCOUNTS * EACH:
            raise Wrong(f"the amounts of the copy are {total} together, not {ACCOUNTS * EACH}: {found}")
        for key, (_, version) in found.items():
            if not before.get(key, 0) <= version <= after.get(key, 0):
                raise Wrong(f"the copy has version {version} of {key}; {before.get(key, 0)} was answered before it was "
                            f"made, and {after.get(key, 0)} begun when it was")

    def written(self, kind, skip):
        """The latest version of each record in the lines of a kind that clients wrote down."""
        latest = {}
        for lines in self.lines():
            for line in lines:
                words = line.split(" ")
                for written in words[1 + skip:] if words[0] == kind else ():
                    key, version, _ = parsed(written)
                    latest[key] = max(latest.get(key, 0), version)
        return latest

    def lines(self):
        return (journal.read_text().splitlines() for journal in self.journals if journal.exists())

    def judge(self):
        """What is there, against what the clients wrote down."""
        found = {}
        for line in self.cica("cat", NAME).splitlines():
            key, amount, version = parse(line.encode())
            found[key.decode()] = (amount, version)
        total = sum(amount for key, (amount, _) in found.items() if key.startswith("A"))
        if total != ACCOUNTS * EACH:
            raise Wrong(f"the amounts are {total} together, not {ACCOUNTS * EACH}: {found}")
        history = History(self.lines())
        history.judge(found)
        self.errors |= history.errors
        stalls = ([], [])
        for before, begin, end in history.ended:
            stalls[0].extend(self.stalled(self.killed_at, begin, end))
            stalls[1].extend(self.stalled(self.server_killed_at, before or end, end))
        self.cica("idcams", text=f" EXAMINE NAME({NAME}) INDEXTEST DATATEST\n")
        units = len([1 for key, _ in history.answered if key.startswith("C")])
        return units, sum(map(len, history.reads.values())), stalls

    def stalled(self, deaths, begin, end):
        """The nanoseconds from the first death between the two to `end`, if there is one.

        Who was stopped in between, or waited for what a stopped client had locked, is not stalled by a death
        until then.
        """
        death = first_between(deaths, begin, end)
        if death is None:
            return []
        goes_on = bisect.bisect_right(self.stopped_until, end) - 1
        return [end - max(death, self.stopped_until[goes_on] if goes_on >= 0 else 0)]


def in_words(stalls):
    if not stalls:
        return "never"
    stalls = sorted(stalls)
    half, most, longest = (stalls[int((len(stalls) - 1) * part)] / 1e6 for part in (0.5, 0.99, 1))
    return f"{half:.1f} ms (median), {most:.1f} (99 %), {longest:.1f} (longest)"


def first_between(times, begin, end):
    at = bisect.bisect_left(times, begin)
    return times[at] if at < len(times) and times[at] <= end else None


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def run(place, numbers, kills, until):
    counts = {"kills": 0, "server kills": 0, "stops": 0, "copies": 0, "crowds": 0, "looks": 0}
    units, reads, stalls = 0, 0, ([], [])
    while counts["kills"] < kills and time.monotonic() < until:
        for _ in range(min(25, kills - counts["kills"])):
            for slot in range(CLIENTS):
                if slot not in place.clients:
                    place.begin(slot)
            time.sleep(numbers.uniform(0.0, 0.3))
            what, slot = numbers.random(), numbers.randrange(CLIENTS)
            if what < 0.16:
                owner = place.server("status").get("process")
                if owner:
                    os.kill(owner, signal.SIGKILL)
                    place.server_killed_at.append(time.monotonic_ns())
                    counts["server kills"] += 1
            elif what < 0.32:
                place.clients[slot].send_signal(signal.SIGSTOP)
                time.sleep(numbers.uniform(0.0, 0.3))
                counts["stops"] += 1
                if numbers.random() < 0.5:
                    place.clients[slot].send_signal(signal.SIGCONT)
            if what < 0.08 or what >= 0.16:
                gone = place.clients[slot]
                place.kill(slot)
                gone.wait()
                counts["kills"] += 1
            if 0.16 <= what < 0.32:
                place.stopped_until.append(time.monotonic_ns())
        if place.server("status").get("process"):
            place.copy()
            counts["copies"] += 1
            place.crowd()
            counts["crowds"] += 1
        place.all_end()
        units, reads, stalls = place.judge()
        counts["looks"] += 1
        if not counts["crowds"] + counts["server kills"]:
            raise Wrong("nobody serves: a client has it for itself")
    return counts | {"units": units, "reads": reads}, stalls


def run_all(binaries, kills, until):
    """In one place after the other: each look goes through all that was ever answered in its place."""
    numbers, totals, stalls, errors = random.Random(1), {}, ([], []), set()
    while totals.get("kills", 0) < kills and time.monotonic() < until:
        place = Place(binaries)
        try:
            left = kills - totals.get("kills", 0)
            counts, stalls_here = run(place, numbers, min(left, KILLS_OF_A_PLACE), until)
        except Wrong as wrong:
            raise Wrong(f"{place.directory} is kept: {wrong}") from wrong
        finally:
            for process in place.clients.values():
                process.kill()
        place.cica("server", "stop", good=(0, 1, 2, 4, 8, 12))
        shutil.rmtree(place.directory, ignore_errors=True)
        totals = {name: totals.get(name, 0) + count for name, count in counts.items()}
        for all_of, here in zip(stalls, stalls_here):
            all_of.extend(here)
        errors |= place.errors
        print(f"share: {totals['kills']:,} kills", file=sys.stderr, flush=True)
    totals["stalled by a client's death"], totals["by the server's"] = map(in_words, stalls)
    return totals, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--binaries", type=pathlib.Path, default=TARGET / "release",
                        help="where cica and libcica are")
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--journal", help=argparse.SUPPRESS)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client is not None:
        client(options.library, options.client, options.journal)
        return 0
    kills = 60 if options.short else options.kills or 10**9
    until = time.monotonic() + (options.minutes * 60 if options.minutes else 86_400)
    began = time.monotonic()
    try:
        counts, errors = run_all(options.binaries.absolute(), kills, until)
    except Wrong as wrong:
        print(f"share: {wrong}\nshare result: 0 passed; 1 failed")
        return 1
    for error in sorted(errors):
        print(f"share: a client was told {error}")
    words = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"share: {words}; {time.monotonic() - began:.0f} s\nshare result: {counts['looks']} passed; 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
