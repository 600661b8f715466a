#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_docs.sh COMPILER [MORE COMPILER OPTIONS...]
#
# Holds README.md and docs/*.md to the sources: the tables of statuses and of questions about devices are those of the
# headers, what is named exists, the map of the specification has every clause and names tests that there are, the code
# compiles, and links lead somewhere. Says what is wrong, else nothing.
# shellcheck disable=SC2016 # backquotes of the documents
set -u
compiler=${1:?usage: check_docs.sh COMPILER}
shift
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
documents="README.md $(echo docs/*.md docs/tutorial/*.md)"
includes="-I. -Iinclude -Ioffload/include -Ioffload/port"
errors=0

fail() {
    echo "$*"
    errors=$((errors + 1))
}

# same NAME FILE FILE: both have the same lines
same() {
    diff "$2" "$3" >"$work/diff" || {
        fail "$1 differ (<: header, >: documentation):"
        cat "$work/diff"
    }
}

# ---- tables that come from a list in a header ------------------------------------------------------------------------

# Rows as the preprocessor sees them: each on a line that begins with @, strings still in their quotes.
expand() {
    # shellcheck disable=SC2086 # includes are words
    "$compiler" -E -P $includes -x c - | sed 's/@/\n@/g' | sed -n 's/^@ *//p'
}

expand >"$work/statuses.raw" <<'EOF'
#include <teamwork/status.h>
#define QUOTED(name, value, meaning) @ name | value | meaning
TW_STATUS_LIST(QUOTED)
EOF
# adjacent string literals are one
sed 's/" *"//g; s/"//g; s/ *$//; s/ | */ | /g' "$work/statuses.raw" >"$work/statuses.header"
sed -n 's/^| `\(TW_[A-Z_]*\)` | \([0-9][0-9]*\) | \(.*\) |$/\1 | \2 | \3/p' docs/errors.md >"$work/statuses.docs"
[ -s "$work/statuses.header" ] || fail "no statuses were found in status.h"
same "the statuses" "$work/statuses.header" "$work/statuses.docs"

expand >"$work/questions.raw" <<'EOF'
#include <teamwork/device.h>
#define QUOTED(name, type) @ name | type
TW_DEVICE_INFO_LIST(QUOTED)
EOF
sed 's/_Bool/bool/; s/ *$//; s/ | */ | /g' "$work/questions.raw" >"$work/questions.header"
sed -n 's/^| `\(TW_DEVICE_INFO_[A-Z0-9_]*\)` | `\([^`]*\)` |.*/\1 | \2/p' docs/devices.md >"$work/questions.docs"
[ -s "$work/questions.header" ] || fail "no questions were found in device.h"
same "the questions about devices" "$work/questions.header" "$work/questions.docs"

expand >"$work/kernel.raw" <<'EOF'
#include <teamwork/kernel_limits.h>
#define QUOTED(name, type) @ name | type
TW_KERNEL_INFO_LIST(QUOTED)
EOF
sed 's/ *$//; s/ | */ | /g' "$work/kernel.raw" >"$work/kernel.header"
sed -n 's/^| `\(TW_KERNEL_INFO_[A-Z_]*\)` | `\([^`]*\)` |.*/\1 | \2/p' docs/kernels_in_programs.md >"$work/kernel.docs"
[ -s "$work/kernel.header" ] || fail "no questions were found in kernel_limits.h"
same "the questions about kernels" "$work/kernel.header" "$work/kernel.docs"

expand >"$work/variables.raw" <<'EOF'
#include "src/base/environment.h"
#define QUOTED(name, is_valid, values) @ TW_##name
TW_ENVIRONMENT_LIST(QUOTED)
EOF
sed 's/ //g' "$work/variables.raw" | sort >"$work/variables.header"
sed -n '1,/^## /s/^| `\(TW_[A-Z_]*\)`.*/\1/p' docs/environment.md | sort >"$work/variables.docs"
[ -s "$work/variables.header" ] || fail "no variables were found in environment.h"
same "the environment variables" "$work/variables.header" "$work/variables.docs"

# ---- names -------------------------------------------------------------------------------------------------------------

