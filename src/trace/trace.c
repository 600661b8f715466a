/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TW_TRACE: writes what it is told as trace events of Chrome, which Perfetto shows (docs/tracing.md).
 *
 * The file is an array, with an event in each line, and each line is in the file when its event is over. The events of a
 * track do not overlap, but for waits, in which others may be: what overlaps on a device goes to another track.
 * Dependencies become arrows when the task that waited has ended, since all before it have ended then. What has to be
 * known of tasks until then is in two rings; what is older than a ring is long has no arrows.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/tool.h"
#include "file.h"
#include "line.h"

#define PATH_BYTES 4096u
#define TASKS 65536u         /* powers of two */
#define DEPENDENCIES 131072u /* likewise */
#define BUFFERS 4096u
#define DEVICES 64u
#define POLLS 1000u /* of the lock */
#define NAP_NS 20000u
#define LANES 64u
#define PIECES 256u /* of texts that are in many lines */
#define PHASE_AT (sizeof "{\"ph\":\"" - 1)
#define FIRST_TRACK 5000000u /* numbers of tracks from here on are no thread's: Linux has 4194304 at most */

enum category { KERNELS, FROM_HOST, TO_HOST, FROM_DEVICES, WITHIN, HOST_TASKS, PROGRAM, CATEGORIES };

static const char *const category_names[CATEGORIES] = {
    [KERNELS] = "kernels",
    [FROM_HOST] = "copies from the host",
    [TO_HOST] = "copies to the host",
    [FROM_DEVICES] = "copies from other devices",
    [WITHIN] = "copies and fills",
    [HOST_TASKS] = "host tasks",
    [PROGRAM] = "host accessors and user events",
};

struct known_task {
    uint64_t id; /* 0: none */
    uint64_t start_ns, end_ns;
    unsigned track;      /* 0: it has not ended */
    unsigned count;      /* of its dependencies */
    uint64_t dependency; /* the number of the first one */
};

struct known_buffer {
    uint64_t number; /* 0: none */
    char name[48];
};

struct known_dependency {
    uint64_t before, buffer;
    bool reads, writes, before_writes;
};

/* All of it is under the lock. */
static struct {
    atomic_bool is_locked;
    struct tw_trace_file file;
    char path[PATH_BYTES];
    long process;
    struct tw_piece pieces[PIECES];
    struct tw_moment moment;
    struct known_task *tasks;                   /* TASKS, by number */
    struct known_dependency *dependencies;      /* DEPENDENCIES, by number */
    uint64_t dependency_count, arrow_count;     /* so far */
    struct known_buffer buffers[BUFFERS];       /* those that were described, by number */
    char devices[DEVICES][64];                  /* names */
    uint64_t lanes[DEVICES][CATEGORIES][LANES]; /* when the last event of each ended; 0: not used yet */
} trace;

/* The track of a thread. */
static _Thread_local struct {
    unsigned track;    /* 0: not named yet */
    uint64_t since_ns; /* the next event does not begin earlier, except around all others */
} own;

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Ends the trace, since the file cannot grow, and returns where lines are written then. */
static __attribute__((noinline)) char *end_trace(void)
{
    static char nowhere[TW_LINE_BYTES];
    if (trace.file.descriptor >= 0) {
        const int error = errno;
        tw_trace_file_close(&trace.file);
        tw_warn("TW_TRACE: \"%s\" ends here: %s", trace.path, strerror(error));
    }
    return nowhere;
}

/* Returns where a line is to be written. */
static inline char *room_for_line(void)
{
    char *room = trace.file.descriptor < 0 ? NULL : tw_trace_file_room(&trace.file, TW_LINE_BYTES);
    return room ? room : end_trace();
}

/* Ends a line, which has to end an event. */
static void write_line(const struct tw_line *line)
{
    if (trace.file.descriptor >= 0)
        tw_trace_file_append(&trace.file, (size_t)(line->at - line->text));
}

/* What a piece is; its second key. That of a place is the number of the line, and PLACE. */
enum { TRACK = 1, NAME = 2, PLACE = 3 };

/* Returns where the piece of these keys is, if it is known. */
static struct tw_piece *piece_at(uint64_t first, uint64_t second)
{
    return &trace.pieces[((first ^ second << 32) * 0x9E3779B97F4A7C15u >> 32) % PIECES];
}

