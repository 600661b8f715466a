/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt) */
/**
 * task.h: cuBLAS and cuFFT between kernels, as tasks that only enqueue, on data of buffers and in unified shared memory.
 * While the first kernel is held, all that comes behind it is enqueued: nothing waits on the host.
 *
 * The libraries are found by dlopen() when the program runs. Skipped, with a message, without them or a CUDA device.
 */
#include "tw_test.h"

#include <dlfcn.h>
#include <math.h>

#include <teamwork/atomic.h>
#include <teamwork/interop.h>

enum { SIDE = 64, LENGTH = 1024, KEPT = 3, OTHER = 10 };

/* ---- the libraries ----------------------------------------------------------------------------------------------- */

#define DRIVER_FUNCTIONS(X)                                                                                            \
    X(device_get, "cuDeviceGet", (int *device, int ordinal))                                                           \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                        \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                   \
    X(context_push, "cuCtxPushCurrent_v2", (void *context))                                                            \
    X(context_pop, "cuCtxPopCurrent_v2", (void **context))

#define BLAS_FUNCTIONS(X)                                                                                              \
    X(blas_create, "cublasCreate_v2", (void **handle))                                                                 \
    X(blas_destroy, "cublasDestroy_v2", (void *handle))                                                                \
    X(blas_set_stream, "cublasSetStream_v2", (void *handle, void *stream))                                             \
    X(multiply, "cublasSgemm_v2",                                                                                      \
      (void *handle, int transpose_a, int transpose_b, int rows, int columns, int depth, const float *alpha,           \
       const float *a, int a_pitch, const float *b, int b_pitch, const float *beta, float *c, int c_pitch))

#define FFT_FUNCTIONS(X)                                                                                               \
    X(fft_plan, "cufftPlan1d", (int *plan, int length, int type, int batch))                                           \
    X(fft_destroy, "cufftDestroy", (int plan))                                                                         \
    X(fft_set_stream, "cufftSetStream", (int plan, void *stream))                                                      \
    X(transform, "cufftExecC2C", (int plan, void *in, void *out, int direction))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the parameters have theirs */
#define POINTER(name, symbol, parameters) int(*name) parameters;
static struct {
    DRIVER_FUNCTIONS(POINTER)
    BLAS_FUNCTIONS(POINTER)
    FFT_FUNCTIONS(POINTER)
} cu;

enum { NO_TRANSPOSE = 0, COMPLEX_TO_COMPLEX = 0x29, FORWARD = -1, INVERSE = 1 };

/* Opens the newest version of a library that is there. NULL: there is none. */
static void *open_library(const char *name, const char *const versions[])
{
    for (size_t i = 0; versions[i]; ++i) {
        char text[64];
        snprintf(text, sizeof text, "%s.so%s", name, versions[i]);
        void *library = dlopen(text, RTLD_NOW);
        if (library)
            return library;
    }
    return NULL;
}

#define FIND(name, symbol, parameters)                                                                                 \
    *(void **)&cu.name = dlsym(library, symbol);                                                                       \
    TW_CHECK(cu.name != NULL);

static bool find_driver(void)
{
    void *library = open_library("libcuda", (const char *const[]){".1", "", NULL});
    if (!library)
        return false;
    DRIVER_FUNCTIONS(FIND)
    return true;
}

static bool find_blas(void)
{
    void *library = open_library("libcublas", (const char *const[]){".13", ".12", ".11", "", NULL});
    if (!library)
        return false;
    BLAS_FUNCTIONS(FIND)
    return true;
}

static bool find_fft(void)
{
    void *library = open_library("libcufft", (const char *const[]){".12", ".11", ".10", "", NULL});
    if (!library)
        return false;
    FFT_FUNCTIONS(FIND)
    return true;
}

/* What a case works with. */
struct setting {
    tw_queue *queue; /* in order */
    int number;      /* CUDA's */
    void *context;
    void *blas;
    int plan;
    int *gate;      /* of held(): it has begun, and may end */
    unsigned calls; /* of the tasks' functions so far */
};

/* Returns false, with a message, if there is nothing to test. */
static bool begin(struct setting *s, bool (*find_library)(void), const char *name)
{
    *s = (struct setting){.number = -1};
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &s->queue));
    const int ordinal = tw_device_cuda_ordinal(tw_queue_device(s->queue));
    const char *lacking = ordinal < 0 || !find_driver() ? "CUDA device" : !find_library() ? name : NULL;
    if (lacking) {
        printf("%s: skipped, there is no %s\n", tw_test_name(), lacking);
        TW_PASS(tw_queue_destroy(&s->queue));
        return false;
    }
    TW_EQUAL(cu.device_get(&s->number, ordinal), 0);
    TW_EQUAL(cu.context_retain(&s->context, s->number), 0);
    TW_EQUAL(cu.context_push(s->context), 0);
    s->gate = tw_malloc_host(2 * sizeof *s->gate);
    TW_CHECK(s->gate != NULL);
    return true;
}

