# SPDX-License-Identifier: Apache-2.0
"""CUDA programs on the command line: which files, in which language they come out, differences and reports."""
import collections
import os
import re
import sys

from . import tree
from .cuda import CudaMover
from .cuda_unit import CudaUnit, needs_c_plus_plus
from .calls import MATH
from .source import blank, closing


def move_cuda(options, files, database, behind, root):
    """Moves the files of one program. Returns the exit status."""
    if options.at:
        print("teamwork-port: --at is for target regions; the files of a CUDA program move together", file=sys.stderr)
        return 2
    sources, units, failed = {}, [], []
    for path in files:
        arguments = known_to_clang(database.get(os.path.realpath(path), [])) + behind
        unit = CudaUnit(path, arguments, options.compiler, root, sources)
        (failed if unit.errors else units).append(unit)
    for unit in failed:
        file, line, message = unit.errors[0]
        print(f"{file}:{line}: stays: {unit.path} cannot be parsed: {message} [{kind_of_error(message)}]; "
              f"{remedy_of_error(message)}", file=sys.stderr)
    if failed:
        if options.report:
            print_failed(failed, units)
        return 2
    mover = CudaMover(units, any("-fopenmp" in words for words in [behind, *database.values()]))
    try:
        mover.move()
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
        print(f"{files[0]}:1: stays: the tool failed: {error!r} [internal]; report it with the program", file=sys.stderr)
        return 2
    for result in sorted(mover.results, key=lambda result: (result.path, result.line)):
        if result.state == "stays":
            print(f"{result.path}:{result.line}: stays: {result.reason} [{result.kind}]; {result.remedy}", file=sys.stderr)
        for line, text in result.notes:
            print(f"{result.path}:{line}: note: {text}", file=sys.stderr)
    if options.report:
        rows = collections.Counter((result.what, result.state, result.kind) for result in mover.results if result.state != "note")
        for (what, state, kind), count in sorted(rows.items(), key=lambda row: (row[0][0], row[0][1], -row[1])):
            print(f"{count:6}  {what}  {state}{': ' + kind if kind else ''}")
    if not options.report or options.in_place:
        write(options, mover, units)
    return 1 if any(result.state == "stays" for result in mover.results) else 0


def known_to_clang(arguments):
    """Returns those options of a compilation database, which may be nvcc's, that say what a file means."""
    kept, takes_value = [], False
    for word in arguments:
        if takes_value or word.startswith(("-I", "-D", "-U", "-std=", "-isystem", "-include", "-working-directory", "-fopenmp")):
            kept.append(word)
            takes_value = not takes_value and word in ("-I", "-D", "-U", "-isystem", "-include")
    return kept


def kind_of_error(message):
    if "file not found" in message:
        return "header"
    if "is a header of a library for CUDA" in message:
        return "library for CUDA"
    if re.search(r"'(cuda|cu|cublas|curand|tex|__)\w*'", message):
        return "cuda call"
    return "parse"


def remedy_of_error(message):
    if "file not found" in message:
        return "give its folder behind --, as -I"
    if "is a header of a library for CUDA" in message:
        return "replace what is used of it; nothing of the program is moved"
    return "docs/porting.md lists what is known of CUDA; nothing of the program is moved"


def print_failed(failed, units):
    """Prints a table of a program of which nothing is moved."""
    rows, seen = collections.Counter(), set()
    for unit in failed + units:
        kind = kind_of_error(unit.errors[0][2]) if unit.errors else "other file stays"
        for source in (unit.files if unit.tu is not None else {}).values():
            if id(source) not in seen:
                seen.add(id(source))
                rows[kind] += len(re.findall(r"\b__global__\b", source.code))
    for kind, count in rows.items():
        print(f"{count:6}  kernels  stays: {kind}")


# ---- files that come out ---------------------------------------------------------------------------------------------

def write(options, mover, units):
    """Prints differences, or writes the files: a .cu file that no other one includes becomes a .c or a .cpp file."""
    included = set().union(*(unit.included for unit in units))
    main_files = [unit for unit in units if unit.path.endswith(".cu") and os.path.realpath(unit.path) not in included]
    extension = ".c" if main_files and len(main_files) == len(units) and in_c(options, mover, main_files) else ".cpp"
    new_names = {id(unit.files[unit.path]): unit.path[:-3] + extension for unit in main_files}
    for key, source in mover.sources.items():
        if not source.edits and key not in new_names:
            continue
        path = new_names.get(key, source.path)
        if not options.in_place:
            from .main import print_difference
            print_difference(source, path)
            continue
        text = source.edited()
        with open(path, "w", encoding="latin-1", newline="") as file:
            file.write(text)
        if path != source.path:
            os.remove(source.path)


def in_c(options, mover, units):
    """Returns true if all files of the program are C when some words of C++ are replaced, which this does then."""
    if any(needs_c_plus_plus(source.edited()) for source in mover.sources.values()) or calls_overloads(mover, units):
        return False
    kept = {key: list(source.edits) for key, source in mover.sources.items()}
    for source in mover.sources.values():
        dimensions(source)
    if all(parses(options, mover, unit) for unit in units):
        return True
    for key, source in mover.sources.items():
        source.edits = kept[key]
    return False


def dimensions(source):
    """Writes constructors of dim3 as C."""
    for start in re.compile(r"\bdim3\b").finditer(source.code):
        at = start.end()
        while match := re.compile(r"\s*(\w+)?\s*(\()").match(source.code, at):
            if any(a < match.end() and match.start() < b for a, b, _ in source.edits):
                break
            name = match.group(1)
            if name:
                source.replace(match.start(1), match.end(), f"{name} = tw_port_dim3(")
            else:
                source.replace(start.start(), match.end(), "tw_port_dim3(")
            behind = re.compile(r"\)\s*,").match(source.code, closing(source.code, match.start(2)))
            if not name or not behind:
                break
            at = behind.end()


def calls_overloads(mover, units):
    """Returns true if the program calls a mathematical function for float, or abs() for no int, by a name that is another
    function in C."""
    for unit in units:
        for node in unit.functions:
            for part in node.walk():
                callee = part.cursor.referenced if part.kind == "CALL_EXPR" else None
                if callee is None or callee.location.file is None or callee.location.file.name in unit.files:
                    continue
                kinds = {argument.type.get_canonical().spelling for argument in callee.get_arguments()}
                if callee.spelling in MATH and "float" in kinds or callee.spelling == "abs" and kinds != {"int"}:
                    return True
    return False


def parses(options, mover, unit):
    """Returns true if what a file becomes is C, with all headers that it includes."""
    from .main import include_folders
    path = os.path.abspath(unit.path)[:-3] + ".c"
    texts = [(os.path.abspath(source.path), source.edited()) for source in mover.sources.values() if source.path != unit.path]
    texts.append((path, unit.files[unit.path].edited()))
    arguments = [word for word in unit.arguments if not word.startswith("-std=")]
    arguments += ["-x", "c", "-std=gnu17", "-w", "-Werror=implicit-function-declaration", "-fopenmp"]
    arguments += [f"-I{folder}" for folder in include_folders()]
    include = tree.resource_include(options.compiler)
    arguments += ["-isystem", include] if include else []
    found = tree.cindex.Index.create().parse(path, args=arguments, unsaved_files=texts)
    return not any(diagnostic.severity >= 3 for diagnostic in found.diagnostics)
