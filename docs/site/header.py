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


def declared_at(text, name):
    """Where the declarations of a name begin that have no comment of Doxygen's before them."""
    patterns = [rf"^#define {name}\b", rf"^(?:typedef |static inline |TW_[A-Z_]+ )[^;{{}}#]*?\b{name}\((?!\*)",
                rf"^typedef [^;{{}}]*\b{name};", rf"^typedef enum {name} \{{", rf"(?<=[{{ ,]){name}(?=[ ,}}\n])(?! =? ?[^,\n]*/\*\*<)"]
    for number, pattern in enumerate(patterns):
        found = [match.start() for match in re.finditer(pattern, text, re.M)]
        if number == 4:
            # an enumerator: only inside of an enumeration
            found = [at for at in found if re.search(r"enum \w+ \{[^}]*$", text[:at])][:1]
        if found:
            return [at for at in found if not text[:at].rstrip().endswith("*/") or number == 4
                    or not is_documented(text[:at].rstrip())]
    return []


def is_documented(before):
    return before[before.rfind("/*"):].startswith("/**")


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


def main(path):
    header = Path(path).name
    text = Path(path).read_text()
    text = re.sub(r"^extern const void .*__st[a-z]*_tw_kernels.*\n", "", text, flags=re.M)
    added = []
    for what, sentence in entries(header):
        if re.fullmatch(r"\w+", what):
            places = declared_at(text, what)
            for at in reversed(places):
                text = text[:at] + comment_of(sentence) + ("\n" if text[at - 1] == "\n" else " ") + text[at:]
            if not places:
                added.append(f"/** @var {what}\n * {sentence} */" if what.startswith("TW_") else
                             f"/** @fn {what}\n * {sentence} */")
        elif what.startswith("@fn "):
            added.append(comment_of(sentence).replace("/** ", f"/** {what}\n * ", 1))
        else:
            end = "" if what.startswith("#define") else ";"
            if what.startswith("typedef T "):
                what = f"typedef VECTOR {what[10:]}"
            elif what.startswith("typedef struct "):
                what = f"typedef struct {what[15:]} {what[15:]}"
            added.append(f"{comment_of(sentence)}\n{what}{end}")
    known = {**list_texts(text), **table_texts()}
    for list_name in re.findall(r"^#define (TW_\w+_LIST)\(X\)", text, re.M):
        body = text[text.index(f"#define {list_name}(X)"):].split("\n\n")[0]
        for name in re.findall(r"X\((TW_\w+)", body):
            if name in known and known[name]:
                added.append(f"/** @var {name}\n * {known[name]} */")
    text = text.replace("/**", "/** @file\n *", 1)
    print(list_statuses(text) + "\n" + "\n".join(added))


if __name__ == "__main__":
    main(sys.argv[1])
