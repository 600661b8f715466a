# SPDX-License-Identifier: Apache-2.0
#
# shellcheck shell=sh disable=SC2154 # variables of tests/run.sh
#
# Sourced by tests/run.sh: what its parts take, and whether that is within their budgets. Uses $work, $passed, $failed
# and $jobs.
#
# Budgets are seconds of processor time, since a busy machine makes a part take longer, but work no more. It makes work
# slower, though, when other programs share caches and processor cores, and processors differ. So the same small piece of
# work is timed before and after each part: where it takes longer than on the machine that the budgets were measured on,
# budgets are larger by that factor. Where there are more than MOST_JOBS processors, nothing fails by its budget: threads
# that wait for each other use time on each of them.

REFERENCE_MS=1000 # what reference_work() took on that machine
MOST_JOBS=4

# Prints, in milliseconds, the processor time of this shell and of the programs that it has waited for. In a subshell
# it would be another one's: the caller redirects its output.
processor_ms() {
    times >"$work/times"
    tr 'ms' '  ' <"$work/times" | awk '{ sum += 60 * ($1 + $3) + $2 + $4 } END { printf "%d\n", 1000 * sum }'
}

reference_work() {
    awk 'BEGIN {
        for (i = 0; i < 200; ++i)
            printf "void f%d(float *a, const float *b, int n) { while (n-- > 0) a[n] *= b[n %% 7] + %d; }\n", i, i
    }' | clang-19 -O2 -x c -c -o "$work/reference.o" -
}

# Sets reference_ms.
time_reference() {
    processor_ms >"$work/begin"
    reference_work
    processor_ms >"$work/end"
    reference_ms=$(($(cat "$work/end") - $(cat "$work/begin")))
}

# part NAME BUDGET COMMAND...: runs a part of the tests, and notes what it takes. Budget 0: none.
part() {
    part_name=$1 part_budget=$2
    shift 2
    echo "== $part_name"
    slowest_ms=0
    [ "$part_budget" = 0 ] || time_reference
    [ "$part_budget" = 0 ] || slowest_ms=$reference_ms
    part_began=$(date +%s)
    processor_ms >"$work/part"
    "$@"
    part_status=$?
    processor_ms >"$work/end"
    part_ms=$(($(cat "$work/end") - $(cat "$work/part")))
    part_seconds=$(($(date +%s) - part_began))
    if [ "$part_budget" != 0 ]; then
        time_reference
        [ "$reference_ms" -le "$slowest_ms" ] || slowest_ms=$reference_ms
        [ "$slowest_ms" -gt "$REFERENCE_MS" ] || slowest_ms=$REFERENCE_MS
        part_budget=$((part_budget * slowest_ms / REFERENCE_MS))
        if [ "$jobs" -le "$MOST_JOBS" ] && [ $((2 * part_ms)) -gt $((3000 * part_budget)) ]; then
            echo "FAILED: $part_name used $((part_ms / 1000)) s of processor time; its budget is $part_budget s"
            failed=$((failed + 1))
        fi
    else
        part_budget=-
    fi
    printf '%-24s %8s %12s %8s\n' "$part_name" "$part_seconds" "$((part_ms / 1000))" "$part_budget" >>"$work/parts"
    return "$part_status"
}

report_parts() {
    printf '%-24s %8s %12s %8s\n' part seconds processor budget
    cat "$work/parts"
}
