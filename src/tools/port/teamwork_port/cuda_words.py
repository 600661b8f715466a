# SPDX-License-Identifier: Apache-2.0
"""The edits of CUDA files: names by their spelling, in all of a file; and structure, which contains some of the former."""
import re

from . import cuda_names as names
from .cuda_device import item_edits
from .cuda_unit import directives, marks
from .source import Refused, closing

BLOCK_TIMES_SIZE = r"(?:blockIdx\s*\.\s*{0}\s*\*\s*blockDim\s*\.\s*{0}|blockDim\s*\.\s*{0}\s*\*\s*blockIdx\s*\.\s*{0})\b"
GLOBAL_ID = {letter: re.compile(rf"(?:\b{BLOCK_TIMES_SIZE.format(letter)}\s*\+\s*threadIdx\s*\.\s*{letter}\b|"
                                rf"\bthreadIdx\s*\.\s*{letter}\s*\+\s*{BLOCK_TIMES_SIZE.format(letter)})"
                                r"(?=\s*(?:[-+;,)\]}<>=&|?:]|$))") for letter in "xyz"}
ID = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\b(?:\s*\.\s*([xyz])\b)?")


class Result:
    """What became of a kernel, a launch or something else: `state` is "moved", "stays", "inactive" (not compiled) or
    "note"."""

    def __init__(self, what, path, line, state="moved", refused=None):
        self.what, self.path, self.line, self.state = what, path, line, state
        self.kind = refused.kind if refused else ""
        self.reason = refused.reason if refused else ""
        self.remedy = refused.remedy if refused else ""
        self.notes = []


class Text:
    """The edits of a file."""

    def __init__(self, source):
        self.source = source
        self.leaves = {}  # {start: (end, text)}: those of names
        self.spans = []   # (start, end, text): those of structure
        self.frozen = []  # (start, end) of what stays

    def leaf(self, start, end, text):
        self.leaves[start] = (end, text)

    def render(self, start, end):
        """Returns the text of a range with the edits of names."""
        parts, position = [], start
        for at in sorted(at for at in self.leaves if start <= at < end):
            if at >= position:
                stop, text = self.leaves[at]
                parts += [self.source.text[position:at], text]
                position = stop
        return "".join(parts) + self.source.text[position:end]

    def finish(self):
        """Hands the edits to the source."""
        covered = [(start, end) for start, end, _ in self.spans if end > start] + self.frozen
        for start, (end, text) in self.leaves.items():
            if not any(a <= start < b for a, b in covered):
                self.source.replace(start, end, text)
        for start, end, text in self.spans:
            if not any(a <= start < b for a, b in self.frozen):
                self.source.replace(start, end, text)