static void end(struct setting *s)
{
    void *context = NULL;
    tw_free(s->gate);
    TW_PASS(tw_queue_destroy(&s->queue));
    TW_EQUAL(cu.context_pop(&context), 0);
    TW_EQUAL(cu.context_release(s->number), 0);
}

/* ---- a kernel that is held --------------------------------------------------------------------------------------- */

struct held {
    int *gate;
    float *data; /* that later groups use */
};
static inline void held(const struct held *k)
{
    tw_atomic_store(&k->gate[0], 1, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
    while (!tw_atomic_load(&k->gate[1], TW_ORDER_ACQUIRE, TW_SCOPE_SYSTEM)) {
    }
    k->data[0] = 12345.0f; /* what overtakes it uses this, or is overwritten */
}
TW_SINGLE_TASK(held);

/* Lets the kernel go when `calls` tasks were called, and so are enqueued. If one waits for the kernel, that never comes
   about: the watchdog says so. */
static void release_when_called(struct setting *s, unsigned calls)
{
    const struct timespec rest = {.tv_nsec = 1000000};
    while (__atomic_load_n(&s->calls, __ATOMIC_ACQUIRE) < calls)
        nanosleep(&rest, NULL);
    tw_atomic_store(&s->gate[1], 1, TW_ORDER_RELEASE, TW_SCOPE_SYSTEM);
}

/* Runs a chain of groups once freely, when libraries and driver load what they need, and once behind a kernel that is
   held. */
static void run_chain(struct setting *s, void (*submit)(struct setting *s, tw_buffer *x, float *memory), tw_buffer *x,
                      float *memory, unsigned calls)
{
    for (int round = 0; round < 2; ++round) {
        s->gate[0] = 0;
        s->gate[1] = round == 0;
        s->calls = 0;
        tw_command_group *cg = tw_queue_begin(s->queue);
        tw_single_task(cg, held, .gate = s->gate, .data = x ? tw_read_write(cg, x) : memory);
        TW_PASS(tw_queue_submit(s->queue, cg, NULL));
        submit(s, x, memory);
        if (round)
            release_when_called(s, calls);
        TW_PASS(tw_queue_wait_and_throw(s->queue));
        TW_EQUAL(s->calls, calls);
    }
}

/* The address of the data: of a buffer, or of unified shared memory. */
static float *access_data(tw_command_group *cg, tw_buffer *x, float *memory)
{
    return x ? tw_read_write(cg, x) : memory;
}

/* The block of a task. */
struct task {
    struct setting *setting;
    float *x;
    int plan, direction;
};

static void submit_task(struct setting *s, tw_native_function function, tw_buffer *x, float *memory, int plan,
                        int direction)
{
    tw_command_group *cg = tw_queue_begin(s->queue);
    const struct task block = {s, access_data(cg, x, memory), plan, direction};
    tw_enqueue_task(cg, function, &block, sizeof block);
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
}

/* ---- cuBLAS ------------------------------------------------------------------------------------------------------ */

/* Two matrices and their product, one behind the other; each column by column. */
enum { MATRIX = SIDE * SIDE };

static inline float factor(size_t which, size_t i)
{
    return (float)((i * 5 + i / SIDE + which * 3) % 7) - 2.0f;
}

/* What becomes of an element of the first product: it is a factor of the second one, and small again. */
static inline float reduced(float product)
{
    const int rest = (int)product % 3;
    return (float)rest;
}

struct write_factors {
    float *x;
};
static inline void write_factors(tw_item item, const struct write_factors *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = factor(0, i);
    k->x[MATRIX + i] = factor(1, i);
    k->x[2 * MATRIX + i] = -1.0f;
}
TW_RANGE_KERNEL(write_factors, 1);

struct use_product {
    float *x;
};
static inline void use_product(tw_item item, const struct use_product *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = reduced(k->x[2 * MATRIX + i]);
    k->x[2 * MATRIX + i] = -1.0f;
}
TW_RANGE_KERNEL(use_product, 1);

struct add_one {
    float *x;
};
static inline void add_one(tw_item item, const struct add_one *k)
{
    k->x[2 * MATRIX + tw_global_id(item, 0)] += 1.0f;
}
TW_RANGE_KERNEL(add_one, 1);

static tw_status multiply(const void *block, const tw_native *native)
{
    const struct task *k = block;
    struct setting *s = k->setting;
    const float one = 1.0f, zero = 0.0f;
    if (!native->stream)
        return tw_task_fail(TW_ERROR_UNSUPPORTED, "there is no stream");
    const bool failed = cu.blas_set_stream(s->blas, native->stream)
                        || cu.multiply(s->blas, NO_TRANSPOSE, NO_TRANSPOSE, SIDE, SIDE, SIDE, &one, k->x, SIDE,
                                       k->x + MATRIX, SIDE, &zero, k->x + 2 * MATRIX, SIDE);
    __atomic_fetch_add(&s->calls, 1, __ATOMIC_RELEASE);
    return failed ? tw_task_fail(TW_ERROR_LAUNCH_FAILED, "cublasSgemm() failed") : TW_SUCCESS;
}

static void submit_products(struct setting *s, tw_buffer *x, float *memory)
{
    tw_command_group *cg = tw_queue_begin(s->queue);
    tw_parallel_for(cg, tw_range_1d(MATRIX), write_factors, .x = access_data(cg, x, memory));
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
    submit_task(s, multiply, x, memory, 0, 0);
    cg = tw_queue_begin(s->queue);
    tw_parallel_for(cg, tw_range_1d(MATRIX), use_product, .x = access_data(cg, x, memory));
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
    submit_task(s, multiply, x, memory, 0, 0);
    cg = tw_queue_begin(s->queue);
    tw_parallel_for(cg, tw_range_1d(MATRIX), add_one, .x = access_data(cg, x, memory));
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
}

/* c = a b */
static void multiply_here(const float *a, const float *b, float *c)
{
    for (size_t column = 0; column < SIDE; ++column)
        for (size_t row = 0; row < SIDE; ++row) {
            float sum = 0.0f;
            for (size_t i = 0; i < SIDE; ++i)
                sum += a[i * SIDE + row] * b[column * SIDE + i];
            c[column * SIDE + row] = sum;
        }
}

/* The numbers are small integers, so that the results are exact. */
static void check_product(const float *x)
{
    static float a[MATRIX], b[MATRIX], c[MATRIX];
    for (size_t i = 0; i < MATRIX; ++i) {
        a[i] = factor(0, i);
        b[i] = factor(1, i);
    }
    multiply_here(a, b, c);
    for (size_t i = 0; i < MATRIX; ++i)
        a[i] = reduced(c[i]);
    multiply_here(a, b, c);
    for (size_t i = 0; i < MATRIX; ++i)
        TW_CHECK(x[i] == a[i] && x[2 * MATRIX + i] == c[i] + 1.0f);
}

TW_TEST(cublas_between_kernels)
{
    struct setting s;
    static float results[3 * MATRIX];
    tw_buffer *x = NULL;
    if (!begin(&s, find_blas, "cuBLAS"))
        TW_SKIP();
    TW_EQUAL(cu.blas_create(&s.blas), 0);
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(3 * MATRIX), &x));
    run_chain(&s, submit_products, x, NULL, 2);
    TW_PASS(tw_buffer_read(x, results));
    check_product(results);
    TW_PASS(tw_buffer_destroy(&x));
    float *memory = tw_malloc_device(tw_queue_device(s.queue), sizeof results);
    TW_CHECK(memory != NULL);
    memset(results, 0, sizeof results);
    run_chain(&s, submit_products, NULL, memory, 2);
    TW_PASS(tw_queue_memcpy(s.queue, results, memory, sizeof results, NULL));
    TW_PASS(tw_queue_wait_and_throw(s.queue));
    check_product(results);
    tw_free(memory);
    TW_EQUAL(cu.blas_destroy(s.blas), 0);
    end(&s);
}

