#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# Compiles atomic.c and kernels.c for AMD GPUs with waves of 64 lanes and of 32, in the simt lowering, and compares what
# is in the code with expected.txt. kernels.c is compiled once more with BROKEN, which must be noticed for each kernel.
# Needs no GPU and no device libraries. Exit status 77: the compiler has no backend or no linker for AMD GPUs.
set -u
compiler=$1
shift
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if ! "$compiler" --print-targets 2>/dev/null | grep -q amdgcn; then
    echo "$compiler has no backend for AMD GPUs"
    exit 77
fi
linker=$("$compiler" -print-prog-name=ld.lld)
version=$("$compiler" -dumpversion)
case $("$linker" --version 2>/dev/null) in
*"LLD ${version%%.*}."*) ;;
*)
    echo "$compiler has no ld.lld of its version"
    exit 77
    ;;
esac

# compile NAME ARCH WHAT OPTION...: NAME.c as LLVM's code, in $work/NAME.WHAT
compile() {
    name=$1 arch=$2 result=$work/$1.$3
    shift 3
    "$compiler" -std=c17 -O3 -Wall -Wextra -Wpedantic -Werror -fopenmp -DTW_LOWERING_SIMT -fopenmp-cuda-mode -nogpulib \
        -foffload-lto -fopenmp-targets=amdgcn-amd-amdhsa -Xopenmp-target=amdgcn-amd-amdhsa "-march=$arch" \
        -Xopenmp-target=amdgcn-amd-amdhsa -mcumode -c -emit-llvm --offload-device-only -o "$result" "$@" \
        "$here/$name.c" || exit 1
}

# Functions: what touches memory or waits for it, in order, without the wait at the beginning of every function.
functions() {
    awk -v arch="$1" '
        /^[A-Z_]+:/ { name = $1; line = ""; first = 1; next }
        /^\t(s_waitcnt|global|flat|buffer|ds_|scratch)/ {
            sub(/[ \t]*;.*/, "")
            word = $1
            if (first && word == "s_waitcnt") {
                first = 0
                next
            }
            sub(/^global_/, "", word)
            sub(/_(dword|b32|u32)$/, "", word)
            if (word == "s_waitcnt") {
                word = "wait"
                for (i = 2; i <= NF; ++i)
                    word = word "." $i
                gsub(/cnt\(0\)/, "", word)
            } else if (word == "s_waitcnt_vscnt") {
                word = "wait.vs"
            } else {
                for (i = 2; i <= NF; ++i)
                    if ($i ~ /^(glc|slc|dlc|sc0|sc1|nt)$/)
                        word = word "." $i
            }
            line = line " " word
        }
        /s_setpc_b64/ { print arch, name line }' "$2"
}

# Kernels: bytes of local memory and of stack, and how often there is what. A kernel that other files cannot see has the
# name that its region has.
kernels() {
    awk -v arch="$1" '
        function add(text) {
            if (count[text])
                line = line " " text (count[text] > 1 ? "*" count[text] : "")
        }
        /^__omp_offloading_.*:/ {
            name = $1
            sub(/^__omp_offloading_[0-9a-f]+_[0-9a-f]+_/, "", name)
            sub(/_tw_simt_.*/, "", name)
            split("", count)
            inside = 1
        }
        !inside { next }
        $1 ~ /^s_load_/ { ++count["arguments"] }
        $1 ~ /^(global|flat)_load/ { ++count[substr($1, 1, index($1, "_")) "load"] }
        $1 ~ /^(global|flat)_store/ { ++count[substr($1, 1, index($1, "_")) "store"] }
        $1 ~ /^(global|flat)_atomic/ { ++count[substr($1, 1, index($1, "_")) "atomic"] }
        $1 ~ /^ds_(read|load)/ { ++count["ds_load"] }
        $1 ~ /^ds_(write|store)/ { ++count["ds_store"] }
        $1 ~ /^ds_(add|sub|min|max|inc)/ { ++count["ds_atomic"] }
        $1 ~ /^ds_(bpermute|swizzle)/ { ++count["permute"] }
        /(quad_perm|row_half_mirror|row_mirror|row_shr)/ { ++count["dpp"] }
        $1 ~ /^v_readlane/ { ++count["readlane"] }
        $1 == "s_barrier" { ++count["barrier"] }
        $1 ~ /^scratch_|^buffer_(load|store)/ { ++count["stack"] }
        $1 ~ /^s_(swappc|setpc|call)/ { ++count["call"] }
        $1 == ".amdhsa_system_vgpr_workitem_id" { ids = $2 + 1 }
        $1 == ".amdhsa_group_segment_fixed_size" { local_bytes = $2 }
        $1 == ".amdhsa_private_segment_fixed_size" { stack_bytes = $2 }
        $1 == ".end_amdhsa_kernel" {
            line = count["arguments"] ? " arguments" : ""
            if (ids > 1)
                line = line " ids=" ids
            if (local_bytes)
                line = line " local=" local_bytes
            if (stack_bytes)
                line = line " stack_bytes"
            n = split("global_load global_store global_atomic flat_load flat_store flat_atomic ds_load ds_store " \
                      "ds_atomic permute dpp readlane barrier stack call", what, " ")
            for (i = 1; i <= n; ++i)
                add(what[i])
            print arch, name ":" line
            inside = 0
        }' "$2"
}

for arch in gfx90a gfx942 gfx1100; do
    compile atomic "$arch" bc "$@"
    "$compiler" --target=amdgcn-amd-amdhsa "-mcpu=$arch" -mcumode -nogpulib -O3 -S -x ir -o "$work/atomic.s" \
        "$work/atomic.bc" || exit 1
    functions "$arch" "$work/atomic.s" >>"$work/found.no"
    [ "$arch" != gfx942 ] || continue # its kernels are as gfx90a's
    variants=no
    [ "$arch" != gfx90a ] || variants="no yes"
    for broken in $variants; do
        if [ "$broken" = yes ]; then
            compile kernels "$arch" bc -DBROKEN "$@"
        else
            compile kernels "$arch" bc "$@"
        fi
        "$linker" -shared "-plugin-opt=mcpu=$arch" -plugin-opt=O3 --lto-emit-asm -o "$work/kernels" \
            "$work/kernels.bc" || exit 1
        kernels "$arch" "$work/kernels.lto.s" >>"$work/found.$broken"
    done
done

grep -v -e '^#' -e '^$' "$here/expected.txt" | LC_ALL=C sort >"$work/expected.sorted"
LC_ALL=C sort "$work/found.no" >"$work/found.sorted"
if ! diff "$work/expected.sorted" "$work/found.sorted"; then
    echo "(lines with < are expected, lines with > are what the compiler made)"
    exit 1
fi
unnoticed=$(LC_ALL=C sort "$work/found.yes" | LC_ALL=C comm -12 - "$work/expected.sorted")
if [ -n "$unnoticed" ]; then
    echo "broken kernels are as expected:"
    echo "$unnoticed"
    exit 1
fi
echo "$(wc -l <"$work/found.no") functions and kernels are as expected"
