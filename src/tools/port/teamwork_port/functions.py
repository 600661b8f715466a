# SPDX-License-Identifier: Apache-2.0
"""Functions that ask for their thread, or have barriers: kernels call copies that take the work-item."""
import re

from .body import atomic_edit
from .source import Refused, closing, identifiers
from .tree import Node, key_of, template_of

QUERY = {"omp_get_thread_num": "tw_local_id", "omp_get_team_num": "tw_group_id",
         "omp_get_num_threads": "tw_local_range", "omp_get_num_teams": "tw_group_range"}
SUFFIX = "_of_item"


def query_edits(source, node, item):
    """Returns the edits that ask the work-item in the place of OpenMP."""
    edits = []
    for part in node.walk():
        if part.kind != "CALL_EXPR" or part.cursor.spelling not in QUERY:
            continue
        name, text = part.cursor.spelling, source.code[part.start:part.end].strip()
        if not re.fullmatch(rf"{name}\s*\(\s*\)", text):
            macro = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(text)}[ \t]+\(?{name}[ \t]*\([ \t]*\)\)?[ \t\r]*$",
                              source.code, re.M)
            if not macro:
                raise Refused("macro", f"{name}() is called in the macro {text}", "write the macro out", part.start)
        edits.append((part.start, part.end, f"(int){QUERY[name]}({item}, 0)"))
    return edits


class ItemFunctions:
    """Those of a body's functions that need the work-item, because they ask for it or call one that does."""

    def __init__(self, unit, functions, asking):
        self.unit, self.keys = unit, {key_of(tree.cursor) for tree in asking}
        for tree in functions:
            if any(found.words == "barrier" for found in self.directives(tree)):
                self.keys.add(key_of(tree.cursor))
        known = -1
        while known < len(self.keys):
            known = len(self.keys)
            self.keys |= {key_of(tree.cursor) for tree in functions if self.calls(tree)}
        self.trees = [tree for tree in functions if key_of(tree.cursor) in self.keys]

    def directives(self, tree):
        return self.unit.directives_in(tree.path, tree.start, tree.end) if tree.path in self.unit.files else []

    def calls(self, node):
        return [part for part in node.walk() if part.kind == "CALL_EXPR" and part.cursor.referenced is not None
                and key_of(part.cursor.referenced.get_definition() or part.cursor.referenced) in self.keys]

    def call_edits(self, source, node, item):
        """Returns the edits that call the copies, with the work-item."""
        edits = []
        for call in self.calls(node):
            name = call.cursor.spelling
            match = re.compile(rf"(?:\w+\s*::\s*)*({name})\b[^(;]*(\()\s*(\)?)").match(source.code, call.start)
            if not match:
                raise Refused("macro", f"{name}() is called in a macro", "write the macro out", call.start)
            edits.append((*match.span(1), name + SUFFIX))
            edits.append((match.end(2), match.end(2), item if match.group(3) else f"{item}, "))
        return edits

    def copies(self):
        """Returns [(source, offset, offset, text)], the copies behind the functions."""
        found = []
        for tree in self.trees:
            source = self.unit.files.get(tree.path)
            if source is None or tree.cursor.kind.name != "FUNCTION_DECL":
                raise Refused("omp call", f"{tree.cursor.spelling}() asks for the thread or team, or has a barrier",
                              "make it a function of the program's files", tree.start)
            template = template_of(tree.cursor)
            whole = Node(template) if template is not None else tree
            found.append((source, whole.end, whole.end, "\n\n" + self.copy(source, tree, whole)))
        return found

    def copy(self, source, tree, whole):
        words = identifiers(source.code[whole.start:whole.end])
        item = next(name for name in ("item", "tw_item_", "tw_work_item") if name not in words)
        body = tree.children[-1]
        edits = query_edits(source, body, item) + self.call_edits(source, body, item)
        edits += self.directive_edits(source, tree, item)
        head = re.compile(rf"\b({tree.cursor.spelling})\s*(\()").search(source.code, whole.start, body.start)
        if head is None:
            raise Refused("macro", f"the head of {tree.cursor.spelling}() is that of a macro", "write the macro out",
                          whole.start)
        end = closing(source.code, head.start(2))
        empty = source.code[head.end(2):end].strip() in ("", "void")
        edits.append((*head.span(1), tree.cursor.spelling + SUFFIX))
        edits.append((head.end(2), end if empty else head.end(2), f"tw_nd_item {item}" + ("" if empty else ", ")))
        linkage = "" if "inline" in words or template_of(tree.cursor) is not None else \
            "inline " if "static" in words else "static inline "
        edits.append((tree.start, tree.start, f"__attribute__((always_inline)) {linkage}"))
        parts, position = [], whole.start
        for first, last, text in sorted(edits, key=lambda edit: edit[:2]):
            parts += [source.text[position:first], text]
            position = last
        return "".join(parts) + source.text[position:whole.end]

    def directive_edits(self, source, tree, item):
        edits = []
        for found in self.directives(tree):
            begin, end = source.line_start(found.start), source.next_line(found.end)
            if found.words == "barrier":
                indent = max(source.indent_of(found.start), source.indent_of(end), key=len)
                edits.append((begin, end, f"{indent}tw_barrier({item}, TW_GLOBAL_AND_LOCAL);\n"))
            elif found.words in ("simd", "unroll"):
                edits.append((begin, end, ""))
            elif found.words.startswith("atomic"):
                with self.unit.inside(tree):
                    edits.append(atomic_edit(source, found, self.unit))
            elif "declare" not in found.words:
                raise Refused("inner directive", f"#pragma omp {found.words} in {tree.cursor.spelling}(), which the body "
                              "calls", "move it by hand", found.start)
        return edits
