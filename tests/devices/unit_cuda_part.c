/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sub-devices of a GPU on an imaginary CUDA driver: which groups of multiprocessors they have, that only their streams
 * are those of a green context, and what is destroyed. Needs the private header cuda_part.h.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_graph.h"
#include "backends/cuda/cuda_part.h"

enum { ALL = 132, STEP = 8, WHOLE_GROUPS = 16, MANY = 64 };

static struct {
    size_t contexts, streams; /* that exist */
    unsigned first_of[MANY];  /* of the green contexts: the number of the group, and how many it has */
    unsigned count_of[MANY];
    size_t made;
    cu_result split_fails, create_fails; /* with this */
} driver;

static struct tw_cuda_device device;

static cu_result current_context(cu_context *context)
{
    *context = NULL; /* as that of the device */
    return 0;
}

static cu_result list_resource(cu_device of, struct cu_resource *resource, int type)
{
    (void)of;
    TW_EQUAL(type, CU_RESOURCE_MULTIPROCESSORS);
    *resource = (struct cu_resource){.type = type, .count = ALL, .least = STEP, .multiple = STEP};
    return 0;
}

/* The driver rounds up, and leaves a rest. */
static cu_result split(struct cu_resource *groups, unsigned *count, const struct cu_resource *all,
                       struct cu_resource *rest, unsigned flags, unsigned least)
{
    TW_CHECK(all->count == ALL && !rest && !flags);
    const unsigned units = (least + STEP - 1) / STEP * STEP, most = WHOLE_GROUPS * STEP / units;
    *count = !groups || most < *count ? most : *count;
    for (unsigned i = 0; groups && i < *count; ++i)
        groups[i] = (struct cu_resource){.type = all->type, .count = units, .least = i};
    return driver.split_fails;
}

static cu_result describe(cu_description *description, struct cu_resource *resources, unsigned count)
{
    TW_EQUAL(count, 1);
    driver.first_of[driver.made] = resources->least;
    driver.count_of[driver.made] = resources->count;
    *description = (cu_description)(void *)&driver.count_of[driver.made];
    return 0;
}

static cu_result create(cu_green *context, cu_description description, cu_device of, unsigned flags)
{
    (void)of;
    TW_CHECK(description == (cu_description)(void *)&driver.count_of[driver.made] && flags == CU_GREEN_DEFAULT_STREAM);
    if (driver.create_fails)
        return driver.create_fails;
    *context = (cu_green)(void *)&driver.count_of[driver.made++];
    ++driver.contexts;
    return 0;
}

static cu_result destroy(cu_green context)
{
    TW_CHECK(context != NULL);
    TW_EQUAL(driver.streams, 0); /* they come first */
    --driver.contexts;
    return 0;
}

static cu_result create_stream(cu_stream *stream, cu_green context, unsigned flags, int priority)
{
    TW_CHECK(flags == CU_STREAM_NON_BLOCKING && !priority);
    ++driver.streams;
    *stream = (cu_stream)(void *)context;
    return 0;
}

static cu_result destroy_stream(cu_stream stream)
{
    TW_CHECK(stream != NULL);
    --driver.streams;
    return 0;
}

static cu_result find_text(cu_result error, const char **text)
{
    (void)error;
    *text = "not supported";
    return 0;
}

static void begin(void)
{
    memset(&driver, 0, sizeof driver);
    memset(&device, 0, sizeof device);
    device.compute_units = ALL;
    tw_cuda.context_current = current_context;
    tw_cuda.device_resource = list_resource;
    tw_cuda.resource_split = split;
    tw_cuda.resource_describe = describe;
    tw_cuda.green_create = create;
    tw_cuda.green_destroy = destroy;
    tw_cuda.green_stream_create = create_stream;
    tw_cuda.stream_destroy = destroy_stream;
    tw_cuda.error_name = tw_cuda.error_text = find_text;
}

static void end(void)
{
    TW_EQUAL(driver.contexts, 0);
    TW_EQUAL(driver.streams, 0);
    memset(&tw_cuda, 0, sizeof tw_cuda);
}

static size_t parts_of(size_t units)
{
    size_t count = 0;
    TW_PASS(tw_cuda_parts.equally(&device.omp.base, units, &count));
    return count;
}

