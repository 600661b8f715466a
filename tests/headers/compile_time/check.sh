#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# A kernel's definition expands to a text of limited size. A file that includes every public header compiles within a
# multiple of the processor time that FUNCTIONS small functions take: for the host, and for an NVIDIA GPU in the simt
# lowering; in one of three tries, since machines are busy. So the speed of the machine does not count. Exit status 77:
# this compiler has no NVPTX backend.
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

for header in "$here"/../../../include/teamwork/*.h; do
    echo "#include \"$header\""
done >"$work/all.c"
echo "extern int tw_some_declaration;" >>"$work/all.c"

FUNCTIONS=60
awk -v count="$FUNCTIONS" 'BEGIN { for (i = 0; i < count; ++i)
    printf "int f%d(const int *x, int n) { int s = %d; for (int i = 0; i < n; ++i) s += x[i] * (s ^ i); return s; }\n", i, i
}' >"$work/functions.c"

# seconds OPTION...: compiles, and prints the user time
seconds() {
    sh -c '"$@" || exit 1; times' sh "$compiler" -std=c17 -O3 -fopenmp "$@" -o "$work/out" |
        sed -n '2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p' | awk '{ print 60 * $1 + $2 }'
}

# within TIMES OPTION...: compiles, up to three times, until the time is within TIMES that of the functions; prints both
within() {
    limit=$1
    shift
    for _ in 1 2 3; do
        unit=$(seconds -c "$work/functions.c")
        spent=$(seconds "$@" "$work/all.c")
        [ -n "$unit" ] && [ -n "$spent" ] || return 1
        awk -v spent="$spent" -v unit="$unit" -v limit="$limit" 'BEGIN { exit !(spent < limit * unit) }' && break
    done
    echo "$spent s of $limit times $unit s"
    awk -v spent="$spent" -v unit="$unit" -v limit="$limit" 'BEGIN { exit !(spent < limit * unit) }'
}

# The text of a definition, whatever machine this is: it is what clang has to read for each kernel.
for definition in "TW_SINGLE_TASK(name)" "TW_RANGE_KERNEL(name)" "TW_RANGE_REDUCTION(name, 1, a, b)" \
    "TW_WORK_GROUP_KERNEL(name, 16, 16)" "TW_ND_RANGE_KERNEL(name)" "TW_WORK_GROUP_REDUCTION(name, (16, 16), a, b)" \
    "TW_ND_RANGE_REDUCTION(name, (), a, b)"; do
    for lowering in TW_LOWERING_HOST TW_LOWERING_SIMT TW_LOWERING_TEAMS; do
        case $lowering in
        TW_LOWERING_HOST) limit=6500 ;; # with the list of what its pointers lead to
        TW_LOWERING_SIMT) limit=18000 ;; # two regions, for blocks of up to 256 bytes and of up to 1 KiB; words for parts
        *) limit=13000 ;;
        esac
        case $definition in
        *GROUP_REDUCTION* | *ND_RANGE_REDUCTION*) limit=$((limit + 3000)) ;;
        esac
        printf '#include <teamwork/teamwork.h>\n@%s;\n' "$definition" >"$work/one.c"
        bytes=$("$compiler" -std=c17 -fopenmp -E -P "-D$lowering" "$@" "$work/one.c" | tr -s ' \n' ' ' | sed 's/.*@//' | wc -c)
        if [ "$bytes" -gt "$limit" ] || [ "$bytes" -lt 500 ]; then
            echo "$definition expands to $bytes bytes with $lowering: at most $limit are expected"
            exit 1
        fi
    done
done

echo "all headers, for the host, then for the host and a GPU:"
within 6 -c "$@" || exit 1
# the device's pass needs the host's, too
within 12 -S --offload-device-only -DTW_LOWERING_SIMT -fopenmp-cuda-mode -nogpulib \
    -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_90 -Wno-unknown-cuda-version "$@"
