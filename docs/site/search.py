#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: search.py SITE

Gives the site that Doxygen made a full-text search, and takes heads of tables without words away: search_index.js has the text of all sections and entries, each with its
title and address, search.html shows what is found, and each page gets the script search.js, which makes the box."""

import json
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

SKIPPED = {"script", "style"}


class Sections(HTMLParser):
    """The sections of a page: (title, anchor, text). One begins at each anchor of a heading or of an entry."""

    def __init__(self, page_title):
        super().__init__()
        self.sections = [[page_title, "", []]]
        self.title = page_title
        self.is_title = False  # inside of a heading, whose text is the title of the section
        self.skipped = 0

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "a" and named.get("id") and "href" not in named:
            self.sections.append([None, named["id"], []])
        if tag in ("h1", "h2", "h3", "h4") and len(self.sections) > 1:
            if self.sections[-1][0]:  # a heading without an anchor
                self.sections.append([None, self.sections[-1][1], []])
            self.is_title = True
        self.skipped += tag in SKIPPED
        if tag in ("p", "td", "tr", "li", "div", "br", "pre", "dt", "dd"):
            self.sections[-1][2].append(" ")

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3", "h4"):
            self.is_title = False
        self.skipped -= tag in SKIPPED

    def handle_data(self, data):
        if self.skipped:
            return
        if self.is_title:
            self.sections[-1][0] = (self.sections[-1][0] or "") + data
        else:
            self.sections[-1][2].append(data)

    def found(self, page):
        for title, anchor, parts in self.sections:
            text = " ".join("".join(parts).split())
            title = " ".join((title or "").replace("◆", "").split())
            if len(text) > 20:
                shown = title if not title or title == self.title else f"{title} – {self.title}"
                yield [title if title.startswith(("tw_", "TW_")) else shown or self.title, page + ("#" + anchor if anchor else ""), text]


def contents(text):
    match = re.search(r'(<div class="contents">)(.*)(</div><!-- contents -->)', text, re.S)
    return match or re.search(r'(<div class="contents">)(.*?)(</div><!-- (?:doc-content|PageDoc))', text, re.S)


def main(site):
    pages = sorted(site.glob("*.html"))
    index = []
    for path in pages:
        text = path.read_text()
        body = contents(text)
        if body and not re.search(r"_source\.html$|^(files|annotated|classes|globals|functions|dir_|pages|graph_legend)", path.name):
            title = re.search(r"<title>(?:[^<:]*: )?([^<]*)</title>", text)[1]
            parser = Sections(title)
            parser.feed(body[2])
            index += parser.found(path.name)
    (site / "search_index.js").write_text("const fulltextIndex = " + json.dumps(index, ensure_ascii=False) + ";\n")
    shutil.copy(Path(__file__).with_name("search.js"), site)
    start = (site / "index.html").read_text()
    body = contents(start)
    results = start[: body.start(2)] + '<div id="results"></div>' + start[body.end(2):]
    results = re.sub(r'<div class="headertitle">.*?</div>\s*</div>', '<div class="headertitle"><div class="title">Search</div></div>',
                     results, count=1, flags=re.S)
    (site / "search.html").write_text(results)
    for path in [*pages, site / "search.html"]:
        text = re.sub(r'<tr class="markdownTableHead">\s*(<th[^>]*>\s*</th>\s*)+</tr>', "", path.read_text())
        path.write_text(text.replace("</body>", '<script src="search.js"></script>\n</body>'))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
