/* SPDX-License-Identifier: Apache-2.0 */
/* Step 8 of the tutorial: a plate on one queue over all devices. Each launch is divided among them. */
#include "check.h"

enum { SIDE = 1000, STEPS = 50 };

struct spread {
    TW_VIEW(const float, 2) now;
    TW_VIEW(float, 2) next;
};

static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1); /* in the whole plate, on every device */
    tw_at(k->next, i, j) =
        0.25f
        * ((tw_at(k->now, i - 1, j) + tw_at(k->now, i + 1, j)) + (tw_at(k->now, i, j - 1) + tw_at(k->now, i, j + 1)));
}
TW_RANGE_KERNEL(spread, 2);

/* The edge of the plate keeps its heat: the launch leaves it out. */
static void submit_step(tw_queue *queue, tw_buffer *now, tw_buffer *next)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, tw_range_2d(SIDE - 2, SIDE - 2), tw_id_2d(1, 1), spread,
                           .now = TW_READ_MAPPED_VIEW(cg, now, tw_neighborhood(1, 1, 0), 2),
                           .next = TW_WRITE_MAPPED_VIEW(cg, next, tw_one_to_one(), 2));
    check(tw_queue_submit(queue, cg, NULL));
}

static void compute(tw_queue *queue, const float *start, float *result)
{
    tw_buffer *plates[2];
    for (int i = 0; i < 2; ++i)
        check(tw_buffer_create_copy(start, sizeof *start, tw_range_2d(SIDE, SIDE), &plates[i]));
    for (int step = 0; step < STEPS; ++step)
        submit_step(queue, plates[step % 2], plates[(step + 1) % 2]);
    check(tw_buffer_read(plates[0], result)); /* STEPS is even */
    for (int i = 0; i < 2; ++i)
        check(tw_buffer_destroy(&plates[i]));
}

static void print_division(const tw_queue *queue)
{
    double shares[64];
    const size_t count = tw_queue_device_count(queue);
    check(tw_queue_get_division(queue, shares));
    for (size_t i = 0; i < count; ++i)
        printf("    %s: %.0f %%\n", tw_device_name(tw_queue_device_at(queue, i)), 100 * shares[i]);
}

int main(void)
{
    static float start[SIDE * SIDE], one[SIDE * SIDE], all[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i)
        start[i] = (float)(i * 7 % 1000);

    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    compute(queue, start, one);
    check(tw_queue_destroy(&queue));

    check(tw_queue_create_over_selected(NULL, NULL, 0, NULL, NULL, &queue)); /* all that TW_DEVICES leaves */
    compute(queue, start, all);
    printf("devices: %zu\n", tw_queue_device_count(queue));
    print_division(queue);
    check(tw_queue_destroy(&queue));

    int different = 0;
    for (int i = 0; i < SIDE * SIDE; ++i)
        different += one[i] != all[i];
    printf("%d of %d cells differ from those of one device\n", different, SIDE * SIDE);
    return different != 0;
}
