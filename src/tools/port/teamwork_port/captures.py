# SPDX-License-Identifier: Apache-2.0
"""What a region takes from outside, and as what: pointers with their modes, values, mapped variables, reductions."""
import re

from .access import ASSIGNED, CHASE, READ, STORED, WRITE
from .calls import is_file_scope
from .clauses import map_items, reductions
from .source import Refused, identifiers
from .tree import (FUNCTIONS, Node, declare, is_array, is_const, is_pointer, is_record, is_reference, is_scalar, key_of, unqualified,
                   unqualified_text, without_const)

OPERATIONS = {"+": "TW_SUM", "-": "TW_SUM", "*": "TW_PRODUCT", "min": "TW_MIN", "max": "TW_MAX", "&": "TW_AND",
              "|": "TW_OR", "^": "TW_XOR", "&&": "TW_AND", "||": "TW_OR"}


class Capture:
    """One variable of the region.

    kind: "pointer" (a member that an accessor gives), "raw" (a pointer that is passed as it is), "value", "mapped" (a
    variable that the kernel reaches by a pointer), "assembled" (a struct that is made of members that are captures), "private", "last" (private, and stored by the last work-item),
    "constant" (copied as a declaration), "reduction".
    """

    def __init__(self, name, cursor, kind):
        self.name, self.cursor, self.kind = name, cursor, kind
        self.path = name     # what it is called outside of the kernel
        self.parts = []      # of an assembled struct: (member, capture)
        self.flags = 0
        self.type = ""       # of what the member holds, or points to
        self.operation = None
        self.logical = None  # the operator of a reduction by && or ||
        self.discard = None  # the number of elements that the kernel writes for certain
        self.is_view = False  # the variable is an array of the host, which decays
        self.is_parameter = False  # the type is a template's parameter
        self.is_shared = False  # a team has one copy, in local memory

    @property
    def mode(self):
        if not self.flags & WRITE:
            return "read"
        if not self.flags & READ:
            return "discard_write" if self.discard else "write"
        return "read_write"

    def pointer_type(self):
        """Returns the type of a pointer in the kernel."""
        return pointer_text(self.type, "", self.mode == "read").strip()


