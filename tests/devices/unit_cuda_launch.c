/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels on an imaginary CUDA driver, found in a device image that is made here: which are launched, with which words
 * and grids, and how the others are refused. Needs the private header cuda_launch.h.
 */
#include "image_kernel.h"

#include "backends/cuda/cuda_launch.h"
#include "backends/cuda/cuda_launch_cache.h"
#include "base/log.h"

/* The entry of the region for blocks that may be passed as words, although they are large. */
#define REGION_OF_WORDS "__omp_offloading_fe00_a7a086_life_tw_simt_128_l14"

enum { UNITS = 4, PARTS = 20, TURNS = 8, REGISTERS = 40, MOST_ITEMS = 512, STATIC_BYTES = 1000 };

static struct {
    size_t parameters;       /* of the kernel */
    int private_bytes;       /* likewise */
    size_t words_parameters; /* of REGION_OF_WORDS */
    int words_private_bytes; /* likewise */
    size_t odd, odd_bytes;   /* the one that has another size */
    int blocks;              /* that fit a multiprocessor */
    unsigned questions;      /* how many fit, the last one for */
    int asked_threads;       /* so many threads, */
    size_t asked_bytes;      /* and so many bytes */
    int static_bytes;        /* of the kernel */
    cu_result launch_fails;  /* with this */
    unsigned grid[3], block[3], dynamic_bytes, launches, graph_launches;
    unsigned dependent_launches; /* of `launches`: those that begin while the one before ends */
    unsigned cooperative_launches, cooperative_nodes;
    size_t waits;   /* nodes that the last node of a graph waits for, all of it, ... */
    unsigned edges; /* ... and edges of nodes that begin while the one before ends */
    uint64_t given[160];
    size_t given_bytes;
} driver;

static cu_result current_context(cu_context *context)
{
    *context = NULL; /* as that of the device */
    return 0;
}

static cu_result succeed(void)
{
    return 0;
}

static cu_result load_module(cu_module *module, const void *image)
{
    *module = (cu_module)(uintptr_t)image;
    return 0;
}

static cu_result unload_module(cu_module module)
{
    TW_CHECK(module != NULL);
    return 0;
}

static cu_result find_function(cu_function *function, cu_module module, const char *name)
{
    const bool has_words = strcmp(name, REGION_OF_WORDS) == 0;
    *function = has_words ? (cu_function)(void *)&driver.words_parameters : (cu_function)(void *)module;
    return has_words || strcmp(name, REGION) == 0 || strcmp(name, REGION_OF_LARGE) == 0 ? 0 : 500;
}

static cu_result get_attribute(int *value, int attribute, cu_function function)
{
    const bool has_words = (void *)function == (void *)&driver.words_parameters;
    *value = attribute == CU_FUNCTION_MAX_THREADS    ? MOST_ITEMS
             : attribute == CU_FUNCTION_LOCAL_BYTES  ? (has_words ? driver.words_private_bytes : driver.private_bytes)
             : attribute == CU_FUNCTION_REGISTERS    ? REGISTERS
             : attribute == CU_FUNCTION_SHARED_BYTES ? driver.static_bytes
                                                     : 0;
    return 0;
}

static cu_result set_attribute(cu_function function, int attribute, int value)
{
    (void)function;
    TW_EQUAL(attribute, CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES);
    TW_CHECK(value > 0);
    return 0;
}

static cu_result describe_parameter(cu_function function, size_t index, size_t *offset, size_t *bytes)
{
    const bool has_words = (void *)function == (void *)&driver.words_parameters;
    *offset = 8 * index;
    *bytes = index == driver.odd ? driver.odd_bytes : 8;
    return index < (has_words ? driver.words_parameters : driver.parameters) ? 0 : 1;
}

static cu_result count_blocks(int *blocks, cu_function function, int threads, size_t dynamic_bytes)
{
    (void)function;
    ++driver.questions;
    driver.asked_threads = threads;
    driver.asked_bytes = dynamic_bytes;
    *blocks = driver.blocks;
    return 0;
}

static cu_result create_stream(cu_stream *stream, unsigned flags)
{
    (void)flags;
    *stream = (cu_stream)(void *)&driver;
    return 0;
}

static cu_result synchronize_stream(cu_stream stream)
{
    (void)stream;
    return 0;
}

static cu_result tell_error(cu_result error, const char **text)
{
    (void)error;
    *text = "refused";
    return 0;
}