class Words:
    """Makes the edits of names, in all files of a program."""

    def __init__(self, mover):
        self.mover, self.item, self.macros = mover, mover.item, mover.macros
        self.conditions = set()  # what names.CONDITIONS became
        self.called = self.called_of_cuda()

    def edit(self, text):
        """Makes those of a file."""
        source, (lines, defines) = text.source, directives(text.source)
        others = [span for span in lines if span not in defines]
        device = [(node.start, node.end) for unit in self.mover.units for node in unit.functions
                  if unit.files[node.path] is source and marks(node) & {"device", "global"}]
        for match in re.finditer(r"(?:\bstd\s*::\s*|(?:\.|->|::)\s*)?\b([A-Za-z_]\w*)\b", source.code):
            start, name = match.start(1), match.group(1)
            in_device = any(a <= start < b for a, b in device)
            if any(a <= start < b for a, b in others):
                self.condition(text, start, name, in_device)
                continue
            if re.search(r"#[ \t]*(?:define|undef)[ \t]+$", source.code[source.line_start(start):start]):
                continue  # the program's own macro
            if match.start() == start or name in names.DROPPED:
                in_define = any(a <= start < b for a, b in defines)
                if name not in names.OF_DEVICE or in_define or in_device:
                    self.word(text, start, match.end(), name, in_define)
        self.global_ids(text)
        for start, end in defines:
            if "<<<" in source.code[start:end]:
                self.stays(text, start, "launches", Refused("launch", "a macro launches a kernel", "write the macro out"))
            item_edits(text, start, end, self.mover.functions, self.item)
        match = re.search(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b", source.code, re.M)
        if match and not self.mover.with_openmp:
            self.note(text, match.end(), "directives of OpenMP on the host are in force: kernels are compiled with -fopenmp")

    def note(self, text, start, words):
        result = Result("directives", text.source.path, text.source.line_of(start), "note")
        result.notes = [(result.line, words)]
        self.mover.results.append(result)

    def stays(self, text, start, what, refused):
        self.mover.results.append(Result(what, text.source.path, text.source.line_of(start), "stays", refused))

    def global_ids(self, text):
        """Makes one call of block, size and thread where they are a whole operand."""
        code = text.source.code
        for letter, pattern in GLOBAL_ID.items():
            for match in pattern.finditer(code):
                before = code[:match.start()].rstrip()
                if match.start() not in text.leaves or before and before[-1] not in "=([,{;?":
                    continue
                for at in [at for at in text.leaves if match.start() <= at < match.end()]:
                    del text.leaves[at]
                text.leaf(match.start(), match.end(), f"(unsigned)tw_global_id({self.item}, {names.DIMENSION[letter]})")

    def word(self, text, start, end, name, in_define):
        """Makes the edit of a name, if it needs one."""
        code = text.source.code
        behind = re.compile(r"\s*").match(code, end).end()
        is_call = code[behind:behind + 1] == "("
        if name in names.IDS:
            (one, whole), match = names.IDS[name], ID.match(code, start)
            dimension = names.DIMENSION.get(match.group(2))
            text.leaf(start, match.end(), f"{whole}({self.item})" if dimension is None
                      else f"(unsigned){one}({self.item}, {dimension})")
        elif name == "warpSize" and name not in self.macros:
            text.leaf(start, end, "32")
        elif name in names.WHOLE_CALLS and is_call:
            text.leaf(start, closing(code, behind) + 1, names.WHOLE_CALLS[name].format(item=self.item))
        elif name in names.OF_ITEM and is_call:
            empty = code[behind + 1:closing(code, behind)].strip() == ""
            text.leaf(start, behind + 1, f"{names.OF_ITEM[name]}({self.item}" + ("" if empty else ", "))
        elif name in names.DROPPED:
            stop = closing(code, behind) + 1 if name == "__launch_bounds__" else end
            text.leaf(start, re.compile(r"[ \t]*").match(code, stop).end(), "")
        elif name in names.SYMBOLS and is_call and "DeviceToDevice" in code[behind:closing(code, behind)]:
            self.stays(text, start, "variables", Refused(
                "symbol", "a variable is copied to or from memory of the device", "copy it in a kernel"))
        elif name in names.RENAMED:
            if name != "__noinline__" or not code[:start].rstrip().endswith(("(", ",")):  # of an attribute
                text.leaf(start, end, names.RENAMED[name])
        elif (id(text.source), start) in self.called or in_define and name in self.called:
            text.leaf(start, end, names.RENAMED_CALLS[name])

    def called_of_cuda(self):
        """Returns {(source, offset)} of calls of CUDA's functions of names.RENAMED_CALLS, and the names of those that macros
        may have."""
        found, units = set(), self.mover.units
        own = {node.cursor.spelling for unit in units for node in unit.functions}
        for unit in units:
            for node in unit.functions + unit.variables:
                source = unit.files[node.path]
                for part in node.walk():
                    if part.kind != "CALL_EXPR" or part.path != node.path:
                        continue
                    callee = part.cursor.referenced
                    match = re.compile(r"\s*(\w+)\s*\(\s*(?!\))").match(source.code, part.start, part.end)
                    if match and match.group(1) in names.RENAMED_CALLS and (
                            match.group(1) not in own if callee is None else is_of_cuda(callee)):
                        found.add((id(source), match.start(1)))
                    if callee is not None and callee.spelling in names.RENAMED_CALLS and is_of_cuda(callee):
                        found.add(callee.spelling)
        return found

    def condition(self, text, start, name, in_device):
        """Keeps conditions on the compiler as they were for nvcc. Those on __CUDA_ARCH__ are refused: a device function that
        has one is itself."""
        if name in names.CONDITIONS and name not in self.macros and not (name == "_OPENMP" and self.mover.with_openmp):
            text.leaf(start, start + len(name), names.CONDITIONS[name])
            self.conditions.add(names.CONDITIONS[name])
            if name == "_OPENMP":
                self.note(text, start, "_OPENMP is taken as not defined; if it is, give -fopenmp behind --")
        elif name == "__CUDA_ARCH__" and not in_device:
            self.stays(text, start, "conditions", Refused(
                "preprocessor", "what follows depends on __CUDA_ARCH__, which is another on host and device",
                "decide the condition by hand"))


def is_of_cuda(callee):
    """Returns true of a function that cuda_names.h declares."""
    return callee.location.file is None or callee.location.file.name.endswith("cuda_names.h")
