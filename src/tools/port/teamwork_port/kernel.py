# SPDX-License-Identifier: Apache-2.0
"""The text of a kernel, and of the launch in the place of its region."""
import re

from .captures import member_text, pointer_text
from .source import Refused, dedent
from .tree import declare, unqualified

LIMITS = {  # of canonical types: the least and the greatest value
    "INT": ("-__INT_MAX__ - 1", "__INT_MAX__"), "UINT": ("0", "~0u"),
    "LONG": ("-__LONG_MAX__ - 1", "__LONG_MAX__"), "ULONG": ("0", "~0ul"),
    "LONGLONG": ("-__LONG_LONG_MAX__ - 1", "__LONG_LONG_MAX__"), "ULONGLONG": ("0", "~0ull"),
    "FLOAT": ("-__builtin_inff()", "__builtin_inff()"), "DOUBLE": ("-__builtin_inf()", "__builtin_inf()"),
    "SHORT": ("-__SHRT_MAX__ - 1", "__SHRT_MAX__"), "USHORT": ("0", "(unsigned short)~0u"),
    "SCHAR": ("-__SCHAR_MAX__ - 1", "__SCHAR_MAX__"), "UCHAR": ("0", "(unsigned char)~0u"),
    "CHAR_S": ("-__SCHAR_MAX__ - 1", "__SCHAR_MAX__"),
}


def identity(capture):
    """Returns the value that a reduction's private copy begins with."""
    if capture.logical:
        return "1" if capture.logical == "&&" else "0"
    kind = capture.cursor.type.get_canonical()
    kind = kind.get_pointee() if kind.kind.name == "LVALUEREFERENCE" else kind
    return identity_of(capture.operation, kind, capture.type, capture.name, capture.is_parameter)


def combined(capture):
    """Returns what a work-item adds to a reduction: of && all bits, so that what is there stays true."""
    if not capture.logical:
        return capture.name
    return f"{capture.name} ? {f'({capture.type})~0' if capture.logical == '&&' else '1'} : 0"


def identity_of(operation, kind, text, name, is_parameter):
    """Returns the value that an operation on a type begins with; the type may be a template's parameter."""
    if operation in ("TW_SUM", "TW_OR", "TW_XOR"):
        return "0"
    if operation == "TW_PRODUCT":
        return "1"
    if operation == "TW_AND":
        return f"({text})~0"
    if is_parameter:
        return f"tw_port_{'least' if operation == 'TW_MAX' else 'greatest'}<{text}>()"
    limits = LIMITS.get(kind.get_canonical().kind.name)
    if limits is None:
        raise Refused("reduction", f"{name} is reduced, which has the type {text}", "reduce numbers")
    return limits[0] if operation == "TW_MAX" else limits[1]


def unpack(capture, k):
    """Returns the line that gives a capture its name in the kernel; None if it needs none."""
    name = capture.name
    if capture.is_shared:
        return None
    if capture.kind == "constant":
        return capture.type
    if capture.kind in ("private", "last"):
        return declare(capture.type, name) + ";"
    if capture.kind == "assembled":
        return assembled(capture)
    if capture.kind == "reduction":
        return f"{declare(capture.type, name)} = {identity(capture)};"
    if capture.kind == "value":
        const = "" if capture.flags & 2 else "const "
        return f"{const}{declare(capture.type, name)} = {k}->{name};"
    const = capture.mode == "read"
    if const and capture.kind != "mapped" and capture.flags & 8:  # goes to pointers that are not to const
        return f"{pointer_text(capture.type, name, False)} = ({pointer_text(capture.type, '', False).strip()}){k}->{name};"
    pointer = pointer_text(capture.type, name, const)
    if capture.flags & 16:
        return f"{pointer} = {k}->{name};"
    return f"{pointer} = {k}->{name};"


def assembled(capture):
    """Returns the lines that make a struct of its members that the kernel uses, or a pointer to such a struct."""
    name, is_reached = capture.name, capture.is_view
    held = f"{name}_members" if is_reached else name
    lines = [declare(capture.type, held) + ";"]
    for field, part in capture.parts:
        cast = f"({unqualified(part.field_type)})" if part.kind == "pointer" else ""
        lines.append(f"{held}.{field} = {cast}{part.name};")
    if is_reached:
        lines.append(f"{capture.type} *{name} = &{held};")
    return "\n    ".join(lines)


def argument(capture, cg):
    """Returns the initializer of a capture in the launch."""
    name, outside = capture.name, capture.path
    if capture.kind == "reduction":
        return f".{name} = TW_PORT_REDUCE({cg}, &{name})"
    if capture.kind == "last":
        return f".last_{name} = tw_port_write({cg}, &{name})"
    if capture.kind in ("value", "raw"):
        return f".{name} = {outside}"
    place = f"&{name}" if capture.kind == "mapped" else outside
    if capture.mode == "discard_write":
        return f".{name} = tw_port_discard_write({cg}, {place}, {capture.discard})"
    return f".{name} = tw_port_{capture.mode}({cg}, {place})"


