/* SPDX-License-Identifier: Apache-2.0 */
/* The sides of a CPU: libstdc++'s parallel mode, OpenMP as one would write it, and oneTBB by the C++ library's execution
   policies, if it is there. */
#include "sides.h"

#include <algorithm>
#include <cstdlib>
#ifdef HAVE_TBB
#include <execution>
#endif
#include <functional>
#include <numeric>
#include <vector>

#include <omp.h>
#include <parallel/algorithm>
#include <parallel/numeric>

static std::vector<unsigned> in, out; /* words */
static std::vector<int> keys;
static const unsigned *from; /* in `in`: the input of one call */
static size_t most;

static bool begin(size_t count)
{
    most = count;
    in.resize(2 * count);
    out.resize(2 * count + 16);
    keys.resize(count);
#pragma omp parallel for
    for (size_t i = 0; i < 2 * count; ++i)
        in[i] = input_number(i);
#pragma omp parallel for
    for (size_t i = 0; i < count; ++i)
        keys[i] = run_key(i);
    return true;
}

static void end(void)
{
    in = std::vector<unsigned>();
    out = std::vector<unsigned>();
    keys = std::vector<int>();
}

template <class T> static const T *input(void)
{
    return reinterpret_cast<const T *>(from);
}
template <class T> static T *output(void)
{
    return reinterpret_cast<T *>(out.data());
}
static bool is_even(int x)
{
    return x % 2 == 0;
}

/* Pairs are sorted as structs, which is kinder than to sort two arrays. */
struct pair {
    int key, value;
};
static bool is_less(pair a, pair b)
{
    return a.key < b.key;
}
static void sort_pairs(size_t count)
{
    std::copy(input<pair>(), input<pair>() + count, output<pair>());
    __gnu_parallel::sort(output<pair>(), output<pair>() + count, is_less, __gnu_parallel::parallel_tag());
}

/* As one would write it: libstdc++ has none of these. */
static size_t bin_of(int x)
{
    return ((unsigned)x ^ 1u << 31) / (unsigned)(((size_t)1 << 32) / BINS);
}
static void histogram(const int *x, size_t count, unsigned *bins)
{
    std::fill(bins, bins + BINS, 0);
#pragma omp parallel if (count > 10000)
    {
        unsigned mine[BINS] = {0};
#pragma omp for nowait
        for (size_t i = 0; i < count; ++i)
            ++mine[bin_of(x[i])];
#pragma omp critical
        for (size_t b = 0; b < BINS; ++b)
            bins[b] += mine[b];
    }
}
/* Runs of equal keys, of which each thread has some: `store(run, begin, past)`
   takes each of them, and returns where it ends. */
template <typename Store> static size_t for_runs(const int *key, size_t count, Store store)
{
    std::vector<size_t> begun(omp_get_max_threads() + 1);
    size_t runs = 0;
#pragma omp parallel if (count > 10000)
    {
        const size_t me = omp_get_thread_num(), all = omp_get_num_threads();
        size_t first = count * me / all, past = count * (me + 1) / all;
        while (me && first < count && key[first] == key[first - 1]) /* the thread before has it */
            ++first;
        while (me + 1 < all && past && past < count && key[past] == key[past - 1])
            ++past;
        size_t mine = 0;
        for (size_t i = first; i < past; ++i)
            mine += i == first || key[i] != key[i - 1];
        begun[me + 1] = mine;
#pragma omp barrier
        size_t run = 0;
        for (size_t i = 1; i <= me; ++i)
            run += begun[i];
        for (size_t i = first; i < past; ++run)
            i = store(run, i, past);
#pragma omp atomic
        runs += mine;
    }
    return runs;
}
static size_t sum_by_key(const int *key, const int *x, size_t count, int *to, int *sums)
{
    return for_runs(key, count, [=](size_t run, size_t i, size_t past) {
        int sum = 0;
        const int of = key[i];
        for (; i < past && key[i] == of; ++i)
            sum += x[i];
        to[run] = of;
        sums[run] = sum;
        return i;
    });
}
static size_t encode(const int *key, size_t count, int *to, size_t *lengths)
{
    return for_runs(key, count, [=](size_t run, size_t begin, size_t past) {
        size_t i = begin;
        while (i < past && key[i] == key[begin])
            ++i;
        to[run] = key[begin];
        lengths[run] = i - begin;
        return i;
    });
}
static void sum_segments(const float *x, size_t segments, float *sums)
{
#pragma omp parallel for if (segments > 200)
    for (size_t s = 0; s < segments; ++s) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = s * SEGMENT; i < (s + 1) * SEGMENT; ++i)
            sum += x[i];
        sums[s] = sum;
    }
}
/* Returns false for an algorithm that libstdc++ has. */
static bool call_loops(enum algorithm algorithm, size_t count)
{
    if (algorithm == ALGORITHM_HISTOGRAM)
        histogram(input<int>(), count, output<unsigned>());
    else if (algorithm == ALGORITHM_BY_KEY)
        *output<size_t>() =
            sum_by_key(keys.data(), input<int>(), count, output<int>() + 16, output<int>() + 16 + count);
    else if (algorithm == ALGORITHM_ENCODE)
        *output<size_t>() =
            encode(keys.data(), count, output<int>() + 16, reinterpret_cast<size_t *>(output<int>() + 16 + count));
    else if (algorithm == ALGORITHM_SEGMENTED)
        sum_segments(input<float>(), count / SEGMENT, output<float>());
    else
        return false;
    return true;
}

