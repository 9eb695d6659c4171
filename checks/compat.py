#!/usr/bin/env python3
"""COMPAT.md says what is so, and says it once.

The table of IDCAMS commands is counted from the reference, which is made from the parser's own table. And no two tables
contradict each other: what a row calls not built is what no other row tells of, and what no source of the engine does.

    checks/compat.py            compares; exit status 1 when COMPAT.md says something else
    checks/compat.py --write    writes the table of commands anew
"""

import pathlib
import re
import sys

REFERENCE = pathlib.Path("docs/src/reference/idcams.md")
COMPAT = pathlib.Path("COMPAT.md")
SOURCES = pathlib.Path("crates/engine/src")
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


def rows(text):
    """Each row of each table: number of its line, first cell, the others."""
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split(" | ")] if line.startswith("| ") else []
        if len(cells) > 1:
            yield number, cells[0].removeprefix("| "), " | ".join(cells[1:])


def items(cell):
    """The items of a cell that are names of the interface: GET and PUT CNV (words) -> GET CNV, PUT CNV."""
    cell = re.sub(r"\([^()]*\)", "", cell)
    cell = re.sub(r"\b(GET|PUT) and (GET|PUT) (\w+)", r"\1 \3, \2 \3", cell)
    for item in re.split(r"[,;]| and ", cell):
        item = " ".join(item.split())
        if item and item == item.upper() and any(c.isalpha() for c in item):
            yield item


def contradictions(text, sources):
    """Rows that call something not built, and where it is told of as if it were."""
    told = []
    all_rows = list(rows(text))
    for number, subject, verdict in all_rows:
        if not verdict.startswith("not built"):
            continue
        for item in items(subject):
            whole = re.compile(rf"\b{re.escape(item)}\b")
            for other, cell, says in all_rows:
                named = whole.search(re.sub(r"\b(GET|PUT) and (GET|PUT) (\w+)", r"\1 \3, \2 \3", cell))
                if named and not says.startswith("not built"):
                    told.append(f"line {number} calls {item} not built, line {other} tells of it")
            for path, source in sources:
                if re.search(rf"//[/!] {re.escape(item)}[:,]", source):
                    told.append(f"line {number} calls {item} not built, {path} is about it")
    return told


def main():
    text = COMPAT.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    new = f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
    if "--write" in sys.argv[1:]:
        COMPAT.write_text(new)
    same = COMPAT.read_text() == new
    print(f"compat COMPAT.md says what the parser does ... {'ok' if same else 'FAILED: run checks/compat.py --write'}")
    sources = [(path, path.read_text()) for path in sorted(SOURCES.rglob("*.rs"))]
    told = contradictions(COMPAT.read_text(), sources)
    print(f"compat COMPAT.md does not contradict itself or the engine ... {'FAILED' if told else 'ok'}")
    for line in told:
        print(f"  {line}")
    passed = int(same) + int(not told)
    print(f"compat result: {passed} passed; {2 - passed} failed")
    sys.exit(0 if passed == 2 else 1)


if __name__ == "__main__":
    main()
