# SPDX-License-Identifier: Apache-2.0
"""Whether what a body calls can be part of a kernel, and which directives and variables come with it."""
from .access import Analysis
from .source import Refused
from .tree import is_const, is_scalar, key_of

MATH = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma
fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
nextafter pow pown remainder remquo rint round scalbn scalbln sin sincos sinh sqrt tan tanh tgamma trunc""".split()
ALLOWED = set(MATH) | {name + suffix for name in MATH for suffix in "fl"} | {
    "abs", "labs", "llabs", "memcpy", "memset", "memmove", "isnan", "isinf", "isfinite", "signbit", "max", "min", "swap",
    "assert", "isgreater", "isless", "abs", "operator=", "operator[]", "fpclassify", "numeric_limits", "epsilon", "infinity"}
QUERIES = {"omp_get_thread_num", "omp_get_team_num", "omp_get_num_threads", "omp_get_num_teams"}


class Calls:
    """What a body calls, directly and not: functions of the program, seen once each."""

    def __init__(self, analysis: Analysis, declared_for_target):
        self.analysis = analysis
        self.declared_for_target = declared_for_target
        self.functions, self.globals = [], {}
        self.queries = []  # calls of QUERIES in the body itself
        self.asking = []   # functions that have such calls

    def collect(self, node):
        """Checks a body, and goes on in the functions that it calls. Refuses what cannot be part of a kernel."""
        for part in node.walk():
            if part.kind == "CALL_EXPR":
                self.call(part)
            elif part.kind in ("CXX_NEW_EXPR", "CXX_DELETE_EXPR", "CXX_THROW_EXPR", "CXX_TRY_STMT", "CXX_DYNAMIC_CAST_EXPR",
                               "CXX_TYPEID_EXPR", "ASM_STMT", "MS_ASM_STMT"):
                raise Refused("not in kernels", f"the body has {part.kind.lower().replace('_', ' ')}",
                              "kernels have none of it", part.start)

    def call(self, node):
        callee = node.cursor.referenced
        if callee is None:
            raise Refused("call", "the body calls through a pointer, or by a template's parameter",
                          "call a function by its name", node.start)
        name = callee.spelling
        if callee.kind.name in ("CONSTRUCTOR", "DESTRUCTOR"):
            return self.function(callee, node, must_exist=False)
        if callee.kind.name not in ("FUNCTION_DECL", "CXX_METHOD", "CONVERSION_FUNCTION"):
            raise Refused("call", f"the body calls {name}, which is a pointer to a function",
                          "call a function by its name", node.start)
        if callee.kind.name == "CXX_METHOD" and callee.is_virtual_method():
            raise Refused("not in kernels", f"{name}() is virtual", "call the function that is meant", node.start)
        if name in QUERIES:
            self.queries.append(node)
            return
        if name.startswith("__builtin"):
            return
        if callee.location.file and not callee.location.is_in_system_header:
            self.function(callee, node, must_exist=True)
        elif name.startswith("omp_"):
            raise Refused("omp call", f"the body calls {name}()", "leave it out of kernels", node.start)
        elif name not in ALLOWED and not name.startswith(("operator", "tw_")):
            kind = "printing" if "print" in name else "library call"
            raise Refused(kind, f"the body calls {name}()", "kernels have mathematical functions, memcpy() and memset()"
                          + ("; printf.h prints" if kind == "printing" else ""), node.start)

    def function(self, callee, node, must_exist):
        tree = self.analysis.definition(callee)
        if tree is None:
            if must_exist:
                raise Refused("other file", f"{callee.spelling}() is defined in another file",
                              "make it static inline in a header", node.start)
            return
        if any(tree is known for known in self.functions):
            return
        self.functions.append(tree)
        try:
            for part in tree.walk():
                if part.kind == "DECL_REF_EXPR":
                    self.variable(part, tree)
            queries, self.queries = self.queries, []
            self.collect(tree)
            if self.queries:
                self.asking.append(tree)
            self.queries = queries
        except Refused as refused:
            refused.reason = f"in {callee.spelling}(): {refused.reason}"
            refused.offset = node.start
            raise

    def variable(self, node, function):
        """Notes a variable of file scope that a function uses."""
        declared = node.cursor.referenced
        if declared is None or declared.kind.name != "VAR_DECL" or declared.semantic_parent is None:
            return
        if declared.storage_class.name == "STATIC" and not is_file_scope(declared) and not is_const(declared.type):
            raise Refused("static variable", f"{declared.spelling} is static", "make it a variable of the caller", node.start)
        if not is_file_scope(declared) or self.declared_for_target(declared):
            return
        if not is_const(declared.type):
            raise Refused("file-scope variable", f"{declared.spelling} is a variable of file scope",
                          "give it to the function, or declare it for the target", node.start)
        if not is_scalar(declared.type):
            self.globals[key_of(declared)] = declared


def is_file_scope(declared):
    return declared.semantic_parent is not None and declared.semantic_parent.kind.name in (
        "TRANSLATION_UNIT", "NAMESPACE", "LINKAGE_SPEC", "STRUCT_DECL", "CLASS_DECL")
