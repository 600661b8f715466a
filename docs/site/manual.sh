#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: manual.sh MAN3_DIRECTORY
#
# Leaves of what Doxygen wrote the pages of the headers, called teamwork_NAME.h, and for each name that programs use a
# page that leads there.
set -eu
cd "$1"
for page in *.3; do
    case "$page" in
    teamwork_*) ;;
    tw_* | TW_*)
        target=$(sed -n 's|^\.so man3/\(.*\.h\)\.3$|\1|p' "$page")
        # structs have a page of their own
        [ -z "$target" ] || echo ".so man3/teamwork_$target.3" >"$page"
        ;;
    *.h.3) mv "$page" "teamwork_$page" ;;
    *) rm "$page" ;;
    esac
done
