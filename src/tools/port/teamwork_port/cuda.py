# SPDX-License-Identifier: Apache-2.0
"""Moves CUDA programs: names by their spelling, kernels, launches and variables by the syntax tree."""
import os
import re

from . import cuda_names as names
from .cuda_device import check_device_function, item_edits, item_names, shared_edits
from .cuda_kernel import CudaKernel
from .cuda_launch import launches
from .cuda_unit import body_of, calls, macros, marks
from .cuda_words import Result, Text, Words
from .source import Refused, closing, identifiers
from .templates import arguments, instantiations, parameters
from .tree import template_of

HEADER = "#include <teamwork_port_cuda.h>\n"
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"][^\n]*\n?", re.M)


class CudaMover:
    """Moves the units of one program, all together. `with_openmp`: the program is compiled with OpenMP as it is."""

    def __init__(self, units, with_openmp):
        self.units, self.with_openmp, self.results = units, with_openmp, []
        self.sources = {id(source): source for unit in units for source in unit.files.values()}
        self.texts = {key: Text(source) for key, source in self.sources.items()}
        self.words = set().union(*(identifiers(source.code) for source in self.sources.values()))
        self.item, self.k = self.unused("item"), self.unused("k")
        self.cg, self.launched = self.unused("cg"), self.unused("launched")
        self.macros = {}      # {name: text}
        for source in self.sources.values():
            for name, text in macros(source).items():
                self.macros[name] = self.macros.get(name, "") + " " + text
        self.needing = item_names(units, self.macros)
        self.functions = {node.cursor.spelling for unit in units for node in unit.functions
                          if "device" in marks(node)} & set(self.needing)
        self.seen = set()     # keys of declarations that were looked at: those of headers are in several units
        self.kernels = {}     # {USR: CudaKernel}
        self.staying = set()  # USRs of kernels that stay
        self.left = set()     # names of device functions that stay

    def unused(self, name):
        return next(text for text in (name, f"tw_{name}_", f"tw_port_{name}_") if text not in self.words)

    def once(self, node):
        """Returns true for the first of the nodes of a declaration."""
        key = (os.path.realpath(node.path), node.start, node.kind)
        first = key not in self.seen
        self.seen.add(key)
        return first

    def text_of(self, unit, node):
        return self.texts[id(unit.files[node.path])]

    def refuse(self, what, unit, node, refused):
        """Leaves a declaration as it is."""
        inside = refused.offset is not None and node.start <= refused.offset < node.end
        line = unit.files[node.path].line_of(refused.offset if inside else node.start)
        self.results.append(Result(what, node.path, line, "stays", refused))
        self.text_of(unit, node).frozen.append((node.start, node.end))

    def each(self, mark=None):
        """Yields (unit, node) of the program's functions, those with a mark alone, each declaration once."""
        seen = set()
        for unit in self.units:
            for node in unit.functions:
                key = (os.path.realpath(node.path), node.start, node.kind)
                if key not in seen and (mark is None or mark in marks(node)):
                    seen.add(key)
                    yield unit, node

    def move(self):
        for unit in self.units:
            for node in unit.functions:
                if "global" in marks(node):
                    self.declare_kernel(unit, node)
        words = Words(self)
        for text in self.texts.values():
            words.edit(text)
        for unit in self.units:
            self.instances(unit)
        self.leave_functions()
        for unit, node in self.each("device"):
            self.device_function(unit, node)
        for unit, node in self.each("global"):
            self.kernel(unit, node)
        for unit, node in self.each():
            if not marks(node) & {"device", "global"}:
                launches(self, unit, node)
        for unit in self.units:
            for node in unit.variables:
                if self.once(node):
                    self.variable(unit, node)
            for node in unit.templates:
                if self.once(node) and {"__constant__", "__device__"} & identifiers(unit.files[node.path].code[node.start:node.end]):
                    self.refuse("variables", unit, node, Refused("variable", "a variable is a template",
                                                                 "write it for each type that is used"))
        for text in self.texts.values():
            text.finish()
        for source in self.sources.values():
            self.headers(source, words.conditions)

    # ---- kernels -----------------------------------------------------------------------------------------------------

    def declare_kernel(self, unit, node):
        usr, name, body = node.cursor.get_usr(), node.cursor.spelling, body_of(node)
        try:
            if usr not in self.kernels:
                if node.cursor.semantic_parent.kind.name in ("CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE"):
                    raise Refused("method", f"the kernel {name}() is a member of a class", "make it a function")
                if any(other.name == name and other.unit is unit for other in self.kernels.values()):
                    raise Refused("overloaded kernel", f"there is more than one {name}()", "give each a name of its own", node.start)
                self.kernels[usr] = CudaKernel(unit, node, unit.files[node.path], self.macros)
                if self.kernels[usr].maker_name in self.words:
                    self.kernels[usr].maker_name = f"tw_{name}_block"
            if body is not None:
                self.kernels[usr].define(node, body)
        except Refused as refused:
            self.staying.add(usr)
            if self.once(node):
                self.refuse("kernels", unit, node, refused)

    def instances(self, unit):
        """Finds the instantiations of kernels that are templates."""
        for cursors in instantiations(unit).values():
            for cursor in cursors:
                template = template_of(cursor)
                kernel = self.kernels.get(template.get_usr()) if template is not None else None
                if kernel is None or template.get_usr() in self.staying:
                    continue
                try:
                    named = parameters(kernel.unit, kernel.node)
                    if len(named) != len(kernel.template):
                        raise Refused("template", "a parameter of the template has no name", "give it one", kernel.node.start)
                    text = ", ".join(arguments(cursor, named, kernel.source, kernel.node.start))
                except Refused as refused:
                    self.staying.add(template.get_usr())
                    self.refuse("kernels", kernel.unit, kernel.node, refused)
                    continue
                if text not in [known for _, known in kernel.instances]:
                    suffix = re.sub(r"\W+", "_", text.replace("*", "p").replace("-", "m")).strip("_")
                    name, number = f"{kernel.name}_{suffix}", 2
                    while name in self.words:
                        name, number = f"{kernel.name}_{suffix}_{number}", number + 1
                    self.words.add(name)
                    kernel.instances.append((name, text))

    def kernel(self, unit, node):
        usr, source = node.cursor.get_usr(), unit.files[node.path]
        if usr in self.staying:
            return
        try:
            if body_of(node) is not None:
                self.check(unit, node)
                self.define_kernel(unit, node)
                self.results.append(Result("kernels", node.path, source.line_of(node.start)))
                self.results[-1].notes = self.notes(unit, node)
            else:
                kernel, end = self.kernels[usr], source.code.index(";", node.end - 1) + 1
                declared = "" if kernel.is_template else f"TW_DECLARE_ND_RANGE_KERNEL({kernel.name});"
                self.text_of(unit, node).spans.append((node.start, end, self.block(unit, node, kernel) + declared))
        except Refused as refused:
            self.refuse("kernels", unit, node, refused)
            self.staying.add(usr)

    def define_kernel(self, unit, node):
        source, text, body = unit.files[node.path], self.text_of(unit, node), body_of(node)
        if re.search(r"^[ \t]*#", source.code[node.start:body.start], re.M):
            raise Refused("preprocessor", "a branch of the preprocessor is in the head of the kernel", "write it out", node.start)
        kernel = self.kernels[node.cursor.get_usr()]
        own = kernel if kernel.node is node else CudaKernel(unit, node, source, self.macros)
        words, lines = identifiers(source.code[body.start:body.end]), []
        for given, member in zip(own.parameters, kernel.parameters):
            if given.name and (given.name in words or words & set(self.macros)):
                given.member = member.member
                lines.append(given.unpack(self.k))
        shared_edits(text, body, kernel, self.item, self.k)
        self.calls(text, body)
        if not lines and not kernel.shared:
            lines.append(f"(void){self.k};")
        if not any(self.item in part for at, (_, part) in text.leaves.items() if body.start <= at < body.end) and not kernel.shared:
            lines.append(f"(void){self.item};")
        text.spans.append((node.start, body.start, self.block(unit, node, kernel) + own.head(self.item, self.k)))
        indent = source.indent_of(body.start) + "    "
        text.spans.append((body.start + 1, body.start + 1, "".join(f"\n{indent}{line}" for line in lines)))
        text.spans.append((body.end, body.end, kernel.macro()))

    def block(self, unit, node, kernel):
        """Returns the text of a kernel's block, at the first declaration that a unit has; else ""."""
        first = os.path.realpath(kernel.node.path)
        seen = first in [os.path.realpath(path) for path in unit.files]
        is_first = (first, kernel.node.start) == (os.path.realpath(node.path), node.start)
        return kernel.block() + kernel.maker() if is_first or not seen else ""

    def notes(self, unit, node):
        """Returns what is to be known of a kernel that was moved."""
        code, found = unit.files[node.path].code[node.start:node.end], []
        words = identifiers(code)
        meets = words & names.BARRIERS or any(self.needing.get(name) and calls(code, name) for name in words)
        if meets and any(part.kind == "RETURN_STMT" for part in body_of(node).walk()):
            found.append("a thread that returns before a barrier is an error on CPUs (TW_ERROR_DIVERGENT_BARRIER)")
        if words & names.WARP:
            found.append("on CPUs all of the group must come to functions of a warp")
        return [(unit.files[node.path].line_of(node.start), text) for text in found]

    # ---- functions and variables -------------------------------------------------------------------------------------

    def check(self, unit, node):
        """Refuses a function that cannot be part of a kernel, or calls one that stays."""
        check_device_function(unit, node)
        code = unit.files[node.path].code[node.start:node.end]
        for name in identifiers(code) & self.left:
            if name != node.cursor.spelling and calls(code, name):
                raise Refused("calls what stays", f"it calls {name}(), which stays", "move that first", node.start)

    def check_head(self, unit, node):
        name = node.cursor.spelling
        if name not in self.functions:
            return
        if node.cursor.kind.name == "CONSTRUCTOR":
            raise Refused("method", f"the constructor {name}() asks for its thread", "give it what it needs", node.start)
        if "host" in marks(node) and any(
                calls(other.files[host.path].code[host.start:host.end], name) for other, host in self.each()
                if not marks(host) & {"device", "global"}):
            raise Refused("host and device", f"{name}() asks for its thread, and is called by the host too",
                          "make two functions of it", node.start)

    def leave_functions(self):
        """Finds the device functions that stay: those that are refused, and those that call them."""
        waiting, known = list(self.each("device")), None
        while known != len(self.left):
            known = len(self.left)
            for unit, node in list(waiting):
                try:
                    self.check_head(unit, node)
                    if body_of(node) is not None:
                        self.check(unit, node)
                        shared_edits(Text(unit.files[node.path]), body_of(node), None, self.item, self.k)
                except Refused as refused:
                    self.refuse("functions", unit, node, refused)
                    self.left.add(node.cursor.spelling)
                    waiting.remove((unit, node))

    def calls(self, text, body):
        """Makes the edits of calls in a function of devices."""
        item_edits(text, body.start, body.end, self.functions, self.item)
        for match in re.compile(r"\bprintf\b(?=\s*\()").finditer(text.source.code, body.start, body.end):
            text.leaf(*match.span(), "tw_printf")

    def device_function(self, unit, node):
        source, text, name = unit.files[node.path], self.text_of(unit, node), node.cursor.spelling
        body = body_of(node)
        head_end = body.start if body is not None else node.end
        if any(a <= node.start < b for a, b in text.frozen):
            return
        if body is not None:
            shared_edits(text, body, None, self.item, self.k)
            self.calls(text, body)
        if name in self.functions:
            spelled = re.escape(name) if not name.startswith("operator") else r"operator\s*\(\s*\)"
            head = re.compile(rf"\b{spelled}\s*(\()").search(source.code, node.start, head_end)
            if head is None:
                self.refuse("functions", unit, node, Refused("macro", f"the head of {name}() is that of a macro",
                                                             "write the macro out", node.start))
                return
            opening = head.start(1)
            empty = source.code[opening + 1:closing(source.code, opening)].strip() in ("", "void")
            text.leaf(opening, closing(source.code, opening) if empty else opening + 1,
                      f"(tw_nd_item {self.item}" + ("" if empty else ", "))
        self.linkage(text, node, head_end)

    def linkage(self, text, node, head_end):
        """Makes a function of kernels static and inline."""
        words = identifiers(text.source.code[node.start:head_end])
        if node.cursor.semantic_parent.kind.name not in ("TRANSLATION_UNIT", "NAMESPACE", "LINKAGE_SPEC") \
                or node.kind != "FUNCTION_DECL" or words & {"constexpr", "extern"}:
            return
        for _ in range(3):
            words |= {word for name in list(words) for word in identifiers(self.macros.get(name, ""))}
        is_inline = words & {"inline", "__inline__", "__inline", "__forceinline__"}
        missing = ("" if "static" in words else "static ") + ("" if is_inline else "inline ")
        at = next((at for at in sorted(text.leaves) if node.start <= at < head_end and text.leaves[at][1] == ""), None)
        if missing and at is not None:
            text.leaf(at, text.leaves[at][0], missing)
        elif missing:
            text.spans.append((node.start, node.start, missing))

    def variable(self, unit, node):
        found, source, text = marks(node), unit.files[node.path], self.text_of(unit, node)
        name, kind = node.cursor.spelling, node.cursor.type.spelling
        if not found & {"device", "constant", "shared", "managed"}:
            return
        if found & {"shared", "managed"} or node.cursor.semantic_parent.kind.name not in ("TRANSLATION_UNIT", "NAMESPACE"):
            self.refuse("variables", unit, node, Refused(
                "variable", f"{name} is shared or managed memory outside of a function, or a variable in a class",
                "declare shared memory in the kernel; of managed memory take a pointer"))
            return
        if "volatile" in kind:
            self.refuse("variables", unit, node, Refused("volatile", f"{name} is volatile", "use atomic operations"))
            return
        line = source.line_start(node.start)
        start = node.start if source.code[line:node.start].strip() else line
        end = source.code.index(";", node.end - 1) + 1
        if "const" not in identifiers(kind) | identifiers(source.code[node.start:node.end].split("=")[0]):
            match = re.compile(r"\bstatic\b\s*").search(source.code, node.start, node.end)
            if match:
                text.leaf(*match.span(), "")
        if any(a == start for a, *_ in text.spans):
            return  # another one of the same declaration
        text.spans.append((start, start, "TW_BEGIN_DEVICE_VARIABLES\n"))
        text.spans.append((end, end, "\nTW_END_DEVICE_VARIABLES"))
        self.results.append(Result("variables", node.path, source.line_of(node.start)))

    # ---- headers -----------------------------------------------------------------------------------------------------

    def headers(self, source, conditions):
        """Includes the header of what was moved in the place of CUDA's."""
        found = [match for match in INCLUDE.finditer(source.text) if match.group(1) in names.HEADERS]
        is_main = any(unit.files[unit.path] is source and unit.path.endswith(".cu") for unit in self.units)
        define = f"#define {names.CUDACC} 1\n" if is_main and names.CUDACC in conditions else ""
        if not source.edits and not found and not define:
            return
        for match in found:
            source.replace(match.start(), match.end(), "")
        place = head_of(source)
        source.edits.insert(0, (place, place, define + HEADER))


def head_of(source):
    """Returns where the header is included: before all code and lines of the preprocessor but those that guard a header."""
    guard = re.compile(r"\s*#[ \t]*(?:pragma[ \t]+once[^\n]*\n|ifndef[ \t]+(\w+)[^\n]*\s*#[ \t]*define[ \t]+\1[^\n]*\n)").match(source.code)
    if guard:
        return guard.end()
    match = re.compile(r"^[ \t]*\S", re.M).search(source.code)
    return match.start() if match else 0
