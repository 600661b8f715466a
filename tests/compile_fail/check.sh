#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh FILE COMPILER OPTION...
#
# Passes if FILE does not compile, and says so well: its comment "EXPECT: regex" gives an extended regular expression
# that must match an error message about the line marked with the comment "HERE", which is where the user's mistake is.
set -u
file=$1
shift

expect=$(sed -n 's|.*/\* *EXPECT: *\(.*[^ ]\) *\*/.*|\1|p' "$file" | head -n 1)
line=$(grep -n '/\* *HERE *\*/' "$file" | head -n 1 | cut -d: -f1)
if [ -z "$expect" ] || [ -z "$line" ]; then
    echo "$file: needs a comment EXPECT and a line marked HERE"
    exit 1
fi

if messages=$("$@" -fno-color-diagnostics -fno-caret-diagnostics "$file" 2>&1); then
    echo "$file: compiles, but must not; expected at line $line: $expect"
    exit 1
fi
if ! printf '%s\n' "$messages" | grep -F "$(basename "$file"):$line:" | grep -E 'error: ' | grep -Eq -- "$expect"; then
    echo "$file: no error at line $line matches: $expect"
    echo "The compiler says:"
    printf '%s\n' "$messages"
    exit 1
fi
