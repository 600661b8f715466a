/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt gpu-teams */
/** Kernel objects, and what devices allow kernels: tw_kernel_info(), tw_kernel_load(), tw_kernel_get_limits(). */
#include "tw_test.h"

struct plain {
    int *out;
};
static inline void plain(tw_nd_item item, const struct plain *k)
{
    TW_LOCAL(int, shared, [64]);
    shared[tw_local_id(item, 0)] = (int)tw_local_id(item, 0);
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = shared[63 - tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(plain, 64);

/* Of any size. */
struct any {
    int *out;
};
static inline void any(tw_nd_item item, const struct any *k)
{
    k->out[tw_global_id(item, 0)] = (int)tw_local_id(item, 0);
}
TW_ND_RANGE_KERNEL(any);

static tw_status run_any(tw_queue *queue, tw_buffer *out, size_t items)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(2 * items), tw_range_1d(items)), any,
                             .out = tw_write(cg, out)); /* there may be more elements than work-items */
    return tw_queue_submit(queue, cg, NULL);
}

/* A group of the largest size runs, and one of a larger size does not. */
TW_TEST(the_largest_group_is_what_the_limit_says)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_kernel_limits limits = {0, 0, 0, 0};
    TW_PASS(tw_kernel_get_limits(device, any, 1, 0, &limits));
    const size_t most = limits.max_work_group_size;
    TW_CHECK(most >= 64 && most <= 8192);
    tw_buffer *out = tw_test_zeroed(sizeof(int), 2 * most + 2);
    int *got = malloc((2 * most + 2) * sizeof *got);
    TW_CHECK(got != NULL);
    tw_status status = run_any(queue, out, most);
    if (status == TW_SUCCESS)
        status = tw_queue_wait(queue);
    if (status != TW_ERROR_UNSUPPORTED) { /* the standard mapping needs a thread for each, and may not get them */
        TW_EQUAL(status, TW_SUCCESS);
        tw_test_fetch(out, got);
        for (size_t i = 0; i < 2 * most; ++i)
            TW_EQUAL(got[i], i % most);
    }
    TW_FAIL(run_any(queue, out, most + 1), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    free(got);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* More numbers than a work-item of such a group has registers on a GPU. */
enum { CROWD = 1024, KEPT = 96 };

struct crowded {
    const unsigned *in;
    unsigned *out;
    int turns;
};
static inline unsigned crowded_sum(const unsigned *in, int turns, size_t i)
{
    unsigned kept[KEPT], sum = 0;
    for (int j = 0; j < KEPT; ++j)
        kept[j] = in[(i + (size_t)j) % CROWD];
    for (int turn = 0; turn < turns; ++turn)
        for (int j = 0; j < KEPT; ++j)
            kept[j] = kept[j] * kept[KEPT - 1 - j] + 1;
    for (int j = 0; j < KEPT; ++j)
        sum = 3 * sum + kept[j];
    return sum;
}
static inline void crowded(tw_nd_item item, const struct crowded *k)
{
    k->out[tw_global_id(item, 0)] = crowded_sum(k->in, k->turns, tw_global_id(item, 0));
}
TW_ND_RANGE_KERNEL(crowded, CROWD);

/* A kernel that requires a size is compiled for it. In the teams lowering functions have registers of their own. */
#ifdef TW_LOWERING_SIMT
enum { IS_COMPILED_FOR_ITS_SIZE = true };
#else
enum { IS_COMPILED_FOR_ITS_SIZE = false };
#endif

TW_TEST(a_group_of_the_required_size_has_its_registers)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    size_t most = 0;
    tw_kernel_limits limits;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    TW_PASS(tw_kernel_get_limits(device, crowded, CROWD < most ? CROWD : most, 0, &limits));
    if (IS_COMPILED_FOR_ITS_SIZE && most >= CROWD)
        TW_CHECK(limits.max_work_group_size >= CROWD);
    if (limits.max_work_group_size >= CROWD) {
        unsigned numbers[CROWD], got[2 * CROWD];
        for (unsigned i = 0; i < CROWD; ++i)
            numbers[i] = 2 * (i * i % 1021) + 1;
        tw_buffer *in = NULL, *out = tw_test_zeroed(sizeof *got, 2 * CROWD);
        TW_PASS(tw_buffer_create_over_const(numbers, sizeof *numbers, tw_range_1d(CROWD), &in));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(2 * CROWD), tw_range_1d(CROWD)), crowded,
                                 .in = tw_read(cg, in), .out = tw_discard_write(cg, out), .turns = 3);
        tw_status status = tw_queue_submit(queue, cg, NULL);
        if (status == TW_SUCCESS)
            status = tw_queue_wait(queue);
        if (status != TW_ERROR_UNSUPPORTED) { /* the standard mapping needs a thread for each */
            TW_EQUAL(status, TW_SUCCESS);
            tw_test_fetch(out, got);
            for (size_t i = 0; i < 2 * CROWD; ++i)
                TW_EQUAL(got[i], crowded_sum(numbers, 3, i));
        }
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(limits_are_within_the_devices)
{
    tw_device *device = tw_test_device(0);
    tw_kernel_limits limits = {0, 0, 0, 0};
    size_t most = 0, local = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE, &local, sizeof local));
    TW_PASS(tw_kernel_get_limits(device, plain, 64, 0, &limits));
    TW_CHECK(limits.max_work_group_size >= 64 && limits.max_work_group_size <= most);
    /* 0: not known; else at least the kernel's own */
    TW_CHECK(limits.local_mem_size == 0 || limits.local_mem_size >= 64 * sizeof(int));
    TW_CHECK(limits.local_mem_size <= local);
    TW_CHECK(tw_device_is_gpu(device) || limits.local_mem_size == 64 * sizeof(int));
    size_t units = 0;
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units));
    const size_t resident = limits.resident_groups;
    TW_CHECK(resident >= 1 && resident <= 64 * units + 1024); /* a GPU's unit runs 32; OpenMP's threads may be more */
    TW_CHECK(resident == 1 || !tw_device_is_gpu(device) || resident % units == 0);
    TW_CHECK(limits.private_mem_size <= 4096);
    TW_PASS(tw_kernel_get_limits(device, plain, 64, local / 2, &limits));
    TW_CHECK(limits.resident_groups >= 1 && limits.resident_groups <= resident);
    if (tw_device_is_gpu(device))
        TW_CHECK(limits.resident_groups < resident || resident == 1);
}

