#!/usr/bin/env python3
"""Which module of a crate takes what from which, and the circles among them; `tidy.py` has the rule.

Run from the top of the checkout, checks/rooms.py CRATE... prints for each floor a circle and all that holds its circles
together.

Modules are those of one floor: the files and folders of `src`, and those of each folder among themselves. What a folder's
`mod.rs` gives to the files in it, and takes from them, is one room's own affair. A name that is handed on by `pub use` belongs
to the module that has it. Tests are not counted.
"""

import pathlib
import re
import sys

TESTS = re.compile(r"^( *)#\[cfg\((?:test|all\(test\b.*)\)\]\n(?: *#\[.*\n)*(.*)", re.M)
USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")
PATH = re.compile(r"(?<![\w:$])((?:crate|super|self)(?:\s*::\s*\w+)+)")
INNER = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?mod \w+ \{$.*?^\1\}$", re.M | re.S)
COMMENT = re.compile(r"//.*")


def without_tests(text):
    """The code that is built: no comments, nothing under `cfg(test)`."""
    kept, at = [], 0
    for test in TESTS.finditer(text):
        if test.start() < at:
            continue
        kept.append(text[at : test.start()])
        at = test.end()
        if test.group(2).rstrip().endswith("{"):
            at = text.find(f"\n{test.group(1)}}}", at) + len(test.group(1)) + 2
    return COMMENT.sub("", "".join(kept) + text[at:])


def as_outside(code):
    """What modules within a file take from it is its own: there `super` is the file."""
    return INNER.sub(lambda inner: re.sub(r"(?<![\w:])super::", "self::", inner.group()), code)


def names_in(tree):
    """The paths of one `use`, each a list of names and the name it gets: `a::{b, c as d}` are a::b, b and a::c, d."""
    head, brace, rest = tree.partition("{")
    if not brace:
        path, _, other = head.partition(" as ")
        path = [name.strip() for name in path.split("::")]
        if path[-1] == "self":
            path.pop()
        yield path, other.strip() or "".join(path[-1:])
        return
    start = [name.strip() for name in head.split("::")[:-1]]
    depth, one = 0, ""
    for letter in rest.rstrip().removesuffix("}") + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            for path, name in names_in(one.strip()) if one.strip() else ():
                yield start + path, name or start[-1]
            one = ""
        else:
            one += letter


class Crate:
    """The modules of a crate, by path: () is that of lib.rs or main.rs."""

    def __init__(self, source):
        self.files, self.uses, self.handed_on = {}, {}, {}
        for file in sorted(source.rglob("*.rs")):
            parts = file.relative_to(source).with_suffix("").parts
            if parts[-1] in ("mod", "lib", "main"):
                parts = parts[:-1]
            if parts[:1] != ("bin",) and not any(part == "tests" for part in parts):
                self.read(parts, file)

    def read(self, module, file):
        code = as_outside(without_tests(file.read_text()))
        self.files[module] = file
        uses = self.uses.setdefault(module, [])
        handed_on = self.handed_on.setdefault(module, {})
        for use in USE.finditer(code):
            for path, name in names_in(use.group(2)):
                if use.group(1):
                    handed_on[name] = path
                uses.append(path)
        for path in PATH.findall(USE.sub("", code)):
            uses.append([name.strip() for name in path.split("::")])

    def module_of(self, module, path, steps=8):
        """The module that has what `path` names in `module`."""
        at = module
        for number, name in enumerate(path):
            if name == "crate":
                at = ()
            elif name == "super":
                at = at[:-1]
            elif name == "self":
                pass
            elif at + (name,) in self.files:
                at += (name,)
            elif steps and name in self.handed_on[at]:
                return self.module_of(at, self.handed_on[at][name] + path[number + 1 :], steps - 1)
            else:
                # A path outside the crate is at home here; so is an item.
                return at
        return at

    def edges(self):
        """For each floor: module -> module it takes from -> what, and the files that take it."""
        floors = {}
        for module, uses in self.uses.items():
            for path in uses:
                other = self.module_of(module, path)
                shared = 0
                while shared < min(len(module), len(other)) and module[shared] == other[shared]:
                    shared += 1
                user, used = module[shared : shared + 1], other[shared : shared + 1]
                # A folder and the files in it are one room; lib.rs is one beside all others.
                if user == used or (shared and not (user and used)):
                    continue
                user, used = (user + ("lib",))[0], (used + ("lib",))[0]
                floor = floors.setdefault(module[:shared], {})
                floor.setdefault(user, {}).setdefault(used, []).append((self.files[module], "::".join(path)))
        return floors

    def circles(self):
        """For each floor that has one: a shortest circle, module after module, and all edges between those in circles."""
        for floor, edges in sorted(self.edges().items()):
            rings = [ring for ring in (ring_through(node, edges) for node in sorted(edges)) if ring]
            inside = set().union(*rings)
            edges = {a: {b: edges[a][b] for b in sorted(edges[a]) if b in inside} for a in sorted(inside)}
            if rings:
                yield floor, min(rings, key=len), edges


def ring_through(node, edges):
    """A shortest way from a module back to itself, the module first; none if there is no way."""
    before, ahead = {}, [node]
    for at in ahead:
        for other in sorted(edges.get(at, ())):
            if other == node:
                ring = [at]
                while ring[-1] != node:
                    ring.append(before[ring[-1]])
                return ring[::-1]
            if other not in before:
                before[other] = at
                ahead.append(other)
    return None


def in_words(ring, edges):
    """`a -> b (file), b -> a (file)`: one file for each edge."""
    steps = zip(ring, ring[1:] + ring[:1])
    return ", ".join(f"{a} -> {b} ({min(edges[a][b])[0]})" for a, b in steps)


def main():
    for name in sys.argv[1:]:
        print(f"crates/{name}/src")
        for floor, ring, edges in Crate(pathlib.Path("crates") / name / "src").circles():
            print(f"  in {'/'.join(('src',) + floor)}: {in_words(ring, edges)}")
            for user, others in edges.items():
                for used, takers in others.items():
                    print(f"    {user} -> {used}")
                    for file, path in sorted(set(takers)):
                        print(f"      {file}: {path}")


if __name__ == "__main__":
    main()
