# SPDX-License-Identifier: Apache-2.0
"""`target teams` with `parallel` in it as an nd_range kernel: what the threads of a team share, and barriers."""
import re

from .access import ASSIGNED, WRITE
from .body import body_text, declares, returns
from .calls import is_file_scope
from .kernel import local_text
from .source import Refused
from .tree import is_const, key_of, unqualified_text


def teams_kernel(region, directive, node, inner):
    """Returns the kernel of a region of teams: what stands before `parallel` is the team's."""
    shared, parallels = ([], [node]) if inner is None else statements_of_team(region, directive, node)
    groups, size = directive.all("num_teams"), directive.all("thread_limit")
    size = directive.all("num_threads") or size
    if not parallels:
        raise Refused("team scope", "a region of teams has neither a loop nor `parallel`", "use target without teams",
                      directive.start)
    if not groups or not size:
        raise Refused("team size", "the number of teams or of their threads is not given",
                      "write num_teams and thread_limit", directive.start)
    if any(returns(child) for child in parallels):
        raise Refused("team scope", "a thread of the team returns", "use an if statement", directive.start)
    region.check_preprocessor(parallels)
    captures = region.capture(directive, node, [], teams=True)
    meets = len(parallels) > 1 or region.item_functions.keys or any(
        child.start <= found.start < child.end for found in region.inner for child in parallels)
    kernel = region.kernel("nd_range", captures.list)
    share_captures(region, captures, kernel, meets)
    team_variables(region, shared, parallels, kernel)
    if kernel.first:
        kernel.head += [f"if (tw_local_id({region.item}, 0) == 0) {{", *(f"    {line}" for line in kernel.first), "}",
                        f"tw_barrier({region.item}, TW_LOCAL_SPACE);"]
    pieces = []
    own = {capture.name for capture in captures.list} | {part.cursor.spelling for child in shared for part in child.children}
    braces = len(parallels) > 1 or declares(parallels[0], own)
    for child in parallels:
        edits = region.inner_edits(child, teams=True) + region.item_edits(child)
        part = body_text(region.source, child, edits, region.mapped_names(captures), braces)
        pieces.append(region.flat(part) if len(parallels) == 1 else part)
    kernel.body = f"\ntw_barrier({region.item}, TW_GLOBAL_AND_LOCAL);\n".join(pieces)
    kernel.launch_range = f"tw_nd_range_make(tw_range_1d((size_t)({groups[0]}) * (size_t)({size[0]})), " \
                          f"tw_range_1d((size_t)({size[0]})))"
    if re.fullmatch(r"\d+", size[0]) or region.unit.value_of_macro(size[0]) or is_constant(region, size[0]):
        kernel.size = size[0]
    return kernel


def statements_of_team(region, directive, node):
    """Returns the declarations of a team and the statements that its threads run."""
    shared, parallels = [], []
    found = {id(region.unit.statement_behind(item)): item for item in region.inner if item.words == "parallel"}
    for child in node.children if node.kind == "COMPOUND_STMT" else [node]:
        item = found.get(id(child))
        if item is not None:
            region.check_clauses(item)
            if item.all("reduction", "private", "firstprivate"):
                raise Refused("clause", "parallel has private variables", "declare them inside", item.start)
            directive.clauses += [clause for clause in item.clauses if clause.name == "num_threads"]
            region.inner.remove(item)
            parallels.append(child)
        elif child.kind == "DECL_STMT" and not parallels:
            shared.append(child)
        else:
            raise Refused("team scope", "a team has statements outside of `parallel`",
                          "move it by hand, as a hierarchical kernel", child.start)
    return shared, parallels


def is_constant(region, name):
    """Returns true if a name is that of a constant of file scope."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return False
    cursor = region.unit.cursor_of_name(name, region.directive.start)
    return cursor is not None and region.unit.is_cxx and is_const(cursor.type) and is_file_scope(cursor)


def share_captures(region, captures, kernel, meets):
    """Gives the team one copy of each variable that its threads write, as OpenMP does, if they can see each other's values:
    if they meet at a directive. If they do not, only races tell a copy for each thread from that."""
    if not meets:
        return
    for capture in captures.list:
        if capture.kind not in ("value", "pointer", "raw") \
                or not capture.flags & (WRITE if capture.kind == "value" else ASSIGNED):
            continue
        if "[" in capture.type or "(" in capture.type:
            raise Refused("team scope", f"the threads of a team share {capture.name}, and change it",
                          "declare it in `parallel`", region.directive.start)
        kind = capture.type if capture.kind == "value" else capture.pointer_type()
        capture.is_shared = True
        kernel.head.append(local_text(kind, capture.name))
        kernel.first.append(f"{capture.name} = {region.k}->{capture.name};")
    region.notes[:] = [note for note in region.notes if "is written: each" not in note[1]]


def team_variables(region, shared, parallels, kernel):
    """Declares in the kernel what the team declares: what is constant for each thread, the rest in local memory."""
    for statement in shared:
        for declaration in statement.children:
            if declaration.kind != "VAR_DECL":
                raise Refused("local type", "a type is declared in the region", "declare it at file scope", declaration.start)
            team_variable(region, declaration, parallels, kernel)


def team_variable(region, declaration, parallels, kernel):
    kind, name = declaration.cursor.type, declaration.cursor.spelling
    text = region.source.text[declaration.start:declaration.end]
    value = re.compile(r"(?<![=!<>])=(?!=)\s*(.*)", re.S).search(text)
    if kind.kind.name in ("VARIABLEARRAY", "INCOMPLETEARRAY") or "[" in kind.spelling and kind.kind.name != "CONSTANTARRAY":
        raise Refused("variable length", f"{name} of a team has a variable length", "write a constant length",
                      declaration.start)
    written = unqualified_text(region.unit.written_type(declaration.cursor).spelling)
    if "[" in kind.spelling:
        if value:
            raise Refused("team scope", f"{name} of a team is initialized", "initialize it in `parallel`", declaration.start)
        kernel.head.append(local_text(written, name))
        return
    flags = 0
    for child in parallels:
        flags |= region.unit.analysis.uses(child, key_of(declaration.cursor))
    if value and not flags & (WRITE | ASSIGNED):
        kernel.head.append(region.queries(text) + ";")
        return
    if "(" in text.partition("=")[0] or "{" in text or "auto" in text.split():
        raise Refused("team scope", f"{name} of a team is initialized, and changed by its threads",
                      "initialize it in `parallel`", declaration.start)
    kernel.head.append(local_text(written, name))
    if value:
        kernel.first.append(f"{name} = {region.queries(value.group(1))};")
