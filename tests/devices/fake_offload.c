/* SPDX-License-Identifier: Apache-2.0 */
/* An imaginary liboffload of LLVM 22 (fake_offload.h). Declares its functions as OffloadAPI.h does. */
#include "fake_offload.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPUS = 4, MOST_BLOCKS = 64, MOST_QUEUES = 16, MOST_PROGRAMS = 4, HOST_PLATFORM = 4 };

/* The library knows them by other types: sanitizers would complain, which do not see into the real liboffload. */
#define EXPORTED __attribute__((visibility("default"), no_sanitize("function")))

struct error {
    int code;
    const char *details;
};
typedef const struct error *result;

struct platform {
    int backend;
};
struct device {
    struct platform *platform;
    unsigned number;
};
struct queue {
    struct device *device; /* NULL: not used */
    unsigned long enqueued;
};
struct event {
    struct queue *queue;
    unsigned long after; /* as many things were enqueued before */
};
struct program {
    struct device *device; /* NULL: not used */
};

struct fake_offload fake_offload __attribute__((visibility("default"))) = {.gpus = 1, .platform = 1};

static struct platform platforms[2];
static struct device devices[1 + MOST_GPUS];
static struct queue queues[MOST_QUEUES];       /* those of a lost device stay */
static struct program programs[MOST_PROGRAMS]; /* likewise */
static struct {
    unsigned char *at;
    size_t bytes;
    int type;
} blocks[MOST_BLOCKS];
static _Thread_local bool has_context;

static const struct error fault = {1, "an illegal memory access was encountered"}, refused = {5, "invalid argument"},
                          missing = {6, "not found"}, no_context = {1, "invalid device context"};

static bool is_done(void)
{
    return !fake_offload.holds;
}

EXPORTED result olInit(void)
{
    ++fake_offload.started;
    platforms[0].backend = HOST_PLATFORM;
    platforms[1].backend = fake_offload.platform;
    for (unsigned i = 0; i <= MOST_GPUS; ++i)
        devices[i] = (struct device){&platforms[i > 0], i};
    return NULL;
}

EXPORTED result olShutDown(void)
{
    --fake_offload.started;
    return NULL;
}

EXPORTED result olIterateDevices(bool (*visit)(struct device *device, void *user), void *user)
{
    for (unsigned i = 1; i <= fake_offload.gpus; ++i)
        if (!visit(&devices[i], user))
            return NULL;
    (void)visit(&devices[0], user); /* the host is the last one */
    return NULL;
}

static const char *text_of(const struct device *device, int which, char *room)
{
    switch (which) {
    case 2:
        return "Imaginary";
    case 4:
        snprintf(room, 32, "GPU-1234-%u", device->number);
        return room;
    case 5:
        return "Nobody";
    case 6:
        return "1.2";
    default:
        return NULL;
    }
}

EXPORTED result olGetDeviceInfoSize(struct device *device, int which, size_t *bytes)
{
    char room[32];
    const char *text = text_of(device, which, room);
    if (!text)
        return &missing;
    *bytes = strlen(text) + 1;
    return NULL;
}

EXPORTED result olGetDeviceInfo(struct device *device, int which, size_t bytes, void *value)
{
    static const struct {
        int which;
        uint32_t value;
    } numbers[] = {{7, 1024}, {11, 0x1234}, {12, 10}, {13, 1500}};
    char room[32];
    const char *text = text_of(device, which, room);
    const uint64_t local = 48 << 10, memory = (uint64_t)8 << 30;
    if (text)
        memcpy(value, text, bytes);
    else if (which == 0)
        memcpy(value, &(int){device->number ? 2 : 4}, bytes);
    else if (which == 1)
        memcpy(value, &device->platform, bytes);
    else if (which == 17 || which == 18)
        memcpy(value, which == 17 ? &memory : &local, bytes);
    else {
        size_t i = 0;
        while (i < sizeof numbers / sizeof *numbers && numbers[i].which != which)
            ++i;
        if (i == sizeof numbers / sizeof *numbers)
            return &missing;
        memcpy(value, &numbers[i].value, bytes);
    }
    return NULL;
}

