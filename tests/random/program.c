/* SPDX-License-Identifier: Apache-2.0 */
/* Makes random programs. A step says what to try; whether that can be done is seen when it runs, so steps can be left
   out. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static const struct configuration configurations[] = {
    {"sim", "3", NULL, "sim"},
    {"sim-async", "2", "1", "sim"},
    {"host", NULL, NULL, "host"},
    {"mixed", "2", NULL, "sim,host"},
    {"mixed-async", "2", "1", "host,sim"},
    {"over", "8", NULL, "sim"},
    {"over-async", "4", "1", "sim"},
    {"over-mixed", "5", NULL, "sim,host"},
    {"omp", NULL, NULL, "omp"},
    {"omp-mixed", "1", "1", "omp,host,sim"},
    {"gpu", NULL, NULL, "gpu"},
    {"gpu-mixed", "1", "1", "gpu,gpu,host,sim"},
};
enum { CONFIGURATIONS = sizeof configurations / sizeof *configurations, ON_EVERY_MACHINE = 8 };

static const struct configuration *find_configuration(const char *name)
{
    for (int i = 0; i < CONFIGURATIONS; ++i)
        if (strcmp(configurations[i].name, name) == 0)
            return &configurations[i];
    return NULL;
}

bool configuration_exists(const char *name)
{
    return strcmp(name, "all") == 0 || find_configuration(name);
}

const struct configuration *configuration_of(const struct options *options, uint64_t seed)
{
    if (strcmp(options->devices, "all") != 0)
        return find_configuration(options->devices);
    return &configurations[seed / SEEDS_OF_CONFIGURATION % ON_EVERY_MACHINE];
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* What the generator remembers of a thread: which slots are in use, as far as it can tell. */
struct hints {
    bool buffer[BUFFERS], queue[QUEUES], event[EVENTS], hold[HOLDS], graph[GRAPHS], user[USERS], context;
    uint8_t words[BUFFERS]; /* of elements; 0: of a sub-buffer */
    uint8_t recording;      /* a queue, or NONE */
    unsigned recorded;
};

struct generator {
    uint64_t state;
    struct program *program;
    struct hints hints[MAX_THREADS], *at;
    uint8_t thread;
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return draw_below(&g->state, n);
}

static bool one_in(struct generator *g, uint32_t n)
{
    return below(g, n) == 0;
}

/* A slot that is in use, most of the time. */
static uint8_t pick(struct generator *g, const bool *used, uint8_t count)
{
    uint8_t slot = 0;
    for (int tries = 0; tries < 8; ++tries) {
        slot = (uint8_t)below(g, count);
        if (used[slot])
            break;
    }
    return slot;
}

static uint8_t pick_buffer(struct generator *g)
{
    if (g->program->threads > 1 && !g->program->faults && one_in(g, 12))
        return (uint8_t)(BUFFERS + below(g, SHARED_BUFFERS));
    return pick(g, g->at->buffer, BUFFERS);
}

/* A buffer of the thread with so many words in an element, most of the time. */
static uint8_t pick_of_words(struct generator *g, uint8_t words)
{
    uint8_t slot = pick_buffer(g);
    for (int tries = 0; tries < 8 && (slot >= BUFFERS || g->at->words[slot] != words); ++tries)
        slot = pick_buffer(g);
    return slot;
}

static uint8_t pick_queue(struct generator *g)
{
    if (g->at->recording == NONE && one_in(g, 3))
        return (uint8_t)(QUEUES + below(g, SHARED_QUEUES));
    return pick(g, g->at->queue, QUEUES);
}

static struct step *next_step(struct generator *g, enum step_kind kind)
{
    struct step *step = &g->program->step[g->program->steps++];
    memset(step, 0, sizeof *step);
    step->kind = (uint8_t)kind;
    step->thread = g->thread;
    return step;
}

static void add_slot_step(struct generator *g, enum step_kind kind, unsigned slot, unsigned other, uint32_t n)
{
    next_step(g, kind)->slot = (struct slot_step){(uint8_t)slot, (uint8_t)other, n};
}

