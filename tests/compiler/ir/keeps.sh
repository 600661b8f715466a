#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: keeps.sh "OPT OPTION..." TEMPORARY_FILE PASS FILE [OPTION]
#
# Whether a pass refuses all functions of a file whose names begin with keeps_: it may mark their loops, and no more.
functions() { # with the text of attributes, and without the numbers of metadata
    $opt -passes="$1" $option "$file" -o - | awk '
        /^attributes / { name = $2; sub(/^[^{]*/, ""); text[name] = $0 }
        /^define .*@keeps_/, /^}/ { sub(/, !llvm\.loop ![0-9]*/, ""); gsub(/ ![0-9]+/, " !"); line[++lines] = $0 }
        END {
            for (i = 1; i <= lines; ++i) {
                if (match(line[i], / #[0-9]+/))
                    line[i] = line[i] text[substr(line[i], RSTART + 1, RLENGTH - 1)]
                sub(/ #[0-9]+/, "", line[i])
                print line[i]
            }
        }'
}
opt=$1 file=$4 option=${5-}
functions verify >"$2.before" && [ -s "$2.before" ] && functions "$3" >"$2.after" && diff -U3 "$2.before" "$2.after"
