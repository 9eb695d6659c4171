#!/usr/bin/env python3
"""Writes the input of the 1979 study: 86,763 records of 200 bytes in EBCDIC, one after the other (RECFM=FB).

    demo/study_file.py FILE

Byte 0 is a status, bytes 1 to 8 the key: 00000100, 00000200, ... The gaps leave room for inserts. The study said how
many records there were and how long, not what was in them; the rest is made up.
"""

import sys

RECORDS = 86_763
LENGTH = 200
BLOCK = 1_000  # records written at once

BRANCHES = ["BOSTON", "CHICAGO", "DALLAS", "DENVER", "GAITHERSBURG", "NEW YORK", "PALO ALTO", "WASHINGTON"]


def record(number):
    key = number * 100
    branch = BRANCHES[number * 7 % len(BRANCHES)]
    balance = number * 7_919 % 1_000_000
    text = f"A{key:08d} ACCOUNT {number:06d} {branch:12} BALANCE {balance // 100:6d}.{balance % 100:02d}"
    # Page 037 of Python; letters, digits and the signs used here are the same bytes in page 1047.
    return text.ljust(LENGTH).encode("cp037")


def main():
    with open(sys.argv[1], "wb") as file:
        for first in range(1, RECORDS + 1, BLOCK):
            numbers = range(first, min(first + BLOCK, RECORDS + 1))
            file.write(b"".join(record(number) for number in numbers))


if __name__ == "__main__":
    main()
