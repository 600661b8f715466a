/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How launches are divided. All kernels of a queue are divided alike while that is nearly as fast as what suits each best:
 * so contents stay where they are. Some launches are measured, fewer the longer the division has been the same. If
 * another division would be faster by more than a little, it takes its place; the more often that has happened, the longer
 * until it may happen again.
 *
 * What kernels take says nothing of transfers between the devices. So where a division promises no great gain, the fastest
 * device runs some launches alone, and the way is kept in which launches have followed each other faster.
 */
#include "balance.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ITEMS 4096u   /* what was not measured is divided if it has more work-items or elements */
#define DIVISION_NS 40000.0 /* what a division into two parts costs at least; each further part as much */
#define BEGINS 1.07         /* a launch is divided if that is faster than one device alone by this factor ... */
#define GOES_ON 1.05        /* ... and no longer divided if it is not by this one */
#define SURE 1.6            /* a division that is to gain so much is not compared with one device alone */
#define BETTER 1.03         /* what follows faster by this factor is better */
#define WORTHWHILE 1.1      /* another division is taken if it is faster by this factor */
#define SELDOM 32u          /* launches from one that is measured to the next, at most */
#define MUCH 8u             /* a launch of so many times the units is another matter */
#define KEPT 0.5            /* of what was measured before, beside what is new */

/* How many operations a compute unit does at a time, roughly. */
#define GPU_LANES 128.0
#define CPU_LANES 16.0

/* What was measured of a kernel. */
struct kernel_speed {
    struct kernel_speed *next;
    const struct tw_internal_kernel *kernel;
    double ns_per_unit[TW_MOST_QUEUE_DEVICES]; /* 0: not known */
    size_t largest;            /* most units of a launch so far; what much smaller ones took says nothing about it */
    unsigned long launches;    /* about as large as that */
    bool is_undivided;         /* one device runs it; else it is divided */
    double period_ns[2];       /* from one launch to the next, not divided or divided, of `last_units`; 0: not known */
    uint64_t last_end_ns;      /* of the last launch that was measured in this way; 0: there is none */
    unsigned long last_number; /* its number among `launches` */
    size_t last_units;
    unsigned long next_sample, interval; /* the next launch to be measured, and how long until the one behind it */
    unsigned long sample_number;         /* likewise of the launch that is being measured */
    bool is_sampling;                    /* a launch is being measured: */
    tw_event *sample[TW_MOST_QUEUE_DEVICES];
    size_t units[TW_MOST_QUEUE_DEVICES]; /* that each device ran */
    bool refuses[TW_MOST_QUEUE_DEVICES]; /* the device cannot run it */
};

struct balance {
    struct tw_queue_devices devices;       /* first */
    pthread_mutex_t mutex;                 /* for what follows */
    bool is_fixed;                         /* the program has set the weights */
    double weights[TW_MOST_QUEUE_DEVICES]; /* with which launches are divided */
    double guess[TW_MOST_QUEUE_DEVICES];   /* how fast the devices are, before anything is measured */
    struct kernel_speed *speeds;           /* of each kernel */
    unsigned long launches, next_change;   /* so many launches; the weights may change from this number on */
    unsigned changes;                      /* how often they did, up to a limit */
};

