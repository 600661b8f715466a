# SPDX-License-Identifier: Apache-2.0
"""How code uses a variable: what it reads and writes, through pointers that it derives, in functions that it calls too.

A use is followed upward from the name: through indices, `*`, `.` and `->` to what is done with the place that they
lead to. What is not understood counts as reading and writing.
"""
from .tree import Node, is_array, is_const, is_pointer, is_reference, key_of

READ, WRITE = 1, 2
CHASE = 4      # a pointer is loaded from the memory and followed
NONCONST = 8   # the pointer goes to a place of type pointer to non-const
ASSIGNED = 16  # the pointer variable itself gets another value
STORED = 32    # the pointer is stored where it is not followed
BOTH = READ | WRITE

CASTS = ("UNEXPOSED_EXPR", "PAREN_EXPR", "CSTYLE_CAST_EXPR", "CXX_STATIC_CAST_EXPR", "CXX_REINTERPRET_CAST_EXPR",
         "CXX_CONST_CAST_EXPR", "CXX_FUNCTIONAL_CAST_EXPR")


class Analysis:
    """Answers for one translation unit; remembers what functions do with their parameters."""

    def __init__(self):
        self.trees, self.parameters = {}, {}

    def definition(self, cursor):
        """Returns the tree of a function's definition; None if the unit has none."""
        found = cursor.get_definition() if cursor is not None else None
        if found is None or found.kind.name not in ("FUNCTION_DECL", "CXX_METHOD"):
            return None
        key = key_of(found)
        if key not in self.trees:
            self.trees[key] = Node(found)
        return self.trees[key]

    def uses(self, scope, key, seen=None):
        """Returns the flags of all uses of a variable in a node."""
        flags = 0
        seen = (seen or frozenset()) | {key}
        for node in scope.names():
            if node.key == key:
                flags |= self.use(node, scope, seen)
        return flags

    def use(self, node, scope, seen, loads=None):
        """Returns the flags of one use: of a name, or of an expression that has been derived from it. `loads` is 1 if the
        expression is a place in memory that has been followed to, and 0 if it is a pointer that can be."""
        val = current = node  # the type of `val` says what has been reached
        if loads is None:  # a variable that is no pointer is memory itself
            loads = 0 if is_pointer(node.type) or is_array(node.type.get_canonical()) else 1
        while current.parent is not None and current is not scope:
            parent = current.parent
            kind = parent.kind
            address = is_pointer(val.type) or is_array(val.type.get_canonical())
            loaded_pointer = loads > 0 and is_pointer(val.type)
            if kind in CASTS and kind != "CXX_FUNCTIONAL_CAST_EXPR":
                if kind not in ("UNEXPOSED_EXPR", "PAREN_EXPR") and is_pointer(parent.type) and not loaded_pointer:
                    val = parent
                    if not is_const(parent.type.get_canonical().get_pointee()):
                        return NONCONST | self.use(parent, scope, seen, 0)
                current = parent
            elif kind == "ARRAY_SUBSCRIPT_EXPR":
                if parent.children[0] is not current:
                    return READ if loads else 0
                if loaded_pointer:
                    return READ | CHASE
                loads, val, current = 1, parent, parent
            elif kind == "MEMBER_REF_EXPR":
                if parent.cursor.referenced is not None and parent.cursor.referenced.kind.name == "CXX_METHOD":
                    return READ if parent.cursor.referenced.is_const_method() else BOTH
                if address:
                    if loaded_pointer:
                        return READ | CHASE
                    loads = 1
                val, current = parent, parent
            elif kind == "UNARY_OPERATOR":
                operator = parent.operator
                if operator == "*":
                    if loaded_pointer:
                        return READ | CHASE
                    loads, val, current = 1, parent, parent
                elif operator == "&":
                    loads, val, current = 0, parent, parent
                elif operator.endswith(("++", "--")):
                    if loads:
                        return BOTH
                    if current.bare() is node:
                        return ASSIGNED | self.use(parent, scope, seen, 0)
                    return BOTH
                else:
                    return READ if loads else 0
            elif kind == "BINARY_OPERATOR":
                return self.binary(current, parent, val, loads, scope, seen, node)
            elif kind == "COMPOUND_ASSIGNMENT_OPERATOR":
                if parent.children[0] is current:
                    return BOTH if loads else ASSIGNED
                return READ if loads else 0
            else:
                return self.statement(current, parent, val, loads, scope, seen)
        return READ if loads else 0

    def binary(self, current, parent, val, loads, scope, seen, node):
        operator = parent.operator
        pointer = is_pointer(val.type) or is_array(val.type.get_canonical())
        if operator == "=":
            if parent.children[0] is current:
                if loads:
                    return WRITE
                return ASSIGNED
            if not pointer:
                return READ if loads else 0
            if loads and is_pointer(val.type):  # a pointer in memory is read and kept
                return READ | CHASE
            target = parent.children[0].bare()
            if target.kind == "DECL_REF_EXPR":
                return self.alias(target.cursor.referenced, scope, seen)
            return STORED | BOTH
        if operator in ("+", "-") and pointer and is_pointer(parent.type):
            if loads and is_pointer(val.type):
                return READ | CHASE
            return self.use(parent, scope, seen, 0)
        if operator == ",":
            return self.use(parent, scope, seen, loads) if parent.children[1] is current else 0
        return READ if loads and not is_array(val.type.get_canonical()) else 0

    def alias(self, declaration, scope, seen):
        """Returns the flags of a local variable that holds the pointer, or refers to the element."""
        if declaration is None:
            return STORED | BOTH
        key = key_of(declaration)
        if key in seen:
            return 0
        pointee = declaration.type.get_canonical().get_pointee()
        flags = self.uses(scope, key, seen) & ~ASSIGNED
        if not is_const(pointee):
            flags |= NONCONST
        return flags

    def statement(self, current, parent, val, loads, scope, seen):
        kind = parent.kind
        pointer = is_pointer(val.type) or is_array(val.type.get_canonical())
        value = READ if loads else 0
        if kind == "CONDITIONAL_OPERATOR":
            if parent.children[0] is current:
                return value
            return self.use(parent, scope, seen, loads) if pointer or loads else 0
        if kind == "VAR_DECL":
            declared = parent.cursor.type
            if is_reference(declared):
                if is_const(declared.get_pointee()):
                    return READ
                return self.alias(parent.cursor, scope, seen)
            if pointer and is_pointer(declared):
                if loads and is_pointer(val.type):
                    return READ | CHASE if self.uses(scope, key_of(parent.cursor), seen) else READ
                return self.alias(parent.cursor, scope, seen)
            return value
        if kind == "CALL_EXPR":
            return self.argument(current, parent, val, loads, pointer, seen)
        if kind in ("CXX_UNARY_EXPR", "UNARY_EXPR_OR_TYPE_TRAIT"):
            return 0
        if kind == "INIT_LIST_EXPR":
            return STORED | BOTH if pointer and not loads else value
        if pointer and not loads and kind in ("RETURN_STMT", "CXX_NEW_EXPR", "LAMBDA_EXPR"):
            return STORED | BOTH
        return value

    def argument(self, current, call, val, loads, pointer, seen):
        """Returns the flags of an argument of a call."""
        arguments = list(call.cursor.get_arguments())
        index = next((i for i, argument in enumerate(arguments) if argument is not None
                      and argument.extent.start.offset == current.start and argument.extent.end.offset == current.end), None)
        callee = call.cursor.referenced
        if index is None or callee is None:
            if callee is not None and callee.kind.name == "CXX_METHOD" and callee.is_const_method():
                return READ
            return BOTH | (STORED if pointer and not loads else 0)
        parameters = list(callee.get_arguments())
        if callee.kind.name == "CXX_METHOD" and len(parameters) == len(arguments) - 1:
            if index == 0:  # an operator: the object itself
                return READ if callee.is_const_method() else BOTH
            index -= 1
        if index >= len(parameters):  # a variable number of arguments
            return BOTH if pointer else READ
        parameter = parameters[index]
        by_reference = is_reference(parameter.type)
        if by_reference:
            if is_const(parameter.type.get_pointee()) and not pointer:
                return READ
        elif not pointer:
            return READ if loads else 0
        elif loads and is_pointer(val.type):
            return READ | CHASE
        elif is_const(parameter.type.get_canonical().get_pointee()):
            return READ
        inside = self.parameter(callee, index)
        return (BOTH if inside is None else inside) | NONCONST

    def parameter(self, callee, index):
        """Returns what a function does with what a parameter leads to; None if that cannot be known."""
        tree = self.definition(callee)
        if tree is None:
            return None
        key = (key_of(tree.cursor), index)
        if key not in self.parameters:
            self.parameters[key] = BOTH  # of recursion
            parameters = list(tree.cursor.get_arguments())
            self.parameters[key] = self.uses(tree, key_of(parameters[index])) & ~ASSIGNED
        return self.parameters[key]

