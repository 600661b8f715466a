#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: plugin_change.sh PLUGIN COMPILER CMAKE
#
# A project that uses an installed plugin of the compiler is compiled again when the plugin changes, and not else: by
# Ninja and by Make, which do not know of plugins. Says what is wrong, else nothing.
set -u
plugin=$1
compiler=$2
cmake=$3
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
errors=0

# as it is installed
mkdir -p "$work/lib/cmake/Teamwork" "$work/lib/teamwork" "$work/project"
cp offload/cmake/Teamwork*.cmake "$work/lib/cmake/Teamwork"
major=$("$compiler" -dumpversion | cut -d . -f 1)
echo 'int one(void); int one(void) { return 1; }' >"$work/project/one.c"
cat >"$work/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(plugin_change LANGUAGES C)
include($work/lib/cmake/Teamwork/TeamworkOffload.cmake)
set(TEAMWORK_COMPILER_CLANG $major)
_teamwork_compiler_options(options)
add_library(one STATIC one.c)
target_compile_options(one PRIVATE \${options})
EOF

# builds GENERATOR: prints whether the object was made, "made" or "kept"
builds() {
    touch "$work/before"
    sleep 0.05
    if ! "$cmake" --build "$work/$1" >"$work/log" 2>&1; then
        cat "$work/log"
        return
    fi
    if [ -n "$(find "$work/$1" -name 'one.c.o' -newer "$work/before")" ]; then echo made; else echo kept; fi
}

# expects WANTED GENERATOR WHEN
expects() {
    said=$(builds "$2")
    [ "$said" = "$1" ] && return
    echo "$2, $3: the object is $said, not $1"
    errors=$((errors + 1))
}

for generator in Ninja "Unix Makefiles"; do
    cp "$plugin" "$work/lib/teamwork/teamwork_compiler.so"
    "$cmake" -S "$work/project" -B "$work/$generator" -G "$generator" -DCMAKE_C_COMPILER="$compiler" >"$work/log" 2>&1 ||
        { cat "$work/log"; errors=$((errors + 1)); continue; }
    expects made "$generator" "at first"
    expects kept "$generator" "when nothing has changed"
    echo >>"$work/lib/teamwork/teamwork_compiler.so" # the loader does not read what is behind the sections
    expects made "$generator" "when the plugin has changed"
    expects kept "$generator" "when nothing has changed since"
done
[ "$errors" = 0 ]
