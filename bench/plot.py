#!/usr/bin/env python3
"""Draws what `cica-bench grow` measured with several numbers of records: docs/src/explanation/grow.svg.

    pip install matplotlib && bench/plot.py          after runs of grow with --json bench/results/grow-RECORDS.json
"""

import json
import pathlib
import re

import matplotlib

matplotlib.use("svg")
# The same picture from the same figures: no date, and no names of parts drawn at random.
matplotlib.rcParams.update({"svg.hashsalt": "grow", "font.size": 9, "svg.fonttype": "none"})
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent
PICTURE = HERE.parent / "docs/src/explanation/grow.svg"
ENGINES = {
    "cica": ("Cica, CISZ 4096", "#1b5e9e", "-", 2.2),
    "cica-18k": ("Cica, CISZ 18432", "#56a3e0", "-", 2.2),
    "lmdb": ("LMDB", "#c0392b", "--", 1.2),
    "bdb-tx": ("Berkeley DB with log", "#7f8c8d", "--", 1.2),
    "rocksdb": ("RocksDB", "#8e44ad", "--", 1.2),
    "wiredtiger": ("WiredTiger", "#d68910", "--", 1.2),
    "sqlite": ("SQLite", "#148f77", "--", 1.2),
    "fjall": ("fjall", "#2c3e50", "--", 1.2),
    "redb": ("redb", "#b03a7a", "--", 1.2),
}
PHASES = [
    "random read",
    "update",
    "insert 12 %",
    "insert 50 %",
    "scan at 12 %",
    "scan at 50 %",
    "update in units",
    "insert in units",
]


def runs():
    """What was measured, by number of records, fewest first."""
    found = []
    for path in HERE.glob("results/grow-*.json"):
        if re.fullmatch(r"grow-\d+\.json", path.name):
            found.append(json.loads(path.read_text(encoding="utf-8")))
    return sorted(found, key=lambda run: run["records"])


def lines(measured, figure):
    """For each engine the records and the figure of the runs that it was in."""
    for engine in ENGINES:
        points = [(run["records"], figure(run, engine)) for run in measured]
        points = [point for point in points if point[1]]
        if points:
            yield engine, *zip(*points)


def of_phase(phase):
    """Nanoseconds of the calling thread's CPU."""

    def figure(run, engine):
        rows = [row for row in run["results"] if row["phase"] == phase and row["engine"] == engine]
        return rows[0]["thread_ns"] if rows else None

    return figure


def of_space(run, engine):
    """Bytes on the device after CLOSE over bytes of records."""
    rows = [row for row in run["space"] if row["engine"] == engine]
    return rows[0]["bytes_after_close"] / (216 * rows[0]["records_at_close"]) if rows else None


def main():
    measured = runs()
    figure, axes = plt.subplots(3, 3, figsize=(10, 9), sharex=True)
    panels = [(phase, "ns of CPU", of_phase(phase)) for phase in PHASES]
    panels.append(("on the device after CLOSE", "of the records' bytes", of_space))
    for axis, (title, unit, what) in zip(axes.flat, panels):
        for engine, records, values in lines(measured, what):
            name, color, style, width = ENGINES[engine]
            axis.plot(records, values, style, color=color, linewidth=width, marker="o", markersize=3, label=name)
        axis.set(title=title, ylabel=unit, xscale="log")
        if what is of_space:
            # A log of fixed size is many times as long as few records.
            axis.set_ylim(0, 5)
        else:
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter("{x:,.0f}")
            axis.yaxis.set_minor_formatter(lambda x, _: f"{x:,.0f}" if f"{x:g}"[0] in "25" else "")
        axis.grid(True, which="major", linewidth=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("records loaded")
    handles, names = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncol=5, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(PICTURE, metadata={"Date": None})
    drawn = PICTURE.read_text(encoding="utf-8").splitlines()
    PICTURE.write_text("".join(line.rstrip() + "\n" for line in drawn), encoding="utf-8")
    print(PICTURE.relative_to(HERE.parent))


if __name__ == "__main__":
    main()
