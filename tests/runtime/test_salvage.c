/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 */
/**
 * What others still get when a copy fails, or cannot copy all: contents are not lost that are healthy somewhere, and only
 * those groups are cancelled that need elements which are lost. Copies are held behind a kernel, until all is submitted.
 */
#include "held_test.h"

#include <teamwork/interop.h>

/* Two simulated devices with a queue each, one of the host, and a buffer whose contents a held kernel on the second device
   makes: its elements become 1 when the gate is opened. */
struct scene {
    tw_device *devices[2];
    tw_queue *queues[2], *host;
    tw_buffer *x;
    unsigned memory[N];
    atomic_int gate;
};

static void open_scene(struct scene *scene, bool async)
{
    size_t count;
    tw_test_use_sim(2);
    if (async)
        setenv("TW_SIM_ASYNC", "1", 1);
    else
        unsetenv("TW_SIM_ASYNC"); /* a kernel that a stream has run behind a failed copy cannot run again */
    memset(scene->memory, 0, sizeof scene->memory);
    atomic_store(&scene->gate, 0);
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, scene->devices, 2, &count));
    for (unsigned i = 0; i < 2; ++i)
        TW_PASS(tw_queue_create_on_device(scene->devices[i], NULL, NULL, &scene->queues[i]));
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &scene->host));
    TW_PASS(tw_buffer_create_over(scene->memory, sizeof(unsigned), tw_range_1d(N), &scene->x));
    submit(scene->queues[1], scene->x, 1, 0, NULL, NULL);
    TW_PASS(tw_queue_wait(scene->queues[1]));
    submit(scene->queues[1], scene->x, 1, 1, &scene->gate, NULL);
}

static void close_scene(struct scene *scene)
{
    for (unsigned i = 0; i < 2; ++i)
        (void)tw_queue_destroy(&scene->queues[i]); /* returns an error of a group: each test looks at its own */
    (void)tw_queue_destroy(&scene->host);
}

static void check_contents(const unsigned *values, unsigned expected)
{
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(values[i], expected);
}

/* Submits a copy of the contents to a device, or from it to the host. */
static tw_event *submit_copy(struct scene *scene, unsigned device, void (*copy)(tw_command_group *, tw_buffer *))
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(scene->queues[device]);
    copy(cg, scene->x);
    TW_PASS(tw_queue_submit(scene->queues[device], cg, &event));
    return event;
}

static void *open_gate(void *user)
{
    struct scene *scene = user;
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL); /* by then the destruction waits; if not, it finds the failure instead */
    atomic_store(&scene->gate, 1);
    return NULL;
}

/* Destroys the buffer, and opens the gate meanwhile. */
static void destroy_held(struct scene *scene)
{
    pthread_t thread;
    TW_CHECK(pthread_create(&thread, NULL, open_gate, scene) == 0);
    TW_PASS(tw_buffer_destroy(&scene->x));
    TW_CHECK(pthread_join(thread, NULL) == 0);
}

static void check_failed(tw_event *event)
{
    TW_FAIL(tw_event_wait(event), TW_ERROR_TRANSFER_FAILED);
    tw_event_release(&event);
}

/* The contents are on the second device. A copy to the first one fails while the buffer is destroyed. */
static void destroy_while_a_prefetch_fails(bool async)
{
    static struct scene scene;
    open_scene(&scene, async);
    TW_PASS(tw_sim_fail_nth(scene.devices[0], TW_SIM_COPY, 1));
    tw_event *event = submit_copy(&scene, 0, tw_prefetch);
    destroy_held(&scene);
    check_contents(scene.memory, 1);
    check_failed(event);
    close_scene(&scene);
}

TW_TEST(a_failed_prefetch_loses_nothing)
{
    destroy_while_a_prefetch_fails(false);
}

TW_TEST(a_failed_prefetch_loses_nothing_in_flight)
{
    destroy_while_a_prefetch_fails(true);
}

/* A copy to the host fails that the destruction waits for, too: it copies again. */
TW_TEST(a_failed_update_does_not_harm_the_destruction)
{
    static struct scene scene;
    open_scene(&scene, false);
    tw_event *event = submit_copy(&scene, 1, tw_update_host);
    TW_PASS(tw_sim_fail_nth(scene.devices[1], TW_SIM_COPY, 1));
    destroy_held(&scene);
    check_contents(scene.memory, 1);
    check_failed(event);
    close_scene(&scene);
}

/* The contents are on one device and belong to memory of the program on another one. A copy to the host fails while the
   buffer is destroyed, which takes them from where they are. */
