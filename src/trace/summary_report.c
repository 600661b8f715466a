/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what TW_SUMMARY has counted, and what follows from it. Counts nothing. */
#include "summary_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WAITS 5
#define MOST_ADVICE 3       /* sentences of each kind */
#define TIMES_TO_AND_FRO 3u /* transfers each way that a buffer is mentioned for */
#define SHORT_KERNELS 10u   /* kernels of a name that are mentioned for taking less time than their submission */
#define SLOW_PERCENT 5.0    /* of the time of all kernels, which a slow one is mentioned for */
#define IDLE_PERCENT 20.0   /* of a device, for one reason, which is mentioned */

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int by_total(const void *left, const void *right)
{
    const struct tw_summary_row *a = left, *b = right;
    return a->total_ns < b->total_ns ? 1 : a->total_ns > b->total_ns ? -1 : strcmp(a->name, b->name);
}

static int by_moved(const void *left, const void *right)
{
    const struct tw_summary_buffer *a = left, *b = right;
    return a->moved_bytes < b->moved_bytes ? 1 : a->moved_bytes > b->moved_bytes ? -1 : 0;
}

static uint64_t time_of_kernels(const struct tw_summary *summary)
{
    uint64_t total = 0;
    for (size_t i = 0; i < TW_SUMMARY_ROWS; ++i)
        total += summary->kernels[i].total_ns;
    return total;
}

static void print_kernels(const struct tw_summary *summary)
{
    const uint64_t total = time_of_kernels(summary);
    fprintf(stderr, "%-32s %6s %10s %12s %12s %12s %6s\n", "kernel", "device", "count", "total ms", "mean us",
            "longest us", "share");
    for (size_t i = 0; i < TW_SUMMARY_ROWS && summary->kernels[i].name[0]; ++i) {
        const struct tw_summary_row *row = &summary->kernels[i];
        fprintf(stderr, "%-32s %6d %10llu %12.3f %12.3f %12.3f %5.1f%%\n", row->name, row->device,
                (unsigned long long)row->count, ms(row->total_ns), (double)row->total_ns / 1e3 / (double)row->count,
                (double)row->longest_ns / 1e3, percent(row->total_ns, total));
    }
    if (summary->host_tasks.count)
        fprintf(stderr, "%-32s %6s %10llu %12.3f\n", "(host tasks)", "host",
                (unsigned long long)summary->host_tasks.count, ms(summary->host_tasks.total_ns));
}

static void print_copies(const struct tw_summary *summary)
{
    static const char *const names[] = {[TW_COPY_FROM_HOST] = "from the host",
                                        [TW_COPY_TO_HOST] = "to the host",
                                        [TW_COPY_FROM_DEVICE] = "from another device",
                                        [TW_COPY_WITHIN] = "within, and fills"};
    bool any = false;
    for (int device = 0; device < TW_SUMMARY_DEVICES; ++device)
        for (int way = 0; way < TW_COPY_COUNT; ++way) {
            const struct tw_summary_row *row = &summary->devices[device].copies[way];
            if (!row->count)
                continue;
            if (!any)
                fprintf(stderr, "%-32s %6s %10s %12s %12s %12s\n", "copies", "device", "count", "total ms", "MB",
                        "MB/s");
            any = true;
            fprintf(stderr, "%-32s %6d %10llu %12.3f %12.3f ", names[way], device, (unsigned long long)row->count,
                    ms(row->total_ns), (double)row->bytes / 1e6);
            if (row->total_ns)
                fprintf(stderr, "%12.0f\n", (double)row->bytes * 1e3 / (double)row->total_ns);
            else
                fprintf(stderr, "%12s\n", "-");
        }
}

static bool is_used(const struct tw_summary_device *device)
{
    return device->busy_until_ns;
}

/* The time behind the last kernel of a device, in which nothing more was submitted to it. */
static uint64_t rest_of(const struct tw_summary *summary, const struct tw_summary_device *device)
{
    return summary->last_ns > device->busy_until_ns ? summary->last_ns - device->busy_until_ns : 0;
}

static void print_devices(const struct tw_summary *summary)
{
    const uint64_t all = summary->last_ns - summary->first_ns;
    fprintf(stderr, "%-32s %6s %10s %12s %12s %12s %12s\n", "device", "", "busy", "no work", "for host", "for copies",
            "other");
    for (int i = 0; i < TW_SUMMARY_DEVICES; ++i) {
        const struct tw_summary_device *device = &summary->devices[i];
        if (is_used(device))
            fprintf(stderr, "%-32.32s %6d %9.1f%% %11.1f%% %11.1f%% %11.1f%% %11.1f%%\n", device->name, i,
                    percent(device->busy_ns, all),
                    percent(device->idle_ns[TW_IDLE_UNSUBMITTED] + rest_of(summary, device), all),
                    percent(device->idle_ns[TW_IDLE_HOST], all), percent(device->idle_ns[TW_IDLE_COPIES], all),
                    percent(device->idle_ns[TW_IDLE_OTHER], all));
    }
}

static void print_waits(const struct tw_summary *summary)
{
    if (!summary->waits[0].name[0])
        return;
    fprintf(stderr, "%-32s %6s %10s %12s %12s %12s\n", "the program waits for", "", "count", "total ms", "mean us",
            "longest us");
    for (size_t i = 0; i < MOST_WAITS && summary->waits[i].name[0]; ++i) {
        const struct tw_summary_row *row = &summary->waits[i];
        fprintf(stderr, "%-32s %6s %10llu %12.3f %12.3f %12.3f\n", row->name, "", (unsigned long long)row->count,
                ms(row->total_ns), (double)row->total_ns / 1e3 / (double)row->count, (double)row->longest_ns / 1e3);
    }
}

