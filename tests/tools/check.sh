#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh TEAMWORK_INFO
#
# What the program teamwork-info prints: every device, every question of the header, valid JSON where there is python3;
# its exit statuses; that its page of the manual can be read and has all options. Says what is wrong, else nothing.
set -u
info=${1:?usage: check.sh TEAMWORK_INFO}
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
assert 'TW_DEVICES="!sim:1"' in report["absent"]["gpu"], report["absent"]
for domain in host["TW_DEVICE_INFO_PARTITION_AFFINITY_DOMAINS"]:
    assert domain == "TW_AFFINITY_NEXT_PARTITIONABLE" or report["host"][domain], domain
EOP
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
for wrong in --nonsense -x --json=1 --device host; do
    ends 2 1 "$wrong"
done
ends 1 1 --device gpu
ends 1 1 --device nonsense
if [ -e /dev/full ]; then
    "$info" --all >/dev/full 2>/dev/null && fail "a full device is no error"
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
