#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: header.py HEADER.h

What Doxygen reads of a public header: its first comment describes the file, what the linker defines is nobody's, and each
entry of reference.txt stands at its name, or is declared at the end. Statuses that a function returns are a list. Enumerators that lists of macros make are described by
the comment behind them in the list, by the meaning of a status, or by the tables of the documents."""

import itertools
import re
import sys
from pathlib import Path

SITE = Path(__file__).resolve().parent
TABLES = ["errors.md", "devices.md", "kernels_in_programs.md"]


def entries(header):
    """The entries of a header, without braces: (declaration or name, sentence)."""
    here = False
    for line in (SITE / "reference.txt").read_text().splitlines():
        if line.startswith("["):
            here = line == f"[{header}]"
        elif here and " :: " in line and not line.startswith("# "):
            what, sentence = line.split(" :: ", 1)
            choices = [group.split("|") for group in re.findall(r"\{([^}]*)\}", what)]
            for words in itertools.product(*choices):
                spelled = iter(words)
                one = re.sub(r"\{[^}]*\}", lambda _: next(spelled), what)
                for number, word in enumerate(words, 1):
                    one, text = (s.replace(f"\\{number}", word) for s in (one, sentence if number == 1 else text))
                yield one, text if words else sentence


def table_texts():
    """What the tables of the documents say of each enumerator that they name in their first column."""
    texts = {}
    for name in TABLES:
        for line in (SITE.parent / name).read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if match := re.fullmatch(r"`(TW_[A-Z0-9_]+)`", cells[0]):
                text = next((cell for cell in cells[2:] if cell), "")
                texts.setdefault(match[1], re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    return texts


def list_texts(text):
    """What the lists of a header say of their enumerators."""
    texts = {}
    for name, rest in re.findall(r"^    X\((TW_\w+)(.*?)\\?$", text, re.M):
        if comment := re.search(r"/\* (.*?) \*/", rest):
            texts[name] = comment[1]
        elif meaning := re.search(r'"(.*)"', rest):
            texts[name] = meaning[1]
    return texts


def comment_of(sentence):
    words, _, returned = sentence.partition("@return ")
    lines = [words.strip()] if words.strip() else []
    lines += [f"@return {returned.strip()}"] if returned else []
    return "/** " + "\n * ".join(lines) + " */"


# a macro, a function, a type and an enumeration, of the name NAME
DECLARATIONS = [r"^#define NAME\b", r"^(?:typedef |static inline |TW_[A-Z_]+ )[^;{}#]*?\bNAME\((?!\*)",
                r"^typedef [^;{}]*\bNAME;", r"^typedef enum NAME \{"]


def places(text, name):
    """Where a name is declared without a comment of Doxygen's."""
    for pattern in DECLARATIONS:
        if found := [match.start() for match in re.finditer(pattern.replace("NAME", name), text, re.M)]:
            return [at for at in found if not is_documented(text[:at].rstrip())]
    for match in re.finditer(rf"(?<=[{{ ,]){name}(?=[ ,}}\n])(?! =? ?[^,\n]*/\*\*<)", text):
        if re.search(r"enum \w+ \{[^}]*$", text[:match.start()]):  # an enumerator
            return [match.start()]
    return []


def is_documented(before):
    return before.endswith("*/") and before[before.rfind("/*"):].startswith("/**")


def list_statuses(text):
    """Statuses behind @return, one a line, as a list of Doxygen's."""
    lines, is_return = [], False
    for line in text.split("\n"):
        if match := re.match(r"(/\*\*| \*) +@(\w+)", line):
            is_return = match[2] == "return"
        elif not re.match(r" \* +\S", line):
            is_return = False
        if is_return and (match := re.match(r"((?:/\*\*| \*) +)(?:@return )? *(TW_(?:ERROR_\w+|SUCCESS))(?:  +(.*)| ?(\*/))?$", line)):
            line = f"{match[1].rstrip()} @retval {match[2]} {match[3] or match[4] or ''}".rstrip()
        lines.append(line)
    return "\n".join(lines)


def insert_entry(text, name, sentence):
    """Puts the sentence before each declaration of a name. Returns the text, and what is to be added to it instead."""
    found = places(text, name)
    for at in reversed(found):
        text = text[:at] + comment_of(sentence) + ("\n" if text[at - 1] == "\n" else " ") + text[at:]
    kind = "@var" if name.startswith("TW_") else "@fn"
    return text, [] if found else [f"/** {kind} {name}\n * {sentence} */"]


def declaration_of(what, sentence):
    if what.startswith("@fn "):
        return comment_of(sentence).replace("/** ", f"/** {what}\n * ", 1)
    if what.startswith("typedef T "):
        what = what.replace("typedef T", "typedef VECTOR", 1)
    elif match := re.match(r"typedef struct (\w+)$", what):
        what = f"typedef struct {match[1]} {match[1]}"
    return comment_of(sentence) + "\n" + what + ("" if what.startswith("#define") else ";")


def enumerator_texts(text):
    """Comments for the enumerators of the header's lists."""
    known = {**list_texts(text), **table_texts()}
    for list_name in re.findall(r"^#define (TW_\w+_LIST)\(X\)", text, re.M):
        body = text[text.index(f"#define {list_name}(X)"):].split("\n\n")[0]
        for name in re.findall(r"X\((TW_\w+)", body):
            if known.get(name):
                yield f"/** @var {name}\n * {known[name]} */"


def main(path):
    text = re.sub(r"^extern const void .*__st[a-z]*_tw_kernels.*\n", "", Path(path).read_text(), flags=re.M)
    added = list(enumerator_texts(text))
    for what, sentence in entries(Path(path).name):
        if re.fullmatch(r"\w+", what):
            text, more = insert_entry(text, what, sentence)
            added += more
        else:
            added.append(declaration_of(what, sentence))
    text = text.replace("/**", "/** @file\n *", 1)
    print(list_statuses(text) + "\n" + "\n".join(added))


if __name__ == "__main__":
    main(sys.argv[1])
