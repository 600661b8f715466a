#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes the tables of docs/performance.md from results of the micro-benchmarks.

    report.py [--document FILE] KIND=RESULT[,RESULT]...

KIND is gpu or cpu: the table stands between <!-- micro:KIND --> and <!-- /micro:KIND -->. RESULT is what micro_gpu or
micro_cpu wrote with --json; of a second one, from a run with --peers, sides count that the first does not have. A line for each operation and parameter, a column for each side, with medians.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from document import replace  # noqa: E402

SIDES = ["Teamwork", "CUDA", "OpenMP", "OpenCL", "StarPU"]
DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs" / "performance.md"


def text(row):
    value, unit = row["value"], row["unit"]
    if unit == "us" and value >= 10000:
        value, unit = value / 1000, "ms"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    name = row["variant"] + ": " if row["variant"] else ""
    return f"{name}{value:.{digits}f} {unit.replace('us', 'µs')}"


def table(result):
    found = dict.fromkeys(row["side"] for row in result["rows"])
    sides = [side for side in SIDES if side in found] + [side for side in found if side not in SIDES]
    lines = {}
    for row in result["rows"]:
        cells = lines.setdefault((row["bench"], row["parameter"]), {side: [] for side in sides})
        cells[row["side"]].append(text(row))
    out = ["| operation | of | " + " | ".join(sides) + " |", "|---|---|" + "---|" * len(sides)]
    for (bench, parameter), cells in lines.items():
        out.append(f"| {bench} | {parameter} | " + " | ".join("<br>".join(cells[side]) for side in sides) + " |")
    return "\n".join(out)


def main():
    arguments, document = sys.argv[1:], DOCUMENT
    if arguments[:1] == ["--document"]:
        document, arguments = pathlib.Path(arguments[1]), arguments[2:]
    if not arguments or any("=" not in argument for argument in arguments):
        raise SystemExit(__doc__)
    content = document.read_text(encoding="utf-8")
    for argument in arguments:
        kind, path = argument.split("=", 1)
        result, *others = (json.loads(pathlib.Path(one).read_text(encoding="utf-8")) for one in path.split(","))
        for other in others:
            known = {row["side"] for row in result["rows"]}
            result["rows"] += [row for row in other["rows"] if row["side"] not in known]
        body = f"{result['device']}; {result.get('compiler', '')}\n\n{table(result)}"
        content = replace(content, f"micro:{kind}", body)
    document.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
