#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/bench/run.sh cpu|gpu [suite|micro|unseen|halo|multi] [ARGUMENT...]
#
# Builds a benchmark, by default the suite, for this machine's processor or its GPU, runs it with the arguments (--help lists
# them), and makes tables and plots of the results: build/bench/suite_cpu.json and the like, docs/performance.md and
# docs/figures/; of unseen, which is for the processor alone, only the file. With --quick it only sees that all is right.
# Installs what is missing first.
set -eu
cd "$(dirname "$0")/../.."

usage() {
    echo "usage: sh tests/bench/run.sh cpu|gpu [suite|micro|unseen|halo|multi] [ARGUMENT...]"
    exit 2
}

[ $# -gt 0 ] || usage
kind=$1
shift
case "$kind" in
cpu) gpu=OFF ;;
gpu) gpu=ON ;;
*) usage ;;
esac
benchmark=suite
case "${1:-}" in
suite | micro | unseen | halo | multi)
    benchmark=$1
    shift
    ;;
esac
program=${benchmark}_$kind
case "$program" in
halo_cpu | multi_cpu)
    echo "$benchmark needs several GPUs; ${benchmark}_host is for right results on simulated devices"
    exit 2
    ;;
esac

if [ "$program" = unseen_gpu ]; then
    echo "unseen compares with OpenMP on the processor"
    exit 2
fi

sh tests/setup.sh

mkdir -p build/bench
if ! cmake -S . -B build/bench -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release -DTEAMWORK_BUILD_BENCH=ON \
    -DTEAMWORK_BUILD_EXAMPLES=OFF -DTEAMWORK_GPU=$gpu >build/bench/configure.log 2>&1; then
    cat build/bench/configure.log
    exit 1
fi
cmake --build build/bench --target "$program" -j "$(nproc)"

result=build/bench/${benchmark}_$kind.json
"build/bench/tests/bench/$benchmark/$program" --json "$result" "$@"

if [ "$benchmark" = unseen ]; then
    exit 0
fi
for argument in "$@"; do
    if [ "$argument" = --quick ]; then
        exit 0
    fi
done

# The system's python is the one that Debian's matplotlib is installed for.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then
        exec "$python" tests/bench/report.py "$result"
    fi
done
exec python3 tests/bench/report.py "$result"
