#!/usr/bin/env python3
"""Turns UnicodeData.txt into records with a key of fixed length: the code point in six hexadecimal digits.

    demo/code_points.py /usr/share/unicode/UnicodeData.txt FILE

A line `41;LATIN CAPITAL LETTER A;Lu;...` becomes `000041 LATIN CAPITAL LETTER A;Lu;...`. Lines differ in length, so do
the records. The file stands in the order of code points, the new one in the order of keys, which is the same.
"""

import sys


def main():
    lines = 0
    with open(sys.argv[1], encoding="ascii") as source, open(sys.argv[2], "w", encoding="ascii") as target:
        for line in source:
            code, rest = line.rstrip("\n").split(";", 1)
            target.write(f"{int(code, 16):06X} {rest}\n")
            lines += 1
    print(f"{lines:,} code points", file=sys.stderr)


if __name__ == "__main__":
    main()
