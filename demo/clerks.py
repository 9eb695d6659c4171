#!/usr/bin/env python3
"""Two programs on one file: clerks.py PROGRAM runs it twice with `cica run` and says what each is told and answers.

Leaves a copy in noon.cica, and in `moment` the time up to which everything was right.
"""

import os
import subprocess
import sys
import time


class Clerk:
    """A process of the program; what it is told and says stands in its column."""

    def __init__(self, name, column, program):
        self.name, self.column = name, column
        self.process = subprocess.Popen(
            ["cica", "run", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"CICA_SHARE": "on", "COB_UNBUFFERED": "1"})

    def show(self, text):
        print(f"  {' ' * self.column}{text}", flush=True)

    def tell(self, what):
        self.show(f"{self.name}> {what}")
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

    def answer(self):
        said = self.process.stdout.readline().rstrip()
        self.show(f"   {said}")
        return said

    def say(self, what):
        self.tell(what)
        return self.answer()

    def end(self):
        self.tell("END")
        if self.process.wait(timeout=60) != 0:
            sys.exit(f"{self.name} ended with {self.process.returncode}")


def expect(said, words):
    """What the demo promises to show."""
    if words not in said:
        sys.exit(f"'{words}' was to be said, and it was '{said}'")


def main():
    a = Clerk("A", 0, sys.argv[1])
    a.say("NEW LAMP 100")
    a.say("NEW CHAIR 50")
    a.say("COMMIT")
    b = Clerk("B", 40, sys.argv[1])
    print("\n  A takes lamps. B wants some too, and waits until A commits:\n")
    expect(a.say("TAKE LAMP 10"), "0090")
    b.tell("TAKE LAMP 5")
    time.sleep(0.3)
    a.say("COMMIT")
    expect(b.answer(), "0085")
    print("\n  A has a chair, B a lamp, and each wants the other's. One of them is told so, and gives way:\n")
    expect(a.say("TAKE CHAIR 1"), "0049")
    a.tell("TAKE LAMP 1")
    time.sleep(0.1)
    b.tell("TAKE CHAIR 1")
    gives_way, goes_on = b, a
    if "(52)" not in b.answer():
        gives_way, goes_on = a, b
    gives_way.say("ROLLBACK")
    if goes_on is a:
        a.answer()
    goes_on.say("COMMIT")
    if goes_on is b:
        expect(a.say("LOOK LAMP"), "LAMP")
    print("\n  B is killed in the middle of a unit of recovery. What it had changed is as before, and free:\n")
    before = a.say("LOOK CHAIR")
    a.say("COMMIT")
    b.say("TAKE CHAIR 40")
    expect(a.say("LOOK CHAIR"), "(51)")
    b.show("(kill -9)")
    b.process.kill()
    b.process.wait()
    a.tell("TAKE CHAIR 0")
    expect(a.answer(), before.split()[1])
    a.say("COMMIT")
    print("\n  A copy is made while A sells. What A has not committed yet is not in it:\n")
    a.say("TAKE LAMP 20")
    a.show("(cica backup STOCK -o noon.cica)")
    subprocess.run(["cica", "backup", "STOCK", "-o", "noon.cica"], check=True)
    a.say("COMMIT")
    # Not gmtime() alone: it may be a tick of the kernel behind, and then in the second before the copy's.
    now = time.gmtime(time.time())
    with open("moment", "w", encoding="ascii") as out:
        out.write(time.strftime("%Y-%m-%dT%H:%M:%S", now))
    time.sleep(1.5)
    print(f"\n  That was {time.strftime('%H:%M:%S', now)} UTC. Then A writes off all chairs, which is a mistake:\n")
    expect(a.say(f"TAKE CHAIR {int(before.split()[1])}"), "0000")
    a.say("COMMIT")
    a.end()


if __name__ == "__main__":
    main()
