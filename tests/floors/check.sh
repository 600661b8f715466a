#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh NM OBJECT...
#
# Holds the files of the library and of the compiler component to the table in floors.txt. Reads the symbols of their
# object files with NM, and the #include lines of include/, src/ and offload/. Fails on a use of a file that is not on a
# floor below, on a circle of files, and on an entry of the table that is no longer needed; names the symbol and both
# files. check.awk compares.
#
# A folder of the component is compiled at once (offload/cmake/TeamworkCompiler.cmake), so that the symbols of an object
# are those of a folder, which the facts name with a slash at the end. Where the component is not built, only its
# #include lines are checked.
set -u
nm=${1:?usage: check.sh NM OBJECT...}
shift
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find include src offload \( -name '*.[ch]' -o -name '*.cpp' \) ! -path 'offload/cmake/*' | LC_ALL=C sort >"$work/files"
sed -n 's,[^/]*\.cpp$,,p' "$work/files" | uniq | cat "$work/files" - | sed 's/^/file /' >"$work/facts"

# nm -A -P prints "PATH.o: SYMBOL TYPE ...". U is an undefined symbol, a small letter one that other files do not see.
"$nm" -A -P "$@" >"$work/symbols" || exit 1
sed '/teamwork_compiler\.dir/d; s,^.*teamwork_objects\.dir/\(\./\)*,,; s/\.o: / /' "$work/symbols" |
    awk '$3 == "U" { print "needs", $1, $2 } $3 ~ /^[A-TV-Z]$/ { print "defines", $1, $2 }' |
    LC_ALL=C sort >>"$work/facts"

# The object of a folder a/b is Unity/unity_a.b_cxx.cxx.o. Weak symbols, W and V, are inline functions of headers.
awk 'sub(/^.*teamwork_compiler\.dir\/(\.\/)*/, "") {
        if (sub(/^Unity\/unity_/, "offload/compiler/")) {
            sub(/_cxx\.cxx\.o:$/, "/", $1)
            gsub(/\./, "/", $1)
        } else {
            sub(/[^\/]*$/, "", $1)
        }
        if ($3 == "U") print "needs", $1, $2
        if ($3 ~ /^[BDRT]$/) print "defines", $1, $2
    }' "$work/symbols" | LC_ALL=C sort >>"$work/facts"

xargs grep -E '^ *# *include *[<"]' /dev/null <"$work/files" |
    sed -E 's/^([^:]*):[^<"]*([<"][^">]*).*/includes \1 \2/' >>"$work/facts"

awk -f tests/floors/check.awk tests/floors/floors.txt "$work/facts" >"$work/result"
status=$?
c++filt <"$work/result" 2>/dev/null || cat "$work/result"
exit $status
