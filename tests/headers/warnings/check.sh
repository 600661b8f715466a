#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# statements.c compiles without a warning in the host's pass, in those for an NVIDIA GPU in both lowerings, and in that of a CPU in
# the standard mapping: a program that is built with warnings as errors passes for all devices or for none. Needs no GPU, CUDA
# toolkit or device runtime; the passes for GPUs are left out where the compiler has no NVPTX backend.
set -u
compiler=$1
shift
source=$(dirname "$0")/statements.c

failed=0
# clean PASS OPTION...
clean() {
    pass=$1
    shift
    if ! "$compiler" -std=c17 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wcomma -Wempty-body -Wextra-semi-stmt \
        -Wmissing-prototypes -Wmissing-variable-declarations -Wundef -Werror -fopenmp "$@" -o /dev/null "$source"; then
        echo "in the pass for $pass"
        failed=1
    fi
}

# on_gpu PASS OPTION...
on_gpu() {
    clean "$@" -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_90 -nogpulib \
        -Wno-unknown-cuda-version -S --offload-device-only
}

clean "the host" -c "$@"
clean "the host, with checked pointers" -DTW_CHECK_POINTERS -c "$@"
clean "the host, with checked group scope" -DTW_CHECK_GROUP_SCOPE -c "$@"
clean "a CPU in the standard mapping" -DTW_CPU_DEVICE_PASS -c "$@"
if "$compiler" --print-targets 2>/dev/null | grep -q nvptx64; then
    on_gpu "a GPU, simt" -DTW_LOWERING_SIMT -fopenmp-cuda-mode "$@"
    on_gpu "a GPU, teams" "$@"
fi
exit "$failed"
