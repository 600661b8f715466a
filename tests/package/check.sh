#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh BUILD_DIRECTORY COMPILER CMAKE GENERATOR
#
# Installs the built tree into a temporary prefix, and builds and runs the project in user/ against it: with CMake in
# every way to link and to offload, and by hand with pkg-config. Says what went wrong, else nothing.
set -u
build=$1
compiler=$2
cmake=$3
generator=$4
source=$(cd "$(dirname "$0")/user" && pwd)
sources=$(cd "$(dirname "$0")/../.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
errors=0

fail() {
    echo "$*"
    errors=$((errors + 1))
}

# logged COMMAND...: runs it, and shows what it said if it fails
logged() {
    if ! "$@" >"$work/log" 2>&1; then
        fail "failed: $*"
        cat "$work/log"
        return 1
    fi
}

# runs PROGRAM DEVICES KIND: the program succeeds, says nothing else, and its kernels ran on that kind of device
runs() {
    if ! said=$(TW_DEVICES=$2 "$1" 2>&1) || [ "$said" != "$3" ]; then
        fail "$1 with TW_DEVICES=$2: expected to run on \"$3\", said: $said"
    fi
}

# one_omptarget PROGRAM: all of the process uses the same libomptarget
one_omptarget() {
    count=$(ldd "$1" | grep -c 'libomptarget\.so')
    [ "$count" = 1 ] || fail "$1 loads $count versions of libomptarget"
}

logged "$cmake" --install "$build" --prefix "$prefix" || exit 1
pc=$(find "$prefix" -name teamwork.pc)
libdir=$(dirname "$(dirname "$pc")")

# Moved, to see that nothing remembers where it was installed.
mv "$prefix" "$work/moved"
libdir=$work/moved${libdir#"$prefix"}
prefix=$work/moved

# meets PROGRAM SPLIT: its kernel with a barrier became a loop, or the program says once that it did not
meets() {
    said=$(TW_DEVICES=host "$1" 2>&1) || fail "$1: $said"
    if [ "$2" = 1 ]; then
        [ "$said" = met ] || fail "$1 says more than \"met\": $said"
        return
    fi
    [ "$(echo "$said" | grep -c "^teamwork: warning: nd_range kernel meet .* keeps a stack for each work-item")" = 1 ] ||
        fail "$1 does not say once that its kernel keeps stacks: $said"
    TW_WARNINGS=0 runs "$1" host met
}

# openmp_alone PROGRAM IMAGES: a program that uses OpenMP by itself and does not call Teamwork behaves as OpenMP says
openmp_alone() {
    said=$("$1" "$2" 2>&1) || fail "$1 $2 fails ($?): $said"
    one_omptarget "$1"
}
[ -e "$prefix/include/teamwork/teamwork.f90" ] || fail "the module for Fortran is not installed"
if [ -e "$build/teamwork-info" ]; then
    said=$("$prefix/bin/teamwork-info" --device host 2>&1) || fail "the installed teamwork-info fails: $said"
    said=$(CC=$compiler "$prefix/bin/teamwork-info" --check --device host 2>&1) || fail "teamwork-info --check fails: $said"
    [ -e "$prefix/share/man/man1/teamwork-info.1" ] || fail "the page of the manual is not installed"
    [ -e "$prefix/share/bash-completion/completions/teamwork-info" ] || fail "the completion is not installed"
fi
split=0
[ -e "$libdir/teamwork/teamwork_compiler.so" ] && split=1

# ---- components, DESTDIR, uninstalling ----
# files COMPONENT: installs it alone below a folder, and lists its files
files() {
    DESTDIR=$work/$1 logged "$cmake" --install "$build" --prefix /usr --component "$1" >&2 && (cd "$work/$1" && find . ! -type d)
}
[ "$(files runtime | grep -vc 'libteamwork\.so\.\|/LICENSE$')" = 0 ] || fail "component runtime has more than the library"
files devel | grep -q 'include/teamwork/teamwork\.h$' || fail "component devel has no headers"
[ "$(cd "$work/devel" && find . -name '*.so*')" = "$(cd "$work/devel" && find . -name libteamwork.so -type l)" ] ||
    fail "component devel has more shared libraries than the link"
files doc | grep -q '/examples/simple\.c$' || fail "component doc has no examples"
! grep -lF '](../examples' "$prefix"/share/doc/*/*.md || fail "installed pages do not find the examples"
DESTDIR=$work/all logged "$cmake" --install "$build" --prefix /usr
DESTDIR=$work/all logged "$cmake" -D MANIFEST="$build/install_manifest.txt" -P "$sources/offload/cmake/TeamworkUninstall.cmake"
left=$(cd "$work/all" && find . -iname '*teamwork*' -o ! -type d)
[ -z "$left" ] || fail "uninstalling leaves $left"

# ---- CMake ----
# configures DIRECTORY CXX_COMPILER OPTION...
configures() {
    directory=$1
    cxx=$2
    shift 2
    logged "$cmake" -S "$source" -B "$directory" -G "$generator" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$cxx" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
        logged "$cmake" --build "$directory"
}

# what is C++ is linked by clang, or the build says how
clangxx=$(echo "$compiler" | sed 's/clang\([^/]*\)$/clang++\1/')
cxx=$(command -v g++ || echo "$clangxx")
configures "$work/user" "$cxx" && {
    for program in host x86_64 x86_64_teams static kernel_in_static_library kernel_in_shared_library; do
        runs "$work/user/$program" host host
        one_omptarget "$work/user/$program"
    done
    for program in x86_64 x86_64_teams static kernel_in_static_library kernel_in_shared_library openmp_first openmp_last \
        openmp_last_in_library cxx cxx_openmp cxx_kernel_in_shared_library cxx_linked_by_clang; do
        runs "$work/user/$program" cpu offload
    done
    for library in teamwork teamwork_static; do
        openmp_alone "$work/user/openmp_alone_$library" none
        openmp_alone "$work/user/openmp_alone_${library}_images" images
    done
    meets "$work/user/meet" $split
    meets "$work/user/meet_no_compiler" 0
    if ldd "$work/user/static" | grep -q libteamwork; then
        fail "Teamwork::teamwork_static links the shared library"
    fi
    if [ -n "$(find /usr/lib -name libboost_context.a 2>/dev/null)" ] && ldd "$work/user/static" | grep -q libboost; then
        fail "Teamwork::teamwork_static links Boost's shared library, where there is a static one"
    fi
    said=$("$work/user/cxx_openmp_static")
    if ldd "$work/user/cxx_openmp_static" | grep -q libgomp; then
        echo "$said" | grep -q "two OpenMP libraries" || fail "cxx_openmp_static does not refuse to run: $said"
    fi
    if [ "$cxx" = "$clangxx" ]; then
        :
    elif "$cmake" --build "$work/user" --target cxx_kernel_in_static_library >"$work/log" 2>&1; then
        fail "g++ links kernels"
    elif ! grep -q "scale_static has kernels for offload devices, so clang must link what uses it" "$work/log"; then
        fail "g++ does not say why it does not link kernels"
        cat "$work/log"
    fi
}
if command -v "$clangxx" >/dev/null; then
    configures "$work/user_clangxx" "$clangxx" -DCXX_ONLY=ON &&
        logged "$cmake" --build "$work/user_clangxx" --target cxx_kernel_in_static_library cxx_kernels && {
        for program in cxx cxx_kernel_in_static_library cxx_kernels; do
            runs "$work/user_clangxx/$program" cpu offload
        done
    }
fi

# ---- a project of one's own, as examples/own has it for CMake, make and Meson, and for clangd ----
# own TOOL PROGRAM: the program that a tool has built runs on the offload device
own() {
    said=$(TW_DEVICES=cpu "$2" 2>&1) || fail "examples/own by $1 fails: $said"
    case $said in
    "doubled on "*) ;;
    *) fail "examples/own by $1 says: $said" ;;
    esac
}
for tool in cmake make meson; do
    cp -r "$sources/examples/own" "$work/own_$tool"
done
logged "$cmake" -S "$work/own_cmake" -B "$work/own_cmake/build" -G "$generator" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix" && logged "$cmake" --build "$work/own_cmake/build" && own CMake "$work/own_cmake/build/own"
if command -v make >/dev/null; then
    logged make -C "$work/own_make" CC="$compiler" PREFIX="$prefix" && own make "$work/own_make/own"
    make -q -C "$work/own_make" CC="$compiler" PREFIX="$prefix" >"$work/log" 2>&1 || fail "make builds examples/own each time"
    # and the programs of the tutorial, as its first page says
    cp -r "$sources/examples/tutorial" "$work/tutorial"
    logged make -C "$work/tutorial" CC="$compiler" PREFIX="$prefix" order groups &&
        { "$work/tutorial/order" && "$work/tutorial/groups"; } >"$work/log" 2>&1 || fail "the programs of the tutorial fail: $(cat "$work/log")"
fi
if command -v meson >/dev/null; then
    CC=$compiler logged meson setup "$work/own_meson/build" "$work/own_meson" --pkg-config-path="$libdir/pkgconfig" &&
        logged meson compile -C "$work/own_meson/build" && own Meson "$work/own_meson/build/own"
fi
if command -v clangd-19 >/dev/null; then
    clangd-19 --enable-config --check="$work/own_cmake/scale.c" --compile-commands-dir="$work/own_cmake/build" \
        >"$work/log" 2>&1
    grep -q "All checks completed, 0 errors" "$work/log" || {
        fail "clangd complains of examples/own/scale.c"
        grep '^E' "$work/log"
    }
fi

# ---- pkg-config ----
PKG_CONFIG_PATH=$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# by_hand PROGRAM MODULE OPTIONS: compiles and links in one step
by_hand() {
    # shellcheck disable=SC2046,SC2086 # options are words
    logged "$compiler" -std=c17 -O2 -Wall -Wextra -Werror $3 "$source/main.c" "$source/run.c" "$source/scale.c" -o "$work/$1" \
        $(pkg-config --cflags --libs "$2") && one_omptarget "$work/$1"
}

by_hand pc_host teamwork "" && runs "$work/pc_host" host host
for variant in x86_64 x86_64_teams; do
    options=$(pkg-config --variable=offload_$variant teamwork)
    [ -n "$options" ] || fail "teamwork.pc has no variable offload_$variant"
    by_hand pc_$variant teamwork "$options" && runs "$work/pc_$variant" cpu offload
done
if command -v "$clangxx" >/dev/null; then
    # shellcheck disable=SC2046 # options are words
    logged "$clangxx" -std=c++20 -O2 -Wall -Wextra -Wpedantic -Werror $(pkg-config --variable=offload_x86_64 teamwork) \
        "$source/kernels.cpp" -o "$work/pc_cxx" $(pkg-config --cflags --libs teamwork) && runs "$work/pc_cxx" cpu offload
fi

options=$(pkg-config --variable=offload_x86_64 teamwork-static)
by_hand pc_static teamwork-static "$options" && runs "$work/pc_static" cpu offload

for module in teamwork teamwork-static; do
    # shellcheck disable=SC2046 # options are words
    logged "$compiler" -std=c17 -O2 -Wall -Wextra -Werror "$source/openmp.c" -o "$work/pc_openmp_$module" \
        $(pkg-config --cflags --libs "$module") && openmp_alone "$work/pc_openmp_$module" none
done

for undefine in "" -UTW_SPLIT; do
    # shellcheck disable=SC2046,SC2086 # options are words
    logged "$compiler" -std=c17 -O2 -Wall -Wextra -Werror "$source/meet.c" -o "$work/meet" \
        $(pkg-config --cflags --libs teamwork) $undefine && meets "$work/meet" $([ "$undefine" ] && echo 0 || echo $split)
done

# what g++ links by hand has no device images: said at the first queue, unless it is not to be
options=$(pkg-config --variable=offload_x86_64 teamwork)
libraries=$(pkg-config --libs teamwork | sed 's/-fopenmp//')
objects="$work/main.o $work/run.o $work/scale.o"
for object in $objects; do
    # shellcheck disable=SC2046,SC2086 # options are words
    logged "$compiler" -std=c17 -O2 $options $(pkg-config --cflags teamwork) -c \
        "$source/$(basename "$object" .o).c" -o "$object"
done
# shellcheck disable=SC2086 # options are words
if command -v g++ >/dev/null && logged g++ $objects -o "$work/by_gxx" $libraries; then
    sentence="teamwork: warning: the program was linked without the device images of its kernels"
    said=$("$work/by_gxx" 2>&1)
    [ "$(echo "$said" | grep -c "^$sentence")" = 1 ] || fail "by_gxx does not say what it lacks: $said"
    TW_WARNINGS=0 runs "$work/by_gxx" '*' host
    runs "$work/by_gxx" host host
    said=$(TW_WARNINGS=0 TW_DEVICES=cpu "$work/by_gxx" 2>&1)
    echo "$said" | grep -q "lets no device through.*without the device images" || fail "by_gxx says no cause: $said"
fi

[ "$errors" = 0 ]