static cu_result launch_kernel(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,
                               cu_stream stream, void **parameters, void **extra)
{
    (void)function, (void)stream;
    TW_CHECK(!parameters && extra[0] == (void *)1 && extra[2] == (void *)2 && !extra[4]);
    driver.grid[0] = grid_x, driver.grid[1] = grid_y, driver.grid[2] = grid_z;
    driver.block[0] = block_x, driver.block[1] = block_y, driver.block[2] = block_z;
    driver.dynamic_bytes = dynamic_bytes;
    driver.given_bytes = *(size_t *)extra[3];
    TW_CHECK(driver.given_bytes <= sizeof driver.given);
    memcpy(driver.given, extra[1], driver.given_bytes);
    ++driver.launches;
    return driver.launch_fails;
}

static cu_result launch_with(const struct cu_launch *launch, cu_function function, void **parameters, void **extra)
{
    TW_CHECK(launch->attribute_count == 1 && launch->attributes->value.allowed);
    if (launch->attributes->which == CU_LAUNCH_COOPERATIVE) {
        TW_CHECK(parameters && !extra);
        for (size_t i = 0; i < driver.parameters; ++i)
            driver.given[i] = *(uint64_t *)parameters[i];
        ++driver.cooperative_launches;
        return driver.launch_fails;
    }
    TW_EQUAL(launch->attributes->which, CU_LAUNCH_PROGRAMMATIC_SERIALIZATION);
    ++driver.dependent_launches;
    return launch_kernel(function, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                         launch->block[1], launch->block[2], launch->dynamic_bytes, launch->stream, parameters, extra);
}

static struct tw_cuda_device device;

static cu_result create_graph(cu_graph *graph, unsigned flags)
{
    (void)flags;
    *graph = (cu_graph)(void *)&driver;
    return 0;
}

static cu_result destroy_graph(cu_graph graph)
{
    (void)graph;
    return 0;
}

static cu_result add_kernel(cu_node *node, cu_graph graph, const cu_node *before, size_t count,
                            const struct cu_kernel_node *kernel)
{
    (void)graph, (void)before, (void)kernel;
    driver.waits = count;
    *node = (cu_node)(void *)&driver;
    return 0;
}

static cu_result add_edges(cu_graph graph, const cu_node *from, const cu_node *to, const struct cu_edge *edges,
                           size_t count)
{
    (void)graph;
    TW_CHECK(*from && *to && edges->from_port == CU_PORT_PROGRAMMATIC && edges->type == CU_EDGE_PROGRAMMATIC);
    driver.edges += (unsigned)count;
    return 0;
}

static cu_result set_node_attribute(cu_node node, int which, const void *value)
{
    TW_CHECK(node && which == CU_LAUNCH_COOPERATIVE && *(const int *)value == 1);
    ++driver.cooperative_nodes;
    return 0;
}

static cu_result instantiate(cu_executable *executable, cu_graph graph, unsigned long long flags)
{
    (void)graph, (void)flags;
    *executable = (cu_executable)(void *)&driver;
    return 0;
}

static cu_result destroy_executable(cu_executable executable)
{
    (void)executable;
    return 0;
}

static cu_result set_kernel(cu_executable executable, cu_node node, const struct cu_kernel_node *kernel)
{
    (void)executable, (void)node, (void)kernel;
    return 0;
}

static struct tw_cuda_launch_cache caches[2];
static struct tw_internal_launch *launch_of_other; /* launched on another stream while a graph is; or NULL */

static cu_result launch_graph(cu_executable executable, cu_stream stream)
{
    (void)executable, (void)stream;
    ++driver.graph_launches;
    return launch_of_other ? tw_cuda_launch_cache_enqueue(&caches[1], &device, launch_of_other, NULL, false) : 0;
}

