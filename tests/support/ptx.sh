# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the checks of what kernels become on an NVIDIA GPU, with what they were called with: CLANG INCLUDE_OPTION...
# compile_ptx NAME: NAME.c beside the check, in the simt lowering, or with `lowering` set to something else in the other one, with
# `language` in C++, with `arch` for another architecture.
# Sets source, ptx and work, a directory that the shell removes when it ends. Needs no GPU, CUDA toolkit or device runtime. Exit status 77: the compiler has no NVPTX backend.
set -u
compiler=$1
shift
lowering="-DTW_LOWERING_SIMT -fopenmp-cuda-mode"
language=-std=c17
arch=sm_90
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if ! "$compiler" --print-targets 2>/dev/null | grep -q nvptx64; then
    echo "$compiler has no NVPTX backend"
    exit 77
fi

compile_ptx() {
    source=$(dirname "$0")/$1.c
    ptx=$work/$1.ptx
    shift
    # shellcheck disable=SC2086 # options are words
    "$compiler" $language -O3 -Wall -Wextra -Wpedantic -Werror -fopenmp $lowering -nogpulib \
        -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=$arch \
        -Wno-unknown-cuda-version -S --offload-device-only -o "$ptx" "$@" "$source" || exit 1
}
