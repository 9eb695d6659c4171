#!/usr/bin/env python3
"""Instructions of a random get, and of one in sequence, from a data set that is in the pool.

Run from the top of the checkout: checks/get_cost.py [DIRECTORY of the example 'gets', target/release/examples]. It needs
valgrind. The program is run with two numbers of gets; what the second run takes more, divided by the gets, is the cost.
"""

import re
import subprocess
import sys

FEW, MANY = 20_000, 120_000


def instructions(program, what, gets):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what, str(gets)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    program = (sys.argv[1:] or ["target/release/examples"])[0] + "/gets"
    for what in ("random", "sequence"):
        cost = (instructions(program, what, MANY) - instructions(program, what, FEW)) / (MANY - FEW)
        print(f"{what}: {cost:.1f} instructions a get")


main()
