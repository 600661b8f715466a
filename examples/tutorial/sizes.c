/* SPDX-License-Identifier: Apache-2.0 */
/* Step 6 of the tutorial: what the compiler knows of sizes. A filter whose width the user chooses, and its variants. */
#include "check.h"

enum { ROWS = 512, COLUMNS = 512, MOST = 9 };

struct blur {
    const float *in; /* ROWS + width - 1 rows, and as many columns more */
    float *out;
    int width;
};

static inline void blur(tw_item item, const struct blur *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    const size_t pitch = (size_t)COLUMNS + (size_t)k->width - 1;
    float sum = 0;
    for (int y = 0; y < k->width; ++y)
        for (int x = 0; x < k->width; ++x)
            sum += k->in[(row + (size_t)y) * pitch + column + (size_t)x];
    k->out[row * COLUMNS + column] = sum;
}
TW_RANGE_KERNEL(TW_SPECIALIZE(width, 3, 5, 7) blur, 2);

static void list_variants(void)
{
    const tw_kernel *variants[8];
    size_t count;
    check(tw_kernel_get_variants(TW_KERNEL(blur), variants, 8, &count));
    printf("blur has code for\n");
    for (size_t i = 0; i < count; ++i) {
        const char *values;
        check(tw_kernel_info(variants[i], NULL, TW_KERNEL_INFO_VALUES, &values, sizeof values));
        printf("    %s\n", *values ? values : "any width");
    }
}

int main(int count, char **arguments)
{
    const int width = count > 1 ? atoi(arguments[1]) : 5;
    if (width < 1 || width > MOST) {
        fprintf(stderr, "the width is from 1 to %d\n", MOST);
        return 2;
    }
    static float in[(ROWS + MOST) * (COLUMNS + MOST)], out[ROWS * COLUMNS];
    for (size_t i = 0; i < sizeof in / sizeof *in; ++i)
        in[i] = 1;
    list_variants();

    tw_queue *queue;
    tw_buffer *ins, *outs;
    const size_t more = (size_t)width - 1;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(in, sizeof in[0], tw_range_2d(ROWS + more, COLUMNS + more), &ins));
    check(tw_buffer_create_over(out, sizeof out[0], tw_range_2d(ROWS, COLUMNS), &outs));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), blur, .in = tw_read(cg, ins), .out = tw_discard_write(cg, outs),
                    .width = width); /* the library picks the variant */
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&ins));
    check(tw_buffer_destroy(&outs));
    check(tw_queue_destroy(&queue));

    const float last = out[ROWS * COLUMNS - 1];
    printf("width %d: out[0] = %g, the last one is %g\n", width, out[0], last);
    return !(out[0] == (float)(width * width) && last == out[0]);
}