class Kernel:
    """A kernel in the making.

    form: "range", "nd_range", "work_group" or "task". `extra` are further members as (declaration, initializer), `head` the lines
    before the body, `body` its text, `range` that of the launch.
    """

    def __init__(self, name, form, captures):
        self.name, self.form, self.captures = name, form, captures
        self.k, self.item = "k", "item"  # the parameters
        self.extra, self.head, self.body = [], [], ""
        self.first = []  # what the first thread of a team does, before all
        self.launch_range, self.offset, self.dimensions, self.size = "", None, 1, None
        self.wraps = False  # the body is left by `continue`
        self.template = None  # of a kernel in a template: its parameters, and their names
        self.instances = []   # (name of a kernel, the template's arguments)

    def members(self):
        """Returns the declarations of the block's members."""
        found = [text for text in map(member_text, self.captures) if text]
        found += [declaration for declaration, _ in self.extra]
        return found or ["char unused; /* a block has a member */"]

    def definition(self):
        """Returns the text of the struct, the function and the macro."""
        name, k = self.name, self.k
        lines = [f"struct {name} {{"] + [f"    {member}" for member in self.members()] + ["};"]
        item = self.item_text()
        if self.template:
            head = f"template <{self.template[0]}>"
            lines = [head, *lines, head, "__attribute__((always_inline)) static inline",
                     f"void {name}_body({item}const {name}<{self.template[1]}> *{k})", "{"]
        else:
            lines += [f"static inline void {name}({item}const struct {name} *{k})", "{"]
        lines += [f"    {line}" for line in (unpack(capture, k) for capture in self.captures) if line]
        lines += [f"    {line}" for line in self.head]
        if self.wraps:
            lines += ["    do {", dedent(self.body, "        "), "    } while (0); /* `continue` leads here */"]
        else:
            lines.append(dedent(self.body, "    "))
        stored = [f"        *{k}->last_{capture.name} = {capture.name};" for capture in self.captures if capture.kind == "last"]
        if stored:
            is_last = " && ".join(f"tw_global_id({self.item}, {d}) + 1 == tw_global_range({self.item}, {d})"
                                  for d in range(self.dimensions))
            lines += [f"    if ({is_last}) {{", *stored, "    }"]
        reductions = [capture for capture in self.captures if capture.kind == "reduction"]
        lines += [f"    tw_combine({k}->{capture.name}, {combined(capture)});" for capture in reductions]
        reduced = [capture.name for capture in reductions]
        if not any(f"{k}->" in line for line in lines):
            lines.insert(lines.index("{") + 1, f"    (void){k};")
        lines.append("}")
        if not self.template:
            return "\n".join(lines) + "\n" + self.macro(name, reduced) + "\n"
        for instance, arguments in self.instances:
            block = f"{name}<{arguments}>"
            lines += [f"TW_PORT_TASK_INSTANCE({instance}, {name}_body, {block});" if self.form == "task" else
                      f"TW_PORT_INSTANCE({instance}, {name}_body, {item.split()[0]}, {block});",
                      self.macro(instance, reduced), f"TW_PORT_KERNEL({instance}, {block});"]
        return "\n".join(lines) + "\n"

    def item_text(self):
        kinds = {"range": "tw_item", "nd_range": "tw_nd_item", "work_group": "tw_group"}
        return f"{kinds[self.form]} {self.item}, " if self.form in kinds else ""

    def macro(self, name, reduced):
        name = f"static {name}"
        if self.form == "task":
            return f"TW_SINGLE_TASK({name});"
        if self.form == "work_group":
            return f"TW_WORK_GROUP_KERNEL({name});"
        if self.form == "nd_range":
            return f"TW_ND_RANGE_KERNEL({name}{', ' + self.size if self.size else ''});"
        if reduced:
            return f"TW_RANGE_REDUCTION({name}, {self.dimensions}, {', '.join(reduced)});"
        return f"TW_RANGE_KERNEL({name}, {self.dimensions});"

    def launch(self, indent, maps, cg):
        """Returns the text that takes the region's place, lines at `indent`, without an end of line."""
        arguments = [argument(capture, cg) for capture in self.captures if capture.kind not in ("private", "constant", "assembled")]
        arguments += [initializer for _, initializer in self.extra]
        if not arguments:
            arguments = [".unused = 0"]
        call = {"range": "tw_parallel_for_offset" if self.offset else "tw_parallel_for",
                "nd_range": "tw_parallel_for_nd_range", "work_group": "tw_parallel_for_work_group", "task": "tw_single_task"}[self.form]
        size = "tw_range_any()" if self.form == "work_group" else None
        first = [part for part in (cg, self.launch_range, self.offset, size, self.name) if part]
        inner = indent + "    "
        block = []
        if self.template:
            call, first[-1] = call.replace("tw_", "tw_port_", 1), f"{self.name}_block"
            block = [f"{inner}    using {self.name}_block = {self.name}<{self.template[1]}>;"]
        lines = [indent + "{"]
        if maps:
            lines.append(fill(f"{inner}TW_PORT_BEGIN(maps, ", maps, ");"))
        lines += [f"{inner}TW_COMMAND_GROUP(tw_port_queue(), {cg})", inner + "{", *block]
        lines.append(fill(f"{inner}    {call}(", first + arguments, ");"))
        lines += [inner + "}", f"{inner}tw_port_wait();"]
        if maps:
            lines.append(f"{inner}TW_PORT_END(maps);")
        return "\n".join(lines + [indent + "}"])


