/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel reduction: the sum of an array. Each work-group adds up its part of the array in team-local memory and
 * writes one number; launches follow each other until one number is left. Shown on 16 numbers, then on 2^26.
 *
 * A launch reads one buffer and writes another. Done in place, a group could overwrite what another has yet to read:
 * there is no synchronization between groups within a kernel.
 *
 * The numbers are from 0 to 10, so the sum of 2^26 of them is below 2^31 and int32_t holds it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>
#include <time.h>

enum {
    GROUP = 256,        /* work-items in a group */
    EACH = 32,          /* numbers that a work-item adds up on its own, before the group works together */
    PART = GROUP * EACH /* numbers that a group turns into one */
};

struct reduce {
    const int32_t *in;
    int32_t *out; /* one number for each group */
    size_t count; /* of `in` */
};

static inline void reduce(tw_group group, const struct reduce *k)
{
    TW_LOCAL(int32_t, sums, [GROUP]);
    const size_t first = tw_group_id(group, 0) * PART;
    const size_t count = k->count - first; /* from here on; may be more than a part */
    const int32_t *in = k->in + first;

    /* Neighbouring work-items read neighbouring numbers: a GPU serves them with one access, a CPU with one vector. All
       but the last group have a full part, whose constant length the compiler unrolls. */
    if (count >= PART) {
        tw_parallel_for_work_item(group, item) {
            int32_t sum = 0;
#pragma clang loop unroll(full)
            for (unsigned i = 0; i < PART; i += GROUP)
                sum += in[i + tw_local_id(item, 0)];
            sums[tw_local_id(item, 0)] = sum;
        }
    } else {
        tw_parallel_for_work_item(group, item) {
            sums[tw_local_id(item, 0)] = 0;
        }
        for (size_t i = 0; i < count; i += GROUP) {
            tw_parallel_for_work_item_range(group, item, tw_range_1d(count - i < GROUP ? count - i : GROUP)) {
                sums[tw_local_id(item, 0)] += in[i + tw_local_id(item, 0)];
            }
        }
    }

    /* Fold the upper half onto the lower until one is left. The loop is at group scope; each turn synchronizes. */
    for (size_t half = GROUP / 2; half > 0; half /= 2) {
        tw_parallel_for_work_item_range(group, item, tw_range_1d(half)) {
            sums[tw_local_id(item, 0)] += sums[tw_local_id(item, 0) + half];
        }
    }

    TW_ONCE(group) {
        k->out[tw_group_id(group, 0)] = sums[0];
    }
}
TW_WORK_GROUP_KERNEL(reduce, GROUP);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

/* Whether the device can run groups of this size with this much local memory. */
static void check_device(const tw_device *device)
{
    size_t largest_group, local_bytes;
    tw_local_mem_type local_type;
    check(tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &largest_group, sizeof largest_group));
    check(tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_TYPE, &local_type, sizeof local_type));
    check(tw_device_info(device, TW_DEVICE_INFO_LOCAL_MEM_SIZE, &local_bytes, sizeof local_bytes));
    if (largest_group < GROUP || local_type == TW_LOCAL_MEM_NONE || local_bytes < GROUP * sizeof(int32_t)) {
        fprintf(stderr, "%s: groups of at most %zu with %zu bytes of local memory are not enough\n",
                tw_device_name(device), largest_group, local_bytes);
        exit(1);
    }
}

/* The sum of a buffer of `count` >= 1 numbers, which is left as it is. */
static int32_t sum_of(tw_queue *queue, tw_buffer *numbers, size_t count)
{
    tw_buffer *from = tw_buffer_retain(numbers);
    while (count > 1) {
        const size_t groups = (count + PART - 1) / PART;
        tw_buffer *to;
        check(tw_buffer_create(sizeof(int32_t), tw_range_1d(groups), &to));

        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), reduce, .in = tw_read(cg, from),
                                   .out = tw_discard_write(cg, to), .count = count);
        check(tw_queue_submit(queue, cg, NULL));

        check(tw_buffer_destroy(&from)); /* drops this reference: the buffer stays until the kernel has read it */
        from = to;
        count = groups;
    }

    tw_host_accessor *result;
    check(tw_host_access(from, TW_READ, &result)); /* waits for the last launch */
    const int32_t sum = *(const int32_t *)tw_host_accessor_const_data(result);
    tw_host_accessor_release(&result);
    check(tw_buffer_destroy(&from));
    return sum;
}

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int sum_sixteen(tw_queue *queue)
{
    static const int32_t data[] = {1, 8, 5, 9, 4, 2, 6, 0, 1, 8, 6, 2, 10, 9, 0, 5};
    enum { COUNT = sizeof data / sizeof data[0] };
    tw_buffer *buffer;
    check(tw_buffer_create_over_const(data, sizeof data[0], tw_range_1d(COUNT), &buffer));
    const int32_t sum = sum_of(queue, buffer, COUNT);
    check(tw_buffer_destroy(&buffer));

    printf("Data:");
    for (int i = 0; i < COUNT; ++i)
        printf(" %d", data[i]);
    printf("\nSum: %d\n", sum);
    return sum == 76 ? 0 : 1;
}

static int sum_many(tw_queue *queue, size_t count)
{
    int32_t *data = malloc(count * sizeof *data);
    if (!data) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        return 1;
    }
    int64_t expected = 0; /* one after the other, in 64 bits */
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < count; ++i) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        data[i] = (int32_t)((random >> 32) * 11 >> 32);
        expected += data[i];
    }

    tw_buffer *buffer;
    check(tw_buffer_create_over_const(data, sizeof *data, tw_range_1d(count), &buffer));
    const double start = milliseconds();
    const int32_t first = sum_of(queue, buffer, count); /* brings the data to the device */
    const double middle = milliseconds();
    const int32_t second = sum_of(queue, buffer, count); /* finds it there */
    const double end = milliseconds();
    check(tw_buffer_destroy(&buffer));
    free(data);

    printf("%zu numbers: sum %d, expected %lld; %.2f ms with the transfer to the device, %.2f ms without\n", count,
           second, (long long)expected, middle - start, end - middle);
    return first == expected && second == expected ? 0 : 1;
}

int main(void)
{
    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check_device(tw_queue_device(queue));
    int wrong = sum_sixteen(queue);
    wrong |= sum_many(queue, (size_t)1 << 26);
    check(tw_queue_destroy(&queue));
    return wrong;
}
