#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables and plots of docs/performance.md from results of the benchmark suite.

usage: report.py [--document docs/performance.md] [--figures docs/figures] RESULT.json...

A result replaces what stands between the markers of its kind in the document,

    <!-- suite:gpu -->  ...  <!-- /suite:gpu -->      or suite:cpu

and writes the plots of that kind. Needs matplotlib. The same results make the same files, byte for byte.
"""
import argparse
import json
import math
import os
import statistics
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "teamwork",  # else ids are random
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
})
from matplotlib import pyplot  # noqa: E402  (after the backend is chosen)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from document import replace  # noqa: E402

COLORS = {"range": "#1f6fb4", "hierarchical": "#2a9d5c", "nd_range": "#c2571a", "reduction": "#7b4fa3", "": "#555555"}
MARKERS = {"range": "o", "hierarchical": "s", "nd_range": "D", "reduction": "^", "": "o"}


class Program:
    """The rows of one program."""

    def __init__(self, name, rows):
        self.name = name
        self.rows = rows
        self.title = rows[0]["title"]
        self.source = rows[0]["source"]

    def of(self, side):
        return [r for r in self.rows if r["side"] == side and r["checked"] and r["median_us"] > 0]

    def best(self, side):
        return min(self.of(side), key=lambda r: r["median_us"], default=None)

    def twin(self, row, side):
        """The version that a row is compared with, and whether it has the same form."""
        same = [r for r in self.of(side) if r["form"] == row["form"]]
        return (same[0], True) if same else (self.best(side), False)


class Result:
    """One file."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.data = json.load(file)
        self.gpu = self.data["kind"] == "gpu"
        self.baseline = "CUDA" if self.gpu else "OpenMP"
        # what OpenCL is called where it takes part, which is on the host
        opencl = self.data.get("opencl", "")
        self.opencl = "PoCL" if "pocl" in opencl.lower() else "OpenCL" if opencl else ""
        names = list(dict.fromkeys(r["program"] for r in self.data["rows"]))
        self.programs = [Program(n, [r for r in self.data["rows"] if r["program"] == n]) for n in names]
        # the limits: the most that a stream program and that "peak" reach, by whatever side, in their shortest time
        self.bandwidth = self.most("stream_", "bytes")
        self.arithmetic = self.most("peak", "flops")

    def most(self, prefix, work):
        rows = [r for p in self.programs if p.name.startswith(prefix) for r in p.rows]
        return max((r[work] / r["min_us"] * 1e-3 for r in rows if r["checked"] and r["min_us"] > 0), default=0)


def gigabytes(row):
    """GB/s of what has to move at least."""
    return row["bytes"] / row["median_us"] * 1e-3


def time_text(us):
    return f"{us / 1e3:.2f} ms" if us >= 1e3 else f"{us:.1f} us"


def label(program, row):
    return f"{program.name}, {row['form']}" + (f" ({row['kind']})" if row["kind"] else "")


def ratio_of(row, base):
    """The median of the ratios of each round, in which both had the same load."""
    ratios = [a / b for a, b in zip(row["turns_us"], base["turns_us"]) if a > 0 and b > 0]
    return statistics.median(ratios) if ratios else row["median_us"] / base["median_us"]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


# ---- tables ------------------------------------------------------------------------------------------------------------

def percent(part):
    return f", {100 * part:.0f} %" if part >= 0.005 else ""


def share(result, row):
    """Of the memory's rate or of the arithmetic one, whichever is closer to its limit."""
    memory, arithmetic = gigabytes(row), row["flops"] / row["median_us"] * 1e-3
    of_memory = memory / result.bandwidth if result.bandwidth else 0
    of_arithmetic = arithmetic / result.arithmetic if result.arithmetic else 0
    if of_arithmetic > of_memory or (not result.arithmetic and row["flops"] > 4 * row["bytes"]):
        return f"{arithmetic:.0f} GFLOP/s" + percent(of_arithmetic)
    return f"{memory:.{0 if memory >= 10 else 1}f} GB/s" + percent(of_memory)


def speedup(other, row):
    return f"{ratio_of(other, row):.2f}" if other else "-"


def starred(ratio, same):
    return f"{ratio:.2f}{'' if same else ' *'}"


def program_rows(result, program):
    for row in sorted(program.of("Teamwork"), key=lambda r: (r["form"], r["kind"])):
        twin, same = program.twin(row, result.baseline)
        ratio = starred(ratio_of(row, twin), same) if twin else "-"
        cells = [program.name, row["form"], row["kind"], time_text(row["median_us"]),
                 f"{time_text(row['p25_us'])} - {time_text(row['p75_us'])}",
                 time_text(twin["median_us"]) if twin else "-", ratio]
        if result.gpu:
            cells += [speedup(program.best("OpenMP"), row), speedup(program.best("OpenMP, tuned"), row)]
        if result.opencl:
            peer, same = program.twin(row, "OpenCL")
            cells += [time_text(peer["median_us"]), starred(ratio_of(peer, row), same)] if peer else ["-", "-"]
        yield cells + [share(result, row)]
    for row in program.rows:
        if not row["checked"]:
            yield [program.name, row["form"], row["kind"], f"**failed** ({row['side']})"] + [""] * (len(head(result)) - 4)


