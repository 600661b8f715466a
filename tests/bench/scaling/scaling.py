#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The tables of docs/scaling.md: what overlap gains, measured; and a model of a stencil on thousands of GPUs beside a
simulation of its messages. run.sh calls it.

    scaling.py overlap --program FILE --mpiexec FILE [--rounds N]   the table of measurements
    scaling.py model --pattern FILE [--most-ranks N]                the tables of the model and the simulation
    scaling.py check --pattern FILE [--most-ranks N]                fails if these differ by more than 10 %

With --document FILE the tables replace what is between <!-- scaling:JOB --> and <!-- /scaling:JOB --> there.

Constants are options of the model, in microseconds and GB/s (--help lists them). Those of the device are figures of
docs/performance.md, those of the network are assumptions.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

CONSTANTS = [
    # name, value, what
    ("cells", 280.8, "cells of the five-point stencil in a nanosecond, of one H200"),
    ("launch", 5.5, "of a kernel, beside its cells (us)"),
    ("submit", 3.0, "of a command group on the host (us)"),
    ("task", 30.0, "to notice a kernel's end on the host, and to wake a thread for the task (us)"),
    ("copy_latency", 7.8, "of a copy between page-locked memory and the device (us)"),
    ("copy_bandwidth", 54.0, "of such a copy (GB/s)"),
    ("net_latency", 3.0, "of a message between two nodes, with MPI's part (us)"),
    ("net_bandwidth", 25.0, "of a GPU's network adapter, each way (GB/s)"),
]
SIDES, CELL_BYTES, GROUPS = 4, 4, 3
LEAF, UPLINKS, HOPS = 32, 16, 4  # hosts of a switch, its ways to the others; links of the longest way
HALOS = ("staged", "device")
DIVISIONS = [(4, 4), (8, 8), (16, 16), (32, 32), (64, 64), (100, 100)]

# ---- the model -----------------------------------------------------------------------------------------------------


def parts_of_step(c, rows, columns, halos):
    """Nanoseconds of the parts of a step on rows x columns cells, of a rank with four neighbours."""
    one_way = 2 * (rows + columns) * CELL_BYTES
    copies = (SIDES * c.copy_latency * 1e3 + one_way / c.copy_bandwidth) if halos == "staged" else 0
    return {
        "edges": c.launch * 1e3,
        "inside": c.launch * 1e3 + rows * columns / c.cells,
        "out": c.task * 1e3 + copies,
        "net": c.net_latency * 1e3 + one_way / c.net_bandwidth,
        "in": copies,
        "submit": GROUPS * c.submit * 1e3,
    }


def step_of(p, overlap=True):
    """Nanoseconds of a step: exchange and inner cells at a time, or one after the other."""
    exchange = p["out"] + p["net"] + p["in"]
    both = max(exchange, p["inside"]) if overlap else exchange + p["inside"]
    return max(p["edges"] + both, p["submit"])


def alone(c, cells):
    """Nanoseconds of a step on one GPU without neighbours: its kernels."""
    return 2 * c.launch * 1e3 + cells / c.cells


# ---- the simulation ------------------------------------------------------------------------------------------------

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-%d" speed="1Gf" bw="%gGBps" lat="%gns" topology="FAT_TREE"
           topo_parameters="2;%d,%d;1,%d;1,1"/>
