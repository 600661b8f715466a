#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: compare.sh TRACE_LOOP [ROUNDS]
#
# Runs loop.c with TW_TRACE and without, in turn, for kernels of several lengths, and prints the shortest time of a group
# of each in nanoseconds, and their ratio.
set -u
loop=${1:?usage: compare.sh TRACE_LOOP [ROUNDS]}
rounds=${2:-9}
file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT
export OMP_NUM_THREADS=1 TW_DEVICES=host

# least A B: the smaller number; A may be empty
least() {
    awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b + 0 < a + 0 ? b : a }'
}

for case in "0 0" "0 1" "9000 0" "9000 1" "99000 1"; do
    off= on=
    round=0
    while [ $round -lt "$rounds" ]; do
        # shellcheck disable=SC2086
        t=$("$loop" 10000 $case) || exit 1
        off=$(least "$off" "$t")
        # shellcheck disable=SC2086
        t=$(TW_TRACE=$file "$loop" 10000 $case) || exit 1
        on=$(least "$on" "$t")
        round=$((round + 1))
    done
    awk -v case="$case" -v off="$off" -v on="$on" 'BEGIN {
        split(case, c, " ")
        printf "kernel of %5d ns, %s: off %8.1f, on %8.1f, %+7.1f ns, ratio %.3f\n", c[1],
            c[2] ? "waits after each" : "waits at the end", off, on, on - off, on / off }'
done
