# SPDX-License-Identifier: Apache-2.0
"""One translation unit of CUDA: its files of the project, functions, kernels and launches.

The file is parsed for the host, with cuda_names.h in the place of CUDA's headers; then __device__ and the like are
annotations, and only __global__ is an attribute.
"""
import ctypes
import os
import re

from . import tree
from .cuda_names import HEADERS
from .source import SourceFile, blank, identifiers
from .tree import FUNCTIONS, Node

EMPTY = "/teamwork-port-cuda/"  # a folder that is not there: clang is told that CUDA's headers are in it, and empty
NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda_names.h")
SCOPES = ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL", "CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE",
          "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION", "UNION_DECL")
LIBRARY = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]((?:cub|thrust|cuda|nv|cooperative_groups|cutlass|cute)/[^>\"]+|"
                     r"cooperative_groups\.h|(?:cublas|cusparse|cusolver|cufft|curand|cuda_|cudnn|nccl|npp|nvml|nvToolsExt|mma|crt/|"
                     r"texture_|surface_|cuComplex|helper_cuda|cub\.)[^>\"/]*)[>\"]", re.M)
# what clang says of kernels that are declared twice, and of its own functions, where cuda_names.h makes functions those of both sides
NO_ERROR = re.compile(r"'(?:global|host|device)' and '(?:global|host|device)' attributes are not compatible|"
                      # of classes that derive from std::exception, which is declared for the host alone
                      r"(?:non-virtual|only virtual) member functions?(?: can be)? marked 'override'.*|"
                      r"__host__ __device__ function '\w+' cannot overload __(?:host|device)__ function '\w+'")


class CudaUnit:
    """A parsed file with the headers of its project. `sources` are shared by the units of a run."""

    def __init__(self, path, arguments, compiler, root, sources):
        self.path, self.root, self.sources, self.arguments = path, os.path.realpath(root), sources, arguments
        options = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "-w", "-Wno-register",
                   "-ferror-limit=0", *(["-D__CUDACC__", "-D__NVCC__"] if path.endswith(".cu") else []), *arguments, "-include", NAMES, "-isystem", EMPTY]
        include = tree.resource_include(compiler)
        if include:
            options += ["-isystem", include]
        self.tu, self.errors = None, [(path, 1, "clang cannot read it")]
        try:
            self.tu = tree.cindex.Index.create().parse(path, args=options,
                                                       unsaved_files=[(EMPTY + name, "") for name in sorted(HEADERS)])
        except tree.cindex.TranslationUnitLoadError:
            return
        self.errors = [(d.location.file.name if d.location.file else path, d.location.line, d.spelling)
                       for d in self.tu.diagnostics if d.severity >= 3 and not NO_ERROR.fullmatch(d.spelling)]
        self.files, self.included = {}, set()
        self.read_files()
        self.errors = self.libraries() + self.errors
        self.functions, self.variables = [], []  # nodes of declarations of functions, with and without body; of variables
        self.templates = []  # nodes of templates of variables
        self.collect(self.tu.cursor)

    def read_files(self):
        for path in dict.fromkeys([self.path] + [found.include.name for found in self.tu.get_includes()]):
            real = os.path.realpath(path)
            if not real.startswith(self.root + os.sep):
                continue
            if path != self.path:
                self.included.add(real)
            if real not in self.sources:
                self.sources[real] = SourceFile(path)
            self.files[path] = self.sources[real]

    def libraries(self):
        """Returns errors of headers of CUDA's libraries, which may be found where a toolkit is, and do not help then."""
        return [(path, source.line_of(match.start()), f"'{match.group(1)}' is a header of a library for CUDA")
                for path, source in self.files.items() for match in LIBRARY.finditer(source.text)
                if match.group(1) not in HEADERS and not any(os.path.realpath(found.include.name).startswith(self.root + os.sep) and
                           found.include.name.endswith("/" + match.group(1)) for found in self.tu.get_includes())
                and self.is_included(match.group(1))]

    def is_included(self, name):
        """Returns true if a header is included in what is compiled; one that is not found is."""
        return any(found.include.name.endswith("/" + name) for found in self.tu.get_includes()) or any(
            name in message for *_, message in self.errors)

    def collect(self, cursor):
        for child in cursor.get_children():
            if child.location.file is None or child.location.file.name not in self.files:
                continue
            kind, source = child.kind.name, self.files[child.location.file.name]
            if kind == "UNEXPOSED_DECL" and source.code.startswith("template", child.extent.start.offset):
                self.templates.append(Node(child))
            elif kind in SCOPES:
                self.collect(child)
            elif kind in FUNCTIONS:
                self.functions.append(Node(child))
            elif kind == "VAR_DECL":
                self.variables.append(Node(child))


