#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: stress.sh PLUGIN LIBRARY FIRST_SEED SEEDS KERNELS CLANG OPTION...
#
# Random kernels (generate.py) give the same results with the plugin, at -O2 and -O3 in turn, as without. What failed is
# left in /tmp; what takes the compiler more than ten minutes has failed. The programs without have no vectors, also where
# the headers ask for them: LLVM 19's vectorizer reads an address that is the same in all turns, but computed under a
# condition, for turns in which it does not hold.
plugin=$1 library=$2 first=$3 seeds=$4 kernels=$5
shift 5
here=$(dirname "$0")
folder=$(mktemp -d) failed=0
compile() { # with what options, and which program
    program=$1
    shift
    timeout 600 "$@" -std=c17 -fopenmp -ffp-contract=off -DTW_LOWERING_HOST -w -fstack-clash-protection "$folder/$seed.c" \
        -o "$folder/$program" "$library" -Wl,-rpath,"$(dirname "$library")"
}
seed=$first
while [ "$seed" -lt $((first + seeds)) ]; do
    python3 "$here/generate.py" "$seed" "$kernels" >"$folder/$seed.c" || exit 1
    if compile stacks "$@" -O1 -mllvm -force-vector-width=1 && compile split "$@" -O$((2 + seed % 2)) -DTW_SPLIT -fpass-plugin="$plugin" \
        && TW_DEVICES=host TW_WARNINGS=0 "$folder/stacks" >"$folder/stacks.out" \
        && TW_DEVICES=host "$folder/split" >"$folder/split.out" && diff "$folder/stacks.out" "$folder/split.out"; then
        rm "$folder/$seed.c"
    else
        echo "seed $seed: $folder/$seed.c"
        failed=1
    fi
    seed=$((seed + 1))
done
[ "$failed" = 0 ] && rm -r "$folder"
exit "$failed"
