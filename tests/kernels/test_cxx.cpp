/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** Kernels in C++: typed accessors, namespaces, and objects that own what they hold. */
#include "tw_test.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include <teamwork/group_matrix.h>
#include <teamwork/group_vectors.h>
#include <teamwork/math.h>
#include <teamwork/non_uniform_groups.h>
#include <teamwork/variable.h>
#include <teamwork/vector.h>

namespace
{

/* What a program may have: owners of queues and buffers. */
class Queue
{
  public:
    Queue()
    {
        TW_PASS(tw_queue_create(nullptr, nullptr, nullptr, nullptr, &queue));
    }
    ~Queue()
    {
        TW_PASS(tw_queue_destroy(&queue));
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    operator tw_queue *() const
    {
        return queue;
    }

  private:
    tw_queue *queue = nullptr;
};

template <typename T> class Buffer
{
  public:
    explicit Buffer(std::vector<T> &data)
    {
        TW_PASS(tw_buffer_create_over(data.data(), sizeof(T), tw_range_1d(data.size()), &buffer));
    }
    ~Buffer()
    {
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    operator tw_buffer *() const
    {
        return buffer;
    }

  private:
    tw_buffer *buffer = nullptr;
};

} // namespace

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct saxpy {
    float a;
    const float *x;
    float *y;
};
static inline void saxpy(tw_item item, const struct saxpy *k)
{
    const std::size_t i = tw_global_id(item, 0);
    k->y[i] += k->a * k->x[i];
}
TW_RANGE_KERNEL(saxpy);

TW_TEST(a_range_kernel_runs)
{
    std::vector<float> x(1000, 3.0f), y(1000, 1.0f);
    {
        const Queue queue;
        const Buffer<float> xs(x), ys(y);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(x.size()), saxpy, .a = 2.0f, .x = tw_read(cg, xs), .y = tw_read_write(cg, ys));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
    }
    for (const float value : y)
        TW_CHECK(value == 7.0f);
}

/* Blocks with initial values, functions, and what a kernel calls. */
struct Settings {
    int factor, term;
    int apply(int x) const
    {
        return factor * x + term;
    }
};
template <typename T> static inline T twice(T x)
{
    return x + x;
}

namespace outer
{
namespace inner
{
struct map {
    Settings settings = {1, 0};
    int *out;
    const int *in;
    int unused;
};
static inline void map(tw_item item, const struct map *k)
{
    constexpr int table[] = {0, 1};
    const std::size_t i = tw_global_id(item, 0);
    k->out[i] = twice(k->settings.apply(k->in[i])) + table[k->unused];
}
TW_RANGE_KERNEL(map, 1);
} // namespace inner
} // namespace outer

static void launch_map(tw_queue *queue, const Buffer<int> &in, const Buffer<int> &out)
{
    TW_COMMAND_GROUP(queue, cg) {
        /* not in the order of the members, and not all of them */
        tw_parallel_for(cg, tw_range_1d(tw_buffer_count(in)), outer::inner::map, .in = tw_read<int>(cg, in),
                        .out = tw_discard_write<int>(cg, out), .settings = {.factor = 3, .term = 4});
    }
}

TW_TEST(kernels_are_in_namespaces)
{
    std::vector<int> in(100, 5), out(100, 0);
    {
        const Queue queue;
        const Buffer<int> ins(in), outs(out);
        launch_map(queue, ins, outs);
        TW_PASS(tw_queue_wait_and_throw(queue));
    }
    for (const int value : out)
        TW_EQUAL(value, 38);
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

TW_TEST(accessors_have_types)
{
    using Reading = decltype(tw_read(nullptr, nullptr));
    using Writing = decltype(tw_write(nullptr, nullptr));
    static_assert(std::is_convertible_v<Reading, const float *> && std::is_convertible_v<Reading, const void *>);
    static_assert(!std::is_convertible_v<Reading, float *> && !std::is_convertible_v<Reading, void *>);
    static_assert(!std::is_convertible_v<Reading, bool> && !std::is_convertible_v<Writing, bool>);
    static_assert(std::is_convertible_v<Writing, float *> && std::is_convertible_v<Writing, const float(*)[4]>);
    static_assert(std::is_same_v<decltype(tw_read<float>(nullptr, nullptr)), const float *>);
    static_assert(std::is_same_v<decltype(tw_read_mapped<float>(nullptr, nullptr, tw_all())), const float *>);
    static_assert(std::is_same_v<decltype(tw_read_constant<float>(nullptr, nullptr)), const float *>);
    static_assert(std::is_same_v<decltype(tw_atomic<float>(nullptr, nullptr)), float *>);
    static_assert(std::is_same_v<decltype(tw_host_read<int>(nullptr, nullptr)), const int *>);

    std::vector<int> data(10, 1);
    const Queue queue;
    const Buffer<int> buffer(data);
    tw_command_group *cg = tw_queue_begin(queue);
    const int *const all = tw_read(cg, buffer), *const end = tw_read_part<int>(cg, buffer, tw_id_1d(4), tw_range_1d(6));
    TW_CHECK(tw_write(cg, buffer) != NULL && tw_read(cg, buffer) != nullptr && tw_read(cg, buffer) == all);
    TW_CHECK(all && end == all + 4 && tw_read(cg, buffer) && !tw_read(cg, nullptr));
    TW_FAIL(tw_queue_submit(queue, cg, nullptr), TW_ERROR_INVALID_ARGUMENT);

    tw_host_accessor *accessor = nullptr;
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &accessor));
    *tw_host_accessor_data<int>(accessor) = 2;
    TW_EQUAL(*tw_host_accessor_const_data<int>(accessor), 2);
    tw_host_accessor_release(&accessor);
}

