# SPDX-License-Identifier: Apache-2.0
"""clang's syntax tree: one node for each cursor, with its parent.

Files are parsed without OpenMP, so that bodies of directives are ordinary statements behind them: with it, the binding
shows captures in the place of the body.
"""
import ctypes
import os
import re
import subprocess

try:
    import clang.cindex as cindex
except ImportError:  # the message is main.py's
    cindex = None

UNARY = {1: "post++", 2: "post--", 3: "++", 4: "--", 5: "&", 6: "*", 7: "+", 8: "-", 9: "~", 10: "!"}
FUNCTIONS = ("FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "FUNCTION_TEMPLATE", "CONVERSION_FUNCTION",
             "LAMBDA_EXPR")
WRAPPERS = ("UNEXPOSED_EXPR", "PAREN_EXPR")


class Node:
    """A cursor with its children; `start` and `end` are offsets in the file `path`."""

    __slots__ = ("cursor", "parent", "children", "kind", "path", "start", "end", "known_key", "known_names")

    def __init__(self, cursor, parent=None):
        self.cursor, self.parent = cursor, parent
        self.known_key = self.known_names = None
        self.kind = cursor.kind.name
        extent = cursor.extent
        self.path = extent.start.file.name if extent.start.file else None
        self.start, self.end = extent.start.offset, extent.end.offset
        self.children = [Node(child, self) for child in cursor.get_children()]

    def walk(self):
        """Yields the node and all nodes in it, in the order of the source."""
        yield self
        for child in self.children:
            yield from child.walk()

    def names(self):
        """Returns all uses of names in the node."""
        if self.known_names is None:
            self.known_names = [node for node in self.walk() if node.kind == "DECL_REF_EXPR"]
        return self.known_names

    @property
    def key(self):
        """Returns the key of the declaration that a name is for; None if there is none."""
        if self.known_key is None:
            referenced = self.cursor.referenced
            self.known_key = (key_of(referenced) if referenced is not None else None,)
        return self.known_key[0]

    def ancestors(self):
        node = self.parent
        while node:
            yield node
            node = node.parent

    def bare(self):
        """Returns the expression without parentheses and implicit conversions around it."""
        node = self
        while node.kind in WRAPPERS and len(node.children) == 1:
            node = node.children[0]
        return node

    @property
    def type(self):
        return self.cursor.type

    @property
    def operator(self):
        """Returns the operator of a unary or binary expression, as "+" or "post++"; "" of others."""
        if self.kind == "UNARY_OPERATOR":
            return UNARY.get(cindex.conf.lib.clang_getCursorUnaryOperatorKind(self.cursor), "")
        if self.kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"):
            return cindex.conf.lib.clang_getBinaryOperatorKindSpelling(
                cindex.conf.lib.clang_getCursorBinaryOperatorKind(self.cursor)) or ""
        return ""


def key_of(cursor):
    """Returns what is the same for all uses of a declaration."""
    location = cursor.location
    return (location.file.name if location.file else "", location.offset, cursor.spelling)


def template_of(cursor):
    """Returns the template that a function is an instantiation of; None if it is none, or has a definition of its own."""
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
    if template is None or template.kind.name != "FUNCTION_TEMPLATE":
        return None
    template = template.get_definition() or template
    return template if template.location.offset == cursor.location.offset else None


def set_up(library=None):
    """Loads libclang, and tells the binding of two functions that it does not have."""
    if library:
        cindex.Config.set_library_file(library)
    lib = cindex.conf.lib
    # kinds that the binding does not know are numbers, as _Float16
    cindex.TypeKind._missing_ = classmethod(lambda cls, value: cls.HALF)
    for name, result in (("clang_getCursorUnaryOperatorKind", ctypes.c_int),
                         ("clang_getCursorBinaryOperatorKind", ctypes.c_int)):
        function = getattr(lib, name)
        function.argtypes, function.restype = [cindex.Cursor], result
    spelling = lib.clang_getBinaryOperatorKindSpelling
    spelling.argtypes, spelling.restype = [ctypes.c_int], cindex._CXString
    spelling.errcheck = cindex._CXString.from_result


