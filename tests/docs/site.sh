#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: site.sh DOXYGEN DOXYFILE LIBRARY COMPILER     in the folder of the sources
#
# Makes the site and the manual in a temporary folder. Doxygen must not warn, each public name must have an entry with a
# sentence (reference.py), each function that the library exports must have a page of the manual, and so must each inline
# function and macro that the headers document. Figures must be there.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
errors=0
fail() {
    echo "$*"
    errors=$((errors + 1))
}

(cat "$2" && echo "OUTPUT_DIRECTORY = $work") | "$1" - >"$work/log" 2>&1 || {
    fail "Doxygen warns:"
    cat "$work/log"
}
python3 docs/site/manual.py "$work/xml" "$work/man/man3" || fail "manual.py fails"
python3 tests/docs/reference.py "$4" "$work/xml" || fail "the reference is not complete"
[ -e "$work/site/index.html" ] || fail "there is no site"
{
    nm -D --defined-only "$3" | sed -n 's/.* T \(tw_[a-z0-9_]*\).*/\1/p' | grep -v '^tw_internal_'
    # what stands below its documentation
    grep -h -A1 '\*/$' include/teamwork/*.h | sed -n 's/^#define \(T*t*[Ww]_[A-Za-z0-9_]*\).*/\1/p;
        s/^TW_OVERLOADED [a-z_ *]*[ *]\(tw_[a-z0-9_]*\)(.*/\1/p' | grep -v '^TW_INTERNAL_'
} | sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -gt 250 ] || fail "only $(wc -l <"$work/names") names were found"
while read -r name; do
    [ -e "$work/man/man3/$name.3" ] || { fail "no page of the manual for $name"; continue; }
    to=$(sed -n 's|^\.so \(.*\)|\1|p' "$work/man/man3/$name.3")
    [ -z "$to" ] || [ -e "$work/man/$to" ] || fail "the page of $name leads to $to, which is not there"
done <"$work/names"
# pages that groff has something to say about
if command -v groff >/dev/null; then
    find "$work/man/man3" -name 'tw_[a-h]*.3' -print0 | xargs -0 cat | grep -v '^\.so ' | groff -man -Tutf8 -z -wall 2>&1 | sort -u >"$work/groff"
    [ ! -s "$work/groff" ] || fail "groff complains of the manual: $(head -n 5 "$work/groff")"
fi
# links within the site that lead nowhere
grep -ho 'href="[a-z_0-9A-Z.-]*\.html' "$work"/site/*.html | sed 's/href="//' | sort -u | while read -r page; do
    [ -e "$work/site/$page" ] || echo "$page"
done >"$work/missing"
[ ! -s "$work/missing" ] || fail "the site has links to pages that are not there: $(tr '\n' ' ' <"$work/missing")"
# what Doxygen did not understand
raw=$(grep -lE '\{#[a-z0-9]|\*\*&quot;|\]\([a-zA-Z_./]+\.(md|c|h)[)#]' "$work"/site/*.html | grep -v '_source\.html$')
[ -z "$raw" ] || fail "these pages show markup: $raw"
for figure in docs/figures/*; do
    [ -e "$work/site/${figure##*/}" ] || fail "the site lacks $figure"
done
[ "$errors" = 0 ]