/* Makes the program's image, for a device of this architecture. */
static void begin(const struct sample *sample, const char *arch)
{
    set_sample(sample, arch);
    memset(&driver, 0, sizeof driver);
    driver.parameters = 1 + WORDS + 3;
    driver.odd = SIZE_MAX;
    driver.blocks = 2;
    driver.static_bytes = STATIC_BYTES;
    memset(&device, 0, sizeof device);
    pthread_mutex_init(&device.streams, NULL);
    device.omp.gpu = true;
    device.omp.resident_teams = PARTS;
    device.capability = 90;
    device.compute_units = UNITS;
    device.default_shared_bytes = 48 << 10;
    device.max_shared_bytes = 96 << 10;
    tw_cuda.context_current = current_context;
    tw_cuda.context_synchronize = succeed;
    tw_cuda.module_load = load_module;
    tw_cuda.module_unload = unload_module;
    tw_cuda.module_function = find_function;
    tw_cuda.function_get = get_attribute;
    tw_cuda.function_set = set_attribute;
    tw_cuda.function_parameter = describe_parameter;
    tw_cuda.resident_blocks = count_blocks;
    tw_cuda.stream_create = create_stream;
    tw_cuda.stream_synchronize = synchronize_stream;
    tw_cuda.launch = launch_kernel;
    tw_cuda.launch_with = launch_with;
    tw_cuda.graph_create = create_graph;
    tw_cuda.graph_destroy = destroy_graph;
    tw_cuda.graph_add_kernel = add_kernel;
    tw_cuda.graph_add_edges = add_edges;
    tw_cuda.graph_set_attribute = set_node_attribute;
    tw_cuda.graph_instantiate = instantiate;
    tw_cuda.graph_executable_destroy = destroy_executable;
    tw_cuda.graph_set_kernel = set_kernel;
    tw_cuda.graph_launch = launch_graph;
    tw_cuda.error_name = tw_cuda.error_text = tell_error;
}

static void end(void)
{
    tw_cuda_forget_kernels();
    free(device.idle_streams);
    pthread_mutex_destroy(&device.streams);
    memset(&tw_cuda, 0, sizeof tw_cuda);
}

/* Checks that the driver does not launch a kernel, and that TW_CUDA_LAUNCH=driver makes that an error that says why. */
static void is_refused(const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch, const char *why)
{
    TW_PASS(tw_cuda_check(&device.omp.base, kernel, launch));
    TW_CHECK(!tw_gpu_takes(&device.omp.base, kernel, launch));
    tw_cuda.choice = TW_CUDA_DRIVER_LAUNCH;
    TW_FAIL(tw_cuda_check(&device.omp.base, kernel, launch), TW_ERROR_UNSUPPORTED);
    TW_CHECK(strstr(tw_error_detail(), why));
    tw_cuda.choice = TW_CUDA_ANY_LAUNCH;
}

static bool takes(const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    TW_PASS(tw_cuda_check(&device.omp.base, kernel, launch));
    return tw_gpu_takes(&device.omp.base, kernel, launch);
}

/* The words are those that the region would receive through OpenMP. */
TW_TEST(a_kernel_is_launched_with_the_words_of_its_region)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(1000);
    struct tw_internal_simt_grid grid;
    begin(&(struct sample){.name = REGION}, "sm_90");
    TW_CHECK(takes(&kernel, &launch));
    TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
    const struct tw_internal_simt_captures captures = tw_internal_simt_range_captures(&launch, &grid);
    TW_EQUAL(driver.given_bytes, 8 * driver.parameters);
    TW_CHECK(memcmp(&driver.given[1], &captures, sizeof captures) == 0);
    TW_CHECK(memcmp(&driver.given[1 + TW_INTERNAL_SIMT_WORDS], args, sizeof args) == 0);
    TW_EQUAL(driver.grid[0], 4);
    TW_EQUAL(driver.block[0], TW_INTERNAL_SIMT_RANGE_THREADS);
    end();
}

TW_TEST(a_large_block_is_passed_by_its_address)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_SINGLE_TASK);
    struct tw_internal_launch launch = launch_of(1);
    kernel.args_bytes = TW_INTERNAL_INLINE_ARGS_BYTES + 1;
    launch.device_args = &driver;
    begin(&(struct sample){.name = REGION_OF_LARGE}, "sm_90");
    driver.parameters = 1 + TW_INTERNAL_SIMT_WORDS + 1;
    TW_CHECK(takes(&kernel, &launch));
    TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
    TW_EQUAL(driver.given_bytes, 8 * driver.parameters);
    TW_CHECK(driver.given[1 + TW_INTERNAL_SIMT_WORDS] == (uintptr_t)&driver);
    TW_EQUAL(driver.grid[0], 1);
    TW_EQUAL(driver.block[0], 1);
    end();
}

