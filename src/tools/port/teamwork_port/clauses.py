# SPDX-License-Identifier: Apache-2.0
"""OpenMP directives as text: words, clauses, items of map clauses.

They are read from the source, since clang's binding shows neither the kind of a clause nor the body of a directive.
"""
import re

from .source import Refused, closing, split

WORDS = {"target", "teams", "distribute", "parallel", "for", "simd", "loop", "data", "enter", "exit", "update", "declare",
         "end", "begin", "barrier", "atomic", "critical", "single", "master", "masked", "task", "taskwait", "taskloop",
         "sections", "section", "threadprivate", "flush", "ordered", "requires", "scan", "unroll", "tile", "assume",
         "taskgroup", "allocate", "metadirective", "variant", "reduction", "mapper", "cancel", "interop"}

MAP_KINDS = ("tofrom", "to", "from", "alloc", "release", "delete")


class Clause:
    def __init__(self, name, text):
        self.name, self.text = name, text  # text: what is in parentheses, or None


class Directive:
    """A directive: `words` as "target teams distribute", its clauses, and where its lines begin and end."""

    def __init__(self, words, clauses, start, end, text):
        self.words, self.clauses, self.start, self.end, self.text = words, clauses, start, end, text
        self.guard = None

    def copy(self):
        copied = Directive(self.words, list(self.clauses), self.start, self.end, self.text)
        copied.guard = self.guard
        return copied

    def all(self, *names):
        """Returns the texts of all clauses of these names."""
        return [clause.text for clause in self.clauses if clause.name in names]

    def names(self, *clause_names):
        """Returns the variables in the lists of these clauses, as written."""
        return [item for text in self.all(*clause_names) for item in split(text.rsplit(":", 1)[-1]) if item]


class Guard:
    """Branches of the preprocessor that have nothing but directives, for a statement behind them:

        #ifdef OFFLOAD
        #pragma omp target teams distribute parallel for
        #else
        #pragma omp parallel for
        #endif
            for (...)

    `head` is the first line, `other` and `end` are where the `#else` and what is behind `#endif` begin; `other` is that of
    `#endif` where there is no `#else`.
    """

    PRAGMAS = r"(?:[ \t]*#[ \t]*pragma(?:[^\n\\]|\\.|\\\r?\n)*\n|[ \t\r]*\n)*"
    BEFORE = re.compile(rf"^([ \t]*#[ \t]*(?:if|ifdef|ifndef)\b[^\n]*)\n{PRAGMAS}\Z", re.M)
    BEHIND = re.compile(rf"[ \t\r]*\n{PRAGMAS}((?:[ \t]*#[ \t]*else\b[^\n]*\n{PRAGMAS})?)[ \t]*#[ \t]*endif\b[^\n]*(?:\n|\Z)")

    def __init__(self, head, other, end, has_other):
        self.head, self.other, self.end, self.has_other = head, other, end, has_other

    @staticmethod
    def around(code, directive):
        """Returns the guard of a directive; None if it has none."""
        line = code.rfind("\n", 0, directive.start) + 1
        behind = Guard.BEHIND.match(code, directive.end)
        before = behind and Guard.BEFORE.search(code, max(0, line - 2000), line)
        return Guard(before.group(1).strip(), behind.start(1), behind.end(), bool(behind.group(1))) if before else None