/* ---- cuFFT ------------------------------------------------------------------------------------------------------- */

static inline float wave(size_t frequency, size_t i)
{
    return cosf(6.2831853f * (float)(frequency * i % LENGTH) / (float)LENGTH);
}

/* A sum of two waves, as complex numbers. */
struct write_waves {
    float *x;
};
static inline void write_waves(tw_item item, const struct write_waves *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[2 * i] = wave(KEPT, i) + wave(OTHER, i);
    k->x[2 * i + 1] = 0.0f;
}
TW_RANGE_KERNEL(write_waves, 1);

/* Leaves one frequency of the spectrum, divided by the length. */
struct keep_one {
    float *x;
};
static inline void keep_one(tw_item item, const struct keep_one *k)
{
    const size_t i = tw_global_id(item, 0);
    const float kept = i == KEPT || i == LENGTH - KEPT ? 1.0f / (float)LENGTH : 0.0f;
    k->x[2 * i] *= kept;
    k->x[2 * i + 1] *= kept;
}
TW_RANGE_KERNEL(keep_one, 1);

struct shift {
    float *x;
};
static inline void shift(tw_item item, const struct shift *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[2 * i] = 2.0f * k->x[2 * i] + 1.0f;
}
TW_RANGE_KERNEL(shift, 1);