/* Not if that needs more private memory: then the kernel indexes an array of the block. */
TW_TEST(a_block_of_a_kibibyte_is_passed_as_words)
{
    static const unsigned char block[TW_INTERNAL_SIMT_ARGS_BYTES] = {[0] = 7, [TW_INTERNAL_SIMT_ARGS_BYTES - 1] = 9};
    static const struct {
        size_t bytes;
        int private_bytes, words_private_bytes;
        size_t parameters;
        bool as_words;
    } cases[] = {
        {TW_INTERNAL_SIMT_ARGS_BYTES, 0, 0, 1 + TW_INTERNAL_SIMT_WORDS + 128, true},
        {TW_INTERNAL_INLINE_ARGS_BYTES + 1, 64, 64, 1 + TW_INTERNAL_SIMT_WORDS + 128 + 3, true},
        {TW_INTERNAL_SIMT_ARGS_BYTES, 64, 72, 1 + TW_INTERNAL_SIMT_WORDS + 128, false},
        {TW_INTERNAL_SIMT_ARGS_BYTES, 0, 0, TW_INTERNAL_SIMT_WORDS + 128, false}, /* not what is expected */
        {TW_INTERNAL_SIMT_ARGS_BYTES + 1, 0, 0, 1 + TW_INTERNAL_SIMT_WORDS + 128, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_SINGLE_TASK);
        struct tw_internal_launch launch = launch_of(1);
        kernel.args_bytes = cases[i].bytes;
        launch.args = block;
        launch.device_args = &driver;
        begin(&(struct sample){.name = REGION_OF_LARGE, .also = REGION_OF_WORDS}, "sm_90");
        driver.parameters = 1 + TW_INTERNAL_SIMT_WORDS + 1;
        driver.private_bytes = cases[i].private_bytes;
        driver.words_private_bytes = cases[i].words_private_bytes;
        driver.words_parameters = cases[i].parameters;
        TW_CHECK(takes(&kernel, &launch));
        TW_EQUAL(launch.words, cases[i].as_words ? 128 : 1); /* for libomptarget too */
        TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
        const uint64_t *given = &driver.given[1 + TW_INTERNAL_SIMT_WORDS];
        TW_EQUAL(driver.given_bytes, 8 * (cases[i].as_words ? driver.words_parameters : driver.parameters));
        TW_CHECK(cases[i].as_words ? memcmp(given, block, cases[i].bytes) == 0 : given[0] == (uintptr_t)&driver);
        end();
    }
}

static const char *no_misfit(const void *block, unsigned *members)
{
    (void)block, (void)members;
    return NULL;
}

/* The teams of a reduction stride over the range. There are more than run at a time only where work-items have loops and
   the range is long enough. */
TW_TEST(a_reduction_has_the_teams_that_run_at_a_time_or_turns_of_them)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_REDUCTION);
    kernel.misfit = no_misfit;
    static const struct {
        size_t items;
        bool has_loops;
        size_t array_bytes;
        int blocks;
        unsigned teams;
    } cases[] = {{1000000, false, 0, 2, 2 * UNITS},
                 {1000000, false, 0, 3, 3 * UNITS},
                 {700, false, 0, 2, 3},
                 {1000000, false, 0, 0, PARTS},
                 {1000000, true, 0, 2, TURNS * 2 * UNITS},
                 {1000000, true, 0, 0, TURNS * PARTS},
                 {1000000, true, 64, 2, 2 * UNITS},
                 {20 * TW_INTERNAL_SIMT_RANGE_THREADS, true, 0, 2, 10},
                 {10 * TW_INTERNAL_SIMT_RANGE_THREADS, true, 0, 2, 2 * UNITS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct tw_internal_launch launch = launch_of(cases[i].items);
        kernel.has_loops = cases[i].has_loops;
        launch.array_bytes = cases[i].array_bytes;
        begin(&(struct sample){.name = REGION}, "sm_90");
        driver.blocks = cases[i].blocks;
        TW_CHECK(takes(&kernel, &launch));
        TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
        TW_EQUAL(driver.grid[0], cases[i].teams);
        TW_EQUAL(driver.asked_threads, TW_INTERNAL_SIMT_RANGE_THREADS);
        end();
    }
}

