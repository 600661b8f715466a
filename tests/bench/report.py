#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables and plots of docs/performance.md from what the benchmarks wrote with --json.

usage: report.py [--document docs/performance.md] [--figures docs/figures] RESULT.json...

A result replaces what stands between the markers of its benchmark and kind of device in the document,

    <!-- suite:gpu -->  ...  <!-- /suite:gpu -->      suite, micro, halo or multi; gpu or cpu

Of several results of micro for one kind, which is what a run with --peers is, the later ones add the sides that the
first does not have. The plots of the suite need matplotlib, and are left as they are without. The same results make the
same files, byte for byte.
"""
import argparse
import json
import math
import os
import statistics
import sys
import textwrap

try:
    import matplotlib
except ImportError:
    matplotlib = None
else:
    matplotlib.use("svg")
    matplotlib.rcParams.update({
        "svg.hashsalt": "teamwork",  # else ids are random
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": "#1f2328",
        "axes.labelcolor": "#1f2328",
        "axes.edgecolor": "#1f2328",
        "xtick.color": "#1f2328",
        "ytick.color": "#1f2328",
        "figure.facecolor": "#ffffff",
        "savefig.facecolor": "#ffffff",
    })
    from matplotlib import pyplot  # (after the backend is chosen)

WIDTH = 120  # of lines in documents


# ---- documents -------------------------------------------------------------------------------------------------------

def replace(text, name, body):
    """The text with `body` between the markers <!-- NAME --> and <!-- /NAME -->."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        raise SystemExit(f"the document has no markers {begin} and {end}")
    return text[:first + len(begin)] + "\n" + body + "\n" + text[last:]


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

# of plots; what each colour is where the viewer prefers dark ones
DARK = {"#ffffff": "#0d1117", "#1f2328": "#e6edf3", "#e6e6e6": "#30363d", "#333333": "#c9d1d9", "#1f6fb4": "#58a6ff",
        "#2a9d5c": "#3fb950", "#c2571a": "#f0883e", "#e3a872": "#a5673f", "#7b4fa3": "#bc8cff"}
COLORS = {"range": "#1f6fb4", "hierarchical": "#2a9d5c", "nd_range": "#c2571a", "reduction": "#7b4fa3"}
MARKERS = {"range": "o", "hierarchical": "s", "nd_range": "D", "reduction": "^"}


class Program:
    """The rows of one program."""

    def __init__(self, name, rows):
        self.name = name
        self.rows = rows
        self.title = rows[0]["title"]
        self.source = rows[0]["source"]
        self.literal = rows[0].get("literal", False)

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

    def __init__(self, data):
        self.data = data
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
    """With three digits, or all before the point."""
    value, unit = (us / 1e3, "ms") if us >= 1e3 else (us, "us")
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def label(program, row):
    return f"{program.name}, {row['form']}" + (f" ({row['kind']})" if row["kind"] else "")


def ratio_of(row, base):
    """The median of the ratios of each round, in which both had the same load."""
    ratios = [a / b for a, b in zip(row["turns_us"], base["turns_us"]) if a > 0 and b > 0]
    return statistics.median(ratios) if ratios else row["median_us"] / base["median_us"]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


# ---- the suite: tables -----------------------------------------------------------------------------------------------

def percent(part):
    return f" {100 * part:.0f}%" if part >= 0.005 else ""


def share(result, row):
    """Of the memory's rate or of the arithmetic one, whichever is closer to its limit."""
    memory, arithmetic = gigabytes(row), row["flops"] / row["median_us"] * 1e-3
    of_memory = memory / result.bandwidth if result.bandwidth else 0
    of_arithmetic = arithmetic / result.arithmetic if result.arithmetic else 0
    if of_arithmetic > of_memory or (not result.arithmetic and row["flops"] > 4 * row["bytes"]):
        return f"{arithmetic:.0f} GF/s" + percent(of_arithmetic)
    return f"{memory:.{0 if memory >= 10 else 1}f} GB/s" + percent(of_memory)


def spread(row):
    """How far the quartiles are apart, of the median."""
    return f"{100 * (row['p75_us'] - row['p25_us']) / row['median_us']:.0f}%"


def speedup(other, row):
    return f"{ratio_of(other, row):.2f}" if other else "-"


def starred(ratio, same):
    return f"{ratio:.2f}{'' if same else '*'}"