/* ---- libstdc++ --------------------------------------------------------------------------------------------------- */

static void call_parallel(enum algorithm algorithm, size_t count)
{
    switch (algorithm) {
    case ALGORITHM_REDUCE_INT:
        *output<int>() = __gnu_parallel::accumulate(input<int>(), input<int>() + count, 0);
        break;
    case ALGORITHM_REDUCE_FLOAT:
        *output<float>() = __gnu_parallel::accumulate(input<float>(), input<float>() + count, 0.0f);
        break;
    case ALGORITHM_SCAN_INT:
        __gnu_parallel::partial_sum(input<int>(), input<int>() + count, output<int>());
        break;
    case ALGORITHM_SCAN_DOUBLE:
        __gnu_parallel::partial_sum(input<double>(), input<double>() + count, output<double>());
        break;
    case ALGORITHM_SORT_INT:
        std::copy(input<int>(), input<int>() + count, output<int>());
        __gnu_parallel::sort(output<int>(), output<int>() + count);
        break;
    case ALGORITHM_SORT_LONG:
        std::copy(input<long long>(), input<long long>() + count, output<long long>());
        __gnu_parallel::sort(output<long long>(), output<long long>() + count);
        break;
    case ALGORITHM_SORT_PAIRS:
        sort_pairs(count);
        break;
    case ALGORITHM_SORT_BY:
        std::copy(input<int>(), input<int>() + count, output<int>());
        __gnu_parallel::stable_sort(output<int>(), output<int>() + count, std::less<int>());
        break;
    case ALGORITHM_MERGE:
        __gnu_parallel::merge(keys.data(), keys.data() + count / 2, keys.data(), keys.data() + count / 2,
                              output<int>());
        break;
    case ALGORITHM_HISTOGRAM:
    case ALGORITHM_BY_KEY:
    case ALGORITHM_ENCODE:
    case ALGORITHM_SEGMENTED:
        (void)call_loops(algorithm, count);
        break;
    default:
        std::copy_if(input<int>(), input<int>() + count, output<int>(), is_even); /* it has no parallel one */
    }
}

static bool run_parallel(enum algorithm algorithm, size_t count, unsigned repeats)
{
    for (unsigned i = 0; i < repeats; ++i) {
        from = in.data() + 2 * input_begin(i, count, most);
        call_parallel(algorithm, count);
    }
    return true;
}

/* ---- OpenMP ------------------------------------------------------------------------------------------------------ */

template <class T> static T reduce(const T *x, size_t count)
{
    T sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (count > 10000)
    for (size_t i = 0; i < count; ++i)
        sum += x[i];
    return sum;
}

/* Each thread adds up its part, and scans it when it knows the sums of the others. */
template <class T> static void scan(const T *x, size_t count, T *y)
{
    std::vector<T> sums(omp_get_max_threads() + 1);
#pragma omp parallel if (count > 10000)
    {
        const size_t me = omp_get_thread_num(), all = omp_get_num_threads();
        const size_t first = count * me / all, past = count * (me + 1) / all;
        T sum = 0;
        for (size_t i = first; i < past && all > 1; ++i)
            sum += x[i];
        sums[me + 1] = sum;
#pragma omp barrier
        sum = 0;
        for (size_t i = 1; i <= me; ++i)
            sum += sums[i];
        for (size_t i = first; i < past; ++i)
            y[i] = sum += x[i];
    }
}

static void select(const int *x, size_t count, int *y)
{
    std::vector<size_t> sums(omp_get_max_threads() + 1);
#pragma omp parallel if (count > 10000)
    {
        const size_t me = omp_get_thread_num(), all = omp_get_num_threads();
        const size_t first = count * me / all, past = count * (me + 1) / all;
        size_t to = 0;
        for (size_t i = first; i < past; ++i)
            to += is_even(x[i]);
        sums[me + 1] = to;
#pragma omp barrier
        to = 0;
        for (size_t i = 1; i <= me; ++i)
            to += sums[i];
        for (size_t i = first; i < past; ++i)
            if (is_even(x[i]))
                y[to++] = x[i];
    }
}

