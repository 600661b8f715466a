#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh examples/run.sh [ARGUMENT...]
#
# Builds the Game of Life (examples/life) for this machine, for its GPU if it has one that can be compiled for, and runs
# it with the arguments. Without arguments it does its main job. Installs what is missing first, for --view also SDL2.
set -eu
cd "$(dirname "$0")/.."

case " $* " in
*" --view "*) sh tests/setup.sh --view ;;
*) sh tests/setup.sh ;;
esac

archs=
if command -v nvidia-smi >/dev/null 2>&1; then
    archs=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
        sed -n 's/^\([0-9]*\)\.\([0-9]*\)$/sm_\1\2/p' | sort -u | tr '\n' ';')
fi

configure() {
    cmake -S . -B build/run -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release \
        -DTEAMWORK_BUILD_TESTS=OFF -DTEAMWORK_GPU=OFF "-DTEAMWORK_EXAMPLE_ARCHS=$1" >build/run/configure.log 2>&1
}

mkdir -p build/run
if [ -n "$archs" ] && ! configure "${archs}x86_64"; then
    echo "The program is built for the host only, since it cannot be compiled for the GPU:"
    sed -n '/CMake Error/,/^$/p' build/run/configure.log
    archs=
fi
if [ -z "$archs" ] && ! configure ""; then
    cat build/run/configure.log
    exit 1
fi
cmake --build build/run --target life -j "$(nproc)"
# the main job writes pictures
[ $# -gt 0 ] || set -- --output build/run
exec build/run/examples/life/life "$@"
