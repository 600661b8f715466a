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
cp "$folder"/*.c "$folder"/*.cpp "$folder"/*.h "$folder"/*.cu "$folder"/*.cuh "$work"
cd "$work"

fail() {
    echo "$1"
    exit 1
}

# refused FILE: what is marked in a file stays, for its reason, which is told at its line or up to three below; nothing else does.
refused() {
    status=0
    "$tool" --compiler "$compiler" "$1" >difference 2>messages || status=$?
    [ $status = 1 ] || { cat messages; fail "$1: exit status $status"; }
    grep -n 'refused: ' "$1" | while IFS= read -r line; do
        number=${line%%:*}
        kind=$(echo "$line" | sed 's/.*refused: \(.*\) \*.*/\1/')
        found=0
        for at in "$number" $((number + 1)) $((number + 2)) $((number + 3)); do
            if grep -q "^$1:$at: stays: .*\[$kind\]" messages; then
                found=1
            fi
        done
        [ $found = 1 ] || { cat messages; fail "$1: line $number is not refused for: $kind"; }
    done || exit 1
    [ "$(grep -c ' stays: ' messages)" = "$(grep -c 'refused: ' "$1")" ] || { cat messages; fail "$1: more stays"; }
}

refused refused.c
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
grep -q '^ *17  regions  moved$' table || { cat table; fail "the table is another one"; }

# Edits in place change nothing beside regions, and leave nothing for a second time.
"$tool" --compiler "$compiler" --in-place loops.c 2>messages || fail "--in-place ends with $?"
grep -q '^/\* A comment that belongs to the function below. \*/$' loops.c || fail "a comment is gone"
[ "$(grep -c 'omp target' loops.c)" = 1 ] || fail "another region is left than the one that is not compiled"

# CUDA: what stays is as it was; other files come out in C where they can, and a second time there is nothing to do.
refused refused.cu
grep -q '^-.*asm volatile' difference && fail "refused.cu: a kernel that stays is edited"
grep -q '^+++ refused.cpp' difference || fail "refused.cu: the file has another name than refused.cpp"
"$tool" --compiler "$compiler" --report groups.cu outside.cu >table 2>messages || { cat messages; fail "groups.cu: something stays"; }
grep -q '^ *6  kernels  moved$' table && grep -q '^ *6  launches  moved$' table || { cat table; fail "the table is another one"; }
echo "[{\"directory\": \"$work\", \"file\": \"templates.cu\", \"command\": \"nvcc -arch=sm_90 -Xcompiler -Wall -DX=1 -c templates.cu\"}]" \
    >build/compile_commands.json
"$tool" --compiler "$compiler" -p build --report >table 2>messages || { cat messages; fail "templates.cu: something stays"; }
grep -q '^ *4  kernels  moved$' table || { cat table; fail "the table of templates.cu is another one"; }
"$tool" --compiler "$compiler" --in-place groups.cu outside.cu 2>messages || fail "groups.cu: --in-place ends with $?"
[ -e groups.c ] && [ -e outside.c ] && [ ! -e groups.cu ] || fail "groups.cu does not come out in C"
grep -E 'cuda[A-Z]|__(global|device|host|shared|constant|forceinline)__|__sync|<<<|(thread|block)Idx\.' groups.c outside.c part.cuh && fail "something of CUDA is left"
for source in 'cublas_v2.h>:int x:library for CUDA' 'cuda.h>:int x = y:parse' \
    'cuda.h>:void f() { cudaMallocArray(0, 0, 1, 1); }:cuda call'; do
    echo "#include <${source%%:*}" >broken.cu
    rest=${source#*:}
    echo "${rest%:*};" >>broken.cu
    status=0
    "$tool" --compiler "$compiler" broken.cu >/dev/null 2>messages || status=$?
    [ $status = 2 ] && grep -q "broken.cu:[12]: stays: .*\[${source##*:}\]" messages || { cat messages; fail "$source: $status"; }
done

status=0
"$tool" --compiler "$compiler" --at loops.c:1 >/dev/null 2>messages || status=$?
[ $status = 2 ] || fail "a line without a region: exit status $status"
echo 'int main(void) { return unknown; }' >broken.c
status=0
"$tool" --compiler "$compiler" broken.c >/dev/null 2>messages || status=$?
[ $status = 2 ] && grep -q 'cannot be parsed' messages || fail "a file with an error: exit status $status"
