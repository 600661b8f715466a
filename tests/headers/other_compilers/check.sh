#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# A compiler that cannot compile kernels says so first, in one sentence, and says little else: gcc and g++ where there are any, an old
# clang, and clang without -fopenmp. The headers of the library's objects compile everywhere.
set -u
compiler=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# says SENTENCE HEADER COMMAND...: the first diagnostic of a file with that header
says() {
    sentence=$1
    echo "#include <teamwork/$2>" >"$work/file.c"
    header=$2
    shift 2
    if "$@" -fsyntax-only "$work/file.c" >"$work/said" 2>&1; then
        echo "$*: compiles $header, but must not"
        failed=1
    elif ! grep -E ': (error|fatal error|warning): ' "$work/said" | head -n 1 | grep -Fq "$sentence" ||
        [ "$(grep -cE ': (error|fatal error|warning): ' "$work/said")" -gt 2 ]; then
        echo "$*: with $header, expected first: $sentence"
        head -n 20 "$work/said"
        failed=1
    fi
}

# compiles COMMAND...: files without kernels
compiles() {
    for header in buffer command_graph command_group device event host_memory image local memory queue range sampler sim \
        status storage version view; do
        echo "#include <teamwork/$header.h>" >>"$work/objects.c"
    done
    cat >>"$work/objects.c" <<END
int corner(tw_host_accessor *accessor);
int corner(tw_host_accessor *accessor)
{
    TW_HOST_VIEW(const int) view = TW_HOST_VIEW_OF(accessor, const int);
    return tw_at(view, 0, 1) + tw_at_id(view, tw_id_2d(1, 0));
}
END
    if ! "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$work/objects.c"; then
        echo "$*: does not compile the headers of objects"
        failed=1
    fi
    rm "$work/objects.c"
}

other="compiled by clang 18 or later; others include the headers of the objects"
old="this clang is too old"
for header in teamwork.h kernel.h item.h atomic.h; do
    if command -v gcc >/dev/null; then
        says "$other" "$header" gcc -std=c17 -fopenmp "$@"
    fi
done
for header in teamwork.h kernel.h; do
    if command -v g++ >/dev/null; then
        says "$other" "$header" g++ -x c++ -std=c++17 -fopenmp "$@"
    fi
    says "$old" "$header" "$compiler" -std=c17 -fopenmp -Wno-builtin-macro-redefined -U__clang_major__ -D__clang_major__=14 "$@"
    says "$old" "$header" "$compiler" -x c++ -std=c++17 -fopenmp -Wno-builtin-macro-redefined -U__clang_major__ \
        -D__clang_major__=14 "$@"
    says "compiled with -fopenmp" "$header" "$compiler" -std=c17 "$@"
    says "compiled with -fopenmp" "$header" "$compiler" -x c++ -std=c++17 "$@"
    for clang in clang-14 clang-16 clang-17; do
        if command -v "$clang" >/dev/null; then
            says "$old" "$header" "$clang" -std=c17 -fopenmp "$@"
            says "$old" "$header" "$clang" -x c++ -std=c++17 -fopenmp "$@"
        fi
    done
done

compiles "$compiler" -std=c17 "$@"
if command -v gcc >/dev/null; then
    compiles gcc -std=c17 "$@"
fi
if command -v g++ >/dev/null; then
    compiles g++ -x c++ -std=c++17 "$@"
fi
exit "$failed"
