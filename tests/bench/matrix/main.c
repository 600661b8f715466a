/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices of half and bfloat16 by matrix.h and group_matrix.h, beside cuBLAS where its library is found. A
 * line for each type: the median time of each side, its TFLOP/s, and that by cuBLAS's.
 *
 *     matrix_gpu [--quick] [SIDE...]      sides are multiples of 256; by default 4096
 *
 * cuBLAS is loaded when the program runs: libcublas.so.13 or .12, or what CUBLAS_LIBRARY names.
 */
#include "kernels.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench_teamwork.h"

enum { TYPES = 2, SIDES = 3, ROUNDS = 15, REPEATS = 20, CHECKED = 256 };

/* ---- cuBLAS ------------------------------------------------------------------------------------------------------ */

/* Constants of its interface and of CUDA's. */
enum {
    OPERATION_NONE = 0,
    COMPUTE_FLOAT = 68,
    ALGORITHM_DEFAULT = -1,
    REAL_FLOAT = 0,
    REAL_HALF = 2,
    REAL_BFLOAT16 = 14
};

static struct {
    void *handle;
    int (*create)(void **handle);
    int (*multiply)(void *handle, int a_operation, int b_operation, int m, int n, int k, const void *alpha,
                    const void *a, int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, void *c,
                    int c_type, int ldc, int compute, int algorithm);
    int (*synchronize)(void);
} cublas;