/* Bytes of TW_LOCAL: more than a simulated device has, with room for local accessors on the others. */
enum { LARGE = 56000, MEDIUM = 40000 };

struct both {
    int *out;
    tw_local_memory more;
};
static inline void both(tw_nd_item item, const struct both *k)
{
    TW_LOCAL(char, one, [MEDIUM - 8]);
    TW_LOCAL(double, other);
    char *more = tw_local_data(item, k->more);
    one[tw_local_id(item, 0)] = more[tw_local_id(item, 0)] = 1;
    tw_barrier(item, TW_LOCAL_SPACE);
    if (tw_local_id(item, 0) == 0)
        other = one[63] + more[63];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = (int)other;
}
TW_ND_RANGE_KERNEL(both, 64);

struct large {
    int *out;
};
static inline void large(tw_group group, const struct large *k)
{
    TW_LOCAL(char, tile, [TW_ON_GPU ? 1 : LARGE]); /* a GPU's linker refuses it */
    TW_ONCE(group) {
        tile[0] = 1;
        k->out[0] = tile[0];
    }
}
TW_WORK_GROUP_KERNEL(large, 64);

static tw_status submit_both(tw_queue *queue, tw_buffer *out, size_t more)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(64), tw_range_1d(64)), both,
                             .out = tw_discard_write(cg, out), .more = tw_local(cg, more));
    return tw_queue_submit(queue, cg, NULL);
}

