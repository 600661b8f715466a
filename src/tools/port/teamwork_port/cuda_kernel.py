# SPDX-License-Identifier: Apache-2.0
"""The text of a CUDA kernel as an nd_range kernel, and of a launch."""
import re

from .kernel import fill
from .source import Refused, split
from .templates import PARAMETERS
from .tree import declare, is_array, is_pointer, is_record, is_reference, is_scalar, unqualified

RESTRICT = re.compile(r"\b(?:__restrict__|__restrict|restrict)\b\s*")


class Parameter:
    """A parameter of a kernel: the member of the block that it becomes."""

    def __init__(self, source, node, index):
        self.cursor, self.name = node.cursor, node.cursor.spelling
        kind = node.cursor.type
        if is_reference(kind):
            raise Refused("reference", f"the parameter {self.name} is a reference", "pass a pointer or a value", node.start)
        if is_record(kind) and not kind.get_canonical().get_declaration().kind.name.endswith("TEMPLATE") \
                and not is_copied(kind):
            raise Refused("class", f"the parameter {self.name} has the type {kind.spelling}, which is not copied byte by byte",
                          "use plain structs, and pointers to their data", node.start)
        text = source.text[node.start:node.end].split("=")[0].strip()
        if self.name and text.endswith(self.name) and "(" not in text:
            self.type = text[:-len(self.name)].strip()
        else:
            self.type = kind.spelling if not is_array(kind) else kind.element_type.spelling + " *"
        self.member = self.name or f"argument_{index}"

    def declaration(self):
        """Returns the member: without restrict, and without const of the parameter itself."""
        words = RESTRICT.sub("", self.type).strip()
        words = re.sub(r"\*\s*const$", "*", words)
        if "*" not in words:
            words = re.sub(r"\bconst\b\s*", "", words).strip()
        return declare(spaced(words), self.member) + ";"

    def unpack(self, k):
        return f"{declare(spaced(self.type), self.name)} = {k}->{self.member};"


def spaced(words):
    """Returns a type with a blank before its stars alone."""
    return re.sub(r"\s*\*\s*(?=[*]|$)", "*", words).replace("*", " *", 1) if words.endswith("*") else words


def is_copied(kind):
    canonical = kind.get_canonical()
    declaration = canonical.get_declaration()
    if canonical.spelling in ("dim3", "const dim3"):
        return True
    for child in declaration.get_children():
        if child.kind.name == "DESTRUCTOR" or child.kind.name == "CONSTRUCTOR" and child.is_copy_constructor() \
                or child.kind.name == "CXX_METHOD" and child.is_virtual_method():
            return False
        if child.kind.name == "FIELD_DECL" and is_record(child.type) and not is_copied(child.type):
            return False
    return True


class CudaKernel:
    """A kernel. `first` is the node of its first declaration in its program, which the block stands at."""

    def __init__(self, unit, node, source):
        self.unit, self.node, self.source = unit, node, source
        self.name = node.cursor.spelling
        self.is_template = node.kind == "FUNCTION_TEMPLATE"
        parameters = [child for child in node.children if child.kind == "PARM_DECL"]
        self.parameters = [Parameter(source, child, i) for i, child in enumerate(parameters)]
        self.template = [child for child in node.children if child.kind in PARAMETERS]
        self.shared = None     # the name of the member for memory whose size the launch gives
        self.instances = []    # (name, template's arguments) of a template
        self.is_static = False

    def template_head(self, defaults=True):
        texts = [self.source.text[child.start:child.end] for child in self.template]
        return "template <" + ", ".join(text if defaults else split(text, "=")[0] for text in texts) + ">\n"

    def template_names(self):
        return ", ".join(child.cursor.spelling for child in self.template)

    def members(self):
        found = [parameter.declaration() for parameter in self.parameters]
        if self.shared:
            found.append(f"tw_local_memory {self.shared}; /* memory of the group, as much as the launch says */")
        return found or ["char unused; /* a block has a member */"]

    def block(self):
        """Returns the text of the struct."""
        head = self.template_head() if self.is_template else ""
        return head + f"struct {self.name} {{\n" + "".join(f"    {member}\n" for member in self.members()) + "};\n"

    def head(self, item, k):
        """Returns the text before the body's brace."""
        if self.is_template:
            return self.template_head(False) + "__attribute__((always_inline)) static inline\n" \
                f"void {self.name}_body(tw_nd_item {item}, const {self.name}<{self.template_names()}> *{k})\n"
        return f"static inline void {self.name}(tw_nd_item {item}, const struct {self.name} *{k})\n"

    def macro(self):
        """Returns the text behind the body."""
        if not self.is_template:
            return f"\nTW_ND_RANGE_KERNEL({'static ' if self.is_static else ''}{self.name});"
        lines = []
        for name, arguments in self.instances:
            block = f"{self.name}<{arguments}>"
            lines += [f"TW_PORT_INSTANCE({name}, {self.name}_body, tw_nd_item, {block});",
                      f"TW_ND_RANGE_KERNEL(static {name});", f"TW_PORT_KERNEL({name}, {block});"]
        return "".join("\n" + line for line in lines)


def launch_text(kernel, name, template, configuration, arguments, indent, cg):
    """Returns the text of a launch. `template`: the template's arguments, or None; `configuration`: what is between <<< and
    >>>; `arguments`: texts."""
    grid, block, shared, stream = (configuration + ["0", "0"])[:4] if len(configuration) < 4 else configuration
    stream = "NULL" if stream in ("0", "NULL", "nullptr") else stream
    named = [f".{parameter.member} = {text}" for parameter, text in zip(kernel.parameters, arguments)]
    if kernel.shared:
        named.append(f".{kernel.shared} = tw_port_local({cg}, {shared})")
    inner = indent + "    "
    lines = [f"TW_COMMAND_GROUP(tw_port_stream({stream}), {cg})", indent + "{"]
    call, target = "tw_parallel_for_nd_range", name
    if template is not None:
        target = name.rpartition("::")[2] + "_block"
        lines.append(f"{inner}using {target} = {name}<{template}>;")
        call = "tw_port_parallel_for_nd_range"
    lines.append(fill(f"{inner}{call}(", [cg, f"tw_port_nd_range({grid}, {block})", target, *(named or [".unused = 0"])],
                      ");"))
    return "\n".join(lines + [indent + "}"])


def converted(node, text, parameter, block):
    """Returns an argument as an initializer: braces refuse what a call converts. `block` is the block's name in a template."""
    kind = parameter.cursor.type
    bare = node.bare()
    if bare.kind in ("INTEGER_LITERAL", "FLOATING_LITERAL", "CXX_BOOL_LITERAL_EXPR"):
        return text
    given, wanted = bare.type.get_canonical(), kind.get_canonical()
    if is_pointer(kind) or is_record(kind) or is_array(kind):
        return text
    if is_scalar(kind) and plain(given.spelling) == plain(wanted.spelling):
        return text
    to = f"decltype({block}::{parameter.member})" if block else unqualified(kind)
    return f"({to})" + (text if re.fullmatch(r"\w+|\w+\([^()]*\)", text) else f"({text})")


def plain(words):
    return words.replace("const ", "").replace("volatile ", "")
