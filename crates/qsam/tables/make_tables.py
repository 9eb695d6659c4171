#!/usr/bin/env python3
"""Writes src/codepage/tables.rs, the EBCDIC code pages Cica knows, from Python's own codecs.

Python has no codec for 1047; it is 037 with six positions exchanged (square brackets, circumflex, not sign,
Y acute, diaeresis). Code pages with the euro (1140, 1141, 1148) are 037, 273 and 500 with the euro sign in place
of the currency sign, so they need no table of their own.

    make_tables.py            writes the tables
    make_tables.py --prints   prints what tests/codepage.rs compares with: a fingerprint of each page as iconv
                              has it, a source the tables do not come from
"""

import pathlib
import subprocess
import sys

SIX_OF_1047 = {0x5F: "^", 0xAD: "[", 0xB0: "\u00ac", 0xBA: "\u00dd", 0xBB: "\u00a8", 0xBD: "]"}
ALL_BYTES = bytes(range(256))


def page(ccsid):
    """The 256 characters of a page without the euro."""
    if ccsid == 1047:
        characters = list(ALL_BYTES.decode("cp037"))
        for byte, character in SIX_OF_1047.items():
            characters[byte] = character
        return "".join(characters)
    # Python and glibc read X'BC' of 273 as an overline (U+203E), which is not in Latin-1; IBM's registry of the page
    # pairs it with the macron (U+00AF) of ISO-8859-1, which no other byte would reach.
    return ALL_BYTES.decode(f"cp{ccsid:03}").replace("\u203e", "\u00af")


def table(ccsid):
    latin = page(ccsid).encode("latin-1")
    assert sorted(latin) == list(range(256)), f"{ccsid} is not a permutation of ISO-8859-1"
    rows = []
    for start in range(0, 256, 16):
        rows.append("    " + " ".join(f"0x{b:02X}," for b in latin[start : start + 16]))
    body = "\n".join(rows)
    return (
        f"/// Code page {ccsid:03}: the ISO-8859-1 byte of each EBCDIC byte.\n"
        "#[rustfmt::skip]\n"
        f"pub(super) const CP{ccsid:03}: [u8; 256] = [\n{body}\n];\n"
    )


def fnv1a(text):
    value = 0x811C9DC5
    for byte in text.encode("utf-8"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def prints():
    for ccsid in ["037", "1047", "500", "273", "1140", "1141", "1148"]:
        command = ["iconv", "-f", f"IBM{ccsid}", "-t", "UTF-8"]
        text = subprocess.run(command, input=ALL_BYTES, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
        print(f"{ccsid} 0x{fnv1a(text.replace(chr(0x203E), chr(0xAF))):08x}")


def main():
    if "--prints" in sys.argv:
        return prints()
    head = (
        "//! The EBCDIC code pages as permutations of ISO-8859-1. Written by tables/make_tables.py; do not edit.\n"
        "//!\n"
        "//! 1. Each table is a permutation: every byte occurs once.\n\n"
    )
    out = pathlib.Path(__file__).resolve().parent.parent / "src" / "codepage" / "tables.rs"
    out.write_text(head + "\n".join(table(ccsid) for ccsid in (37, 273, 500, 1047)))


main()
