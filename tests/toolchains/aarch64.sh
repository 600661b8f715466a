#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/toolchains/aarch64.sh [REGEX]
#
# Cross-compiles the library for 64-bit Arm and runs its tests, or those whose names match, on the host backend and on
# simulated devices, under qemu. Makes the folder of a Debian for that processor in build/aarch64/system first. Needs clang-19,
# lld-19, mmdebstrap, qemu-user, and root for mmdebstrap.
set -eu
cd "$(dirname "$0")/../.."
TEAMWORK_AARCH64=$PWD/build/aarch64/system
export TEAMWORK_AARCH64
mkdir -p build/aarch64
[ -e "$TEAMWORK_AARCH64/usr/include/hwloc.h" ] ||
    mmdebstrap --architecture=arm64 --variant=extract bookworm "$TEAMWORK_AARCH64" \
        --include=libc6-dev,libgcc-12-dev,libstdc++-12-dev,libomp-19-dev,libhwloc-dev,libboost-context-dev,libpng-dev
# links to absolute paths, such as libm.so, mean files of that system: else libm.a is linked, which lacks functions of test_math
find "$TEAMWORK_AARCH64/usr/lib" -type l -lname '/*' | while read -r link; do
    ln -sfr "$TEAMWORK_AARCH64$(readlink "$link")" "$link"
done
cmake -S . -B build/aarch64/build -G Ninja --toolchain tests/toolchains/aarch64.cmake -DCMAKE_BUILD_TYPE=Release \
    -DTEAMWORK_GPU=OFF -DTEAMWORK_BUILD_COMPILER=OFF >build/aarch64/configure.log
# left out: what takes minutes when emulated; what is otherwise in qemu, where a stack overflow is no signal, a process has a
# thread more, and a program cannot start itself again; and what LLVM compiles wrongly (docs/devices.md)
sh tests/toolchains/build_and_test.sh build/aarch64/build host "${1:-}" \
    'litmus|scale|queue_depth|barrier_threads|test_chain|test_device\.|device_fault|builtin_convert' teamwork
