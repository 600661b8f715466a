/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** interop.h: device numbers, selectors, and events of OpenMP. */
#include "step_kernel.h"

#include <omp.h>

#include <teamwork/interop.h>

enum { N = 64, STEPS = 20 };

static bool is_sim(const tw_device *device)
{
    tw_device_type type = TW_DEVICE_ALL;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_TYPE, &type, sizeof type));
    return type == TW_DEVICE_SIM;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

TW_TEST(devices_have_openmps_numbers)
{
    tw_device *devices[16], *host = NULL, *found = NULL;
    const size_t count = tw_test_devices(devices, 16);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    for (size_t i = 0; i <= count; ++i) {
        tw_device *device = i < count ? devices[i] : host;
        int number = tw_device_omp_number(device);
        if (is_sim(device)) {
            TW_EQUAL(number, -1);
            continue;
        }
        TW_CHECK(number >= 0);
        TW_PASS(tw_device_from_omp(number, &found));
        TW_CHECK(found == device);
        if (i < count) {
            TW_PASS(tw_select_device(tw_omp_number_selector, &number, &found));
            TW_CHECK(found == device);
        }
        int on_host = -1;
#pragma omp target device(number) map(from : on_host)
        on_host = omp_is_initial_device();
        TW_EQUAL(on_host != 0, tw_device_is_host(device));
    }
    TW_EQUAL(tw_device_omp_number(NULL), -1);
    TW_FAIL(tw_device_from_omp(-1, &found), TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_device_from_omp(12345, &found), TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_device_from_omp(0, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_select_device(tw_omp_number_selector, NULL, &found), TW_ERROR_NO_DEVICE);
}

TW_TEST(openmps_default_device_is_selected)
{
    tw_device *device = tw_test_device(0), *found = NULL;
    const int number = tw_device_omp_number(device), before = omp_get_default_device();
    if (number < 0)
        TW_SKIP();
    omp_set_default_device(number);
    TW_PASS(tw_select_device(tw_omp_default_selector, NULL, &found));
    omp_set_default_device(before);
    TW_CHECK(found == device);
}

TW_TEST(gpus_have_cudas_ordinals)
{
    tw_device *devices[16], *found = NULL;
    const size_t count = tw_test_devices(devices, 16);
    int event = 0;
    tw_event *imported = NULL;
    const char *backend = getenv("TW_BACKEND");
    const bool by_cuda = !backend || strcmp(backend, "cuda") == 0; /* else GPUs are not run by the CUDA driver */
    for (size_t i = 0; i < count; ++i) {
        const int ordinal = tw_device_cuda_ordinal(devices[i]);
        TW_EQUAL(ordinal >= 0, by_cuda && tw_device_is_gpu(devices[i]));
        if (ordinal < 0) {
            TW_FAIL(tw_event_from_cuda(devices[i], &event, &imported), TW_ERROR_UNSUPPORTED);
            TW_FAIL(tw_event_record_cuda(NULL, devices[i], &event), TW_ERROR_UNSUPPORTED);
            continue;
        }
        TW_PASS(tw_device_from_cuda(ordinal, &found));
        TW_CHECK(found == devices[i]);
        TW_FAIL(tw_event_from_cuda(devices[i], NULL, &imported), TW_ERROR_INVALID_ARGUMENT);
    }
    TW_EQUAL(tw_device_cuda_ordinal(NULL), -1);
    TW_FAIL(tw_device_from_cuda(-1, &found), TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_device_from_cuda(12345, &found), TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_device_from_cuda(0, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_from_cuda(NULL, &event, &imported), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_from_cuda(devices[0], &event, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_record_cuda(NULL, devices[0], NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!imported);
}

static const char *const rank_names[] = {
    "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",          "MV2_COMM_WORLD_LOCAL_RANK", "PMI_LOCAL_RANK",
    "PALS_LOCAL_RANKID",          "JSM_NAMESPACE_LOCAL_RANK", "FLUX_TASK_LOCAL_ID",        "SLURM_LOCALID"};
enum { RANK_NAMES = sizeof rank_names / sizeof rank_names[0] };

TW_TEST(launchers_tell_the_local_rank)
{
    for (int i = 0; i < RANK_NAMES; ++i)
        unsetenv(rank_names[i]);
    TW_EQUAL(tw_local_rank(), -1);
    for (int i = RANK_NAMES; i-- > 0;) { /* from the last on: each counts more than those before */
        char text[8];
        snprintf(text, sizeof text, "%d", i + 3);
        setenv(rank_names[i], text, 1);
        TW_EQUAL(tw_local_rank(), i + 3);
    }
    setenv(rank_names[0], "", 1);
    TW_EQUAL(tw_local_rank(), 4);
    setenv(rank_names[1], "2x", 1);
    TW_EQUAL(tw_local_rank(), 5);
    setenv(rank_names[2], "-1", 1);
    TW_EQUAL(tw_local_rank(), 6);
}

/* Each rank gets its GPU in turn. */
TW_TEST(ranks_share_the_gpus_of_a_node)
{
    tw_device *gpus[16], *found = NULL;
    size_t count = 0;
    TW_PASS(tw_get_devices(TW_DEVICE_GPU, gpus, 16, &count));
    for (int i = 0; i < RANK_NAMES; ++i)
        unsetenv(rank_names[i]);
    if (!count) {
        TW_FAIL(tw_select_device(tw_local_rank_selector, NULL, &found), TW_ERROR_NO_DEVICE);
        return;
    }
    TW_PASS(tw_select_device(tw_local_rank_selector, NULL, &found));
    TW_CHECK(found == gpus[0]);
    for (int rank = 0; rank < 2 * (int)count; ++rank) {
        char text[16];
        snprintf(text, sizeof text, "%d", rank);
        setenv("SLURM_LOCALID", text, 1);
        TW_PASS(tw_select_device(tw_local_rank_selector, NULL, &found));
        TW_CHECK(found == gpus[(size_t)rank % count]);
        int other = rank + 1;
        TW_PASS(tw_select_device(tw_local_rank_selector, &other, &found));
        TW_CHECK(found == gpus[(size_t)other % count]);
    }
}

/* ---- OpenMP's events --------------------------------------------------------------------------------------------- */

/* A chain that alternates between groups, in detached tasks, and tasks of the host; `depend` alone orders them. */
TW_TEST(tasks_depend_on_groups)
{
    tw_queue *queue = tw_test_queue();
    int seen[STEPS], before[STEPS], chain = 0, done = 0, value = 1;
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *events[STEPS];
    for (int i = 0; i < STEPS; ++i)
        seen[i] = before[i] = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < STEPS; ++i) {
            omp_event_handle_t detached;
#pragma omp task detach(detached) depend(inout : chain) firstprivate(i) shared(events, before, done)
            {
                before[i] = done;
                events[i] = submit_step_after(queue, x, i, NULL, 0);
                TW_PASS(tw_event_fulfill_omp(events[i], (uintptr_t)detached));
            }
#pragma omp task depend(inout : chain) firstprivate(i) shared(events, seen, done)
            {
                seen[i] = (int)tw_event_get_state(events[i]);
                ++done;
            }
        }
    }
    for (int i = 0; i < STEPS; ++i) {
        TW_EQUAL(before[i], i);
        TW_EQUAL(seen[i], TW_EVENT_COMPLETE);
        value = (int)(3u * (unsigned)value + (unsigned)i);
        tw_event_release(&events[i]);
    }
    TW_EQUAL(value_of(x), value);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The other way: groups that are submitted first wait for tasks, which wait for groups. */
TW_TEST(groups_depend_on_tasks)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *go[STEPS], *groups[STEPS];
    int chain = 0, early = 0, value = 1;
    for (int i = 0; i < STEPS; ++i) {
        TW_PASS(tw_event_create_user(&go[i]));
        groups[i] = submit_step_after(queue, x, i, &go[i], 1);
        value = (int)(3u * (unsigned)value + (unsigned)i);
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < STEPS; ++i) {
            omp_event_handle_t detached;
#pragma omp task depend(inout : chain) firstprivate(i) shared(go, groups, early)
            {
                early += tw_event_get_state(groups[i]) != TW_EVENT_PENDING;
                early += i && tw_event_get_state(groups[i - 1]) != TW_EVENT_COMPLETE;
                TW_PASS(tw_event_complete(go[i], TW_SUCCESS));
            }
#pragma omp task detach(detached) depend(inout : chain) firstprivate(i) shared(groups)
            TW_PASS(tw_event_fulfill_omp(groups[i], (uintptr_t)detached));
        }
    }
    TW_EQUAL(early, 0);
    TW_EQUAL(value_of(x), value);
    for (int i = 0; i < STEPS; ++i) {
        tw_event_release(&go[i]);
        tw_event_release(&groups[i]);
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A task ends although its group fails; NULL and an event that has happened fulfill at once. */
TW_TEST(tasks_end_whatever_becomes_of_the_group)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *go = NULL;
    TW_PASS(tw_event_create_user(&go));
    tw_event *cancelled = submit_step_after(queue, x, 1, &go, 1), *happened[] = {NULL, go};
    int chain = 0, reached = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t detached;
#pragma omp task detach(detached) depend(inout : chain)
        TW_PASS(tw_event_fulfill_omp(cancelled, (uintptr_t)detached));
#pragma omp task depend(inout : chain) shared(reached)
        ++reached;
        TW_PASS(tw_event_complete(go, TW_ERROR_TRANSFER_FAILED));
#pragma omp taskwait
        TW_EQUAL(tw_event_get_status(cancelled), TW_ERROR_CANCELLED);
        for (int i = 0; i < 2; ++i) {
#pragma omp task detach(detached) depend(inout : chain) firstprivate(i) shared(happened)
            TW_PASS(tw_event_fulfill_omp(happened[i], (uintptr_t)detached));
#pragma omp task depend(inout : chain) shared(reached)
            ++reached;
        }
    }
    TW_EQUAL(reached, 3);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    tw_event_release(&go);
    tw_event_release(&cancelled);
    tw_test_expect_lost(x);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

#if __has_feature(thread_sanitizer)
enum { TSAN = true };
#else
enum { TSAN = false };
#endif

static void add_by_region(int *x, int device, tw_buffer *buffer, tw_device *owner)
{
#pragma omp task depend(inout : x[0]) firstprivate(x, device, buffer, owner)
    {
#pragma omp target teams distribute parallel for device(device) map(alloc : x[0 : N])
        for (int i = 0; i < N; ++i)
            x[i] = (int)(3u * (unsigned)x[i] + 1u);
        TW_PASS(tw_buffer_device_changed(buffer, owner));
    }
}

static void add_by_kernel(int *x, tw_queue *queue, tw_buffer *buffer)
{
    omp_event_handle_t detached = 0;
#pragma omp task detach(detached) depend(inout : x[0]) firstprivate(queue, buffer)
    {
        tw_event *event = submit_step_after(queue, buffer, 2, NULL, 0);
        TW_PASS(tw_event_fulfill_omp(event, (uintptr_t)detached));
        tw_event_release(&event);
    }
}

static void check_beside_regions(void)
{
    enum { ROUNDS = 200 };
    static int x[N];
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    const int number = tw_device_omp_number(device);
    tw_buffer *buffer = NULL;
    unsigned value = 0;
    memset(x, 0, sizeof x);
#pragma omp target enter data map(to : x) device(number)
    TW_PASS(tw_buffer_create_over_mapped(x, device, TW_CURRENT_BOTH, sizeof *x, tw_range_1d(N), &buffer));
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int round = 0; round < ROUNDS; ++round) {
            add_by_region(x, number, buffer, device);
            add_by_kernel(x, queue, buffer);
            add_by_region(x, number, buffer, device);
        }
#pragma omp taskwait
    }
    for (int round = 0; round < ROUNDS; ++round)
        value = 3 * (3 * (3 * value + 1) + 2) + 1;
    TW_EQUAL(value_of(buffer), (int)value);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL(x[N - 1], (int)value);
#pragma omp target exit data map(delete : x) device(number)
    TW_PASS(tw_queue_destroy(&queue));
}

/* Kernels in detached tasks between target regions in tasks, as docs/porting.md has them, with all orders by `depend`.
   Simulated devices have no regions of their own. TSan does not see that libomp, which is not instrumented, gives the
   memory of one task to the next: it takes their firstprivate variables for a race. */
TW_TEST(kernels_run_between_regions_in_tasks)
{
    if (!TSAN && tw_device_omp_number(tw_test_device(0)) >= 0)
        check_beside_regions();
}

TW_TEST_LIST = {TW_CASE(devices_have_openmps_numbers),
                TW_CASE(openmps_default_device_is_selected),
                TW_CASE(gpus_have_cudas_ordinals),
                TW_CASE(launchers_tell_the_local_rank),
                TW_CASE(ranks_share_the_gpus_of_a_node),
                TW_CASE(tasks_depend_on_groups),
                TW_CASE(groups_depend_on_tasks),
                TW_CASE(tasks_end_whatever_becomes_of_the_group),
                TW_CASE(kernels_run_between_regions_in_tasks),
                TW_CASES_END};
