#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh TEAMWORK_INFO PROGRAM [PTXAS [CODE_OBJECTS]]
#
# What the program teamwork-info prints: every device, every question of the header, valid JSON where there is python3;
# the kernels and images of PROGRAM, test_queue, of what PTXAS assembles, and of a folder of code objects for AMD GPUs;
# its exit statuses; that its page of the manual can be read and has all options, as its completion. Says what is wrong,
# else nothing.
set -u
info=${1:?usage: check.sh TEAMWORK_INFO PROGRAM [PTXAS [CODE_OBJECTS]]}
program=${2:?usage: check.sh TEAMWORK_INFO PROGRAM [PTXAS [CODE_OBJECTS]]}
ptxas=${3:-}
objects=${4:-}
cd "$(dirname "$0")/../.." || exit 1
page=docs/man/teamwork-info.1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
errors=0
# the same devices on every machine: the host, and no device of OpenMP
unset TW_DEVICES
export OMP_TARGET_OFFLOAD=DISABLED TW_SIM=2

fail() {
    echo "$*"
    errors=$((errors + 1))
}

# ends STATUS LINES ARGUMENT...: the program ends with this status, and writes so many lines on standard error
ends() {
    status=$1
    lines=$2
    shift 2
    "$info" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" = "$status" ] || fail "teamwork-info $*: exit status $got, not $status"
    [ "$(wc -l <"$work/err")" = "$lines" ] || fail "teamwork-info $*: not $lines lines of messages: $(cat "$work/err")"
    [ "$status" = 0 ] || [ ! -s "$work/out" ] || fail "teamwork-info $*: fails, but prints: $(cat "$work/out")"
}

# prints PATTERN: so does a line of the last output
prints() {
    grep -qE -- "$1" "$work/out" || fail "no line matches $1 in: $(cat "$work/out")"
}

# ---- the table ----
ends 0 0
for device in host:0 sim:0 sim:1; do
    prints "^$device  +[1-9]"
done
prints "^gpu +none: .*OMP_TARGET_OFFLOAD"
ends 0 0 --device sim,host
[ "$(sed 1d "$work/out" | cut -d ' ' -f 1 | tr '\n' ' ')" = "sim sim host gpu " ] ||
    fail "--device sim,host prints: $(cat "$work/out")"

# ---- everything ----
ends 0 0 --all
sed -n 's/^ *X(\(TW_\(DEVICE\|PLATFORM\)_INFO_[A-Z0-9_]*\),.*/\1/p' include/teamwork/device.h | sort >"$work/questions"
grep -q TW_DEVICE_INFO_TYPE "$work/questions" || fail "no questions were found in device.h"
sed -n 's/^    \(TW_\(DEVICE\|PLATFORM\)_INFO_[A-Z0-9_]*\)  *[^ ].*/\1/p' "$work/out" >"$work/answers"
sort -u "$work/answers" | diff "$work/questions" - >"$work/diff" ||
    fail "questions (<) and answers (>) differ: $(cat "$work/diff")"
[ "$(grep -cx TW_DEVICE_INFO_TYPE "$work/answers")" = 3 ] || fail "--all does not show three devices"
prints "^    TW_DEVICE_INFO_GLOBAL_MEM_SIZE +[1-9][0-9]* bytes$"
prints "^    TW_DEVICE_INFO_ADDRESS_BITS +64 bits$"
! grep -E " 0 (bytes|bits|MHz|ns|pixels|images|work-items)$" "$work/out" || fail "what is not known is 0"
prints "^    processors +[1-9]"

# ---- JSON ----
ends 0 0 --json --device '!sim:1'
if command -v python3 >/dev/null; then
    python3 - "$work/out" "$work/questions" <<'EOP' || fail "the JSON is not as it should be"
import json, sys

with open(sys.argv[1]) as file:
    report = json.load(file)
with open(sys.argv[2]) as file:
    questions = [line.strip() for line in file]
devices = report["devices"]
assert [d["selection"] for d in devices] == ["host", "sim"], devices
assert [p["TW_PLATFORM_INFO_NAME"] for p in report["platforms"]] == ["Host", "Simulation"], report["platforms"]
for device in devices:
    assert set(questions) == {q for q in set(device) | set(report["platforms"][0]) if q.startswith("TW_")}
    # a number as text is a constant without a name
    assert not [k for k, v in device.items() if str(v).startswith("0x") and k != "TW_DEVICE_INFO_VENDOR_ID"], device
