#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh LIBRARY CLANG INCLUDE_OPTION...
#
# In a program without optimization, `break NAME` of gdb stops at the first line of a kernel, with its arguments, and
# `next` goes to the second one. Exit status 77: there is no gdb, or it may not run programs here.
set -u
library=$1
shift
command -v gdb >/dev/null 2>&1 || exit 77
source=$(dirname "$0")/kernels.c
kernels="scale task tile step" # in the order in which they run, with k->by from 11 on
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$@" -std=c17 -fopenmp -DTW_LOWERING_HOST -O0 -g "$source" -o "$work/kernels" "$library" \
    -Wl,-rpath,"$(dirname "$library")" || exit 1

{
    printf 'tbreak main\nrun\n'
    for kernel in $kernels; do
        printf 'tbreak %s\ncontinue\nprint k->by\nnext\nframe\n' "$kernel"
    done
    printf 'kill\n'
} >"$work/script"
TW_DEVICES=host OMP_NUM_THREADS=1 gdb -q -batch -nx -iex 'set debuginfod enabled off' -x "$work/script" \
    "$work/kernels" >"$work/said" 2>&1
grep -q '^Temporary breakpoint 1, main' "$work/said" || grep -q 'hit Temporary breakpoint 1, ' "$work/said" || exit 77

line() { # of the comment with these words
    grep -n "/\* $* \*/" "$source" | cut -d: -f1
}
errors=0
number=1
for kernel in $kernels; do
    first=$(line first "$kernel") second=$(line second "$kernel")
    if ! grep -Eq "[ ,]$kernel \(.*k=0x[0-9a-f]+\) at .*kernels\.c:$first\$" "$work/said" ||
        ! grep -q "^\$$number = $((10 + number))\$" "$work/said" ||
        ! grep -Eq "^#0 +(0x[0-9a-f]+ in )?$kernel \(.*\) at .*kernels\.c:$second\$" "$work/said"; then
        echo "gdb does not stop in kernel $kernel at line $first, with k->by = $((10 + number)), or then at line $second"
        errors=1
    fi
    number=$((number + 1))
done
[ $errors = 0 ] || cat "$work/said"
exit $errors