class Captures:
    """The captures of one region, in the order of their first use, and the map items that it begins with."""

    def __init__(self, unit, directive, body, loops):
        self.unit, self.directive, self.body = unit, directive, body
        self.skip = {key_of(loop.decl) for loop in loops}
        self.list, self.maps, self.notes = [], [], []
        self.by_name = {}
        self.clauses()
        for node in body.walk():
            if node.kind == "DECL_REF_EXPR" and node.cursor.referenced is not None:
                self.reference(node)
            elif node.kind == "TYPE_REF" and node.cursor.referenced is not None:
                self.local_type(node.cursor.referenced)
            elif node.kind == "CXX_THIS_EXPR" or (node.kind == "MEMBER_REF_EXPR" and not node.children):
                raise Refused("method", "the region uses members of its object", "copy them to variables before it",
                              node.start)
            elif node.kind == "OVERLOADED_DECL_REF":
                raise Refused("template", "the region depends on a template's parameters", "write it for one type")

    def clauses(self):
        directive = self.directive
        self.private = set(directive.names("private"))
        self.first = set(directive.names("firstprivate"))
        self.last = set(directive.names("lastprivate"))
        self.raw = set(directive.names("is_device_ptr", "has_device_addr"))
        self.reductions = reductions(directive)
        self.items, self.member_items = {}, {}
        for kind, item in map_items(directive):
            (self.member_items if item.member else self.items).setdefault(item.name, []).append((kind, item))
        for text in directive.all("defaultmap"):
            if text.split(":")[0].strip() not in ("none", "present", "default", "firstprivate"):
                raise Refused("defaultmap", f"defaultmap({text})", "map the variables by name")

    def reference(self, node):
        declared = node.cursor.referenced
        if declared is None or node.key in self.skip:
            return
        if declared.kind.name not in ("VAR_DECL", "PARM_DECL"):
            if declared.kind.name == "ENUM_CONSTANT_DECL":
                self.local_type(declared.semantic_parent)
            if declared.kind.name == "BINDING_DECL":
                raise Refused("structured binding", f"{declared.spelling} is a structured binding", "make it a variable",
                              node.start)
            return
        key = key_of(declared)
        if key in self.skip or self.inside(declared):
            return
        self.skip.add(key)
        capture = self.capture(declared, node)
        if capture is not None:
            self.list.append(capture)
            self.by_name[capture.name] = capture

    def local_type(self, declared):
        """Repeats a type in the kernel that the function declares before the region."""
        parent = declared.semantic_parent
        key = key_of(declared)
        if parent is None or parent.kind.name not in FUNCTIONS or key in self.skip or self.inside(declared) \
                or declared.kind.name.startswith("TEMPLATE"):
            return
        self.skip.add(key)
        for node in Node(declared).walk():
            if node.kind == "TYPE_REF" and node.cursor.referenced is not None:
                self.local_type(node.cursor.referenced)
            elif node.kind == "DECL_REF_EXPR":
                self.reference(node)
        capture = Capture(declared.spelling, declared, "constant")
        capture.type = self.declaration_text(key)
        self.list.append(capture)

    def declaration_text(self, key):
        """Returns the statement that declares a type."""
        whole = self.unit.template or list(self.body.ancestors())[-1]
        for node in whole.walk():
            if node.kind == "DECL_STMT" and any(key_of(child.cursor) == key for child in node.children):
                return self.unit.files[self.body.path].text[node.start:node.end]
        raise Refused("local type", f"the declaration of {key[2] or 'a type'} was not found", "declare it at file scope")

    def inside(self, declared):
        location, parent = declared.location, declared.semantic_parent
        if location.file is not None and location.file.name != self.body.path:  # of a file that the body includes
            return declared.kind.name == "VAR_DECL" and parent is not None and parent.kind.name in FUNCTIONS
        return location.file is not None and location.file.name == self.body.path and \
            self.body.start <= location.offset < self.body.end

    def capture(self, declared, node):
        """Returns the Capture of a variable; None if the kernel sees it as it is."""
        name, kind = declared.spelling, declared.type
        if is_reference(kind):
            kind = kind.get_pointee()
        if name in self.private:
            return self.plain(Capture(name, declared, "private"), kind)
        if name in self.last:
            return self.last_value(declared, kind, node)
        if name in self.reductions:
            return self.reduction(declared, kind, node)
        if self.unit.declared_for_target(declared):
            return None
        if is_const(kind) and is_scalar(kind) and name not in self.items:
            if is_file_scope(declared):
                return None
            constant = self.unit.constant_text(declared)
            if constant:
                capture = Capture(name, declared, "constant")
                capture.type = constant
                return capture
        members = self.split_uses(declared, kind)
        if members:
            return self.assembled(declared, kind, members, node)
        flags = self.unit.analysis.uses(self.body, key_of(declared))
        if is_record(kind):
            self.followed_members(declared)
        if flags & CHASE:
            raise Refused("pointer in memory", f"{name} leads to pointers that are followed",
                          "map the data itself, by a pointer of its own", node.start)
        if flags & STORED:
            raise Refused("pointer stored", f"the address of {name} is stored", "index it where it is used", node.start)
        if is_pointer(kind):
            return self.pointer(declared, kind, flags, node)
        if is_array(kind.get_canonical()):
            return self.array(declared, kind, flags, node)
        if is_scalar(kind):
            return self.scalar(declared, kind, flags, node)
        if is_record(kind):
            return self.record(declared, kind, flags, node)
        raise Refused("type", f"{name} has the type {kind.spelling}", "use numbers, structs, and pointers to them",
                      node.start)

    def plain(self, capture, kind):
        self.unit.check_type(kind, capture.name)
        written = self.written(capture.cursor)
        capture.type = unqualified_text(written.spelling) if is_array(kind) else unqualified(written)
        return capture

    def written(self, declared):
        """Returns the type of a variable as the source has it, without a reference."""
        kind = self.unit.written_type(declared)
        return kind.get_pointee() if is_reference(kind) else kind

    def reduction(self, declared, kind, node):
        name, operator = declared.spelling, self.reductions[declared.spelling]
        if operator not in OPERATIONS:
            raise Refused("reduction", f"reduction({operator} : {name})",
                          "reductions are +, -, *, min, max, &, |, ^, && and ||", node.start)
        if not is_scalar(kind) or kind.get_canonical().kind.name in ("COMPLEX", "LONGDOUBLE", "BOOL", "ENUM"):
            raise Refused("reduction", f"{name} is reduced, which has the type {kind.spelling}",
                          "reduce numbers; arrays by TW_REDUCTION_ARRAY", node.start)
        capture = self.plain(Capture(name, declared, "reduction"), kind)
        capture.operation = OPERATIONS[operator]
        if operator in ("&&", "||"):
            capture.logical = operator
            self.notes.append((node.start, f"{name} keeps its own value, and not 1, if it was another one than 0 and all are true"
                               if operator == "&&" else f"{name} may get another value than 1, if it was neither 0 nor 1"))
        capture.is_parameter = self.unit.is_parameter(capture.type)
        if name not in self.items:
            self.maps.append(("tofrom", f"&{name}", "0", "1"))
        else:
            self.add_items(name, kind)
        return capture

    def last_value(self, declared, kind, node):
        name = declared.spelling
        if not is_scalar(kind) or name in self.first:
            raise Refused("clause", f"lastprivate({name}), which is no number, or firstprivate too",
                          "let the last iteration write to an element that is mapped", node.start)
        if name in self.items:
            self.add_items(name, kind)
        else:
            self.maps.append(("tofrom", f"&{name}", "0", "1"))
            self.notes.append((node.start, f"{name} has its last value behind the region, as OpenMP says; regions of clang 19 "
                               f"give it to the host with map(tofrom : {name}) alone"))
        return self.plain(Capture(name, declared, "last"), kind)

    def pointer(self, declared, kind, flags, node):
        name = declared.spelling
        pointee = kind.get_canonical().get_pointee()
        if pointee.kind.name == "FUNCTIONPROTO":
            raise Refused("call", f"{name} is a pointer to a function", "call a function by its name", node.start)
        # OpenMP passes a firstprivate pointer as it is, too
        capture = Capture(name, declared, "raw" if name in self.raw | self.first else "pointer")
        capture.flags = flags
        capture.type = self.pointee_text(self.written(declared))
        self.unit.check_type(pointee, name)
        if pointee.is_volatile_qualified() and self.is_waited_for(key_of(declared)):
            self.notes.append((node.start, f"{name} is volatile: a work-item that waits for another one may wait forever"))
        if name in self.items:
            if any(not item.sections for _, item in self.items[name]):
                raise Refused("map item", f"the pointer {name} itself is mapped", "map a section of it", node.start)
            self.add_items(name, kind)
        return capture

    def is_waited_for(self, key):
        """Returns true if a loop without a count uses a variable."""
        return any(node.key == key and any(above.kind in ("WHILE_STMT", "DO_STMT") for above in node.ancestors())
                   for node in self.body.names())

    def pointee_text(self, kind):
        """Returns what a pointer type points to, as text without const."""
        spelled = unqualified(kind)
        if not is_pointer(kind):
            raise Refused("template", f"the type {spelled} is a pointer for some instantiations", "write it as T *")
        if kind.kind.name == "POINTER":
            return without_const(kind.get_pointee().spelling)
        pointee = kind.get_canonical().get_pointee()
        return without_const(pointee.spelling) if spelled else ""

    def array(self, declared, kind, flags, node):
        name = declared.spelling
        canonical = kind.get_canonical()
        element = canonical.get_array_element_type()
        if element.kind.name == "VARIABLEARRAY":
            raise Refused("variable length", f"{name} has rows of variable length", "index one dimension", node.start)
        for part in self.body.walk():
            if part.kind == "CXX_UNARY_EXPR" and any(
                    below.kind == "DECL_REF_EXPR" and below.cursor.spelling == name for below in part.walk()):
                raise Refused("sizeof", f"sizeof({name}) would be that of a pointer", "write the number", node.start)
        if name in self.first and flags & WRITE:
            raise Refused("firstprivate array", f"each thread has an array {name} of its own, with the host's values",
                          "declare it in the body", node.start)
        capture = Capture(name, declared, "raw" if name in self.raw else "pointer")
        capture.flags, capture.is_view = flags, True
        written = self.written(declared)
        spelled = written.get_array_element_type() if is_array(written) else element
        capture.type = without_const(spelled.spelling)
        self.unit.check_type(element, name)
        if name in self.items:
            self.add_items(name, kind)
        elif name not in self.raw and declared.kind.name != "PARM_DECL":
            self.maps.append(("tofrom" if flags & WRITE else "to", name, "0", f"TW_PORT_COUNT({name})"))
        return capture

    def scalar(self, declared, kind, flags, node):
        name = declared.spelling
        if name in self.items:
            return self.mapped(declared, kind, flags)
        capture = self.plain(Capture(name, declared, "value"), kind)
        capture.flags = flags
        if flags & WRITE and name not in self.first:
            self.notes.append((node.start, f"{name} is written: each work-item has its own, as with firstprivate({name})"))
        return capture

    def record(self, declared, kind, flags, node):
        name = declared.spelling
        if name in self.items:
            return self.mapped(declared, kind, flags)
        self.unit.check_copied(kind, name)
        if name in self.first or (not flags & WRITE and name not in self.unit.mapped_names and not is_file_scope(declared)):
            capture = self.plain(Capture(name, declared, "value"), kind)
            capture.flags = flags
            return capture
        self.maps.append(("tofrom" if flags & WRITE else "to", f"&{name}", "0", "1"))
        return self.mapped(declared, kind, flags)

    def mapped(self, declared, kind, flags):
        """A variable that the kernel reaches by a pointer."""
        name = declared.spelling
        if name in self.items:
            if any(item.sections for _, item in self.items[name]):
                raise Refused("map item", f"a section of {name} is mapped, which is no array", "map the variable")
            self.add_items(name, kind)
        self.check_spelling(declared)
        capture = self.plain(Capture(name, declared, "mapped"), kind)
        capture.flags = flags
        return capture

    def check_spelling(self, declared):
        """Refuses names of mapped variables that the text of the body does not show, or shows for something else: they are
        replaced there."""
        name, key = declared.spelling, key_of(declared)
        for node in self.body.walk():
            if node.kind == "DECL_REF_EXPR" and node.key == key \
                    and self.unit.current.text[node.start:node.end] != name:
                raise Refused("macro", f"{name} is mapped, and used in a macro", "write the macro out", node.start)
            if node.kind in ("VAR_DECL", "PARM_DECL") and node.cursor.spelling == name:
                raise Refused("name", f"the body declares another {name} than the mapped one", "rename one", node.start)

    def split_uses(self, declared, kind):
        """Returns [the node of a member] for all uses of a struct, or of a pointer to one, if some of its members are mapped
        pointers; or if it has pointers, and the body reads others of its members alone. Else an empty list."""
        name, key, found, is_split = declared.spelling, key_of(declared), [], False
        record = kind.get_canonical().get_pointee() if is_pointer(kind) else kind
        if not is_record(record) or name in self.items or self.unit.template is not None:
            return []
        for node in self.body.names():
            if node.key != key:
                continue
            above = node.parent
            while above is not None and above.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR"):
                above = above.parent
            if above is None or above.kind != "MEMBER_REF_EXPR":
                if name in self.member_items:
                    raise Refused("map item", f"members of {name} are mapped, which is used as a whole", "copy the pointers to "
                                  "variables and map sections of these", node.start)
                return []
            found.append(above)
            is_split |= is_pointer(above.type) and above.cursor.spelling in self.unit.mapped_members
        if is_split or name in self.member_items:
            return found
        reads = all(is_scalar(member.type) and not self.unit.analysis.use(member, self.body, frozenset({key}), 1) & WRITE
                    for member in found)
        has_pointers = not is_pointer(kind) and any(is_pointer(field.type) for field in record.get_canonical().get_fields())
        return found if has_pointers and reads and not is_file_scope(declared) and name not in self.unit.mapped_names else []

    def assembled(self, declared, kind, members, node):
        """A struct that the kernel makes of the members that it uses: mapped pointers, and numbers."""
        name, is_reached = declared.spelling, is_pointer(kind)
        record = kind.get_canonical().get_pointee() if is_reached else kind
        self.unit.check_copied(record, name)
        self.unit.check_type(record, name)
        capture, parts = Capture(name, declared, "assembled"), {}
        written = self.written(declared)
        capture.type = unqualified(written.get_pointee() if written.kind.name == "POINTER" else record if is_reached else written)
        capture.is_view = is_reached
        for member in members:
            field, pointer = member.cursor.spelling, is_pointer(member.type)
            if not pointer and not is_scalar(member.type) or pointer and field not in self.unit.mapped_members:
                raise Refused("pointer in struct", f"{name} has mapped members, and the body uses {field}, which is none and no "
                              "number", "copy it to a variable before the region", member.start)
            if not pointer and field in self.unit.kept_members:
                self.kept_member(name, field, member)
            part = parts.setdefault(field, Capture(f"{name}_{field}", declared, "pointer" if pointer else "value"))
            part.flags |= self.unit.analysis.use(member, self.body, frozenset({key_of(declared)}), 0 if pointer else 1)
            part.path, part.field_type = f"{name}{'->' if is_reached else '.'}{field}", member.type
            if part.flags & (CHASE | STORED | ASSIGNED) or not pointer and part.flags & WRITE:
                raise Refused("pointer in struct", f"the member {part.path} is changed, stored, or leads to pointers",
                              "copy it to a variable before the region", member.start)
        for field, part in parts.items():
            if part.name in identifiers(self.unit.current.code[self.body.start:self.body.end]):
                raise Refused("name", f"the body has a name {part.name}", "rename it", node.start)
            self.unit.check_type(part.field_type, part.path)
            part.type = self.pointee_text(part.field_type) if part.kind == "pointer" else unqualified(part.field_type)
            capture.parts.append((field, part))
            self.list.append(part)
            self.by_name[part.name] = part
        self.add_member_items(name, declared.type)
        return capture

    def kept_member(self, name, field, member):
        """Refuses a number that a data directive maps, if the file changes it: the device would have another one than the host."""
        changed = re.compile(rf"(?:\.|->)\s*{field}\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*[\w.>()-]*{field}\b")
        if changed.search(self.unit.current.code):
            raise Refused("map item", f"a data directive maps a number {field} of a struct, which the file changes",
                          "copy it to a variable before the region", member.start)
        note = f"the kernel takes {field} of {name} from the host, not what a data directive has mapped"
        if note not in (text for _, text in self.notes):
            self.notes.append((member.start, note))

    def add_member_items(self, name, kind):
        for map_kind, item in self.member_items.pop(name, ()):
            if item.sections or not is_scalar(self.unit.member_type(item, kind)):
                self.maps.append((map_kind, *self.unit.section(item, kind)))

    def followed_members(self, declared):
        """Refuses pointers in structs that the body follows: they are the host's."""
        key = key_of(declared)
        for node in self.body.names():
            if node.key != key:
                continue
            for above in node.ancestors():
                if above.kind == "MEMBER_REF_EXPR" and is_pointer(above.type):
                    raise Refused("pointer in struct", f"the pointer {declared.spelling}.{above.cursor.spelling} is that of "
                                  "the host", "copy it to a variable before the region", node.start)
                if above is self.body or above.kind.endswith("STMT"):
                    break

    def add_items(self, name, kind):
        for map_kind, item in self.items.pop(name):
            self.maps.append((map_kind, *self.unit.section(item, kind)))

    def finish(self):
        """Adds the map items of variables that the body does not use."""
        for name in list(self.member_items):
            kind = self.unit.type_of_name(name, self.directive.start)
            if kind is None:
                raise Refused("map item", f"{name} is mapped, whose declaration was not found", "declare it before")
            self.add_member_items(name, kind)
        for name, items in list(self.items.items()):
            kind = self.unit.type_of_name(name, self.directive.start)
            if kind is None:
                raise Refused("map item", f"{name} is mapped, whose declaration was not found", "declare it before")
            self.add_items(name, kind)


def member_text(capture):
    """Returns the declaration of a capture's member in the block; None if it has none."""
    if capture.kind in ("private", "constant", "assembled"):
        return None
    if capture.kind == "last":
        return f"{declare(capture.type + ' *', 'last_' + capture.name)};"
    if capture.kind == "reduction":
        return f"TW_REDUCTION({capture.type}, {capture.operation}) {capture.name};"
    if capture.kind == "value":
        return declare(capture.type, capture.name) + ";"
    return pointer_text(capture.type, capture.name, capture.mode == "read") + ";"


def pointer_text(pointee, name, const):
    """Returns the declaration of a pointer to a type: of "double[3]" and "double *" too."""
    if pointee.endswith("*"):
        return f"{pointee}{'const ' if const else ''}*{name}"
    if "[" in pointee:
        head, _, tail = pointee.partition("[")
        return f"{'const ' if const else ''}{head.rstrip()} (*{name})[{tail}"
    return f"{'const ' if const else ''}{pointee} *{name}"