static void add_buffer(struct generator *g, uint8_t slot)
{
    struct buffer_step *step = &next_step(g, BUFFER_CREATE)->buffer;
    const uint8_t dims = (uint8_t)(1 + below(g, 3));
    *step = (struct buffer_step){.slot = slot,
                                 .kind = (uint8_t)below(g, BUFFER_KINDS),
                                 .dims = dims,
                                 .words = one_in(g, 3) ? (uint8_t)(1 + below(g, 3)) : 1,
                                 .size = {1 + below(g, dims == 1 ? 200 : 14), 1 + below(g, 12), 1 + below(g, 8)},
                                 .seed = draw(&g->state)};
    if (step->kind == SUB || one_in(g, 4)) {
        step->kind = SUB;
        step->of = pick(g, g->at->buffer, BUFFERS);
        step->seed |= 1;
    }
    if (dims == 1 && one_in(g, 8))
        step->size[0] = 1;
    if (dims == 1 && one_in(g, 150))
        step->size[0] = 3000 + below(g, 60000);
    g->at->buffer[slot] = true;
    g->at->words[slot] = step->kind == SUB ? 0 : step->words;
}

static void add_group(struct generator *g)
{
    static const uint8_t modes[] = {TW_WRITE, TW_WRITE, TW_READ_WRITE, TW_DISCARD_WRITE, TW_DISCARD_READ_WRITE};
    struct hints *at = g->at;
    struct group_step group = {.kernel = one_in(g, 4)   ? MAPPED
                                         : one_in(g, 3) ? PARTS
                                         : one_in(g, 8) ? ALGORITHM
                                                        : (uint8_t)below(g, KERNEL_COUNT),
                               .queue = pick_queue(g),
                               .fallback = NONE,
                               .out = pick_buffer(g),
                               .in = pick_buffer(g),
                               .in2 = pick_buffer(g),
                               .mode = modes[below(g, sizeof modes)],
                               .event = NONE,
                               .dims = (uint8_t)below(g, 3),
                               .constant = one_in(g, 4),
                               .twice = one_in(g, 8),
                               .keep = one_in(g, 2),
                               .first = one_in(g, 2) ? 0 : draw(&g->state),
                               .count = one_in(g, 2) ? UINT32_MAX : draw(&g->state),
                               .seed = draw(&g->state),
                               .local = draw(&g->state)};
    if (one_in(g, 6))
        group.in = group.out;
    if (one_in(g, 3))
        group.in2 = group.out;
    if (group.kernel == ALGORITHM) {
        group.out = pick_of_words(g, 1);
        group.in = pick_of_words(g, 1);
        group.in2 = pick_of_words(g, 2);
    }
    group.depends = one_in(g, 6) ? pick(g, at->event, EVENTS) : NONE;
    group.user = one_in(g, 8) ? pick(g, at->user, USERS) : NONE;
    group.mode2 = (uint8_t)(TW_READ + below(g, 6));
    for (int i = 0; i < 3; ++i)
        group.part[i] = one_in(g, 8) ? 0 : draw(&g->state) | 1, group.map[i] = draw(&g->state);
    if (one_in(g, 8))
        group.part[1] = group.part[0];
    if (at->recording != NONE && !one_in(g, 4))
        group.queue = at->recording;
    const uint32_t way = below(g, 40), functions = g->program->faults ? 18 : 6; /* they have fallback queues */
    group.way = way < 3               ? SUBMIT_BLOCK
                : way < 7             ? DISCARD + (uint8_t)(way - 3) % 3
                : way < 7 + functions ? SUBMIT_FUNCTION
                                      : SUBMIT;
    if (group.way == SUBMIT_FUNCTION && !one_in(g, 3))
        group.fallback = pick_queue(g);
    if (group.way == SUBMIT && group.queue != at->recording && one_in(g, 3)) {
        group.event = (uint8_t)below(g, EVENTS);
        at->event[group.event] = true;
    }
    next_step(g, GROUP)->group = group;
}

static void add_access(struct generator *g)
{
    const uint32_t kind = below(g, 12);
    const bool copies = kind < 3;
    struct access_step *step = &next_step(g, kind == 0 ? BUFFER_WRITE : copies ? BUFFER_READ : HOST_ACCESS)->access;
    *step = (struct access_step){.buffer = pick(g, g->at->buffer, BUFFERS),
                                 .mode = (uint8_t)(TW_READ + below(g, 5)),
                                 .hold = NONE,
                                 .first = one_in(g, 2) ? 0 : draw(&g->state),
                                 .count = one_in(g, 2) ? UINT32_MAX : draw(&g->state),
                                 .seed = draw(&g->state)};
    if (one_in(g, 2))
        step->mode = TW_READ;
    if (one_in(g, 2))
        step->part = draw(&g->state) | 1;
    if (!copies && one_in(g, 3)) {
        step->hold = (uint8_t)below(g, HOLDS);
        g->at->hold[step->hold] = true;
    }
}