/* ---- what to change ---------------------------------------------------------------------------------------------- */

static void advise_buffers(const struct tw_summary *summary)
{
    unsigned said = 0;
    for (size_t i = 0; i < TW_SUMMARY_BUFFERS && said < MOST_ADVICE; ++i) {
        const struct tw_summary_buffer *buffer = &summary->buffers[i];
        if (buffer->to_devices < TIMES_TO_AND_FRO || buffer->to_host < TIMES_TO_AND_FRO)
            continue;
        fprintf(stderr, "* buffer %llu%s%s (%llu bytes", (unsigned long long)buffer->number, buffer->name[0] ? " " : "",
                buffer->name, (unsigned long long)buffer->bytes);
        if (buffer->file)
            fprintf(stderr, ", first used at %s:%d", buffer->file, buffer->line);
        fprintf(
            stderr,
            ") was copied to devices %llu times and back to the host %llu times, %.3f MB: do what the host does with "
            "it in a kernel, or only at the end\n",
            (unsigned long long)buffer->to_devices, (unsigned long long)buffer->to_host,
            (double)buffer->moved_bytes / 1e6);
        ++said;
    }
}

static void advise_kernels(const struct tw_summary *summary)
{
    unsigned said = 0;
    for (size_t i = 0; i < TW_SUMMARY_ROWS && said < MOST_ADVICE; ++i) {
        const struct tw_summary_row *row = &summary->kernels[i];
        if (row->count < SHORT_KERNELS || row->recording_ns <= row->total_ns)
            continue;
        fprintf(
            stderr,
            "* kernel %s took longer to record and submit (%.3f us) than to run (%.3f us on device %d): give it more "
            "work, or record a command graph (command_graph.h)\n",
            row->name, (double)row->recording_ns / 1e3 / (double)row->count,
            (double)row->total_ns / 1e3 / (double)row->count, row->device);
        ++said;
    }
}

/* All that take time: none of them is left out. */
static void advise_compiling(const struct tw_summary *summary)
{
    const uint64_t total = time_of_kernels(summary);
    for (size_t i = 0; i < TW_SUMMARY_ROWS; ++i) {
        const struct tw_summary_row *row = &summary->kernels[i];
        const double share = percent(row->total_ns, total);
        if (row->slow && share >= SLOW_PERCENT)
            fprintf(stderr, "* kernel %s (%.1f%% of the time of all kernels, on device %d) is slow: %s\n", row->name,
                    share, row->device, row->slow);
    }
}

static void advise_devices(const struct tw_summary *summary)
{
    unsigned said = 0;
    static const char *const advice[] = {
        [TW_IDLE_UNSUBMITTED] = "had nothing to do, since nothing was submitted: submit the next groups before waiting",
        [TW_IDLE_HOST] =
            "waited for host tasks, host accessors or user events: release accessors earlier, or let groups "
            "that do not need them come first",
        [TW_IDLE_COPIES] = "waited for copies: submit other groups in between, prefetch (tw_prefetch()), or use host "
                           "memory of tw_malloc_host()",
        [TW_IDLE_OTHER] = "waited for other devices, or for kernels to be launched"};
    const uint64_t all = summary->last_ns - summary->first_ns;
    for (int i = 0; i < TW_SUMMARY_DEVICES; ++i) {
        const struct tw_summary_device *device = &summary->devices[i];
        for (int why = 0; is_used(device) && why < TW_IDLE_COUNT && said < MOST_ADVICE; ++why) {
            const uint64_t idle = device->idle_ns[why] + (why == TW_IDLE_UNSUBMITTED ? rest_of(summary, device) : 0);
            if (percent(idle, all) < IDLE_PERCENT)
                continue;
            fprintf(stderr, "* device %d (%s), for %.3f ms, %s\n", i, device->name, ms(idle), advice[why]);
            ++said;
        }
        if (device->evictions && said < MOST_ADVICE) {
            fprintf(stderr, "* device %d (%s) was full: it gave up memory %llu times, %.3f MB\n", i, device->name,
                    (unsigned long long)device->evictions, (double)device->evicted_bytes / 1e6);
            ++said;
        }
    }
}

void tw_summary_print(struct tw_summary *summary)
{
    if (!summary->groups || summary->last_ns <= summary->first_ns) {
        fputs("teamwork: summary: no group was submitted\n", stderr);
        return;
    }
    qsort(summary->kernels, TW_SUMMARY_ROWS, sizeof summary->kernels[0], by_total);
    qsort(summary->waits, TW_SUMMARY_ROWS, sizeof summary->waits[0], by_total);
    qsort(summary->buffers, TW_SUMMARY_BUFFERS, sizeof summary->buffers[0], by_moved);
    fprintf(stderr, "teamwork: summary: %llu groups in %.3f ms", (unsigned long long)summary->groups,
            ms(summary->last_ns - summary->first_ns));
    if (summary->failed || summary->cancelled)
        fprintf(stderr, "; %llu tasks failed, %llu were cancelled", (unsigned long long)summary->failed,
                (unsigned long long)summary->cancelled);
    fputc('\n', stderr);
    print_kernels(summary);
    print_copies(summary);
    print_devices(summary);
    print_waits(summary);
    advise_buffers(summary);
    advise_kernels(summary);
    advise_compiling(summary);
    advise_devices(summary);
}
