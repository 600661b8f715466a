#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh NM OBJECT...
#
# Holds the library's files to the table in floors.txt. Reads the symbols of libteamwork's object files with NM, and the
# #include lines of include/, src/ and offload/. Fails on a use of a file that is not on a floor below, on a circle of
# files, and on an entry of the table that is no longer needed; names the symbol and both files. check.awk compares.
set -u
nm=${1:?usage: check.sh NM OBJECT...}
shift
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# offload/compiler/ is a plugin of the compiler, and no part of the library
find include src offload -name '*.[ch]' ! -path 'offload/cmake/*' ! -path 'offload/compiler/*' |
    LC_ALL=C sort >"$work/files"
sed 's/^/file /' "$work/files" >"$work/facts"

# nm -A -P prints "PATH.o: SYMBOL TYPE ...". U is an undefined symbol, a small letter one that other files do not see.
"$nm" -A -P "$@" >"$work/symbols" || exit 1
sed 's,^.*teamwork_objects\.dir/\(\./\)*,,; s/\.o: / /' "$work/symbols" |
    awk '$3 == "U" { print "needs", $1, $2 } $3 ~ /^[A-TV-Z]$/ { print "defines", $1, $2 }' |
    LC_ALL=C sort >>"$work/facts"

xargs grep -E '^ *# *include *[<"]' /dev/null <"$work/files" |
    sed -E 's/^([^:]*):[^<"]*([<"][^">]*).*/includes \1 \2/' >>"$work/facts"

awk -f tests/floors/check.awk tests/floors/floors.txt "$work/facts"
