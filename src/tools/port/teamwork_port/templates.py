# SPDX-License-Identifier: Apache-2.0
"""Regions in function templates: the kernel is a template too, and defined once for each instantiation that is used.

Each instantiation is looked at by itself, with its own types; the text of the kernel is the same for all.
"""
import re

from .access import Analysis
from .captures import member_text
from .kernel import identity
from .region import Region
from .source import Refused, split
from .tree import FUNCTIONS, Node, is_array, is_pointer, key_of, template_of

PARAMETERS = ("TEMPLATE_TYPE_PARAMETER", "TEMPLATE_NON_TYPE_PARAMETER", "TEMPLATE_TEMPLATE_PARAMETER")


def instantiations(unit):
    """Returns {key of a function template: [cursor of an instantiation...]} of those that the unit uses."""
    found, seen = {}, set()
    waiting = [child for child in declarations(unit, unit.tu.cursor)]
    while waiting:
        cursor = waiting.pop()
        for node in cursor.walk_preorder():
            if node.kind.name not in ("CALL_EXPR", "DECL_REF_EXPR", "MEMBER_REF_EXPR", *FUNCTIONS):
                continue
            called = node if node.kind.name in FUNCTIONS else node.referenced
            if called is None or called.kind.name not in FUNCTIONS or called.kind.name == "FUNCTION_TEMPLATE" \
                    or called.location.file is None or called.location.file.name not in unit.files:
                continue
            name = called.get_usr()
            if name in seen:
                continue
            seen.add(name)
            called = called.get_definition() or called
            template = template_of(called)
            if template is not None:
                found.setdefault(key_of(template), []).append(called)
            waiting.append(called)
    return found


def declarations(unit, cursor):
    """Yields the declarations of the project's files that are no templates."""
    for child in cursor.get_children():
        if child.location.file is None or child.location.file.name not in unit.files:
            continue
        if child.kind.name in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"):
            yield from declarations(unit, child)
        elif not child.kind.name.endswith("TEMPLATE") and "TEMPLATE" not in child.kind.name:
            yield child


def parameters(unit, template):
    """Returns [(text, name, index)] of a template's parameters, without defaults; those without a name are left out."""
    found, index = [], 0
    for child in template.children:
        if child.kind not in PARAMETERS:
            continue
        text = unit.files[child.path].text[child.start:child.end]
        if "..." in text or child.kind == "TEMPLATE_TEMPLATE_PARAMETER":
            raise Refused("template", f"the template's parameter {text} stands for more than one type or number",
                          "write the function for each type that is used", template.start)
        if child.cursor.spelling:
            found.append((split(text, "=")[0], child.cursor.spelling, index))
        index += 1
    return found


def arguments(cursor, named, source, place):
    """Returns the arguments of an instantiation as text."""
    found = []
    for text, name, index in named:
        kind = cursor.get_template_argument_kind(index)
        if kind.name == "TYPE":
            found.append(type_text(cursor.get_template_argument_type(index), name, source, place))
        elif kind.name == "INTEGRAL":
            value = cursor.get_template_argument_value(index)
            of = text[:-len(name)].strip()
            plain = re.fullmatch(r"(const )?(unsigned |signed )?(int|long|short|char|size_t|std::size_t|unsigned)", of)
            found.append(("true" if value else "false") if of == "bool" else
                         str(value) if plain or of == "auto" else f"({of}){value}")
        else:
            raise Refused("template", f"{name} is neither a type nor a number", "write the function for each use", place)
    return found


def type_text(kind, name, source, place):
    """Returns a type's name where the kernel stands; refuses types that are not known there."""
    canonical = kind.get_canonical()
    inner = canonical
    while is_pointer(inner) or is_array(inner):
        inner = inner.get_pointee() if is_pointer(inner) else inner.get_array_element_type()
    declaration = inner.get_declaration()
    parent = declaration.semantic_parent if declaration is not None else None
    if "(" in canonical.spelling or parent is not None and parent.kind.name in FUNCTIONS:
        raise Refused("template", f"{name} is {canonical.spelling}, which has no name outside of a function",
                      "declare the type at file scope", place)
    file = declaration.location.file if declaration is not None else None
    if file is not None and file.name == source.path and declaration.location.offset > place:
        raise Refused("template", f"{name} is {canonical.spelling}, which is declared behind the template",
                      "declare the type before it", place)
    return canonical.spelling


class TemplateRegion:
    """A region in a function template on its way to a kernel template. `move()` makes the edits, or refuses."""

    def __init__(self, unit, source, directive, names, instances):
        self.unit, self.source, self.directive, self.names = unit, source, directive, names
        self.instances = instances  # [(unit, cursor)]
        self.end, self.notes, self.edits, self.variables = directive.end, [], [], {}

    def move(self):
        template = self.unit.top_level(self.source.path, self.directive.start)
        named = parameters(self.unit, template)
        kernel, uses = None, {}
        for unit, cursor in self.instances:
            text = ", ".join(arguments(cursor, named, self.source, template.start))
            if text in uses:
                continue
            uses[text] = re.sub(r"\W+", "_", text.replace("*", "p").replace("-", "m")).strip("_")
            region = Region(unit, self.source, self.directive.copy(), self.names)
            made = self.instance(unit, cursor, template, named, region, kernel)
            self.end = region.end
            self.edits += region.edits
            self.variables.update(region.variables)
            if kernel is None:
                kernel, self.first = made, region
                self.notes = region.notes
            else:
                merge(kernel, made, self.directive)
        kernel.template = (", ".join(text for text, *_ in named), ", ".join(name for _, name, _ in named))
        kernel.instances = [(self.unused(f"{kernel.name}_{suffix}"), text) for text, suffix in uses.items()]
        self.first.top = template
        self.first.edits = self.edits
        self.first.write(kernel)

    def instance(self, unit, cursor, template, named, region, kernel):
        """Returns the kernel of one instantiation."""
        unit.current, unit.current_top = self.source, template
        unit.instance, unit.template = Node(cursor), template
        unit.template_names = {name for _, name, _ in named}
        kept, unit.analysis = unit.analysis, Analysis()
        if kernel is not None:
            region.given_name = kernel.name
        try:
            return region.make()
        finally:
            unit.instance = unit.template = None
            unit.analysis = kept

    def unused(self, name):
        number, found = 2, name
        while found in self.names:
            found, number = f"{name}_{number}", number + 1
        self.names.add(found)
        return found


def merge(kernel, other, directive):
    """Adds to a kernel what another instantiation needs. What is text must be the same in both."""
    differs = Refused("template", "the kernels of two instantiations are not the same", "write the function for each type",
                      directive.start)
    if (kernel.form, kernel.launch_range, kernel.offset, kernel.dimensions, kernel.size, kernel.first) != \
            (other.form, other.launch_range, other.offset, other.dimensions, other.size, other.first):
        raise differs
    by_name = {capture.name: capture for capture in kernel.captures}
    for capture in other.captures:
        known = by_name.get(capture.name)
        if known is None:
            kernel.captures.append(capture)
            continue
        if (known.kind, known.type, known.is_shared) != (capture.kind, capture.type, capture.is_shared):
            raise differs
        if known.kind == "reduction" and identity(known) != identity(capture):
            raise differs
        known.flags |= capture.flags
        if known.discard != capture.discard:
            known.discard = None
    if kernel.head != other.head or kernel.body != other.body or kernel.extra != other.extra:
        raise differs
    for capture in kernel.captures:
        if member_text(capture) and "auto" in member_text(capture).split():
            raise differs
