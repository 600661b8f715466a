#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/speed.svg, the figure of README.md, from the tables of docs/results/ and from the sources of the suite.

usage: plot.py [--check]      with --check: fails if the figure is not what the tables and the sources give

Speed: for each program of suite_gpu.md and suite_cpu.md the fastest version of each side, as the time of the other side by
the time of Teamwork. All programs are shown. Lines: those of code that is not blank and no comment, of the functions in
COUNTED, which do the same by the same algorithm.
"""
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIGURE = ROOT / "docs" / "figures" / "speed.svg"
SUITE = ROOT / "tests" / "bench" / "suite"

# program: side: file, and the names of what belongs to its tiled version, the launch included
COUNTED = {
    "transpose": {
        "Teamwork": (SUITE / "transpose/teamwork.c", "transpose_block transpose_tiled BLOCK run_tiled"),
        "OpenMP": (SUITE / "transpose/openmp.c", "transpose_tiled one_tile"),
        "CUDA": (SUITE / "transpose/cuda.cu", "tiled_kernel run"),
    },
    "life": {
        "Teamwork": (SUITE / "life/teamwork.c", "life_block rule sum_in_tile life_tiled_groups now_of next_of BLOCK run_groups"),
        "OpenMP": (SUITE / "life/openmp.c", "life_tiled one_tile"),
        "CUDA": (SUITE / "life/cuda.cu", "tiled_kernel run_tiled"),
    },
    "matmul": {
        "Teamwork": (ROOT / "examples/groups/matmul.c", "product matmul_groups matmul_submit_groups"),
        "OpenMP": (SUITE / "matmul/openmp.c", "matmul_tiled multiply_tiles"),
        "CUDA": (SUITE / "matmul/cuda.cu", "tiled_kernel run_tiled"),
    },
}
RUNS_ON = {"Teamwork": "CPU and GPU, one text", "OpenMP": "CPU and GPU, two texts", "CUDA": "GPU"}
COLORS = {"CUDA": "#c2410c", "OpenMP": "#1d4ed8", "OpenMP, best flags": "#1d4ed8", "Teamwork": "#047857"}


# ---- tables ----------------------------------------------------------------------------------------------------------

def microseconds(text):
    number, unit = text.split()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


MEANS = {"CUDA": "best CUDA", "OpenMP": "best OpenMP( with plain flags)?", "OpenMP, best flags": "best OpenMP with the best flags"}


def read_speeds(name):
    """Of a file of results its head line; for each program what the others take by what Teamwork takes; and the means."""
    text = (ROOT / "docs" / "results" / name).read_text()
    machine = text.split("\n\n")[1].replace("\n", " ").split(";")
    programs, columns = {}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| program") and "Teamwork" in cells:
            columns = cells
        elif line.startswith("| program"):
            columns = []
        elif line.startswith("| ") and columns:
            row = dict(zip(columns, cells))
            times = programs.setdefault(row["program"], {})
            ours = microseconds(row["Teamwork"])
            others = {"Teamwork": ours}
            if "CUDA" in row:
                others["CUDA"] = microseconds(row["CUDA"])
                others["OpenMP"] = float(row["OpenMP"]) * ours
                others["OpenMP, best flags"] = float(row["tuned"]) * ours
            else:
                others["OpenMP"] = microseconds(row["OpenMP"])
            for side, time in others.items():
                times[side] = min(time, times.get(side, math.inf))
    words = " ".join(text.split())
    # those that the benchmark has from its rounds, which medians of times do not give exactly
    means = {side: match[match.lastindex] for side, what in MEANS.items()
             if (match := re.search(what + r" / best Teamwork: geometric mean ([0-9.]+) of", words))}
    return machine, ({name: {side: time / times["Teamwork"] for side, time in times.items() if side != "Teamwork"}
                      for name, times in programs.items()}, means)


# ---- lines of code ---------------------------------------------------------------------------------------------------

def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: re.sub(r"[^\n]", "", match[0]), text, flags=re.S)


def definitions(text):
    """What stands at the outermost level of a file, functions, structs, macros and uses of macros: each as its lines."""
    text = re.sub(r"^namespace\n\{(.*)^\}", r"\1", without_comments(text), flags=re.M | re.S)
    lines = [line for line in text.splitlines() if line.strip()]
    at = 0
    while at < len(lines):
        item = [lines[at]]
        at += 1
        while at < len(lines) and is_open(item, lines[at]):
            item.append(lines[at])
            at += 1
        yield item


def is_open(item, following):
    if item[0].startswith("#"):
        return item[-1].endswith("\\")
    joined = "\n".join(item)
    depth = sum(joined.count(c) for c in "({") - sum(joined.count(c) for c in ")}")
    return depth > 0 or (not joined.endswith((";", "}")) and following.startswith(("{", " ")))


def name_of(item):
    """The name that a definition defines, or that a use of a macro is about."""
    head = re.sub(r"__launch_bounds__\([^)]*\)|TW_BLOCK\(\w*\) |template <.*> |SUITE_NAME(?=\()", "", "\n".join(item))
    for pattern in (r"struct (\w+) \{", r"#define (\w+)", r"(?:TW_\w*KERNEL|SUITE_TEAMWORK_RUN)\((\w+)",
                    r"[^({;=]*?\((\w+)\)\(", r"[^({;=]*?(\w+)\("):
        if match := re.match(pattern, head):
            return match[1]
    return None


def count_lines(path, names):
    counted = [(name_of(item), len(item)) for item in definitions(path.read_text()) if name_of(item) in names.split()]
    missing = set(names.split()) - {name for name, _ in counted}
    if missing:
        raise SystemExit(f"plot.py: {path} has no {', '.join(sorted(missing))}")
    return sum(lines for _, lines in counted)


# ---- drawing ---------------------------------------------------------------------------------------------------------

def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def text(x, y, words, anchor="start", size=11, weight="normal", color="#1f2937"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
            f'fill="{color}">{escape(words)}</text>')


def mark(side, x, y):
    color = COLORS[side]
    if side == "OpenMP":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.6" fill="none" stroke="{color}" stroke-width="1.4"/>'
    if side == "CUDA":
        return f'<rect x="{x - 3.3:.1f}" y="{y - 3.3:.1f}" width="6.6" height="6.6" fill="{color}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{color}"/>'


def ticks_between(low, high):
    return [2.0 ** e for e in range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)]


def tick_name(value):
    return f"{value:.0f}" if value >= 1 else f"1/{1 / value:.0f}"


ROW, LABELS = 14, 118


def apart(marks):
    """Of the marks of a row, (side, x), how far each is moved up or down: none hides another one."""
    shifts, taken = [], []
    for side, x in marks:
        if side == "OpenMP":  # a ring, in which the others show
            shifts.append((side, 0))
            continue
        shifts.append((side, 3 if any(abs(x - other) < 7 for other in taken) else 0))
        taken.append(x)
    if any(shift for _, shift in shifts):
        shifts = [(side, shift - 3 if not shift and side != "OpenMP" else shift) for side, shift in shifts]
    return shifts


def speed_panel(left, top, width, title, machine, speeds, sides):
    """A row for each program, the axis below and above. Returns the elements, and where the panel ends."""
    programs, means = speeds
    values = [value for times in programs.values() for value in times.values()]
    ticks = ticks_between(min(values) * 0.95, max(values) * 1.05)
    first, last = left + LABELS, left + width - 10

    def at(value):
        return first + (last - first) * math.log2(value / ticks[0]) / math.log2(ticks[-1] / ticks[0])

    out = [text(left, top, title, size=14, weight="bold"), text(left, top + 16, machine, size=10.5, color="#4b5563"),
           text(left, top + 35, "Geometric means:", size=10.5)]
    x = left + 108
    for side in sides:
        words = f"{side}: {means[side]}"
        out += [mark(side, x + 5, top + 31), text(x + 13, top + 35, words)]
        x += 34 + 6 * len(words)
    begin, end = top + 60, top + 60 + ROW * len(programs)
    for tick in ticks:
        strong = tick == 1
        out.append(f'<line x1="{at(tick):.1f}" y1="{begin - 4}" x2="{at(tick):.1f}" y2="{end}" stroke="'
                   f'{"#111827" if strong else "#e5e7eb"}" stroke-width="{1.2 if strong else 1}"/>')
        out += [text(at(tick), y, tick_name(tick), "middle", 10) for y in (begin - 8, end + 12)]
    order = sorted(programs, key=lambda name: -max(programs[name].values()))
    for index, name in enumerate(order):
        y = begin + ROW * index + ROW / 2
        out.append(text(first - 8, y + 3.5, name, "end", 10.5))
        spread = [at(v) for v in programs[name].values()]
        out.append(f'<line x1="{min(spread):.1f}" y1="{y}" x2="{max(spread):.1f}" y2="{y}" stroke="#9ca3af"/>')
        out += [mark(side, at(programs[name][side]), y + shift)
                for side, shift in apart([(side, at(programs[name][side])) for side in sides])]
    out.append(text((first + last) / 2, end + 28, "time of the other / time of Teamwork; right of 1 Teamwork is faster",
                    "middle", 10.5))
    return out, end + 34


def lines_panel(left, top, width):
    out = [text(left, top, "Lines of code of the same tiled algorithm, kernel and launch", size=14, weight="bold"),
           text(left, top + 16, "not blank, no comments; counted in tests/bench/suite", size=10.5, color="#4b5563")]
    counts = {name: {side: count_lines(*where) for side, where in sides.items()} for name, sides in COUNTED.items()}
    most = max(count for sides in counts.values() for count in sides.values())
    first, y = left + LABELS, top + 32
    scale = (width - LABELS - 190) / most
    end = y + len(counts) * (15 * len(RUNS_ON) + 8)
    for tick in range(0, most + 1, 20):
        out.append(f'<line x1="{first + tick * scale:.1f}" y1="{y - 4}" x2="{first + tick * scale:.1f}" y2="{end}" stroke="#e5e7eb"/>')
        out.append(text(first + tick * scale, end + 12, str(tick), "middle", 10))
    out.append(text(first + most * scale / 2, end + 28, "lines of code", "middle", 10.5))
    for name, sides in counts.items():
        out.append(text(first - 8, y + 25, name, "end", 10.5))
        for side, count in sides.items():
            out.append(f'<rect x="{first}" y="{y}" width="{count * scale:.1f}" height="12" fill="{COLORS[side]}"/>')
            out.append(text(first + count * scale + 5, y + 10, f"{count}  {side}: {RUNS_ON[side]}", size=10))
            y += 15
        y += 8
    return out, end + 34


def draw():
    gpu_machine, gpu = read_speeds("suite_gpu.md")
    cpu_machine, cpu = read_speeds("suite_cpu.md")
    width, half = 1040, 505
    left, left_end = speed_panel(20, 30, half, f"{len(gpu[0])} programs on {gpu_machine[1].split(',')[0].strip()}",
                                 f"{gpu_machine[0]}; clang 19, nvcc 13; data on the GPU", gpu,
                                 ["CUDA", "OpenMP, best flags", "OpenMP"])
    right, right_end = speed_panel(20 + half + 20, 30, half - 20, f"{len(cpu[0])} programs on a processor",
                                   f"{cpu_machine[0]};{cpu_machine[1]}", cpu, ["OpenMP"])
    lines, lines_end = lines_panel(20 + half + 20, right_end + 40, half - 20)
    height = max(left_end, lines_end) + 10
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}" '
        'font-family="Helvetica, Arial, sans-serif">',
        f'<title>{len(gpu[0])} programs on a GPU and {len(cpu[0])} on a processor: times of CUDA and OpenMP by those of Teamwork, '
        'and lines of code</title>',
        f'<rect width="{width}" height="{height:.0f}" fill="#ffffff"/>', *left, *right, *lines, "</svg>", ""])


if __name__ == "__main__":
    figure = draw()
    if sys.argv[1:] == ["--check"]:
        if not FIGURE.exists() or FIGURE.read_text() != figure:
            sys.exit("docs/figures/speed.svg is not of these results and sources: run python3 tests/bench/plot.py")
    elif len(sys.argv) > 1:
        sys.exit(__doc__)
    else:
        FIGURE.write_text(figure)
