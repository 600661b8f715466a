#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/toolchains/clang.sh VERSION [REGEX]
#
# Builds the library with another clang of Debian's, beside clang 19's OpenMP library, and runs its tests on the host, on
# simulated devices and on the x86-64 device, or those whose names match; without REGEX those of the compiler component too.
# Needs clang-VERSION, clang-tools-VERSION, llvm-VERSION-dev, llvm-VERSION-tools, liboffload-22 and what setup.sh installs; for
# GPUs add -DTEAMWORK_GPU=ON to the cmake command.
set -eu
cd "$(dirname "$0")/../.."
version=$1
build=build/clang-$version
# Debian's libomp-dev of different versions exclude each other; of 19's headers a compiler of another version takes only these
mkdir -p "$build/omp"
cp /usr/lib/llvm-19/lib/clang/19/include/omp*.h "$build/omp/"
flags="-isystem $PWD/$build/omp"
cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="clang-$version" -DCMAKE_CXX_COMPILER="clang++-$version" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_BUILD_TYPE=Release -DTEAMWORK_GPU=OFF -DTEAMWORK_WERROR=ON \
    -DTEAMWORK_LLVM_ROOT=/usr/lib/llvm-19 >"$build/configure.log"
sh tests/toolchains/build_and_test.sh "$build" 'host|x86_64' "${2:-}" \
    '\.(x86_64-teams|stacks)$' teamwork teamwork_compiler_plugin
[ -n "${2:-}" ] || CPATH=$PWD/$build/omp ctest --test-dir "$build" -R '^compiler\.' -j "$(nproc)" --output-on-failure
