# SPDX-License-Identifier: Apache-2.0
"""One translation unit: its files of the project, their directives and statements, and what is asked about names."""
import contextlib
import os
import re

from . import tree
from .access import Analysis
from .clauses import find_directives, map_items, motion_items
from .source import Refused, SourceFile, blank, identifiers
from .tree import Node, is_array, is_pointer, is_record, is_reference, is_scalar, key_of

FILE_SCOPES = ("TRANSLATION_UNIT", "NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL")


class Unit:
    """A parsed file with the headers of its project. `sources` are shared by the units of a run: a header is edited once."""

    def __init__(self, path, arguments, compiler, root, sources):
        self.path, self.root, self.sources, self.arguments = path, os.path.realpath(root), sources, arguments
        self.compiler, self.compiled = compiler, None
        self.analysis = Analysis()
        self.tu, self.errors = tree.parse(path, arguments, compiler)
        self.is_cxx = not path.endswith(".c")
        self.files, self.functions, self.directives = {}, [], {}
        self.mapped_names, self.mapped_members, self.kept_members = set(), set(), set()  # kept: by data directives
        self.statements, self.starting = {}, {}
        self.instance = self.template = None  # the instantiation that stands for its template: trees of both
        self.template_names = set()           # its parameters
        if self.tu is None or self.errors:
            return
        self.read_files()
        self.collect_functions(self.tu.cursor)
        self.target_ranges()

    def is_project_file(self, path):
        return os.path.realpath(path).startswith(self.root + os.sep)

    def read_files(self):
        """Reads the files of the project that have directives."""
        paths = [self.path] + [inclusion.include.name for inclusion in self.tu.get_includes()]
        for path in dict.fromkeys(paths):
            if not self.is_project_file(path):
                continue
            real = os.path.realpath(path)
            if real not in self.sources:
                self.sources[real] = SourceFile(path)
            source = self.sources[real]
            self.files[path] = source
            self.directives[path] = find_directives(source)
            for directive in self.directives[path]:
                try:
                    items = map_items(directive) + motion_items(directive)
                except Refused:
                    continue
                self.mapped_members.update(item.member for _, item in items if item.member)
                if not directive.words.startswith("target teams"):
                    self.mapped_names.update(item.name for _, item in items if not item.member)
                    self.kept_members.update(item.member for _, item in items if item.member)

    def collect_functions(self, cursor):
        """Builds the trees of top-level declarations of the project's files that have directives."""
        for child in cursor.get_children():
            location = child.location.file
            if location is None or location.name not in self.files:
                continue
            if child.kind.name in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"):
                self.collect_functions(child)
                continue
            if child.kind.name not in tree.FUNCTIONS + ("CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE"):
                continue
            start, end = child.extent.start.offset, child.extent.end.offset
            if any(start <= directive.start < end for directive in self.directives[location.name]):
                self.functions.append(Node(child))

    def is_compiled(self, source, directive):
        """Returns true if the branch of the preprocessor that a directive with a guard stands in is compiled."""
        if self.compiled is None:
            self.compiled = tree.pragmas(self.path, self.arguments, self.compiler)
        line = source.line_of(source.text.index("#", directive.start))
        return (os.path.realpath(source.path), line) in self.compiled

    # ---- directives and statements -----------------------------------------------------------------------------------

    def top_level(self, path, offset):
        """Returns the top-level declaration that an offset is in; None if there is none."""
        for node in self.functions:
            if node.path == path and node.start <= offset < node.end:
                return self.instance if node is self.template else node
        return None

    @contextlib.contextmanager
    def inside(self, tree):
        """Lets questions be about a function, which may be an instantiation, instead of the current one."""
        kept = self.instance, self.template, self.current
        self.instance = self.template = None
        top = self.top_level(tree.path, tree.start)
        if top is not None and top.kind == "FUNCTION_TEMPLATE":
            self.instance, self.template = tree, top
        self.current = self.files[tree.path]
        try:
            yield
        finally:
            self.instance, self.template, self.current = kept

    def statement_behind(self, directive, path=None):
        """Returns the node of the statement that a directive is for; None if there is none, as in inactive code."""
        path = path or self.current.path
        key = (path, directive.start, id(self.instance) if self.instance else 0)
        if key not in self.statements:
            self.statements[key] = self.find_statement(directive, path)
        return self.statements[key]

    def find_statement(self, directive, path):
        code, offset = self.files[path].code, directive.guard.end if directive.guard else directive.end
        while True:  # other directives may stand between
            offset = re.compile(r"\s*").match(code, offset).end()
            if not re.compile(r"#\s*pragma").match(code, offset):
                break
            offset = code.find("\n", offset)
            while code[:offset].rstrip(" \t\r").endswith("\\"):
                offset = code.find("\n", offset + 1)
        top = self.top_level(path, directive.start)
        return self.starts(top).get(offset) if top is not None else None

    def starts(self, top):
        """Returns {offset: the outermost statement that begins there} of a top-level declaration."""
        if id(top) not in self.starting:
            found = {}
            for node in top.walk():
                if node.path == top.path and node.parent is not None and not node.kind.endswith("_REF") \
                        and node.kind != "PARM_DECL":
                    found.setdefault(node.start, node)
            self.starting[id(top)] = found
        return self.starting[id(top)]

    def directives_in(self, path, start, end):
        return [directive for directive in self.directives[path] if start <= directive.start < end]

    def target_ranges(self):
        """Finds what is declared for the target: ranges of offsets, and names."""
        self.ranges, self.target_names = {}, set()
        for path, directives in self.directives.items():
            self.ranges[path], begin = [], None
            for directive in directives:
                if directive.words in ("declare target", "begin declare target"):
                    named = directive.names("to", "enter", "link")
                    bare = [clause.name for clause in directive.clauses if clause.text is None]
                    match = re.match(r"declare\s+target\s*\((.*)\)", directive.text)
                    if match:
                        named += re.findall(r"\w+", match.group(1))
                    self.target_names.update(named)
                    if not named and not bare:
                        begin = directive.end
                elif directive.words == "end declare target" and begin is not None:
                    self.ranges[path].append((begin, directive.start))
                    begin = None

    def declared_for_target(self, cursor):
        """Returns true if a variable is on the device by `declare target`."""
        if cursor.kind.name != "VAR_DECL" or cursor.semantic_parent.kind.name not in FILE_SCOPES:
            return False
        if cursor.spelling in self.target_names:
            return True
        for declaration in (cursor, cursor.get_definition() or cursor):
            path = declaration.location.file.name if declaration.location.file else None
            if any(a <= declaration.location.offset < b for a, b in self.ranges.get(path, ())):
                return True
        return False

    # ---- names and types ---------------------------------------------------------------------------------------------

    def cursor_of_name(self, name, offset):
        """Returns the declaration that a name has at an offset; None if it was not found."""
        path = self.current.path
        top, found = self.top_level(path, offset), None
        for node in top.walk() if top else ():
            if node.kind in ("VAR_DECL", "PARM_DECL") and node.cursor.spelling == name and node.start < offset:
                scope = node.parent
                while scope is not None and scope.kind in ("DECL_STMT",):
                    scope = scope.parent
                if scope is None or scope.start <= offset < scope.end:
                    found = node.cursor
        if found is not None:
            return found

        def search(cursor):
            for child in cursor.get_children():
                if child.kind.name == "VAR_DECL" and child.spelling == name:
                    return child
                if child.kind.name in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"):
                    inner = search(child)
                    if inner is not None:
                        return inner
            return None
        return search(self.tu.cursor)

    def type_of_name(self, name, offset):
        cursor = self.cursor_of_name(name, offset)
        return cursor.type if cursor is not None else None

    def written_type(self, declared):
        """Returns the type of a variable as the source has it: in a template, with the template's parameters."""
        if self.template is not None:
            key = key_of(declared)
            for node in self.template.walk():
                if node.kind in ("VAR_DECL", "PARM_DECL") and key_of(node.cursor) == key:
                    return declared.type if "auto" in node.type.spelling.split() else node.type
        return declared.type

    def is_parameter(self, text):
        """Returns true if a type is a parameter of the current template."""
        return self.template is not None and text in self.template_names

    def constant_text(self, declared):
        """Returns the declaration of a local constant for a kernel, if its value is known there; else None."""
        location = declared.location.file
        if location is None or location.name not in self.files:
            return None
        node = Node(declared)
        values = [child for child in node.children if child.kind not in ("TYPE_REF", "NAMESPACE_REF", "TEMPLATE_REF")]
        if len(values) != 1:
            return None
        for part in values[0].walk():
            if part.kind in ("CALL_EXPR", "MEMBER_REF_EXPR", "CXX_THIS_EXPR"):
                return None
            if part.kind == "DECL_REF_EXPR":
                used = part.cursor.referenced
                if self.files[location.name].text[part.start:part.end] in self.template_names:
                    continue
                if used is None or used.kind.name != "ENUM_CONSTANT_DECL":
                    return None
        value = self.files[location.name].text[values[0].start:node.end]
        if identifiers(blank(value)) & self.local_macros:
            return None
        kind = declared.type.get_canonical()
        integers = ("BOOL", "SHORT", "USHORT", "INT", "UINT")
        if not self.is_cxx and kind.kind.name in integers[1:4]:
            return f"enum {{ {declared.spelling} = {value} }};"
        spelled = tree.unqualified(self.written_type(declared))
        return f"const {tree.declare(spelled, declared.spelling)} = {value};"

    def check_type(self, kind, name):
        """Refuses types that the kernel, at file scope, does not know."""
        kind = kind.get_canonical() if is_pointer(kind) or is_array(kind) else kind
        while is_pointer(kind) or is_array(kind):
            kind = kind.get_pointee() if is_pointer(kind) else kind.get_array_element_type()
        canonical = kind.get_canonical()
        if canonical.kind.name in ("UNEXPOSED", "DEPENDENT", "INVALID", "AUTO"):
            raise Refused("template", f"the type of {name} depends on a template", "write the function for one type")
        declaration = canonical.get_declaration()
        for found in (declaration, kind.get_declaration()):
            parent = found.semantic_parent if found is not None else None
            if parent is not None and parent.kind.name in tree.FUNCTIONS:
                raise Refused("local type", f"the type of {name} is declared in a function", "declare it at file scope")
        if "(unnamed" in canonical.spelling and "(unnamed" in kind.spelling or "(anonymous" in kind.spelling:
            raise Refused("local type", f"the type of {name} has no name", "give it one")

    def check_copied(self, kind, name):
        """Refuses structs that cannot be copied byte by byte."""
        canonical = kind.get_canonical()
        if is_record(canonical) and self.is_cxx and not canonical.is_pod():
            raise Refused("class", f"{name} has the type {kind.spelling}, which is not copied byte by byte",
                          "use plain structs, and pointers to their data")

    @staticmethod
    def member_type(item, kind):
        """Returns the type of the member that a map item names, of a variable of this type."""
        record = kind.get_canonical().get_pointee() if is_pointer(kind) else kind
        for field in record.get_canonical().get_fields():
            if field.spelling == item.member:
                return field.type
        raise Refused("map item", f"{item.text} is mapped, which is no member of a struct", "copy the pointer to a variable and "
                      "map a section of that")

    def section(self, item, kind):
        """Returns a map item as (pointer, first element, number of elements), texts each."""
        if is_reference(kind):
            kind = kind.get_pointee()
        if item.member:
            kind = self.member_type(item, kind)
        canonical = kind.get_canonical()
        name = item.path
        if not item.sections:
            if is_array(canonical):
                return name, "0", f"TW_PORT_COUNT({name})"
            if is_scalar(kind):
                return f"&{name}", "0", "1"
            if is_record(kind):
                self.check_copied(kind, name)
                return f"&{name}", "0", "1"
            raise Refused("map item", f"{name} is mapped, which is a pointer", "map a section of it, as "
                          f"{name}[0 : n]")
        if not (is_pointer(canonical) or is_array(canonical)):
            raise Refused("map item", f"a section of {name} is mapped, which is no array", "map an array")
        lower, length = item.sections[0]
        if length is None:
            if not is_array(canonical):
                raise Refused("map item", f"{item.text} has no length", "write the length")
            length = f"TW_PORT_COUNT({name})" + (f" - ({lower})" if lower != "0" else "")
        element = canonical.get_pointee() if is_pointer(canonical) else canonical.get_array_element_type()
        if is_pointer(element):
            raise Refused("pointer in memory", f"{name} is mapped, an array of pointers",
                          "map the data itself, by a pointer of its own")
        for inner_lower, inner_length in item.sections[1:]:
            whole = element.kind.name == "CONSTANTARRAY" and inner_lower == "0" and (
                inner_length is None or inner_length == str(element.element_count)
                or self.value_of_macro(inner_length) == element.element_count)
            if not whole:
                raise Refused("map item", f"{item.text} is not all of its rows", "map whole rows")
            element = element.get_array_element_type()
        return name, lower, length

    def value_of(self, name):
        """Returns the number that a macro or an enumerator stands for; None if that is not plain."""
        value = self.value_of_macro(name)
        if value is not None or not re.fullmatch(r"\w+", name):
            return value
        for cursor in self.tu.cursor.get_children():
            if cursor.kind.name == "ENUM_DECL" and cursor.location.file and cursor.location.file.name in self.files:
                for child in cursor.get_children():
                    if child.spelling == name:
                        return child.enum_value
        return None

    def value_of_macro(self, text):
        """Returns the number that a macro stands for; None if that is not plain."""
        for source in self.files.values():
            match = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(text)}[ \t]+\(?(\d+)\)?[ \t\r]*(?://.*|/\*.*)?$",
                              source.text, re.M)
            if match:
                return int(match.group(1))
        match = re.search(rf"(?:^|\0)-D\0?{re.escape(text)}=(\d+)(?:\0|$)", "\0".join(self.arguments))
        return int(match.group(1)) if match else None

    def is_nowait(self, name):
        """Returns true if a clause is a macro that is `nowait` or nothing, wherever it is defined."""
        values = [value.strip() for source in self.files.values() for value in re.findall(
            rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}\b([^(\n][^\n]*)?$", source.code, re.M)]
        return bool(values) and set(values) <= {"", "nowait"}

    @property
    def local_macros(self):
        """Returns the macros that are defined inside of the current function."""
        top = self.current_top
        source = self.files[top.path]
        return set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", source.text[top.start:top.end], re.M))
