#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh PLUGIN CLANG INCLUDE_OPTION...
#
# Which kernels of test_split.c the plugin splits: all that have barriers, but for those that are named keeps_....
# Whether it inlines helpers.
plugin=$1
shift
here=$(dirname "$0")/..
remarks=$("$@" -std=c17 -O1 -fopenmp -I"$here" -DTW_SPLIT -fpass-plugin="$plugin" -Rpass=teamwork-split \
    -Rpass-missed=teamwork-split -S -o /dev/null "$here/test_split.c" 2>&1) || {
    echo "$remarks"
    exit 1
}
wrong=$(echo "$remarks" | grep -e 'kernel keeps_[a-z_]* was split' -e ' keeps a stack' | grep -v 'kernel keeps_[a-z_]* keeps')
kept=$(echo "$remarks" | grep -c 'kernel keeps_[a-z_]* keeps a stack')
split=$(echo "$remarks" | grep -c 'was split at')
if [ -n "$wrong" ] || [ "$kept" -lt 2 ] || [ "$split" -lt 8 ] || ! echo "$remarks" | grep -q 'kernel shares_planes was split .*; 1 loop'; then
    echo "$remarks"
    exit 1
fi

# A helper that clang finds too long is inlined, so that the loop over work-items is vectorized.
vectorized=$("$@" -std=c17 -O3 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -Rpass=loop-vectorize -S \
    -o /dev/null "$here/compiler/helper.c" 2>&1 | grep -c 'vectorized loop')
if [ "$vectorized" = 0 ]; then
    echo "the loop over work-items of compiler/helper.c is not vectorized"
    exit 1
fi

# Work-items that go through an array together are lanes, though the last turn is not that of all. A range that the work-items of
# a group share out becomes a loop over that, and one over rows if they divide by their width.
avx2= # whose masks and gathers make lanes pay
[ "$(uname -m)" != x86_64 ] || avx2=-march=x86-64-v3
lanes=$("$@" -std=c17 -O2 $avx2 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -Rpass='teamwork-.*' \
    -Rpass-missed=teamwork-lanes -S -o /dev/null "$here/compiler/grid.c" 2>&1)
for kernel in dot_by_groups dot_by_int dot_by_unsigned dot_by_rows scale_all sum_of_series solve_systems mask_by_groups; do
    if ! echo "$lanes" | grep -q "work-items of kernel $kernel are lanes of vectors"; then
        echo "the work-items of $kernel in compiler/grid.c are not lanes of vectors"
        exit 1
    fi
done
# How many copies of loops and kernels a remark is about.
copies() {
    echo "$1" | grep "$2" | sed 's/.*(\([0-9]*\) \(of [0-9]* \)*copies).*/\1/;t;s/.*/1/' | awk '{ n += $1 } END { print n + 0 }'
}
if [ "$(copies "$lanes" 'work-items of kernel mask_by_groups are lanes of vectors')" -lt 3 ]; then
    echo "the loop over work-items of mask_by_groups in compiler/grid.c is not divided at the borders"
    exit 1
fi
if echo "$lanes" | grep 'kernel squares_by_groups are not lanes .* a variable'; then
    echo "the private variable of squares_by_groups in compiler/grid.c is not the work-items' own, as it may be one of two arrays"
    exit 1
fi
if echo "$lanes" | grep -q 'kernel tree_of_unsigned divide'; then
    echo "levels of tree_of_unsigned in compiler/grid.c are taken for rows"
    exit 1
fi
for said in 'tree_of_any_size was split at 8 barriers' 'tile_by_rows was split .*; 2 loops' 'tile_around was split .*; 2 loops' 'halo_by_id was split .*; 1 loop' 'halo_by_turns was split .*; 1 loop' \
    'halo_by_id divide' 'halo_by_turns divide'; do
    if ! echo "$lanes" | grep -q "kernel $said"; then
        echo "$lanes"
        echo "compiler/grid.c: nothing is said of $said"
        exit 1
    fi
done

if [ "$(uname -m)" = x86_64 ]; then
    products=$("$@" -std=c17 -O2 -march=haswell -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -S -emit-llvm -o - \
        "$here/compiler/grid.c")
    if ! echo "$products" | sed -n '/^define.*@own_products_tw_host(/,/^}/p' | grep -q 'store <8 x float>'; then
        echo "compiler/grid.c: rows of own_products are no vectors"
        exit 1
    fi
fi

# The same program is the same code each time: nothing follows from where the compiler's values are in memory.
grid() {
    "$@" -std=c17 -O2 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -S -emit-llvm -o - "$here/compiler/grid.c"
}
code=$(grid "$@")
if [ "$(grid "$@")" != "$code" ]; then
    echo "compiler/grid.c: the code of a second compilation differs from that of the first"
    exit 1