TW_TEST(memory_has_types)
{
    double *const numbers = tw_malloc_host<double>(10);
    TW_CHECK(numbers);
    numbers[9] = 1.0;
    tw_free_host(numbers);
    TW_CHECK(!tw_malloc_host<double>(SIZE_MAX / 4) && !tw_malloc_device<double>(tw_test_device(0), SIZE_MAX / 4)
             && !tw_malloc_shared<double>(tw_test_device(0), SIZE_MAX / 4));
    tw_queue *queue = tw_test_queue();
    float *const scratch = tw_malloc_async<float>(queue, 10);
    TW_CHECK(scratch && tw_pointer_get_type(scratch + 9) == TW_POINTER_DEVICE
             && tw_pointer_get_type(scratch + 10) == TW_POINTER_UNKNOWN);
    TW_CHECK(!tw_malloc_async<double>(queue, SIZE_MAX / 4));
    TW_PASS(tw_free_async(queue, scratch));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

constexpr std::size_t group_size = 32;

/* Sums of groups, in each way that there is. */
struct group_sums {
    const int *in;
    int *out;
    tw_local_memory part;
};
static inline void group_sums(tw_nd_item item, const struct group_sums *k)
{
    int *const part = tw_local_data(item, k->part);
    const std::size_t at = tw_local_id(item, 0);
    part[at] = k->in[tw_global_id(item, 0)];
    for (std::size_t half = group_size / 2; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (at < half)
            part[at] += part[at + half];
    }
    const int sum = tw_reduce_over_group(item, k->in[tw_global_id(item, 0)], TW_SUM);
    if (at == 0)
        k->out[tw_group_id(item, 0)] = part[0] == sum ? sum : -1;
}
TW_ND_RANGE_KERNEL(group_sums, group_size);

struct group_steps {
    TW_VIEW(const int) in;
    TW_VIEW(int) out;
};
static inline void group_steps(tw_group group, const struct group_steps *k)
{
    TW_LOCAL(int, part, [group_size]);
    TW_PRIVATE(group, int, mine);
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) = tw_at(k->in, tw_global_id(item, 0));
        part[tw_local_id(item, 0)] = tw_private(mine, item);
    }
    for (std::size_t half = group_size / 2; half > 0; half /= 2)
        tw_parallel_for_work_item_range(group, item, tw_range_1d(half)) {
            part[tw_local_id(item, 0)] += part[tw_local_id(item, 0) + half];
        }
    TW_ONCE(group) {
        tw_at(k->out, tw_group_id(group, 0)) = part[0];
    }
}
TW_WORK_GROUP_KERNEL(group_steps, group_size);

struct total {
    const int *in;
    TW_REDUCTION(long long, TW_SUM) sum;
};
static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(total, 1, sum);