</platform>
"""


def simulate(c, pattern, division, rows, columns, halos, steps=6, noise=0):
    """Nanoseconds of a step, by SMPI: a fat tree of switches, a host for each rank. `noise` is in per cent."""
    down, across = division
    ranks, p = down * across, parts_of_step(c, rows, columns, halos)
    leaves = -(-ranks // LEAF)
    with tempfile.TemporaryDirectory() as folder:
        platform, hosts = os.path.join(folder, "platform.xml"), os.path.join(folder, "hosts")
        with open(platform, "w") as file:
            file.write(PLATFORM % (leaves * LEAF - 1, c.net_bandwidth, c.net_latency * 1e3 / HOPS, LEAF, leaves,
                                   UPLINKS))
        with open(hosts, "w") as file:
            file.writelines("n%d\n" % i for i in range(ranks))
        command = ["smpirun", "-np", str(ranks), "-platform", platform, "-hostfile", hosts, "-no-privatize",
                   "--cfg=smpi/simulate-computation:no", "--cfg=contexts/stack-size:128",
                   # a link costs its latency, and bytes by bandwidth: nothing that is fitted to Ethernet
                   "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0", "--cfg=network/latency-factor:1",
                   "--cfg=network/bandwidth-factor:1", "--log=root.thres:error", pattern, str(down), str(across),
                   str(columns * CELL_BYTES), str(rows * CELL_BYTES), str(steps)]
        command += ["%.0f" % p[name] for name in ("edges", "out", "in", "inside")] + [str(noise)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    found = re.search(r"^step (\d+)", done.stdout, re.M)
    if not found:
        sys.exit("the simulation of %d ranks failed:\n%s%s" % (ranks, done.stdout, done.stderr))
    return float(found.group(1))


# ---- tables --------------------------------------------------------------------------------------------------------


def table(title, head, rows):
    """Lines of Markdown."""
    width = [max(len(str(row[i])) for row in [head] + rows) for i in range(len(head))]

    def line(row):
        return "| " + " | ".join(str(cell).rjust(w) for cell, w in zip(row, width)) + " |"

    rule = "|" + "|".join("-" * (w + 1) + ":" for w in width) + "|"
    return ([title, ""] if title else []) + [line(head), rule] + [line(row) for row in rows] + [""]


def scaling_rows(c, block_of, base_of):
    """A row for each division and memory of messages. base_of: nanoseconds of a step without any loss."""
    rows = []
    for halos in HALOS:
        for division in DIVISIONS:
            ranks = division[0] * division[1]
            size = block_of(division)
            p = parts_of_step(c, size[0], size[1], halos)
            model, base = step_of(p), base_of(ranks, size)
            row = [ranks, "%d x %d" % size, halos, "%.0f µs" % ((p["out"] + p["net"] + p["in"]) / 1e3),
                   "%.0f µs" % (model / 1e3), "%.2f" % (base / model)]
            if ranks <= c.most_ranks:
                simulated = simulate(c, c.pattern, division, size[0], size[1], halos)
                row += ["%.0f µs" % (simulated / 1e3), "%.2f" % (base / simulated),
                        "%+.1f %%" % (100 * (simulated / model - 1))]
                print("%d ranks, %s: done" % (ranks, halos), file=sys.stderr)
            else:
                row += ["", "", ""]
            rows.append(row)
    return rows


def noise_table(c):
    """What the model leaves out: kernels that do not take the same time in each step."""
    rows, side, steps = [], 16384, 30
    base = alone(c, side * side)
    for noise in (5, 20):
        for division in DIVISIONS:
            ranks = division[0] * division[1]
            if ranks > min(c.most_ranks, 4096):
                continue
            simulated = simulate(c, c.pattern, division, side, side, "staged", steps, noise)
            rows.append([ranks, "0 to %d %%" % noise, "%.0f µs" % (base * (1 + noise / 200) / 1e3),
                         "%.0f µs" % (simulated / 1e3), "%.2f" % (base * (1 + noise / 200) / simulated)])
            print("%d ranks, noise: done" % ranks, file=sys.stderr)
    return table("Kernels that take longer by chance, %d x %d cells on each GPU, staged:" % (side, side),
                 ["GPUs", "longer by", "a step alone, on average", "simulated", "efficiency"], rows)


def check(c):
    """Some blocks, of which the exchange hides or does not. Ends the program if a simulation differs from the model."""
    for halos in HALOS:
        for side in (512, 2048, 16384):
            for division in DIVISIONS:
                if division[0] * division[1] > c.most_ranks:
                    continue
                expected = step_of(parts_of_step(c, side, side, halos))
                simulated = simulate(c, c.pattern, division, side, side, halos)
                print("%d x %d cells, %s, %d x %d ranks: %.0f ns, simulated %.0f ns"
                      % (side, side, halos, division[0], division[1], expected, simulated))
                if abs(simulated / expected - 1) > 0.1:
                    sys.exit("they differ by more than 10 %")


def overlap_table(c):
    rows = []
    for halos in HALOS:
        for size in (1024, 2048, 4096, 8192, 16384, 32768):
            p = parts_of_step(c, size, size, halos)
            with_it, without = step_of(p), step_of(p, False)
            rows.append(["%d x %d" % (size, size), halos, "%d KiB" % (size * CELL_BYTES // 1024),
                         "%.0f µs" % ((p["out"] + p["net"] + p["in"]) / 1e3), "%.0f µs" % (p["inside"] / 1e3),
                         "%.2f" % (without / with_it)])
    return table("Overlap, by the model:", ["cells of each", "halos", "a message", "exchange", "inner cells",
                                            "without / with overlap"], rows)


def model(c):
    head = ["GPUs", "cells of each", "halos", "exchange", "a step", "efficiency", "simulated", "efficiency",
            "difference"]
    lines = overlap_table(c)
    for side in (16384, 2048):
        rows = scaling_rows(c, lambda division: (side, side), lambda ranks, size: alone(c, side * side))
        lines += table("Weak scaling, %d x %d cells on each GPU:" % (side, side), head, rows)
    side = 262144
    rows = scaling_rows(c, lambda division: (side // division[0], side // division[1]),
                        lambda ranks, size: side * side / c.cells / ranks)
    return lines + table("Strong scaling, %d x %d cells:" % (side, side), head, rows) + noise_table(c)


# ---- measurements --------------------------------------------------------------------------------------------------


def run_program(options, size, exchange_us, *arguments):
    """Microseconds of a step, and of it in MPI: two ranks, each with a simulated device."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", TW_SIM="1", TW_SIM_ASYNC="1", TW_DEVICES="sim",
                       HALO_TEST_DELAY_US=str(exchange_us), HALO_TEST_KERNEL_US=str(options.kernel_us),
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                       OMPI_MCA_mpi_yield_when_idle="1")
    done = subprocess.run([options.mpiexec, "-n", "2", options.program, "--size", "%dx%d" % size, "--ranks", "2x1",
                           "--steps", str(options.steps), "--no-check", *arguments], capture_output=True, text=True,
                          env=environment)
    found = re.search(r": ([0-9.]+) us a step, ([0-9.]+) us in MPI", done.stdout)
    if done.returncode or not found:
        sys.exit("a run failed:\n" + done.stdout + done.stderr)
    return float(found.group(1)), float(found.group(2))


