/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/** variable.h: constants and variables of file scope in kernels. */
#include "tw_test.h"

#include "variable_other_file.h"

enum { N = 64, WEIGHTS = 300 };

struct material {
    double density;
    int id;
    char symbol[4];
};

TW_BEGIN_DEVICE_VARIABLES
static const float table[] = {0.5f, 1.5f, 2.5f, 3.5f};
static const struct material materials[] = {{2.7, 13, "Al"}, {7.9, 26, "Fe"}, {11.3, 82, "Pb"}};
static const int even[] = {0, 2, 4}, odd[] = {1, 3, 5};
static const int *const rows[] = {even, odd};
static const char text[] = "teamwork";
static const char *const words[] = {"one", "two"};
const short visible_table[] = {7, 8, 9};
int shared_count = 3;
int count = 5;
double weights[WEIGHTS];
struct material current = {1.5, 6, "C"};
unsigned visits[4];
TW_END_DEVICE_VARIABLES

static const int scalar = 42; /* the compiler knows it */

static tw_queue *in_order_queue(void)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, tw_test_device(0), TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    return queue;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

struct use_constants {
    double *out;
    size_t i;
};

static inline float look_up(size_t i)
{
    return table[i];
}

static inline void use_constants(const struct use_constants *k)
{
    const size_t i = k->i;
    k->out[0] = look_up(i);
    k->out[1] = materials[i].density + materials[i].id;
    k->out[2] = rows[i][2];
    k->out[3] = text[i];
    k->out[4] = words[i][1];
    k->out[5] = visible_table[i];
    k->out[6] = shared_table[i];
    k->out[7] = scalar;
    k->out[8] = materials[i].symbol[0];
}
TW_SINGLE_TASK(use_constants);

TW_TEST(constants_are_the_same_everywhere)
{
    double out[9] = {0};
    const double expected[9] = {1.5, 7.9 + 26, 5, 'e', 'w', 8, 200, 42, 'F'};
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(9), &buffer));
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, use_constants, .out = tw_write(cg, buffer), .i = 1);
    }
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 9; ++i)
        TW_CHECK(out[i] == expected[i]);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

struct use_variables {
    double *out;
    size_t step;
};

static inline void use_variables(tw_item item, const struct use_variables *k)
{
    const size_t i = tw_global_id(item, 0);
    double *out = k->out + k->step * 5;
    if (i == 0)
        out[0] = count;
    else if (i == 1)
        out[1] = weights[1];
    else if (i == 2)
        out[2] = weights[WEIGHTS - 1];
    else if (i == 3)
        out[3] = current.density + current.id;
    else
        out[4] = current.symbol[0];
}
TW_RANGE_KERNEL(use_variables, 1);

static void read_variables(tw_queue *queue, tw_buffer *buffer, size_t step)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(5), use_variables, .out = tw_write(cg, buffer), .step = step);
    }
}

/* Nothing waits: each kernel sees the values of the steps before it, which were read when these were recorded. */
TW_TEST(each_kernel_sees_the_values_before_it)
{
    enum { STEPS = 4 };
    double out[STEPS][5], value[WEIGHTS] = {0};
    tw_queue *queue = in_order_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(out, sizeof **out, tw_range_1d(STEPS * 5), &buffer));
    read_variables(queue, buffer, 0);
    for (int step = 1; step < STEPS; ++step) {
        int new_count = 1000 * step;
        struct material new_material = {0.25 * step, step, {(char)('a' + step)}};
        for (int i = 0; i < WEIGHTS; ++i)
            value[i] = step + i;
        TW_PASS(tw_queue_copy_to_variable(queue, &count, &new_count, sizeof count, NULL));
        TW_PASS(tw_queue_copy_to_variable(queue, weights, value, sizeof weights, NULL));
        TW_PASS(tw_queue_copy_to_variable(queue, &current, &new_material, sizeof current, NULL));
        new_count = -1;
        new_material.id = -1;
        memset(value, 0, sizeof value);
        read_variables(queue, buffer, (size_t)step);
    }
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int step = 1; step < STEPS; ++step) {
        TW_CHECK(out[step][0] == 1000 * step);
        TW_CHECK(out[step][1] == step + 1);
        TW_CHECK(out[step][2] == step + WEIGHTS - 1);
        TW_CHECK(out[step][3] == 1.25 * step);
        TW_CHECK(out[step][4] == 'a' + step);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A case that runs alone: the first one in which its device sees `shared_count`. */
TW_TEST(a_variable_begins_with_its_initializer)
{
    int out[N];
    tw_queue *queue = in_order_queue();
    tw_buffer *buffer = NULL;
    int seen = 0;
    TW_PASS(tw_queue_copy_from_variable(queue, &seen, &shared_count, sizeof seen, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(seen, 3);
    for (int add = 3; add < 6; ++add) {
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(N), &buffer));
        TW_PASS(tw_queue_copy_to_variable(queue, &shared_count, &add, sizeof add, NULL));
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for(cg, tw_range_1d(N), other_variable, .out = tw_discard_write(cg, buffer));
        }
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int i = 0; i < N; ++i)
            TW_EQUAL(out[i], shared_table[i % 4] + add);
    }
    const int begin = 3;
    TW_PASS(tw_queue_copy_to_variable(queue, &shared_count, &begin, sizeof begin, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_queue_destroy(&queue));
}