static tw_status transform(const void *block, const tw_native *native)
{
    const struct task *k = block;
    struct setting *s = k->setting;
    if (!native->stream)
        return tw_task_fail(TW_ERROR_UNSUPPORTED, "there is no stream");
    const bool failed = cu.fft_set_stream(k->plan, native->stream) || cu.transform(k->plan, k->x, k->x, k->direction);
    __atomic_fetch_add(&s->calls, 1, __ATOMIC_RELEASE);
    return failed ? tw_task_fail(TW_ERROR_LAUNCH_FAILED, "cufftExecC2C() failed") : TW_SUCCESS;
}

static void submit_filter(struct setting *s, tw_buffer *x, float *memory)
{
    tw_command_group *cg = tw_queue_begin(s->queue);
    tw_parallel_for(cg, tw_range_1d(LENGTH), write_waves, .x = access_data(cg, x, memory));
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
    submit_task(s, transform, x, memory, s->plan, FORWARD);
    cg = tw_queue_begin(s->queue);
    tw_parallel_for(cg, tw_range_1d(LENGTH), keep_one, .x = access_data(cg, x, memory));
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
    submit_task(s, transform, x, memory, s->plan, INVERSE);
    cg = tw_queue_begin(s->queue);
    tw_parallel_for(cg, tw_range_1d(LENGTH), shift, .x = access_data(cg, x, memory));
    TW_PASS(tw_queue_submit(s->queue, cg, NULL));
}

static void check_filter(const float *x)
{
    for (size_t i = 0; i < LENGTH; ++i) {
        TW_CHECK(fabsf(x[2 * i] - (2.0f * wave(KEPT, i) + 1.0f)) < 1e-3f);
        TW_CHECK(fabsf(x[2 * i + 1]) < 1e-3f);
    }
}

TW_TEST(cufft_between_kernels)
{
    struct setting s;
    static float results[2 * LENGTH];
    tw_buffer *x = NULL;
    if (!begin(&s, find_fft, "cuFFT"))
        TW_SKIP();
    TW_EQUAL(cu.fft_plan(&s.plan, LENGTH, COMPLEX_TO_COMPLEX, 1), 0);
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(2 * LENGTH), &x));
    run_chain(&s, submit_filter, x, NULL, 2);
    TW_PASS(tw_buffer_read(x, results));
    check_filter(results);
    TW_PASS(tw_buffer_destroy(&x));
    float *memory = tw_malloc_device(tw_queue_device(s.queue), sizeof results);
    TW_CHECK(memory != NULL);
    memset(results, 0, sizeof results);
    run_chain(&s, submit_filter, NULL, memory, 2);
    TW_PASS(tw_queue_memcpy(s.queue, results, memory, sizeof results, NULL));
    TW_PASS(tw_queue_wait_and_throw(s.queue));
    check_filter(results);
    tw_free(memory);
    TW_EQUAL(cu.fft_destroy(s.plan), 0);
    end(&s);
}

/* An error of the library is the command's, and cancels what needs its data. */
TW_TEST(errors_of_libraries_are_the_commands)
{
    struct setting s;
    tw_buffer *x = NULL;
    if (!begin(&s, find_fft, "cuFFT"))
        TW_SKIP();
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(2 * LENGTH), &x));
    tw_command_group *cg = tw_queue_begin(s.queue);
    tw_parallel_for(cg, tw_range_1d(LENGTH), write_waves, .x = tw_discard_write(cg, x));
    TW_PASS(tw_queue_submit(s.queue, cg, NULL));
    submit_task(&s, transform, x, NULL, 4711, FORWARD); /* there is no such plan */
    cg = tw_queue_begin(s.queue);
    tw_parallel_for(cg, tw_range_1d(LENGTH), shift, .x = tw_read_write(cg, x));
    TW_PASS(tw_queue_submit(s.queue, cg, NULL));
    TW_FAIL(tw_queue_wait(s.queue), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "cufftExecC2C"));
    TW_FAIL(tw_queue_wait(s.queue), TW_ERROR_CANCELLED);
    TW_PASS(tw_buffer_destroy(&x));
    end(&s);
}

TW_TEST_LIST = {TW_CASE(cublas_between_kernels), TW_CASE(cufft_between_kernels),
                TW_CASE(errors_of_libraries_are_the_commands), TW_CASES_END};