def fill(head, parts, tail, width=120):
    """Returns a call whose arguments are on as few lines as fit."""
    hang = " " * min(len(head), 40)
    lines, line = [], head
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        text = part + (tail if last else ",")
        if line.strip() and line != head and line != hang and len(line) + len(text) + 1 > width:
            lines.append(line.rstrip())
            line = hang
        line += text if line in (head, hang) else " " + text
    return "\n".join(lines + [line.rstrip()])


def set_ranges(kernel, loops):
    """Gives a kernel the range of a loop nest, and the lines that compute its indices."""
    literal = re.compile(r"\d+$")
    groups = kernel.form == "work_group"
    shifted = any(loop.lower != "0" for loop in loops) and not groups \
        and not any(capture.kind == "last" for capture in kernel.captures)
    plain = len(loops) <= 3 and all(literal.match(loop.lower) and loop.step == "1" for loop in loops)
    lines, counts = [], [count_of(loop, literal) for loop in loops]
    positions = [f"{'tw_group_id' if groups else 'tw_global_id'}({kernel.item}, {d})" for d in range(len(loops))]
    if len(loops) > 3:
        positions, counts = folded(kernel, loops, counts)
    for loop, position in zip(loops, positions):
        index = f"({loop.type}){position}"
        if not (plain and shifted):
            index = index_text(kernel, loop, index, literal)
        const = "" if loop.is_changed else "const "
        lines.append(f"{const}{loop.type} {loop.var} = {index};")
    kernel.head = lines + kernel.head
    kernel.dimensions = len(counts)
    kernel.launch_range = f"tw_range_{len(counts)}d({', '.join(counts)})"
    if plain and shifted:
        kernel.offset = f"tw_id_{len(loops)}d({', '.join(loop.lower for loop in loops)})"


def count_of(loop, literal):
    """Returns the number of a loop's turns."""
    end = f"({loop.end}) + 1" if loop.inclusive and loop.comparison == "<=" else loop.end
    end = f"({loop.end}) - 1" if loop.inclusive and loop.comparison == ">=" else end
    if loop.lower == "0" and loop.step == "1" and literal.match(end):
        return end
    return f"tw_port_trips({loop.lower}, {end}, {loop.step})"


def folded(kernel, loops, counts):
    """Returns the positions and counts of more than three loops: all but the two inner ones share a dimension."""
    outer, rest = len(loops) - 2, f"tw_global_id({kernel.item}, 0)"
    positions = [f"tw_global_id({kernel.item}, {d})" for d in (1, 2)]
    for loop, count in reversed(list(zip(loops[1:outer], counts[1:outer]))):
        member = f"{loop.var}_count"
        kernel.extra.append((f"size_t {member};", f".{member} = {count}"))
        positions.insert(0, f"({rest} % {kernel.k}->{member})")
        rest = f"({rest} / {kernel.k}->{member})"
    return [rest] + positions, [" * ".join(f"(size_t)({count})" for count in counts[:outer])] + counts[outer:]


def index_text(kernel, loop, index, literal):
    """Returns an index as its first value and steps; those that are no literals become members."""
    step, negative = loop.step, loop.step.startswith("-")
    step = step.lstrip("-")
    if not literal.match(step):
        member = f"{loop.var}_step"
        kernel.extra.append((f"{declare(loop.type, member)};", f".{member} = ({loop.type})({loop.step})"))
        index, negative = f"{index} * {kernel.k}->{member}", False
    elif step != "1":
        index = f"{index} * {step}"
    if loop.lower == "0" and not negative:
        return index
    lower = loop.lower
    if not literal.match(lower):
        member = f"{loop.var}_first"
        kernel.extra.append((f"{declare(loop.type, member)};", f".{member} = ({loop.type})({loop.lower})"))
        lower = f"{kernel.k}->{member}"
    return f"{lower} {'-' if negative else '+'} {index}"


def local_text(kind_text, name):
    """Returns the TW_LOCAL declaration of a variable that a team shares."""
    head, bracket, tail = kind_text.partition("[")
    return f"TW_LOCAL({head.strip()}, {name}{', [' + tail if bracket else ''});"
