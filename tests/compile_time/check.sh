#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# A file that includes every public header compiles within two seconds of processor time for each pass: one for the host,
# one for an NVIDIA GPU in the simt lowering. The best of three, since machines are busy. Exit status 77: this compiler has no
# NVPTX backend.
set -u
compiler=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if ! "$compiler" --print-targets 2>/dev/null | grep -q nvptx64; then
    echo "$compiler has no NVPTX backend"
    exit 77
fi

for header in "$here"/../../include/teamwork/*.h "$here"/../../offload/include/teamwork/lower/printf.h; do
    echo "#include \"$header\""
done >"$work/all.c"
echo "extern int tw_some_declaration;" >>"$work/all.c"

# seconds OPTION...: user time of a compilation
seconds() {
    for _ in 1 2 3; do
        sh -c '"$@" || exit 1; times' sh "$compiler" -std=c17 -O3 -fopenmp "$@" -o "$work/out" "$work/all.c" |
            sed -n '2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p'
    done | awk '{ s = 60 * $1 + $2; if (NR == 1 || s < best) best = s } END { if (!NR) exit 1; print best }'
}

host=$(seconds -c "$@") || exit 1
# the device's pass needs the host's, too
both=$(seconds -S --offload-device-only -DTW_LOWERING_SIMT -fopenmp-cuda-mode -nogpulib \
    -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_90 \
    -Wno-unknown-cuda-version "$@") || exit 1
echo "all headers: $host s for the host, $both s for the host and a GPU"
awk -v host="$host" -v both="$both" 'BEGIN { exit !(host < 2 && both < 4) }'
