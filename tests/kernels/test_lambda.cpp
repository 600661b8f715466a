/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** Kernels that are lambdas and other function objects of C++ (lambda.h): all forms, templates, blocks of all sizes. */
#include "tw_test.h"

#include <array>
#include <vector>

#define NUMBER_OF_FILE 1
#include "lambda_other_file.h"

namespace
{

/* The device of the test, and numbers on it. */
class Queue
{
  public:
    Queue() : queue(tw_test_queue())
    {
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
    tw_queue *queue;
};

template <typename T> class Numbers
{
  public:
    Numbers(tw_range range, T value) : host(tw_range_count(range), value)
    {
        TW_PASS(tw_buffer_create_copy(host.data(), sizeof(T), range, &buffer));
    }
    ~Numbers()
    {
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    Numbers(const Numbers &) = delete;
    Numbers &operator=(const Numbers &) = delete;
    operator tw_buffer *() const
    {
        return buffer;
    }
    T operator[](std::size_t i)
    {
        tw_test_fetch(buffer, host.data());
        return host[i];
    }

  private:
    std::vector<T> host;
    tw_buffer *buffer = nullptr;
};

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

template <typename T> void axpy(tw_queue *queue, T a, tw_buffer *x, tw_buffer *y)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const T *xs = tw_read<T>(cg, x);
    T *ys = tw_read_write<T>(cg, y);
    tw::parallel_for(cg, tw_buffer_range(y), [=](tw_item item) {
        const std::size_t i = tw_global_linear_id(item);
        ys[i] += a * xs[i] + static_cast<T>(tw_global_id(item, 0) * 100);
    });
    TW_PASS(tw_queue_submit(queue, cg, nullptr));
}

template <typename T> void check_axpy(tw_queue *queue)
{
    for (const tw_range range : {tw_range_1d(700), tw_range_2d(7, 100), tw_range_3d(7, 10, 10)}) {
        Numbers<T> x(range, 3), y(range, 1);
        axpy<T>(queue, 2, x, y);
        TW_CHECK(y[0] == 7);
        TW_CHECK(y[699] == (range.dims == 1 ? 69907 : 607));
    }
}

} // namespace

TW_TEST(lambdas_are_templates)
{
    const Queue queue;
    check_axpy<float>(queue);
    check_axpy<double>(queue);
    check_axpy<int>(queue);
}

namespace
{

/* A function object with a name. */
template <typename T, int Factor> struct scale {
    T *x;
    std::size_t from;
    void operator()(tw_item item) const
    {
        x[tw_global_id(item, 0) - from] *= Factor;
    }
};

} // namespace

TW_TEST(function_objects_have_an_offset)
{
    const Queue queue;
    Numbers<long> x(tw_range_1d(100), 5);
    tw_command_group *cg = tw_queue_begin(queue);
    const scale<long, 3> f = {tw_read_write(cg, x), 10};
    tw::parallel_for(cg, tw_range_1d(50), tw_id_1d(30), f);
    TW_PASS(tw_queue_submit(queue, cg, nullptr));
    TW_CHECK(x[19] == 5 && x[20] == 15 && x[69] == 15 && x[70] == 5);
}

namespace
{

/* Blocks that travel as few words, as many, and by their address. */
template <std::size_t Count> void check_captures(tw_queue *queue)
{
    Numbers<long> out(tw_range_1d(Count), 0);
    std::array<long, Count> numbers;
    for (std::size_t i = 0; i < Count; ++i)
        numbers[i] = static_cast<long>(7 * i + 1);
    tw_command_group *cg = tw_queue_begin(queue);
    long *to = tw_discard_write(cg, out);
    tw::parallel_for(cg, tw_range_1d(Count), [=](tw_item item) {
        long sum = 0; /* no index, which would copy the array */
        for (std::size_t i = 0; i < Count; ++i)
            sum += i == tw_global_id(item, 0) ? numbers[i] : 0;
        to[tw_global_id(item, 0)] = sum;
    });
    TW_PASS(tw_queue_submit(queue, cg, nullptr));
    for (std::size_t i = 0; i < Count; ++i)
        TW_EQUAL(out[i], static_cast<long>(7 * i + 1));
}

} // namespace

TW_TEST(captures_have_any_size)
{
    const Queue queue;
    check_captures<2>(queue);
    check_captures<20>(queue);
    check_captures<60>(queue);
    check_captures<200>(queue);
}

TW_TEST(a_single_task_runs)
{
    const Queue queue;
    Numbers<int> x(tw_range_1d(2), 4);
    tw_command_group *cg = tw_queue_begin(queue);
    int *at = tw_read_write(cg, x);
    tw::single_task(cg, [=] { at[1] += at[0]; });
    TW_PASS(tw_queue_submit(queue, cg, nullptr));
    TW_EQUAL(x[1], 8);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

TW_TEST(work_items_meet_at_barriers)
{
    const Queue queue;
    Numbers<int> x(tw_range_1d(512), 0);
    axpy<int>(queue, 0, x, x); /* 100 i */
    tw_command_group *cg = tw_queue_begin(queue);
    int *at = tw_read_write(cg, x);
    tw::parallel_for(cg, tw_nd_range_make(tw_range_1d(512), tw_range_1d(64)), [=](tw_nd_item item) {
        TW_LOCAL(int, mine, [64]);
        const std::size_t i = tw_local_id(item, 0);
        mine[i] = at[tw_global_id(item, 0)];
        tw_barrier(item, TW_LOCAL_SPACE);
        at[tw_global_id(item, 0)] = mine[63 - i];
    });
    TW_PASS(tw_queue_submit(queue, cg, nullptr));
    TW_CHECK(x[0] == 6300 && x[63] == 0 && x[64] == 12700);
}

TW_TEST(groups_have_loops)
{
    const Queue queue;
    Numbers<int> x(tw_range_1d(512), 3), sums(tw_range_1d(8), 0);
    tw_command_group *cg = tw_queue_begin(queue);
    const int *from = tw_read(cg, x);
    int *to = tw_discard_write(cg, sums);
    tw::parallel_for_work_group(cg, tw_range_1d(8), tw_range_1d(64), [=](tw_group group) {
        TW_LOCAL(int, mine, [64]);
        tw_parallel_for_work_item(group, item) {
            mine[tw_local_id(item, 0)] = from[tw_global_id(item, 0)];
        }
        TW_ONCE(group) {
            int sum = 0;
            for (int i = 0; i < 64; ++i)
                sum += mine[i];
            to[tw_group_id(group, 0)] = sum;
        }
    });
    TW_PASS(tw_queue_submit(queue, cg, nullptr));
    TW_CHECK(sums[0] == 192 && sums[7] == 192);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

TW_TEST(lambdas_reduce)
{
    const Queue queue;
    Numbers<double> x(tw_range_2d(40, 50), 2), sums(tw_range_1d(2), 10);
    for (int again = 0; again < 2; ++again) {
        tw_command_group *cg = tw_queue_begin(queue);
        const double *from = tw_read(cg, x);
        tw::parallel_for(cg, tw_range_1d(2000), tw::reduce<double, TW_SUM>(cg, sums, 1),
                         [=](tw_item item, const auto &sum) { sum.combine(from[tw_global_id(item, 0)]); });
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
        cg = tw_queue_begin(queue);
        tw::parallel_for<2>(cg, tw_range_2d(40, 50), tw::reduce_init<double, TW_MAX>(cg, sums),
                            [](tw_item item, const auto &most) {
                                most.combine(static_cast<double>(tw_global_id(item, 0) * tw_global_id(item, 1)));
                            });
        TW_PASS(tw_queue_submit(queue, cg, nullptr));
    }
    TW_CHECK(sums[0] == 39 * 49);
    TW_CHECK(sums[1] == 8010);
    tw_command_group *cg = tw_queue_begin(queue);
    tw::parallel_for(cg, tw_range_2d(40, 50), tw::reduce<double, TW_SUM>(cg, sums),
                     [](tw_item, const auto &sum) { sum.combine(1); });
    TW_FAIL(tw_queue_submit(queue, cg, nullptr), TW_ERROR_INVALID_KERNEL); /* one dimension */
    cg = tw_queue_begin(queue);
    tw::parallel_for(cg, tw_range_1d(2000), tw::reduce<float, TW_SUM>(cg, sums),
                     [](tw_item, const auto &sum) { sum.combine(1); });
    TW_FAIL(tw_queue_submit(queue, cg, nullptr), TW_ERROR_INVALID_KERNEL); /* elements of another size */
}

/* ---- names and mistakes ------------------------------------------------------------------------------------------ */

TW_TEST(functions_of_two_files_have_one_name)
{
    const Queue queue;
    Numbers<int> out(tw_range_1d(8), 0);
    for (int again = 0; again < 2; ++again) {
        TW_PASS(store_number_of_file(queue, out));
        TW_EQUAL(out[0], 1);
        TW_PASS(store_of_other_file(queue, out));
        TW_EQUAL(out[7], 2);
    }
}

TW_TEST(messages_name_the_lambda)
{
    const Queue queue;
    Numbers<int> out(tw_range_1d(8), 0);
    tw_command_group *cg = tw_queue_begin(queue);
    int *to = tw_write(cg, out);
    const int *from = nullptr;
    tw::parallel_for(cg, tw_range_1d(8), [=](tw_item item) { to[tw_global_id(item, 0)] = from[0]; });
    TW_FAIL(tw_queue_submit(queue, cg, nullptr), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "member captures[1] of kernel lambda at test_lambda.cpp:"));
    cg = tw_queue_begin(queue);
    const scale<int, 2> f = {nullptr, 0};
    tw::parallel_for(cg, tw_range_1d(8), f);
    TW_FAIL(tw_queue_submit(queue, cg, nullptr), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "member x of kernel") && strstr(tw_error_detail(), "scale<int, 2>"));
}

TW_TEST_LIST = {
    TW_CASE(lambdas_are_templates),
    TW_CASE(function_objects_have_an_offset),
    TW_CASE(captures_have_any_size),
    TW_CASE(a_single_task_runs),
    TW_CASE(work_items_meet_at_barriers),
    TW_CASE(groups_have_loops),
    TW_CASE(lambdas_reduce),
    TW_CASE(functions_of_two_files_have_one_name),
    TW_CASE(messages_name_the_lambda),
    TW_CASES_END,
};
