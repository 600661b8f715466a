#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/bench/scaling/run.sh overlap|model [ARGUMENT...]
#
# Renews the tables of docs/scaling.md. `overlap` builds examples/halo_mpi and measures it on this machine's processor,
# with Open MPI; `model` needs SimGrid (Debian package libsimgrid-dev), and some minutes. The arguments are those of
# scaling.py, such as constants of another machine.
set -eu
cd "$(dirname "$0")/../../.."

job=${1:-}
case "$job" in
overlap)
    shift
    sh tests/setup.sh --tests
    mkdir -p build/bench
    if ! cmake -S . -B build/bench -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release -DTEAMWORK_GPU=OFF \
        -DTEAMWORK_BUILD_EXAMPLES=ON >build/bench/configure.log 2>&1; then
        cat build/bench/configure.log
        exit 1
    fi
    cmake --build build/bench --target halo_mpi_openmpi_test.host -j "$(nproc)"
    set -- --program build/bench/host/halo_mpi_openmpi_test --mpiexec mpiexec.openmpi "$@"
    ;;
model)
    shift
    if ! command -v smpicc >/dev/null 2>&1; then
        echo "SimGrid was not found (Debian package libsimgrid-dev)"
        exit 1
    fi
    mkdir -p build/bench
    smpicc -O2 tests/bench/scaling/pattern.c -o build/bench/scaling_pattern
    set -- --pattern "$PWD/build/bench/scaling_pattern" "$@"
    ;;
*)
    echo "usage: sh tests/bench/scaling/run.sh overlap|model [ARGUMENT...]"
    exit 2
    ;;
esac
exec python3 tests/bench/scaling/scaling.py "$job" --document docs/scaling.md "$@"
