# SPDX-License-Identifier: Apache-2.0
"""Loop nests in OpenMP's canonical form."""
import re

from .source import Refused, closing, split
from .tree import is_pointer, is_scalar, key_of, unqualified

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


class Loop:
    """One loop: `var` runs from `lower` to `end`, which it reaches if `inclusive`, in steps of `step`, a text with a
    minus if it runs downward."""

    def __init__(self, node):
        self.node = node
        self.is_changed = False  # the body changes the variable, which OpenMP does not allow


def not_canonical(node, what):
    return Refused("loop", f"the loop is not in canonical form: {what}",
                   "write it as for (int i = first; i < end; i += step)", node.start)


def variable_of(node):
    """Returns the variable that an expression is; None if it is anything else."""
    node = node.bare()
    return node.cursor.referenced if node.kind == "DECL_REF_EXPR" else None


def parse_init(loop, node, text):
    if node.kind == "DECL_STMT" and len(node.children) == 1 and node.children[0].kind == "VAR_DECL":
        declaration = node.children[0]
        values = [child for child in declaration.children if child.kind not in ("TYPE_REF", "NAMESPACE_REF")]
        if len(values) != 1:
            raise not_canonical(node, "its variable has no first value")
        loop.decl, first = declaration.cursor, values[0]
    elif node.kind == "BINARY_OPERATOR" and node.operator == "=" and variable_of(node.children[0]) is not None:
        loop.decl, first = variable_of(node.children[0]), node.children[1]
    else:
        raise not_canonical(node, "it does not begin with one variable")
    loop.var, loop.type = loop.decl.spelling, unqualified(loop.decl.type)
    if is_pointer(loop.decl.type) or not is_scalar(loop.decl.type):
        raise Refused("loop", f"the loop's variable {loop.var} is a pointer or an iterator", "count with an integer",
                      node.start)
    loop.lower = text[first.start:].strip()
    loop.lower_node = first


def parse_condition(loop, node, text):
    if node.kind != "BINARY_OPERATOR" or node.operator not in FLIPPED:
        raise not_canonical(node, "its condition is no comparison")
    left, right = node.children
    loop.comparison, key = node.operator, key_of(loop.decl)
    variable = variable_of(left)
    if variable is not None and key_of(variable) == key:
        loop.end, loop.end_node = text[right.start:].strip(), right
        return
    variable = variable_of(right)
    if variable is None or key_of(variable) != key:
        raise not_canonical(node, "its condition does not compare its variable")
    loop.comparison = FLIPPED[loop.comparison]
    head = text[left.start:right.start].rstrip()
    loop.end, loop.end_node = re.sub(r"(<=|>=|<|>|!=)$", "", head).strip(), left


def parse_step(loop, node, text):
    variable = variable_of(node.children[0]) if node.children else None
    if variable is None or key_of(variable) != key_of(loop.decl):
        raise not_canonical(node, "its step changes something else than its variable")
    operator = node.operator
    if node.kind == "UNARY_OPERATOR" and operator.endswith(("++", "--")):
        loop.step = "1" if operator.endswith("++") else "-1"
        return
    if node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" and operator in ("+=", "-="):
        loop.step_node = node.children[1]
    elif node.kind == "BINARY_OPERATOR" and operator == "=":
        sum_of = node.children[1].bare()
        operator = sum_of.operator
        if operator not in ("+", "-") or variable_of(sum_of.children[0]) is None:
            raise not_canonical(node, "its step is neither an addition nor a subtraction")
        if key_of(variable_of(sum_of.children[0])) != key_of(loop.decl):
            raise not_canonical(node, "its step does not add to its variable")
        loop.step_node = sum_of.children[1]
    else:
        raise not_canonical(node, "its step is neither an addition nor a subtraction")
    step = text[loop.step_node.start:].strip()
    loop.step = step if operator.startswith("+") else f"-({step})" if not step.isalnum() else f"-{step}"


class Header:
    """The three parts of a for statement's parentheses; text[offset:] is the rest of the part from an offset on."""

    def __init__(self, source, begin, end):
        self.source, self.end = source, end

    def __getitem__(self, where):
        stop = self.end if where.stop is None else where.stop
        return self.source.text[where.start:stop]


def expanded(source, start):
    """Returns the text of a macro that is called at an offset, as FOR_EACH(i, n); None if it is none of this file."""
    call = re.compile(r"(\w+)\s*\(").match(source.code, start)
    define = call and re.search(rf"^[ \t]*#[ \t]*define[ \t]+{call.group(1)}\(([\w\s,]*)\)"
                                r"((?:[^\n\\]|\\[ \t\r]*\n)*)", source.code, re.M)
    if not define:
        return None
    names = split(define.group(1))
    values = split(source.text[call.end():call.end() + closing(source.code[call.end() - 1:], 0) - 1])
    text = re.sub(r"\\[ \t\r]*\n", " ", define.group(2))
    if len(names) != len(values) or "#" in text:
        return None
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda match: values[names.index(match.group())] if match.group() in names
                  else match.group(), text).strip()


