#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: reference.py COMPILER XML_FOLDER      in the folder of the sources

Each public function, macro, enumerator and type has an entry with a sentence in what Doxygen has read. Public are the names
with tw_ and TW_ that the compiler sees in the headers, but those with tw_internal_. Prints what lacks an entry, and what
docs/site/reference.txt has of names that are gone."""

import importlib.util
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HEADERS = Path("include/teamwork")
AT_LEAST = {"functions": 650, "macros": 800, "enumerators": 300, "types": 155}  # found now; more are welcome


def preprocess(compiler, *options):
    source = "".join(f"#include <teamwork/{path.name}>\n" for path in sorted(HEADERS.glob("*.h")) if path.name != "typed.h")
    return subprocess.run([compiler, "-std=c17", "-fopenmp", "-w", "-Iinclude", "-Ioffload/include", "-E", *options, "-xc", "-"],
                          input=source, capture_output=True, text=True, check=True).stdout


def is_public(name):
    return re.match(r"tw_(?!internal|try_)", name, re.I)


def outermost(text):
    """The text without what stands in braces, and the insides of enumerations."""
    out, enumerations, depth, begin = [], [], 0, 0
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            if depth == 0:
                out.append(text[begin:match.start()])
                head, inside = text[max(0, match.start() - 80):match.start()], match.end()
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                begin = match.end()
                out.append("{} ;" if re.search(r"\)\s*$", out[-1]) else "{}")
                if re.search(r"\benum\s*\w*\s*$", head):
                    enumerations.append(text[inside:match.start()])
    return "".join(out + [text[begin:]]), enumerations


def public_names(compiler):
    macros = set(re.findall(r"^#define (\w+)", preprocess(compiler, "-dM"), re.M))
    text = preprocess(compiler, "-P")
    text = re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"#pragma.*", "", text))
    flat, enumerations = outermost(text)
    functions, types = set(), set()
    for statement in flat.split(";"):
        if "typedef" in statement:
            if match := re.search(r"\(\*(\w+)\)\s*\(", statement) or re.search(r"(\w+)\s*(\[[^\]]*\]|__attribute__\s*\(\(.*\)\))*\s*$", statement, re.S):
                types.add(match[1])
        elif match := re.search(r"\b(tw_\w+)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)\s*(?=\w)", "", statement, flags=re.S)):
            functions.add(match[1])
    enumerators = {name for body in enumerations for name in re.findall(r"(?:^|,)\s*(\w+)", body)}
    names = {"functions": functions, "macros": macros, "enumerators": enumerators, "types": types}
    return {kind: {name for name in found if is_public(name)} for kind, found in names.items()}


def has_text(element):
    return any("".join(part.itertext()).strip() for part in
               element.findall("briefdescription") + element.findall("detaileddescription"))


def entries(folder):
    found = set()
    for path in Path(folder).glob("*.xml"):
        root = ElementTree.parse(path).getroot()
        for element in [*root.iter("memberdef"), *root.iter("enumvalue")]:
            if has_text(element):
                found.add(element.findtext("name"))
        for element in root.iter("compounddef"):
            if element.get("kind") in ("struct", "union") and has_text(element):
                found.add(element.findtext("compoundname"))
    return found


def listed():
    """The names of docs/site/reference.txt."""
    spec = importlib.util.spec_from_file_location("header", "docs/site/header.py")
    header = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(header)
    for path in HEADERS.glob("*.h"):
        for what, _ in header.entries(path.name):
            yield re.findall(r"\b[tT][wW]_\w+(?=\(|$| )", what if "(" not in what else what.split("(")[0] + "(")[-1] \
                if not what.startswith("#define") else what.split()[1].split("(")[0]


def main(compiler, folder):
    found, wrong = entries(folder), 0
    public = public_names(compiler)
    gone = sorted(set(listed()) - set().union(*public.values()) - {"tw_sub_groups"})
    if gone:
        print(f"docs/site/reference.txt has names that no header has: {' '.join(gone)}")
        wrong += 1
    for kind, names in public.items():
        missing = sorted(names - found)
        if missing:
            print(f"{len(missing)} of {len(names)} {kind} have no entry (docs/site/reference.txt): {' '.join(missing)}")
        if len(names) < AT_LEAST[kind]:
            print(f"only {len(names)} {kind} were found in the headers")
        wrong += bool(missing) + (len(names) < AT_LEAST[kind])
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
