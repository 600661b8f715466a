#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh CLANG INCLUDE_OPTION...
#
# Compiles atomic.c, which says what it expects, for an NVIDIA GPU in the simt lowering, and compares the instructions
# that touch memory; histogram.c, range.c, matrix.c, merge.c and image.c likewise; and shared.c in the teams lowering. Needs no
# GPU, CUDA toolkit or device runtime; with a toolkit the result is assembled too. Exit status 77: this compiler has no NVPTX backend.
# shellcheck disable=SC2046,SC2086 # lists of instructions are words
. "$(dirname "$0")/../../support/ptx.sh"
ptxas=
for assembler in "$(command -v ptxas)" "${CUDA_PATH:-/usr/local/cuda}/bin/ptxas"; do
    [ -x "$assembler" ] && ptxas=$assembler
done

# What work-items share is stored to shared memory and loaded from there, in each kernel.
lowering=-DTW_LOWERING_TEAMS compile_ptx shared "$@"
if ! awk '
    /\.(entry|func) .*\($/ { kernel = /broadcast/ ? "broadcast" : "by_hand" }
    /[ \t]ld\.shared\..*\[(scratch|shared)\]/ { loads[kernel] = 1 }
    /[ \t]st\.shared\..*\[(scratch|shared)\]/ { stores[kernel] = 1 }
    END {
        for (k in loads)
            both += k in stores
        exit both != 2
    }' "$ptx"; then
    echo "in the teams lowering, a kernel of $source does not share what its work-items share"
    exit 1
fi

# An addition whose memory is not known in advance finds out where its address leads, each time.
compile_ptx histogram "$@"
if ! awk '
    { word = $1 ~ /^@/ ? $2 : $1 }
    word ~ /^atom\.release/ { next } # the counter of teams
    word ~ /^(atom|red)\.shared\..*add/ { shared = 1 }
    word ~ /^(atom|red)\.global\..*add/ { global = 1 }
    word ~ /^(atom|red)\./ && word !~ /^(atom|red)\.(shared|global)\./ { other = 1 }
    END { exit !shared || !global || other }' "$ptx"; then
    echo "the additions of $source do not go to shared memory and to global memory, or to memory that is not known"
    exit 1
fi

# A team of a reduction counts itself behind its stores. Fences, which empty the caches of the multiprocessor, are the last
# team's.
if [ "$(grep -c 'atom\.release\.gpu\.global\.add' "$ptx")" != "$(grep -c '\.entry' "$ptx")" ] ||
    [ "$(grep -c 'fence\.acq_rel\.gpu' "$ptx")" != "$(grep -c '\.entry' "$ptx")" ] || grep -q 'membar' "$ptx"; then
    echo "the teams of $source do not end as they should"
    exit 1
fi

# Threads behind the end of a range compare numbers of 32 bits.
compile_ptx range "$@"
if ! grep -q 'setp\..*u32' "$ptx" || grep -q 'setp\..*64' "$ptx"; then
    echo "the threads of $source compare numbers of 64 bits"
    exit 1
fi

# A kernel waits for the launch before it, in front of all memory that is not its parameters: it may come to the device earlier.
if ! awk '
    { word = $1 ~ /^@/ ? $2 : $1 }
    /\.entry/ { ++kernels; waits = 0 }
    word ~ /^griddepcontrol\.wait/ { waits = 1; ++all }
    word ~ /^(ld|st|atom|red)\./ && word !~ /^ld\.param/ && !waits { early = 1 }
    END { exit early || !kernels || all < kernels }' "$ptx"; then
    echo "the kernels of $source do not wait for the launch before them"
    exit 1
fi

# Matrices are in registers. 32 x 32 x 16 elements are 8 instructions of a warp, with 2 loads of each factor; 64 x 128 x 64 are 4 of
# four warps, or 64 of each warp.
count_in() { # KERNEL REGEX
    awk -v kernel="$1" -v what="$2" '
        /\.(entry|func) / { inside = index($0, kernel) }
        inside && $0 ~ what { ++all }
        END { print all + 0 }' "$ptx"
}
for arch in sm_90 sm_90a; do
    compile_ptx matrix "$@"
    if [ $arch = sm_90 ]; then
        group_mma=64 group_wgmma=0 loads='cp\.async\.cg\.shared\.global' other_loads='cp\.async\.bulk'
    else
        group_mma=0 group_wgmma=4 loads='cp\.async\.bulk\.tensor\.2d' other_loads='cp\.async\.cg'
    fi
    if [ "$(count_in sub_group_product 'mma\.sync\.aligned\.m16n8k16.*f16')" != 8 ] ||
        [ "$(count_in sub_group_product 'ldmatrix\.sync\.aligned\.m8n8\.x4\.shared')" != 2 ] ||
        [ "$(count_in sub_group_product 'ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared')" != 2 ] ||
        [ "$(count_in _group_product_tw 'cp\.async\.cg\.shared\.global')" = 0 ] ||
        [ "$(count_in _group_product_tw 'mma\.sync\.aligned\.m16n8k16.*bf16')" != $group_mma ] ||
        [ "$(count_in _group_product_tw 'wgmma\.mma_async\.sync\.aligned\.m64n128k16.*bf16')" != $group_wgmma ] ||
        [ "$(count_in pipelined_tw "$loads")" = 0 ] || [ "$(count_in pipelined_tw "$other_loads")" != 0 ] ||
        grep -q '\.local' "$ptx"; then
        echo "the matrices of $source are not the instructions of $arch that they should be"
        exit 1
    fi
    # ptxas says so where it makes the products wait for each other; what it is given here needs PTX 8.5, CUDA 12.5
    if [ -n "$ptxas" ] && grep -q '^\.version \(8\.[5-9]\|9\)' "$ptx" &&
        ! { "$ptxas" -arch=$arch -c -o "$work/matrix.cubin" "$ptx" >"$work/said" 2>&1 && [ ! -s "$work/said" ]; }; then
        cat "$work/said"
        exit 1
    fi
done
arch=sm_90

# Groups find where their tile begins, by a vote, if no launch has found it. Without a GPU no other test runs this code.
compile_ptx merge "$@"
for kernel in merge_tiles sort_by_tiles; do
    if [ "$(count_in $kernel 'vote\.sync\.ballot')" = 0 ]; then
        echo "the groups of a kernel of $source, $kernel, do not find where they begin"
        exit 1
    fi
done

# A sample is one instruction. The kernel itself reads no pixels: another function does, where there is no texture.
compile_ptx image "$@"
if [ "$(count_in sample_pairs_tw 'tex\.2d\.v4\.f32\.f32')" != 2 ] || [ "$(count_in sample_pairs_tw 'ld\.global')" != 0 ]; then
    echo "the samples of $source are not an instruction each"
    exit 1
fi

# Kernels, kernels that reduce, and those with images are C++ too.
for name in range histogram image; do
    language="-x c++ -std=c++17" compile_ptx "$name" "$@"
done

compile_ptx atomic "$@"

# What is expected: "NAME: instruction ..." for functions, and for kernels the set of instructions in sorted order.
sed -n -e 's|^\([A-Z]*\)(\(.*\)) /\* \(.*\) \*/$|\1_\2: \3|p' "$source" |
    sed -e ':again' -e 's/^\([^:]*\), */\1_/' -e 't again' -e 's/: nothing$/:/' >"$work/expected"
sed -n -e 's|.*KERNEL(\([a-z_]*\)) {\(.*\)}.*|\1 \2|p' "$source" |
    while read -r kernel instructions; do
        echo "$kernel:" $(printf '%s\n' $instructions | LC_ALL=C sort)
    done >>"$work/expected"

# What there is, in the same form. Accesses to private memory do not count.
awk '
    function normal(text) {
        sub(/;$/, "", text)
        if (text ~ /^(ld|st)\./) {
            sub(/\.volatile/, ".relaxed.sys", text)
            text = gensub_type(text)
        }
        sub(/^atom\.relaxed\.gpu\./, "atom.", text)
        return text
    }
    # u32, s32, f32 to b32: the type of a register says nothing about the access
    function gensub_type(text, at) {
        at = match(text, /\.[usf][0-9]+$/)
        return at ? substr(text, 1, at) "b" substr(text, at + 2) : text
    }
    /^(\.(visible|weak) )*\.(func|entry) / {
        kernel = /\.entry/
        line = $0
        sub(/ *\/\/.*/, "", line)
        sub(/\(\)?$/, "", line)
        count = split(line, words, " ")
        name = words[count]
        if (kernel) {
            sub(/^__omp_offloading_[0-9a-f]+_[0-9a-f]+_/, "", name)
            sub(/_tw_simt_[0-9]+_l[0-9_]+$/, "", name)
        }
        if (!(name in seen)) {
            seen[name] = ++functions
            names[functions] = name
            is_kernel[name] = kernel
        }
    }
    # an instruction may be predicated: @%p1 ld...
    {
        word = $1 ~ /^@/ ? $2 : $1
    }
    word ~ /^(ld|st|atom|red|fence|membar)\./ && word !~ /^(ld|st)\.param/ && !(kernel && word ~ /\.local\./) {
        lists[name] = lists[name] " " normal(word)
    }
    END {
        for (f = 1; f <= functions; ++f)
            print (is_kernel[names[f]] ? "kernel " : "function ") names[f] ":" lists[names[f]]
    }' "$ptx" |
    while read -r kind name instructions; do
        if [ "$kind" = kernel ]; then
            echo "$name" $(printf '%s\n' $instructions | LC_ALL=C sort -u)
        else
            echo "$name" $instructions
        fi
    done >"$work/found"

LC_ALL=C sort "$work/expected" >"$work/expected.sorted"
LC_ALL=C sort "$work/found" >"$work/found.sorted"
count=$(wc -l <"$work/expected")
if [ "$count" -lt 190 ]; then
    echo "only $count lines of $source were understood"
    exit 1
fi
if ! diff "$work/expected.sorted" "$work/found.sorted"; then
    echo "(lines with < are expected, lines with > are what the compiler made)"
    exit 1
fi

if [ -n "$ptxas" ]; then
    "$ptxas" -arch=sm_90 -c -o "$work/atomic.cubin" "$ptx" || exit 1
    echo "$count functions and kernels are as expected, and assemble"
    exit 0
fi
echo "$count functions and kernels are as expected"
