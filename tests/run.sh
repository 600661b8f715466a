#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/run.sh [--quick]
#
# Runs all tests of Teamwork: the format of the sources, the build with warnings as errors, every test on every device
# of this machine; without --quick also the tests under sanitizers on the host and on simulated devices, and clang-tidy.
# The configurations are those of CMakePresets.json. Installs what is missing first. Ends with the line
# "N passed, N failed"; fails if something failed.
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
    ! find include src offload tests examples \( -name '*.[ch]' -o -name '*.cpp' \) -exec clang-format-19 --dry-run -Werror {} + 2>&1 |
        sed -n 's/^\([^ :]*\):[0-9]*:.* error: \(.*\)/\1: \2/p' | sort -u | grep .
}

# tidy PRESET: what clang-tidy finds in the library (.clang-tidy), which is compiled as in that build
tidy() {
    find src offload/rows.c offload/common offload/backends -name '*.c' -print0 |
        xargs -0 -n 1 -P "$jobs" clang-tidy-19 -p "build/$1" --quiet >"build/$1/tidy.log" 2>&1 && return
    grep -vE '^[0-9]+ warnings? |^Suppressed ' "build/$1/tidy.log"
    return 1
}

# tidy_compiler PRESET: the same of the compiler component, by folders
tidy_compiler() {
    sed -n 's,^ *"file": "\(.*/teamwork_compiler\.dir/Unity/.*\|.*/offload/compiler/.*\)".*,\1,p' "build/$1/compile_commands.json" |
        sort -u | tr '\n' '\0' |
        xargs -0 -n 1 -P "$jobs" clang-tidy-19 -p "build/$1" --quiet --config-file=offload/compiler/.clang-tidy \
            >"build/$1/tidy.log" 2>&1 && return
    grep -vE '^[0-9]+ warnings? |^Suppressed ' "build/$1/tidy.log"
    return 1
}

# build PRESET OPTION...
build() {
    log=build/$1/configure.log
    mkdir -p "build/$1"
    if ! cmake --preset "$@" >"$log" 2>&1; then
        cat "$log"
        return 1
    fi
    grep 'not compiled for GPUs' "$log"
    cmake --build --preset "$1" -j "$jobs" -- --quiet
}

# run_ctest PRESET: adds up what CTest reports; skipped tests are neither passed nor failed
run_ctest() {
    log=build/$1/ctest.log
    ctest --preset "$1" -j "$jobs" >"$log" 2>&1
    # one line for each test that passed would hide the others
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ +Start ' "$log"
    total=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\).*/\1/p' "$log")
    broken=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of.*/\1/p' "$log")
    skipped=$(grep -c '(Skipped)$' "$log")
    if [ -z "$total" ]; then
        echo "FAILED: no tests were run in build/$1"
        failed=$((failed + 1))
        return
    fi
    failed=$((failed + broken))
    passed=$((passed + total - broken - skipped))
}

# configuration PRESET OPTION...: builds and tests one of CMakePresets.json, with options of CMake
configuration() {
    echo "== build/$1"
    if count build "$@"; then
        run_ctest "$1"
    fi
}

echo "== format"
count format

configuration test
if [ -z "$quick" ]; then
    configuration asan "-DTEAMWORK_COMPILER_PLUGIN=$PWD/build/test/teamwork_compiler.so" # which is the same
    configuration tsan
    echo "== clang-tidy"
    count tidy test
    if [ -d build/test/CMakeFiles/teamwork_compiler.dir ]; then
        count tidy_compiler test
    fi
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
