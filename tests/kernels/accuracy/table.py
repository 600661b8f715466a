#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what `accuracy` printed on several devices into the tables of docs/math.md.

    table.py DOCUMENT [--column NAME=FILE[,FILE...]]... [--differences NAME=FILE[,FILE...]]...
    table.py DOCUMENT --check

--column       the column NAME, made anew of the largest errors in all FILEs, which are standard output of `accuracy`:
               with different options, of several runs, or of devices that share a column. Columns that are not named stay
--differences  the same, but only what differs from the first column is shown
--check        writes nothing; looks whether every function has a row, and every error is within its bound

A column with a comma in its name is a variant that need not keep the bounds.

To measure a device (about ten minutes of two processors each):

    TW_DEVICES=host accuracy --samples 50000 > host.txt
    TW_DEVICES=host accuracy --all --every 16 > host_all.txt
    TW_DEVICES=omp  accuracy                 > x86_64.txt        # of build/x86_64
    TW_DEVICES=gpu  accuracy --samples 50000 > gpu.txt           # of build/gpu-simt
    TW_DEVICES=gpu  accuracy --all --every 16 > gpu_all.txt
    table.py docs/math.md --column CPU=host.txt,host_all.txt,x86_64.txt --column "NVIDIA H200=gpu.txt,gpu_all.txt"

and where kernels were compiled with -fveclib=libmvec: --differences "CPU, libmvec=libmvec.txt".

Exit status: 0; 1 if an error is above its bound or a row is missing; 2 if something else is wrong.
"""
import re
import sys

TYPES = ("float", "double", "half")
# What shares a row with another function. Second results that are exact have none.
JOINED = {"lgamma_r": "lgamma", "sincos_out": "sincos", "fract_out": "fract"}
WRITTEN = {"divide": "x / y", "native_divide": "native x / y", "half_divide": "half x / y"}
MARKS = {"errors": ("<!-- errors -->", "<!-- end of errors -->"),
         "fast": ("<!-- fast errors -->", "<!-- end of fast errors -->")}
LARGE = 1e7  # what is printed as "> 1e6"


def fail(message):
    sys.exit("table.py: " + message)


def number(text):
    return LARGE if text.startswith(">") else float(text)


def read_output(path, errors, bounds):
    """Adds the table in a file to errors[function][type], the largest one counting, and to bounds."""
    rows = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"^\| (\w+) *\|(.*)\|(.*)\|(.*)\|$", line)
            if not match or match.group(1) == "function":
                continue
            rows += 1
            name = JOINED.get(match.group(1), match.group(1))
            for kind, cell in zip(TYPES, match.group(2, 3, 4)):
                error, _, bound = (part.strip() for part in cell.partition("/"))
                if error:
                    known = errors.setdefault(name, {})
                    known[kind] = max(known.get(kind, 0.0), number(error))
                if bound:
                    known = bounds.setdefault(name, {})
                    known[kind] = max(known.get(kind, 0.0), float(bound))
    if not rows:
        fail(path + " holds no table")


def shown(error):
    return "" if error is None else "> 1e6" if error >= LARGE else "%.2f" % error


def cell_of(errors, kinds):
    cells = [shown(errors.get(kind)) for kind in kinds]
    return " / ".join(cells) if all(cells) else ""


def bound_of(bounds, kinds):
    return " / ".join("%g" % bounds[kind] for kind in kinds) if all(kind in bounds for kind in kinds) else "none"


class Table:
    """One table of the document: its rows, in the order of the program, and its columns."""

    def __init__(self, text, mark):
        self.begin, self.end = MARKS[mark]
        self.kinds = TYPES if mark == "errors" else TYPES[:2]
        if text.count(self.begin) != 1 or text.count(self.end) != 1:
            fail("the document has no place %s" % self.begin)
        lines = text.split(self.begin)[1].split(self.end)[0].strip().splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        self.columns = cells[0][2:] if cells else []
        self.bounds = {row[0]: row[1] for row in cells[2:]}
        self.rows = {row[0]: dict(zip(self.columns, row[2:])) for row in cells[2:]}

    def belongs(self, name, errors, bounds):
        fast = name.startswith(("native_", "half_"))
        if fast or self.kinds != TYPES:
            return fast and self.kinds != TYPES and "float" in errors
        # exact functions are named in the text; mad may round or not
        exact = all(bounds.get(kind) == 0 and errors.get(kind, 0) == 0 for kind in TYPES)
        return name != "mad" and not exact

    def set_column(self, column, errors, bounds, differences):
        if column not in self.columns:
            self.columns.append(column)
        for row in self.rows.values():
            row[column] = ""
        for name in errors:
            if not self.belongs(name, errors[name], bounds.get(name, {})):
                continue
            kinds = [kind for kind in self.kinds if kind in errors[name]]
            written = WRITTEN.get(name, name)
            row = self.rows.setdefault(written, {})
            cell = cell_of(errors[name], kinds)
            if differences:
                cell = cell_of(errors[name], TYPES[:2])
                if row.get(self.columns[0], "").startswith(cell):
                    cell = ""
            row[column] = cell
            self.bounds[written] = bound_of(bounds.get(name, {}), kinds)

    def text(self):
        lines = ["| function | bound | " + " | ".join(self.columns) + " |", "|---" * (len(self.columns) + 2) + "|"]
        for name, row in self.rows.items():
            cells = [row.get(column, "") for column in self.columns]
            lines.append("| %s | %s | %s |" % (name, self.bounds[name], " | ".join(cells)))
        return "\n".join(lines)

    def violations(self):
        for name, row in self.rows.items():
            bounds = self.bounds[name].split(" / ")
            for column, cell in row.items():
                if "," in column:
                    continue
                for error, bound in zip(cell.split(" / ") if cell else [], bounds):
                    if bound != "none" and number(error) > float(bound):
                        yield "%s, %s: %s is above the bound of %s" % (name, column, error, bound)


def functions_of_the_header(document):
    """The names in functions.h whose error is not always 0."""
    path = re.sub(r"docs/[^/]*$", "", document) + "tests/kernels/accuracy/functions.h"
    with open(path, encoding="utf-8") as file:
        names = re.findall(r"X\((\w+), \w+, \w+, ([-\w.]+),", file.read())
    return {WRITTEN.get(name, name) for name, bound in names
            if bound != "EXACT" and name not in JOINED and not name.endswith("_out") and name != "mad"}


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    document = arguments[0]
    with open(document, encoding="utf-8") as file:
        text = file.read()
    tables = {mark: Table(text, mark) for mark in MARKS}
    if arguments[1:] != ["--check"]:
        for option, value in zip(arguments[1::2], arguments[2::2] + [""]):
            column, equals, files = value.rpartition("=")
            if option not in ("--column", "--differences") or not equals or not column:
                fail("wrong option %s %s" % (option, value))
            errors, bounds = {}, {}
            for path in files.split(","):
                read_output(path, errors, bounds)
            for mark, table in tables.items():
                if mark == "errors" or option == "--column":
                    table.set_column(column, errors, bounds, option == "--differences")
        for table in tables.values():
            head, rest = text.split(table.begin)
            text = head + table.begin + "\n" + table.text() + "\n" + table.end + rest.split(table.end)[1]
        with open(document, "w", encoding="utf-8") as file:
            file.write(text)
    problems = [problem for table in tables.values() for problem in table.violations()]
    present = {name for table in tables.values() for name in table.rows}
    problems += ["%s has no row" % name for name in sorted(functions_of_the_header(document) - present)]
    print("%d functions, %d problems" % (len(present), len(problems)))
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
