# SPDX-License-Identifier: Apache-2.0
"""`teams distribute` with parallel loops among other statements, as a hierarchical kernel: a group for each turn.

The statements between the loops stay at group scope, where all work-items of a group do the same. So what changes memory
there is done once, and what loops change must be the work-item's own, a reduction, or an array of the team.
"""
from .access import ASSIGNED, WRITE
from .body import LOOPS, body_text, breaks, statement_end
from .captures import OPERATIONS
from .clauses import reductions
from .kernel import identity_of, local_text
from .loops import parse_nest
from .source import Refused, dedent
from .tree import declare, is_array, is_pointer, is_scalar, key_of, unqualified, unqualified_text

COMBINE = {"TW_SUM": "{0} += {1};", "TW_PRODUCT": "{0} *= {1};", "TW_MIN": "{0} = {1} < {0} ? {1} : {0};",
           "TW_MAX": "{0} = {1} > {0} ? {1} : {0};", "TW_AND": "{0} &= {1};", "TW_OR": "{0} |= {1};",
           "TW_XOR": "{0} ^= {1};"}
FOR = ("parallel for", "parallel for simd", "parallel loop")


def refuse(reason, node, remedy="move it by hand, as a hierarchical kernel"):
    raise Refused("team scope", reason, remedy, node.start)