host, sim = devices
assert host["TW_DEVICE_INFO_TYPE"] == "TW_DEVICE_HOST" and sim["TW_DEVICE_INFO_IS_HOST"] is False
assert "TW_ASPECT_HOST" in host["aspects"] and "TW_ASPECT_EMULATED" in sim["aspects"]
assert host["TW_DEVICE_INFO_MAX_WORK_ITEM_SIZES"] == 3 * [host["TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE"]]
absent = {(a["kind"], a["name"]): a["reason"] for a in report["absent"]}
assert "OMP_TARGET_OFFLOAD" in absent["gpu", None], absent
assert 'TW_DEVICES="!sim:1"' in absent["sim", "Simulated device 1"], absent
assert report["topology"][0]["type"] == "Machine" and report["topology"][0]["children"], report["topology"]
for domain in host["TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS"]:
    assert domain == "TW_AFFINITY_NEXT_PARTITIONABLE" or report["host"][domain], domain
EOP
fi

# ---- topology ----
ends 0 0 --topology
prints "^    Machine"
prints "^ +PU 0"
ends 0 0 -t --json
! command -v python3 >/dev/null || python3 -m json.tool "$work/out" >/dev/null || fail "--topology --json is no JSON"

# ---- kernels and images ----
ends 0 0 "$program"
prints "^    add_one +single task +16  .*test_queue.c:[0-9]+\$"
case $program in
*x86_64*)
    prints "^  image for x86_64-pc-linux-gnu: ELF, [1-9][0-9]* bytes\$"
    prints "^    put_one +teams +-"
    ;;
*) prints "^  no device images: its kernels run on the host" ;;
esac
strip -o "$work/stripped" "$program" 2>/dev/null && "$info" "$work/stripped" | sed 1d >"$work/same" &&
    { sed 1d "$work/out" | cmp -s - "$work/same" || fail "a stripped program shows: $(cat "$work/same")"; }
ends 0 0 --json "$program" "$info"
if command -v python3 >/dev/null; then
    python3 - "$work/out" "$program" "$info" <<'EOP' || fail "the JSON of files is not as it should be"
import json, sys

with open(sys.argv[1]) as file:
    program, info = json.load(file)["files"]
assert [program["file"], info["file"]] == sys.argv[2:], program
kernels = {kernel["name"]: kernel for kernel in program["kernels"]}
assert sorted(kernels) == ["add_one", "put_one"] and not info["kernels"], kernels
assert kernels["put_one"]["form"] == "single task" and kernels["put_one"]["line"] > 0, kernels
for image in program["images"]:
    assert sorted(kernel["name"] for kernel in image["kernels"]) == ["add_one", "put_one"], image
    assert image["bytes"] > 0 and image["kernels"][0]["registers"] is None, image
EOP
fi
# of an archive the members with kernels, by their names, long ones too
cp "$program" "$work/a_long_name_of_a_member"
if command -v ar >/dev/null && ar rc "$work/lib.a" "$work/a_long_name_of_a_member" "$info" "$work/out"; then
    ends 0 0 "$work/lib.a"
    prints "^$work/lib.a\(a_long_name_of_a_member\)\$"
    prints "^    put_one +single task"
    grep -q "teamwork-info)" "$work/out" && [ "$(grep -c "^  kernels" "$work/out")" != 1 ] &&
        fail "members without kernels have some: $(cat "$work/out")"
fi
# one that is cut off is refused; so is what is no file, without waiting, and what is large, without reading it all
for bytes in 70 200 5000; do
    head -c $bytes "$work/lib.a" >"$work/cut.a" 2>/dev/null
    [ ! -s "$work/cut.a" ] || ends 1 1 "$work/cut.a"
done
mkfifo "$work/fifo" && truncate -s 20G "$work/sparse" || fail "no FIFO, or no large file"
for wrong in docs/errors.md /nonexistent "$work" "$work/fifo" "$work/sparse"; do
    timeout 10 "$info" "$wrong" >"$work/out" 2>"$work/err" && fail "$wrong is read"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "teamwork-info $wrong: not 1 line of messages: $(cat "$work/err")"
done
# cut off anywhere, a file is read as far as it goes, or refused
for bytes in 64 1000 20000; do
    head -c $bytes "$program" >"$work/cut"
    "$info" "$work/cut" >/dev/null 2>&1
    [ $? -le 1 ] || fail "the first $bytes bytes of a program crash it"
done

# The numbers of a kernel are those that the assembler says.
if [ -n "$ptxas" ]; then
    for arch in 80 90; do
        "$ptxas" -v -arch sm_$arch tests/tools/scale.ptx -o "$work/cubin" 2>"$work/said" || continue
        ends 0 0 "$work/cubin"
        registers=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$work/said")
        local=$(sed -n 's/.* \([0-9]*\) bytes smem.*/\1/p' "$work/said")
        private=$(sed -n 's/.* \([0-9]*\) bytes stack frame.*/\1/p' "$work/said")
        prints "^    scale +simt +[1-9][0-9]* +$registers +$private +$local\$"
    done
