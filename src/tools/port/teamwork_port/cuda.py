# SPDX-License-Identifier: Apache-2.0
"""Moves CUDA programs: names by their spelling, kernels, launches and variables by the syntax tree."""
import os
import re

from . import cuda_names as names
from .cuda_device import check_device_function, item_edits, item_names, shared_edits
from .cuda_kernel import CudaKernel, converted, launch_text
from .cuda_unit import body_of, calls, directives, macros, marks
from .source import Refused, closing, identifiers, split
from .templates import arguments, instantiations, parameters
from .tree import key_of, template_of

HEADER = "#include <teamwork_port_cuda.h>\n"
STATEMENTS = ("COMPOUND_STMT", "IF_STMT", "FOR_STMT", "WHILE_STMT", "DO_STMT", "CASE_STMT", "DEFAULT_STMT", "LABEL_STMT",
              "CXX_FOR_RANGE_STMT", "SWITCH_STMT")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"][^\n]*\n?", re.M)
GLOBAL_ID = re.compile(r"(?:blockIdx\s*\.\s*(?P<a>[xyz])\s*\*\s*blockDim\s*\.\s*(?P=a)|"
                       r"blockDim\s*\.\s*(?P<b>[xyz])\s*\*\s*blockIdx\s*\.\s*(?P=b))\s*\+\s*threadIdx\s*\.\s*(?P<c>[xyz])\b"
                       r"|threadIdx\s*\.\s*(?P<d>[xyz])\s*\+\s*(?:blockIdx\s*\.\s*(?P=d)\s*\*\s*blockDim\s*\.\s*(?P=d)|"
                       r"blockDim\s*\.\s*(?P=d)\s*\*\s*blockIdx\s*\.\s*(?P=d))(?=\s*[;,)\]}])")
ID = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\b(?:\s*\.\s*([xyz])\b)?")


class Result:
    """What became of a kernel, a launch or something else: `state` is "moved" or "stays"."""

    def __init__(self, what, path, line, state="moved", refused=None):
        self.what, self.path, self.line, self.state = what, path, line, state
        self.kind = refused.kind if refused else ""
        self.reason = refused.reason if refused else ""
        self.remedy = refused.remedy if refused else ""
        self.notes = []


class Text:
    """The edits of a file: those of names, and those of structure, which contain some of the former."""

    def __init__(self, source):
        self.source, self.leaves, self.spans, self.frozen = source, {}, [], []

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
        covered = [(start, end) for start, end, _ in self.spans if end > start] + self.frozen
        for start, (end, text) in self.leaves.items():
            if not any(a <= start < b for a, b in covered):
                self.source.replace(start, end, text)
        for start, end, text in self.spans:
            if not any(a <= start < b for a, b in self.frozen):
                self.source.replace(start, end, text)


