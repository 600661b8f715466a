#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: move.sh TOOL COMPILER FROM TO FILE...
#
# Copies files to a folder and moves them there.
set -eu
tool=$1 compiler=$2 from=$3 to=$4
shift 4
mkdir -p "$to"
cp "$from"/*.h "$from"/*.cuh "$to"
for file in "$@"; do
    cp "$from/$file" "$to/$file"
done
cd "$to"
status=0
"$tool" --compiler "$compiler" --in-place "$@" 2>messages || status=$?
# 1: something stays
[ "$status" -le 1 ] || { cat messages >&2; exit 1; }
