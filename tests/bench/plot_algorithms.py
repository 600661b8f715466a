#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/algorithms.svg from docs/results/algorithms_*.md, and writes their ratios into docs/algorithms.md.

usage: plot_algorithms.py                       draws and writes
       plot_algorithms.py --check               fails if the figure or the page is not of these results
       plot_algorithms.py gpu|cpu|cpu_2 OUTPUT HEAD   keeps the output of algorithms_gpu or algorithms_cpu, which ran on 16
                                                      or on 2 cores, as results with this head line: date; machine; compilers

A ratio is Teamwork's time by that of the best other side.
"""
import math
import re
import sys
from pathlib import Path

from plot import ROOT, text, tick_name, ticks_between

FIGURE = ROOT / "docs" / "figures" / "algorithms.svg"
PAGE = ROOT / "docs" / "algorithms.md"
TITLES = {"gpu": "CUB's time by Teamwork's", "cpu": "the time of libstdc++, OpenMP or oneTBB by Teamwork's, 16 cores",
          "cpu_2": "the time of libstdc++, OpenMP or oneTBB by Teamwork's, 2 cores"}
NAMES = {"scan int": "inclusive scan int", "scan double": "inclusive scan double", "select int": "select int, half of them",
         "sort pairs": "sort pairs of int", "histogram": "histogram of 256 bins", "segments": "sum of floats in segments of 64",
         "sum by key": "sum by key, runs of 16", "encode int": "run lengths of int, runs of 16", "merge": "merge int", "sort by": "sort int by a comparison"}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def results(kind):
    return ROOT / "docs" / "results" / f"algorithms_{kind}.md"


def keep(kind, output, head):
    """Writes a file of results from what the benchmark printed."""
    lines = Path(output).read_text().splitlines()
    sides = lines[0].split()[1:-1]
    table = [f"| algorithm | elements | {' | '.join(sides)} | ratio |", "|---|---|" + "---:|" * (len(sides) + 1)]
    for line in lines[1:]:
        match = re.match(r"(.*?) +2\^(\d+) +(.*)", line)
        if match:
            table.append(f"| {match[1]} | 2^{match[2]} | {' | '.join(match[3].split())} |")
    results(kind).write_text(f"# Results of *algorithms* on a {'GPU' if kind == 'gpu' else 'processor'}\n\n{head}. Medians of nine "
                             "rounds, in microseconds, and Teamwork's by the best of the others.\n\n" + "\n".join(table) + "\n")


def read(kind):
    """The head line, and for each algorithm the ratio of each size."""
    ratios = {}
    words = results(kind).read_text()
    for name, size, ratio in re.findall(r"^\| (.+?) \| 2\^(\d+) \|.*\| ([0-9.]+) \|$", words, flags=re.M):
        ratios.setdefault(NAMES.get(name, name), {})[int(size)] = float(ratio)
    return words.split("\n\n")[1].split(". Medians")[0].replace("\n", " "), ratios


def mean(ratios):
    values = [value for sizes in ratios.values() for value in sizes.values()]
    return len(values), math.exp(sum(map(math.log, values)) / len(values))


# ---- the page --------------------------------------------------------------------------------------------------------

def table_of(ratios):
    sizes = sorted({size for row in ratios.values() for size in row})
    head = ["| elements | " + " | ".join("2" + str(size).translate(SUPERSCRIPTS) for size in sizes) + " |",
            "|---|" + "---|" * len(sizes)]
    return "\n".join(head + [f"| {name} | " + " | ".join(f"{row[size]:.2f}" if size in row else "" for size in sizes) + " |"
                             for name, row in ratios.items()])


def page_with(kinds):
    """docs/algorithms.md with the tables of results, each behind a comment that names it, and the means in front of them."""
    page = PAGE.read_text()
    for kind, (_, ratios) in kinds.items():
        mark = f"<!-- docs/results/algorithms_{kind}.md -->\n"
        if mark not in page:
            sys.exit(f"docs/algorithms.md has no place for the results of a {kind}: {mark.strip()}")
        before, behind = page.split(mark)
        count, value = mean(ratios)
        behind = re.sub(r"\A(\|.*\n)*", lambda _: table_of(ratios) + "\n", behind)
        behind = re.sub(r"The geometric mean of these \d+ is \d+\.\d+", f"The geometric mean of these {count} is {value:.2f}", behind,
                        count=1)
        page = before + mark + behind
    return page


# ---- the figure ------------------------------------------------------------------------------------------------------

ROW, LABELS = 16, 190


def panel(left, top, width, kind, head, ratios):
    """A row for each algorithm, with a mark for each size, the darker the more elements."""
    sizes = sorted({size for row in ratios.values() for size in row})
    shade = {size: f"hsl(162, 70%, {78 - 60 * i / max(len(sizes) - 1, 1):.0f}%)" for i, size in enumerate(sizes)}
    speeds = [1 / value for row in ratios.values() for value in row.values()]
    ticks = ticks_between(min(speeds) * 0.95, max(speeds) * 1.05)
    first, last = left + LABELS, left + width - 10

    def at(value):
        return first + (last - first) * math.log2(value / ticks[0]) / math.log2(ticks[-1] / ticks[0])

    count, value = mean(ratios)
    out = [text(left, top, f"{len(ratios)} algorithms: {TITLES[kind]}", size=14, weight="bold"),
           text(left, top + 16, head, size=10.5, color="#4b5563")]
    x = left
    for size in sizes:
        out += [f'<circle cx="{x + 5:.1f}" cy="{top + 31}" r="4" fill="{shade[size]}"/>',
                text(x + 13, top + 35, "2" + str(size).translate(SUPERSCRIPTS))]
        x += 48
    out.append(text(x + 5, top + 35, f"elements; geometric mean {1 / value:.2f}"))
    begin, end = top + 60, top + 60 + ROW * len(ratios)
    for tick in ticks:
        strong = tick == 1
        out.append(f'<line x1="{at(tick):.1f}" y1="{begin - 4}" x2="{at(tick):.1f}" y2="{end}" stroke="'
                   f'{"#111827" if strong else "#e5e7eb"}" stroke-width="{1.2 if strong else 1}"/>')
        out += [text(at(tick), y, tick_name(tick), "middle", 10) for y in (begin - 8, end + 12)]
    for index, (name, row) in enumerate(ratios.items()):
        y = begin + ROW * index + ROW / 2
        out.append(text(first - 8, y + 3.5, name, "end", 10.5))
        out += [f'<circle cx="{at(1 / ratio):.1f}" cy="{y}" r="4" fill="{shade[size]}" stroke="#ffffff" stroke-width="0.6"/>'
                for size, ratio in sorted(row.items())]
    out.append(text(left + width, end + 28, "time of the other / time of Teamwork; right of 1 Teamwork is faster", "end", 10.5))
    return out, end + 34


def draw(kinds):
    width, top, parts = 760, 30, []
    for kind, (head, ratios) in kinds.items():
        elements, top = panel(20, top, width - 40, kind, head, ratios)
        parts += elements
        top += 30
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}" '
        'font-family="Helvetica, Arial, sans-serif">',
        "<title>Algorithms: times of others by those of Teamwork</title>",
        f'<rect width="{width}" height="{top}" fill="#ffffff"/>', *parts, "</svg>", ""])


def main(arguments):
    if len(arguments) == 3 and arguments[0] in TITLES:
        keep(*arguments)
    elif arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    kinds = {kind: read(kind) for kind in TITLES if results(kind).exists()}
    figure, page = draw(kinds), page_with(kinds)
    if arguments != ["--check"]:
        FIGURE.write_text(figure)
        PAGE.write_text(page)
    elif not FIGURE.exists() or FIGURE.read_text() != figure or PAGE.read_text() != page:
        sys.exit("docs/figures/algorithms.svg or docs/algorithms.md is not of docs/results: run python3 tests/bench/plot_algorithms.py")


if __name__ == "__main__":
    main(sys.argv[1:])
