#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes documents of what the benchmarks wrote with --json.

usage: report.py [--docs docs] RESULT.json...

All rows of a result become tables in a file of their own, docs/results/BENCHMARK_KIND.md, where KIND is gpu or cpu. The
summary of a result of the suite also replaces what stands between its markers in docs/performance.md,

    <!-- suite:gpu -->  ...  <!-- /suite:gpu -->

The same results make the same files, byte for byte.
"""
import argparse
import json
import math
import os
import statistics
import sys
import textwrap

WIDTH = 120  # of lines in documents


def paragraph(text, indent=""):
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def text_table(head, rows, right=()):
    """Lines of a table whose columns are as wide as their longest cell; those in `right` are set to the right."""
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]

    def line(cells):
        texts = (c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths)))
        return "| " + " | ".join(texts) + " |"

    rule = "|".join("-" * (w + 1) + (":" if i in right else "-") for i, w in enumerate(widths))
    return [line(head), f"|{rule}|"] + [line(row) for row in rows]


# ---- the suite: programs and their versions --------------------------------------------------------------------------

class Program:
    """The rows of one program."""

    def __init__(self, name, rows):
        self.name = name
        self.rows = rows
        self.title = rows[0]["title"]
        self.source = rows[0]["source"]
        self.literal = rows[0]["literal"]

    def of(self, side):
        return [r for r in self.rows if r["side"] == side and r["checked"] and r["median_us"] > 0]

    def best(self, side):
        return min(self.of(side), key=lambda r: r["median_us"], default=None)

    def twin(self, row, side):
        """The version that a row is compared with, and whether it has the same form."""
        same = [r for r in self.of(side) if r["form"] == row["form"]]
        return (same[0], True) if same else (self.best(side), False)


class Suite:
    """One file."""

    def __init__(self, data):
        self.data = data
        self.gpu = data["kind"] == "gpu"
        self.baseline = "CUDA" if self.gpu else "OpenMP"
        names = list(dict.fromkeys(r["program"] for r in data["rows"]))
        self.programs = [Program(n, [r for r in data["rows"] if r["program"] == n]) for n in names]
        # the limits: the most that a stream program and that "peak" reach, by whatever side, in their shortest time
        self.bandwidth = self.most("stream_", "bytes")
        self.arithmetic = self.most("peak", "flops")

    def most(self, prefix, work):
        rows = [r for p in self.programs if p.name.startswith(prefix) for r in p.rows]
        return max((r[work] / r["min_us"] * 1e-3 for r in rows if r["checked"] and r["min_us"] > 0), default=0)


def time_text(us):
    """With three digits, or all before the point."""
    value, unit = (us / 1e3, "ms") if us >= 1e3 else (us, "us")
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def ratio_of(row, base):
    """The median of the ratios of each round, in which both had the same load."""
    ratios = [a / b for a, b in zip(row["turns_us"], base["turns_us"]) if a > 0 and b > 0]
    return statistics.median(ratios) if ratios else row["median_us"] / base["median_us"]


def share(suite, row):
    """Of the memory's rate or of the arithmetic one, whichever is closer to its limit."""
    def percent(part):
        return f" {100 * part:.0f}%" if part >= 0.005 else ""

    memory, arithmetic = (row[work] / row["median_us"] * 1e-3 for work in ("bytes", "flops"))
    of_memory = memory / suite.bandwidth if suite.bandwidth else 0
    of_arithmetic = arithmetic / suite.arithmetic if suite.arithmetic else 0
    if of_arithmetic > of_memory or (not suite.arithmetic and row["flops"] > 4 * row["bytes"]):
        return f"{arithmetic:.0f} GF/s" + percent(of_arithmetic)
    return f"{memory:.{0 if memory >= 10 else 1}f} GB/s" + percent(of_memory)


# ---- the suite: tables -----------------------------------------------------------------------------------------------

def suite_head(suite):
    return (["program", "form", "kernels", "Teamwork", "IQR", suite.baseline, "ratio"]
            + (["OpenMP", "tuned"] if suite.gpu else []) + ["reached"])


def suite_cells(suite, program, row):
    if not row["checked"]:
        cells = [program.name, row["form"], row["kind"], f"**failed** ({row['side']})"]
        return cells + [""] * (len(suite_head(suite)) - len(cells))
    twin, same = program.twin(row, suite.baseline)
    spread = 100 * (row["p75_us"] - row["p25_us"]) / row["median_us"]
    cells = [program.name, row["form"], row["kind"], time_text(row["median_us"]), f"{spread:.0f}%"]
    cells += [time_text(twin["median_us"]), f"{ratio_of(row, twin):.2f}{'' if same else '*'}"] if twin else ["-", "-"]
    for side in ("OpenMP", "OpenMP, tuned") if suite.gpu else ():
        best = program.best(side)
        cells.append(f"{ratio_of(best, row):.2f}" if best else "-")
    return cells + [share(suite, row)]


def suite_tables(suite):
    """The programs with literal forms, and the others; then what each program computes."""
    text = (f"Times of Teamwork and {suite.baseline}; IQR: the distance of the quartiles by the median; "
            f"ratio: Teamwork / {suite.baseline}")
    if suite.gpu:
        text += "; OpenMP, tuned: the best of OpenMP with plain and with the best flags / Teamwork"
    lines = paragraph(text + "; *: there is none of the same form, compared with the fastest.")
    head = suite_head(suite)
    for literal, title in ((True, "Literal forms, whose kernels are written as one writes them first:"),
                           (False, "Programs that were written with the machine in mind:")):
        cells = [suite_cells(suite, p, row) for p in suite.programs if p.literal == literal
                 for row in sorted(p.rows, key=lambda r: (r["form"], r["kind"]))
                 if row["side"] == "Teamwork" or not row["checked"]]
        if cells:
            lines += ["", title, ""] + text_table(head, cells, range(3, len(head)))
    return lines + [""] + text_table(["program", "problem", "after"],
                                     [[p.name, p.title, p.source] for p in suite.programs])