static struct balance *balance_of(struct tw_queue_devices *devices)
{
    return (struct balance *)devices;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static struct kernel_speed *find(struct balance *balance, const struct tw_internal_kernel *kernel)
{
    struct kernel_speed *speed = balance->speeds;
    while (speed && speed->kernel != kernel)
        speed = speed->next;
    return speed;
}

/* Finds what is known of a kernel, or begins with nothing. NULL: there is no memory for it. */
static struct kernel_speed *find_or_begin(struct balance *balance, const struct tw_internal_kernel *kernel)
{
    struct kernel_speed *speed = find(balance, kernel);
    if (speed || !(speed = calloc(1, sizeof *speed)))
        return speed;
    speed->kernel = kernel;
    speed->interval = 1;
    speed->next = balance->speeds;
    balance->speeds = speed;
    return speed;
}

static void drop_sample(struct kernel_speed *speed)
{
    for (size_t i = 0; i < TW_MOST_QUEUE_DEVICES; ++i)
        tw_event_release(&speed->sample[i]);
    speed->is_sampling = false;
}

/* Notes when a measured launch was over. The first launch in a way moves contents: it does not count. */
static void note_end(struct kernel_speed *speed, uint64_t end_ns, size_t units)
{
    const bool is_next = speed->last_end_ns && units == speed->last_units && speed->sample_number > speed->last_number;
    if (units != speed->last_units)
        speed->period_ns[0] = speed->period_ns[1] = 0;
    if (is_next && end_ns > speed->last_end_ns)
        speed->period_ns[!speed->is_undivided] =
            (double)(end_ns - speed->last_end_ns) / (double)(speed->sample_number - speed->last_number);
    speed->last_end_ns = speed->sample_number > 1 ? end_ns : 0;
    speed->last_number = speed->sample_number;
    speed->last_units = units;
}

/* Takes what a measured launch took, once it is over on all devices. */
static void collect(struct kernel_speed *speed, size_t count)
{
    uint64_t end_ns = 0;
    size_t units = 0;
    for (size_t i = 0; i < count; ++i)
        if (speed->sample[i] && tw_event_get_state(speed->sample[i]) != TW_EVENT_COMPLETE)
            return;
    for (size_t i = 0; i < count; ++i) {
        tw_event_times times;
        if (!speed->sample[i] || tw_event_get_status(speed->sample[i]) != TW_SUCCESS
            || tw_event_get_times(speed->sample[i], &times) != TW_SUCCESS || times.end_ns <= times.start_ns)
            continue;
        const double ns = (double)(times.end_ns - times.start_ns) / (double)speed->units[i];
        speed->ns_per_unit[i] = speed->ns_per_unit[i] > 0 ? KEPT * speed->ns_per_unit[i] + (1 - KEPT) * ns : ns;
        end_ns = times.end_ns > end_ns ? times.end_ns : end_ns;
        units += speed->units[i];
    }
    if (end_ns)
        note_end(speed, end_ns, units);
    drop_sample(speed);
}

static void end(struct tw_queue_devices *devices)
{
    struct balance *balance = balance_of(devices);
    for (struct kernel_speed *speed = balance->speeds, *next; speed; speed = next) {
        next = speed->next;
        drop_sample(speed);
        free(speed);
    }
    balance->speeds = NULL;
}

static void free_balance(struct tw_queue_devices *devices)
{
    (void)pthread_mutex_destroy(&balance_of(devices)->mutex);
    free(balance_of(devices));
}

struct tw_queue_devices *tw_balance_new(void)
{
    struct balance *balance = calloc(1, sizeof *balance);
    if (!balance)
        return NULL;
    (void)pthread_mutex_init(&balance->mutex, NULL);
    balance->devices.end = end;
    balance->devices.free = free_balance;
    return &balance->devices;
}

void tw_balance_add(struct tw_queue_devices *devices, struct tw_queue *queue)
{
    struct balance *balance = balance_of(devices);
    const struct tw_device_facts *facts = tw_device_facts(queue->device);
    const bool is_gpu = queue->device->backend->type == TW_DEVICE_GPU;
    const size_t i = devices->count++;
    devices->queues[i] = queue;
    balance->guess[i] = (is_gpu ? GPU_LANES : CPU_LANES) * (double)(facts->compute_units + !facts->compute_units);
    balance->weights[i] = balance->guess[i];
}

void tw_balance_fix(struct tw_queue_devices *devices, const double *shares)
{
    struct balance *balance = balance_of(devices);
    (void)pthread_mutex_lock(&balance->mutex);
    balance->is_fixed = shares != NULL;
    for (struct kernel_speed *speed = balance->speeds; speed; speed = speed->next)
        memset(speed->refuses, 0, sizeof speed->refuses);
    for (size_t i = 0; i < devices->count; ++i) {
        atomic_store(&devices->has_failed[i], false);
        balance->weights[i] = shares ? shares[i] : balance->guess[i];
    }
    (void)pthread_mutex_unlock(&balance->mutex);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Returns false if a device is of no use: it has failed, or cannot run the kernel. Nothing need be known of that. */
static bool is_able(const struct balance *balance, const struct kernel_speed *speed, size_t device)
{
    return !atomic_load(&balance->devices.has_failed[device]) && !(speed && speed->refuses[device]);
}

/* Returns the first device that is of use; as many as there are if none is. */
static size_t first_able(const struct balance *balance, const struct kernel_speed *speed)
{
    size_t i = 0;
    while (i < balance->devices.count && !is_able(balance, speed, i))
        ++i;
    return i;
}

/* Returns false if a device gets no work, and others do. */
static bool takes_work(const struct balance *balance, const struct kernel_speed *speed, size_t device)
{
    return first_able(balance, speed) == balance->devices.count || is_able(balance, speed, device);
}

/* Stores how fast each device probably runs a kernel, in units a nanosecond: as measured, or what the first guess about the
   devices says of one that was. Returns false if nothing was measured. */
static bool guess_speeds(const struct balance *balance, const struct kernel_speed *speed, double *speeds)
{
    size_t known = 0;
    while (known < balance->devices.count && !(speed->ns_per_unit[known] > 0))
        ++known;
    if (known == balance->devices.count)
        return false;
    for (size_t i = 0; i < balance->devices.count; ++i) {
        const double measured = speed->ns_per_unit[i];
        const double guessed = balance->guess[known] / balance->guess[i] * speed->ns_per_unit[known];
        speeds[i] = takes_work(balance, speed, i) ? 1 / (measured > 0 ? measured : guessed) : 0;
    }
    return true;
}

/* Returns how long a launch takes with a division. */
static double time_with(const double *weights, const double *speeds, size_t count, double units)
{
    double all = 0, longest = 0;
    size_t parts = 0;
    for (size_t i = 0; i < count; ++i)
        all += weights[i];
    for (size_t i = 0; i < count; ++i) {
        const double ns = weights[i] > 0 ? units * weights[i] / all / speeds[i] : 0;
        longest = ns > longest ? ns : longest;
        parts += weights[i] > 0;
    }
    return longest + DIVISION_NS * (double)(parts - 1);
}

static size_t fastest(const double *speeds, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; ++i)
        if (speeds[i] > speeds[best])
            best = i;
    return best;
}

/* Takes another division for all kernels, unless that happened a short time ago. Returns true if it does. */
static bool change(struct balance *balance, const double *weights)
{
    if (balance->launches < balance->next_change)
        return false;
    memcpy(balance->weights, weights, balance->devices.count * sizeof *weights);
    balance->changes += balance->changes < 10;
    balance->next_change = balance->launches + (1u << balance->changes);
    return true;
}

/* Begins another way: one device alone, or divided, or divided otherwise. */
static void change_way(struct kernel_speed *speed, bool is_undivided)
{
    speed->is_undivided = is_undivided;
    speed->launches = speed->next_sample = speed->interval = 1;
    speed->last_end_ns = 0;
    drop_sample(speed);
}

/* Returns true if the fastest device is to run the launch alone. All together would be faster by the factor `gain`, by what
   kernels take. */
static bool is_better_alone(const struct kernel_speed *speed, double gain)
{
    const double alone = speed->period_ns[0], divided = speed->period_ns[1];
    if (gain <= (speed->is_undivided ? BEGINS : GOES_ON))
        return true;
    if (gain >= SURE)
        return false;
    if (alone > 0 && divided > 0)
        return speed->is_undivided ? alone < BETTER * divided : BETTER * alone < divided;
    return speed->is_undivided ? !(alone > 0) : divided > 0; /* what was not tried is tried, once this way is known */
}

/* Returns true if a device cannot run the kernel. Then it says nothing about the division of others. */
static bool is_refused(const struct kernel_speed *speed, size_t count)
{
    bool is = false;
    for (size_t i = 0; i < count; ++i)
        is = is || speed->refuses[i];
    return is;
}

/* Decides by what was measured whether the launch is divided, and how. */
static void decide(struct balance *balance, struct kernel_speed *speed, const double *speeds, double units,
                   struct tw_division_plan *plan)
{
    const size_t count = balance->devices.count, best = fastest(speeds, count);
    const double together = time_with(speeds, speeds, count, units);
    const bool is_alone = is_better_alone(speed, units / speeds[best] / together);
    if (is_alone != speed->is_undivided)
        change_way(speed, is_alone);
    plan->only_device = is_alone ? best : count;
    if (is_alone)
        return;
    /* infinite with a device that has failed */
    if (!is_refused(speed, count) && time_with(balance->weights, speeds, count, units) > WORTHWHILE * together
        && change(balance, speeds)) {
        speed->period_ns[1] = 0;
        change_way(speed, false);
    }
    for (size_t i = 0; i < count; ++i)
        plan->weights[i] = takes_work(balance, speed, i) ? balance->weights[i] : 0;
}

/* Stores how long each device takes with the weights of the plan. */
static void predict(const struct balance *balance, const double *speeds, double units, struct tw_division_plan *plan)
{
    const size_t count = balance->devices.count;
    double all = 0;
    for (size_t i = 0; i < count; ++i)
        all += plan->weights[i];
    for (size_t i = 0; i < count; ++i)
        plan->ns[i] = plan->weights[i] > 0 && speeds[i] > 0 ? units * plan->weights[i] / all / speeds[i] : 0;
}

/* Begins the plan, before anything that was measured. */
static void begin_plan(const struct balance *balance, const struct kernel_speed *speed, size_t items,
                       struct tw_division_plan *plan)
{
    const bool is_small = !balance->is_fixed && items <= FIRST_ITEMS;
    const size_t first = first_able(balance, speed);
    for (size_t i = 0; i < balance->devices.count; ++i) {
        plan->weights[i] = balance->is_fixed || takes_work(balance, speed, i) ? balance->weights[i] : 0;
        plan->ns[i] = 0;
    }
    plan->only_device = !is_small ? balance->devices.count : first < balance->devices.count ? first : 0;
    plan->measures = false;
}

/* Notes the size of a launch. Returns true if it says something about the kernel: then it counts. What was measured of much
   smaller ones is forgotten: there a launch takes as long as its work. */
static bool note_size(struct kernel_speed *speed, size_t units)
{
    if (units / MUCH >= speed->largest) {
        drop_sample(speed);
        memset(speed->ns_per_unit, 0, sizeof speed->ns_per_unit);
        memset(speed->period_ns, 0, sizeof speed->period_ns);
        speed->launches = speed->next_sample = speed->last_end_ns = 0;
        speed->interval = 1;
    }
    speed->largest = units > speed->largest ? units : speed->largest;
    const bool counts = units >= speed->largest / 2;
    speed->launches += counts;
    return counts;
}

void tw_balance_plan(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel, size_t units,
                     size_t unit_items, struct tw_division_plan *plan)
{
    struct balance *balance = balance_of(devices);
    double speeds[TW_MOST_QUEUE_DEVICES];
    (void)pthread_mutex_lock(&balance->mutex);
    struct kernel_speed *speed = kernel ? find_or_begin(balance, kernel) : NULL;
    begin_plan(balance, speed, units * unit_items, plan);
    if (speed) {
        ++balance->launches;
        if (speed->is_sampling)
            collect(speed, devices->count);
        const bool counts = note_size(speed, units);
        const bool is_known = guess_speeds(balance, speed, speeds);
        if (is_known && !balance->is_fixed)
            decide(balance, speed, speeds, (double)units, plan);
        if (is_known)
            predict(balance, speeds, (double)units, plan);
        const unsigned long launches = speed->launches;
        plan->measures = counts && !speed->is_sampling && launches >= speed->next_sample;
    }
    (void)pthread_mutex_unlock(&balance->mutex);
}

void tw_balance_measured(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel,
                         tw_event *const *events, const size_t *units)
{
    struct balance *balance = balance_of(devices);
    (void)pthread_mutex_lock(&balance->mutex);
    struct kernel_speed *speed = find(balance, kernel);
    const bool takes = speed && !speed->is_sampling;
    for (size_t i = 0; i < devices->count; ++i) {
        tw_event *event = events[i];
        if (!takes) {
            tw_event_release(&event);
            continue;
        }
        speed->sample[i] = event;
        speed->units[i] = units[i];
    }
    if (takes) {
        speed->is_sampling = true;
        speed->sample_number = speed->launches;
        speed->next_sample = speed->launches + speed->interval;
        speed->interval = 2 * speed->interval < SELDOM ? 2 * speed->interval : SELDOM;
    }
    (void)pthread_mutex_unlock(&balance->mutex);
}

bool tw_balance_refused(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel, size_t device)
{
    struct balance *balance = balance_of(devices);
    (void)pthread_mutex_lock(&balance->mutex);
    struct kernel_speed *speed = balance->is_fixed ? NULL : find_or_begin(balance, kernel);
    const bool is_news = speed && !speed->refuses[device];
    if (is_news)
        speed->refuses[device] = true;
    const bool is_run = is_news && first_able(balance, speed) < devices->count;
    if (is_news && !is_run) /* the error says it each time */
        memset(speed->refuses, 0, sizeof speed->refuses);
    (void)pthread_mutex_unlock(&balance->mutex);
    return is_run;
}

size_t tw_balance_first(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel)
{
    struct balance *balance = balance_of(devices);
    (void)pthread_mutex_lock(&balance->mutex);
    const size_t first = balance->is_fixed ? 0 : first_able(balance, find(balance, kernel));
    (void)pthread_mutex_unlock(&balance->mutex);
    return first < devices->count ? first : 0;
}

void tw_balance_weights(struct tw_queue_devices *devices, double *weights)
{
    struct balance *balance = balance_of(devices);
    (void)pthread_mutex_lock(&balance->mutex);
    memcpy(weights, balance->weights, devices->count * sizeof *weights);
    (void)pthread_mutex_unlock(&balance->mutex);
}