def marks(node):
    """Returns the annotations of a declaration: of {"global", "device", "host", "shared", ...}."""
    found = set()
    for child in node.children:
        if child.kind == "ANNOTATE_ATTR":
            found.add(child.cursor.spelling)
        elif child.kind == "CUDAGLOBAL_ATTR":
            found.add("global")
    return found


def body_of(node):
    """Returns the body of a function's declaration; None if it has none."""
    last = node.children[-1] if node.children else None
    return last if last is not None and last.kind == "COMPOUND_STMT" else None


def macros(source):
    """Returns {name: text} of the macros that a file defines, in blanked text, several definitions together."""
    found = {}
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\[ \t\r]*\n|\\.)*)", source.code, re.M):
        found[match.group(1)] = found.get(match.group(1), "") + " " + match.group(2)
    return found


def directives(source):
    """Returns the ranges of offsets that lines of the preprocessor take, and those of definitions of macros."""
    lines, defines = [], []
    for match in re.finditer(r"^[ \t]*#[ \t]*(\w+)?(?:[^\n\\]|\\[ \t\r]*\n|\\.)*", source.code, re.M):
        lines.append(match.span())
        if match.group(1) == "define":
            defines.append(match.span())
    return lines, defines


def evaluate(node):
    """Returns the value of a constant expression of integers; None if clang does not know it."""
    lib = tree.cindex.conf.lib
    lib.clang_Cursor_Evaluate.restype, lib.clang_Cursor_Evaluate.argtypes = ctypes.c_void_p, [tree.cindex.Cursor]
    for name, result in (("getKind", ctypes.c_int), ("getAsLongLong", ctypes.c_longlong), ("dispose", None)):
        function = getattr(lib, "clang_EvalResult_" + name)
        function.restype, function.argtypes = result, [ctypes.c_void_p]
    answer = lib.clang_Cursor_Evaluate(node.cursor)
    if not answer:
        return None
    value = lib.clang_EvalResult_getAsLongLong(answer) if lib.clang_EvalResult_getKind(answer) == 1 else None
    lib.clang_EvalResult_dispose(answer)
    return value


def calls(code, name):
    """Returns true if blanked text calls a function by its name, with or without template arguments."""
    return re.search(rf"\b{re.escape(name)}\s*(?:<(?!<)[^;{{}}]*>\s*)?\(", code) is not None


def needs_c_plus_plus(text):
    """Returns true if text is surely no C, or another thing in C. For the rest a parser is asked."""
    code = blank(text)
    words = identifiers(code)
    return bool(words & {"template", "class", "namespace", "using", "std", "nullptr", "new", "delete", "constexpr", "auto",
                         "operator", "static_cast", "reinterpret_cast", "typename", "public", "virtual"}) \
        or "::" in code or re.search(r"#\s*include\s*<[a-z_]+>", text) is not None \
        or re.search(r"\bsizeof\s*\(?\s*'", text) is not None \
        or re.search(r"^(?!.*\bstatic\b).*\binline\b", code, re.M) is not None