# Every name of the library in the documentation, and every TEAMWORK_ or LIFE_ option, occurs in the sources.
find include offload src examples tests CMakeLists.txt -type f \( -name '*.[ch]' -o -name '*.f90' -o -name '*.cmake' -o -name '*.in' \
    -o -name CMakeLists.txt -o -name '*.sh' \) ! -path 'tests/docs/*' -exec cat {} + |
    grep -oE '\b(tw|TW|TEAMWORK|teamwork|LIFE)_[A-Za-z0-9_]+' | sort -u >"$work/known"
# shellcheck disable=SC2086 # documents are words
grep -ohE '\b(tw|TW|TEAMWORK|teamwork|LIFE)_[A-Za-z0-9_]+' $documents | sort -u >"$work/named"
# The backend for HIP in docs/backends.md is an example.
for name in $(comm -13 "$work/known" "$work/named" | grep -v '^tw_\(backend_\)*hip'); do
    # shellcheck disable=SC2086
    fail "no source has $name, which is in: $(grep -lwE "$name" $documents | tr '\n' ' ')"
done

# Each public header, but export.h, which is for no program, is named in docs/headers.md; each page in docs/index.md; each
# example in docs/pictures.md; each backend in docs/CONTRIBUTING.md.
names_all() {
    page=$1
    shift
    for path in "$@"; do
        name=$(basename "$path")
        [ "$name" = export.h ] || [ "$path" = "$page" ] || grep -qE "[\`(/{ ]$name\b" "$page" || fail "$page does not name $path"
    done
}
names_all docs/headers.md include/teamwork/*.h
names_all docs/index.md docs/*.md
names_all docs/pictures.md examples/*/ examples/*.c
names_all docs/CONTRIBUTING.md offload/backends/*/

# Each pass of the compiler component that a document names, in italics, is in the pipeline, and each that is there is named.
# shellcheck disable=SC2086
grep -ohE '\*tw-[a-z0-9-]+' $documents | tr -d '*' | sort -u >"$work/named"
grep -oE '"tw-[a-z0-9-]+"' offload/compiler/pipeline.cpp | tr -d '"' | grep -vxE 'tw-(disable|print-pipeline)' | sort -u >"$work/passes"
for pass in $(comm -23 "$work/named" "$work/passes"); do
    fail "$pass: no pass of offload/compiler/pipeline.cpp has this name"
done
for pass in $(comm -13 "$work/named" "$work/passes"); do
    fail "$pass: no document names this pass"
done

# ---- the map of the specification --------------------------------------------------------------------------------------

# The clauses of chapters 2 to 4 of SYCL 1.2, and 5.4.
cat >"$work/clauses" <<'EOF'
2.1 2.2 2.2.1 2.3 2.3.1 2.4 2.4.1 2.4.2 2.4.3 2.5 2.5.1 2.5.2 2.5.3 2.5.4 2.5.5 2.5.6 2.5.7 2.5.8 2.5.9 2.5.10 2.6 2.7
2.7.1 2.8 2.9 2.9.1 2.9.2 2.10 2.10.1 2.11 2.12 3.1 3.2 3.3 3.4 3.5 3.5.1 3.5.2 3.5.3 3.5.4 3.5.4.1 3.5.5 3.5.5.1 3.5.6
3.5.7 3.6 3.6.1 3.6.2 3.6.3 3.6.3.1 3.6.4 3.6.4.1 3.6.4.2 3.6.4.3 3.6.4.4 3.6.4.5 3.6.4.6 3.6.4.7 3.6.4.8 3.6.4.9 3.6.5
3.6.5.1 3.6.6 3.7 3.7.1 3.7.1.1 3.7.1.2 3.7.1.3 3.7.1.4 3.7.1.5 3.7.1.6 3.7.2 3.7.2.1 3.7.2.2 3.7.2.3 3.7.2.4 3.7.2.5
3.7.2.6 3.7.3 3.7.3.1 3.7.3.2 3.7.3.3 3.7.4 3.8 3.8.1 3.9 3.9.1 3.9.2 3.9.3 3.9.4 3.9.5 3.9.6 3.9.7 3.9.8 3.9.9 3.9.10
3.9.10.1 4.1 4.2 4.3 4.4 4.4.1 4.4.2 4.4.2.1 4.4.2.2 4.4.2.3 4.4.2.4 4.4.2.5 5.4 5.4.1
EOF
tr ' ' '\n' <"$work/clauses" >"$work/clauses.expected"
sed -n 's/^### \([2-5]\.[0-9.]*\) .*/\1/p' docs/spec_map.md >"$work/clauses.map"
same "the clauses of spec_map.md" "$work/clauses.expected" "$work/clauses.map"

