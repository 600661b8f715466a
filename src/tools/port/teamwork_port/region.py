# SPDX-License-Identifier: Apache-2.0
"""One target region: which form of kernel it becomes, and the edits that make it one."""
import re

from .access import WRITE
from .body import atomic_edit, body_text, breaks, continues, declares, returns, statement_end
from .calls import Calls
from .captures import Captures
from .clauses import Directive
from .functions import QUERY, ItemFunctions, query_edits
from .groups import group_kernel
from .kernel import Kernel, set_ranges
from .loops import only_statement, parse_nest
from .source import Refused, SourceFile, dedent, identifiers
from .teams import teams_kernel
from .tree import key_of, unqualified

IGNORED = {"num_teams", "thread_limit", "num_threads", "schedule", "dist_schedule", "default", "shared", "simdlen", "safelen",
           "proc_bind", "order", "nowait", "private", "firstprivate", "reduction", "map", "collapse", "is_device_ptr",
           "has_device_addr", "defaultmap", "lastprivate", "bind", "depend", "device", "aligned", "nontemporal"}
WAYS_OUT = {
    "linear": "compute it from the loop's variable",
    "in_reduction": "use reduction",
    "allocate": "leave the clause out",
    "uses_allocators": "leave the clause out",
}


def merged(outer, inner):
    """Returns two nested directives as one."""
    both = Directive(f"{outer.words} {inner.words}", outer.clauses + inner.clauses, outer.start, outer.end, outer.text)
    both.guard = outer.guard
    return both