TW_TEST(a_gpu_has_as_many_parts_as_the_driver_says)
{
    size_t count = 99;
    begin();
    TW_EQUAL(parts_of(0), WHOLE_GROUPS);
    TW_EQUAL(parts_of(STEP), WHOLE_GROUPS);
    TW_EQUAL(parts_of(40), 3);
    TW_EQUAL(parts_of(ALL - ALL % STEP), 1);
    TW_FAIL(tw_cuda_parts.equally(&device.omp.base, 12, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "a multiple of 8"));
    TW_FAIL(tw_cuda_parts.equally(&device.omp.base, 4, &count), TW_ERROR_INVALID_ARGUMENT);
    driver.split_fails = 801;
    TW_FAIL(tw_cuda_parts.equally(&device.omp.base, STEP, &count), TW_ERROR_UNSUPPORTED);
    tw_cuda.green_create = NULL; /* an older driver */
    TW_FAIL(tw_cuda_parts.equally(&device.omp.base, STEP, &count), TW_ERROR_UNSUPPORTED);
    TW_CHECK(strstr(tw_error_detail(), "CUDA 12.4"));
    TW_EQUAL(count, 99);
    end();
}

TW_TEST(a_part_has_its_group_and_streams)
{
    struct tw_backend_device *part = NULL, *other = NULL;
    struct tw_device_facts facts = {.name = "GPU", .compute_units = ALL};
    cu_stream streams[3];
    size_t count = 0;
    begin();
    TW_PASS(tw_cuda_parts.open(&device.omp.base, 64, 32, &part));
    TW_PASS(tw_cuda_parts.open(&device.omp.base, 0, 32, &other));
    TW_CHECK(tw_cuda_of(part) == &device && tw_backend_whole(part) == &device.omp.base);
    TW_CHECK(tw_cuda_part_of(part) && !tw_cuda_part_of(&device.omp.base));
    TW_CHECK(driver.first_of[0] == 2 && driver.count_of[0] == 32 && driver.first_of[1] == 0);
    tw_cuda_describe_part(tw_cuda_part_of(part), &facts);
    TW_EQUAL(facts.compute_units, 32);
    TW_CHECK(!strcmp(facts.name, "GPU [64-95]"));
    TW_FAIL(tw_cuda_parts.equally(part, STEP, &count), TW_ERROR_UNSUPPORTED);
    for (int i = 0; i < 2; ++i)
        TW_EQUAL(tw_cuda_take_part_stream(tw_cuda_part_of(part), &streams[i]), 0);
    TW_CHECK(streams[0] == (cu_stream)(void *)&driver.count_of[0]);
    for (int i = 0; i < 2; ++i)
        tw_cuda_give_part_stream(tw_cuda_part_of(part), streams[i]);
    TW_EQUAL(tw_cuda_take_part_stream(tw_cuda_part_of(part), &streams[2]), 0);
    TW_EQUAL(driver.streams, 2);
    tw_cuda_give_part_stream(tw_cuda_part_of(part), streams[2]);
    /* its graphs are run by the runtime: their nodes would run on the whole device */
    struct tw_backend_graph *graph = NULL;
    const struct tw_backend_graph_node node = {.device = part};
    TW_PASS(tw_cuda_graphs.instantiate(part, &node, 1, &graph));
    TW_CHECK(!graph);
    tw_cuda_close_part(tw_cuda_part_of(part));
    tw_cuda_close_part(tw_cuda_part_of(other));
    end();
}

TW_TEST(parts_that_the_driver_refuses)
{
    struct tw_backend_device *part = NULL;
    begin();
    TW_FAIL(tw_cuda_parts.open(&device.omp.base, 128, 64, &part), TW_ERROR_INVALID_ARGUMENT);
    driver.create_fails = 915;
    TW_FAIL(tw_cuda_parts.open(&device.omp.base, 0, 64, &part), TW_ERROR_UNSUPPORTED);
    TW_CHECK(!part);
    end();
}

TW_TEST_LIST = {TW_CASE(a_gpu_has_as_many_parts_as_the_driver_says), TW_CASE(a_part_has_its_group_and_streams),
                TW_CASE(parts_that_the_driver_refuses), TW_CASES_END};