/* TW_LOCAL variables and local accessors have the device's local memory together. */
TW_TEST(local_variables_count)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_kernel_limits limits = {0, 0, 0, 0};
    tw_buffer *out = NULL;
    size_t most = 0;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(64), &out));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE, &most, sizeof most));
    const size_t rest = (most - MEDIUM) / 128 * 128; /* local accessors take multiples of 128 bytes */
    TW_FAIL(submit_both(queue, out, rest + 128), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    if (tw_device_is_gpu(device)) {
        TW_PASS(tw_buffer_destroy(&out));
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    TW_CHECK(strstr(tw_error_detail(), "kernel both needs 40000 bytes") != NULL);
    TW_PASS(tw_kernel_get_limits(device, plain, 64, 0, &limits));
    TW_EQUAL(limits.local_mem_size, 64 * sizeof(int));
    TW_PASS(tw_kernel_get_limits(device, both, 64, 0, &limits));
    TW_EQUAL(limits.local_mem_size, MEDIUM);
    const tw_status status = submit_both(queue, out, rest); /* the standard mapping does not run it */
    TW_EQUAL(status, TW_SUCCESS);
    const tw_status outcome = tw_queue_wait(queue);
    TW_CHECK(outcome == TW_SUCCESS || outcome == TW_ERROR_UNSUPPORTED);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(64), large, .out = tw_write(cg, out));
    TW_EQUAL(tw_command_group_status(cg), most < LARGE ? TW_ERROR_OUT_OF_LOCAL_MEMORY : TW_SUCCESS);
    tw_command_group_discard(cg);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Whose would it be, and who would wait for whom? */
struct shares {
    int *out;
};
static inline void shares(tw_item item, const struct shares *k)
{
    TW_LOCAL(int, last);
    last = (int)tw_global_id(item, 0);
    k->out[tw_global_id(item, 0)] = last;
}
TW_RANGE_KERNEL(shares, 1);

TW_TEST(a_kernel_without_groups_has_no_local_variables)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(64), &out));
    for (unsigned times = 0; times < 2; ++times) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(64), shares, .out = tw_write(cg, out));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
        TW_CHECK(strstr(tw_error_detail(), "kernel shares is one of TW_RANGE_KERNEL and has no work-groups"));
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- kernel objects ---------------------------------------------------------------------------------------------- */

struct blocked {
    int *out;
    char name[3];
};
static inline void blocked(tw_group group, const struct blocked *k)
{
    TW_ONCE(group)
        k->out[0] = k->name[0];
}
TW_WORK_GROUP_KERNEL(blocked, 4, 8);

struct elsewhere {
    int *out;
};
static inline void elsewhere(const struct elsewhere *k)
{
    k->out[0] = 1;
}
TW_SINGLE_TASK(TW_BLOCK(elsewhere) TW_FUNCTION(elsewhere) TW_FOR_GPUS elsewhere_gpu);
TW_SINGLE_TASK(TW_BLOCK(elsewhere) TW_FUNCTION(elsewhere) TW_FOR_CPUS elsewhere_cpu);

static size_t size_info(const tw_kernel *kernel, const tw_device *device, tw_kernel_info_id question)
{
    size_t size = SIZE_MAX;
    TW_PASS(tw_kernel_info(kernel, device, question, &size, sizeof size));
    return size;
}

TW_TEST(a_kernel_tells_what_it_was_defined_with)
{
    const char *text = NULL;
    tw_kernel_form form = 0;
    tw_range required = tw_range_1d(1);
    TW_PASS(tw_kernel_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_FUNCTION_NAME, &text, sizeof text));
    TW_CHECK(!strcmp(text, "blocked"));
    TW_PASS(tw_kernel_info(TW_KERNEL(elsewhere_gpu), NULL, TW_KERNEL_INFO_FUNCTION_NAME, &text, sizeof text));
    TW_CHECK(!strcmp(text, "elsewhere"));
    TW_PASS(tw_kernel_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_FILE, &text, sizeof text));
    TW_CHECK(strstr(text, "test_kernel_limits.c") != NULL);
    TW_CHECK(size_info(TW_KERNEL(any), NULL, TW_KERNEL_INFO_LINE)
             < size_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_LINE));
    TW_PASS(tw_kernel_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_FORM, &form, sizeof form));
    TW_EQUAL(form, TW_KERNEL_FORM_WORK_GROUP);
    TW_PASS(tw_kernel_info(TW_KERNEL(any), NULL, TW_KERNEL_INFO_FORM, &form, sizeof form));
    TW_EQUAL(form, TW_KERNEL_FORM_ND_RANGE);
    TW_PASS(tw_kernel_info(TW_KERNEL(elsewhere_cpu), NULL, TW_KERNEL_INFO_FORM, &form, sizeof form));
    TW_EQUAL(form, TW_KERNEL_FORM_SINGLE_TASK);
    TW_EQUAL(size_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_ARGUMENT_SIZE), sizeof(struct blocked));
    TW_EQUAL(size_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_DIMENSIONS), 2);
    TW_PASS(
        tw_kernel_info(TW_KERNEL(blocked), NULL, TW_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, &required, sizeof required));
    TW_CHECK(required.dims == 2 && required.size[0] == 4 && required.size[1] == 8);
    TW_PASS(tw_kernel_info(TW_KERNEL(any), NULL, TW_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, &required, sizeof required));
    TW_EQUAL(required.dims, 0);
}