EXPORTED result olGetPlatformInfo(struct platform *platform, int which, size_t bytes, void *value)
{
    if (which != 3)
        return &missing;
    memcpy(value, &platform->backend, bytes);
    return NULL;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

EXPORTED result olMemAlloc(struct device *device, int type, size_t bytes, void **memory)
{
    size_t i = 0;
    (void)device;
    while (i < MOST_BLOCKS && blocks[i].at)
        ++i;
    if (i == MOST_BLOCKS || bytes > (size_t)1 << 40 || !(blocks[i].at = malloc(bytes)))
        return &refused;
    blocks[i].bytes = bytes;
    blocks[i].type = type;
    ++fake_offload.blocks;
    *memory = blocks[i].at;
    return NULL;
}

EXPORTED result olMemFree(void *memory)
{
    for (size_t i = 0; i < MOST_BLOCKS; ++i)
        if (blocks[i].at == memory) {
            free(memory);
            blocks[i].at = NULL;
            --fake_offload.blocks;
            return NULL;
        }
    return &refused;
}

static bool is_locked(const void *memory)
{
    const unsigned char *at = memory;
    for (size_t i = 0; i < MOST_BLOCKS; ++i)
        if (blocks[i].at && blocks[i].type == 0 && at >= blocks[i].at && at < blocks[i].at + blocks[i].bytes)
            return true;
    return false;
}

static result use(struct queue *queue)
{
    if (fake_offload.is_broken)
        return &fault;
    if (queue)
        ++queue->enqueued;
    return NULL;
}

EXPORTED result olMemcpy(struct queue *queue, void *target, struct device *to, const void *source, struct device *from,
                         size_t bytes)
{
    if (to->number == 0 && from->number == 0)
        return &refused;
    has_context = true;
    ++fake_offload.copies;
    fake_offload.locked_copies += is_locked(to->number ? source : target);
    const result error = use(queue);
    if (!error)
        memmove(target, source, bytes);
    return error;
}

EXPORTED result olMemFill(struct queue *queue, void *target, size_t pattern_bytes, const void *pattern, size_t bytes)
{
    const size_t word = pattern_bytes % 4 == 0 ? 4 : pattern_bytes % 2 == 0 ? 2 : 1;
    if (!queue || !pattern_bytes || bytes % pattern_bytes || (uintptr_t)target % word)
        return &refused;
    ++fake_offload.fills;
    const result error = use(queue);
    for (size_t at = 0; at < bytes && !error; at += pattern_bytes)
        memcpy((char *)target + at, pattern, pattern_bytes);
    return error;
}

/* ---- queues and events ------------------------------------------------------------------------------------------- */

EXPORTED result olCreateQueue(struct device *device, struct queue **queue)
{
    size_t i = 0;
    while (i < MOST_QUEUES && queues[i].device)
        ++i;
    if (i == MOST_QUEUES)
        return &refused;
    *queue = &queues[i];
    queues[i] = (struct queue){.device = device};
    ++fake_offload.queues;
    return NULL;
}

EXPORTED result olDestroyQueue(struct queue *queue)
{
    queue->device = NULL;
    --fake_offload.queues;
    return NULL;
}

EXPORTED result olSyncQueue(struct queue *queue)
{
    (void)queue;
    ++fake_offload.syncs;
    return fake_offload.is_broken ? &fault : NULL;
}

EXPORTED result olGetQueueInfo(struct queue *queue, int which, size_t bytes, void *value)
{
    if (which != 1 || bytes != sizeof(bool))
        return &refused;
    if (fake_offload.is_broken)
        return &fault;
    ++fake_offload.asked;
    *(bool *)value = !fake_offload.is_forgetful && (is_done() || !queue->enqueued);
    if (*(bool *)value)
        queue->enqueued = 0;
    return NULL;
}

EXPORTED result olCreateEvent(struct queue *queue, struct event **event)
{
    if (fake_offload.is_broken)
        return &fault;
    if (fake_offload.lacks_context && !has_context)
        return &no_context;
    *event = calloc(1, sizeof **event);
    if (!*event)
        return &refused;
    **event = (struct event){queue, queue->enqueued};
    ++fake_offload.events;
    ++fake_offload.made;
    return NULL;
}

EXPORTED result olDestroyEvent(struct event *event)
{
    free(event);
    --fake_offload.events;
    return NULL;
}

EXPORTED result olSyncEvent(struct event *event)
{
    (void)event;
    return fake_offload.is_broken ? &fault : NULL;
}

EXPORTED result olGetEventInfo(struct event *event, int which, size_t bytes, void *value)
{
    if (which != 1 || bytes != sizeof(bool))
        return &refused;
    if (fake_offload.is_broken)
        return &fault;
    ++fake_offload.asked;
    *(bool *)value = is_done() || !event->after;
    return NULL;
}

EXPORTED result olWaitEvents(struct queue *queue, struct event **events, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!events[i])
            return &refused;
        fake_offload.from_other += events[i]->queue != queue;
    }
    ++fake_offload.waits;
    return fake_offload.is_broken ? &fault : NULL;
}

EXPORTED result olLaunchHostFunction(struct queue *queue, void (*function)(void *user), void *user)
{
    const result error = use(queue);
    if (!error)
        function(user);
    return error;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

EXPORTED result olIsValidBinary(struct device *device, const void *image, size_t bytes, bool *valid)
{
    (void)device;
    *valid = image && bytes > 4 && memcmp(image, "\177ELF", 4) == 0;
    return NULL;
}

EXPORTED result olCreateProgram(struct device *device, const void *image, size_t bytes, struct program **program)
{
    bool valid;
    (void)olIsValidBinary(device, image, bytes, &valid);
    size_t i = 0;
    while (i < MOST_PROGRAMS && programs[i].device)
        ++i;
    if (!valid || i == MOST_PROGRAMS)
        return &refused;
    *program = &programs[i];
    programs[i].device = device;
    ++fake_offload.programs;
    return NULL;
}

EXPORTED result olDestroyProgram(struct program *program)
{
    program->device = NULL;
    --fake_offload.programs;
    return NULL;
}

EXPORTED result olGetSymbol(struct program *program, const char *name, int kind, const char **symbol)
{
    if (!program || kind != 0)
        return &missing;
    *symbol = name; /* it is part of the image */
    return NULL;
}

struct launch_size {
    size_t dimensions;
    uint32_t groups[3], group_size[3];
    size_t dynamic_bytes;
};

EXPORTED result olLaunchKernel(struct queue *queue, struct device *device, const char *kernel, const void *parameters,
                               size_t bytes, const struct launch_size *size)
{
    if (fake_offload.lacks_context && !has_context)
        return &no_context;
    if (fake_offload.refuses || device != queue->device || bytes > sizeof fake_offload.given)
        return &refused;
    const result error = use(queue);
    if (error)
        return error;
    ++fake_offload.launches;
    memcpy(fake_offload.given, parameters, bytes);
    fake_offload.given_bytes = bytes;
    fake_offload.dynamic_bytes = size->dynamic_bytes;
    memcpy(fake_offload.grid, size->groups, sizeof fake_offload.grid);
    memcpy(fake_offload.block, size->group_size, sizeof fake_offload.block);
    fake_offload.kernel = kernel;
    return NULL;
}
