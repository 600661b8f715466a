#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh TOOL COMPILER FOLDER
#
# What the tool says of regions that stay, edits of one region, the compilation database, and mistakes of the command line.
set -eu
tool=$1 compiler=$2 folder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$folder"/*.c "$folder"/*.cpp "$folder"/*.h "$work"
cd "$work"

fail() {
    echo "$1"
    exit 1
}

# Each region that is marked stays, for its reason; the reason is told at a line of the region.
"$tool" --compiler "$compiler" refused.c >difference 2>messages && fail "refused.c: exit status 0"
grep -n 'refused: ' refused.c | while IFS= read -r line; do
    number=${line%%:*}
    kind=$(echo "$line" | sed 's/.*refused: \(.*\) \*.*/\1/')
    found=0
    for at in "$number" $((number + 1)) $((number + 2)) $((number + 3)); do
        if grep -q "^refused.c:$at: stays: .*\[$kind\]" messages; then
            found=1
        fi
    done
    [ $found = 1 ] || { cat messages; fail "line $number is not refused for: $kind"; }
done || exit 1
[ "$(grep -c ' stays: ' messages)" = "$(grep -c 'refused: ' refused.c)" ] || { cat messages; fail "more stays"; }
grep -q '^-.*target enter data' difference && fail "data directives moved though regions stay"

# In this program all moves.
"$tool" --compiler "$compiler" teams.cpp -- -std=c++17 >/dev/null 2>messages || { cat messages; fail "teams.cpp: something stays"; }

# So does it in the first state of examples/port.
cp "$folder"/../../../examples/port/*.[ch] "$work"
"$tool" --compiler "$compiler" start.c run.c -- -DPORT_LOOPS=1 >/dev/null 2>messages || { cat messages; fail "start.c: something stays"; }

# One region; the others are as they were.
line=$(grep -n 'map(tofrom : box)' loops.c | cut -d: -f1)
"$tool" --compiler "$compiler" --at "loops.c:$line" >difference 2>messages || fail "--at ends with $?"
[ "$(grep -c '^-.*#pragma' difference)" = 1 ] || { cat difference; fail "--at moves more than one region"; }
grep -q '^+TW_SINGLE_TASK(static main_1);' difference || fail "--at does not move the region"

# A file whose options are in a compilation database; a table.
mkdir build
echo "[{\"directory\": \"$work\", \"file\": \"loops.c\", \"command\": \"$compiler -DROWS=3 -fopenmp -c loops.c -o x.o\"}]" \
    >build/compile_commands.json
"$tool" --compiler "$compiler" -p build --report >table 2>messages || fail "-p ends with $?"
grep -q '^ *11  regions  moved$' table || { cat table; fail "the table is another one"; }

# Edits in place change nothing beside regions, and leave nothing for a second time.
"$tool" --compiler "$compiler" --in-place loops.c 2>messages || fail "--in-place ends with $?"
grep -q '^/\* A comment that belongs to the function below. \*/$' loops.c || fail "a comment is gone"
grep -q 'omp target' loops.c && fail "a region is left"

status=0
"$tool" --compiler "$compiler" --at loops.c:1 >/dev/null 2>messages || status=$?
[ $status = 2 ] || fail "a line without a region: exit status $status"
echo 'int main(void) { return unknown; }' >broken.c
status=0
"$tool" --compiler "$compiler" broken.c >/dev/null 2>messages || status=$?
[ $status = 2 ] && grep -q 'cannot be parsed' messages || fail "a file with an error: exit status $status"