def resource_include(compiler):
    """Returns the folder of the compiler's own headers; None if the compiler cannot be asked."""
    try:
        answer = subprocess.run([compiler, "-print-resource-dir"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip() + "/include"


def parse(path, arguments, compiler):
    """Parses a file. Returns the translation unit and the list of its errors."""
    # a newer version would let omp.h define functions as variants, which are double without OpenMP
    arguments = ["-D_OPENMP=201511", "-ferror-limit=0", "-w", *arguments]
    include = resource_include(compiler)
    if include:
        arguments += ["-isystem", include]
    try:
        unit = cindex.Index.create().parse(path, args=arguments)
    except cindex.TranslationUnitLoadError:
        return None, ["clang cannot read it"]
    errors = [f"{d.location.file}:{d.location.line}: {d.spelling}" for d in unit.diagnostics if d.severity >= 3]
    return unit, errors


def pragmas(path, arguments, compiler):
    """Returns {(file, line)} of the pragmas that the preprocessor leaves of a file and its headers."""
    command = [compiler or "clang", "-E", "-D_OPENMP=201511", "-w", *arguments, path]
    text = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    found, file, line = set(), None, 0
    for each in text.split("\n"):
        marker = re.match(r'# (\d+) "(.*?)"', each)
        if marker:
            line, file = int(marker.group(1)), os.path.realpath(marker.group(2))
            continue
        if each.startswith("#pragma"):
            found.add((file, line))
        line += 1
    return found


def is_const(kind):
    """Returns true if a type, or the elements of an array type, are const."""
    while kind.kind.name in ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY"):
        kind = kind.get_array_element_type()
    return kind.is_const_qualified()


def is_array(kind):
    return kind.kind.name in ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY", "DEPENDENTSIZEDARRAY")


def is_pointer(kind):
    return kind.get_canonical().kind.name == "POINTER"


def is_reference(kind):
    return kind.get_canonical().kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE")


def is_record(kind):
    return kind.get_canonical().kind.name == "RECORD"


NUMBERS = {"BOOL", "CHAR_U", "UCHAR", "CHAR16", "CHAR32", "USHORT", "UINT", "ULONG", "ULONGLONG", "UINT128", "CHAR_S",
           "SCHAR", "WCHAR", "SHORT", "INT", "LONG", "LONGLONG", "INT128", "FLOAT", "DOUBLE", "LONGDOUBLE", "HALF",
           "FLOAT16", "ENUM", "COMPLEX", "VECTOR", "EXTVECTOR", "BFLOAT16"}


def is_scalar(kind):
    return kind.get_canonical().kind.name in NUMBERS


def unqualified(kind):
    """Returns the spelling of a type without const, volatile and restrict of the type itself."""
    words = kind.spelling
    if kind.kind.name == "POINTER":
        while True:
            stripped = words.rstrip()
            for qualifier in ("const", "volatile", "restrict", "__restrict", "__restrict__"):
                if stripped.endswith(qualifier) and stripped[:-len(qualifier)].rstrip().endswith(("*", ")")):
                    stripped = stripped[:-len(qualifier)].rstrip()
            if stripped == words.rstrip():
                return stripped
            words = stripped
    for qualifier in ("const ", "volatile ", "constexpr "):
        if words.startswith(qualifier):
            return unqualified_text(words)
    return words


def unqualified_text(words):
    while words.startswith(("const ", "volatile ")):
        words = words.split(" ", 1)[1]
    return words


def without_const(words):
    """Returns the spelling of what a pointer points to without const; volatile stays."""
    while words.startswith(("const ", "volatile const ")):
        words = words.replace("const ", "", 1)
    return words


def declare(kind_text, name):
    """Returns the declaration of a variable: of "double[3]" or "float (*)[4]" too."""
    if "(*)" in kind_text:
        return kind_text.replace("(*)", f"(*{name})", 1)
    if "[" in kind_text:
        head, bracket, tail = kind_text.partition("[")
        return f"{head.rstrip()} {name}{bracket}{tail}"
    return f"{kind_text}{name}" if kind_text.endswith("*") else f"{kind_text} {name}"