class GroupBody:
    """The body of a hierarchical kernel. `edits` are those of its text, `head` lines go before it."""

    def __init__(self, region, body, captures, group):
        self.region, self.body, self.captures, self.group = region, body, captures, group
        self.source, self.unit = region.source, region.unit
        self.mapped = region.mapped_names(captures)
        self.edits, self.head, self.number = [], [], 0
        self.loops = {id(self.unit.statement_behind(found)): found for found in region.inner if found.words in FOR}
        self.own = {}  # what the body declares outside of its parallel loops
        self.collect(body)
        self.arrays = {key for key, node in self.own.items() if is_array(node.type.get_canonical())}
        self.statement(body)
        if self.loops:
            directive = next(iter(self.loops.values()))
            raise Refused("loops of a team", "a parallel loop stands where not all of a team come to it",
                          "move it by hand, as a hierarchical kernel", directive.start)

    def collect(self, node):
        for child in node.children:
            if child.kind == "VAR_DECL":
                self.own[key_of(child.cursor)] = child
            if id(child) not in self.loops:
                self.collect(child)

    # ---- group scope -------------------------------------------------------------------------------------------------

    def has_loop(self, node):
        return any(id(part) in self.loops for part in node.walk())

    def statement(self, node):
        """Makes the edits of a statement at group scope."""
        directive = self.loops.pop(id(node), None)
        if directive is not None:
            self.loop(node, directive)
        elif node.kind == "COMPOUND_STMT":
            for child in node.children:
                self.statement(child)
        elif self.has_loop(node):
            if node.kind not in ("IF_STMT", *LOOPS):
                refuse("a parallel loop is in a statement that not all threads may come to", node)
            for child in node.children:
                if child.kind.endswith("STMT"):
                    self.statement(child)
                elif self.changes(child)[0]:
                    refuse("the condition changes memory", child)
        elif node.kind == "DECL_STMT":
            self.declaration(node)
        elif node.kind != "NULL_STMT":
            self.leaf(node)

    def changes(self, node):
        """Returns whether a statement changes memory, and the own variables that it gives values."""
        memory, own = False, []
        for key in {name.key for name in node.names() if name.key}:
            flags = self.unit.analysis.uses(node, key)
            named = next(name for name in node.names() if name.key == key)
            declared = named.cursor.referenced
            if declared is None or declared.kind.name not in ("VAR_DECL", "PARM_DECL"):
                continue
            inside = node.start <= declared.location.offset < node.end
            address = is_pointer(declared.type) or is_array(declared.type.get_canonical())
            if inside and not address:
                continue
            capture = self.captures.by_name.get(declared.spelling)
            shared = address or declared.spelling in self.mapped or (
                capture is not None and capture.kind == "mapped" and key not in self.own)
            if flags & WRITE and shared and not (inside and is_array(declared.type.get_canonical())):
                memory = True
            elif flags & (WRITE | ASSIGNED) and not inside:
                own.append(declared.spelling)
        return memory or any(node.start <= found.start < node.end or self.unit.statement_behind(found) is node
                             for found in self.region.inner if found.words.startswith("atomic")), own

    def leaf(self, node):
        memory, own = self.changes(node)
        if not memory:
            return
        if own or any(part.kind in ("RETURN_STMT", "CONTINUE_STMT") for part in node.walk()):
            refuse("a statement of the team changes memory and " + (own[0] if own else "leaves the turn"), node,
                   "make two statements of it")
        start = node.start
        for found in self.region.inner:
            if self.unit.statement_behind(found) is node:
                start = self.source.line_start(found.start)
        indent = max(self.source.indent_of(start), self.source.indent_of(node.start), key=len)
        begin = self.source.line_start(start)
        if self.source.text[begin:start].strip():
            begin = start
        end = statement_end(self.source, node)
        self.edits.append((begin, begin, f"{indent}TW_ONCE({self.group}) {{\n"))
        self.edits.append((end, end, f"\n{indent}}}"))

    def declaration(self, node):
        arrays = [child for child in node.children if child.kind == "VAR_DECL" and is_array(child.type.get_canonical())]
        if not arrays:
            if self.changes(node)[0]:
                refuse("a declaration of the team changes memory", node)
            return
        for child in node.children:
            text = self.source.code[child.start:child.end]
            if child not in arrays or "=" in text or child.type.get_canonical().kind.name != "CONSTANTARRAY" or \
                    node.parent is not self.body:
                refuse("an array of the team is initialized, or of a variable length, or not declared alone", node,
                       "declare it alone, with a constant length")
            written = unqualified_text(self.unit.written_type(child.cursor).spelling)
            self.head.append(local_text(written, child.cursor.spelling))
        self.edits.append((self.source.line_start(node.start), self.source.next_line(node.end), ""))

    # ---- parallel loops ----------------------------------------------------------------------------------------------

    def loop(self, node, directive):
        """Writes a parallel loop as one over the group's work-items."""
        region = self.region
        region.check_clauses(directive)
        if directive.all("lastprivate"):
            refuse("a parallel loop of a team has lastprivate", node, "let its last iteration write to an array")
        region.inner.remove(directive)
        depth = max([int(text) for text in directive.all("collapse") if text.isdigit()] + [1])
        nest = parse_nest(self.source, node, depth)
        body, reduced = nest[-1].body, reductions(directive)
        private, first = set(directive.names("private")), set(directive.names("firstprivate"))
        self.check_body(body, nest, set(reduced) | private | first)
        if self.has_loop(body) or breaks(body):
            refuse("parallel loops are in each other, or one is left by `break`", node)
        for loop in nest:
            loop.type = unqualified(self.unit.written_type(loop.decl))
        inner = region.inner_edits(body)
        text = body_text(self.source, body, inner, self.mapped, braces=False)
        declarations = [self.private(name, node, name in first) for name in sorted(private | first)]
        indent = self.source.indent_of(node.start)
        make = self.reduction if reduced else self.plain
        lines = make(nest, declarations, dedent(region.flat(text), "").split("\n"), reduced, node)
        start = self.source.line_start(directive.start)
        self.edits.append((start, statement_end(self.source, node), "\n".join(
            indent + line if line and not line.startswith("#") else line for line in lines)))

    def check_body(self, body, nest, allowed):
        """Refuses loops that change what the team shares, but arrays."""
        counters = {key_of(loop.decl) for loop in nest}
        for key in {name.key for name in body.names() if name.key}:
            named = next(name for name in body.names() if name.key == key)
            declared = named.cursor.referenced
            if declared is None or declared.kind.name not in ("VAR_DECL", "PARM_DECL") or key in counters \
                    or declared.spelling in allowed or body.start <= declared.location.offset < body.end:
                continue
            flags = self.unit.analysis.uses(body, key)
            if key in self.own and is_scalar(declared.type) and flags & WRITE or flags & ASSIGNED or (
                    key not in self.own and flags & WRITE and is_scalar(declared.type)
                    and declared.spelling not in self.mapped):
                refuse(f"a parallel loop changes {declared.spelling}, which the team shares", named,
                       "declare it in the loop, or let it be a reduction")

    def private(self, name, node, has_value):
        declared = self.unit.cursor_of_name(name, node.start)
        if declared is None or not is_scalar(declared.type) or has_value:
            refuse(f"private({name}) of a parallel loop in a team", node, "declare it in the loop")
        return declare(unqualified(self.unit.written_type(declared)), name) + ";"

    def trips(self, loop):
        end = loop.end if not loop.inclusive else f"({loop.end}) {'+' if loop.comparison == '<=' else '-'} 1"
        return f"tw_port_trips({loop.lower}, {end}, {loop.step})"

    @staticmethod
    def index(loop, position):
        """Returns the declaration of a loop's variable, in the turn of a position."""
        text, step = f"({loop.type}){position}", loop.step.lstrip("-")
        if step != "1":
            text = f"{text} * {step if step.isalnum() else f'({step})'}"
        if loop.step.startswith("-"):
            text = f"{loop.lower} - {text}"
        elif loop.lower != "0":
            text = f"{loop.lower} + {text}"
        return f"const {loop.type} {loop.var} = {text};"

    def plain(self, nest, declarations, body, _, node):
        if len(nest) > 3:
            refuse("more than three loops are collapsed", node)
        counts = ", ".join(self.trips(loop) for loop in nest)
        head = f"tw_parallel_for_work_item_range({self.group}, {self.region.item}, tw_range_{len(nest)}d({counts})) {{"
        lines = [self.index(loop, f"tw_local_id({self.region.item}, {d})") for d, loop in enumerate(nest)]
        return [head] + [f"    {line}" for line in lines + declarations + body] + ["}"]

    def reduction(self, nest, declarations, body, reduced, node):
        """The sum of each work-item is kept beside the loop, and that of the group is added behind it."""
        group, item, before, behind, ends = self.group, self.region.item, [], [], []
        for name, operator in reduced.items():
            declared = self.unit.cursor_of_name(name, node.start)
            if declared is None or key_of(declared) not in self.own or not is_scalar(declared.type) \
                    or operator not in OPERATIONS or operator in ("&&", "||"):
                refuse(f"reduction({operator} : {name}) of a team", node, "reduce a number that the team declares")
            kind, operation = unqualified(self.unit.written_type(declared)), OPERATIONS[operator]
            self.number += 1
            while f"{name}_{self.number}" in self.region.words:
                self.number += 1
            part = f"{name}_{self.number}"
            self.head.append(f"TW_PRIVATE({group}, {kind}, {part});")
            before.append(f"{declare(kind, name)} = {identity_of(operation, declared.type, kind, name, self.unit.is_parameter(kind))};")
            ends.append(f"tw_private({part}, {item}) = {name};")
            whole = f"{part}_of_group"
            behind += [f"const {kind} {whole} = tw_reduce_over_group({group}, {part}, {operation});",
                       COMBINE[operation].format(name, whole)]
        position, indices = "tw_turn", []
        counts = [self.trips(loop) for loop in nest]
        for loop, count in reversed(list(zip(nest[1:], counts[1:]))):
            indices.insert(0, self.index(loop, f"({position} % {count})"))
            position = f"({position} / {count})"
        indices.insert(0, self.index(nest[0], position))
        head = f"for (size_t tw_turn = tw_local_linear_id({item}); tw_turn < {' * '.join(counts)}; " \
               f"tw_turn += tw_local_linear_range({group})) {{"
        loop = [head] + [f"    {line}" for line in indices + declarations + body] + ["}"]
        head = f"tw_parallel_for_work_item({group}, {item}) {{"
        return [head] + [f"    {line}" for line in before + loop + ends] + ["}"] + behind


def group_kernel(region, directive, nest):
    """Returns the hierarchical kernel of a loop over teams, the edits of its body, and its captures."""
    body = nest[-1].body
    if directive.all("reduction", "lastprivate"):
        raise Refused("clause", "a loop over teams has parallel loops in it, and reduction or lastprivate",
                      "make two regions", directive.start)
    region.check_preprocessor([body])
    if breaks(body):
        raise Refused("loop", "`break` leaves the loop", "use an if statement", directive.start)
    for loop in nest:
        loop.type = unqualified(region.unit.written_type(loop.decl))
    captures = region.capture(directive, body, nest)
    region.bounds(nest, captures)
    kernel = region.kernel("work_group", captures.list)
    kernel.item = next(name for name in ("group", "tw_group_", "tw_team") if name not in region.words)
    parts = GroupBody(region, body, captures, kernel.item)
    kernel.head += parts.head
    edits = [edit for edit in region.inner_edits(body)
             if not any(start <= edit[0] and edit[1] <= end for start, end, _ in parts.edits if start < end)]
    return kernel, edits + parts.edits, captures
