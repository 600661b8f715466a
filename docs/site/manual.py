#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: manual.py XML_FOLDER MAN3_FOLDER

Pages of the manual, section 3, from what Doxygen has read of the headers: one for each public function, macro, type and
enumeration, and teamwork_NAME.h for each header. Enumerators lead to their enumeration."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def roff(text):
    """Words as they stand, whatever roff makes of backslashes, dots and apostrophes."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def plain(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def blocks(element):
    """The paragraphs, lists and code of a description, as roff."""
    out, words = [], []

    def flush():
        if text := " ".join("".join(words).split()):
            out.append(".PP\n" + roff(text))
        words.clear()

    def walk(node):
        words.append(node.text or "")
        for child in node:
            if child.tag in ("programlisting", "verbatim"):
                flush()
                if child.tag == "verbatim":
                    code = child.text or ""
                else:
                    code = "\n".join("".join(" " if part.tag == "sp" else (part.text or "") for part in line.iter())
                                     for line in child.iter("codeline"))
                out.append(".PP\n.nf\n.RS 4\n" + roff(code.strip("\n")) + "\n.RE\n.fi")
            elif child.tag == "parameterlist":
                flush()
                title = {"param": "PARAMETERS", "retval": "RETURN VALUE"}.get(child.get("kind"), "NOTES")
                out.append(f".SH {title}")
                for item in child.iter("parameteritem"):
                    names = ", ".join(plain(name) for name in item.iter("parametername"))
                    out.append(".TP\n.B " + roff(names) + "\n" + roff(plain(item.find("parameterdescription")) or "\\&").replace("\\e&", "\\&"))
            elif child.tag == "simplesect" and child.get("kind") == "return":
                flush()
                out.append(".SH RETURN VALUE\n" + roff(plain(child)))
            elif child.tag in ("itemizedlist", "orderedlist"):
                flush()
                for item in child.findall("listitem"):
                    out.append(".IP \\(bu 2\n" + roff(plain(item)))
            elif child.tag in ("para", "simplesect", "sect1", "title"):
                flush()
                walk(child)
                flush()
            elif child.tag == "linebreak":
                flush()
            else:
                walk(child)
            words.append(child.tail or "")

    walk(element)
    flush()
    return out


def synopsis(member):
    kind, name = member.get("kind"), member.findtext("name")
    if kind == "define":
        parameters = [param.findtext("defname") for param in member.findall("param")]
        return f"#define {name}" + (f"({', '.join(p for p in parameters if p)})" if parameters else "")
    if kind == "enum":
        return f"enum {name} {{ ... }};"
    definition = plain(member.find("definition")).replace("static inline ", "")
    return definition + plain(member.find("argsstring")) + ";"


def page(name, header, brief, shown, sections):
    lines = [f'.TH "{name}" 3 "" "Teamwork"', ".SH NAME", roff(f"{name} - {brief or 'see below'}")]
    if shown:
        lines += [".SH SYNOPSIS", ".nf", roff(f"#include <teamwork/{header}>"), "", roff(shown), ".fi"]
    lines += sections
    if header:
        lines += [".SH SEE ALSO", f".BR teamwork_{header} (3)"]
    return "\n".join(lines) + "\n"


def write(folder, name, text):
    (folder / f"{name}.3").write_text(text)


def describe(element):
    found = blocks(element.find("briefdescription")) + blocks(element.find("detaileddescription"))
    first = [] if found and found[0].startswith(".SH") else [".SH DESCRIPTION"]
    return first + [re.sub(r"^\.PP\n", "", found[0])] + found[1:] if found else []


def main(xml, man):
    man.mkdir(parents=True, exist_ok=True)
    for path in sorted(xml.glob("*_8h.xml")):
        file = ElementTree.parse(path).getroot().find("compounddef")
        header = file.findtext("compoundname").split("/")[-1]
        names, members = [], list(file.iter("memberdef"))
        enums = {member.findtext("name") for member in members if member.get("kind") == "enum"}
        for member in members:
            name = member.findtext("name")
            if not re.match(r"tw_(?!internal)", name, re.I) or (member.get("kind") == "typedef" and name in enums):
                continue
            brief = plain(member.find("briefdescription")) or plain(member.find("detaileddescription"))
            sections = describe(member)
            for value in member.findall("enumvalue"):
                text = plain(value.find("briefdescription")) + " " + plain(value.find("detaileddescription"))
                sections.append(".TP\n.B " + value.findtext("name") + "\n" + roff(text.strip() or value.findtext("name")))
                write(man, value.findtext("name"), f".so man3/{name}.3\n")
            write(man, name, page(name, header, re.split(r"(?<=[.:;]) ", brief)[0].rstrip(".:;"), synopsis(member), sections))
            names.append(name)
        listed = [".SH NAMES", roff(", ".join(sorted(set(names))))] if names else []
        write(man, f"teamwork_{header}", page(f"teamwork_{header}", "", plain(file.find("briefdescription")), "",
                                              describe(file) + listed))
    for path in sorted(xml.glob("structtw__*.xml")):
        struct = ElementTree.parse(path).getroot().find("compounddef")
        name = struct.findtext("compoundname")
        if not name.startswith("tw_internal"):
            header = struct.findtext("includes", "").split("/")[-1] or Path(struct.find("location").get("file")).name
            sections = describe(struct)
            for member in struct.iter("memberdef"):
                text = plain(member.find("briefdescription")) + " " + plain(member.find("detaileddescription"))
                sections.append(".TP\n.B " + roff(plain(member.find("definition")).replace(f"{name}::", "")) + "\n" + roff(text.strip() or "\\&").replace("\\e&", "\\&"))
            write(man, name, page(name, header, plain(struct.find("briefdescription")), f"struct {name};", sections))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
