#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels (random_kernels.py) give with the plugin what the same text gives as plain C, which gcc translates if there is one.

usage: run_random_kernels.py [-j PROCESSES] [-k KERNELS] [-l LAUNCHES] [-s SHAPE] [-n NUMBER] [-m MAIN] [-u]
           PLUGIN LIBRARY FIRST_SEED SEEDS CLANG OPTION...

SEEDS is a number, or a time such as 60s: as many as begin in it. FIRST_SEED `today` is another one each day. Each seed makes KERNELS
kernels of SHAPE, and runs each LAUNCHES times. Seeds take -O1, -O2 and -O3 in turn, and for x86-64 the levels of its instruction set
that this processor has. What failed is left in the folder for temporary files; -n 7 takes kernel 7 of the seed alone. In the end it
says how many kernels of each shape differ. With -u undefined behaviour of the plain C ends it, with a signal.

Where clang cannot link programs, MAIN is one that `-m MAIN PLUGIN LIBRARY 0 0 CLANG OPTION...` has made elsewhere. Kernels are linked as
shared objects, which takes nothing but a linker, such as -fuse-ld=lld.
"""
import argparse
import concurrent.futures
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

import random_kernels

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-std=c17", "-ffp-contract=off", "-w", "-fPIC", "-fvisibility=hidden", "-I", HERE]
COMPILE_SECONDS = 300


class Failure(Exception):
    pass


def call(command, seconds, **options):
    """Output and status of a command."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, text=True, errors="replace", **options)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]} does not come to an end in {seconds} s") from None
    return done.stdout, done.returncode


def must(command):
    output, status = call(command, COMPILE_SECONDS)
    if status != 0:
        raise Failure(f"status {status} of {' '.join(command)}\n{output[-2000:]}")


def levels():
    """The levels of the instruction set that this processor has."""
    if platform.machine() != "x86_64":
        return [[]]
    with open("/proc/cpuinfo") as f:
        has = set(next((line for line in f if line.startswith("flags")), "").split())
    needs = {"x86-64-v2": {"sse4_2", "popcnt"}, "x86-64-v3": {"avx2", "fma", "bmi2"},
             "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}
    return [[f"-march={level}"] for level, names in needs.items() if names <= has] or [[]]


def options_of(seed):
    all = levels()
    return [f"-O{seed % 3 + 1}", *all[seed // 3 % len(all)]]


def compare(command):
    """What all kernels of a program say; those behind one that crashes are started anew."""
    output, first = "", 0
    while True:
        text, status = call([*command, str(first)], 600, env={**os.environ, "TW_DEVICES": "host", "TW_WARNINGS": "0", "OMP_NUM_THREADS": "1"})
        output += text
        crash = re.search(r" crashed at (\d+)\s*$", text)
        if not crash:
            return output if status in (0, 1) else output + f"status {status}\n"
        first = int(crash[1]) + 1


def run_seed(seed, args, folder):
    """The shapes of the seed's kernels, and what is wrong with them."""
    here = f"{folder}/{seed}"
    os.mkdir(here)
    shapes = [kernel.shape for kernel in random_kernels.write(seed, args.kernels, here, args.shape, args.number)]
    try:
        must([*args.plain, *FLAGS, "-O1", "-DPLAIN", "-c", f"{here}/kernels.c", "-o", f"{here}/plain.o"])
        must([*args.clang, *FLAGS, *options_of(seed), "-fopenmp", "-DTW_LOWERING_HOST", "-DTW_SPLIT", f"-fpass-plugin={args.plugin}",
              "-fstack-clash-protection", "-c", f"{here}/kernels.c", "-o", f"{here}/kernels.o"])
        must([*args.clang, "-shared", "-nostdlib", f"{here}/plain.o", f"{here}/kernels.o", "-o", f"{here}/kernels.so"])
        output = compare([args.main, f"{here}/kernels.so", str(args.launches)])
    except Failure as failure:
        output = f"{failure}\n"
    if output != "0 different, 0 races\n":
        return shapes, f"seed {seed} ({' '.join(options_of(seed))}): {here}\n{output}"
    shutil.rmtree(here)
    return shapes, ""


def has_gcc():
    """Whether there is a gcc, with headers."""
    return shutil.which("gcc") and call(["gcc", *FLAGS, "-DPLAIN", "-fsyntax-only", f"{HERE}/random_kernels.h"], COMPILE_SECONDS)[1] == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("-j", dest="processes", type=int, default=1)
    parser.add_argument("-k", dest="kernels", type=int, default=100)
    parser.add_argument("-l", dest="launches", type=int, default=16)
    parser.add_argument("-s", dest="shape", default="all", choices=["all", *random_kernels.SHAPES])
    parser.add_argument("-n", dest="number", type=int)
    parser.add_argument("-m", dest="main")
    parser.add_argument("-u", dest="undefined", action="store_true")
    for name in ("plugin", "library", "first", "seeds"):
        parser.add_argument(name)
    parser.add_argument("clang", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    args.library = os.path.abspath(args.library)
    args.plain = ["gcc"] if has_gcc() and not args.undefined else args.clang
    if args.undefined:
        args.plain = [*args.clang, "-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"]
    folder = tempfile.mkdtemp(prefix="random_kernels.")
    args.main = os.path.abspath(args.main or f"{folder}/main")
    if not os.path.exists(args.main):
        must([*args.clang, *FLAGS, "-O1", "-fopenmp", "-DTW_LOWERING_HOST", "-rdynamic", f"{HERE}/random_kernels.c", "-o", args.main, args.library,
              f"-Wl,-rpath,{os.path.dirname(args.library)}"])
    first = int(time.strftime("%Y%m%d00")) if args.first == "today" else int(args.first)
    limited = args.seeds.endswith("s")
    end = time.monotonic() + int(args.seeds[:-1]) if limited else None
    next_seed, running = first, set()
    counts, wrong, failed = {}, {}, 0
    with concurrent.futures.ProcessPoolExecutor(args.processes) as pool:
        while True:
            while len(running) < args.processes and (time.monotonic() < end if limited else next_seed < first + int(args.seeds)):
                running.add(pool.submit(run_seed, next_seed, args, folder))
                next_seed += 1
            if not running:
                break
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for one in done:
                shapes, what = one.result()
                for shape in shapes:
                    counts[shape] = counts.get(shape, 0) + 1
                for shape, _ in set(re.findall(r"^([a-z]+)_(\d+), ", what, re.M)):
                    wrong[shape] = wrong.get(shape, 0) + 1
                if what:
                    failed += 1
                    print(what, end="", flush=True)
    print(f"{next_seed - first} seeds from {first} on, {sum(counts.values())} kernels; {failed} seeds failed; different:",
          ", ".join(f"{shape} {wrong.get(shape, 0)} of {counts[shape]}" for shape in random_kernels.SHAPES if shape in counts))
    if not failed:
        shutil.rmtree(folder)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