TW_TEST(groups_sum)
{
    constexpr std::size_t groups = 4, count = groups * group_size;
    std::vector<int> in(count), nd(groups), steps(groups);
    std::vector<long long> sum(1, 1000);
    for (std::size_t i = 0; i < count; ++i)
        in[i] = static_cast<int>(i);
    {
        const Queue queue;
        const Buffer<int> ins(in), nds(nd), stepss(steps);
        const Buffer<long long> sums(sum);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(count), tw_range_1d(group_size)), group_sums,
                                 .in = tw_read(cg, ins), .out = tw_discard_write(cg, nds),
                                 .part = tw_local(cg, group_size * sizeof(int)));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(group_size), group_steps,
                                   .in = TW_READ_VIEW(cg, ins), .out = TW_DISCARD_WRITE_VIEW(cg, stepss));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(count), total, .in = tw_read(cg, ins), .sum = TW_REDUCE(cg, sums));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        TW_PASS(tw_queue_wait_and_throw(queue));
    }
    for (std::size_t group = 0; group < groups; ++group) {
        const int expected = static_cast<int>(group_size * group_size * group + group_size * (group_size - 1) / 2);
        TW_EQUAL(nd[group], expected);
        TW_EQUAL(steps[group], expected);
    }
    TW_EQUAL(sum[0], 1000 + static_cast<long long>(count * (count - 1) / 2));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

enum class Colour : unsigned char { none, red, blue };

