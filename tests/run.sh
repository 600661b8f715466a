#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/run.sh [--quick]
#
# Runs all tests of Teamwork: the format of the sources, the build with warnings as errors, every test on every device
# of this machine, and the tests under sanitizers on the host and on simulated devices (not with --quick). Installs what
# is missing first. Ends with the line "N passed, N failed"; fails if something failed.
set -u
cd "$(dirname "$0")/.." || exit 1

quick=
case "${1:-}" in
--quick) quick=1 ;;
"") ;;
*)
    echo "usage: sh tests/run.sh [--quick]"
    exit 2
    ;;
esac

sh tests/setup.sh --tests || exit 1

jobs=$(nproc)
passed=0
failed=0

# count COMMAND...: one check that is not CTest's
count() {
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $*"
        return 1
    fi
}

# Names the files that clang-format would change.
format() {
    ! find include src offload tests examples -name '*.[ch]' -exec clang-format-19 --dry-run -Werror {} + 2>&1 |
        sed -n 's/^\([^ :]*\):[0-9]*:.* error: \(.*\)/\1: \2/p' | sort -u | grep .
}

build() {
    directory=$1
    shift
    mkdir -p "$directory"
    if ! cmake -S . -B "$directory" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DTEAMWORK_WERROR=ON "$@" \
        >"$directory/configure.log" 2>&1; then
        cat "$directory/configure.log"
        return 1
    fi
    grep 'not compiled for GPUs' "$directory/configure.log"
    cmake --build "$directory" -j "$jobs" -- --quiet
}

# Adds up what CTest reports; skipped tests are neither passed nor failed.
run_ctest() {
    log=$1/ctest.log
    ctest --test-dir "$1" --output-on-failure -j "$jobs" >"$log" 2>&1
    # one line for each test that passed would hide the others
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ +Start ' "$log"
    total=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\).*/\1/p' "$log")
    broken=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of.*/\1/p' "$log")
    skipped=$(grep -c '(Skipped)$' "$log")
    if [ -z "$total" ]; then
        echo "FAILED: no tests were run in $1"
        failed=$((failed + 1))
        return
    fi
    failed=$((failed + broken))
    passed=$((passed + total - broken - skipped))
}

# configuration NAME OPTION...: builds and tests one configuration
configuration() {
    configured=build/$1
    shift
    echo "== $configured"
    if count build "$configured" "$@"; then
        run_ctest "$configured"
    fi
}

echo "== format"
count format

# A test is linked in a quarter of the time by lld; that the usual linker does as well is seen by the package's test.
lld=-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld

# Optimized, but with assertions.
configuration test -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 "$lld"
if [ -z "$quick" ]; then
    set -- -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 "$lld"
    configuration test-asan "$@" -DTEAMWORK_SANITIZE=address,undefined
    configuration test-tsan "$@" -DTEAMWORK_SANITIZE=thread -DTEAMWORK_BUILD_SPLIT=OFF
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
