# SPDX-License-Identifier: Apache-2.0
"""What the reports have in common: results stand in documents between markers."""


def replace(text, name, body):
    """The text with `body` between the markers <!-- NAME --> and <!-- /NAME -->."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        raise SystemExit(f"the document has no markers {begin} and {end}")
    return text[:first + len(begin)] + "\n" + body + "\n" + text[last:]
