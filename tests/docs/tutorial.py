#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the pages of docs/tutorial/ to the programs of examples/tutorial/.

    tutorial.py --program PAGE PROGRAM    PROGRAM, run as it is, prints what PAGE shows below "$ ./PROGRAM"
    tutorial.py --commands PAGE FOLDER    all commands that PAGE shows, run in FOLDER, print what stands below them
    tutorial.py --text                    code in the pages stands in the programs, and each page has all of its parts

A block of a page that begins with ```console has commands and their output. Comments before it say what differs from run to
run and from machine to machine:

    <!-- any: TEXT -->          TEXT stands for any other
    <!-- numbers vary -->       and so does each number, and the space around it
    <!-- repeats: LINE -->      LINE may come once or several times
    <!-- others: START -->      lines that begin with START may come or not
    <!-- not run: REASON -->    what these commands need is not there in a test

Exit status 77: nothing was tested."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "tutorial"
PROGRAMS = ROOT / "examples" / "tutorial"
PARTS = ["What you learn", "The program", "Run it", "What went wrong if", "Exercise", "Next"]


class Block:
    """Commands of a page with their output, and what may differ."""

    def __init__(self, page, comments, lines):
        self.any = [c[4:].strip() for c in comments if c.startswith("any:")]
        self.repeats = [c[8:].strip() for c in comments if c.startswith("repeats:")]
        self.others = tuple(c[7:].strip() for c in comments if c.startswith("others:"))
        self.numbers = "numbers vary" in comments
        self.is_run = not any(c.startswith("not run:") for c in comments)
        self.runs = []  # (command, lines of its output)
        for line in lines:
            if line.startswith("$ "):
                self.runs.append((line[2:], []))
            elif self.runs:
                self.runs[-1][1].append(line)
            else:
                raise SystemExit(f"{page}: a console block begins without a command: {line}")

    def pattern(self, line):
        parts = [re.escape(text) for text in self.any]
        out = ""
        for word in re.split("(" + "|".join(parts) + ")", line) if parts else [line]:
            if word in self.any:
                out += ".+"
            elif self.numbers:
                for token in re.findall(r"\d+(?:\.\d+)?| +|[^\d ]+", word):
                    out += r"\d+(?:\.\d+)?" if token[0].isdigit() else " +" if token[0] == " " else re.escape(token)
            else:
                out += re.escape(word)
        return out

    def fits(self, lines, out, err):
        """Whether the output is that of the page. The two streams may come in either order."""
        return any(self.fit_lines(lines, text.splitlines()) for text in (out + err, err + out))

    def fit_lines(self, shown, printed):
        shown, printed = ([line for line in lines if not line.startswith(self.others)] for lines in (shown, printed))
        at = 0
        for line in printed:
            before = shown[at - 1] if at else ""
            if at < len(shown) and re.fullmatch(self.pattern(shown[at]), line):
                at += 1
            elif before.strip() not in self.repeats or not re.fullmatch(self.pattern(before), line):
                return False
        return at == len(shown)


def blocks(page, language):
    """The blocks of a language in a page: what the comments before each say, and its lines."""
    found, comments, lines = [], [], None
    for line in page.read_text().splitlines():
        if lines is not None:
            if line == "```":
                found.append((comments, lines))
                lines, comments = None, []
            else:
                lines.append(line)
        elif line == "```" + language:
            lines = []
        elif match := re.fullmatch(r"<!-- (.*) -->", line):
            comments.append(match[1])
        elif line.strip():
            comments = []
    return found


def run(command, folder, environment):
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def compare(block, command, lines, out, err):
    if block.fits(lines, out, err):
        return 0
    print(f"{command}\nprints\n{out}{err}and the page shows\n" + "\n".join(lines))
    return 1


def check_program(page, program):
    for comments, text in blocks(page, "console"):
        block = Block(page, comments, text)
        for command, lines in block.runs:
            if command == "./" + program.name:
                return compare(block, command, lines, *run(str(program), program.parent, os.environ))
    raise SystemExit(f"{page}: no block shows what ./{program.name} prints")


def check_commands(page, folder):
    wrong = count = 0
    for comments, text in blocks(page, "console"):
        block = Block(page, comments, text)
        for command, lines in block.runs if block.is_run else []:
            environment = dict(os.environ, TW_DEVICES="host", TW_WARNINGS="0")  # unless the command says otherwise
            wrong += compare(block, command, lines, *run(command, folder, environment))
            count += 1
    if not count:
        raise SystemExit(f"{page} has no commands")
    return wrong


def check_text():
    wrong, shown = [], set()
    pages = sorted(PAGES.glob("*.md"))
    for page in pages:
        text = page.read_text()
        linked = sorted(set(re.findall(r"examples/tutorial/(\w+\.[ch])", text)))
        sources = {name: (PROGRAMS / name).read_text() for name in linked}
        shown.update(linked)
        for _, lines in blocks(page, "c"):
            if not any("\n" + "\n".join(lines) + "\n" in "\n" + source for source in sources.values()):
                wrong.append(f"{page.name}: stands in none of {', '.join(linked)}:\n" + "\n".join(lines))
        headings = re.findall(r"^## (.*)$", text, re.M)
        if headings != PARTS[: len(headings)] or len(headings) < len(PARTS) - (page == pages[-1]):
            wrong.append(f"{page.name}: its parts are {headings}, and should be {PARTS}")
    for source in sorted(PROGRAMS.glob("*.[ch]")):
        if source.name not in shown:
            wrong.append(f"no page shows {source.name}")
    if len(pages) != 8:
        wrong.append(f"there are {len(pages)} steps")
    print("\n".join(wrong), end="\n" if wrong else "")
    return len(wrong)


def main(arguments):
    if arguments[:1] == ["--program"] and len(arguments) == 3:
        return check_program(Path(arguments[1]), Path(arguments[2]))
    if arguments[:1] == ["--commands"] and len(arguments) == 3:
        return check_commands(Path(arguments[1]), arguments[2])
    if arguments == ["--text"]:
        return check_text()
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
