/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for an NVIDIA GPU. check.sh wants all accesses of this one to be global. */
void indexes_arguments(unsigned long a, unsigned long b, unsigned long to, int which)
{
#pragma omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(a, b, to, which)
    {
        const unsigned long of[2] = {a, b};
        for (int i = 0; i < 32; ++i)
            ((float *)to)[i] = ((const float *const *)of)[(i + which) % 2][i] + ((const float *)a)[which];
    }
}

#pragma omp begin declare target
#ifdef __NVPTX__
#define barrier __syncthreads
#define thread __nvvm_read_ptx_sreg_tid_x
#else
void barrier(void);
int thread(void);
#endif
void elsewhere(void);
static __attribute__((address_space(3))) float parts[32];
static __attribute__((address_space(3))) int own[32];
static inline float sum(float x)
{
    parts[thread()] = x;
    barrier();
    x = parts[0] + parts[1];
    barrier();
    return x;
}
#pragma omp end declare target
#define KERNEL(name, ...)                                                                                              \
    void name(unsigned long in, unsigned long out)                                                                     \
    {                                                                                                                  \
        _Pragma("omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(in, out)")                      \
        {                                                                                                              \
            float *const x = (float *)in, *const y = (float *)out;                                                     \
            const int id = thread();                                                                                   \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

/* Names end with the number of barriers that are left. */
KERNEL(stores_global_1, y[id] = sum(x[id]);)
KERNEL(adds_to_global_1, __atomic_fetch_add((int *)y, (int)sum(x[id]), __ATOMIC_RELAXED);)
KERNEL(after_a_loop_1, float a = x[id]; barrier(); a = sum(a); barrier(); y[id] = a;)
KERNEL(twice_3, y[id] = sum(sum(x[id]));)
KERNEL(in_a_loop_2, float a = x[id]; _Pragma("clang loop unroll(disable)") for (int i = 0; i < 9; ++i) a += sum(a);
       y[id] = a;)
KERNEL(stores_local_2, const float a = sum(x[id]); own[id] = (int)a; y[id] = (float)own[id ^ 1];)
KERNEL(stores_anywhere_2, const float a = sum(x[id]); **(float **)x = a;)
KERNEL(calls_2, const float a = sum(x[id]); elsewhere(); y[id] = a;)
KERNEL(of_the_program_1, y[id] = x[id]; barrier(); x[id] = y[id ^ 1];)
KERNEL(reads_what_may_be_written_1, float a = x[id]; barrier(); a += x[id ^ 1]; y[id] = a;)
KERNEL(is_volatile_1, const int a = *(volatile int *)x; barrier(); y[id] = x[a];)

/* In Teamwork's kernels there is one first work-item, which needs no barrier for itself. */
KERNEL(by_the_first_tw_simt_1, if (id == 0) own[0] = (int)x[0]; barrier(); if (id == 0) own[0]++; barrier();
       y[id] = (float)own[0];)
KERNEL(by_two_tw_simt_2, if (id == 0) own[0] = (int)x[0]; barrier(); if (id == 1) own[0]++; barrier();
       y[id] = (float)own[0];)
KERNEL(by_the_first_of_several_2, if (id == 0) own[0] = (int)x[0]; barrier(); if (id == 0) own[0]++; barrier();
       y[id] = (float)own[0];)

/* Of a block with an array that is indexed, the array alone is stored: in Teamwork's kernels for all work-items together. */
struct block {
    long first;
    float at[4];
    long last;
};
#define BLOCK(name, of)                                                                                                \
    void name(long a, long b, long c, long d, unsigned long out)                                                       \
    {                                                                                                                  \
        _Pragma("omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(a, b, c, d, out)")              \
        {                                                                                                              \
            const long words[] = {a, b, c, d};                                                                         \
            struct block block;                                                                                        \
            __builtin_memcpy(&block, words, sizeof words);                                                             \
            const struct block *const k = &block;                                                                      \
            ((float *)out)[thread()] = of;                                                                             \
        }                                                                                                              \
    }
BLOCK(stores_the_array, k->at[thread() & 3] + (float)(k->first + k->last))
BLOCK(shares_the_array_tw_simt_1, k->at[thread() & 3] + (float)(k->first + k->last))
BLOCK(stores_all, *(const float *)((const char *)&k->at[thread() & 3] - thread()))

/* Clamps, which are a maximum and a minimum where their bounds are in order. */
#define CLAMP(name, of)                                                                                                \
    void clamps_##name(unsigned long in, unsigned long out, int last, int n)                                           \
    {                                                                                                                  \
        _Pragma("omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(in, out, last, n)")             \
            _Pragma("clang loop unroll(disable)") for (int i = 0; i < 32; ++i)                                         \
        {                                                                                                              \
            const int x = ((int *)in)[i], *const bound = (int *)out;                                                   \
            ((int *)out)[i] = of;                                                                                      \
        }                                                                                                              \
    }
CLAMP(by_last, x<0 ? 0 : x> last ? last : x)
CLAMP(by_count, x < 0 ? 0 : x >= n ? n - 1 : x)
CLAMP(behind, x - 2 < 0 ? 0 : x - 2 > last ? last : x - 2)
CLAMP(before, x - 1 < 0 ? 0 : x - 1 >= n ? n - 1 : x - 1)
CLAMP(first, x <= 3 ? 3 : x > last - 7 ? last - 7 : x)
CLAMP(not_of_an_argument, x<0 ? 0 : x> *bound ? *bound : x)

/* Neighbours of work-items that are inside of the borders are at constant distances. Not if threads would come to a barrier on both
   ways, nor of few neighbours. */
#define NEIGHBOURS(name, radius, before)                                                                               \
    void name(unsigned long in, unsigned long out, int n)                                                              \
    {                                                                                                                  \
        _Pragma("omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(in, out, n)")                   \
        {                                                                                                              \
            const int x = ((int *)out)[thread()];                                                                      \
            float sum = 0;                                                                                             \
            for (int i = -radius; i <= radius; ++i) {                                                                  \
                sum += ((float *)in)[thread() + (x + i < 0 ? 0 : x + i >= n ? n - 1 : x + i)];                         \
                before;                                                                                                \
            }                                                                                                          \
            ((float *)out)[x] = sum;                                                                                   \
        }                                                                                                              \
    }
NEIGHBOURS(neighbours_at_distances, 2, (void)0)
NEIGHBOURS(neighbours_not_with_barriers_2, 2, barrier())
NEIGHBOURS(neighbours_not_of_few, 1, (void)0)

/* A pointer goes through the weights, and the loop that LLVM unrolls stays as it is. */
struct weights {
    float at[25];
};
void short_loop(unsigned long in, unsigned long out, struct weights weights, int radius)
{
#pragma omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(in, out, weights, radius)
    {
        float sum = 0;
        for (int j = -radius; j <= radius; ++j)
            for (int i = -radius; i <= radius; ++i)
                sum += weights.at[(j + radius) * (2 * radius + 1) + i + radius] * ((float *)in)[j * i];
        *(float *)out = sum;
    }
}

/* Addresses of a turn are those of a counter of 32 bits, in the turns that LLVM takes together and in the others. */
void counts(unsigned long in, unsigned long mask, unsigned long out, int first, int count, int width)
{
#pragma omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(in, mask, out, first, count, width)
    {
        float sum = 0;
        for (int j = 0; j < width; ++j)
            if (first + j >= 0 && first + j < count)
                sum += ((float *)in)[first + j] * ((float *)mask)[j];
        *(float *)out = sum;
    }
}

/* Many arrays at the same place of 64 bits: addresses are products of 32 bits where the upper half is 0. Not of few arrays, nor if
   threads would come to a barrier on both ways. */
#define PLACES(name, last, behind)                                                                                     \
    void name(unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f,    \
              unsigned long g, unsigned long offset)                                                                   \
    {                                                                                                                  \
        _Pragma("omp target teams ompx_bare num_teams(1) thread_limit(32) firstprivate(a, b, c, d, e, f, g, offset)")  \
        {                                                                                                              \
            const unsigned long i = offset + (unsigned)thread();                                                       \
            const float sum = ((float *)a)[i] + ((float *)b)[i + 1] + ((float *)c)[i] + ((float *)d)[i];               \
            behind;                                                                                                    \
            ((float *)g)[i] = sum + ((float *)e)[i] + ((float *)f)[i] + ((float *)last)[i - 1];                        \
        }                                                                                                              \
    }
PLACES(places_of_many, offset, )
PLACES(places_of_few, a, )
PLACES(places_behind_a_barrier_1, offset, barrier())