/* Of a kernel with groups that reduces the grid has one dimension, whatever the range: teams number groups themselves. */
TW_TEST(teams_of_a_reduction_stride_over_groups)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_ND_RANGE);
    struct tw_internal_launch launch = launch_of(0);
    struct tw_internal_simt_grid grid;
    kernel.misfit = no_misfit;
    launch.dims = 2;
    launch.local[0] = 4;
    launch.local[1] = 16;
    static const struct {
        size_t groups[2];
        int blocks;
        unsigned teams;
    } cases[] = {{{1, 5}, 2, 5},
                 {{700, 800}, 2, 2 * UNITS},
                 {{700, 800}, 0, PARTS},
                 {{700, 800}, TW_INTERNAL_MAX_PARTS, TW_INTERNAL_MAX_PARTS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        launch.range[0] = cases[i].groups[0];
        launch.range[1] = cases[i].groups[1];
        launch.scratch = images;
        launch.local_bytes = 64;
        begin(&(struct sample){.name = REGION}, "sm_90");
        driver.blocks = cases[i].blocks;
        TW_CHECK(takes(&kernel, &launch));
        TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
        TW_EQUAL(driver.asked_threads, 4 * 16);
        TW_EQUAL(driver.asked_bytes, 64);
        TW_CHECK(takes(&kernel, &launch));
        TW_EQUAL(driver.questions, 1); /* the answer is kept, for groups of this size */
        launch.local_bytes = 128;
        TW_CHECK(takes(&kernel, &launch));
        TW_EQUAL(driver.questions, 2);
        const struct tw_internal_simt_captures captures = tw_internal_simt_group_reduction_captures(&launch, &grid);
        TW_CHECK(memcmp(&driver.given[1], &captures, sizeof captures) == 0);
        TW_CHECK(captures.inner == (uintptr_t)launch.scratch);
        TW_EQUAL(driver.grid[0], cases[i].teams);
        TW_EQUAL(driver.grid[1], 1);
        TW_EQUAL(driver.block[0], 4 * 16);
        end();
    }
}

/* What is left to libomptarget has its limits all the same. */
TW_TEST(kernels_with_other_parameters_are_left_to_openmp)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_WORK_GROUP);
    static const struct {
        size_t parameters, odd, odd_bytes;
        bool fits, is_old;
    } cases[] = {
        {1 + WORDS, SIZE_MAX, 0, true, false},
        {1 + WORDS + 3, SIZE_MAX, 0, true, false},
        {WORDS, SIZE_MAX, 0, false, false},
        {1 + WORDS + 4, SIZE_MAX, 0, false, false},
        {0, SIZE_MAX, 0, false, false},
        {1 + WORDS, 5, 4, false, false},
        {1 + WORDS + 3, WORDS + 2, 4, false, false},
        {SIZE_MAX, SIZE_MAX, 0, false, false},
        {1 + WORDS, SIZE_MAX, 0, false, true}, /* a driver that does not describe them */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct tw_internal_launch launch = launch_of(1);
        struct tw_kernel_facts facts = {.max_items = 1024};
        begin(&(struct sample){.name = REGION}, "sm_90");
        driver.parameters = cases[i].parameters, driver.odd = cases[i].odd, driver.odd_bytes = cases[i].odd_bytes;
        if (cases[i].is_old)
            tw_cuda.function_parameter = NULL;
        if (cases[i].fits)
            TW_CHECK(takes(&kernel, &launch));
        else
            is_refused(&kernel, &launch, "parameters");
        tw_cuda_limits(&device.omp.base, &kernel, 64, 0, &facts);
        TW_EQUAL(facts.max_items, MOST_ITEMS);
        TW_EQUAL(facts.static_local_bytes, STATIC_BYTES);
        TW_EQUAL(facts.resident_groups, 2 * UNITS);
        end();
    }
}

TW_TEST(a_kernel_with_global_variables_is_left_to_openmp)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_SINGLE_TASK);
    struct tw_internal_launch launch = launch_of(1);
    begin(&(struct sample){.name = REGION, .uses = {{KERNEL, VARIABLE}}}, "sm_90");
    is_refused(&kernel, &launch, "global variables");
    end();
}

TW_TEST(a_kernel_without_simt_is_left_to_openmp)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(1);
    kernel.lowerings = 1u << TW_INTERNAL_LOWER_TEAMS;
    begin(&(struct sample){.name = "__omp_offloading_fe00_a7a086_life_tw_teams_8_l14"}, "sm_90");
    TW_CHECK(!takes(&kernel, &launch));
    tw_cuda.choice = TW_CUDA_DRIVER_LAUNCH; /* which is about kernels that have the simt lowering */
    TW_CHECK(!takes(&kernel, &launch));
    end();
    begin(&(struct sample){.name = REGION}, "sm_90"); /* the region is that of the other lowering */
    TW_FAIL(tw_cuda_check(&device.omp.base, &kernel, &launch), TW_ERROR_NO_DEVICE_IMAGE);
    end();
}

static void look_up(void *user)
{
    const struct tw_internal_kernel *kernel = user;
    struct tw_internal_launch launch = launch_of(1);
    TW_PASS(tw_cuda_check(&device.omp.base, kernel, &launch));
    TW_PASS(tw_cuda_check(&device.omp.base, kernel, &launch)); /* it is known, and not logged again */
}

