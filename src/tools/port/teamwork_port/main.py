# SPDX-License-Identifier: Apache-2.0
"""The command line, differences and reports."""
import argparse
import collections
import difflib
import json
import os
import shlex
import sys

from . import tree

EPILOG = """\
Everything behind -- is given to clang. Exits with 0 if all was moved, with 1 if something stays, and with 2 if a file
cannot be parsed. docs/porting.md says what is moved."""


def arguments():
    parser = argparse.ArgumentParser(
        prog="teamwork-port", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Turns OpenMP target regions of C and C-like C++ files, and CUDA programs, into Teamwork kernels.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="the source files of one program; with -p none means all")
    parser.add_argument("-p", dest="build", metavar="BUILD", help="a folder with compile_commands.json")
    parser.add_argument("--at", metavar="FILE:LINE", help="move only the region whose directive is in this line")
    parser.add_argument("--root", metavar="FOLDER",
                        help="headers below it are the program's own, and edited (default: the folder of the files)")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--diff", action="store_true", help="print the edits (default)")
    output.add_argument("--in-place", action="store_true", help="make the edits")
    parser.add_argument("--report", action="store_true", help="print a table instead: how many of each kind")
    parser.add_argument("--compiler", default="clang-19", help="whose own headers are used (default: %(default)s)")
    parser.add_argument("--include-dir", action="store_true", help="print the folder of teamwork_port.h, and end")
    own, behind = sys.argv[1:], []
    if "--" in own:
        own, behind = own[:own.index("--")], own[own.index("--") + 1:]
    return parser.parse_args(own), behind


def commands(build):
    """Returns {path: [argument...]} of a compilation database."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        kept, skip = [], False
        for word in words[1:]:
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MT", "-MQ", "-Xclang", "-Xopenmp-target", "-Xarch_device"):
                skip = True
            elif word in ("-c", "-MD", "-MMD") or word.startswith(("-fopenmp", "--offload", "-fplugin", "-o", "-Xopenmp")) \
                    or os.path.realpath(os.path.join(entry["directory"], word)) == path:
                continue
            elif word.startswith(("-I", "-isystem")) and not os.path.isabs(word[2:]) and word not in ("-I", "-isystem"):
                kept.append("-I" + os.path.join(entry["directory"], word[2:]) if word.startswith("-I") else word)
            else:
                kept.append(word)
        found.setdefault(path, ["-working-directory=" + entry["directory"], *kept])
    return found


def print_messages(mover):
    """Prints what stays, and what is to be known of what was moved, one line each."""
    for result in sorted(mover.results, key=lambda result: (result.path, result.line)):
        if result.state in ("stays", "inactive"):
            print(f"{result.path}:{result.at}: {result.state}: {result.reason} [{result.kind}]; {result.remedy}", file=sys.stderr)
        for line, text in result.notes:
            print(f"{result.path}:{line}: note: {text}", file=sys.stderr)
    kept = [result for result in mover.results if result.state == "kept"]
    if kept:
        print(f"{kept[0].path}:{kept[0].line}: note: {len(kept)} data directives are left to OpenMP, since something "
              "stays that needs them", file=sys.stderr)


def print_report(mover):
    rows = collections.Counter()
    for result in mover.results:
        what = "data directives" if "data" in result.words or "update" in result.words else "regions"
        rows[(what, result.state, result.kind)] += 1
    for (what, state, kind), count in sorted(rows.items(), key=lambda row: (row[0][0], row[0][1], -row[1])):
        print(f"{count:6}  {what}  {state}{': ' + kind if kind else ''}")


def print_difference(source, path=None):
    """Prints the edits of a file; `path` is its new name if it gets one."""
    old, new = source.text.splitlines(keepends=True), source.edited().splitlines(keepends=True)
    text = "".join(difflib.unified_diff(old, new, source.path, path or source.path))
    sys.stdout.buffer.write(text.encode("latin-1"))


def include_folders():
    """Returns the folder of teamwork_port.h, and those of the library's headers."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    root = os.path.normpath(os.path.join(here, "..", "..", ".."))  # of the sources, or of an installation
    source = os.path.join(root, "offload", "port")
    if os.path.exists(os.path.join(source, "teamwork_port.h")):
        return [source, os.path.join(root, "include"), os.path.join(root, "offload", "include")]
    return [os.path.join(root, "include")]


def main():
    options, behind = arguments()
    if options.include_dir:
        print(include_folders()[0])
        return 0
    if tree.cindex is None:
        print("teamwork-port: clang's Python binding is missing: on Debian the package python3-clang-19, elsewhere "
              "pip install libclang==18.1.1 or newer", file=sys.stderr)
        return 2
    from .move import Mover
    from .unit import Unit
    tree.set_up(os.environ.get("TEAMWORK_LIBCLANG"))
    database = commands(options.build) if options.build else {}
    at = None
    if options.at:
        path, _, line = options.at.rpartition(":")
        if not line.isdigit():
            print("teamwork-port: --at takes FILE:LINE", file=sys.stderr)
            return 2
        at = (os.path.realpath(path), int(line))
    files = options.files or sorted(database) or ([at[0]] if at else [])
    if not files:
        print("teamwork-port: no files; teamwork-port --help says more", file=sys.stderr)
        return 2
    root = options.root or os.path.commonpath([os.path.dirname(os.path.realpath(path)) for path in files])
    if any(path.endswith((".cu", ".cuh")) for path in files):
        from .cuda_main import move_cuda
        return move_cuda(options, files, database, behind, root)
    sources, mover, failed = {}, Mover(at), False
    for path in files:
        unit = Unit(path, database.get(os.path.realpath(path), []) + behind, options.compiler, root, sources)
        if unit.tu is None or unit.errors:
            print(f"{path}:1: stays: the file cannot be parsed; the first error is: {unit.errors[0]}", file=sys.stderr)
            failed = True
            continue
        mover.add(unit)
    if failed and not at:
        mover.at = mover.at or ("", 0)  # what cannot be read may need the data directives
    mover.finish()
    if at and not mover.results:
        print(f"{options.at}: no target region's directive is in this line", file=sys.stderr)
        return 2
    print_messages(mover)
    if options.report:
        print_report(mover)
    for source in sources.values():
        if not source.edits or options.report and not options.in_place:
            continue
        if options.in_place:
            text = source.edited()
            with open(source.path, "w", encoding="latin-1", newline="") as file:
                file.write(text)
        else:
            print_difference(source)
    return 2 if failed else 1 if any(result.state == "stays" for result in mover.results) else 0