static void add_event_step(struct generator *g)
{
    const uint8_t slot = pick(g, g->at->event, EVENTS);
    switch (below(g, 6)) {
    case 0:
    case 1:
        add_slot_step(g, EVENT_WAIT, slot, 0, below(g, 3));
        break;
    case 2:
        add_slot_step(g, EVENT_WAIT_ALL, slot, 0, 0);
        break;
    case 3:
        add_slot_step(g, EVENT_LIST, slot, 0, 0);
        break;
    default:
        add_slot_step(g, EVENT_RELEASE, slot, 0, 0);
        g->at->event[slot] = false;
    }
}

static void add_queue(struct generator *g, uint8_t slot)
{
    add_slot_step(g, QUEUE_CREATE, slot, below(g, 3) + (one_in(g, 3) ? 4 : 0), below(g, one_in(g, 2) ? 16 : 1u << 20));
    g->at->queue[slot] = true;
}

static void add_queue_step(struct generator *g)
{
    const uint8_t slot = (uint8_t)below(g, QUEUES);
    if (!g->at->queue[slot]) {
        add_queue(g, slot);
        return;
    }
    const uint8_t number = one_in(g, 4) ? (uint8_t)(QUEUES + below(g, SHARED_QUEUES)) : slot;
    switch (below(g, 12)) {
    case 10:
    case 11:
        add_slot_step(g, QUEUE_DIVIDE, number, 0, draw(&g->state));
        break;
    case 0:
    case 1:
        if (g->at->recording == slot)
            break;
        add_slot_step(g, QUEUE_DESTROY, slot, 0, 0);
        g->at->queue[slot] = false;
        break;
    case 2:
        add_slot_step(g, g->at->context ? CONTEXT_DESTROY : CONTEXT_CREATE, 0, 0, below(g, 16));
        g->at->context = !g->at->context;
        break;
    case 3:
    case 4:
        add_slot_step(g, QUEUE_THROW, number, 0, 0);
        break;
    case 5:
    case 6:
        add_slot_step(g, QUEUE_WAIT_AND_THROW, number, 0, 0);
        break;
    default:
        add_slot_step(g, QUEUE_WAIT, number, 0, 0);
    }
}

static void add_graph_step(struct generator *g)
{
    struct hints *at = g->at;
    const uint8_t slot = (uint8_t)below(g, GRAPHS);
    if (at->recording != NONE) {
        const bool drops = one_in(g, 12);
        add_slot_step(g, RECORD_END, at->recording, drops ? NONE : slot, 0);
        at->graph[slot] = at->graph[slot] || !drops;
        at->recording = NONE;
    } else if (!at->graph[slot]) {
        at->recording = pick(g, at->queue, QUEUES);
        add_slot_step(g, RECORD_BEGIN, at->recording, 0, 0);
        for (unsigned i = 0; i < 1 + below(g, GRAPH_GROUPS) && g->program->steps < MAX_STEPS - 1; ++i)
            add_group(g);
    } else if (one_in(g, 8)) {
        add_slot_step(g, GRAPH_DESTROY, slot, 0, 0);
        at->graph[slot] = false;
    } else {
        add_slot_step(g, GRAPH_SUBMIT, slot, pick_queue(g), 1 + below(g, 4));
    }
}

/* Groups that are ordered by events and queues alone. */
static void add_order_step(struct generator *g)
{
    const uint8_t user = (uint8_t)below(g, USERS), chain = (uint8_t)below(g, CHAINS);
    const uint32_t what = below(g, 16);
    if (what < 3) {
        add_slot_step(g, g->at->user[user] ? USER_COMPLETE : USER_CREATE, user, below(g, 2), below(g, 8));
        g->at->user[user] = !g->at->user[user];
    } else if (what < 11) {
        const uint8_t queue = pick_queue(g);
        for (unsigned i = 0; i < 1 + below(g, 3) && g->program->steps < MAX_STEPS - 1; ++i)
            add_slot_step(g, LINK, chain, one_in(g, 3) ? pick_queue(g) : queue, draw(&g->state));
    } else if (what < 13) {
        add_slot_step(g, CHAIN_CHECK, chain, 0, draw(&g->state));
    } else {
        add_slot_step(g, TALLY, 0, 0, below(g, 100));
    }
}

