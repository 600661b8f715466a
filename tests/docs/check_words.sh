#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_words.sh
#
# Each word in the names of the library's files is a word that readers can look up: it is in the tables of the glossary
# (docs/design.md), or in a name of a public header. Names the words that are in neither, else says nothing. Of a word
# that is in the plural here and in the singular there, or the other way round, either is enough. The compiler component
# has its words in docs/design.md too, but a file for each of LLVM's terms: it is not looked at.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# words: what is left of the standard input when all is in lower case and stands on a line of its own
words() {
    tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9\n' '\n' | sed 's/s$//' | sort -u
}

{
    sed -n '/^## Glossary/,/^## [^G]/s/^| *\([^|]*|\).*| *\([^|]*\) *|$/\1\2/p' docs/design.md
    grep -rhoE '\b(tw|TW)_[A-Za-z0-9_]+' include/teamwork
    ls include/teamwork
} | words >"$work/known"
find src offload \( -name '*.c' -o -name '*.h' \) ! -path 'offload/compiler/*' | sed 's,.*/,,; s/\.[ch]$//' | words >"$work/used"
[ -s "$work/used" ] || { echo "no file was found"; exit 1; }
comm -23 "$work/used" "$work/known" >"$work/unknown"
[ -s "$work/unknown" ] || exit 0
echo "docs/design.md, Glossary: these words of file names are not there, nor in public names:"
while IFS= read -r word; do
    echo "    $word: $(find src offload \( -name "*$word*.c" -o -name "*$word*.h" \) ! -path 'offload/compiler/*' | head -n 3 | tr '\n' ' ')"
done <"$work/unknown"
exit 1