def find_directives(source):
    """Returns the directives of a file in their order."""
    code = source.code
    found = []
    for match in re.finditer(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b", code, re.M):
        end = match.end()
        while True:
            line_end = code.find("\n", end)
            line_end = len(code) if line_end < 0 else line_end
            if not code[end:line_end].rstrip().endswith("\\"):
                break
            end = line_end + 1
        text = re.sub(r"\\[ \t\r]*\n", " ", code[match.end():line_end]).strip()
        found.append(parse(text, match.start(), line_end))
        found[-1].guard = Guard.around(code, found[-1])
    return found


def parse(text, start, end):
    """Parses what stands behind `#pragma omp`."""
    words, position = [], 0
    while True:
        match = re.compile(r"[ \t]*([A-Za-z_]\w*)").match(text, position)
        if not match or match.group(1) not in WORDS:
            break
        following = re.compile(r"[ \t]*\(").match(text, match.end())
        if following and match.group(1) not in ("critical", "threadprivate", "allocate", "flush"):
            break  # a clause of the same name, as reduction(...)
        words.append(match.group(1))
        position = match.end()
        if words[-1] == "atomic":
            break
    clauses = []
    while True:
        match = re.compile(r"[ \t,]*([A-Za-z_]\w*)[ \t]*").match(text, position)
        if not match:
            break
        position, inside = match.end(), None
        if text[position:position + 1] == "(":
            end_of_clause = closing(text, position)
            if end_of_clause < 0:
                break
            inside = text[position + 1:end_of_clause].strip()
            position = end_of_clause + 1
        clauses.append(Clause(match.group(1), inside))
    return Directive(" ".join(words), clauses, start, end, text)


class Item:
    """An item of a map or motion clause: a name, and the sections behind it as (lower, length); length may be None. Of a member
    of a struct, s.data or s->data, `member` is its name, and `path` is all that stands before the sections."""

    def __init__(self, name, member, path, sections, text):
        self.name, self.member, self.path, self.sections, self.text = name, member, path, sections, text


def parse_item(text):
    text = text.strip()
    match = re.match(r"([A-Za-z_]\w*)(?:\s*(\.|->)\s*([A-Za-z_]\w*))?\s*", text)
    rest, found = text[match.end():] if match else "?", []
    while rest.startswith("["):
        end = closing(rest, 0)
        found.append(rest[1:end])
        rest = rest[end + 1:].strip()
    if rest:
        raise Refused("map item", f"'{text}' is mapped, which is no variable or array section",
                      "copy the pointer to a variable and map a section of that")
    sections = []
    for inside in found:
        parts = split(inside, ":")
        if len(parts) == 1:
            sections.append((parts[0], "1"))
        elif len(parts) == 2:
            sections.append((parts[0] or "0", parts[1] or None))
        else:
            raise Refused("map item", f"'{text}' is a section with a stride", "map it without the stride")
    name, link, member = match.groups()
    return Item(name, member, f"{name}{link}{member}" if member else name, sections, text)


def map_items(directive):
    """Returns [(kind, Item)] of all map clauses."""
    items = []
    for text in directive.all("map"):
        colon = re.match(r"\s*([\w\s,()]*?)\s*:(?![^\[]*\])", text)
        kind = "tofrom"
        if colon:
            words = [word for word in re.split(r"[\s,]+", colon.group(1)) if word]
            kind = words[-1] if words else ""
            if kind not in MAP_KINDS:
                raise Refused("map modifier", f"map({text}) has a type that the tool does not know", "write to, from or "
                              "tofrom")
            for word in words[:-1]:
                if word not in ("close", "present"):
                    raise Refused("map modifier", f"the modifier {word} of map({text})",
                                  "leave it out, and add a target update where it mattered")
            text = text[colon.end():]
        items += [(kind, parse_item(part)) for part in split(text) if part]
    return items


def motion_items(directive):
    """Returns [(kind, Item)] of a target update."""
    items = []
    for kind in ("to", "from"):
        for text in directive.all(kind):
            text = re.sub(r"^\s*present\s*:", "", text)
            items += [(kind, parse_item(part)) for part in split(text) if part]
    return items


def reductions(directive):
    """Returns {name: operator} of all reduction clauses."""
    found = {}
    for text in directive.all("reduction"):
        head, colon, rest = text.partition(":")
        if not colon:
            raise Refused("reduction", f"reduction({text}) has no operator", "write reduction(+ : x)")
        if "," in head:
            head = head.split(",")[-1]
        for name in split(rest):
            found[name] = head.strip()
    return found
