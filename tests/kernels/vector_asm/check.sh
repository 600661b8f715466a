#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# Compiles vector.c, which says what it expects, for an NVIDIA GPU in the simt lowering, and compares the instructions
# that touch global memory. Needs no GPU, CUDA toolkit or device runtime. Exit status 77: this compiler has no NVPTX
# backend.
. "$(dirname "$0")/../../support/ptx.sh"
compile_ptx vector "$@"

sed -n 's|^KERNEL(\([a-z0-9_]*\),.*/\* \(.*\) \*/$|\1: \2|p' "$source" | sort >"$work/expected"

# A kernel has one entry: that for the size of its argument block.
awk '
    /\.entry / {
        name = $NF
        sub(/\(.*/, "", name)
        sub(/^__omp_offloading_[0-9a-f]+_[0-9a-f]+_/, "", name)
        sub(/_tw_simt_[0-9]+_l[0-9_]+$/, "", name)
        lists[name] = ""
    }
    $1 ~ /^(ld|st)\.global/ { lists[name] = lists[name] " " $1 }
    END {
        for (name in lists)
            print name ":" lists[name]
    }' "$ptx" | sort >"$work/found"

count=$(wc -l <"$work/expected")
if [ "$count" -ne "$(grep -c '^KERNEL(' "$source")" ] || [ "$count" -eq 0 ]; then
    echo "not every kernel of $source says what it expects"
    exit 1
fi
if ! diff "$work/expected" "$work/found"; then
    echo "(lines with < are expected, lines with > are what the compiler made)"
    exit 1
fi
echo "$count kernels access memory as expected"

# clang 19 loses conversions of what it has just loaded, but for a remedy in lower/vector/vector.h
if [ "$(grep -c 'cvt\.f64\.f32' "$ptx")" -lt 8 ] || [ "$(grep -c 'cvt\.f32\.f16' "$ptx")" -lt 16 ]; then
    echo "vectors that are loaded and widened are not converted"
    exit 1
fi

# teamwork_add_offload() avoids an instruction that ptxas gets wrong (docs/vectors.md): the option for that works
compile_ptx short3 "$@" --cuda-feature=+ptx78
if grep '[su]16x2' "$ptx"; then
    echo "--cuda-feature=+ptx78 does not avoid pairs of 16-bit integers"
    exit 1
fi
