#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/toolchains/cuda.sh VERSION TOOLKIT [REGEX]
#
# Compiles a sample of the tests and examples, or those whose names match, for NVIDIA GPUs with clang-VERSION and the CUDA
# toolkit in a folder, in both lowerings; looks at what teamwork-info finds in each program; and runs the tests where there
# is a GPU. cuda_wheels.sh makes a folder with CUDA 12. Where clang has no device runtime, device_runtime.sh makes it:
#
#   sh tests/toolchains/cuda_wheels.sh 12.9 build/cuda-12.9
#   sh tests/toolchains/cuda.sh 19 build/cuda-12.9
#   sh tests/toolchains/device_runtime.sh 22 llvm-toolchain-22-22.1.8 build/llvm-22
#   TEAMWORK_LLVM_ROOT=build/llvm-22 sh tests/toolchains/cuda.sh 22 build/cuda-12.9
#
# The GPU is the machine's, else an sm_90; ARCH=sm_80 chooses another one. libomp is that of LLVM 19.
set -eu
version=${1:?usage: cuda.sh VERSION TOOLKIT [REGEX]}
toolkit=$(realpath "${2:?usage: cuda.sh VERSION TOOLKIT [REGEX]}")
root=${TEAMWORK_LLVM_ROOT:+$(realpath "$TEAMWORK_LLVM_ROOT")}
sample='^(simple|matrix_add|hierarchical|reduction|test_(atomic|nd_range|local_accessor|builtin_common|variable|printf))$'
regex=${3:-$sample}
cd "$(dirname "$0")/../.."
build=build/clang-$version-$(basename "$toolkit")${ARCH:+-$ARCH}
# clang.sh says why
mkdir -p "$build/omp"
cp /usr/lib/llvm-19/lib/clang/19/include/omp*.h "$build/omp/"
flags="-isystem $PWD/$build/omp"
cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="clang-$version" -DCMAKE_CXX_COMPILER="clang++-$version" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_BUILD_TYPE=Release -DTEAMWORK_WERROR=ON \
    -DTEAMWORK_GPU=ON -DTEAMWORK_GPU_ALL=ON ${ARCH:+"-DTEAMWORK_GPU_ARCH=$ARCH"} -DCUDAToolkit_ROOT="$toolkit" \
    -DTEAMWORK_LLVM_ROOT="${root:-/usr/lib/llvm-$version}" -DTEAMWORK_OMP_LIBRARY=/usr/lib/llvm-19/lib/libomp.so \
    -DTEAMWORK_BUILD_COMPILER=OFF >"$build/configure.log"

programs=$(ninja -C "$build" -t targets all |
    sed -nE 's/^([a-z_0-9]+)(\.gpu-(simt|teams)): phony$/\1 \2/p' | grep -v '^cmake_' | sort -u |
    while read -r name variant; do
        if echo "$name" | grep -qE "$regex"; then echo "$name$variant"; fi
    done)
[ "$programs" ] || { echo "cuda.sh: no program matches $regex" >&2 && exit 2; }
# shellcheck disable=SC2086 # names are words
ninja -C "$build" teamwork-info $programs

# each program has an image with kernels of its lowering, whose registers are known
failed=0
for program in $programs; do
    lowering=${program##*-}
    kernels=$("$build/teamwork-info" "$build/gpu-$lowering/${program%.gpu-*}" |
        awk -v lowering="$lowering" '/^  image for nvptx64/ { image = 1 } image && $2 == lowering && $4 > 0' | wc -l)
    echo "$program: $kernels kernels"
    [ "$kernels" -gt 0 ] || failed=1
done
[ "$failed" = 0 ] || { echo "cuda.sh: a program has no kernels" >&2 && exit 1; }
ctest --test-dir "$build" -L gpu -R "$(echo "$regex" | sed 's/^^//; s/\$$//')" --timeout 300