/* Begins an event. `phase` is what the format calls so. */
static void begin(struct tw_line *line, char phase, unsigned track, uint64_t ns)
{
    struct tw_piece *piece = piece_at(track, TRACK);
    line->text = line->at = room_for_line();
    if (!tw_put_piece(line, piece, track, TRACK)) {
        TW_PUT(line, "{\"ph\":\"X\",\"pid\":");
        tw_put_number(line, (uint64_t)trace.process);
        TW_PUT(line, ",\"tid\":");
        tw_put_number(line, track);
        TW_PUT(line, ",\"ts\":");
        tw_keep_piece(line, line->text, piece, track, TRACK);
    }
    line->text[PHASE_AT] = phase;
    tw_put_moment(line, ns, &trace.moment);
}

static void begin_slice(struct tw_line *line, unsigned track, uint64_t start_ns, uint64_t end_ns)
{
    begin(line, 'X', track, start_ns);
    TW_PUT(line, ",\"dur\":");
    tw_put_time(line, end_ns - start_ns);
}

/* Names a track, and says where it is shown. */
static void name_track(unsigned track, const char *first, const char *second, unsigned lane, unsigned order)
{
    struct tw_line line;
    begin(&line, 'M', track, 0);
    TW_PUT(&line, ",\"name\":\"thread_name\",\"args\":{\"name\":\"");
    tw_put_name(&line, first);
    if (second) {
        TW_PUT(&line, ": ");
        tw_put_name(&line, second);
    }
    if (lane) {
        TW_PUT(&line, " ");
        tw_put_number(&line, lane + 1);
    }
    TW_PUT(&line, "\"}},\n");
    write_line(&line);
    begin(&line, 'M', track, 0);
    TW_PUT(&line, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":");
    tw_put_number(&line, order);
    TW_PUT(&line, "}},\n");
    write_line(&line);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static unsigned device_index(int device)
{
    return device < 0 ? 0 : device < (int)DEVICES ? (unsigned)device : DEVICES - 1;
}

/* Returns the track of a thread. */
static unsigned own_track(void)
{
    if (own.track)
        return own.track;
    char name[32] = "";
    own.track = (unsigned)gettid();
    if (own.track == (unsigned)trace.process)
        memcpy(name, "main thread", sizeof "main thread");
    else if (pthread_getname_np(pthread_self(), name, sizeof name) != 0 || !name[0])
        memcpy(name, "thread", sizeof "thread");
    name_track(own.track, name, NULL, 0, own.track == (unsigned)trace.process ? 0 : 1);
    return own.track;
}

/* Returns a track of a device for an event: the first one where nothing overlaps it; 0 if there are too many. */
static unsigned device_track(int device, enum category category, uint64_t start_ns, uint64_t end_ns)
{
    const unsigned index = device_index(device);
    uint64_t *lanes = trace.lanes[index][category];
    unsigned lane = 0;
    while (lane < LANES && lanes[lane] > start_ns)
        ++lane;
    if (lane == LANES)
        return 0;
    const unsigned track = FIRST_TRACK + (index * CATEGORIES + category) * LANES + lane;
    if (!lanes[lane]) {
        const bool is_program = category == PROGRAM || category == HOST_TASKS;
        name_track(track, is_program ? "program" : trace.devices[index], category_names[category], lane,
                   100 + track - FIRST_TRACK);
    }
    lanes[lane] = end_ns ? end_ns : 1;
    return track;
}

/* Returns where a task is shown, and stores the device whose track that is. */
static enum category category_of(const tw_tool_task *task, int *device)
{
    *device = task->device;
    switch (task->kind) {
    case TW_TOOL_TRANSFER:
    case TW_TOOL_COPY:
    case TW_TOOL_FILL:
    case TW_TOOL_HINT:
        if (task->from == task->to) {
            *device = task->to;
            return WITHIN;
        }
        *device = task->to < 0 ? task->from : task->to;
        return task->to < 0 ? TO_HOST : task->from < 0 ? FROM_HOST : FROM_DEVICES;
    case TW_TOOL_HOST_TASK:
        return HOST_TASKS;
    case TW_TOOL_HOST_ACCESS:
    case TW_TOOL_USER_EVENT:
        return PROGRAM;
    default:
        return KERNELS;
    }
}

/* ---- parts of events --------------------------------------------------------------------------------------------- */

/* Puts a name that never changes. */
static void put_name(struct tw_line *line, const char *name)
{
    struct tw_piece *piece = piece_at((uintptr_t)name, NAME);
    if (tw_put_piece(line, piece, (uintptr_t)name, NAME))
        return;
    const char *text = line->at;
    tw_put_name(line, name);
    tw_keep_piece(line, text, piece, (uintptr_t)name, NAME);
}

static void put_buffer(struct tw_line *line, uint64_t buffer)
{
    const struct known_buffer *known = &trace.buffers[buffer % BUFFERS];
    TW_PUT(line, "buffer ");
    tw_put_number(line, buffer);
    if (known->number == buffer && known->name[0]) {
        TW_PUT(line, " ");
        tw_put_name(line, known->name);
    }
}

static void put_sizes(struct tw_line *line, const size_t *sizes, unsigned dims)
{
    TW_PUT(line, "[");
    for (unsigned d = 0; d < dims; ++d) {
        if (d)
            TW_PUT(line, ",");
        tw_put_number(line, sizes[d]);
    }
    TW_PUT(line, "]");
}

/* Puts a member with a number, unless that is 0. */
#define PUT_MEMBER(line, name, value)                                                                                  \
    do {                                                                                                               \
        const uint64_t value_ = (value);                                                                               \
        if (value_) {                                                                                                  \
            TW_PUT(line, ",\"" name "\":");                                                                            \
            tw_put_number(line, value_);                                                                               \
        }                                                                                                              \
    } while (0)

static void put_place(struct tw_line *line, const tw_tool_task *task)
{
    if (!task->file)
        return;
    const uint64_t file = (uintptr_t)task->file, place = PLACE | (uint64_t)task->line << 2;
    struct tw_piece *piece = piece_at(file, place);
    if (tw_put_piece(line, piece, file, place))
        return;
    const size_t length = strlen(task->file);
    const char *text = line->at;
    TW_PUT(line, ",\"submitted\":\"");
    tw_put_name(line, length > TW_LINE_NAME ? task->file + length - TW_LINE_NAME : task->file);
    TW_PUT(line, ":");
    tw_put_number(line, (uint64_t)task->line);
    TW_PUT(line, "\"");
    tw_keep_piece(line, text, piece, file, place);
}

static void put_place_of_memory(struct tw_line *line, int device)
{
    if (device < 0) {
        TW_PUT(line, "\"host memory\"");
        return;
    }
    TW_PUT(line, "\"");
    tw_put_name(line, trace.devices[device_index(device)]);
    TW_PUT(line, "\"");
}

static void put_status(struct tw_line *line, const tw_tool_task *task)
{
    if (task->status == TW_SUCCESS)
        return;
    TW_PUT(line, ",\"status\":\"");
    tw_put_name(line, tw_status_name(task->status));
    TW_PUT(line, "\"");
}

/* What is known of a launch. */
static void put_launch(struct tw_line *line, const tw_tool_task *task)
{
    TW_PUT(line, ",\"range\":");
    put_sizes(line, task->range, task->dims);
    if (task->local[0]) {
        TW_PUT(line, ",\"local\":");
        put_sizes(line, task->local, task->dims);
    }
    PUT_MEMBER(line, "local_bytes", task->local_bytes);
    PUT_MEMBER(line, "registers", task->registers);
    PUT_MEMBER(line, "argument_bytes", task->args_bytes);
}

/* What is known of a copy or a fill. */
static void put_copy(struct tw_line *line, const tw_tool_task *task)
{
    PUT_MEMBER(line, "bytes", task->bytes);
    if (task->end_ns > task->start_ns)
        PUT_MEMBER(line, "MB_per_s", (uint64_t)((double)task->bytes * 1e3 / (double)(task->end_ns - task->start_ns)));
    TW_PUT(line, ",\"from\":");
    put_place_of_memory(line, task->from);
    TW_PUT(line, ",\"to\":");
    put_place_of_memory(line, task->to);
}

/* The name of a task, and what is known of it: the end of its event. */
static void put_task(struct tw_line *line, const tw_tool_task *task)
{
    TW_PUT(line, ",\"name\":\"");
    put_name(line, task->name);
    if (task->is_fallback)
        TW_PUT(line, " (fallback)");
    if (task->buffer) {
        TW_PUT(line, " of ");
        put_buffer(line, task->buffer);
    }
    TW_PUT(line, "\",\"args\":{\"group\":");
    tw_put_number(line, task->group);
    if (task->kind == TW_TOOL_KERNEL)
        put_launch(line, task);
    if (task->bytes)
        put_copy(line, task);
    PUT_MEMBER(line, "queue", task->queue);
    put_status(line, task);
    TW_PUT(line, "}},\n");
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

/* Takes the lock. It is mostly held for less time than it takes to put a thread to sleep; while the file grows, threads
   sleep. */
static void lock(void)
{
    for (unsigned poll = 0; atomic_exchange_explicit(&trace.is_locked, true, memory_order_acquire); ++poll)
        if (poll < POLLS)
            tw_pause();
        else
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static void unlock(void)
{
    atomic_store_explicit(&trace.is_locked, false, memory_order_release);
}

static void device(const tw_tool_device *device, void *user)
{
    (void)user;
    lock();
    snprintf(trace.devices[device_index(device->number)], sizeof trace.devices[0], "%d %s", device->number,
             device->name);
    unlock();
}

/* Notes a task that was submitted. */
static struct known_task *note_task(const tw_tool_task *task)
{
    struct known_task *known = &trace.tasks[task->id % TASKS];
    *known = (struct known_task){.id = task->id};
    return known;
}

static void note_dependencies(const tw_tool_submission *submission)
{
    for (size_t i = 0; i < submission->dependency_count; ++i) {
        const tw_tool_dependency *told = &submission->dependencies[i];
        struct known_task *task = &trace.tasks[told->task % TASKS];
        struct known_dependency *known = &trace.dependencies[trace.dependency_count % DEPENDENCIES];
        if (!task->count++)
            task->dependency = trace.dependency_count;
        ++trace.dependency_count;
        known->before = told->before;
        known->buffer = told->buffer;
        known->reads = told->reads;
        known->writes = told->writes;
        known->before_writes = told->before_writes;
    }
}

/* Describes a buffer where it is used for the first time. */
static void describe_buffer(const tw_tool_access *access, const tw_tool_task *body, uint64_t now)
{
    struct known_buffer *known = &trace.buffers[access->buffer % BUFFERS];
    const char *name = access->name ? access->name : "";
    struct tw_line line;
    if (known->number == access->buffer && (known->name[0] || !name[0]))
        return;
    known->number = access->buffer;
    snprintf(known->name, sizeof known->name, "%s", name);
    begin(&line, 'i', own_track(), now);
    TW_PUT(&line, ",\"s\":\"t\",\"name\":\"");
    put_buffer(&line, access->buffer);
    TW_PUT(&line, "\",\"args\":{\"range\":");
    put_sizes(&line, access->range, access->dims);
    PUT_MEMBER(&line, "element_bytes", access->element_bytes);
    TW_PUT(&line, ",\"first_used_by\":\"");
    tw_put_name(&line, body->name);
    TW_PUT(&line, "\"");
    put_place(&line, body);
    TW_PUT(&line, "}},\n");
    write_line(&line);
}

static void put_accesses(struct tw_line *line, const tw_tool_submission *submission, bool reads, bool writes)
{
    bool any = false;
    for (size_t i = 0; i < submission->access_count && (size_t)(line->at - line->text) < TW_LINE_BYTES - 2048; ++i) {
        const tw_tool_access *access = &submission->accesses[i];
        if (access->reads != reads || access->writes != writes)
            continue;
        if (any)
            TW_PUT(line, ",");
        else if (reads && writes)
            TW_PUT(line, ",\"reads_and_writes\":[");
        else if (reads)
            TW_PUT(line, ",\"reads\":[");
        else
            TW_PUT(line, ",\"writes\":[");
        any = true;
        tw_put_number(line, access->buffer);
    }
    if (any)
        TW_PUT(line, "]");
}

static void submitted(const tw_tool_submission *submission, void *user)
{
    const tw_tool_task *body = submission->body;
    struct tw_line line;
    (void)user;
    lock();
    note_task(body);
    for (size_t i = 0; i < submission->transfer_count; ++i)
        note_task(&submission->transfers[i]);
    note_dependencies(submission);
    for (size_t i = 0; i < submission->access_count; ++i)
        describe_buffer(&submission->accesses[i], body, submission->submit_ns);
    const uint64_t begun = submission->begin_ns ? submission->begin_ns : submission->submit_ns;
    const uint64_t start = begun > own.since_ns ? begun : own.since_ns, now = submission->submit_ns;
    const unsigned track = own_track();
    begin_slice(&line, track, start < now ? start : now, now);
    TW_PUT(&line, ",\"name\":\"submit ");
    put_name(&line, body->name);
    TW_PUT(&line, "\",\"args\":{\"group\":");
    tw_put_number(&line, body->id);
    put_accesses(&line, submission, true, false);
    put_accesses(&line, submission, true, true);
    put_accesses(&line, submission, false, true);
    put_place(&line, body);
    TW_PUT(&line, "}},\n");
    write_line(&line);
    own.since_ns = now;
    unlock();
}

/* Writes one end of an arrow. */
static void write_arrow(char phase, unsigned track, uint64_t ns, const struct known_dependency *known)
{
    struct tw_line line;
    begin(&line, phase, track, ns);
    TW_PUT(&line, ",\"id\":");
    tw_put_number(&line, trace.arrow_count);
    if (phase == 'f')
        TW_PUT(&line, ",\"bp\":\"e\"");
    TW_PUT(&line, ",\"cat\":\"dependency\",\"name\":\"");
    if (known->buffer) {
        if (known->reads && known->before_writes)
            TW_PUT(&line, "reads what was written: ");
        else if (known->before_writes)
            TW_PUT(&line, "overwrites what was written: ");
        else
            TW_PUT(&line, "writes what was read: ");
        put_buffer(&line, known->buffer);
    } else {
        TW_PUT(&line, "event or order of the queue");
    }
    TW_PUT(&line, "\"},\n");
    write_line(&line);
}

/* Writes the arrows to a task from those that it waited for. */
static void write_arrows(const struct known_task *task)
{
    for (uint64_t i = task->dependency; i < task->dependency + task->count; ++i) {
        const struct known_dependency *known = &trace.dependencies[i % DEPENDENCIES];
        if (i + DEPENDENCIES < trace.dependency_count)
            continue;
        const struct known_task *before = &trace.tasks[known->before % TASKS];
        if (before->id != known->before || !before->track)
            continue;
        ++trace.arrow_count;
        write_arrow('s', before->track, before->end_ns > before->start_ns ? before->end_ns - 1 : before->start_ns,
                    known);
        write_arrow('f', task->track, task->start_ns, known);
    }
}

/* Writes a mark for a task that was not run, or that no track has room for. */
static void write_mark(const tw_tool_task *task)
{
    struct tw_line line;
    begin(&line, 'i', own_track(), tw_now_ns());
    TW_PUT(&line, ",\"s\":\"t\"");
    put_task(&line, task);
    write_line(&line);
}

static void ended(const tw_tool_task *task, void *user)
{
    struct tw_line line;
    int device = 0;
    (void)user;
    lock();
    const uint64_t end_ns = task->end_ns ? task->end_ns : tw_now_ns();
    const uint64_t start_ns = task->end_ns ? task->start_ns : end_ns;
    const enum category category = category_of(task, &device);
    const unsigned track = task->status == TW_ERROR_CANCELLED ? 0 : device_track(device, category, start_ns, end_ns);
    if (!track) {
        write_mark(task);
        unlock();
        return;
    }
    begin_slice(&line, track, start_ns, end_ns);
    put_task(&line, task);
    write_line(&line);
    struct known_task *known = &trace.tasks[task->id % TASKS];
    if (known->id == task->id) {
        known->start_ns = start_ns;
        known->end_ns = end_ns;
        known->track = track;
        write_arrows(known);
    }
    unlock();
}

static void wait_began(const tw_tool_wait *wait, void *user)
{
    (void)user;
    if (own.since_ns < wait->begin_ns)
        own.since_ns = wait->begin_ns;
}

static void wait_ended(const tw_tool_wait *wait, void *user)
{
    struct tw_line line;
    (void)user;
    lock();
    begin_slice(&line, own_track(), wait->begin_ns, wait->end_ns);
    TW_PUT(&line, ",\"name\":\"wait for ");
    put_name(&line, wait->name);
    TW_PUT(&line, "\",\"args\":{\"group\":");
    tw_put_number(&line, wait->group);
    TW_PUT(&line, "}},\n");
    write_line(&line);
    own.since_ns = wait->end_ns;
    unlock();
}

static void memory(const tw_tool_memory *memory, void *user)
{
    static const char *const names[] = {
        [TW_TOOL_ALLOCATE] = "allocate", [TW_TOOL_FREE] = "free", [TW_TOOL_EVICT] = "evict"};
    struct tw_line line;
    (void)user;
    lock();
    begin(&line, 'i', own_track(), memory->time_ns);
    TW_PUT(&line, ",\"s\":\"t\",\"name\":\"");
    tw_put_name(&line, names[memory->kind]);
    TW_PUT(&line, " ");
    put_buffer(&line, memory->buffer);
    TW_PUT(&line, "\",\"args\":{\"bytes\":");
    tw_put_number(&line, memory->bytes);
    TW_PUT(&line, ",\"in\":");
    put_place_of_memory(&line, memory->device);
    TW_PUT(&line, "}},\n");
    write_line(&line);
    unlock();
}

static void finished(void *user)
{
    (void)user;
    lock();
    if (trace.file.descriptor >= 0) {
        struct tw_line line;
        begin(&line, 'M', (unsigned)trace.process, 0); /* without a comma behind it */
        TW_PUT(&line, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":0}}\n]\n");
        write_line(&line);
        tw_trace_file_close(&trace.file);
    }
    unlock();
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* Makes the path of a name with %p. Returns false if it is too long. */
static bool make_path(const char *name)
{
    size_t used = 0;
    for (; *name && used < PATH_BYTES - 1; ++name) {
        if (name[0] == '%' && name[1] == 'p') {
            used += (size_t)snprintf(trace.path + used, PATH_BYTES - used, "%ld", trace.process);
            ++name;
        } else {
            trace.path[used++] = *name;
        }
    }
    if (*name || used >= PATH_BYTES)
        return false;
    trace.path[used] = '\0';
    return true;
}

/* Opens the file; if another process writes it, one whose name ends with the number of this process. */
static bool open_file(const char *name)
{
    if (!make_path(name)) {
        tw_warn("TW_TRACE: the name of the file is too long; there is no trace");
        return false;
    }
    bool is_open = tw_trace_file_open(&trace.file, trace.path);
    const size_t length = strlen(trace.path);
    if (!is_open && errno == EWOULDBLOCK) {
        char other[PATH_BYTES];
        memcpy(other, trace.path, length + 1);
        snprintf(trace.path + length, PATH_BYTES - length, ".%ld", trace.process);
        is_open = tw_trace_file_open(&trace.file, trace.path);
        if (is_open)
            tw_warn(
                "TW_TRACE: another process writes \"%s\", so this one writes \"%s\"; %%p in the name stands for the "
                "number of the process",
                other, trace.path);
    }
    if (!is_open)
        tw_warn("TW_TRACE: \"%s\" cannot be written: %s; there is no trace", trace.path, strerror(errno));
    return is_open;
}

/* Writes the beginning of the array, and the name of the program. */
static void write_head(void)
{
    struct tw_line line;
    line.text = line.at = room_for_line();
    TW_PUT(&line, "[\n");
    write_line(&line);
    begin(&line, 'M', (unsigned)trace.process, 0);
    TW_PUT(&line, ",\"name\":\"process_name\",\"args\":{\"name\":\"");
    tw_put_name(&line, program_invocation_short_name);
    TW_PUT(&line, "\"}},\n");
    write_line(&line);
}

void tw_trace_start(const char *name)
{
    static const tw_tool tool = {.device = device,
                                 .submitted = submitted,
                                 .ended = ended,
                                 .wait_began = wait_began,
                                 .wait_ended = wait_ended,
                                 .memory = memory,
                                 .finished = finished};
    trace.process = (long)getpid();
    trace.tasks = calloc(TASKS, sizeof *trace.tasks);
    trace.dependencies = calloc(DEPENDENCIES, sizeof *trace.dependencies);
    if (!trace.tasks || !trace.dependencies) {
        tw_warn("TW_TRACE: no memory for the trace; there is none");
    } else if (open_file(name) && tw_tool_add(&tool)) {
        write_head();
        return;
    }
    free(trace.tasks);
    free(trace.dependencies);
    trace.tasks = NULL;
    trace.dependencies = NULL;
}