class Region:
    """A target region on its way to a kernel. `move()` makes the edits, or refuses; `make()` returns the kernel."""

    def __init__(self, unit, source, directive, names):
        self.unit, self.source, self.directive, self.names = unit, source, directive, names
        self.edits, self.notes = [], []
        self.variables = {}  # constants of file scope that device functions use
        self.end = directive.end
        self.given_name = self.condition = None

    def move(self):
        self.write(self.make())

    def make(self):
        unit, directive = self.unit, self.directive
        self.top = unit.top_level(self.source.path, directive.start)
        self.node = unit.statement_behind(directive)
        if self.top is not None and self.node is None \
                and re.compile(r"\s*#").match(self.source.code, directive.end):
            raise Refused("preprocessor", "lines of the preprocessor stand between the directive and its loop",
                          "put them around functions", directive.start)
        if self.top is None or self.node is None:
            raise Refused("not compiled", "no statement was found behind it: it is not compiled, or comes from a macro",
                          "give the tool the macros that switch it on", directive.start)
        self.end = statement_end(self.source, self.node)
        guard = directive.guard
        if guard and not unit.is_compiled(self.source, directive):
            raise Refused("not compiled", "its branch of the preprocessor is not compiled",
                          "give the tool the macros that switch it on", directive.start)
        self.begin = guard.end if guard else directive.end
        for directives in unit.directives.values():
            if any("unified" in found.text for found in directives if found.words == "requires"):
                raise Refused("unified memory", "the program requires unified shared memory, without copies",
                              "use tw_malloc_shared() (docs/usm.md)", directive.start)
        self.check_place()
        self.words = identifiers(self.source.code[directive.end:self.end])
        self.k = next(name for name in ("k", "block", "tw_block") if name not in self.words)
        self.item = next(name for name in ("item", "tw_item_", "tw_work_item") if name not in self.words)
        inner = unit.directives_in(self.source.path, directive.end, self.end)
        if guard:
            inner = [found for found in inner if not guard.other <= found.start < guard.end]
        inner = [found for found in inner if not found.guard or unit.is_compiled(self.source, found)]
        self.inner = [found for found in inner if unit.statement_behind(found) is not None or "barrier" in found.words]
        directive, node = self.combine(directive, self.node)
        self.directive = directive
        self.check_clauses(directive)
        words = directive.words.split()
        if "parallel" in words and ("for" not in words and "loop" not in words):
            kernel = teams_kernel(self, directive, node, None)
        elif words == ["target", "teams"]:
            kernel = teams_kernel(self, directive, node, self.inner)
        elif any(word in words for word in ("for", "loop", "distribute", "simd")):
            kernel = self.loops(directive, node)
        elif words == ["target"]:
            kernel = self.task(directive, node)
        else:
            raise Refused("directive", f"#pragma omp {directive.words}", "use a combined loop", directive.start)
        return kernel

    def check_place(self):
        """Refuses regions in templates, macros and between lines of the preprocessor."""
        start, end = self.directive.start, self.end
        for node in (self.node, *self.node.ancestors()):
            if node.kind in ("FUNCTION_TEMPLATE", "CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"):
                raise Refused("template", "the region is in a template", "write the function for each type that is used", start)
            if node.kind == "LAMBDA_EXPR":
                raise Refused("lambda", "the region is in a lambda", "make it a function", start)
        inside = self.source.code[self.directive.end:end]
        local = self.unit.local_macros - set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", inside, re.M))
        self.macros, names = {}, identifiers(inside) & local
        while names:
            name = names.pop()
            self.macros[name] = self.local_macro(name)
            names |= identifiers(self.macros[name]) & local - set(self.macros)

    def local_macro(self, name):
        """Returns the definition of a macro that the function has defined before the region; the kernel repeats it."""
        definition = re.compile(rf"^[ \t]*#[ \t]*(define|undef)[ \t]+{name}\b(?:[^\n\\]|\\\r?\n|\\.)*\n", re.M)
        code, start = self.source.code, self.directive.start
        found = [match for match in definition.finditer(code) if match.start() < start]
        inside = [match for match in found if match.start() > self.top.start]
        before = found[:len(found) - len(inside)]
        if before and before[-1].group(1) == "define" or not inside or inside[-1].group(1) == "undef":
            raise Refused("preprocessor", f"the macro {name} is defined inside of the function, and elsewhere",
                          "define it once, before the function", start)
        return inside[-1].group()

    def check_preprocessor(self, bodies):
        """Refuses lines of the preprocessor that are not within one of the bodies."""
        lines = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif|define|undef|include)\b", re.M)
        self.has_branches, known = False, 0
        for body in bodies:
            words = lines.findall(self.source.code[body.start:body.end])
            known += len(words)
            begins = sum(word.startswith("if") for word in words)
            if "include" in words:
                self.check_included(body)
            if begins != words.count("endif"):
                raise Refused("preprocessor", "branches of the preprocessor begin or end in the region",
                              "put them around functions", self.directive.start)
            self.has_branches |= begins > 0
        if known != len(lines.findall(self.source.code[self.begin:self.end])) - self.lines_of_other_builds(bodies):
            raise Refused("preprocessor", "lines of the preprocessor stand between directives and loops",
                          "put them around functions", self.directive.start)
        if self.has_branches:
            self.notes.append((self.directive.start, "branches that are not compiled were not looked at"))

    def lines_of_other_builds(self, bodies):
        """Returns the number of lines around directives between loops that are not compiled, and mean nothing here."""
        count = 0
        for directive in self.unit.directives_in(self.source.path, self.begin, self.end):
            guard = directive.guard
            if guard and not guard.has_other and not any(body.start <= directive.start < body.end for body in bodies) \
                    and not self.unit.is_compiled(self.source, directive):
                count += 2
        return count

    def check_included(self, body):
        """Refuses files that a body includes, unless they are the program's own, without directives."""
        for path in {node.path for node in body.walk() if node.path and node.path != body.path}:
            if path not in self.unit.files or self.unit.directives[path] \
                    or identifiers(self.unit.files[path].code) & self.unit.local_macros:
                raise Refused("preprocessor", f"the region includes {path}, which has directives, or uses macros of the function",
                              "put it into the region", self.directive.start)

    def check_clauses(self, directive):
        for clause in directive.clauses:
            if clause.name == "if":
                self.take_condition(directive, clause.text)
                continue
            if clause.name in WAYS_OUT:
                raise Refused("clause", f"{clause.name}({clause.text})", WAYS_OUT[clause.name], self.directive.start)
            if clause.name not in IGNORED and not self.unit.is_nowait(clause.name):
                raise Refused("clause", f"the clause {clause.name}", "leave it out if it does not matter", self.directive.start)
            if clause.name == "device" and clause.text.strip() != "0":
                raise Refused("clause", f"device({clause.text})", "move it by hand, with a queue for each device",
                              self.directive.start)
            if clause.name == "order" and "reproducible" in (clause.text or ""):
                self.notes.append((self.directive.start, "order(reproducible) is dropped"))
        if directive.all("depend"):
            for found in self.unit.directives[self.source.path]:
                if found.words.split()[:1] in (["task"], ["taskloop"]):
                    raise Refused("depend", "it depends on tasks of the host", "see docs/porting.md, \"Half moved\"",
                                  self.directive.start)

    def check_last(self, directive, nest):
        """Refuses lastprivate of the loops' own variables, and with a modifier."""
        names = [name.strip() for text in directive.all("lastprivate") for name in text.split(",")]
        for name in names:
            if not re.fullmatch(r"\w+", name) or name in {loop.var for loop in nest}:
                raise Refused("clause", f"lastprivate({name})", "let the last iteration write to an element that is mapped",
                              self.directive.start)

    def take_condition(self, directive, text):
        """Keeps the condition of a region, which the host runs where it is false, as an ordinary statement."""
        match = re.match(r"\s*(\w+)\s*:(?!:)", text)
        if match and match.group(1) != "target" or self.condition or directive.start != self.directive.start \
                or directive.all("private", "firstprivate"):
            raise Refused("clause", f"if({text})", "write an if statement with both forms, or leave the clause out",
                          self.directive.start)
        self.condition = text[match.end():].strip() if match else text

    def check_condition(self, captures):
        """Refuses a condition where the statement alone is not what the host would run."""
        written = [capture.name for capture in captures.list if capture.kind == "value" and capture.flags & WRITE]
        if self.condition and (written or self.inner):
            raise Refused("clause", f"if({self.condition}), and the host would run more than the statement alone",
                          "write an if statement with both forms, or leave the clause out", self.directive.start)

    def combine(self, directive, node):
        """Joins directives that stand directly in each other, as `target` and `teams distribute parallel for`."""
        while True:
            inside = only_statement(node)
            following = [found for found in self.inner if self.unit.statement_behind(found) is inside
                         and found.words.split()[0] in ("teams", "distribute", "parallel", "loop")]
            if not following or directive.words.split()[-1] in ("for", "simd", "loop"):
                return directive, node
            words = directive.words.split()
            if words == ["target", "teams"] and following[0].words == "parallel":
                return directive, node
            if "distribute" in words and inside is node and node.kind != "FOR_STMT":
                return directive, node
            directive, node = merged(directive, following[0]), inside
            self.inner.remove(following[0])

    # ---- forms -------------------------------------------------------------------------------------------------------

    def loops(self, directive, node):
        collapse = directive.all("collapse")
        depth = 1
        for text in collapse:
            value = int(text) if text.isdigit() else self.unit.value_of(text)
            if value is None:
                raise Refused("loop", f"collapse({text}) is no plain number", "write the number", directive.start)
            depth = max(depth, value)
        nest = parse_nest(self.source, node, depth)
        body = nest[-1].body
        words = directive.words.split()
        if "parallel" not in words and "loop" not in words:  # teams distribute: does the next loop belong to the team?
            inner = [found for found in self.inner if found.words.split()[:2] == ["parallel", "for"]]
            if inner:
                inside = only_statement(body)
                if len(inner) == 1 and self.unit.statement_behind(inner[0]) is inside and inside.kind == "FOR_STMT":
                    self.check_clauses(inner[0])
                    more = [int(text) for text in inner[0].all("collapse") if text.isdigit()]
                    nest = parse_nest(self.source, node, depth + (more[0] if more else 1))
                    body = nest[-1].body
                    directive.clauses += inner[0].clauses
                    self.inner.remove(inner[0])
                else:
                    return self.groups(directive, node, nest)
        self.check_preprocessor([body])
        self.check_last(directive, nest)
        if breaks(body):
            raise Refused("loop", "`break` leaves the loop", "use an if statement", directive.start)
        for loop in nest:
            loop.type = unqualified(self.unit.written_type(loop.decl))
            loop.is_changed = bool(self.unit.analysis.uses(body, key_of(loop.decl)) & WRITE)
            if loop.is_changed:
                self.notes.append((loop.node.start, f"the body changes {loop.var}, the loop's variable: that ends with the turn"))
        captures = self.capture(directive, body, nest)
        self.bounds(nest, captures)
        kernel = self.kernel("range", captures.list)
        self.discards(nest, captures, body)
        set_ranges(kernel, nest)
        self.loop_body(kernel, nest, self.inner_edits(body), captures)
        return kernel

    def groups(self, directive, node, nest):
        """A loop over teams with parallel loops among other statements."""
        if len(nest) > 3:
            raise Refused("loop", f"collapse({len(nest)}): a range has three dimensions", "collapse three loops",
                          directive.start)
        kernel, edits, captures = group_kernel(self, directive, nest)
        set_ranges(kernel, nest)
        self.loop_body(kernel, nest, edits, captures)
        return kernel

    def loop_body(self, kernel, nest, edits, captures):
        """Gives a kernel the text of a loop's body."""
        body = nest[-1].body
        kernel.wraps = continues(body)
        inside = body.kind == "COMPOUND_STMT"
        own = {capture.name for capture in captures.list} | {loop.var for loop in nest}
        text = body_text(self.source, body, edits, self.mapped_names(captures),
                         braces=not inside or kernel.wraps or declares(body, own))
        kernel.body = self.flat(text[1:-1] if inside and kernel.wraps else text)

    def task(self, directive, node):
        self.check_preprocessor([node])
        captures = self.capture(directive, node, [])
        kernel = self.kernel("task", captures.list)
        braces = declares(node, {capture.name for capture in captures.list})
        kernel.body = self.flat(body_text(self.source, node, self.inner_edits(node), self.mapped_names(captures), braces))
        return kernel

    def kernel(self, form, captures):
        """Returns a kernel whose parameters have names that the region does not use."""
        kernel = Kernel(self.name(), form, captures)
        kernel.k, kernel.item = self.k, self.item
        return kernel

    # ---- parts -------------------------------------------------------------------------------------------------------

    def capture(self, directive, body, nest, teams=False):
        calls = Calls(self.unit.analysis, self.unit.declared_for_target)
        calls.collect(body)
        if calls.queries and not teams:
            raise Refused("omp call", f"the body calls {calls.queries[0].cursor.spelling}()", "use the loop's variable",
                          calls.queries[0].start)
        self.functions = calls.functions
        self.item_functions = ItemFunctions(self.unit, calls.functions, calls.asking)
        if self.item_functions.keys and not teams:
            name = self.item_functions.trees[0].cursor.spelling
            raise Refused("omp call", f"the body calls {name}(), which asks for its thread or has a barrier",
                          "give it the loop's variable", directive.start)
        self.function_edits()
        self.variables = calls.globals
        captures = Captures(self.unit, directive, body, nest)
        captures.finish()
        self.notes += captures.notes
        self.maps = [f"TW_PORT_{kind.upper()}({', '.join(section)})" for kind, *section in captures.maps]
        self.captures = captures
        self.check_condition(captures)
        return captures

    @staticmethod
    def mapped_names(captures):
        return [capture.name for capture in captures.list if capture.kind == "mapped"]

    def bounds(self, nest, captures):
        """Refuses bounds that the host does not have: in memory of the device."""
        for loop in nest:
            for part in (loop.lower_node, loop.end_node, loop.step_node):
                for node in part.walk() if part else ():
                    follows = node.kind == "ARRAY_SUBSCRIPT_EXPR" or node.operator == "*" and node.kind == "UNARY_OPERATOR" \
                        or (node.kind == "MEMBER_REF_EXPR" and node.children
                            and node.children[0].type.get_canonical().kind.name == "POINTER")
                    name = node.cursor.spelling if node.kind == "DECL_REF_EXPR" else None
                    kind = captures.by_name[name].kind if name in captures.by_name else None
                    if follows or kind == "mapped":
                        raise Refused("loop", f"a bound of the loop over {loop.var} is in mapped memory",
                                      "copy it to a variable before the region", self.directive.start)

    def discards(self, nest, captures, body):
        """Finds the arrays that a loop from 0 in steps of 1 writes at its variable in each turn, and never reads."""
        loop = nest[0]
        if len(nest) > 1 or loop.lower != "0" or loop.step != "1" or loop.inclusive or continues(body) or returns(body) \
                or self.has_branches:
            return
        statements = body.children if body.kind == "COMPOUND_STMT" else [body]
        for statement in statements:
            if statement.kind != "BINARY_OPERATOR" or statement.operator != "=":
                continue
            place = statement.children[0].bare()
            if place.kind != "ARRAY_SUBSCRIPT_EXPR":
                continue
            base, index = (child.bare() for child in place.children)
            if base.kind != "DECL_REF_EXPR" or index.kind != "DECL_REF_EXPR" \
                    or key_of(index.cursor.referenced) != key_of(loop.decl):
                continue
            capture = captures.by_name.get(base.cursor.spelling)
            if capture and capture.kind == "pointer" and "[" not in capture.type:
                capture.discard = f"sizeof *{capture.name} * (size_t)({loop.end})"

    def inner_edits(self, body, teams=False):
        """Returns the edits of directives in a body."""
        edits = []
        for found in self.unit.directives_in(self.source.path, body.start, body.end):
            if found not in self.inner:
                continue
            words = found.words
            begin, end = self.source.line_start(found.start), self.source.next_line(found.end)
            if words.startswith("atomic"):
                edits.append(atomic_edit(self.source, found, self.unit))
            elif words in ("simd", "unroll") and not found.all("reduction", "lastprivate", "private"):
                edits.append((begin, end, ""))
            elif words == "barrier" and teams:
                indent = max(self.source.indent_of(found.start), self.source.indent_of(end), key=len)
                edits.append((begin, end, indent + f"tw_barrier({self.item}, TW_GLOBAL_AND_LOCAL);\n"))
            elif words in ("master", "masked") and teams:
                indent = max(self.source.indent_of(found.start), self.source.indent_of(end), key=len)
                edits.append((begin, end, indent + f"if (tw_local_id({self.item}, 0) == 0)\n"))
            elif words.startswith("critical"):
                raise Refused("critical", "the body has a critical section", "use atomic operations or a reduction", found.start)
            else:
                raise Refused("inner directive", f"#pragma omp {words} in the body", "move it by hand", found.start)
        return edits

    def function_edits(self):
        """Finds the edits of directives in functions that the body calls, and copies of those that need the work-item."""
        self.edits = self.item_functions.copies()
        for function in self.functions:
            if function in self.item_functions.trees:
                continue
            if function.path not in self.unit.files:
                if "#pragma omp" in SourceFile(function.path).text[function.start:function.end]:
                    raise Refused("inner directive", f"{function.cursor.spelling}(), of a header that is not edited, has a "
                                  "directive", "give --root a folder that the header is in", self.directive.start)
                continue
            source = self.unit.files[function.path]
            for found in self.unit.directives_in(function.path, function.start, function.end):
                if found.words.startswith("declare") or found.words.startswith("end declare"):
                    continue
                if found.words == "simd":
                    self.edits.append((source, source.line_start(found.start), source.next_line(found.end), ""))
                    continue
                if not found.words.startswith("atomic"):
                    raise Refused("inner directive", f"#pragma omp {found.words} in {function.cursor.spelling}(), which the "
                                  "body calls", "move it by hand", self.directive.start)
                with self.unit.inside(function):
                    self.edits.append((source, *atomic_edit(source, found, self.unit)))

    def item_edits(self, body):
        """Returns the edits that ask the work-item, and give it to functions."""
        return query_edits(self.source, body, self.item) + self.item_functions.call_edits(self.source, body, self.item)

    def queries(self, text):
        for name, call in QUERY.items():
            text = re.sub(rf"\b{name}\s*\(\s*\)", f"(int){call}({self.item}, 0)", text)
        return text

    @staticmethod
    def flat(text):
        """Returns the text without empty lines at its ends."""
        return re.sub(r"\A(?:[ \t]*\r?\n)+", "", text).rstrip().lstrip(" \t")

    def name(self):
        """Returns a name for the kernel that nothing else has."""
        if self.given_name:
            return self.given_name
        node = next((node for node in (self.node, *self.node.ancestors()) if node.kind in (
            "FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR")), self.top)
        base = re.sub(r"\W", "", node.cursor.spelling) or "kernel"
        number = 1
        while f"{base}_{number}" in self.names:
            number += 1
        self.names.add(f"{base}_{number}")
        return f"{base}_{number}"

    # ---- edits -------------------------------------------------------------------------------------------------------

    def write(self, kernel):
        """Makes the edits: the kernel before the function, the launch in the place of the region."""
        source, directive = self.source, self.directive
        words = identifiers(source.code[directive.start:self.end])
        group = next(name for name in ("cg", "tw_cg", "tw_group_of_region") if name not in words)
        indent = max(source.indent_of(directive.start), source.indent_of(self.node.start), key=len)
        launch = kernel.launch(indent, self.maps, group)
        if self.condition:
            behind = dedent(self.source.text[self.node.start:self.end], indent + "    ")
            launch = f"{indent}if ({self.condition})\n{launch}\n{indent}else\n{behind}"
        if directive.guard:  # the other branch, and the statement that it is for
            launch += f"\n#else\n{self.other_branch(directive.guard)}{source.text[directive.guard.end:self.end]}\n#endif"
        place, text = self.place(), kernel.definition() + "\n"
        if self.macros:
            text = "".join(self.macros.values()) + text + "".join(f"#undef {name}\n" for name in self.macros) + "\n"
        if any(begin <= place <= end for begin, end in self.unit.ranges[source.path]):
            text = f"#pragma omp end declare target\n{text}#pragma omp declare target\n"
        source.insert(place, text)
        source.replace(source.line_start(directive.start), self.end, launch)
        for other, start, end, text in self.edits:
            if (start, end, text) not in other.edits:
                other.replace(start, end, text)

    def other_branch(self, guard):
        """Returns the lines between #else and #endif of a guard."""
        text = self.source.text
        begin = self.source.next_line(guard.other) if guard.has_other else guard.other
        end = self.source.line_start(guard.end - 1)
        return text[begin:end]

    def place(self):
        """Returns where the kernel is inserted: before the function and the comment that it has."""
        source = self.source
        offset = source.line_start(self.top.start)
        if source.code[offset:self.top.start].strip():  # other code begins the line
            return self.top.start
        while offset > 0:
            line = source.line_start(offset - 1)
            text = source.text[line:offset].strip()
            if not re.match(r"(//|/\*|\*|\[\[|__attribute__|extern \"C\"$|static$|template)", text):
                break
            offset = line
        return offset

