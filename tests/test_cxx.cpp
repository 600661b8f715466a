/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** Kernels in C++: typed accessors, namespaces, and objects that own what they hold. */
#include "tw_test.h"

#include <vector>

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

TW_TEST_LIST = {
    TW_CASE(a_range_kernel_runs),
    TW_CASES_END,
};