TW_TEST(the_log_says_once_what_launches_a_kernel)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_SINGLE_TASK);
    char said[1024], line[256];
    setenv("TW_LOG", "info", 1);
    tw_log_begin();
    begin(&(struct sample){.name = REGION}, "sm_90");
    tw_test_read_errors(look_up, &kernel, said, sizeof said);
    end();
    snprintf(line, sizeof line, "teamwork: info: kernel: life, for GPU 0: the driver launches it; %d registers and ",
             REGISTERS);
    TW_CHECK(strncmp(said, line, strlen(line)) == 0 && strchr(said, '\n')[1] == '\0');
    begin(&(struct sample){.name = REGION, .uses = {{KERNEL, VARIABLE}}}, "sm_90");
    tw_test_read_errors(look_up, &kernel, said, sizeof said);
    end();
    TW_CHECK(strstr(said, "life, for GPU 0: libomptarget launches it: it uses global variables"));
    setenv("TW_LOG", "warning", 1);
    tw_log_begin();
    begin(&(struct sample){.name = REGION}, "sm_90");
    tw_test_read_errors(look_up, &kernel, said, sizeof said);
    end();
    TW_EQUAL(strlen(said), 0);
}

/* Atomic operations on bytes access the words around them. */
TW_TEST(shared_memory_is_whole_words)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_WORK_GROUP);
    const struct {
        int static_bytes;
        size_t asked, dynamic_bytes;
    } cases[] = {{64, 0, 0}, {61, 0, 3}, {62, 0, 2}, {63, 0, 1}, {61, 128, 128}, {(48 << 10) - 3, 0, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct tw_internal_launch launch = launch_of(1);
        begin(&(struct sample){.name = REGION}, "sm_90");
        driver.static_bytes = cases[c].static_bytes;
        launch.local_bytes = cases[c].asked;
        TW_CHECK(takes(&kernel, &launch));
        TW_CHECK(takes(&kernel, &launch)); /* a second check adds nothing */
        TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
        TW_EQUAL(driver.dynamic_bytes, cases[c].dynamic_bytes);
        end();
    }
}

TW_TEST(what_a_kernel_cannot_have_is_refused)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_WORK_GROUP);
    struct tw_internal_launch launch = launch_of(1);
    begin(&(struct sample){.name = REGION}, "sm_90");
    launch.local[0] = MOST_ITEMS + 1;
    TW_FAIL(tw_cuda_check(&device.omp.base, &kernel, &launch), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    launch.local[0] = MOST_ITEMS;
    launch.local_bytes = device.max_shared_bytes - STATIC_BYTES + 1;
    TW_FAIL(tw_cuda_check(&device.omp.base, &kernel, &launch), TW_ERROR_OUT_OF_LOCAL_MEMORY);
    --launch.local_bytes;
    TW_PASS(tw_cuda_check(&device.omp.base, &kernel, &launch));
    TW_PASS(tw_cuda_launch(&device.omp.base, &kernel, &launch));
    TW_EQUAL(driver.dynamic_bytes, launch.local_bytes);
    driver.launch_fails = 719;
    TW_FAIL(tw_cuda_launch(&device.omp.base, &kernel, &launch), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(tw_launch_was_refused() && !tw_cuda_lost(&device)); /* the device is well */
    TW_EQUAL(tw_error_native_code().api, TW_NATIVE_CUDA);
    TW_EQUAL(tw_error_native_code().code, 719);
    tw_cuda_lose(&device, "life", 700, true);
    TW_FAIL(tw_cuda_fail_lost(TW_ERROR_TRANSFER_FAILED, &device), TW_ERROR_TRANSFER_FAILED);
    TW_EQUAL(tw_error_native_code().code, 700);
    end();
    launch = launch_of(1);
    begin(&(struct sample){.name = REGION}, "sm_80");
    TW_FAIL(tw_cuda_check(&device.omp.base, &kernel, &launch), TW_ERROR_NO_DEVICE_IMAGE);
    TW_CHECK(strstr(tw_error_detail(), "sm_90"));
    TW_FAIL(tw_cuda_load(&device.omp.base, &kernel), TW_ERROR_NO_DEVICE_IMAGE);
    TW_CHECK(strstr(tw_error_detail(), "sm_90"));
    end();
}

TW_TEST(a_kernel_is_loaded_before_its_launch)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_WORK_GROUP);
    struct tw_internal_launch launch = launch_of(1);
    begin(&(struct sample){.name = REGION}, "sm_90");
    TW_PASS(tw_cuda_load(&device.omp.base, &kernel));
    struct tw_kernel_facts facts = {.max_items = MOST_ITEMS};
    tw_cuda_limits(&device.omp.base, &kernel, 64, 0, &facts);
    TW_EQUAL(facts.registers, REGISTERS);
    TW_CHECK(takes(&kernel, &launch));
    kernel.offload = NULL;
    TW_FAIL(tw_cuda_load(&device.omp.base, &kernel), TW_ERROR_UNSUPPORTED);
    end();
    kernel = kernel_of(TW_INTERNAL_SINGLE_TASK);
    begin(&(struct sample){.name = REGION, .uses = {{KERNEL, VARIABLE}}}, "sm_90");
    TW_PASS(tw_cuda_load(&device.omp.base, &kernel)); /* libomptarget launches it */
    tw_cuda.choice = TW_CUDA_DRIVER_LAUNCH;
    TW_FAIL(tw_cuda_load(&device.omp.base, &kernel), TW_ERROR_UNSUPPORTED);
    TW_CHECK(strstr(tw_error_detail(), "global variables"));
    end();
}

