/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills of rows by the cuda backend, on an imaginary driver whose devices' memory is the host's and which
 * does everything at once: random boxes against loops over bytes, staged and not, and as nodes of graphs. The kernel
 * that fills is not run, but done thread by thread as the PTX says. Needs the private headers cuda_copy.h and
 * cuda_fill.h.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_copy.h"
#include "backends/cuda/cuda_fill.h"
#include "backends/gpu/staged_copy.h"
#include "rows_test.h"
#include "runtime/allocation.h"

enum { LARGE = 5 << 20 };

static struct {
    bool is_locked;     /* all host memory is page-locked */
    bool has_holes;     /* between rows, memory is not mapped: the driver refuses them together */
    unsigned boxes;     /* copies of more than one row */
    unsigned memsets;   /* fills by the driver */
    unsigned kernels;   /* fills by the kernel */
    unsigned staged;    /* copies that wait for an event */
    unsigned most_grid; /* the largest number of blocks in x */
    unsigned shared;    /* calls that let a device use the other one's pool */
    unsigned within;    /* copies that the driver takes for copies on a device */
    unsigned between;   /* ... between devices */
} driver;

/* ---- the driver -------------------------------------------------------------------------------------------------- */

static struct tw_cuda_device devices[2];

static cu_result current_context(cu_context *context)
{
    *context = devices[0].context;
    return 0;
}

static cu_result push_context(cu_context context)
{
    (void)context;
    return 0;
}

static cu_result pop_context(cu_context *context)
{
    *context = NULL;
    return 0;
}

static cu_result create_stream(cu_stream *stream, unsigned flags)
{
    (void)flags;
    *stream = (cu_stream)(uintptr_t)&driver;
    return 0;
}

static cu_result use_stream(cu_stream stream)
{
    TW_CHECK(stream);
    return 0;
}

static cu_result create_event(cu_event *event, unsigned flags)
{
    (void)flags;
    *event = (cu_event)(uintptr_t)&driver;
    return 0;
}

static cu_result use_event(cu_event event)
{
    TW_CHECK(event);
    ++driver.staged;
    return 0;
}

static cu_result destroy_event(cu_event event)
{
    (void)event;
    return 0;
}

static cu_result record_event(cu_event event, cu_stream stream)
{
    TW_CHECK(event && stream);
    return 0;
}

static cu_result allocate_host(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    *memory = malloc(bytes);
    return *memory ? 0 : CU_OUT_OF_MEMORY;
}