def program_rows(result, program):
    for row in sorted(program.of("Teamwork"), key=lambda r: (r["form"], r["kind"])):
        twin, same = program.twin(row, result.baseline)
        cells = [program.name, row["form"], row["kind"], time_text(row["median_us"]), spread(row),
                 time_text(twin["median_us"]) if twin else "-", starred(ratio_of(row, twin), same) if twin else "-"]
        if result.gpu:
            cells += [speedup(program.best("OpenMP"), row), speedup(program.best("OpenMP, tuned"), row)]
        if result.opencl:
            peer, same = program.twin(row, "OpenCL")
            cells += [time_text(peer["median_us"]), starred(ratio_of(peer, row), same)] if peer else ["-", "-"]
        yield cells + [share(result, row)]
    for row in program.rows:
        if not row["checked"]:
            cells = [program.name, row["form"], row["kind"], f"**failed** ({row['side']})"]
            yield cells + [""] * (len(head(result)) - len(cells))


def head(result):
    cells = ["program", "form", "kernels", "Teamwork", "IQR", result.baseline, "ratio"]
    if result.gpu:
        cells += ["OpenMP", "tuned"]
    if result.opencl:
        cells += [result.opencl, "ratio"]
    return cells + ["reached"]


def legend(result):
    text = (f"Times of Teamwork and {result.baseline}; IQR: the distance of the quartiles by the median; "
            f"ratio: Teamwork / {result.baseline}")
    if result.gpu:
        text += "; OpenMP, tuned: the best of OpenMP with plain and with the best flags / Teamwork"
    if result.opencl:
        text += f"; the second ratio: {result.opencl} / Teamwork"
    return text + "; *: there is none of the same form, compared with the fastest."


def suite_tables(result):
    """The programs with literal forms, and the others."""
    titles = {True: "Literal forms, whose kernels are written as one writes them first:",
              False: "Programs that were written with the machine in mind:"}
    lines = []
    for literal, title in titles.items():
        rows = [cells for p in result.programs if p.literal == literal for cells in program_rows(result, p)]
        if rows:
            lines += ["", title, ""] + text_table(head(result), rows, range(3, len(head(result))))
    return lines


def problems(result):
    return text_table(["program", "problem", "after"], [[p.name, p.title, p.source] for p in result.programs])


# ---- the suite: the summary ------------------------------------------------------------------------------------------

def twin_ratios(result, literal, kinds=None):
    """(label, ratio) for each version of Teamwork that has a twin, of programs that are literal or that are not."""
    for program in result.programs:
        for row in program.of("Teamwork") if program.literal == literal else []:
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
    """(name, ratio) for each program with barriers: the best of OpenCL with barriers over the best hierarchical one."""
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
    text = f"- {title}: geometric mean {geometric_mean([r for _, r in ratios]):.2f} of {len(ratios)}, "
    text += f"worst {ratios[0][1]:.2f}; "
    kind = f"{'above' if larger_is_worse else 'below'} {limit:.2f}"
    return paragraph(text + (f"{kind}: {', '.join(beyond)}." if beyond else f"none {kind}."), "  ")


def summary(result):
    if result.gpu:
        lines = mean_line("literal forms: Teamwork / CUDA", twin_ratios(result, True), True)
        lines += mean_line("others: Teamwork / CUDA, of the same form", twin_ratios(result, False), True)
        lines += mean_line("best CUDA / best Teamwork", best_ratios(result, "CUDA"), False)
        lines += mean_line("best OpenMP with plain flags / best Teamwork", best_ratios(result, "OpenMP"), False)
        lines += mean_line("best OpenMP with the best flags / best Teamwork", best_ratios(result, "OpenMP, tuned"),
                           False)
        return lines
    loops = ("range", "hierarchical", "reduction")
    lines = mean_line("literal forms: Teamwork / OpenMP", twin_ratios(result, True), True, 1.2)
    lines += mean_line("others: Teamwork / OpenMP, of the same form, without nd_range",
                       twin_ratios(result, False, loops), True)
    lines += mean_line("others: Teamwork / OpenMP, of the same form, nd_range",
                       twin_ratios(result, False, ("nd_range",)), True)
    lines += mean_line("best OpenMP / best Teamwork", best_ratios(result, "OpenMP"), False)
    if result.opencl:
        lines += mean_line(f"best {result.opencl} / best Teamwork without nd_range", peer_ratios(result), False)
        lines += mean_line(f"{result.opencl} with barriers / hierarchical Teamwork, the best of each",
                           barrier_ratios(result), False, 2)
    return lines


