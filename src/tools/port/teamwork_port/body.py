# SPDX-License-Identifier: Apache-2.0
"""The text of a body inside of a kernel: atomic directives, `continue`, variables that are reached by pointers."""
import re

from .source import Refused, blank

LOOPS = ("FOR_STMT", "WHILE_STMT", "DO_STMT", "CXX_FOR_RANGE_STMT")
FETCH = {"+=": "add", "-=": "sub", "&=": "and", "|=": "or", "^=": "xor"}
KINDS = ("BOOL", "CHAR_S", "SCHAR", "UCHAR", "SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG",
         "FLOAT", "DOUBLE", "ENUM", "POINTER")
SIGN = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}


def continues(body):
    """Returns true if the body has a `continue` that is the region's own loop's."""
    def search(node):
        return any(child.kind == "CONTINUE_STMT" or (child.kind not in LOOPS and search(child)) for child in node.children)
    return body.kind == "CONTINUE_STMT" or search(body)


def breaks(body):
    """Returns true if a `break` would leave the region's own loop."""
    def search(node):
        return any(child.kind == "BREAK_STMT" or (child.kind not in (*LOOPS, "SWITCH_STMT") and search(child))
                   for child in node.children)
    return body.kind == "BREAK_STMT" or search(body)


def declares(body, names):
    """Returns true if a block itself declares one of some names, which then are those of an outer block."""
    return any(part.kind == "VAR_DECL" and part.cursor.spelling in names
               for child in body.children if child.kind == "DECL_STMT" for part in child.children)


def statement_end(source, node):
    """Returns the offset behind a statement, with its semicolon."""
    if node.kind in ("COMPOUND_STMT", "DECL_STMT", "NULL_STMT", "CXX_TRY_STMT", "SWITCH_STMT"):
        return node.end
    if node.kind in ("IF_STMT", "LABEL_STMT", "CASE_STMT", "DEFAULT_STMT", "FOR_STMT", "WHILE_STMT",
                     "CXX_FOR_RANGE_STMT", "UNEXPOSED_STMT") and node.children:
        return statement_end(source, node.children[-1])
    return source.code.find(";", node.end) + 1


def returns(body):
    return any(node.kind == "RETURN_STMT" for node in body.walk())


