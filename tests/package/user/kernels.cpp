/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel in C++, which defines what scale.h declares, and launches it; says which kind of device it was. */
#include <iostream>
#include <vector>

#include "scale.h"

static inline void scale(tw_item item, const struct scale *k)
{
    k->data[tw_global_id(item, 0)] *= k->factor;
}
TW_RANGE_KERNEL(scale);

int main()
{
    std::vector<float> data(1000, 1.0f);
    tw_queue *queue = nullptr;
    tw_buffer *buffer = nullptr;
    if (tw_queue_create(nullptr, nullptr, nullptr, nullptr, &queue) != TW_SUCCESS
        || tw_buffer_create_over(data.data(), sizeof data[0], tw_range_1d(data.size()), &buffer) != TW_SUCCESS) {
        std::cout << tw_error_detail() << "\n";
        return 1;
    }
    std::cout << (tw_queue_is_host(queue) ? "host" : "offload") << std::endl;
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(data.size()), scale, .factor = 3.0f, .data = tw_read_write(cg, buffer));
    }
    const tw_status status = tw_buffer_destroy(&buffer);
    if (tw_queue_destroy(&queue) != TW_SUCCESS || status != TW_SUCCESS)
        return 1;
    for (const float value : data)
        if (value != 3.0f)
            return 1;
    return 0;
}
