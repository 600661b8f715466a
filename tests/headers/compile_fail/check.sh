#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh FILE COMPILER OPTION...
#
# Passes if FILE does not compile, even if warnings are not errors, and says so well: its comment "EXPECT: regex" gives an extended
# regular expression that must match the first error. It and all others are about the line marked with the comment "HERE", which
# is where the user's mistake is.
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
errors=$(printf '%s\n' "$messages" | grep -E 'error: ')
if ! printf '%s\n' "$errors" | head -n 1 | grep -Eq -- "$expect" ||
    printf '%s\n' "$errors" | grep -Fv "$(basename "$file"):$line:" | grep -q .; then
    echo "$file: the first error does not match, or one is not about line $line: $expect"
    echo "The compiler says:"
    printf '%s\n' "$messages"
    exit 1
fi