TW_TEST(a_kernel_tells_what_it_needs_on_a_device)
{
    tw_device *device = tw_test_device(0);
    const bool is_gpu = tw_device_is_gpu(device);
    tw_kernel_limits limits;
    TW_PASS(tw_kernel_get_limits(device, plain, 64, 0, &limits));
    TW_EQUAL(size_info(TW_KERNEL(plain), device, TW_KERNEL_INFO_WORK_GROUP_SIZE), limits.max_work_group_size);
    TW_EQUAL(size_info(TW_KERNEL(plain), device, TW_KERNEL_INFO_LOCAL_MEM_SIZE), limits.local_mem_size);
    TW_EQUAL(size_info(TW_KERNEL(plain), device, TW_KERNEL_INFO_PRIVATE_MEM_SIZE), limits.private_mem_size);
    TW_EQUAL(size_info(TW_KERNEL(plain), device, TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE), 64);
    TW_EQUAL(size_info(TW_KERNEL(blocked), device, TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE), 32);
    const size_t multiple = size_info(TW_KERNEL(any), device, TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    TW_CHECK(multiple >= 1 && (multiple & (multiple - 1)) == 0 && multiple <= 32);
    TW_CHECK(!is_gpu || multiple == 32);
    const size_t preferred = size_info(TW_KERNEL(any), device, TW_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE);
    TW_CHECK(is_gpu ? preferred <= 1024 && preferred % 32 == 0 : preferred == 0);
    const size_t registers = size_info(TW_KERNEL(any), device, TW_KERNEL_INFO_REGISTERS);
    TW_CHECK(registers <= (is_gpu ? 255u : 0u));
}

TW_TEST(code_is_loaded_before_the_first_launch)
{
    tw_device *device = tw_test_device(0), *devices[16];
    const bool is_gpu = tw_device_is_gpu(device);
    size_t count = 0, visible = 0;
    TW_CHECK(tw_kernel_is_available(TW_KERNEL(plain), device));
    TW_PASS(tw_kernel_load(TW_KERNEL(plain), device));
    TW_PASS(tw_kernel_load(TW_KERNEL(plain), device)); /* again */
    const tw_kernel *other = is_gpu ? TW_KERNEL(elsewhere_cpu) : TW_KERNEL(elsewhere_gpu);
    TW_CHECK(tw_kernel_is_available(is_gpu ? TW_KERNEL(elsewhere_gpu) : TW_KERNEL(elsewhere_cpu), device));
    TW_FAIL(tw_kernel_load(NULL, device), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "kernel is NULL"));
    TW_CHECK(!tw_kernel_is_available(other, device));
    TW_CHECK(strstr(tw_error_detail(), "kernel is NULL")); /* the question leaves it alone */
    TW_FAIL(tw_kernel_load(other, device), TW_ERROR_UNSUPPORTED);
    TW_CHECK(strstr(tw_error_detail(), "elsewhere_"));
    TW_PASS(tw_get_devices(TW_DEVICE_ALL, devices, 16, &visible));
    TW_PASS(tw_kernel_get_devices(TW_KERNEL(plain), devices, 16, &count));
    TW_CHECK(count >= 1 && count <= visible && devices[0] == device);
    TW_PASS(tw_kernel_get_devices(other, devices, 16, &count));
    for (size_t i = 0; i < count; ++i)
        TW_CHECK(tw_device_is_gpu(devices[i]) != is_gpu);
    TW_PASS(tw_kernel_get_devices(TW_KERNEL(plain), NULL, 0, &count));
    TW_CHECK(count >= 1);
}

