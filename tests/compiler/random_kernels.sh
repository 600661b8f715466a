#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: random_kernels.sh PLUGIN LIBRARY FIRST_SEED SEEDS KERNELS CLANG OPTION...
#
# Random kernels (random_kernels.py) give with the plugin what the same work-items give as plain C, which another
# compiler translates if there is one. SEEDS is a number, or a time such as 60s: as many as begin in it. FIRST_SEED `today`
# is another one each day. Seeds take -O1, -O2 and -O3 in turn, and for x86-64 the levels of its instruction set that this
# processor has. What failed is left in /tmp; NUMBER=7 in the environment takes kernel 7 of the seed alone.
plugin=$1 library=$2 first=$3 seeds=$4 kernels=$5
shift 5
here=$(dirname "$0")
folder=$(mktemp -d) failed=0 done=0
[ "$first" = today ] && first=$(date +%Y%m%d)00
flags="-std=c17 -ffp-contract=off -w -I$here"
plain=$(command -v gcc) || plain=$1

levels=none
if [ "$(uname -m)" = x86_64 ]; then
    has() { # whether the processor has all of these instructions
        for name; do
            grep -qw "$name" /proc/cpuinfo || return 1
        done
    }
    levels=x86-64
    has sse4_2 popcnt && levels=x86-64-v2
    has avx2 fma bmi2 && levels="$levels x86-64-v3"
    has avx512f avx512bw avx512cd avx512dq avx512vl && levels="$levels x86-64-v4"
fi

at() { # what of the list, counted from 0
    number=$1
    shift
    shift $((number % $#))
    echo "$1"
}

one() { # all of this seed; the rest are the compiler and its options
    seed=$1
    shift
    arch=$(at $((seed / 3)) $levels)
    options="-O$((seed % 3 + 1))"
    [ "$arch" = none ] || options="$options -march=$arch"
    mkdir -p "$folder/$seed"
    python3 "$here/random_kernels.py" "$seed" "$kernels" "$folder/$seed" $NUMBER || return 1
    $plain $flags -O1 -c "$folder/$seed/plain.c" -o "$folder/$seed/plain.o" || return 1
    timeout 600 "$@" $flags $options -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -fstack-clash-protection \
        -c "$folder/$seed/kernels.c" -o "$folder/$seed/kernels.o" || return 1
    "$1" -fopenmp "$folder/main.o" "$folder/$seed/plain.o" "$folder/$seed/kernels.o" -o "$folder/$seed/a.out" "$library" \
        -Wl,-rpath,"$(dirname "$library")" || return 1
    TW_DEVICES=host timeout 600 "$folder/$seed/a.out" >"$folder/$seed/out" 2>&1 || return 1
    rm -r "${folder:?}/$seed"
}

"$@" $flags -O1 -fopenmp -DTW_LOWERING_HOST -c "$here/random_kernels.c" -o "$folder/main.o" || exit 1
seed=$first begin=$(date +%s)
while case $seeds in *s) [ $(($(date +%s) - begin)) -lt "${seeds%s}" ] ;; *) [ "$done" -lt "$seeds" ] ;; esac do
    if ! one "$seed" "$@"; then
        echo "seed $seed ($options): $folder/$seed"
        [ -f "$folder/$seed/out" ] && cat "$folder/$seed/out"
        failed=1
    fi
    seed=$((seed + 1)) done=$((done + 1))
done
echo "$done seeds from $first on, $((done * kernels)) kernels"
[ "$failed" = 0 ] && rm -r "$folder"
exit "$failed"
