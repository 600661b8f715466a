/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How launches are divided. All kernels of a queue are divided alike while that is nearly as fast as what suits each best:
 * so contents stay where they are. Some launches are measured, fewer the longer the division has been the same. If
 * another division would be faster by more than a little, it takes its place; the more often that has happened, the longer
 * until it may happen again.
 */
#include "balance.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ITEMS 4096u    /* a launch of a kernel that was not measured is divided if it has more work-items */
#define DIVISION_NS 20000.0  /* what a division into two parts costs at least; each further part as much */
#define BEGINS 1.05          /* a launch is divided if that is faster than one device alone by this factor ... */
#define GOES_ON 1.02         /* ... and no longer divided if it is not by this one */
#define WORTHWHILE 1.1       /* another division is taken if it is faster by this factor */
#define SELDOM 32u           /* launches from one that is measured to the next, in the end */
#define KEPT 0.5             /* of what was measured before, beside what is new */

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static struct tw_kernel_speed *find(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel)
{
    struct tw_kernel_speed *speed = devices->speeds;
    while (speed && speed->kernel != kernel)
        speed = speed->next;
    return speed;
}

/* Finds what is known of a kernel, or begins with nothing. NULL: there is no memory for it. */
static struct tw_kernel_speed *find_or_begin(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel)
{
    struct tw_kernel_speed *speed = find(devices, kernel);
    if (speed || !(speed = calloc(1, sizeof *speed)))
        return speed;
    speed->kernel = kernel;
    speed->next = devices->speeds;
    devices->speeds = speed;
    return speed;
}

static void drop_sample(struct tw_kernel_speed *speed)
{
    for (size_t i = 0; i < TW_MOST_QUEUE_DEVICES; ++i)
        tw_event_release(&speed->sample[i]);
    speed->is_sampling = false;
}

/* Takes what a measured launch took, once it is over on all devices. */
static void collect(struct tw_kernel_speed *speed, size_t count)
{
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
    }
    drop_sample(speed);
}

void tw_balance_end(struct tw_queue_devices *devices)
{
    for (struct tw_kernel_speed *speed = devices->speeds, *next; speed; speed = next) {
        next = speed->next;
        drop_sample(speed);
        free(speed);
    }
    devices->speeds = NULL;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Returns false if a device gets no work: it has failed, and others have not. */
static bool takes_work(const struct tw_queue_devices *devices, size_t device)
{
    size_t sound = 0;
    for (size_t i = 0; i < devices->count; ++i)
        sound += !atomic_load(&devices->has_failed[i]);
    return !sound || !atomic_load(&devices->has_failed[device]);
}

/* Stores how fast each device probably runs a kernel, in units a nanosecond: as measured, or what the first guess about the
   devices says of one that was. Returns false if nothing was measured. */
static bool guess_speeds(const struct tw_queue_devices *devices, const struct tw_kernel_speed *speed, double *speeds)
{
    size_t known = 0;
    while (known < devices->count && !(speed->ns_per_unit[known] > 0))
        ++known;
    if (known == devices->count)
        return false;
    for (size_t i = 0; i < devices->count; ++i)
        speeds[i] = speed->ns_per_unit[i] > 0
                        ? 1 / speed->ns_per_unit[i]
                        : devices->guess[i] / devices->guess[known] / speed->ns_per_unit[known];
    for (size_t i = 0; i < devices->count; ++i)
        speeds[i] = takes_work(devices, i) ? speeds[i] : 0;
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

static size_t first_sound(const struct tw_queue_devices *devices)
{
    size_t i = 0;
    while (!takes_work(devices, i))
        ++i;
    return i;
}

/* Takes another division for all kernels, unless that happened a short time ago. */
static void change(struct tw_queue_devices *devices, const double *weights)
{
    if (devices->launches < devices->next_change)
        return;
    memcpy(devices->weights, weights, devices->count * sizeof *weights);
    devices->changes += devices->changes < 10;
    devices->next_change = devices->launches + (1u << devices->changes);
}

/* Completes the plan by what was measured. */
static void plan_by_speeds(struct tw_queue_devices *devices, struct tw_kernel_speed *speed, double units,
                           struct tw_division_plan *plan)
{
    const size_t count = devices->count;
    double speeds[TW_MOST_QUEUE_DEVICES];
    if (!guess_speeds(devices, speed, speeds))
        return;
    const size_t best = fastest(speeds, count);
    const double alone = units / speeds[best], divided = time_with(speeds, speeds, count, units);
    if (alone <= (speed->is_undivided ? BEGINS : GOES_ON) * divided) {
        speed->is_undivided = true;
        plan->only_device = best;
        return;
    }
    speed->is_undivided = false;
    if (time_with(devices->weights, speeds, count, units) > WORTHWHILE * divided) /* infinite with one that failed */
        change(devices, speeds);
    double all = 0;
    for (size_t i = 0; i < count; ++i)
        plan->weights[i] = takes_work(devices, i) ? devices->weights[i] : 0;
    for (size_t i = 0; i < count; ++i)
        all += plan->weights[i];
    for (size_t i = 0; i < count; ++i)
        plan->ns[i] = plan->weights[i] > 0 ? units * plan->weights[i] / all / speeds[i] : 0;
}

struct tw_division_plan tw_balance_plan(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel,
                                        size_t units, size_t unit_items)
{
    struct tw_division_plan plan = {.only_device = devices->count};
    (void)pthread_mutex_lock(&devices->mutex);
    memcpy(plan.weights, devices->weights, devices->count * sizeof *plan.weights);
    struct tw_kernel_speed *speed = devices->is_fixed ? NULL : find_or_begin(devices, kernel);
    for (size_t i = 0; speed && i < devices->count; ++i)
        plan.weights[i] = takes_work(devices, i) ? plan.weights[i] : 0;
    if (speed) {
        ++devices->launches;
        ++speed->launches;
        if (speed->is_sampling)
            collect(speed, devices->count);
        if (units * unit_items <= FIRST_ITEMS)
            plan.only_device = first_sound(devices);
        plan_by_speeds(devices, speed, (double)units, &plan);
        const unsigned long launches = speed->launches;
        plan.measures = !speed->is_sampling && ((launches & (launches - 1)) == 0 || launches % SELDOM == 0);
    }
    (void)pthread_mutex_unlock(&devices->mutex);
    return plan;
}

void tw_balance_measured(struct tw_queue_devices *devices, const struct tw_internal_kernel *kernel,
                         tw_event *const *events, const size_t *units)
{
    (void)pthread_mutex_lock(&devices->mutex);
    struct tw_kernel_speed *speed = find(devices, kernel);
    for (size_t i = 0; i < devices->count; ++i) {
        tw_event *event = events[i];
        if (!speed || speed->is_sampling) {
            tw_event_release(&event);
            continue;
        }
        speed->sample[i] = event;
        speed->units[i] = units[i];
    }
    if (speed)
        speed->is_sampling = true;
    (void)pthread_mutex_unlock(&devices->mutex);
}

bool tw_balance_weights(struct tw_queue_devices *devices, double *weights)
{
    (void)pthread_mutex_lock(&devices->mutex);
    memcpy(weights, devices->weights, devices->count * sizeof *weights);
    const bool is_fixed = devices->is_fixed;
    (void)pthread_mutex_unlock(&devices->mutex);
    return is_fixed;
}