class Atomic:
    """A statement behind `#pragma omp atomic` as a call of the library."""

    def __init__(self, source, directive, node, scope=None):
        self.source, self.node = source, node
        words = {clause.name for clause in directive.clauses}
        self.order = self.order_of(directive)
        self.wrong = Refused("atomic", f"the statement behind #pragma omp {directive.text} has no counterpart",
                             "write it as x += value, or by hand with tw_atomic functions", directive.start)
        if words & {"compare", "fail", "hint"}:
            raise self.wrong
        if "capture" in words:
            self.text = self.capture(node)
        elif "read" in words:
            self.check(node.kind == "BINARY_OPERATOR" and node.operator == "=")
            self.text = f"{self.of(node.children[0])} = tw_atomic_load(&{self.place(node.children[1])}{self.order})"
        elif "write" in words:
            self.check(node.kind == "BINARY_OPERATOR" and node.operator == "=")
            self.text = f"tw_atomic_store(&{self.place(node.children[0])}, {self.of(node.children[1])}{self.order})"
        else:
            self.text = self.update(node)[0]

    @staticmethod
    def order_of(directive):
        for clause in directive.clauses:
            if clause.name in ("seq_cst", "acq_rel", "acquire", "release"):
                return f", TW_ORDER_{clause.name.upper()}, TW_SCOPE_DEVICE"
        return ""

    def check(self, holds):
        if not holds:
            raise self.wrong

    def of(self, node):
        return self.source.text[node.start:node.end]

    def place(self, node):
        """Returns the place that is updated, in parentheses where & needs them."""
        self.check(node.type.get_canonical().kind.name in KINDS)
        text = self.of(node)
        if text.startswith("(") and text.endswith(")"):
            return text
        return text if re.fullmatch(r"[\w.\[\]>\- ()+*/%]*", text) and not text.startswith("*") else f"({text})"

    def update(self, node):
        """Returns the call, the name of its operation and the operand."""
        if node.kind == "UNARY_OPERATOR" and node.operator.endswith(("++", "--")):
            kind = "add" if node.operator.endswith("++") else "sub"
            return f"tw_atomic_fetch_{kind}(&{self.place(node.children[0])}, 1{self.order})", kind, "1"
        if node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" and node.operator in FETCH:
            place, operand = node.children
            kind = FETCH[node.operator]
        else:
            self.check(node.kind == "BINARY_OPERATOR" and node.operator == "=")
            place, value = node.children[0], node.children[1].bare()
            self.check(value.kind == "BINARY_OPERATOR" and value.operator + "=" in FETCH)
            kind = FETCH[value.operator + "="]
            first, second = value.children
            same = [re.sub(r"\s", "", self.of(part)) == re.sub(r"\s", "", self.of(place)) for part in (first, second)]
            self.check(same[0] or (same[1] and kind != "sub"))
            operand = second if same[0] else first
        operand = self.of(operand)
        return f"tw_atomic_fetch_{kind}(&{self.place(place)}, {operand}{self.order})", kind, operand

    def capture(self, node):
        if node.kind == "BINARY_OPERATOR" and node.operator == "=":
            call, kind, operand = self.update(node.children[1].bare())
            old = node.children[1].bare().operator.startswith("post")
            result = call if old else f"{call} {SIGN[kind]} ({operand})"
            return f"{self.of(node.children[0])} = {result}"
        if node.kind in ("VAR_DECL", "DECL_STMT"):
            raise self.wrong
        self.check(node.kind == "COMPOUND_STMT" and len(node.children) == 2)
        first, second = node.children
        if second.kind == "BINARY_OPERATOR" and second.operator == "=" and \
                (first.kind != "BINARY_OPERATOR" or first.children[1].bare().kind == "BINARY_OPERATOR"):
            call, kind, operand = self.update(first)
            return f"{self.of(second.children[0])} = {call} {SIGN[kind]} ({operand});"
        self.check(first.kind == "BINARY_OPERATOR" and first.operator == "=")
        if second.kind == "BINARY_OPERATOR" and second.operator == "=" and \
                second.children[1].bare().kind != "BINARY_OPERATOR":  # x = value
            return f"{self.of(first.children[0])} = tw_atomic_exchange(&{self.place(second.children[0])}, " \
                   f"{self.of(second.children[1])}{self.order});"
        return f"{self.of(first.children[0])} = {self.update(second)[0]};"


def atomic_edit(source, directive, unit):
    """Returns the edit (start, end, text) of an atomic directive and its statement."""
    node = unit.statement_behind(directive)
    if node is None:
        raise Refused("atomic", "the statement of an atomic directive was not found", "write it by hand", directive.start)
    text = Atomic(source, directive, node).text
    return source.line_start(directive.start), node.end, source.indent_of(node.start) + text


def body_text(source, body, edits, mapped, braces=True):
    """Returns the text of a body with edits made, and `mapped` variables reached by pointers."""
    start, end = body.start, statement_end(source, body)
    if not braces and body.kind == "COMPOUND_STMT":
        start, end = start + 1, end - 1
    parts, position = [], start
    for first, last, text in sorted(edits):
        if first < start or last > end:
            continue
        parts += [source.text[position:first], text]
        position = last
    text = "".join(parts) + source.text[position:end]
    for name in mapped:
        text = replace_name(text, name)
    return text


def replace_name(text, name):
    """Writes (*name) for a name, but not for members of that name."""
    code = blank(text)
    parts, position = [], 0
    for match in re.finditer(rf"(?<![\w]){re.escape(name)}\b", code):
        before = code[:match.start()].rstrip()
        if before.endswith(".") or before.endswith("->"):
            continue
        parts += [text[position:match.start()], f"(*{name})"]
        position = match.end()
    return "".join(parts) + text[position:]
