/* SPDX-License-Identifier: Apache-2.0 */
/* Generations of the Game of Life, with the kernels and the OpenMP loops of examples/life, checked against a plain
 * loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../life/baseline.h"
#include "../life/world.h"
#include "problem.h"

struct life {
    const struct setting *setting;
    struct board start, expected, computed;
    struct world world;
    struct baseline baseline;
    long generations; /* of one run */
};

/* Both kinds start anew: what one generation reads is what the one before wrote. */
static bool reset(void *data, const struct contender *contender)
{
    struct life *life = data;
    (void)contender;
    world_destroy(&life->world);
    baseline_destroy(&life->baseline);
    memset(life->computed.cells, 0xa5, board_bytes(&life->computed.shape));
    return problem_passed(world_create(&life->world, life->setting->queue, &life->start), "life")
           && (baseline_create(&life->baseline, &life->start,
                               life->setting->gpu ? baseline_find_gpu(0) : BASELINE_ON_HOST)
               || problem_fail("life", "no memory for OpenMP's board"));
}

static bool run(void *data, const struct contender *contender)
{
    struct life *life = data;
    if (contender->side != TEAMWORK) {
        baseline_run(&life->baseline, (enum baseline_method)contender->form, life->generations);
        return true;
    }
    return problem_passed(world_submit(&life->world, (enum world_method)contender->form, life->generations),
                          contender->label)
           && problem_passed(tw_queue_wait(life->setting->queue), contender->label);
}

static bool check(void *data, const struct contender *contender)
{
    struct life *life = data;
    const bool read = contender->side == TEAMWORK
                          ? problem_passed(world_read(&life->world, &life->computed), contender->label)
                          : baseline_read(&life->baseline, &life->computed);
    return read && board_equal(&life->computed, &life->expected);
}

static void destroy(void *data)
{
    struct life *life = data;
    if (!life)
        return;
    world_destroy(&life->world);
    baseline_destroy(&life->baseline);
    board_free(&life->start);
    board_free(&life->expected);
    board_free(&life->computed);
    free(life);
}

/* The rule as it is told: a cell and the eight around it. */
static void next_generation(const struct board *now, struct board *next)
{
    for (int row = 0; row < now->shape.rows; ++row)
        for (int column = 0; column < now->shape.columns; ++column) {
            int neighbours = 0;
            for (int r = row - 1; r <= row + 1; ++r)
                for (int c = column - 1; c <= column + 1; ++c)
                    neighbours +=
                        (r != row || c != column) && now->cells[board_at(now->shape.pitch, (size_t)r, (size_t)c)];
            const size_t at = board_at(now->shape.pitch, (size_t)row, (size_t)column);
            next->cells[at] = neighbours == 3 || (neighbours == 2 && now->cells[at]);
        }
}

static bool fill(struct life *life, int side)
{
    life->start = board_create(side, side);
    life->expected = board_create(side, side);
    life->computed = board_create(side, side);
    if (!life->start.cells || !life->expected.cells || !life->computed.cells)
        return problem_fail("life", "no memory");
    board_randomize(&life->start, 1);
    memcpy(life->expected.cells, life->start.cells, board_bytes(&life->start.shape));
    for (long g = 0; g < life->generations; ++g) {
        memcpy(life->computed.cells, life->expected.cells, board_bytes(&life->start.shape));
        next_generation(&life->computed, &life->expected);
    }
    return true;
}

bool problem_life(struct problem *problem, const struct setting *setting)
{
    struct life *life = calloc(1, sizeof *life);
    *problem = (struct problem){
        .unit = "Gcells/s", .data = life, .reset = reset, .run = run, .check = check, .destroy = destroy};
    if (!life)
        return problem_fail("life", "no memory");
    life->setting = setting;
    life->generations = setting->small ? 3 : setting->gpu ? 10 : 1;
    const int side = setting->small ? 100 : setting->gpu ? 8192 : 4096; /* small: no multiple of a tile */
    snprintf(problem->title, sizeof problem->title, "Game of Life, %d x %d cells, %ld generation%s", side, side,
             life->generations, life->generations > 1 ? "s" : "");
    problem->work = 1e-9 * (double)life->generations * side * side;
    problem_add(problem, "nd_range, tiles of 16 x 16", TEAMWORK, WORLD_ITEMS);
    problem_add(problem, "hierarchical, tiles of 16 x 16", TEAMWORK, WORLD_TILES);
    problem_add(problem, "range", TEAMWORK, WORLD_CELLS);
    problem_add(problem, "OpenMP", 0, BASELINE_FLAT);
    if (!setting->gpu)
        problem_add(problem, "OpenMP, tiles of 16 x 16", 0, BASELINE_TILED);
    return fill(life, side);
}