/* A library may be unloaded, and another one loaded at its address: its kernels' words are 0. */
TW_TEST(a_kernel_of_an_unloaded_library_is_not_taken_for_another_one)
{
    struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(1000);
    begin(&(struct sample){.name = REGION}, "sm_90");
    TW_CHECK(takes(&kernel, &launch));
    kernel.symbol = "death"; /* there is no such region */
    TW_CHECK(takes(&kernel, &launch));
    kernel_word = 0;
    TW_FAIL(tw_cuda_check(&device.omp.base, &kernel, &launch), TW_ERROR_NO_DEVICE_IMAGE);
    kernel.symbol = "life";
    TW_FAIL(tw_cuda_check(&device.omp.base, &kernel, &launch), TW_ERROR_NO_DEVICE_IMAGE);
    kernel_word = 0;
    TW_CHECK(takes(&kernel, &launch));
    end();
}

/* Code for sm_90 begins with a wait for what comes before it, code for older GPUs does not. */
TW_TEST(launches_begin_early_where_the_code_waits)
{
    static const struct {
        const char *arch;
        unsigned capability;
        bool has_driver, samples, waits;
    } cases[] = {{"sm_90", 90, true, false, true},
                 {"sm_90", 90, false, false, false},
                 {"sm_80", 80, true, false, false},
                 {"sm_90", 90, true, true, false}}; /* textures may not see what is written meanwhile */
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct tw_internal_launch launch = launch_of(1000);
        const cu_node before = (cu_node)(void *)&driver;
        cu_node node;
        begin(&(struct sample){.name = REGION}, cases[i].arch);
        device.capability = cases[i].capability;
        launch.samples = cases[i].samples;
        if (!cases[i].has_driver) {
            tw_cuda.launch_with = NULL;
            tw_cuda.graph_add_edges = NULL;
        }
        TW_CHECK(takes(&kernel, &launch));
        TW_EQUAL(tw_cuda_enqueue(&launch, NULL), 0);
        TW_EQUAL(driver.launches, 1u);
        TW_EQUAL(driver.dependent_launches, cases[i].waits);
        /* in a graph behind one kernel, but not behind anything else */
        TW_EQUAL(tw_cuda_add_node(&launch, NULL, &before, 1, true, &node), 0);
        TW_EQUAL(driver.edges, cases[i].waits);
        TW_EQUAL(driver.waits, !cases[i].waits);
        TW_EQUAL(tw_cuda_add_node(&launch, NULL, &before, 1, false, &node), 0);
        TW_EQUAL(driver.edges, cases[i].waits);
        TW_EQUAL(driver.waits, 1u);
        end();
    }
}

TW_TEST(groups_that_wait_for_each_other_run_together)
{
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_ND_RANGE);
    struct tw_internal_launch launch = launch_of(5);
    const cu_node before = (cu_node)(void *)&driver;
    cu_node node;
    begin(&(struct sample){.name = REGION}, "sm_90");
    memset(caches, 0, sizeof caches);
    TW_CHECK(takes(&kernel, &launch));
    TW_EQUAL(tw_cuda_enqueue(&launch, NULL), 0);
    launch.together = true;
    TW_CHECK(takes(&kernel, &launch));
    uint64_t words[sizeof driver.given / sizeof driver.given[0]];
    memcpy(words, driver.given, sizeof words);
    memset(driver.given, 0, sizeof driver.given);
    for (unsigned i = 1; i < 20; ++i) { /* by no graph */
        TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[0], &device, &launch, NULL, false), 0);
        TW_EQUAL(driver.cooperative_launches, i);
    }
    TW_EQUAL(driver.launches, 1u);
    TW_CHECK(memcmp(words, driver.given, driver.parameters * sizeof words[0]) == 0);
    TW_EQUAL(tw_cuda_add_node(&launch, NULL, &before, 1, true, &node), 0);
    TW_CHECK(driver.cooperative_nodes == 1 && driver.edges == 0);
    tw_cuda_launch_cache_close(&caches[0]);
    end();
}

