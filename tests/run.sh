#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh tests/run.sh [--all]
#
# Tells in five minutes, on two processors, whether Teamwork works on this machine: it builds the library, the examples
# and most tests, and runs them on the host, on simulated devices, on the x86-64 offload device and on GPUs; then it
# installs the library and builds programs with it.
#
# --all is what continuous integration runs, in 25 minutes: all tests, also under sanitizers, with fuzzing, the format of
# the sources, and clang-tidy. Each of its parts has a budget; it is a failure to need half as much again.
#
# Installs what is missing first. The configurations are those of CMakePresets.json. Ends with the line
# "N passed, N failed"; fails if something failed.
set -u
cd "$(dirname "$0")/.." || exit 1

case "$#${1:-}" in
0 | 1--all) mode=${1:-} ;;
*)
    echo "usage: sh tests/run.sh [--all]"
    exit 2
    ;;
esac

sh tests/setup.sh --tests || exit 1

jobs=$(nproc)
passed=0
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/support/budget.sh

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

# progress WHAT: of lines that begin with n/m or [n/m], shows each tenth; other lines, unless they only say that
# something begins or passed, are shown as they are
progress() {
    tenth=0
    while IFS= read -r line; do
        step=${line#"${line%%[! []*}"}
        step=${step%%[] ]*}
        case $step in
        *[!0-9/]* | */*/* | */ | */0) step= ;;
        [0-9]*/[1-9]*) ;;
        *) step= ;;
        esac
        if [ -n "$step" ] && [ $((10 * ${step%/*} / ${step#*/})) -gt "$tenth" ]; then
            tenth=$((10 * ${step%/*} / ${step#*/}))
            echo "   $1: ${step%/*} of ${step#*/}"
        fi
        case $line in
        "["[0-9]*/[0-9]*"]"* | *" Passed "* | " "*"Start "* | "ninja: "* | "Internal ctest"* | "Test project"*) ;;
        *) echo "$line" ;;
        esac
    done
}

# build PRESET TARGET...
build() {
    preset=$1
    shift
    {
        cmake --build --preset "$preset" -j "$jobs" --target "$@"
        echo $? >"$work/status"
    } 2>&1 | progress "built"
    return "$(cat "$work/status")"
}

# configure PRESET OPTION...
configure() {
    log=build/$1/configure.log
    mkdir -p "build/$1"
    if ! cmake --preset "$@" >"$log" 2>&1; then
        cat "$log"
        return 1
    fi
    grep 'not compiled for GPUs' "$log"
    return 0
}

# run_ctest FOLDER OPTION...: adds up what CTest reports; skipped tests are neither passed nor failed
run_ctest() {
    folder=$1
    shift
    log=$folder/ctest.log
    ctest --test-dir "$folder" --output-on-failure -j "$jobs" "$@" 2>&1 | tee "$log" | progress "tested"
    total=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\).*/\1/p' "$log")
    broken=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of.*/\1/p' "$log")
    skipped=$(grep -c '(Skipped)$' "$log")
    if [ -z "$total" ]; then
        echo "FAILED: no tests were run in $folder"
        failed=$((failed + 1))
        return
    fi
    failed=$((failed + broken))
    passed=$((passed + total - broken - skipped))
    sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec.*$/\2 \1/p' "$log" | sort -rn | head -n 3 |
        awk '{ printf "%s %s (%s s)", NR == 1 ? "   slowest:" : ",", $2, $1 } END { print "" }'
}

# Names the files that clang-format would change.
format() {
    ! find include src offload tests examples \( -name '*.[ch]' -o -name '*.cpp' \) -exec clang-format-19 --dry-run -Werror {} + 2>&1 |
        sed -n 's/^\([^ :]*\):[0-9]*:.* error: \(.*\)/\1: \2/p' | sort -u | grep .
}

# tidy OPTION...: what clang-tidy finds in the files, separated by NUL, of the standard input, compiled as in build/test
tidy() {
    xargs -0 -n 1 -P "$jobs" clang-tidy-19 -p build/test --quiet "$@" >build/test/tidy.log 2>&1 && return
    grep -vE '^[0-9]+ warnings? |^Suppressed ' build/test/tidy.log
    return 1
}

tidy_library() {
    find src offload/rows.c offload/common offload/backends -name '*.c' -print0 >"$work/files"
    tidy <"$work/files"
}

# The compiler component; there is none where LLVM's headers are missing. Checks spend most of their time in these headers:
# so the units of its folders are joined to three, between which no name is defined twice.
tidy_compiler() {
    units=$PWD/build/test/CMakeFiles/teamwork_compiler.dir/Unity
    [ -d "$units" ] || return 0
    # shellcheck disable=SC2086 # folders are words
    for folders in "base analysis utilities transforms.kernels diagnostics" transforms.items "transforms.vectorizer transforms.targets"; do
        unit=$units/tidy_${folders%% *}.cxx
        printf '#include "unity_%s_cxx.cxx"\n' $folders >"$unit"
        printf '%s\0' "$unit"
    done >"$work/files"
    echo '#include "'"$PWD"'/offload/compiler/pipeline.cpp"' >>"$units/tidy_base.cxx"
    tidy --config-file=offload/compiler/.clang-tidy <"$work/files"
}

# configuration PRESET BUILD_BUDGET TEST_BUDGET OPTION...: builds and tests one of CMakePresets.json
configuration() {
    preset=$1 build_budget=$2 test_budget=$3
    shift 3
    count configure "$preset" "$@" || return
    if part "build $preset" "$build_budget" count build "$preset" all; then
        part "test $preset" "$test_budget" run_ctest "build/$preset"
    fi
}

short_run() {
    count configure test || return
    if part "build" 0 count build test tests_short examples/all; then
        part "tests and package" 0 run_ctest build/test -L '^short$'
        part "examples" 0 run_ctest build/test/examples
    fi
}

# Budgets are seconds of processor time: 2705 of the 3000 that two processors have in 25 minutes.
all() {
    part "format" 15 count format
    configuration test 620 560
    configuration asan 240 380 "-DTEAMWORK_COMPILER_PLUGIN=$PWD/build/test/teamwork_compiler.so" # which is the same
    configuration tsan 110 450
    part "clang-tidy" 180 count tidy_library
    part "clang-tidy compiler" 90 count tidy_compiler
}

if [ -n "$mode" ]; then
    all
else
    short_run
fi
report_parts
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
