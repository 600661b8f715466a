#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_tools.sh SIMPLE KERNEL_TIMER [NVTX NVTX_RECORDER]
#
# Runs examples/simple.c with the tools of examples/tool/: what they print, alone and together. Says what is wrong, else
# nothing.
set -u
simple=$1 timer=$2 nvtx=${3:-} recorder=${4:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
errors=0

fail() {
    echo "$*: $(cat "$work/err")"
    errors=$((errors + 1))
}

# with DEVICES TOOLS: runs the program on a device with tools
with() {
    TW_SIM=1 TW_DEVICES=$1 TW_TOOL=$2 "$simple" >/dev/null 2>"$work/err" || fail "$1: it fails with $2"
}

# timed: the timer has seen the program's kernel
timed() {
    grep -qE '^simple +1 times +0\.[0-9]+ s$' "$work/err" || fail "no line of the kernel"
    [ "$(wc -l <"$work/err")" = "$1" ] || fail "not $1 lines"
}

for device in host sim; do
    with $device "$timer"
    timed 1
done
if [ -n "$nvtx" ]; then
    with host "$nvtx" # no profiler is there
    [ ! -s "$work/err" ] || fail "nvtx prints something"
    with host "$timer:$nvtx" # two tools
    timed 1
    export NVTX_INJECTION64_PATH="$recorder"
    for async in 0 1; do
        TW_SIM_ASYNC=$async with sim "$nvtx"
        grep -qx 'domain Teamwork' "$work/err" || fail "no domain"
        [ "$(grep -cx 'push simple' "$work/err")" = 1 ] || fail "the kernel has not one range"
        [ "$(grep -c '^push wait for ' "$work/err")" -ge 1 ] || fail "no wait has a range"
        [ "$(grep -c '^push ' "$work/err")" = "$(grep -cx pop "$work/err")" ] || fail "some ranges do not end"
    done
fi
[ $errors = 0 ]