/* The driver launches the graphs of several threads one after the other, but kernels partly at the same time; a device
   that is slower than the host overlaps kernels, and no graphs; and a graph with a new grid takes longer. */
TW_TEST(a_kernel_is_launched_by_a_graph_unless_that_is_slower)
{
    enum { FIRST = 20 }; /* more than the launches before a graph is made */
    const struct tw_internal_kernel kernel = kernel_of(TW_INTERNAL_RANGE);
    struct tw_internal_launch launch = launch_of(1000);
    begin(&(struct sample){.name = REGION}, "sm_90");
    memset(caches, 0, sizeof caches);
    TW_CHECK(takes(&kernel, &launch));
    for (unsigned i = 0; i < FIRST; ++i)
        for (unsigned stream = 0; stream < 2; ++stream)
            TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[stream], &device, &launch, NULL, false), 0);
    TW_CHECK(driver.graph_launches > 0 && driver.launches > 0);
    TW_EQUAL(driver.graph_launches + driver.launches, 2 * FIRST);
    const unsigned graph_launches = driver.graph_launches, launches = driver.launches;
    launch_of_other = &launch;
    TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[0], &device, &launch, NULL, false), 0);
    TW_EQUAL(driver.graph_launches, graph_launches + 1);
    TW_EQUAL(driver.launches, launches + 1);
    launch_of_other = NULL;
    TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[1], &device, &launch, NULL, false), 0);
    TW_EQUAL(driver.graph_launches, graph_launches + 2);
    /* with another range */
    struct tw_internal_launch other = launch_of(2000);
    TW_CHECK(takes(&kernel, &other));
    TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[1], &device, &other, NULL, false), 0);
    TW_EQUAL(driver.launches, launches + 2);
    TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[1], &device, &other, NULL, false), 0);
    TW_EQUAL(driver.graph_launches, graph_launches + 3);
    /* the device is slow: this launch is no graph, nor are the next ones, but not for ever */
    TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[1], &device, &other, NULL, true), 0);
    TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[1], &device, &other, NULL, false), 0);
    TW_EQUAL(driver.graph_launches, graph_launches + 3);
    TW_EQUAL(driver.launches, launches + 4);
    for (unsigned i = 0; i < 1000; ++i)
        TW_EQUAL(tw_cuda_launch_cache_enqueue(&caches[1], &device, &other, NULL, false), 0);
    TW_CHECK(driver.graph_launches > graph_launches + 3);
    for (unsigned stream = 0; stream < 2; ++stream)
        tw_cuda_launch_cache_close(&caches[stream]);
    end();
}

TW_TEST_LIST = {
    TW_CASE(a_kernel_is_launched_with_the_words_of_its_region),
    TW_CASE(a_large_block_is_passed_by_its_address),
    TW_CASE(a_block_of_a_kibibyte_is_passed_as_words),
    TW_CASE(a_reduction_has_the_teams_that_run_at_a_time_or_turns_of_them),
    TW_CASE(teams_of_a_reduction_stride_over_groups),
    TW_CASE(kernels_with_other_parameters_are_left_to_openmp),
    TW_CASE(a_kernel_with_global_variables_is_left_to_openmp),
    TW_CASE(a_kernel_without_simt_is_left_to_openmp),
    TW_CASE(the_log_says_once_what_launches_a_kernel),
    TW_CASE(shared_memory_is_whole_words),
    TW_CASE(what_a_kernel_cannot_have_is_refused),
    TW_CASE(a_kernel_is_loaded_before_its_launch),
    TW_CASE(a_kernel_of_an_unloaded_library_is_not_taken_for_another_one),
    TW_CASE(launches_begin_early_where_the_code_waits),
    TW_CASE(groups_that_wait_for_each_other_run_together),
    TW_CASE(a_kernel_is_launched_by_a_graph_unless_that_is_slower),
    TW_CASES_END,
};
