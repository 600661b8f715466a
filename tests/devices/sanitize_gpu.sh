#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh sanitize_gpu.sh [-j JOBS] [-t SECONDS] [-l LOGS] TOOL [FOLDER [NAME...]]
#
# Runs a tool of compute-sanitizer (memcheck, racecheck, initcheck, synccheck) over the tests in the simt lowering, on
# the machine's GPUs. Needs no build: FOLDER may be any folder with the programs, such as one that was copied here; it is
# build/gpu/gpu-simt if it is not given. NAME: only these programs. JOBS programs run at the same time (8), each for at
# most SECONDS (600). compute-sanitizer is that on the PATH or of CUDA_HOME, which is /usr/local/cuda if it is not set.
#
# Prints a line for each program: clean, skipped, out of time, findings, or failed, which is a program that fails without
# findings. The programs' output is left in the folder LOGS (sanitize-TOOL). Fails if there are findings or failures.
set -u

# Left out: programs that cannot run under a tool. docs/reliability.md says why.
left_out() {
    case $1:$2 in
    *:test_process | racecheck:test_host_memory) return 0 ;;
    *) return 1 ;;
    esac
}

# The errors that a tool printed: its own sum, or what it had printed when it was ended.
findings() {
    awk '
        /^=+ (ERROR|RACECHECK) SUMMARY:/ { sum += $4; has_sum = 1; next }
        /^========= [A-Z]/ && !/COMPUTE-SANITIZER|SUMMARY|Target application/ { ++printed }
        END { print has_sum ? sum : printed + 0 }' "$1"
}

# one TOOL SECONDS LOGS PROGRAM: runs one program; what it finds is the last line of its log, too
one() {
    name=$(basename "$4")
    log=$3/$name.log
    options=
    # calls that fail are a case of the tests
    [ "$1" = memcheck ] && options="--report-api-errors no"
    # shellcheck disable=SC2086 # options are words
    TW_DEVICES=gpu TW_TEST_TIMEOUT=$2 timeout -k 10 "$2" "$sanitizer" --tool "$1" $options "$4" >"$log" 2>&1
    status=$?
    count=$(findings "$log")
    if [ "$count" != 0 ]; then
        result="$count findings"
    elif [ $status = 0 ]; then
        result=clean
    elif [ $status = 77 ]; then
        result=skipped
    elif [ $status = 124 ] || [ $status = 137 ]; then
        result="out of time"
    else
        result="failed with status $status"
    fi
    printf '%-32s %s\n' "$name" "$result" | tee -a "$log"
}

sanitizer=$(command -v compute-sanitizer || echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
if [ "${1:-}" = --one ]; then
    shift
    one "$@"
    exit 0
fi

usage() {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}

jobs=8
limit=600
logs=
while getopts j:t:l: option; do
    case $option in
    j) jobs=$OPTARG ;;
    t) limit=$OPTARG ;;
    l) logs=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
case ${1:-} in
memcheck | racecheck | initcheck | synccheck) tool=$1 ;;
*) usage ;;
esac
shift
folder=${1:-$(dirname "$0")/../../build/gpu/gpu-simt}
[ $# -gt 0 ] && shift
logs=${logs:-sanitize-$tool}
if ! [ -x "$sanitizer" ]; then
    echo "there is no compute-sanitizer: it is in the CUDA toolkit" >&2
    exit 1
fi
if [ $# = 0 ]; then
    for program in "$folder"/test_*; do
        [ -f "$program" ] && [ -x "$program" ] && set -- "$@" "$(basename "$program")"
    done
fi
if [ $# = 0 ]; then
    echo "there are no tests in $folder" >&2
    exit 1
fi
mkdir -p "$logs" || exit 1
rm -f "$logs"/*.log

for name in "$@"; do
    if left_out "$tool" "$name"; then
        printf '%-32s %s\n' "$name" "left out" >&2
    else
        printf '%s\0' "$folder/$name"
    fi
done | xargs -0 -r -n 1 -P "$jobs" sh "$0" --one "$tool" "$limit" "$logs"

broken=$(tail -q -n 1 "$logs"/*.log | grep -c ' [0-9]* findings$\| failed with status [0-9]*$')
[ "$broken" = 0 ]