fi

# What all work-items read at one place is kept once, and what follows from it is computed once.
if ! echo "$code" | sed -n '/^define.*@scale_by_norm_tw_split/,/^}/p' | grep -q 'call.*sqrt.*(float' ||
    echo "$code" | sed -n '/^define.*@scale_by_norm_tw_split/,/^}/p' | grep 'llvm\.sqrt\.v'; then
    echo "each work-item of scale_by_norm in compiler/grid.c computes the root of a value that is the same for all"
    exit 1
fi

# Tiles of any size: both loops over the border are shared out.
if [ "$(copies "$lanes" 'kernel any_tile_rows was split .*; 2 loops')" -lt 3 ] ||
    [ "$(copies "$lanes" 'kernel any_tile_unsigned was split .*; 1 loop')" -lt 4 ]; then
    echo "compiler/grid.c: loops over a border that are not shared out"
    exit 1
fi

# A kernel that goes by steps of a constant size of its groups, and does not say it, has a copy for this size.
if ! echo "$lanes" | grep -q 'kernel halo_unnamed was split .*; 1 loop' ||
    ! echo "$code" | sed -n '/^define.*@halo_unnamed_tw_items_2(/,/^}/p' | grep -q 'call .*@halo_unnamed_tw_split_2\.' ||
    echo "$code" | grep '^define.*@\(odd_steps\|any_tile_[a-z]*\)_tw_split_2\.'; then
    echo "compiler/grid.c: no copy of halo_unnamed for the size that it counts on, or one of another kernel"
    exit 1
fi

if ! echo "$code" | sed -n '/^define.*@groups_unnamed_tw_host(/,/^}/p' | grep -q -e 'icmp eq i64 %[0-9]*, 32$' -e 'i64 32, label'; then
    echo "compiler/grid.c: no copy of groups_unnamed for the size that it counts on"
    exit 1
fi

# So has one of three dimensions, whose rows of 8 work-items are vectors.
if ! echo "$code" | sed -n '/^define.*@cube_unnamed_tw_split_3\.[0-9]*(/,/^}/p' | grep -q 'store <[48] x float>'; then
    echo "compiler/grid.c: no copy of cube_unnamed for the size that it counts on"
    exit 1
fi

# What some work-items of a tile load is not in the way of what all of them do.
if ! echo "$code" | sed -n '/^define.*@halo_by_some_tw_split_2(/,/^}/p' | grep -A2 'load <4 x float>' | grep -q 'store <4 x float>'; then
    echo "rows of halo_by_some in compiler/grid.c are not copied as vectors"
    exit 1
fi