def overlap(options):
    rows, kernel = [], options.kernel_us
    for size in ((64, 256), (64, 4096), (16, 65536)):
        for tenths in (5, 10, 20):
            exchange = kernel * tenths // 10
            ratios, hidden, times = [], [], []
            for _ in range(options.rounds):
                without, in_mpi = run_program(options, size, exchange, "--no-overlap")
                with_it, _ = run_program(options, size, exchange)
                ratios.append(without / with_it)
                hidden.append((without - with_it) / in_mpi)
                times.append(in_mpi / kernel)
            took = statistics.median(times)
            rows.append(["%d KiB" % (size[1] * CELL_BYTES // 1024), "%.1f" % (tenths / 10), "%.2f" % took,
                         "%.2f" % statistics.median(ratios), "%.2f to %.2f" % (min(ratios), max(ratios)),
                         "%.2f" % ((2 + took) / (1 + max(1, took))), "%.2f" % statistics.median(hidden),
                         "%.2f" % min(1, 1 / took)])
            print("%s: done" % rows[-1], file=sys.stderr)
    return table("", ["a message", "network", "exchange", "without / with overlap", "of each round", "expected",
                      "hidden", "expected"], rows)


def write(document, job, text):
    with open(document, encoding="utf-8") as file:
        before = file.read()
    begin, end = "<!-- scaling:%s -->\n" % job, "<!-- /scaling:%s -->" % job
    head, rest = before.split(begin)
    with open(document, "w", encoding="utf-8") as file:
        file.write(head + begin + text + end + rest.split(end, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("overlap", "model", "check"))
    parser.add_argument("--program", help="halo_mpi with the delays of test_mpi.c")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--document", help="where the tables go, instead of the standard output")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="of a run")
    parser.add_argument("--kernel-us", type=int, default=20000, help="of a kernel of the simulated devices")
    parser.add_argument("--pattern", help="pattern.c, compiled by smpicc")
    parser.add_argument("--most-ranks", type=int, default=10000, help="larger ones are not simulated")
    for name, value, what in CONSTANTS:
        parser.add_argument("--" + name.replace("_", "-"), type=float, default=value, help="%s; %g" % (what, value))
    options = parser.parse_args()
    if options.job == "check":
        check(options)
        return
    text = "\n".join(overlap(options) if options.job == "overlap" else model(options))
    if options.document:
        write(options.document, options.job, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
