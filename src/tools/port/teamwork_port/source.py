# SPDX-License-Identifier: Apache-2.0
"""Files, positions in them, edits, and refusals.

Positions are offsets in bytes, as clang counts them, so files are read as Latin-1: one character is one byte.
"""
import re


class Refused(Exception):
    """Something stays as it is: `kind` is for tables, `reason` for the user, `remedy` what the user can do."""

    def __init__(self, kind, reason, remedy, offset=None):
        super().__init__(reason)
        self.kind, self.reason, self.remedy, self.offset = kind, reason, remedy, offset


class SourceFile:
    """The text of a file, and the edits that are to be made in it."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="latin-1", newline="") as file:
            self.text = file.read()
        self.code = blank(self.text)  # without comments and strings, at the same offsets
        self.edits = []  # (start, end, text)
        self.lines = [0] + [m.end() for m in re.finditer("\n", self.text)]

    def line_of(self, offset):
        """Returns the number of the line, from 1, that an offset is in."""
        low, high = 0, len(self.lines)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.lines[middle] <= offset else (low, middle)
        return low + 1

    def line_start(self, offset):
        return self.lines[self.line_of(offset) - 1]

    def indent_of(self, offset):
        """Returns the white space that the line of an offset begins with."""
        return re.compile(r"[ \t]*").match(self.text, self.line_start(offset)).group()

    def next_line(self, offset):
        """Returns where the line behind the one of an offset begins."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end + 1

    def replace(self, start, end, text):
        self.edits.append((start, end, text))

    def insert(self, offset, text):
        self.edits.append((offset, offset, text))

    def edited(self):
        """Returns the text with all edits made. Insertions at one place stay in their order."""
        parts, position = [], 0
        for start, end, text in sorted(self.edits, key=lambda edit: edit[:2]):
            if start < position:
                raise AssertionError(f"{self.path}:{self.line_of(start)}: two edits overlap")
            parts += [self.text[position:start], text]
            position = end
        return "".join(parts) + self.text[position:]


def blank(text):
    """Returns the text with comments, strings and characters replaced by blanks, at the same offsets."""
    def blanks(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r"//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'", blanks, text,
                  flags=re.S)


def closing(text, start):
    """Returns the offset of the bracket that closes the one at `start`; -1 if there is none. For blanked text."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    opening, depth = text[start], 0
    for i in range(start, len(text)):
        if text[i] == opening:
            depth += 1
        elif text[i] == pairs[opening]:
            depth -= 1
            if depth == 0:
                return i
    return -1


def split(text, separator=","):
    """Splits text at separators that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    for i, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return parts + [text[begin:].strip()]


def identifiers(text):
    """Returns the set of identifiers in blanked text."""
    return set(re.findall(r"[A-Za-z_]\w*", text))


def dedent(text, indent):
    """Returns lines of text moved to an indent; the first line has none of its own. Lines of the preprocessor stay."""
    lines = text.split("\n")
    rest = [line for line in lines[1:] if line.strip() and not line.lstrip().startswith("#")]
    common = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    moved = [indent + lines[0].lstrip()]
    for line in lines[1:]:
        stays = line.lstrip().startswith("#") or not line.strip()
        moved.append(line.rstrip("\r") if stays else indent + line[common:].rstrip("\r"))
    return "\n".join(moved)