# A line for each clause: CLAUSE | TESTS | STATUS. Both are items of lists, whose lines are joined.
awk '
    function flush() {
        if (clause != "")
            print clause "|" item["Tests"] "|" item["Status"]
        item["Tests"] = item["Status"] = ""
    }
    /^#/ { flush(); clause = ""; key = "" }
    /^### / { clause = $2 }
    /^- (Tests|Status): / { key = substr($2, 1, length($2) - 1); item[key] = substr($0, length($1 $2) + 2); next }
    /^  / && key != "" { item[key] = item[key] " " substr($0, 3); next }
    { key = "" }
    END { flush() }' docs/spec_map.md >"$work/clauses.read"

# A status is one of four; what is done, wholly or partly, names a test or an example.
while IFS='|' read -r clause tests status; do
    case $status in
    " done"* | " partly:"*)
        case $tests in
        *test* | *examples/* | *.sh*) ;;
        *) echo "spec_map.md: clause $clause is$status, but no test is named" ;;
        esac
        ;;
    " not for C:"* | " not applicable:"* | " missing:"*) ;;
    *) echo "spec_map.md: clause $clause has the status$status" ;;
    esac
done <"$work/clauses.read" >"$work/statuses.wrong"
[ ! -s "$work/statuses.wrong" ] || fail "$(cat "$work/statuses.wrong")"

# Tests are given as `file` or `file: case, case`, without the folders of tests/; "name_*" stands for all cases that begin so.
# So are those that hold the promises of reliability.md, as items of a list below each promise.
{
    cut -d '|' -f 2 "$work/clauses.read"
    awk '/^## The long runs/ { exit } /^  - / { on = 1 } /^- |^$/ { on = 0 } on' docs/reliability.md
} | grep -oE '`[^`]*`' | tr -d '`' | sort -u >"$work/tests.named"
while IFS= read -r entry; do
    file=${entry%%:*}
    path=$(find tests -path "*/$file" | head -n 1)
    [ -n "$path" ] || path=$file
    [ -e "$path" ] || {
        fail "spec_map.md or reliability.md: there is no $file"
        continue
    }
    [ "$file" != "$entry" ] || continue
    for name in $(echo "${entry#*:}" | tr ',' ' '); do
        case $name in
        *\*) grep -qE "TW_CASE\(${name%\*}" "$path" ;;
        *) grep -qE "TW_CASE\($name\)" "$path" ;;
        esac || fail "spec_map.md or reliability.md: $file has no case $name"
    done
done <"$work/tests.named"

# ---- code --------------------------------------------------------------------------------------------------------------

# code FILE [LANGUAGE]: what stands in its blocks of C, or cpp or fortran
code() {
    sed -n '/^```'"${2:-c}"'$/,/^```$/{/^```/d;p;}' "$1"
}

