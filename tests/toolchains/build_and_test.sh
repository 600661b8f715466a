#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: build_and_test.sh BUILD VARIANTS REGEX LEFT_OUT TARGET...
#
# Of a configured build folder: builds these targets and the tests whose names match, in variants like 'host|x86_64', and
# runs these tests, but for those that match LEFT_OUT.
set -eu
build=$1
variants=$2
regex=$3
left_out=$4
shift 4
programs=$(ninja -C "$build" -t targets all |
    sed -nE "s/^(test_[a-z_0-9]*\.($variants)|unit_[a-z_0-9]*): .*/\1/p" |
    grep -E "${regex:-.}" | sort -u)
# shellcheck disable=SC2086 # names are words
ninja -C "$build" "$@" $programs
ctest --test-dir "$build" -R "^(test|unit)_.*$regex" -E "$left_out" --timeout 300 -j "$(nproc)"