class CudaMover:
    """Moves the units of one program, all together."""

    def __init__(self, units):
        self.units, self.results = units, []
        self.sources = {id(source): source for unit in units for source in unit.files.values()}
        self.texts = {key: Text(source) for key, source in self.sources.items()}
        self.words = set().union(*(identifiers(source.code) for source in self.sources.values()))
        self.item = self.unused("item")
        self.k, self.cg, self.launched = self.unused("k"), self.unused("cg"), self.unused("launched")
        self.macros = {}   # {name: text}
        self.conditions = set()  # the macros of names.CONDITIONS that are used
        self.seen = set()  # keys of declarations that were looked at: those of headers are in several units
        self.kernels = {}  # {USR: CudaKernel}
        self.staying = set()  # USRs of kernels that stay

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
        path = node.path
        offset = refused.offset if refused.offset is not None and node.start <= refused.offset < node.end else node.start
        self.results.append(Result(what, path, unit.files[path].line_of(offset), "stays", refused))
        self.text_of(unit, node).frozen.append((node.start, node.end))

    def move(self):
        for source in self.sources.values():
            for name, text in macros(source).items():
                self.macros[name] = self.macros.get(name, "") + " " + text
        self.needing = item_names(self.units, self.macros)
        self.functions = {node.cursor.spelling for unit in self.units for node in unit.functions
                          if "device" in marks(node)} & set(self.needing)
        for unit in self.units:
            for node in unit.functions:
                if "global" in marks(node):
                    self.declare_kernel(unit, node)
        self.names()
        for unit in self.units:
            self.instances(unit)
        for unit in self.units:
            for node in unit.functions:
                if self.once(node):
                    self.function(unit, node)
            for node in unit.variables:
                if self.once(node):
                    self.variable(unit, node)
        for text in self.texts.values():
            text.finish()
        for source in self.sources.values():
            self.headers(source)

    # ---- names -------------------------------------------------------------------------------------------------------

    def names(self):
        """Makes the edits of names, in all of each file."""
        called = self.called_of_cuda()
        for key, source in self.sources.items():
            text, (lines, defines) = self.texts[key], directives(source)
            others = [span for span in lines if span not in defines]
            device = [(node.start, node.end) for unit in self.units for node in unit.functions
                      if unit.files[node.path] is source and marks(node) & {"device", "global"}]
            for match in re.finditer(r"(?:\bstd\s*::\s*|(?:\.|->|::)\s*)?\b([A-Za-z_]\w*)\b", source.code):
                start, name = match.start(1), match.group(1)
                if any(a <= start < b for a, b in others):
                    self.condition(source, text, start, name)
                    continue
                if source.code[source.line_start(start):start].replace(" ", "").endswith(("#define", "#undef")):
                    continue  # the program's own macro
                if match.start() == start or name in names.DROPPED:
                    is_define = any(a <= start < b for a, b in defines)
                    if name not in names.OF_DEVICE or is_define or any(a <= start < b for a, b in device):
                        self.name(text, start, match.end(), name, called, is_define)
            for start, end in defines:
                if "<<<" in source.code[start:end]:
                    refused = Refused("launch", "a macro launches a kernel", "write the macro out")
                    self.results.append(Result("launches", source.path, source.line_of(start), "stays", refused))
                item_edits(text, start, end, self.functions, self.item)
            for match in GLOBAL_ID.finditer(source.code):
                before = source.code[:match.start()].rstrip()
                behind = source.code[match.end():].lstrip()
                of = [match.group(letter) for letter in "abcd"]
                letter = of[3] or of[2]
                if letter in (of[0], of[1], of[3]) and before[-1:] in tuple("=([,{;?") + ("",) and behind[:1] not in ("*", "/", "%"):
                    for at in [at for at in text.leaves if match.start() <= at < match.end()]:
                        del text.leaves[at]
                    text.leaf(match.start(), match.end(), f"(unsigned)tw_global_id({self.item}, {names.DIMENSION[letter]})")

    def name(self, text, start, end, name, called, is_define):
        code = text.source.code
        behind = re.compile(r"\s*").match(code, end).end()
        if name in names.IDS:
            one, whole = names.IDS[name]
            match = ID.match(code, start)
            letter = match.group(2)
            text.leaf(start, match.end(), f"(unsigned){one}({self.item}, {names.DIMENSION[letter]})" if letter
                      else f"{whole}({self.item})")
        elif name == "warpSize" and name not in self.macros:
            text.leaf(start, end, "32")
        elif name in names.BARE_CALLS and code[behind:behind + 1] == "(":
            text.leaf(start, closing(code, behind) + 1, names.BARE_CALLS[name].format(item=self.item))
        elif name in names.OF_ITEM and code[behind:behind + 1] == "(":
            empty = code[behind + 1:closing(code, behind)].strip() == ""
            text.leaf(start, behind + 1, f"{names.OF_ITEM[name]}({self.item}" + ("" if empty else ", "))
        elif name in names.DROPPED:
            stop = closing(code, behind) + 1 if name == "__launch_bounds__" else end
            text.leaf(start, re.compile(r"[ \t]*").match(code, stop).end(), "")
        elif name == "__forceinline__":
            text.leaf(start, end, "inline")
        elif name in names.RENAMED:
            word = names.RENAMED[name]
            if name == "__noinline__" and code[:start].rstrip().endswith(("(", ",")):
                return
            text.leaf(start, end, word)
        elif name in names.RENAMED_CALLS and ((id(text.source), start) in called or is_define and name in called):
            text.leaf(start, end, names.RENAMED_CALLS[name])

    def called_of_cuda(self):
        """Returns {(source, offset)} of calls of CUDA's functions of names.RENAMED_CALLS, and the names of those in macros."""
        found = set()
        own = {node.cursor.spelling for unit in self.units for node in unit.functions}
        for unit in self.units:
            for node in unit.functions + unit.variables:
                source = unit.files[node.path]
                for part in node.walk():
                    if part.kind != "CALL_EXPR" or part.path != node.path:
                        continue
                    match = re.compile(r"\s*(\w+)\s*\(\s*(\))?").match(source.code, part.start, part.end)
                    callee = part.cursor.referenced
                    if match and match.group(1) in names.RENAMED_CALLS and not match.group(2) and (
                            match.group(1) not in own if callee is None else not self.is_own(unit, callee)):
                        found.add((id(source), match.start(1)))
                    if callee is not None and callee.spelling in names.RENAMED_CALLS and not self.is_own(unit, callee):
                        found.add(callee.spelling)
        return found

    @staticmethod
    def is_own(unit, callee):
        """Returns true of a function that is not CUDA's: of the project, or a library."""
        file = callee.location.file
        return file is not None and not file.name.endswith("cuda_names.h")

    def condition(self, source, text, start, name):
        """Keeps conditions on the compiler as they were for nvcc; what the code of devices alone sees is refused."""
        if name in names.CONDITIONS and name not in self.macros:
            text.leaf(start, start + len(name), names.CONDITIONS[name])
            self.conditions.add(names.CONDITIONS[name])
        elif name == "__CUDA_ARCH__":
            refused = Refused("preprocessor", "what follows depends on __CUDA_ARCH__, which is another on host and device",
                              "decide the condition by hand")
            self.results.append(Result("conditions", source.path, source.line_of(start), "stays", refused))

    # ---- kernels -----------------------------------------------------------------------------------------------------

    def declare_kernel(self, unit, node):
        usr = node.cursor.get_usr()
        known = self.kernels.get(usr)
        body = body_of(node)
        try:
            if known is None:
                if node.cursor.semantic_parent.kind.name in ("CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE"):
                    raise Refused("method", f"the kernel {node.cursor.spelling}() is a member of a class", "make it a function")
                if any(other.name == node.cursor.spelling and other.unit is unit for other in self.kernels.values()):
                    raise Refused("overloaded kernel", f"there is more than one {node.cursor.spelling}()",
                                  "give each a name of its own", node.start)
                known = self.kernels[usr] = CudaKernel(unit, node, unit.files[node.path], self.macros)
            if body is not None:
                known.is_static |= node.cursor.storage_class.name == "STATIC"
                if any("shared" in marks(part) and part.cursor.storage_class.name == "EXTERN"
                       for part in body.walk() if part.kind == "VAR_DECL"):
                    taken = {parameter.member for parameter in known.parameters}
                    known.shared = next(name for name in ("shared", "tw_shared", "tw_port_shared") if name not in taken)
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
                if kernel is None:
                    continue
                try:
                    named = parameters(kernel.unit, kernel.node)
                    if len(named) != len(kernel.template):
                        raise Refused("template", "a parameter of the template has no name", "give it one", kernel.node.start)
                    text = ", ".join(arguments(cursor, named, kernel.source, kernel.node.start))
                except Refused as refused:
                    usr = template.get_usr()
                    if usr not in self.staying:
                        self.staying.add(usr)
                        self.refuse("kernels", kernel.unit, kernel.node, refused)
                        self.seen.add((os.path.realpath(kernel.node.path), kernel.node.start, kernel.node.kind))
                    continue
                if text not in [known for _, known in kernel.instances]:
                    suffix = re.sub(r"\W+", "_", text.replace("*", "p").replace("-", "m")).strip("_")
                    name, number = f"{kernel.name}_{suffix}", 2
                    while name in self.words:
                        name, number = f"{kernel.name}_{suffix}_{number}", number + 1
                    self.words.add(name)
                    kernel.instances.append((name, text))

    def kernel(self, unit, node):
        usr, source, text = node.cursor.get_usr(), unit.files[node.path], self.text_of(unit, node)
        kernel, body = self.kernels[usr], body_of(node)
        is_first = kernel.node.start == node.start and kernel.node.path == node.path
        if body is None:
            end = source.code.index(";", node.end - 1) + 1
            declared = "" if kernel.is_template else f"TW_DECLARE_ND_RANGE_KERNEL({kernel.name});"
            text.spans.append((node.start, end, (kernel.block() + kernel.maker() if is_first else "") + declared))
            return
        check_device_function(unit, node)
        own = kernel if is_first else CudaKernel(unit, node, source, self.macros)
        lines = []
        words = identifiers(source.code[body.start:body.end])
        for given, member in zip(own.parameters, kernel.parameters):
            if given.name and (given.name in words or self.in_macros(given.name, words)):
                given.member = member.member
                lines.append(given.unpack(self.k))
        shared_edits(text, body, kernel, self.item, self.k)
        item_edits(text, body.start, body.end, self.functions, self.item)
        printing(text, body)
        if not lines and f"{self.k}->" not in "".join(part for *_, part in text.spans):
            lines.append(f"(void){self.k};")
        if self.item not in " ".join(part for at, (_, part) in text.leaves.items() if body.start <= at < body.end):
            lines.append(f"(void){self.item};")
        head = (kernel.block() + kernel.maker() if is_first else "") + own.head(self.item, self.k)
        text.spans.append((node.start, body.start, head))
        indent = source.indent_of(body.start) + "    "
        text.spans.append((body.start + 1, body.start + 1, "".join(f"\n{indent}{line}" for line in lines)))
        text.spans.append((body.end, body.end, kernel.macro()))

    def in_macros(self, name, words):
        """Returns true if a macro that is used among words has a name in its text."""
        return any(name in identifiers(text) or "##" in text for macro, text in self.macros.items() if macro in words)

    # ---- functions and variables ---------------------------------------------------------------------------------------

    def function(self, unit, node):
        found = marks(node)
        what = "kernels" if "global" in found else "functions" if "device" in found else None
        if what == "kernels" and node.cursor.get_usr() in self.staying:
            return
        try:
            if what == "kernels":
                self.kernel(unit, node)
                if body_of(node) is not None:
                    self.results.append(Result(what, node.path, unit.files[node.path].line_of(node.start)))
                    self.results[-1].notes = self.notes(unit, node)
                return
            if what == "functions":
                self.device_function(unit, node, found)
        except Refused as refused:
            self.refuse(what, unit, node, refused)
            if what == "kernels":
                self.staying.add(node.cursor.get_usr())
            return
        if what is None:
            self.launches(unit, node)

    def device_function(self, unit, node, found):
        source, text, name = unit.files[node.path], self.text_of(unit, node), node.cursor.spelling
        body = body_of(node)
        if body is not None:
            check_device_function(unit, node)
            shared_edits(text, body, None, self.item, self.k)
            item_edits(text, body.start, body.end, self.functions, self.item)
            printing(text, body)
        head_end = body.start if body is not None else node.end
        if name in self.functions:
            if node.kind == "CONSTRUCTOR" or node.cursor.kind.name == "CONSTRUCTOR":
                raise Refused("method", f"the constructor {name}() asks for its thread", "give it what it needs", node.start)
            if "host" in found and self.called_by_host(name):
                raise Refused("host and device", f"{name}() asks for its thread, and is called by the host too",
                              "make two functions of it", node.start)
            head = re.compile(rf"\b{re.escape(name)}\s*(\()" if not name.startswith("operator")
                              else r"\boperator\s*\(\s*\)\s*(\()").search(source.code, node.start, head_end)
            if head is None:
                raise Refused("macro", f"the head of {name}() is that of a macro", "write the macro out", node.start)
            opening = head.start(1)
            empty = source.code[opening + 1:closing(source.code, opening)].strip() in ("", "void")
            text.leaf(opening, closing(source.code, opening) if empty else opening + 1,
                      f"(tw_nd_item {self.item}" + ("" if empty else ", "))
        self.linkage(text, node, head_end)

    def linkage(self, text, node, head_end):
        """Makes a function of kernels static and inline."""
        parent = node.cursor.semantic_parent.kind.name
        start = node.start
        words = identifiers(text.source.code[start:head_end])
        if parent not in ("TRANSLATION_UNIT", "NAMESPACE", "LINKAGE_SPEC") or node.kind == "FUNCTION_TEMPLATE" \
                or node.kind != "FUNCTION_DECL" or "constexpr" in words:
            return
        for _ in range(3):
            words |= {word for name in list(words) for word in identifiers(self.macros.get(name, ""))}
        is_inline = words & {"inline", "__inline__", "__inline", "__forceinline__"}
        missing = ("" if "static" in words else "static ") + ("" if is_inline else "inline ")
        if "extern" in words:
            missing = ""
        at = next((at for at in sorted(text.leaves) if start <= at < head_end and text.leaves[at][1] == ""), None)
        if missing and at is not None:
            text.leaf(at, text.leaves[at][0], missing)
        elif missing:
            text.spans.append((start, start, missing))

    def called_by_host(self, name):
        return any(calls(unit.files[node.path].code[node.start:node.end], name) for unit in self.units for node in unit.functions
                   if not marks(node) & {"device", "global"})

    def variable(self, unit, node):
        found, source, text = marks(node), unit.files[node.path], self.text_of(unit, node)
        if not found & {"device", "constant", "shared", "managed"}:
            return
        try:
            if found & {"shared", "managed"} or node.cursor.semantic_parent.kind.name not in ("TRANSLATION_UNIT", "NAMESPACE"):
                raise Refused("variable", f"{node.cursor.spelling} is a variable of this kind outside of a function, or in a class",
                              "declare shared memory in the kernel; of managed memory take a pointer", node.start)
            if "volatile" in node.cursor.type.spelling:
                raise Refused("volatile", f"{node.cursor.spelling} is volatile", "use atomic operations", node.start)
        except Refused as refused:
            self.refuse("variables", unit, node, refused)
            return
        end = source.code.index(";", node.end - 1) + 1
        start = source.line_start(node.start) if not source.code[source.line_start(node.start):node.start].strip() else node.start
        if "const" not in identifiers(node.cursor.type.spelling) | identifiers(source.code[node.start:node.end].split("=")[0]):
            for match in re.compile(r"\bstatic\b\s*").finditer(source.code, node.start, node.end):
                text.leaf(*match.span(), "")
                break
        if any(a == start for a, *_ in text.spans):
            return  # another one of the same declaration
        text.spans.append((start, start, "TW_BEGIN_DEVICE_VARIABLES\n"))
        text.spans.append((end, end, "\nTW_END_DEVICE_VARIABLES"))
        self.results.append(Result("variables", node.path, source.line_of(node.start)))

    # ---- launches ------------------------------------------------------------------------------------------------------

    def launches(self, unit, function):
        source = unit.files[function.path]
        for match in re.compile("<<<").finditer(source.code, function.start, function.end):
            around = [part for part in function.walk() if part.kind == "CALL_EXPR" and part.path == function.path
                      and part.start < match.start() < part.end and part.children
                      and part.children[0].end <= match.start() + 3]
            node = min(around, key=lambda part: part.end - part.start) if around else function
            try:
                if not around:
                    raise Refused("launch", "a launch is not understood", "write it as a statement of its own", match.start())
                self.launch(unit, function, node, match.start())
                self.results.append(Result("launches", node.path, source.line_of(node.start)))
            except Refused as refused:
                line = source.line_of(match.start())
                self.results.append(Result("launches", function.path, line, "stays", refused))
                if around:
                    self.text_of(unit, node).frozen.append((node.start, node.end))

    def launch(self, unit, function, node, place):
        source, text, code = unit.files[node.path], self.text_of(unit, node), unit.files[node.path].code
        referenced = node.cursor.referenced or node.children[0].cursor.referenced
        spelled = re.compile(r"(?:::)?\s*((?:\w+\s*::\s*)*(\w+))\s*(<)?").match(code, node.start)
        if not spelled:
            raise Refused("launch", "the kernel has no name", "launch it by its name", node.start)
        if referenced is not None and referenced.kind.name in ("VAR_DECL", "PARM_DECL", "FIELD_DECL"):
            raise Refused("launch", f"{spelled.group(2)} is a pointer to a kernel", "launch the kernel by its name", node.start)
        kernel = self.find_kernel(referenced, spelled.group(2))
        declared = template_of(referenced) or referenced if referenced is not None else None
        usr = kernel.node.cursor.get_usr() if kernel else declared.get_usr() if declared is not None else ""
        if usr in self.staying:
            raise Refused("kernel stays", f"{spelled.group(2)} stays", "move the kernel first", node.start)
        if kernel is None:
            raise Refused("launch", f"the kernel {spelled.group(2)} is not known", "give the tool the file that declares it",
                          node.start)
        behind = re.compile(r"\s*;").match(code, node.end)
        if node.parent.kind not in STATEMENTS or not behind:
            raise Refused("launch", "a launch is part of an expression", "write it as a statement of its own", node.start)
        opened = code.index("<<<", place)
        closed = self.end_of_configuration(code, opened)
        configuration = [self.render_part(text, opened + 3, closed, part) for part in range(4)]
        configuration = [re.sub(r"\bdim3\s*\(", "tw_port_dim3(", part) for part in configuration if part is not None]
        given = [child for child in node.children[1:] if child.start >= closed]
        template = text.render(spelled.start(3), opened).strip() if spelled.group(3) and spelled.start(3) != opened else ""
        arguments_ = [text.render(child.start, child.end) if kernel.is_template else
                      converted(child, text.render(child.start, child.end), parameter)
                      for child, parameter in zip(given, kernel.parameters)]
        if len(given) != len(kernel.parameters):
            raise Refused("launch", "the launch leaves out arguments", "write all of them", node.start)
        name = re.sub(r"\s", "", spelled.group(1))
        text.spans.append((node.start, behind.end(), launch_text(kernel, name, template, configuration, arguments_,
                                                                  source.indent_of(node.start), (self.cg, self.launched))))

    @staticmethod
    def end_of_configuration(code, opened):
        depth = 0
        for i in range(opened + 3, len(code)):
            depth += code[i] in "([{"
            depth -= code[i] in ")]}"
            if depth == 0 and code.startswith(">>>", i):
                return i
        raise Refused("launch", "the launch has no >>>", "write it out", opened)

    @staticmethod
    def render_part(text, start, end, index):
        """Returns one of the parts between <<< and >>>, with its edits; None if there are not so many."""
        parts = split(text.source.code[start:end])
        if index >= len(parts):
            return None
        position = start
        for part in parts[:index]:
            position = text.source.code.index(part, position) + len(part) + 1
        position = text.source.code.index(parts[index], position)
        return text.render(position, position + len(parts[index])).strip()

    def find_kernel(self, referenced, name):
        if referenced is not None:
            template = template_of(referenced)
            for cursor in (template, referenced):
                if cursor is not None and cursor.get_usr() in self.kernels:
                    return self.kernels[cursor.get_usr()]
        found = [kernel for kernel in self.kernels.values() if kernel.name == name]
        return found[0] if len(found) == 1 else None

    def notes(self, unit, node):
        """Returns what is to be known of a kernel that was moved."""
        code = unit.files[node.path].code[node.start:node.end]
        words, found = identifiers(code), []
        barrier = words & names.BARRIERS or any(name in self.needing and self.needing[name] and calls(code, name) for name in words)
        if barrier and any(part.kind == "RETURN_STMT" for part in body_of(node).walk()):
            found.append("a thread that returns before a barrier is an error on CPUs (TW_ERROR_DIVERGENT_BARRIER)")
        if words & names.WARP:
            found.append("on CPUs all of the group must come to functions of a warp")
        return [(unit.files[node.path].line_of(node.start), text) for text in found]

    # ---- headers -------------------------------------------------------------------------------------------------------

    def headers(self, source):
        """Includes the header of what was moved in the place of CUDA's."""
        found = [match for match in INCLUDE.finditer(source.text) if match.group(1) in names.HEADERS]
        if not source.edits and not found:
            return
        place = head_of(source)
        for match in found:
            source.replace(match.start(), match.end(), "")
        main = [unit for unit in self.units if unit.files[unit.path] is source and unit.path.endswith(".cu")]
        define = f"#define {names.CUDACC} 1\n" if main and names.CUDACC in self.conditions else ""
        source.edits.insert(0, (place, place, define + HEADER))


def head_of(source):
    """Returns where the header is included: before all lines of the preprocessor but those that guard a header."""
    code = source.code
    guard = re.compile(r"\s*#[ \t]*(?:pragma[ \t]+once[^\n]*\n|ifndef[ \t]+(\w+)[^\n]*\s*#[ \t]*define[ \t]+\1[^\n]*\n)").match(code)
    match = re.compile(r"^[ \t]*\S", re.M).search(code, guard.end() if guard else 0)
    return guard.end() if guard else match.start() if match else 0


def printing(text, body):
    for match in re.compile(r"\bprintf\b(?=\s*\()").finditer(text.source.code, body.start, body.end):
        text.leaf(*match.span(), names.PRINTING["printf"])