def head(result):
    cells = ["program", "form", "kernels", "Teamwork", "quartiles", result.baseline, f"Teamwork / {result.baseline}"]
    if result.gpu:
        cells += ["OpenMP / Teamwork", "OpenMP tuned / Teamwork"]
    if result.opencl:
        cells += [result.opencl, f"{result.opencl} / Teamwork"]
    return cells + ["reached"]


def table(result):
    lines = ["| " + " | ".join(head(result)) + " |", "|" + "---|" * len(head(result))]
    for program in result.programs:
        lines += ["| " + " | ".join(cells) + " |" for cells in program_rows(result, program)]
    return lines


def problems(result):
    lines = ["| program | problem | after |", "|---|---|---|"]
    return lines + [f"| {p.name} | {p.title} | {p.source} |" for p in result.programs]


# ---- the summary -------------------------------------------------------------------------------------------------------

def twin_ratios(result, kinds=None):
    """(label, ratio) for each version of Teamwork that has a twin."""
    for program in result.programs:
        for row in program.of("Teamwork"):
            twin, same = program.twin(row, result.baseline)
            if twin and same and (not kinds or row["kind"] in kinds):
                yield label(program, row), ratio_of(row, twin)


def best_ratios(result, side):
    """(name, ratio) for each program: the best of another side over the best of Teamwork."""
    for program in result.programs:
        ours, theirs = program.best("Teamwork"), program.best(side)
        if ours and theirs:
            yield program.name, ratio_of(theirs, ours)


def peer_ratios(result):
    """(name, ratio) for each program: the best of OpenCL over the best of Teamwork that is no nd_range."""
    for program in result.programs:
        ours = [r for r in program.of("Teamwork") if r["kind"] != "nd_range"]
        theirs = program.best("OpenCL")
        if ours and theirs:
            yield program.name, ratio_of(theirs, min(ours, key=lambda r: r["median_us"]))


def barrier_ratios(result):
    """(name, ratio) for each program with barriers: the best of OpenCL that has some over the best hierarchical kernels."""
    for program in result.programs:
        ours = [r for r in program.of("Teamwork") if r["kind"] == "hierarchical"]
        theirs = [r for r in program.of("OpenCL") if r["kind"] == "barriers"]
        if ours and theirs:
            yield program.name, ratio_of(*(min(rows, key=lambda r: r["median_us"]) for rows in (theirs, ours)))


def mean_line(title, ratios, larger_is_worse, limit=None):
    limit = limit or (1.1 if larger_is_worse else 1)
    ratios = sorted(ratios, key=lambda r: r[1], reverse=larger_is_worse)
    if not ratios:
        return []
    # as rounded: 0.996 is no shortfall
    beyond = [f"{name} {ratio:.2f}" for name, ratio in ratios
              if (round(ratio, 2) > limit if larger_is_worse else round(ratio, 2) < limit)]
    text = f"- {title}: geometric mean {geometric_mean([r for _, r in ratios]):.2f} of {len(ratios)}; "
    kind = f"{'above' if larger_is_worse else 'below'} {limit:.2f}"
    return [text + (f"{kind}: {', '.join(beyond)}." if beyond else f"none {kind}.")]


def summary(result):
    if result.gpu:
        lines = mean_line("Teamwork / CUDA, of the same form", twin_ratios(result), True)
        lines += mean_line("best CUDA / best Teamwork", best_ratios(result, "CUDA"), False)
        lines += mean_line("best OpenMP with plain flags / best Teamwork", best_ratios(result, "OpenMP"), False)
        lines += mean_line("best OpenMP with the best flags / best Teamwork", best_ratios(result, "OpenMP, tuned"), False)
        return lines
    loops = ("range", "hierarchical", "reduction")
    lines = mean_line("Teamwork / OpenMP, of the same form, without nd_range", twin_ratios(result, loops), True)
    lines += mean_line("Teamwork / OpenMP, of the same form, nd_range", twin_ratios(result, ("nd_range",)), True)
    lines += mean_line("best OpenMP / best Teamwork", best_ratios(result, "OpenMP"), False)
    if result.opencl:
        lines += mean_line(f"best {result.opencl} / best Teamwork without nd_range", peer_ratios(result), False)
        lines += mean_line(f"{result.opencl} with barriers / hierarchical Teamwork, the best of each", barrier_ratios(result),
                           False, 2)
    return lines


def how(result):
    d = result.data
    text = f"{d['date']}; {d['device']}" + (f", host {d['cpu']}" if result.gpu else "") + f", {d['cores']} cores; "
    text += f"{d['compiler']}, `{d['flags']}`"
    if result.gpu:
        text += f"; OpenMP tuned: `{d['target_flags']}`; {d['cuda']}" if d["cuda"] else ""
    if result.opencl:
        text += f"; {d['opencl'].split('  ')[0]}"  # without how it was configured
    if result.bandwidth:
        text += f". Memory: {result.bandwidth:.0f} GB/s, the most that a stream program reached"
    if result.arithmetic:
        text += f". Arithmetic: {result.arithmetic:.0f} GFLOP/s, the most that `peak` reached"
    return [text + "."]