static cu_result free_host(void *memory)
{
    free(memory);
    return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the driver's types */
static cu_result attributes_of(unsigned count, int *which, void **values, uintptr_t pointer)
{
    (void)which, (void)pointer;
    TW_EQUAL(count, 1);
    *(unsigned *)values[0] = driver.is_locked ? CU_MEMORY_HOST : 0;
    return 0;
}

static cu_result copy_to_device(uintptr_t target, const void *source, size_t bytes, cu_stream stream)
{
    TW_CHECK(stream);
    memcpy((void *)target, source, bytes);
    return 0;
}

static cu_result copy_to_host(void *target, uintptr_t source, size_t bytes, cu_stream stream)
{
    return copy_to_device((uintptr_t)target, (const void *)source, bytes, stream);
}

static cu_result copy_on_device(uintptr_t target, uintptr_t source, size_t bytes, cu_stream stream)
{
    ++driver.within;
    return copy_to_device(target, (const void *)source, bytes, stream);
}

static cu_result copy_to_peer(uintptr_t target, cu_context to, uintptr_t source, cu_context from, size_t bytes,
                              cu_stream stream)
{
    TW_CHECK(to != from);
    ++driver.between;
    return copy_to_device(target, (const void *)source, bytes, stream);
}

/* Access to a device's pool for the other device. */
static cu_result set_access(cu_pool pool, const struct cu_access *access, size_t count)
{
    TW_CHECK(count == 1 && access->location.type == CU_LOCATION_DEVICE && access->rights == 3);
    TW_CHECK(pool == devices[1 - access->location.id].pool
             && access->location.id == devices[access->location.id].device);
    ++driver.shared;
    return 0;
}

static unsigned char *side_at(const struct cu_rows *side, size_t y, size_t z)
{
    TW_CHECK(side->memory_type == CU_MEMORY_HOST ? side->host && !side->device : side->device && !side->host);
    TW_CHECK(side->pitch <= INT32_MAX);
    unsigned char *first = side->host ? (unsigned char *)(uintptr_t)side->host : (unsigned char *)side->device;
    return first + (z * side->height + y) * side->pitch;
}

static void copy_box(const struct cu_copy *copy)
{
    TW_CHECK(copy->source.pitch >= copy->row_bytes && copy->target.pitch >= copy->row_bytes);
    TW_CHECK(copy->source.height >= copy->rows && copy->target.height >= copy->rows);
    TW_CHECK(copy->row_bytes && copy->rows && copy->planes);
    for (size_t z = 0; z < copy->planes; ++z)
        for (size_t y = 0; y < copy->rows; ++y)
            memcpy(side_at(&copy->target, y, z), side_at(&copy->source, y, z), copy->row_bytes);
    ++driver.boxes;
}

static cu_result copy_rows(const struct cu_copy *copy, cu_stream stream)
{
    TW_CHECK(stream && !copy->source.context && !copy->target.context);
    if (driver.has_holes)
        return CU_INVALID_VALUE;
    copy_box(copy);
    return 0;
}

static cu_result copy_rows_to_peer(const struct cu_copy *copy, cu_stream stream)
{
    TW_CHECK(stream && copy->source.context && copy->target.context != copy->source.context);
    if (driver.has_holes)
        return CU_INVALID_VALUE;
    copy_box(copy);
    return 0;
}

static void set_all(uintptr_t target, size_t pitch, unsigned value, size_t element_bytes, size_t width, size_t rows)
{
    TW_CHECK(target % element_bytes == 0 && (rows == 1 || pitch % element_bytes == 0));
    TW_CHECK(width && rows && (rows == 1 || pitch >= width * element_bytes));
    for (size_t y = 0; y < rows; ++y)
        for (size_t x = 0; x < width; ++x)
            memcpy((unsigned char *)target + (rows > 1 ? y * pitch : 0) + x * element_bytes, &value, element_bytes);
    ++driver.memsets;
}

static cu_result set_8(uintptr_t target, unsigned char value, size_t count, cu_stream stream)
{
    TW_CHECK(stream);
    set_all(target, 0, value, 1, count, 1);
    return 0;
}

static cu_result set_16(uintptr_t target, unsigned short value, size_t count, cu_stream stream)
{
    TW_CHECK(stream);
    set_all(target, 0, value, 2, count, 1);
    return 0;
}

static cu_result set_32(uintptr_t target, unsigned value, size_t count, cu_stream stream)
{
    TW_CHECK(stream);
    set_all(target, 0, value, 4, count, 1);
    return 0;
}

static cu_result set_rows_8(uintptr_t target, size_t pitch, unsigned char value, size_t width, size_t rows,
                            cu_stream stream)
{
    TW_CHECK(stream);
    if (driver.has_holes)
        return CU_INVALID_VALUE;
    set_all(target, pitch, value, 1, width, rows);
    return 0;
}

static cu_result set_rows_16(uintptr_t target, size_t pitch, unsigned short value, size_t width, size_t rows,
                             cu_stream stream)
{
    TW_CHECK(stream);
    if (driver.has_holes)
        return CU_INVALID_VALUE;
    set_all(target, pitch, value, 2, width, rows);
    return 0;
}

static cu_result set_rows_32(uintptr_t target, size_t pitch, unsigned value, size_t width, size_t rows,
                             cu_stream stream)
{
    TW_CHECK(stream);
    if (driver.has_holes)
        return CU_INVALID_VALUE;
    set_all(target, pitch, value, 4, width, rows);
    return 0;
}

/* A module and its function are the text of the program. */
static cu_result load_module(cu_module *module, const void *image)
{
    *module = (cu_module)(uintptr_t)image;
    return 0;
}

static cu_result unload_module(cu_module module)
{
    (void)module;
    return 0;
}

static cu_result find_function(cu_function *function, cu_module module, const char *name)
{
    TW_CHECK(strstr((const char *)module, name));
    *function = (cu_function)module;
    return 0;
}

/* What one thread of the kernel does: as the PTX, which reads this parameter. */
struct parameter {
    uintptr_t target;
    uint64_t words, rows, planes, pitch, plane, period, unused;
    unsigned char pattern[1024];
};

/* The same of a copy. */
struct copy_parameter {
    uintptr_t target, source;
    uint64_t words, rows, planes, target_pitch, source_pitch, target_plane, source_plane;
};

/* The thread has one word of the pattern, for its first element. */
static void run_fill(const struct parameter *fill, size_t word, const uint64_t at[3], uint64_t first)
{
    const uintptr_t target = fill->target + at[2] * fill->plane + at[1] * fill->pitch + at[0] * word;
    TW_CHECK(target % word == 0);
    memcpy((void *)target, fill->pattern + first % fill->period * word, word);
}

static void run_copy(const struct copy_parameter *copy, size_t word, const uint64_t at[3])
{
    const uintptr_t target = copy->target + at[2] * copy->target_plane + at[1] * copy->target_pitch + at[0] * word;
    const uintptr_t source = copy->source + at[2] * copy->source_plane + at[1] * copy->source_pitch + at[0] * word;
    TW_CHECK(target % word == 0 && source % word == 0);
    memcpy((void *)target, (void *)source, word);
}

static void run_thread(const struct cu_kernel_node *node, size_t word, const uint64_t first[3])
{
    const struct parameter *fill = node->parameters[0];
    const struct copy_parameter *copy = node->parameters[0];
    const bool is_copy = strstr((const char *)node->function, "tw_copy");
    const uint64_t words = is_copy ? copy->words : fill->words, rows = is_copy ? copy->rows : fill->rows,
                   planes = is_copy ? copy->planes : fill->planes;
    for (uint64_t z = first[2]; z < planes; z += (uint64_t)node->grid[2] * node->block[2])
        for (uint64_t y = first[1]; y < rows; y += (uint64_t)node->grid[1] * node->block[1])
            for (uint64_t x = first[0]; x < words; x += (uint64_t)node->grid[0] * node->block[0]) {
                const uint64_t at[3] = {x, y, z};
                if (is_copy)
                    run_copy(copy, word, at);
                else
                    run_fill(fill, word, at, first[0]);
            }
}

static void run_kernel(const struct cu_kernel_node *node)
{
    const char *program = (const char *)node->function;
    const size_t word = strstr(program, "st.global.v4.u32") ? 16 : strstr(program, "st.global.u32") ? 4 : 1;
    const size_t threads[3] = {(size_t)node->grid[0] * node->block[0], (size_t)node->grid[1] * node->block[1],
                               (size_t)node->grid[2] * node->block[2]};
    TW_CHECK(threads[0] && threads[1] && threads[2]);
    TW_CHECK(node->grid[1] <= 65535 && node->grid[2] <= 65535);
    TW_CHECK(node->block[0] * node->block[1] * node->block[2] <= 1024);
    for (uint64_t z = 0; z < threads[2]; ++z)
        for (uint64_t y = 0; y < threads[1]; ++y)
            for (uint64_t x = 0; x < threads[0]; ++x)
                run_thread(node, word, (const uint64_t[]){x, y, z});
    driver.most_grid = node->grid[0] > driver.most_grid ? node->grid[0] : driver.most_grid;
    ++driver.kernels;
}

static cu_result launch(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned dynamic_bytes, cu_stream stream, void **parameters,
                        void **extra)
{
    TW_CHECK(stream && !dynamic_bytes && !extra);
    run_kernel(
        &(struct cu_kernel_node){function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, 0, parameters, NULL});
    return 0;
}

static cu_result add_kernel(cu_node *node, cu_graph graph, const cu_node *before, size_t count,
                            const struct cu_kernel_node *kernel)
{
    (void)node, (void)graph, (void)before, (void)count;
    run_kernel(kernel);
    return 0;
}

static cu_result add_copy(cu_node *node, cu_graph graph, const cu_node *before, size_t count,
                          const struct cu_copy *copy, cu_context context)
{
    (void)node, (void)graph, (void)before, (void)count;
    TW_CHECK(context == devices[0].context);
    copy_box(copy);
    return 0;
}

static cu_result add_memset(cu_node *node, cu_graph graph, const cu_node *before, size_t count,
                            const struct cu_memset_node *memset_node, cu_context context)
{
    (void)node, (void)graph, (void)before, (void)count;
    TW_CHECK(context == devices[0].context);
    if (driver.has_holes && memset_node->rows > 1)
        return CU_INVALID_VALUE;
    set_all(memset_node->target, memset_node->pitch, memset_node->value, memset_node->element_bytes, memset_node->width,
            memset_node->rows);
    return 0;
}

static cu_result add_empty(cu_node *node, cu_graph graph, const cu_node *before, size_t count)
{
    (void)node, (void)graph, (void)before, (void)count;
    return 0;
}

static void *allocate(struct tw_backend_device *device, size_t bytes)
{
    (void)device;
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}

static void release(struct tw_backend_device *device, void *memory)
{
    (void)device;
    free(memory);
}

static const struct tw_backend_memory memory = {.allocate = allocate, .free = release, .copy = tw_cuda_copy};
static const struct tw_backend backend = {.name = "imaginary", .memory = &memory};

static struct tw_backend_device *open_devices(void)
{
    memset(&driver, 0, sizeof driver);
    tw_cuda = (struct tw_cuda_driver){.context_current = current_context,
                                      .context_push = push_context,
                                      .context_pop = pop_context,
                                      .module_load = load_module,
                                      .module_unload = unload_module,
                                      .module_function = find_function,
                                      .stream_create = create_stream,
                                      .stream_synchronize = use_stream,
                                      .stream_destroy = use_stream,
                                      .event_create = create_event,
                                      .event_destroy = destroy_event,
                                      .event_query = use_event,
                                      .event_synchronize = use_event,
                                      .event_record = record_event,
                                      .host_allocate = allocate_host,
                                      .host_free = free_host,
                                      .pointer_attributes = attributes_of,
                                      .copy_to_device = copy_to_device,
                                      .copy_to_host = copy_to_host,
                                      .copy_on_device = copy_on_device,
                                      .copy_to_peer = copy_to_peer,
                                      .copy_rows = copy_rows,
                                      .copy_rows_to_peer = copy_rows_to_peer,
                                      .set_8 = set_8,
                                      .set_16 = set_16,
                                      .set_32 = set_32,
                                      .set_rows_8 = set_rows_8,
                                      .set_rows_16 = set_rows_16,
                                      .set_rows_32 = set_rows_32,
                                      .launch = launch,
                                      .graph_add_kernel = add_kernel,
                                      .graph_add_copy = add_copy,
                                      .graph_add_memset = add_memset,
                                      .graph_add_empty = add_empty,
                                      .pool_set_access = set_access};
    for (unsigned i = 0; i < 2; ++i) {
        memset(&devices[i], 0, sizeof devices[i]);
        devices[i].context = (cu_context)(uintptr_t)&devices[i];
        devices[i].compute_units = 1;
        pthread_mutex_init(&devices[i].streams, NULL);
    }
    return &devices[0].omp.base;
}

static void close_devices(void)
{
    for (unsigned i = 0; i < 2; ++i) {
        tw_cuda_free_stages(&devices[i]);
        tw_cuda_close_fill(&devices[i]);
        free(devices[i].idle_streams);
        pthread_mutex_destroy(&devices[i].streams);
    }
    tw_staged_copy_close();
    memset(&tw_cuda, 0, sizeof tw_cuda);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void copy_and_wait(const struct tw_backend *used, const struct tw_backend_copy *copy)
{
    TW_PASS(used->memory->copy(copy));
}

static void copy_by_node(const struct tw_backend *used, const struct tw_backend_copy *copy)
{
    cu_node node;
    (void)used;
    if (!tw_cuda_copy_fits_node(copy)) /* planes with an odd gap */
        TW_PASS(tw_cuda_copy(copy));
    else
        TW_EQUAL(tw_cuda_add_copy(copy, NULL, NULL, 0, &node), 0);
}

static void fill_and_wait(const struct tw_backend *used, struct tw_backend_device *device,
                          const struct tw_backend_fill *fill)
{
    (void)used;
    TW_PASS(tw_cuda_fill(tw_cuda_of(device), fill));
}

static void fill_by_node(const struct tw_backend *used, struct tw_backend_device *device,
                         const struct tw_backend_fill *fill)
{
    cu_node node;
    (void)used;
    TW_CHECK(tw_cuda_fill_fits_node(fill));
    TW_EQUAL(tw_cuda_add_fill(tw_cuda_of(device), fill, NULL, NULL, 0, &node), 0);
}

TW_TEST(copies)
{
    struct tw_backend_device *device = open_devices();
    for (int locked = 0; locked < 2; ++locked) {
        driver.is_locked = locked;
        copy_boxes(&backend, copy_and_wait, device, NULL);
        copy_boxes(&backend, copy_and_wait, NULL, device);
        if (locked)
            TW_EQUAL(driver.staged, 0);
        else
            TW_CHECK(driver.staged > 0);
        driver.staged = 0;
    }
    copy_boxes(&backend, copy_and_wait, device, device);
    copy_boxes(&backend, copy_and_wait, device, &devices[1].omp.base);
    copy_boxes(&backend, copy_by_node, device, device);
    TW_CHECK(driver.boxes > 0);
    close_devices();
}

/* The rows of a plane of a buffer, a whole number of them, lie between its planes, whatever their sizes are: so a part of
   three dimensions is one call of the driver, between devices and from page-locked memory, and fits a graph's node. */
TW_TEST(a_part_of_three_dimensions_is_one_copy)
{
    struct tw_backend_device *device = open_devices(), *other = &devices[1].omp.base;
    driver.is_locked = true;
    for (int round = 0; round < 300; ++round) {
        unsigned char from[9 * 9 * 9 * 13], to[sizeof from] = {0}, expected[sizeof from] = {0};
        struct tw_allocation allocations[2] = {{.address = from}, {.address = to}};
        const tw_range range = tw_range_3d(any(3, 9), any(3, 9), any(3, 9)), part = tw_range_3d(2, 2, any(1, 2));
        const tw_id at = tw_id_3d(any(0, range.size[0] - 2), any(0, range.size[1] - 2), any(0, range.size[2] - 2));
        const struct tw_box box = tw_box_of_part(at, part);
        const struct tw_data data = {.range = range,
                                     .whole = tw_box_of_range(range),
                                     .element_bytes = any(1, 13),
                                     .space_count = 2,
                                     .allocations = allocations};
        const struct tw_data_rows source = tw_data_rows(&data, &box, 0), target = tw_data_rows(&data, &box, 1);
        for (size_t i = 0; i < sizeof from; ++i)
            from[i] = (unsigned char)any(0, 255);
        const struct tw_backend_copy copy = tw_rows_request(other, &target, round % 2 ? device : NULL, &source);
        struct tw_backend_copy model = copy;
        model.target = expected + ((unsigned char *)copy.target - to);
        tw_rows_copy(&model);
        driver.boxes = driver.within = driver.between = 0;
        TW_PASS(tw_cuda_copy(&copy));
        TW_CHECK(driver.boxes == 1 && driver.within == 0 && driver.between == 0);
        TW_CHECK(memcmp(to, expected, sizeof to) == 0);
        TW_CHECK(round % 2 || tw_cuda_copy_fits_node(&copy));
    }
    close_devices();
}

/* Of large buffers, only parts are mapped. */
TW_TEST(rows_with_unmapped_memory_between_them)
{
    struct tw_backend_device *device = open_devices();
    driver.has_holes = true;
    copy_boxes(&backend, copy_and_wait, device, NULL);
    copy_boxes(&backend, copy_and_wait, NULL, device);
    copy_boxes(&backend, copy_and_wait, device, device);
    copy_boxes(&backend, copy_and_wait, device, &devices[1].omp.base);
    TW_EQUAL(driver.boxes, 0);
    fill_boxes(&backend, fill_and_wait, device);
    fill_boxes(&backend, fill_by_node, device);
    TW_CHECK(driver.kernels > 0);
    close_devices();
}

/* More than a stage has room for: planes, rows and parts of rows in one part of the transfer. */
TW_TEST(large_staged_copies)
{
    static const struct {
        size_t row_bytes, rows, planes, host_gap, host_plane_gap, device_gap, device_plane_gap;
    } shapes[] = {
        {64, 50, 1600, 8, 0, 0, 0},          {64, 50, 1600, 0, 0, 8, 0},      {60, 70, 1200, 4, 3, 12, 72 * 5},
        {50000, 10, 10, 1, 0, 10000, 60000}, {50000, 100, 1, 0, 0, 1, 0},     {1 << 20, 2, 2, 7, 9, 3, 1},
        {5000, 1, 1000, 0, 17, 0, 3},        {5000, 1, 1000, 0, 17, 0, 5000}, {3, 70, 20000, 1, 0, 2, 1}};
    struct tw_backend_device *device = open_devices();
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; ++i) {
        const bool to_device = i % 2;
        const size_t row_bytes = shapes[i / 2].row_bytes, rows = shapes[i / 2].rows, planes = shapes[i / 2].planes;
        const size_t host_pitch = row_bytes + shapes[i / 2].host_gap;
        const size_t device_pitch = row_bytes + shapes[i / 2].device_gap;
        const size_t host_plane = rows * host_pitch + shapes[i / 2].host_plane_gap;
        const size_t device_plane = rows * device_pitch + shapes[i / 2].device_plane_gap;
        const size_t target_bytes = planes * (to_device ? device_plane : host_plane);
        const size_t source_bytes = planes * (to_device ? host_plane : device_plane);
        struct tw_backend_copy copy = {.to = to_device ? device : NULL,
                                       .from = to_device ? NULL : device,
                                       .row_bytes = row_bytes,
                                       .rows = rows,
                                       .planes = planes,
                                       .target_pitch = to_device ? device_pitch : host_pitch,
                                       .source_pitch = to_device ? host_pitch : device_pitch,
                                       .target_plane = to_device ? device_plane : host_plane,
                                       .source_plane = to_device ? host_plane : device_plane};
        unsigned char *target = malloc(target_bytes), *expected = malloc(target_bytes), *source = malloc(source_bytes);
        TW_CHECK(target && expected && source);
        memset(target, 0x5a, target_bytes);
        memset(expected, 0x5a, target_bytes);
        for (size_t k = 0; k < source_bytes; ++k)
            source[k] = (unsigned char)(k / 251 + k);
        copy.source = source;
        copy.target = expected;
        tw_rows_copy(&copy);
        copy.target = target;
        TW_PASS(tw_cuda_copy(&copy));
        TW_CHECK(memcmp(target, expected, target_bytes) == 0);
        free(target);
        free(expected);
        free(source);
    }
    TW_CHECK(driver.staged > 0);
    close_devices();
}

/* Devices that reach each other share their pools once, before the first copy. */
TW_TEST(copies_between_devices_share_their_pools_once)
{
    unsigned char from[64] = {1, 2, 3}, to[64] = {0};
    open_devices();
    const struct tw_backend_copy copy =
        tw_backend_copy_of(&devices[1].omp.base, to, &devices[0].omp.base, from, sizeof to);
    TW_PASS(tw_cuda_copy(&copy));
    TW_CHECK(driver.between == 1 && driver.within == 0 && driver.shared == 0);
    for (int i = 0; i < 2; ++i) {
        devices[i].ordinal = devices[i].device = i;
        devices[i].peers = (uint64_t)1 << (1 - i);
        devices[i].pool = (cu_pool)(uintptr_t)&devices[i];
    }
    for (unsigned i = 1; i <= 2; ++i) {
        TW_PASS(tw_cuda_copy(&copy));
        TW_CHECK(driver.between == 1 && driver.within == i && driver.shared == 2);
    }
    TW_EQUAL(memcmp(from, to, sizeof to), 0);
    close_devices();
}

TW_TEST(fills)
{
    struct tw_backend_device *device = open_devices();
    fill_boxes(&backend, fill_and_wait, device);
    fill_boxes(&backend, fill_by_node, device);
    TW_CHECK(driver.memsets > 0);
    TW_CHECK(driver.kernels > 0);
    close_devices();
}

/* Long rows, for which the kernel's threads go on in steps, and patterns that are too long for the kernel. */
TW_TEST(long_fills)
{
    static const size_t patterns[] = {8, 12, 16, 20, 24, 28, 40, 256, 1000, 1024, 1028, 3000};
    unsigned char pattern[3000];
    struct tw_backend_device *device = open_devices();
    unsigned char *filled = allocate(device, LARGE), *expected = allocate(device, LARGE);
    TW_CHECK(filled && expected);
    for (size_t k = 0; k < sizeof pattern; ++k)
        pattern[k] = (unsigned char)any(0, 255);
    for (size_t i = 0; i < 2 * sizeof patterns / sizeof *patterns; ++i) {
        const size_t bytes = patterns[i / 2], rows = i % 2 ? 37 : 1, first = i % 3;
        struct tw_backend_fill fill = {.pattern = pattern, .pattern_bytes = bytes, .rows = rows, .planes = 1 + i % 2};
        fill.row_bytes = (LARGE - 100) / rows / fill.planes / bytes * bytes - bytes;
        fill.pitch = fill.row_bytes + (i % 4 == 3 ? bytes : 0);
        fill.plane = fill.pitch * rows + bytes;
        memset(filled, 0x5a, LARGE);
        memset(expected, 0x5a, LARGE);
        fill.target = expected + first;
        TW_CHECK((fill.planes - 1) * fill.plane + rows * fill.pitch + first < LARGE);
        tw_rows_fill(&fill);
        fill.target = filled + first;
        driver.kernels = 0;
        TW_PASS(tw_cuda_fill(tw_cuda_of(device), &fill));
        TW_EQUAL(driver.kernels, bytes <= 1024);
        TW_EQUAL(tw_cuda_fill_fits_node(&fill), bytes <= 1024);
        TW_CHECK(memcmp(filled, expected, LARGE) == 0);
    }
    TW_CHECK(driver.most_grid >= 16);
    free(filled);
    free(expected);
    close_devices();
}

TW_TEST_LIST = {TW_CASE(copies),
                TW_CASE(a_part_of_three_dimensions_is_one_copy),
                TW_CASE(rows_with_unmapped_memory_between_them),
                TW_CASE(large_staged_copies),
                TW_CASE(copies_between_devices_share_their_pools_once),
                TW_CASE(fills),
                TW_CASE(long_fills),
                TW_CASES_END};
