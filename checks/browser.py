#!/usr/bin/env python3
"""Looks at the pages that Cica makes in a real browser: that of `cica monitor --listen`, and those of `cica study --html`.

    checks/browser.py --bin DIRECTORY [--out DIRECTORY] [--browser PROGRAM] [--study YEAR ...]

Chromium loads them, on a screen as narrow as a telephone and on a wide one, in light and in dark, and runs their
scripts. Then the document that it has made is looked at:

 1. each table has the rows that `/json` has, and they are told anew as data sets are opened and closed;
 2. no script fails, and the console shows no error;
 3. nothing is wider than the screen, no cell lies over another or is cut off, and no word of one is broken in two.

Pictures of all pages go to --out (target/browser) for a person to look at. `make browser` runs it; CI's machine needs none.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import urllib.request

import chromium

TOP = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")).absolute()
WIDTHS = (400, 1280)
# The longest name there is, with no place where a line would be broken but its dots.
LONG = "PAYROLL1.MASTER22.HISTORY3.COMPANY4.YEARS567"
# What a job is called is text, whatever it looks like.
MARKED = "<b>&amp;"

# Heads and rows of each table by its title, as a person reads them; of a table without rows: none.
TABLES = """
Object.fromEntries([...document.querySelectorAll("h2")].map(h2 => {
  const table = h2.nextElementSibling.querySelector("table"), words = cell => cell.textContent;
  return [h2.textContent, !table ? {none: h2.nextElementSibling.textContent} : {
    heads: [...table.tHead.rows[0].cells].map(words),
    rows: [...table.tBodies[0].rows].map(row => [...row.cells].map(words)),
  }];
}))
"""

# What is wider than the screen or cut off in its own place, words that are broken, and cells of a row that lie over one
# another. What scrolls for itself may be wider where there is room for a table at all.
WRONG = """
(() => {
  const wrong = [], width = Math.min(innerWidth, document.documentElement.clientWidth);
  const wide = document.documentElement.scrollWidth;
  const name = e => e.tagName + " " + (e.textContent || "").trim().slice(0, 40);
  if (wide > width) wrong.push("the page is " + wide + " wide");
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    if (!box.width || e.closest("svg, .table, script") || (width > 600 && e.closest(".room"))) continue;
    if (box.right > width + 1 || box.left < -1) wrong.push("beyond the edge: " + name(e));
    const is_block = getComputedStyle(e).display !== "inline";
    if (is_block && e.scrollWidth > e.clientWidth + 1) wrong.push("cut off: " + name(e));
  }
  for (const cell of document.querySelectorAll("td")) for (const text of cell.childNodes) {
    if (text.nodeType !== Node.TEXT_NODE) continue;
    for (const word of text.data.matchAll(/[^\\s.]+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);
      if (range.getClientRects().length > 1) wrong.push("broken in two: " + word[0]);
    }
  }
  for (const row of document.querySelectorAll("tr")) {
    const cells = [...row.cells].map(cell => [cell, cell.getBoundingClientRect()]).filter(([, box]) => box.width);
    cells.forEach(([one, a], n) => cells.slice(n + 1).forEach(([other, b]) => {
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const under = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (over > 1 && under > 1) wrong.push(name(one) + " lies over " + name(other));
    }));
  }
  for (const text of document.querySelectorAll("svg text")) {
    const box = text.getBoundingClientRect(), all = text.ownerSVGElement.getBoundingClientRect();
    const is_outside = box.left < all.left - 1 || box.right > all.right + 1 || box.bottom > all.bottom + 1;
    if (is_outside) wrong.push("beyond its plot: " + name(text));
  }
  return wrong;
})()
"""

# Tables of a study that are scrolled to their end: what a row is of, and is not to be seen any more.
GONE = """
[...document.querySelectorAll(".table")].flatMap(box => {
  box.scrollLeft = box.scrollWidth;
  const edge = box.getBoundingClientRect();
  return [...box.querySelectorAll("th[scope=row]")].filter(head => {
    const own = head.getBoundingClientRect();
    return own.left < edge.left - 1 || own.right > edge.left + edge.width / 2;
  }).map(head => head.textContent);
})
"""


class Wrong(Exception):
    """A page is not as it must be."""


def same(got, wanted, what):
    if got != wanted:
        raise Wrong(f"{what}: {got} instead of {wanted}")


class Place:
    """A catalog in use, in a directory of its own, and what runs there."""

    def __init__(self, binaries):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="cica-pages-"))
        self.cica, self.started = str(binaries / "cica"), []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CICA_", "DD_"))}
        self.environment.update(CICA_CATALOG=str(self.directory / "catalog"), CICA_POOL="16M", CICA_SMF="on")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            self.end(process)
        shutil.rmtree(self.directory, ignore_errors=True)

    def run(self, *words, text="", good=(0,), **environment):
        done = subprocess.run([self.cica, *words], input=text, text=True, capture_output=True, cwd=self.directory,
                              check=False, env={**self.environment, **environment})
        if done.returncode not in good:
            raise Wrong(f"cica {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def start(self, *words, **environment):
        process = subprocess.Popen([self.cica, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, cwd=self.directory,
                                   env={**self.environment, **environment})
        self.started.append(process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def data_set(self, name, records):
        lines = "".join(f"{n:06} A RECORD OF {name}\n" for n in range(0, 2 * records, 2))
        (self.directory / "lines").write_text(lines)
        self.run("import", "lines", name, "--keys", "6,0", "--recordsize", "60,80", "-q")

    def open(self, name, job, step):
        """A step that puts records and keeps the data set open."""
        put = self.start("put", name, CICA_JOB=job, CICA_STEP=step)
        self.put(put, range(1, 8001, 2))
        return put

    def put(self, process, numbers):
        process.stdin.write("".join(f"{n:06} ONE MORE\n" for n in numbers))
        process.stdin.flush()


def shown(place):
    """What the monitor's own JSON says now."""
    with urllib.request.urlopen(place.address + "json", timeout=30) as answer:
        return json.load(answer)


