#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh examples/port/time.sh FOLDER [ROUNDS [SUFFIX [OPTION...]]]
#
# Runs the three states in turn, ROUNDS times (7 without it), and prints the median time of a step for each, and how
# many times as fast as the first state it is. FOLDER has the programs port_STATESUFFIX, as build/host/examples/port;
# options are those of the programs. Pictures are made and written, to a temporary folder.
set -eu
folder=${1:?usage: time.sh FOLDER [ROUNDS [SUFFIX [OPTION...]]]}
rounds=${2:-7}
suffix=${3:-}
shift
[ $# -eq 0 ] || shift
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- --cells 1024 --steps 100 --every 10
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

round=0
while [ "$round" -lt "$rounds" ]; do
    for state in start half moved; do
        "$folder/port_$state$suffix" --time --output "$work" "$@" >"$work/out"
        sed -n 's/^.*: \([0-9.]*\) ms per step$/\1/p' "$work/out" >>"$work/$state"
        grep -v 'ms per step' "$work/out" >"$work/$state.computed"
    done
    round=$((round + 1))
done

for state in start half moved; do
    cmp -s "$work/start.computed" "$work/$state.computed" || {
        echo "$state computes something else than start"
        exit 1
    }
    sort -n "$work/$state" | awk -v state="$state" '
        { time[NR] = $1 }
        END {
            half = int((NR + 1) / 2)
            median = NR % 2 ? time[half] : (time[half] + time[half + 1]) / 2
            printf "%s %.4f %.4f %.4f\n", state, median, time[1], time[NR]
        }'
done | awk '
    BEGIN { printf "%-6s %12s %12s %12s %9s\n", "state", "ms per step", "least", "most", "as fast" }
    NR == 1 { first = $2 }
    { printf "%-6s %12.4f %12.4f %12.4f %8.2fx\n", $1, $2, $3, $4, first / $2 }'
