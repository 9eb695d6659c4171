#!/usr/bin/env python3
"""The input of the COBOL samples: accounts as a mainframe writes them (EBCDIC, packed decimals), and movements as text.

    mainframe.py ACCOUNTS MOVEMENTS
"""

import sys

NAMES = ["ADAMS", "BAKER-JONES", "CLARK", "DAVIS", "EVANS", "FISHER", "GREEN"]


def packed(cents, size=6):
    """A packed decimal: two digits a byte, the sign in the last half."""
    digits = f"{abs(cents):0{2 * size - 1}d}" + ("d" if cents < 0 else "c")
    return bytes.fromhex(digits)


def account(n):
    number, branch, name = f"{n * 1_000_003 % 90_000_000 + 10_000_000:08}", f"B{n % 7:03}", NAMES[n % len(NAMES)]
    text = f"{number}{branch}{name:20}".encode("cp037")
    return text + packed(n * 137 - 5000) + f"{0:06}{'':36}".encode("cp037")


def movement(n):
    number = n * 1_000_003 % 90_000_000 + 10_000_000 if n % 10 else 99_000_000 + n
    return f"{number:08}{'-' if n % 3 == 0 else '+'}{n * 11:09}\n"


accounts, movements = sys.argv[1:]
with open(accounts, "wb") as out:
    out.writelines(account(n) for n in range(1, 501))
with open(movements, "w", encoding="ascii") as out:
    out.writelines(movement(n) for n in range(1, 301))