struct values {
    Colour *colour;
    unsigned *count;
    float *results;
};
static inline void values(tw_item item, const struct values *k)
{
    const std::size_t i = tw_global_id(item, 0);
    tw_atomic_fetch_add(k->count, 1u);
    Colour expected = Colour::none;
    if (tw_atomic_compare_exchange_strong(k->colour, &expected, Colour::blue, TW_ORDER_RELAXED, TW_ORDER_RELAXED,
                                          TW_SCOPE_DEVICE))
        tw_atomic_fetch_add(k->count, 1000u, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
    const tw_float4 v = tw_float4{3.0f, 0.0f, 4.0f, 0.0f} * static_cast<float>(i);
    const tw_float4 lanes = tw_sqrt(v * v);
    k->results[i] = tw_length(v) + lanes.z + tw_fmax(v, 1.0f).w;
}

/* Group algorithms of a struct, of vectors, and over memory. */
struct nearest {
    int distance, point;
};
static inline nearest nearer(nearest a, nearest b)
{
    return b.distance < a.distance ? b : a;
}
TW_GROUP_TYPE(nearest);
TW_GROUP_VECTOR(int, 2);
static inline bool is_less(int a, int b)
{
    return a < b;
}

struct group_algorithms {
    int *x;        /* group_size numbers */
    nearest *best; /* and what is found of them */
};
static inline void group_algorithms(tw_group group, const struct group_algorithms *k)
{
    TW_PRIVATE(group, nearest, mine);
    TW_PRIVATE(group, tw_int2, one);
    tw_parallel_for_work_item(group, item) {
        const int i = static_cast<int>(tw_local_id(item, 0));
        tw_private(mine, item) = nearest{k->x[i], i};
        tw_private(one, item) = tw_int2{1, i};
    }
    const nearest best = tw_reduce_over_group(group, mine, nearer);
    const tw_int2 sums = tw_reduce_over_group(group, one, TW_SUM);
    tw_joint_sort(group, k->x, k->x + group_size, is_less);
    TW_ONCE(group) {
        k->best[0] = best;
        k->best[1] = nearest{sums.x, sums.y};
    }
}
TW_WORK_GROUP_KERNEL(group_algorithms, group_size);

/* A matrix of the group, to which the same product is added by a pipeline, one of its first sub-group, and a sum of each pair of work-items. */
constexpr std::size_t side = 64, matrix_items = 128, part_side = 16;

struct multiply_both {
    const tw_bfloat16 *a, *b;
    float *whole, *part;
    int *pairs;
    unsigned char *maps;
    tw_local_memory memory;
};
using stages = TW_MATRIX_PIPELINE(tw_bfloat16, side, side, side, 2, TW_ROW_MAJOR, TW_COLUMN_MAJOR);
struct factors {
    TW_MATRIX_TILE(a, tw_bfloat16, side, side, TW_ROW_MAJOR) a;
    TW_MATRIX_TILE(b, tw_bfloat16, side, side, TW_COLUMN_MAJOR) b;
};
static inline float twice(float x, std::size_t row, std::size_t column, int)
{
    return row < side && column < side ? 2 * x : 0;
}
static inline void multiply_both(tw_nd_item item, const struct multiply_both *k)
{
    factors *tiles = tw_matrix_tiles(item, k->memory);
    TW_GROUP_MATRIX(float, side, side, matrix_items) c;
    tw_group_matrix_fill(item, c, 0);
    tw_matrix_tile_load(item, tiles->a, k->a, side);
    tw_matrix_tile_load(item, tiles->b, k->b, side);
    tw_async_commit(item);
    tw_wait_for_all_but(item, 0);
    tw_group_matrix_mad(item, c, tiles->a, tiles->b);
    tw_group_matrix_wait(item, c, 0);
    tw_barrier(item, TW_LOCAL_SPACE);
    stages pipeline;
    tw_matrix_pipeline_open(item, pipeline, k->memory, k->maps, k->a, side, k->b, side, side, side, side);
    tw_matrix_pipeline_begin(item, pipeline, 0, 0);
    tw_group_matrix_multiply(item, c, pipeline);
    tw_group_matrix_apply(item, c, twice, 0);
    tw_group_matrix_store(item, c, k->whole, side, TW_ROW_MAJOR);
    const tw_sub_group sub_group = tw_get_sub_group(item);
    if (tw_sub_group_id(sub_group) == 0) {
        TW_JOINT_MATRIX(a, tw_bfloat16, part_side, part_side) left;
        TW_JOINT_MATRIX(b, tw_bfloat16, part_side, part_side) right;
        TW_JOINT_MATRIX(accumulator, float, part_side, part_side) product;
        tw_joint_matrix_fill(sub_group, product, 0);
        tw_joint_matrix_load(sub_group, left, k->a, side, TW_ROW_MAJOR);
        tw_joint_matrix_load(sub_group, right, k->b, side, TW_COLUMN_MAJOR);
        tw_joint_matrix_mad(sub_group, product, left, right, product);
        tw_joint_matrix_apply(sub_group, product, twice, 0);
        tw_joint_matrix_store(sub_group, product, k->part, part_side, TW_ROW_MAJOR);
    }
    const tw_sub_group_part pair = tw_get_fixed_size_group(sub_group, 2);
    k->pairs[tw_local_id(item, 0)] =
        tw_reduce_over_group(pair, 1, TW_SUM) - static_cast<int>(tw_part_local_range(pair));
}
TW_ND_RANGE_KERNEL(multiply_both, matrix_items);

TW_TEST(groups_multiply)
{
    std::vector<tw_bfloat16> a(side * side), b(side * side);
    std::vector<float> whole(side * side), part(part_side * part_side);
    std::vector<int> pairs(matrix_items, 7);
    std::vector<unsigned char> maps(TW_MATRIX_MAPS_BYTES(1));
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
            a[i * side + j] = i == j ? 1.0f : 0.0f;
            b[j * side + i] = static_cast<float>((i + 2 * j) % 128);
        }
    {
        const Queue queue;
        const Buffer<tw_bfloat16> as(a), bs(b);
        const Buffer<float> wholes(whole), parts(part);
        const Buffer<int> pairss(pairs);
        const Buffer<unsigned char> mapss(maps);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(matrix_items), tw_range_1d(matrix_items)),
                                 multiply_both, .a = tw_read(cg, as), .b = tw_read(cg, bs),
                                 .whole = tw_discard_write(cg, wholes), .part = tw_discard_write(cg, parts),
                                 .pairs = tw_discard_write(cg, pairss), .maps = tw_discard_write(cg, mapss),
                                 .memory = tw_local(cg, TW_MATRIX_PIPELINE_BYTES(stages)));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        TW_PASS(tw_queue_wait_and_throw(queue));
    }
    unsigned wrong = 0;
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
            wrong += whole[i * side + j] != static_cast<float>((i + 2 * j) % 128 * 4);
    for (std::size_t i = 0; i < part_side; ++i)
        for (std::size_t j = 0; j < part_side; ++j)
            wrong += part[i * part_side + j] != static_cast<float>((i + 2 * j) % 128 * 2);
    TW_EQUAL(wrong, 0);
    TW_CHECK(std::all_of(pairs.begin(), pairs.end(), [](int x) { return x == 0; }));
}

