# SPDX-License-Identifier: Apache-2.0
"""Data directives as calls of teamwork_port.h."""
import re

from .body import statement_end
from .clauses import map_items, motion_items
from .kernel import fill
from .source import Refused

IGNORED = {"map", "to", "from", "nowait", "depend", "device"}


def is_data(directive):
    return directive.words in ("target data", "target enter data", "target exit data", "target update")


def items_of(unit, directive):
    """Returns the items of a directive as texts of teamwork_port.h; None if they are variables that the device has."""
    kinds = motion_items(directive) if directive.words == "target update" else map_items(directive)
    texts, on_device = [], 0
    for kind, item in kinds:
        cursor = unit.cursor_of_name(item.name, directive.start)
        if cursor is None:
            raise Refused("map item", f"the declaration of {item.name} was not found", "declare it before", directive.start)
        if unit.declared_for_target(cursor):
            on_device += 1
            continue
        texts.append(f"TW_PORT_{kind.upper()}({', '.join(unit.section(item, cursor.type))})")
    if on_device and texts:
        raise Refused("declare target", "variables of the device and mapped ones are in one directive", "make two of it",
                      directive.start)
    return None if on_device else texts


def data_edits(unit, source, directive, number):
    """Returns the edits of a data directive, none if it stays as it is and is right there."""
    for clause in directive.clauses:
        if clause.name in ("use_device_ptr", "use_device_addr"):
            raise Refused("use_device_ptr", f"{clause.name}({clause.text})",
                          "give what needs the address a native task (docs/interop.md)", directive.start)
        if clause.name == "if" and directive.words != "target data":
            continue
        if clause.name not in IGNORED and not unit.is_nowait(clause.name) or clause.name == "device" and clause.text.strip() != "0":
            raise Refused("clause", f"{clause.name}({clause.text or ''})", "see docs/porting.md", directive.start)
    texts = items_of(unit, directive)
    if texts is None:
        return []
    indent = source.indent_of(directive.start)
    start, end = source.line_start(directive.start), directive.end
    call = {"target enter data": "ENTER", "target exit data": "EXIT", "target update": "UPDATE"}.get(directive.words)
    if call:
        if unit.top_level(source.path, directive.start) is None:
            raise Refused("not compiled", "it is not in a function that is compiled", "give the tool the macros",
                          directive.start)
        conditions = [clause.text for clause in directive.clauses if clause.name == "if"]
        if not conditions:
            return [(start, end, fill(f"{indent}TW_PORT_{call}(", texts, ");"))]
        condition = re.sub(r"^\s*target\s+(?:(?:enter|exit)\s+data|update)\s*:(?!:)", "", conditions[0]).strip()
        inside = fill(f"{indent}    TW_PORT_{call}(", texts, ");")
        return [(start, end, f"{indent}if ({condition}) {{\n{inside}\n{indent}}}")]
    node = unit.statement_behind(directive)
    if node is None:
        raise Refused("not compiled", "no statement was found behind it", "give the tool the macros that switch it on",
                      directive.start)
    if not texts:
        return [(start, source.next_line(end), "")]
    if directive.guard and not unit.is_compiled(source, directive):
        raise Refused("not compiled", "its branch of the preprocessor is not compiled",
                      "give the tool the macros that switch it on", directive.start)
    behind = statement_end(source, node)
    name = f"maps_{number}"
    head, tail = fill(f"{indent}TW_PORT_BEGIN({name}, ", texts, ");"), f"\n{indent}TW_PORT_END({name});"
    if directive.guard:
        tail = f"\n{directive.guard.head}{tail}\n#endif"
        if node.parent is None or node.parent.kind != "COMPOUND_STMT" or directive.guard.has_other:
            raise Refused("preprocessor", "lines of the preprocessor stand between the directive and its statement",
                          "put them around functions", directive.start)
    if node.parent is None or node.parent.kind != "COMPOUND_STMT":
        head, tail = f"{indent}{{\n{head}", f"{tail}\n{indent}}}"
    return [(start, end, head), (behind, behind, tail)]
