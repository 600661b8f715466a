#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the diagrams of the documents: docs/figures/order.svg, group.svg, lowerings.svg and parts.svg.

usage: diagrams.py [--check]      with --check: fails if a figure is not what this script draws

A diagram is a function below, which places boxes, arrows and words in pixels."""

import sys
from pathlib import Path

FIGURES = Path(__file__).resolve().parents[1] / "figures"
INK, SOFT, LINE = "#1f2937", "#4b5563", "#6b7280"
KERNEL, BUFFER, HOST, MEMORY, PLAIN = "#dbeafe", "#dcfce7", "#fef3c7", "#fce7f3", "#f3f4f6"


class Drawing:
    def __init__(self, width, height, title):
        self.head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                     f'font-family="Helvetica, Arial, sans-serif">\n<title>{title}</title>\n'
                     '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
                     f'orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{LINE}"/></marker></defs>\n'
                     f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n')
        self.parts = []

    def box(self, x, y, width, height, fill, words="", size=13, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{LINE}"{dash}/>')
        lines = words.split("\n") if words else []
        for index, line in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + size * 0.35 + (index - (len(lines) - 1) / 2) * (size + 3), line, size)

    def text(self, x, y, words, size=13, anchor="middle", color=INK, weight="normal"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
                          f'font-weight="{weight}">{words}</text>')

    def arrow(self, x1, y1, x2, y2, words=""):
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}" stroke-width="1.5" '
                          'marker-end="url(#head)"/>')
        if words and x1 == x2:
            self.text(x1 + 7, (y1 + y2) / 2 + 4, words, 11, "start", SOFT)
        elif words:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 - 7, words, 11, color=SOFT)

    def line(self, x1, y1, x2, y2, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}"{dash}/>')

    def svg(self):
        return self.head + "\n".join(self.parts) + "\n</svg>\n"


def order():
    """The groups of the tutorial's second step and the two rods that order them."""
    d = Drawing(760, 250, "Command groups, and the buffers that order them")
    names = ["warm", "spread, step 0", "spread, step 1", "host access"]
    fills = [KERNEL, KERNEL, KERNEL, HOST]
    for index, (name, fill) in enumerate(zip(names, fills)):
        d.box(20 + 190 * index, 95, 130, 44, fill, name)
    for row, (y, name) in enumerate(((20, "buffer: rod 0"), (190, "buffer: rod 1"))):
        d.box(20, y, 700, 30, BUFFER, name)
    d.arrow(85, 95, 85, 52, "discards and writes")
    d.arrow(255, 50, 255, 93, "reads")
    d.arrow(295, 139, 295, 188, "discards and writes")
    d.arrow(445, 190, 445, 141, "reads")
    d.arrow(485, 95, 485, 52, "discards and writes")
    d.arrow(655, 50, 655, 93, "reads")
    for index in range(3):
        d.arrow(150 + 190 * index, 117, 208 + 190 * index, 117, "then")
    d.text(380, 240, "A group waits for those that wrote what it reads, and for those that read what it overwrites.", 12, color=SOFT)
    return d


def group():
    """One work-group's run of a hierarchical kernel, on a CPU and on a GPU."""
    d = Drawing(760, 340, "The life of a work-group, on a CPU and on a GPU")
    d.text(160, 24, "the kernel", 14, weight="bold")
    d.text(400, 24, "CPU: one thread", 14, weight="bold")
    d.text(640, 24, "GPU: a thread each", 14, weight="bold")
    steps = [("group scope\nthe same for all", PLAIN, 40), ("loop over work-items\nloads the tile", KERNEL, 104),
             ("all of the group wait", HOST, 168), ("loop over work-items\nuses the tile", KERNEL, 206), ("TW_ONCE", MEMORY, 270)]
    for words, fill, y in steps:
        height = 26 if "\n" not in words else 52
        d.box(40, y, 240, height, fill, words)
        if words.startswith("group"):
            d.box(310, y, 180, height, PLAIN, "runs it")
            d.box(530, y, 222, height, PLAIN, "each thread runs it")
        elif words.startswith("loop"):
            d.box(310, y, 180, height, KERNEL, "for (item = 0; ...)\nas vectors", 12)
            for thread in range(6):
                d.box(530 + 38 * thread, y, 32, height, KERNEL, str(thread), 12)
        elif words.startswith("all"):
            d.text(400, y + 17, "the loop is over", 12, color=SOFT)
            d.box(530, y, 222, height, HOST, "barrier", 12)
        else:
            d.box(310, y, 180, height, MEMORY, "runs it")
            d.box(530, y, 32, height, MEMORY, "0", 12)
    d.text(400, 325, "Local memory, TW_LOCAL: an array of the thread on a CPU, shared memory on a GPU.", 12, color=SOFT)
    return d


def lowerings():
    """One source and what the passes of the compiler make of it."""
    d = Drawing(800, 250, "One source, three lowerings")
    for x, words in ((95, "one source"), (275, "lowering"), (445, "what a kernel becomes"), (705, "devices")):
        d.text(x, 22, words, 14, weight="bold")
    d.box(20, 107, 150, 60, KERNEL, "kernel in C\nand TW_..._KERNEL()", 12)
    d.text(95, 187, "compiled once", 11, color=SOFT)
    d.text(95, 202, "for each kind of device", 11, color=SOFT)
    rows = [(42, "host", "threads of OpenMP,\nloops over work-items as vectors", "host, simulated devices"),
            (112, "teams", "target teams distribute,\nparallel for in a team", "any offload device"),
            (182, "simt", "a thread for each work-item,\nshared memory, hardware barriers", "NVIDIA GPUs")]
    for y, name, what, where in rows:
        d.arrow(172, 137, 238, y + 26)
        d.box(240, y, 70, 52, HOST, name)
        d.box(320, y, 250, 52, PLAIN, what, 12)
        d.arrow(572, y + 26, 608, y + 26)
        d.text(614, y + 30, where, 12, "start")
    return d


def parts():
    """A launch over a plate on three devices, and what they read of each other."""
    d = Drawing(760, 300, "A launch on three devices, and the rows that neighbours exchange")
    d.text(120, 24, "the launch", 14, weight="bold")
    d.text(375, 24, "now: tw_neighborhood(1, 1, 0)", 14, weight="bold")
    d.text(640, 24, "next: tw_one_to_one()", 14, weight="bold")
    for device in range(3):
        y = 40 + 76 * device
        d.box(30, y, 180, 72, KERNEL, f"device {device}")
        d.box(285, y, 180, 72, BUFFER, f"read by {device}")
        d.box(550, y, 180, 72, BUFFER, f"written by {device}")
        d.arrow(212, y + 36, 282, y + 36)
        d.arrow(468, y + 36, 547, y + 36)
    for border in range(2):
        y = 40 + 76 * border + 62
        d.box(285, y, 180, 24, MEMORY, "a row from each, read by both", 11, dashed=True)
    d.text(380, 290, "Before the next step the library copies the rows at the borders, and nothing else.", 12, color=SOFT)
    return d


DIAGRAMS = {"order": order, "group": group, "lowerings": lowerings, "parts": parts}

if __name__ == "__main__":
    stale = []
    for name, draw in DIAGRAMS.items():
        figure = FIGURES / f"{name}.svg"
        if sys.argv[1:] == ["--check"]:
            if not figure.exists() or figure.read_text() != draw().svg():
                stale.append(figure.name)
        elif len(sys.argv) > 1:
            sys.exit(__doc__)
        else:
            figure.write_text(draw().svg())
    if stale:
        sys.exit(f"{', '.join(stale)}: not what docs/site/diagrams.py draws")
