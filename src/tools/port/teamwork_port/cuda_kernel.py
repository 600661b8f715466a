# SPDX-License-Identifier: Apache-2.0
"""The text of a CUDA kernel as an nd_range kernel, and of a launch."""
import re

from .cuda_unit import marks
from .kernel import fill
from .source import Refused, split
from .templates import PARAMETERS
from .tree import cindex, declare, is_array, is_record, is_reference, is_scalar, unqualified

RESTRICT = re.compile(r"\b(?:__restrict__|__restrict|restrict)\b\s*")


class Parameter:
    """A parameter of a kernel: the member of the block that it becomes."""

    def __init__(self, source, node, index, macros):
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
            self.type = pointer_spelling(kind)
        self.member = (self.name + "_" if self.name in macros else self.name) or f"argument_{index}"

    def declaration(self):
        """Returns the member: without restrict, and without const of the parameter itself."""
        words = RESTRICT.sub("", self.type).strip()
        words = re.sub(r"\*\s*const$", "*", words)
        if "*" not in words:
            words = re.sub(r"\bconst\b\s*", "", words).strip()
        return declare(spaced(words), self.member) + ";"

    def unpack(self, k):
        return f"{declare(spaced(self.type), self.name)} = {k}->{self.member};"


def pointer_spelling(kind):
    """Returns the spelling of a parameter's type: a pointer in the place of an array."""
    if not is_array(kind):
        return kind.spelling
    head, bracket, tail = kind.element_type.spelling.partition("[")
    return f"{head.rstrip()} (*)[{tail}" if bracket else f"{head} *"


def spaced(words):
    """Returns a type with a blank before its stars alone."""
    return re.sub(r"\s*\*\s*(?=[*]|$)", "*", words).replace("*", " *", 1) if words.endswith("*") else words


def is_copied(kind):
    """Returns true if a struct is copied byte by byte."""
    canonical = kind.get_canonical()
    declaration = canonical.get_declaration()
    if canonical.spelling in ("dim3", "const dim3"):
        return True
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(declaration)  # an instantiation shows no members
    for child in [*declaration.get_children(), *(template.get_children() if template is not None else ())]:
        if child.kind.name == "DESTRUCTOR" or child.kind.name == "CONSTRUCTOR" and child.is_copy_constructor() \
                or child.kind.name == "CXX_METHOD" and child.is_virtual_method():
            return False
        if child.kind.name == "FIELD_DECL" and is_record(child.type) and not is_copied(child.type):
            return False
    return True


class CudaKernel:
    """A kernel. `node` is its first declaration in the program, which the block stands at."""

    def __init__(self, unit, node, source, macros):
        self.unit, self.node, self.source = unit, node, source
        self.name = node.cursor.spelling
        self.is_template = node.kind == "FUNCTION_TEMPLATE"
        parameters = [child for child in node.children if child.kind == "PARM_DECL"]
        self.parameters = [Parameter(source, child, i, macros) for i, child in enumerate(parameters)]
        self.template = [child for child in node.children if child.kind in PARAMETERS]
        self.shared = None     # the name of the member for memory whose size the launch gives
        self.instances = []    # (name, template's arguments) of a template
        self.is_static = False
        self.maker_name = self.name + "_block"

    def define(self, node, body):
        """Takes note of the definition."""
        self.is_static = node.cursor.storage_class.name == "STATIC"
        if any("shared" in marks(part) and part.cursor.storage_class.name == "EXTERN"
               for part in body.walk() if part.kind == "VAR_DECL"):
            taken = {parameter.member for parameter in self.parameters}
            self.shared = next(name for name in ("shared", "tw_shared", "tw_port_shared") if name not in taken)

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

    def maker(self):
        """Returns the text of the function that makes a block of a template's: it takes what the kernel took."""
        if not self.is_template:
            return ""
        taken = ", ".join(parameter.declaration()[:-1] for parameter in self.parameters)
        given = [parameter.member for parameter in self.parameters]
        given += ["{}"] if self.shared or not given else []
        of = f"{self.name}<{self.template_names()}>"
        return f"{self.template_head()}static inline {of} {self.maker_name}({taken})\n{{\n" \
            f"    return {of}{{{', '.join(given)}}};\n}}\n"

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


def launch_text(kernel, name, template, configuration, arguments, indent, names):
    """Returns the text of a launch. `template`: the template's arguments as they are written, with < and >, or "";
    `configuration`: what is between <<< and >>>; `arguments`: texts; `names`: of the command group and of a block."""
    cg, block = names
    grid, size, shared, stream = configuration + ["0"] * (4 - len(configuration))
    stream = "NULL" if stream in ("0", "NULL", "nullptr") else stream
    inner = indent + "    "
    lines = [f"TW_COMMAND_GROUP(tw_port_stream({stream}), {cg})", indent + "{"]
    memory = f"tw_port_local({cg}, {shared})"
    if kernel.is_template:
        scope = name[:-len(kernel.name)]  # of a namespace
        lines.append(fill(f"{inner}auto {block} = {scope}{kernel.maker_name}{template}(", arguments or [""], ");"))
        if kernel.shared:
            lines.append(f"{inner}{block}.{kernel.shared} = {memory};")
        lines.append(f"{inner}tw_port_parallel_for_block({cg}, tw_port_nd_range({grid}, {size}), {block});")
        return "\n".join(lines + [indent + "}"])
    named = [f".{parameter.member} = {text}" for parameter, text in zip(kernel.parameters, arguments)]
    if kernel.shared:
        named.append(f".{kernel.shared} = {memory}")
    lines.append(fill(f"{inner}tw_parallel_for_nd_range(", [cg, f"tw_port_nd_range({grid}, {size})", name,
                                                            *(named or [".unused = 0"])], ");"))
    return "\n".join(lines + [indent + "}"])


def converted(node, text, parameter):
    """Returns an argument as an initializer: braces refuse what a call converts."""
    kind = parameter.cursor.type
    bare = node.bare()
    if bare.kind in ("INTEGER_LITERAL", "FLOATING_LITERAL", "CXX_BOOL_LITERAL_EXPR") or not is_scalar(kind):
        return text
    if plain(bare.type.get_canonical().spelling) == plain(kind.get_canonical().spelling):
        return text
    return f"({unqualified(kind)})" + (text if re.fullmatch(r"\w+|\w+\([^()]*\)", text) else f"({text})")


def plain(words):
    return words.replace("const ", "").replace("volatile ", "")
