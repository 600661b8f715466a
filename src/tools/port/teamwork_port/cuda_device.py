# SPDX-License-Identifier: Apache-2.0
"""Functions of CUDA's devices: which of them need the work-item, what they must not have, and shared memory."""
import re

from . import cuda_names as names
from .calls import ALLOWED
from .cuda_kernel import is_copied
from .cuda_unit import body_of, calls, evaluate, marks
from .source import Refused, identifiers, split
from .tree import is_array, is_pointer, is_record

NOT_IN_KERNELS = ("CXX_NEW_EXPR", "CXX_DELETE_EXPR", "CXX_THROW_EXPR", "CXX_TRY_STMT", "CXX_DYNAMIC_CAST_EXPR",
                  "CXX_TYPEID_EXPR", "ASM_STMT", "MS_ASM_STMT")
LIBRARY = ALLOWED | {"printf", "operator()", "get", "infinity", "lowest", "quiet_NaN"}


def item_names(units, macro_texts):
    """Returns {name: whether it has a barrier} of the device functions and macros that need the work-item."""
    texts = {name: [text] for name, text in macro_texts.items()}
    for unit in units:
        for node in unit.functions:
            if "device" in marks(node) and body_of(node) is not None:
                texts.setdefault(node.cursor.spelling, []).append(unit.files[node.path].code[node.start:node.end])
    found = {}
    direct = set(names.IDS) | names.CALLS_OF_ITEM
    for name, parts in texts.items():
        words = set().union(*(identifiers(text) for text in parts))
        if words & direct:
            found[name] = bool(words & names.BARRIERS)
    known = None
    while known != found:
        known = dict(found)
        for name, parts in texts.items():
            used = [other for other in known if other != name and any(
                calls(text, other) or other in macro_texts and other in identifiers(text) for text in parts)]
            if used:
                found[name] = found.get(name, False) or any(known[other] for other in used)
    return found


def check_device_function(unit, node):
    """Refuses what kernels cannot have."""
    body = body_of(node)
    if "__CUDA_ARCH__" in unit.files[node.path].code[node.start:node.end]:
        raise Refused("preprocessor", f"{node.cursor.spelling}() depends on __CUDA_ARCH__", "decide the condition by hand",
                      unit.files[node.path].code.index("__CUDA_ARCH__", node.start))
    for part in body.walk():
        if part.kind in NOT_IN_KERNELS:
            raise Refused("not in kernels", f"the function has {part.kind.lower().replace('_', ' ')}",
                          "kernels have none of it", part.start)
        if part.kind == "CALL_EXPR":
            check_call(unit, part)
        if part.kind == "VAR_DECL":
            check_variable(part)
    for child in node.children:
        if child.kind == "PARM_DECL" and is_volatile(child.cursor.type) and "global" not in marks(node):
            raise warp_synchronous(child)
    if "<<<" in unit.files[node.path].code[body.start:body.end]:
        raise Refused("launch", "a kernel launches another one", "launch it from the host", node.start)


def is_volatile(kind):
    while is_pointer(kind) or is_array(kind):
        kind = kind.get_canonical().get_pointee() if is_pointer(kind) else kind.element_type
        if kind.is_volatile_qualified():
            return True
    return kind.is_volatile_qualified()


def warp_synchronous(node):
    return Refused("volatile", f"{node.cursor.spelling} is volatile: threads seem to wait for each other, or to count on running "
                   "in lockstep", "use barriers or __syncwarp() between the steps, or atomic operations", node.start)


def check_variable(part):
    found = marks(part)
    if is_volatile(part.cursor.type) and ("shared" in found or is_pointer(part.cursor.type)):
        raise warp_synchronous(part)
    if "shared" in found:
        kind = part.cursor.type
        while is_array(kind):
            kind = kind.element_type
        if is_record(kind) and not is_copied(kind):
            raise Refused("class", f"{part.cursor.spelling} has the type {kind.spelling} with constructors of its own",
                          "use plain structs in shared memory", part.start)
    elif part.cursor.storage_class.name == "STATIC" and "const" not in part.cursor.type.spelling:
        raise Refused("not in kernels", f"{part.cursor.spelling} is a static variable", "pass a pointer", part.start)