struct visit {
    unsigned by;
};

static inline void visit(tw_item item, const struct visit *k)
{
    visits[tw_global_id(item, 0)] += k->by;
}
TW_RANGE_KERNEL(visit, 1);

TW_TEST(what_kernels_write_is_read_back_also_in_part)
{
    unsigned seen[4] = {9, 9, 9, 9};
    const unsigned zero[4] = {0}, five = 5;
    tw_queue *queue = in_order_queue();
    TW_PASS(tw_queue_copy_to_variable(queue, visits, zero, sizeof visits, NULL));
    TW_PASS(tw_queue_copy_to_variable(queue, &visits[2], &five, sizeof five, NULL));
    for (int i = 0; i < 3; ++i) {
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for(cg, tw_range_1d(4), visit, .by = 10);
        }
    }
    TW_PASS(tw_queue_copy_from_variable(queue, seen, visits, sizeof visits, NULL));
    TW_PASS(tw_queue_wait(queue));
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(seen[i], i == 2 ? 35 : 30);
    TW_PASS(tw_queue_copy_from_variable(queue, seen, &visits[2], sizeof *seen, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(seen[0], 35);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A recorded step sets the value that it was given each time. */
TW_TEST(command_graphs_set_variables)
{
    unsigned seen[4];
    const unsigned begin[4] = {1, 2, 3, 4}, other[4] = {0};
    tw_queue *queue = in_order_queue();
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_copy_to_variable(queue, visits, begin, sizeof visits, NULL));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(4), visit, .by = 10);
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (int i = 0; i < 2; ++i) {
        TW_PASS(tw_queue_copy_to_variable(queue, visits, other, sizeof visits, NULL));
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_copy_from_variable(queue, seen, visits, sizeof visits, NULL));
        TW_PASS(tw_queue_wait(queue));
        for (unsigned at = 0; at < 4; ++at)
            TW_EQUAL(seen[at], at + 11);
    }
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static int unknown;

TW_TEST(mistakes_are_refused)
{
    tw_queue *queue = tw_test_queue();
    int value = 0;
    TW_PASS(tw_queue_copy_to_variable(queue, NULL, NULL, 0, NULL));
    TW_FAIL(tw_queue_copy_to_variable(queue, NULL, &value, sizeof value, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_copy_to_variable(queue, &count, NULL, sizeof value, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_copy_from_variable(queue, NULL, &count, sizeof value, NULL), TW_ERROR_INVALID_ARGUMENT);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_copy_to_variable(cg, &count, &value, 0);
    tw_copy_to_variable(cg, &count, &value, sizeof value);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (strcmp(backend, "omp") == 0) {
        TW_FAIL(tw_queue_copy_to_variable(queue, &unknown, &value, sizeof value, NULL), TW_ERROR_INVALID_ARGUMENT);
        TW_FAIL(tw_queue_copy_to_variable(queue, weights, &value, (size_t)1 << 40, NULL), TW_ERROR_INVALID_RANGE);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(constants_are_the_same_everywhere),
                TW_CASE(each_kernel_sees_the_values_before_it),
                TW_CASE(a_variable_begins_with_its_initializer),
                TW_CASE(what_kernels_write_is_read_back_also_in_part),
                TW_CASE(command_graphs_set_variables),
                TW_CASE(mistakes_are_refused),
                TW_CASES_END};