# ---- plots -------------------------------------------------------------------------------------------------------------

def save(figure, path):
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    # matplotlib leaves blanks at the ends of lines
    with open(path, encoding="utf-8") as file:
        text = "\n".join(line.rstrip() for line in file) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def ratio_axis(axes, values, title):
    low, high = min(values + [0.8]), max(values + [1.25])
    axes.set_xscale("log")
    axes.set_xlim(low * 0.93, high * 1.07)
    marks = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if high > 6 * low else (0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3)
    ticks = [t for t in marks if low * 0.93 <= t <= high * 1.07]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    axes.axvline(1, color="#333333", linewidth=1)
    axes.set_axisbelow(True)
    axes.set_xlabel(title)


def plot_twins(result, path):
    """A dot for each version of Teamwork: its time over that of its twin."""
    points = []
    for program in result.programs:
        for row in sorted(program.of("Teamwork"), key=lambda r: (r["form"], r["kind"])):
            twin, same = program.twin(row, result.baseline)
            if twin and same:
                points.append((f"{program.name}, {row['form']}", row["kind"], ratio_of(row, twin)))
    names = list(dict.fromkeys(p[0] for p in points))
    if not names:
        return False
    figure, axes = pyplot.subplots(figsize=(6.4, 0.9 + 0.21 * len(names)))
    for kind in ("range", "reduction", "hierarchical", "nd_range"):
        some = [p for p in points if p[1] == kind]
        if some:
            axes.scatter([p[2] for p in some], [names.index(p[0]) for p in some], s=26, color=COLORS[kind],
                         marker=MARKERS[kind], label=kind, zorder=3)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    ratio_axis(axes, [p[2] for p in points], f"time of Teamwork / time of {result.baseline} (less is better)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=4, frameon=False, handletextpad=0.1)
    save(figure, path)
    return True


def plot_openmp(result, path):
    """For each program bars: how much faster the best version of Teamwork is than the best in target regions."""
    plain, tuned = dict(best_ratios(result, "OpenMP")), dict(best_ratios(result, "OpenMP, tuned"))
    names = [p.name for p in result.programs if p.name in plain or p.name in tuned]
    if not names:
        return False
    figure, axes = pyplot.subplots(figsize=(6.4, 0.9 + 0.3 * len(names)))
    for values, offset, color, text in ((plain, -0.19, "#c2571a", "plain flags"), (tuned, 0.19, "#e3a872", "best flags")):
        at = [(values[n], i + offset) for i, n in enumerate(names) if n in values]
        axes.barh([y for _, y in at], [x - 1 for x, _ in at], height=0.36, left=1, color=color, label=text, zorder=3)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    ratio_axis(axes, list(plain.values()) + list(tuned.values()),
               "time of hand-written OpenMP / time of Teamwork, best versions (more is better)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=2, frameon=False)
    save(figure, path)
    return True


def plots(result, figures):
    """Writes the plots; the names of the files, with what they show."""
    os.makedirs(figures, exist_ok=True)
    kind = "gpu" if result.gpu else "cpu"
    made = []
    name = f"suite_{kind}_{result.baseline.lower()}.svg"
    if plot_twins(result, os.path.join(figures, name)):
        made.append((name, f"Times of Teamwork over {result.baseline}, of the same form"))
    if result.gpu and plot_openmp(result, os.path.join(figures, "suite_gpu_openmp.svg")):
        made.append(("suite_gpu_openmp.svg", "Times of OpenMP over Teamwork, best versions"))
    return made


# ---- the document ------------------------------------------------------------------------------------------------------

def section(result, figures, document):
    folder = os.path.relpath(figures, os.path.dirname(document) or ".").replace(os.sep, "/")
    lines = how(result) + [""] + summary(result) + [""]
    for name, text in plots(result, figures):
        lines += [f"![{text}]({folder}/{name})", ""]
    lines += table(result)
    sides = " or ".join(filter(None, [result.baseline, result.opencl]))
    note = f"\\* there is no {sides} of the same form: compared with the fastest."
    if any("*" in cell for p in result.programs for cells in program_rows(result, p) for cell in cells[6:9]):
        lines += ["", note]
    return "\n".join(lines + [""] + problems(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--document", default="docs/performance.md")
    parser.add_argument("--figures", default="docs/figures")
    parser.add_argument("results", nargs="+")
    options = parser.parse_args()
    with open(options.document, encoding="utf-8") as file:
        text = file.read()
    for path in options.results:
        result = Result(path)
        if result.data["size"] == "quick":
            print(f"{path}: times of --quick mean nothing, so there is no report of them", file=sys.stderr)
            continue
        text = replace(text, "suite:gpu" if result.gpu else "suite:cpu", section(result, options.figures, options.document))
    with open(options.document, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
