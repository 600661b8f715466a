#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: symbols.sh LIBRARY [--update]
#
# Compares what the shared library exports with docs/packaging/debian/libteamwork0.2.symbols, and says what a difference
# asks for (docs/CONTRIBUTING.md, Versions). With --update it adds what is new to the list.
set -eu
library=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
part() { sed -n "s/^#define TW_VERSION_$1 *//p" "$source/include/teamwork/version.h"; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
name=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[lib\(.*\)\]/\1/p')
list=$source/docs/packaging/debian/lib$(echo "$name" | sed 's/\.so\.//').symbols
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

[ -e "$list" ] || [ "${2:-}" = --update ] || { echo "there is no $list for lib$name: make one by --update"; exit 1; }
nm -D --defined-only "$library" | awk '{ sub(/@@/, "@"); print $2 == "A" ? $3 "@" $3 : $3 }' | sort >"$work/exported"
sed -n 's/^ \([^ ]*\) .*/\1/p' "$list" 2>/dev/null | sort >"$work/listed"
comm -23 "$work/exported" "$work/listed" >"$work/new"
comm -13 "$work/exported" "$work/listed" >"$work/gone"
if [ "${2:-}" = --update ]; then
    touch "$list"
    { sed -n 's/^ //p' "$list"; sed "s/\$/ $version/" "$work/new"; } | sort >"$work/all"
    { echo "lib$name lib$(echo "$name" | sed 's/\.so\.//') #MINVER#"; sed 's/^/ /' "$work/all"; } >"$list"
elif [ -s "$work/new" ]; then
    echo "new symbols, to be listed by: sh tests/package/symbols.sh LIBRARY --update"
    cat "$work/new"
fi
if [ -s "$work/gone" ]; then
    echo "programs that use these do not start any more; the next version needs another name of the library:"
    cat "$work/gone"
fi
[ ! -s "$work/gone" ] && { [ ! -s "$work/new" ] || [ "${2:-}" = --update ]; }