def how(result):
    d = result.data
    text = f"{d['date']}; {d['device']}" + (f", host {d['cpu']}" if result.gpu else "") + f", {d['cores']} cores"
    text += "; " if result.gpu else f", {d['vectors']}; "
    text += f"{d['compiler']}, `{d['flags']}`"
    if result.gpu:
        text += f"; OpenMP tuned: `{d['target_flags']}`; {d['cuda']}" if d["cuda"] else ""
    if result.opencl:
        text += f"; {d['opencl'].split('  ')[0]}"  # without how it was configured
    if result.bandwidth:
        text += f". Memory: {result.bandwidth:.0f} GB/s, the most that a stream program reached"
    if result.arithmetic:
        text += f". Arithmetic: {result.arithmetic:.0f} GFLOP/s, the most that `peak` reached"
    return paragraph(text + ".")


# ---- the suite: plots ------------------------------------------------------------------------------------------------

def dark_style():
    """Rules for viewers that prefer dark colours; all others take what matplotlib wrote."""
    rules = "".join(f'[style*="{what}: {light}"]{{{what}:{dark} !important}}'
                    for light, dark in DARK.items() for what in ("fill", "stroke"))
    return f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"


def save(figure, path):
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    # matplotlib leaves blanks at the ends of lines
    with open(path, encoding="utf-8") as file:
        text = "\n".join(line.rstrip() for line in file) + "\n"
    start = text.index(">", text.index("<svg")) + 1
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:start] + "\n " + dark_style() + text[start:])


def title_of(result, what):
    """What a plot shows, where and when."""
    d = result.data
    return f"{what}\n{d['device']}, {d['cores']} cores; {d['compiler'].split(' (')[0]}; {d['date']}"


def ratio_axis(axes, values, title):
    low, high = min(values + [0.8]), max(values + [1.25])
    axes.set_xscale("log")
    axes.set_xlim(low * 0.93, high * 1.07)
    wide, narrow = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100), (0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3)
    marks = wide if high > 6 * low else narrow
    ticks = [t for t in marks if low * 0.93 <= t <= high * 1.07]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    axes.axvline(1, color="#333333", linewidth=1)
    axes.set_axisbelow(True)
    axes.set_xlabel(title)


def twin_points(result, literal):
    """{"program, form": [(kind, ratio to its twin)...]}, that of the worst ratio first."""
    points = {}
    for program in result.programs:
        for row in program.of("Teamwork") if program.literal == literal else []:
            twin, same = program.twin(row, result.baseline)
            if twin and same:
                points.setdefault(f"{program.name}, {row['form']}", []).append((row["kind"], ratio_of(row, twin)))
    return dict(sorted(points.items(), key=lambda p: -max(ratio for _, ratio in p[1])))


def plot_twins(result, path):
    """A dot for each version of Teamwork: its time over that of its twin. The literal forms come first."""
    parts = [(text, points) for text, points in (("literal forms", twin_points(result, True)),
                                                 ("written with the machine in mind", twin_points(result, False)))
             if points]
    if not parts:
        return False
    lines = [len(points) for _, points in parts]
    figure, all_axes = pyplot.subplots(len(parts), figsize=(7.2, 1.2 + 0.5 * len(parts) + 0.21 * sum(lines)),
                                       sharex=True, squeeze=False, layout="constrained",
                                       gridspec_kw={"height_ratios": [n + 1 for n in lines]})
    everything = [ratio for _, points in parts for some in points.values() for _, ratio in some]
    for axes, (text, points) in zip(all_axes[:, 0], parts):
        ratios = [ratio for some in points.values() for _, ratio in some]
        for kind in COLORS:
            some = [(ratio, y) for y, of_name in enumerate(points.values()) for k, ratio in of_name if k == kind]
            if some:
                axes.scatter([x for x, _ in some], [y for _, y in some], s=26, color=COLORS[kind],
                             marker=MARKERS[kind], label=kind, zorder=3)
        axes.set_yticks(range(len(points)), list(points))
        axes.set_ylim(len(points) - 0.4, -0.6)
        axes.set_title(f"{text}: geometric mean {geometric_mean(ratios):.2f}, worst {max(ratios):.2f}", fontsize=9,
                       loc="left")
        ratio_axis(axes, everything, "")
        axes.legend(loc="lower right", edgecolor="none", handletextpad=0.1)  # the order leaves room there
    all_axes[-1, 0].set_xlabel(f"time of Teamwork / time of {result.baseline} (less is better)")
    figure.suptitle(title_of(result, f"Teamwork and {result.baseline}, kernels of the same form"), fontsize=10)
    save(figure, path)
    return True