fi

# Those of a code object are in its note. LLVM's own reader of it says the same, in the order of the alphabet.
if [ -n "$objects" ]; then
    for object in "$objects/gfx90a" "$objects/gfx1100"; do
        ends 0 0 "$object"
        cp "$work/out" "$work/table"
        prints "^  image for amdgcn-amd-amdhsa: code object, [1-9][0-9]* bytes\$"
        prints "^    life +simt +[1-9][0-9]* +[1-9][0-9]* +[0-9-]+ +[1-9][0-9]* +0 +(32|64) +0 +256\$"
        prints "^    searching .* 0 +(32|64) +([3-9][0-9]|[1-9][0-9][0-9]) +0\$"
        for readelf in llvm-readelf llvm-readelf-22 llvm-readelf-19; do
            command -v $readelf >/dev/null || continue
            $readelf --notes "$object" | awk '
                / \.agpr_count:/ { agprs = $NF }
                $1 == ".group_segment_fixed_size:" { group = $2 }
                $1 == ".private_segment_fixed_size:" { private = $2 }
                $1 == ".sgpr_count:" { sgprs = $2 }
                $1 == ".vgpr_count:" { vgprs = $2 }
                $1 == ".wavefront_size:" { print vgprs, agprs == "" ? "-" : agprs, sgprs, $2, private, group; agprs = "" }
            ' >"$work/notes"
            sed 1,3d "$work/table" | awk '{ print $4, $5, $6, $8, $9, $10 }' | sort >"$work/shown"
            sort "$work/notes" | diff - "$work/shown" >"$work/diff" ||
                fail "the note of $object (<) and teamwork-info (>) differ: $(cat "$work/diff")"
            break
        done
        ends 0 0 --json "$object"
        grep -q '"wave_size": \(32\|64\)' "$work/out" || fail "no size of waves in: $(cat "$work/out")"
        # anything may be in the note
        for at in 1 4 5 7; do # text, lists and maps with too many elements
            cp "$object" "$work/cut"
            head -c 512 /dev/zero | tr '\0' "\\33$at" | dd of="$work/cut" bs=1 seek=$((512 + 100 * at)) conv=notrunc 2>/dev/null
            "$info" "$work/cut" >/dev/null 2>&1
            [ $? -le 1 ] || fail "a note of bytes 33$at crashes it"
        done
    done
fi

# ---- other options, exit statuses ----
ends 0 0 --version
version=$(sed -n 's/^#define TW_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/teamwork/version.h | paste -sd .)
prints "^teamwork-info $version\$"
ends 0 0 --help
grep -oE -- '--[a-z]+' "$work/out" | sort -u | while read -r option; do
    grep -q "Fl -${option#--}" "$page" || echo "$page lacks $option"
done >"$work/lacks"
[ ! -s "$work/lacks" ] || fail "$(cat "$work/lacks")"
for wrong in --nonsense -x --json=1 --device "-j -h" "-j -V" "--all $program"; do
    # shellcheck disable=SC2086
    ends 2 2 $wrong
    grep -q 'teamwork-info --help' "$work/err" || fail "$wrong does not lead to --help: $(cat "$work/err")"
done
ends 1 1 --device gpu
ends 1 1 --device nonsense
if [ -e /dev/full ]; then
    "$info" --all >/dev/full 2>/dev/null && fail "a full device is no error"
fi

# ---- completion ----
# completes PATTERN WORD...: bash offers what matches for the last word
completes() {
    pattern=$1
    shift
    bash -c '. src/tools/teamwork-info.bash && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _teamwork_info &&
        printf "%s\n" "${COMPREPLY[@]}"' bash teamwork-info "$@" | tr '\n' ' ' >"$work/offered"
    grep -qE "^$pattern \$" "$work/offered" || fail "completion of $* is: $(cat "$work/offered")"
}
if command -v bash >/dev/null; then
    completes "--device" --dev
    completes "gpu" -d g
    completes "host,sim" --device host,s
    completes "!sim" -d '!s'
    completes "README.md" READ
    "$info" --help | grep -oE -- '--[a-z]+' | sort -u | tr '\n' ' ' | sed 's/ $//' >"$work/options"
    completes "$(cat "$work/options")" --
fi

# ---- the page of the manual ----
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" >"$work/page" 2>&1
elif command -v man >/dev/null && command -v groff >/dev/null; then
    man --warnings -l "$page" 2>"$work/page" >/dev/null </dev/null
else
    : >"$work/page"
fi
[ ! -s "$work/page" ] || fail "$page: $(cat "$work/page")"

[ "$errors" = 0 ]
