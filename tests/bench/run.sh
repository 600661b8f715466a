#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/bench/run.sh cpu|gpu [suite|micro|unseen|halo|patterns] [ARGUMENT...]
#
# Builds a benchmark, by default the suite, for this machine's processor or its GPU, and runs it with the arguments
# (--help lists them). The results are in build/bench/suite_cpu.json and the like, and renew docs/results/ and the
# summary in docs/performance.md. With --quick it only sees that all is right. Installs what is missing first.
set -eu
cd "$(dirname "$0")/../.."

kind=${1:-}
shift || true
benchmark=suite
case "${1:-}" in
suite | micro | unseen | halo | patterns)
    benchmark=$1
    shift
    ;;
esac
case "$benchmark"_"$kind" in
suite_cpu | micro_cpu | unseen_cpu) gpu=OFF ;;
suite_gpu | micro_gpu | halo_gpu | unseen_gpu | patterns_gpu) gpu=ON ;;
*)
    echo "usage: sh tests/bench/run.sh cpu|gpu [suite|micro|unseen|halo|patterns] [ARGUMENT...]"
    echo "halo is for several GPUs (halo_host: right results on simulated devices), patterns for one with nvcc"
    exit 2
    ;;
esac
program=${benchmark}_$kind

sh tests/setup.sh

mkdir -p build/bench
if ! cmake -S . -B build/bench -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release -DTEAMWORK_BUILD_BENCH=ON \
    -DTEAMWORK_BUILD_EXAMPLES=OFF -DTEAMWORK_GPU=$gpu >build/bench/configure.log 2>&1; then
    cat build/bench/configure.log
    exit 1
fi
cmake --build build/bench --target "$program" -j "$(nproc)"

[ "$benchmark" != patterns ] || exec "build/bench/tests/bench/patterns/$program" "$@"
"build/bench/tests/bench/$benchmark/$program" --json "build/bench/$program.json" "$@"
[ "$benchmark" != unseen ] || exit 0
python3 tests/bench/report.py "build/bench/$program.json"
[ "$benchmark" != suite ] || exec python3 tests/bench/plot.py