TW_TEST(wrong_questions_about_kernels_are_errors)
{
    tw_device *device = tw_test_device(0);
    size_t size = 7, count = 7;
    const char *text = NULL;
#define ASK(question, type)                                                                                            \
    TW_FAIL(tw_kernel_info(TW_KERNEL(plain), device, question, &size, 77), TW_ERROR_INVALID_ARGUMENT);                 \
    TW_FAIL(tw_kernel_info(TW_KERNEL(plain), device, question, NULL, sizeof(type)), TW_ERROR_INVALID_ARGUMENT);        \
    TW_FAIL(tw_kernel_info(NULL, device, question, &size, sizeof(type)), TW_ERROR_INVALID_ARGUMENT);
    TW_KERNEL_INFO_LIST(ASK)
#undef ASK
    TW_FAIL(tw_kernel_info(TW_KERNEL(plain), NULL, TW_KERNEL_INFO_REGISTERS, &size, sizeof size),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_info(TW_KERNEL(plain), device, TW_KERNEL_INFO_COUNT, &size, sizeof size),
            TW_ERROR_INVALID_ARGUMENT);
    struct tw_internal_kernel old = *TW_KERNEL(plain);
    old.abi = 1;
    TW_FAIL(tw_kernel_info(&old, device, TW_KERNEL_INFO_FILE, &text, sizeof text), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_load(&old, device), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_load(TW_KERNEL(plain), NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!tw_kernel_is_available(&old, device) && !tw_kernel_is_available(NULL, device)
             && !tw_kernel_is_available(TW_KERNEL(plain), NULL));
    TW_FAIL(tw_kernel_get_devices(NULL, NULL, 0, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_devices(TW_KERNEL(plain), NULL, 4, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_devices(TW_KERNEL(plain), NULL, 0, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(size == 7 && count == 7 && !text);
}

/* On offload devices too; test_device.c looks at the answers of the others. */
TW_TEST(every_question_about_a_device_has_an_answer)
{
    tw_device *device = tw_test_device(0);
    unsigned char value[64];
    const char *arch = "";
    size_t unused = 0, all = 0, floats = 0;
#define ASK(question, type) TW_PASS(tw_device_info(device, question, value, sizeof(type)));
    TW_DEVICE_INFO_LIST(ASK)
#undef ASK
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_ARCHITECTURE, &arch, sizeof arch));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_GLOBAL_MEM_SIZE, &all, sizeof all));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_FREE_MEMORY, &unused, sizeof unused));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT, &floats, sizeof floats));
    const bool is_told = !tw_device_is_gpu(device) || tw_device_cuda_ordinal(device) >= 0; /* liboffload does not */
    TW_CHECK((*arch || !is_told) && strlen(arch) < 32);
    TW_CHECK((unused > 0 || !is_told) && unused <= all);
    TW_CHECK(floats >= 1 && floats <= 16);
    const bool is_sim = tw_device_has(device, TW_ASPECT_EMULATED);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_HOST) + tw_device_has(device, TW_ASPECT_CPU)
                 + tw_device_has(device, TW_ASPECT_GPU),
             is_sim ? 0 : 1);
    TW_EQUAL(tw_device_has(device, TW_ASPECT_GPU), tw_device_is_gpu(device));
    TW_CHECK(tw_device_has(device, TW_ASPECT_FP64) && tw_device_has_extension(device, "cl_khr_fp64"));
}

TW_TEST(wrong_questions_are_errors)
{
    tw_device *device = tw_test_device(0);
    tw_kernel_limits limits;
    TW_FAIL(tw_kernel_get_limits(NULL, plain, 64, 0, &limits), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_limits(device, plain, 64, 0, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_limits(device, plain, 0, 0, &limits), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_FAIL(tw_kernel_get_limits(device, plain, 1000000, 0, &limits), TW_ERROR_INVALID_WORK_GROUP_SIZE);
}

TW_TEST_LIST = {TW_CASE(the_largest_group_is_what_the_limit_says),
                TW_CASE(a_group_of_the_required_size_has_its_registers),
                TW_CASE(limits_are_within_the_devices),
                TW_CASE(local_variables_count),
                TW_CASE(a_kernel_without_groups_has_no_local_variables),
                TW_CASE(a_kernel_tells_what_it_was_defined_with),
                TW_CASE(a_kernel_tells_what_it_needs_on_a_device),
                TW_CASE(code_is_loaded_before_the_first_launch),
                TW_CASE(wrong_questions_about_kernels_are_errors),
                TW_CASE(every_question_about_a_device_has_an_answer),
                TW_CASE(wrong_questions_are_errors),
                TW_CASES_END};
