#!/usr/bin/env python3
"""Time and text of kernels' files with the compiler component, as ratios of what they are without it.

    compile_time.py BUILD [-m REGEX] [-r ROUNDS] [-n WORST]

Compiles again every file that BUILD (of ninja) compiles with the component and whose output matches REGEX, with the
same options, with and without the component, one after the other. Prints the files with the largest ratios, the
geometric mean and the largest. Times are CPU seconds, the least of ROUNDS; text is that of the object, code in images
included.
"""
import argparse
import math
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile


def commands(build, match):
    listed = subprocess.run(["ninja", "-C", build, "-t", "commands"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        if "_compiler.so" not in line or " -c " not in line:
            continue
        words = shlex.split(line)
        if "&&" in words or "-o" not in words:
            continue
        out = words[words.index("-o") + 1]
        if re.search(match, out):
            yield out, words


def without(words):
    kept = [w for w in words if not w.startswith(("-fpass-plugin=", "-fplugin=", "-DTW_SPLIT", "-Xclang=-opt-record", "-Xclang=."))]
    return kept


def compile(words, build, to):
    words = list(words)
    words[words.index("-o") + 1] = to
    for flag in ("-MD", "-MT", "-MF"):
        while flag in words:
            at = words.index(flag)
            del words[at:at + (1 if flag == "-MD" else 2)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=build, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def text(path):
    sizes = subprocess.run(["size", "-A", path], capture_output=True, text=True, check=True).stdout
    return sum(int(l.split()[1]) for l in sizes.splitlines() if l.startswith((".text", ".llvm.offloading")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("-m", "--match", default=".")
    parser.add_argument("-r", "--rounds", type=int, default=1)
    parser.add_argument("-n", "--worst", type=int, default=10)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for name, words in commands(options.build, options.match):
            out = {kind: os.path.join(tmp, kind + ".o") for kind in ("with", "without")}
            time = {kind: math.inf for kind in out}
            for _ in range(options.rounds):
                for kind, line in (("with", words), ("without", without(words))):
                    time[kind] = min(time[kind], compile(line, options.build, out[kind]))
            size = {kind: text(path) for kind, path in out.items()}
            rows.append((time["with"] / time["without"], size["with"] / max(size["without"], 1), time["with"], name))
    if not rows:
        sys.exit("no such file is compiled with the component")
    for title, column in (("time", 0), ("text", 1)):
        values = sorted(rows, key=lambda row: -row[column])
        mean = math.exp(sum(math.log(row[column]) for row in rows) / len(rows))
        print(f"{title}: geometric mean {mean:.2f}, largest {values[0][column]:.2f}, {len(rows)} files")
        for row in values[:options.worst]:
            print(f"  {row[column]:6.2f}  {row[2]:6.2f} s  {row[3]}")


main()