static void add_fault_step(struct generator *g)
{
    const uint32_t which = below(g, 12);
    const uint8_t device = (uint8_t)below(g, 16);
    if (which < 4 && g->program->steps < MAX_STEPS - 4) /* several parts may fail */
        for (uint32_t i = 0; i < 2 + which % 3; ++i)
            add_slot_step(g, FAULT, below(g, 3), (uint8_t)(device + i), 1 + below(g, 3));
    else if (which < 8)
        add_slot_step(g, FAULT, which % 3, device, 1 + below(g, 6));
    else if (which == 8)
        add_slot_step(g, FAULT, TW_SIM_KERNEL, device, 1 + below(g, 6));
    else
        add_slot_step(g, RESET, 0, device, 0);
}

static void add_step(struct generator *g)
{
    const uint32_t what = below(g, 1000);
    const uint8_t slot = (uint8_t)below(g, BUFFERS);
    if (what < 440)
        add_group(g);
    else if (what < 500)
        add_order_step(g);
    else if (what < 620)
        add_access(g);
    else if (what < 670) {
        const uint8_t hold = pick(g, g->at->hold, HOLDS);
        add_slot_step(g, HOST_RELEASE, hold, 0, 0);
        g->at->hold[hold] = false;
    } else if (what < 740)
        add_event_step(g);
    else if (what < 790)
        add_queue_step(g);
    else if (what < 880)
        add_graph_step(g);
    else if (what < 910 && g->program->threads > 1)
        add_slot_step(g, one_in(g, 6) ? COUNTER_READ : COUNT, below(g, COUNTERS), pick_queue(g), below(g, 100));
    else if (what < 960 && g->at->buffer[slot]) {
        add_slot_step(g, BUFFER_DESTROY, slot, 0, 0);
        g->at->buffer[slot] = false;
    } else if (what < 970)
        add_slot_step(g, BUFFER_RETAIN, pick(g, g->at->buffer, BUFFERS), 0, 0);
    else if (what < 975)
        add_slot_step(g, DELAY, below(g, 4), below(g, 16), one_in(g, 2) ? 0 : below(g, 100000));
    else if (what < 990 && g->program->faults)
        add_fault_step(g);
    else if (!g->at->buffer[slot])
        add_buffer(g, slot);
}

void make_program(const struct options *options, uint64_t seed, struct program *program)
{
    struct generator g = {.state = seed * 0x2545f4914f6cdd1du + 88172645463325252u, .program = program};
    memset(program, 0, offsetof(struct program, step));
    program->seed = seed;
    program->threads = 1 + below(&g, options->threads);
    program->faults = options->faults && strstr(configuration_of(options, seed)->devices, "sim") && one_in(&g, 2);
    const unsigned most = MAX_STEPS - 16;
    const unsigned steps = one_in(&g, 4) ? 20 + below(&g, 60) : 100 + below(&g, most - 100);
    for (unsigned thread = 0; thread < program->threads; ++thread) {
        g.thread = (uint8_t)thread;
        g.at = &g.hints[thread];
        g.at->recording = NONE;
        for (uint8_t i = 0; i < 2; ++i)
            add_queue(&g, i);
        for (unsigned i = 0; i < BUFFERS / 2; ++i)
            add_buffer(&g, (uint8_t)i);
    }
    while (program->steps < steps) {
        g.thread = (uint8_t)below(&g, program->threads);
        g.at = &g.hints[g.thread];
        add_step(&g);
    }
}

void keep_steps(struct program *program, const char *file)
{
    unsigned kept = 0, number = 0;
    FILE *list = fopen(file, "r");
    if (!list) {
        perror(file);
        exit(2);
    }
    while (fscanf(list, "%u", &number) == 1 && number < program->steps)
        program->step[kept++] = program->step[number];
    fclose(list);
    program->steps = kept;
}
