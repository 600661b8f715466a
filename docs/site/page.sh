#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: page.sh PAGE.md
#
# Headings get the anchors that links of these pages use, as GitHub makes them; Doxygen wants them named, and
# finds figures from docs/.
exec awk -v page="$(basename "$1" .md)" '
function anchor(text) {
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
# names of anchors begin with a letter
function label(page) {
    return page ~ /^[0-9]/ ? "step_" page : page
}
/^```/ { code = !code }
code || /^    / { print; next }
/^##+ / { sub(/ +$/, ""); text = $0; sub(/^#+ /, "", text); print $0 " {#" label(page) "-" anchor(text) "}"; next }
/^# / { gsub(/\*/, "") } # the tree of pages shows no emphasis
{
    line = $0
    out = ""
    gsub(/\]\((docs|\.\.)\/figures\//, "](figures/", line)
    # what is no page of the site, a source or a folder, is named and not linked
    while (match(line, /\[[^\]]*\]\((\.\.\/)*(examples|include|src|offload|tests|docs\/results|results|LICENSE)[^)]*\)/)) {
        link = substr(line, RSTART, RLENGTH)
        if (link ~ /\.md[)#]/)
            break
        text = substr(link, 2, index(link, "](") - 2)
        line = substr(line, 1, RSTART - 1) text substr(line, RSTART + RLENGTH)
    }
    while (match(line, /\]\([a-z_A-Z0-9.\/]*(\.md)?#[^)]*\)/)) {
        link = substr(line, RSTART + 2, RLENGTH - 3)
        split(link, parts, "#")
        file = parts[1]
        sub(/\.md$/, "", file)
        sub(/.*\//, "", file)
        out = out substr(line, 1, RSTART - 1) "](@ref " label(file == "" ? page : file) "-" parts[2] ")"
        line = substr(line, RSTART + RLENGTH)
    }
    gsub(/\047#pragma/, "\047\\&#35;pragma", line) # Doxygen ends code at an apostrophe
    print out line
}' "$1"