TW_TEST(groups_have_algorithms)
{
    std::vector<int> x(group_size);
    std::vector<nearest> best(2);
    for (std::size_t i = 0; i < group_size; ++i)
        x[i] = static_cast<int>((i * 7 + 3) % group_size);
    const std::vector<int> before(x);
    {
        const Queue queue;
        const Buffer<int> xs(x);
        const Buffer<nearest> bests(best);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(group_size), group_algorithms,
                                   .x = tw_read_write(cg, xs), .best = tw_discard_write(cg, bests));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        TW_PASS(tw_queue_wait_and_throw(queue));
    }
    TW_EQUAL(best[0].distance, 0);
    TW_EQUAL(before[static_cast<std::size_t>(best[0].point)], 0);
    TW_EQUAL(best[1].distance, static_cast<int>(group_size));
    TW_EQUAL(best[1].point, static_cast<int>(group_size * (group_size - 1) / 2));
    for (std::size_t i = 0; i < group_size; ++i)
        TW_EQUAL(x[i], static_cast<int>(i));
}
TW_RANGE_KERNEL(values);

TW_TEST(values_have_operations)
{
    constexpr std::size_t count = 50;
    std::vector<Colour> colour(1, Colour::none);
    std::vector<unsigned> counter(1, 0);
    std::vector<float> results(count);
    {
        const Queue queue;
        const Buffer<Colour> colours(colour);
        const Buffer<unsigned> counters(counter);
        const Buffer<float> floats(results);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(count), values, .colour = tw_atomic(cg, colours),
                        .count = tw_atomic(cg, counters), .results = tw_discard_write(cg, floats));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        TW_PASS(tw_queue_wait_and_throw(queue));
    }
    TW_CHECK(colour[0] == Colour::blue);
    TW_EQUAL(counter[0], 1000 + count);
    for (std::size_t i = 0; i < count; ++i)
        TW_CHECK(results[i] == 9.0f * static_cast<float>(i) + 1.0f);
}

/* ---- kernels as objects, and variables of devices ----------------------------------------------------------------- */

TW_BEGIN_DEVICE_VARIABLES
static const int steps[] = {10, 20, 30};
TW_END_DEVICE_VARIABLES

struct walk {
    int *out;
};
template <int First> static inline void walk_from(tw_item item, const struct walk *k)
{
    const std::size_t i = tw_global_id(item, 0);
    k->out[i] = steps[(i + First) % 3];
}
static inline void walk(tw_item item, const struct walk *k)
{
    walk_from<0>(item, k);
}
TW_RANGE_KERNEL(static walk, 1);
static inline void walk_on(tw_item item, const struct walk *k)
{
    walk_from<1>(item, k);
}
TW_RANGE_KERNEL(static TW_BLOCK(walk) walk_on, 1);
static const tw_kernel *const walks[] = {TW_KERNEL(walk), TW_KERNEL(walk_on)};

struct sized {
    int *out;
};
static inline void sized(tw_group group, const struct sized *k)
{
    TW_PRIVATE(group, int, mine, [3]);
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item, 2) = static_cast<int>(tw_local_linear_range(group));
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tw_private(mine, item, 2);
    }
}
TW_WORK_GROUP_KERNEL_SIZES(sized, 16, 32);

enum class Rounding { down, up };
struct rounded {
    int *out;
    Rounding rounding = Rounding::up;
    bool twice;
};
static inline void rounded(tw_item item, const struct rounded *k)
{
    const int rounding = static_cast<int>(k->rounding);
    int result = (k->rounding == Rounding::up ? 20 : 10) * (k->twice ? 2 : 1);
#if defined(__OPTIMIZE__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    result += __builtin_constant_p(rounding) && __builtin_constant_p(k->twice) ? 1 : 0;
#else
    result += rounding == static_cast<int>(Rounding::up) && !k->twice ? 1 : 0;
#endif
    k->out[tw_global_id(item, 0)] = result;
}
TW_RANGE_KERNEL(TW_SPECIALIZE((rounding, twice), (Rounding::down, true), (Rounding::up, false)) rounded, 1);

TW_TEST(kernels_have_variants)
{
    std::vector<int> out(48);
    const Queue queue;
    for (const bool twice : {false, true}) {
        {
            const Buffer<int> outs(out);
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for(cg, tw_range_1d(48), rounded, .out = tw_discard_write(cg, outs), .twice = twice);
            TW_PASS(tw_queue_submit(queue, cg, nullptr));
        }
        TW_EQUAL(out[47], twice ? 40 : 21); /* 1 for the constants */
    }
}