static void *find(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

static void open_cublas(void)
{
    const char *names[] = {getenv("CUBLAS_LIBRARY"), "libcublas.so.13", "libcublas.so.12",
                           "/usr/local/cuda/lib64/libcublas.so"};
    void *library = NULL, *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; ++i)
        library = names[i] ? dlopen(names[i], RTLD_NOW) : NULL;
    int (*retain)(void **, int);
    int (*set)(void *);
    *(void **)&retain = find(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&set = find(driver, "cuCtxSetCurrent");
    *(void **)&cublas.synchronize = find(driver, "cuCtxSynchronize");
    *(void **)&cublas.create = find(library, "cublasCreate_v2");
    *(void **)&cublas.multiply = find(library, "cublasGemmEx");
    if (!retain || !set || !cublas.synchronize || !cublas.create || !cublas.multiply || retain(&context, 0) != 0
        || set(context) != 0 || cublas.create(&cublas.handle) != 0) {
        fprintf(stderr, "cuBLAS was not found\n");
        cublas.handle = NULL;
    }
}

/* It takes columns for what are rows here: C' = B' * A'. */
static bool multiply_cublas(const void *a, const void *b, float *c, unsigned side, int type)
{
    const float one = 1, zero = 0;
    const int n = (int)side;
    return cublas.multiply(cublas.handle, OPERATION_NONE, OPERATION_NONE, n, n, n, &one, b, type, n, a, type, n, &zero,
                           c, REAL_FLOAT, n, COMPUTE_FLOAT, ALGORITHM_DEFAULT)
           == 0;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static const char *const side_names[SIDES] = {"sub-groups", "work-groups", "cuBLAS"};
static const char *const type_names[TYPES] = {"half", "bfloat16"};

struct operands {
    void *a, *b, *maps;
    float *c;
    unsigned side, type; /* 0: half, 1: bfloat16 */
};

static bool multiply(const struct operands *o, unsigned which)
{
    tw_queue *queue = bench_queue();
    if (which == 2)
        return multiply_cublas(o->a, o->b, o->c, o->side, o->type ? REAL_BFLOAT16 : REAL_HALF);
    if (which == 0)
        return bench_passed(o->type ? submit_sub_group_bfloat16(queue, o->a, o->b, o->c, o->side)
                                    : submit_sub_group_half(queue, o->a, o->b, o->c, o->side));
    return bench_passed(o->type ? submit_work_group_bfloat16(queue, o->a, o->b, o->c, o->side, o->maps)
                                : submit_work_group_half(queue, o->a, o->b, o->c, o->side, o->maps));
}

static bool wait_for(unsigned which)
{
    return which == 2 ? cublas.synchronize() == 0 : bench_passed(tw_queue_wait_and_throw(bench_queue()));
}

/* A number from -1 to 1, as both types have it. */
static float number_of(size_t i, unsigned seed)
{
    uint32_t x = (uint32_t)i * 2654435761u + seed;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (float)((int)(x & 255) - 128) / 128;
}

static uint16_t bits_of(float x, unsigned type)
{
    if (type)
        return tw_bfloat16_bits(tw_bfloat16_from_float(x));
    const tw_half half = (tw_half)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static bool copy(void *to, const void *from, size_t bytes)
{
    return bench_passed(tw_queue_memcpy(bench_queue(), to, from, bytes, NULL))
           && bench_passed(tw_queue_wait_and_throw(bench_queue()));
}

/* Some elements, compared with sums in double. */
static bool is_right(const struct operands *o, float *c, const char *name)
{
    if (!copy(c, o->c, (size_t)o->side * o->side * sizeof *c))
        return false;
    for (unsigned n = 0; n < CHECKED; ++n) {
        const size_t i = (n * 2654435761u >> 7) % o->side, j = (n * 2246822519u >> 5) % o->side;
        double sum = 0;
        for (size_t k = 0; k < o->side; ++k)
            sum += (double)number_of(i * o->side + k, 1) * (double)number_of(k * o->side + j, 2);
        if (!(fabs((double)c[i * o->side + j] - sum) <= 1e-6 * o->side)) {
            fprintf(stderr, "%s of %s: element %zu, %zu is %g, not %g\n", name, type_names[o->type], i, j,
                    (double)c[i * o->side + j], sum);
            return false;
        }
    }
    return true;
}

static bool make_operands(struct operands *o, uint16_t *elements)
{
    const size_t count = (size_t)o->side * o->side;
    for (unsigned factor = 0; factor < 2; ++factor) {
        for (size_t i = 0; i < count; ++i)
            elements[i] = bits_of(number_of(i, factor + 1), o->type);
        if (!copy(factor ? o->b : o->a, elements, count * sizeof *elements))
            return false;
    }
    return true;
}

static bool measure(struct operands *o, float *host, unsigned rounds, unsigned repeats)
{
    static double times[SIDES][ROUNDS];
    struct bench_summary summaries[SIDES];
    const unsigned sides = cublas.handle ? SIDES : SIDES - 1;
    for (unsigned s = 0; s < sides; ++s) {
        const float none = NAN;
        if (!bench_passed(tw_queue_mem_fill(bench_queue(), o->c, &none, sizeof none, (size_t)o->side * o->side, NULL))
            || !bench_passed(tw_queue_wait_and_throw(bench_queue())) || !multiply(o, s) || !wait_for(s)
            || !is_right(o, host, side_names[s]))
            return false;
    }
    for (unsigned round = 0; round < rounds; ++round)
        for (unsigned s = 0; s < sides; ++s) {
            const double begin = bench_now();
            for (unsigned i = 0; i < repeats; ++i)
                if (!multiply(o, s))
                    return false;
            if (!wait_for(s))
                return false;
            times[s][round] = (bench_now() - begin) / repeats;
        }
    const double operations = 2.0 * o->side * o->side * o->side;
    printf("%-9s %5u", type_names[o->type], o->side);
    for (unsigned s = 0; s < sides; ++s) {
        summaries[s] = bench_summarize(times[s], rounds);
        printf("   %s %.1f us %.0f TFLOP/s", side_names[s], summaries[s].median * 1e6,
               operations / summaries[s].median * 1e-12);
    }
    for (unsigned s = 0; s < SIDES - 1 && cublas.handle; ++s)
        printf("   %s by cuBLAS %.2f", side_names[s], summaries[2].median / summaries[s].median);
    printf("\n");
    return true;
}

static bool run(unsigned side, unsigned rounds, unsigned repeats)
{
    const size_t count = (size_t)side * side;
    tw_device *device = tw_queue_device(bench_queue());
    const size_t groups = (size_t)(side / GROUP_ROWS) * (side / GROUP_COLUMNS);
    struct operands o = {tw_malloc_device(device, count * 2),
                         tw_malloc_device(device, count * 2),
                         tw_malloc_device(device, TW_MATRIX_MAPS_BYTES(groups)),
                         tw_malloc_device(device, count * sizeof(float)),
                         side,
                         0};
    float *host = malloc(count * sizeof *host);
    bool works = o.a && o.b && o.maps && o.c && host;
    for (o.type = 0; o.type < TYPES && works; ++o.type)
        works = make_operands(&o, (uint16_t *)host) && measure(&o, host, rounds, repeats);
    free(host);
    tw_free(o.a);
    tw_free(o.b);
    tw_free(o.maps);
    tw_free(o.c);
    return works;
}

int main(int argc, char **argv)
{
    bool quick = false, works = bench_open(NULL);
    unsigned sides[16] = {4096}, count = 0;
    for (int i = 1; i < argc && count < 16; ++i)
        if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if ((sides[count++] = (unsigned)strtoul(argv[i], NULL, 10)) % 256 || !sides[count - 1])
            return fprintf(stderr, "matrix: a side is a multiple of 256\n"), 2;
    if (works && bench_on_gpu())
        open_cublas();
    for (unsigned i = 0; i < (count ? count : 1) && works; ++i)
        works = run(sides[i], quick ? 1 : ROUNDS, quick ? 1 : REPEATS);
    return bench_close() && works ? 0 : 1;
}
