#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/bench/run.sh cpu|gpu [ARGUMENT...]
#
# Builds the benchmark suite for this machine's processor or its GPU, runs it with the arguments (suite/main.c lists them), and
# makes tables and plots of the results: build/bench/suite_cpu.json or suite_gpu.json, docs/performance.md and docs/figures/.
# With --quick it only sees that all is right. Installs what is missing first.
set -eu
cd "$(dirname "$0")/../.."

kind=${1:-}
case "$kind" in
cpu | gpu) shift ;;
*)
    echo "usage: sh tests/bench/run.sh cpu|gpu [ARGUMENT...]"
    exit 2
    ;;
esac

sh tests/setup.sh

gpu=OFF
if [ "$kind" = gpu ]; then
    gpu=ON
fi
mkdir -p build/bench
if ! cmake -S . -B build/bench -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release -DTEAMWORK_BUILD_BENCH=ON \
    -DTEAMWORK_BUILD_EXAMPLES=OFF -DTEAMWORK_GPU=$gpu >build/bench/configure.log 2>&1; then
    cat build/bench/configure.log
    exit 1
fi
cmake --build build/bench --target "suite_$kind" -j "$(nproc)"

result=build/bench/suite_$kind.json
"build/bench/tests/bench/suite/suite_$kind" --json "$result" "$@"

for argument in "$@"; do
    if [ "$argument" = --quick ]; then
        exit 0
    fi
done

# The system's python is the one that Debian's matplotlib is installed for.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then
        exec "$python" tests/bench/suite/report.py "$result"
    fi
done
echo "$result is there, but no report was made of it: install matplotlib (Debian package python3-matplotlib)"