def parse_macro(source, node):
    """Returns the Loop of a for statement whose head is a macro."""
    text = expanded(source, node.start)
    head = re.fullmatch(r"for\s*\((.*)\)", text, re.S) if text else None
    parts = split(head.group(1), ";") if head else []
    declared = node.children[0].children if node.children[0].kind == "DECL_STMT" else []
    if len(parts) != 3 or len(declared) != 1 or is_pointer(declared[0].type) or not is_scalar(declared[0].type):
        raise not_canonical(node, "its head is a macro that cannot be read")
    loop = Loop(node)
    loop.decl, loop.var, loop.type = declared[0].cursor, declared[0].cursor.spelling, unqualified(declared[0].type)
    condition = re.fullmatch(rf"{loop.var}\s*(<=|>=|<|>|!=)\s*(.*)", parts[1], re.S)
    step = re.fullmatch(rf"(?:{loop.var}\s*(\+\+|--)|(\+\+|--)\s*{loop.var}|{loop.var}\s*(\+=|-=)\s*(.*))", parts[2], re.S)
    if not condition or not step or "=" not in parts[0]:
        raise not_canonical(node, "its head is a macro that cannot be read")
    loop.lower, loop.lower_node = parts[0].split("=", 1)[1].strip(), declared[0].children[-1]
    loop.comparison, loop.end = condition.groups()
    loop.end_node, loop.step_node = node.children[1].children[1], None
    sign, loop.step = step.group(1) or step.group(2) or step.group(3), step.group(4) or "1"
    if sign.startswith("-"):
        loop.step = f"-({loop.step})" if not loop.step.isalnum() else f"-{loop.step}"
    return loop


def parse_loop(source, node):
    """Returns the Loop of a FOR_STMT node."""
    if len(node.children) != 4:
        raise not_canonical(node, "a part of it is empty")
    loop = parse_parts(source, node) if source.code.startswith("for", node.start) else parse_macro(source, node)
    loop.body = node.children[3]
    down = loop.step.startswith("-")
    if loop.comparison == "!=":
        if loop.step not in ("1", "-1"):
            raise not_canonical(node, "it compares by != and its step is not 1")
        loop.comparison = ">" if down else "<"
    if down != loop.comparison.startswith(">"):
        raise not_canonical(node, "its step leads away from its end")
    loop.inclusive = loop.comparison.endswith("=")
    return loop


def parse_parts(source, node):
    """Returns the Loop of a FOR_STMT node, without what its parts say together."""
    code = source.code[node.start:node.end]
    opening = code.find("(")
    end = closing(code, opening)
    parts, depth = [opening], 0
    for i in range(opening + 1, end):
        depth += code[i] in "([{"
        depth -= code[i] in ")]}"
        if code[i] == ";" and depth == 0:
            parts.append(i)
    if len(parts) != 3:
        raise not_canonical(node, "its head cannot be read")
    loop = Loop(node)
    loop.step_node = None
    parse_init(loop, node.children[0], Header(source, node.start + parts[0], node.start + parts[1]))
    parse_condition(loop, node.children[1], Header(source, node.start + parts[1], node.start + parts[2]))
    parse_step(loop, node.children[2], Header(source, node.start + parts[2], node.start + end))
    return loop


def only_statement(node):
    """Returns the one statement in a block; the node itself if it is no block."""
    while node.kind == "COMPOUND_STMT" and len(node.children) == 1:
        node = node.children[0]
    return node


def parse_nest(source, node, depth):
    """Returns the list of `depth` loops that stand directly in each other, the outermost first."""
    nest = []
    for level in range(depth):
        node = only_statement(node)
        if node.kind != "FOR_STMT":
            what = "range-based for" if node.kind == "CXX_FOR_RANGE_STMT" else "no loop"
            raise Refused("loop", f"there is {what} where loop {level + 1} of {depth} should be",
                          "let the loops stand directly in each other", node.start)
        loop = parse_loop(source, node)
        outer = {key_of(other.decl) for other in nest}
        for part in (loop.lower_node, loop.end_node, loop.step_node):
            for used in part.walk() if part else ():
                if used.kind == "DECL_REF_EXPR" and used.key in outer:
                    raise Refused("loop", f"the bounds of the loop over {loop.var} depend on an outer loop",
                                  "collapse fewer loops", node.start)
        nest.append(loop)
        node = loop.body
    return nest
