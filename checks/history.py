"""What clients of a shared data set wrote down, and whether all of it can be true.

Each client has a journal. Times are those of CLOCK_MONOTONIC, which is one for all processes. A word is the key of a
record, its version and its amount: `A003:17:+980`. Each update makes the next version of its record.

    I begun committing word...   a unit that was begun then is committed now; its client may die in it
    A begun answered word...     and its commit was answered
    F begun code                 or that was refused, or the answer did not come
    R begun answered             a unit was backed out
    S begun answered word        a committed record was read (CR, CRE)
    T word word                  twice in one unit that reads are repeatable in (CRE)
    E text                       what else a client was told
"""

import heapq
import math


class Wrong(Exception):
    """What was left, or was answered, is not as it must be."""


class Unit:
    """One that made a version of a record."""

    def __init__(self, begun, committing, answered, amount):
        self.begun, self.committing, self.answered, self.amount = begun, committing, answered, amount


class History:
    """The journals of all clients together."""

    def __init__(self, journals):
        self.answered, self.perhaps, self.reads, self.errors, self.ended = {}, {}, {}, set(), []
        for lines in journals:
            self.take(lines)

    def take(self, lines):
        """One journal. What it ends in the commit of may have been committed."""
        committing, before = None, None
        for line in lines:
            kind, *words = line.split(" ")
            if kind in ("A", "R"):
                begun, answered = int(words[0]), int(words[1])
                self.ended.append((before, begun, answered))
                before = answered
            if kind == "I":
                committing = words
            elif kind == "A":
                self.commits(committing, int(words[1]))
                committing = None
            elif kind == "F":
                self.commits(committing, math.inf)
                committing = None
            elif kind == "S":
                key, version, amount = parsed(words[2])
                self.reads.setdefault(key, []).append((int(words[0]), int(words[1]), version, amount))
            elif kind == "T" and words[0] != words[1]:
                raise Wrong(f"what was read as {words[0]} was read again as {words[1]} in the same unit (CRE)")
            elif kind == "E":
                self.errors.add(" ".join(words)[:400])
        self.commits(committing, math.inf)

    def commits(self, words, answered):
        begun, committing = map(int, words[:2]) if words else (0, 0)
        for word in words[2:] if words else ():
            key, version, amount = parsed(word)
            unit = Unit(begun, committing, answered, amount)
            if answered == math.inf:
                self.perhaps.setdefault((key, version), []).append(unit)
            elif self.answered.setdefault((key, version), unit) is not unit:
                raise Wrong(f"two units made version {version} of {key}: one update is lost")

    def judge(self, found):
        """All of it against the versions and amounts that are there."""
        latest = {}
        for key, version in self.answered:
            latest[key] = max(latest.get(key, 0), version)
        for key, (amount, final) in found.items():
            self.updates(key, final)
            if latest.get(key, 0) > final:
                raise Wrong(f"{key} has version {final}, and {latest[key]} was answered")
            if final and amount not in [unit.amount for unit in self.makers(key, final)]:
                raise Wrong(f"{key} has version {final} with {amount}, which no unit wrote")
            self.register(key, final)

    def makers(self, key, version):
        """Who made it: the unit that was answered, else one of those that may have been committed."""
        unit = self.answered.get((key, version))
        return [unit] if unit else self.perhaps.get((key, version), [])

    def updates(self, key, final):
        """Each update saw the one before it."""
        latest = 0
        for version in range(1, final + 1):
            if not self.makers(key, version):
                raise Wrong(f"nobody has made version {version} of {key}")
            unit = self.answered.get((key, version))
            if unit and unit.answered < latest:
                raise Wrong(f"version {version} of {key} ended before an earlier one began")
            latest = max(latest, unit.begun) if unit else latest

    def register(self, key, final):
        """The record is one register: there is an order of its commits and reads, each at a moment between its begin and
        its answer, in which each read sees the last commit before it.

        The versions are that order: a commit stands before the reads of its version, and these before the next commit.
        So there is one unless something ended before something began that has an earlier place.
        """
        steps = []
        for version in range(1, final + 1):
            makers = self.makers(key, version)
            begun, answered = min(unit.committing for unit in makers), max(unit.answered for unit in makers)
            steps.append((begun, answered, 2 * version, f"the commit of version {version}"))
        for begun, answered, version, amount in self.reads.get(key, ()):
            if version > final:
                raise Wrong(f"version {version} of {key} was read, and {final} is there: it was not committed, or is lost")
            if version and amount not in [unit.amount for unit in self.makers(key, version)]:
                raise Wrong(f"version {version} of {key} was read with {amount}, which was not committed")
            steps.append((begun, answered, 2 * version + 1, f"a read of version {version}"))
        ended, furthest = [], (-1, "", 0)
        for begun, answered, place, what in sorted(steps):
            while ended and ended[0][0] < begun:
                end, other, earlier = heapq.heappop(ended)
                furthest = max(furthest, (other, earlier, end))
            if furthest[0] > place:
                raise Wrong(f"{key}: {furthest[1]} ended at {furthest[2]}, and {what} began after it, at {begun}")
            heapq.heappush(ended, (answered, place, what))


def word(key, version, amount):
    return f"{key}:{version}:{amount:+d}"


def parsed(text):
    key, version, amount = text.split(":")
    return key, int(version), int(amount)