def plot_openmp(result, path):
    """For each program bars: how much faster the best version of Teamwork is than the best in target regions."""
    plain, tuned = dict(best_ratios(result, "OpenMP")), dict(best_ratios(result, "OpenMP, tuned"))
    names = [p.name for p in result.programs if p.name in plain or p.name in tuned]
    if not names:
        return False
    names.sort(key=lambda n: tuned.get(n, plain.get(n)))
    figure, axes = pyplot.subplots(figsize=(7.2, 1.4 + 0.3 * len(names)), layout="constrained")
    bars = ((plain, -0.19, "#c2571a", "plain flags"), (tuned, 0.19, "#e3a872", "best flags"))
    for values, offset, color, text in bars:
        at = [(values[n], i + offset) for i, n in enumerate(names) if n in values]
        axes.barh([y for _, y in at], [x - 1 for x, _ in at], height=0.36, left=1, color=color, label=text, zorder=3)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    ratio_axis(axes, list(plain.values()) + list(tuned.values()),
               "time of hand-written OpenMP / time of Teamwork, best versions (more is better)")
    axes.legend(loc="upper right", edgecolor="none")  # the order leaves room there
    figure.suptitle(title_of(result, "Teamwork and OpenMP in target regions, the best of each program"), fontsize=10)
    save(figure, path)
    return True


FIGURES = {
    "gpu": [("suite_gpu_cuda.svg", "Times of Teamwork over CUDA, of the same form"),
            ("suite_gpu_openmp.svg", "Times of OpenMP over Teamwork, best versions")],
    "cpu": [("suite_cpu_openmp.svg", "Times of Teamwork over OpenMP, of the same form")],
}


def plots(result, figures):
    """Writes the plots; the names of the files, with what they show."""
    os.makedirs(figures, exist_ok=True)
    draw = (plot_twins, plot_openmp)
    names = FIGURES["gpu" if result.gpu else "cpu"]
    return [entry for entry, plot in zip(names, draw) if plot(result, os.path.join(figures, entry[0]))]


def suite_section(results, options):
    result = Result(results[0])
    folder = os.path.relpath(options.figures, os.path.dirname(options.document) or ".").replace(os.sep, "/")
    lines = how(result) + [""] + summary(result) + [""]
    if matplotlib:
        figures = plots(result, options.figures)
    else:
        print("the plots stay as they are: there is no matplotlib (Debian package python3-matplotlib)", file=sys.stderr)
        figures = FIGURES["gpu" if result.gpu else "cpu"]
    for name, text in figures:
        lines += [f"![{text}]({folder}/{name})", ""]
    return "\n".join(lines + paragraph(legend(result)) + suite_tables(result) + [""] + problems(result))


# ---- the micro-benchmarks --------------------------------------------------------------------------------------------

SIDES = ["Teamwork", "CUDA", "OpenMP", "OpenCL", "StarPU", "the process"]


def micro_value(row):
    value, unit = row["value"], row["unit"]
    if unit == "us" and value >= 10000:
        value, unit = value / 1000, "ms"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit.replace('us', 'µs')}"


def bytes_text(count):
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << power and count % (1 << power) == 0:
            return f"{count >> power} {unit}"
    return f"{count} B"


def keys_of(row, rows):
    """The names in a row's parameter, without those that are the same in all jobs of the operation; and their values."""
    def pairs(r):
        text = r["parameter"]
        return tuple(p.split("=", 1) for p in text.split()) if "=" in text else (("case" if text else "", text),)

    names = tuple(name for name, _ in pairs(row))
    like = [dict(pairs(r)) for r in rows if r["bench"] == row["bench"] and tuple(n for n, _ in pairs(r)) == names]
    varying = tuple(n for n in names if len({r[n] for r in like}) > 1) or names[:1]
    return varying, tuple(dict(pairs(row))[n] for n in varying)


