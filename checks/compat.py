#!/usr/bin/env python3
"""The table of IDCAMS commands in COMPAT.md is counted from the reference, which is made from the parser's own table.

    checks/compat.py            compares; exit status 1 when COMPAT.md says something else
    checks/compat.py --write    writes the table anew
"""

import pathlib
import re
import sys

REFERENCE = pathlib.Path("docs/src/reference/idcams.md")
COMPAT = pathlib.Path("COMPAT.md")
BEGIN = "<!-- counted by checks/compat.py -->"
END = "<!-- end of the count -->"


def commands():
    """Each command with its support, and its top-level parameters by support."""
    for section in REFERENCE.read_text().split("\n## ")[1:]:
        name = section.split("\n", 1)[0].strip()
        support = re.search(r"Support: \*\*(.*?)\*\*", section).group(1)
        rows = re.findall(r"^\| (.+?) \|.*\| (yes|stored|accepted|refused) \|$", section, re.M)
        words = {"yes": [], "stored": [], "accepted": [], "refused": []}
        for cell, level in rows:
            word = re.search(r"`(\w+)", cell)
            # DEFINE's own parameters stand behind CLUSTER: and the like; deeper ones are left to the reference.
            outer = re.match(r"(\w+): ", cell)
            if word and (not outer or name.endswith(outer.group(1)) or name.startswith("DEFINE")):
                if word.group(1) not in words[level]:
                    words[level].append(word.group(1))
        yield name, support, words


def table():
    done, refused = [], []
    for name, support, words in commands():
        if support == "refused":
            refused.append(name)
            continue
        if not any(words.values()):
            continue  # IF, SET and the like have no parameters in this sense.
        stored = " ".join(words["stored"]) or "-"
        accepted = " ".join(words["accepted"]) or "-"
        missing = " ".join(words["refused"]) or "-"
        done.append(f"| {name} | {len(words['yes'])} | {stored} | {accepted} | {missing} |")
    lines = [
        "| command | obeyed | stored and shown only | accepted, no effect | refused |",
        "|---|---|---|---|---|",
    ]
    lines += done
    lines += ["", "Checked for syntax and refused as a whole (CICA0908E): " + ", ".join(refused) + "."]
    return "\n".join(lines)


def main():
    text = COMPAT.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    new = f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
    if "--write" in sys.argv[1:]:
        COMPAT.write_text(new)
    same = COMPAT.read_text() == new
    print(f"compat COMPAT.md says what the parser does ... {'ok' if same else 'FAILED: run checks/compat.py --write'}")
    print(f"compat result: {int(same)} passed; {int(not same)} failed")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