TW_TEST(a_failed_update_does_not_harm_memory_on_a_device)
{
    static struct scene scene;
    unsigned values[N] = {0};
    open_scene(&scene, false);
    atomic_store(&scene.gate, 1);
    TW_PASS(tw_buffer_destroy(&scene.x));
    atomic_store(&scene.gate, 0);
    unsigned *memory = tw_malloc_device(scene.devices[1], sizeof values);
    TW_CHECK(memory);
    TW_PASS(tw_buffer_create_over_device(memory, scene.devices[1], NULL, sizeof *values, tw_range_1d(N), &scene.x));
    TW_PASS(tw_buffer_write(scene.x, values));
    submit(scene.queues[0], scene.x, 1, 0, NULL, NULL);
    TW_PASS(tw_queue_wait(scene.queues[0]));
    submit(scene.queues[0], scene.x, 1, 1, &scene.gate, NULL);
    tw_event *event = submit_copy(&scene, 0, tw_update_host);
    TW_PASS(tw_sim_fail_nth(scene.devices[0], TW_SIM_COPY, 1));
    destroy_held(&scene);
    check_failed(event);
    TW_PASS(tw_buffer_create_over_device(memory, scene.devices[1], NULL, sizeof *values, tw_range_1d(N), &scene.x));
    TW_PASS(tw_buffer_read(scene.x, values));
    check_contents(values, 1);
    TW_PASS(tw_buffer_destroy(&scene.x));
    tw_free(memory);
    close_scene(&scene);
}

/* A group on the first device waits for a copy that a prefetch asked for, and which fails. The group's copy does not. */
TW_TEST(a_group_does_not_fail_with_the_prefetch_before_it)
{
    static struct scene scene;
    open_scene(&scene, false);
    tw_event *event = submit_copy(&scene, 0, tw_prefetch), *group = NULL;
    TW_PASS(tw_sim_fail_nth(scene.devices[0], TW_SIM_COPY, 1));
    submit(scene.queues[0], scene.x, 3, 2, NULL, &group);
    atomic_store(&scene.gate, 1);
    TW_PASS(tw_event_wait(group));
    check_failed(event);
    TW_PASS(tw_buffer_destroy(&scene.x));
    check_contents(scene.memory, 5);
    tw_event_release(&group);
    close_scene(&scene);
}

/* If the copy fails again, the group is cancelled, and says why. */
TW_TEST(a_group_is_cancelled_if_its_copy_fails_too)
{
    static struct scene scene;
    open_scene(&scene, false);
    tw_event *event = submit_copy(&scene, 0, tw_prefetch), *group = NULL;
    TW_PASS(tw_sim_fail_from(scene.devices[0], TW_SIM_COPY, 1));
    submit(scene.queues[0], scene.x, 3, 2, NULL, &group);
    atomic_store(&scene.gate, 1);
    TW_FAIL(tw_event_wait(group), TW_ERROR_CANCELLED);
    check_failed(event);
    TW_FAIL(tw_buffer_destroy(&scene.x), TW_ERROR_DATA_LOST);
    tw_event_release(&group);
    close_scene(&scene);
}

/* A copy to the host fails from the first device, and again. The second device has the contents, too: a group that waits for
   the copy gets them from there. Returns false if it was submitted too late to wait for that copy. */
static bool updates_from_elsewhere(uint64_t delay_ns)
{
    static struct scene scene;
    tw_event *group = NULL;
    open_scene(&scene, false);
    atomic_store(&scene.gate, 1);
    tw_event *update = submit_copy(&scene, 0, tw_prefetch);
    TW_PASS(tw_event_wait(update));
    tw_event_release(&update);
    TW_PASS(tw_sim_reset(scene.devices[0]));
    TW_PASS(tw_sim_fail_from(scene.devices[0], TW_SIM_COPY, 1));
    TW_PASS(tw_sim_delay(scene.devices[0], TW_SIM_COPY, delay_ns));
    update = submit_copy(&scene, 0, tw_update_host);
    submit(scene.host, scene.x, 3, 2, NULL, &group);
    const bool in_time = tw_event_get_state(update) == TW_EVENT_PENDING;
    if (in_time)
        TW_PASS(tw_event_wait(group));
    TW_FAIL(tw_event_wait(update), TW_ERROR_TRANSFER_FAILED);
    if (in_time)
        TW_EQUAL(tw_sim_count(scene.devices[0], TW_SIM_COPY), 2);
    TW_PASS(tw_sim_reset(scene.devices[0]));
    const tw_status status = tw_buffer_destroy(&scene.x);
    if (in_time) {
        TW_PASS(status);
        check_contents(scene.memory, 5);
    }
    tw_event_release(&update);
    tw_event_release(&group);
    close_scene(&scene);
    return in_time;
}

