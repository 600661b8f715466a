#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: package_files.sh VERSION_FILE CMAKE
#
# Which versions find_package(Teamwork VERSION) takes, by the VERSION_FILE of a build; and what uninstalling leaves. Says
# what is wrong, else nothing.
set -u
cmake=$2
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
errors=0

fail() {
    echo "$*"
    errors=$((errors + 1))
}

# ---- versions ----
version=$(sed -n 's/^#define TW_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/teamwork/version.h | paste -sd .)
[ "$version" = 0.2.0 ] || fail "this test has the versions around 0.2.0, not $version"
mkdir -p "$work/lib/cmake/Teamwork"
cp "$1" "$work/lib/cmake/Teamwork"
echo >"$work/lib/cmake/Teamwork/TeamworkConfig.cmake"

# takes 1|0 VERSION
takes() {
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(v LANGUAGES NONE)\nfind_package(Teamwork %s QUIET)\n' "$2" \
        >"$work/CMakeLists.txt"
    printf 'message(NOTICE "found ${Teamwork_FOUND}")\n' >>"$work/CMakeLists.txt"
    rm -rf "$work/build"
    said=$("$cmake" -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work" 2>&1 | sed -n 's/^found //p')
    [ "$said" = "$1" ] || fail "find_package(Teamwork $2) finds version 0.2.0: $said, not $1"
}
for wanted in "" 0 0.2 0.2.0 "0.2 EXACT" 0.2...0.4 0.2.0...0.2.0 0.0...1 "0.1...<1"; do
    takes 1 "$wanted"
done
for wanted in 0.1 0.3 0.0 1 0.2.1 "0.2.1 EXACT" 0.3...0.4 0.0...0.1.9 "0.0...<0.2" "0.0...<0.2.0"; do
    takes 0 "$wanted"
done

# ---- uninstalling ----
# uninstalls PREFIX: prints the folders that are left below DESTDIR
uninstalls() {
    rm -rf "$work/dest"
    mkdir -p "$work/dest$1/lib/cmake/Teamwork" "$work/dest$1/share/man/man1" "$work/dest$1/other"
    for file in lib/cmake/Teamwork/TeamworkConfig.cmake share/man/man1/teamwork-info.1; do
        touch "$work/dest$1/$file"
        echo "$1/$file"
    done >"$work/manifest"
    DESTDIR=$work/dest "$cmake" -D MANIFEST="$work/manifest" -P offload/cmake/TeamworkUninstall.cmake >/dev/null 2>&1
    (cd "$work/dest$1" && find . -mindepth 1 | sort | paste -sd ' ')
}
left=$(uninstalls /opt/tw)
[ "$left" = ./other ] || fail "uninstalling from a prefix of its own leaves: $left"
left=$(uninstalls /usr/local)
[ "$left" = "./lib ./lib/cmake ./other ./share ./share/man ./share/man/man1" ] || fail "uninstalling from /usr/local leaves: $left"

[ "$errors" = 0 ]