# ---- the suite: the summary ------------------------------------------------------------------------------------------

def twin_ratios(suite, literal, kinds=None):
    """(label, ratio) for each version of Teamwork that has a twin, of programs that are literal or that are not."""
    for program in suite.programs:
        for row in program.of("Teamwork") if program.literal == literal else []:
            twin, same = program.twin(row, suite.baseline)
            if twin and same and (not kinds or row["kind"] in kinds):
                yield f"{program.name}, {row['form']} ({row['kind']})", ratio_of(row, twin)


def best_ratios(suite, side):
    """(name, ratio) for each program: the best of another side over the best of Teamwork."""
    for program in suite.programs:
        ours, theirs = program.best("Teamwork"), program.best(side)
        if ours and theirs:
            yield program.name, ratio_of(theirs, ours)


def mean_line(title, ratios, larger_is_worse, limit):
    ratios = sorted(ratios, key=lambda r: r[1], reverse=larger_is_worse)
    if not ratios:
        return []
    # as rounded: 0.996 is no shortfall
    beyond = [f"{name} {ratio:.2f}" for name, ratio in ratios
              if (round(ratio, 2) > limit if larger_is_worse else round(ratio, 2) < limit)]
    mean = math.exp(sum(math.log(ratio) for _, ratio in ratios) / len(ratios))
    kind = f"{'above' if larger_is_worse else 'below'} {limit:.2f}"
    return paragraph(f"- {title}: geometric mean {mean:.2f} of {len(ratios)}, worst {ratios[0][1]:.2f}; "
                     + (f"{kind}: {', '.join(beyond)}." if beyond else f"none {kind}."), "  ")


def suite_summary(suite):
    b = suite.baseline
    lines = mean_line(f"literal forms: Teamwork / {b}", twin_ratios(suite, True), True, 1.1 if suite.gpu else 1.2)
    if suite.gpu:
        lines += mean_line(f"others: Teamwork / {b}, of the same form", twin_ratios(suite, False), True, 1.1)
        lines += mean_line(f"best {b} / best Teamwork", best_ratios(suite, b), False, 1)
        lines += mean_line("best OpenMP with plain flags / best Teamwork", best_ratios(suite, "OpenMP"), False, 1)
        return lines + mean_line("best OpenMP with the best flags / best Teamwork",
                                 best_ratios(suite, "OpenMP, tuned"), False, 1)
    for text, kinds in (("without nd_range", ("range", "hierarchical", "reduction")), ("nd_range", ("nd_range",))):
        lines += mean_line(f"others: Teamwork / {b}, of the same form, {text}", twin_ratios(suite, False, kinds), True,
                           1.1)
    return lines + mean_line(f"best {b} / best Teamwork", best_ratios(suite, b), False, 1)


def suite_how(suite):
    d = suite.data
    text = f"{d['date']}; {d['device']}" + (f", host {d['cpu']}" if suite.gpu else "") + f", {d['cores']} cores"
    text += ("; " if suite.gpu else f", {d['vectors']}; ") + f"{d['compiler']}, `{d['flags']}`"
    if suite.gpu:
        text += f"; OpenMP tuned: `{d['target_flags']}`; {d['cuda']}"
    return paragraph(f"{text}. Memory: {suite.bandwidth:.0f} GB/s, the most that a stream program reached. Arithmetic: "
                     f"{suite.arithmetic:.0f} GFLOP/s, the most that `peak` reached.")


# ---- the other benchmarks: a line for each row -----------------------------------------------------------------------

def plain_tables(data):
    heads = {"enqueued": "until all is enqueued", "efficiency": "efficiency"}
    extra = [key for key in heads if any(key in row for row in data["rows"])]
    rows = [[row["bench"], row["parameter"], row["side"], row["variant"], f"{row['value']:.4g} {row['unit']}"]
            + [f"{row[key]:.4g}" if key in row else "" for key in extra] for row in data["rows"]]
    lines = paragraph(f"{data['date']}; {data['device']}, {data['cores']} cores; {data['compiler']}. Medians.")
    return lines + [""] + text_table(["what", "of", "side", "how", "result"] + [heads[key] for key in extra], rows,
                                     range(4, 5 + len(extra)))


# ---- the documents ---------------------------------------------------------------------------------------------------

def replace(path, name, lines):
    """Puts lines between the markers <!-- NAME --> and <!-- /NAME --> of a document."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        raise SystemExit(f"{path} has no markers {begin} and {end}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:first + len(begin)] + "\n" + "\n".join(lines) + "\n" + text[last:])


def report(data, docs):
    benchmark, kind = data["benchmark"], data["kind"]
    lines = [f"# Results of *{benchmark}* on a {'GPU' if kind == 'gpu' else 'processor'}", ""]
    if benchmark == "suite":
        suite = Suite(data)
        summary = suite_how(suite) + [""] + suite_summary(suite)
        replace(os.path.join(docs, "performance.md"), f"suite:{kind}", summary)
        lines += summary + [""] + suite_tables(suite)
    else:
        lines += plain_tables(data)
    with open(os.path.join(docs, "results", f"{benchmark}_{kind}.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", default="docs")
    parser.add_argument("results", nargs="+")
    options = parser.parse_args()
    for path in options.results:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        if data.get("size") == "quick":
            print(f"{path}: times of --quick mean nothing, so there is no report of them", file=sys.stderr)
        else:
            report(data, options.docs)


if __name__ == "__main__":
    main()