# Neighbouring members of structures are loaded together.
if "$1" --print-targets 2>/dev/null | grep -q x86-64 && [ "$(uname -m)" = x86_64 ]; then
    code=$("$@" -std=c17 -O3 -march=x86-64-v4 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -S -emit-llvm \
        -Rpass=teamwork-jam -o - "$here/compiler/members.c" 2>&1)
    for loads in 'lengths_tw_host.* load <32 x float>'; do
        if ! echo "$code" | sed -n "/^define.*@${loads%%.\**}/,/^}/p" | grep -q "${loads#*.\*}"; then
            echo "members of structures in compiler/members.c are not loaded and stored together: $loads"
            exit 1
        fi
    done
    for kernel in clamp_wide clamp_int; do
        if ! echo "$code" | sed -n "/^define.*@${kernel}_tw_host/,/^}/p" | grep -q 'load <[0-9]* x i8>'; then
            echo "$kernel in compiler/members.c has no inside without clamps"
            exit 1
        fi
    done
    five=$(echo "$code" | sed -n '/^define.*@mask_of_five_tw_/,/^}/p')
    if ! echo "$five" | grep -q 'llvm.masked.load.v[0-9]*f32' || [ "$(echo "$five" | grep -c ' = load <[0-9]* x float>')" -gt 100 ]; then
        echo "mask_of_five in compiler/members.c has no vectors at its borders, or loads again what another row has loaded"
        exit 1
    fi
    if ! echo "$code" | grep -q 'several rows of a group of kernel mask_by_rows are taken together'; then
        echo "rows of groups of mask_by_rows in compiler/members.c are not taken together"
        exit 1
    fi
    if echo "$code" | sed -n '/^define.*@mask_by_rows_tw_items_2(/,/^}/p' | grep 'alloca \[64 x float\]'; then
        echo "rows of groups of mask_by_rows in compiler/members.c at a border go by chunks that they do not fill"
        exit 1
    fi
    if [ "$(echo "$code" | sed -n '/^define.*@turn_rows_tw_split/,/^}/p' | grep -c 'load float')" -ge 32 ]; then
        echo "a row of work-items of turn_rows in compiler/members.c is unrolled in place of vectors"
        exit 1
    fi
    # What lanes add up is in registers, also if LLVM takes several vectors of them together.
    code_of_znver3=$("$@" -std=c17 -O3 -march=znver3 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -S -emit-llvm \
        -o - "$here/compiler/grid.c")
    if echo "$code_of_znver3" |
        sed -n '/^define.*@mask_by_items_tw_host(/,/^}/p' |
        awk '/^[0-9]*:/ { n = s = 0 } /fmuladd\.v(8|16|32)f32/ { ++n } /store <(8|16|32) x float> %/ { ++s } n >= 8 && s > 0 { found = 1 } END { exit !found }'; then
        echo "lanes of mask_by_items in compiler/grid.c store what they add up in each turn"
        exit 1
    fi
    if ! echo "$code_of_znver3" |
        sed -n '/^define.*@squares_by_groups_tw_host(/,/^}/p' |
        awk '/^[0-9]*:/ { s = 1 } /fmuladd\.v(8|16|32)f32/ { s = 0 } /store <(8|16|32) x float> %/ { s = 1 } /br i1/ && s == 0 { found = 1 } END { exit !found }'; then
        echo "lanes of squares_by_groups in compiler/grid.c do not add up in registers"
        exit 1
    fi
    code=$("$@" -std=c17 -O3 -march=x86-64-v4 -mprefer-vector-width=512 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" \
        -S -emit-llvm -o - "$here/compiler/tiles.c")
    product=$(echo "$code" | sed -n '/^define.*@product_of_tiles_tw_split/,/^}/p')
    if [ "$(echo "$product" | grep -c 'icmp slt i64 .*, 4294967296')" -lt 3 ]; then
        echo "tiles in product_of_tiles in compiler/tiles.c are copied as if their indices might wrap around anywhere"
        exit 1
    fi
    if ! echo "$code" | sed -n '/^define.*@sums_in_tile_tw_split/,/^}/p' | grep -q '= load <16 x i8>'; then
        echo "rows of sums_in_tile in compiler/tiles.c have no copy without conditions"
        exit 1
    fi

    # Levels of a tree are code without copies of what work-items keep.
    code=$("$@" -std=c17 -O3 -march=x86-64-v4 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" -S -emit-llvm \
        -o - "$here/compiler/levels.c")
    for kernel in prefix_items_tw_split prefix_group_tw_host; do
        level=$(echo "$code" | sed -n "/^define.*@$kernel/,/^}/p")
        if echo "$level" | grep 'llvm\.memcpy'; then
            echo "levels of $kernel in compiler/levels.c copy what work-items keep"
            exit 1
        fi
        if echo "$level" | grep 'call.*tw_internal_split_memory'; then
            echo "levels of $kernel in compiler/levels.c keep values in memory of the thread"
            exit 1
        fi
    done
    remarks=$("$@" -std=c17 -O3 -march=x86-64-v4 -fopenmp -DTW_LOWERING_HOST -DTW_SPLIT -fpass-plugin="$plugin" \
        -Rpass='teamwork-(levels|lanes|rows)' -Rpass-missed=teamwork-lanes -S -o /dev/null "$here/compiler/levels.c" 2>&1)
    if [ "$(copies "$remarks" 'rows_items .*row by row')" -lt 6 ] || ! echo "$remarks" | grep -q 'rows_items are lanes'; then
        echo "work-items of rows_items in compiler/levels.c do not run row by row, or are not lanes of vectors"
        exit 1
    fi
    # All of a group are lanes.
    row=$(echo "$code" | sed -n '/^define.*@row_group_tw_host/,/^}/p')
    if ! echo "$row" | grep -q 'fadd <32 x float>'; then
        echo "work-items of row_group in compiler/levels.c do not add as lanes"
        exit 1
    fi

    # What follows from the result of a group function is computed once, and a root is no call that work-items would wait for.
    norm=$(echo "$code" | sed -n '/^define.*@norm_items_tw_split/,/^}/p')
    if echo "$norm" | grep -e 'fdiv.* <' -e 'sqrt.*<' || echo "$remarks" | grep 'norm_items are not lanes'; then
        echo "work-items of norm_items in compiler/levels.c divide for themselves, or are not lanes of vectors"
        exit 1
    fi

    # A group that lies inside of a block, and of all numbers, adds the block's sum to whole vectors.
    for kernel in add_items_tw_items add_group_tw_host; do
        if ! echo "$code" | sed -n "/^define.*@$kernel/,/^}/p" | grep -q 'store <8 x i32>'; then
            echo "work-items of $kernel in compiler/levels.c do not know that they have the same quotient"
            exit 1
        fi
    done
fi