TW_TEST(a_copy_that_fails_twice_comes_from_elsewhere)
{
    for (uint64_t delay_ns = 10000000; !updates_from_elsewhere(delay_ns); delay_ns *= 2)
        TW_CHECK(delay_ns < UINT64_C(10000000000));
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* One part of a buffer on the first device is lost when all is submitted: between are groups that copy all of it. Returns
   how the group ended that uses the other part, on the host. */
enum between { UPDATE, READER_ON_THE_HOST, PREFETCH, UPDATE_AND_FILL, BETWEEN_COUNT };

struct total {
    const unsigned *x;
    unsigned *out;
};
static inline void total(const struct total *k)
{
    unsigned all = 0;
    for (size_t i = 0; i < N; ++i)
        all += k->x[i];
    *k->out = all;
}
TW_SINGLE_TASK(total);

static void check_other_part(enum between between, bool async)
{
    static struct scene scene;
    unsigned out[1] = {0};
    const unsigned five = 5;
    tw_event *lost = NULL, *copies = NULL, *other = NULL, *never = NULL;
    tw_buffer *result = NULL;
    const tw_range half = tw_range_1d(N / 2);
    open_scene(&scene, async);
    atomic_store(&scene.gate, 1);
    TW_PASS(tw_queue_wait(scene.queues[1]));
    TW_PASS(tw_event_create_user(&never));
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(1), &result));
    tw_queue *queue = scene.queues[1], *second = between == PREFETCH ? scene.queues[0] : scene.host;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, never);
    tw_parallel_for(cg, half, held, .x = tw_read_write_part(cg, scene.x, tw_id_1d(0), half), .a = 1, .b = 1);
    TW_PASS(tw_queue_submit(queue, cg, &lost));
    tw_queue *third = between == UPDATE || between == UPDATE_AND_FILL ? queue : second;
    cg = tw_queue_begin(third);
    if (between == READER_ON_THE_HOST)
        tw_single_task(cg, total, .x = tw_read(cg, scene.x), .out = tw_discard_write(cg, result));
    else if (between == PREFETCH)
        tw_prefetch(cg, scene.x);
    else
        tw_update_host(cg, scene.x);
    TW_PASS(tw_queue_submit(third, cg, &copies));
    if (between == UPDATE_AND_FILL) {
        cg = tw_queue_begin(scene.host);
        tw_fill_part(cg, scene.x, tw_id_1d(0), half, &five);
        TW_PASS(tw_queue_submit(scene.host, cg, NULL));
    }
    cg = tw_queue_begin(second);
    tw_parallel_for(cg, half, held, .x = tw_read_write_part(cg, scene.x, tw_id_1d(N / 2), half), .a = 1, .b = 1);
    TW_PASS(tw_queue_submit(second, cg, &other));
    TW_PASS(tw_event_complete(never, TW_ERROR_CANCELLED));
    TW_FAIL(tw_event_wait(lost), TW_ERROR_CANCELLED);
    TW_FAIL(tw_event_wait(copies), TW_ERROR_CANCELLED);
    TW_PASS(tw_event_wait(other));
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access_part(scene.x, tw_id_1d(N / 2), half, TW_READ, &accessor));
    for (size_t i = 0; i < N / 2; ++i)
        TW_EQUAL(((const unsigned *)tw_host_accessor_const_data(accessor))[i], 2);
    tw_host_accessor_release(&accessor);
    if (between == UPDATE_AND_FILL) {
        TW_PASS(tw_buffer_destroy(&scene.x));
        TW_EQUAL(scene.memory[0], 5);
    } else {
        TW_FAIL(tw_buffer_destroy(&scene.x), TW_ERROR_DATA_LOST);
    }
    (void)tw_buffer_destroy(&result);
    tw_event_release(&lost);
    tw_event_release(&copies);
    tw_event_release(&other);
    tw_event_release(&never);
    close_scene(&scene);
}

TW_TEST(a_lost_part_harms_no_other_part)
{
    for (int between = 0; between < BETWEEN_COUNT; ++between)
        check_other_part(between, false);
}

TW_TEST(a_lost_part_harms_no_other_part_in_flight)
{
    for (int between = 0; between < BETWEEN_COUNT; ++between)
        check_other_part(between, true);
}

TW_TEST_LIST = {TW_CASE(a_failed_prefetch_loses_nothing),
                TW_CASE(a_failed_prefetch_loses_nothing_in_flight),
                TW_CASE(a_failed_update_does_not_harm_the_destruction),
                TW_CASE(a_failed_update_does_not_harm_memory_on_a_device),
                TW_CASE(a_group_does_not_fail_with_the_prefetch_before_it),
                TW_CASE(a_group_is_cancelled_if_its_copy_fails_too),
                TW_CASE(a_copy_that_fails_twice_comes_from_elsewhere),
                TW_CASE(a_lost_part_harms_no_other_part),
                TW_CASE(a_lost_part_harms_no_other_part_in_flight),
                TW_CASES_END};