def rows(tables, title, *heads):
    """These columns of a table, row by row; sorted."""
    table = tables[title]
    if "none" in table:
        same(table["none"], "None.", title)
        return []
    at = [table["heads"].index(head) for head in heads]
    return sorted(tuple(row[n] for n in at) for row in table["rows"])


def check_tables(page, seen):
    """The tables have what was seen, no row more and none less."""
    tables = page.value(TABLES)
    processes = seen["processes"]
    who = lambda p: f"{p['pid']} {p['job'] or p['program']}"
    sets = [(p, s) for p in processes for s in p["data_sets"]]
    of_each = lambda field: {s[field] for _, s in sets}
    same(rows(tables, "Storage classes", "Class"), sorted((c or "(none)",) for c in of_each("storage_class")), "classes")
    wanted = sorted((s["cluster"], who(p), "output", f"{s['records']:,}") for p, s in sets)
    same(rows(tables, "Data sets", "Data set", "Process", "For", "Records"), wanted, "data sets")
    opens = sorted((v, str(sum(s["volume"] == v for _, s in sets))) for v in of_each("volume"))
    same(rows(tables, "Volumes", "Volume", "Opens"), opens, "volumes")
    jobs = sorted((p["job"] or "-", p["step"], p["program"], str(p["pid"]), str(len(p["data_sets"]))) for p in processes)
    same(rows(tables, "Jobs that run", "Job", "Step", "Program", "Process", "Opens"), jobs, "jobs")
    ended = sorted((e["job"], e["program"], e["code"]) for e in seen["ended"])
    same(rows(tables, "Steps that ended last", "Job", "Program", "Code"), ended, "steps")
    for title in ("Pools by size and age", "Locks and SMF"):
        same(rows(tables, title, "Process"), sorted((who(p),) for p in processes), title)


def check_look(page, picture):
    """Nothing is cut off or beyond the edge, and nothing failed. The picture is there whatever comes of it."""
    page.picture(picture)
    wrong = page.value(WRONG)
    if wrong or page.errors:
        raise Wrong("; ".join((wrong + page.errors)[:8]))


def said(processes, opens):
    """Whether the page says that so many run."""
    some = lambda n, one: f"{n} {one}" if n == 1 else f"{n} {one}{'es' if one == 'process' else 's'}"
    words = f"{some(processes, 'process')}, {some(opens, 'open')}"
    return f"document.getElementById('state').textContent === '{words}'"


# What a look is, for the rates: there has been one before it.
LOOKED_TWICE = "[...document.querySelectorAll('td[data-head=\"EXCP/s\"]')].every(cell => cell.textContent !== '')"