def micro_tables(keys, rows):
    """Tables of the operations whose jobs differ by `keys`: a line for each version, a column for each job."""
    jobs = list(dict.fromkeys(job for _, job, _ in rows))
    if all(len(job) == 1 and job[0].isdigit() for job in jobs):
        jobs.sort(key=lambda job: int(job[0]))
    name = ", ".join(key for key in keys if key)
    columns = [bytes_text(int(job[0])) if name == "bytes" else " ".join(job) or "time" for job in jobs]
    lines = {}
    for row, job, text in rows:
        lines.setdefault(row["bench"], {}).setdefault((row["side"], row["variant"]), {})[job] = text
    cells = [[bench, *version, *(texts.get(job, "") for job in jobs)] for bench, versions in lines.items()
             for version, texts in sorted(versions.items(), key=lambda v: (SIDES + [v[0][0]]).index(v[0][0]))]
    by = f"by {name}" if name else "version"
    table = text_table(["operation", "side", by] + columns, cells, range(3, 3 + len(jobs)))
    if max(map(len, table)) <= WIDTH:
        return table
    tables = []
    for bench in lines:
        versions = [row[1:3] for row in cells if row[0] == bench]
        times = [row[3:] for row in cells if row[0] == bench]
        table = text_table([bench, by] + columns, [v + t for v, t in zip(versions, times)], range(2, 2 + len(jobs)))
        if max(map(len, table)) > WIDTH:  # the other way round
            table = text_table([bench] + [", ".join(filter(None, version)) for version in versions],
                               [[column] + list(column_times) for column, *column_times in zip(columns, *times)
                                if any(column_times)], range(1, 1 + len(versions)))
        tables += ([""] if tables else []) + table
    return tables


def micro_section(results, _):
    data, *others = results
    rows = list(data["rows"])
    for other in others:
        known = {row["side"] for row in rows}
        rows += [row for row in other["rows"] if row["side"] not in known]
    tables = {}
    for row in rows:
        keys, job = keys_of(row, rows)
        tables.setdefault(keys, []).append((row, job, micro_value(row)))
    lines = paragraph(f"{data['date']}; {data['device']}, {data['cores']} cores; {data['compiler']}. Medians.")
    for keys, some in tables.items():
        lines += [""] + micro_tables(keys, some)
    return "\n".join(lines)


# ---- halo ------------------------------------------------------------------------------------------------------------

def halo_section(results, _):
    rows = [[row["parameter"], row["side"], row["variant"], f"{row['value']:.1f} µs", f"{row['enqueued']:.1f} µs",
             f"{row['efficiency']:.3f}"]
            for data in results for row in data["rows"]]
    lines = paragraph(f"{results[0]['date']}; {results[0]['device']}; {results[0]['compiler']}. Medians of a step; "
                      "\"enqueued\" is the part of it until the host has submitted all.")
    table = text_table(["grid of each device", "side", "how", "a step", "enqueued", "efficiency"], rows, (3, 4, 5))
    return "\n".join(lines + [""] + table)


# ---- multi -----------------------------------------------------------------------------------------------------------

def multi_section(results, _):
    rows = [[row["bench"], row["variant"], row["side"], row["parameter"], f"{row['value']:.4g} {row['unit']}",
             f"{row['efficiency']:.3f}" if "efficiency" in row else ""]
            for data in results for row in data["rows"]]
    lines = paragraph(f"{results[0]['date']}; {results[0]['device']}; {results[0]['compiler']}. Medians.")
    table = text_table(["what", "how", "side", "size", "result", "efficiency"], rows, (4, 5))
    return "\n".join(lines + [""] + table)


# ---- the document ----------------------------------------------------------------------------------------------------

SECTIONS = {"suite": suite_section, "micro": micro_section, "halo": halo_section, "multi": multi_section}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--document", default="docs/performance.md")
    parser.add_argument("--figures", default="docs/figures")
    parser.add_argument("results", nargs="+")
    options = parser.parse_args()
    found = {}
    for path in options.results:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        if data.get("size") == "quick":
            print(f"{path}: times of --quick mean nothing, so there is no report of them", file=sys.stderr)
        else:
            found.setdefault((data["benchmark"], data["kind"]), []).append(data)
    with open(options.document, encoding="utf-8") as file:
        text = file.read()
    for (benchmark, kind), results in found.items():
        text = replace(text, f"{benchmark}:{kind}", SECTIONS[benchmark](results, options))
    with open(options.document, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
