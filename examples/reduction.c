/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel reduction: the sum of an array, on one device or on several. Each work-group adds up its part of the array in
 * team-local memory and writes one number; launches follow each other until one number is left. Then the same by the
 * library (reduction.h), in one launch. Shown on 16 numbers, then on 2^22, or as many as the program is told.
 *
 * A launch reads one buffer and writes another. Done in place, a group could overwrite what another has yet to read:
 * there is no synchronization between groups within a kernel.
 *
 * On several devices each adds up its share of the array, and moves no more than what its groups have written.
 *
 * The numbers are from 0 to 10, so the sum of 2^27 of them is below 2^31 and int32_t holds it.
 *
 *     reduction [--devices LIST] [NUMBERS]     devices.h has the lists
 */
#include "devices.h"

#include <stdint.h>

enum {
    GROUP = 256,         /* work-items in a group */
    EACH = 32,           /* numbers that a work-item adds up on its own, before the group works together */
    PART = GROUP * EACH, /* numbers that a group turns into one */
    COUNT = 1 << 22,     /* by default */
    MOST = 1 << 27,
    TIMES = 5
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

/* The same by the library: what tw_combine() is given it adds up, in each launch, in the best way that the device has. */
struct total {
    const int32_t *in;
    TW_REDUCTION(int32_t, TW_SUM) sum;
};

static inline void total(tw_item item, const struct total *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(total, 1, sum);

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
    const tw_range_mapper each = tw_scaled(tw_range_1d(EACH), tw_range_1d(1));      /* what work-items read */
    const tw_range_mapper of_group = tw_scaled(tw_range_1d(1), tw_range_1d(GROUP)); /* and their group writes */
    tw_buffer *from = tw_buffer_retain(numbers);
    while (count > 1) {
        const size_t groups = (count + PART - 1) / PART;
        tw_buffer *to;
        check(tw_buffer_create(sizeof(int32_t), tw_range_1d(groups), &to));

        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), reduce,
                                   .in = tw_read_mapped(cg, from, each),
                                   .out = tw_discard_write_mapped(cg, to, of_group), .count = count);
        check(tw_queue_submit(queue, cg, NULL));

        check(tw_buffer_destroy(&from)); /* drops this reference: the buffer stays until the kernel has read it */
        from = to;
        count = groups;
    }

    int32_t sum;
    check(tw_buffer_read(from, &sum)); /* waits for the last launch */
    check(tw_buffer_destroy(&from));
    return sum;
}

/* The same by the library. */
static int32_t total_of(tw_queue *queue, tw_buffer *numbers, size_t count)
{
    int32_t sum;
    tw_buffer *result;
    check(tw_buffer_create(sizeof sum, tw_range_1d(1), &result));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(count), total, .in = tw_read_mapped(cg, numbers, tw_one_to_one()),
                    .sum = TW_REDUCE_INIT(cg, result));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_buffer_read(result, &sum));
    check(tw_buffer_destroy(&result));
    return sum;
}

static bool sum_sixteen(tw_queue *queue)
{
    static const int32_t data[] = {1, 8, 5, 9, 4, 2, 6, 0, 1, 8, 6, 2, 10, 9, 0, 5};
    const size_t count = sizeof data / sizeof data[0];
    tw_buffer *buffer;
    check(tw_buffer_create_over_const(data, sizeof data[0], tw_range_1d(count), &buffer));
    const double start = seconds();
    const int32_t sum = sum_of(queue, buffer, count), total = total_of(queue, buffer, count);
    const double taken = seconds() - start;
    check(tw_buffer_destroy(&buffer));
    return report(queue, "sixteen, both ways", taken, sum == 76 && total == 76);
}

/* The sum of many numbers, several times, by one of the two functions. */
static bool sum_many(tw_queue *queue, const char *name, int32_t (*sum)(tw_queue *, tw_buffer *, size_t),
                     const int32_t *data, size_t count, int64_t expected)
{
    tw_buffer *buffer;
    double taken = 0;
    bool right = true;
    check(tw_buffer_create_over_const(data, sizeof *data, tw_range_1d(count), &buffer));
    for (int i = 0; i < TIMES; ++i) { /* the first brings the numbers to the devices */
        const double start = seconds();
        right &= sum(queue, buffer, count) == expected;
        taken = seconds() - start;
    }
    check(tw_buffer_destroy(&buffer));
    return report(queue, name, taken, right);
}

int main(int arguments_count, char **arguments)
{
    const struct devices devices = take_devices(&arguments_count, arguments);
    const size_t count = arguments_count > 1 ? strtoul(arguments[1], NULL, 10) : COUNT;
    if (count < 1 || count > MOST) {
        fprintf(stderr, "reduction: from 1 to %d numbers\n", MOST);
        return 2;
    }
    int32_t *data = allocate(count, sizeof *data);
    int64_t expected = 0; /* one after the other, in 64 bits */
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < count; ++i) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        data[i] = (int32_t)((random >> 32) * 11 >> 32);
        expected += data[i];
    }

    printf("The sum of %zu numbers is %lld\n", count, (long long)expected);
    bool right = true;
    tw_queue *queue;
    for (size_t run = 0; (queue = create_queue(&devices, run)); ++run) {
        check_device(tw_queue_device(queue));
        right &= sum_sixteen(queue);
        right &= sum_many(queue, "by groups", sum_of, data, count, expected);
        right &= sum_many(queue, "by the library", total_of, data, count, expected);
        check(tw_queue_destroy(&queue));
    }
    free(data);
    return !right;
}