def monitor(browser, place, out):
    """The page of the monitor, while nothing is open, while two jobs run, after one of them, and without the monitor."""
    for name, records in (("A.NAMES", 40), (LONG, 4000)):
        place.data_set(name, records)
    place.run("idcams", text=" ALTER A.NAMES STORAGECLASS(FAST)\n", CICA_JOB="NIGHTLY", CICA_STEP="STEP005")
    place.run("idcams", text=" PRINT INDATASET(NO.SUCH)\n", CICA_JOB=MARKED, good=(12,))
    served = place.start("monitor", "--listen", "127.0.0.1:0")
    place.address = served.stdout.readline().split()[0]
    looks = [(width, dark) for width in WIDTHS for dark in (False, True)]
    with chromium.Page(browser, place.address, WIDTHS[0]) as page:
        page.wait(said(0, 0))
        check_tables(page, shown(place))
        check_look(page, out / "monitor-nothing.png")
        yield "nothing is open"
        first, second = place.open("A.NAMES", MARKED, "STEP010"), place.open(LONG, "LONGJOB8", "STEP020X")
        page.wait(said(2, 2))
        page.wait(LOOKED_TWICE)
        yield "two data sets are opened"
    for n, (width, dark) in enumerate(looks):
        with chromium.Page(browser, place.address, width, dark) as page:
            page.wait(said(2, 2))
            # Something goes on between two looks, and then nothing, so that page and JSON see the same.
            place.put(second, range(100_001 + 20_000 * n, 100_001 + 20_000 * n + 8000, 2))
            page.wait(LOOKED_TWICE)
            check_look(page, out / f"monitor-{width}{'-dark' if dark else ''}.png")
            page.wait(f"({TABLES})['Data sets'].rows.every(row => row[4] === '0')")
            check_tables(page, shown(place))
            if (width, dark) == looks[-1]:
                place.end(first)
                page.wait(said(1, 1))
                check_tables(page, shown(place))
                place.end(served)
                page.wait("document.getElementById('state').textContent.startsWith('No answer')")
                page.picture(out / "monitor-ended.png")
        yield f"two data sets are open, {width} pixels{', dark' if dark else ''}"


def study(browser, place, out, year):
    """The page of a study, made of few records."""
    page_of = place.directory / f"{year}.html"
    place.run("study", year, "--records", "1000", "--rounds", "1", "--directory", str(place.directory), "--html", str(page_of))
    for width in WIDTHS:
        for dark in (False, True):
            with chromium.Page(browser, page_of.as_uri(), width, dark) as page:
                check_look(page, out / f"study-{year}-{width}{'-dark' if dark else ''}.png")
                if not page.value("document.querySelectorAll('table tr td').length"):
                    raise Wrong("it has no table")
                if width < 600 and (gone := page.value(GONE)):
                    raise Wrong(f"heads of rows are scrolled away, or leave no room: {gone[:4]}")
            yield f"study {year}, {width} pixels{', dark' if dark else ''}"


def main():
    arguments = argparse.ArgumentParser(description="the pages of Cica in a real browser")
    arguments.add_argument("--bin", default=TARGET / "debug", type=pathlib.Path, help="directory of the built programs")
    arguments.add_argument("--out", default=TARGET / "browser", type=pathlib.Path, help="directory for the pictures")
    arguments.add_argument("--browser", help="the program of the browser")
    arguments.add_argument("--study", nargs="*", default=["1988", "2001"], help="which studies (1979 and 2007 take longer)")
    options = arguments.parse_args()
    path = chromium.program(options.browser)
    if path is None:
        sys.exit(f"browser: {chromium.HOW}")
    options.out.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    with chromium.Chromium(path) as browser, Place(options.bin.absolute()) as place:
        parts = [("monitor", monitor(browser, place, options.out))]
        parts += [(f"study {year}", study(browser, place, options.out, year)) for year in options.study]
        for name, part in parts:
            try:
                for done in part:
                    print(f"browser {done} ... ok", flush=True)
                    passed += 1
            except (Wrong, chromium.Broken, OSError) as error:
                print(f"browser {name} ... FAILED\n  {error}", flush=True)
                failed += 1
            except Exception:  # The others are looked at all the same.
                print(f"browser {name} ... FAILED\n{traceback.format_exc()}", flush=True)
                failed += 1
    print(f"pictures: {options.out}")
    print(f"browser result: {passed} passed; {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
