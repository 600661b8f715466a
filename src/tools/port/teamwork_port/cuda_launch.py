# SPDX-License-Identifier: Apache-2.0
"""Launches of CUDA kernels as command groups."""
import re

from .cuda_kernel import converted, launch_text
from .cuda_words import Result
from .source import Refused
from .tree import template_of

STATEMENTS = ("COMPOUND_STMT", "IF_STMT", "FOR_STMT", "WHILE_STMT", "DO_STMT", "CASE_STMT", "DEFAULT_STMT", "LABEL_STMT",
              "CXX_FOR_RANGE_STMT", "SWITCH_STMT")


def launches(mover, unit, function):
    """Moves the launches of a function of the host."""
    source, text = unit.files[function.path], mover.text_of(unit, function)
    for match in re.compile("<<<").finditer(source.code, function.start, function.end):
        place = match.start()
        around = [part for part in function.walk() if part.kind == "CALL_EXPR" and part.path == function.path and part.children
                  and part.start < place < part.end and part.children[0].end <= match.end()]
        node = min(around, key=lambda part: part.end - part.start) if around else None
        if node is None and not is_compiled(source, function, place):
            mover.results.append(Result("launches", function.path, source.line_of(place), "inactive"))
            continue
        try:
            if node is None:
                raise in_macro(place)
            launch(mover, unit, node, place)
            mover.results.append(Result("launches", function.path, source.line_of(node.start)))
        except Refused as refused:
            mover.results.append(Result("launches", function.path, source.line_of(place), "stays", refused))
            if node is not None:
                text.frozen.append((node.start, node.end))


def is_compiled(source, function, place):
    """Returns true if the syntax tree has something of the statement before an offset."""
    begin = max(source.code.rfind(mark, function.start, place) for mark in ";{}")
    return any(begin < part.start < place for part in function.walk())


def in_macro(place):
    return Refused("launch", "the launch stands in a macro", "write it as a statement of its own", place)


def launch(mover, unit, node, place):
    source, text = unit.files[node.path], mover.text_of(unit, node)
    code, referenced = source.code, node.cursor.referenced or node.children[0].cursor.referenced
    spelled = re.compile(r"(?:::)?\s*((?:\w+\s*::\s*)*(\w+))\s*(<(?!<<[^<]))?").match(code, node.start)
    name = spelled.group(2) if spelled else ""
    if not spelled or name in mover.macros or referenced is not None and referenced.spelling.partition("<")[0] != name:
        raise in_macro(place)
    if referenced is not None and referenced.kind.name in ("VAR_DECL", "PARM_DECL", "FIELD_DECL"):
        raise Refused("launch", f"{name} is a pointer to a kernel", "launch the kernel by its name", place)
    kernel = find_kernel(mover, referenced, name)
    behind = re.compile(r"\s*;").match(code, node.end)
    if node.parent.kind not in STATEMENTS or not behind:
        raise Refused("launch", "a launch is part of an expression", "write it as a statement of its own", place)
    if re.search(r"^[ \t]*#", code[node.start:node.end], re.M):
        raise Refused("preprocessor", "a branch of the preprocessor is in the launch", "write it out", place)
    configuration, closed = parts_of_configuration(text, place + 3)
    given = [child for child in node.children[1:] if child.start >= closed]
    if len(given) != len(kernel.parameters):
        raise Refused("launch", "the launch leaves out arguments", "write all of them", place)
    arguments = [text.render(child.start, child.end) for child in given]
    if not kernel.is_template:
        arguments = [converted(*taken) for taken in zip(given, arguments, kernel.parameters)]
    template = text.render(spelled.start(3), place).strip() if spelled.group(3) else ""
    text.spans.append((node.start, behind.end(), launch_text(
        kernel, re.sub(r"\s", "", spelled.group(1)), template, configuration, arguments, source.indent_of(node.start),
        (mover.cg, mover.launched))))


def find_kernel(mover, referenced, name):
    """Returns the kernel that a launch is of."""
    usrs = [cursor.get_usr() for cursor in (referenced and template_of(referenced), referenced) if cursor is not None]
    usrs = [usr for usr in usrs if usr in mover.kernels or usr in mover.staying] \
        or [usr for usr, kernel in mover.kernels.items() if kernel.name == name]
    if any(usr in mover.staying for usr in usrs):
        raise Refused("kernel stays", f"{name} stays", "move the kernel first")
    found = [mover.kernels[usr] for usr in usrs]
    if len(found) != 1:
        raise Refused("launch", f"the kernel {name} is not known", "give the tool the file that declares it")
    return found[0]


def parts_of_configuration(text, start):
    """Returns what stands between <<< and >>>, with its edits, and the offset of >>>."""
    code, depth, begin, parts = text.source.code, 0, start, []
    for i in range(start, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        is_end = code.startswith(">>>", i)
        if depth == 0 and (is_end or code[i] == ","):
            parts.append(re.sub(r"\bdim3\s*\(", "tw_port_dim3(", text.render(begin, i).strip()))
            begin = i + 1
            if is_end:
                return parts, i
    raise Refused("launch", "the launch has no >>>", "write it out", start)