# The code in README.md stands in programs that are tested, line by line; its figure is of the newest results.
code README.md | grep -v '^ *$' >"$work/readme.code"
cat examples/simple.c tests/bench/suite/transpose/*.c >"$work/tested.code"
[ -s "$work/readme.code" ] || fail "README.md has no program"
while IFS= read -r line; do
    grep -qxF -- "$line" "$work/tested.code" || fail "README.md: in no program: $line"
done <"$work/readme.code"
if command -v python3 >/dev/null; then
    python3 tests/bench/plot.py --check || fail "the figure of README.md is not of docs/results"
    python3 tests/bench/plot_algorithms.py --check || fail "the figure or the table of docs/algorithms.md is not of docs/results"
    python3 docs/site/diagrams.py --check || fail "diagrams are not of their source"
fi

# The blocks of each document together are one file, for which the headers are included; docs/backends.md is about the inside.
for document in docs/*.md; do
    inside=
    [ "$document" != docs/backends.md ] || inside="-Isrc -Ioffload"
    code "$document" >"$work/body.c"
    [ -s "$work/body.c" ] || continue
    {
        printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <teamwork/teamwork.h>\n'
        printf '#line 1 "%s (code)"\n' "$document"
        cat "$work/body.c"
    } >"$work/code.c"
    # shellcheck disable=SC2086 # includes are words
    "$compiler" -std=c17 -fopenmp -Wall -Wextra -Wpedantic -Werror -Wno-unused-function $includes $inside "$@" \
        -c "$work/code.c" -o "$work/code.o" >"$work/log" 2>&1 || {
        fail "the code of $document does not compile:"
        cat "$work/log"
    }
done

# Those of C++ and Fortran, where there are compilers.
clangxx=$(echo "$compiler" | sed 's/clang\([^/]*\)$/clang++\1/')
for document in docs/*.md; do
    { printf '#include <teamwork/teamwork.h>\n'; code "$document" cpp; } >"$work/code.cpp"
    code "$document" fortran >"$work/code.f90"
    # shellcheck disable=SC2086 # includes are words
    if command -v "$clangxx" >/dev/null && ! "$clangxx" -std=c++17 -fopenmp -Wall -Wextra -Wpedantic -Werror $includes "$@" \
        -c "$work/code.cpp" -o "$work/code.o" >"$work/log" 2>&1; then
        fail "the code of $document in C++ does not compile:"
        cat "$work/log"
    fi
    if [ -s "$work/code.f90" ] && command -v gfortran >/dev/null && ! gfortran -Wall -Wextra -J "$work" -fsyntax-only \
        include/teamwork/teamwork.f90 "$work/code.f90" >"$work/log" 2>&1; then
        fail "the code of $document in Fortran does not compile:"
        cat "$work/log"
    fi
done

# ---- links -------------------------------------------------------------------------------------------------------------

# Links within the tree: the file is there, and the heading too.
for document in $documents; do
    grep -oE '\]\([^) ]*\)' "$document" | sed 's,^](,,; s,)$,,' | grep -vE '^[a-z]+:' | sort -u >"$work/links" # [=](int x) is a lambda
    while IFS= read -r link; do
        file=${link%%#*}
        target=$document
        [ -z "$file" ] || target=$(dirname "$document")/$file
        if [ ! -e "$target" ]; then
            fail "$document: broken link $link"
            continue
        fi
        case $link in
        *\#*)
            grep '^#' "$target" | sed 's/^#* //' | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' |
                grep -qxF -- "${link#*\#}" || fail "$document: $link: no such heading"
            ;;
        esac
    done <"$work/links"
done

# ---- headers -------------------------------------------------------------------------------------------------------------

# Each public function that returns something says what, by itself; inline ones where they have a comment.
for header in include/teamwork/*.h; do
    awk '/^\/\*/ { text = "" }
        { text = text $0 "\n" }
        /^(TW_API|static inline|TW_[A-Z]*_INLINE|TW_OVERLOADED) / && !/ void tw_/ && text !~ /@return|@copydoc/ {
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            if (name ~ /^tw_/ && name !~ /^tw_internal_/ && ($1 == "TW_API" || / tw_status tw_/ || text ~ /^\/\*\*/))
                print FILENAME ": " name "() has no @return"
        }
        /[;}]$/ && !/^ \*/ || /^$/ { text = "" }
        tolower($0) ~ /otherwise as/ { print FILENAME ":" FNR ": say the causes instead of \"otherwise as\"" }' "$header"
done >"$work/returns"
while read -r line; do fail "$line"; done <"$work/returns"

# ---- statements ----------------------------------------------------------------------------------------------------------

# What is said about the API is true as long as its evidence is there (claims.txt).
while IFS='|' read -r document words source evidence; do
    case $document in
    \#* | '') continue ;;
    esac
    tr -s ' *\n' ' ' <"$document" | grep -qF -- "$words" || fail "claims.txt: $document does not say \"$words\" any more"
    case $evidence in
    !*) ! grep -qE -- "${evidence#!}" "$source" || fail "$document says \"$words\", but $source has ${evidence#!}" ;;
    *) grep -qE -- "$evidence" "$source" 2>/dev/null || fail "$document says \"$words\", but $source has no $evidence" ;;
    esac
done <tests/docs/claims.txt

[ "$errors" = 0 ]