static void call_openmp(enum algorithm algorithm, size_t count)
{
    switch (algorithm) {
    case ALGORITHM_REDUCE_INT:
        *output<int>() = reduce(input<int>(), count);
        break;
    case ALGORITHM_REDUCE_FLOAT:
        *output<float>() = reduce(input<float>(), count);
        break;
    case ALGORITHM_SCAN_INT:
        scan(input<int>(), count, output<int>());
        break;
    case ALGORITHM_SCAN_DOUBLE:
        scan(input<double>(), count, output<double>());
        break;
    case ALGORITHM_SORT_INT:
    case ALGORITHM_SORT_LONG:
    case ALGORITHM_SORT_PAIRS:
    case ALGORITHM_SORT_BY:
    case ALGORITHM_MERGE:
        call_parallel(algorithm, count); /* OpenMP has none */
        break;
    case ALGORITHM_HISTOGRAM:
    case ALGORITHM_BY_KEY:
    case ALGORITHM_ENCODE:
    case ALGORITHM_SEGMENTED:
        (void)call_loops(algorithm, count);
        break;
    default:
        select(input<int>(), count, output<int>());
    }
}

static bool run_openmp(enum algorithm algorithm, size_t count, unsigned repeats)
{
    for (unsigned i = 0; i < repeats; ++i) {
        from = in.data() + 2 * input_begin(i, count, most);
        call_openmp(algorithm, count);
    }
    return true;
}

/* Threads of OpenMP poll for 200 ms after a region, and take processors from those of oneTBB. */
static void rest_openmp(void)
{
    const int usual = kmp_get_blocktime();
    kmp_set_blocktime(0);
#pragma omp parallel
    {
    }
    kmp_set_blocktime(usual);
}

/* ---- oneTBB ------------------------------------------------------------------------------------------------------ */

#ifdef HAVE_TBB
static void call_tbb(enum algorithm algorithm, size_t count)
{
    const auto policy = std::execution::par_unseq; /* it may also use vectors */
    switch (algorithm) {
    case ALGORITHM_REDUCE_INT:
        *output<int>() = std::reduce(policy, input<int>(), input<int>() + count);
        break;
    case ALGORITHM_REDUCE_FLOAT:
        *output<float>() = std::reduce(policy, input<float>(), input<float>() + count);
        break;
    case ALGORITHM_SCAN_INT:
        std::inclusive_scan(policy, input<int>(), input<int>() + count, output<int>());
        break;
    case ALGORITHM_SCAN_DOUBLE:
        std::inclusive_scan(policy, input<double>(), input<double>() + count, output<double>());
        break;
    case ALGORITHM_SELECT_INT:
        std::copy_if(policy, input<int>(), input<int>() + count, output<int>(), is_even);
        break;
    case ALGORITHM_SORT_INT:
        std::copy(policy, input<int>(), input<int>() + count, output<int>());
        std::sort(policy, output<int>(), output<int>() + count);
        break;
    case ALGORITHM_SORT_LONG:
        std::copy(policy, input<long long>(), input<long long>() + count, output<long long>());
        std::sort(policy, output<long long>(), output<long long>() + count);
        break;
    case ALGORITHM_SORT_PAIRS:
        std::copy(policy, input<pair>(), input<pair>() + count, output<pair>());
        std::sort(policy, output<pair>(), output<pair>() + count, is_less);
        break;
    case ALGORITHM_SORT_BY:
        std::copy(policy, input<int>(), input<int>() + count, output<int>());
        std::stable_sort(policy, output<int>(), output<int>() + count);
        break;
    case ALGORITHM_MERGE:
        std::merge(policy, keys.data(), keys.data() + count / 2, keys.data(), keys.data() + count / 2, output<int>());
        break;
    default:
        (void)call_loops(algorithm, count);
    }
}

static bool run_tbb(enum algorithm algorithm, size_t count, unsigned repeats)
{
    for (unsigned i = 0; i < repeats; ++i) {
        from = in.data() + 2 * input_begin(i, count, most);
        call_tbb(algorithm, count);
    }
    return true;
}
#endif

extern "C" {
extern const struct side side_parallel, side_openmp, side_tbb;
const struct side side_parallel = {"libstdc++", begin, run_parallel, rest_openmp, end};
const struct side side_openmp = {"openmp", begin, run_openmp, rest_openmp, end};
#ifdef HAVE_TBB
const struct side side_tbb = {"onetbb", begin, run_tbb, rest_openmp, end};
#endif
}