TW_TEST(kernels_are_listed)
{
    const tw_kernel *kernels[32];
    const std::size_t count = tw_list_kernels(kernels, 32);
    const auto lists = [&](const tw_kernel *kernel) { return std::count(kernels, kernels + count, kernel) == 1; };
    TW_CHECK(count < 32 && lists(TW_KERNEL(saxpy)) && lists(TW_KERNEL(outer::inner::map)) && !lists(TW_KERNEL(walk)));
}

TW_TEST(kernels_are_chosen_at_run_time)
{
    std::vector<int> out(96);
    const Queue queue;
    {
        const Buffer<int> outs(out);
        for (std::size_t i = 0; i < 2; ++i) {
            tw_command_group *cg = tw_queue_begin(queue);
            const struct walk block = {tw_write_part<int>(cg, outs, tw_id_1d(48 * i), tw_range_1d(48))};
            tw_parallel_for_kernel(cg, tw_range_1d(48), walks[i], &block, sizeof block);
            TW_PASS(tw_queue_submit(queue, cg, nullptr));
        }
    }
    TW_CHECK(out[0] == 10 && out[1] == 20 && out[47] == 30 && out[48] == 20 && out[95] == 10);
    {
        const Buffer<int> outs(out);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(3), tw_range_1d(32), sized, .out = tw_discard_write(cg, outs));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
    }
    for (const int value : out)
        TW_EQUAL(value, 32);
}

TW_KERNEL_FUNCTION(named, tw_item, item, (const int *, in), (int *, out), (Settings, settings), (int, TW_SUM, sum))
{
    const std::size_t i = tw_global_id(item, 0);
    out[i] = twice(settings.apply(in[i]));
    tw_combine(*sum, out[i]);
}
TW_RANGE_REDUCTION(static named, 1, sum);

TW_TEST(members_are_there_by_their_names)
{
    std::vector<int> in(48, 5), out(48), sum(1);
    {
        const Queue queue;
        const Buffer<int> ins(in), outs(out), sums(sum);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(48), named, .in = tw_read(cg, ins), .out = tw_discard_write(cg, outs),
                        .settings = {3, 4}, .sum = TW_REDUCE_INIT(cg, sums));
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
    }
    TW_CHECK(out[0] == 38 && out[47] == 38 && sum[0] == 48 * 38);
}

/* A block that a loop fills. */
struct mixed {
    const int *in[3];
    int factor = 2; /* as it is, where it is not filled */
    int *out;
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void mixed(tw_item item, const struct mixed *k)
{
    const std::size_t i = tw_global_id(item, 0);
    k->out[i] = k->factor * (k->in[0][i] + k->in[1][i] + k->in[2][i]);
    tw_combine(k->sum, k->out[i]);
}
TW_RANGE_REDUCTION(mixed, 1, sum);

TW_TEST(loops_fill_a_block)
{
    std::vector<int> a(48, 3), b(48), sum(1);
    {
        const Queue queue;
        const Buffer<int> as(a), bs(b), sums(sum);
        for (const int filled : {3, 2}) {
            tw_command_group *cg = tw_queue_begin(queue);
            TW_FILL_BLOCK(mixed, block);
            for (int i = 0; i < filled; ++i)
                block.in[i] = tw_read(cg, as);
            tw_set(block.out, tw_discard_write(cg, bs));
            tw_set(block.sum, TW_REDUCE_INIT(cg, sums));
            tw_parallel_for_kernel(cg, tw_range_1d(48), TW_FILLED(mixed, block));
            if (filled == 3)
                TW_PASS(tw_queue_submit(queue, cg, nullptr));
            else
                TW_FAIL(tw_queue_submit(queue, cg, nullptr), TW_ERROR_INVALID_ARGUMENT);
        }
    }
    TW_CHECK(b[0] == 18 && b[47] == 18 && sum[0] == 48 * 18);
}

TW_TEST_LIST = {
    TW_CASE(a_range_kernel_runs),
    TW_CASE(kernels_are_in_namespaces),
    TW_CASE(accessors_have_types),
    TW_CASE(memory_has_types),
    TW_CASE(groups_sum),
    TW_CASE(groups_multiply),
    TW_CASE(groups_have_algorithms),
    TW_CASE(values_have_operations),
    TW_CASE(kernels_have_variants),
    TW_CASE(kernels_are_listed),
    TW_CASE(kernels_are_chosen_at_run_time),
    TW_CASE(members_are_there_by_their_names),
    TW_CASE(loops_fill_a_block),
    TW_CASES_END,
};