def check_call(unit, part):
    callee = part.cursor.referenced
    if callee is not None:
        name = callee.spelling
    else:  # in a template, of arguments whose types are not known
        match = re.compile(r"\w+").match(unit.files[part.path].code, part.start) if part.path in unit.files else None
        name = match.group() if match else ""
    if name in names.WARP:
        check_mask(unit, part, name)
    if callee is None:
        return
    file = callee.location.file
    if name.startswith(("__builtin", "operator")) or name == "__syncthreads" or callee.kind.name in ("CONSTRUCTOR", "DESTRUCTOR"):
        return
    if callee.kind.name in ("VAR_DECL", "PARM_DECL", "FIELD_DECL") and callee.type.get_canonical().kind.name in (
            "POINTER", "MEMBERPOINTER"):
        raise Refused("not in kernels", f"{name} is a pointer to a function", "call a function by its name", part.start)
    if callee.kind.name == "CXX_METHOD" and callee.is_virtual_method():
        raise Refused("not in kernels", f"{name}() is virtual", "call the function that is meant", part.start)
    if file is None:
        return
    if file.name in unit.files:
        if callee.get_definition() is None and "TEMPLATE" not in callee.kind.name:
            raise Refused("other file", f"{name}() is defined in another file", "define it in a header", part.start)
    elif not file.name.endswith("cuda_names.h") and name not in LIBRARY:
        raise Refused("library call", f"the function calls {name}()",
                      "kernels have mathematical functions, memcpy(), memset() and printf()", part.start)


def check_mask(unit, part, name):
    """Refuses functions of a part of a warp."""
    given = list(part.cursor.get_arguments())
    if name == "__syncwarp" and (not given or given[0] is None or given[0].extent.start.offset < part.start):
        return
    mask = next((child for child in part.children[1:]), None)
    value = evaluate(mask) if mask is not None else None
    if value is None or value & 0xffffffff != 0xffffffff:
        text = unit.files[part.path].text[mask.start:mask.end] if mask is not None and part.path in unit.files else "of the call"
        raise Refused("warp mask", f"the mask {text} of {name}() may not be all of the warp",
                      "let all of the warp call it, with the mask 0xffffffff", part.start)


def item_edits(text, start, end, functions, item):
    """Makes the calls of functions that need the work-item give it, in a range of a file."""
    for match in re.compile(r"\b([A-Za-z_]\w*)\s*(?:<(?!<)[^;{}]*?>\s*)?\(").finditer(text.source.code, start, end):
        if match.group(1) in functions:
            opening = match.end() - 1
            empty = re.compile(r"\s*\)").match(text.source.code, opening + 1)
            text.leaf(opening, opening + 1, f"({item}" + ("" if empty else ", "))


def shared_edits(text, body, kernel, item, k):
    """Makes shared memory of a function local memory."""
    for statement in body.walk():
        if statement.kind != "DECL_STMT":
            continue
        shared = [part for part in statement.children if part.kind == "VAR_DECL" and "shared" in marks(part)]
        if shared:
            text.spans.append((statement.start, statement.end, shared_text(text, shared, kernel, item, k)))


def shared_text(text, shared, kernel, item, k):
    source, lines = text.source, []
    first = shared[0]
    place = name_place(source, first, first.start)
    base = source.text[first.start:place]
    base = re.sub(r"\b(__shared__|static|extern)\b|__align__\s*\([^)]*\)", "", base).strip()
    base = re.sub(r"\s+", " ", base)
    for part in shared:
        name = part.cursor.spelling
        place = name_place(source, part, part.start if part is first else max(part.start, place))
        dims = text.render(place + len(name), part.end).strip()
        if part.cursor.storage_class.name == "EXTERN":
            if kernel is None or dims != "[]":
                raise Refused("extern shared", f"{name} is shared memory of the launch, in a function that is no kernel, or of "
                              "several dimensions", "declare it in the kernel with one dimension, and pass the pointer", part.start)
            lines.append(f"{base} *{name} = ({base} *)tw_local_data({item}, {k}->{kernel.shared})")
        elif "," in base:
            raise Refused("template", f"the type of {name} has a comma", "give the type a name", part.start)
        else:
            lines.append(f"TW_LOCAL({base}, {name}{', ' + dims if dims else ''})")
    return ("; ".join(lines)) + ";"


def name_place(source, part, start):
    match = re.compile(rf"\b{re.escape(part.cursor.spelling)}\b").search(source.code, start, part.end)
    if match is None:
        raise Refused("macro", f"{part.cursor.spelling} is declared by a macro", "write the macro out", part.start)
    return match.start()
